/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <madkit/mad.h>
#include "expr/envelope.h"
#include "util/bits.h"

#define TOP(n)		{ ENVELOPE_TOP, 0, sizeof(n) - 1, n }
#define REMOTE(n)	{ ENVELOPE_REMOTE, 7, sizeof(n) - 1, "remote." n }
#define RESULT(n)	{ ENVELOPE_RESULT, 7, sizeof(n) - 1, "status." n }
#define HEADER(n)	{ ENVELOPE_HEADER, 7, sizeof(n) - 1, "header." n }

const struct envelope_entry envelope_entries[ENVELOPE_N] = {
	[ENVELOPE_SCHEMA] = TOP("schema"),
	[ENVELOPE_KIND] = TOP("kind"),
	[ENVELOPE_HOST] = TOP("host"),
	[ENVELOPE_TIME] = TOP("time"),
	[ENVELOPE_DEVICE] = TOP("device"),
	[ENVELOPE_AGENT] = TOP("agent"),
	[ENVELOPE_SEQ] = TOP("seq"),
	[ENVELOPE_TAG] = TOP("tag"),
	[ENVELOPE_RECORD] = TOP("record"),
	[ENVELOPE_RECORDS] = TOP("records"),
	[ENVELOPE_REMOTE_LID] = REMOTE("lid"),
	[ENVELOPE_REMOTE_PATH] = REMOTE("path"),
	[ENVELOPE_REMOTE_GID] = REMOTE("gid"),
	[ENVELOPE_REMOTE_QP] = REMOTE("qp"),
	[ENVELOPE_REMOTE_SL] = REMOTE("sl"),
	[ENVELOPE_REMOTE_PKEY_INDEX] = REMOTE("pkey_index"),
	[ENVELOPE_RTT_US] = TOP("rtt_us"),
	[ENVELOPE_ATTEMPTS] = TOP("attempts"),
	[ENVELOPE_STATUS_SEND] = RESULT("send"),
	[ENVELOPE_STATUS_MAD] = RESULT("mad"),
	[ENVELOPE_STATUS_TEXT] = RESULT("text"),
	[ENVELOPE_CLASS] = HEADER("class"),
	[ENVELOPE_CLASS_ID] = HEADER("class_id"),
	[ENVELOPE_BASE_VERSION] = HEADER("base_version"),
	[ENVELOPE_CLASS_VERSION] = HEADER("class_version"),
	[ENVELOPE_METHOD] = HEADER("method"),
	[ENVELOPE_METHOD_ID] = HEADER("method_id"),
	[ENVELOPE_ATTRIBUTE] = HEADER("attribute"),
	[ENVELOPE_ATTRIBUTE_ID] = HEADER("attribute_id"),
	[ENVELOPE_MODIFIER] = HEADER("modifier"),
	[ENVELOPE_TID] = HEADER("tid"),
	[ENVELOPE_STATUS] = HEADER("status"),
};

const char *envelope_errno_text(int number)
{
	static const struct { int number; const char *text; } texts[] = {
		{ ETIMEDOUT, "timeout" },
		{ ECANCELED, "canceled" },
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
		{ ECONNREFUSED, "connection refused" },
		{ ELOOP, "too many redirects" },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].number == number)
			return texts[i].text;
	return "local failure";
}

const struct madkit_layout *envelope_header_layout(uint8_t mgmt_class)
{
	return mgmt_class == MADKIT_CLASS_SUBN_DR ? &madkit_layout_header_dr :
						    &madkit_layout_header;
}

const struct madkit_layout *envelope_class_layout(const uint8_t *mad,
						  size_t len)
{
	const struct madkit_class *mgmt_class;
	uint8_t id;

	if (!mad || len < MADKIT_HEADER_BYTES)
		return NULL;
	id = mad[MADKIT_MAD_CLASS];
	/* OPA's directed route lies elsewhere; its M_Key does not */
	if (id == MADKIT_CLASS_SUBN_DR &&
	    mad[MADKIT_MAD_BASE_VERSION] == MADKIT_BASE_VERSION_OPA)
		id = MADKIT_CLASS_SUBN;
	mgmt_class = madkit_class_get(id);
	return mgmt_class ? mgmt_class->header : NULL;
}

enum envelope_id envelope_find(const char *name, size_t len)
{
	unsigned int id;

	for (id = 0; id < ENVELOPE_N; id++) {
		const struct envelope_entry *e = &envelope_entries[id];

		if (e->key + e->key_len == (int)len &&
		    !strncasecmp(e->name, name, len))
			break;
	}
	return (enum envelope_id)id;
}

/* The common header's fields that the fixed entries show, by their bits. */
int envelope_has_field(const struct madkit_field *field)
{
	/* the D bit is bit 32, the status ends at bit 47; bytes 6 and 7 are
	 * the hop fields of directed-route SMPs */
	return field->kind == MADKIT_KIND_RESERVED || field->offset < 32 ||
	       field->offset >= 64 ||
	       (field->offset + field->width == 48 && field->width >= 15);
}

static void put_number(struct envelope_value *value, uint64_t number)
{
	value->type = ENVELOPE_NUMBER;
	value->number = number;
}

static void put_plain(struct envelope_value *value, const char *text)
{
	value->type = text ? ENVELOPE_PLAIN : ENVELOPE_NONE;
	value->text = text;
	value->len = text ? strlen(text) : 0;
}

static void put_text(struct envelope_value *value, const char *text)
{
	put_plain(value, text);
	if (text)
		value->type = ENVELOPE_TEXT;
}

static char *put_digits(char *p, unsigned int v, unsigned int n)
{
	for (unsigned int i = n; i--; v /= 10)
		p[i] = (char)('0' + v % 10);
	return p + n;
}

/* RFC 3339, UTC, microseconds. Days to a date: the calendar repeats every 400
 * years of 146097 days; years are counted from March. */
static void put_time(struct envelope_value *value, const struct timespec *t)
{
	int64_t days = t->tv_sec / 86400, second = t->tv_sec % 86400;
	unsigned int s, doe, yoe, doy, mp, month;
	int64_t era, year;
	char *p = value->store;

	value->type = ENVELOPE_NONE;
	if (t->tv_nsec < 0 || t->tv_nsec > 999999999 || t->tv_sec < 0 ||
	    t->tv_sec > INT64_C(253402300799))	/* the year 9999 */
		return;
	s = (unsigned int)second;
	days += 719468;		/* from 0000-03-01 */
	era = days / 146097;
	doe = (unsigned int)(days - era * 146097);
	yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	mp = (5 * doy + 2) / 153;
	month = mp < 10 ? mp + 3 : mp - 9;
	year = yoe + era * 400 + (month <= 2);
	p = put_digits(p, (unsigned int)year, 4);
	*p++ = '-';
	p = put_digits(p, month, 2);
	*p++ = '-';
	p = put_digits(p, doy - (153 * mp + 2) / 5 + 1, 2);
	*p++ = 'T';
	p = put_digits(p, s / 3600, 2);
	*p++ = ':';
	p = put_digits(p, s / 60 % 60, 2);
	*p++ = ':';
	p = put_digits(p, s % 60, 2);
	*p++ = '.';
	p = put_digits(p, (unsigned int)(t->tv_nsec / 1000), 6);
	*p++ = 'Z';
	value->type = ENVELOPE_PLAIN;
	value->text = value->store;
	value->len = (size_t)(p - value->store);
}

static void remote_get(const struct madkit_addr *a, enum envelope_id id,
		       struct envelope_value *value)
{
	value->type = ENVELOPE_NONE;
	if (!a)
		return;
	switch (id) {
	case ENVELOPE_REMOTE_LID:
		put_number(value, a->lid);
		break;
	case ENVELOPE_REMOTE_PATH:
		if (a->direct)
			put_plain(value, madkit_path_text(a, value->store));
		break;
	case ENVELOPE_REMOTE_GID:
		if (a->grh)
			put_plain(value, madkit_gid_text(a->gid, value->store));
		break;
	case ENVELOPE_REMOTE_QP:
		put_number(value, a->qp);
		break;
	case ENVELOPE_REMOTE_SL:
		put_number(value, a->sl);
		break;
	default:
		put_number(value, a->pkey_index);
		break;
	}
}

static void status_text(const struct madkit_message *message,
			struct envelope_value *value)
{
	uint16_t status = madkit_message_status(message);

	if (message->send_status) {
		put_plain(value, envelope_errno_text(message->send_status));
		return;
	}
	if (!status) {
		put_plain(value, "OK");
		return;
	}
	madkit_status_text(message->mad[MADKIT_MAD_CLASS], status, value->store,
			   sizeof(value->store));
	put_plain(value, value->store);
}

static void header_get(const struct madkit_record *record,
		       enum envelope_id id, struct envelope_value *value)
{
	const uint8_t *mad = record->message->mad;

	value->type = ENVELOPE_NONE;
	if (!mad || record->message->len < MADKIT_HEADER_BYTES)
		return;
	switch (id) {
	case ENVELOPE_CLASS:
		put_plain(value, madkit_class_name(mad[MADKIT_MAD_CLASS],
						   value->store));
		break;
	case ENVELOPE_CLASS_ID:
		put_number(value, mad[MADKIT_MAD_CLASS]);
		break;
	case ENVELOPE_BASE_VERSION:
		put_number(value, mad[MADKIT_MAD_BASE_VERSION]);
		break;
	case ENVELOPE_CLASS_VERSION:
		put_number(value, mad[MADKIT_MAD_CLASS_VERSION]);
		break;
	case ENVELOPE_METHOD:
		put_plain(value, madkit_method_name(mad[MADKIT_MAD_CLASS],
						    mad[MADKIT_MAD_METHOD]));
		break;
	case ENVELOPE_METHOD_ID:
		put_number(value, mad[MADKIT_MAD_METHOD]);
		break;
	case ENVELOPE_ATTRIBUTE:
		put_plain(value, record->attribute ? record->attribute->name :
						     NULL);
		break;
	case ENVELOPE_ATTRIBUTE_ID:
		put_number(value, get_be16(mad + MADKIT_MAD_ATTRIBUTE));
		break;
	case ENVELOPE_MODIFIER:
		put_number(value, get_be32(mad + MADKIT_MAD_MODIFIER));
		break;
	case ENVELOPE_TID:
		value->type = ENVELOPE_HEX64;
		value->number = get_be64(mad + MADKIT_MAD_TID);
		break;
	default:
		put_number(value, get_be16(mad + MADKIT_MAD_STATUS) &
			   (mad[MADKIT_MAD_CLASS] == MADKIT_CLASS_SUBN_DR ?
			    0x7fff : 0xffff));
		break;
	}
}

void envelope_get(const struct madkit_record *record, enum envelope_id id,
		  struct envelope_value *value)
{
	const struct madkit_message *m = record->message;

	switch (id) {
	case ENVELOPE_SCHEMA:
		put_plain(value, MADKIT_SCHEMA);
		break;
	case ENVELOPE_KIND:
		put_plain(value, madkit_message_kind_name(m->kind));
		break;
	case ENVELOPE_HOST:
		put_text(value, m->host);
		break;
	case ENVELOPE_TIME:
		put_time(value, &m->time);
		break;
	case ENVELOPE_DEVICE:
		put_text(value, m->device);
		break;
	case ENVELOPE_AGENT:
		put_number(value, m->agent);
		break;
	case ENVELOPE_SEQ:
		put_number(value, m->seq);
		break;
	case ENVELOPE_TAG:
		put_plain(value, m->tag);
		if (m->tag)
			value->type = ENVELOPE_JSON;
		break;
	case ENVELOPE_RECORD:
		put_number(value, record->record);
		break;
	case ENVELOPE_RECORDS:
		put_number(value, record->records);
		break;
	case ENVELOPE_RTT_US:
		value->type = ENVELOPE_NONE;
		if (m->rtt_us >= 0)
			put_number(value, (uint64_t)m->rtt_us);
		break;
	case ENVELOPE_ATTEMPTS:
		value->type = ENVELOPE_NONE;
		if (m->attempts >= 0)
			put_number(value, (uint64_t)m->attempts);
		break;
	case ENVELOPE_STATUS_SEND:
		put_number(value, (unsigned int)m->send_status);
		break;
	case ENVELOPE_STATUS_MAD:
		put_number(value, madkit_message_status(m));
		break;
	case ENVELOPE_STATUS_TEXT:
		status_text(m, value);
		break;
	default:
		if (envelope_entries[id].group == ENVELOPE_REMOTE)
			remote_get(m->remote, id, value);
		else
			header_get(record, id, value);
		break;
	}
}
