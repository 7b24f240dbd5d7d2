/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Packets, and what the parts of a fabric have for each other. */
#ifndef SIM_FABRIC_INTERNAL_H
#define SIM_FABRIC_INTERNAL_H

#include "sim/fabric/fabric.h"

/* struct packet.trap of a packet that only ends the training of a link, begins or ends a sample, or makes a link flap. */
enum { PACKET_TRAINING = 0xff, PACKET_SAMPLE = 0xfe, PACKET_FLAP = 0xfd };

struct packet {
	struct heap_link link; /* in the fabric's queue */
	uint32_t port;         /* that it reaches */
	bool leaves;           /* it has not left its node yet */
	bool served;           /* at the agents of its node, until it is due */
	bool corrupt;          /* whoever receives it finds its CRC wrong */
	uint8_t hops;          /* LID-routed so far */
	uint8_t trap;          /* enum fabric_trap + 1: repeats it; PACKET_...; 0: none */
	uint8_t repeats;
	struct fabric_head head;
	uint8_t mad[MADKIT_MAD_BYTES];
	struct packet *next; /* of the spare ones */
};

/* nodes.c: takes a link down and, where both ends try, up again, at the best rate that
 * both have. by is the port that a manager told to, NULL: none; it knows. */
void link_train(struct fabric *f, struct port *port, const struct port *by);
/* The training of the link at this port ends, unless it has begun anew since. */
void link_trained(struct fabric *f, struct port *port);
/* The link at this port flaps, unless that has ended since. False: it has. */
bool link_flaps(struct fabric *f, struct port *port);
/* Tells of a state that was set. */
void port_tell_state(struct fabric *f, const struct port *port, unsigned int was);

/* EDR and faster links of this port have RS-FEC. */
static inline bool port_has_rsfec(const struct port *port)
{
	return field_get(MADKIT_PORT_INFO_LINK_SPEED_EXT_SUPPORTED, port->info) >> 1 ||
	       field_get(MADKIT_PORT_INFO_LINK_SPEED_EXT_SUPPORTED2, port->info);
}
/* RS-FEC is active: FECModeActive of PortInfoExtended. */
static inline bool port_rsfec_active(const struct port *port)
{
	return field_get(MADKIT_PORT_INFO_LINK_SPEED_EXT_ACTIVE, port->info) >> 1 ||
	       field_get(MADKIT_PORT_INFO_LINK_SPEED_EXT_ACTIVE2, port->info);
}
/* Whether any port of the node has. */
static inline bool node_has_rsfec(struct fabric *f, const struct node *node)
{
	unsigned int n = 1;

	while (n <= node->nports && !port_has_rsfec(node_port(f, node, n)))
		n++;
	return n <= node->nports;
}

/* packets.c */
struct packet *packet_new(struct fabric *f, const struct fabric_head *head, const uint8_t *mad);
/* Whether there is room for copies, whose number has no other bound. */
bool packet_room(const struct fabric *f);
void packet_queue(struct fabric *f, struct packet *p, uint64_t due);
void packet_drop(struct fabric *f, struct packet *p, const struct port *at, enum fabric_drop why);
void packet_done(struct fabric *f, struct packet *p);
/* fault.c: over the cable of a port that the packet has left, so long before it arrives. */
void fault_transmit(struct faults *faults, struct packet *p, struct port *out, uint64_t hop_ns);
/* fault.c: the rules of FAULT_ANSWER, for a request that an agent of the node received at the port in. True: one
 * applies, and another is the request to answer instead: a Get, also for a Set. */
bool fault_answer(struct faults *faults, const struct packet *p, const struct port *in, uint8_t *another);
static inline bool packet_is_smp(const struct packet *p)
{
	return p->head.qp == 0;
}

/* Whether the agent of an end port leaves an SMP to the programs there: it is not a request, nor TrapRepress of a
 * trap of the agent, or it is for a subnet manager that runs there. Only the transaction IDs of programs
 * have an upper half: a standby opensm sends traps to its master. */
static inline bool smp_is_for_programs(const struct port *end, const uint8_t *mad)
{
	uint8_t method = mad[MADKIT_MAD_METHOD];
	bool repress = method == MADKIT_METHOD_TRAP_REPRESS && !get_be32(mad + MADKIT_MAD_TID);

	return (!method_wants_response(method) && !repress) ||
	       (get_be16(mad + MADKIT_MAD_ATTRIBUTE) == MADKIT_ATTR_SM_INFO &&
		(field_get(MADKIT_PORT_INFO_CAP_MASK, end->info) & MADKIT_CAP_MASK_IS_SM));
}

/* Whether an agent of the node answers a MAD to its QP 1. */
static inline bool gmp_is_for_agents(const uint8_t *mad)
{
	uint8_t mgmt_class = mad[MADKIT_MAD_CLASS];

	return (mgmt_class == MADKIT_CLASS_PERF || mgmt_class == MADKIT_CLASS_CC) &&
	       method_wants_response(mad[MADKIT_MAD_METHOD]);
}

/* smi.c: one step of a directed route, at the node that has the packet now: where it is to go. */
enum smi {
	SMI_OUT,   /* over the cable of port *next */
	SMI_HERE,  /* to the agents of the node */
	SMI_ROUTE, /* by LID */
	SMI_INVALID,
};
enum smi smi_step(struct fabric *f, struct packet *p, struct port *at, struct port **next);

#endif
