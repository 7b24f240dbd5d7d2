/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* madport: shows both ends of a link, and changes one of them. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "cli/command.h"
#include "cli/options.h"
#include "cli/privileges.h"
#include "madport.h"
#include "util/array_size.h"

static const char *const synopsis[] = { "[PLACE] [options]", "[PLACE] disable|enable|reset [options]",
					"[PLACE] speed SPEED|auto [options]",
					"[PLACE] width WIDTH|auto [options]", NULL };

static const char help[] =
	"\nShows a port and the port at the other end of its cable: state, width, speed, MTU\n"
	"and counters of errors. PLACE is NAME/PORT or GUID/PORT, as madcheck and madsweep\n"
	"print it: leaf2/7. Without PLACE and without a destination, it is the port of this\n"
	"host. A change is shown before it is made, and the link is read again afterwards.\n";

static const char statuses[] =
	"Exit status: 0 the link is as good as both ends support, 1 local failure, 2 usage,\n"
	"3 no response, 4 refused, 6 no link, or it could be better. After a change: 0 it took\n"
	"effect, 2 it needs --yes or --force, 3 the link did not come up, 6 it was ignored.\n";

static const char *const actions[PORT_ACTIONS] = {
	[PORT_DISABLE] = "disable", [PORT_ENABLE] = "enable", [PORT_RESET] = "reset",
	[PORT_SPEED] = "speed",     [PORT_WIDTH] = "width",
};

/* Returns PORT_SHOW if the word is not an action. */
static enum port_action madport_action(const char *word)
{
	for (enum port_action i = PORT_DISABLE; i < PORT_ACTIONS; i++)
		if (!strcasecmp(word, actions[i]))
			return i;
	return PORT_SHOW;
}

/* Reads [PLACE] [ACTION [VALUE]]. Returns EXIT_DONE or EXIT_USAGE. */
static int madport_read(const struct cli_words *w, struct madport *m)
{
	int at = 0;

	if (w->nwords && !madport_action(w->words[0]))
		m->place = w->words[at++];
	if (at < w->nwords) {
		m->action = madport_action(w->words[at]);
		if (!m->action)
			return cli_usage_error("'%s' is not disable, enable, reset, speed or width",
					       w->words[at]);
		at++;
	}
	if (m->action >= PORT_SPEED) {
		if (at == w->nwords)
			return cli_usage_error("%s needs a value: %s", actions[m->action],
					       m->action == PORT_SPEED ? "EDR, or auto" : "4x, or auto");
		m->value = w->words[at++];
	}
	return at < w->nwords ? cli_usage_error("'%s' is an unexpected word", w->words[at]) : EXIT_DONE;
}

/* Checks if the whole subnet has to be swept to find the port. If this host is a switch, -m is one of its ports. */
static bool madport_needs_sweep(const struct madport *m)
{
	const bool local = m->options->have_port && !m->net.x.info->port;

	return m->place || m->action || (m->options->have_port && !local) ||
	       destination_given(&m->options->shared.to);
}

static int madport_do(struct madport *m)
{
	int status = EXIT_DONE;

	if (madport_needs_sweep(m))
		status = port_place_find(m);
	else if (!m->net.x.info->port && !m->options->port)
		status = exchange_fail(&m->net.x, EXIT_USAGE, 0, "%s is a switch: choose a port by -m",
				       m->net.x.info->device);
	if (status)
		return cli_stopped() ? cli_stopped_status() : exchange_report(&m->net.x, NULL, status);
	if (!m->action)
		return port_show(m);
	status = port_change(m);
	if (status)
		return status;
	/* the change took effect, whatever the link is like now */
	status = port_show(m);
	if (status == EXIT_LOCAL)
		cli_say("the change of %s was made before", m->act_place);
	return status == EXIT_NOTHING || status == EXIT_TIMEOUT ? EXIT_DONE : status;
}

static int madport_run(const struct cli_options *o, struct cli_words *w, struct output *out)
{
	struct subnet_common common = { .names = NULL };
	struct madport m = { .options = madport_options(o), .net.common = &common };
	char *specs[] = { NULL };
	const struct rails device = { specs, 1 };
	int status = madport_read(w, &m);

	if (!status)
		status = subnet_read_keys(&common, o);
	if (!status)
		status = subnet_open(&m.net, &device, 0, out, o, MADKIT_CLASS_SUBN_DR);
	privileges_drop(o);
	if (!status)
		status = madport_do(&m);
	madkit_sweep_free(m.whole);
	if (m.net.x.out)
		subnet_close(&m.net);
	subnet_common_free(&common);
	return status;
}

static int madport_check(const struct cli_options *o, const struct cli_words *w)
{
	struct madport m = { .place = NULL };

	if (w->command || w->command_missing)
		return cli_usage_error("-- has no effect: madport runs no COMMAND");
	if (madport_read(w, &m))
		return EXIT_USAGE;
	if (o->port.ndevices > 1)
		return cli_usage_error("more than one --device: also '%s'", o->port.devices[1]);
	if (m.place && destination_given(&o->to))
		return cli_usage_error("PLACE '%s' and a destination both name a port", m.place);
	if (o->output.format != FORMAT_TEXT && o->output.format != FORMAT_JSON)
		return cli_usage_error("madport shows text or JSON");
	if (!m.action &&
	    (cli_refuse(o, "yes", "nothing is changed") || cli_refuse(o, "force", "nothing is changed") ||
	     cli_refuse(o, "dry-run", "nothing is changed")))
		return EXIT_USAGE;
	return EXIT_DONE;
}

const struct command program = {
	.usage = {
		.program = "madport",
		.synopsis = synopsis,
		.text = help,
		.statuses = statuses,
		.options = &program_options,
		.check = madport_check,
	},
	.run = madport_run,
};
