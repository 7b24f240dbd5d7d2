/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The object "port": its values, its record in a message, JSON (tests/data/port.json, which tests/sim/schema.bats
 * checks by the schema), text, tables, and names in expressions and projections.
 */
#include <errno.h>
#include <stdlib.h>
#include <madkit/madkit.h>
#include "tests/tap.h"
#include "topology/topology.h"
#include "util/array_size.h"
#include "util/bits.h"
#include "wire/access.h"
#include "wire/tables/tables.h"
#include "wire/wire_int.h"

#define BYTES 717

/* A port of a sweep: each value that is put becomes known. */
struct sample {
	struct madkit_record record;
	struct madkit_message message;
	uint8_t data[BYTES], known[BYTES];
};

static void sample_put(struct sample *s, uint64_t field, uint64_t value)
{
	field_put(field, s->data, value);
	bits_put(s->known, at_offset(field), 1, 1);
}

static void sample_text(struct sample *s, uint64_t field, const char *text)
{
	memcpy(s->data + field_at(field), text, strlen(text));
	bits_put(s->known, at_offset(field), 1, 1);
}

static void sample_begin(struct sample *s)
{
	memset(s, 0, sizeof(*s));
	s->record.attribute = &madkit_attribute_port_object;
	s->record.layout = &madkit_layout_port_object;
	s->record.data = s->data;
	s->record.known = s->known;
	s->record.len = BYTES;
	s->message.kind = MADKIT_MESSAGE_PORT;
	s->message.port = &s->record;
	s->message.time.tv_nsec = -1;
	s->message.rtt_us = -1;
	sample_text(s, MADKIT_PORT_OBJECT_NODE_NAME, "leaf1 rack1");
	sample_put(s, MADKIT_PORT_OBJECT_NODE_GUID, UINT64_C(0x0002c90300000010));
	sample_put(s, MADKIT_PORT_OBJECT_NODE_SYSTEM_GUID, UINT64_C(0x0002c90300000011));
	sample_put(s, MADKIT_PORT_OBJECT_NODE_DEVICE_ID, 53000);
	sample_put(s, MADKIT_PORT_OBJECT_LID, 3);
}

/* The first line of the file: a slow link. */
static void sample_slow(struct sample *s)
{
	sample_begin(s);
	sample_put(s, MADKIT_PORT_OBJECT_NODE_TYPE, MADKIT_PORT_NODE_TYPE_SWITCH);
	sample_put(s, MADKIT_PORT_OBJECT_NUMBER, 36);
	sample_put(s, MADKIT_PORT_OBJECT_STATE, 4);
	sample_put(s, MADKIT_PORT_OBJECT_PHYS, 5);
	sample_put(s, MADKIT_PORT_OBJECT_WIDTH, MADKIT_WIDTH_1X);
	sample_put(s, MADKIT_PORT_OBJECT_SPEED, MADKIT_SPEED_FDR10);
	sample_put(s, MADKIT_PORT_OBJECT_GBPS, 10);
	sample_put(s, MADKIT_PORT_OBJECT_WIDTH_ENABLED, MADKIT_WIDTH_4X);
	sample_put(s, MADKIT_PORT_OBJECT_SPEED_ENABLED, MADKIT_SPEED_EDR);
	sample_put(s, MADKIT_PORT_OBJECT_WIDTH_BEST, MADKIT_WIDTH_4X);
	sample_put(s, MADKIT_PORT_OBJECT_SPEED_BEST, MADKIT_SPEED_EDR);
	sample_put(s, MADKIT_PORT_OBJECT_MTU, 4096);
	sample_text(s, MADKIT_PORT_OBJECT_LABEL, "1/36");
	sample_put(s, MADKIT_PORT_OBJECT_PLANE, 0);
	sample_text(s, MADKIT_PORT_OBJECT_PEER_NODE_NAME, "node\"2");
	sample_put(s, MADKIT_PORT_OBJECT_PEER_NODE_GUID, UINT64_C(0x0002c90300000020));
	sample_put(s, MADKIT_PORT_OBJECT_PEER_NODE_DEVICE_ID, 4123);
	sample_put(s, MADKIT_PORT_OBJECT_PEER_NODE_TYPE, MADKIT_PORT_NODE_TYPE_CA);
	sample_put(s, MADKIT_PORT_OBJECT_PEER_NUMBER, 1);
	sample_put(s, MADKIT_PORT_OBJECT_PEER_GUID, UINT64_C(0x0002c90300000021));
	sample_put(s, MADKIT_PORT_OBJECT_PEER_LID, 65535);
}

/* The second line: a port that is down, of a node with an unnamed type. */
static void sample_down(struct sample *s)
{
	sample_begin(s);
	sample_put(s, MADKIT_PORT_OBJECT_NODE_TYPE, 9);
	sample_put(s, MADKIT_PORT_OBJECT_NUMBER, 2);
	sample_put(s, MADKIT_PORT_OBJECT_STATE, 1);
	sample_put(s, MADKIT_PORT_OBJECT_PHYS, 2);
	sample_put(s, MADKIT_PORT_OBJECT_WIDTH_ENABLED, MADKIT_WIDTH_12X);
	sample_put(s, MADKIT_PORT_OBJECT_SPEED_ENABLED, MADKIT_SPEED_XDR);
}

/* A response of PortCounters from the port of s. */
static void sample_counters(struct sample *s, uint8_t mad[MADKIT_MAD_BYTES])
{
	const struct madkit_header header = {
		.base_version = 1,
		.mgmt_class = MADKIT_CLASS_PERF,
		.class_version = 1,
		.method = MADKIT_METHOD_GET | MADKIT_METHOD_RESPONSE,
		.attribute = MADKIT_ATTR_PORT_COUNTERS,
		.tid = 7,
	};

	memset(mad, 0, MADKIT_MAD_BYTES);
	madkit_header_put(mad, MADKIT_MAD_BYTES, &header);
	field_put(MADKIT_PORT_COUNTERS_PORT_SELECT, mad + 64, 36);
	field_put(MADKIT_PORT_COUNTERS_SYMBOL_ERROR_COUNTER, mad + 64, 12);
	s->message.kind = MADKIT_MESSAGE_RESPONSE;
	s->message.mad = mad;
	s->message.len = MADKIT_MAD_BYTES;
}

static void port_object_values(void)
{
	const struct madkit_layout *layout = &madkit_layout_port_object;
	static const struct {
		const char *field;
		const char *(*name)(unsigned int bit);
	} lists[] = { { "width", topology_width_name }, { "speed", topology_speed_name } };

	is_u64(layout->bytes, BYTES, "the length of the record");
	for (size_t i = 0; i < 2; i++) {
		struct madkit_place place;
		uint64_t all = 0, before = 0;
		unsigned int wrong = 0;

		madkit_place_find(layout, lists[i].field, strlen(lists[i].field), &place, NULL);
		for (const struct madkit_value *v = place.field->values; v->name; v++) {
			wrong += strcmp(v->name, lists[i].name((unsigned int)v->value)) != 0;
			wrong += v->magnitude <= before;
			wrong += i == 0 && v->magnitude != topology_lanes((unsigned int)v->value);
			before = v->magnitude;
			all |= v->value;
		}
		is_u64(wrong, 0, "each %s has the name and the order that lib/topology gives it",
		       lists[i].field);
		is_u64(all, i == 0 ? 0x1f : 0x1ff, "all of them");
	}
}

static void port_object_record(void)
{
	struct sample s;
	struct madkit_record record;
	unsigned int got, total;
	uint64_t value;

	sample_slow(&s);
	is_str(message_kind_name(s.message.kind), "port", "the kind of a port's message");
	is_u64(madkit_message_records(&s.message), 1, "it has one record");
	is_int(madkit_message_complete(&s.message, &got, &total), 0, "and is complete");
	madkit_record_get(&s.message, 0, &record);
	ok(record.message == &s.message && record.data == s.data && record.records == 1,
	   "which is that of the port");
	is_int(madkit_record_value(&record, "peer.node.guid", &value), 0, "its fields are found by name");
	ok(value == UINT64_C(0x0002c90300000020), "at the places of the constants");
	is_int(madkit_record_value(&record, "lid", &value), 0, "lid is the port's own");
	is_int(madkit_record_value(&record, "guid", &value), -ENODATA, "guid is null");
	is_int(madkit_record_value(&record, "type", &value), -EEXIST, "type could be that of either end");
	ok(!madkit_record_next(&record), "there is no other record");
	madkit_record_get(&s.message, 1, &record);
	ok(!record.data, "also by number");
	s.message.port = NULL;
	is_u64(madkit_message_records(&s.message), 0, "without a port there is none");
	madkit_record_get(&s.message, 0, &record);
	ok(!record.data && record.message == &s.message, "and its data is NULL");
}

/* Formats the message: "json", "text" or "table". */
static const char *put(const struct madkit_message *m, const char *form, const char *fields,
		       struct madkit_plans *plans)
{
	static char text[4096];
	struct madkit_projection *p = NULL;
	struct madkit_format format = { .plans = plans };
	struct madkit_table *table = madkit_table_new(fields);
	struct madkit_buf buf;

	madkit_buf_init(&buf, 0);
	if (fields)
		is_int(madkit_projection_new(fields, &p, NULL), 0, "fields %s", fields);
	format.fields = p;
	if (!strcmp(form, "json")) {
		madkit_format_json(&buf, m, &format);
	} else if (!strcmp(form, "text")) {
		madkit_format_text(&buf, m, &format);
	} else {
		madkit_table_add(table, &buf, m, &format);
		madkit_table_flush(table, &buf);
	}
	snprintf(text, sizeof(text), "%.*s", (int)buf.len, buf.data);
	madkit_buf_free(&buf);
	madkit_projection_free(p);
	madkit_table_free(table);
	return text;
}

static void port_object_json(void)
{
	struct madkit_plans *plans = madkit_plans_new();
	uint8_t mad[MADKIT_MAD_BYTES];
	char path[1000], want[4096], *top = getenv("top_srcdir");
	const char *begin, *end, *line;
	struct sample s;
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/data/port.json", top ? top : ".");
	f = fopen(path, "r");
	for (unsigned int i = 0; i < 2; i++) {
		if (!f || !fgets(want, sizeof(want), f))
			*want = 0;
		(i ? sample_down : sample_slow)(&s);
		is_str(put(&s.message, "json", NULL, NULL), want, "line %u of port.json", i);
		is_str(put(&s.message, "json", NULL, plans), want, "... the same with plans");
	}
	if (f)
		fclose(f);

	/* a line about a MAD: by a plan, by a different one if there is no port */
	for (unsigned int i = 0; i < 22; i++) {
		(i & 1 ? sample_down : sample_slow)(&s);
		sample_counters(&s, mad);
		snprintf(want, sizeof(want), "%s", put(&s.message, "json", NULL, NULL));
		is_str(put(&s.message, "json", NULL, plans), want, "counters of a port by a plan");
		begin = strstr(want, "\"port\":");
		end = strstr(want, ",\"rtt_us\"");
		ok(begin && end && strstr(want, "\"SymbolErrorCounter\":12"), "a line with port and data");
		s.message.port = NULL;
		line = put(&s.message, "json", NULL, plans);
		ok(begin && end && !strncmp(line, want, (size_t)(begin - want)) &&
			   !strncmp(line + (begin - want), "\"port\":null,", 12) &&
			   !strcmp(line + (begin - want) + 12, end + 1),
		   "without a port, only this key differs");
	}
	madkit_plans_free(plans);

	sample_slow(&s);
	is_str(put(&s.message, "json", "port.peer.node.name,kind", NULL),
	       "{\"kind\":\"port\",\"port\":{\"peer\":{\"node\":{\"name\":\"node\\\"2\"}}}}\n",
	       "with the prefix");
	is_str(put(&s.message, "json", "number,peer.lid", NULL),
	       "{\"port\":{\"number\":36,\"peer\":{\"lid\":65535}}}\n", "without it: the line is a port");
	is_str(put(&s.message, "json", "seq", NULL), "{\"seq\":0}\n", "nothing of the port");
	sample_down(&s);
	is_str(put(&s.message, "json", "port.peer.lid,width", NULL),
	       "{\"port\":{\"width\":null,\"peer\":null}}\n", "null");
	sample_slow(&s);
	sample_counters(&s, mad);
	is_str(put(&s.message, "json", "port.number,SymbolErrorCounter", NULL),
	       "{\"port\":{\"number\":36},\"data\":{\"SymbolErrorCounter\":12}}\n", "port and data");
	is_str(put(&s.message, "json", "lid", NULL), "{\"data\":{}}\n",
	       "in other lines, a name is one of data");
	s.message.port = NULL;
	is_str(put(&s.message, "json", "port.number", NULL), "{\"port\":null}\n", "no port");
	/* Port is a field of forwarding tables */
	is_str(put(&s.message, "json", "Port", NULL), "{\"data\":{}}\n", "Port is not port");
}

/* ---- a line that is read back ---------------------------------------------------------- */

static void port_object_back(void)
{
	static const struct {
		const char *change, *error;
	} bad[] = {
		{ "\"peer\":7", "port.peer: is not an object" },
		{ "\"number\":300", "port.number: number '300' is too large: at most 255 (0xff)" },
		{ "\"state\":\"Idle\"", NULL },
	};
	static const char *const bare[] = {
		"{\"kind\":\"summary\",\"header\":null,\"data\":{\"complete\":true}}",
		"{\"kind\":\"event\",\"header\":{\"attribute\":\"PortCounters\"},\"data\":{\"counters\":{}}}",
		"{\"kind\":\"problem\",\"header\":null,\"problem\":{\"rule\":\"slow\"}}",
		"{\"kind\":\"response\",\"header\":{\"method\":\"Get\",\"attribute\":\"PortInfo\"},\"redacted\":[\"header.m_key\"]}",
		"{\"kind\":\"error\",\"header\":null,\"data\":{\"error\":\"no device\"}}",
	};
	struct madkit_json_in *in = madkit_json_in_new();
	const struct madkit_json_message *m = madkit_json_in_message(in);
	struct madkit_error error;
	uint8_t mad[MADKIT_MAD_BYTES];
	char line[4096], other[512];
	struct sample s, read;

	for (unsigned int i = 0; i < 4; i++) {
		(i & 1 ? sample_down : sample_slow)(&s);
		if (i & 2)
			sample_counters(&s, mad);
		s.message.time = (struct timespec){ .tv_sec = 1767225600, .tv_nsec = 537000 };
		snprintf(line, sizeof(line), "%s", put(&s.message, "json", NULL, NULL));
		if (i == 0)
			is_int(madkit_json_in_line(in, line, strlen(line), NULL), -EINVAL,
			       "a line without a MAD is rejected");
		is_int(madkit_json_in_read_ports(in, &madkit_attribute_port_object), 0,
		       "unless ports are read");
		is_int(madkit_json_in_line(in, line, strlen(line), NULL), 1, "line %u is read", i);
		is_u64(m->time_ns, UINT64_C(1767225600000537000), "... its time");
		is_u64(m->len, i & 2 ? MADKIT_MAD_BYTES : 0, "... its MAD, if it has one");
		if (!ok(m->port, "... its port"))
			continue;
		read = s;
		read.message.port = m->port;
		is_str(put(&read.message, "json", NULL, NULL), line, "... which gives the same line");
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		error.text[0] = 0;
		snprintf(other, sizeof(other),
			 "{\"kind\":\"port\",\"port\":{\"later_key\":{\"a\":1},\"mtu\":null,%s}}",
			 bad[i].change);
		is_int(madkit_json_in_line(in, other, strlen(other), &error), -EINVAL, "%s", other);
		if (bad[i].error)
			is_str(error.text, bad[i].error, "... the reason");
		ok(!m->port, "... and no port");
	}
	snprintf(other, sizeof(other), "{\"kind\":\"port\",\"port\":{\"later_key\":{\"a\":1},\"number\":7}}");
	is_int(madkit_json_in_line(in, other, strlen(other), NULL), 1, "a key of a later version is skipped");
	for (size_t i = 0; i < ARRAY_SIZE(bare); i++) {
		is_int(madkit_json_in_line(in, bare[i], strlen(bare[i]), NULL), 1, "%s", bare[i]);
		is_u64(m->len, 0, "... without a MAD");
	}
	snprintf(other, sizeof(other), "{\"kind\":\"port\",\"epoch\":\"now\",\"port\":{}}");
	is_int(madkit_json_in_line(in, other, strlen(other), &error), -EINVAL, "a time that is none");
	is_str(error.text, "epoch: \"now\" is not a time", "... the reason");
	madkit_json_in_free(in);
}

static void port_object_text(void)
{
	uint8_t mad[MADKIT_MAD_BYTES];
	struct madkit_plans *plans = madkit_plans_new();
	struct sample s;

	sample_slow(&s);
	is_str(put(&s.message, "text", "width,port.peer.node.name", NULL),
	       "# port: leaf1 rack1 port 36\n"
	       "port.peer.node.name:.............node\"2\n"
	       "width:...........................1x\n",
	       "text of a port");
	is_str(put(&s.message, "table", "node.name,port.number,width,guid", NULL),
	       "node.name    port.number  width  guid\n"
	       "leaf1 rack1           36  1x     -\n",
	       "a table");
	is_str(put(&s.message, "table", NULL, NULL),
	       "node.name    number  state   width  speed  peer.node.name  peer.number\n"
	       "leaf1 rack1  36      Active  1x     FDR10  node\"2          1\n",
	       "its columns");
	sample_counters(&s, mad);
	is_str(put(&s.message, "table", "port.node.name,port.number,SymbolErrorCounter,port.guid", NULL),
	       "port.node.name  port.number  SymbolErrorCounter  port.guid\n"
	       "leaf1 rack1              36                  12  -\n",
	       "counters with their port");
	is_str(put(&s.message, "text", "port.number,SymbolErrorCounter", NULL),
	       "# PortCounters: port 36\n"
	       "port.number:.....................36\n"
	       "SymbolErrorCounter:..............12\n",
	       "... as text");
	ok(strstr(put(&s.message, "table", NULL, NULL), "NODE         PORT  SymbolErrorCounter") != NULL,
	   "the port identifies a row");
	sample_down(&s);
	ok(!strstr(put(&s.message, "text", NULL, plans), "peer") &&
		   strstr(put(&s.message, "text", NULL, plans), "width_enabled"),
	   "fields that are null are not shown");
	madkit_plans_free(plans);
}

static void port_object_expr(void)
{
	static const struct {
		const char *text;
		int slow, down, counters; /* of the port records, and of counters of the slow port */
	} tests[] = {
		{ "width == 1x", 1, -ENODATA, -ENODATA },
		{ "port.width == 1x", 1, -ENODATA, 1 },
		{ "port.width != 1x", 0, -ENODATA, 0 },
		{ "!(port.width == 1x)", 0, -ENODATA, 0 },
		{ "port.width < 4X", 1, -ENODATA, 1 },
		{ "port.speed > QDR && port.speed < FDR", 1, -ENODATA, 1 },
		{ "port.speed_enabled >= EDR", 1, 1, 1 },
		{ "port.state == Down", 0, 1, 0 },
		{ "port.state < Active", 0, 1, 0 },
		{ "port.node.name =~ ^leaf", 1, 1, 1 },
		{ "port.node.type == Switch", 1, 0, 1 },
		{ "port.peer.node.name == 'node\"2'", 1, -ENODATA, 1 },
		{ "port.peer.node.guid == 0x0002c90300000020", 1, -ENODATA, 1 },
		{ "port.mtu >= 2048", 1, -ENODATA, 1 },
		{ "port.gbps", 1, -ENODATA, 1 },
		{ "PORT.Number == 36", 1, 0, 1 },
		{ "port.width == 1x || kind == port", 1, 1, 1 },
		{ "kind == port", 1, 1, 0 },
		{ "port.width == port.width_best", 0, -ENODATA, 0 },
		{ "port.width < port.width_best", 1, -ENODATA, 1 },
		{ "width < width_best || speed < speed_best", 1, -ENODATA, -ENODATA },
		{ "port.number == PortSelect", -ENODATA, -ENODATA, 1 },
		{ "port.node.guid != port.peer.node.guid", 1, -ENODATA, 1 },
		{ "port.node.guid == port.node.system_guid", 0, 0, 0 },
		{ "port.speed_enabled >= port.speed_best", 1, -ENODATA, 1 },
		{ "SymbolErrorCounter > 0 && port.node.type == Switch", -ENODATA, 0, 1 },
	};
	static const struct {
		const char *text, *error;
		int ret;
		bool other; /* checked against an attribute, not against the port */
	} bad[] = {
		{ "widht == 1x", "port has no field 'widht'", -ENOENT, false },
		{ "port.widthh == 1x", "no port has a field 'widthh'; did you mean 'width'?", -ENOENT, true },
		{ "port.type == Switch", "'type' means 2 fields of port: node.type, peer.node.type", -EEXIST,
		  true },
		{ "port.width == 3x", NULL, -EINVAL, true },
		{ "port.width < 2", NULL, -EINVAL, true },
		{ "port.node == 1", NULL, -EINVAL, true },
		{ "width == 4", "width: no code is 4: write '4x'", -EINVAL, false },
		{ "width & 2", NULL, -EINVAL, false },
		{ "port.speed != 32", "speed: no code is 32: write a name of its values", -EINVAL, true },
		{ "state == 4 && node.type == 2", "", 0, false },
		{ "port.node == port.peer.node", NULL, -EINVAL, true },
		{ "port.width == port.speed", NULL, -EINVAL, true },
		{ "port.width == port.widthh_best", NULL, -EINVAL, true },
		{ "width == 1x", NULL, -ENOENT, true },
	};
	uint8_t mad[MADKIT_MAD_BYTES];
	struct sample s[3];
	struct madkit_record record;
	struct madkit_expr *e;

	sample_slow(&s[0]);
	sample_down(&s[1]);
	sample_slow(&s[2]);
	sample_counters(&s[2], mad);
	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		const int want[] = { tests[i].slow, tests[i].down, tests[i].counters };

		if (!ok(!madkit_expr_new(tests[i].text, &e, NULL), "%s", tests[i].text))
			continue;
		for (size_t k = 0; k < 3; k++) {
			madkit_record_get(&s[k].message, 0, &record);
			is_int(madkit_expr_eval(e, &record), want[k], "... of message %zu", k);
		}
		madkit_expr_free(e);
	}
	madkit_record_get(&s[2].message, 0, &record);
	s[2].message.port = NULL;
	madkit_expr_new("port.number == 36", &e, NULL);
	is_int(madkit_expr_eval(e, &record), -ENODATA, "unknown without a port");
	is_int(madkit_expr_check(e, NULL, NULL), 0, "its name is known even if the attribute is not");
	madkit_expr_free(e);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		const struct madkit_attribute *a = bad[i].other ? record.attribute : s[0].record.attribute;
		struct madkit_error error = { .text = "" };

		madkit_expr_new(bad[i].text, &e, NULL);
		is_int(madkit_expr_check(e, a, &error), bad[i].ret, "%s: %s", bad[i].text, error.text);
		if (bad[i].error)
			is_str(error.text, bad[i].error, "... the message");
		madkit_expr_free(e);
	}
}

static void port_object_projection(void)
{
	static const struct {
		const char *text;
		int port, other; /* checked against the port, and against NodeInfo */
	} tests[] = {
		{ "port", 0, 0 },
		{ "port.peer,port.peer.node", 0, 0 },
		{ "port.nmae", -ENOENT, -ENOENT },
		{ "width", 0, -ENOENT },
		{ "port.node.name,NodeType", -ENOENT, 0 },
	};
	const struct madkit_attribute *info =
		madkit_attribute_get(1, MADKIT_CLASS_SUBN, MADKIT_ATTR_NODE_INFO);
	struct madkit_projection *p;

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		madkit_projection_new(tests[i].text, &p, NULL);
		is_int(madkit_projection_check(p, &madkit_attribute_port_object, NULL), tests[i].port,
		       "%s of a port", tests[i].text);
		is_int(madkit_projection_check(p, info, NULL), tests[i].other, "... of NodeInfo");
		madkit_projection_free(p);
	}
}

int main(void)
{
	port_object_values();
	port_object_record();
	port_object_json();
	port_object_back();
	port_object_text();
	port_object_expr();
	port_object_projection();
	return tap_done();
}
