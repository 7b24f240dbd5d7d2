/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "request_args.h"
#include "subscription.h"

enum {
	RENEW_MS = 60000, /* ms between renewals, unless -i sets another interval */
	LOOK_MS = 1000,   /* ms between checks of the port's SM LID */
	RETRY_MS = 1000,  /* ms after a failed renewal; doubled each time, up to the interval */
	WITHDRAW_MS =
		500, /* maximum ms for unsubscribing: a silent SA must not delay the end of the command */
};

bool subscription_has(const struct subscription *s, uint16_t trap)
{
	for (size_t i = 0; i < s->ntraps; i++)
		if (s->traps[i] == trap)
			return true;
	return false;
}

int subscription_add(struct subscription *s, uint16_t trap)
{
	/* subnet managers may refuse a second InformInfo for the same trap */
	if (subscription_has(s, trap))
		return EXIT_DONE;
	if (s->ntraps == SUBSCRIPTION_TRAPS_MAX)
		return cli_usage_error("more than %d traps", SUBSCRIPTION_TRAPS_MAX);
	s->traps[s->ntraps++] = trap;
	return EXIT_DONE;
}

static void subscription_flush(const struct subscription *s)
{
	if (s->flush)
		s->flush(s->x);
}

/* ---- InformInfo --------------------------------------------------------------------- */

/* Subscribes to a trap from all sources, or unsubscribes (IBA volume 1, section 13.4.8.3). The same request renews
 * an existing subscription. Returns an exit status; the caller frees answer. */
static int subscription_inform(struct subscription *s, uint16_t trap, bool wanted, struct request *request,
			       struct answer *answer)
{
	char subscribe_word[16], trap_word[24];
	char words[][24] = {
		"Set",         "SA:InformInfo", "LIDRangeBegin=0xffff", "IsGeneric=1",
		"Type=0xffff", "QPN=1",         "RespTimeValue=18",     "ProducerType=0xffffff"
	};
	char *argv[] = { words[0], words[1], words[2], words[3],       words[4],
			 words[5], words[6], words[7], subscribe_word, trap_word };
	struct exchange *x = s->x;
	int status;

	*answer = (struct answer){ .job.send = NULL };
	snprintf(subscribe_word, sizeof(subscribe_word), "Subscribe=%d", wanted);
	snprintf(trap_word, sizeof(trap_word), "TrapNumber=%u", trap);
	status = request_build(x->options, argv, 10, request);
	if (!status)
		status = exchange_address(x, request);
	return status ? status : exchange_ask(x, request, answer);
}

struct subscription_change {
	const char *what, *reason;
	uint32_t sm_lid;
};

static void subscription_write(const void *context, struct madkit_writer *w)
{
	const struct subscription_change *change = context;

	madkit_writer_string(w, "what", change->what);
	madkit_writer_string(w, "reason", change->reason);
	madkit_writer_number(w, "sm_lid", change->sm_lid);
}

/* Writes an event of the subscription itself, or its error, as a line of JSON. */
static void subscription_event(struct subscription *s, const char *what, const char *reason, bool failed)
{
	struct exchange *x = s->x;
	const struct subscription_change change = { what, reason, x->info->sm_lid };
	const struct madkit_object data = { subscription_write, &change };
	struct madkit_message message;

	if (x->out->format != FORMAT_JSON || s->patient)
		return;
	subscription_flush(s);
	x->seq++;
	exchange_message(x, failed ? MADKIT_MESSAGE_ERROR : MADKIT_MESSAGE_EVENT, &message);
	message.send_status = failed ? s->error : 0;
	if (failed)
		exchange_error(x, &message, &data, reason);
	else
		exchange_object(x, &message, &data);
	output_flush(x->out);
}

/* Reports a failed subscription; in JSON, its response or timeout is a line. */
static void subscription_failed(struct subscription *s, const struct request *request, struct answer *answer,
				int status)
{
	struct exchange *x = s->x;

	subscription_flush(s);
	s->error = answer->job.send ? -answer->error : x->failure.error ? -x->failure.error : EHOSTUNREACH;
	if (s->patient && s->failing)
		return;
	if (answer->job.send) {
		if (status < EXIT_SIGNAL && !s->patient)
			exchange_show(x, request, answer);
		exchange_tell(x, request, answer);
	} else {
		if (!s->renewing)
			subscription_event(s, "not subscribed", x->failure.why, true);
		exchange_why(x, status);
	}
}

/* Subscribes to all traps. The first failure is reported, and ends the loop. */
static int subscription_all(struct subscription *s)
{
	struct exchange *x = s->x;
	int status = EXIT_DONE;

	s->lid = x->info->lid;
	s->sm_lid = x->info->sm_lid;
	s->held = s->was_down = false;
	for (size_t i = 0; !status && i < s->ntraps; i++) {
		struct request request = { .mad = NULL };
		struct answer answer;

		status = subscription_inform(s, s->traps[i], true, &request, &answer);
		/* the request may have arrived even if no response did */
		s->held |= answer.job.send && status != EXIT_STATUS;
		/* reaching the command's deadline is not a failed renewal */
		if (s->renewing && madkit_port_now(x->port) >= x->time.deadline_ns)
			;
		else if (status)
			subscription_failed(s, &request, &answer, status);
		answer_free(&answer);
		request_free(&request);
	}
	return status;
}

/*
 * Unsubscribes, on every exit path, from the manager that holds the subscriptions now. If the port has another manager
 * by then, or this manager is gone or has forgotten them, nothing is left to withdraw. Responses therefore do not
 * matter.
 */
static void subscription_withdraw(struct subscription *s)
{
	struct exchange *x = s->x;
	uint64_t now = madkit_port_now(x->port), end = now + WITHDRAW_MS * NS_PER_MS;
	int status = EXIT_DONE;

	if (!s->held || madkit_port_refresh(x->port) || x->info->sm_lid != s->sm_lid)
		return;
	/* each trap has its share of the time, so that every request is sent even without responses */
	for (size_t i = s->ntraps; i-- && status != EXIT_LOCAL; now = madkit_port_now(x->port)) {
		struct request request = { .mad = NULL };
		struct answer answer;

		x->time.deadline_ns = end > now ? now + (end - now) / (i + 1) : now;
		status = subscription_inform(s, s->traps[i], false, &request, &answer);
		if (x->options->output.verbose && status && answer.job.send)
			exchange_tell(x, &request, &answer);
		answer_free(&answer);
		request_free(&request);
	}
}

/* Notes that the port is not Active: a manager forgets the subscriptions of a port that it cannot reach. */
static void subscription_note_down(struct subscription *s)
{
	if (s->was_down)
		return;
	s->was_down = true;
	cli_say("the port is not Active: no Reports arrive");
	subscription_event(s, "port not Active", "no Reports arrive", false);
}

/* ---- renewal ------------------------------------------------------------------------ */

static uint64_t subscription_interval(const struct subscription *s)
{
	const struct timing_options *timing = &s->x->options->timing;

	return timing->have_interval ? timing->interval_ms : RENEW_MS;
}

static void subscription_renew(struct subscription *s, const char *reason, bool notable)
{
	struct exchange *x = s->x;
	uint64_t interval = subscription_interval(s);
	uint64_t ms = interval;
	int status;

	s->renewing = true;
	status = subscription_all(s);
	if (cli_stopped() || madkit_port_now(x->port) >= x->time.deadline_ns)
		return;
	if (status) {
		if (!s->patient || !s->failing)
			cli_say("the subscriptions were not renewed (%s)", reason);
		subscription_event(s, "not renewed", reason, true);
		ms = s->retry_ms < interval ? s->retry_ms : interval;
		s->retry_ms = s->retry_ms < interval ? 2 * s->retry_ms : interval;
	} else {
		if (notable || s->failing)
			cli_say("subscribed again at SM LID %" PRIu32 " (%s)", s->sm_lid, reason);
		subscription_event(s, "renewed", reason, false);
		s->retry_ms = RETRY_MS;
	}
	s->failing = status;
	s->renew_ns = madkit_port_now(x->port) + ms * NS_PER_MS;
}

void subscription_tend(struct subscription *s)
{
	struct exchange *x = s->x;
	uint64_t now = madkit_port_now(x->port);
	uint32_t events = madkit_port_events_read(s->events);

	if (now >= s->look_ns || events) {
		s->look_ns = now + LOOK_MS * NS_PER_MS;
		if (madkit_port_refresh(x->port))
			return;
		if (x->info->state != MADKIT_PORT_STATE_ACTIVE)
			subscription_note_down(s);
		/* without a manager, or without a LID, a subscription would be lost */
		if (x->info->state != MADKIT_PORT_STATE_ACTIVE || !x->info->sm_lid || !x->info->lid)
			return;
		if (x->info->sm_lid != s->sm_lid) {
			char reason[64];

			snprintf(reason, sizeof(reason), "the SM LID was %" PRIu32 " and is %" PRIu32,
				 s->sm_lid, x->info->sm_lid);
			cli_say("%s", reason);
			subscription_event(s, "SM LID changed", reason, false);
			subscription_renew(s, reason, true);
			return;
		}
		if (x->info->lid != s->lid) {
			subscription_renew(s, "the port's LID changed", true);
			return;
		}
		if (s->was_down) {
			subscription_renew(s, "the port was not Active", true);
			return;
		}
	}
	if (events & MADKIT_PORT_EVENT_CLIENT_REREGISTER)
		subscription_renew(s, "the subnet manager asks clients to register again", true);
	else if (now >= s->renew_ns && !s->was_down)
		subscription_renew(s, s->failing ? "after a failure" : "interval", false);
}

/* ---- begin and end ---------------------------------------------------------------------- */

int subscription_begin(struct subscription *s)
{
	struct exchange *x = s->x;
	uint64_t now;
	int status;

	s->retry_ms = RETRY_MS;
	/* only for a device that libibverbs also has */
	if (madkit_port_events_open(x->info, &s->events))
		s->events = NULL;
	if (s->patient && x->info->state != MADKIT_PORT_STATE_ACTIVE) {
		s->lid = x->info->lid;
		s->sm_lid = x->info->sm_lid;
		subscription_note_down(s);
		status = EXIT_DONE;
	} else {
		status = subscription_all(s);
	}
	now = madkit_port_now(x->port);
	s->look_ns = now + LOOK_MS * NS_PER_MS;
	s->renew_ns = now + NS_PER_MS * subscription_interval(s);
	s->failing = status;
	return status;
}

void subscription_end(struct subscription *s)
{
	subscription_withdraw(s);
	madkit_port_events_close(s->events);
	s->events = NULL;
}
