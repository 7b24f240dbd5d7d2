/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/cpi.h>
#include "dispatch.h"
#include "failures.h"
#include "progress.h"
#include "route.h"
#include "survey.h"
#include "survey_paths.h"
#include "survey_sum.h"
#include "survey_targets.h"

enum {
	SURVEY_PER_NODE = 2, /* requests outstanding */
	/* requests in a row without a response, after which a node is not asked any more: one that has not responded
	 * yet, and one that has (its responses may be lost) */
	SURVEY_GIVE_UP = 2,
	SURVEY_GIVE_UP_LATE = 4,
	SURVEY_SUM_PORTS = 3,   /* of a switch, from which on the sum is asked for first */
	SURVEY_ALL_PORTS = 255, /* PortSelect */
	SURVEY_NAME_BYTES = 65,
	SURVEY_CAP2_ERRORS = 1 << 1, /* IsAdditionalPortCountersExtendedSupported */
	SURVEY_FIRST_EDITION = 72,   /* bytes of PortCountersExtended without counters of errors */
	SURVEY_FLUSH = 1 << 16,
};

/* What a request is about. */
enum survey_step {
	SURVEY_CPI, /* ClassPortInfo */
	SURVEY_ALL, /* the sums of all ports */
	SURVEY_ONE, /* a target */
};

struct survey_ask {
	struct task task;        /* the first member */
	struct survey_ask *next; /* unused */
	struct request request;
	uint32_t node; /* of the survey */
	size_t target;
	enum survey_step step;
	const char *reason; /* why it is not sent; NULL: it is */
	char name[SURVEY_NAME_BYTES], about[SURVEY_NAME_BYTES + 16];
	uint8_t mad[MADKIT_MAD_BYTES];
};

struct survey {
	struct exchange *x;
	const struct scope *scope;
	const struct request *request;
	struct request cpi;
	struct survey_blocks blocks;
	struct survey_targets targets;
	struct survey_paths paths;
	struct survey_tally *tally;
	struct failures failures;
	struct source source;
	struct survey_ask *unused;
	struct survey_ask *
		*held; /* results, by target, to be shown in their order; NULL: they are shown as they come */
	bool *ended;   /* targets */
	size_t shown;  /* targets before this one have ended and been shown */
	bool extended; /* PortCountersExtended, which not every node has */
	bool sums;     /* the filter holds for the sum of all ports if it does for one */
	bool clears;
	/* SMPs that are lost because VL15 has no flow control seem to be requests to silent nodes: the last try of each
	 * is sent after all others, with few at a time */
	bool last_tries; /* there are any */
	bool last;       /* they have begun */
	struct madkit_buf
		unwritten; /* ports that were cleared, each with a NUL, of which the line may not be written yet */
	bool gone;         /* the device */
	bool full;         /* no memory */
};

/* ---- requests ------------------------------------------------------------------------ */

/* The M_Key of the node. */
static void survey_put_key(const struct survey *s, const struct survey_target *t, struct request *r)
{
	const struct madkit_sweep_node *n = madkit_sweep_node(s->scope->sweep, t->node);
	unsigned int port = s->targets.nodes[s->targets.node_of[t->node]].is_switch ? 0 : t->port;

	if (s->scope->m_key)
		request_put_header(r, "m_key", s->scope->m_key(s->scope->m_key_context, n, port, false));
}

/* Where it goes. NULL; or why it cannot be sent. */
static const char *survey_address(const struct survey *s, const struct survey_target *t, struct request *r)
{
	struct madkit_addr to;

	if (!r->to.direct) {
		r->to.lid = survey_lid(s->scope->sweep, t);
		if (r->smp)
			survey_put_key(s, t, r);
		else if (!r->destination.have_sl)
			r->to.sl = survey_paths_sl(&s->paths, r->to.lid);
		return r->to.lid ? NULL : "the port has no LID";
	}
	if (!madkit_sweep_port_route(s->scope->sweep, t->node, t->port, &to))
		return "the route to the node is gone";
	survey_put_key(s, t, r);
	r->to.hops = to.hops;
	memcpy(r->to.path, to.path, sizeof(r->to.path));
	request_put_route(r);
	return NULL;
}

static void survey_name(const struct madkit_sweep *sweep, const struct survey_target *t,
			char name[SURVEY_NAME_BYTES])
{
	const struct madkit_sweep_node *n = madkit_sweep_node(sweep, t->node);
	const char *given = madkit_sweep_name(sweep, n);

	snprintf(name, SURVEY_NAME_BYTES, "%.64s", given ? given : (const char *)n->description);
}

static void survey_name_ask(const struct survey *s, const struct survey_target *t, struct survey_ask *ask)
{
	survey_name(s->scope->sweep, t, ask->name);
	if (s->targets.by_port && ask->step == SURVEY_ONE)
		snprintf(ask->about, sizeof(ask->about), "%s port %u", ask->name, t->port);
	else
		snprintf(ask->about, sizeof(ask->about), "%s", ask->name);
	ask->request.about = ask->about;
}

static void survey_put_port(const struct survey *s, const struct survey_target *t, struct request *r,
			    unsigned int port)
{
	if (s->targets.by_field) {
		r->local_port = true;
		request_put_port(r, port);
		r->local_port = false;
	} else if (t->modifier) {
		r->header.modifier |= t->modifier;
		madkit_header_put(r->mad, r->len, &r->header);
	}
}

/* In the last phase, a target that was not tried has all its tries, if its node responds there. */
static uint32_t survey_retries(const struct survey *s, const struct survey_node *n,
			       const struct survey_target *t)
{
	const uint32_t retries = s->x->options->retries;

	if (!s->last)
		return retries - 1;
	return t->tried || !n->responds ? 0 : retries;
}

/* NULL: no memory. */
static struct survey_ask *survey_ask_new(struct survey *s, uint32_t node, size_t target,
					 enum survey_step step)
{
	const struct request *model = step == SURVEY_CPI ? &s->cpi : s->request;
	const struct survey_target *t = &s->targets.targets[target];
	struct survey_ask *ask = s->unused;
	struct request *r;

	if (ask)
		s->unused = ask->next;
	else
		ask = malloc(sizeof(*ask));
	s->full |= !ask;
	if (!ask)
		return NULL;
	r = &ask->request;
	*r = *model;
	r->mad = memcpy(ask->mad, model->mad, model->len);
	if (s->last_tries) {
		r->have_retries = true;
		r->retries = survey_retries(s, &s->targets.nodes[node], t);
	}
	ask->task = (struct task){ .request = r };
	ask->node = node;
	ask->target = target;
	ask->step = step;
	if (step != SURVEY_CPI)
		survey_put_port(s, t, r, step == SURVEY_ALL ? SURVEY_ALL_PORTS : t->port);
	survey_name_ask(s, t, ask);
	ask->reason = survey_address(s, t, r);
	return ask;
}

static void survey_ask_free(struct survey *s, struct survey_ask *ask)
{
	answer_free(&ask->task.answer);
	ask->next = s->unused;
	s->unused = ask;
}

/* ---- showing ------------------------------------------------------------------------- */

/* For people: the counters of a port that were reset. */
static void survey_show_cleared(const struct survey *s, const struct survey_ask *ask)
{
	struct madkit_buf *buf = &s->x->out->buf;

	if (ask->task.answer.status)
		return;
	madkit_buf_printf(buf, "%s cleared: Lid %" PRIu32 " (", ask->request.attribute_name,
			  ask->request.to.lid);
	madkit_text_escape(buf, ask->about, strlen(ask->about));
	madkit_buf_str(buf, ")\n");
}

/* A line of JSON about a request that was not sent. */
static void survey_show_unsent(const struct survey *s, struct survey_ask *ask)
{
	struct madkit_message *m = &ask->task.answer.message;
	struct madkit_buf data;

	if (m->kind == MADKIT_MESSAGE_TIMEOUT) {
		output_message(s->x->out, m);
		return;
	}
	json_begin(&data);
	json_string(&data, "error", ask->reason);
	m->data_json = json_end(&data);
	output_message(s->x->out, m);
	m->data_json = NULL;
	madkit_buf_free(&data);
}

/* Completes the message of a result by its node and port, until record ends. */
static void survey_attach(const struct survey *s, struct survey_ask *ask, struct madkit_sweep_record *record)
{
	const struct survey_target *t = &s->targets.targets[ask->target];
	struct madkit_message *message = &ask->task.answer.message;

	madkit_sweep_record_get(s->scope->sweep, t->node, t->port, record);
	record->record.message = message;
	message->port = &record->record;
	message->name = ask->name;
}

/* Notes a port that was cleared, until its line has been written. */
static void survey_note_cleared(struct survey *s, const struct survey_ask *ask)
{
	if (!s->clears || ask->reason || ask->task.answer.status)
		return;
	if (!s->x->out->status && !s->x->out->buf.len)
		madkit_buf_reset(&s->unwritten);
	madkit_buf_add(&s->unwritten, ask->about, strlen(ask->about) + 1);
}

/* The output failed: names the ports that were cleared without a line. */
static void survey_tell_unwritten(const struct survey *s)
{
	const char *about = s->unwritten.data;

	if (!s->x->out->status)
		return;
	for (size_t at = 0; at < s->unwritten.len; at += strlen(about + at) + 1)
		cli_insist("%s of %s was cleared, but that could not be written", s->request->attribute_name,
			   about + at);
}

static void survey_show(struct survey *s, struct survey_ask *ask)
{
	const struct routes *routes = s->scope->routes;
	struct madkit_message *message = &ask->task.answer.message;
	struct madkit_sweep_record record;
	struct madkit_buf hop;

	madkit_buf_init(&hop, 0);
	survey_note_cleared(s, ask);
	survey_attach(s, ask, &record);
	if (routes)
		message->hop_json =
			route_json(routes, &routes->places[s->targets.targets[ask->target].at], &hop);
	if (ask->reason && s->x->out->format == FORMAT_JSON)
		survey_show_unsent(s, ask);
	else if (!ask->reason && s->clears && s->x->out->format == FORMAT_TEXT)
		survey_show_cleared(s, ask);
	else if (!ask->reason)
		exchange_show(s->x, &ask->request, &ask->task.answer);
	message->hop_json = NULL;
	madkit_buf_free(&hop);
}

/* Text has a title for each route, before its first target. */
static void survey_show_title(const struct survey *s, size_t target)
{
	const struct survey_target *t = &s->targets.targets[target];
	const struct routes *routes = s->scope->routes;
	size_t first = t->at;

	if (!routes || s->x->out->format != FORMAT_TEXT ||
	    (target && survey_part(s->scope, t[-1].at) == survey_part(s->scope, t->at)))
		return;
	while (!route_begins(routes, first))
		first--;
	route_title(routes, s->scope, first, &s->x->out->buf);
}

/* Whether nothing is shown of a result, so that it need not be held. */
static bool survey_is_dropped(const struct survey *s, struct survey_ask *ask)
{
	const struct madkit_expr *filter = s->x->out->filter;
	struct madkit_sweep_record port;
	struct madkit_record record;

	if (s->x->out->format == FORMAT_JSON)
		return false;
	/* for people, these are on standard error */
	if (ask->reason || ask->task.answer.message.kind != MADKIT_MESSAGE_RESPONSE)
		return true;
	if (!filter)
		return false;
	survey_attach(s, ask, &port);
	madkit_record_get(&ask->task.answer.message, 0, &record);
	return madkit_expr_eval(filter, &record) != 1;
}

/* Shows held results up to the first target that has not ended, or all. */
static void survey_release(struct survey *s, bool all)
{
	for (; s->held && s->shown < s->targets.n && (all || s->ended[s->shown]); s->shown++) {
		struct survey_ask *ask = s->held[s->shown];

		survey_show_title(s, s->shown);
		if (!ask)
			continue;
		survey_show(s, ask);
		survey_ask_free(s, ask);
		s->held[s->shown] = NULL;
		if (s->x->out->buf.len >= SURVEY_FLUSH)
			output_flush(s->x->out);
	}
}

/* Targets that have ended. */
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
		/* else the deadline ended it, and the node may respond: it is unfinished */
		/* counted, and no reason to fail */
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

/* Frees what is not shown of a response. */
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

/* Cuts off the counters that the node does not have, so that they do not seem to be 0. */
static void survey_cut_errors(const struct survey *s, struct survey_ask *ask)
{
	struct madkit_message *m = &ask->task.answer.message;
	const size_t len = s->request->data_offset + SURVEY_FIRST_EDITION;

	if (s->targets.nodes[ask->node].no_errors && m->kind == MADKIT_MESSAGE_RESPONSE && m->len > len)
		m->len = len;
}

/* A target has ended with a result, which is shown now or when its turn comes. */
static void survey_result(struct survey *s, struct survey_ask *ask)
{
	survey_count_result(s, ask);
	survey_cut_errors(s, ask);
	s->ended[ask->target] = true;
	if (!s->held || survey_is_dropped(s, ask)) {
		survey_show(s, ask);
		survey_ask_free(s, ask);
	} else {
		survey_shrink(ask);
		s->held[ask->target] = ask;
	}
	survey_release(s, false);
}

/* The next target of a node ends without being asked. */
static void survey_refuse(struct survey *s, uint32_t node, enum madkit_message_kind kind, int status,
			  int error, const char *reason)
{
	struct survey_ask *ask = survey_ask_new(s, node, survey_targets_take(&s->targets, node), SURVEY_ONE);
	struct answer *a;

	if (!ask)
		return;
	if (s->clears)
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

/* The same of all that are left, which is told once. what: as in failures_count(). */
static void survey_refuse_rest(struct survey *s, uint32_t node, enum madkit_message_kind kind, int status,
			       int error, const char *reason, const char *what)
{
	const struct survey_node *n = &s->targets.nodes[node];
	const struct survey_target *t = &s->targets.targets[n->next];
	const char *attribute = s->request->attribute_name;
	char name[SURVEY_NAME_BYTES];

	survey_name(s->scope->sweep, t, name);
	if (!s->clears && failures_count(&s->failures, EXIT_TIMEOUT, error, what)) {
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

/* Targets that cannot be above zero, because the sum of all ports is zero. The IBA does not say whether the sum
 * contains port 0 (volume 1, section 16.1.3.5): it is asked. */
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

static bool survey_has_extended(const struct survey_node *n)
{
	return n->capabilities & (MADKIT_CPI_CAP_PERF_IS_EXTENDED_WIDTH_SUPPORTED |
				  MADKIT_CPI_CAP_PERF_IS_EXTENDED_WIDTH_SUPPORTED_NO_IETF);
}

static void survey_take_cpi(struct survey *s, struct survey_node *n, const struct survey_ask *ask)
{
	static const char what[] = "to nodes without counters of errors";
	const struct answer *a = &ask->task.answer;
	const struct madkit_message *m = &a->message;
	size_t offset = s->cpi.data_offset;

	/* without a response, the attribute itself is requested: that will show what is wrong */
	n->capabilities = MADKIT_CPI_CAP_PERF_IS_EXTENDED_WIDTH_SUPPORTED;
	if (a->status || m->len < offset + MADKIT_CPI_BYTES)
		return;
	n->capabilities = madkit_cpi_get_capmask(m->mad + offset);
	n->no_errors = s->extended && survey_has_extended(n) &&
		       !(madkit_cpi_get_capmask2(m->mad + offset) & SURVEY_CAP2_ERRORS);
	if (n->no_errors && failures_count(&s->failures, EXIT_TIMEOUT, -EOPNOTSUPP, what))
		cli_say("%s of %s has no counters of errors: its ClassPortInfo does not have IsAdditionalPortCountersExtendedSupported",
			s->request->attribute_name, ask->name);
}

/* Whether no port of a switch can pass the filter. */
static bool survey_sum_is_dropped(const struct survey *s, const struct answer *a)
{
	struct madkit_record record;

	if (a->status)
		return false;
	madkit_record_get(&a->message, 0, &record);
	return madkit_expr_eval(s->x->out->filter, &record) == 0 &&
	       survey_sum_is_zero(s->x->options->filter, &record);
}

/* What is known of a node before its ports are asked. */
static void survey_prepared(struct survey *s, struct survey_ask *ask)
{
	struct survey_node *n = &s->targets.nodes[ask->node];
	struct answer *a = &ask->task.answer;

	n->waits = false;
	if (a->status == EXIT_TIMEOUT)
		failures_tell(&s->failures, s->x, &ask->request, a);
	/* without the sum, each port is asked */
	if (ask->step == SURVEY_CPI) {
		survey_take_cpi(s, n, ask);
	} else if (survey_sum_is_dropped(s, a)) {
		survey_skip(s, ask->node);
	}
	survey_ask_free(s, ask);
}

/* The request to clear a port has no response. */
static void survey_tell_unknown(const struct survey_ask *ask)
{
	cli_insist("%s of %s may have been cleared: no response was received", ask->request.attribute_name,
		   ask->about);
}

/* A request that had no end of its own: it could not be sent, or a signal came. */
static void survey_abandon(struct survey *s, struct survey_ask *ask)
{
	const struct answer *a = &ask->task.answer;
	bool stopped = a->status >= EXIT_SIGNAL;

	if (ask->step == SURVEY_ONE)
		s->tally->unsent++;
	if (ask->step == SURVEY_ONE && stopped && s->clears)
		survey_tell_unknown(ask);
	if (!stopped) {
		exchange_why(s->x, a->status);
		s->tally->status = exit_worst(s->tally->status, a->status);
		s->gone = true;
	}
	survey_ask_free(s, ask);
}

/* Whether the result is not the last one: the target gets a last try. */
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

/* A last try: its result is that of all tries. */
static void survey_add_tries(struct survey *s, const struct survey_ask *ask, struct answer *a)
{
	const uint32_t tries = s->x->options->retries;

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
		failures_tell(&s->failures, x, &ask->request, a);
		if (s->clears && a->status == EXIT_TIMEOUT)
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

/* Whether a request to a node may be sent, if so many are outstanding. */
static bool survey_may_ask(const struct survey *s, const struct survey_node *n, unsigned int outstanding)
{
	/* its next response decides whether it is asked any more */
	const bool alone = n->silent || (s->last && !n->responds);

	return n->next != SURVEY_NONE && !n->waits && (s->last || !n->deferred) &&
	       outstanding < (alone ? 1 : SURVEY_PER_NODE);
}

/* The next request to a node. NULL: none now. */
static struct survey_ask *survey_ask_node(struct survey *s, uint32_t node)
{
	struct survey_node *n = &s->targets.nodes[node];

	if (n->silent >= (n->responds ? SURVEY_GIVE_UP_LATE : SURVEY_GIVE_UP) && !n->outstanding)
		survey_give_up(s, node);
	if (!survey_may_ask(s, n, n->outstanding))
		return NULL;
	if (!n->knows_cpi && (s->extended || survey_wants_sum(s, n))) {
		n->knows_cpi = n->waits = true;
		return survey_ask_new(s, node, n->next, SURVEY_CPI);
	}
	if (s->extended && !survey_has_extended(n)) {
		survey_refuse_extended(s, node);
		return NULL;
	}
	if (survey_wants_sum(s, n) && n->capabilities & MADKIT_CPI_CAP_PERF_ALL_PORT_SELECT) {
		n->knows_sum = n->waits = true;
		return survey_ask_new(s, node, n->next, SURVEY_ALL);
	}
	return survey_ask_new(s, node, survey_targets_take(&s->targets, node), SURVEY_ONE);
}

static void survey_show_progress(const struct survey *s)
{
	const struct survey_tally *t = s->tally;

	if (!s->x->options->quiet)
		progress_show("%s: %" PRIu64 " of %" PRIu64 " %s", s->request->attribute_name, survey_done(t),
			      t->asked, t->what);
}

/* Ends a target that has no address. */
static void survey_unreachable(struct survey *s, struct survey_ask *ask)
{
	static const char what[] = "not sent, because the port has no LID or no route";
	struct survey_node *n = &s->targets.nodes[ask->node];

	/* it is made again as a result */
	if (ask->step == SURVEY_ONE)
		survey_targets_return(&s->targets, ask->node, ask->target);
	/* the next port of the node may have an address */
	n->knows_cpi &= ask->step != SURVEY_CPI;
	n->knows_sum &= ask->step != SURVEY_ALL;
	n->waits = false;
	if (!s->clears && failures_count(&s->failures, EXIT_TIMEOUT, -ENETUNREACH, what))
		cli_say("%s of %s: not requested, because %s", s->request->attribute_name, ask->about,
			ask->reason);
	survey_refuse(s, ask->node, MADKIT_MESSAGE_ERROR, EXIT_TIMEOUT, -ENETUNREACH, ask->reason);
	survey_ask_free(s, ask);
}

/* When nothing is outstanding: begins the last tries. False: there are none. */
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
	if (x->options->deadline_ms && madkit_port_now(x->port) >= x->deadline_ns)
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
		/* unless all its requests are outstanding, it has another turn */
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

/* Results are shown in the order of the scope, unless someone may be waiting for the next one. */
static int survey_hold(struct survey *s)
{
	const enum cli_format format = s->x->out->format;

	s->ended = calloc(s->targets.n + 1, sizeof(*s->ended));
	if (!s->ended)
		return cli_no_memory();
	if (s->clears ||
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
	s->sums = !s->clears && r->header.mgmt_class == MADKIT_CLASS_PERF && s->targets.by_field &&
		  survey_sum_suits(s->x->options->filter, r->attribute);
	if ((s->extended || s->sums) && request_derive(r, "ClassPortInfo", 0, &s->cpi))
		return cli_no_memory();
	s->last_tries = r->smp && s->x->options->retries;
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

/* What is left when it has ended. */
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
		return cli_failed(error, "cannot send");
	if (t->unsent && !s->gone && !s->x->out->status) {
		cli_say("the deadline ended it after %" PRIu64 " of %" PRIu64 " %s", done, t->asked, t->what);
		return EXIT_TIMEOUT;
	}
	if (t->unsupported && (t->unsupported == t->asked || cli_flag(s->x->options, OPT_STRICT)))
		t->status = exit_worst(t->status, EXIT_STATUS);
	if (t->silent + t->failed &&
	    (t->silent + t->failed == t->asked || cli_flag(s->x->options, OPT_STRICT)))
		t->status = exit_worst(t->status, EXIT_TIMEOUT);
	return s->gone ? EXIT_LOCAL : EXIT_DONE;
}

size_t survey_announce_clear(const struct cli_options *o, const struct scope *scope, const struct request *r)
{
	static const char what[] =
		"not sent, because the port is down or its node does not have the attribute";
	struct failures failures = { .all = o->verbose };
	size_t n = 0;

	for (size_t i = 0; i < scope->n; i++) {
		const struct scope_port *at = &scope->ports[i];
		const struct survey_target target = { .node = at->node, .port = at->port };
		const struct madkit_sweep_node *node = madkit_sweep_node(scope->sweep, at->node);
		const char *reason = survey_left_out(node, at->port, r);
		char name[SURVEY_NAME_BYTES];

		n += !reason;
		if (!reason || !failures_count(&failures, EXIT_TIMEOUT, -ENETUNREACH, what))
			continue;
		survey_name(scope->sweep, &target, name);
		cli_say("%s of %s port %u: cannot be cleared, because %s", r->attribute_name, name, at->port,
			reason);
	}
	failures_finish(&failures);
	if (n)
		cli_say("%s of %zu %s will be cleared", r->attribute_name, n, n == 1 ? "port" : "ports");
	return n;
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
		.failures.all = x->options->verbose || request->header.method == MADKIT_METHOD_SET,
	};
	const struct sink sink = { .take = survey_take, .context = &s };
	int status, ret = 0;

	*tally = (struct survey_tally){ .what = "ports" };
	madkit_buf_init(&s.unwritten, 0);
	s.source = (struct source){ .next = survey_next, .context = &s };
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
	survey_end(&s);
	return status;
}
