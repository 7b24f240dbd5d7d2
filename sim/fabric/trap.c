/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <string.h>
#include "sim/fabric/agents.h"
#include "sim/fabric/trap.h"

enum { REPEATS = 10 };

/* Indexed by enum fabric_trap. */
static const struct {
	uint16_t number;
	uint8_t type;
} kinds[FABRIC_TRAPS] = {
	[TRAP_LINK_STATE] = { MADKIT_TRAP_LINK_STATE, MADKIT_NOTICE_TYPE_URGENT },
	[TRAP_CAPABILITIES] = { MADKIT_TRAP_LOCAL_CHANGE, MADKIT_NOTICE_TYPE_INFORMATIONAL },
	[TRAP_DESCRIPTION] = { MADKIT_TRAP_LOCAL_CHANGE, MADKIT_NOTICE_TYPE_INFORMATIONAL },
	[TRAP_M_KEY] = { MADKIT_TRAP_BAD_M_KEY, MADKIT_NOTICE_TYPE_SECURITY },
	[TRAP_P_KEY] = { MADKIT_TRAP_BAD_P_KEY, MADKIT_NOTICE_TYPE_SECURITY },
	[TRAP_Q_KEY] = { MADKIT_TRAP_BAD_Q_KEY, MADKIT_NOTICE_TYPE_SECURITY },
	[TRAP_SWITCH_P_KEY] = { MADKIT_TRAP_SWITCH_BAD_P_KEY, MADKIT_NOTICE_TYPE_SECURITY },
};

/* Returns true if the agent is mute or its node is powered off: it sends no traps. */
static bool trap_is_silent(const struct fabric *f, const struct port *end)
{
	return f->nodes[end->node].off || agents_is_mute(f, end->node, AGENT_SMI);
}

/* Queues a trap and returns its notice for the details. Returns NULL if a trap of this kind is being sent
 * already, the agent is silent, the port has no LID or no SM LID, or out of memory. */
static uint8_t *trap_begin(struct fabric *f, struct port *end, enum fabric_trap kind)
{
	uint8_t mad[MADKIT_MAD_BYTES], *notice = mad + MADKIT_SMP_DATA;
	struct packet *p;

	if (end->end->traps[kind] || trap_is_silent(f, end) ||
	    !field_get(MADKIT_PORT_INFO_SM_LID, end->info) || !field_get(MADKIT_PORT_INFO_LID, end->info))
		return NULL;
	mad_begin(mad, MADKIT_CLASS_SUBN, 1, MADKIT_METHOD_TRAP, MADKIT_ATTR_NOTICE, 0, ++f->traps);
	field_put(MADKIT_NOTICE_IS_GENERIC, notice, 1);
	field_put(MADKIT_NOTICE_TYPE, notice, kinds[kind].type);
	field_put(MADKIT_NOTICE_PRODUCER_TYPE, notice, f->nodes[end->node].type);
	field_put(MADKIT_NOTICE_TRAP_NUMBER, notice, kinds[kind].number);
	field_put(MADKIT_NOTICE_ISSUER_LID, notice, field_get(MADKIT_PORT_INFO_LID, end->info));
	p = packet_new(f, &(struct fabric_head){ .dlid = 0 }, mad);
	if (!p)
		return NULL;
	p->trap = (uint8_t)(kind + 1);
	p->repeats = 0;
	p->leaves = true;
	p->port = (uint32_t)(end - f->ports);
	end->end->traps[kind] = f->traps;
	packet_queue(f, p, f->now + f->options.answer_ns);
	return p->mad + MADKIT_SMP_DATA;
}

void trap_link_state(struct fabric *f, struct port *end)
{
	uint8_t *notice = trap_begin(f, end, TRAP_LINK_STATE);

	if (notice)
		field_put(MADKIT_NOTICE_128_LIDADDR, notice, field_get(MADKIT_PORT_INFO_LID, end->info));
}

/* Returns NULL as trap_begin() does. */
static uint8_t *trap_local_change(struct fabric *f, struct port *end, enum fabric_trap kind)
{
	uint8_t *notice = trap_begin(f, end, kind);

	if (!notice)
		return NULL;
	field_put(MADKIT_NOTICE_144_LIDADDR, notice, field_get(MADKIT_PORT_INFO_LID, end->info));
	field_put(MADKIT_NOTICE_144_CAPABILITYMASK, notice, field_get(MADKIT_PORT_INFO_CAP_MASK, end->info));
	return notice;
}

void trap_capabilities(struct fabric *f, struct port *end)
{
	trap_local_change(f, end, TRAP_CAPABILITIES);
}

void trap_description(struct fabric *f, struct port *end)
{
	uint8_t *notice = trap_local_change(f, end, TRAP_DESCRIPTION);

	if (!notice)
		return;
	field_put(MADKIT_NOTICE_144_OTHER_LOCAL_CHANGES, notice, 1);
	field_put(MADKIT_NOTICE_144_NODE_DESCRIPTION_CHANGE, notice, 1);
}

void trap_m_key(struct fabric *f, struct port *end, const uint8_t *mad, uint16_t slid)
{
	uint8_t *notice = trap_begin(f, end, TRAP_M_KEY);
	/* The notice has room for 30 hops of the return path of a directed route. */
	enum { PATH = 30 };
	unsigned int hops = mad[MADKIT_MAD_HOP_COUNT];

	if (!notice)
		return;
	field_put(MADKIT_NOTICE_256_LIDADDR, notice, slid);
	field_put(MADKIT_NOTICE_256_METHOD, notice, mad[MADKIT_MAD_METHOD]);
	field_put(MADKIT_NOTICE_256_ATTRIBUTEID, notice, get_be16(mad + MADKIT_MAD_ATTRIBUTE));
	field_put(MADKIT_NOTICE_256_ATTRIBUTEMODIFIER, notice, get_be32(mad + MADKIT_MAD_MODIFIER));
	field_put(MADKIT_NOTICE_256_MKEY, notice, get_be64(mad + MADKIT_SMP_MKEY));
	if (mad[MADKIT_MAD_CLASS] != MADKIT_CLASS_SUBN_DR)
		return;
	field_put(MADKIT_NOTICE_256_DRSLID, notice, get_be16(mad + MADKIT_SMP_DR_SLID));
	field_put(MADKIT_NOTICE_256_DR_NOTICE, notice, 1);
	field_put(MADKIT_NOTICE_256_DR_PATH_TRUNCATED, notice, hops > PATH);
	field_put(MADKIT_NOTICE_256_DR_HOP_COUNT, notice, hops > PATH ? PATH : hops);
	memcpy(notice + field_at(MADKIT_NOTICE_256_DR_NOTICE_RETURN_PATH), mad + MADKIT_SMP_RETURN_PATH + 1,
	       hops > PATH ? PATH : hops);
}

void trap_bad_key(struct fabric *f, struct port *end, enum fabric_trap kind, uint32_t key,
		  const struct fabric_head *head)
{
	uint8_t *notice = trap_begin(f, end, kind);

	if (!notice)
		return;
	field_put(MADKIT_NOTICE_257_258_LIDADDR1, notice, head->slid);
	field_put(MADKIT_NOTICE_257_258_LIDADDR2, notice, head->dlid);
	field_put(MADKIT_NOTICE_257_258_KEY, notice, key);
	field_put(MADKIT_NOTICE_257_258_SL, notice, head->sl);
	field_put(MADKIT_NOTICE_257_258_QP1, notice, head->source_qp);
	field_put(MADKIT_NOTICE_257_258_QP2, notice, head->qp);
	memcpy(notice + field_at(MADKIT_NOTICE_257_258_GIDADDR1), head->sgid, sizeof(head->sgid));
	memcpy(notice + field_at(MADKIT_NOTICE_257_258_GIDADDR2), head->dgid, sizeof(head->dgid));
}

void trap_switch_p_key(struct fabric *f, struct port *port, const struct fabric_head *head)
{
	/* DataValid: all fields are valid, but the GIDs only with a GRH. */
	enum { VALID = 0x3f, VALID_GIDS = 0xc0 };
	struct port *end = end_port_of(f, port);
	uint8_t *notice = trap_begin(f, end, TRAP_SWITCH_P_KEY);

	if (!notice)
		return;
	field_put(MADKIT_NOTICE_259_DATA_VALID, notice, VALID | (head->grh ? VALID_GIDS : 0));
	field_put(MADKIT_NOTICE_259_LIDADDR1, notice, head->slid);
	field_put(MADKIT_NOTICE_259_LIDADDR2, notice, head->dlid);
	field_put(MADKIT_NOTICE_259_PKEY, notice, head->pkey);
	field_put(MADKIT_NOTICE_259_SL, notice, head->sl);
	field_put(MADKIT_NOTICE_259_QP1, notice, head->source_qp);
	field_put(MADKIT_NOTICE_259_QP2, notice, head->qp);
	memcpy(notice + field_at(MADKIT_NOTICE_259_GIDADDR1), head->sgid, sizeof(head->sgid));
	memcpy(notice + field_at(MADKIT_NOTICE_259_GIDADDR2), head->dgid, sizeof(head->dgid));
	field_put(MADKIT_NOTICE_259_SWLIDADDR, notice, field_get(MADKIT_PORT_INFO_LID, end->info));
	field_put(MADKIT_NOTICE_259_PORTNO, notice, port->number);
}

void trap_repress(struct port *end, const uint8_t *mad)
{
	for (int kind = 0; kind < FABRIC_TRAPS; kind++)
		if (end->end->traps[kind] == get_be64(mad + MADKIT_MAD_TID))
			end->end->traps[kind] = 0;
}

struct packet *trap_due(struct fabric *f, struct packet *p, struct port *end)
{
	uint64_t *tid = &end->end->traps[p->trap - 1];
	uint64_t interval = UINT64_C(4096) << field_get(MADKIT_PORT_INFO_SUBNET_TIMEOUT, end->info);
	struct packet *copy;

	if (*tid == get_be64(p->mad + MADKIT_MAD_TID) && trap_is_silent(f, end))
		*tid = 0;
	if (*tid != get_be64(p->mad + MADKIT_MAD_TID)) {
		packet_done(f, p);
		return NULL;
	}
	/* The LID of the subnet manager may have changed since. */
	p->head.slid = (uint16_t)field_get(MADKIT_PORT_INFO_LID, end->info);
	p->head.dlid = (uint16_t)field_get(MADKIT_PORT_INFO_SM_LID, end->info);
	copy = packet_new(f, &p->head, p->mad);
	if (++p->repeats > REPEATS) {
		*tid = 0;
		packet_done(f, p);
	} else {
		packet_queue(f, p, f->now + interval);
	}
	return copy;
}
