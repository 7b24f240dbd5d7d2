/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A port and its event loop. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "agent/rmpp.h"
#include "transport/transports.h"

enum {
	RECEIVE_BATCH = 1024, /* MADs in one call of process */
	/* how long a flood may keep us from looking at deadlines */
	EXPIRY_LATEST_MS = 500,
};

int port_create(struct transport *transport, struct madkit_port **port, struct madkit_error *error)
{
	struct madkit_port *p = calloc(1, sizeof(*p));
	int ret;

	if (!p) {
		transport->ops->close(transport);
		return madkit_error_set(error, -ENOMEM, -1, "out of memory");
	}
	p->transport = transport;
	p->opener = getpid();
	p->limit.deadline_ns = UINT64_MAX;
	p->held_end = &p->held;
	list_init(&p->agents);
	list_init(&p->snoops);
	p->watchers = &p->snoops;
	list_init(&p->gone);
	list_init(&p->waiting);
	list_init(&p->done);
	p->receive_initial = MADKIT_FRAME_BYTES;
	p->receive_max = MESSAGE_MAX;
	p->next_tid = transport->ops->seed(transport);
	p->expired_ns = transport->ops->now(transport);
	ret = transport->ops->info(transport, &p->info);
	if (ret) {
		madkit_port_close(p);
		return madkit_error_set(error, ret, -1, "cannot read the port's state: %s",
					ret == -EPROTO ? "a malformed reply" : strerror(-ret));
	}
	*port = p;
	return 0;
}

int madkit_port_open_limited(const char *spec, const struct madkit_limit *limit, struct madkit_port **port,
			     struct madkit_error *error)
{
	static const struct madkit_limit none = { .deadline_ns = UINT64_MAX };
	const struct transport_ops *ops;
	struct transport *transport;
	int ret = transport_find(spec, &ops, error);

	if (!limit)
		limit = &none;
	if (!ret)
		ret = ops->open(spec, limit, &transport, error);
	if (!ret)
		ret = port_create(transport, port, error);
	if (!ret)
		(*port)->limit = *limit;
	return ret;
}

int madkit_port_open(const char *spec, struct madkit_port **port, struct madkit_error *error)
{
	return madkit_port_open_limited(spec, NULL, port, error);
}

void madkit_port_close(struct madkit_port *port)
{
	/* The function that called the handler still uses the port. */
	if (!port || port->depth)
		return;
	port->closing = true;
	/* After fork() the agents are the opener's: the device would unregister them for the opener as well. Nothing
	 * is sent either, such as the ABORT of a transfer that the opener continues. */
	port->abandoned = getpid() != port->opener;
	if (port->abandoned)
		port->dead = -ENODEV;
	while (!list_empty(&port->agents))
		madkit_agent_unregister(list_entry(port->agents.next, struct madkit_agent, link));
	if (port->abandoned && port->transport->ops->abandon)
		port->transport->ops->abandon(port->transport);
	else
		port->transport->ops->close(port->transport);
	table_free(&port->tids);
	heap_free(&port->deadlines);
	receive_free(port);
	snoop_free(port);
	free(port);
}

const struct madkit_port_info *madkit_port_get_info(const struct madkit_port *port)
{
	return &port->info;
}

int madkit_port_refresh(struct madkit_port *port)
{
	struct madkit_port_info info;
	int ret = port->transport->ops->info(port->transport, &info);

	if (!ret)
		port->info = info;
	return ret;
}

int madkit_port_fd(const struct madkit_port *port)
{
	return port->transport->ops->fd(port->transport);
}

uint64_t madkit_port_now(const struct madkit_port *port)
{
	return port->transport->ops->now(port->transport);
}

void madkit_port_realtime(const struct madkit_port *port, struct timespec *ts)
{
	port->transport->ops->realtime(port->transport, ts);
}

int madkit_port_set_receive_limit(struct madkit_port *port, size_t initial, size_t max)
{
	if (!initial || initial > max || max > MESSAGE_MAX)
		return -EINVAL;
	port->receive_initial = initial;
	port->receive_max = max;
	port->receive_needed = 0;
	free(port->spare);
	port->spare = NULL;
	return 0;
}

size_t madkit_port_receive_needed(const struct madkit_port *port)
{
	return port->receive_needed;
}

void madkit_port_get_counters(const struct madkit_port *port, struct madkit_port_counters *counters)
{
	*counters = port->counters;
}

/* ---- the loop ------------------------------------------------------------------ */

void port_enter(struct madkit_port *port)
{
	port->depth++;
}

void port_leave(struct madkit_port *port)
{
	if (--port->depth)
		return;
	port->stalled = false;
	while (!list_empty(&port->gone)) {
		struct madkit_agent *agent = list_entry(port->gone.next, struct madkit_agent, link);

		list_del(&agent->link);
		free(agent);
	}
}

/* Calls the handlers of what has ended so far; what they post and what ends
 * at once is for the next time, or this might never return. */
static int port_call_handlers(struct madkit_port *port)
{
	struct list now;
	int n = 0;

	list_init(&now);
	list_move_all(&now, &port->done);
	while (!list_empty(&now)) {
		send_complete(list_entry(now.next, struct send, queue));
		n++;
	}
	return n;
}

static void die(struct madkit_port *port, int code)
{
	port->dead = code;
	for (struct list *a = port->agents.next; a != &port->agents; a = a->next) {
		struct madkit_agent *agent = list_entry(a, struct madkit_agent, link);

		for (struct list *l = agent->sends.next; l != &agent->sends; l = l->next) {
			struct send *s = list_entry(l, struct send, of_agent);

			if (s->state != SEND_DONE)
				send_finish(s, code);
		}
	}
}

static int port_run(struct madkit_port *port, int *err)
{
	int n = receive_all(port, RECEIVE_BATCH, err);
	uint64_t now = madkit_port_now(port);

	/* what the transport keeps its descriptor need not tell of */
	port->more = n == RECEIVE_BATCH || *err == -ENOSPC || *err == -ENOMEM || *err == -EMFILE ||
		     port->stalled;
	if (*err == -EIO || *err == -ENODEV) {
		die(port, *err);
		return n;
	}
	n += send_flush(port);
	/* with more to be received, an answer may be among it */
	if (n < RECEIVE_BATCH || now - port->expired_ns > EXPIRY_LATEST_MS * NS_PER_MS) {
		n += send_expire(port, now);
		n += rmpp_expire(port, now);
		port->expired_ns = now;
	}
	return n;
}

int madkit_port_process(struct madkit_port *port)
{
	int n = 0, err = 0;

	if (port->depth)
		return -EBUSY;
	port_enter(port);
	if (!port->dead)
		n = port_run(port, &err);
	n += port_call_handlers(port);
	port_leave(port);
	return port->dead ? port->dead : err ? err : n;
}

uint64_t madkit_port_deadline(const struct madkit_port *port)
{
	uint64_t deadline = heap_due(&port->deadlines);

	/* a transport may tell of what arrives, not of what is left there */
	if (!list_empty(&port->done) || port->more || port->held)
		return 0;
	if (!list_empty(&port->waiting) && port->waiting_ns < deadline)
		deadline = port->waiting_ns;
	/* of a device that is gone nothing more is due */
	if (!port->dead && rmpp_deadline(port) < deadline)
		deadline = rmpp_deadline(port);
	return deadline;
}

int madkit_port_wait(struct madkit_port *port, int timeout_ms)
{
	uint64_t start = madkit_port_now(port);
	uint64_t until = timeout_ms < 0 ? UINT64_MAX : start + (uint64_t)timeout_ms * NS_PER_MS;

	for (uint64_t now = start;; now = madkit_port_now(port)) {
		uint64_t due = madkit_port_deadline(port);
		uint64_t next = due < until ? due : until;
		int ret;

		if (port->dead)
			return list_empty(&port->done) ? port->dead : 1;
		if (due <= now)
			return 1;
		ret = port->transport->ops->wait(port->transport,
						 next == UINT64_MAX ? -1 : ms_until(now, next));
		if (ret)
			return ret;
		if (madkit_port_now(port) >= until)
			return madkit_port_deadline(port) <= until ? 1 : 0;
	}
}
