/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Words: lists of names in one string, as in the tables ("NodeDesc,ND"). */
#ifndef UTIL_WORD_H
#define UTIL_WORD_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

/* Checks if the list (NULL: empty) contains the word of len bytes, ignoring case. */
static inline bool names_have(const char *list, const char *word, size_t len)
{
	while (list && *list) {
		size_t n = strcspn(list, ",");

		if (n == len && !strncasecmp(list, word, len))
			return true;
		list += n + (list[n] == ',');
	}
	return false;
}

/* Returns how many of the len bytes of a word a message shows: for "%.*s". */
static inline int clip(size_t len)
{
	return (int)(len < 64 ? len : 64);
}

#endif
