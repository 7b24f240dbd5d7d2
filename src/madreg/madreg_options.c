/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options of madreg. */
#include "cli/options.h"
#include "madreg_options.h"
#include "subnet/subnet.h"
#include "util/array_size.h"

#define OPTIONS   struct madreg_options
#define REGISTER  MODE_REGISTER
#define LIST      MODE_LIST
#define REGISTERS MODE_REGISTERS
#define LOCAL     (REGISTER | LIST)
#define ALL       (LOCAL | REGISTERS)

/* clang-format off */
static const struct option_row madreg_rows[] = {
	OPTION_CLASS(REGISTER),
	OPTION_CLASS_VERSION(REGISTER),
	OPTION_OUI(REGISTER),
	OPTION_METHOD(REGISTER),
	{ 0, "list", NULL, "list ports and their devices",
	  GROUP_OWN, LIST, .take = NULL },
	{ 0, "registers", NULL, "check the registers of each type of device in the subnet",
	  GROUP_OWN, REGISTERS, .take = NULL },
	{ 0, "hold", NULL, "register until a signal, or while COMMAND runs",
	  GROUP_OWN, REGISTER, OPTION_FLAG(hold) },
	{ 0, "rmpp-version", "N", "1: use RMPP, in the kernel unless --user-rmpp (default 0)",
	  GROUP_OWN, REGISTER, OPTION_NUMBER(rmpp_version, 0, 255) },
	{ 0, "user-rmpp", NULL, "register with the flag for user-space RMPP",
	  GROUP_OWN, REGISTER, OPTION_FLAG(user_rmpp) },

	OPTIONS_PORT(ALL),
	OPTION_TIMEOUT(REGISTERS),
	OPTION_RETRIES(REGISTERS),
	OPTION_V_KEY(REGISTERS, "V_Key, or @FILE or @DIR with the keys of nodes", subnet_take_v_key),
	OPTION_DEADLINE(ALL, "give up after this time; with --hold: end the registration"),

	OPTIONS_FORMAT_OF(ALL, "text, table, csv or json", take_format),
	OPTION_PRETTY(ALL),
	OPTIONS_SELECT(LOCAL),
	OPTIONS_CAPTURE(REGISTER | REGISTERS),

	OPTIONS_CONFIG(REGISTER | REGISTERS),
	OPTION_QUIET(REGISTERS),
	OPTIONS_HELP(ALL),
};
/* clang-format on */

static const struct option_form madreg_forms[] = {
	{ REGISTER, NULL },
	{ LIST, "list" },
	{ REGISTERS, "registers" },
};

const struct option_table program_options = {
	.bytes = sizeof(OPTIONS),
	.rows = madreg_rows,
	.n = ARRAY_SIZE(madreg_rows),
	.forms = madreg_forms,
	.nforms = ARRAY_SIZE(madreg_forms),
};
