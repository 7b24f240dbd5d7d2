/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by tests of RMPP: counted memory, messages, and packets written by hand, at the offsets of IBA
 * volume 1, section 13.6.2. */
#ifndef TESTS_UNIT_RMPP_ENDS_H
#define TESTS_UNIT_RMPP_ENDS_H

#include <stdlib.h>
#include <string.h>
#include <madkit/mad.h>
#include <madkit/rmpp_transfer.h>

#define SECOND UINT64_C(1000000000)
#define UNUSED __attribute__((unused))

enum { SA = 3, VENDOR = 0x32, DEVMGT = 6, SET = 2, GET_TABLE = 0x12, RESPONSE = 0x80 };
enum { DATA = 1, ACK = 2, STOP = 3, ABORT = 4, ACTIVE = 1, FIRST = 2, LAST = 4 };

struct counted {
	size_t now, peak;
	size_t limit; /* 0: none */
};

static UNUSED void *counted_resize(void *context, void *old, size_t old_size, size_t size)
{
	struct counted *c = context;
	void *p;

	if (c->limit && c->now - old_size + size > c->limit && size > old_size)
		return NULL;
	if (size) {
		p = realloc(old, size);
		if (!p)
			abort();
	} else {
		free(old);
		p = NULL;
	}
	c->now += size - old_size;
	if (c->now > c->peak)
		c->peak = c->now;
	return p;
}

static UNUSED void put32(uint8_t *p, uint32_t v)
{
	for (int i = 3; i >= 0; i--, v >>= 8)
		p[i] = (uint8_t)v;
}

static UNUSED uint32_t get32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Where the data of a class begins. */
static UNUSED size_t data_offset(uint8_t class)
{
	return class == SA ? 56 : class >= 0x30 && class <= 0x4f ? 40 : 64;
}

/* The headers of a MAD. */
static UNUSED void put_head(uint8_t *mad, uint8_t class, uint8_t method, uint32_t tid)
{
	memset(mad, 0, 64);
	mad[0] = 1;
	mad[1] = class;
	mad[2] = class == SA ? 2 : 1;
	mad[3] = method;
	put32(mad + 12, tid);
	mad[17] = 0x35;
	memset(mad + 36, 0xc1, data_offset(class) - 36);
}

static UNUSED void put_rmpp(uint8_t *mad, uint8_t type, uint8_t flags, uint8_t status, uint32_t segment,
			    uint32_t length)
{
	mad[24] = 1;
	mad[25] = type;
	mad[26] = (uint8_t)(31 << 3 | flags);
	mad[27] = status;
	put32(mad + 28, segment);
	put32(mad + 32, length);
}

/* Bytes that are another at every place. */
static UNUSED uint8_t byte_at(uint64_t i)
{
	return (uint8_t)((i * UINT64_C(0x9e3779b97f4a7c15)) >> 56);
}

/* A message of headers and n bytes of data. */
static UNUSED uint8_t *new_message(uint8_t class, uint8_t method, uint32_t tid, size_t n, size_t *len)
{
	size_t offset = data_offset(class);
	uint8_t *message = calloc(1, offset + n + 64);

	if (!message)
		abort();
	put_head(message, class, method, tid);
	for (size_t i = 0; i < n; i++)
		message[offset + i] = byte_at(i);
	*len = offset + n;
	return message;
}

#endif
