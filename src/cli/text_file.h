/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads a small file of settings line by line. */
#ifndef SRC_TEXT_FILE_H
#define SRC_TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* The longest line, without its newline. */
enum { TEXT_FILE_LINE_MAX = 4096 };

/* A line of a file. */
struct text_line {
	const char *path;
	unsigned int number; /* from 1 on */
	const char *text;    /* without newline and carriage return; not terminated */
	size_t len;
};

/* A word of a line; len 0: the line has no more words. */
struct text_word {
	const char *text;
	size_t len;
	unsigned int column; /* from 1 on */
};

/*
 * text_file_read - read a file
 * @path:    the file, which is noted (input.h)
 * @keys:    warn if others can read it
 * @take:    called for each line, also for empty ones and comments; returns an exit status, of which any
 *           other than EXIT_DONE ends the reading
 * @context: passed to @take
 *
 * Return: EXIT_DONE, what @take returned, or another exit status after a report.
 */
int text_file_read(const char *path, bool keys, int (*take)(void *context, const struct text_line *line),
		   void *context);

/* Returns the next word of a line, separated by blanks or tabs; *at begins with 0. A word in "" may contain them. A #
 * at the beginning of a word begins a comment. */
struct text_word text_word_next(const struct text_line *line, size_t *at);

/* Reports an error at a word: "FILE:LINE:COLUMN: ...". Returns EXIT_USAGE. */
int text_line_error(const struct text_line *line, unsigned int column, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
