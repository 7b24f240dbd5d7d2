/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files of the simulated hosts, and the data sockets that carry their MADs. */
#define _GNU_SOURCE /* recvmmsg() */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>
#include "cli/cli.h"
#include "madsim_server_int.h"
#include "sim/serve/serve.h"

static void channel_make_ready(struct channel *c)
{
	if (c->ready)
		return;
	c->ready = true;
	c->next_ready = NULL;
	*c->server->ready_end = c;
	c->server->ready_end = &c->next_ready;
}

static void channel_readable(void *context)
{
	struct channel *c = context;

	if (!c->blocked)
		channel_make_ready(c);
}

static struct channel **channel_bucket(struct server *server, uint64_t token)
{
	return &server->buckets[token % BUCKETS];
}

struct channel *channel_find(const struct server *server, uint64_t token)
{
	struct channel *c = server->buckets[token % BUCKETS];

	while (c && c->token != token)
		c = c->bucket;
	return c;
}

static int channel_new_token(const struct server *server, uint64_t *token)
{
	do
		if (getrandom(token, sizeof(*token), 0) != sizeof(*token))
			return errno ? -errno : -EIO;
	while (!*token || channel_find(server, *token));
	return 0;
}

int channel_open(struct server *server, uint32_t node, unsigned int port, unsigned int reach, uint64_t *token)
{
	struct channel *c = calloc(1, sizeof(*c));
	int ends[2] = { -1, -1 }, ret;

	if (!c)
		return -ENOMEM;
	c->server = server;
	c->watch.kind = WATCH_DATA;
	ret = host_open(server->s->hosts, node, port, channel_readable, c, &c->file);
	if (!ret)
		host_file_limit(c->file, reach);
	if (!ret)
		ret = channel_new_token(server, &c->token);
	if (!ret && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		ret = -errno;
	c->watch.fd = ends[0];
	if (!ret)
		ret = server_watch(server, &c->watch);
	if (ret) {
		host_close(c->file);
		if (ends[1] >= 0)
			close(ends[1]);
		free(c);
		return ret;
	}
	c->bucket = *channel_bucket(server, c->token);
	*channel_bucket(server, c->token) = c;
	server->counters.files++;
	server->give = ends[1];
	*token = c->token;
	return 0;
}

void channel_close(struct channel *c)
{
	struct server *server = c->server;
	struct channel **p = channel_bucket(server, c->token);

	while (*p != c)
		p = &(*p)->bucket;
	*p = c->bucket;
	host_close(c->file);
	c->file = NULL;
	server->counters.files--;
	server_unwatch(server, &c->watch);
}

/* ---- from the client ------------------------------------------------------------------- */

/* Returns a refused send to the client, with the errno as its status. A kernel would do the same if it could
 * no longer fail the write(). */
static void channel_refuse(struct channel *c, const struct proto_mad *head, const uint8_t *message,
			   int status)
{
	struct proto_mad back = *head;

	back.status = (uint32_t)status;
	back.len = head->len < PROTO_HEADER_BYTES ? head->len : PROTO_HEADER_BYTES;
	c->server->counters.refused++;
	/* best effort: dropped if the client is not reading */
	sim_wire_send_mad(c->watch.fd, &back, message);
}

/* Sends a MAD from the client. Returns false if the packet is malformed or its passed message cannot be
 * read. */
static bool channel_take(struct channel *c, const uint8_t *packet, size_t len, int fd)
{
	const uint8_t *message;
	uint8_t *passed = NULL;
	struct proto_mad head;
	int status;

	if (proto_read_mad(packet, len, &head, &message))
		return false;
	if (!message) {
		passed = sim_wire_take(fd, head.len);
		if (!passed)
			return false;
		message = passed;
	}
	c->server->counters.sends++;
	status = session_send(c->file, &head, message, c->server->now);
	if (status)
		channel_refuse(c, &head, message, status);
	free(passed);
	return true;
}

void channel_receive(struct channel *c)
{
	struct server *server = c->server;
	bool good = true;
	int n;

	for (unsigned int i = 0; i < RECEIVE_BATCH; i++)
		server->packets[i].msg_hdr.msg_controllen = sizeof(server->controls[i]);
	n = recvmmsg(c->watch.fd, server->packets, RECEIVE_BATCH, MSG_DONTWAIT | MSG_CMSG_CLOEXEC, NULL);
	if (n < 0) {
		if (errno != EAGAIN && errno != EINTR)
			channel_close(c);
		return;
	}
	for (int i = 0; i < n; i++) {
		struct mmsghdr *packet = &server->packets[i];
		int fd = packet->msg_hdr.msg_controllen ? sim_wire_passed(&packet->msg_hdr) : -1;

		/* an empty packet: the other end is closed */
		good = good && packet->msg_len && !(packet->msg_hdr.msg_flags & MSG_TRUNC) &&
		       channel_take(c, server->parts[i].iov_base, packet->msg_len, fd);
		if (fd >= 0)
			close(fd);
	}
	if (!good)
		channel_close(c);
}

/* ---- to the client ----------------------------------------------------------------------- */

static int write_one(struct channel *c, const struct host_message *m)
{
	struct proto_mad head = {
		.agent = m->id,
		.status = (uint32_t)m->status,
		.len = (uint32_t)m->len,
	};

	proto_addr(&m->from, &head.addr);
	return sim_wire_send_mad(c->watch.fd, &head, m->mad);
}

/* Checks if the system lacks memory or descriptors, which is temporary. */
static bool channel_lacks_room(int ret)
{
	return ret == -ENOBUFS || ret == -ENOMEM || ret == -EMFILE || ret == -ENFILE || ret == -ETOOMANYREFS;
}

static void channel_flush(struct channel *c)
{
	struct server *server = c->server;
	struct host_message m;

	while (host_next(c->file, &m)) {
		int ret = write_one(c, &m);

		if (ret == -EAGAIN) {
			c->blocked = true;
			server_want_write(server, c, true);
			return;
		}
		if (channel_lacks_room(ret)) {
			server->retry = server->now + RETRY_NS;
			channel_make_ready(c);
			return;
		}
		if (ret) {
			channel_close(c);
			return;
		}
		server->counters.received++;
		host_pop(c->file);
	}
}

void channels_flush(struct server *server)
{
	struct channel *c = server->ready, *next;

	server->ready = NULL;
	server->ready_end = &server->ready;
	server->retry = 0;
	for (; c; c = next) {
		next = c->next_ready;
		c->ready = false;
		if (c->file)
			channel_flush(c);
	}
}

void channel_unblock(struct channel *c)
{
	c->blocked = false;
	server_want_write(c->server, c, false);
	channel_make_ready(c);
}
