/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where MADs of hosts go and what their addresses say: SMPs by either route, P_Keys, GIDs,
 * path bits, multicast, and queue pairs. */
#include "tests/unit/sim_host.h"
#include "util/array_size.h"

enum { SM_INFO = 0x20 };

static struct host_agent smi_agent(uint8_t mgmt_class, bool serves)
{
	struct host_agent agent = agent_of(mgmt_class, 0, serves ? 1 : -1, 0);

	if (serves) /* as OpenSM has it: Get, Set, Trap, TrapRepress */
		agent.method_mask[0] = 1 << 1 | 1 << 2 | 1 << 5 | 1 << 7;
	return agent;
}

static int send_route(struct program *p, const char *route, uint16_t lid, uint8_t *mad)
{
	struct madkit_addr addr = { .direct = true }, to = { .lid = lid };

	mad[1] = 0x81;
	madkit_parse_path(route, &addr, NULL);
	if (lid != 0xffff)
		addr.lid = lid;
	madkit_smp_put_route(mad, &addr, lid_at(p->net, "h1"));
	return host_send(p->file, &(struct host_out){ p->id, &to, mad, 256, 100, 0 }, p->net->n.now);
}

static void sim_host_address_smps(struct host_net *net)
{
	struct host_agent routed = smi_agent(1, false), direct = smi_agent(0x81, false);
	struct program lid, dr;
	struct host_message m;
	uint8_t mad[256];

	program_open(&lid, net, "h1", &routed);
	program_open(&dr, net, "h1", &direct);
	smp(mad, 1, 0x11, 0);
	is_int(program_send(&lid, "h2", mad, 256, 100, 0), 0, "NodeInfo by LID");
	host_net_run(net);
	m = program_take(&lid);
	is_int(m.mad[3], 0x81, "... is answered");
	is_int(m.from.qp, 0, "... by QP 0");
	is_u64(mad_get_field64((void *)(uintptr_t)(m.mad + 64), 0, IB_NODE_GUID_F),
	       net->n.t->nodes[net_node(&net->n, "h2")].guid, "... with its GUID");
	smp(mad, 1, 0x11, 0);
	is_int(send_route(&dr, "0,1,3", 0xffff, mad), 0, "NodeInfo by directed route");
	host_net_run(net);
	m = program_take(&dr);
	is_int(m.mad[3], 0x81, "... is answered");
	is_u64(mad_get_field64((void *)(uintptr_t)(m.mad + 64), 0, IB_NODE_GUID_F),
	       net->n.t->nodes[net_node(&net->n, "B")].guid, "... with its GUID");
	smp(mad, 1, 0x11, 0);
	is_int(send_route(&dr, "0", 0xffff, mad), 0, "... of no hop");
	host_net_run(net);
	m = program_take(&dr);
	is_u64(mad_get_field64((void *)(uintptr_t)(m.mad + 64), 0, IB_NODE_GUID_F),
	       net->n.t->nodes[net_node(&net->n, "h1")].guid, "... is answered here");
	smp(mad, 1, 0x11, 0);
	is_int(send_route(&dr, "0,1", (uint16_t)lid_at(net, "B"), mad), 0,
	       "a combined route: to B by LID, then by its port 1");
	host_net_run(net);
	m = program_take(&dr);
	is_u64(m.len ? mad_get_field64((void *)(uintptr_t)(m.mad + 64), 0, IB_NODE_GUID_F) : 0,
	       net->n.t->nodes[net_node(&net->n, "h2")].guid, "... is answered");
	smp(mad, 1, 0x11, 0);
	is_int(send_route(&dr, "0,2", 0xffff, mad), -EINVAL, "a route by another port is EINVAL");
	smp(mad, 1, 0x11, 0);
	is_int(send_route(&dr, "0,1,30", 0xffff, mad), 0, "a route that leads nowhere");
	host_net_until(net, net->n.now + 100 * MS);
	m = program_take(&dr);
	is_int(m.status, 110, "... times out");
	is_int(m.from.lid, 0xffff, "... the destination is kept");
	smp(mad, 1, 0x11, 0);
	mad[7] = 64;
	mad[1] = 0x81;
	memset(mad + 32, 0xff, 4);
	is_int(program_send(&dr, "h2", mad, 256, 100, 0), -EINVAL, "64 hops are EINVAL");
	host_close(lid.file);
	host_close(dr.file);
}

/* MADs that only a subnet manager sends as a response, or receives. */
static void manager(struct host_net *net)
{
	struct host_agent direct = smi_agent(0x81, true), routed = smi_agent(1, true);
	struct host_agent asks = smi_agent(0x81, false), asks_lid = smi_agent(1, false);
	struct program sm, client;
	struct host_message m;
	uint32_t h2 = net_node(&net->n, "h2"), routed_id, lid_id;
	uint8_t mad[256];

	program_open(&client, net, "h1", &asks);
	host_register(client.file, &asks_lid, &lid_id);
	smp(mad, 1, SM_INFO, 0);
	send_route(&client, "0,1,3,1", 0xffff, mad);
	host_net_run(net);
	is_int(get_be16(program_take(&client).mad + 4) & 0x7fff, 0xc, "SMInfo: no manager");
	host_issm_open(net->hosts, h2, 1);
	smp(mad, 1, SM_INFO, 0);
	send_route(&client, "0,1,3,1", 0xffff, mad);
	host_net_run(net);
	m = program_take(&client);
	is_int(m.mad[3], 0x81, "SMInfo: IsSM and no agent: the kernel answers");
	is_int(get_be16(m.mad + 4), 0x800c, "... with the direction bit and status 0x000c");
	program_open(&sm, net, "h2", &direct);
	is_int(host_register(sm.file, &routed, &routed_id), 0, "a manager registers either class");
	smp(mad, 1, SM_INFO, 0);
	send_route(&client, "0,1,3,1", 0xffff, mad);
	host_net_run(net);
	m = program_take(&sm);
	is_int(m.id, sm.id, "SMInfo by directed route reaches it");
	is_int(m.from.lid, 0xffff, "... from the permissive LID");
	memcpy(mad, m.mad, 256);
	mad[3] = 0x81;
	mad[4] = 0x80;
	mad[64] = 0x55;
	is_int(host_send(sm.file, &(struct host_out){ sm.id, &m.from, mad, 256, 0, 0 }, net->n.now), 0,
	       "... its answer");
	host_net_run(net);
	m = program_take(&client);
	is_int(m.len ? m.mad[64] : 0, 0x55, "... goes back");
	client.id = lid_id;
	smp(mad, 1, SM_INFO, 0);
	program_send(&client, "h2", mad, 256, 100, 0);
	host_net_run(net);
	m = program_take(&sm);
	is_int(m.id, routed_id, "SMInfo by LID reaches it");
	is_int(m.from.lid, lid_at(net, "h1"), "... from its sender");
	sm.id = routed_id;
	program_answer(&sm, &m, 0x81);
	host_net_run(net);
	is_int(program_take(&client).status, 0, "... and is answered");
	smp(mad, 5, 2, 0);
	program_send(&client, "h2", mad, 256, 100, 0);
	host_net_run(net);
	m = program_take(&sm);
	is_int(m.mad[3], 5, "a trap reaches it");
	host_close(sm.file);
	host_close(client.file);
	host_issm_close(net->hosts, h2, 1);
}

/* ---- keys and GIDs -------------------------------------------------------------------- */

static void sim_host_address_keys(struct host_net *net)
{
	struct host_agent serves = agent_of(VENDOR, OUI, METHOD_ASK, 0);
	struct host_agent asks = agent_of(VENDOR, OUI, -1, 0);
	struct program server, client;
	struct madkit_addr to;
	struct host_message m;
	uint8_t mad[256], table[64] = { 0 };

	/* in another partition: at index 2 there, at index 3 here; and one in which h2 is a limited member */
	put_be16(table, 0xffff);
	put_be16(table + 2, 0x0123);
	put_be16(table + 4, 0x8123);
	put_be16(table + 10, 0x0456);
	is_int(net_set(&net->n, "h1", "0,1,3,1", 0x16, 0, table), 0, "P_Keys of h2");
	memset(table + 2, 0, 62);
	put_be16(table + 6, 0x8123);
	put_be16(table + 8, 0x8456);
	is_int(net_set(&net->n, "h1", "0", 0x16, 0, table), 0, "P_Keys of h1");
	program_open(&server, net, "h2", &serves);
	program_open(&client, net, "h1", &asks);
	vendor_mad(mad, METHOD_ASK, 1);
	to = gsi_to(net, "h2");
	to.pkey_index = 3;
	to.sl = 5;
	to.qkey = 0x12345;
	is_int(host_send(client.file, &(struct host_out){ client.id, &to, mad, 256, 100, 0 }, net->n.now), 0,
	       "a request with P_Key 3 and a wrong Q_Key");
	host_net_run(net);
	m = program_take(&server);
	is_int(m.len, 256, "... comes: the Q_Key is not looked at");
	is_int(m.from.pkey_index, 2, "... by the place of its key there");
	is_int(m.from.sl, 5, "... its SL");
	is_int(m.from.path_bits, 0, "... its path bits");
	program_answer(&server, &m, METHOD_ASK | RESPONSE);
	host_net_run(net);
	m = program_take(&client);
	is_int(m.status, 0, "... it is answered");
	is_int(m.from.pkey_index, 3, "... by the same key");
	to.pkey_index = 4;
	host_send(client.file, &(struct host_out){ client.id, &to, mad, 256, 100, 0 }, net->n.now);
	host_net_run(net);
	m = program_take(&server);
	is_int(m.from.pkey_index, 5, "a limited member has it by the partition");
	program_answer(&server, &m, METHOD_ASK | RESPONSE);
	host_net_run(net);
	is_int(program_take(&client).from.pkey_index, 4, "... and answers by it");
	vendor_mad(mad, 1, 1);
	mad[1] = 9;
	host_send(client.file, &(struct host_out){ client.id, &to, mad, 256, 100, 0 }, net->n.now);
	host_net_run(net);
	is_int(program_take(&client).mad[3], 0x81, "what nobody takes is answered by it, too");
	to.pkey_index = 9;
	is_int(host_send(client.file, &(struct host_out){ client.id, &to, mad, 256, 100, 0 }, net->n.now), 0,
	       "a place without a key");
	host_net_until(net, net->n.now + 100 * MS);
	is_int(net->n.why, DROP_P_KEY, "... arrives nowhere");
	is_int(program_take(&client).status, 110, "... and times out");
	to.pkey_index = 64;
	is_int(host_send(client.file, &(struct host_out){ client.id, &to, mad, 256, 100, 0 }, net->n.now),
	       -EINVAL, "no such place");
	host_close(server.file);
	host_close(client.file);
}

static void gids(struct host_net *net)
{
	static const uint8_t prefix[8] = { 0xfe, 0x80 };
	struct host_agent serves = agent_of(VENDOR, OUI, METHOD_ASK, 0);
	struct host_agent asks = agent_of(VENDOR, OUI, -1, 0);
	const struct topology_port *h1, *h2;
	struct program server, client;
	struct madkit_addr to;
	struct host_message m;
	uint8_t mad[256], table[64] = { 0 };

	h1 = topology_port(net->n.t, net_node(&net->n, "h1"), 1);
	h2 = topology_port(net->n.t, net_node(&net->n, "h2"), 1);
	put_be64(table, h1->guid);
	put_be64(table + 16, 0xabcdef);
	is_int(net_set(&net->n, "h1", "0", 0x14, 0, table), 0, "another GUID for h1");
	program_open(&server, net, "h2", &serves);
	program_open(&client, net, "h1", &asks);
	vendor_mad(mad, METHOD_ASK, 1);
	to = gsi_to(net, "h2");
	to.grh = true;
	to.gid_index = 2;
	memcpy(to.gid, prefix, 8);
	put_be64(to.gid + 8, h2->guid);
	to.hop_limit = 64;
	to.traffic_class = 7;
	to.flow_label = 0x12345;
	is_int(host_send(client.file, &(struct host_out){ client.id, &to, mad, 256, 100, 0 }, net->n.now), 0,
	       "a request with a GRH, from GID 2");
	host_net_run(net);
	m = program_take(&server);
	ok(m.from.grh, "... comes with one");
	is_u64(get_be64(m.from.gid + 8), 0xabcdef, "... its GID");
	is_int(m.from.gid_index, 0, "... the place of the one that it came to");
	is_int(m.from.traffic_class, 7, "... its traffic class");
	is_int(m.from.flow_label, 0x12345, "... its flow label");
	is_int(m.from.hop_limit, 0xff, "... the hop limit that an answer has");
	program_answer(&server, &m, METHOD_ASK | RESPONSE);
	host_net_run(net);
	m = program_take(&client);
	is_int(m.status, 0, "... it is answered");
	is_int(m.from.gid_index, 2, "... to GID 2");
	/* a response without a GRH does not match a request with one */
	host_send(client.file, &(struct host_out){ client.id, &to, mad, 256, 100, 0 }, net->n.now);
	host_net_run(net);
	m = program_take(&server);
	m.from.grh = false;
	program_answer(&server, &m, METHOD_ASK | RESPONSE);
	host_net_until(net, net->n.now + 100 * MS);
	is_int(program_take(&client).status, 110, "an answer without a GRH is none");
	/* the kernel's own */
	vendor_mad(mad, 1, 1);
	host_send(client.file, &(struct host_out){ client.id, &to, mad, 256, 100, 0 }, net->n.now);
	host_net_run(net);
	m = program_take(&client);
	is_int(get_be16(m.mad + 4), 0xc, "what nobody takes is answered with a GRH, too");
	put_be64(to.gid + 8, 0x77777);
	vendor_mad(mad, METHOD_ASK, 1);
	host_send(client.file, &(struct host_out){ client.id, &to, mad, 256, 0, 0 }, net->n.now);
	host_net_run(net);
	is_int(program_take(&server).len, 0, "a GID that the port has not: it is not delivered");
	to.gid_index = 3;
	is_int(host_send(client.file, &(struct host_out){ client.id, &to, mad, 256, 0, 0 }, net->n.now),
	       -EINVAL, "from a GID that the port has not");
	host_close(server.file);
	host_close(client.file);
}

static void path_bits(struct host_net *net)
{
	struct host_agent serves = agent_of(VENDOR, OUI, METHOD_ASK, 0);
	struct host_agent asks = agent_of(VENDOR, OUI, -1, 0);
	static const char *const switches[] = { "A", "B" };
	struct program server, client;
	struct madkit_addr to;
	struct host_message m;
	uint8_t mad[256], table[64];
	unsigned int lid1 = lid_at(net, "h1");

	/* h2 has LIDs 64 to 67 */
	is_int(port_set(&net->n, "h1", "0,1,3,1", 0, IB_PORT_LMC_F, 2), 0, "an LMC of 2");
	is_int(port_set(&net->n, "h1", "0,1,3,1", 0, IB_PORT_LID_F, 64), 0, "LID 64");
	for (int i = 0; i < 2; i++) {
		const char *route = i ? "0,1,3" : "0,1";
		uint32_t node = net_node(&net->n, switches[i]);

		memset(table, 0, 64);
		mad_set_field(table, 0, IB_SW_LINEAR_FDB_TOP_F, 100);
		is_int(net_set(&net->n, "h1", route, 0x12, 0, table), 0, "LIDs up to 100");
		memset(table, 0xff, 64);
		memset(table, (int)towards(&net->n, node, net_node(&net->n, "h2")), 4);
		is_int(net_set(&net->n, "h1", route, 0x19, 1, table), 0, "... lead there");
	}
	program_open(&server, net, "h2", &serves);
	program_open(&client, net, "h1", &asks);
	vendor_mad(mad, METHOD_ASK, 1);
	to = (struct madkit_addr){ .lid = 66, .qp = 1, .path_bits = 1 };
	is_int(host_send(client.file, &(struct host_out){ client.id, &to, mad, 256, 100, 0 }, net->n.now), 0,
	       "to LID 66");
	host_net_run(net);
	m = program_take(&server);
	is_int(m.from.path_bits, 2, "the path bits are those of the LID that it came to");
	is_int(m.from.lid, lid1, "... from one that has none, whatever was asked for");
	program_answer(&server, &m, METHOD_ASK | RESPONSE);
	host_net_run(net);
	m = program_take(&client);
	is_int(m.from.lid, 66, "the answer comes from there");
	/* in the other direction: a response has to arrive at the LID that the request was sent from */
	host_close(server.file);
	host_close(client.file);
	program_open(&server, net, "h1", &serves);
	program_open(&client, net, "h2", &asks);
	for (unsigned int bits = 0; bits < 2; bits++) {
		to = (struct madkit_addr){ .lid = lid1, .qp = 1, .path_bits = 3 };
		host_send(client.file, &(struct host_out){ client.id, &to, mad, 256, 100, 0 }, net->n.now);
		host_net_run(net);
		m = program_take(&server);
		is_int(m.from.lid, 67, "a request from path bits 3");
		m.from.lid -= bits;
		program_answer(&server, &m, METHOD_ASK | RESPONSE);
		host_net_until(net, net->n.now + 100 * MS);
		is_int(program_take(&client).status, bits ? 110 : 0,
		       bits ? "... is not answered to another" : "... is answered to them");
	}
	host_close(server.file);
	host_close(client.file);
}

/* ---- queue pairs and multicast ------------------------------------------------------------- */

static void queue_pairs(struct host_net *net)
{
	static const struct {
		uint8_t mgmt_class, method;
		uint32_t qp;
		enum fabric_drop why;
	} cases[] = {
		{ VENDOR, METHOD_ASK, 2, DROP_UNEXPECTED },
		{ VENDOR, METHOD_ASK, 0xffffff, DROP_UNEXPECTED },
		{ VENDOR, METHOD_ASK, 0, DROP_MALFORMED },
		{ 1, 1, 1, DROP_MALFORMED },
		{ 7, 1, 1, DROP_MALFORMED },  /* CM has Send alone */
		{ 7, 3, 1, DROP_UNEXPECTED }, /* ... which ib_cm takes */
	};
	struct host_agent serves = agent_of(VENDOR, OUI, METHOD_ASK, 0);
	struct host_agent asks = agent_of(0, 0, -1, 0), smi = smi_agent(1, false);
	struct program server, client;
	struct madkit_addr to = gsi_to(net, "h1");
	struct host_message m;
	uint8_t mad[256];

	program_open(&server, net, "h1", &serves);
	program_open(&client, net, "h3", &asks);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		vendor_mad(mad, cases[i].method, 1);
		mad[1] = cases[i].mgmt_class;
		mad[2] = cases[i].mgmt_class == 7 ? 2 : 1;
		mad[17] = 0x20;
		to.qp = cases[i].qp;
		net->n.why = DROP_HOPS;
		is_int(host_send(client.file, &(struct host_out){ client.id, &to, mad, 256, 0, 0 },
				 net->n.now),
		       0, "class 0x%02x to QP %u", cases[i].mgmt_class, cases[i].qp);
		host_net_run(net);
		is_int(net->n.why, cases[i].why, "... is dropped: %s", fabric_drop_name(cases[i].why));
		is_int(program_take(&server).len, 0, "... and not delivered");
	}
	to.qp = 1;
	vendor_mad(mad, METHOD_ASK, 1);
	host_send(client.file, &(struct host_out){ client.id, &to, mad, 256, 100, 0 }, net->n.now);
	host_net_run(net);
	m = program_take(&server);
	is_int(m.len, 256, "an agent of class 0 sends what it likes");
	program_answer(&server, &m, METHOD_ASK | RESPONSE);
	host_net_run(net);
	is_int(program_take(&client).status, 0, "... and is answered");
	mad[0] = 2;
	is_int(host_send(client.file, &(struct host_out){ client.id, &to, mad, 256, 100, 0 }, net->n.now), 0,
	       "another base version");
	host_net_until(net, net->n.now + 100 * MS);
	is_int(program_take(&client).status, 110, "... arrives nowhere");
	is_int(host_register(client.file, &smi, &client.id), 0, "an SMI agent");
	vendor_mad(mad, METHOD_ASK, 1);
	host_send(client.file, &(struct host_out){ client.id, &to, mad, 256, 0, 0 }, net->n.now);
	host_net_run(net);
	is_int(program_take(&server).len, 0, "... does not reach QP 1");
	host_close(server.file);
	host_close(client.file);
}

static void sim_host_address_multicast(struct host_net *net)
{
	struct host_agent serves = agent_of(VENDOR, OUI, METHOD_ASK, 0);
	struct host_agent asks = agent_of(VENDOR, OUI, -1, 0);
	struct program server, client;
	struct madkit_addr to = { .lid = 0xc000, .qp = 0xffffff, .grh = true };
	struct host_message m;
	uint8_t mad[256], table[64] = { 0 };

	put_be16(table, 1 << 1 | 1 << 2); /* h1 and h3 at A */
	is_int(net_set(&net->n, "h1", "0,1", 0x1b, 0, table), 0, "a group of h1 and h3");
	program_open(&server, net, "h3", &serves);
	program_open(&client, net, "h1", &asks);
	to.gid[0] = 0xff;
	to.gid[1] = 0x12;
	vendor_mad(mad, METHOD_ASK, 1);
	is_int(host_send(client.file, &(struct host_out){ client.id, &to, mad, 256, 0, 0 }, net->n.now), 0,
	       "to the group");
	host_net_run(net);
	m = program_take(&server);
	is_int(m.len, 256, "... comes");
	is_int(m.from.lid, lid_at(net, "h1"), "... from its sender");
	is_int(m.from.path_bits, 0, "... without path bits");
	is_int(m.from.gid_index, 0, "... to no GID of its own");
	host_close(server.file);
	host_close(client.file);
}

int main(void)
{
	struct host_net net;

	host_net_open(&net, LINE_NET, 0);
	sim_host_address_smps(&net);
	manager(&net);
	sim_host_address_keys(&net);
	gids(&net);
	queue_pairs(&net);
	sim_host_address_multicast(&net);
	path_bits(&net);
	host_net_close(&net);
	return tap_done();
}
