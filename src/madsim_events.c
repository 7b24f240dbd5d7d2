/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "cli.h"
#include "json_object.h"
#include "madsim_events.h"

int events_open(struct events *e, const struct topology *t, const char *path)
{
	memset(e, 0, sizeof(*e));
	e->topology = t;
	e->path = path;
	e->fd = -1;
	madkit_buf_init(&e->buf, 0);
	if (!path)
		return EXIT_DONE;
	if (!strcmp(path, "-")) {
		e->fd = STDOUT_FILENO;
		return EXIT_DONE;
	}
	e->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (e->fd >= 0)
		return EXIT_DONE;
	cli_say("cannot write '%s': %s", path, strerror(errno));
	return EXIT_LOCAL;
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
		[EVENT_SM_STATE] = "sm-state",
		[EVENT_SUBNET_UP] = "subnet-up",
	};

	return (size_t)kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "other";
}

static void put_packet(struct madkit_buf *buf, const struct sim_event *event)
{
	struct madkit_header h;
	char name[20];

	if (event->head) {
		json_number(buf, "slid", event->head->slid);
		json_number(buf, "dlid", event->head->dlid);
		json_number(buf, "qp", event->head->qp);
	}
	if (!event->mad || madkit_header_get(event->mad, event->len, &h))
		return;
	json_string(buf, "class", madkit_class_name(h.mgmt_class, name));
	json_number(buf, "method", h.method);
	json_number(buf, "attribute", h.attribute);
	json_number(buf, "modifier", h.modifier);
	json_hex(buf, "tid", h.tid, 16);
}

static void put_state(struct madkit_buf *buf, const char *key, uint8_t state)
{
	const char *name = madkit_port_state_name(state);

	if (name)
		json_string(buf, key, name);
	else
		json_number(buf, key, state);
}

static void put_data(struct events *e, struct madkit_buf *buf, const struct sim_event *event)
{
	json_open(buf, NULL, '{');
	json_string(buf, "event", event_name(event->kind));
	if (event->node < e->topology->nnodes) {
		json_string(buf, "node", e->topology->nodes[event->node].name);
		json_number(buf, "port", event->port);
	}
	switch (event->kind) {
	case EVENT_PORT_STATE:
		put_state(buf, "state", event->state);
		put_state(buf, "was", event->was);
		break;
	case EVENT_DROP:
		json_string(buf, "why", fabric_drop_name(event->why));
		put_packet(buf, event);
		break;
	case EVENT_FAULT:
		json_string(buf, "action", event->name);
		json_number(buf, "rule", event->count);
		put_packet(buf, event);
		break;
	case EVENT_OVERFLOW:
		json_number(buf, "dropped", event->count);
		break;
	case EVENT_SM_STATE:
		json_string(buf, "state", event->name);
		break;
	case EVENT_SUBNET_UP:
		json_number(buf, "nodes", event->count);
		break;
	}
	json_close(buf, '}');
}

static void put_line(struct events *e, const struct sim_event *event)
{
	struct madkit_message message = {
		.kind = MADKIT_MESSAGE_EVENT, .host = e->host, .device = e->device,
		.seq = e->seq++, .rtt_us = -1, .attempts = -1,
	};
	const struct madkit_format how = { .show_keys = false };
	struct madkit_buf data;

	clock_gettime(CLOCK_REALTIME, &message.time);
	madkit_buf_init(&data, 0);
	put_data(e, &data, event);
	message.data_json = json_end(&data);
	if (!message.data_json)
		e->buf.error = -ENOMEM;
	else
		madkit_format_json(&e->buf, &message, &how);
	madkit_buf_free(&data);
}

void events_on(void *context, const struct sim_event *event)
{
	struct events *e = context;

	switch (event->kind) {
	case EVENT_DROP:
		if ((size_t)event->why < DROPS)
			e->drops[event->why]++;
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
	case EVENT_PORT_STATE:
		break;
	}
	if (e->fd >= 0)
		put_line(e, event);
}

int events_flush(struct events *e)
{
	int ret;

	if (e->fd < 0 || (!e->buf.len && !e->buf.error))
		return EXIT_DONE;
	ret = e->buf.error ? e->buf.error : cli_write(e->fd, e->buf.data, e->buf.len);
	madkit_buf_reset(&e->buf);
	if (!ret)
		return EXIT_DONE;
	if (ret == -EPIPE)
		return EXIT_SIGNAL + SIGPIPE;
	cli_say("cannot write '%s': %s", e->path, strerror(-ret));
	return EXIT_LOCAL;
}
