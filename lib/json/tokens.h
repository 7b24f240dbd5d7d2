/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The tokens of one line, in an array that the next line reuses. */
#ifndef JSON_TOKENS_H
#define JSON_TOKENS_H

#include <stdint.h>
#include <madkit/buf.h>
#include <madkit/error.h>
#include "json/scan.h"

/* The most keys and values of a line; its tag counts as one. Each takes 40 bytes: without this limit, a line
 * of 64 MiB could take more than 1 GiB. A record that a command prints has a few hundred. */
#define TOKENS_MAX 65536

struct json_token {
	const char *raw;       /* in the line; a value has raw_len characters */
	const char *text;      /* of a key or string: decoded, terminated by NUL */
	uint32_t raw_len, len; /* len: of text; of an object or array: number of its members */
	uint32_t next;         /* tokens up to the next member; for a key, including its value */
	enum scan_kind kind;
};

/* Keys to store, at any depth. Others may be stored, too. */
struct json_wanted {
	uint32_t lengths[26]; /* for each first letter: a bit for each length */
};

struct json_tokens {
	struct madkit_buf text, list, keys; /* text: the line, decoded in place */
	const struct json_wanted *wanted;   /* NULL: all keys */
	/* The value of the member "tag" in the line, without blanks around it. len 0: the line has no tag, or
	 * none that is readable. */
	const char *tag;
	size_t tag_len;
	bool cancel; /* the value is that of "cancel" instead */
};

/* Sets "header.tid: reason". Returns -EINVAL. */
int json_error(struct madkit_error *error, const char *scope, const char *key, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Reads a line that must be one object: *root, which is valid until the next call. Returns 0; -EINVAL, with
 * the column in error, if it is not JSON, cannot be stored without a silent change (an integer beyond 64
 * bits, a key that is given twice, a key with a U+0000, invalid UTF-8), or has more than TOKENS_MAX tokens;
 * or -ENOMEM.
 *
 * The tag is a null among the tokens. It is copied by its readers, and here only checked for UTF-8. It is set
 * if the line is JSON up to the end of the tag, even if the next character is wrong. The value of a member
 * "cancel" is read in the same way, and a line has at most one of the two.
 *
 * Values of keys that are not wanted are only checked for the grammar.
 */
int tokens_read(struct json_tokens *t, const char *line, size_t len, const struct json_token **root,
		struct madkit_error *error);
void tokens_free(struct json_tokens *t);

/* Adds a key of lower-case letters to those that are wanted. */
void json_want(struct json_wanted *wanted, const char *key);

/* Iterates over the keys of an object (each is followed by its value), or the elements of an array. */
#define json_each(member, container) \
	for (const struct json_token *member = (container) + 1, \
				     *member##_end = (container) + (container)->next; \
	     member < member##_end; member += member->next)

/* Returns the value of an object's member, or NULL. NULL and values that are not objects have no members. */
const struct json_token *json_member(const struct json_token *object, const char *key);

/* NULL has no kind. */
static inline bool json_is(const struct json_token *value, enum scan_kind kind)
{
	return value && value->kind == kind;
}

/* Checks for a string without U+0000. */
static inline bool json_is_text(const struct json_token *value)
{
	return json_is(value, SCAN_STRING) && strlen(value->text) == value->len;
}

/* Returns the bytes of a string; 0 for any other value. */
static inline size_t json_length(const struct json_token *value)
{
	return json_is(value, SCAN_STRING) ? value->len : 0;
}

/* The value as written in the line, for "%.*s". */
#define JSON_SHOWN(value) (int)((value)->raw_len < 60 ? (value)->raw_len : 60), (value)->raw

#endif
