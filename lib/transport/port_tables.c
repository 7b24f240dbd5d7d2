/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The GID and P_Key tables of a port, read by its transport. */
#include <errno.h>
#include <string.h>
#include "transport/sysfs.h"
#include "transport/transports.h"
#include "util/bits.h"

/* Reads an entry of one of the port's tables, without its newline. Returns 0; -ENOENT; or an error of the
 * transport's entry(). */
static int port_table_entry(const struct madkit_port_info *info, const char *table, unsigned int index,
			    const struct madkit_limit *limit, char *text, size_t size)
{
	const struct transport_ops *ops;
	int ret;

	if (transport_find(info->device, &ops, NULL))
		return -ENOENT;
	ret = ops->entry(info, table, index, limit, text, size);
	if (!ret)
		text[strcspn(text, "\n")] = '\0';
	return ret;
}

int madkit_port_gid(const struct madkit_port_info *info, unsigned int index, const struct madkit_limit *limit,
		    uint8_t gid[16])
{
	uint64_t words[2] = { 0 };
	char text[64];
	int ret;

	if (!info || !gid)
		return -EINVAL;
	ret = port_table_entry(info, "gids", index, limit, text, sizeof(text));
	if (ret)
		return ret;
	if (sysfs_words(text, 8, words))
		return -ENOENT;
	put_be64(gid, words[0]);
	put_be64(gid + 8, words[1]);
	return 0;
}

int madkit_port_pkey_index(const struct madkit_port_info *info, uint16_t pkey,
			   const struct madkit_limit *limit, uint16_t *index)
{
	const uint16_t full = 0x8000;
	char text[64];
	int ret = -ENOENT, failed;
	uint64_t v;

	if (!info || !index)
		return -EINVAL;
	for (unsigned int i = 0; i <= UINT16_MAX; i++) {
		failed = port_table_entry(info, "pkeys", i, limit, text, sizeof(text));
		if (failed && failed != -ENOENT)
			return failed;
		if (failed || sysfs_number(text, UINT16_MAX, &v))
			break;
		if (((v ^ pkey) & ~(uint64_t)full) || (!ret && !(v & full)))
			continue;
		*index = (uint16_t)i;
		ret = 0;
		if (v & full)
			break;
	}
	return ret;
}

int madkit_port_pkey_count(const struct madkit_port_info *info, const struct madkit_limit *limit,
			   unsigned int *count)
{
	unsigned int low = 0, high = UINT16_MAX + 1;
	char text[64];
	int ret;

	if (!info || !count)
		return -EINVAL;
	/* entries below low exist, and entries from high on do not */
	while (low < high) {
		unsigned int middle = (low + high) / 2;

		ret = port_table_entry(info, "pkeys", middle, limit, text, sizeof(text));
		if (ret && ret != -ENOENT)
			return ret;
		if (ret)
			high = middle;
		else
			low = middle + 1;
	}
	*count = low;
	return low ? 0 : -ENOENT;
}
