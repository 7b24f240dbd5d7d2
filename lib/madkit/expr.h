/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Filters and projections over records: --filter, --assert, --until, --fields.
 *
 *   expr    := or;   or := and ( "||" and )*;   and := not ( "&&" not )*
 *   not     := "!" not | "(" expr ")" | test
 *   test    := name [ op value ]         op: == != < <= > >= =~ !~ &
 *   name    := field[.field][[index]] of the data, or of the envelope:
 *              kind, seq, tag, record, records, rtt_us, attempts, device,
 *              remote.lid ..., status.mad, status.send, status.text,
 *              header.method ..., rmpp.segment ...; a data field that has such
 *              a name is data.NAME
 *   value   := number | enumeration or bit name | "text" | GUID | GID
 *
 * A name alone is true where its value is not zero (not empty). == and != with
 * a name of an enumeration compare the number; with a name of a bit they test
 * that bit; & tests that any of the bits is set. < and > compare numbers. =~
 * matches a POSIX extended regular expression on the text form. A name of an
 * array without an index is true where it holds for any element. A field that
 * the attribute does not have, or that was cut off, makes the test false,
 * with ! too: there is no answer (see madkit_expr_eval).
 */
#ifndef MADKIT_EXPR_H
#define MADKIT_EXPR_H

#include <madkit/decls.h>
#include <stdbool.h>
#include <stddef.h>
#include <madkit/buf.h>
#include <madkit/error.h>
#include <madkit/message.h>

MADKIT_BEGIN_DECLS

struct madkit_expr;

/* Reads an expression. 0; -EINVAL with error telling where; -ENOMEM. */
int madkit_expr_new(const char *text, struct madkit_expr **expr,
		    struct madkit_error *error);
void madkit_expr_free(struct madkit_expr *expr);

/*
 * Checks the expression's names and values against an attribute before
 * anything is sent: 0, or -ENOENT or -EINVAL with error naming the word.
 * attribute may be NULL (only envelope names are certain then).
 */
int madkit_expr_check(const struct madkit_expr *expr,
		      const struct madkit_attribute *attribute,
		      struct madkit_error *error);

/* 1 true, 0 false, -ENODATA: a name in it has no value in this record, and
 * the rest does not decide without it. */
int madkit_expr_eval(const struct madkit_expr *expr,
		     const struct madkit_record *record);

/* ---- projection ---------------------------------------------------------- */

struct madkit_projection;

/* "A,B.C,remote.lid". 0; -EINVAL; -ENOMEM. */
int madkit_projection_new(const char *text, struct madkit_projection **p,
			  struct madkit_error *error);
void madkit_projection_free(struct madkit_projection *p);

/* Like madkit_expr_check(). */
int madkit_projection_check(const struct madkit_projection *p,
			    const struct madkit_attribute *attribute,
			    struct madkit_error *error);

/*
 * Whether what is called path ("data.NodeInfo.Guid", "remote.lid", "seq") is
 * chosen: 2 it is, with all below it; 1 something below it is; 0 not. NULL
 * chooses all. layout resolves aliases and short names of data fields.
 */
int madkit_projection_has(const struct madkit_projection *p, const char *path,
			  const struct madkit_layout *layout);

MADKIT_END_DECLS
#endif
