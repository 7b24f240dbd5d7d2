/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "agent/agent.h"

struct madkit_agent *agent_find(const struct madkit_port *port, uint32_t id)
{
	for (struct list *l = port->agents.next; l != &port->agents; l = l->next) {
		struct madkit_agent *agent = list_entry(l, struct madkit_agent, link);

		if (agent->id == id)
			return agent;
	}
	return NULL;
}

void *madkit_agent_context(const struct madkit_agent *agent)
{
	return agent->attr.context;
}

struct madkit_port *madkit_agent_port(const struct madkit_agent *agent)
{
	return agent->port;
}

uint32_t madkit_agent_id(const struct madkit_agent *agent)
{
	return agent->id;
}

const struct madkit_agent_attr *madkit_agent_get_attr(const struct madkit_agent *agent)
{
	return &agent->attr;
}

bool madkit_agent_kernel_rmpp(const struct madkit_agent *agent)
{
	return agent->attr.rmpp_version && !(agent->attr.flags & MADKIT_AGENT_USER_RMPP);
}

size_t madkit_agent_outstanding(const struct madkit_agent *agent)
{
	return agent->outstanding;
}
