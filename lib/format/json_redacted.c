/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The names of secrets that were omitted. */
#include <string.h>
#include <madkit/mad.h>
#include "expr/value.h"
#include "format/json_int.h"
#include "format/redact.h"
#include "format/rest.h"
#include "util/put.h"
#include "wire/wire_int.h"

struct redacted {
	struct json *j;
	size_t len; /* of the available data: a secret may be cut */
};

static int redacted_visit(void *context, const struct madkit_item *item)
{
	const struct redacted *redacted = context;
	struct json *j = redacted->j;
	char path[PATH_BYTES];

	if (item->event == MADKIT_WALK_STRUCT)
		path_push(&j->path, item);
	else if (item->event == MADKIT_WALK_END)
		path_pop(&j->path);
	if (item->bit >= (uint64_t)redacted->len * 8 || item->event != MADKIT_WALK_FIELD ||
	    !item_is_secret(item) || !projection_item(&j->view, item))
		return 0;
	path_text(&j->path, item, path);
	madkit_json_string(j->buf, path, strlen(path));
	LIT(j->buf, ",");
	return 0;
}

static void redacted_walk(struct json *j, enum name_scope scope, const struct madkit_layout *layout,
			  size_t len)
{
	/* every field is visited, whatever the length of the message */
	static const uint8_t whole[MADKIT_FRAME_BYTES];
	struct redacted redacted = { j, len };

	path_begin(&j->path, scope == NAME_HEADER ? "header" : "data");
	projection_view(j->format->fields, scope, layout, &j->view);
	madkit_walk(layout, whole, sizeof(whole), redacted_visit, &redacted);
}

void json_redacted(struct json *j)
{
	const struct madkit_record *r = j->record;
	const struct madkit_message *m = r->message;
	const struct madkit_layout *header, *layout = NULL;
	bool whole;

	/* if data is not shown, its bytes are in rest, except for secrets */
	if (r->data)
		layout = r->layout;
	else if (r->attribute && r->offset < m->len && rest_shown(m))
		layout = madkit_attribute_layout(r->attribute, m->mad + r->offset, m->len - r->offset);
	whole = (r->data || layout) && data_is_secret(r);
	if (!j->format->show_keys && m->mad &&
	    (j->secrets || !r->data || whole || (layout && r->len < layout->bytes))) {
		header = layout_of_class_header(m->mad, m->len);
		if (header)
			redacted_walk(j, NAME_HEADER, header, m->len);
		if (whole && projection_group(j->format->fields, "data"))
			LIT(j->buf, "\"data." DATA_BYTES "\",");
		else if (layout && !whole)
			redacted_walk(j, NAME_DATA, layout, r->data ? r->len : m->len - r->offset);
	}
}
