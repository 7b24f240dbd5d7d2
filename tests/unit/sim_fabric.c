/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How packets travel: by directed route, by LID, by both; and what does not. */
#include <inttypes.h>
#include "sim/fabric/internal.h"
#include "tests/unit/sim_net.h"
#include "tests/unit/sim_sm.h"
#include "util/array_size.h"
#include "util/bits.h"

static void directed(void)
{
	struct net n;
	uint8_t mad[256], path[64] = { 0, 1, 3, 1 }, back[64] = { 0, 1, 2, 1 };

	net_open(&n, LINE_NET);
	is_int(net_get(&n, "h1", "0,1,3,1", 0x11, 0), 0, "three hops to h2");
	is_u64(n.now, 6 * HOP_NS + ANSWER_NS, "... take six hops' time and an answer's");
	is_u64(n.mad[6], 0, "the hop pointer has come back to 0");
	is_u64(n.mad[7], 3, "... the hop count is as it was");
	is_mem(n.mad + 128, path, 64, "... and the initial path");
	is_mem(n.mad + 192, back, 64, "the return path is where it came in");
	is_u64(get_be16(n.mad + 4), 0x8000, "the D bit is set, the status 0");
	is_u64(get_be64(n.mad + 8), 0x1234567800000001, "the transaction ID is the request's");
	is_u64(n.head.slid, 0xffff, "it came with the permissive LID");
	is_int(net_get(&n, "h1", "0", 0x11, 0), 0, "no hops: to oneself");
	is_u64(n.mad[6], 0, "... the hop pointer is 0");
	is_int(net_get(&n, "A", "0,3", 0x11, 0), 0, "from a switch's port 0");
	is_u64(got(&n, IB_NODE_NPORTS_F), 20, "... to the next");

	is_int(net_get(&n, "h1", "0,1,5", 0x11, 0), -1, "no cable there");
	ok(n.why == DROP_LINK_DOWN && n.drop_node == net_node(&n, "A") && n.drop_port == 5,
	   "... is found out at A's port 5");
	is_int(net_get(&n, "h1", "0,1,9", 0x11, 0), -1, "no port 9 there");
	ok(n.why == DROP_DIRECTED_ROUTE && n.drop_node == net_node(&n, "A"), "... at A");
	is_int(net_get(&n, "h1", "0,1,2,1", 0x11, 0), -1, "through a host");
	ok(n.why == DROP_DIRECTED_ROUTE && n.drop_node == net_node(&n, "h3"), "... it does not pass on");
	is_int(net_get(&n, "h1", "0,2", 0x11, 0), -1, "a host that has no port 2");
	is_u64(n.drop_node, net_node(&n, "h1"), "... does not send it");

	/* 63 hops, to and fro, is the most */
	struct madkit_addr addr = { .direct = true, .hops = 63 };

	addr.path[1] = 1;
	for (int i = 2; i < 64; i++)
		addr.path[i] = i % 2 ? 2 : 3;
	smp(mad, 1, 0x11, 0);
	mad[1] = 0x81;
	madkit_smp_put_route(mad, &addr, 0);
	fabric_send(n.f, net_node(&n, "h1"), 1, &(struct fabric_head){ .dlid = 0xffff }, mad, 256, n.now);
	net_run(&n);
	is_u64(n.arrived, 1, "63 hops there and back");
	mad[128 + 63] = 0;
	fabric_send(n.f, net_node(&n, "h1"), 1, &(struct fabric_head){ .dlid = 0xffff }, mad, 256, n.now);
	net_run(&n);
	ok(!n.arrived && n.why == DROP_DIRECTED_ROUTE, "port 0 is no hop");
	mad[7] = 64;
	fabric_send(n.f, net_node(&n, "h1"), 1, &(struct fabric_head){ .dlid = 0xffff }, mad, 256, n.now);
	net_run(&n);
	ok(!n.arrived && n.why == DROP_DIRECTED_ROUTE, "64 are too many");

	is_int(fabric_send(n.f, 99, 1, &n.head, mad, 256, 0), -EINVAL, "no such node");
	is_int(fabric_send(n.f, net_node(&n, "h1"), 2, &n.head, mad, 256, 0), -EINVAL, "no such port");
	is_int(fabric_send(n.f, net_node(&n, "A"), 1, &n.head, mad, 256, 0), -EINVAL,
	       "a switch's port 1 is no end port");
	is_int(fabric_send(n.f, net_node(&n, "h1"), 1, &n.head, mad, 255, 0), -EINVAL, "255 bytes");
	mad[0] = 0x80;
	is_int(fabric_send(n.f, net_node(&n, "h1"), 1, &n.head, mad, 256, 0), -EINVAL, "OPA's");
	net_close(&n);
}

/*
 * Every hop pointer and count at a switch and at a host, against C14-9 and C14-13 of the IBA: the handling of
 * an SMP that arrives at port 1.
 */
enum fate { PASSED, LOCAL, BY_LID, DISCARDED };

static enum fate by_the_book(bool sw, bool back, unsigned int pointer, unsigned int count, bool permissive)
{
	if (count > 63)
		return DISCARDED;
	if (!back) {
		if (count != 0 && pointer == 0)
			return PASSED; /* 1 */
		if (pointer > 0 && pointer < count)
			return sw ? PASSED : DISCARDED; /* 2 */
		if (pointer == count)                   /* 3 */
			return permissive ? LOCAL : sw ? BY_LID : DISCARDED;
		return pointer == count + 1 ? LOCAL : DISCARDED; /* 4, 5 */
	}
	if (count != 0 && pointer == count + 1)
		return PASSED; /* 1 */
	if (pointer >= 2 && pointer <= count)
		return sw ? PASSED : DISCARDED; /* 2 */
	if (pointer == 1)                       /* 3 */
		return permissive ? LOCAL : sw ? BY_LID : DISCARDED;
	return pointer == 0 ? LOCAL : DISCARDED; /* 4, 5 */
}

static void hops(void)
{
	unsigned int wrong = 0, tried = 0;
	struct net n;

	net_open(&n, LINE_NET);
	for (int bits = 0; bits < 8; bits++)
		for (unsigned int pointer = 0; pointer < 70; pointer++)
			for (unsigned int count = 0; count < 67; count++) {
				bool sw = bits & 1, back = bits & 2, permissive = bits & 4;
				uint32_t node = net_node(&n, sw ? "A" : "h1");
				uint32_t in = n.t->nodes[node].first + 1;
				struct fabric_head head = { .dlid = 0xffff };
				uint8_t mad[256];
				enum fate fate;
				struct packet *p;
				uint32_t other;

				/* a response that is local arrives; a request is answered */
				smp(mad, back ? 0x81 : 5, 0x11, 0);
				mad[1] = 0x81;
				mad[4] = back ? 0x80 : 0;
				mad[6] = (uint8_t)pointer;
				mad[7] = (uint8_t)count;
				/* everywhere over port 1, from A to h1 or back */
				memset(mad + 128, 1, 128);
				put_be16(mad + 32, back && !permissive ? 5 : 0xffff);
				put_be16(mad + 34, !back && !permissive ? 5 : 0xffff);
				p = packet_new(n.f, &head, mad);
				p->port = in;
				packet_queue(n.f, p, n.now);
				n.arrived = n.dropped = 0;
				/* one step alone */
				fabric_process(n.f, n.now);
				other = fabric_deadline(n.f) == UINT64_MAX ?
						TOPOLOGY_NONE :
						list_entry(heap_first(&n.f->queue), struct packet, link)
							->port;
				fate = other != TOPOLOGY_NONE ? PASSED :
				       n.arrived              ? LOCAL :
				       n.why == DROP_NO_ROUTE ? BY_LID :
								DISCARDED;
				tried++;
				if (fate != by_the_book(sw, back, pointer, count, permissive) && !wrong++)
					printf("# %s, D %d, pointer %u, count %u, permissive %d: "
					       "%d\n",
					       sw ? "switch" : "host", back, pointer, count, permissive,
					       fate);
				net_run(&n);
			}
	is_u64(wrong, 0, "%u combinations of hop pointer and count are as C14-9 and C14-13 say", tried);
	net_close(&n);
}

/* ---- by LID ------------------------------------------------------------------------ */

static void sim_fabric_by_lid(void)
{
	struct net n;
	struct found found[16];
	unsigned int count, h1, h2, b;
	uint8_t mad[256], data[64];

	net_open(&n, LINE_NET);
	gmp(mad);
	net_send(&n, "h1", NULL, GMP_TO(3), mad);
	ok(!n.arrived && n.why == DROP_PORT_STATE, "no GMP while the port is not active");
	count = discover(&n, "h1", found, 16);
	is_u64(count, 5, "five nodes are found");
	ok(bring_up(&n, "h1", found, count), "... and brought up");
	h1 = lid_of(&n, found, "h1");
	h2 = lid_of(&n, found, "h2");
	b = lid_of(&n, found, "B");

	net_send(&n, "h1", NULL, GMP_TO(h2), mad);
	ok(n.arrived == 1 && n.node == net_node(&n, "h2") && n.port == 1, "a GMP arrives at h2");
	is_u64(n.head.slid, h1, "... from h1's LID");
	is_u64(n.head.dlid, h2, "... to its own");
	is_mem(n.mad, mad, 256, "... as it was sent");
	net_send(&n, "h1", NULL, GMP_TO(h1), mad);
	ok(n.arrived == 1 && n.node == net_node(&n, "h1"), "a GMP to oneself");
	net_send(&n, "h1", NULL, GMP_TO(b), mad);
	ok(n.arrived == 1 && n.node == net_node(&n, "B") && !n.port, "... to a switch");
	net_send(&n, "B", NULL, GMP_TO(h1), mad);
	ok(n.arrived == 1 && n.node == net_node(&n, "h1"), "... and from it");

	smp(mad, 1, 0x11, 0);
	net_send(&n, "h1", NULL, &(struct fabric_head){ .dlid = (uint16_t)h2 }, mad);
	ok(n.arrived == 1 && n.node == net_node(&n, "h1") && n.mad[3] == 0x81, "an SMP by LID");
	is_u64(got(&n, IB_NODE_GUID_F), 0x100002, "... is answered by h2");
	is_u64(n.head.slid, h2, "... from its LID");
	is_u64(get_be16(n.mad + 4), 0, "... without a D bit");
	smp(mad, 1, 0x11, 0);
	net_send(&n, "h1", NULL, &(struct fabric_head){ .dlid = (uint16_t)b }, mad);
	is_u64(got(&n, IB_NODE_LOCAL_PORT_F), 2, "... by a switch, which knows by what port");

	gmp(mad);
	net_send(&n, "h1", NULL, GMP_TO(40), mad);
	ok(n.why == DROP_NO_ROUTE && n.drop_node == net_node(&n, "A"), "nobody has LID 40");
	net_get(&n, "h1", "0,1", 0x19, 0);
	memcpy(data, n.mad + 64, 64);
	data[1] = 2; /* LID 1 is h1's */
	data[40] = 3;
	data[41] = 77;
	is_int(net_set(&n, "h1", "0,1", 0x19, 0, data), 0, "A's table is set wrong");
	net_send(&n, "h2", NULL, GMP_TO(h1), mad);
	ok(n.why == DROP_NOT_MINE && n.drop_node == net_node(&n, "h3"), "h3 takes no LID of h1's");
	net_send(&n, "h1", NULL, GMP_TO(40), mad);
	is_u64(n.why, DROP_NO_ROUTE, "LinearFdbTop is below 40");
	is_u64(n.drop_node, net_node(&n, "A"), "... so it does not come far");
	memset(data, 0, 64);
	mad_set_field(data, 0, IB_SW_LINEAR_FDB_TOP_F, 41);
	net_set(&n, "h1", "0,1", 0x12, 0, data);
	net_send(&n, "h1", NULL, GMP_TO(40), mad);
	ok(n.why == DROP_NO_ROUTE && n.drop_node == net_node(&n, "B"), "with 41 it comes to B");
	net_send(&n, "h1", NULL, GMP_TO(41), mad);
	ok(n.why == DROP_NO_ROUTE && n.drop_node == net_node(&n, "A"), "A has no port 77");

	/* B would send it back where it came from */
	net_set(&n, "h1", "0,1,3", 0x12, 0, data);
	net_get(&n, "h1", "0,1,3", 0x19, 0);
	memcpy(data, n.mad + 64, 64);
	data[40] = 2;
	net_set(&n, "h1", "0,1,3", 0x19, 0, data);
	net_send(&n, "h1", NULL, GMP_TO(40), mad);
	ok(n.why == DROP_NO_ROUTE && n.drop_node == net_node(&n, "B") && n.dropped == 1,
	   "a packet does not go back by the port that it came by");

	/* LMC: the port has four LIDs */
	is_int(port_set(&n, "h1", "0", 0, IB_PORT_LID_F, 48), 0, "h1 gets LID 48");
	is_int(port_set(&n, "h1", "0", 0, IB_PORT_LMC_F, 2), 0, "... to 51");
	net_get(&n, "h1", "0,1", 0x19, 0);
	memcpy(data, n.mad + 64, 64);
	memset(data + 44, 1, 9);
	net_set(&n, "h1", "0,1", 0x19, 0, data);
	memset(data, 0, 64);
	mad_set_field(data, 0, IB_SW_LINEAR_FDB_TOP_F, 63);
	net_set(&n, "h1", "0,1", 0x12, 0, data);
	for (unsigned int lid = 47; lid <= 52; lid++) {
		net_send(&n, "h3", NULL, GMP_TO(lid), mad);
		is_u64(n.arrived, lid > 47 && lid < 52, "LID %u", lid);
	}

	/* partitions and Q_Keys */
	struct fabric_head head = *GMP_TO(h2);

	head.pkey = 0x7fff;
	net_send(&n, "h1", NULL, &head, mad);
	is_u64(n.arrived, 1, "a limited member may speak to a full one");
	head.pkey = 0x8001;
	net_send(&n, "h1", NULL, &head, mad);
	ok(!n.arrived && n.why == DROP_P_KEY, "another partition's may not");
	head.pkey = 0xffff;
	head.qkey = 1;
	net_send(&n, "h1", NULL, &head, mad);
	ok(!n.arrived, "another Q_Key neither");
	net_get(&n, "h1", "0,1,3,1", 0x15, 0);
	is_u64(got(&n, IB_PORT_PKEY_VIOL_F), 1, "both are counted");
	is_u64(got(&n, IB_PORT_QKEY_VIOL_F), 1, "...");
	memset(data, 0, 64);
	put_be16(data, 0x7fff);
	net_set(&n, "h1", "0,1,3,1", 0x16, 0, data);
	head.qkey = 0x80010000;
	head.pkey = 0x7fff;
	net_send(&n, "h1", NULL, &head, mad);
	ok(!n.arrived && n.why == DROP_P_KEY, "two limited members may not");
	net_close(&n);
}

/* A packet with this P_Key from h1 to h3, over A, of which one port enforces: whether it arrives. */
static bool sim_fabric_passes(struct net *n, unsigned int h3, unsigned int pkey)
{
	struct fabric_head head = *GMP_TO(h3);
	uint8_t mad[256];

	gmp(mad);
	head.pkey = (uint16_t)pkey;
	net_send(n, "h1", NULL, &head, mad);
	return n->arrived;
}

/* PortXmitConstraintErrors and PortRcvConstraintErrors of a port of A. */
static void sim_fabric_constraints(struct net *n, unsigned int port, unsigned int received, unsigned int sent)
{
	const struct port *p = node_port(n->f, &n->f->nodes[net_node(n, "A")], port);

	is_u64(p->counts[PMA_RCV_CONSTRAINT], received, "port %u: received", port);
	is_u64(p->counts[PMA_XMIT_CONSTRAINT], sent, "port %u: sent", port);
}

static void sim_fabric_partitions(void)
{
	static const struct {
		unsigned int own, pkey;
		bool in, out;
	} rules[] = {
		{ 0xffff, 0xffff, true, true },   { 0xffff, 0x7fff, true, true },
		{ 0x7fff, 0x7fff, true, false },  { 0x7fff, 0xffff, false, true },
		{ 0x8001, 0xffff, false, false },
	};
	struct net n;
	struct found found[16];
	uint8_t data[64] = { 0 };
	unsigned int count, h3;

	net_open(&n, LINE_NET);
	count = discover(&n, "h1", found, 16);
	ok(bring_up(&n, "h1", found, count), "a subnet with partitions");
	h3 = lid_of(&n, found, "h3");
	is_int(port_set(&n, "h1", "0,1", 1, IB_PORT_PART_EN_INB_F, 1), 0, "A[1] enforces inbound");
	is_int(port_set(&n, "h1", "0,1", 2, IB_PORT_PART_EN_OUTB_F, 1), 0, "A[2] enforces outbound");
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		for (unsigned int port = 1; port <= 2; port++) {
			/* the other one lets all of the two pass */
			put_be16(data, (uint16_t)rules[i].own);
			put_be16(data + 2, 0);
			is_int(net_set(&n, "h1", "0,1", 0x16, port << 16, data), 0, "P_Key 0x%04x",
			       rules[i].own);
			put_be16(data, 0xffff);
			net_set(&n, "h1", "0,1", 0x16, (3 - port) << 16, data);
			ok(sim_fabric_passes(&n, h3, rules[i].pkey) ==
				   (port == 1 ? rules[i].in : rules[i].out),
			   "... port %u, a packet with 0x%04x", port, rules[i].pkey);
			if (!n.arrived)
				ok(n.why == DROP_P_KEY && n.drop_port == port, "... is dropped there");
		}
	sim_fabric_constraints(&n, 1, 2, 0);
	sim_fabric_constraints(&n, 2, 0, 2);
	is_int(net_get(&n, "h1", "0,1,2", 0x11, 0), 0, "SMPs have no P_Key");
	net_close(&n);
}

/* Returns true if a packet with this SL from h1 reaches LID to. */
static bool sim_fabric_sl_passes(struct net *n, unsigned int to, unsigned int sl)
{
	struct fabric_head head = *GMP_TO(to);
	uint8_t mad[256];

	gmp(mad);
	head.sl = (uint8_t)sl;
	net_send(n, "h1", NULL, &head, mad);
	return n->arrived;
}

static void sim_fabric_lanes(void)
{
	struct net n;
	struct found found[16];
	uint8_t map[64] = { 0x01, 0xf3 }; /* SL 2 has VL15; all from SL 4 on VL 0 */
	unsigned int count, h3, h2;
	const struct port *in;

	net_open(&n, LINE_NET);
	count = discover(&n, "h1", found, 16);
	ok(bring_up(&n, "h1", found, count), "a subnet with lanes");
	h3 = lid_of(&n, found, "h3");
	h2 = lid_of(&n, found, "h2");
	in = node_port(n.f, &n.f->nodes[net_node(&n, "A")], 1);
	for (unsigned int sl = 0; sl < 16; sl++)
		ok(sim_fabric_sl_passes(&n, h3, sl), "at first, SL %u has a VL", sl);
	is_int(net_set(&n, "h1", "0,1", 0x17, 1u << 8 | 2, map), 0,
	       "A maps SL 2 to VL15, from port 1 to port 2");
	ok(!sim_fabric_sl_passes(&n, h3, 2) && n.why == DROP_NO_VL, "... where packets are dropped");
	ok(n.drop_node == net_node(&n, "A") && n.drop_port == 1, "... by the port that they came by");
	is_u64(in->counts[PMA_VL_MAPPING], 1, "... which counts them");
	is_u64(in->counts[PMA_RELAY_ERRORS], 1, "... twice");
	ok(sim_fabric_sl_passes(&n, h3, 3) && sim_fabric_sl_passes(&n, h3, 14), "other SLs pass");
	ok(sim_fabric_sl_passes(&n, h2, 2), "... and SL 2 to another port");
	is_int(port_set(&n, "h1", "0", 1, IB_PORT_OPER_VLS_F, 3), 0, "h1 has VL0-3");
	ok(sim_fabric_sl_passes(&n, h3, 3), "SL 3 has VL 3");
	ok(!sim_fabric_sl_passes(&n, h3, 4) && n.why == DROP_NO_VL, "SL 4 has none");
	ok(n.drop_node == net_node(&n, "h1"), "... at h1");
	net_close(&n);
}

/* LID-routed parts before and behind a directed one (section 14.2.2.1). */
static void sim_fabric_combined(void)
{
	struct net n;
	struct found found[16];
	unsigned int count, h1, b;
	uint8_t mad[256];

	net_open(&n, LINE_NET);
	count = discover(&n, "h1", found, 16);
	bring_up(&n, "h1", found, count);
	h1 = lid_of(&n, found, "h1");
	b = lid_of(&n, found, "B");

	smp(mad, 1, 0x11, 0);
	put_be16(mad + 32, (uint16_t)h1);
	put_be16(mad + 34, 0xffff);
	net_send(&n, "h1", "0,4", &(struct fabric_head){ .slid = (uint16_t)h1, .dlid = (uint16_t)b }, mad);
	ok(n.arrived == 1 && n.node == net_node(&n, "h1"), "by LID to B, then out of its port 4");
	is_u64(got(&n, IB_NODE_LOCAL_PORT_F), 2, "... reaches h2's port 2");
	is_u64(n.head.slid, b, "... and comes from B's LID");
	is_u64(n.mad[6], 0, "... with a hop pointer of 0");

	smp(mad, 1, 0x11, 0);
	put_be16(mad + 32, 0xffff);
	put_be16(mad + 34, (uint16_t)lid_of(&n, found, "h2"));
	net_send(&n, "h1", "0,1", &(struct fabric_head){ .dlid = 0xffff }, mad);
	ok(n.arrived == 1 && n.node == net_node(&n, "h1"), "one hop to A, then by LID");
	is_u64(got(&n, IB_NODE_GUID_F), 0x100002, "... reaches h2");
	is_u64(n.mad[6], 0, "... and comes back to a hop pointer of 0");

	smp(mad, 1, 0x11, 0);
	put_be16(mad + 32, (uint16_t)h1);
	put_be16(mad + 34, (uint16_t)lid_of(&n, found, "h2"));
	net_send(&n, "h1", "0,3",
		 &(struct fabric_head){ .slid = (uint16_t)h1, .dlid = (uint16_t)lid_of(&n, found, "A") },
		 mad);
	ok(n.arrived == 1 && n.node == net_node(&n, "h1"), "by LID to A, a hop to B, by LID to h2");
	is_u64(got(&n, IB_NODE_GUID_F), 0x100002, "... reaches h2");
	net_close(&n);
}

static void sim_fabric_multicast(void)
{
	struct net n;
	struct found found[16];
	uint8_t mad[256], data[64] = { 0 };
	unsigned int count;

	net_open(&n, LINE_NET);
	count = discover(&n, "h1", found, 16);
	bring_up(&n, "h1", found, count);
	gmp(mad);
	net_send(&n, "h1", NULL, GMP_TO(0xc021), mad);
	ok(!n.arrived && n.dropped == 1 && n.why == DROP_NO_ROUTE, "a group that nobody is in");
	put_be16(data + 2, 1 << 1 | 1 << 2 | 1 << 3); /* entry 33: the second of block 1 */
	is_int(net_set(&n, "h1", "0,1", 0x1b, 1, data), 0, "A: ports 1, 2 and 3");
	put_be16(data + 2, 1 << 0 | 1 << 1 | 1 << 2);
	is_int(net_set(&n, "h1", "0,1,3", 0x1b, 1, data), 0, "B: port 0, 1 and 2");
	net_send(&n, "h1", NULL, GMP_TO(0xc021), mad);
	is_u64(n.arrived, 3, "h2, h3 and B have it, h1 has not");
	is_u64(n.dropped, 0, "... and nothing is lost");
	net_send(&n, "h2", NULL, GMP_TO(0xc021), mad);
	is_u64(n.arrived, 3, "B, h1 and h3 have h2's");
	net_close(&n);
}

/* Three switches that send a LID round and round. */
static void circle(void)
{
	struct net n;
	uint8_t mad[256], data[64];
	static const char *const routes[] = { "0,1", "0,1,2", "0,1,3" };
	static const uint8_t next[] = { 2, 3, 2 };
	uint64_t before;

	net_open(&n, "Switch 4 \"A\"\n[1] \"h\"[1]\n[2] \"B\"[2]\n[3] \"C\"[2]\n"
		     "Switch 4 \"B\"\n[2] \"A\"[2]\n[3] \"C\"[3]\n"
		     "Switch 4 \"C\"\n[2] \"A\"[3]\n[3] \"B\"[3]\nCa 1 \"h\"\n[1] \"A\"[1]\n");
	for (unsigned int i = 0; i < 3; i++) {
		memset(data, 0, 64);
		mad_set_field(data, 0, IB_SW_LINEAR_FDB_TOP_F, 63);
		net_set(&n, "h", routes[i], 0x12, 0, data);
		memset(data, next[i], 64);
		is_int(net_set(&n, "h", routes[i], 0x19, 0, data), 0, "table of a switch");
	}
	smp(mad, 1, 0x11, 0);
	before = n.now;
	net_send(&n, "h", NULL, &(struct fabric_head){ .slid = 1, .dlid = 9 }, mad);
	ok(!n.arrived && n.why == DROP_HOPS, "a packet that goes in circles ends");
	is_u64(n.now - before, 65 * HOP_NS, "... after 64 switches");
	net_close(&n);
}

/* Multicast over three cables between two switches: each packet becomes two, and so on. */
static void sim_fabric_flood(void)
{
	struct net n;
	uint8_t mad[256], data[64];

	net_open(&n, "Switch 4 \"A\"\n[1] \"h\"[1]\n[2] \"B\"[2]\n[3] \"B\"[3]\n[4] \"B\"[4]\n"
		     "Switch 4 \"B\"\n[2] \"A\"[2]\n[3] \"A\"[3]\n[4] \"A\"[4]\n"
		     "Ca 1 \"h\"\n[1] \"A\"[1]\n");
	for (unsigned int state = 3; state <= 4; state++) {
		port_set(&n, "h", "0", 0, IB_PORT_STATE_F, state);
		for (unsigned int p = 1; p <= 4; p++) {
			port_set(&n, "h", "0,1", p, IB_PORT_STATE_F, state);
			if (p > 1)
				port_set(&n, "h", "0,1,2", p, IB_PORT_STATE_F, state);
		}
	}
	memset(data, 0, 64);
	put_be16(data, 1 << 2 | 1 << 3 | 1 << 4);
	is_int(net_set(&n, "h", "0,1", 0x1b, 0, data), 0, "A: three cables to B");
	is_int(net_set(&n, "h", "0,1,2", 0x1b, 0, data), 0, "B: three cables to A");
	gmp(mad);
	net_send(&n, "h", NULL, GMP_TO(0xc000), mad);
	ok(n.dropped > 4096 && n.dropped < 1000000, "a flood has its bounds");
	is_u64(n.why, DROP_HOPS, "... and ends");
	net_close(&n);
}

/* The same calls give the same run. */
static uint64_t sim_fabric_run(unsigned int *nodes)
{
	struct net n;
	struct found *found = calloc(64, sizeof(*found));
	uint8_t mad[256];
	uint64_t sum;

	net_open(&n, "fat-tree:4,5,2");
	*nodes = discover(&n, "h1-1", found, 64);
	bring_up(&n, "h1-1", found, *nodes);
	gmp(mad);
	/* all at once, from everywhere to everywhere */
	for (uint32_t i = 0; i < n.t->nnodes; i++)
		for (unsigned int j = 1; j <= *nodes; j++)
			fabric_send(n.f, i, n.t->nodes[i].type != TOPOLOGY_SWITCH, GMP_TO(j), mad, 256,
				    n.now);
	net_run(&n);
	is_u64(n.arrived, (uint64_t)*nodes * *nodes, "each reaches each");
	is_u64(n.dropped, 0, "... and nothing is lost");
	sum = n.sum;
	net_close(&n);
	free(found);
	return sum;
}

static void sim_fabric_again(void)
{
	unsigned int nodes;
	uint64_t first = sim_fabric_run(&nodes);

	is_u64(nodes, 26, "a fat tree of 26 nodes");
	is_u64(sim_fabric_run(&nodes), first, "the same calls give the same run, byte for byte");
}

/* Packets that were sent at the same time arrive in the order in which they were sent. */
static void sim_fabric_in_order(void)
{
	struct net n;
	struct found found[16];
	uint8_t mad[256];

	net_open(&n, LINE_NET);
	bring_up(&n, "h1", found, discover(&n, "h1", found, 16));
	gmp(mad);
	n.disorder = 0;
	n.tid = 0;
	for (unsigned int i = 1; i <= 100; i++) {
		put_be64(mad + 8, i);
		fabric_send(n.f, net_node(&n, "h1"), 1, GMP_TO(lid_of(&n, found, "h2")), mad, 256, n.now);
	}
	net_run(&n);
	is_u64(n.arrived, 100, "a hundred at once");
	is_u64(n.disorder, 0, "... arrive in order");
	net_close(&n);
}

/* A switch passes no GMP out of a port that is not active, and takes none in where the
 * port is not armed. */
static void armed(void)
{
	struct net n;
	struct found found[16];
	uint8_t mad[256];
	unsigned int h2;

	net_open(&n, LINE_NET);
	bring_up(&n, "h1", found, discover(&n, "h1", found, 16));
	h2 = lid_of(&n, found, "h2");
	gmp(mad);
	/* the link between A and B goes down, and comes up in Initialize */
	port_set(&n, "h1", "0,1", 3, IB_PORT_STATE_F, 1);
	port_set(&n, "h1", "0,1", 3, IB_PORT_STATE_F, 3);
	net_send(&n, "h1", NULL, GMP_TO(h2), mad);
	ok(n.why == DROP_PORT_STATE && n.drop_node == net_node(&n, "A"), "A is armed, and sends none");
	port_set(&n, "h1", "0,1", 3, IB_PORT_STATE_F, 4);
	net_send(&n, "h1", NULL, GMP_TO(h2), mad);
	ok(n.why == DROP_PORT_STATE && n.drop_node == net_node(&n, "B"),
	   "A is active; B, in Initialize, takes none");
	port_set(&n, "h1", "0,1,3", 2, IB_PORT_STATE_F, 3);
	net_send(&n, "h1", NULL, GMP_TO(h2), mad);
	is_u64(n.arrived, 1, "B is armed, and takes it");
	net_close(&n);
}

/* A cable that is pulled while a packet is in it. */
static void pulled(void)
{
	struct net n;
	uint8_t mad[256];
	struct madkit_addr addr = { .direct = true, .hops = 2, .path = { 0, 1, 3 } };

	net_open(&n, LINE_NET);
	smp(mad, 1, 0x11, 0);
	mad[1] = 0x81;
	madkit_smp_put_route(mad, &addr, 0);
	fabric_send(n.f, net_node(&n, "h1"), 1, &(struct fabric_head){ .dlid = 0xffff }, mad, 256, 0);
	is_u64(fabric_deadline(n.f), 0, "it is due at once");
	fabric_process(n.f, HOP_NS);
	is_u64(fabric_deadline(n.f), 2 * HOP_NS, "... and then between A and B");
	fabric_cable(n.f, net_node(&n, "A"), 3, false);
	net_run(&n);
	ok(!n.arrived && n.why == DROP_LINK_DOWN && n.drop_node == net_node(&n, "B"),
	   "what is in a cable that is pulled is lost");
	is_str(fabric_drop_name(n.why), "link down", "... and its name says so");
	net_close(&n);
}

int main(void)
{
	directed();
	hops();
	sim_fabric_by_lid();
	sim_fabric_partitions();
	sim_fabric_lanes();
	sim_fabric_combined();
	sim_fabric_multicast();
	circle();
	sim_fabric_flood();
	sim_fabric_again();
	sim_fabric_in_order();
	armed();
	pulled();
	return tap_done();
}
