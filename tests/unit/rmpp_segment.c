/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Messages and their segments: their number, content, and PayloadLength. */
#include <errno.h>
#include <sys/mman.h>
#include "tests/tap.h"
#include "tests/unit/rmpp_ends.h"
#include "util/array_size.h"

/* class, where its data begins, data bytes in a MAD */
static const struct {
	uint8_t class;
	size_t offset, room;
} classes[] = {
	{ SA, 56, 200 },     { DEVMGT, 64, 192 }, { 0x10, 64, 192 }, { 0x12, 64, 192 },
	{ VENDOR, 40, 216 }, { 0x30, 40, 216 },   { 0x4f, 40, 216 },
};

/* Every segment of a message, by the rules written out anew. */
static bool is_right(uint8_t class, size_t offset, size_t room, size_t n, size_t mad_bytes)
{
	struct madkit_rmpp_segments s;
	uint8_t mad[2048], *message, *data;
	size_t len, count = n ? (n + room - 1) / room : 1, sum = 0;
	bool good;

	message = new_message(class, SET, 7, n, &len);
	message[0] = mad_bytes == 256 ? 1 : 0x80;
	data = message + offset;
	good = !madkit_rmpp_segments_init(&s, message, len) && s.count == count && s.offset == offset &&
	       s.room == room && s.mad_bytes == mad_bytes;
	for (size_t k = 1; good && k <= count; k++) {
		size_t part = k == count ? n - (count - 1) * room : room;
		uint32_t payload = 0;
		uint8_t flags = ACTIVE;

		if (k == count) {
			flags |= LAST;
			payload = (uint32_t)(part + offset - 36);
		}
		if (k == 1) {
			flags |= FIRST;
			payload = (uint32_t)(n + count * (offset - 36));
		}
		memset(mad, 0xee, sizeof(mad));
		good = !madkit_rmpp_segments_make(&s, (uint32_t)k, mad) && !memcmp(mad, message, 24) &&
		       mad[24] == 1 && mad[25] == DATA && mad[26] == flags && mad[27] == 0 &&
		       get32(mad + 28) == k && get32(mad + 32) == payload &&
		       !memcmp(mad + 36, message + 36, offset - 36) &&
		       !memcmp(mad + offset, data + sum, part);
		for (size_t i = offset + part; good && i < mad_bytes; i++)
			good = !mad[i];
		if (mad_bytes < sizeof(mad))
			good &= mad[mad_bytes] == 0xee;
		sum += part;
	}
	free(message);
	return good && sum == n;
}

static void rmpp_segment_sizes(void)
{
	for (size_t c = 0; c < ARRAY_SIZE(classes); c++) {
		size_t room = classes[c].room;
		bool good = true;

		for (size_t n = 0; n <= 3 * room + 2; n++)
			good &= is_right(classes[c].class, classes[c].offset, room, n, 256);
		ok(good, "class 0x%02x: 0 to %zu bytes", classes[c].class, 3 * room + 2);
		good = is_right(classes[c].class, classes[c].offset, room, 1000 * room - 1, 256) &&
		       is_right(classes[c].class, classes[c].offset, room, 1000 * room, 256) &&
		       is_right(classes[c].class, classes[c].offset, room, 1000 * room + 1, 256);
		ok(good, "class 0x%02x: 1000 segments, and one byte less or more", classes[c].class);
		room = 2048 - classes[c].offset;
		good = is_right(classes[c].class, classes[c].offset, room, 0, 2048) &&
		       is_right(classes[c].class, classes[c].offset, room, room, 2048) &&
		       is_right(classes[c].class, classes[c].offset, room, 5 * room + 1, 2048);
		ok(good, "class 0x%02x: base version 0x80", classes[c].class);
	}
}

static void kernel(void)
{
	struct madkit_rmpp_segments s;
	size_t len;
	uint8_t *message = new_message(VENDOR, SET, 1, 10000, &len);

	is_int(madkit_rmpp_segments_init(&s, message, len), 0, "10000 bytes of a vendor's class");
	is_u64(s.count, 47, "47 segments");
	is_u64(s.total, 10188, "the PayloadLength that the kernel sends for them");
	free(message);
}

/* No page of the message is ever written, so that none is there. */
static void huge(void)
{
	static const struct {
		uint64_t data, count, total;
	} rows[] = {
		{ UINT64_C(0x7fffffff), 10737419, UINT64_C(0x7fffffff) + UINT64_C(10737419) * 20 },
		{ UINT64_C(0x80000000), 10737419, UINT64_C(0x80000000) + UINT64_C(10737419) * 20 },
		{ UINT64_C(0x80000001), 10737419, UINT64_C(0x80000001) + UINT64_C(10737419) * 20 },
		/* the largest with a sum of 32 bits, and the next */
		{ UINT64_C(3904515715), 19522579, UINT64_C(0xffffffff) },
		{ UINT64_C(3904515716), 19522579, 0 },
		{ UINT64_C(0xffffffff), 21474837, 0 },
	};
	/* With 32-bit pointers only the headers are mapped, and no segments are made. */
	bool whole = SIZE_MAX > UINT32_MAX;
	size_t room = whole ? (size_t)(UINT64_C(1) << 33) : 4096;
	uint8_t *message =
		mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct madkit_rmpp_segments s;
	uint8_t mad[256];

	if (message == MAP_FAILED) {
		ok(true, "2^31 and more # SKIP no address space");
		return;
	}
	put_head(message, SA, SET, 1);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t rest = rows[i].data - (rows[i].count - 1) * 200;

		if (56 + rows[i].data > SIZE_MAX) {
			is_int(madkit_rmpp_segments_init(&s, message, 56 + rows[i].data), -EMSGSIZE,
			       "B17: %" PRIu64 " bytes are more than a pointer can address", rows[i].data);
			continue;
		}
		is_int(madkit_rmpp_segments_init(&s, message, 56 + rows[i].data), 0, "%" PRIu64 " bytes",
		       rows[i].data);
		is_u64(s.count, rows[i].count, "... are so many segments");
		is_u64(s.total, rows[i].total, "... PayloadLength of the first");
		if (!whole)
			continue;
		madkit_rmpp_segments_make(&s, s.count, mad);
		is_u64(get32(mad + 32), rest + 20, "... of the last");
		is_u64(get32(mad + 28), rows[i].count, "... and its number");
	}
	if (whole) {
		is_int(madkit_rmpp_segments_init(&s, message, 56 + UINT64_C(0xffffffff) * 200), 0,
		       "2^32 - 1 segments");
		is_u64(s.count, 0xffffffff, "... are counted");
	}
	is_int(madkit_rmpp_segments_init(&s, message, 57 + UINT64_C(0xffffffff) * 200), -EMSGSIZE,
	       "... one byte more is refused");
	munmap(message, room);
}

static void rmpp_segment_refused(void)
{
	struct madkit_rmpp_segments s;
	uint8_t mad[256], message[256] = { 0 };

	put_head(message, SA, SET, 1);
	is_int(madkit_rmpp_segments_init(&s, message, 55), -EINVAL, "cut headers");
	is_int(madkit_rmpp_segments_init(&s, message, 35), -EINVAL, "no RMPP header");
	is_int(madkit_rmpp_segments_init(&s, message, 56), 0, "headers alone");
	is_int(madkit_rmpp_segments_make(&s, 0, mad), -EINVAL, "segment 0");
	is_int(madkit_rmpp_segments_make(&s, 2, mad), -EINVAL, "behind the last");
	message[1] = 4;
	is_int(madkit_rmpp_segments_init(&s, message, 100), -EINVAL, "a class without RMPP");
}

int main(void)
{
	rmpp_segment_sizes();
	kernel();
	huge();
	rmpp_segment_refused();
	return tap_done();
}
