/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The ports, nodes or blocks that a survey queries, and the order in which nodes take turns. */
#ifndef SWEEP_SURVEY_TARGETS_H
#define SWEEP_SURVEY_TARGETS_H

#include <madkit/survey.h>
#include "util/list.h"

enum { SURVEY_NONE = UINT32_MAX };

struct survey_ask;

struct survey_target {
	uint32_t node; /* number in the sweep */
	uint32_t at;   /* index of the port */
	uint32_t next; /* next target of the same node; SURVEY_NONE: it is the last one */
	uint32_t modifier;
	uint8_t port;   /* 0 for a switch that is queried as a node */
	bool uncounted; /* the remaining blocks of a port or node; their number is not known */
	bool tried;     /* without a response; the last try is left */
};

/* A node of the survey. */
struct survey_node {
	struct list turn;    /* of survey_targets.turns, while it waits for its turn */
	uint32_t next, last; /* the next target (SURVEY_NONE: none is left), and the last one */
	uint32_t left;       /* number of targets from next on */
	uint8_t outstanding; /* number of requests */
	uint8_t silent;      /* number of consecutive requests without a response */
	bool is_switch;
	bool responds;                 /* it has responded to a request */
	bool waits;                    /* for the result of a request before others are sent */
	bool deferred;                 /* only last tries are left */
	bool parked;                   /* another node checks its type of device (registers_prepare.h) */
	bool knows_cpi;                /* ClassPortInfo has been requested */
	bool knows_sum;                /* the sum of all ports has been requested */
	uint8_t counters;              /* enum madkit_cpi_counters; 0: not known */
	struct survey_ask *next_block; /* to be posted again, for the next block of a register; or NULL */
};

struct survey_targets {
	const struct madkit_sweep *sweep;
	struct madkit_survey_port *ports;
	size_t nports;
	struct survey_target *targets; /* in the order of the ports */
	size_t n;
	uint32_t cap;
	struct survey_node *nodes;
	uint32_t *node_of; /* index in nodes, by node of the sweep */
	uint32_t nnodes;
	struct list turns; /* nodes that wait for their turn */
	uint32_t at;       /* index of the port whose targets are being added */
	/* differences between the requests: */
	const struct madkit_instances
		*instances; /* blocks are requested; NULL: one request for each target */
	bool by_port;       /* one request per port, else per node */
	bool by_field;      /* the port is PortSelect, else it is in the modifier */
};

/* Checks if an attribute is a register of class Mlnx: only then nodes need to be prepared. */
bool survey_is_register(uint8_t mgmt_class, const struct madkit_attribute *attribute);

/* Returns 0 or -ENOMEM. The caller frees targets in either case. */
int survey_targets_make(struct survey_targets *targets, const struct madkit_sweep *sweep,
			const struct madkit_survey_attr *attr, const struct madkit_header *header,
			const struct madkit_attribute *attribute);
void survey_targets_free(struct survey_targets *targets);

/* Takes the node whose turn it is. Returns SURVEY_NONE if no node is queued. */
uint32_t survey_targets_turn(struct survey_targets *targets);
/* Queues a node, unless it is queued. */
void survey_targets_queue(struct survey_targets *targets, uint32_t node);

/* Takes the next target of a node that has one. Returns its index. */
uint32_t survey_targets_take(struct survey_targets *targets, uint32_t node);
/* Makes a target that was taken the next one again. */
void survey_targets_return(struct survey_targets *targets, uint32_t node, uint32_t target);

#endif
