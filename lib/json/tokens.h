/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The tokens of one line, in an array that the next line reuses. */
#ifndef JSON_TOKENS_H
#define JSON_TOKENS_H

#include <stdint.h>
#include <madkit/buf.h>
#include <madkit/error.h>
#include "json/scan.h"

/* Keys and values of a line; those of its tag are one. Each takes 40 bytes, so that a line of 64 MiB
 * took more than 1 GiB. A record that a command prints has some hundred. */
#define TOKENS_MAX 65536

struct json_token {
	const char *raw;       /* in the line; a value has raw_len characters there */
	const char *text;      /* of a key or string: decoded, with a NUL behind it */
	uint32_t raw_len, len; /* len: of text; of an object or array: its members */
	uint32_t next;         /* tokens from here to the next member; a key's value is among them */
	enum scan_kind kind;
};

struct json_tokens {
	struct madkit_buf text, list, keys; /* text: the line, decoded in place */
	/* In the line: the value of its member "tag" without blanks around it. len 0: the line has no
	 * tag, or none that is readable. */
	const char *tag;
	size_t tag_len;
	bool cancel; /* it is the value of "cancel" instead */
};

/* "header.tid: reason"; returns -EINVAL. */
int json_error(struct madkit_error *error, const char *scope, const char *key, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Reads a line that is to be one object: root, until the next call. 0; -EINVAL: not JSON, or nothing that
 * could be read without changing it silently (an integer beyond 64 bits, a name that is given twice, a key with a
 * U+0000, invalid UTF-8), or more than TOKENS_MAX tokens; error has the column. -ENOMEM. The tag is copied by its readers, and only checked
 * for UTF-8; it is a null among the tokens. It is set if the line is JSON up to the end of the tag, even if
 * the next character is wrong. The value of a member
 * "cancel" is read in the same way, and a line has one of them at most.
 */
int tokens_read(struct json_tokens *t, const char *line, size_t len, const struct json_token **root,
		struct madkit_error *error);
void tokens_free(struct json_tokens *t);

/* Each key of an object (its value is behind it), or element of an array. */
#define json_each(member, container) \
	for (const struct json_token *member = (container) + 1, \
				     *member##_end = (container) + (container)->next; \
	     member < member##_end; member += member->next)

/* The value of an object's member, or NULL; NULL and other values have no members. */
const struct json_token *json_member(const struct json_token *object, const char *key);

/* NULL has no kind. */
static inline bool json_is(const struct json_token *value, enum scan_kind kind)
{
	return value && value->kind == kind;
}

/* A string, without U+0000 in it. */
static inline bool json_is_text(const struct json_token *value)
{
	return json_is(value, SCAN_STRING) && strlen(value->text) == value->len;
}

/* Bytes of a string; 0 of any other value. */
static inline size_t json_length(const struct json_token *value)
{
	return json_is(value, SCAN_STRING) ? value->len : 0;
}

/* The value as the line has it, for "%.*s". */
#define JSON_SHOWN(value) (int)((value)->raw_len < 60 ? (value)->raw_len : 60), (value)->raw

#endif
