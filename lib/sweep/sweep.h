/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Discovery of a subnet by directed routes: its nodes, ports and links. It needs no subnet manager. The caller
 * drives a sweep by sweep_step().
 *
 * Each linked port of a switch is probed: NodeInfo is requested from the node at the other end of the cable, so
 * that each link between switches is probed from both ends. At most two requests to a node are outstanding, and
 * nodes take turns. Probes do not count: the target of a probe is the unknown node behind the port.
 *
 * There are two phases. In the first, each request has all tries but the last. If a node does not respond, the
 * rest of its requests move to the last phase. The last phase begins when everything else has ended. There, each
 * request has one try, by another route if there is one, and at most two SMPs occupy the window: a node is
 * reported as silent only if it does not respond to that try.
 *
 * The window of the first phase grows by one SMP in each timeout without a loss, and is halved by a loss.
 */
#ifndef SWEEP_SWEEP_H
#define SWEEP_SWEEP_H

#include <stdbool.h>
#include <stdint.h>
#include <madkit/addr.h>
#include <madkit/port.h>

#define SWEEP_NONE UINT32_MAX

enum {
	SWEEP_INFO_BYTES = 64,     /* data of an SMP */
	SWEEP_NODES_MAX = 1 << 17, /* more than there are LIDs */
	SWEEP_PORTS_MAX = 1 << 21, /* of all nodes */
	SWEEP_DUPLICATES_MAX = 16, /* nodes with the same GUID */
	SWEEP_TIMEOUT_MS = 1000,
	SWEEP_RETRIES = 2,
};

/* Result of a request, or of the requests to a node. */
enum sweep_state {
	SWEEP_UNKNOWN, /* not requested, or not yet */
	SWEEP_ANSWERED,
	SWEEP_SILENT,  /* no response */
	SWEEP_REFUSED, /* a MAD status other than 0, or values that cannot be true */
};

struct sweep_port {
	uint8_t info[SWEEP_INFO_BYTES]; /* PortInfo, if state is SWEEP_ANSWERED */
	uint64_t guid;                  /* of an end port: a CA's, a router's, a switch's port 0; else 0 */
	uint32_t peer; /* node at the other end of the cable; SWEEP_NONE: none, or not known */
	uint8_t peer_port;
	uint8_t state; /* enum sweep_state: PortInfo */
	uint8_t far;   /* enum sweep_state: the node at the other end */
	bool fdr10;    /* the link runs at FDR10, which PortInfo shows as QDR */
};

struct sweep_node {
	uint64_t guid, system_guid;
	uint32_t vendor;
	uint32_t revision;
	uint16_t device;
	uint8_t type; /* as in NodeInfo; an unknown type is like a CA */
	uint8_t nports;
	uint8_t number; /* the port through which the node was found; of a switch that sweeps itself: 0 */
	uint8_t hops;   /* from the first node, when it was found */
	uint8_t parent_port;
	uint8_t state;            /* SWEEP_ANSWERED, or SWEEP_SILENT: it no longer responds */
	uint8_t described;        /* enum sweep_state: NodeDescription */
	uint8_t switched;         /* enum sweep_state: SwitchInfo */
	bool duplicate;           /* another node has the same GUID */
	uint32_t parent;          /* node before it on its route; SWEEP_NONE: the first node */
	struct sweep_port *ports; /* 0 to nports; only switches use port 0 */
	uint8_t description[SWEEP_INFO_BYTES];
	uint8_t switch_info[SWEEP_INFO_BYTES];
};

struct sweep_attr {
	const struct madkit_addr *from; /* directed route to the first node; NULL: the node of the port */
	uint8_t hops;                   /* distance from the first node; 0: unlimited */
	bool keep_going;                /* see SWEEP_WITHHELD */
	uint32_t timeout_ms;            /* of each try; 0: SWEEP_TIMEOUT_MS */
	uint32_t retries;   /* tries after the first one, both phases together; 0: no last phase */
	uint32_t smps;      /* SMPs that occupy the window at first; 0: MADKIT_DISPATCH_SMPS */
	uint32_t smps_max;  /* the same, at most; 0: MADKIT_DISPATCH_SMPS_MAX */
	uint32_t nodes_max; /* 0: SWEEP_NODES_MAX */
	/*
	 * Returns the M_Key for requests to a node (port 0), or for the probe through a port of a node. node is
	 * NULL for the first request of the sweep. NULL: M_Key 0.
	 */
	uint64_t (*m_key)(void *context, const struct sweep_node *node, unsigned int port);
	void *context;
};

/* Why a sweep is not complete. Nodes without a response are not a reason: see silent. */
enum {
	SWEEP_UNFINISHED = 1 << 0, /* sweep_step() has not yet returned 1 */
	SWEEP_NO_START = 1 << 1,   /* the first node did not respond */
	/*
	 * Three probes of new nodes in a row had no response, and later ones were not sent. The cause may be M_Keys:
	 * each request with a wrong one counts a violation at the node. With keep_going, all are sent.
	 */
	SWEEP_WITHHELD = 1 << 2,
	SWEEP_FULL = 1 << 3, /* more nodes, ports or duplicates than the limits allow */
	SWEEP_FAR =
		1 << 4, /* nodes that no directed route reaches, because it would have more than 63 hops */
};

struct sweep_counts {
	uint32_t nodes, links;
	uint32_t silent;  /* nodes that no longer respond, and ports whose neighbour did not respond */
	uint32_t missing; /* bits such as SWEEP_WITHHELD; 0: complete */
	uint64_t sent;    /* SMPs, with those sent again */
	uint64_t resent;
	uint64_t ns;    /* duration on the clock of the port */
	uint64_t bytes; /* memory of nodes and ports */
};

struct sweep;

/* A sweep through a port, which must outlive it. 0; -EINVAL: from is not a directed route, or smps is more than smps_max; -ENOMEM; or an error of
 * madkit_agent_register(). */
int sweep_new(struct madkit_port *port, const struct sweep_attr *attr, struct sweep **sweep);
void sweep_free(struct sweep *s);

/*
 * Continues the sweep until that time on the clock of the port, or until it ends. 1: it has ended; 0: the time has
 * come; -EINTR: stopped() of the port's limit returned true; -ENOMEM; or an error of madkit_dispatcher_wait() or
 * madkit_dispatcher_post(). If the time has passed, it does not wait. After -EINTR it can be called again.
 */
int sweep_step(struct sweep *s, uint64_t until_ns);

/* Nodes in the order in which they were found, from 0 to counts.nodes - 1; later steps may move none. */
const struct sweep_node *sweep_node(const struct sweep *s, uint32_t number);
void sweep_count(const struct sweep *s, struct sweep_counts *counts);
/* The directed route to a node. False: a cable on it was removed. */
bool sweep_route(const struct sweep *s, uint32_t number, struct madkit_addr *to);

#endif
