/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mads N: N MADs of 256 bytes to standard output, the same every time: a quarter each
 * NodeInfo, PortInfo, PortCounters and segments of a table of PathRecords, with values
 * that a fabric would have.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long long state = 0x6d6164;

static unsigned int random32(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned int)(state >> 16);
}

static void put16(unsigned char *p, unsigned int v)
{
	p[0] = (unsigned char)(v >> 8);
	p[1] = (unsigned char)v;
}

static void bench_mads_put32(unsigned char *p, unsigned int v)
{
	put16(p, v >> 16);
	put16(p + 2, v);
}

static void guid(unsigned char *p, unsigned int n)
{
	bench_mads_put32(p, 0x0002c903);
	bench_mads_put32(p + 4, n);
}

static void gid(unsigned char *p, unsigned int n)
{
	memset(p, 0, 8);
	p[0] = 0xfe;
	p[1] = 0x80;
	guid(p + 8, n);
}

static void bench_mads_header(unsigned char *mad, unsigned int class, unsigned int version,
			      unsigned int method, unsigned int attribute, unsigned int modifier,
			      unsigned int tid)
{
	memset(mad, 0, 256);
	mad[0] = 1;
	mad[1] = (unsigned char)class;
	mad[2] = (unsigned char)version;
	mad[3] = (unsigned char)method;
	bench_mads_put32(mad + 8, 0x1234);
	bench_mads_put32(mad + 12, tid);
	put16(mad + 16, attribute);
	bench_mads_put32(mad + 20, modifier);
}

static void bench_mads_node_info(unsigned char *mad, unsigned int tid)
{
	unsigned int n = random32() % 5000;

	bench_mads_header(mad, 0x01, 1, 0x81, 0x11, 0, tid);
	mad[64] = 1;
	mad[65] = 1;
	mad[66] = n % 5 ? 1 : 2;
	mad[67] = n % 5 ? 1 : 36;
	guid(mad + 68, n);
	guid(mad + 76, n);
	guid(mad + 84, n + 1);
	put16(mad + 92, 128);
	put16(mad + 94, 0x1003);
	bench_mads_put32(mad + 96, 0xa0);
	bench_mads_put32(mad + 100, 0x010002c9);
}

static void bench_mads_port_info(unsigned char *mad, unsigned int tid)
{
	static const unsigned char tail[] = {
		0x03, 0x03, 0x02, 0x74, 0x52, 0x00, 0x47, 0x44,
		0x40, 0x00, 0x08, 0x08, 0x04, 0x40, 0x40, 0x00,
	};
	unsigned int down = random32() % 8 == 0;

	bench_mads_header(mad, 0x01, 1, 0x81, 0x15, 1 + random32() % 36, tid);
	mad[72] = 0xfe;
	mad[73] = 0x80;
	put16(mad + 80, 1 + random32() % 48000);
	put16(mad + 82, 1);
	bench_mads_put32(mad + 84, 0x2651e848);
	mad[92] = 1;
	memcpy(mad + 93, tail, sizeof(tail));
	if (down) { /* Down, Polling, SDR */
		mad[96] = 0x71;
		mad[97] = 0x22;
		mad[99] = 0x17;
	}
	put16(mad + 108, random32() % 4);
	put16(mad + 110, random32() % 4);
	mad[114] = 8;
	mad[115] = 0x12;
	put16(mad + 118, 200);
	mad[126] = down ? 0x07 : 0x27;
	mad[127] = 0x07;
}

static void bench_mads_port_counters(unsigned char *mad, unsigned int tid)
{
	bench_mads_header(mad, 0x04, 1, 0x81, 0x12, 0, tid);
	mad[65] = (unsigned char)(1 + random32() % 36);
	put16(mad + 66, 0xffff);
	if (random32() % 8 == 0) {
		put16(mad + 68, random32() % 1000);
		mad[70] = (unsigned char)(random32() % 20);
		put16(mad + 72, random32() % 100);
	}
	for (int i = 0; i < 5; i++)
		bench_mads_put32(mad + 88 + 4 * i, random32() % (i < 2 ? 0xffffffffu : 40000000u));
}

/* Returns the byte at offset of an endless table of PathRecords. */
static unsigned char record_byte(unsigned int offset)
{
	static unsigned char record[64];
	static unsigned int current = ~0u;
	unsigned int n = offset / 64;

	if (n != current) {
		memset(record, 0, sizeof(record));
		gid(record + 8, n * 7 % 5000);
		gid(record + 24, n * 13 % 5000);
		put16(record + 40, 1 + n * 13 % 48000);
		put16(record + 42, 1 + n * 7 % 48000);
		record[49] = 0x80;
		put16(record + 50, 0xffff);
		record[54] = 0x84;
		record[55] = 0x86;
		record[56] = 0x92;
		current = n;
	}
	return record[offset % 64];
}

/* The segments of tables of 300 records, one after the other; a table has one transaction ID. */
static void path_segment(unsigned char *mad, unsigned int tid)
{
	enum { RECORDS = 300, BYTES = RECORDS * 64, SEGMENTS = (BYTES + 199) / 200 };
	static unsigned int segment, table;
	unsigned int begin = segment * 200, n = BYTES - begin < 200 ? BYTES - begin : 200;

	if (!segment)
		table = tid;
	bench_mads_header(mad, 0x03, 2, 0x92, 0x35, 0, table);
	mad[24] = 1;
	mad[25] = 1;
	mad[26] = (unsigned char)(31 << 3 | 1 | (segment ? 0 : 2) | (segment == SEGMENTS - 1 ? 4 : 0));
	bench_mads_put32(mad + 28, segment + 1);
	if (!segment)
		bench_mads_put32(mad + 32, BYTES + SEGMENTS * 20);
	else if (segment == SEGMENTS - 1)
		bench_mads_put32(mad + 32, n + 20);
	put16(mad + 44, 8);
	for (unsigned int i = 0; i < n; i++)
		mad[56 + i] = record_byte(begin + i);
	segment = (segment + 1) % SEGMENTS;
}

int main(int argc, char **argv)
{
	unsigned long n = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	unsigned char mad[256];

	if (!n) {
		fprintf(stderr, "usage: mads N\n");
		return 2;
	}
	for (unsigned long i = 0; i < n; i++) {
		switch (i % 4) {
		case 0:
			bench_mads_node_info(mad, (unsigned int)i);
			break;
		case 1:
			bench_mads_port_info(mad, (unsigned int)i);
			break;
		case 2:
			bench_mads_port_counters(mad, (unsigned int)i);
			break;
		default:
			path_segment(mad, (unsigned int)i);
		}
		if (fwrite(mad, sizeof(mad), 1, stdout) != 1)
			return 1;
	}
	return fflush(stdout) ? 1 : 0;
}
