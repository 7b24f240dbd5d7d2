/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* error WORD...: a parser that reports errors like those of the library. */
#include <madkit/error.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static int parse_width(const char *text, unsigned int *lanes, struct madkit_error *error)
{
	static const struct {
		const char *name;
		unsigned int lanes;
	} widths[] = {
		{ "1X", 1 }, { "2X", 2 }, { "4X", 4 }, { "8X", 8 }, { "12X", 12 },
	};

	for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
		if (!strcmp(text, widths[i].name)) {
			*lanes = widths[i].lanes;
			return 0;
		}
	}
	return madkit_error_set(error, -EINVAL, 0, "'%s' is no link width", text);
}

int main(int argc, char **argv)
{
	struct madkit_error error;
	unsigned int lanes;

	for (int i = 1; i < argc; i++) {
		if (parse_width(argv[i], &lanes, &error)) {
			fprintf(stderr, "error: %s\n", error.text);
			return 2;
		}
		printf("%u lanes\n", lanes);
	}
	return 0;
}
