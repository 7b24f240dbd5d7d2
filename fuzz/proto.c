/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Any bytes as packets of madsim's protocol: refused, or what they hold lies within them.
 * The first byte tells what the rest is taken for; addresses and agents that were read are
 * written and read the same.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sim/proto.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define hold(cond) do { \
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

static void call(const uint8_t *packet, size_t len)
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

static void reply(const uint8_t *packet, size_t len, enum proto_op op)
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *packet;

	if (!size)
		return 0;
	/* a copy of its own length, so that reading on is seen */
	packet = malloc(size - 1 ? size - 1 : 1);
	hold(packet);
	memcpy(packet, data + 1, size - 1);
	if (data[0] == 0)
		call(packet, size - 1);
	else if (data[0] == 0xff)
		mad(packet, size - 1);
	else
		reply(packet, size - 1, (enum proto_op)(1 + data[0] % (PROTO_OPS - 1)));
	free(packet);
	return 0;
}
