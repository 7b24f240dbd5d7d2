/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* madsend --batch: requests as lines of JSON, several outstanding at once. */
#ifndef SRC_BATCH_H
#define SRC_BATCH_H

#include "cli/output.h"

/* Sends the requests of the file; with --dry-run, shows them. Returns the worst exit status of the lines. */
int batch(const struct cli_options *options, struct output *out);

#endif
