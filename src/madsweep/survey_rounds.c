/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <inttypes.h>
#include "survey_rounds.h"

/* ---- one reading of all ports ------------------------------------------------------------ */

/* Runs one survey. counts: its results are those of the request. */
static int survey_round_part(const struct survey_rounds *r, size_t i, const struct scope *scope,
			     enum survey_slot slot, bool shows, bool counts)
{
	struct survey_delta *d = r->deltas[i];
	struct survey_tally tally, *sum = &r->tallies[i];
	const struct request *request = slot == SURVEY_SLOT_TICKS                ? &d->ticks :
					slot == SURVEY_SLOT_FIRST && d->wide.mad ? &d->wide :
										   d->request;
	const struct survey_tally before = *sum;
	int status;

	d->slot = slot;
	d->aside = !shows;
	status = survey_run(r->x, scope, request, d, &tally);
	if (counts)
		*sum = tally;
	sum->status = counts ? exit_worst(before.status, tally.status) : before.status;
	sum->mads = before.mads + tally.mads;
	sum->resent = before.resent + tally.resent;
	sum->sa_mads = before.sa_mads + tally.sa_mads;
	sum->sa_resent = before.sa_resent + tally.sa_resent;
	return status;
}

/* Reads the attributes of a request from all ports, and shows the differences, if shows is set. */
static int survey_round_read(const struct survey_rounds *r, size_t i, bool shows)
{
	struct survey_delta *d = r->deltas[i];
	int status;

	/* after a first reading, it is known if PortCountersExtended is enough */
	if (!d->wide.mad || (shows && d->is_wide))
		return survey_round_part(r, i, r->scope, SURVEY_SLOT_FIRST, shows, true);
	status = survey_round_part(r, i, r->scope, SURVEY_SLOT_FIRST, false, false);
	d->is_wide = !shows && survey_delta_is_wide(d);
	if (status)
		return status;
	if (d->is_wide)
		return EXIT_DONE;
	return survey_round_part(r, i, r->scope, SURVEY_SLOT_SECOND, shows, true);
}

/* ---- rounds --------------------------------------------------------------------------------- */

/* Writes the title of the rows that follow, if there are several kinds. */
static void survey_round_title(const struct survey_rounds *r, size_t i, uint64_t round)
{
	struct output *out = r->x->out;

	if ((r->n < 2 && round < 2 && !r->x->options->timing.have_count) || out->format == FORMAT_JSON ||
	    r->x->options->output.csv)
		return;
	madkit_buf_printf(&out->buf, "%s# %s\n", i || round > 1 ? "\n" : "",
			  r->deltas[i]->request->attribute_name);
}

static int survey_round_show(const struct survey_rounds *r, size_t i, uint64_t round)
{
	struct survey_delta *d = r->deltas[i];
	struct survey_tally *t = &r->tallies[i];
	int status;

	if (!r->baseline)
		survey_delta_advance(d);
	survey_round_title(r, i, round);
	status = survey_round_read(r, i, true);
	t->unpaired = survey_delta_unpaired(d);
	if (t->unpaired && madsweep_is_strict(r->x->options))
		t->status = exit_worst(t->status, EXIT_TIMEOUT);
	if (round == 1) {
		/* rows of errors do not show it */
		if (!madsweep_options(r->x->options)->errors || r->x->out->format == FORMAT_JSON)
			survey_delta_tell_narrow(d);
		survey_delta_tell_congestion(d);
	}
	if (t->unpaired && r->baseline && r->baseline->partial)
		cli_say("%" PRIu64
			" of %zu ports have no earlier reading in %s, which does not have every port",
			t->unpaired, r->scope->n, r->baseline->path);
	return status;
}

/* Waits for the time of a round. Returns EXIT_DONE, or why there is no more round. */
static int survey_rounds_wait(const struct survey_rounds *r, uint64_t due_ns)
{
	struct exchange *x = r->x;
	const uint64_t now = madkit_port_now(x->port);

	output_flush(x->out);
	if (due_ns > now)
		exchange_pause(x, (uint32_t)((due_ns - now + NS_PER_MS - 1) / NS_PER_MS));
	if (cli_stopped())
		return cli_stopped_status();
	if (x->out->status)
		return EXIT_LOCAL;
	if (madkit_port_now(x->port) < x->time.deadline_ns)
		return EXIT_DONE;
	cli_say("the deadline has passed before there were two readings to compare");
	return EXIT_TIMEOUT;
}

/* Asks for the lengths of ticks. */
static int survey_round_ticks(const struct survey_rounds *r, size_t i)
{
	const struct scope *some;
	int status = EXIT_DONE;

	while (!status && r->deltas[i]->ticks.mad && (some = survey_ticks_next(&r->deltas[i]->tick_kinds)))
		status = survey_round_part(r, i, some, SURVEY_SLOT_TICKS, false, false);
	return status;
}

/* Takes the first readings. */
static int survey_rounds_first(const struct survey_rounds *r)
{
	int status = EXIT_DONE;

	for (size_t i = 0; i < r->n && !status; i++) {
		status = survey_round_ticks(r, i);
		if (!status && !r->baseline)
			status = survey_round_read(r, i, false);
	}
	return status;
}

/* Checks that the baseline is one of this subnet. */
static int survey_rounds_check(const struct survey_rounds *r)
{
	const uint64_t ns_per_s = 1000 * NS_PER_MS;
	struct madkit_message now;
	int status;
	size_t lost = 0;

	exchange_message(r->x, MADKIT_MESSAGE_EVENT, &now);
	status = baseline_check_time(r->baseline,
				     (uint64_t)now.time.tv_sec * ns_per_s + (uint64_t)now.time.tv_nsec);
	if (!status)
		status = baseline_check_subnet(r->baseline, r->scope->area.sweep);
	for (uint32_t i = 0; !status && !r->whole && i < r->baseline->nports; i++)
		lost += !r->baseline->ports[i].present;
	if (lost)
		cli_say("%zu ports of %s are not in this sweep, which did not read the whole subnet", lost,
			r->baseline->path);
	return status;
}

static int survey_rounds_begin(const struct survey_rounds *r)
{
	int status = r->baseline ? survey_rounds_check(r) : EXIT_DONE;

	for (size_t i = 0; i < r->n; i++)
		r->tallies[i] = (struct survey_tally){ .what = "ports" };
	for (size_t i = 0; i < r->n && !status; i++) {
		status = survey_delta_begin(r->deltas[i], r->x, r->scope, r->baseline);
		r->deltas[i]->seeks_gone = r->baseline && r->whole;
	}
	return status;
}

int survey_rounds_run(struct survey_rounds *r)
{
	const struct cli_options *o = r->x->options;
	const uint64_t rounds = o->timing.have_count ? o->timing.count : 1;
	uint64_t due_ns = madkit_port_now(r->x->port);
	int status = survey_rounds_begin(r);

	if (!status)
		status = survey_rounds_first(r);
	for (uint64_t round = 1; round <= rounds && !status; round++) {
		due_ns += o->timing.interval_ms * NS_PER_MS;
		if (!r->baseline)
			status = survey_rounds_wait(r, due_ns);
		for (size_t i = 0; i < r->n && !status; i++)
			status = survey_round_show(r, i, round);
	}
	return status;
}
