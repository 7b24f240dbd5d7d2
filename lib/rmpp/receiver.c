/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Receives the packets of all transfers (IBA volume 1, section 13.6.6, with its terms: expected segment (ES),
 * window last (WL)). Segments are stored in any order; ACKs report up to which segment there is no gap.
 */
#include <errno.h>
#include <string.h>
#include "rmpp/receiver.h"

static bool receiver_is_request(const uint8_t *mad)
{
	return !(mad[MADKIT_MAD_METHOD] & MADKIT_METHOD_RESPONSE);
}

static void receiver_owe(struct madkit_rmpp_receiver *r, struct transfer *t, uint8_t type)
{
	if (r->options.watch || !type)
		return;
	t->owed = type;
	list_del(&t->out);
	list_add(&r->out, &t->out);
}

/* Queues an ACK of ES - 1, which opens the window. */
static void receiver_owe_ack(struct madkit_rmpp_receiver *r, struct transfer *t)
{
	uint64_t window_last = t->next - 1 + r->options.window;

	/* the last ACK does not open it: no more segments will arrive */
	if (!transfer_is_whole(t) && window_last > t->window_last)
		t->window_last = window_last > UINT32_MAX ? UINT32_MAX : window_last;
	t->acked = t->next - 1;
	receiver_owe(r, t, MADKIT_RMPP_ACK);
}

static void receiver_end(struct madkit_rmpp_receiver *r, struct transfer *t, enum madkit_rmpp_state state,
			 uint8_t status)
{
	t->outcome.state = state;
	t->outcome.status = status;
	t->ended = r->now;
	transfer_hold(r, t);
	list_add(&r->ready, &t->ready);
	if (t->early)
		memory_resize(r, t->peer, t->early, r->early_bytes, 0);
	t->early = NULL;
	list_del(&t->out);
	if (state == MADKIT_RMPP_STATE_GAVE_UP)
		receiver_owe(r, t, packet_end_type(status));
}

/* Ends a transfer that a new transfer of the same transaction replaces: sends no packet, and no later packet
 * belongs to it. */
static void receiver_supersede(struct madkit_rmpp_receiver *r, struct transfer *t)
{
	if (t->outcome.state == MADKIT_RMPP_STATE_ACTIVE)
		receiver_end(r, t, MADKIT_RMPP_STATE_SUPERSEDED, MADKIT_RMPP_STATUS_UNSPECIFIED);
	transfer_forget(r, t);
}

static void receiver_complete(struct madkit_rmpp_receiver *r, struct transfer *t)
{
	uint64_t total = t->len - t->offset + (uint64_t)t->last * (t->offset - MADKIT_RMPP_END);

	receiver_end(r, t, MADKIT_RMPP_STATE_COMPLETE, MADKIT_RMPP_STATUS_OK);
	madkit_rmpp_set_length(t->bytes, total > UINT32_MAX ? 0 : (uint32_t)total);
	receiver_owe_ack(r, t);
	if (r->options.double_sided && !r->options.watch && receiver_is_request(t->head)) {
		t->turned = r->now;
		t->turns_left = r->options.retries;
		list_add(&r->turning, &t->turning);
	}
}

/* Ends the transfer that a packet belongs to, or answers a packet without a transfer. */
static void receiver_refuse(struct madkit_rmpp_receiver *r, struct transfer *t,
			    const struct madkit_rmpp_arrival *a, uint8_t status)
{
	struct reply *reply;

	if (t && t->outcome.state == MADKIT_RMPP_STATE_ACTIVE) {
		receiver_end(r, t, MADKIT_RMPP_STATE_GAVE_UP, status);
		return;
	}
	if (r->nreplies == REPLIES)
		memmove(r->replies, r->replies + 1, --r->nreplies * sizeof(r->replies[0]));
	reply = &r->replies[r->nreplies++];
	reply->to = *a->from;
	reply->status = status;
	memcpy(reply->head, a->mad, madkit_class_data_offset(a->mad[MADKIT_MAD_CLASS]));
}

/* Checks the segment number and the FIRST flag of a DATA packet. */
static bool receiver_first_fits(const uint8_t *mad)
{
	uint32_t k = madkit_rmpp_get_segment(mad);

	return k && !(madkit_rmpp_get_flags(mad) & MADKIT_RMPP_FIRST) == (k != 1);
}

static void receiver_stored(struct madkit_rmpp_receiver *r, struct transfer *t, uint32_t k)
{
	if (transfer_is_whole(t)) {
		receiver_complete(r, t);
	} else if (r->options.watch || k == 1 || t->next - 1 - t->acked >= r->options.ack_every) {
		receiver_owe_ack(r, t);
	} else if (k > t->next && t->gap != t->next) {
		t->gap = t->next;
		receiver_owe_ack(r, t);
	}
}

static int receiver_take_data(struct madkit_rmpp_receiver *r, struct transfer *t,
			      const struct madkit_rmpp_arrival *a)
{
	uint32_t k = madkit_rmpp_get_segment(a->mad);
	uint8_t status = 0;

	r->latest = t;
	if (t && k == 1 && packet_hash(a->mad) != t->first_hash) {
		receiver_supersede(r, t);
		t = NULL;
	}
	if (!t && k != 1)
		return -ENOENT;
	if (!t) {
		t = transfer_new(r, a);
		if (!t) {
			r->counters.refused++;
			if (r->options.watch)
				return -ENOENT;
			receiver_refuse(r, NULL, a, MADKIT_RMPP_STATUS_RESOURCES);
			return 0;
		}
		if (r->options.watch)
			t->window_last = r->options.window;
	} else if (!transfer_same_header(t, a->mad)) {
		r->counters.beyond++;
		return r->options.watch ? -ENOENT : 0;
	}
	if (t->outcome.state == MADKIT_RMPP_STATE_COMPLETE) {
		r->counters.duplicates++;
		receiver_owe_ack(r, t);
		return 0;
	}
	if (t->outcome.state != MADKIT_RMPP_STATE_ACTIVE) {
		receiver_owe(r, t, packet_end_type(t->outcome.status));
		return 0;
	}
	switch (transfer_store(r, t, a->mad, &status)) {
	case STORED:
		receiver_stored(r, t, k);
		return 0;
	case STORED_BEFORE:
		r->counters.duplicates++;
		receiver_owe_ack(r, t);
		return 0;
	case STORED_BEYOND:
		r->counters.beyond++;
		return r->options.watch ? -ENOENT : 0;
	case STORED_FAULT:
		break;
	}
	if (!r->options.watch || status == MADKIT_RMPP_STATUS_RESOURCES || k == 1)
		receiver_end(r, t, MADKIT_RMPP_STATE_GAVE_UP, status);
	return r->options.watch ? -ENOENT : 0;
}

/* A watcher cannot send an ABORT: if memory is short, gives up the oldest transfer, unless messages are still
 * to be pulled. */
static int receiver_watch(struct madkit_rmpp_receiver *r, const struct madkit_rmpp_arrival *a)
{
	size_t limit = r->options.max_all - r->options.max_all / 4;
	int ret;

	if (packet_fault(a->mad) || madkit_rmpp_get_type(a->mad) != MADKIT_RMPP_DATA ||
	    !receiver_first_fits(a->mad))
		return -ENOENT;
	ret = receiver_take_data(r, transfer_find(r, a->from, a->to, a->mad), a);
	if (r->counters.bytes > limit && list_empty(&r->ready) && !list_empty(&r->active))
		receiver_end(r, list_entry(r->active.next, struct transfer, age), MADKIT_RMPP_STATE_GAVE_UP,
			     MADKIT_RMPP_STATUS_RESOURCES);
	return ret;
}

/* Processes an ACK in the direction of the data: an ACK of segment 0 turns a double-sided transfer around. */
static int receiver_take_turnaround(struct transfer *t, const uint8_t *mad)
{
	if (!t || madkit_rmpp_get_segment(mad))
		return -ENOENT;
	if (!list_empty(&t->turning)) {
		uint32_t window = madkit_rmpp_get_length(mad);

		t->turnaround = window ? window : 1;
		list_del(&t->turning);
	}
	return 0;
}

int madkit_rmpp_receiver_take(struct madkit_rmpp_receiver *r, const struct madkit_rmpp_arrival *arrival)
{
	struct madkit_rmpp_arrival a = *arrival;
	struct transfer *t;
	uint8_t fault, type;

	if (!packet_is_rmpp(a.mad, a.len))
		return -ENOENT;
	if (a.now < r->now)
		a.now = r->now;
	r->now = a.now;
	if (r->options.watch)
		return receiver_watch(r, &a);
	fault = packet_fault(a.mad);
	type = madkit_rmpp_get_type(a.mad);
	t = transfer_find(r, a.from, NULL, a.mad);
	if (packet_ends(a.mad)) {
		if (!t)
			return -ENOENT;
		if (t->outcome.state == MADKIT_RMPP_STATE_ACTIVE) {
			t->outcome.received = madkit_rmpp_get_status(a.mad);
			receiver_end(r, t,
				     type == MADKIT_RMPP_STOP ? MADKIT_RMPP_STATE_STOPPED :
								MADKIT_RMPP_STATE_ABORTED,
				     fault ? fault : packet_end_status(a.mad));
		}
		return 0;
	}
	if (!fault && type == MADKIT_RMPP_ACK)
		return receiver_take_turnaround(t, a.mad);
	if (!fault && !receiver_first_fits(a.mad))
		fault = MADKIT_RMPP_STATUS_FIRST;
	if (!fault)
		return receiver_take_data(r, t, &a);
	if (!t && type == MADKIT_RMPP_ACK)
		return -ENOENT;
	if (!t) {
		r->counters.faulty++;
		r->counters.fault = fault;
	}
	receiver_refuse(r, t, &a, fault);
	return 0;
}

/* ---- time ----------------------------------------------------------------------- */

static struct transfer *receiver_oldest(const struct list *list)
{
	return list_empty(list) ? NULL : list_entry(list->next, struct transfer, age);
}

static struct transfer *receiver_is_turning(const struct madkit_rmpp_receiver *r)
{
	return list_empty(&r->turning) ? NULL : list_entry(r->turning.next, struct transfer, turning);
}

static bool receiver_is_due(uint64_t since, uint64_t time, uint64_t now)
{
	return later(since, time) <= now && later(since, time) != MADKIT_RMPP_NEVER;
}

void madkit_rmpp_receiver_expire(struct madkit_rmpp_receiver *r, uint64_t now)
{
	struct transfer *t;

	if (now < r->now)
		now = r->now;
	r->now = now;
	while ((t = receiver_oldest(&r->active)) && receiver_is_due(t->started, r->options.total_ns, now))
		receiver_end(r, t, MADKIT_RMPP_STATE_GAVE_UP, MADKIT_RMPP_STATUS_TIME);
	while ((t = receiver_is_turning(r)) && receiver_is_due(t->turned, r->options.response_ns, now)) {
		list_del(&t->turning);
		if (!t->turns_left)
			continue;
		t->turns_left--;
		t->turned = now;
		list_add(&r->turning, &t->turning);
		receiver_owe_ack(r, t);
	}
	while ((t = receiver_oldest(&r->held)) && receiver_is_due(t->ended, r->options.hold_ns, now))
		transfer_forget(r, t);
}

static void receiver_sooner(uint64_t *deadline, uint64_t since, uint64_t time)
{
	if (later(since, time) < *deadline)
		*deadline = later(since, time);
}

uint64_t madkit_rmpp_receiver_deadline(const struct madkit_rmpp_receiver *r)
{
	uint64_t deadline = MADKIT_RMPP_NEVER;
	const struct transfer *t;

	if ((t = receiver_oldest(&r->active)))
		receiver_sooner(&deadline, t->started, r->options.total_ns);
	if ((t = receiver_oldest(&r->held)))
		receiver_sooner(&deadline, t->ended, r->options.hold_ns);
	if ((t = receiver_is_turning(r)))
		receiver_sooner(&deadline, t->turned, r->options.response_ns);
	return deadline;
}

int madkit_rmpp_receiver_stop(struct madkit_rmpp_receiver *r, uint8_t status)
{
	struct transfer *t;

	if (!packet_end_type(status))
		return -EINVAL;
	while ((t = receiver_oldest(&r->active)))
		receiver_end(r, t, MADKIT_RMPP_STATE_GAVE_UP, status);
	return 0;
}

bool madkit_rmpp_receiver_has(const struct madkit_rmpp_receiver *r, const struct madkit_addr *from,
			      const uint8_t *mad)
{
	return transfer_find(r, from, NULL, mad) != NULL;
}

uint32_t madkit_rmpp_receiver_turnaround(const struct madkit_rmpp_receiver *r, const struct madkit_addr *from,
					 const uint8_t *mad)
{
	const struct transfer *t = transfer_find(r, from, NULL, mad);

	if (!t || !r->options.double_sided || !receiver_is_request(mad))
		return 1;
	if (t->outcome.state == MADKIT_RMPP_STATE_ACTIVE || !list_empty(&t->turning))
		return 0;
	return t->turnaround ? t->turnaround : 1;
}
