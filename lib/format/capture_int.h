/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the readers of pcap and of pcapng share. */
#ifndef FORMAT_CAPTURE_INT_H
#define FORMAT_CAPTURE_INT_H

#include <errno.h>
#include <madkit/capture.h>

enum {
	/* A packet longer than this is damage, whatever the file claims. */
	CAPTURE_PACKET_MAX = 1 << 24,
	/* What a file that names no limit may hold: libpcap's own. */
	CAPTURE_PACKET_USUAL = 1 << 18,
	CAPTURE_AGAIN = 2, /* nothing to hand out: look again */
};

/* The bytes at hand, from the file's offset on. */
struct capture_bytes {
	const uint8_t *p;
	size_t len;
	size_t done; /* of them; the record that is looked at begins here */
	bool last;
};

static inline uint16_t capture_16(const struct madkit_capture *c, const uint8_t *p)
{
	return (uint16_t)(c->big ? p[0] << 8 | p[1] : p[1] << 8 | p[0]);
}

static inline uint32_t capture_32(const struct madkit_capture *c, const uint8_t *p)
{
	return c->big ? (uint32_t)capture_16(c, p) << 16 | capture_16(c, p + 2) :
			(uint32_t)capture_16(c, p + 2) << 16 | capture_16(c, p);
}

/* 0: more bytes are needed; at the end of the file -ENODATA, in words. */
static inline int capture_short(const struct capture_bytes *b, const char *what, size_t have, uint64_t want,
				struct madkit_error *error)
{
	if (!b->last)
		return 0;
	return madkit_error_set(error, -ENODATA, -1, "the file ends within %s: %zu of %llu bytes", what, have,
				(unsigned long long)want);
}

/* Each looks at what stands at b->done: 1 a packet, CAPTURE_AGAIN what is none,
 * or as madkit_capture_next() returns. */
int pcap_next(struct madkit_capture *c, struct capture_bytes *b, struct madkit_packet *packet,
	      struct madkit_error *error);
int pcapng_next(struct madkit_capture *c, struct capture_bytes *b, struct madkit_packet *packet,
		struct madkit_error *error);

#endif
