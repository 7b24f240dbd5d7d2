// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The library's requests on a real kernel: answered, not answered, refused, many at once. Needs the soft-RoCE
 * devices rxe0 and rxe1; a process on rxe1 answers.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kernel/agent_end.h"
#include "tests/tap.h"

static void free_reply(struct madkit_send *send, struct madkit_reply *reply)
{
	madkit_recv_free(reply->recv);
	madkit_send_free(send);
}

/* The server's memory of ignored requests; reading it clears it. */
static void tell(struct end *client, uint32_t *requests, uint32_t *tids)
{
	struct madkit_send *send =
		agent_end_request("rxe1", SERVER_OUI, METHOD_ASK, ATTR_TELL, 256, PATIENCE, 0);
	struct madkit_reply reply;

	need(madkit_request(client->agent, send, UINT64_MAX, &reply) == 0 && reply.recv, "the server tells");
	*requests = (uint32_t)be_at(reply.recv->mad + HEADER, 4);
	*tids = (uint32_t)be_at(reply.recv->mad + HEADER + 4, 4);
	free_reply(send, &reply);
}

static void agent_requests_answered(struct end *client)
{
	struct madkit_send *send =
		agent_end_request("rxe1", SERVER_OUI, METHOD_ASK, ATTR_ECHO, 256, PATIENCE, 2);
	struct madkit_reply reply;
	struct madkit_header h;
	uint8_t gid[16];

	fill_random(send->mad + HEADER, SEGMENT, 7);
	gid_of("rxe1", gid);
	is_int(madkit_request(client->agent, send, UINT64_MAX, &reply), 0,
	       "answer: a request ran its course");
	is_int(reply.status, 0, "answer: with an answer");
	is_int(reply.attempts, 1, "answer: to the first try");
	is_int(reply.kernel_resends, false, "answer: the library would have resent");
	need(reply.recv != NULL, "an answer");
	is_u64(reply.recv->len, 256, "answer: 256 bytes");
	madkit_header_get(reply.recv->mad, reply.recv->len, &h);
	is_int(h.method, METHOD_ASK | MADKIT_METHOD_RESPONSE, "answer: the method has the response bit");
	is_mem(reply.recv->mad + HEADER, send->mad + HEADER, SEGMENT, "answer: the data are what was sent");
	is_u64(send->tid, h.tid, "answer: the send has learnt the whole TID");
	ok(h.tid >> 32, "answer: its upper half is the kernel's");
	is_int(reply.recv->from.grh, true, "answer: it came with a GRH");
	is_mem(reply.recv->from.gid, gid, 16, "answer: from the GID that was asked");
	is_int(reply.recv->from.qp, 1, "answer: from QP 1");
	/* W17: -1: on a busy machine, the device took more than 1 ms to accept the request */
	is_between(reply.rtt_ns < 0 ? 1 : reply.rtt_ns / 1000, 1, PATIENCE * 1000,
		   "answer: the round trip was timed");
	is_int(madkit_agent_outstanding(client->agent), 0, "answer: nothing is outstanding");
	is_int(client->ended + client->came, 0, "answer: no handler was called for it");
	free_reply(send, &reply);
}

static void unanswered(struct end *client)
{
	struct madkit_send *send =
		agent_end_request("rxe1", SERVER_OUI, METHOD_ASK, ATTR_SILENT, 256, 200, 2);
	struct madkit_port_counters before, after;
	struct madkit_reply reply;
	uint32_t requests, tids;
	int64_t start = now_ms();

	madkit_port_get_counters(client->port, &before);
	is_int(madkit_request(client->agent, send, UINT64_MAX, &reply), 0,
	       "timeout: a request ran its course");
	is_between(now_ms() - start, 580 - EARLY, SOON, "timeout: 3 x 200 ms");
	madkit_port_get_counters(client->port, &after);
	is_int(reply.status, -ETIMEDOUT, "timeout: without an answer");
	is_int(reply.attempts, 3, "timeout: after three tries");
	is_int(reply.kernel_resends, false, "timeout: of the library's");
	ok(reply.recv == NULL, "timeout: nothing came");
	is_u64(after.timeouts - before.timeouts, 3, "timeout: the kernel told of each");
	is_u64(after.expired - before.expired, 0, "timeout: before the library's own deadline");
	is_u64(after.resent - before.resent, 2, "timeout: two were resends");
	tell(client, &requests, &tids);
	is_int(requests, 3, "timeout: the server got every try");
	is_int(tids, 1, "A16: timeout: each with the same TID");

	send->retries = 0;
	start = now_ms();
	is_int(madkit_request(client->agent, send, UINT64_MAX, &reply), 0,
	       "one try: a request ran its course");
	is_between(now_ms() - start, 190 - EARLY, SOON, "one try: 200 ms");
	is_int(reply.status, -ETIMEDOUT, "one try: without an answer");
	is_int(reply.attempts, 1, "one try: one try");

	/* the caller's deadline is the sooner one */
	send->timeout_ms = 1000;
	send->retries = 9;
	start = now_ms();
	is_int(madkit_request(client->agent, send, madkit_port_now(client->port) + 1500 * UINT64_C(1000000),
			      &reply),
	       0, "deadline: 1500 ms for ten tries");
	is_between(now_ms() - start, 1500 - EARLY, SOON, "deadline: kept");
	is_int(reply.status, -ETIMEDOUT, "deadline: without an answer");
	is_int(reply.attempts, 2, "deadline: within the second try");
	is_int(madkit_agent_outstanding(client->agent), 0, "deadline: nothing is outstanding");
	/* the kernel still reports the try that was given up: it belongs to no send then */
	tell(client, &requests, &tids);
	is_int(requests, 3, "deadline: the server got what was sent");

	send->timeout_ms = 0;
	start = now_ms();
	is_int(madkit_request(client->agent, send, UINT64_MAX, &reply), 0, "timeout 0: a request is sent");
	is_int(reply.status, 0, "timeout 0: and that is all");
	is_between(now_ms() - start, 0, SOON, "timeout 0: at once");
	free_reply(send, &reply);
}

/* The response to the first try arrives when the second was sent. */
static void agent_requests_late(struct end *client)
{
	struct madkit_send *send = agent_end_request("rxe1", SERVER_OUI, METHOD_ASK, ATTR_LATE, 256, 200, 5);
	struct madkit_port_counters before, after;
	struct madkit_reply reply;
	uint32_t requests, tids;

	tell(client, &requests, &tids);
	madkit_port_get_counters(client->port, &before);
	is_int(madkit_request(client->agent, send, UINT64_MAX, &reply), 0,
	       "A16: late: a request ran its course");
	madkit_port_get_counters(client->port, &after);
	is_int(reply.status, 0, "A16: late: answered");
	is_int(reply.attempts, 2, "A16: late: in two tries");
	ok(reply.rtt_ns < 0, "A16: late: which of them was answered is not known");
	is_u64(after.timeouts - before.timeouts, 1, "A16: late: the kernel returned the first");
	tell(client, &requests, &tids);
	is_int(requests, 2, "A16: late: the server got two");
	is_int(tids, 1, "A16: late: with one TID");
	free_reply(send, &reply);
}

static void agent_requests_busy(struct end *client)
{
	struct madkit_send *send = agent_end_request("rxe1", SERVER_OUI, METHOD_ASK, ATTR_BUSY, 256, 800, 2);
	struct madkit_port_counters before, after;
	struct madkit_reply reply;
	uint32_t requests, tids;
	int64_t start;

	tell(client, &requests, &tids);
	madkit_port_get_counters(client->port, &before);
	start = now_ms();
	is_int(madkit_request(client->agent, send, UINT64_MAX, &reply), 0, "busy: a request ran its course");
	is_between(now_ms() - start, 100, SOON, "busy: after an eighth of its timeout");
	madkit_port_get_counters(client->port, &after);
	is_int(reply.attempts, 2, "busy: asked again");
	is_int(reply.status, 0, "busy: and answered");
	need(reply.recv != NULL, "an answer");
	is_int(be_at(reply.recv->mad + MADKIT_MAD_STATUS, 2), 0, "busy: with another status then");
	is_u64(after.busy - before.busy, 1, "busy: counted");
	ok(reply.rtt_ns < 0, "A16: busy: which of them was answered is not known");
	free_reply(send, &reply);
}

/* The peer's kernel drops a second message with the TID of the first. */
static void busy_long(struct end *client, const char *who)
{
	struct madkit_send *send = agent_end_request("rxe1", SERVER_OUI, METHOD_ASK, ATTR_BUSY, 1000, 800, 2);
	struct madkit_reply reply;
	uint32_t requests, tids;
	int64_t start;

	tell(client, &requests, &tids);
	start = now_ms();
	is_int(madkit_request(client->agent, send, UINT64_MAX, &reply), 0,
	       "busy, 1000 bytes, %s: ran its course", who);
	is_between(now_ms() - start, 100, SOON, "busy, 1000 bytes: after an eighth of its timeout");
	is_int(reply.attempts, 2, "busy, 1000 bytes: asked again");
	is_int(reply.status, 0, "busy, 1000 bytes: and answered");
	ok(reply.recv && !be_at(reply.recv->mad + MADKIT_MAD_STATUS, 2),
	   "busy, 1000 bytes: with another status then");
	free_reply(send, &reply);
}

/* A Get that no agent takes is the kernel's to answer. */
static void agent_requests_kernel_answers(struct end *client)
{
	struct madkit_send *send =
		agent_end_request("rxe0", OUI, MADKIT_METHOD_GET, 0x1234, 256, PATIENCE, 0);
	struct madkit_reply reply;
	struct madkit_header h;

	is_int(madkit_request(client->agent, send, UINT64_MAX, &reply), 0, "self: a Get that no agent takes");
	need(reply.recv != NULL, "an answer");
	madkit_header_get(reply.recv->mad, reply.recv->len, &h);
	is_int(h.method, 0x81, "self: GetResp");
	is_int(h.status, 0x000c, "self: with status 0x000c");
	madkit_recv_free(reply.recv);

	/* less than the 36 bytes that the kernel wants at least */
	send->mad[MADKIT_MAD_CLASS] = MADKIT_CLASS_VENDOR1_FIRST;
	send->len = MADKIT_HEADER_BYTES;
	is_int(madkit_request(client->agent, send, UINT64_MAX, &reply), 0, "short: a Get of 24 bytes");
	ok(reply.status == 0 && reply.recv && reply.recv->len == 256, "short: is padded, and answered");
	free_reply(send, &reply);
}

static void agent_requests_refused(struct end *client)
{
	struct madkit_send *send = agent_end_request("rxe1", SERVER_OUI, METHOD_ASK, ATTR_ECHO, 512, 300, 2);
	struct madkit_reply reply;
	int64_t start;

	is_int(madkit_agent_post(client->agent, send), -EINVAL, "refused: 512 bytes without kernel RMPP");
	send->len = 513;
	is_int(madkit_agent_post(client->agent, send), -EINVAL, "refused: more than was allocated");
	send->len = 256;
	send->to.qkey = 0x12345678;
	is_int(madkit_agent_post(client->agent, send), -EINVAL, "refused: a Q_Key that umad would not send");
	send->to.qkey = MADKIT_QKEY_GSI;
	is_int(madkit_request(client->agent, send, UINT64_MAX, &reply), 0, "the well-known Q_Key is fine");
	is_int(reply.status, 0, "... and answered");
	madkit_recv_free(reply.recv);

	send->to.grh = false;
	is_int(madkit_request(client->agent, send, UINT64_MAX, &reply), 0, "no GRH on RoCE: posted");
	is_int(reply.status, -EINVAL, "no GRH on RoCE: the kernel refuses it");
	is_int(reply.attempts, 0, "no GRH on RoCE: nothing was sent");
	send->to.grh = true;
	send->to.gid_index = 77;
	is_int(madkit_request(client->agent, send, UINT64_MAX, &reply), 0,
	       "a GID index that is not there: posted");
	is_int(reply.status, -ENODATA, "a GID index that is not there: the kernel refuses it");
	send->to.gid_index = 0;
	send->to.hop_limit = 0;
	is_int(madkit_request(client->agent, send, UINT64_MAX, &reply), 0, "hop limit 0 on RoCE: posted");
	is_int(reply.status, 0,
	       "hop limit 0 on RoCE: answered, because the kernel sets the hop limit of its route");
	madkit_recv_free(reply.recv);
	send->to.hop_limit = 64;
	send->to.gid[0] = 0x20;
	is_int(madkit_request(client->agent, send, UINT64_MAX, &reply), 0, "a GID without a route: posted");
	is_int(reply.status, -ENETUNREACH, "a GID without a route: no network");
	is_int(reply.attempts, 0, "a GID without a route: nothing was sent");
	send->to.gid[0] = 0xfe;
	send->to.gid[15] = 0x77;
	start = now_ms();
	is_int(madkit_request(client->agent, send, UINT64_MAX, &reply), 0,
	       "a GID that does not resolve: posted");
	is_int(reply.status, -EHOSTUNREACH, "a GID that does not resolve: no host, rather than no answer");
	is_int(reply.attempts, 0, "a GID that does not resolve: nothing was sent");
	printf("# a GID that does not resolve: after %" PRId64 " ms\n", now_ms() - start);
	is_int(madkit_agent_outstanding(client->agent), 0, "refused: nothing is outstanding");
	madkit_send_free(send);
}

/* ---- a second GID ---- */

static void addresses(const char *add_or_del, const char *permanent)
{
	char command[256];

	for (int i = 0; i < 2; i++) {
		int peer = 1 - i;

		/* link-local, because between two addresses of one machine anything else goes through lo */
		snprintf(command, sizeof(command),
			 "ip -6 addr %s fe80::10%d/64 dev v%d && ip -6 neigh %s fe80::10%d dev v%d %s",
			 add_or_del, i + 1, i, *permanent ? "replace" : add_or_del, peer + 1, i, permanent);
		if (*permanent)
			snprintf(command + strlen(command), sizeof(command) - strlen(command),
				 " lladdr 02:00:00:00:00:0%d", peer + 1);
		need(system(command) == 0, command);
	}
}

/* The kernel makes a GID of an address in its own time. */
static bool has_gid(const char *ca, const char *wanted)
{
	int64_t until = now_ms() + PATIENCE;
	char path[64], text[64] = "";

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/gids/1", ca);
	while (strncmp(text, wanted, strlen(wanted)) && now_ms() < until) {
		FILE *file = fopen(path, "r");

		need(file && fgets(text, sizeof(text), file), path);
		fclose(file);
	}
	return !strncmp(text, wanted, strlen(wanted));
}

/* The GID index is what the kernel takes the source address from. */
static void gid_index(struct end *client)
{
	struct madkit_send *send =
		agent_end_request("rxe1", SERVER_OUI, METHOD_ASK, ATTR_SOURCE, 256, PATIENCE, 0);
	static const uint8_t first[16] = { 0xfe, 0x80, [11] = 0xff, [12] = 0xfe, [15] = 1 };
	static const uint8_t second[16] = { 0xfe, 0x80, [14] = 1, [15] = 1 };
	struct madkit_reply reply;

	is_int(madkit_request(client->agent, send, UINT64_MAX, &reply), 0, "GID index 0: a request");
	need(reply.recv != NULL, "an answer");
	is_mem(reply.recv->mad + HEADER, first, 16, "GID index 0: the server sees that GID");
	madkit_recv_free(reply.recv);

	addresses("add", "nud permanent");
	ok(has_gid("rxe0", "fe80:0000:0000:0000:0000:0000:0000:0101") &&
		   has_gid("rxe1", "fe80:0000:0000:0000:0000:0000:0000:0102"),
	   "GID index 1: there is one on both sides");
	memcpy(send->to.gid, second, 16);
	send->to.gid[15] = 2;
	send->to.gid_index = 1;
	send->to.traffic_class = 0x20;
	is_int(madkit_request(client->agent, send, UINT64_MAX, &reply), 0,
	       "GID index 1: a request to the second GID");
	need(reply.recv != NULL, "an answer");
	is_mem(reply.recv->mad + HEADER, second, 16, "GID index 1: the server sees the second GID");
	is_mem(reply.recv->from.gid, send->to.gid, 16, "GID index 1: and answers from where it was asked");
	is_int(reply.recv->from.gid_index, 1, "GID index 1: to the GID of that index");
	/* the hop limit a kernel chooses anew, and soft-RoCE sends no flow label */
	is_int(reply.recv->from.traffic_class, 0x20, "GRH: the traffic class came back");
	free_reply(send, &reply);
	addresses("del", "");
}

/* ---- many at once ---- */

enum { MANY = 500 };

struct crowd {
	unsigned int answered, wrong, ended, failed;
};

static void crowd_recv(struct madkit_agent *agent, struct madkit_recv *recv)
{
	struct crowd *crowd = madkit_agent_context(agent);
	const uint8_t *wanted = recv->send ? recv->send->mad + HEADER : NULL;

	crowd->answered++;
	if (!wanted || recv->len != 256 || memcmp(recv->mad + HEADER, wanted, SEGMENT))
		crowd->wrong++;
	madkit_recv_free(recv);
}

static void crowd_sent(struct madkit_agent *agent, struct madkit_send *send, int status)
{
	struct crowd *crowd = madkit_agent_context(agent);

	crowd->ended++;
	crowd->failed += status != 0;
	madkit_send_free(send);
}

static void agent_requests_many(struct end *client, pid_t server)
{
	struct madkit_agent_attr attr = agent_end_attr(SERVER_OUI, 0, 0);
	struct crowd crowd = { .answered = 0 };
	int64_t until = now_ms() + PATIENCE, start = now_ms();
	struct madkit_agent *agent;

	attr.send_handler = crowd_sent;
	attr.recv_handler = crowd_recv;
	attr.context = &crowd;
	need(madkit_agent_register(client->port, &attr, &agent, NULL) == 0, "an agent for many requests");
	/* nothing can be answered before all are under way */
	kill(server, SIGSTOP);
	for (uint32_t i = 0; i < MANY; i++) {
		struct madkit_send *send =
			agent_end_request("rxe1", SERVER_OUI, METHOD_ASK, ATTR_ECHO, 256, PATIENCE, 0);

		fill_random(send->mad + HEADER, SEGMENT, i);
		need(madkit_agent_post(agent, send) == 0, "madkit_agent_post");
	}
	is_int(madkit_agent_outstanding(agent), MANY, "many: 500 requests in flight");
	kill(server, SIGCONT);
	while (crowd.ended < MANY && now_ms() < until)
		if (madkit_port_wait(client->port, 1000) > 0)
			madkit_port_process(client->port);
	printf("# many: %d requests in %" PRId64 " ms\n", MANY, now_ms() - start);
	is_int(crowd.ended, MANY, "many: all ended");
	is_int(crowd.failed, 0, "many: none failed");
	is_int(crowd.answered, MANY, "many: all were answered");
	is_int(crowd.wrong, 0, "many: each with its own data");

	/* and the port's end is theirs */
	for (uint32_t i = 0; i < 50; i++)
		need(madkit_agent_post(agent, agent_end_request("rxe1", SERVER_OUI, METHOD_ASK, ATTR_SILENT,
								256, PATIENCE, 0)) == 0,
		     "madkit_agent_post");
	crowd = (struct crowd){ .answered = 0 };
	madkit_agent_unregister(agent);
	is_int(crowd.ended, 50, "unregister: ends what is in flight");
	is_int(crowd.failed, 50, "unregister: with an error");
}

static void cancelled(struct end *client)
{
	struct madkit_send *a =
		agent_end_request("rxe1", SERVER_OUI, METHOD_ASK, ATTR_SILENT, 256, PATIENCE, 0);
	struct madkit_send *b =
		agent_end_request("rxe1", SERVER_OUI, METHOD_ASK, ATTR_ECHO, 256, PATIENCE, 0);

	agent_end_post(client, a);
	is_int(madkit_agent_cancel(client->agent, b), -ENOENT, "cancel: what is not posted");
	is_int(madkit_agent_cancel(client->agent, a), 0, "cancel: what is in flight");
	is_int(client->ended, 0, "cancel: its handler waits for the next process");
	need(agent_end_drive(client, &client->ended, 1), "the end of a cancelled request");
	is_int(client->status, -ECANCELED, "cancel: and says so");
	agent_end_post(client, b);
	need(agent_end_drive(client, &client->ended, 2), "the end of a request");
	is_int(client->status, 0, "cancel: another request is answered");
	is_int(client->came, 1, "cancel: through the receive handler");
	madkit_send_free(a);
	madkit_send_free(b);
}

/* The events that a watcher saw. */
struct watched {
	unsigned int posted, completed, timed_out, cancelled, received, answers;
	unsigned int wrong;               /* another agent, or no whole TID */
	const struct madkit_agent *agent; /* client of the expected MADs */
};

static void agent_requests_watch(void *context, const struct madkit_snooped *snooped)
{
	struct watched *w = context;
	bool completion = snooped->direction == MADKIT_SNOOP_SEND_COMPLETIONS;

	w->posted += snooped->direction == MADKIT_SNOOP_POSTED_SENDS;
	w->completed += completion && !snooped->status;
	w->timed_out += completion && snooped->status == -ETIMEDOUT;
	w->cancelled += completion && snooped->status == -ECANCELED;
	w->received += snooped->direction == MADKIT_SNOOP_RECVS;
	w->answers += snooped->direction == MADKIT_SNOOP_RECVS && snooped->send;
	w->wrong += snooped->agent != w->agent;
	w->wrong += completion && snooped->status != -ECANCELED && !be_at(snooped->mad + MADKIT_MAD_TID, 4);
}

/* Two watchers, and what the server got. */
static void watched(struct end *client)
{
	struct madkit_agent_attr attr = agent_end_attr(SERVER_OUI, 0, 0);
	struct watched all = { .agent = client->agent }, completions = { .agent = client->agent };
	struct madkit_snoop *first, *second;
	struct madkit_agent *other;
	struct madkit_send *send;
	struct madkit_reply reply;
	uint32_t requests, tids;

	need(madkit_agent_register(client->port, &attr, &other, NULL) == 0, "a second agent");
	tell(client, &requests, &tids);
	is_int(madkit_snoop_register(client->port,
				     MADKIT_SNOOP_POSTED_SENDS | MADKIT_SNOOP_SEND_COMPLETIONS |
					     MADKIT_SNOOP_RECVS,
				     agent_requests_watch, &all, &first),
	       0, "C6: a watcher");
	is_int(madkit_snoop_register(client->port, MADKIT_SNOOP_SEND_COMPLETIONS, agent_requests_watch,
				     &completions, &second),
	       0, "C6: another one");
	send = agent_end_request("rxe1", SERVER_OUI, METHOD_ASK, ATTR_SILENT, 256, 200, 2);
	need(madkit_request(client->agent, send, UINT64_MAX, &reply) == 0, "a request");
	free_reply(send, &reply);
	is_int(all.posted, 3, "C6: silence: three tries were sent");
	ok(all.timed_out == 3 && !all.completed && !all.received, "C6: ... and each ended with -ETIMEDOUT");
	is_int(completions.timed_out, 3, "C6: ... as the other watcher saw, too");
	send = agent_end_request("rxe1", SERVER_OUI, METHOD_ASK, ATTR_ECHO, 256, PATIENCE, 0);
	need(madkit_request(client->agent, send, UINT64_MAX, &reply) == 0 && reply.recv, "a request");
	free_reply(send, &reply);
	ok(all.posted == 4 && all.completed == 1 && all.received == 1 && all.answers == 1,
	   "C6: a response: status 0, and the response with its request");
	ok(completions.completed == 1 && !completions.received && !completions.posted, "C6: ... by flag");
	ok(!all.wrong && !completions.wrong, "C6: of their agent, with the TIDs of the wire");
	madkit_snoop_unregister(first);
	tell(client, &requests, &tids);
	is_int(requests, 3, "C6: the server got the three tries");
	ok(all.posted == 4 && completions.completed == 2, "C6: one watcher is unregistered, the other stays");

	completions.agent = other;
	send = agent_end_request("rxe1", SERVER_OUI, METHOD_ASK, ATTR_SILENT, 256, PATIENCE, 0);
	need(madkit_agent_post(other, send) == 0, "madkit_agent_post");
	madkit_agent_unregister(other);
	ok(completions.cancelled == 1 && !completions.wrong,
	   "C6: an agent's end cancels its send: -ECANCELED, that agent");
	madkit_snoop_unregister(second);
	madkit_send_free(send);
}

int main(void)
{
	pid_t server = server_start("rxe1");
	struct end *client = end_open("umad:rxe0", SERVER_OUI, 0, 0), *kernel, *library;

	agent_requests_answered(client);
	unanswered(client);
	agent_requests_late(client);
	agent_requests_busy(client);
	kernel = end_open("umad:rxe0", SERVER_OUI, 0, RMPP_KERNEL);
	busy_long(kernel, "the kernel's RMPP");
	end_close(kernel);
	library = end_open("umad:rxe0", SERVER_OUI, 0, RMPP_LIBRARY);
	busy_long(library, "the library's RMPP");
	end_close(library);
	agent_requests_kernel_answers(client);
	agent_requests_refused(client);
	gid_index(client);
	agent_requests_many(client, server);
	cancelled(client);
	watched(client);
	end_close(client);
	child_stop(server);
	return tap_done();
}
