/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Requests that wait, and those that a change of a link leads to. */
#include <stdlib.h>
#include "look.h"

enum {
	LOOK_AGAIN_MS = 250, /* the port of a link that has changed is read so often */
};

/* ---- queues ------------------------------------------------------------------------------ */

void look_push(struct look_queue *queue, struct look_entry *e)
{
	e->next = NULL;
	*queue->last = e;
	queue->last = &e->next;
}

struct look_entry *look_pop(struct look_queue *queue)
{
	struct look_entry *e = queue->first;

	if (!e)
		return NULL;
	queue->first = e->next;
	if (!queue->first)
		queue->last = &queue->first;
	return e;
}

uint8_t *look_queued(const struct look *l, struct view_end end)
{
	return end.node == VIEW_NONE ? NULL : &view_port(l->view, end)->queued;
}

/* Returns a new entry; NULL if it is queued already, or without memory. */
static struct look_entry *look_entry(struct look *l, enum look_kind kind, struct view_end end,
				     enum view_by by)
{
	uint8_t *queued = look_queued(l, end);
	struct look_entry *e;

	if (queued && *queued & 1u << kind)
		return NULL;
	e = calloc(1, sizeof(*e));
	if (!e)
		return NULL;
	if (queued)
		*queued |= (uint8_t)(1u << kind);
	e->kind = (uint8_t)kind;
	e->by = (uint8_t)by;
	e->end = end;
	e->added_ns = madkit_port_now(l->net->x.port);
	return e;
}

void look_end(struct look *l, struct look_entry *e)
{
	uint8_t *queued = look_queued(l, e->end);

	if (queued)
		*queued &= (uint8_t) ~(1u << e->kind);
	free(e);
}

void look_add(struct look *l, enum look_kind kind, struct view_end end, enum look_class class,
	      enum view_by by)
{
	struct look_entry *e = look_entry(l, kind, end, by);

	if (e)
		look_push(&l->queues[class], e);
}

void look_add_later(struct look *l, enum look_kind kind, struct view_end end, enum view_by by, uint32_t ms)
{
	const bool port = kind == LOOK_PORT || kind == LOOK_FIRST;
	struct look_entry *e = look_entry(l, port ? LOOK_AGAIN : kind, end, by);

	if (!e)
		return;
	e->due_ns = e->added_ns + ms * NS_PER_MS;
	look_push(&l->later, e);
}

void look_ports(struct look *l, uint32_t node, enum look_class class, enum view_by by)
{
	const struct view_node *n = l->view->nodes[node];

	for (unsigned int port = 1; port <= n->nports; port++)
		look_add(l, LOOK_PORT, (struct view_end){ node, (uint8_t)port }, class, by);
}

void look_path(struct look *l, uint32_t node, enum look_class class, enum view_by by)
{
	struct madkit_addr to;

	if (!view_route(l->view, node, &to))
		return;
	for (const struct view_node *n = l->view->nodes[node]; n->parent != VIEW_NONE;
	     n = l->view->nodes[n->parent])
		if (view_is_switch(l->view->nodes[n->parent]))
			look_add(l, LOOK_FIRST, (struct view_end){ n->parent, n->parent_port }, class, by);
}

void look_wake(struct look *l, uint64_t now)
{
	struct look_entry **at = &l->later.first;

	while (*at) {
		struct look_entry *e = *at;

		if (e->due_ns > now) {
			at = &e->next;
			continue;
		}
		*at = e->next;
		if (l->later.last == &e->next)
			l->later.last = at;
		look_push(&l->queues[LOOK_URGENT], e);
	}
}

uint64_t look_due(const struct look *l)
{
	uint64_t due = UINT64_MAX;

	for (const struct look_entry *e = l->later.first; e; e = e->next)
		if (e->due_ns < due)
			due = e->due_ns;
	return due;
}

void look_drop(struct look *l, struct look_queue *queue)
{
	struct look_entry *e;

	while ((e = look_pop(queue)))
		look_end(l, e);
}

void look_node(struct look *l, uint32_t node, enum view_by by)
{
	look_add(l, LOOK_NODE, (struct view_end){ node, 0 }, LOOK_SOON, by);
	look_add(l, LOOK_NAME, (struct view_end){ node, 0 }, LOOK_SOON, by);
}

/* ---- counters ---------------------------------------------------------------------------- */

static void look_count(struct look *l, const struct view_link *link, enum look_class class)
{
	for (int i = 0; link && l->counters && i < 2; i++)
		if (view_is_switch(l->view->nodes[link->ends[i].node]))
			look_add(l, LOOK_COUNT, link->ends[i], class, VIEW_BY_SWEEP);
}

void look_counters(struct look *l)
{
	for (uint32_t i = 0; i < l->view->nnodes; i++)
		for (unsigned int port = 1; port <= l->view->nodes[i]->nports; port++)
			look_count(l, view_link_of(l->view, (struct view_end){ i, (uint8_t)port }),
				   LOOK_BASES);
}

/* ---- changes ----------------------------------------------------------------------------- */

/* A link of the node at its other end went down or came up: reads its other links first, because they may have followed. */
static void look_suspect(struct look *l, struct view_end end, enum view_by by)
{
	const struct view_link *link = view_link_of(l->view, end);
	const struct view_node *n;

	if (!link)
		return;
	n = l->view->nodes[link->ends[link->ends[0].node == end.node].node];
	for (unsigned int port = 1; n->nlinks > 1 && port <= n->nports; port++) {
		const struct view_link *other = view_link(l->view, n->ports[port].link);
		struct view_end far;

		if (!other || other->up == link->up)
			continue;
		far = other->ends[other->ends[0].node == n->number];
		if (view_is_switch(l->view->nodes[far.node]))
			look_add(l, LOOK_FIRST, far, LOOK_URGENT, by);
	}
}

void look_note_change(struct look *l, struct view_end end, enum view_by by, uint64_t now)
{
	const struct view_link *link = view_link_of(l->view, end);

	view_port(l->view, end)->changed_ns = now;
	for (int i = 0; link && i < 2; i++)
		l->view->nodes[link->ends[i].node]->explained_ns = now;
	look_count(l, link, LOOK_COUNTS);
	look_suspect(l, end, by);
}

void look_watch(struct look *l, struct view_end end, enum view_by by, uint64_t now)
{
	const struct view_link *link = view_link_of(l->view, end);
	struct view_port *p = view_port(l->view, end);
	const uint64_t ms = (now - p->changed_ns) / NS_PER_MS;

	/* it may have gone down since the last reading */
	if (link && link->pending)
		look_count(l, link, LOOK_COUNTS);
	if (p->changed_ns && ms < LOOK_HOT_MS)
		look_add_later(l, LOOK_PORT, end, by, ms < LOOK_AGAIN_MS ? LOOK_AGAIN_MS : (uint32_t)ms);
	else
		p->changed_ns = 0;
}
