/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of nodes for lines that must not wait long for them: from the node name map and from the SA, which is
 * queried in the background.
 *
 * A response of the SA about a LID or a GUID is used for NODE_NAMES_LIFE_MS. If the SA no longer has a GUID,
 * its last name is used: a GUID is never assigned to another node, but a LID may be.
 */
#ifndef SRC_NODE_NAMES_H
#define SRC_NODE_NAMES_H

#include "exchange.h"

enum {
	NODE_NAMES_LIFE_MS = 10000,
	/* maximum duration of a query */
	NODE_NAMES_WAIT_MS = 1000,
};

/* Identifies a node by the LID or the GUID of one of its ports. Both 0: no node. */
struct node_key {
	uint32_t lid;
	uint64_t port_guid;
};

/* A node as the SA describes it. Unknown members are 0. */
struct node_name {
	char text[65]; /* "": the node has no name, or only a description and --names is not given */
	uint8_t type;
	uint16_t device;
	uint32_t lid;
	uint64_t node_guid, system_guid, port_guid;
};

struct node_names;

/* Checks if the options request names. */
bool node_names_wanted(const struct cli_options *options);

/* Reads the node name map. x must have an agent. Returns as exchange_open_port(). */
int node_names_new(struct exchange *x, struct node_names **names);
void node_names_free(struct node_names *names);

/* Queues a query to the SA for a node, unless the node is known. Does not block: node_names_tend() sends the
 * query. */
void node_names_want(struct node_names *names, struct node_key key);

/* Queries the SA for all nodes, so that the names of nodes that leave are known. Does not block. */
void node_names_want_all(struct node_names *names);

/* Checks if the response about a node is outstanding: at most NODE_NAMES_WAIT_MS after node_names_want(). */
bool node_names_pending(const struct node_names *names, struct node_key key);

/* Returns the known data of a node, or NULL. Valid until the next call. */
const struct node_name *node_names_get(struct node_names *names, struct node_key key);

/* Discards the data of a node that has changed, and of its LID. */
void node_names_forget(struct node_names *names, struct node_key key);

/* Sends queries, and handles their responses. Does not block. Returns the latest time of the next call, on
 * the port's clock. */
uint64_t node_names_tend(struct node_names *names);

#endif
