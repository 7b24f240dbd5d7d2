/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The metrics of -f prometheus: devices and ports of all subnets, and the results of their requests. */
#ifndef SRC_METRICS_H
#define SRC_METRICS_H

#include <madkit/metrics.h>
#include "metrics_file.h"
#include "scope.h"
#include "subnet/gaps.h"

struct metrics {
	struct madkit_metrics *all;
	struct madkit_metrics_run run;
	struct metrics_file file; /* of --output */
	bool hcas;                /* --hca */
	bool any;                 /* a subnet was added */
	bool incomplete;          /* nodes may be missing */
	bool whole;               /* all nodes are wanted: those that are missing are silent */
	/* of the subnet whose results come: */
	size_t *firsts;    /* of each node, the place of its first device in devices */
	uint32_t *devices; /* the number of each device */
	uint32_t first;    /* number of the first port */
	uint32_t *rows;    /* number of each port of a part of the scope; NULL: they follow the first one */
};

/* Checks if metrics can be made of a sweep that lacks these parts (MADKIT_SWEEP_...). Otherwise, the file of an earlier
 * run is closer to the truth. */
bool metrics_may_begin(uint32_t missing);

/* Begins a subnet: keeps the ports in the scope that have metrics, and adds them. Returns EXIT_DONE, or EXIT_LOCAL after a
 * report. */
int metrics_begin(struct metrics *metrics, struct scope *scope);

/* Stores a result. at: index of the port in the scope, or in the part of metrics_part(). malformed: the response cannot be
 * used. */
void metrics_take(struct metrics *metrics, size_t at, const struct madkit_message *message, bool malformed);

/* Makes a part of the scope: the ports for which the attribute has counters that are still missing. The caller frees
 * part->ports. Returns EXIT_DONE, or EXIT_LOCAL after a report. */
int metrics_part(struct metrics *metrics, const struct scope *scope, const struct madkit_attribute *attribute,
		 struct scope *part);

/* Ends a subnet. survey_ns: the duration of its requests. */
void metrics_end(struct metrics *metrics, const struct scope *scope, const struct gaps *gaps,
		 uint64_t sweep_ns, uint64_t survey_ns);

/* Writes the metrics of all subnets. Returns EXIT_DONE, or an exit status after a report. */
int metrics_write(struct metrics *metrics, struct output *out);

/* Reads --hca and --output. Returns EXIT_DONE, or EXIT_LOCAL after a report. The caller frees the metrics. */
int metrics_new(const struct madsweep_options *options, struct metrics **metrics);
void metrics_free(struct metrics *metrics);

#endif
