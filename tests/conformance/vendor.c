// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Requests of a vendor class, and the server that responds to them: in this process on a second port, or
 * in a separate process if a process has one port only (ibsim). */
#include <stdlib.h>

#include "tests/conformance/conformance.h"

enum { SERVERS_MAX = 4, TIDS_MAX = 64 };

struct server {
	struct madkit_port *port;
	uint32_t silent, tids, busy;
	uint64_t tid[TIDS_MAX];
	uint64_t late; /* transaction ID of the latest LATE request */
};

struct madkit_agent_attr vendor_attr(uint32_t oui, uint8_t method, enum rmpp rmpp)
{
	struct madkit_agent_attr attr = {
		.mgmt_class = VENDOR,
		.class_version = 1,
		.oui = oui,
		.rmpp_version = rmpp != NO_RMPP,
		.flags = rmpp == USER_RMPP ? MADKIT_AGENT_USER_RMPP : 0,
		.library_rmpp = rmpp == LIBRARY_RMPP,
	};

	if (method)
		madkit_method_mask_set(attr.method_mask, method);
	return attr;
}

struct madkit_send *vendor_send(struct run *r, size_t len, uint32_t oui, uint8_t method, uint16_t attribute,
				const struct madkit_addr *to)
{
	const struct madkit_header h = {
		.base_version = MADKIT_BASE_VERSION_IB,
		.mgmt_class = VENDOR,
		.class_version = 1,
		.method = method,
		.attribute = attribute,
	};
	struct madkit_send *send = new_send(r, len, &h, to);

	if (len >= HEADER)
		put_be(send->mad + MADKIT_VENDOR2_OUI, 3, oui);
	if (len > HEADER)
		fill_random(send->mad + HEADER, len - HEADER, (uint32_t)len);
	return send;
}

/* ---- the server ---- */

static void case_vendor_remember(struct server *server, uint64_t tid)
{
	server->silent++;
	for (uint32_t i = 0; i < server->tids && i < TIDS_MAX; i++)
		if (server->tid[i] == tid)
			return;
	server->tid[server->tids++ % TIDS_MAX] = tid;
}

static void case_vendor_answered(struct madkit_agent *agent, struct madkit_send *send, int status)
{
	(void)agent;
	(void)status;
	madkit_send_free(send);
}

static void case_vendor_answer(struct madkit_agent *agent, struct madkit_recv *recv)
{
	struct server *server = madkit_agent_context(agent);
	struct madkit_send *send = NULL;
	struct madkit_header h;
	uint8_t *data;

	if (recv->status || madkit_header_get(recv->mad, recv->len, &h))
		goto out;
	if (h.attribute == SILENT || (h.attribute == THIRD && server->silent < 2)) {
		case_vendor_remember(server, h.tid & UINT32_MAX);
		goto out;
	}
	if (h.attribute == LATE) {
		uint64_t previous = server->late;

		case_vendor_remember(server, h.tid & UINT32_MAX);
		server->late = h.tid;
		if (!previous)
			goto out;
		h.tid = previous;
	}
	send = madkit_send_new(recv->len);
	if (!send)
		goto out;
	memcpy(send->mad, recv->mad, recv->len);
	/* a send has room for a MAD at least */
	data = send->mad + madkit_class_data_offset(h.mgmt_class);
	h.method |= MADKIT_METHOD_RESPONSE;
	if (h.attribute == BUSY && !server->busy++)
		h.status = MADKIT_STATUS_BUSY;
	madkit_header_put(send->mad, send->len, &h);
	if (h.attribute == TELL) {
		put_be(data, 4, server->silent);
		put_be(data + 4, 4, server->tids);
		server->silent = server->tids = server->busy = 0;
		server->late = 0;
	}
	if (h.attribute == MIRROR_FROM)
		put_be(data, 2, recv->from.lid);
	send->to = recv->from;
	send->retries = 3;
	if (madkit_agent_post(agent, send))
		madkit_send_free(send);
out:
	madkit_recv_free(recv);
}

static int server_register(struct server *server, struct madkit_port *port,
			   const struct madkit_agent_attr *wanted, struct madkit_refusal *refusal)
{
	struct madkit_agent_attr attr = *wanted;
	struct madkit_agent *agent;

	attr.send_handler = case_vendor_answered;
	attr.recv_handler = case_vendor_answer;
	attr.context = server;
	return madkit_agent_register(port, &attr, &agent, refusal);
}

struct madkit_addr server_of(struct run *r, enum side side, const struct madkit_agent_attr *attr)
{
	struct madkit_refusal refusal;

	if (!r->server)
		r->server = calloc(1, sizeof(*r->server));
	need(r, r->server, "memory");
	need(r, server_register(r->server, port_of(r, side), attr, &refusal) == 0, "a server: %s",
	     refusal.error.text);
	return address_of(r, side);
}

/* Its port is closed by then. */
void case_server_end(struct run *r)
{
	free(r->server);
	r->server = NULL;
}

struct madkit_addr server(struct run *r, enum rmpp rmpp)
{
	struct madkit_agent_attr attr = vendor_attr(SERVER_OUI, ASK, rmpp);

	if (r->device[THERE])
		return server_of(r, THERE, &attr);
	return (struct madkit_addr){ .lid = r->server_lid, .qp = 1 };
}

int case_serve(const char *device)
{
	struct madkit_agent_attr attr = vendor_attr(SERVER_OUI, ASK, NO_RMPP);
	struct server server = { .silent = 0 };
	struct madkit_refusal refusal;
	struct madkit_error error;
	int ret = madkit_port_open(device, &server.port, &error);

	if (ret) {
		fprintf(stderr, "%s: %s\n", device, error.text);
		return ret;
	}
	ret = server_register(&server, server.port, &attr, &refusal);
	if (ret)
		fprintf(stderr, "%s\n", refusal.error.text);
	else
		printf("ready %" PRIu32 "\n", madkit_port_get_info(server.port)->lid);
	fflush(stdout);
	while (ret >= 0) {
		ret = madkit_port_wait(server.port, -1);
		if (ret > 0)
			ret = madkit_port_process(server.port);
	}
	madkit_port_close(server.port);
	return ret;
}
