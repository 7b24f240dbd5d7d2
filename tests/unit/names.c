/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of fields: which ones are refused because they mean several fields. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <madkit/expr.h>
#include <madkit/json_in.h>
#include <madkit/mad.h>
#include <madkit/registry.h>
#include "../tap.h"
#include "util/array_size.h"

/* ---- records that embed an attribute -------------------------------------------------- */

/* The spellings of a field, one by one: its name, then its aliases. */
static bool spelling(const struct madkit_field *f, unsigned int n, char *buf, size_t room)
{
	const char *at = f->alias;

	if (!n)
		return snprintf(buf, room, "%s", f->name) > 0;
	while (at && --n) {
		at = strchr(at, ',');
		at = at ? at + 1 : NULL;
	}
	return at && snprintf(buf, room, "%.*s", (int)strcspn(at, ","), at) > 0;
}

static bool is_spelling(const struct madkit_field *f, const char *word)
{
	char own[64];

	for (unsigned int n = 0; spelling(f, n, own, sizeof(own)); n++)
		if (!strcasecmp(own, word))
			return true;
	return false;
}

/* Returns true if the identifier ends with the word, as EndportLID ends with LID. */
static bool ends_with_word(const char *name, const char *word)
{
	size_t n = strlen(name), len = strlen(word);

	return n > len && !strcasecmp(name + n - len, word) && isupper((unsigned char)name[n - len]) &&
	       islower((unsigned char)name[n - len - 1]);
}

static unsigned int refused, embedding;

/* Everything that takes names of fields refuses the word. */
static void check_refused(const struct madkit_attribute *row, uint8_t class, const char *word,
			  const char *one, const char *other)
{
	struct madkit_error e = { .text = "" };
	struct madkit_projection *p;
	struct madkit_json_in *in = madkit_json_in_new();
	struct madkit_expr *expr;
	struct madkit_place place;
	uint8_t data[256] = { 0 }, zeros[256] = { 0 };
	char line[256];

	refused++;
	is_int(madkit_attribute_set(row, data, sizeof(data), word, "4", &place, &e), -EEXIST,
	       "A1: %s: %s=4 is refused", row->name, word);
	ok(strstr(e.text, one) && strstr(e.text, other) && !memcmp(data, zeros, sizeof(data)),
	   "A1: %s: the error offers %s and %s: %s", row->name, one, other, e.text);
	snprintf(line, sizeof(line), "%s == 4", word);
	is_int(madkit_expr_new(line, &expr, &e), 0, "the expression is read");
	is_int(madkit_expr_check(expr, row, &e), -EEXIST, "A1: %s: '%s' is refused", row->name, line);
	madkit_expr_free(expr);
	is_int(madkit_projection_new(word, &p, &e), 0, "the projection is read");
	is_int(madkit_projection_check(p, row, &e), -EEXIST, "A1: %s: --fields %s is refused", row->name,
	       word);
	madkit_projection_free(p);
	snprintf(line, sizeof(line),
		 "{\"header\":{\"class\":\"%s\",\"method\":\"GetTable\","
		 "\"attribute\":\"%s\"},\"data\":{\"%s\":4}}",
		 madkit_class_get(class)->name, row->name, word);
	is_int(madkit_json_in_line(in, line, strlen(line), &e), -EINVAL,
	       "A1: %s: a line of JSON with %s is refused: %s", row->name, word, e.text);
	madkit_json_in_free(in);
}

static void test_names_check_pair(const struct madkit_attribute *row, uint8_t class,
				  const struct madkit_field *own, const struct madkit_field *nested,
				  const char *nested_path)
{
	struct madkit_place place;
	char word[64];

	is_int(madkit_place_find(row->layout, own->name, strlen(own->name), &place, NULL), 0,
	       "A1: %s: %s is a full name", row->name, own->name);
	ok(place.field == own, "A1: %s: ... of the identifier", row->name);
	is_int(madkit_place_find(row->layout, nested_path, strlen(nested_path), &place, NULL), 0,
	       "A1: %s: %s is a full name", row->name, nested_path);
	ok(place.field == nested, "A1: %s: ... of the nested field", row->name);
	for (unsigned int n = 0; spelling(nested, n, word, sizeof(word)); n++)
		if (strcasecmp(own->name, word) &&
		    (is_spelling(own, word) || ends_with_word(own->name, word)))
			check_refused(row, class, word, own->name, nested_path);
}

static void check_nested(const struct madkit_attribute *row, uint8_t class,
			 const struct madkit_layout *layout, const char *prefix)
{
	for (unsigned int i = 0; i < layout->nfields; i++) {
		const struct madkit_field *f = &layout->fields[i];
		char path[MADKIT_PATH_MAX];

		if (f->kind == MADKIT_KIND_RESERVED)
			continue;
		snprintf(path, sizeof(path), "%s%s%s", prefix, *prefix ? "." : "", f->name);
		if (f->kind == MADKIT_KIND_STRUCT) {
			embedding += !*prefix;
			check_nested(row, class, f->sub, path);
			continue;
		}
		for (unsigned int k = 0; *prefix && k < row->layout->nfields; k++)
			if (row->layout->fields[k].kind != MADKIT_KIND_RESERVED &&
			    row->layout->fields[k].kind != MADKIT_KIND_STRUCT)
				test_names_check_pair(row, class, &row->layout->fields[k], f, path);
	}
}

static void test_names_check_records(void)
{
	const struct madkit_class *sa = madkit_class_get(MADKIT_CLASS_SA);

	for (size_t i = 0; i < sa->nattributes; i++)
		check_nested(&sa->attributes[i], MADKIT_CLASS_SA, sa->attributes[i].layout, "");
	ok(embedding >= 13, "A1: %u records of the SA embed an attribute", embedding);
	/* PortInfoRecord's LID, InformInfoRecord's GID */
	ok(refused >= 2, "A1: %u short names are refused", refused);
}

/* A short name that has one meaning is accepted wherever its field is. */
static void check_short(void)
{
	/* clang-format off */
	static const struct { uint16_t id; const char *word, *path; } names[] = {
		{ 0x12, "EndportLID", "EndportLID" }, { 0x12, "PortInfo.LID", "PortInfo.Lid" },
		{ 0x12, "LinkState", "PortInfo.LinkState" }, { 0x11, "LID", "LID" },
		{ 0x11, "Guid", "NodeInfo.Guid" }, { 0x3e, "LID", "EndportLID" },
		{ 0x16, "LID", "LID" },
		{ 0x16, "Block.LID", "RandomForwardingTable.Block.LID" },
		{ 0xf3, "SubscriberGID", "SubscriberGID" },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct madkit_attribute *row = madkit_attribute_get(1, 3, names[i].id);
		struct madkit_place place = { .path = "" };

		is_int(madkit_place_find(row->layout, names[i].word, strlen(names[i].word), &place, NULL), 0,
		       "A1: %s has %s", row->name, names[i].word);
		is_str(place.path, names[i].path, "A1: ... with this full name");
	}
}

/* ---- the attribute that answers ------------------------------------------------------- */

/* The row that answers: of another id only where the standards say so, else the same. */
static void check_answers(void)
{
	const struct madkit_class *classes;
	unsigned int others = 0;
	size_t n;

	classes = madkit_classes(&n);
	for (size_t c = 0; c < n; c++) {
		for (size_t i = 0; i < classes[c].nattributes; i++) {
			const struct madkit_attribute *row = &classes[c].attributes[i];

			for (unsigned int method = 1; method < 0x80; method++) {
				const struct madkit_attribute *answer =
					madkit_attribute_answer(classes[c].id, (uint8_t)method, row);
				bool send = classes[c].id == MADKIT_CLASS_BM && method == MADKIT_METHOD_SEND;

				if (answer == row)
					continue;
				others++;
				if (classes[c].id == MADKIT_CLASS_SA)
					continue;
				ok(send && answer->id == row->id && answer->modifier_value == 1 &&
					   strstr(answer->name, row->name) == answer->name,
				   "A6: %s answers %s", answer->name, row->name);
			}
		}
	}
	/* MultiPathRecord, GetTraceTable of all but TraceRecord, 16 commands of BM */
	is_int(others, 1 + madkit_class_get(MADKIT_CLASS_SA)->nattributes - 1 + 16,
	       "A6: rows that another row answers");
}

static void check_answer_names(void)
{
	static const struct {
		uint8_t method;
		uint16_t id, answer;
		const char *is, *not ;
	} list[] = {
		{ MADKIT_METHOD_GET_MULTI, 0x3a, 0x35, "DGID", "SGIDCount" },
		{ MADKIT_METHOD_GET_TRACE_TABLE, 0x35, 0x39, "ExitPort", "DGID" },
		{ MADKIT_METHOD_GET_TRACE_TABLE, 0x39, 0x39, "ExitPort", "DGID" },
		{ MADKIT_METHOD_GET_TABLE, 0x35, 0x35, "DGID", "ExitPort" },
		{ MADKIT_METHOD_GET, 0x3a, 0x3a, "SGIDCount", "DGID" },
	};

	ok(!madkit_attribute_answer(3, MADKIT_METHOD_GET, NULL), "A6: no row answers no row");
	for (size_t i = 0; i < ARRAY_SIZE(list); i++) {
		const struct madkit_attribute *row =
			madkit_attribute_answer(MADKIT_CLASS_SA, list[i].method,
						madkit_attribute_get(1, MADKIT_CLASS_SA, list[i].id));
		struct madkit_projection *p;

		is_int(row->id, list[i].answer, "A6: %s answers 0x%02x", row->name, list[i].id);
		for (unsigned int k = 0; k < 2; k++) {
			const char *word = k ? list[i].not : list[i].is;

			is_int(madkit_projection_new(word, &p, NULL), 0, "a projection");
			is_int(madkit_projection_check(p, row, NULL), k ? -ENOENT : 0, "A6: ... %s", word);
			madkit_projection_free(p);
		}
	}
}

/* ---- an index of a field that is not an array -------------------------------------------- */

/* Each field of the layout that is not an array, with an index, in data of that layout (NULL: of any
 * layout): it is refused, with a message that says so. */
static void check_layout_index(const struct madkit_attribute *row, const struct madkit_layout *layout,
			       const uint8_t *data)
{
	for (unsigned int i = 0; i < layout->nfields; i++) {
		const struct madkit_field *f = &layout->fields[i];
		struct madkit_error e = { .text = "" };
		struct madkit_place place;
		char word[80], want[120];

		if (f->count || f->kind == MADKIT_KIND_RESERVED)
			continue;
		snprintf(word, sizeof(word), "%s[1]", f->name);
		snprintf(want, sizeof(want), "'%s': the field is not an array", word);
		is_int(madkit_attribute_place(row, data, data ? 256 : 0, word, strlen(word), &place, &e),
		       -EINVAL, "%s: %s", layout->name, word);
		ok(!strcmp(e.text, want), "%s: ... %s", layout->name, e.text);
	}
}

static void check_index(void)
{
	size_t n;
	const struct madkit_class *classes = madkit_classes(&n);

	for (size_t c = 0; c < n; c++)
		for (size_t i = 0; i < classes[c].nattributes; i++) {
			const struct madkit_attribute *row = &classes[c].attributes[i];
			uint8_t data[256] = { 0 };

			if (row->layout)
				check_layout_index(row, row->layout, NULL);
			for (unsigned int k = 0; k < row->neditions; k++) {
				const struct madkit_edition *e = &row->editions[k];

				for (unsigned int byte = 0; byte < 8; byte++)
					data[byte] = (uint8_t)((e->first & e->mask) >> (56 - 8 * byte));
				check_layout_index(row, e->layout, data);
				check_layout_index(row, e->layout, NULL);
			}
		}
}

/* Control characters, which a terminal would obey, in an argument of a message. */
static void test_names_check_errors(void)
{
	static const struct {
		const char *word, *want;
	} list[] = {
		{ "a\x1b[2J", "'a\\x1b[2J'" },           { "\x7f", "'\\x7f'" },
		{ "\xc2\x9b", "'\\xc2\\x9b'" },          { "\xe2\x80\xae", "'\\xe2\\x80\\xae'" },
		{ "\xe2\x81\xa6", "'\\xe2\\x81\\xa6'" }, { "\xff", "'\\xff'" },
		{ "\xc3\xa9\n", "'\xc3\xa9\\x0a'" },
	};
	struct madkit_error e;
	char word[400];

	for (size_t i = 0; i < ARRAY_SIZE(list); i++) {
		madkit_error_set(&e, -EINVAL, -1, "'%s'", list[i].word);
		ok(!strcmp(e.text, list[i].want), "B10: escaped word %zu of an error", i);
	}
	memset(word, 1, sizeof(word) - 1);
	word[sizeof(word) - 1] = 0;
	madkit_error_set(&e, -EINVAL, -1, "%s", word);
	ok(strlen(e.text) == 236 && !strcmp(e.text + 232, "\\x01"), "B10: ... whole, and as many as fit");
}

int main(void)
{
	test_names_check_errors();
	test_names_check_records();
	check_short();
	check_answers();
	check_answer_names();
	check_index();
	return tap_done();
}
