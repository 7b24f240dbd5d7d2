/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --help and --version. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "option_table.h"
#include "wait.h"

static const struct {
	unsigned int sets;
	const char *title;
} help_groups[] = {
	{ SET_SEND | SET_CLASS | SET_METHODS | SET_MADSEND | SET_MADRECV |
	  SET_MADPOLL | SET_MADREG | SET_MADSIM, "Options" },
	{ SET_DEST, "Destination" },
	{ SET_PORT | SET_REQUEST | SET_DEADLINE | SET_COUNT | SET_INTERVAL,
	  "Sending and waiting" },
	{ SET_OUTPUT | SET_MADS, "Output" },
	{ SET_GENERAL, "General" },
};

/* The options of a group that are in one of those sets, and in none of these. */
static void print_options(struct madkit_buf *out, const char *title,
			  unsigned int group, unsigned int in, unsigned int but_not)
{
	bool titled = false;

	for (size_t i = 0; i < n_option_defs; i++) {
		const struct option_def *def = &option_defs[i];
		char head[64];

		if (!(def->sets & group) || !(def->sets & in) || (def->sets & but_not))
			continue;
		if (!titled)
			madkit_buf_printf(out, "\n%s:\n", title);
		titled = true;
		snprintf(head, sizeof(head), "%c%c%s --%s%s%s",
			 def->id < OPT_LONG ? '-' : ' ',
			 def->id < OPT_LONG ? def->id : ' ',
			 def->id < OPT_LONG ? "," : " ", def->name,
			 def->arg ? " " : "", def->arg ? def->arg : "");
		madkit_buf_printf(out, "  %-27s %s\n", head, def->help);
	}
}

int print_help(const struct cli_usage *usage)
{
	struct madkit_buf out;
	int ret;

	madkit_buf_init(&out, 0);
	for (const char *const *line = usage->synopsis; *line; line++)
		madkit_buf_printf(&out, "%s %s %s\n",
				  line == usage->synopsis ? "Usage:" : "      ",
				  usage->program, *line);
	madkit_buf_printf(&out, "%s", usage->text);
	for (size_t g = 0; g < sizeof(help_groups) / sizeof(help_groups[0]); g++)
		print_options(&out, help_groups[g].title, help_groups[g].sets,
			      usage->sets, 0);
	print_options(&out, "Accepted, without effect here", SET_COMMON, SET_COMMON,
		      usage->sets);
	madkit_buf_str(&out,
		"\nExit status: 0 done, 1 local failure, 2 usage, 3 no response in time,\n"
		"4 the MAD came back with a status, 5 damaged or cut, 6 nothing to show.\n");
	ret = out.error ? out.error : wait_write(STDOUT_FILENO, out.data, out.len);
	madkit_buf_free(&out);
	return ret ? cli_failed(ret, "cannot write to standard output") : EXIT_DONE;
}

int print_version(const char *program)
{
	char line[128];
	int n = snprintf(line, sizeof(line), "%s (madkit) %s\n", program,
			 PACKAGE_VERSION);
	int ret = wait_write(STDOUT_FILENO, line, (size_t)n);

	return ret ? cli_failed(ret, "cannot write to standard output") : EXIT_DONE;
}
