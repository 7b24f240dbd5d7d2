/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Parses words that control commands have in common. */
#ifndef SIM_CONTROL_TAKE_H
#define SIM_CONTROL_TAKE_H

#include <madkit/buf.h>
#include <madkit/error.h>
#include "sim/control_words.h"
#include "sim/simulation.h"

/* A command that is being run. */
struct control {
	struct simulation *s;
	const struct control_words *words;
	struct madkit_buf *text;
	struct madkit_error *error;
};

#define wrong(c, ...) madkit_error_set((c)->error, -EINVAL, -1, __VA_ARGS__)

static inline const char *word_at(const struct control *c, size_t i)
{
	return c->words->at[i];
}

int control_take_node(const struct control *c, const char *word, uint32_t *node);
/* Parses word i as a port of the node that word i - 1 names. */
int control_take_port(const struct control *c, size_t i, uint32_t node, unsigned int *port);
/* Parses NODE PORT, which begins at word i. */
int control_take_node_port(const struct control *c, size_t i, uint32_t *node, unsigned int *port);
/* Splits NAME=VALUE: copies NAME and returns VALUE, or NULL if the word has no '=' or NAME is too long. */
const char *control_split_word(const char *word, char name[64]);
struct port *control_port(const struct control *c, uint32_t node, unsigned int port);
/* Parses a decimal number with a sign, at most max without it, and multiplies it. Returns 0 or -EINVAL. */
int control_take_decimal(const char *text, unsigned int max, unsigned int times, int32_t *value);

#endif
