/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The differences of one round as a record, for expressions and projections. A counter's name is its
 * difference; NAME.value, NAME.delta, NAME.rate, NAME.rate_bytes, NAME.saturated and NAME.reset are the keys
 * of a JSON line. Members without a value in a round are null.
 */
#ifndef SRC_DELTA_RECORD_H
#define SRC_DELTA_RECORD_H

#include <madkit/madkit.h>

/* The value of a counter, and its difference from the previous one. */
struct delta_change {
	uint64_t value, delta;
	bool saturated, reset, octets4;
	bool was_saturated; /* also in the previous round: it could not count */
	double rate;        /* per second */
};

/* Checks if delta has a meaning. For a counter that has become full, it is the minimum that was counted. */
static inline bool delta_is_known(const struct delta_change *change)
{
	return !change->reset && !change->was_saturated;
}

struct delta_record;

/* Creates a record with the counters of attribute, followed by the others of wide (may be NULL). Returns NULL
 * if memory ran out. */
struct delta_record *delta_record_new(const struct madkit_attribute *attribute,
				      const struct madkit_attribute *wide);
void delta_record_free(struct delta_record *record);

/* Returns the number of counters. */
size_t delta_record_counters(const struct delta_record *record);

/* Returns the attribute that names are checked against. Valid as long as the record. */
const struct madkit_attribute *delta_record_attribute(const struct delta_record *record);

/* Begins a round: every counter becomes null. */
void delta_record_begin(struct delta_record *record, uint64_t interval_us);
/* Sets the port of the round. */
void delta_record_port(struct delta_record *record, uint64_t port);
/* Sets one element of a counter. Rates are rounded up, so that the rate of a counter that changes is above
 * 0. */
void delta_record_put(struct delta_record *record, const char *name, unsigned int index,
		      const struct delta_change *change);

/* Initialises a view of the record for expressions, with the envelope of message. */
void delta_record_view(const struct delta_record *record, const struct madkit_message *message,
		       struct madkit_record *view);

#endif
