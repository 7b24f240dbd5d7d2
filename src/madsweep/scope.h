/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The ports that madsweep is about: those of a sweep that --from, --hops and --select choose, in the order of the output. */
#ifndef SRC_SCOPE_H
#define SRC_SCOPE_H

#include "request/exchange.h"

struct scope_port {
	uint32_t node;
	uint8_t port;
};

struct routes;

struct scope {
	struct exchange *x;
	const struct madkit_sweep *sweep;
	const struct routes *routes; /* whose ports they are, in its order; NULL: they are not of a route */
	struct scope_port *ports;    /* allocated */
	size_t n;
	uint8_t *near;            /* allocated: the distance of each node; NULL: all nodes belong */
	uint8_t limit;            /* the greatest distance that belongs */
	madkit_sweep_m_key m_key; /* of the sweep; NULL: that of the options for all nodes */
	void *m_key_context;
};

/* What --from names. */
struct scope_start {
	bool direct; /* a directed route, from which the sweep begins: to */
	struct madkit_addr to;
	uint8_t behind; /* port of the node at the end of to, if the node of the option is no switch, but behind it */
	const char *word; /* otherwise: a LID, a GUID or a name, to be found among the nodes; NULL: none */
};

/* Reads --from. EXIT_DONE or EXIT_USAGE. */
int scope_read_start(const struct cli_options *options, struct scope_start *start);

/* The node that has this LID, node or port GUID, name that is shown, description, or first word of one of these. Returns
 * EXIT_DONE; EXIT_NOTHING if there is none, with the reason in x->why; or EXIT_USAGE after listing several. */
int scope_find(struct exchange *x, const struct madkit_sweep *sweep, const char *option, const char *word,
	       uint32_t *node);

/*
 * Chooses the ports of a sweep that has ended. select may be NULL. Returns EXIT_DONE; EXIT_NOTHING
 * as scope_find() does; or another exit status after reporting the reason. Free it in any case.
 */
int scope_make(struct exchange *x, const struct madkit_sweep *sweep, const struct scope_start *start,
	       const struct madkit_expr *select, struct scope *scope);
void scope_free(struct scope *scope);

/* Whether there may be nodes, or names and LIDs of nodes, that the sweep does not have. */
bool scope_may_miss(const struct madkit_sweep *sweep);

/* Whether --from and --hops include a node. */
bool scope_has(const struct scope *scope, uint32_t node);
/* Whether they exclude a node that is at the other end of a link of a node that they include. */
bool scope_is_next(const struct scope *scope, uint32_t node);
/* Whether a node that they include did not respond to all requests; or one that is next, to those about its links to them. */
bool scope_lacks(const struct scope *scope, uint32_t node);

/* The record of a port, with a message of the exchange. */
void scope_record(const struct scope *scope, const struct scope_port *port,
		  struct madkit_sweep_record *record);

#endif
