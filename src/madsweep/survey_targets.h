/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The ports or nodes that a survey asks, and the turns of their nodes. */
#ifndef SRC_SURVEY_TARGETS_H
#define SRC_SURVEY_TARGETS_H

#include "scope.h"
#include "survey_blocks.h"

enum { SURVEY_NONE = UINT32_MAX };

struct survey_target {
	uint32_t node;  /* of the sweep */
	uint8_t port;   /* of a switch that is asked as a node: 0 */
	size_t at;      /* place of the port in the scope */
	bool uncounted; /* the blocks that are left of a port or node; their number is not known */
	bool tried;     /* without a response; the last try is left */
	uint32_t next;  /* target of the same node; SURVEY_NONE: the last one */
	uint32_t modifier;
};

/* A node of the survey. */
struct survey_node {
	uint32_t next, last; /* the target that is asked next (SURVEY_NONE: none is left), and the last one */
	uint32_t left;       /* targets from next on */
	uint8_t outstanding; /* requests */
	uint8_t silent;      /* requests in a row without a response */
	bool is_switch, queued;
	bool responds;         /* to a request so far */
	bool waits;            /* for the result of one request before others are sent */
	bool deferred;         /* the rest of its requests are last tries */
	bool knows_cpi;        /* ClassPortInfo has been requested */
	bool knows_sum;        /* the sum of all ports has been requested */
	bool no_errors;        /* its PortCountersExtended has no counters of errors */
	bool doubts_errors;    /* it is not known whether it has: 0 may mean either */
	uint8_t rsfec;         /* enum layout_fec: whether it counts by RS-FEC */
	uint16_t capabilities; /* CapabilityMask of its ClassPortInfo; 0 if that is not known */
};

struct survey_targets {
	const struct madkit_sweep *sweep;
	const struct scope *scope;
	size_t at;                     /* place in the scope, when targets are added */
	struct survey_target *targets; /* in the order of the scope */
	size_t n;
	struct survey_node *nodes;
	uint32_t *node_of; /* struct survey_node, by node of the sweep */
	uint32_t nnodes;
	uint32_t *queue; /* nodes whose turn comes, a ring of nnodes */
	uint32_t first, queued;
	/* how requests differ */
	bool by_port;  /* a request for each port, else for each node */
	bool by_field; /* the port is PortSelect, else it is in the modifier */
};

/* Why nothing is requested of this port of a scope. NULL: something is. */
const char *survey_left_out(const struct madkit_sweep_node *node, unsigned int port,
			    const struct request *request);

/* Which route the port at this place of the scope is on: 1 for the route back of --both. */
unsigned int survey_part(const struct scope *scope, size_t at);

/* 0 or -ENOMEM. Free it in either case. */
int survey_targets_make(struct survey_targets *targets, const struct scope *scope,
			const struct request *request, const struct survey_blocks *blocks);
void survey_targets_free(struct survey_targets *targets);

/* Takes the node whose turn it is. SURVEY_NONE: no node is queued. */
uint32_t survey_targets_turn(struct survey_targets *targets);
/* Queues a node, unless it is queued. */
void survey_targets_queue(struct survey_targets *targets, uint32_t node);

/* Takes the next target of a node that has one. */
size_t survey_targets_take(struct survey_targets *targets, uint32_t node);
/* Makes a target that was taken the next one. */
void survey_targets_return(struct survey_targets *targets, uint32_t node, size_t target);

/* The LID of the end port that GMPs about a target are sent to; 0: none is known. */
uint32_t survey_lid(const struct madkit_sweep *sweep, const struct survey_target *target);

#endif
