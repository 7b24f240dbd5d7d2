/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Descriptions of fields: what stands where in a MAD, how it is shown, how it
 * is read back. One table entry per field serves decoding, encoding, text,
 * JSON, filters, --describe and completions.
 *
 * Layouts begin at whole bytes, and so does each element of an array of them;
 * fields of more than 64 bits do so too, but for reserved ones. (A test holds the
 * tables to it.)
 *
 * Bits are numbered from the first bit that is transmitted: bit 0 is the most
 * significant bit of byte 0 (IBA volume 1, section 1.5.1: big-endian).
 *
 * Everything here is pure: no heap, no input or output, no hidden state; any
 * number of threads may call it at once.
 */
#ifndef MADKIT_FIELD_H
#define MADKIT_FIELD_H

#include <madkit/decls.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/error.h>

MADKIT_BEGIN_DECLS

enum madkit_kind {
	MADKIT_KIND_RESERVED, /* tiles the layout, is never shown by name */
	MADKIT_KIND_UNSIGNED, /* decimal */
	MADKIT_KIND_COUNTER,  /* decimal at any width; stops at all ones */
	MADKIT_KIND_HEX,      /* identifier or mask: 0x and all its digits */
	MADKIT_KIND_GUID,     /* 64 bits: 0x and 16 digits */
	MADKIT_KIND_GID,      /* 128 bits: IPv6 text */
	MADKIT_KIND_LID,      /* 16 or 32 bits, decimal */
	MADKIT_KIND_ENUM,     /* a number with a name from values */
	MADKIT_KIND_BITS,     /* a bit set; values hold single bits */
	MADKIT_KIND_STRING,   /* text, padded with zero octets */
	MADKIT_KIND_BYTES,    /* anything, in hex */
	MADKIT_KIND_KEY,      /* secret: up to 64 bits (M_Key, SM_Key), or whole
				 * bytes (ServiceKey: 128 bits) */
	MADKIT_KIND_STRUCT,   /* sub describes it; count > 1 is an array */
};

enum madkit_field_flags {
	/* COUNTER of units of four octets: JSON adds NAME_bytes */
	MADKIT_FIELD_OCTETS4 = 1 << 0,
	/* BITS shown in text as "A or B" (link widths, speeds); otherwise in
	 * text as 0x... and a line for each name */
	MADKIT_FIELD_ALTERNATIVES = 1 << 1,
	/* an array whose real length depends on the message: what follows the
	 * fixed part, up to the end of the attribute's data */
	MADKIT_FIELD_VARIABLE = 1 << 2,
	/* in text the array is one line per row of 8 or 16 elements */
	MADKIT_FIELD_ROWS = 1 << 3,
	/* an array whose elements text calls Name0, Name1, as libibmad does;
	 * these names are read as well as Name[0], Name[1] */
	MADKIT_FIELD_NUMBERED = 1 << 4,
	/* BITS that text shows as a number alone, as libibmad does */
	MADKIT_FIELD_PLAIN = 1 << 5,
};

/* A name of a value (ENUM) or of a single bit (BITS: value is the mask with
 * that one bit; with ALTERNATIVES a list may name whole values too: zero, or
 * several bits that together mean something else). Lists end with a NULL
 * name. */
struct madkit_value {
	uint64_t value;
	const char *name;
	/* What < and > compare: kb/s of rates and speeds, lanes, bytes of an MTU, VLs,
	 * or a rank. 0: none, as in a list without an order, or of a value that
	 * has no place in the list's order, such as "NoChange". */
	uint64_t magnitude;
};

struct madkit_layout;

struct madkit_field {
	const char *name;   /* as shown: libibmad's, else the IBA's */
	const char *alias;  /* other spellings, comma-separated, or NULL */
	uint32_t offset;    /* bits from the start of the layout */
	uint32_t width;     /* bits of one element */
	uint16_t count;     /* elements; 0 means 1 and "not an array" */
	uint16_t stride;    /* bits from element to element; 0: width */
	uint8_t kind;       /* enum madkit_kind */
	uint8_t flags;      /* enum madkit_field_flags */
	uint8_t component;  /* SA component number + 1, 0: none. For a
				 * STRUCT: added to the components in sub. An
				 * array's elements count on from it */
	uint8_t components; /* numbers that each element takes; 0: one */
	const struct madkit_value *values;
	const struct madkit_layout *sub;
};

struct madkit_layout {
	const char *name;
	const struct madkit_field *fields;
	uint16_t nfields;
	uint16_t bytes; /* length of the whole */
	/* Other names for several adjacent fields together, as one number: they can be set and compared,
	 * and --fields shows the fields that they cover. They are not visited by a walk. NULL: none. */
	const struct madkit_field *spans;
	uint16_t nspans;
};

/* The deepest nesting of layouts in any table (a test holds them to it). */
#define MADKIT_DEPTH_MAX 4

/* The longest dotted name with indices, with its final NUL. */
#define MADKIT_PATH_MAX 160

/* ---- one element --------------------------------------------------------- */

/*
 * Gets the unsigned value of element index of a field of at most 64 bits.
 * base is where the field's layout begins and len what may be read there.
 * 0; -ENODATA where the element lies (wholly or partly) beyond len; -ERANGE
 * where index is not below count; -EINVAL for a field wider than 64 bits.
 */
int madkit_field_get(const struct madkit_field *field, unsigned int index, const uint8_t *base, size_t len,
		     uint64_t *value);

/*
 * The inverse. -ERANGE also where value does not fit width; the other bits
 * of the bytes touched keep what they hold. Errors as madkit_field_get, and
 * nothing is changed then.
 */
int madkit_field_put(const struct madkit_field *field, unsigned int index, uint8_t *base, size_t len,
		     uint64_t value);

/* Elements of the field: count, or 1. */
unsigned int madkit_field_count(const struct madkit_field *field);

/* Bit offset of an element from the start of the field's layout. */
uint32_t madkit_field_offset(const struct madkit_field *field, unsigned int index);

/* Whether a field's value is a secret that is not shown unasked. */
static inline bool madkit_field_is_secret(const struct madkit_field *field)
{
	return field->kind == MADKIT_KIND_KEY;
}

/* Whether any field of the layout, nested ones too, may be one. */
bool madkit_layout_has_secrets(const struct madkit_layout *layout);

/* The name of a value in a NULL-terminated list, or NULL. */
const char *madkit_value_name(const struct madkit_value *values, uint64_t value);

/* Finds a value by name, ignoring case. 0 or -ENOENT. */
int madkit_value_find(const struct madkit_value *values, const char *name, size_t len, uint64_t *value);

/* The magnitude of a value (struct madkit_value). 0; -ENOENT: it has none. With
 * magnitude NULL and any value: whether any value of the list has one. */
int madkit_value_magnitude(const struct madkit_value *values, uint64_t value, uint64_t *magnitude);

/* ---- walking a buffer ---------------------------------------------------- */

enum madkit_walk_event {
	MADKIT_WALK_FIELD,  /* an element of a plain field */
	MADKIT_WALK_STRUCT, /* a nested layout begins */
	MADKIT_WALK_END,    /* ... and ends */
	MADKIT_WALK_ARRAY,  /* an array begins: count elements follow */
	MADKIT_WALK_ARRAY_END,
	MADKIT_WALK_TRUNCATED, /* the buffer ends before this field: nothing
				 * of it, nor of what follows, is visited */
};

struct madkit_item {
	enum madkit_walk_event event;
	const struct madkit_field *field;
	unsigned int index;  /* element, 0 for a scalar */
	unsigned int count;  /* elements that will be visited (ARRAY) */
	unsigned int depth;  /* 0 for fields of the outermost layout */
	const uint8_t *base; /* start of the layout that holds the field */
	size_t len;          /* what may be read from base on */
	uint32_t bit;        /* offset of this element in the outermost
				 * layout, in bits */
	uint64_t value;      /* of a plain element of at most 64 bits;
				 * of a wider one (GID, STRING, BYTES) 0: its
				 * bytes begin at base + offset / 8 */
};

/* Return 0 to go on, anything else to stop the walk with that value. */
typedef int (*madkit_visit)(void *context, const struct madkit_item *item);

/*
 * Visits every field of buf in the order of its offsets in the table, never
 * reading beyond len. RESERVED fields are visited too (a visitor leaves them
 * out). Returns 0, -ENODATA after a TRUNCATED event, -EINVAL where layouts nest
 * deeper than MADKIT_DEPTH_MAX (none of the tables' does), or what visit returned.
 */
int madkit_walk(const struct madkit_layout *layout, const uint8_t *buf, size_t len, madkit_visit visit,
		void *context);

/* Bytes of an element as they stand in the buffer (GID, STRING, BYTES). */
static inline const uint8_t *madkit_item_bytes(const struct madkit_item *item)
{
	return item->base + madkit_field_offset(item->field, item->index) / 8;
}

/* ---- names to places ----------------------------------------------------- */

/* A field found by name: where it lies in the outermost layout. */
struct madkit_place {
	const struct madkit_field *field;
	uint32_t base;              /* bits: where the layout that holds it begins */
	uint16_t index;             /* element */
	uint8_t whole;              /* an array named without an index */
	uint16_t elements;          /* ... of which madkit_set() has set so many, from
				 * the first on; 0: all */
	uint16_t component;         /* SA component number + 1, 0: none */
	uint16_t repeat;            /* elements of an array of layouts named
				 * without an index, else 0: base and path are
				 * those of the first */
	uint32_t repeat_stride;     /* bits from one of them to the next */
	char path[MADKIT_PATH_MAX]; /* canonical dotted name */
};

/*
 * Finds a field by its dotted name: "LinkState", "NodeInfo.Guid",
 * "Block[3].Weight". Case is ignored, aliases are taken, and a last part that
 * only one nested field has stands for its full name ("Guid" in NodeRecord).
 * 0; -ENOENT, or -EEXIST where several fit, with error naming the word.
 */
int madkit_place_find(const struct madkit_layout *layout, const char *name, size_t len,
		      struct madkit_place *place, struct madkit_error *error);

/*
 * The bits of the SA's ComponentMask that stand for the field named: bit n for
 * component n, several for an array named without an index. 0 for a field that
 * is no component.
 */
uint64_t madkit_place_mask(const struct madkit_place *place);

/*
 * madkit_select_components - complete the conditions of an SA request that have a selector
 * @layout: of the request's attribute
 * @data:   the attribute, which is changed
 * @len:    bytes of data
 * @mask:   the request's ComponentMask, which is changed
 * @error:  where the reason is written, or NULL
 *
 * An SA ignores MTU, Rate and PacketLifeTime unless the request has both the value and its selector
 * (IBA volume 1, section 15.2.5.16). If mask has only the value, the selector's component is added, and a
 * selector of 0 becomes Exactly. If mask has only the selector and it is Largest or Smallest, the value's
 * component is added. Layouts without selectors are not changed.
 *
 * Does not block.
 *
 * Return: 0, or -EINVAL for another selector without its value; mask is not changed then.
 */
int madkit_select_components(const struct madkit_layout *layout, uint8_t *data, size_t len, uint64_t *mask,
			     struct madkit_error *error);

/*
 * Which bits of a layout have been given a value: given has a bit for each bit of
 * the outermost layout (len bytes, zeros at first; what lies beyond them is
 * ignored). madkit_place_given() says whether any bit of the field has been
 * marked, madkit_place_mark() marks all of them. That finds a field that is given
 * twice, whatever it is called, and an array and one of its elements.
 */
bool madkit_place_given(const struct madkit_place *place, const uint8_t *given, size_t len);
void madkit_place_mark(const struct madkit_place *place, uint8_t *given, size_t len);

/* ---- text to values ------------------------------------------------------ */

/*
 * Sets a field of buf (which holds the layout) from text: decimal, 0x hex, the
 * name of an enumeration, names of bits joined by '|' or ',' ("all": every bit
 * that has a name, or every bit if none has one; not with
 * MADKIT_FIELD_ALTERNATIVES), IPv6 text for a GID, any text for a STRING, hex for BYTES, elements joined by ',' for an
 * array named without an index.
 * 0; -ENOENT no such field; -EINVAL not readable as that kind; -ERANGE does
 * not fit; -ENODATA beyond len. On failure buf is unchanged and error names
 * the word. Where place is not NULL, what was set is told there.
 */
int madkit_set(const struct madkit_layout *layout, uint8_t *buf, size_t len, const char *name,
	       const char *text, struct madkit_place *place, struct madkit_error *error);

/*
 * Reads text as a value of the field, as madkit_set does, for fields of at
 * most 64 bits. 0, -EINVAL, -ERANGE.
 */
int madkit_field_parse(const struct madkit_field *field, const char *text, size_t len, uint64_t *value,
		       struct madkit_error *error);

/*
 * Puts the bits of buf that no named field covers into rest (of len bytes,
 * all of it written), zero where a named field lies. Returns how many bytes
 * of rest are not zero.
 */
size_t madkit_layout_rest(const struct madkit_layout *layout, const uint8_t *buf, size_t len, uint8_t *rest);

MADKIT_END_DECLS
#endif
