/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/mad.h>
#include "sweep/ask.h"
#include "sweep/block.h"
#include "sweep/route.h"
#include "util/bits.h"
#include "wire/access.h"

/* AdaptiveRoutingInfo of Mellanox. */
enum { ASK_ADAPTIVE_ROUTING_INFO = 0xff20 };

/* Spreads the timeouts, so that SMPs that were lost together because a buffer was full are not resent
 * together. */
enum { ASK_SPREAD_MS = 16 };

/* SWEEP_BLOCK uses the attribute and the modifier of the block. SWEEP_WITNESS uses the port of the proof as
 * modifier. */
static const struct {
	uint16_t attribute;
	bool by_port; /* the modifier is bits | port */
	uint32_t bits;
} ask_kinds[] = {
	[SWEEP_DESCRIPTION] = { MADKIT_ATTR_NODE_DESCRIPTION, false, 0 },
	[SWEEP_SWITCH] = { MADKIT_ATTR_SWITCH_INFO, false, 0 },
	[SWEEP_PORT] = { MADKIT_ATTR_PORT_INFO, true, 0 },
	[SWEEP_WIDE] = { MADKIT_ATTR_PORT_INFO, true, UINT32_C(1) << 31 },
	[SWEEP_EXTENDED] = { MADKIT_ATTR_MLNX_EXTENDED_PORT_INFO, true, 0 },
	[SWEEP_ADAPTIVE] = { ASK_ADAPTIVE_ROUTING_INFO, false, 0 },
	[SWEEP_PROBE] = { MADKIT_ATTR_NODE_INFO, false, 0 },
	[SWEEP_START] = { MADKIT_ATTR_NODE_INFO, false, 0 },
	[SWEEP_WITNESS] = { MADKIT_ATTR_PORT_INFO, false, 0 },
	[SWEEP_PROOF] = { MADKIT_ATTR_NODE_INFO, false, 0 },
};

/* Sets the destination. The last try avoids the route of the others. Returns false if there is no route. */
static bool ask_route(const struct madkit_sweep *s, struct sweep_request *r)
{
	const bool through = r->kind == SWEEP_PROBE;
	const unsigned int port = r->block ? r->block->port : r->port;
	struct madkit_addr *to = &r->job.send->to;

	r->detour = false;
	if (r->kind == SWEEP_START) {
		*to = s->from;
		return true;
	}
	if (r->proof)
		return route_through_port(s, r->node, r->port, to) &&
		       (r->kind == SWEEP_WITNESS || route_append(to, r->proof->port));
	if (r->last)
		r->detour = (through ? route_detour_through : route_detour_to)(s, r->node, port, to);
	return r->detour || (through ? route_through_port : route_to_node)(s, r->node, port, to);
}

static uint64_t ask_key(const struct madkit_sweep *s, const struct sweep_request *r)
{
	const struct madkit_sweep_node *n;
	unsigned int port = r->block ? r->block->port : r->port;

	if (!s->attr.m_key)
		return 0;
	if (r->kind == SWEEP_START)
		return s->attr.m_key(s->attr.context, NULL, 0, false);
	if (r->kind == SWEEP_WITNESS)
		return s->attr.m_key(s->attr.context, &s->nodes[r->proof->node]->node, 0, false);
	if (r->kind == SWEEP_PROOF)
		return s->attr.m_key(s->attr.context, &s->nodes[r->proof->node]->node, r->proof->port, true);
	n = &s->nodes[r->node]->node;
	/* the key is that of port 0 of a switch, or of the port of a CA that the request is about */
	if (r->kind != SWEEP_PROBE)
		port = sweep_is_switch(s->nodes[r->node]) ? 0 : port ? port : n->number;
	return s->attr.m_key(s->attr.context, n, port, r->kind == SWEEP_PROBE);
}

static uint16_t ask_attribute(const struct sweep_request *r)
{
	return r->kind == SWEEP_BLOCK ? r->block->attribute : ask_kinds[r->kind].attribute;
}

static uint32_t ask_modifier(const struct sweep_request *r)
{
	if (r->kind == SWEEP_BLOCK)
		return r->block->modifier;
	if (r->kind == SWEEP_WITNESS)
		return r->proof->port;
	return ask_kinds[r->kind].by_port ? ask_kinds[r->kind].bits | r->port : 0;
}

static void ask_fill(struct madkit_sweep *s, const struct sweep_request *r)
{
	const struct madkit_header header = {
		.base_version = MADKIT_BASE_VERSION_IB,
		.mgmt_class = MADKIT_CLASS_SUBN_DR,
		.class_version = madkit_class_version(MADKIT_CLASS_SUBN_DR),
		.method = MADKIT_METHOD_GET,
		.attribute = ask_attribute(r),
		.modifier = ask_modifier(r),
	};
	struct madkit_send *send = r->job.send;

	memset(send->mad, 0, send->len);
	madkit_header_put(send->mad, send->len, &header);
	put_be64(send->mad + MADKIT_SMP_MKEY, ask_key(s, r));
	send->timeout_ms = s->attr.timeout_ms;
	/* an infinite timeout cannot be spread */
	if (send->timeout_ms <= INT32_MAX - ASK_SPREAD_MS)
		send->timeout_ms += s->posts++ % ASK_SPREAD_MS;
	send->retries = !r->last && s->attr.retries > 1 ? s->attr.retries - 1 : 0;
}

static struct sweep_request *ask_new(struct madkit_sweep *s)
{
	struct sweep_request *r;

	if (!list_empty(&s->free)) {
		r = list_entry(s->free.next, struct sweep_request, list);
		list_del(&r->list);
		return r;
	}
	r = calloc(1, sizeof(*r));
	if (!r)
		return NULL;
	r->job.send = madkit_send_new(MADKIT_MAD_BYTES);
	if (!r->job.send) {
		free(r);
		return NULL;
	}
	r->job.agent = s->agent;
	r->job.deadline_ns = UINT64_MAX;
	r->job.context = r;
	list_init(&r->list);
	list_init(&r->in_row);
	return r;
}

/* Checks if only the last try is left: the others had no response, or the node is suspect. */
static bool ask_is_last(struct madkit_sweep *s, const struct sweep_request *r)
{
	const struct sweep_entry *e;
	struct sweep_todo *todo;
	bool tried;

	if (r->phase == SWEEP_FIRST || r->kind == SWEEP_START)
		return r->phase == SWEEP_LAST;
	e = s->nodes[r->node];
	todo = &e->todo[r->port];
	tried = todo->tried & SWEEP_BIT(r->kind);
	todo->tried &= (uint8_t)~SWEEP_BIT(r->kind);
	return tried || (r->kind != SWEEP_PROBE && e->suspect && !e->revived);
}

static int ask_send(struct madkit_sweep *s, enum sweep_phase phase, enum sweep_kind kind,
		    struct sweep_place at, struct sweep_proof *proof, struct sweep_request **posted)
{
	struct sweep_request *r = ask_new(s);
	int ret = -ENOENT;

	if (!r)
		return -ENOMEM;
	r->phase = (uint8_t)phase;
	r->kind = (uint8_t)kind;
	r->node = at.node;
	r->port = at.port;
	r->proof = proof;
	r->last = ask_is_last(s, r);
	r->block = kind == SWEEP_BLOCK ? block_take(s, phase, at.node) : NULL;
	if (ask_route(s, r)) {
		ask_fill(s, r);
		ret = madkit_dispatcher_post(s->dispatcher, &r->job);
	} else if (r->block) {
		block_return(s, r->block);
	}
	list_add(ret ? &s->free : &s->posted, &r->list);
	if (!ret)
		*posted = r;
	return ret;
}

int ask_post(struct madkit_sweep *s, enum sweep_phase phase, enum sweep_kind kind, struct sweep_place at,
	     struct sweep_request **posted)
{
	return ask_send(s, phase, kind, at, NULL, posted);
}

int ask_post_proof(struct madkit_sweep *s, struct sweep_proof *proof)
{
	struct sweep_request *r;

	return ask_send(s, SWEEP_FIRST, proof->kind, proof->at, proof, &r);
}

int ask_result(const struct sweep_request *r, const uint8_t **data)
{
	const struct madkit_reply *reply = &r->job.reply;
	struct madkit_header header;

	if (r->job.error)
		return r->job.error;
	/* the device is gone */
	if (reply->status == -EIO || reply->status == -ENODEV)
		return reply->status;
	if (reply->status || !reply->recv)
		return -ETIMEDOUT;
	if (reply->recv->len < MADKIT_MAD_BYTES ||
	    madkit_header_get(reply->recv->mad, reply->recv->len, &header))
		return -EBADMSG;
	if (header.status & MADKIT_STATUS_BUSY)
		return -ETIMEDOUT;
	if (reply->mismatch)
		return -EBADMSG;
	if (header.status && r->block)
		r->block->status = header.status;
	if (header.status)
		return -EPROTO;
	*data = reply->recv->mad + MADKIT_SMP_DATA;
	return 0;
}

static void ask_add(const struct sweep_request *r, uint64_t *sent, uint64_t *resent)
{
	const uint32_t attempts = r->job.send->attempts;

	*sent += attempts;
	*resent += r->last ? attempts : attempts ? attempts - 1 : 0;
}

void ask_count(const struct madkit_sweep *s, uint64_t *sent, uint64_t *resent)
{
	list_each(const struct sweep_request, r, &s->posted, list)
		ask_add(r, sent, resent);
}

void ask_end(struct madkit_sweep *s, struct sweep_request *r)
{
	ask_add(r, &s->sent, &s->resent);
	madkit_recv_free(r->job.reply.recv);
	r->job.reply.recv = NULL;
	list_del(&r->list);
	list_add(&s->free, &r->list);
}

void ask_free(struct madkit_sweep *s)
{
	list_move_all(&s->free, &s->posted);
	while (!list_empty(&s->free)) {
		struct sweep_request *r = list_entry(s->free.next, struct sweep_request, list);

		list_del(&r->list);
		madkit_send_free(r->job.send);
		free(r);
	}
}
