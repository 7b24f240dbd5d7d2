/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "sim/array.h"

enum { INITIAL = 16 };

int array_room(void *array, uint32_t *cap, uint32_t used, uint32_t n, size_t size)
{
	uint64_t want = *cap ? *cap : INITIAL;
	void *members;

	if (*cap - used >= n)
		return 0;
	while (want - used < n)
		want *= 2;
	if (want > UINT32_MAX)
		return -ENOMEM;
	/* a pointer of any type lies there */
	memcpy(&members, array, sizeof(members));
	members = realloc(members, (size_t)want * size);
	if (!members)
		return -ENOMEM;
	memcpy(array, &members, sizeof(members));
	*cap = (uint32_t)want;
	return 0;
}
