/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What went wrong, in words, for inputs that people write. */
#ifndef MADKIT_ERROR_H
#define MADKIT_ERROR_H

#include <madkit/decls.h>

MADKIT_BEGIN_DECLS

/*
 * Owned by the caller; a function that takes one fills it only when it fails,
 * and takes NULL for "no words wanted". text is one line without a final
 * newline. Control characters, bidirectional controls and invalid UTF-8 in it are escaped as
 * \xXX, so that it may be written to a terminal.
 */
struct madkit_error {
	int code;     /* -errno, as the function returned */
	int position; /* byte in the input where it went wrong, or -1 */
	char text[240];
};

/*
 * Fills error (NULL is fine) from a format of printf and returns code, so
 * that a function can end with "return madkit_error_set(...)". Text that is
 * too long is cut.
 */
int madkit_error_set(struct madkit_error *error, int code, int position, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

MADKIT_END_DECLS
#endif
