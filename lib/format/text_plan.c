/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Formats records as text, with plans for their fields: the texts of a layout differ only in values. */
#include <stdlib.h>
#include <madkit/mad.h>
#include "format/plans.h"
#include "format/records.h"
#include "format/text_int.h"

/* All records of a layout share one plan. */
struct text_shape {
	struct text_shape *next;
	const struct madkit_layout *layout;
	bool show_keys, usable;
	struct plan plan;
};

static struct text_shape *text_shape_new(const struct text *text)
{
	static const uint8_t zeros[MADKIT_FRAME_BYTES];
	const struct madkit_layout *layout = text->record->layout;
	struct text_shape *s = calloc(1, sizeof(*s));
	struct text t = *text;

	if (!s)
		return NULL;
	s->layout = layout;
	s->show_keys = t.format->show_keys;
	plan_init(&s->plan);
	t.buf = &s->plan.text;
	t.plan = &s->plan;
	text_put_layout(&t, NAME_DATA, layout, zeros, layout->bytes);
	s->usable = !plan_end(&s->plan);
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
	s = text_shape_new(t);
	if (!s)
		return NULL;
	s->next = plans->text[hash];
	plans->text[hash] = s;
	plans->n++;
	return s->usable ? s : NULL;
}

/* Writes the record's fields from the plan of its layout. Returns false, and writes nothing, if the layout
 * has no plan, or the record is cut short, has nulls or is not shown in full. */
static bool text_planned(struct text *t)
{
	const struct madkit_record *r = t->record;
	struct text_shape *s;

	if (!t->format->plans || t->format->fields || r->known || r->len < r->layout->bytes)
		return false;
	s = text_plan_shape(t);
	if (!s)
		return false;
	projection_view(NULL, NAME_DATA, r->layout, &t->view);
	/* if memory runs out, the buffer has the error */
	plan_write_data(&s->plan, r, t->buf, t);
	return true;
}

static void text_format_record(struct madkit_buf *buf, const struct madkit_format *format,
			       const struct madkit_record *record)
{
	struct text t = { .buf = buf, .format = format, .record = record };

	text_put_record(&t);
	if (record->data && record->layout && !text_planned(&t))
		text_put_layout(&t, NAME_DATA, record->layout, record->data, record->len);
}

int madkit_format_text(struct madkit_buf *buf, const struct madkit_message *message,
		       const struct madkit_format *format)
{
	return put_records(buf, message, format, text_format_record);
}
