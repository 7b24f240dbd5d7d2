/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* query-table DEVICE: list the nodes that the subnet administrator knows. */
#include <madkit/madkit.h>
#include <inttypes.h>
#include <stdio.h>

static int query_nodes(const char *device)
{
	struct madkit_port *port = NULL;
	struct madkit_send *send = NULL;
	struct madkit_reply reply = { 0 };
	struct madkit_message message;
	struct madkit_record record;
	struct madkit_addr sa = { 0 };
	uint64_t lid, guid;
	int ret = madkit_port_open(device, &port, NULL) ||
		  madkit_port_sa_addr(port, &sa, NULL);
	send = madkit_send_request(&sa, MADKIT_CLASS_SA, MADKIT_METHOD_GET_TABLE,
				   MADKIT_ATTR_NODE_RECORD, 0);
	ret = ret || madkit_port_request(port, send, UINT64_MAX, &reply, NULL) ||
	      madkit_reply_message(&reply, &message);
	for (unsigned int n = 0; !ret && n < madkit_message_records(&message); n++) {
		madkit_record_get(&message, n, &record);
		ret = madkit_get(record.data, record.len, MADKIT_NODE_RECORD_LID, &lid) ||
		      madkit_get(record.data, record.len,
				 MADKIT_NODE_RECORD_NODE_INFO_GUID, &guid);
		if (!ret)
			printf("LID %" PRIu64 ": 0x%016" PRIx64 "\n", lid, guid);
	}
	madkit_recv_free(reply.recv);
	madkit_send_free(send);
	madkit_port_close(port);
	return ret;
}

int main(int argc, char **argv)
{
	return argc == 2 ? query_nodes(argv[1]) : 2;
}
