/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds nodes and end ports by the words that people use for them. */
#ifndef TOPOLOGY_FIND_H
#define TOPOLOGY_FIND_H

#include <madkit/error.h>
#include "topology/topology.h"
#include "util/private.h"

/* Finds a node by its name, its description (for a CA, the first word is enough: the host name), its GUID, or
 * the GUID of one of its ports. Returns 0; -ENOENT; or -EEXIST if several nodes have the description. error
 * names the word. */
int find_node(const struct topology *t, const char *words, uint32_t *node, struct madkit_error *error)
	MADKIT_PRIVATE(find_node);

/* Returns the default end port of a node: the first port with a cable, otherwise port 1; for a switch, 0. */
unsigned int find_port(const struct topology *t, uint32_t node) MADKIT_PRIVATE(find_port);

/* Returns the default node for a subnet manager: the last CA with a cable (without any cable, the first CA),
 * so that the classes of the first CA, where programs run, are free. TOPOLOGY_NONE: there is no CA. */
uint32_t find_manager(const struct topology *t) MADKIT_PRIVATE(find_manager);

/* Finds an end port: words of find_node(), with or without ":PORT"; NULL or "": the host of the first CA. A
 * host name (find_host()) means the first of its CAs in the order of device names. Without ":PORT": the port
 * with the GUID, otherwise the first port with a cable; for a switch, 0. Returns the same values as
 * find_node(). */
int find_end(const struct topology *t, const char *words, uint32_t *node, unsigned int *port,
	     struct madkit_error *error) MADKIT_PRIVATE(find_end);

/* Returns the length of the first word of a CA's description if it is a host name, as in "node17 mlx5_0" and
 * "node17 HCA-1"; otherwise 0, also for names that no host has ("localhost"). *device: the second word. */
size_t find_host(const struct topology_node *n, const char **device) MADKIT_PRIVATE(find_host);
/* Checks if a word can be a device name: that of a driver, with a number at its end. */
bool find_is_device(const char *word) MADKIT_PRIVATE(find_is_device);

#endif
