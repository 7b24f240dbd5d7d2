/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Converts lines of JSON to messages: the inverse of json.c. */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "json/in.h"
#include "json/value.h"
#include "util/array_size.h"
#include "util/escape.h"
#include "wire/wire_int.h"

struct madkit_json_in *madkit_json_in_new(void)
{
	struct madkit_json_in *in = calloc(1, sizeof(*in));

	if (in)
		madkit_buf_init(&in->mad, LINE_MESSAGE_MAX);
	return in;
}

int madkit_json_in_read_ports(struct madkit_json_in *in, const struct madkit_attribute *attribute)
{
	if (attribute->bytes > PORT_OBJECT_BYTES)
		return -EINVAL;
	if (!in->port)
		in->port = calloc(1, sizeof(*in->port));
	if (!in->port)
		return -ENOMEM;
	in->port->attribute = attribute;
	return 0;
}

void madkit_json_in_free(struct madkit_json_in *in)
{
	if (!in)
		return;
	free(in->port);
	tokens_free(&in->tokens);
	tokens_free(&in->first_tokens);
	madkit_buf_free(&in->first);
	madkit_buf_free(&in->mad);
	madkit_buf_free(&in->text);
	free(in);
}

const struct madkit_json_message *madkit_json_in_message(const struct madkit_json_in *in)
{
	return &in->message;
}

int madkit_json_in_end(struct madkit_json_in *in, struct madkit_error *error)
{
	uint64_t had = in->next;

	in->next = 0;
	return !had ? 0 :
		      madkit_error_set(error, -ENODATA, -1, "records: %" PRIu64 " of %" PRIu64 " came", had,
				       in->records);
}

/* ---- what a line is made of -------------------------------------------------------- */

/* A printed line has all entries, unless --fields removed some. */
static int check_entries(const struct line_entries *entries, enum envelope_group group, const char *scope,
			 struct madkit_error *error)
{
	const struct envelope_entry *e = line_lacks(entries, group);

	return e ? json_error(error, scope, e->name + e->key, "is missing, as in a line cut by --fields") : 0;
}

/* The limits of a request, which printed lines never have. */
static const struct {
	const char *key;
	enum madkit_json_given given;
	uint32_t least, most;
	size_t member;
} limits[] = {
	{ "timeout", MADKIT_JSON_TIMEOUT, 1, INT32_MAX, offsetof(struct madkit_json_message, timeout_ms) },
	{ "retries", MADKIT_JSON_RETRIES, 0, 1000, offsetof(struct madkit_json_message, retries) },
	{ "deadline", MADKIT_JSON_DEADLINE, 0, INT32_MAX, offsetof(struct madkit_json_message, deadline_ms) },
};

static bool json_in_is_limit(const struct json_token *key)
{
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
		if (!strcmp(limits[i].key, key->text))
			return true;
	return false;
}

static int json_in_get_limits(struct madkit_json_message *message, const struct json_token *line,
			      struct madkit_error *error)
{
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		uint32_t *member = (uint32_t *)(void *)((char *)message + limits[i].member);
		uint64_t value;

		if (!line_member(line, limits[i].key))
			continue;
		if (line_number(line, "", limits[i].key, limits[i].most, 0, &value, error))
			return -EINVAL;
		if (value < limits[i].least)
			return json_error(error, "", limits[i].key, "is less than %" PRIu32, limits[i].least);
		*member = (uint32_t)value;
		message->given |= limits[i].given;
	}
	return 0;
}

/* Checks if a line has no MAD, or not all of it, and is accepted all the same: with ports, all lines that the commands
 * print are. */
static bool json_in_is_bare(const struct madkit_json_in *in, const struct json_token *line)
{
	const struct json_token *kind = json_member(line, "kind"), *redacted = line_member(line, "redacted");

	if (!in->port || !json_is_text(kind))
		return false;
	/* an event may have the header of a MAD, but not its data */
	return !line_member(line, "header") || (json_is(redacted, SCAN_ARRAY) && redacted->len) ||
	       !strcmp(kind->text, message_kind_name(MADKIT_MESSAGE_EVENT));
}

static int check_line(struct madkit_json_in *in, const struct json_token *line, struct madkit_error *error)
{
	const struct json_token *redacted = line_member(line, "redacted");
	const struct json_token *header = line_member(line, "header");
	const struct json_token *schema = json_member(line, "schema");

	struct line_entries entries = { 0 }, in_header = { 0 };

	json_each(key, line) {
		struct nearest nearest;

		if (line_has_entry(&entries, ENVELOPE_TOP, key) || json_in_is_limit(key))
			continue;
		nearest = nearest_begin(key->text);
		for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
			nearest_try(&nearest, limits[i].key);
		nearest_try(&nearest, "cancel");
		return line_unknown(ENVELOPE_TOP, "", "unknown key", &nearest, error);
	}
	if (redacted && redacted->kind != SCAN_ARRAY)
		return json_error(error, "", "redacted", "must be an array");
	if (redacted && redacted->len && !json_in_is_bare(in, line))
		return json_error(error, "", "redacted", "%.*s was omitted: print the line with --show-keys",
				  JSON_SHOWN(redacted + 1));
	if (!json_is(header, SCAN_OBJECT) && !json_in_is_bare(in, line))
		return json_error(error, "", "header",
				  header ? "is not an object" :
					   "is missing: a line without a MAD, or cut by --fields");
	if (schema) {
		if (!json_is_text(schema) || strcmp(schema->text, MADKIT_SCHEMA))
			return json_error(error, "", "schema", "is not " MADKIT_SCHEMA);
		in->message.given |= MADKIT_JSON_PRINTED;
		if (check_entries(&entries, ENVELOPE_TOP, "", error))
			return -EINVAL;
		if (json_in_is_bare(in, line))
			return 0;
		json_each(key, header)
			line_has_entry(&in_header, ENVELOPE_HEADER, key);
		if (check_entries(&in_header, ENVELOPE_HEADER, "header", error))
			return -EINVAL;
		for (unsigned int i = 0; i < 3; i++) {
			static const char *const needed[] = { "rmpp", "data", "rest" };

			if (!json_member(line, needed[i]))
				return json_error(error, "", needed[i],
						  "is missing, as in a line cut by --fields");
		}
	} else if (json_member(header, "method") && json_member(header, "method_id")) {
		return json_error(error, "", "schema", "is missing, as in a line cut by --fields");
	}
	return 0;
}

/* ---- what else a line says ------------------------------------------------------------ */

static int json_in_get_kind(struct madkit_json_in *in, const struct json_token *line,
			    struct madkit_error *error)
{
	const char *text;

	in->message.kind = MADKIT_MESSAGE_REQUEST;
	if (line_text(line, "", "kind", &text, error))
		return -EINVAL;
	if (!text)
		return 0;
	for (unsigned int kind = 0; kind <= (in->port ? MADKIT_MESSAGE_DIFFERENCE : MADKIT_MESSAGE_SUMMARY);
	     kind++) {
		if (strcmp(message_kind_name((enum madkit_message_kind)kind), text))
			continue;
		in->message.kind = (enum madkit_message_kind)kind;
		in->message.given |= MADKIT_JSON_KIND;
		return 0;
	}
	return json_error(error, "", "kind", "there is no '%.40s'", text);
}

/* Reads the port of a line, and when it was printed. */
static int json_in_get_port(struct madkit_json_in *in, const struct json_token *line,
			    struct madkit_error *error)
{
	int ret = port_object_time(line, &in->message.time_ns, error);

	if (!ret)
		ret = port_object_read(in->port, line, error);
	if (!ret && in->message.kind == MADKIT_MESSAGE_SUMMARY)
		ret = port_object_run(line, &in->message.run, error);
	if (!ret && in->message.kind == MADKIT_MESSAGE_EVENT)
		ret = port_object_readings(in->port, line, in->message.time_ns, error);
	if (!ret && in->message.kind == MADKIT_MESSAGE_EVENT) {
		in->message.readings = in->port->readings;
		in->message.nreadings = in->port->nreadings;
	}
	in->message.port = !ret && in->port->record.data ? &in->port->record : NULL;
	return ret;
}

/* Copies the bytes of the tag, because the tag outlives the line. */
static int json_in_keep_tag(struct madkit_json_in *in)
{
	madkit_buf_reset(&in->text);
	escape_json(&in->text, in->tokens.tag, in->tokens.tag_len);
	madkit_buf_char(&in->text, 0);
	if (in->text.error)
		return in->text.error;
	in->message.tag = in->tokens.tag_len ? in->text.data : NULL;
	return 0;
}

/* Copies the name to the place after the tag. */
static int json_in_keep_name(struct madkit_json_in *in)
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

/* ---- the members that all lines of a table share ---------------------------------------- */

/* madkit_format_json() writes these members identically in all lines of a table, and only those of record 0
 * are read: a change of the others must not be lost silently. */
static const char *const first_members[] = { "schema", "kind",    "tag",     "remote",  "header",
					     "rmpp",   "timeout", "retries", "deadline" };

static int json_in_first_keep(struct madkit_json_in *in, const struct json_token *line,
			      struct madkit_error *error)
{
	struct madkit_buf *buf = &in->first;

	madkit_buf_reset(buf);
	for (size_t i = 0; i < ARRAY_SIZE(first_members); i++) {
		const struct json_token *value = json_member(line, first_members[i]);

		madkit_buf_str(buf, i ? ",\"" : "{\"");
		madkit_buf_str(buf, first_members[i]);
		madkit_buf_str(buf, "\":");
		madkit_buf_add(buf, value ? value->raw : "null", value ? value->raw_len : 4);
	}
	madkit_buf_char(buf, '}');
	return buf->error ? buf->error :
			    tokens_read(&in->first_tokens, buf->data, buf->len, &in->first_root, error);
}

/* A tag is a null token, whatever its text. */
static bool json_in_first_is_null(const struct json_token *value)
{
	return !value || (value->kind == SCAN_NULL && value->raw_len == 4 && !memcmp(value->raw, "null", 4));
}

/* Checks if a member of the first line and one of another line are the same. The order of keys and blanks do
 * not matter. */
static bool json_in_first_agrees(const struct json_token *a, const struct json_token *b)
{
	const struct json_token *other;

	if (json_in_first_is_null(a) || json_in_first_is_null(b))
		return json_in_first_is_null(a) && json_in_first_is_null(b);
	if (a->raw_len == b->raw_len && !memcmp(a->raw, b->raw, a->raw_len))
		return true;
	if (a->kind != b->kind || a->len != b->len)
		return false;
	switch (a->kind) {
	case SCAN_OBJECT:
		json_each(key, a)
			if (!json_in_first_agrees(key + 1, json_member(b, key->text)))
				return false;
		return true;
	case SCAN_ARRAY:
		other = b + 1;
		json_each(one, a) {
			if (!json_in_first_agrees(one, other))
				return false;
			other += other->next;
		}
		return true;
	default:
		return a->kind == SCAN_STRING && !memcmp(a->text, b->text, a->len);
	}
}

/* Returns a key with different values in two objects, or "". */
static const char *json_in_first_difference(const struct json_token *a, const struct json_token *b)
{
	if (!json_is(a, SCAN_OBJECT) || !json_is(b, SCAN_OBJECT))
		return "";
	json_each(key, a)
		if (!json_in_first_agrees(key + 1, json_member(b, key->text)))
			return key->text;
	json_each(key, b)
		if (!json_member(a, key->text))
			return key->text;
	return "";
}

static int json_in_first_check(const struct madkit_json_in *in, const struct json_token *line,
			       struct madkit_error *error)
{
	json_each(member, in->first_root) {
		const struct json_token *value = json_member(line, member->text);
		const char *key;

		if (json_in_first_agrees(member + 1, value))
			continue;
		key = json_in_first_difference(member + 1, value);
		/* the values may be secret */
		return json_error(error, *key ? member->text : "", *key ? key : member->text,
				  "differs from record 0");
	}
	return 0;
}

/* ---- lines of a program that takes requests back ---------------------------------------------- */

static int json_in_cancel(struct madkit_json_in *in, const struct json_token *line,
			  struct madkit_error *error)
{
	if (in->next)
		return json_error(error, "", "cancel", "record %" PRIu64 " of a message is next", in->next);
	if (line->len > 1)
		return json_error(error, "", "cancel", "a line with it has no other key");
	in->message.given = MADKIT_JSON_CANCEL;
	return 1;
}

/* ---- lines --------------------------------------------------------------------------- */

static int put_first(struct madkit_json_in *in, const struct json_token *line, struct madkit_error *error)
{
	int ret;

	madkit_buf_reset(&in->mad);
	in->end = in->record_end = 0;
	in->partial = false;
	ret = check_line(in, line, error);
	if (!ret)
		ret = json_in_get_kind(in, line, error);
	if (!ret && in->port)
		ret = json_in_get_port(in, line, error);
	if (ret || json_in_is_bare(in, line))
		return ret;
	ret = json_in_get_limits(&in->message, line, error);
	if (!ret)
		ret = line_remote(&in->message, line, error);
	if (!ret)
		ret = header_put(in, line, line_member(line, "header"), error);
	return ret ? ret : json_in_keep_name(in);
}

static int json_in_read_line(struct madkit_json_in *in, const struct json_token *line,
			     struct madkit_error *error)
{
	uint64_t record, records, seq;
	int ret;

	if (line_number(line, "", "record", UINT32_MAX, 0, &record, error) ||
	    line_number(line, "", "records", UINT32_MAX, 1, &records, error) ||
	    line_number(line, "", "seq", UINT64_MAX, 0, &seq, error))
		return -EINVAL;
	if (records > 1 && !line_member(line, "seq"))
		return json_error(error, "", "seq", "is missing: the records of one message have the same");
	if (record != in->next || (record && (seq != in->seq || records != in->records)))
		return json_error(error, "", "record",
				  in->next ? "%" PRIu64 " does not continue the message: record %" PRIu64
					     " is next" :
					     "%" PRIu64 " comes before record %" PRIu64,
				  record, in->next);
	if (!record) {
		ret = put_first(in, line, error);
		in->seq = seq;
		in->records = records;
		if (!ret && records > 1)
			ret = json_in_first_keep(in, line, error);
	} else {
		ret = json_in_first_check(in, line, error);
		if (!ret)
			ret = check_line(in, line, error);
	}
	if (!ret && json_in_is_bare(in, line)) {
		in->next = 0;
		return 1;
	}
	if (!ret)
		ret = data_put(in, line, record, error);
	if (!ret)
		ret = line_rest(&in->mad, line_member(line, "rest"), &in->end, error);
	if (ret)
		return ret;
	if (record + 1 < records) {
		in->next = record + 1;
		return 0;
	}
	in->next = 0;
	data_end(in);
	in->message.mad = (const uint8_t *)in->mad.data;
	in->message.len = in->mad.len;
	return 1;
}

int madkit_json_in_line(struct madkit_json_in *in, const char *line, size_t len, struct madkit_error *error)
{
	const struct json_token *root;
	int ret, kept = 0;

	if (!in->next)
		memset(&in->message, 0, sizeof(in->message));
	if (len > LINE_MESSAGE_MAX)
		return madkit_error_set(error, -EFBIG, -1, "the line has %zu bytes: at most %d", len,
					LINE_MESSAGE_MAX);
	ret = tokens_read(&in->tokens, line, len, &root, error);
	if (!in->next)
		kept = json_in_keep_tag(in);
	if (!ret && !kept)
		ret = in->tokens.cancel ? json_in_cancel(in, root, error) :
					  json_in_read_line(in, root, error);
	/* an error refers to the tag of the line that it is about */
	if (ret < 0)
		kept = json_in_keep_tag(in);
	if (kept)
		ret = kept;
	if (ret < 0)
		in->next = 0;
	if (ret == -EFBIG)
		madkit_error_set(error, ret, -1, "the message is longer than %d bytes", LINE_MESSAGE_MAX);
	return ret;
}
