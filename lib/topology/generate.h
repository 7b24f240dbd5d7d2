/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Generates topologies from rules. */
#ifndef TOPOLOGY_GENERATE_H
#define TOPOLOGY_GENERATE_H

#include <stdbool.h>
#include <madkit/error.h>
#include "topology/topology.h"
#include "util/private.h"

/* Checks if the name of a topology is a rule, not a file. */
bool topology_is_rule(const char *name) MADKIT_PRIVATE(topology_is_rule);

/*
 * Generates "fat-tree:LEAVES,HOSTS,SPINES": LEAVES leaf switches with HOSTS hosts each, all linked to each
 * spine switch. Host hL-N is at port N of leafL, and port HOSTS + S of leafL leads to port L of spineS; links
 * run at 4xHDR. One leaf needs no spine. "+aggregation" after it adds an aggregation node of SHARP at the last port of
 * each switch. With "+planes", each of these links becomes four at 1xXDR, and the four ports of a host are planes,
 * with one GUID. The same words always generate the same topology: GUIDs are assigned
 * as for a file without them. Returns 0; -EINVAL, -ERANGE or -E2BIG, with error naming the word; or -ENOMEM.
 */
int topology_generate(const char *rule, struct topology **topology, struct madkit_error *error)
	MADKIT_PRIVATE(topology_generate);

#endif
