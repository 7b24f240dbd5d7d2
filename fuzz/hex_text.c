/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Hex text and dumps, by the bytes that are taken of them at once: a byte, a MAD, or all that a
 * look-ahead wants. The bytes and the message do not depend on the sizes of reads.
 */
#define _GNU_SOURCE /* memfd_create() */
#include <errno.h>
#include <string.h>
#include "fuzz/file.h"
#include "madrecv/hex_text.h"
#include "util/array_size.h"

#define TAKEN_MAX ((size_t)1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct result {
	uint64_t sum;
	size_t bytes;
	char trouble[160];
};

/* Takes want bytes at a time; reads return step bytes. */
static struct result fuzz_hex_text_take_all(const uint8_t *data, size_t size, size_t want, size_t step)
{
	struct result result = { .sum = UINT64_C(0xcbf29ce484222325) };
	struct input in;
	struct hex_text t;
	int ret = 0;

	input_init(&in, -1);
	hex_text_init(&t);
	while (result.bytes < TAKEN_MAX) {
		size_t n = step < size ? step : size, have;

		ret = hex_text_need(&t, &in, want);
		if (ret == -EAGAIN) {
			/* as input_read() does */
			if (in.used) {
				memmove(in.buf.data, input_bytes(&in), input_have(&in));
				in.buf.len -= in.used;
				in.used = 0;
			}
			if (in.eof)
				fuzz_die("more than all of it is needed");
			madkit_buf_add(&in.buf, data, n);
			in.eof = !n;
			data += n;
			size -= n;
			continue;
		}
		have = hex_text_have(&t);
		if (!have)
			break;
		have = have < want ? have : want;
		for (size_t i = 0; i < have; i++)
			result.sum = (result.sum ^ hex_text_bytes(&t)[i]) * UINT64_C(0x100000001b3);
		t.dump.used += have;
		result.bytes += have;
	}
	memcpy(result.trouble, t.error ? t.trouble : "", t.error ? sizeof(t.trouble) : 1);
	hex_text_free(&t);
	input_close(&in);
	return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const size_t wants[] = { 1, 7, 24, 256, 4096 };

	for (size_t i = 0; i < ARRAY_SIZE(wants); i++) {
		struct result whole = fuzz_hex_text_take_all(data, size, wants[i], size + 1);
		struct result parts = fuzz_hex_text_take_all(data, size, wants[i], i % 3 * 8 + 1);

		if (whole.sum != parts.sum || whole.bytes != parts.bytes ||
		    strcmp(whole.trouble, parts.trouble) != 0)
			fuzz_die("the bytes depend on the sizes of reads");
	}
	return 0;
}
