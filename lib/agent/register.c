/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The beginning and the end of an agent, and what it says of itself. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "agent/flight.h"

int madkit_agent_register(struct madkit_port *port, const struct madkit_agent_attr *attr,
			  struct madkit_agent **agent, struct madkit_refusal *refusal)
{
	struct madkit_refusal unwanted;
	struct madkit_agent *a;
	int ret;

	if (!refusal)
		refusal = &unwanted;
	memset(refusal, 0, sizeof(*refusal));
	if (port->dead || port->closing) {
		refusal->cause = MADKIT_REFUSAL_DEVICE;
		refusal->code = port->dead ? -port->dead : ENODEV;
		return madkit_error_set(&refusal->error, -ENODEV, -1, "%s is %s", port->info.device,
					port->dead ? "gone" : "being closed");
	}
	a = calloc(1, sizeof(*a));
	ret = a ? recv_drop_departed(port) : -ENOMEM;
	if (ret) {
		free(a);
		refusal->cause = MADKIT_REFUSAL_OTHER;
		refusal->code = -ret;
		return madkit_error_set(&refusal->error, ret, -1, "out of memory");
	}
	a->port = port;
	a->attr = *attr;
	if (!a->attr.class_version && !a->attr.class_version_given && a->attr.mgmt_class)
		a->attr.class_version = madkit_class_version(a->attr.mgmt_class);
	a->attr.class_version_given = true;
	/* umad_register2(3) ignores the OUI of other classes, but the kernel refuses one
	 * with more than 24 bits (tests/kernel/FACTS) */
	if (!madkit_class_is_vendor2(a->attr.mgmt_class))
		a->attr.oui = 0;
	if (a->attr.rmpp_version && !port->transport->ops->rmpp && !(a->attr.flags & MADKIT_AGENT_USER_RMPP))
		a->attr.library_rmpp = true;
	if (a->attr.library_rmpp) {
		a->attr.rmpp_version = MADKIT_RMPP_VERSION;
		a->attr.flags |= MADKIT_AGENT_USER_RMPP;
	}
	list_init(&a->sends);
	ret = port->transport->ops->attach(port->transport, &a->attr, &a->id, refusal);
	if (ret) {
		free(a);
		return ret;
	}
	list_add(&port->agents, &a->link);
	ret = a->attr.library_rmpp ? rmpp_open(a) : 0;
	if (ret) {
		madkit_agent_unregister(a);
		refusal->cause = MADKIT_REFUSAL_OTHER;
		refusal->code = -ret;
		return madkit_error_set(&refusal->error, ret, -1, "%s", strerror(-ret));
	}
	*agent = a;
	return 0;
}

void madkit_agent_unregister(struct madkit_agent *agent)
{
	struct madkit_port *port;

	if (!agent || agent->gone)
		return;
	port = agent->port;
	agent->gone = true;
	handler_enter(port);
	while (!list_empty(&agent->sends)) {
		struct send *s = list_entry(agent->sends.next, struct send, of_agent);

		/* one that has ended keeps its end */
		if (s->state != SEND_DONE)
			flight_detach(s, -ECANCELED);
		handler_sent(s);
	}
	rmpp_close(agent);
	if (!port->abandoned)
		port->transport->ops->detach(port->transport, agent->id);
	recv_drop_held(port, agent->id);
	port->departed = true;
	list_del(&agent->link);
	list_add(&port->gone, &agent->link);
	handler_leave(port);
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
