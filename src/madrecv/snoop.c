/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "request/listen.h"
#include "cli/privileges.h"
#include "snoop.h"
#include "cli/wait.h"

struct snooping {
	struct exchange x; /* without a port */
	char devices[CLI_DEVICES_MAX][CLI_DEVICE_MAX];
	size_t ndevices; /* 0: all */
	uint64_t shown;
	uint64_t unwritten; /* events that were read, but could not be written any more */
	bool done;
};

/* ---- which ports ------------------------------------------------------------------ */

/* The ports that the options name must exist: opening each one reports errors in the usual way. */
static int snoop_add_device(struct snooping *s, const char *spec)
{
	const struct cli_options *o = s->x.options;
	struct exchange x;
	int status = exchange_report(&x, NULL, exchange_open_port(&x, o, s->x.out, spec));

	/* events name the port, whichever transport the option names */
	if (!status)
		snprintf(s->devices[s->ndevices++], sizeof(s->devices[0]), "umad:%s/%u", x.info->ca,
			 x.info->port);
	exchange_close(&x);
	return status;
}

static int snoop_read_devices(struct snooping *s)
{
	const struct cli_options *o = s->x.options;
	int status = EXIT_DONE;
	char spec[CLI_DEVICE_MAX];

	for (size_t i = 0; i < o->port.ndevices && !status; i++)
		status = snoop_add_device(s, o->port.devices[i]);
	if (!o->port.ndevices && (o->port.ca || o->port.number))
		status = snoop_add_device(s, cli_device(o, spec));
	return status;
}

static bool snoop_wanted(const struct snooping *s, const char *device)
{
	for (size_t i = 0; i < s->ndevices; i++)
		if (!strcmp(s->devices[i], device))
			return true;
	return !s->ndevices;
}

/* ---- showing ---------------------------------------------------------------------- */

/* Writes a line for a MAD; --fields and -v work as for other MADs. */
static void show_line(struct output *out, const struct madkit_message *m, const struct madkit_trace_event *e)
{
	static const char *const what[] = { "sent", "received", "failed to send" };
	const struct madkit_attribute *attribute;
	struct madkit_header h = { .method = 0 };
	char class[20], lid[24] = "";
	struct madkit_buf *buf = &out->buf;
	const char *method;

	if (!output_judge(out, m))
		return;
	madkit_header_get(e->mad, sizeof(e->mad), &h);
	attribute = madkit_attribute_of(e->mad, sizeof(e->mad), NULL);
	method = madkit_method_name(h.mgmt_class, h.method);
	madkit_buf_printf(buf, "%s %s %s ", m->device ? m->device : "?", what[e->kind],
			  madkit_class_name(h.mgmt_class, class));
	if (method)
		madkit_buf_printf(buf, "%s ", method);
	else
		madkit_buf_printf(buf, "method 0x%02x ", h.method);
	if (attribute)
		madkit_buf_printf(buf, "%s", attribute->name);
	else
		madkit_buf_printf(buf, "attribute 0x%04x", h.attribute);
	if (e->remote.lid)
		snprintf(lid, sizeof(lid), "Lid %" PRIu32 " ", e->remote.lid);
	madkit_buf_printf(buf, " modifier %" PRIu32 " status 0x%04x TID 0x%016" PRIx64 " %s %sQP %" PRIu32,
			  h.modifier, h.status, h.tid, e->kind == MADKIT_TRACE_RECEIVED ? "from" : "to", lid,
			  e->remote.qp);
	if (e->attempts > 1)
		madkit_buf_printf(buf, " (try %" PRIu32 ")", e->attempts);
	madkit_buf_char(buf, '\n');
}

static void snoop_on_event(void *context, const struct madkit_trace_event *e)
{
	struct snooping *s = context;
	const struct cli_options *o = s->x.options;
	struct output *out = s->x.out;
	unsigned long before = out->shown;
	static const struct madkit_object failed = { output_write_error, "the device failed to send it" };
	struct madkit_message message;
	char device[80];

	snprintf(device, sizeof(device), "umad:%s/%u", e->ca, e->port);
	if (s->done || !snoop_wanted(s, device))
		return;
	if (out->status) {
		s->unwritten++;
		return;
	}
	s->x.seq++;
	exchange_message(&s->x,
			 e->kind == MADKIT_TRACE_FAILED ?
				 MADKIT_MESSAGE_ERROR :
				 request_kind(e->mad, sizeof(e->mad), MADKIT_MESSAGE_RESPONSE),
			 &message);
	message.device = e->ca[0] ? device : NULL;
	message.time = e->time;
	message.remote = &e->remote;
	message.mad = e->mad;
	message.len = sizeof(e->mad);
	message.attempts = e->kind == MADKIT_TRACE_RECEIVED ? -1 : (int32_t)e->attempts;
	if (e->kind == MADKIT_TRACE_FAILED) {
		message.send_status = EIO;
		message.data = &failed;
	}
	if (out->format == FORMAT_TEXT && !out->fields && !o->output.verbose)
		show_line(out, &message, e);
	else
		output_message(out, &message);
	if (output_flush(out))
		s->unwritten += out->shown - before;
	else
		s->shown += out->shown - before;
	s->done = o->timing.have_count && s->shown >= o->timing.count;
}

/* ---- the command ------------------------------------------------------------------ */

static int snoop_failed(struct snooping *s, int error, const char *text)
{
	struct madkit_message message;

	cli_say("%s", text);
	s->x.seq++;
	exchange_message(&s->x, MADKIT_MESSAGE_ERROR, &message);
	message.send_status = -error;
	exchange_error(&s->x, &message, NULL, text);
	return EXIT_LOCAL;
}

/* Returns 1, 0 at the deadline, or a negative value after a failure. */
static int snoop_wait_once(struct snooping *s, struct madkit_trace *trace, uint64_t deadline)
{
	struct pollfd fd = { .fd = madkit_trace_fd(trace), .events = POLLIN };
	uint64_t now = wait_now(), left = now < deadline ? deadline - now : 0;
	int ms = left < CLI_SLICE_MS * NS_PER_MS ? (int)((left + NS_PER_MS - 1) / NS_PER_MS) : CLI_SLICE_MS;
	int ret;

	wait_poll(&fd, 1, ms);
	/* also read events that the kernel has not announced: it wakes no reader for part of a page */
	ret = madkit_trace_process(trace, snoop_on_event, s);
	return ret < 0 ? ret : ms > 0;
}

/* Stops the trace and reports events that were not shown. Unless a signal arrived, all recorded events are shown
 * first. */
static void snoop_end(struct snooping *s, struct madkit_trace *trace)
{
	const int status = s->x.out->status;
	uint64_t lost, unread;

	/* the reader of the output has ended, or --count events have been shown */
	if (s->done || status == EXIT_SIGNAL + SIGPIPE || madkit_trace_stop(trace, &lost, &unread))
		return;
	if (!cli_stopped() && !status && unread) {
		madkit_trace_process(trace, snoop_on_event, s);
		unread = 0;
	}
	unread += s->unwritten;
	if (lost || unread)
		cli_say("MADs that are not shown: %" PRIu64 " lost, %" PRIu64 " not yet read at the end",
			lost, unread);
}

static int snoop_run(struct snooping *s, struct madkit_trace *trace)
{
	const struct cli_options *o = s->x.options;
	uint64_t lost = 0, deadline = o->timing.deadline_ms < 0 ?
					      UINT64_MAX :
					      wait_now() + (uint64_t)o->timing.deadline_ms * NS_PER_MS;
	int ret = 1;

	if (o->output.banner)
		cli_say("listening on %s", s->ndevices == 1 ? s->devices[0] :
					   s->ndevices      ? "the ports named" :
							      "every port");
	while (!s->done && !output_over(s->x.out) && !cli_stopped() && ret > 0) {
		ret = snoop_wait_once(s, trace, deadline);
		if (madkit_trace_lost(trace) != lost) {
			lost = madkit_trace_lost(trace);
			cli_say("%" PRIu64
				" MADs or more were lost: they arrived faster than they could be shown",
				lost);
		}
	}
	snoop_end(s, trace);
	if (cli_stopped())
		return cli_stopped_status();
	if (ret < 0)
		return snoop_failed(s, ret, strerror(-ret));
	if (s->done || s->x.out->status || (!o->timing.have_count && s->shown))
		return EXIT_DONE;
	return listen_timeout(o, s->shown);
}

int snoop(const struct cli_options *options, struct output *out)
{
	struct snooping s = { .ndevices = 0 };
	struct madkit_error error = { .text = "" };
	struct madkit_trace *trace;
	int status, ret;

	exchange_begin(&s.x, options, out);
	status = snoop_read_devices(&s);
	if (status)
		return status;
	/* an instance lasts longer than this process */
	wait_stop_on_all();
	ret = madkit_trace_open(&trace, &error);
	if (ret)
		return snoop_failed(&s, ret, error.text[0] ? error.text : strerror(-ret));
	privileges_drop(options);
	status = snoop_run(&s, trace);
	/* from here on, signals are only recorded: none can prevent the removal of the instance */
	ret = madkit_trace_close(trace);
	if (ret) {
		cli_say("cannot remove the trace instance: %s", strerror(-ret));
		status = exit_worst(status, EXIT_LOCAL);
	}
	return status;
}
