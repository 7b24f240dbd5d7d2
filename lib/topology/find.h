/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Nodes and end ports by the words that people have for them. */
#ifndef TOPOLOGY_FIND_H
#define TOPOLOGY_FIND_H

#include <madkit/error.h>
#include "topology/topology.h"

/* A node by its name, its description (of a CA its first word will do: the host's name), its
 * GUID or that of one of its ports. 0; -ENOENT; -EEXIST: a description of several; error
 * names the word. */
int find_node(const struct topology *t, const char *words, uint32_t *node, struct madkit_error *error);

/* The end port of a node that nobody numbered: the first that has a cable; a switch's is 0. */
unsigned int find_port(const struct topology *t, uint32_t node);

/* Where a subnet manager is that nobody gave a place: the last CA that has a cable, so that the
 * first one, where programs are, has its classes free. TOPOLOGY_NONE: there is no CA. */
uint32_t find_manager(const struct topology *t);

/* An end port: what find_node() takes, with or without ":PORT"; NULL or "": the first CA.
 * Without a port it is the GUID's, else the first that has a cable; a switch's is 0. As
 * find_node(). */
int find_end(const struct topology *t, const char *words, uint32_t *node, unsigned int *port,
	     struct madkit_error *error);

#endif
