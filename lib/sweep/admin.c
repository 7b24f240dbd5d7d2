/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
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
	/* When the library does RMPP, the timeout applies to each segment. Linux resends a lost segment after
	 * 2 s. */
	SEGMENT_TIMEOUTS = 3,
	/* The kernel's timeout covers a whole table. */
	KERNEL_TIMEOUTS = 8,
};

/* Each table needs the contents of the earlier ones. */
static const uint16_t admin_tables[] = {
	MADKIT_ATTR_NODE_RECORD,
	MADKIT_ATTR_PORT_INFO_RECORD,
	MADKIT_ATTR_SWITCH_INFO_RECORD,
	MADKIT_ATTR_LINK_RECORD,
};

struct sweep_admin {
	struct madkit_addr to;
	struct madkit_job job;
	unsigned int timeouts;     /* of one try, in units of timeout_ms */
	unsigned int next;         /* index in admin_tables */
	bool plain;                /* request PortInfoRecord without options */
	bool finished;             /* tables_finish() was called */
	struct sweep_block *block; /* the requested block; NULL: a table is requested */
	struct tables tables;
};

/* ---- requests -------------------------------------------------------------------------- */

/* Lets the library do RMPP if the kernel supports that. */
static int admin_register(struct madkit_sweep *s)
{
	struct madkit_agent_attr attr = { .mgmt_class = MADKIT_CLASS_SA, .library_rmpp = true };
	struct madkit_dispatcher *dispatcher = s->dispatcher;
	int ret = madkit_dispatcher_agent(dispatcher, &attr, &s->agent, NULL);

	s->admin->timeouts = SEGMENT_TIMEOUTS;
	/* Linux before 3.18 does not support the flag */
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

static int admin_post(struct madkit_sweep *s, struct madkit_send *send)
{
	struct sweep_admin *a = s->admin;
	const uint64_t timeout_ms = (uint64_t)s->attr.timeout_ms * a->timeouts;

	send->timeout_ms = s->attr.timeout_ms == MADKIT_FOREVER ? MADKIT_FOREVER :
			   timeout_ms < INT32_MAX               ? (uint32_t)timeout_ms :
								  INT32_MAX;
	send->retries = s->attr.retries;
	field_put(MADKIT_HEADER_SA_SM_KEY, send->mad, s->attr.sm_key);
	a->job.agent = s->agent;
	a->job.send = send;
	return madkit_dispatcher_post(s->dispatcher, &a->job);
}

static int admin_post_table(struct madkit_sweep *s)
{
	struct sweep_admin *a = s->admin;
	const uint16_t attribute = admin_tables[a->next];
	struct madkit_send *send =
		madkit_send_request(&a->to, MADKIT_CLASS_SA, MADKIT_METHOD_GET_TABLE, attribute, 0);

	if (!send)
		return -ENOMEM;
	if (attribute == MADKIT_ATTR_PORT_INFO_RECORD && !a->plain)
		madkit_send_put(send, MADKIT_PORT_INFO_RECORD_OPTIONS, FULL_PORT_INFO);
	return admin_post(s, send);
}

/* ---- blocks of tables ---------------------------------------------------------------------- */

enum { ADMIN_NO_PORTS = 0xff, ADMIN_NOT_KNOWN = 0x100 };

/* A part of the modifier of a block, and the field of the record that has it. */
struct admin_part {
	uint64_t field;
	uint8_t shift;
	uint16_t mask;
	bool port; /* number of a port of a switch: CAs and routers have one such table at each LID */
};

/* The records of blocks. */
static const struct admin_kind {
	uint16_t attribute, record;
	uint64_t lid, table;
	struct admin_part parts[2];
	uint8_t bytes;
	uint16_t absent; /* the octets of a block without a record, which was never written */
} admin_kinds[] = {
	{ MADKIT_ATTR_LINEAR_FORWARDING_TABLE,
	  MADKIT_ATTR_LINEAR_FORWARDING_TABLE_RECORD,
	  MADKIT_LINEAR_FORWARDING_TABLE_RECORD_LID,
	  MADKIT_LINEAR_FORWARDING_TABLE_RECORD_LINEAR_FORWARDING_TABLE,
	  { { MADKIT_LINEAR_FORWARDING_TABLE_RECORD_BLOCK_NUM, 0, 0xffff, false } },
	  64,
	  ADMIN_NO_PORTS },
	{ MADKIT_ATTR_MULTICAST_FORWARDING_TABLE,
	  MADKIT_ATTR_MULTICAST_FORWARDING_TABLE_RECORD,
	  MADKIT_MULTICAST_FORWARDING_TABLE_RECORD_LID,
	  MADKIT_MULTICAST_FORWARDING_TABLE_RECORD_MULTICAST_FORWARDING_TABLE,
	  { { MADKIT_MULTICAST_FORWARDING_TABLE_RECORD_POSITION, 28, 0xf, false },
	    { MADKIT_MULTICAST_FORWARDING_TABLE_RECORD_BLOCK_NUM, 0, 0xffff, false } },
	  64,
	  0 },
	{ MADKIT_ATTR_P_KEY_TABLE,
	  MADKIT_ATTR_P_KEY_TABLE_RECORD,
	  MADKIT_P_KEY_TABLE_RECORD_LID,
	  MADKIT_P_KEY_TABLE_RECORD_P_KEY_TABLE,
	  { { MADKIT_P_KEY_TABLE_RECORD_PORT_NUM, 16, 0xff, true },
	    { MADKIT_P_KEY_TABLE_RECORD_BLOCK_NUM, 0, 0xffff, false } },
	  64,
	  ADMIN_NOT_KNOWN },
	{ MADKIT_ATTR_SL_TO_VL_MAPPING_TABLE,
	  MADKIT_ATTR_SL_TO_VL_MAPPING_TABLE_RECORD,
	  MADKIT_SL_TO_VL_MAPPING_TABLE_RECORD_LID,
	  MADKIT_SL_TO_VL_MAPPING_TABLE_RECORD_SL_TO_VL_MAPPING_TABLE,
	  { { MADKIT_SL_TO_VL_MAPPING_TABLE_RECORD_INPUT_PORT_NUM, 8, 0xff, true },
	    { MADKIT_SL_TO_VL_MAPPING_TABLE_RECORD_OUTPUT_PORT_NUM, 0, 0xff, true } },
	  8,
	  ADMIN_NOT_KNOWN },
};

static const struct admin_kind *admin_kind(const struct sweep_block *b)
{
	size_t i = 0;

	while (admin_kinds[i].attribute != b->attribute)
		i++;
	return &admin_kinds[i];
}

/* Checks if the record of a block has a field for a part of its modifier. */
static bool admin_has_part(const struct madkit_sweep *s, const struct sweep_block *b,
			   const struct admin_part *part)
{
	return part->field && (!part->port || sweep_is_switch(s->nodes[b->node]));
}

static uint64_t admin_part(const struct sweep_block *b, const struct admin_part *part)
{
	return b->modifier >> part->shift & part->mask;
}

/* Returns 0 if the end port has no LID that identifies it. */
static uint64_t admin_block_lid(const struct madkit_sweep *s, const struct sweep_block *b)
{
	struct madkit_addr to;

	return madkit_sweep_lid_address(s, b->node, b->port, &to) ? to.lid : 0;
}

static int admin_post_block(struct madkit_sweep *s)
{
	struct sweep_admin *a = s->admin;
	struct sweep_block *b = list_entry(s->wanted.next, struct sweep_block, list);
	const struct admin_kind *kind = admin_kind(b);
	const uint64_t lid = admin_block_lid(s, b);
	struct madkit_send *send;

	/* without such a LID, the SA cannot identify the port */
	if (!lid) {
		list_del(&b->list);
		b->state = MADKIT_SWEEP_REFUSED;
		return 0;
	}
	send = madkit_send_request(&a->to, MADKIT_CLASS_SA, MADKIT_METHOD_GET, kind->record, 0);
	if (!send)
		return -ENOMEM;
	madkit_send_put(send, kind->lid, lid);
	for (size_t i = 0; i < ARRAY_SIZE(kind->parts); i++)
		if (admin_has_part(s, b, &kind->parts[i]))
			madkit_send_put(send, kind->parts[i].field, admin_part(b, &kind->parts[i]));
	list_del(&b->list);
	a->block = b;
	return admin_post(s, send);
}

int admin_fill(struct madkit_sweep *s)
{
	struct sweep_admin *a = s->admin;
	int ret;

	if (madkit_dispatcher_outstanding(s->dispatcher))
		return 0;
	if (a->next < ARRAY_SIZE(admin_tables))
		return admin_post_table(s);
	if (!a->finished) {
		ret = tables_finish(s, &a->tables);
		if (ret)
			return ret;
		a->finished = true;
	}
	while (!list_empty(&s->wanted) && !madkit_dispatcher_outstanding(s->dispatcher)) {
		ret = admin_post_block(s);
		if (ret)
			return ret;
	}
	if (madkit_dispatcher_outstanding(s->dispatcher))
		return 0;
	s->ended = true;
	s->ended_ns = madkit_port_now(s->port);
	return 0;
}

/* ---- responses ------------------------------------------------------------------------- */

static void admin_report_attribute(struct madkit_sweep *s, uint16_t attribute, uint32_t why, uint16_t status,
				   unsigned int got, unsigned int total)
{
	s->missing |= why;
	if (s->sa_attribute)
		return;
	s->sa_attribute = attribute;
	s->sa_status = status;
	s->sa_got = got;
	s->sa_total = total;
}

static void admin_report(struct madkit_sweep *s, uint32_t why, uint16_t status, unsigned int got,
			 unsigned int total)
{
	admin_report_attribute(s, admin_tables[s->admin->next], why, status, got, total);
}

/* Requests PortInfoRecord again without options: an SA that does not support them may refuse the request, or
 * match them against its records. Returns false if the request is for another table or had no options. */
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

/* The SA does not respond: all blocks count as silent. */
static void admin_silence(struct madkit_sweep *s, struct sweep_block *b)
{
	admin_report_attribute(s, get_be16(s->admin->job.send->mad + MADKIT_MAD_ATTRIBUTE),
			       MADKIT_SWEEP_SA_SILENT, 0, 0, 0);
	b->state = MADKIT_SWEEP_SILENT;
	while (!list_empty(&s->wanted)) {
		b = list_entry(s->wanted.next, struct sweep_block, list);
		list_del(&b->list);
		b->state = MADKIT_SWEEP_SILENT;
	}
}

/* Checks if a record is the requested block. */
static bool admin_is_block(const struct madkit_sweep *s, const struct sweep_block *b, const uint8_t *record)
{
	const struct admin_kind *kind = admin_kind(b);

	for (size_t i = 0; i < ARRAY_SIZE(kind->parts); i++)
		if (admin_has_part(s, b, &kind->parts[i]) &&
		    field_get(kind->parts[i].field, record) != admin_part(b, &kind->parts[i]))
			return false;
	return field_get(kind->lid, record) == admin_block_lid(s, b);
}

static void admin_take_record(struct madkit_sweep *s, struct sweep_block *b, const struct madkit_message *m)
{
	const struct admin_kind *kind = admin_kind(b);
	const size_t at = field_at(kind->table);
	struct madkit_record record;

	madkit_record_get(m, 0, &record);
	b->state = MADKIT_SWEEP_REFUSED;
	if (!record.data || record.len < at + kind->bytes || !record.attribute ||
	    record.attribute->id != kind->record || !admin_is_block(s, b, record.data))
		return;
	memcpy(b->data, record.data + at, kind->bytes);
	b->state = MADKIT_SWEEP_ANSWERED;
}

static int admin_take_block(struct madkit_sweep *s)
{
	struct sweep_admin *a = s->admin;
	struct sweep_block *b = a->block;
	const int status = a->job.reply.status;
	struct madkit_message m;
	uint16_t mad_status;
	int ret;

	a->block = NULL;
	if (a->job.error)
		return a->job.error;
	if (status == -ETIMEDOUT) {
		admin_silence(s, b);
		return 0;
	}
	if (status && status != -ECONNABORTED && status != -EPROTO && status != -ENOBUFS)
		return status;
	ret = madkit_reply_message(&a->job.reply, &m);
	mad_status = ret == -EPROTO && m.mad ? madkit_message_status(&m) : 0;
	b->state = MADKIT_SWEEP_REFUSED;
	if (!ret) {
		admin_take_record(s, b, &m);
	} else if (mad_status >> MADKIT_STATUS_CLASS_SHIFT == MADKIT_SA_STATUS_NO_RECORDS &&
		   admin_kind(b)->absent != ADMIN_NOT_KNOWN) {
		memset(b->data, admin_kind(b)->absent, sizeof(b->data));
		b->state = MADKIT_SWEEP_ANSWERED;
	}
	return 0;
}

void admin_count(const struct madkit_sweep *s, uint64_t *sent, uint64_t *resent)
{
	const struct madkit_send *send = s->admin ? s->admin->job.send : NULL;
	const uint32_t attempts = send ? send->attempts : 0;

	*sent += attempts;
	*resent += attempts ? attempts - 1 : 0;
}

static void admin_end(struct madkit_sweep *s)
{
	admin_count(s, &s->sent, &s->resent);
	madkit_recv_free(s->admin->job.reply.recv);
	s->admin->job.reply.recv = NULL;
	madkit_send_free(s->admin->job.send);
	s->admin->job.send = NULL;
}

int admin_collect(struct madkit_sweep *s)
{
	int ret = 0;

	while (!ret && madkit_dispatcher_take(s->dispatcher)) {
		ret = s->admin->block ? admin_take_block(s) : admin_take(s);
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
