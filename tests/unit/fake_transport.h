/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A transport for tests: virtual time, sent MADs kept for inspection, scripted arrivals. Like the kernel, it
 * puts a number of the agent into the upper half of a request's TID, and returns no send by itself.
 */
#ifndef TESTS_FAKE_TRANSPORT_H
#define TESTS_FAKE_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/madkit.h>
#include "transport/transport.h"

#define FAKE_HI_TID 0xabc0u /* + agent number: upper half of TIDs */

struct fake;

struct fake_sent {
	uint32_t id;
	struct madkit_addr to;
	uint8_t *mad; /* as it went out, upper half of the TID set */
	size_t len;
	uint32_t timeout_ms, retries;
	uint64_t at;
};

struct fake_arrival {
	uint64_t at;
	uint32_t id;
	struct madkit_addr from;
	uint8_t *mad;
	size_t len;
	size_t claimed; /* the length that receive() returns if it lies; 0: len */
	size_t needed;  /* the same, when there is not room enough */
	int status;
};

struct fake {
	struct transport base;
	struct madkit_port_info info;
	uint64_t now;
	struct fake_sent *sent;
	size_t nsent, sent_cap;
	struct fake_arrival *arrivals; /* in the order of their times */
	size_t narrivals, arrivals_cap;
	uint32_t next_id; /* of the next agent */
	uint32_t attached, detached;
	int attach_result;
	int send_result;      /* the result of send() */
	uint64_t blocks_ms;   /* how long send() takes */
	uint64_t refused_tid; /* send() returns -EINVAL for it, as of a duplicate */
	int receive_result;   /* where not 0: what receive() returns */
	int wait_result;
	uint64_t wait_ms;      /* how long a wait with that result takes */
	unsigned int receives; /* calls */
	bool closed;           /* set through *closed_flag */
	bool *closed_flag;
	/* A peer: called for each MAD that goes out. */
	void (*peer)(struct fake *fake, const struct fake_sent *sent);
	void *peer_context;
};

struct fake *fake_new(void);
/* A port on it; the port owns it. */
struct madkit_port *fake_port(struct fake *fake);
/* An agent that records nothing and has these handlers. It is registered for all methods of the
 * class, with OUI 0. */
struct madkit_agent *fake_agent(struct madkit_port *port, uint8_t mgmt_class, uint8_t rmpp_version,
				madkit_send_handler sent, madkit_recv_handler received, void *context);

/* Something arrives after that time (from now). mad is copied. */
struct fake_arrival *fake_arrive(struct fake *fake, uint64_t after_ms, uint32_t id,
				 const struct madkit_addr *from, const uint8_t *mad, size_t len, int status);
/* Delivers the response to the sent MAD: response bit set, from its destination. */
struct fake_arrival *fake_answer(struct fake *fake, uint64_t after_ms, const struct fake_sent *sent);
/* Returns the sent MAD as the kernel does: 24 bytes and a status. */
struct fake_arrival *fake_return(struct fake *fake, uint64_t after_ms, const struct fake_sent *sent,
				 int status);
void fake_advance(struct fake *fake, uint64_t ms);
/* Waits for one thing, however far away, and processes it. */
void fake_step(struct madkit_port *port);

/* A Get of the class to LID 7, timeout and retries set. */
struct madkit_send *fake_get(uint8_t mgmt_class, uint16_t attribute, uint32_t timeout_ms, uint32_t retries);
uint64_t fake_tid(const uint8_t *mad);

#endif
