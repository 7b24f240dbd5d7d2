/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Surveys of simulated fabrics, compared with what their topology says: which ports have a PMA that responds. */
#include <errno.h>
#include "tests/unit/sweep.h"
#include "topology/generate.h"

enum { SURVEY_TEST_RESULTS = 256 };

/* The results of a survey: a port, and what became of it. */
struct surveyed {
	struct swept swept;
	struct {
		uint64_t guid;
		unsigned int port;
		int error;
		bool reason;
		char name[32];
	} results[SURVEY_TEST_RESULTS];
	unsigned int n, about[3];
	unsigned int stop; /* after so many results */
	struct madkit_survey_counts counts;
};

static unsigned int surveyed_take(void *context, struct madkit_survey_result *r)
{
	struct surveyed *s = context;
	const struct madkit_message *m = madkit_survey_message(r);
	uint64_t guid = 0;

	s->about[r->about]++;
	if (r->about != MADKIT_SURVEY_TARGET || s->n == SURVEY_TEST_RESULTS)
		return MADKIT_SURVEY_NEXT;
	madkit_get(m->port->data, m->port->len, MADKIT_PORT_OBJECT_NODE_GUID, &guid);
	s->results[s->n].guid = guid;
	s->results[s->n].port = r->port;
	s->results[s->n].error = r->error ? r->error : madkit_message_status(m) ? -EPROTO : 0;
	s->results[s->n].reason = r->reason;
	snprintf(s->results[s->n].name, sizeof(s->results->name), "%s", m->name ? m->name : "");
	return ++s->n == s->stop ? MADKIT_SURVEY_STOP : MADKIT_SURVEY_NEXT;
}

/* Sweeps a fabric, and surveys it with a Get. attr: other members, or NULL. */
static void surveyed_run(struct surveyed *s, const char *spec, uint8_t mgmt_class, uint16_t attribute,
			 const struct madkit_survey_attr *given)
{
	struct madkit_send *get = madkit_send_request(NULL, mgmt_class, MADKIT_METHOD_GET, attribute, 0);
	struct madkit_survey_attr attr = given ? *given : (struct madkit_survey_attr){ .nports = 0 };
	struct madkit_survey *survey = NULL;
	struct madkit_error error = { .text = "" };
	int ret;

	get->timeout_ms = 50;
	get->retries = 1;
	attr.request = get;
	attr.result = surveyed_take;
	attr.context = s;
	ok(!madkit_port_open(spec, &s->swept.port, &error), "%s: %s", spec, error.text);
	ok(!madkit_sweep_new(s->swept.port, &usual, &s->swept.s), "... a sweep");
	is_int(madkit_sweep_step(s->swept.s, UINT64_MAX), 1, "... ends");
	ok(!madkit_survey_new(s->swept.s, &attr, &survey), "... a survey");
	while (!(ret = madkit_survey_step(survey, UINT64_MAX)))
		;
	is_int(ret, 1, "... ends");
	madkit_survey_end(survey);
	madkit_survey_count(survey, &s->counts);
	madkit_survey_free(survey);
	madkit_send_free(get);
}

/* Returns the number of results about a port, and its error in *error. */
static unsigned int surveyed_port(const struct surveyed *s, uint64_t guid, unsigned int port, int *error)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < s->n; i++) {
		if (s->results[i].guid != guid || s->results[i].port != port)
			continue;
		*error = s->results[i].error;
		n++;
	}
	return n;
}

static struct topology *surveyed_topology(const char *rule)
{
	struct madkit_error error = { .text = "" };
	struct topology *t = NULL;

	topology_generate(rule, &t, &error);
	ok(t, "%s is a topology%s", rule, error.text);
	return t;
}

/* Each external port of a switch, and each linked port of a CA, has counters; each result is about one. silent:
 * name of a node that does not respond, or "". */
static void surveyed_compare(const struct surveyed *s, const struct topology *t, const char *silent)
{
	unsigned int expected = 0, found = 0, right = 0;

	for (uint32_t i = 0; i < t->nnodes; i++) {
		const struct topology_node *node = &t->nodes[i];
		const bool is_silent = *silent && strstr(node->description, silent) == node->description;

		for (unsigned int port = 1; port <= node->nports; port++) {
			int error = 0;

			expected++;
			found += surveyed_port(s, node->guid, port, &error) == 1;
			right += error == (is_silent ? -ETIMEDOUT : 0);
		}
	}
	is_u64(s->n, expected, "each port has a result");
	is_u64(found, expected, "... one");
	is_u64(right, expected, "... and responds if its node does");
	is_u64(s->counts.targets, expected, "... and is counted");
}

static void surveys_ports(void)
{
	struct topology *t = surveyed_topology("fat-tree:3,3,2");
	struct surveyed s = { .n = 0 };

	surveyed_run(&s, "sim:fat-tree:3,3,2", MADKIT_CLASS_PERF, MADKIT_ATTR_PORT_COUNTERS, NULL);
	surveyed_compare(&s, t, "");
	ok(s.counts.by_port && s.counts.unit == MADKIT_SURVEY_PORTS, "the targets are ports");
	is_u64(s.counts.mads, s.n, "one MAD for each");
	swept_close(&s.swept);
	topology_free(t);
}

static void surveys_nodes(void)
{
	struct topology *t = surveyed_topology("fat-tree:3,3,2");
	struct surveyed s = { .n = 0 };

	surveyed_run(&s, "sim:fat-tree:3,3,2", MADKIT_CLASS_SUBN_DR, MADKIT_ATTR_NODE_INFO, NULL);
	is_u64(s.n, t->nnodes, "an attribute of nodes is requested once of each");
	ok(s.counts.unit == MADKIT_SURVEY_NODES, "... the targets are nodes");
	swept_close(&s.swept);
	topology_free(t);
}

static void surveys_silence(void)
{
	struct topology *t = surveyed_topology("fat-tree:3,3,2");
	struct surveyed s = { .n = 0 };
	unsigned int refused = 0;

	surveyed_run(&s, "sim:fat-tree:3,3,2,control=agent leaf2 mute gsi", MADKIT_CLASS_PERF,
		     MADKIT_ATTR_PORT_COUNTERS, NULL);
	surveyed_compare(&s, t, "leaf2");
	for (unsigned int i = 0; i < s.n; i++)
		refused += s.results[i].reason;
	ok(refused >= 1 && s.counts.mads == s.n - refused + (s.counts.resent),
	   "after two silent requests, the other ports of the node are not queried");
	swept_close(&s.swept);
	topology_free(t);
}

static void surveys_by_capability(void)
{
	struct surveyed s = { .n = 0 };

	surveyed_run(&s, "sim:fat-tree:2,2,1", MADKIT_CLASS_PERF, MADKIT_ATTR_PORT_COUNTERS_EXTENDED, NULL);
	is_u64(s.about[MADKIT_SURVEY_CPI], 7, "ClassPortInfo is requested of each of the 7 nodes first");
	swept_close(&s.swept);
}

static void surveys_selected(void)
{
	const struct madkit_survey_port ports[] = { { .node = 0, .port = 1 } };
	const struct madkit_survey_attr attr = { .ports = ports, .nports = 1 };
	struct surveyed s = { .n = 0 }, stopped = { .stop = 3 };

	surveyed_run(&s, "sim:fat-tree:3,3,2", MADKIT_CLASS_PERF, MADKIT_ATTR_PORT_COUNTERS, &attr);
	is_u64(s.n, 1, "only the given port is queried");
	ok(!strncmp(s.results[0].name, "h1-1", 4), "... this host: %s", s.results[0].name);
	swept_close(&s.swept);
	surveyed_run(&stopped, "sim:fat-tree:3,3,2", MADKIT_CLASS_PERF, MADKIT_ATTR_PORT_COUNTERS, NULL);
	ok(stopped.n >= 3 && stopped.n < stopped.counts.targets, "a verdict stops a survey: %u", stopped.n);
	swept_close(&stopped.swept);
}

int main(void)
{
	surveys_ports();
	surveys_nodes();
	surveys_silence();
	surveys_by_capability();
	surveys_selected();
	return tap_done();
}
