/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "cli/cli.h"
#include "cli/create_file.h"
#include "madsim_events.h"
#include "util/array_size.h"
#include "cli/wait.h"

int events_open(struct events *e, const struct topology *t, const char *path)
{
	int status;

	memset(e, 0, sizeof(*e));
	e->topology = t;
	e->path = path;
	e->fd = -1;
	madkit_buf_init(&e->buf, 0);
	if (!path)
		return EXIT_DONE;
	if (!strcmp(path, "-")) {
		e->fd = wait_open_own(STDOUT_FILENO);
		if (e->fd < 0)
			e->fd = STDOUT_FILENO;
		return EXIT_DONE;
	}
	status = create_file(path, false, &e->fd);
	/* a reader that stops reading a pipe must not stop the fabric */
	if (!status)
		fcntl(e->fd, F_SETFL, fcntl(e->fd, F_GETFL) | O_NONBLOCK);
	return status;
}

int events_begin(struct events *e)
{
	return e->fd > STDERR_FILENO && strcmp(e->path, "-") ? create_empty(e->path, e->fd) : EXIT_DONE;
}

void events_close(struct events *e)
{
	if (e->fd > STDERR_FILENO)
		close(e->fd);
	madkit_buf_free(&e->buf);
}

/* ---- lines ------------------------------------------------------------------------- */

static const char *event_name(enum sim_event_kind kind)
{
	static const char *const names[] = {
		[EVENT_PORT_STATE] = "port-state",
		[EVENT_DROP] = "drop",
		[EVENT_FAULT] = "fault",
		[EVENT_OVERFLOW] = "overflow",
		[EVENT_REREGISTER] = "client-reregister",
		[EVENT_SM_STATE] = "sm-state",
		[EVENT_SUBNET_UP] = "subnet-up",
		[EVENT_SWEEP_FAILED] = "sweep-failed",
	};

	return (size_t)kind < ARRAY_SIZE(names) ? names[kind] : "other";
}

static void event_write_packet(const struct sim_event *event, struct madkit_writer *w)
{
	struct madkit_header h;
	char name[20];

	if (event->head) {
		madkit_writer_number(w, "slid", event->head->slid);
		madkit_writer_number(w, "dlid", event->head->dlid);
		madkit_writer_number(w, "qp", event->head->qp);
	}
	if (!event->mad || madkit_header_get(event->mad, MADKIT_MAD_BYTES, &h))
		return;
	madkit_writer_string(w, "class", madkit_class_name(h.mgmt_class, name));
	madkit_writer_number(w, "method", h.method);
	madkit_writer_number(w, "attribute", h.attribute);
	madkit_writer_number(w, "modifier", h.modifier);
	madkit_writer_hex(w, "tid", h.tid, 16);
}

static void event_write_state(struct madkit_writer *w, const char *key, uint8_t state)
{
	const char *name = madkit_port_state_name(state);

	if (name)
		madkit_writer_string(w, key, name);
	else
		madkit_writer_number(w, key, state);
}

/* An event on a topology. */
struct event_view {
	const struct topology *topology;
	const struct sim_event *event;
};

static void event_write(const void *context, struct madkit_writer *w)
{
	const struct event_view *view = context;
	const struct sim_event *event = view->event;

	madkit_writer_string(w, "event", event_name(event->kind));
	if (event->node < view->topology->nnodes) {
		madkit_writer_string(w, "node", view->topology->nodes[event->node].name);
		madkit_writer_number(w, "port", event->port);
	}
	switch (event->kind) {
	case EVENT_PORT_STATE:
		event_write_state(w, "state", event->state);
		event_write_state(w, "was", event->was);
		break;
	case EVENT_DROP:
		madkit_writer_string(w, "why", fabric_drop_name(event->why));
		event_write_packet(event, w);
		break;
	case EVENT_FAULT:
		madkit_writer_string(w, "action", event->name);
		madkit_writer_number(w, "rule", event->count);
		event_write_packet(event, w);
		break;
	case EVENT_OVERFLOW:
		madkit_writer_number(w, "dropped", event->count);
		break;
	case EVENT_REREGISTER:
		break;
	case EVENT_SM_STATE:
		madkit_writer_string(w, "state", event->name);
		break;
	case EVENT_SUBNET_UP:
		madkit_writer_number(w, "nodes", event->count);
		break;
	case EVENT_SWEEP_FAILED:
		madkit_writer_string(w, "error", strerror(-event->error));
		break;
	}
}

static void events_put(struct events *e, const struct madkit_object *data)
{
	struct madkit_message message = {
		.kind = MADKIT_MESSAGE_EVENT,
		.host = e->host,
		.device = e->device,
		.seq = e->seq++,
		.rtt_us = -1,
		.attempts = -1,
		.data = data,
	};
	const struct madkit_format how = { .show_keys = false };

	clock_gettime(CLOCK_REALTIME, &message.time);
	madkit_format_json(&e->buf, &message, &how);
}

static void events_write_lost(const void *context, struct madkit_writer *w)
{
	const struct events *e = context;

	madkit_writer_string(w, "event", "lost");
	madkit_writer_number(w, "count", e->lost_now);
}

static void events_put_lost(struct events *e)
{
	const struct madkit_object data = { events_write_lost, e };

	events_put(e, &data);
	e->lost_now = 0;
}

/* Writes as much as the descriptor accepts without blocking. Returns the number of bytes, or -errno. */
static ssize_t events_write(struct events *e)
{
	ssize_t n = wait_write_now(e->fd, e->buf.data, e->buf.len);

	if (n > 0) {
		memmove(e->buf.data, e->buf.data + n, e->buf.len - (size_t)n);
		e->buf.len -= (size_t)n;
	}
	return n;
}

/* If the reader is too slow, events are only counted until there is room again. */
static void events_put_line(struct events *e, const struct sim_event *event)
{
	const struct event_view view = { e->topology, event };
	const struct madkit_object data = { event_write, &view };

	/* a file always has room; events_flush() reports a failure */
	if (e->buf.len > EVENTS_PENDING && !e->lost_now && !e->buf.error)
		events_write(e);
	if (e->buf.len > (e->lost_now ? EVENTS_PENDING / 2 : EVENTS_PENDING)) {
		e->seq++;
		e->lost++;
		e->lost_now++;
		return;
	}
	if (e->lost_now)
		events_put_lost(e);
	events_put(e, &data);
}

void events_on(void *context, const struct sim_event *event)
{
	struct events *e = context;

	switch (event->kind) {
	case EVENT_DROP:
		if ((size_t)event->why < DROPS)
			e->drops[event->why]++;
		if (event->why == DROP_NO_MEMORY)
			e->failure = -ENOMEM;
		break;
	case EVENT_FAULT:
		e->faults++;
		break;
	case EVENT_OVERFLOW:
		e->overflows++;
		break;
	case EVENT_SM_STATE:
		e->sm_state = event->name;
		break;
	case EVENT_SUBNET_UP:
		e->sweeps++;
		e->up = true;
		break;
	case EVENT_SWEEP_FAILED:
		e->failed_sweeps++;
		e->failure = event->error;
		break;
	case EVENT_PORT_STATE:
	case EVENT_REREGISTER:
		break;
	}
	if (e->fd >= 0)
		events_put_line(e, event);
}

static int events_failed(const struct events *e, int error)
{
	return error == -EPIPE ? EXIT_SIGNAL + SIGPIPE : cli_failed(error, "cannot write '%s'", e->path);
}

int events_flush(struct events *e)
{
	ssize_t n;

	if (e->fd < 0)
		return EXIT_DONE;
	if (e->lost_now && !e->buf.len)
		events_put_lost(e);
	if (e->buf.error) {
		n = e->buf.error;
		madkit_buf_reset(&e->buf);
		return events_failed(e, (int)n);
	}
	if (!e->buf.len)
		return EXIT_DONE;
	n = events_write(e);
	if (n < 0) {
		madkit_buf_reset(&e->buf);
		return events_failed(e, (int)n);
	}
	return EXIT_DONE;
}

int events_finish(struct events *e)
{
	enum { EVENTS_END_MS = 500, EVENTS_END_STOPPED_MS = 50, STEP_MS = 10 };
	int status = events_flush(e);

	for (int ms = 0;
	     !status && e->buf.len && ms < (cli_stopped() ? EVENTS_END_STOPPED_MS : EVENTS_END_MS);
	     ms += STEP_MS) {
		wait_poll(NULL, 0, STEP_MS);
		status = events_flush(e);
	}
	for (size_t i = 0; i < e->buf.len; i++)
		e->lost += e->buf.data[i] == '\n';
	madkit_buf_reset(&e->buf);
	if (!status && e->fd >= 0 && wait_reader_is_gone(e->fd))
		status = events_failed(e, -EPIPE);
	if (e->lost)
		cli_say("%" PRIu64 " events were not written, because the reader of '%s' is too slow",
			e->lost, e->path);
	return status;
}
