/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * libibumad's umad_register2() gives back no supported flags where the kernel
 * refused some: it retries with other ioctls and reports the last. So the
 * kernel is asked directly. A file of its own, because the kernel's header and
 * libibumad's define the same names.
 */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <rdma/ib_user_mad.h>
#include <rdma/rdma_user_ioctl.h>
#include "transport/umad_flags.h"

int umad_supported_flags(int fd, uint32_t *flags)
{
	/* a flag that no kernel has, so that nothing can get registered and
	 * the answer, if it comes, cannot be what was asked */
	const uint32_t never = UINT32_C(1) << 31;
	struct ib_user_mad_reg_req2 req;

	memset(&req, 0, sizeof(req));
	req.qpn = 1;
	req.mgmt_class = 0x09;
	req.mgmt_class_version = 1;
	req.flags = never;
	errno = 0;
	if (!ioctl(fd, IB_USER_MAD_REGISTER_AGENT2, &req)) {
		uint32_t id = req.id;

		ioctl(fd, IB_USER_MAD_UNREGISTER_AGENT, &id);
		return -ENOENT;
	}
	if (errno == ENOTTY)
		return -ENOTTY;
	if (errno != EINVAL || req.flags & never)
		return -ENOENT;
	*flags = req.flags;
	return 0;
}
