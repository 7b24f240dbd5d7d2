/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A simulation with subnet managers under the test's control, and checks of an active subnet. The state of
 * nodes is read with libibmad, whose tables are independent. */
#ifndef TESTS_UNIT_SIM_MANAGE_H
#define TESTS_UNIT_SIM_MANAGE_H

#include <errno.h>
#include <stdlib.h>
#include <infiniband/mad.h>
#include <madkit/mad.h>
#include "sim/fabric/fault.h"
#include "sim/simulation.h"
#include "sim/sm/internal.h"
#include "tests/tap.h"
#include "topology/generate.h"

#define MS UINT64_C(1000000)

/* h1[1]-[1]A, h3[1]-[2]A, A[3]-[2]B, A[4]-[3]B, h2[1]-[1]B, h2[2]-[4]B */
#define LINE \
	"Switch 8 \"A\"\n[1] \"h1\"[1]\n[2] \"h3\"[1]\n[3] \"B\"[2]\n[4] \"B\"[3]\n" \
	"Switch 20 \"B\"\n[1] \"h2\"[1]\n[2] \"A\"[3]\n[3] \"A\"[4]\n[4] \"h2\"[2]\n" \
	"Ca 1 \"h1\"\n[1] \"A\"[1]\nCa 2 \"h2\"\n[1] \"B\"[1]\n[2] \"B\"[4]\n" \
	"Ca 1 \"h3\"\n[1] \"A\"[2]\n"

enum { MANAGERS = 3 };

/* A manager that is not ours: all it does is to answer SMInfo, and to say where it is. */
struct stranger {
	struct host_file *file;
	uint32_t agent;
	uint32_t node;
	uint64_t guid;
	unsigned int priority, state;
	unsigned int refuses; /* so many times */
	unsigned int asked, sets;
	unsigned int what, sender; /* of the last Set: modifier, state of who sent it */
	unsigned int heard;        /* of the last answer to itself: state and MAD status */
	unsigned int heard_status, answers;
};

/* A program that subscribes to all notices. */
struct listener {
	struct host_file *file;
	uint32_t agent;
	unsigned int reports, traps[256]; /* by their number */
	uint8_t gid[256][16];             /* that the last one named */
	bool subscribed;
};

struct subject {
	struct topology *t;
	struct listener listener;
	struct simulation *s;
	struct sm *sm[MANAGERS];
	bool managed[MANAGERS]; /* from node: */
	uint32_t node[MANAGERS];
	struct stranger stranger;
	/* number of reports of each, and the latest report */
	unsigned int swept[MANAGERS], states[MANAGERS];
	unsigned int reregistered; /* ports, by any manager */
	uint32_t nodes[MANAGERS];
	uint64_t now;
};

static void subject_event(void *context, const struct sim_event *event)
{
	struct subject *x = context;

	x->reregistered += event->kind == EVENT_REREGISTER;
	for (unsigned int i = 0; i < MANAGERS; i++) {
		if (!x->managed[i] || x->node[i] != event->node)
			continue;
		x->states[i] += event->kind == EVENT_SM_STATE;
		x->swept[i] += event->kind == EVENT_SUBNET_UP;
		if (event->kind == EVENT_SUBNET_UP)
			x->nodes[i] = (uint32_t)event->count;
	}
}

static bool subject_open(struct subject *x, const char *words)
{
	const struct simulation_options options = {
		.seed = 1,
		.hop_ns = 100,
		.answer_ns = 1000,
		.event = subject_event,
		.context = x,
	};
	int ret;

	memset(x, 0, sizeof(*x));
	ret = strncmp(words, "fat-tree:", 9) ? topology_read(words, strlen(words), &x->t, NULL) :
					       topology_generate(words, &x->t, NULL);
	return !ret && !simulation_new(x->t, &options, &x->s);
}

__attribute__((unused)) static uint32_t subject_node(const struct subject *x, const char *name)
{
	return topology_find(x->t, name, strlen(name));
}

__attribute__((unused)) static int subject_manage(struct subject *x, unsigned int which, uint32_t node)
{
	unsigned int port = x->t->nodes[node].type == TOPOLOGY_SWITCH ? 0 : 1;

	x->managed[which] = true;
	x->node[which] = node;
	return sm_new(x->s->hosts, node, port, x->now, &x->sm[which]);
}

static const struct port *port_at(const struct subject *x, uint32_t node, unsigned int port)
{
	const struct fabric *f = x->s->fabric;

	return &f->ports[f->nodes[node].first + port];
}

static unsigned int info_of(const struct port *port, enum MAD_FIELDS field)
{
	return mad_get_field((void *)(uintptr_t)port->info, 0, field);
}

enum { SM_SAYS_NOT_ACTIVE, SM_SAYS_DISCOVERING, SM_SAYS_STANDBY, SM_SAYS_MASTER };

static void stranger_write(const struct stranger *o, uint8_t mad[256])
{
	memset(mad + 64, 0, 64);
	mad_set_field64(mad + 64, 0, IB_SMINFO_GUID_F, o->guid);
	mad_set_field(mad + 64, 0, IB_SMINFO_PRIO_F, o->priority);
	mad_set_field(mad + 64, 0, IB_SMINFO_STATE_F, o->state);
}

__attribute__((unused)) static bool stranger_come(struct subject *x, const char *name, unsigned int priority,
						  unsigned int state)
{
	struct stranger *o = &x->stranger;
	const struct host_agent agent = {
		.mgmt_class = 0x81,
		.class_version = 1,
		.method_mask = { 1u << 1 | 1u << 2 },
	};

	memset(o, 0, sizeof(*o));
	o->node = subject_node(x, name);
	o->guid = topology_port(x->t, o->node, 1)->guid;
	o->priority = priority;
	o->state = state;
	return !host_open(x->s->hosts, o->node, 1, NULL, NULL, &o->file) &&
	       !host_register(o->file, &agent, &o->agent) && !host_issm_open(x->s->hosts, o->node, 1);
}

static void stranger_go(struct subject *x)
{
	if (!x->stranger.file)
		return;
	host_close(x->stranger.file);
	host_issm_close(x->s->hosts, x->stranger.node, 1);
	x->stranger.file = NULL;
}

/* Asks a manager at the other end of a route: SMInfo, and how it is to change (0: Get). */
__attribute__((unused)) static void stranger_ask(struct subject *x, const char *route, unsigned int what)
{
	struct madkit_addr to = { 0 };
	uint8_t mad[256] = { 1, 0x81, 1, what ? 2 : 1, [17] = 0x20, [23] = (uint8_t)what };

	put_be32(mad + 12, (uint32_t)++x->stranger.answers << 8);
	madkit_parse_path(route, &to, NULL);
	to.lid = 0xffff;
	madkit_smp_put_route(mad, &to, 0);
	stranger_write(&x->stranger, mad);
	host_send(x->stranger.file, &(struct host_out){ x->stranger.agent, &to, mad, 256, 100, 0 }, x->now);
}

static void stranger_process(struct subject *x)
{
	struct stranger *o = &x->stranger;
	struct host_message message;
	uint8_t mad[256];

	for (; o->file && host_next(o->file, &message); host_pop(o->file)) {
		if (message.status || message.len != 256)
			continue;
		memcpy(mad, message.mad, 256);
		if (mad[3] & 0x80) {
			o->heard = mad_get_field(mad + 64, 0, IB_SMINFO_STATE_F);
			o->heard_status = get_be16(mad + 4) & 0x7fff;
			continue;
		}
		o->asked++;
		if (mad[3] == 2) {
			o->sets++;
			o->what = get_be32(mad + 20);
			o->sender = mad_get_field(mad + 64, 0, IB_SMINFO_STATE_F);
			if (o->refuses)
				put_be16(mad + 4, 7 << 2);
			else if (o->what == 1)
				o->state = SM_SAYS_MASTER;
			o->refuses -= !!o->refuses;
		}
		mad[3] = 0x81;
		mad[4] |= 0x80;
		stranger_write(o, mad);
		host_send(o->file, &(struct host_out){ o->agent, &message.from, mad, 256, 0, 0 }, x->now);
	}
}

__attribute__((unused)) static bool listener_come(struct subject *x, const char *name)
{
	struct listener *l = &x->listener;
	const struct host_agent agent = {
		.mgmt_class = 3,
		.class_version = 2,
		.rmpp_version = 1,
		.method_mask = { 1u << 6 },
	};
	uint32_t node = subject_node(x, name);
	const struct madkit_addr to = {
		.lid = info_of(port_at(x, node, 1), IB_PORT_SMLID_F),
		.qp = 1,
		.qkey = MADKIT_QKEY_GSI,
	};
	uint8_t mad[256] = { 1, 3, 2, 2, [15] = 1, [17] = 3 }, *info = mad + 56;

	memset(l, 0, sizeof(*l));
	memset(info + 16, 0xff, 2); /* all LIDs */
	info[22] = info[23] = 1;    /* generic; to subscribe */
	memset(info + 24, 0xff, 4); /* all types, all traps */
	info[30] = 1;               /* to QP 1 */
	memset(info + 33, 0xff, 3); /* all producers */
	return !host_open(x->s->hosts, node, 1, NULL, NULL, &l->file) &&
	       !host_register(l->file, &agent, &l->agent) &&
	       !host_send(l->file, &(struct host_out){ l->agent, &to, mad, 256, 1000, 0 }, x->now);
}

static void listener_process(struct subject *x)
{
	struct listener *l = &x->listener;
	struct host_message message;
	uint8_t mad[256];

	for (; l->file && host_next(l->file, &message); host_pop(l->file)) {
		unsigned int trap;

		if (message.status || message.len != 256)
			continue;
		memcpy(mad, message.mad, 256);
		if (mad[3] == 0x81)
			l->subscribed = !get_be16(mad + 4);
		if (mad[3] != 6)
			continue;
		trap = get_be16(mad + 56 + 4);
		l->reports++;
		if (trap < 256) {
			l->traps[trap]++;
			memcpy(l->gid[trap], mad + 56 + 16, 16);
		}
		mad[3] = 0x86;
		host_send(l->file, &(struct host_out){ l->agent, &message.from, mad, 256, 0, 0 }, x->now);
	}
}

static void subject_close(struct subject *x)
{
	for (unsigned int i = 0; i < MANAGERS; i++)
		sm_free(x->sm[i]);
	stranger_go(x);
	host_close(x->listener.file);
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
	for (uint64_t due; (due = subject_deadline(x)) <= until && due != UINT64_MAX;) {
		if (due > x->now)
			x->now = due;
		simulation_process(x->s, x->now);
		for (unsigned int i = 0; i < MANAGERS; i++)
			if (x->sm[i] && sm_deadline(x->sm[i]) <= x->now)
				sm_process(x->sm[i], x->now);
		stranger_process(x);
		listener_process(x);
	}
	if (until != UINT64_MAX)
		x->now = until;
}

/* ---- the state, read from the fabric itself -------------------------------------------- */

/* Returns the number of hops after which packets to a LID leave the end port with that LID, -1: they do
 * not. */
__attribute__((unused)) static int walk(const struct subject *x, uint32_t node, const struct port *end)
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
						IB_SW_LINEAR_FDB_TOP_F) ||
			    lid >= sw->nlinear)
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
		if (f->nodes[at->node].type == TOPOLOGY_SWITCH && &f->ports[f->nodes[at->node].first] == end)
			return lid >= f->nodes[at->node].nlinear || f->nodes[at->node].linear[lid] ? -1 :
												     hops + 1;
	}
	return -1;
}

struct findings {
	unsigned int ports, active; /* with a cable that is plugged in */
	unsigned int ends, lids;    /* end ports; LIDs that one alone has */
	unsigned int ways, good;    /* between end ports of different nodes */
	unsigned int highest;
};

__attribute__((unused)) static struct findings look(const struct subject *x)
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
		if (!port->end || (port->number && port->peer == TOPOLOGY_NONE && !lid))
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
			if (f->ports[i].end && f->ports[i].node != from &&
			    (!f->ports[i].number || f->ports[i].peer != TOPOLOGY_NONE)) {
				found.ways++;
				found.good += walk(x, from, &f->ports[i]) >= 0;
			}
	return found;
}

__attribute__((unused)) static void is_up(const struct subject *x, const char *what)
{
	struct findings found = look(x);

	is_u64(found.active, found.ports, "%s: %u ports are active", what, found.ports);
	is_u64(found.lids, found.ends, "%s: %u end ports have a LID each", what, found.ends);
	is_u64(found.good, found.ways, "%s: %u ways lead there", what, found.ways);
}

#endif
