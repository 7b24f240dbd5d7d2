/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_compare - differences between two states of a subnet
 *
 * A difference is of one of the kinds of madkit_difference_kinds(). As a record, it is the object "difference" of a
 * JSON line.
 */
#ifndef MADKIT_COMPARE_H
#define MADKIT_COMPARE_H

#include <madkit/decls.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/constants.h>
#include <madkit/message.h>

MADKIT_BEGIN_DECLS

/* ---- differences ------------------------------------------------------------- */

/* A kind of differences. */
struct madkit_difference_kind {
	const char *name;      /* "link-gone" */
	uint8_t severity;      /* MADKIT_SEVERITY_...: the highest of its differences */
	const char *condition; /* when there is such a difference, without a period */
	const char *next;      /* next step, without a period; PLACE in it is the place of the difference */
};

/*
 * madkit_difference_kinds - return all kinds of differences
 * @count: receives the number of kinds
 *
 * Return: an array of kinds, in the order of their precedence: kind i is the value i + 1 of MADKIT_DIFFERENCE_...
 */
const struct madkit_difference_kind *madkit_difference_kinds(size_t *count);

/*
 * madkit_difference_attribute - return the description of the records of differences
 *
 * For madkit_expr_check(): the fields are what, severity, event, key, since, place, before, after, text and by.
 *
 * Return: the description.
 */
const struct madkit_attribute *madkit_difference_attribute(void);

/* A difference. */
struct madkit_difference {
	uint8_t kind;       /* MADKIT_DIFFERENCE_... */
	uint8_t severity;   /* MADKIT_SEVERITY_... */
	const char *key;    /* identifies the difference in any later comparison */
	const char *place;  /* "leaf2/7 <-> h12/1"; "": the whole subnet */
	const char *before; /* "spine1/2"; "": none */
	const char *after;  /* as before */
	const char *text;   /* one fact, without a period */
};

/* The length of madkit_layout_difference_object. */
enum {
	MADKIT_DIFFERENCE_RECORD_BYTES = 2884,
};

/* A difference as a record: the object "difference" of a JSON line (madkit-json(7)). */
struct madkit_difference_record {
	struct madkit_record record; /* of message */
	struct madkit_message
		message; /* of kind MADKIT_MESSAGE_DIFFERENCE, about the record; without host and time */
	uint8_t data[MADKIT_DIFFERENCE_RECORD_BYTES], known[MADKIT_DIFFERENCE_RECORD_BYTES];
};

/*
 * madkit_difference_record - make a record of a difference
 * @difference: the difference
 * @event:      MADKIT_PROBLEM_EVENT_OPEN, MADKIT_PROBLEM_EVENT_UPDATE or MADKIT_PROBLEM_EVENT_CLOSE
 * @since:      time since when it is known, "2026-11-20T22:10:11Z"; NULL: null
 * @by:         how it was found, MADKIT_DIFFERENCE_BY_...; 0: null
 * @record:     receives the record, which refers to itself: copies are not valid
 *
 * Texts that are too long are cut.
 */
void madkit_difference_record(const struct madkit_difference *difference, uint8_t event, const char *since,
			      uint8_t by, struct madkit_difference_record *record);

MADKIT_END_DECLS
#endif
