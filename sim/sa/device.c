/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The program: answers requests that arrive at its umad device, and sends reports. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/rmpp.h>
#include "sim/sa/internal.h"

enum {
	REPORT_TIMEOUT_MS = 1000,
	REPORT_RETRIES = 3,
	/* resends of a table that is not acknowledged; with timeout 0, the kernel uses its own */
	TABLE_RETRIES = 3,
};

/* ---- with or without a host ------------------------------------------------------ */

int sa_init(struct sa *sa, const struct sa_options *options)
{
	int ret;

	memset(sa, 0, sizeof(*sa));
	sa->options = *options;
	sa->first_expires = UINT64_MAX;
	madkit_buf_init(&sa->response, SA_RESPONSE_MAX);
	ret = sa_members_init(sa);
	if (ret)
		sa_fini(sa);
	return ret;
}

void sa_fini(struct sa *sa)
{
	sa_members_fini(sa);
	free(sa->services);
	free(sa->subscriptions);
	free(sa->reports);
	madkit_buf_free(&sa->response);
	memset(sa, 0, sizeof(*sa));
}

void sa_subnet_changed(struct sa *sa)
{
	sa_members_gone(sa);
	sa_inform_gone(sa);
}

int sa_member_set(struct sa *sa, uint64_t guid, const uint8_t mgid[16], bool joins, uint64_t now)
{
	/* component mask bits, by the numbers of the fields */
	enum {
		MEMBER = 1 << 0 | 1 << 1 | 1 << 16, /* MGID, PortGID, JoinState */
		GROUP = 1 << 2 | 1 << 4 | 1 << 5 | 1 << 6 | 1 << 7 | 1 << 8 | 1 << 9 | 1 << 12 | 1 << 13,
	};
	const struct sa_mgroup *group = sa_group_find(sa, mgid), *like = sa->groups[0];
	uint32_t port = subnet_find_port(sa->options.subnet, guid);
	uint8_t mad[MADKIT_MAD_BYTES], *record = mad + MADKIT_SA_DATA;
	struct madkit_addr from = { .lid = port == SUBNET_NONE ? 0 : sa_lid_of(sa, port) };
	struct madkit_buf out;
	const struct sa_member *member = group ? sa_member_find(group, guid) : NULL;
	int ret = -ENOENT;

	if (!from.lid)
		return -ENOENT;
	if (joins && !group && !sa_mgid_is_valid(mgid))
		return -EDOM;
	mad_begin(mad, MADKIT_CLASS_SA, 2, joins ? MADKIT_METHOD_SET : MADKIT_METHOD_DELETE,
		  MADKIT_ATTR_MC_MEMBER_RECORD, 0, 0);
	put_be64(mad + MADKIT_SA_COMPONENT_MASK, joins && !group ? MEMBER | GROUP : MEMBER);
	/* the broadcast group always exists */
	memcpy(record, like->record, MADKIT_MAD_BYTES - MADKIT_SA_DATA);
	memcpy(record + field_at(MADKIT_MC_MEMBER_RECORD_MGID), mgid, 16);
	sa_gid_of(sa, port, record + field_at(MADKIT_MC_MEMBER_RECORD_PORT_GID));
	field_put(MADKIT_MC_MEMBER_RECORD_JOIN_STATE, record, !joins && member ? member->state : 1);
	madkit_buf_init(&out, SA_RESPONSE_MAX);
	if (sa_answer(sa, &from, mad, sizeof(mad), now, &out))
		switch (get_be16((const uint8_t *)out.data + MADKIT_MAD_STATUS)) {
		case SA_OK:
			ret = 0;
			break;
		case SA_NO_RESOURCES:
			ret = -ENOMEM;
			break;
		default:
			ret = -EINVAL;
		}
	madkit_buf_free(&out);
	return ret;
}

/* ---- on a host ------------------------------------------------------------------- */

static int sa_open_device(struct sa *sa)
{
	static const uint8_t methods[] = {
		MADKIT_METHOD_GET,       MADKIT_METHOD_SET,
		MADKIT_METHOD_GET_TABLE, MADKIT_METHOD_GET_TRACE_TABLE,
		MADKIT_METHOD_GET_MULTI, MADKIT_METHOD_DELETE,
	};
	struct host_agent agent = {
		.mgmt_class = MADKIT_CLASS_SA,
		.class_version = 2,
		.rmpp_version = MADKIT_RMPP_VERSION,
	};
	int ret;

	for (unsigned int i = 0; i < sizeof(methods); i++)
		agent.method_mask[methods[i] / 64] |= UINT64_C(1) << methods[i] % 64;
	ret = host_open(sa->hosts, sa->options.node, sa->options.port, NULL, NULL, &sa->file);
	if (ret)
		return ret;
	ret = host_register(sa->file, &agent, &sa->agent);
	/* the kernel returns -EINVAL both for methods that are taken and for invalid registrations */
	return ret == -EINVAL ? -EBUSY : ret;
}

int sa_new(struct hosts *hosts, const struct sa_options *options, struct sa **made)
{
	struct sa *sa = malloc(sizeof(*sa));
	int ret;

	*made = NULL;
	if (!sa)
		return -ENOMEM;
	ret = sa_init(sa, options);
	sa->hosts = hosts;
	if (!ret)
		ret = sa_open_device(sa);
	if (ret)
		sa_free(sa);
	else
		*made = sa;
	return ret;
}

void sa_free(struct sa *sa)
{
	if (!sa)
		return;
	host_close(sa->file);
	sa_fini(sa);
	free(sa);
}

static bool device_may_report(const struct sa *sa)
{
	return sa->nreports > sa->nsent && sa->nsent < SA_REPORTS_SENT;
}

uint64_t sa_deadline(const struct sa *sa)
{
	struct host_message message;

	if (device_may_report(sa) || host_next(sa->file, &message))
		return 0;
	return sa->first_expires;
}

/* Handles a failed send or the response to a report. Returns false if the message is a request. */
static bool device_is_report(struct sa *sa, const struct host_message *message)
{
	struct madkit_header h;

	if (madkit_header_get(message->mad, message->len, &h))
		return true;
	if ((h.method & ~MADKIT_METHOD_RESPONSE) != MADKIT_METHOD_REPORT)
		return message->status; /* a response that was not acknowledged */
	sa_report_done(sa, (uint32_t)h.tid, !message->status);
	return true;
}

static void sa_respond(struct sa *sa, const struct host_message *message, uint64_t now)
{
	struct madkit_buf *out = &sa->response;
	const uint8_t *mad;

	madkit_buf_reset(out);
	if (!sa_answer(sa, &message->from, message->mad, message->len, now, out))
		return;
	mad = (const uint8_t *)out->data;
	/* a response that cannot be sent is lost, as any MAD may be */
	host_send(sa->file,
		  &(struct host_out){ sa->agent, &message->from, mad, out->len, 0,
				      madkit_rmpp_get_flags(mad) & MADKIT_RMPP_ACTIVE ? TABLE_RETRIES : 0 },
		  now);
	/* free the memory of a large table */
	if (out->cap > 1 << 20)
		madkit_buf_free(out);
}

void sa_process(struct sa *sa, uint64_t now)
{
	struct host_message message;
	struct madkit_addr to;
	uint8_t mad[MADKIT_MAD_BYTES];

	while (host_next(sa->file, &message)) {
		if (!device_is_report(sa, &message))
			sa_respond(sa, &message, now);
		host_pop(sa->file);
	}
	sa_services_expire(sa, now);
	while (sa_report_next(sa, mad, &to))
		if (host_send(sa->file,
			      &(struct host_out){ sa->agent, &to, mad, sizeof(mad), REPORT_TIMEOUT_MS,
						  REPORT_RETRIES },
			      now))
			sa_report_done(sa, (uint32_t)get_be64(mad + MADKIT_MAD_TID), true);
}
