/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef UTIL_ERRNO_TEXT_H
#define UTIL_ERRNO_TEXT_H

/* A send status (a positive errno) in a few words, the same in every locale:
 * "timeout". */
const char *errno_text(int number);

#endif
