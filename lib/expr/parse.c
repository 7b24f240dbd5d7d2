/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Parses an expression by recursive descent, with a depth limit. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <madkit/addr.h>
#include <madkit/registry.h>
#include <madkit/constants.h>
#include <madkit/mad.h>
#include "expr/test.h"
#include "util/array.h"
#include "util/array_size.h"

struct parser {
	struct madkit_expr *expr;
	const char *text;
	size_t at;
	unsigned int depth;
	struct madkit_error *error;
};

#define ANY_ERROR "any_error"

#define FAIL(p, where, ...) madkit_error_set((p)->error, -EINVAL, (int)(where), __VA_ARGS__)

static void parser_skip_space(struct parser *p)
{
	while (p->text[p->at] == ' ' || p->text[p->at] == '\t' || p->text[p->at] == '\n')
		p->at++;
}

static bool parser_accept(struct parser *p, const char *word)
{
	parser_skip_space(p);
	if (strncmp(p->text + p->at, word, strlen(word)))
		return false;
	p->at += strlen(word);
	return true;
}

/* Returns the length of the word here, which needs no quotes. */
static size_t word_length(const char *text)
{
	return strcspn(text, " \t\n()!=<>&|~\"'");
}

static int parse_emit(struct parser *p, int code)
{
	struct madkit_expr *e = p->expr;

	/* every test adds two entries at most, besides NOTs */
	if (array_room(&e->code, &e->code_cap, e->ncode, 1, sizeof(*e->code)))
		return madkit_error_set(p->error, -ENOMEM, -1, "out of memory");
	e->code[e->ncode++] = (int16_t)code;
	return 0;
}

static enum madkit_expr_op parse_take_op(struct parser *p)
{
	static const struct {
		const char *word;
		enum madkit_expr_op op;
	} ops[] = {
		{ "==", MADKIT_EXPR_EQ },      { "=~", MADKIT_EXPR_MATCH }, { "!=", MADKIT_EXPR_NE },
		{ "!~", MADKIT_EXPR_NOMATCH }, { "<=", MADKIT_EXPR_LE },    { ">=", MADKIT_EXPR_GE },
		{ "<", MADKIT_EXPR_LT },       { ">", MADKIT_EXPR_GT },
	};

	for (size_t i = 0; i < ARRAY_SIZE(ops); i++)
		if (parser_accept(p, ops[i].word))
			return ops[i].op;
	parser_skip_space(p);
	if (p->text[p->at] == '&' && p->text[p->at + 1] != '&') {
		p->at++;
		return MADKIT_EXPR_ANY;
	}
	return MADKIT_EXPR_NONE;
}

static int read_regex(struct parser *p, struct test *t)
{
	char *copy = strndup(t->value, t->value_len);
	regex_t *regex = malloc(sizeof(*regex));
	const char *bound;
	char why[120];
	int ret;

	if (copy && regex && regex_check(copy, t->value_len, &bound)) {
		free(copy);
		free(regex);
		return FAIL(p, t->value_position, "not a usable regular expression: %s", bound);
	}
	if (!copy || !regex) {
		free(copy);
		free(regex);
		return madkit_error_set(p->error, -ENOMEM, -1, "out of memory");
	}
	ret = regcomp(regex, copy, REG_EXTENDED | REG_NOSUB);
	free(copy);
	if (ret) {
		regerror(ret, regex, why, sizeof(why));
		free(regex);
		return FAIL(p, t->value_position, "not a regular expression: %s", why);
	}
	t->regex = regex;
	return 0;
}

/* Adds a name to the list, in which the caller has made room. */
static size_t parser_add_name(struct parser *p, const struct name *name)
{
	p->expr->names[p->expr->nnames] = *name;
	return p->expr->nnames++;
}

/* Records the value as a name if it can be one: that depends on the field before the operator. For an entry
 * of the envelope, it is known here. */
static void read_right_name(struct parser *p, struct test *t)
{
	const struct name *left = &p->expr->names[t->left];
	struct name name;

	if (t->is_number || t->op == MADKIT_EXPR_MATCH || t->op == MADKIT_EXPR_NOMATCH ||
	    (left->scope == NAME_ENVELOPE && test_value_fits(t, left->id, NULL)))
		return;
	if (!name_read(t->value, t->value_len, t->value_position, &name, NULL) && name.scope != NAME_GROUP)
		t->right = parser_add_name(p, &name);
}

static int read_value(struct parser *p, struct test *t)
{
	char quote;

	parser_skip_space(p);
	quote = p->text[p->at];
	t->value_position = (int)p->at;
	if (quote == '"' || quote == '\'') {
		const char *end = strchr(p->text + p->at + 1, quote);

		if (!end)
			return FAIL(p, p->at, "the closing quote is missing");
		t->value = p->text + p->at + 1;
		t->value_len = (size_t)(end - t->value);
		p->at += t->value_len + 2;
	} else {
		t->value = p->text + p->at;
		t->value_len = word_length(t->value);
		if (!t->value_len)
			return FAIL(p, p->at, "expected a value");
		p->at += t->value_len;
	}
	t->is_number = !madkit_parse_number(t->value, t->value_len, UINT64_MAX, "value", &t->number, NULL);
	t->is_decimal = !decimal_read(t->value, t->value_len, &t->decimal);
	if (quote != '"' && quote != '\'')
		read_right_name(p, t);
	if (t->op == MADKIT_EXPR_MATCH || t->op == MADKIT_EXPR_NOMATCH)
		return read_regex(p, t);
	return 0;
}

/* Reads the operator and the value of a test of this name. bare: operator without one, of which the value is 0. */
static int read_named(struct parser *p, const struct name *name, enum madkit_expr_op bare)
{
	struct madkit_expr *e = p->expr;
	struct test *t;
	int ret;

	if (e->ntests == EXPR_TESTS_MAX)
		return FAIL(p, name->position, "more than %d tests", EXPR_TESTS_MAX);
	if (array_room(&e->tests, &e->tests_cap, e->ntests, 1, sizeof(*e->tests)) ||
	    array_room(&e->names, &e->names_cap, e->nnames, 2, sizeof(*e->names)))
		return madkit_error_set(p->error, -ENOMEM, -1, "out of memory");
	t = &e->tests[e->ntests];
	*t = (struct test){ .op = MADKIT_EXPR_NONE, .right = TEST_NO_NAME };
	t->left = parser_add_name(p, name);
	e->ntests++;
	t->op = parse_take_op(p);
	if (t->op != MADKIT_EXPR_NONE) {
		ret = read_value(p, t);
		if (ret)
			return ret;
	} else if (p->text[p->at] == '=') {
		return FAIL(p, p->at, "'=' is not an operator: use ==");
	} else if (bare != MADKIT_EXPR_NONE) {
		*t = (struct test){ .op = bare,
				    .left = t->left,
				    .right = TEST_NO_NAME,
				    .value = "0",
				    .value_len = 1,
				    .is_number = true,
				    .is_decimal = true,
				    .value_position = name->position };
	}
	return parse_emit(p, (int)e->ntests - 1);
}

/* Reads a test of any_error: one of each counter of errors, joined by ||. */
static int read_any_error(struct parser *p)
{
	const struct madkit_layout *l =
		madkit_attribute_get(MADKIT_BASE_VERSION_IB, MADKIT_CLASS_PERF, MADKIT_ATTR_PORT_COUNTERS)
			->layout;
	const size_t begin = p->at, test = begin + strlen(ANY_ERROR);
	bool first = true;
	int ret = 0;

	for (unsigned int i = 0; i < l->nfields && !ret; i++) {
		const char *text = l->fields[i].name;
		struct name name;

		if (!(l->fields[i].flags & MADKIT_FIELD_ERROR))
			continue;
		p->at = test;
		ret = name_read(text, strlen(text), (int)begin, &name, p->error);
		if (!ret)
			ret = read_named(p, &name, MADKIT_EXPR_GT);
		if (!ret)
			p->expr->tests[p->expr->ntests - 1].of_any_error = true;
		if (!ret && !first)
			ret = parse_emit(p, CODE_OR);
		first = false;
	}
	return ret;
}

static int read_test(struct parser *p)
{
	const size_t len = word_length(p->text + p->at);
	struct name name;
	int ret;

	if (!len)
		return p->text[p->at] ?
			       FAIL(p, p->at, "expected a name of a field, found '%c'", p->text[p->at]) :
			       FAIL(p, p->at, "expected a name of a field");
	if (len == strlen(ANY_ERROR) && !strncasecmp(p->text + p->at, ANY_ERROR, len))
		return read_any_error(p);
	ret = name_read(p->text + p->at, len, (int)p->at, &name, p->error);
	if (ret)
		return ret;
	/* the bytes of an unknown layout, and a field of forwarding tables, have the names of groups */
	if (name.scope == NAME_GROUP && (name_is(&name, DATA_BYTES) || name_is(&name, ENVELOPE_PORT)))
		name.scope = NAME_DATA;
	if (name.scope == NAME_GROUP && name_is(&name, "hop"))
		return FAIL(p, p->at, "'hop' has no values to compare: it is only for --fields");
	if (name.scope == NAME_GROUP)
		return FAIL(p, p->at, "'%.*s' is a group: name one of its fields", (int)len, p->text + p->at);
	p->at += len;
	return read_named(p, &name, MADKIT_EXPR_NONE);
}

static int read_or(struct parser *p);

static int read_not(struct parser *p)
{
	int ret;

	parser_skip_space(p);
	if (p->text[p->at] != '!' && p->text[p->at] != '(')
		return read_test(p);
	if (p->depth == EXPR_DEPTH_MAX)
		return FAIL(p, p->at, "nested more than %d deep", EXPR_DEPTH_MAX);
	p->depth++;
	if (parser_accept(p, "!")) {
		size_t first = p->expr->ntests;

		ret = read_not(p);
		if (!ret)
			ret = parse_emit(p, CODE_NOT);
		for (size_t i = first; i < p->expr->ntests; i++)
			p->expr->tests[i].negated ^= true;
	} else {
		size_t open = p->at++;

		ret = read_or(p);
		if (!ret && !parser_accept(p, ")"))
			ret = p->text[p->at] ? FAIL(p, p->at, "expected && or || or ')'") :
					       FAIL(p, open, "'(' has no ')'");
	}
	p->depth--;
	return ret;
}

static int read_and(struct parser *p)
{
	int ret = read_not(p);

	while (!ret && parser_accept(p, "&&")) {
		ret = read_not(p);
		if (!ret)
			ret = parse_emit(p, CODE_AND);
	}
	return ret;
}

static int read_or(struct parser *p)
{
	int ret = read_and(p);

	while (!ret && parser_accept(p, "||")) {
		ret = read_and(p);
		if (!ret)
			ret = parse_emit(p, CODE_OR);
	}
	return ret;
}

int madkit_expr_new(const char *text, struct madkit_expr **expr, struct madkit_error *error)
{
	struct madkit_expr *e = calloc(1, sizeof(*e));
	struct parser p = { .expr = e, .error = error };
	int ret;

	*expr = NULL;
	if (e)
		e->text = strdup(text);
	if (!e || !e->text) {
		free(e);
		return madkit_error_set(error, -ENOMEM, -1, "out of memory");
	}
	p.text = e->text;
	ret = read_or(&p);
	parser_skip_space(&p);
	if (!ret && p.text[p.at])
		ret = FAIL(&p, p.at, "expected && or ||%s",
			   p.text[p.at] == ')' ? ": ')' has no '('" :
						 ", or quotes around a value of several words");
	if (!ret) {
		e->bindings = bindings_new(e->names, e->nnames);
		if (!e->bindings)
			ret = madkit_error_set(error, -ENOMEM, -1, "out of memory");
	}
	if (ret) {
		madkit_expr_free(e);
		return ret;
	}
	*expr = e;
	return 0;
}

void madkit_expr_free(struct madkit_expr *expr)
{
	if (!expr)
		return;
	for (size_t i = 0; i < expr->ntests; i++) {
		if (expr->tests[i].regex)
			regfree(expr->tests[i].regex);
		free(expr->tests[i].regex);
	}
	bindings_free(expr->bindings);
	free(expr->tests);
	free(expr->names);
	free(expr->code);
	free(expr->text);
	free(expr);
}

size_t madkit_expr_count(const struct madkit_expr *expr)
{
	return expr->ntests;
}

void madkit_expr_get(const struct madkit_expr *expr, size_t n, struct madkit_expr_test *test)
{
	const struct test *t = &expr->tests[n];
	const struct name *name = &expr->names[t->left];

	*test = (struct madkit_expr_test){
		.op = t->op,
		.name = name->text,
		.name_len = name->len,
		.value = t->value,
		.value_len = t->value_len,
		.is_number = t->is_number,
		.number = t->number,
		.is_name = t->right != TEST_NO_NAME,
		.negated = t->negated,
	};
}
