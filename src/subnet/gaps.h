/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The information that a sweep could not obtain, and the resulting exit status. */
#ifndef SRC_GAPS_H
#define SRC_GAPS_H

#include "area.h"
#include "cli/output.h"

struct gaps {
	uint32_t missing; /* MADKIT_SWEEP_...: why the sweep is not complete */
	/* only its nodes count, and for nodes at the other ends of their links, the unread attributes */
	const struct area *area;
	uint32_t silent;     /* nodes that no longer respond, and ports behind which no node responds */
	uint32_t refused;    /* nodes behind ports, with a contradictory response */
	uint32_t partial;    /* nodes that responded, but not to all requests */
	uint32_t duplicates; /* nodes that share a GUID, port GUID or LID with another node */
	uint32_t anonymous;  /* nodes with GUID 0 */
	/* set by the caller: */
	bool sa;      /* the sweep was through the subnet administrator */
	bool all;     /* all nodes are named, not only the first ten */
	bool blind;   /* the M_Keys of nodes that have not been found yet are not known */
	bool located; /* the caller reports why the first node did not respond */
	const struct madkit_port_info *port; /* at which the sweep began */
};

/* Finds the gaps of a sweep. area must outlive gaps. */
void gaps_find(const struct madkit_sweep *sweep, const struct area *area, struct gaps *gaps);

/* Returns the identifier that a node, or the end port of a port, shares with another one: "duplicate LID";
 * NULL: none. */
const char *gaps_duplicate(const struct madkit_sweep_node *node, unsigned int port);

/* Checks if there are no gaps. */
bool gaps_none(const struct gaps *gaps);

/* Reports the gaps, with at most ten names of each kind, unless all is set. strict: silent nodes are a
 * failure. Returns the exit status. */
int gaps_tell(const struct madkit_sweep *sweep, const struct gaps *gaps, bool strict);

/* Reports only why the sweep is not complete; of the gaps, missing, port, sa and located count. Returns the exit
 * status. */
int gaps_tell_missing(const struct madkit_sweep *sweep, const struct gaps *gaps);

/* Returns the first reason of the key "missing" of the summary; NULL: there is none. */
const char *gaps_reason(const struct gaps *gaps);

/* Appends the keys of the summary: complete, missing, silent, refused, partial, duplicates. answered: the
 * requests that followed the sweep were also answered. */
void gaps_write(const struct gaps *gaps, bool answered, struct madkit_writer *writer);

/* Checks if a line of kind timeout belongs to this port: a silent node is behind it, or (*gone) the node was
 * found through it and no longer responds. */
bool gaps_is_silent(const struct madkit_sweep *sweep, uint32_t node, unsigned int port, bool *gone);

#endif
