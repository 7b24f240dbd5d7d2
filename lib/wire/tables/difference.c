/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The object "difference" of JSON lines: what differs between two states of a subnet, or between a subnet and a plan. It is
 * not an attribute of a class, and is never sent. Its fields have also the names of those of a problem, so that one filter
 * and one table fit both.
 */
#include "tables.h"

static const struct madkit_field difference_object_fields[] = {
	FIELD("what", "rule", 0, 128, STRING),
	FIELD("severity", NULL, 128, 8, ENUM, VALUES(severity)),
	FIELD("event", NULL, 136, 8, ENUM, VALUES(problem_event)),
	FIELD("key", NULL, 144, 768, STRING),
	FIELD("since", NULL, 912, 256, STRING),
	FIELD("place", NULL, 1168, 4608, STRING),
	FIELD("before", "limit", 5776, 4608, STRING),
	FIELD("after", "value", 10384, 4608, STRING),
	FIELD("text", NULL, 14992, 8192, STRING),
	FIELD("by", NULL, 23184, 8, ENUM, VALUES(difference_by)),
};
LAYOUT(difference_object, "difference", 2899);

const struct madkit_attribute madkit_attribute_difference_object = {
	.name = "difference",
	.bytes = 2899,
	.layout = &madkit_layout_difference_object,
	COLUMNS("severity,rule,place,text"),
};
