/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#define _GNU_SOURCE /* memfd_create() */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include "sim/serve/wire.h"

int sim_wire_passed(struct msghdr *message)
{
	int fd = -1;

	for (struct cmsghdr *h = CMSG_FIRSTHDR(message); h; h = CMSG_NXTHDR(message, h)) {
		size_t n;

		if (h->cmsg_level != SOL_SOCKET || h->cmsg_type != SCM_RIGHTS)
			continue;
		n = (h->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < n; i++) {
			if (fd >= 0)
				close(fd);
			memcpy(&fd, CMSG_DATA(h) + i * sizeof(int), sizeof(fd));
		}
	}
	return fd;
}

void sim_wire_pass(struct msghdr *message, union sim_wire_control *control, int fd)
{
	memset(control, 0, sizeof(*control));
	control->header.cmsg_len = CMSG_LEN(sizeof(int));
	control->header.cmsg_level = SOL_SOCKET;
	control->header.cmsg_type = SCM_RIGHTS;
	memcpy(CMSG_DATA(&control->header), &fd, sizeof(fd));
	message->msg_control = control;
	message->msg_controllen = sizeof(*control);
}

int sim_wire_read(int fd, uint8_t *data, size_t len)
{
	/* not mapped: the sender could truncate the file in the meantime */
	for (size_t have = 0; have < len;) {
		ssize_t n = pread(fd, data + have, len - have, (off_t)have);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -EIO;
		have += (size_t)n;
	}
	return 0;
}

uint8_t *sim_wire_take(int fd, size_t len)
{
	uint8_t *data;
	struct stat st;

	/* check the size first: do not allocate memory for data that does not exist */
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || (uint64_t)st.st_size < len)
		return NULL;
	data = malloc(len ? len : 1);
	if (data && sim_wire_read(fd, data, len)) {
		free(data);
		data = NULL;
	}
	return data;
}

int sim_wire_file(const void *data, size_t len)
{
	int fd = memfd_create("madsim", MFD_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	/* not write(), which sim/preload/interpose.c replaces */
	for (size_t have = 0; !ret && have < len;) {
		ssize_t n = pwrite(fd, (const char *)data + have, len - have, (off_t)have);

		if (n < 0 && errno != EINTR)
			ret = -errno;
		if (n > 0)
			have += (size_t)n;
	}
	if (ret)
		close(fd);
	return ret ? ret : fd;
}

int sim_wire_long(struct proto_mad *head, const void *message, size_t before, int *fd)
{
	*fd = -1;
	head->flags = 0;
	if (before + sizeof(*head) + head->len <= PROTO_PACKET_MAX)
		return 0;
	head->flags = PROTO_PASSED;
	*fd = sim_wire_file(message, head->len);
	return *fd < 0 ? *fd : 0;
}

int sim_wire_send(int socket, const void *a, size_t a_len, const void *b, size_t b_len, int fd)
{
	struct iovec parts[2] = { { (void *)a, a_len }, { (void *)b, b_len } };
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = b_len ? 2 : 1 };
	union sim_wire_control control;

	if (fd >= 0)
		sim_wire_pass(&message, &control, fd);
	while (sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

int sim_wire_send_mad(int socket, struct proto_mad *head, const void *message)
{
	int fd, ret = sim_wire_long(head, message, 0, &fd);

	if (ret)
		return ret;
	ret = sim_wire_send(socket, head, sizeof(*head), message, fd < 0 ? head->len : 0, fd);
	if (fd >= 0)
		close(fd);
	return ret;
}
