/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Field=value words: what a request's data is to be. */
#ifndef SRC_REQUEST_FIELDS_H
#define SRC_REQUEST_FIELDS_H

#include "request.h"

/* Sets the request's Field=value words in its MAD (again), and the SA
 * component mask. 0 or EXIT_USAGE. */
int request_set_fields(const struct cli_options *options, struct request *request);

/* Whether its Field=value words give the attribute whole. */
bool request_is_whole(const struct request *request);

/* Whether a word gives the data as bytes: data=HEX. In other cases than lower case, a field of that name has precedence. */
bool request_is_data(const struct request *request, const char *word);

/* Whether one of the words is PortSelect, or the data as bytes. */
bool request_names_port(const struct request *request);

/* A modifier that nobody looks at, where the port was meant. 0 or EXIT_USAGE. */
int request_check_modifier(const struct request *request);

#endif
