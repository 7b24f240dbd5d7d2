/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Directed routes (IBA volume 1, sections 14.2.2.2 and 14.2.2.4): C14-9 on the way
 * there, C14-13 on the way back. */
#include <string.h>
#include "sim/fabric/internal.h"

enum { DIRECTION = 0x80 }; /* in the first byte of the status */

/* Over a cable of this node, which is no LID's affair. */
static void out(struct fabric *f, struct packet *p, struct port *at, unsigned int number)
{
	struct node *node = &f->nodes[at->node];

	/* an adapter has but the port that it is at */
	if (!number || number > node->nports || (!is_switch(node) && number != at->number)) {
		packet_drop(f, p, at, DROP_DIRECTED_ROUTE);
		return;
	}
	p->head.slid = p->head.dlid = FABRIC_LID_PERMISSIVE;
	packet_transmit(f, p, node_port(f, node, number));
}

/* The directed part has ended: to this node's agent, or on by LID, which a switch can. */
static void smi_end(struct fabric *f, struct packet *p, struct port *at, uint16_t lid)
{
	struct port *own = end_port_of(f, at);

	if (lid == FABRIC_LID_PERMISSIVE) {
		packet_deliver(f, p, own, at);
	} else if (is_switch(&f->nodes[at->node])) {
		p->head.slid = (uint16_t)field_get(MADKIT_PORT_INFO_LID, own->info);
		p->head.dlid = lid;
		packet_route(f, p, own);
	} else {
		packet_drop(f, p, at, DROP_DIRECTED_ROUTE);
	}
}

void smi_step(struct fabric *f, struct packet *p, struct port *at)
{
	uint8_t *pointer = &p->mad[MADKIT_MAD_HOP_POINTER];
	unsigned int count = p->mad[MADKIT_MAD_HOP_COUNT];
	uint8_t *there = p->mad + MADKIT_SMP_INITIAL_PATH, *back = p->mad + MADKIT_SMP_RETURN_PATH;
	bool can_pass = is_switch(&f->nodes[at->node]);

	if (count > 63) {
		packet_drop(f, p, at, DROP_DIRECTED_ROUTE);
	} else if (!(p->mad[MADKIT_MAD_STATUS] & DIRECTION)) {
		if (count && !*pointer) {
			out(f, p, at, there[++*pointer]);
		} else if (*pointer && *pointer < count && can_pass) {
			back[*pointer] = at->number;
			out(f, p, at, there[++*pointer]);
		} else if (*pointer == count) {
			if (count)
				back[*pointer] = at->number;
			++*pointer;
			smi_end(f, p, at, get_be16(p->mad + MADKIT_SMP_DR_DLID));
		} else if (*pointer == count + 1) {
			packet_deliver(f, p, end_port_of(f, at), at);
		} else {
			packet_drop(f, p, at, DROP_DIRECTED_ROUTE);
		}
	} else {
		if (count && *pointer == count + 1) {
			out(f, p, at, back[--*pointer]);
		} else if (*pointer >= 2 && *pointer <= count && can_pass) {
			out(f, p, at, back[--*pointer]);
		} else if (*pointer == 1) {
			--*pointer;
			smi_end(f, p, at, get_be16(p->mad + MADKIT_SMP_DR_SLID));
		} else if (!*pointer) {
			packet_deliver(f, p, end_port_of(f, at), at);
		} else {
			packet_drop(f, p, at, DROP_DIRECTED_ROUTE);
		}
	}
}
