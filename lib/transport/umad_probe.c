/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Registers by ioctl, to find out why the kernel refused a registration. libibumad's umad_register2() hides
 * the reason: it retries with the older ioctl, does not return the supported flags, and doubles the lines in
 * the kernel's log. This is a separate file because the headers of the kernel and of libibumad define the
 * same names.
 */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <rdma/ib_user_mad.h>
#include <rdma/rdma_user_ioctl.h>
#include <madkit/agent.h>
#include <madkit/mad.h>
#include "transport/umad_probe.h"

/* Returns 0 with *req as the kernel left it, or a positive errno. */
static int umad_probe_register(int fd, const struct madkit_agent_attr *attr, struct ib_user_mad_reg_req2 *req)
{
	uint8_t class = attr->mgmt_class;

	memset(req, 0, sizeof(*req));
	req->qpn = class != MADKIT_CLASS_SUBN && class != MADKIT_CLASS_SUBN_DR;
	req->mgmt_class = class;
	req->mgmt_class_version = attr->class_version;
	req->flags = attr->flags;
	req->method_mask[0] = attr->method_mask[0];
	req->method_mask[1] = attr->method_mask[1];
	req->oui = attr->oui;
	req->rmpp_version = attr->rmpp_version;
	return ioctl(fd, IB_USER_MAD_REGISTER_AGENT2, req) ? errno : 0;
}

int umad_probe(int fd, const struct madkit_agent_attr *attr, uint32_t *id)
{
	struct ib_user_mad_reg_req2 req;
	int err = umad_probe_register(fd, attr, &req);

	if (!err)
		*id = req.id;
	return err;
}

bool umad_can_probe(int fd)
{
	static const struct madkit_agent_attr client = { .mgmt_class = 0x09, .class_version = 1 };
	uint32_t id;

	if (umad_probe(fd, &client, &id))
		return false;
	ioctl(fd, IB_USER_MAD_UNREGISTER_AGENT, &id);
	return true;
}

int umad_supported_flags(int fd, uint32_t *flags)
{
	/* no kernel supports this flag: nothing is registered, and the kernel writes other flags than those
	 * of the request */
	const uint32_t never = UINT32_C(1) << 31;
	const struct madkit_agent_attr attr = { .mgmt_class = 0x09, .class_version = 1, .flags = never };
	struct ib_user_mad_reg_req2 req;
	int err = umad_probe_register(fd, &attr, &req);

	if (!err)
		ioctl(fd, IB_USER_MAD_UNREGISTER_AGENT, &req.id);
	if (err == ENOTTY)
		return -ENOTTY;
	if (err != EINVAL || req.flags & never)
		return -ENOENT;
	*flags = req.flags;
	return 0;
}
