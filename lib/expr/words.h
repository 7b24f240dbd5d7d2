/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The entries of the envelope with a list of words: kinds, classes, methods and attributes. */
#ifndef EXPR_WORDS_H
#define EXPR_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <madkit/error.h>
#include "expr/envelope.h"

/* Rejects a word that the entry never has, and suggests one. Returns 0 or -EINVAL; 0 for an entry without
 * such a list. */
int words_check(enum envelope_id id, const char *word, size_t len, int position, struct madkit_error *error);

/* Checks if the entry has such a list, and the word is on it. */
bool words_have(enum envelope_id id, const char *word, size_t len);

#endif
