/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdarg.h>
#include <stdio.h>
#include <madkit/error.h>

int madkit_error_set(struct madkit_error *error, int code, int position,
		     const char *format, ...)
{
	va_list args;

	if (!error)
		return code;
	error->code = code;
	error->position = position;
	va_start(args, format);
	vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);
	/* what a person typed may hold anything; a terminal must not obey it */
	for (char *p = error->text; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
	return code;
}
