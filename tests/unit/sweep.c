/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sweeps of simulated fabrics, compared with their topology. */
#include <errno.h>
#include "sweep/link.h"
#include "tests/unit/sweep.h"
#include "topology/generate.h"
#include "util/array_size.h"
#include "wire/access.h"

/* ---- sweeps -------------------------------------------------------------------------- */

static void swept_begin(struct swept *w, const char *spec, const struct madkit_sweep_attr *attr)
{
	struct madkit_error error = { .text = "" };

	if (madkit_port_open(spec, &w->port, &error) || madkit_sweep_new(w->port, attr, &w->s)) {
		printf("Bail out! %s: %s\n", spec, error.text);
		exit(1);
	}
}

static void swept_run(struct swept *w, const char *spec, const struct madkit_sweep_attr *attr)
{
	swept_begin(w, spec, attr);
	is_int(madkit_sweep_step(w->s, UINT64_MAX), 1, "%s is swept", spec);
	swept_count(w);
	swept_print(w);
}

static uint32_t swept_find(const struct swept *w, uint64_t guid)
{
	for (uint32_t i = 0; i < w->counts.nodes; i++)
		if (madkit_sweep_node(w->s, i)->guid == guid)
			return i;
	return MADKIT_SWEEP_NONE;
}

static uint32_t swept_named(const struct swept *w, const char *description)
{
	for (uint32_t i = 0; i < w->counts.nodes; i++)
		if (!strncmp((const char *)madkit_sweep_node(w->s, i)->description, description,
			     MADKIT_SWEEP_INFO_BYTES))
			return i;
	return MADKIT_SWEEP_NONE;
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

/* Returns true if the rates of a linked port are as in the topology. FDR10 is only queried from Mellanox
 * ports at FDR10 or less. */
static bool sweep_rates_fit(const struct link_rates *rates, const struct topology *t,
			    const struct topology_node *node, const struct topology_port *port)
{
	unsigned int speeds = port->speeds, supported = port->speeds_supported;

	if (node->vendor != 0x2c9 || topology_speed(t, port) > TOPOLOGY_FDR10) {
		speeds &= ~(unsigned int)TOPOLOGY_FDR10;
		supported &= ~(unsigned int)TOPOLOGY_FDR10;
	}
	return rates->width == topology_width(t, port) && rates->speed == topology_speed(t, port) &&
	       rates->widths_enabled == port->widths && rates->widths_supported == port->widths_supported &&
	       rates->speeds_enabled == speeds && rates->speeds_supported == supported;
}

/* The number of ports that are not as in the topology. */
static unsigned int sweep_differences(const struct swept *w, const struct topology *t, uint32_t node,
				      const bool *reached)
{
	const struct topology_node *want = &t->nodes[node];
	uint32_t number = swept_find(w, want->guid);
	const struct madkit_sweep_node *got = number == MADKIT_SWEEP_NONE ? NULL :
									    madkit_sweep_node(w->s, number);
	unsigned int bad = 0;

	if (!got || got->type != want->type || got->nports != want->nports || got->vendor != want->vendor ||
	    got->device != want->device || got->system_guid != want->system_guid || got->duplicate ||
	    got->described != MADKIT_SWEEP_ANSWERED || got->state != MADKIT_SWEEP_ANSWERED ||
	    strncmp((const char *)got->description, want->description, MADKIT_SWEEP_INFO_BYTES)) {
		printf("# node %s\n", want->name);
		return 1;
	}
	bad += want->type == TOPOLOGY_SWITCH &&
	       (got->switched != MADKIT_SWEEP_ANSWERED || got->ports[0].state != MADKIT_SWEEP_ANSWERED);
	for (unsigned int p = 1; p <= want->nports; p++) {
		const struct topology_port *port = topology_port(t, node, p);
		const struct madkit_sweep_port *is = &got->ports[p];
		bool linked = port->peer != TOPOLOGY_NONE && reached[port->peer];
		/* of another CA, only ports with a link to a switch in the fabric respond */
		bool answers = want->type == TOPOLOGY_SWITCH || linked;
		struct link_rates rates;

		link_rates_get(got, p, &rates);
		if ((is->state == MADKIT_SWEEP_ANSWERED) != answers ||
		    (is->peer != MADKIT_SWEEP_NONE) != linked ||
		    (linked && (madkit_sweep_node(w->s, is->peer)->guid != t->nodes[port->peer].guid ||
				is->peer_port != port->peer_port || is->far != MADKIT_SWEEP_ANSWERED ||
				!sweep_rates_fit(&rates, t, want, port))) ||
		    (want->type != TOPOLOGY_SWITCH && answers && is->guid != port->guid)) {
			printf("# node %s port %u: state %u, peer %d, far %u, speed %x\n", want->name, p,
			       is->state, (int)is->peer, is->far, rates.speed);
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

	while (t->nodes[node].guid != madkit_sweep_node(w->s, 0)->guid)
		node++;
	if (!madkit_sweep_route(w->s, number, &to) || to.hops != madkit_sweep_node(w->s, number)->hops)
		return false;
	for (unsigned int hop = 1; hop <= to.hops; hop++)
		node = topology_port(t, node, to.path[hop])->peer;
	return t->nodes[node].guid == madkit_sweep_node(w->s, number)->guid;
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
	while (t->nodes[first].guid != madkit_sweep_node(w.s, 0)->guid)
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
	ok(!w.counts.missing && !w.counts.silent, "... complete");
	ok(!w.counts.resent == !strstr(from, "vl15"), "... without resends, unless buffers limit it");
	swept_close(&w);
	free(reached);
	topology_free(t);
}

static void topologies_are_found(void)
{
	against_topology("fat-tree:4,4,2", "");
	against_topology("fat-tree:4,4,2", "@h2-3,sm=none");
	against_topology("fat-tree:2,2,1", ",vl15=1,50");
	against_topology("fat-tree:4,4,2", ",vl15=1,50");
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
	ok(a.counts.nodes == b.counts.nodes && a.counts.links == b.counts.links &&
		   a.counts.silent == b.counts.silent && a.counts.missing == b.counts.missing &&
		   a.counts.sent == b.counts.sent && a.counts.resent == b.counts.resent &&
		   a.counts.ns == b.counts.ns && a.counts.resent,
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
		struct madkit_sweep_attr attr = usual;
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
	struct madkit_sweep_attr attr = usual;
	struct madkit_addr leaf = { 0 };
	struct swept w;

	madkit_parse_path("0,1,5", &leaf, NULL);
	attr.from = &leaf;
	swept_run(&w, "sim:fat-tree:4,4,2@h1-1", &attr);
	is_u64(w.counts.nodes, 22, "from a spine, all nodes");
	is_u64(w.counts.links, 24, "... and links");
	ok(madkit_sweep_node(w.s, 0)->type == 2 && swept_named(&w, "spine1") != 1,
	   "... beginning with the spine");
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
	ok(w.counts.missing == MADKIT_SWEEP_NO_START && !w.counts.nodes, "nothing at the start");
	is_between(w.counts.ns / MS, (RETRIES + 1) * TIMEOUT_MS, (RETRIES + 1) * TIMEOUT_MS + 15,
		   "... after all tries");
	swept_close(&w);
}

static void without_link(void)
{
	static const char spec[] = "sim:fat-tree:4,4,2@h1-1,control=link h1-1 1 down";
	struct madkit_sweep_attr attr = usual;
	struct madkit_addr leaf;
	struct swept w;

	swept_run(&w, spec, &attr);
	ok(w.counts.missing == MADKIT_SWEEP_NO_LINK && w.counts.nodes == 1, "a port without a link");
	is_u64(w.counts.silent, 0, "... with no silent node");
	swept_close(&w);
	madkit_parse_path("0,1", &leaf, NULL);
	attr.from = &leaf;
	swept_run(&w, spec, &attr);
	ok(w.counts.missing == MADKIT_SWEEP_NO_LINK && !w.counts.nodes && !w.counts.sent,
	   "... sends nothing to other nodes");
	swept_close(&w);
	attr = usual;
	attr.sa = true;
	swept_run(&w, spec, &attr);
	ok(w.counts.missing == MADKIT_SWEEP_NO_LINK && !w.counts.sent, "... nor to the SA");
	swept_close(&w);
}

static void in_steps(void)
{
	struct swept w, whole;
	struct madkit_port_counters sent;
	unsigned int steps = 0, late = 0, wrong = 0;
	int ret;

	swept_run(&whole, "sim:fat-tree:4,4,2", &usual);
	swept_begin(&w, "sim:fat-tree:4,4,2", &usual);
	is_int(madkit_sweep_step(w.s, 0), 0, "a step in the past does not wait");
	swept_count(&w);
	ok(w.counts.missing == MADKIT_SWEEP_UNFINISHED && !w.counts.nodes, "... and finds nothing yet");
	do {
		uint64_t until = madkit_port_now(w.port) + MS / 10;

		ret = madkit_sweep_step(w.s, until);
		late += madkit_port_now(w.port) > until + MS;
		swept_count(&w);
		madkit_port_get_counters(w.port, &sent);
		wrong += w.counts.sent != sent.sent;
		steps++;
	} while (!ret);
	swept_count(&w);
	ok(ret == 1 && steps > 1, "in steps of 0.1 ms");
	is_u64(late, 0, "... that end in time");
	is_u64(wrong, 0, "... whose SMPs are counted, with those that are outstanding");
	is_u64(w.counts.nodes, whole.counts.nodes, "... the same nodes");
	is_u64(w.counts.sent, whole.counts.sent, "... and SMPs");
	is_int(madkit_sweep_step(w.s, UINT64_MAX), 1, "a sweep that has ended does nothing more");
	swept_close(&w);
	swept_close(&whole);
	swept_begin(&w, "sim:fat-tree:4,4,2", &usual);
	madkit_sweep_step(w.s, 0);
	swept_close(&w);
	ok(true, "a sweep is freed half-way");
}

static bool sweep_stopped(void *context)
{
	int *calls = context;

	return ++*calls > 20;
}

static void sweep_stops(void)
{
	int calls = -1000000; /* opening the port looks, too */
	const struct madkit_limit limit = { .deadline_ns = UINT64_MAX,
					    .stopped = sweep_stopped,
					    .context = &calls };
	struct swept w;

	if (madkit_port_open_limited("sim:fat-tree:4,4,2", &limit, &w.port, NULL) ||
	    madkit_sweep_new(w.port, &usual, &w.s))
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

/* ---- silent nodes -------------------------------------------------------------------- */

static uint64_t sweep_ms(const char *spec, const struct madkit_sweep_attr *attr, struct swept *w)
{
	swept_run(w, spec, attr);
	return w->counts.ns / MS;
}

static void silence(void)
{
	const struct madkit_sweep_attr keep_going = { .timeout_ms = TIMEOUT_MS,
						      .retries = RETRIES,
						      .keep_going = true };
	struct swept w;
	uint64_t ms;

	ms = sweep_ms("sim:fat-tree:4,4,2@h1-1,control=agent h3-2 mute smi", &usual, &w);
	is_between(ms, 3 * TIMEOUT_MS, 3 * TIMEOUT_MS + 100, "a mute host costs all tries, once");
	ok(w.counts.nodes == 21 && w.counts.links == 23 && w.counts.silent == 1 && !w.counts.missing,
	   "... and is the only one that is missing");
	ok(madkit_sweep_node(w.s, swept_named(&w, "leaf3"))->ports[2].far == MADKIT_SWEEP_SILENT,
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

/* Each silent SMP occupies one of 8 places for 4 ms, and the only one of the last phase. */
static void many_are_silent(void)
{
	const struct madkit_sweep_attr keep_going = { .timeout_ms = TIMEOUT_MS,
						      .retries = RETRIES,
						      .keep_going = true };
	char spec[4096] = "sim:fat-tree:12,12,2@h1-1";
	const unsigned int count = 60;
	struct swept w;
	uint64_t ms;

	for (unsigned int i = 0; i < count; i++) {
		size_t len = strlen(spec);

		snprintf(spec + len, sizeof(spec) - len, ",control=agent h%u-%u mute smi", 2 + i % 11,
			 1 + i / 11);
	}
	ms = sweep_ms(spec, &keep_going, &w);
	is_between(ms, 3 * TIMEOUT_MS, 3 * TIMEOUT_MS + count * 10 / 8 + count * 10 / 2 + 100,
		   "60 mute hosts cost all tries, once");
	ok(w.counts.silent == count && w.counts.nodes == 144 + 14 - count &&
		   w.counts.resent == RETRIES * count,
	   "... and nothing else is resent");
	swept_close(&w);
}

/* A switch with an SMA that responds only to the first requests: all later packets with PortInfo are lost. */
static void silent_later(void)
{
	struct swept w;
	uint64_t ms;
	const struct madkit_sweep_node *leaf;

	ms = sweep_ms("sim:fat-tree:2,60,2@h1-1,fault=drop node=leaf2 attribute=PortInfo", &usual, &w);
	is_between(ms, 6 * TIMEOUT_MS, 6 * TIMEOUT_MS + 200,
		   "a switch with 62 ports that is silent to PortInfo costs two");
	leaf = madkit_sweep_node(w.s, swept_named(&w, "leaf2"));
	ok(leaf->state == MADKIT_SWEEP_ANSWERED && leaf->ports[3].state == MADKIT_SWEEP_SILENT &&
		   leaf->described == MADKIT_SWEEP_ANSWERED,
	   "... and is found");
	is_u64(leaf->ports[3].far, MADKIT_SWEEP_UNKNOWN, "... what is behind it is unknown");
	is_u64(w.counts.nodes, 2 + 60 + 2, "... and the others are known");
	swept_close(&w);
}

static void losses(void)
{
	struct madkit_sweep_attr attr = { .timeout_ms = TIMEOUT_MS, .retries = 4 };
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
	ok(w.counts.nodes == 108 && w.counts.links == 128 && !w.counts.resent,
	   "small VL15 buffers do not overflow");
	swept_close(&w);
}

/* All tries of one request are lost, but the node responds to others. */
static void some_are_lost(void)
{
	static const struct {
		const char *node, *attribute;
	} kinds[] = { { "h2-1", "NodeDescription" }, { "h2-1", "PortInfo" }, { "leaf2", "SwitchInfo" } };
	char spec[256];
	struct swept w;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		for (int always = 0; always < 2; always++) {
			const struct madkit_sweep_node *n;

			snprintf(spec, sizeof(spec),
				 "sim:fat-tree:2,2,1@h1-1,fault=drop node=%s method=GetResp attribute=%s%s",
				 kinds[i].node, kinds[i].attribute, always ? "" : " nth=1+3");
			swept_run(&w, spec, &usual);
			ok(w.counts.nodes == 7 && w.counts.links == 6 && !w.counts.silent &&
				   !w.counts.missing,
			   "... and no node is silent");
			n = madkit_sweep_node(w.s, swept_find(&w, i < 2 ? 0x100004 : 0x200002));
			is_int(i == 0 ? n->described :
			       i == 1 ? n->ports[1].state :
					n->switched,
			       always ? MADKIT_SWEEP_SILENT : MADKIT_SWEEP_ANSWERED,
			       "... the request is repeated: %s", kinds[i].attribute);
			swept_close(&w);
		}
	}
}

int main(void)
{
	topologies_are_found();
	is_deterministic();
	sweep_hops();
	from_a_route();
	without_link();
	in_steps();
	sweep_stops();
	silence();
	many_are_silent();
	silent_later();
	losses();
	some_are_lost();
	return tap_done();
}
