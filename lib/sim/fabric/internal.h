/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Packets, and what the parts of a fabric have for each other. */
#ifndef SIM_FABRIC_INTERNAL_H
#define SIM_FABRIC_INTERNAL_H

#include "sim/fabric/fabric.h"

struct packet {
	struct heap_link link; /* in the fabric's queue */
	uint32_t port;         /* that it reaches */
	bool leaves;           /* it has not left its node yet */
	bool corrupt;          /* whoever receives it finds its CRC wrong */
	uint8_t hops;          /* LID-routed so far */
	uint8_t trap;          /* enum fabric_trap + 1: repeats it; 0: none */
	uint8_t repeats;
	struct fabric_head head;
	uint8_t mad[MADKIT_MAD_BYTES];
	struct packet *next; /* of the spare ones */
};

/* nodes.c: takes a link down and, where both ends try, up again, at the best rate that
 * both have. by is the port that a manager told to, NULL: none; it knows. */
void link_train(struct fabric *f, struct port *port, const struct port *by);
/* Tells of a state that was set. */
void port_tell_state(struct fabric *f, const struct port *port, unsigned int was);

/* packet.c */
struct packet *packet_new(struct fabric *f, const struct fabric_head *head, const uint8_t *mad);
/* Whether there is room for copies, whose number has no other bound. */
bool packet_room(const struct fabric *f);
void packet_queue(struct fabric *f, struct packet *p, uint64_t due);
void packet_drop(struct fabric *f, struct packet *p, const struct port *at, enum fabric_drop why);
void packet_done(struct fabric *f, struct packet *p);
/* Out of a node's inside. */
void packet_leave(struct fabric *f, struct packet *p, struct port *from);
/* Out of a port, over its cable. */
void packet_transmit(struct fabric *f, struct packet *p, struct port *out);
/* fault.c: the same for what has left the port, so long before it arrives. */
void fault_transmit(struct faults *faults, struct packet *p, struct port *out, uint64_t hop_ns);
/* By LID, from a node's inside or from where it came in. */
void packet_route(struct fabric *f, struct packet *p, struct port *at);
/* To the end port's agents, else to the caller. */
void packet_deliver(struct fabric *f, struct packet *p, struct port *end, struct port *in);
static inline bool packet_is_smp(const struct packet *p)
{
	return p->head.qp == 0;
}

/* smi.c: one step of a directed route, at the node that has it now. */
void smi_step(struct fabric *f, struct packet *p, struct port *at);

#endif
