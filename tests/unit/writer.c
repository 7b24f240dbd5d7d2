/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lines of the JSON writer, read again by json-c. */
#include <errno.h>
#include <math.h>
#include <madkit/format.h>
#include <madkit/writer.h>
#include <json-c/json.h>
#include <locale.h>
#include "tests/tap.h"
#include "util/array_size.h"

static void test_writer_members(const void *context, struct madkit_writer *w)
{
	madkit_writer_string(w, "word", context);
	madkit_writer_array(w, "empty");
	madkit_writer_close(w);
}

static void test_writer_fill(struct madkit_buf *buf, size_t max)
{
	const struct madkit_object object = { test_writer_members, "\t\xe2\x80\xae" };
	struct madkit_writer w;

	madkit_buf_free(buf);
	madkit_buf_init(buf, max);
	madkit_writer_begin(&w, buf);
	madkit_writer_object(&w, NULL);
	madkit_writer_string(&w, "text", "a\"b\\");
	madkit_writer_number(&w, "number", UINT64_MAX);
	madkit_writer_array(&w, "list");
	madkit_writer_hex(&w, NULL, 0x1f, 4);
	madkit_writer_bool(&w, NULL, true);
	madkit_writer_object(&w, NULL);
	madkit_writer_close(&w);
	madkit_writer_bool(&w, NULL, false);
	madkit_writer_close(&w);
	madkit_writer_null(&w, "nothing");
	madkit_writer_string(&w, "missing", NULL);
	madkit_writer_known(&w, "unknown", false, 5);
	madkit_writer_known(&w, "known", true, 5);
	madkit_writer_decimal(&w, "rate", 12.5, 1);
	madkit_writer_decimal(&w, "large", 1e22, 3);
	madkit_writer_decimal(&w, "negative", -0.25, 2);
	madkit_writer_object(&w, "object");
	object.write(object.context, &w);
	madkit_writer_close(&w);
	madkit_writer_close(&w);
	madkit_writer_line(&w);
}

static const char want[] = "{\"text\":\"a\\\"b\\\\\",\"number\":18446744073709551615,"
			   "\"list\":[\"0x001f\",true,{},false],\"nothing\":null,\"missing\":null,"
			   "\"unknown\":null,\"known\":5,\"rate\":12.5,\"large\":10000000000000000000000.000,"
			   "\"negative\":-0.25,\"object\":{\"word\":\"\\t\\u202e\",\"empty\":[]}}\n";

static void test_writer_line(const char *locale)
{
	struct json_object *line, *value;
	struct madkit_buf buf;

	madkit_buf_init(&buf, 0);
	test_writer_fill(&buf, 0);
	madkit_buf_char(&buf, 0);
	is_str(buf.data, want, "%s: a line", locale);
	line = json_tokener_parse(buf.data);
	ok(json_object_object_get_ex(line, "text", &value) &&
		   !strcmp(json_object_get_string(value), "a\"b\\"),
	   "%s: json-c reads a string", locale);
	ok(json_object_object_get_ex(line, "object", &value) &&
		   json_object_object_get_ex(value, "word", &value) &&
		   !strcmp(json_object_get_string(value), "\t\xe2\x80\xae"),
	   "%s: json-c reads an escape", locale);
	ok(json_object_object_get_ex(line, "list", &value) && json_object_array_length(value) == 4,
	   "%s: json-c reads an array", locale);
	json_object_put(line);
	madkit_buf_free(&buf);
}

/* Compares a decimal with printf(). */
static bool test_writer_rounds(double real, unsigned int places)
{
	struct madkit_writer w;
	struct madkit_buf buf;
	char text[400];
	bool same;

	snprintf(text, sizeof(text), "[%.*f]\n", (int)places, real);
	madkit_buf_init(&buf, 0);
	madkit_writer_begin(&w, &buf);
	madkit_writer_array(&w, NULL);
	madkit_writer_decimal(&w, NULL, real, places);
	madkit_writer_close(&w);
	madkit_writer_line(&w);
	madkit_buf_char(&buf, 0);
	same = !strcmp(buf.data, text);
	madkit_buf_free(&buf);
	return same;
}

/* Decimals are those of printf(): also near the middle of two, and where all digits are carried. */
static void test_writer_decimals(void)
{
	static const double reals[] = { 0,
					-0.0,
					0.0005,
					0.00049999999999999999,
					0.0015,
					0.0025,
					0.5,
					0.9995,
					9.9996,
					999.9995,
					1e15 + 0.125,
					4503599627370495.5,
					0x1p52,
					0x1p53,
					0x1.fffffffffffffp52,
					1e-320,
					12.0625,
					2.5,
					1e18,
					1e300,
					-1.5 };
	uint64_t seed = 7;
	bool same = true;

	for (size_t i = 0; i < ARRAY_SIZE(reals); i++)
		for (unsigned int places = 1; places <= 9; places++)
			same &= test_writer_rounds(reals[i], places);
	ok(same, "decimals at the borders are those of printf()");
	for (unsigned int i = 0; i < 100000; i++) {
		seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		/* every second one lies in the middle of two decimals, as far as a double can */
		same &= test_writer_rounds(i & 1 ? (double)(seed >> 12) /
							   (double)(UINT64_C(1) << (seed & 63)) :
						   ((double)(seed >> 40) + 0.5) / 1000,
					   3);
	}
	ok(same, "random decimals are those of printf()");
}

/* Values beyond the ranges are still JSON; objects that were not opened, or too deep, are an error. */
static void test_writer_limits(void)
{
	struct madkit_writer w;
	struct madkit_buf buf;

	madkit_buf_init(&buf, 0);
	madkit_writer_begin(&w, &buf);
	madkit_writer_array(&w, NULL);
	madkit_writer_decimal(&w, NULL, 2, 0);
	madkit_writer_decimal(&w, NULL, 0.5, 12);
	madkit_writer_decimal(&w, NULL, (double)INFINITY, 1);
	madkit_writer_decimal(&w, NULL, (double)NAN, 1);
	madkit_writer_hex(&w, NULL, 0x12345, 4);
	madkit_writer_hex(&w, NULL, 0, 0);
	madkit_writer_hex(&w, NULL, 1, 3);
	madkit_writer_hex(&w, NULL, UINT64_MAX, 99);
	madkit_writer_string(&w, NULL, "\xff");
	madkit_writer_close(&w);
	madkit_writer_line(&w);
	madkit_buf_char(&buf, 0);
	is_str(buf.data,
	       "[2.0,0.500000000,null,null,\"0x012345\",\"0x00\",\"0x0001\",\"0xffffffffffffffff\",\"\\u00ff\"]\n",
	       "values beyond the ranges");
	madkit_buf_reset(&buf);
	madkit_writer_begin(&w, &buf);
	for (unsigned int i = 0; i < MADKIT_WRITER_DEPTH_MAX; i++)
		madkit_writer_object(&w, i ? "a" : NULL);
	ok(!buf.error, "as many objects as are allowed");
	madkit_writer_array(&w, "a");
	is_int(buf.error, -EINVAL, "one more");
	madkit_buf_reset(&buf);
	buf.error = 0;
	madkit_writer_begin(&w, &buf);
	madkit_writer_close(&w);
	is_int(buf.error, -EINVAL, "an object that was not opened");
	madkit_buf_free(&buf);
}

int main(void)
{
	test_writer_decimals();
	static const char *const locales[] = { "C", "de_DE.UTF-8", "ps_AF" };
	struct madkit_buf buf;
	bool whole = false, silent = false;

	for (size_t i = 0; i < ARRAY_SIZE(locales); i++) {
		if (!setlocale(LC_ALL, locales[i]))
			continue;
		test_writer_line(locales[i]);
	}
	test_writer_limits();
	madkit_buf_init(&buf, 0);
	for (size_t max = 1; max < sizeof(want) - 1; max++) {
		test_writer_fill(&buf, max);
		silent |= !buf.error;
		whole |= buf.len > max;
	}
	ok(!silent, "the buffer has an error if the line does not fit");
	ok(!whole, "nothing is written beyond the limit");
	madkit_buf_free(&buf);
	return tap_done();
}
