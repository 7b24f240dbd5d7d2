/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds the links and nodes that are elsewhere, gone or new. Each link is used once. */
#include <errno.h>
#include <string.h>
#include "topology/compare.h"
#include "topology/topology.h"
#include "wire/tables/values.h"

void relink_mark_same(struct compare *s)
{
	for (uint32_t i = 0; i < s->c[BEFORE]->nports; i++) {
		const uint32_t peer = compare_at(s, BEFORE, i)->peer;
		uint32_t x, y;

		if (!compare_is_open(s, BEFORE, i))
			continue;
		x = match_port(s, BEFORE, i);
		y = match_port(s, BEFORE, peer);
		if (x == MADKIT_CABLING_NONE || y == MADKIT_CABLING_NONE ||
		    compare_at(s, AFTER, x)->peer != y || compare_is_used(s, AFTER, x))
			continue;
		compare_use(s, BEFORE, i, COMPARE_USED | COMPARE_SAME);
		compare_use(s, AFTER, x, COMPARE_USED | COMPARE_SAME);
	}
}

/* Returns the port of the later cabling that is the same as a port, if its link is not used yet; else MADKIT_CABLING_NONE. */
static uint32_t relink_later(const struct compare *s, uint32_t port)
{
	const uint32_t same = match_port(s, BEFORE, port);

	return same != MADKIT_CABLING_NONE && compare_is_open(s, AFTER, same) ? same : MADKIT_CABLING_NONE;
}

/* Returns the port of the earlier cabling that is the same as one of the later, if its link is not used yet. */
static uint32_t relink_earlier(const struct compare *s, uint32_t port)
{
	const uint32_t same = match_port(s, AFTER, port);

	return same != MADKIT_CABLING_NONE && compare_is_open(s, BEFORE, same) ? same : MADKIT_CABLING_NONE;
}

/* ---- moved --------------------------------------------------------------------------------- */

/* Checks if the links of a node, of which it must have some, are all unused, apart from those that are not compared. */
static bool relink_is_free(const struct compare *s, int side, uint32_t node)
{
	const struct cabling_node *n = &s->c[side]->nodes[node];
	unsigned int links = 0;

	for (uint32_t i = n->first; i <= n->first + n->pub.nports; i++) {
		if (compare_at(s, side, i)->peer == MADKIT_CABLING_NONE || s->ports[side][i] & COMPARE_LEFT)
			continue;
		if (compare_is_used(s, side, i))
			return false;
		links++;
	}
	return links;
}

/* Checks if no link of a node is where it was: at the same port of a peer. */
static bool relink_is_elsewhere(const struct compare *s, uint32_t node)
{
	const struct cabling_node *n = &s->c[BEFORE]->nodes[node];

	for (uint32_t i = n->first; i <= n->first + n->pub.nports; i++) {
		const uint32_t peer = compare_at(s, BEFORE, i)->peer;
		const uint32_t same = peer != MADKIT_CABLING_NONE ? match_port(s, BEFORE, peer) : peer;
		uint32_t now;

		if (peer == MADKIT_CABLING_NONE)
			continue;
		if (match_state(s, BEFORE, i) == MADKIT_CABLING_UNKNOWN &&
		    match_state(s, BEFORE, peer) == MADKIT_CABLING_UNKNOWN)
			return false;
		now = same != MADKIT_CABLING_NONE ? compare_at(s, AFTER, same)->peer : same;
		if (now != MADKIT_CABLING_NONE && compare_at(s, AFTER, now)->node == s->other[BEFORE][node])
			return false;
	}
	return true;
}

static int relink_move(struct compare *s, uint32_t before, uint32_t after)
{
	struct compare_draft d = compare_draft(s, MADKIT_DIFFERENCE_MOVED, compare_node(AFTER, after));
	const struct cabling_node *b = &s->c[BEFORE]->nodes[before], *a = &s->c[AFTER]->nodes[after];

	compare_put_position(s, &s->before, BEFORE, before);
	compare_put_position(s, &s->after, AFTER, after);
	madkit_buf_str(&s->text, "from ");
	madkit_buf_add(&s->text, s->before.data, s->before.len);
	madkit_buf_str(&s->text, " to ");
	madkit_buf_add(&s->text, s->after.data, s->after.len);
	for (uint32_t i = b->first; i <= b->first + b->pub.nports; i++)
		compare_use(s, BEFORE, i, COMPARE_USED);
	for (uint32_t i = a->first; i <= a->first + a->pub.nports; i++)
		compare_use(s, AFTER, i, COMPARE_USED);
	return compare_add(s, &d);
}

int relink_moved(struct compare *s)
{
	int ret = 0;

	/* a host moves from a switch, not the switch from the host */
	for (int switches = 0; switches < 2; switches++)
		for (uint32_t i = 0; i < s->c[BEFORE]->nnodes && !ret; i++) {
			const uint32_t after = s->other[BEFORE][i];

			if (after == MADKIT_CABLING_NONE ||
			    s->nodes[BEFORE][i] & (COMPARE_REPLACED | COMPARE_SPLIT) ||
			    (cabling_node(s->c[AFTER], after)->type == MADKIT_NODE_TYPE_SWITCH) != switches)
				continue;
			if (relink_is_free(s, BEFORE, i) && relink_is_free(s, AFTER, after) &&
			    relink_is_elsewhere(s, i))
				ret = relink_move(s, i, after);
		}
	return ret;
}

/* ---- swapped ------------------------------------------------------------------------------- */

static bool relink_same_node(const struct compare *s, uint32_t a, uint32_t b)
{
	return compare_at(s, BEFORE, a)->node == compare_at(s, BEFORE, b)->node;
}

/* Adds the exchange of the links x, y and x2, y2 of the earlier cabling. */
static int relink_swap(struct compare *s, uint32_t x, uint32_t x2)
{
	const uint32_t y = compare_at(s, BEFORE, x)->peer, y2 = compare_at(s, BEFORE, x2)->peer;
	const bool xs = relink_same_node(s, x, x2), ys = relink_same_node(s, y, y2);
	struct compare_draft d = compare_draft_link(s, MADKIT_DIFFERENCE_SWAPPED, BEFORE, x);
	const struct compare_place first = compare_place(s, BEFORE, x);
	/* the exchange is seen from the node that has both ends, else from the first end */
	const bool from_x =
		xs != ys ? xs : d.place[0].at.node == first.at.node && d.place[0].at.port == first.at.port;
	const uint32_t a = from_x ? x : y, a2 = from_x ? x2 : y2;

	d = compare_draft(s, MADKIT_DIFFERENCE_SWAPPED, compare_place(s, BEFORE, a));
	d.key[1] = compare_place(s, BEFORE, a2);
	if (xs && ys)
		d.severity = MADKIT_SEVERITY_INFO;
	compare_put_peer(s, &s->before, BEFORE, a);
	compare_put_peer(s, &s->after, BEFORE, a2);
	madkit_buf_str(&s->text, "exchanged with ");
	compare_put(s, &s->text, d.key[1]);
	madkit_buf_str(&s->text, xs && ys ? " (parallel): leads to " : ": leads to ");
	madkit_buf_add(&s->text, s->after.data, s->after.len);
	madkit_buf_str(&s->text, " instead of ");
	madkit_buf_add(&s->text, s->before.data, s->before.len);
	for (size_t i = 0; i < 2; i++) {
		compare_use(s, AFTER, match_port(s, BEFORE, i ? x2 : x), COMPARE_USED);
		compare_use(s, BEFORE, i ? x2 : x, COMPARE_USED);
	}
	return compare_add(s, &d);
}

/* Returns the port whose link is exchanged with that of a port, or MADKIT_CABLING_NONE. */
static uint32_t relink_partner(const struct compare *s, uint32_t x)
{
	const uint32_t y = compare_at(s, BEFORE, x)->peer;
	const uint32_t now_x = relink_later(s, x), now_y = relink_later(s, y);
	uint32_t x2, y2;

	if (now_x == MADKIT_CABLING_NONE || now_y == MADKIT_CABLING_NONE)
		return MADKIT_CABLING_NONE;
	y2 = relink_earlier(s, compare_at(s, AFTER, now_x)->peer);
	x2 = relink_earlier(s, compare_at(s, AFTER, now_y)->peer);
	if (x2 == MADKIT_CABLING_NONE || y2 == MADKIT_CABLING_NONE || x2 == x || y2 == y)
		return MADKIT_CABLING_NONE;
	return compare_at(s, BEFORE, x2)->peer == y2 ? x2 : MADKIT_CABLING_NONE;
}

int relink_swapped(struct compare *s)
{
	int ret = 0;

	for (uint32_t i = 0; i < s->c[BEFORE]->nports && !ret; i++) {
		const uint32_t partner = compare_is_open(s, BEFORE, i) ? relink_partner(s, i) :
									 MADKIT_CABLING_NONE;

		if (partner != MADKIT_CABLING_NONE)
			ret = relink_swap(s, i, partner);
	}
	return ret;
}

/* ---- recabled ------------------------------------------------------------------------------ */

/* Lists the ends of an earlier link that have another link now, that of a switch first. Returns their number. */
static unsigned int relink_ends(struct compare *s, uint32_t port, uint32_t ends[2])
{
	const uint32_t peer = compare_at(s, BEFORE, port)->peer;
	const struct compare_draft d = compare_draft_link(s, MADKIT_DIFFERENCE_RECABLED, BEFORE, port);
	const struct compare_place own = compare_place(s, BEFORE, port);
	const bool first = d.place[0].at.node == own.at.node && d.place[0].at.port == own.at.port;
	const uint32_t order[2] = { first ? port : peer, first ? peer : port };
	unsigned int n = 0;

	for (size_t i = 0; i < 2; i++)
		if (relink_later(s, order[i]) != MADKIT_CABLING_NONE)
			ends[n++] = order[i];
	return n;
}

/* Adds that an end has another link now. Returns, in *next, a port with an earlier link that had the same choice. */
static int relink_recable(struct compare *s, uint32_t end, uint32_t *next)
{
	const uint32_t now = relink_later(s, end), peer = compare_at(s, AFTER, now)->peer;
	struct compare_draft d = compare_draft(s, MADKIT_DIFFERENCE_RECABLED, compare_place(s, BEFORE, end));

	d.key[1] = compare_place(s, BEFORE, compare_at(s, BEFORE, end)->peer);
	compare_put_peer(s, &s->before, BEFORE, end);
	compare_put_peer(s, &s->after, AFTER, now);
	madkit_buf_str(&s->text, "leads to ");
	madkit_buf_add(&s->text, s->after.data, s->after.len);
	madkit_buf_str(&s->text, " instead of ");
	madkit_buf_add(&s->text, s->before.data, s->before.len);
	compare_use(s, BEFORE, end, COMPARE_USED);
	compare_use(s, AFTER, now, COMPARE_USED);
	*next = relink_earlier(s, peer);
	return compare_add(s, &d);
}

/*
 * Earlier and later links that share a port form chains. To leave as few links as possible, those that have no choice
 * go first: with one end that has another link now.
 */
int relink_recabled(struct compare *s)
{
	int ret = 0;

	for (unsigned int choices = 1; choices <= 2; choices++)
		for (uint32_t i = 0; i < s->c[BEFORE]->nports && !ret; i++) {
			uint32_t ends[2], at = i;
			unsigned int most = choices;

			while (!ret && at != MADKIT_CABLING_NONE && compare_is_open(s, BEFORE, at)) {
				const unsigned int n = relink_ends(s, at, ends);

				if (!n || n > most)
					break;
				ret = relink_recable(s, ends[0], &at);
				/* the next one of the chain has lost a choice */
				most = 1;
			}
		}
	return ret;
}

/* ---- nodes that are gone or new ------------------------------------------------------------ */

static int relink_node(struct compare *s, int side, uint32_t node)
{
	const struct cabling_node *n = &s->c[side]->nodes[node];
	struct compare_draft d =
		compare_draft(s, side == BEFORE ? MADKIT_DIFFERENCE_NODE_GONE : MADKIT_DIFFERENCE_NODE_NEW,
			      compare_node(side, node));
	struct madkit_buf *where = side == BEFORE ? &s->before : &s->after;

	compare_put_position(s, where, side, node);
	madkit_buf_str(&s->text, side == BEFORE ? "is gone" : "is new");
	if (where->len) {
		madkit_buf_str(&s->text, side == BEFORE ? ", was at " : ", at ");
		madkit_buf_add(&s->text, where->data, where->len);
	}
	for (uint32_t i = n->first; i <= n->first + n->pub.nports; i++)
		compare_use(s, side, i, COMPARE_USED);
	return compare_add(s, &d);
}

int relink_nodes(struct compare *s, int side)
{
	int ret = 0;

	for (uint32_t i = 0; i < s->c[side]->nnodes && !ret; i++) {
		if (s->other[side][i] != MADKIT_CABLING_NONE || s->c[side]->nodes[i].ignored)
			continue;
		if (s->nodes[side][i] & COMPARE_HIDDEN)
			s->list->counts.hidden += side == BEFORE;
		else
			ret = relink_node(s, side, i);
	}
	return ret;
}

/* ---- links that are gone or new ------------------------------------------------------------ */

/* Appends the state that a port has in the later cabling: "leaf2/3 is Polling". Returns false if it is not known. */
static bool relink_put_state(struct compare *s, struct compare_place place)
{
	const uint32_t port = s->c[BEFORE]->nodes[place.at.node].first + (uint32_t)place.at.port;
	const uint32_t same = match_port(s, BEFORE, port);
	const struct cabling_port *now = same != MADKIT_CABLING_NONE ? compare_at(s, AFTER, same) : NULL;
	const char *phys = now ? madkit_value_name(madkit_values_phys_state, now->pub.phys) : NULL;

	if (!now || now->pub.state == MADKIT_CABLING_UNKNOWN ||
	    (now->pub.state == MADKIT_CABLING_DOWN && (!now->pub.phys || !phys)))
		return false;
	madkit_buf_str(&s->text, s->text.len ? ", " : "the link is gone: ");
	compare_put(s, &s->text, place);
	if (now->pub.state == MADKIT_CABLING_DOWN) {
		madkit_buf_printf(&s->text, " is %s", phys);
		if (!s->after.len)
			madkit_buf_str(&s->after, phys);
	} else {
		madkit_buf_str(&s->text, " leads to ");
		compare_put_peer(s, &s->text, AFTER, same);
	}
	return true;
}

static void relink_put_rate(struct madkit_buf *buf, const struct madkit_cabling_port *p)
{
	if (p->width && p->speed)
		madkit_buf_printf(buf, "%s %s", topology_width_name(p->width), topology_speed_name(p->speed));
}

static int relink_link(struct compare *s, int side, uint32_t port)
{
	const bool gone = side == BEFORE;
	struct compare_draft d =
		compare_draft_link(s, gone ? MADKIT_DIFFERENCE_LINK_GONE : MADKIT_DIFFERENCE_LINK_NEW, side,
				   port);
	bool said;

	compare_use(s, side, port, COMPARE_USED);
	if (gone) {
		compare_put(s, &s->before, d.place[1]);
		said = relink_put_state(s, d.place[0]);
		said |= relink_put_state(s, d.place[1]);
		if (!said)
			madkit_buf_str(&s->text, "the link is gone");
	} else {
		relink_put_rate(&s->after, &compare_at(s, side, port)->pub);
		madkit_buf_str(&s->text, "the link is new");
		if (s->after.len)
			madkit_buf_printf(&s->text, ", %.*s", (int)s->after.len, s->after.data);
	}
	return compare_add(s, &d);
}

int relink_links(struct compare *s, int side)
{
	int ret = 0;

	for (uint32_t i = 0; i < s->c[side]->nports && !ret; i++) {
		const uint32_t peer = compare_at(s, side, i)->peer;

		if (!compare_is_open(s, side, i))
			continue;
		if (match_state(s, side, i) != MADKIT_CABLING_UNKNOWN ||
		    match_state(s, side, peer) != MADKIT_CABLING_UNKNOWN)
			ret = relink_link(s, side, i);
		else
			compare_use(s, side, i, COMPARE_UNKNOWN);
		compare_use(s, side, i, COMPARE_USED);
	}
	return ret;
}
