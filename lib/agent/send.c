/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The life of a send once it is posted: waiting for room, in flight, backing off, done. */
#include <errno.h>
#include <stdlib.h>
#include <madkit/rmpp.h>
#include "agent/rmpp.h"
#include "util/bits.h"

enum {
	/* how long a send waits for a device that says "not now" */
	QUEUED_MS = 1000,
	/* how much later than its time the kernel may report a timeout before
	 * our own deadline does: this, and an eighth of the time */
	GRACE_MS = 50,
	GRACE_PART = 8,
	/* of a busy responder: first an eighth of the timeout, then doubled */
	BACKOFF_PART = 8,
	/* the longest back-off of a request without a timeout */
	BACKOFF_MS = 1000,
	/* kernel RMPP waits two seconds for an ACK before it sends a window
	 * again (drivers/infiniband/core/mad_rmpp.c) */
	RMPP_ACK_MS = 2000,
	RMPP_SEGMENT_MS = 20,
	RMPP_SEGMENT_BYTES = 192,
	/* of a long message without a response: see LINGER below */
	LINGER_MS = 500,
	LINGER_TRIES = RMPP_ACK_MS / LINGER_MS,
	/* transaction IDs of earlier tries that a response may still have */
	OLDER_MAX = 16,
	/* the longest jiffy, by which the kernel's timers may be early */
	TICK_MS = 10,
	/* a device that takes longer to accept a MAD has blocked */
	STALL_MS = 100,
	/* on Ethernet the kernel resolves the GID before it sends a MAD: it has if the device takes longer */
	RESOLVED_MS = 1,
};

/*
 * LINGER. A long message that wants no response would end here as soon as the kernel has it, and a program that
 * then closes the port would end the transfer: umad does not report when all segments are acknowledged. But a
 * message with a timeout is returned that time after the last ACK, as one without a response. The timeout is also
 * how long the kernel waits for the ACK of the first segment, so each try of two seconds becomes LINGER_TRIES
 * shorter ones: the first segment is sent that often. If the message is returned before all of them are over, it has
 * arrived.
 */

/* Whether a LID-routed part precedes the directed one. */
static bool combined(const struct madkit_addr *to)
{
	return to->lid && to->lid != MADKIT_LID_PERMISSIVE;
}

void send_permissive(struct madkit_addr *to)
{
	if (to->direct && !combined(to))
		to->lid = MADKIT_LID_PERMISSIVE;
}

/*
 * Whether RMPP carries the request. Its retries are those of segments without an ACK: once all
 * segments are acknowledged, the responder has it, and it is not sent again (mad_rmpp.c,
 * ib_retry_rmpp()).
 */
static bool is_sent_by_rmpp(const struct send *s)
{
	return rmpp_is_transfer(s) || (s->by_kernel && madkit_mad_has_rmpp(s->mad, s->wire_len));
}

/*
 * Which TID a resend has. The kernel discards a response unless a request with its TID is
 * outstanding, so a resend with the same TID is what lets the response to an earlier try in
 * (drivers/infiniband/core/mad.c, ib_find_send_mad()). The kernel accepts the same TID once
 * it has returned the earlier try (user_mad.c, is_duplicate()). Until then the resend has a
 * new TID, and responses to both are accepted.
 *
 * A message that RMPP carries always has a new TID, whether the kernel or the library sends it: the
 * peer's kernel keeps a received transfer for 10 s, acknowledges segments with its TID, and does
 * not deliver them again (mad_rmpp.c, complete_rmpp()).
 */

static void tid_hash(struct send *s, struct send_tid *t, uint32_t tid)
{
	t->send = s;
	t->low = tid;
	t->hashed = true;
	table_put(&s->agent->port->tids, table_mix(0, tid), t);
}

static void tid_unhash(struct madkit_port *port, struct send_tid *t)
{
	if (t->hashed)
		table_del(&port->tids, table_mix(0, t->low), t);
	t->hashed = false;
}

struct send_tid *send_tid_next(const struct madkit_port *port, uint64_t tid, size_t *step)
{
	uint32_t low = (uint32_t)tid;
	struct send_tid *t;

	do
		t = table_next(&port->tids, table_mix(0, low), step);
	while (t && t->low != low);
	return t;
}

static void tids_forget(struct send *s, unsigned int keep)
{
	struct send_tid **last = &s->older;

	while (*last && keep--)
		last = &(*last)->next;
	while (*last) {
		struct send_tid *t = *last;

		*last = t->next;
		tid_unhash(s->agent->port, t);
		s->agent->port->older--;
		free(t);
	}
}

/* Moves the latest TID to the older ones. Without memory for that it is forgotten, and a
 * response with it is not accepted. */
static void tid_retire(struct send *s)
{
	struct madkit_port *port = s->agent->port;
	struct send_tid *t;

	if (!s->tid.hashed)
		return;
	tid_unhash(port, &s->tid);
	/* the latest TID of each send has its room */
	t = table_reserve(&port->tids, port->posted + port->older + 1) ? NULL : malloc(sizeof(*t));
	if (!t)
		return;
	port->older++;
	*t = s->tid;
	t->next = s->older;
	s->older = t;
	tid_hash(s, t, t->low);
	tids_forget(s, OLDER_MAX);
}

/* The kernel overwrites the upper half of a request's TID with its own number. */
static uint64_t send_wire_tid(const struct send *s)
{
	uint64_t tid = get_be64(s->mad + MADKIT_MAD_TID);

	return madkit_mad_is_response(s->mad, s->wire_len) ?
		       tid :
		       (uint64_t)s->agent->tid_high << 32 | (uint32_t)tid;
}

static void tid_choose(struct send *s)
{
	struct madkit_port *port = s->agent->port;
	uint8_t *p = s->mad + MADKIT_MAD_TID;
	bool again = s->tid.hashed && s->tid.is_free && !is_sent_by_rmpp(s);
	uint32_t tid;
	size_t step;

	if (s->own_tid && !again) {
		tid_retire(s);
		do {
			tid = port->next_tid++;
			step = 0;
		} while (!tid || send_tid_next(port, tid, &step));
		put_be64(p, tid);
		s->tid.tries = 0;
	}
	s->pub.tid = send_wire_tid(s);
}

static void tid_sent(struct send *s, const struct send_time *sent)
{
	if (!s->tid.hashed)
		tid_hash(s, &s->tid, (uint32_t)s->pub.tid);
	s->tid.start_ns = sent->start_ns;
	s->tid.sent_ns = sent->ns;
	s->tid.tries++;
	s->tid.is_free = false;
}

/*
 * How many times at most the kernel has resent a try, begun at start_ns, by now: the kernel does not report
 * that. Its first timer may be early by a tick, and the others start at one. A segment that is not
 * acknowledged is resent after RMPP_ACK_MS, or sooner if the timeout is shorter.
 */
static uint32_t kernel_resent(const struct send *s, uint64_t start_ns, uint64_t now)
{
	uint64_t ms = s->device_ms, n;

	if (!s->device_retries || ms == MADKIT_FOREVER || !ms)
		return 0;
	if (is_sent_by_rmpp(s) && ms > RMPP_ACK_MS)
		ms = RMPP_ACK_MS;
	n = (now - start_ns + TICK_MS * NS_PER_MS) / (ms * NS_PER_MS);
	return n < s->device_retries ? (uint32_t)n : s->device_retries;
}

int64_t send_answered(struct send_tid *t, uint64_t now)
{
	t->is_free = true;
	/*
	 * A response says which TID it answers, but not which copy of the request. BUSY ends one
	 * copy only: the kernel or the fabric may have made others.
	 */
	if (t->tries != 1 || kernel_resent(t->send, t->start_ns, now))
		return -1;
	return (int64_t)(now - t->sent_ns);
}

/* How long it may wait until the device accepts it. */
static uint64_t queued_ms(const struct send *s)
{
	return s->pub.timeout_ms > QUEUED_MS ? s->pub.timeout_ms : QUEUED_MS;
}

/* The time at which a try, begun at now, ends even if the transport has reported nothing. */
static uint64_t try_deadline(const struct send *s, uint64_t now)
{
	const uint64_t most = INT64_MAX / NS_PER_MS / 2;
	uint64_t tries = (uint64_t)(s->lingers ? s->pub.retries : s->device_retries) + 1;
	uint64_t ms = s->pub.timeout_ms, transfer = 0;

	if (s->expects && ms == MADKIT_FOREVER)
		return UINT64_MAX;
	if (madkit_agent_kernel_rmpp(s->agent) && s->wire_len > MADKIT_MAD_BYTES) {
		ms += RMPP_ACK_MS;
		transfer = s->wire_len / RMPP_SEGMENT_BYTES * RMPP_SEGMENT_MS;
	}
	/* 146 years are treated as infinite */
	ms = tries <= most / ms ? tries * ms + transfer : most;
	ms += ms / GRACE_PART + GRACE_MS;
	return now + (ms < most ? ms : most) * NS_PER_MS;
}

void send_shorten(struct send *s)
{
	uint64_t now = madkit_port_now(s->agent->port), deadline;

	if (s->pub.timeout_ms == MADKIT_FOREVER)
		return;
	/* The kernel's tries all have to be over, but its retries of segments are no tries of the request.
	 * Otherwise the device reports nothing at that time, and a longer wait is of no use. */
	if (s->state == SEND_QUEUED)
		deadline = now + queued_ms(s) * NS_PER_MS;
	else if (s->state == SEND_FLIGHT && s->device_retries && !is_sent_by_rmpp(s))
		deadline = try_deadline(s, now);
	else
		deadline = now + s->pub.timeout_ms * NS_PER_MS;
	if (deadline < s->link.due)
		heap_set(&s->agent->port->deadlines, &s->link, deadline);
}

/* The timeout of a try for the device. With a negative one the kernel's RMPP does not resend
 * segments that are not acknowledged (mad_rmpp.c, send_next_seg()): it gets the longest. */
static uint32_t device_timeout(const struct send *s)
{
	uint32_t ms = s->expects ? s->pub.timeout_ms : 0;

	if (ms == MADKIT_FOREVER)
		return madkit_agent_kernel_rmpp(s->agent) && madkit_mad_has_rmpp(s->mad, s->wire_len) ?
			       INT32_MAX :
			       ms;
	/* with less it resends only the first segment */
	if (s->expects && s->pub.retries && s->by_kernel && s->wire_len > MADKIT_MAD_BYTES &&
	    ms <= RMPP_ACK_MS)
		return RMPP_ACK_MS + 1;
	return ms;
}

/*
 * How often the device may resend a try. It resends no request of one MAD that is answered by one,
 * because umad cannot stop what the kernel resends (user_mad.c has neither ib_cancel_mad() nor
 * ib_modify_mad() for it): the library can. It resends segments without an ACK, and requests for a
 * table, because a table that takes longer than a timeout would be discarded in the moment between
 * a timeout and the resend. These tries have to be over when the send ends.
 */
static uint32_t device_retries(const struct send *s, uint64_t now, uint32_t timeout_ms)
{
	bool segments = madkit_mad_has_rmpp(s->mad, s->wire_len);
	uint64_t try_ms = segments ? RMPP_ACK_MS : timeout_ms, fit;

	if (!s->by_kernel)
		return 0;
	if (!s->expects)
		return s->pub.retries;
	/* with a negative timeout nothing is resent but segments */
	if (!segments && timeout_ms == MADKIT_FOREVER)
		return 0;
	if (s->end_ns == UINT64_MAX)
		return s->tries_left;
	fit = s->end_ns > now ? (s->end_ns - now) / NS_PER_MS / try_ms : 0;
	fit -= fit > 0;
	return fit < s->tries_left ? (uint32_t)fit : s->tries_left;
}

int send_to_device(struct madkit_agent *agent, const struct madkit_addr *to, uint8_t *mad, size_t len,
		   uint32_t timeout_ms, uint32_t retries, struct send_time *sent)
{
	struct madkit_port *port = agent->port;
	uint64_t took;
	int ret;

	if (port->stalled)
		return -EAGAIN;
	madkit_port_realtime(port, &sent->time);
	sent->start_ns = sent->ns = madkit_port_now(port);
	ret = port->transport->ops->send(port->transport, agent->id, to, mad, len, timeout_ms, retries);
	took = madkit_port_now(port) - sent->start_ns;
	/* the kernel resolved a GID first, and has sent the MAD just now */
	if (took > RESOLVED_MS * NS_PER_MS && port->info.link_layer == MADKIT_LINK_ETHERNET) {
		sent->ns += took;
		madkit_port_realtime(port, &sent->time);
	}
	port->stalled = port->depth && took >= STALL_MS * NS_PER_MS;
	return ret;
}

static int hand_over(struct send *s, struct send_time *sent)
{
	struct madkit_addr to = s->pub.to;
	uint32_t timeout_ms = device_timeout(s), retries, device;
	int ret;

	device = retries = device_retries(s, madkit_port_now(s->agent->port), timeout_ms);
	if (s->lingers) {
		timeout_ms = LINGER_MS;
		retries = retries < UINT32_MAX / LINGER_TRIES - 1 ? (retries + 1) * LINGER_TRIES - 1 :
								    UINT32_MAX;
	}
	send_permissive(&to);
	ret = send_to_device(s->agent, &to, s->mad, s->wire_len, timeout_ms, retries, sent);
	if (!ret) {
		s->device_ms = timeout_ms;
		s->device_retries = device;
		s->pub.kernel_resends |= s->lingers || (s->expects && device);
		s->posted_at = sent->time;
		snoop_posted(s);
	}
	return ret;
}

static void wait_for_room(struct madkit_port *port, struct send *s, uint64_t now)
{
	uint64_t ms = queued_ms(s);

	s->state = SEND_QUEUED;
	list_add(&port->waiting, &s->queue);
	heap_set(&port->deadlines, &s->link, ms == MADKIT_FOREVER ? UINT64_MAX : now + ms * NS_PER_MS);
}

/* Counts a try and updates the members of madkit_send that its poster may read. */
static void send_account(struct send *s, uint64_t sent_ns)
{
	s->agent->port->counters.resent += s->pub.attempts > 0;
	if (!s->pub.attempts++)
		s->pub.posted_ns = sent_ns;
	s->pub.sent_ns = sent_ns;
}

void send_sent(struct send *s, const struct send_time *sent)
{
	send_account(s, sent->ns);
	tid_sent(s, sent);
}

void send_await(struct send *s)
{
	struct madkit_port *port = s->agent->port;
	uint64_t deadline = try_deadline(s, madkit_port_now(port));

	s->state = SEND_FLIGHT;
	heap_set(&port->deadlines, &s->link, deadline < s->response_end_ns ? deadline : s->response_end_ns);
}

/* False where the transport takes nothing now. */
static bool transmit_now(struct send *s)
{
	struct madkit_port *port = s->agent->port;
	uint64_t now = madkit_port_now(port);
	struct send_time sent;
	int ret;

	if (now >= s->end_ns && (s->pub.attempts || s->state == SEND_QUEUED)) {
		send_finish(s, -ETIMEDOUT);
		return true;
	}
	if (port->stalled) {
		if (s->state != SEND_QUEUED)
			wait_for_room(port, s, now);
		port->waiting_ns = now;
		return false;
	}
	tid_choose(s);
	s->response_end_ns = UINT64_MAX;
	if (rmpp_is_transfer(s)) {
		list_del(&s->queue);
		if (!s->tid.hashed)
			tid_hash(s, &s->tid, (uint32_t)s->pub.tid);
		ret = rmpp_start(s, now);
		if (ret)
			send_finish(s, ret);
		return true;
	}
	ret = hand_over(s, &sent);
	if (ret == -EINVAL && s->tid.hashed && s->own_tid) {
		/* the device has handed out the response, but not yet forgotten the TID */
		s->tid.is_free = false;
		tid_choose(s);
		ret = hand_over(s, &sent);
	}
	if (ret == -EAGAIN) {
		if (s->state != SEND_QUEUED)
			wait_for_room(port, s, now);
		port->waiting_ns = now + NS_PER_MS;
		return false;
	}
	list_del(&s->queue);
	if (ret) {
		send_finish(s, ret);
		return true;
	}
	port->counters.sent++;
	send_account(s, sent.ns);
	if (!s->expects && !s->lingers) {
		send_finish(s, 0);
		return true;
	}
	tid_sent(s, &sent);
	/* the transport may have blocked: the time runs from here */
	send_await(s);
	return true;
}

void send_transmit(struct send *s)
{
	struct madkit_port *port = s->agent->port;

	/* what waits for room goes first */
	if (list_empty(&port->waiting))
		transmit_now(s);
	else
		wait_for_room(port, s, madkit_port_now(port));
}

int send_flush(struct madkit_port *port)
{
	int n = 0;

	while (!list_empty(&port->waiting)) {
		if (!transmit_now(list_entry(port->waiting.next, struct send, queue)))
			break;
		n++;
	}
	return n;
}

void send_detach(struct send *s, int status)
{
	struct madkit_port *port = s->agent->port;

	snoop_completed(s, status);
	rmpp_end(s, status);
	tid_unhash(port, &s->tid);
	tids_forget(s, 0);
	heap_remove(&port->deadlines, &s->link);
	list_del(&s->queue);
	s->state = SEND_DONE;
	s->status = status;
}

void send_finish(struct send *s, int status)
{
	send_detach(s, status);
	list_add(&s->agent->port->done, &s->queue);
}

void send_complete(struct send *s)
{
	struct madkit_agent *agent = s->agent;
	struct madkit_port *port = agent->port;

	list_del(&s->queue);
	list_del(&s->of_agent);
	agent->outstanding--;
	port->posted--;
	s->state = SEND_IDLE;
	/* learnt since, from the transport or from another send of the agent */
	if (s->pub.tid && !(s->pub.tid >> 32) && !madkit_mad_is_response(s->mad, s->wire_len))
		s->pub.tid |= (uint64_t)agent->tid_high << 32;
	if (port->answering == s)
		port->answering = NULL;
	if (s->sync.waiting) {
		s->sync.waiting = false;
		s->sync.done = true;
		s->sync.status = s->status;
	} else if (agent->attr.send_handler) {
		agent->attr.send_handler(agent, &s->pub, s->status);
	}
}

/* A try has ended without a response: again, or the end. */
static void try_over(struct send *s)
{
	if (is_sent_by_rmpp(s) || s->tries_left <= s->device_retries) {
		send_finish(s, -ETIMEDOUT);
		return;
	}
	snoop_completed(s, -ETIMEDOUT);
	s->tries_left -= s->device_retries + 1;
	heap_remove(&s->agent->port->deadlines, &s->link);
	send_transmit(s);
}

void send_returned(struct send *s)
{
	uint64_t ns = madkit_port_now(s->agent->port) - s->pub.sent_ns;
	uint64_t all = ((uint64_t)s->pub.retries + 1) * RMPP_ACK_MS * NS_PER_MS;

	s->tid.is_free = true;
	/* the kernel's clock ticks: each try may be a little shorter */
	if (s->lingers && ns < all - all / 8)
		send_finish(s, 0);
	else
		try_over(s);
}

bool send_busy(struct send_tid *t)
{
	struct send *s = t->send;
	struct madkit_port *port = s->agent->port;
	uint64_t ms = s->pub.timeout_ms == MADKIT_FOREVER ? BACKOFF_MS : s->pub.timeout_ms;
	uint64_t most = ms * NS_PER_MS, ns = most / BACKOFF_PART;
	uint32_t used;

	/* a later try is outstanding, or will be sent */
	if (t != &s->tid || s->state == SEND_BACKOFF || s->state == SEND_QUEUED)
		return true;
	/* The kernel may have used some of the retries that it was given. The retries of segments are no
	 * tries of the request. */
	used = is_sent_by_rmpp(s) ? 0 : kernel_resent(s, s->tid.start_ns, madkit_port_now(port));
	if (s->tries_left <= used)
		return false;
	s->tries_left -= used + 1;
	for (uint32_t i = 0; i < s->backoffs && ns < most; i++)
		ns *= 2;
	s->backoffs++;
	port->counters.busy++;
	s->pub.busy++;
	s->state = SEND_BACKOFF;
	heap_set(&port->deadlines, &s->link, madkit_port_now(port) + (ns < most ? ns : most));
	return true;
}

int send_expire(struct madkit_port *port, uint64_t now)
{
	struct heap_link *link;
	int n = 0;

	while (!port->stalled && (link = heap_first(&port->deadlines)) && link->due <= now) {
		struct send *s = list_entry(link, struct send, link);

		n++;
		if (now >= s->end_ns) {
			port->counters.expired += s->state == SEND_FLIGHT;
			send_finish(s, -ETIMEDOUT);
			continue;
		}
		switch (s->state) {
		case SEND_QUEUED:
			send_finish(s, -EAGAIN);
			break;
		case SEND_TRANSFER:
			rmpp_due(s, now);
			break;
		case SEND_BACKOFF:
			heap_remove(&port->deadlines, link);
			send_transmit(s);
			break;
		default:
			port->counters.expired++;
			if (now >= s->response_end_ns)
				rmpp_response_late(s);
			else
				try_over(s);
			break;
		}
	}
	return n;
}
