/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* JSON as RFC 8259 has it: json-c takes single quotes, NaN and control characters too. */
#ifndef JSON_GRAMMAR_H
#define JSON_GRAMMAR_H

#include <stddef.h>
#include <madkit/error.h>

/* 0 if the text is one object; else -EINVAL: error says at which column what should be. */
int grammar_check(const char *text, size_t len, struct madkit_error *error);

#endif
