/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Growing arrays. array is the address of the pointer to the members (NULL: none yet), which may move, and
 * *cap is the number of members that have memory. Both functions return 0, or -ENOMEM with everything
 * unchanged.
 */
#ifndef UTIL_ARRAY_H
#define UTIL_ARRAY_H

#include <stddef.h>
#include <stdint.h>
#include "util/private.h"

int array_grow(void *array, uint32_t *cap, size_t used, size_t n, size_t size) MADKIT_PRIVATE(array_grow);

/* Makes room for n more members of size bytes after the first used ones; doubles the array. */
static inline int array_room(void *array, uint32_t *cap, size_t used, size_t n, size_t size)
{
	return *cap - used >= n ? 0 : array_grow(array, cap, used, n, size);
}

/* Extends the array to exactly want members, if there are fewer. Sets every new byte to fill. */
int array_extend(void *array, uint32_t *cap, uint32_t want, size_t size, int fill)
	MADKIT_PRIVATE(array_extend);

#endif
