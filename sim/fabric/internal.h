/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Packets, and interfaces between the parts of a fabric. */
#ifndef SIM_FABRIC_INTERNAL_H
#define SIM_FABRIC_INTERNAL_H

#include "sim/fabric/fabric.h"
#include "topology/port_info.h"

/* Values of struct packet.trap for a packet that is only a timer: the training of a link ends, a sample
 * begins or ends, or a link flaps. */
enum { PACKET_TRAINING = 0xff, PACKET_SAMPLE = 0xfe, PACKET_FLAP = 0xfd };

struct packet {
	struct heap_link link; /* in the fabric's queue */
	uint32_t port;         /* index in ports: where it is when it is due */
	bool leaves;           /* it has not left its node yet */
	bool served;           /* an agent of its node processes it until it is due */
	bool corrupt;          /* the receiver finds a wrong CRC */
	uint8_t hops;          /* LID-routed hops so far */
	uint8_t trap;          /* enum fabric_trap + 1: a trap to repeat; PACKET_...: a timer; 0: neither */
	uint8_t repeats;
	struct fabric_head head;
	uint8_t mad[MADKIT_MAD_BYTES];
	struct packet *next; /* in the list of spare packets */
};

enum { LINK_MTU_CAP = 5 }; /* 4096 */

static inline bool node_is_mellanox(const struct node *node)
{
	return field_get(MADKIT_NODE_INFO_VENDOR_ID, node->info) == MADKIT_OUI_MELLANOX;
}

/* link.c: gets the rates of a port, sets those that it supports and enables, sets the active one. */
struct link_rates port_rates(const struct port *port);
void port_put_rates(const struct fabric *f, struct port *port, const struct link_rates *rates);
void port_set_active(struct port *port, unsigned int width, unsigned int speed);
/* Sets the bits for links in the CapabilityMask2 of an end port; those of a switch are for all its ports.
 * Without these bits, managers take the widths and speeds for slower ones. */
void port_announce_rates(struct fabric *f, struct port *end);
/* Changes and reports the state of a port. by is as for link_train(). */
void port_change_state(struct fabric *f, struct port *port, unsigned int state, unsigned int phys,
		       const struct port *by);
/* Takes a link down and, if both ends allow it, trains it and brings it up at the best common rate.
 * by is the port that a manager has set, or NULL if there is none: this port does not count the loss of the
 * link, and its change of state neither sets PortStateChange nor sends trap 128. */
void link_train(struct fabric *f, struct port *port, const struct port *by);
/* loss.c: notes at both ends why a link goes down. by is as for link_train(). */
void loss_note(struct fabric *f, struct port *port, struct port *peer, const struct port *by);
/* Ends the training of the link at this port, unless it has been restarted. */
void link_trained(struct fabric *f, struct port *port);
/* Plugs or unplugs the cable of a link that flaps. Returns false if it no longer flaps. */
bool link_flaps(struct fabric *f, struct port *port);
/* Reports a port state that was set, unless it is equal to the previous state. */
void port_tell_state(struct fabric *f, const struct port *port, unsigned int was);

/* Returns true if the port supports EDR or faster, which use RS-FEC. */
static inline bool port_has_rsfec(const struct port *port)
{
	return field_get(MADKIT_PORT_INFO_LINK_SPEED_EXT_SUPPORTED, port->info) >> 1 ||
	       field_get(MADKIT_PORT_INFO_LINK_SPEED_EXT_SUPPORTED2, port->info);
}
/* Returns true if RS-FEC is active: FECModeActive of PortInfoExtended. */
static inline bool port_rsfec_active(const struct port *port)
{
	return field_get(MADKIT_PORT_INFO_LINK_SPEED_EXT_ACTIVE, port->info) >> 1 ||
	       field_get(MADKIT_PORT_INFO_LINK_SPEED_EXT_ACTIVE2, port->info);
}
/* Returns true if a port of the node supports RS-FEC. */
static inline bool node_has_rsfec(struct fabric *f, const struct node *node)
{
	unsigned int n = 1;

	while (n <= node->nports && !port_has_rsfec(node_port(f, node, n)))
		n++;
	return n <= node->nports;
}

/* packets.c: returns NULL if out of memory. */
struct packet *packet_new(struct fabric *f, const struct fabric_head *head, const uint8_t *mad);
/* Returns true if there is room for copies, the number of which has no other limit. */
bool packet_room(const struct fabric *f);
void packet_queue(struct fabric *f, struct packet *p, uint64_t due);
void packet_drop(struct fabric *f, struct packet *p, const struct port *at, enum fabric_drop why);
void packet_done(struct fabric *f, struct packet *p);
/* fault.c: applies the rules to a packet that has left the port out, and queues it to arrive after hop_ns. */
void fault_transmit(struct faults *faults, struct packet *p, struct port *out, uint64_t hop_ns);
/* fault.c: applies the FAULT_ANSWER rules to a request that an agent received at the port in. Returns true if
 * a rule applies; another is then the request to answer instead, always a Get. */
bool fault_answer(struct faults *faults, const struct packet *p, const struct port *in, uint8_t *another);
static inline bool packet_is_smp(const struct packet *p)
{
	return p->head.qp == 0;
}

/* Returns true if the agent of an end port leaves an SMP to the programs there: it is neither a request nor
 * the TrapRepress of a trap of the agent, or it is for a subnet manager that runs there. Only the transaction
 * IDs of programs have an upper half: a standby opensm sends traps to its master. */
static inline bool smp_is_for_programs(const struct port *end, const uint8_t *mad)
{
	uint8_t method = mad[MADKIT_MAD_METHOD];
	bool repress = method == MADKIT_METHOD_TRAP_REPRESS && !get_be32(mad + MADKIT_MAD_TID);

	return (!method_wants_response(method) && !repress) ||
	       (get_be16(mad + MADKIT_MAD_ATTRIBUTE) == MADKIT_ATTR_SM_INFO &&
		(field_get(MADKIT_PORT_INFO_CAP_MASK, end->info) & MADKIT_CAP_MASK_IS_SM));
}

/* Returns true for a request of the class Mlnx that the node answers. */
static inline bool vendor_is_asked(const struct node *node, const uint8_t *mad)
{
	/* an attribute of SMPs; mstflint also sends it in this class */
	enum { REGISTER_ACCESS = 0xff52 };
	const uint16_t attribute = get_be16(mad + MADKIT_MAD_ATTRIBUTE);
	const bool get = mad[MADKIT_MAD_METHOD] == MADKIT_METHOD_GET;

	if (mad[MADKIT_MAD_CLASS] != MADKIT_CLASS_MLNX ||
	    (!get && mad[MADKIT_MAD_METHOD] != MADKIT_METHOD_SET))
		return false;
	if (attribute == MADKIT_ATTR_GENERAL_INFO)
		return get && (node->firmware.known || node->device);
	return node->device && (attribute == MADKIT_ATTR_CONFIG_SPACE_ACCESS ||
				attribute == MADKIT_ATTR_ACCESS_REGISTER_GMP || attribute == REGISTER_ACCESS);
}

enum { VENDOR_SMP_GENERAL_INFO = 0xff17 };
/* vendor.c: reads an attribute of SMPs, VENDOR_SMP_GENERAL_INFO or MLNXConfigSpaceAccess. Returns the status. */
int vendor_read_smp(const struct fabric *f, const struct node *node, uint16_t attribute, uint32_t modifier,
		    uint8_t *data);
/* vendor.c: answers a request that arrived at the end port; mad becomes the response. Returns false if its V_Key is wrong
 * and the node does not answer that. */
bool vendor_answer(struct fabric *f, struct port *end, uint8_t *mad);

/* Returns true if an agent of the node answers a MAD to QP1. */
static inline bool gmp_is_for_agents(const struct node *node, const uint8_t *mad)
{
	uint8_t mgmt_class = mad[MADKIT_MAD_CLASS];

	return ((mgmt_class == MADKIT_CLASS_PERF || mgmt_class == MADKIT_CLASS_CC) &&
		method_wants_response(mad[MADKIT_MAD_METHOD])) ||
	       vendor_is_asked(node, mad);
}

/* smi.c: processes one step of a directed route at the node that has the packet. Returns where the packet
 * goes. */
enum smi {
	SMI_OUT,   /* out of port *next */
	SMI_HERE,  /* to the agent of the node */
	SMI_ROUTE, /* by LID */
	SMI_INVALID,
};
enum smi smi_step(struct fabric *f, struct packet *p, struct port *at, struct port **next);

#endif
