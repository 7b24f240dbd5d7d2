/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters of an earlier time: a file with the JSON output of madsweep Get ATTRIBUTE, or of its --since or --delta. */
#ifndef SRC_BASELINE_H
#define SRC_BASELINE_H

#include <madkit/counters.h>
#include <madkit/sweep.h>

/* A port of the file. */
struct baseline_port {
	uint64_t node_guid, peer_guid; /* peer_guid 0: not known */
	uint8_t number, peer_number;
	bool read;          /* it has a reading; else it did not respond */
	bool present;       /* baseline_check_subnet() has found its node in the sweep */
	bool replaced;      /* baseline_note(): another port is in its place */
	char name[65];      /* of the node, or "" */
	char peer_name[65]; /* of the node at the other end, or "" */
};

struct baseline {
	const char *option, *path;
	struct madkit_readings *readings; /* with times in nanoseconds since 1970 */
	struct baseline_port *ports;      /* each once, in the order of GUID and number */
	uint32_t nports;
	uint32_t *behind;           /* numbers of ports, in the order of the other ends of their links */
	uint64_t first_ns, last_ns; /* times of the earliest and of the latest reading */
	uint64_t last_line;         /* number of the line of the latest reading */
	bool partial;               /* it may lack ports that were there */
	struct madkit_buf list;     /* has the ports */
};

/*
 * Reads the readings of attributes of PerfMgt from a file ("-": standard input). Lines about other attributes are skipped; of several
 * runs, the last one with the attribute counts. A run that has no summary at its end, or that the deadline or a signal
 * ended, a line that is not JSON output, a reading of a time after now_ns
 * (since 1970; UINT64_MAX: any time), and a file without readings of these attributes are errors.
 * Nothing is kept after an error. Returns EXIT_DONE; or another exit status after a report. Free the result with
 * baseline_free().
 */
int baseline_read(const char *option, const char *path, const uint16_t *attributes, size_t n, uint64_t now_ns,
		  struct baseline **baseline);
void baseline_free(struct baseline *baseline);

/* Sorts the ports that were read, and removes those that are in the list several times. Returns EXIT_DONE or EXIT_LOCAL. */
int baseline_sort(struct baseline *baseline);

/* Checks that no reading is of a time after now_ns (since 1970). Returns EXIT_DONE, or EXIT_MALFORMED after a report. */
int baseline_check_time(const struct baseline *baseline, uint64_t now_ns);

/* Finds the ports of which the sweep has the node. Returns EXIT_DONE; EXIT_MALFORMED after a report if there is none, so
 * that the file is of another subnet; or EXIT_LOCAL. */
int baseline_check_subnet(struct baseline *baseline, const struct madkit_sweep *sweep);

/* Returns the port with this number of a node; NULL: the file does not have it. */
const struct baseline_port *baseline_find(const struct baseline *baseline, uint64_t node_guid,
					  uint8_t number);

/* Returns the port that was connected to a port of a node; NULL: none was. */
const struct baseline_port *baseline_behind(const struct baseline *baseline, uint64_t peer_guid,
					    uint8_t peer_number);

/* Notes that another port is in the place of this one. */
void baseline_note(struct baseline *baseline, const struct baseline_port *port);

/* Makes the record of a port from what the file says of it. */
void baseline_get_record(const struct baseline_port *port, struct madkit_sweep_record *record);

#endif
