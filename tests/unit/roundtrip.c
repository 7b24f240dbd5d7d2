/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * JSON loses nothing: lines are read back by a JSON library, strictly, and the
 * MAD is built anew from header, rmpp, data and rest. Every attribute of every
 * class, classes and attributes that nobody knows, both base versions, tables,
 * and MADs cut to any length.
 */
#include <stdlib.h>
#include <json.h>
#include <madkit/madkit.h>
#include "util/bits.h"
#include "util/hex.h"
#define RANDOM_SEED 0x6d61646b6974
#include "tests/random.h"
#include "tests/tap.h"

#define MESSAGE_MAX 20000

static uint8_t original[MESSAGE_MAX], rebuilt[MESSAGE_MAX + 256];
static char why[400];

static bool fail(const char *what, const char *name)
{
	if (!why[0])
		snprintf(why, sizeof(why), "%s: %s", what, name);
	return false;
}

/* ---- values ---------------------------------------------------------------- */

static bool read_number(struct json_object *o, uint64_t *value)
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
	       hex_decode(json_object_get_string(o), 2 * bytes, out, bytes,
			  NULL) == (int)bytes;
}

static bool read_element(const struct madkit_field *f, unsigned int index,
			 struct json_object *o, uint8_t *base)
{
	uint32_t offset = madkit_field_offset(f, index);
	uint8_t *at = base + offset / 8;
	uint64_t value;
	size_t n;

	switch (f->kind) {
	case MADKIT_KIND_GID:
		return json_object_is_type(o, json_type_string) &&
		       !madkit_parse_gid(json_object_get_string(o), at, NULL);
	case MADKIT_KIND_STRING:
		n = (size_t)json_object_get_string_len(o);
		if (!json_object_is_type(o, json_type_string))
			return false;
		/* text that is no UTF-8 is longer here: rest has its bytes */
		if (n > f->width / 8)
			n = f->width / 8;
		memcpy(at, json_object_get_string(o), n);
		return true;
	case MADKIT_KIND_BYTES:
		return read_bytes(o, at, f->width / 8);
	case MADKIT_KIND_KEY:
		if (f->width > 64) {
			const char *s = json_object_get_string(o);

			return json_object_get_string_len(o) ==
				(int)f->width / 4 + 2 &&
			       hex_decode(s + 2, f->width / 4, at, f->width / 8,
					  NULL) == (int)f->width / 8;
		}
		/* fall through */
	default:
		if (!read_number(o, &value))
			return false;
		if (f->width > 32 && f->kind != MADKIT_KIND_COUNTER &&
		    (!json_object_is_type(o, json_type_string) ||
		     (uint32_t)json_object_get_string_len(o) !=
		     2 + (f->width + 7) / 8 * 2))
			return false;
		bits_put(base, offset, f->width, value);
		return true;
	}
}

static bool read_layout(const struct madkit_layout *layout,
			struct json_object *o, uint8_t *base, bool optional);

static bool read_field(const struct madkit_field *f, struct json_object *o,
		       uint8_t *base, bool optional)
{
	unsigned int n = f->count ? (unsigned int)json_object_array_length(o) : 1;

	if (n > madkit_field_count(f))
		return fail("too many elements", f->name);
	for (unsigned int i = 0; i < n; i++) {
		struct json_object *e = f->count ?
			json_object_array_get_idx(o, i) : o;

		if (f->kind == MADKIT_KIND_STRUCT ?
		    !read_layout(f->sub, e, base + madkit_field_offset(f, i) / 8,
				 optional) :
		    !read_element(f, i, e, base))
			return fail("value", f->name);
	}
	return true;
}

static bool read_layout(const struct madkit_layout *layout,
			struct json_object *o, uint8_t *base, bool optional)
{
	for (unsigned int i = 0; i < layout->nfields; i++) {
		const struct madkit_field *f = &layout->fields[i];
		struct json_object *value;

		if (f->kind == MADKIT_KIND_RESERVED)
			continue;
		if (!json_object_object_get_ex(o, f->name, &value)) {
			if (!optional)
				return fail("missing", f->name);
			continue;
		}
		if (!read_field(f, value, base, optional))
			return fail("unreadable", f->name);
	}
	return true;
}

/* ---- rest -------------------------------------------------------------------- */

/* Strings that rest has bytes of are those bytes alone. */
struct strings {
	struct json_object *rest;
	uint8_t *data;
	size_t offset;
};

static int clear_string(void *context, const struct madkit_item *item)
{
	struct strings *s = context;
	size_t from = s->offset + item->bit / 8;
	size_t to = from + item->field->width / 8;

	if (item->event != MADKIT_WALK_FIELD ||
	    item->field->kind != MADKIT_KIND_STRING)
		return 0;
	json_object_object_foreach(s->rest, key, value) {
		size_t at = strtoul(key, NULL, 10);
		size_t end = at + (size_t)json_object_get_string_len(value) / 2;

		if (at < to && end > from)
			memset(s->data + item->bit / 8, 0, to - from);
	}
	return 0;
}

static bool read_rest(struct json_object *rest, size_t len)
{
	json_object_object_foreach(rest, key, value) {
		size_t at = strtoul(key, NULL, 10);
		size_t n = (size_t)json_object_get_string_len(value) / 2;
		uint8_t bytes[MESSAGE_MAX];

		if (!n || at + n > len || !read_bytes(value, bytes, n))
			return fail("rest", key);
		for (size_t i = 0; i < n; i++) {
			if (!bytes[i])
				return fail("rest holds zeros", key);
			/* what rest has, no field has */
			if (rebuilt[at + i] & bytes[i])
				return fail("bits twice", key);
			rebuilt[at + i] |= bytes[i];
		}
	}
	return true;
}

/* ---- lines -------------------------------------------------------------------- */

static const char *const keys[] = {
	"schema", "kind", "host", "time", "device", "agent", "seq", "tag",
	"record", "records", "remote", "rtt_us", "attempts", "status", "header",
	"rmpp", "data", "rest", "redacted",
};

static bool check_keys(struct json_object *line)
{
	size_t n = 0;

	json_object_object_foreach(line, key, value) {
		(void)value;
		if (n == sizeof(keys) / sizeof(keys[0]) || strcmp(key, keys[n++]))
			return fail("key out of order", key);
	}
	return n == sizeof(keys) / sizeof(keys[0]) || fail("keys", "missing");
}

static uint64_t number(struct json_object *o, const char *name)
{
	struct json_object *value;
	uint64_t v = 0;

	if (!json_object_object_get_ex(o, name, &value) ||
	    !read_number(value, &v))
		fail("number", name);
	return v;
}

static bool read_header(struct json_object *header, struct json_object *rmpp)
{
	struct madkit_header h = {
		.base_version = (uint8_t)number(header, "base_version"),
		.mgmt_class = (uint8_t)number(header, "class_id"),
		.class_version = (uint8_t)number(header, "class_version"),
		.method = (uint8_t)number(header, "method_id"),
		.status = (uint16_t)number(header, "status"),
		.tid = number(header, "tid"),
		.attribute = (uint16_t)number(header, "attribute_id"),
		.modifier = (uint32_t)number(header, "modifier"),
	};
	/* OPA: an M_Key, but no directed route of the IBA's */
	const struct madkit_class *mgmt_class = madkit_class_get(
		h.base_version == 0x80 && h.mgmt_class == 0x81 ? 1 :
		h.mgmt_class);
	const struct madkit_layout *common = h.mgmt_class == 0x81 ?
		&madkit_layout_header_dr : &madkit_layout_header;

	madkit_header_put(rebuilt, 256, &h);
	for (unsigned int i = 0; i < common->nfields; i++) {
		const struct madkit_field *f = &common->fields[i];
		struct json_object *value;

		/* the others are known by names and ids */
		if (f->kind != MADKIT_KIND_RESERVED && f->offset >= 32 &&
		    f->offset < 64 && strcmp(f->name, "status") &&
		    (!json_object_object_get_ex(header, f->name, &value) ||
		     !read_field(f, value, rebuilt, false)))
			return fail("header", f->name);
	}
	if (mgmt_class && mgmt_class->header &&
	    !read_layout(mgmt_class->header, header, rebuilt, true))
		return false;
	return !rmpp || read_layout(&madkit_layout_rmpp, rmpp, rebuilt, false);
}

/* The layout that the values at the data's beginning choose. */
static const struct madkit_layout *layout_of(const struct madkit_attribute *a,
					     struct json_object *data)
{
	uint8_t begin[64] = { 0 };

	for (unsigned int i = 0; a->neditions && i < a->layout->nfields; i++) {
		const struct madkit_field *f = &a->layout->fields[i];
		struct json_object *value;

		if (f->offset + f->width <= 64 && f->kind != MADKIT_KIND_RESERVED &&
		    json_object_object_get_ex(data, f->name, &value))
			read_field(f, value, begin, false);
	}
	return madkit_attribute_layout(a, begin, sizeof(begin));
}

/* The row of the tables that is being tried, where there are several. */
static const struct madkit_attribute *wanted;

static bool read_line(struct json_object *line, size_t len)
{
	struct json_object *header, *rmpp, *data, *rest, *redacted, *value;
	const struct madkit_attribute *a;
	uint8_t base_version, class_id;
	uint64_t record;
	size_t at;

	if (!check_keys(line) ||
	    !json_object_object_get_ex(line, "header", &header) ||
	    !json_object_object_get_ex(line, "rmpp", &rmpp) ||
	    !json_object_object_get_ex(line, "data", &data) ||
	    !json_object_object_get_ex(line, "rest", &rest) ||
	    !json_object_object_get_ex(line, "redacted", &redacted))
		return false;
	if (json_object_array_length(redacted))
		return fail("redacted", "something");
	record = number(line, "record");
	if (!header)	/* shorter than a header: all is rest */
		return read_rest(rest, len);
	if (!record && !read_header(header, rmpp))
		return false;
	base_version = (uint8_t)number(header, "base_version");
	class_id = (uint8_t)number(header, "class_id");
	a = madkit_attribute_get(base_version, class_id,
				 (uint16_t)number(header, "attribute_id"));
	if (wanted && a && wanted->id == a->id)
		a = wanted;
	if (a)
		a = madkit_attribute_row(a, (uint32_t)number(header, "modifier"));
	at = madkit_attribute_offset(base_version, class_id, a) +
	     (record ? record * 8 * number(header, "attribute_offset") : 0);
	if (data && a && a->layout &&
	    !(json_object_object_length(data) == 1 &&
	      json_object_object_get_ex(data, "Data", &value) &&
	      strncmp(json_object_get_string(value), "0x", 2))) {
		struct strings s = { rest, rebuilt + at, at };

		if (!read_layout(layout_of(a, data), data, rebuilt + at, true))
			return false;
		madkit_walk(a->layout, rebuilt + at, sizeof(rebuilt) - at,
			    clear_string, &s);
	} else if (data) {
		if (!json_object_object_get_ex(data, "Data", &value) ||
		    !read_bytes(value, rebuilt + at, (size_t)
				json_object_get_string_len(value) / 2))
			return fail("data", "of an unknown layout");
	}
	return read_rest(rest, len);
}

/* The library's own reader makes the same bytes of the lines; a MAD cut short comes back
 * with zeros. */
static bool library_reads(const struct madkit_buf *buf, size_t len)
{
	struct madkit_json_in *in = madkit_json_in_new();
	const struct madkit_json_message *m = madkit_json_in_message(in);
	struct madkit_error error = { .text = "" };
	bool good = true;
	int ret = 0;

	for (size_t at = 0; good && at < buf->len;) {
		const char *end = memchr(buf->data + at, '\n', buf->len - at);
		size_t n = (size_t)(end - buf->data) + 1 - at;

		ret = madkit_json_in_line(in, buf->data + at, n, &error);
		at += n;
		if (ret != (at == buf->len))
			good = fail("the library", ret < 0 ? error.text : "wrong number of lines");
	}
	/* how many zeros end it nothing tells */
	for (size_t i = m->len; good && i < len; i++)
		if (original[i])
			good = fail("the library", "message too short");
	for (size_t i = 0; good && i < m->len; i++) {
		char text[60];

		if (m->mad[i] == (i < len ? original[i] : 0))
			continue;
		snprintf(text, sizeof(text), "byte %zu of %zu is %02x, not %02x", i, len,
			 m->mad[i], i < len ? original[i] : 0);
		good = fail("the library", text);
	}
	if (good && wanted && m->attribute != wanted)
		good = fail("the library", "wrong row");
	madkit_json_in_free(in);
	return good;
}

/* Lines made by plan are those that are made field by field; with secrets left out, too. */
static bool plans_agree(const struct madkit_message *m)
{
	static struct madkit_plans *plans;
	bool good = true;

	if (!plans)
		plans = madkit_plans_new();
	for (int shown = 0; good && shown < 2; shown++) {
		struct madkit_format format = { .show_keys = shown };
		struct madkit_buf walked, planned;

		madkit_buf_init(&walked, 0);
		madkit_buf_init(&planned, 0);
		madkit_format_json(&walked, m, &format);
		format.plans = plans;
		madkit_format_json(&planned, m, &format);
		if (walked.len != planned.len ||
		    memcmp(walked.data, planned.data, walked.len)) {
			printf("# planned: %.*s\n", (int)planned.len, planned.data);
			good = fail("planned", shown ? "another line" :
				    "another line without keys");
		}
		madkit_buf_reset(&walked);
		madkit_buf_reset(&planned);
		madkit_format_text(&planned, m, &format);
		format.plans = NULL;
		madkit_format_text(&walked, m, &format);
		if (good && (walked.len != planned.len ||
			     memcmp(walked.data, planned.data, walked.len))) {
			printf("# walked: %.*s\n# planned: %.*s\n", (int)walked.len, walked.data, (int)planned.len, planned.data);
			good = fail("planned", "another text");
		}
		madkit_buf_free(&walked);
		madkit_buf_free(&planned);
	}
	return good;
}

/* Formats len bytes of original, reads them back, compares. */
static bool same(size_t len)
{
	struct madkit_message m = {
		.kind = MADKIT_MESSAGE_RESPONSE, .mad = original, .len = len,
		.rtt_us = -1, .attempts = -1, .attribute = wanted,
	};
	struct madkit_format format = { .show_keys = true };
	struct json_tokener *tokener = json_tokener_new();
	struct madkit_buf buf;
	bool good = true;
	int lines;

	m.time.tv_nsec = -1;
	why[0] = 0;
	memset(rebuilt, 0, sizeof(rebuilt));
	madkit_buf_init(&buf, 0);
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT |
			       JSON_TOKENER_VALIDATE_UTF8);
	lines = madkit_format_json(&buf, &m, &format);
	for (size_t at = 0; good && at < buf.len; lines--) {
		const char *end = memchr(buf.data + at, '\n', buf.len - at);
		struct json_object *line;

		json_tokener_reset(tokener);
		line = json_tokener_parse_ex(tokener, buf.data + at,
					     (int)(end - buf.data - (long)at));
		good = line && json_tokener_get_error(tokener) ==
			json_tokener_success;
		if (!good)
			fail("not JSON", json_tokener_error_desc(
				json_tokener_get_error(tokener)));
		else
			good = read_line(line, len);
		json_object_put(line);
		at = (size_t)(end - buf.data) + 1;
	}
	if (good && lines)
		good = fail("lines", "wrong number");
	for (size_t i = 0; good && i < sizeof(rebuilt); i++) {
		uint8_t want = i < len ? original[i] : 0;
		char text[60];

		if (rebuilt[i] != want) {
			snprintf(text, sizeof(text), "%zu of %zu is %02x, not %02x",
				 i, len, rebuilt[i], want);
			good = fail("byte", text);
		}
	}
	if (good)
		good = plans_agree(&m);
	if (good && len >= MADKIT_HEADER_BYTES)
		good = library_reads(&buf, len);
	if (!good)
		printf("# %s\n# %.*s\n", why, (int)(buf.len < 3000 ? buf.len :
						    3000), buf.data);
	madkit_buf_free(&buf);
	json_tokener_free(tokener);
	return good;
}

/* ---- messages ------------------------------------------------------------------ */

/* density: one in so many bytes is not zero */
static void fill(size_t len, unsigned int density, uint8_t base_version,
		 uint8_t mgmt_class, uint8_t method, uint16_t id)
{
	for (size_t i = 0; i < len; i++)
		original[i] = random64() % density ? 0 :
			(uint8_t)(random64() >> 20);
	original[0] = base_version;
	original[1] = mgmt_class;
	original[3] = method;
	/* most without an error: those have no data */
	if (random64() % 4)
		original[4] = original[5] = 0;
	original[16] = (uint8_t)(id >> 8);
	original[17] = (uint8_t)id;
	/* a modifier that says it is of the row that is being tried */
	if (wanted && id == wanted->id)
		put_be32(original + 20, (get_be32(original + 20) & ~wanted->modifier_mask) |
			 wanted->modifier_value);
}

static bool check(uint8_t base_version, uint8_t mgmt_class, uint16_t id)
{
	size_t len = madkit_mad_bytes(base_version);
	static const unsigned int densities[] = { 1, 3, 20, 1000 };

	for (unsigned int round = 0; round < 24; round++) {
		fill(len, densities[round % 4], base_version, mgmt_class, 0x81,
		     id);
		if (!same(round < 16 ? len : random64() % (len + 1)))
			return false;
	}
	return true;
}

/* The data says that it is of this edition. */
static void choose(const struct madkit_class *class, const struct madkit_attribute *a,
		   const struct madkit_edition *e)
{
	size_t at = a->offset ? a->offset : class->offset;
	uint64_t value = e->first + random64() % (e->last - e->first + 1);
	uint64_t word = (get_be64(original + at) & ~e->mask) | (value & e->mask);

	for (unsigned int i = 0; i < 8; i++)
		original[at + i] = (uint8_t)(word >> (56 - 8 * i));
}

static bool check_edition(const struct madkit_class *class,
			  const struct madkit_attribute *a,
			  const struct madkit_edition *e)
{
	for (unsigned int round = 0; round < 24; round++) {
		fill(256, round % 4 + 1, 1, class->id, 0x81, a->id);
		choose(class, a, e);
		if (!same(round < 16 ? 256 : random64() % 257))
			return false;
	}
	return true;
}

/* Each bit of the data by itself, through the library. */
static bool check_bits(const struct madkit_class *class, const struct madkit_attribute *a)
{
	size_t at = a->offset ? a->offset : class->offset;
	struct madkit_message m = {
		.kind = MADKIT_MESSAGE_REQUEST, .mad = original, .len = 256, .rtt_us = -1,
		.attempts = -1, .attribute = a, .time.tv_nsec = -1,
	};
	struct madkit_format format = { .show_keys = true };
	struct madkit_buf buf;
	bool good = true;

	madkit_buf_init(&buf, 0);
	memset(original, 0, 256);
	original[0] = 1;
	original[1] = class->id;
	original[2] = class->version;
	original[3] = 1;
	original[16] = (uint8_t)(a->id >> 8);
	original[17] = (uint8_t)a->id;
	put_be32(original + 20, a->modifier_value);
	if (class->oui)
		bits_put(original, MADKIT_VENDOR2_OUI * 8, 24, class->oui);
	for (size_t bit = at * 8; good && bit < (at + a->bytes) * 8 && bit < 2048; bit++) {
		original[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
		why[0] = 0;
		madkit_buf_reset(&buf);
		good = madkit_format_json(&buf, &m, &format) == 1 && library_reads(&buf, 256);
		if (!good)
			printf("# bit %zu: %s\n# %.*s\n", bit - at * 8, why, (int)buf.len,
			       buf.data);
		original[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
	}
	madkit_buf_free(&buf);
	return good;
}

/* A table of records of this attribute, whole or cut. */
static bool check_table(const struct madkit_attribute *a)
{
	unsigned int stride = (a->bytes + 7u) / 8 * 8;

	for (unsigned int round = 0; round < 12; round++) {
		unsigned int n = (unsigned int)(random64() % 5);
		size_t len = 56 + n * stride + (round & 1 ? 0 :
				random64() % stride);

		fill(len, round % 3 + 1, 1, MADKIT_CLASS_SA,
		     MADKIT_METHOD_GET_TABLE | MADKIT_METHOD_RESPONSE, a->id);
		original[4] = original[5] = 0;
		original[26] = 0;
		put_be16(original + 44, (uint16_t)(stride / 8));
		if (round % 3) {
			madkit_rmpp_set_type(original, MADKIT_RMPP_DATA);
			madkit_rmpp_set_flags(original, 3);
			madkit_rmpp_set_segment(original, 1);
			madkit_rmpp_set_length(original, round & 4 ?
					       (uint32_t)random64() % 4000 : 0);
		}
		if (!same(len))
			return false;
	}
	return true;
}

int main(void)
{
	static const uint8_t unknown[] = { 0x00, 0x02, 0x0b, 0x15, 0x32, 0x50, 0x82,
					   0xff };
	const struct madkit_class *classes;
	size_t n;

	classes = madkit_classes(&n);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < classes[i].nattributes; k++) {
			const struct madkit_attribute *a = &classes[i].attributes[k];

			wanted = (k && a[-1].id == a->id) || a->modifier_mask ? a : NULL;
			for (size_t e = 0; e < a->neditions; e++)
				ok(check_edition(&classes[i], a, &a->editions[e]),
				   "%s %s", classes[i].name,
				   a->editions[e].layout->name);
			ok(check_bits(&classes[i], a), "%s %s: each bit", classes[i].name,
			   a->name);
			ok(check(1, classes[i].id, classes[i].attributes[k].id),
			   "%s %s", classes[i].name,
			   classes[i].attributes[k].name);
		}
		wanted = NULL;
		ok(check(1, classes[i].id, 0xeeee), "%s: an unknown attribute",
		   classes[i].name);
		ok(check(0x80, classes[i].id, 1), "%s: a MAD of 2048 bytes",
		   classes[i].name);
		for (size_t k = 0; classes[i].id == MADKIT_CLASS_SA &&
		     k < classes[i].nattributes; k++)
			ok(check_table(&classes[i].attributes[k]),
			   "table of %s", classes[i].attributes[k].name);
	}
	for (size_t i = 0; i < sizeof(unknown); i++)
		ok(check(1, unknown[i], 0x11), "class 0x%02x", unknown[i]);
	return tap_done();
}
