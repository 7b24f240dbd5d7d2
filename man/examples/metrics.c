/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* metrics DEVICE LID PORT: print the counters of a port of a switch for Prometheus. */
#include <madkit/madkit.h>
#include <stdio.h>
#include <stdlib.h>

static int metrics_request(const char *device, uint32_t lid, uint64_t number,
			   struct madkit_reply *reply, struct madkit_port **port)
{
	const struct madkit_addr to = { .lid = lid };
	struct madkit_send *send =
		madkit_send_request(&to, MADKIT_CLASS_PERF, MADKIT_METHOD_GET,
				    MADKIT_ATTR_PORT_COUNTERS_EXTENDED, 0);
	int ret = madkit_port_open(device, port, NULL);

	if (!ret && send)
		ret = madkit_send_put(send, MADKIT_PORT_COUNTERS_EXTENDED_PORT_SELECT,
				      number);
	if (!ret)
		ret = madkit_port_request(*port, send, UINT64_MAX, reply, NULL);
	madkit_send_free(send);
	return ret;
}

int main(int argc, char **argv)
{
	const struct madkit_metrics_device device = { .type = MADKIT_NODE_TYPE_SWITCH,
						      .guid = 0x200001,
						      .name = "leaf1",
						      .name_len = 5 };
	struct madkit_metrics_port at = { .peer = MADKIT_METRICS_NONE };
	struct madkit_metrics *metrics = madkit_metrics_new();
	struct madkit_metrics_run run = { .ended = 0 };
	struct madkit_reply reply = { 0 };
	struct madkit_port *port = NULL;
	struct madkit_message message = { .kind = MADKIT_MESSAGE_RESPONSE };
	struct madkit_buf buf;
	uint32_t row;
	bool more = true;

	if (argc != 4 ||
	    metrics_request(argv[1], (uint32_t)atoi(argv[2]), (uint64_t)atoi(argv[3]),
			    &reply, &port) ||
	    !reply.recv)
		return 1;
	at.number = (uint8_t)atoi(argv[3]);
	message.mad = reply.recv->mad;
	message.len = reply.recv->len;
	madkit_buf_init(&buf, 0);
	if (!madkit_metrics_add_device(metrics, &device, &at.device) &&
	    !madkit_metrics_add_port(metrics, &at, &row))
		madkit_metrics_take(metrics, row, &message);
	while (more)
		more = madkit_metrics_write(metrics, &run, &buf);
	fwrite(buf.data, 1, buf.len, stdout);
	madkit_buf_free(&buf);
	madkit_metrics_free(metrics);
	madkit_recv_free(reply.recv);
	madkit_port_close(port);
	return 0;
}
