/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Words: lists of names in one string, as in the tables ("NodeDesc,ND"), and words of the names of nodes. */
#ifndef UTIL_WORD_H
#define UTIL_WORD_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

/* Compares ASCII letters, ignoring case. Does not depend on the locale. */
static inline bool names_same_letter(char a, char b)
{
	return a == b || ((a | 0x20) == (b | 0x20) && (a | 0x20) >= 'a' && (a | 0x20) <= 'z');
}

/* Checks if a list (NULL: empty) contains the word of len bytes, ignoring case. A word with a comma is in no list. */
static inline bool names_have(const char *list, const char *word, size_t len)
{
	while (list && *list) {
		size_t n = 0;

		while (n < len && list[n] && list[n] != ',' && names_same_letter(list[n], word[n]))
			n++;
		if (n == len && (!list[n] || list[n] == ','))
			return true;
		list = strchr(list + n, ',');
		if (list)
			list++;
	}
	return false;
}

/* Checks if the word of len bytes is the name, ignoring case. */
static inline bool names_is(const char *name, const char *word, size_t len)
{
	size_t n = 0;

	while (n < len && name[n] && names_same_letter(name[n], word[n]))
		n++;
	return n == len && !name[n];
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

/*
 * Finds the short name in the name of a node: NAME in "MF0;NAME:MODEL/U1", the description of a managed switch of
 * NVIDIA, else the first word. Sets *n to its length.
 */
const char *word_of_name(const char *text, size_t len, size_t *n);

/* Compares names, and the numbers in them by their values: node2 is before node10. Returns 0 only if all bytes are
 * equal. */
int word_compare(const char *a, size_t a_len, const char *b, size_t b_len);

#endif
