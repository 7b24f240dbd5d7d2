/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "suggest.h"

/* Longer words are nobody's typing mistake. */
#define WORD_MAX 32

struct nearest {
	const char *word, *best;
	size_t distance;
};

/* How many letters have to be changed, added or dropped (Levenshtein), whatever
 * their case. */
static size_t distance(const char *a, size_t na, const char *b, size_t nb)
{
	size_t row[WORD_MAX + 1];

	for (size_t j = 0; j <= nb; j++)
		row[j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			size_t least = diagonal + (tolower((unsigned char)a[i - 1]) !=
						   tolower((unsigned char)b[j - 1]));

			diagonal = row[j];
			if (row[j] + 1 < least)
				least = row[j] + 1;
			if (row[j - 1] + 1 < least)
				least = row[j - 1] + 1;
			row[j] = least;
		}
	}
	return row[nb];
}

static void try_word(struct nearest *n, const char *word)
{
	size_t na = strlen(n->word), nb = strlen(word), d;

	if (na > WORD_MAX || nb > WORD_MAX)
		return;
	d = distance(n->word, na, word, nb);
	if (d < n->distance) {
		n->distance = d;
		n->best = word;
	}
}

/* A third of the letters may be wrong, three at most. */
static struct nearest begin(const char *word)
{
	size_t most = strlen(word) / 3;

	return (struct nearest){ .word = word, .distance = (most < 3 ? most : 3) + 1 };
}

static const char *say(const struct nearest *n, char buf[SUGGESTION_MAX])
{
	buf[0] = 0;
	if (n->best)
		snprintf(buf, SUGGESTION_MAX, "; did you mean '%s'?", n->best);
	return buf;
}

const char *suggest_attribute(const char *word, int mgmt_class,
			      char buf[SUGGESTION_MAX])
{
	const char *colon = strchr(word, ':');
	struct nearest n = begin(colon ? colon + 1 : word);
	size_t count;
	const struct madkit_class *classes = madkit_classes(&count);

	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < classes[i].nattributes; j++)
			if (mgmt_class < 0 || (mgmt_class >= classes[i].id &&
					       mgmt_class <= classes[i].last))
				try_word(&n, classes[i].attributes[j].name);
	return say(&n, buf);
}

const char *suggest_method(const char *word, uint8_t mgmt_class,
			   char buf[SUGGESTION_MAX])
{
	struct nearest n = begin(word);

	for (unsigned int m = 0; m <= UINT8_MAX; m++) {
		const char *name = madkit_method_name(mgmt_class, (uint8_t)m);

		if (name)
			try_word(&n, name);
	}
	return say(&n, buf);
}

const char *suggest_field(const char *word, const struct madkit_layout *layout,
			  char buf[SUGGESTION_MAX])
{
	struct nearest n = begin(word);

	for (size_t i = 0; i < layout->nfields; i++)
		try_word(&n, layout->fields[i].name);
	return say(&n, buf);
}
