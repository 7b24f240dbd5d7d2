/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The sender, packet by packet: windows, timers, and what ends a transfer. */
#include <errno.h>
#include "tests/tap.h"
#include "tests/unit/rmpp_ends.h"
#include "rmpp/packet.h"

static const struct madkit_addr peer = { .lid = 5, .qp = 1 };
static struct madkit_rmpp_sender sender;
static struct madkit_rmpp_sender_options options;
static uint8_t *message;
static uint64_t now;

/* A message of n segments of the SA. */
static void rmpp_sender_start(uint32_t segments)
{
	size_t len;

	free(message);
	message = new_message(SA, GET_TABLE, 7, segments * 200 - 100, &len);
	now = 1000;
	if (madkit_rmpp_sender_start(&sender, message, len, &peer, &options, now))
		ok(false, "start");
	madkit_rmpp_sender_options_init(&options);
}

/* Which segments it sends now: "1-3", "1,3", "" for none, "A118" for an ABORT. */
static const char *rmpp_sender_pull(void)
{
	static char text[200];
	uint8_t mad[256];
	size_t n = 0;

	text[0] = 0;
	while (madkit_rmpp_sender_packet(&sender, mad, now)) {
		const char *comma = n ? "," : "";

		if (mad[25] == DATA)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%u", comma, get32(mad + 28));
		else
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%c%u/%u/%u:%02x", comma,
					      "?DKSA"[mad[25]], mad[27], get32(mad + 28), get32(mad + 32),
					      mad[3]);
	}
	return text;
}

static int rmpp_sender_take(uint8_t type, uint8_t status, uint32_t segment, uint32_t last)
{
	uint8_t mad[256] = { 0 };

	put_head(mad, SA, GET_TABLE | RESPONSE, 7);
	put_rmpp(mad, type, ACTIVE, status, segment, last);
	return madkit_rmpp_sender_take(&sender, &peer, mad, sizeof(mad), now);
}

static const char *rmpp_sender_outcome(void)
{
	static const char *const states[] = { "active", "complete", "gave up", "stopped", "aborted" };
	static char text[40];
	struct madkit_rmpp_outcome o = madkit_rmpp_sender_outcome(&sender);

	snprintf(text, sizeof(text), "%s %u", states[o.state], o.status);
	return text;
}

static void windows(void)
{
	rmpp_sender_start(10);
	is_str(rmpp_sender_pull(), "1", "the first segment alone: WL is 1");
	is_str(rmpp_sender_pull(), "", "... then an ACK is awaited");
	rmpp_sender_take(ACK, 0, 1, 4);
	is_str(rmpp_sender_pull(), "2,3,4", "an ACK opens the window to NewWindowLast");
	rmpp_sender_take(ACK, 0, 1, 3);
	rmpp_sender_take(ACK, 0, 0, 9);
	is_str(rmpp_sender_pull(), "", "a smaller window and an old ACK change nothing");
	is_u64(sender.window_last, 4, "... the old one's window neither");
	rmpp_sender_take(ACK, 0, 3, 6);
	is_str(rmpp_sender_pull(), "5,6", "the window moves on");
	is_u64(sender.window_first, 4, "... WF with it");
	rmpp_sender_take(ACK, 0, 6, 100);
	is_str(rmpp_sender_pull(), "7,8,9,10", "nothing is sent behind the last");
	is_str(rmpp_sender_outcome(), "active 0", "it has not ended");
	rmpp_sender_take(ACK, 0, 10, 100);
	is_str(rmpp_sender_outcome(), "complete 0", "the last ACK ends it");
	is_str(rmpp_sender_pull(), "", "... without a word");
	is_u64(madkit_rmpp_sender_deadline(&sender), MADKIT_RMPP_NEVER, "... or a timer");
	is_int(rmpp_sender_take(ACK, 0, 10, 100), -ENOENT, "it takes nothing more");
	rmpp_sender_start(1);
	is_str(rmpp_sender_pull(), "1", "a single segment");
	rmpp_sender_take(ACK, 0, 1, 1);
	is_str(rmpp_sender_outcome(), "complete 0", "... is a transfer, too");
	options.window_last = 3;
	rmpp_sender_start(10);
	is_str(rmpp_sender_pull(), "1,2,3", "a response's window is what the turnaround said");
}

static void timers(void)
{
	options.retries = 2;
	rmpp_sender_start(10);
	is_u64(madkit_rmpp_sender_deadline(&sender), now + 40 * SECOND,
	       "before the first packet there is the total time");
	rmpp_sender_pull();
	is_u64(madkit_rmpp_sender_deadline(&sender), now + 2 * SECOND, "two seconds for an ACK");
	now += 2 * SECOND - 1;
	madkit_rmpp_sender_expire(&sender, now);
	is_str(rmpp_sender_pull(), "", "not before its time");
	now++;
	madkit_rmpp_sender_expire(&sender, now);
	is_str(rmpp_sender_pull(), "1", "the first retry");
	rmpp_sender_take(ACK, 0, 1, 5);
	is_str(rmpp_sender_pull(), "2,3,4,5", "it helped");
	for (int i = 0; i < 2; i++) {
		now += 2 * SECOND;
		madkit_rmpp_sender_expire(&sender, now);
		is_str(rmpp_sender_pull(), "2,3,4,5",
		       "after progress there are two anew, of the whole window");
	}
	rmpp_sender_take(ACK, 0, 3, 5);
	is_str(rmpp_sender_pull(), "", "what was sent is not sent again for an ACK");
	now += 2 * SECOND;
	madkit_rmpp_sender_expire(&sender, now);
	rmpp_sender_take(ACK, 0, 4, 5);
	is_str(rmpp_sender_pull(), "5", "an ACK that comes while it is sent again skips what it covers");
	for (int i = 0; i < 3; i++) {
		now += 2 * SECOND;
		madkit_rmpp_sender_expire(&sender, now);
		is_str(rmpp_sender_pull(), i < 2 ? "5" : "A126/0/0:12", i < 2 ? "a retry" : "then ABORT 126");
	}
	is_str(rmpp_sender_outcome(), "gave up 126", "... is its end");

	options.total_ns = 3 * SECOND;
	rmpp_sender_start(2);
	rmpp_sender_pull();
	now += 3 * SECOND;
	madkit_rmpp_sender_expire(&sender, now);
	is_str(rmpp_sender_pull(), "A118/0/0:12", "after the total time ABORT 118");
	is_str(rmpp_sender_outcome(), "gave up 118", "... is its end");

	rmpp_sender_start(3);
	rmpp_sender_pull();
	rmpp_sender_take(ACK, 0, 1, 1);
	is_str(rmpp_sender_pull(), "", "a window that is closed");
	now += 2 * SECOND;
	madkit_rmpp_sender_expire(&sender, now);
	is_str(rmpp_sender_pull(), "1", "... is asked for by the segment before it");
	rmpp_sender_take(ACK, 0, 1, 3);
	is_str(rmpp_sender_pull(), "2,3", "... and opens");
}

static void response_time(void)
{
	uint8_t mad[256] = { 0 };

	is_u64(packet_response_ns(0, 0), 4096, "RRespTime 0: 4.096 us");
	is_u64(packet_response_ns(18, 1000), (UINT64_C(4096) << 18) + 2000,
	       "18: about a second, and the packet's life twice");
	is_u64(packet_response_ns(31, 5), MADKIT_RMPP_NEVER, "31 says nothing");
	is_u64(packet_response_ns(30, UINT64_MAX / 2), MADKIT_RMPP_NEVER, "no overflow");
	options.packet_life_ns = 1000;
	rmpp_sender_start(3);
	rmpp_sender_pull();
	put_head(mad, SA, GET_TABLE | RESPONSE, 7);
	put_rmpp(mad, ACK, ACTIVE, 0, 1, 2);
	mad[26] = 10 << 3 | ACTIVE;
	madkit_rmpp_sender_take(&sender, &peer, mad, sizeof(mad), now);
	rmpp_sender_pull();
	is_u64(madkit_rmpp_sender_deadline(&sender), now + (4096 << 10) + 2000,
	       "the ACK's RRespTime counts where the packet's life is known");
	mad[26] = 31 << 3 | ACTIVE;
	put32(mad + 28, 2);
	put32(mad + 32, 3);
	madkit_rmpp_sender_take(&sender, &peer, mad, sizeof(mad), now);
	rmpp_sender_pull();
	is_u64(madkit_rmpp_sender_deadline(&sender), now + (4096 << 10) + 2000,
	       "... one that says nothing leaves it");
	mad[26] = 10 << 3 | ACTIVE;
	put32(mad + 28, 1);
	rmpp_sender_start(3);
	rmpp_sender_pull();
	madkit_rmpp_sender_take(&sender, &peer, mad, sizeof(mad), now);
	rmpp_sender_pull();
	is_u64(madkit_rmpp_sender_deadline(&sender), now + 2 * SECOND, "... and else does not");
}

static void double_sided(void)
{
	options.double_sided = true;
	options.turnaround_window = 9;
	rmpp_sender_start(2);
	rmpp_sender_pull();
	rmpp_sender_take(ACK, 0, 1, 2);
	rmpp_sender_pull();
	rmpp_sender_take(ACK, 0, 2, 2);
	is_str(rmpp_sender_outcome(), "complete 0", "a request that is double-sided");
	is_str(rmpp_sender_pull(), "K0/0/9:12", "the last ACK is answered by ACK 0 with our window");
	is_str(rmpp_sender_pull(), "", "... once");
	is_int(rmpp_sender_take(ACK, 0, 2, 2), 0, "the last ACK again");
	is_str(rmpp_sender_pull(), "K0/0/9:12", "... as is the answer");
	rmpp_sender_take(ACK, 0, 1, 2);
	is_str(rmpp_sender_pull(), "", "not that of an old one");
	is_int(rmpp_sender_take(ABORT, 127, 0, 0), -ENOENT, "an ABORT of the response is somebody else's");
}

/* One packet while segments 1 and 2 of 3 were sent, and WL is 2. */
static void rmpp_sender_packet(uint8_t type, uint8_t status, uint32_t segment, uint32_t last,
			       const char *want, const char *sent)
{
	rmpp_sender_start(3);
	rmpp_sender_pull();
	rmpp_sender_take(ACK, 0, 1, 2);
	rmpp_sender_pull();
	is_int(rmpp_sender_take(type, status, segment, last), 0, "type %u status %u %u %u", type, status,
	       segment, last);
	is_str(rmpp_sender_outcome(), want, "... outcome");
	is_str(rmpp_sender_pull(), sent, "... answer");
}

static void rmpp_sender_ends(void)
{
	rmpp_sender_packet(STOP, 1, 0, 0, "stopped 1", "");
	rmpp_sender_packet(STOP, 118, 0, 0, "stopped 124", "");
	rmpp_sender_packet(STOP, 0, 0, 0, "stopped 124", "");
	rmpp_sender_packet(ABORT, 118, 0, 0, "aborted 118", "");
	rmpp_sender_packet(ABORT, 127, 5, 9, "aborted 127", "");
	rmpp_sender_packet(ABORT, 128, 0, 0, "aborted 128", "");
	rmpp_sender_packet(ABORT, 255, 0, 0, "aborted 255", "");
	rmpp_sender_packet(ABORT, 1, 0, 0, "aborted 124", "");
	rmpp_sender_packet(ABORT, 117, 0, 0, "aborted 124", "");
	rmpp_sender_packet(0, 0, 0, 0, "gave up 121", "A121/0/0:12");
	rmpp_sender_packet(5, 0, 0, 0, "gave up 121", "A121/0/0:12");
	rmpp_sender_packet(ACK, 1, 2, 3, "gave up 124", "A124/0/0:12");
	rmpp_sender_packet(ACK, 0, 2, 1, "gave up 122", "A122/0/0:12");
	rmpp_sender_packet(ACK, 0, 3, 3, "gave up 123", "A123/0/0:12");
	rmpp_sender_packet(ACK, 0, 0xffffffff, 0xffffffff, "gave up 123", "A123/0/0:12");
	rmpp_sender_packet(ACK, 0, 4, 4, "gave up 123", "A123/0/0:12");
	rmpp_sender_packet(ACK, 0, 0xffffffff, 0, "gave up 122", "A122/0/0:12");
	rmpp_sender_packet(ACK, 0, 0, 0, "active 0", "");
	rmpp_sender_packet(ACK, 0, 1, 0xffffffff, "active 0", "3");
	rmpp_sender_start(3);
	is_int(madkit_rmpp_sender_stop(&sender, 2), -EINVAL, "no STOP or ABORT has status 2");
	is_int(madkit_rmpp_sender_stop(&sender, 1), 0, "the caller gives up");
	is_str(rmpp_sender_pull(), "S1/0/0:12", "... STOP 1 goes out");
	is_int(madkit_rmpp_sender_stop(&sender, 127), -ENOENT, "... once");
	rmpp_sender_start(3);
	madkit_rmpp_sender_stop(&sender, 200);
	is_str(rmpp_sender_pull(), "A200/0/0:12", "a vendor's ABORT");
}

static void rmpp_sender_strangers(void)
{
	uint8_t mad[256] = { 0 };
	struct madkit_addr other = peer;

	rmpp_sender_start(3);
	rmpp_sender_pull();
	put_head(mad, SA, GET_TABLE | RESPONSE, 7);
	put_rmpp(mad, ABORT, ACTIVE, 127, 0, 0);
	other.qp = 2;
	is_int(madkit_rmpp_sender_take(&sender, &other, mad, 256, now), -ENOENT, "another QP");
	other = peer;
	other.lid = 6;
	is_int(madkit_rmpp_sender_take(&sender, &other, mad, 256, now), -ENOENT, "another LID");
	other = peer;
	other.grh = true;
	is_int(madkit_rmpp_sender_take(&sender, &other, mad, 256, now), -ENOENT, "a GRH");
	is_int(madkit_rmpp_sender_take(&sender, &peer, mad, 255, now), -ENOENT, "a cut MAD");
	for (size_t i = 0; i < 27; i++) {
		static const uint8_t matters[] = { 1, 3, 8, 9, 10, 11, 12, 13, 14, 15, 26 };

		if (!memchr(matters, (int)i, sizeof(matters)))
			continue;
		mad[i] ^= i == 3 ? RESPONSE : 1;
		is_int(madkit_rmpp_sender_take(&sender, &peer, mad, 256, now), -ENOENT, "byte %zu differs",
		       i);
		mad[i] ^= i == 3 ? RESPONSE : 1;
	}
	put_rmpp(mad, DATA, ACTIVE | FIRST, 0, 1, 0);
	is_int(madkit_rmpp_sender_take(&sender, &peer, mad, 256, now), -ENOENT, "DATA is the receiver's");
	is_str(rmpp_sender_outcome(), "active 0", "none of it did anything");
	put_rmpp(mad, ABORT, ACTIVE, 127, 0, 0);
	mad[24] = 2;
	is_int(madkit_rmpp_sender_take(&sender, &peer, mad, 256, now), 0, "version 2");
	is_str(rmpp_sender_outcome(), "aborted 125", "... of an ABORT is not answered");
	is_str(rmpp_sender_pull(), "", "... by anything");
	rmpp_sender_start(3);
	rmpp_sender_pull();
	put_rmpp(mad, ACK, ACTIVE, 0, 1, 1);
	mad[24] = 0;
	madkit_rmpp_sender_take(&sender, &peer, mad, 256, now);
	is_str(rmpp_sender_pull(), "A125/0/0:12", "an ACK of version 0 is");
	options.tid_mask = 0xffffffff;
	rmpp_sender_start(1);
	rmpp_sender_pull();
	put_rmpp(mad, ACK, ACTIVE, 0, 1, 1);
	mad[9] = 0x77;
	is_int(madkit_rmpp_sender_take(&sender, &peer, mad, 256, now), 0,
	       "the upper half of the TID is the kernel's");
	is_str(rmpp_sender_outcome(), "complete 0", "... where we say so");
}

static void rmpp_sender_refused(void)
{
	size_t len;
	uint8_t *m = new_message(SA, SET, 1, 10, &len);

	options.window_last = 0;
	is_int(madkit_rmpp_sender_start(&sender, m, len, &peer, &options, 0), -EINVAL, "WL 0");
	madkit_rmpp_sender_options_init(&options);
	options.response_ns = 0;
	is_int(madkit_rmpp_sender_start(&sender, m, len, &peer, &options, 0), -EINVAL, "no time");
	is_int(madkit_rmpp_sender_start(&sender, m, 55, &peer, NULL, 0), -EINVAL, "a cut message");
	is_int(madkit_rmpp_sender_start(&sender, m, len, &peer, NULL, 0), 0, "no options: the defaults");
	free(m);
}

int main(void)
{
	madkit_rmpp_sender_options_init(&options);
	windows();
	timers();
	response_time();
	double_sided();
	rmpp_sender_ends();
	rmpp_sender_strangers();
	rmpp_sender_refused();
	free(message);
	return tap_done();
}
