/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Problems: from the draft of a rule to the sorted list. */
#ifndef HEALTH_PROBLEM_H
#define HEALTH_PROBLEM_H

#include "health/state.h"

enum { PROBLEM_VALUE_BYTES = 64 };

/* A problem as a rule describes it. Its text is in h->text, which problem_draft() empties. */
struct problem_draft {
	enum rule_number rule;
	uint8_t severity;
	struct madkit_health_place ends[2];
	bool link;         /* the ends are those of one link, not two ports with something in common */
	const char *about; /* identifies a problem without ends, such as a PSID; NULL: none */
	char value[PROBLEM_VALUE_BYTES], limit[PROBLEM_VALUE_BYTES];
};

/* Begins a draft about the subnet. */
struct problem_draft problem_draft(struct madkit_health *h, enum rule_number rule, uint8_t severity);
/* The same, about a port (-1: the whole node), or about the link of two ports. */
struct problem_draft problem_of_port(struct madkit_health *h, enum rule_number rule, uint8_t severity,
				     uint32_t node, int port);
struct problem_draft problem_of_link(struct madkit_health *h, enum rule_number rule, uint8_t severity,
				     const struct health_link *link);

/* Adds a problem. Returns 0 or -ENOMEM. */
int problem_add(struct madkit_health *h, const struct problem_draft *draft);

/* Writes a rate: "4x EDR"; "?" if a part is not known. */
void problem_put_rate(char text[PROBLEM_VALUE_BYTES], unsigned int width, unsigned int speed);
void problem_put_number(char text[PROBLEM_VALUE_BYTES], uint64_t number);

void problems_sort(struct madkit_health *h);
void problems_free(struct madkit_health *h);

/* Notes a place that a rule could not judge. why: a constant text without a period. */
void problem_note_unjudged(struct madkit_health *h, enum rule_number rule, uint32_t node, int port,
			   const char *why);
/* The same, of a place that does not have what the rule judges. */
void problem_note_lacking(struct madkit_health *h, enum rule_number rule, uint32_t node, int port,
			  const char *why);
/* As problem_note_unjudged(), and counts it. */
void problem_leave(struct madkit_health *h, enum rule_number rule, uint32_t node, int port, const char *why);

#endif
