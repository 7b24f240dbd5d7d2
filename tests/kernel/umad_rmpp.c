// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The kernel's RMPP behind umad, asked through libibumad alone, and a peer that speaks RMPP by hand to make
 * it fail. Needs the soft-RoCE devices rxe0 and rxe1.
 */
#include <errno.h>
#include <string.h>

#include "tests/kernel/umad_end.h"
#include "tests/tap.h"
#include "util/array_size.h"

enum { DATA = 1, ACK = 2, STOP = 3, ABORT = 4 };
enum { ACTIVE = 1, FIRST = 2 };

static void rmpp_echo(void)
{
	enum { TOTAL = HEADER + MEGABYTE, SEGMENTS = (MEGABYTE + SEGMENT - 1) / SEGMENT };
	pid_t server = echo_start("rxe1");
	struct end client = open_end("rxe0", SERVER_OUI, 0, 1);
	void *umad = new_umad(TOTAL), *back = new_umad(TOTAL);
	uint8_t *mad = umad_get_mad(umad), *answer = umad_get_mad(back);
	int length = TOTAL;
	int64_t start;

	address_device(umad, "rxe1");
	fill_mad(umad, SERVER_OUI, METHOD_ASK, 1);
	fill_rmpp(umad);
	fill_random(mad + HEADER, MEGABYTE, 1);
	start = now_ms();
	is_int(send_errno(client, umad, TOTAL, 30000, 3), 0, "RMPP: 1 MB is sent");
	is_int(umad_recv(client.fd, back, &length, 60000), client.agent,
	       "RMPP: another process sends it back");
	printf("# RMPP: 1 MB there and back in %" PRId64 " ms\n", now_ms() - start);
	is_int(umad_status(back), 0, "RMPP: its status is 0");
	is_int(length, TOTAL, "RMPP: the length is that of the data and one header");
	is_mem(answer + HEADER, mad + HEADER, MEGABYTE, "RMPP: every byte as it was sent");
	is_int(be_at(answer + 32, 4), MEGABYTE + 4 * SEGMENTS,
	       "RMPP: PayloadLength counts the OUI of every segment");
	umad_free(back);
	umad_free(umad);
	close_end(client);
	child_stop(server);
}

/* A receiving kernel keeps a transfer for 10 s after its end. If a second one has the same TID, it
 * acknowledges more than was sent: the sending kernel ends that transfer with an ABORT and forgets it,
 * which is not reported. */
static void rmpp_same_tid(void)
{
	enum { TOTAL = HEADER + 1000 };
	static const uint64_t tids[] = { 1, 1, 2 };
	pid_t server = echo_start("rxe1");
	struct end client = open_end("rxe0", SERVER_OUI, 0, 1);
	void *umad = new_umad(TOTAL), *back = new_umad(TOTAL);

	for (size_t i = 0; i < 3; i++) {
		int length = TOTAL;

		address_device(umad, "rxe1");
		fill_mad(umad, SERVER_OUI, METHOD_ASK, tids[i]);
		fill_rmpp(umad);
		is_int(send_errno(client, umad, TOTAL, 60000, 0), 0, "same TID: message %zu is sent", i);
		if (i == 1)
			continue;
		is_int(umad_recv(client.fd, back, &length, PATIENCE), client.agent,
		       "same TID: one comes back");
		is_int(umad_status(back), 0, "same TID: it is answered");
		is_int(be_at((uint8_t *)umad_get_mad(back) + 12, 4), (int64_t)tids[i], "same TID: %s",
		       i ? "a second message with it is not delivered, but one with another is" :
			   "the first");
	}
	umad_free(back);
	umad_free(umad);
	close_end(client);
	child_stop(server);
}

/* An agent that sees every segment and answers by hand. */
/* Waits for the next MAD; its RMPP type, 0 without RMPP. */
static int next_mad(struct end end, void *umad)
{
	int length = MAD_SIZE;
	uint8_t *mad = umad_get_mad(umad);

	need(umad_recv(end.fd, umad, &length, PATIENCE) == (int)end.agent, "a MAD for the peer");
	need(umad_status(umad) == 0, "a MAD without an error");
	return mad[26] & ACTIVE ? mad[25] : 0;
}

/* Makes the MAD in umad an RMPP packet on its way back, and sends it. */
static void reply_rmpp(struct end end, void *umad, int type, int flags, int status, uint32_t first,
		       uint32_t second)
{
	uint8_t *mad = umad_get_mad(umad);

	umad_get_mad_addr(umad)->gid_index = 0;
	mad[3] |= RESPONSE;
	mad[24] = 1;
	mad[25] = (uint8_t)type;
	mad[26] = (uint8_t)(0x1f << 3 | flags);
	mad[27] = (uint8_t)status;
	put_be(mad + 28, 4, first);
	put_be(mad + 32, 4, second);
	need(send_errno(end, umad, MAD_SIZE, 0, 0) == 0, "umad_send by hand");
}

/*
 * Transfers that are never completed, all in flight at once. The kernel silently forgets a transfer that the
 * peer ended: only the request after it, with a timeout longer than all transfers, comes back.
 */
struct unfinished {
	const char *name;
	uint8_t type; /* the packet that the peer sends back; 0: none */
	uint8_t status;
	int timeout_ms, retries;
	bool comes_back;
	int after_ms;
	struct end peer, client;
};

static void unfinished_begin(struct unfinished *u, uint32_t oui)
{
	enum { TOTAL = HEADER + 1000 };
	void *umad = new_umad(TOTAL), *seen = new_umad(MAD_SIZE);
	void *later = umad_end_request("rxe1", oui, METHOD_ASK, 2);

	u->peer = umad_end_open_by_hand("rxe1", oui);
	u->client = open_end("rxe0", oui, 0, 1);
	address_device(umad, "rxe1");
	fill_mad(umad, oui, METHOD_ASK, 1);
	fill_rmpp(umad);
	is_int(send_errno(u->client, umad, TOTAL, u->timeout_ms, u->retries), 0, "%s: 1000 bytes are sent",
	       u->name);
	is_int(next_mad(u->peer, seen), DATA, "%s: the peer sees the first segment", u->name);
	if (u->type)
		reply_rmpp(u->peer, seen, u->type, ACTIVE, u->status, 0, 0);
	if (!u->comes_back)
		is_int(send_errno(u->client, later, MAD_SIZE, u->after_ms, 0), 0, "%s: then a request",
		       u->name);
	umad_free(later);
	umad_free(seen);
	umad_free(umad);
}

static void unfinished_end(struct unfinished *u, int64_t start)
{
	void *back = new_umad(MAD_SIZE);
	int length = MAD_SIZE;

	is_int(umad_recv(u->client.fd, back, &length, PATIENCE), u->client.agent, "%s: one comes back",
	       u->name);
	is_between(now_ms() - start, u->after_ms - EARLY, u->after_ms + SOON, "%s: after %d ms", u->name,
		   u->after_ms);
	is_int(umad_status(back), ETIMEDOUT, "%s: with status 110", u->name);
	is_int(be_at((uint8_t *)umad_get_mad(back) + 12, 4), u->comes_back ? 1 : 2, "%s: it is the %s",
	       u->name, u->comes_back ? "transfer" : "request; the transfer never did");
	umad_free(back);
	close_end(u->client);
	close_end(u->peer);
}

static void rmpp_unfinished_transfers(void)
{
	/* in the order of their ends */
	struct unfinished all[] = {
		{ .name = "no ACK, 300 ms", .timeout_ms = 300, .comes_back = true, .after_ms = 300 },
		/* even one that waits for no response; the kernel waits 2 s for an ACK then */
		{ .name = "no ACK, no timeout", .comes_back = true, .after_ms = 2000 },
		{ .name = "no ACK, no timeout, 1 retry", .retries = 1, .comes_back = true, .after_ms = 4000 },
		{ .name = "ABORT", .type = ABORT, .status = 127, .timeout_ms = 300, .after_ms = 4500 },
		{ .name = "STOP", .type = STOP, .status = 1, .timeout_ms = 300, .after_ms = 4500 },
	};
	const size_t n = ARRAY_SIZE(all);
	int64_t start[ARRAY_SIZE(all)];

	for (size_t i = 0; i < n; i++) {
		start[i] = now_ms();
		unfinished_begin(&all[i], (uint32_t)(OUI + 0x10 + i));
	}
	for (size_t i = 0; i < n; i++)
		unfinished_end(&all[i], start[i]);
}

/* A response that stays unfinished does not hold the request's timeout up. */
static void rmpp_unfinished_response(void)
{
	struct end peer = umad_end_open_by_hand("rxe1", OUI);
	struct end client = open_end("rxe0", OUI, 0, 1);
	void *umad = umad_end_request("rxe1", OUI, METHOD_ASK, 1);
	void *back = new_umad(MAD_SIZE), *seen = new_umad(MAD_SIZE);
	int length = MAD_SIZE;
	int64_t start = now_ms();

	is_int(send_errno(client, umad, MAD_SIZE, 600, 0), 0,
	       "unfinished: a request with a timeout of 600 ms");
	is_int(next_mad(peer, seen), 0, "unfinished: the peer sees it");
	reply_rmpp(peer, seen, DATA, ACTIVE | FIRST, 0, 1, 3 * (SEGMENT + 4));
	is_int(next_mad(peer, seen), ACK, "unfinished: the first of three segments is acknowledged");
	is_int(umad_recv(client.fd, back, &length, PATIENCE), client.agent,
	       "unfinished: the request comes back");
	is_int(umad_status(back), ETIMEDOUT, "unfinished: with status 110");
	is_between(now_ms() - start, 600 - EARLY, SOON, "unfinished: when its 600 ms are over");
	umad_free(seen);
	umad_free(back);
	umad_free(umad);
	close_end(client);
	close_end(peer);
}

int main(void)
{
	need(umad_init() == 0, "umad_init");
	rmpp_echo();
	rmpp_same_tid();
	rmpp_unfinished_transfers();
	rmpp_unfinished_response();
	umad_done();
	return tap_done();
}
