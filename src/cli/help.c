/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --help and --version. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "options.h"
#include "util/array_size.h"
#include "wait.h"

static const char *const help_titles[] = {
	[GROUP_OWN] = "Options",
	[GROUP_DESTINATION] = "Destination",
	[GROUP_SENDING] = "Sending and waiting",
	[GROUP_OUTPUT] = "Output",
	[GROUP_GENERAL] = "General",
};

static const char help_statuses[] =
	"Exit status: 0 done, 1 local failure, 2 usage, 3 no response or MAD in time,\n"
	"4 non-zero MAD status, 5 malformed, 6 nothing to show or condition not met.\n";

static void help_group(struct madkit_buf *out, enum option_group group, const struct option_table *table)
{
	bool titled = false;

	for (size_t i = 0; i < table->n; i++) {
		const struct option_row *row = &table->rows[i];
		char head[64];

		if (row->group != group)
			continue;
		if (!titled)
			madkit_buf_printf(out, "\n%s:\n", help_titles[group]);
		titled = true;
		snprintf(head, sizeof(head), "%c%c%s --%s%s%s", row->letter ? '-' : ' ',
			 row->letter ? row->letter : ' ', row->letter ? "," : " ", row->name,
			 row->arg ? " " : "", row->arg ? row->arg : "");
		madkit_buf_printf(out, "  %-27s %s\n", head, row->help);
	}
}

int print_help(const struct cli_usage *usage)
{
	struct madkit_buf out;
	int ret;

	madkit_buf_init(&out, 0);
	for (const char *const *line = usage->synopsis; *line; line++)
		madkit_buf_printf(&out, "%s %s %s\n", line == usage->synopsis ? "Usage:" : "      ",
				  usage->program, *line);
	madkit_buf_printf(&out, "%s", usage->text);
	for (size_t g = 0; g < ARRAY_SIZE(help_titles); g++)
		help_group(&out, (enum option_group)g, usage->options);
	madkit_buf_str(&out, "\nLong options accept _ for -.\n");
	madkit_buf_printf(&out, "\n%s", usage->statuses ? usage->statuses : help_statuses);
	ret = out.error ? out.error : wait_write(STDOUT_FILENO, out.data, out.len);
	madkit_buf_free(&out);
	return ret ? cli_failed(ret, "cannot write to standard output") : EXIT_DONE;
}

int print_version(const char *program)
{
	char line[128];
	int n = snprintf(line, sizeof(line), "%s (madkit) %s\n", program, PACKAGE_VERSION);
	int ret = wait_write(STDOUT_FILENO, line, (size_t)n);

	return ret ? cli_failed(ret, "cannot write to standard output") : EXIT_DONE;
}
