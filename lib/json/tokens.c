/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "json/tokens.h"
#include "util/table.h"
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

/* A line that is being read. */
struct tokens_reading {
	struct json_tokens *t;
	struct scan scan;
	const char *line;
	struct json_token *list, *end;
	struct json_token *open[SCAN_DEPTH_MAX]; /* objects and arrays */
	size_t key, key_len;                     /* the latest key in the line, with its quotes */
	bool bytes;                              /* the latest key ends with _bytes */
	bool full; /* further tokens are only scanned, for the grammar and the tag */
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
static int tokens_compare_keys(const void *a, const void *b)
{
	const struct json_token *k = *(const struct json_token *const *)a;
	const struct json_token *l = *(const struct json_token *const *)b;
	int order = k->len != l->len ? (k->len < l->len ? -1 : 1) : memcmp(k->text, l->text, k->len);

	return order ? order : k < l ? -1 : 1;
}

static uint64_t tokens_hash(const char *text, size_t len)
{
	uint64_t hash = len, word = 0;

	for (; len >= sizeof(word); text += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, text, sizeof(word));
		hash = table_mix(hash, word);
	}
	word = 0;
	while (len)
		word = word << 8 | (uint8_t)text[--len];
	return table_mix(hash, word);
}

/* Checks if all keys of an object are different. false: two are the same, or many have the same hash, or out of
 * memory. */
static bool tokens_differ(struct tokens_reading *r, const struct json_token *object)
{
	size_t size = 4, steps = 0;
	uint32_t *slots; /* where in the object the key is, or 0 */

	while (size < 2 * (size_t)object->len)
		size *= 2;
	slots = (uint32_t *)(void *)madkit_buf_room(&r->t->keys, size * sizeof(*slots));
	if (!slots)
		return false;
	memset(slots, 0, size * sizeof(*slots));
	json_each(key, object) {
		size_t at = tokens_hash(key->text, key->len) & (size - 1);

		for (; slots[at]; at = (at + 1) & (size - 1)) {
			const struct json_token *other = object + slots[at];

			if ((other->len == key->len && !memcmp(other->text, key->text, key->len)) ||
			    ++steps > 2 * size)
				return false;
		}
		slots[at] = (uint32_t)(key - object);
	}
	return true;
}

/* Checks for duplicate keys. If there may be any, sorts them, so that n keys take n log n comparisons, whatever their
 * names. Returns false if out of memory. */
static bool check_keys(struct tokens_reading *r, const struct json_token *object)
{
	const struct json_token *twice = NULL, **keys;
	char scope[80] = "";
	size_t n = 0, used = 0;

	if (object->len < 2 || tokens_differ(r, object))
		return true;
	keys = (const struct json_token **)(void *)madkit_buf_room(&r->t->keys, object->len * sizeof(*keys));
	if (!keys)
		return false;
	json_each(key, object)
		keys[n++] = key;
	qsort(keys, n, sizeof(*keys), tokens_compare_keys);
	for (size_t i = 1; i < n; i++)
		if (keys[i]->len == keys[i - 1]->len && (!twice || keys[i] < twice) &&
		    !memcmp(keys[i]->text, keys[i - 1]->text, keys[i]->len))
			twice = keys[i];
	if (!twice || !tokens_refused(r, RANK_TWICE + (size_t)(twice->raw - r->line)))
		return true;
	/* "data.Block": the keys on the path to the object */
	for (size_t i = 1; i <= r->scan.depth && used < sizeof(scope); i++) {
		const struct json_token *key = r->open[i] - 1;

		if (key->kind == SCAN_KEY)
			used += (size_t)snprintf(scope + used, sizeof(scope) - used, "%s%s", used ? "." : "",
						 key->text);
	}
	json_error(&r->error, scope, twice->text, "is given twice");
	return true;
}

/* ---- tokens ------------------------------------------------------------------------------ */

static void end_value(struct tokens_reading *r, struct json_token *value)
{
	if (r->full)
		return;
	value->next = (uint32_t)(r->end - value);
	value->raw_len = (uint32_t)(r->line + r->scan.end - value->raw);
	if (value > r->list && value[-1].kind == SCAN_KEY)
		value[-1].next = value->next + 1;
	if (r->scan.depth)
		r->open[r->scan.depth - 1]->len++;
}

/* Adds a token, unless there are TOKENS_MAX. */
static void tokens_add(struct tokens_reading *r, enum scan_kind kind)
{
	const struct scan *s = &r->scan;
	const bool string = kind == SCAN_KEY || kind == SCAN_STRING;
	const bool members = kind == SCAN_OBJECT || kind == SCAN_ARRAY;

	if (r->end - r->list == TOKENS_MAX && !r->full) {
		r->full = true;
		if (tokens_refused(r, RANK_COUNT))
			madkit_error_set(&r->error, -EINVAL, -1, "has more than %d keys and values",
					 TOKENS_MAX);
	}
	if (r->full)
		return;
	*r->end = (struct json_token){
		.raw = r->line + s->begin,
		.text = s->text + s->begin + string,
		.kind = kind,
		.len = (uint32_t)(string  ? s->length :
				  members ? 0 :
					    s->end - s->begin),
	};
	if (members)
		r->open[s->depth - 1] = r->end;
	r->end++;
	if (!members && kind != SCAN_KEY)
		end_value(r, r->end - 1);
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
static bool tokens_tag_is_complete(struct tokens_reading *r)
{
	const char first = r->line[r->scan.begin];
	const char next = r->scan.end < r->scan.len ? r->line[r->scan.end] : 0;

	return first == '"' || first == '{' || first == '[' || (next && strchr(",} \t\r\n", next));
}

static bool read_tag(struct tokens_reading *r)
{
	struct json_tokens *t = r->t;

	if (!scan_skip(&r->scan))
		return false;
	tokens_add(r, SCAN_NULL);
	if (!tokens_tag_is_complete(r))
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

void json_want(struct json_wanted *wanted, const char *key)
{
	wanted->lengths[*key - 'a'] |= UINT32_C(1) << (strlen(key) & 31);
}

/* Checks if the latest key is wanted, or may be. */
static bool tokens_wants(const struct json_wanted *wanted, const struct scan *s)
{
	const unsigned int first = (unsigned int)(unsigned char)s->text[s->begin + 1] - 'a';

	return !wanted || first >= 26 || wanted->lengths[first] >> (s->length & 31) & 1;
}

/* Reads one token and ends the value that it completes. Returns SCAN_WRONG if it is not JSON, or out of
 * memory. */
static enum scan_kind read_token(struct tokens_reading *r)
{
	struct scan *s = &r->scan;
	enum scan_kind kind = scan_next(s);

	if (kind == SCAN_WRONG || kind == SCAN_END)
		return kind;
	if (kind == SCAN_KEY && !tokens_wants(r->t->wanted, s))
		return scan_skip(s) ? kind : SCAN_WRONG;
	check_fault(r, kind);
	if (kind == SCAN_CLOSE && !r->full) {
		struct json_token *value = r->open[s->depth];

		end_value(r, value);
		return value->kind == SCAN_ARRAY || check_keys(r, value) ? kind : SCAN_WRONG;
	}
	if (kind != SCAN_CLOSE)
		tokens_add(r, kind);
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
	const char first = whole ? *r->list->raw : '{';
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
	/* a token has a separate character, and all but brackets one more before the next */
	const size_t most = len / 2 + SCAN_DEPTH_MAX + 1;
	enum scan_kind kind;
	char *text;

	madkit_buf_reset(&t->text);
	madkit_buf_reset(&t->list);
	madkit_buf_reset(&t->keys);
	t->tag = line;
	t->tag_len = 0;
	t->cancel = false;
	text = madkit_buf_room(&t->text, len + 1);
	r.list = r.end = (struct json_token *)(void *)madkit_buf_room(
		&t->list, (most < TOKENS_MAX ? most : TOKENS_MAX) * sizeof(*r.list));
	if (!text || !r.list)
		return -ENOMEM;
	if (len)
		memcpy(text, line, len);
	scan_begin(&r.scan, text, len);
	do
		kind = read_token(&r);
	while (kind != SCAN_WRONG && kind != SCAN_END);
	if (t->keys.error)
		return -ENOMEM;
	check_object(&r, kind == SCAN_END);
	check_tag(&r);
	if (r.rank != RANK_NONE) {
		if (error)
			*error = r.error;
		return -EINVAL;
	}
	*root = r.list;
	return 0;
}

void tokens_free(struct json_tokens *t)
{
	madkit_buf_free(&t->text);
	madkit_buf_free(&t->list);
	madkit_buf_free(&t->keys);
}
