// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <infiniband/umad.h>

#include "bench/bare.h"
#include "tests/kernel/basics.h"

enum { MAD_SIZE = 256, TIMEOUT_MS = 10000 };

static int bench_bare_open_agent(const char *ca, uint8_t method, uint32_t *agent)
{
	struct umad_reg_attr attr = { .mgmt_class = BARE_CLASS, .mgmt_class_version = 1, .oui = BARE_OUI };
	int fd;

	need(umad_init() == 0, "umad_init");
	fd = umad_open_port(ca, 1);
	if (method)
		attr.method_mask[0] = UINT64_C(1) << method;
	need(fd >= 0 && umad_register2(fd, &attr, agent) == 0, "umad_register2");
	return fd;
}

void bare_serve(const char *ca)
{
	uint32_t agent;
	int fd = bench_bare_open_agent(ca, BARE_METHOD, &agent);
	void *umad = umad_alloc(1, umad_size() + MAD_SIZE);
	uint8_t *mad = umad_get_mad(umad);

	child_ready();
	for (;;) {
		int length = MAD_SIZE;

		if (umad_recv(fd, umad, &length, -1) < 0)
			_exit(1);
		mad[3] |= 0x80;
		umad_get_mad_addr(umad)->gid_index = 0;
		umad_send(fd, (int)agent, umad, MAD_SIZE, 0, 0);
	}
}

static double ms_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* A request to the port ca. */
static void *bench_bare_request(const char *ca)
{
	void *out = umad_alloc(1, umad_size() + MAD_SIZE);
	uint8_t *mad = umad_get_mad(out);
	umad_port_t port;
	ib_mad_addr_t *addr = umad_get_mad_addr(out);

	need(umad_get_port(ca, 1, &port) == 0, "umad_get_port");
	umad_set_addr(out, 0, 1, 0, (int)0x80010000);
	addr->grh_present = 1;
	addr->hop_limit = 64;
	memcpy(addr->gid, &port.gid_prefix, 8);
	memcpy(addr->gid + 8, &port.port_guid, 8);
	umad_release_port(&port);
	mad[0] = 1;
	mad[1] = BARE_CLASS;
	mad[2] = 1;
	mad[3] = BARE_METHOD;
	put_be(mad + 37, 3, BARE_OUI);
	return out;
}

double bare_round_trips(const char *ca, unsigned int count, unsigned int width)
{
	uint32_t agent;
	int fd = bench_bare_open_agent("rxe0", 0, &agent);
	void *out = bench_bare_request(ca), *in = umad_alloc(1, umad_size() + MAD_SIZE);
	uint8_t *mad = umad_get_mad(out);
	unsigned int sent = 0;
	double begin;

	begin = ms_now();
	for (unsigned int came = 0; came < count; came++) {
		int length = MAD_SIZE;

		while (sent < count && sent < came + width) {
			put_be(mad + 8, 8, ++sent);
			need(umad_send(fd, (int)agent, out, MAD_SIZE, TIMEOUT_MS, 0) == 0, "umad_send");
		}
		need(umad_recv(fd, in, &length, TIMEOUT_MS) == (int)agent && !umad_status(in), "an answer");
	}
	begin = ms_now() - begin;
	umad_free(in);
	umad_free(out);
	umad_close_port(fd);
	return begin;
}

void bare_sink(const char *ca)
{
	uint32_t agent;
	int fd = bench_bare_open_agent(ca, BARE_METHOD, &agent);
	void *umad = umad_alloc(1, umad_size() + MAD_SIZE);

	child_ready();
	for (;;) {
		int length = MAD_SIZE;

		if (umad_recv(fd, umad, &length, -1) < 0)
			_exit(1);
	}
}

double bare_one_way(const char *ca, unsigned int count)
{
	uint32_t agent;
	int fd = bench_bare_open_agent("rxe0", 0, &agent);
	void *out = bench_bare_request(ca);
	double begin = ms_now();

	for (unsigned int i = 1; i <= count; i++) {
		put_be((uint8_t *)umad_get_mad(out) + 8, 8, i);
		need(umad_send(fd, (int)agent, out, MAD_SIZE, 0, 0) == 0, "umad_send");
	}
	begin = ms_now() - begin;
	umad_free(out);
	umad_close_port(fd);
	return begin;
}
