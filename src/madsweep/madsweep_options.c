/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options of madsweep. */
#include <string.h>
#include "cli/options.h"
#include "madsweep_options.h"
#include "util/array_size.h"

#define OPTIONS   struct madsweep_options
#define SWEEP     MODE_SWEEP
#define CLEAR     MODE_CLEAR
#define TOPOLOGY  MODE_TOPOLOGY
#define SURVEYING (SWEEP | CLEAR)
#define ALL       (SURVEYING | TOPOLOGY)

/* As take_format(), and "dot" and "prometheus". */
static int madsweep_take_format(const struct option_row *row, void *member, char *text,
				struct madkit_error *error)
{
	const bool dot = !strcmp(text, "dot");

	if (!dot && strcmp(text, "prometheus") != 0)
		return take_format(row, member, text, error);
	((struct output_options *)member)->format = dot ? FORMAT_DOT : FORMAT_PROMETHEUS;
	return 0;
}

/* clang-format off */
static const struct option_row madsweep_rows[] = {
	OPTION_MOD(SWEEP, "blocks of a table: all, or 0-3,7"),
	OPTION_CLASS(SURVEYING),
	OPTION_OUI(SWEEP),
	OPTION_WINDOW(ALL, "SMPs outstanding at most (default 32)"),
	OPTION_RATE(ALL),
	{ 0, "select", "EXPR", "only ports for which EXPR holds",
	  GROUP_OWN, SURVEYING, OPTION_STRING(select) },
	{ 0, "from", "NODE", "begin at a directed route (0,1), LID, GUID or name",
	  GROUP_OWN, ALL, OPTION_STRING(from) },
	{ 0, "route", "A,B", "ports along the route from A to B (LID, GUID or name)",
	  GROUP_OWN, SURVEYING, OPTION_STRING(route) },
	{ 0, "both", NULL, "--route: also the route back",
	  GROUP_OWN, SURVEYING, OPTION_FLAG(both) },
	{ 0, "mlid", "LID", "ports of the tree of a multicast group",
	  GROUP_OWN, SURVEYING, OPTION_NUMBER(mlid, 0xc000, 0xfffe) },
	{ 0, "links", NULL, "one line for each cable, the end at a switch first",
	  GROUP_OWN, SWEEP, OPTION_FLAG(links) },
	{ 0, "errors", NULL, "one line for each counter of errors that is not 0",
	  GROUP_OWN, SWEEP, OPTION_FLAG(errors) },
	{ 0, "delta", NULL, "how the counters change between two readings (-i, -n)",
	  GROUP_OWN, SWEEP, OPTION_FLAG(delta) },
	{ 0, "plane", "N", "registers: of this plane of the port (XDR); 0: of all",
	  GROUP_OWN, SWEEP, OPTION_NUMBER(plane, 0, 15), OPTION_HAVE(have_plane) },
	{ 0, "since", "FILE", "how they have changed since a run with -j (-: stdin)",
	  GROUP_OWN, SWEEP, OPTION_STRING(since) },
	{ 0, "behind", "PLACE", "ports of hosts that a switch reaches by a port (leaf2/7)",
	  GROUP_OWN, SURVEYING, OPTION_STRING(behind) },
	{ 0, "hops", "N", "only nodes at most N links away",
	  GROUP_OWN, ALL, OPTION_NUMBER(hops, 1, 63), OPTION_HAVE(have_hops) },
	{ 0, "via", "SOURCE", "smp: directed routes (default); sa: the tables of the SA",
	  GROUP_OWN, ALL, OPTION_STRING(subnet.via) },
	{ 0, "sort", "BY", "order: name, guid (default of JSON), FIELD or -FIELD",
	  GROUP_OWN, SWEEP, OPTION_STRING(sort) },
	{ 0, "top", "N", "only the first N ports of each subnet in the order of --sort",
	  GROUP_OWN, SWEEP, OPTION_NUMBER(top, 1, UINT32_MAX) },
	{ 0, "strict", NULL, "exit 3 if a node or port is silent; so does --assert",
	  GROUP_OWN, ALL, OPTION_FLAG(strict) },
	{ 0, "keep-going", NULL, "ask new nodes even if three in a row are silent",
	  GROUP_OWN, ALL, OPTION_FLAG(subnet.keep_going) },
	{ 0, "hca", NULL, "-f prometheus: also ports of channel adapters",
	  GROUP_OWN, SWEEP, OPTION_FLAG(hca) },
	{ 0, "output", "FILE", "-f prometheus: replace FILE when the metrics are complete",
	  GROUP_OWN, SWEEP, OPTION_STRING(output) },
	{ 0, "clear", "ATTRIBUTE", "reset the counters of the selected ports; also A,B",
	  GROUP_OWN, CLEAR, OPTION_STRING(clear) },
	{ 0, "yes", NULL, "--clear: do not ask",
	  GROUP_OWN, CLEAR, OPTION_FLAG(yes) },
	{ 0, "topology", NULL, "print nodes and links as ibnetdiscover does",
	  GROUP_OWN, TOPOLOGY, .take = NULL },

	OPTION_NODE_NAME_MAP(ALL),

	OPTIONS_PORT(ALL),
	OPTION_SM_PORT(SURVEYING),
	OPTION_TIMEOUT(ALL),
	OPTION_RETRIES(ALL),
	OPTION_DEADLINE(ALL, "end after this time (-1: never)"),
	OPTION_COUNT(SWEEP, "--delta: show N differences (default 1)"),
	OPTION_INTERVAL(SWEEP, "--delta: time from one reading to the next (default 1000)"),
	OPTION_M_KEY(ALL, "M_Key, or @FILE or @DIR with the keys of ports", subnet_take_m_key),
	OPTION_V_KEY(SWEEP, "V_Key of registers, or @FILE or @DIR with those of nodes", subnet_take_v_key),
	OPTION_SM_KEY(ALL),
	OPTIONS_PACKET(SURVEYING),

	OPTIONS_FORMAT_OF(SURVEYING, "text, table, csv, json, hex, raw, prometheus; of links: dot", madsweep_take_format),
	OPTION_PRETTY(SURVEYING),
	OPTION_COLOR(SWEEP),
	OPTIONS_SELECT(SWEEP),
	OPTIONS_CAPTURE(ALL),

	OPTIONS_CONFIG(ALL),
	OPTION_QUIET(ALL),
	OPTION_VERBOSE(SURVEYING),
	OPTIONS_HELP(ALL),
};
/* clang-format on */

static const struct option_form madsweep_forms[] = {
	{ SWEEP, NULL },
	{ CLEAR, "clear" },
	{ TOPOLOGY, "topology" },
};

const struct option_table program_options = {
	.bytes = sizeof(OPTIONS),
	.rows = madsweep_rows,
	.n = ARRAY_SIZE(madsweep_rows),
	.forms = madsweep_forms,
	.nforms = ARRAY_SIZE(madsweep_forms),
};
