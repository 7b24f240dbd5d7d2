// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How the library waits for MADs and receives long ones on a real kernel, and how it reports failed RMPP
 * transfers. Needs the soft-RoCE devices rxe0 and rxe1.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/kernel/agent_end.h"
#include "tests/tap.h"
#include "util/array_size.h"

static void agent_receiving_waits(void)
{
	struct end *server = end_open("umad:rxe1", OUI, METHOD_ASK, 0),
		   *client = end_open("umad:rxe0", OUI, 0, 0);
	struct madkit_send *send = agent_end_request("rxe1", OUI, METHOD_ASK, ATTR_SILENT, 256, PATIENCE, 0);
	struct pollfd fd = { .fd = madkit_port_fd(server->port), .events = POLLIN };
	int64_t start = now_ms();
	struct madkit_reply reply;

	is_int(madkit_port_wait(server->port, 0), 0, "wait 0: nothing is there");
	is_int(madkit_port_process(server->port), 0, "process: nothing to do");
	is_between(now_ms() - start, 0, SOON, "neither waits");
	start = now_ms();
	is_int(madkit_port_wait(server->port, 100), 0, "wait 100: nothing came");
	is_between(now_ms() - start, 100, SOON, "wait 100: in 100 ms");
	ok(madkit_port_deadline(server->port) == UINT64_MAX, "no deadline: nothing is due");

	start = now_ms();
	alarm_in_ms(100);
	is_int(madkit_port_wait(server->port, -1), -EINTR, "wait for ever: a signal ends it");
	is_between(now_ms() - start, 90, SOON, "... when it comes");
	alarm_in_ms(100);
	is_int(madkit_port_wait(server->port, PATIENCE), -EINTR,
	       "wait with a time: a signal ends it as well");
	is_int(madkit_port_process(server->port), 0, "a signal is not the device's end");
	alarm_in_ms(100);
	is_int(madkit_request(client->agent, send, UINT64_MAX, &reply), -EINTR, "request: a signal ends it");
	is_int(madkit_agent_outstanding(client->agent), 0, "... and cancels the send");
	ok(reply.recv == NULL, "... without an answer");
	alarm_in_ms(0);

	/* the signal's request has arrived meanwhile, as any later one */
	is_int(madkit_port_wait(server->port, PATIENCE), 1, "wait with a time: something came");
	is_int(poll(&fd, 1, 0), 1, "the descriptor is readable as well");
	is_int(server->came, 0, "waiting calls no handler");
	is_int(madkit_port_process(server->port), 1, "process: one event");
	is_int(server->came, 1, "process: calls the handler");
	is_int(madkit_port_wait(server->port, 0), 0, "wait 0: nothing is there any more");

	send->timeout_ms = 300;
	agent_end_post(client, send);
	start = now_ms();
	while (!client->ended && madkit_port_wait(client->port, -1) == 1)
		madkit_port_process(client->port);
	is_between(now_ms() - start, 290 - EARLY, SOON,
		   "wait for ever: until the kernel reports a timeout after 300 ms");
	is_int(client->status, -ETIMEDOUT, "... which is the send's end");
	madkit_send_free(send);
	end_close(client);
	end_close(server);
}

/* Another process sends one request to rxe1. Whether it could. */
static bool sent_by_process(void)
{
	struct madkit_send *send;
	struct end *client;
	int status = -1;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		client = end_open("umad:rxe0", OUI, 0, 0);
		send = agent_end_request("rxe1", OUI, METHOD_ASK, ATTR_SILENT, 256, 0, 0);
		agent_end_post(client, send);
		_exit(!agent_end_drive(client, &client->ended, 1) || client->status);
	}
	return child > 0 && waitpid(child, &status, 0) == child && !status;
}

/* The kernel keeps the MADs of an agent that was unregistered, and reuses its number. */
static void number_reused(void)
{
	static const uint8_t methods[] = { MADKIT_METHOD_GET, METHOD_ASK };
	struct end *server = end_open("umad:rxe1", OUI, METHOD_ASK, 0);
	struct madkit_agent_attr attr = *madkit_agent_get_attr(server->agent);
	uint32_t id = madkit_agent_id(server->agent);

	for (size_t i = 0; i < sizeof(methods); i++) {
		struct madkit_port_counters counters;

		ok(sent_by_process(), "C2: another process sends a request");
		is_int(madkit_port_wait(server->port, PATIENCE), 1, "C2: ... which is queued");
		madkit_agent_unregister(server->agent);
		attr.method_mask[0] = attr.method_mask[1] = 0;
		madkit_method_mask_set(attr.method_mask, methods[i]);
		is_int(madkit_agent_register(server->port, &attr, &server->agent, NULL), 0,
		       "C2: the next agent, for method 0x%02x", methods[i]);
		is_u64(madkit_agent_id(server->agent), id, "C2: ... has the same number");
		madkit_port_process(server->port);
		is_int(madkit_port_wait(server->port, 0), 0, "C2: ... nothing is left");
		is_int(server->came, 0, "C2: ... and it did not get the request");
		madkit_port_get_counters(server->port, &counters);
		is_u64(counters.unknown_agent, i + 1, "C2: ... which was counted");
		/* for the next round: the method of the request */
		madkit_agent_unregister(server->agent);
		attr.method_mask[0] = attr.method_mask[1] = 0;
		madkit_method_mask_set(attr.method_mask, METHOD_ASK);
		is_int(madkit_agent_register(server->port, &attr, &server->agent, NULL), 0,
		       "C2: the method again");
	}
	ok(sent_by_process() && agent_end_drive(server, &server->came, 1), "C2: a later request is received");
	end_close(server);
}

static void short_buffer(void)
{
	enum { TOTAL = HEADER + 1000 };
	struct end *server = end_open("umad:rxe1", OUI, METHOD_ASK, RMPP_KERNEL);
	struct end *client = end_open("umad:rxe0", OUI, 0, RMPP_KERNEL);
	struct madkit_send *send = agent_end_request("rxe1", OUI, METHOD_ASK, ATTR_ECHO, TOTAL, 0, 3);

	fill_random(send->mad + HEADER, TOTAL - HEADER, 3);
	is_int(madkit_port_set_receive_limit(server->port, 0, 10), -EINVAL, "limit: nothing is no limit");
	is_int(madkit_port_set_receive_limit(server->port, 300, 299), -EINVAL,
	       "limit: the first within the last");
	is_int(madkit_port_set_receive_limit(server->port, 256, 1039), 0, "limit: 1039 bytes");
	agent_end_post(client, send);
	is_int(madkit_port_wait(server->port, PATIENCE), 1, "limit: a message came");
	is_int(madkit_port_process(server->port), -ENOSPC, "limit: 1040 bytes are too long for 1039");
	is_u64(madkit_port_receive_needed(server->port), TOTAL, "limit: the length that is needed is told");
	is_int(server->came, 0, "limit: no handler was called");
	is_int(madkit_port_wait(server->port, 0), 1, "limit: the message is still there");
	is_int(madkit_port_process(server->port), -ENOSPC, "limit: the same again");
	is_u64(madkit_port_receive_needed(server->port), TOTAL, "limit: with the same length");
	is_int(madkit_port_set_receive_limit(server->port, 100, 200), 0, "limit: less than a MAD");
	is_int(madkit_port_process(server->port), -ENOSPC, "limit: not even a MAD");
	is_u64(madkit_port_receive_needed(server->port), 256, "limit: a MAD is what is needed first");
	is_int(madkit_port_set_receive_limit(server->port, 24, TOTAL), 0,
	       "limit: 1040 bytes, beginning with 24");
	is_int(madkit_port_process(server->port), 1, "limit: the message is received");
	is_u64(madkit_port_receive_needed(server->port), 0, "limit: nothing more is needed");
	need(server->recv != NULL, "a message");
	is_u64(server->recv->len, TOTAL, "limit: whole");
	is_mem(server->recv->mad + HEADER, send->mad + HEADER, TOTAL - HEADER, "limit: and as it was sent");
	ok(agent_end_drive(client, &client->ended, 1) && client->status == 0,
	   "limit: the send of no response ended well");
	madkit_send_free(send);
	end_close(client);
	end_close(server);
}

/* One MAD, and a message of two segments, into buffers of every size up to two messages. */
static void every_size(void)
{
	static const size_t lengths[] = { 256, HEADER + SEGMENT + 1, HEADER + 2 * SEGMENT };
	struct end *server = end_open("umad:rxe1", OUI, METHOD_ASK, RMPP_KERNEL);
	struct end *client = end_open("umad:rxe0", OUI, 0, RMPP_KERNEL);

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		size_t len = lengths[i];
		struct madkit_send *send = agent_end_request("rxe1", OUI, METHOD_ASK, ATTR_ECHO, len, 0, 3);
		unsigned int wrong = 0, ended = client->ended;

		fill_random(send->mad + HEADER, len - HEADER, (uint32_t)len);
		agent_end_post(client, send);
		is_int(madkit_port_wait(server->port, PATIENCE), 1,
		       "receive: a message of %zu bytes is queued", len);
		for (size_t size = 1; size < len; size++)
			wrong += madkit_port_set_receive_limit(server->port, size, size) ||
				 madkit_port_process(server->port) != -ENOSPC ||
				 madkit_port_receive_needed(server->port) != (size < 256 ? 256 : len);
		is_u64(wrong, 0, "receive: each limit from 1 to %zu is too low, and the message stays",
		       len - 1);
		/* a message of several segments takes a tenth of a second */
		for (size_t size = 1; size <= 2 * len; size += len == 256 ? 1 : 51) {
			unsigned int came = server->came;

			madkit_port_set_receive_limit(server->port, size, 2 * len);
			if (!agent_end_drive(server, &server->came, came + 1) || !server->recv ||
			    server->recv->len != len ||
			    memcmp(server->recv->mad + HEADER, send->mad + HEADER, len - HEADER))
				wrong++;
			wrong += !agent_end_drive(client, &client->ended, ended + 1) || client->status;
			ended++;
			agent_end_post(client, send);
		}
		need(agent_end_drive(server, &server->came, server->came + 1) &&
			     agent_end_drive(client, &client->ended, ended + 1),
		     "the last message");
		is_u64(wrong, 0, "receive: a first buffer of 1 to %zu bytes grows as needed", 2 * len);
		madkit_send_free(send);
	}
	end_close(client);
	end_close(server);
}

/* ---- kernel RMPP ---- */

/* One MAD and hardly more, there and back. */
static void agent_receiving_sizes(void)
{
	static const size_t size[] = {
		HEADER, 255, 256, 257, HEADER + SEGMENT + 1, HEADER + 2 * SEGMENT, 1040
	};
	struct end *client = end_open("umad:rxe0", SERVER_OUI, 0, RMPP_KERNEL);

	for (size_t i = 0; i < ARRAY_SIZE(size); i++) {
		struct madkit_send *send =
			agent_end_request("rxe1", SERVER_OUI, METHOD_ASK, ATTR_ECHO, size[i], PATIENCE, 3);
		size_t wanted = size[i] < 256 ? 256 : size[i];
		struct madkit_reply reply;

		fill_random(send->mad + HEADER, size[i] - HEADER, (uint32_t)i);
		is_int(madkit_request(client->agent, send, UINT64_MAX, &reply), 0,
		       "%zu bytes: there and back", size[i]);
		need(reply.recv != NULL, "an answer");
		is_u64(reply.recv->len, wanted, "%zu bytes: %zu came", size[i], wanted);
		is_mem(reply.recv->mad + HEADER, send->mad + HEADER, size[i] - HEADER, "%zu bytes: the same",
		       size[i]);
		madkit_recv_free(reply.recv);
		madkit_send_free(send);
	}
	end_close(client);
}

static void agent_receiving_megabyte(void)
{
	enum { TOTAL = HEADER + MEGABYTE, SEGMENTS = (MEGABYTE + SEGMENT - 1) / SEGMENT };
	struct end *client = end_open("umad:rxe0", SERVER_OUI, 0, RMPP_KERNEL);
	struct madkit_send *send =
		agent_end_request("rxe1", SERVER_OUI, METHOD_ASK, ATTR_ECHO, TOTAL, 30000, 3);
	struct madkit_reply reply;
	int64_t start = now_ms();

	fill_random(send->mad + HEADER, MEGABYTE, 1);
	is_int(madkit_request(client->agent, send, UINT64_MAX, &reply), 0, "1 MB: there and back");
	printf("# 1 MB there and back in %" PRId64 " ms\n", now_ms() - start);
	is_int(reply.status, 0, "1 MB: answered");
	is_int(reply.kernel_resends, true, "1 MB: the kernel would have resent");
	is_int(reply.attempts, 1, "1 MB: the library sent once");
	need(reply.recv != NULL, "an answer");
	is_u64(reply.recv->len, TOTAL, "1 MB: the data and one header");
	is_mem(reply.recv->mad + HEADER, send->mad + HEADER, MEGABYTE, "1 MB: every byte as it was sent");
	is_u64(madkit_rmpp_get_length(reply.recv->mad), MEGABYTE + 4 * SEGMENTS,
	       "1 MB: PayloadLength counts the OUI of every segment");
	madkit_recv_free(reply.recv);

	/* beyond what this port takes */
	is_int(madkit_port_set_receive_limit(client->port, 256, MEGABYTE), 0, "a limit of 1 MB");
	is_int(madkit_request(client->agent, send, UINT64_MAX, &reply), -ENOSPC,
	       "... is too little for its header");
	is_u64(madkit_port_receive_needed(client->port), TOTAL, "... and the length is told");
	madkit_send_free(send);
	end_close(client);
}

/* A long message without a response ends when it has arrived: who closes the port then loses nothing. */
static void agent_receiving_one_way(void)
{
	enum { TOTAL = HEADER + MEGABYTE };
	struct end *receiver = end_open("umad:rxe1", OUI, METHOD_ASK, RMPP_KERNEL);
	struct end *deaf = end_open("umad:rxe1", SERVER_OUI + 1, METHOD_ASK, RMPP_USER);
	struct end *sender = end_open("umad:rxe0", OUI, 0, RMPP_KERNEL);
	struct madkit_send *send = agent_end_request("rxe1", OUI, METHOD_ASK, 0, TOTAL, 0, 3);
	struct madkit_send *lost = agent_end_request("rxe1", SERVER_OUI + 1, METHOD_ASK, 0, 1040, 0, 0);
	int64_t start = now_ms();

	fill_random(send->mad + HEADER, MEGABYTE, 5);
	agent_end_post(sender, send);
	ok(agent_end_drive(sender, &sender->ended, 1), "one way: 1 MB is sent");
	printf("# one way: 1 MB in %" PRId64 " ms\n", now_ms() - start);
	is_int(sender->status, 0, "one way: it has arrived");
	start = now_ms();
	agent_end_post(sender, lost);
	ok(agent_end_drive(sender, &sender->ended, 2),
	   "one way: 1 KB is sent to somebody who acknowledges nothing");
	is_int(sender->status, -ETIMEDOUT, "one way: it has not arrived");
	is_between(now_ms() - start, 1800 - EARLY, SOON, "one way: which takes 2 s to be known");
	is_int(sender->came, 0, "one way: nothing came back to a handler");
	end_close(sender);
	ok(agent_end_drive(receiver, &receiver->came, 1),
	   "one way: 1 MB is there, after the sender has gone");
	need(receiver->recv != NULL, "a message");
	is_u64(receiver->recv->len, TOTAL, "one way: whole");
	is_mem(receiver->recv->mad + HEADER, send->mad + HEADER, MEGABYTE,
	       "one way: every byte as it was sent");
	madkit_send_free(send);
	madkit_send_free(lost);
	end_close(deaf);
	end_close(receiver);
}

/* For an agent with kernel RMPP, too, the library resends a request of one MAD. */
static void library_resends(void)
{
	struct end *client = end_open("umad:rxe0", SERVER_OUI, 0, RMPP_KERNEL);
	struct madkit_send *send =
		agent_end_request("rxe1", SERVER_OUI, METHOD_ASK, ATTR_SILENT, 256, 200, 2);
	struct madkit_send *ask =
		agent_end_request("rxe1", SERVER_OUI, METHOD_ASK, ATTR_TELL, 256, PATIENCE, 0);
	struct madkit_reply reply;
	int64_t start = now_ms();

	is_int(madkit_request(client->agent, send, UINT64_MAX, &reply), 0,
	       "kernel: a request ran its course");
	is_between(now_ms() - start, 580 - EARLY, SOON, "kernel: 3 x 200 ms");
	is_int(reply.status, -ETIMEDOUT, "kernel: without an answer");
	is_int(reply.kernel_resends, false, "C3: kernel: which the kernel did not resend");
	is_int(reply.attempts, 3, "C3: kernel: in three tries");
	send->timeout_ms = PATIENCE;
	start = now_ms();
	is_int(madkit_request(client->agent, send, madkit_port_now(client->port) + 100 * UINT64_C(1000000),
			      &reply),
	       0, "kernel: a deadline sooner than that");
	is_int(reply.status, -ETIMEDOUT, "kernel: no answer");
	is_between(now_ms() - start, 100, SOON, "kernel: after the 100 ms of the deadline");
	is_int(madkit_request(client->agent, ask, UINT64_MAX, &reply), 0, "kernel: the server tells");
	need(reply.recv != NULL, "an answer");
	is_int(be_at(reply.recv->mad + HEADER, 4), 4, "kernel: it got every try");
	is_int(be_at(reply.recv->mad + HEADER + 4, 4), 2, "kernel: those of a send with one TID");
	madkit_recv_free(reply.recv);
	madkit_send_free(send);
	madkit_send_free(ask);
	end_close(client);
}

/* The packet that the peer, which sees the segments, sends in response to the last one. */
static struct madkit_send *reply_by_hand(struct end *peer, uint8_t type, uint8_t flags, uint8_t status,
					 uint32_t segment, uint32_t length)
{
	struct madkit_send *send = madkit_send_new(256);
	const struct madkit_recv *recv = peer->recv;

	need(send && recv && recv->len == 256, "a segment");
	memcpy(send->mad, recv->mad, 256);
	send->mad[MADKIT_MAD_METHOD] |= MADKIT_METHOD_RESPONSE;
	send->to = recv->from;
	madkit_rmpp_set_version(send->mad, MADKIT_RMPP_VERSION);
	madkit_rmpp_set_type(send->mad, type);
	madkit_rmpp_set_flags(send->mad, MADKIT_RMPP_ACTIVE | flags);
	madkit_rmpp_set_status(send->mad, status);
	madkit_rmpp_set_segment(send->mad, segment);
	madkit_rmpp_set_length(send->mad, length);
	return send;
}

/* A response that stays unfinished: the request ends with its timeout. */
static void agent_receiving_unfinished(void)
{
	struct end *peer = end_open("umad:rxe1", OUI, METHOD_ASK, RMPP_USER);
	struct end *client = end_open("umad:rxe0", OUI, 0, RMPP_KERNEL);
	struct madkit_send *send = agent_end_request("rxe1", OUI, METHOD_ASK, 0, 256, 600, 0), *data;
	int64_t start = now_ms();

	agent_end_post(client, send);
	need(agent_end_drive(peer, &peer->came, 1), "the request");
	data = reply_by_hand(peer, MADKIT_RMPP_DATA, MADKIT_RMPP_FIRST, 0, 1, 3 * (SEGMENT + 4));
	agent_end_post(peer, data);
	need(agent_end_drive(peer, &peer->came, 2), "the ACK");
	is_int(madkit_rmpp_get_type(peer->recv->mad), MADKIT_RMPP_ACK,
	       "unfinished: the first segment is acknowledged");
	ok(agent_end_drive(client, &client->ended, 1), "unfinished: the request ends");
	is_int(client->status, -ETIMEDOUT, "unfinished: without an answer");
	is_between(now_ms() - start, 590 - EARLY, SOON, "unfinished: when its 600 ms are over");
	is_int(client->came, 0, "unfinished: nothing of it is handed over");
	end_close(client);
	end_close(peer);
	madkit_send_free(send);
	madkit_send_free(data);
}

/* Segments that are lost after the first window are resent, however short the timeout is. */
static void lost_window(void)
{
	struct end *peer = end_open("umad:rxe1", OUI, METHOD_ASK, RMPP_USER);
	struct end *client = end_open("umad:rxe0", OUI, 0, RMPP_KERNEL);
	struct madkit_send *send = agent_end_request("rxe1", OUI, METHOD_ASK, 0, HEADER + 3 * SEGMENT, 300,
						     3),
			   *ack;

	agent_end_post(client, send);
	need(agent_end_drive(peer, &peer->came, 1), "the first segment");
	ack = reply_by_hand(peer, MADKIT_RMPP_ACK, 0, 0, 1, 64);
	agent_end_post(peer, ack);
	need(agent_end_drive(peer, &peer->came, 3), "the second and the third");
	ok(agent_end_drive(peer, &peer->came, 4), "lost window: what was not acknowledged comes again");
	end_close(client);
	end_close(peer);
	madkit_send_free(send);
	madkit_send_free(ack);
}

/* Two transfers that are never completed. The peer aborts one: the kernel forgets it silently, and the
 * library's own deadline ends it. The other is an unsolicited response. */
static void failed(void)
{
	enum { TOTAL = HEADER + 1000 };
	struct end *peer = end_open("umad:rxe1", OUI, METHOD_ASK, RMPP_USER);
	struct end *client = end_open("umad:rxe0", OUI, 0, RMPP_KERNEL);
	struct end *stray = end_open("umad:rxe1", SERVER_OUI + 1, METHOD_ASK, RMPP_KERNEL);
	struct madkit_send *send = agent_end_request("rxe1", OUI, METHOD_ASK, 0, TOTAL, 300, 0), *abort;
	struct madkit_send *response = agent_end_request("rxe0", SERVER_OUI + 1,
							 METHOD_ASK | MADKIT_METHOD_RESPONSE, 0, TOTAL, 0, 0);
	struct madkit_port_counters counters;
	int64_t start = now_ms();

	agent_end_post(stray, response);
	ok(agent_end_drive(stray, &stray->ended, 1) && stray->status == 0,
	   "stray: a send without a timeout ends at once");
	agent_end_post(client, send);
	need(agent_end_drive(peer, &peer->came, 1), "the first segment");
	is_int(madkit_rmpp_get_type(peer->recv->mad), MADKIT_RMPP_DATA,
	       "ABORT: the peer sees the first segment");
	abort = reply_by_hand(peer, MADKIT_RMPP_ABORT, 0, 127, 0, 0);
	agent_end_post(peer, abort);
	ok(agent_end_drive(client, &client->ended, 1), "ABORT: the request ends");
	is_int(client->status, -ETIMEDOUT, "ABORT: without an answer");
	printf("# ABORT: after %" PRId64 " ms\n", now_ms() - start);
	is_between(now_ms() - start, 300, SOON, "ABORT: in a bounded time");
	madkit_port_get_counters(client->port, &counters);
	is_u64(counters.timeouts, 0, "ABORT: the kernel never told");
	is_u64(counters.expired, 1, "ABORT: the library's own deadline did");

	ok(agent_end_drive(stray, &stray->came, 1), "stray: what nobody wanted comes back");
	is_int(stray->recv->status, ETIMEDOUT, "stray: with status 110");
	is_u64(stray->recv->len, 24, "stray: its header");
	ok(stray->recv->send == NULL, "stray: its send has long ended");
	is_mem(stray->recv->mad + 12, response->mad + 12, 4, "stray: the TID tells which it was");
	end_close(stray);
	end_close(client);
	end_close(peer);
	madkit_send_free(abort);
	madkit_send_free(send);
	madkit_send_free(response);
}

int main(void)
{
	pid_t server = server_start("rxe1");

	agent_receiving_waits();
	number_reused();
	short_buffer();
	every_size();
	agent_receiving_sizes();
	agent_receiving_megabyte();
	agent_receiving_one_way();
	library_resends();
	agent_receiving_unfinished();
	lost_window();
	failed();
	child_stop(server);
	return tap_done();
}
