/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The "SMP dump" of opensm.log (opensm -D 0x20): the header of a directed-route SMP, one field per line, then the
 * paths, then the data as hex. For a LID-routed SMP, such as a trap, opensm prints no data: its header is recognised
 * and skipped.
 */
#ifndef SRC_OPENSM_SMP_H
#define SRC_OPENSM_SMP_H

#include <stdbool.h>
#include <stdint.h>
#include <madkit/buf.h>
#include <madkit/mad.h>
#include "text_line.h"

struct opensm_smp {
	bool open;     /* the latest line belongs to a header */
	bool complete; /* the header is complete: mad has everything except the data, which may follow */
	uint32_t have; /* a bit for each line that was read */
	bool dumped;   /* the current dump is the data of this SMP */
	size_t data;   /* bytes of the data that have not been read yet */
	uint8_t mad[MADKIT_MAD_BYTES];
};

/* Parses a line of a header into smp. Returns false if the line does not belong to one. */
bool opensm_smp_line(struct opensm_smp *smp, const struct text_line *l);

/* Appends the header to bytes; the data follows. Returns the length of the header. */
size_t opensm_smp_begin(struct opensm_smp *smp, struct madkit_buf *bytes);

/* Counts n bytes of data as read; n is at most smp->data. After the last of them, appends the paths to bytes. */
void opensm_smp_continue(struct opensm_smp *smp, size_t row, struct madkit_buf *bytes);

#endif
