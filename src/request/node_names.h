/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of nodes for lines that must not wait long for them: from the node name map and from the SA, which is queried
 * in the background.
 *
 * What the SA has responded about a LID or a GUID is used for NODE_NAMES_LIFE_MS. If the SA no longer has a GUID, its
 * last name is used: a GUID never becomes that of another node, as a LID does.
 */
#ifndef SRC_NODE_NAMES_H
#define SRC_NODE_NAMES_H

#include "exchange.h"

enum {
	NODE_NAMES_LIFE_MS = 10000,
	/* how long a query may take */
	NODE_NAMES_WAIT_MS = 1000,
};

/* A node, by the LID or the GUID of one of its ports. Both 0: none. */
struct node_key {
	uint32_t lid;
	uint64_t port_guid;
};

/* A node as the SA has it. All is 0 that is not known. */
struct node_name {
	char text[65]; /* "": the node has no name, or only a description and --names is not given */
	uint8_t type;
	uint16_t device;
	uint32_t lid;
	uint64_t node_guid, system_guid, port_guid;
};

struct node_names;

/* Whether the options want names. */
bool node_names_wanted(const struct cli_options *options);

/* Reads the map. x must have an agent. As exchange_open_port(). */
int node_names_new(struct exchange *x, struct node_names **names);
void node_names_free(struct node_names *names);

/* Has the SA queried for a node, unless it is known. Does not block: node_names_tend() sends the query. */
void node_names_want(struct node_names *names, struct node_key key);

/* Has the SA queried for all nodes, so that the names of those that leave are known. Does not block. */
void node_names_want_all(struct node_names *names);

/* Whether the response about a node is still to come, at most NODE_NAMES_WAIT_MS after node_names_want(). */
bool node_names_pending(const struct node_names *names, struct node_key key);

/* What is known of a node, or NULL. Valid until the next call of another function. */
const struct node_name *node_names_get(struct node_names *names, struct node_key key);

/* Discards what is known of a node, and of the LID that it had, because the node has changed. */
void node_names_forget(struct node_names *names, struct node_key key);

/* Sends queries, and takes their responses. Does not block. When to call it again at the latest, on the port's clock. */
uint64_t node_names_tend(struct node_names *names);

#endif
