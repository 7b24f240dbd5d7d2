/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Runs the parts of a simulation in turn, at each time at which something is due. */
#include <errno.h>
#include <stdlib.h>
#include "sim/simulation.h"
#include "topology/find.h"

/* ---- callbacks -------------------------------------------------------------------- */

static void simulation_report(void *context, const struct sim_event *event)
{
	struct simulation *s = context;
	struct sim_event timed = *event;

	timed.time = s->now;
	s->failed |= event->kind == EVENT_SWEEP_FAILED ||
		     (event->kind == EVENT_DROP && event->why == DROP_NO_MEMORY);
	if (s->options.event)
		s->options.event(s->options.context, &timed);
}

static void simulation_arrive(void *context, uint32_t node, unsigned int port, const struct fabric_head *head,
			      const uint8_t *mad)
{
	struct simulation *s = context;

	hosts_arrive(s->hosts, node, port, head, mad);
}

/* ---- parts ------------------------------------------------------------------------- */

static int start_sm(struct simulation *s)
{
	const struct topology *t = s->topology;
	unsigned int port = s->options.sm_port;
	int ret;

	s->sm_node = s->options.sm_node == TOPOLOGY_NONE ? find_manager(t) : s->options.sm_node;
	if (s->sm_node >= t->nnodes)
		return -EINVAL;
	ret = sm_new(s->hosts, s->sm_node, port ? port : find_port(t, s->sm_node), s->now, &s->sm);
	if (!ret)
		sm_sweep_each(s->sm, s->options.sweep_ns);
	/* All outstanding SMPs may wait at one port. opensm also has at most 4 outstanding. */
	if (!ret && s->options.vl15.buffers)
		sm_limit(s->sm, s->options.vl15.buffers < 4 ? s->options.vl15.buffers : 4);
	return ret;
}

int simulation_new(const struct topology *t, const struct simulation_options *options,
		   struct simulation **simulation)
{
	struct simulation *s = calloc(1, sizeof(*s));
	const struct fabric_options fabric = {
		.hop_ns = options->hop_ns,
		.answer_ns = options->answer_ns,
		.training_ns = options->training_ns,
		.vl15 = options->vl15,
		.watcher = { .arrive = simulation_arrive, .event = simulation_report, .context = s },
	};
	int ret = 0;

	if (!s)
		return -ENOMEM;
	s->topology = t;
	s->options = *options;
	s->fabric = fabric_new(t, &fabric);
	if (s->fabric)
		s->hosts = hosts_new(s->fabric, options->seed, options->queue_max);
	if (s->hosts)
		hosts_set_tick(s->hosts, options->tick_ns);
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
	fabric_present(s->fabric, now);
	if (s->sm)
		sm_present(s->sm, now);
	for (uint64_t due; (due = simulation_deadline(s)) <= now;) {
		if (s->failed && s->options.return_on_failure)
			return;
		/* Process each event at its own time, even if the caller is late. */
		if (due > s->now)
			s->now = due;
		fabric_process(s->fabric, s->now);
		hosts_process(s->hosts, s->now);
		if (s->sm)
			sm_process(s->sm, s->now);
	}
	if (now > s->now) {
		s->now = now;
		/* Nothing is due: this only advances the fabric's time. */
		fabric_process(s->fabric, now);
	}
}
