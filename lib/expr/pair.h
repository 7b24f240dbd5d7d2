/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Field against field: what two names have in common, and what a comparison of their values says. */
#ifndef EXPR_PAIR_H
#define EXPR_PAIR_H

#include "expr/test.h"

/* What a name means: an entry of the envelope, or a field. */
struct pair_side {
	const struct name *name;
	enum envelope_id id; /* if field is NULL */
	const struct madkit_field *field;
	bool many; /* an array without an index */
};

/* Whether the operator can compare the two: 0, or -EINVAL with a reason that names both. */
int pair_check(enum test_op op, const struct pair_side *left, const struct pair_side *right,
	       struct madkit_error *error);

/* The result: 0, 1 or UNKNOWN. UNKNOWN if pair_check() refuses the two. */
int pair_eval(enum test_op op, const struct operand *left, const struct operand *right);

/* Whether any word is a value of the entry or the field (NULL: of the entry), because it is free text. */
bool pair_is_text(enum envelope_id id, const struct madkit_field *field);

#endif
