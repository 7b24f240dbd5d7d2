/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Multicast groups on switches: members that joined at the SA get each packet that any host sends to the
 * group, once, and other ports get none. */
#include "tests/unit/sim_manage.h"

/* A member of a group, at the SA: Set(MCMemberRecord) or Delete. The MLID; 0: refused. */
static unsigned int sim_multicast_member(struct subject *x, const char *name, uint8_t group, bool joins)
{
	const struct host_agent agent = { .mgmt_class = 3, .class_version = 2, .rmpp_version = 1 };
	uint32_t node = subject_node(x, name), id;
	const struct madkit_addr to = {
		.lid = info_of(port_at(x, node, 1), IB_PORT_SMLID_F),
		.qp = 1,
		.qkey = MADKIT_QKEY_GSI,
	};
	uint8_t mad[256] = { 1, 3, 2, joins ? 2 : 0x15, [15] = 1, [17] = 0x38 };
	uint8_t *record = mad + 56;
	struct host_message message;
	struct host_file *file;
	unsigned int mlid = 0;

	/* MGID, PortGID, Q_Key, TClass, P_Key, SL, FlowLabel, JoinState */
	put_be64(mad + 48, 1 | 1 << 1 | 1 << 2 | 1 << 6 | 1 << 7 | 1 << 12 | 1 << 13 | 1 << 16);
	record[0] = 0xff;
	record[1] = 0x12;
	record[15] = group;
	put_be64(record + 16, UINT64_C(0xfe80) << 48);
	put_be64(record + 24, topology_port(x->t, node, 1)->guid);
	put_be32(record + 32, 0x12345678);
	put_be16(record + 40, 0xffff);
	record[48] = 1;
	if (host_open(x->s->hosts, node, 1, NULL, NULL, &file))
		return 0;
	if (!host_register(file, &agent, &id) &&
	    !host_send(file, &(struct host_out){ id, &to, mad, 256, 1000, 0 }, x->now)) {
		subject_run(x, x->now + 100 * MS);
		if (host_next(file, &message) && !message.status && message.len == 256 &&
		    !get_be16(message.mad + 4))
			mlid = get_be16(message.mad + 56 + 36);
	}
	host_close(file);
	return mlid;
}

/* Copies that come to each node, all of those that switches make. */
struct flood {
	const struct subject *x;
	unsigned int mlid;
	unsigned int copies[64];
	unsigned int steps;
};

static void flow(struct flood *f, const struct port *out)
{
	const struct fabric *fabric = f->x->s->fabric;
	const struct port *at;
	const struct node *node;
	unsigned int entry = f->mlid - 0xc000;

	if (out->peer == TOPOLOGY_NONE || info_of(out, IB_PORT_STATE_F) != 4 || f->steps++ > 10000)
		return;
	at = &fabric->ports[out->peer];
	node = &fabric->nodes[at->node];
	if (node->type != TOPOLOGY_SWITCH) {
		f->copies[at->node]++;
		return;
	}
	for (unsigned int p = 1; node->multicast && p <= node->nports; p++) {
		const uint8_t *block = node->multicast + 64 * (size_t)(entry / 32 * node->positions + p / 16);

		if (p != at->number && (get_be16(block + entry % 32 * 2) >> p % 16 & 1))
			flow(f, &fabric->ports[node->first + p]);
	}
}

/* Names of members, with a blank after each. */
static void arrives(const struct subject *x, unsigned int mlid, const char *members, const char *what)
{
	unsigned int wrong = 0;

	for (uint32_t from = 0; from < x->t->nnodes; from++) {
		struct flood f = { .x = x, .mlid = mlid };
		char name[80];

		if (x->t->nodes[from].type == TOPOLOGY_SWITCH)
			continue;
		/* a packet from a host on a switch outside the tree may be dropped */
		snprintf(name, sizeof(name), "%s ", x->t->nodes[from].name);
		if (!strstr(members, name))
			continue;
		flow(&f, port_at(x, from, 1));
		for (uint32_t to = 0; to < x->t->nnodes; to++) {
			snprintf(name, sizeof(name), "%s ", x->t->nodes[to].name);
			wrong += to != from && x->t->nodes[to].type != TOPOLOGY_SWITCH &&
				 f.copies[to] != !!strstr(members, name);
		}
	}
	is_u64(wrong, 0, "%s: from each member to the others, once", what);
}

int main(void)
{
	struct subject x;
	unsigned int one, other;

	/* leaves of 20 ports: two positions in a block */
	if (!ok(subject_open(&x, "fat-tree:3,17,3"), "a fabric"))
		return tap_done();
	subject_manage(&x, 0, subject_node(&x, "h1-1"));
	subject_run(&x, 1000 * MS);
	one = sim_multicast_member(&x, "h1-2", 1, true);
	ok(one >= 0xc000, "h1-2 joins");
	arrives(&x, one, "h1-2 ", "alone");
	ok(sim_multicast_member(&x, "h1-17", 1, true) && sim_multicast_member(&x, "h2-16", 1, true),
	   "h1-17 and h2-16 join");
	arrives(&x, one, "h1-2 h1-17 h2-16 ", "three");
	other = sim_multicast_member(&x, "h3-1", 2, true);
	ok(other > one && sim_multicast_member(&x, "h2-16", 2, true), "two of another group");
	arrives(&x, other, "h3-1 h2-16 ", "the other group");
	arrives(&x, one, "h1-2 h1-17 h2-16 ", "the first group");
	/* the way that it takes is pulled, whichever it is */
	for (unsigned int spine = 0; spine < 3; spine++) {
		fabric_cable(x.s->fabric, subject_node(&x, "leaf1"), 18 + spine, false);
		subject_run(&x, x.now + 1000 * MS);
		arrives(&x, one, "h1-2 h1-17 h2-16 ", "a cable less");
		fabric_cable(x.s->fabric, subject_node(&x, "leaf1"), 18 + spine, true);
		subject_run(&x, x.now + 1000 * MS);
	}
	arrives(&x, one, "h1-2 h1-17 h2-16 ", "all cables");
	arrives(&x, other, "h3-1 h2-16 ", "the other group");
	/* a member leaves and comes back: the group differs from its memory */
	fabric_cable(x.s->fabric, subject_node(&x, "leaf1"), 17, false);
	subject_run(&x, x.now + 1000 * MS);
	arrives(&x, one, "h1-2 h2-16 ", "a member less");
	ok(sim_multicast_member(&x, "h2-16", 1, false), "another leaves");
	arrives(&x, one, "h1-2 ", "one again");
	ok(sim_multicast_member(&x, "h1-2", 1, false), "the last one leaves");
	{
		struct flood f = { .x = &x, .mlid = one };
		unsigned int any = 0;

		flow(&f, port_at(&x, subject_node(&x, "h1-2"), 1));
		for (unsigned int i = 0; i < 64; i++)
			any += f.copies[i];
		is_u64(any, 0, "... and nothing is forwarded any more");
	}
	subject_close(&x);
	return tap_done();
}
