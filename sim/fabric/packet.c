/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Routes packets over cables and through switches, and delivers them. */
#include <errno.h>
#include <string.h>
#include <madkit/addr.h>
#include "sim/fabric/agents.h"
#include "sim/fabric/cc.h"
#include "sim/fabric/internal.h"
#include "sim/fabric/lanes.h"
#include "sim/fabric/partition.h"
#include "sim/fabric/pma.h"
#include "sim/fabric/samples.h"
#include "sim/fabric/sma.h"
#include "sim/fabric/trap.h"

enum { HOPS_MAX = 64 }; /* more than in any real fabric */

static void packet_route(struct fabric *f, struct packet *p, struct port *at);
static void packet_deliver(struct fabric *f, struct packet *p, struct port *end, struct port *in);

/* ---- routing ---------------------------------------------------------------------- */

static bool packet_is_directed(const struct packet *p)
{
	return packet_is_smp(p) && p->mad[MADKIT_MAD_CLASS] == MADKIT_CLASS_SUBN_DR;
}

/* Returns true if the end port has this LID. */
static bool packet_has_lid(const struct port *end, uint16_t lid)
{
	uint64_t base = field_get(MADKIT_PORT_INFO_LID, end->info),
		 lmc = field_get(MADKIT_PORT_INFO_LMC, end->info);

	return base && base < FABRIC_LID_MULTICAST && lid >= base && lid < base + (UINT64_C(1) << lmc);
}

static void packet_transmit(struct fabric *f, struct packet *p, struct port *out)
{
	uint64_t state = field_get(MADKIT_PORT_INFO_LINK_STATE, out->info);
	bool down = out->peer == TOPOLOGY_NONE || state < PORT_INIT;

	if (down || (!packet_is_smp(p) && state != PORT_ACTIVE)) {
		pma_count(out, PMA_XMIT_DISCARDS, 1);
		pma_count(out, PMA_INACTIVE, 1);
		packet_drop(f, p, out, down ? DROP_LINK_DOWN : DROP_PORT_STATE);
		return;
	}
	if (partition_dropped(f, p, out, ENFORCE_OUTBOUND))
		return;
	pma_transmitted(out, p);
	p->leaves = false;
	p->port = out->peer;
	if (f->faults)
		fault_transmit(f->faults, p, out, f->options.hop_ns);
	else
		packet_queue(f, p, f->now + f->options.hop_ns);
}

/* Performs one step of a directed route. */
static void packet_step(struct fabric *f, struct packet *p, struct port *at)
{
	struct port *own = end_port_of(f, at), *out;

	switch (smi_step(f, p, at, &out)) {
	case SMI_OUT:
		packet_transmit(f, p, out);
		return;
	case SMI_HERE:
		packet_deliver(f, p, own, at);
		return;
	case SMI_ROUTE:
		packet_route(f, p, own);
		return;
	case SMI_INVALID:
		packet_drop(f, p, at, DROP_DIRECTED_ROUTE);
		return;
	}
}

/* Handles a packet that has reached its DLID: it continues on a directed route, or is delivered. */
static void packet_here(struct fabric *f, struct packet *p, struct port *in)
{
	if (f->agents && packet_is_smp(p) && !agents_admit(f, p, in))
		return;
	if (packet_is_directed(p))
		packet_step(f, p, in);
	else
		packet_deliver(f, p, end_port_of(f, in), in);
}

static void copy_to(struct fabric *f, const struct packet *p, struct port *out)
{
	bool room = packet_room(f);
	struct packet *copy = room ? packet_new(f, &p->head, p->mad) : NULL;

	if (!copy) {
		fabric_drop(f, out, room ? DROP_NO_MEMORY : DROP_FLOODED, &p->head, p->mad);
		return;
	}
	copy->hops = p->hops;
	if (out->number)
		packet_transmit(f, copy, out);
	else
		packet_deliver(f, copy, out, out);
}

/* Counts and drops a packet that a switch cannot forward; detail is a counter of PortRcvErrorDetails. */
static void packet_no_relay(struct fabric *f, struct packet *p, struct port *at, enum fabric_drop why,
			    enum pma_counter detail)
{
	pma_count(at, PMA_RELAY_ERRORS, 1);
	pma_count(at, detail, 1);
	packet_drop(f, p, at, why);
}

static void route_multicast(struct fabric *f, struct packet *p, struct port *at)
{
	struct node *node = &f->nodes[at->node];
	unsigned int entry = p->head.dlid - FABRIC_LID_MULTICAST;
	bool any = false;

	for (unsigned int n = 0; node->multicast && entry < FABRIC_MULTICAST_CAP && n <= node->nports; n++) {
		const uint8_t *block =
			node->multicast + FABRIC_INFO_BYTES * (size_t)(entry / 32 * node->positions + n / 16);

		if (!(element_get(MADKIT_MULTICAST_FORWARDING_TABLE_PORT_MASK, entry % 32, block) >> n % 16 &
		      1))
			continue;
		any = true;
		if (n && lanes_drop(node, at, node_port(f, node, n), p))
			pma_count(at, PMA_VL_MAPPING, 1);
		else if (n != at->number)
			copy_to(f, p, node_port(f, node, n));
	}
	if (any)
		packet_done(f, p);
	else
		packet_no_relay(f, p, at, DROP_NO_ROUTE, PMA_DLID_MAPPING);
}

static void route_switch(struct fabric *f, struct packet *p, struct port *at)
{
	struct node *node = &f->nodes[at->node];
	unsigned int to = 0xff;

	if (p->hops++ >= HOPS_MAX) {
		packet_no_relay(f, p, at, DROP_HOPS, PMA_LOOPING);
		return;
	}
	if (lid_is_multicast(p->head.dlid)) {
		route_multicast(f, p, at);
		return;
	}
	if (p->head.dlid <= field_get(MADKIT_SWITCH_INFO_LINEAR_FDB_TOP, node->switch_info) &&
	    p->head.dlid < node->nlinear)
		to = node->linear[p->head.dlid];
	if (!to)
		packet_here(f, p, at);
	/* A route back to the port of arrival is a loop. */
	else if (to > node->nports || to == at->number)
		packet_no_relay(f, p, at, DROP_NO_ROUTE, to == at->number ? PMA_LOOPING : PMA_DLID_MAPPING);
	else if (lanes_drop(node, at, node_port(f, node, to), p))
		packet_no_relay(f, p, at, DROP_NO_VL, PMA_VL_MAPPING);
	else
		packet_transmit(f, p, node_port(f, node, to));
}

static void packet_route(struct fabric *f, struct packet *p, struct port *at)
{
	if (is_switch(&f->nodes[at->node]))
		route_switch(f, p, at);
	else if (packet_has_lid(at, p->head.dlid))
		packet_here(f, p, at);
	else if (lanes_drop(&f->nodes[at->node], at, at, p))
		packet_drop(f, p, at, DROP_NO_VL);
	else
		packet_transmit(f, p, at);
}

/* ---- delivery --------------------------------------------------------------------- */

static void packet_arrive(struct fabric *f, struct packet *p, struct port *end)
{
	const struct fabric_watcher *w = &f->options.watcher;

	if (w->arrive)
		w->arrive(w->context, end->node, end->number, &p->head, p->mad);
	packet_done(f, p);
}

/* Sends p->mad, which now holds the response, back to the requester. */
static void packet_answer(struct fabric *f, struct packet *p, struct port *end, struct port *in)
{
	struct fabric_head from = p->head;
	uint8_t swap[16];

	p->head.dlid = from.slid;
	p->head.slid = packet_has_lid(end, from.dlid) ? from.dlid :
							(uint16_t)field_get(MADKIT_PORT_INFO_LID, end->info);
	p->head.qp = from.source_qp;
	p->head.source_qp = from.qp;
	if (from.grh) {
		memcpy(swap, p->head.sgid, sizeof(swap));
		memcpy(p->head.sgid, p->head.dgid, sizeof(swap));
		memcpy(p->head.dgid, swap, sizeof(swap));
		p->head.hop_limit = 0xff;
	}
	p->hops = 0;
	p->leaves = true;
	p->port = (uint32_t)(in - f->ports);
	packet_queue(f, p, f->now + f->options.answer_ns);
}

int fabric_find_pkey(const struct port *end, uint16_t pkey)
{
	int limited = -1;

	for (unsigned int i = 0; i < FABRIC_PKEYS; i++) {
		const uint16_t own = get_be16(end->end->pkeys + 2 * i);

		if (!(own & 0x7fff) || (own & 0x7fff) != (pkey & 0x7fff))
			continue;
		if (own & 0x8000)
			return (int)i;
		if ((pkey & 0x8000) && limited < 0)
			limited = (int)i;
	}
	return limited;
}

static void deliver_smp(struct fabric *f, struct packet *p, struct port *end, struct port *in)
{
	uint8_t another[MADKIT_MAD_BYTES];
	bool replaced;

	if (!madkit_class_is_smi(p->mad[MADKIT_MAD_CLASS])) {
		packet_drop(f, p, in, DROP_MALFORMED);
		return;
	}
	replaced = f->faults && !smp_is_for_programs(end, p->mad) && fault_answer(f->faults, p, in, another);
	switch (sma_handle(f, end, in, p->mad)) {
	case SMA_ANSWER:
		if (replaced && sma_handle(f, end, in, another) == SMA_ANSWER)
			memcpy(p->mad, another, sizeof(another));
		packet_answer(f, p, end, in);
		return;
	case SMA_DONE:
		packet_done(f, p);
		return;
	case SMA_REFUSED:
		trap_m_key(f, end, p->mad, p->head.slid);
		packet_drop(f, p, in, DROP_M_KEY);
		return;
	case SMA_NOT_MINE:
		packet_arrive(f, p, end);
		return;
	}
}

/* Handles a MAD for the agents of the node on QP1. */
static enum cc handle_gmp(struct fabric *f, struct port *end, uint8_t *mad)
{
	const struct node *node = &f->nodes[end->node];

	if (!gmp_is_for_agents(node, mad))
		return CC_NOT_MINE;
	if (vendor_is_asked(node, mad))
		return vendor_answer(f, end, mad) ? CC_ANSWER : CC_REFUSED;
	if (mad[MADKIT_MAD_CLASS] == MADKIT_CLASS_CC)
		return cc_handle(f, end, mad);
	return pma_handle(f, end, mad) ? CC_ANSWER : CC_NOT_MINE;
}

static void packet_deliver(struct fabric *f, struct packet *p, struct port *end, struct port *in)
{
	uint8_t another[MADKIT_MAD_BYTES];
	bool replaced;
	int own;

	if (packet_is_smp(p)) {
		deliver_smp(f, p, end, in);
		return;
	}
	own = fabric_find_pkey(end, p->head.pkey);
	if (own < 0) {
		sma_count_violation(end, MADKIT_PORT_INFO_PKEY_VIOLATIONS);
		trap_bad_key(f, end, TRAP_P_KEY, p->head.pkey, &p->head);
		packet_drop(f, p, in, DROP_P_KEY);
		return;
	}
	if (p->head.qp == 1 && p->head.qkey != MADKIT_QKEY_GSI) {
		sma_count_violation(end, MADKIT_PORT_INFO_QKEY_VIOLATIONS);
		trap_bad_key(f, end, TRAP_Q_KEY, p->head.qkey, &p->head);
		packet_drop(f, p, in, DROP_UNEXPECTED);
		return;
	}
	if (f->agents && !agents_admit(f, p, in))
		return;
	replaced = f->faults && p->head.qp == 1 && gmp_is_for_agents(&f->nodes[end->node], p->mad) &&
		   fault_answer(f->faults, p, in, another);
	switch (p->head.qp == 1 ? handle_gmp(f, end, p->mad) : CC_NOT_MINE) {
	case CC_NOT_MINE:
		packet_arrive(f, p, end);
		return;
	case CC_REFUSED:
		packet_drop(f, p, in, p->mad[MADKIT_MAD_CLASS] == MADKIT_CLASS_CC ? DROP_CC_KEY : DROP_V_KEY);
		return;
	case CC_ANSWER:
		if (replaced && handle_gmp(f, end, another) == CC_ANSWER)
			memcpy(p->mad, another, sizeof(another));
		break;
	}
	p->head.pkey = get_be16(end->end->pkeys + 2 * own);
	packet_answer(f, p, end, in);
}

/* Handles a packet that arrives from a cable. */
static void packet_receive(struct fabric *f, struct packet *p, struct port *in)
{
	uint64_t state = field_get(MADKIT_PORT_INFO_LINK_STATE, in->info);
	uint16_t dlid = p->head.dlid;

	if (state < PORT_INIT) {
		packet_drop(f, p, in, DROP_LINK_DOWN);
		return;
	}
	if (p->corrupt) {
		pma_count(in, PMA_SYMBOL_ERROR, 1);
		pma_count(in, PMA_RCV_ERRORS, 1);
		pma_count(in, PMA_LOCAL_PHYSICAL, 1);
		packet_drop(f, p, in, DROP_CORRUPT);
		return;
	}
	pma_received(in, p);
	if (p->mad[MADKIT_MAD_BASE_VERSION] != MADKIT_BASE_VERSION_IB)
		packet_drop(f, p, in, DROP_MALFORMED);
	else if (!packet_is_smp(p) && state < PORT_ARMED)
		packet_drop(f, p, in, DROP_PORT_STATE);
	else if (dlid == FABRIC_LID_PERMISSIVE && packet_is_smp(p))
		packet_here(f, p, in);
	else if (partition_dropped(f, p, in, ENFORCE_INBOUND))
		return;
	else if (is_switch(&f->nodes[in->node]))
		packet_route(f, p, in);
	else if (packet_has_lid(in, dlid) || (lid_is_multicast(dlid) && !packet_is_smp(p)))
		packet_here(f, p, in);
	else
		packet_drop(f, p, in, DROP_NOT_MINE);
}

/* Sends a packet from its own node. If its route begins with a LID-routed part, that comes first. */
static void packet_leave(struct fabric *f, struct packet *p, struct port *from)
{
	bool back = p->mad[MADKIT_MAD_STATUS] & MAD_DIRECTION;
	uint16_t lid = get_be16(p->mad + (back ? MADKIT_SMP_DR_DLID : MADKIT_SMP_DR_SLID));

	if (packet_is_directed(p) && lid == FABRIC_LID_PERMISSIVE)
		packet_step(f, p, from);
	else
		packet_route(f, p, end_port_of(f, from));
}

/* Handles a packet that is only a timer: a trap to repeat, the end of a training, a sample, or a link that
 * flaps. */
static void packet_timer(struct fabric *f, struct packet *p, struct port *port)
{
	if (p->trap == PACKET_TRAINING) {
		link_trained(f, port);
		packet_done(f, p);
		return;
	}
	if (p->trap == PACKET_FLAP) {
		if (link_flaps(f, port))
			packet_queue(f, p, port->flaps_at);
		else
			packet_done(f, p);
		return;
	}
	if (p->trap == PACKET_SAMPLE) {
		samples_due(f, p, port);
		return;
	}
	p = trap_due(f, p, port);
	if (p)
		packet_leave(f, p, port);
}

/* ---- interface to the caller --------------------------------------------------------- */

int fabric_send(struct fabric *f, uint32_t node, unsigned int number, const struct fabric_head *head,
		const uint8_t *mad, size_t len, uint64_t now)
{
	struct port *port = fabric_end_port(f, node, number);
	struct packet *p;

	if (!port || len != MADKIT_MAD_BYTES || mad[MADKIT_MAD_BASE_VERSION] != MADKIT_BASE_VERSION_IB)
		return -EINVAL;
	p = packet_new(f, head, mad);
	if (!p)
		return -ENOMEM;
	if (!p->head.slid)
		p->head.slid = (uint16_t)field_get(MADKIT_PORT_INFO_LID, port->info);
	p->leaves = true;
	p->port = (uint32_t)(port - f->ports);
	packet_queue(f, p, now > f->now ? now : f->now);
	return 0;
}

void fabric_present(struct fabric *f, uint64_t now)
{
	f->present = now;
}

uint64_t fabric_deadline(const struct fabric *f)
{
	return heap_due(&f->queue);
}

void fabric_process(struct fabric *f, uint64_t now)
{
	while (f->queue.count && heap_due(&f->queue) <= now) {
		struct packet *p = list_entry(heap_first(&f->queue), struct packet, link);
		struct port *port = &f->ports[p->port];

		heap_remove(&f->queue, &p->link);
		f->now = p->link.due;
		if (p->leaves && p->trap) {
			packet_timer(f, p, port);
		} else if (f->nodes[port->node].off) {
			if (p->served)
				agents_leave(f, p);
			packet_drop(f, p, port, DROP_GONE);
		} else if (p->leaves) {
			packet_leave(f, p, port);
		} else if (p->served) {
			agents_leave(f, p);
			packet_here(f, p, port);
		} else {
			packet_receive(f, p, port);
		}
	}
	if (now > f->now)
		f->now = now;
}
