/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* madpoll: wait for a MAD, or for what an attribute says. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "command.h"
#include "delta.h"
#include "listen.h"
#include "request_args.h"

static const char *const synopsis[] = {
	"--class CLASS [options] [-- COMMAND ...]",
	"[options] METHOD ATTRIBUTE [Field=value ...] --until EXPR",
	"[options] Get ATTRIBUTE [Field=value ...] --delta",
	NULL
};

static const char help[] =
	"\nWaits until a request of a class is there to be read (status 3 when none came\n"
	"in time), and runs COMMAND then; or asks for an attribute until EXPR holds of\n"
	"one of its records; or shows how fast its counters move. -n is how many times\n"
	"to ask, or how many differences to show.\n";

/* ---- until a MAD is there ------------------------------------------------------------ */

struct waiting {
	struct exchange ports[CLI_DEVICES_MAX];
	bool readable[CLI_DEVICES_MAX];	/* where a MAD came */
	size_t n;
};

static void on_receive(struct madkit_agent *agent, struct madkit_recv *recv)
{
	struct waiting *w = madkit_agent_context(agent);

	for (size_t i = 0; i < w->n; i++)
		if (!recv->status && !recv->send && w->ports[i].agent == agent)
			w->readable[i] = true;
	madkit_recv_free(recv);
}

/* 1 a MAD came, 0 not in time, negative: it failed, told. That a descriptor is
 * readable does not tell: an unplugged device's is, too. */
static int look(struct waiting *w, size_t i, int ms)
{
	struct madkit_port *port = w->ports[i].port;
	int ret = madkit_port_wait(port, ms);

	if (ret > 0)
		ret = madkit_port_process(port);
	if (ret < 0 && ret != -EINTR) {
		listen_failed(port, ret);
		return ret;
	}
	return w->readable[i];
}

/* One port is waited for by its own means: under a preloaded simulator a second
 * descriptor is never seen. */
static int wait_once(struct waiting *w, int ms)
{
	struct pollfd fds[CLI_DEVICES_MAX];
	int any = 0;

	if (w->n == 1)
		return look(w, 0, ms);
	for (size_t i = 0; i < w->n; i++)
		fds[i] = (struct pollfd){ .fd = madkit_port_fd(w->ports[i].port),
					  .events = POLLIN };
	if (poll(fds, (nfds_t)w->n, ms) < 0)
		return 0;
	for (size_t i = 0; i < w->n; i++) {
		int ret = fds[i].revents ? look(w, i, 0) : 0;

		if (ret < 0)
			return ret;
		any |= ret;
	}
	return any;
}

static int wait_all(struct waiting *w)
{
	const struct exchange *first = &w->ports[0];

	for (;;) {
		int ms = exchange_slice_ms(first, first->deadline_ns), ret;

		if (cli_stopped())
			return -EINTR;
		ret = wait_once(w, ms);
		if (ret || !ms)
			return ret;
	}
}

static void show_ready(struct exchange *x)
{
	struct madkit_message message;

	exchange_message(x, MADKIT_MESSAGE_EVENT, &message);
	message.data_json = "{\"readable\":true}";
	if (output_event(x->out, &message) && x->out->format == FORMAT_TEXT)
		madkit_buf_printf(&x->out->buf, "%s is readable\n", x->info->device);
}

static int wait_readable(const struct cli_options *o, struct output *out,
			 char **command)
{
	struct waiting w = { .readable = { false } };
	struct madkit_agent_attr attr;
	char spec[128], device[256] = "";
	size_t n = o->ndevices ? o->ndevices : 1;
	int status = listen_attributes(o, &attr), ret;

	attr.recv_handler = on_receive;
	attr.context = &w;
	for (size_t i = 0; i < n && !status; i++) {
		struct exchange *x = &w.ports[w.n++];

		status = exchange_open_port(x, o, out, o->ndevices ? o->devices[i] :
					    cli_device(o, spec));
		for (size_t j = 0; j < i && !status; j++)
			if (!strcmp(w.ports[j].info->device, x->info->device))
				status = cli_usage_error("--device %s is given twice",
							 x->info->device);
		if (!status)
			status = exchange_register(x, &attr);
	}
	if (!status) {
		ret = wait_all(&w);
		status = ret == -EINTR ? cli_stopped_status() :
			 ret < 0 ? EXIT_LOCAL :
			 ret ? EXIT_DONE : listen_timeout(o, 0);
	}
	for (size_t i = 0; i < w.n; i++) {
		if (!status && !command && w.readable[i])
			show_ready(&w.ports[i]);
		if (w.readable[i] && !device[0])
			snprintf(device, sizeof(device), "%s", w.ports[i].info->device);
		exchange_close(&w.ports[i]);
	}
	if (status || !command)
		return status;
	/* what it asks or receives is to be there, too */
	setenv("MADKIT_DEVICE", device, 1);
	return cli_run(command);
}

/* ---- until an attribute says so -------------------------------------------------------- */

static bool holds(const struct madkit_expr *expr, const struct madkit_message *m)
{
	unsigned int n = madkit_message_records(m);
	struct madkit_record record;

	for (unsigned int i = 0; i < n; i++) {
		madkit_record_get(m, i, &record);
		if (madkit_expr_eval(expr, &record) == 1)
			return true;
	}
	return false;
}

static int ask_until(struct exchange *x, const struct request *r,
		     const struct madkit_expr *expr)
{
	const struct cli_options *o = x->options;
	uint64_t next = madkit_port_now(x->port);
	struct answer answer;
	bool held;
	int status;

	/* the last one is told of, not each */
	for (uint64_t asked = 1;; asked++) {
		status = exchange_ask(x, r, &answer);
		held = !status && holds(expr, &answer.message);
		if (held || status == EXIT_LOCAL || status >= EXIT_SIGNAL ||
		    output_flush(x->out) || (o->have_count && asked >= o->count))
			break;
		next += o->interval_ms * NS_PER_MS;
		if (!exchange_pause(x, next))
			break;
		answer_free(&answer);
	}
	if (cli_stopped()) {
		status = cli_stopped_status();
	} else {
		exchange_show(x, &answer);
		exchange_tell(x, r, &answer);
		if (!status && !held) {
			cli_say("'%s' did not come to hold", o->until);
			status = EXIT_NOTHING;
		}
	}
	answer_free(&answer);
	return status;
}

static int poll_attribute(const struct cli_options *o, struct output *out,
			  struct request *r, const struct madkit_expr *until)
{
	struct exchange x;
	int status = exchange_open(&x, o, out, r);

	if (!status)
		status = until ? ask_until(&x, r, until) : delta(&x, r);
	exchange_close(&x);
	return status;
}

/* ---- the command ---------------------------------------------------------------------- */

static int check(const struct cli_options *o, const struct cli_words *w)
{
	bool delta_wanted = cli_flag(o, OPT_DELTA);

	if (w->command_missing)
		return cli_usage_error("COMMAND is missing after --");
	if (!w->nwords) {
		if (o->until || delta_wanted)
			return cli_usage_error("METHOD and ATTRIBUTE are missing");
		if (!o->have_class)
			return cli_usage_error("--class, or METHOD and ATTRIBUTE, are missing");
		return EXIT_DONE;
	}
	if (w->command)
		return cli_usage_error("-- COMMAND goes with --class alone");
	if (o->methods)
		return cli_usage_error("--method goes with --class alone");
	if (!o->until && !delta_wanted)
		return cli_usage_error("--until or --delta is missing");
	if (o->until && delta_wanted)
		return cli_usage_error("--until or --delta, not both");
	if (delta_wanted && (o->format == FORMAT_HEX || o->format == FORMAT_RAW))
		return cli_usage_error("--delta is text or JSON");
	return EXIT_DONE;
}

static int read_request(const struct cli_options *o, const struct cli_words *w,
			const struct output *out, struct request *r,
			struct madkit_expr **until)
{
	struct madkit_error error = { .text = "" };
	int status = request_build(o, w->words, w->nwords, r);

	if (status)
		return status;
	if (!r->expects_response)
		return cli_usage_error("'%s' gets no answer to wait for", w->words[0]);
	if (cli_flag(o, OPT_DELTA) && r->header.method != MADKIT_METHOD_GET)
		return cli_usage_error("--delta asks with Get, not '%s'", w->words[0]);
	if (o->until && madkit_expr_new(o->until, until, &error))
		return output_expression_error("--until", o->until, &error);
	if (o->until && madkit_expr_check(*until, r->attribute, &error))
		return cli_usage_error("--until: %s", error.text);
	return output_check(out, r->attribute);
}

static int run(const struct cli_options *o, struct cli_words *w, struct output *out)
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

static const struct command command = {
	.usage = {
		.program = "madpoll",
		.sets = SET_PORT | SET_REQUEST | SET_DEST | SET_COUNT | SET_INTERVAL |
			SET_DEADLINE | SET_OUTPUT | SET_MADS | SET_GENERAL | SET_SEND |
			SET_METHODS | SET_MADPOLL,
		.synopsis = synopsis,
		.text = help,
	},
	.check = check,
	.run = run,
};

int main(int argc, char **argv)
{
	return command_main(&command, argc, argv);
}
