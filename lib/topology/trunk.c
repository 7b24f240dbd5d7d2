/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counts links of which an end may be at any port: trunks of a plan, and those of switches that were split. */
#include "topology/compare.h"

/* Checks if a port of the later cabling leads to an end, at any port if that has none. */
static bool trunk_leads_to(const struct compare *s, uint32_t port, struct madkit_cabling_end to)
{
	const uint32_t peer = compare_at(s, AFTER, port)->peer;

	return compare_is_open(s, AFTER, port) && compare_at(s, AFTER, peer)->node == to.node &&
	       (to.port < 0 || (int)cabling_number(s->c[AFTER], peer) == to.port);
}

/* Returns an end as the later cabling has it. */
static struct madkit_cabling_end trunk_later(const struct compare *s, struct madkit_cabling_end at)
{
	const uint32_t node = s->other[BEFORE][at.node];

	return (struct madkit_cabling_end){ node, s->nodes[BEFORE][at.node] & COMPARE_SPLIT ? -1 : at.port };
}

/* Uses links of the later cabling between two ends, at most so many. Returns their number. */
static unsigned int trunk_use(struct compare *s, struct madkit_cabling_end a, struct madkit_cabling_end b,
			      unsigned int most)
{
	const struct cabling_node *n = &s->c[AFTER]->nodes[a.node];
	unsigned int found = 0;

	for (uint32_t i = n->first; i <= n->first + n->pub.nports && found < most; i++) {
		if ((a.port >= 0 && i != n->first + (uint32_t)a.port) || !trunk_leads_to(s, i, b))
			continue;
		compare_use(s, AFTER, i, COMPARE_USED | COMPARE_SAME);
		found++;
	}
	return found;
}

/* Returns how many ports of a node are not known in the later cabling. */
static unsigned int trunk_unknown(const struct compare *s, uint32_t node)
{
	const struct cabling_node *n = &s->c[AFTER]->nodes[node];
	unsigned int unknown = 0;

	for (uint32_t i = n->first + 1; i <= n->first + n->pub.nports; i++)
		unknown += compare_at(s, AFTER, i)->pub.state == MADKIT_CABLING_UNKNOWN;
	return unknown;
}

static int trunk_add(struct compare *s, const struct cabling_trunk *t, unsigned int found)
{
	struct compare_draft d =
		compare_draft(s, MADKIT_DIFFERENCE_LINK_GONE, (struct compare_place){ BEFORE, t->ends[0] });

	d.place[1] = d.key[1] = (struct compare_place){ BEFORE, t->ends[1] };
	madkit_buf_printf(&s->before, "%u link%s", t->links, t->links == 1 ? "" : "s");
	madkit_buf_printf(&s->after, "%u link%s", found, found == 1 ? "" : "s");
	madkit_buf_printf(&s->text, "%u of %u links", found, t->links);
	return compare_add(s, &d);
}

static bool trunk_is_ignored(const struct compare *s, struct madkit_cabling_end later)
{
	return later.node != MADKIT_CABLING_NONE && s->c[AFTER]->nodes[later.node].ignored;
}

/* Checks if an end may be behind a node without a response. */
static bool trunk_is_hidden(const struct compare *s, const struct cabling_trunk *t)
{
	return (s->nodes[BEFORE][t->ends[0].node] | s->nodes[BEFORE][t->ends[1].node]) & COMPARE_HIDDEN;
}

static int trunk_compare_one(struct compare *s, const struct cabling_trunk *t)
{
	const struct madkit_cabling_end a = trunk_later(s, t->ends[0]), b = trunk_later(s, t->ends[1]);
	struct madkit_comparison_counts *counts = &s->list->counts;
	const bool outside = !compare_in_scope(s, (struct compare_place){ BEFORE, t->ends[0] }) ||
			     !compare_in_scope(s, (struct compare_place){ BEFORE, t->ends[1] });
	unsigned int found, unknown;

	if (trunk_is_ignored(s, a) || trunk_is_ignored(s, b))
		return 0;
	counts->links += t->links;
	counts->outside += outside ? t->links : 0;
	/* the difference is the node, if it is gone */
	if (a.node == MADKIT_CABLING_NONE || b.node == MADKIT_CABLING_NONE) {
		counts->unknown += !outside && trunk_is_hidden(s, t) ? t->links : 0;
		return 0;
	}
	found = trunk_use(s, a, b, t->links);
	counts->same += outside ? 0 : found;
	unknown = trunk_unknown(s, a.node) + trunk_unknown(s, b.node);
	if (found + unknown >= t->links) {
		counts->unknown += outside ? 0 : t->links - found;
		return 0;
	}
	return trunk_add(s, t, found);
}

/* Uses the links of a switch that was split, and which lead to the same ports from any port of it. */
static void trunk_use_split(struct compare *s, uint32_t port)
{
	const uint32_t peer = compare_at(s, BEFORE, port)->peer;
	const struct compare_place near = compare_place(s, BEFORE, port),
				   far = compare_place(s, BEFORE, peer);
	const struct madkit_cabling_end a = trunk_later(s, near.at), b = trunk_later(s, far.at);

	if (a.node != MADKIT_CABLING_NONE && b.node != MADKIT_CABLING_NONE && trunk_use(s, a, b, 1))
		compare_use(s, BEFORE, port, COMPARE_USED | COMPARE_SAME);
}

int trunk_compare(struct compare *s)
{
	const struct madkit_cabling *c = s->c[BEFORE];
	int ret = 0;

	for (uint32_t i = 0; i < c->nports; i++)
		if (s->nodes[BEFORE][c->ports[i].node] & COMPARE_SPLIT && compare_is_open(s, BEFORE, i))
			trunk_use_split(s, i);
	for (uint32_t i = 0; i < c->ntrunks && !ret; i++)
		ret = trunk_compare_one(s, &c->trunks[i]);
	return ret;
}
