/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* JSON lines to the letter: whole lines, and the values that are easily got
 * wrong. That lines lose nothing is tests/unit/roundtrip's. */
#include <errno.h>
#include <stdlib.h>
#include <madkit/madkit.h>
#include "expr/envelope.h"
#include "util/bits.h"
#include "tests/tap.h"

static uint8_t mad[4096];
static struct madkit_buf buf;

static struct madkit_message test_json_begin(uint8_t mgmt_class, uint8_t method, uint16_t id)
{
	struct madkit_header h = {
		.base_version = 1,
		.mgmt_class = mgmt_class,
		.class_version = madkit_class_version(mgmt_class),
		.method = method,
		.tid = 7,
		.attribute = id,
	};

	memset(mad, 0, sizeof(mad));
	madkit_header_put(mad, sizeof(mad), &h);
	return (struct madkit_message){
		.kind = MADKIT_MESSAGE_RESPONSE,
		.time.tv_nsec = -1,
		.rtt_us = -1,
		.attempts = -1,
		.mad = mad,
		.len = 256,
	};
}

static const char *json(const struct madkit_message *m, bool show_keys)
{
	struct madkit_format format = { .show_keys = show_keys };

	madkit_buf_reset(&buf);
	madkit_format_json(&buf, m, &format);
	madkit_buf_char(&buf, 0);
	return buf.error ? "" : buf.data;
}

/* Returns true if the line contains this text. */
static void test_json_has(const struct madkit_message *m, bool show_keys, const char *piece, const char *what)
{
	const char *line = json(m, show_keys);

	if (!ok(strstr(line, piece), "%s: %s", what, piece))
		printf("# %s", line);
}

static void has_not(const struct madkit_message *m, const char *piece, const char *what)
{
	const char *line = json(m, false);

	if (!ok(!strstr(line, piece), "%s: no %s", what, piece))
		printf("# %s", line);
}

static void check_lines(void)
{
	struct madkit_message m = test_json_begin(MADKIT_CLASS_PERF, 0x81, 0xff00);
	struct madkit_addr remote = {
		.lid = 5, .qp = 1, .sl = 3, .pkey_index = 2, .grh = true, .gid = { 0xfe, 0x80, [15] = 9 }
	};

	m.len = 24;
	is_str(json(&m, false),
	       "{\"schema\":\"madkit/1\",\"kind\":\"response\",\"host\":null,"
	       "\"time\":null,\"epoch\":null,\"device\":null,\"agent\":0,\"seq\":0,\"tag\":null,"
	       "\"record\":0,\"records\":0,\"remote\":null,\"port\":null,\"rtt_us\":null,"
	       "\"attempts\":null,\"status\":{\"send\":0,\"mad\":0,\"rmpp\":null,\"text\":\"OK\"},"
	       "\"header\":{\"class\":\"PerfMgt\",\"class_id\":4,\"base_version\":1,"
	       "\"class_version\":1,\"method\":\"GetResp\",\"method_id\":129,"
	       "\"attribute\":null,\"attribute_id\":65280,\"modifier\":0,"
	       "\"tid\":\"0x0000000000000007\",\"status\":0,\"class_specific\":0},"
	       "\"rmpp\":null,\"data\":null,\"rest\":{},\"redacted\":[]}\n",
	       "a header alone");

	m.mad = NULL;
	m.len = 0;
	m.kind = MADKIT_MESSAGE_ERROR;
	m.host = "a\"b";
	m.device = "umad:mlx5_0/1";
	m.time.tv_sec = 951782399;
	m.time.tv_nsec = 999999999;
	m.agent = 4294967295;
	m.seq = UINT64_MAX;
	m.tag = "{\"job\":[1,\"x\"]}";
	m.remote = &remote;
	m.rtt_us = INT64_MAX;
	m.attempts = 3;
	m.send_status = EIO;
	is_str(json(&m, false),
	       "{\"schema\":\"madkit/1\",\"kind\":\"error\",\"host\":\"a\\\"b\","
	       "\"time\":\"2000-02-28T23:59:59.999999Z\",\"epoch\":951782399.999999,"
	       "\"device\":\"umad:mlx5_0/1\",\"agent\":4294967295,"
	       "\"seq\":18446744073709551615,\"tag\":{\"job\":[1,\"x\"]},"
	       "\"record\":0,\"records\":0,\"remote\":{\"lid\":5,\"path\":null,"
	       "\"gid\":\"fe80::9\",\"qp\":1,\"sl\":3,\"pkey_index\":2,\"name\":null},\"port\":null,"
	       "\"rtt_us\":9223372036854775807,\"attempts\":3,"
	       "\"status\":{\"send\":5,\"mad\":0,\"rmpp\":null,\"text\":\"input/output error\"},"
	       "\"header\":null,\"rmpp\":null,\"data\":null,\"rest\":{},"
	       "\"redacted\":[]}\n",
	       "an error without a MAD");

	m = test_json_begin(MADKIT_CLASS_SUBN, 0x01, 0x11);
	m.kind = MADKIT_MESSAGE_TIMEOUT;
	m.send_status = ETIMEDOUT;
	mad[70] = 0xaa;
	test_json_has(&m, false, "\"kind\":\"timeout\"", "timeout");
	test_json_has(&m, false, "\"records\":0", "timeout");
	test_json_has(&m, false, "\"status\":{\"send\":110,\"mad\":0,\"rmpp\":null,\"text\":\"timeout\"}",
		      "timeout");
	test_json_has(&m, false, "\"method\":\"Get\"", "timeout");
	test_json_has(&m, false, "\"data\":null,\"rest\":{},\"redacted\":[\"header.m_key\"]", "timeout");

	m.kind = MADKIT_MESSAGE_ERROR;
	m.send_status = EAGAIN;
	test_json_has(&m, false, "\"text\":\"device not ready\"}", "EAGAIN");
	m.send_status = EINTR;
	test_json_has(&m, false, "\"text\":\"interrupted\"}", "EINTR");
	m.send_status = ECONNABORTED;
	m.rmpp_status = 121;
	test_json_has(&m, false,
		      "\"status\":{\"send\":103,\"mad\":0,\"rmpp\":121,"
		      "\"text\":\"ended by the peer: RMPP status 121 (bad type)\"}",
		      "an ABORT");
	m.rmpp_status = 200;
	test_json_has(&m, false, "\"rmpp\":200,\"text\":\"ended by the peer: RMPP status 200\"}",
		      "a vendor's ABORT");

	m = test_json_begin(MADKIT_CLASS_SUBN, 0x81, 0x15);
	put_be16(mad + 4, 0x1c);
	put_be64(mad + 64, UINT64_C(0x1122334455667788));
	mad[64 + 17] = 9;
	test_json_has(&m, false, "\"records\":0,", "an error reply");
	test_json_has(&m, false,
		      "\"data\":null,\"rest\":{\"81\":\"09\"},"
		      "\"redacted\":[\"header.m_key\",\"data.Mkey\"]",
		      "an error reply");
	test_json_has(&m, true,
		      "\"data\":null,\"rest\":{\"64\":\"1122334455667788\","
		      "\"81\":\"09\"},\"redacted\":[]",
		      "an error reply");
	m.kind = MADKIT_MESSAGE_UNSOLICITED;
	test_json_has(&m, false, "\"data\":null,", "whoever asked");
	mad[3] = 0x01;
	test_json_has(&m, false, "\"LocalPort\"", "a request has no status");

	m = test_json_begin(MADKIT_CLASS_SA, 0x92, 0x11);
	m.len = 56;
	test_json_has(&m, true, "\"record\":0,\"records\":0", "an empty table");
	test_json_has(&m, true, "\"data\":null,\"rest\":{},\"redacted\":[]", "an empty table");
	is_u64(strlen(strchr(json(&m, true), '\n')), 1, "is one line");
}

/* Dates against the C library's. */
static void check_times(void)
{
	struct madkit_message m = { .rtt_us = -1, .attempts = -1 };
	uint64_t seed = 88172645463325252;
	bool good = true;

	for (int i = 0; i < 20000 && good; i++) {
		time_t t = (time_t)(seed % UINT64_C(253402300800));
		char want[100], text[60];
		struct tm tm;

		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		if (i == 0)
			t = 253402300799;
		gmtime_r(&t, &tm);
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
		m.time.tv_sec = t;
		m.time.tv_nsec = (long)(seed % 1000000000);
		snprintf(want, sizeof(want), "\"time\":\"%s.%06ldZ\",\"epoch\":%lld.%06ld,", text,
			 m.time.tv_nsec / 1000, (long long)m.time.tv_sec, m.time.tv_nsec / 1000);
		good = strstr(json(&m, false), want);
		if (!good)
			printf("# %s not in %s", want, buf.data);
	}
	ok(good, "B17: 20000 dates up to the year 9999");
	m.time.tv_sec = 253402300800;
	test_json_has(&m, false, "\"time\":null,\"epoch\":null", "the year 10000");
	m.time.tv_sec = -1;
	test_json_has(&m, false, "\"time\":null,\"epoch\":null", "before 1970");
}

static void test_json_check_values(void)
{
	struct madkit_message m = test_json_begin(MADKIT_CLASS_PERF, 0x81, 0x1d);

	memset(mad + 64, 0xff, 184);
	test_json_has(&m, true, "\"PortXmitPkts\":18446744073709551615,", "a full counter");
	test_json_has(&m, true,
		      "\"PortXmitData\":18446744073709551615,"
		      "\"PortXmitData_bytes\":73786976294838206460,",
		      "counted in 4 octets");
	test_json_has(&m, true, "\"CounterSelect2\":4294967295,", "32 bits");
	put_be64(mad + 64 + 8, UINT64_C(0x4000000000000000));
	test_json_has(&m, true, "\"PortXmitData_bytes\":18446744073709551616,", "2^64 bytes");
	put_be64(mad + 64 + 8, UINT64_C(0x3fffffffffffffff));
	test_json_has(&m, true, "\"PortXmitData_bytes\":18446744073709551612,", "2^64 - 4 bytes");
	put_be64(mad + 64 + 8, UINT64_C(5000000000000000000));
	test_json_has(&m, true, "\"PortXmitData_bytes\":20000000000000000000,", "20 and zeros");

	m = test_json_begin(MADKIT_CLASS_SUBN, 0x81, 0x15);
	mad[64 + 20] = 0x12; /* CapMask: bits 28, 25 */
	mad[64 + 32] = 0x74; /* speeds 1, 2 and 4; Active */
	mad[64 + 33] = 0x9f; /* an undefined physical state; 15 */
	mad[64 + 31] = 0x02;
	put_be64(mad + 64 + 8, UINT64_C(0xfe80000000000000));
	test_json_has(&m, true,
		      "\"CapMask\":301989888,\"CapMask_names\":"
		      "[\"IsClientRegistrationSupported\",\"IsVendorSpecificMadsTableSupported\"],",
		      "a bit set");
	test_json_has(&m, true,
		      "\"LinkSpeedSupported\":7,\"LinkSpeedSupported_names\":"
		      "[\"2.5 Gbps\",\"5.0 Gbps\",\"10.0 Gbps\"],",
		      "a set of speeds");
	test_json_has(&m, true, "\"LinkSpeedExtSupported\":0,\"LinkSpeedExtSupported_names\":[],",
		      "a name of the whole is no bit's");
	test_json_has(&m, true, "\"LinkState\":4,\"LinkState_name\":\"Active\",", "an enumeration");
	test_json_has(&m, true, "\"PhysLinkState\":9,\"PhysLinkState_name\":null,", "a value without a name");
	test_json_has(&m, true, "\"GidPrefix\":\"0xfe80000000000000\",", "64 bits of hex");
	test_json_has(&m, true, "\"Mkey\":\"0x0000000000000000\",", "a key, shown");
	test_json_has(&m, false, "\"data\":{\"Mkey\":null,", "a key, not shown");
	test_json_has(&m, false, "\"redacted\":[\"header.m_key\",\"data.Mkey\"]", "which is told");

	m = test_json_begin(MADKIT_CLASS_SUBN, 0x81, 0x18);
	mad[65] = 7;
	mad[66] = 0x13;
	test_json_has(&m, true, "\"Block\":[{\"VL\":0,\"Weight\":7},{\"VL\":3,\"Weight\":0},{",
		      "an array of layouts");
	test_json_has(&m, true, "\"rest\":{\"66\":\"10\"}", "a reserved bit that is set");

	m = test_json_begin(MADKIT_CLASS_SUBN, 0x81, 0x10);
	memcpy(mad + 64, "a\0b", 3);
	test_json_has(&m, true, "\"data\":{\"NodeDescription\":\"a\\u0000b\"},\"rest\":{}",
		      "a zero within a text");
	memcpy(mad + 64, "\t\x7f\xc2\x9b\xe2\x82\xac", 7);
	test_json_has(&m, true, "\"\\t\\u007f\\u009b\xe2\x82\xac\"},\"rest\":{}", "UTF-8");
	memcpy(mad + 64, "x\xff\xe2\x82y\0\0", 7);
	test_json_has(&m, true, "\"x\\u00ff\\u00e2\\u0082y\"},\"rest\":{\"64\":\"78ffe28279\"}", "no UTF-8");
	memset(mad + 64, 0xf5, 64);
	test_json_has(&m, true, "\\u00f5\\u00f5\"}", "64 bytes of no UTF-8");

	m = test_json_begin(MADKIT_CLASS_SUBN, 0x81, 0xee);
	mad[64] = 1;
	mad[127] = 2;
	test_json_has(&m, true, "\"data\":{\"Data\":\"0100000000", "an unknown attribute");
	test_json_has(&m, true, "0000000002\"},\"rest\":{}", "... in whole");
	mad[128] = 3;
	mad[129] = 4;
	mad[131] = 5;
	test_json_has(&m, true, "\"rest\":{\"128\":\"0304\",\"131\":\"05\"}", "runs of bytes");

	m = test_json_begin(MADKIT_CLASS_SUBN_DR, 0x81, 0x11);
	put_be16(mad + 4, 0x801c);
	test_json_has(&m, true, "\"status\":{\"send\":0,\"mad\":28,", "status without the D bit");
	test_json_has(&m, true, "\"status\":28,\"direction\":1,\"hop_pointer\":0,", "the D bit");
}

/* Secrets do not leak through rest, however the message was cut. */
static void test_json_check_secrets(void)
{
	struct madkit_message m;
	bool good = true;

	for (size_t len = 0; len <= 400 && good; len++) {
		for (int kind = 0; kind < 4 && good; kind++) {
			const char *line;

			/* PortInfo, and tables of it: whole, cut, error */
			m = test_json_begin(kind ? MADKIT_CLASS_SA : MADKIT_CLASS_SUBN, kind ? 0x92 : 0x81,
					    kind ? 0x12 : 0x15);
			memcpy(mad + (kind ? 36 : 24), "\x5e\xc3\xe7\x5e\xc3\xe7\x5e\xc3", 8);
			for (size_t at = kind ? 56 + 4 : 64; at + 8 < 400; at += 72) {
				if (!kind && at > 64)
					break;
				memcpy(mad + at, "\x5e\xc3\xe7\x5e\xc3\xe7\x5e\xc3", 8);
			}
			mad[45] = kind ? 9 : 0;
			if (kind == 2)
				mad[4] = 3; /* an error */
			if (kind == 3)
				mad[45] = 0; /* no stride, no records */
			m.len = len;
			line = json(&m, false);
			good = !strstr(line, "\"5e") && !strstr(line, "5ec3");
			if (good && len > (kind ? 44 : 32))
				good = strstr(line, kind ? "\"header.sm_key\"" : "\"header.m_key\"");
			if (good && len > (kind ? 60 : 64))
				good = strstr(line, kind ? "\"data.PortInfo.Mkey\"" : "\"data.Mkey\"");
			if (!good)
				printf("# %zu bytes, %d: %s", len, kind, line);
		}
	}
	ok(good, "secrets in messages of any length");
}

static void check_shapes(void)
{
	struct madkit_message m = test_json_begin(MADKIT_CLASS_SUBN, 0x81, 0x11);
	struct madkit_format format = { .pretty = true };
	struct madkit_projection *p;
	struct madkit_expr *expr;
	struct madkit_buf small;
	char line[4096];
	size_t n = 0;
	int ret;

	strcpy(line, json(&m, false));
	madkit_buf_reset(&buf);
	is_int(madkit_format_json(&buf, &m, &format), 1, "pretty");
	ok(buf.len > strlen(line) && !strncmp(buf.data, "{\n  \"schema\": \"madkit/1\",\n", 26),
	   "over several lines");
	/* no value here has blanks in it */
	for (size_t i = 0; i < buf.len; i++)
		if (buf.data[i] != ' ' && buf.data[i] != '\n')
			buf.data[n++] = buf.data[i];
	buf.data[n] = 0;
	line[strlen(line) - 1] = 0;
	is_str(buf.data, line, "the same object");

	format.pretty = false;
	madkit_projection_new("Guid,remote.lid, NodeType_name,seq", &p, NULL);
	format.fields = p;
	madkit_buf_reset(&buf);
	madkit_format_json(&buf, &m, &format);
	madkit_buf_char(&buf, 0);
	is_str(buf.data,
	       "{\"seq\":0,\"remote\":null,\"data\":{\"NodeType\":0,"
	       "\"NodeType_name\":null,\"Guid\":\"0x0000000000000000\"}}\n",
	       "a projection");
	madkit_projection_free(p);
	is_int(madkit_projection_new("a,,b", &p, NULL), -EINVAL, "an empty name");
	is_int(madkit_projection_new("", &p, NULL), -EINVAL, "no name");
	is_int(madkit_projection_new("remote.foo", &p, NULL), -EINVAL, "no such member");
	is_int(madkit_projection_new("Foo", &p, NULL), 0, "a name");
	is_int(madkit_projection_check(p, madkit_attribute_get(1, 1, 0x11), NULL), -ENOENT,
	       "which the attribute has not");
	madkit_projection_free(p);

	format.fields = NULL;
	madkit_expr_new("NodeType == 2", &expr, NULL);
	format.filter = expr;
	madkit_buf_reset(&buf);
	is_int(madkit_format_json(&buf, &m, &format), 0, "filtered out");
	is_u64(buf.len, 0, "nothing is appended");
	mad[64 + 2] = 2;
	is_int(madkit_format_json(&buf, &m, &format), 1, "passes");
	madkit_expr_free(expr);
	format.filter = NULL;

	/* a buffer at its limit keeps its content */
	for (size_t max = 1; max < 900; max += 7) {
		madkit_buf_init(&small, max);
		madkit_buf_add(&small, "x", 1);
		ret = madkit_format_json(&small, &m, &format);
		if (ret != (ret > 0 ? 1 : -EFBIG) ||
		    small.len != (ret > 0 ? strlen(json(&m, false)) + 1 : 1) || small.data[0] != 'x')
			break;
		madkit_buf_free(&small);
		if (max + 7 >= 900)
			ok(true, "buffers of any limit");
	}
	ok(ret == 1, "the largest was enough");
}

/* A table's lines: record and records, the same seq, rest where it belongs. */
static void test_json_check_table(void)
{
	struct madkit_message m = test_json_begin(MADKIT_CLASS_SA, 0x92, 0x20);
	const char *line;

	m.len = 56 + 3 * 8;
	m.seq = 4;
	mad[45] = 1;
	for (int i = 0; i < 3; i++)
		mad[56 + 8 * i + 1] = (uint8_t)(i + 1);
	mad[18] = 0xee; /* a reserved byte of the header */
	line = json(&m, true);
	for (int i = 0; i < 3; i++) {
		char want[80];

		snprintf(want, sizeof(want),
			 "\"seq\":4,\"tag\":null,\"record\":%d,"
			 "\"records\":3,",
			 i);
		ok(strstr(line, want), "record %d", i);
		snprintf(want, sizeof(want), "\"data\":{\"FromLID\":%d,", i + 1);
		ok(strstr(line, want), "its data");
		ok(strstr(line, i ? "\"rest\":{}" : "\"rest\":{\"18\":\"ee\"}") < strchr(line, '\n'),
		   "the header's rest with the first");
		line = strchr(line, '\n') + 1;
	}
	ok(!*line, "and no more");
	m.len += 5;
	memset(mad + 80, 0x77, 5);
	line = json(&m, true);
	ok(strstr(line, "\"rest\":{\"80\":\"7777777777\"}") > strstr(line, "\"record\":2"),
	   "what is left of a record, with the last");
	has_not(&m, "\"record\":3", "5 bytes of 8");
}

/* The type of an entry in the table is its type in a message with all entries. */
static void check_envelope_types(void)
{
	struct madkit_addr remote = { .lid = 3, .grh = true, .direct = true };
	struct madkit_message m = test_json_begin(MADKIT_CLASS_PERF, 0x81, 0x12);
	struct madkit_record record;
	struct envelope_value value;

	m.host = m.device = m.name = "x";
	m.time.tv_nsec = 0;
	m.tag = "1";
	m.remote = &remote;
	m.rtt_us = m.attempts = m.rmpp_status = 1;
	madkit_record_get(&m, 0, &record);
	for (unsigned int id = 0; id < ENVELOPE_N; id++) {
		envelope_get(&record, (enum envelope_id)id, &value);
		ok(value.type != ENVELOPE_NONE &&
			   envelope_entries[id].number ==
				   (value.type == ENVELOPE_NUMBER || value.type == ENVELOPE_HEX64),
		   "type of %s", envelope_entries[id].name);
	}
}

int main(void)
{
	madkit_buf_init(&buf, 0);
	check_lines();
	check_times();
	test_json_check_values();
	test_json_check_secrets();
	check_shapes();
	test_json_check_table();
	check_envelope_types();
	madkit_buf_free(&buf);
	return tap_done();
}
