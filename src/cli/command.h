/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The main program of every command, from the command line to the exit status. */
#ifndef SRC_COMMAND_H
#define SRC_COMMAND_H

#include "output.h"

struct command {
	struct cli_usage usage;
	/* Does the work. Returns an exit status. */
	int (*run)(const struct cli_options *options, struct cli_words *words, struct output *out);
};

/* Each program defines one; main() is in command.c. */
extern const struct command program;

#endif
