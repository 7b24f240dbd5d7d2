/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "request/layout_choice.h"
#include "cli/progress.h"
#include "route.h"
#include "survey.h"
#include "survey_ask.h"
#include "survey_cpi.h"
#include "survey_show.h"
#include "survey_sum.h"

enum {
	SURVEY_PER_NODE = 2, /* maximum number of outstanding requests */
	/* number of consecutive requests without a response after which a node is not queried any more: a
	 * node that has not responded yet, and one that has (its responses may be lost) */
	SURVEY_GIVE_UP = 2,
	SURVEY_GIVE_UP_LATE = 4,
	SURVEY_SUM_PORTS = 3, /* from this number of ports on, the sum of a switch is requested first */
};

/* Returns the number of targets that have ended. */
static uint64_t survey_done(const struct survey_tally *t)
{
	return t->answered + t->summed + t->silent + t->refused + t->unsupported + t->malformed + t->failed;
}

/* ---- results ------------------------------------------------------------------------- */

static void survey_count_result(struct survey *s, const struct survey_ask *ask)
{
	struct survey_tally *tally = s->tally;
	int status = ask->task.answer.status;

	switch (status) {
	case EXIT_DONE:
	case EXIT_NOTHING:
		tally->answered++;
		break;
	case EXIT_TIMEOUT:
		if (ask->task.answer.message.kind == MADKIT_MESSAGE_ERROR)
			tally->failed++;
		else if (ask->reason || ask->task.answer.job.ended_ns < s->x->deadline_ns)
			tally->silent++;
		/* otherwise the deadline ended it, and the node may still respond: it is unfinished */
		/* counted, but not a failure */
		return;
	case EXIT_STATUS:
		if (ask->reason) {
			tally->unsupported++;
			return;
		}
		tally->refused++;
		break;
	case EXIT_MALFORMED:
		tally->malformed++;
		break;
	default:
		tally->failed++;
		break;
	}
	tally->status = exit_worst(tally->status, status);
}

/* Frees the parts of a response that are not shown. */
static void survey_shrink(struct survey_ask *ask)
{
	struct answer *a = &ask->task.answer;

	if (a->message.kind != MADKIT_MESSAGE_RESPONSE || !a->job.send)
		return;
	ask->request.to = a->job.send->to;
	a->message.remote = &ask->request.to;
	madkit_send_free(a->job.send);
	a->job.send = NULL;
}

/* Ends a target with a result, which is shown now or in its order. */
static void survey_result(struct survey *s, struct survey_ask *ask)
{
	survey_count_result(s, ask);
	survey_cut_errors(s, ask);
	s->ended[ask->target] = true;
	if (s->reads_fec) {
		s->fec[s->targets.targets[ask->target].at] = layout_mode(&ask->task.answer);
		survey_ask_free(s, ask);
		return;
	}
	if (!s->held || survey_is_dropped(s, ask)) {
		survey_show(s, ask);
		survey_ask_free(s, ask);
	} else {
		survey_shrink(ask);
		s->held[ask->target] = ask;
	}
	survey_release(s, false);
}

/* Ends the next target of a node without sending its request. */
static void survey_refuse(struct survey *s, uint32_t node, enum madkit_message_kind kind, int status,
			  int error, const char *reason)
{
	struct survey_ask *ask = survey_ask_new(s, node, survey_targets_take(&s->targets, node), SURVEY_ONE);
	struct answer *a;

	if (!ask)
		return;
	/* survey_announce_clear() has named the ports without an address */
	if (s->clears && error != -ENETUNREACH)
		cli_say("%s of %s: not cleared, because %s", ask->request.attribute_name, ask->about, reason);
	a = &ask->task.answer;
	ask->reason = reason;
	a->status = status;
	s->x->seq++;
	exchange_message(s->x, kind, &a->message);
	a->message.attribute = ask->request.attribute;
	a->message.remote = &ask->request.to;
	a->message.mad = ask->request.mad;
	a->message.len = ask->request.len;
	a->message.send_status = -error;
	a->message.attempts = 0;
	survey_result(s, ask);
}

/* As survey_refuse() for all targets of a node that are left; reported once. what: as in failures_count(). */
static void survey_refuse_rest(struct survey *s, uint32_t node, enum madkit_message_kind kind, int status,
			       int error, const char *reason, const char *what)
{
	const struct survey_node *n = &s->targets.nodes[node];
	const struct survey_target *t = &s->targets.targets[n->next];
	const char *attribute = s->request->attribute_name;
	char name[SURVEY_NAME_BYTES];

	survey_name(s->scope->sweep, t, name);
	if (!s->clears && !s->reads_fec && failures_count(&s->failures, EXIT_TIMEOUT, error, what)) {
		if (s->targets.by_port || s->blocks.instances)
			cli_say("%s of %" PRIu32 " %.*s of %s: not requested, because %s", attribute, n->left,
				(int)strlen(s->tally->what) - (n->left == 1), s->tally->what, name, reason);
		else
			cli_say("%s of %s: not requested, because %s", attribute, name, reason);
	}
	while (n->next != SURVEY_NONE && !s->full)
		survey_refuse(s, node, kind, status, error, reason);
}

static void survey_give_up(struct survey *s, uint32_t node)
{
	static const char reason[] = "the node does not respond",
			  what[] = "not sent, because the nodes do not respond";

	if (s->targets.nodes[node].next != SURVEY_NONE)
		survey_refuse_rest(s, node, MADKIT_MESSAGE_TIMEOUT, EXIT_TIMEOUT, -ETIMEDOUT, reason, what);
}

static void survey_refuse_extended(struct survey *s, uint32_t node)
{
	static const char reason[] = "its ClassPortInfo does not have IsExtendedWidthSupported",
			  what[] = "not sent, because the nodes do not have the attribute";

	survey_refuse_rest(s, node, MADKIT_MESSAGE_ERROR, EXIT_STATUS, -EOPNOTSUPP, reason, what);
}

/* Ends the targets that cannot be above zero, because the sum of all ports is zero. The IBA does not define
 * whether the sum includes port 0 (volume 1, section 16.1.3.5): port 0 is queried. */
static void survey_skip(struct survey *s, uint32_t node)
{
	size_t zero = SURVEY_NONE;

	while (s->targets.nodes[node].next != SURVEY_NONE) {
		const size_t target = survey_targets_take(&s->targets, node);

		if (!s->targets.targets[target].port) {
			zero = target;
			continue;
		}
		s->ended[target] = true;
		s->tally->summed++;
	}
	if (zero != SURVEY_NONE)
		survey_targets_return(&s->targets, node, zero);
	survey_release(s, false);
}

/* Checks if no port of a switch can pass the filter. */
static bool survey_sum_is_dropped(const struct survey *s, const struct answer *a)
{
	struct madkit_record record;

	if (a->status)
		return false;
	madkit_record_get(&a->message, 0, &record);
	return madkit_expr_eval(s->x->out->filter, &record) == 0 &&
	       survey_sum_is_zero(s->x->out->filter, &record);
}

/* Handles a response about a node that is needed before its ports are queried. */
static void survey_prepared(struct survey *s, struct survey_ask *ask)
{
	struct survey_node *n = &s->targets.nodes[ask->node];
	struct answer *a = &ask->task.answer;

	n->waits = false;
	if (a->status == EXIT_TIMEOUT || a->status == EXIT_MALFORMED)
		failures_tell(&s->failures, s->x, &ask->request, a);
	if (a->status == EXIT_MALFORMED)
		s->tally->status = exit_worst(s->tally->status, a->status);
	/* without the sum, each port is queried */
	if (ask->step == SURVEY_CPI) {
		survey_take_cpi(s, n, ask);
		s->tally->unread += n->doubts_errors;
	} else if (survey_sum_is_dropped(s, a)) {
		survey_skip(s, ask->node);
	}
	survey_ask_free(s, ask);
}

/* Reports that it is not known if a port was cleared: there is no response, or one that does not show the
 * result. */
static void survey_tell_unknown(const struct survey_ask *ask)
{
	cli_insist("%s of %s may have been cleared: %s", ask->request.attribute_name, ask->about,
		   ask->task.answer.status == EXIT_MALFORMED ? "the response was malformed" :
							       "no response was received");
}

/* Ends a request that has no result: it could not be sent, or a signal arrived. */
static void survey_abandon(struct survey *s, struct survey_ask *ask)
{
	const struct answer *a = &ask->task.answer;
	bool stopped = a->status >= EXIT_SIGNAL;

	if (ask->step == SURVEY_ONE)
		s->tally->unsent++;
	if (ask->step == SURVEY_ONE && s->clears)
		survey_tell_unknown(ask);
	if (!stopped) {
		exchange_why(s->x, a->status);
		s->tally->status = exit_worst(s->tally->status, a->status);
		s->gone = true;
	}
	survey_ask_free(s, ask);
}

/* Checks if the target gets a last try, and returns it to the queue of its node if so. The result is then not
 * the final one. */
static bool survey_defer(struct survey *s, struct survey_ask *ask)
{
	struct survey_node *n = &s->targets.nodes[ask->node];
	const struct answer *a = &ask->task.answer;

	if (!s->last_tries || s->last || a->error != -ETIMEDOUT || a->job.ended_ns >= s->x->deadline_ns)
		return false;
	s->targets.targets[ask->target].tried = true;
	survey_targets_return(&s->targets, ask->node, ask->target);
	n->deferred = true;
	n->silent = 0;
	survey_ask_free(s, ask);
	return true;
}

/* For a last try: adds the earlier tries to the result. */
static void survey_add_tries(struct survey *s, const struct survey_ask *ask, struct answer *a)
{
	const uint32_t tries = s->x->options->timing.retries;

	if (!s->last || !s->targets.targets[ask->target].tried)
		return;
	s->tally->resent++;
	a->message.attempts += (int32_t)tries;
	a->job.reply.attempts += tries;
	a->elapsed_ns += (uint64_t)tries * s->x->timeout_ms * NS_PER_MS;
}

static bool survey_take(void *context, struct exchange *x, struct task *task)
{
	struct survey *s = context;
	struct survey_ask *ask = (struct survey_ask *)task;
	struct answer *a = &task->answer;
	uint32_t node = ask->node;
	struct survey_node *n = &s->targets.nodes[node];

	n->outstanding--;
	s->tally->mads += a->job.reply.attempts;
	s->tally->resent += a->job.reply.attempts ? a->job.reply.attempts - 1 : 0;
	if (a->error == -ENODEV || a->error == -EIO)
		s->gone = true;
	if (a->message.kind == MADKIT_MESSAGE_EVENT) {
		survey_abandon(s, ask);
		return !s->gone;
	}
	n->silent = a->status == EXIT_TIMEOUT ? n->silent + 1 : 0;
	n->responds |= a->status != EXIT_TIMEOUT;
	if (survey_defer(s, ask))
		return !s->gone;
	survey_add_tries(s, ask, a);
	if (ask->step == SURVEY_ONE) {
		/* a missing response is reported with the port */
		if (!s->reads_fec || a->status == EXIT_MALFORMED)
			failures_tell(&s->failures, x, &ask->request, a);
		if (s->clears &&
		    (a->status == EXIT_TIMEOUT || a->status == EXIT_LOCAL || a->status == EXIT_MALFORMED))
			survey_tell_unknown(ask);
		survey_result(s, ask);
	} else {
		survey_prepared(s, ask);
	}
	if (n->next != SURVEY_NONE)
		survey_targets_queue(&s->targets, node);
	return !s->gone && !s->full;
}

/* ---- the source ---------------------------------------------------------------------- */

static bool survey_wants_sum(const struct survey *s, const struct survey_node *n)
{
	return s->sums && n->is_switch && !n->no_errors && !n->knows_sum && n->left >= SURVEY_SUM_PORTS;
}

/* Checks if a request to a node may be sent while this number is outstanding. */
static bool survey_may_ask(const struct survey *s, const struct survey_node *n, unsigned int outstanding)
{
	/* the next response decides if the node is queried any more */
	const bool alone = n->silent || (s->last && !n->responds);

	return n->next != SURVEY_NONE && !n->waits && (s->last || !n->deferred) &&
	       outstanding < (alone ? 1 : SURVEY_PER_NODE);
}

/* Returns the next request to a node, or NULL if none can be sent now. */
static struct survey_ask *survey_ask_node(struct survey *s, uint32_t node)
{
	struct survey_node *n = &s->targets.nodes[node];

	if (n->silent >= (n->responds ? SURVEY_GIVE_UP_LATE : SURVEY_GIVE_UP) && !n->outstanding)
		survey_give_up(s, node);
	if (!survey_may_ask(s, n, n->outstanding))
		return NULL;
	if (!n->knows_cpi && (s->extended || (s->fec && !s->reads_fec) || survey_wants_sum(s, n))) {
		n->knows_cpi = n->waits = true;
		return survey_ask_new(s, node, n->next, SURVEY_CPI);
	}
	if (s->extended && !survey_has_extended(n)) {
		survey_refuse_extended(s, node);
		return NULL;
	}
	if (survey_wants_sum(s, n) && n->counters & MADKIT_CPI_COUNTERS_SUM) {
		n->knows_sum = n->waits = true;
		return survey_ask_new(s, node, n->next, SURVEY_ALL);
	}
	return survey_ask_new(s, node, survey_targets_take(&s->targets, node), SURVEY_ONE);
}

static void survey_show_progress(const struct survey *s)
{
	const struct survey_tally *t = s->tally;

	if (!s->x->options->output.quiet)
		progress_show("%s: %" PRIu64 " of %" PRIu64 " %s", s->request->attribute_name, survey_done(t),
			      t->asked, t->what);
}

static void survey_tell_unreachable(struct survey *s, const struct survey_ask *ask, int error)
{
	static const char no_address[] =
		"not sent, because the port has no route, or no LID, or a shared one",
			  uncounted[] = "not sent, because the number of blocks is not known",
			  fec[] = "not sent, because the FEC mode of the ports is not known";
	const bool is_uncounted = s->targets.targets[ask->target].uncounted;
	const char *attribute = s->request->attribute_name;

	if (s->clears || s->reads_fec ||
	    !failures_count(&s->failures, EXIT_TIMEOUT, error,
			    ask->fec_unknown ? fec :
			    is_uncounted     ? uncounted :
					       no_address))
		return;
	if (ask->fec_unknown)
		cli_say("%s: not requested, because the FEC mode of %s is not known", attribute, ask->about);
	else
		cli_say("%s of %s: %s, because %s", attribute, ask->about,
			is_uncounted ? "only the first block is requested" : "not requested", ask->reason);
}

/* Ends a target without an address, with an unknown number of blocks, or with an unknown layout. */
static void survey_unreachable(struct survey *s, struct survey_ask *ask)
{
	struct survey_node *n = &s->targets.nodes[ask->node];
	const bool unknown = ask->fec_unknown || s->targets.targets[ask->target].uncounted;
	const int error = unknown ? -ENODATA : -ENETUNREACH;

	/* survey_refuse() takes the target again */
	if (ask->step == SURVEY_ONE)
		survey_targets_return(&s->targets, ask->node, ask->target);
	/* the next port of the node may have an address */
	n->knows_cpi &= ask->step != SURVEY_CPI;
	n->knows_sum &= ask->step != SURVEY_ALL;
	n->waits = false;
	survey_tell_unreachable(s, ask, error);
	survey_refuse(s, ask->node, MADKIT_MESSAGE_ERROR, EXIT_TIMEOUT, error, ask->reason);
	survey_ask_free(s, ask);
}

/* Begins the last tries, when nothing is outstanding. Returns false if there are none. */
static bool survey_begin_last(struct survey *s)
{
	if (!s->last_tries || s->last)
		return false;
	s->last = true;
	madkit_dispatcher_last_tries(s->x->dispatcher, true);
	for (uint32_t i = 0; i < s->targets.nnodes; i++) {
		struct survey_node *n = &s->targets.nodes[i];

		if (n->next == SURVEY_NONE)
			continue;
		n->responds = false;
		survey_targets_queue(&s->targets, i);
	}
	return s->targets.queued;
}

static enum source_state survey_next(void *context, struct exchange *x, struct task **task)
{
	struct survey *s = context;
	uint32_t node;

	s->source.due_ns = x->deadline_ns;
	if (x->options->timing.deadline_ms && madkit_port_now(x->port) >= x->deadline_ns)
		return SOURCE_ENDED;
	while (madkit_dispatcher_has_room(x->dispatcher, s->request->header.mgmt_class)) {
		struct survey_ask *ask;

		node = survey_targets_turn(&s->targets);
		if (node == SURVEY_NONE)
			break;
		ask = survey_ask_node(s, node);
		if (s->full)
			return SOURCE_ENDED;
		if (ask && ask->reason) {
			survey_unreachable(s, ask);
			ask = NULL;
		}
		/* unless all its requests are outstanding, the node gets another turn */
		if (survey_may_ask(s, &s->targets.nodes[node],
				   s->targets.nodes[node].outstanding + (ask != NULL)))
			survey_targets_queue(&s->targets, node);
		if (!ask)
			continue;
		s->targets.nodes[node].outstanding++;
		*task = &ask->task;
		return SOURCE_TASK;
	}
	survey_show_progress(s);
	if (!madkit_dispatcher_outstanding(x->dispatcher) && survey_begin_last(s))
		return SOURCE_AGAIN;
	return madkit_dispatcher_outstanding(x->dispatcher) ? SOURCE_LATER : SOURCE_ENDED;
}

/* ---- a survey ------------------------------------------------------------------------ */

/* Prepares the output: results are shown in the order of the scope, unless a program may be waiting for the
 * next one. */
static int survey_hold(struct survey *s)
{
	const enum cli_format format = s->x->out->format;

	s->ended = calloc(s->targets.n + 1, sizeof(*s->ended));
	if (!s->ended)
		return cli_no_memory();
	if (s->clears || s->reads_fec ||
	    ((format == FORMAT_JSON || format == FORMAT_RAW) && !s->x->options->sort && !s->scope->routes))
		return EXIT_DONE;
	s->held = calloc(s->targets.n + 1, sizeof(struct survey_ask *));
	return s->held ? EXIT_DONE : cli_no_memory();
}

static int survey_begin(struct survey *s)
{
	const struct request *r = s->request;
	int status = survey_blocks_read(s->x->options, r, &s->blocks);

	if (status)
		return status;
	if (survey_targets_make(&s->targets, s->scope, r, &s->blocks))
		return cli_no_memory();
	s->clears = r->header.method == MADKIT_METHOD_SET;
	s->extended = r->header.mgmt_class == MADKIT_CLASS_PERF &&
		      r->header.attribute == MADKIT_ATTR_PORT_COUNTERS_EXTENDED;
	/* the sum of ports with different layouts has no field names */
	s->sums = !s->clears && !s->fec && r->header.mgmt_class == MADKIT_CLASS_PERF && s->targets.by_field &&
		  survey_sum_suits(s->x->out->filter, r->attribute);
	if ((s->extended || s->sums || (s->fec && !s->reads_fec)) &&
	    request_derive(r, "ClassPortInfo", 0, &s->cpi))
		return cli_no_memory();
	s->last_tries = r->smp && s->x->options->timing.retries;
	s->tally->what = s->blocks.instances ? "blocks" : s->targets.by_port ? "ports" : "nodes";
	s->tally->asked = s->targets.n;
	status = survey_hold(s);
	if (!status && !r->smp && !r->destination.have_sl && s->targets.n)
		status = survey_paths_get(s->x, &s->paths);
	s->tally->sa_mads = s->paths.mads;
	s->tally->sa_resent = s->paths.mads ? s->paths.mads - 1 : 0;
	return status;
}

static void survey_end(struct survey *s)
{
	for (size_t i = 0; s->held && i < s->targets.n; i++)
		if (s->held[i])
			survey_ask_free(s, s->held[i]);
	while (s->unused) {
		struct survey_ask *ask = s->unused;

		s->unused = ask->next;
		free(ask);
	}
	free(s->held);
	free(s->ended);
	madkit_buf_free(&s->unwritten);
	request_free(&s->cpi);
	survey_paths_free(&s->paths);
	survey_targets_free(&s->targets);
}

/* Accounts for the targets that are left at the end. Returns the exit status. */
static int survey_judge(struct survey *s, int error)
{
	struct survey_tally *t = s->tally;
	uint64_t done = survey_done(t);

	t->unsent = t->asked - done;
	if (cli_stopped())
		return cli_stopped_status();
	if (s->full)
		return cli_no_memory();
	if (error < 0 && !s->gone)
		return exchange_report(s->x, NULL, exchange_port_failed(s->x, error));
	if (t->unsent && !s->gone && !s->x->out->status) {
		cli_say("the deadline ended it after %" PRIu64 " of %" PRIu64 " %s", done, t->asked, t->what);
		return EXIT_TIMEOUT;
	}
	if (t->unsupported && (s->clears || t->unsupported == t->asked || cli_is_strict(s->x->options)))
		t->status = exit_worst(t->status, EXIT_STATUS);
	if (t->silent + t->failed &&
	    (s->clears || t->silent + t->failed == t->asked || cli_is_strict(s->x->options)))
		t->status = exit_worst(t->status, EXIT_TIMEOUT);
	if (t->unread && s->x->options->strict)
		t->status = exit_worst(t->status, EXIT_TIMEOUT);
	return s->gone ? EXIT_LOCAL : EXIT_DONE;
}

/* Reads the FEC mode of all ports with PortInfoExtended first, if the layout of the counters depends on it.
 * The mode of a port that is not queried, because of the deadline, is unknown. Returns EXIT_DONE or an exit
 * status. */
static int survey_read_fec(struct survey *s)
{
	struct survey_tally tally = { .what = "ports" };
	struct survey reading = { .x = s->x,
				  .scope = s->scope,
				  .tally = &tally,
				  .failures.all = s->failures.all,
				  .reads_fec = true };
	const struct sink sink = { .take = survey_take, .context = &reading };
	const uint64_t seq = s->x->seq;
	struct request extended;
	int status, ret = 0;

	if (s->request->header.method != MADKIT_METHOD_GET || !layout_depends(s->request))
		return EXIT_DONE;
	s->fec = calloc(s->scope->n + 1, sizeof(*s->fec));
	if (!s->fec || layout_request(s->request, 0, &extended))
		return cli_no_memory();
	reading.fec = s->fec;
	reading.request = &extended;
	reading.source = (struct source){ .next = survey_next, .context = &reading };
	madkit_buf_init(&reading.unwritten, 0);
	status = survey_begin(&reading);
	if (!status)
		ret = dispatch(s->x, &reading.source, &sink);
	/* the survey itself reports a signal, and a device that is gone */
	if (ret < 0 && !reading.gone && !cli_stopped())
		status = cli_failed(ret, "cannot send");
	madkit_dispatcher_last_tries(s->x->dispatcher, false);
	progress_clear();
	failures_finish(&reading.failures);
	if (tally.malformed)
		s->tally->status = exit_worst(s->tally->status, EXIT_MALFORMED);
	survey_end(&reading);
	request_free(&extended);
	s->x->seq = seq;
	s->tally->mads += tally.mads;
	s->tally->resent += tally.resent;
	return status;
}

int survey_run(struct exchange *x, const struct scope *scope, const struct request *request,
	       struct survey_tally *tally)
{
	struct survey s = {
		.x = x,
		.scope = scope,
		.request = request,
		.tally = tally,
		/* each port that could not be cleared is named */
		.failures.all = x->options->output.verbose || request->header.method == MADKIT_METHOD_SET,
	};
	const struct sink sink = { .take = survey_take, .context = &s };
	int status, ret = 0;

	*tally = (struct survey_tally){ .what = "ports" };
	madkit_buf_init(&s.unwritten, 0);
	s.source = (struct source){ .next = survey_next, .context = &s };
	status = survey_read_fec(&s);
	if (!status)
		status = survey_begin(&s);
	if (!status) {
		ret = dispatch(x, &s.source, &sink);
		madkit_dispatcher_last_tries(x->dispatcher, false);
		progress_clear();
		survey_release(&s, true);
		output_flush(x->out);
		survey_tell_unwritten(&s);
		failures_finish(&s.failures);
		status = survey_judge(&s, ret);
	}
	if (!status || status < EXIT_SIGNAL)
		status = s.names ? s.names : status;
	survey_end(&s);
	free(s.fec);
	return status;
}
