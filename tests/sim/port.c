/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Preloaded into madport, on a served fabric: with SYSLOG_FILE, messages for the system log are lines of that file; with
 * IGNORED, a port ignores each Set PortInfo, because the request that leaves is a Get. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <syslog.h>
#include <unistd.h>
#include <madkit/constants.h>
#include <madkit/mad.h>

static void port_log(int priority, const char *format, va_list args)
{
	FILE *file = fopen(getenv("SYSLOG_FILE") ? getenv("SYSLOG_FILE") : "/dev/null", "a");

	if (!file)
		return;
	fprintf(file, "%d ", priority);
	vfprintf(file, format, args);
	fputc('\n', file);
	fclose(file);
}

/* Take the place of the C library's functions. */
void syslog(int priority, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	port_log(priority, format, args);
	va_end(args);
}

void __syslog_chk(int priority, int flag, const char *format, ...);
void __syslog_chk(int priority, int flag, const char *format, ...)
{
	va_list args;

	(void)flag;
	va_start(args, format);
	port_log(priority, format, args);
	va_end(args);
}

static void port_ignore(uint8_t *mad)
{
	struct madkit_header h;

	if (madkit_header_get(mad, MADKIT_MAD_BYTES, &h) || h.mgmt_class != MADKIT_CLASS_SUBN_DR ||
	    h.method != MADKIT_METHOD_SET || h.attribute != MADKIT_ATTR_PORT_INFO)
		return;
	h.method = MADKIT_METHOD_GET;
	madkit_header_put(mad, MADKIT_MAD_BYTES, &h);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	for (size_t i = 0; getenv("IGNORED") && i < message->msg_iovlen; i++)
		if (message->msg_iov[i].iov_len >= MADKIT_MAD_BYTES)
			port_ignore((uint8_t *)message->msg_iov[i].iov_base + message->msg_iov[i].iov_len -
				    MADKIT_MAD_BYTES);
	return syscall(SYS_sendmsg, fd, message, flags);
}
