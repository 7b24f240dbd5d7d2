/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sweeps through a scripted subnet administrator with tables that may contradict each other. */
#ifndef TESTS_UNIT_SWEEP_LEDGER_H
#define TESTS_UNIT_SWEEP_LEDGER_H

#include <errno.h>
#include <madkit/rmpp.h>
#include "tests/unit/fake_transport.h"
#include "tests/unit/sweep.h"
#include "util/bits.h"
#include "wire/access.h"

/* Of each table. */
#ifndef LEDGER_BYTES
#define LEDGER_BYTES (1 << 20)
#endif

enum { OWN_LID = 3, LEDGER_SEGMENT = MADKIT_MAD_BYTES - MADKIT_SA_DATA };
#define OWN_GUID    UINT64_C(0x0002c90300000001)
#define SWITCH_GUID UINT64_C(0x200)

enum ledger_kind { LEDGER_NODES, LEDGER_PORTS, LEDGER_SWITCHES, LEDGER_LINKS, LEDGER_KINDS };

static const struct {
	uint16_t attribute;
	uint8_t words; /* of eight bytes, in a record */
} ledger_kinds[] = {
	[LEDGER_NODES] = { MADKIT_ATTR_NODE_RECORD, 14 },
	[LEDGER_PORTS] = { MADKIT_ATTR_PORT_INFO_RECORD, 9 },
	[LEDGER_SWITCHES] = { MADKIT_ATTR_SWITCH_INFO_RECORD, 3 },
	[LEDGER_LINKS] = { MADKIT_ATTR_LINK_RECORD, 1 },
};

struct ledger_table {
	uint8_t *bytes; /* with a MAD before them */
	size_t len;     /* of the records */
	uint16_t status;
	uint8_t words;   /* AttributeOffset */
	uint32_t beyond; /* bytes that the response declares, but does not have */
	bool silent;
	uint8_t method; /* of the response, instead of GetTableResp */
};

/* The tables of a scripted SA. */
struct ledger {
	struct fake *fake;
	struct ledger_table tables[LEDGER_KINDS];
	bool no_options; /* compares Options with its records, or refuses them */
	unsigned int requests, options;
	uint64_t sm_key;
};

static inline uint8_t *ledger_add(struct ledger *l, enum ledger_kind kind)
{
	struct ledger_table *t = &l->tables[kind];
	uint8_t *record = t->bytes + MADKIT_SA_DATA + t->len;

	t->len += ledger_kinds[kind].words * 8u;
	return record;
}

static inline uint8_t *ledger_node(struct ledger *l, uint16_t lid, uint64_t guid, uint8_t type,
				   uint8_t nports, uint8_t port)
{
	uint8_t *record = ledger_add(l, LEDGER_NODES);

	field_put(MADKIT_NODE_RECORD_LID, record, lid);
	field_put(MADKIT_NODE_RECORD_NODE_INFO_NODE_TYPE, record, type);
	field_put(MADKIT_NODE_RECORD_NODE_INFO_NUM_PORTS, record, nports);
	field_put(MADKIT_NODE_RECORD_NODE_INFO_GUID, record, guid);
	field_put(MADKIT_NODE_RECORD_NODE_INFO_PORT_GUID, record,
		  guid == OWN_GUID ? guid + port - 1 : guid + port);
	field_put(MADKIT_NODE_RECORD_NODE_INFO_LOCAL_PORT, record, port);
	snprintf((char *)record + field_at(MADKIT_NODE_RECORD_NODE_DESCRIPTION), 64, "node %u",
		 (unsigned int)guid);
	return record;
}

/* A CA with one port. */
static inline void ledger_twin(struct ledger *l, uint16_t lid, uint64_t guid, uint64_t port_guid)
{
	field_put(MADKIT_NODE_RECORD_NODE_INFO_PORT_GUID, ledger_node(l, lid, guid, 1, 1, 1), port_guid);
}

static inline uint8_t *ledger_port(struct ledger *l, uint16_t lid, uint8_t number, uint8_t state)
{
	uint8_t *record = ledger_add(l, LEDGER_PORTS);

	field_put(MADKIT_PORT_INFO_RECORD_ENDPORT_LID, record, lid);
	field_put(MADKIT_PORT_INFO_RECORD_PORT_NUM, record, number);
	field_put(MADKIT_PORT_INFO_RECORD_PORT_INFO_LINK_STATE, record, state);
	field_put(MADKIT_PORT_INFO_RECORD_PORT_INFO_LID, record, lid);
	return record;
}

static inline uint8_t *ledger_link(struct ledger *l, uint16_t from, uint8_t from_port, uint16_t to,
				   uint8_t to_port)
{
	uint8_t *record = ledger_add(l, LEDGER_LINKS);

	field_put(MADKIT_LINK_RECORD_FROM_LID, record, from);
	field_put(MADKIT_LINK_RECORD_FROM_PORT, record, from_port);
	field_put(MADKIT_LINK_RECORD_TO_LID, record, to);
	field_put(MADKIT_LINK_RECORD_TO_PORT, record, to_port);
	return record;
}

/* This host, at port 1 of a switch with 8 ports and LID 10. */
static inline struct ledger ledger_new(void)
{
	struct ledger l = { .requests = 0 };

	for (int i = 0; i < LEDGER_KINDS; i++) {
		l.tables[i].words = ledger_kinds[i].words;
		l.tables[i].bytes = calloc(1, LEDGER_BYTES);
		if (!l.tables[i].bytes)
			abort();
	}
	ledger_node(&l, 10, SWITCH_GUID, 2, 8, 0);
	ledger_node(&l, OWN_LID, OWN_GUID, 1, 1, 1);
	ledger_port(&l, OWN_LID, 1, 4);
	for (uint8_t i = 0; i <= 8; i++)
		ledger_port(&l, 10, i, i < 6 ? 4 : 1);
	field_put(MADKIT_SWITCH_INFO_RECORD_LID, ledger_add(&l, LEDGER_SWITCHES), 10);
	ledger_link(&l, OWN_LID, 1, 10, 1);
	ledger_link(&l, 10, 1, OWN_LID, 1);
	return l;
}

static inline void ledger_clear(struct ledger *l, enum ledger_kind kind)
{
	memset(l->tables[kind].bytes, 0, MADKIT_SA_DATA + l->tables[kind].len);
	l->tables[kind].len = 0;
}

static inline void ledger_free(struct ledger *l)
{
	for (int i = 0; i < LEDGER_KINDS; i++)
		free(l->tables[i].bytes);
}

/* Sends all segments of a table at once. */
static inline void ledger_respond(struct fake *fake, const struct fake_sent *sent,
				  const struct ledger_table *t)
{
	uint32_t count = (uint32_t)((t->len + LEDGER_SEGMENT - 1) / LEDGER_SEGMENT);

	count = count ? count : 1;
	for (uint32_t i = 0; i < count; i++) {
		struct fake_arrival *a = fake_answer(fake, 1, sent);
		const size_t left = t->len - (size_t)i * LEDGER_SEGMENT;
		const size_t len = i + 1 < count ? LEDGER_SEGMENT : left;
		const uint32_t head = MADKIT_SA_DATA - MADKIT_RMPP_HEADER_BYTES - MADKIT_HEADER_BYTES;

		a->mad[MADKIT_MAD_METHOD] = t->method ? t->method :
							MADKIT_METHOD_GET_TABLE | MADKIT_METHOD_RESPONSE;
		put_be16(a->mad + MADKIT_MAD_STATUS, t->status);
		put_be16(a->mad + MADKIT_SA_ATTRIBUTE_OFFSET, t->words);
		memset(a->mad + MADKIT_SA_DATA, 0, LEDGER_SEGMENT);
		memcpy(a->mad + MADKIT_SA_DATA, t->bytes + MADKIT_SA_DATA + (size_t)i * LEDGER_SEGMENT, len);
		if (t->status ||
		    (t->method && t->method != (MADKIT_METHOD_GET_TABLE | MADKIT_METHOD_RESPONSE)))
			return;
		madkit_rmpp_set_version(a->mad, MADKIT_RMPP_VERSION);
		madkit_rmpp_set_type(a->mad, MADKIT_RMPP_DATA);
		madkit_rmpp_set_flags(a->mad, (uint8_t)(MADKIT_RMPP_ACTIVE | (i ? 0 : MADKIT_RMPP_FIRST) |
							(i + 1 < count ? 0 : MADKIT_RMPP_LAST)));
		madkit_rmpp_set_segment(a->mad, i + 1);
		if (i + 1 == count)
			madkit_rmpp_set_length(a->mad, (uint32_t)len + head);
		else if (!i)
			madkit_rmpp_set_length(a->mad, (uint32_t)t->len + count * head);
	}
}

static inline void ledger_peer(struct fake *fake, const struct fake_sent *sent)
{
	struct ledger *l = fake->peer_context;
	struct ledger_table none = { .status = 0 };
	int kind = 0;

	/* acknowledgements */
	if (madkit_rmpp_get_flags(sent->mad) & MADKIT_RMPP_ACTIVE)
		return;
	while (ledger_kinds[kind].attribute != get_be16(sent->mad + MADKIT_MAD_ATTRIBUTE))
		kind++;
	l->requests++;
	l->sm_key = field_get(MADKIT_HEADER_SA_SM_KEY, sent->mad);
	if (kind == LEDGER_PORTS && sent->mad[MADKIT_SA_DATA + 3] == 0x80) {
		l->options++;
		if (l->no_options) {
			none.bytes = l->tables[kind].bytes;
			ledger_respond(fake, sent, &none);
			return;
		}
	}
	if (l->tables[kind].silent)
		fake_return(fake, sent->timeout_ms, sent, ETIMEDOUT);
	else
		ledger_respond(fake, sent, &l->tables[kind]);
}

static inline int ledger_sweep(struct ledger *l, struct swept *w, const struct madkit_sweep_attr *attr)
{
	int ret;

	l->fake = fake_new();
	l->fake->peer = ledger_peer;
	l->fake->peer_context = l;
	w->port = fake_port(l->fake);
	if (madkit_sweep_new(w->port, attr, &w->s))
		abort();
	ret = madkit_sweep_step(w->s, UINT64_MAX);
	swept_count(w);
	return ret;
}

/* Both ends of each link name each other; parents are linked, and one hop nearer. */
static inline bool ledger_is_consistent(const struct swept *w)
{
	for (uint32_t i = 0; i < w->counts.nodes; i++) {
		const struct madkit_sweep_node *n = madkit_sweep_node(w->s, i);

		for (unsigned int p = 0; p <= n->nports; p++) {
			const struct madkit_sweep_port *far;

			if (n->ports[p].peer == MADKIT_SWEEP_NONE)
				continue;
			if (n->ports[p].peer >= w->counts.nodes)
				return false;
			far = &madkit_sweep_node(w->s, n->ports[p].peer)->ports[n->ports[p].peer_port];
			if (far->peer != i || far->peer_port != p || n->ports[p].far != MADKIT_SWEEP_ANSWERED)
				return false;
		}
		if (n->parent == MADKIT_SWEEP_NONE)
			continue;
		if (n->parent >= w->counts.nodes || n->ports[n->number].peer != n->parent ||
		    madkit_sweep_node(w->s, n->parent)->hops + 1 != n->hops)
			return false;
	}
	return true;
}

#endif
