/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "batch.h"
#include "batch_line.h"
#include "dispatch.h"
#include "failures.h"
#include "lines.h"
#include "progress.h"
#include "wait.h"
#include "util/array_size.h"

enum {
	UNSENT_TEXT_MAX = 128,
};

struct batch {
	const struct cli_options *options;
	struct output *out;
	struct exchange x;
	struct madkit_json_in *in;
	struct lines lines;
	struct failures failures;
	struct source source;
	bool over_deadline;
	bool idle;              /* nothing was outstanding after the last line that could be taken */
	bool gone;              /* the device is */
	int read_error;         /* -errno: reading the lines failed */
	struct batch_job *jobs; /* outstanding */
	/* for --summary */
	uint64_t sent, answered, refused, timeouts, errors, cancelled, one_way, outstanding, bad_lines;
	uint64_t
		unsent; /* requests that were not sent: --dry-run, the deadline, a lost device, no address in time */
	int status;
};

/* A line's request. */
struct batch_job {
	struct task task;
	struct request request;
	struct batch_job *next, **link; /* link points to what points to this */
	char tag[];
};

static void ended_with(struct batch *b, int status)
{
	b->status = exit_worst(b->status, status);
}

static size_t batch_outstanding(const struct batch *b)
{
	return b->x.dispatcher ? madkit_dispatcher_outstanding(b->x.dispatcher) : 0;
}

/* Whether the next line may be a request: of which class is not known before it is read. */
static bool batch_has_room(const struct batch *b)
{
	const struct madkit_dispatcher *d = b->x.dispatcher;

	return !d || (madkit_dispatcher_has_room(d, MADKIT_CLASS_PERF) &&
		      madkit_dispatcher_has_room(d, MADKIT_CLASS_SUBN));
}

static void batch_progress(const struct batch *b)
{
	if (b->options->quiet)
		return;
	progress_show("%" PRIu64 " lines, %" PRIu64 " answered, %zu outstanding", b->lines.number,
		      b->answered, batch_outstanding(b));
}

/* Whether the deadline has passed, by the port's clock if there is one. */
static bool batch_is_late(const struct batch *b)
{
	return b->x.port ? madkit_port_now(b->x.port) >= b->x.deadline_ns : wait_error() == -ETIMEDOUT;
}

/* ---- lines -------------------------------------------------------------------------- */

/* The next message: of KIND, with what R and TAG (NULL: none) say. */
static void message_of_request(struct batch *b, enum madkit_message_kind kind, const struct request *r,
			       const char *tag, struct madkit_message *message)
{
	b->x.seq++;
	exchange_message(&b->x, kind, message);
	message->remote = &r->to;
	message->attribute = r->attribute;
	message->tag = tag;
	message->mad = r->mad;
	message->len = r->len;
}

static void show_request(struct batch *b, const struct madkit_json_message *m, const struct request *r)
{
	struct madkit_unresolved to;
	struct madkit_message message;

	message_of_request(b, m->kind, r, m->tag, &message);
	destination_show(&r->destination, &r->to, &to, &message);
	message.host = NULL;
	message.time.tv_nsec = -1;
	output_message(b->out, &message);
}

/* A request that was read, but not sent: a timeout without a try, or the error of a lost device. */
static void show_unsent_job(struct batch *b, const struct batch_job *job, int error)
{
	enum madkit_message_kind kind = error == -ETIMEDOUT ? MADKIT_MESSAGE_TIMEOUT : MADKIT_MESSAGE_ERROR;
	struct madkit_unresolved to;
	const struct request *r = &job->request;
	struct madkit_message message;

	b->unsent++;
	message_of_request(b, kind, r, job->tag[0] ? job->tag : NULL, &message);
	destination_show(&r->destination, &r->to, &to, &message);
	message.send_status = -error;
	message.attempts = 0;
	if (b->out->format == FORMAT_JSON)
		output_message(b->out, &message);
}

/* Reports why the latest line is not sent. */
static void batch_say(struct batch *b, const char *reason)
{
	if (failures_count_line(&b->failures))
		cli_say("line %" PRIu64 ": %s", b->lines.number, reason);
}

/* A line that cannot be sent; in JSON a line as well. error: -errno of what failed; of a malformed line it is shown as -EINVAL. */
static void bad_line(struct batch *b, const char *tag, const char *reason, int status, int error)
{
	struct madkit_message message;
	struct madkit_buf data;

	b->bad_lines++;
	batch_say(b, reason);
	ended_with(b, status);
	if (b->out->format != FORMAT_JSON)
		return;
	json_begin(&data);
	json_number(&data, "line", b->lines.number);
	b->x.seq++;
	exchange_message(&b->x, MADKIT_MESSAGE_ERROR, &message);
	message.send_status = status == EXIT_MALFORMED || !error ? EINVAL : -error;
	message.tag = tag;
	exchange_error(&b->x, &message, &data, reason);
}

static void batch_job_free(struct batch_job *job)
{
	*job->link = job->next;
	if (job->next)
		job->next->link = job->link;
	answer_free(&job->task.answer);
	request_free(&job->request);
	free(job);
}

/* Resolves the address of a request. False: it cannot be sent; the reason has been reported. */
static bool batch_address(struct batch *b, struct batch_job *job)
{
	int status;

	/* that may take a while */
	if (destination_is_resolved(&job->request.destination)) {
		output_flush(b->out);
		batch_progress(b);
	}
	status = exchange_address(&b->x, &job->request);
	if (!status)
		return true;
	b->gone |= status == EXIT_LOCAL && exchange_is_gone(&b->x);
	if (status == EXIT_TIMEOUT && batch_is_late(b)) {
		b->over_deadline = true;
		show_unsent_job(b, job, -ETIMEDOUT);
	} else if (b->gone) {
		show_unsent_job(b, job, -ENODEV);
	} else if (status == EXIT_TIMEOUT) {
		batch_say(b, b->x.why);
		ended_with(b, status);
		show_unsent_job(b, job, -ETIMEDOUT);
	} else if (!cli_stopped()) {
		bad_line(b, job->tag[0] ? job->tag : NULL, b->x.why,
			 status == EXIT_USAGE ? EXIT_MALFORMED : status, b->x.error);
	}
	return false;
}

/* The task for a message that has been read. NULL: nothing is to be sent. */
static struct task *take_message(struct batch *b)
{
	const struct madkit_json_message *m = madkit_json_in_message(b->in);
	size_t n = m->tag ? strlen(m->tag) : 0;
	struct batch_job *job = calloc(1, sizeof(*job) + n + 1);
	struct madkit_error error = { .text = "" };
	int status;

	if (!job) {
		bad_line(b, m->tag, "out of memory", EXIT_LOCAL, -ENOMEM);
		return NULL;
	}
	job->task.request = &job->request;
	job->link = &b->jobs;
	job->next = b->jobs;
	if (job->next)
		job->next->link = &job->next;
	b->jobs = job;
	memcpy(job->tag, m->tag ? m->tag : "", n + 1);
	status = batch_line(b->options, m, &job->request, &error);
	if (m->given & MADKIT_JSON_DEADLINE && b->x.port)
		job->request.deadline_ns = madkit_port_now(b->x.port) + m->deadline_ms * NS_PER_MS;
	if (status) {
		bad_line(b, m->tag, error.text, status, error.code);
	} else if (cli_flag(b->options, OPT_DRY_RUN)) {
		show_request(b, m, &job->request);
		b->unsent++;
	} else if (b->gone || b->over_deadline) {
		show_unsent_job(b, job, b->gone ? -ENODEV : -ETIMEDOUT);
	} else if (batch_address(b, job)) {
		return &job->task;
	}
	batch_job_free(job);
	return NULL;
}

static bool is_blank(const char *line, size_t len)
{
	return strspn(line, " \t\r\n") >= len;
}

/* A line that takes requests back by their tag. Each of them ends with an error of its own; if there is none, that is shown. */
static void batch_cancel(struct batch *b, const char *tag)
{
	struct madkit_message message;
	struct madkit_buf data;
	bool any = false;

	for (struct batch_job *job = b->jobs; job; job = job->next)
		if (!strcmp(job->tag, tag)) {
			madkit_dispatcher_cancel(b->x.dispatcher, &job->task.answer.job, -ECANCELED);
			any = true;
		}
	if (any || b->out->format != FORMAT_JSON)
		return;
	json_begin(&data);
	json_number(&data, "line", b->lines.number);
	json_number(&data, "cancelled", 0);
	b->x.seq++;
	exchange_message(&b->x, MADKIT_MESSAGE_EVENT, &message);
	message.tag = tag;
	exchange_object(&b->x, &message, &data);
}

/* Takes one line. *task is NULL if the line is not a request to be sent. False: no line is available now. */
static bool batch_take_line(struct batch *b, struct task **task)
{
	struct madkit_error error = { .text = "" };
	const char *line;
	size_t len;
	int ret = lines_next(&b->lines, &line, &len);

	*task = NULL;
	if (ret < 0)
		bad_line(b, NULL, "has more than 64 MiB: left out", EXIT_MALFORMED, -EFBIG);
	if (ret <= 0)
		return false;
	if (line[len - 1] == '\n' && is_blank(line, len))
		return true;
	ret = madkit_json_in_line(b->in, line, len, &error);
	if (ret < 0)
		bad_line(b, madkit_json_in_message(b->in)->tag, error.text[0] ? error.text : strerror(-ret),
			 ret == -ENOMEM ? EXIT_LOCAL : EXIT_MALFORMED, ret);
	else if (ret && madkit_json_in_message(b->in)->given & MADKIT_JSON_CANCEL)
		batch_cancel(b, madkit_json_in_message(b->in)->tag);
	else if (ret)
		*task = take_message(b);
	return true;
}

/* ---- the source: lines ---------------------------------------------------------------- */

static int batch_fill(void *context, int ms)
{
	struct batch *b = context;

	b->read_error = lines_fill(&b->lines, ms);
	return b->read_error;
}

/* Whether one more line may be taken. Resolving the last address may have taken until now. */
static bool batch_may_take(const struct batch *b)
{
	/* --deadline 0 sends without waiting; without a port, wait.h enforces the deadline */
	bool late = b->x.port && b->options->deadline_ms && batch_is_late(b);

	return !cli_stopped() && !late && !b->gone && !b->out->status && batch_has_room(b);
}

/* Looks whether the device was unplugged while nothing is outstanding. */
static bool batch_device_failed(struct exchange *x)
{
	int ret = madkit_dispatcher_wait(x->dispatcher, 0);

	return ret == -EIO || ret == -ENODEV;
}

static enum source_state batch_next(void *context, struct exchange *x, struct task **task)
{
	struct batch *b = context;
	bool was_idle = b->idle;

	if (batch_may_take(b) && batch_take_line(b, task))
		return *task ? SOURCE_TASK : SOURCE_AGAIN;
	b->idle = !batch_outstanding(b);
	if (b->idle && x->port && !lines_done(&b->lines))
		b->gone |= batch_device_failed(x);
	if (b->gone || b->over_deadline || (lines_done(&b->lines) && b->idle))
		return SOURCE_ENDED;
	if (x->port)
		batch_progress(b);
	/* A virtual clock does not advance while only input is awaited. Being idle once may only be the end of the
	 * lines that had been read; the next part may hold requests. */
	if (batch_is_late(b) || (b->idle && was_idle && wait_error() == -ETIMEDOUT)) {
		/* lines that arrived before the deadline still count */
		b->over_deadline = !batch_fill(b, 0) && !lines_done(&b->lines);
		return SOURCE_ENDED;
	}
	if (x->port)
		b->source.due_ns = madkit_port_now(x->port) + CLI_SLICE_MS * NS_PER_MS;
	return batch_has_room(b) && !b->lines.in.eof ? SOURCE_INPUT : SOURCE_LATER;
}

/* ---- the sink -------------------------------------------------------------------------- */

/* Shows the result of a request. Abandoned requests are not shown. */
static bool batch_take(void *context, struct exchange *x, struct task *task)
{
	struct batch *b = context;
	struct batch_job *job = (struct batch_job *)(void *)task;
	struct answer *a = &task->answer;
	const char *tag = job->tag[0] ? job->tag : NULL;

	b->sent += a->job.reply.attempts > 0;
	if (a->message.kind != MADKIT_MESSAGE_EVENT) {
		bool late = a->job.ended_ns >= x->deadline_ns;

		a->message.tag = tag;
		exchange_show(x, &job->request, a);
		if (a->error == -ECANCELED) {
			b->cancelled++;
		} else if (late && a->error == -ETIMEDOUT && !a->job.reply.attempts) {
			b->unsent++;
			b->over_deadline = true;
		} else {
			failures_tell(&b->failures, x, &job->request, a);
			ended_with(b, a->status);
			b->answered += a->message.kind == MADKIT_MESSAGE_RESPONSE;
			b->refused += a->message.kind == MADKIT_MESSAGE_RESPONSE &&
				      madkit_message_status(&a->message);
			b->timeouts += a->message.kind == MADKIT_MESSAGE_TIMEOUT;
			b->errors += a->message.kind == MADKIT_MESSAGE_ERROR;
			b->one_way += a->message.kind == MADKIT_MESSAGE_REQUEST;
			b->over_deadline |= late && (a->error == -ETIMEDOUT ||
						     a->job.redirected.error.code == -ETIMEDOUT);
		}
		b->gone |= (a->error == -EIO || a->error == -ENODEV) && exchange_is_gone(x);
	} else if (a->status >= EXIT_SIGNAL) {
		b->outstanding += a->job.reply.attempts > 0;
	} else {
		bad_line(b, tag, x->why, a->status == EXIT_USAGE ? EXIT_MALFORMED : a->status, x->error);
	}
	batch_job_free(job);
	return !b->gone;
}

/* ---- the whole ------------------------------------------------------------------------- */

static void batch_summarize(struct batch *b)
{
	const struct {
		const char *name, *text;
		uint64_t n;
	} counts[] = {
		{ "lines", "lines", b->lines.number },
		{ "sent", "sent", b->sent },
		{ "answered", "answered", b->answered },
		{ "refused", "of them with a status", b->refused },
		{ "timeouts", "without a response", b->timeouts },
		{ "errors", "failed", b->errors },
		{ "cancelled", "cancelled", b->cancelled },
		{ "one_way", "without a response to wait for", b->one_way },
		{ "outstanding", "outstanding", b->outstanding },
		{ "not_sent", "not sent", b->unsent },
		{ "bad_lines", "not valid", b->bad_lines },
	};
	struct madkit_message message;
	struct madkit_buf data;

	if (b->out->format == FORMAT_TEXT) {
		madkit_buf_char(&b->out->buf, '#');
		for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
			if (i < 3 || counts[i].n)
				madkit_buf_printf(&b->out->buf, "%s %" PRIu64 " %s", i ? "," : "",
						  counts[i].n, counts[i].text);
		madkit_buf_char(&b->out->buf, '\n');
	}
	if (b->out->format != FORMAT_JSON)
		return;
	json_begin(&data);
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		json_number(&data, counts[i].name, counts[i].n);
	exchange_message(&b->x, MADKIT_MESSAGE_SUMMARY, &message);
	exchange_object(&b->x, &message, &data);
}

/* Accounts for the lines that the deadline or the loss of the device left unsent, as far as they can be read without
 * waiting for them. text: their number, to be reported behind the reason. */
static void account_unsent(struct batch *b, char text[static UNSENT_TEXT_MAX])
{
	char count[64] = "";
	bool rest;
	struct task *none;
	size_t have;
	int ret = 0;

	while (!ret && !b->out->status && !wait_over()) {
		while (!b->out->status && !wait_over() && batch_take_line(b, &none))
			;
		if (output_flush(b->out) || b->lines.in.eof)
			break;
		have = input_have(&b->lines.in);
		ret = lines_fill(&b->lines, 0);
		if (input_have(&b->lines.in) == have && !b->lines.in.eof)
			break;
	}
	rest = !lines_done(&b->lines);
	if (b->unsent)
		snprintf(count, sizeof(count), "%" PRIu64 " %s not sent", b->unsent,
			 b->unsent == 1 ? "request was" : "requests were");
	snprintf(text, UNSENT_TEXT_MAX, "%s%s%s%s", b->unsent || rest ? ": " : "", count,
		 b->unsent && rest ? ", and " : "", rest ? "the rest of the input was not read" : "");
}

static int batch_finish(struct batch *b, int ret)
{
	struct madkit_error error = { .text = "" };
	char unsent[UNSENT_TEXT_MAX] = "";

	progress_clear();
	b->gone |= !b->read_error && (ret == -EIO || ret == -ENODEV);
	/* while there is a port: lines name it */
	if (!cli_stopped() && (b->gone || b->over_deadline))
		account_unsent(b, unsent);
	else if (!cli_stopped() && !ret && madkit_json_in_end(b->in, &error))
		bad_line(b, madkit_json_in_message(b->in)->tag, error.text, EXIT_MALFORMED, -ENODATA);
	if (!cli_stopped() && b->over_deadline && !b->gone) {
		cli_say("the deadline has passed%s", unsent);
		ended_with(b, EXIT_TIMEOUT);
	}
	failures_finish(&b->failures);
	if (cli_flag(b->options, OPT_SUMMARY))
		batch_summarize(b);
	exchange_close(&b->x);
	if (cli_stopped())
		return cli_stopped_status();
	if (b->read_error)
		return cli_failed(b->read_error, "cannot read '%s'",
				  strcmp(b->options->batch, "-") ? b->options->batch : "standard input");
	if (b->gone)
		return cli_insist("the device is gone%s", unsent);
	if (ret)
		return cli_insist("%s: %s", b->options->batch, strerror(-ret));
	return output_flush(b->out) ? b->out->status : b->status;
}

static int batch_begin(struct batch *b)
{
	const struct cli_options *o = b->options;
	bool input = !strcmp(o->batch, "-");
	int fd = input ? STDIN_FILENO : wait_open(o->batch, O_RDONLY | O_CLOEXEC, 0);

	lines_init(&b->lines, fd);
	if (fd < 0)
		return cli_failed(fd, "cannot read '%s'", o->batch);
	b->in = madkit_json_in_new();
	if (!b->in)
		return cli_no_memory();
	if (!cli_flag(o, OPT_DRY_RUN)) {
		int status = exchange_open(&b->x, o, b->out, NULL);

		if (!status && cli_flag(o, OPT_BANNER))
			cli_insist("ready on %s", b->x.info->device);
		return status;
	}
	exchange_begin(&b->x, o, b->out);
	b->x.deadline_ns = UINT64_MAX;
	if (cli_flag(o, OPT_BANNER))
		cli_insist("ready on no device: --dry-run sends nothing");
	return output_capture(b->out);
}

/* --dry-run: shows the requests, without a port. 0 or -errno. */
static int batch_show(struct batch *b)
{
	enum source_state state = SOURCE_AGAIN;
	struct task *none;
	int ret = 0;

	while (!ret && !cli_stopped() && !b->out->status && state != SOURCE_ENDED) {
		state = batch_next(b, &b->x, &none);
		if (state == SOURCE_INPUT && !output_flush(b->out))
			ret = batch_fill(b, CLI_SLICE_MS);
	}
	return ret;
}

int batch(const struct cli_options *o, struct output *out)
{
	struct batch b = { .options = o, .out = out, .status = EXIT_DONE, .failures.all = o->verbose };
	const struct sink sink = { .take = batch_take, .context = &b };
	int status = batch_begin(&b), ret;

	b.source = (struct source){ .next = batch_next, .fill = batch_fill, .context = &b };
	if (!status)
		ret = batch_fill(&b, 0);
	if (!status && !ret)
		ret = b.x.port ? dispatch(&b.x, &b.source, &sink) : batch_show(&b);
	if (!status)
		status = batch_finish(&b, ret);
	else
		exchange_close(&b.x);
	madkit_json_in_free(b.in);
	lines_close(&b.lines);
	return status;
}
