/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The plans made so far: see madkit_plans_new(). */
#ifndef FORMAT_PLANS_H
#define FORMAT_PLANS_H

#include <madkit/format.h>

enum {
	PLANS_HASH = 256,
	PLANS_MAX = 1024, /* then lines are written without a plan */
};

/* The place in the buffer of the previous line, as far as the next record of the message repeats it: up to
 * its data, except for the number of the record. */
struct plans_head {
	size_t begin, number, behind;
	size_t end;     /* 0: no line of this message was written */
	uint64_t nulls; /* of the message's envelope */
};

struct madkit_plans {
	unsigned int n;
	struct json_shape *json[PLANS_HASH];
	struct text_shape *text[PLANS_HASH];
	struct plans_head head;
};

void json_plans_free(struct madkit_plans *plans);
void text_plans_free(struct madkit_plans *plans);

#endif
