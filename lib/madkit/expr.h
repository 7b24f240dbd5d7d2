/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_expr - filter records by expressions, and select fields
 *
 * An expression such as "LinkState == Active && remote.lid < 10" is true, false or unknown for a record
 * (madkit_message(3)). A projection is a list of the fields to show. The commands use them for
 * --filter, --assert, --until and --fields; madkit-expressions(7) has examples.
 *
 * Expressions and projections do not change after they are made: any number of threads may use the same
 * one. The functions do not block.
 */
#ifndef MADKIT_EXPR_H
#define MADKIT_EXPR_H

#include <madkit/decls.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/buf.h>
#include <madkit/error.h>
#include <madkit/message.h>

MADKIT_BEGIN_DECLS

/* ---- syntax -----------------------------------------------------------------
 *	expr    := and ( "||" and )*
 *	and     := not ( "&&" not )*
 *	not     := "!" not | "(" expr ")" | test
 *	test    := name [ op value | op name ]
 *	op      := "==" | "!=" | "<" | "<=" | ">" | ">=" | "=~" | "!~" | "&"
 *	name    := part ( "." part )*;   part := word [ "[" index "]" ]
 *
 * A name is a field of the data, such as LinkState or Block[3].Weight, or a key of the JSON line around
 * the data: kind, seq, tag, record, records, rtt_us, attempts, device, remote.lid, port.node.name,
 * status.mad, status.send, status.text, header.method, rmpp.segment and so on. If a field of the data has the same
 * name as such a key, write data.NAME.
 *
 * A key that accompanies a field is also a name: LinkState_name means LinkState, and PortXmitData_bytes
 * is 4 times PortXmitData, which counts units of 4 octets. Names ignore case; aliases and short names
 * are accepted as on the command line.
 *
 * any_error means each counter of errors (MADKIT_FIELD_ERROR) of PortCounters: "any_error > 9" is a test of each, joined
 * by ||. Without an operator, it means "> 0".
 *
 * A value is a number, a GUID, a GID, a name of one of the field's values, or any word without blanks
 * and operators. Put other text in quotes: 'text' or "text".
 *
 * The word after an operator is a name if it is one in the record, and not a value of the first name.
 * For text, every unquoted name is a name. The pattern of =~ and !~ is never a name.
 */

/* ---- meaning ----------------------------------------------------------------
 * - A name without an operator is true if its value is not zero, not empty and not null.
 * - Numbers are compared as numbers; those with a unit, and bit error rates, exactly with a number such as -1.25 or
 *   1e-8, without a unit. If they have no value, the test is unknown. The name of a value means its code: LinkState == Active.
 * - <, <=, > and >= compare an enumeration by magnitude (rates, speeds, widths, MTUs, VLs, port states,
 *   scopes): Rate > "100 Gbps" is false for 50 Gbps, although the code of 50 Gbps is higher. They
 *   accept a number only if it is the name of a value (MTU 2048), or both its code and its magnitude
 *   (port states). A code without a magnitude makes the test unknown. For an enumeration without an
 *   order and for a bit set, these operators are an error of madkit_expr_check().
 * - For a bit set, == NAME is true if that bit is set, and != NAME if it is not. Several names in
 *   quotes, 'A|B', mean that all of them are set. & is true if any bit of the value (name or number) is
 *   set.
 * - Text is compared byte by byte. Names of the JSON line, such as GetResp, ignore case. header.class,
 *   header.method and header.attribute may also be compared with numbers.
 * - GIDs and bytes are only equal or different. GIDs may be written in any form; bytes are written in
 *   hexadecimal, and missing bytes are zero.
 * - =~ and !~ match a POSIX extended regular expression anywhere in the text of the value. The text of
 *   a bit set is its number and its names; the text of a secret is "<not displayed>".
 * - A test of an array name without an index is true if it is true for any element: Port != 77 if any
 *   element differs from 77, !(Port == 77) if none is 77. If it is true for none and an element is null
 *   (an unknown difference), the test is unknown.
 * - Two names: numbers, numbers of the same unit, and texts are compared as above, GIDs and bytes are equal or different.
 *   Enumerations must have the same values: == compares codes, < magnitudes. Bit sets must have the
 *   same bits: == compares all of them, & is true if they have one in common. An enumeration is
 *   compared with a set of its values by magnitude: the set means its highest value
 *   (LinkWidthActive < LinkWidthEnabled), and & is true if the set contains the value. For an
 *   enumeration without magnitudes, == is true if the set contains the value.
 * - A number is compared with an enumeration without magnitudes by == and !=, and a HEX field with a
 *   bit set by ==, != and &. Any other two names, two arrays without an index, and a secret with
 *   another name are an error of madkit_expr_check().
 * - A key of the JSON line that is null (rtt_us) differs from every value and matches nothing; with <,
 *   <=, >, >= and & the test is unknown.
 * - A test of a field of the data is unknown if the attribute does not have the field, if the field was
 *   cut off, or if the MAD status of the response is not zero. A test of a field of the port is unknown
 *   if the field is null or the message has no port. The negation of an unknown test is unknown. && and
 *   || have a result if the other operand decides it.
 */

struct madkit_expr;

/*
 * madkit_expr_new - compile an expression
 * @text:  the expression, with at most 4096 tests and 64 nested parentheses and negations
 * @expr:  receives the expression; free it with madkit_expr_free()
 * @error: receives the reason and the position of a failure, or NULL
 *
 * Return: 0; -EINVAL if @text is not an expression; -ENOMEM if out of memory.
 */
int madkit_expr_new(const char *text, struct madkit_expr **expr, struct madkit_error *error);

/*
 * madkit_expr_free - free an expression
 * @expr: expression to free, or NULL
 */
void madkit_expr_free(struct madkit_expr *expr);

/*
 * madkit_expr_check - check the names and values of an expression against an attribute
 * @expr:      the expression
 * @attribute: attribute of the records to come, or NULL if it is not known. Each name must then exist
 *             in some attribute for which its test is possible.
 * @error:     receives the offending word and the reason, or NULL
 *
 * Call it before sending a request, to find misspelt names early.
 *
 * Return: 0 on success, or:
 * - -ENOENT: the attribute has no such field
 * - -EEXIST: a short name matches several fields
 * - -EINVAL: a value, a second field or an operator is not possible for the field
 */
int madkit_expr_check(const struct madkit_expr *expr, const struct madkit_attribute *attribute,
		      struct madkit_error *error);

/*
 * madkit_expr_explain - report a test that is unknown for every record of an attribute
 * @expr:      the expression
 * @attribute: attribute of a record, or NULL if it is not known
 * @error:     receives the reason, or NULL
 *
 * This is for programs that receive attributes that they did not request. Unlike madkit_expr_check(),
 * it ignores names that the attribute does not have.
 *
 * Return: 0; -EINVAL or -EEXIST if a test is an error for this attribute, such as an ordered comparison
 * of values without an order. madkit_expr_eval() treats such a test as unknown.
 */
int madkit_expr_explain(const struct madkit_expr *expr, const struct madkit_attribute *attribute,
			struct madkit_error *error);

/*
 * madkit_expr_eval - evaluate an expression for a record
 * @expr:   the expression
 * @record: the record
 *
 * Return: 1 if it is true; 0 if it is false; -ENODATA if it is unknown, because a name has no value in
 * this record.
 */
int madkit_expr_eval(const struct madkit_expr *expr, const struct madkit_record *record);

/* ---- the tests of an expression ----------------------------------------------
 * A program can look at a compiled expression, for example to explain why it does not hold.
 */

/* The operator of a test. */
enum madkit_expr_op {
	MADKIT_EXPR_NONE, /* the name alone */
	MADKIT_EXPR_EQ,
	MADKIT_EXPR_NE,
	MADKIT_EXPR_LT,
	MADKIT_EXPR_LE,
	MADKIT_EXPR_GT,
	MADKIT_EXPR_GE,
	MADKIT_EXPR_MATCH,   /* =~ */
	MADKIT_EXPR_NOMATCH, /* !~ */
	MADKIT_EXPR_ANY,     /* & */
};

/* A test. The texts have no NUL, and are valid as long as the expression. */
struct madkit_expr_test {
	enum madkit_expr_op op;
	const char *name; /* as written */
	size_t name_len;
	const char *value; /* as written, without quotes; NULL if op is MADKIT_EXPR_NONE */
	size_t value_len;
	bool is_number; /* the value is a number */
	uint64_t number;
	bool is_name; /* the value may be a name: that depends on the record */
	bool negated; /* the test is within an odd number of negations (!) */
};

/*
 * madkit_expr_count - return the number of tests of an expression
 * @expr: the expression
 *
 * Return: 1 to 4096.
 */
size_t madkit_expr_count(const struct madkit_expr *expr);

/*
 * madkit_expr_get - return a test of an expression
 * @expr: the expression
 * @n:    number of the test in the order of the text, from 0; less than madkit_expr_count()
 * @test: receives the test
 */
void madkit_expr_get(const struct madkit_expr *expr, size_t n, struct madkit_expr_test *test);

/*
 * madkit_expr_put_value - append the value that a name of a test has in a record
 * @expr:      the expression
 * @n:         number of the test, from 0
 * @other:     false: the name before the operator; true: the name after it
 * @record:    the record
 * @show_keys: show secrets; else "<not displayed>"
 * @buf:       receives the value in the form of a cell of a table, which is safe to print on a terminal;
 *             the elements of an array are separated by commas
 *
 * Return: the number of elements appended: 1, or more for the name of an array without an index; or:
 * - -ENOENT: the test has no such name, the record has no such field, or it ends before the field
 * - -EINVAL: the name is that of a nested layout
 * - -ENODATA: the value is null
 * - -ENOMEM, -EFBIG: @buf cannot grow
 */
int madkit_expr_put_value(const struct madkit_expr *expr, size_t n, bool other,
			  const struct madkit_record *record, bool show_keys, struct madkit_buf *buf);

/*
 * madkit_expr_get_key - get the value that a name of a test has in a record, to sort records by it
 * @expr:   the expression
 * @n:      number of the test, from 0; its name before the operator is the one
 * @record: the record
 * @number: receives a number. Of an enumeration with magnitudes it is the magnitude; of a number with a unit and of a
 *          bit error rate, a number that has their order; of an array without an
 *          index, the greatest element.
 * @text:   receives text, GIDs and bytes, appended as in a cell of a table; of an array, the first element.
 *          Compare them with madkit_name_compare().
 *
 * Return: 1 if text was appended, 0 if there is a number; or:
 * - -ENODATA: the record does not have the value, or it is null, a secret, or a code without a magnitude
 * - -ENOMEM, -EFBIG: @text cannot grow
 */
int madkit_expr_get_key(const struct madkit_expr *expr, size_t n, const struct madkit_record *record,
			uint64_t *number, struct madkit_buf *text);

/* ---- projections ------------------------------------------------------------ */

struct madkit_projection;

/*
 * madkit_projection_new - compile a list of fields
 * @text:  names separated by commas, such as "A,B.C,remote.lid": names as in expressions, and groups
 *         such as "remote", "header" and "data". A field includes the key that accompanies it, such as
 *         LinkState_name.
 * @p:     receives the projection; free it with madkit_projection_free()
 * @error: receives the reason and the position of a failure, or NULL
 *
 * Return: 0; -EINVAL if @text is not a list of names; -ENOMEM if out of memory.
 */
int madkit_projection_new(const char *text, struct madkit_projection **p, struct madkit_error *error);

/*
 * madkit_projection_free - free a projection
 * @p: projection to free, or NULL
 */
void madkit_projection_free(struct madkit_projection *p);

/*
 * madkit_projection_check - check the names of a projection against an attribute
 * @p:         the projection
 * @attribute: attribute of the records to come, or NULL if it is not known
 * @error:     receives the offending word and the reason, or NULL
 *
 * Return: as madkit_expr_check().
 */
int madkit_projection_check(const struct madkit_projection *p, const struct madkit_attribute *attribute,
			    struct madkit_error *error);

/*
 * madkit_projection_has - check whether a key of a JSON line is selected
 * @p:    the projection; NULL selects everything
 * @path: the key, such as "remote", "seq" or "rates.PortXmitData", which is not a field of a layout.
 *        Case is ignored.
 *
 * Return: true if the projection names the key, a group that contains it, or a part of it.
 */
bool madkit_projection_has(const struct madkit_projection *p, const char *path);

MADKIT_END_DECLS
#endif
