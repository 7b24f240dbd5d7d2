/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Arrays that grow by doubling. */
#ifndef SIM_ARRAY_H
#define SIM_ARRAY_H

#include <stddef.h>
#include <stdint.h>

/*
 * Room for n more members of size bytes behind those that are used. array is the address of
 * the pointer to them (NULL: none yet), which may move. 0; -ENOMEM: all is as it was.
 */
int array_room(void *array, uint32_t *cap, uint32_t used, uint32_t n, size_t size);

#endif
