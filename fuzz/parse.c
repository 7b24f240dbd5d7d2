/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * User input for every parser: numbers, addresses, names, Field=value of every attribute, expressions and
 * projections. No access out of bounds; each refusal has a message without control characters and changes
 * nothing; values that were set are read back unchanged.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/madkit.h>
#include "fuzz/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* One answer of a parser and the words that came with it. */
static int fuzz_parse_judge(const char *text, int ret, const struct madkit_error *error)
{
	if (ret > 0)
		fuzz_fail("a parser answers 0 or -errno", text);
	if (ret && !error->text[0])
		fuzz_fail("refused without a word", text);
	for (const char *p = error->text; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			fuzz_fail("a control character in a message about", text);
	return ret;
}

static void fuzz_parse_words(const char *text)
{
	struct madkit_error error = { .text = "" };
	const struct madkit_attribute *attribute;
	char buf[MADKIT_ADDR_TEXT_MAX], gid_text[MADKIT_GID_TEXT_MAX];
	char path[MADKIT_PATH_TEXT_MAX];
	struct madkit_addr addr, again;
	uint8_t gid[16], gid2[16], mgmt_class, method;
	uint16_t id;
	uint32_t lid;
	uint64_t value;

	for (unsigned int bits = 1; bits <= 64; bits += 7)
		if (!fuzz_parse_judge(text,
				      madkit_parse_number(text, strlen(text), UINT64_MAX >> (64 - bits), "n",
							  &value, &error),
				      &error) &&
		    value > UINT64_MAX >> (64 - bits))
			fuzz_fail("a number beyond its bound", text);
	if (!fuzz_parse_judge(text, madkit_parse_lid(text, &lid, &error), &error) && lid > 0xffff)
		fuzz_fail("a LID beyond its bound", text);
	fuzz_parse_judge(text, madkit_parse_guid(text, &value, &error), &error);
	if (!fuzz_parse_judge(text, madkit_parse_gid(text, gid, &error), &error) &&
	    (madkit_parse_gid(madkit_gid_text(gid, gid_text), gid2, NULL) || memcmp(gid, gid2, 16)))
		fuzz_fail("a GID does not read back", text);
	memset(&addr, 0, sizeof(addr));
	if (!fuzz_parse_judge(text, madkit_parse_path(text, &addr, &error), &error)) {
		madkit_addr_text(&addr, buf);
		if (madkit_parse_path(madkit_path_text(&addr, path), &again, NULL) ||
		    again.hops != addr.hops || memcmp(again.path, addr.path, 64))
			fuzz_fail("a path does not read back", text);
	}
	fuzz_parse_judge(text, madkit_class_find(text, &mgmt_class, &error), &error);
	for (int c = -1; c < 256; c += 1 + (c > 4) * 9) {
		fuzz_parse_judge(text, madkit_attribute_find(text, c, &mgmt_class, &id, &attribute, &error),
				 &error);
		madkit_method_find((uint8_t)c, text, &method);
	}
}

/* name=value into an attribute of bytes that are all ones. */
static void fuzz_parse_set(const struct madkit_attribute *a, const char *name, const char *value)
{
	struct madkit_error error = { .text = "" };
	struct madkit_place place;
	size_t n = a->layout->bytes;
	uint8_t *buf = malloc(n), *old = malloc(n);

	if (buf && old) {
		memset(buf, 0xff, n);
		memcpy(old, buf, n);
		if (fuzz_parse_judge(value, madkit_set(a->layout, buf, n, name, value, &place, &error),
				     &error) &&
		    memcmp(buf, old, n))
			fuzz_fail("a value was refused and set", value);
		/* an end in the middle of the attribute */
		memcpy(buf, old, n);
		madkit_set(a->layout, buf, n / 2, name, value, &place, NULL);
		if (memcmp(buf + n / 2, old + n / 2, n - n / 2))
			fuzz_fail("written behind the end", value);
	}
	free(buf);
	free(old);
}

static void expression(const char *text, const struct madkit_attribute *a, const struct madkit_record *record)
{
	struct madkit_error error = { .text = "" };
	struct madkit_projection *p = NULL;
	struct madkit_expr *e = NULL;
	int ret;

	if (!fuzz_parse_judge(text, madkit_expr_new(text, &e, &error), &error)) {
		fuzz_parse_judge(text, madkit_expr_check(e, a, &error), &error);
		ret = madkit_expr_eval(e, record);
		if (ret > 1 || ret != madkit_expr_eval(e, record))
			fuzz_fail("an expression is neither true nor false", text);
	}
	madkit_expr_free(e);
	if (!fuzz_parse_judge(text, madkit_projection_new(text, &p, &error), &error)) {
		fuzz_parse_judge(text, madkit_projection_check(p, a, &error), &error);
		madkit_projection_has(p, "data.LinkState");
	}
	madkit_projection_free(p);
}

/* A response of the attribute, all of one byte. */
static void fuzz_parse_show(const struct madkit_class *class, const struct madkit_attribute *a,
			    const char *text)
{
	uint8_t mad[MADKIT_FRAME_BYTES];
	struct madkit_header h = {
		.base_version = MADKIT_BASE_VERSION_IB,
		.mgmt_class = class->id,
		.class_version = class->version,
		.method = MADKIT_METHOD_GET | MADKIT_METHOD_RESPONSE,
		.attribute = a->id,
	};
	struct madkit_message message = {
		.kind = MADKIT_MESSAGE_RESPONSE,
		.rtt_us = -1,
		.attempts = -1,
		.mad = mad,
		.len = 256,
	};
	struct madkit_record record;

	memset(mad, 0x41, sizeof(mad));
	madkit_header_put(mad, sizeof(mad), &h);
	madkit_record_get(&message, 0, &record);
	expression(text, a, &record);
}

/* The input: a byte that chooses an attribute, and text: "name=value", an
 * expression, a projection or a word, for all that read it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t count, n = 0, chosen;
	const struct madkit_class *classes = madkit_classes(&count);
	char *text, *value;

	if (!size)
		return 0;
	chosen = data[0];
	text = malloc(size);
	if (!text)
		return 0;
	memcpy(text, data + 1, size - 1);
	text[size - 1] = 0;
	fuzz_parse_words(text);
	for (size_t i = 0; i < count; i++)
		n += classes[i].nattributes;
	chosen %= n;
	for (size_t i = 0; i < count; i++) {
		if (chosen >= classes[i].nattributes) {
			chosen -= classes[i].nattributes;
			continue;
		}
		if (!classes[i].attributes[chosen].layout)
			break;
		fuzz_parse_show(&classes[i], &classes[i].attributes[chosen], text);
		value = strchr(text, '=');
		if (value) {
			*value++ = 0;
			fuzz_parse_set(&classes[i].attributes[chosen], text, value);
		}
		break;
	}
	free(text);
	return 0;
}
