/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How much of what is tried at random is tried in CI and on another processor (tests/cross): one case in RANDOM_SHARE. It is best a prime number, so
 * that each kind of a case has its turn. */
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
