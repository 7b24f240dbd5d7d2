/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_access - read and write the fields of an attribute by constants
 *
 * Each field of a MAD has a constant that contains its position. Nothing is looked up at run time, and
 * a misspelt name does not compile. The functions do not block or allocate memory; any number of
 * threads may call them at once.
 */
#ifndef MADKIT_ACCESS_H
#define MADKIT_ACCESS_H

#include <madkit/decls.h>
#include <stddef.h>
#include <stdint.h>

MADKIT_BEGIN_DECLS

/* ---- names of the constants -------------------------------------------------
 * The constants are defined in madkit/constants.h, which the build generates from the tables of
 * attributes. Their names are derived from the names in madkit-attributes(7):
 *
 *	MADKIT_ATTR_NODE_INFO                   ID of the attribute NodeInfo
 *	MADKIT_NODE_INFO_NUM_PORTS              its field NumPorts
 *	MADKIT_NODE_RECORD_NODE_INFO_NUM_PORTS  field NodeInfo.NumPorts of NodeRecord
 *	MADKIT_CAP_MASK_IS_SM                   value IsSM of the list cap_mask
 *
 * - A new word begins at a capital letter that follows a small letter or a digit, and at the last
 *   capital letter before a small letter: GIDPrefix becomes GID_PREFIX, VL15Dropped becomes
 *   VL15_DROPPED, and PKeyTable becomes P_KEY_TABLE. Characters other than letters and digits become
 *   underscores. QoS becomes QOS, VLs becomes VLS, and SLtoVL becomes SL_TO_VL.
 * - If the layout depends on the trap number, the name contains that number: MADKIT_NOTICE_144_LIDADDR,
 *   MADKIT_NOTICE_257_258_GIDADDR1.
 * - Names of header fields begin with MADKIT_HEADER_: MADKIT_HEADER_SA_SM_KEY,
 *   MADKIT_HEADER_SMP_DR_RETURN_PATH, MADKIT_HEADER_RMPP_TYPE. Their positions count from the start of
 *   the MAD. The positions of all other fields count from the start of the attribute; see
 *   madkit_attribute_offset(). Functions that have the whole MAD, such as madkit_send_put(), accept both.
 * - Names of fields of the object "port" of JSON lines begin with MADKIT_PORT_OBJECT_, and count from
 *   the start of its record's data: MADKIT_PORT_OBJECT_WIDTH, MADKIT_PORT_OBJECT_PEER_NODE_GUID. No MAD has
 *   them.
 * - Names of Omni-Path layouts contain OPA: MADKIT_CLASS_PORT_INFO_OPA_TRAP_LID.
 */

/*
 * The parts of a field constant. Programs use the constants of madkit/constants.h instead of these
 * macros.
 *
 * - offset, width: in bits
 * - count: number of elements; 0 if the field is not an array
 * - stride: bits from one element to the next
 * - component: SA component number + 1; 0 if the field is not an SA component; MADKIT_AT_HEADER or
 *   MADKIT_AT_PORT_OBJECT if the position does not count from the start of an attribute
 * - two: 1 if each element has two component numbers
 */
#define MADKIT_AT_HEADER         127
#define MADKIT_AT_PORT_OBJECT    126
#define MADKIT_AT(offset, width) ((uint64_t)(offset) | (uint64_t)(width) << 16)
#define MADKIT_AT_FULL(offset, width, count, stride, component, two) \
	(MADKIT_AT(offset, width) | (uint64_t)(count) << 32 | (uint64_t)(stride) << 44 | \
	 (uint64_t)(component) << 56 | (uint64_t)(two) << 63)

/*
 * madkit_element - return the constant of one element of an array
 * @field: constant of an array, or of a field in an array of structures, such as
 *         MADKIT_VL_ARBITRATION_TABLE_BLOCK_WEIGHT
 * @index: number of the element, from 0
 *
 * Return: the constant of the element; 0 if the field is not an array or has no such element. The other
 * functions of this page reject 0 with -ERANGE.
 */
static inline uint64_t madkit_element(uint64_t field, unsigned int index)
{
	uint64_t component = field >> 56 & 0x7f;

	if (index >= (field >> 32 & 0xfff))
		return 0;
	if (component && component < MADKIT_AT_PORT_OBJECT)
		component += index;
	return ((field & 0xffff) + index * (field >> 44 & 0xfff)) | (field & 0xffff0000) |
	       (component & 0x7f) << 56;
}

/*
 * madkit_get - read a field of at most 64 bits
 * @data:  start of the attribute; of the MAD for a header field
 * @len:   bytes at @data
 * @field: constant of the field
 * @value: receives the value; unchanged on failure
 *
 * Return: 0 on success, or:
 * - -ENODATA: the field ends beyond @len
 * - -EINVAL: the field has more than 64 bits, or is an array
 * - -ERANGE: @field is 0; see madkit_element()
 */
int madkit_get(const uint8_t *data, size_t len, uint64_t field, uint64_t *value);

/*
 * madkit_put - write a field of at most 64 bits
 * @data:  start of the attribute; of the MAD for a header field
 * @len:   bytes at @data
 * @field: constant of the field
 * @value: value to write
 *
 * Bits outside the field keep their values. On failure, nothing is changed.
 *
 * Return: 0 on success, or:
 * - -ERANGE: @value has more bits than the field, or @field is 0
 * - -ENODATA: the field ends beyond @len
 * - -EINVAL: the field has more than 64 bits, or is an array
 */
int madkit_put(uint8_t *data, size_t len, uint64_t field, uint64_t value);

/*
 * madkit_get_bytes - copy a field that consists of whole bytes
 * @data:  start of the attribute; of the MAD for a header field
 * @len:   bytes at @data
 * @field: constant of the field, such as a GID, a text or a structure
 * @bytes: receives the bytes in network order
 * @size:  size of @bytes, which must be the length of the field
 *
 * A text that fills the field has no final NUL.
 *
 * Return: 0 on success, or:
 * - -ERANGE: @size is not the length of the field, or @field is 0
 * - -EINVAL: the field does not consist of whole bytes, or is an array
 * - -ENODATA: the field ends beyond @len
 */
int madkit_get_bytes(const uint8_t *data, size_t len, uint64_t field, void *bytes, size_t size);

/*
 * madkit_put_bytes - write a field that consists of whole bytes
 * @data:  start of the attribute; of the MAD for a header field
 * @len:   bytes at @data
 * @field: constant of the field
 * @bytes: bytes to write, in network order
 * @size:  number of bytes. If it is less than the length of the field, the rest of the field is set to
 *         zero.
 *
 * Return: 0 on success, or:
 * - -ERANGE: @size is more than the length of the field, or @field is 0
 * - -EINVAL: the field does not consist of whole bytes, or is an array
 * - -ENODATA: the field ends beyond @len
 */
int madkit_put_bytes(uint8_t *data, size_t len, uint64_t field, const void *bytes, size_t size);

/*
 * madkit_component - return the ComponentMask bits of a field of an SA record
 * @field: constant of the field
 *
 * Return: one bit, or several for an array; 0 if the field is not an SA component. madkit_place_mask()
 * returns the same bits for a field found by name.
 */
uint64_t madkit_component(uint64_t field);

MADKIT_END_DECLS
#endif
