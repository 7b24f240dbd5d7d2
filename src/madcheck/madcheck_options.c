/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options of madcheck. */
#include "cli/options.h"
#include "madcheck_options.h"
#include "util/array_size.h"

#define OPTIONS  struct madcheck_options
#define SUBNET   MODE_CHECK
#define LOCAL    MODE_CHECK_LOCAL
#define RULES    MODE_RULES
#define CHECKING (SUBNET | LOCAL)
#define ALL      (CHECKING | RULES)

/* clang-format off */
static const struct option_row madcheck_rows[] = {
	{ 0, "rules", "A,B", "judge only these rules; standard: the default ones",
	  GROUP_OWN, CHECKING, OPTION_STRING(rules) },
	{ 0, "list-rules", NULL, "list the rules and their limits",
	  GROUP_OWN, RULES, .take = NULL },
	{ 0, "limits", "FILE", "other limits: lines RULE KEY VALUE",
	  GROUP_OWN, CHECKING, OPTION_STRING(limits) },
	{ 0, "accept", "FILE", "known deviations: lines RULE PLACE # reason",
	  GROUP_OWN, CHECKING, OPTION_STRING(accept) },
	{ 0, "write-accept", "FILE", "write the problems of today as known deviations",
	  GROUP_OWN, CHECKING, OPTION_STRING(write_accept) },
	{ 0, "for", "MS", "read counters of errors twice, so far apart (60s)",
	  GROUP_OWN, SUBNET, OPTION_TIME(window_ms, 1000, INT32_MAX), .hint = MADCHECK_LOCAL_HINT },
	{ 0, "since", "FILE", "rises from madsweep -j Get PortCountersExtended,PortCounters",
	  GROUP_OWN, SUBNET, OPTION_STRING(since), .hint = MADCHECK_LOCAL_HINT },
	{ 0, "severity", "LEVEL", "exit 6 from here on: info, warning (default) or critical",
	  GROUP_OWN, CHECKING, OPTION_STRING(severity) },
	{ 0, "state", "FILE", "keep which problems are open between runs",
	  GROUP_OWN, CHECKING, OPTION_STRING(state) },
	{ 0, "plan", "FILE", "also compare with a plan: madsweep -j, ibnetdiscover, CSV",
	  GROUP_OWN, SUBNET, OPTION_STRING(plan) },
	{ 0, "names", "FILE", "names in the plan: lines NAME NODE or NAME PORT NODE/PORT",
	  GROUP_OWN, SUBNET, OPTION_STRING(names) },
	{ 0, "scope", "GLOB", "differences to the plan only of nodes with such a name",
	  GROUP_OWN, SUBNET, OPTION_STRING(scope) },
	{ 0, "lids", NULL, "compare LIDs with the plan, too",
	  GROUP_OWN, SUBNET, OPTION_FLAG(lids) },
	{ 0, "local", NULL, "check only the ports of this host and the ports behind them",
	  GROUP_OWN, LOCAL, .take = NULL },
	{ 0, "expect", "NxGBPS", "--local: so many Active ports, of at least so many Gb/s",
	  GROUP_OWN, LOCAL, OPTION_STRING(expect) },
	{ 0, "all", NULL, "show each problem, also if many are alike",
	  GROUP_OWN, SUBNET, OPTION_FLAG(all) },
	{ 0, "nagios", NULL, "output and exit status of a plugin for Nagios",
	  GROUP_OWN, CHECKING, OPTION_FLAG(nagios) },
	{ 0, "keep-going", NULL, "ask new nodes even if three in a row are silent",
	  GROUP_OWN, SUBNET, OPTION_FLAG(subnet.keep_going) },
	OPTION_WINDOW(SUBNET, "SMPs outstanding at most (default 32)"),
	OPTION_RATE(SUBNET),

	OPTION_NODE_NAME_MAP(CHECKING),

	OPTIONS_PORT(CHECKING),
	OPTION_TIMEOUT(CHECKING),
	OPTION_RETRIES(CHECKING),
	OPTION_DEADLINE(CHECKING, "end after this time (-1: never)"),
	OPTION_M_KEY(CHECKING, "M_Key, or @FILE or @DIR with the keys of ports", subnet_take_m_key),
	OPTION_V_KEY(SUBNET, "V_Key of registers, or @FILE or @DIR with those of nodes", subnet_take_v_key),

	OPTIONS_FORMAT_OF(CHECKING, "text, table, csv or json", take_format),
	OPTION_PRETTY(CHECKING),
	OPTIONS_CHOICE(CHECKING),
	OPTION_COLOR(CHECKING),
	OPTIONS_CAPTURE(CHECKING),

	OPTIONS_CONFIG(CHECKING),
	OPTION_QUIET(CHECKING),
	OPTIONS_HELP(ALL),
};
/* clang-format on */

static const struct option_form madcheck_forms[] = {
	{ SUBNET, NULL },
	{ LOCAL, "local" },
	{ RULES, "list-rules" },
};

const struct option_table program_options = {
	.bytes = sizeof(OPTIONS),
	.rows = madcheck_rows,
	.n = ARRAY_SIZE(madcheck_rows),
	.forms = madcheck_forms,
	.nforms = ARRAY_SIZE(madcheck_forms),
};
