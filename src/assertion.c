/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdio.h>
#include <string.h>
#include "assertion.h"

/* How long the name is that the one test of an expression begins with; 0: there are
 * several tests. */
static size_t sole_name(const char *text)
{
	if (strstr(text, "&&") || strstr(text, "||"))
		return 0;
	return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "0123456789_.[]");
}

/* The title of record n in text, which is changed: each line becomes a string.
 * *value: what stands behind the label of the only line below it, or NULL. */
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

/* Keeps in words what record n of the message has where the assertion wants
 * something else, and whose it is: as text shows both. */
static void note_failure(struct output *out, const struct madkit_message *message,
			 unsigned int n)
{
	const char *name = out->assertion_text + strspn(out->assertion_text, " \t");
	int len = (int)sole_name(name);
	struct madkit_format how = { .show_keys = out->how.show_keys };
	const char *title = NULL, *value = NULL;
	struct madkit_projection *field = NULL;
	struct madkit_buf text;
	char word[80];
	size_t used = 0;

	madkit_buf_init(&text, 0);
	snprintf(word, sizeof(word), "%.*s", len, name);
	if (len && (size_t)len < sizeof(word) &&
	    !madkit_projection_new(word, &field, NULL))
		how.fields = field;
	if (madkit_format_text(&text, message, &how) > 0)
		madkit_buf_char(&text, 0);
	if (text.len && !text.error && !text.data[text.len - 1])
		title = find_record(text.data, n, &value);
	if (title)
		title = strstr(title, ": ");
	if (field && value)
		used += (size_t)snprintf(out->failure, sizeof(out->failure),
					 ": %.80s is %.100s", word, value);
	if (title)
		snprintf(out->failure + used, sizeof(out->failure) - used,
			 " (%.150s)", title + 2);
	madkit_projection_free(field);
	madkit_buf_free(&text);
}

void assertion_try(struct output *out, const struct madkit_message *message)
{
	struct madkit_record record;

	/* what did not answer has a status of its own */
	if (!out->assertion || message->kind == MADKIT_MESSAGE_TIMEOUT ||
	    message->kind == MADKIT_MESSAGE_ERROR)
		return;
	madkit_record_get(message, 0, &record);
	do {
		if (out->filter && madkit_expr_eval(out->filter, &record) != 1)
			continue;
		if (madkit_expr_eval(out->assertion, &record) == 1)
			out->assertion_held = true;
		else if (!out->assertion_failed++)
			note_failure(out, message, record.record);
	} while (madkit_record_next(&record));
}

bool assertion_held(const struct output *out, int status)
{
	if (!out->assertion || (!out->assertion_failed && (out->assertion_held || status)))
		return true;
	if (out->assertion_failed > 1)
		cli_say("'%s' did not hold%s, and of %lu more records", out->assertion_text,
			out->failure, out->assertion_failed - 1);
	else if (out->assertion_failed)
		cli_say("'%s' did not hold%s", out->assertion_text, out->failure);
	else
		cli_say("there was nothing that the assertion '%s' could hold of",
			out->assertion_text);
	return false;
}
