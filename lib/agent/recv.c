/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Receive buffers: reads MADs from the transport into them, and grows them if a message needs more. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "agent/agent.h"

enum {
	/* a buffer above this size is shrunk if its message is much shorter */
	SHRINK_ABOVE = 64 * 1024,
	/* the kernel's limit for an open file: after this many, everything that it had queued has been
	 * read */
	HELD_MOST = 200001,
};

static struct recv *recv_new(size_t size)
{
	struct recv *r = malloc(sizeof(*r) + size);

	if (r) {
		memset(&r->pub, 0, sizeof(r->pub));
		r->size = size;
	}
	return r;
}

void madkit_recv_free(struct madkit_recv *recv)
{
	free(recv);
}

/* Replaces *r by a larger buffer, of at most max bytes, for a message that does not fit. */
static int recv_grow(struct recv **r, size_t needed, size_t max)
{
	size_t size = needed;
	struct recv *larger;

	/* double the buffer if the transport does not know the size or reports one that is not larger */
	if (size <= (*r)->size)
		size = (*r)->size > max / 2 ? max : (*r)->size * 2;
	if (size > max || size <= (*r)->size)
		return -ENOSPC;
	larger = recv_new(size);
	if (!larger)
		return -ENOMEM;
	free(*r);
	*r = larger;
	return 0;
}

/* Shrinks the buffer to its message. Returns r itself if out of memory. */
static struct recv *recv_shrink(struct recv *r)
{
	struct recv *small = realloc(r, sizeof(*r) + r->pub.len);

	if (!small)
		return r;
	small->size = small->pub.len;
	return small;
}

struct madkit_recv *recv_hand_over(struct recv *r)
{
	if (r->size > SHRINK_ABOVE && r->pub.len < r->size / 4)
		r = recv_shrink(r);
	r->pub.mad = r->mad;
	return &r->pub;
}

/* Receives the next message of the device into *r, which may be NULL and is replaced if it is too small.
 * Returns 0; -EAGAIN if there is none; -ENOSPC if it has more than max bytes ((*r)->pub.len; 0: unknown);
 * -ENOMEM; or an error of the transport. */
static int recv_read(struct madkit_port *port, struct recv **r, size_t max)
{
	const struct transport_ops *ops = port->transport->ops;
	int ret;

	for (;;) {
		if (!*r && !(*r = recv_new(port->receive_initial)))
			return -ENOMEM;
		memset(&(*r)->pub, 0, sizeof((*r)->pub));
		(*r)->pub.rtt_ns = -1;
		(*r)->id = 0;
		ret = ops->receive(port->transport, &(*r)->id, &(*r)->pub.from, (*r)->mad, (*r)->size,
				   &(*r)->pub.len, &(*r)->pub.status);
		if (ret != -ENOSPC)
			break;
		ret = recv_grow(r, (*r)->pub.len, max);
		if (ret)
			return ret;
	}
	if (!ret) {
		(*r)->pub.time_ns = ops->now(port->transport);
		ops->realtime(port->transport, &(*r)->pub.time);
	}
	return ret;
}

int recv_next(struct madkit_port *port)
{
	struct recv *r = port->held;
	int ret;

	if (!r) {
		ret = recv_read(port, &port->spare, port->receive_max);
		r = port->spare;
		if (ret == -ENOSPC)
			port->receive_needed = r->pub.len ? r->pub.len : r->size + 1;
		return ret;
	}
	if (r->pub.len > port->receive_max) {
		port->receive_needed = r->pub.len;
		return -ENOSPC;
	}
	port->held = r->next;
	if (!port->held)
		port->held_end = &port->held;
	free(port->spare);
	port->spare = r;
	return 0;
}

static void recv_hold(struct madkit_port *port, struct recv *r)
{
	r = recv_shrink(r);
	r->next = NULL;
	*port->held_end = r;
	port->held_end = &r->next;
}

int recv_drop_departed(struct madkit_port *port)
{
	struct recv *r = NULL;
	unsigned int n = 0, empty = 0;
	int ret = 0;

	/* a transport may return -EAGAIN once without having checked */
	while (port->departed && n < HELD_MOST && empty < 2) {
		ret = recv_read(port, &r, MESSAGE_MAX);
		if (ret == -EAGAIN) {
			empty++;
			continue;
		}
		if (ret)
			break;
		n++;
		if (r->pub.len <= r->size && agent_find(port, r->id)) {
			recv_hold(port, r);
			r = NULL;
		} else if (r->pub.len > r->size) {
			port->counters.malformed++;
		} else {
			port->counters.unknown_agent++;
		}
	}
	free(r);
	if (empty == 2 || n == HELD_MOST)
		port->departed = false;
	/* if the device has failed, the registration and recv_next() report that */
	return ret == -ENOMEM ? ret : 0;
}

void recv_drop_held(struct madkit_port *port, uint32_t id)
{
	struct recv **place = &port->held;

	while (*place) {
		struct recv *r = *place;

		if (r->id != id) {
			place = &r->next;
			continue;
		}
		*place = r->next;
		port->counters.unknown_agent++;
		free(r);
	}
	port->held_end = place;
}

void recv_free(struct madkit_port *port)
{
	while (port->held) {
		struct recv *r = port->held;

		port->held = r->next;
		free(r);
	}
	free(port->spare);
}
