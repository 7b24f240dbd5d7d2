/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Our tables of CM's messages against the kernel's ibta_vol1_c12.h: every field
 * of either, got from random bytes and set in them. A field's name there is ours
 * in capitals with underscores: CM_REQ_LOCAL_COMM_ID is REQ's LocalCommID.
 */
#include <ctype.h>
#include <endian.h>
#include <madkit/mad.h>
#include <madkit/registry.h>
#define RANDOM_SEED 0x6b65726e656c5f63
#include "../random.h"
#include "../tap.h"
#include "util/array_size.h"

/* ---- what the header wants of the kernel --------------------------------------- */

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
/* the kernel is compiled without strict aliasing */
typedef uint16_t __attribute__((may_alias)) __be16;
typedef uint32_t __attribute__((may_alias)) __be32;
typedef uint64_t __attribute__((may_alias, aligned(1))) __be64;
struct ib_mad_hdr {
	u8 bytes[MADKIT_HEADER_BYTES];
};
union ib_gid {
	u8 raw[16];
};

#define be16_to_cpu(x)          be16toh(x)
#define be32_to_cpu(x)          be32toh(x)
#define be64_to_cpu(x)          be64toh(x)
#define cpu_to_be16(x)          htobe16(x)
#define cpu_to_be32(x)          htobe32(x)
#define cpu_to_be64(x)          htobe64(x)
#define get_unaligned(p)        (*(p))
#define put_unaligned(v, p)     (*(p) = (v))
#define GENMASK(high, low)      (~0ULL >> (63 - (high)) & ~0ULL << (low))
#define GENMASK_ULL             GENMASK
#define FIELD_GET(mask, from)   (((from) & (mask)) >> __builtin_ctzll(mask))
#define FIELD_PREP(mask, value) ((u64)(value) << __builtin_ctzll(mask) & (mask))
#define BUILD_BUG_ON_ZERO(e)    ((int)sizeof(struct { int bug : (e) ? -1 : 1; }) * 0)

#include "tests/oracle/kernel_cm.h"

/* ---- a field of theirs ---------------------------------------------------------- */

struct theirs {
	const char *name;
	unsigned int mad_bytes;
	/* of up to 64 bits */
	uint64_t (*get)(const void *);
	void (*set)(void *, uint64_t);
	/* wider ones */
	const uint8_t *(*bytes)(void *);
	unsigned int width;
};

/* CM_... is expanded into several arguments on its way to these. */
#define SIZE(...)                           SIZE_(__VA_ARGS__)
#define SIZE_(type, offset, mask, bits)     sizeof(type)
#define WIDTH(...)                          WIDTH_(__VA_ARGS__)
#define WIDTH_(type, offset, element, bits) (bits)

#define WORD(name) \
	static uint64_t get_##name(const void *mad) \
	{ \
		return _IBA_GET(name, mad); \
	} \
	static void set_##name(void *mad, uint64_t value) \
	{ \
		_IBA_SET(name, mad, value); \
	}
#define ROOM(name) \
	static const uint8_t *bytes_##name(void *mad) \
	{ \
		return (const uint8_t *)_IBA_GET_MEM_PTR(name, mad); \
	}
CM_FIELDS
#undef WORD
#undef ROOM
#define WORD(name) { #name, SIZE(name), get_##name, set_##name, NULL, 0 },
#define ROOM(name) { #name, SIZE(name), NULL, NULL, bytes_##name, WIDTH(name) },
static const struct theirs fields[] = { CM_FIELDS };

#define ROUNDS 100

/* Fields with other names there. */
static const struct {
	const char *theirs, *ours;
} other_names[] = {
	{ "CM_REP_LOCAL_EE_CONTEXT_NUMBER", "REP_LocalEECN" },
};

/* ---- comparing -------------------------------------------------------------------- */

/* Returns true if b is the rest of a name, ignoring case and underscores. */
static bool same_name(const char *a, const char *b)
{
	for (;;) {
		while (*a == '_')
			a++;
		while (*b == '_')
			b++;
		if (toupper((unsigned char)*a) != toupper((unsigned char)*b))
			return false;
		if (!*a)
			return true;
		a++;
		b++;
	}
}

/* "CM_REQ_..." is of attribute "REQ"; what follows names the field. */
static const struct theirs *kernel_cm_find(const char *attribute, const char *field)
{
	char name[80];

	snprintf(name, sizeof(name), "%s_%s", attribute, field);
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		const char *theirs = fields[i].name + strlen("CM_");

		for (size_t j = 0; j < ARRAY_SIZE(other_names); j++)
			if (!strcmp(fields[i].name, other_names[j].theirs))
				theirs = other_names[j].ours;
		if (same_name(theirs, name))
			return &fields[i];
	}
	return NULL;
}

static bool same_word(const struct theirs *theirs, const struct madkit_field *f)
{
	_Alignas(8) uint8_t a[MADKIT_MAD_BYTES], b[MADKIT_MAD_BYTES];

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t ours, value;

		random_bytes(a, sizeof(a));
		memcpy(b, a, sizeof(b));
		if (madkit_field_get(f, 0, a + MADKIT_HEADER_BYTES, sizeof(a) - MADKIT_HEADER_BYTES, &ours) ||
		    ours != theirs->get(a))
			return false;
		value = random64() >> (64 - f->width);
		theirs->set(a, value);
		if (madkit_field_put(f, 0, b + MADKIT_HEADER_BYTES, sizeof(b) - MADKIT_HEADER_BYTES, value) ||
		    memcmp(a, b, sizeof(a)))
			return false;
	}
	return true;
}

static bool same_bytes(const struct theirs *theirs, const struct madkit_field *f)
{
	_Alignas(8) uint8_t mad[MADKIT_MAD_BYTES];

	return theirs->width == f->width && theirs->bytes(mad) == mad + MADKIT_HEADER_BYTES + f->offset / 8;
}

int main(void)
{
	const struct madkit_class *cm = madkit_class_get(MADKIT_CLASS_CM);
	size_t found = 0;

	for (size_t i = 0; i < cm->nattributes; i++) {
		const struct madkit_attribute *attribute = &cm->attributes[i];
		const struct madkit_layout *layout = attribute->layout;

		/* it has all that is particular to CM but SAP and SPR */
		if (attribute->id < 0x10 || attribute->id > 0x1a)
			continue;
		for (unsigned int j = 0; j < layout->nfields; j++) {
			const struct madkit_field *f = &layout->fields[j];
			const struct theirs *theirs;

			if (f->kind == MADKIT_KIND_RESERVED)
				continue;
			theirs = kernel_cm_find(attribute->name, f->name);
			if (!ok(theirs, "%s.%s is theirs too", attribute->name, f->name))
				continue;
			found++;
			ok(theirs->mad_bytes == layout->bytes + sizeof(struct ib_mad_hdr) &&
				   (theirs->get ? same_word(theirs, f) : same_bytes(theirs, f)),
			   "%s is %s.%s", theirs->name, attribute->name, f->name);
		}
	}
	is_u64(found, ARRAY_SIZE(fields), "each field of theirs is ours");
	return tap_done();
}
