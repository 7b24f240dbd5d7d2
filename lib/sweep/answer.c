/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include "sweep/answer.h"
#include "sweep/block.h"
#include "sweep/claim.h"
#include "sweep/link.h"
#include "sweep/nodes.h"
#include "sweep/reach.h"
#include "sweep/route.h"
#include "sweep/work.h"
#include "util/array_size.h"
#include "wire/access.h"

enum {
	ANSWER_STRIKES = 2, /* unanswered last tries in a row before a node that has responded is given up */
};

/* ---- what the responses contain ------------------------------------------------------- */

static void answer_state(struct madkit_sweep *s, enum sweep_kind kind, struct sweep_place at,
			 enum madkit_sweep_state state)
{
	struct madkit_sweep_node *n = &s->nodes[at.node]->node;

	if (kind == SWEEP_DESCRIPTION)
		n->described = (uint8_t)state;
	else if (kind == SWEEP_SWITCH)
		n->switched = (uint8_t)state;
	else if (kind == SWEEP_BLOCK && state != MADKIT_SWEEP_ANSWERED)
		block_end(s, at.node, state, NULL);
	else if (kind == SWEEP_ADAPTIVE)
		n->adaptive = (uint8_t)state;
	else if (kind == SWEEP_WIDE)
		n->ports[at.port].wide = (uint8_t)state;
	else if (kind == SWEEP_EXTENDED)
		n->ports[at.port].extended = (uint8_t)state;
	else if (kind == SWEEP_PORT && n->ports[at.port].state != MADKIT_SWEEP_ANSWERED)
		n->ports[at.port].state = (uint8_t)state;
	else if (kind == SWEEP_PROBE && n->ports[at.port].peer == MADKIT_SWEEP_NONE)
		n->ports[at.port].far = (uint8_t)state;
}

static enum madkit_sweep_state answer_optional_state(const struct madkit_sweep_node *n, unsigned int port,
						     enum sweep_kind kind)
{
	return kind == SWEEP_ADAPTIVE ? n->adaptive :
	       kind == SWEEP_WIDE     ? n->ports[port].wide :
					n->ports[port].extended;
}

static int answer_description(struct madkit_sweep *s, struct sweep_place at, const uint8_t *data)
{
	memcpy(s->nodes[at.node]->node.description, data, MADKIT_SWEEP_INFO_BYTES);
	return 0;
}

static int answer_switch(struct madkit_sweep *s, struct sweep_place at, const uint8_t *data)
{
	memcpy(s->nodes[at.node]->node.switch_info, data, MADKIT_SWEEP_INFO_BYTES);
	return 0;
}

/* Requests the attributes on which the speeds of a link depend. */
static void answer_speed(struct madkit_sweep *s, struct sweep_entry *e, struct sweep_place at)
{
	struct madkit_sweep_port *port = &e->node.ports[at.port];
	const unsigned int needs = link_needs(&e->node, at.port);

	port->wide = port->extended = MADKIT_SWEEP_UNKNOWN;
	port->fdr10 = 0;
	/* a sweep of a subnet requests port 0 of each switch anyway */
	if (needs & LINK_NEEDS_BASE && s->attr.link)
		work_add(s, at.node, 0, SWEEP_PORT);
	if (needs & LINK_NEEDS_WIDE)
		work_add(s, at.node, at.port, SWEEP_WIDE);
	if (needs & LINK_NEEDS_EXTENDED)
		work_add(s, at.node, at.port, SWEEP_EXTENDED);
}

/* Port 0 of a switch has the capabilities of all ports, and decides whether a sweep of one link may leave by them. */
static void answer_base(struct madkit_sweep *s, struct sweep_entry *e, struct sweep_place at)
{
	for (at.port = 1; at.port <= e->node.nports; at.port++) {
		struct madkit_sweep_port *port = nodes_port(s, at);

		if (s->attr.link && port->state == MADKIT_SWEEP_ANSWERED &&
		    field_get(MADKIT_PORT_INFO_LINK_STATE, port->info) >= MADKIT_PORT_STATE_INITIALIZE)
			reach_probe(s, at);
		if (!(link_needs(&e->node, at.port) & LINK_NEEDS_WIDE) || port->wide != MADKIT_SWEEP_UNKNOWN)
			continue;
		work_add(s, at.node, at.port, SWEEP_WIDE);
	}
}

static int answer_port(struct madkit_sweep *s, struct sweep_place at, const uint8_t *data)
{
	struct sweep_entry *e = s->nodes[at.node];
	struct madkit_sweep_port *port = &e->node.ports[at.port];

	memcpy(port->info, data, MADKIT_SWEEP_INFO_BYTES);
	if (sweep_is_switch(e) && !at.port) {
		answer_base(s, e, at);
		return 0;
	}
	answer_speed(s, e, at);
	if (field_get(MADKIT_PORT_INFO_LINK_STATE, data) < MADKIT_PORT_STATE_INITIALIZE)
		return claim_down(s, at);
	reach_probe(s, at);
	return 0;
}

static int answer_wide(struct madkit_sweep *s, struct sweep_place at, const uint8_t *data)
{
	if (link_is_extended(data)) {
		memcpy(nodes_port(s, at)->info, data, MADKIT_SWEEP_INFO_BYTES);
		work_delete(s, at.node, at.port, SWEEP_EXTENDED);
	}
	return 0;
}

static int answer_extended(struct madkit_sweep *s, struct sweep_place at, const uint8_t *data)
{
	nodes_port(s, at)->fdr10 = (field_get(MADKIT_MLNX_EXTENDED_PORT_INFO_LINK_SPEED_ACTIVE, data) & 1 ?
					    MADKIT_SWEEP_FDR10_ACTIVE :
					    0) |
				   (field_get(MADKIT_MLNX_EXTENDED_PORT_INFO_LINK_SPEED_ENABLED, data) & 1 ?
					    MADKIT_SWEEP_FDR10_ENABLED :
					    0) |
				   (field_get(MADKIT_MLNX_EXTENDED_PORT_INFO_LINK_SPEED_SUPPORTED, data) & 1 ?
					    MADKIT_SWEEP_FDR10_SUPPORTED :
					    0);
	return 0;
}

static int answer_block(struct madkit_sweep *s, struct sweep_place at, const uint8_t *data)
{
	block_end(s, at.node, MADKIT_SWEEP_ANSWERED, data);
	return 0;
}

static int answer_adaptive(struct madkit_sweep *s, struct sweep_place at, const uint8_t *data)
{
	/* lowest bit of the first word */
	s->nodes[at.node]->adapts = data[3] & 1;
	return 0;
}

/* ---- a node that was given up ---------------------------------------------------------- */

static void answer_repeat_port(struct madkit_sweep *s, struct sweep_entry *e, struct sweep_place at)
{
	const struct madkit_sweep_port *port = &e->node.ports[at.port];

	if (port->state == MADKIT_SWEEP_SILENT) {
		work_add(s, at.node, at.port, SWEEP_PORT);
	} else if (port->state == MADKIT_SWEEP_ANSWERED && at.port &&
		   field_get(MADKIT_PORT_INFO_LINK_STATE, port->info) >= 2) {
		answer_speed(s, e, at);
		reach_probe(s, at);
	}
}

/* Requests are repeated only once: a probe that was deleted when the node was given up counts as silent. */
static void answer_forgo_probe(struct madkit_sweep *s, const struct sweep_entry *e, struct sweep_place at)
{
	const struct sweep_todo *todo = nodes_todo(s, at);
	const struct madkit_sweep_port *port = nodes_port(s, at);

	if (sweep_passes(s, e, at.port) && port->state == MADKIT_SWEEP_ANSWERED &&
	    !nodes_port_is_down(port) && !todo->probed && !todo->beyond)
		answer_state(s, SWEEP_PROBE, at, MADKIT_SWEEP_SILENT);
}

/* A node that was given up has responded with NodeInfo, so it ignores only some requests. Repeats these
 * once. */
static void answer_return(struct madkit_sweep *s, uint32_t node)
{
	struct sweep_entry *e = s->nodes[node];

	e->node.state = MADKIT_SWEEP_ANSWERED;
	e->strikes = 0;
	e->suspect = false;
	e->revived = true;
	if (e->repeated) {
		for (unsigned int port = 0; port <= e->node.nports; port++)
			answer_forgo_probe(s, e, (struct sweep_place){ node, (uint8_t)port });
		return;
	}
	e->repeated = true;
	if (e->node.described == MADKIT_SWEEP_SILENT)
		work_add(s, node, 0, SWEEP_DESCRIPTION);
	if (e->node.switched == MADKIT_SWEEP_SILENT)
		work_add(s, node, 0, SWEEP_SWITCH);
	if (e->node.adaptive == MADKIT_SWEEP_SILENT)
		work_add(s, node, 0, SWEEP_ADAPTIVE);
	for (unsigned int port = 0; port <= e->node.nports; port++)
		answer_repeat_port(s, e, (struct sweep_place){ node, (uint8_t)port });
	block_repeat(s, node);
}

static int answer_claim(struct madkit_sweep *s, struct sweep_place at, const uint8_t *data)
{
	struct sweep_place peer;
	int ret;

	nodes_todo(s, at)->answered = true;
	ret = claim_take(s, at, data);
	peer = nodes_peer(s, at);
	if (!ret && peer.node != MADKIT_SWEEP_NONE && s->nodes[peer.node]->node.state == MADKIT_SWEEP_SILENT)
		answer_return(s, peer.node);
	return ret;
}

static const struct {
	int (*take)(struct madkit_sweep *s, struct sweep_place at, const uint8_t *data);
	bool optional; /* a node may ignore it although it responds to other requests */
} answer_kinds[] = {
	[SWEEP_DESCRIPTION] = { answer_description, false },
	[SWEEP_SWITCH] = { answer_switch, false },
	[SWEEP_PORT] = { answer_port, false },
	[SWEEP_WIDE] = { answer_wide, true },
	[SWEEP_EXTENDED] = { answer_extended, true },
	[SWEEP_BLOCK] = { answer_block, false },
	[SWEEP_ADAPTIVE] = { answer_adaptive, true },
	[SWEEP_PROBE] = { answer_claim, false },
};

/* ---- no response ----------------------------------------------------------------------- */

/* Deletes the pending requests to the node. */
static void answer_give_up(struct madkit_sweep *s, uint32_t node)
{
	struct sweep_entry *e = s->nodes[node];

	for (unsigned int port = 0; port <= e->node.nports; port++) {
		const struct sweep_place at = { node, (uint8_t)port };
		const unsigned int bits = e->todo[port].bits[SWEEP_FIRST] | e->todo[port].bits[SWEEP_LAST];

		for (enum sweep_kind kind = 0; kind <= SWEEP_PROBE; kind++) {
			if (!(bits & SWEEP_BIT(kind)))
				continue;
			work_delete(s, node, port, kind);
			if (kind == SWEEP_PROBE)
				e->todo[port].probed = false;
			/* the nodes behind a silent node are unknown */
			if (kind != SWEEP_PROBE && kind != SWEEP_BLOCK)
				answer_state(s, kind, at, MADKIT_SWEEP_SILENT);
		}
	}
	e->node.state = MADKIT_SWEEP_SILENT;
	while (!list_empty(&e->blocks))
		block_end(s, node, MADKIT_SWEEP_SILENT, NULL);
	/* the cable may have been removed */
	if (node && s->nodes[e->node.parent]->node.ports[e->node.parent_port].peer == node)
		claim_verify(s, (struct sweep_place){ e->node.parent, e->node.parent_port });
}

/* Only the last try remains. A node becomes suspect only in the first phase, not again after it has responded
 * in the last. */
static void answer_silent_first(struct madkit_sweep *s, enum sweep_kind kind, struct sweep_place at)
{
	struct sweep_entry *e = s->nodes[at.node];

	if (kind == SWEEP_PROBE) {
		/* the link may be down by now */
		if (sweep_is_switch(e))
			work_add_phase(s, SWEEP_LAST, at.node, at.port, SWEEP_PORT);
	} else if (answer_kinds[kind].optional) {
		work_defer(s, at.node, SWEEP_BIT(kind));
	} else if (s->phase == SWEEP_FIRST) {
		e->suspect = true;
		work_defer(s, at.node, ~0u);
	}
	work_add_phase(s, SWEEP_LAST, at.node, at.port, kind);
	e->todo[at.port].tried |= (uint8_t)SWEEP_BIT(kind);
}

/* A node that ignores the optional request for one port probably ignores it for all ports, and each would
 * cost a timeout. */
static void answer_skip(struct madkit_sweep *s, uint32_t node, enum sweep_kind kind)
{
	const struct sweep_entry *e = s->nodes[node];
	struct sweep_place at = { node, 0 };

	for (unsigned int port = 0; port <= e->node.nports; port++)
		if (answer_optional_state(&e->node, port, kind) == MADKIT_SWEEP_ANSWERED)
			return;
	for (unsigned int port = 0; port <= e->node.nports; port++) {
		at.port = (uint8_t)port;
		if (!((e->todo[port].bits[SWEEP_FIRST] | e->todo[port].bits[SWEEP_LAST]) & SWEEP_BIT(kind)))
			continue;
		work_delete(s, node, port, kind);
		answer_state(s, kind, at, MADKIT_SWEEP_SILENT);
	}
}

static void answer_silent_last(struct madkit_sweep *s, enum sweep_kind kind, struct sweep_place at)
{
	struct sweep_entry *e = s->nodes[at.node];

	answer_state(s, kind, at, MADKIT_SWEEP_SILENT);
	if (kind == SWEEP_PROBE)
		nodes_todo(s, at)->final = false;
	else if (answer_kinds[kind].optional)
		answer_skip(s, at.node, kind);
	else if ((e->suspect && !e->revived) || ++e->strikes == ANSWER_STRIKES)
		answer_give_up(s, at.node);
	else
		work_arrange(s, e);
}

int answer_silent(struct madkit_sweep *s, bool last, enum sweep_kind kind, struct sweep_place at)
{
	if (!last && s->attr.retries)
		answer_silent_first(s, kind, at);
	else
		answer_silent_last(s, kind, at);
	return 0;
}

/* ---- a result -------------------------------------------------------------------------- */

/* PortInfo of a switch shows the port through which the SMP entered. If it is another one than is known, this
 * may be another node. */
static void answer_check_port(struct madkit_sweep *s, const struct sweep_request *r, const uint8_t *data)
{
	struct sweep_entry *e = s->nodes[r->node];

	if (r->detour || e->verified || !r->node || !sweep_is_switch(e) ||
	    field_get(MADKIT_PORT_INFO_LOCAL_PORT, data) == e->node.number)
		return;
	e->verified = true;
	claim_verify(s, (struct sweep_place){ e->node.parent, e->node.parent_port });
}

/* The node has responded. */
static void answer_revive(struct madkit_sweep *s, const struct sweep_request *r)
{
	struct sweep_entry *e = s->nodes[r->node];
	const struct sweep_place parent = { e->node.parent, e->node.parent_port };

	e->strikes = 0;
	if (r->phase == SWEEP_FIRST)
		return;
	/* the detour works */
	if (r->detour && route_adopt(s, r->node)) {
		e->rerouted = true;
		nodes_todo(s, parent)->lossy = true;
	}
	e->revived = true;
	e->suspect = false;
	work_arrange(s, e);
}

static int answer_start(struct madkit_sweep *s, int result, const uint8_t *data)
{
	int ret = result ? result : claim_start(s, data);

	if (ret == -EPROTO || ret == -EBADMSG)
		s->start = SWEEP_BAD_START;
	return ret == -EPROTO || ret == -EBADMSG || ret == -ETIMEDOUT ? 0 : ret;
}

/* A node that refuses an optional attribute does not support it. A malformed response counts as no
 * response. */
static enum madkit_sweep_state answer_result(enum sweep_kind kind, int result)
{
	if (kind < SWEEP_PROBE && answer_kinds[kind].optional && result == -EBADMSG)
		return MADKIT_SWEEP_SILENT;
	return result ? MADKIT_SWEEP_REFUSED : MADKIT_SWEEP_ANSWERED;
}

int answer_take(struct madkit_sweep *s, const struct sweep_request *r, int result, const uint8_t *data)
{
	const struct sweep_place at = { r->node, r->port };

	if (r->kind == SWEEP_START)
		return answer_start(s, result, data);
	if (r->proof)
		return result && result != -ETIMEDOUT && result != -EPROTO && result != -EBADMSG ?
			       result :
			       claim_prove(s, r->proof, data);
	if (r->kind != SWEEP_PROBE)
		work_done(s, r->node);
	if (r->kind == SWEEP_BLOCK)
		block_return(s, r->block);
	if (result == -ETIMEDOUT)
		return answer_silent(s, r->last, r->kind, at);
	if (result && result != -EPROTO && result != -EBADMSG)
		return result;
	if (r->kind != SWEEP_PROBE)
		answer_revive(s, r);
	answer_state(s, r->kind, at, answer_result(r->kind, result));
	if (result)
		return 0;
	if (r->kind == SWEEP_PORT)
		answer_check_port(s, r, data);
	return answer_kinds[r->kind].take(s, at, data);
}
