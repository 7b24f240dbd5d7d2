/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* madpoll: waits for a MAD, or until an attribute has certain values. */
#define _GNU_SOURCE /* memfd_create() */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "cli/command.h"
#include "cli/options.h"
#include "delta.h"
#include "request/failures.h"
#include "request/layout_choice.h"
#include "request/listen.h"
#include "cli/privileges.h"
#include "cli/progress.h"
#include "request/repeat.h"
#include "request/request_args.h"
#include "cli/wait.h"

static const char *const synopsis[] = { "--class CLASS [options] [-- COMMAND ...]",
					"[options] METHOD ATTRIBUTE [Field=value ...] --until EXPR",
					"[options] Get ATTRIBUTE [Field=value ...] --delta", NULL };

static const char help[] =
	"\nWaits until a request of a class arrives, and shows it or passes it to COMMAND; or\n"
	"repeats a request until EXPR holds for the response; or shows differences and rates\n"
	"of counters.\n";

static const char statuses[] =
	"Exit status: that of COMMAND, if it was started. Otherwise: 0 done,\n"
	"1 local failure, 2 usage, 3 no response or MAD in time, 4 non-zero MAD status,\n"
	"5 malformed, 6 nothing to show or condition not met.\n";

/* ---- until a MAD is there ------------------------------------------------------------ */

struct waiting {
	struct exchange ports[CLI_DEVICES_MAX];
	bool failed[CLI_DEVICES_MAX]; /* could not be opened, or was unplugged: reported */
	size_t n;
	int status;                   /* of the devices that failed */
	const struct exchange *first; /* port where the first MAD that was shown arrived */
	char device[256];             /* specification of first */
	uint64_t received;            /* number of MADs received and shown */
	bool keeps;                   /* results are kept for COMMAND */
};

static struct exchange *waiting_find(struct waiting *w, const struct madkit_agent *agent)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->ports[i].agent == agent)
			return &w->ports[i];
	return NULL;
}

/* Shows every MAD, because a MAD that was taken from the device is nowhere else. */
static void waiting_receive(struct madkit_agent *agent, struct madkit_recv *recv)
{
	struct waiting *w = madkit_agent_context(agent);
	struct exchange *x = waiting_find(w, agent);
	struct madkit_message message;

	if (x && !recv->status && !recv->send) {
		listen_message(x, recv, &message);
		if (output_message(x->out, &message)) {
			w->received++;
			if (!w->first)
				w->first = x;
		}
		if (!w->keeps)
			output_flush(x->out);
	}
	madkit_recv_free(recv);
}

static bool waiting_is_over(const struct waiting *w)
{
	const struct cli_options *o = w->ports[0].options;

	/* all ports share the output */
	return w->received >= (o->timing.have_count ? o->timing.count : 1) || w->ports[0].out->status;
}

/* Marks a device as failed, for the reason in the exchange. If there are several devices, the wait continues
 * with the others, and the input of COMMAND is only the MADs. */
static void waiting_fail(struct waiting *w, size_t i, int status)
{
	struct exchange *x = &w->ports[i];

	w->failed[i] = true;
	w->status = exit_worst(w->status, status);
	if (x->options->port.ndevices > 1)
		exchange_name_device(x, x->options->port.devices[i]);
	if (x->options->port.ndevices > 1 && w->keeps)
		exchange_why(x, status);
	else
		exchange_report(x, NULL, status);
	output_flush(x->out);
}

/* Returns the number of devices that are left, and the first of them in *first. */
static size_t waiting_left(const struct waiting *w, size_t *first)
{
	size_t left = 0;

	for (size_t i = w->n; i-- > 0;)
		if (!w->failed[i]) {
			*first = i;
			left++;
		}
	return left;
}

/* Handles the MADs of a port. A readable descriptor does not mean that a MAD arrived: the descriptor of an
 * unplugged device is also readable. */
static void waiting_process(struct waiting *w, size_t i, int ms)
{
	struct exchange *x = &w->ports[i];
	int ret = madkit_port_wait(x->port, ms);

	if (ret > 0)
		ret = madkit_port_process(x->port);
	if (ret < 0 && ret != -EINTR)
		waiting_fail(w, i, exchange_port_failed(x, ret));
}

/* Waits once. A single port is waited for by the library: under a preloaded simulator, a second descriptor is
 * never readable. */
static void waiting_wait_once(struct waiting *w, size_t left, size_t first, int ms)
{
	struct pollfd fds[CLI_DEVICES_MAX];

	if (left == 1) {
		waiting_process(w, first, ms);
		return;
	}
	for (size_t i = 0; i < w->n; i++) {
		fds[i] = (struct pollfd){ .fd = w->failed[i] ? -1 : madkit_port_fd(w->ports[i].port),
					  .events = POLLIN };
		/* a port may have more to process although its descriptor is not readable */
		if (!w->failed[i])
			ms = madkit_port_timeout_ms(w->ports[i].port, ms);
	}
	if (wait_poll(fds, (nfds_t)w->n, ms) < 0)
		return;
	for (size_t i = 0; i < w->n; i++)
		if (!w->failed[i])
			waiting_process(w, i, 0);
}

/* Waits until enough MADs have arrived, the deadline has passed, a signal arrives, or no device is left. */
static void waiting_wait(struct waiting *w)
{
	size_t first, left;
	int ms = 1;

	while (ms && !cli_stopped() && !waiting_is_over(w) && (left = waiting_left(w, &first))) {
		/* with a COMMAND, standard output is the command's */
		if (!w->keeps && output_over(w->ports[0].out))
			return;
		ms = exchange_listen_ms(&w->ports[first]);
		waiting_wait_once(w, left, first, ms);
	}
}

/* Runs COMMAND with the results as its standard input. */
static int waiting_pass(const struct waiting *w, struct output *out, char **command)
{
	int fd = memfd_create("madpoll", MFD_CLOEXEC), status;

	if (fd < 0)
		return cli_failed(-errno, "cannot pass the MAD to '%s'", command[0]);
	status = output_move(out, fd);
	if (!status && lseek(fd, 0, SEEK_SET) < 0)
		status = cli_failed(-errno, "cannot pass the MAD to '%s'", command[0]);
	if (!status) {
		setenv("MADKIT_DEVICE", w->device, 1);
		/* the deadline applied to the MAD only */
		wait_set_deadline(-1);
		status = cli_run(command, fd);
	}
	close(fd);
	return status;
}

/* Opens the devices, and rejects a word that is not a device or that means the same device as another word:
 * in any order, and before anything is reported, captured or registered. *opened: the status of each. Returns
 * EXIT_DONE also if devices have failed. */
static int waiting_open(struct waiting *w, const struct cli_options *o, struct output *out, size_t n,
			int opened[CLI_DEVICES_MAX])
{
	char spec[CLI_DEVICE_MAX];

	for (size_t i = 1; i < n; i++)
		for (size_t j = 0; j < i; j++)
			if (!strcmp(o->port.devices[i], o->port.devices[j]))
				return cli_usage_error("--device %s is given twice", o->port.devices[i]);
	for (size_t i = 0; i < n && !cli_stopped(); i++) {
		struct exchange *x = &w->ports[w->n++];
		uint64_t begins_ns = exchange_limit_calls(o, i, n);

		opened[i] = exchange_find_port(x, o, out,
					       o->port.ndevices ? o->port.devices[i] : cli_device(o, spec));
		opened[i] = exchange_unlimit_calls(x, opened[i], begins_ns);
		/* a usage error, or a signal */
		if (opened[i] && (!x->failure.error || opened[i] >= EXIT_SIGNAL))
			return exchange_report(x, NULL, opened[i]);
		for (size_t j = 0; j < i && !opened[i]; j++)
			if (w->ports[j].info && !strcmp(w->ports[j].info->device, x->info->device))
				return cli_usage_error("--device %s is given twice", x->info->device);
	}
	return EXIT_DONE;
}

/* Registers for the class on the devices. Returns EXIT_DONE also if devices have failed; another status ends
 * the command. */
static int waiting_register(struct waiting *w, const struct madkit_agent_attr *attr,
			    const int opened[CLI_DEVICES_MAX])
{
	for (size_t i = 0; i < w->n && !cli_stopped(); i++) {
		struct exchange *x = &w->ports[i];
		uint64_t begins_ns = exchange_limit_calls(x->options, i, w->n);
		int status = opened[i];

		if (!status)
			status = exchange_set_up_port(x);
		if (!status)
			status = exchange_register(x, attr);
		status = exchange_unlimit_calls(x, status, begins_ns);
		/* neither a signal nor the capture */
		if (status && x->failure.error && status < EXIT_SIGNAL)
			waiting_fail(w, i, status);
		else if (status)
			return exchange_report(x, NULL, status);
	}
	return EXIT_DONE;
}

static int waiting_status(const struct waiting *w, const struct cli_options *o)
{
	size_t first;

	if (cli_stopped())
		return cli_stopped_status();
	if (waiting_is_over(w) || !waiting_left(w, &first))
		return w->status;
	return exit_worst(w->status, listen_timeout(o, w->received));
}

static int waiting_run(const struct cli_options *o, struct output *out, char **command)
{
	struct waiting w = { .keeps = command };
	struct madkit_agent_attr attr;
	int status = output_check(out, NULL), opened[CLI_DEVICES_MAX];
	bool runs = false;

	if (!status)
		status = listen_attributes(o, &attr);
	attr.recv_handler = waiting_receive;
	attr.context = &w;
	if (!status)
		status = waiting_open(&w, o, out, o->port.ndevices ? o->port.ndevices : 1, opened);
	if (!status)
		status = waiting_register(&w, &attr, opened);
	if (!status) {
		if (!command)
			privileges_drop(o);
		waiting_wait(&w);
		status = waiting_status(&w, o);
		runs = !cli_stopped() && waiting_is_over(&w);
	}
	if (w.first)
		snprintf(w.device, sizeof(w.device), "%s", w.first->info->device);
	for (size_t i = 0; i < w.n; i++)
		exchange_close(&w.ports[i]);
	/* the exit status is COMMAND's, even if a device failed before the MAD arrived */
	return command && runs ? waiting_pass(&w, out, command) : status;
}

/* ---- until an attribute says so -------------------------------------------------------- */

/* Checks if the expression holds for the response. A response with a MAD status and an empty table have an
 * envelope, but no data. */
static bool until_holds(const struct madkit_expr *expr, const struct answer *answer)
{
	struct madkit_record record;

	if (answer->status != EXIT_DONE && answer->status != EXIT_STATUS && answer->status != EXIT_NOTHING)
		return false;
	madkit_record_get(&answer->message, 0, &record);
	do {
		if (madkit_expr_eval(expr, &record) == 1)
			return true;
	} while (madkit_record_next(&record));
	return false;
}

enum {
	UNTIL_EXTRA_MS = 100,
	UNTIL_FINAL_MS = 20,
};

/* The sink of --until: counts, and keeps the last answer that the deadline did not cut off. Times are of the
 * port clock. */
struct until {
	const struct madkit_expr *expr;
	struct repeat *repeat;
	struct answer last;       /* the only answer that is shown and reported */
	struct failures failures; /* malformed answers: each is reported */
	bool held;
	bool cut;                      /* the deadline cut off the query after the last one */
	uint64_t begins_ns;            /* start of the first query */
	uint64_t queries, answered;    /* queries that have ended, and responses */
	uint64_t heard_ns;             /* time of the last response */
	struct madkit_buf values;      /* fields of the expression with their values in the last response */
	uint64_t silent, silent_tries; /* queries since the last response, and their tries */
	uint64_t silent_ns;            /* when the first of the silent queries was sent */
	char text[28];                 /* the expression, for the progress line */
};

/*
 * Plans two additional queries UNTIL_EXTRA_MS and UNTIL_FINAL_MS before the deadline: later if the whole wait
 * is short, earlier if the last response took longer than that.
 */
static void until_plan(const struct until *u, const struct exchange *x, uint64_t took_ns)
{
	uint64_t whole = x->time.deadline_ns > u->begins_ns ? x->time.deadline_ns - u->begins_ns : 0;
	uint64_t extra = UNTIL_EXTRA_MS * NS_PER_MS, final = UNTIL_FINAL_MS * NS_PER_MS;

	if (x->time.deadline_ns == UINT64_MAX)
		return;
	extra = extra < whole / 4 ? extra : whole / 4;
	final = final < whole / 10 ? final : whole / 10;
	u->repeat->extra_ns[0] = extra > took_ns * 2 ? extra : took_ns * 2;
	u->repeat->extra_ns[1] = final > took_ns * 5 / 4 ? final : took_ns * 5 / 4;
}

static bool until_take(void *context, struct exchange *x, struct task *task)
{
	struct until *u = context;
	const struct madkit_job *job = &task->answer.job;

	u->queries++;
	/* if the previous query was answered, a query that was cut off says nothing about the node */
	if (task->answer.status == EXIT_TIMEOUT && job->ended_ns >= x->time.deadline_ns && u->answered &&
	    !u->silent) {
		u->cut = true;
		answer_free(&task->answer);
		return true;
	}
	answer_free(&u->last);
	u->last = task->answer;
	/* the expression may refer to remote.name */
	if (u->last.message.kind == MADKIT_MESSAGE_RESPONSE && !u->last.message.name)
		u->last.message.name = exchange_name(x, &u->last.message);
	u->held = until_holds(u->expr, &u->last);
	/* report it now, because the next answer does not correct it */
	if (u->last.status == EXIT_MALFORMED)
		failures_tell(&u->failures, x, task->request, &u->last);
	if (job->reply.recv) {
		u->answered++;
		u->heard_ns = job->ended_ns;
		until_plan(u, x, job->ended_ns - job->posted_ns);
		madkit_buf_reset(&u->values);
		if (!u->held && u->last.status != EXIT_MALFORMED)
			assertion_put_values(&u->values, u->expr, &u->last.message,
					     x->options->output.show_keys);
		u->silent = u->silent_tries = 0;
	} else {
		if (!u->silent++)
			u->silent_ns = job->posted_ns;
		u->silent_tries += job->reply.attempts;
	}
	return !u->held && u->last.status != EXIT_LOCAL;
}

static void until_waits(void *context, struct exchange *x)
{
	const struct until *u = context;
	uint64_t sent = u->queries + madkit_dispatcher_outstanding(x->dispatcher);
	double seconds =
		(double)(madkit_port_now(x->port) - (u->answered ? u->heard_ns : u->begins_ns)) / 1e9;

	progress_show("waiting for '%s': %" PRIu64 " %s, %s %.0f s%s", u->text, sent,
		      sent == 1 ? "query" : "queries", u->answered ? "last response" : "no response for",
		      seconds, u->answered ? " ago" : "");
}

static void until_write(const void *context, struct madkit_writer *w)
{
	madkit_writer_string(w, "until", context);
}

/* Reports that the condition did not become true; in JSON, also by a line of kind error. */
static void until_tell_expired(struct exchange *x, const struct request *r, const struct until *u)
{
	uint64_t now = madkit_port_now(x->port), age_ns = u->answered ? now - u->heard_ns : 0;
	char answered[48] = "", age[48] = "", text[640];
	struct madkit_message message;
	const struct madkit_object data = { until_write, x->options->request.until };

	if (u->answered < u->queries)
		snprintf(answered, sizeof(answered), ", %" PRIu64 " of them answered", u->answered);
	if (age_ns > x->options->timing.interval_ms * NS_PER_MS && age_ns >= NS_PER_MS)
		snprintf(age, sizeof(age), "; the last response is %.3f s old", (double)age_ns / 1e9);
	snprintf(text, sizeof(text),
		 "'%.200s' did not become true within %.3f s (%" PRIu64 " %s%s%s%s)%s%.*s",
		 x->options->request.until, (double)(now - u->begins_ns) / 1e9, u->queries,
		 u->queries == 1 ? "query" : "queries", answered,
		 u->cut ? "; the deadline cut off the last one" : "", age,
		 u->values.len ? "; last value: " : "", (int)u->values.len,
		 u->values.len ? u->values.data : "");
	cli_say("%s", text);
	if (x->out->format != FORMAT_JSON)
		return;
	x->seq++;
	exchange_message(x, MADKIT_MESSAGE_ERROR, &message);
	message.send_status = ETIMEDOUT;
	message.remote = &r->to;
	exchange_error(x, &message, &data, text);
}

static void until_tell(struct exchange *x, const struct request *r, const struct until *u)
{
	struct answer last = u->last;

	if (last.status == EXIT_TIMEOUT) {
		last.queries = u->silent;
		last.elapsed_ns = last.job.ended_ns - u->silent_ns;
		last.job.reply.attempts = (uint32_t)u->silent_tries;
	}
	failures_finish(&u->failures);
	if (last.status != EXIT_MALFORMED)
		exchange_tell(x, r, &last);
	/* if no query was answered, the timeout has been reported */
	if (u->held || last.status == EXIT_LOCAL || (last.status == EXIT_TIMEOUT && !u->answered))
		return;
	until_tell_expired(x, r, u);
}

static int until_run(struct exchange *x, const struct request *r, const struct madkit_expr *expr)
{
	const struct cli_options *o = x->options;
	struct task task = { .request = r };
	struct until u = { .expr = expr,
			   .repeat = NULL,
			   .failures.all = o->output.verbose,
			   .begins_ns = madkit_port_now(x->port) };
	struct repeat requests = { .tasks = &task,
				   .n = 1,
				   .rounds = o->timing.have_count ? o->timing.count : 0,
				   .waits = o->output.quiet || !isatty(STDERR_FILENO) ? NULL : until_waits,
				   .context = &u };
	const struct sink sink = { .take = until_take, .context = &u };
	int status, ret;

	u.repeat = &requests;
	until_plan(&u, x, 0);
	madkit_buf_init(&u.values, 0);
	snprintf(u.text, sizeof(u.text), "%s", o->request.until);
	for (char *p = u.text; *p; p++)
		if ((signed char)*p < 0x20 || *p == 0x7f)
			*p = '?';
	if (strlen(o->request.until) >= sizeof(u.text))
		memcpy(u.text + sizeof(u.text) - 4, "...", 4);
	ret = repeat_run(&requests, x, &sink);
	progress_clear();
	status = u.last.status;
	if (cli_stopped()) {
		status = cli_stopped_status();
	} else if (x->out->status) {
		status = EXIT_DONE;
	} else if (ret && status != EXIT_LOCAL) {
		status = exchange_report(x, NULL, exchange_port_failed(x, ret));
	} else {
		exchange_show(x, r, &u.last);
		until_tell(x, r, &u);
		status = u.held ? EXIT_DONE : status ? status : EXIT_NOTHING;
	}
	madkit_buf_free(&u.values);
	answer_free(&u.last);
	return status;
}

static int madpoll_ask(const struct cli_options *o, struct output *out, struct request *r,
		       const struct madkit_expr *until)
{
	struct madkit_error error = { .text = "" };
	struct exchange x;
	int status = exchange_open(&x, o, out, r);

	privileges_drop(o);
	if (!status)
		status = layout_choose(&x, r);
	if (!status && until && madkit_expr_check(until, request_answer(r), &error))
		status = output_name_error("--until", request_answer(r), &error);
	if (!status)
		status = until ? until_run(&x, r, until) : delta_run(&x, r);
	exchange_close(&x);
	return status;
}

/* ---- the command ---------------------------------------------------------------------- */

static int madpoll_check(const struct cli_options *o, const struct cli_words *w)
{
	if ((o->mode == MODE_DELTA && cli_refuse_without(o, "node-name-map", "name")) || request_check_grh(o))
		return EXIT_USAGE;
	if (w->command_missing)
		return cli_usage_error("COMMAND is missing after --");
	if (!w->nwords) {
		if (o->mode != MODE_AWAIT)
			return cli_usage_error("METHOD and ATTRIBUTE are missing");
		if (!o->class.given)
			return cli_usage_error("--class, or METHOD and ATTRIBUTE, are missing");
		if (w->command && o->output.assert_)
			return cli_usage_error("--assert cannot be combined with -- COMMAND: use --filter");
		return EXIT_DONE;
	}
	if (w->command)
		return cli_usage_error("-- COMMAND needs --class");
	if (o->mode == MODE_DELTA && (o->output.format == FORMAT_HEX || o->output.format == FORMAT_RAW))
		return cli_usage_error("--delta is text or JSON");
	return EXIT_DONE;
}

static int madpoll_read(const struct cli_options *o, const struct cli_words *w, const struct output *out,
			struct request *r, struct madkit_expr **until)
{
	struct madkit_error error = { .text = "" };
	int status = request_build(o, w->words, w->nwords, r);

	if (status)
		return status;
	if (!r->expects_response)
		return cli_usage_error("'%s' has no response to wait for", w->words[0]);
	if (o->mode == MODE_DELTA && r->header.method != MADKIT_METHOD_GET)
		return cli_usage_error("--delta uses Get, not '%s'", w->words[0]);
	if (o->request.until && madkit_expr_new(o->request.until, until, &error))
		return output_expression_error("--until", o->request.until, &error);
	if (o->request.until && madkit_expr_check(*until, request_answer(r), &error))
		return output_name_error("--until", request_answer(r), &error);
	status = o->mode == MODE_DELTA ? delta_check(out, r) : output_check(out, request_answer(r));
	return status ? status : request_check_options(o, r);
}

static int madpoll_run(const struct cli_options *o, struct cli_words *w, struct output *out)
{
	struct request request = { .mad = NULL };
	struct madkit_expr *until = NULL;
	int status;

	if (!w->nwords)
		return waiting_run(o, out, w->command);
	status = madpoll_read(o, w, out, &request, &until);
	if (!status)
		status = madpoll_ask(o, out, &request, until);
	request_free(&request);
	madkit_expr_free(until);
	return status;
}

const struct command program = {
	.usage = {
		.program = "madpoll",
		.synopsis = synopsis,
		.text = help,
		.options = &program_options,
		.statuses = statuses,
		.words_refused =
			"--until EXPR or --delta is missing: madpoll sends a request again and again, madsend sends it once",
		.check = madpoll_check,
	},
	.run = madpoll_run,
};
