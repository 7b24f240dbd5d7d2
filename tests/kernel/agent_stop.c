// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The end of the resends of a request, as its peer sees it: a process on rxe1 that never responds counts the
 * requests that arrive, during each case and for a while after its end.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "tests/kernel/agent_end.h"
#include "tests/tap.h"
#include "util/array_size.h"

enum {
	DEAF_OUI = 0x5a0003, /* its agent receives segments and acknowledges none */
	CASES = 256,         /* the attribute modifier of a request is the number of its case */
	MODIFIER = 20,       /* its offset in a MAD */
	TRY_MS = 250,
	QUIET_MS = 4 * TRY_MS, /* how long after the end of a case arrivals are counted */
	LATE_MS = 4000,        /* emulation is slow, and other things run on the machine */
};

/* Arrivals of each case: requests; for the deaf agent, first segments. */
static volatile uint32_t *arrived;
static uint32_t number; /* the latest case */

/* ---- the peer ---- */

static void kernel_agent_stop_count(struct madkit_agent *agent, struct madkit_recv *recv)
{
	bool deaf = madkit_agent_get_attr(agent)->flags & MADKIT_AGENT_USER_RMPP;

	if (!recv->status && (!deaf || madkit_rmpp_get_segment(recv->mad) == 1))
		arrived[be_at(recv->mad + MODIFIER, 4) % CASES]++;
	madkit_recv_free(recv);
}

static void listen_for(struct madkit_port *port, struct madkit_agent_attr attr)
{
	struct madkit_agent *agent;

	attr.recv_handler = kernel_agent_stop_count;
	need(madkit_agent_register(port, &attr, &agent, NULL) == 0, "a registration of the peer");
}

static void kernel_agent_stop_serve(const char *ca)
{
	struct madkit_agent_attr table = { .mgmt_class = MADKIT_CLASS_SA, .rmpp_version = 1 };
	struct madkit_port *port;
	char spec[32];
	int ret = 0;

	snprintf(spec, sizeof(spec), "umad:%s", ca);
	port = agent_end_open_port(spec);
	madkit_method_mask_set(table.method_mask, MADKIT_METHOD_GET_TABLE);
	listen_for(port, table);
	listen_for(port, agent_end_attr(SERVER_OUI, METHOD_ASK, RMPP_KERNEL));
	listen_for(port, agent_end_attr(DEAF_OUI, METHOD_ASK, RMPP_USER));
	child_ready();
	while (ret >= 0) {
		ret = madkit_port_wait(port, -1);
		if (ret > 0)
			ret = madkit_port_process(port);
	}
}

/* ---- requests ---- */

static const char *const engines[] = {
	[0] = "no RMPP",
	[RMPP_KERNEL] = "kernel RMPP",
	[RMPP_LIBRARY] = "library RMPP",
};

/* A request of a new case. */
static struct madkit_send *kernel_agent_stop_ask(uint32_t oui, size_t len, uint32_t timeout_ms,
						 uint32_t retries)
{
	struct madkit_send *send =
		agent_end_request("rxe1", oui, METHOD_ASK, ATTR_SILENT, len, timeout_ms, retries);

	need(++number < CASES, "a number for the case");
	put_be(send->mad + MODIFIER, 4, number);
	return send;
}

static struct madkit_send *ask_table(uint32_t timeout_ms, uint32_t retries)
{
	struct madkit_send *send = kernel_agent_stop_ask(0, 256, timeout_ms, retries);

	send->mad[MADKIT_MAD_CLASS] = MADKIT_CLASS_SA;
	send->mad[MADKIT_MAD_CLASS_VERSION] = 2;
	send->mad[MADKIT_MAD_METHOD] = MADKIT_METHOD_GET_TABLE;
	return send;
}

static void turn(struct end *client, int most_ms)
{
	if (madkit_port_wait(client->port, most_ms) > 0)
		madkit_port_process(client->port);
}

/* Drives the client until the peer has received so many requests of the latest case. */
static void kernel_agent_stop_await(struct end *client, uint32_t wanted)
{
	int64_t until = now_ms() + PATIENCE;

	while (arrived[number] < wanted) {
		need(now_ms() < until, "a request at the peer");
		turn(client, 10);
	}
}

/* How many have arrived when nothing has happened for QUIET_MS. client may be NULL: it has ended. */
static uint32_t kernel_agent_stop_seen(struct end *client)
{
	int64_t until = now_ms() + QUIET_MS;
	struct end *idle = client ? client : end_open("umad:rxe0", OUI, 0, 0);

	while (now_ms() < until)
		turn(idle, (int)(until - now_ms()));
	if (!client)
		end_close(idle);
	return arrived[number];
}

static struct end *client_for(int rmpp)
{
	return end_open("umad:rxe0", SERVER_OUI, 0, rmpp);
}

static struct end *client_of_tables(void)
{
	struct end *client = end_open("umad:rxe0", OUI, 0, 0);
	struct madkit_agent_attr attr = *madkit_agent_get_attr(client->agent);

	madkit_agent_unregister(client->agent);
	attr.mgmt_class = MADKIT_CLASS_SA;
	attr.class_version = 2;
	attr.rmpp_version = 1;
	need(madkit_agent_register(client->port, &attr, &client->agent, NULL) == 0, "an agent for tables");
	return client;
}

/* ---- one MAD, one MAD in response: the library resends ---- */

static void kernel_agent_stop_retries(int rmpp)
{
	static const uint32_t all[] = { 0, 1, 3 };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		struct end *client = client_for(rmpp);
		struct madkit_send *send = kernel_agent_stop_ask(SERVER_OUI, 256, TRY_MS, all[i]);
		int64_t start = now_ms();

		agent_end_post(client, send);
		need(agent_end_drive(client, &client->ended, 1), "the end of a request");
		is_between(now_ms() - start, TRY_MS * ((int)all[i] + 1) - EARLY, LATE_MS,
			   "C3: %s, %u retries: ends after all tries", engines[rmpp], all[i]);
		is_int(kernel_agent_stop_seen(client), all[i] + 1, "C3: ... the peer received %u",
		       all[i] + 1);
		ok(client->status == -ETIMEDOUT && send->attempts == all[i] + 1 && !send->kernel_resends,
		   "C3: ... which the library sent");
		madkit_send_free(send);
		end_close(client);
	}
}

static void kernel_agent_stop_cancel(int rmpp)
{
	struct end *client = client_for(rmpp);
	struct madkit_send *send = kernel_agent_stop_ask(SERVER_OUI, 256, TRY_MS, 20);

	agent_end_post(client, send);
	kernel_agent_stop_await(client, 2);
	is_int(madkit_agent_cancel(client->agent, send), 0, "C3: %s: cancelled after two tries",
	       engines[rmpp]);
	is_int(kernel_agent_stop_seen(client), 2, "C3: ... the peer receives no more");
	is_int(client->status, -ECANCELED, "C3: ... and it has ended");
	madkit_send_free(send);
	end_close(client);
}

static void kernel_agent_stop_deadline(int rmpp)
{
	struct end *client = client_for(rmpp);
	struct madkit_send *send = kernel_agent_stop_ask(SERVER_OUI, 256, TRY_MS, 20);
	uint64_t end = madkit_port_now(client->port) + (2 * TRY_MS + TRY_MS / 2) * UINT64_C(1000000);
	struct madkit_reply reply;
	uint32_t before;

	is_int(madkit_request(client->agent, send, end, &reply), 0, "C3: %s: a deadline in the third try",
	       engines[rmpp]);
	before = arrived[number];
	ok(reply.status == -ETIMEDOUT && reply.attempts <= 3 && before <= 3, "C3: ... %u tries until then",
	   reply.attempts);
	is_int(kernel_agent_stop_seen(client), reply.attempts, "C3: ... the peer receives no more");
	madkit_send_free(send);
	end_close(client);
}

static void shorten(int rmpp)
{
	struct end *client = client_for(rmpp);
	struct madkit_send *send = kernel_agent_stop_ask(SERVER_OUI, 256, PATIENCE, 2);
	int64_t start;

	agent_end_post(client, send);
	kernel_agent_stop_await(client, 1);
	start = now_ms();
	is_int(madkit_agent_modify(client->agent, send, TRY_MS), 0, "C3: %s: a minute becomes %d ms",
	       engines[rmpp], TRY_MS);
	need(agent_end_drive(client, &client->ended, 1), "the end of a shortened request");
	is_between(now_ms() - start, 3 * TRY_MS - EARLY, LATE_MS, "C3: ... in each of three tries");
	is_int(kernel_agent_stop_seen(client), 3, "C3: ... the peer receives these and no more");
	madkit_send_free(send);
	end_close(client);
}

static void lengthen(int rmpp)
{
	struct end *client = client_for(rmpp);
	struct madkit_send *send = kernel_agent_stop_ask(SERVER_OUI, 256, TRY_MS, 1);
	int64_t start = now_ms();

	agent_end_post(client, send);
	is_int(madkit_agent_modify(client->agent, send, 6 * TRY_MS), 0, "C3: %s: %d ms become %d",
	       engines[rmpp], TRY_MS, 6 * TRY_MS);
	kernel_agent_stop_await(client, 2);
	is_between(now_ms() - start, TRY_MS - EARLY, LATE_MS,
		   "C3: ... the second try follows as the kernel was asked");
	need(agent_end_drive(client, &client->ended, 1), "the end of a lengthened request");
	is_between(now_ms() - start, 7 * TRY_MS - EARLY, 2 * LATE_MS, "C3: ... and lasts longer");
	is_int(kernel_agent_stop_seen(client), 2, "C3: ... the peer receives two");
	madkit_send_free(send);
	end_close(client);
}

static void timeouts(int rmpp)
{
	struct end *client = client_for(rmpp);
	struct madkit_send *none = kernel_agent_stop_ask(SERVER_OUI, 256, 0, 5), *forever;

	agent_end_post(client, none);
	is_int(kernel_agent_stop_seen(client), 1, "C3: %s: without a timeout the peer receives one",
	       engines[rmpp]);
	is_int(client->ended, 1, "C3: ... and it has ended");
	forever = kernel_agent_stop_ask(SERVER_OUI, 256, MADKIT_FOREVER, 5);
	agent_end_post(client, forever);
	is_int(kernel_agent_stop_seen(client), 1, "C3: %s: with MADKIT_FOREVER the peer receives one",
	       engines[rmpp]);
	is_int(client->ended, 1, "C3: ... and it has not ended");
	is_int(madkit_agent_cancel(client->agent, forever), 0, "C3: ... until it is cancelled");
	is_int(kernel_agent_stop_seen(client), 1, "C3: ... the peer receives no more");
	madkit_send_free(none);
	madkit_send_free(forever);
	end_close(client);
}

static void kernel_agent_stop_ends(int rmpp)
{
	struct end *client = client_for(rmpp);
	struct madkit_send *send = kernel_agent_stop_ask(SERVER_OUI, 256, TRY_MS, 20);

	agent_end_post(client, send);
	kernel_agent_stop_await(client, 2);
	madkit_agent_unregister(client->agent);
	is_int(client->status, -ECANCELED, "C3: %s: its agent is unregistered after two tries",
	       engines[rmpp]);
	is_int(kernel_agent_stop_seen(client), 2, "C3: ... the peer receives no more");
	madkit_send_free(send);
	end_close(client);

	client = client_for(rmpp);
	send = kernel_agent_stop_ask(SERVER_OUI, 256, TRY_MS, 20);
	agent_end_post(client, send);
	kernel_agent_stop_await(client, 2);
	end_close(client);
	is_int(kernel_agent_stop_seen(NULL), 2, "C3: %s: its port is closed after two tries: no more",
	       engines[rmpp]);
	madkit_send_free(send);
}

/* ---- one MAD, a table in response: the kernel resends ---- */

static void kernel_agent_stop_tables(void)
{
	struct end *client = client_of_tables();
	struct madkit_send *send = ask_table(TRY_MS, 2);
	struct madkit_reply reply;
	int64_t start = now_ms();
	uint64_t end;

	agent_end_post(client, send);
	need(agent_end_drive(client, &client->ended, 1), "the end of a request for a table");
	is_between(now_ms() - start, 3 * TRY_MS - EARLY, LATE_MS, "C3: a table: ends after three tries");
	is_int(kernel_agent_stop_seen(client), 3, "C3: ... the peer received three");
	ok(send->attempts == 1 && send->kernel_resends, "C3: ... of which the library sent one");
	madkit_send_free(send);

	send = ask_table(TRY_MS, 20);
	end = madkit_port_now(client->port) + (2 * TRY_MS + TRY_MS / 2) * UINT64_C(1000000);
	is_int(madkit_request(client->agent, send, end, &reply), 0,
	       "C3: a table: a deadline in the third try");
	ok(reply.status == -ETIMEDOUT && reply.attempts == 2 && reply.kernel_resends,
	   "C3: ... two tries of the kernel, and one more of the library");
	is_int(kernel_agent_stop_seen(client), 3,
	       "C3: ... the peer received three, and none after the deadline");
	madkit_send_free(send);

	/* the resends that, according to the manual, cannot be stopped */
	send = ask_table(TRY_MS, 3);
	agent_end_post(client, send);
	kernel_agent_stop_await(client, 2);
	madkit_agent_cancel(client->agent, send);
	is_int(kernel_agent_stop_seen(client), 4,
	       "C3: a table: the kernel sends the tries of a cancelled request");
	madkit_send_free(send);
	send = ask_table(4 * TRY_MS, 1);
	agent_end_post(client, send);
	kernel_agent_stop_await(client, 1);
	madkit_agent_modify(client->agent, send, 1);
	need(agent_end_drive(client, &client->ended, 2), "the end of a shortened request");
	is_int(arrived[number], 1, "C3: a table: a shortened request ends");
	kernel_agent_stop_await(client, 2);
	is_int(kernel_agent_stop_seen(client), 2,
	       "C3: ... and the kernel sends its tries with the previous timeout");
	madkit_send_free(send);

	send = ask_table(TRY_MS, 20);
	agent_end_post(client, send);
	kernel_agent_stop_await(client, 2);
	madkit_agent_unregister(client->agent);
	is_int(kernel_agent_stop_seen(client), 2, "C3: a table: unregistering its agent stops the kernel");
	madkit_send_free(send);
	end_close(client);
	client = client_of_tables();
	send = ask_table(TRY_MS, 20);
	agent_end_post(client, send);
	kernel_agent_stop_await(client, 2);
	end_close(client);
	is_int(kernel_agent_stop_seen(NULL), 2, "C3: a table: closing its port stops the kernel");
	madkit_send_free(send);
}

/* ---- a request of several segments ---- */

static void kernel_agent_stop_silence(int rmpp)
{
	enum { MS = 2500 }; /* at most 2000 ms are lengthened for the kernel */
	struct end *client = client_for(rmpp);
	struct madkit_send *send = kernel_agent_stop_ask(SERVER_OUI, 1000, MS, 3);
	int64_t start = now_ms();

	agent_end_post(client, send);
	need(agent_end_drive(client, &client->ended, 1), "the end of a long request");
	is_int(client->status, -ETIMEDOUT, "C4: %s: a long request without a response is a timeout",
	       engines[rmpp]);
	is_between(now_ms() - start, MS - EARLY, MS + LATE_MS,
		   "C4: ... after one timeout, because it was acknowledged");
	is_int(kernel_agent_stop_seen(client), 1, "C4: ... the peer received one");
	is_int(send->attempts, 1, "C4: ... in one try");
	madkit_send_free(send);
	end_close(client);
}

static void shorten_long(uint32_t from_ms, int rmpp)
{
	struct end *client = client_for(rmpp);
	struct madkit_send *send = kernel_agent_stop_ask(SERVER_OUI, 1000, from_ms, 2);
	int64_t start;

	agent_end_post(client, send);
	kernel_agent_stop_await(client, 1);
	start = now_ms();
	is_int(madkit_agent_modify(client->agent, send, TRY_MS), 0,
	       "C3: %s, a long request: its timeout becomes %d ms", engines[rmpp], TRY_MS);
	need(agent_end_drive(client, &client->ended, 1), "the end of a shortened request");
	/* the last ACK may be outstanding, which costs the library a try */
	is_between(now_ms() - start, TRY_MS - EARLY, LATE_MS, "C3: ... and it ends after that");
	is_int(client->status, -ETIMEDOUT, "C3: ... with a timeout");
	madkit_send_free(send);
	end_close(client);
}

/* A message that wants no response, of which no segment is acknowledged. */
static void kernel_agent_stop_one_way(int rmpp, uint32_t copies)
{
	struct end *client = end_open("umad:rxe0", DEAF_OUI, 0, rmpp);
	struct madkit_send *send = kernel_agent_stop_ask(DEAF_OUI, 1000, 0, 0);

	agent_end_post(client, send);
	need(agent_end_drive(client, &client->ended, 1), "the end of a message without an ACK");
	is_int(client->status, -ETIMEDOUT, "C3: %s: a long message without an ACK, no retries",
	       engines[rmpp]);
	is_int(kernel_agent_stop_seen(client), copies, "C3: ... its first segment was sent %u times", copies);
	ok(send->attempts == 1 && send->kernel_resends == (rmpp == RMPP_KERNEL), "C3: ... which is %s",
	   rmpp == RMPP_KERNEL ? "not known" : "known");
	madkit_send_free(send);
	end_close(client);
}

/* The first segment is not acknowledged. */
static void deaf(int rmpp)
{
	struct end *client = end_open("umad:rxe0", DEAF_OUI, 0, rmpp);
	struct madkit_send *send = kernel_agent_stop_ask(DEAF_OUI, 1000, 2100, 1);

	agent_end_post(client, send);
	need(agent_end_drive(client, &client->ended, 1), "the end of a request without an ACK");
	is_int(client->status, -ETIMEDOUT, "C4: %s: a long request without an ACK is a timeout",
	       engines[rmpp]);
	is_int(kernel_agent_stop_seen(client), 2, "C4: ... after one resend of its first segment");
	madkit_send_free(send);

	send = kernel_agent_stop_ask(DEAF_OUI, 1000, 2100, 3);
	agent_end_post(client, send);
	kernel_agent_stop_await(client, 2);
	madkit_agent_cancel(client->agent, send);
	if (rmpp == RMPP_KERNEL) {
		kernel_agent_stop_await(client, 3);
		ok(true, "C3: %s: the kernel resends the segments of a cancelled request", engines[rmpp]);
		madkit_agent_unregister(client->agent);
	}
	for (int i = 0; i < 3; i++)
		kernel_agent_stop_seen(client);
	is_int(arrived[number], rmpp == RMPP_KERNEL ? 3 : 2, "C3: %s: %s stops them", engines[rmpp],
	       rmpp == RMPP_KERNEL ? "unregistering" : "cancelling");
	end_close(client);
	madkit_send_free(send);
}

/* ---- a GID that no longer resolves ---- */

static void kernel_agent_stop_neighbour(const char *command)
{
	char words[128];

	snprintf(words, sizeof(words), "ip -6 neigh %s fe80::ff:fe00:77 dev v0%s", command,
		 *command == 'd' ? "" : " lladdr 02:00:00:00:00:02 nud permanent");
	need(system(words) == 0, words);
}

static void kernel_agent_stop_unresolved(int rmpp)
{
	enum { CROWD = 3 };
	struct end *client = client_for(rmpp);
	struct madkit_send *sends[CROWD];
	int64_t longest = 0;

	kernel_agent_stop_neighbour("replace");
	for (int i = 0; i < CROWD; i++) {
		sends[i] = kernel_agent_stop_ask(SERVER_OUI, 256, TRY_MS, 3);
		sends[i]->to.gid[15] = 0x77;
		agent_end_post(client, sends[i]);
	}
	kernel_agent_stop_neighbour("del");
	while (client->ended < CROWD) {
		int64_t start;

		need(madkit_port_wait(client->port, PATIENCE) > 0, "something to do");
		start = now_ms();
		madkit_port_process(client->port);
		if (now_ms() - start > longest)
			longest = now_ms() - start;
	}
	is_int(client->status, -EHOSTUNREACH, "C8: %s: a GID no longer resolves: the next resend fails",
	       engines[rmpp]);
	printf("# C8: the longest call of process: %" PRId64 " ms\n", longest);
	is_between(longest, 500, 2500, "C8: ... process blocks for one of three requests at a time");
	for (int i = 0; i < CROWD; i++)
		madkit_send_free(sends[i]);
	end_close(client);
}

int main(void)
{
	static const int all[] = { 0, RMPP_KERNEL, RMPP_LIBRARY };
	pid_t peer;

	arrived = mmap(NULL, CASES * sizeof(*arrived), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		       0);
	need(arrived != MAP_FAILED, "mmap");
	peer = child_start(kernel_agent_stop_serve, "rxe1");
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		kernel_agent_stop_retries(all[i]);
		kernel_agent_stop_cancel(all[i]);
		kernel_agent_stop_deadline(all[i]);
		shorten(all[i]);
		lengthen(all[i]);
		timeouts(all[i]);
		kernel_agent_stop_ends(all[i]);
	}
	kernel_agent_stop_tables();
	kernel_agent_stop_silence(RMPP_KERNEL);
	kernel_agent_stop_silence(RMPP_LIBRARY);
	shorten_long(PATIENCE, RMPP_KERNEL);
	shorten_long(MADKIT_FOREVER, RMPP_KERNEL);
	shorten_long(PATIENCE, RMPP_LIBRARY);
	kernel_agent_stop_one_way(RMPP_KERNEL, 4);
	kernel_agent_stop_one_way(RMPP_LIBRARY, 1);
	deaf(RMPP_KERNEL);
	deaf(RMPP_LIBRARY);
	kernel_agent_stop_unresolved(0);
	kernel_agent_stop_unresolved(RMPP_KERNEL);
	child_stop(peer);
	return tap_done();
}
