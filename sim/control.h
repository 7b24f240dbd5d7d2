/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Control words: a line of words that changes a simulation (madsim-control(7)). */
#ifndef SIM_CONTROL_H
#define SIM_CONTROL_H

#include <madkit/buf.h>
#include <madkit/error.h>
#include "sim/simulation.h"

enum { CONTROL_WORDS_MAX = 32 };

struct control_words {
	const char *at[CONTROL_WORDS_MAX];
	size_t n;
};

/*
 * control_split - split a line into words
 * @line:  the line. Words are split by blanks; '...' and "..." may contain blanks, as in the shell. It is
 *         changed, and the words point into it.
 * @words: receives the words
 * @error: names what is wrong
 *
 * Return: 0; -EINVAL.
 */
int control_split(char *line, struct control_words *words, struct madkit_error *error);

/*
 * control_do - do what a line of words says, at once
 * @s:     the simulation, processed up to the present time
 * @words: the words
 * @text:  what the words print is appended to it
 * @error: names the offending word
 *
 * Return: 0; -ENOSYS: the first word is not known here (error lists the known ones; the caller can append
 * words of its own); another negated errno value.
 */
int control_do(struct simulation *s, const struct control_words *words, struct madkit_buf *text,
	       struct madkit_error *error);

#endif
