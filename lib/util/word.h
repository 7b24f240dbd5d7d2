/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Words: lists of names in one string, as in the tables ("NodeDesc,ND"), and words of the names of nodes. */
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

/* Checks if a text of len bytes begins with the word of n bytes. "" begins no text. */
static inline bool word_begins(const char *text, size_t len, const char *word, size_t n, bool any_case)
{
	return n && n <= len && (any_case ? !strncasecmp(text, word, n) : !memcmp(text, word, n));
}

/* Checks if the word is the first one of the text (or several words are the first ones), such as the host name in
 * "node1 HCA-1": a blank follows. */
static inline bool word_is_first(const char *text, size_t len, const char *word, size_t n, bool any_case)
{
	return n < len && text[n] == ' ' && word_begins(text, len, word, n, any_case);
}

#endif
