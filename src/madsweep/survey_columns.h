/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The columns of rows of differences: counters that --fields names, or those that have changed. */
#ifndef SRC_SURVEY_COLUMNS_H
#define SRC_SURVEY_COLUMNS_H

#include "survey_delta.h"

enum { COLUMNS_MAX = 60, COLUMNS_LAYOUTS = 3 };

/* The part of a counter that a column shows. */
enum column_part {
	COLUMN_VALUE, /* the exact value of a field */
	COLUMN_DELTA,
	COLUMN_RATE,
	COLUMN_RATE_BYTES,
	COLUMN_SHARE,
	COLUMN_MOVE, /* the rate and the share, for a person */
};

struct survey_column {
	char name[MADKIT_PATH_MAX];    /* a field, as in --fields */
	char counter[MADKIT_PATH_MAX]; /* the counter that it is a part of; "": it is another field */
	const struct madkit_field
		*fields[COLUMNS_LAYOUTS]; /* this counter in each attribute; NULL: not there */
	int index;                        /* the element of the counter; -1: all */
	enum column_part part;
	unsigned int rank;        /* of a counter: its place in the attribute */
	struct madkit_expr *expr; /* the field */
};

struct survey_columns {
	const struct survey_delta *delta;
	struct survey_column list[COLUMNS_MAX];
	size_t n;
};

/* Each of these returns EXIT_DONE, or a status after a report. */
/* Adds the columns that --fields lists. */
int survey_columns_add(struct survey_columns *columns, const char *names);
/* Adds those of CSV without --fields: the usual counters of the attribute, or all counters of errors. */
int survey_columns_add_usual(struct survey_columns *columns, bool errors);
/* Adds, in their places, the counters that have changed; of an attribute with octets, not those of packets. */
int survey_columns_add_changed(struct survey_columns *columns, const struct survey_compared *compared);
void survey_columns_free(struct survey_columns *columns);

/* Checks if a column has this name. */
bool survey_columns_have(const struct survey_columns *columns, const char *name);

/* Finds the change that a column shows; NULL: the port does not have the counter, or it is an array. */
const struct madkit_change *survey_column_find(const struct survey_column *column,
					       const struct survey_compared *compared);
/* Checks if the counter of a column has changed at all: one element of an array suffices. */
bool survey_column_changed(const struct survey_column *column, const struct survey_compared *compared);

/* Checks if a counter has changed, or may have. */
bool survey_change_counts(const struct madkit_change *change);

#endif
