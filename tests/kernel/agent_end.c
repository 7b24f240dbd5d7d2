// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/kernel/agent_end.h"

struct madkit_port *agent_end_open_port(const char *spec)
{
	struct madkit_error error;
	struct madkit_port *port;
	int ret = madkit_port_open(spec, &port, &error);

	if (ret)
		printf("# %s: %d %s\n", spec, ret, error.text);
	need(ret == 0, "madkit_port_open");
	return port;
}

static void agent_end_on_send(struct madkit_agent *agent, struct madkit_send *send, int status)
{
	struct end *end = madkit_agent_context(agent);

	(void)send;
	end->ended++;
	end->status = status;
}

static void agent_end_on_recv(struct madkit_agent *agent, struct madkit_recv *recv)
{
	struct end *end = madkit_agent_context(agent);

	end->came++;
	madkit_recv_free(end->recv);
	end->recv = recv;
}

struct madkit_agent_attr agent_end_attr(uint32_t oui, uint8_t method, int rmpp)
{
	struct madkit_agent_attr attr = {
		.mgmt_class = CLASS,
		.class_version = 1,
		.oui = oui,
		.rmpp_version = rmpp ? 1 : 0,
		.flags = rmpp == RMPP_USER ? MADKIT_AGENT_USER_RMPP : 0,
		.library_rmpp = rmpp == RMPP_LIBRARY,
	};

	if (method)
		madkit_method_mask_set(attr.method_mask, method);
	return attr;
}

struct end *end_open(const char *spec, uint32_t oui, uint8_t method, int rmpp)
{
	struct madkit_agent_attr attr = agent_end_attr(oui, method, rmpp);
	struct end *end = calloc(1, sizeof(*end));

	need(end != NULL, "memory");
	attr.send_handler = agent_end_on_send;
	attr.recv_handler = agent_end_on_recv;
	attr.context = end;
	end->port = agent_end_open_port(spec);
	need(madkit_agent_register(end->port, &attr, &end->agent, NULL) == 0, "madkit_agent_register");
	return end;
}

void end_close(struct end *end)
{
	madkit_port_close(end->port);
	madkit_recv_free(end->recv);
	free(end);
}

bool agent_end_drive(struct end *end, const unsigned int *counter, unsigned int wanted)
{
	int64_t until = now_ms() + PATIENCE;

	while (*counter < wanted) {
		int ret = madkit_port_wait(end->port, 1000);

		if (ret > 0)
			ret = madkit_port_process(end->port);
		if (ret < 0) {
			printf("# drive: %d\n", ret);
			return false;
		}
		if (now_ms() > until)
			return false;
	}
	return true;
}

void gid_of(const char *ca, uint8_t gid[16])
{
	/* of the MAC address 02:00:00:00:00:01 or :02, which the devices are made with */
	static const uint8_t link_local[16] = { 0xfe, 0x80, [11] = 0xff, 0xfe };

	memcpy(gid, link_local, 16);
	gid[15] = (uint8_t)(ca[3] - '0' + 1);
}

struct madkit_send *agent_end_request(const char *ca, uint32_t oui, uint8_t method, uint16_t attribute,
				      size_t len, uint32_t timeout_ms, uint32_t retries)
{
	const struct madkit_header h = {
		.base_version = MADKIT_BASE_VERSION_IB,
		.mgmt_class = CLASS,
		.class_version = 1,
		.method = method,
		.attribute = attribute,
	};
	struct madkit_send *send = madkit_send_new(len);

	need(send != NULL, "madkit_send_new");
	madkit_header_put(send->mad, send->len, &h);
	put_be(send->mad + MADKIT_VENDOR2_OUI, 3, oui);
	send->to.qp = 1;
	send->to.grh = true;
	send->to.hop_limit = 64;
	gid_of(ca, send->to.gid);
	send->timeout_ms = timeout_ms;
	send->retries = retries;
	return send;
}

void agent_end_post(struct end *end, struct madkit_send *send)
{
	int ret = madkit_agent_post(end->agent, send);

	errno = -ret;
	need(ret == 0, "madkit_agent_post");
}

const char *agent_end_echo(struct end *client, const struct madkit_addr *to, size_t data, uint32_t timeout_ms,
			   uint32_t retries)
{
	/* RMPP also determines a length below that of a MAD */
	struct madkit_send *send = agent_end_request("rxe1", SERVER_OUI, METHOD_ASK, ATTR_ECHO, HEADER + data,
						     timeout_ms, retries);
	unsigned int ended = client->ended, came = client->came;
	const char *wrong = "";
	bool done = false;

	if (to)
		send->to = *to;
	madkit_rmpp_set_version(send->mad, MADKIT_RMPP_VERSION);
	madkit_rmpp_set_type(send->mad, MADKIT_RMPP_DATA);
	madkit_rmpp_set_flags(send->mad, MADKIT_RMPP_ACTIVE);
	fill_random(send->mad + HEADER, data, (uint32_t)data);
	agent_end_post(client, send);
	for (size_t i = 0; !done && i <= data / MEGABYTE; i++)
		done = agent_end_drive(client, &client->ended, ended + 1);
	if (!done)
		wrong = "it did not end";
	else if (client->status)
		wrong = strerror(-client->status);
	else if (client->came != came + 1)
		wrong = "no answer";
	else if (client->recv->len < HEADER + data ||
		 memcmp(client->recv->mad + HEADER, send->mad + HEADER, data))
		wrong = "other data";
	if (*wrong)
		printf("# %zu bytes: %s; sends %u, rmpp %d/%u\n", data, wrong, send->attempts,
		       send->rmpp.state, send->rmpp.status);
	madkit_send_free(send);
	return wrong;
}

const char *const bad_networks[BAD_NETWORKS] = {
	"delay 2ms",
	"duplicate 10%",
	"delay 2ms 1ms 25% reorder 20% 50%",
	"loss 3%",
};

void agent_end_netem(const char *what)
{
	char command[160];

	for (int i = 0; i < 2; i++) {
		snprintf(command, sizeof(command),
			 *what ? "tc qdisc add dev v%d root netem limit 100000 %s" :
				 "tc qdisc del dev v%d root",
			 i, what);
		need(system(command) == 0, command);
	}
}

/* ---- the server ---- */

struct server {
	struct madkit_agent *agent;
	uint32_t silent, tids, busy;
	uint64_t seen[64];
	uint64_t late; /* the transaction ID of the latest ATTR_LATE */
};

static void agent_end_remember(struct server *server, uint64_t tid)
{
	server->silent++;
	for (uint32_t i = 0; i < server->tids && i < 64; i++)
		if (server->seen[i] == tid)
			return;
	server->seen[server->tids++ % 64] = tid;
}

static void agent_end_answered(struct madkit_agent *agent, struct madkit_send *send, int status)
{
	(void)agent;
	(void)status;
	madkit_send_free(send);
}

static void agent_end_answer(struct madkit_agent *agent, struct madkit_recv *recv)
{
	struct server *server = madkit_agent_context(agent);
	struct madkit_header h;
	struct madkit_send *send;

	if (recv->status || madkit_header_get(recv->mad, recv->len, &h))
		goto out;
	if (h.attribute == ATTR_SILENT) {
		agent_end_remember(server, h.tid & UINT32_MAX);
		goto out;
	}
	if (h.attribute == ATTR_LATE) {
		uint64_t previous = server->late;

		agent_end_remember(server, h.tid & UINT32_MAX);
		server->late = h.tid;
		if (!previous)
			goto out;
		h.tid = previous;
	}
	send = madkit_send_new(recv->len);
	need(send != NULL, "madkit_send_new");
	memcpy(send->mad, recv->mad, recv->len);
	h.method |= MADKIT_METHOD_RESPONSE;
	if (h.attribute == ATTR_BUSY && !server->busy++)
		h.status = 1;
	madkit_header_put(send->mad, send->len, &h);
	if (h.attribute == ATTR_TELL) {
		put_be(send->mad + HEADER, 4, server->silent);
		put_be(send->mad + HEADER + 4, 4, server->tids);
		*server = (struct server){ .agent = server->agent };
	}
	if (h.attribute == ATTR_SOURCE)
		memcpy(send->mad + HEADER, recv->from.gid, 16);
	send->to = recv->from;
	send->retries = 3;
	if (madkit_agent_post(agent, send))
		madkit_send_free(send);
out:
	madkit_recv_free(recv);
}

/* Uses a separate port, which it never closes. */
static void serve_on(struct madkit_port *port, int rmpp)
{
	struct madkit_agent_attr attr = agent_end_attr(SERVER_OUI, METHOD_ASK, rmpp);
	struct server server = { .silent = 0 };
	int ret = 0;

	attr.send_handler = agent_end_answered;
	attr.recv_handler = agent_end_answer;
	attr.context = &server;
	need(madkit_agent_register(port, &attr, &server.agent, NULL) == 0, "the server's registration");
	child_ready();
	while (ret >= 0) {
		ret = madkit_port_wait(port, -1);
		if (ret > 0)
			ret = madkit_port_process(port);
	}
}

static void agent_end_serve(const char *ca, int rmpp)
{
	char spec[32];

	snprintf(spec, sizeof(spec), "umad:%s", ca);
	serve_on(agent_end_open_port(spec), rmpp);
}

static void serve_by_kernel(const char *ca)
{
	agent_end_serve(ca, RMPP_KERNEL);
}

static void serve_by_library(const char *ca)
{
	agent_end_serve(ca, RMPP_LIBRARY);
}

pid_t server_start(const char *ca)
{
	return child_start(serve_by_kernel, ca);
}

pid_t library_server_start(const char *ca)
{
	return child_start(serve_by_library, ca);
}

/* The data that the process on a queue pair gets and returns. */
static struct madkit_qp_attr qp_attr;
static uint32_t *qp_number;

static void serve_on_qp(const char *ca)
{
	struct madkit_error error = { .text = "" };
	struct madkit_port *port;
	char spec[32];

	snprintf(spec, sizeof(spec), "verbs:%s", ca);
	if (madkit_port_open_qp(spec, &qp_attr, &port, &error))
		printf("# %s: %s\n", spec, error.text);
	need(!error.text[0], "madkit_port_open_qp");
	*qp_number = madkit_port_get_info(port)->qp;
	serve_on(port, RMPP_KERNEL);
}

pid_t qp_server_start(const char *ca, uint32_t qkey, struct madkit_addr *to)
{
	pid_t pid;

	qp_attr.qkey = qkey;
	qp_number = mmap(NULL, sizeof(*qp_number), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	need(qp_number != MAP_FAILED, "mmap");
	pid = child_start(serve_on_qp, ca);
	*to = (struct madkit_addr){ .qp = *qp_number, .qkey = qkey, .grh = true, .hop_limit = 64 };
	gid_of(ca, to->gid);
	munmap(qp_number, sizeof(*qp_number));
	return pid;
}
