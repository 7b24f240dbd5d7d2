/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>
#include "transport/sim_unix.h"
#include "transport/sim_wire.h"

bool sim_unix_is(const char *device)
{
	return !strncmp(device, SIM_UNIX_PREFIX, strlen(SIM_UNIX_PREFIX));
}

/* ---- a call --------------------------------------------------------------------------- */

static int call_send(int fd, struct sim_unix_call *c)
{
	struct iovec parts[3] = {
		{ &c->call, sizeof(c->call) },
		{ (void *)c->rest[0], c->rest_len[0] },
		{ (void *)c->rest[1], c->rest_len[1] },
	};
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 3 };
	union sim_wire_control control;
	ssize_t n;

	if (c->want_pass)
		sim_wire_pass(&message, &control, c->pass);
	do
		n = sendmsg(fd, &message, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n >= 0)
		return 0;
	return errno == EMSGSIZE || errno == ENOBUFS || errno == ENOMEM ? -errno : -ENODEV;
}

static int reply_take(struct sim_unix_call *c, const uint8_t *rest, size_t rest_len,
		      struct proto_reply *reply)
{
	bool in_file = reply->flags & PROTO_PASSED;
	size_t len = in_file ? reply->len : rest_len;

	/* of a longer text the beginning */
	c->len = len < c->size ? len : c->size;
	if (!in_file && c->len)
		memcpy(c->text, rest, c->len);
	if (in_file && (c->fd < 0 || (c->len && pread(c->fd, c->text, c->len, 0) !=
				      (ssize_t)c->len)))
		return -EPROTO;
	if (!reply->error && c->want_fd && c->fd < 0)
		return -EPROTO;
	return 0;
}

int sim_unix_call(int fd, struct sim_unix_call *c, struct proto_reply *reply)
{
	uint8_t packet[sizeof(struct proto_reply) + PROTO_WORDS_MAX];
	struct iovec part = { packet, sizeof(packet) };
	union sim_wire_control control;
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	const uint8_t *rest;
	size_t rest_len;
	ssize_t n;
	int ret;

	c->fd = -1;
	ret = call_send(fd, c);
	if (ret)
		return ret;
	do
		n = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return -ENODEV;
	c->fd = sim_wire_passed(&message);
	ret = message.msg_flags & MSG_TRUNC ||
	      proto_read_reply(packet, (size_t)n, c->call.op, reply, &rest, &rest_len) ?
	      -EPROTO : reply_take(c, rest, rest_len, reply);
	if (c->fd >= 0 && (ret || reply->error || !c->want_fd)) {
		close(c->fd);
		c->fd = -1;
	}
	return ret;
}

/* ---- connecting ------------------------------------------------------------------------ */

static int refused(const char *path, int err, struct madkit_error *error)
{
	if (err == EACCES || err == EPERM)
		return madkit_error_set(error, -EACCES, -1, "no permission to connect to %s", path);
	if (err == ENOENT || err == ECONNREFUSED || err == ENOTDIR)
		return madkit_error_set(error, -ENODEV, -1, "no madsim serves %s%s", path,
					err == ECONNREFUSED ? " any more" : "");
	return madkit_error_set(error, -EIO, -1, "cannot connect to %s: %s", path, strerror(err));
}

static int hello(int fd, const char *path, const char *words, struct proto_node *node,
		 struct madkit_error *error)
{
	uint8_t rest[sizeof(*node)];
	struct sim_unix_call c = {
		.call = { .op = PROTO_HELLO, .arg = PROTO_VERSION },
		.rest = { words }, .rest_len = { strlen(words) },
		.text = rest, .size = sizeof(rest),
	};
	struct proto_reply reply;
	int ret = sim_unix_call(fd, &c, &reply);

	if (ret)
		return madkit_error_set(error, ret == -EPROTO ? -EPROTO : -ENODEV, -1,
					ret == -EPROTO ? "what serves %s is no madsim" :
					"the madsim at %s is gone", path);
	switch (reply.error) {
	case 0:
		proto_read_node(rest, node);
		return 0;
	case ENOENT:
		return madkit_error_set(error, -ENODEV, -1, "the fabric at %s has no node '%.64s'",
					path, words);
	case EEXIST:
		return madkit_error_set(error, -EINVAL, -1,
			"the fabric at %s has several nodes '%.64s': name or GUID", path, words);
	case EPROTONOSUPPORT:
		return madkit_error_set(error, -EPROTO, -1,
			"the madsim at %s speaks version %u of the protocol, this program %u", path,
			(unsigned int)reply.value, (unsigned int)PROTO_VERSION);
	}
	return madkit_error_set(error, -EIO, -1, "%s: %s", path, strerror((int)reply.error));
}

int sim_unix_connect(const char *spec, int *fd, struct proto_node *node,
		     struct madkit_error *error)
{
	const char *path = spec + strlen(SIM_UNIX_PREFIX), *at;
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	size_t len;
	int ret;

	if (!sim_unix_is(spec))
		return madkit_error_set(error, -EINVAL, 0,
					"device '%.80s' is not sim:unix:SOCKET@NODE", spec);
	at = strrchr(path, '@');
	len = at ? (size_t)(at - path) : strlen(path);
	if (!len || len >= sizeof(name.sun_path) || (at && strlen(at) > PROTO_WORDS_MAX))
		return madkit_error_set(error, -EINVAL, (int)strlen(SIM_UNIX_PREFIX),
					"device '%.80s': %s", spec, !len ? "the socket is missing" :
					"the path of a socket has 107 bytes at most");
	memcpy(name.sun_path, path, len);
	*fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (*fd < 0)
		return madkit_error_set(error, -errno, -1, "cannot make a socket: %s",
					strerror(errno));
	do
		ret = connect(*fd, (struct sockaddr *)&name, sizeof(name)) ? errno : 0;
	while (ret == EINTR);
	ret = ret ? refused(name.sun_path, ret, error) :
	      hello(*fd, name.sun_path, at ? at + 1 : "", node, error);
	if (ret)
		close(*fd);
	return ret;
}

int sim_unix_sysfs(const char *device, const char *path, char *text, size_t size)
{
	struct sim_unix_call c = {
		.call = { .op = PROTO_SYSFS }, .rest = { path }, .rest_len = { strlen(path) },
		.text = text, .size = size - 1,
	};
	struct proto_reply reply;
	struct proto_node node;
	int fd, ret = sim_unix_connect(device, &fd, &node, NULL);

	text[0] = '\0';
	if (ret)
		return ret;
	ret = sim_unix_call(fd, &c, &reply);
	close(fd);
	if (!ret)
		ret = -(int)reply.error;
	text[ret ? 0 : c.len] = '\0';
	return ret;
}
