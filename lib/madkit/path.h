/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_path - follow the forwarding tables of the switches
 *
 * A path is followed in a subnet that has been swept (madkit_sweep(3)): from an end port to a LID, as a
 * packet with that destination would be forwarded. At each switch, one block of the
 * LinearForwardingTable is read. The cables are those that the sweep has found.
 *
 * madkit_passage_read() then checks whether packets pass a path that arrives: by the P_Keys of its ends and
 * of the switches that enforce P_Keys, by the MTU of its links, and by the virtual lanes of a service level.
 *
 * The tree of a multicast group is read from the MulticastForwardingTable of all switches.
 *
 * The requests are sent as those of the sweep: SMPs by directed routes, with its window, timeouts and
 * M_Keys, or requests to the SA, one at a time, for LinearForwardingTableRecord,
 * MulticastForwardingTableRecord, P_KeyTableRecord and SLtoVLMappingTableRecord. They count in
 * struct madkit_sweep_counts. Each block is read once and kept until the sweep is freed.
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

/* The result of a check. */
enum madkit_passing {
	MADKIT_PASSING_UNREAD,    /* not known: a table or PortInfo was not read */
	MADKIT_PASSING,           /* packets pass, or nothing can discard them */
	MADKIT_PASSING_DISCARDED, /* packets are discarded */
};

/* The P_Keys of both ends of a path (IBA 10.9.3). */
enum madkit_partition {
	MADKIT_PARTITION_UNREAD,  /* none is known to be shared, and a table was not read */
	MADKIT_PARTITION_SHARED,  /* both have a P_Key, and at least one of them as a full member */
	MADKIT_PARTITION_NONE,    /* no P_Key in common */
	MADKIT_PARTITION_LIMITED, /* both are limited members of each P_Key that they have in common */
};

enum {
	MADKIT_PASSAGE_NO_VL = 255, /* in place of a virtual lane */
};

/* A node that packets pass, with the number of the hop of the path. */
struct madkit_passage_hop {
	uint8_t vl;   /* by which packets leave it; MADKIT_PASSAGE_NO_VL: they do not, or not known */
	uint8_t lane; /* enum madkit_passing: vl is not VL15, and among OperationalVLs of the egress port */
	uint8_t pkey_in, pkey; /* enum madkit_passing: the ingress and the egress port allow the P_Key */
	uint16_t mtu_in, mtu;  /* NeighborMTU of the ingress and the egress port, in octets; 0: no such port,
				* or not known */
};

/* The packets that pass a path, by their SL. */
struct madkit_passage {
	/* set by the caller, who sets the rest to 0: */
	uint8_t sl;
	/* set by madkit_passage_read(): */
	uint8_t passes;    /* enum madkit_passing: of all checks */
	uint8_t partition; /* enum madkit_partition */
	bool unread[2];    /* the P_KeyTable of the first and the last port was not read completely */
	uint16_t pkey; /* of packets: bit 15 is clear if the first port is only a limited member; 0: none */
	uint16_t mtu,
		mtu_max; /* of the links, in octets: the least and the greatest; 0: no link, or not known */
	struct madkit_passage_hop hops[MADKIT_PATH_HOPS_MAX];
};

/*
 * madkit_passage_read - check whether packets pass paths
 * @sweep:    the sweep
 * @paths:    paths that madkit_path_follow() has followed; only those that arrived are checked
 * @passages: receives the result of each path
 * @count:    number of paths
 * @until_ns: as in madkit_sweep_step()
 *
 * Reads the P_KeyTable of both ends, of ports of switches that enforce P_Keys, and one SLtoVLMappingTable of
 * each node by which packets leave it. The default P_Key is preferred, then one of which both ends are full
 * members. With adaptive routing, only the egress port of the path is checked. A port that has only VL0, or
 * refuses the request as unsupported, uses VL0 for each SL.
 *
 * Waits and drives the port as madkit_sweep_step() does. If the function returns 0, it can be called again.
 *
 * Return: 1 if all paths have been checked; 0 if @until_ns has passed; or an error of madkit_sweep_step().
 */
int madkit_passage_read(struct madkit_sweep *sweep, const struct madkit_path *paths,
			struct madkit_passage *passages, size_t count, uint64_t until_ns);

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
