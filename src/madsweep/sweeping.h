/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The sweep of one subnet, and what the command does with it. */
#ifndef SRC_SWEEPING_H
#define SRC_SWEEPING_H

#include "m_keys.h"
#include "route.h"
#include "survey.h"
#include "sweep_gaps.h"

struct sweeping {
	struct exchange x;
	uint64_t opens_ns;  /* wait_elapsed_ns() */
	uint64_t begins_ns; /* port clock */
	struct madkit_sweep *sweep;
	struct madkit_sweep_counts counts;
	struct madkit_sweep_counts earlier; /* of a sweep that found only the node of --from */
	struct sweep_gaps gaps;
	struct scope_start start;
	struct madkit_expr *select;
	struct scope scope;
	bool sa;                       /* the sweep is through the subnet administrator */
	bool titled;                   /* there are several subnets */
	bool missed;                   /* it has no node of the name that --from or --route gives */
	struct routes routes;          /* of --route and --mlid */
	struct madkit_name_map *names; /* NULL: none */
	struct m_keys *m_keys;         /* NULL: the M_Key of the options for all nodes */
	bool asks;                     /* request is sent to the ports; otherwise they are listed */
	struct request request;
	struct survey_tally tally;
	unsigned long shown, skipped, failed; /* before this subnet */
};

/* Begins a sweep through the port. Functions that return an exit status leave the reason in x->why. */
int sweeping_begin(struct sweeping *s);

/* Until the sweep, the deadline or a signal ends it. EXIT_DONE also if the deadline did. */
int sweeping_run(struct sweeping *s);

/* The same, and begins again before the node of --from if that is not a switch: directed routes do not pass it. */
int sweeping_run_from(struct sweeping *s);

/* The M_Key of a node: a madkit_sweep_m_key of which the context is the struct sweeping. */
uint64_t sweeping_m_key(void *context, const struct madkit_sweep_node *node, unsigned int port, bool behind);

/* Frees the sweep and closes its port, but not what is common to all subnets. */
void sweeping_free(struct sweeping *s);

#endif
