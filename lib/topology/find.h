/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Nodes and end ports by the words that people have for them. */
#ifndef TOPOLOGY_FIND_H
#define TOPOLOGY_FIND_H

#include <madkit/error.h>
#include "topology/topology.h"
#include "util/private.h"

/* A node by its name, its description (of a CA its first word will do: the host's name), its
 * GUID or that of one of its ports. 0; -ENOENT; -EEXIST: a description of several; error
 * names the word. */
int find_node(const struct topology *t, const char *words, uint32_t *node, struct madkit_error *error)
	MADKIT_PRIVATE(find_node);

/* The end port of a node that nobody numbered: the first that has a cable; a switch's is 0. */
unsigned int find_port(const struct topology *t, uint32_t node) MADKIT_PRIVATE(find_port);

/* Where a subnet manager is that nobody gave a place: the last CA that has a cable, so that the
 * first one, where programs are, has its classes free. TOPOLOGY_NONE: there is no CA. */
uint32_t find_manager(const struct topology *t) MADKIT_PRIVATE(find_manager);

/* An end port: what find_node() takes, with or without ":PORT"; NULL or "": the host of the first CA.
 * A host's name (find_host()) is that of the first of its CAs in the order of their devices' names. Without a port it is the GUID's, else the first that
 * has a cable; a switch's is 0. As find_node(). */
int find_end(const struct topology *t, const char *words, uint32_t *node, unsigned int *port,
	     struct madkit_error *error) MADKIT_PRIVATE(find_end);

/* The host that a CA's description names, as "node17 mlx5_0" and "node17 HCA-1" do: the length of its first word;
 * 0: it names none, or names what no host is called ("localhost"). *device is the second word. */
size_t find_host(const struct topology_node *n, const char **device) MADKIT_PRIVATE(find_host);
/* Whether such a word is a name that a device can have: that of a driver, and a number at its end. */
bool find_is_device(const char *word) MADKIT_PRIVATE(find_is_device);

#endif
