/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A visitor's output, recorded once so that it can be repeated fast: literals, and between them values at
 * known offsets. Visitors add literals to their buffer, and values with line_value() and line_call(). With a
 * plan, these two record an operation; the buffer is then that of the plan. Without a plan, they write the
 * value.
 */
#ifndef EXPR_PLAN_H
#define EXPR_PLAN_H

#include <stdbool.h>
#include <madkit/buf.h>
#include <madkit/field.h>
#include <madkit/message.h>

enum plan_kind {
	PLAN_DECIMAL,
	PLAN_TIMES4, /* decimal, four times the value */
	PLAN_HEX,    /* digits without 0x */
	PLAN_GID,
	PLAN_BYTES, /* hex digits of the element */
	PLAN_TABLE, /* a text for each value: tables[value] */
	PLAN_BITS,  /* a text for each named bit that is set, in the list's order,
		     * without the last character of the last text */
	PLAN_CALL,  /* output of a function */
	PLAN_EMIT,  /* output of a function, a few characters */
	PLAN_END,   /* a literal only */
};

/* Appends the text of an item. In a plan, the item of a call has no event and no bit. */
typedef void (*plan_put)(void *context, struct madkit_buf *buf, const struct madkit_item *item);

/* Writes the text of element index at p, at most EMIT_U64_MAX characters. Returns its end. */
typedef char *(*plan_write_at)(void *context, unsigned int index, char *p);

struct plan_text {
	uint32_t at; /* offset in the plan's text */
	uint32_t len;
};

struct plan_op {
	uint32_t literal; /* before the value; offset in the plan's text */
	uint16_t literal_len;
	uint8_t kind;
	uint8_t digits; /* HEX */
	uint16_t byte;  /* offset of the 64-bit word that holds the value */
	uint16_t index; /* element of the field */
	uint32_t table; /* first of plan.tables */
	uint8_t shift;  /* right shift of the word */
	uint64_t mask;
	const struct madkit_field *field;
	union {
		plan_put put;       /* CALL */
		plan_write_at emit; /* EMIT */
	};
};

struct plan {
	struct plan_op *ops;
	uint32_t nops, ops_cap;
	struct plan_text *tables;
	uint32_t ntables, tables_cap;
	struct madkit_buf text; /* literals, and texts of tables */
	size_t literal;         /* start of the next operation's literal */
	size_t longest;         /* upper limit of the output without CALLs */
	size_t reach;           /* number of bytes that are read */
	int error;
};

void plan_init(struct plan *plan);
void plan_free(struct plan *plan);

/* Adds the last literal, after which the plan is ready. Returns 0 or -errno. */
int plan_end(struct plan *plan);

/* Writes the value of an item of at most 64 bits, or the bytes of a GID or BYTES. plan: NULL, or the plan of
 * buf. */
void line_value(struct madkit_buf *buf, struct plan *plan, enum plan_kind kind,
		const struct madkit_item *item);

/*
 * Writes the output of put() for an item. With a plan, put() is called now for each value of a field of at
 * most 8 bits; if kind is PLAN_BITS, it is called now for each named bit, and commas separate the texts;
 * otherwise (PLAN_CALL) it is called each time the plan is executed.
 */
void line_call(struct madkit_buf *buf, struct plan *plan, enum plan_kind kind, const struct madkit_item *item,
	       plan_put put, void *context);

/* Writes the output of emit() for the item's index, each time the plan is executed. */
void plan_emit(struct plan *plan, const struct madkit_item *item, plan_write_at emit);

/* Appends the plan's output for values at base, of which plan->reach bytes can be read. context: for calls.
 * Returns false if out of memory (buf->error). */
bool plan_write(const struct plan *plan, const uint8_t *base, struct madkit_buf *buf, void *context);

/* The same for a record's data, which is copied if fewer bytes follow than the plan reads. */
bool plan_write_data(const struct plan *plan, const struct madkit_record *record, struct madkit_buf *buf,
		     void *context);

#endif
