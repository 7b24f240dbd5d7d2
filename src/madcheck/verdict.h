/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The verdict, from the numbers of nodes, links and problems. */
#ifndef SRC_VERDICT_H
#define SRC_VERDICT_H

#include "check.h"

/* The numbers of all subnets. */
struct verdict {
	struct madkit_health_counts counts;
	unsigned int by[MADKIT_SEVERITY_CRITICAL + 1]; /* problems that are open and not accepted */
	unsigned int closed;
	uint64_t mads, resent;
};

struct verdict verdict_count(const struct check *check);

/* Checks if there are problems of --severity or above. */
bool verdict_has_problems(const struct check *check, const struct verdict *verdict);

/* Checks if everything was judged: what does not respond was not, even if that is a problem by itself. */
bool verdict_is_complete(const struct check *check);

/* Returns the duration on the clocks of the ports, which may be virtual. */
uint64_t verdict_elapsed_ns(const struct check *check);

/* Returns the word that begins the report: "CRITICAL", "WARNING", "UNKNOWN" or "OK". */
const char *verdict_word(const struct check *check, const struct verdict *verdict);

/* Appends the sentence behind it. */
void verdict_put(struct madkit_buf *buf, const struct check *check, const struct verdict *verdict);

/* Appends a number with a comma after each thousand, and a word. */
void verdict_put_number(struct madkit_buf *buf, uint64_t n, const char *one, const char *many);

#endif
