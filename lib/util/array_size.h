/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef UTIL_ARRAY_SIZE_H
#define UTIL_ARRAY_SIZE_H

/* The number of elements of an array; not of a pointer, for which compilers warn. */
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#endif
