/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* madsend: builds a MAD, sends it, and shows the response. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "batch.h"
#include "cli/command.h"
#include "cli/options.h"
#include "describe.h"
#include "request/exchange.h"
#include "request/failures.h"
#include "request/instances.h"
#include "request/locate.h"
#include "request/layout_choice.h"
#include "madsend_options.h"
#include "merge.h"
#include "set_check.h"
#include "cli/privileges.h"
#include "request/repeat.h"
#include "request/request_args.h"
#include "request/request_fields.h"

static const char *const synopsis[] = { "[options] METHOD ATTRIBUTE [Field=value ...]",
					"--batch FILE|- [--window N] [options]",
					"--describe [ATTRIBUTE] [-j]", NULL };

static const char help[] =
	"\nSends one management datagram and shows the response. ATTRIBUTE is a name, a\n"
	"short name, CLASS:NAME, or a number with --class; data=HEX or data=@FILE is a\n"
	"payload as bytes. Without a destination, SA requests and SMInfo go to the subnet\n"
	"manager of the port, other SMPs to -D 0, all other requests to the port itself.\n"
	"Unlike in infiniband-diags, -L, -D and -G take the address as their argument.\n";

/* ---- one request, many times ------------------------------------------------------- */

struct tally {
	uint64_t asked; /* requests, including those that could not be sent */
	uint64_t sent, lost;
	uint64_t outstanding;                   /* sent, but a signal ended them before the response */
	uint64_t timed, min_us, max_us, sum_us; /* of responses with a known round trip */
};

static void tally_count(struct tally *t, const struct answer *a)
{
	uint64_t us = a->message.rtt_us < 0 ? 0 : (uint64_t)a->message.rtt_us;

	t->sent += a->job.reply.attempts > 0;
	/* a signal ended the request */
	if (a->message.kind == MADKIT_MESSAGE_EVENT) {
		t->outstanding += a->job.reply.attempts > 0;
		return;
	}
	t->asked++;
	if (!a->job.reply.attempts)
		return;
	if (a->message.kind == MADKIT_MESSAGE_TIMEOUT ||
	    (a->message.kind == MADKIT_MESSAGE_ERROR && !exchange_is_withheld(a)))
		t->lost++;
	if (a->message.rtt_us < 0)
		return;
	if (!t->timed || us < t->min_us)
		t->min_us = us;
	if (us > t->max_us)
		t->max_us = us;
	t->sum_us += us;
	t->timed++;
}

static uint64_t tally_avg_us(const struct tally *t)
{
	return t->timed ? t->sum_us / t->timed : 0;
}

/* A summary of requests. */
struct tally_summary {
	const struct request *request;
	const struct tally *tally;
};

static void tally_write(const void *context, struct madkit_writer *w)
{
	const struct tally_summary *summary = context;
	const struct tally *t = summary->tally;

	madkit_writer_number(w, "sent", t->sent);
	madkit_writer_known(w, "lost", summary->request->expects_response, t->lost);
	madkit_writer_number(w, "outstanding", t->outstanding);
	madkit_writer_number(w, "timed", t->timed);
	madkit_writer_known(w, "min_us", t->timed, t->min_us);
	madkit_writer_known(w, "avg_us", t->timed, tally_avg_us(t));
	madkit_writer_known(w, "max_us", t->timed, t->max_us);
}

static void tally_summarize(struct exchange *x, const struct request *r, const struct tally *t)
{
	const struct tally_summary summary = { r, t };
	const struct madkit_object data = { tally_write, &summary };
	struct madkit_message message;
	char what[REQUEST_TEXT_MAX], addr[MADKIT_ADDR_TEXT_MAX];
	uint64_t answered = t->sent - t->lost - t->outstanding;

	if (x->out->format == FORMAT_TEXT || x->out->format == FORMAT_TABLE) {
		output_rows(x->out);
		madkit_buf_printf(&x->out->buf, "# %s to %s: %" PRIu64 " sent", request_text(r, what),
				  madkit_addr_text(&r->to, addr), t->sent);
		/* without responses, the losses are not known */
		if (r->expects_response)
			madkit_buf_printf(&x->out->buf, ", %" PRIu64 " lost", t->lost);
		if (t->outstanding)
			madkit_buf_printf(&x->out->buf, ", %" PRIu64 " outstanding", t->outstanding);
		if (t->timed)
			madkit_buf_printf(&x->out->buf,
					  ", min/avg/max %" PRIu64 "/%" PRIu64 "/%" PRIu64 " us", t->min_us,
					  tally_avg_us(t), t->max_us);
		/* it is not always known which try was answered */
		if (t->timed && t->timed < answered)
			madkit_buf_printf(&x->out->buf, " of %" PRIu64, t->timed);
		else if (!t->timed && answered && r->expects_response)
			madkit_buf_printf(&x->out->buf, ", round trips not timed");
		madkit_buf_char(&x->out->buf, '\n');
	}
	if (x->out->format != FORMAT_JSON)
		return;
	exchange_message(x, MADKIT_MESSAGE_SUMMARY, &message);
	message.remote = &r->to;
	exchange_object(x, &message, &data);
}

/* The sink of madsend: shows and counts each answer. */
struct sending {
	struct failures failures;
	struct tally tally;
	bool gone;   /* the device was unplugged */
	bool hinted; /* at a second block */
	int status;
};

/* Checks if a field of the two blocks of a register is not in the first one, or not the whole of it: a text that fills the
 * block may go on. */
static bool sending_lacks(const struct madkit_field *f, const struct answer *a)
{
	struct madkit_place place;

	if (f->kind == MADKIT_KIND_RESERVED)
		return false;
	if (madkit_place_find(a->message.attribute->layout, f->name, strlen(f->name), &place, NULL))
		return true;
	return place.field->width < f->width && a->message.len && a->message.mad[a->message.len - 1];
}

/* Says once which fields are in the second block of a register, which was not read. */
static void sending_hint_block(struct sending *s, const struct request *r, const struct answer *a)
{
	const struct madkit_layout *joined = r->attribute ? r->attribute->joined : NULL;
	const char *first = NULL, *last = NULL;
	uint64_t block;

	if (!joined || s->hinted || a->status || a->message.attribute != r->attribute ||
	    request_value(r, "Block", &block) || block)
		return;
	for (unsigned int i = 0; i < joined->nfields; i++) {
		if (!sending_lacks(&joined->fields[i], a))
			continue;
		first = first ? first : joined->fields[i].name;
		last = joined->fields[i].name;
	}
	if (!first)
		return;
	s->hinted = true;
	cli_say("hint: the second block was not read (%s%s%s): madsweep reads both", first,
		last != first ? " to " : "", last != first ? last : "");
}

static bool sending_take(void *context, struct exchange *x, struct task *task)
{
	struct sending *s = context;
	struct answer *a = &task->answer;
	int status = a->status;

	tally_count(&s->tally, a);
	exchange_show(x, task->request, a);
	failures_tell(&s->failures, x, task->request, a);
	sending_hint_block(s, task->request, a);
	if (!status)
		status = set_check(task->request, a);
	s->status = exit_worst(s->status, status);
	if (status == EXIT_TIMEOUT && x->options->request.locate)
		locate(x, task->request);
	s->gone |= a->error == -ENODEV || a->error == -EIO;
	answer_free(a);
	return !s->gone;
}

static int send_tasks(struct exchange *x, const struct request *r, struct task *tasks, size_t n)
{
	const struct cli_options *o = x->options;
	struct repeat requests = {
		.tasks = tasks, .n = n, .rounds = o->timing.have_count ? o->timing.count : 1, .overlap = n > 1
	};
	struct sending s = { .failures.all = o->output.verbose };
	const struct sink sink = { .take = sending_take, .context = &s };
	int ret = repeat_run(&requests, x, &sink);

	failures_finish(&s.failures);
	if (o->timing.have_count)
		tally_summarize(x, r, &s.tally);
	if (cli_stopped())
		return cli_stopped_status();
	/* unless the result of a request has reported the failure */
	if (ret && !s.gone)
		return exchange_report(x, NULL, exchange_port_failed(x, ret));
	if (s.tally.asked / n < requests.rounds && !x->out->status && !s.gone) {
		cli_say("the deadline ended it after %" PRIu64 " of %" PRIu64, s.tally.asked,
			requests.rounds * n);
		return exit_worst(s.status, EXIT_TIMEOUT);
	}
	return s.status;
}

/* The requests of a list of modifiers. */
struct sending_list {
	struct instances instances;
	struct request *requests;
	struct task *tasks;
};

static int sending_list_make(struct sending_list *list, const struct request *r)
{
	size_t n = list->instances.n;

	list->requests = calloc(n, sizeof(*list->requests));
	list->tasks = calloc(n, sizeof(*list->tasks));
	if (!list->requests || !list->tasks)
		return cli_no_memory();
	for (size_t i = 0; i < n; i++) {
		if (instances_request(r, list->instances.modifiers[i], &list->requests[i]))
			return cli_no_memory();
		list->tasks[i].request = &list->requests[i];
	}
	return EXIT_DONE;
}

static void sending_list_free(struct sending_list *list)
{
	for (size_t i = 0; list->requests && i < list->instances.n; i++)
		request_free(&list->requests[i]);
	free(list->requests);
	free(list->tasks);
	instances_free(&list->instances);
}

static int send_all(struct exchange *x, const struct request *r)
{
	struct sending_list list = { .requests = NULL };
	struct task task = { .request = r };
	int status;

	if (!x->options->request.modifiers)
		return send_tasks(x, r, &task, 1);
	status = instances_get(x, x->options, r, &list.instances);
	if (!status)
		status = sending_list_make(&list, r);
	if (!status)
		status = send_tasks(x, r, list.tasks, list.instances.n);
	sending_list_free(&list);
	return status;
}

/* ---- the command -------------------------------------------------------------------- */

static int check_set(const struct cli_options *o, const struct request *r)
{
	bool merge = o->request.merge, zero = o->request.zero_rest;
	bool set = r->header.method == MADKIT_METHOD_SET;

	if ((merge || zero) && !set)
		return cli_usage_error("%s is only for Set", merge ? "--merge" : "--zero-rest");
	if (merge && zero)
		return cli_usage_error("--merge or --zero-rest, not both");
	if (merge && merge_check(r))
		return EXIT_USAGE;
	if (o->request.locate && !r->to.direct)
		return cli_usage_error("--locate needs a direct route (-D)");
	if (o->request.locate && o->timing.timeout_ms == MADKIT_FOREVER)
		return cli_usage_error(
			"--locate needs a timeout, not -t -1: it begins when no response has arrived in time");
	return EXIT_DONE;
}

/* Shows the request's MAD instead of sending it. */
static int show_unsent(struct output *out, const struct request *r)
{
	struct madkit_unresolved to;
	struct madkit_message message = {
		.kind = MADKIT_MESSAGE_REQUEST,
		.time = { .tv_nsec = -1 },
		.rtt_us = -1,
		.attempts = -1,
		.attribute = r->attribute,
		.mad = r->mad,
		.len = r->len,
	};

	destination_show(&r->destination, &r->to, &to, &message);
	/* --merge has resolved the destination */
	if (r->to.lid)
		message.unresolved = NULL;
	output_message(out, &message);
	if (out->capture_fd >= 0)
		madkit_pcap_add(&out->capture, &message, NULL, true, out->how.show_keys);
	return output_flush(out);
}

/* Shows the request with each modifier of a list. */
static int show_unsent_list(const struct cli_options *o, struct output *out, const struct request *r)
{
	struct instances list;
	int status = instances_get(NULL, o, r, &list);

	for (size_t i = 0; i < list.n && !status; i++) {
		struct request one;

		if (instances_request(r, list.modifiers[i], &one))
			status = cli_no_memory();
		else
			status = show_unsent(out, &one);
		request_free(&one);
	}
	instances_free(&list);
	return status;
}

static int madsend_dry_run(const struct cli_options *o, struct output *out, struct request *r)
{
	struct exchange x = { .port = NULL };
	int ret;

	if (out->capture_path && (o->to.have_guid || o->to.name))
		return cli_usage_error("-w with --dry-run needs an address, and %s is not resolved to one",
				       o->to.name ? "--name" : "-G");
	ret = output_capture(out);
	if (ret)
		return ret;
	/* a combined route contains this port's LID */
	if ((r->to.direct && o->to.have_lid) || r->local_port) {
		ret = exchange_open(&x, o, out, NULL);
		if (!ret)
			ret = exchange_report(&x, r, exchange_address(&x, r));
		exchange_close(&x);
		if (ret)
			return ret;
	}
	return o->request.modifiers ? show_unsent_list(o, out, r) : show_unsent(out, r);
}

static int exchange_all(const struct cli_options *o, struct output *out, struct request *r)
{
	struct exchange x;
	int ret = exchange_open(&x, o, out, r);

	privileges_drop(o);
	if (!ret)
		ret = layout_choose(&x, r);
	if (!ret && o->request.merge)
		ret = merge(&x, r);
	if (!ret)
		ret = o->request.dry_run ? show_unsent(out, r) : send_all(&x, r);
	exchange_close(&x);
	return ret;
}

static int check_batch(const struct cli_options *o, const struct cli_words *w)
{
	if (w->nwords)
		return cli_usage_error("--batch reads its requests from '%s', not also '%s'",
				       madsend_options(o)->batch, w->words[0]);
	return cli_check_oui(o);
}

static int madsend_run(const struct cli_options *o, struct cli_words *w, struct output *out)
{
	struct request request = { .mad = NULL };
	int status;

	/* for madsend, "--" only ends the options */
	for (char **word = w->command; word && *word; word++)
		w->words[w->nwords++] = *word;
	if (o->mode == MODE_DESCRIBE)
		return describe(o, w, out);
	if (o->mode == MODE_BATCH)
		return check_batch(o, w) || output_check(out, NULL) ? EXIT_USAGE : batch(o, out);
	status = request_build(o, w->words, w->nwords, &request);
	if (!status)
		status = output_check(out, o->request.dry_run ? request.attribute : request_answer(&request));
	if (!status)
		status = check_set(o, &request);
	if (!status)
		status = request_check_options(o, &request);
	if (!status)
		status = instances_check(o, &request);
	if (!status)
		status = o->request.dry_run && !o->request.merge ? madsend_dry_run(o, out, &request) :
								   exchange_all(o, out, &request);
	request_free(&request);
	return status;
}

static int madsend_check(const struct cli_options *o, const struct cli_words *w)
{
	(void)w;
	if (o->mode != MODE_SEND)
		return EXIT_DONE;
	return cli_refuse_without(o, "interval", "count") || request_check_grh(o) ? EXIT_USAGE : EXIT_DONE;
}

const struct command program = {
	.usage = {
		.program = "madsend",
		.synopsis = synopsis,
		.text = help,
		.options = &program_options,
		.check = madsend_check,
	},
	.run = madsend_run,
};
