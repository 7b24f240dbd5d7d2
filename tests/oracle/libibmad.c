/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Our tables against libibmad's: place and width of each field by random
 * buffers in both directions, names, the form of numbers, names of values and
 * bits. Every field of theirs is accounted for.
 */
#include <ctype.h>
#include <stdlib.h>
#include <madkit/registry.h>
#include "libibmad_map.h"
#include "util/array_size.h"
#include "util/bits.h"
#include "util/word.h"
#define RANDOM_SEED 0x6d61646b6974
#include "../random.h"
#include "../tap.h"

#define ROUNDS 200

static const struct madkit_layout *oracle_libibmad_layout_of(const char *ours);

/* The parts of an element of an array. */
static const struct madkit_layout *element_of(const char *ours, const char *dot)
{
	struct madkit_place place;
	char attribute[80];

	snprintf(attribute, sizeof(attribute), "%.*s", (int)(dot - ours), ours);

	const struct madkit_layout *layout = oracle_libibmad_layout_of(attribute);

	return !layout || madkit_place_find(layout, dot + 1, strlen(dot + 1), &place, NULL) ?
		       NULL :
		       place.field->sub;
}

/* "Class:Attribute", "Class:Attribute@N" for its Nth edition, a header of our own, or
 * the name of a class: its header. */
static const struct madkit_layout *oracle_libibmad_layout_of(const char *ours)
{
	const char *at = strchr(ours, '@');
	const struct madkit_attribute *attribute;
	char name[80];
	uint8_t class;
	uint16_t id;

	if (!strcmp(ours, "header"))
		return &madkit_layout_header;
	if (!strcmp(ours, "header_dr"))
		return &madkit_layout_header_dr;
	if (!strcmp(ours, "rmpp"))
		return &madkit_layout_rmpp;
	if (strchr(ours, '.'))
		return element_of(ours, strchr(ours, '.'));
	if (strchr(ours, ':')) {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(ours, "@"), ours);
		if (madkit_attribute_find(name, -1, &class, &id, &attribute, NULL) || !attribute)
			return NULL;
		return !at ? attribute->layout : attribute->editions[atoi(at + 1)].layout;
	}
	return madkit_class_find(ours, &class, NULL) ? NULL : madkit_class_get(class)->header;
}

/* Returns true if layouts of this kind are attributes, which libibmad also prints. */
static bool is_attribute(const char *ours)
{
	return strchr(ours, ':') != NULL;
}

/*
 * Reads the field at the place. Returns 0 for a number, in value; else the number of bytes, with the bits of
 * all elements in a row; SIZE_MAX on failure.
 */
static size_t ours_get(const struct madkit_place *place, const uint8_t *buf, size_t len, uint8_t *bytes,
		       uint64_t *value)
{
	const struct madkit_field *f = place->field;
	const uint8_t *base = buf + place->base / 8;
	size_t left = len - place->base / 8;
	unsigned int n = place->whole ? f->count : 1;
	size_t total = (size_t)f->width * n / 8;

	if (!place->whole && f->width <= 64 && f->kind != MADKIT_KIND_STRUCT) {
		if (madkit_field_get(f, place->index, base, left, value))
			return SIZE_MAX;
		return 0;
	}
	if (f->width > 64 || f->kind == MADKIT_KIND_STRUCT) {
		memcpy(bytes, base + madkit_field_offset(f, 0) / 8, total);
		return total;
	}
	memset(bytes, 0, total);
	for (unsigned int i = 0; i < n; i++) {
		uint64_t v;

		if (madkit_field_get(f, i, base, left, &v))
			return SIZE_MAX;
		bits_put(bytes, i * f->width, f->width, v);
	}
	return total;
}

/* Decodes one buffer both ways. */
static bool decode_equal(int theirs, const struct madkit_place *place, uint8_t *buf, size_t len)
{
	const struct madkit_field *f = place->field;
	uint8_t ours[256];
	union {
		uint32_t u32;
		uint64_t u64;
		uint8_t bytes[256];
	} val;
	uint64_t value = 0;
	size_t n = ours_get(place, buf, len, ours, &value);

	memset(&val, 0xa5, sizeof(val));
	mad_decode_field(buf, theirs, &val);
	if (n == SIZE_MAX)
		return false;
	if (!n && f->width <= 32)
		return value == val.u32;
	if (!n)
		return value == val.u64;
	if (n == 8)
		put_be64(val.bytes, val.u64);
	return !memcmp(ours, val.bytes, n);
}

/* Encodes one value both ways into the same random buffer. */
static bool encode_equal(int theirs, const struct madkit_place *place, size_t len)
{
	const struct madkit_field *f = place->field;
	uint8_t a[256], b[256], wide[256];
	uint8_t *base = b + place->base / 8;
	size_t left = len - place->base / 8;
	unsigned int n = place->whole ? f->count : 1;
	size_t total = (size_t)f->width * n / 8;

	random_bytes(a, sizeof(a));
	memcpy(b, a, sizeof(a));
	random_bytes(wide, sizeof(wide));
	if (!place->whole && f->width <= 64 && f->kind != MADKIT_KIND_STRUCT) {
		uint64_t value = random64() & bits_mask(f->width);
		uint32_t u32 = (uint32_t)value;

		mad_encode_field(a, theirs, f->width <= 32 ? (void *)&u32 : (void *)&value);
		if (madkit_field_put(f, place->index, base, left, value))
			return false;
	} else {
		uint64_t u64 = get_be64(wide);

		mad_encode_field(a, theirs, total == 8 ? (void *)&u64 : wide);
		if (f->width > 64 || f->kind == MADKIT_KIND_STRUCT) {
			memcpy(base + madkit_field_offset(f, 0) / 8, wide, total);
		} else {
			for (unsigned int i = 0; i < n; i++)
				if (madkit_field_put(f, i, base, left,
						     bits_get(wide, i * f->width, f->width)))
					return false;
		}
	}
	return !memcmp(a, b, sizeof(a));
}

/* GUID0 is GUID[0]: their name without the digits is ours. */
static bool name_equal(const char *theirs, const struct madkit_place *place)
{
	const struct madkit_field *f = place->field;
	size_t len = strlen(theirs);

	if (!strcmp(theirs, f->name) || names_have(f->alias, theirs, len))
		return true;
	if (!strcasecmp(theirs, f->name)) /* names ignore case on input */
		return true;
	while (f->count && !place->whole && len && isdigit((unsigned char)theirs[len - 1]))
		len--;
	return names_have(f->alias, theirs, len) ||
	       (strlen(f->name) == len && !strncasecmp(f->name, theirs, len));
}

/* Diagnostics only where a difference is a failure. */
static bool quiet;

#define diag(...) \
	do { \
		if (!quiet) \
			printf("# " __VA_ARGS__); \
	} while (0)

static const char *text_difference(const char *ours, const struct madkit_field *f)
{
	char full[80];

	snprintf(full, sizeof(full), "%s.%s", ours, f->name);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (!strcmp(texts[i].field, f->name) || !strcmp(texts[i].field, full))
			return texts[i].why;
	return NULL;
}

static const char *their_text(int theirs, uint64_t value, unsigned int width, char *buf, size_t size)
{
	uint32_t u32 = (uint32_t)value;

	buf[0] = 0;
	if (!mad_dump_val(theirs, buf, (int)size, width <= 32 ? (void *)&u32 : (void *)&value))
		return NULL;
	return buf;
}

/* The number as our kind shows it: decimal, or 0x and the digits of whole
 * bytes. */
static bool number_equal(int theirs, const struct madkit_field *f)
{
	for (int i = 0; i < 20; i++) {
		uint64_t value = random64() & bits_mask(f->width);
		char buf[64], want[64];

		if (i < 4)
			value = i == 3 ? bits_mask(f->width) : (uint64_t)i & bits_mask(f->width);
		switch (f->kind) {
		case MADKIT_KIND_BITS: /* plain ones */
		case MADKIT_KIND_HEX:
		case MADKIT_KIND_GUID:
		case MADKIT_KIND_KEY:
			snprintf(want, sizeof(want), "0x%0*" PRIx64, (int)(f->width + 7) / 8 * 2, value);
			break;
		default:
			snprintf(want, sizeof(want), "%" PRIu64, value);
		}
		their_text(theirs, value, f->width, buf, sizeof(buf));
		if (strcmp(buf, want)) {
			diag("%s: ours %s, theirs %s\n", f->name, want, buf);
			return false;
		}
	}
	return true;
}

/* Names that ours has and libibmad 44 has not. */
static bool newer_name(const char *name)
{
	static const char *const names[] = {
		"IsCableInfoSupported",
		"IsExtendedSpeeds2Supported",
		"IsLinkSpeedXDRSupported",
		"Class Manager",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static bool unknown(const char *text)
{
	return text[0] == '?' || !strncmp(text, "undefined", 9);
}

static bool enum_equal(int theirs, const struct madkit_field *f)
{
	uint64_t max = f->width < 6 ? bits_mask(f->width) : 63;
	bool good = true;

	for (uint64_t value = 0; value <= max; value++) {
		const char *name = madkit_value_name(f->values, value);
		char buf[256];

		their_text(theirs, value, f->width, buf, sizeof(buf));
		if (name ? strcmp(name, buf) != 0 && !(newer_name(name) && unknown(buf)) : !unknown(buf)) {
			diag("%s: %" PRIu64 " is %s, theirs %s\n", f->name, value, name ? name : "nothing",
			     buf);
			good = false;
		}
	}
	return good;
}

/* Values that are no single bit: a name of the whole, or the names of its
 * bits one after the other. */
static bool wholes_equal(int theirs, const struct madkit_field *f)
{
	for (uint64_t value = 0; value <= bits_mask(f->width); value++) {
		const char *whole = madkit_value_name(f->values, value);
		const struct madkit_value *v;
		uint64_t left = value;
		char buf[256], want[256];
		char *more;
		size_t n = 0;

		for (v = f->values; v->name && !whole; v++) {
			if ((v->value & (v->value - 1)) || !(value & v->value))
				continue;
			n += (size_t)snprintf(want + n, sizeof(want) - n, "%s%s", n ? " or " : "", v->name);
			left &= ~v->value;
		}
		if (whole)
			snprintf(want, sizeof(want), "%s", whole);
		else if (left || !n)
			snprintf(want + n, sizeof(want) - n, "%sundefined (%" PRIu64 ")", n ? " or " : "",
				 value);
		their_text(theirs, value, f->width, buf, sizeof(buf));
		more = strstr(buf, " (IBA extension)");
		if (more)
			*more = 0;
		if (strcmp(buf, want)) {
			diag("%s: %" PRIu64 " is %s, theirs %s\n", f->name, value, want, buf);
			return false;
		}
	}
	return true;
}

static bool bits_equal(int theirs, const struct madkit_field *f)
{
	bool good = true;

	for (unsigned int bit = 0; bit < f->width; bit++) {
		uint64_t value = UINT64_C(1) << bit;
		const char *name = madkit_value_name(f->values, value);
		char buf[2048], want[256];

		their_text(theirs, value, f->width, buf, sizeof(buf));
		snprintf(want, sizeof(want), "0x%" PRIx64 "%s%s", value, name ? "\n\t\t\t\t" : "",
			 name ? name : "");
		if (!strcmp(buf, want))
			continue;
		snprintf(want, sizeof(want), "0x%" PRIx64, value);
		if (name && newer_name(name) && !strcmp(buf, want))
			continue;
		diag("%s: bit %u is %s, theirs %s\n", f->name, bit, name ? name : "nothing", buf);
		good = false;
	}
	return good;
}

static bool text_equal(int theirs, const struct madkit_place *place)
{
	const struct madkit_field *f = place->field;

	switch (f->kind) {
	case MADKIT_KIND_ENUM:
		return enum_equal(theirs, f);
	case MADKIT_KIND_BITS:
		if (f->flags & MADKIT_FIELD_PLAIN)
			return number_equal(theirs, f);
		return f->flags & MADKIT_FIELD_ALTERNATIVES ? wholes_equal(theirs, f) : bits_equal(theirs, f);
	case MADKIT_KIND_GID:
		return false;
	case MADKIT_KIND_STRING:
	case MADKIT_KIND_BYTES:
	case MADKIT_KIND_STRUCT:
		return true; /* shown as bytes or text by both */
	}
	if (f->width > 64)
		return false;
	return place->whole || number_equal(theirs, f);
}

static void oracle_libibmad_check_pair(int theirs, const char *ours, const char *field)
{
	const struct madkit_layout *layout = oracle_libibmad_layout_of(ours);
	const char *name = mad_field_name(theirs);
	struct madkit_place place;
	size_t len;
	bool good = true;

	if (!layout || madkit_place_find(layout, field, strlen(field), &place, NULL)) {
		ok(false, "%s.%s is in our tables", ours, field);
		return;
	}
	len = layout->bytes;

	uint8_t buf[256] = { 0 };

	for (int i = 0; i < ROUNDS && good; i++) {
		if (i == 1)
			memset(buf, 0xff, sizeof(buf));
		else if (i)
			random_bytes(buf, sizeof(buf));
		good = decode_equal(theirs, &place, buf, len);
	}
	ok(good, "%s.%s decodes as %s", ours, field, name);
	good = true;
	for (int i = 0; i < ROUNDS && good; i++)
		good = encode_equal(theirs, &place, len);
	ok(good, "%s.%s encodes as %s", ours, field, name);
	if (!ok(name_equal(name, &place), "%s.%s has its name", ours, field))
		printf("# theirs %s\n", name);
	if (!is_attribute(ours))
		return;
	quiet = text_difference(ours, place.field) != NULL;
	if (quiet)
		ok(!text_equal(theirs, &place), "%s.%s differs in text: %s", ours, field,
		   text_difference(ours, place.field));
	else
		ok(text_equal(theirs, &place), "%s.%s reads the same", ours, field);
}

/* Returns the note about a number of libibmad, or NULL. */
static const char *account(int theirs)
{
	const char *name = mad_field_name(theirs);

	if (!name[0])
		return "no field";
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		if (pairs[i].theirs == theirs)
			return pairs[i].ours;
	for (size_t i = 0; i < ARRAY_SIZE(differences); i++)
		if (theirs >= differences[i].first && theirs <= differences[i].last)
			return differences[i].why;
	for (size_t i = 0; i < ARRAY_SIZE(newer); i++)
		if (theirs > IB_PORT_EXT_NDR_FEC_MODE_LAST_F && !strcmp(newer[i].theirs, name))
			return newer[i].ours;
	return NULL;
}

static void check_accounts(void)
{
	bool good = true;

	for (int f = 1; f < IB_FIELD_LAST_; f++) {
		if (!account(f)) {
			printf("# %s (%d) is in no list\n", mad_field_name(f), f);
			good = false;
		}
	}
	ok(good, "each of %d fields of libibmad is accounted for", IB_FIELD_LAST_ - 1);
}

/* The two fields of theirs that share our method octet. */
static void check_method(void)
{
	bool good = true;
	uint8_t buf[24];

	for (int i = 0; i < ROUNDS; i++) {
		struct madkit_place place;
		uint64_t ours;

		random_bytes(buf, sizeof(buf));
		if (madkit_place_find(&madkit_layout_header, "method", 6, &place, NULL) ||
		    madkit_field_get(place.field, 0, buf, sizeof(buf), &ours) ||
		    ours != (mad_get_field(buf, 0, IB_MAD_METHOD_F) | mad_get_field(buf, 0, IB_MAD_RESPONSE_F)
									      << 7))
			good = false;
	}
	ok(good, "the method is theirs and their R bit");
}

/* IBA 16.1.3.2: masks of three bits, in ascending order, the first of each group at the bit given. */
static void check_counter_masks(void)
{
	const struct madkit_layout *layout = oracle_libibmad_layout_of("PerfMgt:PortSamplesControl");

	for (unsigned int n = 1; n <= 14; n++) {
		unsigned int bit = n < 10 ? 37 + 3 * (n - 1) : 65 + 3 * (n - 10);
		int theirs = n < 10 ? IB_PSC_COUNTER_MASKS1TO9_F : IB_PSC_COUNTER_MASKS10TO14_F;
		unsigned int shift = 3 * (n < 10 ? 9 - n : 14 - n);
		uint8_t by_hand[80] = { 0 }, by_libibmad[80] = { 0 }, ours[80] = { 0 };
		struct madkit_place place;
		uint64_t value = 0;
		char name[20];

		for (unsigned int i = 0; i < 3; i += 2)
			by_hand[(bit + i) / 8] |= (uint8_t)(0x80 >> (bit + i) % 8);
		mad_set_field(by_libibmad, 0, theirs, UINT32_C(5) << shift);
		snprintf(name, sizeof(name), "CounterMask%u", n);
		ok(!madkit_set(layout, ours, sizeof(ours), name, "5", &place, NULL) &&
			   place.field->width == 3 && !memcmp(ours, by_hand, sizeof(ours)) &&
			   !memcmp(ours, by_libibmad, sizeof(ours)),
		   "A15: %s is bits %u to %u", name, bit, bit + 2);
		ok(!madkit_set(layout, ours, sizeof(ours), n < 10 ? "CounterMasks1to9" : "CounterMasks10to14",
			       n < 10 ? "0x7ffffff" : "0x7fff", &place, NULL) &&
			   !madkit_place_find(layout, name, strlen(name), &place, NULL) &&
			   !madkit_field_get(place.field, 0, ours, sizeof(ours), &value) && value == 7,
		   "A15: ... and one of those that libibmad's name means");
	}
}

/* The sets of counters that are about one kind of packet begin with its OpCode. */
static void check_op_codes(void)
{
	static const char *const attributes[] = {
		"PerfMgt:PortOpRcvCounters",
		"PerfMgt:PortVLOpPackets",
		"PerfMgt:PortVLOpData",
		"PerfMgt:PortSamplesControl",
	};

	for (size_t i = 0; i < ARRAY_SIZE(attributes); i++) {
		const struct madkit_layout *layout = oracle_libibmad_layout_of(attributes[i]);
		uint8_t buf[256] = { 0 };

		ok(layout && !madkit_set(layout, buf, layout->bytes, "OpCode", "0xa5", NULL, NULL) &&
			   buf[0] == 0xa5 && mad_get_field(buf, 0, IB_PSC_OPCODE_F) == 0xa5 && !buf[1],
		   "A15: OpCode is byte 0 of %s", attributes[i]);
	}
}

int main(void)
{
	check_counter_masks();
	check_op_codes();
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		oracle_libibmad_check_pair(pairs[i].theirs, pairs[i].ours, pairs[i].field);
	for (size_t i = 0; i < ARRAY_SIZE(newer); i++)
		for (int f = IB_PORT_EXT_NDR_FEC_MODE_LAST_F; f < IB_FIELD_LAST_; f++)
			if (!strcmp(mad_field_name(f), newer[i].theirs))
				oracle_libibmad_check_pair(f, newer[i].ours, newer[i].field);
	check_method();
	check_accounts();
	return tap_done();
}
