/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How often values occur among the links between two types of device, and whether one of them is usual. */
#ifndef HEALTH_USUAL_H
#define HEALTH_USUAL_H

#include "health/state.h"

/* A value of links of a pair of types, and how many have it. */
struct usual_value {
	uint64_t types[2]; /* ascending */
	uint64_t value;
	uint32_t links, all; /* with this value; of the pair of types */
};

struct usual {
	struct usual_value *values;
	uint32_t n, cap;
	struct table table; /* indices of values */
};

/* Counts the value of a link. Returns 0 or -ENOMEM. */
int usual_count(struct usual *usual, const struct madkit_health *h, const struct health_link *link,
		uint64_t value);
/* Ends counting. */
void usual_end(struct usual *usual);
/* Checks if the value of a link is usual, by the limits of the rule. */
bool usual_is(const struct usual *usual, const struct madkit_health *h, enum rule_number rule,
	      const struct health_link *link, uint64_t value);
/* Returns the usual value of such links; 0: there is none. */
uint64_t usual_most(const struct usual *usual, const struct madkit_health *h, enum rule_number rule,
		    const struct health_link *link);
void usual_free(struct usual *usual);

#endif
