/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "tests/unit/rebuild.h"
#include "util/array_size.h"
#include "util/bits.h"
#include "util/hex.h"

uint8_t rebuild_mad[REBUILD_MAX + 256];
const struct madkit_attribute *rebuild_row;
char rebuild_why[400];

bool rebuild_fail(const char *what, const char *name)
{
	if (!rebuild_why[0])
		snprintf(rebuild_why, sizeof(rebuild_why), "%s: %s", what, name);
	return false;
}

/* ---- values ---------------------------------------------------------------- */

static bool rebuild_read_number(struct json_object *o, uint64_t *value)
{
	const char *s;
	char *end;

	if (json_object_is_type(o, json_type_int)) {
		*value = json_object_get_uint64(o);
		return true;
	}
	if (!json_object_is_type(o, json_type_string))
		return false;
	s = json_object_get_string(o);
	*value = strtoull(s, &end, 16);
	return !strncmp(s, "0x", 2) && !*end;
}

static bool read_bytes(struct json_object *o, uint8_t *out, size_t bytes)
{
	return json_object_is_type(o, json_type_string) &&
	       (size_t)json_object_get_string_len(o) == 2 * bytes &&
	       hex_decode(json_object_get_string(o), 2 * bytes, out, bytes, NULL) == (int)bytes;
}

/* Reads "15e-255", or "3": a coefficient and a magnitude. */
static bool read_ber(const struct madkit_field *f, const char *text, uint64_t *bits)
{
	unsigned int coefficient, magnitude = 0;
	char end;

	if (sscanf(text, "%ue-%u%c", &coefficient, &magnitude, &end) != 2 &&
	    sscanf(text, "%u%c", &coefficient, &end) != 1)
		return false;
	*bits = f->width == 16 ? magnitude << 8 | coefficient : coefficient << 8 | magnitude;
	return coefficient < 16 && magnitude < 256;
}

/* Reads a number with a unit. The milliseconds of 64 bits have more digits than a double. */
static bool read_scaled(const struct madkit_field *f, struct json_object *o, const uint8_t *base,
			uint64_t *bits)
{
	const char *text = json_object_to_json_string(o);
	const struct madkit_unit *u = f->unit;
	double want, whole;
	unsigned long long seconds;
	char fraction[8] = "000";
	int end = 0;

	while (u->other && u->by_set >> (bits_get(base, u->by, u->by_width) & 31) & 1 &&
	       bits_get(base, u->by, u->by_width) < 32)
		u = u->other;
	if (!o) {
		*bits = u->none_first;
		return u->has_none;
	}
	if (f->width == 64) {
		if (sscanf(text, "%llu%n", &seconds, &end) != 1)
			return false;
		if (text[end])
			memcpy(fraction, text + end + 1, strlen(text + end + 1));
		*bits = (uint64_t)seconds * 1000 + strtoul(fraction, NULL, 10);
		return u->divisor == 1000;
	}
	want = strtod(text, NULL) * u->divisor / (u->times ? u->times : 1);
	for (uint64_t power = 0; u->multiplier_bits; power++, want /= 10)
		if (want < 64) {
			*bits = power << 6 | (uint64_t)want;
			return power < 4 && modf(want, &whole) == 0.0;
		}
	*bits = (uint64_t)(int64_t)want & (~UINT64_C(0) >> (64 - f->width));
	return modf(want, &whole) == 0.0;
}

static bool read_element(const struct madkit_field *f, unsigned int index, struct json_object *o,
			 uint8_t *base)
{
	uint32_t offset = madkit_field_offset(f, index);
	uint8_t *at = base + offset / 8;
	uint64_t value;
	size_t n;

	switch (f->kind) {
	case MADKIT_KIND_GID:
		return json_object_is_type(o, json_type_string) &&
		       !madkit_parse_gid(json_object_get_string(o), at, NULL);
	case MADKIT_KIND_BER:
		/* the coefficient 0: other bits of it are in rest */
		if (!o)
			value = 0;
		else if (!read_ber(f, json_object_to_json_string(o), &value))
			return false;
		bits_put(base, offset, f->width, value);
		return true;
	case MADKIT_KIND_SCALED:
		if (!read_scaled(f, o, base, &value))
			return false;
		bits_put(base, offset, f->width, value);
		return true;
	case MADKIT_KIND_STRING:
		n = (size_t)json_object_get_string_len(o);
		if (!json_object_is_type(o, json_type_string))
			return false;
		if (n && f->flags & MADKIT_FIELD_BLANKS)
			memset(at, ' ', f->width / 8);
		/* text that is not UTF-8 is longer here: rest has its bytes */
		if (n > f->width / 8)
			n = f->width / 8;
		memcpy(at, json_object_get_string(o), n);
		return true;
	case MADKIT_KIND_BYTES:
		return read_bytes(o, at, f->width / 8);
	case MADKIT_KIND_KEY:
		if (f->width > 64) {
			const char *s = json_object_get_string(o);

			return json_object_get_string_len(o) == (int)f->width / 4 + 2 &&
			       hex_decode(s + 2, f->width / 4, at, f->width / 8, NULL) == (int)f->width / 8;
		}
		/* fall through */
	default:
		if (!rebuild_read_number(o, &value))
			return false;
		if (f->width > 32 && f->kind != MADKIT_KIND_COUNTER &&
		    (!json_object_is_type(o, json_type_string) ||
		     (uint32_t)json_object_get_string_len(o) != 2 + (f->width + 7) / 8 * 2))
			return false;
		bits_put(base, offset, f->width, value);
		return true;
	}
}

static bool read_layout(const struct madkit_layout *layout, struct json_object *o, uint8_t *base,
			bool optional);

static bool read_field(const struct madkit_field *f, struct json_object *o, uint8_t *base, bool optional)
{
	unsigned int n = f->count ? (unsigned int)json_object_array_length(o) : 1;

	if (n > madkit_field_count(f))
		return rebuild_fail("too many elements", f->name);
	for (unsigned int i = 0; i < n; i++) {
		struct json_object *e = f->count ? json_object_array_get_idx(o, i) : o;

		if (f->kind == MADKIT_KIND_STRUCT ?
			    !read_layout(f->sub, e, base + madkit_field_offset(f, i) / 8, optional) :
			    !read_element(f, i, e, base))
			return rebuild_fail("value", f->name);
	}
	return true;
}

/* Reads the fields with a unit that another field chooses, or the others. */
static bool read_fields(const struct madkit_layout *layout, struct json_object *o, uint8_t *base,
			bool optional, bool chosen)
{
	for (unsigned int i = 0; i < layout->nfields; i++) {
		const struct madkit_field *f = &layout->fields[i];
		struct json_object *value;

		if (f->kind == MADKIT_KIND_RESERVED || chosen != (f->unit && f->unit->other))
			continue;
		if (!json_object_object_get_ex(o, f->name, &value)) {
			if (!optional)
				return rebuild_fail("missing", f->name);
			continue;
		}
		if (!read_field(f, value, base, optional))
			return rebuild_fail("unreadable", f->name);
	}
	return true;
}

static bool read_layout(const struct madkit_layout *layout, struct json_object *o, uint8_t *base,
			bool optional)
{
	return read_fields(layout, o, base, optional, false) && read_fields(layout, o, base, optional, true);
}

/* ---- rest -------------------------------------------------------------------- */

/* Strings, and numbers with a unit, that rest has bits of are those bits alone. */
struct strings {
	struct json_object *rest;
	uint8_t *data;
	size_t offset;
};

static int clear_string(void *context, const struct madkit_item *item)
{
	struct strings *s = context;
	size_t from = s->offset + item->bit / 8, to = from + item->field->width / 8;
	const enum madkit_kind kind = item->event == MADKIT_WALK_FIELD ? item->field->kind :
									 MADKIT_KIND_STRUCT;
	uint64_t kept = 0;

	if (kind != MADKIT_KIND_STRING && kind != MADKIT_KIND_SCALED && kind != MADKIT_KIND_BER)
		return 0;
	json_object_object_foreach(s->rest, key, value)
	{
		size_t at = strtoul(key, NULL, 10), n = (size_t)json_object_get_string_len(value) / 2;
		uint8_t bytes[REBUILD_MAX + 16] = { 0 };

		if (kind != MADKIT_KIND_STRING) {
			/* the bits of the field in the bytes of rest, as in a MAD */
			if (at + n <= REBUILD_MAX && read_bytes(value, bytes + at, n))
				kept |= bits_get(bytes + s->offset, item->bit, item->field->width);
		} else if (at < to && at + n > from) {
			memset(s->data + item->bit / 8, 0, to - from);
		}
	}
	if (kept)
		bits_put(s->data, item->bit, item->field->width, 0);
	return 0;
}

static bool read_rest(struct json_object *rest, size_t len)
{
	json_object_object_foreach(rest, key, value)
	{
		size_t at = strtoul(key, NULL, 10);
		size_t n = (size_t)json_object_get_string_len(value) / 2;
		uint8_t bytes[REBUILD_MAX];

		if (!n || at + n > len || !read_bytes(value, bytes, n))
			return rebuild_fail("rest", key);
		for (size_t i = 0; i < n; i++) {
			if (!bytes[i])
				return rebuild_fail("rest holds zeros", key);
			/* bytes in rest belong to no field */
			if (rebuild_mad[at + i] & bytes[i])
				return rebuild_fail("bits twice", key);
			rebuild_mad[at + i] |= bytes[i];
		}
	}
	return true;
}

/* ---- lines -------------------------------------------------------------------- */

static const char *const keys[] = {
	"schema",   "kind",   "host",   "time",    "epoch",  "device", "agent",
	"seq",      "tag",    "record", "records", "remote", "port",   "rtt_us",
	"attempts", "status", "header", "rmpp",    "data",   "rest",   "redacted",
};

static bool rebuild_check_keys(struct json_object *line)
{
	size_t n = 0;

	json_object_object_foreach(line, key, value)
	{
		(void)value;
		if (n == ARRAY_SIZE(keys) || strcmp(key, keys[n++]))
			return rebuild_fail("key out of order", key);
	}
	return n == ARRAY_SIZE(keys) || rebuild_fail("keys", "missing");
}

/* Checks if the number "epoch" is the instant of "time". */
static bool rebuild_check_epoch(struct json_object *line)
{
	struct json_object *time, *epoch;
	char want[32], fraction[9];
	struct tm tm = { 0 };

	if (!json_object_object_get_ex(line, "time", &time) ||
	    !json_object_object_get_ex(line, "epoch", &epoch) || !time != !epoch)
		return rebuild_fail("epoch", "null, or missing, unlike time");
	if (!time)
		return true;
	if (sscanf(json_object_get_string(time), "%4d-%2d-%2dT%2d:%2d:%2d%8s", &tm.tm_year, &tm.tm_mon,
		   &tm.tm_mday, &tm.tm_hour, &tm.tm_min, &tm.tm_sec, fraction) != 7)
		return rebuild_fail("time", json_object_get_string(time));
	tm.tm_year -= 1900;
	tm.tm_mon--;
	snprintf(want, sizeof(want), "%lld%.7s", (long long)timegm(&tm), fraction);
	return !strcmp(json_object_to_json_string(epoch), want) || rebuild_fail("epoch", want);
}

static uint64_t rebuild_number(struct json_object *o, const char *name)
{
	struct json_object *value;
	uint64_t v = 0;

	if (!json_object_object_get_ex(o, name, &value) || !rebuild_read_number(value, &v))
		rebuild_fail("number", name);
	return v;
}

static bool read_header(struct json_object *header, struct json_object *rmpp)
{
	struct madkit_header h = {
		.base_version = (uint8_t)rebuild_number(header, "base_version"),
		.mgmt_class = (uint8_t)rebuild_number(header, "class_id"),
		.class_version = (uint8_t)rebuild_number(header, "class_version"),
		.method = (uint8_t)rebuild_number(header, "method_id"),
		.status = (uint16_t)rebuild_number(header, "status"),
		.tid = rebuild_number(header, "tid"),
		.attribute = (uint16_t)rebuild_number(header, "attribute_id"),
		.modifier = (uint32_t)rebuild_number(header, "modifier"),
	};
	/* OPA: an M_Key, but no directed route of the IBA's */
	const struct madkit_class *mgmt_class =
		madkit_class_get(h.base_version == 0x80 && h.mgmt_class == 0x81 ? 1 : h.mgmt_class);
	const struct madkit_layout *common = h.mgmt_class == 0x81 ? &madkit_layout_header_dr :
								    &madkit_layout_header;

	madkit_header_put(rebuild_mad, 256, &h);
	for (unsigned int i = 0; i < common->nfields; i++) {
		const struct madkit_field *f = &common->fields[i];
		struct json_object *value;

		/* the others are known by names and ids */
		if (f->kind != MADKIT_KIND_RESERVED && f->offset >= 32 && f->offset < 64 &&
		    strcmp(f->name, "status") &&
		    (!json_object_object_get_ex(header, f->name, &value) ||
		     !read_field(f, value, rebuild_mad, false)))
			return rebuild_fail("header", f->name);
	}
	if (mgmt_class && mgmt_class->header && !read_layout(mgmt_class->header, header, rebuild_mad, true))
		return false;
	return !rmpp || read_layout(&madkit_layout_rmpp, rmpp, rebuild_mad, false);
}

/* The layout that the values at the data's beginning, or all blocks of a register in len bytes, choose. */
static const struct madkit_layout *rebuild_layout_of(const struct madkit_attribute *a, size_t len,
						     struct json_object *data)
{
	uint8_t begin[64] = { 0 };

	if (a->joined && len >= a->joined->bytes)
		return a->joined;
	for (unsigned int i = 0; a->neditions && i < a->layout->nfields; i++) {
		const struct madkit_field *f = &a->layout->fields[i];
		struct json_object *value;

		if (f->offset + f->width <= 64 && f->kind != MADKIT_KIND_RESERVED &&
		    json_object_object_get_ex(data, f->name, &value))
			read_field(f, value, begin, false);
	}
	return madkit_attribute_layout(a, begin, sizeof(begin));
}

bool rebuild_line(struct json_object *line, size_t len)
{
	struct json_object *header, *rmpp, *data, *rest, *redacted, *value;
	const struct madkit_attribute *a;
	uint8_t base_version, class_id;
	uint64_t record;
	size_t at;

	if (!rebuild_check_keys(line) || !rebuild_check_epoch(line) ||
	    !json_object_object_get_ex(line, "header", &header) ||
	    !json_object_object_get_ex(line, "rmpp", &rmpp) ||
	    !json_object_object_get_ex(line, "data", &data) ||
	    !json_object_object_get_ex(line, "rest", &rest) ||
	    !json_object_object_get_ex(line, "redacted", &redacted))
		return false;
	if (json_object_array_length(redacted))
		return rebuild_fail("redacted", "something");
	record = rebuild_number(line, "record");
	if (!header) /* shorter than a header: all is rest */
		return read_rest(rest, len);
	if (!record && !read_header(header, rmpp))
		return false;
	base_version = (uint8_t)rebuild_number(header, "base_version");
	class_id = (uint8_t)rebuild_number(header, "class_id");
	a = madkit_attribute_get(base_version, class_id, (uint16_t)rebuild_number(header, "attribute_id"));
	if (rebuild_row && a && rebuild_row->id == a->id)
		a = rebuild_row;
	if (a)
		a = madkit_attribute_row(a, (uint32_t)rebuild_number(header, "modifier"));
	at = madkit_attribute_offset(base_version, class_id, a) +
	     (record ? record * 8 * rebuild_number(header, "attribute_offset") : 0);
	if (data && a && a->layout &&
	    !(json_object_object_length(data) == 1 && json_object_object_get_ex(data, "Data", &value) &&
	      strncmp(json_object_get_string(value), "0x", 2))) {
		struct strings s = { rest, rebuild_mad + at, at };

		if (!read_layout(rebuild_layout_of(a, len - at, data), data, rebuild_mad + at, true))
			return false;
		madkit_walk(a->joined && len - at >= a->joined->bytes ? a->joined : a->layout,
			    rebuild_mad + at, sizeof(rebuild_mad) - at, clear_string, &s);
	} else if (data) {
		if (!json_object_object_get_ex(data, "Data", &value) ||
		    !read_bytes(value, rebuild_mad + at, (size_t)json_object_get_string_len(value) / 2))
			return rebuild_fail("data", "of an unknown layout");
	}
	return read_rest(rest, len);
}
