/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes records as JSON lines. Each value is followed by a comma, which the end of its object or array
 * removes. Only the buffer allocates memory.
 */
#include <madkit/format.h>
#include <madkit/mad.h>
#include <madkit/writer.h>
#include "format/line.h"
#include "format/rest.h"
#include "util/put.h"
#include "wire/unit.h"

#define KEY(buf, name) put_key(buf, name, strlen(name), "")

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
	struct line *line = context;

	const size_t len = string_length(item);

	if (madkit_json_string(buf, (const char *)madkit_item_bytes(item), len) ||
	    !string_is_exact(item, len))
		line->rest = true;
}

static void json_put_decimal(void *context, struct madkit_buf *buf, const struct madkit_item *item)
{
	struct line *line = context;

	value_number(buf, item, "null");
	if (!unit_is_exact(item->field, item->base, item->len, item->value))
		line->rest = true;
}

static void json_put_quoted(struct line *line, const char *prefix, enum plan_kind kind,
			    const struct madkit_item *item)
{
	madkit_buf_str(line->buf, prefix);
	line_value(line->buf, line->plan, kind, item);
	LIT(line->buf, "\"");
}

static void json_put_plain(struct line *line, const struct madkit_item *item)
{
	const struct madkit_field *field = item->field;

	if (line_hides(line, item))
		LIT(line->buf, "null");
	else if (field->kind == MADKIT_KIND_STRING)
		line_call(line->buf, line->plan, PLAN_CALL, item, json_put_string, line);
	else if (unit_is_decimal(field))
		line_call(line->buf, line->plan, PLAN_CALL, item, json_put_decimal, line);
	else if (field->kind == MADKIT_KIND_GID)
		json_put_quoted(line, "\"", PLAN_GID, item);
	else if (field->kind == MADKIT_KIND_BYTES)
		json_put_quoted(line, "\"", PLAN_BYTES, item);
	else if (field->kind == MADKIT_KIND_COUNTER || field->width <= 32)
		line_value(line->buf, line->plan, PLAN_DECIMAL, item);
	else /* ServiceKey has more than 64 bits */
		json_put_quoted(line, "\"0x", field->width > 64 ? PLAN_BYTES : PLAN_HEX, item);
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
static void json_put_companion(struct line *line, const struct madkit_item *item)
{
	if (item->field->kind == MADKIT_KIND_ENUM) {
		line_call(line->buf, line->plan, PLAN_CALL, item, json_put_value_name, line);
	} else if (item->field->kind == MADKIT_KIND_BITS) {
		LIT(line->buf, "[");
		line_call(line->buf, line->plan, PLAN_BITS, item, json_put_bit_names, line);
		LIT(line->buf, "]");
	} else {
		line_value(line->buf, line->plan, PLAN_TIMES4, item);
	}
	LIT(line->buf, ",");
}

/* Writes the companions of the chosen elements of an array, which has just been closed. */
static void json_put_companions(struct line *line, const struct madkit_item *item)
{
	const struct madkit_field *field = item->field;
	const char *suffix = field_companion_suffix(field);

	if (!suffix)
		return;
	put_key(line->buf, field->name, strlen(field->name), suffix);
	LIT(line->buf, "[");
	for (unsigned int i = 0; i < item->count; i++) {
		struct madkit_item one = *item;

		one.event = MADKIT_WALK_FIELD;
		one.index = i;
		one.bit += madkit_field_offset(field, i) - field->offset;
		if (!projection_item(&line->view, &one))
			continue;
		madkit_field_get(field, i, item->base, item->len, &one.value);
		json_put_companion(line, &one);
	}
	put_close(line->buf, ']');
}

/* Writes a field that is not an element of an array, and its companion. */
static void json_put_field(struct line *line, const struct madkit_item *item)
{
	const struct madkit_field *field = item->field;
	const char *suffix = field_companion_suffix(field);

	KEY(line->buf, field->name);
	json_put_plain(line, item);
	LIT(line->buf, ",");
	if (!suffix)
		return;
	put_key(line->buf, field->name, strlen(field->name), suffix);
	json_put_companion(line, item);
}

/* Writes a field of the port. Enumerations are written as names; a structure without any value is null. */
static void json_port_item(struct line *line, const struct madkit_item *item)
{
	const struct madkit_field *field = item->field;

	if (item->bit < line->null_end)
		return;
	if (item->event == MADKIT_WALK_END) {
		put_close(line->buf, '}');
		return;
	}
	KEY(line->buf, field->name);
	if (item->event != MADKIT_WALK_STRUCT) {
		if (line_is_null(line, item))
			LIT(line->buf, "null");
		else if (field->kind == MADKIT_KIND_ENUM)
			json_put_name(line->buf, madkit_value_name(field->values, item->value));
		else
			json_put_plain(line, item);
		LIT(line->buf, ",");
	} else if (line->known && bytes_are_zero(line->known + item->bit / 8, field->width / 8)) {
		LIT(line->buf, "null,");
		line->null_end = item->bit + field->width;
	} else {
		LIT(line->buf, "{");
	}
}

static void json_item(struct line *line, const struct madkit_item *item)
{
	const struct madkit_field *field = item->field;

	if (item->event == MADKIT_WALK_TRUNCATED)
		return;
	if (line->scope == NAME_PORT || line->layout == &madkit_layout_problem_object ||
	    line->layout == &madkit_layout_difference_object) {
		json_port_item(line, item);
		return;
	}
	switch (item->event) {
	case MADKIT_WALK_ARRAY:
		KEY(line->buf, field->name);
		LIT(line->buf, "[");
		break;
	case MADKIT_WALK_ARRAY_END:
		put_close(line->buf, ']');
		json_put_companions(line, item);
		break;
	case MADKIT_WALK_STRUCT:
		if (!field->count)
			KEY(line->buf, field->name);
		LIT(line->buf, "{");
		break;
	case MADKIT_WALK_END:
		put_close(line->buf, '}');
		break;
	default:
		if (field->count) {
			json_put_plain(line, item);
			LIT(line->buf, ",");
		} else {
			json_put_field(line, item);
		}
		break;
	}
}

static void json_octets(struct line *line)
{
	KEY(line->buf, DATA_BYTES);
	if (!line->format->show_keys && data_is_secret(line->record)) {
		LIT(line->buf, "null");
		return;
	}
	LIT(line->buf, "\"");
	line_octets(line);
	LIT(line->buf, "\"");
}

/* ---- envelope ------------------------------------------------------------ */

/* Writes the value of an entry. item->index is its enum envelope_id. */
static void json_put_entry(void *context, struct madkit_buf *buf, const struct madkit_item *item)
{
	const struct line *line = context;
	struct envelope_value value;

	envelope_get(line->record, (enum envelope_id)item->index, &value);
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

static char *json_emit_number(void *context, unsigned int id, char *p)
{
	struct line *line = context;

	if (id != ENVELOPE_TID)
		return line_emit_number(line, (enum envelope_id)id, p);
	*p++ = '"';
	p = emit_hex(p, envelope_number(line->record, ENVELOPE_TID), 16);
	*p++ = '"';
	return p;
}

static void json_entry(struct line *line, enum envelope_id id)
{
	const struct envelope_entry *e = &envelope_entries[id];

	put_key(line->buf, e->name + e->key, e->key_len, "");
	line_entry(line, id, json_put_entry, e->number ? json_emit_number : NULL);
	LIT(line->buf, ",");
}

/* ---- indentation ---------------------------------------------------------- */

static void json_newline(struct madkit_buf *buf, unsigned int depth)
{
	madkit_buf_char(buf, '\n');
	while (depth--)
		madkit_buf_add(buf, "  ", 2);
}

/* Reformats the line from begin to the end of the buffer as several lines. */
static void json_indent(struct madkit_buf *buf, size_t begin)
{
	size_t end = buf->len;
	unsigned int depth = 0;
	bool quoted = false;

	/* the indented form is appended and then moved */
	for (size_t i = begin; i < end && !buf->error; i++) {
		char c = buf->data[i];

		if (quoted) {
			madkit_buf_char(buf, c);
			if (c == '\\' && i + 1 < end)
				madkit_buf_char(buf, buf->data[++i]);
			else if (c == '"')
				quoted = false;
		} else if ((c == '{' || c == '[') && i + 1 < end &&
			   (buf->data[i + 1] == '}' || buf->data[i + 1] == ']')) {
			madkit_buf_char(buf, c);
			madkit_buf_char(buf, buf->data[++i]);
		} else if (c == '{' || c == '[') {
			madkit_buf_char(buf, c);
			json_newline(buf, ++depth);
		} else if (c == '}' || c == ']') {
			depth -= depth > 0;
			json_newline(buf, depth);
			madkit_buf_char(buf, c);
		} else if (c == ',') {
			madkit_buf_char(buf, c);
			json_newline(buf, depth);
		} else if (c == ':') {
			madkit_buf_add(buf, ": ", 2);
		} else {
			quoted = c == '"';
			madkit_buf_char(buf, c);
		}
	}
	if (buf->error)
		return;
	memmove(buf->data + begin, buf->data + end, buf->len - end);
	buf->len -= end - begin;
}

/* ---- objects ------------------------------------------------------------- */

static bool json_shows_port(const struct line *line)
{
	return projection_port(line->format->fields, line->record->message->kind == MADKIT_MESSAGE_PORT);
}

static bool json_begin(struct line *line, enum line_object object, bool known)
{
	static const char *const keys[] = {
		[LINE_REMOTE] = "remote", [LINE_PORT] = ENVELOPE_PORT, [LINE_STATUS] = "status",
		[LINE_HEADER] = "header", [LINE_RMPP] = "rmpp",        [LINE_DATA] = "data",
	};
	const struct madkit_projection *fields = line->format->fields;
	const enum madkit_message_kind kind = line->record->message->kind;
	const char *key = keys[object];

	if (object == LINE_TOP) {
		line->noting = !line->format->show_keys && line->record->message->mad &&
			       projection_group(fields, "redacted");
		line->begin = line->buf->len;
		LIT(line->buf, "{");
		return true;
	}
	/* the fields of a port are in "port" instead of "data", those of a problem or difference in a key of that name */
	if (object == LINE_DATA && kind == MADKIT_MESSAGE_PORT) {
		if (!madkit_projection_has(fields, "data"))
			return false;
		known = false;
	}
	if (object == LINE_DATA && (kind == MADKIT_MESSAGE_PROBLEM || kind == MADKIT_MESSAGE_DIFFERENCE)) {
		if (madkit_projection_has(fields, "data"))
			LIT(line->buf, "\"data\":null,");
		key = kind == MADKIT_MESSAGE_PROBLEM ? ENVELOPE_PROBLEM : ENVELOPE_DIFFERENCE;
	}
	if (object == LINE_PORT ? !json_shows_port(line) : !projection_group(fields, key))
		return false;
	line->null_end = 0;
	KEY(line->buf, key);
	if (known)
		LIT(line->buf, "{");
	else
		LIT(line->buf, "null,");
	return known;
}

static void json_put_redacted(struct line *line)
{
	if (!projection_group(line->format->fields, "redacted"))
		return;
	KEY(line->buf, "redacted");
	LIT(line->buf, "[");
	if (line->redacted.error)
		line->buf->error = line->redacted.error;
	madkit_buf_add(line->buf, line->redacted.data, line->redacted.len);
	put_close(line->buf, ']');
}

static void json_end(struct line *line, enum line_object object)
{
	const struct madkit_unresolved *to = line->record->message->unresolved;

	if (object == LINE_REMOTE && to && !to->name &&
	    projection_entry(line->format->fields, ENVELOPE_REMOTE_LID)) {
		KEY(line->buf, "guid");
		put_quoted_hex(line->buf, to->guid, 16);
		LIT(line->buf, ",");
	}
	if (object == LINE_TOP)
		json_put_redacted(line);
	put_close(line->buf, '}');
	if (object != LINE_TOP || line->buf->error)
		return;
	line->buf->data[line->buf->len - 1] = '\n';
	if (line->format->pretty)
		json_indent(line->buf, line->begin);
}

static void json_members(struct line *line, const char *key, const struct madkit_object *object)
{
	struct madkit_writer writer;

	if (!projection_group(line->format->fields, key))
		return;
	madkit_writer_begin(&writer, line->buf);
	madkit_writer_object(&writer, key);
	object->write(object->context, &writer);
	madkit_writer_close(&writer);
}

static void json_rest(struct line *line, bool any)
{
	if (!projection_group(line->format->fields, "rest"))
		return;
	LIT(line->buf, "\"rest\":{");
	if (any)
		rest_put(line->buf, line->record, line->format->show_keys);
	put_close(line->buf, '}');
}

/* ---- lines --------------------------------------------------------------- */

static const struct line_writer json_writer = {
	.nested = true,
	.begin = json_begin,
	.end = json_end,
	.entry = json_entry,
	.item = json_item,
	.octets = json_octets,
	.members = json_members,
	.rest = json_rest,
};

int madkit_format_json(struct madkit_buf *buf, const struct madkit_message *message,
		       const struct madkit_format *format)
{
	return cache_lines(buf, message, format, &json_writer);
}
