/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "cli.h"
#include "json_object.h"
#include "madsim_control.h"
#include "topology/find.h"
#include "util/array_size.h"

enum { WORDS_MAX = 32 };

struct words {
	const char *at[WORDS_MAX];
	size_t n;
};

__attribute__((format(printf, 2, 3))) static int wrong(struct madkit_buf *text, const char *format, ...)
{
	char line[400];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	madkit_buf_str(text, line);
	return EXIT_USAGE;
}

/* ---- whom it is about ------------------------------------------------------------------ */

static int take_node(struct control *c, const char *word, uint32_t *node, struct madkit_buf *text)
{
	struct madkit_error error = { .text = "" };

	return find_node(c->s->topology, word, node, &error) ? wrong(text, "%s", error.text) : 0;
}

static int take_port(struct control *c, const char *word, uint32_t node, unsigned int *port,
		     struct madkit_buf *text)
{
	struct madkit_error error = { .text = "" };
	uint64_t number;

	if (madkit_parse_number(word, strlen(word), 255, "port", &number, &error))
		return wrong(text, "%s", error.text);
	if (number > c->s->topology->nodes[node].nports)
		return wrong(text, "port '%s': %s has %u ports", word, c->s->topology->nodes[node].name,
			     c->s->topology->nodes[node].nports);
	*port = (unsigned int)number;
	return 0;
}

/* Which of two words it is. */
static int take_switch(const char *word, const char *off, const char *on, bool *is_on,
		       struct madkit_buf *text)
{
	*is_on = !strcmp(word, on);
	return *is_on || !strcmp(word, off) ? 0 : wrong(text, "'%s' is neither %s nor %s", word, off, on);
}

/* ---- what is done ---------------------------------------------------------------------- */

static int do_link(struct control *c, const struct words *w, struct madkit_buf *text)
{
	unsigned int port;
	uint32_t node;
	bool up;

	if (take_node(c, w->at[1], &node, text) || take_port(c, w->at[2], node, &port, text) ||
	    take_switch(w->at[3], "down", "up", &up, text))
		return EXIT_USAGE;
	return fabric_cable(c->s->fabric, node, port, up) ?
		       wrong(text, "no cable is at %s, port %u", w->at[1], port) :
		       EXIT_DONE;
}

static int do_node(struct control *c, const struct words *w, struct madkit_buf *text)
{
	uint32_t node;
	bool back;

	if (take_node(c, w->at[1], &node, text) || take_switch(w->at[2], "gone", "back", &back, text))
		return EXIT_USAGE;
	return fabric_power(c->s->fabric, node, back) ? wrong(text, "'%s' cannot be switched", w->at[1]) :
							EXIT_DONE;
}

static int do_counter(struct control *c, const struct words *w, struct madkit_buf *text)
{
	const char *equals = strchr(w->at[3], '=');
	struct madkit_error error = { .text = "" };
	char name[64];
	unsigned int port;
	uint64_t value;
	uint32_t node;
	int ret;

	if (take_node(c, w->at[1], &node, text) || take_port(c, w->at[2], node, &port, text))
		return EXIT_USAGE;
	if (!equals || (size_t)(equals - w->at[3]) >= sizeof(name))
		return wrong(text, "'%s' is not NAME=VALUE", w->at[3]);
	memcpy(name, w->at[3], (size_t)(equals - w->at[3]));
	name[equals - w->at[3]] = '\0';
	if (madkit_parse_number(equals + 1, strlen(equals + 1), UINT64_MAX, name, &value, &error))
		return wrong(text, "%s", error.text);
	ret = pma_set(node_port(c->s->fabric, &c->s->fabric->nodes[node], port), name, value);
	return ret == -ENOENT ? wrong(text, "unknown counter '%s'", name) :
	       ret            ? wrong(text, "'%s' is more than the counter can hold", w->at[3]) :
				EXIT_DONE;
}

/* Garbled packets are not seen by who asked: what they left is read anew. */
static void sweep(struct control *c)
{
	if (c->s->sm)
		sm_sweep(c->s->sm);
}

/* ---- faults ---------------------------------------------------------------------------- */

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
	json_number(text, "matched", fault->matched);
	json_number(text, "done", fault->done);
	json_close(text, '}');
	madkit_buf_char(text, '\n');
}

static int fault_list(const struct control *c, struct madkit_buf *text)
{
	const struct fault *fault = NULL;

	while ((fault = fault_next(c->s->faults, fault ? fault->id : 0)))
		put_rule(c, fault, text);
	return EXIT_DONE;
}

static int fault_end(struct control *c, const char *word, struct madkit_buf *text)
{
	struct madkit_error error = { .text = "" };
	uint64_t id;

	if (madkit_parse_number(word, strlen(word), UINT32_MAX, "rule", &id, &error))
		return wrong(text, "%s", error.text);
	if (fault_remove(c->s->faults, (uint32_t)id))
		return wrong(text, "there is no rule %s", word);
	sweep(c);
	return EXIT_DONE;
}

static int do_fault(struct control *c, const struct words *w, struct madkit_buf *text)
{
	struct madkit_error error = { .text = "" };
	char line[1024] = "";
	struct fault_rule rule;
	uint32_t id;
	int ret;

	if (w->n == 2 && !strcmp(w->at[1], "list"))
		return fault_list(c, text);
	if (w->n == 2 && !strcmp(w->at[1], "clear")) {
		fault_clear(c->s->faults);
		sweep(c);
		return EXIT_DONE;
	}
	if (w->n == 3 && !strcmp(w->at[1], "clear"))
		return fault_end(c, w->at[2], text);
	for (size_t i = 1, used = 0; i < w->n; i++) {
		if (used + strlen(w->at[i]) + 2 > sizeof(line))
			return wrong(text, "the command is too long at '%s'", w->at[i]);
		used += (size_t)sprintf(line + used, "%s%s", i > 1 ? "\n" : "", w->at[i]);
	}
	if (fault_parse(c->s->topology, line, &rule, &error))
		return wrong(text, "%s", error.text);
	ret = fault_add(c->s->faults, &rule, &id);
	if (ret == -E2BIG)
		return wrong(text, "there are %d rules already", FAULT_RULES_MAX);
	if (ret)
		return wrong(text, ret == -EINVAL ? "the node has no such port" : "out of memory");
	madkit_buf_printf(text, "%u\n", id);
	return EXIT_DONE;
}

/* ---- telling ----------------------------------------------------------------------------- */

static void put_drops(const struct events *e, struct madkit_buf *text)
{
	char key[32];

	json_open(text, "drops", '{');
	for (unsigned int i = 0; i < DROPS; i++) {
		/* "link down" is link_down here */
		snprintf(key, sizeof(key), "%s", fabric_drop_name((enum fabric_drop)i));
		for (char *p = key; *p; p++)
			if (*p == ' ')
				*p = '_';
		json_number(text, key, e->drops[i]);
	}
	json_close(text, '}');
}

static int do_stats(struct control *c, const struct words *w, struct madkit_buf *text)
{
	const struct events *e = c->events;
	struct server_counters n;

	(void)w;
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

static int do_quit(struct control *c, const struct words *w, struct madkit_buf *text)
{
	(void)w;
	(void)text;
	server_end(c->server);
	return EXIT_DONE;
}

static const struct {
	const char *name, *arguments;
	size_t least, most; /* words in all */
	int (*run)(struct control *c, const struct words *w, struct madkit_buf *text);
} commands[] = {
	{ "link", "NODE PORT down|up", 4, 4, do_link },
	{ "node", "NODE gone|back", 3, 3, do_node },
	{ "fault", "ACTION [WORD=VALUE ...], fault list, fault clear [RULE]", 2, WORDS_MAX, do_fault },
	{ "counter", "NODE PORT NAME=VALUE", 4, 4, do_counter },
	{ "stats", "", 1, 1, do_stats },
	{ "quit", "", 1, 1, do_quit },
};

int control_do(struct control *c, const char *words, size_t len, struct madkit_buf *text)
{
	struct words w = { .n = 0 };

	for (size_t at = 0; at < len; at += strlen(words + at) + 1) {
		if (w.n == WORDS_MAX)
			return wrong(text, "more than %d words", WORDS_MAX);
		w.at[w.n++] = words + at;
	}
	for (size_t i = 0; w.n && i < ARRAY_SIZE(commands); i++) {
		if (strcmp(commands[i].name, w.at[0]))
			continue;
		if (w.n < commands[i].least || w.n > commands[i].most)
			return wrong(text, "it is %s %s", commands[i].name, commands[i].arguments);
		return commands[i].run(c, &w, text);
	}
	return wrong(text, "'%s' is not one of link, node, fault, counter, stats, quit", w.n ? w.at[0] : "");
}
