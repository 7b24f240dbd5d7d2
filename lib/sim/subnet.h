/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a subnet manager knows of its subnet: a copy of what it has read from the nodes and
 * written there. The SA's records are made of it.
 */
#ifndef SIM_SUBNET_H
#define SIM_SUBNET_H

#include <stdbool.h>
#include <stdint.h>
#include "sim/fabric.h"
#include "sim/index.h"

#define SUBNET_NONE UINT32_MAX

struct subnet_port {
	uint8_t info[FABRIC_INFO_BYTES];	/* PortInfo */
	uint32_t peer;		/* in ports; SUBNET_NONE */
	uint32_t node;
	uint8_t number;
	bool end;		/* has a LID: of a CA or router, or a switch's port 0 */
	uint64_t guid;		/* of an end port */
	uint8_t *pkeys;		/* FABRIC_PKEYS * 2 bytes of an end port, as P_KeyTable has them */
	uint8_t *guids;		/* FABRIC_GUIDS * 8 bytes of an end port, as GUIDInfo has them */
	uint8_t *arbitration;	/* 4 blocks of VLArbitrationTable; NULL: not read */
};

struct subnet_node {
	uint8_t info[FABRIC_INFO_BYTES];	/* NodeInfo */
	uint8_t description[FABRIC_INFO_BYTES];
	uint8_t switch_info[FABRIC_INFO_BYTES];
	uint32_t first;		/* in ports: its port 0 (an unused place but for switches) */
	uint8_t nports;
	uint8_t type;		/* enum topology_type */
	uint64_t guid;
	uint8_t *linear;	/* a port for each LID below subnet.nlids; 255: none */
	uint8_t *multicast;	/* as struct node has it; NULL: none is set */
	uint8_t *sl2vl;		/* 8 bytes for each pair of ports, in (nports + 1) * in + out; NULL: not read */
};

struct subnet {
	struct subnet_node *nodes;
	uint32_t nnodes;
	struct subnet_port *ports;
	uint32_t nports;
	uint32_t *lids;		/* the end port of each LID, in ports; SUBNET_NONE */
	uint32_t nlids;		/* the highest given, and one */
	struct index guids;	/* end ports by GUID */
	uint32_t sm_port;	/* where the manager is, in ports */
	uint64_t generation;	/* changes when anything here does */
};

#endif
