/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* query DEVICE LID: print the number of ports of a node. */
#include <madkit/madkit.h>
#include <inttypes.h>
#include <stdio.h>

static int query_ports(const char *device, const struct madkit_addr *to)
{
	struct madkit_send *send = madkit_send_request(to, MADKIT_CLASS_SUBN,
						       MADKIT_METHOD_GET,
						       MADKIT_ATTR_NODE_INFO, 0);
	struct madkit_port *port = NULL;
	struct madkit_reply reply = { 0 };
	uint64_t ports = 0;

	if (!madkit_port_open(device, &port, NULL) &&
	    !madkit_port_request(port, send, UINT64_MAX, &reply, NULL) &&
	    !madkit_reply_get(&reply, MADKIT_NODE_INFO_NUM_PORTS, &ports))
		printf("LID %" PRIu32 " has %" PRIu64 " ports\n", to->lid, ports);
	madkit_recv_free(reply.recv);
	madkit_send_free(send);
	madkit_port_close(port);
	return !ports;
}

int main(int argc, char **argv)
{
	struct madkit_addr to = { 0 };

	if (argc != 3 || madkit_parse_lid(argv[2], &to.lid, NULL))
		return 2;
	return query_ports(argv[1], &to);
}
