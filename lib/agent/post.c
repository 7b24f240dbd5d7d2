/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Operations on a send: post it, cancel it, change its timeout, wait for its response. */
#include <errno.h>
#include <string.h>
#include <madkit/rmpp.h>
#include "agent/flight.h"
#include "util/bits.h"

static int post_check(const struct madkit_agent *agent, const struct send *s)
{
	const struct madkit_send *pub = &s->pub;
	uint8_t class = s->mad[MADKIT_MAD_CLASS];
	bool kernel_rmpp = madkit_agent_kernel_rmpp(agent);

	if (pub->len < MADKIT_HEADER_BYTES || pub->len > s->room || !send_timeout_valid(pub->timeout_ms))
		return -EINVAL;
	if (pub->len > madkit_mad_bytes(s->mad[MADKIT_MAD_BASE_VERSION]) && !kernel_rmpp && !agent->receiver)
		return -EINVAL;
	if (agent->receiver && pub->len > MADKIT_MAD_BYTES && !madkit_class_is_rmpp(class))
		return -EINVAL;
	if (kernel_rmpp && !madkit_class_is_rmpp(class))
		return -EINVAL;
	if (agent->port->transport->ops->fixed_qkey && pub->to.qkey && pub->to.qkey != MADKIT_QKEY_GSI)
		return -EINVAL;
	if (pub->to.direct && (class != MADKIT_CLASS_SUBN_DR || pub->to.hops > MADKIT_HOPS_MAX))
		return -EINVAL;
	return 0;
}

static bool tid_given(const struct madkit_agent *agent, const struct send *s)
{
	if (madkit_mad_is_response(s->mad, s->pub.len))
		return true;
	/* all packets of a user-space RMPP transfer have one TID, and its ACKs look like requests */
	return !madkit_agent_kernel_rmpp(agent) && !agent->receiver &&
	       madkit_mad_has_rmpp(s->mad, s->wire_len) && (uint32_t)get_be64(s->mad + MADKIT_MAD_TID);
}

/* Checks if the response to a request of one MAD is a table, which has RMPP (IBA volume 1, section 15.2.2).
 * For a vendor's method, it is not known if the response has RMPP. */
static bool post_expects_table(const struct send_key *request)
{
	return request->mgmt_class == MADKIT_CLASS_SA && (request->method == MADKIT_METHOD_GET_TABLE ||
							  request->method == MADKIT_METHOD_GET_TRACE_TABLE ||
							  request->method == MADKIT_METHOD_GET_MULTI);
}

static void post_prepare(struct madkit_agent *agent, struct send *s)
{
	struct madkit_send *pub = &s->pub;
	uint8_t class = s->mad[MADKIT_MAD_CLASS];
	size_t one = madkit_mad_bytes(s->mad[MADKIT_MAD_BASE_VERSION]);
	size_t least = MADKIT_MAD_BYTES;

	/* the kernel puts the length of the message into the RMPP header, even if it is less than a MAD */
	if (madkit_agent_kernel_rmpp(agent) && madkit_mad_has_rmpp(s->mad, pub->len))
		least = madkit_class_data_offset(class);
	s->wire_len = pub->len;
	if (pub->len < MADKIT_MAD_BYTES)
		memset(s->mad + pub->len, 0, MADKIT_MAD_BYTES - pub->len);
	if (pub->len < least)
		s->wire_len = least;
	if (!madkit_class_is_smi(class) && !pub->to.qp)
		pub->to.qp = 1;
	if (pub->to.direct && !(s->mad[MADKIT_MAD_METHOD] & MADKIT_METHOD_RESPONSE))
		madkit_smp_put_route(s->mad, &pub->to, agent->port->info.lid);
	if (pub->len > one) {
		madkit_rmpp_set_version(s->mad, MADKIT_RMPP_VERSION);
		madkit_rmpp_set_type(s->mad, MADKIT_RMPP_DATA);
		madkit_rmpp_set_flags(s->mad, madkit_rmpp_get_flags(s->mad) | MADKIT_RMPP_ACTIVE);
	}
	match_key(s->mad, &s->key);
	s->agent = agent;
	memset(&s->sync, 0, sizeof(s->sync));
	s->own_tid = !tid_given(agent, s);
	s->expects = pub->timeout_ms && !madkit_mad_is_response(s->mad, pub->len);
	s->lingers = !pub->timeout_ms && pub->len > one && !agent->receiver &&
		     !madkit_mad_is_response(s->mad, pub->len);
	s->has_rmpp = madkit_mad_has_rmpp(s->mad, s->wire_len);
	s->kernel_rmpp = madkit_agent_kernel_rmpp(agent);
	s->by_kernel = s->kernel_rmpp && (s->has_rmpp || post_expects_table(&s->key));
	s->is_transfer = agent->receiver && s->has_rmpp;
	pub->kernel_resends = false;
	memset(&s->device, 0, sizeof(s->device));
	s->tries_left = s->expects ? pub->retries : 0;
	s->backoffs = 0;
	s->restarts = 0;
	s->posted = false;
	pub->attempts = 0;
	pub->unacknowledged = 0;
	pub->busy = 0;
	pub->tid = 0;
	pub->posted_ns = pub->sent_ns = 0;
	memset(&pub->rmpp, 0, sizeof(pub->rmpp));
}

int post_until(struct madkit_agent *agent, struct madkit_send *send, uint64_t end_ns)
{
	struct send *s = send_of(send);
	struct madkit_port *port;
	int ret;

	if (!agent || !send)
		return -EINVAL;
	port = agent->port;
	if (s->state != SEND_IDLE)
		return -EBUSY;
	if (agent->gone || port->dead || port->closing)
		return -ENODEV;
	ret = post_check(agent, s);
	if (!ret)
		ret = tid_reserve(&port->tids);
	if (!ret)
		ret = heap_reserve(&port->deadlines, port->tids.sends + 1);
	if (ret)
		return ret;
	post_prepare(agent, s);
	s->end_ns = end_ns;
	list_add(&agent->sends, &s->of_agent);
	agent->outstanding++;
	port->tids.sends++;
	flight_act(s, (struct send_step){ .what = STEP_TRANSMIT });
	return 0;
}

int madkit_agent_post(struct madkit_agent *agent, struct madkit_send *send)
{
	return post_until(agent, send, UINT64_MAX);
}

int madkit_agent_post_list(struct madkit_agent *agent, struct madkit_send *list, struct madkit_send **failed)
{
	if (!agent) {
		if (failed)
			*failed = list;
		return -EINVAL;
	}
	for (; list; list = list->next) {
		int ret = madkit_agent_post(agent, list);

		if (ret) {
			if (failed)
				*failed = list;
			return ret;
		}
	}
	if (failed)
		*failed = NULL;
	return 0;
}

int madkit_agent_cancel(struct madkit_agent *agent, struct madkit_send *send)
{
	struct send *s = send_of(send);

	if (!agent || !send)
		return -EINVAL;
	if (s->state == SEND_IDLE || s->state == SEND_DONE || s->agent != agent)
		return -ENOENT;
	flight_act(s, send_done(-ECANCELED));
	return 0;
}

int madkit_agent_modify(struct madkit_agent *agent, struct madkit_send *send, uint32_t timeout_ms)
{
	struct send *s = send_of(send);
	uint64_t now;

	if (!timeout_ms || !agent || !send)
		return madkit_agent_cancel(agent, send);
	if (s->state == SEND_IDLE || s->state == SEND_DONE || s->agent != agent)
		return -ENOENT;
	if (!s->expects || !send_timeout_valid(timeout_ms))
		return -EINVAL;
	send->timeout_ms = timeout_ms;
	now = madkit_port_now(agent->port);
	flight_act(s, s->state == SEND_TRANSFER ? transfer_modify(s, now) : send_modify(s, now));
	return 0;
}

/* ---- a request and its response: a loop around the port --------------------------- */

/* Ends the request now, without a handler. */
static void request_end(struct send *s, int status)
{
	struct madkit_port *port = s->agent->port;

	handler_enter(port);
	flight_detach(s, status);
	handler_sent(s);
	handler_leave(port);
}

int madkit_request(struct madkit_agent *agent, struct madkit_send *send, uint64_t deadline_ns,
		   struct madkit_reply *reply)
{
	struct send *s = send_of(send);
	struct madkit_port *port;
	struct send_sync *sync;
	uint64_t now;
	int ret, failed = 0;
	bool stopped = false, was;

	if (reply)
		*reply = (struct madkit_reply){ .rtt_ns = -1 };
	if (!agent || !send || !reply)
		return -EINVAL;
	port = agent->port;
	if (port->depth)
		return -EBUSY;
	was = port_stopped(port);
	sync = &s->sync;
	ret = post_until(agent, send, deadline_ns);
	if (ret)
		return ret;
	sync->waiting = true;
	while (sync->waiting) {
		ret = madkit_port_process(port);
		if (!sync->waiting)
			break;
		/* arrivals before the signal or the deadline still count */
		if (ret < 0)
			failed = ret;
		else if (stopped)
			failed = -EINTR;
		now = madkit_port_now(port);
		if (failed) {
			request_end(s, -ECANCELED);
		} else if (now >= deadline_ns) {
			request_end(s, -ETIMEDOUT);
		} else {
			ret = madkit_port_wait(port,
					       deadline_ns == UINT64_MAX ? -1 : ms_until(now, deadline_ns));
			stopped = port_stops(port, ret, &was);
		}
	}
	*reply = sync->reply;
	if (failed) {
		madkit_recv_free(reply->recv);
		reply->recv = NULL;
	}
	return failed;
}
