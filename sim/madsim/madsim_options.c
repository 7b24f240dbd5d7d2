/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options of madsim. */
#include "cli/options.h"
#include "madsim_options.h"
#include "util/array_size.h"

#define OPTIONS  struct madsim_options
#define SERVE    MODE_SERVE
#define CONTROL  MODE_CONTROL
#define GENERATE MODE_GENERATE
#define ALL      (SERVE | CONTROL | GENERATE)

/* clang-format off */
static const struct option_row madsim_rows[] = {
	OPTION_BANNER(SERVE, "print a line on standard error when the subnet is up"),
	{ 0, "socket", "PATH", "serve the fabric to many processes",
	  GROUP_OWN, SERVE, OPTION_STRING(socket_path) },
	{ 0, "node", "NODE", "run COMMAND on NODE: name, description or GUID",
	  GROUP_OWN, SERVE, OPTION_STRING(node) },
	{ 0, "sm", "NODE", "run the subnet manager on NODE (default: the last CA)",
	  GROUP_OWN, SERVE, OPTION_STRING(sm_node) },
	{ 0, "no-sm", NULL, "do not start a subnet manager",
	  GROUP_OWN, SERVE, OPTION_FLAG(no_sm) },
	{ 0, "sweep", "S", "seconds between sweeps (default 10; 0: only after traps)",
	  GROUP_OWN, SERVE, OPTION_NUMBER(sweep_s, 0, 86400), OPTION_HAVE(have_sweep) },
	{ 0, "hosts", "HAVE,..", "what hosts have: roce, planar, single (one CA each)",
	  GROUP_OWN, SERVE, OPTION_STRING(hosts) },
	{ 0, "seed", "N", "seed of random events (default 1)",
	  GROUP_OWN, SERVE, OPTION_NUMBER(seed, 0, UINT64_MAX), OPTION_HAVE(have_seed) },
	{ 0, "latency", "US", "delay of each cable in microseconds (default 0)",
	  GROUP_OWN, SERVE, OPTION_NUMBER(latency_us, 0, 1000000) },
	{ 0, "vl15", "VL15", "limit SMPs: BUFFERS a port, US each; or the word typical",
	  GROUP_OWN, SERVE, OPTION_STRING(vl15) },
	{ 0, "training", "MS", "duration of link training in milliseconds (default 0)",
	  GROUP_OWN, SERVE, OPTION_NUMBER(training_ms, 0, 3600000) },
	{ 0, "events", "FILE", "write events as JSON lines (-: standard output)",
	  GROUP_OWN, SERVE, OPTION_STRING(events) },
	{ 0, "control", "PATH", "control the madsim that serves at PATH",
	  GROUP_OWN, CONTROL, OPTION_STRING(control) },
	{ 0, "generate", "RULE", "print a topology: fat-tree:LEAVES,HOSTS,SPINES",
	  GROUP_OWN, GENERATE, OPTION_STRING(generate) },

	OPTION_DEADLINE(ALL, "give up if the subnet is not up; --socket: stop serving"),

	OPTIONS_HELP(ALL),
};
/* clang-format on */

static const struct option_form madsim_forms[] = {
	{ SERVE, NULL },
	{ CONTROL, "control" },
	{ GENERATE, "generate" },
};

const struct option_table program_options = {
	.bytes = sizeof(OPTIONS),
	.rows = madsim_rows,
	.n = ARRAY_SIZE(madsim_rows),
	.forms = madsim_forms,
	.nforms = ARRAY_SIZE(madsim_forms),
};
