/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/array.h"

enum { INITIAL = 16 };

static int array_resize(void *array, uint32_t *cap, uint64_t want, size_t size)
{
	void *members;

	if (want > UINT32_MAX || want > SIZE_MAX / size)
		return -ENOMEM;
	/* array points to a pointer of any type */
	memcpy(&members, array, sizeof(members));
	members = realloc(members, (size_t)want * size);
	if (!members)
		return -ENOMEM;
	memcpy(array, &members, sizeof(members));
	*cap = (uint32_t)want;
	return 0;
}

int array_grow(void *array, uint32_t *cap, size_t used, size_t n, size_t size)
{
	uint64_t want = *cap ? *cap : INITIAL;

	if (n > UINT32_MAX)
		return -ENOMEM;
	while (want - used < n)
		want *= 2;
	return array_resize(array, cap, want, size);
}

int array_extend(void *array, uint32_t *cap, uint32_t want, size_t size, int fill)
{
	size_t had = *cap;
	int ret = want > had ? array_resize(array, cap, want, size) : 0;
	char *members;

	if (ret || want <= had)
		return ret;
	memcpy(&members, array, sizeof(members));
	memset(members + had * size, fill, (want - had) * size);
	return 0;
}
