/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "assertion.h"

/* Gets the test of an expression that is only one test. Returns false for any other expression. */
static bool assertion_sole_test(const struct madkit_expr *expr, struct madkit_expr_test *test)
{
	if (madkit_expr_count(expr) != 1)
		return false;
	madkit_expr_get(expr, 0, test);
	return !test->negated;
}

/* Returns the text of a value, which the buffer owns: "''" if it is empty, "null" if there is none. elements:
 * the result of madkit_expr_put_value(). */
static const char *assertion_text(struct madkit_buf *value, int elements)
{
	const bool empty = !value->len;

	madkit_buf_char(value, 0);
	if (!empty && !value->error)
		return value->data;
	return elements > 0 ? "''" : "null";
}

/* Sets assertion->failure to the value of the asserted field, ": NAME is VALUE", if the assertion is only one test of
 * one value; else to "". Returns the length. */
static size_t assertion_note_value(struct assertion *assertion, const struct madkit_record *record)
{
	struct madkit_expr_test test = { .name = "" };
	struct madkit_buf value;
	int elements = -ENOENT;

	assertion->failure[0] = 0;
	madkit_buf_init(&value, 0);
	if (assertion_sole_test(assertion->expr, &test))
		elements = madkit_expr_put_value(assertion->expr, 0, false, record, assertion->show_keys,
						 &value);
	if (elements == 1 || elements == -ENODATA)
		snprintf(assertion->failure, sizeof(assertion->failure), ": %.*s is %.100s",
			 (int)(test.name_len < 80 ? test.name_len : 80), test.name,
			 assertion_text(&value, elements));
	madkit_buf_free(&value);
	return strlen(assertion->failure);
}

/* Sets assertion->failure: the reason (why) or, if why is NULL, the value of the asserted field; then the
 * title of the record. */
static void assertion_note(struct assertion *assertion, const struct madkit_record *record, const char *why)
{
	struct madkit_buf title;
	size_t used;

	if (why)
		used = (size_t)snprintf(assertion->failure, sizeof(assertion->failure), ": %.200s", why);
	else
		used = assertion_note_value(assertion, record);
	madkit_buf_init(&title, 0);
	madkit_text_title(&title, record, false);
	if (title.len)
		snprintf(assertion->failure + used, sizeof(assertion->failure) - used, " (%.*s)",
			 (int)(title.len < 150 ? title.len : 150), title.data);
	madkit_buf_free(&title);
}

/* Checks if a record without data would have the field: an error response, an empty table. */
static bool assertion_lacks(const struct madkit_record *record, const char *name, size_t len)
{
	const struct madkit_attribute *attribute = record->attribute;
	struct madkit_place place;

	return !record->data && attribute && attribute->layout &&
	       !madkit_place_find(attribute->layout, name, len, &place, NULL);
}

/* A name of an expression. */
struct assertion_name {
	size_t test;
	bool other; /* behind the operator */
	const char *text;
	size_t len;
};

/* Appends "NAME: VALUE", after a comma if needed, unless the record does not have the name. */
static void assertion_put_value(struct madkit_buf *buf, const struct madkit_expr *expr,
				const struct assertion_name *name, const struct madkit_record *record,
				bool show_keys)
{
	struct madkit_buf value;
	int elements;

	madkit_buf_init(&value, 0);
	elements = madkit_expr_put_value(expr, name->test, name->other, record, show_keys, &value);
	if (elements > 0 || elements == -ENODATA ||
	    (elements == -ENOENT && assertion_lacks(record, name->text, name->len)))
		madkit_buf_printf(buf, "%s%.*s: %s%.60s%s", buf->len ? ", " : "", (int)name->len, name->text,
				  elements > 1 ? "[" : "", assertion_text(&value, elements),
				  elements > 1 ? "]" : "");
	madkit_buf_free(&value);
}

void assertion_put_values(struct madkit_buf *buf, const struct madkit_expr *expr,
			  const struct madkit_message *message, bool show_keys)
{
	enum { NAMES = 8 };
	struct assertion_name names[NAMES];
	struct madkit_expr_test test = { .name = "" };
	struct madkit_record record;
	size_t n = 0;

	madkit_record_get(message, 0, &record);
	for (size_t i = 0; i < 2 * madkit_expr_count(expr) && n < NAMES; i++) {
		const bool other = i & 1;
		bool known = false;

		madkit_expr_get(expr, i / 2, &test);
		if (other && !test.is_name)
			continue;
		names[n] = (struct assertion_name){
			.test = i / 2,
			.other = other,
			.text = other ? test.value : test.name,
			.len = other ? test.value_len : test.name_len,
		};
		for (size_t j = 0; j < n; j++)
			known |= names[j].len == names[n].len &&
				 !memcmp(names[j].text, names[n].text, names[n].len);
		if (known)
			continue;
		assertion_put_value(buf, expr, &names[n], &record, show_keys);
		n++;
	}
}

/* Checks if the assertion can hold for no record of this attribute; error receives the reason. */
static bool assertion_impossible(const struct assertion *assertion, const struct madkit_record *record,
				 struct madkit_error *error)
{
	return madkit_expr_explain(assertion->expr, record->attribute, error) != 0;
}

void assertion_try_record(struct assertion *assertion, const struct madkit_record *record)
{
	const struct madkit_message *message = record->message;
	char addr[MADKIT_ADDR_TEXT_MAX], port[24] = "";
	const char *where;
	uint64_t number;
	size_t used;

	if (!assertion->expr)
		return;
	if (madkit_expr_eval(assertion->expr, record) == 1) {
		assertion->held = true;
		return;
	}
	if (assertion->failed++)
		return;
	if (!madkit_record_value(record, "PortSelect", &number))
		snprintf(port, sizeof(port), " port %" PRIu64, number);
	where = message->remote ? madkit_addr_text(message->remote, addr) : message->device;
	used = assertion_note_value(assertion, record);
	snprintf(assertion->failure + used, sizeof(assertion->failure) - used, " (%s%s)", where, port);
}

bool assertion_try_port(struct assertion *assertion, const struct madkit_record *record)
{
	int ret;

	if (!assertion->expr)
		return false;
	ret = madkit_expr_eval(assertion->expr, record);
	if (ret == 1)
		assertion->held = true;
	else if (ret < 0)
		assertion->skipped++;
	else
		assertion->failed++;
	return !ret && assertion->failed == 1;
}

/* Checks if a name of the expression is a field of the data that is null in the record, and keeps the name. */
static bool assertion_is_null(struct assertion *assertion, const struct madkit_record *record)
{
	struct madkit_expr_test test = { .name = "" };
	struct madkit_buf value;
	bool null = false;

	madkit_buf_init(&value, 0);
	for (size_t i = 0; record->data && !null && i < 2 * madkit_expr_count(assertion->expr); i++) {
		const bool other = i & 1;
		struct madkit_place place;

		madkit_expr_get(assertion->expr, i / 2, &test);
		if (other && !test.is_name)
			continue;
		if (other)
			test.name = test.value, test.name_len = test.value_len;
		null = madkit_expr_put_value(assertion->expr, i / 2, other, record, false, &value) ==
			       -ENODATA &&
		       record->layout &&
		       !madkit_place_find(record->layout, test.name, test.name_len, &place, NULL);
		if (null)
			snprintf(assertion->null, sizeof(assertion->null), "%.*s",
				 (int)(test.name_len < 79 ? test.name_len : 79), test.name);
	}
	madkit_buf_free(&value);
	return null;
}

void assertion_try(struct assertion *assertion, const struct madkit_expr *filter,
		   const struct madkit_message *message)
{
	struct madkit_error error = { .text = "" };
	struct madkit_record record;
	int held;

	/* timeouts and errors have exit statuses of their own */
	if (!assertion->expr || message->kind == MADKIT_MESSAGE_TIMEOUT ||
	    message->kind == MADKIT_MESSAGE_ERROR)
		return;
	madkit_record_get(message, 0, &record);
	do {
		if (filter && madkit_expr_eval(filter, &record) != 1)
			continue;
		held = madkit_expr_eval(assertion->expr, &record);
		if (held == 1)
			assertion->held = true;
		else if (held < 0 && assertion->skips_null && assertion_is_null(assertion, &record))
			assertion->skipped++;
		else if (!assertion->failed++)
			assertion_note(assertion, &record,
				       assertion_impossible(assertion, &record, &error) ? error.text : NULL);
	} while (madkit_record_next(&record));
}

bool assertion_held(const struct assertion *assertion, int status)
{
	if (!assertion->expr || (!assertion->failed && (assertion->held || status)))
		return true;
	if (assertion->failed > 1)
		cli_say("'%s' did not hold%s, nor for %lu more record%s", assertion->text, assertion->failure,
			assertion->failed - 1, assertion->failed == 2 ? "" : "s");
	else if (assertion->failed)
		cli_say("'%s' did not hold%s", assertion->text, assertion->failure);
	else if (assertion->null[0])
		cli_say("no record to check '%s' against: %s is null", assertion->text, assertion->null);
	else
		cli_say("no record to check '%s' against", assertion->text);
	return false;
}
