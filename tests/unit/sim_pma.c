/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters of traffic, and the agent that returns and clears them. The expected values were counted by
 * hand: a MAD is 288 octets from LRH to ICRC, 72 units. */
#include "sim/fabric/pma.h"
#include "tests/unit/sim_net.h"
#include "tests/unit/sim_sm.h"
#include "util/array_size.h"

static struct found found[16];

static void sim_pma_set_up(struct net *n)
{
	unsigned int count;

	net_open(n, LINE_NET);
	count = discover(n, "h1", found, 16);
	ok(count == 5 && bring_up(n, "h1", found, count), "a subnet is up");
}

/* A request of PerfMgt from h1: the status, or -1. */
static int sim_pma_ask(struct net *n, const char *to, unsigned int method, unsigned int attribute,
		       unsigned int port, unsigned int select, unsigned int select2)
{
	uint8_t mad[256];

	smp(mad, method, attribute, 0);
	mad[1] = 4;
	mad_set_field(mad + 64, 0, IB_PC_PORT_SELECT_F, port);
	mad_set_field(mad + 64, 0, IB_PC_COUNTER_SELECT_F, select);
	if (attribute == 0x1d)
		mad_set_field(mad + 64, 0, IB_PC_EXT_COUNTER_SELECT2_F, select2);
	else
		mad_set_field(mad + 64, 0, IB_PC_COUNTER_SELECT2_F, select2);
	net_send(n, "h1", NULL, GMP_TO(lid_of(n, found, to)), mad);
	return n->arrived == 1 && n->mad[3] == 0x81 ? get_be16(n->mad + 4) : -1;
}

static uint64_t sim_pma_value(const struct net *n, enum MAD_FIELDS field)
{
	return mad_get_field((void *)(n->mad + 64), 0, field);
}

static uint64_t wide(const struct net *n, enum MAD_FIELDS field)
{
	return mad_get_field64((void *)(n->mad + 64), 0, field);
}

/* All that there is of the node, in both attributes. */
static void clear(struct net *n, const char *node, unsigned int port)
{
	sim_pma_ask(n, node, 2, 0x12, port, 0xffff, 0xff);
	sim_pma_ask(n, node, 2, 0x1d, port, 0xffff, 0xffffffff);
}

static void about(void)
{
	struct net n;

	sim_pma_set_up(&n);
	is_int(sim_pma_ask(&n, "B", 1, 1, 0, 0, 0), 0, "ClassPortInfo of a switch");
	is_u64(sim_pma_value(&n, IB_CPI_CAPMASK_F), 0x9300,
	       "all ports, extended widths, PortXmitWait, QP1Dropped");
	is_u64(sim_pma_value(&n, IB_CPI_BASEVER_F), 1, "base version");
	is_u64(sim_pma_value(&n, IB_CPI_CLASSVER_F), 1, "class version");
	is_u64(get_be32(n.mad + 68) >> 5, 2, "PortCountersExtended has the errors too");
	is_int(sim_pma_ask(&n, "h2", 1, 1, 0, 0, 0), 0, "... of an adapter");
	is_u64(sim_pma_value(&n, IB_CPI_CAPMASK_F), 0x9200, "has no port 255");
	uint8_t mad[256], gid[16] = { 0xfe, 0x80, [15] = 7 };
	struct fabric_head head = *GMP_TO(lid_of(&n, found, "h2"));

	smp(mad, 1, 1, 0);
	mad[1] = 4;
	mad[2] = 2;
	net_send(&n, "h1", NULL, &head, mad);
	is_u64(get_be16(n.mad + 4), 0x04, "a class version of 2");
	head.grh = true;
	memcpy(head.sgid, gid, 16);
	net_send(&n, "h1", NULL, &head, mad);
	ok(n.head.grh, "what came with a GRH is answered with one");
	is_mem(n.head.dgid, gid, 16, "... to where it came from");
	is_u64(n.head.hop_limit, 255, "... with a hop limit of 255");
	is_int(sim_pma_ask(&n, "B", 2, 1, 0, 0, 0), 0x0c, "Set of ClassPortInfo");
	is_int(sim_pma_ask(&n, "B", 1, 0x77, 1, 0, 0), 0x0c, "an unknown attribute");
	is_int(sim_pma_ask(&n, "B", 3 + 0x10, 0x12, 1, 0, 0), 0x08, "an unknown method");
	is_int(sim_pma_ask(&n, "B", 1, 0x12, 21, 0, 0), 0x1c, "a port beyond the number");
	is_int(sim_pma_ask(&n, "h2", 1, 0x12, 2, 0, 0), 0x1c, "an adapter's other port");
	is_int(sim_pma_ask(&n, "h2", 1, 0x12, 255, 0, 0), 0x1c, "all of an adapter's ports");
	is_int(sim_pma_ask(&n, "h2", 1, 0x12, 1, 0, 0), 0, "its own");
	is_int(sim_pma_ask(&n, "B", 1, 0x12, 0, 0, 0), 0, "a switch's port 0");
	net_close(&n);
}

static void traffic(void)
{
	struct net n;
	uint8_t mad[256];

	sim_pma_set_up(&n);
	clear(&n, "h2", 1);
	/* clearing the second of the two was counted by the first: clear it once more */
	sim_pma_ask(&n, "h2", 2, 0x12, 1, 0xffff, 0xff);
	is_u64(sim_pma_value(&n, IB_PC_RCV_PKTS_F), 0, "cleared");
	gmp(mad);
	for (int i = 0; i < 10; i++)
		net_send(&n, "h1", NULL, GMP_TO(lid_of(&n, found, "h2")), mad);
	sim_pma_ask(&n, "h2", 1, 0x12, 1, 0, 0);
	/* the response to the clearing went out; the question came in */
	is_u64(sim_pma_value(&n, IB_PC_RCV_PKTS_F), 11, "PortCounters: ten packets and the question");
	is_u64(sim_pma_value(&n, IB_PC_RCV_BYTES_F), 11 * 72, "... of 72 units");
	is_u64(sim_pma_value(&n, IB_PC_XMT_PKTS_F), 1, "the answer to the clearing");
	is_u64(sim_pma_value(&n, IB_PC_XMT_BYTES_F), 72, "... of 72 units");
	sim_pma_ask(&n, "h2", 1, 0x1d, 1, 0, 0);
	is_u64(wide(&n, IB_PC_EXT_RCV_PKTS_F), 13, "extended: two more questions and the clearing");
	is_u64(wide(&n, IB_PC_EXT_RCV_BYTES_F), 13 * 72, "... of 72 units");
	is_u64(wide(&n, IB_PC_EXT_RCV_UPKTS_F), 13, "... all unicast");
	is_u64(wide(&n, IB_PC_EXT_RCV_MPKTS_F), 0, "... none multicast");

	/* each attribute is cleared separately, and only in the selected counters */
	sim_pma_ask(&n, "h2", 2, 0x12, 1, 1 << 13, 0);
	is_u64(sim_pma_value(&n, IB_PC_RCV_BYTES_F), 0, "PortRcvData is cleared");
	is_u64(sim_pma_value(&n, IB_PC_RCV_PKTS_F), 13, "... PortRcvPkts is not");
	sim_pma_ask(&n, "h2", 2, 0x1d, 1, 1 << 5, 0);
	is_u64(wide(&n, IB_PC_EXT_RCV_UPKTS_F), 0, "PortUnicastRcvPkts is cleared");
	is_u64(wide(&n, IB_PC_EXT_RCV_PKTS_F), 15, "... PortRcvPkts is not");
	is_u64(wide(&n, IB_PC_EXT_RCV_BYTES_F), 15 * 72, "... nor is what was in the other");

	/* traffic that a port counts is also counted at the other end: in both directions, on A and B */
	clear(&n, "A", 3);
	clear(&n, "B", 2);
	uint64_t sent, came;

	sim_pma_ask(&n, "A", 1, 0x1d, 3, 0, 0);
	sent = wide(&n, IB_PC_EXT_XMT_PKTS_F);
	sim_pma_ask(&n, "B", 1, 0x1d, 2, 0, 0);
	came = wide(&n, IB_PC_EXT_RCV_PKTS_F);
	/* B was cleared by the second of two requests that A had passed on by then */
	is_u64(came + 2, sent + 1, "what A's port 3 sent has come to B's port 2");

	/* a GRH is 40 octets */
	struct fabric_head head = *GMP_TO(lid_of(&n, found, "h2"));

	sim_pma_ask(&n, "h2", 2, 0x12, 1, 0xffff, 0);
	head.grh = true;
	net_send(&n, "h1", NULL, &head, mad);
	sim_pma_ask(&n, "h2", 1, 0x12, 1, 0, 0);
	is_u64(sim_pma_value(&n, IB_PC_RCV_BYTES_F), 72 + 82, "a packet with a GRH has 82 units");

	/* all of a switch's ports at once */
	sim_pma_ask(&n, "A", 2, 0x12, 255, 0xffff, 0);
	net_send(&n, "h1", NULL, GMP_TO(lid_of(&n, found, "h3")), mad);
	sim_pma_ask(&n, "A", 1, 0x12, 255, 0, 0);
	is_u64(sim_pma_value(&n, IB_PC_RCV_PKTS_F), 2, "A: one passed on, one asked");
	is_u64(sim_pma_value(&n, IB_PC_XMT_PKTS_F), 2, "... and the answer to the clearing");
	net_close(&n);
}

static void sim_pma_errors(void)
{
	struct net n;
	uint8_t mad[256];
	uint32_t a;

	sim_pma_set_up(&n);
	a = net_node(&n, "A");
	clear(&n, "A", 255);
	gmp(mad);
	for (int i = 0; i < 3; i++)
		net_send(&n, "h1", NULL, GMP_TO(77), mad);
	sim_pma_ask(&n, "A", 1, 0x12, 1, 0, 0);
	is_u64(sim_pma_value(&n, IB_PC_ERR_SWITCH_REL_F), 3,
	       "LIDs without a route: PortRcvSwitchRelayErrors");
	net_get(&n, "h1", "0,1,5", 0x11, 0);
	sim_pma_ask(&n, "A", 1, 0x12, 5, 0, 0);
	is_u64(sim_pma_value(&n, IB_PC_XMT_DISCARDS_F), 1, "out of a port that is down: PortXmitDiscards");
	fabric_cable(n.f, a, 2, false);
	sim_pma_ask(&n, "A", 1, 0x1d, 2, 0, 0);
	is_u64(wide(&n, IB_PC_EXT_LINK_DOWNED_F), 1, "a cable is pulled: LinkDownedCounter");
	fabric_cable(n.f, a, 2, true);
	net_send(&n, "h1", NULL, GMP_TO(lid_of(&n, found, "h3")), mad);
	is_u64(n.why, DROP_PORT_STATE, "a port that is up but not active passes no GMP");
	sim_pma_ask(&n, "A", 1, 0x12, 2, 0, 0);
	is_u64(sim_pma_value(&n, IB_PC_XMT_DISCARDS_F), 1, "... PortXmitDiscards");
	is_u64(sim_pma_value(&n, IB_PC_LINK_DOWNED_F), 1, "... and the link has been down once");
	is_int(port_set(&n, "h1", "0,1", 2, IB_PORT_PHYS_STATE_F, 3), 0, "the port is disabled");
	sim_pma_ask(&n, "A", 1, 0x12, 2, 0, 0);
	is_u64(sim_pma_value(&n, IB_PC_LINK_DOWNED_F), 1, "... as it was told to: it does not count");
	is_u64(node_port(n.f, &n.f->nodes[net_node(&n, "h3")], 1)->counts[PMA_LINK_DOWNED], 2,
	       "... its peer has lost the link again");
	net_close(&n);
}

/* Every counter: libibmad finds it, it stops at all ones, and only its bit clears it. */
static void sim_pma_each(void)
{
	static const struct {
		enum pma_counter which;
		const char *name;
		enum MAD_FIELDS field, extended;
		unsigned int width;
	} rows[] = {
		{ PMA_SYMBOL_ERROR, "SymbolErrorCounter", IB_PC_ERR_SYM_F, IB_PC_EXT_ERR_SYM_F, 16 },
		{ PMA_LINK_RECOVERY, "LinkErrorRecoveryCounter", IB_PC_LINK_RECOVERS_F,
		  IB_PC_EXT_LINK_RECOVERS_F, 8 },
		{ PMA_LINK_DOWNED, "LinkDownedCounter", IB_PC_LINK_DOWNED_F, IB_PC_EXT_LINK_DOWNED_F, 8 },
		{ PMA_RCV_ERRORS, "PortRcvErrors", IB_PC_ERR_RCV_F, IB_PC_EXT_ERR_RCV_F, 16 },
		{ PMA_REMOTE_PHYSICAL, "PortRcvRemotePhysicalErrors", IB_PC_ERR_PHYSRCV_F,
		  IB_PC_EXT_ERR_PHYSRCV_F, 16 },
		{ PMA_RELAY_ERRORS, "PortRcvSwitchRelayErrors", IB_PC_ERR_SWITCH_REL_F,
		  IB_PC_EXT_ERR_SWITCH_REL_F, 16 },
		{ PMA_XMIT_DISCARDS, "PortXmitDiscards", IB_PC_XMT_DISCARDS_F, IB_PC_EXT_XMT_DISCARDS_F, 16 },
		{ PMA_XMIT_CONSTRAINT, "PortXmitConstraintErrors", IB_PC_ERR_XMTCONSTR_F,
		  IB_PC_EXT_ERR_XMTCONSTR_F, 8 },
		{ PMA_RCV_CONSTRAINT, "PortRcvConstraintErrors", IB_PC_ERR_RCVCONSTR_F,
		  IB_PC_EXT_ERR_RCVCONSTR_F, 8 },
		{ PMA_LOCAL_INTEGRITY, "LocalLinkIntegrityErrors", IB_PC_ERR_LOCALINTEG_F,
		  IB_PC_EXT_ERR_LOCALINTEG_F, 4 },
		{ PMA_OVERRUN, "ExcessiveBufferOverrunErrors", IB_PC_ERR_EXCESS_OVR_F,
		  IB_PC_EXT_ERR_EXCESS_OVR_F, 4 },
		{ PMA_VL15_DROPPED, "VL15Dropped", IB_PC_VL15_DROPPED_F, IB_PC_EXT_VL15_DROPPED_F, 16 },
		{ PMA_XMIT_DATA, "PortXmitData", IB_PC_XMT_BYTES_F, IB_PC_EXT_XMT_BYTES_F, 32 },
		{ PMA_RCV_DATA, "PortRcvData", IB_PC_RCV_BYTES_F, IB_PC_EXT_RCV_BYTES_F, 32 },
		{ PMA_XMIT_PKTS, "PortXmitPkts", IB_PC_XMT_PKTS_F, IB_PC_EXT_XMT_PKTS_F, 32 },
		{ PMA_RCV_PKTS, "PortRcvPkts", IB_PC_RCV_PKTS_F, IB_PC_EXT_RCV_PKTS_F, 32 },
		{ PMA_XMIT_WAIT, "PortXmitWait", IB_PC_XMT_WAIT_F, IB_PC_EXT_XMT_WAIT_F, 32 },
	};
	enum { QUIET = 7 }; /* a port without a cable: nothing but this counts there */
	struct net n;
	struct port *port;
	unsigned int odd = 0;

	sim_pma_set_up(&n);
	port = node_port(n.f, &n.f->nodes[net_node(&n, "A")], QUIET);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		unsigned int w = rows[i].width, bit = (unsigned int)i;

		sim_pma_ask(&n, "A", 2, 0x12, QUIET, 0xffff, 0xff);
		sim_pma_ask(&n, "A", 2, 0x1d, QUIET, 0xffff, 0xffffffff);
		pma_count(port, rows[i].which, (UINT64_C(1) << w) - 2);
		sim_pma_ask(&n, "A", 1, 0x12, QUIET, 0, 0);
		odd += sim_pma_value(&n, rows[i].field) != (UINT64_C(1) << w) - 2;
		pma_count(port, rows[i].which, 5);
		sim_pma_ask(&n, "A", 1, 0x12, QUIET, 0, 0);
		is_u64(sim_pma_value(&n, rows[i].field), (UINT64_C(1) << w) - 1,
		       "counter %zu of %u bits stops at all ones", i, w);
		sim_pma_ask(&n, "A", 1, 0x1d, QUIET, 0, 0);
		odd += wide(&n, rows[i].extended) != (UINT64_C(1) << w) + 3;
		pma_set(n.f, port, rows[i].name, UINT64_MAX - 1);
		pma_count(port, rows[i].which, 5);
		sim_pma_ask(&n, "A", 1, 0x1d, QUIET, 0, 0);
		odd += wide(&n, rows[i].extended) != UINT64_MAX;
		/* its bit: CounterSelect has them in the order of the fields */
		sim_pma_ask(&n, "A", 2, 0x12, QUIET, bit < 16 ? 0xffff & ~(1u << bit) : 0xffff,
			    bit < 16 ? 3 : 3 & ~(1u << (bit - 16)));
		odd += sim_pma_value(&n, rows[i].field) != (UINT64_C(1) << w) - 1;
		sim_pma_ask(&n, "A", 2, 0x12, QUIET, bit < 16 ? 1u << bit : 0,
			    bit < 16 ? 0 : 1u << (bit - 16));
		odd += sim_pma_value(&n, rows[i].field) != 0;
		sim_pma_ask(&n, "A", 1, 0x1d, QUIET, 0, 0);
		odd += wide(&n, rows[i].extended) != UINT64_MAX;
	}
	is_u64(odd, 0, "each is told, kept and cleared as it should be");
	/* libibmad reads it where VL15Dropped is; the kernel's ib_pma.h has nothing else in these two bytes */
	pma_set(n.f, port, "QP1Dropped", 0x1234);
	sim_pma_ask(&n, "A", 2, 0x12, QUIET, 0xffff, 1);
	is_u64(get_be16(n.mad + 64 + 20), 0x1234, "QP1Dropped");
	sim_pma_ask(&n, "A", 2, 0x12, QUIET, 0, 2);
	is_u64(get_be16(n.mad + 64 + 20), 0, "... has the second bit of CounterSelect2");
	sim_pma_ask(&n, "A", 1, 0x1d, QUIET, 0, 0);
	is_u64(wide(&n, IB_PC_EXT_QP1_DROP_F), 0x1234, "... and is in PortCountersExtended");
	net_close(&n);
}

/* IBA 10.9.3: two limited members of a partition cannot communicate, so the response has the key of the responder. */
static void sim_pma_partitions(void)
{
	static const struct {
		uint16_t asks, answers[2],
			told; /* P_Keys: of the request, of the responder; of the response, 0: none */
	} cases[] = {
		{ 0xffff, { 0xffff }, 0xffff },         { 0x7fff, { 0xffff }, 0xffff },
		{ 0xffff, { 0x7fff }, 0x7fff },         { 0x7fff, { 0x7fff }, 0 },
		{ 0x7fff, { 0x7fff, 0xffff }, 0xffff }, { 0xffff, { 0x7fff, 0xffff }, 0xffff },
		{ 0x8123, { 0xffff, 0x0123 }, 0x0123 }, { 0x8123, { 0xffff }, 0 },
	};
	struct net n;
	uint8_t mad[256], table[64];

	sim_pma_set_up(&n);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fabric_head head = *GMP_TO(lid_of(&n, found, "h2"));

		memset(table, 0, sizeof(table));
		put_be16(table, cases[i].answers[0]);
		put_be16(table + 2, cases[i].answers[1]);
		is_int(net_set(&n, "h1", "0,1,3,1", 0x16, 0, table), 0, "P_Keys 0x%04x 0x%04x",
		       cases[i].answers[0], cases[i].answers[1]);
		memset(table + 2, 0, 2);
		put_be16(table, 0xffff);
		put_be16(table + 2, 0x8123);
		net_set(&n, "h1", "0", 0x16, 0, table);
		smp(mad, 1, 0x12, 0);
		mad[1] = 4;
		mad_set_field(mad + 64, 0, IB_PC_PORT_SELECT_F, 1);
		head.pkey = cases[i].asks;
		net_send(&n, "h1", NULL, &head, mad);
		is_u64(n.arrived, !!cases[i].told, "... a request with 0x%04x", cases[i].asks);
		is_u64(n.arrived ? n.head.pkey : 0, cases[i].told, "... the P_Key of its response");
	}
	net_close(&n);
}

/* Each optional attribute: where libibmad looks for its counters, one by one. */
static void sim_pma_attributes(void)
{
	static const struct {
		unsigned int attribute;
		const char *name; /* %u: the number of the element */
		enum MAD_FIELDS first;
		unsigned int count, width;
		const char *node;
	} rows[] = {
		{ 0x15, "PortLocalPhysicalErrors", IB_PC_RCV_LOCAL_PHY_ERR_F, 1, 16, "A" },
		{ 0x15, "PortMalformedPktErrors", IB_PC_RCV_MALFORMED_PKT_ERR_F, 1, 16, "A" },
		{ 0x15, "PortBufferOverrunErrors", IB_PC_RCV_BUF_OVR_ERR_F, 1, 16, "A" },
		{ 0x15, "PortDLIDMappingErrors", IB_PC_RCV_DLID_MAP_ERR_F, 1, 16, "A" },
		{ 0x15, "PortVLMappingErrors", IB_PC_RCV_VL_MAP_ERR_F, 1, 16, "A" },
		{ 0x15, "PortLoopingErrors", IB_PC_RCV_LOOPING_ERR_F, 1, 16, "A" },
		{ 0x16, "PortInactiveDiscards", IB_PC_XMT_INACT_DISC_F, 1, 16, "A" },
		{ 0x16, "PortNeighborMTUDiscards", IB_PC_XMT_NEIGH_MTU_DISC_F, 1, 16, "A" },
		{ 0x16, "PortSwLifetimeLimitDiscards", IB_PC_XMT_SW_LIFE_DISC_F, 1, 16, "A" },
		{ 0x16, "PortSwHOQLifetimeLimitDiscards", IB_PC_XMT_SW_HOL_DISC_F, 1, 16, "A" },
		{ 0x17, "PortOpRcvPkts", IB_PC_PORT_OP_RCV_PKTS_F, 1, 32, "A" },
		{ 0x17, "PortOpRcvData", IB_PC_PORT_OP_RCV_DATA_F, 1, 32, "A" },
		{ 0x18, "PortXmitFlowPkts", IB_PC_PORT_XMIT_FLOW_PKTS_F, 1, 32, "A" },
		{ 0x18, "PortRcvFlowPkts", IB_PC_PORT_RCV_FLOW_PKTS_F, 1, 32, "A" },
		{ 0x19, "PortVLOpPackets%u", IB_PC_PORT_VL_OP_PACKETS0_F, 16, 16, "A" },
		{ 0x1a, "PortVLOpData%u", IB_PC_PORT_VL_OP_DATA0_F, 16, 32, "A" },
		{ 0x1b, "PortVLXmitFlowCtlUpdateErrors%u", IB_PC_PORT_VL_XMIT_FLOW_CTL_UPDATE_ERRORS0_F, 16,
		  2, "A" },
		{ 0x1c, "PortVLXmitWait%u", IB_PC_PORT_VL_XMIT_WAIT0_F, 16, 16, "A" },
		{ 0x30, "SWPortVLCongestion%u", IB_PC_SW_PORT_VL_CONGESTION0_F, 16, 16, "A" },
		{ 0x31, "PortPktRcvFECN", IB_PC_RCV_CON_CTRL_PKT_RCV_FECN_F, 1, 32, "A" },
		{ 0x31, "PortPktRcvBECN", IB_PC_RCV_CON_CTRL_PKT_RCV_BECN_F, 1, 32, "A" },
		{ 0x32, "PortSLRcvFECN%u", IB_PC_SL_RCV_FECN0_F, 16, 32, "A" },
		{ 0x33, "PortSLRcvBECN%u", IB_PC_SL_RCV_BECN0_F, 16, 32, "A" },
		{ 0x34, "PortXmitTimeCong", IB_PC_XMIT_CON_CTRL_TIME_CONG_F, 1, 32, "A" },
		{ 0x35, "PortVLXmitTimeCong%u", IB_PC_VL_XMIT_TIME_CONG0_F, 15, 32, "A" },
		{ 0x36, "XmtDataSL%u", IB_PC_XMT_DATA_SL0_F, 16, 32, "A" },
		{ 0x37, "RcvDataSL%u", IB_PC_RCV_DATA_SL0_F, 16, 32, "A" },
	};
	enum { QUIET = 7 };
	struct net n;
	struct port *port;

	sim_pma_set_up(&n);
	port = node_port(n.f, &n.f->nodes[net_node(&n, "A")], QUIET);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		unsigned int odd = 0, refused = 0;

		for (unsigned int e = 0; e < rows[i].count; e++) {
			uint64_t value = rows[i].width == 2 ? 1 + e % 2 : 100 + e;
			char name[64];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
			snprintf(name, sizeof(name), rows[i].name, e);
#pragma GCC diagnostic pop
			refused += pma_set(n.f, port, name, value) != 0;
			refused += pma_set(n.f, port, name, UINT64_C(1) << rows[i].width) != -ERANGE;
		}
		refused += sim_pma_ask(&n, "A", 1, rows[i].attribute, QUIET, 0, 0) != 0;
		for (unsigned int e = 0; e < rows[i].count; e++)
			odd += sim_pma_value(&n, rows[i].first + e) !=
			       (rows[i].width == 2 ? 1 + e % 2 : 100 + e);
		is_u64(refused, 0, "%s is set and read", rows[i].name);
		is_u64(odd, 0, "... in its places");
		/* bit e alone: in an attribute with several fields, all of them */
		refused = sim_pma_ask(&n, "A", 2, rows[i].attribute, QUIET, 0xfffe, 0) != 0;
		if (rows[i].count > 1)
			for (unsigned int e = 0; e < rows[i].count; e++)
				refused += (sim_pma_value(&n, rows[i].first + e) != 0) != (e == 0);
		refused += sim_pma_ask(&n, "A", 2, rows[i].attribute, QUIET, 0xffff, 0) != 0;
		for (unsigned int e = 0; e < rows[i].count; e++)
			refused += sim_pma_value(&n, rows[i].first + e) != 0;
		is_u64(refused, 0, "... and reset by its bits");
	}
	is_int(sim_pma_ask(&n, "h2", 1, 0x30, 1, 0, 0), 0x0c, "SwPortVLCongestion of an adapter");
	is_int(sim_pma_ask(&n, "h3", 1, 0x1f, 1, 0, 0), 0x0c, "PortExtendedSpeedsCounters of a slow port");
	is_int(sim_pma_ask(&n, "A", 1, 0x1f, 1, 0, 0), 0, "... of one that is fast");
	is_int(pma_set(n.f, port, "XmtDataSL", 1), -ENOENT, "an array without a number");
	is_int(pma_set(n.f, port, "XmtDataSL16", 1), -ENOENT, "... and one too many");
	is_int(pma_set(n.f, port, "PortSelect", 1), -ENOENT, "what is no counter");
	net_close(&n);
}

/* The counters that packets increment. */
static void sim_pma_details(void)
{
	struct net n;
	struct fabric_head head;
	uint8_t mad[256];

	sim_pma_set_up(&n);
	gmp(mad);
	head = *GMP_TO(lid_of(&n, found, "h3"));
	head.sl = 5;
	net_send(&n, "h1", NULL, &head, mad);
	sim_pma_ask(&n, "A", 1, 0x36, 2, 0, 0);
	is_u64(sim_pma_value(&n, IB_PC_XMT_DATA_SL5_F), 72, "a packet of SL 5: XmtDataSL5");
	sim_pma_ask(&n, "A", 1, 0x37, 1, 0, 0);
	is_u64(sim_pma_value(&n, IB_PC_RCV_DATA_SL5_F), 72, "... RcvDataSL5");
	is_u64(sim_pma_value(&n, IB_PC_RCV_DATA_SL0_F),
	       (node_port(n.f, &n.f->nodes[net_node(&n, "A")], 1)->counts[PMA_RCV_DATA]) - 72,
	       "... and all others in RcvDataSL0");
	head.dlid = 77;
	net_send(&n, "h1", NULL, &head, mad);
	sim_pma_ask(&n, "A", 1, 0x15, 1, 0, 0);
	is_u64(sim_pma_value(&n, IB_PC_RCV_DLID_MAP_ERR_F), 1,
	       "a LID without a route: PortDLIDMappingErrors");
	sim_pma_ask(&n, "A", 2, 0x16, 5, 0xffff, 0);
	net_get(&n, "h1", "0,1,5", 0x11, 0);
	sim_pma_ask(&n, "A", 1, 0x16, 5, 0, 0);
	is_u64(sim_pma_value(&n, IB_PC_XMT_INACT_DISC_F), 1,
	       "out of a port that is down: PortInactiveDiscards");
	net_close(&n);
}

static unsigned int sim_pma_samples_status(struct net *n, struct port *end, unsigned int attribute)
{
	smp(n->mad, 1, attribute, 0);
	n->mad[1] = 4;
	mad_set_field(n->mad + 64, 0, IB_PC_PORT_SELECT_F, 1);
	if (!pma_handle(n->f, end, n->mad) || get_be16(n->mad + 4))
		ok(false, "attribute 0x%x", attribute);
	return (unsigned int)(attribute == 0x10 ? sim_pma_value(n, IB_PSC_SAMPLE_STATUS_F) :
						  get_be16(n->mad + 66) & 3);
}

/* Ticks are of 4 ns: 400 ns after the Set, 4 us long. */
static void sim_pma_samples(void)
{
	static const uint64_t kb_per_s = 80000000; /* a packet of 1000 octets in 100 ns */
	struct net n;
	struct port *a, *end;
	uint64_t begin;

	sim_pma_set_up(&n);
	a = node_port(n.f, &n.f->nodes[net_node(&n, "A")], 0);
	end = a;
	is_u64(sim_pma_samples_status(&n, end, 0x10), 0, "no sample was taken yet");
	is_u64(sim_pma_value(&n, IB_PSC_COUNTER_WIDTH_F), 4, "counters of 32 bits");
	is_u64(sim_pma_value(&n, IB_PSC_COUNTER_MASK0_F), 1, "... which count what each has to count");
	is_u64(get_be64(n.mad + 64 + 12), UINT64_C(0x01ff000010ffffc0), "OptionMask: what there is");
	is_int(fabric_traffic(n.f, net_node(&n, "A"), 1,
			      &(struct fabric_traffic){ .rate = kb_per_s * 1000, .bytes = 1000 }),
	       0, "traffic out of A");
	begin = n.f->now;
	smp(n.mad, 2, 0x10, 0);
	n.mad[1] = 4;
	mad_set_field(n.mad + 64, 0, IB_PSC_PORT_SELECT_F, 1);
	mad_set_field(n.mad + 64, 0, IB_PSC_SAMPLE_START_F, 100);
	mad_set_field(n.mad + 64, 0, IB_PSC_SAMPLE_INTVL_F, 1000);
	mad_set_field(n.mad + 64, 0, IB_PSC_TAG_F, 0xbeef);
	for (unsigned int i = 0; i < 5; i++)
		mad_set_field(n.mad + 64, 0, IB_PSC_COUNTER_SEL0_F + i, i + 1);
	ok(pma_handle(n.f, end, n.mad) && !get_be16(n.mad + 4), "a sample is asked for");
	is_u64(sim_pma_value(&n, IB_PSC_SAMPLE_STATUS_F), 1, "... and has not begun");
	fabric_process(n.f, begin + 399);
	is_u64(sim_pma_samples_status(&n, end, 0x11), 1, "... nor in 399 ns");
	is_u64(get_be16(n.mad + 64), 0xbeef, "... with its tag");
	fabric_process(n.f, begin + 400);
	is_u64(sim_pma_samples_status(&n, end, 0x10), 2, "it runs");
	is_u64(sim_pma_value(&n, IB_PSC_SAMPLE_INTVL_F), 1000, "... as long as it was asked for");
	mad_set_field(n.mad + 64, 0, IB_PSC_TAG_F, 0xdead);
	n.mad[3] = 2;
	pma_handle(n.f, end, n.mad);
	is_u64(sim_pma_value(&n, IB_PSC_TAG_F), 0xbeef, "another one does not begin meanwhile");
	is_u64(sim_pma_samples_status(&n, end, 0x11), 2, "it runs");
	is_u64(get_be32(n.mad + 64 + 4), 0, "... and tells nothing yet");
	fabric_process(n.f, begin + 4400);
	is_u64(sim_pma_samples_status(&n, end, 0x11), 0, "it is done");
	is_u64(get_be32(n.mad + 64 + 4), 40 * 250, "... with PortXmitData of 4 us");
	is_u64(get_be32(n.mad + 64 + 4 + 2 * 4), 40, "... and PortXmitPkts");
	is_u64(get_be32(n.mad + 64 + 4 + 3 * 4), 0, "... and no PortRcvPkts");
	is_u64(sim_pma_samples_status(&n, end, 0x1e), 0, "PortSamplesResultExtended");
	is_u64(get_be64(n.mad + 64 + 8), 40 * 250, "... has the same");
	is_u64(fabric_deadline(n.f), UINT64_MAX, "nothing is due afterwards");
	is_int(sim_pma_ask(&n, "A", 2, 0x11, 1, 0, 0), 0x0c, "a Set of the result");
	is_int(sim_pma_ask(&n, "A", 1, 0x10, 255, 0, 0), 0x1c, "all ports at once");
	is_int(sim_pma_ask(&n, "h3", 1, 0x10, 1, 0, 0), 0, "PortSamplesControl of an adapter");
	is_u64(get_be64(n.mad + 64 + 12), UINT64_C(0x01fe000000ffffc0), "... of a slow one");
	net_close(&n);
}

int main(void)
{
	sim_pma_samples();
	sim_pma_attributes();
	sim_pma_details();
	about();
	traffic();
	sim_pma_errors();
	sim_pma_each();
	sim_pma_partitions();
	return tap_done();
}
