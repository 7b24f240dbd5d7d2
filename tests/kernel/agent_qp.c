/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Agents on UD queue pairs: against libibverbs alone, against QP 1 of the kernel's and against each other, and
 * on a queue pair that is the test's.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/kernel/agent_end.h"
#include "tests/kernel/bare_qp.h"
#include "tests/tap.h"
#include "util/array_size.h"

enum { OWN_QKEY = 0x1234567 };

static const size_t all_sizes[] = {
	1,           199,          200,      215,          216,   217,    2 * 216 - 1, 2 * 216,
	2 * 216 + 1, 64 * 216 - 1, 64 * 216, 64 * 216 + 1, 10000, 100000, MEGABYTE,
};

static void agent_qp_sizes(struct end *client, const struct madkit_addr *to, const char *who)
{
	for (size_t i = 0; i < ARRAY_SIZE(all_sizes); i++)
		is_str(agent_end_echo(client, to, all_sizes[i], 5000, 3), "", "%s: %zu bytes there and back",
		       who, all_sizes[i]);
}

static struct madkit_send *agent_qp_request(const struct madkit_addr *to, uint16_t attribute,
					    uint32_t timeout_ms)
{
	struct madkit_send *send =
		agent_end_request("rxe1", SERVER_OUI, METHOD_ASK, attribute, 256, timeout_ms, 0);

	send->to = *to;
	fill_random(send->mad + HEADER, SEGMENT, attribute);
	return send;
}

/* ---- one MAD, of somebody who speaks libibverbs alone ---- */

static void bare_peer(void)
{
	struct end *end = end_open("verbs:rxe1", OUI, METHOD_ASK, 0);
	const struct madkit_port_info *info = madkit_port_get_info(end->port);
	struct bare *bare = bare_open("rxe0", MADKIT_QKEY_GSI);
	struct madkit_send *send = agent_end_request("rxe0", OUI, METHOD_ASK, 7, 256, 0, 0), *answer;
	uint8_t gid0[16], gid1[16], junk[1024] = { 1 };
	struct madkit_port_counters counters;
	struct ibv_wc wc;

	gid_of("rxe0", gid0);
	gid_of("rxe1", gid1);
	is_str(info->device, "verbs:rxe1/1", "bare: a port by libibverbs");
	ok(info->qp > 1, "bare: which tells its queue pair");
	is_u64(info->qkey, MADKIT_QKEY_GSI, "bare: and that it has QP 1's Q_Key");
	fill_random(send->mad + HEADER, SEGMENT, 1);
	bare_send(bare, gid1, info->qp, MADKIT_QKEY_GSI, send->mad, 256);
	need(agent_end_drive(end, &end->came, 1), "a MAD");
	is_u64(end->recv->len, 256, "bare: a MAD of 256 bytes arrived");
	is_mem(end->recv->mad, send->mad, 256, "bare: as it was sent");
	is_u64(end->recv->from.qp, bare->qp->qp_num, "bare: from that queue pair");
	is_u64(end->recv->from.qkey, MADKIT_QKEY_GSI, "bare: with that Q_Key");
	ok(end->recv->from.grh, "bare: with a GRH");
	is_mem(end->recv->from.gid, gid0, 16, "bare: from that GID");
	is_u64(end->recv->from.gid_index, 0, "bare: to the GID of index 0");

	answer = agent_end_request("rxe0", OUI, METHOD_ASK | MADKIT_METHOD_RESPONSE, 7, 256, 0, 0);
	answer->to = end->recv->from;
	fill_random(answer->mad + HEADER, SEGMENT, 2);
	put_be(answer->mad + MADKIT_MAD_TID, 8, UINT64_C(0x123456789abcdef0));
	agent_end_post(end, answer);
	need(bare_receive(bare, PATIENCE, &wc), "the answer");
	is_u64(wc.byte_len, BARE_GRH + 256, "bare: the answer has 256 bytes behind its GRH");
	is_u64(wc.src_qp, info->qp, "bare: it comes from the port's queue pair");
	is_mem(bare_buffer(bare, &wc) + BARE_GRH, answer->mad, 256, "bare: as it was sent");
	is_mem(bare_buffer(bare, &wc) + 8, gid1, 16, "bare: its GRH has the port's GID");
	need(agent_end_drive(end, &end->ended, 1), "the end of a send");
	is_int(end->status, 0, "bare: the answer's sender was told");

	/* bytes that are not a MAD, and a MAD after them */
	bare_send(bare, gid1, info->qp, MADKIT_QKEY_GSI, junk, 0);
	bare_send(bare, gid1, info->qp, MADKIT_QKEY_GSI, junk, 1);
	bare_send(bare, gid1, info->qp, MADKIT_QKEY_GSI, junk, MADKIT_HEADER_BYTES - 1);
	bare_send(bare, gid1, info->qp, MADKIT_QKEY_GSI, send->mad, MADKIT_HEADER_BYTES);
	bare_send(bare, gid1, info->qp, MADKIT_QKEY_GSI, junk, sizeof(junk));
	bare_send(bare, gid1, info->qp, 7, send->mad, 256);
	send->mad[HEADER] ^= 1;
	bare_send(bare, gid1, info->qp, MADKIT_QKEY_GSI, send->mad, 256);
	need(agent_end_drive(end, &end->came, 2), "a MAD");
	is_mem(end->recv->mad, send->mad, 256,
	       "hostile: after lengths that are none, and another Q_Key, a MAD arrives");
	madkit_port_get_counters(end->port, &counters);
	is_u64(counters.malformed, 3, "hostile: three were shorter than a header");
	is_u64(counters.unknown_agent, 2, "hostile: two were nobody's");

	/* more than there are buffers on the other side's: nothing breaks */
	for (int i = 0; i < 2000; i++)
		bare_send(bare, gid1, info->qp, MADKIT_QKEY_GSI, junk, 64);
	madkit_port_process(end->port);
	bare_send(bare, gid1, info->qp, MADKIT_QKEY_GSI, send->mad, 256);
	need(agent_end_drive(end, &end->came, 3), "a MAD");
	is_mem(end->recv->mad, send->mad, 256, "hostile: after a flood, a MAD arrives");
	madkit_send_free(send);
	madkit_send_free(answer);
	bare_close(bare);
	end_close(end);
}

/* ---- the library's queue pairs ---- */

static void agent_qp_pairs(void)
{
	struct madkit_addr qp1 = { .qp = 1, .grh = true, .hop_limit = 64 }, to, wrong;
	pid_t kernel = server_start("rxe1"), server = qp_server_start("rxe1", MADKIT_QKEY_GSI, &to);
	struct end *client = end_open("verbs:rxe0", SERVER_OUI, 0, RMPP_KERNEL);
	struct madkit_send *send = agent_qp_request(&to, ATTR_ECHO, PATIENCE);
	struct madkit_reply reply;
	struct madkit_header h;

	gid_of("rxe1", qp1.gid);
	ok(!madkit_agent_kernel_rmpp(client->agent), "two queue pairs: no kernel does the agent's RMPP");
	is_int(madkit_request(client->agent, send, UINT64_MAX, &reply), 0,
	       "two queue pairs: a request ran its course");
	need(reply.recv != NULL, "an answer");
	madkit_header_get(reply.recv->mad, reply.recv->len, &h);
	is_mem(reply.recv->mad + HEADER, send->mad + HEADER, SEGMENT, "two queue pairs: answered");
	is_u64(reply.recv->from.qp, to.qp, "two queue pairs: from the one that was asked");
	is_u64(send->tid, h.tid, "two queue pairs: the send has learnt the whole TID");
	ok(h.tid >> 32, "two queue pairs: its upper half is the agent's");
	madkit_recv_free(reply.recv);
	madkit_send_free(send);
	agent_qp_sizes(client, &to, "two queue pairs");
	for (size_t i = 0; i < BAD_NETWORKS; i++) {
		agent_end_netem(bad_networks[i]);
		is_str(agent_end_echo(client, &to, 20000, 3000, 8), "",
		       "two queue pairs: 20000 bytes there and back, %s", bad_networks[i]);
		agent_end_netem("");
	}
	agent_qp_sizes(client, &qp1, "a queue pair, QP 1 and the kernel's RMPP");
	end_close(client);

	client = end_open("umad:rxe0", SERVER_OUI, 0, RMPP_KERNEL);
	agent_qp_sizes(client, &to, "QP 1, the kernel's RMPP and a queue pair");
	end_close(client);
	child_stop(kernel);
	child_stop(server);

	/* a different Q_Key, which both must use */
	server = qp_server_start("rxe1", OWN_QKEY, &to);
	client = calloc(1, sizeof(*client));
	need(client && !madkit_port_open_qp("verbs:rxe0/1", &(struct madkit_qp_attr){ .qkey = OWN_QKEY },
					    &client->port, NULL),
	     "madkit_port_open_qp");
	need(!madkit_agent_register(client->port,
				    &(struct madkit_agent_attr){
					    .mgmt_class = CLASS, .class_version = 1, .oui = SERVER_OUI },
				    &client->agent, NULL),
	     "madkit_agent_register");
	send = agent_qp_request(&to, ATTR_ECHO, PATIENCE);
	need(madkit_request(client->agent, send, UINT64_MAX, &reply) == 0, "a request");
	is_int(reply.status, 0, "Q_Key: answered where both have it");
	madkit_recv_free(reply.recv);
	send->to.qkey = 0;
	need(madkit_request(client->agent, send, UINT64_MAX, &reply) == 0, "a request");
	is_int(reply.status, 0, "Q_Key: the queue pair's own where none is given");
	madkit_recv_free(reply.recv);
	send->timeout_ms = 200;
	wrong = to;
	wrong.qkey++;
	send->to = wrong;
	need(madkit_request(client->agent, send, UINT64_MAX, &reply) == 0, "a request");
	is_int(reply.status, -ETIMEDOUT, "Q_Key: silence with another one");
	send->to = to;
	send->to.pkey_index = 1;
	need(madkit_request(client->agent, send, UINT64_MAX, &reply) == 0, "a request");
	is_int(reply.status, -EINVAL, "another P_Key index than the queue pair's is refused");
	send->to = to;
	send->to.gid[15] = 0x77;
	need(madkit_request(client->agent, send, UINT64_MAX, &reply) == 0, "a request");
	ok(reply.status == -EHOSTUNREACH, "a GID that does not resolve: %s", strerror(-reply.status));
	madkit_send_free(send);
	end_close(client);
	child_stop(server);
}

static void registrations(void)
{
	struct madkit_port *port = agent_end_open_port("verbs:rxe0");
	struct madkit_agent_attr attr = agent_end_attr(OUI, METHOD_ASK, 0);
	struct madkit_agent *a, *b;
	struct madkit_refusal refusal;
	struct madkit_error error;

	is_int(madkit_agent_register(port, &attr, &a, NULL), 0, "an agent");
	is_int(madkit_agent_register(port, &attr, &b, &refusal), -EBUSY, "another for the same is refused");
	is_int(refusal.cause, MADKIT_REFUSAL_TAKEN, "... since it is taken");
	attr.oui++;
	is_int(madkit_agent_register(port, &attr, &b, &refusal), 0, "another OUI is not");
	attr.mgmt_class = MADKIT_CLASS_SUBN;
	is_int(madkit_agent_register(port, &attr, &b, &refusal), -EPROTONOSUPPORT,
	       "nothing for subnet management");
	madkit_port_close(port);
	is_int(madkit_port_open("verbs:rxe7", &port, &error), -ENODEV, "no such device");
	is_int(madkit_port_open_qp("verbs:rxe0/9", NULL, &port, &error), -ENODEV, "no such port");
	is_int(madkit_port_open_qp("verbs:rxe0/x", NULL, &port, &error), -EINVAL, "no number");
}

/* A child closes the ports that it inherited; the parent goes on using them. */
static void closed_in_child(struct madkit_port *first, struct madkit_port *second, const char *name)
{
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	need(pid >= 0, "fork");
	if (!pid) {
		madkit_port_close(first);
		madkit_port_close(second);
		_exit(0);
	}
	need(waitpid(pid, &status, 0) == pid, "waitpid");
	is_int(status, 0, "C9: %s: a child closes the ports", name);
}

static void agent_qp_forked(void)
{
	struct madkit_addr to;
	pid_t server = qp_server_start("rxe1", MADKIT_QKEY_GSI, &to);
	struct end *client = end_open("verbs:rxe0", SERVER_OUI, 0, RMPP_KERNEL);

	is_str(agent_end_echo(client, &to, 10000, 5000, 3), "", "C9: verbs: 10000 bytes before the fork");
	closed_in_child(client->port, NULL, "verbs");
	for (int i = 0; i < 3; i++)
		is_str(agent_end_echo(client, &to, 10000, 5000, 3), "",
		       "C9: verbs: 10000 bytes after it, time %d", i + 1);
	end_close(client);
	child_stop(server);
}

/* ---- a queue pair of the test's own ---- */

struct mine {
	struct bare *bare;
	struct end end;
	unsigned int completions, refused;
};

static void agent_qp_take_all(struct mine *mine)
{
	struct ibv_wc wc;

	while (bare_receive(mine->bare, 0, &wc)) {
		bool receive = wc.opcode & IBV_WC_RECV;
		int ret = madkit_agent_process_wc(mine->end.agent, &wc,
						  receive ? bare_buffer(mine->bare, &wc) : NULL,
						  receive ? BARE_BYTES : 0);

		mine->completions++;
		mine->refused += ret != 0;
		if (receive)
			bare_post(mine->bare, &wc);
	}
}

/* Both ends at once, until *counter is there. */
static bool drive_both(struct mine *mine, struct end *client, const unsigned int *counter,
		       unsigned int wanted)
{
	int64_t until = now_ms() + PATIENCE;

	while (*counter < wanted && now_ms() < until) {
		struct pollfd pfd = { .fd = madkit_port_fd(client->port), .events = POLLIN };

		agent_qp_take_all(mine);
		if (madkit_port_process(mine->end.port) < 0 || madkit_port_process(client->port) < 0)
			return false;
		if (*counter < wanted)
			poll(&pfd, 1, 1);
	}
	return *counter >= wanted;
}

static void answer_back(struct madkit_agent *agent, struct madkit_recv *recv)
{
	struct madkit_send *send = madkit_send_new(recv->len);

	need(send != NULL, "madkit_send_new");
	memcpy(send->mad, recv->mad, recv->len);
	send->mad[MADKIT_MAD_METHOD] |= MADKIT_METHOD_RESPONSE;
	send->to = recv->from;
	send->retries = 3;
	need(madkit_agent_post(agent, send) == 0, "madkit_agent_post");
	madkit_recv_free(recv);
}

static void free_send(struct madkit_agent *agent, struct madkit_send *send, int status)
{
	(void)agent;
	(void)status;
	madkit_send_free(send);
}

static void agent_qp_given(void)
{
	struct madkit_agent_attr attr = { .rmpp_version = 1,
					  .send_handler = free_send,
					  .recv_handler = answer_back };
	struct mine mine = { .bare = bare_open("rxe1", MADKIT_QKEY_GSI) };
	struct end *client = end_open("verbs:rxe0", OUI, 0, RMPP_KERNEL);
	struct madkit_port_counters counters;
	struct madkit_error error = { .text = "" };
	struct madkit_addr to = { .qp = mine.bare->qp->qp_num, .grh = true, .hop_limit = 64 };
	uint8_t buffer[BARE_GRH + MADKIT_FRAME_BYTES + 1] = { 0 };
	struct ibv_wc wc = { .opcode = IBV_WC_RECV };
	int ret, taken = 0;

	gid_of("rxe1", to.gid);
	is_int(madkit_agent_redirect_qp(mine.bare->qp, &attr, &mine.end.agent, &error), 0,
	       "given: an agent on the caller's queue pair %s", error.text);
	mine.end.port = madkit_agent_port(mine.end.agent);
	is_u64(madkit_port_get_info(mine.end.port)->qp, mine.bare->qp->qp_num,
	       "given: its port tells the queue pair");

	for (size_t i = 0; i < ARRAY_SIZE(all_sizes); i++) {
		struct madkit_send *send =
			agent_end_request("rxe1", OUI, METHOD_ASK, 1, HEADER + all_sizes[i], 5000, 3);
		unsigned int came = client->came, ended = client->ended;
		size_t data = all_sizes[i];

		if (data == 10000)
			closed_in_child(mine.end.port, client->port, "given");
		send->to = to;
		fill_random(send->mad + HEADER, data, (uint32_t)data);
		madkit_rmpp_set_version(send->mad, MADKIT_RMPP_VERSION);
		madkit_rmpp_set_type(send->mad, MADKIT_RMPP_DATA);
		madkit_rmpp_set_flags(send->mad, MADKIT_RMPP_ACTIVE);
		agent_end_post(client, send);
		ok(drive_both(&mine, client, &client->ended, ended + 1) && !client->status &&
			   client->came == came + 1 && client->recv->len >= HEADER + data &&
			   !memcmp(client->recv->mad + HEADER, send->mad + HEADER, data),
		   "given: %zu bytes there and back", data);
		madkit_send_free(send);
	}
	ok(mine.completions > 2 * MEGABYTE / 256, "given: by %u completions of the caller's",
	   mine.completions);
	is_int(mine.refused, 0, "given: none of them refused");

	/* completions of packets that were never sent */
	wc.byte_len = 0;
	is_int(madkit_agent_process_wc(mine.end.agent, &wc, buffer, sizeof(buffer)), -EINVAL,
	       "hostile: no length at all");
	wc.byte_len = BARE_GRH;
	is_int(madkit_agent_process_wc(mine.end.agent, &wc, buffer, sizeof(buffer)), -EINVAL,
	       "hostile: a GRH alone");
	wc.byte_len = BARE_GRH + MADKIT_HEADER_BYTES - 1;
	is_int(madkit_agent_process_wc(mine.end.agent, &wc, buffer, sizeof(buffer)), -EINVAL,
	       "hostile: half a header");
	wc.byte_len = BARE_GRH + MADKIT_HEADER_BYTES;
	is_int(madkit_agent_process_wc(mine.end.agent, &wc, buffer, wc.byte_len - 1), -EINVAL,
	       "hostile: more than the buffer has");
	wc.byte_len = BARE_GRH + MADKIT_FRAME_BYTES + 1;
	is_int(madkit_agent_process_wc(mine.end.agent, &wc, buffer, sizeof(buffer)), -EINVAL,
	       "hostile: longer than any MAD");
	wc.byte_len = UINT32_MAX;
	is_int(madkit_agent_process_wc(mine.end.agent, &wc, buffer, sizeof(buffer)), -EINVAL,
	       "hostile: 4 GiB");
	wc.byte_len = BARE_GRH + 256;
	wc.status = IBV_WC_WR_FLUSH_ERR;
	is_int(madkit_agent_process_wc(mine.end.agent, &wc, buffer, sizeof(buffer)), -EIO,
	       "hostile: one that failed");
	wc.status = IBV_WC_SUCCESS;
	wc.opcode = IBV_WC_SEND;
	wc.wr_id = (uintptr_t)buffer;
	is_int(madkit_agent_process_wc(mine.end.agent, &wc, NULL, 0), -ENOENT,
	       "hostile: a send that is not its");
	is_int(madkit_agent_process_wc(client->agent, &wc, NULL, 0), -EINVAL,
	       "an agent on no queue pair of ours");

	/* without a GRH: the LID identifies the sender */
	wc.opcode = IBV_WC_RECV;
	wc.slid = 77;
	wc.src_qp = 4711;
	mine.end.agent = NULL;
	madkit_port_close(mine.end.port);
	attr.recv_handler = client->agent ? madkit_agent_get_attr(client->agent)->recv_handler : NULL;
	attr.send_handler = NULL;
	attr.rmpp_version = 0;
	attr.context = &mine.end;
	need(madkit_agent_redirect_qp(mine.bare->qp, &attr, &mine.end.agent, NULL) == 0,
	     "a second agent on it");
	mine.end.port = madkit_agent_port(mine.end.agent);
	is_int(madkit_agent_process_wc(mine.end.agent, &wc, buffer, sizeof(buffer)), 0, "no GRH: taken");
	is_int(madkit_port_wait(mine.end.port, 0), 1, "no GRH: the port has something to do");
	madkit_port_process(mine.end.port);
	is_int(mine.end.came, 1, "no GRH: handed over");
	ok(mine.end.recv && !mine.end.recv->from.grh && mine.end.recv->from.lid == 77 &&
		   mine.end.recv->from.qp == 4711,
	   "no GRH: from that LID and queue pair");
	is_int(madkit_port_wait(mine.end.port, 0), 0, "no GRH: nothing is left to do");
	do
		ret = madkit_agent_process_wc(mine.end.agent, &wc, buffer, sizeof(buffer));
	while (!ret && ++taken < 5000);
	is_int(ret, -ENOBUFS, "a thousand wait: no more");
	is_int(taken, 1000, "... after as many");
	while (madkit_port_process(mine.end.port) > 0)
		;
	madkit_port_get_counters(mine.end.port, &counters);
	is_u64(counters.received, 1001, "... and they were received");
	is_int(mine.end.came, 1001, "... and handed over");

	madkit_recv_free(mine.end.recv);
	madkit_port_close(mine.end.port);
	bare_close(mine.bare);
	end_close(client);
}

int main(void)
{
	bare_peer();
	registrations();
	agent_qp_pairs();
	agent_qp_forked();
	agent_qp_given();
	return tap_done();
}
