/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include "health/forwarding.h"
#include "health/problem.h"
#include "sweep/identity.h"
#include "sweep/nodes.h"
#include "wire/access.h"

enum {
	FORWARDING_BLOCK = 64,
	FORWARDING_NONE = 255, /* entry of a LID without a route */
	FORWARDING_NAMED = 3,  /* switches that a problem names */
};

/* The table of a switch; entries of blocks that were not read are unknown. */
struct health_table {
	uint8_t *ports;
	uint32_t bytes;     /* a multiple of FORWARDING_BLOCK */
	uint8_t *read;      /* of each block */
	uint32_t top;       /* the highest LID with an entry */
	bool known;         /* the node is a switch whose SwitchInfo was read */
	bool hosts;         /* a host is linked to it */
	uint8_t again[256]; /* of any node: LinkState of ports in the second reading; 0: not read */
};

/* How packets to a LID fare from a switch on. */
enum forwarding_fate {
	FORWARDING_NEW,
	FORWARDING_OPEN, /* being followed */
	FORWARDING_ARRIVES,
	FORWARDING_UNKNOWN,
	FORWARDING_LOST,
	FORWARDING_LOOPS,
};

static bool forwarding_is_host(const struct madkit_sweep_node *n)
{
	return n->type != MADKIT_NODE_TYPE_SWITCH && !health_is_aggregation(n);
}

int forwarding_list(struct madkit_health *h)
{
	free(h->tables);
	h->tables = calloc(h->sweep->nnodes + 1u, sizeof(*h->tables));
	if (!h->tables)
		return -ENOMEM;
	for (uint32_t i = 0; i < h->sweep->nnodes; i++) {
		const struct madkit_sweep_node *n = health_node(h, i);
		struct health_table *t = &h->tables[i];

		if (n->type != MADKIT_NODE_TYPE_SWITCH || n->switched != MADKIT_SWEEP_ANSWERED)
			continue;
		t->top = (uint32_t)field_get(MADKIT_SWITCH_INFO_LINEAR_FDB_TOP, n->switch_info);
		t->bytes = (t->top / FORWARDING_BLOCK + 1) * FORWARDING_BLOCK;
		t->ports = malloc(t->bytes);
		t->read = calloc(t->bytes / FORWARDING_BLOCK, 1);
		t->known = t->ports && t->read;
		if (!t->known || health_add_port(h, i, 0))
			return -ENOMEM;
		for (unsigned int port = 1; port <= n->nports; port++)
			t->hosts |= n->ports[port].peer != MADKIT_SWEEP_NONE &&
				    forwarding_is_host(health_node(h, n->ports[port].peer));
	}
	return 0;
}

void forwarding_take(struct madkit_health *h, size_t at, uint32_t block, const uint8_t *data)
{
	struct health_table *t = &h->tables[h->ports[at].node];

	if (block >= t->bytes / FORWARDING_BLOCK)
		return;
	memcpy(t->ports + block * FORWARDING_BLOCK, data, FORWARDING_BLOCK);
	t->read[block] = 1;
}

/* ---- one LID ----------------------------------------------------------------------------- */

/* A LID, and the fates of packets to it at each node. */
struct forwarding {
	struct madkit_health *h;
	uint32_t lid;
	struct sweep_place owner;
	uint8_t *fates;
	uint32_t *path; /* nodes that are being followed */
	/* where packets get lost, or where loops begin */
	uint32_t ends[FORWARDING_NAMED], nends;
};

/* Returns what happens to packets that pass a link: one that is not Active discards them, unless the second reading shows
 * that it is now. An Armed port receives packets, which makes it Active. */
static enum forwarding_fate forwarding_pass(const struct madkit_health *h, struct sweep_place at)
{
	const struct madkit_sweep_port *p = health_port(h, at);
	const uint8_t near = h->tables[at.node].again[at.port], far = h->tables[p->peer].again[p->peer_port];

	if (nodes_link_forwards(h->sweep, at))
		return FORWARDING_OPEN;
	if (!near || !far)
		return FORWARDING_UNKNOWN;
	return near >= MADKIT_PORT_STATE_ACTIVE && far >= MADKIT_PORT_STATE_ARMED ? FORWARDING_OPEN :
										    FORWARDING_LOST;
}

/* Notes the states of the second reading. */
static void forwarding_note_again(struct madkit_health *h)
{
	for (size_t i = 0; h->again && i < h->nports; i++)
		if (h->again_read[i])
			h->tables[h->ports[i].node].again[h->ports[i].port] =
				(uint8_t)field_get(MADKIT_PORT_INFO_LINK_STATE, h->again[i]);
}

/* Returns the next switch on the route, or sets *fate and returns MADKIT_SWEEP_NONE at its end. */
static uint32_t forwarding_next(const struct forwarding *f, uint32_t node, enum forwarding_fate *fate)
{
	const struct madkit_sweep_node *n = health_node(f->h, node);
	const struct health_table *t = &f->h->tables[node];
	const struct madkit_sweep_port *p;
	struct sweep_place peer;
	unsigned int port;

	*fate = FORWARDING_UNKNOWN;
	if (!t->known)
		return MADKIT_SWEEP_NONE;
	if (f->lid > t->top) {
		*fate = FORWARDING_LOST;
		return MADKIT_SWEEP_NONE;
	}
	if (!t->read[f->lid / FORWARDING_BLOCK])
		return MADKIT_SWEEP_NONE;
	port = t->ports[f->lid];
	*fate = FORWARDING_LOST;
	if (port == FORWARDING_NONE || port > n->nports)
		return MADKIT_SWEEP_NONE;
	if (!port) {
		*fate = node == f->owner.node ? FORWARDING_ARRIVES : FORWARDING_LOST;
		return MADKIT_SWEEP_NONE;
	}
	p = &n->ports[port];
	if (p->peer == MADKIT_SWEEP_NONE) {
		/* the port is down, or the node behind it was not read */
		if (!nodes_port_is_down(p))
			*fate = FORWARDING_UNKNOWN;
		return MADKIT_SWEEP_NONE;
	}
	*fate = forwarding_pass(f->h, (struct sweep_place){ node, (uint8_t)port });
	if (*fate != FORWARDING_OPEN)
		return MADKIT_SWEEP_NONE;
	*fate = FORWARDING_LOST;
	if (health_node(f->h, p->peer)->type == MADKIT_NODE_TYPE_SWITCH)
		return p->peer;
	peer = (struct sweep_place){ p->peer, p->peer_port };
	if (nodes_same(f->owner, peer) || identity_is_plane(f->h->sweep, f->owner, peer))
		*fate = FORWARDING_ARRIVES;
	return MADKIT_SWEEP_NONE;
}

/* Notes a switch, once. */
static void forwarding_note_end(struct forwarding *f, uint32_t node)
{
	for (uint32_t i = 0; i < f->nends && i < FORWARDING_NAMED; i++)
		if (f->ends[i] == node)
			return;
	if (f->nends < FORWARDING_NAMED)
		f->ends[f->nends] = node;
	f->nends++;
}

/* Follows packets from a switch, and notes their fate at each switch that they pass. */
static void forwarding_follow(struct forwarding *f, uint32_t node)
{
	enum forwarding_fate fate = FORWARDING_UNKNOWN;
	uint32_t n = 0;

	while (node != MADKIT_SWEEP_NONE) {
		if (f->fates[node] != FORWARDING_NEW) {
			fate = f->fates[node] == FORWARDING_OPEN ? FORWARDING_LOOPS :
								   (enum forwarding_fate)f->fates[node];
			if (f->fates[node] == FORWARDING_OPEN)
				forwarding_note_end(f, node);
			break;
		}
		f->fates[node] = FORWARDING_OPEN;
		f->path[n++] = node;
		node = forwarding_next(f, node, &fate);
		if (node == MADKIT_SWEEP_NONE && fate == FORWARDING_LOST)
			forwarding_note_end(f, f->path[n - 1]);
	}
	while (n)
		f->fates[f->path[--n]] = (uint8_t)fate;
}

/* Adds a problem if packets to the LID do not arrive from switches with hosts. */
static int forwarding_judge_lid(struct forwarding *f)
{
	struct madkit_health *h = f->h;
	uint32_t bad[2] = { 0, 0 }, first = MADKIT_SWEEP_NONE, all = 0;
	struct problem_draft d;

	memset(f->fates, FORWARDING_NEW, h->sweep->nnodes);
	f->nends = 0;
	for (uint32_t i = 0; i < h->sweep->nnodes; i++) {
		if (!h->tables[i].known || !h->tables[i].hosts)
			continue;
		forwarding_follow(f, i);
		all++;
		if (f->fates[i] != FORWARDING_LOST && f->fates[i] != FORWARDING_LOOPS)
			continue;
		bad[f->fates[i] == FORWARDING_LOOPS]++;
		first = first == MADKIT_SWEEP_NONE ? i : first;
	}
	if (first == MADKIT_SWEEP_NONE)
		return 0;
	d = problem_of_port(h, RULE_ROUTE, MADKIT_SEVERITY_CRITICAL, f->owner.node, f->owner.port);
	problem_put_number(d.value, f->lid);
	madkit_buf_printf(&h->text,
			  "packets to LID %s %s from %" PRIu32 " of %" PRIu32
			  " switches with hosts, such as ",
			  d.value, bad[1] ? "loop" : "do not arrive", bad[0] + bad[1], all);
	madkit_sweep_put_place(h->sweep, &h->text, first, -1);
	madkit_buf_str(&h->text, bad[0] ? ": lost at " : ": they return to ");
	for (uint32_t i = 0; i < f->nends && i < FORWARDING_NAMED; i++) {
		madkit_buf_str(&h->text, i ? ", " : "");
		madkit_sweep_put_place(h->sweep, &h->text, f->ends[i], -1);
	}
	if (f->nends > FORWARDING_NAMED)
		madkit_buf_str(&h->text, " and others");
	return problem_add(h, &d);
}

/* ---- all LIDs ---------------------------------------------------------------------------- */

/* Checks if packets should reach an end port by its LIDs. */
static bool forwarding_wants(const struct madkit_health *h, struct sweep_place at)
{
	const struct madkit_sweep_node *n = health_node(h, at.node);
	const struct madkit_sweep_port *p = health_port(h, at);
	uint64_t least = MADKIT_PORT_STATE_INITIALIZE;

	if (p->state != MADKIT_SWEEP_ANSWERED || n->type == MADKIT_NODE_TYPE_SWITCH)
		return p->state == MADKIT_SWEEP_ANSWERED;
	/* packets may use another plane instead */
	for (unsigned int port = 1; port <= n->nports; port++)
		if (port != at.port &&
		    identity_is_plane(h->sweep, (struct sweep_place){ at.node, (uint8_t)port }, at))
			least = MADKIT_PORT_STATE_ACTIVE;
	return field_get(MADKIT_PORT_INFO_LINK_STATE, p->info) >= least;
}

/* Checks if an end port before this one has its LIDs because both are planes of one port. */
static bool forwarding_is_judged(const struct madkit_health *h, struct sweep_place at)
{
	for (uint8_t port = 1; port < at.port; port++) {
		const struct sweep_place other = { at.node, port };

		if (identity_is_plane(h->sweep, other, at) && forwarding_wants(h, other))
			return true;
	}
	return false;
}

static int forwarding_judge_port(struct forwarding *f, struct sweep_place at)
{
	struct madkit_sweep_lids lids;
	const uint32_t before = f->h->nproblems;
	int ret = 0;

	if (!forwarding_wants(f->h, at) || forwarding_is_judged(f->h, at) ||
	    !identity_lids(health_port(f->h, at), &lids))
		return 0;
	if (health_port(f->h, at)->shared & (MADKIT_SWEEP_SHARED_LID | MADKIT_SWEEP_STALE_LID)) {
		problem_leave(f->h, RULE_ROUTE, at.node, at.port, "several ports have its LID");
		return 0;
	}
	f->owner = at;
	/* one problem for all LIDs of a port */
	for (f->lid = lids.first; f->lid <= lids.last && !ret && f->h->nproblems == before; f->lid++)
		ret = forwarding_judge_lid(f);
	return ret;
}

int forwarding_judge(struct madkit_health *h)
{
	struct forwarding f = {
		.h = h,
		.fates = malloc(h->sweep->nnodes + 1u),
		.path = malloc((h->sweep->nnodes + 1u) * sizeof(*f.path)),
	};
	int ret = f.fates && f.path ? 0 : -ENOMEM;

	if (h->tables)
		forwarding_note_again(h);
	for (uint32_t i = 0; i < h->sweep->nnodes && !ret && h->tables; i++) {
		const struct madkit_sweep_node *n = health_node(h, i);
		const unsigned int first = n->type != MADKIT_NODE_TYPE_SWITCH, last = first ? n->nports : 0;

		for (unsigned int port = first; port <= last && !ret; port++)
			ret = forwarding_judge_port(&f, (struct sweep_place){ i, (uint8_t)port });
	}
	free(f.fates);
	free(f.path);
	return ret;
}

void forwarding_free(struct madkit_health *h)
{
	for (uint32_t i = 0; h->tables && i < h->sweep->nnodes; i++) {
		free(h->tables[i].ports);
		free(h->tables[i].read);
	}
	free(h->tables);
}
