/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Queries subnet administration for the address of a GID, a GUID or a name. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <madkit/constants.h>
#include <madkit/mad.h>
#include <madkit/message.h>
#include <madkit/registry.h>
#include <madkit/query.h>
#include <madkit/resolve.h>
#include "agent/agent.h"
#include "agent/namemap.h"
#include "wire/access.h"

#define LINK_LOCAL_PREFIX UINT64_C(0xfe80000000000000)

struct query {
	const struct madkit_resolver *resolver;
	const struct madkit_layout *layout; /* of its records */
	struct madkit_send *send;
	struct madkit_reply reply;
};

static int query_init(struct query *q, const struct madkit_resolver *resolver, uint16_t attribute,
		      struct madkit_error *error)
{
	struct madkit_addr to = {
		.lid = resolver->sm_lid,
		.sl = resolver->sm_sl,
	};
	int ret = to.lid ? 0 : madkit_port_sa_addr(resolver->port, &to, error);

	*q = (struct query){
		.resolver = resolver,
		.layout = madkit_attribute_get(MADKIT_BASE_VERSION_IB, MADKIT_CLASS_SA, attribute)->layout,
	};
	if (ret)
		return ret;
	q->send = madkit_send_request(&to, MADKIT_CLASS_SA, MADKIT_METHOD_GET, attribute, 0);
	if (!q->send)
		return madkit_error_set(error, -ENOMEM, -1, "out of memory");
	q->send->timeout_ms = resolver->timeout_ms;
	q->send->retries = resolver->retries;
	field_put(MADKIT_HEADER_SA_SM_KEY, q->send->mad, resolver->sm_key);
	return 0;
}

static void query_free(struct query *q)
{
	madkit_recv_free(q->reply.recv);
	madkit_send_free(q->send);
}

/* Sets the error for the status of the SA's response, and returns its code. */
static int resolve_explain_status(uint16_t status, struct madkit_error *error)
{
	char text[160];

	madkit_status_text(MADKIT_CLASS_SA, status, text, sizeof(text));
	switch (status >> MADKIT_STATUS_CLASS_SHIFT) {
	case MADKIT_SA_STATUS_NO_RECORDS:
	case MADKIT_SA_STATUS_INVALID_GID:
		return madkit_error_set(error, -ENOENT, -1, "the SA found none: %s", text);
	case MADKIT_SA_STATUS_TOO_MANY_RECORDS:
		return madkit_error_set(error, -EEXIST, -1, "the SA found several: %s", text);
	}
	return madkit_error_set(error, -EPROTO, -1, "the SA refused the request: %s", text);
}

static int query_run(struct query *q, uint8_t method, struct madkit_error *error)
{
	struct madkit_refusal refusal;
	struct madkit_message message;
	size_t least = MADKIT_SA_DATA;
	int ret;

	madkit_recv_free(q->reply.recv);
	field_put(MADKIT_HEADER_METHOD, q->send->mad, method);
	ret = madkit_port_request(q->resolver->port, q->send, q->resolver->deadline_ns, &q->reply, &refusal);
	if (refusal.cause)
		return madkit_error_set(error,
					ret == -EINTR || ret == -ETIMEDOUT || ret == -EPROTO ? ret : -EIO, -1,
					"cannot register for the SA: %s", refusal.error.text);
	if (ret)
		return madkit_error_set(error, ret == -EINTR ? ret : -EIO, -1, "cannot query the SA: %s",
					strerror(-ret));
	ret = madkit_reply_message(&q->reply, &message);
	if (ret == -ETIMEDOUT)
		return madkit_error_set(error, -ETIMEDOUT, -1, "the SA at LID %" PRIu32 " does not answer",
					q->send->to.lid);
	if (!message.mad)
		return madkit_error_set(error, -EIO, -1, "cannot query the SA: %s", strerror(-ret));
	if (ret == -EBADMSG)
		return madkit_error_set(error, -EPROTO, -1, "the SA's response is about another attribute");
	if (ret)
		return resolve_explain_status(madkit_message_status(&message), error);
	if (method == MADKIT_METHOD_GET)
		least += q->layout->bytes;
	if (message.len < least)
		return madkit_error_set(error, -EPROTO, -1, "the SA's response is cut short: %zu bytes",
					message.len);
	return 0;
}

/* Returns a value of the record, or 0 if the record is too short. */
static uint64_t resolve_value(const struct madkit_record *record, uint64_t field)
{
	uint64_t value = 0;

	madkit_get(record->data, record->len, field, &value);
	return value;
}

/* The same for the only record of a response. */
static uint64_t reply_value(const struct query *q, uint64_t field)
{
	uint64_t value = 0;

	madkit_reply_get(&q->reply, field, &value);
	return value;
}

static int resolve_null(struct madkit_error *error)
{
	return madkit_error_set(error, -EINVAL, -1, "the resolver, its port or a parameter is NULL");
}

/* ---- paths --------------------------------------------------------------------- */

static int path_to_addr(const struct query *q, const uint8_t gid[16], struct madkit_addr *addr,
			struct madkit_error *error)
{
	uint64_t prefix = get_be64(gid);
	uint64_t lid = reply_value(q, MADKIT_PATH_RECORD_DLID);

	if (!lid)
		return madkit_error_set(error, -EPROTO, -1, "the SA's path leads to LID 0");
	addr->lid = (uint32_t)lid;
	addr->sl = (uint8_t)reply_value(q, MADKIT_PATH_RECORD_SL);
	if (prefix == q->resolver->port->info.gid_prefix || prefix == LINK_LOCAL_PREFIX)
		return 0;
	addr->grh = true;
	memcpy(addr->gid, gid, 16);
	addr->gid_index = 0;
	addr->hop_limit = (uint8_t)reply_value(q, MADKIT_PATH_RECORD_HOP_LIMIT);
	addr->traffic_class = (uint8_t)reply_value(q, MADKIT_PATH_RECORD_T_CLASS);
	addr->flow_label = (uint32_t)reply_value(q, MADKIT_PATH_RECORD_FLOW_LABEL);
	return 0;
}

int madkit_resolve_gid(const struct madkit_resolver *resolver, const uint8_t gid[16],
		       struct madkit_addr *addr, struct madkit_error *error)
{
	const struct madkit_port_info *info;
	char dgid[MADKIT_GID_TEXT_MAX];
	uint8_t own[16];
	struct query q;
	int ret;

	if (!resolver || !resolver->port || !gid || !addr)
		return resolve_null(error);
	info = &resolver->port->info;
	ret = query_init(&q, resolver, MADKIT_ATTR_PATH_RECORD, error);
	if (!ret && info->unread & MADKIT_PORT_GID)
		ret = madkit_error_set(error, info->unread_error, -1, "cannot read the GID of this port");
	if (!ret) {
		madkit_gid_put(own, info->gid_prefix, info->port_guid);
		madkit_send_put_bytes(q.send, MADKIT_PATH_RECORD_DGID, gid, 16);
		madkit_send_put_bytes(q.send, MADKIT_PATH_RECORD_SGID, own, 16);
		madkit_send_put(q.send, MADKIT_PATH_RECORD_REVERSIBLE, 1);
		madkit_send_put(q.send, MADKIT_PATH_RECORD_NUMB_PATH, 1);
		ret = query_run(&q, MADKIT_METHOD_GET, error);
	}
	if (!ret)
		ret = path_to_addr(&q, gid, addr, error);
	if (ret == -ENOENT)
		madkit_error_set(error, ret, -1, "the SA has no path to %s", madkit_gid_text(gid, dgid));
	if (ret == -EEXIST)
		ret = madkit_error_set(error, -EPROTO, -1,
				       "the SA sent several paths in response to a request for one");
	query_free(&q);
	return ret;
}

int madkit_resolve_guid(const struct madkit_resolver *resolver, uint64_t port_guid, struct madkit_addr *addr,
			struct madkit_error *error)
{
	uint64_t prefix;
	uint8_t gid[16];
	int ret;

	if (!resolver || !resolver->port || !addr)
		return resolve_null(error);
	prefix = resolver->port->info.gid_prefix;
	madkit_gid_put(gid, prefix ? prefix : LINK_LOCAL_PREFIX, port_guid);
	ret = madkit_resolve_gid(resolver, gid, addr, error);
	if (ret == -ENOENT)
		madkit_error_set(error, ret, -1, "the SA has no port with GUID 0x%016" PRIx64, port_guid);
	return ret;
}

/* ---- names --------------------------------------------------------------------- */

/* Sets the port GUID of the table's first record, if all records are ports of one node. */
static int resolve_one_node(const struct query *q, const char *name, uint64_t *port_guid,
			    struct madkit_error *error)
{
	struct madkit_message message;
	unsigned int n, got, total;
	uint64_t node = 0, guid;
	int ret;

	madkit_reply_message(&q->reply, &message);
	n = madkit_message_records(&message);
	ret = madkit_message_complete(&message, &got, &total);
	if (ret == -EBADMSG)
		return madkit_error_set(
			error, -EPROTO, -1,
			"the SA's table of nodes called '%.64s' cannot be divided into records", name);
	if (ret)
		return madkit_error_set(
			error, -EEXIST, -1,
			"several ports are called '%.64s', and the SA's table of them was cut short", name);
	if (!n)
		return madkit_error_set(error, -ENOENT, -1, "the SA has no node '%.64s'", name);
	for (unsigned int i = 0; i < n; i++) {
		struct madkit_record record;

		madkit_record_get(&message, i, &record);
		if (!record.data || record.len < q->layout->bytes)
			return madkit_error_set(error, -EPROTO, -1,
						"the SA's table of nodes has a record too short");
		guid = resolve_value(&record, MADKIT_NODE_RECORD_NODE_INFO_GUID);
		if (i && guid != node)
			return madkit_error_set(error, -EEXIST, -1,
						"several nodes are called '%.64s': use a GUID", name);
		node = guid;
		if (!i)
			*port_guid = resolve_value(&record, MADKIT_NODE_RECORD_NODE_INFO_PORT_GUID);
	}
	return 0;
}

/* Finds the port GUID of a node by its node GUID or, if that is NULL, by its node description. */
static int resolve_node(const struct madkit_resolver *resolver, const uint64_t *guid, const char *name,
			uint64_t *port_guid, struct madkit_error *error)
{
	struct query q;
	int ret = query_init(&q, resolver, MADKIT_ATTR_NODE_RECORD, error);

	if (!ret && guid)
		ret = madkit_send_put(q.send, MADKIT_NODE_RECORD_NODE_INFO_GUID, *guid);
	else if (!ret)
		ret = madkit_send_put_bytes(q.send, MADKIT_NODE_RECORD_NODE_DESCRIPTION, name, strlen(name)) ?
			      -ENOENT :
			      0;
	if (!ret) {
		ret = query_run(&q, MADKIT_METHOD_GET, error);
		if (!ret)
			*port_guid = reply_value(&q, MADKIT_NODE_RECORD_NODE_INFO_PORT_GUID);
		else if (ret == -EEXIST)
			ret = query_run(&q, MADKIT_METHOD_GET_TABLE, error);
		if (!ret && q.reply.recv->mad[MADKIT_MAD_METHOD] ==
				    (MADKIT_METHOD_GET_TABLE | MADKIT_METHOD_RESPONSE))
			ret = resolve_one_node(&q, name, port_guid, error);
	}
	if (ret == -ENOENT)
		madkit_error_set(error, ret, -1, "the SA has no node '%.64s'", name);
	query_free(&q);
	return ret;
}

int madkit_resolve_name(const struct madkit_resolver *resolver, const char *name, struct madkit_addr *addr,
			struct madkit_error *error)
{
	uint64_t guid, port_guid = 0;
	int ret = -ENOENT;

	if (!resolver || !resolver->port || !name || !addr)
		return resolve_null(error);
	if (resolver->node_name_map) {
		ret = namemap_find(resolver->node_name_map, &resolver->port->limit, name, &guid, error);
		if (ret && ret != -ENOENT)
			return ret;
	}
	ret = resolve_node(resolver, ret ? NULL : &guid, name, &port_guid, error);
	if (ret)
		return ret;
	return madkit_resolve_guid(resolver, port_guid, addr, error);
}

/* Looks up the name of a GUID in the resolver's map. Returns -ENOENT if there is no map, or it does not have
 * the GUID. */
static int resolve_mapped(const struct madkit_resolver *resolver, uint64_t guid, char name[65],
			  struct madkit_error *error)
{
	const char *found;

	if (!resolver->name_map)
		return resolver->node_name_map ? namemap_name(resolver->node_name_map, &resolver->port->limit,
							      guid, name, error) :
						 -ENOENT;
	found = madkit_name_map_name(resolver->name_map, guid);
	if (!found)
		return madkit_error_set(error, -ENOENT, -1, "the node name map does not have the node");
	snprintf(name, 65, "%s", found);
	return 0;
}

int madkit_resolve_lid(const struct madkit_resolver *resolver, uint32_t lid, bool describe, char name[65],
		       struct madkit_error *error)
{
	struct madkit_message message;
	struct madkit_record record;
	struct query q;
	uint64_t guid = 0;
	int ret;

	if (!resolver || !resolver->port || !name)
		return resolve_null(error);
	memset(name, 0, 65);
	ret = query_init(&q, resolver, MADKIT_ATTR_NODE_RECORD, error);
	if (!ret)
		ret = madkit_send_put(q.send, MADKIT_NODE_RECORD_LID, lid);
	if (!ret)
		ret = query_run(&q, MADKIT_METHOD_GET, error);
	if (!ret) {
		guid = reply_value(&q, MADKIT_NODE_RECORD_NODE_INFO_GUID);
		ret = resolve_mapped(resolver, guid, name, error);
		if (ret == -ENOENT && describe) {
			madkit_reply_message(&q.reply, &message);
			madkit_record_get(&message, 0, &record);
			ret = madkit_get_bytes(record.data, record.len, MADKIT_NODE_RECORD_NODE_DESCRIPTION,
					       name, 64);
		}
	}
	query_free(&q);
	return ret;
}
