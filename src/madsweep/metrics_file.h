/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The file of --output: the names of devices that an earlier run wrote, and the metrics of this one. */
#ifndef SRC_METRICS_FILE_H
#define SRC_METRICS_FILE_H

#include <madkit/metrics.h>
#include "cli/output.h"

/* A device of the earlier run. */
struct metrics_known {
	uint64_t guid;
	size_t name, len; /* in texts */
	uint16_t lid;
	uint8_t type; /* as in NodeInfo */
	bool found;   /* by this run */
};

struct metrics_file {
	const char *path;            /* NULL: standard output */
	struct metrics_known *known; /* sorted by GUID; in devices */
	size_t n;
	struct madkit_buf devices, texts;
};

/* Reads the names of the earlier run; a file that madsweep did not write, or that was changed, has none, which is
 * reported. path: NULL for standard output. Returns EXIT_DONE, or EXIT_LOCAL after a report. */
int metrics_file_read(struct metrics_file *file, const char *path);
void metrics_file_free(struct metrics_file *file);

/* Returns NULL if the earlier run does not have the device. */
struct metrics_known *metrics_file_find(const struct metrics_file *file, uint64_t guid);

/* Writes the metrics to standard output, or replaces the file when they are complete. Returns EXIT_DONE, or an exit status
 * after a report: the file is then as before. */
int metrics_file_write(const struct metrics_file *file, struct madkit_metrics *metrics,
		       const struct madkit_metrics_run *run, struct output *out);

#endif
