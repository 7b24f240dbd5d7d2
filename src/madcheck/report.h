/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The verdict and the problems, as text, as lines of JSON or rows of a table, or for Nagios. */
#ifndef SRC_REPORT_H
#define SRC_REPORT_H

#include "check.h"

/* Shows everything. Returns EXIT_DONE or the status of the output. */
int report_show(struct check *check, struct output *out);

/* Returns EXIT_NOTHING if there are problems that count, EXIT_TIMEOUT if something was not judged, else EXIT_DONE. */
int report_status(const struct check *check);

/* Returns the exit status of a plugin of Nagios: 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN. Prints its line, unless
 * report_show() has. status: of the command. */
int report_nagios_end(int status);

#endif
