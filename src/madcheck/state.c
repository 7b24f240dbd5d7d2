/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#define _GNU_SOURCE /* strptime(), asprintf() */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "plan.h"
#include "state.h"
#include "subnet/area.h"

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
