/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* redirect CA/PORT: a service on a queue pair of its own, which sends back what it is asked, and
 * what the ClassPortInfo of its class is to say so that requests find it. Ends when nothing was
 * asked for ten seconds. */
#include <madkit/madkit.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void sent(struct madkit_agent *agent, struct madkit_send *send, int status)
{
	(void)agent;
	(void)status;
	madkit_send_free(send);
}

static void asked(struct madkit_agent *agent, struct madkit_recv *recv)
{
	struct madkit_send *answer = madkit_send_new(recv->len);

	if (answer) {
		memcpy(answer->mad, recv->mad, recv->len);
		answer->mad[MADKIT_MAD_METHOD] |= MADKIT_METHOD_RESPONSE;
		answer->to = recv->from;
		if (madkit_agent_post(agent, answer))
			madkit_send_free(answer);
	}
	madkit_recv_free(recv);
}

/* The target as ClassPortInfo has it. */
static int tell(const struct madkit_port_info *info)
{
	struct madkit_cpi_target target = {
		.lid = info->lid, .pkey = 0xffff, .qp = info->qp, .qkey = info->qkey,
	};
	uint8_t cpi[MADKIT_CPI_BYTES] = { 0 };

	if (madkit_port_gid(info, 0, target.gid) ||
	    madkit_cpi_set_redirect(cpi, false, &target))
		return 1;
	printf("ask QP %" PRIu32 " at LID %" PRIu32 "\n", target.qp, target.lid);
	return 0;
}

int main(int argc, char **argv)
{
	struct madkit_agent_attr attr = {
		.mgmt_class = 0x32, .class_version = 1, .oui = 0x001405, .rmpp_version = 1,
		.send_handler = sent, .recv_handler = asked,
	};
	struct madkit_agent *agent;
	struct madkit_error error;
	struct madkit_port *port;
	char spec[100];
	int status;

	snprintf(spec, sizeof(spec), "verbs:%s", argc > 1 ? argv[1] : "");
	if (madkit_port_open_qp(spec, NULL, &port, &error)) {
		fprintf(stderr, "redirect: %s\n", error.text);
		return 1;
	}
	madkit_method_mask_set(attr.method_mask, MADKIT_METHOD_GET);
	status = madkit_agent_register(port, &attr, &agent, NULL) ||
		 tell(madkit_port_get_info(port));
	while (!status && madkit_port_wait(port, 10000) > 0)
		status = madkit_port_process(port) < 0;
	madkit_port_close(port);
	return status;
}
