// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The library when a device is taken away under it. Needs the soft-RoCE devices rxe0 and rxe1, and deletes both.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kernel/agent_end.h"
#include "tests/tap.h"
#include "util/array_size.h"

enum { OUTSTANDING = 3 };

/* The checks after the unplugging. */
static void agent_unplug_is_gone(struct end *end, struct madkit_send *send, const char *name)
{
	struct madkit_agent_attr attr = agent_end_attr(OUI, MADKIT_METHOD_SET, 0);
	struct pollfd fd = { .fd = madkit_port_fd(end->port), .events = POLLIN };
	struct madkit_refusal refusal;
	struct madkit_agent *agent;
	struct madkit_reply reply;
	unsigned int ended = end->ended;

	is_int(madkit_port_process(end->port), -ENODEV, "%s: process: gone", name);
	is_int(madkit_port_wait(end->port, PATIENCE), -ENODEV, "%s: wait: gone, at once", name);
	is_int(madkit_port_process(end->port), -ENODEV, "%s: and so it stays", name);
	is_int(end->ended, ended, "%s: nothing ends twice", name);
	is_int(madkit_agent_post(end->agent, send), -ENODEV, "%s: post: gone", name);
	is_int(madkit_request(end->agent, send, UINT64_MAX, &reply), -ENODEV, "%s: request: gone", name);
	is_int(madkit_port_refresh(end->port), -ENODEV, "%s: refresh: gone", name);
	is_int(madkit_agent_register(end->port, &attr, &agent, &refusal), -ENODEV, "%s: register: gone",
	       name);
	is_int(refusal.cause, MADKIT_REFUSAL_DEVICE, "%s: register: that is the cause", name);
	is_int(poll(&fd, 1, 0), 1, "%s: a poll of the descriptor does not wait", name);
	is_int(madkit_agent_outstanding(end->agent), 0, "%s: nothing is outstanding", name);
}

/* Waits and processes until that says that the device is gone, or in vain. */
static int until_gone(struct end *end, unsigned int *waits)
{
	int64_t start = now_ms();
	int ret;

	*waits = 0;
	do {
		ret = madkit_port_wait(end->port, PATIENCE);
		++*waits;
		if (ret >= 0)
			ret = madkit_port_process(end->port);
	} while (ret >= 0 && now_ms() - start < PATIENCE);
	return ret;
}

static void while_waiting(void)
{
	struct end *silent = end_open("umad:rxe0", OUI, METHOD_ASK, 0),
		   *end = end_open("umad:rxe1", OUI, METHOD_ASK, 0);
	struct madkit_send *sends[OUTSTANDING];
	int64_t start, cpu;
	unsigned int waits;
	pid_t pid;

	for (int i = 0; i < OUTSTANDING; i++) {
		sends[i] = agent_end_request("rxe0", OUI, METHOD_ASK, ATTR_SILENT, 256, PATIENCE, 2);
		agent_end_post(end, sends[i]);
	}
	need(agent_end_drive(silent, &silent->came, OUTSTANDING), "the requests");
	is_int(madkit_agent_outstanding(end->agent), OUTSTANDING, "unplug: three requests are in flight");
	start = now_ms();
	cpu = cpu_ms();
	pid = device_delete("rxe1");
	is_int(until_gone(end, &waits), -ENODEV, "unplug: process says that the device is gone");
	is_between(now_ms() - start, 0, SOON, "unplug: long before the requests' time is over");
	is_int(end->ended, OUTSTANDING, "unplug: the requests have ended");
	is_int(end->status, -ENODEV, "unplug: with that");
	is_between(waits, 1, 5, "unplug: without spinning");
	is_between(cpu_ms() - cpu, 0, 1000, "unplug: nor using the processor");
	agent_unplug_is_gone(end, sends[0], "unplug");
	device_gone(pid);
	end_close(end);
	for (int i = 0; i < OUTSTANDING; i++)
		madkit_send_free(sends[i]);
	end_close(silent);
}

/* ---- every stage at once ---- */

/* The activity of an agent on rxe1, with its peer on rxe0. */
struct stage {
	struct end *end, *peer;
	struct madkit_send *send;    /* NULL, or one that is outstanding at end */
	struct madkit_send *segment; /* NULL, or one of the peer's */
};

static void agent_unplug_registered(struct stage *s, uint32_t oui)
{
	s->end = end_open("umad:rxe1", oui, METHOD_ASK, 0);
}

/* A message of four segments to a peer that acknowledges none. */
static void sending(struct stage *s, uint32_t oui, int rmpp)
{
	s->peer = end_open("umad:rxe0", oui, METHOD_ASK, RMPP_USER);
	s->end = end_open("umad:rxe1", oui, 0, rmpp);
	s->send = agent_end_request("rxe0", oui, METHOD_ASK, 0, HEADER + 4 * SEGMENT, PATIENCE, 3);
	agent_end_post(s->end, s->send);
	need(agent_end_drive(s->peer, &s->peer->came, 1), "the first segment");
}

static void sending_by_kernel(struct stage *s, uint32_t oui)
{
	sending(s, oui, RMPP_KERNEL);
}

static void sending_by_library(struct stage *s, uint32_t oui)
{
	sending(s, oui, RMPP_LIBRARY);
}

/* The peer sends the first of three segments, which is acknowledged. */
static void receiving(struct stage *s, uint32_t oui, int rmpp)
{
	s->peer = end_open("umad:rxe0", oui, 0, RMPP_USER);
	s->end = end_open("umad:rxe1", oui, METHOD_ASK, rmpp);
	s->segment = agent_end_request("rxe1", oui, METHOD_ASK, 0, 256, PATIENCE, 0);
	madkit_rmpp_set_version(s->segment->mad, MADKIT_RMPP_VERSION);
	madkit_rmpp_set_type(s->segment->mad, MADKIT_RMPP_DATA);
	madkit_rmpp_set_flags(s->segment->mad, MADKIT_RMPP_ACTIVE | MADKIT_RMPP_FIRST);
	madkit_rmpp_set_segment(s->segment->mad, 1);
	madkit_rmpp_set_length(s->segment->mad, 3 * (SEGMENT + 4));
	agent_end_post(s->peer, s->segment);
	if (rmpp == RMPP_LIBRARY) {
		need(madkit_port_wait(s->end->port, PATIENCE) == 1, "the segment");
		madkit_port_process(s->end->port);
	}
	need(agent_end_drive(s->peer, &s->peer->came, 1), "the ACK");
}

static void receiving_by_kernel(struct stage *s, uint32_t oui)
{
	receiving(s, oui, RMPP_KERNEL);
}

static void receiving_by_library(struct stage *s, uint32_t oui)
{
	receiving(s, oui, RMPP_LIBRARY);
}

static void agent_unplug_unread(struct stage *s, uint32_t oui)
{
	s->peer = end_open("umad:rxe0", oui, 0, 0);
	s->end = end_open("umad:rxe1", oui, METHOD_ASK, 0);
	s->segment = agent_end_request("rxe1", oui, METHOD_ASK, 0, 256, 0, 0);
	agent_end_post(s->peer, s->segment);
	need(madkit_port_wait(s->end->port, PATIENCE) == 1, "a MAD that is queued");
}

static void every_stage(void)
{
	static const struct {
		const char *name;
		void (*begin)(struct stage *s, uint32_t oui);
	} stages[] = {
		{ "registered", agent_unplug_registered },
		{ "sending by kernel RMPP", sending_by_kernel },
		{ "sending by library RMPP", sending_by_library },
		{ "receiving by kernel RMPP", receiving_by_kernel },
		{ "receiving by library RMPP", receiving_by_library },
		{ "a MAD unread", agent_unplug_unread },
	};
	enum { STAGES = ARRAY_SIZE(stages) };
	struct stage stage[STAGES] = { 0 };
	struct madkit_port *open = agent_end_open_port("umad:rxe1"),
			   *untouched = agent_end_open_port("umad:rxe1");
	struct madkit_agent_attr attr = agent_end_attr(OUI, METHOD_ASK, 0);
	struct madkit_send *probe = agent_end_request("rxe0", OUI, METHOD_ASK, 0, 256, PATIENCE, 0);
	struct madkit_refusal refusal;
	struct madkit_agent *agent;
	pid_t pid;

	for (uint32_t i = 0; i < STAGES; i++)
		stages[i].begin(&stage[i], OUI + 0x10 + i);
	pid = device_delete("rxe1");
	for (int i = 0; i < STAGES; i++) {
		const char *name = stages[i].name;
		struct end *end = stage[i].end;
		int64_t start = now_ms();
		unsigned int waits;

		is_int(until_gone(end, &waits), -ENODEV, "unplug, %s: process says that the device is gone",
		       name);
		is_between(now_ms() - start, 0, SOON, "unplug, %s: at once", name);
		is_int(end->ended, stage[i].send != NULL, "unplug, %s: what was outstanding has ended", name);
		if (stage[i].send)
			is_int(end->status, -ENODEV, "unplug, %s: with that", name);
		is_int(end->came, 0, "unplug, %s: nothing is handed over", name);
		agent_unplug_is_gone(end, probe, name);
	}
	device_gone(pid);
	is_int(madkit_agent_register(open, &attr, &agent, &refusal), -ENODEV,
	       "unplug, no agent: register: gone");
	is_int(refusal.cause, MADKIT_REFUSAL_DEVICE, "unplug, no agent: that is the cause");
	is_int(madkit_port_process(open), -ENODEV, "unplug, no agent: process: gone");
	is_int(madkit_port_wait(open, PATIENCE), -ENODEV, "unplug, no agent: wait: gone, at once");
	is_int(madkit_port_refresh(open), -ENODEV, "unplug, no agent: refresh: gone");
	madkit_port_close(open);
	madkit_port_close(untouched);
	for (int i = 0; i < STAGES; i++) {
		end_close(stage[i].end);
		if (stage[i].peer)
			end_close(stage[i].peer);
		madkit_send_free(stage[i].send);
		madkit_send_free(stage[i].segment);
	}
	madkit_send_free(probe);
	need(system("rdma link add rxe1 type rxe netdev v1") == 0, "rdma link add");
	madkit_port_close(agent_end_open_port("umad:rxe1"));
	ok(true, "unplug: every stage can be closed, and the device opened again");
}

static void afterwards(void)
{
	struct madkit_error error = { .text = "" };
	struct madkit_port *port;

	is_int(madkit_port_open("umad:rxe1", &port, &error), -ENODEV, "afterwards: it cannot be opened");
	ok(strstr(error.text, "rxe1"), "afterwards: in words: %s", error.text);
	/* rxe0 is alone now */
	is_int(madkit_port_open(NULL, &port, &error), 0, "a RoCE port that is alone is taken unasked");
	is_str(madkit_port_get_info(port)->device, "umad:rxe0/1", "... it is rxe0's");
	madkit_port_close(port);
}

/* The port with a request that blocks, and the way that an idle port learns it. */
static void while_asking(void)
{
	struct end *end = end_open("umad:rxe0", OUI, 0, 0), *idle = end_open("umad:rxe0", OUI, METHOD_ASK, 0);
	struct madkit_send *send = agent_end_request("rxe0", OUI, METHOD_ASK, ATTR_SILENT, 256, PATIENCE, 2);
	pid_t pid = device_delete("rxe0");
	int64_t start = now_ms();
	struct madkit_reply reply = { .status = 0 };
	int ret = madkit_request(end->agent, send, UINT64_MAX, &reply);
	unsigned int waits;

	is_int(ret ? ret : reply.status, -ENODEV, "request: unplugged in the middle");
	is_between(now_ms() - start, 0, SOON, "request: long before its time is over");
	ok(reply.recv == NULL, "request: no answer");
	agent_unplug_is_gone(end, send, "request");
	is_int(until_gone(idle, &waits), -ENODEV, "idle: process says that the device is gone");
	is_between(waits, 1, 5, "idle: without spinning");
	agent_unplug_is_gone(idle, send, "idle");
	device_gone(pid);
	/* ports die with their agents, also unregistered ones */
	madkit_agent_unregister(idle->agent);
	end_close(idle);
	end_close(end);
	is_int(madkit_port_open(NULL, &(struct madkit_port *){ NULL }, NULL), -ENODEV, "no device is left");
	madkit_send_free(send);
}

int main(void)
{
	every_stage();
	while_waiting();
	afterwards();
	while_asking();
	return tap_done();
}
