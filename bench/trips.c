// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trips DEVICE ROUTE WIDTH COUNT: microseconds for each of COUNT Gets of NodeInfo by a directed route, WIDTH of them
 * outstanding, through the library.
 * trips WIDTH COUNT: the floor: as many packets of as many bytes to a process that sends each back over a
 * SEQPACKET socket, by write, poll and read.
 */
#define _GNU_SOURCE /* program_invocation_short_name */
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <madkit/madkit.h>
#include "bench/bench.h"

enum { FLOOR_BYTES = 320, WIDTH_MAX = 512, TIMEOUT_MS = 10000 };

/* ---- the floor ---- */

static void bench_trips_echo(int fd)
{
	uint8_t packet[FLOOR_BYTES];

	while (read(fd, packet, sizeof(packet)) == sizeof(packet))
		if (write(fd, packet, sizeof(packet)) != sizeof(packet))
			break;
	_exit(0);
}

static double floor_us(unsigned int width, unsigned int count)
{
	uint8_t packet[FLOOR_BYTES] = { 0 };
	unsigned int sent = 0;
	double begin;
	int fd[2];

	bench_need(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fd) == 0, "socketpair");
	if (!fork()) {
		close(fd[0]);
		bench_trips_echo(fd[1]);
	}
	close(fd[1]);
	begin = bench_now_us();
	for (; sent < width; sent++)
		bench_need(write(fd[0], packet, sizeof(packet)) == sizeof(packet), "write");
	for (unsigned int came = 0; came < count; came++) {
		struct pollfd p = { .fd = fd[0], .events = POLLIN };

		bench_need(poll(&p, 1, TIMEOUT_MS) == 1 &&
				   read(fd[0], packet, sizeof(packet)) == sizeof(packet),
			   "an echo");
		if (sent < count) {
			bench_need(write(fd[0], packet, sizeof(packet)) == sizeof(packet), "write");
			sent++;
		}
	}
	return (bench_now_us() - begin) / count;
}

/* ---- the library ---- */

struct loop {
	unsigned int to_send, to_come;
};

static void bench_trips_again(struct madkit_agent *agent, struct madkit_send *send, int status)
{
	struct loop *loop = madkit_agent_context(agent);

	bench_need(status == 0, "an answer");
	loop->to_come--;
	if (loop->to_send) {
		loop->to_send--;
		bench_need(madkit_agent_post(agent, send) == 0, "madkit_agent_post");
	}
}

static struct madkit_send *new_get(const char *route)
{
	struct madkit_send *send = madkit_send_new(MADKIT_MAD_BYTES);
	struct madkit_error error;

	bench_need(send != NULL, "madkit_send_new");
	bench_need(madkit_parse_path(route, &send->to, &error) == 0, error.text);
	send->mad[MADKIT_MAD_BASE_VERSION] = MADKIT_BASE_VERSION_IB;
	send->mad[MADKIT_MAD_CLASS] = MADKIT_CLASS_SUBN_DR;
	send->mad[MADKIT_MAD_CLASS_VERSION] = 1;
	send->mad[MADKIT_MAD_METHOD] = MADKIT_METHOD_GET;
	send->mad[MADKIT_MAD_ATTRIBUTE + 1] = 0x11;
	send->timeout_ms = TIMEOUT_MS;
	return send;
}

static double library_us(const char *device, const char *route, unsigned int width, unsigned int count)
{
	struct loop loop = { .to_send = count - width, .to_come = count };
	struct madkit_agent_attr attr = { .mgmt_class = MADKIT_CLASS_SUBN_DR,
					  .class_version = 1,
					  .send_handler = bench_trips_again,
					  .context = &loop };
	struct madkit_send *sends[WIDTH_MAX];
	struct madkit_agent *agent;
	struct madkit_error error;
	struct madkit_port *port;
	double begin, time;

	bench_need(madkit_port_open(device, &port, &error) == 0, error.text);
	bench_need(madkit_agent_register(port, &attr, &agent, NULL) == 0, "madkit_agent_register");
	for (unsigned int i = 0; i < width; i++)
		sends[i] = new_get(route);
	begin = bench_now_us();
	for (unsigned int i = 0; i < width; i++)
		bench_need(madkit_agent_post(agent, sends[i]) == 0, "madkit_agent_post");
	while (loop.to_come)
		bench_need(madkit_port_wait(port, TIMEOUT_MS) > 0 && madkit_port_process(port) >= 0,
			   "an answer");
	time = bench_now_us() - begin;
	for (unsigned int i = 0; i < width; i++)
		madkit_send_free(sends[i]);
	madkit_port_close(port);
	return time / count;
}

int main(int argc, char **argv)
{
	unsigned int width = argc > 2 ? (unsigned int)atoi(argv[argc - 2]) : 0;
	unsigned int count = argc > 2 ? (unsigned int)atoi(argv[argc - 1]) : 0;

	bench_need((argc == 3 || argc == 5) && width && width <= WIDTH_MAX && count >= width,
		   "usage: trips [DEVICE ROUTE] WIDTH COUNT");
	printf("%.3f\n", argc == 3 ? floor_us(width, count) : library_us(argv[1], argv[2], width, count));
	return 0;
}
