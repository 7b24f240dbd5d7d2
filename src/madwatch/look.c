/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "look.h"

enum {
	LOOK_HOT_MS = 5000,  /* a link that has changed may flap, or wait for the subnet manager */
	LOOK_AGAIN_MS = 250, /* its port is read so often */
	LOOK_WAIT_MS = 500,  /* ... if it is not Active yet */
	LOOK_RETRY_MS = 500, /* after a switch did not respond */
	LOOK_FAILURES = 3,   /* in a row: the switch is silent */
	LOOK_STEP_MS = 2,    /* between steps of sweeps of one link */
	LOOK_STALE_MS = 20,  /* a request that waits so long may be on a route that is broken */
};

/* ---- queues ------------------------------------------------------------------------------ */

static void look_push(struct look_queue *queue, struct look_entry *e)
{
	e->next = NULL;
	*queue->last = e;
	queue->last = &e->next;
}

static struct look_entry *look_pop(struct look_queue *queue)
{
	struct look_entry *e = queue->first;

	if (!e)
		return NULL;
	queue->first = e->next;
	if (!queue->first)
		queue->last = &queue->first;
	return e;
}

/* Returns the requests that wait at a port, a bit for each kind; NULL for requests without a node. */
static uint8_t *look_queued(const struct look *l, struct view_end end)
{
	return end.node == VIEW_NONE ? NULL : &view_port(l->view, end)->queued;
}

/* Returns a new entry; NULL if it is queued already, or without memory. */
static struct look_entry *look_entry(struct look *l, enum look_kind kind, struct view_end end,
				     enum view_by by)
{
	uint8_t *queued = look_queued(l, end);
	struct look_entry *e;

	if (queued && *queued & 1u << kind)
		return NULL;
	e = calloc(1, sizeof(*e));
	if (!e)
		return NULL;
	if (queued)
		*queued |= (uint8_t)(1u << kind);
	e->kind = (uint8_t)kind;
	e->by = (uint8_t)by;
	e->end = end;
	e->added_ns = madkit_port_now(l->net->x.port);
	return e;
}

void look_add(struct look *l, enum look_kind kind, struct view_end end, enum look_class class,
	      enum view_by by)
{
	struct look_entry *e = look_entry(l, kind, end, by);

	if (e)
		look_push(&l->queues[class], e);
}

void look_add_later(struct look *l, enum look_kind kind, struct view_end end, enum view_by by, uint32_t ms)
{
	const bool port = kind == LOOK_PORT || kind == LOOK_FIRST;
	struct look_entry *e = look_entry(l, port ? LOOK_AGAIN : kind, end, by);

	if (!e)
		return;
	e->due_ns = e->added_ns + ms * NS_PER_MS;
	look_push(&l->later, e);
}

void look_ports(struct look *l, uint32_t node, enum look_class class, enum view_by by)
{
	const struct view_node *n = l->view->nodes[node];

	for (unsigned int port = 1; port <= n->nports; port++)
		look_add(l, LOOK_PORT, (struct view_end){ node, (uint8_t)port }, class, by);
}

/* Moves requests that are due to the urgent ones. */
static void look_wake(struct look *l, uint64_t now)
{
	struct look_entry **at = &l->later.first;

	while (*at) {
		struct look_entry *e = *at;

		if (e->due_ns > now) {
			at = &e->next;
			continue;
		}
		*at = e->next;
		if (l->later.last == &e->next)
			l->later.last = at;
		look_push(&l->queues[LOOK_URGENT], e);
	}
}

uint64_t look_due(const struct look *l)
{
	uint64_t due = UINT64_MAX;

	for (const struct look_entry *e = l->later.first; e; e = e->next)
		if (e->due_ns < due)
			due = e->due_ns;
	return due;
}

/* ---- a MAD ------------------------------------------------------------------------------- */

static const struct look_attribute {
	uint16_t attribute;
	bool by_port;
} look_attributes[] = {
	[LOOK_PORT] = { MADKIT_ATTR_PORT_INFO, true },
	[LOOK_FIRST] = { MADKIT_ATTR_PORT_INFO, true },
	[LOOK_AGAIN] = { MADKIT_ATTR_PORT_INFO, true },
	[LOOK_SWITCH] = { MADKIT_ATTR_SWITCH_INFO, false },
	[LOOK_NAME] = { MADKIT_ATTR_NODE_DESCRIPTION, false },
	[LOOK_MASTER] = { MADKIT_ATTR_SM_INFO, false },
};

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
	if (e->kind != LOOK_MASTER)
		return view_route(l->view, e->end.node, to);
	*to = (struct madkit_addr){ .lid = l->net->x.info->sm_lid, .sl = l->net->x.info->sm_sl };
	return to->lid;
}

static void look_fill(struct look *l, struct look_request *r)
{
	const struct look_attribute *what = &look_attributes[r->entry->kind];
	struct madkit_send *send = r->job.send;
	const struct madkit_header header = {
		.base_version = MADKIT_BASE_VERSION_IB,
		.mgmt_class = send->to.direct ? MADKIT_CLASS_SUBN_DR : MADKIT_CLASS_SUBN,
		.class_version = madkit_class_version(MADKIT_CLASS_SUBN),
		.method = MADKIT_METHOD_GET,
		.attribute = what->attribute,
		.modifier = what->by_port ? r->entry->end.port : 0,
	};
	uint64_t key = look_m_key(l, r->entry->end);

	memset(send->mad, 0, send->len);
	madkit_header_put(send->mad, send->len, &header);
	for (int i = 8; i--; key >>= 8)
		send->mad[MADKIT_SMP_MKEY + i] = (uint8_t)key;
	send->timeout_ms = l->net->x.options->timing.timeout_ms;
	send->retries = l->net->x.options->timing.retries;
	r->job.agent = send->to.direct ? l->direct : l->routed;
}

static struct look_request *look_free_request(struct look *l)
{
	for (size_t i = 0; i < LOOK_REQUESTS; i++)
		if (!l->requests[i].entry)
			return &l->requests[i];
	return NULL;
}

/* Frees an entry; the same request may be queued again. */
static void look_end(struct look *l, struct look_entry *e)
{
	uint8_t *queued = look_queued(l, e->end);

	if (queued)
		*queued &= (uint8_t) ~(1u << e->kind);
	free(e);
}

/* Sends a request, or drops it. Returns 0 or -errno. */
static int look_post(struct look *l, struct look_entry *e)
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
	}
	return ret;
}

/* ---- results of MADs --------------------------------------------------------------------- */

static struct take look_take(const struct look *l, const struct look_entry *e)
{
	return (struct take){
		.view = l->view, .changes = l->changes, .now = madkit_port_now(l->net->x.port), .by = e->by
	};
}

/* A link of the node at its other end went down or came up: reads its other links first, because they may have followed. */
static void look_suspect(struct look *l, struct view_end end, enum view_by by)
{
	const struct view_link *link = view_link_of(l->view, end);
	const struct view_node *n;

	if (!link)
		return;
	n = l->view->nodes[link->ends[link->ends[0].node == end.node].node];
	for (unsigned int port = 1; n->nlinks > 1 && port <= n->nports; port++) {
		const struct view_link *other = view_link(l->view, n->ports[port].link);
		struct view_end far;

		if (!other || other->up == link->up)
			continue;
		far = other->ends[other->ends[0].node == n->number];
		if (view_is_switch(l->view->nodes[far.node]))
			look_add(l, LOOK_FIRST, far, LOOK_URGENT, by);
	}
}

/* Notes that a link has changed: it may flap. */
static void look_note_change(struct look *l, struct view_end end, enum view_by by, uint64_t now)
{
	const struct view_link *link = view_link_of(l->view, end);

	view_port(l->view, end)->changed_ns = now;
	for (int i = 0; link && i < 2; i++)
		l->view->nodes[link->ends[i].node]->explained_ns = now;
	look_suspect(l, end, by);
}

/* Reads a port again if its link has changed recently: after as much time as has passed since then. */
static void look_watch(struct look *l, struct view_end end, enum view_by by, uint64_t now)
{
	struct view_port *p = view_port(l->view, end);
	const uint64_t ms = (now - p->changed_ns) / NS_PER_MS;

	if (p->changed_ns && ms < LOOK_HOT_MS)
		look_add_later(l, LOOK_PORT, end, by, ms < LOOK_AGAIN_MS ? LOOK_AGAIN_MS : (uint32_t)ms);
	else
		p->changed_ns = 0;
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

static void look_take_data(struct look *l, const struct look_entry *e, const uint8_t *data)
{
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
	case LOOK_NAME:
		take_name(&t, e->end.node, data);
		break;
	}
}

/* A switch did not respond: its route may be broken, or it is silent. */
static void look_take_failure(struct look *l, const struct look_entry *e)
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
	r->entry = NULL;
	if (again) {
		look_push(&l->queues[LOOK_URGENT], e);
		return;
	}
	/* what the result leads to may be the same request */
	if (n)
		*look_queued(l, e->end) &= (uint8_t) ~(1u << e->kind);
	if (!n) {
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

static void look_collect(struct look *l)
{
	struct madkit_job *job;

	while ((job = madkit_dispatcher_take(l->dispatcher))) {
		look_take_result(l, job->context);
		madkit_recv_free(job->reply.recv);
		job->reply.recv = NULL;
	}
}

/* Ends requests on routes that are no longer used: they are sent again by the new ones. */
static void look_reroute(struct look *l)
{
	const uint64_t now = madkit_port_now(l->net->x.port);

	for (size_t i = 0; i < LOOK_REQUESTS; i++) {
		struct look_request *r = &l->requests[i];
		struct madkit_addr to;

		if (!r->entry || !r->job.send->to.direct ||
		    now - r->job.posted_ns < LOOK_STALE_MS * NS_PER_MS)
			continue;
		if (look_address(l, r->entry, &to) &&
		    (to.hops != r->job.send->to.hops ||
		     memcmp(to.path, r->job.send->to.path, sizeof(to.path)) != 0))
			madkit_dispatcher_cancel(l->dispatcher, &r->job, -ECANCELED);
	}
}

/* ---- links ------------------------------------------------------------------------------- */

static uint64_t look_link_m_key(void *context, const struct madkit_sweep_node *node, unsigned int port,
				bool behind)
{
	struct look *l = context;

	if (!node)
		return l->net->common->m_keys ? 0 : l->net->x.options->manager.m_key;
	return subnet_m_key(l->net, node, port, behind);
}

static const char *look_link_name(void *context, const struct madkit_sweep_node *node)
{
	const struct look *l = context;

	return madkit_name_map_name(l->net->common->names, node->guid);
}

/* Begins to read both ends of a link. Returns 0 or -errno. */
static int look_begin_link(struct look *l, struct look_slot *slot, struct look_entry *e)
{
	struct madkit_addr from;
	const struct madkit_sweep_attr attr = {
		.from = &from,
		.timeout_ms = l->net->x.options->timing.timeout_ms,
		.retries = l->net->x.options->timing.retries,
		.m_key = look_link_m_key,
		.name = l->net->common->names ? look_link_name : NULL,
		.context = l,
		.link = true,
		.link_port = e->end.port,
		.first = l->view->nodes[e->end.node]->info,
	};
	int ret = view_route(l->view, e->end.node, &from) ?
			  madkit_sweep_new(l->net->x.port, &attr, &slot->sweep) :
			  -EHOSTUNREACH;

	if (ret) {
		slot->sweep = NULL;
		look_end(l, e);
		return ret == -EHOSTUNREACH ? 0 : ret;
	}
	slot->entry = e;
	return 0;
}

static void look_take_link(struct look *l, struct look_slot *slot)
{
	struct look_entry *e = slot->entry;
	const enum view_by by = (enum view_by)e->by;
	struct take t = look_take(l, e);
	struct view_port *p = view_port(l->view, e->end);
	const struct view_link *link = view_link_of(l->view, e->end);
	const bool was_up = link && link->up;
	uint32_t fresh;
	const enum take_link taken = take_link(&t, slot->sweep, e->end, &fresh);

	madkit_sweep_free(slot->sweep);
	slot->sweep = NULL;
	p->queued &= (uint8_t) ~(1u << LOOK_LINK);
	if (fresh != VIEW_NONE) {
		look_ports(l, fresh, LOOK_SOON, by);
		look_add(l, LOOK_PORT, (struct view_end){ fresh, 0 }, LOOK_SOON, by);
	}
	link = view_link_of(l->view, e->end);
	if (link && link->up != was_up)
		look_note_change(l, e->end, by, t.now);
	else if (taken == TAKE_LINK_WAITS && !p->waits)
		p->changed_ns = t.now;
	p->waits = taken == TAKE_LINK_WAITS;
	if (taken == TAKE_LINK_NONE)
		look_take_failure(l, e);
	else if (p->waits && t.now - p->changed_ns < LOOK_HOT_MS * NS_PER_MS)
		look_add_later(l, LOOK_PORT, e->end, by, LOOK_WAIT_MS);
	else
		look_watch(l, e->end, by, t.now);
	free(e);
}

/* Continues the sweeps of one link. Returns 0 or -errno. */
static int look_step_links(struct look *l)
{
	for (size_t i = 0; i < LOOK_SLOTS; i++) {
		struct look_slot *slot = &l->slots[i];
		const int ret = slot->sweep ? madkit_sweep_step(slot->sweep, 0) : 0;

		if (ret < 0)
			return ret;
		if (ret)
			look_take_link(l, slot);
	}
	return 0;
}

static struct look_slot *look_free_slot(struct look *l)
{
	for (size_t i = 0; i < LOOK_SLOTS; i++)
		if (!l->slots[i].sweep)
			return &l->slots[i];
	return NULL;
}

/* ---- running ----------------------------------------------------------------------------- */

/* Puts off requests to switches of which a change is known by now: that may be why they sent traps. */
static void look_put_off(struct look *l)
{
	struct look_queue *soon = &l->queues[LOOK_SOON];

	while (soon->first && soon->first->end.node != VIEW_NONE &&
	       l->view->nodes[soon->first->end.node]->explained_ns > soon->first->added_ns)
		look_push(&l->queues[LOOK_LATER], look_pop(soon));
}

/* Checks if the next request of a queue can be sent. */
static bool look_may_send(struct look *l, const struct look_queue *queue)
{
	if (!queue->first)
		return false;
	if (queue->first->kind == LOOK_LINK)
		return look_free_slot(l);
	return look_free_request(l) && madkit_dispatcher_has_room(l->dispatcher, MADKIT_CLASS_SUBN_DR);
}

static int look_send(struct look *l)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < LOOK_CLASSES; i++)
		while (!ret && look_may_send(l, &l->queues[i])) {
			struct look_entry *e = look_pop(&l->queues[i]);

			ret = e->kind == LOOK_LINK ? look_begin_link(l, look_free_slot(l), e) :
						     look_post(l, e);
		}
	return ret == -EAGAIN ? 0 : ret;
}

/* Reads the ports of switches that are in reach again: their other links may have changed meanwhile. */
static void look_welcome(struct look *l)
{
	struct madkit_addr to;

	for (uint32_t i = 0; i < l->view->nnodes; i++) {
		struct view_node *n = l->view->nodes[i];
		const bool away = view_is_switch(n) && !view_route(l->view, i, &to);

		if (n->away && !away)
			look_ports(l, i, LOOK_LATER, VIEW_BY_SWEEP);
		n->away = away;
	}
}

int look_step(struct look *l)
{
	int ret;

	look_wake(l, madkit_port_now(l->net->x.port));
	ret = look_step_links(l);
	look_collect(l);
	look_put_off(l);
	if (l->view->dirty) {
		look_reroute(l);
		look_welcome(l);
	}
	return ret ? ret : look_send(l);
}

static bool look_has_link(const struct look *l)
{
	for (size_t i = 0; i < LOOK_SLOTS; i++)
		if (l->slots[i].sweep)
			return true;
	return false;
}

bool look_is_urgent(const struct look *l)
{
	return l->queues[LOOK_URGENT].first || look_has_link(l);
}

bool look_is_busy(const struct look *l)
{
	bool waits = false;

	for (size_t i = 0; i < LOOK_CLASSES; i++)
		waits |= l->queues[i].first != NULL;
	return waits || look_has_link(l) || madkit_dispatcher_outstanding(l->dispatcher);
}

int look_wait(struct look *l, uint64_t until_ns)
{
	const uint64_t step = madkit_port_now(l->net->x.port) + LOOK_STEP_MS * NS_PER_MS;
	int ret =
		madkit_dispatcher_wait(l->dispatcher, look_has_link(l) && step < until_ns ? step : until_ns);

	return ret < 0 ? ret : 0;
}

static void look_drop(struct look *l, struct look_queue *queue)
{
	struct look_entry *e;

	while ((e = look_pop(queue)))
		look_end(l, e);
}

void look_stop(struct look *l)
{
	for (size_t i = 0; i < LOOK_CLASSES; i++)
		look_drop(l, &l->queues[i]);
	look_drop(l, &l->later);
	for (size_t i = 0; i < LOOK_SLOTS; i++) {
		if (!l->slots[i].sweep)
			continue;
		madkit_sweep_free(l->slots[i].sweep);
		l->slots[i].sweep = NULL;
		look_end(l, l->slots[i].entry);
	}
}

int look_init(struct look *l, struct subnet *net, struct view *view, struct changes *changes)
{
	const struct madkit_dispatcher_attr windows = { .smps = LOOK_SMPS, .smps_max = LOOK_SMPS };
	const struct madkit_agent_attr direct = { .mgmt_class = MADKIT_CLASS_SUBN_DR };
	const struct madkit_agent_attr routed = { .mgmt_class = MADKIT_CLASS_SUBN };
	int ret;

	*l = (struct look){ .net = net, .view = view, .changes = changes };
	for (size_t i = 0; i < LOOK_CLASSES; i++)
		l->queues[i].last = &l->queues[i].first;
	l->later.last = &l->later.first;
	ret = madkit_dispatcher_new(net->x.port, &windows, &l->dispatcher);
	if (!ret)
		ret = madkit_dispatcher_agent(l->dispatcher, &direct, &l->direct, NULL);
	if (!ret)
		ret = madkit_dispatcher_agent(l->dispatcher, &routed, &l->routed, NULL);
	return ret ? subnet_refused(net, ret) : EXIT_DONE;
}

void look_free(struct look *l)
{
	if (!l->net)
		return;
	look_stop(l);
	madkit_dispatcher_free(l->dispatcher);
	for (size_t i = 0; i < LOOK_REQUESTS; i++) {
		madkit_send_free(l->requests[i].job.send);
		madkit_recv_free(l->requests[i].job.reply.recv);
		free(l->requests[i].entry);
	}
}
