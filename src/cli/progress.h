/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One line on standard error, if that is a terminal, that says how far longer work has come. */
#ifndef SRC_PROGRESS_H
#define SRC_PROGRESS_H

/* Shows the line in place of the last one: not in the first second of the command, and every 200 ms at most. */
void progress_show(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Removes it: before anything else is written, and at the end. */
void progress_clear(void);

#endif
