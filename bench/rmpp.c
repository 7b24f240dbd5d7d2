/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rmpp [SEGMENTS [RUNS]]: how fast messages are cut into segments and put together again,
 * in messages of 100 segments and one of SEGMENTS (100,000), beside memcpy() of the same
 * payload, and how much memory that takes at most. The median of RUNS (9), each of
 * SEGMENTS, in seconds of the processor; no I/O: packets go from hand to hand.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <madkit/mad.h>
#include <madkit/rmpp_transfer.h>

enum { ROOM = 200, HEADERS = 56, MAD = 256, WINDOW = 64, SHORT = 100, PEERS = 64, AIM = 10000000 };

static const struct madkit_addr near = { .lid = 1, .qp = 1 }, far = { .lid = 2, .qp = 1 };

/* A message, its packets, and where a copy of it goes. */
static struct {
	uint32_t segments;
	size_t len;
	uint8_t *bytes, *packets, *copy;
} message;

static struct {
	size_t now, peak;
} memory;

static void *bench_rmpp_resize(void *context, void *old, size_t old_size, size_t size)
{
	void *p = NULL;

	(void)context;
	if (size)
		p = realloc(old, size);
	else
		free(old);
	if (size && !p)
		return NULL;
	memory.now += size - old_size;
	if (memory.now > memory.peak)
		memory.peak = memory.now;
	return p;
}

static const struct madkit_rmpp_heap heap = { .resize = bench_rmpp_resize };

static void bench_rmpp_die(const char *why)
{
	fprintf(stderr, "rmpp: %s\n", why);
	exit(1);
}

/* ---- the measured transfers: one message each ------------------------------------------ */

static void bench_rmpp_copy(void)
{
	memcpy(message.copy, message.bytes, message.len);
}

/* The kernel makes its pages each time. */
static void copy_new(void)
{
	uint8_t *to = malloc(message.len);

	if (!to)
		bench_rmpp_die("no memory");
	memcpy(to, message.bytes, message.len);
	message.copy[0] = to[message.len - 1];
	free(to);
	malloc_trim(0);
}

static void cut(void)
{
	struct madkit_rmpp_segments s;

	if (madkit_rmpp_segments_init(&s, message.bytes, message.len))
		bench_rmpp_die("no segments");
	for (uint32_t k = 1; k <= s.count; k++)
		madkit_rmpp_segments_make(&s, k, message.packets + (size_t)(k - 1) * MAD);
}

static void bench_rmpp_start(struct madkit_rmpp_sender *s)
{
	if (madkit_rmpp_sender_start(s, message.bytes, message.len, &far, NULL, 1))
		bench_rmpp_die("the sender does not start");
}

/* The sender alone: every half a window it has an ACK. */
static void bench_rmpp_send_all(void)
{
	struct madkit_rmpp_sender s;
	uint8_t mad[MAD], ack[MAD];
	uint32_t k = 0;

	bench_rmpp_start(&s);
	memcpy(ack, message.bytes, HEADERS);
	memset(ack + HEADERS, 0, sizeof(ack) - HEADERS);
	ack[MADKIT_MAD_METHOD] ^= MADKIT_METHOD_RESPONSE;
	madkit_rmpp_set_version(ack, MADKIT_RMPP_VERSION);
	madkit_rmpp_set_type(ack, MADKIT_RMPP_ACK);
	madkit_rmpp_set_flags(ack, MADKIT_RMPP_ACTIVE);
	while (madkit_rmpp_sender_packet(&s, mad, 1)) {
		if (k++ && k % (WINDOW / 2) && k < message.segments)
			continue;
		madkit_rmpp_set_segment(ack, k);
		madkit_rmpp_set_length(ack, k + WINDOW);
		madkit_rmpp_sender_take(&s, &far, ack, sizeof(ack), 1);
	}
	if (s.outcome.state != MADKIT_RMPP_STATE_COMPLETE)
		bench_rmpp_die("a message that was not sent");
}

static struct madkit_rmpp_receiver *new_receiver(void)
{
	struct madkit_rmpp_receiver *r;

	if (madkit_rmpp_receiver_new(&heap, NULL, &r))
		bench_rmpp_die("no receiver");
	return r;
}

static void bench_rmpp_pull(struct madkit_rmpp_receiver *r)
{
	struct madkit_rmpp_message m;

	if (!madkit_rmpp_receiver_message(r, &m) || m.len != message.len ||
	    m.outcome.state != MADKIT_RMPP_STATE_COMPLETE ||
	    m.bytes[m.len - 1] != message.bytes[message.len - 1])
		bench_rmpp_die("a message that did not arrive");
	madkit_rmpp_message_free(&heap, &m);
}

/* One packet; the ACK that there may be is pulled. */
static void bench_rmpp_take(struct madkit_rmpp_receiver *r, const struct madkit_addr *from, uint32_t k)
{
	struct madkit_rmpp_arrival a = {
		.from = from,
		.mad = message.packets + (size_t)(k - 1) * MAD,
		.len = MAD,
		.now = 1,
	};
	struct madkit_addr to;
	uint8_t mad[2048];
	size_t len;

	madkit_rmpp_receiver_take(r, &a);
	madkit_rmpp_receiver_packet(r, mad, &len, &to);
}

/* The receiver alone. */
static void bench_rmpp_receive_all(void)
{
	struct madkit_rmpp_receiver *r = new_receiver();

	for (uint32_t k = 1; k <= message.segments; k++)
		bench_rmpp_take(r, &near, k);
	bench_rmpp_pull(r);
	madkit_rmpp_receiver_free(r);
}

static void receive_new(void)
{
	bench_rmpp_receive_all();
	malloc_trim(0);
}

/* The first segment says nothing of the length. */
static void receive_unknown(void)
{
	uint32_t declared = madkit_rmpp_get_length(message.packets);

	madkit_rmpp_set_length(message.packets, message.segments > 1 ? 0 : declared);
	bench_rmpp_receive_all();
	madkit_rmpp_set_length(message.packets, declared);
}

/* After the first, eight at a time come backwards. */
static void receive_backwards(void)
{
	struct madkit_rmpp_receiver *r = new_receiver();

	bench_rmpp_take(r, &near, 1);
	for (uint32_t k = 2; k <= message.segments; k += 8) {
		uint32_t end = k + 8 <= message.segments ? k + 8 : message.segments + 1;

		while (end > k)
			bench_rmpp_take(r, &near, --end);
	}
	bench_rmpp_pull(r);
	madkit_rmpp_receiver_free(r);
}

/* From PEERS at once. */
static void receive_many(void)
{
	struct madkit_rmpp_receiver *r = new_receiver();
	struct madkit_addr from = near;

	for (uint32_t k = 1; k <= message.segments; k++)
		for (from.lid = 1; from.lid <= PEERS; from.lid++)
			bench_rmpp_take(r, &from, k);
	for (uint32_t i = 0; i < PEERS; i++)
		bench_rmpp_pull(r);
	madkit_rmpp_receiver_free(r);
}

/* From one to the other. */
static void bench_rmpp_transfer(void)
{
	struct madkit_rmpp_receiver *r = new_receiver();
	uint8_t mad[MAD], ack[2048];
	struct madkit_rmpp_arrival a = { .from = &near, .mad = mad, .len = MAD, .now = 1 };
	struct madkit_rmpp_sender s;
	struct madkit_addr to;
	size_t len;

	bench_rmpp_start(&s);
	while (madkit_rmpp_sender_packet(&s, mad, 1)) {
		madkit_rmpp_receiver_take(r, &a);
		if (madkit_rmpp_receiver_packet(r, ack, &len, &to))
			madkit_rmpp_sender_take(&s, &far, ack, len, 1);
	}
	if (s.outcome.state != MADKIT_RMPP_STATE_COMPLETE)
		bench_rmpp_die("a message that was not sent");
	bench_rmpp_pull(r);
	madkit_rmpp_receiver_free(r);
}

/* ---- figures ----------------------------------------------------------------------- */

static double bench_rmpp_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int bench_rmpp_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Segments a second; the first run is not counted. */
static double bench_rmpp_rate(void (*once)(void), uint32_t times, uint32_t runs)
{
	double *took = calloc(runs, sizeof(*took)), begin, median;

	if (!took)
		bench_rmpp_die("no memory");
	once();
	for (uint32_t i = 0; i < runs; i++) {
		begin = bench_rmpp_seconds();
		for (uint32_t n = 0; n < times; n++)
			once();
		took[i] = bench_rmpp_seconds() - begin;
	}
	qsort(took, runs, sizeof(*took), bench_rmpp_compare);
	median = took[runs / 2];
	free(took);
	return (double)times * message.segments / (median > 0 ? median : 1e-9);
}

static void bench_rmpp_new_message(uint32_t segments)
{
	message.segments = segments;
	message.len = HEADERS + (size_t)segments * ROOM;
	message.bytes = malloc(message.len);
	message.copy = malloc(message.len);
	message.packets = malloc((size_t)segments * MAD);
	if (!message.bytes || !message.copy || !message.packets)
		bench_rmpp_die("no memory");
	for (size_t i = 0; i < message.len; i++)
		message.bytes[i] = (uint8_t)(i * 37 >> 3);
	memset(message.bytes, 0, HEADERS);
	message.bytes[MADKIT_MAD_BASE_VERSION] = 1;
	message.bytes[MADKIT_MAD_CLASS] = 3;
	message.bytes[MADKIT_MAD_METHOD] = 0x92;
}

/* The aims: 10 M segments a second; memory of a quarter more than the payload, and a MiB. */
static void row(const char *what, void (*once)(void), uint32_t times, uint32_t runs, double plain,
		uint32_t messages)
{
	double payload = (double)message.len * messages, r;

	memory.peak = 0;
	r = bench_rmpp_rate(once, times, runs) * messages;
	printf("  %-29s %10.0f segments/s %6.3f of memcpy", what, r, r / plain);
	if (once != bench_rmpp_copy && once != copy_new)
		printf(" %6.2f x (aim 1)", r / AIM);
	if (memory.peak)
		printf(", memory %.3f x (aim %.3f)", (double)memory.peak / payload,
		       1.25 + (1 << 20) / payload);
	printf("\n");
	if (memory.now)
		bench_rmpp_die("memory is left");
}

static void bench_rmpp_measure(uint32_t segments, uint32_t all, uint32_t runs)
{
	uint32_t times = all / segments;
	double plain;

	bench_rmpp_new_message(segments);
	printf("messages of %u segments\n", segments);
	plain = bench_rmpp_rate(bench_rmpp_copy, times, runs);
	row("memcpy of the payload", bench_rmpp_copy, times, runs, plain, 1);
	row("segments cut", cut, times, runs, plain, 1);
	row("sender", bench_rmpp_send_all, times, runs, plain, 1);
	row("receiver", bench_rmpp_receive_all, times, runs, plain, 1);
	row("receiver, length not declared", receive_unknown, times, runs, plain, 1);
	row("receiver, out of order", receive_backwards, times, runs, plain, 1);
	if (segments <= SHORT)
		row("receiver, 64 at a time", receive_many, times / PEERS + 1, runs, plain, PEERS);
	row("sender to receiver", bench_rmpp_transfer, times, runs, plain, 1);
	if (segments > SHORT) {
		row("memcpy into new memory", copy_new, times, runs, plain, 1);
		row("receiver into new memory", receive_new, times, runs, plain, 1);
	}
	free(message.bytes);
	free(message.copy);
	free(message.packets);
}

int main(int argc, char **argv)
{
	unsigned long all = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000;
	unsigned long runs = argc > 2 ? strtoul(argv[2], NULL, 10) : 9;

	if (argc > 3 || all < SHORT || all > 10000000 || !runs || runs > 1000) {
		fprintf(stderr, "usage: rmpp [SEGMENTS [RUNS]]\n");
		return 2;
	}
	/* reuse freed memory, as in a long-running process */
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	bench_rmpp_measure(SHORT, (uint32_t)all, (uint32_t)runs);
	bench_rmpp_measure((uint32_t)all, (uint32_t)all, (uint32_t)runs);
	return fflush(stdout) ? 1 : 0;
}
