/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Delivers arriving MADs from the queue pairs of a port to the agents. */
#include <string.h>
#include "sim/host/internal.h"
#include "wire/status.h"

enum { MULTICAST_QP = 0xffffff };

/* Switches and routers have no Linux kernel unless a program has opened a device there. */
static bool arrive_is_host(const struct hosts *hosts, const struct port *port)
{
	const struct host *host = host_at(hosts, port);

	return hosts->f->nodes[port->node].type == TOPOLOGY_CA || (host && !list_empty(&host->files));
}

static bool arrive_has_qp(const struct fabric_head *head)
{
	if (head->qp <= 1)
		return true;
	return head->qp == MULTICAST_QP && head->dlid >= FABRIC_LID_MULTICAST &&
	       head->qkey == MADKIT_QKEY_GSI;
}

/* As the kernel's validate_mad(). */
static bool arrive_is_valid(const struct fabric_head *head, const uint8_t *mad)
{
	uint8_t mgmt_class = mad[MADKIT_MAD_CLASS];

	if (mgmt_class == MADKIT_CLASS_CM && mad[MADKIT_MAD_METHOD] != MADKIT_METHOD_SEND &&
	    get_be16(mad + MADKIT_MAD_ATTRIBUTE) != MADKIT_ATTR_CLASS_PORT_INFO)
		return false;
	return madkit_class_is_smi(mgmt_class) == !head->qp;
}

/* As generate_unmatched_resp(): a Get or Set that no agent receives is answered with an error status. */
static bool host_answer_unmatched(struct hosts *hosts, const struct port *port,
				  const struct fabric_head *head, const uint8_t *mad)
{
	struct fabric_head back;
	uint8_t response[MADKIT_MAD_BYTES];

	if (mad[MADKIT_MAD_METHOD] != MADKIT_METHOD_GET && mad[MADKIT_MAD_METHOD] != MADKIT_METHOD_SET)
		return false;
	memcpy(response, mad, sizeof(response));
	fabric_respond(response, STATUS_BAD_ATTRIBUTE);
	host_head_answer(port, head, &back);
	return !host_transmit(hosts, port, &back, response);
}

/* Delivers a complete message and takes ownership of it. Returns false if the agent does not accept it. */
static bool host_deliver_message(struct agent *agent, const struct fabric_head *head, struct message *m)
{
	struct hosts *hosts = agent->file->host->hosts;

	if (madkit_mad_is_response(m->bytes, m->out.len)) {
		struct send *s = host_send_find(agent, head, m->bytes);

		if (s) {
			host_send_free(s);
		} else if (agent->kernel_rmpp || !host_is_active_rmpp(m->bytes)) {
			host_message_free(hosts, m);
			return false;
		}
	}
	if (!host_head_read(agent->file->host, head, &m->out.from)) {
		host_message_free(hosts, m);
		return false;
	}
	host_message_put(agent, m);
	return true;
}

static bool host_deliver_mad(struct agent *agent, const struct fabric_head *head, const uint8_t *mad)
{
	struct message *m;

	if (agent->kernel_rmpp && host_is_active_rmpp(mad)) {
		struct rmpp_whole whole = { .message = NULL };

		if (!host_rmpp_arrive(agent, head, mad, &whole))
			return false;
		return !whole.message || host_deliver_message(agent, &whole.head, whole.message);
	}
	m = host_message_new(agent->file->host->hosts, MADKIT_MAD_BYTES);
	if (!m)
		return false;
	m->out.len = MADKIT_MAD_BYTES;
	memcpy(m->bytes, mad, MADKIT_MAD_BYTES);
	return host_deliver_message(agent, head, m);
}

void hosts_arrive(struct hosts *hosts, uint32_t node, unsigned int number, const struct fabric_head *head,
		  const uint8_t *mad)
{
	struct port *port = node_port(hosts->f, &hosts->f->nodes[node], number);
	struct host *host = host_at(hosts, port);
	struct agent *agent = NULL;

	if (hosts->f->now > hosts->now)
		hosts->now = hosts->f->now;
	if (!arrive_is_host(hosts, port) || !arrive_has_qp(head)) {
		fabric_drop(hosts->f, port, DROP_UNEXPECTED, head, mad);
		return;
	}
	if (!arrive_is_valid(head, mad)) {
		fabric_drop(hosts->f, port, DROP_MALFORMED, head, mad);
		return;
	}
	if (host)
		agent = host_agent_of(host, mad);
	if (agent ? !host_deliver_mad(agent, head, mad) : !host_answer_unmatched(hosts, port, head, mad))
		fabric_drop(hosts->f, port, DROP_UNEXPECTED, head, mad);
}
