/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Titles, projections, cut MADs and escapes of text. That the lines of fields
 * are libibmad's is tests/oracle/text's. */
#include <errno.h>
#include <madkit/madkit.h>
#include "tests/tap.h"
#include "util/array_size.h"

static uint8_t mad[4096];
static struct madkit_buf buf;
static struct madkit_addr lid = { .lid = 5 };

static struct madkit_message test_text_begin(uint8_t mgmt_class, uint8_t method, uint16_t id,
					     uint32_t modifier)
{
	struct madkit_header h = {
		.base_version = 1,
		.mgmt_class = mgmt_class,
		.class_version = madkit_class_version(mgmt_class),
		.method = method,
		.tid = 7,
		.attribute = id,
		.modifier = modifier,
	};

	memset(mad, 0, sizeof(mad));
	madkit_header_put(mad, sizeof(mad), &h);
	return (struct madkit_message){
		.kind = MADKIT_MESSAGE_RESPONSE,
		.remote = &lid,
		.time.tv_nsec = -1,
		.rtt_us = -1,
		.attempts = -1,
		.mad = mad,
		.len = 256,
	};
}

static const char *text(const struct madkit_message *m, const struct madkit_format *format)
{
	static const struct madkit_format plain;

	madkit_buf_reset(&buf);
	madkit_format_text(&buf, m, format ? format : &plain);
	madkit_buf_char(&buf, 0);
	return buf.error ? "" : buf.data;
}

/* Old stack content must not be shown. */
static void __attribute__((noinline)) test_text_soil(void)
{
	volatile char stack[8192];

	for (size_t i = 0; i < sizeof(stack); i++)
		stack[i] = 0x55;
}

static void title(const struct madkit_message *m, const char *want)
{
	char line[400];

	test_text_soil();
	text(m, NULL);
	snprintf(line, sizeof(line), "%.*s", (int)strcspn(buf.data, "\n"), buf.data);
	is_str(line, want, "%s", want);
}

static void check_titles(void)
{
	struct madkit_message m = test_text_begin(1, 0x81, 0x11, 0);
	struct madkit_addr dr;

	madkit_parse_path("0,1", &dr, NULL);
	title(&m, "# NodeInfo: Lid 5 port 0");
	m.remote = &dr;
	title(&m, "# NodeInfo: DR path slid 65535; dlid 65535; 0,1 port 0");
	m.remote = NULL;
	title(&m, "# NodeInfo: port 0");
	m = test_text_begin(MADKIT_CLASS_SUBN_DR, 0x81, 0x11, 0);
	m.remote = NULL;
	title(&m, "# NodeInfo: DR path slid 0; dlid 0; 0 port 0");
	m = test_text_begin(1, 0x81, 0x14, 3);
	title(&m, "# GUIDInfo: Lid 5 block 3");
	m = test_text_begin(1, 0x81, 0x16, 0x10002);
	title(&m, "# P_KeyTable: Lid 5 port 1 block 2");
	m = test_text_begin(4, 0x81, 0x12, 0);
	title(&m, "# PortCounters: Lid 5 port 0");
	m.remote = NULL;
	title(&m, "# PortCounters: port 0");
	m = test_text_begin(4, 0x81, 0xff00, 9);
	title(&m, "# PerfMgt attribute 0xff00: Lid 5 mod 9");
	m = test_text_begin(0x32, 0x81, 0x10, 0);
	title(&m, "# Vendor0x32 attribute 0x0010: Lid 5");
	m = test_text_begin(1, 1, 0x15, 4);
	m.kind = MADKIT_MESSAGE_REQUEST;
	title(&m, "# Get PortInfo: Lid 5 port 4");
	mad[3] = 0x7f;
	title(&m, "# method 0x7f PortInfo: Lid 5 port 4");
	m = test_text_begin(1, 5, 2, 0);
	m.kind = MADKIT_MESSAGE_UNSOLICITED;
	title(&m, "# Trap Notice: Lid 5 port 0");
	m = test_text_begin(1, 1, 0x11, 0);
	m.kind = MADKIT_MESSAGE_TIMEOUT;
	m.send_status = ETIMEDOUT;
	is_str(text(&m, NULL), "# NodeInfo: Lid 5 port 0: timeout\n", "a timeout");
	m.kind = MADKIT_MESSAGE_ERROR;
	m.send_status = EIO;
	m.mad = NULL;
	m.len = 0;
	is_str(text(&m, NULL), "# error: Lid 5: input/output error\n", "an error without a MAD");
	m = test_text_begin(1, 0x81, 0x15, 77);
	mad[5] = 0x1c;
	is_str(text(&m, NULL),
	       "# PortInfo: Lid 5 port 77: status 0x001c "
	       "(invalid value in attribute or modifier)\n",
	       "an error reply is its title");
	ok(!strstr(text(&m, &(struct madkit_format){ .verbose = true }), "LinkState") &&
		   strstr(buf.data, "header.class"),
	   "and its headers, if asked for more");
	m = test_text_begin(3, 0x92, 0x11, 0);
	m.len = 56;
	is_str(text(&m, NULL), "# NodeRecord: Lid 5 no records\n", "an empty table");
}

static void test_text_check_records(void)
{
	struct madkit_message m = test_text_begin(3, 0x92, 0x20, 0);

	m.len = 56 + 24;
	mad[45] = 1;
	mad[57] = 1;
	mad[65] = 2;
	mad[73] = 3;
	is_str(text(&m, NULL),
	       "# LinkRecord: record 1 of 3\n"
	       "FromLID:.........................1\n"
	       "FromPort:........................0\n"
	       "ToPort:..........................0\n"
	       "ToLID:...........................0\n"
	       "# LinkRecord: record 2 of 3\n"
	       "FromLID:.........................2\n"
	       "FromPort:........................0\n"
	       "ToPort:..........................0\n"
	       "ToLID:...........................0\n"
	       "# LinkRecord: record 3 of 3\n"
	       "FromLID:.........................3\n"
	       "FromPort:........................0\n"
	       "ToPort:..........................0\n"
	       "ToLID:...........................0\n",
	       "a title a record");
}

static void check_choice(void)
{
	struct madkit_message m = test_text_begin(1, 0x81, 0x11, 0);
	struct madkit_format format = { .verbose = false };
	struct madkit_projection *p;
	struct madkit_expr *expr;

	madkit_projection_new("Guid,remote.lid,remote.path,header.m_key", &p, NULL);
	format.fields = p;
	is_str(text(&m, &format),
	       "# NodeInfo: Lid 5 port 0\n"
	       "remote.lid:......................5\n"
	       "remote.path:.....................\n"
	       "header.m_key:....................<not displayed>\n"
	       "Guid:............................0x0000000000000000\n",
	       "a projection");
	madkit_projection_free(p);
	format.fields = NULL;
	madkit_expr_new("NumPorts > 1", &expr, NULL);
	format.filter = expr;
	is_str(text(&m, &format), "", "filtered out");
	madkit_expr_free(expr);

	m.len = 64 + 5;
	is_str(text(&m, NULL),
	       "# NodeInfo: Lid 5 port 0\n"
	       "BaseVers:........................0\n"
	       "ClassVers:.......................0\n"
	       "NodeType:........................?(0)\n"
	       "NumPorts:........................0\n"
	       "# cut short: 5 of 40 bytes\n",
	       "a MAD cut short");
	m = test_text_begin(1, 0x81, 0xee, 0);
	m.len = 64 + 3;
	is_str(text(&m, NULL),
	       "# SubnMgt attribute 0x00ee: Lid 5 port 0\n"
	       "Data:............................000000\n",
	       "bytes");
	m = test_text_begin(1, 0x81, 0x14, 2);
	ok(strstr(text(&m, NULL), "\n  16: 0x") && strstr(buf.data, "\n  22: 0x"),
	   "rows are numbered on from block to block");
}

static void check_escapes(void)
{
	/* clang-format off */
	static const struct { const char *in; size_t len; const char *out; } cases[] = {
		{ "plain \xc3\xbc", 8, "plain \xc3\xbc" },
		{ "\x1b[2J", 4, "\\x1b[2J" },
		{ "a\nb\tc\x7f", 6, "a\\x0ab\\x09c\\x7f" },
		{ "\xc2\x9b""31m", 5, "\\xc2\\x9b31m" },	/* C1: CSI */
		{ "\xff\xc3", 2, "\\xff\\xc3" },
		{ "\xc0\xaf\xed\xa0\x80", 5, "\\xc0\\xaf\\xed\\xa0\\x80" },
		{ "\xf4\x90\x80\x80", 4, "\\xf4\\x90\\x80\\x80" },
		{ "\xf0\x9f\x98\x80", 4, "\xf0\x9f\x98\x80" },
		{ "a\0b", 3, "a\\x00b" },
		{ "", 0, "" },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		madkit_buf_reset(&buf);
		madkit_text_escape(&buf, cases[i].in, cases[i].len);
		madkit_buf_char(&buf, 0);
		is_str(buf.data, cases[i].out, "escape %zu", i);
	}
	for (size_t n = 28; n < 36; n++) {
		static const char name[] = "abcdefghijklmnopqrstuvwxyz0123456789";
		char label[40];

		snprintf(label, sizeof(label), "%.*s", (int)n, name);
		madkit_buf_reset(&buf);
		madkit_text_label(&buf, label);
		is_u64(buf.len, n + 1 <= 33 ? 33 : n + 2, "a label of %zu characters", n);
	}
	madkit_buf_free(&buf);
	madkit_buf_init(&buf, 60);
	struct madkit_message m = test_text_begin(1, 0x81, 0x11, 0);
	const struct madkit_format plain = { .verbose = false };

	is_int(madkit_format_text(&buf, &m, &plain), -EFBIG, "no room");
	is_u64(buf.len, 0, "nothing of it");
}

int main(void)
{
	madkit_buf_init(&buf, 0);
	check_titles();
	test_text_check_records();
	check_choice();
	check_escapes();
	madkit_buf_free(&buf);
	return tap_done();
}
