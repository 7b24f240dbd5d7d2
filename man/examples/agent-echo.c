/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* agent-echo FROM TO BYTES: send a message of BYTES bytes from one port to another, where a
 * responder returns it. One loop drives both ports. For the requester, the kernel does RMPP;
 * for the responder, the library does. */
#include <madkit/madkit.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLASS = 0x32, OUI = 0x001405, ASK = 0x10 }; /* of a vendor class */

/* Responder: returns a message to its source. */
static void echo_send(struct madkit_agent *agent, struct madkit_recv *recv)
{
	struct madkit_send *send = madkit_send_response(recv, 0);

	if (send && madkit_agent_post(agent, send))
		madkit_send_free(send);
	madkit_recv_free(recv);
}

static void echo_sent(struct madkit_agent *agent, struct madkit_send *send, int status)
{
	(void)agent;
	if (status)
		fprintf(stderr, "agent-echo: cannot send the response (%d)\n", status);
	madkit_send_free(send);
}

/* Requester: its context points to the status, which is 1 until the request has ended. */
static void echo_received(struct madkit_agent *agent, struct madkit_recv *recv)
{
	const struct madkit_send *send = recv->send;

	(void)agent;
	if (send && recv->len >= send->len)
		printf("%zu bytes returned%s\n", send->len - MADKIT_VENDOR2_DATA,
		       memcmp(recv->mad + MADKIT_VENDOR2_DATA,
			      send->mad + MADKIT_VENDOR2_DATA,
			      send->len - MADKIT_VENDOR2_DATA) ?
			       ", and changed" :
			       "");
	madkit_recv_free(recv);
}

static void echo_request_ended(struct madkit_agent *agent, struct madkit_send *send,
			       int status)
{
	if (status == -ECONNABORTED)
		printf("the peer ended the transfer with RMPP status %u\n",
		       send->rmpp.status);
	*(int *)madkit_agent_context(agent) = status;
	madkit_send_free(send);
}

static int echo_request(struct madkit_agent *agent, struct madkit_port *whom,
			size_t bytes)
{
	const struct madkit_header header = {
		.base_version = MADKIT_BASE_VERSION_IB,
		.mgmt_class = CLASS,
		.class_version = 1,
		.method = ASK,
	};
	const struct madkit_port_info *info = madkit_port_get_info(whom);
	struct madkit_send *send = madkit_send_new(MADKIT_VENDOR2_DATA + bytes);
	int ret;

	if (!send)
		return -ENOMEM;
	madkit_header_put(send->mad, send->len, &header);
	madkit_send_put(send, MADKIT_HEADER_VENDOR2_OUI, OUI);
	for (size_t i = MADKIT_VENDOR2_DATA; i < send->len; i++)
		send->mad[i] = (uint8_t)rand();
	send->timeout_ms = 5000;
	send->retries = 3;
	send->to.lid = info->lid;
	send->to.qp = info->qp; /* 0: QP1 */
	send->to.grh = info->link_layer == MADKIT_LINK_ETHERNET;
	ret = madkit_port_gid(info, 0, NULL, send->to.gid);
	if (!ret)
		ret = madkit_agent_post(agent, send);
	if (ret)
		madkit_send_free(send);
	return ret;
}

/* Drives several ports in one loop. */
static int run_ports(struct madkit_port **ports, nfds_t count, const int *status)
{
	struct pollfd fds[2];

	while (*status > 0) {
		int ms = -1;

		for (nfds_t i = 0; i < count; i++) {
			int events = madkit_port_process(ports[i]);

			if (events < 0)
				return events;
			ms = madkit_port_timeout_ms(ports[i], ms);
			fds[i] = (struct pollfd){ .fd = madkit_port_fd(ports[i]),
						  .events = POLLIN };
		}
		if (*status > 0 && poll(fds, count, ms) < 0 && errno != EINTR)
			return -errno;
	}
	return *status;
}

int main(int argc, char **argv)
{
	int status = 1;
	struct madkit_agent_attr requester = {
		.mgmt_class = CLASS,
		.class_version = 1,
		.oui = OUI,
		.rmpp_version = 1,
		.send_handler = echo_request_ended,
		.recv_handler = echo_received,
		.context = &status,
	};
	struct madkit_agent_attr responder = {
		.mgmt_class = CLASS,
		.class_version = 1,
		.oui = OUI,
		.library_rmpp = true,
		.rmpp_version = 1,
		.send_handler = echo_sent,
		.recv_handler = echo_send,
	};
	struct madkit_port *ports[2] = { NULL, NULL };
	struct madkit_agent *agents[2];
	struct madkit_refusal refusal = { 0 };
	int ret;

	if (argc != 4) {
		fprintf(stderr, "usage: agent-echo FROM TO BYTES\n");
		return 2;
	}
	madkit_method_mask_set(responder.method_mask, ASK);
	ret = madkit_port_open(argv[1], &ports[0], &refusal.error);
	if (!ret)
		ret = madkit_port_open(argv[2], &ports[1], &refusal.error);
	if (!ret)
		ret = madkit_agent_register(ports[0], &requester, &agents[0], &refusal);
	if (!ret)
		ret = madkit_agent_register(ports[1], &responder, &agents[1], &refusal);
	if (!ret) {
		ret = echo_request(agents[0], ports[1], strtoul(argv[3], NULL, 0));
		if (!ret)
			ret = run_ports(ports, 2, &status);
		madkit_error_set(&refusal.error, ret, -1, "error %d", -ret);
	}
	if (ret)
		fprintf(stderr, "agent-echo: %s\n", refusal.error.text);
	madkit_port_close(ports[0]);
	madkit_port_close(ports[1]);
	return ret ? 1 : 0;
}
