/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lines of JSON to messages: the inverse of json.c. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/json_in.h>
#include <madkit/mad.h>
#include <madkit/num.h>
#include <madkit/rmpp.h>
#include "expr/envelope.h"
#include "expr/value.h"
#include "json/grammar.h"
#include "json/line.h"
#include "json/strict.h"
#include "json/value.h"
#include "util/bits.h"
#include "wire/payload.h"

struct madkit_json_in {
	struct json_tokener *tokener;
	struct madkit_json_message message;
	struct madkit_buf mad, text;	/* text: tag and name, for the message */
	uint64_t seq, next, records;	/* next 0: no message is begun */
	size_t end;		/* of the bytes that its lines have */
	size_t record_end;	/* of the last record, without padding */
	bool partial;		/* it lacks fields */
};

struct madkit_json_in *madkit_json_in_new(void)
{
	struct madkit_json_in *in = calloc(1, sizeof(*in));

	if (!in)
		return NULL;
	in->tokener = json_tokener_new_ex(STRICT_DEPTH_MAX);
	if (!in->tokener) {
		free(in);
		return NULL;
	}
	json_tokener_set_flags(in->tokener, JSON_TOKENER_STRICT |
			       JSON_TOKENER_VALIDATE_UTF8);
	madkit_buf_init(&in->mad, LINE_MESSAGE_MAX);
	madkit_buf_init(&in->text, 0);
	return in;
}

void madkit_json_in_free(struct madkit_json_in *in)
{
	if (!in)
		return;
	json_tokener_free(in->tokener);
	madkit_buf_free(&in->mad);
	madkit_buf_free(&in->text);
	free(in);
}

const struct madkit_json_message *
madkit_json_in_message(const struct madkit_json_in *in)
{
	return &in->message;
}

int madkit_json_in_end(struct madkit_json_in *in, struct madkit_error *error)
{
	uint64_t had = in->next;

	in->next = 0;
	return !had ? 0 : madkit_error_set(error, -ENODATA, -1,
		"records: %" PRIu64 " of %" PRIu64 " came", had, in->records);
}

/* ---- what a line is made of -------------------------------------------------------- */

static bool is_group(const char *key)
{
	static const char *const groups[] = {
		"remote", "status", "header", "rmpp", "data", "rest", "redacted",
	};

	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		if (!strcmp(groups[i], key))
			return true;
	return false;
}

static bool is_header_entry(const char *key)
{
	return line_has_entry(ENVELOPE_HEADER, key);
}

/* What a command printed has all of them, unless --fields took them. */
static int check_entries(struct json_object *object, enum envelope_group group,
			 const char *scope, struct madkit_error *error)
{
	for (unsigned int id = 0; id < ENVELOPE_N; id++) {
		const struct envelope_entry *e = &envelope_entries[id];

		if (e->group == group &&
		    !json_object_object_get_ex(object, e->name + e->key, NULL))
			return json_error(error, scope, e->name + e->key,
				"is missing, as in a line cut by --fields");
	}
	return 0;
}

static int check_line(struct madkit_json_in *in, struct json_object *line,
		      struct madkit_error *error)
{
	struct json_object *value, *header = NULL;

	json_object_object_foreach(line, key, ignored) {
		(void)ignored;
		if (!is_group(key) && !line_has_entry(ENVELOPE_TOP, key))
			return json_error(error, "", key, "no line has such a key");
	}
	if (json_object_object_get_ex(line, "redacted", &value) && value) {
		if (!json_object_is_type(value, json_type_array))
			return json_error(error, "", "redacted", "is to be an array");
		if (json_object_array_length(value))
			return json_error(error, "", "redacted",
				"%.80s was left out: print the line with --show-keys",
				json_object_to_json_string_ext(
					json_object_array_get_idx(value, 0),
					JSON_C_TO_STRING_PLAIN));
	}
	if (!json_object_object_get_ex(line, "header", &header) ||
	    !json_object_is_type(header, json_type_object))
		return json_error(error, "", "header", header ? "is no object" :
			"is missing: a line without a MAD, or cut by --fields");
	if (json_object_object_get_ex(line, "schema", &value)) {
		if (!json_object_is_type(value, json_type_string) ||
		    strcmp(json_object_get_string(value), MADKIT_SCHEMA))
			return json_error(error, "", "schema", "is not " MADKIT_SCHEMA);
		in->message.given |= MADKIT_JSON_PRINTED;
		if (check_entries(line, ENVELOPE_TOP, "", error) ||
		    check_entries(header, ENVELOPE_HEADER, "header", error))
			return -EINVAL;
		for (unsigned int i = 0; i < 3; i++) {
			static const char *const needed[] = { "rmpp", "data", "rest" };

			if (!json_object_object_get_ex(line, needed[i], NULL))
				return json_error(error, "", needed[i],
					"is missing, as in a line cut by --fields");
		}
	} else if (json_object_object_get_ex(header, "method", NULL) &&
		   json_object_object_get_ex(header, "method_id", NULL)) {
		return json_error(error, "", "schema",
				  "is missing, as in a line cut by --fields");
	}
	return 0;
}

/* ---- header ------------------------------------------------------------------------- */

/* Class, method and attribute, by name, by number, or by both where they agree. */
static int get_names(struct json_object *header, struct madkit_header *h,
		     const struct madkit_attribute **attribute,
		     struct madkit_error *error)
{
	const char *class_name, *method_name, *attribute_name;
	struct madkit_error reason = { .text = "" };
	uint64_t class, method, id;
	uint8_t number;

	if (line_text(header, "header", "class", &class_name, error) ||
	    line_text(header, "header", "method", &method_name, error) ||
	    line_text(header, "header", "attribute", &attribute_name, error) ||
	    line_number(header, "header", "class_id", 0xff, UINT64_MAX, &class, error) ||
	    line_number(header, "header", "method_id", 0xff, UINT64_MAX, &method, error) ||
	    line_number(header, "header", "attribute_id", 0xffff, UINT64_MAX, &id, error))
		return -EINVAL;
	if (class_name) {
		if (madkit_class_find(class_name, &number, &reason))
			return json_error(error, "header", "class", "%s", reason.text);
		if (class != UINT64_MAX && class != number)
			return json_error(error, "header", "class_id",
					  "%" PRIu64 " is not class %s", class, class_name);
		class = number;
	}
	*attribute = NULL;
	h->attribute = (uint16_t)id;
	h->mgmt_class = (uint8_t)class;
	if (attribute_name) {
		if (madkit_attribute_find(attribute_name, class == UINT64_MAX ? -1 :
					  (int)class, &h->mgmt_class, &h->attribute,
					  attribute, &reason))
			return json_error(error, "header", "attribute", "%s", reason.text);
		if (id != UINT64_MAX && id != h->attribute)
			return json_error(error, "header", "attribute_id",
					  "%" PRIu64 " is not %s", id, attribute_name);
	} else if (id == UINT64_MAX) {
		return json_error(error, "header", "attribute", "is missing");
	} else if (class == UINT64_MAX) {
		return json_error(error, "header", "class", "is missing");
	}
	if (method_name) {
		if (madkit_method_find(h->mgmt_class, method_name, &h->method))
			return json_error(error, "header", "method",
					  "there is no method '%.40s'", method_name);
		if (method != UINT64_MAX && method != h->method)
			return json_error(error, "header", "method_id",
					  "%" PRIu64 " is not %s", method, method_name);
	} else if (method == UINT64_MAX) {
		return json_error(error, "header", "method", "is missing");
	} else {
		h->method = (uint8_t)method;
	}
	return 0;
}

/* Whether the header of some class has it. */
static bool is_header_field(const char *key)
{
	struct madkit_place place;
	size_t len = strlen(key), n;
	const struct madkit_class *classes = madkit_classes(&n);
	bool found = !madkit_place_find(&madkit_layout_header_dr, key, len, &place, NULL) ||
		     !madkit_place_find(&madkit_layout_header, key, len, &place, NULL);

	if (found)
		return !envelope_has_field(place.field);
	for (size_t i = 0; !found && i < n; i++)
		found = classes[i].header &&
			!madkit_place_find(classes[i].header, key, len, &place, NULL);
	return found;
}

/* Before the names: of "methd" it is to be told that nothing is called so, not that there
 * is no method. */
static int check_header_keys(struct json_object *header, struct madkit_error *error)
{
	json_object_object_foreach(header, key, ignored) {
		(void)ignored;
		if (!is_header_entry(key) && !is_header_field(key))
			return json_error(error, "header", key, "no header has such a key");
	}
	return 0;
}

/* A field of the common header or of the class's that is no entry of the envelope. */
static int put_header_fields(struct madkit_json_in *in, struct json_object *header,
			     struct madkit_error *error)
{
	uint8_t *mad = (uint8_t *)in->mad.data;
	const struct madkit_layout *common = madkit_header_layout(mad[MADKIT_MAD_CLASS]);
	const struct madkit_layout *own = madkit_class_header(mad, in->mad.len);
	unsigned int *given = &in->message.given;

	json_object_object_foreach(header, key, value) {
		struct json_object *one;
		struct json_target target = {
			.layout = common, .scope = "header", .base = mad,
			.len = in->mad.len,
		};
		struct madkit_place place;
		int ret;

		if (is_header_entry(key))
			continue;
		if (madkit_place_find(common, key, strlen(key), &place, NULL) ||
		    envelope_has_field(place.field)) {
			if (!own || madkit_place_find(own, key, strlen(key), &place, NULL))
				return json_error(error, "header", key,
						  "a MAD of this class has none");
			target.layout = own;
		}
		one = json_object_new_object();
		if (!one || json_object_object_add(one, key, json_object_get(value))) {
			json_object_put(one);
			return -ENOMEM;
		}
		ret = json_put_object(&target, one, NULL, error);
		json_object_put(one);
		if (ret)
			return ret;
		if (!strcmp(place.field->name, "m_key"))
			*given |= MADKIT_JSON_M_KEY;
		if (!strcmp(place.field->name, "sm_key"))
			*given |= MADKIT_JSON_SM_KEY;
		if (!strcmp(place.field->name, "initial_path"))
			*given |= MADKIT_JSON_ROUTE;
	}
	return 0;
}

static int put_header(struct madkit_json_in *in, struct json_object *line,
		      struct json_object *header, struct madkit_error *error)
{
	struct json_object *rmpp = line_member(line, "rmpp");
	struct madkit_header h = { .mgmt_class = 0 };
	uint64_t base, version, modifier, tid, status;
	uint32_t oui;
	int ret;

	if (check_header_keys(header, error) ||
	    get_names(header, &h, &in->message.attribute, error) ||
	    line_number(header, "header", "base_version", 0xff, MADKIT_BASE_VERSION_IB, &base,
		       error) ||
	    line_number(header, "header", "class_version", 0xff,
		       madkit_class_version(h.mgmt_class), &version, error) ||
	    line_number(header, "header", "modifier", UINT32_MAX, 0, &modifier, error) ||
	    line_number(header, "header", "tid", UINT64_MAX, 0, &tid, error) ||
	    line_number(header, "header", "status",
		       h.mgmt_class == MADKIT_CLASS_SUBN_DR ? 0x7fff : 0xffff, 0, &status,
		       error))
		return -EINVAL;
	if (line_member(header, "class") || line_member(header, "class_id"))
		in->message.given |= MADKIT_JSON_CLASS;
	else if (h.mgmt_class == MADKIT_CLASS_SUBN && in->message.remote.direct)
		h.mgmt_class = MADKIT_CLASS_SUBN_DR;
	h.base_version = (uint8_t)base;
	h.class_version = (uint8_t)version;
	h.modifier = (uint32_t)modifier;
	h.tid = tid;
	h.status = (uint16_t)status;
	if (line_member(header, "tid"))
		in->message.given |= MADKIT_JSON_TID;
	ret = line_extend(&in->mad, madkit_mad_bytes(h.base_version));
	if (ret)
		return ret;
	madkit_header_put((uint8_t *)in->mad.data, in->mad.len, &h);
	oui = in->message.attribute ? madkit_attribute_oui(in->message.attribute) : 0;
	if (oui)
		bits_put((uint8_t *)in->mad.data, MADKIT_VENDOR2_OUI * 8, 24, oui);
	ret = put_header_fields(in, header, error);
	if (!ret && rmpp) {
		struct json_target target = {
			.layout = &madkit_layout_rmpp, .scope = "rmpp",
			.base = (uint8_t *)in->mad.data, .len = in->mad.len,
		};

		if (!json_object_is_type(rmpp, json_type_object))
			return json_error(error, "", "rmpp", "is neither an object nor null");
		if (!madkit_class_is_rmpp(h.mgmt_class))
			return json_error(error, "", "rmpp", "a MAD of this class has none");
		ret = json_put_object(&target, rmpp, NULL, error);
	}
	in->message.attribute = madkit_attribute_of((uint8_t *)in->mad.data, in->mad.len,
						    in->message.attribute);
	return ret;
}

/* ---- data --------------------------------------------------------------------------- */

/* Bytes whose layout is not known, or of a later segment. */
static bool is_bytes(const struct madkit_attribute *a, struct json_object *data)
{
	struct madkit_place place;

	return json_object_object_length(data) == 1 && line_member(data, DATA_BYTES) &&
	       (!a || !a->layout || !json_object_is_type(line_member(data, DATA_BYTES),
							  json_type_string) ||
		madkit_place_find(a->layout, DATA_BYTES, strlen(DATA_BYTES), &place, NULL));
}

static void reach(struct madkit_json_in *in, size_t end)
{
	if (end > in->end)
		in->end = end;
}

static int put_bytes(struct madkit_json_in *in, size_t at, struct json_object *value,
		     struct madkit_error *error)
{
	size_t n = (size_t)json_object_get_string_len(value) / 2;
	int ret = line_reach(&in->mad, at + n, "data", DATA_BYTES, error);

	if (ret)
		return ret;
	reach(in, at + n);
	ret = json_get_bytes(value, (uint8_t *)in->mad.data + at, in->mad.len - at, "data",
			     DATA_BYTES, error);
	return ret < 0 ? ret : 0;
}

/* Where the record's data begins. */
static size_t data_begin(const struct madkit_json_in *in, uint64_t record)
{
	const uint8_t *mad = (const uint8_t *)in->mad.data;
	size_t at = madkit_attribute_offset(mad[MADKIT_MAD_BASE_VERSION],
					    mad[MADKIT_MAD_CLASS], in->message.attribute);

	if (record && mad[MADKIT_MAD_CLASS] == MADKIT_CLASS_SA)
		at += record * 8 * get_be16(mad + MADKIT_SA_ATTRIBUTE_OFFSET);
	return at;
}

static int put_data(struct madkit_json_in *in, struct json_object *line,
		    uint64_t record, struct madkit_error *error)
{
	const struct madkit_attribute *a = in->message.attribute;
	struct json_object *data = line_member(line, "data");
	struct json_target target = { .attribute = a, .scope = "data" };
	size_t at = data_begin(in, record), bytes;
	uint8_t *mad;
	int ret;

	if (record && in->records > 1 && in->mad.len >= MADKIT_SA_DATA &&
	    !get_be16((uint8_t *)in->mad.data + MADKIT_SA_ATTRIBUTE_OFFSET))
		return json_error(error, "header", "attribute_offset",
				  "is 0 in a table of several records");
	/* what is not in the data of a printed line is in its rest, or zero */
	if (in->message.given & MADKIT_JSON_PRINTED && (!data || is_bytes(a, data)))
		in->message.given |= MADKIT_JSON_WHOLE;
	if (!data)
		return 0;
	if (!json_object_is_type(data, json_type_object))
		return json_error(error, "", "data", "is neither an object nor null");
	if (is_bytes(a, data))
		return put_bytes(in, at, line_member(data, DATA_BYTES), error);
	if (!a || !a->layout)
		return json_object_object_length(data) ?
			json_error(error, "", "data",
				   "no table knows its fields: give {\"" DATA_BYTES "\":\"HEX\"}") : 0;
	bytes = a->layout->bytes;
	ret = line_extend(&in->mad, at + bytes > data_begin(in, record + 1) ? at + bytes :
			  data_begin(in, record + 1));
	if (ret)
		return ret;
	mad = (uint8_t *)in->mad.data;
	target.base = mad + at;
	target.len = bytes;
	target.rest = line_member(line, "rest");
	target.offset = at;
	ret = json_put_object(&target, data, NULL, error);
	if (ret)
		return ret;
	reach(in, at + target.end);
	in->partial = !target.whole;
	in->record_end = at + bytes;
	if (target.whole)
		in->message.given |= MADKIT_JSON_WHOLE;
	if (mad[MADKIT_MAD_CLASS] == MADKIT_CLASS_SA && !record &&
	    !line_member(line_member(line, "header"), "component_mask"))
		put_be64(mad + MADKIT_SA_COMPONENT_MASK, target.mask);
	return 0;
}

/* ---- what else a line says ------------------------------------------------------------ */

static int get_kind(struct madkit_json_in *in, struct json_object *line,
		    struct madkit_error *error)
{
	const char *text;

	in->message.kind = MADKIT_MESSAGE_REQUEST;
	if (line_text(line, "", "kind", &text, error))
		return -EINVAL;
	if (!text)
		return 0;
	for (unsigned int kind = 0; kind <= MADKIT_MESSAGE_SUMMARY; kind++) {
		if (strcmp(madkit_message_kind_name((enum madkit_message_kind)kind), text))
			continue;
		in->message.kind = (enum madkit_message_kind)kind;
		in->message.given |= MADKIT_JSON_KIND;
		return 0;
	}
	return json_error(error, "", "kind", "there is no '%.40s'", text);
}

/* The tag, which outlives the line. */
static int keep_tag(struct madkit_json_in *in, struct json_object *line)
{
	struct json_object *tag = line_member(line, "tag");
	const char *text = tag ? json_object_to_json_string_ext(tag, JSON_C_TO_STRING_PLAIN) :
				 "";

	madkit_buf_reset(&in->text);
	madkit_buf_add(&in->text, text, strlen(text) + 1);
	if (in->text.error)
		return in->text.error;
	in->message.tag = tag ? in->text.data : NULL;
	return 0;
}

/* The name, too: it goes behind the tag. */
static int keep_name(struct madkit_json_in *in)
{
	size_t tag = in->text.len;

	if (!in->message.name)
		return 0;
	madkit_buf_add(&in->text, in->message.name, strlen(in->message.name) + 1);
	if (in->text.error)
		return in->text.error;
	in->message.name = in->text.data + tag;
	if (in->message.tag)
		in->message.tag = in->text.data;
	return 0;
}

/*
 * What was printed ends where its bytes do: a record may have been cut by the frame. The
 * last one's padding is all zeros, and nothing but PayloadLength tells it from none.
 */
static void cut_printed(struct madkit_json_in *in)
{
	const uint8_t *mad = (const uint8_t *)in->mad.data;
	size_t frame = madkit_mad_bytes(mad[MADKIT_MAD_BASE_VERSION]), begin;
	uint64_t declared = 0;

	if (!(in->message.given & MADKIT_JSON_PRINTED) || in->mad.len <= frame)
		return;
	if (madkit_mad_has_rmpp(mad, in->mad.len) &&
	    (madkit_rmpp_get_flags(mad) & (MADKIT_RMPP_FIRST | MADKIT_RMPP_LAST)) ==
	    MADKIT_RMPP_FIRST) {
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

/* ---- lines --------------------------------------------------------------------------- */

static int put_first(struct madkit_json_in *in, struct json_object *line,
		     struct madkit_error *error)
{
	int ret;

	madkit_buf_reset(&in->mad);
	in->end = in->record_end = 0;
	in->partial = false;
	ret = check_line(in, line, error);
	if (!ret)
		ret = get_kind(in, line, error);
	if (!ret)
		ret = line_remote(&in->message, line, error);
	if (!ret)
		ret = put_header(in, line, line_member(line, "header"), error);
	return ret ? ret : keep_name(in);
}

static int put_line(struct madkit_json_in *in, struct json_object *line,
		    struct madkit_error *error)
{
	uint64_t record, records, seq;
	int ret;

	/* whoever is told of a mistake is told the tag */
	if (!in->next && (ret = keep_tag(in, line)))
		return ret;
	if (line_number(line, "", "record", UINT32_MAX, 0, &record, error) ||
	    line_number(line, "", "records", UINT32_MAX, 1, &records, error) ||
	    line_number(line, "", "seq", UINT64_MAX, 0, &seq, error))
		return -EINVAL;
	if (record != in->next || (record && (seq != in->seq || records != in->records)))
		return json_error(error, "", "record", in->next ?
			"%" PRIu64 " does not go on with the message whose record %" PRIu64 " is next" :
			"%" PRIu64 " comes before record %" PRIu64, record, in->next);
	if (!record) {
		ret = put_first(in, line, error);
		in->seq = seq;
		in->records = records;
	} else {
		ret = check_line(in, line, error);
	}
	if (!ret)
		ret = put_data(in, line, record, error);
	if (!ret)
		ret = line_rest(&in->mad, line_member(line, "rest"), &in->end, error);
	if (ret)
		return ret;
	if (record + 1 < records) {
		in->next = record + 1;
		return 0;
	}
	in->next = 0;
	cut_printed(in);
	in->message.mad = (const uint8_t *)in->mad.data;
	in->message.len = in->mad.len;
	return 1;
}

int madkit_json_in_line(struct madkit_json_in *in, const char *line, size_t len,
			struct madkit_error *error)
{
	struct json_object *object = NULL;
	enum json_tokener_error why;
	int ret;

	if (!in->next)
		memset(&in->message, 0, sizeof(in->message));
	if (len > LINE_MESSAGE_MAX)
		return madkit_error_set(error, -EFBIG, -1, "the line has %zu bytes: at most %d",
					len, LINE_MESSAGE_MAX);
	ret = grammar_check(line, len, error);
	if (!ret) {
		json_tokener_reset(in->tokener);
		object = json_tokener_parse_ex(in->tokener, line, (int)len);
		why = json_tokener_get_error(in->tokener);
		ret = object ? strict_check(line, len, object, error) :
			madkit_error_set(error, -EINVAL, -1, "no JSON object: %s",
					 json_tokener_error_desc(why));
	}
	if (!ret)
		ret = put_line(in, object, error);
	json_object_put(object);
	if (ret < 0)
		in->next = 0;
	if (ret == -EFBIG)
		madkit_error_set(error, ret, -1, "the message is longer than %d bytes",
				 LINE_MESSAGE_MAX);
	return ret;
}
