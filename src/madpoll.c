/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* madpoll: wait for a MAD, or for what an attribute says. */
#define _GNU_SOURCE /* memfd_create() */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "command.h"
#include "delta.h"
#include "listen.h"
#include "repeat.h"
#include "request_args.h"
#include "wait.h"

static const char *const synopsis[] = { "--class CLASS [options] [-- COMMAND ...]",
					"[options] METHOD ATTRIBUTE [Field=value ...] --until EXPR",
					"[options] Get ATTRIBUTE [Field=value ...] --delta", NULL };

static const char help[] =
	"\nWaits for a request of a class, and prints it or runs COMMAND with it on standard\n"
	"input (status 3 if none arrives in time); or requests an attribute until EXPR\n"
	"holds of one of its records; or shows how fast its counters move. -n is how many\n"
	"MADs to wait for, how many times to send the request, or how many differences\n"
	"to show.\n";

/* ---- until a MAD is there ------------------------------------------------------------ */

struct waiting {
	struct exchange ports[CLI_DEVICES_MAX];
	size_t n;
	const struct exchange *first; /* where the first MAD arrived that was shown */
	char device[256];             /* its specification */
	uint64_t received;            /* and shown */
	bool keeps;                   /* results are kept for COMMAND */
};

static struct exchange *waiting_find(struct waiting *w, const struct madkit_agent *agent)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->ports[i].agent == agent)
			return &w->ports[i];
	return NULL;
}

/* Shows every MAD: what was taken from the device is nowhere else. */
static void on_receive(struct madkit_agent *agent, struct madkit_recv *recv)
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

	return w->received >= (o->have_count ? o->count : 1) || w->ports[0].out->status;
}

/* 0, or negative: it failed, and the reason was printed. That a descriptor is readable is no proof
 * of a MAD: an unplugged device's is readable as well. */
static int madpoll_look(struct waiting *w, size_t i, int ms)
{
	struct madkit_port *port = w->ports[i].port;
	int ret = madkit_port_wait(port, ms);

	if (ret > 0)
		ret = madkit_port_process(port);
	if (ret < 0 && ret != -EINTR) {
		listen_failed(port, ret);
		return ret;
	}
	return 0;
}

/* One port is waited for by its own means: under a preloaded simulator a second
 * descriptor is never seen. */
static int madpoll_wait_once(struct waiting *w, int ms)
{
	struct pollfd fds[CLI_DEVICES_MAX];

	if (w->n == 1)
		return madpoll_look(w, 0, ms);
	for (size_t i = 0; i < w->n; i++)
		fds[i] = (struct pollfd){ .fd = madkit_port_fd(w->ports[i].port), .events = POLLIN };
	if (wait_poll(fds, (nfds_t)w->n, ms) < 0)
		return 0;
	for (size_t i = 0; i < w->n; i++) {
		int ret = fds[i].revents ? madpoll_look(w, i, 0) : 0;

		if (ret < 0)
			return ret;
	}
	return 0;
}

/* 0: enough MADs came, or the deadline has passed. */
static int wait_all(struct waiting *w)
{
	const struct exchange *first = &w->ports[0];

	for (;;) {
		int ms = exchange_listen_ms(first), ret;

		if (cli_stopped())
			return -EINTR;
		ret = madpoll_wait_once(w, ms);
		if (ret || !ms || waiting_is_over(w))
			return ret;
	}
}

/* Runs COMMAND with the results as its standard input. */
static int wait_run(const struct waiting *w, struct output *out, char **command)
{
	int fd = memfd_create("madpoll", MFD_CLOEXEC), status;

	if (fd < 0)
		return cli_failed(-errno, "cannot pass the MAD to '%s'", command[0]);
	status = output_move(out, fd);
	if (!status && lseek(fd, 0, SEEK_SET) < 0)
		status = cli_failed(-errno, "cannot pass the MAD to '%s'", command[0]);
	if (!status) {
		setenv("MADKIT_DEVICE", w->device, 1);
		/* the deadline was for the MAD */
		wait_set_deadline(-1);
		status = cli_run(command, fd);
	}
	close(fd);
	return status;
}

static int wait_readable(const struct cli_options *o, struct output *out, char **command)
{
	struct waiting w = { .keeps = command };
	struct madkit_agent_attr attr;
	char spec[128];
	size_t n = o->ndevices ? o->ndevices : 1;
	int status = output_check(out, NULL), ret;

	if (!status)
		status = listen_attributes(o, &attr);
	attr.recv_handler = on_receive;
	attr.context = &w;
	for (size_t i = 0; i < n && !status; i++) {
		struct exchange *x = &w.ports[w.n++];

		status = exchange_open_port(x, o, out, o->ndevices ? o->devices[i] : cli_device(o, spec));
		exchange_report(x, NULL, status);
		for (size_t j = 0; j < i && !status; j++)
			if (!strcmp(w.ports[j].info->device, x->info->device))
				status = cli_usage_error("--device %s is given twice", x->info->device);
		if (!status)
			status = exchange_report(x, NULL, exchange_register(x, &attr));
	}
	if (!status) {
		ret = wait_all(&w);
		status = ret == -EINTR       ? cli_stopped_status() :
			 ret < 0             ? EXIT_LOCAL :
			 waiting_is_over(&w) ? EXIT_DONE :
					       listen_timeout(o, w.received);
	}
	if (w.first)
		snprintf(w.device, sizeof(w.device), "%s", w.first->info->device);
	for (size_t i = 0; i < w.n; i++)
		exchange_close(&w.ports[i]);
	return status || !command ? status : wait_run(&w, out, command);
}

/* ---- until an attribute says so -------------------------------------------------------- */

/* Whether the expression holds of the response. One with a MAD status and an empty table have an envelope
 * and no data. */
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

/* The sink of --until: keeps the last answer, which alone is shown and reported. */
struct until {
	const struct madkit_expr *expr;
	struct answer last;
	bool held;
};

static bool until_take(void *context, struct exchange *x, struct task *task)
{
	struct until *u = context;

	(void)x;
	answer_free(&u->last);
	u->last = task->answer;
	u->held = until_holds(u->expr, &u->last);
	return !u->held && u->last.status != EXIT_LOCAL;
}

static int ask_until(struct exchange *x, const struct request *r, const struct madkit_expr *expr)
{
	const struct cli_options *o = x->options;
	struct task task = { .request = r };
	struct repeat requests = { .tasks = &task, .n = 1, .rounds = o->have_count ? o->count : 0 };
	struct until u = { .expr = expr };
	const struct sink sink = { .take = until_take, .context = &u };
	int status;

	repeat_run(&requests, x, &sink);
	status = u.last.status;
	if (cli_stopped()) {
		status = cli_stopped_status();
	} else {
		exchange_show(x, &u.last);
		exchange_tell(x, r, &u.last);
		if (u.held) {
			status = EXIT_DONE;
		} else if (!status) {
			cli_say("'%s' did not come to hold", o->until);
			status = EXIT_NOTHING;
		}
	}
	answer_free(&u.last);
	return status;
}

static int poll_attribute(const struct cli_options *o, struct output *out, struct request *r,
			  const struct madkit_expr *until)
{
	struct exchange x;
	int status = exchange_open(&x, o, out, r);

	if (!status)
		status = until ? ask_until(&x, r, until) : delta(&x, r);
	exchange_close(&x);
	return status;
}

/* ---- the command ---------------------------------------------------------------------- */

static int madpoll_check(const struct cli_options *o, const struct cli_words *w)
{
	if (w->command_missing)
		return cli_usage_error("COMMAND is missing after --");
	if (!w->nwords) {
		if (o->mode != MODE_AWAIT)
			return cli_usage_error("METHOD and ATTRIBUTE are missing");
		if (!o->have_class)
			return cli_usage_error("--class, or METHOD and ATTRIBUTE, are missing");
		if (w->command && o->assert_)
			return cli_usage_error("--assert does not go with -- COMMAND: --filter selects MADs");
		return EXIT_DONE;
	}
	if (w->command)
		return cli_usage_error("-- COMMAND goes with --class alone");
	if (o->mode == MODE_AWAIT)
		return cli_usage_error("--until or --delta is missing");
	if (o->mode == MODE_DELTA && (o->format == FORMAT_HEX || o->format == FORMAT_RAW))
		return cli_usage_error("--delta is text or JSON");
	return EXIT_DONE;
}

static int read_request(const struct cli_options *o, const struct cli_words *w, const struct output *out,
			struct request *r, struct madkit_expr **until)
{
	struct madkit_error error = { .text = "" };
	int status = request_build(o, w->words, w->nwords, r);

	if (status)
		return status;
	if (!r->expects_response)
		return cli_usage_error("'%s' gets no answer to wait for", w->words[0]);
	if (o->mode == MODE_DELTA && r->header.method != MADKIT_METHOD_GET)
		return cli_usage_error("--delta asks with Get, not '%s'", w->words[0]);
	if (o->until && madkit_expr_new(o->until, until, &error))
		return output_expression_error("--until", o->until, &error);
	if (o->until && madkit_expr_check(*until, request_answer(r), &error))
		return cli_usage_error("--until: %s", error.text);
	status = o->mode == MODE_DELTA ? delta_check(out, r) : output_check(out, request_answer(r));
	return status ? status : request_check_options(o, r);
}

static int madpoll_run(const struct cli_options *o, struct cli_words *w, struct output *out)
{
	struct request request = { .mad = NULL };
	struct madkit_expr *until = NULL;
	int status;

	if (!w->nwords)
		return wait_readable(o, out, w->command);
	status = read_request(o, w, out, &request, &until);
	if (!status)
		status = poll_attribute(o, out, &request, until);
	request_free(&request);
	madkit_expr_free(until);
	return status;
}

const struct command program = {
	.usage = {
		.program = "madpoll",
		.synopsis = synopsis,
		.text = help,
	},
	.check = madpoll_check,
	.run = madpoll_run,
};
