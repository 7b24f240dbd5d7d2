/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A simulation whose subnet managers the test has, and what may be said of a subnet that is
 * up. What nodes hold is read with libibmad, whose tables are not ours. */
#ifndef TESTS_UNIT_SIM_MANAGE_H
#define TESTS_UNIT_SIM_MANAGE_H

#include <errno.h>
#include <stdlib.h>
#include <infiniband/mad.h>
#include "sim/generate.h"
#include "sim/simulation.h"
#include "tests/tap.h"

#define MS UINT64_C(1000000)

enum { MANAGERS = 3 };

struct subject {
	struct topology *t;
	struct simulation *s;
	struct sm *sm[MANAGERS];
	/* of each: how often, and what was told last */
	unsigned int swept[MANAGERS], states[MANAGERS];
	uint32_t nodes[MANAGERS];
	uint64_t now;
};

struct told {
	struct subject *subject;
	unsigned int which;
};

static void subject_state(void *context, enum sm_state state)
{
	const struct told *told = context;

	(void)state;
	told->subject->states[told->which]++;
}

static void subject_swept(void *context, uint32_t nodes)
{
	const struct told *told = context;

	told->subject->swept[told->which]++;
	told->subject->nodes[told->which] = nodes;
}

static bool subject_open(struct subject *x, const char *words)
{
	const struct simulation_options options = { .seed = 1, .hop_ns = 100, .answer_ns = 1000 };
	int ret;

	memset(x, 0, sizeof(*x));
	ret = strncmp(words, "fat-tree:", 9) ? topology_read(words, strlen(words), &x->t, NULL) :
	      topology_generate(words, &x->t, NULL);
	return !ret && !simulation_new(x->t, &options, &x->s);
}

static uint32_t subject_node(const struct subject *x, const char *name)
{
	return topology_find(x->t, name, strlen(name));
}

static int subject_manage(struct subject *x, unsigned int which, uint32_t node,
			  struct told *told)
{
	const struct sm_options options = {
		.node = node, .port = x->t->nodes[node].type == TOPOLOGY_SWITCH ? 0 : 1,
		.state = told ? subject_state : NULL, .swept = told ? subject_swept : NULL,
		.context = told,
	};

	if (told)
		*told = (struct told) { x, which };
	return sm_new(x->s->hosts, &options, x->now, &x->sm[which]);
}

static void subject_close(struct subject *x)
{
	for (unsigned int i = 0; i < MANAGERS; i++)
		sm_free(x->sm[i]);
	simulation_free(x->s);
	topology_free(x->t);
}

static uint64_t subject_deadline(const struct subject *x)
{
	uint64_t due = simulation_deadline(x->s);

	for (unsigned int i = 0; i < MANAGERS; i++)
		if (x->sm[i] && sm_deadline(x->sm[i]) < due)
			due = sm_deadline(x->sm[i]);
	return due;
}

/* Until this time, or until nothing is due. */
static void subject_run(struct subject *x, uint64_t until)
{
	for (uint64_t due; (due = subject_deadline(x)) <= until && due != UINT64_MAX; ) {
		if (due > x->now)
			x->now = due;
		simulation_process(x->s, x->now);
		for (unsigned int i = 0; i < MANAGERS; i++)
			if (x->sm[i] && sm_deadline(x->sm[i]) <= x->now)
				sm_process(x->sm[i], x->now);
	}
	if (until != UINT64_MAX)
		x->now = until;
}

/* ---- what is so, by the fabric itself -------------------------------------------------- */

static const struct port *port_at(const struct subject *x, uint32_t node, unsigned int port)
{
	const struct fabric *f = x->s->fabric;

	return &f->ports[f->nodes[node].first + port];
}

static unsigned int info_of(const struct port *port, enum MAD_FIELDS field)
{
	return mad_get_field((void *)(uintptr_t)port->info, 0, field);
}

/* Whether packets to a LID come out of the end port that has it: the hops, -1: they do not. */
static int walk(const struct subject *x, uint32_t node, const struct port *end)
{
	const struct fabric *f = x->s->fabric;
	unsigned int lid = info_of(end, IB_PORT_LID_F);
	const struct port *at = port_at(x, node, f->nodes[node].type == TOPOLOGY_SWITCH ? 0 : 1);

	for (int hops = 0; hops < 64; hops++) {
		const struct node *sw = &f->nodes[at->node];
		unsigned int out;

		if (info_of(at, IB_PORT_LID_F) == lid && at->end)
			return at == end ? hops : -1;
		if (sw->type != TOPOLOGY_SWITCH) {
			if (hops)
				return -1;
		} else {
			if (lid > mad_get_field((void *)(uintptr_t)sw->switch_info, 0,
						IB_SW_LINEAR_FDB_TOP_F) || lid >= sw->nlinear)
				return -1;
			out = sw->linear[lid];
			if (out > sw->nports)
				return -1;
			at = &f->ports[sw->first + out];
			if (!out)
				return at == end ? hops : -1;
		}
		if (at->peer == TOPOLOGY_NONE || info_of(at, IB_PORT_STATE_F) != 4)
			return -1;
		at = &f->ports[at->peer];
		/* into a switch is to its inside, and there port 0 has the LID */
		if (f->nodes[at->node].type == TOPOLOGY_SWITCH &&
		    &f->ports[f->nodes[at->node].first] == end)
			return f->nodes[at->node].linear[lid] ? -1 : hops + 1;
	}
	return -1;
}

struct findings {
	unsigned int ports, active;	/* with a cable that is plugged in */
	unsigned int ends, lids;	/* end ports; LIDs that one alone has */
	unsigned int ways, good;	/* between end ports of different nodes */
	unsigned int highest;
};

static struct findings look(const struct subject *x)
{
	const struct fabric *f = x->s->fabric;
	uint8_t *seen = calloc(1, 65536);
	struct findings found = { 0 };

	for (uint32_t i = 0; seen && i < f->nports; i++) {
		const struct port *port = &f->ports[i];
		unsigned int lid = info_of(port, IB_PORT_LID_F);

		if (port->peer != TOPOLOGY_NONE && !port->unplugged) {
			found.ports++;
			found.active += info_of(port, IB_PORT_STATE_F) == 4;
		}
		if (!port->end)
			continue;
		found.ends++;
		found.lids += lid && lid < 0xc000 && !seen[lid];
		seen[lid] = 1;
		if (lid > found.highest)
			found.highest = lid;
	}
	free(seen);
	for (uint32_t from = 0; from < f->nnodes; from++)
		for (uint32_t i = 0; i < f->nports; i++)
			if (f->ports[i].end && f->ports[i].node != from) {
				found.ways++;
				found.good += walk(x, from, &f->ports[i]) >= 0;
			}
	return found;
}

static void is_up(const struct subject *x, const char *what)
{
	struct findings found = look(x);

	is_u64(found.active, found.ports, "%s: %u ports are active", what, found.ports);
	is_u64(found.lids, found.ends, "%s: %u end ports have a LID each", what, found.ends);
	is_u64(found.good, found.ways, "%s: %u ways lead there", what, found.ways);
}

#endif
