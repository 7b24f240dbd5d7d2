/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sweeps of a scripted fabric that contradicts itself, lies, or changes meanwhile. */
#include <errno.h>
#define RANDOM_SEED UINT64_C(0x5eed)
#include "tests/random.h"
#include "tests/unit/sweep_toy.h"
#include "util/array_size.h"
#include "wire/access.h"

static unsigned int toy_duplicates(const struct swept *w)
{
	unsigned int count = 0;

	for (uint32_t i = 0; i < w->counts.nodes; i++)
		count += madkit_sweep_node(w->s, i)->duplicate;
	return count;
}

/* ---- cables -------------------------------------------------------------------------- */

static void toy_cables(void)
{
	struct toy toy = toy_new();
	const struct madkit_sweep_node *n;
	struct swept w;

	toy_link(&toy, 1, 2, 1, 3);
	toy_link(&toy, 1, 4, 1, 4);
	toy_add(&toy, 0x300, 1, 2);
	toy_link(&toy, 2, 1, 1, 5);
	toy_link(&toy, 2, 2, 1, 6);
	toy_run(&toy, &w, &usual, "cables back to the same switch, and a CA with two ports");
	ok(w.counts.nodes == 3 && w.counts.links == 5 && !toy_duplicates(&w), "... three nodes, five links");
	n = madkit_sweep_node(w.s, 1);
	ok(n->ports[2].peer == 1 && n->ports[2].peer_port == 3, "... from port 2 to port 3");
	ok(n->ports[4].peer == 1 && n->ports[4].peer_port == 4, "... a loopback plug");
	n = madkit_sweep_node(w.s, 2);
	ok(n->ports[1].state == MADKIT_SWEEP_ANSWERED && n->ports[2].state == MADKIT_SWEEP_ANSWERED,
	   "... both ports of the CA");
	ok(n->ports[1].guid == 0x301 && n->ports[2].guid == 0x302, "... with their GUIDs");
	ok(!w.counts.missing && w.counts.sent == toy.sent, "... complete");
	swept_close(&w);
	/* a ring of three switches */
	toy = toy_new();
	toy_add(&toy, 0x400, 2, 4);
	toy_add(&toy, 0x500, 2, 4);
	toy_link(&toy, 1, 2, 2, 1);
	toy_link(&toy, 2, 2, 3, 1);
	toy_link(&toy, 3, 2, 1, 3);
	toy_run(&toy, &w, &usual, "a ring");
	ok(w.counts.nodes == 4 && w.counts.links == 4, "... four nodes, four links");
	swept_close(&w);
}

static void duplicates(void)
{
	struct toy toy = toy_new();
	struct madkit_addr a, b;
	struct swept w;

	toy_add(&toy, 0x300, 1, 1);
	toy_add(&toy, 0x300, 1, 1);
	toy_add(&toy, 0x300, 1, 2);
	toy_link(&toy, 2, 1, 1, 2);
	toy_link(&toy, 3, 1, 1, 5);
	toy_link(&toy, 4, 1, 1, 7);
	toy_run(&toy, &w, &usual, "three hosts with the same GUID");
	ok(w.counts.nodes == 5 && w.counts.links == 4 && toy_duplicates(&w) == 3, "... are three nodes");
	ok(madkit_sweep_route(w.s, 2, &a) && madkit_sweep_route(w.s, 3, &b) && a.path[2] != b.path[2],
	   "... with a route to each");
	ok(madkit_sweep_node(w.s, 3)->described == MADKIT_SWEEP_ANSWERED &&
		   madkit_sweep_node(w.s, 3)->ports[1].state == MADKIT_SWEEP_ANSWERED,
	   "... and each is queried");
	swept_close(&w);

	toy = toy_new();
	toy_add(&toy, 0x400, 2, 4);
	toy_add(&toy, 0x400, 2, 4);
	toy_link(&toy, 1, 2, 2, 1);
	toy_link(&toy, 1, 3, 3, 1);
	for (int i = 0; i < 4; i++)
		toy_add(&toy, 0x500 + 0x10 * (unsigned int)i, 1, 1);
	toy_link(&toy, 2, 2, 4, 1);
	toy_link(&toy, 2, 3, 5, 1);
	toy_link(&toy, 3, 2, 6, 1);
	toy_link(&toy, 3, 3, 7, 1);
	toy_run(&toy, &w, &usual, "two switches with the same GUID at the same ports");
	ok(w.counts.nodes == 8 && w.counts.links == 7 && toy_duplicates(&w) == 2,
	   "... and all hosts behind them");
	swept_close(&w);
	toy_link(&toy, 2, 4, 3, 4);
	/* by NodeInfo, that is the same as two loopback plugs */
	toy_run(&toy, &w, &usual, "... linked to each other");
	ok(w.counts.nodes == 8 && toy_duplicates(&w) == 2, "... the same");
	swept_close(&w);

	toy = toy_new();
	toy_add(&toy, 0x400, 2, 4);
	toy_add(&toy, 0x400, 2, 4);
	toy_link(&toy, 1, 2, 2, 1);
	toy_link(&toy, 1, 3, 3, 2);
	toy_run(&toy, &w, &usual, "... at different ports, of which each could be the other's");
	ok(w.counts.nodes == 4 && w.counts.links == 3 && toy_duplicates(&w) == 2, "... are two");
	swept_close(&w);
}

/* ---- changes ------------------------------------------------------------------------- */

static void toy_move_host(struct toy *toy)
{
	if (toy->sent == toy->when) {
		toy_cut(toy, 2, 1);
		toy_link(toy, 2, 1, 1, 4);
	}
}

/* A node that does not respond takes its place. */
static void toy_replace_host(struct toy *toy)
{
	toy_move_host(toy);
	if (toy->sent == toy->when)
		toy_link(toy, 5, 1, 1, 2);
}

static void toy_cut_leaf(struct toy *toy)
{
	if (toy->sent == toy->when)
		toy_cut(toy, 1, 3);
}

static void toy_swap(struct toy *toy)
{
	if (toy->sent == toy->when) {
		toy_cut(toy, 1, 2);
		toy_cut(toy, 1, 3);
		toy_link(toy, 1, 2, 3, 1);
		toy_link(toy, 1, 3, 2, 1);
	}
}

/* A host at port 2, a switch at port 3 with a host behind it and a second link. */
static struct toy toy_changing(void (*change)(struct toy *toy), unsigned int when)
{
	struct toy toy = toy_new();

	toy_add(&toy, 0x300, 1, 1);
	toy_add(&toy, 0x400, 2, 4);
	toy_add(&toy, 0x500, 1, 1);
	toy.nodes[toy_add(&toy, 0x600, 1, 1)].mute = true;
	toy_link(&toy, 2, 1, 1, 2);
	toy_link(&toy, 3, 1, 1, 3);
	toy_link(&toy, 3, 2, 4, 1);
	toy.change = change;
	toy.when = when;
	return toy;
}

static void changes(void)
{
	static const struct {
		const char *what;
		void (*change)(struct toy *toy);
	} cases[] = {
		{ "a host moves to another port", toy_move_host },
		{ "a host moves, and a silent node takes its place", toy_replace_host },
		{ "a switch is cut off", toy_cut_leaf },
		{ "a host and a switch change places", toy_swap },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		unsigned int bad = 0, wrong = 0, slow = 0;

		for (unsigned int when = 1; when < 60; when++) {
			struct toy toy = toy_changing(cases[i].change, when);
			struct swept w;

			bad += toy_sweep(&toy, &w, &usual) != 1 || !toy_is_consistent(&w) ||
			       toy_duplicates(&w);
			wrong += w.counts.nodes > 5 || w.counts.missing;
			slow += w.counts.ns > 20000 * MS;
			if (w.counts.ns > 20000 * MS || toy_duplicates(&w))
				printf("# %s at %u: %u ms, %u nodes\n", cases[i].what, when,
				       (unsigned int)(w.counts.ns / MS), w.counts.nodes);
			swept_close(&w);
		}
		is_u64(bad, 0, "%s at any time: the sweep ends, and no node is a duplicate", cases[i].what);
		is_u64(wrong, 0, "... nor found twice");
		is_u64(slow, 0, "... within 20 s");
	}
}

/* ---- links that flap ------------------------------------------------------------------ */

/* The link between two leaves is up and down in turns, each for so many SMPs, or at random. */
static void toy_flap(struct toy *toy)
{
	const bool up = toy->when ? toy->sent / toy->when % 2 : random64() % 2;

	if (up)
		toy_link(toy, 2, 3, 3, 3);
	else
		toy_cut(toy, 2, 3);
}

/* A doubtful observation is reported neither as a second node nor as a contradiction. */
static void flapping(void)
{
	unsigned int twice = 0, contradictions = 0, bad = 0, slow = 0;

	for (unsigned int i = 0; i < 1000; i++) {
		struct toy toy = toy_new();
		struct swept w;

		for (unsigned int leaf = 0; leaf < 2; leaf++) {
			toy_add(&toy, 0x400 + 0x10 * leaf, 2, 4);
			toy_link(&toy, 1, (uint8_t)(2 + leaf), 2 + (int)leaf, (uint8_t)(1 + i % 2 * leaf));
		}
		toy.change = toy_flap;
		toy.when = i < 100 ? i : 0;
		bad += toy_sweep(&toy, &w, &usual) != 1 || !toy_is_consistent(&w);
		if (w.counts.nodes != 4 || toy_duplicates(&w))
			printf("# %u: %u nodes\n", i, w.counts.nodes);
		twice += w.counts.nodes != 4 || toy_duplicates(&w);
		for (unsigned int p = 0; p <= 4; p++)
			contradictions += madkit_sweep_node(w.s, 2)->ports[p].far == MADKIT_SWEEP_REFUSED ||
					  madkit_sweep_node(w.s, 3)->ports[p].far == MADKIT_SWEEP_REFUSED;
		slow += w.counts.ns > 20000 * MS;
		swept_close(&w);
	}
	is_u64(bad, 0, "1,000 sweeps while a link flaps: all end, with links that agree at both ends");
	is_u64(twice, 0, "... no node is found twice");
	is_u64(contradictions, 0, "... no response is contradictory");
	is_u64(slow, 0, "... within 20 s");
}

/* ---- lies ---------------------------------------------------------------------------- */

static void forge_attribute(uint8_t *mad, uint16_t attribute)
{
	if (attribute == MADKIT_ATTR_PORT_INFO)
		mad[17] = MADKIT_ATTR_SWITCH_INFO;
}

static void forge_port(uint8_t *mad, uint16_t attribute)
{
	if (attribute == MADKIT_ATTR_PORT_INFO)
		mad[23] ^= 1;
}

static void forge_status(uint8_t *mad, uint16_t attribute)
{
	if (attribute == MADKIT_ATTR_NODE_DESCRIPTION)
		mad[5] = 0x0c;
}

static void forge_local(uint8_t *mad, uint16_t attribute)
{
	if (attribute == MADKIT_ATTR_PORT_INFO)
		field_put(MADKIT_PORT_INFO_LOCAL_PORT, mad + MADKIT_SMP_DATA, 99);
}

static void lies(void)
{
	static const struct {
		const char *what;
		uint64_t guid;
		uint8_t type, nports, local;
		uint32_t nodes, state;
	} cases[] = {
		{ "no ports", 0x300, 1, 0, 1, 2, MADKIT_SWEEP_REFUSED },
		{ "255 ports", 0x300, 2, 255, 1, 2, MADKIT_SWEEP_REFUSED },
		{ "254 ports", 0x300, 2, 254, 1, 3, MADKIT_SWEEP_ANSWERED },
		{ "a LocalPort beyond its ports", 0x300, 2, 4, 5, 2, MADKIT_SWEEP_REFUSED },
		{ "GUID 0", 0, 2, 4, 1, 3, MADKIT_SWEEP_ANSWERED },
		{ "type 0", 0x300, 0, 4, 1, 3, MADKIT_SWEEP_ANSWERED },
		{ "type 9", 0x300, 9, 1, 1, 3, MADKIT_SWEEP_ANSWERED },
		{ "the GUID of this host", 0x100, 1, 1, 1, 3, MADKIT_SWEEP_ANSWERED },
		{ "the GUID of the first switch", 0x200, 2, 8, 1, 3, MADKIT_SWEEP_ANSWERED },
	};
	static void (*const forgers[])(uint8_t * mad, uint16_t attribute) = { forge_attribute, forge_port,
									      forge_status };
	struct madkit_sweep_attr attr = usual;
	struct toy toy;
	struct swept w;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		toy = toy_new();
		toy_add(&toy, cases[i].guid, cases[i].type, cases[i].nports);
		toy.nodes[2].local = cases[i].local;
		toy_link(&toy, 2, 1, 1, 2);
		toy_run(&toy, &w, &usual, cases[i].what);
		is_u64(w.counts.nodes, cases[i].nodes, "... nodes");
		is_u64(madkit_sweep_node(w.s, 1)->ports[2].far, cases[i].state, "... its link");
		swept_close(&w);
	}
	for (size_t i = 0; i < ARRAY_SIZE(forgers); i++) {
		toy = toy_new();
		toy.forge = forgers[i];
		toy_run(&toy, &w, &usual, "responses to another request");
		is_u64(madkit_sweep_node(w.s, 0)->ports[1].state,
		       i < 2 ? MADKIT_SWEEP_REFUSED : MADKIT_SWEEP_ANSWERED, "... PortInfo");
		is_u64(madkit_sweep_node(w.s, 0)->described,
		       i == 2 ? MADKIT_SWEEP_REFUSED : MADKIT_SWEEP_ANSWERED, "... NodeDescription");
		swept_close(&w);
	}
	toy = toy_new();
	toy.forge = forge_local;
	toy_run(&toy, &w, &usual, "PortInfo with a wrong LocalPort");
	is_u64(w.counts.nodes, 2, "... changes nothing");
	swept_close(&w);

	toy = toy_new();
	toy.maze = true;
	for (int i = 2; i <= TOY_PORTS; i++)
		toy.nodes[1].ends[i].node = 1;
	attr.nodes_max = 300;
	toy_run(&toy, &w, &attr, "a fabric without end");
	ok(w.counts.nodes == 300 && w.counts.missing & MADKIT_SWEEP_FULL, "... as many nodes as are allowed");
	swept_close(&w);
	attr.nodes_max = 3000;
	attr.hops = 5;
	toy_run(&toy, &w, &attr, "... with 5 hops");
	ok(w.counts.nodes < 1000 && !w.counts.missing, "... is complete");
	swept_close(&w);
	attr.hops = 0;
	toy.equal = true;
	toy_run(&toy, &w, &attr, "... of switches that are all the same");
	ok(w.counts.nodes < 50, "... %u nodes", w.counts.nodes);
	swept_close(&w);
	/* a chain of switches longer than a route */
	toy = toy_new();
	toy.nodes[0].type = 2;
	for (int i = 2; i < TOY_NODES; i++) {
		toy_add(&toy, 0x1000 + 0x10 * (unsigned int)i, 2, 2);
		toy_link(&toy, i, 1, i - 1, 2);
	}
	toy_run(&toy, &w, &usual, "a chain of 69 switches");
	ok(w.counts.nodes == MADKIT_HOPS_MAX + 1 && w.counts.missing == MADKIT_SWEEP_FAR,
	   "... beyond the longest route");
	swept_close(&w);
}

/* ---- speeds -------------------------------------------------------------------------- */

/* The extended speed is only shown to a requester that knows of it. */
static void forge_wide(uint8_t *mad, uint16_t attribute)
{
	uint8_t *data = mad + MADKIT_SMP_DATA;

	if (attribute != MADKIT_ATTR_PORT_INFO)
		return;
	field_put(MADKIT_PORT_INFO_CAP_MASK, data, 1 << 14);
	if (mad[MADKIT_MAD_MODIFIER] & 0x80)
		field_put(MADKIT_PORT_INFO_LINK_SPEED_EXT_ACTIVE, data, 2);
}

static void toy_speeds(void)
{
	struct toy toy = toy_new();
	struct swept w;
	const struct madkit_sweep_node *n;

	toy.forge = forge_wide;
	toy_run(&toy, &w, &usual, "a switch with extended speeds");
	n = madkit_sweep_node(w.s, 1);
	is_u64(field_get(MADKIT_PORT_INFO_LINK_SPEED_EXT_ACTIVE, n->ports[1].info), 2, "... which are shown");
	is_u64(field_get(MADKIT_PORT_INFO_LINK_SPEED_EXT_ACTIVE, n->ports[2].info), 0,
	       "... but not requested of a port that is down");
	swept_close(&w);
}

/* ---- one try -------------------------------------------------------------------------- */

static void toy_mute(struct toy *toy)
{
	if (toy->sent == toy->when)
		toy->nodes[1].mute = true;
}

static void one_try(void)
{
	struct madkit_sweep_attr attr = { .timeout_ms = TIMEOUT_MS };
	struct toy toy = toy_new();
	struct swept w;

	toy.change = toy_mute;
	toy.when = 9;
	toy_run(&toy, &w, &attr, "a switch becomes silent, and there are no retries");
	is_between(w.counts.ns / MS, TIMEOUT_MS, 2 * TIMEOUT_MS + 200, "... at the cost of a timeout");
	ok(w.counts.silent == 1 && madkit_sweep_node(w.s, 1)->state == MADKIT_SWEEP_SILENT,
	   "... and is silent");
	swept_close(&w);
}

/* ---- M_Keys -------------------------------------------------------------------------- */

struct keys {
	uint64_t host, others; /* keys of the nodes at ports of the switch; of both others */
};

static uint64_t toy_key(void *context, const struct madkit_sweep_node *node, unsigned int port, bool behind)
{
	const struct keys *keys = context;

	if (!node || (node->type == 1 && !behind))
		return node && node->guid >= 0x300 ? node->guid : keys->host;
	if (node->type == 2 && behind)
		return 0x300 + 0x10 * (port - 2u);
	return keys->others;
}

static void m_keys(void)
{
	struct keys keys = { 0x11, 0x22 };
	struct madkit_sweep_attr attr = usual;
	struct toy toy = toy_new();
	struct swept w;

	toy.nodes[0].key = 0x11;
	toy.nodes[1].key = 0x22;
	for (int i = 0; i < 7; i++) {
		toy_add(&toy, 0x300 + 0x10 * (unsigned int)i, 1, 1);
		toy.nodes[2 + i].key = toy.nodes[2 + i].guid;
		toy_link(&toy, 2 + i, 1, 1, (uint8_t)(2 + i));
	}
	attr.m_key = toy_key;
	attr.context = &keys;
	toy.nodes[0].key = toy.nodes[1].key = 0;
	toy_run(&toy, &w, &attr, "a key for each node");
	ok(w.counts.nodes == 9 && !w.counts.missing && !toy.silent, "... is given to each");
	swept_close(&w);
	attr.m_key = NULL;
	toy_run(&toy, &w, &attr, "without keys");
	ok(w.counts.nodes == 2 && w.counts.missing == MADKIT_SWEEP_WITHHELD, "... the sweep is not complete");
	is_u64(toy.silent, 3 * (RETRIES + 1), "... and three nodes in a row had all tries");
	swept_close(&w);
	attr.keep_going = true;
	toy.silent = 0;
	toy_run(&toy, &w, &attr, "... and goes on all the same");
	ok(w.counts.nodes == 2 && !w.counts.missing && w.counts.silent == 7, "... all nodes are silent");
	is_u64(toy.silent, 7 * (RETRIES + 1), "... after all tries");
	swept_close(&w);
	attr.keep_going = false;
	toy.nodes[4].key = 0;
	toy_run(&toy, &w, &attr, "the third has no key");
	ok(w.counts.nodes == 3 && w.counts.missing == MADKIT_SWEEP_WITHHELD && w.counts.silent == 5,
	   "... three others after it end the sweep");
	swept_close(&w);
}

/* ---- anything at all ------------------------------------------------------------------ */

/* Changes a cable, a GUID or a node at random, until there have been enough changes. */
static void toy_shake(struct toy *toy)
{
	int a = (int)(random64() % (unsigned int)toy->count),
	    b = (int)(random64() % (unsigned int)toy->count);
	uint8_t port_a = (uint8_t)(1 + random64() % toy->nodes[a].nports);
	uint8_t port_b = (uint8_t)(1 + random64() % toy->nodes[b].nports);

	if (toy->when && random64() % toy->when)
		return;
	if (!toy->when || toy->sent > 400)
		return;
	switch (random64() % 8) {
	case 0:
		toy->nodes[a].guid = 0x100 * (random64() % 8);
		break;
	case 1:
		toy->nodes[a].mute = a > 1 && !toy->nodes[a].mute;
		break;
	case 2:
		toy->nodes[a].local = (uint8_t)(random64() % 10);
		break;
	case 3:
		toy->nodes[a].type = (uint8_t)(a > 1 ? 1 + random64() % 3 : toy->nodes[a].type);
		break;
	case 4:
		toy_cut(toy, a, port_a);
		break;
	default:
		toy_cut(toy, a, port_a);
		toy_cut(toy, b, port_b);
		toy_link(toy, a, port_a, b, port_b);
	}
}

static struct toy toy_random(void)
{
	struct toy toy = toy_new();
	const unsigned int guids = 2 + (unsigned int)(random64() % 20);

	for (int i = 0; i < 12; i++) {
		/* one after the other: compilers evaluate arguments in different orders */
		uint8_t type = (uint8_t)(1 + random64() % 5 / 2 % 2);

		toy_add(&toy, 0x1000 + 0x10 * (random64() % guids), type, TOY_PORTS);
	}
	for (int i = 0; i < 40; i++) {
		int a = 1 + (int)(random64() % 13), b = 1 + (int)(random64() % 13);
		uint8_t port_a = (uint8_t)(2 + random64() % 7), port_b = (uint8_t)(2 + random64() % 7);

		toy_cut(&toy, a, port_a);
		toy_cut(&toy, b, port_b);
		toy_link(&toy, a, port_a, b, port_b);
	}
	toy.change = toy_shake;
	toy.when = (unsigned int)(random64() % 3 * 10);
	return toy;
}

/* The nodes that are reached, of which as many pairs have the same GUID. */
static unsigned int toy_reach(const struct toy *toy, unsigned int *pairs)
{
	int queue[TOY_NODES] = { 0 };
	bool reached[TOY_NODES] = { true };
	unsigned int count = 1;

	*pairs = 0;
	for (unsigned int head = 0; head < count; head++) {
		const struct toy_node *n = &toy->nodes[queue[head]];

		for (unsigned int i = 0; i < head; i++)
			*pairs += toy->nodes[queue[i]].guid == n->guid;
		for (unsigned int p = 1; p <= TOY_PORTS && (n->type == 2 || !head); p++) {
			if (n->ends[p].node >= 0 && !reached[n->ends[p].node]) {
				reached[n->ends[p].node] = true;
				queue[count++] = n->ends[p].node;
			}
		}
	}
	return count;
}

/* Only for switches: two CAs with the same GUID but different ports are treated as one CA. */
static void random_duplicates(void)
{
	unsigned int bad = 0, swept = 0, twice = 0;

	for (unsigned int i = 0; i < 500; i++) {
		struct toy toy = toy_random();
		unsigned int pairs, count;
		struct swept w;

		toy.change = NULL;
		for (int n = 2; n < toy.count; n++)
			toy.nodes[n].type = 2;
		count = toy_reach(&toy, &pairs);
		if (!pairs || pairs > 2)
			continue;
		swept++;
		toy_sweep(&toy, &w, &usual);
		twice += w.counts.nodes != count;
		bad += w.counts.nodes < count || w.counts.nodes > count + 1 || toy_duplicates(&w) < 2 ||
		       !toy_is_consistent(&w);
		swept_close(&w);
	}
	ok(swept > 50, "%u random fabrics with one or two pairs of switches with the same GUID", swept);
	is_u64(bad, 0, "... all nodes are found");
	/* a cable from a switch to itself looks like one to the other switch */
	is_u64(twice, 1, "... none twice, but for a switch that is linked to itself");
}

static void anything(void)
{
	unsigned int endless = 0, bad = 0, most = 0, longest = 0;

	for (unsigned int i = 0; i < 500; i++) {
		struct toy toy = toy_random();
		struct swept w;
		int ret;

		toy_begin(&toy, &w, &usual);
		ret = madkit_sweep_step(w.s, madkit_port_now(w.port) + 1000000 * MS);
		swept_count(&w);
		endless += ret != 1;
		bad += ret == 1 && !toy_is_consistent(&w);
		if (toy.sent > most)
			most = toy.sent;
		if (w.counts.ns / MS > longest)
			longest = (unsigned int)(w.counts.ns / MS);
		swept_close(&w);
	}
	is_u64(endless, 0, "500 random fabrics with duplicate GUIDs, most of which change: each sweep ends");
	is_u64(bad, 0, "... with links that agree at both ends");
	printf("# at most %u SMPs, %u ms\n", most, longest);
}

/* ---- the device ---------------------------------------------------------------------- */

static void toy_unplug(struct toy *toy)
{
	if (toy->sent == toy->when)
		toy->fake->receive_result = -EIO;
}

static void toy_unplugged(void)
{
	unsigned int bad = 0;

	for (unsigned int when = 1; when < 30; when++) {
		struct toy toy = toy_changing(toy_unplug, when);
		struct swept w;
		int ret = toy_sweep(&toy, &w, &usual);

		bad += ret != -EIO || !(w.counts.missing & MADKIT_SWEEP_UNFINISHED) ||
		       madkit_sweep_step(w.s, UINT64_MAX) != -EIO;
		swept_close(&w);
	}
	is_u64(bad, 0, "a device that is unplugged at any time ends the sweep");
}

static void refused(void)
{
	const struct madkit_addr lid = { .lid = 5 };
	struct madkit_sweep_attr attr = usual;
	struct fake *fake = fake_new();
	struct madkit_port *port = fake_port(fake);
	struct madkit_sweep *s;

	attr.from = &lid;
	is_int(madkit_sweep_new(port, &attr, &s), -EINVAL, "a sweep from a LID");
	attr.from = NULL;
	attr.smps = 9;
	attr.smps_max = 8;
	is_int(madkit_sweep_new(port, &attr, &s), -EINVAL, "a window that is larger than its limit");
	fake->attach_result = -EPERM;
	is_int(madkit_sweep_new(port, &usual, &s), -EPERM, "without permission");
	madkit_sweep_free(NULL);
	madkit_port_close(port);
}

int main(void)
{
	toy_cables();
	duplicates();
	changes();
	lies();
	toy_speeds();
	one_try();
	m_keys();
	random_duplicates();
	anything();
	flapping();
	toy_unplugged();
	refused();
	return tap_done();
}
