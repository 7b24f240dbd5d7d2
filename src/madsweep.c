/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* madsweep: the ports of the whole subnet, with both ends of each link. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "command.h"
#include "confirm.h"
#include "exchange.h"
#include "locate.h"
#include "m_keys.h"
#include "port_table.h"
#include "progress.h"
#include "rails.h"
#include "request_args.h"
#include "route.h"
#include "scope.h"
#include "survey.h"
#include "sweep_gaps.h"
#include "topology_file.h"
#include "wait.h"
#include "util/array_size.h"

static const char *const synopsis[] = { "[options]", "[options] Get ATTRIBUTE [Field=value ...]",
					"--clear ATTRIBUTE --select EXPR [options]", NULL };

static const char help[] =
	"\nDiscovers the subnet by directed routes and shows its ports, with both ends of each\n"
	"link; or sends a request to each port (to each node for an attribute of a node).\n"
	"It needs no subnet manager and changes nothing, except with --clear. Nodes that do\n"
	"not respond are reported and do not end the sweep. Run it on an administrator's node,\n"
	"not on every node of a cluster: each sweep queries the whole subnet.\n";

enum { SWEEPING_SLICE_MS = 200, SWEEPING_FLUSH = 1 << 16 };

struct sweeping {
	struct exchange x;
	uint64_t begins_ns; /* port clock */
	struct madkit_sweep *sweep;
	struct madkit_sweep_counts counts;
	struct sweep_gaps gaps;
	struct scope_start start;
	struct madkit_expr *select;
	struct scope scope;
	bool sa;                       /* the sweep is through the subnet administrator */
	bool titled;                   /* there are several subnets */
	bool missed;                   /* it has no node of the name that --from or --route gives */
	struct routes routes;          /* of --route and --mlid */
	struct madkit_name_map *names; /* NULL: none */
	struct m_keys *m_keys;         /* NULL: the M_Key of the options for all nodes */
	bool asks;                     /* request is sent to the ports; otherwise they are listed */
	struct request request;
	struct survey_tally tally;
	unsigned long shown, skipped, failed; /* before this subnet */
};

/* ---- the sweep -------------------------------------------------------------------- */

static uint64_t sweeping_m_key(void *context, const struct madkit_sweep_node *node, unsigned int port,
			       bool behind)
{
	const struct sweeping *s = context;
	uint64_t guid;

	if (!s->m_keys)
		return s->x.options->m_key;
	if (!node)
		return s->start.direct ? 0 : m_keys_of(s->m_keys, s->x.info->port_guid);
	/* all ports of a switch have the GUID of its port 0 */
	guid = node->ports[node->type == MADKIT_NODE_TYPE_SWITCH ? 0 : port].guid;
	return behind ? m_keys_behind(s->m_keys, guid, port) : m_keys_of(s->m_keys, guid);
}

static const char *sweeping_name(void *context, const struct madkit_sweep_node *node)
{
	const struct sweeping *s = context;

	return madkit_name_map_name(s->names, node->guid);
}

static void sweeping_show_progress(struct sweeping *s)
{
	madkit_sweep_count(s->sweep, &s->counts);
	progress_show("%" PRIu32 " nodes, %" PRIu32 " links, %" PRIu64 " %s", s->counts.nodes,
		      s->counts.links, s->counts.sent, s->sa ? "SA requests" : "SMPs");
}

/* Until the sweep, the deadline or a signal ends it. EXIT_DONE also if the deadline did; x.why has what failed. */
static int sweeping_run(struct sweeping *s)
{
	const struct cli_options *o = s->x.options;
	const bool shows = !o->quiet && isatty(STDERR_FILENO);
	int ret = 0;

	while (!ret && !cli_stopped()) {
		uint64_t now = madkit_port_now(s->x.port), until = now + SWEEPING_SLICE_MS * NS_PER_MS;

		if (now >= s->x.deadline_ns)
			break;
		ret = madkit_sweep_step(s->sweep, until < s->x.deadline_ns ? until : s->x.deadline_ns);
		if (shows)
			sweeping_show_progress(s);
		/* the deadline is noticed above */
		if (ret == -EINTR && !cli_stopped())
			ret = 0;
	}
	progress_clear();
	madkit_sweep_count(s->sweep, &s->counts);
	if (cli_stopped())
		return cli_stopped_status();
	if (ret < 0)
		return exchange_fail(&s->x, EXIT_LOCAL, ret, "the sweep failed: %s", strerror(-ret));
	return EXIT_DONE;
}

/* Why the port cannot be used: what a request or the registration of an agent says of it. */
static int sweeping_refused(struct sweeping *s, int error)
{
	const uint8_t class = s->sa ? MADKIT_CLASS_SA : MADKIT_CLASS_SUBN_DR;
	struct request request = { .header.mgmt_class = class,
				   .header.class_version = madkit_class_version(class),
				   .rmpp = RMPP_NONE };
	struct madkit_agent *agent;
	int status = s->x.info->link_layer == MADKIT_LINK_ETHERNET ? exchange_address(&s->x, &request) :
								     exchange_agent(&s->x, &request, &agent);

	return status ? status :
			exchange_fail(&s->x, EXIT_LOCAL, error, "%s: cannot begin a sweep: %s",
				      s->x.info->device, strerror(-error));
}

static int sweeping_begin(struct sweeping *s)
{
	const struct cli_options *o = s->x.options;
	const struct madkit_sweep_attr attr = {
		.from = s->start.direct ? &s->start.to : NULL,
		.hops = s->start.word ? 0 : o->hops,
		.keep_going = cli_flag(o, OPT_KEEP_GOING),
		.timeout_ms = o->timeout_ms,
		.retries = o->retries,
		.smps_max = o->have_window ? o->window : 0,
		.m_key = sweeping_m_key,
		.name = s->names ? sweeping_name : NULL,
		.context = s,
		.sa = s->sa,
		.sm_key = o->sm_key,
	};
	const struct madkit_addr *to = &s->start.to;
	int ret;

	if (s->start.direct && !s->sa && to->hops && s->x.info->port && to->path[1] != s->x.info->port)
		return exchange_fail(
			&s->x, EXIT_LOCAL, -EINVAL,
			"--from %s: hop 1 is port %u, but must be port %u, which sends the requests", o->from,
			to->path[1], s->x.info->port);
	ret = madkit_sweep_new(s->x.port, &attr, &s->sweep);
	if (ret == -EHOSTUNREACH)
		return exchange_fail(&s->x, EXIT_LOCAL, ret, "no subnet manager: the SM LID of %s is 0",
				     s->x.info->device);
	return ret ? sweeping_refused(s, ret) : EXIT_DONE;
}

/* ---- results ----------------------------------------------------------------------- */

/* The message of a line about a port. */
static void sweeping_message(struct sweeping *s, enum madkit_message_kind kind,
			     struct madkit_sweep_record *record, struct madkit_message *message)
{
	s->x.seq++;
	exchange_message(&s->x, kind, message);
	message->port = &record->record;
	record->record.message = message;
}

/* NULL: the port is not on a route. */
static const struct route_place *sweeping_place(const struct sweeping *s, const struct scope_port *at)
{
	return s->routes.places ? &s->routes.places[at - s->scope.ports] : NULL;
}

/* Why the link is below its best; or what else the reader should know. */
static const char *sweeping_note(const struct sweeping *s, const struct scope_port *at, char buf[96])
{
	const struct madkit_sweep_node *n = madkit_sweep_node(s->sweep, at->node);
	const struct madkit_sweep_port *p = &n->ports[at->port];
	const struct route_place *place = sweeping_place(s, at);
	struct madkit_sweep_link link;

	if (place && route_note(&s->routes, place, buf))
		return buf;
	if (n->duplicate)
		return "duplicate GUID";
	if (p->far == MADKIT_SWEEP_SILENT)
		return "no response from the node behind it";
	if (p->far == MADKIT_SWEEP_REFUSED)
		return "contradictory response from the node behind it";
	if (n->state == MADKIT_SWEEP_SILENT)
		return "no longer responds";
	madkit_sweep_link_get(s->sweep, at->node, at->port, &link);
	return port_link_note(&link, buf);
}

static void sweeping_show_port(struct sweeping *s, struct port_table *table, const struct scope_port *at)
{
	const struct route_place *place = sweeping_place(s, at);
	struct output *out = s->x.out;
	struct madkit_sweep_record record;
	struct madkit_message message;
	struct madkit_buf hop;
	char note[96];

	scope_record(&s->scope, at, &record);
	sweeping_message(s, MADKIT_MESSAGE_PORT, &record, &message);
	if (!output_pass_record(out, &record.record))
		return;
	if (assertion_try_port(&out->assertion, &record.record))
		port_describe(&record.record, out->assertion.failure, sizeof(out->assertion.failure));
	if (table && place && place->quiet)
		return;
	if (table && port_table_add(table, &record.record, sweeping_note(s, at, note)) && !out->status)
		out->status = cli_no_memory();
	if (table)
		return;
	madkit_buf_init(&hop, 0);
	if (place)
		message.hop_json = route_json(&s->routes, place, &hop);
	output_line(out, &message);
	madkit_buf_free(&hop);
}

/* A node that does not respond, by the port that it is behind; or the port that belongs to it (gone). */
static void sweeping_show_silent(struct sweeping *s, const struct scope_port *at, bool gone)
{
	struct madkit_sweep_record record;
	struct madkit_message message;
	struct madkit_addr to;

	scope_record(&s->scope, at, &record);
	sweeping_message(s, MADKIT_MESSAGE_TIMEOUT, &record, &message);
	message.send_status = ETIMEDOUT;
	if (madkit_sweep_route(s->sweep, at->node, &to) && (gone || to.hops < MADKIT_HOPS_MAX)) {
		if (!gone)
			to.path[++to.hops] = at->port;
		message.remote = &to;
	}
	output_line(s->x.out, &message);
}

/* In JSON, silent nodes are lines. */
static void sweeping_show_all_silent(struct sweeping *s)
{
	bool gone;

	for (size_t i = 0; s->x.out->format == FORMAT_JSON && i < s->scope.n; i++) {
		const struct scope_port *at = &s->scope.ports[i];

		if (sweep_gaps_is_silent(s->sweep, at->node, at->port, &gone))
			sweeping_show_silent(s, at, gone);
	}
}

static size_t sweeping_columns(void)
{
	struct winsize size;

	return isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col >= 80 ?
		       size.ws_col :
	       isatty(STDOUT_FILENO) ? 80 :
				       0;
}

static void sweeping_end_table(struct sweeping *s, struct port_table *table)
{
	if (table)
		port_table_write(table, sweeping_columns(), &s->x.out->buf);
	port_table_free(table);
}

/* Begins the table of a route, if it begins with this port. False: no memory. */
static bool sweeping_begin_table(struct sweeping *s, size_t i, struct port_table **table)
{
	if (!s->routes.places || !route_begins(&s->routes, i))
		return true;
	if (i) {
		sweeping_end_table(s, *table);
		*table = port_table_new();
	}
	route_title(&s->routes, &s->scope, i, &s->x.out->buf);
	return *table;
}

static int sweeping_show(struct sweeping *s)
{
	struct output *out = s->x.out;
	struct port_table *table = NULL;

	/* text with chosen fields is a table of them */
	if (out->format == FORMAT_TEXT && out->fields && !out->table) {
		out->format = FORMAT_TABLE;
		out->table = madkit_table_new(s->x.options->fields);
	} else if (out->format == FORMAT_TEXT) {
		table = port_table_new();
	}
	if (!table && !out->table && out->format != FORMAT_JSON)
		return cli_no_memory();
	if (table && s->titled)
		madkit_buf_printf(&out->buf, "# %s\n", s->x.info->device);
	for (size_t i = 0; i < s->scope.n && !cli_stopped() && !out->status; i++) {
		const struct scope_port *at = &s->scope.ports[i];

		if (table && !sweeping_begin_table(s, i, &table))
			return cli_no_memory();
		sweeping_show_port(s, table, at);
		if (out->buf.len >= SWEEPING_FLUSH)
			output_flush(out);
	}
	sweeping_end_table(s, table);
	output_flush(out);
	return cli_stopped() ? cli_stopped_status() : EXIT_DONE;
}

/* ---- the summary --------------------------------------------------------------------- */

static void sweeping_count_types(const struct sweeping *s, uint32_t types[4])
{
	memset(types, 0, 4 * sizeof(types[0]));
	for (uint32_t i = 0; i < s->counts.nodes; i++) {
		const uint8_t type = madkit_sweep_node(s->sweep, i)->type;

		types[type < 4 ? type : 0]++;
	}
}

/* Of the sweep, its routes, and the requests to ports or nodes. */
struct sweeping_totals {
	uint64_t mads, resent, ns;
};

static struct sweeping_totals sweeping_total(const struct sweeping *s)
{
	return (struct sweeping_totals){
		.mads = s->counts.sent + s->tally.mads + s->tally.sa_mads,
		.resent = s->counts.resent + s->tally.resent + s->tally.sa_resent,
		.ns = madkit_port_now(s->x.port) - s->begins_ns,
	};
}

/* What became of the requests. */
static void sweeping_tally_json(const struct survey_tally *t, struct madkit_buf *data)
{
	json_open(data, "requests", '{');
	json_number(data, t->what, t->asked);
	json_number(data, "answered", t->answered);
	json_number(data, "summed", t->summed);
	json_number(data, "silent", t->silent);
	json_number(data, "refused", t->refused);
	json_number(data, "malformed", t->malformed);
	json_number(data, "failed", t->failed);
	json_number(data, "unfinished", t->unsent);
	json_number(data, "mads", t->mads);
	json_number(data, "resent", t->resent);
	json_close(data, '}');
}

static void sweeping_tell_tally(const struct sweeping *s)
{
	const struct survey_tally *t = &s->tally;
	const struct {
		uint64_t n;
		const char *what;
	} others[] = {
		{ t->summed, "not asked (the sum of their switch is 0)" },
		{ t->silent, "silent" },
		{ t->refused, "refused" },
		{ t->malformed, "malformed" },
		{ t->failed, "failed" },
		{ t->unsent, "unfinished" },
	};
	char text[240];
	int used = snprintf(text, sizeof(text), "%" PRIu64 " answered", t->answered);

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (others[i].n)
			used += snprintf(text + used, sizeof(text) - (size_t)used, ", %" PRIu64 " %s",
					 others[i].n, others[i].what);
	cli_say("%s: %" PRIu64 " %s, %s; %" PRIu64 " MADs (%" PRIu64 " resent)", s->request.attribute_name,
		t->asked, t->what, text, t->mads, t->resent);
}

static void sweeping_summary_json(struct sweeping *s, const uint32_t types[4])
{
	const struct sweeping_totals total = sweeping_total(s);
	const struct survey_tally *t = &s->tally;
	const struct assertion *assertion = &s->x.out->assertion;
	struct madkit_message message;
	struct madkit_buf data;

	json_begin(&data);
	json_string(&data, "via", s->sa ? "sa" : "smp");
	sweep_gaps_json(&s->gaps, !t->silent && !t->malformed && !t->failed && !t->unsent, &data);
	json_number(&data, "nodes", s->counts.nodes);
	json_number(&data, "cas", types[1]);
	json_number(&data, "switches", types[2]);
	json_number(&data, "routers", types[3]);
	json_number(&data, "links", s->counts.links);
	json_number(&data, "ports", s->scope.n);
	json_number(&data, "shown", s->x.out->shown - s->shown);
	json_number(&data, "skipped", assertion->skipped - s->skipped);
	json_number(&data, "failed", assertion->failed - s->failed);
	json_number(&data, "mads", total.mads);
	json_number(&data, "resent", total.resent);
	json_number(&data, "elapsed_us", total.ns / 1000);
	if (s->asks && !s->missed)
		sweeping_tally_json(&s->tally, &data);
	s->x.seq++;
	exchange_message(&s->x, MADKIT_MESSAGE_SUMMARY, &message);
	exchange_object(&s->x, &message, &data);
}

static void sweeping_summary(struct sweeping *s)
{
	const struct sweeping_totals total = sweeping_total(s);
	const struct assertion *assertion = &s->x.out->assertion;
	uint32_t types[4];
	char skipped[64] = "";

	sweeping_count_types(s, types);
	if (s->x.out->format == FORMAT_JSON) {
		sweeping_summary_json(s, types);
		return;
	}
	if (assertion->skipped > s->skipped)
		snprintf(skipped, sizeof(skipped), "; not asserted of %lu ports",
			 assertion->skipped - s->skipped);
	cli_say("%s%s%" PRIu32 " nodes (%" PRIu32 " switches), %" PRIu32 " links, %zu ports%s: %s; %" PRIu64
		" %s (%" PRIu64 " resent) in %.3f s",
		s->titled ? s->x.info->device : "", s->titled ? ": " : "", s->counts.nodes, types[2],
		s->counts.links, s->scope.n, skipped, sweep_gaps_none(&s->gaps) ? "complete" : "incomplete",
		total.mads,
		s->asks ? "MADs" :
		s->sa   ? "SA requests" :
			  "SMPs",
		total.resent, (double)total.ns / 1e9);
	if (s->sa)
		cli_say("from the subnet manager's last sweep; limited to the P_Keys of this port");
	if (s->asks && !s->missed)
		sweeping_tell_tally(s);
}

/* ---- requests ------------------------------------------------------------------------ */

/* Asks before counters are reset. EXIT_DONE: it may be done. */
static int sweeping_confirm(const struct sweeping *s)
{
	const struct cli_options *o = s->x.options;
	const size_t n = survey_announce_clear(o, &s->scope, &s->request);

	if (cli_flag(o, OPT_YES) || !n)
		return EXIT_DONE;
	return confirm_on_terminal("Clear them? [y/N] ", "--yes");
}

static int sweeping_ask(struct sweeping *s)
{
	int status = s->x.options->mode == MODE_CLEAR ? sweeping_confirm(s) : EXIT_DONE;

	if (status)
		return status;
	s->scope.m_key = sweeping_m_key;
	s->scope.m_key_context = s;
	return survey_run(&s->x, &s->scope, &s->request, &s->tally);
}

/* Makes the request of the words, or of --clear. */
static int sweeping_build(struct sweeping *s, const struct cli_options *o, const struct cli_words *w,
			  const struct output *out)
{
	int status = EXIT_DONE;

	s->asks = w->nwords || o->mode == MODE_CLEAR;
	if (o->mode == MODE_CLEAR)
		status = survey_build_clear(o, o->clear, &s->request);
	else if (s->asks)
		status = survey_build(o, w->words, w->nwords, &s->request);
	if (!status && s->asks && s->sa)
		survey_by_lid(&s->request);
	if (!status)
		status = survey_check_options(o, s->asks ? &s->request : NULL);
	if (!status)
		status = output_check(out, s->asks ? request_answer(&s->request) : madkit_sweep_attribute());
	return status;
}

/* ---- the command --------------------------------------------------------------------- */

/* A node that an option names is not in this subnet: perhaps in another one. */
static void sweeping_miss(struct sweeping *s)
{
	s->missed = true;
	cli_say("%s%s%s", s->titled ? s->x.info->device : "", s->titled ? ": " : "", s->x.why);
}

/* Chooses the ports to show. */
static int sweeping_scope(struct sweeping *s)
{
	int status;

	s->scope.sweep = s->sweep;
	if (!s->counts.nodes)
		return EXIT_DONE;
	/* at the deadline, the ends of the route may not be known */
	if (route_is_wanted(s->x.options) && s->counts.missing & MADKIT_SWEEP_UNFINISHED)
		return EXIT_DONE;
	status = route_is_wanted(s->x.options) ?
			 route_make(&s->x, s->sweep, s->select, s->asks, &s->routes, &s->scope) :
			 scope_make(&s->x, s->sweep, &s->start, s->select, &s->scope);
	madkit_sweep_count(s->sweep, &s->counts);
	if (status != EXIT_NOTHING)
		return status;
	sweeping_miss(s);
	return EXIT_DONE;
}

/* The sweep has no first node: reports where the route of --from ends. With a file of M_Keys, it is not known which one each
 * node of the route needs. */
static void sweeping_locate(struct sweeping *s)
{
	static char get_word[] = "Get", node_info[] = "NodeInfo";
	char *words[] = { get_word, node_info };
	struct madkit_error error = { .text = "" };
	struct request request = { .mad = NULL };

	if (!s->gaps.located)
		return;
	if (request_build(s->x.options, words, ARRAY_SIZE(words), &request))
		return;
	request.destination.have_direct = true;
	request.destination.addr = s->start.to;
	if (!request_route(&request, &error)) {
		madkit_header_put(request.mad, request.len, &request.header);
		locate(&s->x, &request);
	}
	request_free(&request);
}

static int sweeping_all(struct sweeping *s)
{
	int status;

	s->begins_ns = madkit_port_now(s->x.port);
	s->shown = s->x.out->shown;
	s->skipped = s->x.out->assertion.skipped;
	s->failed = s->x.out->assertion.failed;
	status = sweeping_run(s);
	if (status)
		return exchange_report(&s->x, NULL, status);
	status = sweeping_scope(s);
	if (!status && s->x.options->mode == MODE_TOPOLOGY)
		status = topology_file_write(&s->x, s->sweep, &s->tally.status);
	else if (!status && !s->missed)
		status = s->asks ? sweeping_ask(s) : sweeping_show(s);
	/* a deadline has a summary, too; output that cannot be written has none */
	if ((status && status != EXIT_TIMEOUT) || s->x.out->status)
		return status;
	sweeping_show_all_silent(s);
	sweep_gaps_find(s->sweep, &s->gaps);
	s->gaps.sa = s->sa;
	s->gaps.port = s->x.info;
	s->gaps.located = s->start.direct && !s->sa && !s->m_keys &&
			  s->counts.missing == MADKIT_SWEEP_NO_START;
	status = exit_worst(status,
			    exit_worst(s->tally.status, sweep_gaps_tell(s->sweep, &s->gaps,
									cli_flag(s->x.options, OPT_STRICT))));
	sweeping_locate(s);
	if (s->routes.places && route_judge(&s->routes, &s->scope) &&
	    (!status || (status == EXIT_TIMEOUT && !cli_flag(s->x.options, OPT_STRICT))))
		status = EXIT_NOTHING;
	if (!status && s->missed && !s->titled)
		status = EXIT_NOTHING;
	sweeping_summary(s);
	return status;
}

/* What the options say of all subnets. */
static int sweeping_read(struct sweeping *s, const struct cli_options *o, const struct cli_words *w,
			 struct output *out)
{
	struct madkit_error error = { .text = "" };
	int status;

	if (o->sort && strcmp(o->sort, "guid") && strcmp(o->sort, "name"))
		return cli_usage_error("--sort '%s' is not guid or name", o->sort);
	if (o->via && strcmp(o->via, "smp") && strcmp(o->via, "sa"))
		return cli_usage_error("--via '%s' is not smp or sa", o->via);
	s->sa = o->via && !strcmp(o->via, "sa");
	if (s->sa && cli_flag(o, OPT_KEEP_GOING))
		return cli_usage_error("--keep-going has no effect with --via sa");
	status = route_check(o);
	if (!status)
		status = scope_read_start(o, &s->start);
	if (status)
		return status;
	if (o->select && madkit_expr_new(o->select, &s->select, &error))
		return output_expression_error("--select", o->select, &error);
	if (s->select && madkit_expr_check(s->select, madkit_sweep_attribute(), &error))
		return output_name_error("--select", madkit_sweep_attribute(), &error);
	status = sweeping_build(s, o, w, out);
	if (!status && o->m_keys_path)
		status = m_keys_read(o->m_keys_path, &s->m_keys);
	out->sweeps = true;
	out->condition_first = !cli_flag(o, OPT_STRICT);
	return status;
}

static int sweeping_read_names(struct sweeping *s)
{
	const struct cli_options *o = s->x.options;
	struct madkit_error error = { .text = "" };
	int ret;

	if (!o->node_name_map || s->names)
		return EXIT_DONE;
	ret = madkit_name_map_read(s->x.port, o->node_name_map, &s->names, &error);
	if (ret == -EINTR && cli_stopped())
		return cli_stopped_status();
	/* the deadline, as of any file */
	if (ret == -ETIME)
		ret = -ETIMEDOUT;
	return ret ? exchange_fail(&s->x, cli_status_of(ret), ret, "%s", error.text) : EXIT_DONE;
}

/* Reports that the port cannot be used. */
static int sweeping_fail(struct sweeping *s, const char *spec, int status)
{
	if (s->titled)
		exchange_name_device(&s->x, spec);
	return exchange_report(&s->x, NULL, status);
}

/* Opens port i of n, and sweeps its subnet unless that was done through another port. */
static int sweeping_rail(struct sweeping *rails, const struct rails *list, size_t i, struct output *out,
			 const struct cli_options *o)
{
	struct sweeping *s = &rails[i];
	const uint64_t begins_ns = exchange_limit_calls(o, i, list->n);
	int status = list->specs[i] ? exchange_open_port(&s->x, o, out, list->specs[i]) :
				      exchange_open_class(&s->x, o, out,
							  s->sa && !s->request.smp ? MADKIT_CLASS_SA :
										     MADKIT_CLASS_SUBN_DR);

	status = exchange_unlimit_calls(&s->x, status, begins_ns);
	s->titled = list->n > 1;
	if (status)
		return sweeping_fail(s, list->specs[i], status);
	status = sweeping_read_names(s);
	if (status)
		return exchange_report(&s->x, NULL, status);
	for (size_t j = 0; j < i; j++)
		if (rails[j].sweep && rails_reached(rails[j].sweep, s->x.info->port_guid)) {
			cli_say("%s is in the subnet of %s", s->x.info->device, rails[j].x.info->device);
			return EXIT_DONE;
		}
	status = sweeping_begin(s);
	return status ? sweeping_fail(s, list->specs[i], status) : sweeping_all(s);
}

static void sweeping_free(struct sweeping *s)
{
	route_free(&s->routes);
	scope_free(&s->scope);
	madkit_sweep_free(s->sweep);
	exchange_close(&s->x);
}

/* Nothing was wrong but that no subnet has the node. */
static int sweeping_judge(const struct sweeping *rails, size_t n, const struct cli_options *o)
{
	bool missed = false;

	for (size_t i = 0; i < n; i++) {
		if (rails[i].sweep && !rails[i].missed)
			return EXIT_DONE;
		missed |= rails[i].missed && rails[i].titled;
	}
	if (!missed)
		return EXIT_DONE;
	if (o->route)
		cli_say("--route '%s': no subnet has such a route", o->route);
	else
		cli_say("--from '%s': no subnet has this node", o->from);
	return EXIT_NOTHING;
}

static int sweeping_run_all(struct sweeping *common, struct sweeping *rails, const struct rails *list,
			    const struct cli_options *o, struct output *out)
{
	int result = EXIT_DONE;

	for (size_t i = 0; i < list->n; i++) {
		int status;

		rails[i] = *common;
		status = sweeping_rail(rails, list, i, out, o);
		common->names = rails[i].names;
		if (cli_stopped())
			return cli_stopped_status();
		result = exit_worst(result, status);
		/* what is wrong with the options is wrong for all; otherwise, the others are swept, but not cleared */
		if (out->status || (o->node_name_map && !common->names && rails[i].x.port) ||
		    (status == EXIT_USAGE && (!rails[i].sweep || o->mode == MODE_CLEAR)))
			return result;
	}
	return result ? result : sweeping_judge(rails, list->n, o);
}

static int madsweep_run(const struct cli_options *o, struct cli_words *w, struct output *out)
{
	struct sweeping common = { .sweep = NULL }, *rails = NULL;
	struct rails list = { .n = 0 };
	int status = sweeping_read(&common, o, w, out);

	if (!status)
		status = rails_list(o, &list);
	if (!status)
		rails = calloc(list.n, sizeof(*rails));
	if (!status && !rails)
		status = cli_no_memory();
	if (!status)
		status = sweeping_run_all(&common, rails, &list, o, out);
	for (size_t i = 0; rails && i < list.n; i++)
		sweeping_free(&rails[i]);
	free(rails);
	rails_free(&list);
	request_free(&common.request);
	madkit_expr_free(common.select);
	madkit_name_map_free(common.names);
	m_keys_free(common.m_keys);
	return status;
}

static int madsweep_check(const struct cli_options *o, const struct cli_words *w)
{
	if (w->nwords && o->mode != MODE_SWEEP)
		return cli_usage_error("'%s' is an unexpected word", w->words[0]);
	if (w->command || w->command_missing)
		return cli_usage_error("-- has no effect: madsweep runs no COMMAND");
	if (o->mode == MODE_TOPOLOGY)
		return topology_file_check(o);
	if (o->mode == MODE_CLEAR && !o->select)
		return cli_usage_error("--clear needs --select: 'number > 0' selects all ports");
	if (!w->nwords && o->mode != MODE_CLEAR && (o->format == FORMAT_HEX || o->format == FORMAT_RAW))
		return cli_usage_error("there is no MAD to show: use text, table or JSON");
	return EXIT_DONE;
}

const struct command program = {
	.usage = {
		.program = "madsweep",
		.synopsis = synopsis,
		.text = help,
	},
	.check = madsweep_check,
	.run = madsweep_run,
};
