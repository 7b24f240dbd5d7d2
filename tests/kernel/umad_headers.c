// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How a real kernel treats the header and the address of a MAD, tested by libibumad only: transaction IDs and
 * their duplicates, which MADs are responses, which requests it responds to by itself, GRH and GIDs. Needs
 * the soft-RoCE devices rxe0 and rxe1.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kernel/umad_end.h"
#include "tests/tap.h"
#include "util/array_size.h"

enum {
	METHOD_SET = 0x02,
	METHOD_TRAP = 0x05,
	METHOD_TRAP_REPRESS = 0x07,
	CLASS_PERF = 0x04,
	CLASS_BM = 0x05
};

static const uint64_t tid_1 = UINT64_C(0x1122334455667788), tid_2 = UINT64_C(0x8877665555667788);

static struct end register_end(int fd, struct umad_reg_attr attr)
{
	struct end end = { .fd = fd };

	need(umad_register2(fd, &attr, &end.agent) == 0, "umad_register2");
	return end;
}

static void umad_headers_take(struct end end, void *umad)
{
	int length = MAD_SIZE;

	need(umad_recv(end.fd, umad, &length, PATIENCE) == (int)end.agent, "a MAD");
}

static uint64_t umad_headers_tid_of(const void *umad)
{
	return be_at((const uint8_t *)umad_get_mad((void *)(uintptr_t)umad) + 8, 8);
}

/* ---- transaction IDs ---- */

static void umad_headers_tids(void)
{
	struct end server = open_end("rxe1", OUI, METHOD_SEND, 0);
	struct end first = open_end("rxe0", OUI, 0, 0);
	struct end second = register_end(first.fd, umad_end_attr(OUI, 0, 0));
	void *umad = umad_end_request("rxe1", OUI, METHOD_SEND, tid_1), *seen = new_umad(MAD_SIZE);
	uint64_t high;

	need(send_errno(first, umad, MAD_SIZE, 0, 0) == 0, "umad_send");
	umad_headers_take(server, seen);
	high = umad_headers_tid_of(seen) >> 32;
	ok(high != tid_1 >> 32, "TID: the kernel overwrites the high 32 bits of what is no response");
	is_u64(umad_headers_tid_of(seen) & UINT32_MAX, tid_1 & UINT32_MAX, "TID: and keeps the low ones");
	fill_mad(umad, OUI, METHOD_SEND, tid_2);
	need(send_errno(first, umad, MAD_SIZE, 0, 0) == 0, "umad_send");
	umad_headers_take(server, seen);
	is_u64(umad_headers_tid_of(seen) >> 32, high, "TID: the high 32 bits are the agent's");
	need(send_errno(second, umad, MAD_SIZE, 0, 0) == 0, "umad_send");
	umad_headers_take(server, seen);
	ok(umad_headers_tid_of(seen) >> 32 != high, "TID: another agent of the same file has others");
	umad_free(seen);
	umad_free(umad);
	close_end(first);
	close_end(server);
}

static int umad_headers_ask(struct end end, const char *ca, uint8_t class, uint8_t method, uint64_t tid,
			    int timeout_ms)
{
	void *umad = umad_end_request(ca, OUI, method, tid);
	int rc;

	((uint8_t *)umad_get_mad(umad))[1] = class;
	rc = send_errno(end, umad, MAD_SIZE, timeout_ms, 0);
	umad_free(umad);
	return rc;
}

static void umad_headers_duplicates(void)
{
	enum { RESP = METHOD_ASK | RESPONSE };
	struct end end = open_end("rxe0", OUI, 0, 0), other_file = open_end("rxe0", OUI, 0, 0);
	struct end server = open_end("rxe1", OUI, METHOD_ASK, 0);
	struct end other_agent = register_end(end.fd, umad_end_attr(OUI, 0, 0));
	void *back = new_umad(MAD_SIZE);

	/* none of these is answered before the end */
	is_int(umad_headers_ask(end, "rxe1", CLASS, METHOD_ASK, tid_1, PATIENCE), 0,
	       "duplicate: a request is in flight");
	is_int(umad_headers_ask(end, "rxe1", CLASS, METHOD_ASK, tid_1, PATIENCE), EINVAL,
	       "duplicate: its TID again is EINVAL");
	is_int(umad_headers_ask(end, "rxe1", CLASS, METHOD_ASK, tid_2, PATIENCE), EINVAL,
	       "duplicate: so is one with other high 32 bits, which are not kept");
	is_int(umad_headers_ask(end, "rxe1", CLASS, METHOD_SEND, tid_1, 0), EINVAL,
	       "duplicate: with another method");
	is_int(umad_headers_ask(end, "rxe0", CLASS, METHOD_ASK, tid_1, PATIENCE), EINVAL,
	       "duplicate: for another destination");
	is_int(umad_headers_ask(end, "rxe1", CLASS + 1, METHOD_ASK, tid_1, PATIENCE), 0,
	       "duplicate: another class is another transaction");
	is_int(umad_headers_ask(end, "rxe1", CLASS, METHOD_ASK, tid_1 + 1, PATIENCE), 0,
	       "duplicate: so is another TID");
	is_int(umad_headers_ask(other_agent, "rxe1", CLASS, METHOD_ASK, tid_1, PATIENCE), 0,
	       "duplicate: and another agent's");
	is_int(umad_headers_ask(other_file, "rxe1", CLASS, METHOD_ASK, tid_1, PATIENCE), 0,
	       "duplicate: and another open file's");
	is_int(umad_headers_ask(end, "rxe1", CLASS, RESP, tid_1, PATIENCE), 0,
	       "duplicate: a response of that TID is none");
	is_int(umad_headers_ask(end, "rxe1", CLASS, RESP, tid_1, PATIENCE), EINVAL,
	       "duplicate: but is itself in flight then");
	is_int(umad_headers_ask(end, "rxe1", CLASS, RESP, tid_2, PATIENCE), 0,
	       "duplicate: not so with other high 32 bits, which a response keeps");
	is_int(umad_headers_ask(end, "rxe0", CLASS, RESP, tid_1, PATIENCE), 0,
	       "duplicate: nor to another destination");
	umad_headers_take(server, back);
	((uint8_t *)umad_get_mad(back))[3] |= RESPONSE;
	umad_get_mad_addr(back)->gid_index = 0;
	need(send_errno(server, back, MAD_SIZE, 0, 0) == 0, "umad_send");
	umad_headers_take(end, back);
	is_int(umad_status(back), 0, "duplicate: the first request is answered");
	is_int(umad_headers_ask(end, "rxe1", CLASS, METHOD_ASK, tid_1, PATIENCE), 0,
	       "duplicate: then its TID is free again");
	umad_free(back);
	close_end(other_file);
	close_end(end);
	close_end(server);
}

/* ---- which MADs are responses ---- */

/* Sends a request with one method and a response with another method and the same TID. Returns true if the
 * kernel matched the response before the timeout. */
static bool answered_with(int timeout_ms, uint8_t class, uint8_t asked, uint8_t answer, uint32_t modifier)
{
	struct umad_reg_attr attr = { .mgmt_class = class,
				      .mgmt_class_version = 1,
				      .oui = class == CLASS ? OUI : 0,
				      .method_mask[0] = UINT64_C(1) << asked };
	struct end server = register_end(umad_end_open_port("rxe1"), attr);
	struct end client = open_end("rxe0", OUI, 0, 0);
	void *umad = umad_end_request("rxe1", OUI, asked, tid_1), *back = new_umad(MAD_SIZE);
	uint8_t *mad = umad_get_mad(umad);
	bool matched;

	attr.method_mask[0] = 0;
	umad_unregister(client.fd, (int)client.agent);
	client = register_end(client.fd, attr);
	mad[1] = class;
	need(send_errno(client, umad, MAD_SIZE, timeout_ms, 0) == 0, "umad_send");
	umad_headers_take(server, back);
	mad = umad_get_mad(back);
	need(mad[3] == asked && mad[1] == class, "the question");
	mad[3] = answer;
	put_be(mad + 20, 4, modifier);
	umad_get_mad_addr(back)->gid_index = 0;
	need(send_errno(server, back, MAD_SIZE, 0, 0) == 0, "umad_send");
	umad_headers_take(client, back);
	matched = umad_status(back) == 0;
	mad = umad_get_mad(back);
	need(matched ? mad[3] == answer : umad_status(back) == ETIMEDOUT, "an answer or a timeout");
	umad_free(back);
	umad_free(umad);
	close_end(client);
	close_end(server);
	return matched;
}

static void umad_headers_responses(void)
{
	ok(answered_with(PATIENCE, CLASS, METHOD_ASK, METHOD_ASK | RESPONSE, 0),
	   "a MAD is a response if the method has bit 0x80");
	ok(answered_with(PATIENCE, CLASS, METHOD_TRAP, METHOD_TRAP_REPRESS, 0), "... or is TrapRepress");
	ok(!answered_with(1000, CLASS, METHOD_TRAP, METHOD_SEND, 0),
	   "... not if it is another method without it");
	ok(answered_with(PATIENCE, CLASS_BM, METHOD_ASK, METHOD_ASK + 1, 1),
	   "... or the class is BM and modifier bit 0 is set");
	ok(!answered_with(1000, CLASS_BM, METHOD_ASK, METHOD_ASK + 1, 2), "... not if another bit is");
	ok(!answered_with(1000, CLASS, METHOD_ASK, METHOD_ASK + 1, 1), "... nor in another class");
}

/* ---- what the kernel answers by itself ---- */

static void umad_headers_kernel_answers(void)
{
	static const struct {
		const char *what;
		uint8_t class, method;
		int status; /* -1: no answer */
	} cases[] = {
		{ "Get of a vendor class", CLASS, METHOD_GET, 0x000c },
		{ "Set of a vendor class", CLASS, METHOD_SET, 0x000c },
		{ "Get of PerfMgt: rxe has no PerfMgt agent", CLASS_PERF, METHOD_GET, 0x000c },
		{ "method 0x10 of a vendor class", CLASS, METHOD_ASK, -1 },
		{ "Trap of a vendor class", CLASS, METHOD_TRAP, -1 },
		{ "GetTable of a vendor class", CLASS, 0x12, -1 },
	};
	static const char *const cas[] = { "rxe0", "rxe1" };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (size_t c = 0; c < 2; c++) {
			struct end client = open_end("rxe0", OUI, 0, 0);
			void *back = new_umad(MAD_SIZE);
			const uint8_t *mad = umad_get_mad(back);
			int timeout_ms = cases[i].status < 0 ? 100 : PATIENCE;

			need(umad_headers_ask(client, cas[c], cases[i].class, cases[i].method, tid_1,
					      timeout_ms) == 0,
			     "umad_send");
			umad_headers_take(client, back);
			if (cases[i].status < 0) {
				is_int(umad_status(back), ETIMEDOUT, "no agent takes %s, at %s: no answer",
				       cases[i].what, cas[c]);
			} else {
				is_int(mad[3], METHOD_GET | RESPONSE,
				       "no agent takes %s, at %s: the kernel answers GetResp", cases[i].what,
				       cas[c]);
				is_int(be_at(mad + 4, 2), cases[i].status, "... with status 0x000c");
			}
			umad_free(back);
			close_end(client);
		}
}

/* ---- addresses ---- */

static void set_grh(void)
{
	ib_mad_addr_t addr = { .gid_index = 7, .hop_limit = 9, .traffic_class = 3, .gid = { 1 } }, *in;
	void *umad = new_umad(MAD_SIZE);

	umad_set_addr(umad, 0, 1, 0, 0);
	is_int(umad_set_grh(umad, &addr), 0, "umad_set_grh: taken");
	in = umad_get_mad_addr(umad);
	is_int(in->grh_present, 1, "umad_set_grh: sets that there is one");
	is_int(in->hop_limit, 9, "umad_set_grh: copies the hop limit");
	is_int(in->gid_index, 0, "umad_set_grh: does not copy gid_index");
	umad_free(umad);
}

/* The index of the GID that an address makes, in the kernel's own time. */
static int wait_gid(const char *ca, const char *gid)
{
	int64_t until = now_ms() + PATIENCE;
	char path[64], text[64];

	while (now_ms() < until) {
		for (int i = 1; i < 4; i++) {
			FILE *file;

			snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/gids/%d", ca, i);
			file = fopen(path, "r");
			need(file && fgets(text, sizeof(text), file), path);
			fclose(file);
			if (!strncmp(text, gid, strlen(gid)))
				return i;
		}
		poll(NULL, 0, 10);
	}
	need(false, "the GID of an address");
	return -1;
}

/* Both ends are this machine's, but what one sends the other has to go by the wire, not by lo. */
/* clang-format off */
static const char to_wire[] =
	"set -e; ip addr add 10.77.0.1/32 dev v0; ip addr add 10.77.0.2/32 dev v1\n"
	"ip rule add pref 1 iif v0 lookup local; ip rule add pref 2 iif v1 lookup local\n"
	"ip rule add pref 3 iif lo lookup 100; ip rule add pref 10 lookup local; ip rule del pref 0\n"
	"ip route add table 100 10.77.0.2 dev v0; ip route add table 100 10.77.0.1 dev v1\n"
	"ip neigh add 10.77.0.2 lladdr 02:00:00:00:00:02 dev v0\n"
	"ip neigh add 10.77.0.1 lladdr 02:00:00:00:00:01 dev v1\n"
	"cd /proc/sys/net/ipv4/conf; for i in all v0 v1; do echo 1 > $i/accept_local; done\n",
			 back_to_lo[] =
	"set -e; ip rule add pref 0 lookup local; for i in 1 2 3 10; do ip rule del pref $i; done\n"
	"ip neigh del 10.77.0.2 dev v0; ip neigh del 10.77.0.1 dev v1\n"
	"ip addr del 10.77.0.1/32 dev v0; ip addr del 10.77.0.2/32 dev v1; ip route flush table 100\n"
	"cd /proc/sys/net/ipv4/conf; for i in all v0 v1; do echo 0 > $i/accept_local; done\n";
/* clang-format on */

static unsigned int packets_received(const char *ca)
{
	char path[96];
	unsigned int n = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/hw_counters/rcvd_pkts", ca);
	file = fopen(path, "r");
	need(file && fscanf(file, "%u", &n) == 1, path);
	fclose(file);
	return n;
}

static void umad_headers_ipv4(void)
{
	static const uint8_t to[16] = { [10] = 0xff, 0xff, 10, 77, 0, 2 };
	struct end server = open_end("rxe1", OUI, METHOD_ASK, 0);
	struct end client = open_end("rxe0", OUI, 0, 0);
	void *umad = umad_end_request("rxe1", OUI, METHOD_ASK, tid_1), *seen = new_umad(MAD_SIZE);
	int64_t until = now_ms() + PATIENCE;
	unsigned int before;

	need(system(to_wire) == 0, "ip addr, rule, route and neigh");
	address_gid(umad, to);
	umad_get_mad_addr(umad)->gid_index =
		(uint8_t)wait_gid("rxe0", "0000:0000:0000:0000:0000:ffff:0a4d:0001");
	wait_gid("rxe1", "0000:0000:0000:0000:0000:ffff:0a4d:0002");
	before = packets_received("rxe0");
	is_int(send_errno(client, umad, MAD_SIZE, 600, 0), 0, "IPv4-mapped GID: a request is sent");
	umad_headers_take(server, seen);
	is_mem(umad_get_mad_addr(seen)->gid, ((uint8_t[16]){ [10] = 0xff, 0xff, 10, 77, 0, 1 }), 16,
	       "IPv4-mapped GID: it arrives, and shows the sender's");
	((uint8_t *)umad_get_mad(seen))[3] |= RESPONSE;
	is_int(send_errno(server, seen, MAD_SIZE, 0, 0), 0, "IPv4-mapped GID: the response is sent");
	while (packets_received("rxe0") == before)
		need(now_ms() < until, "a packet at rxe0");
	is_int(packets_received("rxe0"), before + 1, "IPv4-mapped GID: it arrives");
	umad_headers_take(client, seen);
	is_int(umad_status(seen), ETIMEDOUT, "IPv4-mapped GID: but is never matched: use IPv6");
	need(system(back_to_lo) == 0, "ip addr, rule, route and neigh");
	umad_free(seen);
	umad_free(umad);
	close_end(client);
	close_end(server);
}

int main(void)
{
	need(umad_init() == 0, "umad_init");
	umad_close_port(umad_end_open_port("rxe0"));
	umad_headers_tids();
	umad_headers_duplicates();
	umad_headers_responses();
	umad_headers_kernel_answers();
	set_grh();
	umad_headers_ipv4();
	umad_done();
	return tap_done();
}
