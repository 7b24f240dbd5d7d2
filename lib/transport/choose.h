/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Chooses the port for a specification. */
#ifndef TRANSPORT_CHOOSE_H
#define TRANSPORT_CHOOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <madkit/error.h>
#include <madkit/port.h>

enum { CAP_MASK_SM_DISABLED = 1 << 10 }; /* IsSMDisabled of CapabilityMask */

/* A parsed specification: an empty ca means any CA, port -1 any port, an empty node any device node. */
struct port_wish {
	char ca[64];
	int port;
	char node[32]; /* "/dev/infiniband/umad0": then ca and port are not set */
};

/* Checks if the specification is the path of a device node. */
bool port_wish_is_node(const char *spec);

/* Reads "umad:CA/PORT", "verbs:CA/PORT" or "/dev/infiniband/umadN"; NULL: any port. Returns 0, or -EINVAL
 * with the reason in error. */
int port_wish_parse(const char *spec, struct port_wish *wish, struct madkit_error *error);

/*
 * Chooses among the ports, which are sorted by name: the first ACTIVE InfiniBand port, otherwise the first
 * one with its link up. A port with QP0 only (madkit_port_partner()) is chosen only by its CA, device node or
 * number; a RoCE port only by its CA or device node, or if it is the only port. A port named by its CA or
 * device node is chosen in any state. Returns 0 with *chosen, or -ENODEV with the reason in error.
 */
int port_choose(const struct madkit_port_info *ports, size_t count, const struct port_wish *wish,
		size_t *chosen, struct madkit_error *error);

#endif
