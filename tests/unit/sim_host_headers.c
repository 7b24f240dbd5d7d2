/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How a host's kernel treats the header of a MAD, against the facts about a real one in
 * tests/kernel/FACTS: lengths, transaction IDs and their duplicates, which MADs are responses, and queues. */
#include "tests/unit/sim_host.h"
#include "util/array_size.h"

static const uint64_t tid_1 = UINT64_C(0x1122334455667788), tid_2 = UINT64_C(0x8877665555667788);

static void sim_host_headers_lengths(struct host_net *net)
{
	struct host_agent any = agent_of(VENDOR, OUI, -1, 0), rmpp = agent_of(VENDOR, OUI, -1, 1);
	struct program client, with_rmpp;
	unsigned int wrong = 0;
	uint8_t mad[2048] = { 0 };

	program_open(&client, net, "h1", &any);
	program_open(&with_rmpp, net, "h1", &rmpp);
	vendor_mad(mad, 3, 1);
	is_int(program_send(&client, "h2", mad, 257, 0, 0), -EINVAL,
	       "257 bytes without kernel RMPP are EINVAL");
	mad[26] = 1;
	is_int(program_send(&client, "h2", mad, 257, 0, 0), -EINVAL, "... with the flag, too");
	is_int(program_send(&with_rmpp, "h2", mad, 257, 0, 0), 0, "... but not with kernel RMPP");
	mad[26] = 0;
	is_int(program_send(&with_rmpp, "h2", mad, 257, 0, 0), -EINVAL, "... and if the flag says so");
	mad[1] = 4;
	is_int(program_send(&with_rmpp, "h2", mad, 256, 0, 0), -EINVAL,
	       "a class without RMPP from an agent with it is EINVAL");
	for (unsigned int c = 2; c < 0x50; c++) {
		size_t least = c == 3                           ? 56 :
			       c == 6 || c == 0x10 || c == 0x12 ? 64 :
			       c >= 0x30                        ? 40 :
								  36,
		       len = 0;

		mad[1] = (uint8_t)c;
		while (len < 256 && program_send(&client, "h2", mad, len, 0, 0) == -EINVAL)
			len++;
		wrong += len != least;
	}
	is_u64(wrong, 0, "the shortest MAD is 36 bytes, of a class with RMPP its header");
	client.id = 31;
	is_int(program_send(&client, "h2", mad, 256, 0, 0), -EIO, "an unknown agent is EIO");
	client.id = 32;
	is_int(program_send(&client, "h2", mad, 256, 0, 0), -EINVAL, "... but EINVAL from 32 on");
	host_close(client.file);
	host_close(with_rmpp.file);
	host_net_run(net);
}

static void sim_host_headers_tids(struct host_net *net)
{
	struct host_agent serves = agent_of(VENDOR, OUI, 3, 0), asks = agent_of(VENDOR, OUI, -1, 0);
	struct program server, client;
	struct host_message m;
	uint32_t high, other;
	uint8_t mad[256];

	program_open(&server, net, "h2", &serves);
	program_open(&client, net, "h1", &asks);
	vendor_mad(mad, 3, tid_1);
	program_send(&client, "h2", mad, 256, 0, 0);
	host_net_run(net);
	m = program_take(&server);
	high = get_be32(m.mad + 8);
	ok(high != tid_1 >> 32, "the high 32 bits of what is no response are overwritten");
	is_u64(get_be32(m.mad + 12), (uint32_t)tid_1, "... the low ones kept");
	vendor_mad(mad, 3, tid_2);
	program_send(&client, "h2", mad, 256, 0, 0);
	host_net_run(net);
	m = program_take(&server);
	is_u64(get_be32(m.mad + 8), high, "... they are the agent's");
	host_register(client.file, &asks, &client.id);
	program_send(&client, "h2", mad, 256, 0, 0);
	host_net_run(net);
	m = program_take(&server);
	other = get_be32(m.mad + 8);
	ok(other != high && other, "another agent of the same file has others");
	mad[3] = 3 | RESPONSE;
	program_send(&client, "h2", mad, 256, 0, 0);
	host_net_run(net);
	is_u64(get_be64(net->n.mad + 8), tid_2, "a response keeps all of its TID");
	host_close(server.file);
	host_close(client.file);
}

static int sim_host_headers_ask(struct program *p, const char *to, uint8_t mgmt_class, uint8_t method,
				uint64_t tid, uint32_t timeout_ms)
{
	uint8_t mad[256];

	vendor_mad(mad, method, tid);
	mad[1] = mgmt_class;
	return program_send(p, to, mad, 256, timeout_ms, 0);
}

static void sim_host_headers_duplicates(struct host_net *net)
{
	enum { RESP = METHOD_ASK | RESPONSE, LONG = 100000 };
	struct host_agent serves = agent_of(VENDOR, OUI, METHOD_ASK, 0);
	struct host_agent asks = agent_of(VENDOR, OUI, -1, 0);
	struct host_agent by_hand = agent_of(VENDOR, OUI, -1, 1);
	struct program server, p, agent, file;
	struct host_message m;
	uint8_t mad[256];

	by_hand.flags = 1;
	program_open(&server, net, "h2", &serves);
	program_open(&p, net, "h1", &asks);
	agent = p;
	host_register(p.file, &asks, &agent.id);
	program_open(&file, net, "h1", &asks);
	is_int(sim_host_headers_ask(&p, "h2", VENDOR, METHOD_ASK, tid_1, LONG), 0, "a request is in flight");
	is_int(sim_host_headers_ask(&p, "h2", VENDOR, METHOD_ASK, tid_1, LONG), -EINVAL,
	       "its TID again is EINVAL");
	is_int(sim_host_headers_ask(&p, "h2", VENDOR, METHOD_ASK, tid_2, LONG), -EINVAL,
	       "... with other high bits");
	is_int(sim_host_headers_ask(&p, "h2", VENDOR, 3, tid_1, 0), -EINVAL, "... with another method");
	is_int(sim_host_headers_ask(&p, "h1", VENDOR, METHOD_ASK, tid_1, LONG), -EINVAL,
	       "... to another LID");
	is_int(sim_host_headers_ask(&p, "h2", VENDOR + 1, METHOD_ASK, tid_1, LONG), 0,
	       "another class is another");
	is_int(sim_host_headers_ask(&p, "h2", VENDOR, METHOD_ASK, tid_1 + 1, LONG), 0, "... and another TID");
	is_int(sim_host_headers_ask(&agent, "h2", VENDOR, METHOD_ASK, tid_1, LONG), 0,
	       "... and another agent's");
	is_int(sim_host_headers_ask(&file, "h2", VENDOR, METHOD_ASK, tid_1, LONG), 0,
	       "... and another file's");
	is_int(sim_host_headers_ask(&p, "h2", VENDOR, RESP, tid_1, LONG), 0,
	       "a response of that TID is none");
	is_int(sim_host_headers_ask(&p, "h2", VENDOR, RESP, tid_1, LONG), -EINVAL,
	       "... but is in flight itself");
	is_int(sim_host_headers_ask(&p, "h2", VENDOR, RESP, tid_2, LONG), 0, "... not with other high bits");
	is_int(sim_host_headers_ask(&p, "h1", VENDOR, RESP, tid_1, LONG), 0,
	       "... nor to another destination");
	host_net_run(net);
	m = program_take(&server);
	program_answer(&server, &m, RESP);
	host_net_run(net);
	is_int(program_take(&p).status, 0, "the first is answered");
	is_int(sim_host_headers_ask(&p, "h2", VENDOR, METHOD_ASK, tid_1, LONG), 0,
	       "... then its TID is free again");
	host_close(file.file);
	program_open(&file, net, "h1", &by_hand);
	vendor_mad(mad, METHOD_ASK, tid_1);
	mad[26] = 1;
	is_int(program_send(&file, "h2", mad, 256, LONG, 0), 0, "a segment by hand");
	is_int(program_send(&file, "h2", mad, 256, LONG, 0), 0, "... has the TID of all others");
	host_net_run(net);
	host_close(server.file);
	host_close(p.file);
	host_close(file.file);
	is_u64(hosts_deadline(net->hosts), UINT64_MAX, "nothing is left when files are closed");
}

static void sim_host_headers_responses(struct host_net *net)
{
	static const struct {
		uint8_t mgmt_class, asked, answer;
		uint32_t modifier;
		bool matched;
	} cases[] = {
		{ VENDOR, METHOD_ASK, METHOD_ASK | RESPONSE, 0, true },
		{ VENDOR, 5, 7, 0, true },
		{ VENDOR, 5, 3, 0, false },
		{ 5, METHOD_ASK, METHOD_ASK + 1, 1, true },
		{ 5, METHOD_ASK, METHOD_ASK + 1, 2, false },
		{ VENDOR, METHOD_ASK, METHOD_ASK + 1, 1, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint32_t oui = cases[i].mgmt_class == VENDOR ? OUI : 0;
		struct host_agent serves = agent_of(cases[i].mgmt_class, oui, cases[i].asked, 0);
		struct host_agent asks = agent_of(cases[i].mgmt_class, oui, -1, 0);
		struct program server, client;
		struct host_message m;
		uint8_t mad[256];

		program_open(&server, net, "h2", &serves);
		program_open(&client, net, "h1", &asks);
		is_int(sim_host_headers_ask(&client, "h2", cases[i].mgmt_class, cases[i].asked, tid_1, 1000),
		       0, "class 0x%02x, method 0x%02x", cases[i].mgmt_class, cases[i].asked);
		host_net_run(net);
		m = program_take(&server);
		is_int(m.len, 256, "... comes");
		memcpy(mad, m.mad, 256);
		mad[3] = cases[i].answer;
		put_be32(mad + 20, cases[i].modifier);
		host_send(server.file, &(struct host_out){ server.id, &m.from, mad, 256, 0, 0 }, net->n.now);
		host_net_until(net, net->n.now + 1000 * MS);
		m = program_take(&client);
		is_int(m.status, cases[i].matched ? 0 : 110, "... %s method 0x%02x, modifier %u",
		       cases[i].matched ? "answered by" : "not answered by", cases[i].answer,
		       cases[i].modifier);
		host_close(server.file);
		host_close(client.file);
	}
}

/* The required source and destination of a response. */
static void wrong_answers(struct host_net *net)
{
	struct host_agent serves = agent_of(VENDOR, OUI, METHOD_ASK, 0);
	struct host_agent asks = agent_of(VENDOR, OUI, -1, 0);
	struct program server, client, other;
	struct host_message m, good;
	uint8_t mad[256];
	uint32_t id;

	program_open(&server, net, "h2", &serves);
	program_open(&client, net, "h1", &asks);
	program_open(&other, net, "h3", &asks);
	host_register(client.file, &asks, &id);
	sim_host_headers_ask(&client, "h2", VENDOR, METHOD_ASK, tid_1, 1000);
	host_net_run(net);
	good = program_take(&server);
	memcpy(mad, good.mad, 256);
	for (int i = 0; i < 4; i++) {
		static const char *const what[] = {
			"another TID",
			"another agent's TID",
			"another class",
			"another attribute",
		};
		uint8_t wrong[256];

		memcpy(wrong, mad, 256);
		wrong[3] |= RESPONSE;
		wrong[15] ^= i == 0;
		put_be32(wrong + 8, get_be32(wrong + 8) + (i == 1));
		wrong[1] = (uint8_t)(wrong[1] + (i == 2));
		wrong[17] ^= i == 3;
		m = good;
		is_int(host_send(server.file, &(struct host_out){ server.id, &m.from, wrong, 256, 0, 0 },
				 net->n.now),
		       0, "an answer with %s", what[i]);
		host_net_run(net);
		m = program_take(&client);
		is_int(m.len ? m.mad[3] : 0, i == 3 ? METHOD_ASK | RESPONSE : 0,
		       i == 3 ? "... is one" : "... is none");
		if (i < 3)
			is_int(net->n.why, DROP_UNEXPECTED, "... and the drop is told");
	}
	/* from somebody else: the kernel does not look who it was that it asked */
	sim_host_headers_ask(&client, "h2", VENDOR, METHOD_ASK, tid_1, 1000);
	host_net_run(net);
	m = program_take(&server);
	memcpy(mad, m.mad, 256);
	mad[3] |= RESPONSE;
	m.from.lid = lid_at(net, "h1");
	host_send(other.file, &(struct host_out){ other.id, &m.from, mad, 256, 0, 0 }, net->n.now);
	host_net_run(net);
	m = program_take(&client);
	is_int(m.status, 0, "an answer from another LID is one");
	is_int(m.from.lid, lid_at(net, "h3"), "... and tells so");
	host_close(server.file);
	host_close(client.file);
	host_close(other.file);
}

static void queues(void)
{
	struct host_agent serves = agent_of(VENDOR, OUI, METHOD_ASK, 0);
	struct host_agent asks = agent_of(VENDOR, OUI, -1, 0);
	struct program server, client;
	struct host_net net;

	host_net_open(&net, LINE_NET, 3);
	program_open(&server, &net, "h2", &serves);
	program_open(&client, &net, "h1", &asks);
	for (uint64_t tid = 1; tid <= 5; tid++)
		sim_host_headers_ask(&client, "h2", VENDOR, METHOD_ASK, tid, 100);
	host_net_run(&net);
	is_int(server.woken, 1, "the first message wakes who reads");
	is_int(net.overflows, 2, "what the queue has no room for is lost, and told");
	is_u64(net.lost, 2, "... with its number");
	for (uint64_t tid = 1; tid <= 3; tid++)
		is_u64(get_be32(program_take(&server).mad + 12), tid, "the first ones are kept");
	is_int(program_take(&server).len, 0, "... alone");
	host_net_until(&net, net.n.now + 100 * MS);
	for (int i = 0; i < 3; i++)
		is_int(program_take(&client).status, 110, "timeouts count as well");
	is_int(program_take(&client).len, 0, "... the others are lost");
	is_int(net.overflows, 4, "... and told");
	sim_host_headers_ask(&client, "h2", VENDOR, METHOD_ASK, 9, 0);
	host_net_run(&net);
	is_int(server.woken, 2, "an empty queue wakes again");
	host_net_close(&net);
	ok(true, "hosts that are freed close their files");
}

/* A queue that is never read. */
static void long_queue(struct host_net *net)
{
	struct host_agent serves = agent_of(VENDOR, OUI, METHOD_ASK, 0);
	struct host_agent asks = agent_of(VENDOR, OUI, -1, 0);
	struct program server, client;

	program_open(&server, net, "h2", &serves);
	program_open(&client, net, "h1", &asks);
	for (unsigned int n = 0; n < 200003; n++) {
		sim_host_headers_ask(&client, "h2", VENDOR, METHOD_ASK, n, 0);
		if (n % 1000 == 0)
			host_net_run(net);
	}
	host_net_run(net);
	is_u64(net->lost, 2, "a file keeps 200001 MADs; later ones are lost");
	host_close(server.file);
	host_close(client.file);
}

static void sim_host_headers_many_files(struct host_net *net)
{
	enum { FILES = 5000 };
	static struct program programs[FILES];
	struct host_agent asks = agent_of(VENDOR, OUI, -1, 0);
	unsigned int answered = 0;

	for (int i = 0; i < FILES; i++)
		program_open(&programs[i], net, "h1", &asks);
	for (int i = 0; i < FILES; i++)
		sim_host_headers_ask(&programs[i], "h2", VENDOR, 1, 1, 1000);
	host_net_run(net);
	for (int i = 0; i < FILES; i++)
		answered += program_take(&programs[i]).len == 256;
	is_u64(answered, FILES, "5000 open files with an agent each, and each has its answer");
	for (int i = 0; i < FILES; i++)
		host_close(programs[i].file);
}

int main(void)
{
	struct host_net net;

	host_net_open(&net, LINE_NET, 0);
	sim_host_headers_lengths(&net);
	sim_host_headers_tids(&net);
	sim_host_headers_duplicates(&net);
	sim_host_headers_responses(&net);
	wrong_answers(&net);
	sim_host_headers_many_files(&net);
	long_queue(&net);
	host_net_close(&net);
	queues();
	return tap_done();
}
