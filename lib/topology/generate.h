/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Topologies that are made by a rule. */
#ifndef TOPOLOGY_GENERATE_H
#define TOPOLOGY_GENERATE_H

#include <stdbool.h>
#include <madkit/error.h>
#include "topology/topology.h"
#include "util/private.h"

/* Whether what names a topology is a rule, and no file. */
bool topology_is_rule(const char *name) MADKIT_PRIVATE(topology_is_rule);

/*
 * "fat-tree:LEAVES,HOSTS,SPINES": so many leaf switches with so many hosts each, all
 * of them joined to each spine switch. Host hL-N is at port N of leafL, and port
 * HOSTS + S of leafL leads to port L of spineS; links run at 4xHDR. One leaf needs
 * no spine. The same words make the same topology: GUIDs count as for a file without
 * them. 0; -EINVAL, -ERANGE, -E2BIG with error naming the word; -ENOMEM.
 */
int topology_generate(const char *rule, struct topology **topology, struct madkit_error *error)
	MADKIT_PRIVATE(topology_generate);

#endif
