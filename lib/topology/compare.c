/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Compares two cablings: which nodes and links are the same, and the properties of these. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/escape.h>
#include "topology/compare.h"
#include "topology/topology.h"

/* ---- properties ---------------------------------------------------------------------------- */

/* Appends "44 instead of 12" and ends the difference. */
static int compare_add_instead(struct compare *s, const struct compare_draft *d, const char *property)
{
	madkit_buf_str(&s->text, property);
	madkit_buf_add(&s->text, s->after.data, s->after.len);
	madkit_buf_str(&s->text, " instead of ");
	madkit_buf_add(&s->text, s->before.data, s->before.len);
	return compare_add(s, d);
}

static int compare_prefix(struct compare *s)
{
	const uint64_t before = s->c[BEFORE]->prefix, after = s->c[AFTER]->prefix;
	struct compare_draft d;

	if (!before || !after || before == after)
		return 0;
	d = compare_draft(s, MADKIT_DIFFERENCE_SUBNET, compare_node(AFTER, MADKIT_CABLING_NONE));
	madkit_buf_printf(&s->before, "0x%016" PRIx64, before);
	madkit_buf_printf(&s->after, "0x%016" PRIx64, after);
	return compare_add_instead(s, &d, "the subnet prefix is ");
}

/* Checks if a link that is the same has another rate. */
static bool compare_has_other_rate(const struct compare *s, uint32_t port)
{
	const struct madkit_cabling_port *b = &compare_at(s, BEFORE, port)->pub, *a;
	const uint32_t same = match_port(s, BEFORE, port);

	if (same == MADKIT_CABLING_NONE || port > compare_at(s, BEFORE, port)->peer)
		return false;
	a = &compare_at(s, AFTER, same)->pub;
	return b->width && b->speed && a->width && a->speed && (a->width != b->width || a->speed != b->speed);
}

/* Compares the rate of a link that is the same. */
static int compare_rate(struct compare *s, uint32_t port)
{
	const struct madkit_cabling_port *b = &compare_at(s, BEFORE, port)->pub, *a;
	struct compare_draft d;

	if (!compare_has_other_rate(s, port))
		return 0;
	a = &compare_at(s, AFTER, match_port(s, BEFORE, port))->pub;
	d = compare_draft_link(s, MADKIT_DIFFERENCE_RATE, BEFORE, port);
	madkit_buf_printf(&s->before, "%s %s", topology_width_name(b->width), topology_speed_name(b->speed));
	madkit_buf_printf(&s->after, "%s %s", topology_width_name(a->width), topology_speed_name(a->speed));
	return compare_add_instead(s, &d, "");
}

static int compare_name(struct compare *s, uint32_t before, uint32_t after)
{
	const struct madkit_cabling_node *b = cabling_node(s->c[BEFORE], before),
					 *a = cabling_node(s->c[AFTER], after);
	struct compare_draft d;

	/* a node that is known by its name has that name */
	if (!*a->name || !*b->name || !a->guid || !b->guid || !strcmp(a->name, b->name))
		return 0;
	d = compare_draft(s, MADKIT_DIFFERENCE_RENAMED, compare_node(AFTER, after));
	madkit_text_escape(&s->before, b->name, strlen(b->name));
	madkit_text_escape(&s->after, a->name, strlen(a->name));
	return compare_add_instead(s, &d, "named ");
}

static int compare_count(struct compare *s, uint32_t before, uint32_t after)
{
	struct compare_draft d = compare_draft(s, MADKIT_DIFFERENCE_SPLIT, compare_node(AFTER, after));

	madkit_buf_printf(&s->before, "%u", cabling_node(s->c[BEFORE], before)->nports);
	madkit_buf_printf(&s->after, "%u ports", cabling_node(s->c[AFTER], after)->nports);
	return compare_add_instead(s, &d, "");
}

static int compare_lid(struct compare *s, uint32_t port)
{
	const uint32_t same = match_port(s, BEFORE, port);
	const uint16_t b = compare_at(s, BEFORE, port)->pub.lid,
		       a = same != MADKIT_CABLING_NONE ? compare_at(s, AFTER, same)->pub.lid : 0;
	struct compare_draft d;

	if (!a || !b || a == b)
		return 0;
	d = compare_draft(s, MADKIT_DIFFERENCE_LID, compare_place(s, AFTER, same));
	madkit_buf_printf(&s->before, "%u", b);
	madkit_buf_printf(&s->after, "%u", a);
	return compare_add_instead(s, &d, "LID ");
}

/* Compares the properties of the nodes, ports and links that are in both. */
static int compare_properties(struct compare *s)
{
	const struct madkit_cabling *b = s->c[BEFORE];
	int ret = 0;

	for (uint32_t i = 0; i < b->nnodes && !ret; i++) {
		const uint32_t after = s->other[BEFORE][i];

		if (after == MADKIT_CABLING_NONE || s->nodes[BEFORE][i] & COMPARE_REPLACED)
			continue;
		if (s->nodes[BEFORE][i] & COMPARE_SPLIT)
			ret = compare_count(s, i, after);
		if (!ret)
			ret = compare_name(s, i, after);
	}
	for (uint32_t i = 0; i < b->nports && !ret; i++) {
		if (s->ports[BEFORE][i] & COMPARE_SAME)
			ret = compare_rate(s, i);
		if (!ret && s->options && s->options->lids)
			ret = compare_lid(s, i);
	}
	return ret;
}

/* Counts the links of the first cabling; trunks have been counted. */
static void compare_count_links(struct compare *s)
{
	const struct madkit_cabling *b = s->c[BEFORE];
	struct madkit_comparison_counts *counts = &s->list->counts;

	for (uint32_t i = 0; i < b->nports; i++) {
		const uint32_t peer = b->ports[i].peer;
		const uint8_t flags = s->ports[BEFORE][i];

		if (peer == MADKIT_CABLING_NONE || i > peer || flags & COMPARE_LEFT)
			continue;
		counts->links++;
		if (!compare_in_scope(s, compare_place(s, BEFORE, i)) ||
		    !compare_in_scope(s, compare_place(s, BEFORE, peer)))
			counts->outside++;
		else if (flags & COMPARE_UNKNOWN)
			counts->unknown++;
		else
			counts->same += flags & COMPARE_SAME && !compare_has_other_rate(s, i);
	}
}

/* ---- all ----------------------------------------------------------------------------------- */

/* Marks the links that are not compared. */
static void compare_leave_out(struct compare *s, int side)
{
	const struct madkit_cabling *c = s->c[side];

	for (uint32_t i = 0; i < c->nports; i++) {
		const struct cabling_node *a = &c->nodes[c->ports[i].node], *b;

		if (c->ports[i].peer == MADKIT_CABLING_NONE)
			continue;
		b = &c->nodes[c->ports[c->ports[i].peer].node];
		if (a->ignored || b->ignored ||
		    (a->pub.system_guid && a->pub.system_guid == b->pub.system_guid))
			compare_use(s, side, i, COMPARE_USED | COMPARE_LEFT);
	}
}

static int compare_begin(struct compare *s, int side)
{
	const struct madkit_cabling *c = s->c[side];

	s->other[side] = malloc((c->nnodes + 1) * sizeof(*s->other[side]));
	s->nodes[side] = calloc(c->nnodes + 1, 1);
	s->ports[side] = calloc(c->nports + 1, 1);
	if (!s->other[side] || !s->nodes[side] || !s->ports[side])
		return -ENOMEM;
	for (uint32_t i = 0; i < c->nnodes; i++)
		s->other[side][i] = MADKIT_CABLING_NONE;
	compare_leave_out(s, side);
	return cabling_label(s->c[side]);
}

/* The order is that of the precedence of the kinds. */
static int compare_run(struct compare *s)
{
	int ret = compare_prefix(s);

	if (!ret)
		ret = match_nodes(s);
	if (ret)
		return ret;
	relink_mark_same(s);
	ret = trunk_compare(s);
	if (!ret)
		ret = relink_moved(s);
	if (!ret)
		ret = relink_swapped(s);
	if (!ret)
		ret = relink_recabled(s);
	for (int side = 0; side < 2 && !ret; side++)
		ret = relink_nodes(s, side);
	for (int side = 0; side < 2 && !ret; side++)
		ret = relink_links(s, side);
	if (!ret)
		ret = compare_properties(s);
	compare_count_links(s);
	comparison_sort(s->list);
	return ret;
}

int madkit_compare(struct madkit_cabling *before, struct madkit_cabling *after,
		   const struct madkit_compare_options *options, struct madkit_comparison **comparison,
		   struct madkit_error *error)
{
	struct compare s = { .c = { before, after }, .options = options, .error = error };
	struct madkit_buf *const bufs[] = { &s.before, &s.after, &s.text, &s.place, &s.key };
	int ret;

	s.list = calloc(1, sizeof(*s.list));
	for (size_t i = 0; i < 5; i++)
		madkit_buf_init(bufs[i], 0);
	ret = s.list ? compare_begin(&s, BEFORE) : -ENOMEM;
	if (!ret)
		ret = compare_begin(&s, AFTER);
	if (!ret)
		ret = compare_run(&s);
	for (size_t i = 0; i < 5; i++)
		madkit_buf_free(bufs[i]);
	for (int side = 0; side < 2; side++) {
		free(s.other[side]);
		free(s.nodes[side]);
		free(s.ports[side]);
	}
	if (ret) {
		madkit_comparison_free(s.list);
		return ret;
	}
	*comparison = s.list;
	return 0;
}
