/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* num NUMBER...: print the sum of the numbers. */
#include <madkit/num.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	struct madkit_error error;
	uint64_t sum = 0, value;

	for (int i = 1; i < argc; i++) {
		if (madkit_parse_number(argv[i], strlen(argv[i]), 0xffff, "number",
					&value, &error)) {
			fprintf(stderr, "num: %s\n", error.text);
			return 2;
		}
		sum += value;
	}
	printf("%" PRIu64 "\n", sum);
	return 0;
}
