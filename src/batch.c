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
#include "lines.h"
#include "rmpp_choice.h"
#include "wait.h"

enum {
	WINDOW_DEFAULT = 16,
	/* How long to look for answers alone while input may come, ms. */
	GLANCE_MS = 5,
};

/* An agent of a class, version and OUI, for all lines that need it. */
struct agent {
	struct agent *next;
	struct madkit_agent_attr attr;
	struct madkit_agent *agent;
};

struct batch {
	const struct cli_options *options;
	struct output *out;
	struct exchange x;
	struct madkit_json_in *in;
	struct agent *agents;
	struct lines lines;
	bool over_deadline, ending;
	bool unreadable; /* reading the lines failed */
	uint32_t outstanding;
	uint64_t unsent;   /* requests that the deadline left no time for */
	struct job *moved; /* of these: to be asked elsewhere */
	bool none;         /* no line has ended so far */
	int status;
};

/* A request that is outstanding. */
struct job {
	struct batch *batch;
	struct job *next; /* moved */
	struct request request;
	struct answer answer;
	struct madkit_recv *recv;
	struct madkit_agent *agent;
	uint64_t seq;
	char tag[];
};

static void ended_with(struct batch *b, int status)
{
	b->status = b->none ? status : exit_worst(b->status, status);
	b->none = false;
}

/* ---- answers -------------------------------------------------------------------------- */

static void job_free(struct job *job)
{
	madkit_recv_free(job->recv);
	job->answer.reply.recv = NULL;
	answer_free(&job->answer);
	request_free(&job->request);
	free(job);
}

/* Shows what has become of it. */
static void job_end(struct job *job, int error)
{
	struct batch *b = job->batch;
	struct exchange *x = &b->x;
	struct answer *a = &job->answer;

	x->agent = job->agent;
	a->status = exchange_ended(x, &job->request, a, error);
	a->message.seq = job->seq;
	a->message.tag = job->tag[0] ? job->tag : NULL;
	exchange_show(x, a);
	exchange_tell(x, &job->request, a);
	ended_with(b, a->status);
	b->outstanding--;
	job_free(job);
}

static void job_drop(struct job *job)
{
	job->batch->outstanding--;
	job_free(job);
}

static bool is_moved(const struct job *job)
{
	struct madkit_header h;

	return job->batch->options->redirects && job->recv &&
	       !madkit_header_get(job->recv->mad, job->recv->len, &h) && h.status & MADKIT_STATUS_REDIRECT;
}

/* Asks those elsewhere that were redirected, one after the other: no handler can. */
static void follow(struct batch *b)
{
	struct job *job;

	while ((job = b->moved)) {
		struct answer *a = &job->answer;
		const uint32_t attempts = a->reply.attempts;
		int ret;

		b->moved = job->next;
		madkit_recv_free(job->recv);
		ret = madkit_request_redirected(job->agent, a->send, b->x.deadline_ns, b->options->redirects,
						&a->reply, &a->redirected);
		a->reply.attempts += attempts;
		job->recv = a->reply.recv;
		if (ret == -EINTR)
			job_drop(job);
		else
			job_end(job, ret ? ret : a->reply.status);
	}
}

static void received(struct madkit_agent *agent, struct madkit_recv *recv)
{
	struct job *job = recv->send ? recv->send->context : NULL;

	(void)agent;
	if (!job || job->recv) {
		madkit_recv_free(recv);
		return;
	}
	job->recv = recv;
	job->answer.reply.recv = recv;
	job->answer.reply.rtt_ns = recv->rtt_ns;
}

static void sent(struct madkit_agent *agent, struct madkit_send *send, int status)
{
	struct job *job = send->context;

	(void)agent;
	job->answer.reply.attempts = send->attempts;
	job->answer.reply.kernel_resends = send->kernel_resends;
	job->answer.reply.status = status;
	/* put aside: the deadline, or a signal */
	if (status == -ECANCELED && job->batch->over_deadline)
		status = -ETIMEDOUT;
	if (status == -ECANCELED) {
		job_drop(job);
		return;
	}
	if (!status && is_moved(job) && !job->batch->ending) {
		job->next = job->batch->moved;
		job->batch->moved = job;
		return;
	}
	job_end(job, status);
}

/* ---- requests ------------------------------------------------------------------------- */

/* The agent that a request goes by. NULL: refused, x.why tells. */
static struct madkit_agent *agent_for(struct batch *b, const struct request *r)
{
	struct madkit_agent_attr attr = {
		.mgmt_class = r->header.mgmt_class,
		.class_version = r->header.class_version,
		.class_version_given = true,
		.oui = r->oui,
		.send_handler = sent,
		.recv_handler = received,
	};
	struct agent *one;

	rmpp_choice_put(r->rmpp, &attr);
	for (one = b->agents; one; one = one->next)
		if (one->attr.mgmt_class == attr.mgmt_class && one->attr.oui == attr.oui &&
		    one->attr.class_version == attr.class_version)
			return one->agent;
	one = calloc(1, sizeof(*one));
	if (!one)
		exchange_fail(&b->x, EXIT_LOCAL, -ENOMEM, "out of memory");
	if (!one || exchange_find_agent(&b->x, &attr)) {
		free(one);
		return NULL;
	}
	one->attr = attr;
	one->agent = b->x.agent;
	one->next = b->agents;
	b->agents = one;
	return one->agent;
}

/* EXIT_DONE: it is on its way, or has ended; else x.why tells why not. */
static int batch_post(struct batch *b, struct job *job, const struct cli_options *line)
{
	const struct cli_options *options = b->x.options;
	int status;

	/* the address is the line's */
	b->x.options = line;
	status = exchange_find_address(&b->x, &job->request);
	b->x.options = options;
	if (status)
		return status;
	job->agent = agent_for(b, &job->request);
	if (!job->agent)
		return cli_status_of(b->x.error);
	status = exchange_prepare(&b->x, &job->request, &job->answer);
	if (status)
		return exchange_fail(&b->x, status, -ENOMEM, "out of memory");
	job->seq = b->x.seq;
	job->answer.send->context = job;
	status = madkit_agent_post(job->agent, job->answer.send);
	b->outstanding++;
	if (status)
		job_end(job, status);
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

static void show_request(struct batch *b, const struct madkit_json_message *m, const struct cli_options *line,
			 const struct request *r)
{
	struct madkit_unresolved to;
	struct madkit_message message;

	message_of_request(b, m->kind, r, m->tag, &message);
	request_show_destination(line, r, &to, &message);
	message.host = NULL;
	message.time.tv_nsec = -1;
	output_message(b->out, &message);
}

/* A request that was read, but not sent before the deadline: a timeout without a try. */
static void show_unsent_job(struct batch *b, const struct job *job, const struct cli_options *line)
{
	struct madkit_unresolved to;
	const struct request *r = &job->request;
	struct madkit_message message;

	b->unsent++;
	b->x.agent = NULL;
	message_of_request(b, MADKIT_MESSAGE_TIMEOUT, r, job->tag[0] ? job->tag : NULL, &message);
	request_show_destination(line, r, &to, &message);
	message.send_status = ETIMEDOUT;
	message.attempts = 0;
	if (b->out->format == FORMAT_JSON)
		output_message(b->out, &message);
}

/* A line that cannot be sent; in JSON a line as well. error: -ENOMEM; any other is shown as -EINVAL. */
static void bad_line(struct batch *b, const char *tag, const char *reason, int status, int error)
{
	struct madkit_message message;
	struct madkit_buf data;

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
	b->x.agent = NULL;
	exchange_message(&b->x, MADKIT_MESSAGE_ERROR, &message);
	message.send_status = error == -ENOMEM ? ENOMEM : EINVAL;
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
	struct job *job = calloc(1, sizeof(*job) + n + 1);
	struct madkit_error error = { .text = "" };
	struct cli_options line;
	int status;

	if (!job) {
		bad_line(b, m->tag, "out of memory", EXIT_LOCAL, -ENOMEM);
		return;
	}
	job->batch = b;
	memcpy(job->tag, m->tag ? m->tag : "", n + 1);
	status = batch_line(b->options, m, &line, &job->request, &error);
	if (status) {
		bad_line(b, m->tag, error.text, status, error.code);
		job_free(job);
	} else if (cli_flag(b->options, OPT_DRY_RUN)) {
		show_request(b, m, &line, &job->request);
		ended_with(b, EXIT_DONE);
		job_free(job);
	} else if (b->over_deadline) {
		show_unsent_job(b, job, &line);
		job_free(job);
	} else {
		status = batch_post(b, job, &line);
		if (status && !cli_stopped())
			bad_line(b, m->tag, b->x.why, status == EXIT_USAGE ? EXIT_MALFORMED : status,
				 b->x.error);
		if (status)
			job_free(job);
	}
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
static int wait_and_read(struct batch *b, bool room)
{
	struct exchange *x = &b->x;
	int ms = exchange_slice_ms(x, x->deadline_ns), ret;

	if (b->outstanding) {
		if (room && !b->lines.in.eof && ms > GLANCE_MS)
			ms = GLANCE_MS;
		ret = madkit_port_wait(x->port, ms);
		if (ret > 0)
			ret = madkit_port_process(x->port);
		if (ret < 0 && ret != -EINTR)
			return ret;
		ms = 0;
	}
	return room && !b->lines.in.eof ? fill_lines(b, ms) : 0;
}

static int batch_loop(struct batch *b)
{
	uint32_t window = b->options->have_window ? b->options->window : WINDOW_DEFAULT;
	struct exchange *x = &b->x;
	bool over = false, idle = false, was_idle;
	int ret = fill_lines(b, 0);

	while (!ret && !over && !cli_stopped()) {
		while (b->outstanding < window && !b->out->status && batch_take_line(b))
			;
		was_idle = idle;
		idle = !b->outstanding;
		follow(b);
		if (output_flush(b->out) || (lines_done(&b->lines) && !b->outstanding))
			break;
		/* what is there when the deadline comes still counts */
		over = x->port ? madkit_port_now(x->port) >= x->deadline_ns : wait_error() == -ETIMEDOUT;
		/* A virtual clock does not advance while input without a request is awaited or read. Idle
		 * once is the end of what had been read: the next part may hold requests. */
		over |= idle && was_idle && wait_error() == -ETIMEDOUT;
		ret = x->port ? wait_and_read(b, b->outstanding < window) :
				fill_lines(b, over ? 0 : CLI_SLICE_MS);
	}
	b->over_deadline = over && (b->outstanding || !lines_done(&b->lines));
	return ret;
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

	b->ending = true;
	/* the answer is that it was redirected: there is no time to follow */
	for (struct job *job; (job = b->moved);) {
		b->moved = job->next;
		if (cli_stopped())
			job_drop(job);
		else
			job_end(job, 0);
	}
	/* while there is a port: lines name it */
	if (!cli_stopped() && b->over_deadline)
		account_unsent(b);
	else if (!cli_stopped() && !ret && madkit_json_in_end(b->in, &error))
		bad_line(b, madkit_json_in_message(b->in)->tag, error.text, EXIT_MALFORMED, -ENODATA);
	/* what is outstanding ends */
	exchange_close(&b->x);
	if (cli_stopped())
		return cli_stopped_status();
	if (b->unreadable)
		return cli_failed(ret, "cannot read '%s'",
				  strcmp(b->options->batch, "-") ? b->options->batch : "standard input");
	if (ret == -EIO || ret == -ENODEV) {
		cli_say("%s", "the device is gone");
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
	struct batch b = { .options = o, .out = out, .none = true, .status = EXIT_DONE };
	int status;

	status = batch_begin(&b);
	if (!status)
		status = batch_finish(&b, batch_loop(&b));
	else
		exchange_close(&b.x);
	for (struct agent *one = b.agents, *next; one; one = next) {
		next = one->next;
		free(one);
	}
	madkit_json_in_free(b.in);
	lines_close(&b.lines);
	return status;
}
