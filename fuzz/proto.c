/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Any bytes as packets of madsim's protocol: they are refused, or their parts lie within them. The first byte
 * selects the kind of packet; addresses and agents that were read are written and read back unchanged. Or
 * calls of two clients to a server with tokens counted from 1: each call has a reply that the client can
 * read, or ends its connection.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sim/serve/proto.h"
#include "sim/serve/serve.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define hold(cond) \
	do { \
		if (!(cond)) { \
			fprintf(stderr, "line %d: not so: %s\n", __LINE__, #cond); \
			abort(); \
		} \
	} while (0)

/* Adds up all bytes, so that a sanitizer sees those that are not there. */
static unsigned int touch(const uint8_t *data, size_t len)
{
	volatile unsigned int sum = 0;

	for (size_t i = 0; i < len; i++)
		sum += data[i];
	return sum;
}

static void look_at_addr(const struct proto_addr *addr)
{
	struct madkit_addr first, second;
	struct proto_addr again;

	memset(&first, 0, sizeof(first));
	memset(&second, 0, sizeof(second));
	proto_read_addr(addr, &first);
	proto_addr(&first, &again);
	proto_read_addr(&again, &second);
	hold(!memcmp(&first, &second, sizeof(first)));
	hold(first.grh == addr->grh);
}

static void mad(const uint8_t *packet, size_t len)
{
	struct proto_mad mad;
	const uint8_t *rest;
	int ret = proto_read_mad(packet, len, &mad, &rest);

	hold(!ret || ret == -EBADMSG);
	if (ret)
		return;
	hold(mad.len <= PROTO_MESSAGE_MAX);
	hold(!rest == !!(mad.flags & PROTO_PASSED));
	if (rest)
		touch(rest, mad.len);
	look_at_addr(&mad.addr);
}

static void fuzz_proto_call(const uint8_t *packet, size_t len)
{
	struct proto_call call;
	struct host_agent agent, again;
	struct proto_agent written;
	const uint8_t *rest;
	size_t rest_len;
	int ret = proto_read_call(packet, len, &call, &rest, &rest_len);

	hold(!ret || ret == -EBADMSG);
	if (ret)
		return;
	hold(call.op && call.op < PROTO_OPS);
	touch(rest, rest_len);
	if (call.op == PROTO_SEND)
		mad(rest, rest_len);
	if (call.op != PROTO_REGISTER)
		return;
	memset(&agent, 0, sizeof(agent));
	memset(&again, 0, sizeof(again));
	proto_read_agent(rest, &agent);
	proto_agent(&agent, &written);
	proto_read_agent((const uint8_t *)&written, &again);
	hold(!memcmp(&agent, &again, sizeof(agent)));
}

static void fuzz_proto_reply(const uint8_t *packet, size_t len, enum proto_op op)
{
	struct proto_reply reply;
	struct proto_node node;
	struct proto_info info;
	const uint8_t *rest;
	size_t rest_len;
	int ret = proto_read_reply(packet, len, op, &reply, &rest, &rest_len);

	hold(!ret || ret == -EBADMSG);
	if (ret)
		return;
	hold(reply.op == op);
	if (reply.flags & PROTO_PASSED) {
		hold(!rest && reply.len <= PROTO_MESSAGE_MAX);
		return;
	}
	hold(rest_len == reply.len && (rest || !rest_len));
	if (rest)
		touch(rest, rest_len);
	if (reply.error)
		return;
	if (op == PROTO_HELLO) {
		proto_read_node(rest, &node);
		hold(strlen(node.ca) < sizeof(node.ca) && strlen(node.name) < sizeof(node.name) &&
		     strlen(node.description) < sizeof(node.description));
	}
	if (op == PROTO_INFO) {
		proto_read_info(rest, &info);
		hold(strlen(info.ca) < sizeof(info.ca) && strlen(info.ca_type) < sizeof(info.ca_type) &&
		     strlen(info.firmware) < sizeof(info.firmware));
	}
}

/* ---- sessions ------------------------------------------------------------------------ */

enum { FILES = 8, CALLS = 64 };

static const char net[] = "Switch 4 \"s\"\n[1] \"a\"[1]\n[2] \"b\"[1]\n"
			  "Ca 1 \"a\"\n[1] \"s\"[1]\nCa 2 \"b\"\n[1] \"s\"[2]\n";

struct end {
	struct simulation *s;
	struct host_file *files[FILES];
	unsigned int nfiles, nissm;
	struct {
		uint32_t node;
		unsigned int port;
	} issm[CALLS];
};

static int fuzz_proto_on_open(void *context, uint32_t node, unsigned int port, unsigned int reach,
			      uint64_t *token)
{
	struct end *end = context;
	int ret;

	if (end->nfiles == FILES)
		return -EMFILE;
	ret = host_open(end->s->hosts, node, port, NULL, NULL, &end->files[end->nfiles]);
	if (!ret)
		host_file_limit(end->files[end->nfiles], reach);
	if (!ret)
		*token = ++end->nfiles;
	return ret;
}

static int fuzz_proto_on_issm(void *context, uint32_t node, unsigned int port, bool roce)
{
	struct end *end = context;
	int ret = roce ? -EAGAIN : host_issm_open(end->s->hosts, node, port);

	if (!ret) {
		end->issm[end->nissm].node = node;
		end->issm[end->nissm++].port = port;
	}
	return ret;
}

/* The path is that of a file; its own bytes are written. */
static int fuzz_proto_on_store(void *context, uint32_t node, const char *path, size_t len, bool content,
			       uint64_t *token)
{
	struct end *end = context;
	struct devices devices;

	(void)content;
	if (devices_of(end->s->topology, node, DEVICES_ROCE | DEVICES_PLANAR, &devices))
		return -ENOMEM;
	sim_sysfs_write(end->s->fabric, &devices, path, len, path, len);
	devices_free(&devices);
	*token = 1;
	return 0;
}

static int fuzz_proto_on_stored(void *context, uint64_t token)
{
	(void)context;
	return token == 1 ? -EINVAL : -ENODEV;
}

static struct host_file *fuzz_proto_on_file(void *context, uint64_t token)
{
	struct end *end = context;

	return token && token <= end->nfiles ? end->files[token - 1] : NULL;
}

static int fuzz_proto_on_tree(void *context, const struct devices *devices, struct madkit_buf *path)
{
	struct end *end = context;

	hold(devices->n && devices->list[0].node < end->s->topology->nnodes);
	madkit_buf_str(path, "/tree");
	return 0;
}

static int on_control(void *context, const char *words, size_t len, struct madkit_buf *text)
{
	(void)context;
	hold(!len || !words[len - 1]);
	madkit_buf_add(text, words, len);
	return 0;
}

/* Does all that is due, and takes what came. */
static void settle(struct end *end, uint64_t now)
{
	struct host_message m;

	simulation_process(end->s, now);
	for (unsigned int i = 0; i < end->nfiles; i++)
		while (host_next(end->files[i], &m)) {
			touch(m.mad, m.len);
			host_pop(end->files[i]);
		}
}

static void one_call(struct end *end, struct session *session, const uint8_t *packet, size_t len,
		     uint64_t now)
{
	const struct session_ops ops = {
		.open = fuzz_proto_on_open,
		.issm = fuzz_proto_on_issm,
		.store = fuzz_proto_on_store,
		.stored = fuzz_proto_on_stored,
		.file = fuzz_proto_on_file,
		.tree = fuzz_proto_on_tree,
		.control = on_control,
		.context = end,
		.hosts = DEVICES_ROCE | DEVICES_PLANAR,
	};
	static const uint8_t passed[4096];
	uint8_t *copy = malloc(len ? len : 1);
	struct proto_reply reply;
	struct madkit_buf buf;
	const uint8_t *rest;
	size_t n, rest_len;
	bool is_passed;
	int ret;

	hold(copy);
	memcpy(copy, packet, len);
	madkit_buf_init(&buf, 0);
	is_passed = session_is_passed(copy, len, &n) && n <= sizeof(passed);
	ret = session_call(session, end->s, &ops,
			   &(struct session_packet){ copy, len, is_passed ? passed : NULL }, now, &buf);
	hold(!ret || ret == -EBADMSG);
	if (!ret && buf.len <= PROTO_PACKET_MAX)
		hold(!proto_read_reply(buf.data, buf.len, (enum proto_op)packet[0], &reply, &rest,
				       &rest_len));
	if (ret)
		session_end(session);
	madkit_buf_free(&buf);
	free(copy);
}

/* One byte for the client and the time before the call, two for the length, then the call. */
static void sessions(const uint8_t *data, size_t size)
{
	const struct simulation_options options = { .seed = 1 };
	struct session session[2] = { { .greeted = false }, { .greeted = false } };
	struct topology *t = NULL;
	struct end end = { .nfiles = 0 };
	uint64_t now = 0;

	hold(!topology_read(net, strlen(net), &t, NULL));
	hold(!simulation_new(t, &options, &end.s));
	for (int calls = 0; size >= 3 && calls < CALLS; calls++) {
		size_t len = (size_t)data[1] << 8 | data[2];
		unsigned int who = data[0] & 1;

		now += (uint64_t)(data[0] >> 1) * 20000000;
		data += 3;
		size -= 3;
		len = len < size ? len : size;
		one_call(&end, &session[who], data, len, now);
		settle(&end, now);
		data += len;
		size -= len;
	}
	settle(&end, now + UINT64_C(20000000000));
	session_end(&session[0]);
	session_end(&session[1]);
	for (unsigned int i = 0; i < end.nissm; i++)
		host_issm_close(end.s->hosts, end.issm[i].node, end.issm[i].port);
	for (unsigned int i = 0; i < end.nfiles; i++)
		host_close(end.files[i]);
	simulation_free(end.s);
	topology_free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *packet;

	if (!size)
		return 0;
	if (data[0] == 0xfe) {
		sessions(data + 1, size - 1);
		return 0;
	}
	/* a copy of the exact length, so that reading beyond it is detected */
	packet = malloc(size - 1 ? size - 1 : 1);
	hold(packet);
	memcpy(packet, data + 1, size - 1);
	if (data[0] == 0)
		fuzz_proto_call(packet, size - 1);
	else if (data[0] == 0xff)
		mad(packet, size - 1);
	else
		fuzz_proto_reply(packet, size - 1, (enum proto_op)(1 + data[0] % (PROTO_OPS - 1)));
	free(packet);
	return 0;
}
