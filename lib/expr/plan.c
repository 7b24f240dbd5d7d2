/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/addr.h>
#include <madkit/mad.h>
#include "expr/plan.h"
#include "util/array.h"
#include "util/bits.h"
#include "util/put.h"
#include "wire/unit.h"

/* Literals are copied in steps of this size: up to this many bytes may be read after the text and written
 * after the output. */
#define PLAN_STEP 32

void plan_init(struct plan *plan)
{
	memset(plan, 0, sizeof(*plan));
	madkit_buf_init(&plan->text, 0);
}

void plan_free(struct plan *plan)
{
	free(plan->ops);
	free(plan->tables);
	madkit_buf_free(&plan->text);
}

/* Returns the longest text of a value without a table or a call. */
static size_t plan_longest(enum plan_kind kind, const struct madkit_field *field)
{
	switch (kind) {
	case PLAN_DECIMAL:
	case PLAN_TIMES4:
		return EMIT_TIMES4_MAX;
	case PLAN_EMIT:
		return EMIT_U64_MAX;
	case PLAN_HEX:
		return EMIT_HEX_MAX;
	case PLAN_GID:
		return MADKIT_GID_TEXT_MAX;
	case PLAN_BYTES:
		return field->width / 4;
	default:
		return 0;
	}
}

/* Adds an operation, with the literal since the last one. item: NULL for PLAN_END. */
static void plan_add(struct plan *plan, enum plan_kind kind, const struct madkit_item *item, plan_put put)
{
	const struct madkit_field *field = item ? item->field : NULL;
	unsigned int width = field && field->width <= 64 ? field->width : 0, bit = item ? item->bit : 0;
	size_t len = plan->text.len - plan->literal;

	if (array_room(&plan->ops, &plan->ops_cap, plan->nops, 1, sizeof(*plan->ops))) {
		plan->error = -ENOMEM;
		return;
	}
	plan->ops[plan->nops++] = (struct plan_op){
		.literal = (uint32_t)plan->literal,
		.literal_len = (uint16_t)len,
		.kind = (uint8_t)kind,
		.digits = (uint8_t)emit_hex_digits(width),
		.byte = (uint16_t)(bit / 8),
		.index = (uint16_t)(item ? item->index : 0),
		.table = plan->ntables,
		.shift = (uint8_t)(width ? 64 - bit % 8 - width : 0),
		.mask = width ? bits_mask(width) : 0,
		.field = field,
		.put = put,
	};
	plan->literal = plan->text.len;
	plan->longest += len + plan_longest(kind, field);
	if (width && plan->reach < bit / 8 + 8)
		plan->reach = bit / 8 + 8;
	/* the value must be in the 64-bit word that begins at its first byte, which is so in all tables */
	if (bit % 8 + width > 64)
		plan->error = -EINVAL;
	if (len > UINT16_MAX || plan->text.len > UINT32_MAX)
		plan->error = -EFBIG;
}

/* Adds an entry to the table of the last operation: the output of put() for a value, and end. */
static void plan_entry(struct plan *plan, const struct madkit_item *item, uint64_t value, const char *end,
		       plan_put put, void *context)
{
	struct madkit_item one = *item;

	if (array_room(&plan->tables, &plan->tables_cap, plan->ntables, 1, sizeof(*plan->tables))) {
		plan->error = -ENOMEM;
		return;
	}
	one.value = value;
	put(context, &plan->text, &one);
	madkit_buf_str(&plan->text, end);
	plan->tables[plan->ntables++] = (struct plan_text){
		.at = (uint32_t)plan->literal,
		.len = (uint32_t)(plan->text.len - plan->literal),
	};
	/* the sum of the entries is enough for PLAN_BITS, and more than enough for PLAN_TABLE */
	plan->longest += plan->text.len - plan->literal;
	plan->literal = plan->text.len;
}

int plan_end(struct plan *plan)
{
	char *slack;

	plan_add(plan, PLAN_END, NULL, NULL);
	slack = madkit_buf_room(&plan->text, PLAN_STEP);
	if (slack)
		memset(slack, 0, PLAN_STEP);
	return plan->error ? plan->error : plan->text.error;
}

/* Writes the same text as inet_ntop(). */
static char *put_gid(char *p, const uint8_t *gid)
{
	static const char digits[] = "0123456789abcdef";
	unsigned int best = 8, best_len = 1;
	uint16_t word[8];

	for (unsigned int i = 0; i < 8; i++)
		word[i] = get_be16(gid + 2 * i);
	/* possible IPv4 addresses have special forms */
	if (!(word[0] | word[1] | word[2] | word[3] | word[4])) {
		madkit_gid_text(gid, p);
		return p + strlen(p);
	}
	for (unsigned int i = 0; i < 8;) {
		unsigned int n = 0;

		while (i + n < 8 && !word[i + n])
			n++;
		if (n > best_len) {
			best = i;
			best_len = n;
		}
		i += n ? n : 1;
	}
	for (unsigned int i = 0; i < 8; i++) {
		unsigned int w = word[i];

		if (i == best) {
			*p++ = ':';
			i += best_len - 1;
			if (i == 7)
				*p++ = ':';
			continue;
		}
		if (i)
			*p++ = ':';
		if (w > 0xfff)
			*p++ = digits[w >> 12];
		if (w > 0xff)
			*p++ = digits[w >> 8 & 15];
		if (w > 0xf)
			*p++ = digits[w >> 4 & 15];
		*p++ = digits[w & 15];
	}
	return p;
}

static inline char *plan_put_text(char *p, const char *text, size_t len)
{
	memcpy(p, text, PLAN_STEP);
	for (size_t at = PLAN_STEP; at < len; at += PLAN_STEP)
		memcpy(p + at, text + at, PLAN_STEP);
	return p + len;
}

static char *plan_put_bits(const struct plan *plan, const struct plan_op *op, uint64_t value, char *p)
{
	const struct plan_text *entry;
	char *begin = p;

	/* bits without names, as in PortExtendedSpeedsCounters, have no table */
	if (!plan->tables)
		return p;
	entry = &plan->tables[op->table];
	for (const struct madkit_value *v = op->field->values; v && v->name; v++, entry++)
		/* a list may also contain names of whole values */
		if (!(v->value & (v->value - 1)) && (value & v->value))
			p = plan_put_text(p, plan->text.data + entry->at, entry->len);
	return p > begin ? p - 1 : p;
}

void line_value(struct madkit_buf *buf, struct plan *plan, enum plan_kind kind,
		const struct madkit_item *item)
{
	unsigned int digits = emit_hex_digits(item->field->width);
	uint8_t number[8];
	char gid[MADKIT_GID_TEXT_MAX];

	if (plan) {
		plan_add(plan, kind, item, NULL);
		return;
	}
	switch (kind) {
	case PLAN_DECIMAL:
		put_number(buf, item->value);
		break;
	case PLAN_TIMES4:
		put_times4(buf, item->value);
		break;
	case PLAN_HEX:
		put_be64(number, item->value);
		put_bytes(buf, number + sizeof(number) - digits / 2, digits / 2);
		break;
	case PLAN_GID:
		madkit_buf_str(buf, madkit_gid_text(madkit_item_bytes(item), gid));
		break;
	default:
		put_bytes(buf, madkit_item_bytes(item), item->field->width / 8);
		break;
	}
}

void line_call(struct madkit_buf *buf, struct plan *plan, enum plan_kind kind, const struct madkit_item *item,
	       plan_put put, void *context)
{
	const struct madkit_field *field = item->field;

	if (!plan) {
		put(context, buf, item);
	} else if (item->event == MADKIT_WALK_FIELD && field->width <= 8 &&
		   field->kind != MADKIT_KIND_STRING && field->kind != MADKIT_KIND_BYTES &&
		   !unit_is_decimal(field)) {
		plan_add(plan, PLAN_TABLE, item, NULL);
		for (unsigned int value = 0; value < 1u << field->width; value++)
			plan_entry(plan, item, value, "", put, context);
	} else {
		plan_add(plan, kind, item, put);
		for (const struct madkit_value *v = field->values; kind == PLAN_BITS && v && v->name; v++)
			plan_entry(plan, item, v->value, ",", put, context);
	}
}

void plan_emit(struct plan *plan, const struct madkit_item *item, plan_write_at emit)
{
	plan_add(plan, PLAN_EMIT, item, NULL);
	if (!plan->error)
		plan->ops[plan->nops - 1].emit = emit;
}

static inline uint64_t plan_value(const struct plan_op *op, const uint8_t *base)
{
	return get_be64(base + op->byte) >> op->shift & op->mask;
}

/* Calls the operation's function. Returns the end of its output, with room for the rest of the plan, or
 * NULL. */
static char *plan_put_call(const struct plan *plan, const struct plan_op *op, const uint8_t *base,
			   struct madkit_buf *buf, void *context)
{
	const struct madkit_field *field = op->field;
	unsigned int count = madkit_field_count(field);
	const size_t end = (madkit_field_offset(field, count - 1) + field->width + 7) / 8;
	const size_t reach = field->unit ? unit_reach(field) : 0;
	const struct madkit_item item = {
		.field = field,
		.index = op->index,
		.count = count,
		.base = base + op->byte - madkit_field_offset(field, op->index) / 8,
		.len = end > reach ? end : reach,
		.value = op->mask ? plan_value(op, base) : 0,
	};

	op->put(context, buf, &item);
	return madkit_buf_room(buf, plan->longest + PLAN_STEP);
}

bool plan_write(const struct plan *plan, const uint8_t *base, struct madkit_buf *buf, void *context)
{
	const char *text = plan->text.data;
	char *p = madkit_buf_room(buf, plan->longest + PLAN_STEP);

	for (const struct plan_op *op = plan->ops; p; op++) {
		const struct plan_text *entry;
		uint64_t value;

		p = plan_put_text(p, text + op->literal, op->literal_len);
		switch (op->kind) {
		case PLAN_DECIMAL:
			p = emit_u64(p, plan_value(op, base));
			break;
		case PLAN_TIMES4:
			p = emit_times4(p, plan_value(op, base));
			break;
		case PLAN_HEX:
			value = plan_value(op, base);
			for (unsigned int i = op->digits; i; i -= 2, value >>= 8)
				memcpy(p + i - 2, emit_hex_pairs + (value & 0xff) * 2, 2);
			p += op->digits;
			break;
		case PLAN_GID:
			p = put_gid(p, base + op->byte);
			break;
		case PLAN_BYTES:
			p = emit_bytes(p, base + op->byte, op->field->width / 8);
			break;
		case PLAN_TABLE:
			entry = &plan->tables[op->table + plan_value(op, base)];
			p = plan_put_text(p, text + entry->at, entry->len);
			break;
		case PLAN_BITS:
			p = plan_put_bits(plan, op, plan_value(op, base), p);
			break;
		case PLAN_EMIT:
			p = op->emit(context, op->index, p);
			break;
		case PLAN_CALL:
			buf->len = (size_t)(p - buf->data);
			p = plan_put_call(plan, op, base, buf, context);
			break;
		default:
			buf->len = (size_t)(p - buf->data);
			return true;
		}
	}
	return false;
}

bool plan_write_data(const struct plan *plan, const struct madkit_record *record, struct madkit_buf *buf,
		     void *context)
{
	uint8_t padded[MADKIT_FRAME_BYTES + 8];
	const uint8_t *data = record->data;

	if (record->layout && record->offset + plan->reach > record->message->len) {
		memcpy(padded, data, record->layout->bytes);
		memset(padded + record->layout->bytes, 0, 8);
		data = padded;
	}
	return plan_write(plan, data, buf, context);
}
