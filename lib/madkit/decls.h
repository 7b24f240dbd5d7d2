/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * MADKIT_BEGIN_DECLS and MADKIT_END_DECLS enclose the declarations of each public header: they give
 * functions C linkage in C++, and default visibility in the library, which is built with hidden
 * visibility.
 */
#ifndef MADKIT_DECLS_H
#define MADKIT_DECLS_H

#include <time.h>

/* The library is built with a 64-bit time_t, so that its struct timespec has 64-bit seconds. */
#if defined(__GLIBC__) && defined(__TIMESIZE) && __TIMESIZE == 32 && !defined(__USE_TIME_BITS64)
#error "madkit needs a 64-bit time_t: use the flags of pkg-config --cflags libmadkit"
#endif

#ifdef __cplusplus
#define MADKIT_EXTERN_BEGIN extern "C" {
#define MADKIT_EXTERN_END   }
#else
#define MADKIT_EXTERN_BEGIN
#define MADKIT_EXTERN_END
#endif

#define MADKIT_BEGIN_DECLS \
	MADKIT_EXTERN_BEGIN \
	_Pragma("GCC visibility push(default)")
#define MADKIT_END_DECLS _Pragma("GCC visibility pop") MADKIT_EXTERN_END

#endif
