/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Multicast trees. */
#include <errno.h>
#include <stdlib.h>
#include <madkit/path.h>
#include "sweep/block.h"
#include "sweep/nodes.h"
#include "util/array.h"
#include "wire/access.h"

enum {
	TREE_LIDS = 0xc000, /* the first multicast LID */
	TREE_LIDS_END = 0xffff,
	TREE_BLOCK = 32,         /* LIDs per block */
	TREE_PORTS = 16,         /* ports per block */
	TREE_POSITION = 28,      /* lowest bit of the position in the modifier */
	TREE_TOP_EMPTY = 0xbfff, /* MulticastFDBTop: no entries; a lower value: not supported by the switch */
};

/* ---- reading --------------------------------------------------------------------------- */

static bool tree_may_have(const struct madkit_sweep_node *n, uint16_t lid)
{
	uint64_t top;

	if (n->switched != MADKIT_SWEEP_ANSWERED)
		return true;
	top = field_get(MADKIT_SWITCH_INFO_MULTICAST_FDB_TOP, n->switch_info);
	return lid - TREE_LIDS < (int)field_get(MADKIT_SWITCH_INFO_MCAST_FDB_CAP, n->switch_info) &&
	       (top < TREE_TOP_EMPTY || lid <= top);
}

/* Returns the block that has a LID for 16 ports of a switch, or NULL if out of memory. */
static const struct sweep_block *tree_block(struct madkit_sweep *s, uint32_t node, unsigned int position,
					    uint16_t lid)
{
	return block_get(s, (struct sweep_place){ node, 0 }, MADKIT_ATTR_MULTICAST_FORWARDING_TABLE,
			 (uint32_t)position << TREE_POSITION | (lid - TREE_LIDS) / TREE_BLOCK);
}

static int tree_add(struct madkit_tree *tree, uint32_t *cap, uint32_t node, unsigned int port,
		    unsigned int flags)
{
	int ret = array_room(&tree->ports, cap, tree->count, 1, sizeof(*tree->ports));

	if (!ret)
		tree->ports[tree->count++] = (struct madkit_tree_port){ node, (uint8_t)port, (uint8_t)flags };
	return ret;
}

static int tree_add_ports(struct madkit_tree *tree, uint32_t *cap, const struct sweep_entry *e,
			  unsigned int first, unsigned int mask)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < TREE_PORTS && first + i <= e->node.nports; i++)
		if (mask & 1u << i)
			ret = tree_add(tree, cap, e->number, first + i, 0);
	return ret;
}

/* Adds the ports of a switch. Returns 0; 1 if some are not known yet; or -ENOMEM. */
static int tree_add_switch(struct madkit_sweep *s, struct madkit_tree *tree, uint32_t *cap,
			   const struct sweep_entry *e)
{
	const unsigned int positions = e->node.nports / TREE_PORTS + 1;
	const uint32_t before = tree->count;
	int ret = 0, waits = 0;

	for (unsigned int position = 0; position < positions && ret >= 0; position++) {
		const struct sweep_block *block = tree_block(s, e->number, position, tree->lid);

		if (!block)
			return -ENOMEM;
		if (block->state == MADKIT_SWEEP_UNKNOWN) {
			waits = 1;
		} else if (block->state != MADKIT_SWEEP_ANSWERED) {
			tree->count = before;
			return tree_add(tree, cap, e->number, 0,
					block->state == MADKIT_SWEEP_SILENT ? MADKIT_TREE_SILENT :
									      MADKIT_TREE_REFUSED);
		} else {
			ret = tree_add_ports(
				tree, cap, e, position * TREE_PORTS,
				(unsigned int)element_get(MADKIT_MULTICAST_FORWARDING_TABLE_PORT_MASK,
							  (tree->lid - TREE_LIDS) % TREE_BLOCK, block->data));
		}
	}
	return ret < 0 ? ret : waits;
}

/* Collects all ports. Returns 0; 1 if some are not known yet; or -ENOMEM. */
static int tree_collect(struct madkit_sweep *s, struct madkit_tree *tree, uint32_t *cap)
{
	int ret = 0, waits = 0;

	tree->count = 0;
	for (uint32_t i = 0; i < s->nnodes && ret >= 0; i++) {
		if (!sweep_is_switch(s->nodes[i]) || !tree_may_have(&s->nodes[i]->node, tree->lid))
			continue;
		ret = tree_add_switch(s, tree, cap, s->nodes[i]);
		waits |= ret > 0;
	}
	return ret < 0 ? ret : waits;
}

/* ---- what the ports lead to ------------------------------------------------------------ */

/* Returns the index of the first port that is not before a place. */
static uint32_t tree_first(const struct madkit_tree *tree, struct sweep_place at)
{
	uint32_t first = 0, end = tree->count;

	while (first < end) {
		const uint32_t middle = first + (end - first) / 2;
		const struct madkit_tree_port *p = &tree->ports[middle];

		if (p->node < at.node || (p->node == at.node && p->port < at.port))
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

/* Returns NULL if the port is not in the tree. */
static const struct madkit_tree_port *tree_find(const struct madkit_tree *tree, struct sweep_place at)
{
	const uint32_t i = tree_first(tree, at);

	return i < tree->count && tree->ports[i].node == at.node && tree->ports[i].port == at.port ?
		       &tree->ports[i] :
		       NULL;
}

static struct sweep_place tree_place(const struct madkit_tree_port *p)
{
	return (struct sweep_place){ p->node, p->port };
}

static bool tree_is_silent(const struct madkit_tree *tree, uint32_t node)
{
	const struct madkit_tree_port *p = tree_find(tree, (struct sweep_place){ node, 0 });

	return p && p->flags & (MADKIT_TREE_SILENT | MADKIT_TREE_REFUSED);
}

static unsigned int tree_flags(const struct madkit_sweep *s, const struct madkit_tree *tree,
			       const struct madkit_tree_port *p)
{
	const struct madkit_sweep_port *port = nodes_port(s, tree_place(p));

	if (!p->port)
		return p->flags ? p->flags : MADKIT_TREE_MEMBER;
	if (port->peer == MADKIT_SWEEP_NONE)
		return nodes_port_is_down(port) ? MADKIT_TREE_DOWN : MADKIT_TREE_UNKNOWN;
	if (!nodes_link_forwards(s, tree_place(p)))
		return MADKIT_TREE_INACTIVE;
	if (!sweep_is_switch(s->nodes[port->peer]))
		return MADKIT_TREE_MEMBER;
	if (tree_is_silent(tree, port->peer))
		return 0;
	/* assume a loop until tree_prune() shows otherwise */
	return MADKIT_TREE_LOOP | (tree_find(tree, nodes_peer(s, tree_place(p))) ? 0 : MADKIT_TREE_ONE_WAY);
}

/* ---- loops ------------------------------------------------------------------------------ */

/* Checks if packets that enter a switch by a port can leave it by another port of a possible loop. */
static bool tree_continues(const struct madkit_tree *tree, struct sweep_place ingress)
{
	uint32_t i = tree_first(tree, (struct sweep_place){ ingress.node, 0 });

	for (; i < tree->count && tree->ports[i].node == ingress.node; i++)
		if (tree->ports[i].flags & MADKIT_TREE_LOOP && tree->ports[i].port != ingress.port)
			return true;
	return false;
}

/* Checks if packets of a possible loop can enter the switch of an egress port by another port. */
static bool tree_is_entered(const struct madkit_sweep *s, const struct madkit_tree *tree,
			    struct sweep_place egress)
{
	for (unsigned int i = 1; i <= s->nodes[egress.node]->node.nports; i++) {
		const struct sweep_place from =
			nodes_peer(s, (struct sweep_place){ egress.node, (uint8_t)i });
		const struct madkit_tree_port *p;

		if (i == egress.port || from.node == MADKIT_SWEEP_NONE)
			continue;
		p = tree_find(tree, from);
		if (p && p->flags & MADKIT_TREE_LOOP)
			return true;
	}
	return false;
}

/* Clears the flag of ports that are not part of a loop, until nothing changes. */
static void tree_prune(const struct madkit_sweep *s, struct madkit_tree *tree)
{
	bool changed;

	do {
		changed = false;
		for (uint32_t i = 0; i < tree->count; i++) {
			struct madkit_tree_port *p = &tree->ports[i];

			if (p->flags & MADKIT_TREE_LOOP &&
			    (!tree_continues(tree, nodes_peer(s, tree_place(p))) ||
			     !tree_is_entered(s, tree, tree_place(p)))) {
				p->flags &= (uint8_t)~MADKIT_TREE_LOOP;
				changed = true;
			}
		}
	} while (changed);
}

/* ---- parts ------------------------------------------------------------------------------ */

static uint32_t tree_root(uint32_t *parents, uint32_t node)
{
	while (parents[node] != node)
		node = parents[node] = parents[parents[node]];
	return node;
}

/* Checks if the port connects two switches of the tree. A switch that does not respond is assumed to be in
 * the tree. */
static bool tree_joins(const struct madkit_sweep *s, const struct madkit_tree *tree,
		       const struct madkit_tree_port *p)
{
	const struct sweep_place peer = nodes_peer(s, tree_place(p));

	return p->port && peer.node != MADKIT_SWEEP_NONE && !(p->flags & MADKIT_TREE_INACTIVE) &&
	       sweep_is_switch(s->nodes[peer.node]) &&
	       (tree_find(tree, peer) || tree_is_silent(tree, peer.node));
}

static int tree_count_parts(const struct madkit_sweep *s, struct madkit_tree *tree)
{
	uint32_t *parents = calloc(s->nnodes, sizeof(*parents));
	bool *counted = calloc(s->nnodes, sizeof(*counted));

	for (uint32_t i = 0; parents && i < s->nnodes; i++)
		parents[i] = i;
	for (uint32_t i = 0; parents && i < tree->count; i++)
		if (tree_joins(s, tree, &tree->ports[i]))
			parents[tree_root(parents, tree->ports[i].node)] =
				tree_root(parents, nodes_port(s, tree_place(&tree->ports[i]))->peer);
	for (uint32_t i = 0; parents && counted && i < tree->count; i++) {
		const uint32_t root = tree_root(parents, tree->ports[i].node);

		if (tree->ports[i].flags & (MADKIT_TREE_SILENT | MADKIT_TREE_REFUSED) || counted[root])
			continue;
		counted[root] = true;
		tree->parts++;
	}
	free(counted);
	free(parents);
	return parents && counted ? 0 : -ENOMEM;
}

/* ---- a tree ----------------------------------------------------------------------------- */

static int tree_judge(const struct madkit_sweep *s, struct madkit_tree *tree)
{
	for (uint32_t i = 0; i < tree->count; i++)
		tree->ports[i].flags = (uint8_t)tree_flags(s, tree, &tree->ports[i]);
	tree_prune(s, tree);
	return tree->count ? tree_count_parts(s, tree) : 0;
}

int madkit_tree_read(struct madkit_sweep *s, uint16_t lid, uint64_t until_ns, struct madkit_tree **tree)
{
	struct madkit_tree *t;
	uint32_t cap = 0;
	int ret;

	if (lid < TREE_LIDS || lid >= TREE_LIDS_END)
		return -EINVAL;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	t->lid = lid;
	do {
		ret = madkit_sweep_step(s, until_ns);
		if (ret != 1) {
			madkit_tree_free(t);
			return ret;
		}
		ret = tree_collect(s, t, &cap);
	} while (ret == 1);
	if (!ret)
		ret = tree_judge(s, t);
	if (ret) {
		madkit_tree_free(t);
		return ret;
	}
	*tree = t;
	return 1;
}

void madkit_tree_free(struct madkit_tree *t)
{
	if (!t)
		return;
	free(t->ports);
	free(t);
}
