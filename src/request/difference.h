/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How the counters of a port have changed, as JSON and as text. */
#ifndef SRC_DIFFERENCE_H
#define SRC_DIFFERENCE_H

#include <madkit/counters.h>
#include "exchange.h"

struct difference {
	const struct output *out; /* chooses the counters that are shown */
	const struct madkit_counters *counters;
	const char *attribute; /* name of the one in the heading */
	uint64_t port;         /* PortSelect */
	bool of_port;          /* port is known */
	bool timed;            /* interval_ns is known */
	uint64_t interval_ns;
	const struct madkit_reading *readings; /* the later ones, or NULL */
	const uint16_t *ids;                   /* of their attributes */
	size_t nreadings;
	uint64_t now_ns;   /* time of the line on the clock of readings */
	double gbps;       /* data rate of the link; 0: not known */
	const char *place; /* "Lid 5", for text */
};

/* Makes the comparison for the counters of a request. has: which counters the port has. Returns EXIT_DONE, or a status
 * after a report. The caller frees the comparison. */
int difference_new(const struct request *request, unsigned int has, struct madkit_counters **counters);

/* Checks if --fields selects a change, as a field of the attribute or as a key of the line. */
bool difference_selects(const struct output *out, const struct madkit_change *change);

/* Checks if an expression depends on congestion. */
bool difference_needs_congestion(const struct madkit_expr *expr);
/* Checks if --filter, --assert or --fields names congestion. */
bool difference_asks_congestion(const struct output *out);
/* Checks if the output shows congestion, or an expression depends on it. */
bool difference_shows_congestion(const struct output *out);

/* Returns the request for PortSamplesControl, which has the length of a tick of PortXmitWait, in derived; 0, or -errno. */
int difference_ticks_request(const struct request *request, struct request *derived);
/* Reads Tick of the response to that request. Returns false if it is not known. */
bool difference_tick(const struct answer *answer, size_t offset, uint64_t *tick);
/* Returns the number of lanes of a field with the active width; 0: it is not known. */
unsigned int difference_lanes(const struct madkit_record *record, const char *field);

/* Finds the first shown counter of octets that becomes full soon, because it has 32 bits. Returns NULL if there is none. */
const struct madkit_change *difference_narrow(const struct difference *difference);
/* Writes when it becomes full: "full after 0.34 s at 100 Gb/s", or after how many octets. */
enum { DIFFERENCE_FULL_BYTES = 64 };
const char *difference_full(const struct madkit_field *field, double gbps, char text[DIFFERENCE_FULL_BYTES]);

/* Writes the members of data of a JSON line. context: a struct difference. */
void difference_write(const void *context, struct madkit_writer *writer);

/* Appends a rate: "50.0/s", "9.8 k/s"; below 1 per second, per minute, hour or day: "3/h". */
void difference_put_rate(struct madkit_buf *buf, double rate);
/* Appends "79.8 Gb/s". bytes: octets per second. */
void difference_put_bits(struct madkit_buf *buf, double bytes);

/* Appends a heading and a line for each counter. */
void difference_put_text(const struct difference *difference, struct madkit_buf *buf);

#endif
