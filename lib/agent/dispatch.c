/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Many requests through one port: the windows, and parked requests, which no longer occupy them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/dispatch.h>
#include <madkit/registry.h>
#include "agent/flight.h"
#include "agent/redirect.h"

enum {
	OCCUPY_MS = 50,    /* minimum time for which a request occupies its window ... */
	OCCUPY_SMP_MS = 4, /* ... and an SMP */
	OCCUPY_TRIPS = 4,  /* and minimum in smoothed round trips */
	SMOOTHING = 8,     /* a round trip counts this part of the smoothed one */
};

/* Each kind has its own window. */
enum dispatch_kind { DISPATCH_OTHER, DISPATCH_SMP, DISPATCH_LAST_SMP, DISPATCH_KINDS };

/* Requests of one kind. */
struct dispatch_window {
	uint32_t size, most; /* requests that it allows now, and at most */
	uint32_t used;
	bool adapts;   /* size depends on the results of the requests */
	uint64_t lost; /* the sizes at which a request was lost: a bit each, the last one for all greater */
	uint64_t changed_ns; /* when size was changed, or a request was lost */
	uint64_t occupy_ns;
	uint64_t trip_ns; /* smoothed round trip; 0: unknown */
};

/* A job that is outstanding, or has ended and was not taken yet. */
struct dispatch_entry {
	struct madkit_job *job;
	struct madkit_dispatcher *dispatcher;
	struct dispatch_window *window;
	bool parked;               /* no longer occupies the window */
	struct heap_link link;     /* in parking, while it occupies the window */
	struct heap_link deadline; /* in deadlines, if the job has one */
	struct list list;          /* posted, moved or ended */
	struct follow follow;
	int error; /* why it is being cancelled; 0: it is not */
	bool ended;
};

struct madkit_dispatcher {
	struct madkit_port *port;
	struct list agents; /* registered by this dispatcher */
	struct dispatch_window windows[DISPATCH_KINDS];
	bool last_tries;       /* SMPs use the window for last tries */
	struct heap parking;   /* entries that occupy a window */
	struct heap deadlines; /* entries whose jobs have one */
	uint32_t parked, parked_max;
	size_t outstanding; /* jobs that were not taken yet */
	bool parks;
	bool room; /* a window has more room than at the last wait */
	bool freeing;
	struct list posted, moved, ended;
	struct dispatch_entry *followed; /* being followed: not in any of the lists */
};

/* ---- the window --------------------------------------------------------------------- */

/*
 * A lost SMP is noticed only after a timeout. Each switch on a directed route buffers and forwards SMPs, so
 * that the SMPs to all nodes meet at the first switch: a window that grows with each response has lost many
 * SMPs by then. This window grows by one in each timeout without a loss, and not to a size that has lost twice.
 */
static void window_lose(struct dispatch_window *w)
{
	const uint64_t bit = UINT64_C(1) << (w->size < 63 ? w->size : 63);

	if (w->size == 1)
		return;
	if (w->lost & bit)
		w->most = w->size - 1;
	w->lost |= bit;
	w->size /= 2;
}

static void window_adapt(struct dispatch_window *w, const struct madkit_job *job, uint64_t now)
{
	if (job->reply.attempts > 1) {
		/* ignore SMPs that were sent before the window became smaller */
		if (job->posted_ns >= w->changed_ns)
			window_lose(w);
		w->changed_ns = now;
	} else if (w->size < w->most && now - w->changed_ns >= job->send->timeout_ms * NS_PER_MS) {
		w->size++;
		w->changed_ns = now;
	}
}

static void window_answered(struct dispatch_window *w, const struct madkit_job *job, uint64_t now)
{
	const struct madkit_reply *reply = &job->reply;

	if (reply->rtt_ns >= 0)
		w->trip_ns = w->trip_ns ? w->trip_ns - w->trip_ns / SMOOTHING +
						  (uint64_t)reply->rtt_ns / SMOOTHING :
					  (uint64_t)reply->rtt_ns;
	if (w->adapts)
		window_adapt(w, job, now);
}

static uint64_t window_occupy_ns(const struct dispatch_window *w)
{
	uint64_t trips = OCCUPY_TRIPS * w->trip_ns;

	return trips > w->occupy_ns ? trips : w->occupy_ns;
}

static void entry_leave_window(struct dispatch_entry *e)
{
	heap_remove(&e->dispatcher->parking, &e->link);
	e->window->used--;
	e->dispatcher->room = true;
}

/* Parks the requests that have occupied a window for long enough. */
static void dispatcher_park(struct madkit_dispatcher *d, uint64_t now)
{
	struct heap_link *link;

	while (d->parked < d->parked_max && (link = heap_first(&d->parking)) && link->due <= now) {
		struct dispatch_entry *e = list_entry(link, struct dispatch_entry, link);

		entry_leave_window(e);
		e->parked = true;
		d->parked++;
	}
}

static enum dispatch_kind dispatcher_kind(const struct madkit_dispatcher *d, uint8_t mgmt_class)
{
	if (!madkit_class_is_smi(mgmt_class))
		return DISPATCH_OTHER;
	return d->last_tries ? DISPATCH_LAST_SMP : DISPATCH_SMP;
}

void madkit_dispatcher_last_tries(struct madkit_dispatcher *d, bool last_tries)
{
	if (!d)
		return;
	d->last_tries = last_tries;
	/* until the first of them is answered, their round trip is that of the other SMPs */
	if (last_tries)
		d->windows[DISPATCH_LAST_SMP].trip_ns = d->windows[DISPATCH_SMP].trip_ns;
}

bool madkit_dispatcher_has_room(const struct madkit_dispatcher *d, uint8_t mgmt_class)
{
	const struct dispatch_window *w = d ? &d->windows[dispatcher_kind(d, mgmt_class)] : NULL;

	return w && w->used < w->size && !port_is_paced(d->port);
}

/* ---- what has ended ------------------------------------------------------------------ */

static void entry_end(struct dispatch_entry *e, int error)
{
	struct madkit_dispatcher *d = e->dispatcher;
	struct madkit_job *job = e->job;

	job->ended_ns = madkit_port_now(d->port);
	if (!error && job->reply.recv)
		window_answered(e->window, job, job->ended_ns);
	follow_end(&e->follow);
	heap_remove(&d->deadlines, &e->deadline);
	if (error) {
		madkit_recv_free(job->reply.recv);
		job->reply.recv = NULL;
	}
	e->ended = true;
	job->error = error;
	if (e->parked)
		d->parked--;
	else
		entry_leave_window(e);
	list_del(&e->list);
	list_add(&d->ended, &e->list);
}

/* Checks if the send is posted. */
static bool entry_is_posted(const struct dispatch_entry *e)
{
	return send_of(e->job->send)->sync.waiting;
}

/* No time is left to follow a redirection: the reply is the redirecting response. */
static void entry_not_followed(struct dispatch_entry *e)
{
	madkit_error_set(&e->job->redirected.error, -ETIMEDOUT, -1,
			 "the deadline passed before the redirection was followed");
	entry_end(e, 0);
}

/* Ends the jobs with a deadline that has passed. Call this after earlier arrivals have been processed.
 * Returns true if there were any: posted jobs end in the next madkit_port_process(). */
static bool dispatcher_expire(struct madkit_dispatcher *d, uint64_t now)
{
	struct heap_link *link;
	bool any = false;

	while ((link = heap_first(&d->deadlines)) && link->due <= now) {
		struct dispatch_entry *e = list_entry(link, struct dispatch_entry, deadline);

		heap_remove(&d->deadlines, link);
		/* a signal kept a redirected job from being followed: it ends with the redirecting
		 * response */
		if (!entry_is_posted(e))
			entry_not_followed(e);
		else if (send_of(e->job->send)->state != SEND_DONE)
			flight_act(send_of(e->job->send), send_done(-ETIMEDOUT));
		any = true;
	}
	return any;
}

/* Called in place of the agent's handlers. */
static void entry_ended(void *owner)
{
	struct dispatch_entry *e = owner;
	struct madkit_reply *reply = &e->job->reply;

	*reply = send_of(e->job->send)->sync.reply;
	follow_count(&e->follow);
	if (e->error) {
		entry_end(e, e->error);
	} else if (!reply->status && follow_wanted(&e->follow)) {
		/* following may need queries, which are not possible within a handler */
		list_del(&e->list);
		list_add(&e->dispatcher->moved, &e->list);
	} else {
		entry_end(e, 0);
	}
}

/* ---- posting ------------------------------------------------------------------------- */

static int entry_post(struct dispatch_entry *e)
{
	struct madkit_job *job = e->job;
	struct send_sync *sync = &send_of(job->send)->sync;
	int ret = post_until(job->agent, job->send, job->deadline_ns);

	if (ret)
		return ret;
	sync->ended = entry_ended;
	sync->owner = e;
	sync->waiting = true;
	return 0;
}

int madkit_dispatcher_post(struct madkit_dispatcher *d, struct madkit_job *job)
{
	struct dispatch_window *w;
	struct dispatch_entry *e;
	int ret;

	if (!d || !job || !job->agent || !job->send)
		return -EINVAL;
	if (d->freeing)
		return -ECANCELED;
	w = &d->windows[dispatcher_kind(d, job->send->mad[MADKIT_MAD_CLASS])];
	if (w->used >= w->size)
		return -EAGAIN;
	if (heap_reserve(&d->parking, d->parking.count + 1) ||
	    heap_reserve(&d->deadlines, d->deadlines.count + 1))
		return -ENOMEM;
	e = calloc(1, sizeof(*e));
	if (!e)
		return -ENOMEM;
	job->error = 0;
	job->reply = (struct madkit_reply){ .rtt_ns = -1 };
	memset(&job->redirected, 0, sizeof(job->redirected));
	job->posted_ns = madkit_port_now(d->port);
	e->job = job;
	e->dispatcher = d;
	e->window = w;
	e->follow = (struct follow){ .job = job, .port = d->port, .agent = job->agent };
	ret = entry_post(e);
	if (ret) {
		free(e);
		return ret;
	}
	job->internal = e;
	w->used++;
	d->outstanding++;
	if (d->parks)
		heap_set(&d->parking, &e->link, job->posted_ns + window_occupy_ns(w));
	if (job->deadline_ns != UINT64_MAX)
		heap_set(&d->deadlines, &e->deadline, job->deadline_ns);
	list_add(&d->posted, &e->list);
	return 0;
}

/* ---- redirections -------------------------------------------------------------------- */

/* Sends the request to the target of its redirection. If the agent stays the same, posts the request;
 * otherwise waits for the response here. Handlers that run meanwhile may cancel the job. */
static int entry_follow(struct dispatch_entry *e)
{
	struct madkit_job *job = e->job;
	struct madkit_reply *reply = &job->reply;
	int ret = 0;

	do {
		if (madkit_port_now(e->dispatcher->port) >= job->deadline_ns) {
			entry_not_followed(e);
			return 0;
		}
		ret = follow_next(&e->follow);
		if (e->error)
			ret = e->error;
		if (ret || job->redirected.error.code)
			break;
		madkit_recv_free(reply->recv);
		reply->recv = NULL;
		if (e->follow.agent == job->agent) {
			ret = entry_post(e);
			if (ret)
				break;
			list_add(&e->dispatcher->posted, &e->list);
			return 0;
		}
		ret = madkit_request(e->follow.agent, job->send, job->deadline_ns, reply);
		follow_count(&e->follow);
		if (e->error)
			ret = e->error;
	} while (!ret && follow_wanted(&e->follow));
	entry_end(e, ret);
	return ret;
}

/* Follows redirections. After a signal, the remaining jobs are not followed. */
static void dispatcher_follow(struct madkit_dispatcher *d)
{
	int ret = 0;

	while (ret != -EINTR && !list_empty(&d->moved)) {
		d->followed = list_entry(d->moved.next, struct dispatch_entry, list);
		list_del(&d->followed->list);
		ret = entry_follow(d->followed);
		d->followed = NULL;
	}
}

/* ---- the loop ------------------------------------------------------------------------ */

/* Returns when the next job is parked or reaches its deadline, or the limit of the rate lets the next one pass. */
static uint64_t dispatcher_due(const struct madkit_dispatcher *d)
{
	uint64_t parking = d->parked < d->parked_max ? heap_due(&d->parking) : UINT64_MAX;
	uint64_t deadline = heap_due(&d->deadlines);
	uint64_t pace = d->port->pace.each_ns ? port_pace_due(d->port, madkit_port_now(d->port)) : 0;

	if (pace && pace < deadline)
		deadline = pace;
	return parking < deadline ? parking : deadline;
}

uint64_t madkit_dispatcher_deadline(const struct madkit_dispatcher *d)
{
	uint64_t due, port;

	if (!d)
		return UINT64_MAX;
	due = dispatcher_due(d);
	port = madkit_port_deadline(d->port);
	if (!list_empty(&d->ended) || !list_empty(&d->moved))
		return 0;
	return due < port ? due : port;
}

int madkit_dispatcher_wait(struct madkit_dispatcher *d, uint64_t until_ns)
{
	bool stopped = false, paced, was;

	if (!d)
		return -EINVAL;
	if (d->port->depth)
		return -EBUSY;
	was = port_stopped(d->port);
	paced = port_is_paced(d->port);
	d->room = false;
	for (;;) {
		uint64_t now, due;
		int ret = madkit_port_process(d->port);

		if (ret < 0 && !d->port->dead)
			madkit_dispatcher_end(d, ret);
		dispatcher_follow(d);
		now = madkit_port_now(d->port);
		if (dispatcher_expire(d, now))
			continue;
		dispatcher_park(d, now);
		d->room |= paced && !port_is_paced(d->port);
		if (d->room || !list_empty(&d->ended))
			return 1;
		if (ret < 0)
			return ret;
		/* arrivals before the signal have been processed */
		if (stopped)
			return -EINTR;
		if (now >= until_ns)
			return 0;
		due = dispatcher_due(d);
		due = due < until_ns ? due : until_ns;
		ret = madkit_port_wait(d->port, due == UINT64_MAX ? -1 : ms_until(now, due));
		stopped = port_stops(d->port, ret, &was);
		if (ret < 0 && ret != -EINTR && !d->port->dead) {
			madkit_dispatcher_end(d, ret);
			return list_empty(&d->ended) ? ret : 1;
		}
	}
}

struct madkit_job *madkit_dispatcher_take(struct madkit_dispatcher *d)
{
	struct dispatch_entry *e;
	struct madkit_job *job;

	if (!d || list_empty(&d->ended))
		return NULL;
	e = list_entry(d->ended.next, struct dispatch_entry, list);
	job = e->job;
	job->internal = NULL;
	list_del(&e->list);
	free(e);
	d->outstanding--;
	return job;
}

/* A posted job ends in the next madkit_port_process(). */
static void entry_cancel(struct dispatch_entry *e, int error)
{
	if (e == e->dispatcher->followed)
		e->error = error;
	else if (!entry_is_posted(e))
		entry_end(e, error);
	else if (!madkit_agent_cancel(e->job->agent, e->job->send))
		e->error = error;
}

void madkit_dispatcher_cancel(struct madkit_dispatcher *d, struct madkit_job *job, int error)
{
	struct dispatch_entry *e = job ? job->internal : NULL;

	if (e && e->dispatcher == d && !e->ended)
		entry_cancel(e, error);
}

void madkit_dispatcher_end(struct madkit_dispatcher *d, int error)
{
	if (!d)
		return;
	if (d->followed)
		entry_cancel(d->followed, error);
	while (!list_empty(&d->moved))
		entry_end(list_entry(d->moved.next, struct dispatch_entry, list), error);
	list_each(struct dispatch_entry, e, &d->posted, list)
		entry_cancel(e, error);
	if (!list_empty(&d->posted))
		madkit_port_process(d->port);
}

size_t madkit_dispatcher_outstanding(const struct madkit_dispatcher *d)
{
	return d ? d->outstanding : 0;
}

void madkit_dispatcher_count(const struct madkit_dispatcher *d, struct madkit_dispatch_counts *counts)
{
	*counts = !d ? (struct madkit_dispatch_counts){ 0 } :
		       (struct madkit_dispatch_counts){
			       .window = d->windows[DISPATCH_OTHER].used,
			       .smps = d->windows[DISPATCH_SMP].used + d->windows[DISPATCH_LAST_SMP].used,
			       .parked = d->parked,
		       };
}

/* ---- agents -------------------------------------------------------------------------- */

int madkit_dispatcher_agent(struct madkit_dispatcher *d, const struct madkit_agent_attr *attr,
			    struct madkit_agent **agent, struct madkit_refusal *refusal)
{
	struct madkit_agent_attr ours;
	int ret;

	if (!d || !attr || !agent)
		return madkit_agent_register(NULL, attr, agent, refusal);
	ours = *attr;
	list_each(struct madkit_agent, own, &d->agents, of_dispatcher) {
		if (agent_is_alike(own, attr) &&
		    !memcmp(own->attr.method_mask, attr->method_mask, sizeof(attr->method_mask))) {
			*agent = own;
			return 0;
		}
	}
	ours.send_handler = NULL;
	ours.recv_handler = NULL;
	ret = madkit_agent_register(d->port, &ours, agent, refusal);
	if (!ret)
		list_add(&d->agents, &(*agent)->of_dispatcher);
	return ret;
}

/* ---- a dispatcher -------------------------------------------------------------------- */

static uint32_t window_choose(uint32_t given, uint32_t common, uint32_t most)
{
	return given ? given : common < most ? common : most;
}

int madkit_dispatcher_new(struct madkit_port *port, const struct madkit_dispatcher_attr *attr,
			  struct madkit_dispatcher **dispatcher)
{
	const struct madkit_dispatcher_attr none = { .window = 0 };
	uint32_t window, smps, smps_max;
	struct madkit_dispatcher *d;

	if (!port || !dispatcher)
		return -EINVAL;
	attr = attr ? attr : &none;
	window = attr->window ? attr->window : MADKIT_DISPATCH_WINDOW;
	smps_max = window_choose(attr->smps_max, MADKIT_DISPATCH_SMPS_MAX, window);
	smps = window_choose(attr->smps, MADKIT_DISPATCH_SMPS, smps_max);
	if (smps > smps_max)
		return -EINVAL;
	d = calloc(1, sizeof(*d));
	if (!d)
		return -ENOMEM;
	d->port = port;
	d->parks = window > 1;
	d->parked_max = attr->parked ? attr->parked : MADKIT_DISPATCH_PARKED;
	d->windows[DISPATCH_OTHER] = (struct dispatch_window){ .size = window,
							       .most = window,
							       .occupy_ns = OCCUPY_MS * NS_PER_MS };
	d->windows[DISPATCH_SMP] = (struct dispatch_window){ .size = smps,
							     .most = smps_max,
							     .adapts = true,
							     .changed_ns = madkit_port_now(port),
							     .occupy_ns = OCCUPY_SMP_MS * NS_PER_MS };
	d->windows[DISPATCH_LAST_SMP] =
		(struct dispatch_window){ .size = window_choose(0, MADKIT_DISPATCH_LAST_SMPS, smps_max),
					  .occupy_ns = OCCUPY_SMP_MS * NS_PER_MS };
	list_init(&d->agents);
	list_init(&d->posted);
	list_init(&d->moved);
	list_init(&d->ended);
	*dispatcher = d;
	return 0;
}

void madkit_dispatcher_free(struct madkit_dispatcher *d)
{
	struct madkit_job *job;

	if (!d)
		return;
	d->freeing = true;
	madkit_dispatcher_end(d, -ECANCELED);
	while ((job = madkit_dispatcher_take(d))) {
		madkit_recv_free(job->reply.recv);
		job->reply.recv = NULL;
	}
	while (!list_empty(&d->agents))
		madkit_agent_unregister(list_entry(d->agents.next, struct madkit_agent, of_dispatcher));
	heap_free(&d->parking);
	heap_free(&d->deadlines);
	free(d);
}

/* ---- a request that follows ---------------------------------------------------------- */

int madkit_request_redirected(struct madkit_agent *agent, struct madkit_send *send, uint64_t deadline_ns,
			      unsigned int max_hops, struct madkit_reply *reply,
			      struct madkit_redirected *redirected)
{
	const struct madkit_dispatcher_attr one = { .window = 1 };
	const struct madkit_addr to = send ? send->to : (struct madkit_addr){ 0 };
	struct madkit_job job = {
		.agent = agent,
		.send = send,
		.deadline_ns = deadline_ns,
		.redirects = max_hops,
		.reply.rtt_ns = -1,
	};
	struct madkit_dispatcher *d = NULL;
	int ret = -EINVAL;

	if (agent && send && reply)
		ret = agent->port->depth ? -EBUSY : madkit_dispatcher_new(agent->port, &one, &d);
	if (!ret)
		ret = madkit_dispatcher_post(d, &job);
	if (!ret) {
		while (!madkit_dispatcher_take(d)) {
			ret = madkit_dispatcher_wait(d, UINT64_MAX);
			if (ret < 0)
				madkit_dispatcher_end(d, ret);
		}
		ret = job.error;
	}
	madkit_dispatcher_free(d);
	if (ret && send)
		send->to = to;
	if (reply)
		*reply = job.reply;
	if (redirected)
		*redirected = job.redirected;
	return ret;
}
