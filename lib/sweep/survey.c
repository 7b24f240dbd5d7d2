/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sends one request to every port of a sweep, or to every node. */
#include <errno.h>
#include <madkit/constants.h>
#include <madkit/cpi.h>
#include <madkit/query.h>
#include "agent/agent.h"
#include "sweep/survey_ask.h"
#include "sweep/survey_blocks.h"
#include "sweep/survey_registers.h"

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

/* Ends the next target of a node with the error of a request that was not sent. */
static void survey_fail_next(struct madkit_survey *s, uint32_t node, int error)
{
	struct survey_ask *ask =
		survey_ask_new(s, node, survey_targets_take(&s->targets, node), MADKIT_SURVEY_TARGET);

	if (!ask)
		return;
	ask->result.reason = NULL;
	ask->result.error = ask->result.job.error = error;
	ask->result.job.posted_ns = ask->result.job.ended_ns = madkit_port_now(s->port);
	ask->result.number = ++s->number;
	survey_pass(s, ask);
}

/* Handles a response about a node that is needed before its ports are queried. */
static void survey_prepared(struct madkit_survey *s, struct survey_ask *ask)
{
	const uint32_t node = ask->node;
	struct survey_node *n = &s->targets.nodes[node];

	n->waits = false;
	if (ask->prepares) {
		const int error = n->silent ? 0 : survey_registers_take(s, ask);

		survey_ask_free(s, ask);
		if (error)
			survey_fail_next(s, node, error);
		return;
	}
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

/* Ends a request early. */
static void survey_interrupt(struct madkit_survey *s, struct survey_ask *ask)
{
	s->targets.nodes[ask->node].next_block = NULL;
	if (ask->block)
		survey_blocks_cut(ask, "the survey ended before its second block");
	if (ask->prepares)
		survey_ask_free(s, ask);
	else
		survey_pass(s, ask);
}

/* Passes a result about a target. What it says about a register may end the other targets of the node. */
static void survey_take_target(struct madkit_survey *s, struct survey_ask *ask)
{
	const struct survey_refusal refusal = survey_registers_refused(s, ask);
	const uint32_t node = ask->node;

	survey_pass(s, ask);
	if (refusal.error)
		survey_refuse_rest(s, node, refusal.error, refusal.reason);
}

/* Keeps a request whose result is not final, for the next block of its register. */
static void survey_keep_block(struct madkit_survey *s, struct survey_ask *ask)
{
	s->targets.nodes[ask->node].next_block = ask;
	list_add(&s->posted, &ask->list);
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
		survey_interrupt(s, ask);
		return;
	}
	silent = r->error == -ETIMEDOUT || r->error == -EHOSTUNREACH;
	n->silent = silent ? n->silent + 1 : 0;
	n->responds |= !silent;
	if (survey_defer(s, ask))
		return;
	survey_add_tries(s, r);
	if (survey_blocks_take(ask))
		survey_keep_block(s, ask);
	else if (r->about == MADKIT_SURVEY_TARGET)
		survey_take_target(s, ask);
	else
		survey_prepared(s, ask);
	if (n->next != SURVEY_NONE || n->next_block)
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

	return (n->next != SURVEY_NONE || n->next_block) && !n->waits && !n->parked &&
	       (s->last || !n->deferred) && outstanding < (alone || s->registers ? 1 : SURVEY_PER_NODE);
}

/* Returns the number of consecutive requests without a response after which a node is given up. */
static unsigned int survey_patience(const struct madkit_survey *s, uint32_t node)
{
	const struct survey_node *n = &s->targets.nodes[node];

	return n->responds && !survey_registers_prepares(s, node) ? SURVEY_GIVE_UP_LATE : SURVEY_GIVE_UP;
}

/* Returns the next request to a node, or NULL if none can be sent now. */
static struct survey_ask *survey_ask_node(struct madkit_survey *s, uint32_t node)
{
	struct survey_node *n = &s->targets.nodes[node];
	struct survey_refusal refusal;
	struct survey_ask *ask;

	if (n->silent >= survey_patience(s, node) && !n->outstanding) {
		if (survey_registers_go_on(s, node))
			n->silent = 0;
		else
			survey_refuse_rest(s, node, -ETIMEDOUT, "the node does not respond");
	}
	if (!survey_may_ask(s, n, n->outstanding))
		return NULL;
	if (n->next_block) {
		ask = n->next_block;
		n->next_block = NULL;
		list_del(&ask->list);
		return ask;
	}
	if (!survey_registers_ready(s, node, &ask, &refusal)) {
		if (refusal.error)
			survey_refuse_rest(s, node, refusal.error, refusal.reason);
		return ask;
	}
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
	const int error = ask->unmapped ? -EOPNOTSUPP : unknown ? -ENODATA : -ENETUNREACH;
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
	survey_refuse(s, node, error, reason, 0, about != MADKIT_SURVEY_TARGET);
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

/* Sets the agent of a request: of the class of the survey, or of PerfMgt for a check. Returns 0 or why only this
 * request cannot be sent. */
static int survey_choose_agent(struct madkit_survey *s, struct survey_ask *ask)
{
	const uint8_t mgmt_class = ask->result.job.send->mad[MADKIT_MAD_CLASS];
	const struct madkit_agent_attr other = { .mgmt_class = mgmt_class,
						 .class_version = 1,
						 .class_version_given = true };

	if (mgmt_class != s->header.mgmt_class)
		return madkit_dispatcher_agent(s->dispatcher, &other, &ask->result.job.agent, NULL);
	if (!s->agent)
		s->error = madkit_dispatcher_agent(s->dispatcher, &s->registration, &s->agent, NULL);
	ask->result.job.agent = s->agent;
	return s->error;
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
	ret = survey_choose_agent(s, ask);
	if (s->error) {
		survey_ask_free(s, ask);
		return;
	}
	n->outstanding++;
	/* the requests of one result have one number */
	if (!ask->block && !ask->prepares)
		ask->result.number = ++s->number;
	ask->result.job.posted_ns = ask->result.job.ended_ns = madkit_port_now(s->port);
	if (!ret)
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
		if (survey_registers_pass_on(s))
			continue;
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
	for (uint32_t i = 0; i < s->targets.nnodes; i++)
		if (s->targets.nodes[i].next_block)
			survey_interrupt(s, s->targets.nodes[i].next_block);
	s->ended = true;
	madkit_dispatcher_last_tries(s->dispatcher, false);
}
