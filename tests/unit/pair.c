/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Filters that compare two fields. The expected results are worked out by hand from the values that each case sets. */
#include <errno.h>
#include <madkit/madkit.h>
#include "tests/tap.h"
#include "util/array_size.h"

enum { PORT_INFO = 0x15, SUBN = 1, SA = 3, PERF = 4 };

struct pair_sample {
	uint8_t mad[256];
	struct madkit_addr remote;
	struct madkit_message message;
	const struct madkit_attribute *attribute;
};

static void pair_begin(struct pair_sample *s, uint8_t mgmt_class, uint16_t id)
{
	struct madkit_header h = {
		.base_version = 1,
		.mgmt_class = mgmt_class,
		.class_version = madkit_class_version(mgmt_class),
		.method = 0x81,
		.attribute = id,
		.modifier = 3,
	};

	memset(s, 0, sizeof(*s));
	madkit_header_put(s->mad, sizeof(s->mad), &h);
	s->attribute = madkit_attribute_get(1, mgmt_class, id);
	s->remote = (struct madkit_addr){ .lid = 12, .qp = 1, .grh = true, .gid = { 0xfe, 0x80, [15] = 1 } };
	s->message = (struct madkit_message){
		.kind = MADKIT_MESSAGE_RESPONSE,
		.host = "node17",
		.device = "umad:mlx5_0/1",
		.name = "node17 HCA-1",
		.seq = 9,
		.tag = "\"node17\"",
		.remote = &s->remote,
		.rtt_us = 41,
		.attempts = -1,
		.mad = s->mad,
		.len = sizeof(s->mad),
	};
}

/* Sets fields by "Name=value;Name=value". */
static void pair_set(struct pair_sample *s, const char *set)
{
	uint8_t mgmt_class = s->mad[1];
	size_t at = madkit_attribute_offset(1, mgmt_class, s->attribute);

	while (*set) {
		size_t n = strcspn(set, ";"), name = strcspn(set, "=");
		char text[160], value[160];
		struct madkit_error e;

		snprintf(text, sizeof(text), "%.*s", (int)name, set);
		snprintf(value, sizeof(value), "%.*s", (int)(n - name - 1), set + name + 1);
		if (madkit_set(s->attribute->layout, s->mad + at, 256 - at, text, value, NULL, &e))
			printf("Bail out! %s\n", e.text);
		set += n + (set[n] == ';');
	}
}

static int pair_result(const struct pair_sample *s, const char *text)
{
	struct madkit_error e = { .text = "" };
	struct madkit_expr *expr;
	struct madkit_record r;
	int ret = madkit_expr_new(text, &expr, &e);

	if (!ret) {
		madkit_record_get(&s->message, 0, &r);
		ret = madkit_expr_eval(expr, &r);
		if (ret != -ENODATA && madkit_expr_check(expr, s->attribute, &e))
			ok(false, "%s has a result, but madkit_expr_check() refuses it: %s", text, e.text);
		madkit_expr_free(expr);
	}
	return ret;
}

static const struct {
	uint8_t mgmt_class;
	uint16_t id;
	const char *set, *text;
	int want;
} results[] = {
	/* numbers */
	{ SUBN, PORT_INFO, "Lid=5;SMLid=5", "Lid == SMLid", 1 },
	{ SUBN, PORT_INFO, "Lid=5;SMLid=6", "Lid == SMLid", 0 },
	{ SUBN, PORT_INFO, "Lid=5;SMLid=6", "Lid != SMLid", 1 },
	{ SUBN, PORT_INFO, "Lid=5;SMLid=6", "Lid < SMLid && SMLid > Lid && Lid <= SMLid", 1 },
	{ SUBN, PORT_INFO, "Lid=5;SMLid=6", "Lid >= SMLid", 0 },
	{ SUBN, PORT_INFO, "Lid=5;SMLid=6", "Lid & SMLid", 1 },
	{ SUBN, PORT_INFO, "Lid=5;SMLid=2", "Lid & SMLid", 0 },
	{ SUBN, PORT_INFO, "Lid=5;SMLid=5", "data.Lid==data.smlid", 1 },
	{ SUBN, PORT_INFO, "Lid=5;SMLid=5", "!(Lid != SMLid)", 1 },
	{ SUBN, 0x11, "Guid=0x2c9;SystemGuid=0x2c9", "Guid == SystemGuid", 1 },
	{ SUBN, 0x11, "Guid=0x2c9;SystemGuid=0x2ca", "Guid == SystemGuid", 0 },
	{ SA, 0x12, "EndportLID=7;PortInfo.Lid=7", "EndportLID == PortInfo.Lid", 1 },
	{ SA, 0x12, "EndportLID=7;PortInfo.Lid=8", "EndportLID == PortInfo.Lid", 0 },
	/* the envelope */
	{ PERF, 0x12, "PortSelect=12", "remote.lid == PortSelect", 1 },
	{ PERF, 0x12, "PortSelect=12", "PortSelect == remote.lid", 1 },
	{ PERF, 0x12, "PortSelect=13", "PortSelect <= remote.lid", 0 },
	{ SUBN, PORT_INFO, "LocalPort=3", "header.modifier == LocalPort", 1 },
	{ SUBN, PORT_INFO, "", "remote.lid > seq", 1 },
	{ SUBN, PORT_INFO, "", "header.method == header.method_id", 1 },
	{ SUBN, PORT_INFO, "", "header.class_id == remote.qp", 1 },
	{ SUBN, PORT_INFO, "", "remote.qp == header.class", 1 },
	{ SUBN, PORT_INFO, "", "host == tag", 1 },
	{ SUBN, PORT_INFO, "", "host < remote.name", 1 },
	{ SUBN, PORT_INFO, "", "host == remote.name", 0 },
	{ SUBN, 0x10, "NodeDescription=node17", "host == NodeDescription", 1 },
	{ SUBN, 0x10, "NodeDescription=node17 HCA-1", "NodeDescription == remote.name", 1 },
	{ SUBN, 0x10, "NodeDescription=host", "NodeDescription == 'host'", 1 },
	{ SUBN, 0x10, "NodeDescription=host", "NodeDescription == host", 0 },
	{ SA, 0x35, "SGID=fe80::1;DGID=fe80::2", "remote.gid == SGID", 1 },
	{ SA, 0x35, "SGID=fe80::1;DGID=fe80::2", "DGID == remote.gid", 0 },
	/* null: as against a value */
	{ SUBN, PORT_INFO, "", "attempts == seq", 0 },
	{ SUBN, PORT_INFO, "", "attempts != seq", 1 },
	{ SUBN, PORT_INFO, "", "seq != attempts", 1 },
	{ SUBN, PORT_INFO, "", "attempts == attempts", 0 },
	{ SUBN, PORT_INFO, "", "attempts < seq", -ENODATA },
	{ SUBN, PORT_INFO, "", "!(seq < attempts)", -ENODATA },
	{ SUBN, PORT_INFO, "", "seq & attempts", -ENODATA },
	/* a name of the field's values is a value, even if it is also a field */
	{ PERF, 0x12, "CounterSelect=PortXmitData;PortXmitData=4", "CounterSelect == PortXmitData", 1 },
	{ PERF, 0x12, "CounterSelect=PortXmitData;PortXmitData=4", "CounterSelect & PortRcvData", 0 },
	{ SA, 0x11, "NodeDescription=x", "header.attribute == NodeDescription", 0 },
	{ SA, 0x11, "NodeDescription=x", "header.attribute == NodeRecord", 1 },
	{ SUBN, PORT_INFO, "LinkState=Active", "LinkState == Active", 1 },
	/* enumerations: == by code, < by magnitude (1X 4X 8X 12X 2X have the codes 1 2 4 8 16) */
	{ SA, 0x35, "MTU=2048;Rate=2.5 Gbps", "MTU == MTU", 1 },
	{ SUBN, PORT_INFO, "NeighborMTU=2048;MtuCap=4096", "NeighborMTU < MtuCap", 1 },
	{ SUBN, PORT_INFO, "NeighborMTU=2048;MtuCap=4096", "NeighborMTU == MtuCap", 0 },
	{ SUBN, PORT_INFO, "NeighborMTU=4096;MtuCap=4096", "NeighborMTU >= MtuCap", 1 },
	{ SUBN, PORT_INFO, "NeighborMTU=0;MtuCap=4096", "NeighborMTU < MtuCap", -ENODATA },
	{ SUBN, PORT_INFO, "NeighborMTU=0;MtuCap=4096", "NeighborMTU != MtuCap", 1 },
	{ SUBN, PORT_INFO, "OperVLs=VL0-1;VLCap=VL0-7", "OperVLs < VLCap", 1 },
	/* an enumeration and a set: the highest value of the set */
	{ SUBN, PORT_INFO, "LinkWidthActive=4X;LinkWidthEnabled=1X|4X", "LinkWidthActive == LinkWidthEnabled",
	  1 },
	{ SUBN, PORT_INFO, "LinkWidthActive=1X;LinkWidthEnabled=1X|4X", "LinkWidthActive == LinkWidthEnabled",
	  0 },
	{ SUBN, PORT_INFO, "LinkWidthActive=1X;LinkWidthEnabled=1X|4X", "LinkWidthActive != LinkWidthEnabled",
	  1 },
	{ SUBN, PORT_INFO, "LinkWidthActive=1X;LinkWidthEnabled=1X|4X", "LinkWidthActive < LinkWidthEnabled",
	  1 },
	{ SUBN, PORT_INFO, "LinkWidthActive=1X;LinkWidthEnabled=1X|4X", "LinkWidthEnabled > LinkWidthActive",
	  1 },
	{ SUBN, PORT_INFO, "LinkWidthActive=1X;LinkWidthEnabled=1X|4X", "LinkWidthEnabled <= LinkWidthActive",
	  0 },
	{ SUBN, PORT_INFO, "LinkWidthActive=4X;LinkWidthEnabled=1X|4X|2X",
	  "LinkWidthActive == LinkWidthEnabled", 1 },
	{ SUBN, PORT_INFO, "LinkWidthActive=2X;LinkWidthEnabled=1X|4X|2X",
	  "LinkWidthActive < LinkWidthEnabled", 1 },
	{ SUBN, PORT_INFO, "LinkWidthActive=1X;LinkWidthEnabled=1X|4X", "LinkWidthActive & LinkWidthEnabled",
	  1 },
	{ SUBN, PORT_INFO, "LinkWidthActive=12X;LinkWidthEnabled=1X|4X", "LinkWidthActive & LinkWidthEnabled",
	  0 },
	{ SUBN, PORT_INFO, "LinkWidthActive=4X;LinkWidthEnabled=0x42", "LinkWidthActive == LinkWidthEnabled",
	  -ENODATA },
	{ SUBN, PORT_INFO, "LinkWidthActive=0;LinkWidthEnabled=1X", "LinkWidthActive != LinkWidthEnabled",
	  -ENODATA },
	{ SUBN, PORT_INFO, "LinkSpeedActive=10.0 Gbps;LinkSpeedEnabled=7",
	  "LinkSpeedActive == LinkSpeedEnabled", 1 },
	{ SUBN, PORT_INFO, "LinkSpeedActive=5.0 Gbps;LinkSpeedEnabled=7",
	  "LinkSpeedActive < LinkSpeedEnabled", 1 },
	{ SUBN, PORT_INFO, "LinkSpeedExtActive=1;LinkSpeedExtEnabled=3",
	  "LinkSpeedExtActive < LinkSpeedExtEnabled", 1 },
	{ SUBN, PORT_INFO, "LinkSpeedExtActive=0;LinkSpeedExtEnabled=3",
	  "LinkSpeedExtActive < LinkSpeedExtEnabled", 1 },
	{ SUBN, PORT_INFO, "LinkSpeedExtActive=0;LinkSpeedExtEnabled=0",
	  "LinkSpeedExtActive == LinkSpeedExtEnabled", 1 },
	/* two sets */
	{ SUBN, PORT_INFO, "LinkWidthSupported=1X|4X;LinkWidthEnabled=1X|4X",
	  "LinkWidthEnabled == LinkWidthSupported", 1 },
	{ SUBN, PORT_INFO, "LinkWidthSupported=1X|4X;LinkWidthEnabled=1X",
	  "LinkWidthEnabled == LinkWidthSupported", 0 },
	{ SUBN, PORT_INFO, "LinkWidthSupported=1X|4X;LinkWidthEnabled=1X",
	  "LinkWidthEnabled != LinkWidthSupported", 1 },
	{ SUBN, PORT_INFO, "LinkWidthSupported=1X|4X;LinkWidthEnabled=1X",
	  "LinkWidthEnabled & LinkWidthSupported", 1 },
	{ SUBN, PORT_INFO, "LinkWidthSupported=4X;LinkWidthEnabled=1X",
	  "LinkWidthEnabled & LinkWidthSupported", 0 },
	/* GIDs and bytes */
	{ SA, 0x35, "SGID=fe80::1;DGID=fe80::1", "SGID == DGID", 1 },
	{ SA, 0x35, "SGID=fe80::1;DGID=fe80::2", "SGID == DGID", 0 },
	{ SA, 0x35, "SGID=fe80::1;DGID=fe80::2", "SGID != DGID", 1 },
	/* arrays: any element */
	{ SUBN, 0x16, "PKey[7]=9", "PKey == seq", 1 },
	{ SUBN, 0x16, "PKey[7]=9", "seq == PKey", 1 },
	{ SUBN, 0x16, "PKey[7]=8", "seq == PKey", 0 },
	{ SUBN, 0x16, "PKey[7]=9", "PKey != seq", 1 },
	{ SUBN, 0x16, "PKey[0]=1;PKey[1]=2", "PKey[0] < PKey[1]", 1 },
	{ SUBN, 0x16, "PKey[0]=1;PKey[1]=2;PKey[5]=1", "PKey[0] == PKey", 1 },
	{ SUBN, 0x18, "Block[3].Weight=9", "Block.Weight == seq", 1 },
	/* in bytes */
	{ PERF, 0x12, "PortXmitData=5;PortRcvData=4", "PortXmitData_bytes > PortRcvData_bytes", 1 },
	{ PERF, 0x12, "PortXmitData=5;PortRcvData=20", "PortXmitData_bytes == PortRcvData", 1 },
	{ PERF, 0x12, "PortXmitData=5;PortRcvData=20", "PortRcvData == PortXmitData_bytes", 1 },
	{ PERF, 0x12, "PortXmitData=5;PortRcvData=21", "PortRcvData > PortXmitData_bytes", 1 },
	{ PERF, 0x1d, "PortXmitData=0x4000000000000001;PortRcvData=4", "PortXmitData_bytes == PortRcvData",
	  0 },
	/* a word that this attribute does not have */
	{ SUBN, PORT_INFO, "Lid=5", "Lid == NumPorts", -ENODATA },
	{ SUBN, PORT_INFO, "Lid=5", "NumPorts == Lid", -ENODATA },
	/* a group is not a field */
	{ SA, 0x11, "NodeDescription=NodeInfo", "NodeDescription == NodeInfo", 1 },
	/* refused by madkit_expr_check(), see below */
	{ SUBN, PORT_INFO, "Mkey=5;Lid=5", "Mkey == Lid", -ENODATA },
	{ SUBN, PORT_INFO, "Mkey=5;Lid=5", "Lid != Mkey", -ENODATA },
	{ SUBN, PORT_INFO, "", "header.m_key == Mkey", -ENODATA },
	{ SUBN, PORT_INFO, "LinkWidthActive=4X;Lid=2", "LinkWidthActive == Lid", -ENODATA },
	{ SUBN, PORT_INFO, "LinkWidthActive=4X", "LinkWidthActive == LinkSpeedActive", -ENODATA },
	{ SUBN, PORT_INFO, "", "LinkWidthEnabled < LinkWidthSupported", -ENODATA },
	{ SUBN, PORT_INFO, "", "host == Lid", -ENODATA },
	{ SUBN, 0x18, "Block[3].Weight=9;Block[3].VL=9", "Block.Weight == Block.VL", -ENODATA },
	{ SA, 0x35, "", "SGID < DGID", -ENODATA },
};

/* A result of two fields of a layout: the byte that each is in is cut off in turn. */
static void pair_check_cut(void)
{
	struct pair_sample s;

	pair_begin(&s, SUBN, PORT_INFO);
	pair_set(&s, "Lid=5;LocalPort=5");
	is_int(pair_result(&s, "Lid == LocalPort"), 1, "both fields are there");
	s.message.len = 64 + 20; /* ends behind SMLid */
	is_int(pair_result(&s, "Lid == LocalPort"), -ENODATA, "the second field is cut off");
	is_int(pair_result(&s, "LocalPort != Lid"), -ENODATA, "the first field is cut off");
	is_int(pair_result(&s, "!(LocalPort == seq)"), -ENODATA, "... and its negation is unknown");
	is_int(pair_result(&s, "seq == LocalPort"), -ENODATA, "the field against an entry of the envelope");
}

/* attribute 0: none is known. names: what the message must contain. */
static const struct {
	uint8_t mgmt_class;
	uint16_t id;
	const char *text;
	int want, position;
	const char *names[2];
} refused[] = {
	{ SUBN, PORT_INFO, "LinkWidthActive == Lid", -EINVAL, 19, { "LinkWidthActive", "Lid" } },
	{ SUBN, PORT_INFO, "Lid == LinkWidthActive", -EINVAL, 7, { "LinkWidthActive", "Lid" } },
	{ SUBN,
	  PORT_INFO,
	  "LinkWidthActive == LinkSpeedActive",
	  -EINVAL,
	  19,
	  { "LinkWidthActive", "LinkSpeedActive" } },
	{ SUBN,
	  PORT_INFO,
	  "LinkWidthActive == LinkSpeedEnabled",
	  -EINVAL,
	  19,
	  { "LinkWidthActive", "LinkSpeedEnabled" } },
	{ SUBN,
	  PORT_INFO,
	  "LinkWidthEnabled < LinkWidthSupported",
	  -EINVAL,
	  0,
	  { "LinkWidthEnabled", "LinkWidthSupported" } },
	{ SUBN,
	  PORT_INFO,
	  "LinkWidthEnabled == LinkSpeedEnabled",
	  -EINVAL,
	  20,
	  { "LinkWidthEnabled", "LinkSpeedEnabled" } },
	/* the same codes and other names, if only by case */
	{ SUBN,
	  PORT_INFO,
	  "port.width == LinkWidthActive",
	  -EINVAL,
	  14,
	  { "port.width", "'1x' in the one" } },
	{ SUBN, PORT_INFO, "LinkWidthActive < port.width", -EINVAL, 18, { "port.width", "'1X' in the one" } },
	{ SUBN,
	  PORT_INFO,
	  "port.width == LinkWidthEnabled",
	  -EINVAL,
	  14,
	  { "LinkWidthEnabled", "'1X' in the other" } },
	{ SUBN,
	  PORT_INFO,
	  "port.speed == LinkSpeedActive",
	  -EINVAL,
	  14,
	  { "port.speed", "LinkSpeedActive" } },
	{ SUBN, PORT_INFO, "port.speed == port.width", -EINVAL, 14, { "port.speed", "port.width" } },
	{ SUBN, PORT_INFO, "port.state == LinkState", 0, 0, { "", "" } },
	{ SUBN, PORT_INFO, "port.width < port.width_best", 0, 0, { "", "" } },
	{ SUBN, PORT_INFO, "Lid == CapMask", -EINVAL, 7, { "Lid", "CapMask" } },
	{ SUBN, PORT_INFO, "Mkey == Lid", -EINVAL, 8, { "Mkey", "secret" } },
	{ SUBN, PORT_INFO, "Lid == Mkey", -EINVAL, 7, { "Mkey", "secret" } },
	{ SUBN, PORT_INFO, "header.m_key == Mkey", -EINVAL, 16, { "header.m_key", "Mkey" } },
	{ SUBN, PORT_INFO, "host == Lid", -EINVAL, 8, { "host", "Lid" } },
	{ SUBN, PORT_INFO, "host & device", -EINVAL, 0, { "host", "device" } },
	{ SUBN, PORT_INFO, "LinkWidthActive & LinkWidthActive", -EINVAL, 0, { "LinkWidthActive", "" } },
	{ SUBN, PORT_INFO, "Lid == NumPorts", -ENOENT, 7, { "PortInfo", "NumPorts" } },
	{ SUBN,
	  PORT_INFO,
	  "LinkWidthActive == LinkWidthEnabeld",
	  -EINVAL,
	  19,
	  { "'LinkWidthEnabeld'", "did you mean the field 'LinkWidthEnabled'?" } },
	{ SUBN,
	  PORT_INFO,
	  "remote.lid == LocalPrt",
	  -EINVAL,
	  14,
	  { "'LocalPrt'", "did you mean the field 'LocalPort'?" } },
	{ SUBN, PORT_INFO, "Lid == remote.qb", -EINVAL, 7, { "Lid", "remote.qb" } },
	{ SUBN, 0x18, "Block.Weight == Block.VL", -EINVAL, 16, { "Block.Weight", "Block.VL" } },
	{ SA, 0x12, "EndportLID == LID", -EEXIST, 14, { "EndportLID", "PortInfo.Lid" } },
	{ SA, 0x35, "SGID < DGID", -EINVAL, 0, { "SGID", "DGID" } },
	{ SA, 0x35, "SGID == SLID", -EINVAL, 8, { "SGID", "SLID" } },
	{ 0, 0, "LinkWidthActive == Lid", -EINVAL, 19, { "LinkWidthActive", "Lid" } },
	{ 0, 0, "NoSuchFeild == Lid", -ENOENT, 0, { "NoSuchFeild", "" } },
	{ 0, 0, "LinkStat == Lid", -ENOENT, 0, { "LinkStat", "did you mean 'LinkState'?" } },
	/* accepted */
	{ 0, 0, "remote.lid == PortSelect", 0, 0, { "", "" } },
	{ 0, 0, "LinkWidthActive == LinkWidthEnabled", 0, 0, { "", "" } },
	{ 0, 0, "host == NodeDescription", 0, 0, { "", "" } },
	{ 0, 0, "EndportLID == PortInfo.Lid", 0, 0, { "", "" } },
	{ SUBN, PORT_INFO, "Lid == SMLid", 0, 0, { "", "" } },
};

static void pair_check_refused(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		const struct madkit_attribute *a =
			refused[i].id ? madkit_attribute_get(1, refused[i].mgmt_class, refused[i].id) : NULL;
		struct madkit_error e = { .text = "" };
		struct madkit_expr *expr;

		if (!ok(!madkit_expr_new(refused[i].text, &expr, &e), "reads: %s", refused[i].text))
			continue;
		is_int(madkit_expr_check(expr, a, &e), refused[i].want, "checked: %s", refused[i].text);
		if (refused[i].want) {
			is_int(e.position, refused[i].position, "... at %d", refused[i].position);
			ok(strstr(e.text, refused[i].names[0]) && strstr(e.text, refused[i].names[1]),
			   "... the reason names both: %s", e.text);
		}
		madkit_expr_free(expr);
	}
}

/* An attribute without the second field is not an error: it may arrive. */
static void pair_check_explain(void)
{
	struct madkit_error e = { .text = "" };
	struct madkit_expr *expr;

	madkit_expr_new("remote.lid == PortSelect", &expr, &e);
	is_int(madkit_expr_explain(expr, madkit_attribute_get(1, PERF, 0x12), &e), 0, "with the field");
	is_int(madkit_expr_explain(expr, madkit_attribute_get(1, SUBN, 0x11), &e), 0, "without the field");
	madkit_expr_free(expr);
	madkit_expr_new("host == Lid", &expr, &e);
	is_int(madkit_expr_explain(expr, madkit_attribute_get(1, SUBN, PORT_INFO), &e), -EINVAL,
	       "two that cannot be compared: %s", e.text);
	madkit_expr_free(expr);
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(results); i++) {
		struct pair_sample s;

		pair_begin(&s, results[i].mgmt_class, results[i].id);
		pair_set(&s, results[i].set);
		is_int(pair_result(&s, results[i].text), results[i].want, "%s: %s", results[i].set,
		       results[i].text);
	}
	pair_check_cut();
	pair_check_refused();
	pair_check_explain();
	return tap_done();
}
