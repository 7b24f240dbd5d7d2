/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which simulation a spec means: "sim:TOPOLOGY[@NODE][,OPTION=VALUE...]". */
#ifndef TRANSPORT_SIM_SPEC_H
#define TRANSPORT_SIM_SPEC_H

#include <stdbool.h>
#include <stdint.h>
#include <madkit/error.h>
#include "sim/topology.h"

enum { SIM_SPEC_FAULTS = 16 };

struct sim_spec {
	char *text;		/* what the others point into */
	const char *topology;	/* a file, or a rule of generate.h */
	const char *node;	/* NULL: the first CA */
	const char *sm;		/* where the subnet manager is; NULL: find_manager() */
	bool no_sm;
	bool real;		/* the clock */
	uint64_t seed;
	const char *faults[SIM_SPEC_FAULTS];	/* as fault_parse() takes them */
	unsigned int nfaults;
};

/* 0; -EINVAL with error naming the word; -ENOMEM. */
int sim_spec_parse(const char *spec, struct sim_spec *parsed, struct madkit_error *error);
void sim_spec_free(struct sim_spec *parsed);

/* Reads the file, or goes by the rule. 0; -ENOENT, -EACCES, -EIO the file cannot be read;
 * -EBADMSG it has an error, told with line and column; -EINVAL the rule has one; -ENOMEM. */
int sim_topology(const char *name, struct topology **topology, struct madkit_error *error);

#endif
