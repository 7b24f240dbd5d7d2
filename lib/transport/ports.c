/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The umad ports of this machine, read from sysfs file by file: libibumad's
 * umad_get_ca() fails for a whole adapter if it cannot read one port, and
 * supports at most ten ports. Only open, read, close and opendir are used,
 * because a preloaded simulator intercepts these.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "transport/choose.h"
#include "transport/sysfs.h"
#include "util/array.h"
#include "util/array_size.h"
#include "wire/tables/values.h"

#define SYS_UMAD "/sys/class/infiniband_mad"
#define SYS_CA   "/sys/class/infiniband"
#define DEV_DIR  "/dev/infiniband"

/* Reads a file of at most size - 1 bytes and cuts it at its first newline. Returns 0 with a NUL-terminated
 * text, or -errno. */
static int ports_read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return errno ? -errno : -EIO;
	do
		n = read(fd, text, size - 1);
	while (n < 0 && errno == EINTR);
	int err = n < 0 ? -errno : 0;

	close(fd);
	if (err)
		return err;
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return 0;
}

bool sysfs_exhausted(int ret)
{
	return ret == -EMFILE || ret == -ENFILE || ret == -ENOMEM;
}

int sysfs_umad_loaded(void)
{
	char text[32];

	return ports_read_file(SYS_UMAD "/abi_version", text, sizeof(text));
}

int sysfs_number(const char *text, uint64_t max, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	return end == text || errno || *value > max ? -EINVAL : 0;
}

/* Reads text from a file; characters that cannot be printed become '?'. Returns 0, or -errno with an empty
 * text. */
static int read_text(const char *dir, const char *name, char *text, size_t size)
{
	char path[256];
	int ret = -ENAMETOOLONG;

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) < (int)sizeof(path))
		ret = ports_read_file(path, text, size);
	if (ret)
		text[0] = '\0';
	for (char *p = text; *p; p++)
		if (!isprint((unsigned char)*p))
			*p = '?';
	return ret;
}

/* The same for a file that not every driver has. */
static int read_optional(const char *dir, const char *name, char *text, size_t size)
{
	int ret = read_text(dir, name, text, size);

	return ret == -ENOENT ? 0 : ret;
}

static int ports_read_number(const char *dir, const char *name, uint64_t max, uint64_t *value)
{
	char text[128];
	int ret = read_text(dir, name, text, sizeof(text));

	return ret ? ret : sysfs_number(text, max, value);
}

int sysfs_words(const char *text, unsigned int n, uint64_t *words)
{
	const char *p = text;
	char *end;

	for (unsigned int i = 0; i < n; i++) {
		unsigned long word = strtoul(p, &end, 16);

		if (end == p || word > 0xffff || *end != (i + 1 < n ? ':' : '\0'))
			return -EINVAL;
		words[i / 4] = words[i / 4] << 16 | word;
		p = end + 1;
	}
	return 0;
}

static int read_words(const char *dir, const char *name, unsigned int n, uint64_t *words)
{
	char text[64];
	int ret = read_text(dir, name, text, sizeof(text));

	return ret ? ret : sysfs_words(text, n, words);
}

/* Reads a rate such as "2.5 Gb/sec (1X SDR)". */
static int ports_read_rate(const char *dir, struct madkit_port_info *info)
{
	char text[128], *point;
	uint64_t whole;
	int ret = read_text(dir, "rate", text, sizeof(text));

	if (!ret)
		ret = sysfs_number(text, UINT32_MAX, &whole);
	if (ret)
		return ret;
	info->rate = (uint32_t)whole;
	point = text + strspn(text, "0123456789");
	if (*point == '.' && isdigit((unsigned char)point[1]))
		info->rate_tenths = (uint8_t)(point[1] - '0');
	return 0;
}

int sysfs_port_identity(unsigned int id, struct madkit_port_info *info)
{
	char dir[192];
	uint64_t v;
	int ret;

	memset(info, 0, sizeof(*info));
	snprintf(dir, sizeof(dir), SYS_UMAD "/umad%u", id);
	ret = read_text(dir, "ibdev", info->ca, sizeof(info->ca));
	if (sysfs_exhausted(ret))
		return ret;
	if (!info->ca[0] || strchr(info->ca, '/'))
		return -EINVAL;
	ret = ports_read_number(dir, "port", 255, &v);
	if (!ret)
		info->port = (unsigned int)v;
	return ret;
}

static int read_gid(const char *dir, struct madkit_port_info *info)
{
	uint64_t gid[2] = { 0 };
	int ret = read_words(dir, "gids/0", 8, gid);

	if (ret)
		return ret;
	info->gid_prefix = gid[0];
	info->port_guid = gid[1];
	return 0;
}

static int read_link_layer(const char *dir, struct madkit_port_info *info)
{
	char layer[32];
	int ret = read_text(dir, "link_layer", layer, sizeof(layer));

	/* kernels before 2.6.37 support only InfiniBand and have no such file */
	if (ret == -ENOENT || (!ret && (!strcmp(layer, "InfiniBand") || !strcmp(layer, "IB"))))
		info->link_layer = MADKIT_LINK_INFINIBAND;
	else if (!ret && !strcmp(layer, "Ethernet"))
		info->link_layer = MADKIT_LINK_ETHERNET;
	return ret == -ENOENT ? 0 : ret;
}

/* Records that a member could not be read. Returns 0, or -errno if no other member can be read either. */
static int port_unread(struct madkit_port_info *info, uint32_t bit, int ret, bool *vanished)
{
	if (!ret || sysfs_exhausted(ret))
		return ret;
	if (!info->unread)
		info->unread_error = ret;
	info->unread |= bit;
	*vanished |= ret == -ENOENT || ret == -ENODEV;
	return 0;
}

/* The members of a port that are numbers of type uint8_t or uint32_t. */
static const struct {
	const char *file;
	uint32_t bit, max;
	size_t at, size;
} port_numbers[] = {
#define PORT_NUMBER(file, bit, max, member) \
	{ \
		file, bit, max, offsetof(struct madkit_port_info, member), \
			sizeof(((struct madkit_port_info *)0)->member) \
	}
	PORT_NUMBER("phys_state", MADKIT_PORT_PHYS_STATE, UINT8_MAX, phys_state),
	PORT_NUMBER("lid", MADKIT_PORT_LID, UINT32_MAX, lid),
	PORT_NUMBER("lid_mask_count", MADKIT_PORT_LMC, 7, lmc),
	PORT_NUMBER("sm_lid", MADKIT_PORT_SM_LID, UINT32_MAX, sm_lid),
	PORT_NUMBER("sm_sl", MADKIT_PORT_SM_SL, 15, sm_sl),
	PORT_NUMBER("cap_mask", MADKIT_PORT_CAP_MASK, UINT32_MAX, cap_mask),
#undef PORT_NUMBER
};

static int read_port_numbers(const char *dir, struct madkit_port_info *info, bool *vanished)
{
	for (size_t i = 0; i < ARRAY_SIZE(port_numbers); i++) {
		void *member = (char *)info + port_numbers[i].at;
		uint64_t v = 0;
		int ret = ports_read_number(dir, port_numbers[i].file, port_numbers[i].max, &v);

		if (!ret && port_numbers[i].size == sizeof(uint8_t))
			*(uint8_t *)member = (uint8_t)v;
		else if (!ret)
			*(uint32_t *)member = (uint32_t)v;
		ret = port_unread(info, port_numbers[i].bit, ret, vanished);
		if (ret)
			return ret;
	}
	return 0;
}

/* Checks that the umad device still belongs to the port, and that the port has a state. Returns 0 or
 * -errno. */
static int port_is_there(unsigned int id, const char *dir, const struct madkit_port_info *info)
{
	struct madkit_port_info now;
	uint64_t state;
	int ret = sysfs_port_identity(id, &now);

	if (!ret && (strcmp(now.ca, info->ca) || now.port != info->port))
		ret = -ENODEV;
	return ret ? ret : ports_read_number(dir, "state", UINT8_MAX, &state);
}

/* A port without QP0 may have no issm device. Other ports are not checked. */
static void ports_check_issm(unsigned int id, struct madkit_port_info *info)
{
	char dir[64], ca[64];

	if (info->link_layer == MADKIT_LINK_INFINIBAND && !(info->cap_mask & CAP_MASK_SM_DISABLED))
		return;
	snprintf(dir, sizeof(dir), SYS_UMAD "/issm%u", id);
	if (read_text(dir, "ibdev", ca, sizeof(ca)) == -ENOENT)
		info->issm_path[0] = '\0';
}

int sysfs_port(unsigned int id, struct madkit_port_info *info)
{
	char ca[192], dir[192];
	bool vanished = false;
	uint64_t v;
	int ret = sysfs_port_identity(id, info);

	if (ret)
		return ret;
	snprintf(info->device, sizeof(info->device), "umad:%s/%u", info->ca, info->port);
	snprintf(info->umad_path, sizeof(info->umad_path), DEV_DIR "/umad%u", id);
	snprintf(info->issm_path, sizeof(info->issm_path), DEV_DIR "/issm%u", id);
	snprintf(ca, sizeof(ca), SYS_CA "/%s", info->ca);
	snprintf(dir, sizeof(dir), SYS_CA "/%s/ports/%u", info->ca, info->port);

	/* a directory without a state is not a port */
	ret = ports_read_number(dir, "state", UINT8_MAX, &v);
	if (ret)
		return ret;
	info->state = (uint8_t)v;
	v = 0;
	ret = read_words(ca, "node_guid", 4, &v);
	if (!ret)
		info->node_guid = v;
	ret = port_unread(info, MADKIT_PORT_NODE_GUID, ret, &vanished);
	if (!ret)
		ret = read_optional(ca, "hca_type", info->ca_type, sizeof(info->ca_type));
	ret = port_unread(info, MADKIT_PORT_CA_TYPE, ret, &vanished);
	if (!ret)
		ret = read_optional(ca, "fw_ver", info->firmware, sizeof(info->firmware));
	ret = port_unread(info, MADKIT_PORT_FIRMWARE, ret, &vanished);
	if (!ret)
		ret = read_port_numbers(dir, info, &vanished);
	if (!ret)
		ret = port_unread(info, MADKIT_PORT_RATE, ports_read_rate(dir, info), &vanished);
	if (!ret)
		ret = port_unread(info, MADKIT_PORT_GID, read_gid(dir, info), &vanished);
	if (!ret)
		ret = port_unread(info, MADKIT_PORT_LINK_LAYER, read_link_layer(dir, info), &vanished);
	if (!ret)
		ports_check_issm(id, info);
	return ret || !vanished ? ret : port_is_there(id, dir, info);
}

int sysfs_entry(const struct madkit_port_info *info, const char *table, unsigned int index,
		const struct madkit_limit *limit, char *text, size_t size)
{
	char path[192];

	(void)limit; /* the kernel responds at once */
	if (snprintf(path, sizeof(path), SYS_CA "/%s/ports/%u/%s/%u", info->ca, info->port, table, index) >=
	    (int)sizeof(path))
		return -ENOENT;
	return ports_read_file(path, text, size) ? -ENOENT : 0;
}

static int ports_by_name(const void *a, const void *b)
{
	const struct madkit_port_info *x = a, *y = b;
	int order = strcmp(x->ca, y->ca);

	return order ? order : (x->port > y->port) - (x->port < y->port);
}

/* Parses "umad12": 12. */
static bool umad_number(const char *name, unsigned int *id)
{
	char *end;

	if (strncmp(name, "umad", 4) || !isdigit((unsigned char)name[4]))
		return false;
	unsigned long v = strtoul(name + 4, &end, 10);

	*id = (unsigned int)v;
	return !*end && v < 100000;
}

unsigned int sysfs_umad_id(const struct madkit_port_info *info)
{
	unsigned int id = 0;

	umad_number(info->umad_path + strlen(DEV_DIR "/"), &id);
	return id;
}

int madkit_ports_list(struct madkit_port_info **ports, size_t *count, size_t *skipped)
{
	struct madkit_port_info *list = NULL;
	size_t n = 0, bad = 0;
	uint32_t cap = 0;
	struct dirent *entry;
	int ret = 0;
	DIR *dir;

	if (!ports || !count)
		return -EINVAL;
	dir = opendir(SYS_UMAD);
	if (!dir && errno != ENOENT)
		return errno ? -errno : -EIO;
	while (dir && (entry = readdir(dir))) {
		unsigned int id;

		if (!umad_number(entry->d_name, &id))
			continue;
		ret = array_room(&list, &cap, n, 1, sizeof(*list));
		if (!ret)
			ret = sysfs_port(id, &list[n]);
		if (sysfs_exhausted(ret))
			break;
		if (ret)
			bad++;
		else
			n++;
		ret = 0;
	}
	if (dir)
		closedir(dir);
	if (ret) {
		free(list);
		return ret;
	}
	if (n)
		qsort(list, n, sizeof(*list), ports_by_name);
	*ports = list;
	*count = n;
	if (skipped)
		*skipped = bad;
	return 0;
}

const char *madkit_port_state_name(uint8_t state)
{
	return state ? madkit_value_name(madkit_values_port_state, state) : NULL;
}

void madkit_ports_free(struct madkit_port_info *ports)
{
	free(ports);
}
