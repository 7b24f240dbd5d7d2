/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Field=value words: the data of a request. */
#ifndef SRC_REQUEST_FIELDS_H
#define SRC_REQUEST_FIELDS_H

#include "request.h"

/* Sets the fields of the Field=value words in the request's MAD, and the SA component mask. May be called
 * again. Returns 0 or EXIT_USAGE. */
int request_set_fields(const struct cli_options *options, struct request *request);

/* Checks if the Field=value words set the whole attribute. */
bool request_is_whole(const struct request *request);

/* Checks if a word sets the data as bytes: data=HEX. Unless "data" is in lower case, a field of that name
 * takes precedence. */
bool request_is_data(const struct request *request, const char *word);

/* Checks if one of the words is PortSelect, or sets the data as bytes. */
bool request_names_port(const struct request *request);

/* Rejects a modifier that has no effect because PortSelect selects the port. Returns 0 or EXIT_USAGE. */
int request_check_modifier(const struct request *request);

/*
 * Checks a request for a register (MADKIT_ATTRIBUTE_READ_ONLY), which is only read, page by page: its method is Get,
 * its data chooses the same attribute as its name, and has no bits but those of fields. Returns 0, or -EINVAL with the
 * reason.
 */
int request_check_register(const struct request *request, struct madkit_error *error);

/* Writes a line that says how any bytes can be sent. */
void request_hint_register(const struct request *request);

#endif
