/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Control commands: each is a line of words that changes a simulation (madsim-control(7)). */
#ifndef SIM_CONTROL_H
#define SIM_CONTROL_H

#include <madkit/buf.h>
#include <madkit/error.h>
#include "sim/control_words.h"
#include "sim/simulation.h"

/*
 * control_split - split a line into words
 * @line:  the line. Blanks separate words; '...' and "..." may contain blanks, as in the shell. The line is
 *         modified, and the words point into it.
 * @words: receives the words
 * @error: describes the error
 *
 * Return: 0, or -EINVAL if there are more than CONTROL_WORDS_MAX words or a quote is not closed.
 */
int control_split(char *line, struct control_words *words, struct madkit_error *error);

/*
 * control_do - run a command at once
 * @s:     the simulation, processed up to the present time
 * @words: the words of the command
 * @text:  the output of the command is appended to it
 * @error: names the offending word
 *
 * Return: 0; -ENOSYS if the command is unknown (error lists the known commands; the caller can append its
 * own); another negated errno value.
 */
int control_do(struct simulation *s, const struct control_words *words, struct madkit_buf *text,
	       struct madkit_error *error);

#endif
