/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --assert: whether it held, and of what it did not. */
#ifndef SRC_ASSERTION_H
#define SRC_ASSERTION_H

#include "cli.h"

struct assertion {
	struct madkit_expr *expr; /* NULL: none */
	const char *text;
	bool show_keys; /* in messages */
	bool held;
	unsigned long failed;  /* records */
	unsigned long skipped; /* the same, that the assertion says nothing about: madsweep */
	char failure[400];     /* the first of them: "F is 3 (Lid 2 port 1)" */
};

/* Checks one record, which has passed the filter. It may be no record of its message: its
 * data and layout count. */
void assertion_try_record(struct assertion *assertion, const struct madkit_record *record);

/* The same of a port of a sweep: it is skipped if the expression is unknown, because the port is down. Returns true if it
 * is the first for which the assertion did not hold: the caller fills in failure. */
bool assertion_try_port(struct assertion *assertion, const struct madkit_record *record);

/* Checks the records that pass the filter (NULL: all) against the assertion. */
void assertion_try(struct assertion *assertion, const struct madkit_expr *filter,
		   const struct madkit_message *message);

/* Adds "LinkState: Down, Lid: 3": what the fields that an expression names are in the first record of a message. */
void assertion_put_values(struct madkit_buf *buf, const char *expression,
			  const struct madkit_message *message, bool show_keys);

/* Whether it held of everything, in a command that ends with the status; why not is
 * told. */
bool assertion_held(const struct assertion *assertion, int status);

#endif
