/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Judges the results of a survey, counts them, and reports those that fail. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/cpi.h>
#include "request/layout_choice.h"
#include "survey.h"
#include "survey_run.h"
#include "survey_sum.h"

enum { SURVEY_FIRST_EDITION = 72 }; /* bytes of PortCountersExtended without error counters */

/* ---- ClassPortInfo ------------------------------------------------------------------- */

/* Notes what ClassPortInfo says of a node. Without a response, the attribute itself is requested: its result
 * shows the problem. */
static void survey_take_cpi(struct survey *s, const struct survey_item *item)
{
	static const char what[] = "to nodes without counters of errors",
			  doubt[] = "to nodes without a response to Get ClassPortInfo";
	struct survey_known *known = &s->known[item->result->node];
	const struct answer *a = &item->answer;
	const size_t offset = s->cpi.data_offset;
	char name[SURVEY_NAME_BYTES];
	unsigned int counters;

	known->rsfec = layout_counts(a, offset);
	if (s->delta && !a->status && a->message.len >= offset + MADKIT_CPI_BYTES)
		survey_delta_take_has(s->delta, item->result->node,
				      madkit_cpi_get_counters(a->message.mad + offset));
	if (!s->extended)
		return;
	survey_name(s->scope->area.sweep, item->result->node, name);
	if (a->status || a->message.len < offset + MADKIT_CPI_BYTES) {
		known->doubts_errors = true;
		s->tally->unread++;
		if (!s->aside && failures_count(&s->failures, EXIT_TIMEOUT, -ENODATA, doubt))
			cli_say("%s of %s: counters of errors that are 0 are omitted, because ClassPortInfo %s",
				s->request->attribute_name, name,
				a->status == EXIT_MALFORMED ? "is not known" : "was not read");
		return;
	}
	counters = madkit_cpi_get_counters(a->message.mad + offset);
	known->no_errors = counters & MADKIT_CPI_COUNTERS_EXTENDED &&
			   !(counters & MADKIT_CPI_COUNTERS_ERRORS);
	if (known->no_errors && !s->aside && failures_count(&s->failures, EXIT_TIMEOUT, -EOPNOTSUPP, what))
		cli_say("%s of %s has no counters of errors: its ClassPortInfo does not have IsAdditionalPortCountersExtendedSupported",
			s->request->attribute_name, name);
}

/* Removes the counters that the node does not have, so that they are not shown as 0. */
static void survey_cut_errors(const struct survey *s, struct survey_item *item)
{
	const struct survey_known *known = &s->known[item->result->node];
	struct madkit_message *m = &item->answer.message;
	const size_t len = s->request->data_offset + SURVEY_FIRST_EDITION;
	bool cut = known->no_errors || known->doubts_errors;

	/* a counter that is not 0 exists */
	for (size_t i = len; known->doubts_errors && cut && i < m->len; i++)
		cut = !m->mad[i];
	if (cut && m->kind == MADKIT_MESSAGE_RESPONSE && m->len > len)
		m->len = len;
}

const char *survey_check(void *context, struct madkit_survey_result *r)
{
	struct survey *s = context;
	enum layout_fec layout;

	if (!s->fec || s->reads_fec)
		return NULL;
	layout = layout_of(s->known[r->node].rsfec, s->fec[r->at]);
	if (layout == LAYOUT_RSFEC) {
		r->attribute = layout_rsfec();
		if (!s->names_checked)
			s->names = output_check(s->x->out, layout_rsfec());
		s->names_checked = true;
	}
	return layout == LAYOUT_UNKNOWN ? "the FEC mode of the port is not known" : NULL;
}

/* ---- results ------------------------------------------------------------------------- */

/* Checks if a node does not have the attribute: it was not requested, or the node says so of a register. */
static bool survey_lacks(const struct survey_item *item)
{
	const struct madkit_attribute *attribute = item->answer.message.attribute;

	if (item->result->reason)
		return item->result->error != -ECONNREFUSED;
	if (!attribute || !(attribute->flags & MADKIT_ATTRIBUTE_READ_ONLY))
		return false;
	return madkit_registers_lacks(madkit_message_status(&item->answer.message));
}

static void survey_count_result(struct survey *s, const struct survey_item *item)
{
	struct survey_tally *tally = s->tally;
	int status = item->answer.status;

	switch (status) {
	case EXIT_DONE:
	case EXIT_NOTHING:
		tally->answered++;
		break;
	case EXIT_TIMEOUT:
		if (item->result->reason && item->result->error == -EPERM)
			tally->left_out++;
		else if (item->answer.message.kind == MADKIT_MESSAGE_ERROR)
			tally->failed++;
		else if (item->result->reason || item->answer.job.ended_ns < s->x->time.deadline_ns)
			tally->silent++;
		/* otherwise the deadline ended it, and the node may still respond: it is unfinished */
		/* counted, but not a failure */
		return;
	case EXIT_STATUS:
		if (survey_lacks(item)) {
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

/* Ends a target with a result, which is shown now or in its order. Returns what the survey does with it. */
static unsigned int survey_result(struct survey *s, struct survey_item *item)
{
	const uint32_t target = item->result->target;
	unsigned int verdict = MADKIT_SURVEY_NEXT;

	survey_count_result(s, item);
	if (s->extended)
		survey_cut_errors(s, item);
	if (s->reads_fec)
		s->fec[item->result->at] = layout_mode(&item->answer);
	else if (s->delta)
		survey_delta_take(s->delta, item->result->at, &item->answer);
	if (s->aside)
		return MADKIT_SURVEY_NEXT;
	if (!s->held) {
		survey_show(s, item);
		return MADKIT_SURVEY_NEXT;
	}
	s->ended[target] = true;
	if (!survey_is_dropped(s, item)) {
		s->held[target] = malloc(sizeof(*item));
		s->full |= !s->held[target];
		if (s->held[target]) {
			*s->held[target] = *item;
			verdict = MADKIT_SURVEY_KEEP;
		}
	}
	return verdict;
}

/* Reports why targets of a node are not requested; rest: their number. */
static void survey_tell_rest(struct survey *s, const struct madkit_survey_result *r)
{
	static const char silent[] = "not sent, because the nodes do not respond",
			  invalid[] = "not sent, because answers of the nodes are not valid",
			  refused[] = "not sent, because the nodes refuse registers",
			  without[] = "not sent, because the nodes do not have the attribute";
	const char *attribute = s->request->attribute_name, *what = s->tally->what;
	char name[SURVEY_NAME_BYTES];

	/* a type that is left out is named once, in the end */
	if (s->clears || s->aside || r->error == -EPERM ||
	    /* metrics then use PortCounters */
	    (s->scope->metrics && s->extended && r->error == -EOPNOTSUPP) ||
	    !failures_count(&s->failures, EXIT_TIMEOUT, r->error,
			    r->error == -ETIMEDOUT    ? silent :
			    r->error == -EBADMSG      ? invalid :
			    r->error == -ECONNREFUSED ? refused :
							without))
		return;
	survey_name(s->scope->area.sweep, r->node, name);
	if (s->counts.by_port || s->counts.unit == MADKIT_SURVEY_BLOCKS)
		cli_say("%s of %" PRIu32 " %.*s of %s: not requested, because %s", attribute, r->rest,
			(int)strlen(what) - (r->rest == 1), what, name, r->reason);
	else
		cli_say("%s of %s: not requested, because %s", attribute, name, r->reason);
}

/* Reports a target without an address, with an unknown number of blocks, or with an unknown layout. */
static void survey_tell_unreachable(struct survey *s, const struct madkit_survey_result *r)
{
	static const char no_address[] =
		"not sent, because the port has no route, or no LID, or a shared one",
			  uncounted[] = "not sent, because the number of blocks is not known",
			  fec[] = "not sent, because the FEC mode of the ports is not known";
	const bool fec_unknown = r->error == -ENODATA && !r->uncounted;
	const char *attribute = s->request->attribute_name;
	char about[SURVEY_ABOUT_BYTES];

	if (s->clears || s->aside ||
	    !failures_count(&s->failures, EXIT_TIMEOUT, r->error,
			    fec_unknown  ? fec :
			    r->uncounted ? uncounted :
					   no_address))
		return;
	if (r->of_node)
		survey_name(s->scope->area.sweep, r->node, about);
	else
		survey_about(s, r, about);
	if (fec_unknown)
		cli_say("%s: not requested, because the FEC mode of %s is not known", attribute, about);
	else
		cli_say("%s of %s: %s, because %s", attribute, about,
			r->uncounted ? "only the first block is requested" : "not requested", r->reason);
}

/* Ends a target whose request was not sent. */
static unsigned int survey_refused(struct survey *s, struct survey_item *item)
{
	const struct madkit_survey_result *r = item->result;
	const bool refused = r->error == -EOPNOTSUPP || r->error == -ECONNREFUSED;
	struct answer *a = &item->answer;
	char about[SURVEY_ABOUT_BYTES];

	if (r->rest)
		survey_tell_rest(s, r);
	else if (r->error == -ENETUNREACH || r->error == -ENODATA)
		survey_tell_unreachable(s, r);
	/* survey_announce_clear() has named the ports without an address */
	if (s->clears && r->error != -ENETUNREACH)
		cli_say("%s of %s: not cleared, because %s", s->request->attribute_name,
			survey_about(s, r, about), r->reason);
	a->status = r->error == -EBADMSG ? EXIT_MALFORMED : refused ? EXIT_STATUS : EXIT_TIMEOUT;
	s->x->seq = s->seq + r->number;
	exchange_message(s->x, r->error == -ETIMEDOUT ? MADKIT_MESSAGE_TIMEOUT : MADKIT_MESSAGE_ERROR,
			 &a->message);
	a->message.attribute = r->attribute;
	a->message.remote = &r->job.send->to;
	a->message.mad = r->job.send->mad;
	a->message.len = r->job.send->len;
	a->message.send_status = -r->error;
	a->message.attempts = 0;
	return survey_result(s, item);
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
static unsigned int survey_take_node(struct survey *s, struct survey_item *item)
{
	char about[SURVEY_ABOUT_BYTES];
	const struct answer *a = &item->answer;
	struct request request;

	if (a->status == EXIT_TIMEOUT || a->status == EXIT_MALFORMED) {
		survey_request(s, item->result, about, &request);
		failures_tell(&s->failures, s->x, &request, a);
	}
	if (a->status == EXIT_MALFORMED)
		s->tally->status = exit_worst(s->tally->status, a->status);
	/* without the sum, each port is queried */
	if (item->result->about == MADKIT_SURVEY_CPI)
		survey_take_cpi(s, item);
	else if (survey_sum_is_dropped(s, a))
		return MADKIT_SURVEY_SKIP;
	return MADKIT_SURVEY_NEXT;
}

/* Reports that it is not known if a port was cleared: there is no response, or one that does not show the
 * result. */
static void survey_tell_unknown(const struct survey *s, const struct survey_item *item)
{
	char about[SURVEY_ABOUT_BYTES];

	cli_insist("%s of %s may have been cleared: %s", s->request->attribute_name,
		   survey_about(s, item->result, about),
		   item->answer.status == EXIT_MALFORMED ? "the response was malformed" :
							   "no response was received");
}

/* Reports that a register has only its first block. */
static void survey_tell_cut(struct survey *s, const struct madkit_survey_result *r)
{
	static const char cut[] = "without the second block of the register";
	char about[SURVEY_ABOUT_BYTES];

	/* a reader that is gone or a signal ended it, which is reported */
	if (!s->aside && !output_over(s->x->out) && !cli_stopped() &&
	    failures_count(&s->failures, EXIT_TIMEOUT, -ENODATA, cut))
		cli_say("%s of %s: only its first block, because %s", s->request->attribute_name,
			survey_about(s, r, about), r->cut);
}

/* Ends a request that has a response, or none in time. */
static unsigned int survey_answered(struct survey *s, struct survey_item *item)
{
	char about[SURVEY_ABOUT_BYTES];
	const struct answer *a = &item->answer;
	struct request request;

	if (item->result->about != MADKIT_SURVEY_TARGET)
		return survey_take_node(s, item);
	s->tally->cut += item->result->cut != NULL;
	if (item->result->cut)
		survey_tell_cut(s, item->result);
	/* a missing response is reported with the port */
	if (a->status && (!s->aside || a->status == EXIT_MALFORMED)) {
		survey_request(s, item->result, about, &request);
		failures_tell(&s->failures, s->x, &request, a);
	}
	if (s->clears &&
	    (a->status == EXIT_TIMEOUT || a->status == EXIT_LOCAL || a->status == EXIT_MALFORMED))
		survey_tell_unknown(s, item);
	return survey_result(s, item);
}

unsigned int survey_take_result(void *context, struct madkit_survey_result *r)
{
	struct survey *s = context;
	struct survey_item item = { .result = r, .answer.message.kind = MADKIT_MESSAGE_EVENT };
	struct answer *a = &item.answer;
	unsigned int verdict = MADKIT_SURVEY_NEXT;
	struct request request;

	a->job = r->job;
	if (r->reason && !r->error) {
		s->tally->summed++;
		if (s->held)
			s->ended[r->target] = true;
	} else if (r->reason) {
		verdict = survey_refused(s, &item);
	} else {
		survey_request(s, r, NULL, &request);
		a->message.seq = s->seq + r->number;
		s->x->seq = a->message.seq;
		exchange_ended(s->x, &request, a, r->error);
		a->elapsed_ns = r->elapsed_ns;
		s->gone |= a->error == -ENODEV || a->error == -EIO;
		if (a->message.kind != MADKIT_MESSAGE_EVENT)
			verdict = survey_answered(s, &item);
		else if (s->clears && r->about == MADKIT_SURVEY_TARGET)
			survey_tell_unknown(s, &item);
	}
	survey_release(s, false);
	return verdict | (s->gone || s->full ? MADKIT_SURVEY_STOP : 0);
}
