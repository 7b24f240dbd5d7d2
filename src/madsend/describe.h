/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* madsend --describe: lists the contents of the tables. */
#ifndef SRC_DESCRIBE_H
#define SRC_DESCRIBE_H

#include "cli/output.h"

/* Shows the attribute or class that the words name, or everything. Returns an exit status. */
int describe(const struct cli_options *options, const struct cli_words *words, struct output *out);

#endif
