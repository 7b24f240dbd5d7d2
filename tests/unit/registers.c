/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How nodes are prepared for registers, and how blocks are joined, with scripted answers. */
#include <errno.h>
#include "sweep/registers_prepare.h"
#include "sweep/survey_blocks.h"
#include "tests/unit/sweep.h"
#include "util/array_size.h"
#include "wire/access.h"

/* ---- blocks ------------------------------------------------------------------------------ */

/* A counter of 64 bits that spans both blocks of PhyCounters, and grows with each request. */
struct block_counter {
	uint64_t value, step;
	unsigned int requests;
	unsigned int fails; /* this request, from 1 on; 0: none */
	int how;            /* -ETIMEDOUT, or a MAD status, or 0: a short answer */
};

static void block_answer(struct block_counter *c, struct survey_ask *ask)
{
	const bool second = get_be16(ask->result.job.send->mad + MADKIT_MLNX_DATA);
	struct madkit_recv *recv = calloc(1, sizeof(*recv) + MADKIT_MAD_BYTES);
	uint8_t *mad = (uint8_t *)(recv + 1);

	ask->result.error = 0;
	ask->result.job.reply = (struct madkit_reply){ .recv = recv, .attempts = 1 };
	recv->mad = mad;
	recv->len = MADKIT_MAD_BYTES;
	put_be16(mad + MADKIT_MLNX_DATA, second);
	/* RsFecCorrectedSymbolsLane5 begins at byte 216 of the register; a block has 220 bytes of it */
	put_be32(mad + 36 + (second ? 0 : 216), (uint32_t)(second ? c->value : c->value >> 32));
	c->value += c->step;
	if (++c->requests != c->fails)
		return;
	if (c->how > 0) {
		put_be16(mad + MADKIT_MAD_STATUS, (uint16_t)c->how);
	} else if (!c->how) {
		recv->len = 40;
	} else {
		free(recv);
		ask->result.job.reply.recv = NULL;
		ask->result.error = c->how;
	}
}

/* Reads PhyCounters. Returns the counter, or UINT64_MAX if the result has only the first block. */
static uint64_t block_read(struct block_counter *c)
{
	struct survey_ask ask = { .result = { .about = MADKIT_SURVEY_TARGET,
					      .attribute = registers_row(MADKIT_CLASS_MLNX, "PhyCounters"),
					      .job.send = madkit_send_new(MADKIT_MAD_BYTES) } };
	struct madkit_place place;
	const struct madkit_recv *recv;
	uint64_t value = UINT64_MAX;

	do
		block_answer(c, &ask);
	while (survey_blocks_take(&ask) && c->requests < 20);
	recv = ask.result.job.reply.recv;
	ok(!ask.result.error && recv && get_be16(ask.result.job.send->mad + MADKIT_MLNX_DATA) == 0,
	   "the result is a response to the request for the first block");
	is_int(recv->len, ask.result.cut ? 256 : 36 + 256, "... with %s",
	       ask.result.cut ? ask.result.cut : "both");
	if (!ask.result.cut && !madkit_place_find(ask.result.attribute->joined, "RsFecCorrectedSymbolsLane5",
						  strlen("RsFecCorrectedSymbolsLane5"), &place, NULL))
		madkit_field_get(place.field, 0, recv->mad + MADKIT_MLNX_DATA, 260, &value);
	madkit_recv_free(ask.result.job.reply.recv);
	madkit_recv_free(ask.first.recv);
	madkit_send_free(ask.result.job.send);
	free(ask.joined);
	return value;
}

static void test_joined(void)
{
	static const struct {
		const char *what;
		uint64_t value, step;
		unsigned int requests; /* 0: any */
	} joined[] = {
		{ "a counter that rests", UINT64_C(0x100000002), 0, 3 },
		{ "a counter that grows", UINT64_C(0x100000000), 1, 3 },
		{ "its high half grows after the first block", UINT64_C(0x1ffffffff), 1, 5 },
		{ "its high half grows after the second block", UINT64_C(0x1fffffffe), 1, 5 },
		{ "its high half grows once in four requests", 0, UINT64_C(1) << 30, 0 },
	};
	static const struct {
		unsigned int fails;
		int how;
		uint64_t step;
		unsigned int requests;
	} cut[] = {
		{ 2, -ETIMEDOUT, 0, 2 },        { 2, 28, 0, 2 }, { 2, 0, 0, 2 }, { 3, -ETIMEDOUT, 0, 3 },
		{ 0, 0, (uint64_t)3 << 32, 7 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(joined); i++) {
		struct block_counter c = { .value = joined[i].value, .step = joined[i].step };
		const uint64_t value = block_read(&c);

		ok(value == UINT64_MAX || (joined[i].value <= value && value < c.value + !c.step),
		   "%s: what is read was there", joined[i].what);
		if (joined[i].requests)
			is_int(c.requests, joined[i].requests, "... after so many requests");
	}
	for (size_t i = 0; i < ARRAY_SIZE(cut); i++) {
		struct block_counter c = { .fails = cut[i].fails, .how = cut[i].how, .step = cut[i].step };

		ok(block_read(&c) == UINT64_MAX, "request %u fails with %d: only the first block",
		   cut[i].fails, cut[i].how);
		is_int(c.requests, cut[i].requests, "... after so many requests");
	}
}

/* ---- the preparation of a node -------------------------------------------------------------- */

/* A scripted node, and its lies. */
struct scripted {
	const char *what;
	uint16_t refused[3]; /* registers that are refused with status 20 */
	uint64_t field;      /* a field of a register that is changed */
	uint16_t id;         /* the register */
	uint64_t value;
	bool untrusted;
	bool twice;      /* local port 2 is IB port 2, too */
	const char *why; /* a part of it */
};

enum { PTYS = 0x5004, PPCNT = 0x5008, PLIB = 0x500a, PDDR = 0x5031, MGIR = 0x9020 };

/* The IB port of a local port: 3, 2, 1, with two local ports before each that have none. */
static unsigned int scripted_ib_port(unsigned int local)
{
	return local % 3 || local > 9 ? 0 : 4 - local / 3;
}

static void scripted_general(uint8_t *data)
{
	field_put(MADKIT_GENERAL_INFO_HW_DEVICE_ID, data, 0x24d);
	field_put(MADKIT_GENERAL_INFO_FW_EXT_MAJOR, data, 27);
	field_put(MADKIT_GENERAL_INFO_CAPABILITY_MASK, data, 1 << 20);
	memcpy(data + 48, "PSID0001", 8);
}

static void scripted_register(const struct scripted *s, uint32_t id, uint8_t *data)
{
	const unsigned int local = data[5];

	if (id == PLIB)
		field_put(MADKIT_PORT_MAPPING_IB_PORT, data,
			  s->twice && local == 2 ? 2 : scripted_ib_port(local));
	if (id == PTYS) {
		field_put(MADKIT_LINK_MODES_WIDTH_ACTIVE, data, 4);
		field_put(MADKIT_LINK_MODES_SPEED_ACTIVE, data, 1 << 6);
	}
	if (id == PPCNT)
		field_put(MADKIT_REGISTER_PORT_COUNTERS_SYMBOL_ERROR_COUNTER, data, 7);
	if (id == PDDR)
		memcpy(data + field_at(MADKIT_MODULE_INFO_VENDOR_SERIAL_NUMBER), "SN", 2);
	if (id == MGIR) {
		field_put(MADKIT_DEVICE_INFO_DEVICE_ID, data, 0x24d);
		field_put(MADKIT_DEVICE_INFO_FW_MAJOR, data, 27);
		memcpy(data + field_at(MADKIT_DEVICE_INFO_PSID), "PSID0001", 8);
	}
	if (s->field && id == s->id)
		field_put(s->field, data, s->value);
}

/* Turns a request into its response. */
static void scripted_answer(const struct scripted *s, uint8_t *mad)
{
	const uint32_t id = get_be32(mad + MADKIT_MAD_MODIFIER);

	mad[MADKIT_MAD_METHOD] |= MADKIT_METHOD_RESPONSE;
	for (size_t i = 0; i < ARRAY_SIZE(s->refused); i++)
		if (id && s->refused[i] == id)
			put_be16(mad + MADKIT_MAD_STATUS, 20);
	if (mad[MADKIT_MAD_CLASS] == MADKIT_CLASS_PERF)
		field_put(MADKIT_PORT_COUNTERS_SYMBOL_ERROR_COUNTER, mad + MADKIT_PERF_DATA, 7);
	else if (get_be16(mad + MADKIT_MAD_ATTRIBUTE) == MADKIT_ATTR_GENERAL_INFO)
		scripted_general(mad + MADKIT_MLNX_DATA);
	else
		scripted_register(s, id, mad + MADKIT_MLNX_DATA);
}

/* Returns the number of a switch with three ports. */
static uint32_t scripted_switch(const struct swept *w)
{
	uint32_t i = 0;

	while (madkit_sweep_node(w->s, i)->type != MADKIT_NODE_TYPE_SWITCH ||
	       madkit_sweep_node(w->s, i)->nports != 3)
		i++;
	return i;
}

static void test_script(const struct swept *w, const struct scripted *s)
{
	const uint32_t node = scripted_switch(w);
	const struct madkit_registers_type *type;
	struct madkit_registers *r;
	struct madkit_registers_node known;
	uint8_t mad[MADKIT_MAD_BYTES];
	unsigned int mapped = 0, n = 0;

	ok(!madkit_registers_new(w->s, &r), "%s", s->what);
	while (registers_next(r, node, mad) == REGISTERS_SEND && n++ < 200) {
		mapped += get_be32(mad + MADKIT_MAD_MODIFIER) == PLIB;
		is_int(mad[MADKIT_MAD_METHOD], MADKIT_METHOD_GET, "... request %u is a Get", n);
		scripted_answer(s, mad);
		registers_take(r, node, mad, sizeof(mad), false);
	}
	known = madkit_registers_get(r, node);
	type = madkit_registers_type(r, known.type);
	is_int(mapped, 9, "... PortMapping is asked until each port has a local port");
	for (unsigned int port = 1; port <= 3; port++)
		is_int(madkit_registers_local_port(r, node, port), s->twice && port == 2 ? 0 : 3 * (4 - port),
		       "... that of port %u", port);
	is_int(madkit_registers_local_port(r, node, 0), 0, "... port 0 has none");
	is_int(known.state, s->untrusted ? MADKIT_REGISTERS_LEFT_OUT : MADKIT_REGISTERS_READY, "... %s",
	       s->untrusted ? type->why : "the node is ready");
	ok(!s->why || strstr(type->why, s->why), "... because of %s", s->why ? s->why : "nothing");
	madkit_registers_free(r);
}

static const struct scripted scripts[] = {
	{ .what = "a node that agrees with itself" },
	{ .what = "two local ports of one IB port: neither is used", .twice = true },
	{ .what = "another speed",
	  .id = PTYS,
	  .field = MADKIT_LINK_MODES_SPEED_ACTIVE,
	  .value = 1 << 5,
	  .untrusted = true,
	  .why = "LinkModes disagrees with PortInfo (4x EDR, 4x HDR)" },
	{ .what = "another width",
	  .id = PTYS,
	  .field = MADKIT_LINK_MODES_WIDTH_ACTIVE,
	  .value = 1,
	  .untrusted = true,
	  .why = "(1x HDR, 4x HDR)" },
	{ .what = "a counter below the one before",
	  .id = PPCNT,
	  .field = MADKIT_REGISTER_PORT_COUNTERS_SYMBOL_ERROR_COUNTER,
	  .value = 6,
	  .untrusted = true,
	  .why = "SymbolErrorCounter 6, 7" },
	{ .what = "a counter above the one after",
	  .id = PPCNT,
	  .field = MADKIT_REGISTER_PORT_COUNTERS_VL15_DROPPED,
	  .value = 1,
	  .untrusted = true,
	  .why = "VL15Dropped 1, 0" },
	{ .what = "another device",
	  .id = MGIR,
	  .field = MADKIT_DEVICE_INFO_DEVICE_ID,
	  .value = 1,
	  .untrusted = true,
	  .why = "DeviceID 0x1, 0x24d" },
	{ .what = "another firmware",
	  .id = MGIR,
	  .field = MADKIT_DEVICE_INFO_FW_MINOR,
	  .value = 1,
	  .untrusted = true,
	  .why = "firmware 27.1.0000" },
	{ .what = "no LinkModes", .refused = { PTYS } },
	{ .what = "no DeviceInfo", .refused = { MGIR } },
	{ .what = "no counters", .refused = { PPCNT, PDDR } },
};

/* A type waits for its first node. If that is silent, the next one checks it, up to three of them. */
static void test_silent_types(const struct swept *w)
{
	const struct scripted honest = { .what = "" };
	uint32_t cas[4], n = 0;
	struct madkit_registers *r;
	uint8_t mad[MADKIT_MAD_BYTES];

	for (uint32_t i = 0; n < 4; i++)
		if (madkit_sweep_node(w->s, i)->type == MADKIT_NODE_TYPE_CHANNEL_ADAPTER)
			cas[n++] = i;
	madkit_registers_new(w->s, &r);
	for (uint32_t i = 0; i < 4; i++) {
		registers_next(r, cas[i], mad);
		scripted_answer(&honest, mad);
		registers_take(r, cas[i], mad, sizeof(mad), false);
	}
	for (uint32_t i = 0; i < 3; i++) {
		is_int(registers_next(r, cas[i], mad), REGISTERS_SEND, "CA %u checks its type", i);
		is_int(registers_next(r, cas[3], mad), REGISTERS_WAIT, "... the last one waits");
		while (registers_give_up(r, cas[i]) && registers_next(r, cas[i], mad) == REGISTERS_SEND)
			;
	}
	is_int(madkit_registers_get(r, cas[0]).state, MADKIT_REGISTERS_SILENT, "the first one is silent");
	is_int(registers_next(r, cas[3], mad), REGISTERS_OVER, "after three, the type is left out");
	is_int(madkit_registers_get(r, cas[3]).state, MADKIT_REGISTERS_LEFT_OUT, "... with its other nodes");
	madkit_registers_free(r);
}

/* A node that does not respond once is asked again by the next survey, from there on; one that never responds is not. */
static void test_retry(const struct swept *w)
{
	const struct scripted honest = { .what = "" };
	const uint32_t node = scripted_switch(w);
	struct madkit_registers *r;
	uint8_t mad[MADKIT_MAD_BYTES];

	for (unsigned int silent = 1; silent <= 14; silent++) {
		unsigned int n = 0, asked = 0;

		madkit_registers_new(w->s, &r);
		while (registers_next(r, node, mad) == REGISTERS_SEND && ++n < silent) {
			scripted_answer(&honest, mad);
			registers_take(r, node, mad, sizeof(mad), false);
		}
		registers_give_up(r, node);
		registers_retry(r);
		for (; registers_next(r, node, mad) == REGISTERS_SEND && asked < 50; asked++) {
			scripted_answer(&honest, mad);
			registers_take(r, node, mad, sizeof(mad), false);
		}
		is_int(madkit_registers_get(r, node).state,
		       silent == 1 ? MADKIT_REGISTERS_SILENT : MADKIT_REGISTERS_READY,
		       "request %u has no response once", silent);
		if (silent > 1)
			is_int(madkit_registers_local_port(r, node, 1), 9, "... its ports are mapped");
		madkit_registers_free(r);
	}
}

/* A node that refuses its checks does not speak for its type, unless three do. */
static void test_refusing_types(const struct swept *w)
{
	const struct scripted honest = { .what = "" },
			      refuses = { .what = "", .refused = { PTYS, MGIR, PPCNT } };

	for (unsigned int n = 1; n <= 3; n++) {
		uint32_t cas[4], found = 0;
		struct madkit_registers *r;
		uint8_t mad[MADKIT_MAD_BYTES];

		for (uint32_t i = 0; found < 4; i++)
			if (madkit_sweep_node(w->s, i)->type == MADKIT_NODE_TYPE_CHANNEL_ADAPTER)
				cas[found++] = i;
		madkit_registers_new(w->s, &r);
		for (uint32_t i = 0; i < 4; i++)
			while (registers_next(r, cas[i], mad) == REGISTERS_SEND) {
				scripted_answer(i < n ? &refuses : &honest, mad);
				registers_take(r, cas[i], mad, sizeof(mad), false);
			}
		is_int(madkit_registers_get(r, cas[0]).state, MADKIT_REGISTERS_REFUSED, "%u of 4 CAs refuse",
		       n);
		is_int(madkit_registers_get(r, cas[0]).status, 20, "... by status");
		is_int(madkit_registers_get(r, cas[3]).state,
		       n < 3 ? MADKIT_REGISTERS_READY : MADKIT_REGISTERS_LEFT_OUT, "... the last one");
		madkit_registers_free(r);
	}
}

static unsigned int foreign_take(void *context, struct madkit_survey_result *result)
{
	(void)context;
	(void)result;
	return MADKIT_SURVEY_NEXT;
}

/* The registers of another sweep have other nodes, perhaps fewer. */
static void test_foreign(const struct swept *w)
{
	const struct madkit_attribute *a = registers_row(MADKIT_CLASS_MLNX, "BitErrors");
	struct madkit_send *get =
		madkit_send_request(NULL, MADKIT_CLASS_MLNX, MADKIT_METHOD_GET, a->id, a->modifier_value);
	struct madkit_survey_attr attr = { .request = get, .attribute = a, .result = foreign_take };
	struct madkit_survey *survey = NULL;
	struct madkit_sweep *other;

	ok(!madkit_sweep_new(w->port, &usual, &other), "another sweep");
	is_int(madkit_sweep_step(other, UINT64_MAX), 1, "... ends");
	ok(!madkit_registers_new(other, &attr.registers), "... its registers");
	is_int(madkit_survey_new(w->s, &attr, &survey), -EINVAL, "... are refused");
	ok(!madkit_survey_new(other, &attr, &survey), "... but not for itself");
	madkit_survey_free(survey);
	madkit_registers_free(attr.registers);
	madkit_sweep_free(other);
	madkit_send_free(get);
}

/* Compares requests byte by byte: the bits are those of mstflint's register tables. */
static void test_selected(void)
{
	static const struct {
		const char *name;
		unsigned int port;
		uint8_t at, byte; /* one more byte that is not 0 */
	} selected[] = {
		{ "ModuleInfo", 0x107, 11, 3 }, { "BitErrors", 0x207, 7, 0x16 }, { "LinkModes", 0x107, 7, 1 },
		{ "PortMapping", 7, 5, 7 },     { "Sensors", 0, 11, 51 },        { "DeviceInfo", 0, 0, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(selected); i++) {
		uint8_t data[MADKIT_MAD_BYTES - MADKIT_MLNX_DATA] = { 0 }, wanted[sizeof(data)] = { 0 };

		madkit_registers_select(registers_row(MADKIT_CLASS_MLNX, selected[i].name), selected[i].port,
					data, sizeof(data));
		wanted[5] = selected[i].port & 0xff;
		wanted[6] = (uint8_t)(selected[i].port >> 8 << 4);
		wanted[selected[i].at] |= selected[i].byte;
		ok(!memcmp(data, wanted, sizeof(data)), "%s of port %u is requested", selected[i].name,
		   selected[i].port);
	}
}

int main(void)
{
	struct swept w;

	test_joined();
	test_selected();
	ok(!madkit_port_open("sim:fat-tree:2,2,1", &w.port, NULL), "a port");
	ok(!madkit_sweep_new(w.port, &usual, &w.s), "... a sweep");
	is_int(madkit_sweep_step(w.s, UINT64_MAX), 1, "... ends");
	for (size_t i = 0; i < ARRAY_SIZE(scripts); i++)
		test_script(&w, &scripts[i]);
	test_silent_types(&w);
	test_refusing_types(&w);
	test_retry(&w);
	test_foreign(&w);
	swept_close(&w);
	return tap_done();
}
