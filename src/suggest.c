/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "option_table.h"
#include "suggest.h"

/* Longer words are nobody's typing mistake. */
#define WORD_MAX 32

struct nearest {
	const char *word, *best;
	const char *longer; /* the first that begins with the word */
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
			size_t least = diagonal +
				       (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]));

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

	if (na >= 3 && !n->longer && !strncasecmp(n->word, word, na))
		n->longer = word;
	if (na > WORD_MAX || nb > WORD_MAX)
		return;
	d = distance(n->word, na, word, nb);
	if (d < n->distance) {
		n->distance = d;
		n->best = word;
	}
}

/* A third of the letters may be wrong, three at most. */
static struct nearest suggest_begin(const char *word)
{
	size_t most = strlen(word) / 3;

	return (struct nearest){ .word = word, .distance = (most < 3 ? most : 3) + 1 };
}

static const char *suggest_text(const struct nearest *n, const char *before, char buf[SUGGESTION_MAX])
{
	const char *best = n->best ? n->best : n->longer;

	buf[0] = 0;
	if (best)
		snprintf(buf, SUGGESTION_MAX, "; did you mean '%s%s'?", before, best);
	return buf;
}

const char *suggest_attribute(const char *word, int mgmt_class, char buf[SUGGESTION_MAX])
{
	const char *colon = strchr(word, ':');
	struct nearest n = suggest_begin(colon ? colon + 1 : word);
	size_t count;
	const struct madkit_class *classes = madkit_classes(&count);
	char class_name[WORD_MAX];
	uint8_t class;

	/* of another class it may be the very word */
	snprintf(class_name, sizeof(class_name), "%.*s", colon ? (int)(colon - word) : 0, word);
	if (mgmt_class < 0 && colon && !madkit_class_find(class_name, &class, NULL))
		mgmt_class = class;
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < classes[i].nattributes; j++)
			if (mgmt_class < 0 || (mgmt_class >= classes[i].id && mgmt_class <= classes[i].last))
				try_word(&n, classes[i].attributes[j].name);
	return suggest_text(&n, "", buf);
}

const char *suggest_method(const char *word, uint8_t mgmt_class, char buf[SUGGESTION_MAX])
{
	struct nearest n = suggest_begin(word);

	for (unsigned int m = 0; m <= UINT8_MAX; m++) {
		const char *name = madkit_method_name(mgmt_class, (uint8_t)m);

		if (name)
			try_word(&n, name);
	}
	return suggest_text(&n, "", buf);
}

const char *suggest_field(const char *word, const struct madkit_layout *layout, char buf[SUGGESTION_MAX])
{
	struct nearest n = suggest_begin(word);

	for (size_t i = 0; i < layout->nfields; i++)
		try_word(&n, layout->fields[i].name);
	return suggest_text(&n, "", buf);
}

const char *suggest_option(const char *word, unsigned int modes, char buf[SUGGESTION_MAX])
{
	char name[WORD_MAX];
	struct nearest n;

	buf[0] = 0;
	if (strncmp(word, "--", 2))
		return buf;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
	n = suggest_begin(name);
	for (size_t i = 0; i < n_option_defs; i++)
		if (option_defs[i].modes & modes)
			try_word(&n, option_defs[i].name);
	return suggest_text(&n, "--", buf);
}

/* NodeInfo is told by NodeRecord, PortInfo by PortInfoRecord. */
const char *suggest_record(const char *method, const struct madkit_attribute *attribute,
			   char buf[SUGGESTION_MAX])
{
	size_t len = attribute ? strlen(attribute->name) : 0;
	const struct madkit_attribute *record;
	uint8_t number, mgmt_class;
	uint16_t id;

	buf[0] = 0;
	if (!len || madkit_method_find(MADKIT_CLASS_SA, method, &number))
		return buf;
	for (int cut = 0; cut <= 4; cut += 4) {
		char name[48];

		if (cut && (len <= 4 || strcmp(attribute->name + len - 4, "Info")))
			break;
		snprintf(name, sizeof(name), "%.*sRecord", (int)len - cut, attribute->name);
		if (madkit_attribute_find(name, MADKIT_CLASS_SA, &mgmt_class, &id, &record, NULL))
			continue;
		snprintf(buf, SUGGESTION_MAX, "; the SA has it: %.12s %.32s", method, name);
		break;
	}
	return buf;
}

bool is_attribute_name(const char *word)
{
	const struct madkit_attribute *attribute;
	uint8_t mgmt_class, method;
	uint16_t id;
	int ret = madkit_attribute_find(word, -1, &mgmt_class, &id, &attribute, NULL);

	return ret == -EEXIST || (!ret && madkit_method_find(mgmt_class, word, &method));
}

bool is_method_name(const char *word)
{
	size_t count;
	const struct madkit_class *classes = madkit_classes(&count);
	uint8_t method;

	if (isdigit((unsigned char)*word))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!madkit_method_find(classes[i].id, word, &method))
			return true;
	return false;
}

bool suggest_address(const char *word, char option[SUGGESTED_ADDRESS_MAX], char text[SUGGESTED_ADDRESS_MAX])
{
	struct madkit_addr path;
	uint64_t guid;
	uint32_t lid;
	const char *what, *letter;

	/* a longer route is not repeated in a message */
	if (!isdigit((unsigned char)*word) || strlen(word) > 100)
		return false;
	if (!madkit_parse_lid(word, &lid, NULL)) {
		what = "LID";
		letter = "-L";
	} else if (!madkit_parse_guid(word, &guid, NULL)) {
		what = "GUID";
		letter = "-G";
	} else if (!madkit_parse_path(word, &path, NULL)) {
		what = "directed route";
		letter = "-D";
	} else {
		return false;
	}
	snprintf(option, SUGGESTED_ADDRESS_MAX, "%s %s", letter, word);
	snprintf(text, SUGGESTED_ADDRESS_MAX, "the %s is given as %s", what, option);
	return true;
}
