/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* libmadkit DEVICE LID...: query the NodeInfo of several nodes in parallel. */
#include <madkit/madkit.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void node_responded(struct madkit_agent *agent, struct madkit_recv *recv)
{
	const struct madkit_reply reply = { .recv = recv };
	uint64_t ports;

	(void)agent;
	if (!madkit_reply_get(&reply, MADKIT_NODE_INFO_NUM_PORTS, &ports))
		printf("LID %u: %u ports\n", recv->from.lid, (unsigned int)ports);
	madkit_recv_free(recv);
}

static void node_request_ended(struct madkit_agent *agent, struct madkit_send *send,
			       int status)
{
	(void)agent;
	if (status)
		printf("LID %u: %s\n", send->to.lid, strerror(-status));
	madkit_send_free(send);
}

int main(int argc, char **argv)
{
	const struct madkit_agent_attr attr = { .mgmt_class = MADKIT_CLASS_SUBN,
						.recv_handler = node_responded,
						.send_handler = node_request_ended };
	struct madkit_agent *agent;
	struct madkit_port *port;

	if (madkit_port_open(argv[1], &port, NULL) ||
	    madkit_agent_register(port, &attr, &agent, NULL))
		return 1;
	for (int i = 2; i < argc; i++) {
		const struct madkit_addr to = { .lid = (uint32_t)atoi(argv[i]) };
		struct madkit_send *send = madkit_send_request(&to, MADKIT_CLASS_SUBN,
							       MADKIT_METHOD_GET,
							       MADKIT_ATTR_NODE_INFO, 0);

		if (madkit_agent_post(agent, send))
			madkit_send_free(send);
	}
	while (madkit_agent_outstanding(agent)) {
		struct pollfd fd = { .fd = madkit_port_fd(port), .events = POLLIN };
		uint64_t due = madkit_port_deadline(port), now = madkit_port_now(port);
		uint64_t ns = due > now ? due - now : 0;

		/* a program adds its own descriptors and timeouts here */
		poll(&fd, 1, due == UINT64_MAX ? -1 : (int)((ns + 999999) / 1000000));
		if (madkit_port_process(port) < 0)
			break;
	}
	madkit_port_close(port);
	return 0;
}
