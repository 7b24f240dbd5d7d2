/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* RMPP of a host's kernel, against the facts about a real one in tests/kernel/FACTS: between two of them,
 * and with a peer that makes its segments and ACKs by hand on a USER_RMPP agent. */
#include "tests/unit/sim_host.h"
#include "util/array_size.h"

#define RANDOM_SEED 7
#include "tests/random.h"

enum { DATA = 1, ACK = 2, STOP = 3, ABORT = 4, ACTIVE = 1, FIRST = 2, LAST = 4 };
enum { HEADER = 40, SEGMENT = 216, MOST = 4 << 20 };

static uint8_t sent[MOST + 64];

/* A message of a vendor's class, with so much data. */
static size_t sim_host_rmpp_fill(uint8_t method, uint64_t tid, size_t data)
{
	uint8_t head[256];

	vendor_mad(head, method, tid);
	memcpy(sent, head, HEADER);
	random_bytes(sent + HEADER, data);
	sent[24] = 1;
	sent[25] = DATA;
	sent[26] = 31 << 3 | ACTIVE;
	return HEADER + data;
}

static int send_long(struct program *p, const char *to, size_t len, uint32_t timeout_ms, uint32_t retries)
{
	return program_send(p, to, sent, len, timeout_ms, retries);
}

static void open_kernel(struct program *p, struct host_net *net, const char *name, int method)
{
	struct host_agent agent = agent_of(VENDOR, OUI, method, 1);

	program_open(p, net, name, &agent);
}

static void sim_host_rmpp_open_by_hand(struct program *p, struct host_net *net, const char *name)
{
	struct host_agent agent = agent_of(VENDOR, OUI, METHOD_ASK, 1);

	agent.flags = 1;
	program_open(p, net, name, &agent);
}

/* Makes m's MAD an RMPP packet and sends it back. */
static void sim_host_rmpp_reply(struct program *p, const struct host_message *m, uint8_t method, int type,
				int flags, int status, uint32_t first, uint32_t second)
{
	uint8_t mad[256];

	memcpy(mad, m->mad, 256);
	mad[3] = method;
	mad[24] = 1;
	mad[25] = (uint8_t)type;
	mad[26] = (uint8_t)(31 << 3 | ACTIVE | flags);
	mad[27] = (uint8_t)status;
	put_be32(mad + 28, first);
	put_be32(mad + 32, second);
	is_int(host_send(p->file, &(struct host_out){ p->id, &m->from, mad, 256, 0, 0 }, p->net->n.now), 0,
	       "sent by hand: type %d", type);
	host_net_run(p->net);
}

/* ---- between two kernels --------------------------------------------------------------- */

static void sim_host_rmpp_there_and_back(struct host_net *net, size_t data)
{
	struct program server, client;
	size_t segments = data ? (data + SEGMENT - 1) / SEGMENT : 1;
	struct host_message m;
	uint8_t *copy;

	open_kernel(&server, net, "h2", METHOD_ASK);
	open_kernel(&client, net, "h1", -1);
	is_int(send_long(&client, "h2", sim_host_rmpp_fill(METHOD_ASK, 1, data), 30000, 3), 0,
	       "%zu bytes are sent", data);
	host_net_run(net);
	if (!ok(host_next(server.file, &m), "... a message has come"))
		return;
	is_u64(m.len, HEADER + data, "... its length is that of the data and one header");
	is_mem(m.mad + HEADER, sent + HEADER, data, "... every byte as it was sent");
	is_u64(get_be32(m.mad + 32), data + 4 * segments,
	       "... PayloadLength counts the OUI of every segment");
	copy = malloc(m.len);
	memcpy(copy, m.mad, m.len);
	copy[3] |= RESPONSE;
	is_int(host_send(server.file, &(struct host_out){ server.id, &m.from, copy, m.len, 0, 3 },
			 net->n.now),
	       0, "... and is sent back");
	host_pop(server.file);
	free(copy);
	host_net_run(net);
	if (!ok(host_next(client.file, &m), "... it has come back"))
		return;
	is_int(m.status, 0, "... its status is 0");
	is_u64(m.len, HEADER + data, "... its length");
	is_mem(m.mad + HEADER, sent + HEADER, data, "... every byte");
	host_pop(client.file);
	host_net_until(net, net->n.now + 60000 * MS);
	ok(!host_next(client.file, &m) && !host_next(server.file, &m), "... nothing follows");
	is_u64(net->hosts ? hosts_deadline(net->hosts) : 0, UINT64_MAX, "... and nothing is due");
	host_close(client.file);
	host_close(server.file);
}

/* A table of the SA: 5,000 NodeRecords. */
static void sim_host_rmpp_table(struct host_net *net)
{
	enum { RECORD = 112, RECORDS = 5000, SA_HEADER = 56, BYTES = RECORD * RECORDS };
	struct host_agent serves = agent_of(3, 0, 0x12, 1), asks = agent_of(3, 0, -1, 1);
	struct program server, client;
	struct madkit_header h = { .base_version = 1,
				   .mgmt_class = 3,
				   .class_version = 2,
				   .method = 0x12,
				   .tid = 5,
				   .attribute = 0x11 };
	struct host_message m;
	uint8_t mad[256] = { 0 };

	serves.class_version = asks.class_version = 2;
	program_open(&server, net, "h2", &serves);
	program_open(&client, net, "h1", &asks);
	madkit_header_put(mad, 256, &h);
	is_int(program_send(&client, "h2", mad, 256, 1000, 3), 0, "SA: a request");
	host_net_run(net);
	if (!ok(host_next(server.file, &m), "... which comes"))
		return;
	memcpy(sent, m.mad, SA_HEADER);
	random_bytes(sent + SA_HEADER, BYTES);
	sent[3] = 0x92;
	sent[26] = ACTIVE;
	is_int(host_send(server.file, &(struct host_out){ server.id, &m.from, sent, SA_HEADER + BYTES, 0, 3 },
			 net->n.now),
	       0, "SA: a table of %d bytes", BYTES);
	host_pop(server.file);
	host_net_run(net);
	if (!ok(host_next(client.file, &m), "... comes"))
		return;
	is_u64(m.len, SA_HEADER + BYTES, "SA: the length is a header of 56 bytes and the data");
	is_mem(m.mad + SA_HEADER, sent + SA_HEADER, BYTES, "SA: every byte");
	is_u64(get_be32(m.mad + 32), BYTES + 20 * ((BYTES + 199) / 200),
	       "SA: PayloadLength counts the class header of 20 bytes of every segment");
	host_close(client.file);
	host_close(server.file);
}

static void sim_host_rmpp_losses(struct host_net *net)
{
	struct program server, client;
	struct host_message m;
	unsigned int whole = 0, spoilt = 0, wrong = 0;

	open_kernel(&server, net, "h2", METHOD_ASK);
	open_kernel(&client, net, "h1", -1);
	for (unsigned int lose = 5; lose < 60; lose += 3)
		for (uint32_t retries = 0; retries < 20; retries += 19) {
			bool came;

			net->lose = lose;
			net->losses = 0;
			send_long(&client, "h2",
				  sim_host_rmpp_fill(METHOD_ASK, lose * 2 + !!retries, 150 * SEGMENT), 0,
				  retries);
			host_net_until(net, net->n.now + 100000 * MS);
			net->lose = 0;
			came = host_next(server.file, &m) && m.len == HEADER + 150 * SEGMENT &&
			       !memcmp(m.mad + HEADER, sent + HEADER, 150 * SEGMENT);
			host_pop(server.file);
			whole += came && retries;
			if (retries)
				continue;
			/* where it did not come, or an ACK of it, it comes back */
			wrong += program_take(&client).status != (net->losses ? 110 : 0);
			spoilt += net->losses > 0;
		}
	is_u64(whole, 19, "lost packets are sent again, where there are retries");
	is_u64(wrong, 0, "without retries the first loss is the end: status 110");
	ok(spoilt > 10, "... %u times", spoilt);
	host_close(client.file);
	host_close(server.file);
}

/* ---- the kernel and a hand ---------------------------------------------------------------- */

static void sim_host_rmpp_kernel_to_hand(struct host_net *net)
{
	enum { SEGMENTS = 3, BYTES = 2 * SEGMENT + 100 };
	struct program peer, client;
	struct host_message m;

	sim_host_rmpp_open_by_hand(&peer, net, "h2");
	open_kernel(&client, net, "h1", -1);
	is_int(send_long(&client, "h2", sim_host_rmpp_fill(METHOD_ASK, 1, BYTES), 5000, 3), 0,
	       "by hand: the kernel sends three segments");
	host_net_run(net);
	for (uint32_t k = 1; k <= SEGMENTS; k++) {
		int flags = (k == 1 ? FIRST : 0) | (k == SEGMENTS ? LAST : 0) | ACTIVE;

		m = program_take(&peer);
		is_int(m.len, 256, "by hand: segment %u comes", k);
		is_int(m.mad[25], DATA, "... DATA");
		is_int(m.mad[26] & 7, flags, "... its flags");
		is_int(m.mad[26] >> 3, 0, "... its response time is 0, not the 31 that was given");
		is_u64(get_be32(m.mad + 28), k, "... its number");
		is_u64(get_be32(m.mad + 32),
		       k == 1        ? BYTES + 4 * SEGMENTS :
		       k == SEGMENTS ? 104 :
				       0,
		       "... its PayloadLength");
		is_mem(m.mad + HEADER, sent + HEADER + (k - 1) * SEGMENT, k == SEGMENTS ? 100 : SEGMENT,
		       "... its data");
		is_int(program_take(&peer).len, 0, "... and none beyond the window");
		sim_host_rmpp_reply(&peer, &m, METHOD_ASK | RESPONSE, ACK, 0, 0, k, k + 1);
	}
	m = program_take(&peer);
	is_int(m.mad[25], ACK, "by hand: the last ACK of a request is turned around");
	is_u64(get_be32(m.mad + 28), 0, "... by an ACK of 0");
	is_u64(get_be32(m.mad + 32), 1, "... and a window of 1");
	{
		uint8_t mad[256];

		memcpy(mad, m.mad, 256);
		mad[3] = METHOD_ASK | RESPONSE;
		mad[26] = 0;
		host_send(peer.file, &(struct host_out){ peer.id, &m.from, mad, 256, 0, 0 }, net->n.now);
	}
	host_net_run(net);
	m = program_take(&client);
	is_int(m.len, 256, "by hand: the answer after it is delivered");
	is_int(m.status, 0, "... without an error");
	host_close(client.file);
	host_close(peer.file);
}

static void sim_host_rmpp_hand_to_kernel(struct host_net *net, uint32_t claimed)
{
	enum { BYTES = 2 * SEGMENT + 100 };
	struct program peer, server;
	struct host_message m;
	uint8_t mad[256];

	sim_host_rmpp_open_by_hand(&peer, net, "h1");
	open_kernel(&server, net, "h2", METHOD_ASK);
	sim_host_rmpp_fill(METHOD_ASK, 7, BYTES);
	for (uint32_t k = 1; k <= 3; k++) {
		memset(mad, 0, 256);
		memcpy(mad, sent, HEADER);
		memcpy(mad + HEADER, sent + HEADER + (k - 1) * SEGMENT, k == 3 ? 100 : SEGMENT);
		mad[26] = (uint8_t)(31 << 3 | ACTIVE | (k == 1 ? FIRST : 0) | (k == 3 ? LAST : 0));
		put_be32(mad + 28, k);
		put_be32(mad + 32, k == 1 ? claimed : k == 3 ? 104 : 0);
		is_int(program_send(&peer, "h2", mad, 256, 0, 0), 0, "hand: segment %u", k);
		host_net_run(net);
		m = program_take(&peer);
		if (k == 2) {
			is_int(m.len, 0, "... within the window: it is not acknowledged by itself");
			continue;
		}
		is_int(m.mad[25], ACK, "... is acknowledged");
		is_int(m.mad[3], METHOD_ASK | RESPONSE, "... with the response bit");
		is_u64(get_be32(m.mad + 28), k, "... its number");
		is_u64(get_be32(m.mad + 12), 7, "... the TID");
		is_u64(get_be32(m.mad + 32), 65, "... NewWindowLast 65");
	}
	m = program_take(&server);
	is_u64(m.len, HEADER + BYTES, "hand, PayloadLength %u: coalesced", claimed);
	is_mem(m.mad + HEADER, sent + HEADER, 200, "... as it was sent");
	/* the last one again, as if its ACK were lost; then after 10 s */
	is_int(program_send(&peer, "h2", mad, 256, 0, 0), 0, "hand: the last again");
	host_net_run(net);
	m = program_take(&peer);
	is_u64(get_be32(m.mad + 28), 3, "... is acknowledged again");
	host_net_until(net, net->n.now + 10001 * MS);
	program_send(&peer, "h2", mad, 256, 0, 0);
	host_net_run(net);
	is_int(program_take(&peer).len, 0, "... for 10 s");
	is_int(program_take(&server).len, 0, "... and delivered once");
	host_close(peer.file);
	host_close(server.file);
}

static void sim_host_rmpp_unfinished(struct host_net *net)
{
	static const struct {
		const char *what;
		int type, status;
		uint32_t timeout_ms, retries;
		unsigned int after_ms; /* 0: never */
	} cases[] = {
		{ "no ACK, 300 ms", 0, 0, 300, 0, 300 },
		{ "no ACK, 300 ms, 2 retries", 0, 0, 300, 2, 900 },
		{ "no ACK, no timeout", 0, 0, 0, 0, 2000 },
		{ "no ACK, no timeout, 1 retry", 0, 0, 0, 1, 4000 },
		{ "no ACK, 5 s", 0, 0, 5000, 0, 2000 },
		{ "ABORT", ABORT, 127, 300, 0, 0 },
		{ "ABORT of a status that it has not", ABORT, 128, 300, 0, 0 },
		{ "STOP", STOP, 1, 300, 0, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct program peer, client;
		struct host_message m;
		uint64_t start = net->n.now;

		sim_host_rmpp_open_by_hand(&peer, net, "h2");
		open_kernel(&client, net, "h1", -1);
		is_int(send_long(&client, "h2", sim_host_rmpp_fill(METHOD_ASK, 1, 1000), cases[i].timeout_ms,
				 cases[i].retries),
		       0, "%s: sent", cases[i].what);
		host_net_run(net);
		m = program_take(&peer);
		is_int(m.mad[25], DATA, "... the peer sees the first segment");
		if (cases[i].type)
			sim_host_rmpp_reply(&peer, &m, METHOD_ASK | RESPONSE, cases[i].type, 0,
					    cases[i].status, 0, 0);
		if (cases[i].after_ms) {
			host_net_until(net, start + cases[i].after_ms * MS - 1);
			is_int(program_take(&client).len, 0, "... not back before");
			host_net_until(net, start + cases[i].after_ms * MS);
			m = program_take(&client);
			is_int(m.status, 110, "... status 110 after %u ms", cases[i].after_ms);
			is_int(m.len, 24, "... the header alone");
			is_u64(get_be32(m.mad + 12), 1, "... its TID");
		} else {
			host_net_until(net, start + 100000 * MS);
			is_int(program_take(&client).len, 0, "... it never comes back");
			m = program_take(&peer);
			is_int(m.len ? m.mad[25] : 0, cases[i].status == 128 ? ABORT : 0,
			       "... what is said to that");
			is_int(m.len ? m.mad[27] : 0, cases[i].status == 128 ? 124 : 0,
			       "... by which status");
		}
		host_close(client.file);
		host_close(peer.file);
	}
}

/* The first segment acknowledged, the window open, and then silence. */
static void sim_host_rmpp_silence(struct host_net *net)
{
	static const struct {
		uint32_t timeout_ms;
		bool again;
	} cases[] = { { 0, true }, { 2001, true }, { 300, false }, { 2000, false } };

	for (size_t i = 0; i < 4; i++) {
		struct program peer, client;
		struct host_message m;

		sim_host_rmpp_open_by_hand(&peer, net, "h2");
		open_kernel(&client, net, "h1", -1);
		send_long(&client, "h2", sim_host_rmpp_fill(METHOD_ASK, 1, 3 * SEGMENT), cases[i].timeout_ms,
			  3);
		host_net_run(net);
		m = program_take(&peer);
		sim_host_rmpp_reply(&peer, &m, METHOD_ASK | RESPONSE, ACK, 0, 0, 1, 64);
		for (uint32_t k = 2; k <= 3; k++)
			is_u64(get_be32(program_take(&peer).mad + 28), k, "%u ms: segment %u",
			       cases[i].timeout_ms, k);
		host_net_until(net, net->n.now + 2000 * MS);
		m = program_take(&peer);
		if (cases[i].again)
			is_u64(get_be32(m.mad + 28), 2, "... the second is sent again");
		else
			is_int(m.len, 0, "... nothing is sent again");
		host_net_until(net, net->n.now + 100000 * MS);
		is_int(program_take(&client).status, cases[i].again ? 110 : 0,
		       cases[i].again ? "... and it comes back" : "... and it never comes back");
		host_close(client.file);
		host_close(peer.file);
	}
}

/* Retries count anew from each progress. */
static void progress(struct host_net *net)
{
	struct program peer, client;
	struct host_message m;

	sim_host_rmpp_open_by_hand(&peer, net, "h2");
	open_kernel(&client, net, "h1", -1);
	send_long(&client, "h2", sim_host_rmpp_fill(METHOD_ASK, 1, 3 * SEGMENT), 0, 1);
	host_net_until(net, net->n.now + 2001 * MS);
	program_take(&peer);
	m = program_take(&peer);
	is_u64(get_be32(m.mad + 28), 1, "progress: the first segment is sent again");
	sim_host_rmpp_reply(&peer, &m, METHOD_ASK | RESPONSE, ACK, 0, 0, 1, 2);
	is_u64(get_be32(program_take(&peer).mad + 28), 2, "... acknowledged: the second follows");
	host_net_until(net, net->n.now + 2000 * MS);
	is_u64(get_be32(program_take(&peer).mad + 28), 2, "... which is sent again as well");
	host_net_until(net, net->n.now + 2000 * MS);
	is_int(program_take(&client).status, 110, "... once");
	host_close(client.file);
	host_close(peer.file);
}

/* A request of which all is acknowledged, and no response. */
static void sim_host_rmpp_acknowledged(struct host_net *net)
{
	struct program peer, client;
	struct host_message m;
	uint64_t start;

	sim_host_rmpp_open_by_hand(&peer, net, "h2");
	open_kernel(&client, net, "h1", -1);
	send_long(&client, "h2", sim_host_rmpp_fill(METHOD_ASK, 1, 100), 3000, 3);
	host_net_until(net, net->n.now + 1000 * MS);
	m = program_take(&peer);
	start = net->n.now;
	sim_host_rmpp_reply(&peer, &m, METHOD_ASK | RESPONSE, ACK, 0, 0, 1, 1);
	program_take(&peer);
	host_net_until(net, start + 2999 * MS);
	is_int(program_take(&client).len, 0, "a request's time begins with its last ACK");
	host_net_until(net, start + 3001 * MS);
	is_int(program_take(&client).status, 110, "... and ends it: there are no more tries");
	is_int(program_take(&peer).len, 0, "... nothing is sent again");
	host_close(client.file);
	host_close(peer.file);
}

/* ---- responses --------------------------------------------------------------------------- */

static void strays(struct host_net *net)
{
	for (uint32_t retries = 0; retries < 2; retries++) {
		struct program p;
		struct host_message m;
		uint64_t start = net->n.now;

		open_kernel(&p, net, "h1", METHOD_ASK);
		is_int(send_long(&p, "h2", sim_host_rmpp_fill(METHOD_ASK | RESPONSE, 3, 1000), 0, retries), 0,
		       "a long response to nobody");
		host_net_until(net, start + (2000 + retries * 2000) * MS);
		m = program_take(&p);
		is_int(m.status, 110, "... comes back after %u ms", 2000 + retries * 2000);
		host_close(p.file);
	}
}

/* To an agent that has not asked: the kernel puts it together, and that is all. */
static void unasked(struct host_net *net)
{
	struct program peer, client;
	struct host_message m;
	uint8_t mad[256];

	sim_host_rmpp_open_by_hand(&peer, net, "h2");
	open_kernel(&client, net, "h1", -1);
	vendor_mad(mad, METHOD_ASK, 1);
	program_send(&client, "h2", mad, 256, 1, 0);
	host_net_until(net, net->n.now + 2 * MS);
	program_take(&client);
	m = program_take(&peer);
	sim_host_rmpp_reply(&peer, &m, METHOD_ASK | RESPONSE, DATA, FIRST | LAST, 0, 1, 100);
	is_int(program_take(&peer).mad[25], ACK, "a response that comes too late is acknowledged");
	is_int(net->n.why, DROP_UNEXPECTED, "... and dropped");
	is_int(program_take(&client).len, 0, "... not delivered");
	host_close(client.file);
	host_close(peer.file);
}

static void sim_host_rmpp_responses(struct host_net *net)
{
	struct program server, client;
	struct host_message m, asked;
	uint8_t request[256];

	/* the client's kernel sends again what the first answer is not done with */
	open_kernel(&server, net, "h2", METHOD_ASK);
	sim_host_rmpp_open_by_hand(&client, net, "h1");
	vendor_mad(request, METHOD_ASK, 6);
	is_int(program_send(&client, "h2", request, 256, 300, 1), 0, "a request with a retry");
	host_net_until(net, net->n.now + 400 * MS);
	is_int(program_take(&server).len, 256, "... comes");
	asked = program_take(&server);
	is_int(asked.len, 256, "... twice");
	sim_host_rmpp_fill(0, 0, 1000);
	memcpy(sent, asked.mad, 24);
	sent[3] |= RESPONSE;
	is_int(host_send(server.file, &(struct host_out){ server.id, &asked.from, sent, 1040, 0, 3 },
			 net->n.now),
	       0, "a long reply to the first");
	is_int(host_send(server.file, &(struct host_out){ server.id, &asked.from, sent, 1040, 0, 3 },
			 net->n.now),
	       -EINVAL, "a second reply is EINVAL while the first is under way");
	host_net_run(net);
	m = program_take(&client);
	is_int(m.mad[25], DATA, "a USER_RMPP agent has segments");
	is_int(m.len, 256, "... of 256 bytes");
	host_close(server.file);
	sim_host_rmpp_reply(&client, &m, METHOD_ASK, ACK, 0, 0, 1, 64);
	is_int(program_take(&client).len, 0, "a dead server sends nothing on");
	host_close(client.file);

	/* a response that stays unfinished */
	sim_host_rmpp_open_by_hand(&server, net, "h2");
	open_kernel(&client, net, "h1", -1);
	{
		uint64_t start = net->n.now;

		is_int(program_send(&client, "h2", request, 256, 600, 0), 0, "a request of 600 ms");
		host_net_run(net);
		m = program_take(&server);
		is_int(m.mad[26], 0, "... which has no RMPP");
		sim_host_rmpp_reply(&server, &m, METHOD_ASK | RESPONSE, DATA, FIRST, 0, 1, 3 * (SEGMENT + 4));
		m = program_take(&server);
		is_int(m.mad[25], ACK, "the first segment of its answer is acknowledged");
		is_int(m.mad[3], METHOD_ASK, "... without the response bit");
		host_net_until(net, start + 600 * MS);
		m = program_take(&client);
		is_int(m.status, 110, "the request comes back when its 600 ms are over");
		host_net_until(net, start + 39000 * MS);
		is_int(program_take(&server).len, 0, "the answer's sender hears nothing");
		host_net_until(net, start + 40003 * MS);
		m = program_take(&server);
		is_int(m.mad[25], ABORT, "... for 40 s");
		is_int(m.mad[27], 118, "... then that its time is over");
	}
	host_close(server.file);
	host_close(client.file);
}

/* Violations of the protocol. */
static void sim_host_rmpp_faults(struct host_net *net)
{
	/* clang-format off */
	static const struct {
		const char *what;
		int type, flags, status, version;
		uint32_t first, second;
		int abort;	/* the status that is answered; 0: nothing is */
	} cases[] = {
		{ "ACK with a status", ACK, 0, 1, 1, 1, 2, 124 },
		{ "ACK whose window is behind", ACK, 0, 0, 1, 2, 1, 122 },
		{ "ACK with a window beyond 31 bits", ACK, 0, 0, 1, 1, 0xffffffff, 122 },
		{ "ACK of a segment that was not sent", ACK, 0, 0, 1, 2, 3, 123 },
		{ "another version", ACK, 0, 0, 2, 1, 2, 125 },
		{ "another type", 9, 0, 0, 1, 1, 2, 121 },
		{ "DATA with a status", DATA, FIRST, 1, 1, 1, 300, 124 },
		{ "a first segment without FIRST", DATA, 0, 0, 1, 1, 300, 120 },
		{ "a second segment with FIRST", DATA, FIRST, 0, 1, 2, 300, 120 },
		{ "a second segment without a first", DATA, 0, 0, 1, 2, 300, 0 },
		{ "STOP with another status", STOP, 0, 2, 1, 0, 0, 124 },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct program peer, client;
		struct host_message m;
		uint8_t mad[256];

		sim_host_rmpp_open_by_hand(&peer, net, "h2");
		open_kernel(&client, net, "h1", -1);
		send_long(&client, "h2", sim_host_rmpp_fill(METHOD_ASK, 1, 1000), 0, 0);
		host_net_run(net);
		m = program_take(&peer);
		memcpy(mad, m.mad, 256);
		mad[3] |= RESPONSE;
		mad[24] = (uint8_t)cases[i].version;
		mad[25] = (uint8_t)cases[i].type;
		mad[26] = (uint8_t)(ACTIVE | cases[i].flags);
		mad[27] = (uint8_t)cases[i].status;
		put_be32(mad + 28, cases[i].first);
		put_be32(mad + 32, cases[i].second);
		host_send(peer.file, &(struct host_out){ peer.id, &m.from, mad, 256, 0, 0 }, net->n.now);
		host_net_run(net);
		m = program_take(&peer);
		if (cases[i].abort) {
			is_int(m.mad[25], ABORT, "%s: ABORT", cases[i].what);
			is_int(m.mad[27], cases[i].abort, "... its status");
		} else {
			is_int(m.len, 0, "%s: silence", cases[i].what);
		}
		host_net_until(net, net->n.now + 3000 * MS);
		is_int(program_take(&client).status, cases[i].type == DATA ? 110 : 0, "... it is %s",
		       cases[i].type == DATA ? "no end of what is sent" : "the end of what is sent, untold");
		host_close(client.file);
		host_close(peer.file);
	}
}

int main(void)
{
	static const size_t sizes[] = {
		0,      1,   215, 216, 217, 432, 64 * SEGMENT, 65 * SEGMENT, 65 * SEGMENT + 1, 66 * SEGMENT,
		100000, MOST
	};
	struct host_net net;

	host_net_open(&net, LINE_NET, 0);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		sim_host_rmpp_there_and_back(&net, sizes[i]);
	sim_host_rmpp_table(&net);
	sim_host_rmpp_losses(&net);
	sim_host_rmpp_kernel_to_hand(&net);
	sim_host_rmpp_hand_to_kernel(&net, 432 + 100 + 12);
	sim_host_rmpp_hand_to_kernel(&net, UINT32_MAX);
	sim_host_rmpp_hand_to_kernel(&net, 0);
	sim_host_rmpp_unfinished(&net);
	sim_host_rmpp_silence(&net);
	progress(&net);
	sim_host_rmpp_acknowledged(&net);
	strays(&net);
	unasked(&net);
	sim_host_rmpp_responses(&net);
	sim_host_rmpp_faults(&net);
	host_net_close(&net);
	return tap_done();
}
