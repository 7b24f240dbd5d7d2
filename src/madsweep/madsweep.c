/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* madsweep: shows the ports of the whole subnet, with both ends of each link. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "cli/command.h"
#include "cli/options.h"
#include "request/locate.h"
#include "cli/privileges.h"
#include "subnet/rails.h"
#include "request/request_args.h"
#include "sweep_list.h"
#include "madsweep_check.h"
#include "sweep_requests.h"
#include "sweep_summary.h"
#include "util/array_size.h"

static const char *const synopsis[] = { "[options]",
					"[options] Get ATTRIBUTE[,ATTRIBUTE...] [Field=value ...]",
					"--clear ATTRIBUTE --select EXPR [options]", NULL };

static const char help[] =
	"\nDiscovers the subnet by directed routes and shows its ports, with both ends of each\n"
	"link; or sends a request to each port (to each node for an attribute of a node).\n"
	"It needs no subnet manager and changes nothing, except with --clear. Nodes that do\n"
	"not respond are reported and do not end the sweep. Run it on an administrator's node,\n"
	"not on every node of a cluster: each sweep queries the whole subnet.\n";

/* ---- --topology ---------------------------------------------------------------------- */

/* Writes the first line of ibnetdiscover. */
static void topology_put_date(struct exchange *x)
{
	struct madkit_message message;
	char text[64] = "";
	struct tm tm;

	exchange_message(x, MADKIT_MESSAGE_SUMMARY, &message);
	if (localtime_r(&message.time.tv_sec, &tm))
		strftime(text, sizeof(text), "%a %b %e %H:%M:%S %Y", &tm);
	madkit_buf_printf(&x->out->buf, "#\n# Topology file: generated on %s\n", text);
}

/* Writes the file to standard output. Returns EXIT_DONE, or an exit status after a report if there is no
 * file. *lacks is set to EXIT_MALFORMED if nodes, links or GUIDs are omitted, which is reported; the comments
 * of the file have the details. */
static int topology_put(struct exchange *x, const struct madkit_sweep *sweep, int *lacks)
{
	int ret;

	topology_put_date(x);
	ret = madkit_sweep_topology(sweep, &x->out->buf);
	if (ret < 0) {
		madkit_buf_reset(&x->out->buf);
		return cli_insist("cannot write the topology file: %s",
				  ret == -E2BIG ? "too many nodes or ports" : strerror(-ret));
	}
	if (ret & MADKIT_SWEEP_TOPOLOGY_OMITTED) {
		*lacks = EXIT_MALFORMED;
		cli_say("the topology file omits nodes, links, GUIDs or LIDs: its comments say which");
	}
	if (ret & MADKIT_SWEEP_TOPOLOGY_CHANGED)
		cli_say("the topology file cannot contain some values: its comments say which");
	return output_flush(x->out);
}

/* ---- the command --------------------------------------------------------------------- */

/* Reports a node of an option that is not in this subnet: it may be in another one. */
static void sweeping_miss(struct sweeping *s)
{
	s->missed = true;
	cli_say("%s%s%s", s->net.titled ? s->net.x.info->device : "", s->net.titled ? ": " : "",
		s->net.x.failure.why);
}

/* Chooses the ports to show. */
static int sweeping_scope(struct sweeping *s)
{
	int status;

	s->scope.x = &s->net.x;
	s->scope.order = &s->order;
	s->scope.area.sweep = s->net.sweep;
	if (!s->net.counts.nodes)
		return EXIT_DONE;
	/* at the deadline, the ends of the route may not be known */
	if (route_is_wanted(s->options) && s->net.counts.missing & MADKIT_SWEEP_UNFINISHED)
		return EXIT_DONE;
	status = route_is_wanted(s->options) ?
			 route_make(&s->net.x, s->net.sweep, s->select, s->net.x.options->mode == MODE_CLEAR,
				    &s->routes, &s->scope) :
			 scope_make(&s->net.x, s->net.sweep, &s->start, s->select, &s->scope);
	madkit_sweep_count(s->net.sweep, &s->net.counts);
	if (status != EXIT_NOTHING)
		return status;
	sweeping_miss(s);
	return EXIT_DONE;
}

/* If the sweep has no first node, reports where the route of --from ends. Not with a file of M_Keys, because
 * the key of each node on the route is not known. */
static void sweeping_locate(struct sweeping *s)
{
	static char get_word[] = "Get", node_info[] = "NodeInfo";
	char *words[] = { get_word, node_info };
	struct madkit_error error = { .text = "" };
	struct request request = { .mad = NULL };

	if (!s->gaps.located)
		return;
	if (request_build(s->net.x.options, words, ARRAY_SIZE(words), &request))
		return;
	request.destination.have_direct = true;
	request.destination.addr = s->start.to;
	if (!request_route(&request, &error)) {
		madkit_header_put(request.mad, request.len, &request.header);
		locate(&s->net.x, &request);
	}
	request_free(&request);
}

static void sweeping_find_gaps(struct sweeping *s)
{
	gaps_find(s->net.sweep, &s->scope.area, &s->gaps);
	s->gaps.sa = s->net.common->sa;
	s->gaps.all = s->net.x.options->output.verbose;
	s->gaps.port = s->net.x.info;
	s->gaps.blind = s->net.common->m_keys && !m_keys_have_neighbors(s->net.common->m_keys);
	s->gaps.located = s->start.direct && !s->net.common->sa && !s->net.common->m_keys &&
			  s->net.counts.missing == MADKIT_SWEEP_NO_START;
}

/* Shows the ports that were read until a signal came: no request follows. */
static int sweeping_stopped(struct sweeping *s)
{
	const bool lists = s->net.x.options->mode == MODE_SWEEP && !s->nrequests &&
			   s->net.x.out->format != FORMAT_DOT && !route_is_wanted(s->options);

	s->stopped = true;
	s->scope.area.sweep = s->net.sweep;
	if (lists && !sweeping_scope(s) && !s->missed)
		sweeping_show(s);
	sweeping_find_gaps(s);
	gaps_tell(s->net.sweep, &s->gaps, madsweep_is_strict(s->net.x.options));
	sweeping_summary(s);
	return cli_stopped_status();
}

static int sweeping_all(struct sweeping *s)
{
	const bool strict = madsweep_is_strict(s->net.x.options);
	int status, judged;

	s->net.begins_ns = madkit_port_now(s->net.x.port);
	s->shown = s->net.x.out->shown;
	s->skipped = s->net.x.out->assertion.skipped;
	s->failed = s->net.x.out->assertion.failed;
	status = sweeping_run(s);
	if (cli_stopped() && s->net.sweep)
		return sweeping_stopped(s);
	if (status)
		return exchange_report(&s->net.x, NULL, status);
	status = sweeping_scope(s);
	/* an assertion needs a port, even if none is shown */
	s->net.x.out->judged |= !status && !s->missed;
	if (!status && s->net.x.options->mode == MODE_TOPOLOGY)
		status = topology_put(&s->net.x, s->net.sweep, &s->tally.status);
	else if (!status && !s->missed && s->net.x.out->format == FORMAT_DOT)
		status = sweeping_draw(s);
	else if (!status && s->metrics && !metrics_may_begin(s->net.counts.missing))
		status = EXIT_DONE;
	else if (!status && !s->missed)
		status = s->nrequests ? sweeping_ask(s) : sweeping_show(s);
	/* after a deadline or a signal, there is also a summary; if the output failed, there is none */
	if ((status && status != EXIT_TIMEOUT && !cli_stopped()) || s->net.x.out->status)
		return status;
	sweeping_show_all_silent(s);
	sweeping_find_gaps(s);
	if (s->scope.metrics)
		metrics_end(s->metrics, &s->scope, &s->gaps, s->net.counts.ns, s->measured_ns);
	status = exit_worst(status, exit_worst(s->tally.status, gaps_tell(s->net.sweep, &s->gaps, strict)));
	sweeping_locate(s);
	judged = s->routes.places ? route_judge(&s->routes, &s->scope) : EXIT_DONE;
	if (judged == EXIT_TIMEOUT)
		status = exit_worst(status, judged);
	else if (judged && (!status || (status == EXIT_TIMEOUT && !strict)))
		status = judged;
	if (!status && s->missed && !s->net.titled)
		status = area_may_miss(s->net.sweep) ? EXIT_TIMEOUT : EXIT_NOTHING;
	sweeping_summary(s);
	return cli_stopped() ? cli_stopped_status() : status;
}

/* Returns the order without --sort: for a person by name; JSON is not held until it can be sorted. */
static const char *sweeping_order(const struct output *out)
{
	return out->format == FORMAT_TEXT || out->format == FORMAT_TABLE ? "name" : "guid";
}

/* Reads the options, which apply to all subnets. */
static int sweeping_read(struct sweeping *s, const struct madsweep_options *o, const struct cli_words *w,
			 struct output *out)
{
	struct madkit_error error = { .text = "" };
	int status;

	s->options = o;
	status = subnet_read_options(s->net.common, &o->subnet);
	if (!status)
		status = route_check(o);
	if (!status)
		status = scope_check_behind(o);
	if (!status)
		status = scope_read_start(o, &s->start);
	/* all nodes that directed routes find are connected: without --hops, the node makes no difference */
	if (!status && s->start.word && !s->net.common->sa && !o->have_hops &&
	    (!o->shared.port.ndevices ||
	     (o->shared.port.ndevices == 1 && strcmp(o->shared.port.devices[0], "all") != 0)))
		status = cli_usage_error("--from '%s' has no effect without --hops", o->from);
	if (status)
		return status;
	if (o->select && madkit_expr_new(o->select, &s->select, &error))
		return output_expression_error("--select", o->select, &error);
	if (s->select && madkit_expr_check(s->select, madkit_sweep_attribute(), &error))
		return output_name_error("--select", madkit_sweep_attribute(), &error);
	status = sweeping_build(s, &o->shared, w, out);
	if (!status)
		status = sweeping_read_order(s, o->sort ? o->sort : sweeping_order(out));
	if (!status)
		status = subnet_read_keys(s->net.common, &o->shared);
	if (!status && out->format == FORMAT_PROMETHEUS)
		status = metrics_new(o, &s->metrics);
	if (!status && o->since)
		status = sweeping_read_baseline(s);
	out->sweeps = true;
	out->assertion.skips_null = true;
	return status;
}

/* Shows a summary if the deadline passes before the sweep begins. */
static int sweeping_unbegun(struct sweeping *s, int status)
{
	if (status != EXIT_TIMEOUT || s->net.sweep || s->net.x.out->status)
		return status;
	s->gaps.missing = MADKIT_SWEEP_UNFINISHED;
	sweeping_summary(s);
	return status;
}

/* Opens port i of n, and sweeps its subnet, unless the subnet was swept through another port. */
static int sweeping_rail(struct sweeping *rails, const struct rails *list, size_t i, struct output *out,
			 const struct cli_options *o)
{
	struct sweeping *s = &rails[i];
	int status;

	status = subnet_open(&s->net, list, i, out, o,
			     s->net.common->sa && !survey_smps(s->requests, s->nrequests) ?
				     MADKIT_CLASS_SA :
				     MADKIT_CLASS_SUBN_DR);
	if (status)
		return status;
	for (size_t j = 0; j < i; j++)
		if (rails[j].net.sweep && rails_reached(rails[j].net.sweep, s->net.x.info)) {
			cli_say("%s is in the subnet of %s", s->net.x.info->device,
				rails[j].net.x.info->device);
			return EXIT_DONE;
		}
	status = sweeping_begin(s);
	/* the next device is opened after this subnet has been swept */
	if (i + 1 == list->n)
		privileges_drop(o);
	return status ? subnet_fail(&s->net, list->specs[i], status) : sweeping_all(s);
}

/* Without another failure, reports that no subnet has the node. Returns the status. */
static int sweeping_judge(const struct sweeping *rails, size_t n, const struct madsweep_options *o)
{
	bool missed = false, hidden = false;

	for (size_t i = 0; i < n; i++) {
		if (rails[i].net.sweep && !rails[i].missed)
			return EXIT_DONE;
		missed |= rails[i].missed && rails[i].net.titled;
		hidden |= !rails[i].net.sweep || area_may_miss(rails[i].net.sweep);
	}
	if (!missed)
		return EXIT_DONE;
	if (o->route)
		cli_say("--route '%s': no subnet has such a route%s", o->route,
			hidden ? ", as far as they were read" : "");
	else
		cli_say("--from '%s': no subnet has this node%s", o->from,
			hidden ? ", as far as they were read" : "");
	return hidden ? EXIT_TIMEOUT : EXIT_NOTHING;
}

/* Reports that --select matches no port of any subnet. This is a failure
 * only with --clear, because no counter was reset. Returns the status. */
static int sweeping_judge_select(const struct sweeping *rails, size_t n, const struct madsweep_options *o,
				 int status)
{
	bool chosen = false;

	for (size_t i = 0; i < n; i++) {
		if (rails[i].scope.n)
			return status;
		chosen |= rails[i].net.counts.nodes &&
			  !(rails[i].net.counts.missing & MADKIT_SWEEP_UNFINISHED) && !rails[i].missed;
	}
	if (!o->select || !chosen)
		return status;
	cli_say("no port matches --select '%s'", o->select);
	return o->shared.mode != MODE_CLEAR ||
			       (status && (madsweep_is_strict(&o->shared) || status != EXIT_TIMEOUT)) ?
		       status :
		       EXIT_NOTHING;
}

static int sweeping_run_all(struct sweeping *common, struct sweeping *rails, const struct rails *list,
			    const struct cli_options *o, struct output *out)
{
	int result = EXIT_DONE;

	for (size_t i = 0; i < list->n; i++) {
		int status;

		rails[i] = *common;
		status = sweeping_unbegun(&rails[i], sweeping_rail(rails, list, i, out, o));
		if (common->metrics)
			common->metrics->incomplete |= status != EXIT_DONE;
		if (cli_stopped())
			return cli_stopped_status();
		result = exit_worst(result, status);
		/* an error in the options applies to all subnets; otherwise the other subnets are swept, but
		 * not cleared */
		if (out->status || (o->names.map_path && !common->net.common->names && rails[i].net.x.port) ||
		    (status == EXIT_USAGE && (!rails[i].net.sweep || o->mode == MODE_CLEAR)))
			return result;
	}
	if (!result)
		result = sweeping_judge(rails, list->n, common->options);
	return sweeping_judge_select(rails, list->n, common->options, result);
}

static int madsweep_run(const struct cli_options *o, struct cli_words *w, struct output *out)
{
	struct subnet_common shared = { .names = NULL };
	struct sweeping common = { .net.common = &shared }, *rails = NULL;
	struct rails list = { .n = 0 };
	int status = sweeping_read(&common, madsweep_options(o), w, out);

	if (!status)
		status = rails_list(o, &list);
	if (!status)
		rails = calloc(list.n, sizeof(*rails));
	if (!status && !rails)
		status = cli_no_memory();
	if (!status)
		status = sweeping_run_all(&common, rails, &list, o, out);
	/* after a signal, the file of an earlier run stays */
	if (common.metrics && !cli_stopped() && !out->status)
		status = exit_worst(status, metrics_write(common.metrics, out));
	for (size_t i = 0; rails && i < list.n; i++)
		sweeping_free(&rails[i]);
	free(rails);
	rails_free(&list);
	for (size_t i = 0; i < common.nrequests; i++) {
		survey_delta_free(common.deltas[i]);
		request_free(&common.requests[i]);
	}
	request_free(&common.fallback);
	metrics_free(common.metrics);
	baseline_free(common.baseline);
	order_free(&common.order);
	madkit_expr_free(common.select);
	subnet_common_free(&shared);
	return status;
}

const struct command program = {
	.usage = {
		.program = "madsweep",
		.synopsis = synopsis,
		.text = help,
		.options = &program_options,
		.check = madsweep_check,
	},
	.run = madsweep_run,
};
