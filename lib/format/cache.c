/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Repeats lines: those of the same class, method and attribute differ only in values. From the tenth line of
 * such a shape on, the walk is recorded as a plan, which is executed instead. A plan is used for a message
 * that is complete and has no error.
 */
#include <stdlib.h>
#include <madkit/mad.h>
#include <madkit/rmpp.h>
#include "format/line.h"
#include "util/bits.h"
#include "util/put.h"
#include "wire/wire_int.h"

enum {
	CACHE_HASH = 256,
	CACHE_MAX = 1024, /* then lines of other shapes are walked */
	CACHE_WALKS = 9,  /* lines of a shape that are walked before it gets a plan */
};

/* The properties that all lines of a shape share. */
struct shape_key {
	const struct line_writer *writer;
	uint64_t nulls; /* of the envelope; bit ENVELOPE_N: the port */
	enum madkit_message_kind kind;
	uint32_t begin; /* base version, class, class version, method */
	uint16_t attribute_id;
	bool rmpp, show_keys, verbose;
	bool object; /* the data is an object that a function writes */
	const struct madkit_attribute *attribute;
	const struct madkit_layout *layout; /* NULL: bytes */
	const char *fields;                 /* NULL: all */
};

struct shape {
	struct shape *next;
	struct shape_key key;
	char *fields;       /* of the key */
	unsigned int walks; /* number of lines that were walked */
	bool usable;        /* the plans are ready */
	struct plan head, data;
	struct madkit_buf redacted;      /* names of secrets that the lines hide */
	struct madkit_buf tail;          /* without a projection: an empty "rest", and the text after it */
	size_t rest;                     /* ... length of "rest" in tail */
	size_t header;                   /* length of the shortest message */
	uint8_t named[MADKIT_MAD_BYTES]; /* bits covered by fields of headers */
	uint8_t named_data[];
};

struct madkit_plans {
	unsigned int n;
	struct shape *shapes[CACHE_HASH];
	struct line_previous head;
};

struct madkit_plans *madkit_plans_new(void)
{
	return calloc(1, sizeof(struct madkit_plans));
}

static void shape_free(struct shape *s)
{
	plan_free(&s->head);
	plan_free(&s->data);
	madkit_buf_free(&s->redacted);
	madkit_buf_free(&s->tail);
	free(s->fields);
	free(s);
}

void madkit_plans_free(struct madkit_plans *plans)
{
	for (unsigned int i = 0; plans && i < CACHE_HASH; i++) {
		for (struct shape *s = plans->shapes[i], *next; s; s = next) {
			next = s->next;
			shape_free(s);
		}
	}
	free(plans);
}

/* ---- recording ---------------------------------------------------------------------- */

static int shape_name_bits(void *context, const struct madkit_item *item)
{
	uint8_t *named = context;

	if (item->event == MADKIT_WALK_FIELD && item->field->kind != MADKIT_KIND_RESERVED)
		for (uint32_t bit = item->bit; bit < item->bit + item->field->width; bit++)
			bits_put(named, bit, 1, 1);
	return 0;
}

static void shape_name_layout(const struct madkit_layout *layout, uint8_t *named)
{
	static const uint8_t zeros[MADKIT_FRAME_BYTES];

	if (layout)
		madkit_walk(layout, zeros, sizeof(zeros), shape_name_bits, named);
}

static int shape_record(struct line *line, struct plan *plan, void (*walk)(struct line *))
{
	plan_init(plan);
	line->buf = &plan->text;
	line->plan = plan;
	walk(line);
	line->plan = NULL;
	return plan_end(plan);
}

/* Makes the plans of a shape from one of its lines. */
static void shape_plan(struct shape *s, const struct line *like)
{
	const struct madkit_message *m = like->record->message;
	const struct madkit_layout *header = layout_of_class_header(m->mad, m->len);
	struct line line = {
		.writer = like->writer,
		.format = like->format,
		.record = like->record,
		.context = like->context,
	};

	s->header = s->key.object ? MADKIT_HEADER_BYTES : header && header->bytes > 64 ? header->bytes : 64;
	s->usable = !shape_record(&line, &s->head, line_head);
	if (s->usable && !s->key.object)
		s->usable = !shape_record(&line, &s->data, line_data);
	s->redacted = line.redacted;
	s->usable &= !s->redacted.error;
	if (!line.writer->rest || line.format->fields)
		return;
	line.buf = &s->tail;
	line.writer->rest(&line, false);
	s->rest = s->tail.len;
	line.writer->end(&line, LINE_TOP);
	s->usable &= !s->tail.error;
	shape_name_layout(layout_of_header(m->mad[MADKIT_MAD_CLASS]), s->named);
	shape_name_layout(header, s->named);
	if (s->key.rmpp)
		shape_name_layout(&madkit_layout_rmpp, s->named);
	shape_name_layout(s->key.layout, s->named_data);
}

/* Returns a shape without plans, or NULL if out of memory. */
static struct shape *shape_new(const struct shape_key *key)
{
	struct shape *s = calloc(1, sizeof(*s) + (key->layout ? key->layout->bytes : 0));

	if (!s)
		return NULL;
	s->key = *key;
	madkit_buf_init(&s->tail, 0);
	if (key->fields) {
		s->key.fields = s->fields = strdup(key->fields);
		if (!s->fields) {
			free(s);
			return NULL;
		}
	}
	return s;
}

/* ---- writing ------------------------------------------------------------------------ */

static bool shape_is(const struct shape_key *a, const struct shape_key *b)
{
	return a->begin == b->begin && a->attribute_id == b->attribute_id && a->layout == b->layout &&
	       a->attribute == b->attribute && a->rmpp == b->rmpp && a->show_keys == b->show_keys &&
	       a->verbose == b->verbose && a->nulls == b->nulls && a->kind == b->kind &&
	       a->object == b->object && a->writer == b->writer && !a->fields == !b->fields &&
	       (!a->fields || !strcmp(a->fields, b->fields));
}

/* Returns the shape of the line, or NULL if there is no room for it. */
static struct shape *cache_shape(const struct line *line)
{
	const struct madkit_record *r = line->record;
	const struct madkit_message *m = r->message;
	struct madkit_plans *plans = line->format->plans;
	const struct shape_key key = {
		.writer = line->writer,
		.nulls = plans->head.nulls,
		.kind = m->kind,
		.begin = get_be32(m->mad),
		.attribute_id = get_be16(m->mad + MADKIT_MAD_ATTRIBUTE),
		.rmpp = madkit_mad_has_rmpp(m->mad, m->len),
		.show_keys = line->format->show_keys,
		.verbose = line->format->verbose,
		.object = m->data,
		.attribute = r->attribute,
		.layout = r->layout,
		.fields = projection_text(line->format->fields),
	};
	uint32_t mix = key.begin ^ key.begin >> 8 ^ key.begin >> 16 ^ key.attribute_id * 31u ^
		       key.attribute_id >> 8;
	struct shape **first = &plans->shapes[mix % CACHE_HASH], *s;

	for (s = *first; s && !shape_is(&s->key, &key);)
		s = s->next;
	if (s || plans->n >= CACHE_MAX)
		return s;
	s = shape_new(&key);
	if (!s)
		return NULL;
	s->next = *first;
	*first = s;
	plans->n++;
	return s;
}

/* Checks if any bits are set outside of mask (NULL: any bits at all). */
static bool shape_beyond(const uint8_t *bytes, const uint8_t *mask, size_t n)
{
	uint64_t any = 0, v, m = 0;

	for (; n >= 8; n -= 8, bytes += 8) {
		memcpy(&v, bytes, 8);
		if (mask) {
			memcpy(&m, mask, 8);
			mask += 8;
		}
		any |= v & ~m;
	}
	for (; n; n--)
		any |= *bytes++ & ~(mask ? *mask++ : 0u) & 0xffu;
	return any;
}

/* Checks if there is anything for "rest". */
static bool shape_has_rest(const struct shape *s, const struct line *line)
{
	const struct madkit_record *r = line->record;
	const struct madkit_message *m = r->message;
	size_t end = r->offset + r->len, frame = m->len < MADKIT_MAD_BYTES ? m->len : MADKIT_MAD_BYTES;

	if (line->rest)
		return true;
	if (m->data)
		return shape_beyond(m->mad, s->named, MADKIT_HEADER_BYTES);
	if (!r->record && shape_beyond(m->mad, s->named, r->offset))
		return true;
	if (r->layout && (shape_beyond(r->data, s->named_data, r->layout->bytes) ||
			  shape_beyond(r->data + r->layout->bytes, NULL, r->len - r->layout->bytes)))
		return true;
	if (r->record + 1 < r->records)
		return false;
	if (end < frame && shape_beyond(m->mad + end, s->named + end, frame - end))
		return true;
	end = end > frame ? end : frame;
	return shape_beyond(m->mad + end, NULL, m->len - end);
}

/* Checks if a message has a MAD with all of its data. */
static bool cache_has_data(const struct line *line)
{
	const struct madkit_record *r = line->record;

	return r->data && !r->known && r->message->len >= 64 &&
	       r->len >= (r->layout ? r->layout->bytes : 1) &&
	       (r->layout || line->format->show_keys || !data_is_secret(r));
}

/* Checks if a layout, or NULL, has fields that are shown. */
static bool cache_shows_fields(const struct madkit_layout *layout)
{
	for (unsigned int i = 0; layout && i < layout->nfields; i++)
		if (layout->fields[i].kind != MADKIT_KIND_RESERVED)
			return true;
	return false;
}

/* Checks if a message has only the common header of a MAD, and an object instead of its data. */
static bool cache_has_object(const struct line *line)
{
	const struct madkit_message *m = line->record->message;

	return m->data && line->writer->members && !line->format->fields && !line->record->data &&
	       m->len == MADKIT_HEADER_BYTES && !cache_shows_fields(layout_of_class_header(m->mad, m->len));
}

/* Checks if the line has a shape: a MAD without an error, with all of its data or with an object. */
static bool cache_has_shape(const struct line *line)
{
	const struct madkit_record *r = line->record;
	const struct madkit_message *m = r->message;

	return line->format->plans && !line->format->pretty && m->mad &&
	       (m->data ? cache_has_object(line) : cache_has_data(line)) && !m->hop && !m->unresolved &&
	       !m->tid_partial && !m->send_status && !m->rmpp_status && !m->rmpp_illegal &&
	       m->mad[MADKIT_MAD_BASE_VERSION] == MADKIT_BASE_VERSION_IB &&
	       !(get_be16(m->mad + MADKIT_MAD_STATUS) &
		 (m->mad[MADKIT_MAD_CLASS] == MADKIT_CLASS_SUBN_DR ? 0x7fff : 0xffff));
}

/* Repeats the head of the previous line. */
static bool cache_repeat_head(struct line *line, struct line_previous *head)
{
	size_t begin = line->buf->len, number = head->number - head->begin, behind = head->end - head->behind;
	char *p = madkit_buf_room(line->buf, head->end - head->begin + EMIT_U64_MAX);
	const char *text = line->buf->data;

	if (!p)
		return false;
	memcpy(p, text + head->begin, number);
	p += number;
	if (head->number < head->behind)
		p = emit_u64(p, line->record->record);
	memcpy(p, text + head->behind, behind);
	head->begin = begin;
	head->number = begin + number;
	head->behind = (size_t)(p - text);
	head->end = line->buf->len = head->behind + behind;
	return true;
}

/* Writes everything before the data. */
static bool cache_head(struct line *line, const struct shape *s)
{
	struct line_previous *head = &line->format->plans->head;

	if (head->end)
		return cache_repeat_head(line, head);
	head->begin = head->number = head->behind = line->buf->len;
	line->head = head;
	if (!plan_write(&s->head, line->record->message->mad, line->buf, line))
		return false;
	head->end = line->buf->len;
	return true;
}

/* Writes the line by the plans of its shape. Returns false, and writes nothing, if there are none. */
static bool cache_line(struct line *line)
{
	const struct madkit_record *r = line->record;
	struct shape *s;
	size_t skip = 0;

	if (!cache_has_shape(line))
		return false;
	if (!line->format->plans->head.end)
		line->format->plans->head.nulls = envelope_nulls(r->message) | (uint64_t)!r->message->port
										       << ENVELOPE_N;
	s = cache_shape(line);
	if (!s || (!s->usable && (s->walks > CACHE_WALKS || s->walks++ < CACHE_WALKS)))
		return false;
	if (!s->usable)
		shape_plan(s, line);
	if (!s->usable || r->message->len < s->header)
		return false;
	if (line->writer->title)
		line->writer->title(line);
	/* if memory runs out, the buffer has the error */
	if (!cache_head(line, s))
		return true;
	if (s->key.object)
		line_data(line);
	else if (!plan_write_data(&s->data, r, line->buf, line))
		return true;
	if (!s->tail.len) {
		line->redacted = s->redacted;
		line_tail(line, true);
		return true;
	}
	if (shape_has_rest(s, line)) {
		line->writer->rest(line, true);
		skip = s->rest;
	}
	madkit_buf_add(line->buf, s->tail.data + skip, s->tail.len - skip);
	return true;
}

int cache_lines(struct madkit_buf *buf, const struct madkit_message *message,
		const struct madkit_format *format, const struct line_writer *writer)
{
	struct madkit_record record;
	size_t begin = buf->len;
	int lines = 0;

	if (format->plans)
		format->plans->head.end = 0;
	/* an empty table is also shown */
	madkit_record_get(message, 0, &record);
	do {
		struct line line = { .buf = buf, .writer = writer, .format = format, .record = &record };

		if (format->filter && madkit_expr_eval(format->filter, &record) != 1)
			continue;
		if (!cache_line(&line)) {
			line_walk(&line);
			line_free(&line);
		}
		lines++;
	} while (!buf->error && madkit_record_next(&record));
	if (buf->error) {
		buf->len = begin;
		return buf->error;
	}
	return lines;
}
