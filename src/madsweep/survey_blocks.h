/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Attributes in blocks: -m of a survey. The sweep provides the number of blocks of a node. */
#ifndef SRC_SURVEY_BLOCKS_H
#define SRC_SURVEY_BLOCKS_H

#include "cli/modifiers.h"
#include "request/request.h"

struct survey_blocks {
	const struct madkit_instances *instances; /* NULL: one request for each port or node */
	struct modifier_list given;
	bool port0; /* also port 0 of a switch, which a scope contains only if it is enhanced */
};

/* Checks if -m fits the request, and is given if the request needs it. Returns EXIT_DONE or EXIT_USAGE. */
int survey_blocks_read(const struct cli_options *options, const struct request *request,
		       struct survey_blocks *blocks);

/* Checks if each port has its own table. */
bool survey_blocks_by_port(const struct survey_blocks *blocks);

/* Lists the modifiers of all requests to a port, or to a node that is queried through port. Returns their
 * number. modifiers: NULL, or room for them. If the number of blocks is not known, *uncounted is set, and the
 * last modifier is that of the first block that may be missing. */
size_t survey_blocks_list(const struct survey_blocks *blocks, const struct madkit_sweep_node *node,
			  unsigned int port, uint32_t *modifiers, bool *uncounted);

#endif
