/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --state: the reported state of a subnet, in a file. */
#ifndef SRC_KEEP_H
#define SRC_KEEP_H

#include "watch.h"

/* Reads the file into the view of the watch. *found: it existed. Returns EXIT_DONE, or another exit status after a report. */
int keep_read(struct watch *watch, const char *path, bool *found);

/* Replaces the file. Returns EXIT_DONE, or EXIT_LOCAL after a report. */
int keep_write(const struct watch *watch, const char *path);

#endif
