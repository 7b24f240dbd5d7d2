/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters of an earlier time: a file with the JSON output of madsweep Get ATTRIBUTE. */
#ifndef SRC_BASELINE_H
#define SRC_BASELINE_H

#include <madkit/counters.h>
#include <madkit/sweep.h>

/* A port of the file. */
struct baseline_port {
	uint64_t node_guid, peer_guid; /* peer_guid 0: not known */
	uint8_t number, peer_number;
	char name[65]; /* of the node, or "" */
};

struct baseline {
	const char *path;
	struct madkit_readings *readings;  /* with times in nanoseconds since 1970 */
	const struct baseline_port *ports; /* those with a reading, each once */
	uint32_t nports;
	struct madkit_buf list;     /* has the ports */
	uint64_t first_ns, last_ns; /* times of the earliest and of the latest reading */
};

/*
 * Reads the readings of attributes of PerfMgt from a file ("-": standard input). Lines about other attributes, and of ports
 * that did not answer, are skipped; if a port was read several times, the last reading counts. A line that is not JSON
 * output, a reading of a time after now_ns (since 1970), and a file without readings of these attributes are errors.
 * Nothing is kept after an error. Returns EXIT_DONE; or another exit status after a report. Free the result with
 * baseline_free().
 */
int baseline_read(const char *option, const char *path, const uint16_t *attributes, size_t n, uint64_t now_ns,
		  struct baseline **baseline);
void baseline_free(struct baseline *baseline);

/* Checks that a node of the sweep has a reading. Returns EXIT_DONE, or EXIT_MALFORMED after a report. */
int baseline_check_subnet(const struct baseline *baseline, const struct madkit_sweep *sweep);

/* Returns the port that was connected to a port of a node; NULL: none was. */
const struct baseline_port *baseline_behind(const struct baseline *baseline, uint64_t peer_guid,
					    uint8_t peer_number);

#endif
