/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options of madpoll. */
#include "cli/options.h"
#include "util/array_size.h"

#define AWAIT MODE_AWAIT
#define UNTIL MODE_UNTIL
#define DELTA MODE_DELTA
#define WORDS (UNTIL | DELTA)
#define ALL   (AWAIT | WORDS)

/* clang-format off */
static const struct option_row madpoll_rows[] = {
	OPTION_MOD(WORDS, "attribute modifier: a port, a block ..."),
	OPTION_CLASS(ALL),
	OPTION_CLASS_VERSION(ALL),
	OPTION_OUI(AWAIT | UNTIL),
	OPTION_METHOD(AWAIT),
	OPTION_COMP_MASK(UNTIL),
	OPTION_RMPP(AWAIT | UNTIL),
	{ 0, "until", "EXPR", "repeat the request until EXPR holds",
	  GROUP_OWN, UNTIL, SHARED_STRING(request.until) },
	{ 0, "delta", NULL, "show differences and rates of the counters",
	  GROUP_OWN, DELTA, .take = NULL },

	OPTIONS_DESTINATION(WORDS, UNTIL),
	OPTION_NODE_NAME_MAP(WORDS),
	OPTION_NAMES(UNTIL),

	OPTIONS_PORT(ALL),
	OPTION_SM_PORT(WORDS),
	OPTION_TIMEOUT(WORDS),
	OPTION_RETRIES(WORDS),
	OPTION_REDIRECTS(WORDS),
	OPTION_DEADLINE(ALL, "give up after this time (-1: never, 0: do not wait)"),
	OPTION_COUNT(ALL, "stop after N requests (--class, --until) or differences"),
	OPTION_INTERVAL(WORDS, "time from one request to the next (default 1000)"),
	OPTION_M_KEY(UNTIL, "M_Key of SMPs (prompts if KEY is not a number)", take_m_key),
	OPTION_V_KEY(WORDS, "V_Key of registers (prompts if KEY is not a number)", take_v_key),
	OPTION_SM_KEY(WORDS),
	OPTIONS_PACKET(WORDS),
	OPTION_QP(WORDS),
	OPTIONS_GRH(WORDS),

	OPTIONS_FORMAT(ALL),
	OPTION_PRETTY(ALL),
	OPTIONS_SELECT(ALL),
	OPTIONS_CAPTURE(ALL),

	OPTIONS_CONFIG(ALL),
	OPTION_QUIET(ALL),
	OPTION_VERBOSE(ALL),
	OPTIONS_HELP(ALL),
};
/* clang-format on */

static const struct option_form madpoll_forms[] = {
	{ AWAIT, NULL },
	{ UNTIL, "until" },
	{ DELTA, "delta" },
};

const struct option_table program_options = {
	.bytes = sizeof(struct cli_options),
	.rows = madpoll_rows,
	.n = ARRAY_SIZE(madpoll_rows),
	.forms = madpoll_forms,
	.nforms = ARRAY_SIZE(madpoll_forms),
};
