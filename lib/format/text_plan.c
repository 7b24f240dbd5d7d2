/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Fields as text by plan: the lines of a layout differ in values alone. */
#include <errno.h>
#include <stdlib.h>
#include <madkit/mad.h>
#include "expr/value.h"
#include "format/plan.h"
#include "format/plans.h"
#include "format/text_int.h"
#include "util/put.h"

/* All records of a layout have one plan. */
struct text_shape {
	struct text_shape *next;
	const struct madkit_layout *layout;
	bool show_keys, usable;
	struct plan plan;
	size_t reach; /* so much is read from the data on */
};

/* ---- making a plan ------------------------------------------------------------------ */

struct making {
	struct text_shape *shape;
	struct path path;
	unsigned int rows; /* as in struct text */
};

/* The texts of all values of a small field. */
static void plan_texts(struct making *m, const struct madkit_item *item)
{
	struct madkit_item one = *item;
	struct madkit_buf text;

	madkit_buf_init(&text, 0);
	for (unsigned int value = 0; value < 1u << item->field->width; value++) {
		one.value = value;
		madkit_buf_reset(&text);
		value_text(&text, &one, m->shape->show_keys);
		if (text.error)
			m->shape->plan.error = text.error;
		else
			plan_entry(&m->shape->plan, text.data, text.len);
	}
	madkit_buf_free(&text);
}

static void plan_number(struct making *m, enum plan_kind kind, const struct madkit_item *item)
{
	plan_value(&m->shape->plan, kind, item->field, item->index, item->bit, 0);
}

static void plan_item(struct making *m, const struct madkit_item *item)
{
	const struct madkit_field *field = item->field;
	struct plan *plan = &m->shape->plan;

	if (!m->shape->show_keys && madkit_field_is_secret(field)) {
		plan_literal(plan, NOT_DISPLAYED, sizeof(NOT_DISPLAYED) - 1);
		return;
	}
	if (field->width <= 8 && field->kind != MADKIT_KIND_STRING && field->kind != MADKIT_KIND_BYTES) {
		plan_number(m, PLAN_TABLE, item);
		plan_texts(m, item);
		return;
	}
	switch (field->kind) {
	case MADKIT_KIND_UNSIGNED:
	case MADKIT_KIND_COUNTER:
	case MADKIT_KIND_LID:
		plan_number(m, PLAN_DECIMAL, item);
		break;
	case MADKIT_KIND_KEY:
	case MADKIT_KIND_HEX:
	case MADKIT_KIND_GUID:
		plan_literal(plan, "0x", 2);
		plan_number(m, field->width > 64 ? PLAN_BYTES : PLAN_HEX, item);
		break;
	case MADKIT_KIND_GID:
		plan_number(m, PLAN_GID, item);
		break;
	default:
		plan_number(m, PLAN_CALL, item);
		break;
	}
}

static int text_plan_add(void *context, const struct madkit_item *item)
{
	struct making *m = context;
	const struct madkit_field *field = item->field;
	bool rows = field->count && (field->flags & MADKIT_FIELD_ROWS);
	char name[PATH_BYTES];
	struct madkit_buf label;

	if (item->event == MADKIT_WALK_STRUCT) {
		path_push(&m->path, item);
		m->rows += rows || m->rows;
		return 0;
	}
	if (item->event == MADKIT_WALK_END) {
		path_pop(&m->path);
		m->rows -= m->rows ? 1 : 0;
		return 0;
	}
	if (field->flags & MADKIT_FIELD_VARIABLE)
		return -EINVAL;
	if (field->kind == MADKIT_KIND_RESERVED || m->rows || item->event == MADKIT_WALK_ARRAY_END ||
	    (rows ? item->event != MADKIT_WALK_ARRAY : item->event != MADKIT_WALK_FIELD))
		return 0;
	if (rows) {
		plan_number(m, PLAN_CALL, item);
		return 0;
	}
	if (field->width <= 64 && item->bit % 8 + field->width > 64)
		return -EINVAL;
	if (item->bit / 8 + 8 > m->shape->reach)
		m->shape->reach = item->bit / 8 + 8;
	madkit_buf_init(&label, 0);
	text_label(&label, name, path_text(&m->path, item, name));
	plan_literal(&m->shape->plan, label.data, label.len);
	if (label.error)
		m->shape->plan.error = label.error;
	madkit_buf_free(&label);
	plan_item(m, item);
	plan_literal(&m->shape->plan, "\n", 1);
	return 0;
}

static struct text_shape *shape_new(const struct madkit_layout *layout, bool show_keys)
{
	static const uint8_t zeros[MADKIT_FRAME_BYTES];
	struct text_shape *s = calloc(1, sizeof(*s));
	struct making m = { .shape = s };

	if (!s)
		return NULL;
	s->layout = layout;
	s->show_keys = show_keys;
	plan_init(&s->plan);
	path_begin(&m.path, "");
	s->usable = !madkit_walk(layout, zeros, layout->bytes, text_plan_add, &m);
	if (plan_end(&s->plan))
		s->usable = false;
	return s;
}

void text_plans_free(struct madkit_plans *plans)
{
	for (unsigned int i = 0; i < PLANS_HASH; i++) {
		for (struct text_shape *s = plans->text[i], *next; s; s = next) {
			next = s->next;
			plan_free(&s->plan);
			free(s);
		}
	}
}

/* ---- following it ------------------------------------------------------------------ */

static struct text_shape *text_plan_shape(const struct text *t)
{
	const struct madkit_layout *layout = t->record->layout;
	struct madkit_plans *plans = t->format->plans;
	unsigned int hash = (unsigned int)((uintptr_t)layout / sizeof(*layout)) % PLANS_HASH;
	struct text_shape *s;

	for (s = plans->text[hash]; s; s = s->next)
		if (s->layout == layout && s->show_keys == t->format->show_keys)
			return s->usable ? s : NULL;
	if (plans->n >= PLANS_MAX)
		return NULL;
	s = shape_new(layout, t->format->show_keys);
	if (!s)
		return NULL;
	s->next = plans->text[hash];
	plans->text[hash] = s;
	plans->n++;
	return s->usable ? s : NULL;
}

struct following {
	struct text *text;
	size_t longest;
};

static char *text_plan_call(void *context, const struct plan_op *op, const uint8_t *bytes, uint64_t value,
			    char *p)
{
	const struct following *f = context;
	struct madkit_buf *buf = f->text->buf;
	const struct madkit_field *field = op->field;
	bool rows = field->count && (field->flags & MADKIT_FIELD_ROWS);
	unsigned int count = madkit_field_count(field);
	uint32_t offset = rows ? field->offset : madkit_field_offset(field, op->index);
	struct madkit_item item = {
		.event = rows ? MADKIT_WALK_ARRAY : MADKIT_WALK_FIELD,
		.field = field,
		.index = op->index,
		.count = count,
		.base = bytes - offset / 8,
		.len = (madkit_field_offset(field, count - 1) + field->width + 7) / 8,
		.value = value,
	};

	buf->len = (size_t)(p - buf->data);
	if (rows)
		text_rows(f->text, &item);
	else
		value_text(buf, &item, f->text->format->show_keys);
	/* it may have moved the buffer, and used up the room for what follows */
	p = madkit_buf_room(buf, f->longest);
	return p;
}

bool text_planned(struct text *t)
{
	const struct madkit_record *r = t->record;
	uint8_t padded[MADKIT_FRAME_BYTES + 8];
	const uint8_t *base = r->data;
	struct following following = { .text = t };
	struct text_shape *s;
	char *p;

	if (!t->format->plans || t->format->fields || r->len < r->layout->bytes)
		return false;
	s = text_plan_shape(t);
	if (!s)
		return false;
	/* values are read eight bytes at once */
	if (r->offset + s->reach > r->message->len) {
		memcpy(padded, r->data, r->layout->bytes);
		memset(padded + r->layout->bytes, 0, 8);
		base = padded;
	}
	t->layout = r->layout;
	projection_view(NULL, NAME_DATA, r->layout, &t->view);
	following.longest = s->plan.longest + PLAN_STEP;
	p = madkit_buf_room(t->buf, following.longest);
	if (p)
		p = plan_write(&s->plan, base, p, text_plan_call, &following);
	if (p)
		t->buf->len = (size_t)(p - t->buf->data);
	return true; /* what went wrong the buffer tells */
}
