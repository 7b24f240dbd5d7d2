/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Capture files: detects the format, and reads one record after the other. */
#include <errno.h>
#include "format/capture_int.h"
#include "util/array_size.h"

bool madkit_capture_begins(const uint8_t *bytes, size_t len)
{
	static const uint8_t magics[][4] = {
		{ 0xd4, 0xc3, 0xb2, 0xa1 }, { 0xa1, 0xb2, 0xc3, 0xd4 }, { 0x4d, 0x3c, 0xb2, 0xa1 },
		{ 0xa1, 0xb2, 0x3c, 0x4d }, { 0x0a, 0x0d, 0x0d, 0x0a },
	};

	for (size_t i = 0; i < ARRAY_SIZE(magics); i++)
		if (len >= 4 && !memcmp(bytes, magics[i], 4))
			return true;
	return false;
}

void madkit_capture_init(struct madkit_capture *c)
{
	memset(c, 0, sizeof(*c));
	madkit_buf_init(&c->interfaces, 1 << 24);
}

void madkit_capture_free(struct madkit_capture *c)
{
	if (c)
		madkit_buf_free(&c->interfaces);
}

/* Reads the header of the file. The header of pcapng is a block like others. */
static int capture_begin(struct madkit_capture *c, struct capture_bytes *b, struct madkit_error *error)
{
	enum { HEADER = 24 };
	const uint8_t *p = b->p;

	if (b->len < 4)
		return capture_short(b, "its header", b->len, HEADER, error);
	if (!madkit_capture_begins(p, b->len))
		return madkit_error_set(error, -EBADMSG, -1,
					"0x%02x%02x%02x%02x starts neither pcap nor pcapng", p[0], p[1], p[2],
					p[3]);
	c->ng = p[0] == 0x0a;
	if (c->ng) {
		c->begun = true;
		return CAPTURE_AGAIN;
	}
	if (b->len < HEADER)
		return capture_short(b, "its header", b->len, HEADER, error);
	c->big = p[0] == 0xa1;
	c->nanoseconds = (c->big ? p[3] : p[0]) == 0x4d ? 1 : 1000;
	if (capture_16(c, p + 4) != 2)
		return madkit_error_set(error, -EBADMSG, -1, "pcap of version %u.%u, which is not known",
					capture_16(c, p + 4), capture_16(c, p + 6));
	c->snapshot = capture_32(c, p + 16);
	/* the upper bits describe a checksum after the packets */
	c->link_type = (uint16_t)capture_32(c, p + 20);
	c->begun = true;
	b->done = HEADER;
	return CAPTURE_AGAIN;
}

/* Skips a block that is not needed, and checks the length after it. */
static int capture_skip(struct madkit_capture *c, struct capture_bytes *b, struct madkit_error *error)
{
	size_t have = b->len - b->done;
	uint32_t again;

	if (have < c->skip + 4) {
		size_t n = have < c->skip ? have : (size_t)c->skip;

		c->skip -= n;
		b->done += n;
		have = (size_t)(c->offset + b->len - c->block);
		return capture_short(b, "a block", have, c->trailer, error);
	}
	b->done += c->skip;
	c->skip = 0;
	again = capture_32(c, b->p + b->done);
	if (again != c->trailer)
		return madkit_error_set(error, -EBADMSG, -1, "a block of %u bytes says %u at its end",
					c->trailer, again);
	c->trailer = 0;
	b->done += 4;
	return CAPTURE_AGAIN;
}

int madkit_capture_next(struct madkit_capture *c, const uint8_t *bytes, size_t len, bool last, size_t *used,
			struct madkit_packet *packet, struct madkit_error *error)
{
	struct capture_bytes b = { .p = bytes, .len = len, .last = last };
	int ret = CAPTURE_AGAIN;

	while (ret == CAPTURE_AGAIN) {
		packet->offset = c->trailer ? c->block : c->offset + b.done;
		if (c->broken || (b.done == len && !c->trailer && (c->begun || len)))
			ret = 0;
		else if (!c->begun)
			ret = capture_begin(c, &b, error);
		else if (c->trailer)
			ret = capture_skip(c, &b, error);
		else if (c->ng)
			ret = pcapng_next(c, &b, packet, error);
		else
			ret = pcap_next(c, &b, packet, error);
	}
	if (ret < 0 && ret != -EPROTO)
		c->broken = true;
	*used = c->broken ? len : b.done;
	c->offset += *used;
	return ret;
}
