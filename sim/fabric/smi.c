/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Directed routes (IBA volume 1, sections 14.2.2.2 and 14.2.2.4): C14-9 for the initial path, C14-13 for the
 * return path. */
#include "sim/fabric/internal.h"

/* Sends the packet out of a port of this node, with permissive LIDs. */
static enum smi smi_out(struct fabric *f, struct packet *p, struct port *at, unsigned int number,
			struct port **out)
{
	struct node *node = &f->nodes[at->node];

	/* A CA or router can only use the port that has the packet. */
	if (!number || number > node->nports || (!is_switch(node) && number != at->number))
		return SMI_INVALID;
	p->head.slid = p->head.dlid = FABRIC_LID_PERMISSIVE;
	*out = node_port(f, node, number);
	return SMI_OUT;
}

/* Ends the directed part: the packet is for the agent of this node, or continues by LID, which only a switch
 * can do. */
static enum smi smi_end(struct fabric *f, struct packet *p, struct port *at, uint16_t lid)
{
	if (lid == FABRIC_LID_PERMISSIVE)
		return SMI_HERE;
	if (!is_switch(&f->nodes[at->node]))
		return SMI_INVALID;
	p->head.slid = (uint16_t)field_get(MADKIT_PORT_INFO_LID, end_port_of(f, at)->info);
	p->head.dlid = lid;
	return SMI_ROUTE;
}

enum smi smi_step(struct fabric *f, struct packet *p, struct port *at, struct port **next)
{
	uint8_t *pointer = &p->mad[MADKIT_MAD_HOP_POINTER];
	unsigned int count = p->mad[MADKIT_MAD_HOP_COUNT];
	uint8_t *there = p->mad + MADKIT_SMP_INITIAL_PATH, *back = p->mad + MADKIT_SMP_RETURN_PATH;
	bool can_pass = is_switch(&f->nodes[at->node]);

	if (count > 63)
		return SMI_INVALID;
	if (!(p->mad[MADKIT_MAD_STATUS] & MAD_DIRECTION)) {
		if (count && !*pointer)
			return smi_out(f, p, at, there[++*pointer], next);
		if (*pointer && *pointer < count && can_pass) {
			back[*pointer] = at->number;
			return smi_out(f, p, at, there[++*pointer], next);
		}
		if (*pointer == count) {
			if (count)
				back[*pointer] = at->number;
			++*pointer;
			return smi_end(f, p, at, get_be16(p->mad + MADKIT_SMP_DR_DLID));
		}
		return *pointer == count + 1 ? SMI_HERE : SMI_INVALID;
	}
	if ((count && *pointer == count + 1) || (*pointer >= 2 && *pointer <= count && can_pass))
		return smi_out(f, p, at, back[--*pointer], next);
	if (*pointer == 1) {
		--*pointer;
		return smi_end(f, p, at, get_be16(p->mad + MADKIT_SMP_DR_SLID));
	}
	return !*pointer ? SMI_HERE : SMI_INVALID;
}
