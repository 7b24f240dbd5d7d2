/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdio.h>
#include "tests/unit/rmpp_link.h"

static void rmpp_link_wrong(struct link *l, const char *what, uint64_t a, uint64_t b)
{
	if (!l->why[0])
		snprintf(l->why, sizeof(l->why), "%s (%llu, %llu)", what, (unsigned long long)a,
			 (unsigned long long)b);
}

/* ---- packets under way: a binary heap ------------------------------------------- */

static bool before(const struct flight *a, const struct flight *b)
{
	return a->time < b->time || (a->time == b->time && a->order < b->order);
}

static void fly(struct link *l, int to, const uint8_t *mad, uint64_t time)
{
	struct flight flight = { .time = time, .order = l->order++, .to = (uint8_t)to };
	size_t i = l->nflights;

	if (i == FLIGHTS)
		return; /* lost, too */
	memcpy(flight.mad, mad, sizeof(flight.mad));
	if (chance(l, l->weather.damage)) {
		/* of the RMPP header, mostly: data has no check sum */
		unsigned int bit = chance(l, 900) ? 24 * 8 + link_random(l) % 96 : link_random(l) % 2048;

		flight.mad[bit / 8] ^= (uint8_t)(1 << bit % 8);
		flight.to |= 2;
	}
	for (l->nflights++; i && before(&flight, &l->flights[(i - 1) / 2]); i = (i - 1) / 2)
		l->flights[i] = l->flights[(i - 1) / 2];
	l->flights[i] = flight;
}

static struct flight land(struct link *l)
{
	struct flight first = l->flights[0], last = l->flights[--l->nflights];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < l->nflights) {
		if (child + 1 < l->nflights && before(&l->flights[child + 1], &l->flights[child]))
			child++;
		if (!before(&l->flights[child], &last))
			break;
		l->flights[i] = l->flights[child];
		i = child;
	}
	l->flights[i] = last;
	return first;
}

static void rmpp_link_send_packet(struct link *l, int from, const uint8_t *mad)
{
	const struct weather *w = &l->weather;

	l->packets++;
	if (l->packets == w->drop[0] || l->packets == w->drop[1])
		return;
	for (int copies = chance(l, w->repeat) ? 2 : 1; copies; copies--) {
		uint64_t time = l->now + w->delay;

		if (chance(l, w->loss[from]))
			continue;
		if (w->jitter)
			time += link_random(l) % w->jitter;
		if (chance(l, w->late))
			time += w->late_ns;
		fly(l, !from, mad, time);
	}
}

/* ---- the two ends --------------------------------------------------------------- */

void link_init(struct link *l, uint64_t seed)
{
	struct flight *flights = l->flights;

	memset(l, 0, sizeof(*l));
	l->flights = flights ? flights : malloc(FLIGHTS * sizeof(*flights));
	l->heap.resize = counted_resize;
	l->heap.context = &l->memory;
	l->random = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
	l->now = SECOND;
	l->weather.delay = 5000;
	l->window = 1;
	for (int i = 0; i < 8; i++)
		link_random(l);
	for (uint32_t i = 0; i < 2; i++)
		l->ends[i].addr = (struct madkit_addr){ .lid = i + 1, .qp = 1 };
}

static void rmpp_link_start(struct link *l, struct end *e, const struct madkit_rmpp_sender_options *o)
{
	struct end *other = e == &l->ends[0] ? &l->ends[1] : &l->ends[0];

	if (madkit_rmpp_sender_start(&e->sender, e->message, e->len, &other->addr, o, l->now))
		rmpp_link_wrong(l, "start", 0, 0);
	e->sending = true;
	e->granted = o->window_last;
}

void link_begin(struct link *l, uint8_t class, size_t n, size_t m,
		const struct madkit_rmpp_sender_options *sending,
		const struct madkit_rmpp_receiver_options *receiving)
{
	struct madkit_rmpp_sender_options s = *sending;
	struct madkit_rmpp_receiver_options r = *receiving;
	struct end *a = &l->ends[0], *b = &l->ends[1];

	s.double_sided = r.double_sided = l->respond;
	s.turnaround_window = l->window;
	a->message = new_message(class, GET_TABLE, 77, n, &a->len);
	b->message = new_message(class, GET_TABLE | RESPONSE, 77, m, &b->len);
	b->wanted = a->message;
	b->wanted_len = a->len;
	a->wanted = b->message;
	a->wanted_len = b->len;
	if (madkit_rmpp_receiver_new(&l->heap, &r, &a->receiver) ||
	    madkit_rmpp_receiver_new(&l->heap, &r, &b->receiver))
		rmpp_link_wrong(l, "new", 0, 0);
	rmpp_link_start(l, a, &s);
}

/* Invariants of a sender after each event. */
static void check_sender(struct link *l, struct end *e)
{
	const struct madkit_rmpp_sender *s = &e->sender;

	if (!e->sending)
		return;
	if (s->window_first > s->next || s->next > s->window_last + 1)
		rmpp_link_wrong(l, "WF <= NS <= WL + 1", s->window_first, s->next);
	if (s->window_first < e->acked + 1)
		rmpp_link_wrong(l, "the last ACK has fallen", s->window_first, e->acked);
	e->acked = s->window_first - 1;
	if (s->window_last > e->granted)
		rmpp_link_wrong(l, "WL was never granted", s->window_last, e->granted);
}

static void rmpp_link_pull(struct link *l, int i)
{
	struct end *e = &l->ends[i];
	struct madkit_addr to;
	uint8_t mad[2048];
	/* now and then the device takes only so many */
	unsigned int most = chance(l, l->weather.slow) ? link_random(l) % 4 : ~0u;
	size_t len;

	l->stalled |= most < 4;
	while (e->sending && most-- && madkit_rmpp_sender_packet(&e->sender, mad, l->now)) {
		uint32_t k = get32(mad + 28);

		if (mad[25] == DATA && (k > e->granted || k > e->sender.segments.count))
			rmpp_link_wrong(l, "sent beyond NewWindowLast", k, e->granted);
		check_sender(l, e);
		rmpp_link_send_packet(l, i, mad);
	}
	while (madkit_rmpp_receiver_packet(e->receiver, mad, &len, &to)) {
		if (to.lid != l->ends[!i].addr.lid || len != 256)
			rmpp_link_wrong(l, "a packet for nobody", to.lid, len);
		if (mad[25] == ACK && !l->damaged) {
			if (get32(mad + 28) < e->acks_sent || get32(mad + 32) < get32(mad + 28))
				rmpp_link_wrong(l, "an ACK falls", get32(mad + 28), e->acks_sent);
			e->acks_sent = get32(mad + 28);
		}
		rmpp_link_send_packet(l, i, mad);
	}
}

static void rmpp_link_deliver(struct link *l)
{
	struct flight f = land(l);
	struct end *e = &l->ends[f.to & 1], *other = &l->ends[!(f.to & 1)];
	struct madkit_rmpp_arrival a = {
		.from = &other->addr,
		.mad = f.mad,
		.len = sizeof(f.mad),
		.now = l->now,
	};

	l->damaged |= f.to >> 1;
	/* by hand: what this ACK, even a bad one, may have granted */
	if (e->sending && f.mad[25] == ACK && get32(f.mad + 32) > e->granted)
		e->granted = get32(f.mad + 32);
	if (!e->sending || madkit_rmpp_sender_take(&e->sender, &other->addr, f.mad, sizeof(f.mad), l->now))
		madkit_rmpp_receiver_take(e->receiver, &a);
	check_sender(l, e);
}

/* Nothing is lost, damaged or late. */
static bool is_fine(const struct weather *w)
{
	return !(w->loss[0] | w->loss[1] | w->damage | w->late | w->drop[0] | w->drop[1]);
}

/* Messages that have ended, and the response that begins. */
static void rmpp_link_finish(struct link *l, struct end *e)
{
	struct madkit_rmpp_message m;

	while (madkit_rmpp_receiver_message(e->receiver, &m)) {
		bool whole = m.outcome.state == MADKIT_RMPP_STATE_COMPLETE;

		if (whole)
			e->whole++;
		else
			e->broken++;
		if (m.ended_ns - m.started_ns > e->longest)
			e->longest = m.ended_ns - m.started_ns;
		if (whole && !l->damaged &&
		    (m.len != e->wanted_len || memcmp(m.bytes, e->wanted, 24) ||
		     memcmp(m.bytes + 36, e->wanted + 36, m.len - 36)))
			rmpp_link_wrong(l, "other bytes than were sent", m.len, e->wanted_len);
		if (!whole && !m.outcome.status)
			rmpp_link_wrong(l, "an end without a status", m.outcome.state, 0);
		madkit_rmpp_message_free(&l->heap, &m);
	}
	if (l->respond && e == &l->ends[1] && e->whole && !e->sending) {
		struct madkit_rmpp_sender_options o = l->ends[0].sender.options;

		o.window_last = madkit_rmpp_receiver_turnaround(e->receiver, &l->ends[0].addr, e->wanted);
		o.double_sided = false;
		if (o.window_last)
			rmpp_link_start(l, e, &o);
		if (!l->damaged && o.window_last && o.window_last != l->window &&
		    (o.window_last > 1 || is_fine(&l->weather)))
			rmpp_link_wrong(l, "another window than the turnaround's", o.window_last, l->window);
	}
}

static uint64_t next_event(const struct link *l)
{
	uint64_t next = l->nflights ? l->flights[0].time : MADKIT_RMPP_NEVER, t;

	for (int i = 0; i < 2; i++) {
		const struct end *e = &l->ends[i];

		t = e->sending ? madkit_rmpp_sender_deadline(&e->sender) : MADKIT_RMPP_NEVER;
		next = t < next ? t : next;
		t = madkit_rmpp_receiver_deadline(e->receiver);
		next = t < next ? t : next;
	}
	return next;
}

bool link_run(struct link *l)
{
	uint64_t next, pause;

	while (!l->why[0]) {
		l->stalled = false;
		for (int i = 0; i < 2; i++)
			rmpp_link_pull(l, i);
		next = next_event(l);
		pause = l->stalled ? 1000 + link_random(l) % 50000 : MADKIT_RMPP_NEVER;
		if (l->stalled && next > l->now + pause)
			next = l->now + pause;
		if (next == MADKIT_RMPP_NEVER)
			break;
		if (++l->events > 1000000)
			rmpp_link_wrong(l, "it never ends", l->now, next);
		l->now = next > l->now ? next : l->now;
		if (l->nflights && l->flights[0].time <= l->now) {
			rmpp_link_deliver(l);
		} else {
			for (int i = 0; i < 2; i++) {
				if (l->ends[i].sending)
					madkit_rmpp_sender_expire(&l->ends[i].sender, l->now);
				madkit_rmpp_receiver_expire(l->ends[i].receiver, l->now);
			}
		}
		for (int i = 0; i < 2; i++)
			rmpp_link_finish(l, &l->ends[i]);
	}
	/* exactly one status at each end; complete if that was reported */
	for (int i = 0; i < 2; i++) {
		const struct end *e = &l->ends[i], *other = &l->ends[!i];
		struct madkit_rmpp_outcome o = madkit_rmpp_sender_outcome(&e->sender);

		if (e->sending && o.state == MADKIT_RMPP_STATE_ACTIVE)
			rmpp_link_wrong(l, "a sender never ends", i, 0);
		if (e->sending && !l->damaged && o.state == MADKIT_RMPP_STATE_COMPLETE && other->whole != 1)
			rmpp_link_wrong(l, "complete, but not received", i, other->whole);
		if (!l->damaged && e->whole + e->broken > 1)
			rmpp_link_wrong(l, "more than one end", e->whole, e->broken);
	}
	return !l->why[0];
}

bool link_end(struct link *l)
{
	for (int i = 0; i < 2; i++) {
		madkit_rmpp_receiver_free(l->ends[i].receiver);
		free(l->ends[i].message);
	}
	l->nflights = 0;
	if (l->memory.now)
		rmpp_link_wrong(l, "memory is left", l->memory.now, 0);
	return !l->why[0];
}
