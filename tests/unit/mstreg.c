/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Registers of random bytes, and what mstflint's mstreg printed as their fields (tests/data/mstreg-fields): our fields
 * of the same bytes have the same values, and each of ours is one of theirs.
 */
#include <madkit/constants.h>
#include <madkit/mad.h>
#include <madkit/registry.h>
#include <stdlib.h>
#include "../bytes.h"
#include "../tap.h"
#include "util/array_size.h"

#define MLNX         0x0a
#define REGISTER_ID  0x51
#define DATA_AT      32 /* of a MAD: the block, and the register */
#define ANSWERS      3
#define REGISTER_MAX 256

/* Fields that mstreg 4.33 does not have: newer, of its table for HCAs, or the kernel's alone. */
static const char *const mstreg_lacks[] = {
	"PhyOperation.LinkHealth",
	"PhyCounters.RsFecSingleErrorBlocks",
	"BitErrors.TimeSinceLastLinkUp",
	"FanSpeed.TachoMsb",
};

struct mstreg_register {
	char name[40];
	const struct madkit_attribute *attribute;
	const struct madkit_layout *layout; /* of all blocks */
	uint8_t mad[ANSWERS][DATA_AT + 4 + REGISTER_MAX];
	size_t len;
	unsigned int fields; /* that had lines */
};

/* Reads hexadecimal digits into the last of n bytes. Returns the bytes that the digits fill; 0 if they are wrong. */
static size_t mstreg_hex(const char *text, uint8_t *bytes, size_t n)
{
	const size_t digits = strlen(text);
	const size_t filled = (digits + 1) / 2;

	memset(bytes, 0, n);
	if (filled > n)
		return 0;
	for (size_t i = 0; i < digits; i++) {
		const char *hex = "0123456789abcdef", *digit = strchr(hex, text[digits - 1 - i]);

		if (!digit)
			return 0;
		bytes[n - 1 - i / 2] |= (uint8_t)((digit - hex) << (i % 2 * 4));
	}
	return filled;
}

/* Begins a register: "register NAME ID". */
static bool mstreg_begin(struct mstreg_register *r, const char *name, uint32_t id)
{
	uint8_t class;
	uint16_t attribute_id;

	memset(r, 0, sizeof(*r));
	snprintf(r->name, sizeof(r->name), "%s", name);
	if (!ok(!madkit_attribute_find(name, -1, &class, &attribute_id, &r->attribute, NULL) &&
			class == MLNX && attribute_id == REGISTER_ID && r->attribute->modifier_value == id,
		"%s is register 0x%04x", name, id))
		return false;
	r->layout = r->attribute->joined ? r->attribute->joined : r->attribute->layout;
	r->len = DATA_AT + r->layout->bytes;
	return true;
}

/* Takes the bytes of the answers: they are those of this register, by its number and its page. */
static bool mstreg_take_data(struct mstreg_register *r, char *words)
{
	const struct madkit_header h = {
		.base_version = 1,
		.mgmt_class = MLNX,
		.class_version = 1,
		.method = MADKIT_METHOD_GET | MADKIT_METHOD_RESPONSE,
		.attribute = REGISTER_ID,
		.modifier = r->attribute->modifier_value,
	};
	const size_t bytes = r->layout->bytes - 4u;
	char *save = NULL, *word = strtok_r(words, " \n", &save);
	bool good = true;

	for (unsigned int i = 0; i < ANSWERS; i++, word = strtok_r(NULL, " \n", &save)) {
		madkit_header_put(r->mad[i], MADKIT_MAD_BYTES, &h);
		good &= word && mstreg_hex(word, r->mad[i] + DATA_AT + 4, bytes) == bytes &&
			madkit_attribute_of(r->mad[i], r->len, NULL) == r->attribute &&
			madkit_attribute_layout(r->attribute, r->mad[i] + DATA_AT, r->layout->bytes) ==
				r->layout;
	}
	return ok(good, "%s: %d answers", r->name, ANSWERS);
}

/* Compares a field of an answer with the digits that mstreg printed. */
static bool mstreg_same(const struct mstreg_register *r, unsigned int answer,
			const struct madkit_place *place, const char *digits)
{
	const uint8_t *data = r->mad[answer] + DATA_AT;
	const struct madkit_field *f = place->field;
	uint8_t want[REGISTER_MAX];
	uint64_t value, number;

	if (strncmp(digits, "0x", 2) || !mstreg_hex(digits + 2, want, sizeof(want)))
		return false;
	if (f->width > 64)
		return !memcmp(want + sizeof(want) - f->width / 8, data + (place->base + f->offset) / 8,
			       f->width / 8);
	number = be_at(want + sizeof(want) - 8, 8);
	if (madkit_field_get(f, place->index, data + place->base / 8, r->layout->bytes - place->base / 8,
			     &value))
		return false;
	/* 4 bits between the magnitude and the coefficient are reserved */
	return f->kind == MADKIT_KIND_BER && f->width == 16 ? (value & 0xff0f) == number : value == number;
}

/* Takes a field: "FIELD NAME VALUE...". */
static void mstreg_take_field(struct mstreg_register *r, char *line)
{
	char *save = NULL, *ours = strtok_r(line, " \n", &save), *theirs = strtok_r(NULL, " \n", &save);
	struct madkit_place place;
	bool good = ours && theirs && !madkit_place_find(r->layout, ours, strlen(ours), &place, NULL);

	for (unsigned int i = 0; good && i < ANSWERS; i++) {
		const char *digits = strtok_r(NULL, " \n", &save);

		good = digits && mstreg_same(r, i, &place, digits);
	}
	ok(good, "%s.%s is %s", r->name, ours, theirs ? theirs : "not given");
	r->fields++;
}

static int mstreg_count(void *context, const struct madkit_item *item)
{
	*(unsigned int *)context += item->event == MADKIT_WALK_FIELD &&
				    item->field->kind != MADKIT_KIND_RESERVED &&
				    strcmp(item->field->name, "Block") != 0;
	return 0;
}

/* Every field of ours had a line, except for those that mstreg lacks. */
static void mstreg_end(const struct mstreg_register *r)
{
	unsigned int named = 0, lacks = 0;

	if (!r->attribute)
		return;
	madkit_walk(r->layout, r->mad[0] + DATA_AT, r->layout->bytes, mstreg_count, &named);
	for (size_t i = 0; i < ARRAY_SIZE(mstreg_lacks); i++)
		lacks += !strncmp(mstreg_lacks[i], r->name, strlen(r->name)) &&
			 mstreg_lacks[i][strlen(r->name)] == '.';
	is_u64(r->fields + lacks, named, "%s: each field is compared", r->name);
}

/* ---- fields that must not be sent ------------------------------------------------------ */

/* Fields that clear, reset, enable or change something, some of them on a Get too, where mstreg --show_reg prints them:
 * byte, bit (0: the least significant of the four bytes), and width. */
static const struct {
	uint32_t id;
	const char *name;
	uint32_t address, low, width;
} mstreg_harmful[] = {
	{ 0x5008, "clr", 0x4, 31, 1 }, { 0x5008, "counters_cap", 0x4, 29, 1 }, { 0x900a, "mte", 0x8, 31, 1 },
	{ 0x900a, "mtr", 0x8, 30, 1 }, { 0x900a, "weme", 0x8, 29, 1 },         { 0x900a, "sdme", 0x8, 28, 1 },
	{ 0x900a, "tee", 0xc, 30, 2 }, { 0x900a, "sdee", 0xc, 28, 2 },         { 0x5012, "rst", 0x0, 31, 1 },
	{ 0x5012, "ase", 0x4, 31, 1 }, { 0x5012, "ee", 0x4, 30, 1 },           { 0x5012, "e", 0x4, 0, 2 },
};

/* Registers and pages that have no row: latched flags of a module, its memory, and another register that clears. */
static bool mstreg_is_harmful(const struct madkit_attribute *a)
{
	return a->modifier_value == 0x9014 || a->modifier_value == 0x9051 ||
	       (a->modifier_value == 0x5031 && a->choice_value == 9);
}

static void mstreg_compare_harmful(const struct madkit_attribute *a)
{
	ok(!mstreg_is_harmful(a) && a->flags & MADKIT_ATTRIBUTE_READ_ONLY, "%s is only read, without harm",
	   a->name);
	for (size_t i = 0; i < ARRAY_SIZE(mstreg_harmful); i++) {
		const uint32_t end = 32 + mstreg_harmful[i].address * 8 + 32 - mstreg_harmful[i].low;
		bool named = false;

		if (mstreg_harmful[i].id != a->modifier_value)
			continue;
		for (unsigned int k = 0; k < a->layout->nfields; k++) {
			const struct madkit_field *f = &a->layout->fields[k];
			const uint32_t width = f->count ? f->width * f->count : f->width;

			named |= f->kind != MADKIT_KIND_RESERVED && f->offset < end &&
				 f->offset + width > end - mstreg_harmful[i].width;
		}
		ok(!named, "%s has no name for %s", a->name, mstreg_harmful[i].name);
	}
}

int main(void)
{
	static struct mstreg_register r;
	static char line[4096];
	char path[1024], name[40];
	const char *top = getenv("top_srcdir");
	unsigned int id, registers = 0, rows = 0;
	const struct madkit_class *mlnx = madkit_class_get(MLNX);
	FILE *file;

	snprintf(path, sizeof(path), "%s/tests/data/mstreg-fields", top ? top : ".");
	file = fopen(path, "r");
	if (!ok(file, "%s", path))
		return tap_done();
	while (fgets(line, sizeof(line), file)) {
		if (*line == '#' || !strncmp(line, "words ", 6) || !strncmp(line, "request ", 8))
			continue;
		if (sscanf(line, "register %39s %x", name, &id) == 2) {
			mstreg_end(&r);
			registers += mstreg_begin(&r, name, id);
		} else if (r.attribute && !strncmp(line, "data ", 5))
			mstreg_take_data(&r, line + 5);
		else if (r.attribute)
			mstreg_take_field(&r, line);
	}
	mstreg_end(&r);
	fclose(file);
	for (unsigned int i = 0; i < mlnx->nattributes; i++) {
		if (mlnx->attributes[i].id != REGISTER_ID || !mlnx->attributes[i].modifier_mask)
			continue;
		mstreg_compare_harmful(&mlnx->attributes[i]);
		rows++;
	}
	/* the adb files have nothing of MSPS */
	is_u64(registers, rows - 1, "all registers but PowerSupplies");
	return tap_done();
}
