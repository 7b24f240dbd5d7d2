/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Any bytes as a capture file, once whole and once in pieces: the same packets,
 * all within the bytes, and MADs within the packets.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/madkit.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A hash of everything that was read. */
struct sight {
	uint64_t sum;
	unsigned int packets, mads;
};

static void fuzz_capture_see(struct sight *s, uint64_t n)
{
	s->sum = (s->sum ^ n) * UINT64_C(0x100000001b3);
}

static void fuzz_capture_look(struct sight *s, const struct madkit_packet *p, const uint8_t *bytes,
			      size_t used)
{
	struct madkit_error error;
	struct madkit_packet_mad mad;
	int ret;

	if (p->data < bytes || p->len > used || (size_t)(p->data - bytes) > used - p->len)
		abort();
	if (p->time.tv_nsec < -1 || p->time.tv_nsec > 999999999)
		abort();
	s->packets++;
	fuzz_capture_see(s, p->offset);
	fuzz_capture_see(s, p->len);
	fuzz_capture_see(s, p->wire);
	fuzz_capture_see(s, p->link_type);
	fuzz_capture_see(s, (uint64_t)p->time.tv_sec);
	ret = madkit_packet_get_mad(p, &mad, &error);
	fuzz_capture_see(s, (uint64_t)ret);
	if (ret < 0 && ret != -ENODATA && ret != -EBADMSG && ret != -EOPNOTSUPP)
		abort();
	if (ret <= 0)
		return;
	s->mads++;
	if (mad.mad < p->data || mad.len > p->len || mad.len > mad.bytes ||
	    (size_t)(mad.mad - p->data) > p->len - mad.len || mad.bytes < MADKIT_HEADER_BYTES ||
	    mad.bytes > MADKIT_FRAME_BYTES)
		abort();
	fuzz_capture_see(s, mad.bytes);
	fuzz_capture_see(s, mad.source.lid ^ mad.destination.lid);
	fuzz_capture_see(s, mad.source.qp ^ mad.destination.qp);
}

/* The file in pieces of so many bytes, as one would read it. */
static struct sight read_in(const uint8_t *data, size_t size, size_t piece)
{
	struct sight s = { .sum = 0 };
	struct madkit_capture c;
	struct madkit_packet packet;
	struct madkit_error error;
	size_t at = 0, have = piece < size ? piece : size, used;

	madkit_capture_init(&c);
	for (;;) {
		bool last = have == size - at;
		/* a copy of the exact length, so that reading beyond it is detected */
		uint8_t *copy = malloc(have ? have : 1);
		int ret;

		if (!copy)
			abort();
		memcpy(copy, data + at, have);
		ret = madkit_capture_next(&c, copy, have, last, &used, &packet, &error);
		if (used > have || c.offset != at + used)
			abort();
		if (ret > 0)
			fuzz_capture_look(&s, &packet, copy, used);
		else if (ret)
			fuzz_capture_see(&s, packet.offset ^ (uint64_t)ret);
		free(copy);
		at += used;
		have -= used;
		if (ret < 0 && ret != -EPROTO)
			break;
		if (!ret && last)
			break;
		if (!ret) {
			if (size - at - have < piece)
				have = size - at;
			else
				have += piece;
		}
	}
	madkit_capture_free(&c);
	return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sight whole = read_in(data, size, size), parts;

	for (size_t piece = 7; piece < 4096; piece *= 12) {
		parts = read_in(data, size, piece);
		if (whole.sum != parts.sum || whole.packets != parts.packets || whole.mads != parts.mads) {
			fprintf(stderr, "in pieces of %zu: %u packets, %u MADs; whole: %u, %u\n", piece,
				parts.packets, parts.mads, whole.packets, whole.mads);
			abort();
		}
	}
	return 0;
}
