/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds the known word nearest to a mistyped one. Inline functions, so that the commands can also use
 * them. */
#ifndef UTIL_NEAREST_H
#define UTIL_NEAREST_H

#include <stddef.h>
#include <string.h>
#include <strings.h>

/* Longer words are not compared. */
#define NEAREST_WORD_MAX 32

struct nearest {
	const char *word, *best;
	const char *longer; /* the first word that begins with the mistyped one */
	size_t distance;
};

/* ASCII only; does not depend on the locale. */
static inline char nearest_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* Returns the number of letters to change, add, remove, or swap with the next one (optimal string alignment),
 * ignoring case. */
static inline size_t nearest_distance(const char *a, size_t na, const char *b, size_t nb)
{
	size_t rows[3][NEAREST_WORD_MAX + 1];

	for (size_t j = 0; j <= nb; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			const char p = nearest_lower(a[i - 1]), q = nearest_lower(b[j - 1]);
			size_t least = above[j - 1] + (p != q);

			if (above[j] + 1 < least)
				least = above[j] + 1;
			if (row[j - 1] + 1 < least)
				least = row[j - 1] + 1;
			if (i > 1 && j > 1 && p == nearest_lower(b[j - 2]) && nearest_lower(a[i - 2]) == q &&
			    second[j - 2] + 1 < least)
				least = second[j - 2] + 1;
			row[j] = least;
		}
	}
	return rows[na % 3][nb];
}

/* Accepts words with up to a third of the letters wrong, but not more than three. */
static inline struct nearest nearest_begin(const char *word)
{
	size_t most = strlen(word) / 3;

	return (struct nearest){ .word = word, .distance = (most < 3 ? most : 3) + 1 };
}

/* Compares a known word, which must stay valid. */
static inline void nearest_try(struct nearest *n, const char *word)
{
	size_t na = strlen(n->word), nb = strlen(word), d;

	if (na >= 3 && !n->longer && !strncasecmp(n->word, word, na))
		n->longer = word;
	if (na > NEAREST_WORD_MAX || nb > NEAREST_WORD_MAX)
		return;
	d = nearest_distance(n->word, na, word, nb);
	if (d < n->distance) {
		n->distance = d;
		n->best = word;
	}
}

/* Returns the nearest word that was tried, otherwise one that begins with the mistyped word; NULL: none is
 * near. */
static inline const char *nearest_word(const struct nearest *n)
{
	return n->best ? n->best : n->longer;
}

#endif
