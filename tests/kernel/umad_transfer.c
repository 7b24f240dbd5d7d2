// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How MADs come and go through a real kernel's umad, asked through libibumad alone: what the library's
 * umad transport is built on. Needs the soft-RoCE devices rxe0 and rxe1, and deletes rxe1 at its end.
 */
#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "tests/kernel/umad_end.h"
#include "tests/tap.h"

/* ---- sending ---- */

static void send_refusals(void)
{
	struct end client = open_end("rxe0", OUI, 0, 0);
	struct end rmpp = open_end("rxe0", OUI, 0, 1);
	struct end nobody = { .fd = client.fd, .agent = 31 };
	void *umad = umad_end_request("rxe1", OUI, METHOD_ASK, 1);
	void *big = new_umad(2 * MAD_SIZE);
	static const uint8_t lost[16] = { 0xfe, 0x80, [15] = 0x77 };
	int64_t start;

	is_int(send_errno(nobody, umad, MAD_SIZE, 100, 0), EIO, "send: an unknown agent is EIO");
	address_device(big, "rxe1");
	fill_mad(big, OUI, METHOD_ASK, 2);
	is_int(send_errno(client, big, MAD_SIZE + 1, 100, 0), EINVAL,
	       "send: 257 bytes without kernel RMPP are EINVAL");
	((uint8_t *)umad_get_mad(umad))[1] = 0x04;
	is_int(send_errno(rmpp, umad, MAD_SIZE, 100, 0), EINVAL,
	       "send: a class without RMPP from an agent with RMPP is EINVAL");
	((uint8_t *)umad_get_mad(umad))[1] = CLASS;
	umad_get_mad_addr(umad)->grh_present = 0;
	is_int(send_errno(client, umad, MAD_SIZE, 100, 0), EINVAL, "send: RoCE without a GRH is EINVAL");
	address_gid(umad, lost);
	start = now_ms();
	is_int(send_errno(client, umad, MAD_SIZE, 100, 0), ETIMEDOUT,
	       "send: a GID that does not resolve is ETIMEDOUT");
	is_between(now_ms() - start, 500, SOON, "... after umad_send blocked for about a second");
	umad_free(big);
	umad_free(umad);
	close_end(rmpp);
	close_end(client);
}

/* The shortest MAD that the kernel sends: the class's header where the class has RMPP, else 36 bytes. Shorter
 * ones are refused before anything is read of them: nothing oopses at a negative length of the data. */
static void send_shortest(void)
{
	struct end client = open_end("rxe0", OUI, 0, 0);
	void *umad = umad_end_request("rxe1", OUI, METHOD_SEND, 1);

	for (int mgmt_class = 0x02; mgmt_class < 0x50; mgmt_class++) {
		int wanted = mgmt_class == 0x03                                             ? 56 :
			     mgmt_class == 0x06 || mgmt_class == 0x10 || mgmt_class == 0x12 ? 64 :
			     mgmt_class >= 0x30                                             ? HEADER :
											      36;
		int length = 0;

		((uint8_t *)umad_get_mad(umad))[1] = (uint8_t)mgmt_class;
		while (length < MAD_SIZE && send_errno(client, umad, length, 0, 0) == EINVAL)
			length++;
		is_int(length, wanted,
		       "send: too short is EINVAL: the shortest MAD of class 0x%02x is %d bytes",
		       (unsigned int)mgmt_class, wanted);
	}
	umad_free(umad);
	close_end(client);
}

/* Less than libibumad ever writes: no whole header of umad, or nothing after it. */
static void write_shortest(void)
{
	struct end client = open_end("rxe0", OUI, 0, 0);
	void *umad = umad_end_request("rxe1", OUI, METHOD_SEND, 1);
	unsigned int refused = 0;

	for (size_t length = 0; length < umad_size() + 36; length++)
		refused += write(client.fd, umad, length) == -1 && errno == EINVAL;
	is_int(refused, umad_size() + 36, "write: less than umad's header and 36 bytes is EINVAL");
	umad_free(umad);
	close_end(client);
}

/* An agent that goes takes its requests along. */
static void send_unregister(void)
{
	struct end client = open_end("rxe0", OUI, 0, 0);
	struct end silent = open_end("rxe1", OUI, METHOD_ASK, 0);
	void *umad = umad_end_request("rxe1", OUI, METHOD_ASK, 1);
	int length = MAD_SIZE;

	is_int(send_errno(client, umad, MAD_SIZE, PATIENCE, 0), 0, "unregister: a request is under way");
	is_int(umad_unregister(client.fd, (int)client.agent), 0, "unregister: its agent goes");
	is_int(umad_recv(client.fd, umad, &length, 0), -EAGAIN, "unregister: the request does not come back");
	is_int(send_errno(client, umad, MAD_SIZE, 0, 0), EIO, "unregister: and nothing more is sent");
	umad_free(umad);
	close_end(silent);
	close_end(client);
}

static void send_timeout(void)
{
	struct end silent = open_end("rxe1", OUI, METHOD_ASK, 0);
	struct end client = open_end("rxe0", OUI, 0, 0);
	uint64_t tid = UINT64_C(0x1122334455667788);
	void *umad = umad_end_request("rxe1", OUI, METHOD_ASK, tid);
	void *back = new_umad(MAD_SIZE);
	int length = MAD_SIZE;
	int64_t start = now_ms(), elapsed;
	struct ib_user_mad *hdr = back;

	is_int(send_errno(client, umad, MAD_SIZE, 200, 2), 0, "timeout: 200 ms and 2 retries are sent");
	is_int(umad_recv(client.fd, back, &length, PATIENCE), client.agent,
	       "timeout: the request comes back to its agent");
	elapsed = now_ms() - start;
	is_int(umad_status(back), ETIMEDOUT, "timeout: its status is 110");
	is_between(elapsed, 580 - EARLY, SOON, "timeout: after 3 x 200 ms");
	is_int(length, 24, "timeout: 24 bytes of it, the MAD header");
	is_int(hdr->length, 0, "timeout: although the length in the umad header is 0");
	is_mem(umad_get_mad_addr(back)->gid, umad_get_mad_addr(umad)->gid, 16,
	       "timeout: the destination is kept");
	is_int(be_at((uint8_t *)umad_get_mad(back) + 12, 4), (tid & UINT32_MAX),
	       "timeout: the low 32 bits of the TID are the sender's");
	is_int(((uint8_t *)umad_get_mad(back))[3], METHOD_ASK, "timeout: the method is the request's");
	/* the resends did reach the silent peer: three equal requests are in its queue */
	for (int i = 0; i < 3; i++) {
		length = MAD_SIZE;
		is_int(umad_recv(silent.fd, back, &length, PATIENCE), silent.agent,
		       "timeout: the peer got each of the tries");
	}
	is_int(umad_recv(silent.fd, back, &length, 0), -EAGAIN, "timeout: and no more");
	umad_free(back);
	umad_free(umad);
	close_end(client);
	close_end(silent);
}

static void umad_transfer_send_answered(void)
{
	pid_t server = echo_start("rxe1");
	struct end client = open_end("rxe0", SERVER_OUI, 0, 0);
	uint64_t tid = UINT64_C(0xaabbccdd00000001);
	void *umad = umad_end_request("rxe1", SERVER_OUI, METHOD_ASK, tid);
	void *back = new_umad(MAD_SIZE);
	uint8_t *mad = umad_get_mad(umad), *answer = umad_get_mad(back);
	ib_mad_addr_t *from = umad_get_mad_addr(back);
	int length = MAD_SIZE;

	for (int i = HEADER; i < MAD_SIZE; i++)
		mad[i] = (uint8_t)i;
	/* a Q_Key that would be refused, if it were sent */
	umad_get_mad_addr(umad)->qkey = htobe32(0x12345678);
	is_int(send_errno(client, umad, MAD_SIZE, PATIENCE, 0), 0, "answer: a request to the other device");
	is_int(umad_recv(client.fd, back, &length, PATIENCE), client.agent,
	       "answer: another process answers, although the Q_Key given was wrong");
	is_int(umad_status(back), 0, "answer: its status is 0");
	is_int(length, MAD_SIZE, "answer: 256 bytes");
	is_int(answer[3], METHOD_ASK | RESPONSE, "answer: the method has the response bit");
	is_mem(answer + HEADER, mad + HEADER, SEGMENT, "answer: the data are what was sent");
	is_int(be_at(answer + 12, 4), 1, "answer: the low 32 bits of the TID are kept");
	ok(be_at(answer + 8, 4) != 0xaabbccdd, "answer: the high 32 bits are the kernel's");
	is_int(from->grh_present, 1, "answer: it carries a GRH");
	is_mem(from->gid, umad_get_mad_addr(umad)->gid, 16, "answer: from the GID that was asked");
	is_int(be32toh(from->qpn), 1, "answer: from QP 1");
	is_int(from->qkey, 0, "answer: its Q_Key reads 0");

	/* MADs between two ports keep their order, so the second answer would come after the first */
	fill_mad(umad, SERVER_OUI, METHOD_ASK, 2);
	is_int(send_errno(client, umad, MAD_SIZE, 0, 0), 0, "timeout 0: a request is sent");
	fill_mad(umad, SERVER_OUI, METHOD_ASK, 3);
	is_int(send_errno(client, umad, MAD_SIZE, PATIENCE, 0), 0,
	       "timeout 0: and one with a timeout after it");
	length = MAD_SIZE;
	is_int(umad_recv(client.fd, back, &length, PATIENCE), client.agent, "timeout 0: an answer comes");
	is_int(be_at(answer + 12, 4), 3, "timeout 0: to the second; the first was not delivered");

	/* the same from a device to itself */
	umad_free(umad);
	umad = umad_end_request("rxe0", OUI, METHOD_GET, 4);
	length = MAD_SIZE;
	is_int(send_errno(client, umad, MAD_SIZE, PATIENCE, 0), 0, "self: a Get that no agent takes is sent");
	is_int(umad_recv(client.fd, back, &length, PATIENCE), client.agent, "self: it is answered");
	is_int(answer[3], 0x81, "self: by the kernel, with GetResp");
	is_int(be_at(answer + 4, 2), 0x000c, "self: and the MAD status 0x000c");
	umad_free(back);
	umad_free(umad);
	close_end(client);
	child_stop(server);
}

/* ---- receiving ---- */

static void receive_waits(void)
{
	struct end client = open_end("rxe0", OUI, 0, 0);
	void *umad = new_umad(MAD_SIZE);
	int length = MAD_SIZE;
	int64_t start;

	is_int(umad_recv(client.fd, umad, &length, 0), -EAGAIN, "receive: -EAGAIN if it must not wait");
	length = MAD_SIZE;
	start = now_ms();
	is_int(umad_recv(client.fd, umad, &length, 100), -ETIMEDOUT, "receive: -ETIMEDOUT if nothing came");
	is_between(now_ms() - start, 100, SOON, "... after the 100 ms given");
	is_int(umad_poll(client.fd, 0), -ETIMEDOUT, "poll: -ETIMEDOUT if nothing is there");
	alarm_in_ms(50);
	errno = 0;
	is_int(umad_recv(client.fd, umad, &length, PATIENCE), -EIO, "receive: a signal ends it with -EIO");
	is_int(errno, EINTR, "... and EINTR in errno");
	alarm_in_ms(0);
	umad_free(umad);
	close_end(client);
}

static void receive_short_buffer(void)
{
	enum { DATA = 1000, TOTAL = HEADER + DATA };
	struct end server = open_end("rxe1", OUI, METHOD_ASK, 1);
	struct end client = open_end("rxe0", OUI, 0, 1);
	void *umad = new_umad(TOTAL), *back = new_umad(TOTAL);
	uint8_t *mad = umad_get_mad(umad);
	int length = MAD_SIZE, wrong = 0, rc;

	address_device(umad, "rxe1");
	fill_mad(umad, OUI, METHOD_ASK, 1);
	fill_rmpp(umad);
	for (int i = HEADER; i < TOTAL; i++)
		mad[i] = (uint8_t)(i * 7);
	is_int(send_errno(client, umad, TOTAL, 5000, 3), 0, "short buffer: 1040 bytes are sent by RMPP");
	is_int(umad_recv(server.fd, back, &length, PATIENCE), -ENOSPC, "short buffer: 256 bytes are -ENOSPC");
	is_int(length, TOTAL, "short buffer: and the length needed is told");
	for (int size = 0; size < TOTAL; size++) {
		int wanted = size < MAD_SIZE ? -EINVAL : -ENOSPC, told = size < MAD_SIZE ? 500 : TOTAL;

		/* libibumad takes the previous content of the buffer for the length that was read */
		((struct ib_user_mad *)back)->length = (uint32_t)umad_size() + 500;
		length = size;
		rc = umad_recv(server.fd, back, &length, 0);
		if (rc != wanted || length != told) {
			printf("# %d bytes: %d, length %d\n", size, rc, length);
			wrong++;
		}
	}
	is_int(wrong, 0,
	       "short buffer: 0 to 255 bytes are -EINVAL, *length meaningless; 256 to 1039 -ENOSPC, *length "
	       "1040; the message stays queued");
	length = TOTAL;
	is_int(umad_recv(server.fd, back, &length, 0), server.agent, "short buffer: the right size gets it");
	is_int(length, TOTAL, "short buffer: whole");
	is_mem((uint8_t *)umad_get_mad(back) + HEADER, mad + HEADER, DATA, "short buffer: and as sent");
	umad_free(back);
	umad_free(umad);
	close_end(client);
	close_end(server);
}

/* ---- the device goes away ---- */

static void unplug(void)
{
	struct end end = open_end("rxe1", OUI, METHOD_ASK, 0);
	void *umad = umad_end_request("rxe0", OUI, METHOD_ASK, 1);
	struct pollfd wait = { .fd = end.fd, .events = POLLIN };
	int length = MAD_SIZE;
	pid_t pid = device_delete("rxe1");

	is_int(poll(&wait, 1, PATIENCE), 1, "unplug: poll wakes up");
	ok(wait.revents & POLLERR, "unplug: with POLLERR");
	is_int(umad_poll(end.fd, 0), 0, "unplug: umad_poll says that something is there");
	is_int(umad_recv(end.fd, umad, &length, 0), -EIO, "unplug: receive is -EIO");
	address_device(umad, "rxe0");
	is_int(send_errno(end, umad, MAD_SIZE, 0, 0), EIO, "unplug: send is EIO");
	is_int(register_errno(end.fd, umad_end_attr(OUI, METHOD_GET, 0)), EPIPE,
	       "unplug: registration is EPIPE");
	device_gone(pid);
	is_int(umad_open_port("rxe1", 1), -EINVAL, "unplug: open is -EINVAL");
	umad_free(umad);
	close_end(end);
}

int main(void)
{
	need(umad_init() == 0, "umad_init");
	send_refusals();
	send_shortest();
	write_shortest();
	send_unregister();
	send_timeout();
	umad_transfer_send_answered();
	receive_waits();
	receive_short_buffer();
	unplug();
	umad_done();
	return tap_done();
}
