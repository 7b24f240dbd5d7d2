/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* json_in <LINES: reads JSON lines into MADs, as madsend --batch does, and prints the number of messages. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <madkit/madkit.h>

int main(void)
{
	struct madkit_json_in *in = madkit_json_in_new();
	struct madkit_error error;
	unsigned long messages = 0;
	char *line = NULL;
	size_t room = 0;
	ssize_t n;

	while (in && (n = getline(&line, &room, stdin)) > 0) {
		int ret = madkit_json_in_line(in, line, (size_t)n, &error);

		if (ret < 0) {
			fprintf(stderr, "json_in: %s\n", error.text);
			return 1;
		}
		messages += (unsigned long)ret;
	}
	printf("%lu\n", messages);
	free(line);
	madkit_json_in_free(in);
	return 0;
}
