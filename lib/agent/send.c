/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <madkit/rmpp.h>
#include "agent/send.h"
#include "util/bits.h"

enum {
	/* how long a send waits for a device that has no room */
	QUEUED_MS = 1000,
	/* how much later than the kernel's timeout the library's own deadline is, because the kernel may
	 * report it late: this, and an eighth of the time */
	GRACE_MS = 50,
	GRACE_PART = 8,
	/* back-off after BUSY: an eighth of the timeout, then doubled each time */
	BACKOFF_PART = 8,
	/* the longest back-off of a request without a timeout */
	BACKOFF_MS = 1000,
	/* kernel RMPP waits 2 s for an ACK before it resends a window (drivers/infiniband/core/mad_rmpp.c) */
	RMPP_ACK_MS = 2000,
	RMPP_SEGMENT_MS = 20,
	RMPP_SEGMENT_BYTES = 192,
	/* timeout of a long message without a response: see LINGER below */
	LINGER_MS = 500,
	LINGER_TRIES = RMPP_ACK_MS / LINGER_MS,
	/* the longest jiffy, by which the kernel's timers may be early */
	TICK_MS = 10,
	/* TIDs of earlier tries that a response may still have, per send */
	OLDER_MAX = 16,
};

/*
 * LINGER. A long message without a response would end here as soon as the kernel has it, and a program that
 * then closes the port would end the transfer: umad does not report when all segments are acknowledged. But a
 * message with a timeout is returned, as one without a response, when that time has passed since the last
 * ACK. The timeout is also how long the kernel waits for the ACK of the first segment, so each try of 2 s
 * becomes LINGER_TRIES shorter ones, each of which sends the first segment again. If the message is returned
 * before all of them are over, it has arrived.
 */

/* ---- the buffer ---------------------------------------------------------------- */

struct madkit_send *madkit_send_new(size_t len)
{
	/* a shorter message is padded */
	size_t room = len < MADKIT_MAD_BYTES ? MADKIT_MAD_BYTES : len;
	struct send *s;

	if (len < MADKIT_HEADER_BYTES || len > MESSAGE_MAX)
		return NULL;
	s = calloc(1, sizeof(*s) + room);
	if (!s)
		return NULL;
	s->pub.mad = s->mad;
	s->pub.len = len;
	s->room = room;
	list_init(&s->queue);
	list_init(&s->of_agent);
	list_init(&s->unfinished);
	return &s->pub;
}

void madkit_send_free(struct madkit_send *send)
{
	free(send);
}

uint8_t *madkit_send_segment(struct madkit_send *send, uint32_t number, size_t *len)
{
	size_t begin, each;
	uint64_t at;
	bool exists;

	if (!send) {
		if (len)
			*len = 0;
		return NULL;
	}
	begin = madkit_class_data_offset(send->mad[MADKIT_MAD_CLASS]);
	each
		= madkit_mad_bytes(send->mad[MADKIT_MAD_BASE_VERSION]) - begin;
	at = begin + ((uint64_t)number - 1) * each;
	exists = number && send->len >= begin && (number == 1 || at < send->len);
	if (len)
		*len = !exists ? 0 : send->len - (size_t)at < each ? send->len - (size_t)at : each;
	return exists ? send->mad + at : NULL;
}

/* ---- transaction IDs ------------------------------------------------------------- */

int tid_reserve(struct tids *tids)
{
	return table_reserve(&tids->table, tids->sends + tids->older + 1);
}

/* Adds a TID of s to the table, which has room for it. */
static void tid_add(struct tids *tids, struct tid *t, struct send *s, uint32_t low)
{
	t->send = s;
	t->low = low;
	t->hashed = true;
	table_put(&tids->table, table_mix(0, low), t);
}

static void tid_remove(struct tids *tids, struct tid *t)
{
	if (t->hashed)
		table_del(&tids->table, table_mix(0, t->low), t);
	t->hashed = false;
}

struct tid *tid_next(const struct tids *tids, uint64_t tid, size_t *step)
{
	uint32_t low = (uint32_t)tid;
	struct tid *t;

	do
		t = table_next(&tids->table, table_mix(0, low), step);
	while (t && t->low != low);
	return t;
}

/* Returns a low half that no outstanding TID has; never 0. */
static uint32_t tid_new(struct tids *tids)
{
	uint32_t low;
	size_t step;

	do {
		low = tids->next++;
		step = 0;
	} while (!low || tid_next(tids, low, &step));
	return low;
}

/* Forgets the older TIDs, except for the latest keep ones. */
static void tid_forget_older(struct tids *tids, struct tid *latest, unsigned int keep)
{
	struct tid **last = &latest->next;

	while (*last && keep--)
		last = &(*last)->next;
	while (*last) {
		struct tid *t = *last;

		*last = t->next;
		tid_remove(tids, t);
		tids->older--;
		free(t);
	}
}

/* Moves the latest TID of a send to its older ones. If out of memory, forgets it: a response with it is not
 * accepted. */
static void tid_retire(struct tids *tids, struct tid *latest)
{
	struct tid *t;

	if (!latest->hashed)
		return;
	tid_remove(tids, latest);
	/* the table keeps room for the latest TID of each send */
	t = tid_reserve(tids) ? NULL : malloc(sizeof(*t));
	if (!t)
		return;
	tids->older++;
	*t = *latest;
	latest->next = t;
	tid_add(tids, t, t->send, t->low);
	tid_forget_older(tids, latest, OLDER_MAX);
}

void tid_forget(struct tids *tids, struct tid *latest)
{
	tid_remove(tids, latest);
	tid_forget_older(tids, latest, 0);
}

/* ---- a try ----------------------------------------------------------------------- */

/*
 * Checks if RMPP carries the request. Its retries then resend unacknowledged segments: once all segments are
 * acknowledged, the responder has the request, and it is not sent again (mad_rmpp.c, ib_retry_rmpp()).
 */
static bool send_is_by_rmpp(const struct send *s)
{
	return s->has_rmpp && (s->is_transfer || s->kernel_rmpp);
}

/*
 * Chooses the TID of a try. The kernel discards a response unless a request with its TID is outstanding, so
 * only a resend with the same TID lets the response to an earlier try in (drivers/infiniband/core/mad.c,
 * ib_find_send_mad()). The kernel accepts the same TID once it has returned the earlier try (user_mad.c,
 * is_duplicate()). Until then, the resend has a new TID, and responses to both are accepted.
 *
 * A message that RMPP carries always has a new TID, whether the kernel or the library sends it: the peer's
 * kernel keeps a received transfer for 10 s, acknowledges segments with its TID, and does not deliver them
 * again (mad_rmpp.c, complete_rmpp()).
 */
static void send_choose_tid(struct send *s, struct tids *tids, uint32_t tid_high)
{
	uint8_t *p = s->mad + MADKIT_MAD_TID;
	bool again = s->tid.hashed && s->tid.is_free && !send_is_by_rmpp(s);

	if (s->own_tid && !again) {
		tid_retire(tids, &s->tid);
		put_be64(p, tid_new(tids));
		s->tid.tries = 0;
	}
	s->pub.tid = get_be64(p);
	/* the kernel overwrites the upper half of a request's TID with its own number */
	if (!madkit_mad_is_response(s->mad, s->wire_len))
		s->pub.tid = (uint64_t)tid_high << 32 | (uint32_t)s->pub.tid;
}

void send_begin(struct send *s, struct tids *tids, uint32_t tid_high)
{
	send_choose_tid(s, tids, tid_high);
	s->response_end_ns = UINT64_MAX;
	if (s->is_transfer && !s->tid.hashed)
		tid_add(tids, &s->tid, s, (uint32_t)s->pub.tid);
}

bool send_renew(struct send *s, struct tids *tids, uint32_t tid_high)
{
	if (!s->tid.hashed || !s->own_tid)
		return false;
	/* the device has delivered the response, but has not forgotten the TID yet */
	s->tid.is_free = false;
	send_choose_tid(s, tids, tid_high);
	return true;
}

/* Returns how long the send may wait until the device accepts it. */
static uint64_t send_queued_ms(const struct send *s)
{
	return s->pub.timeout_ms > QUEUED_MS ? s->pub.timeout_ms : QUEUED_MS;
}

struct send_step send_queue(struct send *s, uint64_t now)
{
	uint64_t ms = send_queued_ms(s);

	s->state = SEND_QUEUED;
	return send_wait(ms == MADKIT_FOREVER ? UINT64_MAX : now + ms * NS_PER_MS);
}

/* Returns the timeout of a try for the device. With a negative timeout, the kernel's RMPP does not resend
 * unacknowledged segments (mad_rmpp.c, send_next_seg()): use the longest one instead. */
static uint32_t device_timeout(const struct send *s)
{
	uint32_t ms = s->expects ? s->pub.timeout_ms : 0;

	if (ms == MADKIT_FOREVER)
		return s->kernel_rmpp && s->has_rmpp ? INT32_MAX : ms;
	/* with a shorter timeout, it resends only the first segment */
	if (s->expects && s->pub.retries && s->by_kernel && s->wire_len > MADKIT_MAD_BYTES &&
	    ms <= RMPP_ACK_MS)
		return RMPP_ACK_MS + 1;
	return ms;
}

/*
 * Returns how many times the device may resend a try. It does not resend a request of one MAD that is
 * answered by one MAD: umad cannot stop the kernel's resends (user_mad.c has neither ib_cancel_mad() nor
 * ib_modify_mad() for it), but the library can stop its own. It resends unacknowledged segments, and requests
 * for a table, because a table that takes longer than a timeout would be discarded between the timeout and
 * the resend. These tries must be over when the send ends.
 */
static uint32_t device_retries(const struct send *s, uint64_t now, uint32_t timeout_ms)
{
	uint64_t try_ms = s->has_rmpp ? RMPP_ACK_MS : timeout_ms, fit;

	if (!s->by_kernel)
		return 0;
	if (!s->expects)
		return s->pub.retries;
	/* with a negative timeout, only segments are resent */
	if (!s->has_rmpp && timeout_ms == MADKIT_FOREVER)
		return 0;
	if (s->end_ns == UINT64_MAX)
		return s->tries_left;
	fit = s->end_ns > now ? (s->end_ns - now) / NS_PER_MS / try_ms : 0;
	fit -= fit > 0;
	return fit < s->tries_left ? (uint32_t)fit : s->tries_left;
}

bool send_answers(const struct send *s)
{
	return madkit_mad_is_response(s->mad, s->wire_len);
}

struct send_try send_ask(const struct send *s, uint64_t now)
{
	struct send_try try = { .timeout_ms = device_timeout(s), .answers = send_answers(s) };

	try.retries = device_retries(s, now, try.timeout_ms);
	if (s->lingers) {
		try.timeout_ms = LINGER_MS;
		try.retries = try.retries < UINT32_MAX / LINGER_TRIES - 1 ?
				      (try.retries + 1) * LINGER_TRIES - 1 :
				      UINT32_MAX;
	}
	return try;
}

void send_taken(struct send *s, const struct send_try *try, const struct send_time *sent)
{
	s->device = *try;
	s->pub.kernel_resends |= s->lingers || (s->expects && try->retries);
	s->posted_at = sent->time;
}

void send_count(struct send *s, struct tids *tids, const struct send_time *sent)
{
	if (!s->pub.attempts++)
		s->pub.posted_ns = sent->ns;
	s->pub.sent_ns = sent->ns;
	if (!s->tid.hashed && (s->expects || s->lingers))
		tid_add(tids, &s->tid, s, (uint32_t)s->pub.tid);
	s->tid.start_ns = sent->start_ns;
	s->tid.sent_ns = sent->ns;
	s->tid.tries++;
	s->tid.is_free = false;
}

/* Returns when a try that begins at now ends even if the transport has reported nothing. */
static uint64_t try_deadline(const struct send *s, uint64_t now)
{
	const uint64_t most = INT64_MAX / NS_PER_MS / 2;
	uint64_t tries = (uint64_t)(s->lingers ? s->pub.retries : s->device.retries) + 1;
	uint64_t ms = s->pub.timeout_ms, transfer = 0;

	if (s->expects && ms == MADKIT_FOREVER)
		return UINT64_MAX;
	if (s->kernel_rmpp && s->wire_len > MADKIT_MAD_BYTES) {
		ms += RMPP_ACK_MS;
		transfer = s->wire_len / RMPP_SEGMENT_BYTES * RMPP_SEGMENT_MS;
	}
	/* 146 years are treated as infinite */
	ms = tries <= most / ms ? tries * ms + transfer : most;
	ms += ms / GRACE_PART + GRACE_MS;
	return now + (ms < most ? ms : most) * NS_PER_MS;
}

struct send_step send_await(struct send *s, uint64_t now)
{
	uint64_t deadline;

	if (!s->expects && !s->lingers)
		return send_done(0);
	deadline = try_deadline(s, now);
	s->state = SEND_FLIGHT;
	return send_wait(deadline < s->response_end_ns ? deadline : s->response_end_ns);
}

/* ---- what happens to it ---------------------------------------------------------- */

/* Handles a try that has ended without a response: begins another, or ends the send. */
static struct send_step send_try_over(struct send *s)
{
	if (send_is_by_rmpp(s) || s->tries_left <= s->device.retries)
		return send_done(-ETIMEDOUT);
	s->tries_left -= s->device.retries + 1;
	return (struct send_step){ .what = STEP_TRANSMIT };
}

struct send_step send_due(struct send *s, uint64_t now)
{
	if (now >= s->end_ns)
		return send_done(-ETIMEDOUT);
	if (s->state == SEND_QUEUED)
		return send_done(-EAGAIN);
	if (s->state == SEND_BACKOFF)
		return (struct send_step){ .what = STEP_TRANSMIT };
	if (now >= s->response_end_ns)
		return send_fail(s, (struct madkit_rmpp_outcome){ .state = MADKIT_RMPP_STATE_GAVE_UP,
								  .status = MADKIT_RMPP_STATUS_TIME });
	return send_try_over(s);
}

struct send_step send_returned(struct send *s, uint64_t now)
{
	uint64_t all = ((uint64_t)s->pub.retries + 1) * RMPP_ACK_MS * NS_PER_MS;

	s->tid.is_free = true;
	/* the kernel's clock ticks: each try may be a little shorter */
	return s->lingers && now - s->pub.sent_ns < all - all / 8 ? send_done(0) : send_try_over(s);
}

/*
 * Returns how many times at most the kernel has resent a try that began at start_ns; the kernel does not
 * report that. Its first timer may be early by a tick, and the others start at one. An unacknowledged segment
 * is resent after RMPP_ACK_MS, or earlier if the timeout is shorter.
 */
static uint32_t kernel_resent(const struct send *s, uint64_t start_ns, uint64_t now)
{
	uint64_t ms = s->device.timeout_ms, n;

	if (!s->device.retries || ms == MADKIT_FOREVER || !ms)
		return 0;
	if (send_is_by_rmpp(s) && ms > RMPP_ACK_MS)
		ms = RMPP_ACK_MS;
	n = (now - start_ns + TICK_MS * NS_PER_MS) / (ms * NS_PER_MS);
	return n < s->device.retries ? (uint32_t)n : s->device.retries;
}

int64_t send_answered(struct tid *t, uint64_t now)
{
	t->is_free = true;
	/*
	 * A response shows which TID it answers, but not which copy of the request. BUSY ends only one copy:
	 * the kernel or the fabric may have made others.
	 */
	if (t->tries != 1 || kernel_resent(t->send, t->start_ns, now))
		return -1;
	/* the device took long: it resolved the GID before it sent, or it sent and was preempted */
	if (t->sent_ns != t->start_ns)
		return -1;
	return (int64_t)(now - t->sent_ns);
}

struct send_step send_busy(struct tid *t, uint64_t now)
{
	struct send *s = t->send;
	uint64_t ms = s->pub.timeout_ms == MADKIT_FOREVER ? BACKOFF_MS : s->pub.timeout_ms;
	uint64_t most = ms * NS_PER_MS, ns = most / BACKOFF_PART;
	uint32_t used;

	/* a later try is outstanding, or will be sent */
	if (t != &s->tid || s->state == SEND_BACKOFF || s->state == SEND_QUEUED)
		return (struct send_step){ .what = STEP_NONE };
	/* The kernel may have used some of its retries. Retries of segments are not tries of the request. */
	used = send_is_by_rmpp(s) ? 0 : kernel_resent(s, s->tid.start_ns, now);
	if (s->tries_left <= used)
		return send_done(0);
	s->tries_left -= used + 1;
	for (uint32_t i = 0; i < s->backoffs && ns < most; i++)
		ns *= 2;
	s->backoffs++;
	s->pub.busy++;
	s->state = SEND_BACKOFF;
	return send_wait(now + (ns < most ? ns : most));
}

struct send_step send_fail(struct send *s, struct madkit_rmpp_outcome outcome)
{
	int status = -EPROTO;

	if (outcome.state == MADKIT_RMPP_STATE_STOPPED || outcome.state == MADKIT_RMPP_STATE_ABORTED)
		status = -ECONNABORTED;
	else if (outcome.status == MADKIT_RMPP_STATUS_TIME || outcome.status == MADKIT_RMPP_STATUS_RETRIES)
		status = -ETIMEDOUT;
	else if (outcome.status == MADKIT_RMPP_STATUS_RESOURCES)
		status = -ENOBUFS;
	s->pub.rmpp = outcome;
	return send_done(status);
}

struct send_step send_modify(struct send *s, uint64_t now)
{
	uint64_t deadline;

	/* the device does not time this */
	if (s->state == SEND_FLIGHT && s->is_transfer)
		return send_await(s, now);
	if (s->pub.timeout_ms == MADKIT_FOREVER)
		return (struct send_step){ .what = STEP_NONE };
	/* All tries of the kernel must be over, because it reports nothing before; retries of segments are
	 * not tries of the request. A longer wait is of no use. */
	if (s->state == SEND_QUEUED)
		deadline = now + send_queued_ms(s) * NS_PER_MS;
	else if (s->state == SEND_FLIGHT && s->device.retries && !send_is_by_rmpp(s))
		deadline = try_deadline(s, now);
	else
		deadline = now + s->pub.timeout_ms * NS_PER_MS;
	return deadline < s->link.due ? send_wait(deadline) : (struct send_step){ .what = STEP_NONE };
}
