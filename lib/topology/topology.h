/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Nodes and the links between their ports, as described by a topology file. There are two dialects. The
 * output of ibnetdiscover has a line for each identifier, and the LIDs and rates are in comments. ibsim also
 * reads that, and files with names in place of GUIDs and w=, s=, e= for the values enabled at a port.
 *
 *   Switch 8 "leaf1"  # "leaf1 rack1" base port 0 lid 3 lmc 0
 *   [1] "node1"[1] w=3 s=7 e=3
 *
 *   Ca 1 "node1"      # "node1 HCA-1"
 *   [1](100003) "leaf1"[1]  # lid 4 lmc 0 "leaf1 rack1" lid 3 4xEDR
 *
 * Text that is not understood is an error, even if ibsim would skip it. The ibsim commands include, module,
 * do and pdebug, and aliases (@), are rejected.
 */
#ifndef TOPOLOGY_TOPOLOGY_H
#define TOPOLOGY_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>
#include <madkit/buf.h>
#include <madkit/error.h>
#include "util/private.h"
#include "util/table.h"

enum {
	TOPOLOGY_NODES_MAX = 1 << 16,
	TOPOLOGY_PORTS_MAX = 1 << 21, /* in all nodes */
	TOPOLOGY_NODE_PORTS_MAX = 254,
	TOPOLOGY_BYTES_MAX = 1 << 28, /* of a file */
	TOPOLOGY_NAME_MAX = 64,
	TOPOLOGY_DESCRIPTION_MAX = 64,
};

/* How the descriptions of aggregation nodes of SHARP begin: parts of switches that look like hosts. */
#define TOPOLOGY_AGGREGATION "Mellanox Technologies Aggregation Node"

/* Same as in NodeInfo. */
enum topology_type {
	TOPOLOGY_CA = 1,
	TOPOLOGY_SWITCH = 2,
	TOPOLOGY_ROUTER = 3,
};

/* Widths are bits of PortInfo; speeds have one bit each, in ascending order. */
enum {
	TOPOLOGY_1X = 1,
	TOPOLOGY_4X = 2,
	TOPOLOGY_8X = 4,
	TOPOLOGY_12X = 8,
	TOPOLOGY_2X = 16,

	TOPOLOGY_SDR = 1 << 0,
	TOPOLOGY_DDR = 1 << 1,
	TOPOLOGY_QDR = 1 << 2,
	TOPOLOGY_FDR10 = 1 << 3,
	TOPOLOGY_FDR = 1 << 4,
	TOPOLOGY_EDR = 1 << 5,
	TOPOLOGY_HDR = 1 << 6,
	TOPOLOGY_NDR = 1 << 7,
	TOPOLOGY_XDR = 1 << 8,
};

#define TOPOLOGY_NONE UINT32_MAX

struct topology_port {
	uint64_t guid;   /* 0: external port of a switch */
	uint32_t peer;   /* node at the other end, or TOPOLOGY_NONE */
	uint16_t lid;    /* 0: none. A switch has it at port 0 */
	uint16_t speeds; /* enabled */
	uint16_t speeds_supported;
	uint16_t speed; /* limit, because the link is degraded; 0: not limited */
	uint8_t widths; /* enabled */
	uint8_t widths_supported;
	uint8_t width; /* limit, as speed */
	uint8_t peer_port;
	uint8_t lmc;
};

struct topology_node {
	uint64_t guid;
	uint64_t system_guid;
	uint32_t vendor;
	uint32_t first; /* index in ports of its port 0, which only a switch uses */
	uint16_t device;
	uint8_t type;   /* enum topology_type */
	uint8_t nports; /* without port 0 */
	bool enhanced;  /* port 0 is enhanced */
	char name[TOPOLOGY_NAME_MAX + 1];
	char description[TOPOLOGY_DESCRIPTION_MAX + 1];
};

struct topology {
	struct topology_node *nodes;
	uint32_t nnodes;
	uint32_t nodes_cap;
	struct topology_port *ports;
	uint32_t nports;
	uint32_t ports_cap;
	struct table names, guids, port_guids;
};

/* topology_new() returns NULL if out of memory. topology_free() accepts NULL. */
struct topology *topology_new(void);
void topology_free(struct topology *t) MADKIT_PRIVATE(topology_free);

/* Reads the bytes of a file. Returns 0; -EINVAL, -EEXIST, -ENOENT, -E2BIG or -ENOMEM. On failure there is no
 * topology, and error has the line, the column, the expected and the actual text; its position is an
 * offset in text. */
int topology_read(const char *text, size_t len, struct topology **topology, struct madkit_error *error)
	MADKIT_PRIVATE(topology_read);

/* Appends the topology in the format of ibnetdiscover, without its first comments: switches, then CAs, then
 * routers, each in the order of the topology. Check buf->error afterwards. */
void topology_write(const struct topology *t, struct madkit_buf *buf) MADKIT_PRIVATE(topology_write);

static inline struct topology_port *topology_port(const struct topology *t, uint32_t node, unsigned int port)
{
	return &t->ports[t->nodes[node].first + port];
}

/* Sets the name that ibnetdiscover forms from a type and a GUID: "S-0008f10400411a4e". */
void topology_name(unsigned int type, uint64_t guid, char name[TOPOLOGY_NAME_MAX + 1]);

/* Returns the node with this name, or TOPOLOGY_NONE. */
uint32_t topology_find(const struct topology *t, const char *name, size_t len);

/* Return the width and the speed of a link, one bit each: the best that both ends have enabled, unless the
 * link is degraded. 0: the ends have none in common, or the port has no link. */
unsigned int topology_width(const struct topology *t, const struct topology_port *port);
unsigned int topology_speed(const struct topology *t, const struct topology_port *port);
/* Return names such as "4x" and "EDR". */
const char *topology_width_name(unsigned int width) MADKIT_PRIVATE(topology_width_name);
const char *topology_speed_name(unsigned int speed) MADKIT_PRIVATE(topology_speed_name);
/* Return the preferred one of several widths, and the highest one of several speeds; 0: there is none. */
unsigned int topology_best_width(unsigned int common) MADKIT_PRIVATE(topology_best_width);
unsigned int topology_best_speed(unsigned int common) MADKIT_PRIVATE(topology_best_speed);
/* Return those of several widths or speeds that a link limited to one width or speed can have; limit 0:
 * all. */
unsigned int topology_limit_widths(unsigned int mask, unsigned int limit)
	MADKIT_PRIVATE(topology_limit_widths);
unsigned int topology_limit_speeds(unsigned int mask, unsigned int limit)
	MADKIT_PRIVATE(topology_limit_speeds);
/* Return everything that a port supports (and by default enables) if this is its best width or speed. */
unsigned int topology_widths_up_to(unsigned int width, unsigned int speed)
	MADKIT_PRIVATE(topology_widths_up_to);
unsigned int topology_speeds_up_to(unsigned int speed) MADKIT_PRIVATE(topology_speeds_up_to);
/* Return the lanes of a width, and the rate of a lane in units of 100 Mbit/s; 0: not exactly one width or
 * speed. */
unsigned int topology_lanes(unsigned int width) MADKIT_PRIVATE(topology_lanes);
unsigned int topology_lane_rate(unsigned int speed) MADKIT_PRIVATE(topology_lane_rate);

/* ---- made by hand: what the reader and the generators do ------------------------- */

/* Adds a copy of node, with all its ports, unlinked. Its GUIDs are not checked yet. Returns 0; -EEXIST if
 * another node has its name; -E2BIG if there are too many nodes or ports; or -ENOMEM. */
int topology_add(struct topology *t, const struct topology_node *node, uint32_t *added);
/* Links two ports. */
void topology_link(struct topology *t, uint32_t a, unsigned int port_a, uint32_t b, unsigned int port_b);
/* Register the GUID of a node, or of an end port. Return 0; -EEXIST if another one has it (*owner: the other node); or
 * -ENOMEM. Ports of a channel adapter that have one GUID are planes of one port. */
int topology_guid(struct topology *t, uint32_t node, uint32_t *owner);
int topology_port_guid(struct topology *t, uint32_t node, unsigned int port);
/* Checks if an end port has this GUID. */
bool topology_has_port_guid(const struct topology *t, uint64_t guid);

#endif
