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

static int issm = -1;

int umad_register2(int port_fd, struct umad_reg_attr *attr, uint32_t *agent_id)
{
	int (*next)(int, struct umad_reg_attr *, uint32_t *) =
		(int (*)(int, struct umad_reg_attr *, uint32_t *))
		dlsym(RTLD_NEXT, "umad_register2");
	int ret = next(port_fd, attr, agent_id);
	static const int classes[] = { 0x81, 0x01, 0x04, 0x21, 0x03 };

	if (ret || issm >= 0)
		return ret;
	for (unsigned int i = 0; i < 5; i++)
		if (classes[i] != attr->mgmt_class)
			umad_register(port_fd, classes[i], classes[i] == 3 ? 2 : 1, 0, NULL);
	issm = open("/dev/infiniband/issm0", O_RDWR);
	return ret;
}
