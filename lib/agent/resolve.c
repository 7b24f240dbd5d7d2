/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Queries subnet administration for the address of a GUID or a GID. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <madkit/constants.h>
#include <madkit/mad.h>
#include <madkit/message.h>
#include <madkit/registry.h>
#include "agent/agent.h"
#include "agent/resolve.h"
#include "wire/access.h"

#define LINK_LOCAL_PREFIX UINT64_C(0xfe80000000000000)

/* ---- queries --------------------------------------------------------------------- */

int sa_request(const struct madkit_resolver *resolver, uint8_t method, uint16_t attribute,
	       struct madkit_send **send, struct madkit_error *error)
{
	struct madkit_addr to = { .lid = resolver->sm_lid, .sl = resolver->sm_sl };
	int ret = to.lid ? 0 : madkit_port_sa_addr(resolver->port, &to, error);

	*send = ret ? NULL : madkit_send_request(&to, MADKIT_CLASS_SA, method, attribute, 0);
	if (ret)
		return ret;
	if (!*send)
		return madkit_error_set(error, -ENOMEM, -1, "out of memory");
	(*send)->timeout_ms = resolver->timeout_ms;
	(*send)->retries = resolver->retries;
	field_put(MADKIT_HEADER_SA_SM_KEY, (*send)->mad, resolver->sm_key);
	return 0;
}

/* Sets the error for the status of the SA's response, and returns its code. */
static int sa_explain_status(uint16_t status, struct madkit_error *error)
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

/* Returns the least length of a response: a Get has a whole record, a table may be empty. */
static size_t sa_response_least(const struct madkit_send *send)
{
	const struct madkit_attribute *attribute = madkit_attribute_of(send->mad, send->len, NULL);

	return MADKIT_SA_DATA +
	       (send->mad[MADKIT_MAD_METHOD] == MADKIT_METHOD_GET ? attribute->layout->bytes : 0);
}

int sa_check(const struct madkit_send *send, int failed, const struct madkit_reply *reply,
	     struct madkit_error *error)
{
	struct madkit_message message;
	int ret;

	if (failed)
		return madkit_error_set(error, failed == -EINTR ? failed : -EIO, -1,
					"cannot query the SA: %s", strerror(-failed));
	ret = madkit_reply_message(reply, &message);
	if (ret == -ETIMEDOUT)
		return madkit_error_set(error, -ETIMEDOUT, -1, "the SA at LID %" PRIu32 " does not answer",
					send->to.lid);
	if (!message.mad)
		return madkit_error_set(error, -EIO, -1, "cannot query the SA: %s", strerror(-ret));
	if (ret == -EBADMSG)
		return madkit_error_set(error, -EPROTO, -1, "the SA's response is about another attribute");
	if (ret)
		return sa_explain_status(madkit_message_status(&message), error);
	if (message.len < sa_response_least(send))
		return madkit_error_set(error, -EPROTO, -1, "the SA's response is cut short: %zu bytes",
					message.len);
	return 0;
}

int sa_refused(int failed, const struct madkit_refusal *refusal, struct madkit_error *error)
{
	return madkit_error_set(error,
				failed == -EINTR || failed == -ETIMEDOUT || failed == -EPROTO ? failed : -EIO,
				-1, "cannot register for the SA: %s", refusal->error.text);
}

int sa_query(const struct madkit_resolver *resolver, struct madkit_send *send, struct madkit_reply *reply,
	     struct madkit_error *error)
{
	struct madkit_refusal refusal;
	int ret = madkit_port_request(resolver->port, send, resolver->deadline_ns, reply, &refusal);

	return refusal.cause ? sa_refused(ret, &refusal, error) : sa_check(send, ret, reply, error);
}

uint64_t sa_value(const struct madkit_record *record, uint64_t field)
{
	uint64_t value = 0;

	madkit_get(record->data, record->len, field, &value);
	return value;
}

int resolve_null(struct madkit_error *error)
{
	return madkit_error_set(error, -EINVAL, -1, "the resolver, its port or a parameter is NULL");
}

/* ---- paths --------------------------------------------------------------------- */

/* Requests the path from the port to a GID. The caller frees reply->recv. */
static int path_query(const struct madkit_resolver *resolver, const uint8_t gid[16],
		      struct madkit_reply *reply, struct madkit_error *error)
{
	const struct madkit_port_info *info = &resolver->port->info;
	struct madkit_send *send;
	uint8_t own[16];
	int ret = sa_request(resolver, MADKIT_METHOD_GET, MADKIT_ATTR_PATH_RECORD, &send, error);

	if (!ret && info->unread & MADKIT_PORT_GID)
		ret = madkit_error_set(error, info->unread_error, -1, "cannot read the GID of this port");
	if (!ret) {
		madkit_gid_put(own, info->gid_prefix, info->port_guid);
		madkit_send_put_bytes(send, MADKIT_PATH_RECORD_DGID, gid, 16);
		madkit_send_put_bytes(send, MADKIT_PATH_RECORD_SGID, own, 16);
		madkit_send_put(send, MADKIT_PATH_RECORD_REVERSIBLE, 1);
		madkit_send_put(send, MADKIT_PATH_RECORD_NUMB_PATH, 1);
		ret = sa_query(resolver, send, reply, error);
	}
	madkit_send_free(send);
	return ret;
}

static int path_to_addr(const struct madkit_resolver *resolver, const struct madkit_reply *reply,
			const uint8_t gid[16], struct madkit_addr *addr, struct madkit_error *error)
{
	struct madkit_message message;
	struct madkit_record path;
	uint64_t prefix = get_be64(gid), lid;

	madkit_reply_message(reply, &message);
	madkit_record_get(&message, 0, &path);
	lid = sa_value(&path, MADKIT_PATH_RECORD_DLID);
	if (!lid)
		return madkit_error_set(error, -EPROTO, -1, "the SA's path leads to LID 0");
	addr->lid = (uint32_t)lid;
	addr->sl = (uint8_t)sa_value(&path, MADKIT_PATH_RECORD_SL);
	if (prefix == resolver->port->info.gid_prefix || prefix == LINK_LOCAL_PREFIX)
		return 0;
	addr->grh = true;
	memcpy(addr->gid, gid, 16);
	addr->gid_index = 0;
	addr->hop_limit = (uint8_t)sa_value(&path, MADKIT_PATH_RECORD_HOP_LIMIT);
	addr->traffic_class = (uint8_t)sa_value(&path, MADKIT_PATH_RECORD_T_CLASS);
	addr->flow_label = (uint32_t)sa_value(&path, MADKIT_PATH_RECORD_FLOW_LABEL);
	return 0;
}

int madkit_resolve_gid(const struct madkit_resolver *resolver, const uint8_t gid[16],
		       struct madkit_addr *addr, struct madkit_error *error)
{
	struct madkit_reply reply = { .recv = NULL };
	char text[MADKIT_GID_TEXT_MAX];
	int ret;

	if (!resolver || !resolver->port || !gid || !addr)
		return resolve_null(error);
	ret = path_query(resolver, gid, &reply, error);
	if (!ret)
		ret = path_to_addr(resolver, &reply, gid, addr, error);
	if (ret == -ENOENT)
		madkit_error_set(error, ret, -1, "the SA has no path to %s", madkit_gid_text(gid, text));
	if (ret == -EEXIST)
		ret = madkit_error_set(error, -EPROTO, -1,
				       "the SA sent several paths in response to a request for one");
	madkit_recv_free(reply.recv);
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
