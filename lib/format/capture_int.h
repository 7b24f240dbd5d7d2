/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the readers of pcap and pcapng. */
#ifndef FORMAT_CAPTURE_INT_H
#define FORMAT_CAPTURE_INT_H

#include <errno.h>
#include <madkit/capture.h>

enum {
	/* A longer packet is damaged, whatever the file claims. */
	CAPTURE_PACKET_MAX = 1 << 24,
	/* Packets up to this length are accepted whatever the limit of the file: libpcap's own limit. */
	CAPTURE_PACKET_USUAL = 1 << 18,
	CAPTURE_AGAIN = 2, /* nothing to return: continue */
};

/* The available bytes, from the file's offset on. */
struct capture_bytes {
	const uint8_t *p;
	size_t len;
	size_t done; /* bytes used; the current record begins here */
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

/* Returns 0 if more bytes are needed; at the end of the file, -ENODATA with error. */
static inline int capture_short(const struct capture_bytes *b, const char *what, size_t have, uint64_t want,
				struct madkit_error *error)
{
	if (!b->last)
		return 0;
	return madkit_error_set(error, -ENODATA, -1, "the file ends within %s: %zu of %llu bytes", what, have,
				(unsigned long long)want);
}

/* Read the block at b->done. Return 1 for a packet; CAPTURE_AGAIN for anything else; or the values of
 * madkit_capture_next(). */
int pcap_next(struct madkit_capture *c, struct capture_bytes *b, struct madkit_packet *packet,
	      struct madkit_error *error);
int pcapng_next(struct madkit_capture *c, struct capture_bytes *b, struct madkit_packet *packet,
		struct madkit_error *error);

#endif
