/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* addr ADDRESS...: read LIDs and directed routes, and print them in the format of the
 * commands. */
#include <madkit/addr.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	char text[MADKIT_ADDR_TEXT_MAX];

	for (int i = 1; i < argc; i++) {
		struct madkit_addr addr = { .qp = 1 };
		struct madkit_error error;
		int ret;

		if (strchr(argv[i], ','))
			ret = madkit_parse_path(argv[i], &addr, &error);
		else
			ret = madkit_parse_lid(argv[i], &addr.lid, &error);
		if (ret) {
			fprintf(stderr, "addr: %s\n", error.text);
			return 2;
		}
		printf("%s\n", madkit_addr_text(&addr, text));
	}
	return 0;
}
