/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Packets in the order in which they are due. */
#include <stdlib.h>
#include <string.h>
#include "sim/fabric/internal.h"

enum {
	PACKETS_MAX = 1 << 20,
	IN_HAND = 4,
};

/* Room in the heap is made with the packet, so that a queued one always fits, and with
 * it those that are being handled just now: at most a packet, its copy, and what a
 * watcher sends. */
struct packet *packet_new(struct fabric *f, const struct fabric_head *head, const uint8_t *mad)
{
	struct packet *p = f->spare;

	if (f->queue.count + IN_HAND >= PACKETS_MAX || heap_reserve(&f->queue, f->queue.count + IN_HAND + 1))
		return NULL;
	if (p)
		f->spare = p->next;
	else
		p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->leaves = false;
	p->served = false;
	p->corrupt = false;
	p->hops = 0;
	p->trap = 0;
	p->head = *head;
	memcpy(p->mad, mad, sizeof(p->mad));
	return p;
}

void packet_done(struct fabric *f, struct packet *p)
{
	p->next = f->spare;
	f->spare = p;
}

void packet_queue(struct fabric *f, struct packet *p, uint64_t due)
{
	heap_set(&f->queue, &p->link, due);
}

void fabric_report(struct fabric *f, const struct sim_event *event)
{
	if (f->options.watcher.event)
		f->options.watcher.event(f->options.watcher.context, event);
}

void fabric_drop(struct fabric *f, const struct port *at, enum fabric_drop why,
		 const struct fabric_head *head, const uint8_t *mad)
{
	const struct sim_event event = {
		.kind = EVENT_DROP,
		.node = at->node,
		.port = at->number,
		.why = why,
		.head = head,
		.mad = mad,
	};

	fabric_report(f, &event);
}

void packet_drop(struct fabric *f, struct packet *p, const struct port *at, enum fabric_drop why)
{
	fabric_drop(f, at, why, &p->head, p->mad);
	packet_done(f, p);
}

bool packet_room(const struct fabric *f)
{
	/* a tree has at most one copy for each port: this is room for many groups */
	return f->queue.count < 4096 + 16 * (size_t)f->nports;
}
