/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * dump FILE: raw MADs of 256 bytes as libibmad's mad_dump_* functions print them. It has
 * none for PathRecords: of each record of a table the six fields that it knows are
 * decoded and printed one by one. madrecv shows them with all their fields.
 */
#include <stdio.h>
#include <string.h>
#include <infiniband/mad.h>
#include "util/array_size.h"

static void bench_dump_path_record(char *buf, int size, void *data)
{
	static const enum MAD_FIELDS fields[] = {
		IB_SA_PR_DGID_F, IB_SA_PR_SGID_F,  IB_SA_PR_DLID_F,
		IB_SA_PR_SLID_F, IB_SA_PR_NPATH_F, IB_SA_PR_SL_F,
	};
	char *p = buf;

	*p = 0;
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		char value[64] = { 0 };

		mad_decode_field(data, fields[i], value);
		mad_dump_field(fields[i], p, size - (int)(p - buf), value);
		p += strlen(p);
		*p++ = '\n';
		*p = 0;
	}
}

#define RECORD  64
#define SEGMENT 200

/* Shows the records that a segment completes; the rest of an incomplete record is kept in carry. */
static void path_records(char *text, int size, const unsigned char *mad)
{
	static unsigned char carry[RECORD + SEGMENT];
	static size_t have;
	size_t done = 0;

	if (mad[26] & 2)
		have = 0;
	memcpy(carry + have, mad + 56, SEGMENT);
	have += SEGMENT;
	for (; have - done >= RECORD; done += RECORD) {
		bench_dump_path_record(text, size, carry + done);
		fputs(text, stdout);
	}
	have -= done;
	memmove(carry, carry + done, have);
}

int main(int argc, char **argv)
{
	FILE *in = argc == 2 ? fopen(argv[1], "r") : NULL;
	unsigned char mad[256];
	char text[4096];

	if (!in) {
		fprintf(stderr, "usage: dump FILE\n");
		return 2;
	}
	while (fread(mad, sizeof(mad), 1, in) == 1) {
		if (mad[1] == 3) {
			path_records(text, sizeof(text), mad);
			continue;
		}
		if (mad[1] == 4)
			mad_dump_perfcounters(text, sizeof(text), mad + 64, 64);
		else if (mad[17] == 0x11)
			mad_dump_nodeinfo(text, sizeof(text), mad + 64, 64);
		else
			mad_dump_portinfo(text, sizeof(text), mad + 64, 64);
		fputs(text, stdout);
	}
	fclose(in);
	return fflush(stdout) ? 1 : 0;
}
