/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include "sim/serve/proto.h"

/* Lengths of the data after the header of a call and of a reply: the minimum, and how many bytes more are
 * allowed. */
static const struct {
	uint16_t call, call_more;
	uint16_t reply, reply_more;
} lengths[PROTO_OPS] = {
	[PROTO_HELLO] = { 0, PROTO_WORDS_MAX, sizeof(struct proto_node), 0 },
	[PROTO_OPEN] = { 0, 0, 0, 0 },
	[PROTO_REGISTER] = { sizeof(struct proto_agent), 0, 0, 0 },
	[PROTO_UNREGISTER] = { 0, 0, 0, 0 },
	[PROTO_SEND] = { sizeof(struct proto_mad), PROTO_PACKET_MAX - 1 - sizeof(struct proto_mad), 0, 0 },
	[PROTO_ISSM] = { 0, 0, 0, 0 },
	[PROTO_INFO] = { 0, 0, sizeof(struct proto_info), 0 },
	[PROTO_SYSFS] = { 1, PROTO_WORDS_MAX - 1, 0, PROTO_PACKET_MAX - 1 },
	[PROTO_CONTROL] = { 0, PROTO_WORDS_MAX, 0, PROTO_PACKET_MAX - 1 },
	[PROTO_TREE] = { 0, 0, 1, PROTO_WORDS_MAX - 1 },
	[PROTO_STORE] = { 1, PROTO_WORDS_MAX - 1, 0, 0 },
	[PROTO_STORED] = { 0, 0, 0, 0 },
};

static bool proto_length_fits(size_t len, uint16_t least, uint16_t more)
{
	return len >= least && len - least <= more;
}

int proto_read_call(const void *packet, size_t len, struct proto_call *call, const uint8_t **rest,
		    size_t *rest_len)
{
	if (len < sizeof(*call) || len > PROTO_PACKET_MAX)
		return -EBADMSG;
	memcpy(call, packet, sizeof(*call));
	*rest = (const uint8_t *)packet + sizeof(*call);
	*rest_len = len - sizeof(*call);
	if (!call->op || call->op >= PROTO_OPS ||
	    !proto_length_fits(*rest_len, lengths[call->op].call, lengths[call->op].call_more))
		return -EBADMSG;
	return 0;
}

int proto_read_reply(const void *packet, size_t len, enum proto_op op, struct proto_reply *reply,
		     const uint8_t **rest, size_t *rest_len)
{
	if (len < sizeof(*reply) || len > PROTO_PACKET_MAX)
		return -EBADMSG;
	memcpy(reply, packet, sizeof(*reply));
	*rest_len = len - sizeof(*reply);
	*rest = *rest_len ? (const uint8_t *)packet + sizeof(*reply) : NULL;
	if (reply->op != op || reply->flags & ~(uint32_t)PROTO_PASSED || reply->error > PROTO_ERRNO_MAX)
		return -EBADMSG;
	if (reply->flags & PROTO_PASSED)
		return *rest_len || !lengths[op].reply_more || reply->len > PROTO_MESSAGE_MAX ? -EBADMSG : 0;
	if (reply->len != *rest_len)
		return -EBADMSG;
	if (reply->error && (!*rest_len || (op == PROTO_HELLO && *rest_len <= PROTO_REASON_MAX)))
		return 0;
	return proto_length_fits(*rest_len, lengths[op].reply, lengths[op].reply_more) ? 0 : -EBADMSG;
}

int proto_read_mad(const void *packet, size_t len, struct proto_mad *mad, const uint8_t **rest)
{
	if (len < sizeof(*mad) || len > PROTO_PACKET_MAX)
		return -EBADMSG;
	memcpy(mad, packet, sizeof(*mad));
	len -= sizeof(*mad);
	if (mad->flags & ~(uint32_t)PROTO_PASSED || mad->addr.grh > 1 || mad->len > PROTO_MESSAGE_MAX ||
	    mad->status > PROTO_ERRNO_MAX)
		return -EBADMSG;
	*rest = NULL;
	if (mad->flags & PROTO_PASSED)
		return len ? -EBADMSG : 0;
	*rest = (const uint8_t *)packet + sizeof(*mad);
	return mad->len == len ? 0 : -EBADMSG;
}

void proto_read_node(const uint8_t *rest, struct proto_node *node)
{
	memcpy(node, rest, sizeof(*node));
	node->ca[sizeof(node->ca) - 1] = '\0';
	node->name[sizeof(node->name) - 1] = '\0';
	node->description[sizeof(node->description) - 1] = '\0';
}

void proto_read_info(const uint8_t *rest, struct proto_info *info)
{
	memcpy(info, rest, sizeof(*info));
	info->ca[sizeof(info->ca) - 1] = '\0';
	info->ca_type[sizeof(info->ca_type) - 1] = '\0';
	info->firmware[sizeof(info->firmware) - 1] = '\0';
}
