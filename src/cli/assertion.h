/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --assert: checks records against an expression, and keeps a description of the first failure. */
#ifndef SRC_ASSERTION_H
#define SRC_ASSERTION_H

#include "cli.h"

struct assertion {
	struct madkit_expr *expr; /* NULL: no --assert */
	const char *text;
	bool show_keys; /* in error messages */
	bool held;
	unsigned long failed;  /* number of records for which it did not hold */
	unsigned long skipped; /* number of ports or records for which EXPR is unknown (madsweep) */
	bool skips_null;       /* a record is skipped if EXPR is unknown because a field is null */
	char null[80];         /* name of a field that was null in a skipped record */
	char failure[400];     /* describes the first failure: ": F is 3 (Lid 2 port 1)" */
};

/* Checks one record, which has passed the filter. Only its data and layout are used: it need not be a record
 * of its message. */
void assertion_try_record(struct assertion *assertion, const struct madkit_record *record);

/* Checks a port of a sweep, and counts it as skipped if the expression is unknown, for example because the
 * port is down. Returns true for the first port for which the assertion does not hold: the caller sets
 * failure. */
bool assertion_try_port(struct assertion *assertion, const struct madkit_record *record);

/* Checks the records of a message that pass the filter (NULL: all records). Timeouts and errors are not
 * checked. */
void assertion_try(struct assertion *assertion, const struct madkit_expr *filter,
		   const struct madkit_message *message);

/* Appends "LinkState: Down, Lid: 3": the fields that the expression names, with their values in the first
 * record of the message. */
void assertion_put_values(struct madkit_buf *buf, const struct madkit_expr *expr,
			  const struct madkit_message *message, bool show_keys);

/* Checks if the assertion held for every record, and reports the failure if not. status: the exit status of
 * the command. If no record was checked, the assertion holds only if status is not 0. */
bool assertion_held(const struct assertion *assertion, int status);

#endif
