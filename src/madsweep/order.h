/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The order of the lines: by GUID, by name, or by a field (--sort). */
#ifndef SRC_ORDER_H
#define SRC_ORDER_H

#include <madkit/madkit.h>

struct order {
	bool by_name;
	bool descending;           /* by the field */
	struct madkit_expr *field; /* NULL: by the port only */
};

/* Reads --sort. attribute: of the lines, or NULL if not known. Returns EXIT_DONE, or
 * EXIT_USAGE after a message. */
int order_read(struct order *order, const char *word, const struct madkit_attribute *attribute);
/* Checks if the attribute has the field, too. Returns EXIT_DONE, or EXIT_USAGE after a message. */
int order_check(const struct order *order, const struct madkit_attribute *attribute);
void order_free(struct order *order);

/* The keys of lines, to be sorted. */
struct order_keys;

/* Returns room for n keys, or NULL if memory ran out. */
struct order_keys *order_keys_new(const struct order *order, size_t n);
void order_keys_free(struct order_keys *keys);

/* Adds the key of a line. at: returned by order_keys_at(). A line without a value is the last. record: NULL for such a
 * line. */
void order_keys_add(struct order_keys *keys, const struct madkit_record *record, size_t at);

/* Sorts; lines with equal keys stay in the order in which they were added. Returns EXIT_DONE, or EXIT_LOCAL after a message
 * if memory ran out. */
int order_keys_sort(struct order_keys *keys);
size_t order_keys_at(const struct order_keys *keys, size_t i);

#endif
