/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A parsed expression: tests, and a program over them in postfix order. */
#ifndef EXPR_EXPR_INT_H
#define EXPR_EXPR_INT_H

#include <regex.h>
#include <stdint.h>
#include <madkit/expr.h>
#include "expr/name.h"
#include "util/decimal.h"

/* In place of the index of a name. */
#define TEST_NO_NAME SIZE_MAX

struct test {
	enum madkit_expr_op op;
	size_t left;       /* index of the name before the operator */
	size_t right;      /* index of the name that the value may be, or TEST_NO_NAME */
	const char *value; /* not NUL-terminated */
	size_t value_len;
	int value_position;
	bool is_number;  /* 0 or more, without a fraction */
	bool is_decimal; /* a number that fields with a unit are compared with */
	bool negated;    /* by an odd number of NOTs */
	bool of_any_error;
	uint64_t number;
	struct decimal decimal;
	regex_t *regex; /* of =~ and !~; otherwise NULL */
};

/* Checks a regular expression before regcomp(). Returns 0, or -EINVAL if it would take too much memory, stack
 * or time; *why is the reason. Syntax errors are left to regcomp(). */
int regex_check(const char *text, size_t len, const char **why);

/* Entries of the program: the index of a test, or one of these. */
enum { CODE_NOT = -1, CODE_AND = -2, CODE_OR = -3 };

#define EXPR_DEPTH_MAX 64 /* of nested parentheses and ! */
#define EXPR_STACK_MAX (2 * EXPR_DEPTH_MAX + 8)
#define EXPR_TESTS_MAX 4096

struct madkit_expr {
	char *text; /* names and values point into it */
	struct test *tests;
	struct name *names;
	size_t ntests, nnames;
	int16_t *code;
	size_t ncode;
	uint32_t tests_cap, names_cap, code_cap;
	struct bindings *bindings;
};

#endif
