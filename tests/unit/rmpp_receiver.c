/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The receiver, packet by packet: ACKs, windows, refusals, its limits. */
#include <errno.h>
#include "tests/tap.h"
#include "tests/unit/rmpp_ends.h"
#include "util/array_size.h"

static struct counted memory;
static const struct madkit_rmpp_heap heap = { counted_resize, &memory };
static struct madkit_rmpp_receiver *receiver;
static struct madkit_rmpp_receiver_options options;
static struct madkit_addr peer = { .lid = 5, .qp = 1, .sl = 3, .pkey_index = 2 };
static uint64_t now;
static uint32_t tid;

/* A new receiver, with options as they were set. */
static void rmpp_receiver_begin(void)
{
	madkit_rmpp_receiver_free(receiver);
	is_u64(memory.now, 0, "all memory is given back");
	now = 1000;
	tid++;
	if (madkit_rmpp_receiver_new(&heap, &options, &receiver))
		ok(false, "new");
	madkit_rmpp_receiver_options_init(&options);
	options.window = 8;
	options.ack_every = 4;
}

static int rmpp_receiver_take(uint8_t method, uint8_t type, uint8_t flags, uint8_t status, uint32_t segment,
			      uint32_t length)
{
	uint8_t mad[256] = { 0 };
	struct madkit_rmpp_arrival a = { .from = &peer, .mad = mad, .len = 256, .now = now };

	put_head(mad, SA, method, tid);
	put_rmpp(mad, type, ACTIVE | flags, status, segment, length);
	memset(mad + 56, (int)segment, 200);
	return madkit_rmpp_receiver_take(receiver, &a);
}

static int rmpp_receiver_data(uint8_t flags, uint32_t segment, uint32_t length)
{
	return rmpp_receiver_take(SET, DATA, flags, 0, segment, length);
}

/* The packets that it sends: "K3/7" an ACK, "A119" an ABORT, "S1" a STOP. */
static const char *rmpp_receiver_pull(void)
{
	static char text[400];
	struct madkit_addr to;
	uint8_t mad[2048];
	size_t n = 0, len;

	text[0] = 0;
	while (madkit_rmpp_receiver_packet(receiver, mad, &len, &to)) {
		const char *comma = n ? "," : "";

		if (len != 256 || to.lid != peer.lid || to.qp != 1 || to.sl != 3 || to.pkey_index != 2 ||
		    get32(mad + 12) != tid || mad[3] != (SET ^ RESPONSE) || mad[24] != 1 || mad[36] != 0xc1 ||
		    mad[26] != (31 << 3 | ACTIVE) || mad[56])
			comma = "!";
		if (mad[25] == ACK && !mad[27])
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%sK%u/%u", comma, get32(mad + 28),
					      get32(mad + 32));
		else
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%c%u", comma, "?DKSA"[mad[25]],
					      mad[27]);
	}
	return text;
}

/* The next message: "complete 0 600" with its bytes of data. */
static const char *rmpp_receiver_message(void)
{
	static const char *const states[] = { "active",  "complete", "gave up",
					      "stopped", "aborted",  "superseded" };
	static char text[60];
	struct madkit_rmpp_message m;

	if (!madkit_rmpp_receiver_message(receiver, &m))
		return "none";
	snprintf(text, sizeof(text), "%s %u %zu", states[m.outcome.state], m.outcome.status,
		 m.len ? m.len - 56 : 0);
	for (size_t i = 56; i < m.len; i++)
		if (m.bytes[i] != (i - 56) / 200 + 1) {
			strcat(text, ", wrong bytes");
			break;
		}
	if (m.outcome.state == MADKIT_RMPP_STATE_COMPLETE &&
	    get32(m.bytes + 32) != m.len - 56 + m.segments * 20)
		strcpy(text, "wrong PayloadLength");
	madkit_rmpp_message_free(&heap, &m);
	return text;
}

static void rmpp_receiver_acks(void)
{
	rmpp_receiver_begin();
	rmpp_receiver_data(FIRST | LAST, 1, 70);
	is_str(rmpp_receiver_pull(), "K1/1", "a single segment");
	is_str(rmpp_receiver_message(), "complete 0 50", "... is a message");
	is_str(rmpp_receiver_message(), "none", "... one");
	is_int(rmpp_receiver_data(FIRST | LAST, 1, 70), 0, "the same again");
	is_str(rmpp_receiver_pull(), "K1/1", "... its ACK is, too");
	is_str(rmpp_receiver_message(), "none", "... but no message");

	rmpp_receiver_begin();
	rmpp_receiver_data(FIRST, 1, 0);
	is_str(rmpp_receiver_pull(), "K1/9", "the first segment opens the window");
	for (uint32_t k = 2; k <= 4; k++)
		rmpp_receiver_data(0, k, 0);
	is_str(rmpp_receiver_pull(), "", "no ACK to each of the next");
	rmpp_receiver_data(0, 5, 0);
	is_str(rmpp_receiver_pull(), "K5/13", "one to the fourth");
	rmpp_receiver_data(0, 7, 0);
	is_str(rmpp_receiver_pull(), "K5/13", "a gap: where it begins is said");
	rmpp_receiver_data(0, 9, 0);
	is_str(rmpp_receiver_pull(), "", "... once");
	rmpp_receiver_data(0, 3, 0);
	is_str(rmpp_receiver_pull(), "K5/13", "what came before is acknowledged anew");
	rmpp_receiver_data(0, 14, 0);
	is_str(rmpp_receiver_pull(), "", "behind the window: dropped");
	rmpp_receiver_data(0, 6, 0);
	is_str(rmpp_receiver_pull(), "", "the gap is filled");
	rmpp_receiver_data(0, 8, 0);
	is_str(rmpp_receiver_pull(), "K9/17", "... ACKs count what came early");
	rmpp_receiver_data(LAST, 11, 21);
	is_str(rmpp_receiver_pull(), "K9/17", "the last one early");
	is_str(rmpp_receiver_message(), "none", "... is not the end");
	rmpp_receiver_data(0, 10, 0);
	is_str(rmpp_receiver_pull(), "K11/17", "now it is");
	is_str(rmpp_receiver_message(), "complete 0 2001", "all bytes in their places");
	is_int(rmpp_receiver_data(0, 10, 0), 0, "one again");
	is_str(rmpp_receiver_pull(), "K11/17", "... the last ACK is, too");
	is_u64(madkit_rmpp_receiver_deadline(receiver), now + 20 * SECOND, "held for twenty seconds");
	now += 20 * SECOND;
	madkit_rmpp_receiver_expire(receiver, now);
	is_int(rmpp_receiver_data(0, 10, 0), -ENOENT, "then it is forgotten");
	is_u64(madkit_rmpp_receiver_deadline(receiver), MADKIT_RMPP_NEVER, "... and its timer");
	rmpp_receiver_begin();
	rmpp_receiver_data(FIRST, 1, 660);
	rmpp_receiver_data(0, 2, 0);
	rmpp_receiver_data(LAST, 3, 220);
	is_str(rmpp_receiver_pull(), "K3/9", "what is pulled late is the latest");
	is_str(rmpp_receiver_message(), "complete 0 600", "declared and full");
}

/* Delivers one DATA as the next, or as the first packet: the reply, and the state of the transfer. */
static void refuse(const char *what, bool first, uint32_t declared, uint8_t flags, uint32_t segment,
		   uint32_t length, const char *answer, const char *want)
{
	rmpp_receiver_begin();
	if (!first) {
		rmpp_receiver_data(FIRST, 1, declared);
		rmpp_receiver_pull();
	}
	is_int(rmpp_receiver_data(flags, segment, length), 0, "%s", what);
	is_str(rmpp_receiver_pull(), answer, "... answer");
	is_str(rmpp_receiver_message(), want, "... outcome");
	if (!strcmp(want, "none"))
		return;
	rmpp_receiver_data(flags, segment, length);
	is_str(rmpp_receiver_pull(), answer, "... and once more");
	is_str(rmpp_receiver_message(), "none", "... but one outcome");
}

static void rmpp_receiver_faults(void)
{
	refuse("FIRST of 2", true, 0, FIRST, 2, 0, "A120", "none");
	refuse("1 without FIRST", true, 0, 0, 1, 0, "A120", "none");
	refuse("segment 0", true, 0, 0, 0, 0, "A120", "none");
	refuse("FIRST of 2, of a transfer", false, 0, FIRST, 2, 0, "A120", "gave up 120 200");
	refuse("FIRST and LAST, huge", true, 0, FIRST | LAST, 1, 0xffffffff, "A119", "gave up 119 0");
	refuse("... 221", true, 0, FIRST | LAST, 1, 221, "A119", "gave up 119 0");
	refuse("... 0", true, 0, FIRST | LAST, 1, 0, "A119", "gave up 119 0");
	refuse("... below the class header", true, 0, FIRST | LAST, 1, 19, "A119", "gave up 119 0");
	refuse("... no data", true, 0, FIRST | LAST, 1, 20, "K1/1", "complete 0 0");
	refuse("... full", true, 0, FIRST | LAST, 1, 220, "K1/1", "complete 0 200");
	refuse("FIRST below the class header", true, 0, FIRST, 1, 19, "A119", "gave up 119 0");
	refuse("FIRST alone of one segment", true, 0, FIRST, 1, 220, "A119", "gave up 119 0");
	refuse("FIRST of two", true, 0, FIRST, 1, 221, "K1/9", "none");
	refuse("FIRST, huge", true, 0, FIRST, 1, 0xffffffff, "K1/9", "none");
	refuse("LAST of 0", false, 0, LAST, 2, 0, "A119", "gave up 119 200");
	refuse("LAST of 221", false, 0, LAST, 2, 221, "A119", "gave up 119 200");
	refuse("LAST below the class header", false, 0, LAST, 2, 19, "A119", "gave up 119 200");
	refuse("LAST as declared", false, 300, LAST, 2, 80, "K2/9", "complete 0 260");
	refuse("LAST of less", false, 300, LAST, 2, 79, "A119", "gave up 119 200");
	refuse("LAST of more", false, 300, LAST, 2, 81, "A119", "gave up 119 200");
	refuse("LAST early", false, 700, LAST, 2, 220, "A119", "gave up 119 200");
	refuse("LAST missing", false, 440, 0, 2, 0, "A119", "gave up 119 200");
	refuse("behind what was declared", false, 440, 0, 3, 0, "A119", "gave up 119 200");
	rmpp_receiver_begin();
	rmpp_receiver_data(FIRST, 1, 0);
	rmpp_receiver_data(LAST, 4, 220);
	rmpp_receiver_data(LAST, 3, 220);
	is_str(rmpp_receiver_pull(), "A119", "two last ones");
	rmpp_receiver_begin();
	rmpp_receiver_data(FIRST, 1, 0);
	rmpp_receiver_data(0, 4, 0);
	rmpp_receiver_data(LAST, 3, 220);
	is_str(rmpp_receiver_pull(), "A119", "a last one below another");
	rmpp_receiver_begin();
	rmpp_receiver_data(FIRST, 1, 0);
	rmpp_receiver_data(LAST, 3, 220);
	rmpp_receiver_data(0, 4, 0);
	is_str(rmpp_receiver_pull(), "A119", "one behind the last");
	rmpp_receiver_begin();
	is_int(rmpp_receiver_take(SET, DATA, FIRST, 1, 1, 0), 0, "DATA with a status");
	is_str(rmpp_receiver_pull(), "A124", "... is illegal");
	is_int(rmpp_receiver_take(SET, 9, FIRST, 0, 1, 0), 0, "a type that nobody knows");
	is_str(rmpp_receiver_pull(), "A121", "... bad type");
	is_int(rmpp_receiver_take(SET, ACK, 0, 0, 3, 9), -ENOENT, "an ACK of nothing");
	is_int(rmpp_receiver_take(SET, ACK, 0, 1, 3, 9), -ENOENT, "... with a status");
	is_int(rmpp_receiver_take(SET, STOP, 0, 1, 0, 0), -ENOENT, "a STOP of nothing");
	is_int(rmpp_receiver_data(0, 2, 0), -ENOENT, "a segment of nothing");
	is_str(rmpp_receiver_pull(), "", "none is answered");
}

static void peers_end(uint8_t type, uint8_t status, const char *want)
{
	rmpp_receiver_begin();
	rmpp_receiver_data(FIRST, 1, 0);
	rmpp_receiver_data(0, 3, 0);
	rmpp_receiver_pull();
	/* an ACK that is still to be sent is not, then */
	rmpp_receiver_data(0, 3, 0);
	is_int(rmpp_receiver_take(SET, type, 0, status, 0, 0), 0, "type %u status %u", type, status);
	is_str(rmpp_receiver_pull(), "", "... is not answered");
	is_str(rmpp_receiver_message(), want, "... and ends the transfer");
	is_int(rmpp_receiver_take(SET, type, 0, status, 0, 0), 0, "... once more");
	is_str(rmpp_receiver_message(), "none", "... ends nothing");
}

static void rmpp_receiver_ends(void)
{
	peers_end(STOP, 1, "stopped 1 200");
	peers_end(STOP, 118, "stopped 124 200");
	peers_end(ABORT, 126, "aborted 126 200");
	peers_end(ABORT, 200, "aborted 200 200");
	peers_end(ABORT, 1, "aborted 124 200");
	rmpp_receiver_begin();
	rmpp_receiver_data(FIRST, 1, 0);
	rmpp_receiver_pull();
	is_u64(madkit_rmpp_receiver_deadline(receiver), now + 40 * SECOND, "forty seconds in all");
	now += 40 * SECOND;
	madkit_rmpp_receiver_expire(receiver, now);
	is_str(rmpp_receiver_pull(), "A118", "... then ABORT 118");
	is_str(rmpp_receiver_message(), "gave up 118 200", "... ends it");
	rmpp_receiver_begin();
	rmpp_receiver_data(FIRST, 1, 0);
	is_int(madkit_rmpp_receiver_stop(receiver, 2), -EINVAL, "a status that none has");
	is_int(madkit_rmpp_receiver_stop(receiver, 127), 0, "the caller stops all");
	is_str(rmpp_receiver_pull(), "A127", "... with its status");
	is_str(rmpp_receiver_message(), "gave up 127 200", "... and has the outcome");
}

static void reuse(void)
{
	uint8_t mad[256] = { 0 };
	struct madkit_rmpp_arrival a = { .from = &peer, .mad = mad, .len = 256 };
	struct madkit_addr real = peer;

	rmpp_receiver_begin();
	rmpp_receiver_data(FIRST, 1, 0);
	rmpp_receiver_data(LAST, 2, 220);
	is_str(rmpp_receiver_pull(), "K2/9", "whole");
	is_str(rmpp_receiver_message(), "complete 0 400", "... handed over");
	put_head(mad, SA, SET, tid);
	put_rmpp(mad, DATA, ACTIVE | FIRST, 0, 1, 0);
	memset(mad + 56, 9, 200);
	a.now = now;
	is_int(madkit_rmpp_receiver_take(receiver, &a), 0, "the TID again, with other data");
	is_str(rmpp_receiver_pull(), "K1/9", "... is a new transfer");
	rmpp_receiver_data(LAST, 2, 220);
	rmpp_receiver_pull();
	is_str(rmpp_receiver_message(), "complete 0 400, wrong bytes", "... of its own");
	memset(mad + 56, 8, 200);
	madkit_rmpp_receiver_take(receiver, &a);
	memset(mad + 56, 7, 200);
	madkit_rmpp_receiver_take(receiver, &a);
	is_str(rmpp_receiver_pull(), "K1/9", "another first segment while it is under way");
	is_str(rmpp_receiver_message(), "superseded 127 200, wrong bytes", "... ends the old one");
	is_str(rmpp_receiver_message(), "none", "... and begins one");

	rmpp_receiver_begin();
	rmpp_receiver_data(FIRST, 1, 0);
	peer.lid = 6;
	rmpp_receiver_data(FIRST, 1, 0);
	rmpp_receiver_data(LAST, 2, 120);
	rmpp_receiver_pull();
	is_str(rmpp_receiver_message(), "complete 0 300", "the same TID of another peer");
	peer = real;
	rmpp_receiver_data(LAST, 2, 220);
	rmpp_receiver_pull();
	is_str(rmpp_receiver_message(), "complete 0 400", "... is another transfer");
	rmpp_receiver_begin();
	rmpp_receiver_data(FIRST, 1, 0);
	put_head(mad, SA, SET, tid);
	mad[17] = 0x11;
	put_rmpp(mad, DATA, ACTIVE | LAST, 0, 2, 220);
	madkit_rmpp_receiver_take(receiver, &a);
	is_str(rmpp_receiver_message(), "none", "another attribute is none of it");
}

/* Of two with one number the first counts, whatever the second says. */
static void rmpp_receiver_overlaps(void)
{
	uint8_t mad[256] = { 0 };
	struct madkit_rmpp_arrival a = { .from = &peer, .mad = mad, .len = 256 };
	struct madkit_rmpp_receiver_counters c;
	/* clang-format off */
	static const struct {
		uint8_t flags;
		uint32_t segment, length;
		const char *answer;
	} again[] = {
		{ 0, 2, 0, "K2/10" },		/* in its place */
		{ LAST, 2, 100, "K2/10" },
		{ 0, 4, 0, "K2/10" },		/* early */
		{ LAST, 4, 220, "K2/10" },
		{ LAST, 5, 21, "K2/10" },	/* the last one */
		{ 0, 5, 0, "K2/10" },
	};
	/* clang-format on */

	rmpp_receiver_begin();
	rmpp_receiver_data(FIRST, 1, 0);
	rmpp_receiver_data(0, 2, 0);
	rmpp_receiver_data(0, 4, 0);
	rmpp_receiver_data(LAST, 5, 220);
	rmpp_receiver_pull();
	put_head(mad, SA, SET, tid);
	memset(mad + 56, 0xee, 200);
	a.now = now;
	for (size_t i = 0; i < ARRAY_SIZE(again); i++) {
		put_rmpp(mad, DATA, ACTIVE | again[i].flags, 0, again[i].segment, again[i].length);
		is_int(madkit_rmpp_receiver_take(receiver, &a), 0, "segment %u again, with other data",
		       again[i].segment);
		is_str(rmpp_receiver_pull(), again[i].answer, "... is acknowledged as before");
	}
	madkit_rmpp_receiver_get_counters(receiver, &c);
	is_u64(c.duplicates, 6, "... and all six are duplicates");
	rmpp_receiver_data(0, 3, 0);
	is_str(rmpp_receiver_pull(), "K5/10", "the one that was missing");
	is_str(rmpp_receiver_message(), "complete 0 1000", "... makes a message of those that came first");

	rmpp_receiver_begin();
	rmpp_receiver_data(FIRST, 1, 0);
	rmpp_receiver_pull();
	put_head(mad, SA, SET, tid);
	put_rmpp(mad, DATA, ACTIVE, 0, 2, 0);
	mad[23] = 1;
	is_int(madkit_rmpp_receiver_take(receiver, &a), 0, "a segment with another AttributeModifier");
	is_str(rmpp_receiver_pull(), "", "... is dropped without a word");
	madkit_rmpp_receiver_get_counters(receiver, &c);
	is_u64(c.beyond, 1, "... and counted");
	mad[23] = 0;
	mad[24] = 2;
	is_int(madkit_rmpp_receiver_take(receiver, &a), 0, "one of another version");
	is_str(rmpp_receiver_pull(), "A125", "... is not");
	is_str(rmpp_receiver_message(), "gave up 125 200", "... and ends the transfer");
}

/* Before, during and after a transfer: DATA, and packets that are never answered. */
static void versions(void)
{
	uint8_t mad[256] = { 0 };
	struct madkit_rmpp_arrival a = { .from = &peer, .mad = mad, .len = 256 };
	static const uint8_t versions[] = { 0, 2, 255 };

	for (size_t i = 0; i < 3; i++) {
		rmpp_receiver_begin();
		put_head(mad, SA, SET, tid);
		put_rmpp(mad, DATA, ACTIVE | FIRST, 0, 1, 0);
		mad[24] = versions[i];
		a.now = now;
		is_int(madkit_rmpp_receiver_take(receiver, &a), 0, "a first segment of version %u",
		       versions[i]);
		is_str(rmpp_receiver_pull(), "A125", "... is answered");
		is_str(rmpp_receiver_message(), "none", "... and begins nothing");
		mad[25] = STOP;
		is_int(madkit_rmpp_receiver_take(receiver, &a), -ENOENT, "... its STOP is nobody's");
		rmpp_receiver_data(FIRST, 1, 0);
		rmpp_receiver_pull();
		mad[25] = i ? ABORT : STOP;
		mad[27] = i ? 126 : 1;
		is_int(madkit_rmpp_receiver_take(receiver, &a), 0, "one that ends a transfer");
		is_str(rmpp_receiver_pull(), "", "... is not answered");
		is_str(rmpp_receiver_message(), i ? "aborted 125 200" : "stopped 125 200", "... but ends it");
		rmpp_receiver_begin();
		rmpp_receiver_data(FIRST | LAST, 1, 220);
		rmpp_receiver_pull();
		rmpp_receiver_message();
		put_head(mad, SA, SET, tid);
		put_rmpp(mad, DATA, ACTIVE, 0, 2, 0);
		mad[24] = versions[i];
		is_int(madkit_rmpp_receiver_take(receiver, &a), 0, "one of a transfer that is whole");
		is_str(rmpp_receiver_pull(), "A125", "... is answered");
		is_str(rmpp_receiver_message(), "none", "... and changes nothing");
	}
}

/* Each field that identifies a transfer, changed by itself. */
static void rmpp_receiver_keys(void)
{
	static const char *const names[] = {
		"TID, lower half", "TID, upper half", "class", "direction", "LID", "QP", "GRH", "GID",
	};
	uint8_t mad[256];
	struct madkit_addr from;
	struct madkit_rmpp_arrival a = { .from = &from, .mad = mad, .len = 256 };
	struct madkit_rmpp_receiver_counters c;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		rmpp_receiver_begin();
		from = peer;
		from.grh = i == 7;
		memset(mad, 0, sizeof(mad));
		put_head(mad, SA, SET, tid);
		put_rmpp(mad, DATA, ACTIVE | FIRST, 0, 1, 0);
		a.now = now;
		madkit_rmpp_receiver_take(receiver, &a);
		switch (i) {
		case 0:
			mad[15] ^= 1;
			break;
		case 1:
			mad[8] ^= 0x80;
			break;
		case 2:
			mad[1] = DEVMGT;
			break;
		case 3:
			mad[3] ^= RESPONSE;
			break;
		case 4:
			from.lid ^= 0x100;
			break;
		case 5:
			from.qp ^= 2;
			break;
		case 6:
			from.grh = true;
			break;
		case 7:
			from.gid[15] ^= 1;
			break;
		}
		madkit_rmpp_receiver_get_counters(receiver, &c);
		is_u64(c.active, 1, "%s: one transfer", names[i]);
		put_rmpp(mad, DATA, ACTIVE, 0, 2, 0);
		is_int(madkit_rmpp_receiver_take(receiver, &a), -ENOENT,
		       "... another's second segment is none of it");
		put_rmpp(mad, ABORT, ACTIVE, 127, 0, 0);
		is_int(madkit_rmpp_receiver_take(receiver, &a), -ENOENT, "... its ABORT neither");
		put_rmpp(mad, DATA, ACTIVE | FIRST, 0, 1, 0);
		is_int(madkit_rmpp_receiver_take(receiver, &a), 0, "... its first begins one");
		madkit_rmpp_receiver_get_counters(receiver, &c);
		is_u64(c.active, 2, "... beside the other");
	}
}

static void turnaround(void)
{
	uint8_t head[64];

	options.double_sided = true;
	options.retries = 2;
	rmpp_receiver_begin();
	put_head(head, SA, SET, tid);
	rmpp_receiver_data(FIRST | LAST, 1, 220);
	is_str(rmpp_receiver_pull(), "K1/1", "a request that is double-sided");
	is_str(rmpp_receiver_message(), "complete 0 200", "... is handed over at once");
	is_u64(madkit_rmpp_receiver_turnaround(receiver, &peer, head), 0, "its turnaround is awaited");
	now += 2 * SECOND;
	is_u64(madkit_rmpp_receiver_deadline(receiver), now, "... for so long");
	madkit_rmpp_receiver_expire(receiver, now);
	is_str(rmpp_receiver_pull(), "K1/1", "... then the last ACK goes out again");
	is_int(rmpp_receiver_take(SET, ACK, 0, 0, 0, 17), 0, "here it is");
	is_u64(madkit_rmpp_receiver_turnaround(receiver, &peer, head), 17, "... with its window");
	now += 3 * SECOND;
	madkit_rmpp_receiver_expire(receiver, now);
	is_str(rmpp_receiver_pull(), "", "... nothing more");
	options.double_sided = true;
	options.retries = 1;
	rmpp_receiver_begin();
	put_head(head, SA, SET, tid);
	rmpp_receiver_data(FIRST | LAST, 1, 220);
	for (int i = 0; i < 2; i++) {
		now += 2 * SECOND;
		madkit_rmpp_receiver_expire(receiver, now);
	}
	is_u64(madkit_rmpp_receiver_turnaround(receiver, &peer, head), 1, "none came: WL is 1");
	rmpp_receiver_message();
}

static void rmpp_receiver_limits(void)
{
	struct madkit_rmpp_receiver_counters c;
	size_t before;

	options.max_message = 56 + 450;
	rmpp_receiver_begin();
	rmpp_receiver_data(FIRST, 1, 0);
	rmpp_receiver_data(0, 2, 0);
	rmpp_receiver_pull();
	rmpp_receiver_data(0, 3, 0);
	is_str(rmpp_receiver_pull(), "S1", "a message beyond the limit is stopped");
	is_str(rmpp_receiver_message(), "gave up 1 400", "... and says so");
	rmpp_receiver_begin();
	before = memory.now;
	rmpp_receiver_data(FIRST, 1, 0xffffffff);
	ok(memory.now - before < 8192, "a declared length takes no memory: %zu", memory.now - before);
	before = memory.now;
	for (uint32_t k = 2; k <= 9; k++)
		rmpp_receiver_data(0, 9 + 2 - k, 0);
	ok(memory.now - before < 9 * 200 * 5 / 4 + 4096, "... and a window of segments what they are: %zu",
	   memory.now - before);
	rmpp_receiver_pull();
	options.max_peer = 4096;
	rmpp_receiver_begin();
	for (uint32_t k = 1; k < 30; k++) {
		const char *answer;

		rmpp_receiver_data(k == 1 ? FIRST : 0, k, 0);
		answer = rmpp_receiver_pull();
		if (*answer == 'K' || !*answer)
			continue;
		is_str(answer, "S1", "a limit for each peer: segment %u is beyond it", k);
		break;
	}
	ok(!strncmp(rmpp_receiver_message(), "gave up 1 ", 10), "... which ends the transfer");
	madkit_rmpp_receiver_get_counters(receiver, &c);
	ok(c.bytes <= 4096, "... that is kept: %zu", c.bytes);
	peer.lid = 6;
	tid++;
	rmpp_receiver_data(FIRST, 1, 0);
	is_str(rmpp_receiver_pull(), "K1/9", "... another has its own");
	peer.lid = 5;
	options.max_all = 4096;
	rmpp_receiver_begin();
	before = 0;
	for (peer.lid = 1; peer.lid < 100; peer.lid++) {
		rmpp_receiver_data(FIRST, 1, 0);
		before += !strcmp(rmpp_receiver_pull(), "S1");
	}
	madkit_rmpp_receiver_get_counters(receiver, &c);
	ok(c.bytes <= 4096, "a limit for all: %zu", c.bytes);
	/* Some have room for their state and none for their bytes: how many depends on the size of pointers. */
	ok(c.active && c.active + before == 99,
	   "B17: %zu of 99 began, and the others were answered with STOP 1: %zu", c.active, before);
	peer.lid = 5;
	memory.limit = memory.now;
	tid++;
	rmpp_receiver_data(FIRST, 1, 0);
	is_str(rmpp_receiver_pull(), "S1", "no memory: STOP 1, too");
	memory.limit = 0;
}

static void watcher(void)
{
	struct madkit_addr other = { .lid = 9, .qp = 1 };
	uint8_t mad[256] = { 0 };
	struct madkit_rmpp_arrival a = {
		.from = &peer, .to = &other, .mad = mad, .len = 256, .tag = { 77, 78 }
	};
	struct madkit_rmpp_message m;

	options.watch = true;
	rmpp_receiver_begin();
	put_head(mad, SA, SET, tid);
	for (uint32_t k = 1; k <= 3; k++) {
		a.from = &peer;
		a.to = &other;
		put_rmpp(mad, DATA,
			 (uint8_t)(ACTIVE | (k == 1 ? FIRST :
					     k == 3 ? LAST :
						      0)),
			 0, k, k == 1 ? 5555 : 0);
		is_int(madkit_rmpp_receiver_take(receiver, &a), 0, "segment %u of one", k);
		if (k == 3)
			break;
		a.from = &other;
		a.to = &peer;
		is_int(madkit_rmpp_receiver_take(receiver, &a), 0, "... of the other direction");
		a.tag[0] = a.tag[1] = 0;
	}
	is_str(rmpp_receiver_pull(), "", "a watcher says nothing");
	is_int(madkit_rmpp_receiver_message(receiver, &m), true, "a message");
	is_u64(m.len, 656, "... of full segments");
	is_u64(m.tag[0] + m.tag[1], 77 + 78, "... with the caller's tag");
	is_u64(m.to.lid, 9, "... to whom it went");
	madkit_rmpp_message_free(&heap, &m);
	put_rmpp(mad, ABORT, ACTIVE, 127, 0, 0);
	is_int(madkit_rmpp_receiver_take(receiver, &a), -ENOENT, "what is not DATA stands for itself");
	is_int(madkit_rmpp_receiver_stop(receiver, 127), 0, "at the end of the capture");
	is_int(madkit_rmpp_receiver_message(receiver, &m), true, "... what is there of the other");
	is_u64(m.len, 456, "... two segments");
	madkit_rmpp_message_free(&heap, &m);
}

int main(void)
{
	madkit_rmpp_receiver_options_init(&options);
	options.window = 8;
	options.ack_every = 4;
	rmpp_receiver_acks();
	rmpp_receiver_faults();
	rmpp_receiver_ends();
	reuse();
	rmpp_receiver_overlaps();
	versions();
	rmpp_receiver_keys();
	turnaround();
	rmpp_receiver_limits();
	watcher();
	madkit_rmpp_receiver_free(receiver);
	is_u64(memory.now, 0, "all memory is given back");
	return tap_done();
}
