/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* lib/json's scanner and tokens against json-c, on generated lines that are then damaged. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/json_oracle.h"
#include "tests/tap.h"
#include "util/array_size.h"
#define RANDOM_SEED UINT64_C(0x5ca1ab1e0ddba11)
#include "tests/random.h"

/* Linked with --wrap=malloc,--wrap=calloc,--wrap=realloc. */
void *__real_malloc(size_t n);
void *__real_calloc(size_t count, size_t n);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t count, size_t n);
void *__wrap_realloc(void *p, size_t n);

static unsigned long allocations;

void *__wrap_malloc(size_t n)
{
	allocations++;
	return __real_malloc(n);
}

void *__wrap_calloc(size_t count, size_t n)
{
	allocations++;
	return __real_calloc(count, n);
}

void *__wrap_realloc(void *p, size_t n)
{
	allocations++;
	return __real_realloc(p, n);
}

static struct json_tokens tokens;
static struct madkit_error error;
static struct madkit_buf line;

/* ---- lines --------------------------------------------------------------------------------- */

static size_t below(size_t n)
{
	return (size_t)(random64() >> 20) % n;
}

#define ONE_OF(list) list[below(ARRAY_SIZE(list))]

static void add_blanks(void)
{
	while (!below(12))
		madkit_buf_char(&line, ONE_OF(" \t\r\n"));
}

static void add_string(void)
{
	static const char *const pieces[] = {
		"a",
		"tag",
		"data",
		"_bytes",
		"/",
		"\\/",
		"\\\"",
		"\\\\",
		"\\b\\f\\n\\r\\t",
		"\\u0041",
		"\\u00e9",
		"\\u20AC",
		"\\uD83D\\uDE00",
		"\xc3\xa9",
		"\xe2\x82\xac",
		"\xf0\x9f\x98\x80",
		"\\u0000",
		"\\ud800",
		"\\uDC00",
		"\x7f",
		"'",
		"{",
		"]",
	};

	madkit_buf_char(&line, '"');
	while (below(3))
		madkit_buf_str(&line, below(30) ? pieces[below(13)] : ONE_OF(pieces));
	/* most names differ */
	madkit_buf_printf(&line, "%zu\"", below(1000));
}

static void add_value(unsigned int depth);

static void add_object(unsigned int depth)
{
	madkit_buf_char(&line, '{');
	for (size_t i = 0, n = below(6); i < n; i++) {
		if (i)
			madkit_buf_char(&line, ',');
		add_blanks();
		if (!below(8))
			madkit_buf_str(&line, below(4) ? "\"tag\"" : "\"cancel\"");
		else
			add_string();
		add_blanks();
		madkit_buf_char(&line, ':');
		add_value(depth + 1);
	}
	madkit_buf_char(&line, '}');
}

static void add_value(unsigned int depth)
{
	static const char *const values[] = {
		"true",
		"false",
		"null",
		"0",
		"-0",
		"1",
		"-1",
		"255",
		"9223372036854775807",
		"9223372036854775808",
		"-9223372036854775808",
		"18446744073709551615",
		"18446744073709551616",
		"73786976294838206460",
		"1.5",
		"-0.0e+1",
		"1E400",
		"2e-3",
		"123456789012345678901234.5",
	};

	add_blanks();
	switch (below(depth > 17 ? 3 : 6)) {
	case 0:
		madkit_buf_str(&line, ONE_OF(values));
		break;
	case 1:
		madkit_buf_printf(&line, "%llu", (unsigned long long)(random64() >> below(64)));
		break;
	case 2:
		add_string();
		break;
	case 3:
		madkit_buf_char(&line, '[');
		for (size_t i = 0, n = below(5); i < n; i++) {
			if (i)
				madkit_buf_char(&line, ',');
			add_value(depth + 1);
		}
		madkit_buf_char(&line, ']');
		break;
	default:
		add_object(depth);
		break;
	}
	add_blanks();
}

/* Replaces, inserts, removes or repeats a few bytes. */
static void damage(void)
{
	static const char bytes[] = "{}[]:,\"\\/'.+-eE019tfnNIu \t\n\x01\x1f\x7f\x80\xc3\xff";
	size_t at = line.len ? below(line.len) : 0, n = line.len ? 1 + below(4) : 0;
	const char c = ONE_OF(bytes); /* the NUL, too */

	if (n > line.len - at)
		n = line.len - at;
	switch (below(4)) {
	case 0:
		if (line.len)
			line.data[at] = c;
		break;
	case 1:
		memmove(line.data + at, line.data + at + n, line.len - at - n);
		line.len -= n;
		break;
	default:
		if (!madkit_buf_room(&line, n + 1))
			return;
		memmove(line.data + at + n, line.data + at, line.len - at);
		line.len += n;
		if (below(2) && n)
			line.data[at] = c;
		break;
	}
}

static bool agree(void)
{
	const char *what = oracle_differ(&tokens, line.data, line.len, &error);

	if (what)
		printf("# %s: %.*s (%s)\n", what, (int)line.len, line.data, error.text);
	return !what;
}

static void check_generated(void)
{
	unsigned long whole = 0, refused = 0;
	bool good = true;

	for (unsigned int i = 0; i < 40000 && good; i += random_share()) {
		madkit_buf_reset(&line);
		if (below(50))
			add_object(1);
		else
			add_value(1);
		if (line.len > ORACLE_DEPTH)
			continue;
		good = agree();
		whole += !error.text[0];
		for (size_t n = below(4); n && good; n--) {
			damage();
			good = agree();
			refused += error.text[0] != 0;
		}
	}
	ok(good, "json-c accepts the same and reads the same values");
	ok(whole > 10000 / random_share() && refused > 10000 / random_share(),
	   "%lu lines read, %lu damaged ones refused", whole, refused);
}

/* ---- what differs ---------------------------------------------------------------------------- */

static void check_strictness(void)
{
	/* clang-format off */
	static const struct { const char *line, *refusal; bool json_c; } rows[] = {
		{ "{\"a\":1,\"\\u0061\":2}", "a: is given twice", true },
		{ "{\"a\":[{\"b\":{\"c\":1,\"d\":2,\"c\":3}}]}", "a.b.c: is given twice", true },
		{ "{\"b\":{\"x\":1,\"x\":1},\"b\":1}", "b.x: is given twice", true },
		{ "{\"b\":1,\"b\":{\"x\":1,\"x\":1}}", "b: is given twice", true },
		{ "{\"tag\":1,\"t\\u0061g\":2}", "tag: is given twice", true },
		{ "{\"a\\u0000b\":1}", "a key: \"a\\u0000b\" contains U+0000", true },
		{ "{\"a\":\"\\ud800\"}", "the text at column 6 is not UTF-8, or has half a surrogate pair", true },
		{ "{\"a\":\"\xff\"}", "the text at column 6 is not UTF-8, or has half a surrogate pair", true },
		{ "{\"tag\":\"\xff\"}", "tag: the text at column 9 is not UTF-8", true },
		{ "{\"a\":18446744073709551616}", "the number at column 6 is more than 2^64 - 1 (\"a\")", true },
		{ "{\"a\":-18446744073709551616}", "the number at column 7 is more than 2^64 - 1 (\"a\")", true },
		{ "{\"a\":\"\t\"}", "not a JSON object: unexpected character at column 7: "
		  "a character, or the escape of one is expected", true },
		{ "{\"a\":[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]}",
		  "not a JSON object: unexpected character at column 21: no deeper nesting is expected", true },
		{ "[1]", "not a JSON object, but an array", true },
		{ "{\"a\":1}x", "not a JSON object: unexpected character at column 8: the line's end is expected", false },
		{ "{\"a\":1,}", "not a JSON object: unexpected character at column 8: "
		  "a name in double quotes is expected", false },
		/* the first of several errors, unless the line is not JSON at all */
		{ "{\"a\":18446744073709551616,\"b\":\"\\ud800\"}", "the number at column 6 is more than 2^64 - 1 (\"a\")", true },
		{ "{\"a\":\"\\ud800\",\"b\":}", "not a JSON object: unexpected character at column 19: a value is expected",
		  false },
		/* read as they are */
		{ "{\"a_bytes\":73786976294838206460}", "", true },
		{ "{\"a\":1.18446744073709551616}", "", true },
		{ "{\"a\":\"\\u0000\"}", "", true },
		{ "{\"a\":[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]}", "", true },
		{ "{\"tag\":[[[[[[[[[[[[[[[[[[[[{\"a\":1,\"a\":\"\\ud800\"}]]]]]]]]]]]]]]]]]]]]}", "", true },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t len = strlen(rows[i].line);
		struct json_object *object = oracle_parse(rows[i].line, len);
		const char *what = oracle_differ(&tokens, rows[i].line, len, &error);

		ok(!what && !strcmp(error.text, rows[i].refusal) && !object == !rows[i].json_c, "%s",
		   rows[i].refusal[0] ? rows[i].refusal : rows[i].line);
		if (what || strcmp(error.text, rows[i].refusal))
			printf("# %s (%s): %s\n", rows[i].line, what ? what : "", error.text);
		json_object_put(object);
	}
}

/* A NUL in the line does not end it. */
static void check_zero_bytes(void)
{
	static const char *const rows[] = { "{}@",          "{@}", "{\"a\":1@}",     "{\"a\":\"@\"}",
					    "{\"a\":nul@}", "@{}", "{\"a\":\"\\@\"}" };
	const struct json_token *root;
	char text[20];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t len = strlen(rows[i]);

		memcpy(text, rows[i], len);
		*(char *)memchr(text, '@', len) = 0;
		ok(tokens_read(&tokens, text, len, &root, &error) == -EINVAL &&
			   strstr(error.text, "unexpected character"),
		   "%s, where @ is a NUL", rows[i]);
	}
	is_int(tokens_read(&tokens, text, 0, &root, &error), -EINVAL, "no text at all");
}

/* ---- cost ------------------------------------------------------------------------------------ */

static void check_heap(void)
{
	const struct json_token *root;
	unsigned long before;
	int ret;

	madkit_buf_reset(&line);
	madkit_buf_str(&line, "{\"tag\":");
	for (int i = 0; i < 20000; i++)
		madkit_buf_str(&line, i < 10000 ? "[" : "]");
	for (int i = 0; i < 100; i++)
		madkit_buf_printf(&line, ",\"key\\u0020%d\":[\"\\u20ac\",%d,{}]", i, i);
	madkit_buf_char(&line, '}');
	ret = tokens_read(&tokens, line.data, line.len, &root, &error);
	before = allocations;
	for (int i = 0; i < 10; i++)
		ret |= tokens_read(&tokens, line.data, line.len, &root, &error);
	is_int(ret, 0, "a tag of 10,000 levels, 100 members");
	is_u64(root->len, 101, "... are all there");
	is_u64(allocations - before, 0, "... and cost no allocation when the next line is as long");
}

/* n keys, and the one before the last again. */
static int read_many_keys(int n)
{
	const struct json_token *root;

	madkit_buf_reset(&line);
	madkit_buf_char(&line, '{');
	for (int i = 0; i < n; i++)
		madkit_buf_printf(&line, "\"%d\":0,", i);
	madkit_buf_printf(&line, "\"%d\":0,\"tag\":[1]}", n - 2);
	return tokens_read(&tokens, line.data, line.len, &root, &error);
}

static void check_many_keys(void)
{
	is_int(read_many_keys(32000), -EINVAL, "32,000 keys");
	is_str(error.text, "31998: is given twice", "... and one of them twice");
	is_int(read_many_keys(500000), -EINVAL, "500,000 keys");
	is_str(error.text, "has more than 65536 keys and values", "... are too many");
	ok(tokens.tag_len == 3 && !memcmp(tokens.tag, "[1]", 3), "... and the tag behind them is known");
}

/* ---- keys that are wanted ------------------------------------------------------------------ */

/* Reads a line of which only "a", at any depth, and "list" are wanted. */
static int read_wanted(const char *text, const struct json_token **root)
{
	static struct json_wanted wanted;
	int ret;

	json_want(&wanted, "a");
	json_want(&wanted, "list");
	tokens.wanted = &wanted;
	error = (struct madkit_error){ .text = "" };
	ret = tokens_read(&tokens, text, strlen(text), root, &error);
	tokens.wanted = NULL;
	return ret;
}

static void check_wanted(void)
{
	static const char *const wrong[] = {
		"{\"b\":tru,\"a\":1}", "{\"b\":{\"c\":[1,]},\"a\":1}",
		"{\"b\":\"x,\"a\":1}", "{\"b\":01}",
		"{\"b\" 1}",           "{\"b\":1 \"a\":2}",
		"{\"b\":[1}",          "{\"a\":1,\"b\":2,\"a\":3}",
	};
	const struct json_token *root = NULL, *list;

	is_int(read_wanted(
		       "{\"b\":{\"a\":[{}]},\"c\":\"\\u0041\", \"a\" : {\"b\":-1.5e3 ,\"a\":7},\"tag\":[1],"
		       "\"list\":[{\"b\":null},{\"a\":\"x\"}],\"Upper\":true}",
		       &root),
	       0, "a line of which two keys are wanted");
	is_int((int)root->len, 3, "... and keys with other letters, which are stored");
	is_int((int)json_member(root, "a")->len, 1, "... also in objects");
	ok(json_is(json_member(json_member(root, "a"), "a"), SCAN_INTEGER), "... with their values");
	list = json_member(root, "list");
	is_int((int)list->len, 2, "... and all values of an array");
	is_str(json_member(list + 2, "a")->text, "x", "... of which the second one has the key");
	ok(!json_member(root, "b") && !json_member(root, "tag"), "... others are not stored");
	ok(json_is(json_member(root, "Upper"), SCAN_TRUE), "... the last one is");
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		is_int(read_wanted(wrong[i], &root), -EINVAL, "%s is refused", wrong[i]);
}

int main(void)
{
	madkit_buf_init(&line, 0);
	check_generated();
	check_strictness();
	check_zero_bytes();
	check_heap();
	check_many_keys();
	check_wanted();
	madkit_buf_free(&line);
	tokens_free(&tokens);
	return tap_done();
}
