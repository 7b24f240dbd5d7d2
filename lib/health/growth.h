/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Two readings of the counters of a port: how much each counter of errors grew, and how much of that is normal. */
#ifndef HEALTH_GROWTH_H
#define HEALTH_GROWTH_H

#include "health/problem.h"

/* Two readings of a port. */
struct health_rise {
	struct sweep_place at;
	bool wide;          /* of PortCountersExtended, else of PortCounters */
	bool first, second; /* which of them there are */
	struct madkit_reading before, now;
	bool reset, ended; /* the next judgement must not compare with the first reading */
	bool detailed;     /* PortXmitDiscardDetails has been read, after the second reading */
	uint64_t inactive, too_long;
};

/* How the limit of a counter depends on the time between the readings. */
enum growth_kind {
	GROWTH_BITS,   /* as a bit error rate */
	GROWTH_COUNT,  /* not at all */
	GROWTH_PER_S,  /* so many each second */
	GROWTH_DOWNED, /* not an error: the rule flapping */
};

/* The counters, in the order in which a problem names them. */
enum growth_counter {
	GROWTH_SYMBOL,
	GROWTH_RECOVERY,
	GROWTH_INTEGRITY,
	GROWTH_RECEIVE,
	GROWTH_OVERRUN,
	GROWTH_DISCARDS,
	GROWTH_REMOTE,
	GROWTH_RELAY,
	GROWTH_XMIT_CONSTRAINT,
	GROWTH_RCV_CONSTRAINT,
	GROWTH_VL15,
	GROWTH_WAIT,
	GROWTH_DOWNS,
	GROWTH_COUNTERS
};

enum { GROWTH_HOUR = 3600, GROWTH_DAY = 86400 }; /* in seconds */
enum { GROWTH_DETAIL_FULL = UINT16_MAX };        /* PortXmitDiscardDetails has 16 bits */

/* An end of a link. */
struct growth {
	struct sweep_place at;
	bool compared, reset, full; /* full: a counter with a limit, or of downs, was full before */
	double seconds;             /* between the readings */
	uint64_t downs;             /* how often the link went down ... */
	double downs_seconds;       /* ... in this time, which may be longer */
	uint64_t delta[GROWTH_COUNTERS];
	uint64_t discards, too_long;   /* PortXmitDiscards; those that exceeded the MTU */
	double limit[GROWTH_COUNTERS]; /* the highest rise that is not a problem; below 0: any is normal */
};

/* Returns the key of a port in a set of readings. */
struct madkit_reading_key growth_key(const struct madkit_health *h, struct sweep_place at, bool wide);

/* Compares the two readings of a port. */
void growth_compare(const struct madkit_health *h, const struct health_rise *r, struct growth *growth);

/* Checks if a counter, or any, grew by more than its limit. */
bool growth_exceeds(const struct growth *growth, unsigned int counter);
bool growth_exceeds_any(const struct growth *growth);

/* Returns the severity of a link, between switches or not, that went down so often in this time. */
uint8_t growth_flapping(const struct madkit_health *h, bool switches, double downs, double seconds);

/* Returns the name of a counter. */
const char *growth_name(unsigned int counter);
/* Writes the limit of a counter: "1.44", "60". */
void growth_put_limit(char text[PROBLEM_VALUE_BYTES], const struct growth *growth, unsigned int counter);

/* Appends a time, as madkit_health_put_time(). */
void growth_put_seconds(struct madkit_buf *buf, double seconds);
/* Appends the counters of an end that exceed their limits: "SymbolErrorCounter +120 (limit 1.44)". */
void growth_put_end(struct madkit_buf *buf, const struct growth *growth);
/* Appends what the counters of both ends of a link mean, and what to do next. */
void growth_put_advice(struct madkit_buf *buf, const struct growth ends[2]);

#endif
