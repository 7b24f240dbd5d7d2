/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The event loop of a port, and its end. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "agent/arrive.h"
#include "agent/flight.h"
#include "agent/handler.h"
#include "agent/rmpp.h"
#include "agent/snoop.h"

enum {
	RECEIVE_BATCH = 1024, /* MADs in one call of process */
	/* how long a flood may keep us from looking at deadlines */
	EXPIRY_LATEST_MS = 500,
};

static void loop_die(struct madkit_port *port, int code)
{
	port->dead = code;
	for (struct list *a = port->agents.next; a != &port->agents; a = a->next) {
		struct madkit_agent *agent = list_entry(a, struct madkit_agent, link);

		for (struct list *l = agent->sends.next; l != &agent->sends; l = l->next) {
			struct send *s = list_entry(l, struct send, of_agent);

			if (s->state != SEND_DONE)
				flight_act(s, send_done(code));
		}
	}
}

static int loop_run(struct madkit_port *port, int *err)
{
	int n = arrive_all(port, RECEIVE_BATCH, err);
	uint64_t now = madkit_port_now(port);

	/* what the transport keeps its descriptor need not tell of */
	port->more = n == RECEIVE_BATCH || *err == -ENOSPC || *err == -ENOMEM || *err == -EMFILE ||
		     port->stalled;
	if (*err == -EIO || *err == -ENODEV) {
		loop_die(port, *err);
		return n;
	}
	n += flight_flush(port);
	/* with more to be received, an answer may be among it */
	if (n < RECEIVE_BATCH || now - port->expired_ns > EXPIRY_LATEST_MS * NS_PER_MS) {
		n += flight_expire(port, now);
		n += arrive_expire(port, now);
		port->expired_ns = now;
	}
	return n;
}

int madkit_port_process(struct madkit_port *port)
{
	int n = 0, err = 0;

	if (port->depth)
		return -EBUSY;
	handler_enter(port);
	if (!port->dead)
		n = loop_run(port, &err);
	n += handler_call_done(port);
	handler_leave(port);
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
	table_free(&port->tids.table);
	heap_free(&port->deadlines);
	recv_free(port);
	snoop_free(port);
	free(port);
}
