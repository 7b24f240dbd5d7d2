/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options that only madwatch has. */
#ifndef SRC_MADWATCH_OPTIONS_H
#define SRC_MADWATCH_OPTIONS_H

#include "subnet/subnet.h"

struct madwatch_options {
	struct cli_options shared;
	struct subnet_options subnet;
	uint32_t every_ms; /* 0: not given */
	const char *state;
};

/* Returns the options of this command, of which the shared ones are the beginning (struct option_table). */
static inline const struct madwatch_options *madwatch_options(const struct cli_options *options)
{
	return (const struct madwatch_options *)options;
}

#endif
