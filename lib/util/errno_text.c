/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stddef.h>
#include "util/array_size.h"
#include "util/errno_text.h"

const char *errno_text(int number)
{
	static const struct {
		int number;
		const char *text;
	} texts[] = {
		{ ETIMEDOUT, "timeout" },
		{ ECANCELED, "canceled" },
		{ EAGAIN, "device not ready" },
		{ EINTR, "interrupted" },
		{ EIO, "input/output error" },
		{ ENODEV, "no such device" },
		{ EINVAL, "invalid argument" },
		{ EACCES, "permission denied" },
		{ EPERM, "not permitted" },
		{ EPIPE, "device is gone" },
		{ ENOMEM, "out of memory" },
		{ EMSGSIZE, "message too long" },
		{ ENOSPC, "buffer too small" },
		{ ENETUNREACH, "destination unreachable" },
		{ EHOSTUNREACH, "destination unreachable" },
		{ EBUSY, "busy" },
		{ EPROTO, "protocol error" },
		{ EBADMSG, "malformed message" },
		{ EOPNOTSUPP, "not supported" },
		{ ECONNABORTED, "ended by the peer" },
		{ ENOBUFS, "no room for it" },
		{ ECONNREFUSED, "connection refused" },
		{ ELOOP, "too many redirects" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (texts[i].number == number)
			return texts[i].text;
	return "local failure";
}
