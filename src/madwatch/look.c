/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include "look.h"

enum { LOOK_STEP_MS = 2 }; /* between steps of sweeps of one link */

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
	if (queue->first->kind == LOOK_COUNT && l->gmps == LOOK_GMPS)
		return false;
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
	const struct madkit_agent_attr counters = { .mgmt_class = MADKIT_CLASS_PERF };
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
	if (ret)
		return subnet_refused(net, ret);
	/* without it, lines do not have LinkDowned */
	if (madkit_dispatcher_agent(l->dispatcher, &counters, &l->counters, NULL))
		l->counters = NULL;
	return EXIT_DONE;
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
