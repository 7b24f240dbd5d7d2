/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#include "progress.h"
#include "wait.h"

enum {
	PROGRESS_AFTER_MS = 1000,
	PROGRESS_EVERY_MS = 200,
	PROGRESS_COLUMNS = 78,
};

static int progress_length; /* of the line that is shown; 0: no line */
static uint64_t progress_next_ms = PROGRESS_AFTER_MS;

void progress_show(const char *format, ...)
{
	uint64_t ms = wait_elapsed_ns() / 1000000;
	char text[PROGRESS_COLUMNS + 1], line[PROGRESS_COLUMNS + 4];
	va_list args;
	int n;

	if (ms < progress_next_ms || !isatty(STDERR_FILENO))
		return;
	progress_next_ms = ms + PROGRESS_EVERY_MS;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	n = snprintf(line, sizeof(line), "\r%-*s", progress_length, text);
	progress_length = n - 1;
	(void)!wait_write(STDERR_FILENO, line, (size_t)n);
}

void progress_clear(void)
{
	char line[PROGRESS_COLUMNS + 4];
	int n;

	if (!progress_length)
		return;
	n = snprintf(line, sizeof(line), "\r%*s\r", progress_length, "");
	progress_length = 0;
	(void)!wait_write(STDERR_FILENO, line, (size_t)n);
}
