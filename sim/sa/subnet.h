/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A subnet manager's view of its subnet: a copy of the data that it has read from the nodes and written to them.
 * The SA builds its records from it.
 *
 * Each sweep replaces it by a new one: the numbers of nodes and ports then change, and sa_subnet_changed()
 * is called before anything else. Anything that must outlast a sweep is identified by its GUID.
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
	uint32_t peer;                   /* index into ports, or SUBNET_NONE */
	uint32_t node;
	uint8_t number;
	/* It has a LID or is to be assigned one: a port of a CA or router that the manager has reached, or
	 * port 0 of a switch. */
	bool end;
	uint64_t guid; /* of an end port */
	/* of an end port; NULL: not read */
	uint8_t *pkeys; /* FABRIC_PKEYS * 2 bytes, as in P_KeyTable */
	uint8_t *guids; /* FABRIC_GUIDS * 8 bytes, as in GUIDInfo */
	/* 4 consecutive blocks of VLArbitrationTable; NULL: not read */
	uint8_t *arbitration;
};

struct subnet_node {
	/* NodeInfo, with the LocalPort and PortGUID of the port that was found first */
	uint8_t info[FABRIC_INFO_BYTES];
	uint8_t description[FABRIC_INFO_BYTES];
	uint8_t switch_info[FABRIC_INFO_BYTES];
	uint32_t first; /* index of port 0 in ports (unused unless the node is a switch) */
	uint8_t nports;
	uint8_t type; /* enum topology_type */
	uint64_t guid;
	/* Output port for each LID below nlinear, 255: no route. Only of a switch that has been
	 * programmed. */
	uint8_t *linear;
	uint32_t nlinear; /* a multiple of 64; higher LIDs have no route */
	/* Blocks of MulticastForwardingTable, at index block * (nports / 16 + 1) + position, for
	 * FABRIC_MULTICAST_CAP LIDs; NULL: none is set */
	uint8_t *multicast;
	/* SLtoVLMappingTable: 8 bytes per pair of ports, at index (nports + 1) * in + out; in is 0 for an
	 * adapter. NULL: not read */
	uint8_t *sl2vl;
};

struct subnet {
	struct subnet_node *nodes;
	uint32_t nnodes, nodes_cap;
	struct subnet_port *ports;
	uint32_t nports, ports_cap;
	uint32_t *lids;     /* end port of each LID below nlids: index into ports, or SUBNET_NONE */
	uint32_t nlids;     /* highest assigned LID plus 1; 0: none is assigned yet */
	struct table guids; /* end ports by GUID */
	struct table node_guids;
	uint32_t sm_port;    /* the manager's port: index into ports */
	uint64_t generation; /* changes when anything here does */
};

/* Frees the contents and leaves an empty subnet: all zeros. */
void subnet_free(struct subnet *s);

/* Adds a node with all its ports, which are empty. Returns 0, or -ENOMEM and leaves the subnet unchanged. */
int subnet_add(struct subnet *s, uint64_t guid, uint8_t type, uint8_t nports, uint32_t *node);
/* Marks a port as an end port with this GUID. Returns 0 or -ENOMEM. */
int subnet_add_end(struct subnet *s, uint32_t port, uint64_t guid);

/* Find a node by GUID, an end port by GUID, an end port by LID. Return SUBNET_NONE if there is none. */
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

/* Returns the end port that a port belongs to: port 0 of a switch, otherwise the port itself. */
static inline uint32_t subnet_end_of(const struct subnet *s, uint32_t port)
{
	const struct subnet_node *node = subnet_node_of(s, port);

	return subnet_is_switch(node) ? node->first : port;
}

#endif
