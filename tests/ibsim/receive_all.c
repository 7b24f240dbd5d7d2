/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Preloaded into a program on the simulated fabric, so that requests reach it:
 * ibsim hands unsolicited MADs only to a client that has registered these
 * classes besides its own and has opened the issm device afterwards.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <infiniband/umad.h>
#include <unistd.h>

static int issm = -1;

static void receive_every_mad(int port_fd, int mgmt_class)
{
	static const int classes[] = { 0x81, 0x01, 0x04, 0x21, 0x03 };

	if (issm >= 0)
		return;
	for (unsigned int i = 0; i < 5; i++)
		if (classes[i] != mgmt_class)
			umad_register(port_fd, classes[i], classes[i] == 3 ? 2 : 1, 0, NULL);
	issm = open("/dev/infiniband/issm0", O_RDWR);
}

int umad_register2(int port_fd, struct umad_reg_attr *attr, uint32_t *agent_id)
{
	int (*next)(int, struct umad_reg_attr *, uint32_t *) =
		(int (*)(int, struct umad_reg_attr *, uint32_t *))dlsym(RTLD_NEXT, "umad_register2");
	int ret = next(port_fd, attr, agent_id);

	if (!ret && (attr->method_mask[0] || attr->method_mask[1]))
		receive_every_mad(port_fd, attr->mgmt_class);
	return ret;
}

/* A port that is opened again begins anew. */
int umad_close_port(int port_fd)
{
	int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "umad_close_port");

	if (issm >= 0)
		close(issm);
	issm = -1;
	return next(port_fd);
}

/* The registrations of infiniband-diags' servers. */
int umad_register_oui(int port_fd, int mgmt_class, uint8_t rmpp_version, uint8_t oui[3],
		      long method_mask[16 / sizeof(long)])
{
	int (*next)(int, int, uint8_t, uint8_t *, long *) =
		(int (*)(int, int, uint8_t, uint8_t *, long *))dlsym(RTLD_NEXT, "umad_register_oui");
	int ret = next(port_fd, mgmt_class, rmpp_version, oui, method_mask);

	if (ret >= 0)
		receive_every_mad(port_fd, mgmt_class);
	return ret;
}
