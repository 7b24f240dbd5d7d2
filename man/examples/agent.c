/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* agent PATH...: query the NodeInfo at the end of each directed route, in parallel. */
#include <madkit/madkit.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>

static unsigned int outstanding, failed;

static void response_received(struct madkit_agent *agent, struct madkit_recv *recv)
{
	const struct madkit_message message = {
		.kind = MADKIT_MESSAGE_RESPONSE,
		.mad = recv->mad,
		.len = recv->len,
	};
	const char *path = recv->send ? recv->send->context : "?";
	struct madkit_record record;
	uint64_t guid;

	(void)agent;
	madkit_record_get(&message, 0, &record);
	if (madkit_get(record.data, record.len, MADKIT_NODE_INFO_GUID, &guid) == 0)
		printf("%s: GUID 0x%016" PRIx64 "\n", path, guid);
	else
		printf("%s: MAD status 0x%04x\n", path, madkit_message_status(&message));
	madkit_recv_free(recv);
}

static void request_ended(struct madkit_agent *agent, struct madkit_send *send,
			  int status)
{
	(void)agent;
	if (status) {
		printf("%s: no response (%d)\n", (const char *)send->context, status);
		failed++;
	}
	madkit_send_free(send);
	outstanding--;
}

static int post_request(struct madkit_agent *agent, char *path)
{
	const struct madkit_header header = {
		.base_version = MADKIT_BASE_VERSION_IB,
		.mgmt_class = MADKIT_CLASS_SUBN_DR,
		.class_version = madkit_class_version(MADKIT_CLASS_SUBN_DR),
		.method = MADKIT_METHOD_GET,
		.attribute = MADKIT_ATTR_NODE_INFO,
	};
	struct madkit_send *send = madkit_send_new(MADKIT_MAD_BYTES);
	int ret;

	if (!send)
		return -ENOMEM;
	send->timeout_ms = 200;
	send->retries = 2;
	send->context = path;
	ret = madkit_parse_path(path, &send->to, NULL);
	if (!ret)
		ret = madkit_header_put(send->mad, send->len, &header);
	if (!ret)
		ret = madkit_agent_post(agent, send);
	if (ret)
		madkit_send_free(send);
	else
		outstanding++;
	return ret;
}

/* Waits for the port and processes events; this can be part of a larger event loop. */
static int run_port(struct madkit_port *port)
{
	while (outstanding) {
		struct pollfd fd = { .fd = madkit_port_fd(port), .events = POLLIN };

		if (poll(&fd, 1, madkit_port_timeout_ms(port, -1)) < 0 && errno != EINTR)
			return -errno;
		int events = madkit_port_process(port);
		if (events < 0)
			return events;
	}
	return 0;
}

int main(int argc, char **argv)
{
	const struct madkit_agent_attr attr = {
		.mgmt_class = MADKIT_CLASS_SUBN_DR,
		.send_handler = request_ended,
		.recv_handler = response_received,
	};
	struct madkit_refusal refusal;
	struct madkit_agent *agent;
	struct madkit_error error;
	struct madkit_port *port;
	int ret = 0;

	if (madkit_port_open(NULL, &port, &error)) {
		fprintf(stderr, "agent: %s\n", error.text);
		return 1;
	}
	if (madkit_agent_register(port, &attr, &agent, &refusal)) {
		fprintf(stderr, "agent: %s\n", refusal.error.text);
		madkit_port_close(port);
		return 1;
	}
	for (int i = 1; i < argc && !ret; i++)
		ret = post_request(agent, argv[i]);
	if (!ret)
		ret = run_port(port);
	if (ret)
		fprintf(stderr, "agent: error %d\n", -ret);
	madkit_port_close(port);
	return ret ? 1 : failed ? 3 : 0;
}
