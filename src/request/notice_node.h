/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds the node that a notice is about, for the object "port" of its line. */
#ifndef SRC_NOTICE_NODE_H
#define SRC_NOTICE_NODE_H

#include <madkit/message.h>
#include <madkit/sweep.h>
#include "node_names.h"

struct notice_node {
	struct node_key key;
	uint16_t trap; /* number of a generic trap; else 0 */
	uint8_t port;  /* port number; 0: not in the notice */
};

/*
 * Finds the node that a notice is about (IBA volume 1, section 14.2.5.1): for traps 64 and 65 the node with
 * the GID, for 128 to 131, 144 and 145 the node with the LID in the details, for 66 to 69 none, else the
 * issuer. Returns false if the message is not a notice.
 */
bool notice_node_get(const struct madkit_message *message, struct notice_node *node);

/* Fills in the object "port" with the known values. name may be NULL. The record contains pointers into
 * itself. */
void notice_node_put(const struct notice_node *node, const struct node_name *name,
		     struct madkit_sweep_record *record);

#endif
