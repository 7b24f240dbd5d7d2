/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Control words that need a server. The others are in sim/control.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "cli/cli.h"
#include "cli/json_object.h"
#include "madsim_control.h"
#include "sim/control.h"
#include "topology/find.h"
#include "util/array_size.h"

static void put_rule(const struct control *c, const struct fault *fault, struct madkit_buf *text)
{
	const struct fault_rule *r = &fault->rule;

	json_open(text, NULL, '{');
	json_number(text, "rule", fault->id);
	json_string(text, "action", fault_action_name(r->action));
	if (r->node != TOPOLOGY_NONE)
		json_string(text, "node", c->s->topology->nodes[r->node].name);
	if (r->port >= 0)
		json_number(text, "port", (uint64_t)r->port);
	if (r->mgmt_class >= 0)
		json_number(text, "class", (uint64_t)r->mgmt_class);
	if (r->method >= 0)
		json_number(text, "method", (uint64_t)r->method);
	if (r->attribute >= 0)
		json_number(text, "attribute", (uint64_t)r->attribute);
	if (r->first) {
		json_number(text, "first", r->first);
		json_number(text, "count", r->count);
	} else {
		json_number(text, "rate_in_a_million", r->rate);
	}
	if (r->delay_ns)
		json_number(text, "delay_ns", r->delay_ns);
	if (r->as >= 0)
		json_number(text, "as", (uint64_t)r->as);
	if (r->as_modifier >= 0)
		json_number(text, "as_modifier", (uint64_t)r->as_modifier);
	if (r->as_port >= 0)
		json_number(text, "as_port", (uint64_t)r->as_port);
	json_number(text, "matched", fault->matched);
	json_number(text, "done", fault->done);
	json_close(text, '}');
	madkit_buf_char(text, '\n');
}

static int control_fault_list(struct control *c, const struct control_words *words, struct madkit_buf *text)
{
	const struct fault *fault = NULL;

	(void)words;
	while ((fault = fault_next(c->s->faults, fault ? fault->id : 0)))
		put_rule(c, fault, text);
	return EXIT_DONE;
}

static void put_drops(const struct events *e, struct madkit_buf *text)
{
	char key[32];

	json_open(text, "drops", '{');
	for (unsigned int i = 0; i < DROPS; i++) {
		/* "link down" becomes link_down */
		snprintf(key, sizeof(key), "%s", fabric_drop_name((enum fabric_drop)i));
		for (char *p = key; *p; p++)
			if (*p == ' ')
				*p = '_';
		json_number(text, key, e->drops[i]);
	}
	json_close(text, '}');
}

static int control_stats(struct control *c, const struct control_words *words, struct madkit_buf *text)
{
	const struct events *e = c->events;
	struct server_counters n;

	(void)words;
	server_get_counters(c->server, &n);
	json_open(text, NULL, '{');
	json_number(text, "nodes", c->s->topology->nnodes);
	json_number(text, "connections", n.connections);
	json_number(text, "files", n.files);
	json_number(text, "sends", n.sends);
	json_number(text, "refused", n.refused);
	json_number(text, "received", n.received);
	put_drops(e, text);
	json_number(text, "faults", e->faults);
	json_number(text, "overflows", e->overflows);
	json_number(text, "events_lost", e->lost);
	json_string(text, "sm", e->sm_state);
	json_number(text, "sweeps", e->sweeps);
	json_close(text, '}');
	madkit_buf_char(text, '\n');
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
