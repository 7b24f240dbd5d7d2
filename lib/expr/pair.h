/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Compares a field with a field: checks if that is possible, and evaluates it. */
#ifndef EXPR_PAIR_H
#define EXPR_PAIR_H

#include "expr/test.h"

/* The meaning of a name: an entry of the envelope, or a field. */
struct pair_side {
	const struct name *name;
	enum envelope_id id; /* if field is NULL */
	const struct madkit_field *field;
	bool many; /* an array without an index */
};

/* Checks if the operator can compare the two. Returns 0, or -EINVAL with a reason that names both. */
int pair_check(enum madkit_expr_op op, const struct pair_side *left, const struct pair_side *right,
	       struct madkit_error *error);

/* Returns the result: 0, 1 or UNKNOWN. UNKNOWN if pair_check() rejects the two. */
int pair_eval(enum madkit_expr_op op, const struct operand *left, const struct operand *right);

/* Checks if the entry or the field (NULL: the entry) is free text, for which any word is a value. */
bool pair_is_text(enum envelope_id id, const struct madkit_field *field);

#endif
