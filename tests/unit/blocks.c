/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Blocks of tables, counted by hand from the sizes in the IBA specification (volume 1, chapter 14). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/constants.h>
#include <madkit/mad.h>
#include <madkit/registry.h>
#include "../tap.h"
#include "util/array_size.h"

enum { BLOCKS_ROOM = 64, BLOCKS_UNKNOWN = -1 };

/* The node of a test: each field that a table depends on. */
struct blocks_truth {
	int partitions, enforced, guids, low, high, linear, random, multicast_top, multicast;
	int enhanced;
};

static int blocks_truth_of(const struct blocks_truth *t, const char *field)
{
	const struct {
		const char *field;
		int value;
	} fields[] = {
		{ "PartCap", t->partitions },    { "PartEnforceCap", t->enforced },
		{ "GuidCap", t->guids },         { "VLArbLowCap", t->low },
		{ "VLArbHighCap", t->high },     { "LinearFdbTop", t->linear },
		{ "RandomFdbCap", t->random },   { "MulticastFDBTop", t->multicast_top },
		{ "McastFdbCap", t->multicast }, { "EnhancedPort0", t->enhanced },
	};

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (!strcmp(fields[i].field, field))
			return fields[i].value;
	return -EINVAL;
}

static int blocks_truth_value(void *context, const char *attribute, const char *field, unsigned int port,
			      uint64_t *value)
{
	const int known = blocks_truth_of(context, field);

	(void)attribute;
	(void)port;
	*value = (uint64_t)known;
	return known == BLOCKS_UNKNOWN ? 1 : known < 0 ? known : 0;
}

static const struct madkit_instances *blocks_instances(uint16_t id)
{
	return madkit_attribute_get(MADKIT_BASE_VERSION_IB, MADKIT_CLASS_SUBN_DR, id)->instances;
}

/* Checks the list of a port. unknown: as in the list. */
static void blocks_check(uint16_t id, struct blocks_truth truth, bool is_switch, unsigned int port,
			 const uint32_t *expected, size_t n, bool unknown, const char *what)
{
	const struct madkit_blocks_node node = {
		.is_switch = is_switch, .nports = 36, .value = blocks_truth_value, .context = &truth
	};
	uint32_t modifiers[BLOCKS_ROOM];
	struct madkit_blocks_list list = { .modifiers = modifiers, .max = BLOCKS_ROOM };
	struct madkit_blocks_list counted = { .modifiers = NULL };

	const uint32_t base = madkit_blocks_base(blocks_instances(id), is_switch, port);

	is_u64((uint64_t)madkit_blocks_all(blocks_instances(id), &node, port, base, &list), 0, "%s", what);
	is_u64(list.n, n, "... the number of blocks");
	is_mem(modifiers, expected, n * sizeof(*expected), "... their modifiers");
	ok(list.unknown == unknown, "... the number is %sknown", unknown ? "not " : "");
	madkit_blocks_all(blocks_instances(id), &node, port, base, &counted);
	is_u64(counted.n, n, "... and they are counted without a list");
}

#define CHECK(id, is_switch, port, unknown, what, truth, ...) \
	blocks_check(id, (struct blocks_truth)truth, is_switch, port, (const uint32_t[]){ __VA_ARGS__ }, \
		     sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t), unknown, what)
#define KNOWS(...) \
	{ \
		__VA_ARGS__ \
	}

static void blocks_tables(void)
{
	CHECK(MADKIT_ATTR_LINEAR_FORWARDING_TABLE, true, 0, false, "LIDs 0 to 63 are in one block",
	      KNOWS(.linear = 63), 0);
	CHECK(MADKIT_ATTR_LINEAR_FORWARDING_TABLE, true, 0, false, "LID 64 is in the second block",
	      KNOWS(.linear = 64), 0, 1);
	CHECK(MADKIT_ATTR_LINEAR_FORWARDING_TABLE, true, 0, true, "an unknown number of blocks",
	      KNOWS(.linear = BLOCKS_UNKNOWN), 0, 1);
	CHECK(MADKIT_ATTR_GUID_INFO, false, 1, false, "9 GUIDs in blocks of 8", KNOWS(.guids = 9), 0, 1);
	CHECK(MADKIT_ATTR_P_KEY_TABLE, false, 1, false, "a CA has no port in the modifier",
	      KNOWS(.partitions = 64), 0, 1);
	CHECK(MADKIT_ATTR_P_KEY_TABLE, true, 3, false, "an external port has the size of SwitchInfo",
	      KNOWS(.partitions = 64, .enforced = 8), 3 << 16);
	CHECK(MADKIT_ATTR_P_KEY_TABLE, true, 0, false, "port 0 has the size of NodeInfo",
	      KNOWS(.partitions = 64, .enforced = 8), 0, 1);
	CHECK(MADKIT_ATTR_VL_ARBITRATION_TABLE, true, 2, false,
	      "low priority in blocks 1 and 2, high in 3 and 4", KNOWS(.low = 8, .high = 64), 2 | 1 << 16,
	      2 | 3 << 16, 2 | 4 << 16);
	CHECK(MADKIT_ATTR_VL_ARBITRATION_TABLE, true, 2, true,
	      "each run of an unknown size has its first block",
	      KNOWS(.low = BLOCKS_UNKNOWN, .high = BLOCKS_UNKNOWN), 2 | 1 << 16, 2 | 3 << 16, 2 | 2 << 16);
	CHECK(MADKIT_ATTR_MULTICAST_FORWARDING_TABLE, true, 0, false, "36 ports have three positions",
	      KNOWS(.multicast_top = 0xc01f), 0, 1u << 28, 2u << 28);
	CHECK(MADKIT_ATTR_MULTICAST_FORWARDING_TABLE, true, 0, false, "a top of 0 is not a top",
	      KNOWS(.multicast = 33), 0, 1, 1u << 28, 1u << 28 | 1, 2u << 28, 2u << 28 | 1);
	CHECK(MADKIT_ATTR_SL_TO_VL_MAPPING_TABLE, false, 1, false, "a CA has one SL to VL table",
	      KNOWS(.guids = 0), 0);
}

static void blocks_failures(void)
{
	struct blocks_truth truth = { .linear = 64, .guids = -EIO };
	const struct madkit_blocks_node node = { .nports = 36,
						 .value = blocks_truth_value,
						 .context = &truth };
	const struct madkit_blocks_node leaf = {
		.is_switch = true, .nports = 36, .value = blocks_truth_value, .context = &truth
	};
	uint32_t modifiers[1];
	struct madkit_blocks_list list = { .modifiers = modifiers, .max = 1 };
	unsigned int first, last;

	ok(madkit_blocks_all(blocks_instances(MADKIT_ATTR_LINEAR_FORWARDING_TABLE), &node, 1, 0, &list) ==
		   -ENOENT,
	   "a CA has no forwarding table");
	ok(madkit_blocks_all(blocks_instances(MADKIT_ATTR_GUID_INFO), &node, 1, 0, &list) == -EIO,
	   "an error ends the list");
	ok(madkit_blocks_all(blocks_instances(MADKIT_ATTR_LINEAR_FORWARDING_TABLE), &leaf, 0, 0, &list) ==
			   -E2BIG &&
		   list.n == 1,
	   "a full list is an error");
	ok(!madkit_blocks_ports(blocks_instances(MADKIT_ATTR_P_KEY_TABLE), &node, &first, &last) && !first &&
		   !last,
	   "a CA has one PKeyTable");
	ok(!madkit_blocks_ports(blocks_instances(MADKIT_ATTR_P_KEY_TABLE), &leaf, &first, &last) && !first &&
		   last == 36,
	   "a switch has one for each port, from 0 on");
	ok(!madkit_blocks_ports(blocks_instances(MADKIT_ATTR_VL_ARBITRATION_TABLE), &leaf, &first, &last) &&
		   first == 1,
	   "a base port 0 has no VLs");
	truth.enhanced = 1;
	ok(!madkit_blocks_ports(blocks_instances(MADKIT_ATTR_VL_ARBITRATION_TABLE), &leaf, &first, &last) &&
		   !first,
	   "an enhanced port 0 has");
	ok(!madkit_blocks_ports(blocks_instances(MADKIT_ATTR_LINEAR_FORWARDING_TABLE), &leaf, &first,
				&last) &&
		   !first && !last,
	   "a switch has one forwarding table");
}

int main(void)
{
	blocks_tables();
	blocks_failures();
	return tap_done();
}
