/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Convenience functions for requests and responses. */
#include <errno.h>
#include <string.h>
#include <madkit/query.h>
#include <madkit/registry.h>
#include <madkit/rmpp.h>
#include "agent/agent.h"
#include "util/bits.h"
#include "wire/access.h"

enum {
	DIRECTION_BIT = 0x8000, /* of the status of a directed-route SMP */
	/* in the GRH of a response, which may cross as many routers as the request did */
	HOP_LIMIT_MOST = 255,
	RESPONSE_RETRIES = 5,
};

struct madkit_send *madkit_send_request(const struct madkit_addr *to, uint8_t mgmt_class, uint8_t method,
					uint16_t attribute, uint32_t modifier)
{
	const struct madkit_header header = {
		.base_version = MADKIT_BASE_VERSION_IB,
		.mgmt_class = mgmt_class,
		.class_version = madkit_class_version(mgmt_class),
		.method = method,
		.attribute = attribute,
		.modifier = modifier,
	};
	struct madkit_send *send = madkit_send_new(MADKIT_MAD_BYTES);

	if (!send)
		return NULL;
	madkit_header_put(send->mad, send->len, &header);
	if (to)
		send->to = *to;
	else
		send->to.direct = mgmt_class == MADKIT_CLASS_SUBN_DR;
	if (!send->to.qp && !madkit_class_is_smi(mgmt_class)) {
		send->to.qp = 1;
		send->to.qkey = MADKIT_QKEY_GSI;
	}
	send->timeout_ms = 1000;
	send->retries = 2;
	return send;
}

/* Checks if the response is a table of the SA, which always has RMPP (IBA 15.2.2). */
static bool query_is_table(uint8_t mgmt_class, uint8_t method)
{
	return mgmt_class == MADKIT_CLASS_SA &&
	       (method == (MADKIT_METHOD_GET_TABLE | MADKIT_METHOD_RESPONSE) ||
		method == (MADKIT_METHOD_GET_MULTI | MADKIT_METHOD_RESPONSE));
}

struct madkit_send *madkit_send_response(const struct madkit_recv *recv, size_t len)
{
	uint8_t mgmt_class, method;
	struct madkit_send *send;

	if (!recv || recv->len < MADKIT_HEADER_BYTES || recv->status ||
	    madkit_mad_is_response(recv->mad, recv->len))
		return NULL;
	mgmt_class = recv->mad[MADKIT_MAD_CLASS];
	method = madkit_method_response(mgmt_class, recv->mad[MADKIT_MAD_METHOD]);
	if (!method)
		return NULL;
	len = len ? len : recv->len;
	send = madkit_send_new(len);
	if (!send)
		return NULL;
	memcpy(send->mad, recv->mad, len < recv->len ? len : recv->len);
	send->mad[MADKIT_MAD_METHOD] = method;
	/* in a directed-route SMP, the first bit of the status is the direction */
	put_be16(send->mad + MADKIT_MAD_STATUS, mgmt_class == MADKIT_CLASS_SUBN_DR ? DIRECTION_BIT : 0);
	if (!(method & MADKIT_METHOD_RESPONSE) && mgmt_class == MADKIT_CLASS_BM)
		send->mad[MADKIT_MAD_MODIFIER + 3] |= 1;
	if (query_is_table(mgmt_class, method)) {
		madkit_rmpp_set_version(send->mad, MADKIT_RMPP_VERSION);
		madkit_rmpp_set_type(send->mad, MADKIT_RMPP_DATA);
		madkit_rmpp_set_flags(send->mad, MADKIT_RMPP_ACTIVE);
	}
	send->to = recv->from;
	if (send->to.grh)
		send->to.hop_limit = HOP_LIMIT_MOST;
	send->retries = RESPONSE_RETRIES;
	return send;
}

/* Finds the data of a field: the attribute or the MAD, from which its position counts, and the number of
 * bytes from there on. Returns 0; -ENOMEM; -ENODATA; or -EINVAL if a MAD does not have the field. */
static int send_data(struct madkit_send *send, uint64_t field, uint8_t **data, size_t *len)
{
	struct madkit_header header;
	size_t offset = 0;

	if (!send)
		return -ENOMEM;
	if (at_component(field) == MADKIT_AT_PORT_OBJECT)
		return -EINVAL;
	if (madkit_header_get(send->mad, send->len, &header))
		return -ENODATA;
	if (at_component(field) != MADKIT_AT_HEADER)
		offset = madkit_attribute_offset(header.base_version, header.mgmt_class,
						 madkit_attribute_of(send->mad, send->len, NULL));
	if (offset > send->len)
		return -ENODATA;
	*len = send->len - offset;
	*data = send->mad + offset;
	return 0;
}

/* Adds the bits of the field to the ComponentMask. */
static void send_component(struct madkit_send *send, uint64_t field)
{
	if (send->mad[MADKIT_MAD_CLASS] == MADKIT_CLASS_SA)
		field_put(MADKIT_HEADER_SA_COMPONENT_MASK, send->mad,
			  field_get(MADKIT_HEADER_SA_COMPONENT_MASK, send->mad) | madkit_component(field));
}

int madkit_send_put(struct madkit_send *send, uint64_t field, uint64_t value)
{
	uint8_t *data;
	size_t len;
	int ret = send_data(send, field, &data, &len);

	if (!ret)
		ret = madkit_put(data, len, field, value);
	if (!ret)
		send_component(send, field);
	return ret;
}

int madkit_send_put_bytes(struct madkit_send *send, uint64_t field, const void *bytes, size_t size)
{
	uint8_t *data;
	size_t len;
	int ret = send_data(send, field, &data, &len);

	if (!ret)
		ret = madkit_put_bytes(data, len, field, bytes, size);
	if (!ret)
		send_component(send, field);
	return ret;
}

int madkit_port_sa_addr(struct madkit_port *port, struct madkit_addr *addr, struct madkit_error *error)
{
	const struct madkit_port_info *info = madkit_port_get_info(port);

	if (!info || !addr)
		return madkit_error_set(error, -EINVAL, -1, "the port or the address is NULL");
	if (!info->sm_lid)
		madkit_port_refresh(port);
	if (!info->sm_lid && info->unread & MADKIT_PORT_SM_LID)
		return madkit_error_set(error, info->unread_error, -1, "cannot read the SM LID of %s: %s",
					info->device, strerror(-info->unread_error));
	if (!info->sm_lid)
		return madkit_error_set(error, -EHOSTUNREACH, -1, "no subnet manager: the SM LID of %s is 0",
					info->device);
	*addr = (struct madkit_addr){
		.lid = info->sm_lid,
		.sl = info->sm_sl,
		.qp = 1,
		.qkey = MADKIT_QKEY_GSI,
	};
	return 0;
}

/* Finds an agent of the port for requests like this one, or registers a new one, which is kept for further
 * requests until the port is closed. */
static int query_agent(struct madkit_port *port, const struct madkit_send *send, struct madkit_agent **agent,
		       struct madkit_refusal *refusal)
{
	struct madkit_agent_attr attr = { 0 };
	struct madkit_header header;
	int ret = madkit_header_get(send->mad, send->len, &header);

	if (ret)
		return ret;
	attr.mgmt_class = header.mgmt_class;
	attr.rmpp_version = madkit_class_is_rmpp(header.mgmt_class) && header.method != MADKIT_METHOD_GET;
	attr.oui = oui_get(send->mad, send->len);
	list_each(struct madkit_agent, own, &port->agents, link) {
		if (agent_is_alike(own, &attr)) {
			*agent = own;
			return 0;
		}
	}
	return madkit_agent_register(port, &attr, agent, refusal);
}

int madkit_port_request(struct madkit_port *port, struct madkit_send *send, uint64_t deadline_ns,
			struct madkit_reply *reply, struct madkit_refusal *refusal)
{
	struct madkit_agent *agent;
	int ret = -ENOMEM;

	if (reply)
		*reply = (struct madkit_reply){ .rtt_ns = -1 };
	if (!port || !reply)
		return -EINVAL;
	if (refusal)
		*refusal = (struct madkit_refusal){ .cause = MADKIT_REFUSAL_NONE };
	if (send)
		ret = query_agent(port, send, &agent, refusal);
	return ret ? ret : madkit_request(agent, send, deadline_ns, reply);
}

int madkit_reply_message(const struct madkit_reply *reply, struct madkit_message *message)
{
	const struct madkit_recv *recv = reply ? reply->recv : NULL;

	if (!reply || !message)
		return -EINVAL;
	*message = (struct madkit_message){
		.kind = recv ? MADKIT_MESSAGE_RESPONSE : MADKIT_MESSAGE_ERROR,
		.rtt_us = reply->rtt_ns < 0 ? -1 : reply->rtt_ns / 1000,
		.attempts = reply->kernel_resends ? -1 : (int32_t)reply->attempts,
		.send_status = -reply->status,
		.time = { .tv_nsec = -1 },
	};
	if (reply->status || !recv)
		return reply->status ? reply->status : -EIO;
	message->remote = &recv->from;
	message->mad = recv->mad;
	message->len = recv->len;
	if (reply->mismatch)
		return reply->mismatch;
	return madkit_message_status(message) ? -EPROTO : 0;
}

int madkit_reply_get(const struct madkit_reply *reply, uint64_t field, uint64_t *value)
{
	struct madkit_message message;
	struct madkit_record record;
	int ret = madkit_reply_message(reply, &message);

	if (ret)
		return ret;
	if (at_component(field) == MADKIT_AT_PORT_OBJECT)
		return -EINVAL;
	if (at_component(field) == MADKIT_AT_HEADER)
		return madkit_get(message.mad, message.len, field, value);
	madkit_record_get(&message, 0, &record);
	return record.data ? madkit_get(record.data, record.len, field, value) : -ENODATA;
}
