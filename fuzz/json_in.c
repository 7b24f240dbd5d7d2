/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Parses lines of JSON into MADs. Checks that each refusal has a message, and that an accepted message
 * is unchanged after it is printed and parsed again. A line that cancels a request has a tag and no MAD.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/madkit.h>
#include "fuzz/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads lines; the length of the last whole message. mad and tag become copies of it, or NULL. */
static size_t fuzz_json_in_read_lines(const char *text, size_t size, struct madkit_json_message *last,
				      uint8_t **mad, char **tag)
{
	struct madkit_json_in *in = madkit_json_in_new();
	struct madkit_error error;
	size_t len = 0;

	*mad = NULL;
	*tag = NULL;
	for (size_t at = 0, n; in && at < size; at += n) {
		const char *newline = memchr(text + at, '\n', size - at);
		int ret;

		n = newline ? (size_t)(newline - text) + 1 - at : size - at;
		error.text[0] = 0;
		ret = madkit_json_in_line(in, text + at, n, &error);
		if (ret > 1)
			fuzz_fail("more than a message", "");
		if (ret < 0 && !error.text[0])
			fuzz_fail("refused without a word", "");
		for (const char *p = error.text; ret < 0 && *p; p++)
			if ((unsigned char)*p < 0x20 || *p == 0x7f)
				fuzz_fail("a control character", error.text);
		if (ret != 1)
			continue;
		if (madkit_json_in_message(in)->given & MADKIT_JSON_CANCEL) {
			if (!madkit_json_in_message(in)->tag || madkit_json_in_message(in)->len)
				fuzz_fail("a cancellation without a tag, or with a MAD", "");
			continue;
		}
		*last = *madkit_json_in_message(in);
		len = last->len;
		free(*mad);
		free(*tag);
		*tag = last->tag ? strdup(last->tag) : NULL;
		*mad = malloc(len);
		if (*mad)
			memcpy(*mad, last->mad, len);
	}
	if (in && madkit_json_in_end(in, &error) && !error.text[0])
		fuzz_fail("ended without a word", "");
	madkit_json_in_free(in);
	return *mad ? len : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct madkit_json_message last, again;
	struct madkit_format format = { .show_keys = true };
	struct madkit_message message = { .rtt_us = -1, .attempts = -1, .time.tv_nsec = -1 };
	struct madkit_buf buf;
	uint8_t *mad, *other;
	char *tag, *tag_again;
	size_t len = fuzz_json_in_read_lines((const char *)data, size, &last, &mad, &tag), n;

	if (len > 65536 || !len) {
		free(tag);
		free(mad);
		return 0;
	}
	message.tag = tag;
	message.kind = MADKIT_MESSAGE_REQUEST;
	message.mad = mad;
	message.len = len;
	message.attribute = last.attribute;
	madkit_buf_init(&buf, 0);
	if (madkit_format_json(&buf, &message, &format) < 0)
		fuzz_fail("cannot be printed", "");
	n = fuzz_json_in_read_lines(buf.data, buf.len, &again, &other, &tag_again);
	if (n && strcmp(tag ? tag : "null", tag_again ? tag_again : ""))
		fuzz_fail("read again it has another tag", tag_again ? tag_again : "");
	/* zeros at the end are nowhere */
	for (size_t i = 0; i < len || i < n; i++)
		if ((i < len ? mad[i] : 0) != (i < n ? other[i] : 0))
			fuzz_fail("read again it is another",
				  buf.len < 4000 ? (madkit_buf_char(&buf, 0), buf.data) : "");
	free(tag_again);
	free(tag);
	free(other);
	free(mad);
	madkit_buf_free(&buf);
	return 0;
}
