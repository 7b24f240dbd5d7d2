/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_field - tables of fields: decode, encode and find them by name
 *
 * A layout describes an attribute or a header: it is a list of fields, each with its name, position,
 * and the form in which it is shown and read. The library decodes and encodes MADs, writes text and
 * JSON, and evaluates filters by these tables. The layouts of attributes are in madkit_registry(3).
 *
 * A program that knows its fields at compile time uses constants instead: madkit_access(3).
 *
 * Bits are numbered in the order of transmission: bit 0 is the most significant bit of byte 0 (IBA
 * volume 1, section 1.5.1: big-endian). Layouts and the elements of arrays of layouts begin at whole
 * bytes. Fields of more than 64 bits also do, except for reserved fields.
 *
 * The functions do not block, allocate memory or keep state, and any number of threads may call them at
 * once.
 */
#ifndef MADKIT_FIELD_H
#define MADKIT_FIELD_H

#include <madkit/decls.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/error.h>

MADKIT_BEGIN_DECLS

/* How a field is shown and read. */
enum madkit_kind {
	MADKIT_KIND_RESERVED, /* fills a gap in the layout; never shown by name */
	MADKIT_KIND_UNSIGNED, /* decimal */
	MADKIT_KIND_COUNTER,  /* decimal; a counter that stops when all its bits are set */
	MADKIT_KIND_HEX,      /* identifier or mask: 0x and all its digits */
	MADKIT_KIND_GUID,     /* 64 bits: 0x and 16 digits */
	MADKIT_KIND_GID,      /* 128 bits: IPv6 address */
	MADKIT_KIND_LID,      /* 16 or 32 bits, decimal */
	MADKIT_KIND_ENUM,     /* a number with a name from values */
	MADKIT_KIND_BITS,     /* a bit set; values contains single bits */
	MADKIT_KIND_STRING,   /* text, padded with zero bytes */
	MADKIT_KIND_BYTES,    /* bytes in hexadecimal */
	/* a secret of up to 64 bits (M_Key, SM_Key), or of whole bytes (ServiceKey: 128 bits) */
	MADKIT_KIND_KEY,
	MADKIT_KIND_SCALED, /* a number with a unit; may be a fraction or negative */
	/* bit error rate: 12 bits, a coefficient of 4 and a magnitude of 8; or 16 bits, the magnitude first and the
	 * coefficient in the last 4 */
	MADKIT_KIND_BER,
	MADKIT_KIND_STRUCT, /* a nested layout (sub); an array if count is more than 1 */
};

/* Details of how a field is shown. */
enum madkit_field_flags {
	/* COUNTER in units of four octets: JSON adds NAME_bytes */
	MADKIT_FIELD_OCTETS4 = 1 << 0,
	/* BITS that text shows as "A or B" (link widths, speeds). Text shows other bit sets as 0x and
	 * digits, and a line for each name. */
	MADKIT_FIELD_ALTERNATIVES = 1 << 1,
	/* an array that extends to the end of the attribute's data, or to the number of elements that another field
	 * has: its length depends on the message */
	MADKIT_FIELD_VARIABLE = 1 << 2,
	/* an array that text shows in rows of 8 or 16 elements */
	MADKIT_FIELD_ROWS = 1 << 3,
	/* an array: text shows its elements as Name0, Name1, like libibmad. Both these names and
	 * Name[0], Name[1] are accepted. */
	MADKIT_FIELD_NUMBERED = 1 << 4,
	/* BITS that text shows only as a number, as libibmad does */
	MADKIT_FIELD_PLAIN = 1 << 5,
	/* ENUM with codes that only this library has: expressions accept names instead of numbers */
	MADKIT_FIELD_NAMED = 1 << 6,
	/* selects one of several instances of the attribute, such as a port: a response has the value of its request */
	MADKIT_FIELD_SELECTOR = 1 << 7,
	/* COUNTER of errors of a port, by the list of infiniband-diags: expressions have any_error for all of them */
	MADKIT_FIELD_ERROR = 1 << 8,
	/* selects one of several instances, but a response may have 0 in all such fields */
	MADKIT_FIELD_INDEX = 1 << 9,
	/* STRING that is padded with blanks */
	MADKIT_FIELD_BLANKS = 1 << 10,
};

/* The name of a value of an ENUM, or of a bit of a BITS field, in a list that ends with a NULL name. */
struct madkit_value {
	/* the code; for BITS, a mask with one bit. With MADKIT_FIELD_ALTERNATIVES, also 0, or several
	 * bits that together have another meaning. */
	uint64_t value;
	const char *name;
	/* the value that ordered comparisons use: kb/s of rates and speeds, lanes, bytes of an MTU, VLs, or a
	 * rank. 0: none, because the list has no order, or the value has no position in it
	 * ("NoChange"). */
	uint64_t magnitude;
	const char *alias; /* another name that is accepted ("EDR"), or NULL */
};

struct madkit_layout;

/* The unit of a SCALED field. The value is that of the bits, times times (0: 1), divided by divisor. */
struct madkit_unit {
	const char *symbol; /* "C", "dBm" */
	uint32_t divisor;
	uint32_t times;
	bool is_signed; /* two's complement */
	/* bits from none_first to none_last mean that there is no value */
	bool has_none;
	uint16_t none_first, none_last;
	uint8_t multiplier_bits; /* the first bits of the field are a power of ten that the others are multiplied by */
	/* If the field at bit by of the layout has a value of the set by_set (bit N: value N), the unit is other. */
	uint32_t by;
	uint8_t by_width;
	uint32_t by_set;
	const struct madkit_unit *other; /* NULL: the unit does not depend on another field */
};

/* A field of a layout. */
struct madkit_field {
	const char *name;  /* as shown: the name in libibmad, or else in the IBA */
	const char *alias; /* other names, separated by commas, or NULL */
	uint32_t offset;   /* bits from the start of the layout */
	uint32_t width;    /* bits of one element */
	uint16_t count;    /* elements; 0: not an array */
	uint16_t stride;   /* bits from one element to the next; 0: width */
	uint8_t kind;      /* enum madkit_kind */
	uint16_t flags;    /* enum madkit_field_flags */
	/* SA component number + 1; 0: none. The number of a STRUCT is added to the numbers of its fields. The
	 * elements of an array have consecutive numbers. */
	uint8_t component;
	uint8_t components; /* component numbers of each element; 0: one */
	const struct madkit_value *values;
	const struct madkit_layout *sub;
	const struct madkit_unit *unit; /* of SCALED */
	/* letters of further sources with the same position, as madkit-attributes(7) lists them; "": one source has
	 * the field; NULL: not stated */
	const char *sources;
	/* of an array of a layout that is not nested: the bits of the layout that have the number of elements; those
	 * beyond it do not exist. counted_width 0: all exist. The field also has MADKIT_FIELD_VARIABLE. */
	uint16_t counted, counted_width;
};

/* The fields of an attribute, a header or a structure. */
struct madkit_layout {
	const char *name;
	const struct madkit_field *fields;
	uint16_t nfields;
	uint16_t bytes; /* length of the layout */
	/* Names for several adjacent fields as one number, or NULL. They can be set and compared, and
	 * --fields shows the fields that they cover. madkit_walk() does not visit them. */
	const struct madkit_field *spans;
	uint16_t nspans;
	uint16_t neffective;
	/* The names of the fields of one quantity, from the oldest to the newest, or NULL: the link speed of a
	 * port. The quantity is the value of the last of them that is not 0. Tables show it in the column of
	 * each of them, by the aliases of the values (madkit_table_add()); text and JSON show every field as
	 * it is. */
	const char *const *effective;
};

/* The deepest nesting of layouts in the tables. */
#define MADKIT_DEPTH_MAX 4

/* Size of a buffer for any dotted name with indices and its NUL. */
#define MADKIT_PATH_MAX 160

/* ---- one field -------------------------------------------------------------- */

/*
 * madkit_field_get - read an element of a field of at most 64 bits
 * @field: the field
 * @index: number of the element, from 0; 0 if the field is not an array
 * @base:  start of the layout that contains the field
 * @len:   bytes at @base
 * @value: receives the value
 *
 * Return: 0 on success, or:
 * - -ENODATA: the element ends beyond @len
 * - -ERANGE: there is no such element
 * - -EINVAL: the field has more than 64 bits
 */
int madkit_field_get(const struct madkit_field *field, unsigned int index, const uint8_t *base, size_t len,
		     uint64_t *value);

/*
 * madkit_field_put - write an element of a field of at most 64 bits
 * @field: the field
 * @index: number of the element, from 0; 0 if the field is not an array
 * @base:  start of the layout that contains the field
 * @len:   bytes at @base
 * @value: value to write
 *
 * Bits outside the element are unchanged. On failure, nothing is changed.
 *
 * Return: 0 on success, or:
 * - -ENODATA: the element ends beyond @len
 * - -ERANGE: there is no such element, or @value has more bits than the field
 * - -EINVAL: the field has more than 64 bits
 */
int madkit_field_put(const struct madkit_field *field, unsigned int index, uint8_t *base, size_t len,
		     uint64_t value);

/*
 * madkit_field_count - return the number of elements of a field
 * @field: the field
 *
 * Return: the number of elements; 1 if the field is not an array.
 */
unsigned int madkit_field_count(const struct madkit_field *field);

/*
 * madkit_field_offset - return the position of an element
 * @field: the field
 * @index: number of the element, from 0
 *
 * Return: bits from the start of the layout that contains the field.
 */
uint32_t madkit_field_offset(const struct madkit_field *field, unsigned int index);

/*
 * madkit_field_is_secret - check whether the value of a field is a secret
 * @field: the field
 *
 * Return: true if the value must be shown only if the user requests it.
 */
static inline bool madkit_field_is_secret(const struct madkit_field *field)
{
	return field->kind == MADKIT_KIND_KEY;
}

/*
 * madkit_value_name - return the name of a value
 * @values: list that ends with a NULL name, or NULL
 * @value:  the value
 *
 * Return: the name, or NULL if the list does not have the value.
 */
const char *madkit_value_name(const struct madkit_value *values, uint64_t value);

/*
 * madkit_value_find - find a value by its name
 * @values: list that ends with a NULL name, or NULL
 * @name:   the name or its alias, ignoring case; it needs no NUL
 * @len:    bytes of @name
 * @value:  receives the value
 *
 * Return: 0, or -ENOENT if the list does not have the name.
 */
int madkit_value_find(const struct madkit_value *values, const char *name, size_t len, uint64_t *value);

/*
 * madkit_value_magnitude - return the magnitude of a value
 * @values:    list that ends with a NULL name, or NULL
 * @value:     the value
 * @magnitude: receives the magnitude; NULL: ignore @value, and check whether any value of the list has
 *             a magnitude
 *
 * Return: 0, or -ENOENT if there is no magnitude.
 */
int madkit_value_magnitude(const struct madkit_value *values, uint64_t value, uint64_t *magnitude);

/* ---- visiting all fields ---------------------------------------------------- */

/* Why a visitor is called. */
enum madkit_walk_event {
	MADKIT_WALK_FIELD,     /* an element of a field that is not a layout */
	MADKIT_WALK_STRUCT,    /* the beginning of a nested layout */
	MADKIT_WALK_END,       /* the end of a nested layout */
	MADKIT_WALK_ARRAY,     /* the beginning of an array; its elements follow */
	MADKIT_WALK_ARRAY_END, /* the end of an array */
	/* the buffer ends before the end of this field; neither the field nor any later field is
	 * visited */
	MADKIT_WALK_TRUNCATED,
};

/* An element that is visited. */
struct madkit_item {
	enum madkit_walk_event event;
	const struct madkit_field *field;
	unsigned int index;  /* number of the element; 0 if the field is not an array */
	unsigned int count;  /* of an array: elements that will be visited */
	unsigned int depth;  /* 0 for fields of the outermost layout */
	const uint8_t *base; /* start of the layout that contains the field */
	size_t len;          /* bytes at base */
	uint32_t bit;        /* position of the element in the outermost layout, in bits */
	/* of an element of at most 64 bits. 0 for a wider one (GID, STRING, BYTES): use
	 * madkit_item_bytes(). */
	uint64_t value;
};

/*
 * madkit_visit - handle an element
 * @context: the context passed to madkit_walk()
 * @item:    the element
 *
 * Return: 0 to continue; any other value stops the walk and is returned by madkit_walk().
 */
typedef int (*madkit_visit)(void *context, const struct madkit_item *item);

/*
 * madkit_walk - visit all fields of a buffer
 * @layout:  layout of the buffer
 * @buf:     the buffer
 * @len:     bytes of @buf
 * @visit:   function to call for each element
 * @context: passed to @visit
 *
 * Visits the fields in the order of the table, including RESERVED ones.
 *
 * Return: 0 on success, or:
 * - -ENODATA: the buffer is shorter than the layout (after a TRUNCATED event)
 * - -EINVAL: layouts are nested deeper than MADKIT_DEPTH_MAX; this does not happen with the library's
 *   tables
 * - other values: returned by @visit
 */
int madkit_walk(const struct madkit_layout *layout, const uint8_t *buf, size_t len, madkit_visit visit,
		void *context);

/*
 * madkit_item_bytes - return the bytes of an element
 * @item: element of kind GID, STRING or BYTES
 *
 * Return: the first byte of the element in the buffer.
 */
static inline const uint8_t *madkit_item_bytes(const struct madkit_item *item)
{
	return item->base + madkit_field_offset(item->field, item->index) / 8;
}

/* ---- finding fields by name ------------------------------------------------- */

/* The position of a field that was found by name. */
struct madkit_place {
	const struct madkit_field *field;
	uint32_t base;  /* start of the layout that contains the field, in bits from the outermost layout */
	uint16_t index; /* number of the element */
	uint8_t whole;  /* 1: an array that was named without an index */
	/* of such an array: how many elements madkit_set() has set, from the first on; 0: all */
	uint16_t elements;
	uint16_t component; /* SA component number + 1; 0: none */
	/* number of elements of an array of layouts that was named without an index; else 0. base and
	 * path are those of the first element. */
	uint16_t repeat;
	uint32_t repeat_stride; /* bits from one of these elements to the next */
	/* the array with a number of elements in another field (counted_width) that has the field or is it, or NULL;
	 * and the number of its element */
	const struct madkit_field *counted;
	uint16_t counted_index;
	char path[MADKIT_PATH_MAX]; /* full dotted name */
};

/*
 * madkit_place_find - find a field by its name
 * @layout: the layout
 * @name:   dotted name, such as "LinkState", "NodeInfo.Guid" or "Block[3].Weight". Case is ignored, and
 *          aliases are accepted. The last part is enough if only one nested field has it: "Guid" in
 *          NodeRecord.
 * @len:    bytes of @name
 * @place:  receives the position
 * @error:  receives the word and the reason of a failure, or NULL
 *
 * Return: 0; -ENOENT if there is no such field; -EEXIST if the name matches several fields.
 */
int madkit_place_find(const struct madkit_layout *layout, const char *name, size_t len,
		      struct madkit_place *place, struct madkit_error *error);

/*
 * madkit_place_mask - return the ComponentMask bits of a field
 * @place: position of the field
 *
 * Return: bit n for component n; several bits for an array that was named without an index; 0 if the
 * field is not an SA component.
 */
uint64_t madkit_place_mask(const struct madkit_place *place);

/*
 * madkit_select_components - complete the selectors of an SA request
 * @layout: layout of the request's attribute
 * @data:   data of the attribute; may be changed
 * @len:    bytes of @data
 * @mask:   ComponentMask of the request; may be changed
 * @error:  receives the reason of a failure, or NULL
 *
 * The SA ignores MTU, Rate and PacketLifeTime unless the request has both the value and its selector
 * (IBA volume 1, section 15.2.5.16). If @mask has only the value, the selector's component is added,
 * and a selector of 0 becomes Exactly. If @mask has only the selector and it is Largest or Smallest,
 * the value's component is added. Layouts without selectors are not changed.
 *
 * Return: 0, or -EINVAL if @mask has any other selector without its value; @mask is then unchanged.
 */
int madkit_select_components(const struct madkit_layout *layout, uint8_t *data, size_t len, uint64_t *mask,
			     struct madkit_error *error);

/*
 * madkit_place_given - check whether a field was set before
 * @place: position of the field
 * @given: one bit for each bit of the outermost layout, zero at first. Fields beyond @len bytes are
 *         ignored.
 * @len:   bytes of @given
 *
 * Together with madkit_place_mark(), this detects that a field is set twice, even by different names,
 * or once in an array and once as an element of it.
 *
 * Return: true if any bit of the field is marked.
 */
bool madkit_place_given(const struct madkit_place *place, const uint8_t *given, size_t len);

/*
 * madkit_place_mark - record that a field was set
 * @place: position of the field
 * @given: bits as for madkit_place_given(), in which those of the field are set
 * @len:   bytes of @given
 */
void madkit_place_mark(const struct madkit_place *place, uint8_t *given, size_t len);

/* ---- reading values from text ----------------------------------------------- */

/*
 * madkit_set - set a field from text
 * @layout: layout of @buf
 * @buf:    buffer to change
 * @len:    bytes of @buf
 * @name:   name of the field, as for madkit_place_find()
 * @text:   the value
 * @place:  receives the position that was set, or NULL
 * @error:  receives the word and the reason of a failure, or NULL
 *
 * The text depends on the kind of the field:
 *
 * - a decimal number, or 0x and hexadecimal digits
 * - for ENUM, also the name of a value
 * - for BITS, also names joined by '|' or ','. "all" means every bit that has a name, or every bit if
 *   none has one; it is not accepted with MADKIT_FIELD_ALTERNATIVES.
 * - for SCALED, a number in the unit of the field, such as 48.5; for BER, such as 1.5e-15; exactly as the bits can
 *   represent it. "null" or "-" means that there is no value, if the field has bits for that. If the unit depends on
 *   another field, set that field first.
 * - for GID, an IPv6 address; for STRING, any text; for BYTES, hexadecimal digits
 * - for an array that is named without an index, elements joined by ','
 *
 * On failure, @buf is unchanged.
 *
 * Return: 0 on success, or:
 * - -ENOENT: there is no such field
 * - -EEXIST: the name matches several fields
 * - -EINVAL: @text is not valid for the kind of the field, or the name is that of a whole structure
 * - -ERANGE: the value does not fit
 * - -ENODATA: the field ends beyond @len
 */
int madkit_set(const struct madkit_layout *layout, uint8_t *buf, size_t len, const char *name,
	       const char *text, struct madkit_place *place, struct madkit_error *error);

MADKIT_END_DECLS
#endif
