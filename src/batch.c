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
#include "exchange.h"
#include "failures.h"
#include "lines.h"
#include "progress.h"
#include "wait.h"

enum {
	/* How long to look for answers alone while input may come, ms. */
	GLANCE_MS = 5,
};

struct batch {
	const struct cli_options *options;
	struct output *out;
	struct exchange x;
	struct madkit_json_in *in;
	struct lines lines;
	struct failures failures;
	bool over_deadline;
	bool unreadable; /* reading the lines failed */
	bool gone;       /* the device is */
	uint64_t unsent; /* requests that the deadline left no time for */
	uint64_t answered;
	bool none; /* no line has ended so far */
	int status;
};

/* A request that is outstanding: the context of its answer's job. */
struct batch_job {
	struct request request;
	struct answer answer;
	uint64_t seq;
	char tag[];
};

static void ended_with(struct batch *b, int status)
{
	b->status = b->none ? status : exit_worst(b->status, status);
	b->none = false;
}

/* ---- answers -------------------------------------------------------------------------- */

static void batch_job_free(struct batch_job *job)
{
	answer_free(&job->answer);
	request_free(&job->request);
	free(job);
}

/* Shows what has become of it: it has ended, or could not be posted (error). */
static void batch_job_end(struct batch *b, struct batch_job *job, int error)
{
	struct exchange *x = &b->x;
	struct answer *a = &job->answer;

	a->status = exchange_ended(x, &job->request, a, error);
	a->message.seq = job->seq;
	a->message.tag = job->tag[0] ? job->tag : NULL;
	exchange_show(x, a);
	failures_tell(&b->failures, x, &job->request, a);
	ended_with(b, a->status);
	b->answered += a->job.reply.recv != NULL;
	b->over_deadline |= error == -ETIMEDOUT && a->job.ended_ns >= x->deadline_ns;
	b->gone |= (error == -EIO || error == -ENODEV) && exchange_is_gone(x);
	batch_job_free(job);
}

/* Takes what has ended. After a signal nothing more is shown. */
static void batch_take_results(struct batch *b)
{
	struct madkit_job *ended;

	while (b->x.dispatcher && (ended = madkit_dispatcher_take(b->x.dispatcher))) {
		struct batch_job *job = ended->context;

		if (ended->error == -EINTR)
			batch_job_free(job);
		else
			batch_job_end(b, job, ended->error ? ended->error : ended->reply.status);
	}
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
	progress_show("%" PRIu64 " lines, %" PRIu64 " answered, %zu outstanding", b->lines.number,
		      b->answered, batch_outstanding(b));
}

/* Whether the deadline has passed; without a port that is for wait.h to say. */
static bool batch_is_late(const struct batch *b)
{
	return b->x.port && madkit_port_now(b->x.port) >= b->x.deadline_ns;
}

/* ---- requests ------------------------------------------------------------------------- */

/* EXIT_DONE: it is on its way, or has ended; else x.why tells why not. */
static int batch_post(struct batch *b, struct batch_job *job)
{
	int status, ret;

	/* that may take a while */
	if (destination_is_resolved(&job->request.destination)) {
		output_flush(b->out);
		batch_progress(b);
	}
	status = exchange_address(&b->x, &job->request);
	if (!status)
		status = exchange_prepare(&b->x, &job->request, &job->answer);
	if (status)
		return status;
	job->answer.job.context = job;
	job->seq = b->x.seq;
	/* the window may have become smaller while the address was resolved */
	while ((ret = madkit_dispatcher_post(b->x.dispatcher, &job->answer.job)) == -EAGAIN) {
		if (cli_stopped())
			return cli_stopped_status();
		madkit_dispatcher_wait(b->x.dispatcher,
				       madkit_port_now(b->x.port) + CLI_SLICE_MS * NS_PER_MS);
		batch_take_results(b);
	}
	if (ret)
		batch_job_end(b, job, ret);
	return EXIT_DONE;
}

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

/* A request that was read, but not sent before the deadline: a timeout without a try. */
static void show_unsent_job(struct batch *b, const struct batch_job *job)
{
	struct madkit_unresolved to;
	const struct request *r = &job->request;
	struct madkit_message message;

	b->unsent++;
	message_of_request(b, MADKIT_MESSAGE_TIMEOUT, r, job->tag[0] ? job->tag : NULL, &message);
	destination_show(&r->destination, &r->to, &to, &message);
	message.send_status = ETIMEDOUT;
	message.attempts = 0;
	if (b->out->format == FORMAT_JSON)
		output_message(b->out, &message);
}

/* A line that cannot be sent; in JSON a line as well. error: -errno of what failed; of a malformed line it is shown as -EINVAL. */
static void bad_line(struct batch *b, const char *tag, const char *reason, int status, int error)
{
	struct madkit_message message;
	struct madkit_buf data;

	if (failures_count_line(&b->failures))
		cli_say("line %" PRIu64 ": %s", b->lines.number, reason);
	ended_with(b, status);
	if (b->out->format != FORMAT_JSON)
		return;
	madkit_buf_init(&data, 0);
	json_open(&data, NULL, '{');
	json_number(&data, "line", b->lines.number);
	json_string(&data, "error", reason);
	json_close(&data, '}');
	b->x.seq++;
	exchange_message(&b->x, MADKIT_MESSAGE_ERROR, &message);
	message.send_status = status == EXIT_MALFORMED || !error ? EINVAL : -error;
	message.tag = tag;
	message.data_json = json_end(&data);
	output_object(b->out, &message);
	madkit_buf_free(&data);
}

/* A message that has been read. */
static void take_message(struct batch *b)
{
	const struct madkit_json_message *m = madkit_json_in_message(b->in);
	size_t n = m->tag ? strlen(m->tag) : 0;
	struct batch_job *job = calloc(1, sizeof(*job) + n + 1);
	struct madkit_error error = { .text = "" };
	int status;

	if (!job) {
		bad_line(b, m->tag, "out of memory", EXIT_LOCAL, -ENOMEM);
		return;
	}
	memcpy(job->tag, m->tag ? m->tag : "", n + 1);
	status = batch_line(b->options, m, &job->request, &error);
	if (status) {
		bad_line(b, m->tag, error.text, status, error.code);
	} else if (cli_flag(b->options, OPT_DRY_RUN)) {
		show_request(b, m, &job->request);
		ended_with(b, EXIT_DONE);
	} else if (b->over_deadline) {
		show_unsent_job(b, job);
	} else {
		status = batch_post(b, job);
		if (!status)
			return;
		if (status == EXIT_TIMEOUT && batch_is_late(b)) {
			/* while its address was being resolved */
			b->over_deadline = true;
			show_unsent_job(b, job);
		} else if (!cli_stopped()) {
			bad_line(b, m->tag, b->x.why, status == EXIT_USAGE ? EXIT_MALFORMED : status,
				 b->x.error);
		}
	}
	batch_job_free(job);
}

static bool is_blank(const char *line, size_t len)
{
	return strspn(line, " \t\r\n") >= len;
}

/* Takes one line. False: there is none now. */
static bool batch_take_line(struct batch *b)
{
	struct madkit_error error = { .text = "" };
	const char *line;
	size_t len;
	int ret = lines_next(&b->lines, &line, &len);

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
	else if (ret)
		take_message(b);
	return true;
}

/* ---- the loop ------------------------------------------------------------------------- */

/* As lines_fill(). */
static int fill_lines(struct batch *b, int timeout_ms)
{
	int ret = lines_fill(&b->lines, timeout_ms);

	b->unreadable = ret;
	return ret;
}

/* Waits for whatever comes next: input, where there is room for it, or answers. 0 or
 * -errno. */
static int wait_and_read(struct batch *b)
{
	struct exchange *x = &b->x;
	bool reads = batch_has_room(b) && !b->lines.in.eof;
	int ms = exchange_slice_ms(x, x->deadline_ns), ret;

	if (batch_outstanding(b)) {
		if (reads && ms > GLANCE_MS)
			ms = GLANCE_MS;
		ret = madkit_dispatcher_wait(x->dispatcher,
					     madkit_port_now(x->port) + (uint64_t)ms * NS_PER_MS);
		if (ret < 0 && ret != -EINTR)
			return ret;
		ms = 0;
	}
	return reads ? fill_lines(b, ms) : 0;
}

/* Whether one more line may be taken. To resolve the address of the last one may have taken until now. */
static bool batch_may_take(const struct batch *b)
{
	/* --deadline 0 sends without waiting */
	bool late = b->options->deadline_ms && batch_is_late(b);

	return !cli_stopped() && !late && !b->gone && !b->out->status && batch_has_room(b);
}

static int batch_loop(struct batch *b)
{
	struct exchange *x = &b->x;
	bool over = false, idle = false, was_idle;
	int ret = fill_lines(b, 0);

	while (!ret && !over && !cli_stopped()) {
		batch_take_results(b);
		while (batch_may_take(b) && batch_take_line(b))
			batch_take_results(b);
		was_idle = idle;
		idle = !batch_outstanding(b);
		if (output_flush(b->out) || b->gone || (lines_done(&b->lines) && idle))
			break;
		if (x->port)
			batch_progress(b);
		/* what is there when the deadline comes still counts */
		over = x->port ? batch_is_late(b) : wait_error() == -ETIMEDOUT;
		/* A virtual clock does not advance while input without a request is awaited or read. Idle
		 * once is the end of what had been read: the next part may hold requests. */
		over |= idle && was_idle && wait_error() == -ETIMEDOUT;
		ret = x->port ? wait_and_read(b) : fill_lines(b, over ? 0 : CLI_SLICE_MS);
	}
	/* whatever ended it: what is left is not shown */
	if (!over && x->dispatcher)
		madkit_dispatcher_end(x->dispatcher, -EINTR);
	batch_take_results(b);
	b->over_deadline |= over && !lines_done(&b->lines);
	return b->gone ? -ENODEV : ret;
}

/* Accounts for the lines that the deadline left unsent, as far as they can be read without
 * waiting for them. */
static void account_unsent(struct batch *b)
{
	char count[64] = "";
	bool rest;
	size_t have;
	int ret = 0;

	while (!ret && !b->out->status && !wait_over()) {
		while (!b->out->status && !wait_over() && batch_take_line(b))
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
	cli_say("the deadline has passed%s%s%s%s", b->unsent || rest ? ": " : "", count,
		b->unsent && rest ? ", and " : "", rest ? "the rest of the input was not read" : "");
	ended_with(b, EXIT_TIMEOUT);
}

static int batch_finish(struct batch *b, int ret)
{
	struct madkit_error error = { .text = "" };

	progress_clear();
	/* while there is a port: lines name it */
	if (!cli_stopped() && b->over_deadline)
		account_unsent(b);
	else if (!cli_stopped() && !ret && madkit_json_in_end(b->in, &error))
		bad_line(b, madkit_json_in_message(b->in)->tag, error.text, EXIT_MALFORMED, -ENODATA);
	failures_finish(&b->failures);
	exchange_close(&b->x);
	if (cli_stopped())
		return cli_stopped_status();
	if (b->unreadable)
		return cli_failed(ret, "cannot read '%s'",
				  strcmp(b->options->batch, "-") ? b->options->batch : "standard input");
	if (ret == -EIO || ret == -ENODEV) {
		cli_say("the device is gone%s",
			lines_done(&b->lines) ? "" : ": the rest of the input was not sent");
		return EXIT_LOCAL;
	}
	if (ret) {
		cli_say("%s: %s", b->options->batch, strerror(-ret));
		return EXIT_LOCAL;
	}
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
	if (!b->in) {
		cli_say("out of memory");
		return EXIT_LOCAL;
	}
	if (!cli_flag(o, OPT_DRY_RUN))
		return exchange_open(&b->x, o, b->out, NULL);
	exchange_begin(&b->x, o, b->out);
	b->x.deadline_ns = UINT64_MAX;
	return output_capture(b->out);
}

int batch(const struct cli_options *o, struct output *out)
{
	struct batch b = {
		.options = o, .out = out, .none = true, .status = EXIT_DONE, .failures.all = o->verbose
	};
	int status;

	status = batch_begin(&b);
	if (!status)
		status = batch_finish(&b, batch_loop(&b));
	else
		exchange_close(&b.x);
	madkit_json_in_free(b.in);
	lines_close(&b.lines);
	return status;
}
