// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * In the guest of the kernel lane: round trips of the library beside bare ones of libibumad with the same server,
 * and messages of 1 MB by the library's RMPP beside the kernel's. Each is measured in turn with the other, and the
 * median counts. No assertion is about how fast anything is.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench/bare.h"
#include "tests/kernel/agent_end.h"
#include "tests/tap.h"

enum { ROUNDS = 7, TRIPS = 2000, MANY = 32, TIMEOUT_MS = 10000 };

static double now(const struct madkit_port *port)
{
	return (double)madkit_port_now(port) / 1e6;
}

/* ---- one at a time ---- */

static double bench_roundtrip_requests(unsigned int count)
{
	struct end *end = end_open("umad:rxe0", BARE_OUI, 0, 0);
	struct madkit_send *send = agent_end_request("rxe1", BARE_OUI, BARE_METHOD, 0, 256, TIMEOUT_MS, 0);
	double begin = now(end->port), time;

	for (unsigned int i = 0; i < count; i++) {
		struct madkit_reply reply;

		need(madkit_request(end->agent, send, UINT64_MAX, &reply) == 0 && reply.recv, "an answer");
		madkit_recv_free(reply.recv);
	}
	time = now(end->port) - begin;
	madkit_send_free(send);
	end_close(end);
	return time;
}

/* ---- several at a time ---- */

struct loop {
	unsigned int to_send, to_come;
};

static void bench_roundtrip_again(struct madkit_agent *agent, struct madkit_send *send, int status)
{
	struct loop *loop = madkit_agent_context(agent);

	need(status == 0, "an answer");
	loop->to_come--;
	if (loop->to_send) {
		loop->to_send--;
		need(madkit_agent_post(agent, send) == 0, "madkit_agent_post");
	}
}

static double posted(unsigned int count, unsigned int width)
{
	struct madkit_agent_attr attr = agent_end_attr(BARE_OUI, 0, 0);
	struct loop loop = { .to_send = count - width, .to_come = count };
	struct madkit_port *port = agent_end_open_port("umad:rxe0");
	struct madkit_send *sends[MANY];
	struct madkit_agent *agent;
	double begin, time;

	attr.send_handler = bench_roundtrip_again;
	attr.context = &loop;
	need(madkit_agent_register(port, &attr, &agent, NULL) == 0, "madkit_agent_register");
	for (unsigned int i = 0; i < width; i++)
		sends[i] = agent_end_request("rxe1", BARE_OUI, BARE_METHOD, 0, 256, TIMEOUT_MS, 0);
	begin = now(port);
	for (unsigned int i = 0; i < width; i++)
		need(madkit_agent_post(agent, sends[i]) == 0, "madkit_agent_post");
	while (loop.to_come)
		need(madkit_port_wait(port, TIMEOUT_MS) > 0 && madkit_port_process(port) >= 0, "an answer");
	time = now(port) - begin;
	for (unsigned int i = 0; i < width; i++)
		madkit_send_free(sends[i]);
	madkit_port_close(port);
	return time;
}

/* ---- 1 MB there and back ---- */

/* The library writes each segment once, and reads each once; the kernel writes a message once. What the writes cost is
 * the address handle that ib_umad_write() makes for each (rdma_create_user_ah() takes 85 % of the call), for which RoCE
 * resolves the GID: the caller waits for a worker of the kernel. A trace of sched_switch shows nine context switches for
 * each segment, and no wait in the library. The kernel's own RMPP makes one address handle for a message. */

static double bench_roundtrip_megabyte(int rmpp)
{
	struct end *end = end_open("umad:rxe0", SERVER_OUI, 0, rmpp);
	struct madkit_send *send =
		agent_end_request("rxe1", SERVER_OUI, METHOD_ASK, ATTR_ECHO, HEADER + MEGABYTE, PATIENCE, 3);
	double begin = now(end->port), time;

	agent_end_post(end, send);
	need(agent_end_drive(end, &end->ended, 1) && end->status == 0 && end->came == 1, "an answer");
	time = now(end->port) - begin;
	need(end->recv->len == HEADER + MEGABYTE, "a whole answer");
	madkit_send_free(send);
	end_close(end);
	return time;
}

/* ---- */

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double times[ROUNDS])
{
	qsort(times, ROUNDS, sizeof(times[0]), by_size);
	return times[ROUNDS / 2];
}

static void trips_one(double *bare, double *ours)
{
	*bare = bare_round_trips("rxe1", TRIPS, 1);
	*ours = bench_roundtrip_requests(TRIPS);
}

static void trips_one_posted(double *bare, double *ours)
{
	*bare = bare_round_trips("rxe1", TRIPS, 1);
	*ours = posted(TRIPS, 1);
}

static void trips_many(double *bare, double *ours)
{
	*bare = bare_round_trips("rxe1", TRIPS, MANY);
	*ours = posted(TRIPS, MANY);
}

static void bench_roundtrip_rmpp(double *kernel, double *library)
{
	pid_t server = server_start("rxe1");

	*kernel = bench_roundtrip_megabyte(RMPP_KERNEL);
	child_stop(server);
	server = library_server_start("rxe1");
	*library = bench_roundtrip_megabyte(RMPP_LIBRARY);
	child_stop(server);
}

/* The floor: as many MADs as the message has segments, there and back, by libibumad alone and without RMPP. */
static void bench_roundtrip_segments(double *bare, double *library)
{
	pid_t server = child_start(bare_sink, "rxe1");

	*bare = bare_one_way("rxe1", 2 * ((MEGABYTE + SEGMENT - 1) / SEGMENT));
	child_stop(server);
	server = library_server_start("rxe1");
	*library = bench_roundtrip_megabyte(RMPP_LIBRARY);
	child_stop(server);
}

static void bench_roundtrip_compare(const char *what, const char *unit, double amount,
				    void (*measure)(double *theirs, double *ours), const char *aim)
{
	double theirs[ROUNDS], ours[ROUNDS], a, b;

	for (int i = 0; i < ROUNDS; i++)
		measure(&theirs[i], &ours[i]);
	a = median(theirs);
	b = median(ours);
	printf("# %-40s %9.1f %s/s against %9.1f: %5.2f x the time%s\n", what, amount * 1000 / b, unit,
	       amount * 1000 / a, b / a, aim);
	ok(true, "%s: measured", what);
}

int main(void)
{
	pid_t server = child_start(bare_serve, "rxe1");

	bench_roundtrip_compare("requests, one at a time", "trips", TRIPS, trips_one, " (aim 1.10)");
	bench_roundtrip_compare("posted, one at a time", "trips", TRIPS, trips_one_posted, " (aim 1.10)");
	bench_roundtrip_compare("posted, 32 at a time", "trips", TRIPS, trips_many, " (aim 1.10)");
	child_stop(server);
	bench_roundtrip_compare("RMPP, 1 MB there and back", "MB", 2, bench_roundtrip_rmpp,
				" of the kernel's");
	bench_roundtrip_compare("RMPP, beside its segments as bare MADs", "MB", 2, bench_roundtrip_segments,
				" (aim 1.20)");
	return tap_done();
}
