// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A real kernel's RMPP against a peer that makes its segments and ACKs by hand on a UMAD_USER_RMPP agent; and
 * the fate of unsolicited responses. Needs the soft-RoCE devices rxe0 and rxe1.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/kernel/umad_end.h"
#include "tests/tap.h"
#include "util/array_size.h"

enum { DATA = 1, ACK = 2, STOP = 3, ABORT = 4 };
enum { ACTIVE = 1, FIRST = 2, LAST = 4 };
enum { SEGMENTS = 3, BYTES = 2 * SEGMENT + 100, TOTAL = HEADER + BYTES, SA_HEADER = 56 };

/* The next MAD for end; its kernel may resend unacknowledged segments after 2 s. */
static uint8_t *umad_byhand_take(struct end end, void *umad)
{
	int length = MAD_SIZE;

	need(umad_recv(end.fd, umad, &length, PATIENCE) == (int)end.agent, "a MAD");
	need(umad_status(umad) == 0, "a MAD without an error");
	return umad_get_mad(umad);
}

/* Makes the MAD in umad an RMPP packet, and sends it. */
static void send_rmpp(struct end end, void *umad, int type, int flags, uint32_t first, uint32_t second)
{
	uint8_t *mad = umad_get_mad(umad);

	umad_get_mad_addr(umad)->gid_index = 0;
	mad[24] = 1;
	mad[25] = (uint8_t)type;
	mad[26] = (uint8_t)(0x1f << 3 | ACTIVE | flags);
	mad[27] = 0;
	put_be(mad + 28, 4, first);
	put_be(mad + 32, 4, second);
	need(send_errno(end, umad, MAD_SIZE, 0, 0) == 0, "umad_send by hand");
}

static void *umad_byhand_long_request(uint32_t oui, uint64_t tid)
{
	void *umad = new_umad(TOTAL);

	address_device(umad, "rxe1");
	fill_mad(umad, oui, METHOD_ASK, tid);
	fill_rmpp(umad);
	fill_random((uint8_t *)umad_get_mad(umad) + HEADER, BYTES, 11);
	return umad;
}

static bool comes_beyond(struct end end, void *umad, uint32_t segment)
{
	int length = MAD_SIZE;

	while (umad_recv(end.fd, umad, &length, 0) >= 0)
		if (be_at((uint8_t *)umad_get_mad(umad) + 28, 4) > segment)
			return true;
	return false;
}

/* The kernel sends; every segment is acknowledged by hand, and the window opens one at a time. */
static void umad_byhand_kernel_to_hand(void)
{
	struct end peer = umad_end_open_by_hand("rxe1", OUI), client = open_end("rxe0", OUI, 0, 1);
	void *umad = umad_byhand_long_request(OUI, 1), *seen = new_umad(MAD_SIZE), *back = new_umad(MAD_SIZE);
	const uint8_t *sent = umad_get_mad(umad);
	const uint8_t *mad;
	uint8_t got[SEGMENTS * SEGMENT];

	is_int(send_errno(client, umad, TOTAL, PATIENCE, 3), 0, "by hand: the kernel sends three segments");
	for (uint32_t segment = 1; segment <= SEGMENTS; segment++) {
		int flags = (segment == 1 ? FIRST : 0) | (segment == SEGMENTS ? LAST : 0) | ACTIVE;
		uint32_t payload = segment == 1 ? BYTES + 4 * SEGMENTS : segment == SEGMENTS ? 100 + 4 : 0;

		do /* a slow machine sees the last one again */
			mad = umad_byhand_take(peer, seen);
		while (be_at(mad + 28, 4) < segment);
		is_int(mad[25], DATA, "by hand: segment %u is DATA", segment);
		is_int(mad[26] & 7, flags, "... its flags");
		is_int(mad[26] >> 3, 0, "... its response time is 0, not the 31 that was given");
		is_int(be_at(mad + 28, 4), segment, "... its number");
		if (payload)
			is_int(be_at(mad + 32, 4), payload, "... its PayloadLength");
		memcpy(got + (segment - 1) * SEGMENT, mad + HEADER, SEGMENT);
		ok(!comes_beyond(peer, back, segment), "... and no segment beyond the window follows");
		((uint8_t *)umad_get_mad(seen))[3] |= RESPONSE;
		send_rmpp(peer, seen, ACK, 0, segment, segment + 1);
	}
	is_mem(got, sent + HEADER, BYTES, "by hand: every byte as it was sent");
	((uint8_t *)umad_get_mad(seen))[26] = 0;
	need(send_errno(peer, seen, MAD_SIZE, 0, 0) == 0, "an answer without RMPP");
	umad_byhand_take(client, back);
	ok(true, "by hand: hand-made ACKs are accepted, and the answer after them");
	umad_free(back);
	umad_free(seen);
	umad_free(umad);
	close_end(client);
	close_end(peer);
}

/* Three segments sent by hand arrive as one message, whatever length the first claims: 0 is the right one. */
static void umad_byhand_hand_to_kernel(uint32_t claimed)
{
	const char *what = claimed ? "hand to kernel, first PayloadLength 0xffffffff" : "hand to kernel";
	struct end peer = umad_end_open_by_hand("rxe0", OUI), server = open_end("rxe1", OUI, METHOD_ASK, 1);
	void *whole = new_umad(TOTAL + MAD_SIZE), *umad = umad_end_request("rxe1", OUI, METHOD_ASK, 7);
	void *message = umad_byhand_long_request(OUI, 7), *seen = new_umad(MAD_SIZE);
	const uint8_t *data = (const uint8_t *)umad_get_mad(message) + HEADER;
	int length = TOTAL + MAD_SIZE;
	uint64_t tid = 0;

	for (uint32_t segment = 1; segment <= SEGMENTS; segment++) {
		size_t n = segment == SEGMENTS ? 100 : SEGMENT;
		const uint8_t *mad;
		uint32_t acked;

		memset((uint8_t *)umad_get_mad(umad) + HEADER, 0, SEGMENT);
		memcpy((uint8_t *)umad_get_mad(umad) + HEADER, data + (segment - 1) * SEGMENT, n);
		send_rmpp(peer, umad, DATA, (segment == 1 ? FIRST : 0) | (segment == SEGMENTS ? LAST : 0),
			  segment,
			  segment == 1        ? claimed ? claimed : BYTES + 4 * SEGMENTS :
			  segment == SEGMENTS ? 100 + 4 :
						0);
		if (segment == 2) /* within the window: not acknowledged by itself */
			continue;
		mad = umad_byhand_take(peer, seen);
		acked = (uint32_t)be_at(mad + 28, 4);
		is_int(mad[25], ACK, "%s: segment %u: the kernel sends an ACK", what, segment);
		is_int(acked, segment, "... of what has come");
		if (segment == 1)
			is_int(be_at(mad + 32, 4), 1 + 64,
			       "... NewWindowLast 65: 64 more, an eighth of QP1's queue of 512");
		tid = be_at(mad + 8, 8);
	}
	is_int(tid & UINT32_MAX, 7, "%s: the ACK has the TID", what);
	is_int(umad_recv(server.fd, whole, &length, PATIENCE), server.agent, "%s: the message is there",
	       what);
	is_int(length, TOTAL, "%s: the length is that of the data and one header", what);
	is_mem((uint8_t *)umad_get_mad(whole) + HEADER, data, BYTES, "%s: every byte as it was sent", what);
	umad_free(seen);
	umad_free(message);
	umad_free(umad);
	umad_free(whole);
	close_end(server);
	close_end(peer);
}

/* ---- resends after the first segment ---- */

/*
 * The peer acknowledges the first segment and lets the window be 64 wide; it is silent about the two that follow.
 * With a timeout up to 2 s the kernel takes the time at which that of the first segment would have ended for the
 * time to wait (Linux 6.1, send_next_seg): half a year.
 */
struct silence {
	const char *name;
	int timeout_ms;
	bool again;
	struct end peer, client;
};

static void silence_begin(struct silence *s, uint32_t oui)
{
	void *umad = umad_byhand_long_request(oui, 1), *seen = new_umad(MAD_SIZE),
	     *later = umad_end_request("rxe1", oui, METHOD_ASK, 2);
	uint8_t *mad;

	s->peer = umad_end_open_by_hand("rxe1", oui);
	s->client = open_end("rxe0", oui, 0, 1);
	is_int(send_errno(s->client, umad, TOTAL, s->timeout_ms, 3), 0, "%s: three segments are sent",
	       s->name);
	mad = umad_byhand_take(s->peer, seen);
	need(be_at(mad + 28, 4) == 1, "the first segment");
	mad[3] |= RESPONSE;
	send_rmpp(s->peer, seen, ACK, 0, 1, 64);
	while (be_at(umad_byhand_take(s->peer, seen) + 28, 4) != SEGMENTS)
		;
	if (!s->again) {
		/* anything that the kernel would do is done when the time of this request is over */
		need(send_errno(s->client, later, MAD_SIZE, 5000, 0) == 0, "umad_send");
		umad_byhand_take(s->peer, seen);
		need(be_at((uint8_t *)umad_get_mad(seen) + 12, 4) == 2, "the later request");
	}
	umad_free(seen);
	umad_free(later);
	umad_free(umad);
}

static void silence_end(struct silence *s)
{
	void *seen = new_umad(MAD_SIZE);
	int length = MAD_SIZE;

	if (s->again) {
		is_int(be_at(umad_byhand_take(s->peer, seen) + 28, 4), 2, "%s: the second is sent again",
		       s->name);
	} else {
		need(umad_recv(s->client.fd, seen, &length, PATIENCE) >= 0, "a MAD that comes back");
		is_int(be_at((uint8_t *)umad_get_mad(seen) + 12, 4), 2, "%s: it never comes back", s->name);
		length = MAD_SIZE;
		is_int(umad_recv(s->peer.fd, seen, &length, 0), -EAGAIN, "%s: nor is anything sent again",
		       s->name);
	}
	umad_free(seen);
	close_end(s->client);
	close_end(s->peer);
}

/* ---- unsolicited responses ---- */

/*
 * DATA with the response bit and nothing outstanding is dropped; who sent it learns that by a timeout, although
 * it asked for none: 2 s for each try.
 */
struct stray {
	const char *name;
	int retries, after_ms;
	struct end end;
};

static void stray_begin(struct stray *s, uint32_t oui)
{
	void *umad = umad_byhand_long_request(oui, 3);

	s->end = open_end("rxe0", oui, METHOD_ASK, 1);
	((uint8_t *)umad_get_mad(umad))[3] |= RESPONSE;
	is_int(send_errno(s->end, umad, TOTAL, 0, s->retries), 0, "%s: a long response to nobody is sent",
	       s->name);
	umad_free(umad);
}

static void stray_end(struct stray *s, int64_t start)
{
	void *back = new_umad(MAD_SIZE);
	int length = MAD_SIZE;

	is_int(umad_recv(s->end.fd, back, &length, PATIENCE), s->end.agent, "%s: it comes back", s->name);
	is_int(umad_status(back), ETIMEDOUT, "%s: with status 110", s->name);
	is_between(now_ms() - start, s->after_ms - EARLY, s->after_ms + SOON, "%s: after %d ms", s->name,
		   s->after_ms);
	close_end(s->end);
	umad_free(back);
}

/* ---- the long response of a process that has died ---- */

static uint32_t dying_oui;

static void serve_and_die(const char *ca)
{
	struct end end = open_end(ca, dying_oui, METHOD_ASK, 1);
	void *seen = new_umad(MAD_SIZE), *umad = umad_byhand_long_request(dying_oui, 0);
	uint8_t *mad = umad_get_mad(umad);

	child_ready();
	umad_byhand_take(end, seen);
	memcpy(mad, umad_get_mad(seen), 24);
	mad[3] |= RESPONSE;
	memcpy(umad_get_mad_addr(umad), umad_get_mad_addr(seen), sizeof(ib_mad_addr_t));
	umad_get_mad_addr(umad)->gid_index = 0;
	need(send_errno(end, umad, TOTAL, 0, 3) == 0, "umad_send");
	_exit(0);
}

static void dead_server(void)
{
	struct end client;
	void *umad, *back = new_umad(MAD_SIZE);
	uint8_t *mad;
	int length = MAD_SIZE;
	pid_t pid;

	dying_oui = OUI + 9;
	pid = child_start(serve_and_die, "rxe1");
	client = umad_end_open_by_hand("rxe0", dying_oui);
	umad = umad_end_request("rxe1", dying_oui, METHOD_ASK, 5);
	need(send_errno(client, umad, MAD_SIZE, PATIENCE, 0) == 0, "umad_send");
	/* by hand, so that the response is still under way when its sender dies */
	mad = umad_byhand_take(client, back);
	is_int(mad[25], DATA, "dead server: the first segment of its long response comes");
	is_int(be_at(mad + 28, 4), 1, "dead server: number 1");
	child_stop(pid);
	mad[3] &= 0x7f;
	send_rmpp(client, back, ACK, 0, 1, 64);
	length = MAD_SIZE;
	is_int(umad_recv(client.fd, back, &length, 1000), -ETIMEDOUT,
	       "dead server: no second one follows its ACK");
	umad_free(umad);
	umad_free(back);
	close_end(client);
}

/* ---- a request that came twice ---- */

static void duplicated_request(void)
{
	struct end server = open_end("rxe1", OUI, METHOD_ASK, 1), client = umad_end_open_by_hand("rxe0", OUI);
	void *umad = umad_end_request("rxe1", OUI, METHOD_ASK, 6), *seen = new_umad(MAD_SIZE),
	     *answer = umad_byhand_long_request(OUI, 0);
	uint8_t *mad = umad_get_mad(answer);

	/* the client's kernel sends it again after 300 ms */
	is_int(send_errno(client, umad, MAD_SIZE, 300, 1), 0, "request twice: sent with a retry");
	for (int i = 0; i < 2; i++)
		umad_byhand_take(server, seen);
	for (int i = 0; i < 2; i++) {
		memcpy(mad, umad_get_mad(seen), 24);
		mad[3] |= RESPONSE;
		memcpy(umad_get_mad_addr(answer), umad_get_mad_addr(seen), sizeof(ib_mad_addr_t));
		umad_get_mad_addr(answer)->gid_index = 0;
		/* the first waits for ACKs that do not come */
		is_int(send_errno(server, answer, TOTAL, 0, 3), i ? EINVAL : 0, "request twice: %s",
		       i ? "a second reply is EINVAL while the first is under way" :
			   "a long reply to the first");
	}
	umad_free(answer);
	umad_free(seen);
	umad_free(umad);
	close_end(client);
	close_end(server);
}

/* ---- madsend ---- */

enum { SHORT_OUI = OUI + 9 };

/* Responds to each request with one segment with a PayloadLength below the class header of 4 bytes. */
static void short_serve(const char *ca)
{
	struct end end = umad_end_open_by_hand(ca, SHORT_OUI);
	void *umad = new_umad(MAD_SIZE);

	child_ready();
	for (;;) {
		uint8_t *mad = umad_byhand_take(end, umad);

		if (mad[3] & RESPONSE || mad[26] & ACTIVE)
			continue;
		mad[3] |= RESPONSE;
		send_rmpp(end, umad, DATA, FIRST | LAST, 1, 3);
	}
}

static void short_response(void)
{
	static const char *const engines[] = { "kernel", "user" };
	pid_t server = child_start(short_serve, "rxe1");

	for (size_t i = 0; i < ARRAY_SIZE(engines); i++) {
		char command[200], text[400] = "";
		FILE *out;
		int status;

		snprintf(command, sizeof(command),
			 "madsend -C rxe0 --gid fe80::ff:fe00:2 --class 0x32 --oui 0x%x -t 2000 "
			 "--retries 0 --rmpp %s 0x10 0x40 2>&1 >/dev/null",
			 SHORT_OUI, engines[i]);
		out = popen(command, "r");
		need(out != NULL, "popen");
		text[fread(text, 1, sizeof(text) - 1, out)] = '\0';
		status = pclose(out);
		ok(WIFEXITED(status) && WEXITSTATUS(status) == 5,
		   "a response shorter than its class header is malformed: %s RMPP", engines[i]);
		ok(!strstr(text, "table"), "... and no table: %s", text);
	}
	child_stop(server);
}

int main(void)
{
	struct stray strays[] = {
		{ .name = "stray response, no retries", .after_ms = 2000 },
		{ .name = "stray response, one retry", .retries = 1, .after_ms = 4000 },
	};
	struct silence silences[] = {
		{ .name = "window unacknowledged, no timeout", .again = true },
		{ .name = "window unacknowledged, timeout 2001 ms", .timeout_ms = 2001, .again = true },
		{ .name = "window unacknowledged, timeout 300 ms", .timeout_ms = 300 },
		{ .name = "window unacknowledged, timeout 2000 ms", .timeout_ms = 2000 },
	};
	int64_t start;

	need(umad_init() == 0, "umad_init");
	umad_close_port(umad_end_open_port("rxe0"));
	start = now_ms();
	for (size_t i = 0; i < 2; i++)
		stray_begin(&strays[i], OUI + 0x20 + (uint32_t)i);
	for (size_t i = 0; i < 4; i++)
		silence_begin(&silences[i], OUI + 0x30 + (uint32_t)i);
	umad_byhand_kernel_to_hand();
	umad_byhand_hand_to_kernel(0);
	umad_byhand_hand_to_kernel(UINT32_MAX);
	duplicated_request();
	dead_server();
	for (size_t i = 0; i < 4; i++)
		silence_end(&silences[i]);
	for (size_t i = 0; i < 2; i++)
		stray_end(&strays[i], start);
	short_response();
	umad_done();
	return tap_done();
}
