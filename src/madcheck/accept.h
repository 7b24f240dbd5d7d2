/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Known deviations: lines RULE PLACE [until=DATE] # reason. */
#ifndef SRC_ACCEPT_H
#define SRC_ACCEPT_H

#include "check.h"

struct accept;

/* Reads a file. Returns EXIT_DONE, or another exit status after a report. The caller frees it in either case. */
int accept_read(const char *path, struct accept **accept);
void accept_free(struct accept *accept);

/* Marks the problems that the file accepts. */
void accept_mark(struct accept *accept, struct check *check);

/* Reports lines that have expired and, if their rules were judged on the whole subnet, lines that match no problem. */
void accept_report(const struct accept *accept, const struct check *check);

/* Writes a file that accepts all warnings and critical problems, unless the check was cut: then an old file is better.
 * Returns EXIT_DONE, or another exit status after a report. */
int accept_write(const char *path, const struct check *check);

#endif
