/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>
#include "sim/transport/spec.h"
#include "sim/transport/unix.h"
#include "sim/transport/wire.h"
#include "transport/limit.h"

bool sim_unix_is(const char *device)
{
	return !strncmp(device, SIM_UNIX_PREFIX, strlen(SIM_UNIX_PREFIX));
}

/* ---- a call --------------------------------------------------------------------------- */

/* What failed a blocking call of a socket that blocks for LIMIT_SLICE_MS. 0: try again. */
static int call_again(struct sim_unix_connection *connection, int err, uint64_t end)
{
	if (err != EINTR && err != EAGAIN)
		return -err;
	connection->broken = limit_check(&connection->limit, end);
	return connection->broken;
}

static int call_send(struct sim_unix_connection *connection, struct sim_unix_call *c, uint64_t end)
{
	struct iovec parts[3] = {
		{ &c->call, sizeof(c->call) },
		{ (void *)c->rest[0], c->rest_len[0] },
		{ (void *)c->rest[1], c->rest_len[1] },
	};
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 3 };
	union sim_wire_control control;
	int ret = 0;

	if (c->want_pass)
		sim_wire_pass(&message, &control, c->pass);
	while (sendmsg(connection->fd, &message, MSG_NOSIGNAL) < 0) {
		ret = call_again(connection, errno, end);
		if (ret)
			break;
	}
	return !ret || connection->broken || ret == -EMSGSIZE || ret == -ENOBUFS || ret == -ENOMEM ? ret :
												     -ENODEV;
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
	if (in_file && (c->fd < 0 || (c->len && pread(c->fd, c->text, c->len, 0) != (ssize_t)c->len)))
		return -EPROTO;
	if (!reply->error && c->want_fd && c->fd < 0)
		return -EPROTO;
	return 0;
}

/* packet has room for size bytes. */
static int sim_unix_call_in(struct sim_unix_connection *connection, struct sim_unix_call *c,
			    struct proto_reply *reply, uint8_t *packet, size_t size)
{
	uint64_t end = limit_end(&connection->limit);
	struct iovec part = { packet, size };
	union sim_wire_control control;
	struct msghdr message = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	const uint8_t *rest;
	size_t rest_len;
	ssize_t n;
	int ret;

	ret = connection->broken ? connection->broken : call_send(connection, c, end);
	if (ret)
		return ret;
	while ((n = recvmsg(connection->fd, &message, MSG_CMSG_CLOEXEC)) < 0) {
		ret = call_again(connection, errno, end);
		if (ret)
			break;
	}
	if (n <= 0)
		return connection->broken ? connection->broken : -ENODEV;
	c->fd = sim_wire_passed(&message);
	/* the kernel drops a descriptor for which this process has no room */
	if (c->fd < 0 && message.msg_flags & MSG_CTRUNC)
		return -EMFILE;
	ret = message.msg_flags & MSG_TRUNC ||
			      proto_read_reply(packet, (size_t)n, c->call.op, reply, &rest, &rest_len) ?
		      -EPROTO :
		      reply_take(c, rest, rest_len, reply);
	/* what comes after it cannot be relied on either */
	if (ret == -EPROTO)
		connection->broken = ret;
	if (c->fd >= 0 && (ret || reply->error || !c->want_fd)) {
		close(c->fd);
		c->fd = -1;
	}
	return ret;
}

int sim_unix_call(struct sim_unix_connection *connection, struct sim_unix_call *c, struct proto_reply *reply)
{
	uint8_t small[sizeof(struct proto_reply) + PROTO_WORDS_MAX], *packet;
	int ret;

	c->fd = -1;
	if (c->size <= PROTO_WORDS_MAX)
		return sim_unix_call_in(connection, c, reply, small, sizeof(small));
	packet = malloc(PROTO_PACKET_MAX);
	if (!packet)
		return -ENOMEM;
	ret = sim_unix_call_in(connection, c, reply, packet, PROTO_PACKET_MAX);
	free(packet);
	return ret;
}

/* ---- connecting ------------------------------------------------------------------------ */

static int sim_unix_connect_failed(const char *path, int err, struct madkit_error *error)
{
	if (err == EACCES || err == EPERM)
		return madkit_error_set(error, -EACCES, -1, "no permission to connect to %s", path);
	if (err == ENOENT || err == ECONNREFUSED || err == ENOTDIR)
		return madkit_error_set(error, -ENODEV, -1, "no madsim serves %s%s", path,
					err == ECONNREFUSED ? " any more" : "");
	return madkit_error_set(error, -EIO, -1, "cannot connect to %s: %s", path, strerror(err));
}

/* Blocking calls return after LIMIT_SLICE_MS, to check the limit. */
static int set_slice(int fd)
{
	const struct timeval slice = { .tv_usec = LIMIT_SLICE_MS * 1000 };

	return setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &slice, sizeof(slice)) ||
			       setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &slice, sizeof(slice)) ?
		       -errno :
		       0;
}

static int sim_unix_hello_failed(int ret, const char *path, struct madkit_error *error)
{
	return madkit_error_set(error, ret, -1,
				ret == -ETIMEDOUT ? "the madsim at %s does not answer" :
				ret == -EPROTO    ? "%s is not served by madsim" :
						    "interrupted while waiting for the madsim at %s",
				path);
}

static int sim_unix_hello(struct sim_unix_connection *connection, const char *path, const char *words,
			  struct proto_node *node, struct madkit_error *error)
{
	uint8_t rest[sizeof(*node)];
	struct sim_unix_call c = {
		.call = { .op = PROTO_HELLO, .arg = PROTO_VERSION },
		.rest = { words },
		.rest_len = { strlen(words) },
		.text = rest,
		.size = sizeof(rest),
	};
	struct proto_reply reply;
	int ret = sim_unix_call(connection, &c, &reply);

	if (connection->broken)
		return sim_unix_hello_failed(ret, path, error);
	if (ret == -ENODEV)
		return madkit_error_set(error, ret, -1, "the madsim at %s is gone", path);
	if (ret)
		return madkit_error_set(error, ret, -1, "cannot call the madsim at %s: %s", path,
					strerror(-ret));
	switch (reply.error) {
	case 0:
		proto_read_node(rest, node);
		return 0;
	case ENOENT:
		return madkit_error_set(error, -ENODEV, -1, "the fabric at %s has no node '%.64s'", path,
					words);
	case EEXIST:
		return madkit_error_set(error, -EINVAL, -1,
					"the fabric at %s has several nodes '%.64s': name or GUID", path,
					words);
	case EPROTONOSUPPORT:
		return madkit_error_set(error, -EPROTO, -1,
					"the madsim at %s speaks version %u of the protocol, this program %u",
					path, (unsigned int)reply.value, (unsigned int)PROTO_VERSION);
	}
	return madkit_error_set(error, -EIO, -1, "%s: %s", path, strerror((int)reply.error));
}

void sim_unix_disconnect(struct sim_unix_connection *connection)
{
	if (connection->fd >= 0)
		close(connection->fd);
	connection->fd = -1;
}

int sim_unix_connect_to(const char *path, const char *words, const struct madkit_limit *limit,
			struct sim_unix_connection *connection, struct proto_node *node,
			struct madkit_error *error)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	uint64_t end = limit_end(limit);
	int ret = 0;

	*connection = (struct sim_unix_connection){ .fd = -1, .limit.deadline_ns = UINT64_MAX };
	if (limit)
		connection->limit = *limit;
	if (strlen(path) >= sizeof(name.sun_path))
		return madkit_error_set(error, -EINVAL, -1,
					"%.40s...: the path of a socket has 107 bytes at most", path);
	strcpy(name.sun_path, path);
	connection->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (connection->fd < 0 || set_slice(connection->fd)) {
		ret = madkit_error_set(error, -errno, -1, "cannot make a socket: %s", strerror(errno));
		sim_unix_disconnect(connection);
		return ret;
	}
	/* EAGAIN: the server's queue of connections is full */
	while (!ret && connect(connection->fd, (struct sockaddr *)&name, sizeof(name)))
		ret = call_again(connection, errno, end);
	if (connection->broken)
		ret = sim_unix_hello_failed(ret, path, error);
	else if (ret)
		ret = sim_unix_connect_failed(path, -ret, error);
	else
		ret = sim_unix_hello(connection, path, words, node, error);
	if (ret)
		sim_unix_disconnect(connection);
	return ret;
}

int sim_unix_connect(const char *spec, const struct madkit_limit *limit,
		     struct sim_unix_connection *connection, struct proto_node *node,
		     struct madkit_error *error)
{
	const char *text = spec + strlen(SIM_UNIX_PREFIX);
	char path[sizeof(((struct sockaddr_un *)NULL)->sun_path)];
	size_t len;
	int ret;

	if (!sim_unix_is(spec))
		return madkit_error_set(error, -EINVAL, 0, "device '%.80s' is not sim:unix:SOCKET@NODE",
					spec);
	ret = sim_spec_split(text, S_IFSOCK, &len, error);
	if (ret)
		return ret;
	if (!len || len >= sizeof(path) || strlen(text + len) > PROTO_WORDS_MAX)
		return madkit_error_set(error, -EINVAL, (int)strlen(SIM_UNIX_PREFIX), "device '%.80s': %s",
					spec,
					!len ? "the socket is missing" :
					       "the path of a socket has 107 bytes at most");
	memcpy(path, text, len);
	path[len] = '\0';
	return sim_unix_connect_to(path, text[len] ? text + len + 1 : "", limit, connection, node, error);
}

int sim_unix_sysfs(const char *device, const struct madkit_limit *limit, const char *path, char *text,
		   size_t size)
{
	struct sim_unix_connection connection;
	struct sim_unix_call c = {
		.call = { .op = PROTO_SYSFS },
		.rest = { path },
		.rest_len = { strlen(path) },
		.text = text,
		.size = size - 1,
	};
	struct proto_reply reply;
	struct proto_node node;
	int ret = sim_unix_connect(device, limit, &connection, &node, NULL);

	text[0] = '\0';
	if (ret)
		return ret;
	ret = sim_unix_call(&connection, &c, &reply);
	sim_unix_disconnect(&connection);
	if (!ret)
		ret = -(int)reply.error;
	text[ret ? 0 : c.len] = '\0';
	return ret;
}
