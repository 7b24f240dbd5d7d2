/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/num.h>
#include "sim/fabric/agents.h"
#include "sim/fabric/counters.h"
#include "util/time.h"

enum {
	VL15_BUFFERS_MAX = 65535,
	VL15_US_MAX = 1000000,
	/* Assumptions, because vendors publish no figures: as many buffers as ibdiagnet has SMPs outstanding
	 * (opensm has 4, libibnetdisc 2). The IBA requires one buffer. */
	VL15_BUFFERS_TYPICAL = 8,
	VL15_US_TYPICAL = 50,
	/* Receive buffers of each management queue pair in Linux: IB_MAD_QP_RECV_SIZE, the default of the
	 * ib_core parameter recv_queue_size. For switches, this is an assumption. */
	GSI_BUFFERS = 512,
};

struct node_agents {
	uint64_t idle_at[FABRIC_AGENTS]; /* when the last accepted MAD will have been processed */
	uint64_t slow_ns[FABRIC_AGENTS]; /* 0: normal (agents_service()) */
	uint16_t gmps;                   /* GMPs that the agent has not processed yet */
	bool mute[FABRIC_AGENTS];
};

struct agents {
	struct node_agents *nodes;
	uint16_t *waiting; /* by port: SMPs that the agent has not processed yet */
};

struct agents *agents_new(const struct fabric *f)
{
	struct agents *agents = calloc(1, sizeof(*agents));

	if (!agents)
		return NULL;
	agents->nodes = calloc(f->nnodes ? f->nnodes : 1, sizeof(*agents->nodes));
	agents->waiting = calloc(f->nports ? f->nports : 1, sizeof(*agents->waiting));
	if (agents->nodes && agents->waiting)
		return agents;
	agents_free(agents);
	return NULL;
}

void agents_free(struct agents *agents)
{
	if (!agents)
		return;
	free(agents->nodes);
	free(agents->waiting);
	free(agents);
}

static enum fabric_agent agents_of(const struct packet *p)
{
	return packet_is_smp(p) ? AGENT_SMI : AGENT_GSI;
}

static uint64_t agents_service(const struct fabric *f, uint32_t node, enum fabric_agent agent)
{
	uint64_t slow_ns = f->agents->nodes[node].slow_ns[agent];

	return slow_ns || agent == AGENT_GSI ? slow_ns : f->options.vl15.service_ns;
}

/* Empties the queue. Returns its packets in the order in which they are due, linked by next. */
static struct packet *agents_unqueue(struct fabric *f)
{
	struct packet *first = NULL, **end = &first;

	while (f->queue.count) {
		*end = list_entry(heap_first(&f->queue), struct packet, link);
		heap_remove(&f->queue, &(*end)->link);
		end = &(*end)->next;
	}
	*end = NULL;
	return first;
}

/* Reschedules the MADs that wait for the agent at its new pace, from now on, or drops them if the agent is
 * mute. */
static void agents_repace(struct fabric *f, uint32_t node, enum fabric_agent agent)
{
	struct node_agents *of = &f->agents->nodes[node];
	uint64_t service = agents_service(f, node, agent);

	if (of->idle_at[agent] <= f->now)
		return;
	of->idle_at[agent] = f->now;
	for (struct packet *p = agents_unqueue(f), *next; p; p = next) {
		next = p->next;
		if (!p->served || f->ports[p->port].node != node || agents_of(p) != agent) {
			packet_queue(f, p, p->link.due);
		} else if (of->mute[agent]) {
			agents_leave(f, p);
			packet_drop(f, p, &f->ports[p->port], DROP_MUTE);
		} else {
			of->idle_at[agent] += service;
			packet_queue(f, p, of->idle_at[agent]);
		}
	}
}

int fabric_set_agent(struct fabric *f, uint32_t node, enum fabric_agent agent, bool mute, uint64_t slow_ns)
{
	struct node_agents *of;

	if (node >= f->nnodes || (size_t)agent >= FABRIC_AGENTS)
		return -EINVAL;
	if (!f->agents)
		f->agents = agents_new(f);
	if (!f->agents)
		return -ENOMEM;
	of = &f->agents->nodes[node];
	if (of->mute[agent] == mute && of->slow_ns[agent] == slow_ns)
		return 0;
	of->mute[agent] = mute;
	of->slow_ns[agent] = slow_ns;
	agents_repace(f, node, agent);
	return 0;
}

bool agents_is_mute(const struct fabric *f, uint32_t node, enum fabric_agent agent)
{
	return f->agents && f->agents->nodes[node].mute[agent];
}

/* ---- packets ---------------------------------------------------------------------- */

/* Returns true if an agent of the node processes the packet. */
static bool agents_take(struct fabric *f, const struct packet *p, struct port *in)
{
	if (!packet_is_smp(p))
		return gmp_is_for_agents(&f->nodes[in->node], p->mad);
	if (p->mad[MADKIT_MAD_CLASS] == MADKIT_CLASS_SUBN_DR && is_switch(&f->nodes[in->node]))
		return true;
	return !smp_is_for_programs(end_port_of(f, in), p->mad);
}

bool agents_admit(struct fabric *f, struct packet *p, struct port *in)
{
	enum fabric_agent agent = agents_of(p);
	const struct fabric_vl15 *vl15 = &f->options.vl15;
	struct node_agents *node = &f->agents->nodes[in->node];
	uint16_t *waiting = &f->agents->waiting[in - f->ports];
	uint64_t service = agents_service(f, in->node, agent), begin = node->idle_at[agent];
	bool served = p->served;

	p->served = false;
	if (!served && (p->leaves || !agents_take(f, p, in)))
		return true;
	if (node->mute[agent]) {
		packet_drop(f, p, in, DROP_MUTE);
		return false;
	}
	if (served)
		return true;
	if (begin < f->now)
		begin = f->now;
	if (begin + service == f->now)
		return true;
	if (agent == AGENT_GSI && node->gmps >= GSI_BUFFERS) {
		packet_drop(f, p, in, DROP_GSI);
		return false;
	}
	if (agent == AGENT_SMI && *waiting >= (vl15->buffers ? vl15->buffers : VL15_BUFFERS_MAX)) {
		pma_count(in, PMA_VL15_DROPPED, 1);
		packet_drop(f, p, in, DROP_VL15);
		return false;
	}
	*waiting += agent == AGENT_SMI;
	node->gmps += agent == AGENT_GSI;
	node->idle_at[agent] = begin + service;
	p->served = true;
	p->port = (uint32_t)(in - f->ports);
	packet_queue(f, p, begin + service);
	return false;
}

void agents_leave(struct fabric *f, const struct packet *p)
{
	if (packet_is_smp(p))
		f->agents->waiting[p->port]--;
	else
		f->agents->nodes[f->ports[p->port].node].gmps--;
}

/* ---- parsing ----------------------------------------------------------------------- */

int fabric_vl15_parse(const char *words, struct fabric_vl15 *vl15, struct madkit_error *error)
{
	size_t len = strcspn(words, ",");
	uint64_t buffers = VL15_BUFFERS_TYPICAL, us = VL15_US_TYPICAL;

	if (strcmp(words, "typical")) {
		if (!words[len])
			return madkit_error_set(error, -EINVAL, -1, "'%.40s' is not typical or BUFFERS,US",
						words);
		if (madkit_parse_number(words, len, VL15_BUFFERS_MAX, "BUFFERS", &buffers, error) ||
		    madkit_parse_number(words + len + 1, strlen(words + len + 1), VL15_US_MAX, "US", &us,
					error))
			return -EINVAL;
		if (!buffers || !us)
			return madkit_error_set(error, -EINVAL, -1, "'%.40s': BUFFERS and US are at least 1",
						words);
	}
	*vl15 = (struct fabric_vl15){ .buffers = (uint32_t)buffers, .service_ns = us * NS_PER_US };
	return 0;
}
