/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/terminal.h"
#include "cli/wait.h"
#include "problems.h"
#include "plan.h"
#include "report.h"
#include "verdict.h"

enum {
	REPORT_ROWS = 20, /* problems, unless --all is given */
	REPORT_INFOS = 6, /* the same of severity info */
};

int report_status(const struct check *c)
{
	const struct verdict t = verdict_count(c);

	return verdict_has_problems(c, &t) ? EXIT_NOTHING : c->unjudged ? EXIT_TIMEOUT : EXIT_DONE;
}

/* ---- text ---------------------------------------------------------------------------------- */

/* Appends the ports of switches that are down, which are no problem by themselves. */
static void report_put_down(struct madkit_buf *buf, const struct madkit_health_counts *counts)
{
	if (!counts->down)
		return;
	verdict_put_number(buf, counts->down, "switch port down (", "switch ports down (");
	verdict_put_number(buf, counts->disabled, "disabled, ", "disabled, ");
	verdict_put_number(buf, counts->polling, "polling)\n", "polling)\n");
}

/* Appends the rules that were not judged and, if quiet (there are no problems), those that were. */
static void report_put_rules(struct madkit_buf *buf, const struct check *c, bool quiet, bool compared)
{
	size_t count, shown = 0;
	const struct madkit_rule *rules = madkit_health_rules(&count);
	const char *last = "";

	for (size_t i = 0; i < count && quiet; i++)
		if (c->settings.rules >> i & 1 && (compared || !rules[i].compares))
			madkit_buf_printf(buf, "%s%s",
					  shown++     ? ", " :
					  c->unjudged ? "judged in part: " :
							"judged: ",
					  rules[i].name);
	if (shown)
		madkit_buf_char(buf, '\n');
	shown = 0;
	for (size_t i = 0; i < count; i++)
		if (!(c->settings.rules >> i & 1) && !rules[i].compares) {
			last = rules[i].name;
			madkit_buf_printf(buf, "%s%s", shown++ ? ", " : "not judged: ", last);
		}
	if (shown && !c->options->rules)
		madkit_buf_printf(buf, " (--rules standard,%s)", last);
	if (shown)
		madkit_buf_char(buf, '\n');
	if (!c->options->window_ms && !c->options->since && !c->options->rules)
		madkit_buf_printf(buf, "not judged: counters of errors that rise (--for 60s%s)\n",
				  c->options->state ? ", or --rules standard,rises" : "");
}

/* Appends how long counters were watched: a rate of bit errors is good only after the whole time of its limit. */
static void report_put_window(struct madkit_buf *buf, const struct check *c, const struct verdict *t)
{
	const uint64_t whole_ms = settings_longest_ms(c);

	if (!t->counts.compared)
		return;
	madkit_buf_str(buf, "counters of ");
	verdict_put_number(buf, t->counts.compared, "port", "ports");
	madkit_buf_str(buf, " compared over ");
	madkit_health_put_time(buf, t->counts.window_ms);
	if (t->counts.window_ms < whole_ms) {
		madkit_buf_str(buf, " of ");
		madkit_health_put_time(buf, whole_ms);
	}
	if (t->counts.fresh) {
		madkit_buf_str(buf, "; ");
		verdict_put_number(buf, t->counts.fresh, "is new or was reset", "are new or were reset");
	}
	madkit_buf_char(buf, '\n');
}

/* Appends how many devices do not have a register, by rule: "temp: 4 devices do not have the register". */
static void report_put_lacking(struct madkit_buf *buf, const struct madkit_health_counts *counts)
{
	size_t count;
	const struct madkit_rule *rules = madkit_health_rules(&count);
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		if (!counts->lacking_of[i])
			continue;
		madkit_buf_printf(buf, "%s%s: ", any ? "; " : "", rules[i].name);
		verdict_put_number(buf, counts->lacking_of[i], "device does not have the register",
				   "devices do not have the register");
		any = true;
	}
	if (any)
		madkit_buf_char(buf, '\n');
}

static int report_show_text(struct check *c, struct output *out, const struct verdict *t)
{
	struct problems_columns columns = { .terminal = &out->terminal };
	struct madkit_buf *buf = &out->buf;
	const char *word = verdict_word(c, t);
	struct problems problems, info;
	const bool first = problems_make(c, out, false, &problems),
		   listed = problems_make(c, out, true, &info) && first;

	if (listed) {
		problems_join(&problems, c->options->all, REPORT_ROWS);
		problems_join(&info, c->options->all, REPORT_INFOS);
		problems_measure(&problems, &columns);
		problems_measure(&info, &columns);
		terminal_put(buf, word,
			     !strcmp(word, "OK")       ? MADKIT_COLOR_NONE :
			     !strcmp(word, "CRITICAL") ? MADKIT_COLOR_RED :
							 MADKIT_COLOR_YELLOW,
			     &out->terminal);
		madkit_buf_str(buf, ": ");
		verdict_put(buf, c, t);
		madkit_buf_char(buf, '\n');
		problems_put(buf, &problems, &columns);
		problems_put(buf, &info, &columns);
		if (c->options->shared.mode == MODE_CHECK) {
			report_put_down(buf, &t->counts);
			if (t->counts.left_out)
				verdict_put_number(buf, t->counts.left_out,
						   "node did not report its firmware\n",
						   "nodes did not report their firmware\n");
			report_put_lacking(buf, &t->counts);
			if (t->resent)
				verdict_put_number(buf, t->resent, "request was sent again\n",
						   "requests were sent again\n");
			report_put_window(buf, c, t);
			report_put_rules(buf, c, !problems.n, t->counts.compared);
		}
		problems_put_next(buf, &problems);
	}
	free(problems.rows);
	free(info.rows);
	return listed ? output_flush(out) : cli_no_memory();
}

/* ---- JSON and tables ----------------------------------------------------------------------- */

/* Shows a problem as a line, with the port at its first end. */
static void report_show_line(struct output *out, const struct check_problem *p, struct exchange *x)
{
	const struct madkit_health_place at = p->problem->ends[0];
	const bool has_port = p->net && p->net->net.sweep && at.node != MADKIT_SWEEP_NONE && at.port >= 0;
	union problems_record record;
	struct madkit_message *message = problems_get_record(p, &record);
	const struct madkit_record *problem = message->problem, *difference = message->difference;
	struct madkit_sweep_record port;

	x->seq++;
	exchange_message(x, message->kind, message);
	message->problem = problem;
	message->difference = difference;
	if (has_port) {
		madkit_sweep_record_get(p->net->net.sweep, at.node, (unsigned int)at.port, &port);
		message->port = &port.record;
	}
	output_message(out, message);
}

struct report_summary {
	const struct check *check;
	const struct verdict *total;
};

static void report_write_summary(const void *context, struct madkit_writer *w)
{
	const struct report_summary *s = context;
	const struct verdict *t = s->total;
	const struct check *c = s->check;
	struct madkit_comparison_counts planned;

	madkit_writer_string(w, "verdict", verdict_word(c, t));
	madkit_writer_number(w, "critical", t->by[MADKIT_SEVERITY_CRITICAL]);
	madkit_writer_number(w, "warnings", t->by[MADKIT_SEVERITY_WARNING]);
	madkit_writer_number(w, "infos", t->by[MADKIT_SEVERITY_INFO]);
	madkit_writer_number(w, "accepted", c->accepted);
	madkit_writer_number(w, "closed", t->closed);
	madkit_writer_bool(w, "complete", verdict_is_complete(c));
	madkit_writer_number(w, "nodes", t->counts.nodes);
	madkit_writer_number(w, "switches", t->counts.switches);
	madkit_writer_number(w, "hosts", t->counts.hosts);
	madkit_writer_number(w, "links", t->counts.links);
	madkit_writer_number(w, "down", t->counts.down);
	madkit_writer_number(w, "unjudged", t->counts.unjudged);
	madkit_writer_number(w, "firmware_unknown", t->counts.left_out);
	madkit_writer_number(w, "registers_lacking", t->counts.lacking);
	madkit_writer_number(w, "compared", t->counts.compared);
	madkit_writer_known(w, "window_ms", t->counts.compared, t->counts.window_ms);
	if (plan_count(c->plan, &planned)) {
		madkit_writer_number(w, "plan_links", planned.links);
		madkit_writer_number(w, "plan_same", planned.same);
		madkit_writer_number(w, "plan_unknown", planned.unknown);
		madkit_writer_number(w, "plan_outside", planned.outside);
		madkit_writer_number(w, "plan_names_unknown", planned.names);
	}
	madkit_writer_number(w, "mads", t->mads);
	madkit_writer_number(w, "resent", t->resent);
	madkit_writer_number(w, "elapsed_us", verdict_elapsed_ns(c) / 1000);
}

/* Returns the exchange of the first subnet that was opened, which the lines about no subnet belong to. */
static struct exchange *report_exchange(const struct check *c, const struct check_net *net)
{
	for (size_t i = 0; i < c->nnets && (!net || !net->net.x.options); i++)
		if (c->nets[i].net.x.options)
			net = &c->nets[i];
	return net ? (struct exchange *)&net->net.x : NULL;
}

static int report_show_lines(struct check *c, struct output *out, const struct verdict *t)
{
	const struct report_summary summary = { c, t };
	const struct madkit_object data = { report_write_summary, &summary };
	struct exchange *x;
	struct madkit_message message;
	struct madkit_buf verdict;

	for (size_t i = 0; i < c->nproblems && !out->status; i++) {
		x = report_exchange(c, c->problems[i].net);
		if (!c->problems[i].accepted && x)
			report_show_line(out, &c->problems[i], x);
	}
	x = report_exchange(c, NULL);
	if (out->format == FORMAT_JSON && x) {
		x->seq++;
		exchange_message(x, MADKIT_MESSAGE_SUMMARY, &message);
		exchange_object(x, &message, &data);
	} else {
		madkit_buf_init(&verdict, 0);
		verdict_put(&verdict, c, t);
		cli_say("%s: %.*s", verdict_word(c, t), (int)verdict.len, verdict.len ? verdict.data : "");
		madkit_buf_free(&verdict);
	}
	return output_flush(out);
}

/* ---- Nagios -------------------------------------------------------------------------------- */

enum report_nagios { NAGIOS_OK, NAGIOS_WARNING, NAGIOS_CRITICAL, NAGIOS_UNKNOWN, NAGIOS_NOT_SHOWN };

/* The verdict of the line. A command, unlike the library, may have global state. */
static enum report_nagios nagios_shown = NAGIOS_NOT_SHOWN;
static bool nagios_stopped; /* a signal came before it, and it says so */

static enum report_nagios report_nagios_status(const struct check *c, const struct verdict *t)
{
	for (size_t i = 0; i < c->nnets; i++)
		if (c->nets[i].status)
			return NAGIOS_UNKNOWN;
	if (verdict_has_problems(c, t))
		return t->by[MADKIT_SEVERITY_CRITICAL] ? NAGIOS_CRITICAL : NAGIOS_WARNING;
	return c->unjudged || cli_stopped() ? NAGIOS_UNKNOWN : NAGIOS_OK;
}

/* Appends text without the character that separates it from the performance data. */
static void report_put_plain(struct madkit_buf *buf, const char *text)
{
	for (; *text; text++)
		madkit_buf_char(buf, *text == '|' ? '/' : *text);
}

static void report_put_problem(struct madkit_buf *buf, const struct check_problem *p)
{
	madkit_buf_printf(buf, "%s ", p->problem->rule->name);
	if (*p->problem->place) {
		report_put_plain(buf, p->problem->place);
		madkit_buf_str(buf, ": ");
	}
	report_put_plain(buf, p->problem->text);
}

static int report_show_nagios(struct check *c, struct output *out, const struct verdict *t)
{
	static const char *const words[] = { "OK", "WARNING", "CRITICAL", "UNKNOWN" };
	struct madkit_buf *buf = &out->buf;
	const struct check_problem *first = NULL;
	int status;

	for (size_t i = 0; i < c->nproblems && !first; i++)
		if (!c->problems[i].accepted && c->problems[i].event != MADKIT_PROBLEM_EVENT_CLOSE &&
		    c->problems[i].problem->severity >= c->severity)
			first = &c->problems[i];
	nagios_shown = report_nagios_status(c, t);
	nagios_stopped = cli_stopped();
	madkit_buf_printf(buf, "IB %s - ", words[nagios_shown]);
	verdict_put(buf, c, t);
	if (first) {
		madkit_buf_str(buf, ": ");
		report_put_problem(buf, first);
	}
	madkit_buf_printf(buf, " | 'critical'=%u;;0;0 'warnings'=%u;0;;0 'infos'=%u;;;0 'accepted'=%u;;;0",
			  t->by[MADKIT_SEVERITY_CRITICAL], t->by[MADKIT_SEVERITY_WARNING],
			  t->by[MADKIT_SEVERITY_INFO], c->accepted);
	if (c->options->shared.mode == MODE_CHECK)
		madkit_buf_printf(buf,
				  " 'nodes'=%" PRIu32 ";;;0 'links'=%" PRIu32 ";;;0 'down'=%" PRIu32 ";;;0",
				  t->counts.nodes, t->counts.links, t->counts.down);
	madkit_buf_printf(buf, " 'time'=%.3fs;;;0\n", (double)verdict_elapsed_ns(c) / 1e9);
	for (size_t i = 0; i < c->nproblems; i++) {
		const struct check_problem *p = &c->problems[i];

		if (p->accepted || p->event == MADKIT_PROBLEM_EVENT_CLOSE ||
		    p->problem->severity < c->severity)
			continue;
		madkit_buf_printf(buf, "%s ", check_severity_name(p->problem->severity));
		report_put_problem(buf, p);
		madkit_buf_char(buf, '\n');
	}
	status = output_flush(out);
	if (status)
		nagios_shown = NAGIOS_UNKNOWN; /* the line was not written */
	return status;
}

int report_nagios_end(int status)
{
	char line[320];
	int n;

	if (nagios_shown == NAGIOS_NOT_SHOWN) {
		n = snprintf(line, sizeof(line), "IB UNKNOWN - %s\n",
			     *cli_last_message()   ? cli_last_message() :
			     status >= EXIT_SIGNAL ? "ended by a signal" :
						     "the check failed");
		(void)!wait_write(STDOUT_FILENO, line, (size_t)n);
		return NAGIOS_UNKNOWN;
	}
	/* a signal or a failed output came after the line, or cut it */
	return (status >= EXIT_SIGNAL && !nagios_stopped) || status == EXIT_LOCAL ? NAGIOS_UNKNOWN :
										    (int)nagios_shown;
}

int report_show(struct check *c, struct output *out)
{
	const struct verdict t = verdict_count(c);

	if (c->options->nagios)
		return report_show_nagios(c, out, &t);
	return out->format == FORMAT_TEXT && !out->fields ? report_show_text(c, out, &t) :
							    report_show_lines(c, out, &t);
}
