/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options that only madsim has. */
#ifndef SIM_MADSIM_OPTIONS_H
#define SIM_MADSIM_OPTIONS_H

#include "cli/cli.h"

struct madsim_options {
	struct cli_options shared;
	const char *socket_path, *node, *sm_node, *hosts, *events, *control, *generate, *vl15;
	uint64_t seed;
	uint32_t latency_us, training_ms, sweep_s;
	bool have_seed, have_sweep, no_sm;
};

/* Returns the options of this command, of which the shared ones are the beginning (struct option_table). */
static inline const struct madsim_options *madsim_options(const struct cli_options *options)
{
	return (const struct madsim_options *)options;
}

#endif
