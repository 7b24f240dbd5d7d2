/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A layout made flat for one purpose, writing it often: literals, and between them values
 * at known places. What a plan writes is what the walk writes, several times as fast; it is
 * for a whole record with nothing left out.
 */
#ifndef FORMAT_PLAN_H
#define FORMAT_PLAN_H

#include <stdbool.h>
#include <madkit/buf.h>
#include <madkit/field.h>

enum plan_kind {
	PLAN_DECIMAL,
	PLAN_TIMES4, /* decimal, of four times the value */
	PLAN_HEX,    /* digits alone */
	PLAN_TABLE,  /* a text for each value: table[value] */
	PLAN_BITS,   /* a text for each bit that is named and set, in the list's
				 * order, without the last one's last character */
	PLAN_GID,
	PLAN_BYTES, /* hex digits of the element */
	PLAN_CALL,  /* whatever the format does about the field */
	PLAN_END,   /* a literal alone */
};

struct plan_text {
	uint32_t at; /* in the plan's text */
	uint32_t len;
};

struct plan_op {
	uint32_t literal; /* before the value, in the plan's text */
	uint16_t literal_len;
	uint8_t kind;
	uint8_t digits; /* HEX */
	uint16_t byte;  /* where the value's 64-bit word begins */
	uint8_t shift;  /* ... and how far it is to be moved down */
	uint64_t mask;
	uint32_t table; /* first of plan.tables */
	uint16_t index; /* element of the field */
	const struct madkit_field *field;
};

struct plan {
	struct plan_op *ops;
	uint32_t nops, ops_cap;
	struct plan_text *tables;
	uint32_t ntables, tables_cap;
	struct madkit_buf text; /* literals */
	size_t literal;         /* where the one that is being made begins */
	size_t longest;         /* of all that it writes, PLAN_CALLs apart */
	int error;
};

/* Literals are copied in steps of this size: so much may be read behind the text, and
 * written behind what is written. */
#define PLAN_STEP 32

void plan_init(struct plan *plan);
void plan_free(struct plan *plan);

/* More of the literal before the next value. */
void plan_literal(struct plan *plan, const char *text, size_t len);

/* An element of a field that begins at this bit. longest: of a CALL, the
 * characters that it may write. */
void plan_value(struct plan *plan, enum plan_kind kind, const struct madkit_field *field, unsigned int index,
		uint32_t bit, size_t longest);

/* Entry n of the table of the last value, a TABLE: they are to be given in order, one for
 * each value of the field's width. */
void plan_entry(struct plan *plan, const char *text, size_t len);

/* The last literal; then the plan is ready. 0 or -errno. */
int plan_end(struct plan *plan);

/* What a CALL writes at p: the place behind, with room for plan->longest + PLAN_STEP as
 * before, or NULL: no memory. value: of a field of at most 64 bits. */
typedef char *(*plan_call)(void *context, const struct plan_op *op, const uint8_t *bytes, uint64_t value,
			   char *p);

/*
 * Writes all of it at p, which has room for plan->longest + PLAN_STEP bytes. Eight bytes
 * may be read from any value's begin on. The place behind, or NULL.
 */
char *plan_write(const struct plan *plan, const uint8_t *base, char *p, plan_call call, void *context);

#endif
