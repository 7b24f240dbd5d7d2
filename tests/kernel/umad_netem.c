// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The kernel's RMPP over a bad network: messages of 1 byte to 4 MB of data there and back, each compared byte by
 * byte, while netem loses, delays, duplicates and reorders packets both ways; SA tables; and what fails when nothing
 * is sent again. Needs the soft-RoCE devices rxe0 and rxe1.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/kernel/umad_end.h"
#include "tests/tap.h"
#include "util/array_size.h"

enum {
	CLASS_SA = 0x03,
	METHOD_GET_TABLE = 0x12,
	SA_HEADER = 56,
	SA_SEGMENT = MAD_SIZE - SA_HEADER,
	TRY_MS = 500,
	/* The timeout of a long request has to do for the whole of its response: when that is late nothing is
	 * sent again. */
	LONG_MS = 150000,
	RETRIES = 40,
};

static void umad_netem_set(const char *how)
{
	char command[256];

	for (int i = 0; i < 2; i++) {
		if (how)
			snprintf(command, sizeof(command),
				 "tc qdisc replace dev v%d root netem limit 100000 %s", i, how);
		else
			snprintf(command, sizeof(command), "tc qdisc del dev v%d root", i);
		need(system(command) == 0, command);
	}
}

/* Answers every METHOD_ASK of SERVER_OUI, and GetTable of the SA with as many bytes as the modifier says.
 * With timeout 0 the kernel waits 2 s for an ACK; with one up to that it would not send a second window again. */
static void umad_netem_serve(const char *ca)
{
	struct end end = open_end(ca, SERVER_OUI, METHOD_ASK, 1);
	struct umad_reg_attr sa = { .mgmt_class = CLASS_SA,
				    .mgmt_class_version = 2,
				    .rmpp_version = 1,
				    .method_mask[0] = 1 << METHOD_GET_TABLE };
	int capacity = HEADER + 5 * MEGABYTE;
	void *umad = new_umad((size_t)capacity);
	uint8_t *mad = umad_get_mad(umad);
	uint32_t sa_agent;

	need(umad_register2(end.fd, &sa, &sa_agent) == 0, "umad_register2 for the SA");
	child_ready();
	for (;;) {
		int length = capacity, agent = umad_recv(end.fd, umad, &length, -1);

		if (agent < 0)
			_exit(1);
		if (umad_status(umad) || mad[3] & RESPONSE)
			continue;
		mad[3] |= RESPONSE;
		if (agent == (int)sa_agent) {
			uint32_t bytes = (uint32_t)be_at(mad + 20, 4);

			length = SA_HEADER + (int)bytes;
			fill_random(mad + SA_HEADER, bytes, bytes);
		}
		if (length > MAD_SIZE)
			fill_rmpp(umad);
		umad_get_mad_addr(umad)->gid_index = 0;
		umad_send(end.fd, agent, umad, length, 0, RETRIES);
	}
}

/* ---- there and back ---- */

static const uint32_t sizes[] = {
	1,           199,          200,         201,          215,
	216,         217,          219,         220,          221,
	2 * 216 - 1, 2 * 216,      2 * 216 + 1, 3 * 216 - 1,  3 * 216,
	3 * 216 + 1, 64 * 216 - 1, 64 * 216,    64 * 216 + 1, 65 * 216 - 1,
	65 * 216,    65 * 216 + 1, 10 << 10,    MEGABYTE,     4 * MEGABYTE,
};
enum { SIZES = ARRAY_SIZE(sizes), SMALL = SIZES - 2, ONE_MB = SMALL, FOUR_MB };

static void send_size(struct end end, size_t i)
{
	void *umad = new_umad(HEADER + sizes[i]);

	address_device(umad, "rxe1");
	fill_mad(umad, SERVER_OUI, METHOD_ASK, 100 + i);
	if (HEADER + sizes[i] > MAD_SIZE)
		fill_rmpp(umad);
	fill_random((uint8_t *)umad_get_mad(umad) + HEADER, sizes[i], (uint32_t)i);
	need(send_errno(end, umad, (int)(HEADER + sizes[i]), HEADER + sizes[i] > MAD_SIZE ? LONG_MS : TRY_MS,
			RETRIES) == 0,
	     "umad_send");
	umad_free(umad);
}

/* Sends sizes from to to - 1, all at once, and waits for the responses. */
static void umad_netem_there_and_back(const char *name, struct end end, size_t from, size_t to)
{
	static bool came[SIZES];
	int capacity = HEADER + 5 * MEGABYTE;
	void *back = new_umad((size_t)capacity);
	uint8_t *mad = umad_get_mad(back), *wanted = malloc((size_t)capacity);
	int64_t start = now_ms();

	need(wanted != NULL, "memory");
	memset(came, 0, sizeof(came));
	for (size_t i = from; i < to; i++)
		send_size(end, i);
	for (size_t n = from; n < to; n++) {
		int length = capacity, rc = umad_recv(end.fd, back, &length, LONG_MS),
		    status = umad_status(back);
		size_t i = (size_t)be_at(mad + 12, 4) - 100, expected;

		if (rc != (int)end.agent || status || i < from || i >= to || came[i]) {
			ok(false, "%s: an answer (%d, status %d, TID %zu)", name, rc, status, i);
			continue;
		}
		came[i] = true;
		/* a message that fits one MAD comes back as one */
		expected = HEADER + sizes[i] < MAD_SIZE ? MAD_SIZE : HEADER + sizes[i];
		fill_random(wanted, sizes[i], (uint32_t)i);
		if ((size_t)length != expected || memcmp(mad + HEADER, wanted, sizes[i]))
			ok(false, "%s: %u bytes there and back: %d came", name, sizes[i], length);
	}
	for (size_t i = from; i < to; i++)
		ok(came[i], "%s: %u bytes there and back", name, sizes[i]);
	printf("# %s: %zu messages in %" PRId64 " ms\n", name, to - from, now_ms() - start);
	free(wanted);
	umad_free(back);
}

static void bad_networks(void)
{
	/* A loss costs 2 s, so long messages get less of it. */
	static const struct {
		const char *name, *small;
		size_t long_one;
		const char *of_long;
	} networks[] = {
		{ "a good network", "", ONE_MB, "" },
		{ "loss", "loss 1%", ONE_MB, "loss 0.02%" },
		{ "delay", "delay 5ms 2ms", ONE_MB, "delay 1ms" },
		{ "duplication", "duplicate 20%", ONE_MB, "duplicate 5%" },
		{ "reordering", "delay 2ms reorder 50% 50%", ONE_MB, "delay 1ms reorder 90%" },
		{ "all at once", "loss 0.5% duplicate 5% delay 2ms reorder 50%", FOUR_MB,
		  "loss 0.005% duplicate 1% delay 1ms reorder 90%" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(networks); i++) {
		struct end end = open_end("rxe0", SERVER_OUI, 0, 1);

		umad_netem_set(networks[i].small);
		umad_netem_there_and_back(networks[i].name, end, 0, SMALL);
		umad_netem_set(networks[i].of_long);
		umad_netem_there_and_back(networks[i].name, end, networks[i].long_one,
					  networks[i].long_one + 1);
		umad_netem_set(NULL);
		close_end(end);
	}
}

/* ---- SA ---- */

static void sa_table(uint32_t bytes)
{
	struct umad_reg_attr sa = { .mgmt_class = CLASS_SA, .mgmt_class_version = 2, .rmpp_version = 1 };
	struct end end = { .fd = umad_end_open_port("rxe0") };
	void *umad = umad_end_request("rxe1", 0, METHOD_GET_TABLE, 9), *back = new_umad(SA_HEADER + bytes);
	uint8_t *mad = umad_get_mad(umad), *wanted = malloc(bytes);
	int length = (int)(SA_HEADER + bytes);
	uint32_t segments = (bytes + SA_SEGMENT - 1) / SA_SEGMENT;

	need(wanted && umad_register2(end.fd, &sa, &end.agent) == 0, "umad_register2 for the SA");
	mad[1] = CLASS_SA;
	mad[2] = 2;
	put_be(mad + 20, 4, bytes);
	need(send_errno(end, umad, MAD_SIZE, PATIENCE, 0) == 0, "umad_send");
	is_int(umad_recv(end.fd, back, &length, PATIENCE), end.agent,
	       "SA: GetTable is answered with %u bytes", bytes);
	mad = umad_get_mad(back);
	is_int(mad[3], METHOD_GET_TABLE | RESPONSE, "SA: by GetTableResp");
	is_int(length, SA_HEADER + bytes, "SA: coalesced; the length is a header of 56 bytes and the data");
	is_int(be_at(mad + 32, 4), bytes + segments * (SA_HEADER - 36),
	       "SA: PayloadLength counts the class header of 20 bytes of every segment");
	fill_random(wanted, bytes, bytes);
	is_mem(mad + SA_HEADER, wanted, bytes, "SA: every byte as it was sent");
	free(wanted);
	umad_free(back);
	umad_free(umad);
	close_end(end);
}

/* ---- nothing arrives for a while ---- */

static void umad_netem_silence(void)
{
	enum { I = SMALL - 1 }; /* 10 KB */
	struct end once = open_end("rxe0", SERVER_OUI, 0, 1), again = open_end("rxe0", SERVER_OUI, 0, 1);
	void *back = new_umad(HEADER + sizes[I]);
	int length = (int)(HEADER + sizes[I]);
	void *umad = new_umad(HEADER + sizes[I]);

	umad_netem_set("loss 100%");
	address_device(umad, "rxe1");
	fill_mad(umad, SERVER_OUI, METHOD_ASK, 1);
	fill_rmpp(umad);
	is_int(send_errno(once, umad, length, TRY_MS, 0), 0, "all is lost: 10 KB are sent with no retries");
	is_int(send_errno(again, umad, length, 3 * TRY_MS, RETRIES), 0, "all is lost: and with retries");
	is_int(umad_recv(once.fd, back, &length, PATIENCE), once.agent,
	       "all is lost: the one without comes back");
	is_int(umad_status(back), ETIMEDOUT, "all is lost: with status 110, it does not recover");
	umad_netem_set(NULL);
	length = (int)(HEADER + sizes[I]);
	is_int(umad_recv(again.fd, back, &length, PATIENCE), again.agent,
	       "not lost any more: the other one recovers");
	is_int(umad_status(back), 0, "not lost any more: and is answered");
	is_int(length, HEADER + sizes[I], "not lost any more: whole");
	umad_free(umad);
	umad_free(back);
	close_end(again);
	close_end(once);
}

int main(void)
{
	pid_t server;

	need(umad_init() == 0, "umad_init");
	umad_close_port(umad_end_open_port("rxe0"));
	server = child_start(umad_netem_serve, "rxe1");
	umad_netem_silence();
	sa_table(100000);
	sa_table(10000);
	bad_networks();
	child_stop(server);
	umad_done();
	return tap_done();
}
