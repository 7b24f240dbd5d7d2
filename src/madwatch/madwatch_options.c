/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options of madwatch. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "cli/options.h"
#include "madwatch_options.h"
#include "util/array_size.h"

#define OPTIONS struct madwatch_options
#define WATCH   MODE_WATCH

/* Takes a time of at least a second: milliseconds, or a number with a unit. */
static int madwatch_take_span(const struct option_row *row, void *member, char *text,
			      struct madkit_error *error)
{
	static const struct {
		const char *name;
		uint32_t ms;
	} units[] = { { "", 1 }, { "ms", 1 }, { "s", 1000 }, { "min", 60000 }, { "h", 3600000 } };
	const size_t digits = strspn(text, "0123456789");
	uint64_t number;

	(void)row;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (!digits || strcmp(text + digits, units[i].name) != 0 ||
		    madkit_parse_number(text, digits, INT32_MAX / units[i].ms, "--every", &number, NULL))
			continue;
		if (number * units[i].ms < 1000)
			break;
		*(uint32_t *)member = (uint32_t)number * units[i].ms;
		return 0;
	}
	snprintf(error->text, sizeof(error->text),
		 "'%.40s' is not a time of at least 1s, such as 30s or 5min", text);
	return -EINVAL;
}

/* clang-format off */
static const struct option_row madwatch_rows[] = {
	{ 0, "every", "TIME", "look for changes without a trap this often (default 30s)",
	  GROUP_OWN, WATCH, .take = madwatch_take_span, .offset = offsetof(OPTIONS, every_ms) },
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
