/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The ports that madsweep works on: those of a sweep that --from, --hops and --select choose, in the order of
 * the output. */
#ifndef SRC_SCOPE_H
#define SRC_SCOPE_H

#include "madsweep_options.h"
#include "order.h"
#include "request/exchange.h"
#include "subnet/area.h"

struct scope_port {
	uint32_t node;
	uint8_t port;
};

struct routes;
struct metrics;

struct scope {
	struct exchange *x;
	struct area area;            /* near is allocated */
	const struct routes *routes; /* of --route or --mlid, in whose order the ports are; NULL: no route */
	const struct order *order;   /* the ports are in its order, if it is not that of a field */
	struct scope_port *ports;    /* allocated */
	struct metrics *metrics;     /* receive the results of requests; NULL: these are shown */
	size_t n;
	size_t read;              /* ports of the area, before --select, --links and --route choose of them */
	madkit_sweep_m_key m_key; /* returns the M_Key of a node; NULL: all nodes have that of the options */
	void *m_key_context;
	/* V_Keys of nodes, with the same context; NULL: all nodes have that of the options */
	uint64_t (*v_key)(void *context, const struct madkit_sweep_node *node, unsigned int port);
	struct madkit_registers
		*registers; /* of all requests for registers; allocated; NULL: there are none */
};

/* The node that --from names. */
struct scope_start {
	bool direct; /* to is a directed route; the sweep begins at its end */
	struct madkit_addr to;
	uint8_t behind;   /* if --from is not a switch: port at the end of to that leads to it; else 0 */
	const char *word; /* else: a LID, GUID or name of a node in the sweep; NULL: none */
};

/* Reads --from. Returns EXIT_DONE or EXIT_USAGE. */
int scope_read_start(const struct madsweep_options *options, struct scope_start *start);

/* Checks the form of --behind. Returns EXIT_DONE or EXIT_USAGE. */
int scope_check_behind(const struct madsweep_options *options);

/*
 * Chooses the ports of a sweep that has ended. select may be NULL. Returns EXIT_DONE; EXIT_NOTHING as
 * subnet_find() does; or another exit status after a report. The caller sets the order, and frees the scope in
 * any case.
 */
int scope_make(struct exchange *x, struct madkit_sweep *sweep, const struct scope_start *start,
	       const struct madkit_expr *select, struct scope *scope);
void scope_free(struct scope *scope);

/* Returns the number of ports of the area. */
size_t scope_count(const struct scope *scope);

/* Initialises the record of a port, with a message of the exchange. */
void scope_record(const struct scope *scope, const struct scope_port *port,
		  struct madkit_sweep_record *record);

#endif
