/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/addr.h>
#include "format/plan.h"
#include "util/array.h"
#include "util/bits.h"
#include "util/emit.h"

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

void plan_literal(struct plan *plan, const char *text, size_t len)
{
	madkit_buf_add(&plan->text, text, len);
}

void plan_value(struct plan *plan, enum plan_kind kind, const struct madkit_field *field, unsigned int index,
		uint32_t bit, size_t longest)
{
	unsigned int width = field ? field->width : 0;
	size_t len = plan->text.len - plan->literal;
	struct plan_op *op;

	if (array_room(&plan->ops, &plan->ops_cap, plan->nops, 1, sizeof(*plan->ops))) {
		plan->error = -ENOMEM;
		return;
	}
	op = &plan->ops[plan->nops++];
	memset(op, 0, sizeof(*op));
	op->literal = (uint32_t)plan->literal;
	op->literal_len = (uint16_t)len;
	op->kind = (uint8_t)kind;
	op->field = field;
	op->index = (uint16_t)index;
	op->byte = (uint16_t)(bit / 8);
	op->table = (uint32_t)plan->ntables;
	plan->literal = plan->text.len;
	/* no number reaches beyond the word that begins at its byte: a test holds the
	 * tables to that */
	if (width && width <= 64 && bit % 8 + width <= 64) {
		op->shift = (uint8_t)(64 - bit % 8 - width);
		op->mask = bits_mask(width);
	}
	op->digits = (uint8_t)emit_hex_digits(width <= 64 ? width : 0);
	switch (kind) {
	case PLAN_DECIMAL:
	case PLAN_TIMES4:
		longest = EMIT_TIMES4_MAX;
		break;
	case PLAN_HEX:
		longest = EMIT_HEX_MAX;
		break;
	case PLAN_GID:
		longest = MADKIT_GID_TEXT_MAX;
		break;
	case PLAN_BYTES:
		longest = width / 4;
		break;
	default:
		break;
	}
	plan->longest += len + longest;
	if (len > UINT16_MAX || plan->text.len > UINT32_MAX)
		plan->error = -EFBIG;
}

void plan_entry(struct plan *plan, const char *text, size_t len)
{
	struct plan_text *entry;

	if (array_room(&plan->tables, &plan->tables_cap, plan->ntables, 1, sizeof(*plan->tables))) {
		plan->error = -ENOMEM;
		return;
	}
	entry = &plan->tables[plan->ntables++];
	entry->at = (uint32_t)plan->text.len;
	entry->len = (uint32_t)len;
	plan_literal(plan, text, len);
	plan->literal = plan->text.len;
	/* the longest of them would do */
	plan->longest += len;
}

int plan_end(struct plan *plan)
{
	char *slack;

	plan_value(plan, PLAN_END, NULL, 0, 0, 0);
	slack = madkit_buf_room(&plan->text, PLAN_STEP);
	if (slack)
		memset(slack, 0, PLAN_STEP);
	return plan->error ? plan->error : plan->text.error;
}

/* As inet_ntop() has it. */
static char *put_gid(char *p, const uint8_t *gid)
{
	static const char digits[] = "0123456789abcdef";
	unsigned int best = 8, best_len = 1;
	uint16_t word[8];

	for (unsigned int i = 0; i < 8; i++)
		word[i] = get_be16(gid + 2 * i);
	/* what may be an IPv4 address is shown in ways of its own */
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
	const struct plan_text *entry = &plan->tables[op->table];
	char *begin = p;

	for (const struct madkit_value *v = op->field->values; v && v->name; v++, entry++)
		/* a list may also name whole values */
		if (!(v->value & (v->value - 1)) && (value & v->value))
			p = plan_put_text(p, plan->text.data + entry->at, entry->len);
	return p > begin ? p - 1 : p;
}

char *plan_write(const struct plan *plan, const uint8_t *base, char *p, plan_call call, void *context)
{
	const char *text = plan->text.data;

	for (const struct plan_op *op = plan->ops;; op++) {
		const uint8_t *bytes;
		const struct plan_text *entry;
		uint64_t value;

		p = plan_put_text(p, text + op->literal, op->literal_len);
		if (op->kind == PLAN_END)
			return p;
		bytes = base + op->byte;
		value = op->mask ? get_be64(bytes) >> op->shift & op->mask : 0;
		switch (op->kind) {
		case PLAN_DECIMAL:
			p = emit_u64(p, value);
			break;
		case PLAN_TIMES4:
			p = emit_times4(p, value);
			break;
		case PLAN_HEX:
			for (unsigned int i = op->digits; i; i -= 2, value >>= 8)
				memcpy(p + i - 2, emit_hex_pairs + (value & 0xff) * 2, 2);
			p += op->digits;
			break;
		case PLAN_TABLE:
			entry = &plan->tables[op->table + value];
			p = plan_put_text(p, text + entry->at, entry->len);
			break;
		case PLAN_BITS:
			p = plan_put_bits(plan, op, value, p);
			break;
		case PLAN_GID:
			p = put_gid(p, bytes);
			break;
		case PLAN_BYTES:
			p = emit_bytes(p, bytes, op->field->width / 8);
			break;
		default:
			p = call(context, op, bytes, value, p);
			if (!p)
				return NULL;
			break;
		}
	}
}
