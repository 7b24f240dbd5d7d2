/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The words of a control command. */
#ifndef SIM_CONTROL_WORDS_H
#define SIM_CONTROL_WORDS_H

#include <stddef.h>

enum { CONTROL_WORDS_MAX = 32 };

struct control_words {
	const char *at[CONTROL_WORDS_MAX];
	size_t n;
};

#endif
