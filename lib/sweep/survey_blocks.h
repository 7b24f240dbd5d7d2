/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Joins the two blocks of a register. */
#ifndef SWEEP_SURVEY_BLOCKS_H
#define SWEEP_SURVEY_BLOCKS_H

#include "sweep/survey_ask.h"

/* The block that is requested. */
enum survey_block {
	SURVEY_BLOCK_FIRST,
	SURVEY_BLOCK_SECOND,
	SURVEY_BLOCK_AGAIN, /* the first one, which must not have changed where a field spans both */
};

/* Takes a response, or its failure. Returns true if another block is to be requested with the same request; else the
 * result is final, and has both blocks or the first one. */
bool survey_blocks_take(struct survey_ask *ask);
/* Makes the result final, with the first block alone. */
void survey_blocks_cut(struct survey_ask *ask, const char *reason);

#endif
