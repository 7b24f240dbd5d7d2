/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --plan: the differences between the subnet and a plan. */
#ifndef SRC_PLAN_H
#define SRC_PLAN_H

#include "check.h"

/* Reads the files of --names and --plan. Returns EXIT_DONE, or another exit status after a report. The caller frees the plan
 * in either case. */
int plan_read(const struct madcheck_options *options, struct plan **plan);
void plan_release(struct plan *plan);

/* Checks if the plan has a link at a port. */
bool plan_has_link(void *plan, uint64_t guid, unsigned int port);

/* Compares all subnets with the plan. Returns EXIT_DONE, or another exit status after a report. */
int plan_compare(struct plan *plan, const struct check *check);

/* Sets problem i of the plan. Returns false if there are at most i. */
bool plan_problem(const struct plan *plan, size_t i, struct check_problem *problem);

/* Counts the compared links. Returns false if nothing was compared. */
bool plan_count(const struct plan *plan, struct madkit_comparison_counts *counts);

/* Returns the kind of a difference by its name, MADKIT_DIFFERENCE_...; 0: there is none. A rule may have the same name. */
uint8_t plan_kind(const char *name);

/* Checks if differences of a kind are found. */
bool plan_judges(const struct check *check, uint8_t kind);

#endif
