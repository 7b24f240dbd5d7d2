/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* MADs in files: raw bytes, or hex as text. */
#ifndef SRC_MAD_FILE_H
#define SRC_MAD_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/buf.h>

struct mad_file {
	int fd;
	bool hex;
	bool eof;
	int error;		/* -errno of reading; -EINVAL of hex text */
	struct madkit_buf in;	/* read and not used: bytes, or text */
	size_t in_used;
	struct madkit_buf mads;	/* hex: the bytes of it */
	size_t mads_used;
	uint64_t offset;	/* of the next MAD in the (decoded) bytes */
	uint64_t line;		/* hex: the one being read */
	char trouble[128];	/* hex: what cannot be read */
};

/* One MAD, or what there is of it. Valid until the next call. */
struct mad_piece {
	const uint8_t *mad;
	size_t len;
	size_t want;		/* how long it should be: more than len: cut */
	uint64_t offset;
	bool lost;		/* no base version: where it ends is not known */
};

/* Takes the descriptor and looks at the beginning to see what it is. 0 or
 * -errno. */
int mad_file_open(struct mad_file *file, int fd);
void mad_file_close(struct mad_file *file);

/* Whether it begins as a capture does: pcap, in either order of bytes and either
 * unit of time, or pcapng. */
bool mad_file_is_capture(const struct mad_file *f);

/* Whether the next piece is there without reading: if not, a reader that has
 * lines to write does so first. */
bool mad_file_ready(const struct mad_file *file);

/* 1 a piece, 0 the end, -errno: reading failed, or (-EINVAL) the text is no
 * hex from there on: trouble says where. -EINTR: a signal came. */
int mad_file_next(struct mad_file *file, struct mad_piece *piece);

#endif
