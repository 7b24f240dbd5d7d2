/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Builds a request from METHOD ATTRIBUTE Field=value ... and the options. */
#ifndef SRC_REQUEST_ARGS_H
#define SRC_REQUEST_ARGS_H

#include "request.h"

/*
 * Builds the request. Reports an error and returns an exit status: EXIT_USAGE, or EXIT_LOCAL for a file that
 * cannot be read. The caller frees the request in either case.
 */
int request_build(const struct cli_options *options, char **words, int nwords, struct request *request);

/* Rejects options that have no effect on this request. Returns EXIT_DONE or EXIT_USAGE. */
int request_check_options(const struct cli_options *options, const struct request *request);

/* Rejects options of a GRH without --gid. Returns EXIT_DONE or EXIT_USAGE. */
int request_check_grh(const struct cli_options *options);

#endif
