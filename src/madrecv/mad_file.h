/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads MADs from files: raw bytes, hex as text, or captures. */
#ifndef SRC_MAD_FILE_H
#define SRC_MAD_FILE_H

#include <madkit/capture.h>
#include "hex_text.h"
#include "cli/input.h"
#include "mad_piece.h"
#include "segments.h"

enum mad_file_kind {
	MAD_FILE_UNKNOWN, /* too few bytes have been read */
	MAD_FILE_RAW,
	MAD_FILE_HEX,
	MAD_FILE_CAPTURE,
	MAD_FILE_COMPRESSED,
};

struct mad_file {
	struct input in;
	enum mad_file_kind kind;
	bool ended;      /* the rest of the file cannot be read */
	uint64_t offset; /* raw and hex: offset of the next MAD in bytes */
	struct hex_text hex;
	struct madkit_capture capture;
	struct madkit_packet_mad packet_mad;
	struct segments segments;
	uint64_t packets;     /* capture: number of packets so far */
	uint64_t skipped;     /* capture: packets without a MAD */
	uint64_t reported[4]; /* capture: a bit for each unsupported link type that was reported */
	char trouble[320];
};

/* Takes ownership of the descriptor. Reads nothing yet. */
void mad_file_open(struct mad_file *file, int fd);
void mad_file_close(struct mad_file *file);

/*
 * Returns the next piece. Does not read, so that the caller can write its output before it waits. The pieces do not
 * depend on the number of bytes that each read returned. Returns 1 with *piece; 0 at the end; -EAGAIN if
 * mad_file_read() must be called first; -ENOMEM.
 */
int mad_file_next(struct mad_file *file, struct mad_piece *piece);

/* Reads more. Returns 0 (also at the end of the file), -EINTR after a signal, or -errno. */
int mad_file_read(struct mad_file *file);

#endif
