/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Files as madrecv -r reads them: raw MADs, hex text, captures, and the messages in their
 * segments. The pieces do not depend on how many bytes each read returns.
 */
#define _GNU_SOURCE /* memfd_create() */
#include "fuzz/file.h"
#include "tests/pieces.h"
#include "util/array_size.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct reads {
	uint64_t state;
	size_t most;
};

static size_t next_size(void *context)
{
	struct reads *r = context;

	r->state = r->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return 1 + (r->state >> 33) % r->most;
}

/* Sizes depend on the bytes alone, so that a find is one file. */
static struct reads choose_sizes(const uint8_t *data, size_t size)
{
	static const size_t most[] = { 1, 3, 16, 40, 300, 2500 };
	struct reads r = { .state = size };

	for (size_t i = 0; i < size; i++)
		r.state = (r.state ^ data[i]) * UINT64_C(0x100000001b3);
	r.most = most[(r.state >> 20) % ARRAY_SIZE(most)];
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct reads reads = choose_sizes(data, size);
	struct madkit_buf whole = pieces_read(data, size, pieces_whole, NULL);
	struct madkit_buf parts = pieces_read(data, size, next_size, &reads);

	if (whole.len != parts.len || memcmp(whole.data, parts.data, whole.len)) {
		fprintf(stderr, "in one read:\n%.*s\nin reads of up to %zu:\n%.*s\n", (int)whole.len,
			whole.data, reads.most, (int)parts.len, parts.data);
		fuzz_die("the pieces depend on the sizes of reads");
	}
	madkit_buf_free(&whole);
	madkit_buf_free(&parts);
	return 0;
}
