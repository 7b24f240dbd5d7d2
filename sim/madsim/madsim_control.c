/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Control words that need a server. The others are in sim/control.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <madkit/writer.h>
#include "cli/cli.h"
#include "madsim_control.h"
#include "sim/control.h"
#include "topology/find.h"
#include "util/array_size.h"

static void control_write_rule(const struct control *c, const struct fault *fault, struct madkit_writer *w)
{
	const struct fault_rule *r = &fault->rule;

	madkit_writer_object(w, NULL);
	madkit_writer_number(w, "rule", fault->id);
	madkit_writer_string(w, "action", fault_action_name(r->action));
	if (r->node != TOPOLOGY_NONE)
		madkit_writer_string(w, "node", c->s->topology->nodes[r->node].name);
	if (r->port >= 0)
		madkit_writer_number(w, "port", (uint64_t)r->port);
	if (r->mgmt_class >= 0)
		madkit_writer_number(w, "class", (uint64_t)r->mgmt_class);
	if (r->method >= 0)
		madkit_writer_number(w, "method", (uint64_t)r->method);
	if (r->attribute >= 0)
		madkit_writer_number(w, "attribute", (uint64_t)r->attribute);
	if (r->first) {
		madkit_writer_number(w, "first", r->first);
		madkit_writer_number(w, "count", r->count);
	} else {
		madkit_writer_number(w, "rate_in_a_million", r->rate);
	}
	if (r->delay_ns)
		madkit_writer_number(w, "delay_ns", r->delay_ns);
	if (r->as >= 0)
		madkit_writer_number(w, "as", (uint64_t)r->as);
	if (r->as_modifier >= 0)
		madkit_writer_number(w, "as_modifier", (uint64_t)r->as_modifier);
	if (r->as_port >= 0)
		madkit_writer_number(w, "as_port", (uint64_t)r->as_port);
	madkit_writer_number(w, "matched", fault->matched);
	madkit_writer_number(w, "done", fault->done);
	madkit_writer_close(w);
	madkit_writer_line(w);
}

static int control_fault_list(struct control *c, const struct control_words *words, struct madkit_buf *text)
{
	const struct fault *fault = NULL;
	struct madkit_writer w;

	(void)words;
	madkit_writer_begin(&w, text);
	while ((fault = fault_next(c->s->faults, fault ? fault->id : 0)))
		control_write_rule(c, fault, &w);
	return EXIT_DONE;
}

static void control_write_drops(const struct events *e, struct madkit_writer *w)
{
	char key[32];

	madkit_writer_object(w, "drops");
	for (unsigned int i = 0; i < DROPS; i++) {
		/* "link down" becomes link_down */
		snprintf(key, sizeof(key), "%s", fabric_drop_name((enum fabric_drop)i));
		for (char *p = key; *p; p++)
			if (*p == ' ')
				*p = '_';
		madkit_writer_number(w, key, e->drops[i]);
	}
	madkit_writer_close(w);
}

static int control_stats(struct control *c, const struct control_words *words, struct madkit_buf *text)
{
	const struct events *e = c->events;
	struct server_counters n;
	struct madkit_writer w;

	(void)words;
	server_get_counters(c->server, &n);
	madkit_writer_begin(&w, text);
	madkit_writer_object(&w, NULL);
	madkit_writer_number(&w, "nodes", c->s->topology->nnodes);
	madkit_writer_number(&w, "connections", n.connections);
	madkit_writer_number(&w, "files", n.files);
	madkit_writer_number(&w, "sends", n.sends);
	madkit_writer_number(&w, "refused", n.refused);
	madkit_writer_number(&w, "received", n.received);
	control_write_drops(e, &w);
	madkit_writer_number(&w, "faults", e->faults);
	madkit_writer_number(&w, "overflows", e->overflows);
	madkit_writer_number(&w, "events_lost", e->lost);
	madkit_writer_string(&w, "sm", e->sm_state);
	madkit_writer_number(&w, "sweeps", e->sweeps);
	madkit_writer_close(&w);
	madkit_writer_line(&w);
	return EXIT_DONE;
}

/* Creates the host's sysfs for programs that the preloaded library does not reach. */
static int control_sysfs(struct control *c, const struct control_words *words, struct madkit_buf *text)
{
	struct madkit_error error = { .text = "" };
	unsigned int port;
	uint32_t node;
	int ret;

	if (!words->at[1][0]) {
		madkit_buf_str(text, "the node is missing");
		return EXIT_USAGE;
	}
	if (find_end(c->s->topology, words->at[1], &node, &port, &error)) {
		madkit_buf_str(text, error.text);
		return EXIT_USAGE;
	}
	ret = server_publish(c->server, node, text);
	if (ret) {
		madkit_buf_reset(text);
		madkit_buf_printf(text, "cannot make the directory: %s", strerror(-ret));
		return EXIT_LOCAL;
	}
	madkit_buf_char(text, '\n');
	return EXIT_DONE;
}

static int control_quit(struct control *c, const struct control_words *words, struct madkit_buf *text)
{
	(void)words;
	(void)text;
	server_end(c->server);
	return EXIT_DONE;
}

static const struct {
	const char *words[2];
	const char *arguments; /* name of the only argument; NULL: no argument */
	int (*run)(struct control *c, const struct control_words *words, struct madkit_buf *text);
} own[] = {
	{ { "fault", "list" }, NULL, control_fault_list },
	{ { "stats", NULL }, NULL, control_stats },
	{ { "sysfs", NULL }, "NODE", control_sysfs },
	{ { "quit", NULL }, NULL, control_quit },
};

static bool control_is_own(size_t i, const struct control_words *words)
{
	return !strcmp(words->at[0], own[i].words[0]) &&
	       (own[i].words[1] ? words->n == 2 && !strcmp(words->at[1], own[i].words[1]) : true);
}

int control_run(struct control *c, const char *text_of_words, size_t len, struct madkit_buf *text)
{
	struct madkit_error error = { .text = "" };
	struct control_words words = { .n = 0 };
	int ret;

	for (size_t at = 0; at < len; at += strlen(text_of_words + at) + 1) {
		if (words.n == CONTROL_WORDS_MAX) {
			madkit_buf_printf(text, "more than %d words", CONTROL_WORDS_MAX);
			return EXIT_USAGE;
		}
		words.at[words.n++] = text_of_words + at;
	}
	for (size_t i = 0; words.n && i < ARRAY_SIZE(own); i++) {
		if (!control_is_own(i, &words))
			continue;
		if (words.n == (own[i].words[1] || own[i].arguments ? 2 : 1))
			return own[i].run(c, &words, text);
		if (own[i].arguments && words.n > 2)
			madkit_buf_printf(text, "'%s' is too much; usage: %s %s", words.at[2],
					  own[i].words[0], own[i].arguments);
		else if (own[i].arguments)
			madkit_buf_printf(text, "usage: %s %s", own[i].words[0], own[i].arguments);
		else
			madkit_buf_printf(text, "usage: %s, without '%s'", own[i].words[0], words.at[1]);
		return EXIT_USAGE;
	}
	ret = control_do(c->s, &words, text, &error);
	if (!ret)
		return EXIT_DONE;
	madkit_buf_str(text, error.text);
	if (ret == -ENOSYS)
		madkit_buf_str(text, ", stats, sysfs, quit");
	return EXIT_USAGE;
}
