/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads a line with lib/json's scanner and with json-c: they have to agree, except for what only lib/json refuses. */
#include <stdint.h>
#include <stdio.h>
#include "tests/json_oracle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json_tokens tokens = { .tag_len = 0 };
	struct madkit_error error;
	const char *what = NULL;

	if (size > ORACLE_DEPTH)
		return 0;
	/* the second time with the memory of the first */
	for (int i = 0; i < 2 && !what; i++)
		what = oracle_differ(&tokens, (const char *)data, size, &error);
	tokens_free(&tokens);
	if (what) {
		fprintf(stderr, "%s: '%.*s' (%s)\n", what, (int)size, (const char *)data, error.text);
		abort();
	}
	return 0;
}
