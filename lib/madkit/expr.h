/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Filters and projections over records: --filter, --assert, --until, --fields.
 *
 *   expr    := and ( "||" and )*;   and := not ( "&&" not )*
 *   not     := "!" not | "(" expr ")" | test
 *   test    := name [ op value ]         op: == != < <= > >= =~ !~ &
 *   name    := field[.field][[index]] of the data, or of the envelope:
 *              kind, seq, tag, record, records, rtt_us, attempts, device, ...
 *              remote.lid ..., status.mad, status.send, status.text,
 *              header.method ..., rmpp.segment ...: the keys of a JSON line,
 *              a data field that has such a name is data.NAME;
 *              or a companion's key: LinkState_name is LinkState, and
 *              PortXmitData_bytes is 4 times PortXmitData, which counts
 *              units of 4 octets
 *   value   := a number, GUID, GID, a name of the field's values, any word
 *              without blanks and operators; else quoted, 'so' or "so"
 *
 * A name alone is true where its value is not zero, not empty and not null.
 * Names ignore case, and aliases and short names do as on the command line.
 *
 * Numbers are compared as numbers; the name of an enumeration's value is
 * another spelling of its code, as in LinkState == Active. < <= > >= compare an
 * enumeration by magnitude (rates, speeds, widths, MTUs, VLs, port states, scopes):
 * Rate > "100 Gbps" is false for 50 Gbps, whose code is higher. A number is accepted
 * there if it is the name of a value (MTU 2048) or both its code and its magnitude
 * (port states). A code without a
 * magnitude gives no answer; an enumeration without an order or a bit set is an
 * error of madkit_expr_check(). For a
 * bit set == NAME asks whether that bit is set (A|B, quoted: both) and != NAME
 * whether it is not; & is true where any bit of the value, name or number, is
 * set. Text is compared byte by byte, names of the envelope ("GetResp")
 * without case; header.class, .method and .attribute may be compared with
 * numbers as well. GIDs are equal or not, however they are written; bytes (hex)
 * too, missing ones being zero. =~ matches a POSIX extended regular expression
 * anywhere in the text form (of a bit set: the number and the names); secrets
 * have the text "<not displayed>".
 *
 * The name of an array without an index is true if the test holds for any element;
 * if it holds for none and an element is null (a difference that is not known),
 * there is no answer. null in the envelope (rtt_us) equals and matches nothing; < <= >
 * >= and & give no answer for it. A field that the attribute does not have, that
 * was cut off, or that is of a response whose MAD status is not zero gives no
 * answer, neither true nor false, and neither does "!" of it; "&&" and "||" give
 * one where the other side alone decides.
 *
 * The objects do not change: any number of threads may use one.
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

/* Reads an expression: at most 64 parentheses and "!" in one another, and 4096
 * tests. 0; -EINVAL with error telling where; -ENOMEM. The caller frees it. */
int madkit_expr_new(const char *text, struct madkit_expr **expr, struct madkit_error *error);
void madkit_expr_free(struct madkit_expr *expr);

/*
 * Checks the expression's names and values against an attribute before
 * anything is sent: 0, or -ENOENT or -EINVAL with error naming the word.
 * attribute may be NULL: a name has to be one of some attribute then, and its
 * test has to be possible there.
 */
int madkit_expr_check(const struct madkit_expr *expr, const struct madkit_attribute *attribute,
		      struct madkit_error *error);

/*
 * madkit_expr_explain - report a test that cannot have an answer in an attribute's records
 * @expr:      the expression
 * @attribute: that of a record, or NULL: unknown
 * @error:     where the reason is written, or NULL
 *
 * For programs that receive attributes that they did not ask for. Unlike madkit_expr_check(), it ignores names
 * that the attribute does not have. Does not block.
 *
 * Return: 0; -EINVAL or -EEXIST if a test is an error for this attribute, such as an ordered comparison of values
 * without an order: madkit_expr_eval() leaves it unknown in each record.
 */
int madkit_expr_explain(const struct madkit_expr *expr, const struct madkit_attribute *attribute,
			struct madkit_error *error);

/* 1 true, 0 false, -ENODATA: a name in it has no value in this record, and
 * the rest does not decide without it. */
int madkit_expr_eval(const struct madkit_expr *expr, const struct madkit_record *record);

/* ---- projection ---------------------------------------------------------- */

struct madkit_projection;

/* "A,B.C,remote.lid": names as in expressions, and groups: "remote", "header",
 * "data" ... A field brings its companion. 0; -EINVAL with error telling where;
 * -ENOMEM. The caller frees it. */
int madkit_projection_new(const char *text, struct madkit_projection **p, struct madkit_error *error);
void madkit_projection_free(struct madkit_projection *p);

/* Like madkit_expr_check(). */
int madkit_projection_check(const struct madkit_projection *p, const struct madkit_attribute *attribute,
			    struct madkit_error *error);

/*
 * Whether what is called path in a line ("remote", "seq", "rates.PortXmitData")
 * is shown: it, what it lies in or something in it was named. For what is no
 * field of a layout: names are compared as written, without case. NULL chooses
 * all.
 */
bool madkit_projection_has(const struct madkit_projection *p, const char *path);

MADKIT_END_DECLS
#endif
