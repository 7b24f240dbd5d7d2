/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "cli/output.h"
#include "cli/service.h"
#include "log.h"

enum { LOG_FIRST = 64 }; /* events that are allocated at first */

/* How events of links are joined. */
enum log_group { LOG_DOWN, LOG_UP, LOG_NEW, LOG_GROUPS, LOG_ALONE = LOG_GROUPS };

static const struct {
	const char *word, *part; /* for all links of a node, and for a part of them */
	enum event_kind kind;    /* one of its kinds, for the colour */
} log_groups[LOG_GROUPS] = {
	[LOG_DOWN] = { "node-down", "down", EVENT_DOWN },
	[LOG_UP] = { "node-up", "up", EVENT_UP },
	[LOG_NEW] = { "node-new", "node-new", EVENT_NODE_NEW },
};

/* Returns the local time. */
static struct tm log_now(const struct log *t)
{
	struct tm tm = { .tm_yday = 0 };
	struct timespec now;

	madkit_port_realtime(t->x->port, &now);
	localtime_r(&now.tv_sec, &tm);
	return tm;
}

void log_begin(struct log *t, int *day)
{
	t->journal = service_is_journal(STDOUT_FILENO);
	t->dated = !t->journal && !isatty(STDOUT_FILENO);
	t->day = day;
	*day = log_now(t).tm_yday;
}

void log_free(struct log *t)
{
	free(t->events);
	free(t->counts);
}

/* ---- text -------------------------------------------------------------------------------- */

static enum madkit_color log_color(const struct event_type *type)
{
	if (!type || type->change == MADKIT_PROBLEM_EVENT_CLOSE || type->severity < MADKIT_SEVERITY_WARNING)
		return MADKIT_COLOR_NONE;
	return type->severity == MADKIT_SEVERITY_CRITICAL ? MADKIT_COLOR_RED : MADKIT_COLOR_YELLOW;
}

/* Appends the priority of a line for the journal: crit, warning, notice or info of syslog(3). */
static void log_put_priority(struct log *t, const struct event_type *type)
{
	static const int priorities[] = {
		[MADKIT_SEVERITY_INFO] = 6, [MADKIT_SEVERITY_WARNING] = 4, [MADKIT_SEVERITY_CRITICAL] = 2
	};
	const bool close = !type || type->change == MADKIT_PROBLEM_EVENT_CLOSE;

	if (t->journal)
		madkit_buf_printf(&t->x->out->buf, "<%d>", close ? 5 : priorities[type->severity]);
}

/* Begins a line: "2026-11-29 12:00:01 down     ". type: NULL: it is about the watch itself. */
static void log_begin_line(struct log *t, const char *word, const struct event_type *type)
{
	const enum madkit_color color = log_color(type);
	struct output *out = t->x->out;
	const struct tm tm = log_now(t);
	char date[16], time[16];

	strftime(date, sizeof(date), "%Y-%m-%d", &tm);
	strftime(time, sizeof(time), "%H:%M:%S", &tm);
	if (!t->journal && !t->dated && *t->day != tm.tm_yday)
		madkit_buf_printf(&out->buf, "%s\n", date);
	*t->day = tm.tm_yday;
	log_put_priority(t, type);
	madkit_buf_printf(&out->buf, "%s%s%s ", t->dated ? date : "", t->dated ? " " : "", time);
	madkit_buf_str(&out->buf, madkit_color(&out->terminal, color));
	madkit_buf_printf(&out->buf, "%-9s", word);
	if (color)
		madkit_buf_str(&out->buf, madkit_color(&out->terminal, MADKIT_COLOR_NONE));
	madkit_buf_char(&out->buf, ' ');
}

static void log_end_line(struct log *t, const char *text, const struct event *e)
{
	struct madkit_buf *buf = &t->x->out->buf;

	if (text && *text) {
		madkit_buf_str(buf, "   ");
		madkit_text_escape(buf, text, strlen(text));
	}
	if (e && e->by != VIEW_BY_TRAP && e->ends[0].node != VIEW_NONE)
		madkit_buf_printf(buf, " (%s)", event_by_name(e->by));
	if (t->titled)
		madkit_buf_printf(buf, " [%s]", t->x->info->device);
	madkit_buf_char(buf, '\n');
	t->lines[t->bucket % LOG_BUCKETS]++;
}

void log_note(struct log *t, const char *word, const char *text)
{
	if (t->x->out->format != FORMAT_TEXT)
		return;
	log_begin_line(t, word, NULL);
	madkit_text_escape(&t->x->out->buf, text, strlen(text));
	log_end_line(t, NULL, NULL);
}

static void log_line(struct log *t, const struct event *e)
{
	log_begin_line(t, event_types[e->kind].word, &event_types[e->kind]);
	event_put_place(t->view, &t->x->out->buf, e);
	log_end_line(t, e->text, e);
}

static enum log_group log_group(const struct event *e)
{
	if (!e->link)
		return LOG_ALONE;
	switch (e->kind) {
	case EVENT_DOWN:
		return LOG_DOWN;
	case EVENT_UP:
		return LOG_UP;
	case EVENT_NODE_NEW:
	case EVENT_LINK_NEW:
		return LOG_NEW;
	default:
		return LOG_ALONE;
	}
}

/* Counts the events of a group by node. */
static void log_count(struct log *t, enum log_group group)
{
	memset(t->counts, 0, t->ncounts * sizeof(*t->counts));
	for (uint32_t i = 0; i < t->nevents; i++)
		for (int end = 0; end < 2 && log_group(&t->events[i]) == group; end++)
			t->counts[t->events[i].ends[end].node]++;
}

/* Checks if a node has no link to the rest of the subnet. */
static bool log_is_cut(const struct log *t, uint32_t node)
{
	struct madkit_addr to;

	return view_is_switch(t->view->nodes[node]) && !view_route(t->view, node, &to);
}

/* Checks if the links of a node are one line. */
static bool log_joins(const struct log *t, uint32_t node)
{
	const struct view_node *n = t->view->nodes[node];

	const bool again = n->joined_ns && t->now - n->joined_ns < LOG_WINDOW_MS * NS_PER_MS;

	return t->counts[node] > 1 &&
	       (2 * t->counts[node] >= n->nlinks || n->told_cut || again || log_is_cut(t, node));
}

/* Checks if the events are a larger part of the links of a node than of those of another one. */
static bool log_is_more(const struct log *t, uint32_t a, uint32_t b)
{
	const uint64_t part_a = (uint64_t)t->counts[a] * t->view->nodes[b]->nlinks;
	const uint64_t part_b = (uint64_t)t->counts[b] * t->view->nodes[a]->nlinks;

	return part_a != part_b ? part_a > part_b : t->counts[a] > t->counts[b];
}

/* Returns the node of which the links are joined to one line; VIEW_NONE: none. storm: any switch. */
static uint32_t log_node(const struct log *t, const struct event *e, bool storm)
{
	const uint32_t a = e->ends[0].node, b = e->ends[1].node;

	if (storm)
		return a;
	if (log_joins(t, a) && log_joins(t, b))
		return log_is_more(t, b, a) ? b : a;
	return log_joins(t, a) ? a : log_joins(t, b) ? b : VIEW_NONE;
}

/* Writes how many links of a node a line is about. */
static void log_put_links(const struct view_node *n, uint32_t count, bool cut, char text[96])
{
	if (cut && count < n->nlinks)
		snprintf(text, 96, "%" PRIu32 " link%s; %" PRIu32 " others are out of reach", count,
			 count == 1 ? "" : "s", n->nlinks - count);
	else if (count < n->nlinks)
		snprintf(text, 96, "%" PRIu32 " of %" PRIu32 " links", count, n->nlinks);
	else
		snprintf(text, 96, "%" PRIu32 " links", count);
}

/* Shows the links of a node in one line, and marks their events as shown. */
static void log_joined(struct log *t, enum log_group group, uint32_t first, uint32_t node, bool storm)
{
	struct view_node *n = t->view->nodes[node];
	const struct event *e = &t->events[first];
	uint32_t count = 0;
	char text[96];
	bool cut;

	for (uint32_t i = first; i < t->nevents; i++)
		if (!t->events[i].minor && log_group(&t->events[i]) == group &&
		    log_node(t, &t->events[i], storm) == node) {
			t->events[i].minor = true;
			count++;
		}
	n->joined_ns = t->now;
	cut = group == LOG_DOWN && log_is_cut(t, node);
	log_put_links(n, count, cut, text);
	log_begin_line(t, count < n->nlinks && !cut ? log_groups[group].part : log_groups[group].word,
		       &event_types[log_groups[group].kind]);
	view_put_place(t->view, &t->x->out->buf, node, -1);
	log_end_line(t, text, e);
}

/* Notes which nodes are out of reach, and which are no longer. */
static void log_note_cut(struct log *t)
{
	for (uint32_t i = 0; i < t->nevents; i++)
		for (int end = 0; end < 2 && log_group(&t->events[i]) < LOG_NEW; end++) {
			const uint32_t node = t->events[i].ends[end].node;

			t->view->nodes[node]->told_cut = log_is_cut(t, node);
		}
}

/* Shows the events of a group. */
static void log_show_group(struct log *t, enum log_group group, bool storm)
{
	log_count(t, group);
	for (uint32_t i = 0; i < t->nevents; i++) {
		const struct event *e = &t->events[i];
		uint32_t node;

		if (e->minor || log_group(e) != group)
			continue;
		node = log_node(t, e, storm);
		if (node != VIEW_NONE)
			log_joined(t, group, i, node, storm);
		else
			log_line(t, e);
	}
}

/* Returns the number of lines that the events of this turn need if they are joined by node. */
static uint32_t log_count_lines(struct log *t, bool storm)
{
	uint32_t lines = 0;

	for (int group = 0; group < LOG_GROUPS; group++) {
		log_count(t, (enum log_group)group);
		for (uint32_t i = 0; i < t->nevents; i++)
			if (log_group(&t->events[i]) == (enum log_group)group && !t->events[i].minor &&
			    log_node(t, &t->events[i], storm) == VIEW_NONE)
				lines++;
	}
	for (uint32_t i = 0; i < t->nevents; i++)
		lines += log_group(&t->events[i]) == LOG_ALONE && !t->events[i].minor;
	return lines;
}

/* ---- storms ------------------------------------------------------------------------------ */

/* Returns the number of lines in the window that ends now. */
static uint32_t log_recent(struct log *t, uint64_t now)
{
	const uint64_t bucket = now / (LOG_WINDOW_MS / LOG_BUCKETS * NS_PER_MS);
	uint32_t lines = 0;

	if (bucket - t->bucket >= LOG_BUCKETS)
		memset(t->lines, 0, sizeof(t->lines));
	else
		while (t->bucket < bucket)
			t->lines[++t->bucket % LOG_BUCKETS] = 0;
	t->bucket = bucket;
	for (size_t i = 0; i < LOG_BUCKETS; i++)
		lines += t->lines[i];
	return lines;
}

/* Counts the events that are not shown during a storm. */
static void log_swallow(struct log *t)
{
	for (uint32_t i = 0; i < t->nevents; i++) {
		const struct event *e = &t->events[i];

		if (e->minor)
			continue;
		t->storm_down += e->kind == EVENT_DOWN;
		t->storm_up += e->kind == EVENT_UP;
		t->storm_other += e->kind != EVENT_DOWN && e->kind != EVENT_UP;
	}
}

/* Returns how many links are down, as it was reported. */
static uint32_t log_count_down(const struct log *t)
{
	uint32_t down = 0;

	for (uint32_t i = 0; i < t->view->nnodes; i++)
		for (unsigned int port = 1; port <= t->view->nodes[i]->nports; port++) {
			const struct view_link *l =
				view_link_of(t->view, (struct view_end){ i, (uint8_t)port });

			down += l && l->known && !l->told_up && l->ends[0].node == i &&
				l->ends[0].port == port;
		}
	return down;
}

/* Ends a storm: shows how much has changed, and how many links are down. */
static void log_calm(struct log *t)
{
	char text[160];

	t->storm = false;
	snprintf(text, sizeof(text),
		 "%" PRIu32 " times a link went down, %" PRIu32 " up, %" PRIu32 " other changes; now %" PRIu32
		 " down",
		 t->storm_down, t->storm_up, t->storm_other, log_count_down(t));
	t->storm_down = t->storm_up = t->storm_other = 0;
	log_note(t, "calm", text);
	/* the next change is a line, although the window still has those before the storm */
	memset(t->lines, 0, sizeof(t->lines));
}

/* Shows the events of this turn as text. */
static void log_show_text(struct log *t, uint64_t now)
{
	const uint32_t recent = log_recent(t, now);
	bool joined;

	if (t->storm) {
		log_swallow(t);
		return;
	}
	joined = recent + log_count_lines(t, false) > LOG_LINES;
	if (recent > LOG_LINES) {
		t->storm = true;
		log_note(t, "storm", "more than 100 lines in 10 s: the sum follows when it is quiet");
		log_swallow(t);
		return;
	}
	for (int group = 0; group < LOG_GROUPS; group++)
		log_show_group(t, (enum log_group)group, joined);
	for (uint32_t i = 0; i < t->nevents; i++)
		if (!t->events[i].minor && log_group(&t->events[i]) == LOG_ALONE)
			log_line(t, &t->events[i]);
	log_note_cut(t);
}

/* ---- a turn ------------------------------------------------------------------------------ */

/* Adds an event to those of this turn. Returns EXIT_DONE or EXIT_LOCAL. */
static int log_add(struct log *t, const struct event *e)
{
	if (t->nevents == t->cap) {
		const uint32_t cap = t->cap ? 2 * t->cap : LOG_FIRST;
		struct event *events = calloc(cap, sizeof(*events));

		if (!events)
			return cli_no_memory();
		if (t->nevents)
			memcpy(events, t->events, t->nevents * sizeof(*events));
		free(t->events);
		t->events = events;
		t->cap = cap;
	}
	t->events[t->nevents++] = *e;
	return EXIT_DONE;
}

/* Makes room for a number for each node. */
static int log_make_room(struct log *t)
{
	if (t->ncounts >= t->view->nnodes)
		return EXIT_DONE;
	free(t->counts);
	t->ncounts = t->view->nnodes + LOG_FIRST;
	t->counts = calloc(t->ncounts, sizeof(*t->counts));
	if (!t->counts)
		t->ncounts = 0;
	return t->counts ? EXIT_DONE : cli_no_memory();
}

int log_changes(struct log *t, struct changes *c)
{
	const uint64_t now = madkit_port_now(t->x->port);
	struct output *out = t->x->out;
	int status = log_make_room(t);
	struct timespec clock;
	struct event e;

	if (status)
		return status;
	if (t->storm && now - c->last_ns > LOG_QUIET_MS * NS_PER_MS && changes_due(c) > now)
		log_calm(t);
	if (changes_due(c) > now)
		return EXIT_DONE;
	madkit_port_realtime(t->x->port, &clock);
	t->nevents = 0;
	t->now = now;
	while (!status && change_take(c, now, &clock, &e))
		if (t->told++, log_record(t, &e, log_passes))
			status = log_add(t, &e);
	if (out->format == FORMAT_TEXT && !out->fields)
		log_show_text(t, now);
	else
		for (uint32_t i = 0; i < t->nevents; i++)
			log_record(t, &t->events[i], log_show);
	return status;
}
