/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A port of a served simulation receives a long message while its process has no free descriptor. */
#include "sim/transport/unix.c"
#include <fcntl.h>
#include <sys/resource.h>
#include "tests/tap.h"

enum { LONG = 100000 };

static struct sim_unix sim = { .base.ops = &transport_sim_unix };
static uint8_t mad[LONG];

static void test_sim_unix_message(int to, size_t len)
{
	struct proto_mad head = { .len = (uint32_t)len };
	int fd = len == LONG ? sim_wire_file(mad, len) : -1;

	head.flags = fd >= 0 ? PROTO_PASSED : 0;
	if (sim_wire_send(to, &head, sizeof(head), mad, fd >= 0 ? 0 : len, fd))
		abort();
	if (fd >= 0)
		close(fd);
}

static int receive(size_t *len)
{
	static uint8_t buffer[TRANSPORT_HEADROOM + LONG];
	struct madkit_addr from;
	uint32_t id;
	int status;

	return sim_unix_transport_receive(&sim.base, &id, &from, buffer + TRANSPORT_HEADROOM, LONG, len,
					  &status);
}

int main(void)
{
	const size_t bytes = (size_t)BATCH * PROTO_PACKET_MAX;
	struct rlimit all, few;
	size_t len = 0;
	int ends[2], next;

	sim.room =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (sim.room == MAP_FAILED || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) ||
	    getrlimit(RLIMIT_NOFILE, &all))
		return 1;
	sim.data = ends[0];
	test_sim_unix_message(ends[1], LONG);
	test_sim_unix_message(ends[1], MADKIT_MAD_BYTES);
	test_sim_unix_message(ends[1], LONG);
	/* the lowest free descriptor is the first that is out of range */
	next = dup(ends[0]);
	close(next);
	few = (struct rlimit){ .rlim_cur = (rlim_t)next, .rlim_max = all.rlim_max };
	setrlimit(RLIMIT_NOFILE, &few);
	is_int(receive(&len), -EMFILE, "a long message without a free descriptor");
	is_int(receive(&len), 0, "... the next one is received");
	is_u64(len, MADKIT_MAD_BYTES, "... which needs no descriptor");
	is_int(receive(&len), -EMFILE, "... another long one is lost as well");
	setrlimit(RLIMIT_NOFILE, &all);
	test_sim_unix_message(ends[1], LONG);
	while (sim.drained)
		receive(&len);
	is_int(receive(&len), 0, "a long message with a free descriptor");
	is_u64(len, LONG, "... is received");
	munmap(sim.room, bytes);
	close(ends[0]);
	close(ends[1]);
	return tap_done();
}
