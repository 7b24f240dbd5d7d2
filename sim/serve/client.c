/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>
#include "sim/serve/client.h"
#include "sim/serve/wire.h"

/* Decides what follows a failed system call. 0: retry it; otherwise -errno. */
static int sim_client_again(struct sim_client *client, int err)
{
	if (err != EINTR && err != EAGAIN)
		return -err;
	client->broken = client->interrupted(client, err);
	return client->broken;
}

int sim_client_block(struct sim_client *client, unsigned int ms)
{
	const struct timeval block = { .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 };

	return setsockopt(client->fd, SOL_SOCKET, SO_RCVTIMEO, &block, sizeof(block)) ||
			       setsockopt(client->fd, SOL_SOCKET, SO_SNDTIMEO, &block, sizeof(block)) ?
		       -errno :
		       0;
}

int sim_client_connect(struct sim_client *client, const char *path, unsigned int block_ms)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int ret = 0;

	if (strlen(path) >= sizeof(name.sun_path))
		return -ENAMETOOLONG;
	strcpy(name.sun_path, path);
	client->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (client->fd < 0)
		return -errno;
	ret = sim_client_block(client, block_ms);
	/* EAGAIN: the server's backlog is full */
	while (!ret && connect(client->fd, (struct sockaddr *)&name, sizeof(name)))
		ret = sim_client_again(client, errno);
	return ret;
}

static int sim_client_send(struct sim_client *client, struct sim_call *c)
{
	struct iovec parts[] = { { &c->call, sizeof(c->call) }, c->rest[0], c->rest[1] };
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 3 };
	union sim_wire_control control;
	int ret = 0;

	if (c->pass && *c->pass >= 0)
		sim_wire_pass(&message, &control, *c->pass);
	while (!ret && sendmsg(client->fd, &message, MSG_NOSIGNAL) < 0)
		ret = sim_client_again(client, errno);
	return ret;
}

/* Handles the descriptor that came with the reply. c keeps the descriptor of OPEN, ISSM and STORE. Any other
 * is that of a file with the text, which is read and closed. cut: the process had no room for one. */
static int sim_client_take_passed(struct sim_call *c, bool cut)
{
	uint32_t op = c->call.op;
	bool opened = !c->reply.error && (op == PROTO_OPEN || op == PROTO_ISSM || op == PROTO_STORE);
	bool in_file = c->reply.flags & PROTO_PASSED;

	if (in_file)
		c->len = c->reply.len;
	if (c->len > c->size)
		c->len = c->size;
	if (c->fd < 0)
		return !in_file && !opened ? 0 : cut ? -EMFILE : -EPROTO;
	if (opened)
		return 0;
	if (in_file && sim_wire_read(c->fd, c->text, c->len))
		return -EPROTO;
	close(c->fd);
	c->fd = -1;
	return 0;
}

static int sim_client_receive(struct sim_client *client, struct sim_call *c)
{
	struct proto_reply head;
	struct iovec parts[] = { { &head, sizeof(head) }, { c->text, c->size } };
	union sim_wire_control control;
	struct msghdr message = {
		.msg_iov = parts,
		.msg_iovlen = 2,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	const uint8_t *rest;
	ssize_t n;
	int ret = 0;

	/* MSG_TRUNC: n is the length of the whole packet, even if the buffers are shorter */
	while (!ret && (n = recvmsg(client->fd, &message, MSG_CMSG_CLOEXEC | MSG_TRUNC)) < 0)
		ret = sim_client_again(client, errno);
	if (ret)
		return ret;
	if (!n)
		return -ECONNRESET;
	c->fd = sim_wire_passed(&message);
	ret = proto_read_reply(&head, (size_t)n, c->call.op, &c->reply, &rest, &c->len) ?
		      -EPROTO :
		      sim_client_take_passed(c, message.msg_flags & MSG_CTRUNC);
	/* the stream of replies is unreliable from now on */
	if (ret == -EPROTO)
		client->broken = ret;
	if (ret && c->fd >= 0)
		close(c->fd);
	if (ret)
		c->fd = -1;
	return ret;
}

int sim_client_call(struct sim_client *client, struct sim_call *c)
{
	int ret = client->broken;

	c->fd = -1;
	if (!ret)
		ret = sim_client_send(client, c);
	return ret ? ret : sim_client_receive(client, c);
}

int sim_client_hello(struct sim_client *client, const char *words, struct proto_reply *reply,
		     struct proto_node *node, char reason[PROTO_REASON_MAX + 1])
{
	uint8_t rest[PROTO_REASON_MAX];
	struct sim_call c = {
		.call = { .op = PROTO_HELLO, .arg = PROTO_VERSION },
		.rest = { { (void *)words, strlen(words) } },
		.text = rest,
		.size = sizeof(rest),
	};
	int ret = sim_client_call(client, &c);

	*reply = c.reply;
	reason[0] = '\0';
	if (!ret && !reply->error) {
		proto_read_node(rest, node);
	} else if (!ret) {
		memcpy(reason, rest, c.len);
		reason[c.len] = '\0';
	}
	return ret;
}
