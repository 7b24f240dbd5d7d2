/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Devices, ports and counters that have metrics. */
#ifndef FORMAT_METRICS_INT_H
#define FORMAT_METRICS_INT_H

#include <madkit/metrics.h>
#include "util/table.h"

enum { METRICS_COUNTERS = 28 };

/* A counter with the end of its name, between "infiniband_switch_port_" and "_total". */
struct metrics_counter {
	const char *field, *name, *help;
};

extern const struct metrics_counter metrics_counters[METRICS_COUNTERS];

/* The fields of an attribute that are counters; NULL: it does not have the counter. */
struct metrics_fields {
	const struct madkit_layout *layout;
	const struct madkit_field *fields[METRICS_COUNTERS];
};

struct metrics_device {
	uint64_t guid, errors, timeouts, retries, answered, us;
	uint64_t rate, raw_rate; /* of all its ports: the planes of a channel adapter have one GUID */
	uint64_t numbers[4];     /* a bit for the number of each of its ports */
	size_t name, name_len;   /* in the texts, escaped */
	uint16_t lid;
	uint8_t type;
	bool shown, silent;
};

struct metrics_port {
	struct madkit_metrics_port is;
	bool hidden;             /* there is another port with its labels */
	uint64_t rate, raw_rate; /* bytes per second; 0: not known, or the link is down */
	uint32_t has;            /* a bit for each counter with a value */
	uint64_t counters[METRICS_COUNTERS];
};

/* The next line. */
struct metrics_place {
	size_t family, counter, row;
	unsigned int kind;
	bool titled;
};

struct madkit_metrics {
	struct metrics_device *devices;
	struct metrics_port *ports;
	uint32_t ndevices, devices_cap, nports, ports_cap;
	struct table guids; /* numbers of devices */
	struct madkit_buf texts;
	struct metrics_fields fields; /* of the latest layout */
	struct metrics_place place;
};

#endif
