/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ports and agents on UD queue pairs. */
#include <errno.h>
#include <string.h>
#include <madkit/redirect.h>
#include "agent/agent.h"
#include "transport/verbs.h"

int madkit_port_open_qp(const char *spec, const struct madkit_qp_attr *attr, struct madkit_port **port,
			struct madkit_error *error)
{
	struct transport *transport;
	int ret = verbs_open(spec, attr, &transport, error);

	return ret ? ret : port_create(transport, port, error);
}

int madkit_agent_redirect_qp(struct ibv_qp *qp, const struct madkit_agent_attr *attr,
			     struct madkit_agent **agent, struct madkit_error *error)
{
	struct madkit_refusal refusal;
	struct transport *transport;
	struct madkit_port *port;
	int ret = verbs_given_open(qp, &transport, error);

	if (!ret)
		ret = port_create(transport, &port, error);
	if (ret)
		return ret;
	ret = madkit_agent_register(port, attr, agent, &refusal);
	if (ret) {
		madkit_error_set(error, ret, -1, "%s", refusal.error.text);
		madkit_port_close(port);
	}
	return ret;
}

int madkit_agent_process_wc(struct madkit_agent *agent, const struct ibv_wc *wc, const void *buffer,
			    size_t size)
{
	return verbs_given_take(agent->port->transport, agent->id, wc, buffer, size);
}
