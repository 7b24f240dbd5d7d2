/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdlib.h>
#include "command.h"
#include "options.h"

int main(int argc, char **argv)
{
	struct cli_options *options = calloc(1, program.usage.options->bytes);
	struct cli_words words = { .words = NULL };
	struct output out = { .capture_fd = -1 };
	int status;

	if (!options) {
		cli_begin(program.usage.program);
		status = cli_no_memory();
	} else if (!cli_parse(&program.usage, argc, argv, options, &words, &status)) {
		status = output_open(&out, options);
		if (!status)
			status = program.run(options, &words, &out);
		status = output_finish(&out, status);
	}
	if (program.usage.outcome)
		status = program.usage.outcome(argv, status);
	output_close(&out);
	free(words.words);
	free(options);
	return status;
}
