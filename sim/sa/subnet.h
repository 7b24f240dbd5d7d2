/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a subnet manager knows of its subnet: a copy of what it has read from the nodes and
 * written there. The SA's records are made of it.
 *
 * A sweep makes a new one and puts it where the old one was: then the numbers of nodes and
 * ports are others, and sa_subnet_changed() is called before anything else. What is to last
 * longer is remembered by its GUID.
 */
#ifndef SIM_SA_SUBNET_H
#define SIM_SA_SUBNET_H

#include <stdbool.h>
#include <stdint.h>
#include "sim/fabric/fabric.h"
#include "util/table.h"

#define SUBNET_NONE UINT32_MAX

enum { SUBNET_ARBITRATION_BYTES = 4 * FABRIC_INFO_BYTES };

struct subnet_port {
	uint8_t info[FABRIC_INFO_BYTES]; /* PortInfo; all zeros: not read */
	uint32_t peer;                   /* in ports; SUBNET_NONE */
	uint32_t node;
	uint8_t number;
	/* Has a LID or is to have one: a port of a CA or router that the manager has
	 * reached, or a switch's port 0. */
	bool end;
	uint64_t guid; /* of an end port */
	/* of an end port; NULL: not read */
	uint8_t *pkeys; /* FABRIC_PKEYS * 2 bytes, as P_KeyTable has them */
	uint8_t *guids; /* FABRIC_GUIDS * 8 bytes, as GUIDInfo has them */
	/* 4 blocks of VLArbitrationTable, one after the other; NULL: not read */
	uint8_t *arbitration;
};

struct subnet_node {
	/* NodeInfo; its LocalPort and PortGUID are those of the port that was found first */
	uint8_t info[FABRIC_INFO_BYTES];
	uint8_t description[FABRIC_INFO_BYTES];
	uint8_t switch_info[FABRIC_INFO_BYTES];
	uint32_t first; /* in ports: its port 0 (an unused place but for switches) */
	uint8_t nports;
	uint8_t type; /* enum topology_type */
	uint64_t guid;
	/* A port for each LID below nlinear, 255: none; of a switch that is programmed. */
	uint8_t *linear;
	uint32_t nlinear; /* a multiple of 64; the LIDs above have no route */
	/* Blocks of MulticastForwardingTable, in block * (nports / 16 + 1) + position, for
	 * FABRIC_MULTICAST_CAP LIDs; NULL: none is set */
	uint8_t *multicast;
	/* SLtoVLMappingTable: 8 bytes for each pair of ports, in (nports + 1) * in + out; an
	 * adapter's: in = 0. NULL: not read */
	uint8_t *sl2vl;
};

struct subnet {
	struct subnet_node *nodes;
	uint32_t nnodes, nodes_cap;
	struct subnet_port *ports;
	uint32_t nports, ports_cap;
	uint32_t *lids;     /* the end port of each LID below nlids, in ports; SUBNET_NONE */
	uint32_t nlids;     /* the highest given, and one; 0: none is given yet */
	struct table guids; /* end ports by GUID */
	struct table node_guids;
	uint32_t sm_port;    /* where the manager is, in ports */
	uint64_t generation; /* changes when anything here does */
};

/* All zeros is an empty one, and is left by this. */
void subnet_free(struct subnet *s);

/* Adds a node with all its ports, of which nothing is known. 0, or -ENOMEM with what was. */
int subnet_add(struct subnet *s, uint64_t guid, uint8_t type, uint8_t nports, uint32_t *node);
/* Remembers that a port is an end port with this GUID. 0 or -ENOMEM. */
int subnet_add_end(struct subnet *s, uint32_t port, uint64_t guid);

/* By GUID: a node, an end port; by LID: an end port. SUBNET_NONE: there is none. */
uint32_t subnet_find_node(const struct subnet *s, uint64_t guid);
uint32_t subnet_find_port(const struct subnet *s, uint64_t guid);
static inline uint32_t subnet_find_lid(const struct subnet *s, uint32_t lid)
{
	return lid < s->nlids ? s->lids[lid] : SUBNET_NONE;
}

static inline const struct subnet_node *subnet_node_of(const struct subnet *s, uint32_t port)
{
	return &s->nodes[s->ports[port].node];
}

static inline bool subnet_is_switch(const struct subnet_node *node)
{
	return node->type == TOPOLOGY_SWITCH;
}

/* The end port that a port belongs to: a switch's is port 0. */
static inline uint32_t subnet_end_of(const struct subnet *s, uint32_t port)
{
	const struct subnet_node *node = subnet_node_of(s, port);

	return subnet_is_switch(node) ? node->first : port;
}

#endif
