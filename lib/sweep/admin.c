/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <madkit/mad.h>
#include <madkit/message.h>
#include <madkit/query.h>
#include "sweep/admin.h"
#include "sweep/tables.h"
#include "util/array_size.h"
#include "wire/access.h"

enum {
	/* Without this option, opensm adds QDR to the speeds of a port with an extended speed. */
	FULL_PORT_INFO = 0x80,
	/* If the library does RMPP, the timeout is that of each segment. Linux sends a lost one again after 2 s. */
	SEGMENT_TIMEOUTS = 3,
	/* The kernel's timeout covers a whole table. */
	KERNEL_TIMEOUTS = 8,
};

/* Each table needs what the earlier ones contain. */
static const uint16_t admin_tables[] = {
	MADKIT_ATTR_NODE_RECORD,
	MADKIT_ATTR_PORT_INFO_RECORD,
	MADKIT_ATTR_SWITCH_INFO_RECORD,
	MADKIT_ATTR_LINK_RECORD,
};

struct sweep_admin {
	struct madkit_addr to;
	struct madkit_job job;
	unsigned int timeouts; /* of a try, in units of timeout_ms */
	unsigned int next;     /* table */
	bool plain;            /* request PortInfoRecord without options */
	struct tables tables;
};

/* ---- requests -------------------------------------------------------------------------- */

/* The library does RMPP if it can. */
static int admin_register(struct madkit_sweep *s)
{
	struct madkit_agent_attr attr = { .mgmt_class = MADKIT_CLASS_SA, .library_rmpp = true };
	struct madkit_dispatcher *dispatcher = s->dispatchers[SWEEP_FIRST];
	int ret = madkit_dispatcher_agent(dispatcher, &attr, &s->agent, NULL);

	s->admin->timeouts = SEGMENT_TIMEOUTS;
	/* Linux before 3.18 and ibsim do not know the flag */
	if (ret == -EINVAL) {
		attr.library_rmpp = false;
		attr.rmpp_version = 1;
		s->admin->timeouts = KERNEL_TIMEOUTS;
		ret = madkit_dispatcher_agent(dispatcher, &attr, &s->agent, NULL);
	}
	return ret;
}

int admin_open(struct madkit_sweep *s)
{
	struct madkit_addr to;
	int ret = madkit_port_sa_addr(s->port, &to, NULL);

	if (ret)
		return ret;
	s->admin = calloc(1, sizeof(*s->admin));
	if (!s->admin)
		return -ENOMEM;
	s->admin->to = to;
	s->admin->job.deadline_ns = UINT64_MAX;
	ret = tables_init(&s->admin->tables);
	return ret ? ret : admin_register(s);
}

static int admin_post(struct madkit_sweep *s)
{
	struct sweep_admin *a = s->admin;
	const uint16_t attribute = admin_tables[a->next];
	const uint64_t timeout_ms = (uint64_t)s->attr.timeout_ms * a->timeouts;
	struct madkit_send *send =
		madkit_send_request(&a->to, MADKIT_CLASS_SA, MADKIT_METHOD_GET_TABLE, attribute, 0);

	if (!send)
		return -ENOMEM;
	send->timeout_ms = s->attr.timeout_ms == MADKIT_FOREVER ? MADKIT_FOREVER :
			   timeout_ms < INT32_MAX               ? (uint32_t)timeout_ms :
								  INT32_MAX;
	send->retries = s->attr.retries;
	field_put(MADKIT_HEADER_SA_SM_KEY, send->mad, s->attr.sm_key);
	if (attribute == MADKIT_ATTR_PORT_INFO_RECORD && !a->plain)
		madkit_send_put(send, MADKIT_PORT_INFO_RECORD_OPTIONS, FULL_PORT_INFO);
	a->job.agent = s->agent;
	a->job.send = send;
	return madkit_dispatcher_post(s->dispatchers[SWEEP_FIRST], &a->job);
}

int admin_fill(struct madkit_sweep *s)
{
	struct sweep_admin *a = s->admin;
	int ret;

	if (madkit_dispatcher_outstanding(s->dispatchers[SWEEP_FIRST]))
		return 0;
	if (a->next < ARRAY_SIZE(admin_tables))
		return admin_post(s);
	ret = tables_finish(s, &a->tables);
	s->ended = !ret;
	s->ended_ns = madkit_port_now(s->port);
	return ret;
}

/* ---- responses ------------------------------------------------------------------------- */

static void admin_report(struct madkit_sweep *s, uint32_t why, uint16_t status, unsigned int got,
			 unsigned int total)
{
	s->missing |= why;
	if (s->sa_attribute)
		return;
	s->sa_attribute = admin_tables[s->admin->next];
	s->sa_status = status;
	s->sa_got = got;
	s->sa_total = total;
}

/* Requests PortInfoRecord again, without options: an SA that does not know them may refuse them, or compare them with
 * those of its records. False: it was requested without them. */
static bool admin_again(struct sweep_admin *a)
{
	if (admin_tables[a->next] != MADKIT_ATTR_PORT_INFO_RECORD || a->plain)
		return false;
	a->plain = true;
	return true;
}

static int admin_take_table(struct madkit_sweep *s, const struct madkit_message *m)
{
	unsigned int got = 0, total = 0;
	struct madkit_header h;

	if (madkit_header_get(m->mad, m->len, &h) || h.mgmt_class != MADKIT_CLASS_SA ||
	    h.method != (MADKIT_METHOD_GET_TABLE | MADKIT_METHOD_RESPONSE) ||
	    h.attribute != admin_tables[s->admin->next]) {
		admin_report(s, MADKIT_SWEEP_SA_SHORT, 0, 0, 0);
		return 0;
	}
	if (madkit_message_complete(m, &got, &total))
		admin_report(s, MADKIT_SWEEP_SA_SHORT, 0, got, total);
	return tables_take(s, &s->admin->tables, m);
}

static int admin_take(struct madkit_sweep *s)
{
	struct sweep_admin *a = s->admin;
	const int status = a->job.reply.status;
	struct madkit_message m;
	unsigned int got, total;
	uint16_t mad_status;
	bool empty;
	int ret;

	if (a->job.error)
		return a->job.error;
	if (status == -ETIMEDOUT) {
		admin_report(s, MADKIT_SWEEP_SA_SILENT, 0, 0, 0);
		a->next = ARRAY_SIZE(admin_tables);
		return 0;
	}
	if (status && status != -ECONNABORTED && status != -EPROTO && status != -ENOBUFS)
		return status;
	ret = madkit_reply_message(&a->job.reply, &m);
	mad_status = ret == -EPROTO && m.mad ? madkit_message_status(&m) : 0;
	empty = mad_status >> MADKIT_STATUS_CLASS_SHIFT == MADKIT_SA_STATUS_NO_RECORDS ||
		(!ret && !madkit_message_records(&m) && !madkit_message_complete(&m, &got, &total));
	if ((mad_status || empty) && admin_again(a))
		return 0;
	if (empty)
		ret = 0;
	else if (mad_status)
		admin_report(s, MADKIT_SWEEP_SA_REFUSED, mad_status, 0, 0);
	else if (ret)
		admin_report(s, MADKIT_SWEEP_SA_SHORT, 0, 0, 0);
	else
		ret = admin_take_table(s, &m);
	a->next++;
	return ret == -ENOMEM ? ret : 0;
}

static void admin_end(struct madkit_sweep *s)
{
	const uint32_t attempts = s->admin->job.reply.attempts;

	s->sent += attempts;
	s->resent += attempts ? attempts - 1 : 0;
	madkit_recv_free(s->admin->job.reply.recv);
	s->admin->job.reply.recv = NULL;
	madkit_send_free(s->admin->job.send);
	s->admin->job.send = NULL;
}

int admin_collect(struct madkit_sweep *s)
{
	int ret = 0;

	while (!ret && madkit_dispatcher_take(s->dispatchers[SWEEP_FIRST])) {
		ret = admin_take(s);
		admin_end(s);
	}
	return ret;
}

void admin_free(struct madkit_sweep *s)
{
	if (!s->admin)
		return;
	madkit_send_free(s->admin->job.send);
	tables_free(&s->admin->tables);
	free(s->admin);
}
