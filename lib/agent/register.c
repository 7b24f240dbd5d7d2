/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Registers and unregisters agents; their attributes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "agent/flight.h"
#include "transport/refusal.h"

/* Replaces the defaults in attr by the values that the kernel and the library need. */
static void agent_complete(const struct madkit_port *port, struct madkit_agent_attr *attr)
{
	if (!attr->class_version && !attr->class_version_given && attr->mgmt_class)
		attr->class_version = madkit_class_version(attr->mgmt_class);
	attr->class_version_given = true;
	/* umad_register2(3) ignores the OUI of other classes, but the kernel refuses one
	 * with more than 24 bits (tests/kernel/FACTS) */
	if (!madkit_class_is_vendor2(attr->mgmt_class))
		attr->oui = 0;
	if (attr->rmpp_version && !port->transport->ops->rmpp && !(attr->flags & MADKIT_AGENT_USER_RMPP))
		attr->library_rmpp = true;
	if (attr->library_rmpp) {
		attr->rmpp_version = MADKIT_RMPP_VERSION;
		attr->flags |= MADKIT_AGENT_USER_RMPP;
	}
}

bool agent_is_alike(const struct madkit_agent *agent, const struct madkit_agent_attr *attr)
{
	struct madkit_agent_attr like = *attr;

	agent_complete(agent->port, &like);
	return !agent->gone && agent->attr.mgmt_class == like.mgmt_class &&
	       agent->attr.class_version == like.class_version && agent->attr.oui == like.oui &&
	       agent->attr.rmpp_version == like.rmpp_version && agent->attr.flags == like.flags &&
	       agent->attr.library_rmpp == like.library_rmpp;
}

/* Sets the refusal of a registration that was not passed to the transport. */
static int register_refuse(struct madkit_refusal *refusal, int code, const char *text)
{
	refusal->cause = MADKIT_REFUSAL_OTHER;
	refusal->code = code;
	return madkit_error_set(&refusal->error, -code, -1, "%s", text);
}

int madkit_agent_register(struct madkit_port *port, const struct madkit_agent_attr *attr,
			  struct madkit_agent **agent, struct madkit_refusal *refusal)
{
	struct madkit_refusal unwanted;
	struct madkit_agent *a;
	int ret;

	if (!refusal)
		refusal = &unwanted;
	memset(refusal, 0, sizeof(*refusal));
	if (!port || !attr || !agent)
		return register_refuse(refusal, EINVAL, "the port, the registration or the agent is NULL");
	if (port->dead || port->closing)
		return refusal_set(refusal, MADKIT_REFUSAL_DEVICE, port->dead ? -port->dead : ENODEV,
				   "%s is %s", port->info.device, port->dead ? "gone" : "being closed");
	a = calloc(1, sizeof(*a));
	if (!a || recv_drop_departed(port)) {
		free(a);
		return register_refuse(refusal, ENOMEM, "out of memory");
	}
	a->port = port;
	a->attr = *attr;
	agent_complete(port, &a->attr);
	list_init(&a->sends);
	list_init(&a->of_dispatcher);
	ret = port->transport->ops->attach(port->transport, &a->attr, &a->id, refusal);
	if (ret) {
		free(a);
		return ret;
	}
	list_add(&port->agents, &a->link);
	if (a->attr.library_rmpp && rmpp_open(a)) {
		madkit_agent_unregister(a);
		return register_refuse(refusal, ENOMEM, "out of memory");
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

		/* a send that has ended keeps its status */
		if (s->state != SEND_DONE)
			flight_detach(s, -ECANCELED);
		handler_sent(s);
	}
	rmpp_close(agent);
	if (!port->abandoned)
		port->transport->ops->detach(port->transport, agent->id);
	recv_drop_held(port, agent->id);
	port->departed = true;
	list_del(&agent->of_dispatcher);
	list_del(&agent->link);
	list_add(&port->gone, &agent->link);
	handler_leave(port);
}

void *madkit_agent_context(const struct madkit_agent *agent)
{
	return agent ? agent->attr.context : NULL;
}

struct madkit_port *madkit_agent_port(const struct madkit_agent *agent)
{
	return agent ? agent->port : NULL;
}

uint32_t madkit_agent_id(const struct madkit_agent *agent)
{
	return agent ? agent->id : 0;
}

const struct madkit_agent_attr *madkit_agent_get_attr(const struct madkit_agent *agent)
{
	return agent ? &agent->attr : NULL;
}

bool madkit_agent_kernel_rmpp(const struct madkit_agent *agent)
{
	return agent && agent->attr.rmpp_version && !(agent->attr.flags & MADKIT_AGENT_USER_RMPP);
}

size_t madkit_agent_outstanding(const struct madkit_agent *agent)
{
	return agent ? agent->outstanding : 0;
}
