/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <madkit/mad.h>
#include <madkit/registry.h>
#include "expr/words.h"
#include "util/word.h"
#include "util/nearest.h"
#include "wire/wire_int.h"

/* Longer than every word of the lists. */
enum { WORDS_MAX = 64 };

/* A search for the word in a list. */
struct words_search {
	struct nearest nearest;
	bool found;
};

/* name: a constant, or NULL. */
static void words_try(struct words_search *s, const char *name)
{
	if (!name || s->found)
		return;
	s->found = !strcasecmp(s->nearest.word, name);
	nearest_try(&s->nearest, name);
}

static void words_try_kinds(struct words_search *s)
{
	for (unsigned int kind = 0; kind <= MADKIT_MESSAGE_DIFFERENCE; kind++)
		words_try(s, message_kind_name((enum madkit_message_kind)kind));
}

/* An alias is known, but the entry never has it. */
static void words_try_classes(struct words_search *s)
{
	const struct madkit_class *classes;
	uint8_t number;
	char buf[20];
	size_t n;

	classes = madkit_classes(&n);
	for (size_t i = 0; i < n; i++)
		if (classes[i].id == classes[i].last)
			words_try(s, classes[i].name);
	if (s->found || madkit_class_find(s->nearest.word, &number, NULL))
		return;
	s->found = !strcasecmp(s->nearest.word, madkit_class_name(number, buf));
	if (madkit_class_get(number))
		s->nearest.best = madkit_class_get(number)->name;
}

static void words_try_methods(struct words_search *s)
{
	for (unsigned int class = 0; class <= UINT8_MAX && !s->found; class ++)
		for (unsigned int method = 0; method <= UINT8_MAX && !s->found; method++)
			words_try(s, madkit_method_name((uint8_t) class, (uint8_t)method));
}

static void words_try_attributes(struct words_search *s)
{
	const struct madkit_attribute *attribute;
	const struct madkit_class *classes;
	uint8_t mgmt_class;
	uint16_t id;
	size_t n;

	classes = madkit_classes(&n);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < classes[i].nattributes; j++)
			words_try(s, classes[i].attributes[j].name);
	if (!s->found && !madkit_attribute_find(s->nearest.word, -1, &mgmt_class, &id, &attribute, NULL) &&
	    attribute)
		s->nearest.best = attribute->name;
}

int words_check(enum envelope_id id, const char *word, size_t len, int position, struct madkit_error *error)
{
	char text[WORDS_MAX];
	struct words_search s = { .found = false };
	const char *what, *best;

	if (len < sizeof(text)) {
		memcpy(text, word, len);
		text[len] = 0;
	} else {
		text[0] = 0;
	}
	s.nearest = nearest_begin(text);
	switch (id) {
	case ENVELOPE_KIND:
		what = "kind";
		words_try_kinds(&s);
		break;
	case ENVELOPE_CLASS:
		what = "class";
		words_try_classes(&s);
		break;
	case ENVELOPE_METHOD:
		what = "method";
		words_try_methods(&s);
		break;
	case ENVELOPE_ATTRIBUTE:
		what = "attribute";
		words_try_attributes(&s);
		break;
	default:
		return 0;
	}
	if (s.found)
		return 0;
	best = nearest_word(&s.nearest);
	return madkit_error_set(error, -EINVAL, position, "there is no %s '%.*s'%s%s%s", what, clip(len),
				word, best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
}

bool words_have(enum envelope_id id, const char *word, size_t len)
{
	return (id == ENVELOPE_KIND || id == ENVELOPE_CLASS || id == ENVELOPE_METHOD ||
		id == ENVELOPE_ATTRIBUTE) &&
	       !words_check(id, word, len, 0, NULL);
}
