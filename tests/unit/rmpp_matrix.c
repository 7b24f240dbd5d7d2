/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Every status, type and combination of flags, 524,288 packets, in each of four situations,
 * against the rules of IBA volume 1, section 13.6, written down as a table.
 */
#include <errno.h>
#include "tests/tap.h"
#include "tests/unit/rmpp_ends.h"
#include "util/array_size.h"

enum situation {
	NOTHING, /* to a receiver that knows no such transfer: segment 1 */
	BEGUN,   /* ... that has segment 1 of it: segment 2 */
	HELD,    /* ... that has all of it, one segment: segment 1 again */
	SENDING, /* to a sender that has sent segment 1 of 2: an ACK of it */
	SITUATIONS
};

/* Outcomes of a transfer, and other results. */
enum { NONE, WHOLE, GAVE_UP, STOPPED, ABORTED, SUPERSEDED };
enum { ITS_STATUS = -1 }; /* that of the packet */

/* The first row that fits holds. */
static const struct rule {
	uint8_t situations; /* bits */
	uint8_t type[2];    /* first, last */
	uint8_t status[2];
	uint8_t flags, of; /* flags, of those in this mask */
	bool taken;
	uint8_t answer; /* type, 0: none */
	uint8_t answer_status;
	int ends;
	int end_status;
} rules[] = {
#define AT(s)    (1 << (s))
#define RECEIVER (AT(NOTHING) | AT(BEGUN) | AT(HELD))
#define ANY \
	{ \
		0, 255 \
	}
#define ONLY(n) \
	{ \
		n, n \
	}
#define FLAGS(f) f, FIRST | LAST
	/* it does not use RMPP */
	{ 15, ANY, ANY, 0, ACTIVE, false, 0, 0, NONE, 0 },

	/* STOP and ABORT are never answered; without a transfer they are ignored */
	{ AT(NOTHING), { STOP, ABORT }, ANY, 0, 0, false, 0, 0, NONE, 0 },
	{ AT(HELD), { STOP, ABORT }, ANY, 0, 0, true, 0, 0, NONE, 0 },
	{ 15, ONLY(STOP), ONLY(1), 0, 0, true, 0, 0, STOPPED, 1 },
	{ 15, ONLY(STOP), ANY, 0, 0, true, 0, 0, STOPPED, 124 },
	{ 15, ONLY(ABORT), { 118, 255 }, 0, 0, true, 0, 0, ABORTED, ITS_STATUS },
	{ 15, ONLY(ABORT), ANY, 0, 0, true, 0, 0, ABORTED, 124 },

	/* a sender ignores DATA, and a receiver ignores ACKs of segments */
	{ AT(SENDING), ONLY(DATA), ANY, 0, 0, false, 0, 0, NONE, 0 },
	{ AT(NOTHING), ONLY(ACK), ANY, 0, 0, false, 0, 0, NONE, 0 },
	{ RECEIVER, ONLY(ACK), ONLY(0), 0, 0, false, 0, 0, NONE, 0 },

	/* an undefined status */
	{ AT(NOTHING) | AT(HELD), { DATA, ACK }, { 1, 255 }, 0, 0, true, ABORT, 124, NONE, 0 },
	{ 15, { DATA, ACK }, { 1, 255 }, 0, 0, true, ABORT, 124, GAVE_UP, 124 },

	/* a sender goes on, whatever flags the ACK has */
	{ AT(SENDING), ONLY(ACK), ONLY(0), 0, 0, true, DATA, 0, NONE, 0 },

	/* FIRST is segment 1's, and of no other; a first one that is not the last declares
	 * more than one segment's bytes */
	{ AT(NOTHING), ONLY(DATA), ANY, FLAGS(FIRST | LAST), true, ACK, 0, WHOLE, 0 },
	{ AT(NOTHING), ONLY(DATA), ANY, FLAGS(FIRST), true, ABORT, 119, GAVE_UP, 119 },
	{ AT(NOTHING), ONLY(DATA), ANY, 0, 0, true, ABORT, 120, NONE, 0 },
	{ AT(BEGUN), ONLY(DATA), ANY, FLAGS(0), true, 0, 0, NONE, 0 },
	{ AT(BEGUN), ONLY(DATA), ANY, FLAGS(LAST), true, ACK, 0, WHOLE, 0 },
	{ AT(BEGUN), ONLY(DATA), ANY, 0, 0, true, ABORT, 120, GAVE_UP, 120 },
	{ AT(HELD), ONLY(DATA), ANY, FLAGS(FIRST | LAST), true, ACK, 0, NONE, 0 },
	{ AT(HELD), ONLY(DATA), ANY, FLAGS(FIRST), true, ABORT, 119, GAVE_UP, 119 },
	{ AT(HELD), ONLY(DATA), ANY, 0, 0, true, ABORT, 120, NONE, 0 },

	/* all other types are bad */
	{ AT(NOTHING) | AT(HELD), ANY, ANY, 0, 0, true, ABORT, 121, NONE, 0 },
	{ 15, ANY, ANY, 0, 0, true, ABORT, 121, GAVE_UP, 121 },
};
enum { RULES = ARRAY_SIZE(rules) };

static uint64_t used[RULES];

static const struct rule *rule(enum situation situation, uint8_t type, uint8_t status, uint8_t flags)
{
	for (size_t i = 0; i < RULES; i++) {
		const struct rule *r = &rules[i];

		if ((r->situations & AT(situation)) && type >= r->type[0] && type <= r->type[1] &&
		    status >= r->status[0] && status <= r->status[1] && (flags & r->of) == r->flags) {
			used[i]++;
			return r;
		}
	}
	abort();
}

/* The effect of a packet. */
struct reaction {
	bool taken;
	uint8_t answer, answer_status;
	unsigned int answers, messages;
	int ends;
	uint8_t end_status;
};

static struct counted memory;
static const struct madkit_rmpp_heap heap = { counted_resize, &memory };
static struct madkit_rmpp_receiver *receiver;
static const struct madkit_addr peer = { .lid = 5, .qp = 1 };
static uint64_t now;
static uint32_t tid;

static int rmpp_matrix_outcome(enum madkit_rmpp_state state)
{
	switch (state) {
	case MADKIT_RMPP_STATE_ACTIVE:
		return NONE;
	case MADKIT_RMPP_STATE_COMPLETE:
		return WHOLE;
	case MADKIT_RMPP_STATE_GAVE_UP:
		return GAVE_UP;
	case MADKIT_RMPP_STATE_STOPPED:
		return STOPPED;
	case MADKIT_RMPP_STATE_ABORTED:
		return ABORTED;
	case MADKIT_RMPP_STATE_SUPERSEDED:
		return SUPERSEDED;
	}
	return -1;
}

static void rmpp_matrix_look(struct reaction *x)
{
	struct madkit_rmpp_message m;
	struct madkit_addr to;
	uint8_t mad[2048];
	size_t len;

	memset(x, 0, sizeof(*x));
	while (madkit_rmpp_receiver_packet(receiver, mad, &len, &to)) {
		x->answers++;
		x->answer = mad[25];
		x->answer_status = mad[27];
	}
	while (madkit_rmpp_receiver_message(receiver, &m)) {
		x->messages++;
		x->ends = rmpp_matrix_outcome(m.outcome.state);
		x->end_status = m.outcome.status;
		madkit_rmpp_message_free(&heap, &m);
	}
}

static void to_receiver(enum situation situation, uint8_t *mad, struct reaction *x)
{
	struct madkit_rmpp_arrival a = { .from = &peer, .mad = mad, .len = 256 };
	uint8_t rmpp[12];
	bool taken;

	memcpy(rmpp, mad + 24, sizeof(rmpp));
	/* the previous state is cleared */
	now += 1000 * SECOND;
	madkit_rmpp_receiver_expire(receiver, now);
	madkit_rmpp_receiver_expire(receiver, now + 1000 * SECOND);
	rmpp_matrix_look(x);
	a.now = now + 1000 * SECOND;
	put_head(mad, SA, SET, ++tid);
	if (situation != NOTHING) {
		put_rmpp(mad, DATA, ACTIVE | FIRST | (situation == HELD ? LAST : 0), 0, 1,
			 situation == HELD ? 100 : 0);
		madkit_rmpp_receiver_take(receiver, &a);
		rmpp_matrix_look(x);
	}
	memcpy(mad + 24, rmpp, sizeof(rmpp));
	put32(mad + 28, situation == BEGUN ? 2 : 1);
	put32(mad + 32, 100);
	taken = !madkit_rmpp_receiver_take(receiver, &a);
	rmpp_matrix_look(x);
	x->taken = taken;
}

static void to_sender(uint8_t *mad, struct reaction *x)
{
	static uint8_t message[56 + 300];
	struct madkit_rmpp_sender s;
	uint8_t sent[256];

	memset(x, 0, sizeof(*x));
	put_head(message, SA, SET, 7);
	put_head(sent, SA, SET | RESPONSE, 7);
	memcpy(mad, sent, 24);
	put32(mad + 28, 1);
	put32(mad + 32, 2);
	madkit_rmpp_sender_start(&s, message, sizeof(message), &peer, NULL, 1);
	madkit_rmpp_sender_packet(&s, sent, 1);
	x->taken = !madkit_rmpp_sender_take(&s, &peer, mad, 256, 2);
	while (madkit_rmpp_sender_packet(&s, sent, 2)) {
		x->answers++;
		x->answer = sent[25];
		x->answer_status = sent[27];
	}
	x->ends = rmpp_matrix_outcome(s.outcome.state);
	x->end_status = s.outcome.status;
	x->messages = x->ends != NONE;
}

static bool is_as(const struct reaction *x, const struct rule *want, uint8_t status)
{
	return x->taken == want->taken && x->answers == (want->answer ? 1 : 0) && x->answer == want->answer &&
	       x->answer_status == want->answer_status && x->messages == (want->ends != NONE) &&
	       x->ends == want->ends &&
	       x->end_status == (want->end_status == ITS_STATUS ? status : want->end_status);
}

static void rmpp_matrix_all(enum situation situation, const char *name)
{
	uint8_t mad[256] = { 0 };
	unsigned int wrong = 0, cases = 0;

	for (unsigned int n = 0; n < 256 * 256 * 8; n++, cases++) {
		uint8_t type = (uint8_t)n, status = (uint8_t)(n >> 8), flags = (uint8_t)(n >> 16);
		struct reaction x;

		put_rmpp(mad, type, flags, status, 0, 0);
		if (situation == SENDING)
			to_sender(mad, &x);
		else
			to_receiver(situation, mad, &x);
		if (!is_as(&x, rule(situation, type, status, flags), status) && wrong++ < 5)
			printf("# type %u status %u flags %u: taken %d, %u answers (%u status %u), "
			       "%u ends (%d status %u)\n",
			       type, status, flags, x.taken, x.answers, x.answer, x.answer_status, x.messages,
			       x.ends, x.end_status);
	}
	is_u64(wrong, 0, "%s: %u packets", name, cases);
}

int main(void)
{
	bool all = true;

	if (madkit_rmpp_receiver_new(&heap, NULL, &receiver))
		return 1;
	rmpp_matrix_all(NOTHING, "to a receiver that knows nothing of it");
	rmpp_matrix_all(BEGUN, "to a receiver in the midst of it");
	rmpp_matrix_all(HELD, "to a receiver that has all of it");
	rmpp_matrix_all(SENDING, "to a sender");
	for (size_t i = 0; i < RULES; i++) {
		if (!used[i])
			printf("# rule %zu is never used\n", i);
		all &= used[i] > 0;
	}
	ok(all, "there is no rule too many");
	madkit_rmpp_receiver_free(receiver);
	is_u64(memory.now, 0, "all memory is given back");
	return tap_done();
}
