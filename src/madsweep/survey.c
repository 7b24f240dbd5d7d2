/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "request/layout_choice.h"
#include "cli/progress.h"
#include "survey.h"
#include "survey_run.h"
#include "survey_sum.h"

/* The age at which SLs are asked for again: the subnet manager may have changed the routes. */
static const uint64_t survey_paths_ns = 60 * 1000 * NS_PER_MS;

/* Returns the number of targets that have ended. */
static uint64_t survey_done(const struct survey_tally *t)
{
	return t->answered + t->summed + t->silent + t->refused + t->unsupported + t->malformed + t->failed +
	       t->left_out;
}

/* ---- a survey ------------------------------------------------------------------------ */

static uint64_t survey_m_key(void *context, const struct madkit_sweep_node *node, unsigned int port,
			     bool behind)
{
	const struct survey *s = context;

	return s->scope->m_key(s->scope->m_key_context, node, port, behind);
}

static uint64_t survey_v_key(void *context, const struct madkit_sweep_node *node, unsigned int port)
{
	const struct survey *s = context;

	return s->scope->v_key(s->scope->m_key_context, node, port);
}

/* Prepares the output: results are shown in the order of the scope, unless a program may be waiting for the
 * next one. */
static int survey_hold(struct survey *s)
{
	const enum cli_format format = s->x->out->format;

	if (s->clears || s->aside ||
	    ((format == FORMAT_JSON || format == FORMAT_RAW || format == FORMAT_PROMETHEUS) &&
	     !madsweep_options(s->x->options)->sort && !s->scope->routes))
		return EXIT_DONE;
	s->ended = calloc(s->counts.targets + 1u, sizeof(*s->ended));
	s->held = calloc(s->counts.targets + 1u, sizeof(*s->held));
	return s->ended && s->held ? EXIT_DONE : cli_no_memory();
}

/* Copies the ports of the scope. Returns NULL if memory ran out. */
static struct madkit_survey_port *survey_ports(const struct scope *scope)
{
	struct madkit_survey_port *ports = calloc(scope->n + 1, sizeof(*ports));

	for (size_t i = 0; ports && i < scope->n; i++)
		ports[i] = (struct madkit_survey_port){ scope->ports[i].node, scope->ports[i].port,
							(uint8_t)survey_part(scope, i) };
	return ports;
}

/* Lists the blocks that -m gives. Returns NULL if memory ran out. */
static uint32_t *survey_blocks_given(const struct survey_blocks *b, size_t *n)
{
	uint32_t *blocks;

	*n = 0;
	for (size_t i = 0; b->instances && !b->given.all && i < b->given.n; i++)
		*n += (size_t)b->given.range[i].last - b->given.range[i].first + 1;
	blocks = calloc(*n + 1, sizeof(*blocks));
	*n = 0;
	for (size_t i = 0; blocks && b->instances && !b->given.all && i < b->given.n; i++)
		for (uint64_t block = b->given.range[i].first; block <= b->given.range[i].last; block++)
			blocks[(*n)++] = (uint32_t)block;
	return blocks;
}

static struct madkit_send *survey_template(const struct survey *s)
{
	const struct request *r = s->request;
	struct madkit_send *send = madkit_send_new(r->len);

	if (!send)
		return NULL;
	send->to = r->to;
	memcpy(send->mad, r->mad, r->len);
	send->timeout_ms = r->timeout_ms ? r->timeout_ms : s->x->time.timeout_ms;
	send->retries = s->x->options->timing.retries;
	return send;
}

/* Checks if a filter holds for the sum of all ports if it holds for one. The sum of ports with different
 * layouts has no field names. */
static bool survey_sums(const struct survey *s)
{
	const struct request *r = s->request;

	return !s->clears && !s->delta && !s->fec && r->header.mgmt_class == MADKIT_CLASS_PERF &&
	       survey_sum_suits(s->x->out->filter, r->attribute);
}

/* As exchange_agent(), which reports why it cannot be registered. */
static struct madkit_agent_attr survey_agent(const struct request *r)
{
	struct madkit_agent_attr attr = { .mgmt_class = r->header.mgmt_class,
					  .class_version = r->header.class_version,
					  .class_version_given = true,
					  .oui = r->oui };

	rmpp_choice_put(r->rmpp, &attr);
	return attr;
}

/* Makes the survey of the library. Returns an exit status. */
static int survey_new(struct survey *s, const struct survey_blocks *blocks)
{
	const struct madkit_agent_attr agent = survey_agent(s->request);
	struct madkit_survey_port *ports = survey_ports(s->scope);
	struct madkit_send *request = survey_template(s);
	size_t nblocks;
	uint32_t *given = survey_blocks_given(blocks, &nblocks);
	const struct madkit_survey_attr attr = {
		.request = request,
		.attribute = s->request->attribute,
		.ports = ports,
		.nports = s->scope->n,
		.all_blocks = blocks->instances && blocks->given.all,
		.port0 = blocks->port0,
		.blocks = given,
		.nblocks = nblocks,
		.cpi = s->fec && !s->reads_fec,
		.sums = survey_sums(s),
		.sls = s->paths.sl,
		.deadline_ns = s->x->time.deadline_ns,
		.redirects = s->x->options->timing.redirects,
		.agent = &agent,
		.dispatcher = s->x->dispatcher,
		.m_key = s->scope->m_key ? survey_m_key : NULL,
		.v_key = s->scope->v_key ? survey_v_key : NULL,
		.registers = s->scope->registers,
		.check = survey_check,
		.result = survey_take_result,
		.context = s,
	};
	int ret = -ENOMEM;

	if (request && ports && given)
		ret = madkit_survey_new(s->scope->area.sweep, &attr, &s->survey);
	madkit_send_free(request);
	free(ports);
	free(given);
	if (ret)
		return cli_no_memory();
	madkit_survey_count(s->survey, &s->counts);
	return EXIT_DONE;
}

/* Prepares rows of text. Blocks of text are chosen by -v and by -f text. */
static int survey_begin_rows(struct survey *s)
{
	const struct cli_options *o = s->x->options;
	const enum cli_format format = s->x->out->format;
	const bool errors = madsweep_options(o)->errors;
	int status = EXIT_DONE;

	if (s->delta) {
		if (format == FORMAT_TABLE ||
		    (format == FORMAT_TEXT && !cli_given(o, "format") && (errors || !o->output.verbose)))
			status = survey_rows_new(s->delta, errors, &s->rows);
	} else if (errors && format == FORMAT_TEXT) {
		s->errors = survey_errors_new(&s->x->out->terminal);
		status = s->errors ? EXIT_DONE : cli_no_memory();
	}
	s->tables = s->rows || s->errors || (s->x->out->table && !s->delta);
	return status;
}

/* Makes room for the SLs, unless another survey for the same differences has asked for them. Returns false if memory ran
 * out. */
static bool survey_has_paths(struct survey *s)
{
	if (s->delta) {
		s->paths = s->delta->paths;
		s->delta->paths.sl = NULL;
	}
	if (!s->paths.sl)
		s->paths = (struct survey_paths){ .sl = calloc(MADKIT_SURVEY_LIDS, sizeof(*s->paths.sl)) };
	return s->paths.sl;
}

/* Asks the SA for the SLs, which do not change from one reading to the next. Returns an exit status. */
static int survey_ask_paths(struct survey *s)
{
	const uint64_t now = madkit_port_now(s->x->port);
	int status;

	if (s->paths.mads && now - s->paths.asked_ns < survey_paths_ns)
		return EXIT_DONE;
	s->paths.mads = 0;
	s->paths.asked_ns = now;
	status = survey_paths_get(s->x, &s->paths);
	s->tally->sa_mads = s->paths.mads;
	s->tally->sa_resent = s->paths.mads ? s->paths.mads - 1 : 0;
	return status;
}

static int survey_begin(struct survey *s)
{
	const struct request *r = s->request;
	struct madkit_sweep_counts counts;
	struct survey_blocks blocks;
	int status = survey_blocks_read(s->x->options, r, &blocks);

	if (status)
		return status;
	s->clears = r->header.method == MADKIT_METHOD_SET;
	status = s->aside ? EXIT_DONE : survey_begin_rows(s);
	if (status)
		return status;
	s->extended = r->header.mgmt_class == MADKIT_CLASS_PERF &&
		      r->header.attribute == MADKIT_ATTR_PORT_COUNTERS_EXTENDED;
	s->seq = s->x->seq;
	madkit_sweep_count(s->scope->area.sweep, &counts);
	s->known = calloc(counts.nodes + 1u, sizeof(*s->known));
	if (!s->known || (!r->smp && !r->destination.have_sl && !survey_has_paths(s)))
		return cli_no_memory();
	if (r->header.mgmt_class == MADKIT_CLASS_PERF && request_derive(r, "ClassPortInfo", 0, &s->cpi))
		return cli_no_memory();
	status = survey_new(s, &blocks);
	if (status)
		return status;
	s->tally->what = s->counts.unit == MADKIT_SURVEY_BLOCKS ? "blocks" :
			 s->counts.unit == MADKIT_SURVEY_PORTS  ? "ports" :
								  "nodes";
	s->tally->asked = s->counts.targets;
	status = survey_hold(s);
	if (!status && s->paths.sl && s->counts.targets)
		status = survey_ask_paths(s);
	return status;
}

static void survey_show_progress(const struct survey *s)
{
	const struct survey_tally *t = s->tally;

	if (!s->x->options->output.quiet)
		progress_show("%s: %" PRIu64 " of %" PRIu64 " %s", s->request->attribute_name, survey_done(t),
			      t->asked, t->what);
}

/* Runs until all requests have ended, a signal arrives, or the output fails. Returns 0 or -errno. */
static int survey_drive(struct survey *s)
{
	struct exchange *x = s->x;
	struct madkit_agent *agent;
	int ret = 0, status;

	while (!ret && !cli_stopped()) {
		const uint64_t slice = madkit_port_now(x->port) + CLI_SLICE_MS * NS_PER_MS;

		/* a wait in virtual time takes no real time, and needs no slices */
		ret = madkit_survey_step(s->survey, x->time.is_virtual ? UINT64_MAX : slice);
		survey_show_progress(s);
		if (ret == -EINTR && !cli_stopped())
			ret = 0;
		if (output_flush(x->out) || output_over(x->out))
			break;
	}
	s->full |= ret == -ENOMEM;
	status = ret < 0 && !s->gone && !cli_stopped() ? exchange_agent(x, s->request, &agent) : EXIT_DONE;
	if (status) {
		exchange_why(x, status);
		s->tally->status = exit_worst(s->tally->status, status);
		s->gone = true;
	}
	madkit_survey_end(s->survey);
	madkit_survey_count(s->survey, &s->counts);
	s->tally->mads += s->counts.mads;
	s->tally->resent += s->counts.resent;
	s->x->seq = s->seq + s->counts.numbers;
	progress_clear();
	return ret < 0 ? ret : 0;
}

static void survey_finish(struct survey *s)
{
	for (size_t i = 0; s->held && i < s->counts.targets; i++) {
		if (!s->held[i])
			continue;
		madkit_survey_release(s->survey, s->held[i]->result);
		free(s->held[i]);
	}
	free(s->held);
	free(s->ended);
	free(s->known);
	madkit_survey_free(s->survey);
	madkit_buf_free(&s->unwritten);
	request_free(&s->cpi);
	madkit_grid_free(s->errors);
	survey_rows_free(s->rows);
	if (s->delta)
		s->delta->paths = s->paths;
	else
		survey_paths_free(&s->paths);
}

/* Accounts for the targets that are left at the end. Returns the exit status. */
static int survey_judge(struct survey *s, int error)
{
	struct survey_tally *t = s->tally;
	uint64_t done = survey_done(t);

	t->unsent = t->asked - done;
	if (t->unsent && (cli_stopped() || s->gone))
		cli_say("%s ended it after %" PRIu64 " of %" PRIu64 " %s",
			cli_stopped() ? "a signal" : "the failure of the device", done, t->asked, t->what);
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
	if (t->cut && madkit_port_now(s->x->port) >= s->x->time.deadline_ns)
		t->status = exit_worst(t->status, EXIT_TIMEOUT);
	if (t->unsupported && (s->clears || !(t->answered + t->summed) || madsweep_is_strict(s->x->options)))
		t->status = exit_worst(t->status, EXIT_STATUS);
	if (t->silent + t->failed + t->left_out &&
	    (s->clears || t->silent + t->failed + t->left_out == t->asked ||
	     madsweep_is_strict(s->x->options)))
		t->status = exit_worst(t->status, EXIT_TIMEOUT);
	if (t->unread && madsweep_options(s->x->options)->strict)
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
				  .aside = true,
				  .reads_fec = true };
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
	madkit_buf_init(&reading.unwritten, 0);
	status = survey_begin(&reading);
	if (!status)
		ret = survey_drive(&reading);
	/* the survey itself reports a signal, and a device that is gone */
	if (ret < 0 && !reading.gone && !cli_stopped())
		status = cli_failed(ret, "cannot send");
	failures_finish(&reading.failures);
	if (tally.malformed)
		s->tally->status = exit_worst(s->tally->status, EXIT_MALFORMED);
	survey_finish(&reading);
	request_free(&extended);
	s->x->seq = seq;
	s->tally->mads += tally.mads;
	s->tally->resent += tally.resent;
	return status;
}

void survey_tally_add(struct survey_tally *sum, const struct survey_tally *t)
{
	sum->what = t->what;
	sum->asked += t->asked;
	sum->answered += t->answered;
	sum->summed += t->summed;
	sum->silent += t->silent;
	sum->refused += t->refused;
	sum->unread += t->unread;
	sum->unsupported += t->unsupported;
	sum->malformed += t->malformed;
	sum->failed += t->failed;
	sum->left_out += t->left_out;
	sum->cut += t->cut;
	sum->unsent += t->unsent;
	sum->unpaired += t->unpaired;
	sum->mads += t->mads;
	sum->resent += t->resent;
	sum->sa_mads += t->sa_mads;
	sum->sa_resent += t->sa_resent;
	sum->status = exit_worst(sum->status, t->status);
}

/* Shows the end of the results. */
static void survey_show_end(struct survey *s)
{
	survey_release(s, true);
	if (s->delta && !s->aside)
		survey_show_gone(s);
	if (s->errors)
		madkit_grid_write(s->errors, &s->x->out->buf);
	if (s->rows && survey_rows_write(s->rows))
		s->full = true;
	if (!s->aside)
		output_rows(s->x->out);
	output_flush(s->x->out);
	survey_tell_unwritten(s);
}

int survey_run(struct exchange *x, const struct scope *scope, const struct request *request,
	       struct survey_delta *delta, struct survey_tally *tally)
{
	struct survey s = {
		.x = x,
		.scope = scope,
		.request = request,
		.delta = delta,
		.aside = delta && delta->aside,
		.tally = tally,
		.earlier = x->out->shown,
		/* each port that could not be cleared is named */
		.failures.all = x->options->output.verbose || request->header.method == MADKIT_METHOD_SET,
	};
	int status, ret;

	*tally = (struct survey_tally){ .what = "ports" };
	madkit_buf_init(&s.unwritten, 0);
	status = survey_read_fec(&s);
	if (!status)
		status = survey_begin(&s);
	if (!status) {
		ret = survey_drive(&s);
		survey_show_end(&s);
		failures_finish(&s.failures);
		status = survey_judge(&s, ret);
	}
	if (!status || status < EXIT_SIGNAL)
		status = s.names ? s.names : status;
	survey_finish(&s);
	free(s.fec);
	return status;
}
