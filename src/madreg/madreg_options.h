/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options that only madreg has. */
#ifndef SRC_MADREG_OPTIONS_H
#define SRC_MADREG_OPTIONS_H

#include "cli/cli.h"

struct madreg_options {
	struct cli_options shared;
	uint8_t rmpp_version;
	bool hold, user_rmpp;
};

/* Returns the options of this command, of which the shared ones are the beginning (struct option_table). */
static inline const struct madreg_options *madreg_options(const struct cli_options *options)
{
	return (const struct madreg_options *)options;
}

#endif
