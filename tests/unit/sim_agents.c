/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* VL15 buffers, service times, mute and slow agents, links in training. Times are sums of the hops, services and
 * answers that the comments list. */
#include "tests/unit/sim_net.h"
#include "tests/unit/sim_sm.h"
#include "util/array_size.h"

enum { SERVICE_NS = 10000, MS_NS = 1000000 };

static struct found found[16];
static const struct fabric_vl15 three = { .buffers = 3, .service_ns = SERVICE_NS };

static uint64_t vl15_dropped(const struct net *n, const char *name, unsigned int port)
{
	return node_port(n->f, &n->f->nodes[net_node(n, name)], port)->counts[PMA_VL15_DROPPED];
}

/* A Get of NodeInfo leaves h1 along the route. */
static void sim_agents_begin(struct net *n, const char *route)
{
	struct madkit_addr addr = { .direct = true };
	uint8_t mad[256];

	madkit_parse_path(route, &addr, NULL);
	smp(mad, 1, 0x11, 0);
	mad[1] = 0x81;
	madkit_smp_put_route(mad, &addr, 0);
	fabric_send(n->f, net_node(n, "h1"), 1, &(struct fabric_head){ .dlid = 0xffff }, mad, 256, n->now);
}

/* count of them at once. The time until the last response. */
static uint64_t sim_agents_ask(struct net *n, const char *route, unsigned int count)
{
	uint64_t begin = n->now;

	while (count--)
		sim_agents_begin(n, route);
	net_run(n);
	return n->now - begin;
}

/* A LID-routed NodeInfo. */
static uint64_t sim_agents_ask_lid(struct net *n, unsigned int lid)
{
	uint64_t begin = n->now;
	uint8_t mad[256];

	smp(mad, 1, 0x11, 0);
	net_send(n, "h1", NULL, &(struct fabric_head){ .dlid = (uint16_t)lid }, mad);
	return n->now - begin;
}

/* PortCounters of port 1, count times at once. */
static uint64_t sim_agents_count(struct net *n, unsigned int lid, unsigned int count)
{
	uint64_t begin = n->now;
	uint8_t mad[256];

	for (unsigned int i = 0; i < count; i++) {
		smp(mad, 1, 0x12, 0);
		mad[1] = 4;
		mad_set_field(mad + 64, 0, IB_PC_PORT_SELECT_F, 1);
		fabric_send(n->f, net_node(n, "h1"), 1, GMP_TO(lid), mad, 256, n->now);
	}
	net_run(n);
	return n->now - begin;
}

static void sim_agents_set_up(struct net *n, struct fabric_vl15 vl15)
{
	unsigned int count;

	net_open_with(n, LINE_NET, vl15, 0);
	count = discover(n, "h1", found, 16);
	ok(count == 5 && bring_up(n, "h1", found, count), "a subnet is up");
}

static void buffers(void)
{
	struct net n;

	sim_agents_set_up(&n, three);
	is_u64(sim_agents_ask(&n, "0,1", 1), 2 * HOP_NS + SERVICE_NS + ANSWER_NS, "a switch takes its time");
	is_u64(sim_agents_ask(&n, "0,1", 3), 2 * HOP_NS + 3 * SERVICE_NS + ANSWER_NS,
	       "... for one after the other");
	is_u64(n.arrived, 3, "... three are answered");
	is_u64(vl15_dropped(&n, "A", 1), 0, "... and none is dropped");
	sim_agents_ask(&n, "0,1", 5);
	is_u64(n.arrived, 3, "of five, three are answered");
	is_u64(n.dropped, 2, "... two are dropped");
	ok(n.why == DROP_VL15 && n.drop_node == net_node(&n, "A") && n.drop_port == 1,
	   "... for lack of a buffer at the port that receives them");
	is_u64(vl15_dropped(&n, "A", 1), 2, "... which counts them");
	is_u64(vl15_dropped(&n, "A", 3), 0, "... other ports do not");
	/* A, B and h2; B and A on the way back */
	is_u64(sim_agents_ask(&n, "0,1,3,1", 1), 6 * HOP_NS + 5 * SERVICE_NS + ANSWER_NS,
	       "each switch on a directed route takes its time, in both directions");
	sim_agents_ask(&n, "0,1,3,1", 5);
	is_u64(n.arrived, 3, "... and drops what is too much");
	is_u64(vl15_dropped(&n, "A", 1), 4, "... the first of them");
	is_u64(sim_agents_ask_lid(&n, lid_of(&n, found, "h2")), 6 * HOP_NS + SERVICE_NS + ANSWER_NS,
	       "packets that are routed by LID pass in no time");
	sim_agents_ask(&n, "0", 9);
	is_u64(n.arrived, 9, "SMPs to the own node are not limited");
	is_u64(sim_agents_count(&n, lid_of(&n, found, "A"), 9), 2 * HOP_NS + ANSWER_NS, "nor are GMPs");
	is_u64(n.arrived, 9, "... of which none is dropped");
	net_close(&n);
}

/* Programs drain queue pair 0 of their host: responses, traps and requests for a subnet manager are not limited. */
static void for_programs(void)
{
	struct net n;
	uint8_t mad[256];

	sim_agents_set_up(&n, (struct fabric_vl15){ .buffers = 1, .service_ns = SERVICE_NS });
	fabric_set_sm(n.f, net_node(&n, "h1"), 1, true);
	net_run(&n);
	for (unsigned int i = 0; i < 5; i++) {
		smp(mad, 1, 0x20, 0);
		fabric_send(n.f, net_node(&n, "h2"), 1,
			    &(struct fabric_head){ .dlid = (uint16_t)lid_of(&n, found, "h1") }, mad, 256,
			    n.now);
	}
	net_run(&n);
	is_u64(n.arrived, 5, "five requests for the subnet manager arrive at it");
	fabric_set_sm(n.f, net_node(&n, "h1"), 1, false);
	net_run(&n);
	for (unsigned int i = 0; i < 5; i++) {
		smp(mad, 1, 0x11, 0);
		fabric_send(n.f, net_node(&n, "h2"), 1,
			    &(struct fabric_head){ .dlid = (uint16_t)lid_of(&n, found, "h1") }, mad, 256,
			    n.now);
	}
	net_run(&n);
	is_u64(n.arrived, 1, "of five requests for the agent there, one does");
	is_u64(vl15_dropped(&n, "h1", 1), 4, "... and the port counts the others");
	net_close(&n);
}

static void mute(void)
{
	struct net n;
	unsigned int a, h2;
	uint8_t mad[256];

	sim_agents_set_up(&n, (struct fabric_vl15){ 0 });
	a = lid_of(&n, found, "A"), h2 = lid_of(&n, found, "h2");
	is_int(fabric_set_agent(n.f, 99, AGENT_SMI, true, 0), -EINVAL, "there is no node 99");
	is_int(fabric_set_agent(n.f, net_node(&n, "A"), AGENT_SMI, true, 0), 0, "the SMA of A is mute");
	sim_agents_ask(&n, "0,1", 1);
	ok(!n.arrived && n.why == DROP_MUTE && n.drop_node == net_node(&n, "A"), "... and does not answer");
	sim_agents_ask(&n, "0,1,3", 1);
	ok(!n.arrived && n.drop_node == net_node(&n, "A"), "... nor forward directed routes");
	sim_agents_ask_lid(&n, h2);
	is_u64(n.arrived, 1, "... while A routes by LID");
	sim_agents_ask_lid(&n, a);
	is_u64(n.arrived, 0, "... to others");
	sim_agents_count(&n, a, 1);
	is_u64(n.arrived, 1, "the PMA of A answers");
	fabric_cable(n.f, net_node(&n, "A"), 2, false);
	is_u64(fabric_deadline(n.f), UINT64_MAX, "a mute agent sends no trap");
	fabric_set_agent(n.f, net_node(&n, "A"), AGENT_SMI, false, 0);
	fabric_set_agent(n.f, net_node(&n, "A"), AGENT_GSI, true, 0);
	sim_agents_ask(&n, "0,1,3", 1);
	is_u64(n.arrived, 1, "the SMA is normal");
	sim_agents_count(&n, a, 1);
	ok(!n.arrived && n.why == DROP_MUTE, "the PMA is mute");
	smp(mad, 1, 0x11, 0);
	mad[1] = 0x21;
	mad[2] = 2;
	net_send(&n, "h1", NULL, GMP_TO(a), mad);
	ok(!n.arrived && n.why == DROP_MUTE, "... as is congestion control");
	fabric_set_agent(n.f, net_node(&n, "A"), AGENT_GSI, false, 0);
	sim_agents_count(&n, a, 1);
	is_u64(n.arrived, 1, "... and normal");
	net_send(&n, "h1", NULL, GMP_TO(a), mad);
	is_u64(n.arrived, 1, "... as is congestion control");
	net_close(&n);
}

static void slow(void)
{
	struct net n;
	unsigned int h2;

	sim_agents_set_up(&n, (struct fabric_vl15){ 0 });
	h2 = lid_of(&n, found, "h2");
	fabric_set_agent(n.f, net_node(&n, "h2"), AGENT_SMI, false, 5 * MS_NS);
	is_u64(sim_agents_ask(&n, "0,1,3,1", 1), 6 * HOP_NS + 5 * MS_NS + ANSWER_NS, "a slow SMA");
	is_u64(sim_agents_ask(&n, "0,1,3,1", 100), 6 * HOP_NS + 500 * MS_NS + ANSWER_NS,
	       "... takes the time for each of a hundred");
	is_u64(n.arrived, 100, "... and drops none");
	is_u64(sim_agents_count(&n, h2, 1), 6 * HOP_NS + ANSWER_NS, "the PMA is not slow");
	fabric_set_agent(n.f, net_node(&n, "h2"), AGENT_GSI, false, 2 * MS_NS);
	is_u64(sim_agents_count(&n, h2, 3), 6 * HOP_NS + 6 * MS_NS + ANSWER_NS, "a slow PMA");
	is_u64(n.arrived, 3, "... drops none");
	is_u64(sim_agents_count(&n, h2, 600), 6 * HOP_NS + (uint64_t)512 * 2 * MS_NS + ANSWER_NS,
	       "... has buffers for 512");
	ok(n.arrived == 512 && n.dropped == 88 && n.why == DROP_GSI && n.drop_node == net_node(&n, "h2"),
	   "... and drops what is beyond");
	is_u64(sim_agents_count(&n, h2, 512), 6 * HOP_NS + (uint64_t)512 * 2 * MS_NS + ANSWER_NS,
	       "... its buffers are free again");
	is_u64(n.arrived, 512, "... all of them");
	fabric_set_agent(n.f, net_node(&n, "h2"), AGENT_GSI, false, 0);
	is_u64(sim_agents_count(&n, h2, 3), 6 * HOP_NS + ANSWER_NS, "a normal one");
	sim_agents_begin(&n, "0,1,3,1");
	fabric_process(n.f, n.now + MS_NS);
	fabric_set_agent(n.f, net_node(&n, "h2"), AGENT_SMI, true, 0);
	net_run(&n);
	ok(!n.arrived && n.why == DROP_MUTE, "a slow agent that becomes mute forgets what it has");
	net_close(&n);
}

/* PortCounters leaves h1. */
static void sim_agents_begin_count(struct net *n, unsigned int lid)
{
	uint8_t mad[256];

	smp(mad, 1, 0x12, 0);
	mad[1] = 4;
	mad_set_field(mad + 64, 0, IB_PC_PORT_SELECT_F, 1);
	fabric_send(n->f, net_node(n, "h1"), 1, GMP_TO(lid), mad, 256, n->now);
}

static void sim_agents_until(struct net *n, uint64_t now);

/* Packets that an agent holds when its pace changes are processed at the new pace, in the same order. */
static void changes_pace(void)
{
	struct net n;
	unsigned int h2;
	uint64_t begin;
	uint32_t node;

	sim_agents_set_up(&n, (struct fabric_vl15){ 0 });
	h2 = lid_of(&n, found, "h2"), node = net_node(&n, "h2");
	for (enum fabric_agent agent = AGENT_SMI; agent < FABRIC_AGENTS; agent++) {
		const char *name = agent == AGENT_SMI ? "SMA" : "PMA";

		for (unsigned int pace = 0; pace < 3; pace++) {
			fabric_set_agent(n.f, node, agent, false, (uint64_t)60000 * MS_NS);
			begin = n.now;
			for (unsigned int i = 0; i < 5; i++)
				if (agent == AGENT_SMI)
					sim_agents_begin(&n, "0,1,3,1");
				else
					sim_agents_begin_count(&n, h2);
			sim_agents_until(&n, begin + MS_NS);
			n.arrived = n.dropped = 0;
			fabric_set_agent(n.f, node, agent, pace == 2, pace * MS_NS);
			ok(n.dropped == (pace == 2 ? 5 : 0), "a slow %s %s", name,
			   pace == 2 ? "that becomes mute forgets what it has at once" :
			   pace      ? "becomes faster" :
				       "becomes normal");
			net_run(&n);
			is_u64(n.arrived, pace == 2 ? 0 : 5, "... and answers what it has");
			is_u64(n.now - begin,
			       pace == 2 ? MS_NS : (1 + 5 * pace) * MS_NS + 3 * HOP_NS + ANSWER_NS,
			       "... in as long as it takes at the new pace");
			fabric_set_agent(n.f, node, agent, false, 0);
			begin = agent == AGENT_SMI ? sim_agents_ask(&n, "0,1,3,1", 1) :
						     sim_agents_count(&n, h2, 1);
			is_u64(begin, 6 * HOP_NS + ANSWER_NS, "... and then is as fast as ever");
		}
	}
	net_close(&n);

	sim_agents_set_up(&n, three);
	node = net_node(&n, "A");
	fabric_set_agent(n.f, node, AGENT_SMI, false, (uint64_t)60000 * MS_NS);
	begin = n.now;
	for (unsigned int i = 0; i < 3; i++)
		sim_agents_begin(&n, "0,1");
	sim_agents_until(&n, begin + MS_NS);
	fabric_set_agent(n.f, node, AGENT_SMI, false, 0);
	net_run(&n);
	is_u64(n.now - begin, MS_NS + 3 * SERVICE_NS + HOP_NS + ANSWER_NS,
	       "the normal pace of an SMA is that of --vl15");
	sim_agents_ask(&n, "0,1", 3);
	ok(n.arrived == 3 && !vl15_dropped(&n, "A", 1), "... and all its buffers are free again");
	net_close(&n);
}

static void goes_off(void)
{
	struct net n;
	uint8_t mad[256];

	sim_agents_set_up(&n, (struct fabric_vl15){ .buffers = 1, .service_ns = SERVICE_NS });
	smp(mad, 1, 0x11, 0);
	fabric_send(n.f, net_node(&n, "h1"), 1,
		    &(struct fabric_head){ .dlid = (uint16_t)lid_of(&n, found, "h2") }, mad, 256, n.now);
	n.arrived = n.dropped = 0;
	fabric_process(n.f, n.now + 3 * HOP_NS + 1);
	fabric_power(n.f, net_node(&n, "h2"), false);
	net_run(&n);
	ok(!n.arrived && n.why == DROP_GONE, "an SMP at an agent that is powered off is lost");
	fabric_power(n.f, net_node(&n, "h2"), true);
	net_run(&n);
	sim_agents_ask(&n, "0,1,3,1", 1);
	is_u64(n.arrived, 1, "... and its buffer is free again");
	net_close(&n);
}

/* ---- links in training ------------------------------------------------------------------ */

/* PortPhysicalState and PortState of a port. */
static void sim_agents_is(const struct net *n, const char *name, unsigned int port, unsigned int phys,
			  unsigned int state, const char *what)
{
	const uint8_t *info = node_port(n->f, &n->f->nodes[net_node(n, name)], port)->info;

	ok(field_get(MADKIT_PORT_INFO_PHYS_LINK_STATE, info) == phys &&
		   field_get(MADKIT_PORT_INFO_LINK_STATE, info) == state,
	   "%s/%u %s", name, port, what);
}

static void sim_agents_until(struct net *n, uint64_t now)
{
	n->now = now;
	fabric_process(n->f, now);
}

static void training(void)
{
	struct net n;
	uint32_t a;

	net_open_with(&n, LINE_NET, (struct fabric_vl15){ 0 }, 2 * MS_NS);
	a = net_node(&n, "A");
	sim_agents_is(&n, "A", 3, 5, 2, "is up when the fabric begins");
	fabric_cable(n.f, a, 3, false);
	sim_agents_is(&n, "A", 3, 2, 1, "polls without a cable");
	is_u64(fabric_deadline(n.f), UINT64_MAX, "... and no longer than that");
	fabric_cable(n.f, a, 3, true);
	sim_agents_is(&n, "A", 3, 4, 1, "is in training");
	sim_agents_is(&n, "B", 2, 4, 1, "... as is the other end");
	sim_agents_until(&n, 2 * MS_NS - 1);
	sim_agents_is(&n, "B", 2, 4, 1, "... for 2 ms");
	sim_agents_until(&n, 2 * MS_NS);
	sim_agents_is(&n, "A", 3, 5, 2, "is up");
	sim_agents_is(&n, "B", 2, 5, 2, "... as is the other end");
	/* begun anew in the middle of it, from the other end */
	fabric_cable(n.f, a, 3, false);
	fabric_cable(n.f, a, 3, true);
	sim_agents_until(&n, 3 * MS_NS);
	fabric_cable(n.f, net_node(&n, "B"), 2, false);
	fabric_cable(n.f, net_node(&n, "B"), 2, true);
	sim_agents_until(&n, 4 * MS_NS);
	sim_agents_is(&n, "A", 3, 4, 1, "is still in training when the first one would have ended");
	sim_agents_until(&n, 5 * MS_NS);
	sim_agents_is(&n, "A", 3, 5, 2, "is up 2 ms after the second began");
	fabric_cable(n.f, a, 3, false);
	fabric_cable(n.f, a, 3, true);
	sim_agents_until(&n, 6 * MS_NS);
	fabric_cable(n.f, a, 3, false);
	net_run(&n);
	sim_agents_is(&n, "A", 3, 2, 1, "does not come up if the cable is unplugged before the end");
	fabric_cable(n.f, a, 3, true);
	net_run(&n);
	is_int(port_set(&n, "h1", "0,1", 3, IB_PORT_STATE_F, 1), 0, "a Set takes the link down");
	net_run(&n);
	sim_agents_is(&n, "A", 3, 5, 2, "... and it trains again");
	net_close(&n);
}

int main(void)
{
	buffers();
	for_programs();
	mute();
	slow();
	changes_pace();
	goes_off();
	training();
	return tap_done();
}
