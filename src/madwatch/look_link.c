/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sweeps of one link: read both its ends, and the node behind it. */
#include <errno.h>
#include <stdlib.h>
#include "look.h"

enum { LOOK_WAIT_MS = 500 }; /* a port that is not Active yet is read so often */

/* Returns after which time a link that has waited for ms to become Active is read again: soon, then when it is a problem; 0: the
 * periodic look reads it. */
static uint32_t look_wait_ms(uint64_t ms)
{
	if (ms < LOOK_HOT_MS)
		return LOOK_WAIT_MS;
	return ms <= TAKE_INIT_MS ? (uint32_t)(TAKE_INIT_MS - ms) + LOOK_WAIT_MS : 0;
}

static uint64_t look_link_m_key(void *context, const struct madkit_sweep_node *node, unsigned int port,
				bool behind)
{
	struct look *l = context;

	if (!node)
		return l->net->common->m_keys ? 0 : l->net->x.options->manager.m_key;
	return subnet_m_key(l->net, node, port, behind);
}

static const char *look_link_name(void *context, const struct madkit_sweep_node *node)
{
	const struct look *l = context;

	return madkit_name_map_name(l->net->common->names, node->guid);
}

int look_begin_link(struct look *l, struct look_slot *slot, struct look_entry *e)
{
	struct madkit_addr from;
	const struct madkit_sweep_attr attr = {
		.from = &from,
		.timeout_ms = l->net->x.options->timing.timeout_ms,
		.retries = l->net->x.options->timing.retries,
		.m_key = look_link_m_key,
		.name = l->net->common->names ? look_link_name : NULL,
		.context = l,
		.link = true,
		.link_port = e->end.port,
		.first = l->view->nodes[e->end.node]->info,
	};
	int ret = view_route(l->view, e->end.node, &from) ?
			  madkit_sweep_new(l->net->x.port, &attr, &slot->sweep) :
			  -EHOSTUNREACH;

	if (ret) {
		slot->sweep = NULL;
		look_end(l, e);
		return ret == -EHOSTUNREACH ? 0 : ret;
	}
	slot->entry = e;
	return 0;
}

static void look_take_link(struct look *l, struct look_slot *slot)
{
	struct look_entry *e = slot->entry;
	const enum view_by by = (enum view_by)e->by;
	struct take t = look_take(l, e);
	const struct view_link *link = view_link_of(l->view, e->end);
	const bool was_up = link && link->up;
	uint32_t fresh, wait;
	const enum take_link taken = take_link(&t, slot->sweep, e->end, &fresh);
	/* not before: the node may be at another address then */
	struct view_port *p = view_port(l->view, e->end);

	madkit_sweep_free(slot->sweep);
	slot->sweep = NULL;
	p->queued &= (uint8_t) ~(1u << LOOK_LINK);
	if (fresh != VIEW_NONE) {
		look_ports(l, fresh, LOOK_SOON, by);
		look_add(l, LOOK_PORT, (struct view_end){ fresh, 0 }, LOOK_SOON, by);
	}
	link = view_link_of(l->view, e->end);
	if (link && link->up != was_up)
		look_note_change(l, e->end, by, t.now);
	else if (taken == TAKE_LINK_WAITS && !p->waits)
		p->changed_ns = t.now;
	p->waits = taken == TAKE_LINK_WAITS;
	wait = p->waits ? look_wait_ms((t.now - p->changed_ns) / NS_PER_MS) : 0;
	if (taken == TAKE_LINK_NONE)
		look_take_failure(l, e);
	else if (wait)
		look_add_later(l, LOOK_PORT, e->end, by, wait);
	else
		look_watch(l, e->end, by, t.now);
	free(e);
}

int look_step_links(struct look *l)
{
	for (size_t i = 0; i < LOOK_SLOTS; i++) {
		struct look_slot *slot = &l->slots[i];
		const int ret = slot->sweep ? madkit_sweep_step(slot->sweep, 0) : 0;

		if (ret < 0)
			return ret;
		if (ret)
			look_take_link(l, slot);
	}
	return 0;
}

struct look_slot *look_free_slot(struct look *l)
{
	for (size_t i = 0; i < LOOK_SLOTS; i++)
		if (!l->slots[i].sweep)
			return &l->slots[i];
	return NULL;
}

bool look_has_link(const struct look *l)
{
	for (size_t i = 0; i < LOOK_SLOTS; i++)
		if (l->slots[i].sweep)
			return true;
	return false;
}
