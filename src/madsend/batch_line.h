/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A line of a batch as a request. */
#ifndef SRC_BATCH_LINE_H
#define SRC_BATCH_LINE_H

#include "request/request.h"

/*
 * What the line leaves open, the command line says. 0, or an exit status and in error what is wrong. Free the
 * request in either case. Its destination refers to the message.
 */
int batch_line(const struct cli_options *options, const struct madkit_json_message *message,
	       struct request *request, struct madkit_error *error);

#endif
