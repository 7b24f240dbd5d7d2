/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parts of a simulation, one after another at each time at which something is due. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "sim/simulation.h"

/* ---- what is told ----------------------------------------------------------------- */

static void tell(const struct simulation *s, struct sim_event *event)
{
	event->time = s->now;
	if (s->options.event)
		s->options.event(s->options.context, event);
}

static void arrive(void *context, uint32_t node, unsigned int port,
		   const struct fabric_head *head, const uint8_t *mad, size_t len)
{
	struct simulation *s = context;

	hosts_arrive(s->hosts, node, port, head, mad, len);
}

static void drop(void *context, uint32_t node, unsigned int port, enum fabric_drop why,
		 const struct fabric_head *head, const uint8_t *mad, size_t len)
{
	struct sim_event event = {
		.kind = EVENT_DROP, .node = node, .port = port, .why = why,
		.head = head, .mad = mad, .len = len,
	};

	tell(context, &event);
}

static void state(void *context, uint32_t node, unsigned int port, unsigned int was,
		  unsigned int now)
{
	struct sim_event event = {
		.kind = EVENT_PORT_STATE, .node = node, .port = port,
		.state = (uint8_t)now, .was = (uint8_t)was,
	};

	tell(context, &event);
}

static void fault(void *context, uint32_t node, unsigned int port, const char *what,
		  uint32_t rule, const struct fabric_head *head, const uint8_t *mad, size_t len)
{
	struct sim_event event = {
		.kind = EVENT_FAULT, .node = node, .port = port, .name = what, .count = rule,
		.head = head, .mad = mad, .len = len,
	};

	tell(context, &event);
}

static void overflow(void *context, uint32_t node, unsigned int port, uint64_t count)
{
	struct sim_event event = {
		.kind = EVENT_OVERFLOW, .node = node, .port = port, .count = count,
	};

	tell(context, &event);
}

/* ---- parts ------------------------------------------------------------------------- */

int simulation_new(const struct topology *t, const struct simulation_options *options,
		   struct simulation **simulation)
{
	struct simulation *s = calloc(1, sizeof(*s));
	const struct fabric_options fabric = {
		.hop_ns = options->hop_ns, .answer_ns = options->answer_ns,
		.watcher = { .arrive = arrive, .drop = drop, .state = state, .fault = fault,
			     .context = s },
	};
	const struct hosts_options hosts = {
		.seed = options->seed, .overflow = overflow, .context = s,
	};

	if (!s)
		return -ENOMEM;
	if (options->sm) {
		free(s);
		return -EOPNOTSUPP;
	}
	s->topology = t;
	s->options = *options;
	s->fabric = fabric_new(t, &fabric);
	if (s->fabric)
		s->hosts = hosts_new(s->fabric, &hosts);
	if (s->hosts)
		s->faults = faults_new(s->fabric, options->seed);
	if (!s->faults) {
		simulation_free(s);
		return -ENOMEM;
	}
	*simulation = s;
	return 0;
}

void simulation_free(struct simulation *s)
{
	if (!s)
		return;
	hosts_free(s->hosts);
	faults_free(s->faults);
	fabric_free(s->fabric);
	free(s);
}

/* ---- time -------------------------------------------------------------------------- */

uint64_t simulation_deadline(const struct simulation *s)
{
	uint64_t fabric = fabric_deadline(s->fabric), hosts = hosts_deadline(s->hosts);

	return fabric < hosts ? fabric : hosts;
}

void simulation_process(struct simulation *s, uint64_t now)
{
	for (uint64_t due; (due = simulation_deadline(s)) <= now; ) {
		/* each thing at its own time, however late we are called */
		if (due > s->now)
			s->now = due;
		fabric_process(s->fabric, s->now);
		hosts_process(s->hosts, s->now);
	}
	if (now > s->now)
		s->now = now;
}
