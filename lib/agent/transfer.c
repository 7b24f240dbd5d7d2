/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <madkit/rmpp.h>
#include "agent/flight.h"
#include "util/bits.h"

enum {
	/* the kernel overwrites the upper half of a request's TID */
	WIRE_TID_BITS = 32,
	RESPONSE_MS = 1000,
	SEGMENT_MS = 20,
};

int transfer_packet(struct madkit_agent *agent, const struct madkit_addr *to, uint8_t *packet, size_t len,
		    struct send_time *sent)
{
	uint8_t *mad = packet + TRANSPORT_HEADROOM;
	int ret = port_send(agent->port, agent->id, to, mad, len, &(struct send_try){ 0 }, sent);

	if (ret)
		return ret;
	agent->port->counters.sent++;
	snoop_packet(agent, to, mad, len, &sent->time);
	return 0;
}

/* A packet for which the transport has no room counts as lost on the wire. The message counts as sent each time its
 * first segment is sent. */
static int transfer_pump(struct send *s)
{
	_Alignas(16) uint8_t packet[TRANSPORT_HEADROOM + MADKIT_FRAME_BYTES],
		*mad = packet + TRANSPORT_HEADROOM;
	struct madkit_port *port = s->agent->port;
	struct send_time sent;
	int ret = 0;

	while ((!ret || ret == -EAGAIN) && !port->stalled &&
	       madkit_rmpp_sender_packet(s->rmpp, mad, madkit_port_now(port))) {
		ret = transfer_packet(s->agent, &s->rmpp->to, packet, s->rmpp->segments.mad_bytes, &sent);
		if (!ret && madkit_rmpp_get_type(mad) == MADKIT_RMPP_DATA &&
		    madkit_rmpp_get_flags(mad) & MADKIT_RMPP_FIRST) {
			port->counters.resent += s->pub.attempts > 0;
			send_count(s, &port->tids, &sent);
		}
	}
	return ret == -EAGAIN ? 0 : ret;
}

/* Sends the packets that may be sent now, and returns what their outcome means for the send. */
static struct send_step transfer_proceed(struct send *s)
{
	struct madkit_rmpp_outcome outcome;
	int ret = transfer_pump(s);

	if (ret)
		return send_done(ret);
	outcome = madkit_rmpp_sender_outcome(s->rmpp);
	/* in flight: the response began before the last acknowledgement of the request */
	if (s->state != SEND_TRANSFER && s->state != SEND_FLIGHT)
		return (struct send_step){ .what = STEP_NONE };
	if (outcome.state != MADKIT_RMPP_STATE_ACTIVE && outcome.state != MADKIT_RMPP_STATE_COMPLETE)
		return send_fail(s, outcome);
	if (s->state == SEND_FLIGHT)
		return (struct send_step){ .what = STEP_NONE };
	if (outcome.state == MADKIT_RMPP_STATE_ACTIVE)
		return send_wait(madkit_rmpp_sender_deadline(s->rmpp));
	return send_await(s, madkit_port_now(s->agent->port));
}

/* How long to wait for an acknowledgement. A response without a timeout does not make that infinite. */
static uint64_t transfer_ack_ns(const struct send *s)
{
	uint32_t ms = s->pub.ack_ms ? s->pub.ack_ms : s->pub.timeout_ms;

	return NS_PER_MS * (ms && ms != MADKIT_FOREVER ? ms : RESPONSE_MS);
}

struct send_step transfer_start(struct send *s, uint64_t now)
{
	struct madkit_rmpp_sender_options options;
	struct madkit_send *pub = &s->pub;
	/* a message shorter than its headers is padded */
	size_t least = madkit_class_data_offset(s->mad[MADKIT_MAD_CLASS]);
	size_t len = pub->len > least ? pub->len : least;
	int ret;

	if (!s->rmpp)
		s->rmpp = malloc(sizeof(*s->rmpp));
	if (!s->rmpp)
		return send_done(-ENOMEM);
	madkit_rmpp_sender_options_init(&options);
	options.response_ns = transfer_ack_ns(s);
	options.retries = pub->retries;
	options.double_sided = s->expects;
	if (!madkit_mad_is_response(s->mad, pub->len))
		options.tid_mask = (UINT64_C(1) << WIRE_TID_BITS) - 1;
	ret = madkit_rmpp_sender_start(s->rmpp, s->mad, len, &pub->to, &options, now);
	if (ret)
		return send_done(ret);
	s->rmpp->total_deadline =
		now + NS_PER_MS * (TRANSFER_TOTAL_MS + s->rmpp->segments.count * (uint64_t)SEGMENT_MS);
	s->state = SEND_TRANSFER;
	return transfer_proceed(s);
}

struct send_step transfer_modify(struct send *s, uint64_t now)
{
	struct madkit_rmpp_sender *sender = s->rmpp;

	sender->response_ns = transfer_ack_ns(s);
	if (sender->response_deadline != MADKIT_RMPP_NEVER)
		sender->response_deadline = now + sender->response_ns;
	return send_wait(madkit_rmpp_sender_deadline(sender));
}

struct send_step transfer_due(struct send *s, uint64_t now)
{
	madkit_rmpp_sender_expire(s->rmpp, now);
	return transfer_proceed(s);
}

bool transfer_take(struct send *s, const uint8_t *mad, size_t len, uint64_t now, struct send_step *step)
{
	/* the peer may respond from another of its LIDs (match_source()); the sender would ignore that packet, so pass
	 * the address to which it sends */
	if (!s->rmpp || madkit_rmpp_sender_take(s->rmpp, &s->rmpp->to, mad, len, now))
		return false;
	if (s->own_tid) {
		s->pub.tid = get_be64(mad + MADKIT_MAD_TID);
		s->agent->tid_high = (uint32_t)(s->pub.tid >> 32);
	}
	*step = transfer_proceed(s);
	return true;
}

void transfer_end(struct send *s, int status)
{
	/* A response is the proof that the request arrived, even if its last acknowledgement is late. An ABORT
	 * would end the responder's transfer, whose transaction ID is the same. */
	bool stopped = s->rmpp && status;

	if (stopped && madkit_rmpp_sender_outcome(s->rmpp).state != MADKIT_RMPP_STATE_COMPLETE)
		s->pub.unacknowledged = s->rmpp->window_first;
	if (stopped && !s->agent->port->dead &&
	    !madkit_rmpp_sender_stop(s->rmpp, MADKIT_RMPP_STATUS_UNSPECIFIED))
		transfer_pump(s);
	snoop_release(s->agent);
	free(s->rmpp);
	s->rmpp = NULL;
}
