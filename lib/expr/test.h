/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A test against its value: what an operand is compared with, and whether that is possible. */
#ifndef EXPR_TEST_H
#define EXPR_TEST_H

#include <stdbool.h>
#include <stdint.h>
#include "expr/expr_int.h"
#include "expr/value.h"

#define UNKNOWN (-1) /* result of a test, besides 0 and 1 */

/* An entry of the envelope, or an element of a field. */
struct operand {
	enum envelope_id id; /* ENVELOPE_N: an element */
	const struct madkit_record *record;
	const struct madkit_item *item;
	bool bytes; /* the name has _bytes, and the value is 4 times the item's */
};

bool test_is_ordered(enum test_op op);

/* What the operator says of an order: below 0, 0 or above 0. */
bool test_holds(enum test_op op, int order);

/* Compares two numbers; & is true if they have a bit in common. */
int test_numbers(enum test_op op, uint64_t a, uint64_t b);

/* Compares a counter of 4-octet units with a number of bytes; the counter in bytes may have 66 bits. */
int test_in_bytes(enum test_op op, uint64_t units, uint64_t bytes);

/* Order of two texts; the shorter one is first if the longer one begins with it. fold: ignore case. */
int test_text_order(const void *a, size_t a_len, const void *b, size_t b_len, bool fold);

/* The text of an entry that is a string of JSON loses its quotes. */
void test_envelope_get(const struct madkit_record *record, enum envelope_id id, struct envelope_value *value);

/* The entry that has the number of an entry with a name (header.class_id of header.class), or id. */
enum envelope_id test_number_beside(enum envelope_id id);

/* The result of a test of an entry or an element against the test's value: 0, 1 or UNKNOWN. */
int test_operand(const struct test *test, const struct operand *operand);

/* The test's value as a number of this field: a name of it, or digits. */
bool test_value_number(const struct test *test, const struct madkit_field *field, uint64_t *number);

/* Whether the test's value, as written, is a value of the entry or the field (NULL: of the entry). Text takes any
 * word: false. */
bool test_value_fits(const struct test *test, enum envelope_id id, const struct madkit_field *field);

/* Whether an ordered comparison with a number has one meaning. */
bool test_order_is_clear(const struct test *test, const struct madkit_field *field);

#endif
