/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#define _GNU_SOURCE /* qsort_r */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cli/output.h"
#include "order.h"

/* Checks if an expression is one field, or all counters of errors, and nothing else. */
static bool order_is_field(const struct madkit_expr *expr, const char *word)
{
	struct madkit_expr_test test;

	madkit_expr_get(expr, 0, &test);
	if (!strcmp(word, "any_error"))
		return true;
	return madkit_expr_count(expr) == 1 && test.op == MADKIT_EXPR_NONE && test.name_len == strlen(word);
}

int order_check(const struct order *order, const struct madkit_attribute *attribute)
{
	struct madkit_error error = { .text = "" };

	if (order->field && madkit_expr_check(order->field, attribute, &error))
		return output_name_error("--sort", attribute, &error);
	return EXIT_DONE;
}

int order_read(struct order *order, const char *word, const struct madkit_attribute *attribute)
{
	struct madkit_error error = { .text = "" };

	*order = (struct order){ .by_name = !strcmp(word, "name") };
	if (order->by_name || !strcmp(word, "guid"))
		return EXIT_DONE;
	order->descending = *word == '-';
	word += order->descending;
	if (!*word)
		return cli_usage_error("--sort needs guid, name, or a field after '-'");
	if (madkit_expr_new(word, &order->field, &error))
		return output_expression_error("--sort", word, &error);
	if (!order_is_field(order->field, word))
		return cli_usage_error("--sort '%s' is not guid, name or a field", word);
	return order_check(order, attribute);
}

void order_free(struct order *order)
{
	madkit_expr_free(order->field);
	order->field = NULL;
}

/* ---- keys ------------------------------------------------------------------------------ */

enum order_kind { ORDER_NUMBER, ORDER_TEXT, ORDER_NONE };

struct order_key {
	enum order_kind kind;
	uint64_t number;
	size_t text, len; /* in the texts of all keys */
	size_t at;
	size_t added; /* keeps equal keys in order */
};

struct order_keys {
	const struct order *order;
	struct order_key *keys;
	size_t n;
	struct madkit_buf texts;
};

struct order_keys *order_keys_new(const struct order *order, size_t n)
{
	struct order_keys *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	k->order = order;
	k->keys = calloc(n + 1, sizeof(*k->keys));
	madkit_buf_init(&k->texts, 0);
	if (k->keys)
		return k;
	order_keys_free(k);
	return NULL;
}

void order_keys_free(struct order_keys *k)
{
	if (!k)
		return;
	madkit_buf_free(&k->texts);
	free(k->keys);
	free(k);
}

void order_keys_add(struct order_keys *k, const struct madkit_record *record, size_t at)
{
	struct order_key *key = &k->keys[k->n];

	*key = (struct order_key){ .text = k->texts.len, .at = at, .added = k->n, .kind = ORDER_NONE };
	/* of the counters of any_error, the greatest decides */
	for (size_t i = 0; record && i < madkit_expr_count(k->order->field); i++) {
		uint64_t number = 0;
		const int ret = madkit_expr_get_key(k->order->field, i, record, &number, &k->texts);

		if (ret >= 0)
			key->kind = ret ? ORDER_TEXT : ORDER_NUMBER;
		if (!ret && number > key->number)
			key->number = number;
	}
	key->len = k->texts.len - key->text;
	k->n++;
}

static int order_compare_keys(const struct order_keys *k, const struct order_key *a,
			      const struct order_key *b)
{
	if (a->kind == ORDER_NUMBER)
		return a->number < b->number ? -1 : a->number > b->number;
	return a->kind == ORDER_NONE ?
		       0 :
		       madkit_name_compare(k->texts.data + a->text, a->len, k->texts.data + b->text, b->len);
}

static int order_compare(const void *p, const void *q, void *context)
{
	const struct order_keys *k = context;
	const struct order_key *a = p, *b = q;
	int order;

	/* in either direction, lines without a value are the last */
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	order = order_compare_keys(k, a, b);
	if (order)
		return k->order->descending ? -order : order;
	return a->added < b->added ? -1 : a->added > b->added;
}

int order_keys_sort(struct order_keys *k)
{
	if (k->texts.error)
		return cli_no_memory();
	qsort_r(k->keys, k->n, sizeof(*k->keys), order_compare, k);
	return EXIT_DONE;
}

size_t order_keys_at(const struct order_keys *k, size_t i)
{
	return k->keys[i].at;
}
