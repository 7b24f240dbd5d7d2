/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The codec on a layout defined here: walking, finding, setting, truncation. */
#include <errno.h>
#include <stdlib.h>
#include <madkit/field.h>
#include "tests/tap.h"
#include "util/array_size.h"
#include "util/bits.h"
#include "wire/wire_int.h"

static const struct madkit_value colours[] = {
	{ 1, "Red", 0, NULL },
	{ 2, "Dark Blue", 0, NULL },
	{ 4, "2048", 0, NULL },
	{ 0, NULL, 0, NULL },
};
static const struct madkit_value flags[] = {
	{ 1, "IsA", 0, NULL },
	{ 2, "IsB", 0, NULL },
	{ 0x80, "IsTop", 0, NULL },
	{ 0, NULL, 0, NULL },
};
static const struct madkit_field inner_fields[] = {
	{ .name = "Reserved", .offset = 0, .width = 4, .kind = MADKIT_KIND_RESERVED },
	{ .name = "VL", .offset = 4, .width = 4, .kind = MADKIT_KIND_UNSIGNED, .component = 1 },
	{ .name = "Weight", .offset = 8, .width = 8, .kind = MADKIT_KIND_UNSIGNED, .component = 2 },
};
static const struct madkit_layout inner = {
	.name = "Inner",
	.fields = inner_fields,
	.nfields = ARRAY_SIZE(inner_fields),
	.bytes = 2,
};
/* clang-format off */
static const struct madkit_field outer_fields[] = {
	{ .name = "Colour", .alias = "C,Hue", .offset = 0, .width = 3, .kind = MADKIT_KIND_ENUM, .values = colours, .component = 1 },
	{ .name = "Number", .offset = 3, .width = 13, .kind = MADKIT_KIND_UNSIGNED, .component = 2 },
	{ .name = "Flags", .offset = 16, .width = 8, .kind = MADKIT_KIND_BITS, .values = flags },
	{ .name = "Reserved1", .offset = 24, .width = 8, .kind = MADKIT_KIND_RESERVED },
	{ .name = "Block", .offset = 32, .width = 16, .count = 2, .kind = MADKIT_KIND_STRUCT, .sub = &inner },
	{ .name = "One", .offset = 64, .width = 16, .kind = MADKIT_KIND_STRUCT, .sub = &inner, .component = 5 },
	{ .name = "Nibble", .offset = 80, .width = 4, .count = 4, .kind = MADKIT_KIND_HEX, .flags = MADKIT_FIELD_NUMBERED },
	{ .name = "GID", .offset = 96, .width = 128, .kind = MADKIT_KIND_GID },
	{ .name = "Text", .offset = 224, .width = 64, .kind = MADKIT_KIND_STRING },
	{ .name = "Bytes", .offset = 288, .width = 32, .kind = MADKIT_KIND_BYTES },
	{ .name = "Tail", .offset = 320, .width = 16, .count = 8, .kind = MADKIT_KIND_LID, .flags = MADKIT_FIELD_VARIABLE },
};
/* clang-format on */
static const struct madkit_layout outer = {
	.name = "Outer",
	.fields = outer_fields,
	.nfields = ARRAY_SIZE(outer_fields),
	.bytes = 56,
};

struct seen {
	char text[2048];
	int stop_at;
};

static int codec_note(void *context, const struct madkit_item *item)
{
	static const char *const events[] = { "", "{", "}", "[", "]", "!" };
	struct seen *seen = context;
	size_t n = strlen(seen->text);

	if (item->field->kind == MADKIT_KIND_RESERVED)
		return 0;
	if (item->event == MADKIT_WALK_FIELD && item->field->width <= 64)
		snprintf(seen->text + n, sizeof(seen->text) - n, "%s=%" PRIu64 " ", item->field->name,
			 item->value);
	else
		snprintf(seen->text + n, sizeof(seen->text) - n, "%s%s ", events[item->event],
			 item->field->name);
	return seen->stop_at && --seen->stop_at == 0 ? 77 : 0;
}

static const struct {
	const char *name, *text;
	int ret;
	const char *path; /* canonical name, where it succeeds */
	unsigned int component;
} sets[] = {
	{ "Colour", "Red", 0, "Colour", 1 },
	{ "hue", "dark blue", 0, "Colour", 1 },
	{ "C", "2048", 0, "Colour", 1 },
	{ "Colour", "7", 0, "Colour", 1 },
	{ "Colour", "8", -ERANGE, NULL, 0 },
	{ "Colour", "Green", -EINVAL, NULL, 0 },
	{ "Colour", "", -EINVAL, NULL, 0 },
	{ "Colours", "1", -ENOENT, NULL, 0 },
	{ "Number", "8191", 0, "Number", 2 },
	{ "Number", "8192", -ERANGE, NULL, 0 },
	{ "Number", "0x1zz", -EINVAL, NULL, 0 },
	{ "Flags", "IsA|istop", 0, "Flags", 0 },
	{ "Flags", "IsA,0x10", 0, "Flags", 0 },
	{ "Flags", "all", 0, "Flags", 0 },
	{ "Flags", "IsA,ALL", -EINVAL, NULL, 0 },
	{ "Flags", "alle", -EINVAL, NULL, 0 },
	{ "Colour", "all", -EINVAL, NULL, 0 },
	{ "Flags", "IsA|", -EINVAL, NULL, 0 },
	{ "Flags", "IsC", -EINVAL, NULL, 0 },
	{ "Reserved1", "1", -ENOENT, NULL, 0 },
	{ "Block[1].Weight", "200", 0, "Block[1].Weight", 0 },
	{ "Block[2].Weight", "1", -ERANGE, NULL, 0 },
	{ "Block[x].Weight", "1", -EINVAL, NULL, 0 },
	{ "Block[].Weight", "1", -EINVAL, NULL, 0 },
	{ "Block.Weight", "1", -EINVAL, NULL, 0 },
	{ "Block", "1", -EINVAL, NULL, 0 },
	{ "One.Weight", "9", 0, "One.Weight", 7 },
	{ "One.", "9", -ENOENT, NULL, 0 },
	{ "Weight", "9", -EEXIST, NULL, 0 },
	{ "Nibble[3]", "0xf", 0, "Nibble[3]", 0 },
	{ "Nibble", "1,2,3,4", 0, "Nibble", 0 },
	{ "Nibble", "1,2,3,4,5", -ERANGE, NULL, 0 },
	{ "Nibble", "5,6,16", -ERANGE, NULL, 0 },
	{ "GID", "fe80::1", 0, "GID", 0 },
	{ "GID", "fe80::1::2", -EINVAL, NULL, 0 },
	{ "Text", "12345678", 0, "Text", 0 },
	{ "Text", "123456789", -ERANGE, NULL, 0 },
	{ "Bytes", "0x01ff", 0, "Bytes", 0 },
	{ "Bytes", "01f", -EINVAL, NULL, 0 },
	{ "Bytes", "0102030405", -ERANGE, NULL, 0 },
	{ "Tail[7]", "65535", 0, "Tail[7]", 0 },
};

int main(void)
{
	uint8_t buf[56], before[56], rest[56];
	struct madkit_place place;
	struct madkit_error error;
	struct seen seen = { "", 0 };

	for (size_t i = 0; i < ARRAY_SIZE(sets); i++) {
		for (size_t b = 0; b < sizeof(buf); b++)
			buf[b] = (uint8_t)(0xa5 ^ b);
		memcpy(before, buf, sizeof(buf));
		memset(&error, 0, sizeof(error));
		is_int(madkit_set(&outer, buf, sizeof(buf), sets[i].name, sets[i].text, &place, &error),
		       sets[i].ret, "%s=%s: %s", sets[i].name, sets[i].text,
		       sets[i].ret ? error.text : "taken");
		if (sets[i].ret) {
			is_mem(buf, before, sizeof(buf), "  nothing changed");
			ok(error.text[0], "  and words say why");
		} else {
			is_str(place.path, sets[i].path, "  its full name");
			is_u64(place.component, sets[i].component, "  its component");
		}
	}

	/* all of it, read back by the walk */
	memset(buf, 0, sizeof(buf));
	madkit_set(&outer, buf, 56, "Colour", "Red", NULL, NULL);
	madkit_set(&outer, buf, 56, "Number", "4660", NULL, NULL);
	madkit_set(&outer, buf, 56, "Flags", "all", NULL, NULL);
	is_u64(buf[2], 0x83, "all: every bit that has a name");
	madkit_set(&outer, buf, 56, "Flags", "IsB", NULL, NULL);
	madkit_set(&outer, buf, 56, "Block[0].VL", "3", NULL, NULL);
	madkit_set(&outer, buf, 56, "Block[1].Weight", "255", NULL, NULL);
	madkit_set(&outer, buf, 56, "Nibble", "1,2,3,4", NULL, NULL);
	madkit_set(&outer, buf, 56, "Tail[1]", "7", NULL, NULL);
	is_u64(get_be16(buf), 1 << 13 | 4660, "3 and 13 bits in their place");
	is_u64(buf[2], 2, "a bit by name");
	is_u64(get_be16(buf + 10), 0x1234, "nibbles from the left");
	is_int(madkit_walk(&outer, buf, sizeof(buf), codec_note, &seen), 0, "a whole walk");
	is_str(seen.text,
	       "Colour=1 Number=4660 Flags=2 [Block {Block VL=3 Weight=0 }Block "
	       "{Block VL=0 Weight=255 }Block ]Block {One VL=0 Weight=0 }One "
	       "[Nibble Nibble=1 Nibble=2 Nibble=3 Nibble=4 ]Nibble GID Text=0 Bytes=0 "
	       "[Tail Tail=0 Tail=7 Tail=0 Tail=0 Tail=0 Tail=0 Tail=0 Tail=0 ]Tail ",
	       "  sees each field once");

	seen = (struct seen){ "", 0 };
	is_int(madkit_walk(&outer, buf, 44, codec_note, &seen), 0, "a short variable array is no truncation");
	ok(strstr(seen.text, "[Tail Tail=0 Tail=7 ]Tail ") != NULL, "  it has the elements that are there");
	seen = (struct seen){ "", 0 };
	is_int(madkit_walk(&outer, buf, 27, codec_note, &seen), -ENODATA, "a GID cut by one byte");
	ok(strstr(seen.text, "]Nibble !GID") && !strstr(seen.text, "Text"),
	   "  is truncation, and nothing follows");
	seen = (struct seen){ "", 0 };
	is_int(madkit_walk(&outer, buf, 7, codec_note, &seen), -ENODATA, "half an array of structs");
	seen = (struct seen){ "", 0 };
	is_int(madkit_walk(&outer, buf, 0, codec_note, &seen), -ENODATA, "nothing at all");
	seen = (struct seen){ "", 3 };
	is_int(madkit_walk(&outer, buf, 56, codec_note, &seen), 77, "a visitor can stop the walk");

	memset(buf, 0xff, sizeof(buf));
	is_u64(layout_rest(&outer, buf, sizeof(buf), rest), 4, "rest: the bytes with reserved bits");
	is_u64(get_be32(rest), 0xff, "  a whole reserved byte");
	is_u64(get_be32(rest + 4), 0xf000f000, "  and reserved nibbles of structs");
	is_u64(layout_rest(&outer, buf, 30, rest), 6, "rest of a short buffer");
	is_u64(get_be16(rest + 28), 0xffff, "  holds what was cut off");

	is_int(madkit_place_find(&outer, "Block.VL", 8, &place, &error), 0,
	       "an array of structs without an index");
	is_u64(place.repeat, 2, "  is found as a repetition");
	is_u64(place.repeat_stride, 16, "  with its stride");
	is_int(madkit_place_find(&outer, "nibble3", 7, &place, &error), 0, "an element by its number");
	is_str(place.path, "Nibble[3]", "  is that of the index");
	ok(place.index == 3 && !place.whole, "  and alone");
	is_int(madkit_place_find(&outer, "Nibble4", 7, &place, &error), -ENOENT, "a number too high");
	is_int(madkit_place_find(&outer, "Nibble03", 8, &place, &error), -ENOENT,
	       "a number with a zero before it");
	is_int(madkit_place_find(&outer, "Nibble3[0]", 10, &place, &error), -ENOENT, "a number and an index");
	is_int(madkit_place_find(&outer, "Tail3", 5, &place, &error), -ENOENT,
	       "a number behind another array");
	is_int(madkit_place_find(&outer, "3", 1, &place, &error), -ENOENT, "a number behind nothing");
	is_int(madkit_set(&outer, buf, 41, "Tail", "1", NULL, &error), -ENODATA, "setting beyond the buffer");
	is_int(madkit_field_put(&outer_fields[1], 0, buf, 56, 8192), -ERANGE,
	       "put refuses what does not fit");
	is_int(madkit_field_put(&outer_fields[6], 4, buf, 56, 0), -ERANGE, "and an index too high");
	uint64_t value;
	is_int(madkit_field_get(&outer_fields[7], 0, buf, 56, &value), -EINVAL, "get refuses a GID");
	return tap_done();
}
