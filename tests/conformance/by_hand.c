// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The kernel's RMPP and the library's against a peer that makes its segments, ACKs, STOPs and ABORTs by hand. */
#include <errno.h>

#include "tests/conformance/conformance.h"

enum { SEGMENTS = 3, BYTES = 2 * SEGMENT + 100 };

static struct end *case_by_hand_agent(struct run *r, enum side side, uint8_t method, enum rmpp rmpp)
{
	struct madkit_agent_attr attr = vendor_attr(OUI, method, rmpp);

	return take(r, side, &attr);
}

static struct madkit_send *case_by_hand_long_request(struct run *r)
{
	struct madkit_addr to = address_of(r, THERE);
	struct madkit_send *send = vendor_send(r, HEADER + BYTES, OUI, ASK, ECHO, &to);

	send->retries = 3;
	return send;
}

/* A packet of RMPP with the header of what came: last_word is PayloadLength or NewWindowLast. */
static struct madkit_send *case_by_hand_packet(struct run *r, const struct madkit_recv *recv, uint8_t method,
					       uint8_t type, uint8_t flags, uint8_t status, uint32_t segment,
					       uint32_t last_word)
{
	struct madkit_send *send = response_to(r, recv);

	send->mad[MADKIT_MAD_METHOD] = method;
	madkit_rmpp_set_version(send->mad, MADKIT_RMPP_VERSION);
	madkit_rmpp_set_type(send->mad, type);
	madkit_rmpp_set_flags(send->mad, MADKIT_RMPP_ACTIVE | flags);
	madkit_rmpp_set_status(send->mad, status);
	madkit_rmpp_set_segment(send->mad, segment);
	madkit_rmpp_set_length(send->mad, last_word);
	return send;
}

static struct madkit_send *ack(struct run *r, const struct madkit_recv *recv, uint32_t segment,
			       uint32_t window)
{
	return case_by_hand_packet(r, recv, ASK | MADKIT_METHOD_RESPONSE, MADKIT_RMPP_ACK, 0, 0, segment,
				   window);
}

/* Waits for the segment, or packet, with this number; earlier ones may arrive again. */
static const struct madkit_recv *segment(struct run *r, struct end *end, uint8_t type, uint32_t number)
{
	for (unsigned int seen = 0;; seen++) {
		const struct madkit_recv *recv;

		drive(r, &end->came, seen + 1);
		need(r, end->came <= KEPT_MAX, "not that many MADs");
		recv = end->recv[seen];
		if (madkit_mad_has_rmpp(recv->mad, recv->len) && madkit_rmpp_get_type(recv->mad) == type &&
		    madkit_rmpp_get_segment(recv->mad) == number)
			return recv;
	}
}

/* An argument selects the sender: the kernel or the library. */
static struct end *by_argument(struct run *r, uint8_t method)
{
	return case_by_hand_agent(r, HERE, method, *(const enum rmpp *)r->arg);
}

static void case_by_hand_acknowledged(struct run *r)
{
	struct end *peer = case_by_hand_agent(r, THERE, ASK, USER_RMPP), *client = by_argument(r, 0);
	struct madkit_send *send = case_by_hand_long_request(r), *answer;
	const struct madkit_recv *recv = NULL;
	uint8_t got[SEGMENTS * SEGMENT];

	post(r, client, send);
	for (uint32_t n = 1; n <= SEGMENTS; n++) {
		uint8_t flags = (n == 1 ? MADKIT_RMPP_FIRST : 0) | (n == SEGMENTS ? MADKIT_RMPP_LAST : 0) |
				MADKIT_RMPP_ACTIVE;

		recv = segment(r, peer, MADKIT_RMPP_DATA, n);
		equal(r, recv->len, MADKIT_MAD_BYTES, "segment %" PRIu32 " is a MAD", n);
		equal(r, madkit_rmpp_get_flags(recv->mad), flags, "segment %" PRIu32 ": its flags", n);
		if (n == 1)
			equal(r, madkit_rmpp_get_length(recv->mad), BYTES + 4 * SEGMENTS,
			      "the first PayloadLength");
		if (n == SEGMENTS)
			equal(r, madkit_rmpp_get_length(recv->mad), 100 + 4, "the last PayloadLength");
		memcpy(got + (n - 1) * SEGMENT, recv->mad + HEADER, SEGMENT);
		post(r, peer, ack(r, recv, n, n + 1));
	}
	check(r, !memcmp(got, send->mad + HEADER, BYTES), "every byte as it was sent");
	/* the library hands out RMPP alone after a long request */
	answer = case_by_hand_packet(r, recv, ASK | MADKIT_METHOD_RESPONSE, MADKIT_RMPP_DATA,
				     MADKIT_RMPP_FIRST | MADKIT_RMPP_LAST, 0, 1, 100 + 4);
	post(r, peer, answer);
	drive(r, &client->ended, 1);
	equal(r, client->status, 0, "it is answered");
	equal(r, client->came, 1, "by one message");
}

/* The window that the peer gives is all that is sent. */
static void window(struct run *r)
{
	struct end *peer = case_by_hand_agent(r, THERE, ASK, USER_RMPP), *client = by_argument(r, 0);
	const struct madkit_recv *recv;

	post(r, client, case_by_hand_long_request(r));
	recv = segment(r, peer, MADKIT_RMPP_DATA, 1);
	post(r, peer, ack(r, recv, 1, 2));
	segment(r, peer, MADKIT_RMPP_DATA, 2);
	/* if a packet beyond it had been sent, it would have arrived before this response */
	post(r, peer, ack(r, recv, 1, 2));
	for (unsigned int i = 0; i < peer->came; i++)
		check(r, madkit_rmpp_get_segment(peer->recv[i]->mad) < 3, "segment 3 is beyond the window");
}

/* The packets that end a transfer: STOP or ABORT. */
static const struct {
	uint8_t type, status;
} endings[] = {
	{ MADKIT_RMPP_ABORT, MADKIT_RMPP_STATUS_UNSPECIFIED },
	{ MADKIT_RMPP_STOP, MADKIT_RMPP_STATUS_RESOURCES },
};

/* The kernel does not report the end: the library's deadline ends the sends. */
static void kernel_ended(struct run *r)
{
	struct end *peer = case_by_hand_agent(r, THERE, ASK, USER_RMPP),
		   *client = case_by_hand_agent(r, HERE, 0, KERNEL_RMPP);

	for (unsigned int i = 0; i < 2; i++) {
		struct madkit_send *send = case_by_hand_long_request(r);

		send->timeout_ms = 300;
		send->retries = 0;
		post(r, client, send);
		drive(r, &peer->came, i + 1);
		post(r, peer,
		     case_by_hand_packet(r, latest(r, peer), ASK | MADKIT_METHOD_RESPONSE, endings[i].type, 0,
					 endings[i].status, 0, 0));
	}
	for (unsigned int i = 0; i < 2; i++) {
		drive(r, &client->ended, i + 1);
		equal(r, client->status, -ETIMEDOUT, "how the send ended");
	}
	equal(r, client->came, 0, "nothing was handed over");
	equal(r, peer->came, 2, "after the first segment nothing was sent");
}

static void library_ended(struct run *r)
{
	struct end *peer = case_by_hand_agent(r, THERE, ASK, USER_RMPP),
		   *client = case_by_hand_agent(r, HERE, 0, LIBRARY_RMPP);

	for (unsigned int i = 0; i < 2; i++) {
		struct madkit_send *send = case_by_hand_long_request(r);

		post(r, client, send);
		drive(r, &peer->came, i + 1);
		post(r, peer,
		     case_by_hand_packet(r, latest(r, peer), ASK | MADKIT_METHOD_RESPONSE, endings[i].type, 0,
					 endings[i].status, 0, 0));
		drive(r, &client->ended, i + 1);
		equal(r, client->status, -ECONNABORTED, "how the send ended");
		equal(r, send->rmpp.status, endings[i].status, "the peer's RMPP status");
	}
	equal(r, client->came, 0, "nothing was handed over");
}

/* Three segments by hand arrive as one message, whatever length the first one claims to a kernel. */
static void segments(struct run *r)
{
	struct end *server = by_argument(r, ASK), *peer = case_by_hand_agent(r, THERE, 0, USER_RMPP);
	struct madkit_addr to = address_of(r, HERE);
	uint8_t data[SEGMENTS * SEGMENT] = { 0 };
	const struct madkit_recv *recv;

	fill_random(data, BYTES, 5);
	for (uint32_t n = 1; n <= SEGMENTS; n++) {
		struct madkit_send *send = vendor_send(r, MADKIT_MAD_BYTES, OUI, ASK, ECHO, &to);

		/* its TID has to be the same each time: what ends is its own */
		put_be(send->mad + MADKIT_MAD_TID, 8, 77);
		memcpy(send->mad + HEADER, data + (n - 1) * SEGMENT, SEGMENT);
		madkit_rmpp_set_version(send->mad, MADKIT_RMPP_VERSION);
		madkit_rmpp_set_type(send->mad, MADKIT_RMPP_DATA);
		madkit_rmpp_set_flags(send->mad, MADKIT_RMPP_ACTIVE | (n == 1 ? MADKIT_RMPP_FIRST : 0) |
							 (n == SEGMENTS ? MADKIT_RMPP_LAST : 0));
		madkit_rmpp_set_segment(send->mad, n);
		madkit_rmpp_set_length(send->mad, n == 1        ? BYTES + 4 * SEGMENTS :
						  n == SEGMENTS ? 100 + 4 :
								  0);
		send->timeout_ms = 0;
		post(r, peer, send);
		if (n == 2)
			continue;
		recv = segment(r, peer, MADKIT_RMPP_ACK, n);
		if (n == 1)
			check(r, madkit_rmpp_get_length(recv->mad) >= 2, "the window opens");
	}
	drive(r, &server->came, 1);
	recv = latest(r, server);
	equal(r, recv->len, HEADER + BYTES, "the length is that of the data and one header");
	check(r, !memcmp(recv->mad + HEADER, data, BYTES), "every byte as it was sent");
}

/* A response that is broken off, or does not keep to RMPP. */
struct broken {
	uint8_t version, type, flags, status;
	uint32_t segment, length;
	uint8_t abort; /* the RMPP status that the receiver answers with */
};

static void broken(struct run *r)
{
	const struct broken *b = r->arg;
	struct end *peer = case_by_hand_agent(r, THERE, ASK, USER_RMPP),
		   *client = case_by_hand_agent(r, HERE, 0, KERNEL_RMPP);
	struct madkit_addr to = address_of(r, THERE);
	struct madkit_send *send = vendor_send(r, MADKIT_MAD_BYTES, OUI, ASK, ECHO, &to), *data;
	const struct madkit_recv *recv;

	post(r, client, send);
	drive(r, &peer->came, 1);
	data = case_by_hand_packet(r, peer->recv[0], ASK | MADKIT_METHOD_RESPONSE, b->type, b->flags,
				   b->status, b->segment, b->length);
	madkit_rmpp_set_version(data->mad, b->version);
	post(r, peer, data);
	drive(r, &peer->came, 2);
	recv = latest(r, peer);
	equal(r, madkit_rmpp_get_type(recv->mad), MADKIT_RMPP_ABORT, "it is answered by ABORT");
	equal(r, madkit_rmpp_get_status(recv->mad), b->abort, "with this status");
	equal(r, client->came, 0, "nothing of it is handed over");
	equal(r, client->ended, 0, "the request goes on waiting");
}

/* The next packet of the peer's that came after the first seen ones: a request, or an ACK. */
static const struct madkit_recv *case_by_hand_next(struct run *r, struct end *peer, uint8_t type,
						   unsigned int *seen)
{
	while (*seen < peer->came) {
		need(r, *seen < KEPT_MAX, "not that many MADs");
		if (madkit_rmpp_get_type(peer->recv[(*seen)++]->mad) == type)
			return peer->recv[*seen - 1];
	}
	return NULL;
}

/* The first of three segments and no more. A slow machine answers when the request has ended: it is asked again, with
 * more time. */
static void case_by_hand_unfinished(struct run *r)
{
	struct end *peer = case_by_hand_agent(r, THERE, ASK, USER_RMPP),
		   *client = case_by_hand_agent(r, HERE, 0, KERNEL_RMPP);
	struct madkit_addr to = address_of(r, THERE);
	unsigned int seen = 0;

	for (uint32_t timeout_ms = 600;; timeout_ms *= 2) {
		struct madkit_send *send = vendor_send(r, MADKIT_MAD_BYTES, OUI, ASK, ECHO, &to);
		const struct madkit_recv *recv;
		uint64_t start = case_now_ms(r);

		send->timeout_ms = timeout_ms;
		post(r, client, send);
		while (!(recv = case_by_hand_next(r, peer, 0, &seen)))
			drive(r, &peer->came, peer->came + 1);
		post(r, peer,
		     case_by_hand_packet(r, recv, ASK | MADKIT_METHOD_RESPONSE, MADKIT_RMPP_DATA,
					 MADKIT_RMPP_FIRST, 0, 1, BYTES + 4 * SEGMENTS));
		drive(r, &client->ended, client->ended + 1);
		equal(r, client->status, -ETIMEDOUT, "the request times out");
		check(r, case_now_ms(r) - start >= timeout_ms - 1,
		      "when its time is over, not after %" PRIu64, case_now_ms(r) - start);
		equal(r, client->came, 0, "nothing of it is handed over");
		recv = case_by_hand_next(r, peer, MADKIT_RMPP_ACK, &seen);
		if (recv) {
			equal(r, madkit_rmpp_get_segment(recv->mad), 1, "the ACK is of the first segment");
			break;
		}
		need(r, timeout_ms < PATIENCE / 2, "an ACK while the request waits");
	}
}

/* Segments after the first window are resent if they are not acknowledged. */
static void case_by_hand_again(struct run *r)
{
	struct end *peer = case_by_hand_agent(r, THERE, ASK, USER_RMPP), *client = by_argument(r, 0);
	const struct madkit_recv *recv;
	struct madkit_send *send = case_by_hand_long_request(r);
	unsigned int seconds = 0;

	send->timeout_ms = 300;
	send->retries = 100;
	post(r, client, send);
	recv = segment(r, peer, MADKIT_RMPP_DATA, 1);
	post(r, peer, ack(r, recv, 1, 64));
	segment(r, peer, MADKIT_RMPP_DATA, 3);
	while (seconds < 2) {
		drive(r, &peer->came, peer->came + 1);
		seconds = 0;
		for (unsigned int i = 0; i < peer->came && i < KEPT_MAX; i++)
			seconds += madkit_rmpp_get_segment(peer->recv[i]->mad) == 2;
	}
}

/* A long unsolicited response is dropped; its sender gets it back. */
static void stray(struct run *r)
{
	struct end *server = case_by_hand_agent(r, THERE, ASK, KERNEL_RMPP),
		   *client = case_by_hand_agent(r, HERE, ASK, KERNEL_RMPP);
	struct madkit_addr to = address_of(r, HERE);
	struct madkit_send *send =
		vendor_send(r, HEADER + BYTES, OUI, ASK | MADKIT_METHOD_RESPONSE, ECHO, &to);
	const struct madkit_recv *recv;

	put_be(send->mad + MADKIT_MAD_TID, 8, 0x1234500000007);
	send->timeout_ms = 0;
	post(r, server, send);
	drive(r, &server->came, 1);
	recv = latest(r, server);
	equal(r, recv->status, ETIMEDOUT, "it comes back with this status");
	equal(r, recv->len, MADKIT_HEADER_BYTES, "... its header");
	equal(r, be_at(recv->mad + MADKIT_MAD_TID, 8), 0x1234500000007, "... the TID tells which");
	equal(r, client->came, 0, "nobody got it");
}

/* One MAD by hand reaches an agent that does RMPP itself, as it is. */
static void raw(struct run *r)
{
	struct end *peer = case_by_hand_agent(r, THERE, ASK, USER_RMPP),
		   *client = case_by_hand_agent(r, HERE, 0, USER_RMPP);
	struct madkit_addr to = address_of(r, THERE);
	struct madkit_send *send = vendor_send(r, MADKIT_MAD_BYTES, OUI, ASK, ECHO, &to);

	madkit_rmpp_set_version(send->mad, MADKIT_RMPP_VERSION);
	madkit_rmpp_set_type(send->mad, MADKIT_RMPP_DATA);
	madkit_rmpp_set_flags(send->mad, MADKIT_RMPP_ACTIVE | MADKIT_RMPP_FIRST);
	madkit_rmpp_set_resptime(send->mad, 17);
	madkit_rmpp_set_segment(send->mad, 1);
	madkit_rmpp_set_length(send->mad, 4000);
	send->timeout_ms = 0;
	post(r, client, send);
	drive(r, &peer->came, 1);
	equal(r, latest(r, peer)->len, MADKIT_MAD_BYTES, "a segment is a MAD");
	check(r,
	      !memcmp(latest(r, peer)->mad + MADKIT_HEADER_BYTES, send->mad + MADKIT_HEADER_BYTES,
		      MADKIT_MAD_BYTES - MADKIT_HEADER_BYTES),
	      "no kernel has touched it");
}

#define WITH UMAD | RMPP | PEER
#define BY(who) \
	&(const enum rmpp) \
	{ \
		who##_RMPP \
	}
#define BROKEN(...) \
	&(const struct broken) \
	{ \
		__VA_ARGS__ \
	}
static const struct test list[] = {
	{ "by-hand/kernel-acknowledged", WITH, case_by_hand_acknowledged, BY(KERNEL) },
	{ "by-hand/library-acknowledged", WITH, case_by_hand_acknowledged, BY(LIBRARY) },
	{ "by-hand/kernel-window", WITH, window, BY(KERNEL) },
	{ "by-hand/library-window", WITH, window, BY(LIBRARY) },
	{ "by-hand/kernel-again", WITH, case_by_hand_again, BY(KERNEL) },
	{ "by-hand/library-again", WITH, case_by_hand_again, BY(LIBRARY) },
	{ "by-hand/kernel-aborted-or-stopped", WITH, kernel_ended, NULL },
	{ "by-hand/library-aborted-or-stopped", WITH, library_ended, NULL },
	{ "by-hand/kernel-segments", WITH, segments, BY(KERNEL) },
	{ "by-hand/library-segments", WITH, segments, BY(LIBRARY) },
	{ "by-hand/kernel-unfinished", WITH, case_by_hand_unfinished, NULL },
	{ "by-hand/bad-version", WITH, broken,
	  BROKEN(2, MADKIT_RMPP_DATA, MADKIT_RMPP_FIRST, 0, 1, 1000, MADKIT_RMPP_STATUS_VERSION) },
	{ "by-hand/bad-type", WITH, broken,
	  BROKEN(1, 9, MADKIT_RMPP_FIRST, 0, 1, 1000, MADKIT_RMPP_STATUS_TYPE) },
	{ "by-hand/bad-status", WITH, broken,
	  BROKEN(1, MADKIT_RMPP_DATA, MADKIT_RMPP_FIRST, 3, 1, 1000, MADKIT_RMPP_STATUS_ILLEGAL) },
	{ "by-hand/first-is-not-1", WITH, broken,
	  BROKEN(1, MADKIT_RMPP_DATA, MADKIT_RMPP_FIRST, 0, 2, 1000, MADKIT_RMPP_STATUS_FIRST) },
	{ "by-hand/1-is-not-first", WITH, broken,
	  BROKEN(1, MADKIT_RMPP_DATA, 0, 0, 1, 1000, MADKIT_RMPP_STATUS_FIRST) },
	{ "by-hand/stray-response", WITH, stray, NULL },
	{ "by-hand/raw-segment", WITH, raw, NULL },
};
TESTS(by_hand_tests, list);
