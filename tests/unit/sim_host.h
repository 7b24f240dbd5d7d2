/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A fabric that is up, with the kernels of its hosts, and programs on them. */
#ifndef TESTS_UNIT_SIM_HOST_H
#define TESTS_UNIT_SIM_HOST_H

#include "sim/host/host.h"
#include "tests/unit/sim_sm.h"

#define MS UINT64_C(1000000)

enum { OUI = 0x5a0001, VENDOR = 0x32, METHOD_ASK = 0x10, RESPONSE = 0x80 };

struct host_net {
	struct net n;
	struct hosts *hosts;
	struct found found[16];
	unsigned int overflows;
	uint64_t lost;
	/* of what comes to hosts one in so many is lost; 0: none */
	unsigned int lose, losses;
	uint64_t chance;
};

static void host_net_arrive(void *context, uint32_t node, unsigned int port, const struct fabric_head *head,
			    const uint8_t *mad)
{
	struct host_net *net = context;

	net_arrive(&net->n, node, port, head, mad);
	net->chance = net->chance * UINT64_C(6364136223846793005) + 1;
	if (net->lose && !((net->chance >> 33) % net->lose)) {
		net->losses++;
		return;
	}
	hosts_arrive(net->hosts, node, port, head, mad);
}

static void host_net_event(void *context, const struct sim_event *event)
{
	struct host_net *net = context;

	net_event(&net->n, event);
	if (event->kind == EVENT_OVERFLOW) {
		net->overflows++;
		net->lost = event->count;
	}
}

/* queue_max: of files; 0: the kernel's. */
static void host_net_open(struct host_net *net, const char *text, uint32_t queue_max)
{
	unsigned int count;

	net->overflows = net->lose = net->losses = 0;
	net->lost = net->chance = 0;
	net_open(&net->n, text);
	count = discover(&net->n, "h1", net->found, 16);
	net->hosts = hosts_new(net->n.f, 1, queue_max);
	if (!count || !bring_up(&net->n, "h1", net->found, count) || !net->hosts) {
		printf("Bail out! the fabric does not come up\n");
		exit(1);
	}
	net->n.f->options.watcher = (struct fabric_watcher){
		.arrive = host_net_arrive,
		.event = host_net_event,
		.context = net,
	};
}

static void host_net_close(struct host_net *net)
{
	hosts_free(net->hosts);
	net_close(&net->n);
}

/* Until a time, in the order in which things are due. */
__attribute__((unused)) static void host_net_until(struct host_net *net, uint64_t until)
{
	net->n.arrived = net->n.dropped = 0;
	for (;;) {
		uint64_t fabric = fabric_deadline(net->n.f), hosts = hosts_deadline(net->hosts);
		uint64_t due = fabric < hosts ? fabric : hosts;

		if (due > until)
			break;
		net->n.now = due > net->n.now ? due : net->n.now;
		fabric_process(net->n.f, net->n.now);
		hosts_process(net->hosts, net->n.now);
	}
	net->n.now = until;
	fabric_process(net->n.f, until);
	hosts_process(net->hosts, until);
}

/* For so long, which is enough for what goes there and back. */
__attribute__((unused)) static void host_net_run(struct host_net *net)
{
	host_net_until(net, net->n.now + MS);
}

/* ---- a program ---------------------------------------------------------------------- */

struct program {
	struct host_net *net;
	struct host_file *file;
	uint32_t id;
	unsigned int woken;
};

static void program_wake(void *context)
{
	((struct program *)context)->woken++;
}

static struct host_agent agent_of(uint8_t mgmt_class, uint32_t oui, int method, uint8_t rmpp)
{
	struct host_agent agent = {
		.mgmt_class = mgmt_class,
		.class_version = 1,
		.oui = oui,
		.rmpp_version = rmpp,
	};

	if (method >= 0)
		agent.method_mask[method / 64] = UINT64_C(1) << method % 64;
	return agent;
}

/* Port 1 of a node, or a switch's 0, with an agent. method below 0: none. */
__attribute__((unused)) static void program_open(struct program *p, struct host_net *net, const char *name,
						 const struct host_agent *agent)
{
	uint32_t node = net_node(&net->n, name);

	*p = (struct program){ .net = net };
	if (host_open(net->hosts, node, net->n.t->nodes[node].type != TOPOLOGY_SWITCH, program_wake, p,
		      &p->file) ||
	    (agent && host_register(p->file, agent, &p->id)))
		ok(false, "%s opens its port", name);
}

static unsigned int lid_at(const struct host_net *net, const char *name)
{
	return lid_of(&net->n, net->found, name);
}

static struct madkit_addr gsi_to(const struct host_net *net, const char *name)
{
	return (struct madkit_addr){ .lid = lid_at(net, name), .qp = 1 };
}

static void vendor_mad(uint8_t mad[256], uint8_t method, uint64_t tid)
{
	struct madkit_header h = {
		.base_version = 1,
		.mgmt_class = VENDOR,
		.class_version = 1,
		.method = method,
		.tid = tid,
		.attribute = 0x20,
	};

	memset(mad, 0, 256);
	madkit_header_put(mad, 256, &h);
	put_be32(mad + 36, OUI);
}

__attribute__((unused)) static int program_send(struct program *p, const char *to, const uint8_t *mad,
						size_t len, uint32_t timeout_ms, uint32_t retries)
{
	struct madkit_addr addr = gsi_to(p->net, to);

	if (madkit_class_is_smi(mad[1]))
		addr.qp = 0;
	return host_send(p->file, &(struct host_out){ p->id, &addr, mad, len, timeout_ms, retries },
			 p->net->n.now);
}

/* The next that has come; len 0: nothing has. The bytes stay until the next. */
__attribute__((unused)) static struct host_message program_take(struct program *p)
{
	static uint8_t bytes[256];
	struct host_message m = { .len = 0 };

	if (!host_next(p->file, &m))
		return m;
	memcpy(bytes, m.mad, m.len < sizeof(bytes) ? m.len : sizeof(bytes));
	host_pop(p->file);
	m.mad = bytes;
	return m;
}

/* Sends m back as a response. */
__attribute__((unused)) static int program_answer(struct program *p, const struct host_message *m,
						  uint8_t method)
{
	uint8_t mad[256];

	memcpy(mad, m->mad, 256);
	mad[3] = method;
	return host_send(p->file, &(struct host_out){ p->id, &m->from, mad, 256, 0, 0 }, p->net->n.now);
}

#endif
