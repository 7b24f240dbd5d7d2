/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tests an operand against a value, and checks if that is possible. */
#ifndef EXPR_TEST_H
#define EXPR_TEST_H

#include <stdbool.h>
#include <stdint.h>
#include "expr/expr_int.h"
#include "expr/value.h"

#define UNKNOWN (-1) /* result of a test, besides 0 and 1 */

/* An operand: an entry of the envelope, or an element of a field. */
struct operand {
	enum envelope_id id; /* ENVELOPE_N: an element */
	const struct madkit_record *record;
	const struct madkit_item *item;
	bool bytes; /* the name has _bytes, and the value is 4 times the item's */
};

bool test_is_ordered(enum madkit_expr_op op);

/* Applies the operator to an order: below 0, 0 or above 0. */
bool test_holds(enum madkit_expr_op op, int order);

/* Compares two numbers; & is true if they have a bit in common. */
int test_numbers(enum madkit_expr_op op, uint64_t a, uint64_t b);

/* Compares a counter of 4-octet units with a number of bytes; the counter in bytes may have 66 bits. */
int test_in_bytes(enum madkit_expr_op op, uint64_t units, uint64_t bytes);

/* Returns the order of two texts. If one begins with the other, the shorter one is first. fold: ignore
 * case. */
int test_text_order(const void *a, size_t a_len, const void *b, size_t b_len, bool fold);

/* Gets an entry, like envelope_get(), but without the quotes of a JSON string. */
void test_envelope_get(const struct madkit_record *record, enum envelope_id id, struct envelope_value *value);

/* Reads seconds with up to six decimals. Returns false if the text is something else. */
bool test_epoch(const char *text, size_t len, uint64_t *us);

/* Returns the entry with the number of an entry that has a name (header.class_id for header.class), otherwise
 * id. */
enum envelope_id test_number_beside(enum envelope_id id);

/* Tests an entry or an element against the test's value. Returns 0, 1 or UNKNOWN. */
int test_operand(const struct test *test, const struct operand *operand);

/* Gets the test's value as a number of this field: one of its names, or digits. Returns false if it is
 * neither. */
bool test_value_number(const struct test *test, const struct madkit_field *field, uint64_t *number);

/* Checks if the test's value, as written, is a value of the entry or the field (NULL: of the entry). Returns
 * false for text, for which any word is a value. */
bool test_value_fits(const struct test *test, enum envelope_id id, const struct madkit_field *field);

/* Checks if an ordered comparison with a number has one meaning. */
bool test_order_is_clear(const struct test *test, const struct madkit_field *field);

#endif
