/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Injected faults: rules, their words, unplugged nodes, counters that were set. */
#include "sim/fabric/fault.h"
#include "sim/fabric/pma.h"
#include "tests/unit/sim_net.h"
#include "topology/find.h"
#include "util/array_size.h"
#include "util/bits.h"

static struct {
	unsigned int count;
	uint32_t node, rule;
	unsigned int port;
	const char *what;
} seen;

static void sim_fault_event(void *context, const struct sim_event *event)
{
	net_event(context, event);
	if (event->kind != EVENT_FAULT)
		return;
	net_see(context, event->name, strlen(event->name));
	net_see(context, event->mad, MADKIT_MAD_BYTES);
	seen.count++;
	seen.node = event->node;
	seen.port = event->port;
	seen.what = event->name;
	seen.rule = (uint32_t)event->count;
}

static struct faults *open_net(struct net *n, uint64_t seed)
{
	struct faults *faults;

	net_open(n, LINE_NET);
	n->f->options.watcher.event = sim_fault_event;
	seen.count = 0;
	faults = faults_new(n->f, seed);
	if (!faults)
		exit(1);
	return faults;
}

static uint32_t sim_fault_add(const struct net *n, struct faults *faults, const char *words)
{
	struct fault_rule rule;
	uint32_t id = 0;

	is_int(fault_parse(n->t, words, &rule, NULL), 0, "%s", words);
	is_int(fault_add(faults, &rule, &id), 0, "... is a rule");
	return id;
}

/* Requests for NodeInfo from h1 along the route, all at once; how many answers came. */
static unsigned int sim_fault_burst(struct net *n, const char *route, unsigned int count)
{
	struct madkit_addr addr = { .direct = true };
	struct fabric_head head = { .dlid = 0xffff };
	uint8_t mad[256];

	smp(mad, 1, 0x11, 0);
	mad[1] = 0x81;
	madkit_parse_path(route, &addr, NULL);
	madkit_smp_put_route(mad, &addr, 0);
	n->disorder = 0;
	n->tid = 0;
	for (uint32_t i = 0; i < count; i++) {
		put_be32(mad + 12, i);
		fabric_send(n->f, net_node(n, "h1"), 1, &head, mad, 256, n->now);
	}
	net_run(n);
	return n->arrived;
}

static struct port *sim_fault_port_at(struct net *n, const char *node, unsigned int port)
{
	return node_port(n->f, &n->f->nodes[net_node(n, node)], port);
}

/* An attribute of PerfMgt, as returned by the agent of the node. */
static void sim_fault_ask(struct net *n, const char *node, unsigned int port, unsigned int attribute,
			  uint8_t mad[256])
{
	struct port *at = sim_fault_port_at(n, node, port);

	smp(mad, 1, attribute, 0);
	mad[1] = 4;
	mad_set_field(mad + 64, 0, IB_PC_PORT_SELECT_F, port);
	if (!pma_handle(n->f, at->end ? at : sim_fault_port_at(n, node, 0), mad) || get_be16(mad + 4))
		ok(false, "%s tells attribute 0x%x of port %u", node, attribute, port);
}

/* A counter as libibmad reads it. */
static uint64_t counter(struct net *n, const char *node, unsigned int port, enum MAD_FIELDS field)
{
	uint8_t mad[256];

	sim_fault_ask(n, node, port, 0x12, mad);
	return mad_get_field(mad + 64, 0, field);
}

static void dropped(void)
{
	struct net n;
	struct faults *faults = open_net(&n, 1);
	uint32_t id;

	ok(!n.f->faults, "without rules there is no hook");
	id = sim_fault_add(&n, faults, "drop node=A port=3 class=0x81 method=1 attribute=0x11 nth=2+2");
	ok(n.f->faults == faults, "with one there is");
	is_u64(sim_fault_burst(&n, "0,1,3", 5), 3, "two of five are lost");
	is_u64(n.dropped, 0, "... and no port knows of it");
	ok(seen.count == 2 && seen.node == net_node(&n, "A") && seen.port == 3 && seen.rule == id,
	   "... but the watcher");
	is_str(seen.what, "drop", "... what was done");
	is_u64(counter(&n, "A", 3, IB_PC_XMT_PKTS_F), 5, "A's port 3 has sent all of them");
	is_u64(counter(&n, "B", 2, IB_PC_RCV_PKTS_F), 3, "B's port 2 has received three");
	is_u64(fault_next(faults, 0)->matched, 5, "five matched");
	is_u64(fault_next(faults, 0)->done, 2, "... two were dropped");
	is_u64(sim_fault_burst(&n, "0,1,2", 5), 5, "over another port all go");
	is_int(net_get(&n, "h1", "0,1,3", 0x10, 0), 0, "another attribute goes, too");
	is_u64(fault_next(faults, 0)->matched, 5, "... none of these matched");
	is_int(fault_remove(faults, id), 0, "the rule is taken away");
	is_int(fault_remove(faults, id), -ENOENT, "... once");
	ok(!n.f->faults && !fault_next(faults, 0), "... and there is none");

	id = sim_fault_add(&n, faults, "drop method=0x81");
	is_u64(sim_fault_burst(&n, "0,1", 3), 0, "no answer comes through");
	fault_clear(faults);
	id = sim_fault_add(&n, faults, "drop class=1 nth=1+");
	is_u64(id, 3, "IDs are not given twice");
	is_u64(sim_fault_burst(&n, "0,1", 3), 0, "class 1: directed routes with it, from the first on, all");
	fault_clear(faults);
	sim_fault_add(&n, faults, "drop class=4");
	is_u64(sim_fault_burst(&n, "0,1", 3), 3, "of class 4 there are none");
	faults_free(faults);
	net_close(&n);
}

static void delayed(void)
{
	struct net n;
	struct faults *faults = open_net(&n, 1);
	uint64_t start;

	sim_fault_add(&n, faults, "delay nth=1 delay=0.005");
	sim_fault_burst(&n, "0,1", 1);
	is_u64(n.now, 5000 + 2 * HOP_NS + ANSWER_NS, "a delay at the first hop");
	sim_fault_add(&n, faults, "delay method=0x81 delay=0.0007");
	sim_fault_add(&n, faults, "delay method=0x81 delay=0.00007");
	start = n.now;
	sim_fault_burst(&n, "0,1", 1);
	is_u64(n.now - start, 770 + 2 * HOP_NS + ANSWER_NS, "two add up");
	fault_clear(faults);

	is_u64(sim_fault_burst(&n, "0,1", 50), 50, "fifty");
	is_u64(n.disorder, 0, "... in their order");
	sim_fault_add(&n, faults, "reorder method=1 delay=0.1");
	start = n.now;
	is_u64(sim_fault_burst(&n, "0,1", 50), 50, "reordered they are all there");
	is_between(n.disorder, 10, 40, "... and many behind one that was sent later");
	is_between(n.now - start, 80000, 100000 + 2 * HOP_NS + ANSWER_NS, "... none later than it may be");
	fault_clear(faults);

	sim_fault_add(&n, faults, "duplicate method=0x81");
	start = n.now;
	is_u64(sim_fault_burst(&n, "0,1", 10), 20, "each answer comes twice");
	is_u64(n.now - start, 2 * HOP_NS + ANSWER_NS, "... at once");
	fault_clear(faults);
	sim_fault_add(&n, faults, "duplicate method=1 nth=10 delay=0.0009");
	start = n.now;
	is_u64(sim_fault_burst(&n, "0,1", 10), 11, "a request that came twice is answered twice");
	is_u64(n.now - start, 900 + 2 * HOP_NS + ANSWER_NS, "... the second later");
	faults_free(faults);
	net_close(&n);
}

/* A directed route to and fro between A and B, doubled at every hop. */
static void sim_fault_flood(void)
{
	struct net n;
	struct faults *faults = open_net(&n, 1);
	struct madkit_addr addr = { .direct = true, .hops = 63 };
	uint8_t mad[256];
	size_t most = 0;

	sim_fault_add(&n, faults, "duplicate");
	addr.path[1] = 1;
	for (int i = 2; i < 64; i++)
		addr.path[i] = i % 2 ? 2 : 3;
	smp(mad, 1, 0x11, 0);
	mad[1] = 0x81;
	madkit_smp_put_route(mad, &addr, 0);
	fabric_send(n.f, net_node(&n, "h1"), 1, &(struct fabric_head){ .dlid = 0xffff }, mad, 256, n.now);
	for (int i = 0; i < 64; i++) {
		fabric_process(n.f, n.now += HOP_NS);
		most = n.f->queue.count > most ? n.f->queue.count : most;
	}
	is_between(most, 4096, 10000, "doubled at each hop, packets have their bounds");
	faults_free(faults);
	net_close(&n);
}

static void corrupted(void)
{
	struct net n;
	struct faults *faults = open_net(&n, 7);
	uint8_t info[64], first[256];
	unsigned int bits = 0;

	sim_fault_add(&n, faults, "corrupt node=h1 port=1 nth=1");
	is_u64(sim_fault_burst(&n, "0,1", 2), 1, "one of two is corrupt");
	ok(n.dropped == 1 && n.why == DROP_CORRUPT && n.drop_node == net_node(&n, "A") && n.drop_port == 1,
	   "... which A's port 1 finds out");
	is_u64(counter(&n, "A", 1, IB_PC_ERR_SYM_F), 1, "... and counts: SymbolErrorCounter");
	is_u64(counter(&n, "A", 1, IB_PC_ERR_RCV_F), 1, "... PortRcvErrors");
	is_u64(counter(&n, "A", 1, IB_PC_RCV_PKTS_F), 1, "... and not as received");
	is_u64(counter(&n, "h1", 1, IB_PC_ERR_SYM_F), 0, "the sender counts no error");
	fault_clear(faults);

	is_int(net_get(&n, "h1", "0,1", 0x11, 0), 0, "an answer");
	memcpy(info, n.mad + 64, 64);
	memcpy(first, n.mad, 256);
	sim_fault_add(&n, faults, "garble method=0x81");
	net_get(&n, "h1", "0,1", 0x11, 0);
	if (n.arrived)
		for (int i = 0; i < 256; i++)
			bits += (unsigned int)__builtin_popcount(first[i] ^ n.mad[i]);
	ok(n.arrived == 1 && bits >= 1 && bits <= 3, "a garbled one has 1 to 3 other bits: %u", bits);
	for (int i = 0; i < 2000; i++)
		sim_fault_burst(&n, "0,1,3", 1);
	ok(true, "two thousand garbled ones break nothing");
	fault_clear(faults);
	is_int(net_get(&n, "h1", "0,1", 0x11, 0), 0, "and then all is as it was");
	is_mem(n.mad + 64, info, 64, "... NodeInfo too");
	faults_free(faults);
	net_close(&n);
}

/* Assigns LID 9 to switch A, which forwards it to itself. */
static void sim_fault_give_lid(struct net *n)
{
	uint8_t mad[256];

	mad_set_field(sim_fault_port_at(n, "A", 0)->info, 0, IB_PORT_LID_F, 9);
	net_get(n, "h1", "0,1", 0x12, 0);
	memcpy(mad, n->mad, 256);
	smp(mad, 2, 0x12, 0);
	memcpy(mad + 64, n->mad + 64, 64);
	mad_set_field(mad + 64, 0, IB_SW_LINEAR_FDB_TOP_F, 63);
	net_send(n, "h1", "0,1", NULL, mad);
	smp(mad, 2, 0x19, 0);
	net_send(n, "h1", "0,1", NULL, mad);
}

/* Sends a Get or Set of PortCounters of switch A to its agent, which makes the response of it. */
static void sim_fault_counters_of(struct net *n, unsigned int method, unsigned int port, uint8_t mad[256])
{
	struct fabric_head head = { .source_qp = 1, .qp = 1, .qkey = 0x80010000, .pkey = 0xffff, .dlid = 9 };

	smp(mad, method, 0x12, 0);
	mad[1] = 4;
	mad_set_field(mad + 64, 0, IB_PC_PORT_SELECT_F, port);
	mad_set_field(mad + 64, 0, IB_PC_COUNTER_SELECT_F, 0xffff);
	n->arrived = 0;
	fabric_send(n->f, net_node(n, "A"), 0, &head, mad, 256, n->now);
	net_run(n);
	memcpy(mad, n->mad, 256);
}

static void answered(void)
{
	struct net n;
	struct faults *faults = open_net(&n, 1);
	uint8_t mad[256], info[64], port_info[64];
	uint32_t id;

	net_get(&n, "h1", "0,1", 0x12, 0);
	memcpy(info, n.mad + 64, 64);
	net_get(&n, "h1", "0,1", 0x15, 3);
	memcpy(port_info, n.mad + 64, 64);

	id = sim_fault_add(&n, faults, "answer node=A attribute=NodeInfo as=SwitchInfo");
	is_int(net_get(&n, "h1", "0,1", 0x11, 0), 0, "another attribute");
	ok(get_be16(n.mad + 16) == 0x12 && n.mad[3] == 0x81, "... in the header of a response");
	is_mem(n.mad + 64, info, 64, "... with its data");
	ok(seen.count == 1 && seen.node == net_node(&n, "A") && seen.port == 1 && seen.rule == id,
	   "... which the watcher learns");
	is_str(seen.what, "answer", "... by its name");
	is_int(net_get(&n, "h1", "0,1,3", 0x11, 0), 0, "another node");
	is_u64(get_be16(n.mad + 16), 0x11, "... responds about what was asked");
	is_u64(fault_next(faults, 0)->matched, 1, "... and no match is counted");
	fault_clear(faults);

	sim_fault_add(&n, faults, "answer attribute=LFT as-modifier=3");
	is_int(net_get(&n, "h1", "0,1", 0x19, 0), 0, "another block");
	ok(get_be32(n.mad + 20) == 3 && get_be16(n.mad + 16) == 0x19, "... in the modifier");
	fault_clear(faults);

	sim_fault_add(&n, faults, "answer attribute=PortInfo as-port=3");
	is_int(net_get(&n, "h1", "0,1", 0x15, 0x80000001), 0, "another port");
	is_u64(get_be32(n.mad + 20), 0x80000003, "... in the bits of the port");
	is_mem(n.mad + 64, port_info, 64, "... with its data");
	fault_clear(faults);

	sim_fault_add(&n, faults, "answer attribute=P_KeyTable as-port=2");
	net_get(&n, "h1", "0,1", 0x16, 0x10000);
	is_u64(get_be32(n.mad + 20), 0x20000, "... in the upper half of a modifier");
	fault_clear(faults);

	sim_fault_add(&n, faults, "answer attribute=NodeInfo as=PortInfo as-port=2");
	net_get(&n, "h1", "0,1", 0x11, 0);
	ok(get_be16(n.mad + 16) == 0x15 && get_be32(n.mad + 20) == 2, "attribute and port");
	fault_clear(faults);

	sim_fault_add(&n, faults, "answer attribute=LFT as-modifier=4000");
	net_get(&n, "h1", "0,1", 0x19, 0);
	ok(get_be16(n.mad + 4) & 0x1c && get_be32(n.mad + 20) == 4000,
	   "what the node does not have is refused");
	fault_clear(faults);

	pma_set(n.f, sim_fault_port_at(&n, "A", 1), "SymbolErrorCounter", 5);
	pma_set(n.f, sim_fault_port_at(&n, "A", 2), "SymbolErrorCounter", 7);
	sim_fault_give_lid(&n);
	sim_fault_add(&n, faults, "answer attribute=PortCounters as-port=2");
	sim_fault_counters_of(&n, 2, 1, mad);
	ok(n.arrived == 1 && mad[3] == 0x81 && !get_be16(mad + 4), "counters of another port");
	is_u64(mad_get_field(mad + 64, 0, IB_PC_PORT_SELECT_F), 2, "... in PortSelect");
	is_u64(mad_get_field(mad + 64, 0, IB_PC_ERR_SYM_F), 7, "... with their values");
	fault_clear(faults);
	is_u64(counter(&n, "A", 1, IB_PC_ERR_SYM_F), 0, "the Set was executed as it was");
	is_u64(counter(&n, "A", 2, IB_PC_ERR_SYM_F), 7, "... and only that");
	faults_free(faults);
	net_close(&n);
}

static uint64_t sim_fault_run(uint64_t seed, uint64_t *drops)
{
	struct net n;
	struct faults *faults = open_net(&n, seed);
	uint64_t sum;

	sim_fault_add(&n, faults, "drop rate=0.1");
	sim_fault_add(&n, faults, "reorder rate=0.3 delay=0.003");
	sim_fault_add(&n, faults, "duplicate rate=0.05");
	sim_fault_add(&n, faults, "garble rate=0.05");
	sim_fault_burst(&n, "0,1,3", 1000);
	*drops = fault_next(faults, 0)->done * 1000 / fault_next(faults, 0)->matched;
	sum = n.sum;
	faults_free(faults);
	net_close(&n);
	return sum;
}

static void sim_fault_seeds(void)
{
	uint64_t drops, sum = sim_fault_run(1, &drops);

	is_between(drops, 80, 120, "about one in ten is dropped");
	is_u64(sim_fault_run(1, &drops), sum, "the same seed, the same run");
	ok(sim_fault_run(2, &drops) != sum, "another seed, another");
}

static void sim_fault_refused(void)
{
	struct net n;
	struct faults *faults = open_net(&n, 1);
	struct fault_rule rule, all;
	uint32_t id = 77;
	int ret = 0;

#define REFUSED(what, ...) \
	do { \
		rule = all; \
		__VA_ARGS__; \
		is_int(fault_add(faults, &rule, &id), -EINVAL, "refused: " what); \
	} while (0)
	fault_parse(n.t, "drop", &all, NULL);
	REFUSED("no action", rule.action = FAULT_ACTIONS);
	REFUSED("no node", rule.node = 5);
	REFUSED("no port of the node", rule.node = 0, rule.port = 9);
	REFUSED("no port of any", rule.port = 255);
	REFUSED("a port below any", rule.port = -2);
	REFUSED("class", rule.mgmt_class = 256);
	REFUSED("method", rule.method = 256);
	REFUSED("attribute", rule.attribute = 0x10000);
	REFUSED("rate 0", rule.rate = 0);
	REFUSED("rate above all", rule.rate = FAULT_RATE_ALL + 1);
	REFUSED("no delay", rule.action = FAULT_DELAY);
	REFUSED("no time to reorder in", rule.action = FAULT_REORDER);
	REFUSED("nothing to answer", rule.action = FAULT_ANSWER);
	REFUSED("no modifier", rule.action = FAULT_ANSWER, rule.as_modifier = INT64_C(1) << 32);
	REFUSED("an answer that is dropped", rule.as_port = 1);
	REFUSED("too long", rule.action = FAULT_DELAY, rule.delay_ns = FAULT_DELAY_MAX_NS + 1);
#undef REFUSED
	rule = all;
	ok(id == 77 && !n.f->faults, "none of them is there");
	for (int i = 0; i < FAULT_RULES_MAX; i++)
		ret |= fault_add(faults, &rule, &id);
	is_int(ret, 0, "256 rules");
	is_int(fault_add(faults, &rule, &id), -E2BIG, "... and no more");
	is_u64(fault_next(faults, 255)->id, 256, "they are listed by ID");
	ok(!fault_next(faults, 256), "... up to the last");
	faults_free(faults);
	ok(!n.f->faults, "faults that are freed leave nothing behind");
	is_u64(sim_fault_burst(&n, "0,1", 3), 3, "... and packets go");
	faults_free(NULL);
	net_close(&n);
}

static unsigned int sim_fault_state(struct net *n, const char *node, unsigned int port)
{
	return mad_get_field(sim_fault_port_at(n, node, port)->info, 0, IB_PORT_STATE_F);
}

static unsigned int changes;

static void count_changes(void *context, const struct sim_event *event)
{
	net_event(context, event);
	changes += event->kind == EVENT_PORT_STATE && event->was != event->state;
}

static void power(void)
{
	struct net n;
	uint32_t b;

	net_open(&n, LINE_NET);
	n.f->options.watcher.event = count_changes;
	b = net_node(&n, "B");
	fabric_cable(n.f, b, 4, false);
	is_u64(changes, 2, "a cable is pulled: both ends tell");
	is_int(fabric_power(n.f, b, false), 0, "B is switched off");
	is_u64(changes, 6, "... and the ends of its other two");
	ok(sim_fault_state(&n, "A", 3) == 1 && sim_fault_state(&n, "h2", 1) == 1, "... which are down");
	ok(sim_fault_state(&n, "A", 1) == 2, "... others are not");
	is_int(net_get(&n, "h1", "0,1,3", 0x11, 0), -1, "it does not answer");
	is_u64(counter(&n, "A", 3, IB_PC_LINK_DOWNED_F), 1, "A counts a link that went down");
	is_int(net_get(&n, "B", "0", 0x11, 0), -1, "not even to itself");
	ok(n.why == DROP_GONE && n.drop_node == b, "... because it is off");
	is_int(fabric_power(n.f, b, false), 0, "off again");
	is_int(fabric_power(n.f, net_node(&n, "A"), false), 0, "A, too");
	is_int(fabric_power(n.f, b, true), 0, "B is back");
	ok(sim_fault_state(&n, "B", 2) == 1, "... without the link to A");
	ok(sim_fault_state(&n, "B", 1) == 2 && sim_fault_state(&n, "h2", 1) == 2, "... with the one to h2");
	ok(sim_fault_state(&n, "B", 4) == 1, "... without the cable that is pulled");
	fabric_power(n.f, net_node(&n, "A"), true);
	ok(sim_fault_state(&n, "B", 2) == 2 && sim_fault_state(&n, "A", 3) == 2, "and A brings the other");
	is_int(net_get(&n, "h1", "0,1,3", 0x11, 0), 0, "it answers");
	fabric_power(n.f, b, false);
	fabric_cable(n.f, b, 4, true);
	ok(sim_fault_state(&n, "h2", 2) == 1, "a cable to a node that is off is of no use");
	fabric_power(n.f, b, true);
	ok(sim_fault_state(&n, "h2", 2) == 2, "... until it is on");
	is_int(fabric_power(n.f, 99, true), -EINVAL, "no such node");
	net_close(&n);
}

static void sim_fault_counters(void)
{
	struct net n;
	struct port *port;
	uint8_t mad[256];

	net_open(&n, LINE_NET);
	port = sim_fault_port_at(&n, "A", 2);
	is_int(pma_set(n.f, port, "SymbolErrorCounter", 77), 0, "a counter is set");
	is_u64(counter(&n, "A", 2, IB_PC_ERR_SYM_F), 77, "... as libibmad reads it");
	is_int(pma_set(n.f, port, "symbolerrorcounter", 0x12345), 0, "... to more than 16 bits");
	is_u64(counter(&n, "A", 2, IB_PC_ERR_SYM_F), 0xffff, "... which stops at all ones");
	is_int(pma_set(n.f, port, "LinkDownedCounter", 3), 0, "one of 8 bits");
	is_u64(counter(&n, "A", 2, IB_PC_LINK_DOWNED_F), 3, "... next to it");
	is_u64(counter(&n, "A", 2, IB_PC_ERR_SYM_F), 0xffff, "... and it alone");
	is_int(pma_set(n.f, port, "PortUnicastXmitPkts", 5), 0, "one of PortCountersExtended alone");
	is_int(pma_set(n.f, port, "PortXmitData", UINT64_MAX), 0, "one of 64 bits");
	sim_fault_ask(&n, "A", 2, 0x1d, mad);
	is_u64(mad_get_field64(mad + 64, 0, IB_PC_EXT_XMT_UPKTS_F), 5, "... has it");
	is_u64(mad_get_field64(mad + 64, 0, IB_PC_EXT_XMT_BYTES_F), UINT64_MAX, "... has all of them");
	is_u64(counter(&n, "A", 2, IB_PC_XMT_BYTES_F), UINT32_MAX, "... of which the other has 32");
	is_int(pma_set(n.f, port, "SymbolErrorCounter", 0), 0, "back to nothing");
	is_u64(counter(&n, "A", 2, IB_PC_ERR_SYM_F), 0, "... it is");
	is_int(pma_set(n.f, port, "Nothing", 1), -ENOENT, "no such counter");
	is_int(pma_set(n.f, port, "PortSelect", 1), -ENOENT, "a field that is none");
	is_int(pma_set(n.f, port, "", 1), -ENOENT, "no name");
	net_close(&n);
}

static void sim_fault_words(void)
{
	struct net n;
	struct fault_rule r;
	struct madkit_error error;
	static const struct {
		const char *words;
		int code;
		const char *says;
	} bad[] = {
		{ "", -EINVAL, "words are missing" },
		{ "lose", -EINVAL, "'lose' is not one of drop, delay" },
		{ "drop rat=1", -EINVAL, "'rat=1' is not one of" },
		{ "drop drop", -EINVAL, "'drop' is not one of" },
		{ "drop rate=", -EINVAL, "'rate='" },
		{ "drop rate=0", -ERANGE, "'rate=0' is not between" },
		{ "drop rate=1.000001", -ERANGE, "not between" },
		{ "drop rate=101%", -EINVAL, "not a rate" },
		{ "drop rate=1.", -EINVAL, "not a rate" },
		{ "drop rate=0.0000001", -EINVAL, "not a rate" },
		{ "drop rate=0x1", -EINVAL, "not a rate" },
		{ "drop rate=-1", -EINVAL, "not a rate" },
		{ "drop rate=1 rate=1", -EINVAL, "twice" },
		{ "drop rate=1 nth=1", -EINVAL, "not both" },
		{ "drop nth=0", -ERANGE, "counts from 1" },
		{ "drop nth=x", -EINVAL, "not a valid number" },
		{ "drop nth=1+0", -ERANGE, "no packet" },
		{ "drop nth=1+x", -EINVAL, "not a valid number" },
		{ "drop node=C", -ENOENT, "'C'" },
		{ "drop node=A port=9", -ENOENT, "'A' has no port 9: it has 8 ports" },
		{ "drop port=300", -EINVAL, "'port=300'" },
		{ "drop class=Nonsense", -ENOENT, "'class=Nonsense' is not a class" },
		{ "drop method=Nonsense", -ENOENT, "is not a method" },
		{ "drop attribute=Nonsense", -ENOENT,
		  "fault: 'attribute=Nonsense': there is no attribute 'Nonsense'" },
		{ "drop class=PerfMgt attribute=x", -ENOENT,
		  "fault: 'attribute=x': there is no attribute 'x' in" },
		{ "drop delay=1", -EINVAL, "drop has no delay=" },
		{ "drop as=NodeInfo", -EINVAL, "only for answer" },
		{ "answer node=A", -EINVAL, "answer needs as=, as-modifier= or as-port=" },
		{ "answer delay=1 as-modifier=1", -EINVAL, "answer has no delay=" },
		{ "answer as=Nonsense", -ENOENT, "'as=Nonsense'" },
		{ "answer attribute=NodeInfo as=PortCounters", -ENOENT, "'as=PortCounters'" },
		{ "answer as-modifier=0x100000000", -EINVAL, "'as-modifier=0x100000000'" },
		{ "answer as-port=2", -EINVAL, "'as-port=2' needs the attribute= of a port" },
		{ "answer as-port=2 attribute=NodeInfo", -EINVAL, "'as-port=2' needs" },
		{ "answer as-port=300 attribute=PortInfo", -EINVAL, "'as-port=300'" },
		{ "delay", -EINVAL, "delay needs a delay=" },
		{ "reorder rate=1", -EINVAL, "reorder needs a delay=" },
		{ "delay delay=1e3", -EINVAL, "milliseconds" },
		{ "delay delay=3600000.1", -ERANGE, "hour" },
	};

	net_open(&n, LINE_NET);
	is_int(fault_parse(n.t, "drop", &r, &error), 0, "drop");
	ok(r.action == FAULT_DROP && r.node == TOPOLOGY_NONE && r.port == -1 && r.mgmt_class == -1 &&
		   r.method == -1 && r.attribute == -1 && r.rate == 1000000 && !r.first,
	   "... is for all");
	is_int(fault_parse(n.t, " corrupt  rate=0.25 port=3 node=A ", &r, &error), 0, "at a port");
	ok(r.action == FAULT_CORRUPT && r.rate == 250000 && r.port == 3 && r.node == net_node(&n, "A"),
	   "... a quarter");
	is_int(fault_parse(n.t, "garble rate=1.5%", &r, &error), 0, "in a hundred");
	is_u64(r.rate, 15000, "... fifteen in a thousand");
	is_int(fault_parse(n.t, "drop method=GetTable class=SubnAdm nth=3+4", &r, &error), 0,
	       "names, the class behind the method");
	ok(r.mgmt_class == 3 && r.method == 0x12 && r.first == 3 && r.count == 4, "... found");
	is_int(fault_parse(n.t, "drop attribute=NodeInfo nth=3", &r, &error), 0, "an attribute");
	ok(r.mgmt_class == 1 && r.attribute == 0x11 && r.first == 3 && r.count == 1, "... has its class");
	is_int(fault_parse(n.t, "drop attribute=0x11 nth=3+", &r, &error), 0, "a number");
	ok(r.mgmt_class == -1 && r.attribute == 0x11 && r.first == 3 && !r.count, "... has none");
	is_int(fault_parse(n.t, "delay delay=1.5", &r, &error), 0, "a delay");
	is_u64(r.delay_ns, 1500000, "... of one and a half milliseconds");
	is_int(fault_parse(n.t, "duplicate delay=0.000001", &r, &error), 0, "of a duplicate");
	is_u64(r.delay_ns, 1, "... of a nanosecond");
	is_int(fault_parse(n.t, "answer as-port=2 as=PortCounters", &r, &error), 0, "an answer");
	ok(r.mgmt_class == 4 && r.attribute == -1 && r.as == 0x12 && r.as_port == 2 && r.as_modifier == -1,
	   "... has the class of its attribute");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		error = (struct madkit_error){ .text = "" };
		is_int(fault_parse(n.t, bad[i].words, &r, &error), bad[i].code, "'%s'", bad[i].words);
		if (!ok(strstr(error.text, bad[i].says), "... says why"))
			printf("# %s\n", error.text);
	}
	fault_parse(n.t, "drop node=h1 port=9", &r, &error);
	is_str(error.text, "fault: 'h1' has no port 9: it has 1 port", "one port");
	net_close(&n);
}

static int sim_fault_find(struct net *n, const char *text, const char *node, unsigned int port)
{
	struct madkit_error error = { .text = "" };
	uint32_t found;
	unsigned int number;
	int ret = find_end(n->t, text, &found, &number, &error);

	if (ret)
		return ok(error.text[0], "words for '%s'", text) ? ret : 0;
	return found == net_node(n, node) && number == port ? 0 : 1;
}

static void found(void)
{
	struct net n;
	char guid[40];

	net_open(&n, LINE_NET);
	is_int(sim_fault_find(&n, NULL, "h1", 1), 0, "without words: the first CA");
	is_int(sim_fault_find(&n, "", "h1", 1), 0, "with empty ones, too");
	is_int(sim_fault_find(&n, "h3", "h3", 1), 0, "a name");
	is_int(sim_fault_find(&n, "h2:2", "h2", 2), 0, "a name and a port");
	is_int(sim_fault_find(&n, "A", "A", 0), 0, "a switch: its port 0");
	is_int(sim_fault_find(&n, "A:0", "A", 0), 0, "... named");
	is_int(sim_fault_find(&n, "A:1", NULL, 0), -ENOENT, "... and no other");
	is_int(sim_fault_find(&n, "B of two", "B", 0), 0, "a description");
	is_int(sim_fault_find(&n, "B of two:0", "B", 0), 0, "... with a port");
	is_int(sim_fault_find(&n, "h2:3", NULL, 0), -ENOENT, "a port that there is not");
	is_int(sim_fault_find(&n, "h2:0", NULL, 0), -ENOENT, "port 0 of a CA");
	is_int(sim_fault_find(&n, "h2:x", NULL, 0), -ENOENT, "no number");
	is_int(sim_fault_find(&n, "h9", NULL, 0), -ENOENT, "no such name");
	is_int(sim_fault_find(&n, ":1", NULL, 0), -ENOENT, "a port alone");
	snprintf(guid, sizeof(guid), "0x%" PRIx64, n.t->nodes[net_node(&n, "h2")].guid);
	is_int(sim_fault_find(&n, guid, "h2", 1), 0, "a node's GUID");
	snprintf(guid, sizeof(guid), "0x%" PRIx64, topology_port(n.t, net_node(&n, "h2"), 2)->guid);
	is_int(sim_fault_find(&n, guid, "h2", 2), 0, "a port's GUID");
	strcat(guid, ":1");
	is_int(sim_fault_find(&n, guid, NULL, 0), -ENOENT, "... with another port");
	guid[strlen(guid) - 1] = '2';
	is_int(sim_fault_find(&n, guid, "h2", 2), 0, "... with its own");
	is_int(sim_fault_find(&n, "0x99", NULL, 0), -ENOENT, "nobody's GUID");
	net_close(&n);

	net_open(&n, "Ca 2 \"a\" # \"same:1\"\n[2] \"b\"[1]\nCa 1 \"b\" # \"same:2\"\n[1] \"a\"[2]\n"
		     "Ca 1 \"c\" # \"same:2\"\n");
	is_int(sim_fault_find(&n, NULL, "a", 2), 0, "the first port that has a cable");
	is_int(sim_fault_find(&n, "c", "c", 1), 0, "the first where none has");
	is_int(sim_fault_find(&n, "same:1", "a", 2), 0, "a colon in a description");
	is_int(sim_fault_find(&n, "same:1:1", "a", 1), 0, "... and one for the port");
	is_int(sim_fault_find(&n, "same:2", NULL, 0), -EEXIST, "a description of two");
	net_close(&n);
}

int main(void)
{
	dropped();
	delayed();
	sim_fault_flood();
	corrupted();
	answered();
	sim_fault_seeds();
	sim_fault_refused();
	power();
	sim_fault_counters();
	sim_fault_words();
	found();
	return tap_done();
}
