/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The format of the tables: one line per field, one line per attribute.
 *
 * Fields are listed in the order of the output: the order of their offsets, or the order of libibmad's dumps if that
 * differs. Named and reserved fields together cover every bit of a layout once. A layout ends with its last field, so
 * that the layouts of SA records omit the padding to eight bytes (attribute->bytes includes it).
 */
#ifndef WIRE_TABLES_H
#define WIRE_TABLES_H

#include <madkit/registry.h>
#include "util/array_size.h"
#include "values.h"

#define FIELD(n, a, o, w, k, ...) \
	{ .name = n, .alias = a, .offset = o, .width = w, \
	  .kind = MADKIT_KIND_##k, ##__VA_ARGS__ }
#define RESERVED(n, o, w, ...) FIELD(n, NULL, o, w, RESERVED, ##__VA_ARGS__)

/* the arguments after the kind in a row */
#define COMPONENT(n)	.component = (n) + 1	/* component number in the SA's mask */
#define COMPONENTS(n)	.component = (n)	/* for a STRUCT: the first component number of its fields */
#define VALUES(list)	.values = madkit_values_##list
#define ARRAY(n)	.count = (n)
#define SUB(layout)	.sub = &madkit_layout_##layout
#define OCTETS4		.flags = MADKIT_FIELD_OCTETS4
#define ALTERNATIVES	.flags = MADKIT_FIELD_ALTERNATIVES
#define PLAIN		.flags = MADKIT_FIELD_PLAIN
#define ROWS		.flags = MADKIT_FIELD_ROWS
#define VARIABLE	.flags = MADKIT_FIELD_VARIABLE
#define COUNTED(bit, bits)	VARIABLE, .counted = (bit), .counted_width = (bits)
#define NUMBERED	.flags = MADKIT_FIELD_NUMBERED
#define NAMED	.flags = MADKIT_FIELD_NAMED
#define SELECTOR	.flags = MADKIT_FIELD_SELECTOR
#define INDEX	.flags = MADKIT_FIELD_INDEX
#define BLANKS	.flags = MADKIT_FIELD_BLANKS
#define UNIT(x)	.unit = &madkit_unit_##x
#define FROM(letters)	.sources = letters
#define OF_ERRORS	.flags = MADKIT_FIELD_ERROR


/* static const struct madkit_field x_fields[] defines madkit_layout_x. */
#define LAYOUT(x, n, b) \
	const struct madkit_layout madkit_layout_##x = { \
		.name = n, .fields = x##_fields, \
		.nfields = ARRAY_SIZE(x##_fields), .bytes = b }

/* ... with x_spans[], names of groups of fields */
#define LAYOUT_SPANS(x, n, b) \
	const struct madkit_layout madkit_layout_##x = { \
		.name = n, .fields = x##_fields, .nfields = ARRAY_SIZE(x##_fields), \
		.spans = x##_spans, .nspans = ARRAY_SIZE(x##_spans), .bytes = b }

/* ... with x_effective[], fields that a newer field supersedes */
#define LAYOUT_EFFECTIVE(x, n, b) \
	const struct madkit_layout madkit_layout_##x = { \
		.name = n, .fields = x##_fields, .nfields = ARRAY_SIZE(x##_fields), \
		.effective = x##_effective, .neffective = ARRAY_SIZE(x##_effective), .bytes = b }

#define ATTRIBUTE(n, a, i, b, x, ...) \
	{ .name = n, .alias = a, .id = i, .bytes = b, \
	  .layout = &madkit_layout_##x, ##__VA_ARGS__ }
#define MODIFIER(text)	.modifier = text
/* ... that selects an instance of the attribute: all bits of it, or some */
#define SELECTS(text)	SELECTS_BY(UINT32_MAX, text)
#define SELECTS_BY(bits, text)	.modifier = text, .selects = (bits)
#define AT(byte)	.offset = byte
#define CHOSEN(mask, value)	.modifier_mask = mask, .modifier_value = value
/* ... that is a register, of which some hold something else in each page or group; these have a field that chooses */
#define REGISTER(id) REGISTER_AS(id, 0)
#define REGISTER_GUESSED(id) REGISTER_AS(id, MADKIT_ATTRIBUTE_EXPERIMENTAL)
#define REGISTER_AS(id, more) \
	.modifier_mask = 0xffffffff, .modifier_value = id, .selects = 0xffffffff, .flags = MADKIT_ATTRIBUTE_READ_ONLY | (more)
#define PAGE(bit, width, value)	.choice = bit, .choice_width = width, .choice_value = value
/* ... that a request has unless the user sets the field */
#define PRESET(bit, bits, value)	.preset = bit, .preset_width = bits, .preset_value = value
#define JOINED(x)	.joined = &madkit_layout_##x##_joined
#define EDITIONS(list)	.editions = madkit_editions_##list, \
			.neditions = ARRAY_SIZE(madkit_editions_##list)

/* ... with columns for a table */
#define COLUMNS(names)	.columns = names
/* ... with one instance per port or block of a node: x_instances */
#define INSTANCES(x)	.instances = &x##_instances

/* An attribute without data: only its method matters. */
#define EMPTY(n, a, i, ...) \
	{ .name = n, .alias = a, .id = i, \
	  .layout = &(const struct madkit_layout) { .name = n }, ##__VA_ARGS__ }

/* An attribute with known name and length, but no fields: the payload is bytes. If one of its fields is a key, all
 * bytes are secret. */
#define OPAQUE(n, a, i, b, ...) OPAQUE_AS(BYTES, n, a, i, b, ##__VA_ARGS__)
#define SECRET(n, a, i, b, ...) OPAQUE_AS(KEY, n, a, i, b, ##__VA_ARGS__)
#define OPAQUE_AS(k, n, a, i, b, ...) \
	{ .name = n, .alias = a, .id = i, .bytes = b, \
	  .flags = MADKIT_ATTRIBUTE_UNKNOWN, \
	  .layout = &(const struct madkit_layout) { \
		.name = n, .nfields = (b) ? 1 : 0, .bytes = b, \
		.fields = (const struct madkit_field[]) { \
			FIELD("Data", NULL, 0, (b) * 8, k) } }, \
	  ##__VA_ARGS__ }

/* common.c */
extern const struct madkit_layout madkit_layout_class_port_info;
extern const struct madkit_layout madkit_layout_class_port_info_bm;
extern const struct madkit_layout madkit_layout_class_port_info_perf;
extern const struct madkit_layout madkit_layout_class_port_info_sa;
extern const struct madkit_layout madkit_layout_class_port_info_opa;
extern const struct madkit_layout madkit_layout_inform_info;

/* notice.c */
extern const struct madkit_layout madkit_layout_notice;
extern const struct madkit_layout madkit_layout_notice_smp;

/* ... by their trap numbers */
extern const struct madkit_edition madkit_editions_notice[9];
extern const struct madkit_edition madkit_editions_notice_smp[9];
extern const struct madkit_edition madkit_editions_notice_bm[2];
extern const struct madkit_edition madkit_editions_notice_cc[1];

/* header.c: the fields between the common header and the data of a class, and after the data; offsets from the start
 * of the MAD */
extern const struct madkit_layout madkit_layout_header_smp;
extern const struct madkit_layout madkit_layout_header_smp_dr;
extern const struct madkit_layout madkit_layout_header_sa;
extern const struct madkit_layout madkit_layout_header_vendor2;
extern const struct madkit_layout madkit_layout_header_perf;
extern const struct madkit_layout madkit_layout_header_bm;
extern const struct madkit_layout madkit_layout_header_device;
extern const struct madkit_layout madkit_layout_header_snmp;
extern const struct madkit_layout madkit_layout_header_mlnx;
extern const struct madkit_layout madkit_layout_header_cc;

/* subn.c: also parts of SA records */
extern const struct madkit_layout madkit_layout_node_info;
extern const struct madkit_layout madkit_layout_switch_info;
extern const struct madkit_layout madkit_layout_guid_info;
extern const struct madkit_layout madkit_layout_port_info;
extern const struct madkit_layout madkit_layout_port_info_ext;
extern const struct madkit_layout madkit_layout_pkey_table;
extern const struct madkit_layout madkit_layout_sltovl_table;
extern const struct madkit_layout madkit_layout_vlarb_table;
extern const struct madkit_layout madkit_layout_linear_table;
extern const struct madkit_layout madkit_layout_random_table;
extern const struct madkit_layout madkit_layout_multicast_table;
extern const struct madkit_layout madkit_layout_sm_info;

/* mlnx.c: also in an SMP */
extern const struct madkit_layout madkit_layout_mlnx_config_record;

/* registers.c */
extern const struct madkit_layout madkit_layout_phy_operation;
extern const struct madkit_layout madkit_layout_link_diagnosis;
extern const struct madkit_layout madkit_layout_link_diagnosis_joined;
extern const struct madkit_layout madkit_layout_module_info;
extern const struct madkit_layout madkit_layout_link_down_info;
extern const struct madkit_layout madkit_layout_phy_counters;
extern const struct madkit_layout madkit_layout_phy_counters_joined;
extern const struct madkit_layout madkit_layout_bit_errors;
extern const struct madkit_layout madkit_layout_register_port_counters;
extern const struct madkit_layout madkit_layout_plr_counters;
extern const struct madkit_layout madkit_layout_fec_histogram;
extern const struct madkit_layout madkit_layout_recovery_counters;
extern const struct madkit_layout madkit_layout_port_mapping;
extern const struct madkit_layout madkit_layout_link_modes;
extern const struct madkit_layout madkit_layout_lane_mapping;
extern const struct madkit_layout madkit_layout_module_state;
extern const struct madkit_layout madkit_layout_sensor_list;
extern const struct madkit_layout madkit_layout_sensor;
extern const struct madkit_layout madkit_layout_sensors;
extern const struct madkit_layout madkit_layout_fans;
extern const struct madkit_layout madkit_layout_fan_speed;
extern const struct madkit_layout madkit_layout_fan_limits;
extern const struct madkit_layout madkit_layout_device_info;
extern const struct madkit_layout madkit_layout_slots;
extern const struct madkit_layout madkit_layout_system_info;
extern const struct madkit_layout madkit_layout_cpld;
extern const struct madkit_layout madkit_layout_power_supplies;
extern const struct madkit_edition madkit_editions_register[1];

/* port.c: a port of a sweep; not an attribute of any class */
extern const struct madkit_attribute madkit_attribute_port_object, madkit_attribute_problem_object;
extern const struct madkit_attribute madkit_attribute_difference_object;

/* The attributes of each class, in ascending order of ID. If several rows have the same ID, the modifier of a MAD
 * selects the row (CHOSEN); otherwise it is the first one, unless a request asked for another. The declared lengths
 * are checked at compile time. */
extern const struct madkit_attribute madkit_attributes_subn[25];
extern const struct madkit_attribute madkit_attributes_sa[26];
extern const struct madkit_attribute madkit_attributes_perf[24];
extern const struct madkit_attribute madkit_attributes_bm[35];
extern const struct madkit_attribute madkit_attributes_device[10];
extern const struct madkit_attribute madkit_attributes_cm[14];
extern const struct madkit_attribute madkit_attributes_snmp[3];
extern const struct madkit_attribute madkit_attributes_mlnx[36];
extern const struct madkit_attribute madkit_attributes_cc[10];
extern const struct madkit_attribute madkit_attributes_ping[2];
extern const struct madkit_attribute madkit_attributes_sysstat[4];
extern const struct madkit_attribute madkit_attributes_common[1];

/* OPA's form of the attributes that every class has. */
extern const struct madkit_attribute madkit_attribute_class_port_info_opa;

/* classes.c */
extern const struct madkit_class madkit_class_table[20];

#endif
