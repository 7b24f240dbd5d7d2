/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Traps: what raises them, what they say, how long they are repeated. Notices are read
 * with libibmad, or at the bytes that the IBA gives them (section 13.4.8.2). */
#include "tests/unit/sim_net.h"
#include "tests/unit/sim_sm.h"

static struct found found[16];

/* A subnet with its manager at h1; all ports have its LID. */
static void sim_trap_set_up(struct net *n)
{
	unsigned int count;
	bool good = true;

	net_open(n, LINE_NET);
	count = discover(n, "h1", found, 16);
	ok(count == 5 && bring_up(n, "h1", found, count), "a subnet is up");
	for (unsigned int i = 0; i < count; i++) {
		good &= !port_set(n, "h1", found[i].route, 0, IB_PORT_SMLID_F, lid_of(n, found, "h1"));
		good &= !port_set(n, "h1", found[i].route, 0, IB_PORT_SUBN_TIMEOUT_F, 10);
	}
	ok(good, "... and knows its manager");
}

/* 4.096 us times 2 to the 10th. */
enum { INTERVAL = 4194304 };

static uint64_t notice(const struct net *n, enum MAD_FIELDS field)
{
	return mad_get_field((void *)(n->mad + 64), 0, field);
}

/* One step of time: until something arrives at a host. */
static bool sim_trap_await(struct net *n)
{
	n->arrived = n->dropped = 0;
	while (!n->arrived && fabric_deadline(n->f) != UINT64_MAX) {
		n->now = fabric_deadline(n->f);
		fabric_process(n->f, n->now);
	}
	return n->arrived;
}

static void is_trap(const struct net *n, unsigned int number, unsigned int type, unsigned int producer,
		    unsigned int issuer)
{
	ok(n->node == net_node(n, "h1") && n->mad[1] == 1 && n->mad[3] == 5 && get_be16(n->mad + 16) == 2,
	   "a trap by LID comes to the manager");
	is_u64(notice(n, IB_NOTICE_IS_GENERIC_F), 1, "... generic");
	is_u64(notice(n, IB_NOTICE_TRAP_NUMBER_F), number, "... trap %u", number);
	is_u64(notice(n, IB_NOTICE_TYPE_F), type, "... of type %u", type);
	is_u64(notice(n, IB_NOTICE_PRODUCER_F), producer, "... by a node of type %u", producer);
	is_u64(notice(n, IB_NOTICE_ISSUER_LID_F), issuer, "... that has LID %u", issuer);
	is_u64(n->head.slid, issuer, "... and sent it");
	is_u64(get_be64(n->mad + 24), 0, "... without an M_Key");
}

/* The manager's answer to the latest trap. */
static void sim_trap_repress(struct net *n, const char *to, uint64_t tid)
{
	uint8_t mad[256];

	memcpy(mad, n->mad, 256);
	mad[3] = 7;
	put_be64(mad + 8, tid);
	fabric_send(n->f, net_node(n, "h1"), 1,
		    &(struct fabric_head){ .dlid = (uint16_t)lid_of(n, found, to) }, mad, 256, n->now);
}

static void link_state(void)
{
	struct net n;
	uint64_t first, tid;
	unsigned int times = 0;

	sim_trap_set_up(&n);
	is_u64(fabric_deadline(n.f), UINT64_MAX, "what the manager itself did is no news");
	fabric_cable(n.f, net_node(&n, "A"), 2, false);
	ok(sim_trap_await(&n), "a cable is pulled");
	is_trap(&n, 128, 1, IB_NODE_SWITCH, lid_of(&n, found, "A"));
	is_u64(notice(&n, IB_NOTICE_DATA_LID_F), lid_of(&n, found, "A"), "... and tells of it");
	first = n.now;
	tid = get_be64(n.mad + 8);
	ok(sim_trap_await(&n), "it is repeated");
	is_u64(n.now - first, INTERVAL, "... after the subnet's time-out");
	is_u64(get_be64(n.mad + 8), tid, "... with its transaction ID");
	fabric_cable(n.f, net_node(&n, "A"), 2, true);
	sim_trap_await(&n);
	is_u64(get_be64(n.mad + 8), tid, "while it is told there is no second one");
	sim_trap_repress(&n, "A", tid + 77);
	ok(sim_trap_await(&n), "TrapRepress of another one does not end it");
	sim_trap_repress(&n, "A", tid);
	ok(!sim_trap_await(&n), "TrapRepress ends it");
	fabric_cable(n.f, net_node(&n, "A"), 2, false);
	while (sim_trap_await(&n) && times < 100) {
		ok(get_be64(n.mad + 8) != tid, "the next has another transaction ID");
		times++;
	}
	is_u64(times, 11, "nobody represses it: it is sent eleven times");
	fabric_cable(n.f, net_node(&n, "A"), 2, true);
	ok(sim_trap_await(&n), "... and there may be another then");
	net_close(&n);
}

/* Traps that have been reported are not reported again. */
static void sim_trap_silence(void)
{
	struct net n;
	uint64_t sent;

	sim_trap_set_up(&n);
	fabric_cable(n.f, net_node(&n, "A"), 2, false);
	ok(sim_trap_await(&n), "A tells of a link");
	fabric_set_agent(n.f, net_node(&n, "A"), AGENT_SMI, true, 0);
	ok(!sim_trap_await(&n), "... until it is mute");
	fabric_set_agent(n.f, net_node(&n, "A"), AGENT_SMI, false, 0);
	fabric_cable(n.f, net_node(&n, "A"), 2, true);
	ok(sim_trap_await(&n), "... and again when it is normal");
	sent = node_port(n.f, &n.f->nodes[net_node(&n, "A")], 1)->counts[PMA_XMIT_DISCARDS];
	fabric_power(n.f, net_node(&n, "A"), false);
	ok(!sim_trap_await(&n), "... until it is powered off");
	is_u64(node_port(n.f, &n.f->nodes[net_node(&n, "A")], 1)->counts[PMA_XMIT_DISCARDS], sent,
	       "... nor counts");
	fabric_power(n.f, net_node(&n, "A"), true);
	ok(n.f->nodes[net_node(&n, "A")].off == false && fabric_deadline(n.f) != UINT64_MAX,
	   "powered on, it has news");
	net_close(&n);
}

static void capabilities(void)
{
	struct net n;

	sim_trap_set_up(&n);
	fabric_set_sm(n.f, net_node(&n, "h2"), 1, true);
	ok(sim_trap_await(&n), "h2 begins to be a subnet manager");
	is_trap(&n, 144, 4, IB_NODE_CA, lid_of(&n, found, "h2"));
	is_u64(notice(&n, IB_NOTICE_DATA_144_LID_F), lid_of(&n, found, "h2"), "... and tells its LID");
	is_u64(notice(&n, IB_NOTICE_DATA_144_CAPMASK_F) & 2, 2, "... and IsSM");
	sim_trap_repress(&n, "h2", get_be64(n.mad + 8));
	ok(!sim_trap_await(&n), "... until it is repressed");
	fabric_set_sm(n.f, net_node(&n, "h2"), 1, true);
	ok(!sim_trap_await(&n), "what was so already is no news");
	fabric_set_sm(n.f, net_node(&n, "h2"), 1, false);
	ok(sim_trap_await(&n), "it ends to be one");
	is_u64(notice(&n, IB_NOTICE_DATA_144_CAPMASK_F) & 2, 0, "... and says so");
	net_close(&n);
	net_open(&n, LINE_NET);
	fabric_set_sm(n.f, net_node(&n, "h2"), 1, true);
	fabric_cable(n.f, net_node(&n, "A"), 2, false);
	is_u64(fabric_deadline(n.f), UINT64_MAX, "without a manager nobody is told");
	net_close(&n);
}

static void sim_trap_keys(void)
{
	struct net n;
	uint8_t mad[256], path[2] = { 1, 2 };
	struct fabric_head head;

	sim_trap_set_up(&n);
	port_set(&n, "h1", "0,1,3", 0, IB_PORT_MKEY_F, 0x1234);
	smp(mad, 2, 0x15, 0x80000003);
	put_be64(mad + 24, 0x99);
	struct madkit_addr addr = { .direct = true, .hops = 2, .path = { 0, 1, 3 } };

	mad[1] = 0x81;
	madkit_smp_put_route(mad, &addr, 0);
	fabric_send(n.f, net_node(&n, "h1"), 1, &(struct fabric_head){ .dlid = 0xffff }, mad, 256, n.now);
	ok(sim_trap_await(&n), "a Set with a wrong M_Key");
	is_trap(&n, 256, 2, IB_NODE_SWITCH, lid_of(&n, found, "B"));
	/* the details begin at byte 10 of the notice, which begins at 64 */
	is_u64(get_be16(n.mad + 64 + 12), 0xffff, "... from the permissive LID");
	is_u64(get_be16(n.mad + 64 + 14), 0xffff, "... DrSLID");
	is_u64(n.mad[64 + 16], 2, "... its method");
	is_u64(get_be16(n.mad + 64 + 18), 0x15, "... attribute");
	is_u64(get_be32(n.mad + 64 + 20), 0x80000003, "... modifier");
	is_u64(get_be64(n.mad + 64 + 24), 0x99, "... and key");
	is_u64(n.mad[64 + 33], 0x80 | 2, "a directed route of two hops, whole");
	is_mem(n.mad + 64 + 34, path, 2, "... and how it came back");
	sim_trap_repress(&n, "B", get_be64(n.mad + 8));
	ok(sim_trap_await(&n), "TrapRepress without the M_Key does not end it");
	put_be64(n.mad + 24, 0x1234);
	sim_trap_repress(&n, "B", get_be64(n.mad + 8));
	/* the failed repress was a violation, but only the first of the two has been reported */
	ok(!sim_trap_await(&n), "... with it it does");

	gmp(mad);
	head = *GMP_TO(lid_of(&n, found, "h2"));
	head.pkey = 0x8005;
	head.sl = 3;
	fabric_send(n.f, net_node(&n, "h1"), 1, &head, mad, 256, n.now);
	ok(sim_trap_await(&n), "a GMP of another partition");
	is_trap(&n, 257, 2, IB_NODE_CA, lid_of(&n, found, "h2"));
	is_u64(get_be16(n.mad + 64 + 12), lid_of(&n, found, "h1"), "... from h1");
	is_u64(get_be16(n.mad + 64 + 14), lid_of(&n, found, "h2"), "... to h2");
	is_u64(get_be32(n.mad + 64 + 16), 0x8005, "... with this P_Key");
	is_u64(n.mad[64 + 20] >> 4, 3, "... this SL");
	is_u64(get_be32(n.mad + 64 + 20) & 0xffffff, 1, "... from this QP");
	is_u64(get_be32(n.mad + 64 + 24) & 0xffffff, 1, "... to this");
	sim_trap_repress(&n, "h2", get_be64(n.mad + 8));
	ok(!sim_trap_await(&n), "... until it is repressed");
	head.pkey = 0xffff;
	head.qkey = 0x42;
	fabric_send(n.f, net_node(&n, "h1"), 1, &head, mad, 256, n.now);
	ok(sim_trap_await(&n), "a GMP with another Q_Key");
	is_trap(&n, 258, 2, IB_NODE_CA, lid_of(&n, found, "h2"));
	is_u64(get_be32(n.mad + 64 + 16), 0x42, "... with this Q_Key");
	net_close(&n);
}

int main(void)
{
	link_state();
	sim_trap_silence();
	capabilities();
	sim_trap_keys();
	return tap_done();
}
