/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads the data of a line (one record of the message, which grows with each record) and its rest (bytes of the
 * message by their offsets). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/mad.h>
#include <madkit/num.h>
#include <madkit/rmpp.h>
#include "expr/value.h"
#include "json/in.h"
#include "json/value.h"
#include "util/array_size.h"
#include "util/bits.h"
#include "util/word.h"
#include "wire/payload.h"
#include "wire/wire_int.h"

/* Checks for bytes with an unknown layout, or of a later segment. */
static bool data_is_bytes(const struct madkit_attribute *a, const struct json_token *data)
{
	struct madkit_place place;

	return data->len == 1 && line_member(data, DATA_BYTES) &&
	       (!a || !a->layout || !json_is(line_member(data, DATA_BYTES), SCAN_STRING) ||
		madkit_place_find(a->layout, DATA_BYTES, strlen(DATA_BYTES), &place, NULL));
}

/* Returns the layout of all blocks of a register if the data has a field, or a text, that one block cannot have. */
static const struct madkit_layout *json_data_layout(const struct madkit_attribute *a,
						    const struct json_token *data)
{
	struct madkit_place place, joined;

	if (!a->joined)
		return a->layout;
	json_each(key, data) {
		if (madkit_place_find(a->joined, key->text, key->len, &joined, NULL))
			continue;
		if (madkit_place_find(a->layout, key->text, key->len, &place, NULL) ||
		    (place.field->width < joined.field->width &&
		     json_length(key + 1) > place.field->width / 8))
			return a->joined;
	}
	return a->layout;
}

static void json_data_extend(struct madkit_json_in *in, size_t end)
{
	if (end > in->end)
		in->end = end;
}

static int json_data_put_bytes(struct madkit_json_in *in, size_t at, const struct json_token *value,
			       struct madkit_error *error)
{
	size_t n = json_length(value) / 2;
	int ret = line_reach(&in->mad, at + n, "data", DATA_BYTES, error);

	if (ret)
		return ret;
	json_data_extend(in, at + n);
	ret = json_get_bytes(value, (uint8_t *)in->mad.data + at, in->mad.len - at, "data", DATA_BYTES,
			     error);
	return ret < 0 ? ret : 0;
}

/* Returns where the data of the record begins. */
static size_t data_begin(const struct madkit_json_in *in, uint64_t record)
{
	const uint8_t *mad = (const uint8_t *)in->mad.data;
	size_t at = madkit_attribute_offset(mad[MADKIT_MAD_BASE_VERSION], mad[MADKIT_MAD_CLASS],
					    in->message.attribute);

	if (record && mad[MADKIT_MAD_CLASS] == MADKIT_CLASS_SA)
		at += record * 8 * get_be16(mad + MADKIT_SA_ATTRIBUTE_OFFSET);
	return at;
}

/* Writes the component mask of the given fields. */
static int data_put_mask(const struct madkit_layout *layout, uint8_t *mad, size_t at, size_t bytes,
			 uint64_t mask, struct madkit_error *error)
{
	struct madkit_error reason = { .text = "" };

	if (!(mad[MADKIT_MAD_METHOD] & MADKIT_METHOD_RESPONSE) &&
	    madkit_select_components(layout, mad + at, bytes, &mask, &reason))
		return json_error(error, "", "data", "%s", reason.text);
	put_be64(mad + MADKIT_SA_COMPONENT_MASK, mask);
	return 0;
}

/* "CounterSelect":"all" means every counter of the attribute, including those that CounterSelect2 selects. */
static int data_select_all(struct json_target *target, const struct json_token *data,
			   struct madkit_error *error)
{
	static const char name[] = "CounterSelect2";
	const struct json_token *select = json_member(data, "CounterSelect");
	struct madkit_place place;

	if (!json_is_text(select) || !names_have("all", select->text, select->len) ||
	    madkit_attribute_place(target->attribute, target->base, target->len, name, sizeof(name) - 1,
				   &place, NULL) ||
	    madkit_place_given(&place, target->given, GIVEN_BYTES))
		return 0;
	return json_put_member(target, name, select, error);
}

int data_put(struct madkit_json_in *in, const struct json_token *line, uint64_t record,
	     struct madkit_error *error)
{
	const struct madkit_attribute *a = in->message.attribute;
	/* a printed failure has its reason as data; its MAD is in the header and the rest */
	bool failure = in->message.kind == MADKIT_MESSAGE_ERROR || in->message.kind == MADKIT_MESSAGE_TIMEOUT;
	const struct json_token *data =
		failure && in->message.given & MADKIT_JSON_PRINTED ? NULL : line_member(line, "data");
	uint8_t given[GIVEN_BYTES] = { 0 };
	struct json_target target = { .attribute = a, .scope = "data", .given = given };
	size_t at = data_begin(in, record), bytes;
	bool bytes_alone;
	uint8_t *mad;
	int ret;

	if (record && in->records > 1 && in->mad.len >= MADKIT_SA_DATA &&
	    !get_be16((uint8_t *)in->mad.data + MADKIT_SA_ATTRIBUTE_OFFSET))
		return json_error(error, "header", "attribute_offset", "is 0 in a table of several records");
	/* bytes of a printed line that are not in its data are in its rest, or zero */
	if (data && data->kind != SCAN_OBJECT)
		return json_error(error, "", "data", "must be an object or null");
	bytes_alone = data && data_is_bytes(a, data);
	if (in->message.given & MADKIT_JSON_PRINTED && (!data || bytes_alone))
		in->message.given |= MADKIT_JSON_WHOLE;
	if (!data)
		return 0;
	if (bytes_alone) {
		in->message.given |= MADKIT_JSON_PORT | MADKIT_JSON_SELECT;
		return json_data_put_bytes(in, at, line_member(data, DATA_BYTES), error);
	}
	if (!a || !a->layout)
		return data->len ?
			       json_error(error, "", "data",
					  "no table knows its fields: give {\"" DATA_BYTES "\":\"HEX\"}") :
			       0;
	bytes = json_data_layout(a, data)->bytes;
	ret = line_extend(&in->mad,
			  at + bytes > data_begin(in, record + 1) ? at + bytes : data_begin(in, record + 1));
	if (ret)
		return ret;
	mad = (uint8_t *)in->mad.data;
	target.base = mad + at;
	target.len = bytes;
	target.rest = line_member(line, "rest");
	target.offset = at;
	ret = json_put_object(&target, data, error);
	if (!ret)
		ret = data_select_all(&target, data, error);
	if (ret)
		return ret;
	in->message.given |= (target.port ? MADKIT_JSON_PORT : 0u) |
			     (target.select ? MADKIT_JSON_SELECT : 0u);
	json_data_extend(in, at + target.end);
	in->partial = !json_is_whole(madkit_attribute_layout(a, target.base, bytes), data);
	in->record_end = at + bytes;
	if (!in->partial)
		in->message.given |= MADKIT_JSON_WHOLE;
	if (mad[MADKIT_MAD_CLASS] == MADKIT_CLASS_SA && !record &&
	    !line_member(line_member(line, "header"), "component_mask"))
		return data_put_mask(a->layout, mad, at, bytes, target.mask, error);
	return 0;
}

/* ---- rest ------------------------------------------------------------------ */

/* Returns the bits of the common header that fields cover, zero or not: rest must not change anything that
 * was checked. */
static uint8_t header_bits(const uint8_t *mad, size_t at)
{
	uint8_t all[MADKIT_HEADER_BYTES], unnamed[MADKIT_HEADER_BYTES];

	if (at >= sizeof(all))
		return 0;
	memset(all, 0xff, sizeof(all));
	layout_rest(layout_of_header(mad[MADKIT_MAD_CLASS]), all, sizeof(all), unnamed);
	return (uint8_t)~unnamed[at];
}

/* Writes one entry: bytes in hex. */
static int put_entry(struct madkit_buf *buf, const char *key, const struct json_token *value, size_t *end,
		     struct madkit_error *error)
{
	size_t n = json_length(value) / 2;
	uint8_t *bytes, *mad;
	uint64_t at;
	int ret;

	if (madkit_parse_number(key, strlen(key), LINE_MESSAGE_MAX, key, &at, NULL))
		return json_error(error, "rest", key, "is not a byte offset");
	ret = line_reach(buf, at + n, "rest", key, error);
	bytes = ret ? NULL : malloc(n + 1);
	if (!bytes)
		return ret ? ret : -ENOMEM;
	mad = (uint8_t *)buf->data;
	ret = json_get_bytes(value, bytes, n, "rest", key, error);
	for (size_t i = 0; ret >= 0 && i < n; i++) {
		if ((mad[at + i] | header_bits(mad, at + i)) & bytes[i])
			ret = json_error(error, "rest", key, "byte %zu also has bits of a field",
					 (size_t)at + i);
		mad[at + i] |= bytes[i];
	}
	free(bytes);
	if (at + n > *end)
		*end = (size_t)at + n;
	return ret < 0 ? ret : 0;
}

int line_rest(struct madkit_buf *mad, const struct json_token *rest, size_t *end, struct madkit_error *error)
{
	int ret = 0;

	if (!rest)
		return 0;
	if (!json_is(rest, SCAN_OBJECT))
		return json_error(error, "", "rest", "is not an object");
	json_each(key, rest) {
		ret = put_entry(mad, key->text, key + 1, end, error);
		if (ret)
			break;
	}
	return ret;
}

/* ---- the end ------------------------------------------------------------------ */

/*
 * Sets the length of a printed message to the end of its bytes: a record may have been cut by the frame. The
 * padding of the last record is all zeros, and only PayloadLength distinguishes it from no padding.
 */
void data_end(struct madkit_json_in *in)
{
	const uint8_t *mad = (const uint8_t *)in->mad.data;
	size_t frame = madkit_mad_bytes(mad[MADKIT_MAD_BASE_VERSION]), begin;
	uint64_t declared = 0;

	if (!(in->message.given & MADKIT_JSON_PRINTED) || in->mad.len <= frame)
		return;
	if (madkit_mad_has_rmpp(mad, in->mad.len) &&
	    (madkit_rmpp_get_flags(mad) & (MADKIT_RMPP_FIRST | MADKIT_RMPP_LAST)) == MADKIT_RMPP_FIRST) {
		begin = data_begin(in, 0);
		declared = begin + payload_data(madkit_rmpp_get_length(mad), frame, begin);
	}
	if (!in->partial && declared > frame && declared >= in->end &&
	    (declared == in->record_end || declared == in->mad.len ||
	     (in->end > frame && declared > in->record_end && declared < in->mad.len)))
		in->mad.len = (size_t)declared;
	else if (in->end <= frame)
		in->mad.len = frame;
	else if (in->partial)
		in->mad.len = in->end;
}
