/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The state of a sweep, shared by its files. */
#ifndef SWEEP_STATE_H
#define SWEEP_STATE_H

#include <madkit/constants.h>
#include <madkit/agent.h>
#include <madkit/dispatch.h>
#include <madkit/sweep.h>
#include "util/list.h"
#include "util/table.h"

/* Requests. Those up to SWEEP_PROBE have a bit in struct sweep_todo and are sent in this order. */
enum sweep_kind {
	SWEEP_DESCRIPTION, /* of a node; port is 0 */
	SWEEP_SWITCH,      /* of a node; port is 0 */
	SWEEP_PORT,
	SWEEP_WIDE,     /* PortInfo with bit 31 of the modifier: extended speeds */
	SWEEP_EXTENDED, /* MLNXExtendedPortInfo: FDR10 */
	SWEEP_BLOCK,    /* a block of a table; port is 0 */
	SWEEP_ADAPTIVE, /* adaptive routing of a switch; port is 0 */
	SWEEP_PROBE,    /* NodeInfo of the node behind the port */
	SWEEP_START,    /* NodeInfo of the first node */
	SWEEP_WITNESS,  /* for a proof: PortInfo of the node behind the port */
	SWEEP_PROOF,    /* for a proof: NodeInfo from behind that node */
};

#define SWEEP_BIT(kind) (1u << (kind))

enum { SWEEP_BAD_START = UINT8_MAX }; /* the response to the first request was an error or not valid */

enum sweep_phase { SWEEP_FIRST, SWEEP_LAST, SWEEP_PHASES };
/* Requests to a node, and probes through it. */
enum sweep_way { SWEEP_TO, SWEEP_THROUGH, SWEEP_WAYS };

struct sweep_place {
	uint32_t node;
	uint8_t port;
};

/* Pending requests of a port. */
struct sweep_todo {
	uint8_t bits[SWEEP_PHASES];
	uint8_t tried;      /* requests with only the last try left: the others had no response */
	bool probed : 1;    /* a probe was queued since the port was last verified */
	bool answered : 1;  /* a probe was answered */
	bool own : 1;       /* the peer is known from this port's probe, not only from the peer's */
	bool final : 1;     /* the next response decides a dispute */
	bool stale : 1;     /* being verified: the probe has not been answered yet */
	bool beyond : 1;    /* not probed, because its node is too far away */
	bool lossy : 1;     /* SMPs out of it had no response, but a last try by another route had one */
	bool contested : 1; /* through the SA: another record has the same LID */
	bool proven : 1;    /* the peer is known from a proof, whatever the state of this port */
	uint8_t disputes : 4;
	uint8_t refuted : 4; /* proofs that the node behind the port is not the known one */
};

/* Checks if two routes to the same GUID lead to one node: the route through the port at, and that of the
 * node. */
struct sweep_proof {
	struct list list;
	struct sweep_place at;
	uint32_t node;
	uint8_t port;                          /* a port of the node with a known neighbour */
	uint8_t kind;                          /* the next request: SWEEP_WITNESS or SWEEP_PROOF */
	uint8_t info[MADKIT_SWEEP_INFO_BYTES]; /* NodeInfo from behind the port at */
};

/* Pending requests of a node, for one phase and way. The next one is of the lowest kind in kinds, at the
 * cursor or a higher port. */
struct sweep_lane {
	struct list list; /* of madkit_sweep.lanes: nodes take turns */
	uint16_t count;
	uint16_t cursor;
	uint8_t kinds;
};

/* How a place names its node. */
enum sweep_label { SWEEP_LABEL_NAME, SWEEP_LABEL_WORD, SWEEP_LABEL_GUID };

/* A requested block of a table. */
struct sweep_block {
	struct list list;         /* of sweep_entry.blocks or madkit_sweep.wanted, until it is posted */
	struct sweep_block *next; /* of madkit_sweep.first_block */
	uint32_t node;
	uint32_t modifier;
	uint16_t attribute;
	uint16_t status; /* MAD status of the response, if the node refused the request */
	uint8_t port;    /* of a CA or router: the port by which the request enters it; of a switch: 0 */
	uint8_t state;   /* enum madkit_sweep_state */
	uint8_t data[MADKIT_SWEEP_INFO_BYTES];
};

struct sweep_entry {
	struct madkit_sweep_node node; /* see madkit_sweep_node() */
	uint32_t number;
	uint8_t label; /* enum sweep_label */
	struct sweep_lane lanes[SWEEP_PHASES][SWEEP_WAYS];
	struct list blocks;  /* to be posted; unless empty, SWEEP_BLOCK is pending */
	bool adapts;         /* its routing is adaptive */
	uint8_t outstanding; /* requests to it */
	uint8_t strikes;     /* last tries in a row without a response */
	bool suspect;        /* a request had no response: all go to the last phase */
	bool revived;        /* it responded to a last try */
	bool repeated;       /* requests that were unanswered when it was given up have been repeated */
	bool verified;       /* its link to its parent has been verified */
	bool rerouted;       /* its route is the detour by which it responded to a last try */
	struct sweep_todo *todo;
};

struct sweep_request {
	struct madkit_job job;
	struct list list;          /* of madkit_sweep.free or .posted */
	struct list in_row;        /* of sweep_contacts.posted */
	uint64_t order;            /* of a contact */
	struct sweep_block *block; /* of SWEEP_BLOCK */
	struct sweep_proof *proof; /* of SWEEP_WITNESS and SWEEP_PROOF */
	uint32_t node;
	uint8_t kind, port;
	uint8_t phase;
	bool detour;
	bool last;    /* only one try: the others had no response */
	bool contact; /* the first probe through a port */
};

/* Probes of unknown nodes, numbered in the order of sending. */
struct sweep_contacts {
	struct list posted; /* sent after the last answered one */
	uint64_t order;     /* last number assigned */
	uint64_t answered;  /* highest number that was answered */
	uint64_t count;     /* answered contacts */
	uint64_t silent[3]; /* highest numbers without a response, descending */
};

struct madkit_sweep {
	struct madkit_sweep_attr attr;
	struct madkit_addr from;
	bool seeded; /* the first node is known from the attributes */
	bool remote; /* the first node is not that of the port */
	struct madkit_port *port;
	struct madkit_dispatcher *dispatcher;
	struct madkit_agent *agent;
	struct sweep_entry **nodes;
	uint32_t nnodes, nodes_cap;
	uint32_t nports;
	struct table guids;
	struct table blocks;
	struct list wanted; /* blocks to request from the SA */
	struct sweep_block *first_block;
	struct list lanes[SWEEP_PHASES][SWEEP_WAYS]; /* nodes that may be sent a request */
	struct list free, posted;                    /* requests */
	struct sweep_contacts contacts;
	struct sweep_place *disputes; /* ports with probes that contradict others */
	uint32_t ndisputes, disputes_cap;
	struct list proofs, proving; /* to be posted; posted */
	enum sweep_phase phase;
	uint8_t start; /* tries of the first request: 0, 1, or 2 with the last one; or SWEEP_BAD_START */
	uint8_t reach; /* maximum hops from the first node */
	uint32_t missing;
	uint64_t posts, sent, resent, bytes;
	uint64_t begun_ns, ended_ns;
	bool begun, ended;
	bool measured; /* distances are up to date */
	bool judged;   /* identities are up to date */
	int error;
	struct sweep_admin *admin; /* NULL: the sweep sends SMPs */
	uint16_t sa_attribute, sa_status;
	/* as in struct madkit_sweep_counts */
	uint32_t sa_got, sa_total, sa_false;
	uint32_t mismatches, mismatch_node;
	struct madkit_addr mismatch_to;
	struct madkit_error mismatch;
};

static inline bool sweep_is_switch(const struct sweep_entry *e)
{
	return e->node.type == MADKIT_NODE_TYPE_SWITCH;
}

/* Checks if a port is part of a sweep of one link. Every port is part of another sweep. */
static inline bool sweep_has_link(const struct madkit_sweep *s, const struct sweep_entry *e,
				  unsigned int port)
{
	return !s->attr.link ||
	       port == (e->number || !s->attr.link_port ? e->node.number : s->attr.link_port);
}

/* Checks if directed routes pass from this port of the node to the next node. They do not pass CAs and
 * routers, except out of the port of this host. */
static inline bool sweep_passes(const struct madkit_sweep *s, const struct sweep_entry *e, unsigned int port)
{
	return sweep_is_switch(e) ? port > 0 : !e->number && !s->remote && port == e->node.number;
}

#endif
