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
#include "hex_line.h"

struct opensm_smp {
	bool open;     /* the latest line was one of a header */
	bool complete; /* the header is whole: mad has all but the data, which may follow */
	uint32_t have; /* a bit for each line that was read */
	size_t data;   /* how many bytes of its data still have to follow */
	uint8_t mad[MADKIT_MAD_BYTES];
};

/* Whether the line is one of a header, which is read into smp. */
bool opensm_smp_line(struct opensm_smp *smp, const struct hex_line *l);

/* The data follow: appends the header to bytes. Returns its length. */
size_t opensm_smp_begin(struct opensm_smp *smp, struct madkit_buf *bytes);

/* A row of the data was read. True: it was the last one, and the paths are appended to bytes. */
bool opensm_smp_continue(struct opensm_smp *smp, size_t row, struct madkit_buf *bytes);

#endif
