/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* madcheck: judges the health of a subnet, or of the ports of this host, by rules. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "accept.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/privileges.h"
#include "cli/wait.h"
#include "local.h"
#include "plan.h"
#include "report.h"
#include "state.h"
#include "subnet/gaps.h"
#include "util/array_size.h"

static const char *const synopsis[] = { "[options]", "--local [--expect NxGBPS] [options]", "--list-rules",
					NULL };

static const char help[] =
	"\nReads a subnet by directed routes and prints a verdict, then one line for each problem.\n"
	"--local reads only the ports of this host and the ports behind their cables.\n"
	"It changes nothing. Run it on one node, not on every node of a cluster, unless\n"
	"--local is given.\n";

static const char statuses[] =
	"Exit status: 0 no problem of --severity or above, 1 local failure, 2 usage, 3 no\n"
	"problem found, but not everything was judged, 6 problems. With --nagios: 0 OK,\n"
	"1 warnings, 2 critical, 3 unknown.\n";

/* ---- a subnet ---------------------------------------------------------------------------- */

/* Sweeps a subnet and judges it. */
static int check_sweep(struct check *c, struct check_net *n, const char *spec)
{
	int status = subnet_begin(&n->net, 0);

	if (status)
		return subnet_fail(&n->net, spec, status);
	status = subnet_run(&n->net);
	if (status && !cli_stopped())
		return exchange_report(&n->net.x, NULL, status);
	if (c->earlier && !n->net.counts.missing) {
		status = baseline_check_subnet(c->earlier, n->net.sweep);
		if (status)
			return status;
	}
	return judge_subnet(&n->net, &c->settings, &n->judged);
}

/* Opens port i of the list, sweeps its subnet, unless that of another port is the same, and judges it. */
static int check_rail(struct check *c, struct subnet_common *common, const struct rails *list, size_t i,
		      struct output *out)
{
	const struct cli_options *o = &c->options->shared;
	struct check_net *n = &c->nets[i];
	int status;

	n->net.common = common;
	status = subnet_open(&n->net, list, i, out, o, MADKIT_CLASS_SUBN_DR);
	if (status)
		return status;
	n->net.begins_ns = madkit_port_now(n->net.x.port);
	for (size_t j = 0; j < i; j++)
		if (c->nets[j].net.sweep && rails_reached(c->nets[j].net.sweep, n->net.x.info)) {
			cli_say("%s is in the subnet of %s", n->net.x.info->device,
				c->nets[j].net.x.info->device);
			n->skipped = true;
			return EXIT_DONE;
		}
	/* the next device is opened after this subnet has been swept */
	if (i + 1 == list->n)
		privileges_drop(o);
	return check_sweep(c, n, list->specs[i]);
}

static int check_subnets(struct check *c, struct subnet_common *common, struct output *out)
{
	struct rails list = { .n = 0 };
	int result = rails_list(&c->options->shared, &list);

	if (!result)
		c->nets = calloc(list.n, sizeof(*c->nets));
	if (!result && !c->nets)
		result = cli_no_memory();
	for (size_t i = 0; !result && i < list.n; i++) {
		c->nnets = i + 1;
		c->nets[i].status = check_rail(c, common, &list, i, out);
		if (cli_stopped() || out->status)
			break;
	}
	rails_free(&list);
	return result;
}

/* ---- all subnets ---------------------------------------------------------------------------- */

/* Checks if a node that was asked for registers does not respond. */
static bool check_has_silent(const struct check_net *n)
{
	for (uint32_t i = 0; i < n->net.counts.nodes; i++)
		if (madkit_registers_get(n->judged.registers, i).state == MADKIT_REGISTERS_SILENT)
			return true;
	return false;
}

/* Reports that rules could not judge some ports, and names one. */
static void check_report_unjudged(const struct check_net *n, uint32_t count)
{
	const struct madkit_unjudged *first;
	struct madkit_buf place;
	size_t i = 0;

	while ((first = madkit_health_unjudged(n->judged.health, i)) && first->lacks)
		i++;
	if (!first)
		return;

	madkit_buf_init(&place, 0);
	madkit_sweep_put_place(n->net.sweep, &place, first->at.node, first->at.port);
	cli_say("%" PRIu32 " %s not judged, such as %.*s by the rule %s: %s", count,
		count == 1 ? "port" : "ports", (int)place.len, place.len ? place.data : "", first->rule->name,
		first->why);
	madkit_buf_free(&place);
	if (check_has_silent(n))
		request_hint_v_key();
}

/* Reports why a subnet was not read as a whole. Silent nodes are problems. */
static void check_report_gaps(struct check *c, const struct check_net *n)
{
	struct gaps gaps = { .missing = n->net.counts.missing, .port = n->net.x.info };
	struct madkit_health_counts counts = { .unjudged = 0 };

	if (n->judged.health)
		madkit_health_count(n->judged.health, &counts);
	if (!n->own && !n->skipped) {
		c->cut |= !n->net.sweep || gaps.missing || n->judged.cut;
		c->unjudged |= c->cut || counts.unjudged;
	}
	/* if the check was cut, there are others */
	if (counts.unjudged && !n->judged.cut && !n->unchecked)
		check_report_unjudged(n, counts.unjudged);
	if (n->net.sweep && gaps.missing)
		gaps_tell_missing(n->net.sweep, &gaps);
	else if (n->judged.cut && !n->judged.failed)
		cli_say("incomplete: the %s ended the check", cli_stopped() ? "signal" : "deadline");
}

static void check_add(struct check *c, const struct madkit_problem *problem, const struct check_net *net)
{
	c->problems[c->nproblems++] =
		(struct check_problem){ .problem = problem, .net = net, .event = MADKIT_PROBLEM_EVENT_OPEN };
}

/* Lists the problems of all subnets: those of the most severe kind first. */
static int check_collect(struct check *c)
{
	struct check_problem difference;
	size_t n = 1;

	while (plan_problem(c->plan, n - 1, &difference))
		n++;
	for (size_t i = 0; i < c->nnets; i++, n++)
		for (size_t j = 0;
		     c->nets[i].judged.health && madkit_health_problem(c->nets[i].judged.health, j); j++)
			n++;
	c->problems = calloc(n, sizeof(*c->problems));
	if (!c->problems)
		return cli_no_memory();
	for (uint8_t severity = MADKIT_SEVERITY_CRITICAL; severity; severity--) {
		if (c->expect && severity == MADKIT_SEVERITY_CRITICAL)
			check_add(c, &c->expect->problem, NULL);
		for (size_t i = 0; i < c->nnets; i++) {
			const struct madkit_problem *p;

			if (c->nets[i].own && c->nets[i].own->problem.severity == severity)
				check_add(c, &c->nets[i].own->problem, &c->nets[i]);
			for (size_t j = 0; c->nets[i].judged.health &&
					   (p = madkit_health_problem(c->nets[i].judged.health, j));
			     j++)
				if (p->severity == severity)
					check_add(c, p, &c->nets[i]);
		}
		for (size_t i = 0; plan_problem(c->plan, i, &difference); i++)
			if (difference.problem->severity == severity)
				c->problems[c->nproblems++] = difference;
	}
	return EXIT_DONE;
}

/* Writes the time as in JSON, without a fraction. */
static void check_put_now(const struct check *c, char now[24])
{
	struct timespec time = { .tv_sec = 0 };
	struct tm tm;

	for (size_t i = 0; i < c->nnets && !time.tv_sec; i++)
		if (c->nets[i].net.x.port)
			madkit_port_realtime(c->nets[i].net.x.port, &time);
	if (!time.tv_sec)
		clock_gettime(CLOCK_REALTIME, &time);
	if (!gmtime_r(&time.tv_sec, &tm) || !strftime(now, 24, "%Y-%m-%dT%H:%M:%SZ", &tm))
		*now = 0;
}

/* Writes the files of --write-accept and --state. */
static int check_write(struct check *c, struct state *state)
{
	const char *path = c->options->write_accept;
	int status = path ? accept_write(path, c) : EXIT_DONE;

	return !status && state ? state_write(state, c) : status;
}

/* Compares with known deviations and with the last run, and shows everything. Returns the exit status. */
static int check_finish(struct check *c, struct accept *accept, struct state *state, struct output *out)
{
	const struct madcheck_options *o = c->options;
	int status = EXIT_DONE;
	char now[24];

	check_put_now(c, now);
	if (accept)
		accept_mark(accept, c);
	if (state)
		status = state_compare(state, c, now);
	/* a plugin prints one line, which must include a failure of these */
	if (!status && o->nagios)
		status = check_write(c, state);
	if (!status)
		status = report_show(c, out);
	if (!status && accept)
		accept_report(accept, c);
	if (!status && !o->nagios)
		status = check_write(c, state);
	return status ? status : report_status(c);
}

static void check_free(struct check *c)
{
	for (size_t i = 0; i < c->nnets; i++) {
		madkit_health_free(c->nets[i].judged.health);
		subnet_close(&c->nets[i].net);
		free(c->nets[i].own);
	}
	baseline_free(c->earlier);
	plan_release(c->plan);
	free(c->expect);
	free(c->nets);
	free(c->problems);
}

/* Returns the status of subnets that could not be opened or read; EXIT_DONE: there are none. */
static int check_failed(const struct check *c)
{
	int result = EXIT_DONE;

	for (size_t i = 0; i < c->nnets; i++)
		if (c->nets[i].status)
			result = result ? exit_worst(result, c->nets[i].status) : c->nets[i].status;
	return result;
}

/* Reads the file of --since. A time in the future of the subnet's clock is a clock that was set back: its ports are then not
 * judged. */
static int check_read_earlier(struct check *c)
{
	static const uint16_t attributes[] = { MADKIT_ATTR_PORT_COUNTERS_EXTENDED,
					       MADKIT_ATTR_PORT_COUNTERS };
	struct timespec now;
	int status;

	clock_gettime(CLOCK_REALTIME, &now);
	status = baseline_read("--since", c->options->since, attributes, ARRAY_SIZE(attributes),
			       (uint64_t)now.tv_sec * 1000 * NS_PER_MS + (uint64_t)now.tv_nsec, &c->earlier);
	if (!status)
		c->settings.earlier = c->earlier->readings;
	return status;
}

static int check_run(struct check *c, struct subnet_common *common, struct output *out)
{
	const struct madcheck_options *o = c->options;
	struct accept *accept = NULL;
	struct state *state = NULL;
	int status = settings_read(c), failed;

	if (!status && o->since)
		status = check_read_earlier(c);
	if (!status && o->accept)
		status = accept_read(o->accept, &accept);
	if (!status && o->state)
		status = state_read(o->state, o->shared.mode == MODE_CHECK_LOCAL, &state);
	if (!status && c->keeps)
		state_compare_readings(state, &c->settings);
	if (!status && o->plan)
		status = plan_read(o, &c->plan);
	if (!status && c->plan) {
		c->settings.expects = plan_has_link;
		c->settings.expects_context = c->plan;
	}
	if (!status)
		status = subnet_read_keys(common, &o->shared);
	/* a row says if its problem is new or closed */
	if (!status && o->state && out->format == FORMAT_TABLE && !o->shared.output.fields)
		status = output_table(out, &o->shared, "event,severity,rule,place,text");
	if (!status)
		status = output_check_either(out, madkit_health_attribute(),
					     o->plan || o->state ? madkit_difference_attribute() : NULL);
	if (!status)
		status = o->shared.mode == MODE_CHECK_LOCAL ? local_check(c, common, out) :
							      check_subnets(c, common, out);
	failed = check_failed(c);
	/* without any judgement, the failure is all there is to say */
	if (!status && failed && c->nnets == 1 && !c->nets[0].judged.health)
		status = failed;
	for (size_t i = 0; !status && i < c->nnets; i++)
		check_report_gaps(c, &c->nets[i]);
	if (!status && c->plan)
		status = plan_compare(c->plan, c);
	if (!status)
		status = check_collect(c);
	if (!status)
		status = check_finish(c, accept, state, out);
	accept_free(accept);
	state_release(state);
	if (cli_stopped())
		return cli_stopped_status();
	return failed == EXIT_LOCAL || failed == EXIT_USAGE ? failed : status;
}

static int madcheck_run(const struct cli_options *o, struct cli_words *w, struct output *out)
{
	struct subnet_common common = { .names = NULL };
	struct check check = { .options = madcheck_options(o) };
	int status;

	(void)w;
	if (o->mode == MODE_RULES)
		return settings_list(out);
	out->sweeps = true;
	status = subnet_read_options(&common, &check.options->subnet);
	if (!status)
		status = check_run(&check, &common, out);
	check_free(&check);
	subnet_common_free(&common);
	return status;
}

/* --nagios: returns the status of a plugin, after a line on standard output if there was none: also for errors in the
 * command line. */
static int madcheck_outcome(char **argv, int status)
{
	bool nagios = false, lists = false;

	for (char **word = argv + 1; *word && strcmp(*word, "--") != 0; word++) {
		nagios |= option_name_is(*word, "nagios");
		lists |= option_name_is(*word, "list-rules");
	}
	return nagios && !lists ? report_nagios_end(status) : status;
}

/* Checks that no file is written that is also read, or written by another option. */
static int madcheck_check_files(const struct madcheck_options *o)
{
	const struct {
		const char *option, *path;
	} others[] = {
		{ "--accept", o->accept },
		{ "--limits", o->limits },
		{ "--plan", o->plan },
		{ "--names", o->names },
		{ "--since", o->since },
		{ "--state", o->state },
		{ "--write", o->shared.output.write_path },
	};

	if (o->write_accept && !strcmp(o->write_accept, "-"))
		return cli_usage_error(
			"--write-accept needs a file, because the report is on standard output");
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		const char *path = others[i].path;

		if (path && o->write_accept && !strcmp(path, o->write_accept))
			return cli_usage_error("--write-accept '%.80s' is also the file of %s", path,
					       others[i].option);
		if (path && o->state && path != o->state && !strcmp(path, o->state))
			return cli_usage_error("--state '%.80s' is also the file of %s", path,
					       others[i].option);
	}
	return EXIT_DONE;
}

/* Checks that standard input is read only once. */
static int madcheck_check_input(const struct madcheck_options *o)
{
	if (o->plan && o->since && !strcmp(o->plan, "-") && !strcmp(o->since, "-"))
		return cli_usage_error("--plan - and --since - both read standard input: use a file for one");
	return EXIT_DONE;
}

static int madcheck_check(const struct cli_options *o, const struct cli_words *w)
{
	const struct madcheck_options *own = madcheck_options(o);

	if (w->nwords)
		return cli_usage_error("'%s' is an unexpected word", w->words[0]);
	if (w->command || w->command_missing)
		return cli_usage_error("-- has no effect: madcheck runs no COMMAND");
	if (o->output.format == FORMAT_HEX || o->output.format == FORMAT_RAW)
		return cli_usage_error("there is no MAD to show: use text, table or JSON");
	if (madcheck_check_files(own) || madcheck_check_input(own) ||
	    (own->since && cli_refuse(o, "for", "--since has the first reading")))
		return EXIT_USAGE;
	if (own->window_ms && o->timing.deadline_ms >= 0 && (uint64_t)o->timing.deadline_ms <= own->window_ms)
		return cli_usage_error("--deadline ends the check before the second reading of --for");
	if (!own->plan && (own->names || own->scope || own->lids))
		return cli_usage_error("--%s has no effect without --plan", own->names ? "names" :
									    own->scope ? "scope" :
											 "lids");
	if (own->scope && !own->scope[strspn(own->scope, ",")])
		return cli_usage_error("--scope '%.40s' has no name", own->scope);
	if (own->nagios && (o->output.format != FORMAT_TEXT || o->output.fields))
		return cli_usage_error("--nagios cannot be combined with -f, -j or --fields");
	return EXIT_DONE;
}

const struct command program = {
	.usage = {
		.program = "madcheck",
		.synopsis = synopsis,
		.text = help,
		.statuses = statuses,
		.options = &program_options,
		.check = madcheck_check,
		.outcome = madcheck_outcome,
	},
	.run = madcheck_run,
};
