/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Values of fields, read and written by constants. A constant contains the position of a field, so that
 * nothing is looked up at run time, and a misspelt name does not compile.
 *
 * The constants are in madkit/constants.h, which is made from the tables when madkit is built. Their names are derived
 * from those that madkit-attributes(7) lists:
 *
 *	MADKIT_ATTR_NODE_INFO                   the ID of the attribute NodeInfo
 *	MADKIT_NODE_INFO_NUM_PORTS              its field NumPorts
 *	MADKIT_NODE_RECORD_NODE_INFO_NUM_PORTS  the field NodeInfo.NumPorts of NodeRecord
 *	MADKIT_CAP_MASK_IS_SM                   a bit or a value, after the list of values
 *
 * - A new word begins at a capital letter after a small letter or a digit, and at the last capital letter before
 *   a small one: GIDPrefix is GID_PREFIX, VL15Dropped is VL15_DROPPED, PKeyTable is P_KEY_TABLE. Other
 *   characters are underscores. QoS is QOS, VLs is VLS, and SLtoVL is SL_TO_VL.
 * - A layout that depends on the number of a trap has that number: MADKIT_NOTICE_144_LIDADDR,
 *   MADKIT_NOTICE_257_258_GIDADDR1.
 * - Headers begin with MADKIT_HEADER_: MADKIT_HEADER_SA_SM_KEY, MADKIT_HEADER_SMP_DR_RETURN_PATH,
 *   MADKIT_HEADER_RMPP_TYPE. Their positions count from the start of the MAD, all others from the start of the
 *   attribute (madkit_attribute_offset()).
 * - The layout of Omni-Path has OPA: MADKIT_CLASS_PORT_INFO_OPA_TRAP_LID.
 *
 * Everything here is pure, never blocks, and may be called by any number of threads at once.
 */
#ifndef MADKIT_ACCESS_H
#define MADKIT_ACCESS_H

#include <madkit/decls.h>
#include <stddef.h>
#include <stdint.h>

MADKIT_BEGIN_DECLS

/* What a constant of a field consists of: offset and width in bits, and for arrays and components of the SA also the
 * number of elements (0: not an array), the bits from one to the next, the component number + 1 (0: none), and 1 if
 * it takes two component numbers. Programs use the constants instead. */
#define MADKIT_AT(offset, width) ((uint64_t)(offset) | (uint64_t)(width) << 16)
#define MADKIT_AT_FULL(offset, width, count, stride, component, two) \
	(MADKIT_AT(offset, width) | (uint64_t)(count) << 32 | (uint64_t)(stride) << 44 | \
	 (uint64_t)(component) << 56 | (uint64_t)(two) << 63)

/*
 * Returns the constant of one element of an array, or of a field in an array of structures, as
 * MADKIT_VL_ARBITRATION_TABLE_BLOCK_WEIGHT is. Returns 0, which madkit_get() and the others refuse, if the field is not
 * an array or has no such element.
 */
static inline uint64_t madkit_element(uint64_t field, unsigned int index)
{
	uint64_t component = field >> 56 & 0x7f;

	if (index >= (field >> 32 & 0xfff))
		return 0;
	if (component)
		component += index;
	return ((field & 0xffff) + index * (field >> 44 & 0xfff)) | (field & 0xffff0000) |
	       (component & 0x7f) << 56;
}

/*
 * Gets the value of a field of at most 64 bits from len bytes of an attribute (of a MAD, for a header).
 * 0; -ENODATA the field lies, wholly or partly, beyond len; -EINVAL it has more than 64 bits, or is
 * an array; -ERANGE field is 0 (madkit_element()). *value is set only on success.
 */
int madkit_get(const uint8_t *data, size_t len, uint64_t field, uint64_t *value);

/* The inverse. -ERANGE also if the value has more bits than the field. Other bits of data keep their values. Errors
 * otherwise as madkit_get(), and nothing is changed then. */
int madkit_put(uint8_t *data, size_t len, uint64_t field, uint64_t value);

/*
 * Copies a field of whole bytes, such as a GID, a text or a structure, in the order of the wire, to size bytes. A text
 * of full length has no final NUL. 0; -ERANGE size is not the length of the field, or field is 0; -EINVAL the field
 * does not consist of whole bytes, or is an array; -ENODATA as madkit_get().
 */
int madkit_get_bytes(const uint8_t *data, size_t len, uint64_t field, void *bytes, size_t size);

/* The inverse. If size is less than the length of the field, zeros follow. -ERANGE if it is more. */
int madkit_put_bytes(uint8_t *data, size_t len, uint64_t field, const void *bytes, size_t size);

/* The bits of the SA's ComponentMask for a field of one of its records: several for an array, 0 for a field that
 * is not a component. As madkit_place_mask(). */
uint64_t madkit_component(uint64_t field);

MADKIT_END_DECLS
#endif
