/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <string.h>
#include "sim/fabric/trap.h"

enum { REPEATS = 10 };

/* By the places that end ports have for them. */
static const struct {
	uint16_t number;
	uint8_t type;
} kinds[FABRIC_TRAPS] = {
	[TRAP_LINK_STATE] = { 128, 1 },   /* urgent */
	[TRAP_CAPABILITIES] = { 144, 4 }, /* informational */
	[TRAP_M_KEY] = { 256, 2 },        /* security */
	[TRAP_P_KEY] = { 257, 2 },        [TRAP_Q_KEY] = { 258, 2 },
};

/* Begins the notice; NULL: it is told already, or there is nobody to tell. */
static struct packet *trap_begin(struct fabric *f, struct port *end, enum fabric_trap kind)
{
	struct madkit_header h = {
		.base_version = 1,
		.mgmt_class = MADKIT_CLASS_SUBN,
		.class_version = 1,
		.method = MADKIT_METHOD_TRAP,
		.attribute = MADKIT_ATTR_NOTICE,
	};
	uint8_t mad[MADKIT_MAD_BYTES] = { 0 }, *notice = mad + MADKIT_SMP_DATA;
	struct packet *p;

	if (end->end->traps[kind] || !port_info_get(f, end, F_PI_SM_LID) || !port_info_get(f, end, F_PI_LID))
		return NULL;
	h.tid = ++f->traps;
	madkit_header_put(mad, sizeof(mad), &h);
	field_put(&f->fields, F_NO_GENERIC, notice, 1);
	field_put(&f->fields, F_NO_TYPE, notice, kinds[kind].type);
	field_put(&f->fields, F_NO_PRODUCER, notice, f->nodes[end->node].type);
	field_put(&f->fields, F_NO_TRAP, notice, kinds[kind].number);
	field_put(&f->fields, F_NO_ISSUER, notice, port_info_get(f, end, F_PI_LID));
	p = packet_new(f, &(struct fabric_head){ .dlid = 0 }, mad);
	if (!p)
		return NULL;
	p->trap = (uint8_t)(kind + 1);
	p->repeats = 0;
	p->leaves = true;
	p->port = (uint32_t)(end - f->ports);
	end->end->traps[kind] = h.tid;
	packet_queue(f, p, f->now + f->options.answer_ns);
	return p;
}

static uint8_t *notice_of(struct packet *p)
{
	return p->mad + MADKIT_SMP_DATA;
}

void trap_link_state(struct fabric *f, struct port *end)
{
	struct packet *p = trap_begin(f, end, TRAP_LINK_STATE);

	if (p)
		field_put(&f->fields, F_N128_LID, notice_of(p), port_info_get(f, end, F_PI_LID));
}

void trap_capabilities(struct fabric *f, struct port *end)
{
	struct packet *p = trap_begin(f, end, TRAP_CAPABILITIES);

	if (!p)
		return;
	field_put(&f->fields, F_N144_LID, notice_of(p), port_info_get(f, end, F_PI_LID));
	field_put(&f->fields, F_N144_CAP_MASK, notice_of(p), port_info_get(f, end, F_PI_CAP_MASK));
}

void trap_m_key(struct fabric *f, struct port *end, const uint8_t *mad, uint16_t slid)
{
	struct packet *p = trap_begin(f, end, TRAP_M_KEY);
	/* the return path of a directed route, of which the notice has room for 30 hops */
	enum { PATH = 30 };
	unsigned int hops = mad[MADKIT_MAD_HOP_COUNT];
	uint8_t *notice;

	if (!p)
		return;
	notice = notice_of(p);
	field_put(&f->fields, F_N256_LID, notice, slid);
	field_put(&f->fields, F_N256_METHOD, notice, mad[MADKIT_MAD_METHOD]);
	field_put(&f->fields, F_N256_ATTRIBUTE, notice, get_be16(mad + MADKIT_MAD_ATTRIBUTE));
	field_put(&f->fields, F_N256_MODIFIER, notice, get_be32(mad + MADKIT_MAD_MODIFIER));
	field_put(&f->fields, F_N256_M_KEY, notice, get_be64(mad + MADKIT_SMP_MKEY));
	if (mad[MADKIT_MAD_CLASS] != MADKIT_CLASS_SUBN_DR)
		return;
	field_put(&f->fields, F_N256_DR_SLID, notice, get_be16(mad + MADKIT_SMP_DR_SLID));
	field_put(&f->fields, F_N256_DIRECTED, notice, 1);
	field_put(&f->fields, F_N256_TRUNCATED, notice, hops > PATH);
	field_put(&f->fields, F_N256_HOPS, notice, hops > PATH ? PATH : hops);
	memcpy(notice + f->fields.of[F_N256_PATH]->offset / 8, mad + MADKIT_SMP_RETURN_PATH + 1,
	       hops > PATH ? PATH : hops);
}

static void bad_key(struct fabric *f, struct port *end, enum fabric_trap kind, uint32_t key,
		    const struct fabric_head *head)
{
	struct packet *p = trap_begin(f, end, kind);
	uint8_t *notice;

	if (!p)
		return;
	notice = notice_of(p);
	field_put(&f->fields, F_N257_LID1, notice, head->slid);
	field_put(&f->fields, F_N257_LID2, notice, head->dlid);
	field_put(&f->fields, F_N257_KEY, notice, key);
	field_put(&f->fields, F_N257_SL, notice, head->sl);
	field_put(&f->fields, F_N257_QP1, notice, head->source_qp);
	field_put(&f->fields, F_N257_QP2, notice, head->qp);
	memcpy(notice + f->fields.of[F_N257_GID1]->offset / 8, head->sgid, sizeof(head->sgid));
	memcpy(notice + f->fields.of[F_N257_GID2]->offset / 8, head->dgid, sizeof(head->dgid));
}

void trap_p_key(struct fabric *f, struct port *end, const struct fabric_head *head)
{
	bad_key(f, end, TRAP_P_KEY, head->pkey, head);
}

void trap_q_key(struct fabric *f, struct port *end, const struct fabric_head *head)
{
	bad_key(f, end, TRAP_Q_KEY, head->qkey, head);
}

void trap_repress(struct fabric *f, struct port *end, const uint8_t *mad)
{
	(void)f;
	for (int kind = 0; kind < FABRIC_TRAPS; kind++)
		if (end->end->traps[kind] == get_be64(mad + MADKIT_MAD_TID))
			end->end->traps[kind] = 0;
}

void trap_due(struct fabric *f, struct packet *p, struct port *end)
{
	uint64_t *tid = &end->end->traps[p->trap - 1];
	uint64_t interval = UINT64_C(4096) << port_info_get(f, end, F_PI_SUBNET_TIMEOUT);
	struct packet *copy;

	if (*tid != get_be64(p->mad + MADKIT_MAD_TID)) {
		packet_done(f, p);
		return;
	}
	/* to whoever is the manager now */
	p->head.slid = (uint16_t)port_info_get(f, end, F_PI_LID);
	p->head.dlid = (uint16_t)port_info_get(f, end, F_PI_SM_LID);
	copy = packet_new(f, &p->head, p->mad);
	if (++p->repeats > REPEATS) {
		*tid = 0;
		packet_done(f, p);
	} else {
		packet_queue(f, p, f->now + interval);
	}
	if (copy)
		packet_leave(f, copy, end);
}
