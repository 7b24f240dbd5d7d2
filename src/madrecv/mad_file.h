/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* MADs in files: raw bytes, hex as text, or captures. */
#ifndef SRC_MAD_FILE_H
#define SRC_MAD_FILE_H

#include <madkit/capture.h>
#include "hex_text.h"
#include "cli/input.h"
#include "mad_piece.h"
#include "segments.h"

enum mad_file_kind {
	MAD_FILE_UNKNOWN, /* too little has been read */
	MAD_FILE_RAW,
	MAD_FILE_HEX,
	MAD_FILE_CAPTURE,
	MAD_FILE_COMPRESSED,
};

struct mad_file {
	struct input in;
	enum mad_file_kind kind;
	bool ended;      /* what follows cannot be read */
	uint64_t offset; /* raw, hex: of the next MAD in the bytes */
	struct hex_text hex;
	struct madkit_capture capture;
	struct madkit_packet_mad packet_mad;
	struct segments segments;
	uint64_t packets; /* capture: so far */
	uint64_t skipped; /* ... of them without a MAD */
	uint64_t told[4]; /* link types that were complained of: a bit each */
	char trouble[320];
};

/* Takes the descriptor. Reads nothing yet. */
void mad_file_open(struct mad_file *file, int fd);
void mad_file_close(struct mad_file *file);

/*
 * The next piece. Does not read, so that the caller can write its output before it waits.
 * The pieces do not depend on how many bytes each read returned.
 * 1 with *piece; 0 at the end; -EAGAIN: mad_file_read() has to be called first; -ENOMEM.
 */
int mad_file_next(struct mad_file *file, struct mad_piece *piece);

/* Reads more. 0 (also at the end of the file), -EINTR: a signal came, -errno. */
int mad_file_read(struct mad_file *file);

#endif
