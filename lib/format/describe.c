/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Describes the tables themselves, for people and for programs. */
#include <inttypes.h>
#include <stdio.h>
#include <madkit/constants.h>
#include <madkit/format.h>
#include <madkit/mad.h>
#include "util/array_size.h"
#include "util/put.h"
#include "wire/edition.h"

static const char *const kinds[] = {
	[MADKIT_KIND_RESERVED] = "reserved", [MADKIT_KIND_UNSIGNED] = "unsigned",
	[MADKIT_KIND_COUNTER] = "counter",   [MADKIT_KIND_HEX] = "hex",
	[MADKIT_KIND_GUID] = "guid",         [MADKIT_KIND_GID] = "gid",
	[MADKIT_KIND_LID] = "lid",           [MADKIT_KIND_ENUM] = "enum",
	[MADKIT_KIND_BITS] = "bits",         [MADKIT_KIND_STRING] = "string",
	[MADKIT_KIND_BYTES] = "bytes",       [MADKIT_KIND_KEY] = "key",
	[MADKIT_KIND_SCALED] = "scaled",     [MADKIT_KIND_BER] = "ber",
	[MADKIT_KIND_STRUCT] = "struct",
};

/* A field as it is described: nested fields have dotted names, and an array of layouts becomes an array of
 * each of its fields. */
struct flat {
	const struct madkit_field *field;
	char name[MADKIT_PATH_MAX];
	uint32_t offset;
	unsigned int count; /* 1: not an array */
	uint32_t stride;    /* 0: not an array */
	const struct madkit_attribute *attribute;
	const struct madkit_field
		*counted; /* the array that has it, if another field has the number of elements */
	const struct madkit_edition *edition; /* the only edition that has it, or NULL */
	bool second;                          /* only the second block of a register has it */
};

typedef void (*tell_fn)(struct madkit_buf *buf, const struct flat *flat);

static bool describe_has_array(const struct madkit_layout *layout, unsigned int depth)
{
	for (unsigned int i = 0; i < layout->nfields; i++) {
		const struct madkit_field *field = &layout->fields[i];

		if (field->kind != MADKIT_KIND_RESERVED &&
		    (field->count ||
		     (field->sub && depth < MADKIT_DEPTH_MAX && describe_has_array(field->sub, depth + 1))))
			return true;
	}
	return false;
}

/* Checks if the attribute has the field in every edition. */
static bool in_all(const struct madkit_attribute *a, const struct madkit_field *field)
{
	for (unsigned int i = 0; i < a->layout->nfields; i++)
		if (a->layout->fields[i].offset == field->offset &&
		    !strcmp(a->layout->fields[i].name, field->name))
			return true;
	return false;
}

static void describe_flatten(struct madkit_buf *buf, const struct madkit_layout *layout,
			     const struct flat *outer, unsigned int depth, tell_fn tell)
{
	for (unsigned int i = 0; i < layout->nfields; i++) {
		const struct madkit_field *field = &layout->fields[i];
		unsigned int count = madkit_field_count(field), expand = 1;
		const char *dot = outer->name[0] ? "." : "";
		struct flat flat = *outer;

		if (field->kind == MADKIT_KIND_RESERVED || depth == MADKIT_DEPTH_MAX ||
		    (!depth && (outer->edition || outer->second) && in_all(outer->attribute, field)))
			continue;
		flat.field = field;
		if (field->counted_width)
			flat.counted = field;
		/* nested arrays: each element of the outer array separately */
		if (field->count && field->sub && describe_has_array(field->sub, 0))
			expand = count;
		else if (field->count) {
			flat.count = count;
			flat.stride = field->stride ? field->stride : field->width;
		}
		for (unsigned int n = 0; n < expand; n++) {
			flat.offset = outer->offset + madkit_field_offset(field, n);
			if (expand > 1)
				snprintf(flat.name, sizeof(flat.name), "%.60s%s%.60s[%u]", outer->name, dot,
					 field->name, n);
			else
				snprintf(flat.name, sizeof(flat.name), "%.60s%s%.60s", outer->name, dot,
					 field->name);
			if (field->sub)
				describe_flatten(buf, field->sub, &flat, depth + 1, tell);
			else
				tell(buf, &flat);
		}
	}
}

static void describe_put_name(struct madkit_buf *buf, const char *name)
{
	madkit_json_string(buf, name, strlen(name));
}

/* Writes ,"when":{"TrapNumber":[64,65]}: the values that choose the edition. */
static void describe_when_json(struct madkit_buf *buf, const struct flat *flat)
{
	const struct madkit_layout *layout = flat->attribute->layout;
	uint64_t first, last;

	if (!flat->edition)
		return;
	LIT(buf, ",\"when\":{");
	for (unsigned int i = 0; i < layout->nfields; i++) {
		if (!edition_selects(flat->edition, &layout->fields[i], &first, &last))
			continue;
		describe_put_name(buf, layout->fields[i].name);
		for (const char *sep = ":["; first <= last; first++, sep = ",")
			madkit_buf_printf(buf, "%s%" PRIu64, sep, first);
		LIT(buf, "],");
	}
	put_uncomma(buf);
	LIT(buf, "}");
}

/* Returns the name of the attribute's field with this place, or NULL. */
static const char *describe_name_at(const struct flat *flat, uint32_t offset, uint32_t width)
{
	const struct madkit_layout *layout = flat->attribute->layout;

	for (unsigned int i = 0; i < layout->nfields; i++)
		if (layout->fields[i].offset == offset && layout->fields[i].width == width)
			return layout->fields[i].name;
	return NULL;
}

/* Returns the name of the field that has the number of elements, or NULL. */
static const char *describe_counted_by(const struct flat *flat)
{
	const struct madkit_field *counted = flat->counted;

	return counted ? describe_name_at(flat, counted->counted, counted->counted_width) : NULL;
}

static void describe_put_unit_json(struct madkit_buf *buf, const struct madkit_unit *u)
{
	LIT(buf, "\"unit\":");
	describe_put_name(buf, u->symbol);
	madkit_buf_printf(buf, ",\"times\":%u,\"divisor\":%u,\"signed\":%s", u->times ? u->times : 1u,
			  (unsigned int)u->divisor, u->is_signed ? "true" : "false");
	if (u->has_none)
		madkit_buf_printf(buf, ",\"null\":[%u,%u]", u->none_first, u->none_last);
	if (u->multiplier_bits)
		madkit_buf_printf(buf, ",\"power_bits\":%u", u->multiplier_bits);
}

/* Checks if the unit after this one is chosen by the same field. */
static bool unit_goes_on(const struct madkit_unit *u)
{
	return u->other->other && u->other->by == u->by;
}

/* Writes ,"by":"CableType","units":[{"when":[1,2],"unit":"dBm" ...}]: the units that a field chooses, of which another field may choose
 * again. */
static void describe_units_json(struct madkit_buf *buf, const struct flat *flat, const struct madkit_unit *u)
{
	const struct madkit_unit *first = u;
	bool more = true;

	LIT(buf, ",\"by\":");
	describe_put_name(buf, describe_name_at(flat, u->by, u->by_width));
	LIT(buf, ",\"units\":[");
	for (; more; u = u->other) {
		const char *sep = u == first ? "{\"when\":[" : ",{\"when\":[";

		more = unit_goes_on(u);
		for (unsigned int v = 0; v < 32 && v >> u->by_width == 0; v++) {
			if (!(u->by_set >> v & 1) || (more && u->other->by_set >> v & 1))
				continue;
			madkit_buf_printf(buf, "%s%u", sep, v);
			sep = ",";
		}
		LIT(buf, "],");
		describe_put_unit_json(buf, u->other);
		if (!more && u->other->other)
			describe_units_json(buf, flat, u->other);
		LIT(buf, "}");
	}
	LIT(buf, "]");
}

/* Writes ,"unit":"dBm","divisor":1 ... */
static void describe_unit_json(struct madkit_buf *buf, const struct flat *flat)
{
	const struct madkit_unit *u = flat->field->unit;

	if (!u)
		return;
	LIT(buf, ",");
	describe_put_unit_json(buf, u);
	if (u->other)
		describe_units_json(buf, flat, u);
}

static void describe_field_json(struct madkit_buf *buf, const struct flat *flat)
{
	const struct madkit_value *v = flat->field->values;

	LIT(buf, "{\"name\":");
	describe_put_name(buf, flat->name);
	madkit_buf_printf(buf,
			  ",\"offset\":%" PRIu32 ",\"width\":%" PRIu32 ",\"count\":%u,\"stride\":%" PRIu32
			  ",\"kind\":\"%s\",\"values\":{",
			  flat->offset, flat->field->width, flat->count, flat->stride,
			  kinds[flat->field->kind]);
	for (; v && v->name; v++) {
		madkit_buf_printf(buf, "\"%" PRIu64 "\":", v->value);
		describe_put_name(buf, v->name);
		if (v[1].name)
			LIT(buf, ",");
	}
	LIT(buf, "}");
	describe_when_json(buf, flat);
	describe_unit_json(buf, flat);
	if (describe_counted_by(flat)) {
		LIT(buf, ",\"counted_by\":");
		describe_put_name(buf, describe_counted_by(flat));
	}
	if (flat->second)
		LIT(buf, ",\"block\":1");
	if (flat->field->sources) {
		LIT(buf, ",\"sources\":");
		describe_put_name(buf, flat->field->sources);
	}
	LIT(buf, "},");
}

static void describe_position_text(struct madkit_buf *buf, const struct flat *flat)
{
	madkit_buf_printf(buf, "bit %" PRIu32 ", ", flat->offset);
	if (flat->count > 1)
		madkit_buf_printf(buf, "%u x ", flat->count);
	madkit_buf_printf(buf, "%" PRIu32 " wide", flat->field->width);
	if (flat->stride && flat->stride != flat->field->width)
		madkit_buf_printf(buf, " every %" PRIu32, flat->stride);
	LIT(buf, ", ");
}

/* Writes "mA, 2/125". */
static void describe_put_unit(struct madkit_buf *buf, const struct madkit_unit *u)
{
	madkit_buf_printf(buf, "%s, %u", u->symbol, u->times ? u->times : 1u);
	if (u->divisor > 1)
		madkit_buf_printf(buf, "/%u", (unsigned int)u->divisor);
	if (u->multiplier_bits)
		madkit_buf_printf(buf, " by a power of ten in %u bits", u->multiplier_bits);
}

/* Checks if two units are written alike. */
static bool unit_is_alike(const struct madkit_unit *a, const struct madkit_unit *b)
{
	return !strcmp(a->symbol, b->symbol) && a->times == b->times && a->divisor == b->divisor &&
	       a->multiplier_bits == b->multiplier_bits;
}

/* Writes the unit and its divisor, those that another field chooses, and the bits that mean that there is no value. */
static void describe_unit_text(struct madkit_buf *buf, const struct flat *flat)
{
	const struct madkit_unit *u = flat->field->unit;

	if (!u)
		return;
	LIT(buf, ", ");
	describe_put_unit(buf, u);
	for (; u->other; u = u->other)
		if (!unit_is_alike(u, u->other)) {
			LIT(buf, "; or ");
			describe_put_unit(buf, u->other);
		}
	u = flat->field->unit;
	for (const char *sep = " (by "; u->other; u = u->other)
		if (!unit_goes_on(u)) {
			madkit_buf_str(buf, sep);
			madkit_buf_str(buf, describe_name_at(flat, u->by, u->by_width));
			sep = ", ";
		}
	if (flat->field->unit->other)
		LIT(buf, ")");
	u = flat->field->unit;
	if (u->has_none && u->none_last)
		madkit_buf_printf(buf, ", null if 0x%x to 0x%x", u->none_first, u->none_last);
	else if (u->has_none)
		LIT(buf, ", null if 0");
}

/* Writes which sources have the field at this position, and its name there. */
static void describe_sources_text(struct madkit_buf *buf, const struct madkit_field *field)
{
	if (!field->sources)
		return;
	if (*field->sources)
		madkit_buf_printf(buf, ", also %s", field->sources);
	else
		LIT(buf, ", one source");
	if (field->alias)
		madkit_buf_printf(buf, ", alias %s", field->alias);
}

static void describe_field_text(struct madkit_buf *buf, const struct flat *flat)
{
	const struct madkit_value *v = flat->field->values;
	char when[80];

	madkit_text_label(buf, flat->name);
	if (flat->attribute->id)
		describe_position_text(buf, flat);
	madkit_buf_str(buf, kinds[flat->field->kind]);
	describe_unit_text(buf, flat);
	if (describe_counted_by(flat))
		madkit_buf_printf(buf, ", as many as %s", describe_counted_by(flat));
	for (const char *sep = ": "; v && v->name; v++, sep = ", ") {
		madkit_buf_printf(buf,
				  flat->field->kind == MADKIT_KIND_BITS ? "%s0x%" PRIx64 " %s" :
									  "%s%" PRIu64 " %s",
				  sep, v->value, v->name);
		if (v->alias)
			madkit_buf_printf(buf, " (%s)", v->alias);
	}
	if (flat->edition) {
		edition_text(flat->attribute, flat->edition, when, sizeof(when));
		madkit_buf_printf(buf, ", where %s", when);
	}
	if (flat->second)
		LIT(buf, ", in the second block");
	describe_sources_text(buf, flat->field);
	LIT(buf, "\n");
}

static const char *class_name(const struct madkit_class *mgmt_class, char buf[20])
{
	return mgmt_class->oui ? mgmt_class->name : madkit_class_name(mgmt_class->id, buf);
}

static void describe_fields(struct madkit_buf *buf, const struct madkit_attribute *a, tell_fn tell)
{
	struct flat outer = { .count = 1, .attribute = a };

	if (a->layout)
		describe_flatten(buf, a->layout, &outer, 0, tell);
	outer.second = true;
	if (a->joined)
		describe_flatten(buf, a->joined, &outer, 0, tell);
	outer.second = false;
	for (size_t i = 0; i < a->neditions; i++) {
		outer.edition = &a->editions[i];
		describe_flatten(buf, outer.edition->layout, &outer, 0, tell);
	}
}

/* Checks if this is the form of an attribute in MADs of OPA. */
static bool describe_is_opa(const struct madkit_class *mgmt_class, const struct madkit_attribute *a)
{
	return a == madkit_attribute_get(MADKIT_BASE_VERSION_OPA, mgmt_class->id, a->id);
}

/* Requests and unsolicited messages, in the order in which they are listed. */
enum {
	DESCRIBE_GET = 1 << 0,
	DESCRIBE_SET = 1 << 1,
	DESCRIBE_GET_TABLE = 1 << 2,
	DESCRIBE_GET_TRACE_TABLE = 1 << 3,
	DESCRIBE_GET_MULTI = 1 << 4,
	DESCRIBE_DELETE = 1 << 5,
	DESCRIBE_SEND = 1 << 6,
	DESCRIBE_TRAP = 1 << 7,
	DESCRIBE_REPORT = 1 << 8,
	DESCRIBE_TRAP_REPRESS = 1 << 9,
	DESCRIBE_RECORD = DESCRIBE_GET | DESCRIBE_SET | DESCRIBE_GET_TABLE | DESCRIBE_DELETE,
	DESCRIBE_NOTICE = DESCRIBE_GET | DESCRIBE_SET | DESCRIBE_TRAP | DESCRIBE_TRAP_REPRESS,
	DESCRIBE_ANY = DESCRIBE_NOTICE | DESCRIBE_SEND | DESCRIBE_REPORT,
};

/*
 * Returns the methods of an attribute, from the first row that matches. Source: the maps of methods and
 * attributes in IBA volume 1, sections 14.2.5, 15.2.5 and 16.1 to 16.7.
 */
static unsigned int describe_methods(uint8_t mgmt_class, uint16_t attribute)
{
	enum { EACH = -1 };
	static const struct {
		uint8_t first, last;
		int attribute;
		unsigned int methods;
	} rows[] = {
		{ MADKIT_CLASS_SA, MADKIT_CLASS_SA, MADKIT_ATTR_CLASS_PORT_INFO, DESCRIBE_GET },
		{ MADKIT_CLASS_SA, MADKIT_CLASS_SA, MADKIT_ATTR_NOTICE, DESCRIBE_REPORT },
		{ MADKIT_CLASS_SA, MADKIT_CLASS_SA, MADKIT_ATTR_INFORM_INFO, DESCRIBE_SET },
		{ MADKIT_CLASS_SA, MADKIT_CLASS_SA, MADKIT_ATTR_TRACE_RECORD, DESCRIBE_GET_TRACE_TABLE },
		{ MADKIT_CLASS_SA, MADKIT_CLASS_SA, MADKIT_ATTR_MULTI_PATH_RECORD, DESCRIBE_GET_MULTI },
		{ MADKIT_CLASS_SA, MADKIT_CLASS_SA, MADKIT_ATTR_SERVICE_RECORD, DESCRIBE_RECORD },
		{ MADKIT_CLASS_SA, MADKIT_CLASS_SA, MADKIT_ATTR_MC_MEMBER_RECORD, DESCRIBE_RECORD },
		{ MADKIT_CLASS_SA, MADKIT_CLASS_SA, MADKIT_ATTR_GUID_INFO_RECORD, DESCRIBE_RECORD },
		{ MADKIT_CLASS_SA, MADKIT_CLASS_SA, EACH, DESCRIBE_GET | DESCRIBE_GET_TABLE },
		{ MADKIT_CLASS_SUBN, MADKIT_CLASS_SUBN, MADKIT_ATTR_NODE_INFO, DESCRIBE_GET },
		{ MADKIT_CLASS_SUBN_DR, MADKIT_CLASS_SUBN_DR, MADKIT_ATTR_NODE_INFO, DESCRIBE_GET },
		{ 0, 0xff, MADKIT_ATTR_CLASS_PORT_INFO, DESCRIBE_GET | DESCRIBE_SET },
		{ 0, 0xff, MADKIT_ATTR_NOTICE, DESCRIBE_NOTICE },
		{ MADKIT_CLASS_CM, MADKIT_CLASS_CM, EACH, DESCRIBE_SEND },
		{ MADKIT_CLASS_BM, MADKIT_CLASS_BM, EACH, DESCRIBE_GET | DESCRIBE_SET | DESCRIBE_SEND },
		{ MADKIT_CLASS_SNMP, MADKIT_CLASS_SNMP, EACH, DESCRIBE_GET | DESCRIBE_SET | DESCRIBE_SEND },
		{ MADKIT_CLASS_CC, MADKIT_CLASS_CC, EACH, DESCRIBE_GET | DESCRIBE_SET },
		{ MADKIT_CLASS_VENDOR1_FIRST, MADKIT_CLASS_APP_LAST, EACH, DESCRIBE_ANY },
		{ MADKIT_CLASS_VENDOR2_FIRST, MADKIT_CLASS_VENDOR2_LAST, EACH, DESCRIBE_ANY },
		{ 0, 0xff, EACH, DESCRIBE_GET | DESCRIBE_SET },
	};
	size_t i = 0;

	while (mgmt_class < rows[i].first || mgmt_class > rows[i].last ||
	       (rows[i].attribute != EACH && rows[i].attribute != attribute))
		i++;
	return rows[i].methods;
}

static void describe_put_methods(struct madkit_buf *buf, uint8_t mgmt_class, const struct madkit_attribute *a)
{
	static const uint8_t methods[] = { MADKIT_METHOD_GET,       MADKIT_METHOD_SET,
					   MADKIT_METHOD_GET_TABLE, MADKIT_METHOD_GET_TRACE_TABLE,
					   MADKIT_METHOD_GET_MULTI, MADKIT_METHOD_DELETE,
					   MADKIT_METHOD_SEND,      MADKIT_METHOD_TRAP,
					   MADKIT_METHOD_REPORT,    MADKIT_METHOD_TRAP_REPRESS };
	unsigned int mask = a->flags & MADKIT_ATTRIBUTE_READ_ONLY ? DESCRIBE_GET :
								    describe_methods(mgmt_class, a->id);
	const char *sep = "\"methods\":[";

	for (size_t i = 0; i < ARRAY_SIZE(methods); i++) {
		if (!(mask & 1u << i))
			continue;
		madkit_buf_printf(buf, "%s\"%s\"", sep, madkit_method_name(mgmt_class, methods[i]));
		sep = ",";
	}
	LIT(buf, "],");
}

static void describe_json(struct madkit_buf *buf, const struct madkit_class *mgmt_class,
			  const struct madkit_attribute *a)
{
	bool unknown = a->flags & MADKIT_ATTRIBUTE_UNKNOWN;
	char name[20];

	if (!mgmt_class) {
		LIT(buf, "{\"object\":");
		describe_put_name(buf, a->name);
		LIT(buf, ",\"fields\":[");
		describe_fields(buf, a, describe_field_json);
		put_uncomma(buf);
		LIT(buf, "]}\n");
		return;
	}
	LIT(buf, "{\"class\":");
	describe_put_name(buf, class_name(mgmt_class, name));
	madkit_buf_printf(buf, ",\"class_id\":%u,\"attribute\":", mgmt_class->id);
	describe_put_name(buf, a->name);
	madkit_buf_printf(buf, ",\"id\":%u,\"bytes\":%u,", a->id, a->bytes);
	if (describe_is_opa(mgmt_class, a))
		madkit_buf_printf(buf, "\"base_version\":%u,", MADKIT_BASE_VERSION_OPA);
	describe_put_methods(buf, mgmt_class->id, a);
	if (a->flags & MADKIT_ATTRIBUTE_EXPERIMENTAL)
		LIT(buf, "\"experimental\":true,");
	if (a->flags & MADKIT_ATTRIBUTE_READ_ONLY)
		LIT(buf, "\"tried_on_hardware\":false,");
	madkit_buf_printf(buf, "\"layout\":\"%s\",\"fields\":[", unknown ? "unknown" : "known");
	describe_fields(buf, a, describe_field_json);
	put_uncomma(buf);
	LIT(buf, "]}\n");
}

static void describe_text(struct madkit_buf *buf, const struct madkit_class *mgmt_class,
			  const struct madkit_attribute *a)
{
	char name[20];

	if (!mgmt_class) {
		madkit_buf_printf(buf, "# %s: an object of JSON lines, for expressions and --fields\n",
				  a->name);
		describe_fields(buf, a, describe_field_text);
		return;
	}
	madkit_buf_printf(buf, "# %s %s: class 0x%02x, attribute 0x%04x, %u bytes",
			  class_name(mgmt_class, name), a->name, mgmt_class->id, a->id, a->bytes);
	if (a->alias)
		madkit_buf_printf(buf, ", short %s", a->alias);
	if (a->modifier)
		madkit_buf_printf(buf, ", modifier: %s", a->modifier);
	if (describe_is_opa(mgmt_class, a))
		madkit_buf_printf(buf, ", base version 0x%02x", MADKIT_BASE_VERSION_OPA);
	if (a->flags & MADKIT_ATTRIBUTE_UNKNOWN)
		LIT(buf, ", layout unknown");
	if (a->flags & MADKIT_ATTRIBUTE_READ_ONLY)
		LIT(buf, ", only Get");
	if (a->flags & MADKIT_ATTRIBUTE_EXPERIMENTAL)
		LIT(buf, ", experimental");
	if (a->flags & MADKIT_ATTRIBUTE_READ_ONLY)
		LIT(buf, ", not yet tried on hardware");
	LIT(buf, "\n");
	describe_fields(buf, a, describe_field_text);
}

static int describe_each(struct madkit_buf *buf, const struct madkit_class *mgmt_class,
			 const struct madkit_attribute *attribute,
			 void (*one)(struct madkit_buf *, const struct madkit_class *,
				     const struct madkit_attribute *))
{
	size_t begin = buf->len;
	int n = 0;

	if (attribute) {
		one(buf, mgmt_class, attribute);
		n = 1;
	} else {
		for (size_t i = 0; i < mgmt_class->nattributes; i++, n++)
			one(buf, mgmt_class, &mgmt_class->attributes[i]);
	}
	if (buf->error) {
		buf->len = begin;
		return buf->error;
	}
	return n;
}

int madkit_describe_json(struct madkit_buf *buf, const struct madkit_class *mgmt_class,
			 const struct madkit_attribute *attribute)
{
	return describe_each(buf, mgmt_class, attribute, describe_json);
}

int madkit_describe_text(struct madkit_buf *buf, const struct madkit_class *mgmt_class,
			 const struct madkit_attribute *attribute)
{
	return describe_each(buf, mgmt_class, attribute, describe_text);
}
