/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Invariants of a sweep, whatever the responses were. */
#ifndef FUZZ_SWEEP_SWEPT_H
#define FUZZ_SWEEP_SWEPT_H

#include <madkit/path.h>
#include "fuzz/input.h"
#include "tests/unit/sweep.h"
#include "topology/topology.h"

enum { FUZZ_NODES_MAX = 60 };

#define FUZZ_FOREVER (UINT64_C(20000000) * MS)

/* Both ends of each link name each other, and the numbers are those of nodes and ports. */
static inline void fuzz_swept_nodes(const struct swept *w)
{
	if (w->counts.nodes > FUZZ_NODES_MAX)
		fuzz_fail("more nodes than allowed", NULL);
	for (uint32_t i = 0; i < w->counts.nodes; i++) {
		const struct madkit_sweep_node *n = madkit_sweep_node(w->s, i);

		if (n->number > n->nports || (n->parent != MADKIT_SWEEP_NONE && n->parent >= w->counts.nodes))
			fuzz_fail("no such port or parent", NULL);
		for (unsigned int p = 0; p <= n->nports; p++) {
			const struct madkit_sweep_port *port = &n->ports[p], *far;

			if (port->peer == MADKIT_SWEEP_NONE)
				continue;
			if (port->peer >= w->counts.nodes ||
			    port->peer_port > madkit_sweep_node(w->s, port->peer)->nports)
				fuzz_fail("no such peer", NULL);
			far = &madkit_sweep_node(w->s, port->peer)->ports[port->peer_port];
			if (far->peer != i || far->peer_port != p)
				fuzz_fail("a link with one end", NULL);
		}
	}
}

/* Lines of JSON have no control characters. */
static inline void fuzz_swept_line(const struct swept *w, uint32_t node, unsigned int port,
				   struct madkit_buf *buf)
{
	const struct madkit_format format = { .pretty = false };
	struct madkit_message message = { .kind = MADKIT_MESSAGE_PORT };
	struct madkit_sweep_record record;

	madkit_sweep_record_get(w->s, node, port, &record);
	message.port = &record.record;
	record.record.message = &message;
	madkit_buf_reset(buf);
	if (madkit_format_json(buf, &message, &format) < 0 || !buf->len || buf->data[buf->len - 1] != '\n')
		fuzz_fail("a port is not a line", NULL);
	for (size_t i = 0; i + 1 < buf->len; i++)
		if ((unsigned char)buf->data[i] < ' ')
			fuzz_fail("a control character", NULL);
}

/* The topology can be read, and has no more nodes. */
static inline void fuzz_swept_topology(const struct swept *w, struct madkit_buf *buf)
{
	struct madkit_error error = { .text = "" };
	struct topology *t = NULL;

	madkit_buf_reset(buf);
	if (madkit_sweep_topology(w->s, buf) < 0)
		fuzz_fail("no topology", NULL);
	if (w->counts.nodes && !topology_read(buf->data, buf->len, &t, &error) && t->nnodes > w->counts.nodes)
		fuzz_fail("more nodes in the topology", NULL);
	topology_free(t);
}

/* Paths and a tree end. */
static inline void fuzz_swept_paths(const struct swept *w, struct input *in)
{
	struct madkit_tree *tree = NULL;
	struct madkit_path paths[4];
	size_t count = 0;

	memset(paths, 0, sizeof(paths));
	while (count < 4 && w->counts.nodes) {
		const uint32_t node = byte(in) % w->counts.nodes;
		const struct madkit_sweep_node *n = madkit_sweep_node(w->s, node);

		paths[count].node = node;
		paths[count].port = n->type == 2 ? 0 : n->number;
		paths[count++].lid = 1 + byte(in);
	}
	if (count && madkit_path_follow(w->s, paths, count, FUZZ_FOREVER) != 1)
		fuzz_fail("paths without end", NULL);
	for (size_t i = 0; i < count; i++)
		if (paths[i].nhops > MADKIT_PATH_HOPS_MAX)
			fuzz_fail("a path is too long", NULL);
	if (madkit_tree_read(w->s, 0xc000 | byte(in) % 8, FUZZ_FOREVER, &tree) != 1)
		fuzz_fail("a tree without end", NULL);
	madkit_tree_free(tree);
}

/* The sweep has begun. */
static inline void fuzz_swept_check(struct swept *w, struct input *in)
{
	struct madkit_buf buf;

	if (madkit_sweep_step(w->s, FUZZ_FOREVER) != 1)
		fuzz_fail("a sweep without end", NULL);
	swept_count(w);
	fuzz_swept_nodes(w);
	madkit_buf_init(&buf, 0);
	for (uint32_t i = 0; i < w->counts.nodes; i++) {
		struct madkit_addr to;

		madkit_sweep_route(w->s, i, &to);
		for (unsigned int p = 0; p <= madkit_sweep_node(w->s, i)->nports; p++) {
			madkit_sweep_port_route(w->s, i, p, &to);
			fuzz_swept_line(w, i, p, &buf);
		}
	}
	fuzz_swept_topology(w, &buf);
	madkit_buf_free(&buf);
	fuzz_swept_paths(w, in);
}

#endif
