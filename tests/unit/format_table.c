/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rows of a table: one line for each record, effective speeds, and short memory. */
#include <errno.h>
#include <madkit/madkit.h>
#include "tests/tap.h"
#include "tests/unit/fail_alloc.h"
#include "util/array_size.h"
#include "wire/access.h"

static uint8_t mad[MADKIT_MAD_BYTES];
static uint8_t *const info = mad + MADKIT_SMP_DATA;

/* A response with an attribute; everything except the header is zero. */
static struct madkit_message format_table_begin(uint8_t mgmt_class, uint8_t method, uint16_t id)
{
	static const struct madkit_addr lid = { .lid = 5 };
	struct madkit_header h = {
		.base_version = 1,
		.mgmt_class = mgmt_class,
		.class_version = madkit_class_version(mgmt_class),
		.method = method,
		.attribute = id,
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
		.len = sizeof(mad),
	};
}

static struct madkit_message format_table_port_info(void)
{
	return format_table_begin(MADKIT_CLASS_SUBN, MADKIT_METHOD_GET | MADKIT_METHOD_RESPONSE,
				  MADKIT_ATTR_PORT_INFO);
}

/* The rows of a table with these columns, without its titles. */
static const char *format_table_row(const struct madkit_message *m, const char *fields)
{
	static char text[1024];
	const struct madkit_format plain = { .show_keys = false };
	struct madkit_table *table = madkit_table_new(fields);
	struct madkit_buf buf;
	const char *row;

	madkit_buf_init(&buf, 0);
	is_int(madkit_table_add(table, &buf, m, &plain), 1, "a record with %s", fields);
	madkit_table_flush(table, &buf);
	madkit_buf_char(&buf, 0);
	row = buf.error ? NULL : strchr(buf.data, '\n');
	snprintf(text, sizeof(text), "%s", row ? row + 1 : "?");
	madkit_buf_free(&buf);
	madkit_table_free(table);
	return text;
}

static void format_table_bit_sets(void)
{
	struct madkit_message m = format_table_port_info();

	field_put(MADKIT_PORT_INFO_LINK_STATE, info, 4);
	field_put(MADKIT_PORT_INFO_CAP_MASK, info,
		  MADKIT_CAP_MASK_IS_SM | MADKIT_CAP_MASK_IS_TRAP_SUPPORTED | 1);
	field_put(MADKIT_PORT_INFO_LID, info, 7);
	is_str(format_table_row(&m, "LinkState,CapMask,Lid"), "Active     IsSM|IsTrapSupported|0x1  7\n",
	       "W3: the names of a bit set stay in its cell");
	field_put(MADKIT_PORT_INFO_CAP_MASK, info, 0);
	is_str(format_table_row(&m, "CapMask,Lid"), "0x0      7\n", "W3: ... and an empty set is 0x0");
	field_put(MADKIT_PORT_INFO_LINK_WIDTH_ENABLED, info, 3);
	is_str(format_table_row(&m, "LinkWidthEnabled,Lid"), "1X or 4X          7\n",
	       "alternatives are as in text");
}

/* The speed fields, and what each column of them shows. */
static void format_table_speeds(void)
{
	static const struct {
		uint8_t active, extended, extended2;
		const char *want;
	} cases[] = {
		{ 1, 0, 0, "SDR" }, { 2, 0, 0, "DDR" },  { 4, 0, 0, "QDR" }, { 4, 1, 0, "FDR" },
		{ 4, 2, 0, "EDR" }, { 4, 4, 0, "HDR" },  { 0, 8, 0, "NDR" }, { 4, 8, 1, "XDR" },
		{ 4, 0, 1, "XDR" }, { 4, 3, 0, "?(3)" },
	};
	struct madkit_message m = format_table_port_info();

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char want[80];

		field_put(MADKIT_PORT_INFO_LINK_SPEED_ACTIVE, info, cases[i].active);
		field_put(MADKIT_PORT_INFO_LINK_SPEED_EXT_ACTIVE, info, cases[i].extended);
		field_put(MADKIT_PORT_INFO_LINK_SPEED_EXT_ACTIVE2, info, cases[i].extended2);
		snprintf(want, sizeof(want), "%-15s  0\n", cases[i].want);
		is_str(format_table_row(&m, "LinkSpeedActive,Lid"), want, "W4: %u, %u, %u is %s",
		       cases[i].active, cases[i].extended, cases[i].extended2, cases[i].want);
	}
	field_put(MADKIT_PORT_INFO_LINK_SPEED_EXT_ACTIVE, info, 4);
	field_put(MADKIT_PORT_INFO_LINK_SPEED_EXT_ACTIVE2, info, 0);
	is_str(format_table_row(&m, "LinkSpeedExtActive,LinkSpeedExtActive2"),
	       "HDR                 No Extended Speed 2\n", "W4: older fields replace no newer ones");
}

/* Whole rows only, whatever is shown: lines that differ from those of the same message are rows cut short. */
static size_t format_table_bad_lines(const struct madkit_buf *buf, const char *want)
{
	size_t bad = 0, n = strlen(want);

	for (size_t at = 0; at < buf->len; at += n)
		bad += buf->len - at < n || memcmp(buf->data + at, want, n);
	return bad;
}

/* Each allocation of a few rows fails in turn: exactly the rows that were added are shown. */
static void format_table_memory(void)
{
	static const char row[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa  7\n";
	const struct madkit_format plain = { .show_keys = false };
	struct madkit_message m = format_table_begin(MADKIT_CLASS_SUBN,
						     MADKIT_METHOD_GET | MADKIT_METHOD_RESPONSE,
						     MADKIT_ATTR_NODE_DESCRIPTION);
	unsigned int bad = 0, failed = 0, n = 0;
	bool all = false;

	memset(info, 'a', 60);
	mad[MADKIT_MAD_MODIFIER + 3] = 7;
	for (; !all && n < 100; n++) {
		struct madkit_table *table = madkit_table_new("NodeDescription,header.modifier");
		struct madkit_buf buf;
		long added = 0;

		madkit_buf_init(&buf, 0);
		left = n;
		for (unsigned int i = 0; i < 40; i++) {
			int ret = madkit_table_add(table, &buf, &m, &plain);

			bad += ret != 1 && ret != -ENOMEM;
			added += ret == 1;
		}
		all = !reached();
		failed += added < 40;
		madkit_table_flush(table, &buf);
		/* below the titles */
		if (buf.len) {
			size_t titles = (size_t)(strchr(buf.data, '\n') + 1 - buf.data);

			memmove(buf.data, buf.data + titles, buf.len -= titles);
		}
		bad += format_table_bad_lines(&buf, row) || buf.len != (size_t)added * (sizeof(row) - 1);
		madkit_buf_free(&buf);
		madkit_table_free(table);
	}
	ok(all && failed > 5, "X8: %u allocations", failed);
	is_u64(bad, 0, "X8: a row that cannot be held is an error, and is not shown");
}

int main(void)
{
	format_table_bit_sets();
	format_table_speeds();
	format_table_memory();
	return tap_done();
}
