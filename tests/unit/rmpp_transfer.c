/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Our sender against our receiver over a bad link, in virtual time: random weather,
 * each single and each pair of packets lost, all sizes, huge ones without their memory, half-open
 * transfers by the thousand.
 * RMPP_TRANSFERS: how many random ones; RMPP_SEED: this one alone.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tests/random_share.h"
#include "tests/tap.h"
#include "tests/unit/rmpp_link.h"
#include "util/array_size.h"

#if defined(__SANITIZE_ADDRESS__)
#define SLOW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SLOW 1
#endif
#endif
#ifndef SLOW
#define SLOW 0
#endif

/* A sanitizer, or an emulated processor. */
static bool is_slow(void)
{
	return SLOW || random_share() > 1;
}

static struct link l;
static const uint8_t rmpp_classes[] = { SA, VENDOR, DEVMGT };

static struct tally {
	uint64_t all, complete, damaged;
} kinds[6];
static const char *const kind_names[] = {
	"0 % loss",   "to 10 % loss", "30 to 50 % loss", "100 % loss, or one way", "late beyond the timeout",
	"bit errors",
};

/* The conditions of a seed; the number of segments, and the windows. */
static unsigned int any_weather(struct weather *w)
{
	unsigned int kind = link_random(&l) % 6;

	w->delay = 1000 + link_random(&l) % 100000;
	w->jitter = chance(&l, 500) ? 0 : w->delay * (1 + link_random(&l) % 8);
	w->repeat = chance(&l, 500) ? 0 : link_random(&l) % 300;
	w->slow = chance(&l, 500) ? 0 : link_random(&l) % 900;
	switch (kind) {
	case 1:
		w->loss[0] = w->loss[1] = 10 + link_random(&l) % 91;
		break;
	case 2:
		w->loss[0] = 300 + link_random(&l) % 201;
		w->loss[1] = 300 + link_random(&l) % 201;
		break;
	case 3:
		w->loss[link_random(&l) % 2] = 1000;
		if (chance(&l, 300))
			w->loss[0] = w->loss[1] = 1000;
		break;
	case 4:
		w->late = 20 + link_random(&l) % 300;
		w->late_ns = SECOND + link_random(&l) % (3 * SECOND);
		w->loss[0] = link_random(&l) % 100;
		break;
	case 5:
		w->damage = 10 + link_random(&l) % 200;
		w->loss[1] = link_random(&l) % 100;
		break;
	}
	return kind;
}

static size_t any_size(uint8_t class)
{
	size_t room = 256 - data_offset(class);
	size_t segments = link_random(&l) % 100 < 97 ? 1 + link_random(&l) % 8 : 1 + link_random(&l) % 300;

	switch (link_random(&l) % 4) {
	case 0:
		return segments * room;
	case 1:
		return segments * room - 1;
	case 2:
		return (segments - 1) * room + (segments > 1);
	default:
		return segments * room - link_random(&l) % room;
	}
}

static bool any_transfer(uint64_t seed)
{
	struct madkit_rmpp_sender_options s;
	struct madkit_rmpp_receiver_options r;
	unsigned int kind;
	uint8_t class;
	size_t n, m;
	bool good;

	link_init(&l, seed);
	madkit_rmpp_sender_options_init(&s);
	madkit_rmpp_receiver_options_init(&r);
	kind = any_weather(&l.weather);
	class = rmpp_classes[link_random(&l) % 3];
	r.window = chance(&l, 500) ? 64 : 1 + link_random(&l) % 70;
	r.ack_every = 1 + link_random(&l) % r.window;
	l.respond = chance(&l, 200);
	l.window = 1 + link_random(&l) % 20;
	n = any_size(class);
	m = l.respond ? any_size(class) : 0;
	/* a long transfer with losses, in windows of one segment, takes more than 40 s */
	if (n > 8 * 256 || m > 8 * 256)
		s.total_ns = r.total_ns = 1000 * SECOND;
	link_begin(&l, class, n, m, &s, &r);
	good = link_run(&l);
	for (int i = 0; good && i < 2; i++)
		if (l.ends[i].longest > r.total_ns) {
			strcpy(l.why, "longer than the total time");
			good = false;
		}
	/* two transfers in a row, each sent and received, and the memory in use */
	if (good && l.now > 4 * r.total_ns + 60 * SECOND) {
		strcpy(l.why, "not within its bound");
		good = false;
	}
	/* memory follows what arrives: a quarter more, a window and the ends themselves */
	if (good && l.memory.peak > (l.ends[0].len + l.ends[1].len) * 5 / 4 + 32768) {
		snprintf(l.why, sizeof(l.why), "memory: %zu for %zu", l.memory.peak,
			 l.ends[0].len + l.ends[1].len);
		good = false;
	}
	kinds[kind].all++;
	kinds[kind].damaged += l.damaged;
	kinds[kind].complete += l.ends[0].sender.outcome.state == MADKIT_RMPP_STATE_COMPLETE &&
				(!l.respond || (l.ends[1].sending && l.ends[1].sender.outcome.state ==
									     MADKIT_RMPP_STATE_COMPLETE));
	return link_end(&l) && good;
}

static void random_transfers(void)
{
	const char *count = getenv("RMPP_TRANSFERS"), *only = getenv("RMPP_SEED");
	uint64_t n = is_slow() ? 20000 / random_share() : 1000000, failed = 0;

	if (count)
		n = strtoull(count, NULL, 0);
	if (only) {
		ok(any_transfer(strtoull(only, NULL, 0)), "seed %s: %s", only, l.why);
		return;
	}
	for (uint64_t seed = 1; seed <= n; seed++)
		if (!any_transfer(seed) && failed++ < 10)
			printf("# RMPP_SEED=%" PRIu64 ": %s\n", seed, l.why);
	ok(!failed, "%" PRIu64 " random transfers", n);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		printf("# %s: %" PRIu64 " of %" PRIu64 " complete\n", kind_names[i], kinds[i].complete,
		       kinds[i].all);
	is_u64(kinds[0].complete, kinds[0].all, "without loss each is complete");
	ok(kinds[1].complete >= kinds[1].all - kinds[1].all / 10000,
	   "to 10 %% loss at most one of 10,000 is not: %" PRIu64, kinds[1].all - kinds[1].complete);
	is_u64(kinds[3].complete, 0, "without a way there or back none is");
	ok(kinds[5].damaged > kinds[5].all / 10, "damaged packets did arrive");
}

/* One transfer without random faults, except that these two packets are lost. */
static bool lose(uint32_t segments, bool respond, uint32_t a, uint32_t b)
{
	struct madkit_rmpp_sender_options s;
	struct madkit_rmpp_receiver_options r;
	bool good;

	link_init(&l, 1);
	madkit_rmpp_sender_options_init(&s);
	madkit_rmpp_receiver_options_init(&r);
	r.window = 6;
	r.ack_every = 3;
	l.weather.drop[0] = a;
	l.weather.drop[1] = b;
	l.respond = respond;
	l.window = 4;
	link_begin(&l, SA, segments * 200 - 7, respond ? segments * 200 - 9 : 0, &s, &r);
	good = link_run(&l) && l.ends[0].sender.outcome.state == MADKIT_RMPP_STATE_COMPLETE &&
	       l.ends[1].whole == 1 &&
	       (!respond ||
		(l.ends[0].whole == 1 && l.ends[1].sender.outcome.state == MADKIT_RMPP_STATE_COMPLETE));
	if (!good && !l.why[0])
		strcpy(l.why, "not complete");
	return link_end(&l) && good;
}

static void test_rmpp_transfer_losses(void)
{
	unsigned int failed = 0, runs = 0;

	for (uint32_t segments = 1; segments <= 20; segments++) {
		for (int respond = 0; respond < 2; respond++) {
			uint32_t packets;

			failed += !lose(segments, respond, 0, 0);
			packets = l.packets;
			/* the second packet may be a resend */
			for (uint32_t a = 1; a <= packets; a++) {
				for (uint32_t b = a; b <= packets + 12; b++, runs++) {
					if (!lose(segments, respond, a, b) && failed++ < 10)
						printf("# %u segments, %s, without %u and %u: %s\n", segments,
						       respond ? "double-sided" : "alone", a, b, l.why);
				}
			}
		}
	}
	is_u64(failed, 0, "1 to 20 segments without each packet and each pair: %u runs", runs);
}

/* Straight from one to the other. Segments that it took; 0: it failed. */
static uint64_t straight(struct madkit_rmpp_sender *s, struct madkit_rmpp_receiver *r)
{
	static const struct madkit_addr a = { .lid = 1, .qp = 1 }, b = { .lid = 2, .qp = 1 };
	struct madkit_rmpp_arrival arrival = { .from = &a, .len = 256, .now = SECOND };
	uint64_t segments = 0;
	struct madkit_addr to;
	uint8_t mad[2048];
	bool moved = true;
	size_t len;

	arrival.mad = mad;
	while (moved) {
		moved = false;
		while (madkit_rmpp_sender_packet(s, mad, SECOND)) {
			madkit_rmpp_receiver_take(r, &arrival);
			segments++;
			moved = true;
		}
		while (madkit_rmpp_receiver_packet(r, mad, &len, &to)) {
			madkit_rmpp_sender_take(s, &b, mad, len, SECOND);
			moved = true;
		}
	}
	return s->outcome.state == MADKIT_RMPP_STATE_COMPLETE ? segments : 0;
}

static bool size(uint8_t class, size_t n)
{
	static const struct madkit_addr to = { .lid = 2, .qp = 1 };
	struct counted memory = { 0, 0, 0 };
	struct madkit_rmpp_heap heap = { counted_resize, &memory };
	struct madkit_rmpp_receiver *r;
	struct madkit_rmpp_message m;
	struct madkit_rmpp_sender s;
	size_t len, room = 256 - data_offset(class);
	uint8_t *message = new_message(class, SET, 9, n, &len);
	bool good;

	madkit_rmpp_receiver_new(&heap, NULL, &r);
	madkit_rmpp_sender_start(&s, message, len, &to, NULL, SECOND);
	good = straight(&s, r) == (n ? (n + room - 1) / room : 1) && madkit_rmpp_receiver_message(r, &m) &&
	       m.len == len && !memcmp(m.bytes + 36, message + 36, len - 36) &&
	       memory.peak <= n + n / 4 + (1 << 20);
	madkit_rmpp_message_free(&heap, &m);
	madkit_rmpp_receiver_free(r);
	free(message);
	return good && !memory.now;
}

static void test_rmpp_transfer_sizes(void)
{
	static const size_t segments[] = { 1, 2, 63, 64, 65, 127, 128, 129, 65535, 65536 };

	for (int c = 0; c < 3; c++) {
		uint8_t class = rmpp_classes[c];
		size_t room = 256 - data_offset(class);
		bool good = true;

		for (size_t n = 0; n < 700; n++)
			good &= size(class, n);
		ok(good, "class 0x%02x: 0 to 699 bytes", class);
		for (size_t i = 0; i < ARRAY_SIZE(segments); i++)
			ok(size(class, segments[i] * room - 1) && size(class, segments[i] * room) &&
				   size(class, segments[i] * room + 1),
			   "class 0x%02x: %zu segments, a byte less, a byte more", class, segments[i]);
	}
}

/* ---- gigabytes that map the same few pages ------------------------------------------- */

enum { PAGES = 2 << 20 };
/* Twice this has to fit into the address space. */
#define ROOM ((size_t)(SIZE_MAX > UINT32_MAX ? UINT64_C(5) << 30 : UINT64_C(1) << 30))

static uint8_t *mirror(int fd)
{
	uint8_t *base = mmap(NULL, ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (base == MAP_FAILED)
		return NULL;
	for (size_t i = 0; i < ROOM; i += PAGES)
		if (mmap(base + i, PAGES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
		    MAP_FAILED)
			return NULL;
	return base;
}

static struct {
	struct counted memory;
	uint8_t *mirror;
	size_t size; /* of it that is in use */
} huge;

/* A block larger than a mirrored page is allocated in the mirror. */
static void *huge_resize(void *context, void *old, size_t old_size, size_t n)
{
	if (old == huge.mirror) {
		huge.size = n;
		return n ? old : NULL;
	}
	if (n < PAGES)
		return counted_resize(context, old, old_size, n);
	memcpy(huge.mirror, old, old_size);
	counted_resize(context, old, old_size, 0);
	huge.size = n;
	return huge.mirror;
}

static void gigabytes(void)
{
	static const uint64_t lengths[] = {
#if SIZE_MAX > UINT32_MAX
		(UINT64_C(1) << 31) - 1,
		(UINT64_C(1) << 31) + 1,
		UINT32_MAX,
#else
		(1u << 29) - 1,
		(1u << 29) + 1,
		3u << 28,
#endif
	};
	static const struct madkit_addr to = { .lid = 2, .qp = 1 };
	struct madkit_rmpp_heap heap = { huge_resize, &huge.memory };
	int from_fd = memfd_create("from", 0), to_fd = memfd_create("to", 0);
	struct madkit_rmpp_receiver_options o;
	struct madkit_rmpp_receiver *r;
	struct madkit_rmpp_message m;
	struct madkit_rmpp_sender s;
	uint8_t *message;

	if (is_slow() || from_fd < 0 || to_fd < 0 || ftruncate(from_fd, PAGES) || ftruncate(to_fd, PAGES) ||
	    !(message = mirror(from_fd)) || !(huge.mirror = mirror(to_fd))) {
		ok(true, "gigabytes # SKIP too slow, or no memory to mirror");
		return;
	}
	for (size_t i = 0; i < PAGES; i++)
		message[i] = byte_at(i);
	put_head(message, SA, GET_TABLE | RESPONSE, 1);
	madkit_rmpp_receiver_options_init(&o);
	o.max_message = o.max_peer = o.max_all = ROOM;
	if (SIZE_MAX == UINT32_MAX)
		is_int(madkit_rmpp_sender_start(&s, message, UINT64_C(1) << 32, &to, NULL, SECOND), -EMSGSIZE,
		       "B17: a message of more bytes than a pointer can address is refused");
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		memset(huge.mirror, 0, PAGES);
		madkit_rmpp_receiver_new(&heap, &o, &r);
		madkit_rmpp_sender_start(&s, message, 56 + lengths[i], &to, NULL, SECOND);
		is_u64(straight(&s, r), (lengths[i] + 199) / 200, "B17: %" PRIu64 " bytes arrive",
		       lengths[i]);
		ok(madkit_rmpp_receiver_message(r, &m), "... as a message");
		is_u64(m.len, 56 + lengths[i], "... of this length");
		ok(m.size <= m.len + m.len / 4, "... and no memory of more than a quarter above");
		is_u64(get32(m.bytes + 32), s.segments.total, "... with the PayloadLength that was sent");
		ok(!memcmp(huge.mirror + 36, message + 36, PAGES - 36), "... and its bytes");
		madkit_rmpp_message_free(&heap, &m);
		madkit_rmpp_receiver_free(r);
	}
	is_u64(huge.memory.now, 0, "all memory is given back");
	ok(huge.memory.peak < 3 * PAGES, "... and was but the mirror's: %zu", huge.memory.peak);
}

/* ---- peers by the thousand -------------------------------------------------------- */

static void test_rmpp_transfer_half_open(void)
{
	enum { PEERS = 10000 };
	struct counted memory = { 0, 0, 0 };
	struct madkit_rmpp_heap heap = { counted_resize, &memory };
	struct madkit_rmpp_receiver *r;
	struct madkit_addr from = { .qp = 1 }, to;
	uint8_t mad[2048] = { 0 };
	struct madkit_rmpp_arrival a = { .from = &from, .mad = mad, .len = 256 };
	struct madkit_rmpp_receiver_counters c;
	struct madkit_rmpp_message m;
	unsigned int acks = 0, aborts = 0, messages = 0, others = 0;
	size_t len;

	madkit_rmpp_receiver_new(&heap, NULL, &r);
	for (uint32_t i = 0; i < PEERS; i++) {
		from.lid = 1 + i % 5000;
		put_head(mad, SA, SET, i / 5000);
		put_rmpp(mad, DATA, ACTIVE | FIRST, 0, 1, 0xffffffff);
		a.now = i;
		madkit_rmpp_receiver_take(r, &a);
		if (madkit_rmpp_receiver_packet(r, mad, &len, &to) && mad[25] == ACK && to.lid == from.lid)
			acks++;
	}
	madkit_rmpp_receiver_get_counters(r, &c);
	is_u64(acks, PEERS, "10,000 half-open transfers are told to go on");
	is_u64(c.active, PEERS, "... and are there");
	ok(memory.now < PEERS * 2048u, "... in %zu bytes", memory.now);
	is_u64(madkit_rmpp_receiver_deadline(r), 40 * SECOND, "the first ends after 40 s");
	madkit_rmpp_receiver_expire(r, 40 * SECOND + PEERS);
	while (madkit_rmpp_receiver_packet(r, mad, &len, &to))
		if (mad[25] == ABORT && mad[27] == 118)
			aborts++;
	while (madkit_rmpp_receiver_message(r, &m)) {
		if (m.outcome.status == 118 && m.len == 256)
			messages++;
		else
			others++;
		madkit_rmpp_message_free(&heap, &m);
	}
	is_u64(aborts, PEERS, "each with ABORT 118");
	is_u64(messages, PEERS, "... and a message of one segment");
	is_u64(others, 0, "... and no other");
	madkit_rmpp_receiver_expire(r, 61 * SECOND);
	madkit_rmpp_receiver_get_counters(r, &c);
	is_u64(c.bytes, 0, "nothing is remembered for ever");
	madkit_rmpp_receiver_free(r);
	is_u64(memory.now, 0, "all memory is given back");
}

/* ... that do not fit: memory stays below its limit, and the rejected peer is notified. */
static void test_rmpp_transfer_crowd(void)
{
	enum { PEERS = 10000, LIMIT = 1 << 20 };
	struct counted memory = { 0, 0, 0 };
	struct madkit_rmpp_heap heap = { counted_resize, &memory };
	struct madkit_rmpp_receiver_options o;
	struct madkit_rmpp_receiver *r;
	struct madkit_addr from = { .qp = 1 }, to;
	uint8_t mad[2048] = { 0 };
	struct madkit_rmpp_arrival a = { .from = &from, .mad = mad, .len = 256 };
	struct madkit_rmpp_receiver_counters c;
	struct madkit_rmpp_message m;
	unsigned int acks = 0, stops = 0, others = 0, began = 0;
	size_t len;

	madkit_rmpp_receiver_options_init(&o);
	o.max_all = LIMIT;
	madkit_rmpp_receiver_new(&heap, &o, &r);
	for (uint32_t i = 0; i < PEERS; i++) {
		from.lid = 1 + i;
		put_head(mad, SA, SET, 1);
		put_rmpp(mad, DATA, ACTIVE | FIRST, 0, 1, 0xffffffff);
		madkit_rmpp_receiver_take(r, &a);
		if (!madkit_rmpp_receiver_packet(r, mad, &len, &to) || to.lid != from.lid)
			others++;
		else if (mad[25] == ACK && !mad[27])
			acks++;
		else if (mad[25] == STOP && mad[27] == 1)
			stops++;
		else
			others++;
	}
	madkit_rmpp_receiver_get_counters(r, &c);
	ok(acks > 500 && acks < PEERS, "of 10,000 half-open transfers %u have room in 1 MiB", acks);
	is_u64(acks + stops, PEERS, "... and the others are told STOP 1");
	is_u64(others, 0, "... nothing else");
	while (madkit_rmpp_receiver_message(r, &m)) {
		began += m.outcome.state == MADKIT_RMPP_STATE_GAVE_UP && m.outcome.status == 1 && !m.len;
		madkit_rmpp_message_free(&heap, &m);
	}
	/* one that was just beginning when its data no longer had room had begun, and may have been forgotten since */
	is_u64(c.refused + began, stops, "... and counted");
	is_u64(c.active, acks, "... those with room are there");
	ok(c.held <= began, "... and none else");
	ok(c.bytes <= LIMIT, "... within the limit: %zu", c.bytes);
	ok(memory.peak <= LIMIT + LIMIT / 16, "... as is all of it: %zu", memory.peak);
	from.lid = 1;
	put_head(mad, SA, SET, 1);
	for (uint32_t k = 2; k < 10000; k++) {
		put_head(mad, SA, SET, 1);
		put_rmpp(mad, DATA, ACTIVE, 0, k, 0);
		madkit_rmpp_receiver_take(r, &a);
		if (madkit_rmpp_receiver_packet(r, mad, &len, &to) && mad[25] != ACK)
			break;
	}
	ok(mad[25] == STOP && mad[27] == 1, "one that needs more than there is is stopped, too");
	ok(madkit_rmpp_receiver_message(r, &m) && m.outcome.state == MADKIT_RMPP_STATE_GAVE_UP &&
		   m.outcome.status == 1 && m.len >= 256,
	   "... and what there is of it handed over, with 1");
	madkit_rmpp_message_free(&heap, &m);
	madkit_rmpp_receiver_expire(r, 40 * SECOND);
	while (madkit_rmpp_receiver_packet(r, mad, &len, &to))
		;
	while (madkit_rmpp_receiver_message(r, &m))
		madkit_rmpp_message_free(&heap, &m);
	from.lid = PEERS;
	put_head(mad, SA, SET, 2);
	put_rmpp(mad, DATA, ACTIVE | FIRST, 0, 1, 0);
	madkit_rmpp_receiver_take(r, &a);
	ok(madkit_rmpp_receiver_packet(r, mad, &len, &to) && mad[25] == ACK,
	   "after 40 s there is room again");
	madkit_rmpp_receiver_expire(r, 81 * SECOND);
	while (madkit_rmpp_receiver_message(r, &m))
		madkit_rmpp_message_free(&heap, &m);
	madkit_rmpp_receiver_expire(r, 102 * SECOND);
	madkit_rmpp_receiver_get_counters(r, &c);
	is_u64(c.bytes, 0, "... and in the end nothing is remembered");
	madkit_rmpp_receiver_free(r);
	is_u64(memory.now, 0, "all memory is given back");
}

/* Every last ACK is lost: the receiver has it all, and the sender does not know. */
static void last_acks(void)
{
	static const struct madkit_addr a = { .lid = 1, .qp = 1 }, b = { .lid = 2, .qp = 1 };
	struct counted memory = { 0, 0, 0 };
	struct madkit_rmpp_heap heap = { counted_resize, &memory };
	uint8_t mad[2048];
	struct madkit_rmpp_arrival arrival = { .from = &a, .mad = mad, .len = 256 };
	struct madkit_rmpp_receiver *r;
	struct madkit_rmpp_message m;
	struct madkit_rmpp_sender s;
	unsigned int messages = 0, aborts = 0;
	struct madkit_addr to;
	uint64_t now = SECOND;
	size_t len;
	uint8_t *message = new_message(SA, SET, 9, 1000, &len);

	madkit_rmpp_receiver_new(&heap, NULL, &r);
	madkit_rmpp_sender_start(&s, message, len, &b, NULL, now);
	while (s.outcome.state == MADKIT_RMPP_STATE_ACTIVE) {
		bool moved = false;

		while (madkit_rmpp_sender_packet(&s, mad, now)) {
			arrival.now = now;
			madkit_rmpp_receiver_take(r, &arrival);
			moved = true;
		}
		while (madkit_rmpp_receiver_packet(r, mad, &len, &to))
			if (get32(mad + 28) < 5)
				madkit_rmpp_sender_take(&s, &b, mad, len, now);
		if (moved)
			continue;
		now = madkit_rmpp_sender_deadline(&s);
		madkit_rmpp_sender_expire(&s, now);
	}
	while (madkit_rmpp_sender_packet(&s, mad, now)) {
		aborts += mad[25] == ABORT && mad[27] == 126;
		is_int(madkit_rmpp_receiver_take(r, &arrival), 0, "the sender's ABORT is the receiver's");
		ok(!madkit_rmpp_receiver_packet(r, mad, &len, &to), "... and not answered");
	}
	is_u64(aborts, 1, "every last ACK lost: ABORT 126");
	is_u64(s.outcome.status, 126, "... is what the sender ends with");
	while (madkit_rmpp_receiver_message(r, &m)) {
		messages += m.outcome.state == MADKIT_RMPP_STATE_COMPLETE && m.len == 1056;
		madkit_rmpp_message_free(&heap, &m);
	}
	is_u64(messages, 1, "... and the receiver has the message");
	madkit_rmpp_receiver_free(r);
	free(message);
}

int main(void)
{
	random_transfers();
	test_rmpp_transfer_losses();
	test_rmpp_transfer_sizes();
	gigabytes();
	test_rmpp_transfer_half_open();
	test_rmpp_transfer_crowd();
	last_acks();
	free(l.flights);
	return tap_done();
}
