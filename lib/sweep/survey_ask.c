/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Makes the requests of a survey, and messages of their results. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/query.h>
#include "sweep/survey_ask.h"
#include "wire/access.h"

enum { SURVEY_ALL_PORTS = 255 }; /* PortSelect */

/* ---- requests -------------------------------------------------------------------------- */

const char *madkit_survey_no_lid(const struct madkit_sweep *sweep, const struct madkit_survey_port *port)
{
	struct madkit_sweep_lids lids;

	if (!sweep || !port)
		return NULL;
	switch (madkit_sweep_lids(sweep, port->node, port->port, &lids)) {
	case MADKIT_SWEEP_LID_OWN:
		return NULL;
	case MADKIT_SWEEP_LID_SHARED:
		return "another port has its LID";
	case MADKIT_SWEEP_LID_UNREAD:
		return "its LID is not known: PortInfo was not read";
	default:
		return "the port has no LID";
	}
}

static void survey_put_key(const struct madkit_survey *s, const struct survey_target *t, uint8_t *mad)
{
	const struct madkit_sweep_node *n = madkit_sweep_node(s->sweep, t->node);
	const unsigned int port = n->type == MADKIT_NODE_TYPE_SWITCH ? 0 : t->port;

	if (s->attr.m_key)
		put_be64(mad + MADKIT_SMP_MKEY, s->attr.m_key(s->attr.context, n, port, false));
}

void survey_put_v_key(const struct madkit_survey *s, const struct survey_target *t, uint8_t *mad)
{
	const struct madkit_sweep_node *n = madkit_sweep_node(s->sweep, t->node);
	const unsigned int port = n->type == MADKIT_NODE_TYPE_SWITCH ? 0 : t->port;

	if (s->attr.v_key && mad[MADKIT_MAD_CLASS] == MADKIT_CLASS_MLNX)
		field_put(MADKIT_HEADER_MLNX_V_KEY, mad, s->attr.v_key(s->attr.context, n, port));
}

/* Sets the address. Returns NULL, or the reason why the request cannot be sent. */
static const char *survey_address(const struct madkit_survey *s, const struct survey_target *t,
				  struct madkit_send *send)
{
	const struct madkit_survey_port at = { .node = t->node, .port = t->port };
	struct madkit_addr to;
	const char *reason;

	if (!send->to.direct) {
		reason = madkit_survey_no_lid(s->sweep, &at);
		send->to.lid = reason || !madkit_sweep_lid_address(s->sweep, t->node, t->port, &to) ? 0 :
												      to.lid;
		if (madkit_class_is_smi(s->header.mgmt_class))
			survey_put_key(s, t, send->mad);
		else
			survey_put_v_key(s, t, send->mad);
		if (!madkit_class_is_smi(s->header.mgmt_class) && s->attr.sls)
			send->to.sl = send->to.lid < MADKIT_SURVEY_LIDS ? s->attr.sls[send->to.lid] : 0;
		return reason;
	}
	if (!madkit_sweep_port_route(s->sweep, t->node, t->port, &to))
		return "the route to the node is gone";
	survey_put_key(s, t, send->mad);
	send->to.hops = to.hops;
	memcpy(send->to.path, to.path, sizeof(send->to.path));
	madkit_smp_put_route(send->mad, &send->to, 0);
	return NULL;
}

/* Returns the number of retries. In the last phase, a target that was not tried yet gets all its tries, if
 * its node has responded in that phase. */
static uint32_t survey_retries(const struct madkit_survey *s, const struct survey_node *n,
			       const struct survey_target *t)
{
	const uint32_t retries = s->request->retries;

	if (!s->last_tries)
		return retries;
	if (!s->last)
		return retries - 1;
	return t->tried || !n->responds ? 0 : retries;
}

/* Writes the MAD: the attribute, and the port or block. */
static void survey_fill(const struct madkit_survey *s, const struct survey_target *t,
			enum madkit_survey_about about, struct madkit_send *send)
{
	struct madkit_header header = s->header;
	unsigned int local;

	memcpy(send->mad, s->request->mad, send->len);
	if (about == MADKIT_SURVEY_CPI) {
		header.attribute = MADKIT_ATTR_CLASS_PORT_INFO;
		header.method = MADKIT_METHOD_GET;
		header.modifier = 0;
		memset(send->mad + s->data, 0, send->len - s->data);
	} else if (s->targets.by_field && s->registers) {
		local = madkit_registers_local_port(s->registers, t->node, t->port);
		bits_put(send->mad + s->data, s->select, 8, local & 0xff);
		bits_put(send->mad + s->data, s->msb, 2, local >> 8 & 3);
	} else if (s->targets.by_field) {
		bits_put(send->mad + s->data, s->select, 8,
			 about == MADKIT_SURVEY_SUM ? SURVEY_ALL_PORTS : t->port);
	} else {
		header.modifier |= t->modifier;
	}
	madkit_header_put(send->mad, send->len, &header);
}

void survey_ask_free(struct madkit_survey *s, struct survey_ask *ask)
{
	madkit_recv_free(ask->result.job.reply.recv);
	ask->result.job.reply.recv = NULL;
	madkit_recv_free(ask->first.recv);
	ask->first.recv = NULL;
	list_del(&ask->list);
	list_add(&s->free, &ask->list);
}

static struct survey_ask *survey_ask_alloc(struct madkit_survey *s)
{
	struct survey_ask *ask;

	if (!list_empty(&s->free)) {
		ask = list_entry(s->free.next, struct survey_ask, list);
		list_del(&ask->list);
		return ask;
	}
	ask = calloc(1, sizeof(*ask));
	if (ask)
		ask->result.job.send = madkit_send_new(s->request->len);
	if (!ask || !ask->result.job.send) {
		free(ask);
		s->error = -ENOMEM;
		return NULL;
	}
	list_init(&ask->list);
	return ask;
}

/* Creates a request about a target or its node. Returns NULL if memory ran out. */
struct survey_ask *survey_ask_new(struct madkit_survey *s, uint32_t node, uint32_t target,
				  enum madkit_survey_about about)
{
	const struct survey_target *t = &s->targets.targets[target];
	struct survey_ask *ask = survey_ask_alloc(s);
	struct madkit_survey_result *r;
	struct madkit_send *send;
	const char *reason;

	if (!ask)
		return NULL;
	r = &ask->result;
	send = r->job.send;
	ask->survey = s;
	ask->node = node;
	ask->kept = ask->checked = ask->prepares = ask->unmapped = false;
	ask->block = ask->again = 0;
	ask->elapsed_ns = 0;
	*r = (struct madkit_survey_result){
		.about = about,
		.target = target,
		.node = t->node,
		.port = t->port,
		.at = t->at,
		.uncounted = about == MADKIT_SURVEY_TARGET && t->uncounted,
		.attribute = about == MADKIT_SURVEY_CPI ? NULL : s->attribute,
		.job = { .send = send,
			 .deadline_ns = s->attr.deadline_ns,
			 .redirects = s->attr.redirects,
			 .context = ask },
	};
	send->to = s->request->to;
	send->timeout_ms = s->request->timeout_ms;
	send->ack_ms = s->request->ack_ms;
	send->retries = survey_retries(s, &s->targets.nodes[node], t);
	survey_fill(s, t, about, send);
	r->reason = survey_address(s, t, send);
	if (about != MADKIT_SURVEY_TARGET)
		return ask;
	reason = s->attr.check ? s->attr.check(s->attr.context, r) : NULL;
	ask->checked = reason && !r->reason;
	if (ask->checked)
		r->reason = reason;
	ask->unmapped = !r->reason && s->registers && s->targets.by_field &&
			!madkit_registers_local_port(s->registers, t->node, t->port);
	if (ask->unmapped)
		r->reason = madkit_sweep_node(s->sweep, t->node)->type == MADKIT_NODE_TYPE_SWITCH ?
				    "PortMapping does not have one local port for it" :
				    "only port 1 of a CA has registers";
	if (!r->reason && t->uncounted)
		r->reason = "the number of blocks is not known";
	return ask;
}

struct survey_ask *survey_ask_empty(struct madkit_survey *s, uint32_t target, const char *reason)
{
	const struct survey_target *t = &s->targets.targets[target];
	struct survey_ask *ask = survey_ask_alloc(s);

	if (!ask)
		return NULL;
	ask->survey = s;
	memcpy(ask->result.job.send->mad, s->request->mad, s->request->len);
	ask->result = (struct madkit_survey_result){ .about = MADKIT_SURVEY_TARGET,
						     .target = target,
						     .node = t->node,
						     .port = t->port,
						     .at = t->at,
						     .reason = reason,
						     .job.send = ask->result.job.send };
	return ask;
}

void survey_ask_free_all(struct list *list)
{
	while (!list_empty(list)) {
		struct survey_ask *ask = list_entry(list->next, struct survey_ask, list);

		list_del(&ask->list);
		madkit_recv_free(ask->result.job.reply.recv);
		madkit_recv_free(ask->first.recv);
		madkit_send_free(ask->result.job.send);
		free(ask->joined);
		free(ask);
	}
}

/* ---- results as messages -------------------------------------------------------------- */

const struct madkit_sweep_record *madkit_survey_record(struct madkit_survey_result *r)
{
	struct survey_ask *ask = (struct survey_ask *)r;

	if (!r)
		return NULL;
	if (!r->record) {
		madkit_sweep_record_get(ask->survey->sweep, r->node, r->port, &ask->record);
		r->record = &ask->record;
	}
	return r->record;
}

/* Returns the name of a node: from attr.name, or its description. NULL: not known. */
static const char *survey_node_name(const struct madkit_sweep *sweep, uint32_t node)
{
	const struct madkit_sweep_node *n = madkit_sweep_node(sweep, node);
	const char *name = madkit_sweep_name(sweep, n);

	return name ? name : n->described == MADKIT_SWEEP_ANSWERED ? (const char *)n->description : NULL;
}

const struct madkit_message *madkit_survey_message(struct madkit_survey_result *r)
{
	const struct survey_ask *ask = (const struct survey_ask *)r;
	struct madkit_message *m;

	if (!r)
		return NULL;
	m = &r->message;
	madkit_reply_message(&r->job.reply, m);
	if (r->job.reply.recv) {
		m->time = r->job.reply.recv->time;
	} else {
		madkit_port_realtime(ask->survey->port, &m->time);
		m->mad = r->job.send->mad;
		m->len = r->job.send->len;
		m->send_status = -r->error;
		if (r->error == -ETIMEDOUT)
			m->kind = MADKIT_MESSAGE_TIMEOUT;
	}
	m->device = madkit_port_get_info(ask->survey->port)->device;
	m->agent = ask->survey->agent ? madkit_agent_id(ask->survey->agent) : 0;
	m->seq = r->number;
	m->attribute = r->attribute;
	m->remote = &r->job.send->to;
	m->name = survey_node_name(ask->survey->sweep, r->node);
	m->port = &madkit_survey_record(r)->record;
	return m;
}

void madkit_survey_release(struct madkit_survey *s, struct madkit_survey_result *r)
{
	if (s && r)
		survey_ask_free(s, (struct survey_ask *)r);
}
