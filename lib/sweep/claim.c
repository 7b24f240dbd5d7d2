/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include "sweep/claim.h"
#include "sweep/nodes.h"
#include "sweep/proof.h"
#include "sweep/route.h"
#include "sweep/work.h"
#include "util/array.h"
#include "wire/access.h"

enum {
	CLAIM_DISPUTES = 5, /* maximum per port */
	CLAIM_PROOFS = 3,   /* maximum per port that show another node behind it */
};

enum claim_fit {
	CLAIM_CONTRADICTS,
	CLAIM_DOWN, /* The port was down when it was read: the link has changed, or this is another node. */
	/* A node with the same GUID as the claimant has claimed the port itself. Both are probably one node:
	 * if its neighbours became duplicates as well, the whole fabric would be found again. */
	CLAIM_SHADOW,
	CLAIM_TAKEN, /* by a port that has not claimed it itself, or that a later probe did not confirm */
	CLAIM_FREE,
	CLAIM_KNOWN,
};

/* ---- a new node ---------------------------------------------------------------------- */

static bool claim_is_valid(const uint8_t *info, bool start)
{
	unsigned int nports = (unsigned int)field_get(MADKIT_NODE_INFO_NUM_PORTS, info);
	unsigned int port = (unsigned int)field_get(MADKIT_NODE_INFO_LOCAL_PORT, info);
	bool own_switch = start && field_get(MADKIT_NODE_INFO_NODE_TYPE, info) == 2;

	return nports && nports < 255 && port <= nports && (port || own_switch);
}

static void claim_request_port(struct madkit_sweep *s, struct sweep_place at, const uint8_t *info)
{
	nodes_port(s, at)->guid = field_get(MADKIT_NODE_INFO_PORT_GUID, info);
	/* a node that was given up is queried when it returns */
	if (s->nodes[at.node]->node.state == MADKIT_SWEEP_SILENT)
		nodes_port(s, at)->state = MADKIT_SWEEP_SILENT;
	else
		work_add(s, at.node, at.port, SWEEP_PORT);
}

/* Requests the attributes of a new node. */
static void claim_request_node(struct madkit_sweep *s, uint32_t node, const uint8_t *info)
{
	const struct sweep_entry *e = s->nodes[node];
	const bool is_switch = sweep_is_switch(e);

	if (!s->attr.link || !(s->attr.nameless || (!node && s->seeded)))
		work_add(s, node, 0, SWEEP_DESCRIPTION);
	if (is_switch && !s->attr.link)
		work_add(s, node, 0, SWEEP_SWITCH);
	/* of one link: port 0 of the first node, a switch, says if requests may pass it without an M_Key */
	if (!is_switch || !s->attr.link || !node)
		claim_request_port(s, (struct sweep_place){ node, is_switch ? 0 : e->node.number }, info);
	for (unsigned int port = 1; is_switch && port <= e->node.nports; port++)
		if (sweep_has_link(s, e, port))
			work_add(s, node, port, SWEEP_PORT);
}

int claim_start(struct madkit_sweep *s, const uint8_t *info)
{
	uint32_t node;
	int ret = claim_is_valid(info, true) ? nodes_add(s, info, MADKIT_SWEEP_NONE, 0, &node) : -EBADMSG;

	if (ret)
		return ret;
	claim_request_node(s, node, info);
	return 0;
}

/* ---- disputes ------------------------------------------------------------------------ */

void claim_verify(struct madkit_sweep *s, struct sweep_place at)
{
	const struct sweep_entry *e = s->nodes[at.node];

	if (!sweep_passes(s, e, at.port))
		return;
	nodes_todo(s, at)->probed = false;
	nodes_todo(s, at)->stale = true;
	work_add(s, at.node, at.port, SWEEP_PORT);
}

/* The node behind the port remains unknown, unless it claims the port itself. */
static void claim_refuse(struct madkit_sweep *s, struct sweep_place at)
{
	if (nodes_port(s, at)->peer == MADKIT_SWEEP_NONE)
		nodes_port(s, at)->far = MADKIT_SWEEP_REFUSED;
}

static int claim_dispute(struct madkit_sweep *s, struct sweep_place at)
{
	struct sweep_todo *todo = nodes_todo(s, at);

	if (!sweep_passes(s, s->nodes[at.node], at.port))
		return 0;
	if (todo->disputes == CLAIM_DISPUTES) {
		claim_refuse(s, at);
		return 0;
	}
	if (array_room(&s->disputes, &s->disputes_cap, s->ndisputes, 1, sizeof(*s->disputes)))
		return -ENOMEM;
	todo->disputes++;
	s->disputes[s->ndisputes++] = at;
	return 0;
}

bool claim_settle(struct madkit_sweep *s)
{
	const uint32_t count = s->ndisputes;

	for (uint32_t i = 0; i < count; i++) {
		nodes_todo(s, s->disputes[i])->final = true;
		claim_verify(s, s->disputes[i]);
	}
	s->ndisputes = 0;
	return count;
}

static bool claim_is_parent(const struct madkit_sweep *s, struct sweep_place child, struct sweep_place parent)
{
	const struct madkit_sweep_node *n = &s->nodes[child.node]->node;

	return child.node && n->parent == parent.node && n->parent_port == parent.port;
}

/* Separates a port from its peer. A node that loses the link to its parent gets another parent. Returns the
 * peer. */
static struct sweep_place claim_part(struct madkit_sweep *s, struct sweep_place at)
{
	const struct sweep_place peer = nodes_part(s, at);

	if (claim_is_parent(s, peer, at))
		route_adopt(s, peer.node);
	if (claim_is_parent(s, at, peer))
		route_adopt(s, at.node);
	return peer;
}

int claim_down(struct madkit_sweep *s, struct sweep_place at)
{
	struct madkit_sweep_port *port = nodes_port(s, at);
	struct sweep_todo *todo = nodes_todo(s, at);
	struct sweep_place peer;

	work_delete(s, at.node, at.port, SWEEP_PROBE);
	todo->final = false;
	todo->beyond = false;
	if (todo->proven) {
		/* a proof has shown the link up since this port was down: keep it */
		todo->proven = false;
		return 0;
	}
	port->far = MADKIT_SWEEP_UNKNOWN;
	if (port->peer == MADKIT_SWEEP_NONE)
		return 0;
	peer = claim_part(s, at);
	/* a flapping link is not a contradiction */
	return nodes_todo(s, peer)->disputes < CLAIM_DISPUTES ? claim_dispute(s, peer) : 0;
}

/* ---- claims -------------------------------------------------------------------------- */

/* Checks if a probe through the port has confirmed its link since it was last verified. */
static bool claim_is_confirmed(const struct madkit_sweep *s, struct sweep_place at)
{
	return sweep_passes(s, s->nodes[at.node], at.port) && !nodes_todo(s, at)->stale;
}

/* Returns how well a known node with the GUID matches NodeInfo from behind the port at. final: the
 * contradicting ports have been verified. */
static enum claim_fit claim_compare(const struct madkit_sweep *s, struct sweep_place at, const uint8_t *info,
				    uint32_t node, bool final)
{
	const struct madkit_sweep_node *n = &s->nodes[node]->node;
	const struct sweep_place far = { node, (uint8_t)field_get(MADKIT_NODE_INFO_LOCAL_PORT, info) };
	struct sweep_place peer;

	if (n->type != field_get(MADKIT_NODE_INFO_NODE_TYPE, info) ||
	    n->nports != field_get(MADKIT_NODE_INFO_NUM_PORTS, info))
		return CLAIM_CONTRADICTS;
	peer = nodes_peer(s, far);
	if (peer.node == MADKIT_SWEEP_NONE)
		return sweep_is_switch(s->nodes[node]) && nodes_port_is_down(nodes_port(s, far)) &&
				       proof_is_possible(s, node) ?
			       CLAIM_DOWN :
			       CLAIM_FREE;
	if (nodes_same(peer, at))
		return CLAIM_KNOWN;
	if (peer.port != at.port || s->nodes[peer.node]->node.guid != s->nodes[at.node]->node.guid)
		return !final || claim_is_confirmed(s, peer) || claim_is_confirmed(s, far) ?
			       CLAIM_CONTRADICTS :
			       CLAIM_TAKEN;
	return nodes_todo(s, peer)->own ? CLAIM_SHADOW : CLAIM_TAKEN;
}

/* Finds the node that matches best, and among equals the oldest. Returns the number of nodes with the
 * GUID. */
static unsigned int claim_find(const struct madkit_sweep *s, struct sweep_place at, const uint8_t *info,
			       bool final, uint32_t *best, enum claim_fit *fit)
{
	uint64_t guid = field_get(MADKIT_NODE_INFO_GUID, info);
	unsigned int count = 0;
	size_t step = 0;
	uint32_t node;

	*fit = CLAIM_CONTRADICTS;
	*best = MADKIT_SWEEP_NONE;
	while (nodes_next(s, guid, &step, &node)) {
		enum claim_fit found = claim_compare(s, at, info, node, final);

		count++;
		if (found > *fit || (found == *fit && node < *best)) {
			*fit = found;
			*best = node;
		}
	}
	return count;
}

/* Verifies the ports that contradict a claim: those of the nodes with the GUID, and their peers. */
static int claim_question(struct madkit_sweep *s, struct sweep_place at, const uint8_t *info)
{
	uint64_t guid = field_get(MADKIT_NODE_INFO_GUID, info);
	const bool again = nodes_todo(s, at)->disputes < CLAIM_DISPUTES;
	size_t step = 0;
	uint32_t node;

	while (again && nodes_next(s, guid, &step, &node)) {
		struct sweep_place far = { node, (uint8_t)field_get(MADKIT_NODE_INFO_LOCAL_PORT, info) },
				   peer;

		if (far.port > s->nodes[node]->node.nports)
			continue;
		peer = nodes_peer(s, far);
		claim_verify(s, far);
		if (peer.node != MADKIT_SWEEP_NONE && !nodes_same(peer, at))
			claim_verify(s, peer);
	}
	return claim_dispute(s, at);
}

/* Finds the next node, in the order of numbers, for which claim_compare() returns CLAIM_DOWN. */
static bool claim_next_down(const struct madkit_sweep *s, struct sweep_place at, const uint8_t *info,
			    uint32_t after, uint32_t *next)
{
	uint64_t guid = field_get(MADKIT_NODE_INFO_GUID, info);
	size_t step = 0;
	uint32_t node;

	*next = MADKIT_SWEEP_NONE;
	while (nodes_next(s, guid, &step, &node))
		if (node > after && node < *next && claim_compare(s, at, info, node, true) == CLAIM_DOWN)
			*next = node;
	return *next != MADKIT_SWEEP_NONE;
}

/* Adds a node and links it. duplicate: another node has its GUID. */
static int claim_add(struct madkit_sweep *s, struct sweep_place at, const uint8_t *info, bool duplicate)
{
	uint32_t node;
	int ret = nodes_add(s, info, at.node, at.port, &node);

	if (ret == -E2BIG) {
		s->missing |= MADKIT_SWEEP_FULL;
		return 0;
	}
	if (ret)
		return ret;
	nodes_join(s, at, (struct sweep_place){ node, s->nodes[node]->node.number });
	nodes_todo(s, at)->own = true;
	if (duplicate)
		nodes_mark(s, s->nodes[node]->node.guid);
	claim_request_node(s, node, info);
	return 0;
}

/* Makes a port the parent of a node that has no route, if that gives it one. */
static void claim_move(struct madkit_sweep *s, struct sweep_place at, struct sweep_place far)
{
	struct madkit_sweep_node *n = &s->nodes[far.node]->node;
	const struct sweep_place parent = { n->parent, n->parent_port };
	const uint8_t number = n->number;
	struct madkit_addr to;

	if (!far.node || route_to_node(s, far.node, 0, &to))
		return;
	n->parent = at.node;
	n->parent_port = at.port;
	n->number = far.port;
	if (route_to_node(s, far.node, 0, &to)) {
		n->hops = nodes_behind(&s->nodes[at.node]->node);
		return;
	}
	n->parent = parent.node;
	n->parent_port = parent.port;
	n->number = number;
}

/* Links the port to a known node. */
static void claim_join(struct madkit_sweep *s, struct sweep_place at, const uint8_t *info, uint32_t node)
{
	const struct sweep_place far = { node, (uint8_t)field_get(MADKIT_NODE_INFO_LOCAL_PORT, info) };

	nodes_join(s, at, far);
	nodes_todo(s, at)->own = true;
	claim_move(s, at, far);
	if (!sweep_is_switch(s->nodes[node]) && nodes_port(s, far)->state == MADKIT_SWEEP_UNKNOWN)
		claim_request_port(s, far, info);
}

/* Unlinks a port from another peer: the later claim is valid, unless the link leads to the parent of the
 * port's node. Returns 1 if the port may be linked, 0 if not, or -ENOMEM. */
static int claim_release(struct madkit_sweep *s, struct sweep_place at)
{
	const struct sweep_place peer = nodes_peer(s, at);
	int ret;

	if (peer.node == MADKIT_SWEEP_NONE)
		return 1;
	if (claim_is_parent(s, at, peer))
		return 0;
	ret = claim_dispute(s, claim_part(s, at));
	return ret ? ret : 1;
}

static int claim_accept(struct madkit_sweep *s, struct sweep_place at, const uint8_t *info, uint32_t node,
			enum claim_fit fit, unsigned int count)
{
	struct sweep_place far = { node, (uint8_t)field_get(MADKIT_NODE_INFO_LOCAL_PORT, info) };
	int ret = claim_release(s, at);

	if (ret <= 0)
		return ret;
	if (fit == CLAIM_CONTRADICTS)
		return claim_add(s, at, info, count);
	/* claim_release() has unlinked it if the port claims to be linked to itself */
	if (fit == CLAIM_TAKEN && nodes_port(s, far)->peer != MADKIT_SWEEP_NONE)
		ret = claim_dispute(s, claim_part(s, far));
	if (ret < 0)
		return ret;
	claim_join(s, at, info, node);
	return 0;
}

int claim_take(struct madkit_sweep *s, struct sweep_place at, const uint8_t *info)
{
	struct sweep_todo *todo = nodes_todo(s, at);
	const bool final = todo->final;
	enum claim_fit fit;
	unsigned int count;
	uint32_t node;

	todo->final = false;
	todo->stale = false;
	if (!claim_is_valid(info, false)) {
		claim_refuse(s, at);
		return 0;
	}
	count = claim_find(s, at, info, final, &node, &fit);
	if (fit == CLAIM_KNOWN) {
		todo->own = true;
		return 0;
	}
	if (count && fit <= CLAIM_SHADOW && !final)
		return claim_question(s, at, info);
	if (fit == CLAIM_SHADOW) {
		claim_refuse(s, at);
		return 0;
	}
	if (fit == CLAIM_DOWN) {
		if (todo->refuted < CLAIM_PROOFS)
			return proof_begin(s, at, info, node);
		fit = CLAIM_CONTRADICTS;
	}
	if (count >= MADKIT_SWEEP_DUPLICATES_MAX && fit == CLAIM_CONTRADICTS) {
		claim_refuse(s, at);
		s->missing |= MADKIT_SWEEP_FULL;
		return 0;
	}
	return claim_accept(s, at, info, node, fit, count);
}

/* Links the port to the node, although the port of the node was down when it was read. */
static int claim_prove_same(struct madkit_sweep *s, const struct sweep_proof *proof)
{
	const struct sweep_place far = { proof->node,
					 (uint8_t)field_get(MADKIT_NODE_INFO_LOCAL_PORT, proof->info) };
	const enum claim_fit fit = claim_compare(s, proof->at, proof->info, proof->node, true);
	int ret;

	if (fit != CLAIM_DOWN && fit != CLAIM_FREE)
		return claim_question(s, proof->at, proof->info);
	ret = claim_release(s, proof->at);
	if (ret <= 0)
		return ret;
	claim_join(s, proof->at, proof->info, proof->node);
	nodes_todo(s, far)->proven = true;
	work_add(s, far.node, far.port, SWEEP_PORT);
	return 0;
}

int claim_prove(struct madkit_sweep *s, struct sweep_proof *proof, const uint8_t *data)
{
	const enum proof_verdict verdict = proof_judge(s, proof, data);
	int ret = 0;

	if (verdict == PROOF_OPEN)
		return 0;
	if (claim_compare(s, proof->at, proof->info, proof->node, true) == CLAIM_KNOWN)
		; /* meanwhile linked by a probe from the other end */
	else if (verdict == PROOF_SAME)
		ret = claim_prove_same(s, proof);
	else if (verdict == PROOF_OTHER &&
		 claim_next_down(s, proof->at, proof->info, proof->node, &proof->node))
		ret = proof_begin(s, proof->at, proof->info, proof->node);
	else {
		nodes_todo(s, proof->at)->refuted += verdict == PROOF_OTHER;
		ret = claim_question(s, proof->at, proof->info);
	}
	proof_end(proof);
	return ret;
}
