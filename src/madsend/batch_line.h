/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Converts a line of a batch to a request. */
#ifndef SRC_BATCH_LINE_H
#define SRC_BATCH_LINE_H

#include "request/request.h"

/*
 * Builds the request of a line; the command line supplies what the line omits. Returns 0, or an exit status
 * and the reason in error. The caller frees the request in either case. Its destination refers to the
 * message.
 */
int batch_line(const struct cli_options *options, const struct madkit_json_message *message,
	       struct request *request, struct madkit_error *error);

#endif
