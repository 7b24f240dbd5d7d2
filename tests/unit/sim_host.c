/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A host's kernel does what tests/kernel/FACTS says of a real one, as far as InfiniBand
 * goes; RMPP has sim_host_rmpp. */
#include "tests/unit/sim_host.h"
#include "util/array_size.h"

/* ---- registration ---------------------------------------------------------------------- */

static bool has_rmpp(unsigned int c)
{
	return c == 3 || c == 6 || c == 0x10 || c == 0x12 || (c >= 0x30 && c <= 0x4f);
}

/* In the words of FACTS: what refuses a registration is the first of these. */
static int by_the_facts(const struct host_agent *a)
{
	unsigned int c = a->mgmt_class;

	if (a->flags & ~1u)
		return -EINVAL;
	if (c && a->oui > 0xffffff)
		return -EINVAL;
	if (a->rmpp_version > 1)
		return -EINVAL;
	if (!c && a->flags)
		return -EINVAL;
	if (c && a->class_version >= 0x83)
		return -EINVAL;
	if (c >= 0x50 && c != 0x81)
		return -EINVAL;
	if (c >= 0x30 && c <= 0x4f && !a->oui)
		return -EINVAL;
	if (c && a->rmpp_version && !has_rmpp(c))
		return -EINVAL;
	return 0;
}

static void sim_host_matrix(struct host_net *net)
{
	static const uint8_t versions[] = { 0, 1, 2, 0x82, 0x83 }, rmpps[] = { 0, 1, 2 };
	static const uint32_t ouis[] = { 0, OUI, OUI | 1 << 24 }, flags[] = { 0, 1, 0x80 };
	unsigned int wrong = 0, tried = 0, taken = 0;
	struct program p;

	program_open(&p, net, "h1", NULL);
	for (unsigned int i = 0; i < 256 * 5 * 3 * 3 * 3 * 2; i++) {
		struct host_agent a =
			agent_of((uint8_t)(i / 270), ouis[i / 6 % 3], i & 1 ? 0x11 : -1, rmpps[i / 2 % 3]);
		int ret;

		a.class_version = versions[i / 18 % 5];
		a.flags = flags[i / 90 % 3];
		ret = host_register(p.file, &a, &p.id);
		tried++;
		taken += !ret;
		wrong += ret != by_the_facts(&a);
		if (!ret)
			wrong += host_unregister(p.file, p.id) != 0;
	}
	is_u64(wrong, 0, "%u registrations are taken (%u) or refused as FACTS says", tried, taken);
	ok(taken > 100, "... of either sort");
	host_close(p.file);
}

static void sim_host_overlaps(struct host_net *net)
{
	struct host_agent a = agent_of(VENDOR, OUI, 1, 0), cm = agent_of(7, 0, 3, 0);
	struct program holder, other;
	uint32_t id;
	int n = 0, ret;

	program_open(&holder, net, "h1", &a);
	program_open(&other, net, "h1", NULL);
	is_int(host_register(other.file, &a, &id), -EINVAL, "the same methods again: EINVAL");
	a = agent_of(VENDOR, OUI, METHOD_ASK, 0);
	is_int(host_register(other.file, &a, &id), 0, "another method is free");
	a = agent_of(VENDOR, OUI + 9, 1, 0);
	is_int(host_register(other.file, &a, &id), 0, "another OUI is free");
	a = agent_of(VENDOR, OUI, 1, 0);
	a.class_version = 2;
	is_int(host_register(other.file, &a, &id), 0, "another class version is free");
	a = agent_of(VENDOR, OUI, -1, 0);
	is_int(host_register(other.file, &a, &id), 0, "a client never overlaps");
	cm.class_version = 2;
	is_int(host_register(other.file, &cm, &id), -EINVAL, "CM's Send is taken by ib_cm");
	a = agent_of(1, 0, 1, 0);
	is_int(host_register(other.file, &a, &id), 0, "class 0x01");
	a = agent_of(0x81, 0, 1, 0);
	is_int(host_register(other.file, &a, &id), 0, "... and 0x81, which are not one here");
	a = agent_of(VENDOR, OUI, 1, 0);
	host_close(holder.file);
	is_int(host_register(other.file, &a, &id), 0, "closing the holder frees its methods");
	is_int(host_unregister(other.file, id), 0, "... and unregistering them");
	is_int(host_unregister(other.file, id), -EINVAL, "... once");
	is_int(host_unregister(other.file, 77), -EINVAL, "no such agent");
	is_int(host_register(other.file, &a, &id), 0, "... they are free again");
	host_close(other.file);

	program_open(&other, net, "h1", NULL);
	a = agent_of(VENDOR, OUI, -1, 0);
	while (n < 100 && !(ret = host_register(other.file, &a, &id)))
		is_int(id, n++, "the lowest number that is free");
	is_int(n, 32, "32 agents fit a file");
	is_int(ret, -ENOMEM, "the next is ENOMEM");
	host_close(other.file);

	program_open(&other, net, "h1", NULL);
	for (n = 0; n < 31; n++) {
		a = agent_of(VENDOR, (uint32_t)(OUI + n), 1, 0);
		if ((ret = host_register(other.file, &a, &id)))
			break;
	}
	is_int(n, 8, "8 OUIs with methods fit a class version");
	is_int(ret, -ENOMEM, "the ninth is ENOMEM");
	a = agent_of(VENDOR, OUI + 8, -1, 0);
	is_int(host_register(other.file, &a, &id), -ENOMEM, "... without methods, too");
	host_close(other.file);

	program_open(&other, net, "h1", NULL);
	for (n = 0; n < 31; n++) {
		a = agent_of(VENDOR, (uint32_t)(OUI + n), -1, 0);
		if (host_register(other.file, &a, &id))
			break;
	}
	is_int(n, 8, "8 OUIs without methods fit as well");
	host_close(other.file);
}

static void sim_host_opening(struct host_net *net)
{
	struct host_file *file;
	uint32_t h1 = net_node(&net->n, "h1"), a = net_node(&net->n, "A");

	is_int(host_open(net->hosts, 99, 1, NULL, NULL, &file), -EINVAL, "no such node");
	is_int(host_open(net->hosts, h1, 2, NULL, NULL, &file), -EINVAL, "no such port");
	is_int(host_open(net->hosts, h1, 0, NULL, NULL, &file), -EINVAL, "an adapter's port 0");
	is_int(host_open(net->hosts, a, 1, NULL, NULL, &file), -EINVAL, "a switch's port 1");
	is_int(host_open(net->hosts, a, 0, NULL, NULL, &file), 0, "a switch's port 0");
	host_close(file);
	host_close(NULL);
	is_int(net_get(&net->n, "h2", "0", 0x15, 0), 0, "PortInfo");
	is_int(got(&net->n, IB_PORT_CAPMASK_F) & 2, 0, "issm: a port has no IsSM");
	is_int(host_issm_open(net->hosts, net_node(&net->n, "h2"), 1), 0, "issm: opened");
	net_get(&net->n, "h2", "0", 0x15, 0);
	is_int(got(&net->n, IB_PORT_CAPMASK_F) & 2, 2, "... it has");
	is_int(host_issm_open(net->hosts, net_node(&net->n, "h2"), 1), -EAGAIN, "... once");
	host_issm_close(net->hosts, net_node(&net->n, "h2"), 1);
	net_get(&net->n, "h2", "0", 0x15, 0);
	is_int(got(&net->n, IB_PORT_CAPMASK_F) & 2, 0, "... until it is closed");
	is_int(host_issm_open(net->hosts, h1, 7), -EINVAL, "issm: no such port");
}

/* ---- requests and answers ------------------------------------------------------------------ */

static void sim_host_exchange(struct host_net *net)
{
	struct host_agent serves = agent_of(VENDOR, OUI, METHOD_ASK, 0);
	struct host_agent asks = agent_of(VENDOR, OUI, -1, 0);
	struct program server, client;
	struct host_message m;
	uint8_t mad[256];

	program_open(&server, net, "h2", &serves);
	program_open(&client, net, "h1", &asks);
	vendor_mad(mad, METHOD_ASK, UINT64_C(0x1122334455667788));
	mad[100] = 0x77;
	is_int(program_send(&client, "h2", mad, 256, 100, 0), 0, "a request is sent");
	host_net_run(net);
	is_int(server.woken, 1, "the server is woken");
	m = program_take(&server);
	is_int(m.len, 256, "... by one MAD");
	is_int(m.status, 0, "... without an error");
	is_int(m.id, server.id, "... for its agent");
	is_int(m.from.lid, lid_at(net, "h1"), "... from its client's LID");
	is_int(m.from.qp, 1, "... QP 1");
	is_int(m.from.qkey, 0, "... its Q_Key reads 0");
	is_int(m.mad[100], 0x77, "... as it was sent");
	is_u64(get_be32(m.mad + 12), 0x55667788, "the low half of its TID is kept");
	ok(get_be32(m.mad + 8) != 0x11223344, "... the high one is the agent's");
	is_int(program_answer(&server, &m, METHOD_ASK | RESPONSE), 0, "it is answered");
	host_net_run(net);
	is_int(client.woken, 1, "the client is woken");
	m = program_take(&client);
	is_int(m.mad[3], METHOD_ASK | RESPONSE, "... by the answer");
	is_int(m.from.lid, lid_at(net, "h2"), "... from the server");
	host_net_until(net, net->n.now + 200 * MS);
	is_int(program_take(&client).len, 0, "nothing comes after it");

	/* timeouts */
	is_int(program_send(&client, "h2", mad, 256, 200, 2), 0, "three tries of 200 ms");
	host_net_until(net, net->n.now + 599 * MS);
	is_int(program_take(&client).len, 0, "not back before 600 ms");
	host_net_until(net, net->n.now + MS);
	m = program_take(&client);
	is_int(m.len, 24, "timeout: 24 bytes of it");
	is_int(m.status, 110, "... status 110");
	is_int(m.from.lid, lid_at(net, "h2"), "... the destination is kept");
	is_u64(get_be32(m.mad + 12), 0x55667788, "... and the TID");
	for (int i = 0; i < 3; i++)
		is_int(program_take(&server).len, 256, "the peer got try %d", i + 1);
	is_int(program_take(&server).len, 0, "... and no more");

	is_int(program_send(&client, "h2", mad, 256, 0, 0), 0, "timeout 0");
	host_net_run(net);
	m = program_take(&server);
	program_answer(&server, &m, METHOD_ASK | RESPONSE);
	host_net_run(net);
	is_int(program_take(&client).len, 0, "... no response is delivered");
	is_int(net->n.why, DROP_UNEXPECTED, "... the fabric's watcher learns it");

	is_int(program_send(&client, "h2", mad, 256, 200, 0), 0, "a request");
	host_unregister(client.file, client.id);
	host_net_until(net, net->n.now + 300 * MS);
	is_int(program_take(&client).len, 0, "unregistering takes it along, untold");
	host_close(client.file);
	host_close(server.file);
}

static void sim_host_nobody(struct host_net *net)
{
	static const struct {
		const char *to;
		uint8_t method;
		bool answered;
	} cases[] = {
		{ "h2", 1, true },  { "h2", 2, true }, { "h2", METHOD_ASK, false },
		{ "h2", 5, false }, { "h1", 1, true }, { "A", 1, false },
	};
	struct host_agent asks = agent_of(VENDOR, OUI, -1, 0);
	struct program client;

	program_open(&client, net, "h1", &asks);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct host_message m;
		uint8_t mad[256];

		vendor_mad(mad, cases[i].method, 1);
		program_send(&client, cases[i].to, mad, 256, 100, 0);
		host_net_until(net, net->n.now + 100 * MS);
		m = program_take(&client);
		if (cases[i].answered) {
			is_int(m.mad[3], 0x81, "%s: method %u: GetResp", cases[i].to, cases[i].method);
			is_int(get_be16(m.mad + 4), 0x000c, "... with status 0x000c");
		} else {
			is_int(m.status, 110, "%s: method %u: no answer", cases[i].to, cases[i].method);
			is_int(net->n.why, DROP_UNEXPECTED, "... and the drop is told");
			is_str(net->n.t->nodes[net->n.drop_node].name, cases[i].to, "... where it came to");
		}
	}
	host_close(client.file);
}

/* kernel/time/timer.c with HZ=250, a tick later: expiries are rounded up to ticks, and to 8, 64 ... of them. */
static void sim_host_ticks(struct host_net *net)
{
	static const struct {
		unsigned int offset_us, timeout_ms;
		unsigned int late_us; /* after the timeout */
	} cases[] = {
		{ 0, 100, 8000 },      { 1, 100, 7999 },   { 3999, 100, 4001 }, { 0, 1, 11000 },
		{ 3000, 1, 8000 },     { 0, 248, 8000 },   { 0, 252, 36000 },   { 1000, 252, 35000 },
		{ 31000, 252, 5000 },  { 0, 1000, 24000 }, { 0, 2012, 36000 },  { 0, 2016, 32000 },
		{ 5000, 3000, 67000 },
	};
	struct host_agent asks = agent_of(VENDOR, OUI, -1, 0);
	struct program client;
	uint8_t mad[256];

	hosts_set_tick(net->hosts, HOST_TICK_NS);
	program_open(&client, net, "h1", &asks);
	vendor_mad(mad, METHOD_ASK, 1);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		/* a multiple of the coarsest list that is used */
		uint64_t start = (net->n.now / (256 * MS) + 1) * 256 * MS + cases[i].offset_us * 1000;
		uint64_t due = start + cases[i].timeout_ms * MS + cases[i].late_us * 1000;

		host_net_until(net, start);
		program_send(&client, "h2", mad, 256, cases[i].timeout_ms, 0);
		host_net_until(net, due - 1);
		is_int(program_take(&client).len, 0, "%u ms, %u us after a tick: not early",
		       cases[i].timeout_ms, cases[i].offset_us);
		host_net_until(net, due);
		is_int(program_take(&client).status, 110, "... but %u us late", cases[i].late_us);
	}
	host_close(client.file);
	hosts_set_tick(net->hosts, 0);
}

int main(void)
{
	struct host_net net;

	host_net_open(&net, LINE_NET, 0);
	sim_host_opening(&net);
	sim_host_matrix(&net);
	sim_host_overlaps(&net);
	sim_host_exchange(&net);
	sim_host_nobody(&net);
	sim_host_ticks(&net);
	host_net_close(&net);
	return tap_done();
}
