/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_format_json() writes these members of a table's lines in the same way, and only those of record 0 are
 * read: an edit of the others must not be lost silently.
 */
#include <string.h>
#include "json/first.h"
#include "util/array_size.h"

static const char *const first_members[] = { "schema", "kind", "tag", "remote", "header", "rmpp" };

static int first_copy(struct madkit_buf *buf, const struct json_token *line)
{
	madkit_buf_reset(buf);
	for (size_t i = 0; i < ARRAY_SIZE(first_members); i++) {
		const struct json_token *value = json_member(line, first_members[i]);

		madkit_buf_str(buf, i ? ",\"" : "{\"");
		madkit_buf_str(buf, first_members[i]);
		madkit_buf_str(buf, "\":");
		madkit_buf_add(buf, value ? value->raw : "null", value ? value->raw_len : 4);
	}
	madkit_buf_char(buf, '}');
	return buf->error;
}

/* A tag is a null among the tokens, whatever its text. */
static bool first_is_null(const struct json_token *value)
{
	return !value || (value->kind == SCAN_NULL && value->raw_len == 4 && !memcmp(value->raw, "null", 4));
}

/* The order of keys and blanks do not matter. */
static bool first_agrees(const struct json_token *a, const struct json_token *b)
{
	const struct json_token *other;

	if (first_is_null(a) || first_is_null(b))
		return first_is_null(a) && first_is_null(b);
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case SCAN_OBJECT:
		json_each(key, a)
			if (!first_agrees(key + 1, json_member(b, key->text)))
				return false;
		return a->len == b->len;
	case SCAN_ARRAY:
		if (a->len != b->len)
			return false;
		other = b + 1;
		json_each(one, a) {
			if (!first_agrees(one, other))
				return false;
			other += other->next;
		}
		return true;
	case SCAN_STRING:
		return a->len == b->len && !memcmp(a->text, b->text, a->len);
	default:
		return a->raw_len == b->raw_len && !memcmp(a->raw, b->raw, a->raw_len);
	}
}

/* Of two objects, a key whose values differ. */
static const char *first_difference(const struct json_token *a, const struct json_token *b)
{
	if (!json_is(a, SCAN_OBJECT) || !json_is(b, SCAN_OBJECT))
		return "";
	json_each(key, a)
		if (!first_agrees(key + 1, json_member(b, key->text)))
			return key->text;
	json_each(key, b)
		if (!json_member(a, key->text))
			return key->text;
	return "";
}

int first_keep(struct json_first *first, const struct json_token *line)
{
	return first_copy(&first->kept, line);
}

int first_check(struct json_first *first, const struct json_token *line, struct madkit_error *error)
{
	const struct json_token *kept;
	int ret = first_copy(&first->other, line);

	if (ret)
		return ret;
	if (first->kept.len == first->other.len &&
	    !memcmp(first->kept.data, first->other.data, first->kept.len))
		return 0;
	ret = tokens_read(&first->tokens, first->kept.data, first->kept.len, &kept, error);
	for (size_t i = 0; !ret && i < ARRAY_SIZE(first_members); i++) {
		const struct json_token *a = json_member(kept, first_members[i]);
		const struct json_token *b = json_member(line, first_members[i]);
		const char *key = first_difference(a, b);

		/* its values may be secret */
		if (!first_agrees(a, b))
			ret = json_error(error, *key ? first_members[i] : "", *key ? key : first_members[i],
					 "is not what record 0 has");
	}
	return ret;
}

void first_free(struct json_first *first)
{
	madkit_buf_free(&first->kept);
	madkit_buf_free(&first->other);
	tokens_free(&first->tokens);
}
