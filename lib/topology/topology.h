/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which nodes there are and which of their ports are joined: what a topology file
 * says, in the two dialects that there are. ibnetdiscover prints the one, with a
 * line for each identifier and the LIDs and rates in comments; ibsim reads that
 * too, and the other: names in place of GUIDs, and w=, s=, e= for what is enabled at
 * a port.
 *
 *   Switch 8 "leaf1"  # "leaf1 rack1" base port 0 lid 3 lmc 0
 *   [1] "node1"[1] w=3 s=7 e=3
 *
 *   Ca 1 "node1"      # "node1 HCA-1"
 *   [1](100003) "leaf1"[1]  # lid 4 lmc 0 "leaf1 rack1" lid 3 4xEDR
 *
 * Nothing is read but what is understood: of ibsim's words, include, module, do,
 * pdebug and aliases (@) are refused; what it would leave out unread is an error.
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
	TOPOLOGY_PORTS_MAX = 1 << 21, /* of all nodes */
	TOPOLOGY_NODE_PORTS_MAX = 254,
	TOPOLOGY_BYTES_MAX = 1 << 28, /* of a file */
	TOPOLOGY_NAME_MAX = 64,
	TOPOLOGY_DESCRIPTION_MAX = 64,
};

/* As NodeInfo has them. */
enum topology_type {
	TOPOLOGY_CA = 1,
	TOPOLOGY_SWITCH = 2,
	TOPOLOGY_ROUTER = 3,
};

/* Widths are PortInfo's bits; speeds have one bit each, in ascending order. */
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
	uint64_t guid;   /* of a switch's external port: 0 */
	uint32_t peer;   /* node at the other end, or TOPOLOGY_NONE */
	uint16_t lid;    /* 0: none. A switch's is at its port 0 */
	uint16_t speeds; /* enabled */
	uint16_t speeds_supported;
	uint16_t speed; /* at most this one, because the link is degraded; 0: not limited */
	uint8_t widths; /* enabled */
	uint8_t widths_supported;
	uint8_t width; /* as speed */
	uint8_t peer_port;
	uint8_t lmc;
};

struct topology_node {
	uint64_t guid;
	uint64_t system_guid;
	uint32_t vendor;
	uint32_t first; /* in ports: its port 0, which a switch alone has */
	uint16_t device;
	uint8_t type;   /* enum topology_type */
	uint8_t nports; /* without port 0 */
	bool enhanced;  /* its port 0 */
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

/* NULL: no memory. NULL may be freed. */
struct topology *topology_new(void);
void topology_free(struct topology *t) MADKIT_PRIVATE(topology_free);

/* Reads a file's bytes. On failure there is no topology, and error tells line,
 * column, what was expected and what stands there; its position is a byte of text.
 * 0; -EINVAL, -EEXIST, -ENOENT, -E2BIG, -ENOMEM. */
int topology_read(const char *text, size_t len, struct topology **topology, struct madkit_error *error)
	MADKIT_PRIVATE(topology_read);

/* Appends the topology as ibnetdiscover prints one, without its first comments:
 * switches, then CAs, then routers, each in the order of the topology. Look at
 * buf->error afterwards. */
void topology_write(const struct topology *t, struct madkit_buf *buf) MADKIT_PRIVATE(topology_write);

static inline struct topology_port *topology_port(const struct topology *t, uint32_t node, unsigned int port)
{
	return &t->ports[t->nodes[node].first + port];
}

/* The name that ibnetdiscover makes of a type and a GUID: "S-0008f10400411a4e". */
void topology_name(unsigned int type, uint64_t guid, char name[TOPOLOGY_NAME_MAX + 1]);

/* The node with this name, or TOPOLOGY_NONE. */
uint32_t topology_find(const struct topology *t, const char *name, size_t len);

/* The width and the speed of a link, one bit each: the best that both ends have enabled, unless
 * the link is degraded. 0: the ends have none in common, or the port has no link. */
unsigned int topology_width(const struct topology *t, const struct topology_port *port);
unsigned int topology_speed(const struct topology *t, const struct topology_port *port);
/* "4x", "EDR". */
const char *topology_width_name(unsigned int width) MADKIT_PRIVATE(topology_width_name);
const char *topology_speed_name(unsigned int speed) MADKIT_PRIVATE(topology_speed_name);
/* The preferred one of several widths, the highest of several speeds; 0: there is none. */
unsigned int topology_best_width(unsigned int common) MADKIT_PRIVATE(topology_best_width);
unsigned int topology_best_speed(unsigned int common) MADKIT_PRIVATE(topology_best_speed);
/* Those of several widths or speeds that a link limited to one width or speed can have; limit 0: all. */
unsigned int topology_limit_widths(unsigned int mask, unsigned int limit)
	MADKIT_PRIVATE(topology_limit_widths);
unsigned int topology_limit_speeds(unsigned int mask, unsigned int limit)
	MADKIT_PRIVATE(topology_limit_speeds);
/* Everything that a port supports (and by default enables) if this is its best width or speed. */
unsigned int topology_widths_up_to(unsigned int width, unsigned int speed);
unsigned int topology_speeds_up_to(unsigned int speed);
/* The lanes of a width, and a lane's rate in units of 100 Mbit/s; 0: not exactly one width or speed. */
unsigned int topology_lanes(unsigned int width) MADKIT_PRIVATE(topology_lanes);
unsigned int topology_lane_rate(unsigned int speed) MADKIT_PRIVATE(topology_lane_rate);

/* ---- made by hand: what the reader and the generators do ------------------------- */

/* Adds a node with all its ports, unlinked; node holds what is copied. Its GUIDs are not
 * looked at yet. 0; -EEXIST: there is one with its name; -E2BIG: too many
 * nodes or ports; -ENOMEM. */
int topology_add(struct topology *t, const struct topology_node *node, uint32_t *added);
/* Joins two ports. */
void topology_link(struct topology *t, uint32_t a, unsigned int port_a, uint32_t b, unsigned int port_b);
/* Remembers the GUID of a node, or of the end port at this place in ports: 0;
 * -EEXIST: another has it (of nodes, *owner); -ENOMEM. */
int topology_guid(struct topology *t, uint32_t node, uint32_t *owner);
int topology_port_guid(struct topology *t, uint32_t port);
/* Whether an end port has this GUID. */
bool topology_has_port_guid(const struct topology *t, uint64_t guid);

#endif
