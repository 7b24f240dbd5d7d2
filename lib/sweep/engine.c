/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Runs a sweep: posts its requests, waits for them, and takes the results. */
#include <errno.h>
#include <stdlib.h>
#include "agent/agent.h"
#include "sweep/admin.h"
#include "sweep/answer.h"
#include "sweep/block.h"
#include "sweep/claim.h"
#include "sweep/contact.h"
#include "sweep/identity.h"
#include "sweep/nodes.h"
#include "sweep/proof.h"
#include "sweep/reach.h"
#include "sweep/ask.h"
#include "sweep/work.h"

enum { ENGINE_LINK_UP = 5 }; /* PortPhysicalState */

/* ---- posting --------------------------------------------------------------------------- */

static int engine_post(struct madkit_sweep *s, enum sweep_kind kind, struct sweep_place at)
{
	struct sweep_request *r;
	int ret = ask_post(s, s->phase, kind, at, &r);

	if (ret == -ENOENT) {
		if (kind != SWEEP_PROBE)
			work_done(s, at.node);
		return answer_silent(s, s->phase == SWEEP_LAST, kind, at);
	}
	if (ret)
		return ret;
	if (kind == SWEEP_PROBE && !nodes_todo(s, at)->answered)
		contact_begin(s, r);
	return 0;
}

static int engine_post_proof(struct madkit_sweep *s, struct sweep_proof *proof)
{
	int ret = ask_post_proof(s, proof);

	return ret == -ENOENT ? claim_prove(s, proof, NULL) : ret;
}

static bool engine_may_probe(const struct madkit_sweep *s)
{
	return work_left(s, s->phase, SWEEP_THROUGH) &&
	       (s->phase == SWEEP_LAST || !contact_blocked(s, madkit_port_now(s->port)));
}

/* Takes the next request. Probes come first, because they find nodes that can be queried in parallel; in the
 * last phase, requests to nodes come first. */
static bool engine_take(struct madkit_sweep *s, struct sweep_place *at, enum sweep_kind *kind)
{
	enum sweep_way way = SWEEP_TO;

	if (s->phase == SWEEP_FIRST ? engine_may_probe(s) : !work_left(s, SWEEP_LAST, SWEEP_TO))
		way = SWEEP_THROUGH;
	return work_take(s, s->phase, way, at, kind);
}

static size_t engine_outstanding(const struct madkit_sweep *s)
{
	return madkit_dispatcher_outstanding(s->dispatcher);
}

static bool engine_has_room(const struct madkit_sweep *s)
{
	return madkit_dispatcher_has_room(s->dispatcher, MADKIT_CLASS_SUBN_DR);
}

/* Checks if the first phase has something to send. */
static bool engine_has_first(const struct madkit_sweep *s)
{
	return work_left(s, SWEEP_FIRST, SWEEP_TO) || !list_empty(&s->proofs) ||
	       (work_left(s, SWEEP_FIRST, SWEEP_THROUGH) && !contact_blocked(s, madkit_port_now(s->port)));
}

/* Checks if the last phase must end because its responses have made other requests possible. The remaining
 * requests to nodes are sent first, because each change of phase may cost a timeout. */
static bool engine_drains(const struct madkit_sweep *s)
{
	return s->phase == SWEEP_LAST && !work_left(s, SWEEP_LAST, SWEEP_TO) && engine_has_first(s);
}

/* Chooses the phase when nothing is outstanding. Returns 1; 0 if nothing is left to do; or -ENOMEM. */
static int engine_choose_phase(struct madkit_sweep *s)
{
	int more = 1;

	if (!s->nnodes) {
		const uint8_t tries = s->attr.retries ? 2 : 1;

		s->phase = s->start ? SWEEP_LAST : SWEEP_FIRST;
		return s->start < tries;
	}
	while (more > 0) {
		s->phase = SWEEP_FIRST;
		if (engine_has_first(s) || claim_settle(s))
			break;
		s->phase = SWEEP_LAST;
		if (work_left(s, SWEEP_LAST, SWEEP_TO) || work_left(s, SWEEP_LAST, SWEEP_THROUGH))
			break;
		more = reach_extend(s);
	}
	return more;
}

static int engine_next_phase(struct madkit_sweep *s)
{
	const int more = engine_choose_phase(s);

	madkit_dispatcher_last_tries(s->dispatcher, s->phase == SWEEP_LAST);
	return more;
}

static int engine_start(struct madkit_sweep *s)
{
	struct sweep_request *r;

	s->start++;
	return ask_post(s, s->phase, SWEEP_START, (struct sweep_place){ MADKIT_SWEEP_NONE, 0 }, &r);
}

static void engine_end(struct madkit_sweep *s)
{
	s->ended = true;
	s->ended_ns = madkit_port_now(s->port);
	if (!s->nnodes)
		s->missing |= s->start == SWEEP_BAD_START ? MADKIT_SWEEP_BAD_START : MADKIT_SWEEP_NO_START;
	else if (work_left(s, SWEEP_FIRST, SWEEP_THROUGH))
		s->missing |= MADKIT_SWEEP_WITHHELD;
}

/* Fills the window. Requests of the two phases are never outstanding together. */
static int engine_fill(struct madkit_sweep *s)
{
	struct sweep_proof *proof;
	struct sweep_place at;
	enum sweep_kind kind;
	int ret = 0, more = 1;

	while (!ret && !s->ended) {
		if (!engine_outstanding(s))
			more = engine_next_phase(s);
		if (more < 0) {
			ret = more;
		} else if (!more) {
			engine_end(s);
		} else if (!s->nnodes) {
			if (engine_outstanding(s))
				break;
			ret = engine_start(s);
		} else if (engine_drains(s) || !engine_has_room(s)) {
			break;
		} else if (s->phase == SWEEP_FIRST && (proof = proof_take(s))) {
			ret = engine_post_proof(s, proof);
		} else if (engine_take(s, &at, &kind)) {
			ret = engine_post(s, kind, at);
		} else if (engine_outstanding(s)) {
			break;
		}
	}
	return ret;
}

/* ---- results --------------------------------------------------------------------------- */

/* Counts a mismatched response, which is otherwise ignored, and keeps the difference found in the first
 * one. */
static void engine_mismatch(struct madkit_sweep *s, const struct sweep_request *r)
{
	const struct madkit_send *send = r->job.send;
	const struct madkit_recv *recv = r->job.reply.recv;
	const bool behind = r->kind == SWEEP_START || r->kind == SWEEP_PROBE || r->proof;

	s->missing |= MADKIT_SWEEP_MISMATCH;
	if (s->mismatches++)
		return;
	s->mismatch_node = behind ? MADKIT_SWEEP_NONE : r->node;
	s->mismatch_to = send->to;
	madkit_response_check(send->mad, send->len, recv->mad, recv->len, &s->mismatch);
}

static int engine_collect(struct madkit_sweep *s)
{
	struct madkit_job *job;
	int ret = 0;

	while ((job = madkit_dispatcher_take(s->dispatcher))) {
		struct sweep_request *r = job->context;
		const uint8_t *data = NULL;
		int result = ask_result(r, &data), error;

		/* forwarding table blocks and adaptive routing change neither nodes nor links */
		if (result || (r->kind != SWEEP_BLOCK && r->kind != SWEEP_ADAPTIVE))
			s->measured = s->judged = false;
		if (result == -EBADMSG && r->job.reply.mismatch)
			engine_mismatch(s, r);
		if (r->contact)
			contact_end(s, r, result != -ETIMEDOUT);
		error = answer_take(s, r, result, data);
		ret = ret ? ret : error;
		ask_end(s, r);
	}
	return ret;
}

/* Judges identities before the caller sees the nodes. Returns ret or an error. */
static int engine_judge(struct madkit_sweep *s, int ret)
{
	if (!s->judged || s->admin)
		s->error = identity_judge(s);
	s->judged = !s->error;
	return s->error ? s->error : ret;
}

int madkit_sweep_step(struct madkit_sweep *s, uint64_t until_ns)
{
	if (s->ended)
		return 1;
	if (!s->begun) {
		s->begun = true;
		s->begun_ns = madkit_port_now(s->port);
	}
	while (!s->error) {
		int ret;

		/* check even if responses arrive without a wait */
		if (s->port->limit.stopped && s->port->limit.stopped(s->port->limit.context))
			return -EINTR;
		s->error = s->admin ? admin_fill(s) : engine_fill(s);
		if (s->error || s->ended)
			break;
		ret = madkit_dispatcher_wait(s->dispatcher, until_ns);
		if (ret == -EINTR)
			return ret;
		s->error = s->admin ? admin_collect(s) : engine_collect(s);
		if (ret < 0 && !s->error)
			s->error = ret;
		if (!s->error && madkit_port_now(s->port) >= until_ns)
			return engine_judge(s, 0);
	}
	return s->error ? s->error : engine_judge(s, 1);
}

/* ---- a sweep --------------------------------------------------------------------------- */

static int engine_open(struct madkit_sweep *s)
{
	const struct madkit_dispatcher_attr windows = { .smps = s->attr.smps, .smps_max = s->attr.smps_max };
	const struct madkit_agent_attr agent = { .mgmt_class = MADKIT_CLASS_SUBN_DR };
	int ret = madkit_dispatcher_new(s->port, &windows, &s->dispatcher);

	if (ret)
		return ret;
	return s->attr.sa ? admin_open(s) : madkit_dispatcher_agent(s->dispatcher, &agent, &s->agent, NULL);
}

/* Checks if the link of the port is not up. Port 0 of a switch has no link, and state 0 is undefined. */
static bool engine_is_cut_off(struct madkit_port *port)
{
	const struct madkit_port_info *info = madkit_port_get_info(port);

	madkit_port_refresh(port);
	return info->port && !(info->unread & MADKIT_PORT_PHYS_STATE) && info->phys_state &&
	       info->phys_state != ENGINE_LINK_UP;
}

int madkit_sweep_new(struct madkit_port *port, const struct madkit_sweep_attr *attr,
		     struct madkit_sweep **sweep)
{
	const struct madkit_addr own = { .direct = true };
	struct madkit_sweep *s;
	int ret = 0;

	if ((attr->from && (!attr->from->direct || attr->from->hops > MADKIT_HOPS_MAX)) ||
	    (attr->smps_max && attr->smps > attr->smps_max))
		return -EINVAL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->port = port;
	s->attr = *attr;
	s->attr.from = NULL;
	s->from = attr->from ? *attr->from : own;
	if (!s->attr.timeout_ms)
		s->attr.timeout_ms = MADKIT_SWEEP_TIMEOUT_MS;
	if (!s->attr.smps_max)
		s->attr.smps_max = s->attr.smps > MADKIT_DISPATCH_SMPS_MAX ? s->attr.smps :
									     MADKIT_DISPATCH_SMPS_MAX;
	if (!s->attr.smps)
		s->attr.smps = MADKIT_DISPATCH_SMPS < s->attr.smps_max ? MADKIT_DISPATCH_SMPS :
									 s->attr.smps_max;
	if (!s->attr.nodes_max || s->attr.nodes_max > MADKIT_SWEEP_NODES_MAX)
		s->attr.nodes_max = MADKIT_SWEEP_NODES_MAX;
	s->remote = s->from.hops || s->from.lid;
	s->reach = MADKIT_HOPS_MAX - s->from.hops;
	if (attr->link)
		s->reach = 1;
	else if (attr->hops && attr->hops < s->reach)
		s->reach = attr->hops;
	list_init(&s->free);
	list_init(&s->wanted);
	list_init(&s->posted);
	list_init(&s->proofs);
	list_init(&s->proving);
	list_init(&s->contacts.posted);
	for (int phase = 0; phase < SWEEP_PHASES; phase++)
		for (int way = 0; way < SWEEP_WAYS; way++)
			list_init(&s->lanes[phase][way]);
	if (engine_is_cut_off(port))
		s->missing |= MADKIT_SWEEP_NO_LINK;
	/* the node of the port itself can still be queried */
	s->ended = s->missing && (attr->sa || s->remote);
	if (!s->ended)
		ret = engine_open(s);
	s->seeded = attr->first && !attr->sa;
	if (!ret && s->seeded)
		ret = claim_start(s, attr->first) == -ENOMEM ? -ENOMEM : s->nnodes ? 0 : -EINVAL;
	s->attr.first = NULL;
	if (ret)
		madkit_sweep_free(s);
	else
		*sweep = s;
	return ret;
}

void madkit_sweep_free(struct madkit_sweep *s)
{
	if (!s)
		return;
	madkit_dispatcher_free(s->dispatcher);
	ask_free(s);
	block_free(s);
	proof_free(s);
	admin_free(s);
	nodes_free(s);
	free(s->disputes);
	free(s);
}

const struct madkit_sweep_node *madkit_sweep_node(const struct madkit_sweep *s, uint32_t number)
{
	return &s->nodes[number]->node;
}

static void engine_count_port(const struct madkit_sweep *s, struct sweep_place at,
			      struct madkit_sweep_counts *counts)
{
	const struct sweep_place peer = nodes_peer(s, at);

	counts->silent += nodes_port(s, at)->far == MADKIT_SWEEP_SILENT;
	/* count each link once */
	counts->links += peer.node != MADKIT_SWEEP_NONE &&
			 (at.node < peer.node || (at.node == peer.node && at.port <= peer.port));
}

void madkit_sweep_count(const struct madkit_sweep *s, struct madkit_sweep_counts *counts)
{
	if (!s) {
		*counts = (struct madkit_sweep_counts){ .missing = MADKIT_SWEEP_UNFINISHED };
		return;
	}
	*counts = (struct madkit_sweep_counts){
		.nodes = s->nnodes,
		.missing = s->missing | (s->ended ? 0 : MADKIT_SWEEP_UNFINISHED),
		.sent = s->sent,
		.resent = s->resent,
		.ns = s->begun ? (s->ended ? s->ended_ns : madkit_port_now(s->port)) - s->begun_ns : 0,
		.bytes = s->bytes,
		.sa_attribute = s->sa_attribute,
		.sa_status = s->sa_status,
		.sa_got = s->sa_got,
		.sa_total = s->sa_total,
		.sa_false = s->sa_false,
		.mismatches = s->mismatches,
		.mismatch_node = s->mismatch_node,
		.mismatch_to = s->mismatch_to,
		.mismatch = s->mismatch,
	};
	ask_count(s, &counts->sent, &counts->resent);
	admin_count(s, &counts->sent, &counts->resent);
	for (uint32_t i = 0; i < s->nnodes; i++) {
		counts->silent += s->nodes[i]->node.state == MADKIT_SWEEP_SILENT;
		for (unsigned int port = 0; port <= s->nodes[i]->node.nports; port++)
			engine_count_port(s, (struct sweep_place){ i, (uint8_t)port }, counts);
	}
}
