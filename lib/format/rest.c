/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <string.h>
#include <madkit/buf.h>
#include <madkit/mad.h>
#include <madkit/rmpp.h>
#include "expr/value.h"
#include "util/bits.h"
#include "util/emit.h"
#include "format/redact.h"
#include "format/rest.h"
#include "util/utf8.h"
#include "wire/unit.h"
#include "wire/wire_int.h"

/* Joins adjacent bytes into one entry. */
struct rest {
	struct madkit_buf *buf;
	size_t next; /* offset of the byte that would continue the entry */
	bool open;
};

static void rest_end(struct rest *rest)
{
	if (rest->open)
		madkit_buf_add(rest->buf, "\",", 2);
	rest->open = false;
}

/* Adds n bytes at an offset of the message, except those that are zero. */
static void rest_bytes(struct rest *rest, size_t offset, const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char *p;

		if (!bytes[i])
			continue;
		if (rest->open && rest->next != offset + i)
			rest_end(rest);
		p = madkit_buf_room(rest->buf, EMIT_U64_MAX + 6);
		if (!p)
			return;
		if (!rest->open) {
			*p++ = '"';
			p = emit_u64(p, offset + i);
			memcpy(p, "\":\"", 3);
			p += 3;
			rest->open = true;
		}
		p = emit_bytes(p, bytes + i, 1);
		rest->buf->len = (size_t)(p - rest->buf->data);
		rest->next = offset + i + 1;
	}
}

/* Checks if JSON represents all of a string. */
static bool rest_has_string(const struct madkit_item *item)
{
	const uint8_t *s = madkit_item_bytes(item);
	const size_t len = string_length(item);
	size_t i, n;

	for (i = 0; i < len; i += n)
		if (!(n = utf8_length(s + i, len - i)))
			return false;
	return string_is_exact(item, len);
}

/* Keeps strings and numbers as a whole if JSON does not represent all of their bits. */
static int rest_keep(void *context, const struct madkit_item *item)
{
	const struct madkit_field *field = item->field;
	uint8_t *bytes = context;

	if (item->event != MADKIT_WALK_FIELD)
		return 0;
	if (field->kind == MADKIT_KIND_STRING && !rest_has_string(item))
		memcpy(bytes + item->bit / 8, madkit_item_bytes(item), field->width / 8);
	else if (unit_is_decimal(field) && !unit_is_exact(field, item->base, item->len, item->value))
		bits_put(bytes, item->bit, field->width, item->value);
	return 0;
}

/* Keeps in bytes (len bytes, a copy of those at data) only what no named field of the layout covers. */
static void rest_uncover(const struct madkit_layout *layout, const uint8_t *data, size_t len, uint8_t *bytes)
{
	uint8_t copy[MADKIT_FRAME_BYTES];

	memcpy(copy, bytes, len);
	layout_rest(layout, copy, len, bytes);
	madkit_walk(layout, data, len, rest_keep, bytes);
}

/* Adds what follows the last record: padding, or records that were cut. */
static void rest_tail(struct rest *rest, const struct madkit_record *record, const uint8_t *tail,
		      size_t offset, size_t n, bool show_keys)
{
	size_t stride = show_keys ? 0 : redact_tail(record);

	for (size_t at = 0, piece; at < n; at += piece) {
		uint8_t copy[MADKIT_FRAME_BYTES];
		size_t head;

		piece = stride && stride < n - at ? stride : n - at;
		head = piece < sizeof(copy) ? piece : sizeof(copy);
		memcpy(copy, tail + at, head);
		if (stride)
			redact_layout(madkit_attribute_layout(record->attribute, copy, head), copy, head);
		rest_bytes(rest, offset + at, copy, head);
		rest_bytes(rest, offset + at + head, tail + at + head, piece - head);
	}
}

void rest_put(struct madkit_buf *buf, const struct madkit_record *record, bool show_keys)
{
	const struct madkit_message *m = record->message;
	const struct madkit_layout *header;
	struct rest rest = { .buf = buf };
	uint8_t frame[MADKIT_FRAME_BYTES], data[MADKIT_FRAME_BYTES];
	size_t head = m->len < sizeof(frame) ? m->len : sizeof(frame);
	size_t begin = record->offset, end = record->offset + record->len, n;

	if (!rest_shown(m))
		return;
	/* the frame without the named fields of its headers */
	memcpy(frame, m->mad, head);
	if (m->len >= MADKIT_HEADER_BYTES)
		rest_uncover(layout_of_header(m->mad[MADKIT_MAD_CLASS]), m->mad, MADKIT_HEADER_BYTES, frame);
	header = layout_of_class_header(m->mad, m->len);
	if (header)
		rest_uncover(header, m->mad, head, frame);
	if (header && !show_keys)
		redact_layout(header, frame, head);
	if (madkit_mad_has_rmpp(m->mad, m->len))
		rest_uncover(&madkit_layout_rmpp, m->mad, head, frame);
	if (!record->record)
		rest_bytes(&rest, 0, frame, begin < head ? begin : head);
	if (record->data && record->layout) {
		n = record->layout->bytes;
		if (n > record->len)
			n = record->len;
		if (n > sizeof(data))
			n = sizeof(data);
		memcpy(data, record->data, n);
		rest_uncover(record->layout, record->data, n, data);
		if (!show_keys)
			redact_layout(record->layout, data, n);
		rest_bytes(&rest, begin, data, n);
		rest_bytes(&rest, begin + n, record->data + n, record->len - n);
	}
	if (record->record + 1 >= record->records) {
		/* within a frame, a header may continue after the data */
		const uint8_t *tail = m->len == head ? frame : m->mad;

		if (end < m->len && (show_keys || !data_is_secret(record)))
			rest_tail(&rest, record, tail + end, end, m->len - end, show_keys);
	}
	rest_end(&rest);
}

bool rest_likely(const struct madkit_record *r)
{
	const struct madkit_message *m = r->message;
	const struct madkit_class *mgmt_class;
	const struct madkit_layout *header;
	size_t begin, end, tail;

	if (!m->mad)
		return false;
	if (m->len < MADKIT_HEADER_BYTES || (!r->data && m->len > MADKIT_HEADER_BYTES))
		return true;
	/* fields cover OPA's headers only in part */
	if (m->mad[MADKIT_MAD_BASE_VERSION] != MADKIT_BASE_VERSION_IB)
		return true;
	/* of a header alone, fields cover all but this */
	if (!r->data)
		return get_be16(m->mad + MADKIT_MAD_ATTRIBUTE + 2);
	mgmt_class = madkit_class_get(m->mad[MADKIT_MAD_CLASS]);
	if (!r->record) {
		if (get_be16(m->mad + MADKIT_MAD_ATTRIBUTE + 2))
			return true;
		if (madkit_class_is_rmpp(m->mad[MADKIT_MAD_CLASS]) && !madkit_mad_has_rmpp(m->mad, m->len) &&
		    !bytes_are_zero(m->mad + MADKIT_HEADER_BYTES, MADKIT_RMPP_HEADER_BYTES))
			return true;
	}
	begin = r->offset;
	if (r->layout)
		begin += r->layout->bytes < r->len ? r->layout->bytes : r->len;
	else
		begin += r->len;
	end = r->record + 1 < r->records ? r->offset + r->len : m->len;
	/* a header that continues after the data has been checked already */
	header = layout_of_class_header(m->mad, m->len);
	tail = mgmt_class ? mgmt_class->offset + (size_t)mgmt_class->bytes : 0;
	if (header && header->bytes > tail && end > tail)
		end = end > header->bytes ? m->len : tail;
	return end > begin && !bytes_are_zero(m->mad + begin, end - begin);
}
