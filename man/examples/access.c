/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* access: write and read the fields of a PathRecord by constants, and compute its ComponentMask. */
#include <madkit/madkit.h>
#include <inttypes.h>
#include <stdio.h>

int main(void)
{
	const uint8_t gid[16] = { 0xfe, 0x80, [15] = 7 };
	uint64_t mask = madkit_component(MADKIT_PATH_RECORD_DGID) |
			madkit_component(MADKIT_PATH_RECORD_NUMB_PATH);
	char text[MADKIT_GID_TEXT_MAX];
	uint8_t data[64] = { 0 }, read[16];
	uint64_t paths;

	if (madkit_put_bytes(data, sizeof(data), MADKIT_PATH_RECORD_DGID, gid,
			     sizeof(gid)) ||
	    madkit_put(data, sizeof(data), MADKIT_PATH_RECORD_NUMB_PATH, 1) ||
	    madkit_get_bytes(data, sizeof(data), MADKIT_PATH_RECORD_DGID, read,
			     sizeof(read)) ||
	    madkit_get(data, sizeof(data), MADKIT_PATH_RECORD_NUMB_PATH, &paths))
		return 1;
	printf("attribute 0x%04x, ComponentMask 0x%" PRIx64 "\n", MADKIT_ATTR_PATH_RECORD,
	       mask);
	printf("%" PRIu64 " path to %s\n", paths, madkit_gid_text(read, text));
	printf("128 paths: error %d\n",
	       madkit_put(data, sizeof(data), MADKIT_PATH_RECORD_NUMB_PATH, 128));
	return 0;
}
