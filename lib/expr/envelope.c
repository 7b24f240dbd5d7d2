/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <madkit/mad.h>
#include "expr/envelope.h"
#include "util/array_size.h"
#include "util/bits.h"
#include "util/time.h"
#include "wire/wire_int.h"

enum { TEXT, NUMBER };

#define TOP(n, type) \
	{ \
		ENVELOPE_TOP, 0, sizeof(n) - 1, type, n \
	}
#define REMOTE(n, type) \
	{ \
		ENVELOPE_REMOTE, 7, sizeof(n) - 1, type, "remote." n \
	}
#define RESULT(n, type) \
	{ \
		ENVELOPE_RESULT, 7, sizeof(n) - 1, type, "status." n \
	}
#define HEADER(n, type) \
	{ \
		ENVELOPE_HEADER, 7, sizeof(n) - 1, type, "header." n \
	}

const struct envelope_entry envelope_entries[ENVELOPE_N] = {
	[ENVELOPE_SCHEMA] = TOP("schema", TEXT),
	[ENVELOPE_KIND] = TOP("kind", TEXT),
	[ENVELOPE_HOST] = TOP("host", TEXT),
	[ENVELOPE_TIME] = TOP("time", TEXT),
	[ENVELOPE_EPOCH] = TOP("epoch", TEXT),
	[ENVELOPE_DEVICE] = TOP("device", TEXT),
	[ENVELOPE_AGENT] = TOP("agent", NUMBER),
	[ENVELOPE_SEQ] = TOP("seq", NUMBER),
	[ENVELOPE_TAG] = TOP("tag", TEXT),
	[ENVELOPE_RECORD] = TOP("record", NUMBER),
	[ENVELOPE_RECORDS] = TOP("records", NUMBER),
	[ENVELOPE_REMOTE_LID] = REMOTE("lid", NUMBER),
	[ENVELOPE_REMOTE_PATH] = REMOTE("path", TEXT),
	[ENVELOPE_REMOTE_GID] = REMOTE("gid", TEXT),
	[ENVELOPE_REMOTE_QP] = REMOTE("qp", NUMBER),
	[ENVELOPE_REMOTE_SL] = REMOTE("sl", NUMBER),
	[ENVELOPE_REMOTE_PKEY_INDEX] = REMOTE("pkey_index", NUMBER),
	[ENVELOPE_REMOTE_NAME] = REMOTE("name", TEXT),
	[ENVELOPE_RTT_US] = TOP("rtt_us", NUMBER),
	[ENVELOPE_ATTEMPTS] = TOP("attempts", NUMBER),
	[ENVELOPE_STATUS_SEND] = RESULT("send", NUMBER),
	[ENVELOPE_STATUS_MAD] = RESULT("mad", NUMBER),
	[ENVELOPE_STATUS_RMPP] = RESULT("rmpp", NUMBER),
	[ENVELOPE_STATUS_TEXT] = RESULT("text", TEXT),
	[ENVELOPE_CLASS] = HEADER("class", TEXT),
	[ENVELOPE_CLASS_ID] = HEADER("class_id", NUMBER),
	[ENVELOPE_BASE_VERSION] = HEADER("base_version", NUMBER),
	[ENVELOPE_CLASS_VERSION] = HEADER("class_version", NUMBER),
	[ENVELOPE_METHOD] = HEADER("method", TEXT),
	[ENVELOPE_METHOD_ID] = HEADER("method_id", NUMBER),
	[ENVELOPE_ATTRIBUTE] = HEADER("attribute", TEXT),
	[ENVELOPE_ATTRIBUTE_ID] = HEADER("attribute_id", NUMBER),
	[ENVELOPE_MODIFIER] = HEADER("modifier", NUMBER),
	[ENVELOPE_TID] = HEADER("tid", NUMBER),
	[ENVELOPE_STATUS] = HEADER("status", NUMBER),
};

const char *const envelope_groups[] = {
	"remote", ENVELOPE_PORT, ENVELOPE_PROBLEM, ENVELOPE_DIFFERENCE, "hop", "status", "header",
	"rmpp",   "data",        "rest",           "redacted",          NULL,
};

enum envelope_id envelope_find(const char *name, size_t len)
{
	unsigned int id;

	for (id = 0; id < ENVELOPE_N; id++) {
		const struct envelope_entry *e = &envelope_entries[id];

		if (e->key + e->key_len == (int)len && !strncasecmp(e->name, name, len))
			break;
	}
	return (enum envelope_id)id;
}

/* Checks if the fixed entries show a field of the common header, by its bits. */
int envelope_has_field(const struct madkit_field *field)
{
	/* the D bit is bit 32, and the status ends at bit 47; bytes 6 and 7 are the hop fields of
	 * directed-route SMPs */
	return field->kind == MADKIT_KIND_RESERVED || field->offset < 32 || field->offset >= 64 ||
	       (field->offset + field->width == 48 && field->width >= 15);
}

static void put_plain(struct envelope_value *value, const char *text)
{
	value->type = text ? ENVELOPE_PLAIN : ENVELOPE_NONE;
	value->text = text;
	value->len = text ? strlen(text) : 0;
}

static void put_time(struct envelope_value *value, enum envelope_id id, const struct timespec *t)
{
	const bool epoch = id == ENVELOPE_EPOCH;
	char *end = epoch ? emit_epoch(value->store, t) : emit_time(value->store, t);

	value->type = !end ? ENVELOPE_NONE : epoch ? ENVELOPE_JSON : ENVELOPE_PLAIN;
	value->text = value->store;
	value->len = end ? (size_t)(end - value->store) : 0;
}

/* Returns a short text for a send status (a positive errno), the same in every locale. */
static const char *envelope_errno(int number)
{
	static const struct {
		int number;
		const char *text;
	} texts[] = {
		{ ETIMEDOUT, "timeout" },
		{ ECANCELED, "cancelled" },
		{ EAGAIN, "device not ready" },
		{ EINTR, "interrupted" },
		{ EIO, "input/output error" },
		{ ENODEV, "no such device" },
		{ EINVAL, "invalid argument" },
		{ EACCES, "permission denied" },
		{ EPERM, "not permitted" },
		{ EPIPE, "device is gone" },
		{ ENOMEM, "out of memory" },
		{ EMSGSIZE, "message too long" },
		{ ENOSPC, "buffer too small" },
		{ ENETUNREACH, "destination unreachable" },
		{ EHOSTUNREACH, "destination unreachable" },
		{ EBUSY, "busy" },
		{ EPROTO, "protocol error" },
		{ EBADMSG, "malformed message" },
		{ EOPNOTSUPP, "not supported" },
		{ ECONNABORTED, "ended by the peer" },
		{ ENOBUFS, "no room for it" },
		{ ECONNREFUSED, "connection refused" },
		{ ELOOP, "too many redirects" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (texts[i].number == number)
			return texts[i].text;
	return "local failure";
}

const char *envelope_failure(const struct madkit_message *message, char store[ENVELOPE_STORE])
{
	const char *text = envelope_errno(message->send_status);
	size_t len = strlen(text);

	if (!message->rmpp_status && !message->rmpp_illegal)
		return text;
	memcpy(store, text, len);
	memcpy(store + len, ": ", 2);
	madkit_rmpp_end_text(message->rmpp_status, message->rmpp_illegal, store + len + 2,
			     ENVELOPE_STORE - len - 2);
	return store;
}

static void status_text(const struct madkit_message *message, struct envelope_value *value)
{
	uint16_t status = madkit_message_status(message);

	if (message->send_status) {
		put_plain(value, envelope_failure(message, value->store));
		return;
	}
	if (!status) {
		put_plain(value, "OK");
		return;
	}
	madkit_status_text(message->mad[MADKIT_MAD_CLASS], status, value->store, sizeof(value->store));
	put_plain(value, value->store);
}

/* Returns the name of the node at the other end, or of the destination that was not resolved. */
static const char *envelope_name(const struct madkit_message *m)
{
	return m->unresolved ? m->unresolved->name : m->name;
}

/* When an entry of the message m is null. Without a header, its entries are also null. */
#define NULL_IF(X) \
	X(HOST, !m->host) \
	X(TIME, m->time.tv_nsec < 0) \
	X(EPOCH, m->time.tv_nsec < 0) \
	X(DEVICE, !m->device) \
	X(TAG, !m->tag) \
	X(REMOTE_LID, !m->remote || m->unresolved) \
	X(REMOTE_PATH, !m->remote || !m->remote->direct) \
	X(REMOTE_GID, !m->remote || !m->remote->grh) \
	X(REMOTE_QP, !m->remote) \
	X(REMOTE_SL, !m->remote || (m->unresolved && !m->unresolved->sl_given)) \
	X(REMOTE_PKEY_INDEX, !m->remote || m->remote->pkey) \
	X(REMOTE_NAME, !m->remote || !envelope_name(m)) \
	X(RTT_US, m->rtt_us < 0) \
	X(ATTEMPTS, m->attempts < 0) \
	X(STATUS_RMPP, !m->rmpp_status && !m->rmpp_illegal) \
	X(TID, m->tid_partial)

static bool envelope_has_header(const struct madkit_message *m)
{
	return m->mad && m->len >= MADKIT_HEADER_BYTES;
}

uint64_t envelope_nulls(const struct madkit_message *m)
{
	uint64_t nulls = envelope_has_header(m) ? 0 : UINT64_MAX << ENVELOPE_CLASS;

#define NULL_BIT(id, null) nulls |= (uint64_t)(null) << ENVELOPE_##id;
	NULL_IF(NULL_BIT)
	return nulls;
}

static bool envelope_is_null(const struct madkit_message *m, enum envelope_id id)
{
	if (id >= ENVELOPE_CLASS && !envelope_has_header(m))
		return true;
	switch (id) {
#define NULL_CASE(id, null) \
	case ENVELOPE_##id: \
		return null;
		NULL_IF(NULL_CASE)
	default:
		return false;
	}
}

uint64_t envelope_number(const struct madkit_record *record, enum envelope_id id)
{
	const struct madkit_message *m = record->message;

	switch (id) {
	case ENVELOPE_AGENT:
		return m->agent;
	case ENVELOPE_SEQ:
		return m->seq;
	case ENVELOPE_RECORD:
		return record->record;
	case ENVELOPE_RECORDS:
		return record->records;
	case ENVELOPE_REMOTE_LID:
		return m->remote->lid;
	case ENVELOPE_REMOTE_QP:
		return m->remote->qp;
	case ENVELOPE_REMOTE_SL:
		return m->remote->sl;
	case ENVELOPE_REMOTE_PKEY_INDEX:
		return m->remote->pkey_index;
	case ENVELOPE_RTT_US:
		return (uint64_t)m->rtt_us;
	case ENVELOPE_ATTEMPTS:
		return (uint64_t)m->attempts;
	case ENVELOPE_STATUS_SEND:
		return (unsigned int)m->send_status;
	case ENVELOPE_STATUS_MAD:
		return madkit_message_status(m);
	case ENVELOPE_STATUS_RMPP:
		return m->rmpp_status;
	case ENVELOPE_CLASS_ID:
		return m->mad[MADKIT_MAD_CLASS];
	case ENVELOPE_BASE_VERSION:
		return m->mad[MADKIT_MAD_BASE_VERSION];
	case ENVELOPE_CLASS_VERSION:
		return m->mad[MADKIT_MAD_CLASS_VERSION];
	case ENVELOPE_METHOD_ID:
		return m->mad[MADKIT_MAD_METHOD];
	case ENVELOPE_ATTRIBUTE_ID:
		return get_be16(m->mad + MADKIT_MAD_ATTRIBUTE);
	case ENVELOPE_MODIFIER:
		return get_be32(m->mad + MADKIT_MAD_MODIFIER);
	case ENVELOPE_TID:
		return get_be64(m->mad + MADKIT_MAD_TID);
	default: /* ENVELOPE_STATUS; the D bit is not part of it */
		return get_be16(m->mad + MADKIT_MAD_STATUS) &
		       (m->mad[MADKIT_MAD_CLASS] == MADKIT_CLASS_SUBN_DR ? 0x7fff : 0xffff);
	}
}

void envelope_get(const struct madkit_record *record, enum envelope_id id, struct envelope_value *value)
{
	const struct madkit_message *m = record->message;

	value->type = ENVELOPE_NONE;
	if (envelope_is_null(m, id))
		return;
	if (envelope_entries[id].number) {
		value->type = id == ENVELOPE_TID ? ENVELOPE_HEX64 : ENVELOPE_NUMBER;
		value->number = envelope_number(record, id);
		return;
	}
	switch (id) {
	case ENVELOPE_SCHEMA:
		put_plain(value, MADKIT_SCHEMA);
		break;
	case ENVELOPE_KIND:
		put_plain(value, message_kind_name(m->kind));
		break;
	case ENVELOPE_HOST:
		put_plain(value, m->host);
		value->type = ENVELOPE_TEXT;
		break;
	case ENVELOPE_TIME:
	case ENVELOPE_EPOCH:
		put_time(value, id, &m->time);
		break;
	case ENVELOPE_DEVICE:
		put_plain(value, m->device);
		value->type = ENVELOPE_TEXT;
		break;
	case ENVELOPE_TAG:
		put_plain(value, m->tag);
		value->type = ENVELOPE_JSON;
		break;
	case ENVELOPE_REMOTE_PATH:
		put_plain(value, madkit_path_text(m->remote, value->store));
		break;
	case ENVELOPE_REMOTE_GID:
		put_plain(value, madkit_gid_text(m->remote->gid, value->store));
		break;
	case ENVELOPE_REMOTE_NAME:
		put_plain(value, envelope_name(m));
		value->type = ENVELOPE_TEXT;
		break;
	case ENVELOPE_STATUS_TEXT:
		status_text(m, value);
		break;
	case ENVELOPE_CLASS:
		put_plain(value, madkit_class_name(m->mad[MADKIT_MAD_CLASS], value->store));
		break;
	case ENVELOPE_METHOD:
		put_plain(value, madkit_method_name(m->mad[MADKIT_MAD_CLASS], m->mad[MADKIT_MAD_METHOD]));
		break;
	default: /* ENVELOPE_ATTRIBUTE */
		put_plain(value, record->attribute ? record->attribute->name : NULL);
		break;
	}
}
