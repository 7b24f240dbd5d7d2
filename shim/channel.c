/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The connection on which a process calls the server. One call at a time; a forked child
 * makes a connection of its own. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>
#include "shim/shim.h"

enum {
	ANSWER_SECONDS	= 60,
	OUT_OF_THE_WAY	= 900,	/* descriptors from here on are not what a program counts on */
	REPLY_MAX	= 16384,
};

static struct {
	pthread_mutex_t lock;
	int fd;			/* -1: none */
	dev_t dev;		/* of fd: programs close what they do not know */
	ino_t ino;
	bool said;
} channel = { .lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1 };

static void before_fork(void)
{
	pthread_mutex_lock(&channel.lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&channel.lock);
}

static bool still_ours(void)
{
	struct stat st;

	return channel.fd >= 0 && !fstat(channel.fd, &st) && st.st_dev == channel.dev &&
	       st.st_ino == channel.ino;
}

static void hang_up(void)
{
	if (still_ours())
		close(channel.fd);
	channel.fd = -1;
}

static void after_fork_in_child(void)
{
	hang_up();
	pthread_mutex_unlock(&channel.lock);
}

__attribute__((constructor)) static void begin(void)
{
	pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

const char *shim_socket(void)
{
	const char *path = secure_getenv("MADSIM_SOCKET");

	return path && *path ? path : NULL;
}

/* One packet there. 0, -errno. */
static int send_call(const struct shim_call *call)
{
	struct proto_call head = { .op = call->op, .arg = call->arg, .file = call->file };
	struct iovec iov[] = {
		{ &head, sizeof(head) },
		{ (void *)call->head, call->head_len },
		{ (void *)call->rest, call->rest_len },
	};
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { .bytes = "" };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 3 };
	ssize_t n;

	if (call->pass >= 0) {
		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control);
		struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(cmsg), &call->pass, sizeof(int));
	}
	do
		n = sendmsg(channel.fd, &msg, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

/* The descriptor in a message, or -1; there is room for no second one. */
static int passed(struct msghdr *msg)
{
	int fd = -1;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
		    c->cmsg_len == CMSG_LEN(sizeof(int)))
			memcpy(&fd, CMSG_DATA(c), sizeof(int));
	return fd;
}

/* One packet back. 0, or -errno: there was none that is a reply. */
static int receive_reply(enum proto_op op, struct proto_reply *reply, struct shim_answer *answer)
{
	uint8_t packet[REPLY_MAX];
	struct iovec iov = { packet, sizeof(packet) };
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
			      .msg_control = &control, .msg_controllen = sizeof(control) };
	const uint8_t *rest;
	size_t len;
	ssize_t n;
	int ret;

	do
		n = recvmsg(channel.fd, &msg, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return n ? (errno == EAGAIN ? -ETIMEDOUT : -errno) : -ECONNRESET;
	answer->fd = passed(&msg);
	ret = msg.msg_flags & MSG_TRUNC ? -EBADMSG :
	      proto_read_reply(packet, (size_t)n, op, reply, &rest, &len);
	if (!ret && len > answer->room)
		ret = -EBADMSG;
	if (ret)
		return ret;
	if (len)
		memcpy(answer->text, rest, len);
	answer->len = len;
	answer->value = reply->value;
	answer->supported = reply->supported;
	return 0;
}

/* The server's answer, or -errno and answer->lost. */
static int converse(const struct shim_call *call, struct shim_answer *answer)
{
	struct proto_reply reply = { 0 };
	int ret = send_call(call);

	/* the program's mistake: nothing was sent */
	if (ret == -EFAULT)
		return ret;
	if (!ret)
		ret = receive_reply(call->op, &reply, answer);
	if (ret) {
		answer->lost = true;
		hang_up();
	} else {
		ret = -(int)reply.error;
	}
	if (ret && answer->fd >= 0) {
		close(answer->fd);
		answer->fd = -1;
	}
	return ret;
}

static int say_hello(void)
{
	const char *words = secure_getenv("MADSIM_NODE");
	uint8_t node[sizeof(struct proto_node)];
	struct shim_answer answer = { .text = node, .room = sizeof(node), .fd = -1 };

	if (!words)
		words = "";
	return converse(&(struct shim_call){ .op = PROTO_HELLO, .arg = PROTO_VERSION, .pass = -1,
					     .rest = words, .rest_len = strlen(words) }, &answer);
}

static int connect_to(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	struct timeval limit = { .tv_sec = ANSWER_SECONDS };
	struct stat st;
	int fd, high;

	if (strlen(path) >= sizeof(addr.sun_path))
		return -ENAMETOOLONG;
	memcpy(addr.sun_path, path, strlen(path) + 1);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	high = fcntl(fd, F_DUPFD_CLOEXEC, OUT_OF_THE_WAY);
	if (high >= 0) {
		close(fd);
		fd = high;
	}
	/* a listener whose queue is full holds connect() up as well */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) ||
	    fstat(fd, &st) || connect(fd, (struct sockaddr *)&addr, sizeof(addr))) {
		int err = errno;

		close(fd);
		return err == EAGAIN ? -ETIMEDOUT : -err;
	}
	channel.fd = fd;
	channel.dev = st.st_dev;
	channel.ino = st.st_ino;
	return 0;
}

static void say(const char *what, const char *path, int ret)
{
	if (!channel.said)
		dprintf(STDERR_FILENO, "libmadsim_umad: %s%s%s%s\n", what, path,
			ret ? ": " : "", ret ? strerror(-ret) : "");
	channel.said = true;
}

static int be_connected(void)
{
	const char *path = shim_socket();
	int ret;

	if (still_ours())
		return 0;
	channel.fd = -1;
	if (!path) {
		say("MADSIM_SOCKET is not set: there is no umad device", "", 0);
		return -ENODEV;
	}
	ret = connect_to(path);
	if (ret) {
		say("no madsim at ", path, ret);
		return ret;
	}
	ret = say_hello();
	if (ret) {
		const char *words = secure_getenv("MADSIM_NODE");

		if (ret == -ENOENT)
			say("MADSIM_NODE: the fabric has no ", words ? words : "CA", 0);
		else
			say("madsim does not answer at ", path, ret);
		hang_up();
	}
	return ret;
}

int shim_call(const struct shim_call *call, struct shim_answer *answer)
{
	int ret;

	answer->len = 0;
	answer->fd = -1;
	answer->lost = false;
	pthread_mutex_lock(&channel.lock);
	ret = be_connected();
	if (ret)
		answer->lost = true;
	else
		ret = converse(call, answer);
	pthread_mutex_unlock(&channel.lock);
	return ret;
}
