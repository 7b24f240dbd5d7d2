/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Any bytes as a topology file: an error that names a position in it, or a topology with consistent links
 * that is read back unchanged after it was written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "topology/topology.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define hold(cond) \
	do { \
		if (!(cond)) { \
			fprintf(stderr, "line %d: not so: %s\n", __LINE__, #cond); \
			abort(); \
		} \
	} while (0)

static void fuzz_topology_look(const struct topology *t)
{
	hold(t->nnodes && t->nnodes <= TOPOLOGY_NODES_MAX && t->nports <= TOPOLOGY_PORTS_MAX);
	for (uint32_t i = 0; i < t->nnodes; i++) {
		const struct topology_node *node = &t->nodes[i];

		hold(node->nports && node->nports <= TOPOLOGY_NODE_PORTS_MAX);
		hold(node->first + node->nports < t->nports);
		hold(node->guid && node->name[0]);
		hold(topology_find(t, node->name, strlen(node->name)) == i);
		for (unsigned int p = 0; p <= node->nports; p++) {
			const struct topology_port *port = topology_port(t, i, p), *far;

			/* a switch's end port is port 0, another's all the others */
			hold(!port->guid == (!p == (node->type != TOPOLOGY_SWITCH)));
			if (port->peer == TOPOLOGY_NONE)
				continue;
			hold(p && port->peer < t->nnodes && port->peer_port);
			hold(port->peer_port <= t->nodes[port->peer].nports);
			far = topology_port(t, port->peer, port->peer_port);
			hold(far->peer == i && far->peer_port == p);
			hold(topology_width(t, port) && topology_speed(t, port));
		}
	}
}

/* Control characters and quotes in a description are written unchanged; the reader uses the last quote of
 * a line as the end of the description. */
static bool is_plain(const struct topology *t)
{
	for (uint32_t i = 0; i < t->nnodes; i++)
		if (strpbrk(t->nodes[i].description, "\"\n\r\t"))
			return false;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct topology *t = NULL, *again = NULL;
	struct madkit_error error = { .text = "" };
	struct madkit_buf first, second;
	/* a copy of the exact length, so that reading beyond it is detected */
	char *text = malloc(size ? size : 1);

	hold(text);
	if (size)
		memcpy(text, data, size);
	if (topology_read(text, size, &t, &error)) {
		hold(!t && error.code < 0 && error.text[0]);
		hold(error.position >= -1 && error.position <= (int)size);
		free(text);
		return 0;
	}
	free(text);
	fuzz_topology_look(t);
	madkit_buf_init(&first, 0);
	madkit_buf_init(&second, 0);
	topology_write(t, &first);
	hold(!first.error);
	if (is_plain(t)) {
		if (topology_read(first.data, first.len, &again, &error)) {
			fprintf(stderr, "%s\n", error.text);
			abort();
		}
		fuzz_topology_look(again);
		topology_write(again, &second);
		hold(second.len == first.len && !memcmp(second.data, first.data, first.len));
	}
	madkit_buf_free(&first);
	madkit_buf_free(&second);
	topology_free(again);
	topology_free(t);
	return 0;
}
