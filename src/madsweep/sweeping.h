/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The sweep of one subnet, and its use by the command. */
#ifndef SRC_SWEEPING_H
#define SRC_SWEEPING_H

#include "m_keys.h"
#include "route.h"
#include "survey.h"
#include "sweep_gaps.h"

struct sweeping {
	const struct madsweep_options *options;
	struct exchange x;
	uint64_t opens_ns;  /* wait_elapsed_ns() when the port was opened */
	uint64_t begins_ns; /* port clock, when the sweep began */
	struct madkit_sweep *sweep;
	struct madkit_sweep_counts counts;
	struct madkit_sweep_counts earlier; /* of a first sweep that found only the node of --from */
	struct sweep_gaps gaps;
	struct scope_start start;
	struct madkit_expr *select;
	struct scope scope;
	bool sa;                       /* the sweep is through the subnet administrator */
	bool titled;                   /* several subnets are swept */
	bool missed;                   /* it does not have the node that --from or --route names */
	struct routes routes;          /* of --route or --mlid */
	struct madkit_name_map *names; /* NULL: none */
	struct m_keys *m_keys;         /* NULL: the M_Key of the options for all nodes */
	bool asks;                     /* request is sent to the ports, else they are listed */
	struct request request;
	struct survey_tally tally;
	unsigned long shown, skipped, failed; /* counts before this subnet */
};

/* Begins a sweep through the port. Functions that return an exit status store the reason in x->failure.why. */
int sweeping_begin(struct sweeping *s);

/* Runs until the sweep, the deadline or a signal ends it. Returns EXIT_DONE also at the deadline. */
int sweeping_run(struct sweeping *s);

/* As sweeping_run(). If the node of --from is not a switch, begins again at the node before it, because
 * directed routes do not pass it. */
int sweeping_run_from(struct sweeping *s);

/* Returns the M_Key of a node: a madkit_sweep_m_key whose context is the struct sweeping. */
uint64_t sweeping_m_key(void *context, const struct madkit_sweep_node *node, unsigned int port, bool behind);

/* Frees the sweep and closes its port, but keeps what all subnets share. */
void sweeping_free(struct sweeping *s);

#endif
