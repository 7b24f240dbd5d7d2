/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sweeps through the subnet administrator: simulated fabrics, and scripted tables that contradict themselves. */
#include <errno.h>
#define RANDOM_SEED UINT64_C(0x5a)
#include "tests/random.h"
#include "tests/unit/sweep_ledger.h"
#include "util/array_size.h"
#include "util/bits.h"
#include "wire/access.h"

static const struct madkit_sweep_attr by_sa = { .timeout_ms = TIMEOUT_MS, .retries = RETRIES, .sa = true };

static void ledger_run(struct ledger *l, struct swept *w, const struct madkit_sweep_attr *attr,
		       const char *what)
{
	is_int(ledger_sweep(l, w, attr), 1, "%s", what);
	swept_print(w);
	ok(ledger_is_consistent(w), "... with links that agree at both ends");
}

static void ledger_close(struct ledger *l, struct swept *w)
{
	swept_close(w);
	ledger_free(l);
}

static unsigned int ledger_duplicates(const struct swept *w)
{
	unsigned int count = 0;

	for (uint32_t i = 0; i < w->counts.nodes; i++)
		count += madkit_sweep_node(w->s, i)->duplicate;
	return count;
}

/* ---- true tables --------------------------------------------------------------------- */

static void ledger_plain(void)
{
	struct madkit_sweep_attr attr = by_sa;
	struct ledger l = ledger_new();
	const struct madkit_sweep_node *n;
	struct madkit_addr to;
	struct swept w;

	attr.sm_key = 77;
	ledger_run(&l, &w, &attr, "a host and a switch");
	ok(w.counts.nodes == 2 && w.counts.links == 1 && !w.counts.missing && !w.counts.silent,
	   "... complete");
	ok(l.requests == 4 && w.counts.sent == 4 && l.options == 1 && l.sm_key == 77, "... of four tables");
	n = madkit_sweep_node(w.s, 0);
	ok(n->guid == OWN_GUID && !n->hops && n->parent == MADKIT_SWEEP_NONE && n->ports[1].guid == OWN_GUID,
	   "... this host first");
	is_str((const char *)n->description, "node 1", "... its description");
	ok(!madkit_sweep_route(w.s, 1, &to) && madkit_sweep_lid_address(w.s, 1, 5, &to) && to.lid == 10,
	   "... a LID and no route to the switch");
	n = madkit_sweep_node(w.s, 1);
	ok(n->hops == 1 && !n->parent && n->parent_port == 1 && n->number == 1 &&
		   n->switched == MADKIT_SWEEP_ANSWERED && n->ports[0].guid == SWITCH_GUID,
	   "... the switch is behind it");
	ok(n->ports[2].peer == MADKIT_SWEEP_NONE && n->ports[2].far == MADKIT_SWEEP_UNKNOWN &&
		   n->ports[2].state == MADKIT_SWEEP_ANSWERED,
	   "... a port that is up without a link");
	ledger_close(&l, &w);
}

/* A CA with two ports and LMC, a router, and a node to which no link is known. */
static void ledger_ports(void)
{
	struct ledger l = ledger_new();
	const struct madkit_sweep_node *n;
	struct madkit_addr to;
	uint8_t *record;
	struct swept w;

	ledger_node(&l, 20, 0x300, 1, 2, 1);
	ledger_node(&l, 24, 0x300, 1, 2, 2);
	ledger_node(&l, 30, 0x400, 3, 1, 1);
	ledger_node(&l, 31, 0x500, 1, 1, 1);
	ledger_node(&l, 0, 0x600, 1, 1, 1);
	ledger_node(&l, 0, 0x600, 1, 1, 1);
	record = ledger_port(&l, 20, 1, 4);
	field_put(MADKIT_PORT_INFO_RECORD_PORT_INFO_LMC, record, 2);
	ledger_port(&l, 24, 2, 4);
	ledger_link(&l, 10, 2, 23, 1);
	ledger_link(&l, 10, 3, 24, 2);
	ledger_link(&l, 30, 1, 10, 4);
	ledger_run(&l, &w, &by_sa, "a CA with two ports and four LIDs");
	ok(w.counts.nodes == 6 && w.counts.links == 4 && !w.counts.missing && !ledger_duplicates(&w),
	   "... complete");
	n = madkit_sweep_node(w.s, 2);
	ok(n->guid == 0x300 && n->ports[1].peer == 1 && n->ports[2].peer_port == 3, "... is one node");
	ok(n->ports[1].guid == 0x301 && n->ports[2].guid == 0x302, "... with two port GUIDs");
	ok(madkit_sweep_lid_address(w.s, 2, 2, &to) && to.lid == 24 &&
		   madkit_sweep_lid_address(w.s, 2, 1, &to) && to.lid == 20,
	   "... and base LIDs");
	ok(!madkit_sweep_lid_address(w.s, 2, 3, &to) && !madkit_sweep_lid_address(w.s, 3, 1, &to),
	   "... no address without PortInfo");
	ok(madkit_sweep_node(w.s, 3)->ports[1].peer == 1, "a router");
	n = madkit_sweep_node(w.s, 4);
	ok(n->hops == MADKIT_SWEEP_UNREACHED && n->parent == MADKIT_SWEEP_NONE, "a node without a link");
	ledger_close(&l, &w);
}

/* Three switches in a row, with a host each. */
static struct ledger ledger_row(void)
{
	struct ledger l = ledger_new();

	for (uint8_t i = 1; i < 3; i++) {
		ledger_node(&l, 10 + i, SWITCH_GUID + 0x10 * i, 2, 8, 0);
		ledger_node(&l, 20 + i, 0x300u + 0x10 * i, 1, 1, 1);
		ledger_link(&l, 10 + i, 1, 20 + i, 1);
		ledger_link(&l, 10 + i, 2, 10 + i - 1, 3);
	}
	return l;
}

static void ledger_part(void)
{
	static const struct {
		const char *from;
		uint8_t hops;
		uint32_t nodes, links;
		uint64_t first;
	} cases[] = {
		{ "0", 1, 2, 1, OWN_GUID },    { "0", 2, 3, 2, OWN_GUID },
		{ "0", 3, 5, 4, OWN_GUID },    { "0,1,3", 1, 4, 3, 0x210 },
		{ "0,1,3", 0, 6, 5, 0x210 },   { "0,1,3,1", 1, 2, 1, 0x310 },
		{ "0,1,3,1", 0, 6, 5, 0x310 }, { "0,1,5", 1, 0, 0, 0 },
		{ "0,2", 0, 0, 0, 0 },         { "0,1,3,1,1", 0, 0, 0, OWN_GUID },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct madkit_sweep_attr attr = by_sa;
		struct ledger l = ledger_row();
		struct madkit_addr from = { 0 };
		struct swept w;

		madkit_parse_path(cases[i].from, &from, NULL);
		attr.from = &from;
		attr.hops = cases[i].hops;
		ledger_run(&l, &w, &attr, "a part of a row of switches");
		is_u64(w.counts.nodes, cases[i].nodes, "from %s, %u hops: nodes", cases[i].from, attr.hops);
		is_u64(w.counts.links, cases[i].links, "... links");
		is_u64(w.counts.missing, cases[i].nodes ? 0 : MADKIT_SWEEP_NO_START, "... complete");
		if (cases[i].nodes)
			ok(madkit_sweep_node(w.s, 0)->guid == cases[i].first &&
				   !madkit_sweep_node(w.s, 0)->hops,
			   "... the first node");
		ledger_close(&l, &w);
	}
}

/* ---- responses ----------------------------------------------------------------------- */

static void ledger_silence(void)
{
	for (int kind = 0; kind < LEDGER_KINDS; kind++) {
		struct ledger l = ledger_new();
		struct swept w;

		l.tables[kind].silent = true;
		ledger_run(&l, &w, &by_sa, "the SA is silent");
		is_u64(w.counts.missing, MADKIT_SWEEP_SA_SILENT, "... and reported as silent");
		is_u64(w.counts.sa_attribute, ledger_kinds[kind].attribute, "... with the table");
		is_between(w.counts.ns / MS, 3 * (RETRIES + 1) * TIMEOUT_MS,
			   3 * (RETRIES + 1) * TIMEOUT_MS + 100,
			   "... after all tries of three timeouts each");
		ok(w.counts.nodes == (kind ? 2 : 0) && w.counts.sent == (unsigned int)kind + RETRIES + 1,
		   "... and later tables are not requested");
		ledger_close(&l, &w);
	}
}

static void ledger_status(void)
{
	const uint16_t no_records = MADKIT_SA_STATUS_NO_RECORDS << MADKIT_STATUS_CLASS_SHIFT;

	for (int kind = 0; kind < LEDGER_KINDS; kind++) {
		struct ledger l = ledger_new();
		struct swept w;

		l.tables[kind].status = 0x0200;
		ledger_run(&l, &w, &by_sa, "the SA refuses a table");
		is_u64(w.counts.missing, MADKIT_SWEEP_SA_REFUSED | (kind ? 0 : MADKIT_SWEEP_SA_FALSE),
		       "... which is reported");
		ok(w.counts.sa_attribute == ledger_kinds[kind].attribute && w.counts.sa_status == 0x0200,
		   "... with its status");
		is_u64(l.requests, 4 + (kind == LEDGER_PORTS), "... and the others are requested");
		ledger_close(&l, &w);

		l = ledger_new();
		l.tables[kind].status = no_records;
		ledger_run(&l, &w, &by_sa, "no records");
		is_u64(w.counts.missing & ~(uint32_t)MADKIT_SWEEP_SA_FALSE, kind ? 0 : MADKIT_SWEEP_NO_START,
		       "... are an empty table");
		ledger_close(&l, &w);

		l = ledger_new();
		l.tables[kind].method = MADKIT_METHOD_GET | MADKIT_METHOD_RESPONSE;
		ledger_run(&l, &w, &by_sa, "a response with another method");
		is_u64(w.counts.missing, MADKIT_SWEEP_SA_SILENT, "... is none");
		ledger_close(&l, &w);
	}
}

static void ledger_options(void)
{
	struct ledger l = ledger_new();
	struct swept w;

	l.no_options = true;
	ledger_run(&l, &w, &by_sa, "an SA that compares Options with its records");
	ok(!w.counts.missing && l.requests == 5 && l.options == 1, "... is asked again without");
	ok(madkit_sweep_node(w.s, 1)->ports[3].state == MADKIT_SWEEP_ANSWERED, "... and has PortInfo");
	ledger_close(&l, &w);
}

static void ledger_short(void)
{
	struct ledger l = ledger_new();
	struct swept w;

	/* the last record lacks more than its padding */
	l.tables[LEDGER_NODES].len -= 20;
	ledger_run(&l, &w, &by_sa, "a table that ends within a record");
	ok(w.counts.missing & MADKIT_SWEEP_SA_SHORT && w.counts.sa_attribute == MADKIT_ATTR_NODE_RECORD,
	   "... is cut short");
	ok(w.counts.sa_got == 1 && w.counts.sa_total == 2, "... got 1 of 2");
	ledger_close(&l, &w);
	for (unsigned int words = 0; words < 3; words++) {
		l = ledger_new();
		l.tables[LEDGER_PORTS].words = (uint8_t)words;
		ledger_run(&l, &w, &by_sa, "an AttributeOffset that is too small");
		ok(w.counts.missing & (MADKIT_SWEEP_SA_SHORT | MADKIT_SWEEP_SA_FALSE),
		   "... has no true records");
		ledger_close(&l, &w);
	}
}

/* ---- lies ---------------------------------------------------------------------------- */

static void lie_ports_0(struct ledger *l)
{
	ledger_node(l, 20, 0x300, 1, 0, 1);
}

static void lie_ports_255(struct ledger *l)
{
	ledger_node(l, 20, 0x300, 2, 255, 1);
}

static void lie_local_port(struct ledger *l)
{
	ledger_node(l, 20, 0x300, 1, 2, 3);
}

static void lie_port_0_of_ca(struct ledger *l)
{
	ledger_node(l, 20, 0x300, 1, 2, 0);
}

static void lie_lid_twice(struct ledger *l)
{
	ledger_node(l, 10, 0x300, 1, 1, 1);
}

static void lie_lid_multicast(struct ledger *l)
{
	ledger_node(l, 0xc000, 0x300, 1, 1, 1);
}

static void lie_ports_of_nobody(struct ledger *l)
{
	ledger_port(l, 99, 1, 4);
	ledger_port(l, 0xffff, 1, 4);
	ledger_port(l, 0, 1, 4);
	ledger_port(l, 10, 9, 4);
	ledger_port(l, OWN_LID, 2, 4);
}

static void lie_port_again(struct ledger *l)
{
	ledger_port(l, 10, 1, 3);
}

static void lie_switch(struct ledger *l)
{
	field_put(MADKIT_SWITCH_INFO_RECORD_LID, ledger_add(l, LEDGER_SWITCHES), OWN_LID);
	field_put(MADKIT_SWITCH_INFO_RECORD_LID, ledger_add(l, LEDGER_SWITCHES), 99);
}

static void lie_link_to_nobody(struct ledger *l)
{
	ledger_link(l, 10, 2, 99, 1);
	ledger_link(l, 10, 9, 10, 3);
	ledger_link(l, 10, 0, 10, 3);
}

static void lie_link_down(struct ledger *l)
{
	ledger_link(l, 10, 7, 10, 3);
}

static void lie_link_twice(struct ledger *l)
{
	ledger_link(l, OWN_LID, 1, 10, 2);
	ledger_link(l, 10, 1, 10, 3);
}

static void ledger_lies(void)
{
	static const struct {
		const char *what;
		void (*lie)(struct ledger *l);
		uint32_t nodes, links, records;
	} cases[] = {
		{ "a node without ports", lie_ports_0, 2, 1, 1 },
		{ "255 ports", lie_ports_255, 2, 1, 1 },
		{ "a LocalPort beyond its ports", lie_local_port, 2, 1, 1 },
		{ "port 0 of a CA", lie_port_0_of_ca, 2, 1, 1 },
		{ "a LID twice", lie_lid_twice, 3, 1, 1 },
		{ "a multicast LID", lie_lid_multicast, 3, 1, 1 },
		{ "PortInfo of ports that do not exist", lie_ports_of_nobody, 2, 1, 5 },
		{ "two PortInfos of a port", lie_port_again, 2, 1, 1 },
		{ "SwitchInfo of a CA and of nothing", lie_switch, 2, 1, 2 },
		{ "links to ports that do not exist", lie_link_to_nobody, 2, 1, 3 },
		{ "a link of a port that is down", lie_link_down, 2, 1, 1 },
		{ "a second link of a port", lie_link_twice, 2, 1, 2 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ledger l = ledger_new();
		struct swept w;

		cases[i].lie(&l);
		ledger_run(&l, &w, &by_sa, cases[i].what);
		is_u64(w.counts.nodes, cases[i].nodes, "... nodes");
		is_u64(w.counts.links, cases[i].links, "... links");
		is_u64(w.counts.sa_false, cases[i].records, "... records that are ignored");
		is_u64(w.counts.missing, MADKIT_SWEEP_SA_FALSE, "... which is reported");
		ledger_close(&l, &w);
	}
}

/* A NodeRecord and a PortInfoRecord for each LID of a port, in any order. */
static void ledger_lids(void)
{
	struct ledger l = ledger_new();
	const struct madkit_sweep_node *n;
	struct madkit_addr to;
	struct swept w;

	for (uint16_t i = 0; i < 4; i++) {
		uint8_t *record;

		ledger_node(&l, 20 + (i ^ 2), 0x300, 1, 1, 1);
		record = ledger_port(&l, 20 + (i ^ 2), 1, 4);
		field_put(MADKIT_PORT_INFO_RECORD_PORT_INFO_LID, record, 20);
		field_put(MADKIT_PORT_INFO_RECORD_PORT_INFO_LMC, record, 2);
		if (i)
			ledger_node(&l, 10 + i, SWITCH_GUID, 2, 8, 0);
	}
	ledger_link(&l, 10, 2, 20, 1);
	ledger_link(&l, 12, 2, 22, 1);
	ledger_link(&l, 23, 1, 13, 2);
	ledger_run(&l, &w, &by_sa, "a record for each LID of a port");
	ok(w.counts.nodes == 3 && w.counts.links == 2 && !w.counts.missing && !ledger_duplicates(&w),
	   "... one node, one link");
	n = madkit_sweep_node(w.s, 2);
	ok(n->guid == 0x300 && n->ports[1].peer == 1 && n->ports[1].peer_port == 2, "... at the switch");
	ok(madkit_sweep_lid_address(w.s, 2, 1, &to) && to.lid == 20, "... with its base LID");
	ledger_close(&l, &w);

	/* by their LIDs, these could be one port; by their PortInfo, they are not */
	l = ledger_new();
	ledger_node(&l, 20, 0x300, 1, 1, 1);
	ledger_node(&l, 24, 0x300, 1, 1, 1);
	ledger_port(&l, 20, 1, 4);
	ledger_port(&l, 24, 1, 4);
	ledger_link(&l, 10, 2, 20, 1);
	ledger_link(&l, 10, 3, 24, 1);
	ledger_run(&l, &w, &by_sa, "two hosts with the same port GUID");
	ok(w.counts.nodes == 3 && w.counts.links == 2 && w.counts.missing == MADKIT_SWEEP_SA_FALSE &&
		   w.counts.sa_false == 2,
	   "... contradict each other");
	ledger_close(&l, &w);
}

static void ledger_twins(void)
{
	struct madkit_sweep_attr attr = by_sa;
	struct ledger l = ledger_new();
	struct swept w;

	ledger_node(&l, 20, 0x300, 1, 1, 1);
	ledger_twin(&l, 21, 0x300, 0x391);
	ledger_node(&l, 22, 0x300, 1, 2, 1);
	ledger_node(&l, 23, 0, 1, 1, 1);
	ledger_node(&l, 24, 0, 1, 1, 1);
	ledger_link(&l, 10, 2, 20, 1);
	ledger_link(&l, 10, 3, 21, 1);
	ledger_run(&l, &w, &by_sa, "nodes with the same GUID");
	ok(w.counts.nodes == 7 && w.counts.links == 3 && !w.counts.missing, "... are all there");
	is_u64(ledger_duplicates(&w), 5, "... and marked");
	ledger_close(&l, &w);

	l = ledger_new();
	for (uint16_t i = 0; i < 40; i++)
		ledger_twin(&l, 100 + i, 0x300, 0x1000 + i);
	ledger_run(&l, &w, &by_sa, "40 nodes with the same GUID");
	ok(w.counts.nodes == 2 + MADKIT_SWEEP_DUPLICATES_MAX && w.counts.missing == MADKIT_SWEEP_FULL,
	   "... as many as are allowed");
	ledger_close(&l, &w);

	l = ledger_new();
	for (uint16_t i = 0; i < 2000; i++)
		ledger_node(&l, 100 + i, 0x1000 + 2u * i, 1, 1, 1);
	attr.nodes_max = 300;
	ledger_run(&l, &w, &attr, "2002 nodes");
	ok(w.counts.nodes == 300 && w.counts.missing == MADKIT_SWEEP_FULL &&
		   madkit_sweep_node(w.s, 0)->guid == OWN_GUID,
	   "... as many as are allowed, with this one");
	ledger_close(&l, &w);

	l = ledger_new();
	ledger_clear(&l, LEDGER_NODES);
	ledger_node(&l, 10, SWITCH_GUID, 2, 8, 0);
	ledger_clear(&l, LEDGER_PORTS);
	ledger_clear(&l, LEDGER_LINKS);
	ledger_run(&l, &w, &by_sa, "tables without this host");
	ok(w.counts.nodes == 1 && w.counts.missing == MADKIT_SWEEP_NO_START, "... have no start");
	is_u64(madkit_sweep_node(w.s, 0)->hops, MADKIT_SWEEP_UNREACHED, "... and unknown distances");
	ledger_close(&l, &w);
}

/* Random records with few different values. */
static void ledger_random(struct ledger *l)
{
	for (int i = 0; i < 30; i++) {
		uint16_t lid = (uint16_t)(random64() % 16);
		uint64_t guid = random64() % 8 * 0x100;
		uint8_t type = (uint8_t)(random64() % 4), nports = (uint8_t)(random64() % 6);
		uint8_t port = (uint8_t)(random64() % 4);

		ledger_node(l, lid, guid, type, nports, port);
	}
	for (int i = 0; i < 60; i++) {
		uint16_t lid = (uint16_t)(random64() % 16);
		uint8_t port = (uint8_t)(random64() % 6), state = (uint8_t)(random64() % 6);
		uint8_t *record = ledger_port(l, lid, port, state);

		field_put(MADKIT_PORT_INFO_RECORD_PORT_INFO_LMC, record, random64() % 8);
		if (random64() % 4 == 0)
			field_put(MADKIT_PORT_INFO_RECORD_PORT_INFO_LID, record, random64() % 0x10000);
	}
	for (int i = 0; i < 60; i++) {
		uint16_t from = (uint16_t)(random64() % 32), to = (uint16_t)(random64() % 32);
		uint8_t from_port = (uint8_t)(random64() % 6), to_port = (uint8_t)(random64() % 6);

		ledger_link(l, from, from_port, to, to_port);
	}
}

static void ledger_anything(void)
{
	unsigned int bad = 0, nodes = 0, links = 0;

	for (int i = 0; i < 1000; i++) {
		struct madkit_sweep_attr attr = by_sa;
		struct ledger l = ledger_new();
		struct swept w;

		attr.hops = (uint8_t)(random64() % 3);
		ledger_random(&l);
		l.tables[random64() % LEDGER_KINDS].len -= random64() % 3 * 4;
		l.tables[random64() % LEDGER_KINDS].words = (uint8_t)(random64() % 16);
		bad += ledger_sweep(&l, &w, &attr) != 1 || !ledger_is_consistent(&w);
		nodes += w.counts.nodes;
		links += w.counts.links;
		ledger_close(&l, &w);
	}
	is_u64(bad, 0, "1000 random tables: each sweep ends, with links that agree at both ends");
	ok(nodes > 1000 && links > 900, "... %u nodes, %u links", nodes, links);
}

/* ---- the port ------------------------------------------------------------------------ */

static bool ledger_stops(void *context)
{
	return ++*(int *)context > 3;
}

static void ledger_steps(void)
{
	struct ledger l = ledger_new();
	struct fake *fake = fake_new();
	struct swept w;
	unsigned int steps = 0;
	int ret;

	fake->peer = ledger_peer;
	fake->peer_context = &l;
	w.port = fake_port(fake);
	if (madkit_sweep_new(w.port, &by_sa, &w.s))
		abort();
	is_int(madkit_sweep_step(w.s, 0), 0, "a step in the past does not wait");
	do {
		ret = madkit_sweep_step(w.s, madkit_port_now(w.port) + MS / 10);
		steps++;
	} while (!ret);
	swept_count(&w);
	ok(ret == 1 && steps > 4 && w.counts.nodes == 2, "in %u steps", steps);
	is_int(madkit_sweep_step(w.s, UINT64_MAX), 1, "a sweep that has ended does nothing more");
	is_u64(l.requests, 4, "... and requests nothing");
	swept_close(&w);

	fake = fake_new();
	fake->peer = ledger_peer;
	fake->peer_context = &l;
	w.port = fake_port(fake);
	if (madkit_sweep_new(w.port, &by_sa, &w.s))
		abort();
	madkit_sweep_step(w.s, 0);
	ledger_close(&l, &w);
	ok(true, "a sweep is freed while a table is outstanding");
}

static void ledger_unplugged(void)
{
	struct ledger l = ledger_new();
	struct fake *fake = fake_new();
	struct swept w;

	fake->peer = ledger_peer;
	fake->peer_context = &l;
	w.port = fake_port(fake);
	if (madkit_sweep_new(w.port, &by_sa, &w.s))
		abort();
	madkit_sweep_step(w.s, 0);
	fake->receive_result = -EIO;
	is_int(madkit_sweep_step(w.s, UINT64_MAX), -EIO, "a device that is unplugged ends the sweep");
	ledger_close(&l, &w);

	fake = fake_new();
	fake->info.sm_lid = 0;
	w.port = fake_port(fake);
	is_int(madkit_sweep_new(w.port, &by_sa, &w.s), -EHOSTUNREACH, "a port without a subnet manager");
	madkit_port_close(w.port);
}

/* ---- simulated fabrics --------------------------------------------------------------- */

static void sim_spec(char spec[512], const char *name)
{
	snprintf(spec, 512, "sim:%s%s%s", strchr(name, ':') ? "" : getenv("top_srcdir"),
		 strchr(name, ':') ? "" : "/tests/data/topologies/", name);
}

static void sim_sweep(struct swept *w, const char *spec, const struct madkit_sweep_attr *attr)
{
	struct madkit_error error = { .text = "" };

	if (madkit_port_open(spec, &w->port, &error) || madkit_sweep_new(w->port, attr, &w->s)) {
		printf("Bail out! %s: %s\n", spec, error.text);
		exit(1);
	}
	is_int(madkit_sweep_step(w->s, UINT64_MAX), 1, "%s is swept %s", spec,
	       attr->sa ? "through the SA" : "by SMPs");
	swept_count(w);
	swept_print(w);
}

/* PortInfo without LocalPort, which depends on the route. */
static bool same_info(const struct madkit_sweep_port *a, const struct madkit_sweep_port *b)
{
	struct madkit_sweep_port x = *a, y = *b;

	field_put(MADKIT_PORT_INFO_LOCAL_PORT, x.info, 0);
	field_put(MADKIT_PORT_INFO_LOCAL_PORT, y.info, 0);
	return !memcmp(x.info, y.info, sizeof(x.info));
}

static unsigned int node_differences(const struct swept *a, const struct madkit_sweep_node *x,
				     const struct swept *b, const struct madkit_sweep_node *y)
{
	unsigned int bad = x->type != y->type || x->nports != y->nports || x->system_guid != y->system_guid ||
			   x->vendor != y->vendor || x->device != y->device || x->hops != y->hops ||
			   x->revision != y->revision || x->switched != y->switched ||
			   x->duplicate != y->duplicate ||
			   memcmp(x->description, y->description, sizeof(x->description)) ||
			   memcmp(x->switch_info, y->switch_info, 20);

	for (unsigned int p = 0; p <= x->nports && p <= y->nports; p++) {
		const struct madkit_sweep_port *i = &x->ports[p], *j = &y->ports[p];

		bad += (i->peer == MADKIT_SWEEP_NONE) != (j->peer == MADKIT_SWEEP_NONE) ||
		       (i->peer != MADKIT_SWEEP_NONE &&
			(madkit_sweep_node(a->s, i->peer)->guid != madkit_sweep_node(b->s, j->peer)->guid ||
			 i->peer_port != j->peer_port)) ||
		       (i->state == MADKIT_SWEEP_ANSWERED &&
			(j->state != MADKIT_SWEEP_ANSWERED || i->guid != j->guid || !same_info(i, j)));
	}
	return bad;
}

/* Both ways to sweep find the same. */
static void sim_equal(const char *name)
{
	unsigned int bad = 0;
	struct swept a, b;
	char spec[512];

	sim_spec(spec, name);
	sim_sweep(&a, spec, &usual);
	sim_sweep(&b, spec, &by_sa);
	ok(a.counts.nodes == b.counts.nodes && a.counts.links == b.counts.links && !b.counts.missing,
	   "... with as many nodes and links");
	for (uint32_t i = 0; i < a.counts.nodes; i++) {
		const struct madkit_sweep_node *x = madkit_sweep_node(a.s, i);
		uint32_t j = 0;

		while (j < b.counts.nodes && madkit_sweep_node(b.s, j)->guid != x->guid)
			j++;
		bad += j == b.counts.nodes || node_differences(&a, x, &b, madkit_sweep_node(b.s, j));
	}
	is_u64(bad, 0, "... which are the same");
	is_u64(b.counts.sent, 4, "... by four requests");
	swept_close(&a);
	swept_close(&b);
}

static void sim_stopped(void)
{
	int calls = -1000000; /* opening the port looks, too */
	const struct madkit_limit limit = { .deadline_ns = UINT64_MAX,
					    .stopped = ledger_stops,
					    .context = &calls };
	struct swept w;

	if (madkit_port_open_limited("sim:fat-tree:4,4,2", &limit, &w.port, NULL) ||
	    madkit_sweep_new(w.port, &by_sa, &w.s))
		exit(1);
	calls = 0;
	is_int(madkit_sweep_step(w.s, UINT64_MAX), -EINTR, "stopped() ends a sweep");
	calls = 0;
	while (madkit_sweep_step(w.s, UINT64_MAX) == -EINTR)
		calls = 0;
	swept_count(&w);
	is_u64(w.counts.nodes, 22, "... which can be continued");
	swept_close(&w);
}

static void sim_silent(void)
{
	struct swept w;

	sim_sweep(&w, "sim:fat-tree:2,2,1@h1-1,sm=h2-1,fault=drop class=SubnAdm attribute=NodeRecord",
		  &by_sa);
	ok(w.counts.missing == MADKIT_SWEEP_SA_SILENT && !w.counts.nodes, "... which is silent");
	swept_close(&w);
	sim_sweep(&w, "sim:fat-tree:12,12,2,fault=drop rate=1%", &by_sa);
	ok(w.counts.nodes == 12 * 13 + 2 && !w.counts.missing, "... although MADs are lost");
	swept_close(&w);
}

int main(void)
{
	ledger_plain();
	ledger_ports();
	ledger_part();
	ledger_silence();
	ledger_status();
	ledger_options();
	ledger_short();
	ledger_lies();
	ledger_lids();
	ledger_twins();
	ledger_anything();
	ledger_steps();
	ledger_unplugged();
	sim_equal("fat-tree:4,4,2");
	sim_equal("fat-tree:1,1,0");
	sim_equal("small.net");
	sim_equal("tree.net");
	sim_equal("small.dump");
	sim_equal("real.dump");
	sim_stopped();
	sim_silent();
	return tap_done();
}
