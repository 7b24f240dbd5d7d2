/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A line's members, one by one. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "json/line.h"
#include "json/value.h"

/* An entry of the envelope by its key in the group. */
bool line_has_entry(enum envelope_group group, const char *key)
{
	for (unsigned int id = 0; id < ENVELOPE_N; id++) {
		const struct envelope_entry *e = &envelope_entries[id];

		if (e->group == group && !strcmp(e->name + e->key, key))
			return true;
	}
	return false;
}

/* A member that is there and not null. */
struct json_object *line_member(struct json_object *object, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(object, key, &value) ? value : NULL;
}

int line_number(struct json_object *object, const char *scope, const char *key,
		uint64_t max, uint64_t otherwise, uint64_t *number,
		struct madkit_error *error)
{
	struct json_object *value = line_member(object, key);

	*number = otherwise;
	return value ? json_get_number(value, max, number, scope, key, error) : 0;
}

/* A string without U+0000, or NULL where there is none. */
int line_text(struct json_object *object, const char *scope, const char *key,
	      const char **text, struct madkit_error *error)
{
	struct json_object *value = line_member(object, key);

	*text = NULL;
	if (!value)
		return 0;
	if (!json_object_is_type(value, json_type_string) ||
	    strlen(json_object_get_string(value)) !=
	    (size_t)json_object_get_string_len(value))
		return json_error(error, scope, key, "is to be text");
	*text = json_object_get_string(value);
	return 0;
}

/* Of a string that ends before at: whether it is a key, and one of a number of bytes, which
 * may have 66 bits and stands beside the value that counts. */
static bool is_key(const char *line, size_t len, size_t at, bool *bytes)
{
	static const char suffix[] = "_bytes\"";
	const size_t n = sizeof(suffix) - 1;
	size_t colon = at;

	while (colon < len && isspace((unsigned char)line[colon]))
		colon++;
	*bytes = at > n && !memcmp(line + at - n, suffix, n);
	return colon < len && line[colon] == ':';
}

size_t line_too_large(const char *line, size_t len, size_t *at)
{
	static const char most[] = "18446744073709551615";
	const size_t digits = sizeof(most) - 1;
	bool text = false, bytes = false, exempt = false;

	for (size_t i = 0, n; i < len; i += n ? n : 1) {
		n = 0;
		if (line[i] == '\\' && text) {
			n = 2;
		} else if (line[i] == '"') {
			text = !text;
			if (!text && is_key(line, len, i + 1, &bytes))
				exempt = bytes;
		} else if (!text) {
			while (i + n < len && isdigit((unsigned char)line[i + n]))
				n++;
			*at = i;
			/* a fraction or an exponent is refused as such */
			if (!exempt && (n > digits ||
				       (n == digits && memcmp(line + i, most, n) > 0)) &&
			    (i + n == len || !strchr(".eE", line[i + n])))
				return n;
		}
	}
	return 0;
}
