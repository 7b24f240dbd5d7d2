/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The output of --describe, read back by a JSON library: every field of every attribute is at the position
 * that its name has in the tables, and each bit that is not reserved is described once.
 */
#include <errno.h>
#include <stdlib.h>
#include <json.h>
#include <madkit/madkit.h>
#include "util/bits.h"
#include "tests/tap.h"

static struct json_object *test_describe_get(struct json_object *o, const char *name)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(o, name, &value);
	return value;
}

static uint64_t test_describe_number(struct json_object *o, const char *name)
{
	struct json_object *value = test_describe_get(o, name);

	return json_object_is_type(value, json_type_int) ? json_object_get_uint64(value) : UINT64_MAX;
}

/* Sets the bits of width at offset; false where one is set already. */
static bool test_describe_cover(uint8_t *bits, uint64_t offset, uint64_t width)
{
	for (uint64_t i = offset; i < offset + width; i++) {
		if (bits_get(bits, (uint32_t)i, 1))
			return false;
		bits_put(bits, (uint32_t)i, 1, 1);
	}
	return true;
}

static bool test_describe_check_values(const struct madkit_field *f, struct json_object *values)
{
	size_t n = 0;

	for (const struct madkit_value *v = f->values; v && v->name; v++, n++) {
		char key[24];
		const char *name;

		snprintf(key, sizeof(key), "%" PRIu64, v->value);
		name = json_object_get_string(test_describe_get(values, key));
		if (!name || strcmp(name, v->name))
			return false;
	}
	return (size_t)json_object_object_length(values) == n;
}

/* The values that choose an edition are those of its fields, as they would be written
 * into data. */
static const struct madkit_layout *edition_of(const struct madkit_attribute *a, struct json_object *when)
{
	const struct madkit_layout *layout = NULL;
	uint8_t data[MADKIT_FRAME_BYTES] = { 0 };

	json_object_object_foreach(when, name, values)
	{
		const struct madkit_layout *first = NULL;

		for (size_t i = 0; i < json_object_array_length(values); i++) {
			const char *text = json_object_get_string(json_object_array_get_idx(values, i));

			if (madkit_set(a->layout, data, sizeof(data), name, text, NULL, NULL))
				return NULL;
			layout = madkit_attribute_layout(a, data, a->bytes);
			if (first && layout != first)
				return NULL;
			first = layout;
		}
	}
	return layout == a->layout ? NULL : layout;
}

/* The unit of a field, and the letters of its sources. *n counts their keys. */
static bool test_describe_check_unit(const struct madkit_field *f, struct json_object *o, int *n)
{
	const struct madkit_unit *u = f->unit;
	const char *sources = json_object_get_string(test_describe_get(o, "sources"));
	const char *symbol = json_object_get_string(test_describe_get(o, "unit"));

	*n = (f->sources ? 1 : 0) +
	     (u ? 4 + (u->has_none ? 1 : 0) + (u->multiplier_bits ? 1 : 0) + (u->other ? 2 : 0) : 0);
	if (!sources != !f->sources || (sources && strcmp(sources, f->sources)) || !symbol != !u)
		return false;
	return !u || (!strcmp(symbol, u->symbol) && test_describe_number(o, "divisor") == u->divisor &&
		      json_object_get_boolean(test_describe_get(o, "signed")) == u->is_signed);
}

static bool test_describe_check_field(const struct madkit_attribute *a, struct json_object *o, uint8_t *bits)
{
	struct json_object *when = test_describe_get(o, "when");
	/* fields of the second block, behind those of the first one */
	const bool second = test_describe_get(o, "block");
	const struct madkit_layout *layout = when ? edition_of(a, when) : second ? a->joined : a->layout;
	const char *name = json_object_get_string(test_describe_get(o, "name"));
	uint64_t offset = test_describe_number(o, "offset"), width = test_describe_number(o, "width");
	uint64_t count = test_describe_number(o, "count"), stride = test_describe_number(o, "stride");
	const char *counted = json_object_get_string(test_describe_get(o, "counted_by"));
	struct madkit_place place, by;
	bool good;
	int more;

	if (!name || !layout || madkit_place_find(layout, name, strlen(name), &place, NULL) ||
	    !test_describe_check_unit(place.field, o, &more) ||
	    json_object_object_length(o) != (when || second ? 8 : 7) + more + (place.counted ? 1 : 0) ||
	    (second && (test_describe_number(o, "block") != 1 || offset / 8 < a->bytes - 8u)) ||
	    !counted != !place.counted ||
	    (counted && (madkit_place_find(layout, counted, strlen(counted), &by, NULL) ||
			 by.field->offset != place.counted->counted)))
		return false;
	good = place.base + place.field->offset == offset && place.field->width == width && width &&
	       (place.repeat ? place.repeat == count :
		place.whole  ? place.field->count == count :
			       count == 1) &&
	       (place.repeat ? place.repeat_stride == stride :
		place.whole  ? stride >= width :
			       !stride) &&
	       json_object_get_string_len(test_describe_get(o, "kind")) > 2 &&
	       test_describe_check_values(place.field, test_describe_get(o, "values"));
	for (uint64_t i = 0; good && !when && !second && i < count; i++)
		good = test_describe_cover(bits, offset + i * stride, width);
	return good;
}

static int cover_reserved(void *context, const struct madkit_item *item)
{
	if (item->event == MADKIT_WALK_FIELD && item->field->kind == MADKIT_KIND_RESERVED &&
	    !test_describe_cover(context, item->bit, item->field->width))
		return -1;
	return 0;
}

static bool test_describe_check_line(const struct madkit_class *c, const struct madkit_attribute *a,
				     const char *line)
{
	static const uint8_t zeros[MADKIT_FRAME_BYTES];
	uint8_t bits[MADKIT_FRAME_BYTES] = { 0 };
	struct json_object *o = json_tokener_parse(line);
	struct json_object *fields = test_describe_get(o, "fields");
	char name[20];
	const bool guessed = a->flags & MADKIT_ATTRIBUTE_EXPERIMENTAL;
	/* registers are only read */
	const bool untried = a->flags & MADKIT_ATTRIBUTE_READ_ONLY;
	struct json_object *tried = test_describe_get(o, "tried_on_hardware");
	bool good = o && json_object_object_length(o) == 8 + guessed + untried && !tried == !untried &&
		    !json_object_get_boolean(tried) &&
		    json_object_get_boolean(test_describe_get(o, "experimental")) == guessed &&
		    json_object_is_type(test_describe_get(o, "methods"), json_type_array) &&
		    json_object_array_length(test_describe_get(o, "methods")) > 0 &&
		    !strcmp(json_object_get_string(test_describe_get(o, "class")),
			    c->oui ? c->name : madkit_class_name(c->id, name)) &&
		    test_describe_number(o, "class_id") == c->id &&
		    !strcmp(json_object_get_string(test_describe_get(o, "attribute")), a->name) &&
		    test_describe_number(o, "id") == a->id && test_describe_number(o, "bytes") == a->bytes &&
		    !strcmp(json_object_get_string(test_describe_get(o, "layout")),
			    a->flags & MADKIT_ATTRIBUTE_UNKNOWN ? "unknown" : "known") &&
		    json_object_is_type(fields, json_type_array);

	for (size_t i = 0; good && i < json_object_array_length(fields); i++)
		good = test_describe_check_field(a, json_object_array_get_idx(fields, i), bits);
	if (good && madkit_walk(a->layout, zeros, a->layout->bytes, cover_reserved, bits))
		good = false;
	for (uint32_t i = 0; good && i < a->layout->bytes * 8u; i++)
		good = bits_get(bits, i, 1);
	json_object_put(o);
	return good;
}

int main(void)
{
	const struct madkit_class *classes;
	struct madkit_buf buf, one;
	size_t n;

	classes = madkit_classes(&n);
	madkit_buf_init(&buf, 0);
	madkit_buf_init(&one, 0);
	for (size_t i = 0; i < n; i++) {
		madkit_buf_reset(&buf);
		is_int(madkit_describe_json(&buf, &classes[i], NULL), (int)classes[i].nattributes, "%s",
		       classes[i].name);
		madkit_buf_char(&buf, 0);
		char *line = buf.data;

		for (size_t k = 0; k < classes[i].nattributes; k++) {
			const struct madkit_attribute *a = &classes[i].attributes[k];
			char *end = strchr(line, '\n');

			*end = 0;
			ok(test_describe_check_line(&classes[i], a, line), "%s %s", classes[i].name, a->name);
			madkit_buf_reset(&one);
			madkit_describe_json(&one, &classes[i], a);
			ok(one.len == strlen(line) + 1 && !memcmp(one.data, line, one.len - 1),
			   "... by itself");
			line = end + 1;
		}
		ok(!*line, "and no more");
	}
	madkit_buf_reset(&one);
	is_int(madkit_describe_text(&one, madkit_class_get(1), madkit_attribute_get(1, 1, 0x11)), 1, "text");
	madkit_buf_char(&one, 0);
	ok(strstr(one.data, "# SubnMgt NodeInfo: class 0x01, attribute 0x0011, 40 bytes") == one.data,
	   "what it is");
	ok(strstr(one.data, "\nNodeType:........................bit 16, 8 wide, enum: "
			    "1 Channel Adapter, 2 Switch, 3 Router\n") != NULL,
	   "a field");
	madkit_buf_reset(&one);
	madkit_describe_text(&one, madkit_class_get(1), madkit_attribute_get(1, 1, 0x18));
	madkit_buf_char(&one, 0);
	ok(strstr(one.data, "\nBlock.VL:........................bit 4, 32 x 4 wide every 16, unsigned\n") !=
		   NULL,
	   "a field of an array");
	madkit_buf_free(&one);
	madkit_buf_init(&one, 100);
	is_int(madkit_describe_json(&one, madkit_class_get(1), NULL), -EFBIG, "a buffer that may not grow");
	is_u64(one.len, 0, "holds nothing");
	madkit_buf_free(&one);
	madkit_buf_free(&buf);
	return tap_done();
}
