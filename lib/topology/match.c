/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds out which nodes of two cablings are the same. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/escape.h>
#include "topology/compare.h"
#include "util/word.h"

/* ---- ports --------------------------------------------------------------------------------- */

uint32_t match_port(const struct compare *s, int side, uint32_t port)
{
	const uint32_t node = compare_at(s, side, port)->node, other = s->other[side][node];
	const unsigned int number = cabling_number(s->c[side], port);

	if (other == MADKIT_CABLING_NONE || s->nodes[side][node] & COMPARE_SPLIT ||
	    number > s->c[!side]->nodes[other].pub.nports)
		return MADKIT_CABLING_NONE;
	return s->c[!side]->nodes[other].first + number;
}

uint8_t match_state(const struct compare *s, int side, uint32_t port)
{
	const uint32_t node = compare_at(s, side, port)->node, other = s->other[side][node];
	const uint32_t same = match_port(s, side, port);

	if (same != MADKIT_CABLING_NONE)
		return compare_at(s, !side, same)->pub.state;
	if (other == MADKIT_CABLING_NONE || s->nodes[side][node] & COMPARE_SPLIT)
		return MADKIT_CABLING_UNKNOWN;
	/* a port that a plan does not mention has no link in it */
	return MADKIT_CABLING_DOWN;
}

/* ---- by GUID ------------------------------------------------------------------------------- */

/* Returns the node that has an end port with a GUID. Plans may have those in place of GUIDs of nodes. */
static int match_port_guids(struct compare *s)
{
	const struct madkit_cabling *a = s->c[AFTER], *b = s->c[BEFORE];
	struct table guids = { .count = 0 };
	bool any = false;
	int ret = 0;

	for (uint32_t i = 0; i < b->nnodes; i++)
		any |= b->nodes[i].pub.guid && s->other[BEFORE][i] == MADKIT_CABLING_NONE;
	for (uint32_t i = 0; i < a->nports && any && !ret; i++)
		if (a->ports[i].pub.guid)
			ret = table_add_number(&guids, table_mix(0, a->ports[i].pub.guid), i);
	for (uint32_t i = 0; i < b->nnodes && any && !ret; i++) {
		const uint64_t guid = b->nodes[i].pub.guid;
		size_t step = 0;
		uint32_t port;

		if (!guid || b->nodes[i].ignored || s->other[BEFORE][i] != MADKIT_CABLING_NONE)
			continue;
		while (table_next_number(&guids, table_mix(0, guid), &step, &port))
			if (a->ports[port].pub.guid == guid &&
			    s->other[AFTER][a->ports[port].node] == MADKIT_CABLING_NONE)
				match_set(s, i, a->ports[port].node);
	}
	table_free(&guids);
	return ret;
}

static void match_by_guid(struct compare *s)
{
	const struct madkit_cabling *b = s->c[BEFORE];

	for (uint32_t i = 0; i < b->nnodes; i++) {
		const uint64_t guid = b->nodes[i].pub.guid;
		const uint32_t after = guid && !b->nodes[i].ignored ? cabling_find(s->c[AFTER], guid) :
								      MADKIT_CABLING_NONE;

		if (after != MADKIT_CABLING_NONE && !s->c[AFTER]->nodes[after].ignored)
			match_set(s, i, after);
	}
}

/* ---- replaced ------------------------------------------------------------------------------ */

/* Checks if a node has no node in the other cabling. */
static bool match_is_alone(const struct compare *s, int side, uint32_t node)
{
	return s->other[side][node] == MADKIT_CABLING_NONE && !s->c[side]->nodes[node].ignored;
}

/* Returns the lonely node of the other cabling that is at the peer of a port: at its position. */
static uint32_t match_at_position(const struct compare *s, int side, uint32_t port)
{
	const uint32_t peer = compare_at(s, side, port)->peer;
	const uint32_t same = peer == MADKIT_CABLING_NONE ? peer : match_port(s, side, peer);
	const uint32_t link = same == MADKIT_CABLING_NONE ? same : compare_at(s, !side, same)->peer;
	uint32_t node;

	if (link == MADKIT_CABLING_NONE)
		return MADKIT_CABLING_NONE;
	node = compare_at(s, !side, link)->node;
	return match_is_alone(s, !side, node) ? node : MADKIT_CABLING_NONE;
}

/* Returns the node that is at most of the positions of a node, of several the first one; *links: at how many. */
static uint32_t match_successor(const struct compare *s, int side, uint32_t node, unsigned int *links)
{
	const struct cabling_node *n = &s->c[side]->nodes[node];
	uint32_t best = MADKIT_CABLING_NONE;

	*links = 0;
	for (uint32_t i = n->first; i <= n->first + n->pub.nports; i++) {
		const uint32_t at = match_at_position(s, side, i);
		unsigned int votes = 0;

		if (at == MADKIT_CABLING_NONE || at == best)
			continue;
		for (uint32_t j = n->first; j <= n->first + n->pub.nports; j++)
			votes += match_at_position(s, side, j) == at;
		if (votes > *links || (votes == *links && at < best)) {
			best = at;
			*links = votes;
		}
	}
	return best;
}

/* Passes the links at the positions of the old node. */
static void match_use_positions(struct compare *s, uint32_t before, uint32_t after)
{
	const struct cabling_node *n = &s->c[BEFORE]->nodes[before];

	for (uint32_t i = n->first; i <= n->first + n->pub.nports; i++)
		if (match_at_position(s, BEFORE, i) == after) {
			const uint32_t same = match_port(s, BEFORE, compare_at(s, BEFORE, i)->peer);

			compare_use(s, BEFORE, i, COMPARE_USED);
			compare_use(s, AFTER, same, COMPARE_USED);
		}
}

static int match_add_replaced(struct compare *s, uint32_t before, uint32_t after)
{
	struct compare_draft d = compare_draft(s, MADKIT_DIFFERENCE_REPLACED, compare_node(AFTER, after));
	const struct madkit_cabling_node *b = cabling_node(s->c[BEFORE], before),
					 *a = cabling_node(s->c[AFTER], after);
	const uint32_t n = s->list->n;
	int ret;

	d.key[0] = compare_node(BEFORE, before);
	d.key[1] = compare_node(AFTER, after);
	if (b->guid) {
		cabling_put_id(s->c[BEFORE], &s->before, d.key[0].at);
		cabling_put_id(s->c[AFTER], &s->after, d.key[1].at);
	} else if (match_same_first_word(a, b)) {
		/* the short names may be the same */
		madkit_text_escape(&s->before, b->name, strlen(b->name));
		madkit_text_escape(&s->after, a->name, strlen(a->name));
	} else {
		compare_put(s, &s->before, d.key[0]);
		compare_put(s, &s->after, d.key[1]);
	}
	madkit_buf_add(&s->text, s->before.data, s->before.len);
	madkit_buf_str(&s->text, " was replaced by ");
	madkit_buf_add(&s->text, s->after.data, s->after.len);
	madkit_buf_str(&s->text, " at ");
	compare_put_position(s, &s->text, AFTER, after);
	ret = compare_add(s, &d);
	/* unless it is out of scope */
	if (!b->guid && s->list->n > n) {
		if (!s->list->counts.names++)
			s->list->counts.name = b->name;
	}
	return ret;
}

/* Checks if so many links at the positions of a node show that another one replaces it: one of a CA or router, two of a
 * switch. If the type of the first one is not known, half of its links must be among them. */
static bool match_is_successor(const struct compare *s, uint32_t before, uint32_t after, unsigned int links,
			       bool switches)
{
	const struct cabling_node *n = &s->c[BEFORE]->nodes[before];
	const uint8_t type = cabling_node(s->c[AFTER], after)->type;
	unsigned int all = 0;

	if ((type == MADKIT_NODE_TYPE_SWITCH) != switches || links < 1u + switches)
		return false;
	if (n->pub.type)
		return n->pub.type == type;
	for (uint32_t i = n->first; i <= n->first + n->pub.nports; i++)
		all += compare_at(s, BEFORE, i)->peer != MADKIT_CABLING_NONE;
	return 2 * links >= all;
}

static int match_replaced(struct compare *s, bool switches)
{
	const struct madkit_cabling *b = s->c[BEFORE];
	int ret = 0;

	for (uint32_t i = 0; i < b->nnodes && !ret; i++) {
		unsigned int links, back;
		uint32_t after;

		if (!match_is_alone(s, BEFORE, i))
			continue;
		after = match_successor(s, BEFORE, i, &links);
		if (after == MADKIT_CABLING_NONE || match_successor(s, AFTER, after, &back) != i ||
		    !match_is_successor(s, i, after, links, switches))
			continue;
		ret = match_add_replaced(s, i, after);
		match_use_positions(s, i, after);
		match_set(s, i, after);
		s->nodes[BEFORE][i] |= COMPARE_REPLACED;
		s->nodes[AFTER][after] |= COMPARE_REPLACED;
	}
	return ret;
}

/* ---- hidden -------------------------------------------------------------------------------- */

/* Checks if a trunk leads from a lonely node to one with unknown ports, or to a hidden one. */
static bool match_is_trunk_hidden(const struct compare *s, uint32_t node)
{
	const uint32_t other = s->other[BEFORE][node];
	const struct cabling_node *n;

	if (other == MADKIT_CABLING_NONE)
		return s->nodes[BEFORE][node] & COMPARE_HIDDEN;
	n = &s->c[AFTER]->nodes[other];
	for (uint32_t i = n->first + 1; i <= n->first + n->pub.nports; i++)
		if (compare_at(s, AFTER, i)->pub.state == MADKIT_CABLING_UNKNOWN)
			return true;
	return false;
}

/* Hides a node, and puts it on the stack. */
static void match_hide(struct compare *s, int side, uint32_t node, uint32_t *stack, uint32_t *n)
{
	if (!match_is_alone(s, side, node) || s->nodes[side][node] & COMPARE_HIDDEN)
		return;
	s->nodes[side][node] |= COMPARE_HIDDEN;
	stack[(*n)++] = node;
}

/* Checks if a node has no link, and a port about which nothing is known. */
static bool match_is_vague(const struct compare *s, int side, uint32_t node)
{
	const struct cabling_node *n = &s->c[side]->nodes[node];
	bool vague = false;

	for (uint32_t i = n->first + 1; i <= n->first + n->pub.nports; i++) {
		if (compare_at(s, side, i)->peer != MADKIT_CABLING_NONE)
			return false;
		vague |= compare_at(s, side, i)->pub.state == MADKIT_CABLING_UNKNOWN;
	}
	return vague;
}

/* Hides the lonely nodes that were, or are, behind ports that are not known in the other cabling. */
static int match_hidden(struct compare *s, int side)
{
	const struct madkit_cabling *c = s->c[side];
	uint32_t *stack = calloc(c->nnodes + 1, sizeof(*stack)), n = 0;

	if (!stack)
		return -ENOMEM;
	for (uint32_t i = 0; i < c->nports; i++) {
		const uint32_t peer = c->ports[i].peer;

		if (peer != MADKIT_CABLING_NONE && !match_is_alone(s, side, c->ports[peer].node) &&
		    !(s->nodes[side][c->ports[peer].node] & COMPARE_SPLIT) &&
		    match_state(s, side, peer) == MADKIT_CABLING_UNKNOWN)
			match_hide(s, side, c->ports[i].node, stack, &n);
	}
	for (uint32_t i = 0; i < c->nnodes && side == BEFORE; i++)
		if (match_is_vague(s, side, i))
			match_hide(s, side, i, stack, &n);
	for (uint32_t i = 0; i < c->ntrunks && side == BEFORE; i++)
		for (size_t k = 0; k < 2; k++)
			if (match_is_trunk_hidden(s, c->trunks[i].ends[!k].node))
				match_hide(s, side, c->trunks[i].ends[k].node, stack, &n);
	while (n) {
		const struct cabling_node *node = &c->nodes[stack[--n]];

		for (uint32_t i = node->first; i <= node->first + node->pub.nports; i++)
			if (c->ports[i].peer != MADKIT_CABLING_NONE)
				match_hide(s, side, c->ports[c->ports[i].peer].node, stack, &n);
	}
	free(stack);
	return 0;
}

/* ---- all ----------------------------------------------------------------------------------- */

/* Marks the switches with another number of ports. */
static void match_split(struct compare *s)
{
	for (uint32_t i = 0; i < s->c[BEFORE]->nnodes; i++) {
		const uint32_t other = s->other[BEFORE][i];
		const struct madkit_cabling_node *a = cabling_node(s->c[BEFORE], i), *b;

		if (other == MADKIT_CABLING_NONE)
			continue;
		b = cabling_node(s->c[AFTER], other);
		if (a->counted && b->counted && a->nports != b->nports &&
		    b->type == MADKIT_NODE_TYPE_SWITCH) {
			s->nodes[BEFORE][i] |= COMPARE_SPLIT;
			s->nodes[AFTER][other] |= COMPARE_SPLIT;
		}
	}
}

/* Checks if a plan is one of another subnet, or of other names: no node, or less than half of them, is in the subnet by its
 * GUID or name, and as many others are. Nodes that are only gone do not count. */
static int match_check(struct compare *s)
{
	const struct madkit_cabling *b = s->c[BEFORE], *a = s->c[AFTER];
	uint32_t strange = 0, others = 0, any = 0, first = 0;

	for (uint32_t i = 0; i < b->nnodes; i++) {
		const bool is = s->nodes[BEFORE][i] & COMPARE_STRANGE &&
				!(s->nodes[BEFORE][i] & COMPARE_HIDDEN);

		any += s->other[BEFORE][i] != MADKIT_CABLING_NONE;
		if (is && !strange++)
			first = i;
	}
	for (uint32_t i = 0; i < a->nnodes; i++)
		others += (match_is_alone(s, AFTER, i) && !(s->nodes[AFTER][i] & COMPARE_HIDDEN)) ||
			  s->nodes[AFTER][i] & COMPARE_REPLACED;
	if (!b->nnodes || !a->nnodes || (any && 2 * (strange < others ? strange : others) <= b->nnodes))
		return 0;
	madkit_buf_reset(&s->text);
	compare_put(s, &s->text, compare_node(BEFORE, first));
	return madkit_error_set(
		s->error, -ENOENT, -1,
		"a plan of another subnet, or of other names: %u of its %u nodes are not here, such as %.*s",
		(unsigned int)strange, (unsigned int)b->nnodes, clip(s->text.len),
		s->text.len ? s->text.data : "");
}

int match_nodes(struct compare *s)
{
	int ret;

	match_by_guid(s);
	ret = match_port_guids(s);
	for (int side = 0; side < 2 && !ret; side++)
		ret = match_by_name(s, side);
	if (!ret)
		ret = match_first_words(s);
	if (ret)
		return ret;
	match_split(s);
	for (int switches = 1; switches >= 0 && !ret; switches--)
		ret = match_replaced(s, switches);
	for (int side = 0; side < 2 && !ret; side++)
		ret = match_hidden(s, side);
	return ret ? ret : match_check(s);
}
