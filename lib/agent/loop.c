/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The event loop of a port: passes received MADs to RMPP, to the sends that they answer, and to handlers.
 * Closes ports. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "agent/flight.h"
#include "transport/filter.h"
#include "util/bits.h"

enum {
	/* longest delay of the check of deadlines by a flood of MADs */
	EXPIRY_LATEST_MS = 500,
};

/* ---- what arrives ------------------------------------------------------------------ */

/* Records the whole TID that a try had on the wire, from a response or a returned request. */
static void arrive_note_tid(struct tid *t, uint64_t tid)
{
	struct send *s = t->send;

	s->agent->tid_high = (uint32_t)(tid >> 32);
	snoop_release(s->agent);
	if (t == &s->tid)
		s->pub.tid = tid;
}

/* Handles a send that the device returned: it had no response in time, or could not be sent. */
static void arrive_returned(struct madkit_agent *agent, const uint8_t *mad, int status)
{
	struct madkit_port *port = agent->port;
	struct tid *t = match_returned(agent, mad);
	struct send *s;

	if (!t) {
		/* the send has ended, or it expected no response */
		port->counters.unmatched++;
		return;
	}
	s = t->send;
	if (t != &s->tid) {
		/* the library's own deadline has already ended that try */
		t->is_free = true;
		port->counters.timeouts += status == ETIMEDOUT;
		return;
	}
	arrive_note_tid(t, get_be64(mad + MADKIT_MAD_TID));
	if (status == ETIMEDOUT) {
		port->counters.timeouts += s->expects;
		flight_act(s, send_returned(s, madkit_port_now(port)));
	} else {
		flight_act(s, send_done(status > 0 && status < 4096 ? -status : -EIO));
	}
}

static void arrive_response(struct send *s, struct recv *r, int64_t rtt_ns)
{
	const struct madkit_addr *to = &s->pub.to;

	r->pub.send = &s->pub;
	r->pub.rtt_ns = rtt_ns;
	if (to->direct) {
		/* umad reports only the permissive LID, not the route */
		r->pub.from.direct = true;
		r->pub.from.hops = to->hops;
		memcpy(r->pub.from.path, to->path, sizeof(to->path));
		r->pub.from.dr_slid = to->dr_slid;
		r->pub.from.dr_dlid = to->dr_dlid;
	}
	flight_detach(s, 0);
	handler_answered(s, r);
}

/* Passes a complete message to the send that it answers, or to a handler. Returns true if r no longer belongs
 * to the caller. */
static bool arrive_message(struct madkit_agent *agent, struct recv *r)
{
	struct madkit_port *port = agent->port;
	struct tid *t = match_response(agent, r->mad, r->pub.len, &r->pub.from);
	int64_t rtt_ns;

	if (!t) {
		/* pass on segments of a user-space transfer as they are, like the kernel */
		if (madkit_mad_is_response(r->mad, r->pub.len) &&
		    (madkit_agent_kernel_rmpp(agent) || agent->receiver ||
		     !madkit_mad_has_rmpp(r->mad, r->pub.len))) {
			port->counters.unmatched++;
			return false;
		}
		handler_received(agent, r);
		return true;
	}
	if (!t->send->expects) {
		/* no response was requested, but this proves that the message was received */
		port->counters.unmatched++;
		flight_act(t->send, send_done(0));
		return false;
	}
	rtt_ns = send_answered(t, r->pub.time_ns);
	if (get_be16(r->mad + MADKIT_MAD_STATUS) & MADKIT_STATUS_BUSY) {
		struct send_step step = send_busy(t, madkit_port_now(port));

		port->counters.busy += step.what == STEP_WAIT;
		if (step.what != STEP_DONE) {
			flight_act(t->send, step);
			return false;
		}
	}
	arrive_response(t->send, r, rtt_ns);
	return true;
}

/* Passes on the complete messages. Handlers may unregister the agent. */
static void arrive_messages(struct madkit_agent *agent)
{
	struct recv *r;

	while (!agent->gone && (r = rmpp_message(agent)))
		if (!arrive_message(agent, r))
			madkit_recv_free(&r->pub);
}

/* Checks if a request is for this agent. The kernel has checked that too, but possibly for an earlier agent
 * with the same number. */
static bool agent_is_registered_for(const struct madkit_agent *agent, const struct recv *r)
{
	const struct madkit_agent_attr *attr = &agent->attr;

	if (!attr->mgmt_class)
		return true;
	return agent->port->transport->ops->unfiltered ? attr->mgmt_class == r->mad[MADKIT_MAD_CLASS] :
							 filter_takes(attr, r->mad, r->pub.len);
}

/* Handles the MAD in the spare buffer. While handlers run, that buffer does not belong to the port: a handler
 * may make the port use another one. */
static void arrive_one(struct madkit_port *port)
{
	struct recv *r = port->spare;
	struct madkit_agent *agent = agent_find(port, r->id);
	struct tid *t;
	bool response;

	if (!agent) {
		port->counters.unknown_agent++;
		return;
	}
	if (r->pub.len < MADKIT_HEADER_BYTES) {
		port->counters.malformed++;
		return;
	}
	response = madkit_mad_is_response(r->mad, r->pub.len);
	if (r->pub.status) {
		/* The RMPP transfer of a response that this agent sent has failed: its handler gets the MAD
		 * with the status. */
		if (response && madkit_agent_kernel_rmpp(agent)) {
			port->spare = NULL;
			handler_received(agent, r);
			return;
		}
		arrive_returned(agent, r->mad, r->pub.status);
		return;
	}
	port->counters.received++;
	t = match_response(agent, r->mad, r->pub.len, &r->pub.from);
	if (t) {
		uint64_t tid = get_be64(r->mad + MADKIT_MAD_TID);

		arrive_note_tid(t, tid);
		snoop_completed(t->send, 0); /* of the latest try */
		t->send->pub.tid = tid;
	}
	snoop_received(agent, t ? t->send : NULL, &r->pub, r->mad);
	if (!response && !agent_is_registered_for(agent, r)) {
		port->counters.unknown_agent++;
		return;
	}
	if (agent->receiver && madkit_mad_has_rmpp(r->mad, r->pub.len)) {
		rmpp_arrived(agent, r);
		arrive_messages(agent);
		return;
	}
	port->spare = NULL;
	if (!arrive_message(agent, r))
		port->spare = r;
}

/* Receives messages and passes them on until none is left or the port's turn is over. Returns how many; sets
 * *err if the transport failed or a message is too long. */
static int arrive_all(struct madkit_port *port, int *err)
{
	int n = 0;

	port->receive_needed = 0;
	while (port->left && !port->dead && !port->stalled) {
		int ret = recv_next(port);

		if (ret == -EAGAIN)
			break;
		if (ret) {
			*err = ret;
			break;
		}
		n++;
		port->left -= port->left > 0;
		if (port->spare->pub.len > port->spare->size) {
			port->counters.malformed++;
			continue;
		}
		arrive_one(port);
		/* the buffer of a held message is only as long as that message */
		if (port->spare && port->spare->size < port->receive_initial) {
			free(port->spare);
			port->spare = NULL;
		}
	}
	return n;
}

/* Handles timeouts of responses and requests that arrive in segments. Returns how many. */
static int arrive_expire(struct madkit_port *port, uint64_t now)
{
	struct madkit_agent *agent;
	int n = 0;

	/* handlers may unregister any agent */
	while (!port->stalled && port->left && (agent = rmpp_expire(port, now))) {
		arrive_messages(agent);
		n++;
	}
	return n;
}

/* ---- the loop ---------------------------------------------------------------------- */

static void loop_die(struct madkit_port *port, int code)
{
	port->dead = code;
	list_each(struct madkit_agent, agent, &port->agents, link)
		list_each(struct send, s, &agent->sends, of_agent)
			if (s->state != SEND_DONE)
				flight_act(s, send_done(code));
}

static int loop_run(struct madkit_port *port, int *err)
{
	int n = arrive_all(port, err);
	bool all = port->left;
	uint64_t now = madkit_port_now(port);

	/* the descriptor need not be readable for messages that the transport keeps */
	port->more = !all || *err == -ENOSPC || *err == -ENOMEM || *err == -EMFILE || port->stalled;
	if (*err == -EIO || *err == -ENODEV) {
		loop_die(port, *err);
		return n;
	}
	port->left += TURN_SENDS;
	n += flight_flush(port);
	/* if more can be received, it may contain the response to a send that is due */
	if (all || now - port->expired_ns > EXPIRY_LATEST_MS * NS_PER_MS) {
		n += flight_expire(port, now);
		n += arrive_expire(port, now);
		port->expired_ns = now;
	}
	n += rmpp_flush(port);
	n += flight_resume(port);
	return n;
}

int madkit_port_process(struct madkit_port *port)
{
	int n = 0, err = 0;

	if (!port)
		return -EINVAL;
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
	uint64_t deadline;

	if (!port)
		return UINT64_MAX;
	deadline = heap_due(&port->deadlines);
	/* a transport may report only arrivals, not messages that it still has */
	if (!list_empty(&port->done) || port->more || port->held)
		return 0;
	if ((!list_empty(&port->waiting) || !list_empty(&port->unfinished)) && port->waiting_ns < deadline)
		deadline = port->waiting_ns;
	/* nothing is due on a device that is gone */
	if (!port->dead && rmpp_deadline(port) < deadline)
		deadline = rmpp_deadline(port);
	return deadline;
}

int madkit_port_timeout_ms(const struct madkit_port *port, int most_ms)
{
	uint64_t due = madkit_port_deadline(port);
	int ms = due == UINT64_MAX ? -1 : ms_until(madkit_port_now(port), due);

	if (most_ms < 0)
		return ms;
	return ms < 0 || ms > most_ms ? most_ms : ms;
}

int madkit_port_wait(struct madkit_port *port, int timeout_ms)
{
	uint64_t start = madkit_port_now(port);
	uint64_t until = timeout_ms < 0 ? UINT64_MAX : start + (uint64_t)timeout_ms * NS_PER_MS;

	if (!port)
		return -EINVAL;
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
	/* After fork(), the agents belong to the opener: the device would unregister them for the opener as
	 * well. Nothing is sent either, such as the ABORT of a transfer that the opener continues. */
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
