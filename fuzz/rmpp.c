/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A stream of events for an RMPP sender and a receiver: packets, time, allocation failures, and callers that
 * pull at any time. No access out of bounds; windows keep their order, nothing is sent beyond the granted
 * window, STOP and ABORT are not answered, memory stays within its limit and is all freed, each transfer ends
 * once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/madkit.h>
#include "fuzz/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- memory ------------------------------------------------------------------------ */

struct heap {
	size_t now;
	unsigned int fail; /* the n-th time from here; 0: never */
};

static void *fuzz_rmpp_resize(void *context, void *old, size_t old_size, size_t size)
{
	struct heap *heap = context;
	void *p = NULL;

	if (size > old_size && heap->fail && !--heap->fail)
		return NULL;
	/* always another place: what points to the old one is found */
	if (size) {
		p = malloc(size);
		if (!p)
			abort();
		if (old)
			memcpy(p, old, old_size < size ? old_size : size);
	}
	free(old);
	heap->now += size - old_size;
	return p;
}

/* ---- the world --------------------------------------------------------------------- */

enum { MAX_ALL = 1 << 16, MESSAGE_BYTES = 3000 };

struct world {
	struct heap memory;
	struct madkit_rmpp_heap heap;
	struct madkit_rmpp_receiver *receiver;
	struct madkit_rmpp_sender sender;
	bool ended, leave;
	uint64_t granted, now;
	uint64_t sent;               /* the highest segment that the sender gave */
	uint64_t taken, begun, ends; /* packets, transfers at least, messages */
};

static const uint8_t classes[] = { 0x03, 0x06, 0x10, 0x12, 0x32, 0x4f, 0x04, 0x01 };

/* The data of each segment is its number. */
static void fuzz_rmpp_fill(uint8_t *mad, uint8_t what)
{
	size_t offset = madkit_class_data_offset(mad[1]);

	if (!madkit_class_is_rmpp(mad[1]))
		return;
	memset(mad + MADKIT_RMPP_END, what, offset - MADKIT_RMPP_END);
	memset(mad + offset, (uint8_t)madkit_rmpp_get_segment(mad), madkit_mad_bytes(mad[0]) - offset);
}

static bool is_filled(const struct madkit_rmpp_message *m)
{
	size_t offset, room;

	if (!m->len)
		return true;
	offset = madkit_class_data_offset(m->bytes[1]);
	room = madkit_mad_bytes(m->bytes[0]) - offset;
	for (size_t i = offset; i < m->len; i++)
		if (m->bytes[i] != (uint8_t)((i - offset) / room + 1))
			return false;
	return true;
}

/* A packet of one of a few transfers, or of none at all. */
static size_t fuzz_rmpp_packet(struct input *in, uint8_t *mad, struct madkit_addr *from)
{
	uint8_t what = byte(in), more = byte(in);
	size_t len;

	memset(mad, 0, 2048);
	memset(from, 0, sizeof(*from));
	from->lid = 1 + (what & 3);
	from->qp = 1;
	from->grh = what & 4;
	mad[0] = more & 0x80 ? 0x80 : 1;
	mad[1] = classes[more & 0x40 ? more & 7 : 0];
	mad[3] = (uint8_t)(0x12 | (what & 0x80));
	mad[15] = (what >> 4) & 3;
	mad[24] = what & 8 ? byte(in) : 1;
	mad[25] = more & 0x20 ? byte(in) : (more >> 3 & 3) + 1;
	mad[26] = more & 0x20 ? byte(in) : (uint8_t)((more & 7) << 1 | 1);
	mad[27] = more & 0x20 ? byte(in) : 0;
	for (int i = 28; i < 36; i += 4) {
		uint32_t v = number(in);

		mad[i] = (uint8_t)(v >> 24);
		mad[i + 1] = (uint8_t)(v >> 16);
		mad[i + 2] = (uint8_t)(v >> 8);
		mad[i + 3] = (uint8_t)v;
	}
	fuzz_rmpp_fill(mad, what);
	mad[17] = what & 0x40 ? byte(in) : 0x35;
	len = mad[0] == 1 ? 256 : 2048;
	return byte(in) == 0xff ? byte(in) * 8u % (len + 1) : len;
}

static bool fuzz_rmpp_ends(const uint8_t *mad)
{
	return mad[25] == MADKIT_RMPP_STOP || mad[25] == MADKIT_RMPP_ABORT;
}

static void fuzz_rmpp_check(struct world *w)
{
	const struct madkit_rmpp_sender *s = &w->sender;
	struct madkit_rmpp_receiver_counters c;

	if (s->window_first > s->next || s->next > s->window_last + 1 || s->window_last > w->granted)
		fuzz_fail("WF <= NS <= WL + 1", NULL);
	if (s->window_first > w->sent + 1)
		fuzz_fail("an ACK beyond what was sent", NULL);
	if (w->ended && s->outcome.state == MADKIT_RMPP_STATE_ACTIVE)
		fuzz_fail("a sender lives again", NULL);
	w->ended = s->outcome.state != MADKIT_RMPP_STATE_ACTIVE;
	if (w->ended && (s->outcome.state == MADKIT_RMPP_STATE_COMPLETE) != !s->outcome.status)
		fuzz_fail("an end without a status", NULL);
	madkit_rmpp_receiver_get_counters(w->receiver, &c);
	if (c.bytes > MAX_ALL)
		fuzz_fail("memory beyond its limit", NULL);
}

/* How many packets there were to send. */
static unsigned int fuzz_rmpp_pull(struct world *w)
{
	struct madkit_addr to;
	uint8_t mad[2048];
	unsigned int n = 0;
	size_t len;

	while (madkit_rmpp_sender_packet(&w->sender, mad, w->now)) {
		if (mad[25] == MADKIT_RMPP_DATA && (madkit_rmpp_get_segment(mad) > w->granted ||
						    madkit_rmpp_get_segment(mad) > w->sender.segments.count))
			fuzz_fail("sent beyond NewWindowLast", NULL);
		if (mad[25] == MADKIT_RMPP_DATA && madkit_rmpp_get_segment(mad) > w->sent)
			w->sent = madkit_rmpp_get_segment(mad);
		if (++n > 100000)
			fuzz_fail("a sender without end", NULL);
	}
	while (madkit_rmpp_receiver_packet(w->receiver, mad, &len, &to)) {
		if (len != 256 && len != 2048)
			fuzz_fail("half a packet", NULL);
		if (++n > 200000)
			fuzz_fail("a receiver without end", NULL);
	}
	return n;
}

static void messages(struct world *w)
{
	struct madkit_rmpp_message m;

	while (madkit_rmpp_receiver_message(w->receiver, &m)) {
		w->ends++;
		if (m.len > m.size || (m.len && !m.bytes))
			fuzz_fail("a message that is longer than its memory", NULL);
		if (m.outcome.state == MADKIT_RMPP_STATE_ACTIVE ||
		    (m.outcome.state == MADKIT_RMPP_STATE_COMPLETE) != !m.outcome.status)
			fuzz_fail("an end that is none", NULL);
		if (m.len > 256 && m.len > m.segments * UINT64_C(2048))
			fuzz_fail("more bytes than segments have", NULL);
		if (!is_filled(&m))
			fuzz_fail("other bytes than came", NULL);
		madkit_rmpp_message_free(&w->heap, &m);
	}
	if (w->ends > w->taken)
		fuzz_fail("more ends than beginnings", NULL);
}

/* One packet, in its own length of memory: so that reading on is found. */
static void fuzz_rmpp_deliver(struct world *w, const uint8_t *mad, size_t len, const struct madkit_addr *from)
{
	static const struct madkit_addr to = { .lid = 9, .qp = 1 };
	bool whole = len >= MADKIT_RMPP_END, final = whole && fuzz_rmpp_ends(mad);
	struct madkit_rmpp_arrival a = { .from = from, .to = &to, .len = len, .now = w->now };
	struct madkit_rmpp_receiver_counters before, after;
	uint8_t *exact = malloc(len ? len : 1);

	if (!exact)
		abort();
	memcpy(exact, mad, len);
	a.mad = exact;
	if (final)
		fuzz_rmpp_pull(w);
	if (whole && mad[25] == MADKIT_RMPP_ACK && madkit_rmpp_get_length(mad) > w->granted)
		w->granted = madkit_rmpp_get_length(mad);
	w->taken++;
	madkit_rmpp_receiver_get_counters(w->receiver, &before);
	if (madkit_rmpp_sender_take(&w->sender, from, exact, len, w->now))
		madkit_rmpp_receiver_take(w->receiver, &a);
	madkit_rmpp_receiver_get_counters(w->receiver, &after);
	w->begun += after.active > before.active;
	if (final && fuzz_rmpp_pull(w))
		fuzz_fail("STOP or ABORT was answered", NULL);
	madkit_rmpp_receiver_turnaround(w->receiver, from, mad);
	free(exact);
}

static void fuzz_rmpp_arrive(struct world *w, struct input *in)
{
	struct madkit_addr from;
	uint8_t mad[2048];
	size_t len = fuzz_rmpp_packet(in, mad, &from);

	fuzz_rmpp_deliver(w, mad, len, &from);
}

/* Segments of one transfer, one after the other, or first ones of as many peers. */
static void fuzz_rmpp_burst(struct world *w, struct input *in, bool peers)
{
	uint32_t k = byte(in) + 1u, n = byte(in);
	uint8_t what = byte(in);
	struct madkit_addr from = { .lid = 1u + (what & 3), .qp = 1 };
	uint8_t mad[256] = { 1, 3, 2, 0x12 };

	mad[15] = what >> 4 & 3;
	mad[17] = 0x35;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t segment = peers ? 1 : k + i;
		bool last = what & 0x80 && (peers || i + 1 == n);

		if (peers)
			from.lid = 16 + k + i;
		madkit_rmpp_set_version(mad, 1);
		madkit_rmpp_set_type(mad, MADKIT_RMPP_DATA);
		madkit_rmpp_set_flags(mad,
				      (uint8_t)(MADKIT_RMPP_ACTIVE | (segment == 1 ? MADKIT_RMPP_FIRST : 0) |
						(last ? MADKIT_RMPP_LAST : 0)));
		madkit_rmpp_set_segment(mad, segment);
		madkit_rmpp_set_length(mad, last ? 100 : 0);
		fuzz_rmpp_fill(mad, 0);
		fuzz_rmpp_deliver(w, mad, sizeof(mad), &from);
		if (what & 4)
			fuzz_rmpp_pull(w);
	}
}

static bool fuzz_rmpp_begin(struct world *w, struct input *in, uint8_t *message)
{
	struct madkit_rmpp_receiver_options r;
	struct madkit_rmpp_sender_options s;
	struct madkit_addr to = { .lid = 1, .qp = 1 };
	uint8_t what = byte(in), more = byte(in);

	w->leave = more & 1;
	w->heap.resize = fuzz_rmpp_resize;
	w->heap.context = &w->memory;
	madkit_rmpp_receiver_options_init(&r);
	madkit_rmpp_sender_options_init(&s);
	r.double_sided = s.double_sided = what & 1;
	r.watch = what & 2;
	r.window = byte(in) + 1u;
	r.ack_every = 1 + r.window / (1u + (what >> 2 & 3));
	r.max_all = MAX_ALL;
	r.max_peer = MAX_ALL / 2;
	r.max_message = what & 16 ? 4000 : MAX_ALL;
	s.window_last = 1u + (what >> 5);
	s.packet_life_ns = more & 2 ? 1000 : 0;
	if (r.ack_every > r.window)
		r.ack_every = r.window;
	memset(message, 0, MESSAGE_BYTES);
	message[0] = 1;
	message[1] = 3;
	message[3] = 0x12;
	w->granted = s.window_last;
	return !madkit_rmpp_receiver_new(&w->heap, &r, &w->receiver) &&
	       !madkit_rmpp_sender_start(&w->sender, message, 56 + number(in) * 10 % 2900, &to, &s, w->now);
}

/* The input: how both are set up, then events. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	uint8_t message[MESSAGE_BYTES];
	struct madkit_rmpp_receiver_counters c;
	struct world w;

	memset(&w, 0, sizeof(w));
	if (!fuzz_rmpp_begin(&w, &in, message))
		fuzz_fail("set up", NULL);
	while (in.left) {
		uint8_t op = byte(&in);

		switch (op & 7) {
		case 0:
			w.now += (uint64_t)byte(&in) << 28;
			madkit_rmpp_sender_expire(&w.sender, w.now);
			/* the receiver need not handle a clock that goes backwards */
			madkit_rmpp_receiver_expire(w.receiver, op == 0xf8 ? w.now / 2 : w.now);
			break;
		case 1:
			fuzz_rmpp_pull(&w);
			break;
		case 2:
			messages(&w);
			break;
		case 3:
			w.memory.fail = op >> 3;
			break;
		case 4:
			if (op == 0xfc)
				madkit_rmpp_receiver_stop(w.receiver, byte(&in));
			else if (op == 0xf4)
				madkit_rmpp_sender_stop(&w.sender, byte(&in));
			else
				fuzz_rmpp_burst(&w, &in, op & 8);
			break;
		default:
			fuzz_rmpp_arrive(&w, &in);
		}
		fuzz_rmpp_check(&w);
	}
	/* without anybody's doing all comes to an end */
	for (int i = 0; i < 2000 && !w.leave; i++) {
		uint64_t a = madkit_rmpp_sender_deadline(&w.sender);
		uint64_t b = madkit_rmpp_receiver_deadline(w.receiver);

		if (a == MADKIT_RMPP_NEVER && b == MADKIT_RMPP_NEVER)
			break;
		w.now = a < b ? a : b;
		madkit_rmpp_sender_expire(&w.sender, w.now);
		madkit_rmpp_receiver_expire(w.receiver, w.now);
		fuzz_rmpp_pull(&w);
		fuzz_rmpp_check(&w);
	}
	if (!w.leave) {
		if (w.sender.outcome.state == MADKIT_RMPP_STATE_ACTIVE)
			fuzz_fail("a sender never ends", NULL);
		messages(&w);
		madkit_rmpp_receiver_get_counters(w.receiver, &c);
		if (c.active || c.held || c.bytes)
			fuzz_fail("a transfer that is never forgotten", NULL);
		if (w.ends < w.begun)
			fuzz_fail("a transfer without an end", NULL);
	}
	madkit_rmpp_receiver_free(w.receiver);
	if (w.memory.now)
		fuzz_fail("memory is left", NULL);
	return 0;
}
