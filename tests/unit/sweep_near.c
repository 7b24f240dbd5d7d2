/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Distances: sweeps of random fabrics with slow nodes and losses, against a search of the fabric itself. */
#define RANDOM_SEED UINT64_C(0xd157a)
#include "tests/random.h"
#include "tests/unit/sweep_toy.h"
#include "util/array_size.h"

enum { NEAR_CASES = 400, NEAR_FAR = 255, NEAR_TIMEOUT_MS = 40 };

/* How a fabric responds. */
static struct near_pace {
	int slow[TOY_NODES]; /* milliseconds, of each node that an SMP passes */
	int jitter;
	unsigned int loss; /* in 1000 */
} near_pace;

static uint32_t near_below(uint32_t n)
{
	return (uint32_t)((random64() >> 16) % n);
}

static int near_late(struct toy *toy, const struct madkit_addr *to)
{
	struct toy_end at = { 0, 1 };
	int ms = near_pace.jitter ? (int)near_below((uint32_t)near_pace.jitter + 1) : 0;

	if (near_below(1000) < near_pace.loss)
		return -1;
	for (unsigned int hop = 1; hop <= to->hops && at.node >= 0; hop++) {
		at = toy->nodes[at.node].ends[to->path[hop]];
		ms += at.node >= 0 ? near_pace.slow[at.node] : 0;
	}
	return ms < NEAR_TIMEOUT_MS ? ms : NEAR_TIMEOUT_MS - 1;
}

/* ---- fabrics ------------------------------------------------------------------------- */

static uint8_t near_free_port(const struct toy *toy, int node)
{
	uint8_t ports[TOY_PORTS], n = 0;

	for (uint8_t port = 1; port <= toy->nodes[node].nports; port++)
		if (toy->nodes[node].ends[port].node < 0)
			ports[n++] = port;
	return n ? ports[near_below(n)] : 0;
}

static void near_link(struct toy *toy, int a, int b)
{
	const uint8_t from = near_free_port(toy, a);
	uint8_t to;

	if (!from)
		return;
	toy->nodes[a].ends[from].node = a; /* taken */
	to = near_free_port(toy, b);
	toy->nodes[a].ends[from].node = -1;
	if (to)
		toy_link(toy, a, from, b, to);
}

/* A host with two ports, switches in a tree with further links (loops, parallel and loopback ones), and hosts. */
static struct toy near_fabric(void)
{
	const int switches = 2 + (int)near_below(24), hosts = (int)near_below(12);
	struct toy toy = { .count = 0 };

	toy_add(&toy, 0x1000, 1, 2);
	for (int i = 1; i <= switches; i++) {
		toy_add(&toy, 0x1000 + 0x10 * (uint64_t)i, 2, 4 + (uint8_t)near_below(5));
		if (i > 1)
			near_link(&toy, 1 + (int)near_below((uint32_t)i - 1), i);
		else
			toy_link(&toy, 0, 1, 1, 1);
	}
	for (uint32_t n = near_below(2 * (uint32_t)switches); n; n--)
		near_link(&toy, 1 + (int)near_below((uint32_t)switches),
			  1 + (int)near_below((uint32_t)switches));
	for (int i = 0; i < hosts; i++) {
		const int host = toy_add(&toy, 0x8000 + 0x10 * (uint64_t)i, near_below(8) ? 1 : 3,
					 1 + (uint8_t)near_below(2));

		for (int port = 0; port < toy.nodes[host].nports; port++)
			near_link(&toy, host, 1 + (int)near_below((uint32_t)switches));
	}
	if (near_below(2))
		near_link(&toy, 0, 1 + (int)near_below((uint32_t)switches));
	return toy;
}

static void near_set_pace(const struct toy *toy, unsigned int loss)
{
	near_pace = (struct near_pace){ .jitter = (int)near_below(2) * 5 };
	for (int i = 0; i < toy->count; i++)
		near_pace.slow[i] = near_below(3) ? 0 : (int)near_below(8);
	if (loss)
		near_pace.loss = 5 + near_below(loss);
}

/* The links from a port to each node: of a CA, out of this port, and through no other CA. */
static void near_search(const struct toy *toy, struct toy_end start, uint8_t far[TOY_NODES])
{
	int queue[TOY_NODES], head = 0, tail = 0;

	memset(far, NEAR_FAR, TOY_NODES);
	far[start.node] = 0;
	queue[tail++] = start.node;
	for (; head < tail; head++) {
		const struct toy_node *n = &toy->nodes[queue[head]];

		for (uint8_t port = 1; port <= n->nports; port++) {
			const int next = n->ends[port].node;

			if (next < 0 || far[next] != NEAR_FAR ||
			    (n->type != 2 && (queue[head] != start.node || port != start.port)))
				continue;
			far[next] = far[queue[head]] + 1;
			queue[tail++] = next;
		}
	}
}

/* ---- a sweep against the search ------------------------------------------------------ */

static int near_index(const struct toy *toy, uint64_t guid)
{
	for (int i = 0; i < toy->count; i++)
		if (toy->nodes[i].guid == guid)
			return i;
	return -1;
}

/* Returns true if the missing nodes were counted. */
static bool near_has_gaps(const struct swept *w)
{
	bool gaps = w->counts.missing || w->counts.silent;

	for (uint32_t i = 0; i < w->counts.nodes; i++)
		for (unsigned int port = 0; port <= madkit_sweep_node(w->s, i)->nports; port++)
			gaps |= madkit_sweep_node(w->s, i)->ports[port].state == MADKIT_SWEEP_SILENT;
	return gaps;
}

/* The number of a node's links that are not as in the fabric. */
static unsigned int near_bad_links(const struct toy *toy, const struct swept *w, uint32_t number, int node)
{
	const struct madkit_sweep_node *n = madkit_sweep_node(w->s, number);
	unsigned int bad = 0;

	for (uint8_t port = 1; port <= n->nports; port++) {
		const struct toy_end end = toy->nodes[node].ends[port];
		const uint32_t peer = n->ports[port].peer;

		/* a CA shows only the ports through which it was reached */
		if (end.node < 0 || (n->type != 2 && peer == MADKIT_SWEEP_NONE))
			bad += peer != MADKIT_SWEEP_NONE;
		else
			bad += peer == MADKIT_SWEEP_NONE || n->ports[port].peer_port != end.port ||
			       madkit_sweep_node(w->s, peer)->guid != toy->nodes[end.node].guid ||
			       madkit_sweep_node(w->s, peer)->ports[end.port].state != MADKIT_SWEEP_ANSWERED;
	}
	return bad;
}

static unsigned int near_bad_route(const struct toy *toy, const struct swept *w, uint32_t number, int node)
{
	const unsigned int hops = madkit_sweep_node(w->s, number)->hops;
	struct madkit_addr to;

	/* it may avoid a link that lost SMPs */
	return !madkit_sweep_route(w->s, number, &to) || toy_follow(toy, &to).node != node ||
	       to.hops < hops || (to.hops > hops && !near_pace.loss);
}

/* From every port, by the links that the whole sweep has. */
static unsigned int near_bad_distances(const struct toy *toy, const struct swept *w)
{
	uint8_t hops[TOY_NODES], far[TOY_NODES];
	unsigned int bad = 0;

	for (uint32_t i = 0; i < w->counts.nodes; i++) {
		struct toy_end start = { near_index(toy, madkit_sweep_node(w->s, i)->guid), 1 };

		for (; start.port <= madkit_sweep_node(w->s, i)->nports; start.port++) {
			/* behind a CA, there may be switches that nothing else leads to */
			if (madkit_sweep_node(w->s, i)->ports[start.port].peer == MADKIT_SWEEP_NONE)
				continue;
			near_search(toy, start, far);
			bad += madkit_sweep_distances(w->s, i, start.port, hops) != 0;
			for (uint32_t j = 0; j < w->counts.nodes; j++)
				bad += hops[j] != far[near_index(toy, madkit_sweep_node(w->s, j)->guid)];
		}
	}
	return bad;
}

/* Returns the error of a sweep of this many hops (0: all). *gaps: it is incomplete, and reports that. */
static unsigned int near_compare(const struct toy *toy, const struct swept *w, unsigned int hops, bool *gaps)
{
	uint8_t far[TOY_NODES];
	unsigned int bad = 0, want = 0;

	*gaps = near_has_gaps(w);
	near_search(toy, (struct toy_end){ 0, 1 }, far);
	for (int i = 0; i < toy->count; i++)
		want += far[i] <= (hops ? hops : NEAR_FAR - 1u);
	if (*gaps ? w->counts.nodes > want : w->counts.nodes != want) {
		printf("# %u nodes of %u\n", w->counts.nodes, want);
		bad++;
	}
	for (uint32_t i = 0; i < w->counts.nodes; i++) {
		const struct madkit_sweep_node *n = madkit_sweep_node(w->s, i);
		const int node = near_index(toy, n->guid);

		bad += node < 0 || (hops && far[node] > hops);
		if (*gaps)
			continue;
		bad += n->hops != far[node] || near_bad_route(toy, w, i, node);
		if (!hops || n->hops < hops)
			bad += near_bad_links(toy, w, i, node);
	}
	return bad + (*gaps || hops ? 0 : near_bad_distances(toy, w));
}

/* A random fabric; loss: at most, in 1000. Whether the sweep is as the fabric. */
static bool near_case(unsigned int loss, bool *gaps)
{
	struct madkit_sweep_attr attr = { .timeout_ms = NEAR_TIMEOUT_MS };
	const uint64_t seed = random_state;
	struct toy toy = near_fabric();
	unsigned int wrong;
	struct swept w;

	attr.hops = (uint8_t)near_below(7);
	attr.retries = 1 + near_below(3);
	attr.keep_going = near_below(2);
	near_set_pace(&toy, loss);
	toy.late = near_late;
	wrong = toy_sweep(&toy, &w, &attr) != 1 || !toy_is_consistent(&w);
	wrong += near_compare(&toy, &w, attr.hops, gaps);
	if (wrong)
		printf("# state %#llx, loss %u: %u hops, %u differences\n", (unsigned long long)seed, loss,
		       attr.hops, wrong);
	swept_close(&w);
	return !wrong;
}

static void near_cases(unsigned int cases, unsigned int loss, const char *what)
{
	unsigned int bad = 0, done = 0, incomplete = 0;

	for (unsigned int i = 0; i < cases; i += random_share()) {
		bool gaps;

		bad += !near_case(loss, &gaps);
		incomplete += gaps;
		done++;
	}
	is_u64(bad, 0, "W7: --hops equals a search of the fabric: %s", what);
	ok(incomplete < done && (loss || !incomplete), "... %u of %u incomplete", incomplete, done);
}

/* Cases that failed once. */
static void near_again(void)
{
	static const struct {
		uint64_t state;
		unsigned int loss;
		const char *what;
	} cases[] = {
		{ UINT64_C(0x43ca2cec09955d64), 400,
		  "a node is given up twice, and returns twice: a probe was deleted" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		bool gaps;

		random_state = cases[i].state;
		ok(near_case(cases[i].loss, &gaps), "W7: %s", cases[i].what);
	}
}

/* ---- the longest route --------------------------------------------------------------- */

/* The first responses from the far side of the ring are late: the ring is found from the near side only. */
static int near_late_once(struct toy *toy, const struct madkit_addr *to)
{
	return toy->when++ < 200 && to->hops > 1 && to->path[2] == 3 ? -1 : 0;
}

static void near_ring(void)
{
	struct toy toy = toy_new();
	uint8_t far[TOY_NODES];
	unsigned int bad = 0;
	struct swept w;

	for (int i = 2; i < TOY_NODES; i++) {
		toy_add(&toy, 0x1000 + 0x10 * (uint64_t)i, 2, 2);
		toy_link(&toy, i, 1, i - 1, 2);
	}
	toy_link(&toy, 1, 3, TOY_NODES - 1, 2);
	toy.late = near_late_once;
	toy_run(&toy, &w, &usual, "a ring of 69 switches");
	ok(w.counts.nodes == TOY_NODES && w.counts.links == TOY_NODES && !w.counts.missing,
	   "W7: ... is complete, although a route of 63 hops was found first");
	near_search(&toy, (struct toy_end){ 0, 1 }, far);
	for (uint32_t i = 0; i < w.counts.nodes; i++) {
		struct madkit_addr to;

		bad += !madkit_sweep_route(w.s, i, &to) ||
		       to.hops != far[near_index(&toy, madkit_sweep_node(w.s, i)->guid)];
	}
	is_u64(bad, 0, "... with the shortest routes");
	swept_close(&w);
}

/* Targets beyond the longest route. */
static void near_chain(void)
{
	static const struct {
		const char *from;
		uint8_t hops;
		uint32_t nodes, missing;
	} cases[] = {
		{ "0", 62, 63, 0 },
		{ "0", 63, 64, 0 },
		{ "0", 64, 64, MADKIT_SWEEP_FAR },
		{ "0,1,2,2,2", 59, 64, 0 },
		{ "0,1,2,2,2", 60, 64, MADKIT_SWEEP_FAR },
		{ "0,1,2,2,2", 0, 64, MADKIT_SWEEP_FAR },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct madkit_sweep_attr attr = usual;
		struct toy toy = toy_new();
		struct madkit_addr from = { 0 };
		struct swept w;

		for (int k = 2; k < TOY_NODES; k++) {
			toy_add(&toy, 0x1000 + 0x10 * (uint64_t)k, 2, 2);
			toy_link(&toy, k, 1, k - 1, 2);
		}
		madkit_parse_path(cases[i].from, &from, NULL);
		attr.from = &from;
		attr.hops = cases[i].hops;
		toy_run(&toy, &w, &attr, "a chain of switches");
		is_u64(w.counts.nodes, cases[i].nodes, "... from %s, %u hops", cases[i].from, attr.hops);
		is_u64(w.counts.missing, cases[i].missing, "W7: ... complete, or too far");
		swept_close(&w);
	}
}

int main(int argc, char **argv)
{
	if (argc > 1)
		random_state = strtoull(argv[1], NULL, 0) | 1;
	near_cases(NEAR_CASES, 0, "slow nodes");
	near_cases(NEAR_CASES, 100, "slow nodes, and losses");
	near_cases(NEAR_CASES / 4, 400, "slow nodes, and many losses");
	near_again();
	near_ring();
	near_chain();
	return tap_done();
}
