/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options of madport. */
#include "cli/options.h"
#include "madport.h"
#include "util/array_size.h"

#define OPTIONS struct madport_options
#define PORT    MODE_PORT

/* clang-format off */
static const struct option_row madport_rows[] = {
	{ 'm', "mod", "PORT", "port of the node that PLACE or the destination names",
	  GROUP_OWN, PORT, OPTION_NUMBER(port, 0, 255), OPTION_HAVE(have_port) },
	{ 0, "yes", NULL, "change the port without a question",
	  GROUP_OWN, PORT, OPTION_FLAG(yes) },
	{ 0, "dry-run", NULL, "show the change, but do not make it",
	  GROUP_OWN, PORT, SHARED_FLAG(request.dry_run) },
	{ 0, "force", NULL, "also if this host or the subnet manager may lose the subnet",
	  GROUP_OWN, PORT, OPTION_FLAG(force) },

	OPTIONS_DESTINATION(PORT, PORT),
	OPTION_NODE_NAME_MAP(PORT),

	OPTIONS_PORT(PORT),
	OPTION_TIMEOUT(PORT),
	OPTION_RETRIES(PORT),
	OPTION_DEADLINE(PORT, "end after this time (default: 60 s for a link to train)"),
	OPTION_M_KEY(PORT, "M_Key, or @FILE or @DIR with the keys of ports", subnet_take_m_key),
	OPTION_V_KEY(PORT, "V_Key, or @FILE or @DIR with the keys of nodes", subnet_take_v_key),

	OPTIONS_FORMAT_OF(PORT, "text or json", take_format),
	OPTION_PRETTY(PORT),
	OPTION_COLOR(PORT),
	OPTIONS_CAPTURE(PORT),

	OPTIONS_CONFIG(PORT),
	OPTION_QUIET(PORT),
	OPTIONS_HELP(PORT),
};
/* clang-format on */

static const struct option_form madport_forms[] = {
	{ PORT, NULL },
};

const struct option_table program_options = {
	.bytes = sizeof(OPTIONS),
	.rows = madport_rows,
	.n = ARRAY_SIZE(madport_rows),
	.forms = madport_forms,
	.nforms = ARRAY_SIZE(madport_forms),
};
