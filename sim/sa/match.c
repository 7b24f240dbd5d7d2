/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Selects records by the component mask (IBA volume 1, section 15.4.4): the selected components of a
 * record must equal those of the request. Attribute tables map components to bits, so one bit mask
 * compares the records of any attribute.
 */
#include <string.h>
#include "sim/sa/internal.h"

/* ---- components ------------------------------------------------------------------ */

struct compile {
	uint64_t mask, known;
	uint8_t *named;
	bool half;
};

static void sa_match_mark(uint8_t *bits, uint32_t offset, uint32_t width)
{
	for (; width; width--, offset++)
		bits[offset / 8] |= (uint8_t)(0x80 >> offset % 8);
}

static void match_element(struct compile *c, const struct madkit_field *field, unsigned int first,
			  uint32_t offset)
{
	unsigned int each = field->components ? field->components : 1;
	uint64_t bits;

	if (first + each > 64)
		return;
	bits = bits_mask(each) << first;
	c->known |= bits;
	if (!(c->mask & bits))
		return;
	/* the parts of a component are selected together or not at all (CA13-6) */
	c->half |= (c->mask & bits) != bits;
	if (field->kind != MADKIT_KIND_RESERVED && offset + field->width <= SA_RECORD_MAX * 8)
		sa_match_mark(c->named, offset, field->width);
}

static void match_compile(struct compile *c, const struct madkit_layout *layout, uint32_t base,
			  unsigned int begin)
{
	for (unsigned int i = 0; i < layout->nfields; i++) {
		const struct madkit_field *field = &layout->fields[i];
		unsigned int each = field->components ? field->components : 1;

		for (unsigned int n = 0; n < madkit_field_count(field); n++) {
			uint32_t offset = base + madkit_field_offset(field, n);

			if (!field->component)
				break;
			if (field->kind == MADKIT_KIND_STRUCT)
				match_compile(c, field->sub, offset, begin + field->component);
			else
				match_element(c, field, begin + field->component - 1u + n * each, offset);
		}
	}
}

int sa_compile(const struct madkit_layout *layout, uint64_t mask, uint8_t named[SA_RECORD_MAX])
{
	struct compile c = { .mask = mask, .named = named };

	memset(named, 0, SA_RECORD_MAX);
	if (layout)
		match_compile(&c, layout, 0, 0);
	/* some attributes have no components: ClassPortInfo */
	if (c.known && mask & ~c.known)
		return SA_INVALID;
	return c.half ? SA_INSUFFICIENT : SA_OK;
}

bool sa_names(const struct sa_query *q, uint64_t which)
{
	return bits_test(q->named, at_offset(which));
}

void sa_ignore(struct sa_query *q, uint64_t which)
{
	uint32_t offset = at_offset(which);

	for (uint32_t i = offset; i < offset + at_width(which); i++)
		q->compare[i / 8] &= (uint8_t) ~(0x80 >> i % 8);
}

void sa_compare(struct sa_query *q, uint64_t which)
{
	sa_match_mark(q->compare, at_offset(which), at_width(which));
}

bool sa_agrees(const struct sa_query *q, const uint8_t *record)
{
	for (unsigned int i = 0; i < SA_RECORD_MAX; i += 8) {
		uint64_t a, b, mask;

		memcpy(&a, record + i, 8);
		memcpy(&b, q->wanted + i, 8);
		memcpy(&mask, q->compare + i, 8);
		if ((a ^ b) & mask)
			return false;
	}
	return true;
}

void sa_put(struct sa_query *q)
{
	/* a Get returns one record; further ones are only counted */
	if (q->table || !q->count)
		madkit_buf_add(q->out, q->record, q->attribute->bytes);
	q->count++;
}

void sa_offer(struct sa_query *q)
{
	if (sa_agrees(q, q->record))
		sa_put(q);
}

/* ---- selectors ------------------------------------------------------------------- */

enum { GREATER, LESS, EXACTLY, BEST };

/* Codes in ascending order of the values that they represent. */
static const struct {
	uint8_t values[25];
	uint8_t count;
} ladders[] = {
	[SA_MTUS] = { { 1, 2, 3, 4, 5 }, 5 },
	/* Gbit/s: 2.5 5 10 14 20 25 28 30 40 50 56 60 80 100 112 120 168 200 300 400 600 800 1200 1600 */
	[SA_RATES] = { { 2, 5,  3,  11, 6,  15, 19, 4,  7,  20, 12, 8,
			 9, 16, 13, 10, 14, 17, 18, 21, 22, 23, 24, 25 },
		       24 },
};

int sa_step(enum sa_ladder ladder, unsigned int value)
{
	for (int i = 0; i < ladders[ladder].count; i++)
		if (ladders[ladder].values[i] == value)
			return i;
	return -1;
}

unsigned int sa_least(enum sa_ladder ladder, unsigned int a, unsigned int b)
{
	return sa_step(ladder, a) < sa_step(ladder, b) ? a : b;
}

unsigned int sa_select(const struct sa_query *q, enum sa_ladder ladder, uint64_t selector, uint64_t value,
		       unsigned int best)
{
	unsigned int how = (unsigned int)field_get(selector, q->wanted);
	unsigned int wanted = (unsigned int)field_get(value, q->wanted);
	int capable = sa_step(ladder, best), step = sa_step(ladder, wanted);

	if (!sa_names(q, selector) || (!sa_names(q, value) && how != BEST) || capable < 0)
		return best;
	switch (how) {
	case GREATER:
		return capable > step ? best : 0;
	case LESS:
		if (capable < step)
			return best;
		return step > 0 ? ladders[ladder].values[step - 1] : 0;
	case EXACTLY:
		return capable >= step ? wanted : 0;
	default:
		return best;
	}
}

bool sa_select_is_valid(const struct sa_query *q, enum sa_ladder ladder, uint64_t selector, uint64_t value)
{
	return !sa_names(q, selector) || !sa_names(q, value) || field_get(selector, q->wanted) == BEST ||
	       sa_step(ladder, (unsigned int)field_get(value, q->wanted)) >= 0;
}

bool sa_select_time(const struct sa_query *q, uint64_t selector, uint64_t value, unsigned int time)
{
	unsigned int wanted = (unsigned int)field_get(value, q->wanted);

	if (!sa_names(q, selector) || !sa_names(q, value))
		return true;
	switch (field_get(selector, q->wanted)) {
	case GREATER:
		return time > wanted;
	case LESS:
		return time < wanted;
	case EXACTLY:
		return time == wanted;
	default:
		return true;
	}
}
