/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The tables against themselves: fields and reserved bits tile each layout,
 * names are unambiguous, values fit, components do not clash.
 */
#include <ctype.h>
#include <stdlib.h>
#include <strings.h>
#include <madkit/addr.h>
#include <madkit/expr.h>
#include <madkit/mad.h>
#include <madkit/registry.h>
#include "util/array_size.h"
#include "wire/edition.h"
#include "wire/tables/tables.h"
#include "../tap.h"

#define BITS_MAX (MADKIT_MAD_OPA_BYTES * 8)

/* Counts how often each bit is covered; errors are reported once per check. */
static uint8_t covered[BITS_MAX];
static unsigned int errors;

__attribute__((format(printf, 2, 3))) static void tables_complain(const char *layout, const char *format, ...)
{
	va_list args;

	errors++;
	printf("# %s: ", layout);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

static unsigned int deepest;

static void tables_cover(const struct madkit_layout *layout, uint32_t base, unsigned int depth)
{
	if (depth > deepest)
		deepest = depth;
	if (depth > MADKIT_DEPTH_MAX)
		return;
	for (unsigned int i = 0; i < layout->nfields; i++) {
		const struct madkit_field *f = &layout->fields[i];

		for (unsigned int n = 0; n < madkit_field_count(f); n++) {
			uint32_t at = base + madkit_field_offset(f, n);

			if (at - base + f->width > layout->bytes * 8u)
				tables_complain(layout->name, "%s[%u] ends beyond the layout", f->name, n);
			if (f->kind == MADKIT_KIND_STRUCT) {
				tables_cover(f->sub, at, depth + 1);
				continue;
			}
			for (uint32_t bit = at; bit < at + f->width; bit++)
				if (bit < BITS_MAX)
					covered[bit]++;
		}
	}
}

/* Every bit from first to last (bytes, last excluded) once. */
static void tiles(const char *name, uint32_t first, uint32_t last)
{
	for (uint32_t bit = first * 8; bit < last * 8; bit++) {
		if (covered[bit] != 1) {
			tables_complain(name, "bit %" PRIu32 " is covered %u times", bit, covered[bit]);
			return;
		}
	}
	memset(covered + first * 8, 0, (last - first) * 8);
}

/* ... and nothing else is. */
static void tiles_end(const char *name)
{
	for (uint32_t bit = 0; bit < BITS_MAX; bit++) {
		if (covered[bit]) {
			tables_complain(name, "bit %" PRIu32 " lies outside", bit);
			break;
		}
	}
	memset(covered, 0, sizeof(covered));
}

/* Checks that each unit makes exact decimal numbers of at most 64 bits, and finds the field that chooses it. */
static bool tables_check_units(const struct madkit_field *f)
{
	for (const struct madkit_unit *u = f->unit; u; u = u->other) {
		uint64_t ten = 1, most = f->width < 64 ? (UINT64_C(1) << f->width) - 1 : UINT64_MAX;

		for (int places = 0; u->divisor && ten % u->divisor && places < 9; places++)
			ten *= 10;
		if (!u->divisor || ten % u->divisor || !u->symbol || u->multiplier_bits >= f->width ||
		    (u->times ? u->times : 1) * (ten / u->divisor) > UINT64_MAX / most ||
		    (u->multiplier_bits && u->is_signed) || u->none_last < u->none_first ||
		    u->none_last > most || (u->other && (u->by_width < 1 || u->by_width > 8 || !u->by_set)))
			return false;
	}
	return f->unit;
}

static void tables_check_values(const char *layout, const struct madkit_field *f)
{
	uint64_t max = f->width < 64 ? (UINT64_C(1) << f->width) - 1 : UINT64_MAX;
	bool wanted = f->kind == MADKIT_KIND_ENUM || f->kind == MADKIT_KIND_BITS;

	if (wanted != (f->values != NULL))
		tables_complain(layout, "%s: values %s", f->name, wanted ? "are missing" : "make no sense");
	for (const struct madkit_value *v = f->values; v && v->name; v++) {
		uint64_t number;

		if (f->kind == MADKIT_KIND_BITS && !strcasecmp(v->name, "all"))
			tables_complain(layout, "%s: all means every bit", f->name);
		/* lists are shared: a narrower field may not reach all of one */
		if (f->kind == MADKIT_KIND_ENUM && v->value > max)
			tables_complain(layout, "%s: %s does not fit", f->name, v->name);
		bool bit = v->value && !(v->value & (v->value - 1));

		if (f->kind == MADKIT_KIND_BITS &&
		    (v->value > max || (!bit && !(f->flags & MADKIT_FIELD_ALTERNATIVES))))
			tables_complain(layout, "%s: %s is no bit of it", f->name, v->name);
		if (!madkit_parse_number(v->name, strlen(v->name), max, "", &number, NULL) &&
		    number != v->value)
			tables_complain(layout, "%s: is %s a name or a number?", f->name, v->name);
		for (const struct madkit_value *w = f->values; w < v; w++)
			if (w->value == v->value || !strcasecmp(w->name, v->name) ||
			    (w->alias && v->alias && !strcasecmp(w->alias, v->alias)))
				tables_complain(layout, "%s: %s and %s clash", f->name, w->name, v->name);
	}
}

static void check_kind(const char *layout, const struct madkit_field *f)
{
	bool whole = !(f->width % 8) && !(f->offset % 8) && !(f->stride % 8);
	bool good = f->width && f->width <= 64;

	switch (f->kind) {
	case MADKIT_KIND_RESERVED:
		good = f->width > 0;
		break;
	case MADKIT_KIND_GUID:
		good = f->width == 64;
		break;
	case MADKIT_KIND_GID:
		good = f->width == 128 && whole;
		break;
	case MADKIT_KIND_LID:
		good = f->width == 16 || f->width == 32;
		break;
	case MADKIT_KIND_BER:
		good = f->width == 12 || f->width == 16;
		break;
	case MADKIT_KIND_SCALED:
		good = good && tables_check_units(f);
		break;
	case MADKIT_KIND_KEY:
		good = good || (f->width && whole);
		break;
	case MADKIT_KIND_STRING:
	case MADKIT_KIND_BYTES:
		good = f->width && whole;
		break;
	case MADKIT_KIND_STRUCT:
		good = f->sub && f->width == f->sub->bytes * 8u && whole;
		break;
	}
	if (!good)
		tables_complain(layout, "%s: a width of %" PRIu32 " does not suit its kind", f->name,
				f->width);
	if (f->kind != MADKIT_KIND_STRUCT && f->sub)
		tables_complain(layout, "%s: no struct, but a layout", f->name);
	if ((f->flags & MADKIT_FIELD_OCTETS4) && f->kind != MADKIT_KIND_COUNTER)
		tables_complain(layout, "%s: octets of no counter", f->name);
	if ((f->flags & MADKIT_FIELD_ALTERNATIVES) && f->kind != MADKIT_KIND_BITS)
		tables_complain(layout, "%s: alternatives of no bit set", f->name);
	if ((f->flags & MADKIT_FIELD_PLAIN) && f->kind != MADKIT_KIND_BITS)
		tables_complain(layout, "%s: plain, but no bit set", f->name);
	if ((f->flags & MADKIT_FIELD_SELECTOR) && (f->kind != MADKIT_KIND_UNSIGNED || f->count))
		tables_complain(layout, "%s: selects, but is no number", f->name);
	if ((f->flags & MADKIT_FIELD_ROWS) && !f->count)
		tables_complain(layout, "%s: rows of no array", f->name);
	tables_check_values(layout, f);
}

/* Splits "Name,Alias,Alias"; returns the next word and its length. */
static const char *test_tables_word(const char *list, size_t *len)
{
	if (!list || !*list)
		return NULL;
	*len = strcspn(list, ",");
	return list;
}

static const char *tables_next(const char *at, size_t *len)
{
	return test_tables_word(at[*len] ? at + *len + 1 : NULL, len);
}

/* Reports every word that is in both lists. */
static void disjoint(const char *where, const char *one, const char *other)
{
	size_t n, m;

	for (const char *a = test_tables_word(one, &n); a; a = tables_next(a, &n))
		for (const char *b = test_tables_word(other, &m); b; b = tables_next(b, &m))
			if (n == m && !strncasecmp(a, b, n))
				tables_complain(where, "%.*s names two things", (int)n, a);
}

static void tables_check_word(const char *where, const char *list)
{
	size_t n;

	for (const char *a = test_tables_word(list, &n); a; a = tables_next(a, &n))
		for (size_t i = 0; i < n; i++)
			if (!isalnum((unsigned char)a[i]) && a[i] != '_' && a[i] != ':')
				tables_complain(where, "'%.*s' cannot be typed as a name", (int)n, a);
}

/* A span is the name of several fields: it begins with one, ends with one, and has no other's name. */
static void check_spans(const struct madkit_layout *layout)
{
	for (unsigned int i = 0; i < layout->nspans; i++) {
		const struct madkit_field *s = &layout->spans[i];
		bool begins = false, ends = false;

		tables_check_word(layout->name, s->name);
		check_kind(layout->name, s);
		for (unsigned int k = 0; k < layout->nfields; k++) {
			const struct madkit_field *f = &layout->fields[k];

			disjoint(layout->name, s->name, f->name);
			disjoint(layout->name, s->name, f->alias);
			begins |= f->offset == s->offset;
			ends |= f->offset + f->width == s->offset + s->width;
		}
		if (!begins || !ends || s->alias || s->component || s->count)
			tables_complain(layout->name, "%s covers part of a field", s->name);
	}
}

static void tables_check_names(const struct madkit_layout *layout)
{
	for (unsigned int i = 0; i < layout->nfields; i++) {
		const struct madkit_field *f = &layout->fields[i];
		bool reserved = !strncmp(f->name, "Reserved", 8);

		if (reserved != (f->kind == MADKIT_KIND_RESERVED))
			tables_complain(layout->name, "%s: reserved or not?", f->name);
		tables_check_word(layout->name, f->name);
		tables_check_word(layout->name, f->alias);
		disjoint(layout->name, f->name, f->alias);
		for (unsigned int k = 0; k < i; k++) {
			const struct madkit_field *g = &layout->fields[k];

			disjoint(layout->name, f->name, g->name);
			disjoint(layout->name, f->name, g->alias);
			disjoint(layout->name, f->alias, g->name);
			disjoint(layout->name, f->alias, g->alias);
		}
		check_kind(layout->name, f);
		if (f->sub)
			tables_check_names(f->sub);
	}
	check_spans(layout);
}

static void tables_check_components(const struct madkit_layout *layout, const struct madkit_layout *part,
				    const char *prefix, uint64_t *seen)
{
	for (unsigned int i = 0; i < part->nfields; i++) {
		const struct madkit_field *f = &part->fields[i];
		char name[MADKIT_PATH_MAX];
		struct madkit_place place;
		uint64_t mask;

		snprintf(name, sizeof(name), "%s%s", prefix, f->name);
		if (f->kind == MADKIT_KIND_RESERVED)
			continue;
		if (madkit_place_find(layout, name, strlen(name), &place, NULL)) {
			tables_complain(layout->name, "%s is not found", name);
			continue;
		}
		if (strcmp(place.path, name))
			tables_complain(layout->name, "%s is called %s", name, place.path);
		if (f->kind == MADKIT_KIND_STRUCT) {
			strncat(name, ".", sizeof(name) - strlen(name) - 1);
			tables_check_components(layout, f->sub, name, seen);
			continue;
		}
		mask = madkit_place_mask(&place);
		if (mask & *seen)
			tables_complain(layout->name, "%s shares a component", name);
		*seen |= mask;
	}
}

static void done(const char *what)
{
	ok(!errors, "%s", what);
	errors = 0;
}

/* It tiles what the attribute's own layout does, and begins with the same fields as far
 * as they choose it. */
static void tables_check_edition(const char *what, const struct madkit_attribute *a,
				 const struct madkit_edition *e)
{
	uint64_t choosing = 0;

	tables_cover(e->layout, 0, 1);
	tiles(e->layout->name, 0, a->layout->bytes);
	tiles_end(e->layout->name);
	tables_check_names(e->layout);
	for (unsigned int i = 0; i < a->layout->nfields; i++) {
		const struct madkit_field *f = &a->layout->fields[i];
		uint64_t first, last;

		if (!edition_selects(e, f, &first, &last))
			continue;
		choosing |= (f->width < 64 ? (UINT64_C(1) << f->width) - 1 : UINT64_MAX)
			    << (64 - f->offset - f->width);
		if (i >= e->layout->nfields || e->layout->fields[i].offset != f->offset ||
		    strcmp(e->layout->fields[i].name, f->name))
			tables_complain(what, "%s has no %s", e->layout->name, f->name);
	}
	if (choosing != e->mask)
		tables_complain(what, "%s is not chosen by whole fields", e->layout->name);
	if (e->first > e->last || e->first & ~e->mask || e->last & ~e->mask)
		tables_complain(what, "%s is never chosen", e->layout->name);
	for (const struct madkit_edition *other = a->editions; other < e; other++)
		if (other->mask == e->mask && other->first <= e->last && other->last >= e->first)
			tables_complain(what, "%s and %s are chosen by the same", e->layout->name,
					other->layout->name);
}

/* Bits of CounterSelect and CounterSelect2 have the names of the counters, and each counter has a bit. */
static void tables_check_select(const char *what, const struct madkit_layout *layout)
{
	static const char *const names[] = { "CounterSelect", "CounterSelect2" };
	unsigned int bits = 0, counters = 0;
	struct madkit_place place;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (madkit_place_find(layout, names[i], strlen(names[i]), &place, NULL) ||
		    place.field->kind != MADKIT_KIND_BITS)
			continue;
		for (const struct madkit_value *v = place.field->values; v->name; v++, bits++) {
			if (madkit_place_find(layout, v->name, strlen(v->name), &place, NULL) ||
			    place.field->kind != MADKIT_KIND_COUNTER || place.whole)
				tables_complain(what, "%s selects no counter", v->name);
		}
	}
	for (unsigned int i = 0; i < layout->nfields; i++)
		if (layout->fields[i].kind == MADKIT_KIND_COUNTER)
			counters += madkit_field_count(&layout->fields[i]);
	if (bits && bits != counters)
		tables_complain(what, "%u bits select %u counters", bits, counters);
}

/* The field exists, in an attribute of the class or of SubnMgt. */
static void tables_check_extent(const char *what, uint8_t mgmt_class, const struct madkit_extent *e)
{
	const char *const fields[] = { e->field, e->instead };
	const struct madkit_attribute *a;
	struct madkit_place place;
	uint16_t id;

	if (!e->attribute)
		return;
	if (madkit_attribute_find(e->attribute, mgmt_class, &mgmt_class, &id, &a, NULL) &&
	    madkit_attribute_find(e->attribute, MADKIT_CLASS_SUBN, &mgmt_class, &id, &a, NULL)) {
		tables_complain(what, "%s does not exist", e->attribute);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(fields) && fields[i]; i++)
		if (madkit_place_find(a->layout, fields[i], strlen(fields[i]), &place, NULL))
			tables_complain(what, "%s has no %s", e->attribute, fields[i]);
}

static void tables_check_instances(const char *what, uint8_t mgmt_class, const struct madkit_attribute *a)
{
	const struct madkit_instances *i = a->instances;

	if (!a->modifier)
		tables_complain(what, "several instances, and the modifier has no meaning");
	if (!a->selects)
		tables_complain(what, "several instances, and no bit of the modifier selects one");
	if (!i->ports && !i->blocks[0].entries)
		tables_complain(what, "neither ports nor blocks");
	for (size_t k = 0; k < ARRAY_SIZE(i->blocks); k++) {
		const struct madkit_blocks *blocks = &i->blocks[k];

		if (!blocks->entries)
			continue;
		if (!blocks->own.attribute)
			tables_complain(what, "the number of blocks is not known");
		if (blocks->entries != madkit_field_count(&a->layout->fields[0]))
			tables_complain(what, "a block of %u entries", blocks->entries);
		tables_check_extent(what, mgmt_class, &blocks->own);
		tables_check_extent(what, mgmt_class, &blocks->external);
	}
}

static void check_attribute(const struct madkit_class *class, const struct madkit_attribute *a)
{
	bool record = class->id == MADKIT_CLASS_SA && a->id >= 0x10;
	struct madkit_error error = { .text = "" };
	struct madkit_projection *columns = NULL;
	unsigned int bytes = a->layout->bytes;
	char what[80];
	uint64_t seen = 0;

	snprintf(what, sizeof(what), "%s:%s", class->name, a->name);
	tables_cover(a->layout, 0, 1);
	tiles(what, 0, bytes);
	tiles_end(what);
	if (record)
		bytes = (bytes + 7) / 8 * 8;
	if (a->bytes != bytes)
		tables_complain(what, "%u bytes on the wire, %u in the layout", a->bytes, bytes);
	if (!(a->flags & MADKIT_ATTRIBUTE_UNKNOWN) && strcmp(a->name, a->layout->name))
		tables_complain(what, "its layout is called %s", a->layout->name);
	for (size_t i = 0; i < a->neditions; i++)
		tables_check_edition(what, a, &a->editions[i]);
	if (a->columns && madkit_projection_new(a->columns, &columns, &error) == 0 &&
	    madkit_projection_check(columns, a, &error))
		tables_complain(what, "%s", error.text);
	madkit_projection_free(columns);
	if (a->selects && !a->modifier && a->modifier_mask != a->selects)
		tables_complain(what, "the modifier selects, and has no meaning");
	if (a->instances)
		tables_check_instances(what, class->id, a);
	tables_check_names(a->layout);
	tables_check_components(a->layout, a->layout, "", &seen);
	tables_check_select(what, a->layout);
	if (record && !(a->flags & MADKIT_ATTRIBUTE_UNKNOWN) && !seen)
		tables_complain(what, "a record without components");
	done(what);
}

static void check_class(const struct madkit_class *class)
{
	char what[80];
	unsigned int first = madkit_class_is_rmpp(class->id) ? 36 : 24;

	snprintf(what, sizeof(what), "header of %s 0x%02x", class->name, class->id);
	if (class->header) {
		tables_cover(class->header, 0, 1);
		tiles(what, first, class->offset);
		if (madkit_class_is_smi(class->id))
			tiles(what, 128, 256);
		tiles_end(what);
		tables_check_names(class->header);
	} else if (class->offset != first) {
		tables_complain(what, "is missing");
	}
	done(what);

	for (size_t i = 0; i < class->nattributes; i++) {
		const struct madkit_attribute *a = &class->attributes[i];

		check_attribute(class, a);
		if (i && a[-1].id > a->id)
			tables_complain(class->name, "%s is not in order", a->name);
		if (a->modifier_value & ~a->modifier_mask)
			tables_complain(class->name, "%s: no modifier chooses it", a->name);
		if (a->modifier_mask && madkit_attribute_row(a, a->modifier_value) != a)
			tables_complain(class->name, "%s is not chosen", a->name);
		for (size_t k = 0; k < i && a->modifier_mask; k++)
			if (a[-1 - (long)k].id == a->id && a[-1 - (long)k].modifier_mask &&
			    (a->choice != a[-1 - (long)k].choice ||
			     a->choice_value == a[-1 - (long)k].choice_value) &&
			    !((a->modifier_value ^ a[-1 - (long)k].modifier_value) & a->modifier_mask &
			      a[-1 - (long)k].modifier_mask))
				tables_complain(class->name, "%s: several of one modifier", a->name);
		tables_check_word(class->name, a->name);
		tables_check_word(class->name, a->alias);
		if ((a->offset ? a->offset : class->offset) + a->bytes > MADKIT_MAD_BYTES &&
		    class->id != MADKIT_CLASS_SA)
			tables_complain(class->name, "%s is longer than a MAD", a->name);
		for (size_t k = 0; k < i; k++) {
			const struct madkit_attribute *b = &class->attributes[k];

			disjoint(class->name, a->name, b->name);
			disjoint(class->name, a->name, b->alias);
			disjoint(class->name, a->alias, b->name);
			disjoint(class->name, a->alias, b->alias);
		}
	}
	snprintf(what, sizeof(what), "attributes of %s 0x%02x", class->name, class->id);
	done(what);
}

static void check_header(const struct madkit_layout *layout, uint32_t first, uint32_t last, const char *what)
{
	tables_cover(layout, 0, 1);
	tiles(what, first, last);
	tiles_end(what);
	tables_check_names(layout);
	done(what);
}

int main(void)
{
	const struct madkit_class *classes;
	size_t count;

	check_header(&madkit_layout_header, 0, 24, "common header");
	check_header(&madkit_layout_header_dr, 0, 24, "directed-route header");
	check_header(&madkit_layout_rmpp, 24, 36, "RMPP header");
	check_header(&madkit_layout_port_object, 0, madkit_attribute_port_object.bytes, "port object");

	classes = madkit_classes(&count);
	for (size_t i = 0; i < count; i++)
		check_class(&classes[i]);
	for (size_t i = 0; i < count; i++) {
		if (classes[i].id > classes[i].last ||
		    (i && classes[i - 1].last >= classes[i].id && !classes[i].oui))
			tables_complain(classes[i].name, "is not in order");
		for (size_t k = 0; k < i; k++) {
			disjoint("classes", classes[i].alias, classes[k].alias);
			disjoint("classes", classes[i].alias, classes[k].name);
			disjoint("classes", classes[i].name, classes[k].alias);
			if (classes[i].id == classes[i].last)
				disjoint("classes", classes[i].name, classes[k].name);
		}
	}
	done("classes");

	const struct madkit_attribute *opa =
		madkit_attribute_get(MADKIT_BASE_VERSION_OPA, MADKIT_CLASS_SA, 1);

	check_header(opa->layout, 0, 80, "OPA ClassPortInfo");
	ok(deepest <= MADKIT_DEPTH_MAX, "nesting of %u is within %u", deepest, MADKIT_DEPTH_MAX);
	return tap_done();
}
