/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A line's members, one by one. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "json/line.h"
#include "json/value.h"

bool line_has_entry(enum envelope_group group, const struct json_token *key)
{
	for (size_t i = 0; group == ENVELOPE_TOP && envelope_groups[i]; i++)
		if (!strcmp(envelope_groups[i], key->text))
			return true;
	for (unsigned int id = 0; id < ENVELOPE_N; id++) {
		const struct envelope_entry *e = &envelope_entries[id];

		if (e->group == group && e->key_len == key->len &&
		    !memcmp(e->name + e->key, key->text, key->len))
			return true;
	}
	return false;
}

const struct json_token *line_member(const struct json_token *object, const char *key)
{
	const struct json_token *value = json_member(object, key);

	return json_is(value, SCAN_NULL) ? NULL : value;
}

int line_number(const struct json_token *object, const char *scope, const char *key, uint64_t max,
		uint64_t otherwise, uint64_t *number, struct madkit_error *error)
{
	const struct json_token *value = line_member(object, key);

	*number = otherwise;
	return value ? json_get_number(value, max, number, scope, key, error) : 0;
}

/* A string without U+0000, or NULL where there is none. */
int line_text(const struct json_token *object, const char *scope, const char *key, const char **text,
	      struct madkit_error *error)
{
	const struct json_token *value = line_member(object, key);

	*text = NULL;
	if (!value)
		return 0;
	if (!json_is_text(value))
		return json_error(error, scope, key, "is to be text");
	*text = value->text;
	return 0;
}
