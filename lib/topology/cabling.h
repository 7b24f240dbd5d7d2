/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The nodes and links that are compared. */
#ifndef TOPOLOGY_CABLING_H
#define TOPOLOGY_CABLING_H

#include <madkit/buf.h>
#include <madkit/compare.h>
#include "util/table.h"

struct cabling_port {
	struct madkit_cabling_port pub;
	uint32_t node; /* that has it */
	uint32_t peer; /* port at the other end; MADKIT_CABLING_NONE: none, or not known */
};

struct cabling_node {
	struct madkit_cabling_node pub; /* name and label are owned, and never NULL */
	uint32_t first;                 /* its port 0 in ports */
	bool ignored;                   /* it is not compared */
};

/* Several links, of which an end may be at any port. */
struct cabling_trunk {
	struct madkit_cabling_end ends[2];
	unsigned int links;
};

struct madkit_cabling {
	uint64_t prefix;
	struct cabling_node *nodes;
	struct cabling_port *ports;
	struct cabling_trunk *trunks;
	uint32_t nnodes, nodes_cap, nports, ports_cap, ntrunks, trunks_cap;
	struct table guids; /* numbers of nodes */
};

static inline const struct madkit_cabling_node *cabling_node(const struct madkit_cabling *c, uint32_t node)
{
	return &c->nodes[node].pub;
}

/* Returns the number of a port in its node. */
static inline unsigned int cabling_number(const struct madkit_cabling *c, uint32_t port)
{
	return port - c->nodes[c->ports[port].node].first;
}

/* Returns the node with a GUID, or MADKIT_CABLING_NONE. */
uint32_t cabling_find(const struct madkit_cabling *c, uint64_t guid);

/* Names the nodes that were added without a label: by the first word, the whole name or the GUID, as short as it is
 * unique. Returns 0 or -ENOMEM. */
int cabling_label(struct madkit_cabling *c);

/* Appends "leaf2/7", or without a port "leaf2". */
void cabling_put_place(const struct madkit_cabling *c, struct madkit_buf *buf, struct madkit_cabling_end at);

/* Appends "0x0002c90300000001/7", which identifies the end in any run. A node without a GUID is identified by its name. */
void cabling_put_id(const struct madkit_cabling *c, struct madkit_buf *buf, struct madkit_cabling_end at);

#endif
