/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The sending side of the kernel's RMPP. lib/rmpp follows the IBA; this file follows Linux (mad_rmpp.c)
 * where it differs: there is no time limit for the whole transfer, no wait for the direction change, no
 * report of an aborted send, and the timeout is lost after the first window.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "sim/host/internal.h"

/* How long to wait for an ACK if the timeout of the send is 0, or finite and longer than this. */
#define ACK_NS (2 * NS_PER_S)

/* ---- segments --------------------------------------------------------------------------- */

int host_rmpp_prepare(struct send *s, const uint8_t *message, size_t len)
{
	int ret;

	s->message = malloc(len);
	if (!s->message)
		return -ENOMEM;
	memcpy(s->message, message, len);
	memcpy(s->message, s->mad, MADKIT_RMPP_END);
	/* segment every base version like IB's: no receiver accepts the others */
	s->message[MADKIT_MAD_BASE_VERSION] = MADKIT_BASE_VERSION_IB;
	ret = madkit_rmpp_segments_init(&s->segments, s->message, len);
	s->message[MADKIT_MAD_BASE_VERSION] = s->mad[MADKIT_MAD_BASE_VERSION];
	s->count = s->segments.count;
	s->window_last = 1;
	s->segment = 0;
	s->acked = 0;
	s->stale = false;
	return ret ? -EINVAL : 0;
}

/*
 * Starts to wait for an ACK as Linux does (mad_rmpp.c, send_next_seg()). A timeout of up to 2 s is a
 * duration only at first: Linux then overwrites it with the time at which it ends, and takes that for a
 * duration the next time, which does not expire in a lifetime. An infinite timeout is not reduced to 2 s.
 */
static void rmpp_await_ack(struct send *s)
{
	struct hosts *hosts = s->agent->file->host->hosts;

	if (!s->timeout || (s->timeout > ACK_NS && s->timeout != UINT64_MAX))
		heap_set(&hosts->deadlines, &s->timed.link, host_timer_end(hosts, ACK_NS));
	else if (!s->stale)
		heap_set(&hosts->deadlines, &s->timed.link, host_send_deadline(s, hosts));
	else
		heap_remove(&hosts->deadlines, &s->timed.link);
	s->stale = true;
}

/* Sends the segments that the window allows. A segment for which there is no memory is lost, as any packet
 * may be. Returns 0, or -ENOMEM if a segment was lost. */
static int send_window(struct send *s)
{
	uint8_t mad[MADKIT_MAD_BYTES];
	int ret = 0;

	while (s->segment < s->window_last && s->segment < s->count) {
		int lost;

		madkit_rmpp_segments_make(&s->segments, ++s->segment, mad);
		lost = host_send_transmit(s, mad);
		if (!ret)
			ret = lost;
	}
	rmpp_await_ack(s);
	return ret;
}

int host_rmpp_begin(struct send *s)
{
	if (s->mad[MADKIT_MAD_METHOD] & MADKIT_METHOD_RESPONSE)
		s->window_last = host_rmpp_response_window(s);
	return send_window(s);
}

bool host_rmpp_again(struct send *s)
{
	if (s->acked == s->count)
		return false;
	s->segment = s->acked;
	s->stale = false;
	send_window(s);
	return true;
}

/* ---- replies ---------------------------------------------------------------------------- */

/* Ends a send without reporting it, unless all of its segments have been acknowledged. */
static void rmpp_abort_send(const struct agent *agent, const struct fabric_head *head, const uint8_t *mad)
{
	struct send *s = host_send_find(agent, head, mad);

	if (s && s->acked != s->count)
		host_send_free(s);
}

static void host_rmpp_refuse(const struct agent *agent, const struct fabric_head *head, const uint8_t *mad,
			     uint8_t status)
{
	rmpp_abort_send(agent, head, mad);
	host_rmpp_reply(agent, head, mad, MADKIT_RMPP_ABORT, status, 0, 0);
}

static void rmpp_turn_around(const struct agent *agent, const struct fabric_head *head, const uint8_t *mad)
{
	host_rmpp_reply(agent, head, mad, MADKIT_RMPP_ACK, 0, 0, 1);
}

/* ---- ACK, STOP and ABORT ---------------------------------------------------------------- */

static void rmpp_all_acked(struct send *s, const struct fabric_head *head, const uint8_t *mad)
{
	struct hosts *hosts = s->agent->file->host->hosts;

	if (!s->timeout) {
		host_send_free(s);
		return;
	}
	/* from now on, wait for the response */
	heap_set(&hosts->deadlines, &s->timed.link, host_send_deadline(s, hosts));
	rmpp_turn_around(s->agent, head, mad);
}

/* Returns false if the ACK belongs to no send and to no received request. Numbers are signed, as in the
 * kernel. */
static bool host_rmpp_take_ack(struct agent *agent, const struct fabric_head *head, const uint8_t *mad)
{
	int32_t segment = (int32_t)madkit_rmpp_get_segment(mad);
	int32_t window = (int32_t)madkit_rmpp_get_length(mad);
	struct send *s;

	if (madkit_rmpp_get_status(mad) || window < segment) {
		host_rmpp_refuse(agent, head, mad,
				 madkit_rmpp_get_status(mad) ? MADKIT_RMPP_STATUS_ILLEGAL :
							       MADKIT_RMPP_STATUS_WINDOW);
		return true;
	}
	s = host_send_find(agent, head, mad);
	if (!s)
		return !segment && host_rmpp_turned(agent, head, mad, (uint32_t)window);
	if (s->acked == s->count) {
		rmpp_turn_around(agent, head, mad);
		return true;
	}
	if (segment > (int64_t)s->count || segment > (int64_t)s->window_last) {
		host_rmpp_refuse(agent, head, mad, MADKIT_RMPP_STATUS_SEGMENT);
		return true;
	}
	if (window < (int64_t)s->window_last || segment < (int64_t)s->acked)
		return true;
	if (segment > (int64_t)s->acked) {
		s->acked = (uint32_t)segment;
		s->retries = s->max_retries;
	}
	s->window_last = (uint32_t)window;
	if (s->acked == s->count)
		rmpp_all_acked(s, head, mad);
	else if (s->segment < s->window_last && s->segment < s->count)
		send_window(s);
	return true;
}

/* Handles a STOP or ABORT. Linux does not accept class-specific and vendor-specific statuses. */
static void rmpp_take_end(const struct agent *agent, const struct fabric_head *head, const uint8_t *mad,
			  bool stop)
{
	uint8_t status = madkit_rmpp_get_status(mad);

	if (stop ? status == MADKIT_RMPP_STATUS_RESOURCES :
		   status >= MADKIT_RMPP_STATUS_TIME && status <= MADKIT_RMPP_STATUS_UNSPECIFIED)
		rmpp_abort_send(agent, head, mad);
	else
		host_rmpp_refuse(agent, head, mad, MADKIT_RMPP_STATUS_ILLEGAL);
}

bool host_rmpp_arrive(struct agent *agent, const struct fabric_head *head, const uint8_t *mad,
		      struct rmpp_whole *whole)
{
	if (madkit_rmpp_get_version(mad) != MADKIT_RMPP_VERSION) {
		host_rmpp_refuse(agent, head, mad, MADKIT_RMPP_STATUS_VERSION);
		return true;
	}
	switch (madkit_rmpp_get_type(mad)) {
	case MADKIT_RMPP_DATA:
		return host_rmpp_data(agent, head, mad, whole);
	case MADKIT_RMPP_ACK:
		return host_rmpp_take_ack(agent, head, mad);
	case MADKIT_RMPP_STOP:
	case MADKIT_RMPP_ABORT:
		rmpp_take_end(agent, head, mad, madkit_rmpp_get_type(mad) == MADKIT_RMPP_STOP);
		return true;
	}
	host_rmpp_refuse(agent, head, mad, MADKIT_RMPP_STATUS_TYPE);
	return true;
}
