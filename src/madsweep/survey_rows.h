/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The differences of a survey as rows of text or CSV. */
#ifndef SRC_SURVEY_ROWS_H
#define SRC_SURVEY_ROWS_H

#include "survey_delta.h"

struct survey_rows;

/* Begins rows of the differences: errors: one for each counter of errors that has changed. Returns EXIT_DONE, or a status
 * after a report. Free them with survey_rows_free() in either case. */
int survey_rows_new(struct survey_delta *delta, bool errors, struct survey_rows **rows);
void survey_rows_free(struct survey_rows *rows);

/* Checks if a counter of errors has changed, or an event of the port has to be shown. */
bool survey_rows_has_errors(const struct survey_compared *compared);

/* Checks if a field of the rows has changed, or an event of the port has to be shown. */
bool survey_rows_changed(const struct survey_rows *rows, const struct survey_compared *compared);

/* Adds a port. at: index in the scope; attribute: of the response, or NULL. Returns EXIT_DONE or EXIT_LOCAL. */
int survey_rows_add(struct survey_rows *rows, size_t at, const struct madkit_attribute *attribute,
		    const struct survey_compared *compared);
/* Adds a port that did not respond. */
int survey_rows_add_silent(struct survey_rows *rows, size_t at, const struct madkit_message *message);
/* Adds a port that is gone. */
int survey_rows_add_gone(struct survey_rows *rows, const struct baseline_port *port,
			 const struct survey_compared *compared);

/* Writes the rows that were added, and removes them. */
int survey_rows_write(struct survey_rows *rows);

#endif
