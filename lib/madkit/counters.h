/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_counters - differences and rates of the counters of a port
 *
 * The counters of a port (PortCounters and most other attributes of PerfMgt) grow until they are reset. A
 * counter that reaches its maximum stays there (IBA volume 1, section 16.1.3.5), so a value that is smaller
 * than before means a reset, and a full counter may have missed events. After a reset, no difference of the
 * attribute is known: another counter may have been reset too, and have grown past its earlier value.
 *
 * madkit_counters_new() creates the comparison of two readings of one attribute. For PortCounters, it reads the
 * wider counters of PortCountersExtended instead, if the port has them. madkit_counters_attribute() returns the
 * attributes to request, and madkit_reading_take() keeps the data of each response. Two readings of each
 * attribute are compared by madkit_counters_compare(). Then madkit_counters_change() returns the changes one by
 * one, and madkit_counters_record() all of them for filters and projections.
 *
 * A comparison keeps no readings: one is enough for all ports that have the same counters. It is used by one
 * thread at a time. The functions do not block.
 */
#ifndef MADKIT_COUNTERS_H
#define MADKIT_COUNTERS_H

#include <madkit/decls.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/cpi.h>
#include <madkit/field.h>
#include <madkit/message.h>
#include <madkit/registry.h>

MADKIT_BEGIN_DECLS

/* ---- readings --------------------------------------------------------------- */

/* The data of any attribute with counters fits into this number of bytes. */
#define MADKIT_READING_BYTES 232

/* The data of one response and its time of arrival. Filled in by madkit_reading_take(). */
struct madkit_reading {
	uint64_t time_ns; /* of any clock, as long as it is the same for all readings */
	uint32_t len;     /* of data; 0: no data */
	uint8_t data[MADKIT_READING_BYTES];
};

/*
 * madkit_reading_take - keep the data of a response
 * @reading: receives the data and the time
 * @message: response with the attribute; only its first record is used
 * @time_ns: time of arrival in nanoseconds, such as time_ns of struct madkit_recv
 *
 * Return: 0; or -EINVAL if a parameter is NULL; or -ENODATA if the response has no data, for example because its MAD status is not 0. The reading
 * then has no values.
 */
int madkit_reading_take(struct madkit_reading *reading, const struct madkit_message *message,
			uint64_t time_ns);

/* ---- readings of many ports ------------------------------------------------------ */

/* The port and the attribute of a reading. */
struct madkit_reading_key {
	uint64_t node_guid;
	uint8_t port;
	uint16_t attribute; /* ID in class PerfMgt */
};

/* Readings by port and attribute: at most one of each. Used by one thread at a time. */
struct madkit_readings;

/*
 * madkit_readings_new - create an empty set
 *
 * Return: the set, which the caller frees with madkit_readings_free(); NULL if out of memory.
 */
struct madkit_readings *madkit_readings_new(void);

/*
 * madkit_readings_free - free a set
 * @readings: set to free, or NULL
 */
void madkit_readings_free(struct madkit_readings *readings);

/*
 * madkit_readings_put - keep a reading
 * @readings: the set
 * @key:      port and attribute, copied
 * @reading:  the reading, copied; it replaces an earlier one
 *
 * Return: 0, or -ENOMEM if out of memory.
 */
int madkit_readings_put(struct madkit_readings *readings, const struct madkit_reading_key *key,
			const struct madkit_reading *reading);

/*
 * madkit_readings_get - find a reading
 * @readings: the set
 * @key:      port and attribute
 *
 * Return: the reading, valid until the next madkit_readings_put(); NULL if the set has none.
 */
const struct madkit_reading *madkit_readings_get(const struct madkit_readings *readings,
						 const struct madkit_reading_key *key);

/*
 * madkit_readings_count - return the number of readings
 * @readings: the set
 *
 * Return: the number.
 */
size_t madkit_readings_count(const struct madkit_readings *readings);

/*
 * madkit_readings_key - return the key of a reading
 * @readings: the set
 * @i:        number of the reading, from 0, in the order in which the keys were added
 *
 * Return: the key, valid until the next madkit_readings_put(); NULL if there are at most @i.
 */
const struct madkit_reading_key *madkit_readings_key(const struct madkit_readings *readings, size_t i);

/* ---- the comparison --------------------------------------------------------- */

struct madkit_counters;

/* The largest number of attributes of one comparison. */
#define MADKIT_COUNTERS_ATTRIBUTES 2

/*
 * madkit_counters_new - create a comparison of two readings
 * @attribute: attribute of the counters
 * @has:       which counters the port has, from madkit_cpi_get_counters(); 0: not known. Only PortCounters of
 *             PerfMgt depends on it.
 * @counters:  receives the comparison; free it with madkit_counters_free()
 *
 * Return: 0; -EINVAL if @attribute is NULL; -ENOENT if the tables know no counters of it; -ENOMEM if out of
 * memory.
 */
int madkit_counters_new(const struct madkit_attribute *attribute, unsigned int has,
			struct madkit_counters **counters);

/*
 * madkit_counters_free - free a comparison
 * @counters: comparison to free, or NULL
 */
void madkit_counters_free(struct madkit_counters *counters);

/*
 * madkit_counters_attribute - return an attribute that has to be read
 * @counters: the comparison
 * @i:        number of the attribute, from 0
 *
 * If PortCountersExtended is read instead of PortCounters, it is the first attribute. PortCounters is then the
 * second one, for the counters that only it has.
 *
 * Return: the attribute, or NULL if there are at most @i.
 */
const struct madkit_attribute *madkit_counters_attribute(const struct madkit_counters *counters,
							 unsigned int i);

/*
 * madkit_counters_compare - compute how all counters have changed
 * @counters: the comparison
 * @before:   earlier readings: one of each attribute of madkit_counters_attribute(), in its order
 * @now:      later readings of the same attributes of the same port
 *
 * The rates of an attribute are computed from the times of its two readings; without time between them, they
 * are 0. If the second time is before the first, rates are not known. A reading without data has no changes.
 */
void madkit_counters_compare(struct madkit_counters *counters, const struct madkit_reading *before,
			     const struct madkit_reading *now);

/* The link of a port. 0: not known. */
struct madkit_counters_link {
	double gbps;        /* data rate in Gb/s, of each direction */
	double wait_octets; /* octets that the port could have sent during a tick of PortXmitWait */
};

/*
 * madkit_counters_wait_octets - return the length of a tick of PortXmitWait
 * @vendor: VendorID of NodeInfo
 * @device: DeviceID of NodeInfo
 * @lanes:  lanes of the active width of the link; 0: not known
 * @tick:   Tick of PortSamplesControl
 *
 * A tick is the time of Tick + 1 octets on the link; of SwitchX and Switch-IB, on each lane. Devices of other vendors
 * than Mellanox, and Switch-IB 2, are not known.
 *
 * Return: octets, for wait_octets of struct madkit_counters_link; 0: not known.
 */
double madkit_counters_wait_octets(uint32_t vendor, uint16_t device, unsigned int lanes, uint64_t tick);

/*
 * madkit_counters_set_link - set the link that the next comparisons are about
 * @counters: the comparison
 * @link:     the link, copied
 */
void madkit_counters_set_link(struct madkit_counters *counters, const struct madkit_counters_link *link);

/*
 * madkit_counters_congestion - return how much of the time the port waited for credits
 * @counters: the comparison, after madkit_counters_compare()
 *
 * The ratio is W / (W + S), where S is the number of octets sent (PortXmitData) and W is the number of octets that could
 * have been sent in the time of PortXmitWait.
 *
 * Return: percent; -1: it is not known.
 */
double madkit_counters_congestion(const struct madkit_counters *counters);

/*
 * madkit_counters_full_s - return the time in which a counter becomes full at full rate
 * @field: the counter
 * @gbps:  data rate of the link in Gb/s
 *
 * Return: seconds; 0: the counter is not one of octets, or the rate is not known.
 */
double madkit_counters_full_s(const struct madkit_field *field, double gbps);

/* An event between two readings of a port that explains why differences are not known. */
enum madkit_counters_event {
	MADKIT_COUNTERS_NONE,
	MADKIT_COUNTERS_ADDED,    /* the port was not there at the time of the earlier reading */
	MADKIT_COUNTERS_REPLACED, /* another node was in its place */
	MADKIT_COUNTERS_GONE,     /* the port is no longer there */
	MADKIT_COUNTERS_RESET,    /* a counter is smaller than before */
	MADKIT_COUNTERS_SILENT,   /* there was no response at the time of the earlier reading */
};

/*
 * madkit_counters_set_event - set an event that the caller knows of
 * @counters: the comparison
 * @event:    the event between the readings of the next comparisons, or MADKIT_COUNTERS_NONE
 */
void madkit_counters_set_event(struct madkit_counters *counters, enum madkit_counters_event event);

/*
 * madkit_counters_event - return the event between two readings
 * @counters: the comparison, after madkit_counters_compare()
 *
 * Return: the event that the caller set or, without one, MADKIT_COUNTERS_RESET if a counter was reset.
 */
enum madkit_counters_event madkit_counters_event(const struct madkit_counters *counters);

/*
 * madkit_counters_event_name - return the name of an event
 * @event: the event
 *
 * Return: "added", "replaced", "gone", "reset" or "silent"; NULL for MADKIT_COUNTERS_NONE.
 */
const char *madkit_counters_event_name(enum madkit_counters_event event);

/* ---- the changes ------------------------------------------------------------ */

/* How an element of a counter has changed. */
struct madkit_change {
	const struct madkit_field *field; /* the counter: name, width in bits, count of an array */
	unsigned int index;               /* number of the element; 0 if the counter is not an array */
	uint64_t value;                   /* of the later reading */
	uint64_t delta;    /* difference; if saturated, at least so much was counted. 0 if not known */
	double rate;       /* delta per second; 0 if not rated */
	double share;      /* percent of the data rate of the link; 0 if not shared */
	unsigned int unit; /* octets per unit of the counter, such as 4 (PortXmitData); 0: no octets */
	bool known;        /* delta has a meaning: no reset, and the counter was not full before */
	bool rated;        /* rate has a meaning: no reset, the counter is not full, and time went on */
	bool shared; /* share has a meaning: a counter of octets that is rated, of a link with a known rate */
	bool saturated; /* the counter is full */
	bool reset;     /* this value, or that of another counter of the attribute, is smaller than before */
};

/*
 * madkit_counters_change - return a change
 * @counters: a comparison, after madkit_counters_compare()
 * @i:        number of the change, from 0
 *
 * The changes are in the order of the attributes and their fields. Counters and elements that a reading does
 * not contain are omitted.
 *
 * Return: the change, valid until the next comparison; NULL if there are at most @i, or nothing was compared yet.
 */
const struct madkit_change *madkit_counters_change(const struct madkit_counters *counters, size_t i);

/*
 * madkit_counters_record - return the changes as a record
 * @counters: the comparison
 * @message:  message with the envelope of the record; NULL: no expression will be evaluated
 * @record:   receives the record, which is valid as long as @counters and @message are
 *
 * The fields are PortSelect, interval_us (microseconds between the readings of the first attribute), the
 * counters of all attributes; congestion in percent; and change, the event. The value of a counter is its delta, and its fields are
 * delta, rate and rate_bytes (per second), share (percent of the data rate of the link; also share_percent), value,
 * saturated and reset.
 * Rates and percentages are rounded up, so that the rate of a counter that changes is not 0. Values that are not known
 * are null; before madkit_counters_compare(), all are.
 *
 * Names of expressions can be checked against record->attribute (madkit_expr_check()).
 */
void madkit_counters_record(const struct madkit_counters *counters, const struct madkit_message *message,
			    struct madkit_record *record);

MADKIT_END_DECLS
#endif
