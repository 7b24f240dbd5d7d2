/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options of madsend. */
#include "cli/options.h"
#include "madsend_options.h"
#include "util/array_size.h"

#define OPTIONS  struct madsend_options
#define SEND     MODE_SEND
#define BATCH    MODE_BATCH
#define DESCRIBE MODE_DESCRIBE
#define REQUESTS (SEND | BATCH)
#define ALL      (REQUESTS | DESCRIBE)

/* clang-format off */
static const struct option_row madsend_rows[] = {
	OPTION_MOD(SEND, "attribute modifier: a port, a block; Get: also all, or 0-3,7"),
	OPTION_CLASS(SEND | DESCRIBE),
	OPTION_CLASS_VERSION(SEND),
	OPTION_OUI(REQUESTS),
	OPTION_COMP_MASK(SEND),
	OPTION_RMPP(REQUESTS),
	{ 0, "no-response", NULL, "do not wait for a response",
	  GROUP_OWN, REQUESTS, SHARED_FLAG(request.no_response) },
	{ 0, "dry-run", NULL, "print the MAD instead of sending it",
	  GROUP_OWN, REQUESTS, SHARED_FLAG(request.dry_run) },
	{ 0, "merge", NULL, "Set: get first, change only the given fields",
	  GROUP_OWN, SEND, SHARED_FLAG(request.merge) },
	{ 0, "zero-rest", NULL, "Set: zero every field that is not given",
	  GROUP_OWN, REQUESTS, SHARED_FLAG(request.zero_rest) },
	{ 0, "locate", NULL, "after a timeout, find the last node that responds",
	  GROUP_OWN, SEND, SHARED_FLAG(request.locate) },
	{ 0, "batch", "FILE", "send the JSON lines of FILE (- is standard input)",
	  GROUP_OWN, BATCH, OPTION_STRING(batch) },
	OPTION_WINDOW(BATCH, "size of the window of a batch (default 128)"),
	{ 0, "summary", NULL, "--batch: end with a line of totals",
	  GROUP_OWN, BATCH, OPTION_FLAG(summary) },
	{ 0, "describe", NULL, "list classes, attributes and fields",
	  GROUP_OWN, DESCRIBE, .take = NULL },
	OPTION_BANNER(BATCH, "print a line on standard error when ready"),

	OPTIONS_DESTINATION(REQUESTS, REQUESTS),
	OPTION_NODE_NAME_MAP(REQUESTS),
	OPTION_NAMES(REQUESTS),

	OPTIONS_PORT(REQUESTS),
	OPTION_SM_PORT(REQUESTS),
	OPTION_TIMEOUT(REQUESTS),
	OPTION_RETRIES(REQUESTS),
	OPTION_REDIRECTS(REQUESTS),
	OPTION_DEADLINE(ALL, "give up after this time (-1: never, 0: do not wait)"),
	OPTION_COUNT(SEND, "send the request N times, and print a summary"),
	OPTION_INTERVAL(SEND, "time from one request to the next (default 1000)"),
	OPTION_M_KEY(REQUESTS, "M_Key of SMPs (prompts if KEY is not a number)", take_m_key),
	OPTION_V_KEY(REQUESTS, "V_Key of registers (prompts if KEY is not a number)", take_v_key),
	OPTION_SM_KEY(REQUESTS),
	OPTIONS_PACKET(REQUESTS),
	OPTION_QP(REQUESTS),
	OPTIONS_GRH(REQUESTS),

	OPTIONS_FORMAT(ALL),
	OPTION_PRETTY(REQUESTS),
	OPTIONS_SELECT(REQUESTS),
	OPTIONS_CAPTURE(REQUESTS),

	OPTIONS_CONFIG(REQUESTS),
	OPTION_QUIET(REQUESTS),
	OPTION_VERBOSE(REQUESTS),
	OPTIONS_HELP(ALL),
};
/* clang-format on */

static const struct option_form madsend_forms[] = {
	{ SEND, NULL },
	{ BATCH, "batch" },
	{ DESCRIBE, "describe" },
};

const struct option_table program_options = {
	.bytes = sizeof(OPTIONS),
	.rows = madsend_rows,
	.n = ARRAY_SIZE(madsend_rows),
	.forms = madsend_forms,
	.nforms = ARRAY_SIZE(madsend_forms),
};
