// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The queue of a port: its order, messages that do not fit, and waiting. */
#include <errno.h>
#include <poll.h>

#include "tests/conformance/conformance.h"

static struct end *case_receiving_taker(struct run *r, enum rmpp rmpp)
{
	struct madkit_agent_attr attr = vendor_attr(OUI, ASK, rmpp);

	return take(r, THERE, &attr);
}

static struct end *case_receiving_client(struct run *r, enum rmpp rmpp)
{
	struct madkit_agent_attr attr = vendor_attr(OUI, 0, rmpp);

	return take(r, HERE, &attr);
}

static struct madkit_send *case_receiving_say(struct run *r, size_t len)
{
	struct madkit_addr to = address_of(r, THERE);
	struct madkit_send *send = vendor_send(r, len, OUI, ASK, ECHO, &to);

	send->timeout_ms = 0;
	return send;
}

static void order(struct run *r)
{
	enum { COUNT = 100 };
	struct end *there = case_receiving_taker(r, NO_RMPP), *here = case_receiving_client(r, NO_RMPP);

	for (unsigned int i = 0; i < COUNT; i++) {
		struct madkit_send *send = case_receiving_say(r, MADKIT_MAD_BYTES);

		put_be(send->mad + HEADER, 4, i);
		post(r, here, send);
	}
	drive(r, &there->came, COUNT);
	for (unsigned int i = 0; i < COUNT; i++)
		equal(r, be_at(there->recv[i]->mad + HEADER, 4), i, "MAD %u", i);
}

static void queued(struct run *r)
{
	struct end *there = case_receiving_taker(r, NO_RMPP), *here = case_receiving_client(r, NO_RMPP);

	for (int i = 0; i < 3; i++)
		post(r, here, case_receiving_say(r, MADKIT_MAD_BYTES));
	await(r, there->port);
	equal(r, there->came, 0, "waiting calls no handler");
	equal(r, madkit_port_wait(there->port, 0), 1, "what is there stays there");
	drive(r, &there->came, 3);
}

static void case_receiving_nothing(struct run *r)
{
	struct madkit_port *port = port_of(r, HERE);
	uint64_t start = case_now_ms(r);

	equal(r, madkit_port_wait(port, 0), 0, "nothing is there");
	equal(r, madkit_port_process(port), 0, "nothing is to be done");
	equal(r, madkit_port_wait(port, 100), 0, "nothing comes");
	check(r, case_now_ms(r) - start >= 99, "in 100 ms, not %" PRIu64, case_now_ms(r) - start);
	check(r, madkit_port_deadline(port) == UINT64_MAX, "nothing is due");
}

static void case_receiving_readable(struct run *r)
{
	struct end *there = case_receiving_taker(r, NO_RMPP), *here = case_receiving_client(r, NO_RMPP);
	struct pollfd fd = { .fd = madkit_port_fd(there->port), .events = POLLIN };

	equal(r, poll(&fd, 1, 0), 0, "nothing is there");
	post(r, here, case_receiving_say(r, MADKIT_MAD_BYTES));
	equal(r, poll(&fd, 1, PATIENCE), 1, "the descriptor becomes readable");
	drive(r, &there->came, 1);
	equal(r, poll(&fd, 1, 0), 0, "and is not when all is taken");
}

/* A message of 1040 bytes: a buffer that is too short for it loses nothing. */
static void no_space(struct run *r)
{
	enum { TOTAL = 1040 };
	struct end *there = case_receiving_taker(r, KERNEL_RMPP),
		   *here = case_receiving_client(r, KERNEL_RMPP);
	struct madkit_send *send = case_receiving_say(r, TOTAL);
	struct madkit_port *port = there->port;

	equal(r, madkit_port_set_receive_limit(port, 0, 256), -EINVAL, "beginning with 0");
	equal(r, madkit_port_set_receive_limit(port, 512, 511), -EINVAL, "beginning above the limit");
	equal(r, madkit_port_set_receive_limit(port, 256, TOTAL - 1), 0, "a limit of 1039");
	post(r, here, send);
	/* only the kernels move the message */
	await(r, port);
	equal(r, madkit_port_process(port), -ENOSPC, "1040 bytes are too long");
	equal(r, madkit_port_receive_needed(port), TOTAL, "the length that is needed is told");
	equal(r, madkit_port_process(port), -ENOSPC, "the same again");
	equal(r, there->came, 0, "no handler was called");
	equal(r, madkit_port_set_receive_limit(port, 100, 200), 0, "less than a MAD");
	equal(r, madkit_port_process(port), -ENOSPC, "is too little for anything");
	/* the kernel does not return the length then: the library first reads one MAD */
	check(r,
	      madkit_port_receive_needed(port) == MADKIT_MAD_BYTES ||
		      madkit_port_receive_needed(port) == TOTAL,
	      "a MAD is what is needed first, or all of it");
	equal(r, madkit_port_set_receive_limit(port, 24, TOTAL), 0, "1040, beginning with 24");
	drive(r, &there->came, 1);
	equal(r, madkit_port_receive_needed(port), 0, "nothing more is needed");
	equal(r, latest(r, there)->len, TOTAL, "it is whole");
	check(r, !memcmp(latest(r, there)->mad + HEADER, send->mad + HEADER, TOTAL - HEADER),
	      "and as it was sent");
	drive(r, &here->ended, 1);
	equal(r, here->status, 0, "its sender knows that it arrived");
}

/* The message after one that is too long is delivered next. */
static void behind(struct run *r)
{
	struct end *there = case_receiving_taker(r, KERNEL_RMPP),
		   *here = case_receiving_client(r, KERNEL_RMPP);

	madkit_port_set_receive_limit(there->port, 256, 1039);
	post(r, here, case_receiving_say(r, 1040));
	await(r, there->port);
	equal(r, madkit_port_process(there->port), -ENOSPC, "it is too long");
	post(r, here, case_receiving_say(r, MADKIT_MAD_BYTES));
	equal(r, madkit_port_process(there->port), -ENOSPC, "it still is");
	madkit_port_set_receive_limit(there->port, 256, 1040);
	drive(r, &there->came, 2);
	equal(r, there->recv[0]->len, 1040, "the long one first");
	equal(r, there->recv[1]->len, MADKIT_MAD_BYTES, "then the other");
}

static void closed(struct run *r)
{
	struct madkit_agent_attr attr = vendor_attr(OUI, ASK, NO_RMPP);
	struct end *here = case_receiving_client(r, NO_RMPP), *again;
	struct madkit_port *port = another_port(r, THERE);

	take_on(r, port, THERE, &attr);
	post(r, here, case_receiving_say(r, MADKIT_MAD_BYTES));
	await(r, port);
	madkit_port_close(port);
	r->nports--;
	again = take(r, THERE, &attr);
	post(r, here, case_receiving_say(r, MADKIT_MAD_BYTES));
	drive(r, &again->came, 1);
	equal(r, again->came, 1, "what was unread has gone with the port");
}

static const struct test list[] = {
	{ "receiving/order", UMAD | PEER, order, NULL },
	{ "receiving/queued", UMAD | PEER, queued, NULL },
	{ "receiving/nothing", 0, case_receiving_nothing, NULL },
	{ "receiving/readable", UMAD | PEER, case_receiving_readable, NULL },
	{ "receiving/no-space", UMAD | PEER | RMPP, no_space, NULL },
	{ "receiving/behind-a-long-one", UMAD | PEER | RMPP, behind, NULL },
	{ "receiving/closed-unread", UMAD | PEER | FILES, closed, NULL },
};
TESTS(receiving_tests, list);
