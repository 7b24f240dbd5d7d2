/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A send by the library's RMPP: its segments and acknowledgements. */
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

/* A message that the library's RMPP sends. */
struct transfer {
	struct madkit_rmpp_sender sender;
	struct packet packet;
};

int transfer_packet(struct madkit_agent *agent, struct packet *packet, struct send_time *sent)
{
	size_t len = packet->len;
	int ret = port_send(agent->port, agent->id, &packet->to, packet->mad, len, &(struct send_try){ 0 },
			    sent);

	if (ret == -EAGAIN)
		return ret;
	packet->len = 0;
	if (ret)
		return ret;
	agent->port->counters.sent++;
	snoop_packet(agent, &packet->to, packet->mad, len, &sent->time);
	return 0;
}

/* Checks if there is a packet to send. */
static bool transfer_next(struct transfer *t, uint64_t now)
{
	struct packet *packet = &t->packet;

	if (!packet->len && madkit_rmpp_sender_packet(&t->sender, packet->mad, now)) {
		packet->to = t->sender.to;
		packet->len = t->sender.segments.mad_bytes;
	}
	return packet->len;
}

/* Sends the packets that may be sent now. If there may be more, appends the send to the list unfinished. The
 * message counts as sent each time its first segment is sent. Returns 0 or -errno. */
static int transfer_pump(struct send *s)
{
	struct madkit_port *port = s->agent->port;
	const uint8_t *mad = s->transfer->packet.mad;
	struct send_time sent;
	int ret = 0;

	list_del(&s->unfinished);
	while (!ret && port_may_send(port)) {
		if (!transfer_next(s->transfer, madkit_port_now(port)))
			return 0;
		ret = transfer_packet(s->agent, &s->transfer->packet, &sent);
		if (!ret && madkit_rmpp_get_type(mad) == MADKIT_RMPP_DATA &&
		    madkit_rmpp_get_flags(mad) & MADKIT_RMPP_FIRST) {
			port->counters.resent += s->pub.attempts > 0;
			send_count(s, &port->tids, &sent);
		}
	}
	if (ret && ret != -EAGAIN)
		return ret;
	port_defer(port);
	list_add(&port->unfinished, &s->unfinished);
	return 0;
}

struct send_step transfer_proceed(struct send *s)
{
	struct madkit_rmpp_outcome outcome;
	int ret = transfer_pump(s);

	if (ret)
		return send_done(ret);
	outcome = madkit_rmpp_sender_outcome(&s->transfer->sender);
	/* SEND_FLIGHT: the response began before the last acknowledgement of the request */
	if (s->state != SEND_TRANSFER && s->state != SEND_FLIGHT)
		return (struct send_step){ .what = STEP_NONE };
	if (outcome.state != MADKIT_RMPP_STATE_ACTIVE && outcome.state != MADKIT_RMPP_STATE_COMPLETE)
		return send_fail(s, outcome);
	if (s->state == SEND_FLIGHT)
		return (struct send_step){ .what = STEP_NONE };
	if (outcome.state == MADKIT_RMPP_STATE_ACTIVE)
		return send_wait(madkit_rmpp_sender_deadline(&s->transfer->sender));
	return send_await(s, madkit_port_now(s->agent->port));
}

/* Returns how long to wait for an acknowledgement. An infinite timeout of the response does not make that
 * infinite. */
static uint64_t transfer_ack_ns(const struct send *s)
{
	uint32_t ms = s->pub.ack_ms ? s->pub.ack_ms : s->pub.timeout_ms;

	return NS_PER_MS * (ms && ms != MADKIT_FOREVER ? ms : RESPONSE_MS);
}

struct send_step transfer_start(struct send *s, uint64_t now)
{
	struct madkit_rmpp_sender_options options;
	struct madkit_rmpp_sender *sender;
	struct madkit_send *pub = &s->pub;
	/* a message shorter than its headers is padded */
	size_t least = madkit_class_data_offset(s->mad[MADKIT_MAD_CLASS]);
	size_t len = pub->len > least ? pub->len : least;
	int ret;

	if (!s->transfer)
		s->transfer = malloc(sizeof(*s->transfer));
	if (!s->transfer)
		return send_done(-ENOMEM);
	sender = &s->transfer->sender;
	s->transfer->packet.len = 0;
	madkit_rmpp_sender_options_init(&options);
	options.response_ns = transfer_ack_ns(s);
	options.retries = pub->retries;
	options.double_sided = s->expects;
	if (!madkit_mad_is_response(s->mad, pub->len))
		options.tid_mask = (UINT64_C(1) << WIRE_TID_BITS) - 1;
	ret = madkit_rmpp_sender_start(sender, s->mad, len, &pub->to, &options, now);
	if (ret)
		return send_done(ret);
	sender->total_deadline =
		now + NS_PER_MS * (TRANSFER_TOTAL_MS + sender->segments.count * (uint64_t)SEGMENT_MS);
	s->state = SEND_TRANSFER;
	return transfer_proceed(s);
}

struct send_step transfer_modify(struct send *s, uint64_t now)
{
	struct madkit_rmpp_sender *sender = &s->transfer->sender;

	sender->response_ns = transfer_ack_ns(s);
	if (sender->response_deadline != MADKIT_RMPP_NEVER)
		sender->response_deadline = now + sender->response_ns;
	return send_wait(madkit_rmpp_sender_deadline(sender));
}

struct send_step transfer_due(struct send *s, uint64_t now)
{
	madkit_rmpp_sender_expire(&s->transfer->sender, now);
	return transfer_proceed(s);
}

bool transfer_take(struct send *s, const uint8_t *mad, size_t len, uint64_t now, struct send_step *step)
{
	/* The peer may respond from another of its LIDs (match_source()). The sender would ignore that
	 * packet, so pass the address to which the sender sends. */
	struct madkit_rmpp_sender *sender = s->transfer ? &s->transfer->sender : NULL;

	if (!sender || madkit_rmpp_sender_take(sender, &sender->to, mad, len, now))
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
	/* A response proves that the request arrived, even if its last acknowledgement is late. An ABORT
	 * would end the responder's transfer, which has the same transaction ID. */
	struct madkit_port *port = s->agent->port;
	struct transfer *t = s->transfer;
	bool stopped = t && status;
	struct send_time sent;

	if (stopped && madkit_rmpp_sender_outcome(&t->sender).state != MADKIT_RMPP_STATE_COMPLETE)
		s->pub.unacknowledged = t->sender.window_first;
	/* the ABORT replaces a segment that has not been sent yet */
	if (stopped && !madkit_rmpp_sender_stop(&t->sender, MADKIT_RMPP_STATUS_UNSPECIFIED))
		t->packet.len = 0;
	while (stopped && !port->dead && transfer_next(t, madkit_port_now(port)))
		if (transfer_packet(s->agent, &t->packet, &sent))
			break;
	list_del(&s->unfinished);
	snoop_release(s->agent);
	free(t);
	s->transfer = NULL;
}
