/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options that only madrecv has. */
#ifndef SRC_MADRECV_OPTIONS_H
#define SRC_MADRECV_OPTIONS_H

#include "cli/cli.h"

struct madrecv_options {
	struct cli_options shared;
	const char *subscribe, *respond;
};

/* Returns the options of this command, of which the shared ones are the beginning (struct option_table). */
static inline const struct madrecv_options *madrecv_options(const struct cli_options *options)
{
	return (const struct madrecv_options *)options;
}

#endif
