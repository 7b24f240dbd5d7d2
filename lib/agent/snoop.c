/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Snoops: copies of the MADs that a port sends and receives. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "agent/agent.h"
#include "util/bits.h"

enum {
	SNOOP_ALL = MADKIT_SNOOP_POSTED_SENDS | MADKIT_SNOOP_SEND_COMPLETIONS | MADKIT_SNOOP_RECVS,
};

struct madkit_snoop {
	struct list link; /* in the port's watchers */
	int flags;
	madkit_snoop_handler handler;
	void *context;
};

int madkit_snoop_register(struct madkit_port *port, int flags, madkit_snoop_handler handler, void *context,
			  struct madkit_snoop **snoop)
{
	struct madkit_snoop *new;

	if (!port || !handler || !flags || flags & ~SNOOP_ALL)
		return -EINVAL;
	new = malloc(sizeof(*new));
	if (!new)
		return -ENOMEM;
	new->flags = flags;
	new->handler = handler;
	new->context = context;
	list_add(&port->snoops, &new->link);
	if (snoop)
		*snoop = new;
	return 0;
}

void madkit_snoop_unregister(struct madkit_snoop *snoop)
{
	if (!snoop)
		return;
	list_del(&snoop->link);
	free(snoop);
}

void snoop_free(struct madkit_port *port)
{
	while (!list_empty(&port->snoops))
		madkit_snoop_unregister(list_entry(port->snoops.next, struct madkit_snoop, link));
}

static void snoop_call(const struct madkit_port *port, const struct madkit_snooped *snooped)
{
	const struct list *head = port->watchers;
	struct list *next;

	for (struct list *l = head->next; l != head; l = next) {
		const struct madkit_snoop *snoop = list_entry(l, struct madkit_snoop, link);

		next = l->next; /* a watcher may unregister itself */
		if (snoop->flags & snooped->direction)
			snoop->handler(snoop->context, snooped);
	}
}

/* ---- packets of the library's RMPP ------------------------------------------------- */

/* A packet of a request that was sent before the upper half of its transaction ID was known. */
struct snoop_held {
	struct snoop_held *next;
	struct madkit_addr to;
	struct timespec time;
	size_t len;
	uint8_t mad[MADKIT_FRAME_BYTES];
};

static void snoop_call_packet(struct madkit_agent *agent, int direction, const struct madkit_addr *to,
			      const uint8_t *mad, size_t len, const struct timespec *time)
{
	snoop_call(agent->port, &(struct madkit_snooped){ .direction = direction,
							  .agent = agent,
							  .addr = to,
							  .mad = mad,
							  .len = len,
							  .time = *time });
}

static void snoop_hold(struct madkit_agent *agent, const struct madkit_addr *to, const uint8_t *mad,
		       size_t len, const struct timespec *time)
{
	struct snoop_held *one = calloc(1, sizeof(*one)), **end = &agent->held;

	if (!one) {
		snoop_call_packet(agent, MADKIT_SNOOP_SEND_COMPLETIONS, to, mad, len, time);
		return;
	}
	one->to = *to;
	one->time = *time;
	one->len = len;
	memcpy(one->mad, mad, len);
	while (*end)
		end = &(*end)->next;
	*end = one;
}

void snoop_release_held(struct madkit_agent *agent)
{
	struct snoop_held *one;

	while ((one = agent->held)) {
		agent->held = one->next;
		if (agent->tid_high)
			put_be32(one->mad + MADKIT_MAD_TID, agent->tid_high);
		snoop_call_packet(agent, MADKIT_SNOOP_SEND_COMPLETIONS, &one->to, one->mad, one->len,
				  &one->time);
		free(one);
	}
}

void snoop_packet(struct madkit_agent *agent, const struct madkit_addr *to, uint8_t *mad, size_t len,
		  const struct timespec *time)
{
	bool request = !(mad[MADKIT_MAD_METHOD] & MADKIT_METHOD_RESPONSE);

	if (list_empty(agent->port->watchers))
		return;
	if (agent->tid_high && request)
		put_be32(mad + MADKIT_MAD_TID, agent->tid_high);
	snoop_call_packet(agent, MADKIT_SNOOP_POSTED_SENDS, to, mad, len, time);
	/* the first response shows the ID; until then, the window is one segment */
	if (request && !agent->tid_high)
		snoop_hold(agent, to, mad, len, time);
	else
		snoop_call_packet(agent, MADKIT_SNOOP_SEND_COMPLETIONS, to, mad, len, time);
}

/* ---- MADs ---------------------------------------------------------------------------- */

void snoop_received(struct madkit_agent *agent, const struct send *request, const struct madkit_recv *recv,
		    const uint8_t *mad)
{
	if (list_empty(agent->port->watchers))
		return;
	snoop_call(agent->port, &(struct madkit_snooped){ .direction = MADKIT_SNOOP_RECVS,
							  .agent = agent,
							  .send = request ? &request->pub : NULL,
							  .addr = &recv->from,
							  .mad = mad,
							  .len = recv->len,
							  .time = recv->time });
}

/* Shows a try as it was on the wire, with this transaction ID. The poster's buffer is restored, because
 * resends use it. */
static void snoop_send(struct send *s, int direction, int status, uint64_t tid)
{
	uint64_t given = get_be64(s->mad + MADKIT_MAD_TID);
	struct madkit_addr to = send_destination(s);

	put_be64(s->mad + MADKIT_MAD_TID, tid);
	snoop_call(s->agent->port, &(struct madkit_snooped){ .direction = direction,
							     .agent = s->agent,
							     .send = &s->pub,
							     .status = status,
							     .addr = &to,
							     .mad = s->mad,
							     .len = s->wire_len,
							     .time = s->posted_at });
	put_be64(s->mad + MADKIT_MAD_TID, given);
}

void snoop_posted(struct send *s)
{
	s->posted = true;
	if (!list_empty(s->agent->port->watchers))
		snoop_send(s, MADKIT_SNOOP_POSTED_SENDS, 0, s->pub.tid);
}

void snoop_completed(struct send *s, int status)
{
	uint64_t tid = s->pub.tid;
	bool posted = s->posted;

	s->posted = false;
	if (!posted || list_empty(s->agent->port->watchers))
		return;
	if (s->agent->tid_high && !madkit_mad_is_response(s->mad, s->wire_len))
		tid = (uint64_t)s->agent->tid_high << 32 | (uint32_t)tid;
	snoop_send(s, MADKIT_SNOOP_SEND_COMPLETIONS, status, tid);
}
