/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Connections on which a process calls the server. A call takes a connection for itself by an
 * atomic exchange, and makes one for itself alone if all are taken: by other threads, or by the
 * call that a signal handler has interrupted. No call waits for another one. A forked child
 * makes connections of its own.
 */
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
	ANSWER_SECONDS = 60,
	OUT_OF_THE_WAY = 900, /* descriptors from here on are not what a program counts on */
	SLOTS = 4,            /* connections that are kept */
	SMALL_REPLY = 512,    /* bytes that are received on the stack */
};

static struct slot {
	bool taken;
	int fd;    /* -1: none */
	dev_t dev; /* of fd: programs close what they do not know */
	ino_t ino;
} slots[SLOTS];

/* The process that the slots belong to. A child of vfork() shares them with its parent, but not
 * the descriptors; a child of _Fork() has copies of both. Neither uses them. */
static pid_t slots_owner;
static bool channel_said;

static bool slot_is_connected(const struct slot *slot)
{
	struct stat st;

	return slot->fd >= 0 && !fstat(slot->fd, &st) && st.st_dev == slot->dev && st.st_ino == slot->ino;
}

static void slot_hang_up(struct slot *slot)
{
	if (slot_is_connected(slot))
		close(slot->fd);
	slot->fd = -1;
}

static void slots_forget(void)
{
	for (unsigned int i = 0; i < SLOTS; i++) {
		slot_hang_up(&slots[i]);
		__atomic_store_n(&slots[i].taken, false, __ATOMIC_RELEASE);
	}
	slots_owner = getpid();
}

__attribute__((constructor)) static void channel_begin(void)
{
	for (unsigned int i = 0; i < SLOTS; i++)
		slots[i].fd = -1;
	slots_owner = getpid();
	pthread_atfork(NULL, NULL, slots_forget);
}

/* NULL: all are taken. */
static struct slot *slot_take(void)
{
	if (slots_owner != getpid())
		return NULL;
	for (unsigned int i = 0; i < SLOTS; i++)
		if (!__atomic_exchange_n(&slots[i].taken, true, __ATOMIC_ACQUIRE))
			return &slots[i];
	return NULL;
}

static void slot_give_back(struct slot *slot)
{
	__atomic_store_n(&slot->taken, false, __ATOMIC_RELEASE);
}

const char *shim_socket(void)
{
	const char *path = secure_getenv("MADSIM_SOCKET");

	return path && *path ? path : NULL;
}

/* One packet there. 0, -errno. */
static int send_call(int fd, const struct shim_call *call)
{
	struct proto_call head = { .op = call->op, .arg = call->arg, .file = call->file };
	struct iovec iov[] = {
		{ &head, sizeof(head) },
		{ (void *)call->head, call->head_len },
		{ (void *)call->rest, call->rest_len },
	};
	union shim_control control = { .bytes = "" };
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
		n = sendmsg(fd, &msg, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

int shim_passed(struct msghdr *msg)
{
	int fd = -1;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		size_t n;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < n; i++) {
			if (fd >= 0)
				close(fd);
			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
		}
	}
	return fd;
}

/* One packet back, in room for size bytes. 0, or -errno: it is no reply to op. */
static int receive_reply(int fd, enum proto_op op, void *packet, size_t size, struct proto_reply *reply,
			 struct shim_answer *answer)
{
	struct iovec iov = { packet, size };
	union shim_control control;
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)
	};
	const uint8_t *rest;
	size_t len;
	ssize_t n;
	int ret;

	do
		n = recvmsg(fd, &msg, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return n ? (errno == EAGAIN ? -ETIMEDOUT : -errno) : -ECONNRESET;
	answer->fd = shim_passed(&msg);
	ret = msg.msg_flags & MSG_TRUNC ? -EBADMSG :
					  proto_read_reply(packet, (size_t)n, op, reply, &rest, &len);
	/* recvmsg() drops a descriptor for which the process has no room */
	answer->cut = msg.msg_flags & MSG_CTRUNC && answer->fd < 0;
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

static int receive_long(int fd, enum proto_op op, size_t size, struct proto_reply *reply,
			struct shim_answer *answer)
{
	void *packet = shim_map(size);
	int ret = packet ? receive_reply(fd, op, packet, size, reply, answer) : -ENOMEM;

	shim_unmap(packet, size);
	return ret;
}

static int receive_any(int fd, enum proto_op op, struct proto_reply *reply, struct shim_answer *answer)
{
	size_t size = sizeof(*reply) + answer->room;
	char packet[SMALL_REPLY];

	if (size <= sizeof(packet))
		return receive_reply(fd, op, packet, sizeof(packet), reply, answer);
	return receive_long(fd, op, size, reply, answer);
}

/* The server's answer, or -errno and answer->lost. */
static int converse(int fd, const struct shim_call *call, struct shim_answer *answer)
{
	struct proto_reply reply = { 0 };
	int ret = send_call(fd, call);

	/* the program's mistake: nothing was sent */
	if (ret == -EFAULT)
		return ret;
	if (!ret)
		ret = receive_any(fd, call->op, &reply, answer);
	if (ret)
		answer->lost = true;
	else
		ret = -(int)reply.error;
	if (answer->fd >= 0 && (ret || (call->op != PROTO_OPEN && call->op != PROTO_ISSM))) {
		close(answer->fd);
		answer->fd = -1;
	}
	return ret;
}

static int say_hello(int fd)
{
	const char *words = secure_getenv("MADSIM_NODE");
	uint8_t node[sizeof(struct proto_node)];
	struct shim_answer answer = { .text = node, .room = sizeof(node), .fd = -1 };

	if (!words)
		words = "";
	return converse(fd,
			&(struct shim_call){ .op = PROTO_HELLO,
					     .arg = PROTO_VERSION,
					     .pass = -1,
					     .rest = words,
					     .rest_len = strlen(words) },
			&answer);
}

/* A connected descriptor; -errno. */
static int connect_to(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	struct timeval limit = { .tv_sec = ANSWER_SECONDS };
	int fd, high, err;

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
	err = setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) ||
			      setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) ?
		      errno :
		      0;
	while (!err && connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
		if (errno != EINTR)
			err = errno;
	if (!err)
		return fd;
	close(fd);
	return err == EAGAIN ? -ETIMEDOUT : -err;
}

static void channel_report(const char *what, const char *path, int ret)
{
	char shown[128];
	size_t n = 0;

	/* the path is the environment's: a terminal must not obey it */
	for (; path[n] && n + 1 < sizeof(shown); n++)
		shown[n] = path[n] >= 0x20 && path[n] < 0x7f ? path[n] : '?';
	shown[n] = 0;
	if (!__atomic_exchange_n(&channel_said, true, __ATOMIC_RELAXED))
		dprintf(STDERR_FILENO, "libmadsim_umad: %s%s%s%s\n", what, shown, ret ? ": " : "",
			ret ? strerrordesc_np(-ret) : "");
}

/* A connection with which HELLO has been exchanged; -errno. */
static int channel_connect(void)
{
	const char *path = shim_socket();
	int fd, ret;

	if (!path) {
		channel_report("MADSIM_SOCKET is not set: there is no umad device", "", 0);
		return -ENODEV;
	}
	fd = connect_to(path);
	if (fd < 0) {
		channel_report("no madsim at ", path, fd);
		return fd;
	}
	ret = say_hello(fd);
	if (!ret)
		return fd;
	if (ret == -ENOENT) {
		const char *words = secure_getenv("MADSIM_NODE");

		channel_report("MADSIM_NODE: the fabric has no ", words ? words : "CA", 0);
	} else {
		channel_report("madsim does not answer at ", path, ret);
	}
	close(fd);
	return ret;
}

/* The call, on a connection that is used for nothing else. */
static int call_once(const struct shim_call *call, struct shim_answer *answer)
{
	int fd = channel_connect(), ret;

	if (fd < 0) {
		answer->lost = true;
		return fd;
	}
	ret = converse(fd, call, answer);
	close(fd);
	return ret;
}

/* The call, on a kept connection. */
static int channel_call_in(struct slot *slot, const struct shim_call *call, struct shim_answer *answer)
{
	struct stat st;
	int ret;

	if (!slot_is_connected(slot)) {
		int fd = channel_connect();

		slot->fd = -1;
		if (fd < 0) {
			answer->lost = true;
			return fd;
		}
		/* it cannot fail: the descriptor is open and of this process alone */
		fstat(fd, &st);
		slot->dev = st.st_dev;
		slot->ino = st.st_ino;
		slot->fd = fd;
	}
	ret = converse(slot->fd, call, answer);
	if (answer->lost)
		slot_hang_up(slot);
	return ret;
}

int shim_call(const struct shim_call *call, struct shim_answer *answer)
{
	struct slot *slot = slot_take();
	int state, ret;

	answer->len = 0;
	answer->fd = -1;
	answer->lost = false;
	/* a thread that ends half-way would leave a slot taken and a reply unread */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	ret = slot ? channel_call_in(slot, call, answer) : call_once(call, answer);
	if (slot)
		slot_give_back(slot);
	pthread_setcancelstate(state, NULL);
	return ret;
}
