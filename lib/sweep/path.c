/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Follows the forwarding tables of a sweep from port to port (madsweep --route). */
#include <errno.h>
#include <madkit/path.h>
#include "sweep/block.h"
#include "sweep/identity.h"
#include "wire/access.h"

enum { PATH_BLOCK = 64 }; /* entries per block */

/* Checks if a LID is one of the 2^LMC LIDs of an end port. */
static bool path_owns(const struct madkit_sweep_node *n, unsigned int port, uint16_t lid)
{
	struct madkit_sweep_lids lids;

	return identity_lids(&n->ports[port], &lids) && lid >= lids.first && lid <= lids.last;
}

bool madkit_path_port(const struct madkit_sweep *s, uint16_t lid, uint32_t *node, uint8_t *port)
{
	for (uint32_t i = 0; i < s->nnodes; i++) {
		const struct sweep_entry *e = s->nodes[i];
		const unsigned int first = !sweep_is_switch(e), last = first ? e->node.nports : 0;

		for (unsigned int p = first; p <= last; p++) {
			const uint8_t shared = e->node.ports[p].shared;

			if (shared & MADKIT_SWEEP_STALE_LID || !path_owns(&e->node, p, lid))
				continue;
			*node = i;
			*port = (uint8_t)p;
			return !(shared & MADKIT_SWEEP_SHARED_LID);
		}
	}
	return false;
}

static bool path_has_passed(const struct madkit_path *path, uint32_t node)
{
	for (unsigned int i = 0; i < path->nhops; i++)
		if (path->hops[i].node == node)
			return true;
	return false;
}

static struct madkit_path_hop path_hop(const struct madkit_sweep *s, uint32_t node, unsigned int ingress)
{
	return (struct madkit_path_hop){ .node = node,
					 .ingress = (uint8_t)ingress,
					 .adaptive_known = !sweep_is_switch(s->nodes[node]) };
}

static void path_enter(const struct madkit_sweep *s, struct madkit_path *path, uint32_t node,
		       unsigned int ingress)
{
	const bool loop = sweep_is_switch(s->nodes[node]) && path_has_passed(path, node);

	if (path->nhops == MADKIT_PATH_HOPS_MAX) {
		path->end = MADKIT_PATH_LONG;
		return;
	}
	path->hops[path->nhops++] = path_hop(s, node, ingress);
	if (loop)
		path->end = MADKIT_PATH_LOOP;
}

static void path_leave(const struct madkit_sweep *s, struct madkit_path *path, unsigned int egress)
{
	struct madkit_path_hop *hop = &path->hops[path->nhops - 1];
	const struct madkit_sweep_port *port = &s->nodes[hop->node]->node.ports[egress];

	hop->egress = (uint8_t)egress;
	if (port->peer == MADKIT_SWEEP_NONE)
		path->end = nodes_port_is_down(port) ? MADKIT_PATH_DOWN : MADKIT_PATH_UNKNOWN;
	else if (!nodes_link_forwards(s, (struct sweep_place){ hop->node, (uint8_t)egress }))
		path->end = MADKIT_PATH_INACTIVE;
	else
		path_enter(s, path, port->peer, port->peer_port);
}

static void path_arrive(const struct madkit_sweep *s, struct madkit_path *path, unsigned int port)
{
	const struct madkit_path_hop *hop = &path->hops[path->nhops - 1];

	path->end = path_owns(&s->nodes[hop->node]->node, port, path->lid) ? MADKIT_PATH_ARRIVED :
									     MADKIT_PATH_STRAY;
}

/* Continues from a switch whose table has this entry. */
static void path_forward(const struct madkit_sweep *s, struct madkit_path *path, unsigned int egress)
{
	struct madkit_path_hop *hop = &path->hops[path->nhops - 1];

	if (!egress) {
		path_arrive(s, path, 0);
	} else if (egress > s->nodes[hop->node]->node.nports) {
		path->end = egress == MADKIT_PATH_NO_PORT ? MADKIT_PATH_NO_ROUTE : MADKIT_PATH_BAD_PORT;
		hop->egress = (uint8_t)egress;
	} else {
		path_leave(s, path, egress);
	}
}

/* Returns 0, -ENOMEM, or 1 if the path waits for a response. */
static int path_switch(struct madkit_sweep *s, struct madkit_path *path)
{
	struct madkit_path_hop *hop = &path->hops[path->nhops - 1];
	const struct sweep_entry *e = s->nodes[hop->node];
	const struct sweep_block *block;
	bool known;

	/* entries beyond LinearFDBTop are not valid */
	if (e->node.switched == MADKIT_SWEEP_SILENT || e->node.switched == MADKIT_SWEEP_REFUSED) {
		path->end = e->node.switched == MADKIT_SWEEP_SILENT ? MADKIT_PATH_SILENT :
								      MADKIT_PATH_REFUSED;
		return 0;
	}
	if (e->node.switched == MADKIT_SWEEP_ANSWERED &&
	    path->lid > field_get(MADKIT_SWITCH_INFO_LINEAR_FDB_TOP, e->node.switch_info)) {
		path->end = MADKIT_PATH_BEYOND_TOP;
		return 0;
	}
	known = block_adaptive(s, hop->node);
	block = block_get(s, (struct sweep_place){ hop->node, 0 }, MADKIT_ATTR_LINEAR_FORWARDING_TABLE,
			  path->lid / PATH_BLOCK);
	if (!block)
		return -ENOMEM;
	if (block->state == MADKIT_SWEEP_UNKNOWN || !known)
		return 1;
	hop->adaptive = e->adapts;
	hop->adaptive_known = e->node.adaptive == MADKIT_SWEEP_ANSWERED ||
			      e->node.adaptive == MADKIT_SWEEP_REFUSED;
	if (block->state == MADKIT_SWEEP_ANSWERED)
		path_forward(s, path,
			     (unsigned int)element_get(MADKIT_LINEAR_FORWARDING_TABLE_PORT,
						       path->lid % PATH_BLOCK, block->data));
	else
		path->end = block->state == MADKIT_SWEEP_SILENT ? MADKIT_PATH_SILENT : MADKIT_PATH_REFUSED;
	return 0;
}

/* Follows a path until it ends or waits for a response. Returns 0, -ENOMEM, or 1 if it waits. */
static int path_advance(struct madkit_sweep *s, struct madkit_path *path)
{
	int ret = 0;

	while (!ret && path->end == MADKIT_PATH_UNFINISHED) {
		const struct madkit_path_hop *hop = &path->hops[path->nhops - 1];
		const struct sweep_entry *e = s->nodes[hop->node];

		if (sweep_is_switch(e))
			ret = path_switch(s, path);
		else if (path->nhops > 1 || path_owns(&e->node, path->port, path->lid))
			path_arrive(s, path, path->nhops > 1 ? hop->ingress : path->port);
		else
			path_leave(s, path, path->port);
	}
	return ret;
}

static int path_start(const struct madkit_sweep *s, struct madkit_path *path)
{
	const struct sweep_entry *e = path->node < s->nnodes ? s->nodes[path->node] : NULL;

	if (!e || !path->lid || path->lid > NODES_LID_MAX ||
	    (sweep_is_switch(e) ? path->port : !path->port || path->port > e->node.nports))
		return -EINVAL;
	if (!path->nhops)
		path->hops[path->nhops++] = path_hop(s, path->node, 0);
	return 0;
}

int madkit_path_follow(struct madkit_sweep *s, struct madkit_path *paths, size_t count, uint64_t until_ns)
{
	bool waits;
	int ret;

	do {
		ret = madkit_sweep_step(s, until_ns);
		if (ret != 1)
			return ret;
		waits = false;
		for (size_t i = 0; i < count; i++) {
			ret = path_start(s, &paths[i]);
			if (!ret)
				ret = path_advance(s, &paths[i]);
			if (ret < 0)
				return ret;
			waits |= ret;
		}
	} while (waits);
	return 1;
}
