/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Our tables against opensm's ib_types.h: sizes of structures, every field
 * read from random bytes by its structures and accessors, numbers of the SA's
 * components, and names of statuses and enumerations by number.
 */
#include <stdlib.h>
#include <iba/ib_types.h>
#include <madkit/mad.h>
#include <madkit/registry.h>
#define RANDOM_SEED 0x69625f7479706573
#include "../random.h"
#include "../tap.h"
#include "embedded.h"
#include "util/array_size.h"
#include "wire/tables/values.h"

#define ROUNDS   100
#define SEEN_MAX 256

/* The structure that is being compared, and the fields that have been. */
static struct {
	const char *name;
	const struct madkit_layout *layout;
	const uint8_t *buf;
	unsigned int errors;
	unsigned int nseen;
	struct {
		const struct madkit_field *field;
		uint32_t base;
	} seen[SEEN_MAX];
} now;

static bool ib_types_seen(const struct madkit_field *field, uint32_t base)
{
	for (unsigned int i = 0; i < now.nseen; i++)
		if (now.seen[i].field == field && now.seen[i].base == base)
			return true;
	return false;
}

static bool ib_types_find(const char *name, struct madkit_place *place)
{
	if (embedded_find(now.layout, name, strlen(name), place)) {
		if (!now.errors++)
			printf("# %s has no %s\n", now.name, name);
		return false;
	}
	if (!ib_types_seen(place->field, place->base) && now.nseen < SEEN_MAX) {
		now.seen[now.nseen].field = place->field;
		now.seen[now.nseen++].base = place->base;
	}
	return true;
}

/* A number: ours against theirs, in host order. */
static void num(const char *name, uint64_t theirs)
{
	struct madkit_place place;
	uint64_t ours;

	if (!ib_types_find(name, &place))
		return;
	if ((madkit_field_get(place.field, place.index, now.buf + place.base / 8,
			      now.layout->bytes - place.base / 8, &ours) ||
	     ours != theirs) &&
	    !now.errors++)
		printf("# %s: ours 0x%" PRIx64 ", theirs 0x%" PRIx64 "\n", name, ours, theirs);
}

/* Bytes: where ours lies against where theirs does. */
static void bytes(const char *name, const void *theirs, size_t n)
{
	struct madkit_place place;
	const uint8_t *ours;

	if (!ib_types_find(name, &place))
		return;
	ours = now.buf + place.base / 8 + madkit_field_offset(place.field, place.index) / 8;
	if ((ours != theirs || place.field->width != n * 8) && !now.errors++)
		printf("# %s: ours at %td, theirs at %td\n", name, ours - now.buf,
		       (const uint8_t *)theirs - now.buf);
}

#define GID(name, g) bytes(name, &(g), 16)
#define N16(name, v) num(name, cl_ntoh16(v))
#define N32(name, v) num(name, cl_ntoh32(v))
#define N64(name, v) num(name, cl_ntoh64(v))

/* One element of an array. */
static const char *ib_types_nth(const char *name, unsigned int i, const char *part)
{
	static char path[64];

	snprintf(path, sizeof(path), "%s[%u]%s", name, i, part);
	return path;
}

#include "ib_types_fields.h"

/* A leaf that no comparison has named is a hole in the test. */
static int unseen(void *context, const struct madkit_item *item)
{
	bool *all = context;
	const struct madkit_field *f = item->field;

	if (item->event != MADKIT_WALK_FIELD || f->kind == MADKIT_KIND_RESERVED)
		return 0;
	if (!ib_types_seen(f, item->bit - madkit_field_offset(f, item->index))) {
		printf("# %s is not compared\n", f->name);
		*all = false;
	}
	return 0;
}

static void ib_types_compare(const char *name, const struct madkit_layout *layout, void (*with)(const void *))
{
	/* eight bytes before the data: forwarding tables are contained in records */
	static _Alignas(8) uint8_t room[8 + 256];
	bool all = true;

	memset(&now, 0, sizeof(now));
	now.name = name;
	now.layout = layout;
	now.buf = room + 8;
	for (int i = 0; i < ROUNDS && !now.errors; i++) {
		random_bytes(room, sizeof(room));
		with(now.buf);
	}
	ok(!now.errors, "%s: each field reads the same", name);
	madkit_walk(layout, now.buf, 256, unseen, &all);
	ok(all, "%s: each field is compared", name);
}

/* The fields that a trap's number adds, or a log's type. */
static void compare_details(const char *name, uint16_t which, void (*with)(const void *))
{
	uint8_t data[80] = { 0x80, [4] = (uint8_t)(which >> 8), (uint8_t)which };
	static _Alignas(8) uint8_t room[256];
	const struct madkit_attribute *attribute;
	uint8_t class;
	uint16_t id;
	bool all = true;

	memset(&now, 0, sizeof(now));
	if (madkit_attribute_find(name, -1, &class, &id, &attribute, NULL)) {
		ok(false, "%s is known", name);
		return;
	}
	now.name = name;
	if (!strcmp(attribute->layout->name, "CongestionLog"))
		data[0] = (uint8_t)which;
	now.layout = madkit_attribute_layout(attribute, data, sizeof(data));
	now.buf = room;
	for (int i = 0; i < ROUNDS && !now.errors; i++) {
		random_bytes(room, sizeof(room));
		with(room);
	}
	ok(!now.errors, "%s of %u: each field reads the same", name, which);
	/* the header that all of them have is compared as such */
	for (unsigned int i = 0; i < attribute->layout->nfields; i++)
		if (!strstr(attribute->layout->fields[i].name, "Details"))
			ib_types_find(attribute->layout->fields[i].name, &(struct madkit_place){ 0 });
	madkit_walk(now.layout, now.buf, sizeof(room), unseen, &all);
	ok(all, "%s of %u: each field is compared", name, which);
}

/* ---- components -------------------------------------------------------------- */

#include "ib_types_components.h"

/* Every leaf of a record has to be in the list above. */
struct listed {
	const char *attribute;
	const struct madkit_layout *layout;
	bool all;
};

/* Returns true if the place denotes this field in the layout that begins at base: a place without an index
 * in an array of layouts denotes all elements. */
static bool stands_for(const struct madkit_place *place, const struct madkit_field *f, uint32_t base)
{
	uint32_t from = base - place->base;

	if (place->field != f || base < place->base)
		return false;
	return !place->repeat ?
		       !from :
		       from % place->repeat_stride == 0 && from / place->repeat_stride < place->repeat;
}

static int listed(void *context, const struct madkit_item *item)
{
	struct listed *l = context;
	const struct madkit_field *f = item->field;

	if (item->event != MADKIT_WALK_FIELD || f->kind == MADKIT_KIND_RESERVED || item->index)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(components); i++) {
		struct madkit_place place;

		if (!strcmp(components[i].attribute, l->attribute) &&
		    !madkit_place_find(l->layout, components[i].field, strlen(components[i].field), &place,
				       NULL) &&
		    stands_for(&place, f, item->bit - madkit_field_offset(f, 0)))
			return 0;
	}
	printf("# %s is not in the list\n", f->name);
	l->all = false;
	return 0;
}

static const struct madkit_layout *sa_layout(const char *name)
{
	const struct madkit_attribute *attribute;
	uint8_t class;
	uint16_t id;

	return madkit_attribute_find(name, MADKIT_CLASS_SA, &class, &id, &attribute, NULL) || !attribute ?
		       NULL :
		       attribute->layout;
}

static void ib_types_check_components(void)
{
	static const uint8_t zero[256];
	const char *last = "";

	for (size_t i = 0; i < ARRAY_SIZE(components); i++) {
		const char *field = components[i].field;
		const struct madkit_layout *layout = sa_layout(components[i].attribute);
		struct madkit_place place;

		if (!layout || madkit_place_find(layout, field, strlen(field), &place, NULL)) {
			ok(false, "%s has %s", components[i].attribute, field);
			continue;
		}
		is_u64(madkit_place_mask(&place), cl_ntoh64(components[i].mask), "component of %s.%s",
		       components[i].attribute, field);
		if (strcmp(last, components[i].attribute)) {
			struct listed l = { components[i].attribute, layout, true };

			last = components[i].attribute;
			madkit_walk(layout, zero, sizeof(zero), listed, &l);
			ok(l.all, "%s: each component is compared", last);
		}
	}
}

/* ---- words ------------------------------------------------------------------- */

static const char *value_name(const char *attribute, const char *field, uint64_t value)
{
	struct madkit_place place;

	if (madkit_place_find(sa_layout(attribute), field, strlen(field), &place, NULL))
		return NULL;
	return madkit_value_name(place.field->values, value);
}

#include "ib_types_words.h"

static void check_words(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rates); i++)
		is_str(value_name("PathRecord", "Rate", (uint64_t)rates[i].number), rates[i].rate, "rate %d",
		       rates[i].number);
	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++) {
		char text[80];

		madkit_status_text(MADKIT_CLASS_SA, cl_ntoh16(statuses[i].status), text, sizeof(text));
		is_str(text, statuses[i].word, "status 0x%04x", cl_ntoh16(statuses[i].status));
	}
	for (size_t i = 0; i < ARRAY_SIZE(rmpp_statuses); i++)
		is_str(madkit_value_name(madkit_values_rmpp_status, rmpp_statuses[i].status),
		       rmpp_statuses[i].word, "RMPP status %u", rmpp_statuses[i].status);
	is_str(value_name("SMInfoRecord", "SMState", IB_SMINFO_STATE_NOTACTIVE), "NotActive",
	       "SM not active");
	is_str(value_name("SMInfoRecord", "SMState", IB_SMINFO_STATE_DISCOVERING), "Discovering",
	       "SM discovering");
	is_str(value_name("SMInfoRecord", "SMState", IB_SMINFO_STATE_STANDBY), "Standby", "SM standby");
	is_str(value_name("SMInfoRecord", "SMState", IB_SMINFO_STATE_MASTER), "Master", "SM master");
	is_str(value_name("PathRecord", "MTUSelector", IB_PATH_SELECTOR_GREATER_THAN), "GreaterThan",
	       "selector: greater");
	is_str(value_name("PathRecord", "MTUSelector", IB_PATH_SELECTOR_LESS_THAN), "LessThan",
	       "selector: less");
	is_str(value_name("PathRecord", "MTUSelector", IB_PATH_SELECTOR_EXACTLY), "Exactly",
	       "selector: exactly");
	is_str(value_name("PathRecord", "MTUSelector", IB_PATH_SELECTOR_LARGEST), "Largest",
	       "selector: largest");
}

int main(void)
{
	ib_types_compare("header", &madkit_layout_header, ib_types_header);
	ib_types_compare("directed-route header", &madkit_layout_header_dr, ib_types_header_dr);
	ib_types_compare("RMPP header", &madkit_layout_rmpp, ib_types_rmpp);
	ib_types_compare("SMP header", madkit_class_get(0x01)->header, ib_types_smp);
	ib_types_compare("directed-route SMP header", madkit_class_get(0x81)->header, ib_types_smp_dr);
	ib_types_compare("SA header", madkit_class_get(0x03)->header, ib_types_sa);
	ib_types_compare("CC header", madkit_class_get(0x21)->header, ib_types_cc);
	for (size_t i = 0; i < ARRAY_SIZE(attributes); i++) {
		const char *name = attributes[i].attribute;
		const struct madkit_attribute *attribute;
		uint8_t class;
		uint16_t id;

		if (madkit_attribute_find(name, -1, &class, &id, &attribute, NULL)) {
			ok(false, "%s is known", name);
			continue;
		}
		if (attributes[i].bytes)
			is_u64(attribute->bytes, attributes[i].bytes, "%s: %zu bytes", name,
			       attributes[i].bytes);
		ib_types_compare(name, attribute->layout, attributes[i].compare);
	}
	for (size_t i = 0; i < ARRAY_SIZE(notices); i++)
		compare_details(notices[i].attribute, notices[i].which, notices[i].compare);
	ib_types_check_components();
	check_words();
	return tap_done();
}
