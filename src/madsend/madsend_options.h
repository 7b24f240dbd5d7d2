/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options that only madsend has. */
#ifndef SRC_MADSEND_OPTIONS_H
#define SRC_MADSEND_OPTIONS_H

#include "cli/cli.h"

struct madsend_options {
	struct cli_options shared;
	const char *batch;
	bool summary;
};

/* Returns the options of this command, of which the shared ones are the beginning (struct option_table). */
static inline const struct madsend_options *madsend_options(const struct cli_options *options)
{
	return (const struct madsend_options *)options;
}

#endif
