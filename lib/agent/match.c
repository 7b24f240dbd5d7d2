/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Matches responses to requests. The kernel matches by transaction ID, class and a part of the address, and a
 * simulated or broken transport by less, so these and the method are checked again here. A response with
 * another attribute counts as malformed, not as silence: madkit_response_check().
 */
#include <madkit/constants.h>
#include "agent/agent.h"
#include "util/bits.h"

/* The LMC has 3 bits: a port has at most 128 LIDs. */
enum { LMC_MAX = 7 };

void match_key(const uint8_t *mad, struct send_key *key)
{
	key->mgmt_class = mad[MADKIT_MAD_CLASS];
	key->method = mad[MADKIT_MAD_METHOD];
	key->attribute = get_be16(mad + MADKIT_MAD_ATTRIBUTE);
}

static bool method_answers(const struct send_key *request, uint8_t method)
{
	if (method == (request->method | MADKIT_METHOD_RESPONSE))
		return true;
	switch (request->method) {
	case MADKIT_METHOD_SET:
		return method == (MADKIT_METHOD_GET | MADKIT_METHOD_RESPONSE);
	case MADKIT_METHOD_TRAP:
		return method == MADKIT_METHOD_TRAP_REPRESS;
	case MADKIT_METHOD_GET_TRACE_TABLE:
		return request->mgmt_class == MADKIT_CLASS_SA &&
		       method == (MADKIT_METHOD_GET_TABLE | MADKIT_METHOD_RESPONSE);
	}
	/* in baseboard management, the attribute modifier marks responses */
	return request->mgmt_class == MADKIT_CLASS_BM && method == request->method;
}

/*
 * A response to a unicast LID comes from that LID or from the base LID of its port: OpenSM's SA responds with
 * path bits 0, whichever of its LIDs the request used. With a directed route, a permissive or multicast LID,
 * or a GRH, any source is accepted. The QP is not compared: a service may respond from another one.
 */
bool match_source(const struct madkit_addr *to, const struct madkit_addr *from)
{
	if (to->direct || to->grh || !to->lid || to->lid >= LID_MULTICAST)
		return true;
	for (unsigned int lmc = 0; lmc <= LMC_MAX; lmc++)
		if (from->lid == (to->lid & ~((UINT32_C(1) << lmc) - 1)))
			return from->lid != 0;
	return false;
}

static bool match_answers(const struct send *s, const struct madkit_header *h, const struct madkit_addr *from)
{
	/* a response that this agent sends may have the same transaction ID as one of its requests */
	return !madkit_mad_is_response(s->mad, s->wire_len) && h->mgmt_class == s->key.mgmt_class &&
	       method_answers(&s->key, h->method) && match_source(&s->pub.to, from);
}

struct tid *match_response(const struct madkit_agent *agent, const uint8_t *mad, size_t len,
			   const struct madkit_addr *from)
{
	struct madkit_header h;
	struct tid *t;
	size_t step = 0;

	if (madkit_header_get(mad, len, &h) || !madkit_mad_is_response(mad, len))
		return NULL;
	while ((t = tid_next(&agent->port->tids, h.tid, &step)))
		if (t->send->agent == agent && match_answers(t->send, &h, from))
			break;
	return t;
}

struct tid *match_returned(const struct madkit_agent *agent, const uint8_t *mad)
{
	struct send_key key;
	struct tid *t;
	size_t step = 0;

	match_key(mad, &key);
	while ((t = tid_next(&agent->port->tids, get_be64(mad + MADKIT_MAD_TID), &step))) {
		const struct send *s = t->send;

		if (s->agent == agent && !t->is_free && key.mgmt_class == s->key.mgmt_class &&
		    key.attribute == s->key.attribute && key.method == s->key.method &&
		    (t != &s->tid || s->state == SEND_FLIGHT))
			break;
	}
	return t;
}
