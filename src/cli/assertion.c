/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#define _GNU_SOURCE /* strcasestr */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "assertion.h"

/* Room for the decimal digits of the largest byte counter, which has 66 bits, and a NUL. */
enum { ASSERTION_BYTES_MAX = 24 };

/* Returns the length of the name at the start of an expression that has only one test; 0 if it has
 * several. */
static size_t sole_name(const char *text)
{
	if (strstr(text, "&&") || strstr(text, "||"))
		return 0;
	return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "0123456789_.[]");
}

/* Returns the title of record n in text, or NULL. text is changed: its lines become strings. *value: the text
 * after the label if the record has exactly one line, else NULL. */
static const char *find_record(char *text, unsigned int n, const char **value)
{
	const char *title = NULL;
	unsigned int lines = 0;
	char *next;

	*value = NULL;
	for (char *line = text; *line; line = next) {
		char *end = strchr(line, '\n');

		next = end ? end + 1 : line + strlen(line);
		if (end)
			*end = 0;
		if (!strncmp(line, "# cut short", 11))
			continue;
		if (*line == '#' && title)
			break;
		if (*line == '#' && !n--)
			title = line;
		else if (title && !lines++) {
			line += strcspn(line, ":");
			line += *line == ':';
			*value = line + strspn(line, ".");
		}
	}
	if (lines != 1)
		*value = NULL;
	return title;
}

/* Formats the message as JSON with only this field. Returns the line of record n, or NULL; json holds it, and
 * the caller frees json. */
static const char *assertion_line(struct madkit_buf *json, const struct madkit_message *message,
				  unsigned int n, const struct madkit_projection *field)
{
	const struct madkit_format how = { .fields = field };
	char *line;

	madkit_buf_init(json, 0);
	if (madkit_format_json(json, message, &how) > 0)
		madkit_buf_char(json, 0);
	line = json->len && !json->error && !json->data[json->len - 1] ? json->data : NULL;
	for (; line && n; n--) {
		line = strchr(line, '\n');
		line += line != NULL;
	}
	if (line)
		line[strcspn(line, "\n")] = 0;
	return line;
}

/* Returns the name of a value that text output leaves blank: "null", or "''" for an empty string. */
static const char *assertion_empty(const struct madkit_message *message, unsigned int n,
				   const struct madkit_projection *field)
{
	struct madkit_buf json;
	const char *line = assertion_line(&json, message, n, field);
	const char *value = line && strstr(line, ":null") ? "null" : "''";

	madkit_buf_free(&json);
	return value;
}

/* Gets the value of NAME_bytes, which text output does not show. Returns false if the JSON line has no such
 * key. */
static bool assertion_bytes(const struct madkit_message *message, unsigned int n,
			    const struct madkit_projection *field, char value[ASSERTION_BYTES_MAX])
{
	static const char key[] = "_bytes\":";
	struct madkit_buf json;
	const char *line = assertion_line(&json, message, n, field);
	const char *at = line ? strstr(line, key) : NULL;

	if (at) {
		at += sizeof(key) - 1;
		at += *at == '[';
		snprintf(value, ASSERTION_BYTES_MAX, "%.*s", (int)strspn(at, "0123456789"), at);
	}
	madkit_buf_free(&json);
	return at;
}

/* Sets assertion->failure: the reason (why) or, if why is NULL, the value of the asserted field in record n
 * of the message; then the title of the record. Value and title are formatted as in text output. */
static void note_failure(struct assertion *assertion, const struct madkit_message *message, unsigned int n,
			 const char *why)
{
	const char *name = assertion->text + strspn(assertion->text, " \t");
	int len = (int)sole_name(name);
	struct madkit_format how = { .show_keys = assertion->show_keys };
	const char *title = NULL, *value = NULL;
	struct madkit_projection *field = NULL;
	struct madkit_buf text;
	char word[80], bytes[ASSERTION_BYTES_MAX];
	size_t used = 0;

	madkit_buf_init(&text, 0);
	snprintf(word, sizeof(word), "%.*s", len, name);
	if (len && (size_t)len < sizeof(word) && !madkit_projection_new(word, &field, NULL))
		how.fields = field;
	if (madkit_format_text(&text, message, &how) > 0)
		madkit_buf_char(&text, 0);
	if (text.len && !text.error && !text.data[text.len - 1])
		title = find_record(text.data, n, &value);
	if (title)
		title = strstr(title, ": ");
	if (value && strcasestr(word, "_bytes") && assertion_bytes(message, n, field, bytes))
		value = bytes;
	if (why)
		used += (size_t)snprintf(assertion->failure, sizeof(assertion->failure), ": %.200s", why);
	else if (field && value)
		used += (size_t)snprintf(assertion->failure, sizeof(assertion->failure), ": %.80s is %.100s",
					 word, *value ? value : assertion_empty(message, n, field));
	if (title)
		snprintf(assertion->failure + used, sizeof(assertion->failure) - used, " (%.150s)",
			 title + 2);
	madkit_projection_free(field);
	madkit_buf_free(&text);
}

/* Appends "NAME: VALUE", after a comma if needed, if the word is the name of a field of the message's first
 * record. */
static void assertion_put_value(struct madkit_buf *buf, const char *word,
				const struct madkit_message *message, bool show_keys)
{
	struct madkit_projection *field = NULL;
	struct madkit_format how = { .show_keys = show_keys };
	const char *value = NULL, *line;
	struct madkit_record record;
	struct madkit_buf text, json;

	madkit_record_get(message, 0, &record);
	if (madkit_projection_new(word, &field, NULL) || !field ||
	    madkit_projection_check(field, record.attribute, NULL)) {
		madkit_projection_free(field);
		return;
	}
	how.fields = field;
	madkit_buf_init(&text, 0);
	if (madkit_format_text(&text, message, &how) > 0)
		madkit_buf_char(&text, 0);
	if (text.len && !text.error && !text.data[text.len - 1])
		find_record(text.data, 0, &value);
	line = assertion_line(&json, message, 0, field);
	if (!value && line) {
		/* fields of the envelope, and arrays: use the JSON value */
		value = strrchr(line, ':');
		value += value != NULL;
		((char *)(uintptr_t)line)[strcspn(line, "}")] = 0;
	}
	if (value)
		madkit_buf_printf(buf, "%s%s: %.60s", buf->len ? ", " : "", word, *value ? value : "''");
	madkit_buf_free(&json);
	madkit_buf_free(&text);
	madkit_projection_free(field);
}

void assertion_put_values(struct madkit_buf *buf, const char *expression,
			  const struct madkit_message *message, bool show_keys)
{
	enum { NAMES = 8 };
	char names[NAMES][64];
	size_t n = 0;

	for (const char *p = expression; *p && n < NAMES;) {
		size_t len = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.[]:");
		bool known = false;

		if (*p == '\'' || *p == '"') {
			const char *end = strchr(p + 1, *p);

			p = end ? end + 1 : p + strlen(p);
			continue;
		}
		if (len && len < sizeof(names[0]) && (*p < '0' || *p > '9')) {
			snprintf(names[n], sizeof(names[n]), "%.*s", (int)len, p);
			for (size_t i = 0; i < n; i++)
				known |= !strcmp(names[i], names[n]);
			if (!known)
				assertion_put_value(buf, names[n++], message, show_keys);
		}
		p += len ? len : 1;
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
	const char *name, *where;
	char word[80], value[24] = "null", addr[MADKIT_ADDR_TEXT_MAX], port[24] = "";
	uint64_t number;
	int len, ret;

	if (!assertion->expr)
		return;
	if (madkit_expr_eval(assertion->expr, record) == 1) {
		assertion->held = true;
		return;
	}
	if (assertion->failed++)
		return;
	name = assertion->text + strspn(assertion->text, " \t");
	len = (int)sole_name(name);
	snprintf(word, sizeof(word), "%.*s", len, name);
	if (!madkit_record_value(record, "PortSelect", &number))
		snprintf(port, sizeof(port), " port %" PRIu64, number);
	ret = madkit_record_value(record, strncmp(word, "data.", 5) ? word : word + 5, &number);
	where = message->remote ? madkit_addr_text(message->remote, addr) : message->device;
	if (!ret)
		snprintf(value, sizeof(value), "%" PRIu64, number);
	if (!ret || ret == -ENODATA)
		snprintf(assertion->failure, sizeof(assertion->failure), ": %s is %s (%s%s)", word, value,
			 where, port);
	else
		snprintf(assertion->failure, sizeof(assertion->failure), " (%s%s)", where, port);
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

void assertion_try(struct assertion *assertion, const struct madkit_expr *filter,
		   const struct madkit_message *message)
{
	struct madkit_error error = { .text = "" };
	struct madkit_record record;

	/* timeouts and errors have exit statuses of their own */
	if (!assertion->expr || message->kind == MADKIT_MESSAGE_TIMEOUT ||
	    message->kind == MADKIT_MESSAGE_ERROR)
		return;
	madkit_record_get(message, 0, &record);
	do {
		if (filter && madkit_expr_eval(filter, &record) != 1)
			continue;
		if (madkit_expr_eval(assertion->expr, &record) == 1)
			assertion->held = true;
		else if (!assertion->failed++)
			note_failure(assertion, message, record.record,
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
	else
		cli_say("no record to check '%s' against", assertion->text);
	return false;
}
