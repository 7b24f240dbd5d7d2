/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The subnet manager: that the fabric is active after its sweep, and its reaction to changes and faults. */
#include "tests/unit/sim_manage.h"
#include "util/array_size.h"

static void sim_manager_bring_up(const char *what, const char *words, const char *where)
{
	struct subject x;
	struct findings found;

	if (!ok(subject_open(&x, words), "%s", what))
		return;
	is_int(subject_manage(&x, 0, subject_node(&x, where)), 0, "... has a manager");
	is_int(subject_manage(&x, 1, subject_node(&x, where)), -EAGAIN, "... and no other at its port");
	subject_run(&x, UINT64_MAX);
	is_int(x.sm[0]->state, SM_MASTER, "... which is master");
	is_u64(x.swept[0], 1, "... has swept once");
	is_u64(x.nodes[0], x.t->nnodes, "... and found %u nodes", x.t->nnodes);
	is_up(&x, what);
	found = look(&x);
	is_u64(found.highest, found.ends, "... the LIDs are the lowest");
	is_u64(info_of(port_at(&x, subject_node(&x, where),
			       x.t->nodes[subject_node(&x, where)].type != TOPOLOGY_SWITCH),
		       IB_PORT_LID_F),
	       1, "... the manager's is the first");
	subject_close(&x);
}

static void files(void)
{
	char text[65536], path[4096];
	struct subject x;
	const char *top = getenv("top_srcdir");
	FILE *file;
	size_t len = 0;

	snprintf(path, sizeof(path), "%s/tests/data/topologies/small.dump", top ? top : ".");
	file = fopen(path, "r");
	if (file) {
		len = fread(text, 1, sizeof(text) - 1, file);
		fclose(file);
	}
	text[len] = '\0';
	if (!ok(len && subject_open(&x, text), "what ibnetdiscover printed"))
		return;
	for (uint32_t i = 0; !x.sm[0] && i < x.t->nnodes; i++)
		if (x.t->nodes[i].type == TOPOLOGY_CA)
			subject_manage(&x, 0, i);
	subject_run(&x, UINT64_MAX);
	is_up(&x, "small.dump");
	for (uint32_t i = 0; i < x.t->nports; i++)
		if (x.t->ports[i].lid)
			is_u64(info_of(&x.s->fabric->ports[i], IB_PORT_LID_F), x.t->ports[i].lid,
			       "the LID of the file, %u, stays", x.t->ports[i].lid);
	subject_close(&x);
}

/* LIDs that are none, or somebody else's, are not kept; those that are stay. */
static void lids(void)
{
	static const unsigned int had[][2] = {
		/* before, after */
		{ 5, 5 }, { 5, 1 }, { 0xc000, 2 }, { 77, 77 }, { 0, 3 },
	};
	struct subject x;
	uint32_t at = 0;
	unsigned int before[5], good = 0;

	if (!subject_open(&x, "fat-tree:1,4,0"))
		return;
	/* the manager's own is looked at first, then its switch's, then by port */
	static const char *const names[] = { "h1-1", "leaf1", "h1-2", "h1-3", "h1-4" };

	for (unsigned int i = 0; i < 5; i++) {
		at = subject_node(&x, names[i]);
		mad_set_field((void *)(uintptr_t)port_at(&x, at, i != 1)->info, 0, IB_PORT_LID_F, had[i][0]);
	}
	subject_manage(&x, 0, subject_node(&x, "h1-1"));
	subject_run(&x, UINT64_MAX);
	is_up(&x, "LIDs");
	is_u64(x.reregistered, 5, "all end ports are to register");
	for (unsigned int i = 0; i < 5; i++) {
		before[i] = info_of(port_at(&x, subject_node(&x, names[i]), i != 1), IB_PORT_LID_F);
		is_u64(before[i], had[i][1], "%s: LID %u", names[i], had[i][1]);
	}
	sm_free(x.sm[0]);
	x.sm[0] = NULL;
	subject_manage(&x, 0, subject_node(&x, "h1-4"));
	subject_run(&x, UINT64_MAX);
	is_u64(x.reregistered, 10, "... and again, with the next manager");
	fabric_cable(x.s->fabric, subject_node(&x, "leaf1"), 2, false);
	subject_run(&x, UINT64_MAX);
	is_u64(x.reregistered, 10, "... not when a cable is pulled");
	fabric_cable(x.s->fabric, subject_node(&x, "leaf1"), 2, true);
	subject_run(&x, UINT64_MAX);
	is_u64(x.reregistered, 11, "... when it is back, the port behind it");
	for (unsigned int i = 0; i < 5; i++)
		good += info_of(port_at(&x, subject_node(&x, names[i]), i != 1), IB_PORT_LID_F) == before[i];
	is_u64(good, 5, "the next manager keeps them all");
	subject_close(&x);
}

/* An LMC stays, and all LIDs that it gives are routed; LIDs that overlap or do not begin at a multiple are
 * not kept. */
static void lmcs(void)
{
	static const struct {
		const char *name;
		unsigned int lid, lmc;
	} want[] = { { "m", 1, 0 }, { "a", 8, 2 }, { "b", 3, 0 }, { "c", 4, 1 } };
	struct port *enforcing;
	struct subject x;
	const struct node *leaf;

	if (!subject_open(&x, "Switch 4 \"s\"\n[1] \"a\"[1]\n[2] \"b\"[1]\n[3] \"c\"[1]\n[4] \"m\"[1]\n"
			      "Ca 1 \"m\"\n[1] \"s\"[4]\n"
			      "Ca 1 \"a\"\n[1] \"s\"[1] # lid 8 lmc 2 \"s\"\n"
			      "Ca 1 \"b\"\n[1] \"s\"[2] # lid 10 lmc 0 \"s\"\n"
			      "Ca 1 \"c\"\n[1] \"s\"[3] # lid 13 lmc 1 \"s\"\n"))
		return;
	/* as a manager with partitions left it */
	enforcing = (struct port *)(uintptr_t)port_at(&x, subject_node(&x, "s"), 1);
	enforcing->enforce = ENFORCE_INBOUND | ENFORCE_OUTBOUND;
	field_put(MADKIT_PORT_INFO_PART_ENFORCE_INB, enforcing->info, 1);
	field_put(MADKIT_PORT_INFO_PART_ENFORCE_OUTB, enforcing->info, 1);
	subject_manage(&x, 0, subject_node(&x, "m"));
	subject_run(&x, UINT64_MAX);
	is_up(&x, "LMCs");
	is_u64(enforcing->enforce, 0, "a switch's port no longer enforces partitions");
	leaf = &x.s->fabric->nodes[subject_node(&x, "s")];
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		const struct port *port = port_at(&x, subject_node(&x, want[i].name), 1);
		unsigned int good = 0;

		is_u64(info_of(port, IB_PORT_LID_F), want[i].lid, "%s: LID %u", want[i].name, want[i].lid);
		is_u64(info_of(port, IB_PORT_LMC_F), want[i].lmc, "... LMC %u", want[i].lmc);
		for (unsigned int lid = want[i].lid; lid < want[i].lid + (1u << want[i].lmc); lid++)
			good += leaf->linear[lid] == x.s->fabric->ports[port->peer].number;
		is_u64(good, 1u << want[i].lmc, "... and a route to each of its LIDs");
	}
	subject_close(&x);
}

/* Of one switch's ports to others: the fewest and the most LIDs of adapters. */
static void balance_of(const struct subject *x, const char *name, unsigned int first, unsigned int last,
		       unsigned int range[2])
{
	const struct node *node = &x->s->fabric->nodes[subject_node(x, name)];
	unsigned int counts[256] = { 0 };

	for (uint32_t i = 0; i < x->s->fabric->nnodes; i++)
		if (!is_switch(&x->s->fabric->nodes[i]))
			counts[node->linear[info_of(port_at(x, i, 1), IB_PORT_LID_F)]]++;
	range[0] = UINT32_MAX;
	range[1] = 0;
	for (unsigned int p = first; p <= last; p++) {
		if (counts[p] < range[0])
			range[0] = counts[p];
		if (counts[p] > range[1])
			range[1] = counts[p];
	}
}

static void balance(void)
{
	/* two switches with four hosts each, and three cables between them */
	static const char parallel[] =
		"Switch 8 \"A\"\n[1] \"a1\"[1]\n[2] \"a2\"[1]\n[3] \"a3\"[1]\n"
		"[4] \"a4\"[1]\n[5] \"B\"[5]\n[6] \"B\"[6]\n[7] \"B\"[7]\n"
		"Switch 8 \"B\"\n[1] \"b1\"[1]\n[2] \"b2\"[1]\n[3] \"b3\"[1]\n[4] \"b4\"[1]\n"
		"[5] \"A\"[5]\n[6] \"A\"[6]\n[7] \"A\"[7]\n"
		"Ca 1 \"a1\"\n[1] \"A\"[1]\nCa 1 \"a2\"\n[1] \"A\"[2]\nCa 1 \"a3\"\n[1] \"A\"[3]\n"
		"Ca 1 \"a4\"\n[1] \"A\"[4]\nCa 1 \"b1\"\n[1] \"B\"[1]\nCa 1 \"b2\"\n[1] \"B\"[2]\n"
		"Ca 1 \"b3\"\n[1] \"B\"[3]\nCa 1 \"b4\"\n[1] \"B\"[4]\n";
	unsigned int range[2], worst = 0;
	struct subject x;
	char name[16];

	if (subject_open(&x, parallel)) {
		subject_manage(&x, 0, subject_node(&x, "a1"));
		subject_run(&x, UINT64_MAX);
		balance_of(&x, "A", 5, 7, range);
		is_u64(range[0], 1, "four hosts over three cables: one at least");
		is_u64(range[1], 2, "... and two at most");
		subject_close(&x);
	}
	if (!subject_open(&x, "fat-tree:24,20,4"))
		return;
	subject_manage(&x, 0, subject_node(&x, "h1-1"));
	subject_run(&x, UINT64_MAX);
	for (unsigned int leaf = 1; leaf <= 24; leaf++) {
		snprintf(name, sizeof(name), "leaf%u", leaf);
		balance_of(&x, name, 21, 24, range);
		if (range[1] - range[0] > worst)
			worst = range[1] - range[0];
		if (range[1] > 23 * 20 / 4 + 1)
			worst = range[1];
	}
	is_between(worst, 0, 1, "the four cables up from a leaf differ by %u LIDs", worst);
	subject_close(&x);
}

static uint64_t digest(const struct subject *x)
{
	const struct fabric *f = x->s->fabric;
	uint64_t sum = x->now * 31 + f->queue.order;

	for (uint32_t i = 0; i < f->nports; i++)
		for (unsigned int b = 0; b < 64; b++)
			sum = (sum ^ f->ports[i].info[b]) * UINT64_C(0x100000001b3);
	for (uint32_t i = 0; i < f->nnodes; i++)
		for (uint32_t b = 0; b < f->nodes[i].nlinear; b++)
			sum = (sum ^ f->nodes[i].linear[b]) * UINT64_C(0x100000001b3);
	return sum;
}

static void cables(void)
{
	struct subject x;
	uint32_t leaf, host;
	unsigned int lid;

	if (!subject_open(&x, "fat-tree:6,5,3"))
		return;
	leaf = subject_node(&x, "leaf2");
	host = subject_node(&x, "h2-3");
	subject_manage(&x, 0, subject_node(&x, "h1-1"));
	subject_run(&x, UINT64_MAX);
	lid = info_of(port_at(&x, host, 1), IB_PORT_LID_F);
	fabric_cable(x.s->fabric, leaf, 3, false);
	subject_run(&x, UINT64_MAX);
	is_u64(x.swept[0], 2, "a host is unplugged: a second sweep");
	is_u64(x.nodes[0], x.t->nnodes - 1, "... finds one node less");
	is_u64(x.s->fabric->nodes[leaf].linear[lid], 255, "... to whose LID no way leads");
	fabric_cable(x.s->fabric, leaf, 3, true);
	subject_run(&x, UINT64_MAX);
	is_u64(x.nodes[0], x.t->nnodes, "plugged in again it is found");
	is_up(&x, "host again");
	is_u64(info_of(port_at(&x, host, 1), IB_PORT_LID_F), lid, "... with its LID");
	fabric_cable(x.s->fabric, leaf, 6, false);
	subject_run(&x, UINT64_MAX);
	is_up(&x, "without a cable of the tree");
	is_u64(x.nodes[0], x.t->nnodes, "... nothing is lost");
	fabric_cable(x.s->fabric, leaf, 6, true);
	subject_run(&x, UINT64_MAX);
	is_up(&x, "with it");
	unsigned int range[2];

	balance_of(&x, "leaf2", 6, 8, range);
	is_between(range[1] - range[0], 0, 2, "... and it is used again: %u to %u LIDs", range[0], range[1]);
	fabric_power(x.s->fabric, subject_node(&x, "spine1"), false);
	fabric_power(x.s->fabric, subject_node(&x, "spine2"), false);
	subject_run(&x, UINT64_MAX);
	is_u64(x.nodes[0], x.t->nnodes - 2, "two spines are off");
	fabric_power(x.s->fabric, subject_node(&x, "spine1"), true);
	fabric_power(x.s->fabric, subject_node(&x, "spine2"), true);
	subject_run(&x, UINT64_MAX);
	is_up(&x, "two spines on again");
	/* its own cable: then it is alone, and only the switch could report the end of that state */
	fabric_cable(x.s->fabric, subject_node(&x, "leaf1"), 1, false);
	subject_run(&x, UINT64_MAX);
	fabric_cable(x.s->fabric, subject_node(&x, "leaf1"), 1, true);
	subject_run(&x, UINT64_MAX);
	is_up(&x, "the manager's own cable again");
	subject_close(&x);
}

/* The reports that subscribers get, of ports and of traps. */
static void sim_manager_reports(void)
{
	struct subject x;
	struct listener *l = &x.listener;
	uint64_t guid;

	if (!subject_open(&x, "fat-tree:2,3,2"))
		return;
	subject_manage(&x, 0, subject_node(&x, "h1-1"));
	subject_run(&x, UINT64_MAX);
	ok(listener_come(&x, "h1-2"), "a subscriber");
	subject_run(&x, UINT64_MAX);
	ok(l->subscribed, "... is taken");
	is_u64(l->reports, 0, "... and told nothing of before");
	guid = topology_port(x.t, subject_node(&x, "h2-3"), 1)->guid;
	fabric_cable(x.s->fabric, subject_node(&x, "leaf2"), 3, false);
	subject_run(&x, UINT64_MAX);
	is_u64(l->traps[128], 1, "a cable is pulled: trap 128, once");
	is_u64(l->traps[65], 1, "... then 65");
	is_u64(get_be64(l->gid[65]), UINT64_C(0xfe80) << 48, "... with the prefix");
	is_u64(get_be64(l->gid[65] + 8), guid, "... and the GUID of the port that is gone");
	is_u64(l->traps[64], 0, "... none came");
	fabric_cable(x.s->fabric, subject_node(&x, "leaf2"), 3, true);
	subject_run(&x, UINT64_MAX);
	is_u64(l->traps[128], 2, "it is plugged in: 128");
	is_u64(l->traps[64], 1, "... 64");
	is_u64(get_be64(l->gid[64] + 8), guid, "... with its GUID");
	is_u64(l->traps[65], 1, "... and no more 65");
	host_issm_open(x.s->hosts, subject_node(&x, "h2-2"), 1);
	subject_run(&x, x.now + 5000 * MS);
	is_u64(l->traps[144], 1, "issm is opened: trap 144");
	host_issm_close(x.s->hosts, subject_node(&x, "h2-2"), 1);
	subject_run(&x, UINT64_MAX);
	is_u64(l->traps[144], 2, "... and closed");
	is_u64(l->reports, 6, "... six reports in all");
	subject_close(&x);
}

static void nothing_changes(void)
{
	struct subject x, y;
	uint64_t before;

	if (!subject_open(&x, "fat-tree:12,20,4"))
		return;
	subject_manage(&x, 0, subject_node(&x, "h1-1"));
	subject_run(&x, UINT64_MAX);
	subject_open(&y, "fat-tree:12,20,4");
	subject_manage(&y, 0, subject_node(&y, "h1-1"));
	subject_run(&y, UINT64_MAX);
	is_u64(digest(&x), digest(&y), "the same twice");
	subject_close(&y);
	before = x.s->fabric->queue.order;
	/* a trap without a change: a manager comes and goes at once */
	host_issm_open(x.s->hosts, subject_node(&x, "h2-2"), 1);
	host_issm_close(x.s->hosts, subject_node(&x, "h2-2"), 1);
	subject_run(&x, UINT64_MAX);
	ok(x.s->fabric->queue.order > before, "a trap: another sweep");
	is_u64(x.swept[0], 1, "... which tells nothing when nothing is new");
	subject_close(&x);
}

/* While packets suffer, and then no more. */
static void suffering(const char *what, enum fault_action action, uint32_t rate)
{
	const struct fault_rule rule = {
		.action = action,
		.node = TOPOLOGY_NONE,
		.port = -1,
		.mgmt_class = -1,
		.method = -1,
		.attribute = -1,
		.as = -1,
		.as_modifier = -1,
		.as_port = -1,
		.rate = rate,
		.delay_ns = 300000,
	};
	struct subject x;
	uint32_t id;

	if (!subject_open(&x, "fat-tree:4,6,2"))
		return;
	is_int(fault_add(x.s->faults, &rule, &id), 0, "%s", what);
	subject_manage(&x, 0, subject_node(&x, "h1-1"));
	subject_run(&x, 60000 * MS);
	fault_remove(x.s->faults, id);
	/* a sweep that is not complete is followed by another, in 64 s at the latest */
	subject_run(&x, 200000 * MS);
	fabric_cable(x.s->fabric, subject_node(&x, "leaf1"), 2, false);
	subject_run(&x, 300000 * MS);
	fabric_cable(x.s->fabric, subject_node(&x, "leaf1"), 2, true);
	subject_run(&x, 400000 * MS);
	is_up(&x, what);
	is_u64(x.nodes[0], x.t->nnodes, "... and all nodes are there");
	subject_close(&x);
}

/* No trap gets through: only light sweeps find what has changed. */
static void light_sweeps(void)
{
	const struct fault_rule rule = {
		.action = FAULT_DROP,
		.node = TOPOLOGY_NONE,
		.port = -1,
		.mgmt_class = -1,
		.method = 5,
		.attribute = -1,
		.as = -1,
		.as_modifier = -1,
		.as_port = -1,
		.rate = FAULT_RATE_ALL,
	};
	struct subject x;
	uint64_t before;
	uint32_t id;

	if (!subject_open(&x, "fat-tree:4,6,2"))
		return;
	is_int(fault_add(x.s->faults, &rule, &id), 0, "all traps are lost");
	subject_manage(&x, 0, subject_node(&x, "h1-1"));
	subject_run(&x, 60000 * MS);
	fabric_cable(x.s->fabric, subject_node(&x, "leaf1"), 2, false);
	subject_run(&x, 120000 * MS);
	is_u64(x.nodes[0], x.t->nnodes, "a host is unplugged: it stays");
	is_u64(sm_deadline(x.sm[0]), UINT64_MAX, "... nothing is due");
	sm_sweep_each(x.sm[0], 10000 * MS);
	/* the interval begins after a sweep */
	sm_sweep(x.sm[0]);
	subject_run(&x, 121000 * MS);
	is_u64(x.nodes[0], x.t->nnodes - 1, "... until the next sweep");
	fabric_cable(x.s->fabric, subject_node(&x, "leaf1"), 2, true);
	subject_run(&x, 129000 * MS);
	is_u64(x.nodes[0], x.t->nnodes - 1, "it is plugged in again: 10 s after the last sweep");
	subject_run(&x, 132000 * MS);
	is_u64(x.nodes[0], x.t->nnodes, "... it is found");
	is_up(&x, "host again");
	before = x.s->fabric->queue.order;
	sm_present(x.sm[0], 100000000 * MS);
	subject_run(&x, 100000100 * MS);
	is_between(x.s->fabric->queue.order - before, 6, 200,
		   "after a day away: one light sweep of 6 switches");
	subject_close(&x);
}

/* A slow switch: no node is lost, and what changes is found. */
static void slow_agent(const char *name, unsigned int ms, bool light)
{
	uint32_t nodes = UINT32_MAX;
	struct subject x;

	if (!ok(subject_open(&x, "fat-tree:4,6,2"), "%s takes %u ms for an SMP", name, ms))
		return;
	subject_manage(&x, 0, subject_node(&x, "h1-1"));
	sm_sweep_each(x.sm[0], light ? 10000 * MS : 0);
	subject_run(&x, 1000 * MS);
	fabric_set_agent(x.s->fabric, subject_node(&x, name), AGENT_SMI, false, ms * MS);
	if (!light)
		sm_sweep(x.sm[0]);
	for (uint64_t end = x.now + 900000 * MS; x.now < end;) {
		subject_run(&x, x.now + 100 * MS);
		if (x.sm[0]->map.s.nnodes < nodes)
			nodes = x.sm[0]->map.s.nnodes;
	}
	is_u64(nodes, x.t->nnodes, "... %s sweeps find all nodes", light ? "light" : "whole");
	is_u64(x.sm[0]->unanswered, 0, "... which respond");
	fabric_cable(x.s->fabric, subject_node(&x, "leaf3"), 2, false);
	subject_run(&x, x.now + 900000 * MS);
	is_u64(x.sm[0]->map.s.nnodes, x.t->nnodes - 1, "... a host is unplugged");
	fabric_cable(x.s->fabric, subject_node(&x, "leaf3"), 2, true);
	subject_run(&x, x.now + 900000 * MS);
	is_up(&x, name);
	subject_close(&x);
}

static void slow_agents(void)
{
	/* the manager's, one that is reached by two ways, and one that is passed */
	static const char *const names[] = { "leaf1", "leaf3", "spine1" };

	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++)
		for (unsigned int light = 0; light < 2; light++)
			slow_agent(names[i], 300, light);
	slow_agent("leaf1", 1900, true);
	slow_agent("leaf3", 20, false);
	slow_agent("h3-1", 1000, false);
}

/* A mute switch is considered dead after four tries, and so are the nodes behind it. */
static void mute_agent(void)
{
	struct subject x;
	uint64_t begin;

	if (!subject_open(&x, "fat-tree:4,6,2"))
		return;
	subject_manage(&x, 0, subject_node(&x, "h1-1"));
	subject_run(&x, 1000 * MS);
	fabric_set_agent(x.s->fabric, subject_node(&x, "leaf3"), AGENT_SMI, true, 0);
	sm_sweep(x.sm[0]);
	for (begin = x.now; x.sm[0]->map.s.nnodes == x.t->nnodes && x.now < begin + 60000 * MS;)
		subject_run(&x, x.now + 10 * MS);
	is_u64(x.sm[0]->map.s.nnodes, x.t->nnodes - 7, "a mute leaf and its hosts are gone");
	is_between((x.now - begin) / MS, 2000, 2100, "... after the four tries of an SMP");
	subject_close(&x);
}

int main(void)
{
	sim_manager_bring_up("two switches", LINE, "h1");
	sim_manager_bring_up("a switch's own port", LINE, "B");
	sim_manager_bring_up("two hosts", "Ca 1 \"a\"\n[1] \"b\"[1]\nCa 1 \"b\"\n[1] \"a\"[1]\n", "a");
	sim_manager_bring_up("one host", "Ca 1 \"a\"\n", "a");
	sim_manager_bring_up("fat tree", "fat-tree:24,20,4", "h1-1");
	files();
	lids();
	lmcs();
	balance();
	cables();
	sim_manager_reports();
	nothing_changes();
	light_sweeps();
	slow_agents();
	mute_agent();
	suffering("a tenth is lost", FAULT_DROP, 100000);
	suffering("each comes twice", FAULT_DUPLICATE, FAULT_RATE_ALL);
	suffering("others overtake", FAULT_REORDER, 300000);
	suffering("one in fifty has wrong bits", FAULT_GARBLE, 20000);
	return tap_done();
}
