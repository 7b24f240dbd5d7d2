/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Allocation and queueing of packets. */
#include <stdlib.h>
#include <string.h>
#include "sim/fabric/internal.h"

enum {
	PACKETS_MAX = 1 << 20,
	IN_HAND = 4,
};

/* Reserves room in the heap for the new packet and for those that are being handled: at most a packet, its
 * copy and one that a watcher sends. Therefore packet_queue() cannot fail. */
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
	/* A multicast tree has at most one copy for each port: this is enough for many groups. */
	return f->queue.count < 4096 + 16 * (size_t)f->nports;
}
