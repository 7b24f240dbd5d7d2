/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* lib/util/bits.h against bit-at-a-time reading and writing. */
#include <stdlib.h>
#include "tests/tap.h"
#include "util/bits.h"

static uint64_t slow_get(const uint8_t *p, unsigned int offset, unsigned int width)
{
	uint64_t v = 0;

	for (unsigned int i = offset; i < offset + width; i++)
		v = v << 1 | ((p[i / 8] >> (7 - i % 8)) & 1);
	return v;
}

int main(void)
{
	uint8_t buf[24], copy[24];
	unsigned int bad_get = 0, bad_put = 0, bad_rest = 0;

	srandom(1);
	for (unsigned int offset = 0; offset < 64; offset++) {
		for (unsigned int width = 1; width <= 64; width++) {
			for (size_t i = 0; i < sizeof(buf); i++)
				buf[i] = (uint8_t)random();
			bad_get += bits_get(buf, offset, width) != slow_get(buf, offset, width);
			uint64_t v =
				((uint64_t)random() << 33 ^ (uint64_t)random() << 11 ^ (uint64_t)random()) &
				bits_mask(width);
			memcpy(copy, buf, sizeof(buf));
			bits_put(buf, offset, width, v);
			bad_put += slow_get(buf, offset, width) != v;
			for (unsigned int i = 0; i < 8 * sizeof(buf); i++)
				if (i < offset || i >= offset + width)
					bad_rest += slow_get(buf, i, 1) != slow_get(copy, i, 1);
		}
	}
	is_u64(bad_get, 0, "get equals a bit-at-a-time reading at each offset and width");
	is_u64(bad_put, 0, "put is get's inverse");
	is_u64(bad_rest, 0, "put leaves the other bits alone");
	return tap_done();
}
