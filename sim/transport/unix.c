/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A port of a served simulation (madsim --socket). A MAD that expects no response is sent by a call, whose
 * reply has the result at once, as write() of the kernel does. A request is sent without waiting for a
 * result; if it is refused, it is returned like a request that timed out.
 */
#define _GNU_SOURCE /* recvmmsg() */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
#include <madkit/mad.h>
#include "sim/serve/serve.h"
#include "sim/serve/wire.h"
#include "sim/transport/info.h"
#include "sim/transport/transports.h"
#include "sim/transport/unix.h"
#include "transport/clock.h"
#include "transport/refusal.h"

/* Packets that are read by one system call. */
enum { BATCH = 16 };

struct sim_unix {
	struct transport base;
	struct sim_unix_connection call;
	int data;
	uint64_t file;
	unsigned int port;
	char spec[sizeof(((struct madkit_port_info *)0)->device)];
	/* packets that were read: packets[at] is the next one, n in all */
	struct mmsghdr packets[BATCH];
	struct iovec parts[BATCH];
	int passed[BATCH]; /* descriptors that came with them; -1: none */
	union sim_wire_control controls[BATCH];
	unsigned int at, n;
	bool drained;  /* the last read emptied the socket */
	uint8_t *room; /* BATCH * PROTO_PACKET_MAX */
};

static struct sim_unix *sim_unix_of(struct transport *transport)
{
	return (struct sim_unix *)transport;
}

/* ---- opening ------------------------------------------------------------------------ */

static int sim_unix_call_failed(const struct sim_unix *sim, struct madkit_error *error)
{
	return madkit_error_set(error, sim->call.client.broken, -1,
				sim->call.client.broken == -ETIMEDOUT ?
					"%s: no response from madsim" :
				sim->call.client.broken == -EPROTO ?
					"%s: malformed reply from madsim" :
					"%s: interrupted while waiting for madsim",
				sim->spec);
}

static int sim_unix_open_file(struct sim_unix *sim, struct madkit_error *error)
{
	struct sim_call c = { .call = { .op = PROTO_OPEN, .arg = sim->port } };
	int ret = sim_unix_call(&sim->call, &c);

	if (sim->call.client.broken)
		return sim_unix_call_failed(sim, error);
	if (!ret)
		ret = -(int)c.reply.error;
	if (ret == -EINVAL)
		return madkit_error_set(error, -ENODEV, -1, "%s has no port %u", sim->spec, sim->port);
	if (ret)
		return madkit_error_set(error, -EIO, -1, "cannot open %s, port %u: %s", sim->spec, sim->port,
					strerror(-ret));
	sim->data = c.fd;
	sim->file = c.reply.value;
	return 0;
}

/* Releases the first packet. */
static void packet_pop(struct sim_unix *sim)
{
	int fd = sim->passed[sim->at++];

	if (fd >= 0)
		close(fd);
}

static void sim_unix_transport_close(struct transport *transport)
{
	struct sim_unix *sim = sim_unix_of(transport);

	while (sim->at < sim->n)
		packet_pop(sim);
	if (sim->data >= 0)
		close(sim->data);
	sim_unix_disconnect(&sim->call);
	if (sim->room)
		munmap(sim->room, (size_t)BATCH * PROTO_PACKET_MAX);
	free(sim);
}

static int sim_unix_transport_open(const char *spec, const struct madkit_limit *limit,
				   struct transport **transport, struct madkit_error *error)
{
	struct sim_unix *sim = calloc(1, sizeof(*sim));
	struct proto_node node;
	int ret;

	if (!sim)
		return madkit_error_set(error, -ENOMEM, -1, "out of memory");
	sim->base.ops = &transport_sim_unix;
	sim->data = -1;
	ret = sim_unix_connect(spec, limit, &sim->call, &node, error);
	if (ret) {
		free(sim);
		return ret;
	}
	snprintf(sim->spec, sizeof(sim->spec), "%s", spec);
	sim->port = node.port;
	/* memory is allocated only for pages that a packet reaches */
	sim->room = mmap(NULL, (size_t)BATCH * PROTO_PACKET_MAX, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (sim->room == MAP_FAILED) {
		sim->room = NULL;
		ret = madkit_error_set(error, -ENOMEM, -1, "out of memory");
	}
	if (!ret)
		ret = sim_unix_open_file(sim, error);
	if (ret)
		sim_unix_transport_close(&sim->base);
	else
		*transport = &sim->base;
	return ret;
}

static int sim_unix_transport_info(struct transport *transport, struct madkit_port_info *info)
{
	struct sim_unix *sim = sim_unix_of(transport);
	uint8_t rest[sizeof(struct proto_info)];
	struct sim_call c = {
		.call = { .op = PROTO_INFO, .arg = sim->port },
		.text = rest,
		.size = sizeof(rest),
	};
	struct proto_info from;
	int ret = sim_unix_call(&sim->call, &c);

	if (ret || c.reply.error)
		return sim->call.client.broken ? sim->call.client.broken : -ENODEV;
	proto_read_info(rest, &from);
	sim_info(&from, sim->spec, info);
	return 0;
}

/* ---- registration ------------------------------------------------------------------------ */

/* Returns 0 with *id, or a positive errno. */
static int sim_unix_register(struct sim_unix *sim, uint64_t file, const struct madkit_agent_attr *attr,
			     uint32_t *id, uint32_t *supported)
{
	const struct host_agent agent = sim_agent(attr);
	struct proto_agent rest;
	struct sim_call c = {
		.call = { .op = PROTO_REGISTER, .file = file },
		.rest = { { &rest, sizeof(rest) } },
	};
	int ret;

	proto_agent(&agent, &rest);
	ret = sim_unix_call(&sim->call, &c);
	if (ret)
		return -ret;
	*supported = c.reply.supported;
	*id = (uint32_t)c.reply.value;
	return (int)c.reply.error;
}

static int sim_unix_unregister(struct sim_unix *sim, uint64_t file, uint32_t id)
{
	struct sim_call c = { .call = { .op = PROTO_UNREGISTER, .arg = id, .file = file } };
	int ret = sim_unix_call(&sim->call, &c);

	return ret ? ret : -(int)c.reply.error;
}

/* Tries a registration on a separate file, because this one may have no room. Returns 0 or a positive
 * errno. */
static int sim_unix_try_attach(void *context, const struct madkit_agent_attr *attr)
{
	struct sim_unix *sim = context;
	struct sim_call c = { .call = { .op = PROTO_OPEN, .arg = sim->port } };
	uint32_t id, supported;
	int ret = sim_unix_call(&sim->call, &c);

	if (ret || c.reply.error)
		return ENODEV;
	ret = sim_unix_register(sim, c.reply.value, attr, &id, &supported);
	if (!ret)
		sim_unix_unregister(sim, c.reply.value, id);
	close(c.fd);
	return ret;
}

static int sim_unix_transport_attach(struct transport *transport, const struct madkit_agent_attr *attr,
				     uint32_t *id, struct madkit_refusal *refusal)
{
	struct sim_unix *sim = sim_unix_of(transport);
	int code;

	if (refusal_before(attr, refusal))
		return refusal->error.code;
	code = sim_unix_register(sim, sim->file, attr, id, &refusal->supported_flags);
	if (!code)
		return 0;
	refusal->supported_known = refusal->supported_flags;
	if (!sim->call.client.broken)
		code = refusal_explain(attr, code, sim->spec, sim_unix_try_attach, sim, refusal);
	if (!sim->call.client.broken)
		return code;
	/* the connection failed, so the cause of the refusal is not known */
	refusal_set(refusal, MADKIT_REFUSAL_OTHER, -sim->call.client.broken, "%s", sim->spec);
	return sim_unix_call_failed(sim, &refusal->error);
}

static int sim_unix_transport_detach(struct transport *transport, uint32_t id)
{
	struct sim_unix *sim = sim_unix_of(transport);

	return sim_unix_unregister(sim, sim->file, id);
}

/* ---- MADs ---------------------------------------------------------------------------------- */

/* Sends a MAD and waits for the result. */
static int send_by_call(struct sim_unix *sim, struct proto_mad *head, void *mad)
{
	int pass, ret = sim_wire_long(head, mad, sizeof(struct proto_call), &pass);
	struct sim_call c = {
		.call = { .op = PROTO_SEND, .file = sim->file },
		.rest = { { head, sizeof(*head) }, { mad, pass < 0 ? head->len : 0 } },
		.pass = &pass,
	};

	if (ret)
		return ret;
	ret = sim_unix_call(&sim->call, &c);
	if (pass >= 0)
		close(pass);
	return ret ? ret : -(int)c.reply.error;
}

static int send_at_once(struct sim_unix *sim, struct proto_mad *head, const void *mad)
{
	int ret = sim_wire_send_mad(sim->data, head, mad);

	switch (ret) {
	case -ENOBUFS:
	case -ETOOMANYREFS:
		return -EAGAIN;
	case -EPIPE:
	case -ECONNRESET:
		return -ENODEV;
	}
	return ret;
}

static int sim_unix_transport_send(struct transport *transport, uint32_t id, const struct madkit_addr *to,
				   uint8_t *mad, size_t len, uint32_t timeout_ms, uint32_t retries)
{
	struct sim_unix *sim = sim_unix_of(transport);
	struct proto_mad head = {
		.agent = id,
		.timeout_ms = timeout_ms,
		.retries = retries,
		.len = (uint32_t)len,
	};

	if (to->lid > 0xffff || len > PROTO_MESSAGE_MAX)
		return -EINVAL;
	proto_addr(to, &head.addr);
	return timeout_ms ? send_at_once(sim, &head, mad) : send_by_call(sim, &head, mad);
}

/* Reads the packets that have arrived. 0; -EAGAIN; -ENODEV. */
static int sim_unix_fill(struct sim_unix *sim)
{
	int n;

	if (sim->drained) {
		sim->drained = false;
		return -EAGAIN;
	}
	for (unsigned int i = 0; i < BATCH; i++) {
		sim->parts[i] = (struct iovec){ sim->room + (size_t)i * PROTO_PACKET_MAX, PROTO_PACKET_MAX };
		sim->packets[i].msg_hdr = (struct msghdr){
			.msg_iov = &sim->parts[i],
			.msg_iovlen = 1,
			.msg_control = &sim->controls[i],
			.msg_controllen = sizeof(sim->controls[i]),
		};
	}
	sim->at = sim->n = 0;
	n = recvmmsg(sim->data, sim->packets, BATCH, MSG_DONTWAIT | MSG_CMSG_CLOEXEC, NULL);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? -EAGAIN : -ENODEV;
	sim->n = (unsigned int)n;
	for (int i = 0; i < n; i++)
		sim->passed[i] = sim->packets[i].msg_hdr.msg_controllen ?
					 sim_wire_passed(&sim->packets[i].msg_hdr) :
					 -1;
	sim->drained = n < BATCH;
	return n ? 0 : -EAGAIN;
}

static int sim_unix_transport_receive(struct transport *transport, uint32_t *id, struct madkit_addr *from,
				      uint8_t *buf, size_t size, size_t *len, int *status)
{
	struct sim_unix *sim = sim_unix_of(transport);
	const struct mmsghdr *packet;
	const uint8_t *message;
	struct proto_mad head;
	int ret = sim->at < sim->n ? 0 : sim_unix_fill(sim);

	if (ret)
		return ret;
	packet = &sim->packets[sim->at];
	/* an empty packet is the end of file: the server is gone, or has closed the file */
	if (!packet->msg_len ||
	    proto_read_mad(sim->parts[sim->at].iov_base, packet->msg_len, &head, &message))
		return -ENODEV;
	/* if this process has no room for the descriptor, the kernel drops it, and the message is lost */
	if (!message && sim->passed[sim->at] < 0 && packet->msg_hdr.msg_flags & MSG_CTRUNC) {
		packet_pop(sim);
		return -EMFILE;
	}
	*len = head.len;
	if (head.len > size) {
		/* like umad, first require room for one MAD */
		if (size < MADKIT_MAD_BYTES)
			*len = MADKIT_MAD_BYTES;
		return -ENOSPC;
	}
	if (message)
		memcpy(buf, message, head.len);
	else
		ret = sim_wire_read(sim->passed[sim->at], buf, head.len);
	*id = head.agent;
	*status = (int)head.status;
	proto_read_addr(&head.addr, from);
	packet_pop(sim);
	return ret;
}

static int sim_unix_transport_wait(struct transport *transport, int timeout_ms)
{
	struct sim_unix *sim = sim_unix_of(transport);
	struct pollfd fd = { .fd = sim->data, .events = POLLIN };
	int ret;

	if (sim->at < sim->n)
		return 1;
	/* read what has arrived since then */
	sim->drained = false;
	ret = poll(&fd, 1, timeout_ms);
	if (ret < 0)
		return errno == EINTR ? -EINTR : -EIO;
	return ret > 0;
}

static int sim_unix_transport_fd(struct transport *transport)
{
	return sim_unix_of(transport)->data;
}

static int sim_unix_transport_entry(const struct madkit_port_info *info, const char *table,
				    unsigned int index, const struct madkit_limit *limit, char *text,
				    size_t size)
{
	char path[160];

	if (snprintf(path, sizeof(path), "infiniband/%s/ports/%u/%s/%u", info->ca, info->port, table,
		     index) >= (int)sizeof(path))
		return -ENOENT;
	return sim_unix_sysfs(info->device, limit, path, text, size);
}

const struct transport_ops transport_sim_unix = {
	.name = "sim:unix",
	.fixed_qkey = true,
	.rmpp = true,
	.open = sim_unix_transport_open,
	.entry = sim_unix_transport_entry,
	.close = sim_unix_transport_close,
	.info = sim_unix_transport_info,
	.attach = sim_unix_transport_attach,
	.detach = sim_unix_transport_detach,
	.send = sim_unix_transport_send,
	.receive = sim_unix_transport_receive,
	.wait = sim_unix_transport_wait,
	.fd = sim_unix_transport_fd,
	.now = clock_now,
	.realtime = clock_realtime,
	.seed = clock_seed,
};
