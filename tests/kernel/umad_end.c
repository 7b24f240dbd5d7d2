// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/kernel/umad_end.h"

int umad_end_open_port(const char *ca)
{
	int fd = umad_open_port(ca, 1);

	need(fd >= 0, "umad_open_port");
	return fd;
}

struct umad_reg_attr umad_end_attr(uint32_t oui, uint8_t method, uint8_t rmpp_version)
{
	struct umad_reg_attr attr = {
		.mgmt_class = CLASS,
		.mgmt_class_version = 1,
		.oui = oui,
		.rmpp_version = rmpp_version,
	};

	if (method)
		attr.method_mask[method / 64] = UINT64_C(1) << method % 64;
	return attr;
}

struct end open_end(const char *ca, uint32_t oui, uint8_t method, uint8_t rmpp_version)
{
	struct umad_reg_attr attr = umad_end_attr(oui, method, rmpp_version);
	struct end end = { .fd = umad_end_open_port(ca) };

	need(umad_register2(end.fd, &attr, &end.agent) == 0, "umad_register2");
	return end;
}

struct end umad_end_open_by_hand(const char *ca, uint32_t oui)
{
	struct umad_reg_attr attr = umad_end_attr(oui, METHOD_ASK, 1);
	struct end end = { .fd = umad_end_open_port(ca) };

	attr.flags = UMAD_USER_RMPP;
	need(umad_register2(end.fd, &attr, &end.agent) == 0, "umad_register2 with UMAD_USER_RMPP");
	return end;
}

void close_end(struct end end)
{
	umad_close_port(end.fd);
}

void *new_umad(size_t length)
{
	void *umad = umad_alloc(1, umad_size() + length);

	need(umad != NULL, "memory");
	return umad;
}

void address_gid(void *umad, const void *gid)
{
	ib_mad_addr_t *addr = umad_get_mad_addr(umad);

	umad_set_addr(umad, 0, 1, 0, (int)0x80010000);
	addr->grh_present = 1;
	addr->gid_index = 0;
	addr->hop_limit = 64;
	memcpy(addr->gid, gid, sizeof(addr->gid));
}

void address_device(void *umad, const char *ca)
{
	umad_port_t port;
	uint8_t gid[16];

	need(umad_get_port(ca, 1, &port) == 0, "umad_get_port");
	memcpy(gid, &port.gid_prefix, 8);
	memcpy(gid + 8, &port.port_guid, 8);
	umad_release_port(&port);
	address_gid(umad, gid);
}

void fill_mad(void *umad, uint32_t oui, uint8_t method, uint64_t tid)
{
	uint8_t *mad = umad_get_mad(umad);

	mad[0] = 1;
	mad[1] = CLASS;
	mad[2] = 1;
	mad[3] = method;
	put_be(mad + 8, 8, tid);
	put_be(mad + 16, 2, 0x1234);
	put_be(mad + 37, 3, oui);
}

void fill_rmpp(void *umad)
{
	uint8_t *mad = umad_get_mad(umad);

	mad[24] = 1;             /* version */
	mad[25] = 1;             /* DATA */
	mad[26] = 0x1f << 3 | 1; /* no response time, ACTIVE */
	memset(mad + 27, 0, 9);
}

void *umad_end_request(const char *ca, uint32_t oui, uint8_t method, uint64_t tid)
{
	void *umad = new_umad(MAD_SIZE);

	address_device(umad, ca);
	fill_mad(umad, oui, method, tid);
	return umad;
}

int send_errno(struct end end, void *umad, int length, int timeout_ms, int retries)
{
	int rc = umad_send(end.fd, (int)end.agent, umad, length, timeout_ms, retries);

	if (rc == 0)
		return 0;
	need(rc == -EIO, "umad_send returned something else than 0 or -EIO");
	return errno;
}

int register_errno(int fd, struct umad_reg_attr attr)
{
	uint32_t agent;

	return umad_register2(fd, &attr, &agent);
}

static void echo_serve(const char *ca)
{
	struct end end = open_end(ca, SERVER_OUI, METHOD_ASK, 1);
	int capacity = MAD_SIZE;
	void *umad = new_umad((size_t)capacity);

	child_ready();
	for (;;) {
		int length = capacity;
		int rc = umad_recv(end.fd, umad, &length, -1);
		uint8_t *mad = umad_get_mad(umad);

		if (rc == -ENOSPC) {
			capacity = length;
			umad_free(umad);
			umad = new_umad((size_t)capacity);
			continue;
		}
		if (rc < 0)
			_exit(1);
		if (umad_status(umad) || mad[3] & RESPONSE)
			continue;
		mad[3] |= RESPONSE;
		if (mad[26] & 1)
			fill_rmpp(umad);
		umad_send(end.fd, (int)end.agent, umad, length, 0, 3);
	}
}

pid_t echo_start(const char *ca)
{
	return child_start(echo_serve, ca);
}
