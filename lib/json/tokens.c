/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "json/tokens.h"
#include "util/utf8.h"

/* If several things are wrong with a line, the one with the lowest rank is reported; for the same rank, the
 * first. */
enum tokens_rank {
	RANK_GRAMMAR,
	RANK_TAG,
	RANK_COUNT,
	RANK_TOKEN,           /* plus the position of the token in the line */
	RANK_TWICE = 1 << 30, /* plus the position, likewise */
	RANK_NONE = INT32_MAX,
};

/* A line that is being read. The array of tokens may move, so tokens are identified by index. */
struct tokens_reading {
	struct json_tokens *t;
	struct scan scan;
	const char *line;
	size_t open[SCAN_DEPTH_MAX]; /* indices of open objects and arrays */
	size_t key, key_len;         /* the latest key in the line, with its quotes */
	bool bytes;                  /* the latest key ends with _bytes */
	bool full;                   /* further tokens are only scanned, for the grammar and the tag */
	unsigned int tags;
	size_t rank;
	struct madkit_error error;
};

int json_error(struct madkit_error *error, const char *scope, const char *key, const char *format, ...)
{
	char reason[200];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	return madkit_error_set(error, -EINVAL, -1, "%s%s%.80s: %s", scope, *scope && *key ? "." : "", key,
				reason);
}

const struct json_token *json_member(const struct json_token *object, const char *key)
{
	size_t n = strlen(key);

	if (!json_is(object, SCAN_OBJECT))
		return NULL;
	json_each(member, object)
		if (member->len == n && !memcmp(member->text, key, n))
			return member + 1;
	return NULL;
}

static struct json_token *tokens_at(const struct tokens_reading *r, size_t i)
{
	return (struct json_token *)(void *)r->t->list.data + i;
}

/* Sets the rank of the error to report, unless it already is as low. Returns true if it was set. */
static bool tokens_refused(struct tokens_reading *r, size_t rank)
{
	if (rank >= r->rank)
		return false;
	r->rank = rank;
	return true;
}

/* ---- names that are there twice ---------------------------------------------------------- */

/* Compares by length, by name, and then by position in the line. */
static int compare_keys(const void *a, const void *b)
{
	const struct json_token *k = *(const struct json_token *const *)a;
	const struct json_token *l = *(const struct json_token *const *)b;
	int order = k->len != l->len ? (k->len < l->len ? -1 : 1) : memcmp(k->text, l->text, k->len);

	return order ? order : k < l ? -1 : 1;
}

/* Checks for duplicate keys. Sorts them, so that n keys take n log n comparisons, whatever their names.
 * Returns false if out of memory. */
static bool check_keys(struct tokens_reading *r, const struct json_token *object)
{
	const struct json_token *twice = NULL, **keys = (const struct json_token **)(void *)madkit_buf_room(
						       &r->t->keys, object->len * sizeof(*keys));
	char scope[80] = "";
	size_t n = 0, used = 0;

	if (!keys)
		return false;
	json_each(key, object)
		keys[n++] = key;
	qsort(keys, n, sizeof(*keys), compare_keys);
	for (size_t i = 1; i < n; i++)
		if (keys[i]->len == keys[i - 1]->len && (!twice || keys[i] < twice) &&
		    !memcmp(keys[i]->text, keys[i - 1]->text, keys[i]->len))
			twice = keys[i];
	if (!twice || !tokens_refused(r, RANK_TWICE + (size_t)(twice->raw - r->line)))
		return true;
	/* "data.Block": the keys on the path to the object */
	for (size_t i = 1; i <= r->scan.depth && used < sizeof(scope); i++) {
		const struct json_token *key = tokens_at(r, r->open[i] - 1);

		if (key->kind == SCAN_KEY)
			used += (size_t)snprintf(scope + used, sizeof(scope) - used, "%s%s", used ? "." : "",
						 key->text);
	}
	json_error(&r->error, scope, twice->text, "is given twice");
	return true;
}

/* ---- tokens ------------------------------------------------------------------------------ */

/* Ends the value that began with token i. */
static void end_value(struct tokens_reading *r, size_t i)
{
	struct json_token *value;

	if (r->full)
		return;
	value = tokens_at(r, i);
	value->next = (uint32_t)(r->t->list.len / sizeof(*value) - i);
	value->raw_len = (uint32_t)(r->line + r->scan.end - value->raw);
	if (i && value[-1].kind == SCAN_KEY)
		value[-1].next = value->next + 1;
	if (r->scan.depth)
		tokens_at(r, r->open[r->scan.depth - 1])->len++;
}

/* Adds a token, unless there are TOKENS_MAX. Returns false if out of memory. */
static bool tokens_add(struct tokens_reading *r, enum scan_kind kind)
{
	const struct scan *s = &r->scan;
	const size_t i = r->t->list.len / sizeof(struct json_token);
	const bool string = kind == SCAN_KEY || kind == SCAN_STRING;
	const bool members = kind == SCAN_OBJECT || kind == SCAN_ARRAY;
	const struct json_token token = {
		.raw = r->line + s->begin,
		.text = s->text + s->begin + string,
		.kind = kind,
		.len = (uint32_t)(string  ? s->length :
				  members ? 0 :
					    s->end - s->begin),
	};

	if (i == TOKENS_MAX && !r->full) {
		r->full = true;
		if (tokens_refused(r, RANK_COUNT))
			madkit_error_set(&r->error, -EINVAL, -1, "has more than %d keys and values",
					 TOKENS_MAX);
	}
	if (r->full)
		return true;
	madkit_buf_add(&r->t->list, &token, sizeof(token));
	if (r->t->list.error)
		return false;
	if (members)
		r->open[s->depth - 1] = i;
	else if (kind != SCAN_KEY)
		end_value(r, i);
	return true;
}

/* Checks for values that the scanner reads, but that cannot be stored unchanged. */
static void check_fault(struct tokens_reading *r, enum scan_kind kind)
{
	const struct scan *s = &r->scan;
	const size_t n = s->end - s->begin, at = s->begin + (s->text[s->begin] == '-');

	if (kind == SCAN_KEY) {
		r->key = s->begin;
		r->key_len = n;
		/* may have 66 bits, and only repeats the value of its field */
		r->bytes = s->length >= 6 && !memcmp(s->text + s->begin + 1 + s->length - 6, "_bytes", 6);
	}
	if (!s->fault || (s->fault == SCAN_ZERO && kind != SCAN_KEY) ||
	    (s->fault == SCAN_TOO_LARGE && r->bytes) || !tokens_refused(r, RANK_TOKEN + s->begin))
		return;
	if (s->fault == SCAN_ZERO)
		json_error(&r->error, "", "a key", "%.*s contains U+0000", n < 80 ? (int)n : 80,
			   r->line + s->begin);
	else if (s->fault == SCAN_TOO_LARGE) /* omit the digits: they may be a mistyped key */
		madkit_error_set(&r->error, -EINVAL, (int)at,
				 "the number at column %zu is more than 2^64 - 1%s%.*s%s", at + 1,
				 r->key_len ? " (" : "", r->key_len < 80 ? (int)r->key_len : 80,
				 r->line + r->key, r->key_len ? ")" : "");
	else
		madkit_error_set(&r->error, -EINVAL, (int)at,
				 "the text at column %zu is not UTF-8, or has half a surrogate pair", at + 1);
}

/* Checks if the value just read is complete, whatever follows it. A number before an unexpected character, or
 * at the end of the text, may be cut. */
static bool tag_is_complete(struct tokens_reading *r)
{
	const char first = r->line[r->scan.begin];
	const char next = r->scan.end < r->scan.len ? r->line[r->scan.end] : 0;

	return first == '"' || first == '{' || first == '[' || (next && strchr(",} \t\r\n", next));
}

static bool read_tag(struct tokens_reading *r)
{
	struct json_tokens *t = r->t;

	if (!scan_skip(&r->scan) || !tokens_add(r, SCAN_NULL))
		return false;
	if (!tag_is_complete(r))
		return true;
	r->tags++;
	t->tag = r->line + r->scan.begin;
	t->tag_len = r->scan.end - r->scan.begin;
	return true;
}

/* Checks the tag, which is copied to the output and must be UTF-8. */
static void check_tag(struct tokens_reading *r)
{
	size_t at = (size_t)(r->t->tag - r->line), end = at + r->t->tag_len, n = 1;

	if (r->tags > 1 && tokens_refused(r, RANK_TAG))
		madkit_error_set(&r->error, -EINVAL, -1,
				 r->t->cancel ? "cancel: a line with it has no other key" :
						"tag: is given twice");
	for (; at < end && n; at += n)
		n = utf8_length((const uint8_t *)r->line + at, end - at);
	if (!n && tokens_refused(r, RANK_TAG))
		madkit_error_set(&r->error, -EINVAL, (int)at, "tag: the text at column %zu is not UTF-8",
				 at + 1);
	if (!n || r->tags > 1)
		r->t->tag_len = 0;
}

static bool tokens_key_is(const struct scan *s, const char *key)
{
	return s->length == strlen(key) && !memcmp(s->text + s->begin + 1, key, s->length);
}

/* Reads one token and ends the value that it completes. Returns SCAN_WRONG if it is not JSON, or out of
 * memory. */
static enum scan_kind read_token(struct tokens_reading *r)
{
	struct scan *s = &r->scan;
	enum scan_kind kind = scan_next(s);

	if (kind == SCAN_WRONG || kind == SCAN_END)
		return kind;
	check_fault(r, kind);
	if (kind == SCAN_CLOSE && !r->full) {
		end_value(r, r->open[s->depth]);
		return tokens_at(r, r->open[s->depth])->kind == SCAN_ARRAY ||
				       check_keys(r, tokens_at(r, r->open[s->depth])) ?
			       kind :
			       SCAN_WRONG;
	}
	if (kind != SCAN_CLOSE && !tokens_add(r, kind))
		return SCAN_WRONG;
	if (kind == SCAN_KEY && s->depth == 1 && (tokens_key_is(s, "tag") || tokens_key_is(s, "cancel"))) {
		r->t->cancel |= s->length == strlen("cancel");
		if (!read_tag(r))
			return SCAN_WRONG;
	}
	return kind;
}

/* ---- the line ---------------------------------------------------------------------------- */

/* Checks that the line is one object. whole: all of the text was read; otherwise it is wrong at some
 * place. */
static void check_object(struct tokens_reading *r, bool whole)
{
	const char first = whole ? *tokens_at(r, 0)->raw : '{';
	struct scan *s = &r->scan;

	if (first != '{') {
		r->rank = RANK_GRAMMAR;
		madkit_error_set(&r->error, -EINVAL, 0, "not a JSON object, but %s",
				 first == '['                 ? "an array" :
				 first == '"'                 ? "text" :
				 first == 'n'                 ? "null" :
				 first == 't' || first == 'f' ? "true or false" :
								"a number");
		return;
	}
	if (whole && !scan_peek(s) && s->at == s->len)
		return;
	r->rank = RANK_GRAMMAR;
	madkit_error_set(&r->error, -EINVAL, (int)s->at, "not a JSON object: %s column %zu: %s is expected",
			 s->at == s->len ? "it ends too early at" : "unexpected character at", s->at + 1,
			 whole ? "the line's end" : s->expected);
}

int tokens_read(struct json_tokens *t, const char *line, size_t len, const struct json_token **root,
		struct madkit_error *error)
{
	struct tokens_reading r = { .t = t, .line = line, .rank = RANK_NONE };
	enum scan_kind kind;
	char *text;

	madkit_buf_reset(&t->text);
	madkit_buf_reset(&t->list);
	madkit_buf_reset(&t->keys);
	t->tag = line;
	t->tag_len = 0;
	t->cancel = false;
	text = madkit_buf_room(&t->text, len + 1);
	if (!text)
		return -ENOMEM;
	if (len)
		memcpy(text, line, len);
	scan_begin(&r.scan, text, len);
	do
		kind = read_token(&r);
	while (kind != SCAN_WRONG && kind != SCAN_END);
	if (t->list.error || t->keys.error)
		return -ENOMEM;
	check_object(&r, kind == SCAN_END);
	check_tag(&r);
	if (r.rank != RANK_NONE) {
		if (error)
			*error = r.error;
		return -EINVAL;
	}
	*root = tokens_at(&r, 0);
	return 0;
}

void tokens_free(struct json_tokens *t)
{
	madkit_buf_free(&t->text);
	madkit_buf_free(&t->list);
	madkit_buf_free(&t->keys);
}
