/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The formats in which users write numbers, LIDs, GUIDs, GIDs and paths. */
#include <errno.h>
#include <madkit/addr.h>
#include "tests/tap.h"
#include "util/array_size.h"

static const struct {
	const char *text;
	uint64_t max;
	int ret;
	uint64_t value;
	int position;
} numbers[] = {
	{ "0", 9, 0, 0, 0 },
	{ "18446744073709551615", UINT64_MAX, 0, UINT64_MAX, 0 },
	{ "18446744073709551616", UINT64_MAX, -ERANGE, 0, 0 },
	{ "0xffffffffffffffff", UINT64_MAX, 0, UINT64_MAX, 0 },
	{ "0x10000000000000000", UINT64_MAX, -ERANGE, 0, 0 },
	{ "0XfF", 255, 0, 255, 0 },
	{ "256", 255, -ERANGE, 0, 0 },
	{ "010", 255, 0, 10, 0 },
	{ "", 255, -EINVAL, 0, 0 },
	{ "0x", 255, -EINVAL, 0, 1 },
	{ "0x1zz", 0xffff, -EINVAL, 0, 3 },
	{ "1f", 255, -EINVAL, 0, 1 },
	{ "-1", 255, -EINVAL, 0, 0 },
	{ "+1", 255, -EINVAL, 0, 0 },
	{ " 1", 255, -EINVAL, 0, 0 },
	{ "1 ", 255, -EINVAL, 0, 1 },
};

static const struct {
	const char *text;
	int ret;
	uint64_t guid;
} guids[] = {
	{ "0x0002c90300000001", 0, 0x0002c90300000001 },
	{ "0002c90300000001", 0, 0x0002c90300000001 },
	{ "0xF", 0, 15 },
	{ "0XF", 0, 15 },
	{ "10", -EINVAL, 0 },
	{ "002c90300000001", -EINVAL, 0 },
	{ "00002c90300000001", -ERANGE, 0 },
	{ "0x0002c903000000011", -ERANGE, 0 },
	{ "0x", -EINVAL, 0 },
	{ "", -EINVAL, 0 },
	{ "0x12g4", -EINVAL, 0 },
};

/* clang-format off */
static const struct {
	const char *text;
	int ret;
	unsigned int hops;
} paths[] = {
	{ "0", 0, 0 },
	{ "0,1", 0, 1 },
	{ "0,1,254,3", 0, 3 },
	{ "1,2", -EINVAL, 0 },
	{ "0,0", -EINVAL, 0 },
	{ "0,", -EINVAL, 0 },
	{ ",1", -EINVAL, 0 },
	{ "", -EINVAL, 0 },
	{ "0,255", -ERANGE, 0 },
	{ "0,x", -EINVAL, 0 },
	{ "0,1 ", -EINVAL, 0 },
};
/* clang-format on */

int main(void)
{
	struct madkit_error error;
	struct madkit_addr addr;
	char text[1024] = "0";
	uint8_t gid[16];
	char gid_text[MADKIT_GID_TEXT_MAX];
	char out[MADKIT_PATH_TEXT_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		uint64_t value = 0;
		int ret = madkit_parse_number(numbers[i].text, strlen(numbers[i].text), numbers[i].max,
					      "word", &value, &error);

		is_int(ret, numbers[i].ret, "number '%s'", numbers[i].text);
		is_u64(value, numbers[i].value, "  its value");
		if (ret)
			is_int(error.position, numbers[i].position, "  where it went wrong");
	}
	for (size_t i = 0; i < ARRAY_SIZE(guids); i++) {
		uint64_t guid = 0;

		is_int(madkit_parse_guid(guids[i].text, &guid, &error), guids[i].ret, "GUID '%s'",
		       guids[i].text);
		is_u64(guid, guids[i].guid, "  its value");
	}
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		memset(&addr, 0, sizeof(addr));
		is_int(madkit_parse_path(paths[i].text, &addr, &error), paths[i].ret, "path '%s'",
		       paths[i].text);
		if (paths[i].ret) {
			ok(!addr.direct, "  nothing was set");
			continue;
		}
		is_u64(addr.hops, paths[i].hops, "  its hops");
		is_str(madkit_path_text(&addr, out), paths[i].text, "  its text is what was read");
	}
	for (int i = 0; i < MADKIT_HOPS_MAX; i++)
		strcat(text, ",254");
	is_int(madkit_parse_path(text, &addr, &error), 0, "63 hops");
	is_str(madkit_path_text(&addr, out), text, "  come back");
	strcat(text, ",1");
	is_int(madkit_parse_path(text, &addr, &error), -ERANGE, "64 hops are refused");

	is_int(madkit_parse_gid("fe80::2:c903:0:1", gid, &error), 0, "a GID");
	is_u64(gid[0], 0xfe, "  begins with fe");
	is_u64(gid[15], 1, "  ends with 1");
	madkit_gid_put(gid, UINT64_C(0xfe80000000000000), UINT64_C(0x0002c90300000001));
	is_str(madkit_gid_text(gid, gid_text), "fe80::2:c903:0:1", "a GID of a prefix and a GUID");
	is_int(madkit_parse_gid("fe80::g", gid, &error), -EINVAL, "no GID");
	uint32_t lid = 0;
	is_int(madkit_parse_lid("0x1zz", &lid, &error), -EINVAL, "LID 0x1zz");
	is_str(error.text, "LID '0x1zz' is not a number", "  in words");
	is_int(madkit_parse_lid("65536", &lid, &error), -ERANGE, "LID 65536");
	is_int(madkit_parse_lid("\x1b[31m", &lid, &error), -EINVAL, "an escape sequence");
	is_str(error.text, "LID '\\x1b[31m' is not a number", "  does not reach the terminal");
	return tap_done();
}
