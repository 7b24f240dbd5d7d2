/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Fills in a struct madkit_error. */
#include <stdarg.h>
#include <stdio.h>
#include <madkit/error.h>
#include "util/escape.h"

int madkit_error_set(struct madkit_error *error, int code, int position, const char *format, ...)
{
	char text[sizeof(error->text)];
	va_list args;

	if (!error)
		return code;
	error->code = code;
	error->position = position;
	error->word[0] = 0;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	/* text from people and from the fabric: a terminal must not interpret it */
	escape_text_into(error->text, sizeof(error->text), text);
	return code;
}
