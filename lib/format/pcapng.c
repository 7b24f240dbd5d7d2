/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads pcapng: a block has a type, a length, a body and the length again. A section header defines the byte
 * order of its section, and interfaces are numbered within a section (draft-ietf-opsawg-pcapng, sections 3
 * and 4).
 */
#include <errno.h>
#include "format/capture_int.h"

enum {
	BLOCK_SECTION = 0x0a0d0d0a,
	BLOCK_INTERFACE = 1,
	BLOCK_OBSOLETE = 2,
	BLOCK_SIMPLE = 3,
	BLOCK_ENHANCED = 6,
	OPTION_TSRESOL = 9,
	OPTION_TSOFFSET = 14,
	HEAD = 8, /* type and length */
	TAIL = 4, /* length again */
	BLOCK_MAX = CAPTURE_PACKET_MAX + 4096,
};

struct interface {
	int64_t offset; /* seconds to add */
	uint32_t snapshot;
	uint16_t link_type;
	uint8_t resolution; /* negative power of 10 or, if the top bit is set, of 2 */
};

struct block {
	uint32_t type, length;
	const uint8_t *body;
	size_t have;    /* bytes of the body: all, unless the file ends in it */
	size_t missing; /* missing bytes of the block */
};

static int pcapng_damaged(struct madkit_error *error, const char *what, uint32_t n)
{
	return madkit_error_set(error, -EBADMSG, -1, "%s %u bytes", what, n);
}

/* ---- times --------------------------------------------------------------------- */

static struct timespec pcapng_units(uint64_t t, const struct interface *i)
{
	unsigned int power = i->resolution & 0x7f;
	struct timespec time = { .tv_nsec = -1 };
	uint64_t second = 1, rest;

	if (i->resolution & 0x80) {
		if (power > 63)
			return time;
		rest = t & ((UINT64_C(1) << power) - 1);
		t >>= power;
		if (power > 32) { /* so that the product fits */
			rest >>= power - 32;
			power = 32;
		}
		rest = rest * 1000000000 >> power;
	} else {
		if (power > 19)
			return time;
		for (unsigned int n = 0; n < power; n++)
			second *= 10;
		rest = t % second;
		t /= second;
		for (; power < 9; power++)
			rest *= 10;
		for (; power > 9; power--)
			rest /= 10;
	}
	time.tv_sec = (time_t)(t + (uint64_t)i->offset);
	time.tv_nsec = (long)rest;
	return time;
}

/* ---- blocks -------------------------------------------------------------------- */

static int pcapng_section(struct madkit_capture *c, const struct block *b, struct madkit_error *error)
{
	uint16_t major;

	if (b->have < 16)
		return pcapng_damaged(error, "a section header of", b->length);
	major = capture_16(c, b->body + 4);
	if (major != 1)
		return madkit_error_set(error, -EBADMSG, -1, "pcapng of version %u, which is not known",
					major);
	madkit_buf_reset(&c->interfaces);
	return CAPTURE_AGAIN;
}

static int pcapng_interface(struct madkit_capture *c, const struct block *b, struct madkit_error *error)
{
	struct interface i = { .resolution = 6 };
	const uint8_t *p = b->body;
	size_t at = 8;

	if (b->have < 8)
		return pcapng_damaged(error, "an interface block of", b->length);
	i.link_type = capture_16(c, p);
	i.snapshot = capture_32(c, p + 4);
	while (b->have - at >= 4) {
		uint16_t code = capture_16(c, p + at);
		size_t n = capture_16(c, p + at + 2), all = (n + 3) & ~(size_t)3;

		at += 4;
		if (!code || n > b->have - at)
			break;
		if (code == OPTION_TSRESOL && n == 1)
			i.resolution = p[at];
		if (code == OPTION_TSOFFSET && n == 8) {
			uint64_t high = capture_32(c, p + at + (c->big ? 0 : 4));

			i.offset = (int64_t)(high << 32 | capture_32(c, p + at + (c->big ? 4 : 0)));
		}
		at += all < b->have - at ? all : b->have - at;
	}
	madkit_buf_add(&c->interfaces, &i, sizeof(i));
	if (c->interfaces.error)
		return madkit_error_set(error, -ENOMEM, -1, "too many interfaces");
	return CAPTURE_AGAIN;
}

/* Reads a packet block. Its header is at least 4 bytes. */
static int packet_block(struct madkit_capture *c, const struct block *b, struct madkit_packet *packet,
			struct madkit_error *error)
{
	const uint8_t *p = b->body;
	size_t head = b->type == BLOCK_SIMPLE ? 4 : 20, room, captured;
	uint32_t id = 0;
	struct interface i;

	room = b->length - HEAD - TAIL;
	if (room < head)
		return madkit_error_set(error, -EPROTO, -1, "a packet's block of %u bytes", b->length);
	if (b->have < head)
		return madkit_error_set(error, -ENODATA, -1,
					"the file ends within a packet's block: %zu of %u bytes",
					b->have + HEAD, b->length);
	room -= head;
	if (b->type == BLOCK_ENHANCED)
		id = capture_32(c, p);
	else if (b->type == BLOCK_OBSOLETE)
		id = capture_16(c, p);
	if (id >= c->interfaces.len / sizeof(i))
		return madkit_error_set(error, -EPROTO, -1,
					"a packet of interface %u, which the file does not describe", id);
	memcpy(&i, c->interfaces.data + id * sizeof(i), sizeof(i));
	packet->link_type = i.link_type;
	packet->time = (struct timespec){ .tv_nsec = -1 };
	if (b->type == BLOCK_SIMPLE) {
		packet->wire = captured = capture_32(c, p);
		if (i.snapshot && captured > i.snapshot)
			captured = i.snapshot;
		if (captured > room)
			captured = room;
	} else {
		packet->time = pcapng_units((uint64_t)capture_32(c, p + 4) << 32 | capture_32(c, p + 8), &i);
		captured = capture_32(c, p + 12);
		packet->wire = capture_32(c, p + 16);
	}
	if (captured > room)
		return madkit_error_set(error, -EPROTO, -1,
					"a packet of %zu bytes in a block with room for %zu", captured, room);
	packet->data = p + head;
	packet->len = b->have - head < captured ? b->have - head : captured;
	packet->missing = b->missing;
	return 1;
}

/* Reads type, length and byte order of the block at b->done. Returns 1, or the values of pcapng_next(). */
static int open_block(struct madkit_capture *c, const struct capture_bytes *b, struct block *block,
		      struct madkit_error *error)
{
	const uint8_t *p = b->p + b->done;
	size_t have = b->len - b->done;
	bool new_section;

	if (have < HEAD)
		return capture_short(b, "a block's header", have, HEAD, error);
	/* the same in either byte order */
	new_section = capture_32(c, p) == BLOCK_SECTION;
	if (new_section) {
		if (have < HEAD + 4)
			return capture_short(b, "a section's header", have, HEAD + 4, error);
		c->big = p[8] == 0x1a;
		if (capture_32(c, p + 8) != 0x1a2b3c4d)
			return madkit_error_set(error, -EBADMSG, -1,
						"0x%02x%02x%02x%02x is not a byte-order magic", p[8], p[9],
						p[10], p[11]);
	}
	block->type = capture_32(c, p);
	block->length = capture_32(c, p + 4);
	if (block->length < HEAD + TAIL || block->length % 4)
		return pcapng_damaged(error, "no block can have", block->length);
	block->body = p + HEAD;
	return 1;
}

int pcapng_next(struct madkit_capture *c, struct capture_bytes *b, struct madkit_packet *packet,
		struct madkit_error *error)
{
	struct block block = { .type = 0 };
	size_t have = b->len - b->done, there;
	int ret = open_block(c, b, &block, error);
	bool wanted, is_packet;

	if (ret <= 0)
		return ret;
	is_packet = block.type == BLOCK_ENHANCED || block.type == BLOCK_SIMPLE ||
		    block.type == BLOCK_OBSOLETE;
	wanted = is_packet || block.type == BLOCK_SECTION || block.type == BLOCK_INTERFACE;
	if (!wanted) {
		c->block = c->offset + b->done;
		b->done += HEAD;
		c->skip = block.length - HEAD - TAIL;
		c->trailer = block.length;
		return CAPTURE_AGAIN;
	}
	if (block.length > BLOCK_MAX)
		return pcapng_damaged(error, "a block claims", block.length);
	there = have < block.length ? have : block.length;
	if (there < block.length && (!is_packet || !b->last))
		return capture_short(b, "a block", have, block.length, error);
	block.missing = block.length - there;
	block.have = there - HEAD;
	if (block.have > block.length - HEAD - TAIL)
		block.have = block.length - HEAD - TAIL;
	if (!block.missing && capture_32(c, block.body + block.length - HEAD - TAIL) != block.length)
		return madkit_error_set(error, -EBADMSG, -1, "a block of %u bytes says %u at its end",
					block.length, capture_32(c, block.body + block.length - HEAD - TAIL));
	b->done += there;
	if (block.type == BLOCK_SECTION)
		return pcapng_section(c, &block, error);
	if (block.type == BLOCK_INTERFACE)
		return pcapng_interface(c, &block, error);
	return packet_block(c, &block, packet, error);
}
