/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef UTIL_ARRAY_SIZE_H
#define UTIL_ARRAY_SIZE_H

/* The number of elements of an array. Compilers warn if it is a pointer. */
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* Iterates over the first n members of an array. */
#define array_each(type, member, array, n) \
	for (type *member = (array), *member##_end = (n) ? member + (n) : member; member < member##_end; \
	     member++)

#endif
