/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The nodes of a sweep that a command considers: all, or those near a port; and whether they were read. */
#ifndef SRC_AREA_H
#define SRC_AREA_H

#include <madkit/sweep.h>

struct area {
	const struct madkit_sweep *sweep;
	uint8_t *near; /* distance of each node; NULL: all nodes are included */
	uint8_t limit; /* maximum distance that is included */
};

/* Checks if a node is included. */
bool area_has(const struct area *area, uint32_t node);
/* Checks if a node is excluded, but is at the other end of a link of an included node. */
bool area_is_next(const struct area *area, uint32_t node);
/* Checks if an included node did not respond to all requests, or a node that is next to one, to the requests
 * about its links to included nodes. */
bool area_lacks(const struct area *area, uint32_t node);

/* Checks if there may be nodes, or names and LIDs of nodes, that the sweep has not read. */
bool area_may_miss(const struct madkit_sweep *sweep);

#endif
