/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Executes the calls of a client. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "sim/serve/serve.h"
#include "topology/find.h"

/* The call that is being executed. */
struct doing {
	struct session *session;
	struct simulation *s;
	const struct session_ops *ops;
	const struct proto_call *call;
	const uint8_t *rest, *passed;
	size_t rest_len;
	uint64_t now;
	struct proto_reply *reply;
	struct madkit_buf *buf;
};

int session_send(struct host_file *file, const struct proto_mad *mad, const uint8_t *message, uint64_t now)
{
	struct madkit_addr to;

	proto_read_addr(&mad->addr, &to);
	return -host_send(
		file, &(struct host_out){ mad->agent, &to, message, mad->len, mad->timeout_ms, mad->retries },
		now);
}

static void session_add_node(const struct doing *d)
{
	const struct topology_node *from = &d->s->topology->nodes[d->session->node];
	struct proto_node node = {
		.guid = from->guid,
		.system_guid = from->system_guid,
		.type = from->type,
		.nports = from->nports,
		.port = (uint8_t)d->session->port,
	};

	snprintf(node.ca, sizeof(node.ca), "%s", devices_main(&d->session->devices, d->session->node)->name);
	snprintf(node.name, sizeof(node.name), "%s", from->name);
	snprintf(node.description, sizeof(node.description), "%s", from->description);
	madkit_buf_add(d->buf, &node, sizeof(node));
}

void session_end(struct session *session)
{
	devices_free(&session->devices);
	*session = (struct session){ .greeted = false };
}

static int session_hello(const struct doing *d)
{
	struct session greeted = { .greeted = true };
	struct madkit_error error = { .text = "" };
	char words[PROTO_WORDS_MAX + 1];
	int ret;

	d->reply->value = PROTO_VERSION;
	if (d->call->arg != PROTO_VERSION)
		return -EPROTONOSUPPORT;
	memcpy(words, d->rest, d->rest_len);
	words[d->rest_len] = '\0';
	/* find_end() overwrites its results even if it fails; a refused HELLO must not change the session */
	ret = find_end(d->s->topology, words, &greeted.node, &greeted.port, &error);
	if (ret)
		madkit_buf_add(d->buf, error.text, strlen(error.text));
	if (!ret)
		ret = devices_of(d->s->topology, greeted.node, d->ops->hosts, &greeted.devices);
	if (ret)
		return ret;
	session_end(d->session);
	*d->session = greeted;
	session_add_node(d);
	return 0;
}

static int session_enroll(const struct doing *d, struct host_file *file)
{
	struct host_agent agent;
	uint32_t id;
	int ret;

	proto_read_agent(d->rest, &agent);
	d->reply->supported = HOST_FLAGS;
	ret = host_register(file, &agent, &id);
	if (!ret)
		d->reply->value = id;
	return ret;
}

/* session_call() has checked the header. */
static int send_one(const struct doing *d, struct host_file *file)
{
	struct proto_mad mad;
	const uint8_t *message;

	proto_read_mad(d->rest, d->rest_len, &mad, &message);
	return -session_send(file, &mad, message ? message : d->passed, d->now);
}

static int session_info(const struct doing *d)
{
	struct proto_info info;
	int ret = sim_sysfs_info(d->s->fabric, d->session->node, d->call->arg, &info);

	if (!ret)
		snprintf(info.ca, sizeof(info.ca), "%s",
			 devices_main(&d->session->devices, d->session->node)->name);
	if (!ret)
		madkit_buf_add(d->buf, &info, sizeof(info));
	return ret;
}

/* Returns the reach (enum host_reach) that the kernel's devices of this kind have. */
static unsigned int reach_of(const struct device *device)
{
	switch (device->kind) {
	case DEVICE_GSI:
		return HOST_QP1;
	case DEVICE_SMI:
		return HOST_QP0;
	case DEVICE_ROCE:
		return HOST_QP1 | HOST_ROCE;
	default:
		return HOST_QP0 | HOST_QP1;
	}
}

static int session_open(const struct doing *d)
{
	uint32_t arg = d->call->arg;
	const struct device *device;
	unsigned int port;

	if (!(arg & PROTO_UMAD))
		return d->ops->open(d->ops->context, d->session->node, arg, HOST_QP0 | HOST_QP1,
				    &d->reply->value);
	device = devices_umad(&d->session->devices, arg & ~(uint32_t)PROTO_UMAD, &port);
	return device ? d->ops->open(d->ops->context, device->node, device_node_port(device, port),
				     reach_of(device), &d->reply->value) :
			-ENOENT;
}

/* On a RoCE port, an open issm device has no visible effect. */
static int session_issm(const struct doing *d)
{
	unsigned int port;
	const struct device *device = devices_umad(&d->session->devices, d->call->arg, &port);

	if (!device || !device_has_issm(device))
		return -ENOENT;
	return d->ops->issm(d->ops->context, device->node, device_node_port(device, port),
			    device->kind == DEVICE_ROCE);
}

static int session_store(const struct doing *d)
{
	const char *path = (const char *)d->rest;
	int ret = sim_sysfs_check(d->s->fabric, &d->session->devices, path, d->rest_len);

	return ret ? ret :
		     d->ops->store(d->ops->context, d->session->node, path, d->rest_len, d->call->arg,
				   &d->reply->value);
}

static int session_control(const struct doing *d)
{
	if (d->rest_len && d->rest[d->rest_len - 1])
		return -EINVAL;
	d->reply->value =
		(uint64_t)d->ops->control(d->ops->context, (const char *)d->rest, d->rest_len, d->buf);
	return 0;
}

static int session_dispatch(const struct doing *d)
{
	const struct session *session = d->session;
	uint32_t op = d->call->op;
	struct host_file *file = NULL;

	if (op != PROTO_HELLO && !session->greeted)
		return -EPROTO;
	if (op == PROTO_REGISTER || op == PROTO_UNREGISTER || op == PROTO_SEND) {
		file = d->ops->file(d->ops->context, d->call->file);
		if (!file)
			return -EBADF;
	}
	/* these calls read or change the state at the present time */
	if (op == PROTO_SYSFS || op == PROTO_STORE || op == PROTO_CONTROL)
		simulation_process(d->s, d->now);
	switch (op) {
	case PROTO_HELLO:
		return session_hello(d);
	case PROTO_OPEN:
		return session_open(d);
	case PROTO_REGISTER:
		return session_enroll(d, file);
	case PROTO_UNREGISTER:
		return host_unregister(file, d->call->arg);
	case PROTO_SEND:
		return send_one(d, file);
	case PROTO_ISSM:
		return session_issm(d);
	case PROTO_INFO:
		return session_info(d);
	case PROTO_SYSFS:
		return sim_sysfs_read(d->s->fabric, &session->devices, (const char *)d->rest, d->rest_len,
				      d->buf);
	case PROTO_STORE:
		return session_store(d);
	case PROTO_STORED:
		return d->ops->stored(d->ops->context, d->call->file);
	case PROTO_TREE:
		return d->ops->tree(d->ops->context, &session->devices, d->buf);
	case PROTO_CONTROL:
		return session_control(d);
	}
	return -EBADMSG;
}

bool session_is_passed(const void *packet, size_t len, size_t *message_len)
{
	struct proto_call call;
	struct proto_mad mad;
	const uint8_t *rest, *message;
	size_t rest_len;

	if (proto_read_call(packet, len, &call, &rest, &rest_len) || call.op != PROTO_SEND ||
	    proto_read_mad(rest, rest_len, &mad, &message) || message)
		return false;
	*message_len = mad.len;
	return true;
}

int session_call(struct session *session, struct simulation *s, const struct session_ops *ops,
		 const struct session_packet *packet, uint64_t now, struct madkit_buf *buf)
{
	size_t at = buf->len;
	struct proto_call call;
	struct proto_reply reply = { .op = 0 };
	struct doing d = {
		.session = session,
		.s = s,
		.ops = ops,
		.call = &call,
		.passed = packet->passed,
		.now = now,
		.reply = &reply,
		.buf = buf,
	};
	const uint8_t *message;
	struct proto_mad mad;
	int ret;

	if (proto_read_call(packet->data, packet->len, &call, &d.rest, &d.rest_len))
		return -EBADMSG;
	if (call.op == PROTO_SEND &&
	    (proto_read_mad(d.rest, d.rest_len, &mad, &message) || (!message && !packet->passed)))
		return -EBADMSG;
	madkit_buf_add(buf, &reply, sizeof(reply));
	ret = session_dispatch(&d);
	reply.op = call.op;
	reply.error = (uint32_t)-ret;
	if (buf->error)
		return -ENOMEM;
	reply.len = buf->len - at - sizeof(reply);
	memcpy(buf->data + at, &reply, sizeof(reply));
	return 0;
}
