/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "plan.h"
#include "subnet/gaps.h"
#include "verdict.h"

struct verdict verdict_count(const struct check *c)
{
	struct verdict t = { .mads = 0 };

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
		t.counts.lacking += one.lacking;
		for (size_t rule = 0; rule < MADKIT_HEALTH_RULES_MAX; rule++)
			t.counts.lacking_of[rule] += one.lacking_of[rule];
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

bool verdict_has_problems(const struct check *c, const struct verdict *t)
{
	for (unsigned int severity = c->severity; severity <= MADKIT_SEVERITY_CRITICAL; severity++)
		if (t->by[severity])
			return true;
	return false;
}

uint64_t verdict_elapsed_ns(const struct check *c)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < c->nnets; i++)
		if (c->nets[i].net.x.port && c->nets[i].net.begins_ns)
			ns += madkit_port_now(c->nets[i].net.x.port) - c->nets[i].net.begins_ns;
	return ns;
}

/* ---- text ---------------------------------------------------------------------------------- */

void verdict_put_number(struct madkit_buf *buf, uint64_t n, const char *one, const char *many)
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

const char *verdict_word(const struct check *c, const struct verdict *t)
{
	if (t->by[MADKIT_SEVERITY_CRITICAL])
		return "CRITICAL";
	if (verdict_has_problems(c, t))
		return "WARNING";
	return c->unjudged ? "UNKNOWN" : "OK";
}

/* Appends the numbers of problems: "1 critical problem, 2 warnings". */
static void verdict_put_problems(struct madkit_buf *buf, const struct check *c, const struct verdict *t)
{
	const unsigned int critical = t->by[MADKIT_SEVERITY_CRITICAL],
			   warnings = t->by[MADKIT_SEVERITY_WARNING];

	if (critical)
		verdict_put_number(buf, critical, "critical problem", "critical problems");
	if (critical && warnings)
		madkit_buf_str(buf, ", ");
	if (warnings)
		verdict_put_number(buf, warnings, "warning", "warnings");
	if (critical || warnings)
		return;
	if (verdict_has_problems(c, t))
		verdict_put_number(buf, t->by[MADKIT_SEVERITY_INFO], "problem of severity info",
				   "problems of severity info");
	else
		madkit_buf_str(buf, "no problems");
}

/* Appends how many links are as in the plan, and how many were not compared: "plan: 9 of 10 links as planned (2 unknown)". */
static void verdict_put_plan(struct madkit_buf *buf, const struct madkit_comparison_counts *n)
{
	const uint32_t compared = n->links - n->unknown - n->outside;

	madkit_buf_str(buf, "; plan: ");
	if (n->same != compared)
		verdict_put_number(buf, n->same, "of ", "of ");
	verdict_put_number(buf, compared, "link as planned", "links as planned");
	if (n->unknown || n->outside)
		madkit_buf_str(buf, " (");
	if (n->unknown)
		verdict_put_number(buf, n->unknown, "unknown", "unknown");
	if (n->unknown && n->outside)
		madkit_buf_str(buf, ", ");
	if (n->outside)
		verdict_put_number(buf, n->outside, "outside --scope", "outside --scope");
	if (n->unknown || n->outside)
		madkit_buf_char(buf, ')');
	if (n->names) {
		madkit_buf_str(buf, "; ");
		verdict_put_number(buf, n->names, "name of the plan is not in the subnet",
				   "names of the plan are not in the subnet");
	}
}

void verdict_put(struct madkit_buf *buf, const struct check *c, const struct verdict *t)
{
	const bool local = c->options->shared.mode == MODE_CHECK_LOCAL;
	struct madkit_comparison_counts planned;

	verdict_put_problems(buf, c, t);
	madkit_buf_str(buf, " in ");
	if (local) {
		verdict_put_number(buf, c->nnets, "port", "ports");
		madkit_buf_str(buf, " of this host");
	} else {
		verdict_put_number(buf, t->counts.nodes, "node", "nodes");
		madkit_buf_str(buf, " (");
		verdict_put_number(buf, t->counts.switches, "switch", "switches");
		madkit_buf_str(buf, "), ");
		verdict_put_number(buf, t->counts.links, "link", "links");
	}
	if (plan_count(c->plan, &planned))
		verdict_put_plan(buf, &planned);
	if (c->accepted) {
		madkit_buf_str(buf, "; ");
		verdict_put_number(buf, c->accepted, "known deviation", "known deviations");
	}
	if (c->accepted_silent)
		madkit_buf_printf(buf, " (%u silent: the nodes there were not judged)", c->accepted_silent);
	if (t->closed) {
		madkit_buf_str(buf, "; ");
		verdict_put_number(buf, t->closed, "problem closed", "problems closed");
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

bool verdict_is_complete(const struct check *c)
{
	for (size_t i = 0; i < c->nproblems; i++)
		if (c->problems[i].event != MADKIT_PROBLEM_EVENT_CLOSE &&
		    !strcmp(c->problems[i].problem->rule->name, "silent"))
			return false;
	return !c->unjudged;
}
