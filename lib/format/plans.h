/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The plans made so far: see madkit_plans_new(). */
#ifndef FORMAT_PLANS_H
#define FORMAT_PLANS_H

#include <madkit/format.h>

enum {
	PLANS_HASH = 256,
	PLANS_MAX = 1024,	/* what comes then is walked */
};

struct madkit_plans {
	unsigned int n;
	struct shape *json[PLANS_HASH];
	struct text_shape *text[PLANS_HASH];
	/* how lines of JSON begin, as long as this does not change */
	struct madkit_buf begin;
	size_t split;		/* where the time stands */
	enum madkit_message_kind kind;
	uint32_t agent;
	const char *host, *device;
};

void json_plans_free(struct madkit_plans *plans);
void text_plans_free(struct madkit_plans *plans);

#endif
