/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One request and its answer: a loop around the port. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include "agent/flight.h"
#include "agent/handler.h"
#include "agent/post.h"

static int wait_until(struct madkit_port *port, uint64_t deadline_ns)
{
	return madkit_port_wait(port, deadline_ns == UINT64_MAX ?
					      -1 :
					      ms_until(madkit_port_now(port), deadline_ns));
}

/* Ends it now, without a handler. */
static void request_end(struct send *s, int status)
{
	struct madkit_port *port = s->agent->port;

	handler_enter(port);
	flight_detach(s, status);
	handler_sent(s);
	handler_leave(port);
}

/* Whether a signal that interrupted a wait ends the request. Without stopped(), every one does. */
static bool request_stopped(const struct madkit_limit *limit)
{
	return !limit->stopped || limit->stopped(limit->context);
}

int madkit_request(struct madkit_agent *agent, struct madkit_send *send, uint64_t deadline_ns,
		   struct madkit_reply *reply)
{
	struct madkit_port *port = agent->port;
	struct send *s = send_of(send);
	struct send_sync *sync = &s->sync;
	int ret, failed = 0;
	bool stopped = false;

	*reply = (struct madkit_reply){ .rtt_ns = -1 };
	if (port->depth)
		return -EBUSY;
	ret = post_until(agent, send, deadline_ns);
	if (ret)
		return ret;
	sync->waiting = true;
	while (!sync->done) {
		ret = madkit_port_process(port);
		if (sync->done)
			break;
		/* what arrived before the signal or the deadline still counts */
		if (ret < 0)
			failed = ret;
		else if (stopped)
			failed = -EINTR;
		if (failed) {
			request_end(s, -ECANCELED);
		} else if (madkit_port_now(port) >= deadline_ns) {
			request_end(s, -ETIMEDOUT);
		} else {
			ret = wait_until(port, deadline_ns);
			stopped = ret == -EINTR && request_stopped(&port->limit);
		}
	}
	reply->recv = sync->recv;
	reply->status = sync->status;
	reply->attempts = send->attempts;
	reply->kernel_resends = send->kernel_resends;
	if (reply->recv)
		reply->rtt_ns = reply->recv->rtt_ns;
	if (failed) {
		madkit_recv_free(reply->recv);
		reply->recv = NULL;
	}
	return failed;
}
