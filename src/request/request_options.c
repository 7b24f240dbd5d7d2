/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "request_args.h"

/* Options of SA requests: the request itself, and those that resolve its destination. */
static int check_sa(const struct cli_options *o, const struct request *r, const char *class)
{
	bool sa = r->header.mgmt_class == MADKIT_CLASS_SA;
	int status = EXIT_DONE;

	/* the SA is queried, too */
	if (destination_is_resolved(&o->to) || cli_flag(o, OPT_NAMES) || o->node_name_map)
		return EXIT_DONE;
	if (!sa)
		status = cli_refuse(o, OPT_SM_KEY, "class %s has no SM_Key", class);
	if (!status && sa && destination_given(&o->to))
		return cli_refuse(o, OPT_SM_PORT, "the destination is given");
	return status || r->to_manager ? status :
					 cli_refuse(o, OPT_SM_PORT, "nothing is sent to the subnet manager");
}

/* A message of several segments is resent without a response, too: until it is acknowledged. */
static int check_waiting(const struct cli_options *o, const struct request *r)
{
	static const char why[] = "no response is awaited";
	bool resent = r->len > madkit_mad_bytes(r->header.base_version) || destination_is_resolved(&o->to);
	int status = cli_refuse(o, OPT_REDIRECTS, why);

	if (!status)
		status = cli_refuse(o, OPT_LOCATE, why);
	if (!status && !resent)
		status = cli_refuse(o, OPT_TIMEOUT, why);
	return status || resent ? status : cli_refuse(o, OPT_RETRIES, why);
}

/* Names are looked up by LID. */
static int check_name_options(const struct cli_options *o, const struct request *r)
{
	static const char direct[] = "nodes on a directed route are shown without a name";
	int status = r->to.direct ? cli_refuse(o, OPT_NAMES, direct) : EXIT_DONE;

	if (!status && r->to.direct)
		status = cli_refuse(o, OPT_NODE_NAME_MAP, direct);
	return status;
}

int request_check_options(const struct cli_options *o, const struct request *r)
{
	char text[20];
	const char *class = madkit_class_name(r->header.mgmt_class, text);
	int status = check_name_options(o, r);

	if (!status)
		status = check_sa(o, r, class);
	if (!status && !r->smp)
		status = cli_refuse(o, OPT_M_KEY, "class %s has no M_Key", class);
	/* kernel drivers take the index from a send on QP1 only */
	if (!status && r->smp)
		status = cli_refuse(o, OPT_PKEY_INDEX, "queue pair 0, which sends class %s, does not use it",
				    class);
	if (!status && r->smp)
		status = cli_refuse(o, OPT_REDIRECTS, "class %s has no redirection", class);
	if (!status && !request_waits(r->header.method))
		status = cli_refuse(o, OPT_NO_RESPONSE, "%s has no response anyway", r->method_name);
	return status || r->expects_response || cli_flag(o, OPT_MERGE) ? status : check_waiting(o, r);
}
