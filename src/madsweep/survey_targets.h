/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The ports or nodes that a survey queries, and the order in which nodes take turns. */
#ifndef SRC_SURVEY_TARGETS_H
#define SRC_SURVEY_TARGETS_H

#include "scope.h"
#include "survey_blocks.h"

enum { SURVEY_NONE = UINT32_MAX };

struct survey_target {
	uint32_t node;  /* index in the sweep */
	uint8_t port;   /* 0 for a switch that is queried as a node */
	size_t at;      /* index of the port in the scope */
	bool uncounted; /* the remaining blocks of a port or node; their number is not known */
	bool tried;     /* without a response; the last try is left */
	uint32_t next;  /* next target of the same node; SURVEY_NONE: it is the last one */
	uint32_t modifier;
};

/* A node of the survey. */
struct survey_node {
	uint32_t next, last; /* the next target (SURVEY_NONE: none is left), and the last one */
	uint32_t left;       /* number of targets from next on */
	uint8_t outstanding; /* number of requests */
	uint8_t silent;      /* number of consecutive requests without a response */
	bool is_switch, queued;
	bool responds;      /* it has responded to a request */
	bool waits;         /* for the result of a request before others are sent */
	bool deferred;      /* only last tries are left */
	bool knows_cpi;     /* ClassPortInfo has been requested */
	bool knows_sum;     /* the sum of all ports has been requested */
	bool no_errors;     /* its PortCountersExtended has no counters of errors */
	bool doubts_errors; /* it is not known if it has them: 0 may mean either */
	uint8_t rsfec;      /* enum layout_fec: if it has counters for RS-FEC */
	uint8_t counters;   /* enum madkit_cpi_counters; 0: not known */
};

struct survey_targets {
	const struct madkit_sweep *sweep;
	const struct scope *scope;
	size_t at;                     /* index in the scope of the port whose targets are being added */
	struct survey_target *targets; /* in the order of the scope */
	size_t n;
	struct survey_node *nodes;
	uint32_t *node_of; /* index in nodes, by node of the sweep */
	uint32_t nnodes;
	uint32_t *queue; /* nodes that wait for their turn, a ring of nnodes */
	uint32_t first, queued;
	/* differences between the requests: */
	bool by_port;  /* one request per port, else per node */
	bool by_field; /* the port is PortSelect, else it is in the modifier */
};

/* Returns why nothing is requested for this port of a scope, or NULL if a request is sent. */
const char *survey_left_out(const struct madkit_sweep_node *node, unsigned int port,
			    const struct request *request);

/* Returns the route of the port at this index of the scope: 1 for the route back of --both. */
unsigned int survey_part(const struct scope *scope, size_t at);

/* Returns 0 or -ENOMEM. The caller frees targets in either case. */
int survey_targets_make(struct survey_targets *targets, const struct scope *scope,
			const struct request *request, const struct survey_blocks *blocks);
void survey_targets_free(struct survey_targets *targets);

/* Takes the node whose turn it is. Returns SURVEY_NONE if no node is queued. */
uint32_t survey_targets_turn(struct survey_targets *targets);
/* Queues a node, unless it is queued. */
void survey_targets_queue(struct survey_targets *targets, uint32_t node);

/* Takes the next target of a node that has one. Returns its index. */
size_t survey_targets_take(struct survey_targets *targets, uint32_t node);
/* Makes a target that was taken the next one again. */
void survey_targets_return(struct survey_targets *targets, uint32_t node, size_t target);

/* Returns the LID of the end port to which GMPs for a target are sent; 0: not known. */
uint32_t survey_lid(const struct madkit_sweep *sweep, const struct survey_target *target);

#endif
