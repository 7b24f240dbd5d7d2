/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The list of the problems as text: a row for each, or for several that are alike. */
#ifndef SRC_PROBLEMS_H
#define SRC_PROBLEMS_H

#include "check.h"

/* A row: a problem, or several with equal text and types of device. */
struct problems_row {
	const struct check_problem *first;
	unsigned int n;
	bool spread; /* their first ends are at several nodes */
};

struct problems {
	struct problems_row *rows;
	size_t n;
	size_t more; /* problems that are not shown */
};

/* A problem or a difference as a record. */
union problems_record {
	struct madkit_health_record problem;
	struct madkit_difference_record difference;
};

/* The columns of a table of problems. */
struct problems_columns {
	size_t rule, place; /* characters */
	const struct madkit_terminal *terminal;
};

/* Makes the record of a problem. Returns its message, whose record is that of the union. */
struct madkit_message *problems_get_record(const struct check_problem *problem,
					   union problems_record *record);

/* Lists the problems that are shown. info: only those of severity info, each kind once; else the others. Returns false if
 * out of memory. */
bool problems_make(const struct check *check, struct output *out, bool info, struct problems *list);

/* Joins problems to rows: those of severity info always, others if each would take too many rows. The largest groups are
 * joined first. */
void problems_join(struct problems *list, bool all, size_t limit);

/* Widens the columns for the rows. */
void problems_measure(const struct problems *list, struct problems_columns *columns);

/* Appends the rows. */
void problems_put(struct madkit_buf *buf, const struct problems *list,
		  const struct problems_columns *columns);

/* Appends what to do next, once for each rule of the rows. */
void problems_put_next(struct madkit_buf *buf, const struct problems *list);

#endif
