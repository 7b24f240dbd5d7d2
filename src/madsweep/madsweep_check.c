/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <string.h>
#include "madsweep_check.h"
#include "route.h"
#include "util/array_size.h"

static int madsweep_check_topology(const struct madsweep_options *o)
{
	if (o->shared.port.ndevices > 1 ||
	    (o->shared.port.ndevices && !strcmp(o->shared.port.devices[0], "all")))
		return cli_usage_error("--topology writes one subnet: choose one port with --device");
	if (o->from && !strchr(o->from, ','))
		return cli_usage_error("--from %s: with --topology, a directed route such as 0,1", o->from);
	return EXIT_DONE;
}

static int madsweep_check_dot(const struct cli_options *o, const struct cli_words *w)
{
	static const char *const others[] = { "links", "sort", "fields", "route", "mlid", "errors", "clear" };

	if (w->nwords)
		return cli_usage_error("'%s' is an unexpected word: -f dot draws the links", w->words[0]);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (cli_refuse(o, others[i], "-f dot draws the links of nodes"))
			return EXIT_USAGE;
	return EXIT_DONE;
}

static int madsweep_check_prometheus(const struct cli_options *o)
{
	static const char *const others[] = { "links",  "sort",      "fields", "filter", "assert",
					      "route",  "delta",     "mlid",   "errors", "clear",
					      "pretty", "show-keys", "color",  "since" };

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (cli_refuse(o, others[i],
			       "-f prometheus has all counters of all ports; --select chooses ports"))
			return EXIT_USAGE;
	return EXIT_DONE;
}

/* Checks the options of --delta and --since. */
static int madsweep_check_delta(const struct cli_options *o, const struct cli_words *w)
{
	const struct madsweep_options *own = madsweep_options(o);
	const char *option = own->delta ? "delta" : "since";

	if (cli_refuse_without(o, "interval", "delta") || cli_refuse_without(o, "count", "delta"))
		return EXIT_USAGE;
	if (!own->delta && !own->since)
		return EXIT_DONE;
	if (own->delta && cli_refuse(o, "since", "--delta reads the counters twice"))
		return EXIT_USAGE;
	if (!w->nwords && !own->errors)
		return cli_refuse(o, option, "there is no METHOD ATTRIBUTE");
	if (o->output.format == FORMAT_HEX || o->output.format == FORMAT_RAW)
		return cli_usage_error("--%s is text, table, CSV or JSON", option);
	return cli_refuse(o, "mod", "--%s compares the counters of ports", option);
}

int madsweep_check(const struct cli_options *o, const struct cli_words *w)
{
	if (o->output.format == FORMAT_PROMETHEUS ? madsweep_check_prometheus(o) :
						    cli_refuse(o, "hca", "it needs -f prometheus") ||
							    cli_refuse(o, "output", "it needs -f prometheus"))
		return EXIT_USAGE;
	if (cli_refuse_without(o, "both", "route"))
		return EXIT_USAGE;
	if (cli_given(o, "top") && !cli_given(o, "sort"))
		return cli_usage_error("--top has no effect without --sort, as in --sort %s",
				       w->nwords || madsweep_options(o)->errors ? "-any_error" : "gbps");
	if ((w->nwords && cli_refuse(o, "links", "a request is sent to ports")) ||
	    (route_is_wanted(madsweep_options(o)) &&
	     cli_refuse(o, "links", "a route or tree has its own order")))
		return EXIT_USAGE;
	if (madsweep_options(o)->errors &&
	    (cli_refuse(o, "filter",
			"--errors chooses the lines; use Get PortCounters --filter 'any_error > 9'") ||
	     cli_refuse(o, "fields", "--errors chooses the lines") ||
	     cli_refuse(o, "links", "--errors has a line for each counter")))
		return EXIT_USAGE;
	if (w->nwords && madsweep_options(o)->errors)
		return cli_usage_error("'%s' is an unexpected word: --errors gets PortCounters", w->words[0]);
	if (w->nwords && o->mode == MODE_CLEAR)
		return cli_usage_error(
			"'%s' is an unexpected word: --clear resets all counters of an attribute",
			w->words[0]);
	if (w->nwords && o->mode != MODE_SWEEP)
		return cli_usage_error("'%s' is an unexpected word", w->words[0]);
	if (w->command || w->command_missing)
		return cli_usage_error("-- has no effect: madsweep runs no COMMAND");
	if (o->output.format == FORMAT_DOT)
		return madsweep_check_dot(o, w);
	if (o->mode == MODE_TOPOLOGY)
		return madsweep_check_topology(madsweep_options(o));
	if (o->mode == MODE_CLEAR && !madsweep_options(o)->select)
		return cli_usage_error("--clear needs --select: 'number > 0' selects all ports");
	if (!w->nwords && !madsweep_options(o)->errors && o->mode != MODE_CLEAR &&
	    (o->output.format == FORMAT_HEX || o->output.format == FORMAT_RAW))
		return cli_usage_error("there is no MAD to show: use text, table or JSON");
	return madsweep_check_delta(o, w);
}
