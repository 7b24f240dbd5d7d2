/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A command from its command line to its exit status. */
#ifndef SRC_COMMAND_H
#define SRC_COMMAND_H

#include "output.h"

struct command {
	struct cli_usage usage;
	/* What is wrong between options and words, before anything is done. 0 or
	 * EXIT_USAGE. NULL: nothing can be. */
	int (*check)(const struct cli_options *options, const struct cli_words *words);
	/* The work. An exit status. */
	int (*run)(const struct cli_options *options, struct cli_words *words, struct output *out);
};

/* Each program has one; command.c has main(). */
extern const struct command program;

#endif
