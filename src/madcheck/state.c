/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#define _GNU_SOURCE /* strptime(), asprintf() */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include "cli/create_file.h"
#include "cli/text_file.h"
#include "plan.h"
#include "state.h"
#include "subnet/area.h"

/* The first line: a check by --local knows nothing of the problems of a subnet. */
static const char *const state_titles[] = {
	"# open problems, kept by madcheck --state: do not edit",
	"# open problems, kept by madcheck --local --state: do not edit"
};

/* Before the name of a difference. */
static const char state_plan[] = "plan:";

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
	STATE_SEEN, /* not in the files of older versions */
	STATE_FIELDS
};

/* A problem that was open. */
struct state_entry {
	struct state_entry *next;
	struct madkit_problem problem;
	struct madkit_rule rule; /* only its name, if the table has it no longer */
	uint8_t kind;            /* as in struct check_problem */
	const char *since, *seen;
	char *was;  /* the text if it is closed; NULL: it is not */
	bool found; /* it still is */
	bool held;  /* it was judged, but not long enough */
	bool stays; /* it was not judged, and may still be open */
	char line[];
};

struct state {
	const char *path; /* for messages */
	char *file;       /* without symbolic links */
	bool local;       /* --local */
	struct state_entry *first, **last;
	bool titled;                             /* the first line was read */
	bool may_miss;                           /* the check may have missed nodes */
	bool ended;                              /* the last line was read, which a file with readings has */
	struct madkit_readings *earlier, *downs; /* readings of counters: madkit_health_readings() */
};

/* ---- reading ------------------------------------------------------------------------------- */

/* Reports a line that madcheck has not written. Returns EXIT_MALFORMED. */
static int state_malformed(const struct text_line *line)
{
	cli_insist("%s:%u: not a line of madcheck --state", line->path, line->number);
	return EXIT_MALFORMED;
}

/* The line behind the readings. */
static const char state_end[] = "# end";

/* The first characters of lines with readings of counters. */
enum { STATE_MARK_EARLIER = '@', STATE_MARK_DOWNS = '=' };

/* Reads the data of a reading. Returns false if it is not valid. */
static bool state_take_hex(const char *hex, struct madkit_reading *reading)
{
	for (; *hex; hex += 2) {
		const int high = cli_hex_digit(hex[0]), low = high < 0 ? -1 : cli_hex_digit(hex[1]);

		if (low < 0 || reading->len == sizeof(reading->data))
			return false;
		reading->data[reading->len++] = (uint8_t)(high << 4 | low);
	}
	return true;
}

/* Reads the GUID, port, attribute and time of a reading, and its data in hex. */
static int state_take_reading(struct madkit_readings *readings, const struct text_line *line)
{
	struct madkit_reading_key key;
	struct madkit_reading reading = { .len = 0 };
	unsigned int port, attribute;
	char text[TEXT_FILE_LINE_MAX + 1];
	int at = 0;

	memcpy(text, line->text, line->len);
	text[line->len] = 0;
	if (sscanf(text + 1, "\t0x%16" SCNx64 "/%3u\t0x%4x\t%20" SCNu64 "\t%n", &key.node_guid, &port,
		   &attribute, &reading.time_ns, &at) != 4 ||
	    !at || port > UINT8_MAX)
		return state_malformed(line);
	key.port = (uint8_t)port;
	key.attribute = (uint16_t)attribute;
	if (!state_take_hex(text + 1 + at, &reading))
		return state_malformed(line);
	/* zeros at the end were left out */
	reading.len = sizeof(reading.data);
	return madkit_readings_put(readings, &key, &reading) ? cli_no_memory() : EXIT_DONE;
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
	size_t count;
	const struct madkit_rule *rules = madkit_health_rules(&count);
	const char *fields[STATE_FIELDS];
	struct state_entry *e;
	char *p;

	if (!s->titled)
		return state_take_title(s, line);
	if (line->len == strlen(state_end) && !memcmp(line->text, state_end, line->len)) {
		s->ended = true;
		return EXIT_DONE;
	}
	if (s->ended)
		return state_malformed(line);
	if (line->len && *line->text == STATE_MARK_EARLIER)
		return state_take_reading(s->earlier, line);
	if (line->len && *line->text == STATE_MARK_DOWNS)
		return state_take_reading(s->downs, line);
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
		if (!tab && i == STATE_TEXT) {
			fields[STATE_SEEN] = "";
			break;
		}
		if (!tab != (i + 1 == STATE_FIELDS))
			return state_malformed(line);
		if (tab)
			*tab = 0;
		p = tab ? tab + 1 : p;
	}
	e->since = fields[STATE_SINCE];
	e->seen = fields[STATE_SEEN];
	/* a difference can have the name of a rule */
	if (!strncmp(fields[STATE_RULE], state_plan, strlen(state_plan))) {
		fields[STATE_RULE] += strlen(state_plan);
		e->kind = plan_kind(fields[STATE_RULE]);
	}
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
	for (size_t i = 0; i < count; i++)
		if (!strcmp(rules[i].name, e->rule.name))
			e->problem.rule = &rules[i];
	return e->problem.severity && strlen(e->since) < sizeof(((struct check_problem *)0)->since) &&
			       strlen(e->seen) < sizeof(((struct check_problem *)0)->seen) ?
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
	s->earlier = madkit_readings_new();
	s->downs = madkit_readings_new();
	if (!s->earlier || !s->downs)
		return cli_no_memory();
	status = state_find_file(s);
	if (status)
		return status == EXIT_NOTHING ? EXIT_DONE : status;
	status = text_file_read(path, false, state_take_line, s);
	if (!status && madkit_readings_count(s->earlier) && !s->ended) {
		cli_insist("%s is cut off: its last line is missing", path);
		return EXIT_MALFORMED;
	}
	return status;
}

void state_release(struct state *s)
{
	for (struct state_entry *e = s ? s->first : NULL, *next; e; e = next) {
		next = e->next;
		free(e->was);
		free(e);
	}
	if (s) {
		free(s->file);
		madkit_readings_free(s->earlier);
		madkit_readings_free(s->downs);
	}
	free(s);
}

void state_compare_readings(const struct state *s, struct madkit_health_settings *settings)
{
	settings->earlier = s->earlier;
	settings->earlier_downs = s->downs;
	settings->earlier_grows = true;
}

/* ---- comparison ---------------------------------------------------------------------------- */

static struct state_entry *state_find(const struct state *s, const struct check_problem *p)
{
	struct state_entry *e = s->first;

	while (e && (e->kind != p->kind || strcmp(e->problem.key, p->problem->key)))
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

	if (c->cut || !(e->kind ? plan_judges(c, e->kind) : settings_judge(c, rule)))
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

/* Reads a time as in JSON, without a fraction. */
static bool state_read_time(const char *text, time_t *time)
{
	struct tm tm = { .tm_year = 0 };
	const char *end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &tm);

	*time = timegm(&tm);
	return end && !*end;
}

/* Checks if a problem of counters that was not found is held open: its errors are not over before the whole time of its limit
 * has passed without them. */
static bool state_is_held(const struct check *c, const struct state_entry *e, const char *now)
{
	const uint64_t whole_ms = settings_window_ms(c, e->rule.name);
	time_t seen, present;

	return whole_ms && e->problem.severity > MADKIT_SEVERITY_INFO && *e->seen &&
	       state_read_time(e->seen, &seen) && state_read_time(now, &present) && present >= seen &&
	       (uint64_t)(present - seen) * 1000 <= whole_ms;
}

/* Adds a problem in the order of their severities. */
static void state_insert(struct check *c, const struct check_problem *problem)
{
	size_t at = c->nproblems++;

	while (at && c->problems[at - 1].problem->severity < problem->problem->severity) {
		c->problems[at] = c->problems[at - 1];
		at--;
	}
	c->problems[at] = *problem;
}

/* Adds the problems that are gone, behind the others. */
static int state_add_closed(struct state *s, struct check *c, const char *now)
{
	size_t gone = 0, stay = 0;
	struct check_problem *all;

	for (size_t i = 0; i < c->nnets; i++)
		s->may_miss |= c->nets[i].net.sweep && area_may_miss(c->nets[i].net.sweep);
	for (struct state_entry *e = s->first; e; e = e->next) {
		e->stays = !e->found && !state_is_gone(s, c, e);
		e->held = !e->found && !e->stays && state_is_held(c, e, now);
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
		struct check_problem held = { .problem = &e->problem,
					      .kind = e->kind,
					      .event = MADKIT_PROBLEM_EVENT_UPDATE };

		if (!e->held)
			continue;
		strcpy(held.since, e->since);
		strcpy(held.seen, e->seen);
		state_insert(c, &held);
	}
	for (struct state_entry *e = s->first; e; e = e->next) {
		if (e->found || e->stays || e->held)
			continue;
		if (asprintf(&e->was, "was: %s", e->problem.text) < 0) {
			e->was = NULL;
			return cli_no_memory();
		}
		e->problem.text = e->was;
		c->problems[c->nproblems] = (struct check_problem){ .problem = &e->problem,
								    .kind = e->kind,
								    .event = MADKIT_PROBLEM_EVENT_CLOSE };
		strcpy(c->problems[c->nproblems++].since, e->since);
	}
	return EXIT_DONE;
}

int state_compare(struct state *s, struct check *c, const char *now)
{
	for (size_t i = 0; i < c->nproblems; i++) {
		struct check_problem *p = &c->problems[i];
		struct state_entry *e = state_find(s, p);

		if (e)
			e->found = true;
		p->event = e ? MADKIT_PROBLEM_EVENT_UPDATE : MADKIT_PROBLEM_EVENT_OPEN;
		snprintf(p->since, sizeof(p->since), "%s", e ? e->since : now);
		if (settings_window_ms(c, p->problem->rule->name))
			snprintf(p->seen, sizeof(p->seen), "%s", now);
	}
	return state_add_closed(s, c, now);
}

/* ---- writing ------------------------------------------------------------------------------- */

/* seen: when it was found last; "" unless its rule needs it */
static void state_put(struct madkit_buf *buf, const struct madkit_problem *p, uint8_t kind, const char *since,
		      const char *seen)
{
	madkit_buf_printf(buf, "%s\t%s\t%s%s\t%s\t%s\t%s\t%s\t%s%s%s\n", since,
			  check_severity_name(p->severity), kind ? state_plan : "", p->rule->name, p->key,
			  p->place, p->value, p->limit, p->text, *seen ? "\t" : "", seen);
}

static void state_put_hex(struct madkit_buf *buf, const uint8_t *data, uint32_t len)
{
	static const char digits[] = "0123456789abcdef";

	for (uint32_t i = 0; i < len; i++) {
		madkit_buf_char(buf, digits[data[i] >> 4]);
		madkit_buf_char(buf, digits[data[i] & 15]);
	}
}

static void state_put_readings(struct madkit_buf *buf, char mark, const struct madkit_readings *readings)
{
	const struct madkit_reading_key *key;

	for (size_t i = 0; (key = madkit_readings_key(readings, i)); i++) {
		const struct madkit_reading *r = madkit_readings_get(readings, key);
		uint32_t len = r->len;

		while (len && !r->data[len - 1])
			len--;
		madkit_buf_printf(buf, "%c\t0x%016" PRIx64 "/%u\t0x%04x\t%" PRIu64 "\t", mark, key->node_guid,
				  key->port, key->attribute, r->time_ns);
		state_put_hex(buf, r->data, len);
		madkit_buf_char(buf, '\n');
	}
}

/* Appends the readings that the next run compares with. */
static int state_put_counters(struct madkit_buf *buf, const struct state *s, const struct check *c)
{
	/* a run that does not judge them keeps those of the runs before */
	for (size_t i = 0; i < c->nnets && c->keeps; i++)
		if (c->nets[i].judged.health &&
		    madkit_health_readings(c->nets[i].judged.health, s->earlier, s->downs))
			return cli_no_memory();
	state_put_readings(buf, STATE_MARK_EARLIER, s->earlier);
	state_put_readings(buf, STATE_MARK_DOWNS, s->downs);
	if (madkit_readings_count(s->earlier))
		madkit_buf_printf(buf, "%s\n", state_end);
	return EXIT_DONE;
}

int state_write(const struct state *s, const struct check *c)
{
	struct madkit_buf buf;
	int status = EXIT_DONE;

	madkit_buf_init(&buf, 0);
	madkit_buf_printf(&buf, "%s\n", state_titles[s->local]);
	for (size_t i = 0; i < c->nproblems; i++)
		if (c->problems[i].event != MADKIT_PROBLEM_EVENT_CLOSE)
			state_put(&buf, c->problems[i].problem, c->problems[i].kind, c->problems[i].since,
				  c->problems[i].seen);
	for (const struct state_entry *e = s->first; e; e = e->next)
		if (e->stays)
			state_put(&buf, &e->problem, e->kind, e->since, e->seen);
	status = state_put_counters(&buf, s, c);
	if (!status)
		status = buf.error ? cli_no_memory() : create_replace(s->file, &buf);
	madkit_buf_free(&buf);
	return status;
}
