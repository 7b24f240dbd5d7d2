/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "cli/terminal.h"
#include "request/request_args.h"
#include "sweep_metrics.h"
#include "sweep_requests.h"

/* ---- sending ------------------------------------------------------------------------- */

/* Asks for confirmation before counters are reset. Returns EXIT_DONE if they may be reset. */
static int sweeping_confirm(const struct sweeping *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->nrequests; i++)
		n += survey_announce_clear(s->net.x.options, &s->scope, &s->requests[i]);
	if (s->options->yes || !n)
		return EXIT_DONE;
	return terminal_confirm("Clear them? [y/N] ");
}

/* If several attributes are shown as tables, begins the table of the next one. Returns an exit status. */
static int sweeping_begin_attribute(const struct sweeping *s, size_t i)
{
	struct output *out = s->net.x.out;
	int status;

	if (s->nrequests < 2 || !out->table)
		return EXIT_DONE;
	output_rows(out);
	status = output_table(out, s->net.x.options, s->options->shared.output.fields);
	madkit_buf_printf(&out->buf, "%s# %s\n", i || s->shown ? "\n" : "", s->requests[i].attribute_name);
	return status;
}

/* Checks if a port that this subnet had is gone if the sweep has not found it. */
static bool sweeping_is_whole(const struct sweeping *s)
{
	const struct madsweep_options *o = s->options;

	return !s->net.titled && !s->net.common->sa && !o->select && !o->from && !o->have_hops &&
	       !o->behind && !route_is_wanted(o) && !s->net.counts.missing && !s->net.counts.silent;
}

/* Shows how the counters have changed. */
static int sweeping_compare(struct sweeping *s)
{
	struct survey_rounds rounds = {
		.x = &s->net.x,
		.scope = &s->scope,
		.deltas = s->deltas,
		.tallies = s->tallies,
		.n = s->nrequests,
		.baseline = s->baseline,
		.whole = sweeping_is_whole(s),
	};
	const int status = survey_rounds_run(&rounds);

	for (size_t i = 0; i < s->nrequests; i++)
		survey_tally_add(&s->tally, &s->tallies[i]);
	return status;
}

/* Begins to keep which nodes have registers, if one of the requests is for a register. */
static int sweeping_make_registers(struct sweeping *s)
{
	bool any = false;

	for (size_t i = 0; i < s->nrequests; i++)
		any |= s->requests[i].header.mgmt_class == MADKIT_CLASS_MLNX;
	return any && madkit_registers_new(s->net.sweep, &s->scope.registers) ? cli_no_memory() : EXIT_DONE;
}

int sweeping_ask(struct sweeping *s)
{
	const bool clears = s->net.x.options->mode == MODE_CLEAR;
	int status;

	if (clears && !s->scope.n)
		return EXIT_DONE;
	status = clears ? sweeping_confirm(s) : EXIT_DONE;
	s->scope.routes = s->routes.places ? &s->routes : NULL;
	s->scope.m_key = subnet_m_key;
	s->scope.m_key_context = &s->net;
	s->scope.v_key = subnet_v_key;
	status = status ? status : sweeping_make_registers(s);
	if (status)
		return status;
	if (s->metrics)
		return sweeping_measure(s);
	if (s->deltas[0])
		return sweeping_compare(s);
	for (size_t i = 0; i < s->nrequests && !status; i++) {
		status = sweeping_begin_attribute(s, i);
		if (!status)
			status = survey_run(&s->net.x, &s->scope, &s->requests[i], NULL, &s->tallies[i]);
		survey_tally_add(&s->tally, &s->tallies[i]);
	}
	return status;
}

/* ---- building ------------------------------------------------------------------------ */

/* Checks if one of the requests is for the attribute of the last one. */
static bool sweeping_is_repeated(const struct sweeping *s)
{
	const struct request *last = &s->requests[s->nrequests - 1];

	for (size_t i = 0; i + 1 < s->nrequests; i++)
		if (s->requests[i].header.mgmt_class == last->header.mgmt_class &&
		    s->requests[i].attribute == last->attribute &&
		    (last->attribute || s->requests[i].header.attribute == last->header.attribute))
			return true;
	return false;
}

/* Builds a request for one attribute of a list. */
static int sweeping_build_one(struct sweeping *s, const struct cli_options *o, const struct cli_words *w,
			      char *attribute)
{
	struct request *r = &s->requests[s->nrequests++];
	char *list;
	int status;

	if (o->mode == MODE_CLEAR)
		return survey_build_clear(o, attribute, r);
	list = w->words[1];
	w->words[1] = attribute;
	status = survey_build(o, w->words, w->nwords, r);
	w->words[1] = list;
	return status;
}

/* Builds the requests of --clear A,B or of the words Get A,B. */
static int sweeping_build_list(struct sweeping *s, const struct cli_options *o, const struct cli_words *w)
{
	const char *what = o->mode == MODE_CLEAR ? "--clear" : w->words[0];
	const char *at = o->mode == MODE_CLEAR ? s->options->clear : w->words[1];
	int status = EXIT_DONE;

	for (bool more = true; more && !status;) {
		const size_t len = strcspn(at, ",");
		char *attribute = strndup(at, len);

		if (!attribute)
			status = cli_no_memory();
		else if (s->nrequests == SWEEPING_REQUESTS)
			status = cli_usage_error("%s '%s': more than %d attributes", what, attribute,
						 SWEEPING_REQUESTS);
		else
			status = sweeping_build_one(s, o, w, attribute);
		if (!status && sweeping_is_repeated(s))
			status = cli_usage_error("%s '%s': the attribute is named twice", what, attribute);
		free(attribute);
		more = at[len];
		at += len + more;
	}
	return status;
}

/* Builds the requests of the words, of --errors or of --clear. */
static int sweeping_build_requests(struct sweeping *s, const struct cli_options *o, const struct cli_words *w,
				   struct output *out)
{
	if (o->mode == MODE_CLEAR || w->nwords > 1)
		return sweeping_build_list(s, o, w);
	if (!w->nwords && o->output.format == FORMAT_PROMETHEUS)
		return survey_build_get(o, "PortCountersExtended", &s->requests[s->nrequests++]);
	if (!w->nwords && !s->options->errors)
		return EXIT_DONE;
	s->nrequests = 1;
	return s->options->errors ? survey_build_errors(o, out, &s->requests[0]) :
				    survey_build(o, w->words, w->nwords, &s->requests[0]);
}

/* Checks the options and the names of fields: they apply to each attribute. */
static int sweeping_check_requests(struct sweeping *s, const struct cli_options *o, struct output *out)
{
	const bool compares = s->options->delta || s->options->since;
	size_t tables = 0;
	int status = survey_check_options(o, s->requests, s->nrequests);

	for (size_t i = 0; i < s->nrequests && !compares; i++)
		tables += survey_is_table(o, &s->requests[i]);
	if (!status && s->nrequests && tables == s->nrequests)
		status = output_table(out, o, o->output.fields);
	if (!status && !s->nrequests)
		status = output_check(out, madkit_sweep_attribute());
	for (size_t i = 0; i < s->nrequests && !status; i++)
		status = compares ? survey_delta_new(&s->requests[i], out, &s->deltas[i]) :
				    output_check(out, request_answer(&s->requests[i]));
	if (!status && s->nrequests > 1 && o->output.csv)
		status = cli_usage_error("-f csv has one header line, and is only for one attribute");
	return status;
}

int sweeping_build(struct sweeping *s, const struct cli_options *o, const struct cli_words *w,
		   struct output *out)
{
	int status;

	s->tally.what = "ports";
	for (size_t i = 0; i < SWEEPING_REQUESTS; i++)
		s->tallies[i].what = s->tally.what;
	status = sweeping_build_requests(s, o, w, out);
	if (!status && o->output.format == FORMAT_PROMETHEUS)
		status = sweeping_build_metrics(s, o);
	for (size_t i = 0; i < s->nrequests && !status && s->net.common->sa; i++)
		survey_by_lid(&s->requests[i]);
	return status ? status : sweeping_check_requests(s, o, out);
}

/* Returns the attribute of the lines of a request. */
static const struct madkit_attribute *sweeping_attribute(const struct sweeping *s, size_t i)
{
	return s->deltas[i] ? survey_delta_attribute(s->deltas[i]) : request_answer(&s->requests[i]);
}

int sweeping_read_order(struct sweeping *s, const char *word)
{
	int status = order_read(&s->order, word,
				s->nrequests ? sweeping_attribute(s, 0) : madkit_sweep_attribute());

	for (size_t i = 1; i < s->nrequests && !status; i++)
		status = order_check(&s->order, sweeping_attribute(s, i));
	for (size_t i = 0; i < s->nrequests && !status && s->deltas[i]; i++)
		status = survey_delta_sort(s->deltas[i], s->order.field);
	return status;
}

int sweeping_read_baseline(struct sweeping *s)
{
	uint16_t ids[SWEEPING_REQUESTS * SURVEY_SLOTS];
	size_t n = 0;

	for (size_t i = 0; i < s->nrequests; i++)
		n += survey_delta_ids(s->deltas[i], ids + n);
	return baseline_read("--since", s->options->since, ids, n, UINT64_MAX, &s->baseline);
}
