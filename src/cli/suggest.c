/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "suggest.h"
#include "util/nearest.h"

static const char *suggest_text(const struct nearest *n, const char *before, char buf[SUGGESTION_MAX])
{
	const char *best = nearest_word(n);

	buf[0] = 0;
	if (best)
		snprintf(buf, SUGGESTION_MAX, "; did you mean '%s%s'?", before, best);
	return buf;
}

const char *suggest_attribute(const char *word, int mgmt_class, char buf[SUGGESTION_MAX])
{
	const char *colon = strchr(word, ':');
	struct nearest n = nearest_begin(colon ? colon + 1 : word);
	size_t count;
	const struct madkit_class *classes = madkit_classes(&count);
	char class_name[NEAREST_WORD_MAX];
	uint8_t class;

	/* search only a class that is named: another class may have an attribute of exactly this name */
	snprintf(class_name, sizeof(class_name), "%.*s", colon ? (int)(colon - word) : 0, word);
	if (mgmt_class < 0 && colon && !madkit_class_find(class_name, &class, NULL))
		mgmt_class = class;
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < classes[i].nattributes; j++)
			if (mgmt_class < 0 || (mgmt_class >= classes[i].id && mgmt_class <= classes[i].last))
				nearest_try(&n, classes[i].attributes[j].name);
	if (!*suggest_text(&n, "", buf))
		snprintf(buf, SUGGESTION_MAX, "; 'madsend --describe' lists them");
	return buf;
}

const char *suggest_method(const char *word, uint8_t mgmt_class, char buf[SUGGESTION_MAX])
{
	struct nearest n = nearest_begin(word);

	for (unsigned int m = 0; m <= UINT8_MAX; m++) {
		const char *name = madkit_method_name(mgmt_class, (uint8_t)m);

		if (name)
			nearest_try(&n, name);
	}
	return suggest_text(&n, "", buf);
}

/* A search for a field. The buffers hold full names, which no table has. */
struct field_search {
	struct nearest n;
	char best[MADKIT_PATH_MAX], longer[MADKIT_PATH_MAX];
};

/* Compares full names if the word has a dot. Fields of the layout take precedence over fields nested in
 * them. */
static void suggest_try_fields(struct field_search *s, const struct madkit_layout *layout, const char *prefix,
			       unsigned int depth)
{
	bool full = strchr(s->n.word, '.');
	char path[MADKIT_PATH_MAX];

	for (size_t i = 0; i < layout->nfields; i++) {
		const struct madkit_field *field = &layout->fields[i];

		if (field->kind == MADKIT_KIND_RESERVED)
			continue;
		snprintf(path, sizeof(path), "%s%s", prefix, field->name);
		nearest_try(&s->n, full ? path : field->name);
		if (s->n.best == path)
			s->n.best = strcpy(s->best, path);
		if (s->n.longer == path)
			s->n.longer = strcpy(s->longer, path);
	}
	for (size_t i = 0; i < layout->nfields && depth < MADKIT_DEPTH_MAX; i++) {
		if (layout->fields[i].kind != MADKIT_KIND_STRUCT)
			continue;
		snprintf(path, sizeof(path), "%.80s%.70s.", prefix, layout->fields[i].name);
		suggest_try_fields(s, layout->fields[i].sub, path, depth + 1);
	}
}

const char *suggest_field(const char *word, const struct madkit_layout *layout, char buf[SUGGESTION_MAX])
{
	struct field_search s = { .n = nearest_begin(word) };

	suggest_try_fields(&s, layout, "", 0);
	return suggest_text(&s.n, "", buf);
}

/* The SA returns NodeInfo as NodeRecord, and PortInfo as PortInfoRecord. */
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

	/* do not repeat a longer route in a message */
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
