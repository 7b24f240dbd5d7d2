/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Formats records as JSON lines. Each value is followed by a comma, which the end of its object or array
 * removes. Only the buffer allocates memory.
 */
#include <errno.h>
#include <madkit/format.h>
#include <madkit/mad.h>
#include <madkit/rmpp.h>
#include <madkit/writer.h>
#include "expr/value.h"
#include "util/put.h"
#include "format/json_int.h"
#include "format/path.h"
#include "format/plans.h"
#include "format/records.h"
#include "format/redact.h"
#include "format/rest.h"
#include "util/bits.h"
#include "wire/wire_int.h"

/* Ends an object or array, and removes its last comma. */
static void close_with(struct madkit_buf *buf, char end)
{
	if (buf->len && buf->data[buf->len - 1] == ',')
		buf->len--;
	madkit_buf_char(buf, end);
	madkit_buf_char(buf, ',');
}

static void put_key(struct madkit_buf *buf, const char *name, size_t n, const char *suffix, size_t suffix_len)
{
	char *p = madkit_buf_room(buf, n + suffix_len + 3);

	if (!p)
		return;
	*p++ = '"';
	memcpy(p, name, n);
	p += n;
	memcpy(p, suffix, suffix_len);
	p += suffix_len;
	*p++ = '"';
	*p++ = ':';
	buf->len = (size_t)(p - buf->data);
}
#define KEY(buf, name)                put_key(buf, name, strlen(name), "", 0)
#define KEY_SUFFIX(buf, name, suffix) put_key(buf, name, strlen(name), suffix, sizeof(suffix) - 1)

static void put_quoted_hex(struct madkit_buf *buf, uint64_t v, unsigned int digits)
{
	LIT(buf, "\"");
	put_hex(buf, v, digits);
	LIT(buf, "\"");
}

static void json_put_name(struct madkit_buf *buf, const char *name)
{
	if (name)
		madkit_json_string(buf, name, strlen(name));
	else
		LIT(buf, "null");
}

/* ---- fields -------------------------------------------------------------- */

static void json_put_string(void *context, struct madkit_buf *buf, const struct madkit_item *item)
{
	struct json *j = context;

	if (madkit_json_string(buf, (const char *)madkit_item_bytes(item), string_length(item)))
		j->rest = true;
}

static void json_put_quoted(struct json *j, const char *prefix, enum plan_kind kind,
			    const struct madkit_item *item)
{
	madkit_buf_str(j->buf, prefix);
	line_value(j->buf, j->plan, kind, item);
	LIT(j->buf, "\"");
}

static void put_value(struct json *j, const struct madkit_item *item)
{
	const struct madkit_field *field = item->field;

	if (!j->format->show_keys && item_is_secret(item)) {
		j->secrets = true;
		LIT(j->buf, "null");
	} else if (field->kind == MADKIT_KIND_STRING) {
		line_call(j->buf, j->plan, PLAN_CALL, item, json_put_string, j);
	} else if (field->kind == MADKIT_KIND_GID) {
		json_put_quoted(j, "\"", PLAN_GID, item);
	} else if (field->kind == MADKIT_KIND_BYTES) {
		json_put_quoted(j, "\"", PLAN_BYTES, item);
	} else if (field->kind == MADKIT_KIND_COUNTER || field->width <= 32) {
		line_value(j->buf, j->plan, PLAN_DECIMAL, item);
	} else { /* ServiceKey has more than 64 bits */
		json_put_quoted(j, "\"0x", field->width > 64 ? PLAN_BYTES : PLAN_HEX, item);
	}
}

static void json_put_value_name(void *context, struct madkit_buf *buf, const struct madkit_item *item)
{
	(void)context;
	json_put_name(buf, madkit_value_name(item->field->values, item->value));
}

static void json_put_bit_names(void *context, struct madkit_buf *buf, const struct madkit_item *item)
{
	bool any = false;

	(void)context;
	for (const struct madkit_value *v = item->field->values; v && v->name; v++) {
		/* a list may also contain names of whole values */
		if ((v->value & (v->value - 1)) || !(item->value & v->value))
			continue;
		if (any)
			LIT(buf, ",");
		json_put_name(buf, v->name);
		any = true;
	}
}

/* Writes the name of the value, the names of its bits, or its bytes. */
static void json_put_companion(struct json *j, const struct madkit_item *item)
{
	if (item->field->kind == MADKIT_KIND_ENUM) {
		line_call(j->buf, j->plan, PLAN_CALL, item, json_put_value_name, j);
	} else if (item->field->kind == MADKIT_KIND_BITS) {
		LIT(j->buf, "[");
		line_call(j->buf, j->plan, PLAN_BITS, item, json_put_bit_names, j);
		LIT(j->buf, "]");
	} else {
		line_value(j->buf, j->plan, PLAN_TIMES4, item);
	}
	LIT(j->buf, ",");
}

static bool reserved_is_zero(const struct madkit_item *item)
{
	if (item->field->width <= 64)
		return !item->value;
	return bytes_are_zero(madkit_item_bytes(item), (item->field->width + 7) / 8);
}

/* Writes the companions of the chosen elements of an array, which has just been closed. */
static void array_companions(struct json *j, const struct madkit_item *item)
{
	const struct madkit_field *field = item->field;
	const char *suffix = field_companion_suffix(field);

	if (!suffix)
		return;
	put_key(j->buf, field->name, strlen(field->name), suffix, strlen(suffix));
	LIT(j->buf, "[");
	for (unsigned int i = 0; i < item->count; i++) {
		struct madkit_item one = *item;

		one.event = MADKIT_WALK_FIELD;
		one.index = i;
		one.bit += madkit_field_offset(field, i) - field->offset;
		if (!projection_item(&j->view, &one))
			continue;
		madkit_field_get(field, i, item->base, item->len, &one.value);
		json_put_companion(j, &one);
	}
	close_with(j->buf, ']');
}

static int json_visit(void *context, const struct madkit_item *item)
{
	struct json *j = context;
	const struct madkit_field *field = item->field;
	const char *suffix;
	bool chosen;

	if (item->event == MADKIT_WALK_TRUNCATED) {
		j->rest = true;
		return 0;
	}
	if (field->kind == MADKIT_KIND_RESERVED) {
		if (item->event == MADKIT_WALK_FIELD && !reserved_is_zero(item))
			j->rest = true;
		return 0;
	}
	/* part of an element of a VARIABLE array may remain */
	if (item->event == MADKIT_WALK_ARRAY && item->count < madkit_field_count(field))
		j->rest = true;
	if (j->plan && (field->flags & MADKIT_FIELD_VARIABLE))
		j->plan->error = -EINVAL;
	chosen = projection_item(&j->view, item);
	switch (item->event) {
	case MADKIT_WALK_ARRAY:
		if (!chosen)
			return 0;
		KEY(j->buf, field->name);
		LIT(j->buf, "[");
		break;
	case MADKIT_WALK_ARRAY_END:
		if (!chosen)
			return 0;
		close_with(j->buf, ']');
		array_companions(j, item);
		break;
	case MADKIT_WALK_STRUCT:
		if (!chosen)
			return 0;
		if (!field->count)
			KEY(j->buf, field->name);
		LIT(j->buf, "{");
		break;
	case MADKIT_WALK_END:
		if (chosen)
			close_with(j->buf, '}');
		break;
	default:
		if (!chosen)
			return 0;
		if (!field->count)
			KEY(j->buf, field->name);
		put_value(j, item);
		LIT(j->buf, ",");
		if (!field->count && (suffix = field_companion_suffix(field))) {
			put_key(j->buf, field->name, strlen(field->name), suffix, strlen(suffix));
			json_put_companion(j, item);
		}
		break;
	}
	return j->buf->error;
}

static void json_walk(struct json *j, enum name_scope scope, const struct madkit_layout *layout,
		      const uint8_t *base, size_t len)
{
	/* a plan contains every field, whatever the length of the message */
	static const uint8_t whole[MADKIT_FRAME_BYTES];

	projection_view(j->format->fields, scope, layout, &j->view);
	madkit_walk(layout, j->plan ? whole : base, j->plan ? sizeof(whole) : len, json_visit, j);
}

/* ---- envelope ------------------------------------------------------------ */

/* Writes the value of an entry. item->index is its enum envelope_id. */
static void json_put_entry(void *context, struct madkit_buf *buf, const struct madkit_item *item)
{
	struct json *j = context;
	struct envelope_value value;

	envelope_get(j->record, (enum envelope_id)item->index, &value);
	switch (value.type) {
	case ENVELOPE_NONE:
		LIT(buf, "null");
		break;
	case ENVELOPE_NUMBER:
		put_number(buf, value.number);
		break;
	case ENVELOPE_HEX64:
		put_quoted_hex(buf, value.number, 16);
		break;
	case ENVELOPE_TEXT:
		madkit_json_string(buf, value.text, value.len);
		break;
	case ENVELOPE_PLAIN:
		LIT(buf, "\"");
		madkit_buf_add(buf, value.text, value.len);
		LIT(buf, "\"");
		break;
	case ENVELOPE_JSON:
		madkit_buf_add(buf, value.text, value.len);
		break;
	}
}

/* Writes the number of an entry in a plan. */
static char *json_emit_number(void *context, unsigned int id, char *p)
{
	const struct json *j = context;
	struct plans_head *head = &j->format->plans->head;
	char *end = emit_u64(p, envelope_number(j->record, (enum envelope_id)id));

	if (id == ENVELOPE_RECORD) {
		head->number = (size_t)(p - j->buf->data);
		head->behind = (size_t)(end - j->buf->data);
	}
	return end;
}

/* For values that are not fields of a layout. */
static const struct madkit_field octets = { .kind = MADKIT_KIND_BYTES };

/* Entries of the header that differ between the lines of a plan, as fields. */
static const struct madkit_field entry_modifier = {
	.offset = MADKIT_MAD_MODIFIER * 8,
	.width = 32,
	.kind = MADKIT_KIND_UNSIGNED,
};
static const struct madkit_field entry_tid = {
	.offset = MADKIT_MAD_TID * 8,
	.width = 64,
	.kind = MADKIT_KIND_HEX,
};

/* Returns a field of the header as an item. */
static struct madkit_item header_item(const struct json *j, const struct madkit_field *field)
{
	const struct madkit_message *m = j->record->message;

	return (struct madkit_item){
		.event = MADKIT_WALK_FIELD,
		.field = field,
		.count = 1,
		.base = m->mad,
		.len = m->len,
		.bit = field->offset,
		.value = bits_get(m->mad, field->offset, field->width),
	};
}

/* Checks if an entry varies. Lines of a plan have the same kind, the same nulls, no error, and the same
 * header except for two entries. */
static bool json_entry_varies(const struct json *j, unsigned int id)
{
	return id > ENVELOPE_KIND && id < ENVELOPE_STATUS_SEND &&
	       !(envelope_nulls(j->record->message) >> id & 1);
}

static void json_entries(struct json *j, enum envelope_id first, enum envelope_id last)
{
	for (unsigned int id = first; id <= last; id++) {
		const struct envelope_entry *e = &envelope_entries[id];
		struct madkit_item item = { .field = &octets, .index = id, .count = 1 };

		if (!projection_entry(j->format->fields, (enum envelope_id)id))
			continue;
		put_key(j->buf, e->name + e->key, e->key_len, "", 0);
		if (j->plan && (id == ENVELOPE_MODIFIER || id == ENVELOPE_TID)) {
			item = header_item(j, id == ENVELOPE_TID ? &entry_tid : &entry_modifier);
			put_value(j, &item);
		} else if (!j->plan || !json_entry_varies(j, id)) {
			json_put_entry(j, j->buf, &item);
		} else if (e->number) {
			plan_emit(j->plan, &item, json_emit_number);
		} else {
			line_call(j->buf, j->plan, PLAN_CALL, &item, json_put_entry, j);
		}
		LIT(j->buf, ",");
	}
}

/* Begins an object of the envelope, or writes null if it is not known. Returns true if its entries must
 * follow. */
static bool open_group(struct json *j, const char *name, bool known)
{
	if (!projection_group(j->format->fields, name))
		return false;
	KEY(j->buf, name);
	if (known)
		LIT(j->buf, "{");
	else
		LIT(j->buf, "null,");
	return known;
}

static void json_put_header(struct json *j)
{
	const struct madkit_message *m = j->record->message;
	bool known = m->mad && m->len >= MADKIT_HEADER_BYTES;
	const struct madkit_layout *layout;

	if (!open_group(j, "header", known))
		return;
	json_entries(j, ENVELOPE_CLASS, ENVELOPE_STATUS);
	layout = layout_of_header(m->mad[MADKIT_MAD_CLASS]);
	projection_view(j->format->fields, NAME_HEADER, layout, &j->view);
	for (unsigned int i = 0; i < layout->nfields; i++) {
		struct madkit_item item;

		if (envelope_has_field(&layout->fields[i]))
			continue;
		item = header_item(j, &layout->fields[i]);
		json_visit(j, &item);
	}
	layout = layout_of_class_header(m->mad, m->len);
	if (layout)
		json_walk(j, NAME_HEADER, layout, m->mad, m->len);
	close_with(j->buf, '}');
}

static void json_put_octets(void *context, struct madkit_buf *buf, const struct madkit_item *item)
{
	const struct json *j = context;

	(void)item;
	put_bytes(buf, j->record->data, j->record->len);
}

static void json_put_members(struct madkit_buf *buf, const char *key, const struct madkit_object *members)
{
	struct madkit_writer writer;

	madkit_writer_begin(&writer, buf);
	madkit_writer_object(&writer, key);
	members->write(members->context, &writer);
	madkit_writer_close(&writer);
}

void json_put_data(struct json *j)
{
	const struct madkit_record *r = j->record;
	const struct madkit_object *own = r->message->data;
	bool is_port = r->message->kind == MADKIT_MESSAGE_PORT;

	/* the fields of a port are in "port" instead */
	if (is_port && !madkit_projection_has(j->format->fields, "data"))
		return;
	if (own && projection_group(j->format->fields, "data")) {
		json_put_members(j->buf, "data", own);
		return;
	}
	if (!open_group(j, "data", r->data && !is_port))
		return;
	if (r->layout) {
		json_walk(j, NAME_DATA, r->layout, r->data, r->len);
	} else {
		const struct madkit_item item = { .field = &octets };

		KEY(j->buf, DATA_BYTES);
		if (!j->format->show_keys && data_is_secret(r)) {
			LIT(j->buf, "null");
		} else {
			LIT(j->buf, "\"");
			line_call(j->buf, j->plan, PLAN_CALL, &item, json_put_octets, j);
			LIT(j->buf, "\"");
		}
	}
	close_with(j->buf, '}');
}

/* ---- port ------------------------------------------------------------------ */

/* Checks if no field of a structure of the port has a value. */
static bool json_port_null(const struct madkit_record *port, const struct madkit_item *item)
{
	return port->known && bytes_are_zero(port->known + item->bit / 8, item->field->width / 8);
}

static void json_port_value(struct json *j, const struct madkit_item *item)
{
	const struct madkit_record *port = j->record->message->port;

	if (port->known && !bits_test(port->known, item->bit))
		LIT(j->buf, "null");
	else if (item->field->kind == MADKIT_KIND_ENUM)
		json_put_name(j->buf, madkit_value_name(item->field->values, item->value));
	else
		put_value(j, item);
	LIT(j->buf, ",");
}

static int json_port_visit(void *context, const struct madkit_item *item)
{
	struct json *j = context;
	const struct madkit_field *field = item->field;

	if (item->event == MADKIT_WALK_TRUNCATED || item->bit < j->null_end ||
	    !projection_item(&j->view, item))
		return 0;
	if (item->event == MADKIT_WALK_END) {
		close_with(j->buf, '}');
		return j->buf->error;
	}
	KEY(j->buf, field->name);
	if (item->event != MADKIT_WALK_STRUCT) {
		json_port_value(j, item);
	} else if (json_port_null(j->record->message->port, item)) {
		LIT(j->buf, "null,");
		j->null_end = item->bit + field->width;
	} else {
		LIT(j->buf, "{");
	}
	return j->buf->error;
}

/* Writes the object without its key. Enumerations are written as names. */
static void json_put_port_object(void *context, struct madkit_buf *buf, const struct madkit_item *item)
{
	struct json *j = context;
	const struct madkit_message *m = j->record->message;
	const struct madkit_record *port = m->port;

	(void)item;
	LIT(buf, "{");
	projection_view(j->format->fields, NAME_PORT, port->layout, &j->view);
	j->view.own = m->kind == MADKIT_MESSAGE_PORT;
	j->null_end = 0;
	madkit_walk(port->layout, port->data, port->len, json_port_visit, j);
	close_with(buf, '}');
}

static void json_put_port(struct json *j)
{
	const struct madkit_item item = { .field = &octets, .count = 1 };
	const struct madkit_message *m = j->record->message;

	if (!projection_port(j->format->fields, m->kind == MADKIT_MESSAGE_PORT))
		return;
	KEY(j->buf, ENVELOPE_PORT);
	if (m->port)
		line_call(j->buf, j->plan, PLAN_CALL, &item, json_put_port_object, j);
	else
		LIT(j->buf, "null,");
}

/* ---- lines ----------------------------------------------------------------- */

static void json_put_unresolved(struct madkit_buf *buf, const struct madkit_unresolved *to)
{
	if (to->name)
		return;
	KEY(buf, "guid");
	put_quoted_hex(buf, to->guid, 16);
	LIT(buf, ",");
}

static void json_put_hop(struct json *j)
{
	const struct madkit_object *hop = j->record->message->hop;

	if (hop && projection_group(j->format->fields, "hop"))
		json_put_members(j->buf, "hop", hop);
}

void json_put_head(struct json *j)
{
	const struct madkit_message *m = j->record->message;

	LIT(j->buf, "{");
	json_entries(j, ENVELOPE_SCHEMA, ENVELOPE_RECORDS);
	if (open_group(j, "remote", m->remote != NULL)) {
		json_entries(j, ENVELOPE_REMOTE_LID, ENVELOPE_REMOTE_NAME);
		if (m->unresolved && projection_entry(j->format->fields, ENVELOPE_REMOTE_LID))
			json_put_unresolved(j->buf, m->unresolved);
		close_with(j->buf, '}');
	}
	json_put_port(j);
	json_put_hop(j);
	json_entries(j, ENVELOPE_RTT_US, ENVELOPE_ATTEMPTS);
	if (open_group(j, "status", true)) {
		json_entries(j, ENVELOPE_STATUS_SEND, ENVELOPE_STATUS_TEXT);
		close_with(j->buf, '}');
	}
	json_put_header(j);
	if (open_group(j, "rmpp", m->mad && madkit_mad_has_rmpp(m->mad, m->len))) {
		json_walk(j, NAME_RMPP, &madkit_layout_rmpp, m->mad, m->len);
		close_with(j->buf, '}');
	}
}

void json_put_rest(struct json *j, bool any)
{
	if (!projection_group(j->format->fields, "rest"))
		return;
	LIT(j->buf, "\"rest\":{");
	if (any)
		rest_put(j->buf, j->record, j->format->show_keys);
	close_with(j->buf, '}');
}

void json_put_end(struct json *j)
{
	if (projection_group(j->format->fields, "redacted")) {
		KEY(j->buf, "redacted");
		LIT(j->buf, "[");
		json_redacted(j);
		close_with(j->buf, ']');
	}
	close_with(j->buf, '}');
	if (!j->buf->error)
		j->buf->data[j->buf->len - 1] = '\n';
}

void json_put_line(struct json *j)
{
	json_put_head(j);
	json_put_data(j);
	json_put_rest(j, j->record->message->mad && (j->rest || j->format->fields || rest_likely(j->record)));
	json_put_end(j);
}
