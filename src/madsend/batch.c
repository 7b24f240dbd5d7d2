/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "batch.h"
#include "batch_ahead.h"
#include "batch_counts.h"
#include "batch_line.h"
#include "madsend_options.h"
#include "request/dispatch.h"
#include "request/failures.h"
#include "request/layout_choice.h"
#include "cli/lines.h"
#include "cli/privileges.h"
#include "cli/progress.h"
#include "cli/wait.h"

enum {
	UNSENT_TEXT_MAX = 128,
	/* Maximum number of requests that are read ahead while their window is full, and of the memory that
	 * they occupy. */
	AHEAD_MAX = 1024,
	AHEAD_BYTES = 4 << 20,
	/* If the outstanding requests and those ahead occupy this much memory, no further line is read. */
	JOBS_BYTES = 64 << 20,
};

struct batch {
	const struct cli_options *options;
	struct output *out;
	struct exchange x;
	struct madkit_json_in *in;
	struct lines lines;
	struct failures failures;
	struct layout_seen layouts;
	struct source source;
	bool over_deadline;
	bool idle;              /* nothing was outstanding after the last available line */
	bool gone;              /* the device is gone */
	int read_error;         /* -errno of a failure to read the lines */
	struct batch_job *jobs; /* outstanding, or read ahead */
	struct ahead ahead;
	size_t jobs_bytes;
	struct batch_counts counts;
	int status;
};

static void batch_ended_with(struct batch *b, int status)
{
	b->status = exit_worst(b->status, status);
}

static size_t batch_outstanding(const struct batch *b)
{
	return b->x.dispatcher ? madkit_dispatcher_outstanding(b->x.dispatcher) : 0;
}

/* Checks if all requests share one window: with --window 1 they are sent one after the other, whatever their
 * class. */
static bool batch_is_serial(const struct batch *b)
{
	return b->options->timing.window == 1;
}

/* Checks if a request, an SMP or another one, may be sent. */
static bool batch_has_room(const struct batch *b, bool smp)
{
	const struct madkit_dispatcher *d = b->x.dispatcher;

	if (d && batch_is_serial(b))
		return !madkit_dispatcher_outstanding(d);
	return !d || madkit_dispatcher_has_room(d, smp ? MADKIT_CLASS_SUBN : MADKIT_CLASS_PERF);
}

/* Checks if one more line may be read. */
static bool batch_may_read(const struct batch *b)
{
	if (batch_is_serial(b))
		return !b->ahead.n && batch_has_room(b, false);
	return b->ahead.n < AHEAD_MAX && b->ahead.bytes < AHEAD_BYTES && b->jobs_bytes < JOBS_BYTES;
}

/* Takes the oldest request that may be sent. Returns NULL if there is none. */
static struct batch_job *batch_take_ahead(struct batch *b)
{
	const bool room[AHEAD_QUEUES] = { batch_has_room(b, false), batch_has_room(b, true) };

	return ahead_take(&b->ahead, room);
}

static void batch_progress(const struct batch *b)
{
	if (b->options->output.quiet)
		return;
	progress_show("%" PRIu64 " lines, %" PRIu64 " answered, %zu outstanding", b->lines.number,
		      b->counts.answered, batch_outstanding(b));
}

/* Checks if the deadline has passed, by the port's clock if there is a port. */
static bool batch_is_late(const struct batch *b)
{
	return b->x.port ? madkit_port_now(b->x.port) >= b->x.time.deadline_ns : wait_error() == -ETIMEDOUT;
}

/* ---- lines -------------------------------------------------------------------------- */

/* Initialises the next message, of that kind, from the request and its tag (NULL: none). */
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

/* Shows a request that was read, but not sent: a timeout without a try, or an error because the device is
 * gone or the request was cancelled. */
static void show_unsent_job(struct batch *b, const struct batch_job *job, int error)
{
	enum madkit_message_kind kind = error == -ETIMEDOUT ? MADKIT_MESSAGE_TIMEOUT : MADKIT_MESSAGE_ERROR;
	struct madkit_unresolved to;
	const struct request *r = &job->request;
	struct madkit_message message;

	b->counts.unsent += error != -ECANCELED;
	message_of_request(b, kind, r, job->tag, &message);
	destination_show(&r->destination, &r->to, &to, &message);
	message.send_status = -error;
	message.attempts = 0;
	if (b->out->format != FORMAT_JSON)
		return;
	if (kind == MADKIT_MESSAGE_TIMEOUT)
		output_message(b->out, &message);
	else
		exchange_error(&b->x, &message, NULL,
			       error == -ECANCELED ? "cancelled before it was sent" :
						     "not sent: the device is gone");
}

/* Reports why a line is not sent. */
static void batch_say(struct batch *b, uint64_t line, const char *reason)
{
	if (failures_count_line(&b->failures))
		cli_say("line %" PRIu64 ": %s", line, reason);
}

/* Writes the number of a line. */
static void batch_write_line(const void *context, struct madkit_writer *w)
{
	madkit_writer_number(w, "line", *(const uint64_t *)context);
}

/* Writes the data of the answer to a line that cancels nothing. */
static void batch_write_cancelled(const void *context, struct madkit_writer *w)
{
	batch_write_line(context, w);
	madkit_writer_number(w, "cancelled", 0);
}

/* Reports a line that cannot be sent; in JSON, also shows a line. error: -errno of the failure; a malformed
 * line is shown with EINVAL. */
static void batch_refuse_line(struct batch *b, uint64_t line, const char *tag, const char *reason, int status,
			      int error)
{
	const struct madkit_object data = { batch_write_line, &line };
	struct madkit_message message;

	b->counts.bad_lines++;
	batch_say(b, line, reason);
	batch_ended_with(b, status);
	if (b->out->format != FORMAT_JSON)
		return;
	b->x.seq++;
	exchange_message(&b->x, MADKIT_MESSAGE_ERROR, &message);
	message.send_status = status == EXIT_MALFORMED || !error ? EINVAL : -error;
	message.tag = tag;
	exchange_error(&b->x, &message, &data, reason);
}

static void batch_job_free(struct batch *b, struct batch_job *job)
{
	ahead_leave(&b->ahead, job);
	b->jobs_bytes -= job->bytes;
	*job->link = job->next;
	if (job->next)
		job->next->link = job->link;
	answer_free(&job->task.answer);
	request_free(&job->request);
	free(job);
}

/* Resolves the address of a request. Returns false if the request cannot be sent; the reason has been
 * reported. */
static bool batch_address(struct batch *b, struct batch_job *job)
{
	int status;

	/* resolving may take a while */
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
		batch_say(b, job->line, b->x.failure.why);
		batch_ended_with(b, status);
		show_unsent_job(b, job, -ETIMEDOUT);
	} else if (cli_stopped()) {
		b->counts.unsent++;
	} else {
		batch_refuse_line(b, job->line, job->tag, b->x.failure.why,
				  status == EXIT_USAGE ? EXIT_MALFORMED : status, b->x.failure.error);
	}
	return false;
}

/* Creates the job of a message that has been read. Returns NULL if there is nothing to send. */
static struct batch_job *batch_take_message(struct batch *b)
{
	const struct madkit_json_message *m = madkit_json_in_message(b->in);
	const char *name = m->given & MADKIT_JSON_NAME ? m->name : "";
	size_t n = m->tag ? strlen(m->tag) : 0;
	size_t bytes = sizeof(struct batch_job) + n + 1 + strlen(name) + 1;
	struct batch_job *job = calloc(1, bytes);
	struct madkit_error error = { .text = "" };
	int status;

	if (!job) {
		batch_refuse_line(b, b->lines.number, m->tag, "out of memory", EXIT_LOCAL, -ENOMEM);
		return NULL;
	}
	job->task.request = &job->request;
	job->link = &b->jobs;
	job->next = b->jobs;
	if (job->next)
		job->next->link = &job->next;
	b->jobs = job;
	if (n)
		job->tag = memcpy(job->text, m->tag, n + 1);
	job->line = b->lines.number;
	job->have_deadline = m->given & MADKIT_JSON_DEADLINE;
	job->deadline_ms = m->deadline_ms;
	status = batch_line(b->options, m, &job->request, &error);
	job->bytes = bytes + job->request.len;
	b->jobs_bytes += job->bytes;
	if (m->given & MADKIT_JSON_NAME && job->request.destination.name)
		job->request.destination.name = strcpy(job->text + n + 1, name);
	if (status) {
		batch_refuse_line(b, job->line, m->tag, error.text, status, error.code);
	} else if (b->options->request.dry_run) {
		show_request(b, m, &job->request);
		b->counts.unsent++;
	} else if (b->gone || b->over_deadline) {
		show_unsent_job(b, job, b->gone ? -ENODEV : -ETIMEDOUT);
	} else {
		return job;
	}
	batch_job_free(b, job);
	return NULL;
}

/* The deadline of a line begins. */
static void batch_begin_deadline(struct batch *b, struct batch_job *job)
{
	if (job->have_deadline && b->x.port)
		job->request.deadline_ns = madkit_port_now(b->x.port) + job->deadline_ms * NS_PER_MS;
}

/* Returns the task of a job that is next to be sent, or NULL if it cannot be sent, which has been reported, or has to wait for
 * its node. */
static struct task *batch_begin_job(struct batch *b, struct batch_job *job)
{
	batch_begin_deadline(b, job);
	if (!batch_address(b, job))
		batch_job_free(b, job);
	else if (ahead_occupy(&b->ahead, job))
		return &job->task;
	return NULL;
}

/* Returns the task of a job that has waited for its node, or NULL. */
static struct task *batch_resume_job(struct batch *b)
{
	struct batch_job *job = batch_has_room(b, false) ? ahead_take_held(&b->ahead) : NULL;

	if (!job)
		return NULL;
	batch_begin_deadline(b, job);
	return &job->task;
}

/* Ends the requests that were read ahead and will not be sent. */
static void batch_end_ahead(struct batch *b)
{
	struct batch_job *job;

	while ((job = ahead_take(&b->ahead, (const bool[AHEAD_QUEUES]){ true, true, true }))) {
		if (cli_stopped())
			b->counts.unsent++;
		else
			show_unsent_job(b, job, b->gone ? -ENODEV : -ETIMEDOUT);
		batch_job_free(b, job);
	}
}

static bool batch_is_blank(const char *line, size_t len)
{
	return strspn(line, " \t\r\n") >= len;
}

/* Returns the tag of a request as its lines print it. */
static const char *batch_job_tag(const struct batch_job *job)
{
	return job->tag ? job->tag : "null";
}

/* Cancels the requests with a tag. Each of them ends with its own error. In JSON, a line reports a tag that
 * no request has. */
static void batch_cancel(struct batch *b, const char *tag)
{
	struct madkit_message message;
	const struct madkit_object data = { batch_write_cancelled, &b->lines.number };
	bool any = false;

	for (struct batch_job *job = b->jobs, *next; job; job = next) {
		next = job->next;
		if (strcmp(batch_job_tag(job), tag))
			continue;
		any = true;
		if (!job->is_ahead) {
			madkit_dispatcher_cancel(b->x.dispatcher, &job->task.answer.job, -ECANCELED);
			continue;
		}
		ahead_remove(&b->ahead, job);
		b->counts.cancelled++;
		show_unsent_job(b, job, -ECANCELED);
		batch_job_free(b, job);
	}
	if (any || b->out->format != FORMAT_JSON)
		return;
	b->x.seq++;
	exchange_message(&b->x, MADKIT_MESSAGE_EVENT, &message);
	message.tag = tag;
	exchange_object(&b->x, &message, &data);
}

/* Takes one line. *job is NULL if the line is not a request to send. Returns false if no line is available
 * now. */
static bool batch_take_line(struct batch *b, struct batch_job **job)
{
	struct madkit_error error = { .text = "" };
	const char *line;
	size_t len;
	int ret = lines_next(&b->lines, &line, &len);

	*job = NULL;
	if (ret < 0)
		batch_refuse_line(b, b->lines.number, NULL, "has more than 64 MiB: skipped", EXIT_MALFORMED,
				  -EFBIG);
	if (ret <= 0)
		return false;
	if (line[len - 1] == '\n' && batch_is_blank(line, len))
		return true;
	ret = madkit_json_in_line(b->in, line, len, &error);
	if (ret < 0)
		batch_refuse_line(b, b->lines.number, madkit_json_in_message(b->in)->tag,
				  error.text[0] ? error.text : strerror(-ret),
				  ret == -ENOMEM ? EXIT_LOCAL : EXIT_MALFORMED, ret);
	else if (ret && madkit_json_in_message(b->in)->given & MADKIT_JSON_CANCEL)
		batch_cancel(b, madkit_json_in_message(b->in)->tag);
	else if (ret)
		*job = batch_take_message(b);
	return true;
}

/* ---- the source: lines ---------------------------------------------------------------- */

static int batch_fill(void *context, int ms)
{
	struct batch *b = context;

	b->read_error = lines_fill(&b->lines, ms);
	return b->read_error;
}

/* Checks if one more request may be sent. Resolving the last address may have taken until now. */
static bool batch_may_send(const struct batch *b)
{
	/* --deadline 0 sends without waiting; without a port, wait.h enforces the deadline */
	bool late = b->x.port && b->options->timing.deadline_ms && batch_is_late(b);

	return !cli_stopped() && !late && !b->gone && !b->out->status;
}

/* Checks if the device was unplugged while nothing is outstanding. */
static bool batch_device_failed(struct exchange *x)
{
	int ret = madkit_dispatcher_wait(x->dispatcher, 0);

	return ret == -EIO || ret == -ENODEV;
}

static enum source_state batch_next(void *context, struct exchange *x, struct task **task)
{
	struct batch *b = context;
	struct batch_job *job = NULL;
	bool was_idle = b->idle;

	if (batch_may_send(b)) {
		*task = batch_resume_job(b);
		if (*task)
			return SOURCE_TASK;
		job = batch_take_ahead(b);
		*task = job ? batch_begin_job(b, job) : NULL;
		if (job)
			return *task ? SOURCE_TASK : SOURCE_AGAIN;
		if (batch_may_read(b) && batch_take_line(b, &job)) {
			if (job)
				ahead_add(&b->ahead, job,
					  job->request.smp && !batch_is_serial(b) ? AHEAD_SMPS : AHEAD_GMPS);
			return SOURCE_AGAIN;
		}
	}
	b->idle = !batch_outstanding(b) && !b->ahead.n;
	if (b->idle && x->port && !lines_done(&b->lines))
		b->gone |= batch_device_failed(x);
	if (b->gone || b->over_deadline || (lines_done(&b->lines) && b->idle))
		return SOURCE_ENDED;
	if (x->port)
		batch_progress(b);
	/* A virtual clock does not advance while only input is awaited. Being idle once may only be the end
	 * of the lines that had been read; the next input may contain requests. */
	if (batch_is_late(b) || (b->idle && was_idle && wait_error() == -ETIMEDOUT)) {
		/* lines that arrived before the deadline still count */
		b->over_deadline = (!batch_fill(b, 0) && !lines_done(&b->lines)) || b->ahead.n;
		return SOURCE_ENDED;
	}
	if (x->port)
		b->source.due_ns = madkit_port_now(x->port) + CLI_SLICE_MS * NS_PER_MS;
	return batch_may_read(b) && !b->lines.in.eof ? SOURCE_INPUT : SOURCE_LATER;
}

/* ---- the sink -------------------------------------------------------------------------- */

/* Sets the layout of a response that depends on the FEC mode of the port, or withholds the response if no
 * earlier response has shown the FEC mode. */
static void batch_choose_layout(struct batch *b, const struct request *r, struct answer *a)
{
	if (!a->message.mad || layout_seen_apply(&b->layouts, &a->message) || !layout_depends(r) ||
	    r->header.method != MADKIT_METHOD_GET)
		return;
	exchange_withhold(a);
	a->doubt =
		"the FEC mode of the port is not known: request PortInfoExtended of its LID and port before";
}

/* Shows the result of a request. Abandoned requests are not shown. */
static bool batch_take(void *context, struct exchange *x, struct task *task)
{
	struct batch *b = context;
	struct batch_job *job = (struct batch_job *)(void *)task;
	struct answer *a = &task->answer;
	const char *tag = job->tag;

	b->counts.sent += a->job.reply.attempts > 0;
	if (a->message.kind != MADKIT_MESSAGE_EVENT) {
		bool late = a->job.ended_ns >= x->time.deadline_ns;

		a->message.tag = tag;
		batch_choose_layout(b, &job->request, a);
		exchange_show(x, &job->request, a);
		if (a->error == -ECANCELED) {
			b->counts.cancelled++;
		} else if (late && a->error == -ETIMEDOUT && !a->job.reply.attempts) {
			b->counts.unsent++;
			b->over_deadline = true;
		} else if (a->error == -ETIMEDOUT && !a->job.reply.attempts) {
			/* the device did not accept it within its own limits */
			failures_tell(&b->failures, x, &job->request, a);
			batch_ended_with(b, a->status);
			b->counts.unsent++;
		} else {
			failures_tell(&b->failures, x, &job->request, a);
			batch_ended_with(b, a->status);
			b->counts.answered += a->message.kind == MADKIT_MESSAGE_RESPONSE ||
					      exchange_is_withheld(a);
			b->counts.refused += a->message.kind == MADKIT_MESSAGE_RESPONSE &&
					     madkit_message_status(&a->message);
			b->counts.timeouts += a->message.kind == MADKIT_MESSAGE_TIMEOUT;
			b->counts.errors += a->message.kind == MADKIT_MESSAGE_ERROR;
			b->counts.one_way += a->message.kind == MADKIT_MESSAGE_REQUEST;
			b->over_deadline |= late && (a->error == -ETIMEDOUT ||
						     a->job.redirected.error.code == -ETIMEDOUT);
		}
		b->gone |= (a->error == -EIO || a->error == -ENODEV) && exchange_is_gone(x);
	} else if (a->status >= EXIT_SIGNAL) {
		b->counts.outstanding += a->job.reply.attempts > 0;
		b->counts.unsent += !a->job.reply.attempts;
	} else {
		batch_refuse_line(b, job->line, tag, x->failure.why,
				  a->status == EXIT_USAGE ? EXIT_MALFORMED : a->status, x->failure.error);
	}
	batch_job_free(b, job);
	return !b->gone;
}

/* ---- the whole ------------------------------------------------------------------------- */

/* Accounts for the lines that the deadline or the loss of the device left unsent, as far as they can be read
 * without waiting. text: their number, which follows the reason in the report. */
static void batch_account_unsent(struct batch *b, char text[static UNSENT_TEXT_MAX])
{
	char count[64] = "";
	bool rest;
	struct batch_job *none;
	size_t have;
	int ret = 0;

	batch_end_ahead(b);

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
	/* a program that keeps its pipe open may have nothing more to send */
	rest = b->gone ? lines_have(&b->lines) : !lines_done(&b->lines);
	if (b->counts.unsent)
		snprintf(count, sizeof(count), "%" PRIu64 " %s not sent", b->counts.unsent,
			 b->counts.unsent == 1 ? "request was" : "requests were");
	snprintf(text, UNSENT_TEXT_MAX, "%s%s%s%s", b->counts.unsent || rest ? ": " : "", count,
		 b->counts.unsent && rest ? ", and " : "", rest ? "the rest of the input was not read" : "");
}

static int batch_finish(struct batch *b, int ret)
{
	struct madkit_error error = { .text = "" };
	char unsent[UNSENT_TEXT_MAX] = "";

	progress_clear();
	b->gone |= !b->read_error && (ret == -EIO || ret == -ENODEV);
	/* while there is a port, because lines contain its name */
	if (!cli_stopped() && (b->gone || b->over_deadline))
		batch_account_unsent(b, unsent);
	else if (!cli_stopped() && !ret && !b->out->status && madkit_json_in_end(b->in, &error))
		batch_refuse_line(b, b->lines.number, madkit_json_in_message(b->in)->tag, error.text,
				  EXIT_MALFORMED, -ENODATA);
	batch_end_ahead(b);
	if (!cli_stopped() && b->over_deadline && !b->gone) {
		cli_say("the deadline has passed%s", unsent);
		batch_ended_with(b, EXIT_TIMEOUT);
	}
	failures_finish(&b->failures);
	if (madsend_options(b->options)->summary)
		batch_summarize(&b->x, &b->counts, b->lines.number);
	exchange_close(&b->x);
	if (cli_stopped())
		return cli_stopped_status();
	if (b->read_error)
		return cli_failed(b->read_error, "cannot read '%s'",
				  strcmp(madsend_options(b->options)->batch, "-") ?
					  madsend_options(b->options)->batch :
					  "standard input");
	if (b->gone)
		return cli_insist("the device is gone%s", unsent);
	if (ret)
		return cli_insist("%s: %s", madsend_options(b->options)->batch, strerror(-ret));
	return output_flush(b->out) ? b->out->status : b->status;
}

static int batch_begin(struct batch *b)
{
	const struct cli_options *o = b->options;
	const char *path = madsend_options(o)->batch;
	bool input = !strcmp(path, "-");
	int fd = input ? STDIN_FILENO : wait_open(path, O_RDONLY | O_CLOEXEC, 0);

	lines_init(&b->lines, fd);
	if (fd < 0)
		return cli_failed(fd, "cannot read '%s'", path);
	b->in = madkit_json_in_new();
	if (!b->in)
		return cli_no_memory();
	if (!o->request.dry_run) {
		int status = exchange_open(&b->x, o, b->out, NULL);

		privileges_drop(o);
		if (!status && o->output.banner)
			cli_insist("ready on %s", b->x.info->device);
		return status;
	}
	exchange_begin(&b->x, o, b->out);
	b->x.time.deadline_ns = UINT64_MAX;
	if (o->output.banner)
		cli_insist("ready on no device: --dry-run sends nothing");
	return output_capture(b->out);
}

/* --dry-run: shows the requests, without a port. Returns 0 or -errno. */
static int batch_show(struct batch *b)
{
	enum source_state state = SOURCE_AGAIN;
	struct task *none;
	int ret = 0;

	while (!ret && !cli_stopped() && !b->out->status && state != SOURCE_ENDED) {
		state = batch_next(b, &b->x, &none);
		if (state == SOURCE_INPUT && !output_flush(b->out) && !output_over(b->out))
			ret = batch_fill(b, CLI_SLICE_MS);
	}
	return ret;
}

int batch(const struct cli_options *o, struct output *out)
{
	struct batch b = { .options = o, .out = out, .status = EXIT_DONE, .failures.all = o->output.verbose };
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
	layout_seen_free(&b.layouts);
	lines_close(&b.lines);
	return status;
}
