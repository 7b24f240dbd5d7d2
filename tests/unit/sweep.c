/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sweeps of simulated fabrics, compared with their topology; and of a scripted fabric (tests/unit/fake_transport.c)
 * that contradicts itself, lies, or changes meanwhile. All time is virtual.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/madkit.h>
#include "sweep/sweep.h"
#include "tests/tap.h"
#include "tests/unit/fake_transport.h"
#include "topology/generate.h"
#include "util/array_size.h"
#include "wire/access.h"

#define MS UINT64_C(1000000)

enum { TIMEOUT_MS = 1000, RETRIES = 2 };

static const struct sweep_attr usual = { .timeout_ms = TIMEOUT_MS, .retries = RETRIES };

/* ---- sweeps -------------------------------------------------------------------------- */

struct swept {
	struct madkit_port *port;
	struct sweep *s;
	struct sweep_counts counts;
};

static void swept_count(struct swept *w)
{
	sweep_count(w->s, &w->counts);
}

static void swept_begin(struct swept *w, const char *spec, const struct sweep_attr *attr)
{
	struct madkit_error error = { .text = "" };

	if (madkit_port_open(spec, &w->port, &error) || sweep_new(w->port, attr, &w->s)) {
		printf("Bail out! %s: %s\n", spec, error.text);
		exit(1);
	}
}

static void swept_run(struct swept *w, const char *spec, const struct sweep_attr *attr)
{
	swept_begin(w, spec, attr);
	is_int(sweep_step(w->s, UINT64_MAX), 1, "%s is swept", spec);
	swept_count(w);
	printf("# %u nodes, %u links, %u silent, missing %x, %u SMPs, %u resent, %u us, %u KB\n",
	       w->counts.nodes, w->counts.links, w->counts.silent, w->counts.missing,
	       (unsigned int)w->counts.sent, (unsigned int)w->counts.resent,
	       (unsigned int)(w->counts.ns / 1000), (unsigned int)(w->counts.bytes / 1024));
}

static void swept_close(struct swept *w)
{
	sweep_free(w->s);
	madkit_port_close(w->port);
}

static uint32_t swept_find(const struct swept *w, uint64_t guid)
{
	for (uint32_t i = 0; i < w->counts.nodes; i++)
		if (sweep_node(w->s, i)->guid == guid)
			return i;
	return SWEEP_NONE;
}

static uint32_t swept_named(const struct swept *w, const char *description)
{
	for (uint32_t i = 0; i < w->counts.nodes; i++)
		if (!strncmp((const char *)sweep_node(w->s, i)->description, description, SWEEP_INFO_BYTES))
			return i;
	return SWEEP_NONE;
}

/* ---- compared with the topology ------------------------------------------------------ */

static struct topology *sweep_topology(const char *name)
{
	struct madkit_error error = { .text = "" };
	struct topology *t = NULL;
	char path[512], *text;
	size_t len;
	FILE *file;

	if (topology_is_rule(name)) {
		topology_generate(name, &t, &error);
	} else {
		snprintf(path, sizeof(path), "%s/tests/data/topologies/%s", getenv("top_srcdir"), name);
		file = fopen(path, "r");
		text = malloc(1 << 20);
		len = file && text ? fread(text, 1, 1 << 20, file) : 0;
		topology_read(text, len, &t, &error);
		fclose(file);
		free(text);
	}
	if (!t) {
		printf("Bail out! %s: %s\n", name, error.text);
		exit(1);
	}
	return t;
}

/* Nodes that are reached from one. */
static uint32_t topology_reach(const struct topology *t, uint32_t from, bool *reached)
{
	uint32_t *queue = calloc(t->nnodes, sizeof(*queue)), head = 0, tail = 0;

	queue[tail++] = from;
	reached[from] = true;
	for (; head < tail; head++) {
		const struct topology_node *n = &t->nodes[queue[head]];

		/* not through CAs and routers; from one port of the first */
		for (unsigned int p = 1; p <= n->nports && (n->type == TOPOLOGY_SWITCH || (!head && p == 1));
		     p++) {
			uint32_t peer = topology_port(t, queue[head], p)->peer;

			if (peer != TOPOLOGY_NONE && !reached[peer]) {
				reached[peer] = true;
				queue[tail++] = peer;
			}
		}
	}
	free(queue);
	return tail;
}

static unsigned int sweep_speed_of(const struct sweep_port *port)
{
	unsigned int ext = (unsigned int)field_get(MADKIT_PORT_INFO_LINK_SPEED_EXT_ACTIVE, port->info);
	unsigned int ext2 = (unsigned int)field_get(MADKIT_PORT_INFO_LINK_SPEED_EXT_ACTIVE2, port->info);

	if (ext2)
		return TOPOLOGY_XDR;
	return port->fdr10 ? TOPOLOGY_FDR10 :
	       ext         ? ext * TOPOLOGY_FDR :
			     (unsigned int)field_get(MADKIT_PORT_INFO_LINK_SPEED_ACTIVE, port->info);
}

/* The number of ports that are not as in the topology. */
static unsigned int sweep_differences(const struct swept *w, const struct topology *t, uint32_t node,
				      const bool *reached)
{
	const struct topology_node *want = &t->nodes[node];
	uint32_t number = swept_find(w, want->guid);
	const struct sweep_node *got = number == SWEEP_NONE ? NULL : sweep_node(w->s, number);
	unsigned int bad = 0;

	if (!got || got->type != want->type || got->nports != want->nports || got->vendor != want->vendor ||
	    got->device != want->device || got->system_guid != want->system_guid || got->duplicate ||
	    got->described != SWEEP_ANSWERED || got->state != SWEEP_ANSWERED ||
	    strncmp((const char *)got->description, want->description, SWEEP_INFO_BYTES)) {
		printf("# node %s\n", want->name);
		return 1;
	}
	bad += want->type == TOPOLOGY_SWITCH &&
	       (got->switched != SWEEP_ANSWERED || got->ports[0].state != SWEEP_ANSWERED);
	for (unsigned int p = 1; p <= want->nports; p++) {
		const struct topology_port *port = topology_port(t, node, p);
		const struct sweep_port *is = &got->ports[p];
		bool linked = port->peer != TOPOLOGY_NONE && reached[port->peer];
		/* of another CA, only ports with a link to a switch in the fabric respond */
		bool answers = want->type == TOPOLOGY_SWITCH || linked;

		if ((is->state == SWEEP_ANSWERED) != answers || (is->peer != SWEEP_NONE) != linked ||
		    (linked &&
		     (sweep_node(w->s, is->peer)->guid != t->nodes[port->peer].guid ||
		      is->peer_port != port->peer_port || is->far != SWEEP_ANSWERED ||
		      field_get(MADKIT_PORT_INFO_LINK_WIDTH_ACTIVE, is->info) != topology_width(t, port) ||
		      sweep_speed_of(is) != topology_speed(t, port))) ||
		    (want->type != TOPOLOGY_SWITCH && answers && is->guid != port->guid)) {
			printf("# node %s port %u: state %u, peer %d, far %u, speed %x\n", want->name, p,
			       is->state, (int)is->peer, is->far, sweep_speed_of(is));
			bad++;
		}
	}
	return bad;
}

/* Routes lead to the nodes: followed in the topology. */
static bool sweep_route_leads(const struct swept *w, const struct topology *t, uint32_t number)
{
	struct madkit_addr to;
	uint32_t node = 0;

	while (t->nodes[node].guid != sweep_node(w->s, 0)->guid)
		node++;
	if (!sweep_route(w->s, number, &to) || to.hops != sweep_node(w->s, number)->hops)
		return false;
	for (unsigned int hop = 1; hop <= to.hops; hop++)
		node = topology_port(t, node, to.path[hop])->peer;
	return t->nodes[node].guid == sweep_node(w->s, number)->guid;
}

static void against_topology(const char *name, const char *from)
{
	struct topology *t = sweep_topology(name);
	bool *reached = calloc(t->nnodes, sizeof(*reached));
	unsigned int bad = 0, links = 0, lost = 0;
	uint32_t first = 0, count;
	struct swept w;
	char spec[512];

	if (topology_is_rule(name))
		snprintf(spec, sizeof(spec), "sim:%s%s", name, from);
	else
		snprintf(spec, sizeof(spec), "sim:%s/tests/data/topologies/%s%s", getenv("top_srcdir"), name,
			 from);
	swept_run(&w, spec, &usual);
	while (t->nodes[first].guid != sweep_node(w.s, 0)->guid)
		first++;
	count = topology_reach(t, first, reached);
	is_u64(w.counts.nodes, count, "... all nodes");
	for (uint32_t i = 0; i < t->nnodes; i++) {
		if (!reached[i])
			continue;
		bad += sweep_differences(&w, t, i, reached);
		for (unsigned int p = 1; p <= t->nodes[i].nports; p++) {
			uint32_t peer = topology_port(t, i, p)->peer;

			links += peer != TOPOLOGY_NONE && reached[peer] &&
				 (i < peer || (i == peer && p <= topology_port(t, i, p)->peer_port));
		}
	}
	is_u64(bad, 0, "... as in the topology");
	is_u64(w.counts.links, links, "... all links");
	for (uint32_t i = 0; i < w.counts.nodes; i++)
		lost += !sweep_route_leads(&w, t, i);
	is_u64(lost, 0, "... with routes");
	ok(!w.counts.missing && !w.counts.silent && !w.counts.resent, "... complete, without resends");
	swept_close(&w);
	free(reached);
	topology_free(t);
}

static void topologies_are_found(void)
{
	against_topology("fat-tree:4,4,2", "");
	against_topology("fat-tree:4,4,2", "@h2-3,sm=none");
	against_topology("fat-tree:1,1,0", "");
	against_topology("small.net", "");
	against_topology("tree.net", "");
	against_topology("small.dump", "");
	against_topology("real.dump", "");
	against_topology("fat-tree:4,4,2", "@leaf1,sm=h1-1");
}

static void is_deterministic(void)
{
	struct swept a, b;
	struct madkit_port_counters x, y;

	swept_run(&a, "sim:fat-tree:4,4,2,fault=drop rate=2%", &usual);
	swept_run(&b, "sim:fat-tree:4,4,2,fault=drop rate=2%", &usual);
	madkit_port_get_counters(a.port, &x);
	madkit_port_get_counters(b.port, &y);
	ok(!memcmp(&a.counts, &b.counts, sizeof(a.counts)) && a.counts.resent,
	   "two sweeps with faults are the same");
	is_u64(a.counts.sent, x.sent, "... whose SMPs are counted");
	ok(x.sent == y.sent && x.resent <= a.counts.resent, "... last tries as resent");
	swept_close(&a);
	swept_close(&b);
}

static void sweep_hops(void)
{
	static const struct {
		uint8_t hops;
		uint32_t nodes, links;
	} cases[] = { { 1, 2, 1 }, { 2, 7, 6 }, { 3, 10, 12 }, { 4, 22, 24 } };
	/* the node of the port, its leaf; 3 hosts, 2 spines; 3 leaves; 12 hosts */
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sweep_attr attr = usual;
		struct swept w;

		attr.hops = cases[i].hops;
		swept_run(&w, "sim:fat-tree:4,4,2", &attr);
		is_u64(w.counts.nodes, cases[i].nodes, "%u hops: nodes", attr.hops);
		is_u64(w.counts.links, cases[i].links, "... links");
		is_u64(w.counts.missing, 0, "... complete");
		swept_close(&w);
	}
}

static void from_a_route(void)
{
	struct sweep_attr attr = usual;
	struct madkit_addr leaf;
	struct swept w;

	madkit_parse_path("0,1,5", &leaf, NULL);
	attr.from = &leaf;
	swept_run(&w, "sim:fat-tree:4,4,2@h1-1", &attr);
	is_u64(w.counts.nodes, 22, "from a spine, all nodes");
	is_u64(w.counts.links, 24, "... and links");
	ok(sweep_node(w.s, 0)->type == 2 && swept_named(&w, "spine1") != 1, "... beginning with the spine");
	swept_close(&w);
	attr.hops = 1;
	swept_run(&w, "sim:fat-tree:4,4,2@h1-1", &attr);
	is_u64(w.counts.nodes, 5, "one hop from a spine");
	swept_close(&w);
	madkit_parse_path("0,1,2", &leaf, NULL);
	attr.hops = 0;
	swept_run(&w, "sim:fat-tree:4,4,2@h1-1", &attr);
	is_u64(w.counts.nodes, 1, "no route leads through another host");
	swept_close(&w);
	madkit_parse_path("0,1,9", &leaf, NULL);
	swept_run(&w, "sim:fat-tree:4,4,2@h1-1", &attr);
	ok(w.counts.missing == SWEEP_NO_START && !w.counts.nodes, "nothing at the start");
	is_u64(w.counts.ns / MS, (RETRIES + 1) * TIMEOUT_MS, "... after all tries");
	swept_close(&w);
}

static void in_steps(void)
{
	struct swept w, whole;
	unsigned int steps = 0, late = 0;
	int ret;

	swept_run(&whole, "sim:fat-tree:4,4,2", &usual);
	swept_begin(&w, "sim:fat-tree:4,4,2", &usual);
	is_int(sweep_step(w.s, 0), 0, "a step in the past does not wait");
	swept_count(&w);
	ok(w.counts.missing == SWEEP_UNFINISHED && !w.counts.nodes, "... and finds nothing yet");
	do {
		uint64_t until = madkit_port_now(w.port) + MS / 10;

		ret = sweep_step(w.s, until);
		late += madkit_port_now(w.port) > until + MS;
		steps++;
	} while (!ret);
	swept_count(&w);
	ok(ret == 1 && steps > 1, "in steps of 0.1 ms");
	is_u64(late, 0, "... that end in time");
	is_u64(w.counts.nodes, whole.counts.nodes, "... the same nodes");
	is_u64(w.counts.sent, whole.counts.sent, "... and SMPs");
	is_int(sweep_step(w.s, UINT64_MAX), 1, "a sweep that has ended does nothing more");
	swept_close(&w);
	swept_close(&whole);
	swept_begin(&w, "sim:fat-tree:4,4,2", &usual);
	sweep_step(w.s, 0);
	swept_close(&w);
	ok(true, "a sweep is freed half-way");
}

static bool sweep_stopped(void *context)
{
	unsigned int *calls = context;

	return ++*calls > 20;
}

static void sweep_stops(void)
{
	unsigned int calls = 0;
	const struct madkit_limit limit = { .deadline_ns = UINT64_MAX,
					    .stopped = sweep_stopped,
					    .context = &calls };
	struct swept w;

	if (madkit_port_open_limited("sim:fat-tree:4,4,2", &limit, &w.port, NULL) ||
	    sweep_new(w.port, &usual, &w.s))
		exit(1);
	calls = 0;
	is_int(sweep_step(w.s, UINT64_MAX), -EINTR, "stopped() ends a sweep");
	calls = 0;
	while (sweep_step(w.s, UINT64_MAX) == -EINTR)
		calls = 0;
	swept_count(&w);
	is_u64(w.counts.nodes, 22, "... which can be continued");
	swept_close(&w);
}

/* ---- silent nodes -------------------------------------------------------------------- */

static uint64_t sweep_ms(const char *spec, const struct sweep_attr *attr, struct swept *w)
{
	swept_run(w, spec, attr);
	return w->counts.ns / MS;
}

static void silence(void)
{
	const struct sweep_attr keep_going = { .timeout_ms = TIMEOUT_MS,
					       .retries = RETRIES,
					       .keep_going = true };
	struct swept w;
	uint64_t ms;

	ms = sweep_ms("sim:fat-tree:4,4,2@h1-1,control=agent h3-2 mute smi", &usual, &w);
	is_between(ms, 3 * TIMEOUT_MS, 3 * TIMEOUT_MS + 100, "a mute host costs all tries, once");
	ok(w.counts.nodes == 21 && w.counts.links == 23 && w.counts.silent == 1 && !w.counts.missing,
	   "... and is the only one that is missing");
	ok(sweep_node(w.s, swept_named(&w, "leaf3"))->ports[2].far == SWEEP_SILENT,
	   "... behind a port of its leaf");
	swept_close(&w);

	ms = sweep_ms("sim:fat-tree:4,4,2@h1-1,control=agent leaf3 mute smi", &usual, &w);
	is_between(ms, 3 * TIMEOUT_MS, 3 * TIMEOUT_MS + 100, "a mute leaf costs the same");
	ok(w.counts.nodes == 17 && w.counts.silent == 2, "... and what is behind it");
	swept_close(&w);

	ms = sweep_ms("sim:fat-tree:20,20,2@h1-1,control=agent leaf2 mute smi,control=agent leaf3 mute smi,"
		      "control=agent leaf4 mute smi,control=agent leaf5 mute smi",
		      &keep_going, &w);
	is_between(ms, 3 * TIMEOUT_MS, 3 * TIMEOUT_MS + 200, "four mute leaves cost the same");
	ok(w.counts.nodes == 22 + 16 * 20 - 4 && w.counts.silent == 8, "... and are missing");
	swept_close(&w);
}

/* A switch whose SMA responds to the first requests only: all packets with PortInfo that leave it are lost. */
static void silent_later(void)
{
	struct swept w;
	uint64_t ms;
	const struct sweep_node *leaf;

	ms = sweep_ms("sim:fat-tree:2,60,2@h1-1,fault=drop node=leaf2 attribute=PortInfo", &usual, &w);
	is_between(ms, 3 * TIMEOUT_MS, 3 * TIMEOUT_MS + 100,
		   "a switch with 62 ports that is silent costs one");
	leaf = sweep_node(w.s, swept_named(&w, "leaf2"));
	ok(leaf->state == SWEEP_SILENT && leaf->ports[3].state == SWEEP_SILENT &&
		   leaf->described == SWEEP_ANSWERED,
	   "... and is found");
	is_u64(leaf->ports[3].far, SWEEP_UNKNOWN, "... what is behind it is unknown");
	is_u64(w.counts.nodes, 2 + 60 + 2, "... and the others are known");
	swept_close(&w);
}

static void losses(void)
{
	struct sweep_attr attr = { .timeout_ms = TIMEOUT_MS, .retries = 4 };
	struct swept w;

	swept_run(&w, "sim:fat-tree:8,12,4,fault=drop rate=1%", &attr);
	ok(w.counts.nodes == 108 && w.counts.links == 128 && !w.counts.silent,
	   "each port loses a hundredth of the packets");
	ok(w.counts.resent, "... %u SMPs are resent", (unsigned int)w.counts.resent);
	swept_close(&w);
	/* the first tries are lost, the last one is not: it finds all */
	swept_run(&w, "sim:fat-tree:4,4,2@h1-1,fault=drop node=leaf2 method=GetResp nth=1+2", &usual);
	ok(w.counts.nodes == 22 && w.counts.links == 24 && !w.counts.silent, "the last try counts");
	swept_close(&w);
	/* the last try avoids the link */
	swept_run(&w, "sim:fat-tree:4,4,2@h1-1,fault=drop node=spine1 port=2 attribute=PortInfo", &usual);
	ok(w.counts.nodes == 22 && w.counts.links == 24 && !w.counts.silent, "... by another route");
	swept_close(&w);
	swept_run(&w, "sim:fat-tree:4,4,2@h1-1,fault=garble rate=3%", &usual);
	ok(w.counts.nodes, "garbled packets end the sweep all the same");
	swept_close(&w);
	swept_run(&w, "sim:fat-tree:8,12,4,vl15=typical", &usual);
	ok(w.counts.nodes == 108 && w.counts.links == 128 && !w.counts.silent, "small VL15 buffers");
	swept_close(&w);
}

/* ---- a scripted fabric --------------------------------------------------------------- */

enum { TOY_NODES = 70, TOY_PORTS = 8 };

struct toy_end {
	int node; /* -1: no cable */
	uint8_t port;
};

struct toy_node {
	uint64_t guid, key;
	uint8_t type, nports, local; /* local: instead of the true LocalPort */
	bool mute;
	struct toy_end ends[TOY_PORTS + 1];
};

struct toy {
	struct fake *fake;
	struct toy_node nodes[TOY_NODES];
	int count;
	unsigned int sent;
	/* before each SMP is routed */
	void (*change)(struct toy *toy);
	unsigned int when;
	/* every route leads to a switch; equal: with the same GUID */
	bool maze, equal;
	/* changes a response */
	void (*forge)(uint8_t *mad, uint16_t attribute);
	uint32_t silent; /* requests without a response */
};

static int toy_add(struct toy *toy, uint64_t guid, uint8_t type, uint8_t nports)
{
	struct toy_node *n = &toy->nodes[toy->count];

	*n = (struct toy_node){ .guid = guid, .type = type, .nports = nports };
	for (int i = 0; i <= TOY_PORTS; i++)
		n->ends[i].node = -1;
	return toy->count++;
}

static void toy_link(struct toy *toy, int a, uint8_t port_a, int b, uint8_t port_b)
{
	toy->nodes[a].ends[port_a] = (struct toy_end){ b, port_b };
	toy->nodes[b].ends[port_b] = (struct toy_end){ a, port_a };
}

static void toy_cut(struct toy *toy, int a, uint8_t port_a)
{
	struct toy_end end = toy->nodes[a].ends[port_a];

	if (end.node < 0)
		return;
	toy->nodes[end.node].ends[end.port].node = -1;
	toy->nodes[a].ends[port_a].node = -1;
}

/* Where a route leads. */
static struct toy_end toy_follow(const struct toy *toy, const struct madkit_addr *to)
{
	struct toy_end at = { 0, toy->nodes[0].type == 2 ? 0 : 1 };

	for (unsigned int hop = 1; hop <= to->hops; hop++) {
		const struct toy_node *n = &toy->nodes[at.node];

		if ((hop > 1 && n->type != 2) || to->path[hop] > TOY_PORTS)
			return (struct toy_end){ -1, 0 };
		at = n->ends[to->path[hop]];
		if (at.node < 0 || toy->nodes[at.node].mute)
			return (struct toy_end){ -1, 0 };
	}
	return at;
}

static void toy_node_info(uint8_t *data, const struct toy_node *n, unsigned int port)
{
	field_put(MADKIT_NODE_INFO_NODE_TYPE, data, n->type);
	field_put(MADKIT_NODE_INFO_NUM_PORTS, data, n->nports);
	field_put(MADKIT_NODE_INFO_GUID, data, n->guid);
	field_put(MADKIT_NODE_INFO_PORT_GUID, data, n->guid + port);
	field_put(MADKIT_NODE_INFO_LOCAL_PORT, data, n->local ? n->local : port);
}

static void toy_port_info(uint8_t *data, const struct toy_node *n, unsigned int local, unsigned int port)
{
	bool up = port <= TOY_PORTS && n->ends[port].node >= 0;

	field_put(MADKIT_PORT_INFO_LOCAL_PORT, data, local);
	field_put(MADKIT_PORT_INFO_LINK_STATE, data, up ? 4 : 1);
	field_put(MADKIT_PORT_INFO_LINK_SPEED_ACTIVE, data, 1);
}

static void toy_peer(struct fake *fake, const struct fake_sent *sent)
{
	struct toy *toy = fake->peer_context;
	struct madkit_addr to = { .hops = 0 };
	struct toy_node strange = { .type = 2, .nports = 4 };
	const struct toy_node *n = &strange;
	struct toy_end at;
	struct fake_arrival *a;
	uint8_t *data;

	toy->sent++;
	if (toy->change)
		toy->change(toy);
	madkit_smp_get_route(sent->mad, sent->len, &to);
	at = toy_follow(toy, &to);
	if (toy->maze && to.hops > 1) {
		for (int i = 0; i <= TOY_PORTS; i++)
			strange.ends[i].node = 0;
		strange.guid = 0x77;
		for (unsigned int hop = 0; !toy->equal && hop <= to.hops; hop++)
			strange.guid = strange.guid * 31 + to.path[hop];
		at = (struct toy_end){ 0, (uint8_t)(1 + to.hops % 4) };
	} else if (at.node >= 0) {
		n = &toy->nodes[at.node];
	}
	if (at.node < 0 || n->mute || (n->key && field_get(MADKIT_HEADER_SMP_M_KEY, sent->mad) != n->key)) {
		toy->silent++;
		fake_return(fake, sent->timeout_ms, sent, ETIMEDOUT);
		return;
	}
	a = fake_answer(fake, 0, sent);
	data = a->mad + MADKIT_SMP_DATA;
	if (sent->mad[17] == MADKIT_ATTR_NODE_INFO)
		toy_node_info(data, n, at.port);
	else if (sent->mad[17] == MADKIT_ATTR_PORT_INFO)
		toy_port_info(data, n, at.port, sent->mad[23]);
	else if (sent->mad[17] == MADKIT_ATTR_NODE_DESCRIPTION)
		snprintf((char *)data, 64, "node %u", (unsigned int)n->guid);
	if (toy->forge)
		toy->forge(a->mad, sent->mad[17]);
}

/* A host, node 0, at port 1 of a switch with 8 ports, node 1. */
static struct toy toy_new(void)
{
	struct toy toy = { .count = 0 };

	toy_add(&toy, 0x100, 1, 1);
	toy_add(&toy, 0x200, 2, TOY_PORTS);
	toy_link(&toy, 0, 1, 1, 1);
	return toy;
}

static void toy_begin(struct toy *toy, struct swept *w, const struct sweep_attr *attr)
{
	toy->fake = fake_new();
	toy->fake->peer = toy_peer;
	toy->fake->peer_context = toy;
	w->port = fake_port(toy->fake);
	if (sweep_new(w->port, attr, &w->s))
		abort();
}

/* Both ends of each link name each other. */
static bool toy_is_consistent(const struct swept *w)
{
	for (uint32_t i = 0; i < w->counts.nodes; i++) {
		const struct sweep_node *n = sweep_node(w->s, i);

		for (unsigned int p = 0; p <= n->nports; p++) {
			const struct sweep_port *far;

			if (n->ports[p].peer == SWEEP_NONE)
				continue;
			far = &sweep_node(w->s, n->ports[p].peer)->ports[n->ports[p].peer_port];
			if (far->peer != i || far->peer_port != p || n->ports[p].far != SWEEP_ANSWERED)
				return false;
		}
	}
	return true;
}

static int toy_sweep(struct toy *toy, struct swept *w, const struct sweep_attr *attr)
{
	int ret;

	toy_begin(toy, w, attr);
	ret = sweep_step(w->s, UINT64_MAX);
	swept_count(w);
	return ret;
}

static void toy_run(struct toy *toy, struct swept *w, const struct sweep_attr *attr, const char *what)
{
	is_int(toy_sweep(toy, w, attr), 1, "%s", what);
	printf("# %u nodes, %u links, %u silent, missing %x, %u SMPs, %u ms\n", w->counts.nodes,
	       w->counts.links, w->counts.silent, w->counts.missing, (unsigned int)w->counts.sent,
	       (unsigned int)(w->counts.ns / MS));
	ok(toy_is_consistent(w), "... with links that agree at both ends");
}

static unsigned int toy_duplicates(const struct swept *w)
{
	unsigned int count = 0;

	for (uint32_t i = 0; i < w->counts.nodes; i++)
		count += sweep_node(w->s, i)->duplicate;
	return count;
}

/* ---- cables -------------------------------------------------------------------------- */

static void toy_cables(void)
{
	struct toy toy = toy_new();
	const struct sweep_node *n;
	struct swept w;

	toy_link(&toy, 1, 2, 1, 3);
	toy_link(&toy, 1, 4, 1, 4);
	toy_add(&toy, 0x300, 1, 2);
	toy_link(&toy, 2, 1, 1, 5);
	toy_link(&toy, 2, 2, 1, 6);
	toy_run(&toy, &w, &usual, "cables back to the same switch, and a CA with two ports");
	ok(w.counts.nodes == 3 && w.counts.links == 5 && !toy_duplicates(&w), "... three nodes, five links");
	n = sweep_node(w.s, 1);
	ok(n->ports[2].peer == 1 && n->ports[2].peer_port == 3, "... from port 2 to port 3");
	ok(n->ports[4].peer == 1 && n->ports[4].peer_port == 4, "... a loopback plug");
	n = sweep_node(w.s, 2);
	ok(n->ports[1].state == SWEEP_ANSWERED && n->ports[2].state == SWEEP_ANSWERED,
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
	ok(sweep_route(w.s, 2, &a) && sweep_route(w.s, 3, &b) && a.path[2] != b.path[2],
	   "... with a route to each");
	ok(sweep_node(w.s, 3)->described == SWEEP_ANSWERED &&
		   sweep_node(w.s, 3)->ports[1].state == SWEEP_ANSWERED,
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
		{ "no ports", 0x300, 1, 0, 1, 2, SWEEP_REFUSED },
		{ "255 ports", 0x300, 2, 255, 1, 2, SWEEP_REFUSED },
		{ "254 ports", 0x300, 2, 254, 1, 3, SWEEP_ANSWERED },
		{ "a LocalPort beyond its ports", 0x300, 2, 4, 5, 2, SWEEP_REFUSED },
		{ "GUID 0", 0, 2, 4, 1, 3, SWEEP_ANSWERED },
		{ "type 0", 0x300, 0, 4, 1, 3, SWEEP_ANSWERED },
		{ "type 9", 0x300, 9, 1, 1, 3, SWEEP_ANSWERED },
		{ "the GUID of this host", 0x100, 1, 1, 1, 3, SWEEP_ANSWERED },
		{ "the GUID of the first switch", 0x200, 2, 8, 1, 3, SWEEP_ANSWERED },
	};
	static void (*const forgers[])(uint8_t * mad, uint16_t attribute) = { forge_attribute, forge_port,
									      forge_status };
	struct sweep_attr attr = usual;
	struct toy toy;
	struct swept w;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		toy = toy_new();
		toy_add(&toy, cases[i].guid, cases[i].type, cases[i].nports);
		toy.nodes[2].local = cases[i].local;
		toy_link(&toy, 2, 1, 1, 2);
		toy_run(&toy, &w, &usual, cases[i].what);
		is_u64(w.counts.nodes, cases[i].nodes, "... nodes");
		is_u64(sweep_node(w.s, 1)->ports[2].far, cases[i].state, "... its link");
		swept_close(&w);
	}
	for (size_t i = 0; i < ARRAY_SIZE(forgers); i++) {
		toy = toy_new();
		toy.forge = forgers[i];
		toy_run(&toy, &w, &usual, "responses to another request");
		/* a response with another attribute is none */
		is_u64(sweep_node(w.s, 0)->ports[1].state,
		       i == 0 ? SWEEP_SILENT :
		       i == 1 ? SWEEP_REFUSED :
				SWEEP_ANSWERED,
		       "... PortInfo");
		is_u64(sweep_node(w.s, 0)->described, i == 2 ? SWEEP_REFUSED : SWEEP_ANSWERED,
		       "... NodeDescription");
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
	ok(w.counts.nodes == 300 && w.counts.missing & SWEEP_FULL, "... as many nodes as are allowed");
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
	ok(w.counts.nodes == MADKIT_HOPS_MAX + 1 && w.counts.missing == SWEEP_FAR,
	   "... beyond the longest route");
	swept_close(&w);
}

/* ---- M_Keys -------------------------------------------------------------------------- */

struct keys {
	uint64_t host, others; /* keys of what is at ports of the switch; of both others */
};

static uint64_t toy_key(void *context, const struct sweep_node *node, unsigned int port)
{
	const struct keys *keys = context;

	if (!node || (node->type == 1 && !port))
		return node && node->guid >= 0x300 ? node->guid : keys->host;
	if (node->type == 2 && port)
		return 0x300 + 0x10 * (port - 2u);
	return keys->others;
}

static void m_keys(void)
{
	struct keys keys = { 0x11, 0x22 };
	struct sweep_attr attr = usual;
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
	ok(w.counts.nodes == 2 && w.counts.missing == SWEEP_WITHHELD, "... the sweep is not complete");
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
	ok(w.counts.nodes == 3 && w.counts.missing == SWEEP_WITHHELD && w.counts.silent == 5,
	   "... three others after it end the sweep");
	swept_close(&w);
}

int main(void)
{
	topologies_are_found();
	is_deterministic();
	sweep_hops();
	from_a_route();
	in_steps();
	sweep_stops();
	silence();
	silent_later();
	losses();
	toy_cables();
	duplicates();
	changes();
	lies();
	m_keys();
	return tap_done();
}
