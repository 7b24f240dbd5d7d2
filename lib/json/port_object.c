/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads when a line was printed and the port that it is about. */
#include <errno.h>
#include <string.h>
#include <madkit/num.h>
#include "json/in.h"
#include "json/value.h"
#include "util/bits.h"
#include "wire/wire_int.h"

enum { NS_PER_S = 1000000000, NS_PER_US = 1000 };

/* ---- the time --------------------------------------------------------------------------- */

/* Reads the digits behind the point of a second as nanoseconds. Returns their number. */
static size_t port_object_fraction(const char *digits, size_t len, uint64_t *ns)
{
	uint64_t unit = NS_PER_S / 10;
	size_t n = 0;

	for (*ns = 0; n < len && digits[n] >= '0' && digits[n] <= '9'; n++, unit /= 10)
		*ns += unit * (uint64_t)(digits[n] - '0');
	return n;
}

/* Reads "epoch": seconds with a fraction, as printed. */
static int port_object_epoch(const struct json_token *value, uint64_t *ns)
{
	const char *point = memchr(value->raw, '.', value->raw_len);
	const size_t whole = point ? (size_t)(point - value->raw) : value->raw_len;
	uint64_t s, fraction = 0;

	if (madkit_parse_number(value->raw, whole, UINT32_MAX, "epoch", &s, NULL))
		return -EINVAL;
	if (point && port_object_fraction(point + 1, value->raw_len - whole - 1, &fraction) !=
			     value->raw_len - whole - 1)
		return -EINVAL;
	*ns = s * NS_PER_S + fraction;
	return 0;
}

int port_object_time(const struct json_token *line, uint64_t *ns, struct madkit_error *error)
{
	const struct json_token *epoch = line_member(line, "epoch");

	*ns = 0;
	if (!epoch || !port_object_epoch(epoch, ns))
		return 0;
	return json_error(error, "", "epoch", "%.*s is not a time", JSON_SHOWN(epoch));
}

/* ---- the end of a run --------------------------------------------------------------------- */

int port_object_run(const struct json_token *line, struct madkit_json_run *run, struct madkit_error *error)
{
	const struct json_token *data = line_member(line, "data"), *missing = line_member(data, "missing");
	const struct json_token *requests = line_member(data, "requests");
	uint64_t answered, summed, unfinished, silent;

	*run = (struct madkit_json_run){ .ended = json_is(requests, SCAN_OBJECT) };
	if (!run->ended)
		return 0;
	if (line_number(data, "data", "silent", UINT32_MAX, 0, &silent, error) ||
	    line_number(requests, "data.requests", "answered", UINT32_MAX, 0, &answered, error) ||
	    line_number(requests, "data.requests", "summed", UINT32_MAX, 0, &summed, error) ||
	    line_number(requests, "data.requests", "unfinished", UINT32_MAX, 0, &unfinished, error))
		return -EINVAL;
	run->read = answered + summed;
	run->cut = unfinished > 0;
	run->partial = silent > 0 || (json_is(missing, SCAN_ARRAY) && missing->len);
	if (json_is(missing, SCAN_ARRAY))
		json_each(why, missing)
			run->cut |= json_is_text(why) &&
				    (!strcmp(why->text, "deadline") || !strcmp(why->text, "signal"));
	return 0;
}

/* ---- the port ----------------------------------------------------------------------------- */

/* Sets the members of an object, at any depth. Members that are null, and keys of later versions, stay null. */
static int port_object_fill(struct madkit_json_port *p, const struct madkit_layout *layout, size_t at,
			    const struct json_token *object, struct madkit_error *error)
{
	uint8_t given[GIVEN_BYTES] = { 0 };
	struct json_target target = { .layout = layout,
				      .scope = layout->name,
				      .base = p->data + at,
				      .len = layout->bytes,
				      .given = given };

	json_each(key, object) {
		const struct json_token *value = key + 1;
		struct madkit_place place;
		size_t begin;
		int ret;

		if (json_is(value, SCAN_NULL) ||
		    madkit_place_find(layout, key->text, key->len, &place, NULL) || place.base ||
		    place.repeat)
			continue;
		begin = at + place.field->offset / 8;
		if (place.field->kind == MADKIT_KIND_STRUCT) {
			if (!json_is(value, SCAN_OBJECT))
				return json_error(error, layout->name, key->text, "is not an object");
			ret = port_object_fill(p, place.field->sub, begin, value, error);
		} else {
			ret = json_put_member(&target, key->text, value, error);
			memset(p->known + begin, 0xff, place.field->width / 8);
		}
		if (ret)
			return ret;
	}
	return 0;
}

int port_object_read(struct madkit_json_port *p, const struct json_token *line, struct madkit_error *error)
{
	const struct json_token *port = line_member(line, ENVELOPE_PORT);

	p->record = (struct madkit_record){ .data = NULL };
	if (!port)
		return 0;
	if (!json_is(port, SCAN_OBJECT))
		return json_error(error, "", ENVELOPE_PORT, "is not an object");
	memset(p->data, 0, sizeof(p->data));
	memset(p->known, 0, sizeof(p->known));
	p->record = (struct madkit_record){
		.attribute = p->attribute,
		.layout = p->attribute->layout,
		.data = p->data,
		.len = p->attribute->bytes,
		.end = p->attribute->bytes,
		.records = 1,
		.known = p->known,
	};
	return port_object_fill(p, p->attribute->layout, 0, port, error);
}

/* ---- readings of its counters ----------------------------------------------------------------- */

static int port_object_reading(struct madkit_json_reading *r, const struct json_token *object,
			       uint64_t time_ns, struct madkit_error *error)
{
	static const char scope[] = "data.readings";
	const struct json_token *bytes = line_member(object, "bytes");
	uint64_t id, age_us;
	int n;

	if (!line_member(object, "attribute_id") || !line_member(object, "age_us") || !bytes)
		return json_error(error, "data", "readings", "attribute_id, age_us or bytes is missing");
	if (line_number(object, scope, "attribute_id", UINT16_MAX, 0, &id, error) ||
	    line_number(object, scope, "age_us", time_ns / NS_PER_US, 0, &age_us, error))
		return -EINVAL;
	n = json_get_bytes(bytes, r->data, sizeof(r->data), scope, "bytes", error);
	if (n < 0)
		return -EINVAL;
	r->attribute = (uint16_t)id;
	r->len = (size_t)n;
	r->time_ns = time_ns - age_us * NS_PER_US;
	return 0;
}

int port_object_readings(struct madkit_json_port *p, const struct json_token *line, uint64_t time_ns,
			 struct madkit_error *error)
{
	const struct json_token *list = line_member(line_member(line, "data"), "readings");

	p->nreadings = 0;
	if (!list)
		return 0;
	if (!json_is(list, SCAN_ARRAY) || list->len > PORT_OBJECT_READINGS)
		return json_error(error, "data", "readings", "is not an array of at most %d",
				  PORT_OBJECT_READINGS);
	json_each(one, list)
		if (port_object_reading(&p->readings[p->nreadings++], one, time_ns, error))
			return -EINVAL;
	return 0;
}
