/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options of madwatch. */
#include "cli/options.h"
#include "madwatch_options.h"
#include "util/array_size.h"

#define OPTIONS struct madwatch_options
#define WATCH   MODE_WATCH

/* clang-format off */
static const struct option_row madwatch_rows[] = {
	{ 0, "every", "TIME", "look for changes without a trap this often (default 30s)",
	  GROUP_OWN, WATCH, OPTION_TIME(every_ms, 1000, INT32_MAX) },
	{ 0, "state", "FILE", "store the state between runs, and report changes in between",
	  GROUP_OWN, WATCH, OPTION_STRING(state) },
	{ 0, "keep-going", NULL, "ask new nodes even if three in a row are silent",
	  GROUP_OWN, WATCH, OPTION_FLAG(subnet.keep_going) },
	OPTION_WINDOW(WATCH, "SMPs outstanding at most in the first sweep (default 32)"),
	{ 0, "rate", "N", "MADs per second at most (default 500, after the first sweep)",
	  GROUP_OWN, WATCH, SHARED_NUMBER(timing.rate, 1, MADKIT_PORT_MAD_RATE_MAX) },
	OPTION_BANNER(WATCH, "print a line on standard error when ready"),

	OPTION_NODE_NAME_MAP(WATCH),

	OPTIONS_PORT(WATCH),
	OPTION_TIMEOUT(WATCH),
	OPTION_RETRIES(WATCH),
	OPTION_DEADLINE(WATCH, "end after this time (-1: never)"),
	OPTION_M_KEY(WATCH, "M_Key, or @FILE or @DIR with the keys of ports", subnet_take_m_key),
	OPTION_SM_KEY(WATCH),

	OPTIONS_FORMAT_OF(WATCH, "text or json", take_format),
	OPTION_PRETTY(WATCH),
	OPTIONS_CHOICE(WATCH),
	OPTION_COLOR(WATCH),
	OPTIONS_CAPTURE(WATCH),

	OPTIONS_CONFIG(WATCH),
	OPTION_QUIET(WATCH),
	OPTIONS_HELP(WATCH),
};
/* clang-format on */

static const struct option_form madwatch_forms[] = {
	{ WATCH, NULL },
};

const struct option_table program_options = {
	.bytes = sizeof(OPTIONS),
	.rows = madwatch_rows,
	.n = ARRAY_SIZE(madwatch_rows),
	.forms = madwatch_forms,
	.nforms = ARRAY_SIZE(madwatch_forms),
};
