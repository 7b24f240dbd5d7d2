/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The differences of one round as a record, for expressions and projections. A counter's
 * name is its difference; NAME.value, NAME.delta, NAME.rate, NAME.rate_bytes, NAME.saturated
 * and NAME.reset are the keys of a JSON line. What has no value in a round is null.
 */
#ifndef SRC_DELTA_RECORD_H
#define SRC_DELTA_RECORD_H

#include <madkit/madkit.h>

/* A counter's reading, and how it differs from the one before. */
struct delta_change {
	uint64_t value, delta;
	bool saturated, reset, octets4;
	bool was_saturated; /* before as well: it could not count */
	double rate;        /* per second */
};

/* Whether delta says anything. Of a counter that has become full it is the least that was
 * counted. */
static inline bool delta_is_known(const struct delta_change *change)
{
	return !change->reset && !change->was_saturated;
}

struct delta_record;

/* The counters of attribute, then those that wide (may be NULL) has besides. NULL: out of
 * memory. */
struct delta_record *delta_record_new(const struct madkit_attribute *attribute,
				      const struct madkit_attribute *wide);
void delta_record_free(struct delta_record *record);

/* How many counters there are. */
size_t delta_record_counters(const struct delta_record *record);

/* Names are checked against this: valid as long as the record. */
const struct madkit_attribute *delta_record_attribute(const struct delta_record *record);

/* Begins a round: every counter is null. */
void delta_record_begin(struct delta_record *record, uint64_t interval_us);
/* The port of the round. */
void delta_record_port(struct delta_record *record, uint64_t port);
/* Sets one element of a counter. Rates are rounded up, so that the rate of a counter that moves is
 * above 0. */
void delta_record_put(struct delta_record *record, const char *name, unsigned int index,
		      const struct delta_change *change);

/* The view of it for expressions, with the envelope of message. */
void delta_record_view(const struct delta_record *record, const struct madkit_message *message,
		       struct madkit_record *view);

#endif
