/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "survey_paths.h"

/* The SA needs longer for a table than for one record. */
enum { SURVEY_TABLE_TIMEOUTS = 4 };

/* Creates the request for all paths from this port. Returns NULL if memory ran out. */
static struct madkit_send *survey_paths_request(const struct exchange *x, const struct madkit_addr *to)
{
	const struct cli_options *o = x->options;
	struct madkit_send *send =
		madkit_send_request(to, MADKIT_CLASS_SA, MADKIT_METHOD_GET_TABLE, MADKIT_ATTR_PATH_RECORD, 0);
	uint8_t gid[16];

	if (!send)
		return NULL;
	send->timeout_ms = o->timing.have_timeout ? o->timing.timeout_ms :
						    o->timing.timeout_ms * SURVEY_TABLE_TIMEOUTS;
	send->retries = o->timing.retries;
	madkit_gid_put(gid, x->info->gid_prefix, x->info->port_guid);
	madkit_put(send->mad, MADKIT_SA_DATA, MADKIT_HEADER_SA_SM_KEY, o->manager.sm_key);
	madkit_send_put_bytes(send, MADKIT_PATH_RECORD_SGID, gid, sizeof(gid));
	madkit_send_put(send, MADKIT_PATH_RECORD_REVERSIBLE, 1);
	madkit_send_put(send, MADKIT_PATH_RECORD_NUMB_PATH, 1);
	return send;
}

static void survey_paths_take(struct survey_paths *paths, const struct madkit_message *message)
{
	struct madkit_record record;
	uint64_t lid, sl;

	madkit_record_get(message, 0, &record);
	do {
		if (record.data && !madkit_get(record.data, record.len, MADKIT_PATH_RECORD_DLID, &lid) &&
		    !madkit_get(record.data, record.len, MADKIT_PATH_RECORD_SL, &sl) &&
		    lid < MADKIT_SURVEY_LIDS)
			paths->sl[lid] = (uint8_t)sl;
	} while (madkit_record_next(&record));
}

/* Queries the SA. Returns why: "" if there is a response, else the reason. */
static const char *survey_paths_ask(struct exchange *x, const struct madkit_addr *to,
				    struct survey_paths *paths, char why[160])
{
	struct madkit_send *send = survey_paths_request(x, to);
	struct madkit_reply reply = { .recv = NULL };
	struct madkit_refusal refusal;
	struct madkit_message message;
	uint16_t status;
	int ret;

	why[0] = 0;
	ret = madkit_port_request(x->port, send, x->time.deadline_ns, &reply, &refusal);
	paths->mads = reply.attempts;
	if (!ret)
		ret = reply.status;
	if (ret == -ETIMEDOUT && madkit_port_now(x->port) >= x->time.deadline_ns)
		snprintf(why, 160, "the deadline has passed");
	else if (ret == -ETIMEDOUT)
		snprintf(why, 160, "the subnet administrator does not respond");
	else if (ret)
		snprintf(why, 160, "the subnet administrator cannot be asked: %s", strerror(-ret));
	else if (madkit_reply_message(&reply, &message))
		snprintf(why, 160, "the response of the subnet administrator cannot be read");
	else if ((status = madkit_message_status(&message)))
		snprintf(why, 160, "the subnet administrator responded with status 0x%04x", status);
	else
		survey_paths_take(paths, &message);
	madkit_recv_free(reply.recv);
	madkit_send_free(send);
	return why;
}

int survey_paths_get(struct exchange *x, struct survey_paths *paths)
{
	struct madkit_addr to = { .lid = x->options->manager.sm_lid, .sl = x->info->sm_sl };
	char why[160] = "the port knows no subnet manager";

	if (to.lid || !madkit_port_sa_addr(x->port, &to, NULL))
		survey_paths_ask(x, &to, paths, why);
	if (cli_stopped())
		return cli_stopped_status();
	if (why[0])
		cli_say("%s: requests have SL 0 (--sl)", why);
	return EXIT_DONE;
}

void survey_paths_free(struct survey_paths *paths)
{
	free(paths->sl);
	paths->sl = NULL;
}
