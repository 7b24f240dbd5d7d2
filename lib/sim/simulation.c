/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parts of a simulation, one after another at each time at which something is due. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "sim/simulation.h"
#include "topology/find.h"

/* ---- what is told ----------------------------------------------------------------- */

static void simulation_report(struct simulation *s, struct sim_event *event)
{
	event->time = s->now;
	s->failed |= event->kind == EVENT_SWEEP_FAILED ||
		     (event->kind == EVENT_DROP && event->why == DROP_NO_MEMORY);
	if (s->options.event)
		s->options.event(s->options.context, event);
}

static void simulation_arrive(void *context, uint32_t node, unsigned int port, const struct fabric_head *head,
			      const uint8_t *mad, size_t len)
{
	struct simulation *s = context;

	hosts_arrive(s->hosts, node, port, head, mad, len);
}

static void simulation_drop(void *context, uint32_t node, unsigned int port, enum fabric_drop why,
			    const struct fabric_head *head, const uint8_t *mad, size_t len)
{
	struct sim_event event = {
		.kind = EVENT_DROP,
		.node = node,
		.port = port,
		.why = why,
		.head = head,
		.mad = mad,
		.len = len,
	};

	simulation_report(context, &event);
}

static void state(void *context, uint32_t node, unsigned int port, unsigned int was, unsigned int now)
{
	struct sim_event event = {
		.kind = EVENT_PORT_STATE,
		.node = node,
		.port = port,
		.state = (uint8_t)now,
		.was = (uint8_t)was,
	};

	simulation_report(context, &event);
}

static void fault(void *context, uint32_t node, unsigned int port, const char *what, uint32_t rule,
		  const struct fabric_head *head, const uint8_t *mad, size_t len)
{
	struct sim_event event = {
		.kind = EVENT_FAULT,
		.node = node,
		.port = port,
		.name = what,
		.count = rule,
		.head = head,
		.mad = mad,
		.len = len,
	};

	simulation_report(context, &event);
}

static void overflow(void *context, uint32_t node, unsigned int port, uint64_t count)
{
	struct sim_event event = {
		.kind = EVENT_OVERFLOW,
		.node = node,
		.port = port,
		.count = count,
	};

	simulation_report(context, &event);
}

static void simulation_no_memory(void *context)
{
	struct sim_event event = { .kind = EVENT_DROP, .node = TOPOLOGY_NONE, .why = DROP_NO_MEMORY };

	simulation_report(context, &event);
}

static void managed(void *context, enum sm_state state)
{
	static const char *const names[] = {
		[SM_DISCOVERING] = "discovering",
		[SM_STANDBY] = "standby",
		[SM_MASTER] = "master",
		[SM_NOT_ACTIVE] = "not-active",
	};
	struct simulation *s = context;
	struct sim_event event = {
		.kind = EVENT_SM_STATE,
		.node = s->sm_node,
		.port = s->sm_port,
		.name = names[state],
	};

	simulation_report(context, &event);
}

static void swept(void *context, uint32_t nodes)
{
	struct simulation *s = context;
	struct sim_event event = {
		.kind = EVENT_SUBNET_UP,
		.node = s->sm_node,
		.port = s->sm_port,
		.count = nodes,
	};

	simulation_report(context, &event);
}

static void simulation_sweep_failed(void *context, int error)
{
	struct simulation *s = context;
	struct sim_event event = {
		.kind = EVENT_SWEEP_FAILED,
		.node = s->sm_node,
		.port = s->sm_port,
		.error = error,
	};

	simulation_report(context, &event);
}

/* ---- parts ------------------------------------------------------------------------- */

static int start_sm(struct simulation *s)
{
	const struct topology *t = s->topology;
	struct sm_options options = {
		.node = s->options.sm_node,
		.state = managed,
		.swept = swept,
		.failed = simulation_sweep_failed,
		.context = s,
	};

	if (options.node == TOPOLOGY_NONE)
		options.node = find_manager(t);
	if (options.node >= t->nnodes)
		return -EINVAL;
	options.port = find_port(t, options.node);
	s->sm_node = options.node;
	s->sm_port = options.port;
	return sm_new(s->hosts, &options, s->now, &s->sm);
}

int simulation_new(const struct topology *t, const struct simulation_options *options,
		   struct simulation **simulation)
{
	struct simulation *s = calloc(1, sizeof(*s));
	const struct fabric_options fabric = {
		.hop_ns = options->hop_ns,
		.answer_ns = options->answer_ns,
		.watcher = { .arrive = simulation_arrive,
			     .drop = simulation_drop,
			     .state = state,
			     .fault = fault,
			     .context = s },
	};
	const struct hosts_options hosts = {
		.seed = options->seed,
		.queue_max = options->queue_max,
		.overflow = overflow,
		.no_memory = simulation_no_memory,
		.context = s,
	};
	int ret = 0;

	if (!s)
		return -ENOMEM;
	s->topology = t;
	s->options = *options;
	s->fabric = fabric_new(t, &fabric);
	if (s->fabric)
		s->hosts = hosts_new(s->fabric, &hosts);
	if (s->hosts)
		s->faults = faults_new(s->fabric, options->seed);
	if (!s->faults)
		ret = -ENOMEM;
	else if (options->sm)
		ret = start_sm(s);
	if (ret)
		simulation_free(s);
	else
		*simulation = s;
	return ret;
}

void simulation_free(struct simulation *s)
{
	if (!s)
		return;
	sm_free(s->sm);
	hosts_free(s->hosts);
	faults_free(s->faults);
	fabric_free(s->fabric);
	free(s);
}

/* ---- time -------------------------------------------------------------------------- */

uint64_t simulation_deadline(const struct simulation *s)
{
	uint64_t fabric = fabric_deadline(s->fabric), hosts = hosts_deadline(s->hosts);

	uint64_t sm = s->sm ? sm_deadline(s->sm) : UINT64_MAX;

	if (hosts < fabric)
		fabric = hosts;
	return sm < fabric ? sm : fabric;
}

void simulation_process(struct simulation *s, uint64_t now)
{
	s->failed = false;
	for (uint64_t due; (due = simulation_deadline(s)) <= now;) {
		if (s->failed && s->options.return_on_failure)
			return;
		/* each thing at its own time, however late we are called */
		if (due > s->now)
			s->now = due;
		fabric_process(s->fabric, s->now);
		hosts_process(s->hosts, s->now);
		if (s->sm)
			sm_process(s->sm, s->now);
	}
	if (now > s->now)
		s->now = now;
}
