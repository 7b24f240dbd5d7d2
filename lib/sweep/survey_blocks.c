/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A block has 220 bytes of a register, and each request gets another snapshot of it. A field that begins in the first
 * block and ends in the second one is put together only if the first block has the same beginning before and after
 * the second one was read: a counter that grows cannot have passed through another value in between.
 */
#include <stdlib.h>
#include <string.h>
#include <madkit/constants.h>
#include "sweep/survey_blocks.h"
#include "wire/access.h"

enum {
	BLOCKS_REGISTER = MADKIT_MLNX_DATA + 4, /* byte of a MAD at which the part of the register begins */
	BLOCKS_DATA = MADKIT_MAD_BYTES - MADKIT_MLNX_DATA, /* bytes of data with the first block */
	BLOCKS_TRIES = 3,                                  /* until the first block has not changed */
};

/* Returns the byte of the data at which the field that is in both blocks begins; BLOCKS_DATA: there is none. */
static size_t blocks_span(const struct madkit_layout *joined)
{
	for (unsigned int i = 0; i < joined->nfields; i++) {
		const struct madkit_field *f = &joined->fields[i];

		if (f->offset < 8 * BLOCKS_DATA && f->offset + f->width > 8 * BLOCKS_DATA)
			return f->offset / 8;
	}
	return BLOCKS_DATA;
}

/* Returns the MAD of a response, or NULL if it is not one with a block. */
static const uint8_t *blocks_mad(const struct survey_ask *ask, size_t len)
{
	const struct madkit_reply *reply = &ask->result.job.reply;

	if (ask->result.error || !reply->recv || reply->mismatch || reply->recv->len < len ||
	    get_be16(reply->recv->mad + MADKIT_MAD_STATUS))
		return NULL;
	return reply->recv->mad;
}

/* Requests another block. Returns true. */
static bool blocks_ask(struct survey_ask *ask, enum survey_block block)
{
	ask->elapsed_ns = ask->result.elapsed_ns;
	ask->block = (uint8_t)block;
	put_be16(ask->result.job.send->mad + MADKIT_MLNX_DATA, block == SURVEY_BLOCK_SECOND);
	return true;
}

/* Keeps the response with the first block, in place of an earlier one. */
static void blocks_keep(struct survey_ask *ask, const uint8_t *mad)
{
	memcpy(ask->joined, mad, MADKIT_MAD_BYTES);
	madkit_recv_free(ask->first.recv);
	ask->first = ask->result.job.reply;
	ask->result.job.reply.recv = NULL;
}

/* Makes the result final: that of the first block. */
static void blocks_end(struct survey_ask *ask)
{
	madkit_recv_free(ask->result.job.reply.recv);
	ask->result.job.reply = ask->first;
	ask->first.recv = NULL;
	ask->result.error = 0;
	put_be16(ask->result.job.send->mad + MADKIT_MLNX_DATA, 0);
}

void survey_blocks_cut(struct survey_ask *ask, const char *reason)
{
	blocks_end(ask);
	ask->result.cut = reason;
}

/* Makes the response of the result one with both blocks. */
static void blocks_join(struct survey_ask *ask, const struct madkit_layout *joined)
{
	blocks_end(ask);
	ask->result.job.reply.recv->mad = ask->joined;
	ask->result.job.reply.recv->len = MADKIT_MLNX_DATA + joined->bytes;
}

/* Takes the first block. */
static bool blocks_take_first(struct survey_ask *ask, const struct madkit_layout *joined)
{
	const uint8_t *mad = blocks_mad(ask, MADKIT_MAD_BYTES);

	if (!mad)
		return false;
	if (!ask->joined)
		ask->joined = malloc(MADKIT_MLNX_DATA + joined->bytes);
	if (!ask->joined) {
		ask->result.cut = "memory ran out";
		return false;
	}
	blocks_keep(ask, mad);
	return blocks_ask(ask, SURVEY_BLOCK_SECOND);
}

static bool blocks_take_second(struct survey_ask *ask, const struct madkit_layout *joined)
{
	const size_t rest = joined->bytes - BLOCKS_DATA;
	const uint8_t *mad = blocks_mad(ask, BLOCKS_REGISTER + rest);

	if (!mad) {
		survey_blocks_cut(ask, ask->result.error ? "its second block was not received" :
							   "its second block was refused");
		return false;
	}
	memcpy(ask->joined + MADKIT_MAD_BYTES, mad + BLOCKS_REGISTER, rest);
	madkit_recv_free(ask->result.job.reply.recv);
	ask->result.job.reply.recv = NULL;
	if (blocks_span(joined) < BLOCKS_DATA)
		return blocks_ask(ask, SURVEY_BLOCK_AGAIN);
	blocks_join(ask, joined);
	return false;
}

static bool blocks_take_again(struct survey_ask *ask, const struct madkit_layout *joined)
{
	const size_t at = MADKIT_MLNX_DATA + blocks_span(joined);
	const uint8_t *mad = blocks_mad(ask, MADKIT_MAD_BYTES);

	if (!mad) {
		survey_blocks_cut(ask, "its first block was not received again");
		return false;
	}
	if (!memcmp(ask->joined + at, mad + at, MADKIT_MAD_BYTES - at)) {
		blocks_join(ask, joined);
		return false;
	}
	blocks_keep(ask, mad);
	if (++ask->again < BLOCKS_TRIES)
		return blocks_ask(ask, SURVEY_BLOCK_SECOND);
	survey_blocks_cut(ask, "its blocks changed while they were read");
	return false;
}

bool survey_blocks_take(struct survey_ask *ask)
{
	const struct madkit_layout *joined = ask->result.attribute ? ask->result.attribute->joined : NULL;

	if (!joined || ask->result.about != MADKIT_SURVEY_TARGET)
		return false;
	ask->result.elapsed_ns += ask->elapsed_ns;
	switch (ask->block) {
	case SURVEY_BLOCK_FIRST:
		return blocks_take_first(ask, joined);
	case SURVEY_BLOCK_SECOND:
		return blocks_take_second(ask, joined);
	default:
		return blocks_take_again(ask, joined);
	}
}
