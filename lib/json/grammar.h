/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* JSON as RFC 8259 defines it: json-c also accepts single quotes, NaN and control characters. */
#ifndef JSON_GRAMMAR_H
#define JSON_GRAMMAR_H

#include <stddef.h>
#include <madkit/error.h>

#define GRAMMAR_DEPTH_MAX 16	/* objects and arrays in each other; in a tag there is no limit */

/* The bytes of a line that are the value of its member "tag", without blanks around it. */
struct grammar_tag {
	size_t at, len;		/* len 0: the line has no tag, or none that is readable */
};

/*
 * Checks that the text is one object, and finds its tag. 0; -EINVAL: error has the column and what is
 * expected there, and the tag is set if the text is correct up to its end; -ENOMEM.
 */
int grammar_check(const char *text, size_t len, struct grammar_tag *tag,
		  struct madkit_error *error);

#endif
