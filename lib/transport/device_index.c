/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>
#include "transport/device_index.h"

struct question {
	struct nlmsghdr header;
	struct nlattr attr;
	uint32_t index;
};

/* Copies the text of an attribute of a message. The kernel terminates it with NUL. Returns 0 or -ENODEV. */
static int find_text(const struct nlmsghdr *header, uint16_t type, char *text, size_t size)
{
	const char *p = (const char *)header + NLMSG_HDRLEN;
	const char *end = (const char *)header + header->nlmsg_len;
	struct nlattr attr;

	while (end - p >= (ptrdiff_t)sizeof(attr)) {
		size_t len;

		memcpy(&attr, p, sizeof(attr));
		if (attr.nla_len < sizeof(attr) || attr.nla_len > end - p)
			break;
		len = attr.nla_len - sizeof(attr);
		if ((attr.nla_type & NLA_TYPE_MASK) == type && len && len <= size) {
			memcpy(text, p + sizeof(attr), len);
			text[len - 1] = 0;
			return 0;
		}
		if (NLA_ALIGN(attr.nla_len) > end - p)
			break;
		p += NLA_ALIGN(attr.nla_len);
	}
	return -ENODEV;
}

static int device_index_query(int fd, uint32_t index, char *name, size_t size)
{
	struct question question = {
		.header = {
			.nlmsg_len = sizeof(question),
			.nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET),
			.nlmsg_flags = NLM_F_REQUEST,
		},
		.attr = {
			.nla_len = sizeof(question.attr) + sizeof(question.index),
			.nla_type = RDMA_NLDEV_ATTR_DEV_INDEX,
		},
		.index = index,
	};
	_Alignas(NLMSG_ALIGNTO) char answer[8192];
	struct nlmsghdr header;
	ssize_t n;

	if (send(fd, &question, sizeof(question), 0) < 0)
		return -errno;
	n = recv(fd, answer, sizeof(answer), 0);
	if (n < 0)
		return -errno;
	if ((size_t)n < sizeof(header))
		return -EPROTO;
	memcpy(&header, answer, sizeof(header));
	if (header.nlmsg_type != question.header.nlmsg_type || header.nlmsg_len > (size_t)n)
		return -ENODEV;
	return find_text((const struct nlmsghdr *)(const void *)answer, RDMA_NLDEV_ATTR_DEV_NAME, name, size);
}

int device_index_name(uint32_t index, char *name, size_t size)
{
	/* the kernel responds within send() */
	const struct timeval soon = { .tv_sec = 1 };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA), ret;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof(soon));
	ret = device_index_query(fd, index, name, size);
	close(fd);
	return ret;
}
