/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Connections of clients, and the calls on them. */
#define _GNU_SOURCE /* accept4() */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/cli.h"
#include "madsim_server_int.h"

/* Stops accepting for RETRY_NS if the system has no room: a waiting client would wake the server again and
 * again. Connected clients are served meanwhile. */
static void calls_accept_failed(struct server *server, int err)
{
	if (err != EMFILE && err != ENFILE && err != ENOBUFS && err != ENOMEM)
		return;
	if (!server->said_full)
		cli_say("%llu clients, and no room for another one for now: %s",
			(unsigned long long)server->counters.connections, strerror(err));
	server->said_full = true;
	server_rest(server, server->now + RETRY_NS);
}

void calls_accept(struct server *server)
{
	int fd = accept4(server->listen.fd, NULL, NULL, SOCK_CLOEXEC);
	struct calls *calls;

	if (fd < 0) {
		calls_accept_failed(server, errno);
		return;
	}
	calls = calloc(1, sizeof(*calls));
	if (!calls) {
		close(fd);
		return;
	}
	calls->watch.kind = WATCH_CALLS;
	calls->watch.fd = fd;
	if (server_watch(server, &calls->watch))
		free(calls);
	else
		server->counters.connections++;
}

void calls_close(struct server *server, struct calls *calls)
{
	server->counters.connections--;
	session_end(&calls->session);
	server_unwatch(server, &calls->watch);
}

/* ---- what calls want of the server --------------------------------------------------- */

static int call_open(void *context, uint32_t node, unsigned int port, unsigned int reach, uint64_t *token)
{
	return channel_open(context, node, port, reach, token);
}

void issm_close(struct server *server, struct issm *issm)
{
	if (!issm->roce)
		host_issm_close(server->s->hosts, issm->node, issm->port);
	server_unwatch(server, &issm->watch);
}

static int call_issm(void *context, uint32_t node, unsigned int port, bool roce)
{
	struct server *server = context;
	struct issm *issm = calloc(1, sizeof(*issm));
	int ends[2], ret;

	if (!issm)
		return -ENOMEM;
	*issm = (struct issm){ .watch.kind = WATCH_ISSM, .node = node, .port = port, .roce = roce };
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) {
		ret = -errno;
		free(issm);
		return ret;
	}
	issm->watch.fd = ends[0];
	ret = server_watch(server, &issm->watch);
	if (ret) {
		close(ends[1]);
		free(issm);
		return ret;
	}
	ret = roce ? 0 : host_issm_open(server->s->hosts, node, port);
	if (ret) {
		close(ends[1]);
		server_unwatch(server, &issm->watch);
		return ret;
	}
	server->give = ends[1];
	return 0;
}

void store_close(struct server *server, struct store *store)
{
	server_unwatch(server, &store->watch);
}

static int store_write(struct server *server, const struct store *store, const char *bytes, size_t n)
{
	struct devices devices;
	int ret = devices_of(server->s->topology, store->node, server->options->hosts, &devices);

	if (ret)
		return ret;
	ret = sim_sysfs_write(server->s->fabric, &devices, store->path, store->len, bytes, n);
	devices_free(&devices);
	return ret;
}

/* Executes one write(). Returns false if there is none, or if the file was closed. With SO_PASSCRED,
 * credentials come with an empty write(), but not with the end of the file. */
static bool store_take(struct server *server, struct store *store)
{
	char bytes[PROTO_STORE_MAX];
	union {
		struct cmsghdr header; /* for its alignment */
		char bytes[CMSG_SPACE(sizeof(struct ucred))];
	} credentials;
	struct iovec part = { bytes, sizeof(bytes) };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	ssize_t n = -1;
	int ret;

	/* ECONNRESET: the client closed the socket before it read the content; its writes can still be
	 * read */
	for (int tries = 0; n < 0 && tries < 2; tries++) {
		message.msg_control = &credentials;
		message.msg_controllen = sizeof(credentials);
		n = recvmsg(store->watch.fd, &message, MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return false;
	}
	if (n < 0 || (!n && !message.msg_controllen)) {
		store_close(server, store);
		return false;
	}
	ret = n ? store_write(server, store, bytes, (size_t)n) : 0;
	if (!store->error)
		store->error = ret;
	return true;
}

void store_receive(struct server *server, struct store *store)
{
	store_take(server, store);
}

static int call_stored(void *context, uint64_t token)
{
	struct server *server = context;
	struct watch *watch = server->watches;
	struct store *store;
	int ret;

	while (watch && (watch->kind != WATCH_STORE || ((struct store *)watch)->token != token))
		watch = watch->next;
	if (!watch)
		return -ENODEV;
	store = (struct store *)watch;
	while (store_take(server, store))
		;
	ret = store->error;
	store->error = 0;
	return ret;
}

/* Sends the content in advance, so that the client can read it from the socket. */
static void store_put_content(struct server *server, const struct store *store)
{
	struct devices devices;
	struct madkit_buf content;

	if (devices_of(server->s->topology, store->node, server->options->hosts, &devices))
		return;
	madkit_buf_init(&content, 0);
	if (!sim_sysfs_read(server->s->fabric, &devices, store->path, store->len, &content))
		sim_wire_send(store->watch.fd, content.data, content.len, NULL, 0, -1);
	shutdown(store->watch.fd, SHUT_WR);
	madkit_buf_free(&content);
	devices_free(&devices);
}

static int call_store(void *context, uint32_t node, const char *path, size_t len, bool content,
		      uint64_t *token)
{
	struct server *server = context;
	struct store *store = calloc(1, sizeof(*store) + len);
	int ends[2], on = 1, ret;
	struct stat st;

	if (!store)
		return -ENOMEM;
	store->watch.kind = WATCH_STORE;
	store->node = node;
	store->len = len;
	memcpy(store->path, path, len);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) {
		ret = -errno;
		free(store);
		return ret;
	}
	store->watch.fd = ends[0];
	if (!fstat(ends[1], &st))
		*token = store->token = st.st_ino;
	setsockopt(ends[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on));
	ret = server_watch(server, &store->watch);
	if (ret) {
		close(ends[1]);
		free(store);
		return ret;
	}
	if (content)
		store_put_content(server, store);
	server->give = ends[1];
	return 0;
}

static struct host_file *call_read_file(void *context, uint64_t token)
{
	struct channel *c = channel_find(context, token);

	return c ? c->file : NULL;
}

static int call_tree(void *context, const struct devices *devices, struct madkit_buf *path)
{
	return tree_make(context, devices, path);
}

static int calls_on_control(void *context, const char *words, size_t len, struct madkit_buf *text)
{
	struct server *server = context;

	return server->options->control(server->options->context, words, len, text);
}

/* ---- a call ---------------------------------------------------------------------------- */

/* Sends the reply. 0; -errno: close the connection. */
static int call_reply(struct server *server, struct calls *calls)
{
	const struct madkit_buf *buf = &server->reply;
	struct proto_reply head;
	int fd = server->give, ret;

	if (buf->len <= PROTO_PACKET_MAX)
		return sim_wire_send(calls->watch.fd, buf->data, buf->len, NULL, 0, fd);
	memcpy(&head, buf->data, sizeof(head));
	head.flags |= PROTO_PASSED;
	fd = sim_wire_file(buf->data + sizeof(head), buf->len - sizeof(head));
	if (fd < 0)
		return fd;
	ret = sim_wire_send(calls->watch.fd, &head, sizeof(head), NULL, 0, fd);
	close(fd);
	return ret;
}

/* Counts a send and its refusal, by the reply. */
static void call_count(struct server *server)
{
	struct proto_reply head;

	memcpy(&head, server->reply.data, sizeof(head));
	if (head.op != PROTO_SEND)
		return;
	server->counters.sends++;
	server->counters.refused += head.error != 0;
}

static int calls_serve(struct server *server, struct calls *calls, const uint8_t *packet, size_t len, int fd)
{
	const struct session_ops ops = {
		.open = call_open,
		.issm = call_issm,
		.store = call_store,
		.stored = call_stored,
		.file = call_read_file,
		.tree = call_tree,
		.control = calls_on_control,
		.context = server,
		.hosts = server->options->hosts,
	};
	uint8_t *passed = NULL;
	size_t passed_len;
	int ret;

	if (session_is_passed(packet, len, &passed_len)) {
		passed = sim_wire_take(fd, passed_len);
		if (!passed)
			return -EBADMSG;
	}
	madkit_buf_reset(&server->reply);
	server->give = -1;
	ret = session_call(&calls->session, server->s, &ops, &(struct session_packet){ packet, len, passed },
			   server->now, &server->reply);
	free(passed);
	if (!ret)
		call_count(server);
	if (!ret)
		ret = call_reply(server, calls);
	if (server->give >= 0)
		close(server->give);
	return ret;
}

void calls_receive(struct server *server, struct calls *calls)
{
	struct msghdr *message = &server->packets[0].msg_hdr;
	ssize_t n;
	int fd, ret;

	message->msg_controllen = sizeof(server->controls[0]);
	n = recvmsg(calls->watch.fd, message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	fd = n > 0 ? sim_wire_passed(message) : -1;
	ret = n <= 0 || message->msg_flags & MSG_TRUNC ?
		      -EBADMSG :
		      calls_serve(server, calls, server->parts[0].iov_base, (size_t)n, fd);
	if (fd >= 0)
		close(fd);
	if (ret)
		calls_close(server, calls);
}
