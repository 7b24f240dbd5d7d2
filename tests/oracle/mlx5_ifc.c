/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Our tables of registers against the structures of the kernel's mlx5_ifc.h, in which each bit is a byte: the position
 * and the width of every member. A member has our field of the same name, or is in one of the lists below. Each field
 * that names the source "L" has a member, and no other field has one.
 *
 * Linux 6.1, which Debian 12 has, lacks some members. The numbers in mlx5_newer are those of Linux 7.2.13; a header that
 * has these members is compared with them.
 */
#include <ctype.h>
#include <madkit/field.h>
#include <madkit/registry.h>
#include <stddef.h>
#include "../tap.h"
#include "util/array_size.h"

typedef uint8_t u8;

#include "tests/oracle/mlx5_ifc.h"

/* bits of a MAD's data before the register */
#define BLOCK_BITS   32
#define ELEMENTS_MAX 96

struct member {
	const char *structure, *name;
	uint32_t offset, width;
};

#define HAVE(s, m) \
	{ #s, #m, offsetof(struct mlx5_ifc_##s##_bits, m), sizeof(((struct mlx5_ifc_##s##_bits *)0)->m) },
static const struct member mlx5_members[] = { MLX5_FIELDS(HAVE) };

static const struct member mlx5_newer[] = {
	{ "ppcnt_reg", "plane_ind", 52, 4 },
	{ "ptys_reg", "plane_ind", 24, 4 },
	{ "ptys_reg", "lane_rate_oper", 360, 20 },
	{ "phys_layer_recovery_cntrs", "total_successful_recovery_events", 0, 32 },
	{ "rs_histogram_cntrs", "hist", 0, 1024 },
	{ "mtcap_reg", "sensor_count", 25, 7 },
	{ "mtcap_reg", "sensor_map", 64, 64 },
	{ "mtmp_reg", "sensor_index", 20, 12 },
	{ "mtmp_reg", "temperature", 48, 16 },
	{ "mtmp_reg", "mte", 64, 1 },
	{ "mtmp_reg", "mtr", 65, 1 },
	{ "mtmp_reg", "max_temperature", 80, 16 },
	{ "mtmp_reg", "tee", 96, 2 },
	{ "mtmp_reg", "temp_threshold_hi", 112, 16 },
	{ "mtmp_reg", "temp_threshold_lo", 144, 16 },
	{ "mtmp_reg", "sensor_name_hi", 192, 32 },
	{ "mtmp_reg", "sensor_name_lo", 224, 32 },
};

/* A register, or a part of it that begins at a bit. */
struct part {
	const char *attribute, *structure;
	uint32_t offset;
};

#define PAGE_DATA   offsetof(struct mlx5_ifc_pddr_reg_bits, page_data)
#define COUNTER_SET offsetof(struct mlx5_ifc_ppcnt_reg_bits, counter_set)
#define OPCODE      offsetof(struct mlx5_ifc_pddr_troubleshooting_page_bits, status_opcode)
#define LANE(n)     offsetof(struct mlx5_ifc_pmlp_reg_bits, lane##n##_module_mapping)
static const struct part mlx5_parts[] = {
	{ "PhyOperation", "pddr_reg", 0 },
	{ "LinkDiagnosis", "pddr_reg", 0 },
	{ "LinkDiagnosis", "pddr_troubleshooting_page", PAGE_DATA },
	{ "LinkDiagnosis", "pddr_monitor_opcode", PAGE_DATA + OPCODE },
	{ "ModuleInfo", "pddr_reg", 0 },
	{ "LinkDownInfo", "pddr_reg", 0 },
	{ "PhyCounters", "ppcnt_reg", 0 },
	{ "PhyCounters", "phys_layer_cntrs", COUNTER_SET },
	{ "BitErrors", "ppcnt_reg", 0 },
	{ "BitErrors", "phys_layer_statistical_cntrs", COUNTER_SET },
	{ "RecoveryCounters", "ppcnt_reg", 0 },
	{ "RecoveryCounters", "phys_layer_recovery_cntrs", COUNTER_SET },
	{ "RegisterPortCounters", "ppcnt_reg", 0 },
	{ "RegisterPortCounters", "ib_port_cntrs_grp_data_layout", COUNTER_SET },
	{ "PlrCounters", "ppcnt_reg", 0 },
	{ "FecHistogram", "ppcnt_reg", 0 },
	{ "FecHistogram", "rs_histogram_cntrs", COUNTER_SET },
	{ "PortMapping", "plib_reg", 0 },
	{ "LinkModes", "ptys_reg", 0 },
	{ "LaneMapping", "pmlp_reg", 0 },
	{ "LaneMapping", "lane_2_module_mapping", LANE(0) },
	{ "LaneMapping", "lane_2_module_mapping", LANE(1) },
	{ "LaneMapping", "lane_2_module_mapping", LANE(2) },
	{ "LaneMapping", "lane_2_module_mapping", LANE(3) },
	{ "ModuleState", "pmaos_reg", 0 },
	{ "SensorList", "mtcap_reg", 0 },
	{ "Sensor", "mtmp_reg", 0 },
};

/* ---- known differences ----------------------------------------------------------------- */

/* Members that we do not have: no named field may have a bit of them. */
static const struct left_out {
	const char *structure, *name, *reason;
} mlx5_left_out[] = {
	{ "ppcnt_reg", "clr", "clears, on a Get too" },
	{ "mtmp_reg", "mte", "enables the recording of the maximum" },
	{ "mtmp_reg", "mtr", "resets the maximum" },
	{ "mtmp_reg", "tee", "enables events" },
	{ "pmaos_reg", "admin_status", "disables the module" },
	{ "pmaos_reg", "ase", "permits admin_status to be changed" },
	{ "pmaos_reg", "ee", "permits e to be changed" },
	{ "pmaos_reg", "e", "enables events" },
	{ "pmlp_reg", "rxtx", "Tx and Rx of a lane always have fields" },
	{ "ptys_reg", "an_disable_admin", "Ethernet" },
	{ "ptys_reg", "an_disable_cap", "Ethernet" },
	{ "ptys_reg", "an_status", "Ethernet" },
	{ "ptys_reg", "ext_eth_proto_capability", "Ethernet" },
	{ "ptys_reg", "eth_proto_capability", "Ethernet" },
	{ "ptys_reg", "ext_eth_proto_admin", "Ethernet" },
	{ "ptys_reg", "eth_proto_admin", "Ethernet" },
	{ "ptys_reg", "ext_eth_proto_oper", "Ethernet" },
	{ "ptys_reg", "eth_proto_oper", "Ethernet" },
	{ "ptys_reg", "eth_proto_lp_advertise", "Ethernet" },
	{ "ptys_reg", "connector_type", "Ethernet" },
	{ "ptys_reg", "lane_rate_oper", "Ethernet" },
};

/* Members of another name than ours, or narrower: then ours has more bits before them, as mstflint has. */
static const struct renamed {
	const char *structure, *name, *ours;
	unsigned int width; /* of ours, if theirs is narrower */
} mlx5_renamed[] = {
	{ "pddr_troubleshooting_page", "status_message", "Message", 0 },
	{ "phys_layer_statistical_cntrs", "phy_corrected_bits_lane0", "RawErrorsLane0", 0 },
	{ "phys_layer_statistical_cntrs", "phy_corrected_bits_lane1", "RawErrorsLane1", 0 },
	{ "phys_layer_statistical_cntrs", "phy_corrected_bits_lane2", "RawErrorsLane2", 0 },
	{ "phys_layer_statistical_cntrs", "phy_corrected_bits_lane3", "RawErrorsLane3", 0 },
	/* two counters of four bits */
	{ "ib_port_cntrs_grp_data_layout", "link_overrun_errors", "LocalLinkIntegrityErrors", 0 },
	/* 16 counters; we have mstflint's 21 */
	{ "rs_histogram_cntrs", "hist", "Hist0", 0 },
	{ "plib_reg", "ib_port", "IBPort", 10 },
	/* 3 bits in Linux 6.1, 5 in 7.2 */
	{ "ppcnt_reg", "prio_tc", "PriorityTC", 5 },
	{ "mtmp_reg", "temp_threshold_hi", "ThresholdHigh", 0 },
	{ "mtmp_reg", "temp_threshold_lo", "ThresholdLow", 0 },
};

/* Elements of arrays from this number on are mstflint's alone. */
static const struct {
	const char *field;
	unsigned int from;
} mlx5_longer[] = {
	{ "RawErrorsLane", 4 },
	{ "Hist", 16 },
	{ "Lane", 4 },
};

/* ---- ours: the named elements of a layout ------------------------------------------------- */

struct element {
	char name[64], alias[64]; /* with the number of the element; the alias also without the array's */
	const struct madkit_field *field;
	const char *outer; /* the array of structures that it is in */
	unsigned int index;
	uint32_t offset;
	bool met;
};

struct elements {
	struct element all[ELEMENTS_MAX];
	unsigned int n;
	const char *outer;
	unsigned int outer_index;
};

static int element_add(void *context, const struct madkit_item *item)
{
	struct elements *e = (struct elements *)context;
	struct element *added = &e->all[e->n];
	char number[8] = "";

	if (item->event == MADKIT_WALK_ARRAY && item->field->kind == MADKIT_KIND_STRUCT)
		e->outer = item->field->name;
	if (item->event == MADKIT_WALK_ARRAY_END && item->field->kind == MADKIT_KIND_STRUCT)
		e->outer = NULL;
	if (item->event == MADKIT_WALK_STRUCT)
		e->outer_index = item->index;
	if (item->event != MADKIT_WALK_FIELD || item->field->kind == MADKIT_KIND_RESERVED ||
	    item->bit < BLOCK_BITS || e->n == ELEMENTS_MAX)
		return 0;
	if (item->field->count)
		snprintf(number, sizeof(number), "%u", item->index);
	snprintf(added->name, sizeof(added->name), "%s%s", item->field->name, number);
	snprintf(added->alias, sizeof(added->alias), "%s%s", item->field->alias ? item->field->alias : "",
		 number);
	added->field = item->field;
	added->outer = e->outer;
	added->index = e->outer ? e->outer_index : item->index;
	added->offset = item->bit - BLOCK_BITS;
	e->n++;
	return 0;
}

/* Compares names without underscores and case: PortRcvErrors is port_rcv_errors. b may be followed by a comma. */
static bool element_name_is(const char *a, const char *b)
{
	for (;; a++, b++) {
		while (*a == '_')
			a++;
		while (*b == '_')
			b++;
		if (!*a || !*b || *b == ',' || tolower((unsigned char)*a) != tolower((unsigned char)*b))
			return !*a && (!*b || *b == ',');
	}
}

static bool element_is(const struct element *e, const char *name)
{
	if (element_name_is(name, e->name) || element_name_is(name, e->alias))
		return true;
	for (const char *comma = strchr(e->alias, ','); comma; comma = strchr(comma + 1, ','))
		if (element_name_is(name, comma + 1))
			return true;
	return false;
}

static bool element_is_longer(const struct element *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(mlx5_longer); i++)
		if (!strcmp(mlx5_longer[i].field, e->outer ? e->outer : e->field->name))
			return e->index >= mlx5_longer[i].from;
	return false;
}

/* ---- theirs: members, the halves of one number joined ---------------------------------------- */

/* Checks if the name ends with the end, and removes it. */
static bool member_trim(char *name, const char *end)
{
	size_t len = strlen(name), n = strlen(end);

	if (len < n || strcmp(name + len - n, end))
		return false;
	name[len - n] = '\0';
	return true;
}

static bool member_is_left_out(const struct member *m)
{
	for (size_t i = 0; i < ARRAY_SIZE(mlx5_left_out); i++)
		if (!strcmp(mlx5_left_out[i].structure, m->structure) &&
		    !strcmp(mlx5_left_out[i].name, m->name))
			return true;
	return false;
}

static const struct renamed *member_renamed(const struct member *m)
{
	for (size_t i = 0; i < ARRAY_SIZE(mlx5_renamed); i++)
		if (!strcmp(mlx5_renamed[i].structure, m->structure) &&
		    !strcmp(mlx5_renamed[i].name, m->name))
			return &mlx5_renamed[i];
	return NULL;
}

/* Compares a member at that bit of the register with the elements that have its bits: they begin and end with it. */
static void member_compare(const char *attribute, struct elements *ours, const struct member *m, uint32_t at)
{
	const struct renamed *renamed = member_renamed(m);
	const char *name = renamed ? renamed->ours : m->name;
	uint32_t bit = at, end = at + m->width;
	const bool left_out = member_is_left_out(m);
	bool named = false, good = true;

	if (renamed && renamed->width)
		bit = end - renamed->width;
	for (unsigned int i = 0; i < ours->n; i++) {
		struct element *e = &ours->all[i];

		if (e->offset >= end || e->offset + e->field->width <= at)
			continue;
		named |= element_is(e, name);
		good &= !left_out && e->offset == bit;
		bit = e->offset + e->field->width;
		e->met = true;
	}
	if (left_out)
		ok(good, "%s has no bit of %s.%s", attribute, m->structure, m->name);
	else
		ok(good && named && bit == end, "%s: %s.%s", attribute, m->structure, m->name);
}

static void members_compare(const struct part *part, struct elements *ours, const struct member *members,
			    size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char name[64], low[64];
		struct member m = members[i];

		if (strcmp(m.structure, part->structure))
			continue;
		snprintf(name, sizeof(name), "%s", m.name);
		m.name = name;
		if (i + 1 < n && !strcmp(members[i + 1].structure, m.structure) &&
		    members[i + 1].offset == m.offset + m.width) {
			snprintf(low, sizeof(low), "%s", members[i + 1].name);
			if (member_trim(low, "_low") ? member_trim(name, "_high") :
						       member_trim(low, "_lo") && member_trim(name, "_hi"))
				m.width += members[++i].width;
		}
		/* lane_2_module_mapping has its bits */
		if (!strcmp(m.structure, "pmlp_reg") && strstr(name, "_module_mapping"))
			continue;
		member_compare(part->attribute, ours, &m, part->offset + m.offset);
	}
}

static const struct member *member_find(const struct member *wanted)
{
	for (size_t i = 0; i < ARRAY_SIZE(mlx5_members); i++)
		if (!strcmp(mlx5_members[i].structure, wanted->structure) &&
		    !strcmp(mlx5_members[i].name, wanted->name))
			return &mlx5_members[i];
	return NULL;
}

/* ---- the test ------------------------------------------------------------------------------ */

/* The header's members of 6.1, and those of mlx5_newer that it lacks. */
static size_t members_collect(struct member *all)
{
	size_t n = ARRAY_SIZE(mlx5_members), lacks = 0;

	memcpy(all, mlx5_members, sizeof(mlx5_members));
	for (size_t i = 0; i < ARRAY_SIZE(mlx5_newer); i++) {
		const struct member *newer = &mlx5_newer[i], *has = member_find(newer);

		if (has)
			ok(has->offset == newer->offset && has->width == newer->width,
			   "%s.%s is at bit %u, %u bits", newer->structure, newer->name, newer->offset,
			   newer->width);
		else {
			all[n++] = *newer;
			lacks++;
		}
	}
	printf("# this header lacks %zu of %zu members of Linux 7.2\n", lacks, ARRAY_SIZE(mlx5_newer));
	return n;
}

static void attribute_compare_members(const char *attribute, const struct member *members, size_t n)
{
	static uint8_t data[512];
	static struct elements ours;
	const struct madkit_attribute *a = NULL;
	const struct madkit_layout *layout;
	uint8_t class;
	uint16_t id;

	if (!ok(!madkit_attribute_find(attribute, -1, &class, &id, &a, NULL) && a, "%s is an attribute",
		attribute))
		return;
	layout = a->joined ? a->joined : a->layout;
	memset(&ours, 0, sizeof(ours));
	madkit_walk(layout, data, sizeof(data), element_add, &ours);
	ok(ours.n && ours.n < ELEMENTS_MAX, "%s has %u named fields", attribute, ours.n);
	for (size_t i = 0; i < ARRAY_SIZE(mlx5_parts); i++)
		if (!strcmp(mlx5_parts[i].attribute, attribute))
			members_compare(&mlx5_parts[i], &ours, members, n);
	for (unsigned int i = 0; i < ours.n; i++) {
		const struct element *e = &ours.all[i];
		const bool claims = e->field->sources && strchr(e->field->sources, 'L');

		ok(e->met == claims || (!e->met && claims && element_is_longer(e)),
		   "%s.%s%s names the kernel %s", attribute, e->outer ? "lanes." : "", e->name,
		   e->met ? "as a source" : "only if it has it");
	}
}

/* The first block of a register of two has the fields that all of it has, up to its end. */
static void attribute_compare_joined(const struct madkit_attribute *a)
{
	for (unsigned int i = 0; i < a->layout->nfields; i++) {
		const struct madkit_field *f = &a->layout->fields[i];
		bool same = f->kind == MADKIT_KIND_RESERVED;

		for (unsigned int k = 0; k < a->joined->nfields; k++) {
			const struct madkit_field *g = &a->joined->fields[k];

			same |= !strcmp(f->name, g->name) && f->offset == g->offset && f->kind == g->kind &&
				(f->width == g->width || f->offset + f->width == 8u * a->layout->bytes) &&
				!strcmp(f->sources ? f->sources : "-", g->sources ? g->sources : "-");
		}
		ok(same, "%s.%s is the same in two blocks", a->name, f->name);
	}
}

int main(void)
{
	static struct member members[ARRAY_SIZE(mlx5_members) + ARRAY_SIZE(mlx5_newer)];
	const size_t n = members_collect(members);
	const struct madkit_class *mlnx = madkit_class_get(0x0a);

	for (size_t i = 0; i < ARRAY_SIZE(mlx5_parts); i++)
		if (!i || strcmp(mlx5_parts[i].attribute, mlx5_parts[i - 1].attribute))
			attribute_compare_members(mlx5_parts[i].attribute, members, n);
	/* a register without a part here has no field from the kernel */
	array_each(const struct madkit_attribute, a, mlnx->attributes, mlnx->nattributes) {
		bool compared = a->id != 0x51;

		for (size_t i = 0; i < ARRAY_SIZE(mlx5_parts); i++)
			compared |= !strcmp(mlx5_parts[i].attribute, a->name);
		for (unsigned int i = 0; !compared && i < a->layout->nfields; i++)
			ok(!a->layout->fields[i].sources || !strchr(a->layout->fields[i].sources, 'L'),
			   "%s.%s does not name the kernel", a->name, a->layout->fields[i].name);
		if (a->joined)
			attribute_compare_joined(a);
	}
	return tap_done();
}
