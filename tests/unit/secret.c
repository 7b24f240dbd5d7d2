/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Keys in text and JSON, shown and not: 64 bits, and ServiceKey's 128. */
#include <madkit/format.h>
#include <madkit/mad.h>
#include "../tap.h"

static const uint8_t key[16] = {
	0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
	0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff,
};

/* Whether the output has one text and has not the other. */
static bool has(struct madkit_buf *buf, const char *want, const char *not_want)
{
	bool good;

	madkit_buf_char(buf, 0);
	good = !buf->error && strstr(buf->data, want) &&
	       (!not_want || !strstr(buf->data, not_want));
	if (!good)
		printf("# %s\n", buf->error ? "no memory" : buf->data);
	madkit_buf_reset(buf);
	return good;
}

static void check(const char *name, const uint8_t *mad, const char *shown,
		  const char *digits)
{
	struct madkit_message message = {
		.kind = MADKIT_MESSAGE_RESPONSE, .time.tv_nsec = -1,
		.rtt_us = -1, .attempts = -1, .mad = mad, .len = 256,
	};
	const struct madkit_format show = { .show_keys = true }, hide = { 0 };
	struct madkit_buf buf;
	char want[128];

	madkit_buf_init(&buf, 0);
	madkit_format_json(&buf, &message, &show);
	snprintf(want, sizeof(want), "\"%s\":\"%s\"", name, shown);
	ok(has(&buf, want, NULL), "%s in JSON", name);
	madkit_format_json(&buf, &message, &hide);
	snprintf(want, sizeof(want), "\"%s\":null", name);
	ok(has(&buf, want, digits), "%s in JSON, redacted", name);
	madkit_format_json(&buf, &message, &hide);
	snprintf(want, sizeof(want), "\"redacted\":[\"header.");
	ok(has(&buf, want, digits), "... and told so");
	madkit_format_text(&buf, &message, &show);
	ok(has(&buf, shown, "not displayed"), "%s in text", name);
	madkit_format_text(&buf, &message, &hide);
	ok(has(&buf, "<not displayed>", digits), "%s in text, not displayed", name);
	madkit_buf_free(&buf);
}

int main(void)
{
	uint8_t smp[256] = { 1, 0x01, 1, 0x81, [17] = 0x15 };
	uint8_t sa[256] = { 1, 0x03, 2, 0x81, [17] = 0x31 };

	memcpy(smp + 64, key + 8, 8);	/* PortInfo begins with the M_Key */
	check("Mkey", smp, "0x8899aabbccddeeff", "8899aabb");
	memcpy(sa + 56 + 32, key, 16);
	check("ServiceKey", sa, "0x00112233445566778899aabbccddeeff", "8899aabb");
	return tap_done();
}
