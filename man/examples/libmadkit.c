/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* libmadkit DEVICE LID: query the NodeInfo of a node. */
#include <madkit/madkit.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

static void node_responded(struct madkit_agent *agent, struct madkit_recv *recv)
{
	const struct madkit_reply reply = { .recv = recv };
	uint64_t ports;

	if (!madkit_reply_get(&reply, MADKIT_NODE_INFO_NUM_PORTS, &ports))
		printf("agent %u: %d ports\n", madkit_agent_id(agent), (int)ports);
	madkit_recv_free(recv);
}

static void node_ended(struct madkit_agent *agent, struct madkit_send *send, int status)
{
	printf("agent %u: status %d\n", madkit_agent_id(agent), status);
	madkit_send_free(send);
}

int main(int argc, char **argv)
{
	const struct madkit_agent_attr attr = { .mgmt_class = MADKIT_CLASS_SUBN,
						.recv_handler = node_responded,
						.send_handler = node_ended };
	const struct madkit_addr to = { .lid = argc > 2 ? (uint32_t)atoi(argv[2]) : 1 };
	struct madkit_agent *agent;
	struct madkit_port *port;

	if (madkit_port_open(argv[1], &port, NULL) ||
	    madkit_agent_register(port, &attr, &agent, NULL) ||
	    madkit_agent_post(agent,
			      madkit_send_request(&to, attr.mgmt_class, MADKIT_METHOD_GET,
						  MADKIT_ATTR_NODE_INFO, 0)))
		return 1;
	while (madkit_agent_outstanding(agent) && madkit_port_process(port) >= 0) {
		struct pollfd fd = { .fd = madkit_port_fd(port), .events = POLLIN };

		/* a program adds its own descriptors and timeouts here */
		poll(&fd, 1, madkit_port_timeout_ms(port, 1000));
	}
	madkit_port_close(port);
	return 0;
}
