/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The object "problem" of JSON lines: a rule of health that a port, a link or a subnet breaks. It is not an attribute of
 * a class, and is never sent.
 */
#include "tables.h"

static const struct madkit_field problem_object_fields[] = {
	FIELD("rule", "what", 0, 128, STRING),
	FIELD("severity", NULL, 128, 8, ENUM, VALUES(severity)),
	FIELD("event", NULL, 136, 8, ENUM, VALUES(problem_event)),
	FIELD("key", NULL, 144, 768, STRING),
	FIELD("since", NULL, 912, 256, STRING),
	FIELD("place", NULL, 1168, 4608, STRING),
	FIELD("value", "after", 5776, 512, STRING),
	FIELD("limit", "before", 6288, 512, STRING),
	FIELD("text", NULL, 6800, 4096, STRING),
	FIELD("by", NULL, 10896, 8, ENUM, VALUES(difference_by)),
	FIELD("link_downed", NULL, 10904, 8, UNSIGNED),
};
LAYOUT(problem_object, "problem", 1364);

const struct madkit_attribute madkit_attribute_problem_object = {
	.name = "problem",
	.bytes = 1364,
	.layout = &madkit_layout_problem_object,
	COLUMNS("severity,rule,place,text"),
};
