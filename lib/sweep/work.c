/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sweep/work.h"

enum { WORK_OUTSTANDING = 2 }; /* maximum per node */

static enum sweep_way work_way(enum sweep_kind kind)
{
	return kind == SWEEP_PROBE ? SWEEP_THROUGH : SWEEP_TO;
}

/* Checks if a request of this lane may be sent. In the last phase, one request at a time is sent until the
 * node responds, and again after a last try without a response. Probes through a node follow its own
 * requests. */
static bool work_may(const struct sweep_entry *e, enum sweep_phase phase, enum sweep_way way)
{
	if (!e->lanes[phase][way].count)
		return false;
	if (way == SWEEP_TO)
		return e->outstanding <
		       (phase == SWEEP_FIRST || (e->revived && !e->strikes) ? WORK_OUTSTANDING : 1);
	return phase == SWEEP_FIRST || (!e->lanes[SWEEP_LAST][SWEEP_TO].count && !e->outstanding);
}

void work_arrange(struct madkit_sweep *s, struct sweep_entry *e)
{
	for (int phase = 0; phase < SWEEP_PHASES; phase++) {
		for (int way = 0; way < SWEEP_WAYS; way++) {
			struct list *list = &e->lanes[phase][way].list;

			if (!work_may(e, phase, way))
				list_del(list);
			else if (list_empty(list))
				list_add(&s->lanes[phase][way], list);
		}
	}
}

static void lane_add(struct sweep_lane *lane, unsigned int port, enum sweep_kind kind)
{
	unsigned int lower = lane->kinds & (SWEEP_BIT(kind) - 1);

	/* the cursor belongs to the lowest kind */
	if (!lower && (!(lane->kinds & SWEEP_BIT(kind)) || port < lane->cursor))
		lane->cursor = (uint16_t)port;
	lane->kinds |= (uint8_t)SWEEP_BIT(kind);
	lane->count++;
}

void work_add_phase(struct madkit_sweep *s, enum sweep_phase phase, uint32_t node, unsigned int port,
		    enum sweep_kind kind)
{
	struct sweep_entry *e = s->nodes[node];

	if (e->node.state == MADKIT_SWEEP_SILENT || e->todo[port].bits[phase] & SWEEP_BIT(kind))
		return;
	e->todo[port].bits[phase] |= (uint8_t)SWEEP_BIT(kind);
	lane_add(&e->lanes[phase][work_way(kind)], port, kind);
	work_arrange(s, e);
}

void work_add(struct madkit_sweep *s, uint32_t node, unsigned int port, enum sweep_kind kind)
{
	work_add_phase(s, s->nodes[node]->suspect ? SWEEP_LAST : SWEEP_FIRST, node, port, kind);
}

static void work_delete_phase(struct sweep_entry *e, enum sweep_phase phase, unsigned int port,
			      enum sweep_kind kind)
{
	uint8_t *bits = &e->todo[port].bits[phase];

	if (*bits & SWEEP_BIT(kind)) {
		*bits &= (uint8_t)~SWEEP_BIT(kind);
		e->lanes[phase][work_way(kind)].count--;
	}
}

void work_delete(struct madkit_sweep *s, uint32_t node, unsigned int port, enum sweep_kind kind)
{
	struct sweep_entry *e = s->nodes[node];

	work_delete_phase(e, SWEEP_FIRST, port, kind);
	work_delete_phase(e, SWEEP_LAST, port, kind);
	work_arrange(s, e);
}

void work_defer(struct madkit_sweep *s, uint32_t node, unsigned int kinds)
{
	struct sweep_entry *e = s->nodes[node];

	for (unsigned int port = 0; port <= e->node.nports; port++) {
		for (enum sweep_kind kind = 0; kind <= SWEEP_PROBE; kind++) {
			if (e->todo[port].bits[SWEEP_FIRST] & kinds & SWEEP_BIT(kind)) {
				work_delete_phase(e, SWEEP_FIRST, port, kind);
				work_add_phase(s, SWEEP_LAST, node, port, kind);
			}
		}
	}
	work_arrange(s, e);
}

/* The lane must not be empty. */
static void lane_take(struct sweep_entry *e, enum sweep_phase phase, struct sweep_lane *lane,
		      unsigned int *port, enum sweep_kind *kind)
{
	for (;;) {
		unsigned int lowest = lane->kinds & -(unsigned int)lane->kinds;

		for (unsigned int n = lane->cursor; n <= e->node.nports; n++) {
			if (!(e->todo[n].bits[phase] & lowest))
				continue;
			for (*kind = 0; SWEEP_BIT(*kind) != lowest;)
				++*kind;
			*port = n;
			lane->cursor = (uint16_t)n;
			work_delete_phase(e, phase, n, *kind);
			return;
		}
		lane->kinds &= (uint8_t)~lowest;
		lane->cursor = 0;
	}
}

bool work_take(struct madkit_sweep *s, enum sweep_phase phase, enum sweep_way way, struct sweep_place *at,
	       enum sweep_kind *kind)
{
	struct sweep_lane *lane;
	struct sweep_entry *e;
	unsigned int port;

	if (!work_left(s, phase, way))
		return false;
	lane = list_entry(s->lanes[phase][way].next, struct sweep_lane, list);
	e = list_entry(lane - (phase * SWEEP_WAYS + way), struct sweep_entry, lanes);
	lane_take(e, phase, lane, &port, kind);
	*at = (struct sweep_place){ e->number, (uint8_t)port };
	if (way == SWEEP_TO)
		e->outstanding++;
	list_del(&lane->list);
	work_arrange(s, e);
	return true;
}

void work_done(struct madkit_sweep *s, uint32_t node)
{
	s->nodes[node]->outstanding--;
	work_arrange(s, s->nodes[node]);
}

bool work_left(const struct madkit_sweep *s, enum sweep_phase phase, enum sweep_way way)
{
	return !list_empty(&s->lanes[phase][way]);
}
