/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Keys in text and JSON, shown and not: 64 bits, and ServiceKey's 128. */
#include <madkit/format.h>
#include <madkit/mad.h>
#include "../tap.h"

static const uint8_t key[16] = {
	0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff,
};

/* Returns true if the output has one text and lacks the other. */
static bool secret_has(struct madkit_buf *buf, const char *want, const char *not_want)
{
	bool good;

	madkit_buf_char(buf, 0);
	good = !buf->error && strstr(buf->data, want) && (!not_want || !strstr(buf->data, not_want));
	if (!good)
		printf("# %s\n", buf->error ? "no memory" : buf->data);
	madkit_buf_reset(buf);
	return good;
}

static void secret_check(const char *name, const uint8_t *mad, const char *shown, const char *digits)
{
	struct madkit_message message = {
		.kind = MADKIT_MESSAGE_RESPONSE,
		.time.tv_nsec = -1,
		.rtt_us = -1,
		.attempts = -1,
		.mad = mad,
		.len = 256,
	};
	const struct madkit_format show = { .show_keys = true }, hide = { 0 };
	struct madkit_buf buf;
	char want[128];

	madkit_buf_init(&buf, 0);
	madkit_format_json(&buf, &message, &show);
	snprintf(want, sizeof(want), "\"%s\":\"%s\"", name, shown);
	ok(secret_has(&buf, want, NULL), "%s in JSON", name);
	madkit_format_json(&buf, &message, &hide);
	snprintf(want, sizeof(want), "\"%s\":null", name);
	ok(secret_has(&buf, want, digits), "%s in JSON, redacted", name);
	madkit_format_json(&buf, &message, &hide);
	snprintf(want, sizeof(want), "\"redacted\":[\"header.");
	ok(secret_has(&buf, want, digits), "... and told so");
	madkit_format_text(&buf, &message, &show);
	ok(secret_has(&buf, shown, "not displayed"), "%s in text", name);
	madkit_format_text(&buf, &message, &hide);
	ok(secret_has(&buf, "<not displayed>", digits), "%s in text, not displayed", name);
	madkit_buf_free(&buf);
}

static bool contains(const struct madkit_buf *buf, const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i + n <= buf->len; i++)
		if (!memcmp(buf->data + i, bytes, n))
			return true;
	return false;
}

static const uint8_t mark[8] = { 0x5e, 0xc3, 0xe7, 0x5e, 0xc3, 0xe7, 0x5e, 0xc3 };

/* No form of it shows the mark, and redacted lists what has it; asked for, JSON
 * shows it. */
static void check_hidden(const char *what, const uint8_t *mad, size_t len, const char *listed)
{
	struct madkit_message message = {
		.kind = MADKIT_MESSAGE_RESPONSE,
		.time.tv_nsec = -1,
		.rtt_us = -1,
		.attempts = -1,
		.mad = mad,
		.len = len,
	};
	const struct madkit_format show = { .show_keys = true };
	const struct madkit_format hide = { .verbose = true };
	struct madkit_buf buf;
	char want[80];

	madkit_buf_init(&buf, 0);
	snprintf(want, sizeof(want), "\"%s\"]", listed);
	madkit_format_json(&buf, &message, &hide);
	ok(secret_has(&buf, want, "c3e7"), "%s: not in JSON, which says so", what);
	madkit_format_json(&buf, &message, &show);
	ok(secret_has(&buf, "5ec3e7", want), "%s: there if asked for", what);
	madkit_format_text(&buf, &message, &hide);
	ok(secret_has(&buf, "#", "c3e7"), "%s: not in text", what);
	madkit_pcap_add(&buf, &message, NULL, false, false);
	ok(!contains(&buf, mark, 3), "%s: not in a capture", what);
	madkit_buf_reset(&buf);
	madkit_pcap_add(&buf, &message, NULL, false, true);
	ok(contains(&buf, mark, 3), "%s: there if asked for", what);
	madkit_buf_free(&buf);
}

static void put_mark(uint8_t *mad, size_t at, size_t end)
{
	for (; at + 8 <= end; at += 8)
		memcpy(mad + at, mark, 8);
}

/* Secrets at unknown positions: none of the data is shown. */
static void check_places(void)
{
	uint8_t notice[256] = { 1, 0x01, 1, 0x05, [17] = 0x02, [64] = 0x81, [68] = 1 };
	uint8_t report[256] = { 1, 0x03, 2, 0x06, [17] = 0x02, [56] = 0x81, [60] = 1 };
	uint8_t segment[256] = { 1, 0x03, 2, 0x92, [17] = 0x31, [24] = 1, 1, 1, [31] = 2, [45] = 22 };
	uint8_t b_key[256] = { 1, 0x05, 1, 0x81, [17] = 0x10 };
	uint8_t cc_key[256] = { 1, 0x21, 2, 0x81, [17] = 0x12 };
	uint8_t b_trap[256] = { 1, 0x05, 1, 0x05, [17] = 0x02, [64] = 0x81, [68] = 1, 3 };
	uint8_t cc_trap[256] = { 1, 0x21, 2, 0x05, [17] = 0x02, [64] = 0x81 };
	uint8_t snmp[256] = { 1, 0x08, 1, 0x03, [17] = 0x10 };
	struct madkit_message m = {
		.kind = MADKIT_MESSAGE_UNSOLICITED, .mad = notice, .len = 256, .rtt_us = -1
	};
	const struct madkit_format plain = { 0 };
	struct madkit_record record;
	struct madkit_expr *expr;
	struct madkit_buf buf;

	put_mark(notice, 64 + 24, 64 + 32);
	put_mark(report, 56 + 24, 56 + 32);
	put_mark(segment, 56, 256);
	put_mark(b_key, 64, 72);
	put_mark(cc_key, 64, 72);
	put_mark(b_trap, 64 + 24, 64 + 32);
	put_mark(cc_trap, 64 + 26, 64 + 34);
	put_mark(snmp, 64, 128);
	check_hidden("a trap of a bad M_Key", notice, 256, "data.MKEY");
	check_hidden("... cut", notice, 100, "data.MKEY");
	check_hidden("... reported", report, 256, "data.MKEY");
	check_hidden("a later segment", segment, 256, "data.Data");
	segment[26] = 5; /* the last: 20 of the class header, 80 of data */
	segment[35] = 100;
	check_hidden("the last segment", segment, 256, "data.Data");
	segment[4] = 1;
	check_hidden("... of an error", segment, 256, "data.Data");
	check_hidden("B_Key", b_key, 256, "data.B_Key");
	check_hidden("a trap of a bad B_Key", b_trap, 256, "data.BKEY");
	check_hidden("a trap of a bad CC_Key", cc_trap, 256, "data.CC_KEY");
	check_hidden("an SNMP community", snmp, 256, "data.CommunityName");
	check_hidden("CC_Key", cc_key, 256, "data.CC_Key");

	/* others have nothing to hide */
	madkit_buf_init(&buf, 0);
	notice[69] = 1;
	madkit_format_json(&buf, &m, &plain);
	ok(secret_has(&buf, "\"redacted\":[\"header.m_key\"]", NULL), "trap 257");
	notice[69] = 0;
	notice[64] = 1;
	madkit_format_json(&buf, &m, &plain);
	ok(secret_has(&buf, "5ec3e7", "data.MKEY"), "a vendor's notice 256");
	m.mad = segment;
	m.kind = MADKIT_MESSAGE_RESPONSE;
	segment[4] = 0;
	segment[17] = 0x35;
	madkit_format_json(&buf, &m, &plain);
	ok(secret_has(&buf, "\"Data\":\"5ec3e7", "data.Data"), "a segment of PathRecords");
	madkit_buf_free(&buf);

	/* filters do not reveal it either */
	m.mad = notice;
	notice[64] = 0x81;
	madkit_record_get(&m, 0, &record);
	madkit_expr_new("MKEY =~ 5ec3", &expr, NULL);
	is_int(madkit_expr_eval(expr, &record), 0, "a pattern does not match it");
	madkit_expr_free(expr);
	m.mad = segment;
	segment[17] = 0x31;
	madkit_record_get(&m, 0, &record);
	madkit_expr_new("Data =~ 5ec3", &expr, NULL);
	is_int(madkit_expr_eval(expr, &record), 0, "nor a segment");
	madkit_expr_free(expr);
}

int main(void)
{
	uint8_t smp[256] = { 1, 0x01, 1, 0x81, [17] = 0x15 };
	uint8_t sa[256] = { 1, 0x03, 2, 0x81, [17] = 0x31 };

	memcpy(smp + 64, key + 8, 8); /* PortInfo begins with the M_Key */
	secret_check("Mkey", smp, "0x8899aabbccddeeff", "8899aabb");
	memcpy(sa + 56 + 32, key, 16);
	secret_check("ServiceKey", sa, "0x00112233445566778899aabbccddeeff", "8899aabb");
	check_places();
	return tap_done();
}
