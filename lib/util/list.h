/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Circular doubly linked lists with links inside their members. A link that is on no list points to itself,
 * so that deleting it twice is harmless. */
#ifndef UTIL_LIST_H
#define UTIL_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct list {
	struct list *prev, *next;
};

static inline void list_init(struct list *l)
{
	l->prev = l->next = l;
}

static inline bool list_empty(const struct list *l)
{
	return l->next == l;
}

static inline void list_add(struct list *head, struct list *l)
{
	l->prev = head->prev;
	l->next = head;
	head->prev->next = l;
	head->prev = l;
}

static inline void list_del(struct list *l)
{
	l->prev->next = l->next;
	l->next->prev = l->prev;
	list_init(l);
}

/* Moves all of from, in order, to the end of to. */
static inline void list_move_all(struct list *to, struct list *from)
{
	if (list_empty(from))
		return;
	from->next->prev = to->prev;
	to->prev->next = from->next;
	from->prev->next = to;
	to->prev = from->prev;
	list_init(from);
}

/* clang-format off */
#define list_entry(link, type, member) ((type *)((char *)(link) - offsetof(type, member)))
/* clang-format on */

/* Iterates over the entries of a list; member is their link. The loop must not remove the entry from the
 * list. The end is found by address, because the head is not part of an entry. */
#define list_each(type, entry, head, member) \
	for (type *entry = list_entry((head)->next, type, member); \
	     (struct list *)(void *)((char *)entry + offsetof(type, member)) != (head); \
	     entry = list_entry(entry->member.next, type, member))

#endif
