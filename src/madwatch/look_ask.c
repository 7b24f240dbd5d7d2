/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Requests to a node: makes their MADs, and takes the results. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "look.h"

enum {
	LOOK_RETRY_MS = 500, /* after a switch did not respond */
	LOOK_FAILURES = 3,   /* in a row: the switch is silent */
	LOOK_STALE_MS = 20,  /* a request that waits so long may be on a route that is broken */
};

/* ---- requests ---------------------------------------------------------------------------- */

static const struct look_attribute {
	uint8_t mgmt_class;
	uint16_t attribute;
	bool by_port; /* the modifier is the port */
} look_attributes[] = {
	[LOOK_PORT] = { MADKIT_CLASS_SUBN_DR, MADKIT_ATTR_PORT_INFO, true },
	[LOOK_FIRST] = { MADKIT_CLASS_SUBN_DR, MADKIT_ATTR_PORT_INFO, true },
	[LOOK_AGAIN] = { MADKIT_CLASS_SUBN_DR, MADKIT_ATTR_PORT_INFO, true },
	[LOOK_SWITCH] = { MADKIT_CLASS_SUBN_DR, MADKIT_ATTR_SWITCH_INFO, false },
	[LOOK_NAME] = { MADKIT_CLASS_SUBN_DR, MADKIT_ATTR_NODE_DESCRIPTION, false },
	[LOOK_NODE] = { MADKIT_CLASS_SUBN_DR, MADKIT_ATTR_NODE_INFO, false },
	[LOOK_COUNT] = { MADKIT_CLASS_PERF, MADKIT_ATTR_PORT_COUNTERS, false },
	[LOOK_MASTER] = { MADKIT_CLASS_SUBN, MADKIT_ATTR_SM_INFO, false },
};

static const struct look_attribute *look_attribute(const struct look_entry *e)
{
	return &look_attributes[e->kind];
}

static uint64_t look_m_key(const struct look *l, struct view_end end)
{
	const struct m_keys *keys = l->net->common->m_keys;
	const struct view_node *n = end.node == VIEW_NONE ? NULL : l->view->nodes[end.node];

	if (!keys)
		return l->net->x.options->manager.m_key;
	return n ? m_keys_of(keys, n->ports[view_is_switch(n) ? 0 : end.port].guid, n->guid) : 0;
}

/* Finds the address of a request. Returns false if no route leads there. */
static bool look_address(struct look *l, const struct look_entry *e, struct madkit_addr *to)
{
	switch (look_attribute(e)->mgmt_class) {
	case MADKIT_CLASS_SUBN_DR:
		return view_route(l->view, e->end.node, to);
	case MADKIT_CLASS_PERF:
		*to = (struct madkit_addr){ .lid = l->view->nodes[e->end.node]->lid,
					    .qp = 1,
					    .qkey = MADKIT_QKEY_GSI };
		return to->lid;
	default:
		*to = (struct madkit_addr){ .lid = l->net->x.info->sm_lid, .sl = l->net->x.info->sm_sl };
		return to->lid;
	}
}

static void look_fill(struct look *l, struct look_request *r)
{
	const struct look_attribute *what = look_attribute(r->entry);
	struct madkit_send *send = r->job.send;
	const struct madkit_header header = {
		.base_version = MADKIT_BASE_VERSION_IB,
		.mgmt_class = what->mgmt_class,
		.class_version = madkit_class_version(what->mgmt_class),
		.method = MADKIT_METHOD_GET,
		.attribute = what->attribute,
		.modifier = what->by_port ? r->entry->end.port : 0,
	};
	uint64_t key = look_m_key(l, r->entry->end);

	memset(send->mad, 0, send->len);
	madkit_header_put(send->mad, send->len, &header);
	if (what->mgmt_class == MADKIT_CLASS_PERF)
		madkit_put(send->mad + MADKIT_PERF_DATA, send->len - MADKIT_PERF_DATA,
			   MADKIT_PORT_COUNTERS_PORT_SELECT, r->entry->end.port);
	else
		for (int i = 8; i--; key >>= 8)
			send->mad[MADKIT_SMP_MKEY + i] = (uint8_t)key;
	send->timeout_ms = l->net->x.options->timing.timeout_ms;
	send->retries = l->net->x.options->timing.retries;
	r->job.agent = what->mgmt_class == MADKIT_CLASS_PERF ? l->counters :
		       send->to.direct                       ? l->direct :
							       l->routed;
}

struct look_request *look_free_request(struct look *l)
{
	for (size_t i = 0; i < LOOK_REQUESTS; i++)
		if (!l->requests[i].entry)
			return &l->requests[i];
	return NULL;
}

int look_post(struct look *l, struct look_entry *e)
{
	struct look_request *r = look_free_request(l);
	int ret;

	if (!r->job.send)
		r->job.send = madkit_send_new(MADKIT_MAD_BYTES);
	ret = r->job.send ? 0 : -ENOMEM;
	if (ret || !look_address(l, e, &r->job.send->to)) {
		look_end(l, e);
		return ret;
	}
	r->entry = e;
	look_fill(l, r);
	r->job.deadline_ns = UINT64_MAX;
	r->job.context = r;
	ret = madkit_dispatcher_post(l->dispatcher, &r->job);
	if (ret) {
		r->entry = NULL;
		look_end(l, e);
		return ret;
	}
	l->gmps += e->kind == LOOK_COUNT;
	return 0;
}

/* ---- results ----------------------------------------------------------------------------- */

struct take look_take(const struct look *l, const struct look_entry *e)
{
	return (struct take){
		.view = l->view, .changes = l->changes, .now = madkit_port_now(l->net->x.port), .by = e->by
	};
}

static void look_take_port(struct look *l, const struct look_entry *e, const uint8_t *data)
{
	struct take t = look_take(l, e);
	const enum take_next next = take_port_info(&t, e->end, data);

	if (next == TAKE_CHANGED)
		look_note_change(l, e->end, (enum view_by)e->by, t.now);
	if (next == TAKE_PROBE)
		look_add(l, LOOK_LINK, e->end, LOOK_URGENT, (enum view_by)e->by);
	else
		look_watch(l, e->end, (enum view_by)e->by, t.now);
}

/* Takes the events of a node that responds, or that does not. */
static void look_take_silence(struct look *l, struct view_node *n, enum view_by by, bool silent)
{
	struct event e = event_of_node(silent ? EVENT_SILENT : EVENT_ANSWERS, by, n->number);
	bool again;

	n->failures = 0;
	if (n->silent != silent)
		l->view->dirty = true;
	again = n->silent;
	n->silent = silent;
	/* a switch that goes down with its links is reported as that: wait for the next failure */
	if (n->told_silent == silent || (silent && !again))
		return;
	n->told_silent = silent;
	strcpy(e.text, silent ? "the switch does not respond" : "the switch responds again");
	change_add(l->changes, &e);
}

/* Another node is at the place of one: reads all links there. */
static void look_take_other(struct look *l, const struct view_node *n, enum view_by by)
{
	for (unsigned int port = 1; port <= n->nports; port++) {
		const struct view_link *link = view_link(l->view, n->ports[port].link);
		const struct view_end here = { n->number, (uint8_t)port };

		if (link)
			look_add(l, LOOK_LINK, view_other(link, here), LOOK_URGENT, by);
	}
}

static void look_take_data(struct look *l, const struct look_entry *e, const uint8_t *data)
{
	const struct madkit_name_map *names = l->net->common->names;
	struct take t = look_take(l, e);
	uint64_t changed = 0;

	switch (e->kind) {
	case LOOK_PORT:
	case LOOK_FIRST:
	case LOOK_AGAIN:
		look_take_port(l, e, data);
		break;
	case LOOK_SWITCH:
		madkit_get(data, MADKIT_SWEEP_INFO_BYTES, MADKIT_SWITCH_INFO_STATE_CHANGE, &changed);
		if (changed)
			look_ports(l, e->end.node, LOOK_SOON, e->by);
		break;
	case LOOK_NODE:
		if (!take_node_info(&t, e->end.node, data))
			look_take_other(l, l->view->nodes[e->end.node], (enum view_by)e->by);
		break;
	case LOOK_NAME:
		if (!names || !madkit_name_map_name(names, l->view->nodes[e->end.node]->guid))
			take_name(&t, e->end.node, data);
		break;
	}
}

void look_take_failure(struct look *l, const struct look_entry *e)
{
	const uint64_t now = madkit_port_now(l->net->x.port);
	struct view_node *n = l->view->nodes[e->end.node];
	struct madkit_addr to;

	/* that all its links are down says more */
	if (!view_is_switch(n) || !view_route(l->view, n->number, &to))
		return;
	/* several requests that were lost at the same time are one failure */
	if (now - n->failed_ns >= LOOK_RETRY_MS * NS_PER_MS) {
		n->failed_ns = now;
		n->failures++;
		look_path(l, n->number, LOOK_URGENT, (enum view_by)e->by);
	}
	if (n->failures < LOOK_FAILURES && !n->silent)
		look_add_later(l, (enum look_kind)e->kind, e->end, (enum view_by)e->by, LOOK_RETRY_MS);
	else
		look_take_silence(l, n, (enum view_by)e->by, true);
}

/* Returns the data of the response, or NULL. *refused: it has a MAD status. */
static const uint8_t *look_data(const struct look_request *r, bool *refused)
{
	const struct madkit_reply *reply = &r->job.reply;
	struct madkit_header header;

	*refused = false;
	if (r->job.error || reply->status || !reply->recv || reply->mismatch ||
	    reply->recv->len < MADKIT_SMP_DATA + MADKIT_SWEEP_INFO_BYTES ||
	    madkit_header_get(reply->recv->mad, reply->recv->len, &header))
		return NULL;
	*refused = header.status;
	return *refused ? NULL : reply->recv->mad + MADKIT_SMP_DATA;
}

static void look_take_result(struct look *l, struct look_request *r)
{
	struct look_entry *e = r->entry;
	bool refused;
	const uint8_t *data = look_data(r, &refused);
	const bool again = r->job.error == -ECANCELED;
	struct view_node *n = e->end.node == VIEW_NONE ? NULL : l->view->nodes[e->end.node];

	l->read++;
	l->gmps -= e->kind == LOOK_COUNT;
	r->entry = NULL;
	if (again) {
		look_push(&l->queues[LOOK_URGENT], e);
		return;
	}
	/* what the result leads to may be the same request */
	if (n)
		*look_queued(l, e->end) &= (uint8_t) ~(1u << e->kind);
	if (e->kind == LOOK_COUNT) {
		struct take t = look_take(l, e);

		if (data)
			take_counters(&t, e->end, data);
	} else if (!n) {
		l->master(l->context, data, r->job.send->to.lid);
	} else if (data || refused) {
		look_take_silence(l, n, (enum view_by)e->by, false);
		if (data)
			look_take_data(l, e, data);
	} else {
		look_take_failure(l, e);
	}
	free(e);
}

void look_collect(struct look *l)
{
	struct madkit_job *job;

	while ((job = madkit_dispatcher_take(l->dispatcher))) {
		look_take_result(l, job->context);
		madkit_recv_free(job->reply.recv);
		job->reply.recv = NULL;
	}
}

void look_reroute(struct look *l)
{
	const uint64_t now = madkit_port_now(l->net->x.port);

	for (size_t i = 0; i < LOOK_REQUESTS; i++) {
		struct look_request *r = &l->requests[i];
		struct madkit_addr to;

		if (!r->entry || !r->job.send->to.direct ||
		    now - r->job.posted_ns < LOOK_STALE_MS * NS_PER_MS)
			continue;
		if (!look_address(l, r->entry, &to) || to.hops != r->job.send->to.hops ||
		    memcmp(to.path, r->job.send->to.path, sizeof(to.path)) != 0)
			madkit_dispatcher_cancel(l->dispatcher, &r->job, -ECANCELED);
	}
}
