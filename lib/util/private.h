/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions of libmadkit that libmadkit-sim or madsim calls, but that are not public. Each is declared with
 * MADKIT_PRIVATE(its name) and listed in lib/libmadkit.sym under MADKIT_PRIVATE. The symbol has a prefix, so
 * that no function of a program can replace it.
 */
#ifndef UTIL_PRIVATE_H
#define UTIL_PRIVATE_H

#define MADKIT_PRIVATE(name) __asm__("madkit_private_" #name) __attribute__((visibility("default")))

#endif
