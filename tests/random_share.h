/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The share of random cases that CI and tests/cross run: one case in RANDOM_SHARE. Use a prime number, so
 * that each kind of case has its turn. */
#ifndef TESTS_RANDOM_SHARE_H
#define TESTS_RANDOM_SHARE_H

#include <stdlib.h>

static inline unsigned int random_share(void)
{
	const char *share = getenv("RANDOM_SHARE");
	int n = share ? atoi(share) : 1;

	return n > 1 ? (unsigned int)n : 1;
}

#endif
