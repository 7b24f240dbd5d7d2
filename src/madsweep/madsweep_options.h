/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options that only madsweep has. */
#ifndef SRC_MADSWEEP_OPTIONS_H
#define SRC_MADSWEEP_OPTIONS_H

#include "subnet/subnet.h"

struct madsweep_options {
	struct cli_options shared;
	struct subnet_options subnet;
	const char *from, *select, *sort, *clear, *route, *behind, *output, *since;
	uint32_t top;  /* 0: all */
	uint16_t mlid; /* 0: not given */
	uint8_t hops, plane;
	bool have_hops, have_plane, both, strict, yes, links, errors, hca, delta;
};

/* Returns the options of this command, of which the shared ones are the beginning (struct option_table). */
static inline const struct madsweep_options *madsweep_options(const struct cli_options *options)
{
	return (const struct madsweep_options *)options;
}

/* Checks if a missing response is a failure: with --strict, or with --assert, which passes only ports that
 * were checked. */
static inline bool madsweep_is_strict(const struct cli_options *options)
{
	return madsweep_options(options)->strict || options->output.assert_;
}

#endif
