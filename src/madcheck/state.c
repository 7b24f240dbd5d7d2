/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "cli/create_file.h"
#include "cli/text_file.h"
#include "state.h"
#include "subnet/area.h"

/* The first line: a check by --local knows nothing of the problems of a subnet. */
static const char *const state_titles[] = {
	"# open problems, kept by madcheck --state: do not edit",
	"# open problems, kept by madcheck --local --state: do not edit"
};

/* The fields of a line, separated by tabs. */
enum {
	STATE_SINCE,
	STATE_SEVERITY,
	STATE_RULE,
	STATE_KEY,
	STATE_PLACE,
	STATE_VALUE,
	STATE_LIMIT,
	STATE_TEXT,
	STATE_FIELDS
};

/* A problem that was open. */
struct state_entry {
	struct state_entry *next;
	struct madkit_problem problem;
	struct madkit_rule rule; /* only its name, if the table has it no longer */
	const char *since;
	bool found; /* it still is */
	bool stays; /* it was not judged, and may still be open */
	char line[];
};

struct state {
	const char *path; /* for messages */
	char *file;       /* without symbolic links */
	bool local;       /* --local */
	struct state_entry *first, **last;
	bool titled;   /* the first line was read */
	bool may_miss; /* the check may have missed nodes */
};

/* ---- reading ------------------------------------------------------------------------------- */

/* Reports a line that madcheck has not written. Returns EXIT_MALFORMED. */
static int state_malformed(const struct text_line *line)
{
	cli_insist("%s:%u: not a line of madcheck --state", line->path, line->number);
	return EXIT_MALFORMED;
}

static uint8_t state_severity(const char *name)
{
	uint8_t severity = MADKIT_SEVERITY_CRITICAL;

	while (severity && strcmp(name, severity ? check_severity_name(severity) : ""))
		severity--;
	return severity;
}

/* Reads the first line. */
static int state_take_title(struct state *s, const struct text_line *line)
{
	const char *other = state_titles[!s->local];

	s->titled = true;
	if (line->len == strlen(state_titles[s->local]) &&
	    !memcmp(line->text, state_titles[s->local], line->len))
		return EXIT_DONE;
	if (line->len == strlen(other) && !memcmp(line->text, other, line->len))
		return cli_usage_error("--state '%s' was written %s --local: use another file", s->path,
				       s->local ? "without" : "with");
	return state_malformed(line);
}

static int state_take_line(void *context, const struct text_line *line)
{
	struct state *s = context;
	const char *fields[STATE_FIELDS];
	struct state_entry *e;
	char *p;

	if (!s->titled)
		return state_take_title(s, line);
	e = calloc(1, sizeof(*e) + line->len + 1);
	if (!e)
		return cli_no_memory();
	*s->last = e;
	s->last = &e->next;
	memcpy(e->line, line->text, line->len);
	p = e->line;
	for (size_t i = 0; i < STATE_FIELDS; i++) {
		char *tab = strchr(p, '\t');

		fields[i] = p;
		if (!tab != (i + 1 == STATE_FIELDS))
			return state_malformed(line);
		if (tab)
			*tab = 0;
		p = tab ? tab + 1 : p;
	}
	e->since = fields[STATE_SINCE];
	e->rule.name = fields[STATE_RULE];
	e->problem = (struct madkit_problem){
		.rule = &e->rule,
		.severity = state_severity(fields[STATE_SEVERITY]),
		.ends = { { MADKIT_SWEEP_NONE, -1 }, { MADKIT_SWEEP_NONE, -1 } },
		.types = "",
		.key = fields[STATE_KEY],
		.place = fields[STATE_PLACE],
		.value = fields[STATE_VALUE],
		.limit = fields[STATE_LIMIT],
		.text = fields[STATE_TEXT],
	};
	return e->problem.severity && strlen(e->since) < sizeof(((struct check_problem *)0)->since) ?
		       EXIT_DONE :
		       state_malformed(line);
}

/* Finds the file that is replaced. Returns EXIT_NOTHING if it does not exist yet. */
static int state_find_file(struct state *s)
{
	struct stat st;

	if (lstat(s->path, &st) && errno == ENOENT) {
		s->file = strdup(s->path);
		return s->file ? EXIT_NOTHING : cli_no_memory();
	}
	s->file = realpath(s->path, NULL);
	if (!s->file)
		return cli_failed(-errno, "cannot read '%s'", s->path);
	if (!stat(s->file, &st) && !S_ISREG(st.st_mode))
		return cli_usage_error("--state '%s' is not a regular file", s->path);
	return EXIT_DONE;
}

int state_read(const char *path, bool local, struct state **result)
{
	struct state *s = calloc(1, sizeof(*s));
	int status;

	*result = s;
	if (!s)
		return cli_no_memory();
	s->path = path;
	s->local = local;
	s->last = &s->first;
	status = state_find_file(s);
	if (status)
		return status == EXIT_NOTHING ? EXIT_DONE : status;
	return text_file_read(path, false, state_take_line, s);
}

void state_release(struct state *s)
{
	for (struct state_entry *e = s ? s->first : NULL, *next; e; e = next) {
		next = e->next;
		free(e);
	}
	if (s)
		free(s->file);
	free(s);
}

/* ---- comparison ---------------------------------------------------------------------------- */

static struct state_entry *state_find(const struct state *s, const char *key)
{
	struct state_entry *e = s->first;

	while (e && strcmp(e->problem.key, key))
		e = e->next;
	return e;
}

/* Reads the next GUID of a key, "RULE:GUID/PORT:GUID/PORT". Returns the text behind it, or NULL if there is none. */
static const char *state_next_guid(const char *key, uint64_t *guid, int *port)
{
	while ((key = strchr(key, ':'))) {
		uint64_t number;

		key++;
		*port = -1;
		if (strncmp(key, "0x", 2) != 0 || strspn(key + 2, "0123456789abcdef") != 16)
			continue;
		madkit_parse_number(key, 18, UINT64_MAX, "GUID", guid, NULL);
		key += 18;
		if (*key == '/' && !madkit_parse_number(key + 1, strspn(key + 1, "0123456789"), UINT8_MAX,
							"port", &number, NULL))
			*port = (int)number;
		return key;
	}
	return NULL;
}

/* Checks if a node, or its port, was read. */
static bool state_was_read(const struct madkit_sweep_node *n, int port)
{
	if (n->state != MADKIT_SWEEP_ANSWERED)
		return false;
	if (port >= 0)
		return port > n->nports || n->ports[port].state == MADKIT_SWEEP_ANSWERED;
	return n->described == MADKIT_SWEEP_ANSWERED;
}

/* Finds a node in all subnets. Returns NULL if there is none. */
static const struct madkit_sweep_node *state_find_node(const struct check *c, uint64_t guid,
						       const struct check_net **net, uint32_t *node)
{
	for (size_t i = 0; i < c->nnets; i++) {
		struct madkit_sweep_counts counts = { .nodes = 0 };

		*net = &c->nets[i];
		if ((*net)->net.sweep)
			madkit_sweep_count((*net)->net.sweep, &counts);
		for (*node = 0; *node < counts.nodes; ++*node)
			if (madkit_sweep_node((*net)->net.sweep, *node)->guid == guid)
				return madkit_sweep_node((*net)->net.sweep, *node);
	}
	return NULL;
}

/* Checks if a rule could not judge a node of a subnet (NULL: none), or its port if it is not -1; or if it could not judge a place
 * anywhere, and may have missed problems at others. */
static bool state_is_unjudged(const struct check *c, const char *rule, const struct check_net *net,
			      uint32_t node, int port)
{
	for (const struct check_net *n = c->nets; n < c->nets + c->nnets; n++) {
		const struct madkit_unjudged *u;

		for (size_t i = 0; n->judged.health && (u = madkit_health_unjudged(n->judged.health, i));
		     i++) {
			const bool here = n == net && u->at.node == node &&
					  (port < 0 || u->at.port < 0 || u->at.port == port);

			if ((here || u->elsewhere) && !strcmp(u->rule->name, rule))
				return true;
		}
	}
	return false;
}

/* --local: checks if a problem is one of the ports that were judged. */
static bool state_is_local(const struct check *c, const struct state_entry *e)
{
	uint64_t guid;
	int port;

	if (!strcmp(e->rule.name, "expect"))
		return c->options->expect && !c->unjudged;
	for (const char *key = e->problem.key; (key = state_next_guid(key, &guid, &port));)
		for (size_t i = 0; i < c->nnets; i++) {
			const struct check_net *n = &c->nets[i];
			const struct madkit_port_info *info = n->net.x.info;

			if (info && info->node_guid == guid && (int)info->port == port)
				return !n->unchecked && n->judged.health &&
				       !madkit_health_unjudged(n->judged.health, 0);
		}
	return false;
}

/* Checks if a problem that was not found is gone: its rule judged its ends, unless these are gone. */
static bool state_is_gone(const struct state *s, const struct check *c, const struct state_entry *e)
{
	const char *key = e->problem.key, *rule = e->rule.name;
	bool about_nodes = false;
	uint64_t guid;
	int port;

	if (c->cut || !settings_judge(c, rule))
		return false;
	if (s->local)
		return state_is_local(c, e);
	if (state_is_unjudged(c, rule, NULL, 0, -1))
		return false;
	while ((key = state_next_guid(key, &guid, &port))) {
		const struct check_net *net;
		uint32_t node;
		const struct madkit_sweep_node *n = state_find_node(c, guid, &net, &node);

		about_nodes = true;
		if (n ? !state_was_read(n, port) || state_is_unjudged(c, rule, net, node, port) : s->may_miss)
			return false;
	}
	return about_nodes || !s->may_miss;
}

/* Adds the problems that are gone, behind the others. */
static int state_add_closed(struct state *s, struct check *c)
{
	size_t gone = 0, stay = 0;
	struct check_problem *all;

	for (size_t i = 0; i < c->nnets; i++)
		s->may_miss |= c->nets[i].net.sweep && area_may_miss(c->nets[i].net.sweep);
	for (struct state_entry *e = s->first; e; e = e->next) {
		e->stays = !e->found && !state_is_gone(s, c, e);
		stay += e->stays;
		gone += !e->found && !e->stays;
	}
	if (stay)
		cli_say("--state: %zu open %s not judged, and %s open", stay,
			stay == 1 ? "problem was" : "problems were", stay == 1 ? "stays" : "stay");
	all = calloc(c->nproblems + gone + 1, sizeof(*all));
	if (!all)
		return cli_no_memory();
	if (c->nproblems)
		memcpy(all, c->problems, c->nproblems * sizeof(*all));
	free(c->problems);
	c->problems = all;
	for (const struct state_entry *e = s->first; e; e = e->next) {
		if (e->found || e->stays)
			continue;
		c->problems[c->nproblems] =
			(struct check_problem){ .problem = &e->problem, .event = MADKIT_PROBLEM_EVENT_CLOSE };
		strcpy(c->problems[c->nproblems++].since, e->since);
	}
	return EXIT_DONE;
}

int state_compare(struct state *s, struct check *c, const char *now)
{
	for (size_t i = 0; i < c->nproblems; i++) {
		struct check_problem *p = &c->problems[i];
		struct state_entry *e = state_find(s, p->problem->key);

		if (e)
			e->found = true;
		p->event = e ? MADKIT_PROBLEM_EVENT_UPDATE : MADKIT_PROBLEM_EVENT_OPEN;
		snprintf(p->since, sizeof(p->since), "%s", e ? e->since : now);
	}
	return state_add_closed(s, c);
}

/* ---- writing ------------------------------------------------------------------------------- */

static void state_put(struct madkit_buf *buf, const struct madkit_problem *p, const char *since)
{
	madkit_buf_printf(buf, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", since, check_severity_name(p->severity),
			  p->rule->name, p->key, p->place, p->value, p->limit, p->text);
}

int state_write(const struct state *s, const struct check *c)
{
	struct madkit_buf buf;
	int status;

	madkit_buf_init(&buf, 0);
	madkit_buf_printf(&buf, "%s\n", state_titles[s->local]);
	for (size_t i = 0; i < c->nproblems; i++)
		if (c->problems[i].event != MADKIT_PROBLEM_EVENT_CLOSE)
			state_put(&buf, c->problems[i].problem, c->problems[i].since);
	for (const struct state_entry *e = s->first; e; e = e->next)
		if (e->stays)
			state_put(&buf, &e->problem, e->since);
	status = buf.error ? cli_no_memory() : create_replace(s->file, &buf);
	madkit_buf_free(&buf);
	return status;
}
