/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sends one request to every port of a sweep, or to every node. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/constants.h>
#include <madkit/cpi.h>
#include <madkit/query.h>
#include "agent/agent.h"
#include "sweep/survey_ask.h"

enum {
	SURVEY_PER_NODE = 2, /* maximum number of outstanding requests */
	/* number of consecutive requests without a response after which a node is not queried any more: a
	 * node that has not responded yet, and one that has (its responses may be lost) */
	SURVEY_GIVE_UP = 2,
	SURVEY_GIVE_UP_LATE = 4,
	SURVEY_SUM_PORTS = 3, /* from this number of ports on, the sum of a switch is requested first */
};

/* ---- results ----------------------------------------------------------------------------- */

/* Passes a result to the caller. Returns its verdict. */
static unsigned int survey_pass(struct madkit_survey *s, struct survey_ask *ask)
{
	unsigned int verdict;

	s->passed = true;
	verdict = s->attr.result(s->attr.context, &ask->result);
	s->stopped |= (verdict & MADKIT_SURVEY_STOP) != 0;
	ask->kept = verdict & MADKIT_SURVEY_KEEP;
	if (!ask->kept)
		survey_ask_free(s, ask);
	return verdict;
}

/* Ends the next target of a node without sending its request. rest: as in the result. */
static void survey_refuse(struct madkit_survey *s, uint32_t node, int error, const char *reason,
			  uint32_t rest, bool of_node)
{
	struct survey_ask *ask =
		survey_ask_new(s, node, survey_targets_take(&s->targets, node), MADKIT_SURVEY_TARGET);

	if (!ask)
		return;
	ask->result.reason = reason;
	ask->result.error = error;
	ask->result.rest = rest;
	ask->result.of_node = of_node;
	ask->result.number = ++s->number;
	survey_pass(s, ask);
}

/* As survey_refuse() for all targets of a node that are left. */
static void survey_refuse_rest(struct madkit_survey *s, uint32_t node, int error, const char *reason)
{
	const struct survey_node *n = &s->targets.nodes[node];
	uint32_t rest = n->left;

	for (; n->next != SURVEY_NONE && !s->error && !s->stopped; rest = 0)
		survey_refuse(s, node, error, reason, rest, false);
}

static void survey_pass_summed(struct madkit_survey *s, uint32_t target)
{
	struct survey_ask *ask = survey_ask_empty(s, target, "the sum of all ports is 0");

	if (ask)
		survey_pass(s, ask);
}

/* Ends the targets that cannot be above zero, because the sum of all ports is zero. The IBA does not define
 * whether the sum includes port 0 (volume 1, section 16.1.3.5): port 0 is queried. */
static void survey_skip(struct madkit_survey *s, uint32_t node)
{
	uint32_t zero = SURVEY_NONE;

	while (s->targets.nodes[node].next != SURVEY_NONE && !s->stopped) {
		const uint32_t target = survey_targets_take(&s->targets, node);

		if (s->targets.targets[target].port)
			survey_pass_summed(s, target);
		else
			zero = target;
	}
	if (zero != SURVEY_NONE)
		survey_targets_return(&s->targets, node, zero);
}

/* Returns which counters the node has. Without a valid response, PortCountersExtended itself is requested:
 * its result shows the problem. */
static uint8_t survey_counters(const struct madkit_survey *s, const struct madkit_survey_result *r)
{
	struct madkit_message m;

	if (r->error || madkit_reply_message(&r->job.reply, &m) || m.len < s->data + MADKIT_CPI_BYTES)
		return MADKIT_CPI_COUNTERS_EXTENDED;
	return (uint8_t)madkit_cpi_get_counters(m.mad + s->data);
}

/* Handles a response about a node that is needed before its ports are queried. */
static void survey_prepared(struct madkit_survey *s, struct survey_ask *ask)
{
	const uint32_t node = ask->node;
	struct survey_node *n = &s->targets.nodes[node];

	n->waits = false;
	if (ask->result.about == MADKIT_SURVEY_CPI)
		n->counters = survey_counters(s, &ask->result);
	if (survey_pass(s, ask) & MADKIT_SURVEY_SKIP)
		survey_skip(s, node);
}

/* Checks if the target gets a last try, and returns it to the queue of its node if so. The result is then not
 * the final one. */
static bool survey_defer(struct madkit_survey *s, struct survey_ask *ask)
{
	struct survey_node *n = &s->targets.nodes[ask->node];
	const struct madkit_survey_result *r = &ask->result;

	if (!s->last_tries || s->last || r->error != -ETIMEDOUT || r->job.ended_ns >= s->attr.deadline_ns)
		return false;
	s->targets.targets[r->target].tried = true;
	survey_targets_return(&s->targets, ask->node, r->target);
	n->deferred = true;
	n->silent = 0;
	survey_ask_free(s, ask);
	return true;
}

/* For a last try: adds the earlier tries to the result. */
static void survey_add_tries(struct madkit_survey *s, struct madkit_survey_result *r)
{
	const uint32_t tries = s->request->retries;

	if (!s->last || !s->targets.targets[r->target].tried)
		return;
	s->resent++;
	r->job.reply.attempts += tries;
	r->elapsed_ns += (uint64_t)tries * s->request->timeout_ms * 1000000;
}

static void survey_take(struct madkit_survey *s, struct survey_ask *ask)
{
	const uint32_t node = ask->node;
	struct survey_node *n = &s->targets.nodes[node];
	struct madkit_survey_result *r = &ask->result;
	bool silent;

	r->error = r->job.error ? r->job.error : r->job.reply.status;
	r->elapsed_ns = r->job.ended_ns - r->job.posted_ns;
	list_del(&ask->list);
	n->outstanding--;
	s->mads += r->job.reply.attempts;
	s->resent += r->job.reply.attempts ? r->job.reply.attempts - 1 : 0;
	if (r->error == -EINTR) {
		survey_pass(s, ask);
		return;
	}
	silent = r->error == -ETIMEDOUT || r->error == -EHOSTUNREACH;
	n->silent = silent ? n->silent + 1 : 0;
	n->responds |= !silent;
	if (survey_defer(s, ask))
		return;
	survey_add_tries(s, r);
	if (r->about == MADKIT_SURVEY_TARGET)
		survey_pass(s, ask);
	else
		survey_prepared(s, ask);
	if (n->next != SURVEY_NONE)
		survey_targets_queue(&s->targets, node);
}

static void survey_collect(struct madkit_survey *s)
{
	struct madkit_job *job;

	while (!s->error && (job = madkit_dispatcher_take(s->dispatcher)))
		survey_take(s, job->context);
}

/* ---- the next request ------------------------------------------------------------------ */

static bool survey_wants_sum(const struct madkit_survey *s, const struct survey_node *n)
{
	const bool no_errors = n->knows_cpi && s->extended && !(n->counters & MADKIT_CPI_COUNTERS_ERRORS);

	return s->attr.sums && n->is_switch && !no_errors && !n->knows_sum && n->left >= SURVEY_SUM_PORTS;
}

/* Checks if a request to a node may be sent while this number is outstanding. */
static bool survey_may_ask(const struct madkit_survey *s, const struct survey_node *n,
			   unsigned int outstanding)
{
	/* the next response decides if the node is queried any more */
	const bool alone = n->silent || (s->last && !n->responds);

	return n->next != SURVEY_NONE && !n->waits && (s->last || !n->deferred) &&
	       outstanding < (alone ? 1 : SURVEY_PER_NODE);
}

/* Returns the next request to a node, or NULL if none can be sent now. */
static struct survey_ask *survey_ask_node(struct madkit_survey *s, uint32_t node)
{
	struct survey_node *n = &s->targets.nodes[node];

	if (n->silent >= (n->responds ? SURVEY_GIVE_UP_LATE : SURVEY_GIVE_UP) && !n->outstanding)
		survey_refuse_rest(s, node, -ETIMEDOUT, "the node does not respond");
	if (!survey_may_ask(s, n, n->outstanding))
		return NULL;
	if (!n->knows_cpi && (s->attr.cpi || s->extended || survey_wants_sum(s, n))) {
		n->knows_cpi = n->waits = true;
		return survey_ask_new(s, node, n->next, MADKIT_SURVEY_CPI);
	}
	if (s->extended && !(n->counters & MADKIT_CPI_COUNTERS_EXTENDED)) {
		survey_refuse_rest(s, node, -EOPNOTSUPP,
				   "its ClassPortInfo does not have IsExtendedWidthSupported");
		return NULL;
	}
	if (survey_wants_sum(s, n) && n->counters & MADKIT_CPI_COUNTERS_SUM) {
		n->knows_sum = n->waits = true;
		return survey_ask_new(s, node, n->next, MADKIT_SURVEY_SUM);
	}
	return survey_ask_new(s, node, survey_targets_take(&s->targets, node), MADKIT_SURVEY_TARGET);
}

/* Ends a target without an address, with an unknown number of blocks, or that the caller refuses. */
static void survey_unreachable(struct madkit_survey *s, struct survey_ask *ask)
{
	struct survey_node *n = &s->targets.nodes[ask->node];
	const bool unknown = ask->checked || s->targets.targets[ask->result.target].uncounted;
	const enum madkit_survey_about about = ask->result.about;
	const char *reason = ask->result.reason;
	const uint32_t node = ask->node;

	/* survey_refuse() takes the target again */
	if (about == MADKIT_SURVEY_TARGET)
		survey_targets_return(&s->targets, node, ask->result.target);
	/* the next port of the node may have an address */
	n->knows_cpi &= about != MADKIT_SURVEY_CPI;
	n->knows_sum &= about != MADKIT_SURVEY_SUM;
	n->waits = false;
	survey_ask_free(s, ask);
	survey_refuse(s, node, unknown ? -ENODATA : -ENETUNREACH, reason, 0, about != MADKIT_SURVEY_TARGET);
}

/* Begins the last tries, when nothing is outstanding. Returns false if there are none. */
static bool survey_begin_last(struct madkit_survey *s)
{
	if (!s->last_tries || s->last)
		return false;
	s->last = true;
	madkit_dispatcher_last_tries(s->dispatcher, true);
	for (uint32_t i = 0; i < s->targets.nnodes; i++) {
		struct survey_node *n = &s->targets.nodes[i];

		if (n->next == SURVEY_NONE)
			continue;
		n->responds = false;
		survey_targets_queue(&s->targets, i);
	}
	return !list_empty(&s->targets.turns);
}

static bool survey_is_late(const struct madkit_survey *s)
{
	return s->attr.deadline_ns != UINT64_MAX && madkit_port_now(s->port) >= s->attr.deadline_ns;
}

/* Posts the next request of a node whose turn it is. */
static void survey_post(struct madkit_survey *s, uint32_t node)
{
	struct survey_node *n = &s->targets.nodes[node];
	struct survey_ask *ask = survey_ask_node(s, node);
	int ret;

	if (s->error)
		return;
	if (ask && ask->result.reason) {
		survey_unreachable(s, ask);
		ask = NULL;
	}
	/* unless all its requests are outstanding, the node gets another turn */
	if (survey_may_ask(s, n, n->outstanding + (ask != NULL)))
		survey_targets_queue(&s->targets, node);
	if (!ask)
		return;
	if (!s->agent)
		s->error = madkit_dispatcher_agent(s->dispatcher, &s->registration, &s->agent, NULL);
	if (s->error) {
		survey_ask_free(s, ask);
		return;
	}
	n->outstanding++;
	ask->result.job.agent = s->agent;
	ask->result.number = ++s->number;
	ask->result.job.posted_ns = ask->result.job.ended_ns = madkit_port_now(s->port);
	ret = madkit_dispatcher_post(s->dispatcher, &ask->result.job);
	if (!ret) {
		list_add(&s->posted, &ask->list);
		return;
	}
	ask->result.job.error = ret;
	survey_take(s, ask);
}

static void survey_fill_window(struct madkit_survey *s)
{
	for (;;) {
		uint32_t node;

		if (s->error || s->stopped)
			return;
		if (survey_is_late(s)) {
			s->ended = !madkit_dispatcher_outstanding(s->dispatcher);
			return;
		}
		if (!list_empty(&s->targets.turns) &&
		    !madkit_dispatcher_has_room(s->dispatcher, s->header.mgmt_class))
			return;
		node = survey_targets_turn(&s->targets);
		if (node != SURVEY_NONE) {
			survey_post(s, node);
			survey_collect(s);
			continue;
		}
		if (madkit_dispatcher_outstanding(s->dispatcher))
			return;
		if (!survey_begin_last(s)) {
			s->ended = true;
			return;
		}
	}
}

/* ---- a survey ------------------------------------------------------------------------------ */

int madkit_survey_step(struct madkit_survey *s, uint64_t until_ns)
{
	int ret;

	if (!s)
		return -EINVAL;
	if (s->ended || s->stopped)
		return 1;
	s->passed = false;
	survey_fill_window(s);
	if (!s->error && !s->ended && !s->stopped && !s->passed) {
		if (s->attr.deadline_ns < until_ns)
			until_ns = s->attr.deadline_ns;
		ret = madkit_dispatcher_wait(s->dispatcher, until_ns);
		if (ret == -EINTR)
			return ret;
		if (ret < 0) {
			madkit_dispatcher_end(s->dispatcher, ret);
			s->error = ret;
			return ret;
		}
		survey_collect(s);
		survey_fill_window(s);
	}
	if (s->error)
		return s->error;
	return s->ended || s->stopped;
}

void madkit_survey_end(struct madkit_survey *s)
{
	struct madkit_job *job;

	if (!s)
		return;
	madkit_dispatcher_end(s->dispatcher, -EINTR);
	while ((job = madkit_dispatcher_take(s->dispatcher)))
		survey_take(s, job->context);
	s->ended = true;
	madkit_dispatcher_last_tries(s->dispatcher, false);
}

/* Finds PortSelect, and where the data of the attribute begins. */
static int survey_read_request(struct madkit_survey *s)
{
	const struct madkit_attribute *a = s->attribute;
	struct madkit_place place;

	s->data = madkit_attribute_offset(s->header.base_version, s->header.mgmt_class, a);
	if (a && madkit_attribute_port(a) == MADKIT_PORT_FIELD &&
	    !madkit_place_find(a->layout, "PortSelect", strlen("PortSelect"), &place, NULL))
		s->select = place.base + place.field->offset;
	return s->data + s->select / 8 < s->request->len ? 0 : -EINVAL;
}

static int survey_open(struct madkit_survey *s)
{
	int ret = 0;

	if (s->attr.agent)
		s->registration = *s->attr.agent;
	else
		s->registration = (struct madkit_agent_attr){ .mgmt_class = s->header.mgmt_class,
							      .class_version = s->header.class_version,
							      .class_version_given = true };
	if (!s->attr.dispatcher)
		ret = madkit_dispatcher_new(s->port, NULL, &s->own);
	s->dispatcher = s->own ? s->own : s->attr.dispatcher;
	return ret;
}

/* Copies the request of the caller, or makes it. */
static int survey_make_request(struct madkit_survey *s)
{
	const struct madkit_send *request = s->attr.request;

	if (request && (request->len > MADKIT_FRAME_BYTES || request->len < MADKIT_MAD_BYTES))
		return -EINVAL;
	s->request = request ?
			     madkit_send_new(request->len) :
			     madkit_send_request(NULL, s->attr.mgmt_class, MADKIT_METHOD_GET, s->attr.id, 0);
	if (!s->request)
		return -ENOMEM;
	if (request) {
		memcpy(s->request->mad, request->mad, request->len);
		s->request->to = request->to;
		s->request->timeout_ms = request->timeout_ms;
		s->request->ack_ms = request->ack_ms;
		s->request->retries = request->retries;
	}
	madkit_header_get(s->request->mad, s->request->len, &s->header);
	s->attribute = s->attr.attribute ? s->attr.attribute :
					   madkit_attribute_of(s->request->mad, s->request->len, NULL);
	s->extended = s->header.mgmt_class == MADKIT_CLASS_PERF &&
		      s->header.attribute == MADKIT_ATTR_PORT_COUNTERS_EXTENDED;
	s->request->to.direct = s->header.mgmt_class == MADKIT_CLASS_SUBN_DR;
	return survey_read_request(s);
}

int madkit_survey_new(const struct madkit_sweep *sweep, const struct madkit_survey_attr *attr,
		      struct madkit_survey **survey)
{
	struct madkit_survey *s;
	int ret;

	if (!sweep || !attr || !attr->result || !survey)
		return -EINVAL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->sweep = sweep;
	s->port = sweep->port;
	s->attr = *attr;
	if (!s->attr.deadline_ns)
		s->attr.deadline_ns = UINT64_MAX;
	list_init(&s->free);
	list_init(&s->posted);
	ret = survey_make_request(s);
	if (!ret)
		ret = survey_targets_make(&s->targets, sweep, attr, &s->header, s->attribute);
	if (!ret)
		ret = survey_open(s);
	s->attr.sums &= s->targets.by_field;
	s->last_tries = !ret && madkit_class_is_smi(s->header.mgmt_class) && s->request->retries;
	/* these belong to the caller */
	s->attr.request = NULL;
	s->attr.ports = NULL;
	s->attr.agent = NULL;
	s->attr.blocks = NULL;
	if (ret)
		madkit_survey_free(s);
	else
		*survey = s;
	return ret;
}

void madkit_survey_free(struct madkit_survey *s)
{
	if (!s)
		return;
	if (s->own) {
		madkit_dispatcher_free(s->own);
	} else if (!list_empty(&s->posted)) {
		madkit_dispatcher_end(s->dispatcher, -ECANCELED);
		while (madkit_dispatcher_take(s->dispatcher))
			;
	}
	survey_ask_free_all(&s->posted);
	survey_ask_free_all(&s->free);
	survey_targets_free(&s->targets);
	madkit_send_free(s->request);
	free(s);
}

void madkit_survey_count(const struct madkit_survey *s, struct madkit_survey_counts *counts)
{
	if (!s || !counts)
		return;
	*counts = (struct madkit_survey_counts){
		.unit = s->targets.instances ? MADKIT_SURVEY_BLOCKS :
			s->targets.by_port   ? MADKIT_SURVEY_PORTS :
					       MADKIT_SURVEY_NODES,
		.targets = (uint32_t)s->targets.n,
		.by_port = s->targets.by_port,
		.numbers = s->number,
		.mads = s->mads,
		.resent = s->resent,
	};
}

size_t madkit_survey_at(const struct madkit_survey *s, uint32_t target)
{
	return s && target < s->targets.n ? s->targets.targets[target].at : SIZE_MAX;
}
