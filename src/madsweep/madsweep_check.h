/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options of madsweep that exclude or need each other. */
#ifndef SRC_MADSWEEP_CHECK_H
#define SRC_MADSWEEP_CHECK_H

#include "madsweep_options.h"

/* Refuses options and words that have no effect together. Returns EXIT_DONE, or EXIT_USAGE after a message. */
int madsweep_check(const struct cli_options *options, const struct cli_words *words);

#endif
