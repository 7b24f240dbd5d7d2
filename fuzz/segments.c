/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * MADs in any order, segments of RMPP messages among them, to what reassembles those of a file
 * (src/madrecv/segments.c). Each MAD is shown by itself or kept, and a message that is shown has no more
 * bytes than the MADs that were kept.
 */
#define _GNU_SOURCE /* memfd_create() */
#include <string.h>
#include <madkit/mad.h>
#include <madkit/rmpp.h>
#include "fuzz/file.h"
#include "fuzz/input.h"
#include "madrecv/segments.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct madkit_addr ends[] = { { .lid = 1, .qp = 1 }, { .lid = 2, .qp = 1 } };

/* A segment of an SA table or, rarely, any bytes; small numbers make messages come about. */
static void fuzz_segments_make_mad(struct input *in, uint8_t mad[MADKIT_FRAME_BYTES], uint64_t number)
{
	static const uint8_t flags[] = { 1, 3, 5, 7, 0x0b };
	uint8_t shape = byte(in);

	memset(mad, 0, MADKIT_FRAME_BYTES);
	mad[0] = shape & 0x80 ? MADKIT_BASE_VERSION_OPA : MADKIT_BASE_VERSION_IB;
	mad[1] = shape & 0x40 ? 0x04 : MADKIT_CLASS_SA;
	mad[2] = 2;
	mad[3] = 0x92;
	mad[15] = shape & 3;
	mad[16 + 1] = shape >> 2 & 1;
	madkit_rmpp_set_version(mad, MADKIT_RMPP_VERSION);
	madkit_rmpp_set_type(mad, shape & 0x20 ? byte(in) : MADKIT_RMPP_DATA);
	madkit_rmpp_set_flags(mad, shape & 0x10 ? byte(in) : flags[byte(in) % 5]);
	madkit_rmpp_set_segment(mad, number % 3 ? byte(in) & 7 : word(in));
	madkit_rmpp_set_length(mad, shape & 8 ? word(in) : byte(in) * 8u);
	for (int i = 0; i < 8; i++)
		mad[56 + i] = (uint8_t)number;
}

static size_t take_shown(struct segments *s, int (*next)(struct segments *, struct mad_piece *))
{
	volatile uint8_t sum = 0;
	struct mad_piece piece;
	size_t bytes = 0;

	while (next(s, &piece)) {
		for (size_t i = 0; i < piece.len; i++)
			sum = (uint8_t)(sum + piece.mad[i]);
		if (!piece.mad || piece.len < MADKIT_HEADER_BYTES || piece.want != piece.len)
			fuzz_die("not a valid message");
		if (!piece.source != !piece.destination)
			fuzz_die("one address of two");
		bytes += piece.len;
	}
	return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	bool addresses = byte(&in) & 1;
	struct segments segments = { .receiver = NULL };
	size_t kept = 0, shown = 0;

	for (uint64_t number = 0; in.left && number < 3000; number++) {
		/* exactly as large, so that a sanitizer sees each byte behind */
		uint8_t frame[MADKIT_FRAME_BYTES], cut, *mad;
		struct mad_piece piece = { .offset = number, .time = { .tv_nsec = -1 } };
		int ret;

		fuzz_segments_make_mad(&in, frame, number);
		cut = byte(&in);
		/* the same bytes as another one: sent again */
		if (cut & 0x20)
			memset(frame + 56, 0, 8);
		piece.want = madkit_mad_bytes(frame[0]);
		piece.len = cut < 0xf0 ? piece.want : (cut & 0x0f) * 4u + 1;
		mad = malloc(piece.len);
		if (!mad)
			abort();
		memcpy(mad, frame, piece.len);
		piece.mad = mad;
		if (addresses) {
			piece.source = &ends[cut & 1];
			piece.destination = &ends[!(cut & 1)];
			piece.time = (struct timespec){ .tv_sec = (time_t)number };
		}
		ret = segments_add(&segments, &piece);
		if (ret < 0 || ret > 1)
			fuzz_die("neither kept nor shown");
		kept += ret ? piece.len : 0;
		free(mad);
		shown += take_shown(&segments, segments_next);
	}
	shown += take_shown(&segments, segments_end);
	segments_free(&segments);
	if (shown > kept)
		fuzz_die("more bytes are shown than were kept");
	return 0;
}
