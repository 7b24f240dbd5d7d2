/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#define _GNU_SOURCE	/* process_vm_readv() */
#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include "shim/shim.h"

int shim_copy(void *to, const void *from, size_t len)
{
	struct iovec local = { to, len }, remote = { (void *)from, len };
	ssize_t n = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);

	if (n == (ssize_t)len)
		return 0;
	if (n >= 0 || (errno != ENOSYS && errno != EPERM))
		return -EFAULT;
	/* a sandbox that does not have it */
	memcpy(to, from, len);
	return 0;
}
