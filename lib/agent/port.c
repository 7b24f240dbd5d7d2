/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A port: opens and closes its device, and knows its properties. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <madkit/redirect.h>
#include "agent/agent.h"
#include "transport/transports.h"
#include "transport/verbs.h"

enum {
	/* a device that takes longer to accept a MAD has blocked */
	STALL_MS = 100,
	/* on Ethernet, the kernel resolves the GID before it sends a MAD: assume so if the device takes
	 * longer */
	RESOLVED_MS = 1,
	/* delay before the next try if a device has no room */
	AGAIN_MS = 1,
	/* the MADs of so much time may be sent at once */
	PACE_BURST_MS = 10,
};

int port_create(struct transport *transport, struct madkit_port **port, struct madkit_error *error)
{
	struct madkit_port *p = calloc(1, sizeof(*p));
	int ret;

	if (!p) {
		transport->ops->close(transport);
		return madkit_error_set(error, -ENOMEM, -1, "out of memory");
	}
	p->transport = transport;
	p->opener = getpid();
	p->limit.deadline_ns = UINT64_MAX;
	p->held_end = &p->held;
	list_init(&p->agents);
	list_init(&p->snoops);
	p->watchers = &p->snoops;
	list_init(&p->gone);
	list_init(&p->waiting);
	list_init(&p->unfinished);
	list_init(&p->done);
	p->receive_initial = MADKIT_FRAME_BYTES;
	p->receive_max = MESSAGE_MAX;
	p->tids.next = transport->ops->seed(transport);
	p->expired_ns = transport->ops->now(transport);
	ret = transport->ops->info(transport, &p->info);
	if (ret) {
		transport->ops->close(transport);
		free(p);
		return madkit_error_set(error, ret, -1, "cannot read the port's state: %s",
					ret == -EPROTO ? "a malformed reply" : strerror(-ret));
	}
	*port = p;
	return 0;
}

int madkit_port_open_limited(const char *spec, const struct madkit_limit *limit, struct madkit_port **port,
			     struct madkit_error *error)
{
	static const struct madkit_limit none = { .deadline_ns = UINT64_MAX };
	const struct transport_ops *ops;
	struct transport *transport;
	int ret;

	if (!port)
		return madkit_error_set(error, -EINVAL, -1, "the port is NULL");
	if (!limit)
		limit = &none;
	ret = transport_find(spec, &ops, error);
	if (!ret)
		ret = ops->open(spec, limit, &transport, error);
	if (!ret)
		ret = port_create(transport, port, error);
	if (!ret)
		(*port)->limit = *limit;
	return ret;
}

int madkit_port_open(const char *spec, struct madkit_port **port, struct madkit_error *error)
{
	return madkit_port_open_limited(spec, NULL, port, error);
}

int madkit_port_open_qp(const char *spec, const struct madkit_qp_attr *attr, struct madkit_port **port,
			struct madkit_error *error)
{
	struct transport *transport;
	int ret;

	if (!port)
		return madkit_error_set(error, -EINVAL, -1, "the port is NULL");
	ret = verbs_open(spec, attr, &transport, error);
	return ret ? ret : port_create(transport, port, error);
}

const struct madkit_port_info *madkit_port_get_info(const struct madkit_port *port)
{
	return port ? &port->info : NULL;
}

int madkit_port_refresh(struct madkit_port *port)
{
	struct madkit_port_info info;
	int ret;

	if (!port)
		return -EINVAL;
	ret = port->transport->ops->info(port->transport, &info);
	if (!ret)
		port->info = info;
	return ret;
}

int madkit_port_fd(const struct madkit_port *port)
{
	return port ? port->transport->ops->fd(port->transport) : -EINVAL;
}

uint64_t madkit_port_now(const struct madkit_port *port)
{
	return port ? port->transport->ops->now(port->transport) : 0;
}

void madkit_port_realtime(const struct madkit_port *port, struct timespec *ts)
{
	if (port)
		port->transport->ops->realtime(port->transport, ts);
	else
		*ts = (struct timespec){ 0 };
}

int madkit_port_set_receive_limit(struct madkit_port *port, size_t initial, size_t max)
{
	if (!port || !initial || initial > max || max > MESSAGE_MAX)
		return -EINVAL;
	port->receive_initial = initial;
	port->receive_max = max;
	port->receive_needed = 0;
	free(port->spare);
	port->spare = NULL;
	return 0;
}

size_t madkit_port_receive_needed(const struct madkit_port *port)
{
	return port ? port->receive_needed : 0;
}

void madkit_port_get_counters(const struct madkit_port *port, struct madkit_port_counters *counters)
{
	*counters = port ? port->counters : (struct madkit_port_counters){ 0 };
}

int madkit_port_set_mad_rate(struct madkit_port *port, uint32_t rate)
{
	struct port_pace *pace;

	if (!port || rate > MADKIT_PORT_MAD_RATE_MAX)
		return -EINVAL;
	pace = &port->pace;
	*pace = (struct port_pace){ 0 };
	if (!rate)
		return 0;
	/* a second and a burst together have no more than the MADs of a second */
	pace->slack_ns = PACE_BURST_MS * NS_PER_MS;
	pace->each_ns = (NS_PER_S + pace->slack_ns + rate - 1) / rate;
	/* no burst before the first MAD: another port may have sent until now */
	pace->next_ns = madkit_port_now(port) + pace->slack_ns + pace->each_ns;
	return 0;
}

/* Counts a MAD that was sent by now. */
static void pace_count(struct port_pace *pace, uint64_t now)
{
	pace->next_ns = (pace->next_ns > now ? pace->next_ns : now) + pace->each_ns;
}

int port_send(struct madkit_port *port, uint32_t id, const struct madkit_addr *to, uint8_t *mad, size_t len,
	      const struct send_try *try, struct send_time *sent)
{
	struct transport *transport = port->transport;
	uint64_t took, due;
	int ret;

	if (port->stalled) {
		port->waiting_ns = 0;
		return -EAGAIN;
	}
	sent->start_ns = sent->ns = madkit_port_now(port);
	due = try->answers ? 0 : port_pace_due(port, sent->start_ns);
	if (due) {
		port->full = true;
		port->waiting_ns = due;
		return -EAGAIN;
	}
	port->left -= port->left > 0;
	madkit_port_realtime(port, &sent->time);
	ret = transport->ops->send(transport, id, to, mad, len, try->timeout_ms, try->retries);
	took = madkit_port_now(port) - sent->start_ns;
	/* the kernel resolved a GID first and sent the MAD just now */
	if (took > RESOLVED_MS * NS_PER_MS && port->info.link_layer == MADKIT_LINK_ETHERNET) {
		sent->ns += took;
		madkit_port_realtime(port, &sent->time);
	}
	port->stalled = port->depth && took >= STALL_MS * NS_PER_MS;
	if (!ret && port->pace.each_ns && !try->answers)
		pace_count(&port->pace, sent->start_ns + took);
	port->full |= ret == -EAGAIN;
	if (ret == -EAGAIN)
		port->waiting_ns = sent->start_ns + took + AGAIN_MS * NS_PER_MS;
	return ret;
}
