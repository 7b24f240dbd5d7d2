/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "cli/create_file.h"
#include "cli/text_file.h"
#include "plan.h"
#include "state_file.h"

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
	s->foreign = line->len == strlen(other) && !memcmp(line->text, other, line->len);
	if (s->foreign)
		return cli_usage_error("--state '%s' was written %s --local: use another file", s->path,
				       s->local ? "without" : "with");
	return state_malformed(line);
}

/* Divides a line at its tabs. Returns false if it does not have as many fields. */
static bool state_divide(char *line, const char *fields[STATE_FIELDS])
{
	char *p = line;

	for (size_t i = 0; i < STATE_FIELDS; i++) {
		char *tab = strchr(p, '\t');

		fields[i] = p;
		if (!tab && i == STATE_TEXT) {
			fields[STATE_SEEN] = "";
			return true;
		}
		if (!tab != (i + 1 == STATE_FIELDS))
			return false;
		if (tab)
			*tab = 0;
		p = tab ? tab + 1 : p;
	}
	return true;
}

/* Makes the problem of the fields. Returns false if they are not valid. */
static bool state_fill(struct state_entry *e, const char *fields[STATE_FIELDS])
{
	size_t count;
	const struct madkit_rule *rules = madkit_health_rules(&count);

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
	       strlen(e->seen) < sizeof(((struct check_problem *)0)->seen);
}

/* Adds the problem of a line. */
static int state_take_entry(struct state *s, const struct text_line *line)
{
	const char *fields[STATE_FIELDS];
	struct state_entry *e = calloc(1, sizeof(*e) + line->len + 1);

	if (!e)
		return cli_no_memory();
	*s->last = e;
	s->last = &e->next;
	memcpy(e->line, line->text, line->len);
	return state_divide(e->line, fields) && state_fill(e, fields) ? EXIT_DONE : state_malformed(line);
}

static int state_take_line(void *context, const struct text_line *line)
{
	struct state *s = context;

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
	return state_take_entry(s, line);
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
	/* the file is not written by the user */
	if (status == EXIT_USAGE && !s->foreign)
		return EXIT_MALFORMED;
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

/* ---- writing ------------------------------------------------------------------------------- */

/* seen: when it was found last; "" unless its rule needs it */
static void state_put(struct madkit_buf *buf, const struct madkit_problem *p, uint8_t kind, const char *since,
		      const char *seen)
{
	madkit_buf_printf(buf, "%s\t%s\t%s%s\t%s\t%s\t%s\t%s\t%s%s%s\n", since,
			  check_severity_name(p->severity), kind ? state_plan : "", p->rule->name, p->key,
			  p->place, p->value, p->limit, p->text, *seen ? "\t" : "", seen);
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
		cli_put_hex(buf, r->data, len);
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
