/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdlib.h>
#include "command.h"

int main(int argc, char **argv)
{
	struct cli_options options;
	struct cli_words words;
	struct output out = { .capture_fd = -1 };
	int status;

	if (!cli_parse(&program.usage, argc, argv, &options, &words, &status)) {
		status = output_open(&out, &options);
		if (!status)
			status = program.run(&options, &words, &out);
		status = output_finish(&out, status);
	}
	output_close(&out);
	free(words.words);
	return status;
}
