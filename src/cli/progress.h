/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A progress line on standard error, if that is a terminal. */
#ifndef SRC_PROGRESS_H
#define SRC_PROGRESS_H

/* Shows the line in place of the previous one: not in the first second of the command, and at most every 200
 * ms. */
void progress_show(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Removes the line. Call it before anything else is written, and at the end. */
void progress_clear(void);

#endif
