/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A line's members, one by one. */
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
