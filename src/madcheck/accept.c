/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#define _GNU_SOURCE /* FNM_CASEFOLD */
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "accept.h"
#include "cli/create_file.h"
#include "cli/text_file.h"
#include "cli/wait.h"
#include "plan.h"

enum { ACCEPT_LINES_MAX = 100000 };

/* A line. */
struct accept_line {
	struct accept_line *next;
	unsigned int number;
	bool expired;
	bool matched;                     /* a problem, expired or not */
	char until[sizeof("2026-11-20")]; /* "": no end */
	char *rule;                       /* a name of a rule, or "*" */
	char *place;                      /* a glob */
	char *other;                      /* of "PLACE <-> OTHER"; NULL: none */
};

struct accept {
	const char *path;
	struct accept_line *first, **last;
	unsigned int count;
	char today[sizeof("2026-11-20")];
};

/* ---- reading ------------------------------------------------------------------------------- */

static bool accept_is_rule(const char *name)
{
	size_t count;
	const struct madkit_rule *rules = madkit_health_rules(&count);

	for (size_t i = 0; i < count; i++)
		if (!strcmp(rules[i].name, name))
			return true;
	return !strcmp(name, "*") || !strcmp(name, "down") || !strcmp(name, "expect") || plan_kind(name);
}

/* Takes until=YYYY-MM-DD. */
static bool accept_take_date(const char *text, size_t len, char date[sizeof("2026-11-20")])
{
	struct tm tm = { .tm_year = 0 };
	const char *end;
	int day;

	if (len != strlen("2026-11-20"))
		return false;
	memcpy(date, text, len);
	date[len] = 0;
	end = strptime(date, "%Y-%m-%d", &tm);
	/* February has no 30th day */
	day = tm.tm_mday;
	return end && !*end && timegm(&tm) != -1 && tm.tm_mday == day;
}

/* Takes the words behind the place. */
static int accept_take_rest(struct accept *accept, struct accept_line *l, const struct text_line *line,
			    size_t at)
{
	static const char until[] = "until=";
	const size_t skip = sizeof(until) - 1;
	struct text_word word;

	while ((word = text_word_next(line, &at)).len) {
		if (word.len < skip || memcmp(word.text, until, skip) != 0)
			return text_line_error(line, word.column,
					       "'%.*s' is not until=DATE; # begins the reason",
					       word.len < 40 ? (int)word.len : 40, word.text);
		if (!accept_take_date(word.text + skip, word.len - skip, l->until))
			return text_line_error(line, word.column + (unsigned int)skip,
					       "'%.*s' is not a date such as 2026-12-31",
					       word.len - skip < 40 ? (int)(word.len - skip) : 40,
					       word.text + skip);
		l->expired = strcmp(l->until, accept->today) < 0;
	}
	return EXIT_DONE;
}

/* Takes the second end of a link, as it is printed: "leaf1/4 <-> spine1/1". */
static struct text_word accept_take_other(const struct text_line *line, size_t *at)
{
	size_t next = *at;
	struct text_word word = text_word_next(line, &next);

	if (word.len != strlen("<->") || memcmp(word.text, "<->", word.len) != 0)
		return (struct text_word){ .len = 0 };
	word = text_word_next(line, &next);
	if (word.len)
		*at = next;
	return word;
}

static int accept_take_line(void *context, const struct text_line *line)
{
	struct accept *accept = context;
	struct accept_line *l;
	size_t at = 0;
	struct text_word rule = text_word_next(line, &at), place = text_word_next(line, &at), other;

	if (!rule.len)
		return EXIT_DONE;
	if (!place.len)
		return text_line_error(line, place.column, "expected RULE PLACE");
	if (*place.text == '"')
		return text_line_error(line, place.column, "the quotes of PLACE are not closed");
	if (++accept->count > ACCEPT_LINES_MAX)
		return text_line_error(line, 1, "the file has more than %d entries", ACCEPT_LINES_MAX);
	l = calloc(1, sizeof(*l));
	if (!l)
		return cli_no_memory();
	*accept->last = l;
	accept->last = &l->next;
	l->number = line->number;
	other = accept_take_other(line, &at);
	l->rule = strndup(rule.text, rule.len);
	l->place = strndup(place.text, place.len);
	l->other = other.len ? strndup(other.text, other.len) : NULL;
	if (!l->rule || !l->place || !l->other != !other.len)
		return cli_no_memory();
	if (!accept_is_rule(l->rule))
		return text_line_error(line, rule.column, "there is no rule '%.40s'", l->rule);
	return accept_take_rest(accept, l, line, at);
}

int accept_read(const char *path, struct accept **result)
{
	struct accept *accept = calloc(1, sizeof(*accept));
	const time_t now = time(NULL);
	struct tm tm;

	*result = accept;
	if (!accept)
		return cli_no_memory();
	accept->path = path;
	accept->last = &accept->first;
	if (localtime_r(&now, &tm))
		strftime(accept->today, sizeof(accept->today), "%Y-%m-%d", &tm);
	return text_file_read(path, false, accept_take_line, accept);
}

void accept_free(struct accept *accept)
{
	for (struct accept_line *l = accept ? accept->first : NULL, *next; l; l = next) {
		next = l->next;
		free(l->rule);
		free(l->place);
		free(l->other);
		free(l);
	}
	free(accept);
}

/* ---- matching ------------------------------------------------------------------------------ */

static bool accept_fits(const char *glob, const char *text)
{
	return !fnmatch(glob, text, FNM_CASEFOLD | FNM_NOESCAPE);
}

/* Checks if a glob fits a GUID, and a port unless it is -1. */
static bool accept_fits_guid(const char *glob, uint64_t guid, int port)
{
	char id[40];

	snprintf(id, sizeof(id), port < 0 ? "0x%016" PRIx64 : "0x%016" PRIx64 "/%d", guid, port);
	return accept_fits(glob, id);
}

/* Appends an end by the whole name of its node, which does not depend on those of other nodes. Returns false if it has
 * none. */
static bool accept_put_name(struct madkit_buf *buf, const struct madkit_sweep *sweep,
			    struct madkit_health_place at)
{
	const struct subnet_name name = subnet_name(sweep, madkit_sweep_node(sweep, at.node));

	madkit_text_escape(buf, name.text, name.len);
	if (at.port >= 0)
		madkit_buf_printf(buf, "/%d", at.port);
	return name.len;
}

/* Checks if a glob fits an end by its place, the whole name of its node, or a GUID. */
static bool accept_fits_end(const char *glob, const struct check_net *net, struct madkit_health_place at)
{
	const struct madkit_sweep *sweep = net->net.sweep;
	const struct madkit_sweep_node *n;
	struct madkit_buf text;
	bool fits, named;

	if (at.node == MADKIT_SWEEP_NONE)
		return false;
	n = madkit_sweep_node(sweep, at.node);
	if (accept_fits_guid(glob, n->guid, at.port) ||
	    (at.port >= 0 && accept_fits_guid(glob, n->ports[at.port].guid, at.port)))
		return true;
	madkit_buf_init(&text, 0);
	madkit_sweep_put_place(sweep, &text, at.node, at.port);
	madkit_buf_char(&text, '\0');
	fits = !text.error && accept_fits(glob, text.data);
	madkit_buf_reset(&text);
	named = accept_put_name(&text, sweep, at);
	madkit_buf_char(&text, '\0');
	fits |= named && !text.error && accept_fits(glob, text.data);
	madkit_buf_free(&text);
	return fits;
}

/* Checks if a glob fits a problem: one of its ends, its whole place, or the identifier
 * in its key. "-" fits problems without a place. */
static bool accept_fits_problem(const char *glob, const struct check_problem *p)
{
	const char *about = strchr(p->problem->key, ':');

	if (!*p->problem->place && !strcmp(glob, "-"))
		return true;
	if (accept_fits(glob, p->problem->place) || (about && accept_fits(glob, about + 1)))
		return true;
	return p->net && p->net->net.sweep &&
	       (accept_fits_end(glob, p->net, p->problem->ends[0]) ||
		accept_fits_end(glob, p->net, p->problem->ends[1]));
}

/* Checks if both globs of a line fit a link, in either order. */
static bool accept_fits_link(const struct accept_line *l, const struct check_problem *p)
{
	const struct madkit_health_place *ends = p->problem->ends;
	const char *arrow = strstr(p->problem->place, " <-> ");
	char first[160];

	if (!arrow)
		return false;
	/* an end that is gone has only its text */
	snprintf(first, sizeof(first), "%.*s", (int)(arrow - p->problem->place), p->problem->place);
	for (int i = 0; i < 2; i++) {
		const char *a = i ? l->other : l->place, *b = i ? l->place : l->other;
		const bool sweep = p->net && p->net->net.sweep;

		if ((accept_fits(a, first) || (sweep && accept_fits_end(a, p->net, ends[0]))) &&
		    (accept_fits(b, arrow + strlen(" <-> ")) ||
		     (sweep && accept_fits_end(b, p->net, ends[1]))))
			return true;
	}
	return false;
}

/* Checks if a line is about a problem. */
static bool accept_is_about(const struct accept_line *l, const struct check_problem *p)
{
	if (strcmp(l->rule, "*") && strcmp(l->rule, p->problem->rule->name))
		return false;
	return l->other ? accept_fits_link(l, p) : accept_fits_problem(l->place, p);
}

void accept_mark(struct accept *accept, struct check *c)
{
	for (size_t i = 0; i < c->nproblems; i++) {
		struct check_problem *p = &c->problems[i];

		if (p->event == MADKIT_PROBLEM_EVENT_CLOSE)
			continue;
		for (struct accept_line *l = accept->first; l; l = l->next) {
			if (!accept_is_about(l, p))
				continue;
			l->matched = true;
			p->accepted |= !l->expired;
		}
		c->accepted += p->accepted;
		c->accepted_silent += p->accepted && !strcmp(p->problem->rule->name, "silent");
	}
}

/* Checks if the problem of a line would have been found, wherever it is. */
static bool accept_is_judged(const struct check *c, const struct accept_line *l)
{
	/* a file may be shared by all hosts */
	if (c->unjudged || c->options->shared.mode == MODE_CHECK_LOCAL)
		return false;
	return strcmp(l->rule, "*") ? settings_judge(c, l->rule) : !c->options->rules;
}

/* Reports a line with its words. */
static void accept_say(const struct accept *accept, const struct accept_line *l, const char *what)
{
	cli_say("%s:%u: %s: %s %s%s%s", accept->path, l->number, what, l->rule, l->place,
		l->other ? " <-> " : "", l->other ? l->other : "");
}

void accept_report(const struct accept *accept, const struct check *c)
{
	char expired[40];

	for (const struct accept_line *l = accept->first; l; l = l->next) {
		snprintf(expired, sizeof(expired), "expired on %s", l->until);
		if (l->expired)
			accept_say(accept, l, expired);
		else if (!l->matched && accept_is_judged(c, l))
			accept_say(accept, l, "matches no problem");
	}
}

/* ---- writing ------------------------------------------------------------------------------- */

/* Appends a word that fits only this text. */
static void accept_put_word(struct madkit_buf *buf, const char *text, size_t len)
{
	const bool quoted = memchr(text, ' ', len) || memchr(text, '#', len);

	if (quoted)
		madkit_buf_char(buf, '"');
	for (size_t i = 0; i < len; i++)
		if (strchr("*?[", text[i]))
			madkit_buf_printf(buf, "[%c]", text[i]);
		else
			/* a quote would end the word: any character fits */
			madkit_buf_char(buf, text[i] == '"' ? '?' : text[i]);
	if (quoted)
		madkit_buf_char(buf, '"');
}

/* Appends an end by the whole name of its node, or by its GUID if several have that name. */
static void accept_put_end(struct madkit_buf *buf, const struct madkit_sweep *sweep,
			   struct madkit_health_place at)
{
	struct madkit_buf place;

	madkit_buf_init(&place, 0);
	madkit_sweep_put_place(sweep, &place, at.node, at.port);
	if (place.len < 2 || memcmp(place.data, "0x", 2) != 0) {
		madkit_buf_reset(&place);
		accept_put_name(&place, sweep, at);
	}
	if (place.error)
		buf->error = place.error;
	else
		accept_put_word(buf, place.data, place.len);
	madkit_buf_free(&place);
}

/* Appends the place of a problem: its first end, or the identifier in its key. */
static void accept_put_place(struct madkit_buf *buf, const struct check_problem *p)
{
	const char *about = strchr(p->problem->key, ':'), *place = p->problem->place;

	if (p->net && p->net->net.sweep && p->problem->ends[0].node != MADKIT_SWEEP_NONE)
		accept_put_end(buf, p->net->net.sweep, p->problem->ends[0]);
	else if (*place)
		accept_put_word(buf, place, strlen(place));
	else if (about)
		accept_put_word(buf, about + 1, strlen(about + 1));
	else
		madkit_buf_char(buf, '-');
}

int accept_write(const char *path, const struct check *c)
{
	struct madkit_buf buf;
	int fd, status, ret;

	if (c->cut) {
		cli_say("'%s' is not written: the check is not complete", path);
		return EXIT_DONE;
	}
	madkit_buf_init(&buf, 0);
	madkit_buf_str(&buf, "# known deviations for madcheck --accept: RULE PLACE [until=DATE] # reason\n");
	for (size_t i = 0; i < c->nproblems; i++) {
		const struct check_problem *p = &c->problems[i];

		if (p->event == MADKIT_PROBLEM_EVENT_CLOSE || p->problem->severity < MADKIT_SEVERITY_WARNING)
			continue;
		madkit_buf_printf(&buf, "%s ", p->problem->rule->name);
		accept_put_place(&buf, p);
		madkit_buf_printf(&buf, " # %s\n", p->problem->text);
	}
	status = buf.error ? cli_no_memory() : create_file(path, false, &fd);
	if (!status) {
		status = create_empty(path, fd);
		ret = status ? 0 : wait_write(fd, buf.data, buf.len);
		if (ret)
			status = cli_failed(ret, "cannot write '%s'", path);
		close(fd);
	}
	madkit_buf_free(&buf);
	return status;
}
