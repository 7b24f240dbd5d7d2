// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The kernel's RMPP behind umad, asked through libibumad alone, and a peer that speaks RMPP by hand to make
 * it fail. Needs the soft-RoCE devices rxe0 and rxe1.
 */
#include <errno.h>
#include <string.h>

#include "tests/kernel/umad_end.h"
#include "tests/tap.h"

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
	is_int(umad_recv(client.fd, back, &length, 60000), client.agent, "RMPP: another process sends it back");
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

/* An agent that sees every segment and answers by hand. */
static struct end open_by_hand(const char *ca)
{
	struct umad_reg_attr attr = attr_of(OUI, METHOD_ASK, 1);
	struct end end = { .fd = open_port(ca) };

	attr.flags = UMAD_USER_RMPP;
	need(umad_register2(end.fd, &attr, &end.agent) == 0, "umad_register2 with UMAD_USER_RMPP");
	return end;
}

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
 * A transfer to a peer that sends type back, or nothing (0). Where the peer ended it the kernel forgets it,
 * and tells nobody.
 */
static void rmpp_ended(int type, int status, const char *name)
{
	enum { TOTAL = HEADER + 1000 };
	struct end peer = open_by_hand("rxe1");
	struct end client = open_end("rxe0", OUI, 0, 1);
	void *umad = new_umad(TOTAL), *back = new_umad(TOTAL), *seen = new_umad(MAD_SIZE);
	void *later = new_request("rxe1", OUI, METHOD_ASK, 2);
	int length = TOTAL;

	address_device(umad, "rxe1");
	fill_mad(umad, OUI, METHOD_ASK, 1);
	fill_rmpp(umad);
	is_int(send_errno(client, umad, TOTAL, 300, 0), 0, "%s: 1000 bytes are sent", name);
	is_int(next_mad(peer, seen), DATA, "%s: the peer sees the first segment", name);
	if (type)
		reply_rmpp(peer, seen, type, ACTIVE, status, 0, 0);
	/* the kernel gives a segment 2 s, so the transfer would come back before this request */
	is_int(send_errno(client, later, MAD_SIZE, 4000, 0), 0, "%s: then a request", name);
	is_int(umad_recv(client.fd, back, &length, PATIENCE), client.agent, "%s: one comes back", name);
	is_int(umad_status(back), ETIMEDOUT, "%s: with status 110", name);
	is_int(be_at((uint8_t *)umad_get_mad(back) + 12, 4), type ? 2 : 1, "%s: it is the %s", name,
	       type ? "request; the transfer never did" : "transfer");
	umad_free(later);
	umad_free(seen);
	umad_free(back);
	umad_free(umad);
	close_end(client);
	close_end(peer);
}

/* A response that stays unfinished does not hold the request's timeout up. */
static void rmpp_unfinished(void)
{
	struct end peer = open_by_hand("rxe1");
	struct end client = open_end("rxe0", OUI, 0, 1);
	void *umad = new_request("rxe1", OUI, METHOD_ASK, 1);
	void *back = new_umad(MAD_SIZE), *seen = new_umad(MAD_SIZE);
	int length = MAD_SIZE;
	int64_t start = now_ms();

	is_int(send_errno(client, umad, MAD_SIZE, 600, 0), 0, "unfinished: a request with a timeout of 600 ms");
	is_int(next_mad(peer, seen), 0, "unfinished: the peer sees it");
	reply_rmpp(peer, seen, DATA, ACTIVE | FIRST, 0, 1, 3 * (SEGMENT + 4));
	is_int(next_mad(peer, seen), ACK, "unfinished: the first of three segments is acknowledged");
	is_int(umad_recv(client.fd, back, &length, PATIENCE), client.agent, "unfinished: the request comes back");
	is_int(umad_status(back), ETIMEDOUT, "unfinished: with status 110");
	is_between(now_ms() - start, 600, 1500, "unfinished: when its 600 ms are over");
	umad_free(seen);
	umad_free(back);
	umad_free(umad);
	close_end(client);
	close_end(peer);
}

/* No acknowledgement at all: even a send that waits for no response comes back. */
static void rmpp_unacknowledged(int retries)
{
	enum { TOTAL = HEADER + 1000 };
	struct end peer = open_by_hand("rxe1");
	struct end client = open_end("rxe0", OUI, 0, 1);
	void *umad = new_umad(TOTAL), *back = new_umad(TOTAL);
	int length = TOTAL;
	int64_t start = now_ms();

	address_device(umad, "rxe1");
	fill_mad(umad, OUI, METHOD_ASK, 1);
	fill_rmpp(umad);
	is_int(send_errno(client, umad, TOTAL, 0, retries), 0, "unacknowledged: 1000 bytes are sent with timeout 0");
	is_int(umad_recv(client.fd, back, &length, PATIENCE), client.agent, "unacknowledged: they come back");
	is_int(umad_status(back), ETIMEDOUT, "unacknowledged: with status 110");
	is_between(now_ms() - start, 2000 * (retries + 1), 2000 * (retries + 1) + 1000,
		   "unacknowledged: after 2 s a try, %d retries", retries);
	umad_free(back);
	umad_free(umad);
	close_end(client);
	close_end(peer);
}

int main(void)
{
	need(umad_init() == 0, "umad_init");
	rmpp_echo();
	rmpp_ended(0, 0, "no answer");
	rmpp_ended(ABORT, 127, "ABORT");
	rmpp_ended(STOP, 1, "STOP");
	rmpp_unfinished();
	rmpp_unacknowledged(0);
	rmpp_unacknowledged(1);
	umad_done();
	return tap_done();
}
