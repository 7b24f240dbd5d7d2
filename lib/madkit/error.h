/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_error - error messages for a person
 *
 * Functions that read input written by people return an error number and can fill in a struct
 * madkit_error, which describes the problem in one line of text.
 */
#ifndef MADKIT_ERROR_H
#define MADKIT_ERROR_H

#include <madkit/decls.h>

MADKIT_BEGIN_DECLS

/*
 * The reason of a failure. The caller owns it. A function fills it in only if it fails, and accepts
 * NULL if the caller needs no message.
 */
struct madkit_error {
	int code;     /* the negated errno value that the function returned */
	int position; /* offset of the offending byte in the input, or -1 */
	/* one line without a newline. Control characters, bidirectional controls and invalid UTF-8 are
	 * escaped as \xXX, so that the text is safe to print on a terminal. */
	char text[240];
	char word[72]; /* the name that the layout of the data does not have; "": another reason */
};

/*
 * madkit_error_set - fill in an error and return its code
 * @error:    error to fill in, or NULL
 * @code:     negated errno value
 * @position: offset of the offending byte in the input, or -1
 * @format:   printf(3) format of the text. The text is truncated if it is too long.
 * @...:      arguments of @format
 *
 * A function can end with "return madkit_error_set(...)".
 *
 * Return: @code.
 */
int madkit_error_set(struct madkit_error *error, int code, int position, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

MADKIT_END_DECLS
#endif
