/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Filters: what they say of crafted MADs, and where they say they are wrong. */
#include <errno.h>
#include <stdlib.h>
#include <madkit/madkit.h>
#include "tests/tap.h"
#include "util/array_size.h"

static void test_expr_put(uint8_t *mad, const struct madkit_attribute *a, uint8_t mgmt_class,
			  const char *name, const char *text)
{
	size_t at = madkit_attribute_offset(1, mgmt_class, a);
	struct madkit_error e;

	if (madkit_set(a->layout, mad + at, 256 - at, name, text, NULL, &e))
		printf("Bail out! %s\n", e.text);
}

struct sample {
	uint8_t mad[256];
	struct madkit_addr remote;
	struct madkit_message message;
	const struct madkit_attribute *attribute;
	struct madkit_record record;
};

static void test_expr_begin(struct sample *s, uint8_t mgmt_class, uint16_t id)
{
	struct madkit_header h = {
		.base_version = 1,
		.mgmt_class = mgmt_class,
		.class_version = madkit_class_version(mgmt_class),
		.method = 0x81,
		.tid = UINT64_C(0x8000000000000005),
		.attribute = id,
		.modifier = 3,
	};

	memset(s, 0, sizeof(*s));
	madkit_header_put(s->mad, sizeof(s->mad), &h);
	s->attribute = madkit_attribute_get(1, mgmt_class, id);
	s->remote = (struct madkit_addr){ .lid = 12, .grh = true, .gid = { 0xfe, 0x80, [15] = 1 } };
	s->message = (struct madkit_message){
		.kind = MADKIT_MESSAGE_RESPONSE,
		.host = "node17",
		.device = "umad:mlx5_0/1",
		.seq = 9,
		.tag = "\"rack 4\"",
		.remote = &s->remote,
		.rtt_us = 41,
		.attempts = -1,
		.mad = s->mad,
		.len = sizeof(s->mad),
	};
	s->message.time.tv_sec = 1;
}

static int eval(const struct sample *s, const char *text)
{
	struct madkit_expr *expr;
	struct madkit_error e;
	struct madkit_record r;
	int ret = madkit_expr_new(text, &expr, &e);

	if (ret) {
		printf("# %s: %s at %d\n", text, e.text, e.position);
		return ret;
	}
	madkit_record_get(&s->message, 0, &r);
	ret = madkit_expr_eval(expr, &r);
	madkit_expr_free(expr);
	return ret;
}

/* on PortInfo of a port that is Active, 4X, with IsSM and IsTrapSupported */
static const struct {
	const char *text;
	int want;
} port_info[] = {
	{ "LinkState == Active", 1 },
	{ "linkstate==ACTIVE", 1 },
	{ "LinkState==Down", 0 },
	{ "LinkState != Down", 1 },
	{ "LinkState >= Armed && LinkState <= Active", 1 },
	{ "LinkState > Active", 0 },
	{ "LinkState < 4", 0 },
	{ "LinkState == 4", 1 },
	{ "LinkState == 0x4", 1 },
	{ "LinkState == 'Active'", 1 },
	{ "LinkState == \"active\"", 1 },
	{ "PortState == Active", 1 },      /* the IBA's name */
	{ "LinkState_name == Active", 1 }, /* the key of JSON */
	{ "LinkState =~ ^Act", 1 },
	{ "LinkState =~ ^act", 0 },
	{ "LinkState !~ 'Down|Init'", 1 },
	{ "data.LinkState == Active", 1 },
	{ "DATA.linkstate == Active", 1 },
	{ "NeighborMTU == 2048", 1 }, /* a name that looks like a number */
	{ "NeighborMTU == 4", 1 },
	{ "NeighborMTU >= 1024", 1 },
	{ "NeighborMTU == 4096", 0 },
	{ "CapMask == IsSM", 1 },
	{ "CapMask != IsSM", 0 },
	{ "CapMask == IsReinitSupported", 0 },
	{ "CapMask != IsReinitSupported", 1 },
	{ "CapMask == 'IsSM|IsTrapSupported'", 1 },
	{ "CapMask == 'IsSM|IsReinitSupported'", 0 },
	{ "CapMask & 'IsSM|IsReinitSupported'", 1 },
	{ "CapMask & IsReinitSupported", 0 },
	{ "CapMask & 0x2", 1 },
	{ "CapMask == 0xa", 1 },
	{ "CapMask == 0x2", 0 },
	{ "CapMask =~ IsTrap", 1 },
	{ "CapMask_names == IsSM", 1 },
	{ "LinkWidthSupported == 4X", 1 },
	{ "LinkWidthSupported =~ '1X or 4X'", 1 },
	{ "LMC", 0 },
	{ "!LMC", 1 },
	{ "Lid", 1 },
	{ "Lid == 99999", 0 }, /* does not fit, so is not equal */
	{ "Lid < 99999", 1 },
	{ "Mkey == 0x1234", 1 }, /* reported as an error, not shown */
	{ "Mkey =~ 1234", 0 },
	{ "Mkey =~ 'not displayed'", 1 },
	{ "GidPrefix == 0xfe80000000000000", 1 },
	{ "!(LinkState == Active && Lid == 5)", 0 },
	{ "(LinkState == Down || Lid == 5) && !LMC", 1 },
	{ "LinkState == Down || LinkState == Down || Lid == 5", 1 },
	{ "LinkState == Active || Lid == 6 && LMC", 1 },
	{ "(LinkState == Active || Lid == 6) && LMC", 0 },
	{ "!!Lid", 1 },
	/* no answer */
	{ "Guid == 5", -ENODATA },
	{ "!(Guid == 5)", -ENODATA },
	{ "Guid", -ENODATA },
	{ "Guid == 5 && LMC", 0 },
	{ "Guid == 5 || Lid", 1 },
	{ "Guid == 5 && Lid", -ENODATA },
	{ "LinkState == Actve", -ENODATA },
	{ "rmpp.segment == 1", -ENODATA },
	/* the envelope */
	{ "kind == response", 1 },
	{ "kind == Response", 1 },
	{ "kind != timeout", 1 },
	{ "seq == 9", 1 },
	{ "seq & 1", 1 },
	{ "record == 0 && records == 1", 1 },
	{ "rtt_us > 40", 1 },
	{ "attempts", 0 }, /* null */
	{ "attempts == 1", 0 },
	{ "attempts != 1", 1 },
	{ "!(attempts == 1)", 1 },
	{ "!attempts", 1 },
	{ "attempts < 2", -ENODATA }, /* A5: nor is its negation true */
	{ "!(attempts < 2)", -ENODATA },
	{ "!(attempts > 3)", -ENODATA },
	{ "!(attempts & 1)", -ENODATA },
	{ "attempts > 3 || seq == 9", 1 },
	{ "!(attempts > 3 && seq == 8)", 1 },
	{ "remote.lid == 12", 1 },
	{ "Remote.LID == 0xc", 1 },
	{ "remote.gid == fe80::1", 1 },
	{ "remote.gid == fe80:0:0:0:0:0:0:1", 1 },
	{ "remote.gid != fe80::2", 1 },
	{ "remote.path", 0 },
	{ "tag == 'rack 4'", 1 },
	{ "tag =~ '^rack [0-9]$'", 1 },
	{ "host == node17", 1 },
	{ "host == NODE17", 0 }, /* a text, not a name of ours */
	{ "device =~ ^umad:", 1 },
	{ "epoch < 02", 1 },
	{ "epoch >= 1.000000 && epoch < 1.5", 1 },
	{ "epoch > 1.9", 0 },
	{ "time > '1970-01-01T00:00:00Z'", 1 },
	{ "time < '1970-01-02'", 1 },
	{ "status.mad == 0 && status.send == 0", 1 },
	{ "status.text == ok", 1 },
	{ "header.method == GetResp", 1 },
	{ "header.method == \"getresp\"", 1 },
	{ "header.method_id == 0x81", 1 },
	{ "header.method == 0x81", 1 },
	{ "header.class == SubnMgt", 1 },
	{ "header.class_id == 1", 1 },
	{ "header.attribute == PortInfo", 1 },
	{ "header.modifier == 3", 1 },
	{ "header.tid == 0x8000000000000005", 1 },
	{ "header.tid > 0x7fffffffffffffff", 1 },
	{ "header.tid =~ 5$", 1 },
	{ "header.m_key == 0", 1 },
	{ "header.hop_count == 0", -ENODATA },
	{ "schema == madkit/1", 1 },
};

static void check_port_info(void)
{
	struct sample s;

	test_expr_begin(&s, MADKIT_CLASS_SUBN, 0x15);
	test_expr_put(s.mad, s.attribute, 1, "LinkState", "Active");
	test_expr_put(s.mad, s.attribute, 1, "CapMask", "IsSM|IsTrapSupported");
	test_expr_put(s.mad, s.attribute, 1, "LinkWidthSupported", "1X|4X");
	test_expr_put(s.mad, s.attribute, 1, "NeighborMTU", "2048");
	test_expr_put(s.mad, s.attribute, 1, "Lid", "5");
	test_expr_put(s.mad, s.attribute, 1, "Mkey", "0x1234");
	test_expr_put(s.mad, s.attribute, 1, "GidPrefix", "0xfe80000000000000");
	for (size_t i = 0; i < ARRAY_SIZE(port_info); i++)
		is_int(eval(&s, port_info[i].text), port_info[i].want, "%s", port_info[i].text);
	s.message.len = 64 + 20; /* ends behind SMLid */
	is_int(eval(&s, "Lid == 5"), 1, "a field before the cut");
	is_int(eval(&s, "LinkState == Active"), -ENODATA, "a field behind it");
	is_int(eval(&s, "!LinkState"), -ENODATA, "and its negation");
	s.message.kind = MADKIT_MESSAGE_TIMEOUT;
	s.message.len = 256;
	is_int(eval(&s, "LinkState == Active"), -ENODATA, "a timeout has no data");
	is_int(eval(&s, "header.attribute == PortInfo"), 1, "but the request's header");
	s.message.mad = NULL;
	s.message.len = 0;
	is_int(eval(&s, "header.attribute == PortInfo"), 0, "without a MAD");
	is_int(eval(&s, "kind == timeout"), 1, "its kind");
}

static const struct {
	uint16_t id;
	uint8_t mgmt_class;
	const char *set, *to, *text;
	int want;
} others[] = {
	{ 0x10, 1, "NodeDescription", "sw \"7\"", "NodeDescription == 'sw \"7\"'", 1 },
	{ 0x10, 1, "NodeDescription", "sw 7", "NodeDesc == \"sw 7\"", 1 },
	{ 0x10, 1, "NodeDescription", "sw 7", "NodeDescription == 'SW 7'", 0 },
	{ 0x10, 1, "NodeDescription", "sw 7", "NodeDescription =~ 'sw [0-9]$'", 1 },
	{ 0x10, 1, "NodeDescription", "sw 7", "NodeDescription > sw", 1 },
	{ 0x10, 1, "NodeDescription", "sw 7", "NodeDescription", 1 },
	{ 0x10, 1, "NodeDescription", "", "NodeDescription", 0 },
	{ 0x11, 1, "NodeType", "Channel Adapter", "NodeType == 'Channel Adapter'", 1 },
	{ 0x11, 1, "NodeType", "2", "NodeType == \"channel adapter\"", 0 },
	{ 0x11, 1, "Guid", "0x2c90300000001", "NodeGUID == 0x2c90300000001", 1 },
	{ 0x16, 1, "PKey[7]", "0xffff", "PKey == 0xffff", 1 },
	{ 0x16, 1, "PKey[7]", "0xffff", "PKey[7] == 0xffff", 1 },
	{ 0x16, 1, "PKey[7]", "0xffff", "PKey[6] == 0xffff", 0 },
	{ 0x16, 1, "PKey[7]", "0xffff", "PKey == 0x8001", 0 },
	{ 0x16, 1, "PKey[7]", "0xffff", "PKey != 0", 1 },
	{ 0x18, 1, "Block[3].Weight", "200", "Block.Weight > 100", 1 },
	{ 0x18, 1, "Block[3].Weight", "200", "Block[3].Weight == 200", 1 },
	{ 0x18, 1, "Block[3].Weight", "200", "Weight == 200", 1 },
	{ 0x18, 1, "Block[3].Weight", "200", "Block[2].Weight == 200", 0 },
	{ 0x35, 3, "SGID", "fe80::5", "SGID == fe80::5", 1 },
	{ 0x35, 3, "SGID", "fe80::5", "SGID == 'fe80:0::0005'", 1 },
	{ 0x35, 3, "SGID", "fe80::5", "SGID != fe80::5", 0 },
	{ 0x35, 3, "SGID", "fe80::5", "DGID", 0 },
	{ 0x11, 3, "NodeInfo.NumPorts", "36", "NodeInfo.NumPorts == 36", 1 },
	{ 0x11, 3, "NodeInfo.NumPorts", "36", "NumPorts == 36", 1 },
	{ 0x02, 1, "DataDetails", "0102", "DataDetails == 0x0102", 1 },
	{ 0x02, 1, "DataDetails", "0102", "DataDetails == 01", 0 },
	{ 0x02, 1, "DataDetails", "0102", "DataDetails =~ ^0102", 1 },
	{ 0x12, 4, "PortXmitData", "0xffffffff", "PortXmitData == 4294967295", 1 },
};

/* On counters: NAME_bytes is 4 times NAME. 0x12 is PortCounters, 0x1d PortCountersExtended (64 bits), 0x1a PortVLOpData
 * (an array). */
static const struct {
	uint16_t id;
	const char *set, *to, *text;
	int want;
} in_bytes[] = {
	{ 0x12, "VL15Dropped", "3", "any_error", 1 },
	{ 0x12, "VL15Dropped", "3", "ANY_ERROR > 2 && VL15Dropped == 3", 1 },
	{ 0x12, "VL15Dropped", "3", "any_error > 3", 0 },
	{ 0x12, "VL15Dropped", "3", "any_error == 3", 1 },
	{ 0x12, "VL15Dropped", "3", "!any_error", 0 },
	{ 0x12, "VL15Dropped", "3", "!(any_error > 3)", 1 },
	{ 0x12, "SymbolErrorCounter", "1", "any_error", 1 },
	{ 0x12, "LocalLinkIntegrityErrors", "15", "any_error >= 15", 1 },
	{ 0x12, "PortXmitWait", "7", "any_error", 0 },
	{ 0x12, "QP1Dropped", "7", "any_error", 0 },
	{ 0x1d, "PortRcvErrors", "4294967296", "any_error > 4294967295", 1 },
	{ 0x1d, "PortXmitWait", "1", "any_error", 0 },
	{ 0x15, "PortLocalPhysicalErrors", "1", "any_error", -ENODATA },
	{ 0x12, "PortXmitData", "14112", "PortXmitData_bytes == 56448", 1 },
	{ 0x12, "PortXmitData", "14112", "PortXmitData_bytes == 14112", 0 },
	{ 0x12, "PortXmitData", "14112", "PortXmitData_bytes != 14112", 1 },
	{ 0x12, "PortXmitData", "14112", "PortXmitData_bytes > 40000", 1 },
	{ 0x12, "PortXmitData", "14112", "PortXmitData_bytes < 40000", 0 },
	{ 0x12, "PortXmitData", "14112", "PortXmitData_bytes > 56447", 1 },
	{ 0x12, "PortXmitData", "14112", "PortXmitData_bytes < 56449", 1 },
	{ 0x12, "PortXmitData", "14112", "PortXmitData_bytes >= 56449", 0 },
	{ 0x12, "PortXmitData", "14112", "PortXmitData_bytes <= 56448", 1 },
	{ 0x12, "PortXmitData", "14112", "PortXmitData_bytes == 56450", 0 },
	{ 0x12, "PortXmitData", "14112", "PortXmitData_bytes & 3", 0 },
	{ 0x12, "PortXmitData", "1", "PortXmitData_bytes & 4", 1 },
	{ 0x12, "PortXmitData", "1", "PortXmitData_bytes & 1", 0 },
	{ 0x12, "PortXmitData", "14112", "data.portxmitdata_BYTES =~ ^56448$", 1 },
	{ 0x12, "PortXmitData", "0", "PortXmitData_bytes", 0 },
	{ 0x12, "PortXmitData", "1", "PortXmitData_bytes", 1 },
	{ 0x12, "PortXmitData", "0xffffffff", "PortXmitData_bytes == 17179869180", 1 },
	{ 0x12, "PortRcvData", "5", "PortRcvData_bytes == 20", 1 },
	{ 0x12, "PortXmitWait", "5", "PortXmitWait_bytes == 20", -ENODATA },
	{ 0x1d, "PortXmitData", "0x3fffffffffffffff", "PortXmitData_bytes == 18446744073709551612", 1 },
	{ 0x1d, "PortXmitData", "0x3fffffffffffffff", "PortXmitData_bytes < 18446744073709551613", 1 },
	{ 0x1d, "PortXmitData", "0x4000000000000000", "PortXmitData_bytes > 18446744073709551615", 1 },
	{ 0x1d, "PortXmitData", "0x4000000000000000", "PortXmitData_bytes == 0", 0 },
	{ 0x1d, "PortXmitData", "0x4000000000000000", "PortXmitData_bytes", 1 },
	{ 0x1d, "PortXmitData", "0xffffffffffffffff", "PortXmitData_bytes <= 18446744073709551615", 0 },
	{ 0x1d, "PortXmitData", "0xffffffffffffffff", "PortXmitData_bytes =~ ^73786976294838206460$", 1 },
	{ 0x1a, "PortVLOpData[1]", "7", "PortVLOpData_bytes[1] == 28", 1 },
	{ 0x1a, "PortVLOpData[1]", "7", "PortVLOpData_bytes[0] == 28", 0 },
	{ 0x1a, "PortVLOpData[1]", "7", "PortVLOpData_bytes == 28", 1 },
	{ 0x1a, "PortVLOpData[1]", "7", "PortVLOpData_bytes == 7", 0 },
	{ 0x1a, "PortVLOpData[1]", "7", "PortVLOpData_bytes[16] == 0", -ENODATA },
};

static void check_in_bytes(void)
{
	struct sample s;

	for (size_t i = 0; i < ARRAY_SIZE(in_bytes); i++) {
		test_expr_begin(&s, MADKIT_CLASS_PERF, in_bytes[i].id);
		test_expr_put(s.mad, s.attribute, MADKIT_CLASS_PERF, in_bytes[i].set, in_bytes[i].to);
		is_int(eval(&s, in_bytes[i].text), in_bytes[i].want, "A5: %s = %s: %s", in_bytes[i].set,
		       in_bytes[i].to, in_bytes[i].text);
	}
}

static void check_others(void)
{
	struct sample s;

	test_expr_begin(&s, 1, 0xee);
	s.mad[64] = 7;
	is_int(eval(&s, "Data == 07"), 1, "bytes of an unknown layout");
	is_int(eval(&s, "data.Data =~ ^0700"), 1, "... by their whole name");
	is_int(eval(&s, "Data == 0701"), 0, "... others");
	is_int(eval(&s, "Lid == 7"), -ENODATA, "a field of another");
	test_expr_begin(&s, 1, 0x32); /* CableInfo: known by name */
	s.mad[64] = 7;
	is_int(eval(&s, "Data == 07"), 1, "bytes of a layout that tables call unknown");
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		test_expr_begin(&s, others[i].mgmt_class, others[i].id);
		test_expr_put(s.mad, s.attribute, others[i].mgmt_class, others[i].set, others[i].to);
		is_int(eval(&s, others[i].text), others[i].want, "%s = %s: %s", others[i].set, others[i].to,
		       others[i].text);
	}
}

static const struct {
	const char *text;
	int position;
} wrong[] = {
	{ "", 0 },
	{ "   ", 3 },
	{ "LinkState ==", 12 },
	{ "LinkState = Active", 10 },
	{ "LinkState == Active Lid", 20 },
	{ "NodeType == Channel Adapter", 20 },
	{ "LinkState == 'Active", 13 },
	{ "(LinkState", 0 },
	{ "LinkState)", 9 },
	{ "LinkState && ", 13 },
	{ "&& LinkState", 0 },
	{ "LinkState || || Lid", 13 },
	{ "== 3", 0 },
	{ "3 == LinkState", 0 },
	{ "LinkState =~ '('", 13 },
	{ "remote.foo == 1", 0 },
	{ "Lid && status.bar", 7 },
	{ "remote == 1", 0 },
	{ "LinkState == Active &", 20 },
	{ "!", 1 },
	{ "()", 1 },
};

static void check_wrong(void)
{
	char deep[400] = "";

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct madkit_expr *expr = (void *)&i;
		struct madkit_error e = { .position = -2 };
		int ret = madkit_expr_new(wrong[i].text, &expr, &e);

		ok(ret == -EINVAL && !expr && e.code == ret && e.text[0], "refused: %s (%s)", wrong[i].text,
		   e.text);
		is_int(e.position, wrong[i].position, "... at %d", wrong[i].position);
	}
	for (int n = 64; n <= 65; n++) {
		struct madkit_expr *expr;

		memset(deep, '!', (size_t)n);
		strcpy(deep + n, "Lid");
		is_int(madkit_expr_new(deep, &expr, NULL), n > 64 ? -EINVAL : 0, "%d negations", n);
		madkit_expr_free(expr);
		memset(deep, '(', (size_t)n);
		strcpy(deep + n, "Lid");
		memset(deep + n + 3, ')', (size_t)n);
		deep[2 * n + 3] = 0;
		is_int(madkit_expr_new(deep, &expr, NULL), n > 64 ? -EINVAL : 0, "%d parentheses", n);
		madkit_expr_free(expr);
	}
}

/* Right-nested as deep as may be, so that the stack of the evaluation is full. */
static void check_stack(void)
{
	struct sample s;
	char text[2000] = "";

	test_expr_begin(&s, MADKIT_CLASS_SUBN, 0x15);
	for (int i = 0; i < 63; i++)
		strcat(text, "LMC || Lid && (");
	strcat(text, "LMC || !Lid && !LMC");
	for (int i = 0; i < 63; i++)
		strcat(text, ")");
	/* Lid is 0 here, so each level is 0 || 0 && ... */
	is_int(eval(&s, text), 0, "the deepest nesting");
	test_expr_put(s.mad, s.attribute, 1, "Lid", "1");
	is_int(eval(&s, text), 0, "... where the innermost decides: 0");
	strcpy(strstr(text, "!Lid"), " Lid");
	for (int i = 0; i < 63; i++)
		strcat(text, ")");
	is_int(eval(&s, text), 1, "... where the innermost decides: 1");
	text[0] = 0;
	for (int i = 0; i < 180; i++)
		strcat(text, i ? " && Lid" : "Lid");
	is_int(eval(&s, text), 1, "a long chain");
}

static const struct {
	const char *text;
	int want, position;
} checks[] = {
	{ "LinkState == Active", 0, 0 },
	{ "LinkState == Actve", -EINVAL, 13 },
	{ "Lid && NoSuchField == 1", -ENOENT, 7 },
	{ "Lid && header.nothing == 1", -ENOENT, 7 },
	{ "header.dr_slid == 1", 0, 0 },
	{ "rmpp.segment == 1", 0, 0 },
	{ "rmpp.foo", -ENOENT, 0 },
	{ "LMC == 1x", -EINVAL, 7 },
	{ "LMC == 99", 0, 0 }, /* never true, but a number */
	{ "seq == nine", -EINVAL, 7 },
	{ "device & 1", -EINVAL, 0 },
	{ "CapMask & IsSM", 0, 0 },
	{ "CapMask & IsXM", -EINVAL, 10 },
	{ "kind == response", 0, 0 },
	{ "kind == respons", -EINVAL, 8 },
	{ "kind =~ respons", 0, 0 },
	{ "kind == 1", -EINVAL, 8 },
	{ "header.method == getresp", 0, 0 },
	{ "header.method == 0x81", 0, 0 },
	{ "header.method != GetRep", -EINVAL, 17 },
	{ "header.class == Vendor0x32", 0, 0 },
	{ "header.class == PerfMgt", 0, 0 },
	{ "header.class == PerfMtg", -EINVAL, 16 },
	{ "header.attribute == NodeInfo", 0, 0 },
	{ "header.attribute == ni", -EINVAL, 20 },
};

static void check_checks(void)
{
	const struct madkit_attribute *a = madkit_attribute_get(1, 1, 0x15);
	struct madkit_expr *expr;
	struct madkit_error e;

	for (size_t i = 0; i < ARRAY_SIZE(checks); i++) {
		int ret = madkit_expr_new(checks[i].text, &expr, &e);

		if (!ok(!ret, "reads: %s", checks[i].text))
			continue;
		ret = madkit_expr_check(expr, a, &e);
		is_int(ret, checks[i].want, "checked: %s", checks[i].text);
		if (ret)
			is_int(e.position, checks[i].position, "... at %d: %s", checks[i].position, e.text);
		madkit_expr_free(expr);
	}
	madkit_expr_new("SGID > fe80::1", &expr, NULL);
	is_int(madkit_expr_check(expr, madkit_attribute_get(1, 3, 0x35), &e), -EINVAL, "GIDs have no order");
	is_int(madkit_expr_check(expr, NULL, &e), -EINVAL,
	       "A2: without an attribute, what no attribute can answer is wrong: %s", e.text);
	madkit_expr_free(expr);
	madkit_expr_new("seq == 1 || SGIDs == 1", &expr, NULL);
	is_int(madkit_expr_check(expr, NULL, &e), -ENOENT, "but one that no attribute has is wrong: %s",
	       e.text);
	is_int(e.position, 12, "... at 12");
	madkit_expr_free(expr);
	madkit_expr_new("NodeInfo == 1", &expr, NULL);
	is_int(madkit_expr_check(expr, madkit_attribute_get(1, 3, 0x11), &e), -EINVAL,
	       "a group is no value: %s", e.text);
	madkit_expr_free(expr);
	madkit_expr_free(NULL);
}

/* The data of an error reply do not count as values. */
static void test_expr_check_errors(void)
{
	struct sample s;

	test_expr_begin(&s, MADKIT_CLASS_SUBN, 0x15);
	s.mad[5] = 0x1c;
	is_int(eval(&s, "LinkState == Active"), -ENODATA, "no field of an error reply");
	is_int(eval(&s, "Lid == 0"), -ENODATA, "... is zero");
	is_int(eval(&s, "!Lid"), -ENODATA, "... nor is it not");
	is_int(eval(&s, "status.mad == 0x1c && records == 0"), 1, "its envelope is known");
	s.message.kind = MADKIT_MESSAGE_REQUEST;
	is_int(eval(&s, "Lid == 0"), 1, "what is sent has values");
}

/* Checks the value that the name of a test has, as text. want NULL: the function returns elements < 0. */
static void test_expr_check_value(const struct sample *s, const char *text, bool other, const char *want,
				  int elements)
{
	struct madkit_record record;
	struct madkit_expr *expr;
	struct madkit_buf buf;

	madkit_buf_init(&buf, 0);
	madkit_record_get(&s->message, 0, &record);
	if (madkit_expr_new(text, &expr, NULL)) {
		ok(false, "reads: %s", text);
		return;
	}
	is_int(madkit_expr_put_value(expr, 0, other, &record, false, &buf), elements, "elements: %s", text);
	madkit_buf_char(&buf, 0);
	is_str(buf.data, want ? want : "", "value: %s", text);
	madkit_buf_free(&buf);
	madkit_expr_free(expr);
}

/* Checks the key that the name of a test has. want: the text, or NULL; a result < 1 has none. */
static void test_expr_check_key(const struct sample *s, const char *text, int result, uint64_t number,
				const char *want)
{
	struct madkit_record record;
	struct madkit_expr *expr;
	struct madkit_buf buf;
	uint64_t got = 0;

	madkit_buf_init(&buf, 0);
	madkit_record_get(&s->message, 0, &record);
	if (madkit_expr_new(text, &expr, NULL)) {
		ok(false, "reads: %s", text);
		return;
	}
	is_int(madkit_expr_get_key(expr, 0, &record, &got, &buf), result, "key: %s", text);
	madkit_buf_char(&buf, 0);
	ok(got == number && !strcmp(buf.data, want ? want : ""), "%s is %" PRIu64 " '%s'", text, got,
	   buf.data);
	is_int(madkit_expr_get_key(expr, 1, &record, &got, &buf), -ENODATA, "there is one test");
	madkit_buf_free(&buf);
	madkit_expr_free(expr);
}

static void test_expr_check_keys(void)
{
	struct sample s;

	test_expr_begin(&s, MADKIT_CLASS_SUBN, 0x15);
	test_expr_put(s.mad, s.attribute, MADKIT_CLASS_SUBN, "Lid", "7");
	test_expr_put(s.mad, s.attribute, MADKIT_CLASS_SUBN, "M_Key", "5");
	test_expr_put(s.mad, s.attribute, MADKIT_CLASS_SUBN, "LinkState", "Armed");
	test_expr_put(s.mad, s.attribute, MADKIT_CLASS_SUBN, "LinkWidthActive", "2X");
	test_expr_check_key(&s, "Lid", 0, 7, NULL);
	test_expr_check_key(&s, "LinkState", 0, 3, NULL);
	test_expr_check_key(&s, "LinkWidthActive", 0, 2, NULL);
	test_expr_check_key(&s, "M_Key", -ENODATA, 0, NULL);
	test_expr_check_key(&s, "GidPrefix", 0, 0, NULL);
	test_expr_check_key(&s, "PortXmitData", -ENODATA, 0, NULL);
	test_expr_check_key(&s, "remote.lid", 0, 12, NULL);
	test_expr_check_key(&s, "header.method", 1, 0, "GetResp");
	test_expr_check_key(&s, "attempts", -ENODATA, 0, NULL);
	test_expr_check_key(&s, "port.number", -ENODATA, 0, NULL);
	test_expr_put(s.mad, s.attribute, MADKIT_CLASS_SUBN, "LinkWidthActive", "0x20");
	test_expr_check_key(&s, "LinkWidthActive", -ENODATA, 0, NULL);
	test_expr_begin(&s, MADKIT_CLASS_SUBN, 0x16);
	test_expr_put(s.mad, s.attribute, MADKIT_CLASS_SUBN, "P_Key[1]", "0x7fff");
	test_expr_put(s.mad, s.attribute, MADKIT_CLASS_SUBN, "P_Key[2]", "0x1fff");
	test_expr_check_key(&s, "P_Key", 0, 0x7fff, NULL);
	test_expr_check_key(&s, "P_Key[2]", 0, 0x1fff, NULL);
}

static void test_expr_check_values(void)
{
	static const struct {
		const char *text;
		bool other;
		const char *want;
		int elements;
	} values[] = {
		{ "LinkState == Active", false, "Armed", 1 },
		{ "linkstate_name == Active", false, "Armed", 1 },
		{ "!(data.Lid > 9)", false, "7", 1 },
		{ "Lid > SMLid", true, "5", 1 },
		{ "Lid > SMlid", false, "7", 1 },
		{ "Lid > 9", true, NULL, -ENOENT },
		{ "M_Key == 5", false, "<not displayed>", 1 },
		{ "PortXmitData > 1", false, NULL, -ENOENT },
		{ "remote.lid == 3", false, "12", 1 },
		{ "header.method == Set", false, "GetResp", 1 },
		{ "attempts == 3", false, NULL, -ENODATA },
		{ "port.number == 1", false, NULL, -ENOENT },
	};
	struct madkit_expr *expr;
	struct madkit_expr_test test;
	struct sample s;

	test_expr_begin(&s, MADKIT_CLASS_SUBN, 0x15);
	test_expr_put(s.mad, s.attribute, MADKIT_CLASS_SUBN, "LinkState", "Armed");
	test_expr_put(s.mad, s.attribute, MADKIT_CLASS_SUBN, "Lid", "7");
	test_expr_put(s.mad, s.attribute, MADKIT_CLASS_SUBN, "SMLid", "5");
	test_expr_put(s.mad, s.attribute, MADKIT_CLASS_SUBN, "M_Key", "5");
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		test_expr_check_value(&s, values[i].text, values[i].other, values[i].want,
				      values[i].elements);
	s.message.len = 64 + 17;
	test_expr_check_value(&s, "Lid > 9", false, NULL, -ENOENT);
	test_expr_begin(&s, MADKIT_CLASS_SUBN, 0x16);
	test_expr_put(s.mad, s.attribute, MADKIT_CLASS_SUBN, "P_Key[1]", "0x7fff");
	test_expr_check_value(&s, "P_Key[1] == 1", false, "0x7fff", 1);
	test_expr_check_value(&s, "P_Key == 1", false,
			      "0x0000,0x7fff,0x0000,0x0000,0x0000,0x0000,0x0000,0x0000,"
			      "0x0000,0x0000,0x0000,0x0000,0x0000,0x0000,0x0000,0x0000,"
			      "0x0000,0x0000,0x0000,0x0000,0x0000,0x0000,0x0000,0x0000,"
			      "0x0000,0x0000,0x0000,0x0000,0x0000,0x0000,0x0000,0x0000",
			      32);
	test_expr_begin(&s, MADKIT_CLASS_PERF, 0x1d);
	test_expr_put(s.mad, s.attribute, MADKIT_CLASS_PERF, "PortXmitData", "0xffffffffffffffff");
	test_expr_check_value(&s, "PortXmitData_bytes > 1", false, "73786976294838206460", 1);

	madkit_expr_new("A >= 0x10 && !(B != 'x y' || !C) || D & E", &expr, NULL);
	is_int((int)madkit_expr_count(expr), 4, "four tests");
	madkit_expr_get(expr, 0, &test);
	ok(test.op == MADKIT_EXPR_GE && test.is_number && test.number == 16 && !test.negated && !test.is_name,
	   "A >= 0x10: a number");
	madkit_expr_get(expr, 1, &test);
	ok(test.op == MADKIT_EXPR_NE && test.negated && !test.is_name && test.name_len == 1 &&
		   *test.name == 'B' && test.value_len == 3 && !memcmp(test.value, "x y", 3),
	   "B != 'x y': negated, and no name");
	madkit_expr_get(expr, 2, &test);
	ok(test.op == MADKIT_EXPR_NONE && !test.negated && !test.value, "C: negated twice");
	madkit_expr_get(expr, 3, &test);
	ok(test.op == MADKIT_EXPR_ANY && test.is_name && !test.negated, "D & E: two names");
	madkit_expr_free(expr);
}

int main(void)
{
	test_expr_check_keys();
	test_expr_check_values();
	test_expr_check_errors();
	check_port_info();
	check_others();
	check_in_bytes();
	check_wrong();
	check_stack();
	check_checks();
	return tap_done();
}
