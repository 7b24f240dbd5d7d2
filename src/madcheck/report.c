/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/terminal.h"
#include "cli/wait.h"
#include "plan.h"
#include "report.h"
#include "subnet/gaps.h"

enum {
	REPORT_ROWS = 20,  /* problems, unless --all is given */
	REPORT_INFOS = 6,  /* the same of severity info */
	REPORT_INDENT = 4, /* of a text on a separate line */
	REPORT_MARGIN = 2, /* between columns */
};

/* The numbers of all subnets. */
struct report_total {
	struct madkit_health_counts counts;
	unsigned int by[MADKIT_SEVERITY_CRITICAL + 1]; /* problems that are open and not accepted */
	unsigned int closed;
	uint64_t mads, resent;
};

static struct report_total report_count(const struct check *c)
{
	struct report_total t = { .mads = 0 };

	for (size_t i = 0; i < c->nnets; i++) {
		const struct check_net *n = &c->nets[i];
		struct madkit_health_counts one;

		t.mads += n->net.counts.sent + n->judged.mads;
		t.resent += n->net.counts.resent + n->judged.resent;
		if (!n->judged.health)
			continue;
		madkit_health_count(n->judged.health, &one);
		t.counts.nodes += one.nodes;
		t.counts.switches += one.switches;
		t.counts.hosts += one.hosts;
		t.counts.links += one.links;
		t.counts.down += one.down;
		t.counts.disabled += one.disabled;
		t.counts.polling += one.polling;
		t.counts.unjudged += one.unjudged;
		t.counts.left_out += one.left_out;
		t.counts.compared += one.compared;
		t.counts.fresh += one.fresh;
		if (one.compared && (!t.counts.window_ms || one.window_ms < t.counts.window_ms))
			t.counts.window_ms = one.window_ms;
	}
	for (size_t i = 0; i < c->nproblems; i++) {
		const struct check_problem *p = &c->problems[i];

		if (p->event == MADKIT_PROBLEM_EVENT_CLOSE)
			t.closed++;
		else if (!p->accepted)
			t.by[p->problem->severity]++;
	}
	return t;
}

static bool report_has_problems(const struct check *c, const struct report_total *t)
{
	for (unsigned int severity = c->severity; severity <= MADKIT_SEVERITY_CRITICAL; severity++)
		if (t->by[severity])
			return true;
	return false;
}

int report_status(const struct check *c)
{
	const struct report_total t = report_count(c);

	return report_has_problems(c, &t) ? EXIT_NOTHING : c->unjudged ? EXIT_TIMEOUT : EXIT_DONE;
}

/* Returns the duration on the clocks of the ports, which may be virtual. */
static uint64_t report_elapsed_ns(const struct check *c)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < c->nnets; i++)
		if (c->nets[i].net.x.port && c->nets[i].net.begins_ns)
			ns += madkit_port_now(c->nets[i].net.x.port) - c->nets[i].net.begins_ns;
	return ns;
}

/* ---- the verdict --------------------------------------------------------------------------- */

/* Appends a number with a comma after each thousand, and a word. */
static void report_put(struct madkit_buf *buf, uint64_t n, const char *one, const char *many)
{
	char digits[24];
	const size_t len = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, n);

	for (size_t i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			madkit_buf_char(buf, ',');
		madkit_buf_char(buf, digits[i]);
	}
	madkit_buf_printf(buf, " %s", n == 1 ? one : many);
}

/* Returns the word of the verdict. */
static const char *report_word(const struct check *c, const struct report_total *t)
{
	if (t->by[MADKIT_SEVERITY_CRITICAL])
		return "CRITICAL";
	if (report_has_problems(c, t))
		return "WARNING";
	return c->unjudged ? "UNKNOWN" : "OK";
}

/* Appends the numbers of problems: "1 critical problem, 2 warnings". */
static void report_put_problems(struct madkit_buf *buf, const struct check *c, const struct report_total *t)
{
	const unsigned int critical = t->by[MADKIT_SEVERITY_CRITICAL],
			   warnings = t->by[MADKIT_SEVERITY_WARNING];

	if (critical)
		report_put(buf, critical, "critical problem", "critical problems");
	if (critical && warnings)
		madkit_buf_str(buf, ", ");
	if (warnings)
		report_put(buf, warnings, "warning", "warnings");
	if (critical || warnings)
		return;
	if (report_has_problems(c, t))
		report_put(buf, t->by[MADKIT_SEVERITY_INFO], "problem of severity info",
			   "problems of severity info");
	else
		madkit_buf_str(buf, "no problems");
}

/* Appends how many links are as in the plan, and how many were not compared: "plan: 9 of 10 links as planned (2 unknown)". */
static void report_put_plan(struct madkit_buf *buf, const struct madkit_comparison_counts *n)
{
	const uint32_t compared = n->links - n->unknown - n->outside;

	madkit_buf_str(buf, "; plan: ");
	if (n->same != compared)
		report_put(buf, n->same, "of ", "of ");
	report_put(buf, compared, "link as planned", "links as planned");
	if (n->unknown || n->outside)
		madkit_buf_str(buf, " (");
	if (n->unknown)
		report_put(buf, n->unknown, "unknown", "unknown");
	if (n->unknown && n->outside)
		madkit_buf_str(buf, ", ");
	if (n->outside)
		report_put(buf, n->outside, "outside --scope", "outside --scope");
	if (n->unknown || n->outside)
		madkit_buf_char(buf, ')');
}

/* Appends the sentence that begins the report. */
static void report_put_verdict(struct madkit_buf *buf, const struct check *c, const struct report_total *t)
{
	const bool local = c->options->shared.mode == MODE_CHECK_LOCAL;
	struct madkit_comparison_counts planned;

	report_put_problems(buf, c, t);
	madkit_buf_str(buf, " in ");
	if (local) {
		report_put(buf, c->nnets, "port", "ports");
		madkit_buf_str(buf, " of this host");
	} else {
		report_put(buf, t->counts.nodes, "node", "nodes");
		madkit_buf_str(buf, " (");
		report_put(buf, t->counts.switches, "switch", "switches");
		madkit_buf_str(buf, "), ");
		report_put(buf, t->counts.links, "link", "links");
	}
	if (plan_count(c->plan, &planned))
		report_put_plan(buf, &planned);
	if (c->accepted) {
		madkit_buf_str(buf, "; ");
		report_put(buf, c->accepted, "known deviation", "known deviations");
	}
	if (c->accepted_silent)
		madkit_buf_printf(buf, " (%u silent: the nodes there were not judged)", c->accepted_silent);
	if (t->closed) {
		madkit_buf_str(buf, "; ");
		report_put(buf, t->closed, "problem closed", "problems closed");
	}
	if (t->counts.fresh && !t->counts.compared)
		madkit_buf_str(buf, "; counters are compared by the next check");
	if (c->unjudged)
		madkit_buf_str(buf, "; not everything was judged");
	for (size_t i = 0; i < c->nnets && c->unjudged; i++) {
		const struct gaps gaps = { .missing = c->nets[i].net.counts.missing };

		if (!gaps_reason(&gaps))
			continue;
		madkit_buf_printf(buf, " (%s)", gaps_reason(&gaps));
		break;
	}
}

/* Checks if everything was judged: what does not respond was not, even if that is a problem by itself. */
static bool report_is_complete(const struct check *c)
{
	for (size_t i = 0; i < c->nproblems; i++)
		if (c->problems[i].event != MADKIT_PROBLEM_EVENT_CLOSE &&
		    !strcmp(c->problems[i].problem->rule->name, "silent"))
			return false;
	return !c->unjudged;
}

/* ---- text ---------------------------------------------------------------------------------- */

/* A row: a problem, or several with equal text and types of device. */
struct report_row {
	const struct check_problem *first;
	unsigned int n;
	bool spread; /* their first ends are at several nodes */
};

struct report_rows {
	struct report_row *rows;
	size_t n;
	size_t more; /* problems that are not shown */
};

static void report_row_add(struct report_row *row, const struct report_row *other)
{
	row->n += other->n;
	row->spread |= other->first->problem->ends[0].node != row->first->problem->ends[0].node;
}

static bool report_is_kin(const struct check_problem *a, const struct check_problem *b)
{
	return a->net == b->net && a->net && a->problem->kin == b->problem->kin && a->event == b->event;
}

/* Joins problems to rows: those of severity info always, others if each would take too many rows. The largest groups are
 * joined first. */
static void report_join(struct report_rows *r, bool all, size_t limit)
{
	while (!all && r->n > limit) {
		size_t best = 0, most = 1, kept = 0;

		for (size_t i = 0; i < r->n; i++) {
			size_t n = 0;

			if (r->rows[i].n > 1)
				continue;
			for (size_t j = i; j < r->n; j++)
				n += r->rows[j].n == 1 && report_is_kin(r->rows[i].first, r->rows[j].first);
			if (n > most) {
				most = n;
				best = i;
			}
			/* no later group of this one is larger */
			if (n > r->n / 2)
				break;
		}
		if (most == 1)
			break;
		for (size_t i = 0; i < r->n; i++) {
			if (i > best && r->rows[i].n == 1 &&
			    report_is_kin(r->rows[best].first, r->rows[i].first)) {
				report_row_add(&r->rows[best], &r->rows[i]);
				continue;
			}
			r->rows[kept++] = r->rows[i];
		}
		r->n = kept;
	}
	if (all || r->n <= limit)
		return;
	for (size_t i = limit - 1; i < r->n; i++)
		r->more += r->rows[i].n;
	r->n = limit - 1;
}

/* A problem or a difference as a record. */
union report_record {
	struct madkit_health_record problem;
	struct madkit_difference_record difference;
};

/* Makes the record of a problem. Returns its message, whose record is that of the union. */
static struct madkit_message *report_make_record(const struct check_problem *p, union report_record *r)
{
	const struct madkit_problem *q = p->problem;
	const char *since = *p->since ? p->since : NULL;
	const struct madkit_difference difference = {
		.kind = p->kind,
		.severity = q->severity,
		.key = q->key,
		.place = q->place,
		.before = q->limit,
		.after = q->value,
		.text = q->text,
	};

	if (!p->kind) {
		madkit_health_record(q, p->event, since, &r->problem);
		return &r->problem.message;
	}
	madkit_difference_record(&difference, p->event, since, 0, &r->difference);
	return &r->difference.message;
}

/* Lists the problems that are shown. info: only those of severity info, each kind once; else the others. Returns false if
 * out of memory. */
static bool report_list(const struct check *c, struct output *out, bool info, struct report_rows *r)
{
	*r = (struct report_rows){ .rows = calloc(c->nproblems + 1, sizeof(*r->rows)) };
	for (size_t i = 0; i < c->nproblems && r->rows; i++) {
		const struct check_problem *p = &c->problems[i];
		union report_record record;
		const struct madkit_message *message;
		size_t j = 0;

		if (p->accepted || (p->problem->severity == MADKIT_SEVERITY_INFO) != info)
			continue;
		message = report_make_record(p, &record);
		if (!output_pass_record(out, p->kind ? message->difference : message->problem))
			continue;
		while (info && j < r->n && !report_is_kin(r->rows[j].first, p))
			j++;
		if (info && j < r->n)
			report_row_add(&r->rows[j], &(struct report_row){ .first = p, .n = 1 });
		else
			r->rows[r->n++] = (struct report_row){ .first = p, .n = 1 };
	}
	return r->rows;
}

/* The columns of a table of problems. */
struct report_columns {
	size_t rule, place; /* characters */
	const struct madkit_terminal *terminal;
};

/* Writes what a row is about: a place, or "412 x MT4123". */
static void report_put_place(struct madkit_buf *buf, const struct report_row *row)
{
	if (row->n == 1)
		madkit_buf_str(buf, *row->first->problem->place ? row->first->problem->place : "-");
	else
		madkit_buf_printf(buf, "%u x %s", row->n, row->first->problem->types);
}

static void report_put_text(struct madkit_buf *buf, const struct report_row *row)
{
	const struct check_problem *p = row->first;
	const struct madkit_health_place at = p->problem->ends[0];

	madkit_buf_str(buf, p->problem->text);
	if (row->n > 1 && !row->spread && p->net && at.node != MADKIT_SWEEP_NONE) {
		madkit_buf_str(buf, ", all at ");
		madkit_sweep_put_place(p->net->net.sweep, buf, at.node, -1);
	}
	if (row->n > 1 && *p->problem->place)
		madkit_buf_printf(buf, ", such as %s", p->problem->place);
	/* a new problem has none */
	if (row->n == 1 && p->event != MADKIT_PROBLEM_EVENT_OPEN)
		madkit_buf_printf(buf, " (since %s)", p->since);
}

static const char *report_severity(const struct check_problem *p)
{
	return p->event == MADKIT_PROBLEM_EVENT_CLOSE ? "closed" : check_severity_name(p->problem->severity);
}

static void report_pad(struct madkit_buf *buf, size_t n)
{
	while (n--)
		madkit_buf_char(buf, ' ');
}

static void report_put_severity(struct madkit_buf *buf, const struct check_problem *p,
				const struct madkit_terminal *terminal)
{
	const char *word = report_severity(p);
	const bool problem = p->event != MADKIT_PROBLEM_EVENT_CLOSE &&
			     p->problem->severity > MADKIT_SEVERITY_INFO;

	terminal_put(buf, word,
		     !problem                                         ? MADKIT_COLOR_NONE :
		     p->problem->severity == MADKIT_SEVERITY_CRITICAL ? MADKIT_COLOR_RED :
									MADKIT_COLOR_YELLOW,
		     terminal);
	report_pad(buf, strlen("critical") - strlen(word) + REPORT_MARGIN);
}

static void report_put_row(struct madkit_buf *buf, const struct report_row *row,
			   const struct report_columns *columns)
{
	const size_t head = strlen("critical") + columns->rule + 2 * REPORT_MARGIN;
	const char *rule = row->first->problem->rule->name;
	struct madkit_buf place, text;
	size_t width;

	madkit_buf_init(&place, 0);
	madkit_buf_init(&text, 0);
	report_put_place(&place, row);
	report_put_text(&text, row);
	width = madkit_text_columns(place.data, place.len);
	report_put_severity(buf, row->first, columns->terminal);
	madkit_buf_str(buf, rule);
	report_pad(buf, columns->rule - strlen(rule) + REPORT_MARGIN);
	madkit_buf_add(buf, place.data, place.len);
	if (columns->terminal->columns &&
	    head + columns->place + REPORT_MARGIN + madkit_text_columns(text.data, text.len) >
		    columns->terminal->columns) {
		madkit_buf_char(buf, '\n');
		report_pad(buf, REPORT_INDENT);
	} else {
		report_pad(buf, columns->place - width + REPORT_MARGIN);
	}
	madkit_buf_add(buf, text.data, text.len);
	madkit_buf_char(buf, '\n');
	if (place.error || text.error)
		buf->error = place.error ? place.error : text.error;
	madkit_buf_free(&place);
	madkit_buf_free(&text);
}

static void report_put_rows(struct madkit_buf *buf, const struct report_rows *r,
			    const struct report_columns *columns)
{
	for (size_t i = 0; i < r->n; i++)
		report_put_row(buf, &r->rows[i], columns);
	if (!r->more)
		return;
	madkit_buf_str(buf, "and ");
	report_put(buf, r->more, "more", "more");
	madkit_buf_str(buf, ": --all shows each\n");
}

static void report_measure(const struct report_rows *r, struct report_columns *columns)
{
	for (size_t i = 0; i < r->n; i++) {
		const size_t rule = strlen(r->rows[i].first->problem->rule->name);
		struct madkit_buf place;
		size_t width;

		madkit_buf_init(&place, 0);
		report_put_place(&place, &r->rows[i]);
		width = madkit_text_columns(place.data, place.len);
		madkit_buf_free(&place);
		columns->rule = rule > columns->rule ? rule : columns->rule;
		columns->place = width > columns->place ? width : columns->place;
	}
}

/* Checks if a row is a single problem, and the only row of its rule. */
static bool report_is_only(const struct report_rows *r, size_t row)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		n += r->rows[i].first->problem->rule == r->rows[row].first->problem->rule;
	return n == 1 && r->rows[row].n == 1;
}

/* Appends what to do next, once for each rule of the rows. */
static void report_put_next(struct madkit_buf *buf, const struct report_rows *r)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct madkit_rule *rule = r->rows[i].first->problem->rule;
		size_t before = 0;

		while (before < i && r->rows[before].first->problem->rule != rule)
			before++;
		if (before != i || !rule->next || r->rows[i].first->event == MADKIT_PROBLEM_EVENT_CLOSE)
			continue;
		madkit_buf_printf(buf, "next for %s: ", rule->name);
		if (report_is_only(r, i) && r->rows[i].first->net)
			judge_put_next(buf, &r->rows[i].first->net->net, r->rows[i].first->problem);
		else
			madkit_buf_str(buf, rule->next);
		madkit_buf_char(buf, '\n');
	}
}

/* Appends the ports of switches that are down, which are no problem by themselves. */
static void report_put_down(struct madkit_buf *buf, const struct madkit_health_counts *counts)
{
	if (!counts->down)
		return;
	report_put(buf, counts->down, "switch port down (", "switch ports down (");
	report_put(buf, counts->disabled, "disabled, ", "disabled, ");
	report_put(buf, counts->polling, "polling)\n", "polling)\n");
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
static void report_put_window(struct madkit_buf *buf, const struct check *c, const struct report_total *t)
{
	const uint64_t whole_ms = settings_longest_ms(c);

	if (!t->counts.compared)
		return;
	madkit_buf_str(buf, "counters of ");
	report_put(buf, t->counts.compared, "port", "ports");
	madkit_buf_str(buf, " compared over ");
	madkit_health_put_time(buf, t->counts.window_ms);
	if (t->counts.window_ms < whole_ms) {
		madkit_buf_str(buf, " of ");
		madkit_health_put_time(buf, whole_ms);
	}
	if (t->counts.fresh) {
		madkit_buf_str(buf, "; ");
		report_put(buf, t->counts.fresh, "is new or was reset", "are new or were reset");
	}
	madkit_buf_char(buf, '\n');
}

static int report_show_text(struct check *c, struct output *out, const struct report_total *t)
{
	struct report_columns columns = { .terminal = &out->terminal };
	struct madkit_buf *buf = &out->buf;
	const char *word = report_word(c, t);
	struct report_rows problems, info;
	const bool first = report_list(c, out, false, &problems),
		   listed = report_list(c, out, true, &info) && first;

	if (listed) {
		report_join(&problems, c->options->all, REPORT_ROWS);
		report_join(&info, c->options->all, REPORT_INFOS);
		report_measure(&problems, &columns);
		report_measure(&info, &columns);
		terminal_put(buf, word,
			     !strcmp(word, "OK")       ? MADKIT_COLOR_NONE :
			     !strcmp(word, "CRITICAL") ? MADKIT_COLOR_RED :
							 MADKIT_COLOR_YELLOW,
			     &out->terminal);
		madkit_buf_str(buf, ": ");
		report_put_verdict(buf, c, t);
		madkit_buf_char(buf, '\n');
		report_put_rows(buf, &problems, &columns);
		report_put_rows(buf, &info, &columns);
		if (c->options->shared.mode == MODE_CHECK) {
			report_put_down(buf, &t->counts);
			if (t->counts.left_out)
				report_put(buf, t->counts.left_out, "node did not report its firmware\n",
					   "nodes did not report their firmware\n");
			if (t->resent)
				report_put(buf, t->resent, "request was sent again\n",
					   "requests were sent again\n");
			report_put_window(buf, c, t);
			report_put_rules(buf, c, !problems.n, t->counts.compared);
		}
		report_put_next(buf, &problems);
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
	union report_record record;
	struct madkit_message *message = report_make_record(p, &record);
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
	const struct report_total *total;
};

static void report_write_summary(const void *context, struct madkit_writer *w)
{
	const struct report_summary *s = context;
	const struct report_total *t = s->total;
	const struct check *c = s->check;

	madkit_writer_string(w, "verdict", report_word(c, t));
	madkit_writer_number(w, "critical", t->by[MADKIT_SEVERITY_CRITICAL]);
	madkit_writer_number(w, "warnings", t->by[MADKIT_SEVERITY_WARNING]);
	madkit_writer_number(w, "infos", t->by[MADKIT_SEVERITY_INFO]);
	madkit_writer_number(w, "accepted", c->accepted);
	madkit_writer_number(w, "closed", t->closed);
	madkit_writer_bool(w, "complete", report_is_complete(c));
	madkit_writer_number(w, "nodes", t->counts.nodes);
	madkit_writer_number(w, "switches", t->counts.switches);
	madkit_writer_number(w, "hosts", t->counts.hosts);
	madkit_writer_number(w, "links", t->counts.links);
	madkit_writer_number(w, "down", t->counts.down);
	madkit_writer_number(w, "unjudged", t->counts.unjudged);
	madkit_writer_number(w, "firmware_unknown", t->counts.left_out);
	madkit_writer_number(w, "compared", t->counts.compared);
	madkit_writer_known(w, "window_ms", t->counts.compared, t->counts.window_ms);
	madkit_writer_number(w, "mads", t->mads);
	madkit_writer_number(w, "resent", t->resent);
	madkit_writer_number(w, "elapsed_us", report_elapsed_ns(c) / 1000);
}

/* Returns the exchange of the first subnet that was opened, which the lines about no subnet belong to. */
static struct exchange *report_exchange(const struct check *c, const struct check_net *net)
{
	for (size_t i = 0; i < c->nnets && (!net || !net->net.x.options); i++)
		if (c->nets[i].net.x.options)
			net = &c->nets[i];
	return net ? (struct exchange *)&net->net.x : NULL;
}

static int report_show_lines(struct check *c, struct output *out, const struct report_total *t)
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
		report_put_verdict(&verdict, c, t);
		cli_say("%s: %.*s", report_word(c, t), (int)verdict.len, verdict.len ? verdict.data : "");
		madkit_buf_free(&verdict);
	}
	return output_flush(out);
}

/* ---- Nagios -------------------------------------------------------------------------------- */

enum report_nagios { NAGIOS_OK, NAGIOS_WARNING, NAGIOS_CRITICAL, NAGIOS_UNKNOWN, NAGIOS_NOT_SHOWN };

/* The verdict of the line. A command, unlike the library, may have global state. */
static enum report_nagios nagios_shown = NAGIOS_NOT_SHOWN;
static bool nagios_stopped; /* a signal came before it, and it says so */

static enum report_nagios report_nagios_status(const struct check *c, const struct report_total *t)
{
	for (size_t i = 0; i < c->nnets; i++)
		if (c->nets[i].status)
			return NAGIOS_UNKNOWN;
	if (report_has_problems(c, t))
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

static int report_show_nagios(struct check *c, struct output *out, const struct report_total *t)
{
	static const char *const words[] = { "OK", "WARNING", "CRITICAL", "UNKNOWN" };
	struct madkit_buf *buf = &out->buf;
	const struct check_problem *first = NULL;

	for (size_t i = 0; i < c->nproblems && !first; i++)
		if (!c->problems[i].accepted && c->problems[i].event != MADKIT_PROBLEM_EVENT_CLOSE &&
		    c->problems[i].problem->severity >= c->severity)
			first = &c->problems[i];
	nagios_shown = report_nagios_status(c, t);
	nagios_stopped = cli_stopped();
	madkit_buf_printf(buf, "IB %s - ", words[nagios_shown]);
	report_put_verdict(buf, c, t);
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
	madkit_buf_printf(buf, " 'time'=%.3fs;;;0\n", (double)report_elapsed_ns(c) / 1e9);
	for (size_t i = 0; i < c->nproblems; i++) {
		const struct check_problem *p = &c->problems[i];

		if (p->accepted || p->event == MADKIT_PROBLEM_EVENT_CLOSE ||
		    p->problem->severity < c->severity)
			continue;
		madkit_buf_printf(buf, "%s ", check_severity_name(p->problem->severity));
		report_put_problem(buf, p);
		madkit_buf_char(buf, '\n');
	}
	return output_flush(out);
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
	const struct report_total t = report_count(c);

	if (c->options->nagios)
		return report_show_nagios(c, out, &t);
	return out->format == FORMAT_TEXT && !out->fields ? report_show_text(c, out, &t) :
							    report_show_lines(c, out, &t);
}
