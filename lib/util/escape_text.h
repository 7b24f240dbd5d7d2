/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef UTIL_ESCAPE_TEXT_H
#define UTIL_ESCAPE_TEXT_H

#include <stddef.h>

/* madkit_text_escape() into room bytes with a NUL, without memory: what does not fit is omitted. */
void escape_text_into(char *out, size_t room, const char *text);

#endif
