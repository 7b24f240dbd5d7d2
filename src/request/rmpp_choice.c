/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "rmpp_choice.h"

enum cli_rmpp rmpp_choice(const struct cli_options *o, uint8_t mgmt_class)
{
	if (!madkit_class_is_rmpp(mgmt_class))
		return RMPP_NONE;
	return o->rmpp == RMPP_DEFAULT ? RMPP_KERNEL : o->rmpp;
}

int rmpp_choice_check(const struct cli_options *o, uint8_t mgmt_class)
{
	char text[20];

	if (madkit_class_is_rmpp(mgmt_class))
		return EXIT_DONE;
	return cli_refuse(o, OPT_RMPP, "class %s has no RMPP", madkit_class_name(mgmt_class, text));
}

void rmpp_choice_put(enum cli_rmpp choice, struct madkit_agent_attr *attr)
{
	attr->rmpp_version = choice == RMPP_NONE ? 0 : MADKIT_RMPP_VERSION;
	attr->library_rmpp = choice == RMPP_USER;
}
