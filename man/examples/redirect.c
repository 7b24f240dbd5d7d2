/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* redirect FROM TO: a service on TO that redirects requests from QP1 to a separate queue pair.
 *
 * The requester on FROM sends its request to QP1, receives a ClassPortInfo with the address of that queue
 * pair, and sends the request there. All three are in this program. */
#include <madkit/madkit.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

enum { CLASS = 0x32, OUI = 0x001405 }; /* of a vendor */
enum { FROM, TO, SERVICE, PORTS };

static struct madkit_port *ports[PORTS];
static int outcome = 1; /* 1: not known yet */

/* ---- responders: QP1, and the service ---- */

static void service_answered(struct madkit_agent *agent, struct madkit_send *send,
			     int status)
{
	(void)agent;
	(void)status;
	madkit_send_free(send);
}

static void service_answer(struct madkit_agent *agent, struct madkit_recv *recv)
{
	const struct madkit_port_info *service = madkit_port_get_info(ports[SERVICE]);
	struct madkit_cpi_target target = {
		.lid = service->lid,
		.pkey = 0xffff,
		.qp = service->qp,
		.qkey = service->qkey,
	};
	struct madkit_send *send = madkit_send_response(recv, MADKIT_MAD_BYTES);

	if (send) {
		if (madkit_agent_port(agent) == ports[TO]) {
			send->mad[MADKIT_MAD_STATUS + 1] = MADKIT_STATUS_REDIRECT;
			madkit_port_gid(service, 0, NULL, target.gid);
			madkit_cpi_set_redirect(send->mad + MADKIT_VENDOR2_DATA, false,
						&target);
		}
		if (!madkit_agent_post(agent, send))
			send = NULL;
	}
	madkit_send_free(send);
	madkit_recv_free(recv);
}

/* ---- requester ---- */

static int requester_send(struct madkit_agent *agent,
			  const struct madkit_cpi_target *whom)
{
	const struct madkit_header header = {
		.base_version = MADKIT_BASE_VERSION_IB,
		.mgmt_class = CLASS,
		.class_version = 1,
		.method = MADKIT_METHOD_GET,
	};
	struct madkit_send *send = madkit_send_new(MADKIT_MAD_BYTES);
	int ret;

	if (!send)
		return -ENOMEM;
	madkit_header_put(send->mad, send->len, &header);
	madkit_send_put(send, MADKIT_HEADER_VENDOR2_OUI, OUI);
	send->timeout_ms = 1000;
	send->retries = 5;
	send->to.lid = whom->lid;
	send->to.grh = !whom->lid; /* RoCE */
	memcpy(send->to.gid, whom->gid, sizeof(send->to.gid));
	send->to.qp = whom->qp;
	send->to.qkey = whom->qkey;
	ret = madkit_agent_post(agent, send);
	if (ret)
		madkit_send_free(send);
	return ret;
}

static void requester_received(struct madkit_agent *agent, struct madkit_recv *recv)
{
	struct madkit_header header;
	struct madkit_cpi_target target;

	outcome = madkit_header_get(recv->mad, recv->len, &header);
	if (!outcome && header.status & MADKIT_STATUS_REDIRECT) {
		printf("QP %u: redirected\n", (unsigned int)recv->from.qp);
		outcome = -ENOENT;
		if (madkit_cpi_get_redirect(recv->mad + MADKIT_VENDOR2_DATA, false,
					    &target))
			outcome = requester_send(agent, &target);
		if (!outcome)
			outcome = 1;
	} else if (!outcome) {
		printf("other queue pair: response with status %u\n", header.status);
	}
	madkit_recv_free(recv);
}

static void requester_sent(struct madkit_agent *agent, struct madkit_send *send,
			   int status)
{
	(void)agent;
	if (status)
		outcome = status;
	madkit_send_free(send);
}

/* ---- ports and event loop ---- */

static int open_all_ports(const char *from, const char *to, struct madkit_error *error)
{
	struct madkit_agent_attr requester = {
		.mgmt_class = CLASS,
		.class_version = 1,
		.oui = OUI,
		.send_handler = requester_sent,
		.recv_handler = requester_received,
	};
	struct madkit_agent_attr responder = {
		.mgmt_class = CLASS,
		.class_version = 1,
		.oui = OUI,
		.send_handler = service_answered,
		.recv_handler = service_answer,
	};
	struct madkit_cpi_target whom = { .qp = 1 };
	struct madkit_agent *agents[PORTS];
	struct madkit_refusal refusal;
	char specs[PORTS][100];
	int ret;

	snprintf(specs[FROM], sizeof(specs[FROM]), "umad:%s", from);
	snprintf(specs[TO], sizeof(specs[TO]), "umad:%s", to);
	snprintf(specs[SERVICE], sizeof(specs[SERVICE]), "verbs:%s", to);
	ret = madkit_port_open(specs[FROM], &ports[FROM], error);
	if (!ret)
		ret = madkit_port_open(specs[TO], &ports[TO], error);
	if (!ret)
		ret = madkit_port_open_qp(specs[SERVICE], NULL, &ports[SERVICE], error);
	if (ret)
		return ret;
	madkit_method_mask_set(responder.method_mask, MADKIT_METHOD_GET);
	for (int i = 0; i < PORTS && !ret; i++)
		ret = madkit_agent_register(ports[i], i == FROM ? &requester : &responder,
					    &agents[i], &refusal);
	if (ret) {
		*error = refusal.error;
		return ret;
	}
	whom.lid = madkit_port_get_info(ports[TO])->lid;
	ret = madkit_port_gid(madkit_port_get_info(ports[TO]), 0, NULL, whom.gid);
	if (!ret)
		ret = requester_send(agents[FROM], &whom);
	return madkit_error_set(error, ret, -1, "error %d", -ret);
}

static int run_all_ports(void)
{
	while (outcome > 0) {
		struct pollfd fds[PORTS];
		int ms = -1;

		for (int i = 0; i < PORTS; i++) {
			int events = madkit_port_process(ports[i]);

			if (events < 0)
				return events;
			ms = madkit_port_timeout_ms(ports[i], ms);
			fds[i] = (struct pollfd){ .fd = madkit_port_fd(ports[i]),
						  .events = POLLIN };
		}
		if (outcome > 0)
			poll(fds, PORTS, ms);
	}
	return outcome;
}

int main(int argc, char **argv)
{
	struct madkit_error error;
	int ret;

	if (argc != 3) {
		fprintf(stderr, "usage: redirect CA/PORT CA/PORT\n");
		return 2;
	}
	ret = open_all_ports(argv[1], argv[2], &error);
	if (ret)
		fprintf(stderr, "redirect: %s\n", error.text);
	else if ((ret = run_all_ports()) != 0)
		fprintf(stderr, "redirect: error %d\n", -ret);
	for (int i = 0; i < PORTS; i++)
		madkit_port_close(ports[i]);
	return ret ? 1 : 0;
}
