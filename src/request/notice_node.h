/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The node that a notice is about, as the object "port" of its line. */
#ifndef SRC_NOTICE_NODE_H
#define SRC_NOTICE_NODE_H

#include <madkit/message.h>
#include <madkit/sweep.h>
#include "node_names.h"

struct notice_node {
	struct node_key key;
	uint16_t trap; /* of a generic notice; else 0 */
	uint8_t port;  /* number; 0: the notice has none */
};

/*
 * Finds the node that a notice is about (IBA volume 1, section 14.2.5.1): of traps 64 and 65 that with the GID, of 128
 * to 131, 144 and 145 that with the LID of the details, of 66 to 69 none; else the issuer. False: the message is no
 * notice.
 */
bool notice_node_get(const struct madkit_message *message, struct notice_node *node);

/* Makes the object "port" from what is known. name may be NULL. The record refers to itself. */
void notice_node_put(const struct notice_node *node, const struct node_name *name,
		     struct madkit_sweep_record *record);

#endif
