/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_path - follow the forwarding tables of the switches
 *
 * A path is followed in a subnet that has been swept (madkit_sweep(3)): from an end port to a LID, as a
 * packet with that destination would be forwarded. At each switch, one block of the
 * LinearForwardingTable is read. The cables are those that the sweep has found.
 *
 * The tree of a multicast group is read from the MulticastForwardingTable of all switches.
 *
 * The requests are sent as those of the sweep: SMPs by directed routes, with its window, timeouts and
 * M_Keys, or requests to the SA, one at a time, for LinearForwardingTableRecord and
 * MulticastForwardingTableRecord. They count in struct madkit_sweep_counts. Each block is read once and
 * kept until the sweep is freed.
 */
#ifndef MADKIT_PATH_H
#define MADKIT_PATH_H

#include <madkit/decls.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/sweep.h>

MADKIT_BEGIN_DECLS

/* Limits. */
enum {
	MADKIT_PATH_HOPS_MAX = 65, /* nodes of a path */
	MADKIT_PATH_NO_PORT = 255, /* entry of a LinearForwardingTable: packets are discarded */
};

/* How a path ends. */
enum madkit_path_end {
	MADKIT_PATH_UNFINISHED, /* not yet */
	MADKIT_PATH_ARRIVED,    /* at the port with the LID */
	MADKIT_PATH_STRAY,      /* at an end port that does not have the LID */
	MADKIT_PATH_LOOP,       /* at a switch that the path has passed before */
	MADKIT_PATH_NO_ROUTE,   /* the table has port 255 */
	MADKIT_PATH_BEYOND_TOP, /* the LID is higher than LinearFDBTop of the switch */
	MADKIT_PATH_BAD_PORT,   /* the table has a port that the switch does not have */
	MADKIT_PATH_DOWN,       /* the link of the egress port is down */
	MADKIT_PATH_UNKNOWN,    /* the node at the other end of the cable is not known */
	MADKIT_PATH_SILENT, /* the switch (or the SA) does not respond to the request for the table or SwitchInfo */
	MADKIT_PATH_REFUSED,  /* the switch (or the SA) refuses to show the table or SwitchInfo */
	MADKIT_PATH_LONG,     /* more than MADKIT_PATH_HOPS_MAX nodes */
	MADKIT_PATH_INACTIVE, /* the link of the egress port is not Active (Initialize or Armed): packets other
				 * than SMPs are discarded */
};

/* A node of a path. */
struct madkit_path_hop {
	uint32_t node;   /* its number in the sweep */
	uint8_t ingress; /* port by which the packet enters; of the first node: 0 */
	uint8_t egress;  /* port by which it leaves; 0: it does not */
	bool adaptive;   /* the switch may choose another egress port */
	bool adaptive_known; /* false if unknown: through the SA, from a silent switch, or a switch that is not Mellanox's */
};

/* A path. The last hop is the node at which it ends. If the reason is its egress port, egress is that port. */
struct madkit_path {
	/* set by the caller, who sets the rest to 0: */
	uint32_t node; /* the first node of the path: a node of the sweep */
	uint8_t port;  /* end port of this node; 0: port 0 of a switch */
	uint16_t lid;  /* destination: a LID of an end port, with path bits */
	/* set by madkit_path_follow(): */
	uint8_t end; /* enum madkit_path_end */
	uint8_t nhops;
	struct madkit_path_hop hops[MADKIT_PATH_HOPS_MAX];
};

/*
 * madkit_path_follow - follow paths
 * @sweep:    the sweep; if it has not ended, the function continues it first
 * @paths:    the paths
 * @count:    number of paths
 * @until_ns: as in madkit_sweep_step()
 *
 * Waits and drives the port as madkit_sweep_step() does. If the function returns before all paths have
 * ended, it can be called again with the same paths.
 *
 * Return: 1 if all paths have ended; 0 if @until_ns has passed; or:
 * - -EINVAL: a path begins at a node or port that does not exist, or its LID is not a unicast LID
 * - others: an error of madkit_sweep_step()
 */
int madkit_path_follow(struct madkit_sweep *sweep, struct madkit_path *paths, size_t count,
		       uint64_t until_ns);

/*
 * madkit_path_port - find the end port that has a LID
 * @sweep: the sweep
 * @lid:   the LID; the path bits of an end port with several LIDs are ignored
 * @node:  receives the node
 * @port:  receives its port; 0: port 0 of a switch
 *
 * Return: true if one port has the LID; false if none has, or if several share it. In the second case,
 * @node and @port receive one of them.
 */
bool madkit_path_port(const struct madkit_sweep *sweep, uint16_t lid, uint32_t *node, uint8_t *port);

/* Bits: the neighbours that a port of a multicast tree leads to, or why they are unknown. */
enum {
	MADKIT_TREE_MEMBER = 1 << 0,   /* an end port: of a CA or router, or port 0 of the switch itself */
	MADKIT_TREE_ONE_WAY = 1 << 1,  /* a switch with a port at the other end that is not in the tree */
	MADKIT_TREE_LOOP = 1 << 2,     /* packets that leave by this port can return to it */
	MADKIT_TREE_DOWN = 1 << 3,     /* the link is down */
	MADKIT_TREE_UNKNOWN = 1 << 4,  /* the node at the other end is not known */
	MADKIT_TREE_SILENT = 1 << 5,   /* with port 0: the switch does not respond; its ports are not known */
	MADKIT_TREE_REFUSED = 1 << 6,  /* with port 0: the switch refuses to show its table */
	MADKIT_TREE_INACTIVE = 1 << 7, /* the link is not Active: packets other than SMPs are discarded */
};

/* A port of a multicast tree. */
struct madkit_tree_port {
	uint32_t node; /* the switch: its number in the sweep */
	uint8_t port;
	uint8_t flags; /* MADKIT_TREE_... */
};

/* The tree of a multicast group. */
struct madkit_tree {
	uint16_t lid;
	uint32_t parts; /* 1: all switches of the tree are connected by it */
	uint32_t count;
	struct madkit_tree_port *ports; /* by node, then by port */
};

/*
 * madkit_tree_read - read the tree of a multicast group
 * @sweep:    the sweep; if it has not ended, the function continues it first
 * @lid:      multicast LID, from 0xc000 to 0xfffe
 * @until_ns: as in madkit_sweep_step()
 * @tree:     receives the tree if the return value is 1; free it with madkit_tree_free()
 *
 * Waits and drives the port as madkit_sweep_step() does. If the function returns 0, it can be called
 * again.
 *
 * Return: 1 if the tree has been read; 0 if @until_ns has passed; or:
 * - -EINVAL: not a multicast LID
 * - -ENOMEM: out of memory
 * - others: an error of madkit_sweep_step()
 */
int madkit_tree_read(struct madkit_sweep *sweep, uint16_t lid, uint64_t until_ns, struct madkit_tree **tree);

/*
 * madkit_tree_free - free a tree
 * @tree: tree to free, or NULL
 */
void madkit_tree_free(struct madkit_tree *tree);

MADKIT_END_DECLS
#endif
