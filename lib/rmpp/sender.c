/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sends one message (IBA volume 1, section 13.6.6, with its terms: window first (WF), window last (WL), next
 * segment (NS)). Segments that are not acknowledged in time are sent again from WF on.
 */
#include <errno.h>
#include <string.h>
#include <madkit/rmpp_transfer.h>
#include "rmpp/packet.h"
#include "util/bits.h"

uint64_t packet_response_ns(uint8_t resptime, uint64_t packet_life_ns)
{
	if (resptime >= MADKIT_RMPP_RESPTIME_UNSPECIFIED)
		return MADKIT_RMPP_NEVER;
	return later(UINT64_C(4096) << resptime, later(packet_life_ns, packet_life_ns));
}

void madkit_rmpp_sender_options_init(struct madkit_rmpp_sender_options *options)
{
	*options = (struct madkit_rmpp_sender_options){
		.response_ns = 2 * NS_PER_S,
		.total_ns = 40 * NS_PER_S,
		.retries = 7,
		.window_last = 1,
		.turnaround_window = 1,
		.tid_mask = UINT64_MAX,
		.resptime = MADKIT_RMPP_RESPTIME_UNSPECIFIED,
	};
}

int madkit_rmpp_sender_start(struct madkit_rmpp_sender *s, const uint8_t *message, uint64_t len,
			     const struct madkit_addr *to, const struct madkit_rmpp_sender_options *options,
			     uint64_t now)
{
	int ret;

	memset(s, 0, sizeof(*s));
	ret = madkit_rmpp_segments_init(&s->segments, message, len);
	if (ret)
		return ret;
	if (options)
		s->options = *options;
	else
		madkit_rmpp_sender_options_init(&s->options);
	if (!s->options.window_last || !s->options.turnaround_window || !s->options.response_ns)
		return -EINVAL;
	s->to = *to;
	s->window_first = 1;
	s->next = 1;
	s->window_last = s->options.window_last;
	s->retries_left = s->options.retries;
	s->response_ns = s->options.response_ns;
	s->response_deadline = MADKIT_RMPP_NEVER;
	s->total_deadline = later(now, s->options.total_ns);
	return 0;
}

static void sender_finish(struct madkit_rmpp_sender *s, enum madkit_rmpp_state state, uint8_t status)
{
	s->outcome.state = state;
	s->outcome.status = status;
	s->response_deadline = MADKIT_RMPP_NEVER;
	s->total_deadline = MADKIT_RMPP_NEVER;
}

static void sender_give_up(struct madkit_rmpp_sender *s, uint8_t status)
{
	s->owed = packet_end_type(status);
	sender_finish(s, MADKIT_RMPP_STATE_GAVE_UP, status);
}

static void sender_take_ack(struct madkit_rmpp_sender *s, const uint8_t *mad, uint64_t now)
{
	uint32_t segment = madkit_rmpp_get_segment(mad);
	uint32_t window_last = madkit_rmpp_get_length(mad);
	uint8_t resptime = madkit_rmpp_get_resptime(mad);

	if (window_last < segment) {
		sender_give_up(s, MADKIT_RMPP_STATUS_WINDOW);
		return;
	}
	if (segment > s->sent) {
		sender_give_up(s, MADKIT_RMPP_STATUS_SEGMENT);
		return;
	}
	if (segment + UINT64_C(1) < s->window_first)
		return; /* an old ACK */
	if (s->options.packet_life_ns && resptime != MADKIT_RMPP_RESPTIME_UNSPECIFIED)
		s->response_ns = packet_response_ns(resptime, s->options.packet_life_ns);
	/* a window stays granted: an ACK with a smaller one is late */
	if (window_last > s->window_last)
		s->window_last = window_last;
	if (segment < s->window_first)
		return;
	if (segment == s->segments.count) {
		sender_finish(s, MADKIT_RMPP_STATE_COMPLETE, MADKIT_RMPP_STATUS_OK);
		s->owed = s->options.double_sided ? MADKIT_RMPP_ACK : 0;
		return;
	}
	s->window_first = segment + 1;
	if (s->next < s->window_first)
		s->next = s->window_first;
	s->retries_left = s->options.retries;
	s->response_deadline = later(now, s->response_ns);
}

/* Checks if a packet is of this transfer, and from the other end. */
static bool sender_is_mine(const struct madkit_rmpp_sender *s, const struct madkit_addr *from,
			   const uint8_t *mad)
{
	const uint8_t *own = s->segments.message;
	uint64_t tids = get_be64(own + MADKIT_MAD_TID) ^ get_be64(mad + MADKIT_MAD_TID);

	return !(tids & s->options.tid_mask) && mad[MADKIT_MAD_CLASS] == own[MADKIT_MAD_CLASS] &&
	       mad[MADKIT_MAD_METHOD] == (own[MADKIT_MAD_METHOD] ^ MADKIT_METHOD_RESPONSE) &&
	       packet_same_end(from, &s->to);
}

int madkit_rmpp_sender_take(struct madkit_rmpp_sender *s, const struct madkit_addr *from, const uint8_t *mad,
			    size_t len, uint64_t now)
{
	uint8_t type, fault;

	if (!packet_is_rmpp(mad, len) || !sender_is_mine(s, from, mad))
		return -ENOENT;
	fault = packet_fault(mad);
	type = madkit_rmpp_get_type(mad);
	if (type == MADKIT_RMPP_DATA)
		return -ENOENT;
	if (s->outcome.state == MADKIT_RMPP_STATE_COMPLETE && s->options.double_sided && !fault &&
	    type == MADKIT_RMPP_ACK) {
		/* the receiver has not seen the turnaround ACK */
		if (madkit_rmpp_get_segment(mad) == s->segments.count)
			s->owed = MADKIT_RMPP_ACK;
		return 0;
	}
	if (s->outcome.state != MADKIT_RMPP_STATE_ACTIVE)
		return -ENOENT;
	if (packet_ends(mad)) {
		s->outcome.received = madkit_rmpp_get_status(mad);
		sender_finish(s,
			      type == MADKIT_RMPP_STOP ? MADKIT_RMPP_STATE_STOPPED :
							 MADKIT_RMPP_STATE_ABORTED,
			      fault ? fault : packet_end_status(mad));
	} else if (fault) {
		sender_give_up(s, fault);
	} else {
		sender_take_ack(s, mad, now);
	}
	return 0;
}

void madkit_rmpp_sender_expire(struct madkit_rmpp_sender *s, uint64_t now)
{
	if (s->outcome.state != MADKIT_RMPP_STATE_ACTIVE)
		return;
	if (now >= s->total_deadline && s->total_deadline != MADKIT_RMPP_NEVER) {
		sender_give_up(s, MADKIT_RMPP_STATUS_TIME);
	} else if (now >= s->response_deadline && s->response_deadline != MADKIT_RMPP_NEVER) {
		if (!s->retries_left) {
			sender_give_up(s, MADKIT_RMPP_STATUS_RETRIES);
			return;
		}
		s->retries_left--;
		s->next = s->window_first;
		/* closed window: resend an acknowledged segment, to request the ACK that opens the window */
		s->probe = s->window_first > s->window_last;
		s->response_deadline = later(now, s->response_ns);
	}
}

bool madkit_rmpp_sender_packet(struct madkit_rmpp_sender *s, uint8_t *mad, uint64_t now)
{
	const uint8_t *message = s->segments.message;
	uint32_t segment;

	if (s->owed) {
		bool ack = s->owed == MADKIT_RMPP_ACK;

		packet_make(mad, message,
			    &(struct packet_control){
				    .method = message[MADKIT_MAD_METHOD],
				    .type = s->owed,
				    .resptime = s->options.resptime,
				    .status = s->outcome.status,
				    .last = ack ? s->options.turnaround_window : 0,
			    });
		s->owed = 0;
		return true;
	}
	if (s->outcome.state != MADKIT_RMPP_STATE_ACTIVE)
		return false;
	if (s->next <= s->window_last && s->next <= s->segments.count)
		segment = (uint32_t)s->next++;
	else if (s->probe)
		segment = s->window_first - 1;
	else
		return false;
	s->probe = false;
	madkit_rmpp_segments_make(&s->segments, segment, mad);
	madkit_rmpp_set_resptime(mad, s->options.resptime);
	if (segment > s->sent)
		s->sent = segment;
	s->response_deadline = later(now, s->response_ns);
	return true;
}

uint64_t madkit_rmpp_sender_deadline(const struct madkit_rmpp_sender *s)
{
	return s->total_deadline < s->response_deadline ? s->total_deadline : s->response_deadline;
}

struct madkit_rmpp_outcome madkit_rmpp_sender_outcome(const struct madkit_rmpp_sender *s)
{
	return s->outcome;
}

int madkit_rmpp_sender_stop(struct madkit_rmpp_sender *s, uint8_t status)
{
	if (!packet_end_type(status))
		return -EINVAL;
	if (s->outcome.state != MADKIT_RMPP_STATE_ACTIVE)
		return -ENOENT;
	sender_give_up(s, status);
	return 0;
}
