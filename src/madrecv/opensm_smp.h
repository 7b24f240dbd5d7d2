/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The "SMP dump" of opensm.log (opensm -D 0x20): the header of a directed-route SMP as one line a field, the paths,
 * and then its data as hex. Of a LID-routed SMP, such as a trap, opensm prints no data: its header is recognised and
 * skipped.
 */
#ifndef SRC_OPENSM_SMP_H
#define SRC_OPENSM_SMP_H

#include <stdbool.h>
#include <stdint.h>
#include <madkit/buf.h>
#include <madkit/mad.h>
#include "text_line.h"

struct opensm_smp {
	bool open;     /* the latest line was one of a header */
	bool complete; /* the header is whole: mad has all but the data, which may follow */
	uint32_t have; /* a bit for each line that was read */
	bool dumped;   /* the current dump is its data */
	size_t data;   /* the bytes of its data that have not been read yet */
	uint8_t mad[MADKIT_MAD_BYTES];
};

/* Whether the line is one of a header, which is read into smp. */
bool opensm_smp_line(struct opensm_smp *smp, const struct text_line *l);

/* The data follows: appends the header to bytes. Returns its length. */
size_t opensm_smp_begin(struct opensm_smp *smp, struct madkit_buf *bytes);

/* So many bytes of the data, at most smp->data, were read. Appends the paths to bytes after the last of them. */
void opensm_smp_continue(struct opensm_smp *smp, size_t row, struct madkit_buf *bytes);

#endif
