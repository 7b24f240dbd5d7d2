// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Messages of several segments, there and back: the kernel's RMPP, the library's, and one against the other. */
#include <errno.h>

#include "tests/conformance/conformance.h"

struct transfer {
	enum rmpp here, there;
	size_t bytes; /* of data */
};

/* RMPP also determines the length of a message of one segment. */
static struct madkit_send *case_rmpp_message(struct run *r, size_t bytes, const struct madkit_addr *to)
{
	struct madkit_send *send = vendor_send(r, HEADER + bytes, SERVER_OUI, ASK, ECHO, to);

	send->retries = 3;
	madkit_rmpp_set_version(send->mad, MADKIT_RMPP_VERSION);
	madkit_rmpp_set_type(send->mad, MADKIT_RMPP_DATA);
	madkit_rmpp_set_flags(send->mad, MADKIT_RMPP_ACTIVE);
	return send;
}

static void case_rmpp_transfer(struct run *r)
{
	const struct transfer *t = r->arg;
	struct madkit_agent_attr attr = vendor_attr(SERVER_OUI, 0, t->here);
	struct madkit_addr to = server(r, t->there);
	struct end *end = take(r, HERE, &attr);
	struct madkit_send *send = case_rmpp_message(r, t->bytes, &to);
	const struct madkit_recv *recv = ask(r, end, send);

	need(r, recv, "an answer, not status %d, RMPP %d/%u", end->status, send->rmpp.state,
	     send->rmpp.status);
	equal(r, end->status, 0, "the send ended well");
	need(r, recv->len >= HEADER + t->bytes, "all of %zu bytes, not %zu", HEADER + t->bytes, recv->len);
	equal(r, recv->len, HEADER + t->bytes, "its length");
	check(r, !memcmp(recv->mad + HEADER, send->mad + HEADER, t->bytes), "every byte as it was sent");
	equal(r, end->came, 1, "one answer");
}

/* The other way round: who is there asks who is here. */
static void from_there(struct run *r)
{
	const struct transfer *t = r->arg;
	struct madkit_agent_attr attr = vendor_attr(SERVER_OUI, ASK, t->here);
	struct madkit_addr to = server_of(r, HERE, &attr);
	struct end *end;
	struct madkit_send *send = case_rmpp_message(r, t->bytes, &to);
	const struct madkit_recv *recv;

	attr = vendor_attr(SERVER_OUI, 0, t->there);
	end = take(r, THERE, &attr);
	recv = ask(r, end, send);
	need(r, recv, "an answer, not status %d", end->status);
	need(r, recv->len >= HEADER + t->bytes, "all of %zu bytes, not %zu", HEADER + t->bytes, recv->len);
	check(r, !memcmp(recv->mad + HEADER, send->mad + HEADER, t->bytes), "every byte as it was sent");
}

/* Without a response. */
static void case_rmpp_one_way(struct run *r)
{
	const struct transfer *t = r->arg;
	struct madkit_agent_attr client = vendor_attr(OUI, 0, t->here),
				 attr = vendor_attr(OUI, ASK, t->there);
	struct end *here = take(r, HERE, &client), *there = take(r, THERE, &attr);
	struct madkit_addr to = address_of(r, THERE);
	struct madkit_send *send = case_rmpp_message(r, t->bytes, &to);

	put_be(send->mad + MADKIT_VENDOR2_OUI, 3, OUI);
	send->timeout_ms = 0;
	post(r, here, send);
	drive(r, &here->ended, 1);
	equal(r, here->status, 0, "the send ends when all of it has arrived");
	drive(r, &there->came, 1);
	need(r, latest(r, there)->len >= HEADER + t->bytes, "it is whole");
	check(r, !memcmp(latest(r, there)->mad + HEADER, send->mad + HEADER, t->bytes), "and as it was sent");
}

/* The first segment's PayloadLength counts the class header of every segment; the message has one header. */
static void case_rmpp_lengths(struct run *r)
{
	enum { BYTES = 2 * SEGMENT + 100 };
	struct madkit_agent_attr client = vendor_attr(OUI, 0, KERNEL_RMPP),
				 attr = vendor_attr(OUI, ASK, KERNEL_RMPP);
	struct end *here = take(r, HERE, &client), *there = take(r, THERE, &attr);
	struct madkit_addr to = address_of(r, THERE);
	struct madkit_send *send = case_rmpp_message(r, BYTES, &to);

	put_be(send->mad + MADKIT_VENDOR2_OUI, 3, OUI);
	send->timeout_ms = 0;
	post(r, here, send);
	drive(r, &there->came, 1);
	equal(r, latest(r, there)->len, HEADER + BYTES, "the length is that of the data and one header");
	equal(r, madkit_rmpp_get_length(latest(r, there)->mad), BYTES + 3 * 4,
	      "PayloadLength counts three OUIs");
	equal(r, madkit_rmpp_get_segment(latest(r, there)->mad), 1, "the header is the first segment's");
}

/* Several at once, of the same agents. */
static void several(struct run *r)
{
	enum { COUNT = 8 };
	const struct transfer *t = r->arg;
	struct madkit_agent_attr attr = vendor_attr(SERVER_OUI, 0, t->here);
	struct madkit_addr to = server(r, t->there);
	struct end *end = take(r, HERE, &attr);
	struct madkit_send *send[COUNT];

	for (unsigned int i = 0; i < COUNT; i++) {
		send[i] = case_rmpp_message(r, t->bytes + i, &to);
		put_be(send[i]->mad + HEADER, 4, i);
		post(r, end, send[i]);
	}
	drive(r, &end->ended, COUNT);
	equal(r, end->came, COUNT, "each has one answer");
	for (unsigned int i = 0; i < COUNT && i < end->came; i++) {
		const struct madkit_recv *recv = end->recv[i];
		uint64_t n = be_at(recv->mad + HEADER, 4);

		need(r, n < COUNT && recv->len >= HEADER + t->bytes + n,
		     "an answer to a request of this case");
		check(r, !memcmp(recv->mad + HEADER, send[n]->mad + HEADER, t->bytes + n),
		      "every byte as it was sent");
	}
}

/* An agent for which the kernel does RMPP takes and sends single MADs, too. */
static void single(struct run *r)
{
	struct madkit_agent_attr attr = vendor_attr(SERVER_OUI, 0, KERNEL_RMPP);
	struct madkit_addr to = server(r, KERNEL_RMPP);
	struct end *end = take(r, HERE, &attr);
	struct madkit_send *send = vendor_send(r, MADKIT_MAD_BYTES, SERVER_OUI, ASK, ECHO, &to);
	const struct madkit_recv *recv = ask(r, end, send);

	need(r, recv, "an answer");
	equal(r, recv->len, MADKIT_MAD_BYTES, "of one MAD");
	equal(r, madkit_rmpp_get_flags(recv->mad) & MADKIT_RMPP_ACTIVE, 0, "without RMPP");
	check(r, !memcmp(recv->mad + HEADER, send->mad + HEADER, SEGMENT), "as it was sent");
}

/* A class with a different header: DevMgt's data begin at 64. */
static void device_management(struct run *r)
{
	enum { BYTES = 1000, DATA = MADKIT_DEVICE_DATA };
	struct madkit_agent_attr attr = { .mgmt_class = MADKIT_CLASS_DEVICE,
					  .class_version = 1,
					  .rmpp_version = 1 };
	const struct madkit_header h = { .base_version = 1,
					 .mgmt_class = MADKIT_CLASS_DEVICE,
					 .class_version = 1,
					 .method = ASK,
					 .attribute = ECHO };
	struct end *end = take(r, HERE, &attr);
	struct madkit_send *send;
	struct madkit_addr to;
	const struct madkit_recv *recv;

	madkit_method_mask_set(attr.method_mask, ASK);
	to = server_of(r, THERE, &attr);
	send = new_send(r, DATA + BYTES, &h, &to);
	fill_random(send->mad + DATA, BYTES, 1);
	send->retries = 3;
	recv = ask(r, end, send);
	need(r, recv, "an answer, not status %d", end->status);
	equal(r, recv->len, DATA + BYTES, "its length");
	check(r, !memcmp(recv->mad + DATA, send->mad + DATA, BYTES), "every byte as it was sent");
}

#define T(here, there, bytes) \
	&(const struct transfer) \
	{ \
		here##_RMPP, there##_RMPP, bytes \
	}
#define WITH UMAD | RMPP | PEER
static const struct test list[] = {
	{ "rmpp/kernel-1", WITH, case_rmpp_transfer, T(KERNEL, KERNEL, 1) },
	{ "rmpp/kernel-215", WITH, case_rmpp_transfer, T(KERNEL, KERNEL, SEGMENT - 1) },
	{ "rmpp/kernel-216", WITH, case_rmpp_transfer, T(KERNEL, KERNEL, SEGMENT) },
	{ "rmpp/kernel-217", WITH, case_rmpp_transfer, T(KERNEL, KERNEL, SEGMENT + 1) },
	{ "rmpp/kernel-432", WITH, case_rmpp_transfer, T(KERNEL, KERNEL, 2 * SEGMENT) },
	{ "rmpp/kernel-10-kb", WITH, case_rmpp_transfer, T(KERNEL, KERNEL, 10000) },
	{ "rmpp/kernel-100-kb", WITH, case_rmpp_transfer, T(KERNEL, KERNEL, 102400) },
	{ "rmpp/kernel-from-there", WITH, from_there, T(KERNEL, KERNEL, 20000) },
	{ "rmpp/kernel-one-way", WITH, case_rmpp_one_way, T(KERNEL, KERNEL, 20000) },
	{ "rmpp/kernel-several", WITH, several, T(KERNEL, KERNEL, 3000) },
	{ "rmpp/kernel-single", WITH, single, NULL },
	{ "rmpp/kernel-lengths", WITH, case_rmpp_lengths, NULL },
	{ "rmpp/kernel-devmgt", WITH, device_management, NULL },
	{ "rmpp/library-1", WITH, case_rmpp_transfer, T(LIBRARY, LIBRARY, 1) },
	{ "rmpp/library-216", WITH, case_rmpp_transfer, T(LIBRARY, LIBRARY, SEGMENT) },
	{ "rmpp/library-217", WITH, case_rmpp_transfer, T(LIBRARY, LIBRARY, SEGMENT + 1) },
	{ "rmpp/library-10-kb", WITH, case_rmpp_transfer, T(LIBRARY, LIBRARY, 10000) },
	{ "rmpp/library-100-kb", WITH, case_rmpp_transfer, T(LIBRARY, LIBRARY, 102400) },
	{ "rmpp/library-one-way", WITH, case_rmpp_one_way, T(LIBRARY, LIBRARY, 20000) },
	{ "rmpp/library-several", WITH, several, T(LIBRARY, LIBRARY, 3000) },
	{ "rmpp/library-to-kernel-10-kb", WITH, case_rmpp_transfer, T(LIBRARY, KERNEL, 10000) },
	{ "rmpp/library-to-kernel-100-kb", WITH, case_rmpp_transfer, T(LIBRARY, KERNEL, 102400) },
	{ "rmpp/library-to-kernel-one-way", WITH, case_rmpp_one_way, T(LIBRARY, KERNEL, 20000) },
	{ "rmpp/kernel-to-library-10-kb", WITH, case_rmpp_transfer, T(KERNEL, LIBRARY, 10000) },
	{ "rmpp/kernel-to-library-100-kb", WITH, case_rmpp_transfer, T(KERNEL, LIBRARY, 102400) },
	{ "rmpp/kernel-to-library-one-way", WITH, case_rmpp_one_way, T(KERNEL, LIBRARY, 20000) },
};
TESTS(rmpp_tests, list);
