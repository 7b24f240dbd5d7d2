/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads a file as madrecv -r does (src/madrecv/mad_file.h), in reads of chosen sizes. */
#ifndef TESTS_PIECES_H
#define TESTS_PIECES_H

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "madrecv/mad_file.h"

/* The capacity of a pipe. */
#define PIECES_CHUNK_MAX ((size_t)65536)
/* A line with '*' repeats bytes; more than these are not compared. */
#define PIECES_BYTES_MAX ((size_t)1 << 22)

/* How many bytes the next read returns, 1 or more. */
typedef size_t (*pieces_size)(void *context);

static inline size_t pieces_whole(void *context)
{
	(void)context;
	return PIECES_CHUNK_MAX;
}

static inline void pieces_address(struct madkit_buf *out, const struct madkit_addr *address)
{
	char text[MADKIT_ADDR_TEXT_MAX];

	if (address)
		madkit_buf_printf(out, " %s", madkit_addr_text(address, text));
}

/* One line a piece. The sum includes each byte, so a sanitizer sees them read. */
static inline void pieces_print(struct madkit_buf *out, const struct mad_piece *piece)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; piece->mad && i < piece->len; i++)
		sum = (sum ^ piece->mad[i]) * UINT64_C(0x100000001b3);
	madkit_buf_printf(out, "%" PRIu64 "+%zu/%zu%s%s %lld.%ld %016" PRIx64, piece->offset, piece->len,
			  piece->want, piece->lost ? " lost" : "", piece->partial ? " partial" : "",
			  (long long)piece->time.tv_sec, piece->time.tv_nsec, sum);
	pieces_address(out, piece->source);
	pieces_address(out, piece->destination);
	madkit_buf_printf(out, " %s\n", piece->trouble ? piece->trouble : "");
}

/* The pieces of the file as text that the caller frees with madkit_buf_free(). */
static inline struct madkit_buf pieces_read(const uint8_t *data, size_t size, pieces_size chunk,
					    void *context)
{
	struct madkit_buf out;
	struct mad_piece piece;
	struct mad_file file;
	size_t shown = 0;
	int fds[2], ret = -1;

	madkit_buf_init(&out, 0);
	if (pipe(fds))
		abort();
	mad_file_open(&file, fds[0]);
	while (shown < PIECES_BYTES_MAX && (ret = mad_file_next(&file, &piece))) {
		if (ret > 0) {
			shown += piece.len;
			pieces_print(&out, &piece);
		} else if (ret == -EAGAIN && size) {
			size_t n = chunk(context);

			n = n < size ? n : size;
			n = n < PIECES_CHUNK_MAX ? n : PIECES_CHUNK_MAX;
			if (write(fds[1], data, n) != (ssize_t)n || mad_file_read(&file))
				abort();
			data += n;
			size -= n;
		} else if (ret == -EAGAIN && fds[1] >= 0) {
			close(fds[1]);
			fds[1] = -1;
			if (mad_file_read(&file))
				abort();
		} else {
			abort();
		}
	}
	/* why, and how much was skipped */
	madkit_buf_printf(&out, "end: %d, %" PRIu64 " packets, %" PRIu64 " skipped\n", ret, file.packets,
			  file.skipped);
	mad_file_close(&file);
	if (fds[1] >= 0)
		close(fds[1]);
	return out;
}

#endif
