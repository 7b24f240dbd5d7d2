/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The object "difference" of JSON lines: what differs between two states of a subnet, or between a subnet and a plan. It is
 * not an attribute of a class, and is never sent.
 */
#include "tables.h"

static const struct madkit_field difference_object_fields[] = {
	FIELD("what", NULL, 0, 8, ENUM, VALUES(difference)),
	FIELD("severity", NULL, 8, 8, ENUM, VALUES(severity)),
	FIELD("event", NULL, 16, 8, ENUM, VALUES(problem_event)),
	FIELD("key", NULL, 24, 768, STRING),
	FIELD("since", NULL, 792, 256, STRING),
	FIELD("place", NULL, 1048, 4608, STRING),
	FIELD("before", NULL, 5656, 4608, STRING),
	FIELD("after", NULL, 10264, 4608, STRING),
	FIELD("text", NULL, 14872, 8192, STRING),
	FIELD("by", NULL, 23064, 8, ENUM, VALUES(difference_by)),
};
LAYOUT(difference_object, "difference", 2884);

const struct madkit_attribute madkit_attribute_difference_object = {
	.name = "difference",
	.bytes = 2884,
	.layout = &madkit_layout_difference_object,
	COLUMNS("severity,what,place,text"),
};
