/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "cli/terminal.h"
#include "problems.h"
#include "verdict.h"

enum {
	PROBLEMS_INDENT = 4, /* of a text on a separate line */
	PROBLEMS_MARGIN = 2, /* between columns */
};

static void problems_add(struct problems_row *row, const struct problems_row *other)
{
	row->n += other->n;
	row->spread |= other->first->problem->ends[0].node != row->first->problem->ends[0].node;
}

static bool problems_is_kin(const struct check_problem *a, const struct check_problem *b)
{
	return a->net == b->net && a->net && a->problem->kin == b->problem->kin && a->event == b->event;
}

void problems_join(struct problems *r, bool all, size_t limit)
{
	while (!all && r->n > limit) {
		size_t best = 0, most = 1, kept = 0;

		for (size_t i = 0; i < r->n; i++) {
			size_t n = 0;

			if (r->rows[i].n > 1)
				continue;
			for (size_t j = i; j < r->n; j++)
				n += r->rows[j].n == 1 && problems_is_kin(r->rows[i].first, r->rows[j].first);
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
			    problems_is_kin(r->rows[best].first, r->rows[i].first)) {
				problems_add(&r->rows[best], &r->rows[i]);
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

struct madkit_message *problems_get_record(const struct check_problem *p, union problems_record *r)
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

bool problems_make(const struct check *c, struct output *out, bool info, struct problems *r)
{
	*r = (struct problems){ .rows = calloc(c->nproblems + 1, sizeof(*r->rows)) };
	for (size_t i = 0; i < c->nproblems && r->rows; i++) {
		const struct check_problem *p = &c->problems[i];
		union problems_record record;
		const struct madkit_message *message;
		size_t j = 0;

		if (p->accepted || (p->problem->severity == MADKIT_SEVERITY_INFO) != info)
			continue;
		message = problems_get_record(p, &record);
		if (!output_pass_record(out, p->kind ? message->difference : message->problem))
			continue;
		while (info && j < r->n && !problems_is_kin(r->rows[j].first, p))
			j++;
		if (info && j < r->n)
			problems_add(&r->rows[j], &(struct problems_row){ .first = p, .n = 1 });
		else
			r->rows[r->n++] = (struct problems_row){ .first = p, .n = 1 };
	}
	return r->rows;
}

/* Writes what a row is about: a place, or "412 x MT4123". */
static void problems_put_place(struct madkit_buf *buf, const struct problems_row *row)
{
	if (row->n == 1)
		madkit_buf_str(buf, *row->first->problem->place ? row->first->problem->place : "-");
	else
		madkit_buf_printf(buf, "%u x %s", row->n, row->first->problem->types);
}

static void problems_put_text(struct madkit_buf *buf, const struct problems_row *row)
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

static const char *problems_severity(const struct check_problem *p)
{
	return p->event == MADKIT_PROBLEM_EVENT_CLOSE ? "closed" : check_severity_name(p->problem->severity);
}

static void problems_pad(struct madkit_buf *buf, size_t n)
{
	while (n--)
		madkit_buf_char(buf, ' ');
}

static void problems_put_severity(struct madkit_buf *buf, const struct check_problem *p,
				  const struct madkit_terminal *terminal)
{
	const char *word = problems_severity(p);
	const bool problem = p->event != MADKIT_PROBLEM_EVENT_CLOSE &&
			     p->problem->severity > MADKIT_SEVERITY_INFO;

	terminal_put(buf, word,
		     !problem                                         ? MADKIT_COLOR_NONE :
		     p->problem->severity == MADKIT_SEVERITY_CRITICAL ? MADKIT_COLOR_RED :
									MADKIT_COLOR_YELLOW,
		     terminal);
	problems_pad(buf, strlen("critical") - strlen(word) + PROBLEMS_MARGIN);
}

static void problems_put_row(struct madkit_buf *buf, const struct problems_row *row,
			     const struct problems_columns *columns)
{
	const size_t head = strlen("critical") + columns->rule + 2 * PROBLEMS_MARGIN;
	const char *rule = row->first->problem->rule->name;
	struct madkit_buf place, text;
	size_t width;

	madkit_buf_init(&place, 0);
	madkit_buf_init(&text, 0);
	problems_put_place(&place, row);
	problems_put_text(&text, row);
	width = madkit_text_columns(place.data, place.len);
	problems_put_severity(buf, row->first, columns->terminal);
	madkit_buf_str(buf, rule);
	problems_pad(buf, columns->rule - strlen(rule) + PROBLEMS_MARGIN);
	madkit_buf_add(buf, place.data, place.len);
	if (columns->terminal->columns &&
	    head + columns->place + PROBLEMS_MARGIN + madkit_text_columns(text.data, text.len) >
		    columns->terminal->columns) {
		madkit_buf_char(buf, '\n');
		problems_pad(buf, PROBLEMS_INDENT);
	} else {
		problems_pad(buf, columns->place - width + PROBLEMS_MARGIN);
	}
	madkit_buf_add(buf, text.data, text.len);
	madkit_buf_char(buf, '\n');
	if (place.error || text.error)
		buf->error = place.error ? place.error : text.error;
	madkit_buf_free(&place);
	madkit_buf_free(&text);
}

void problems_put(struct madkit_buf *buf, const struct problems *r, const struct problems_columns *columns)
{
	for (size_t i = 0; i < r->n; i++)
		problems_put_row(buf, &r->rows[i], columns);
	if (!r->more)
		return;
	madkit_buf_str(buf, "and ");
	verdict_put_number(buf, r->more, "more", "more");
	madkit_buf_str(buf, ": --all shows each\n");
}

void problems_measure(const struct problems *r, struct problems_columns *columns)
{
	for (size_t i = 0; i < r->n; i++) {
		const size_t rule = strlen(r->rows[i].first->problem->rule->name);
		struct madkit_buf place;
		size_t width;

		madkit_buf_init(&place, 0);
		problems_put_place(&place, &r->rows[i]);
		width = madkit_text_columns(place.data, place.len);
		madkit_buf_free(&place);
		columns->rule = rule > columns->rule ? rule : columns->rule;
		columns->place = width > columns->place ? width : columns->place;
	}
}

/* Checks if a row is a single problem, and the only row of its rule. */
static bool problems_is_only(const struct problems *r, size_t row)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		n += r->rows[i].first->problem->rule == r->rows[row].first->problem->rule;
	return n == 1 && r->rows[row].n == 1;
}

void problems_put_next(struct madkit_buf *buf, const struct problems *r)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct madkit_rule *rule = r->rows[i].first->problem->rule;
		size_t before = 0;

		while (before < i && r->rows[before].first->problem->rule != rule)
			before++;
		if (before != i || !rule->next || r->rows[i].first->event == MADKIT_PROBLEM_EVENT_CLOSE)
			continue;
		madkit_buf_printf(buf, "next for %s: ", rule->name);
		if (problems_is_only(r, i) && r->rows[i].first->net)
			judge_put_next(buf, &r->rows[i].first->net->net, r->rows[i].first->problem);
		else
			madkit_buf_str(buf, rule->next);
		madkit_buf_char(buf, '\n');
	}
}
