/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Filters that can first be checked with the sums of all ports of a switch. */
#ifndef SRC_SURVEY_SUM_H
#define SRC_SURVEY_SUM_H

#include <stdbool.h>
#include <madkit/expr.h>
#include <madkit/registry.h>

/*
 * Checks if a filter has the form "COUNTER > NUMBER || COUNTER >= NUMBER && ...", so that it holds for the
 * sums of counters if it holds for the counters of one port: a counter is never more than the sum, which
 * saturates and does not wrap (IBA volume 1, section 16.1.3.5).
 */
bool survey_sum_suits(const struct madkit_expr *filter, const struct madkit_attribute *attribute);

/* Checks if all counters of a filter of this form are 0 in the sums. */
bool survey_sum_is_zero(const struct madkit_expr *filter, const struct madkit_record *sums);

#endif
