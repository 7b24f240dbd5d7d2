/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Agents and addresses to the form that they have in a packet, and back. */
#include <string.h>
#include "sim/serve/serve.h"

/* proto.h repeats these numbers, because it includes nothing of the library. */
_Static_assert((int)PROTO_PORTS_MAX == (int)TOPOLOGY_NODE_PORTS_MAX &&
		       (int)PROTO_AGENTS_MAX == (int)HOST_AGENTS_MAX &&
		       (int)PROTO_AGENT_FLAGS == (int)HOST_FLAGS,
	       "the protocol's limits are those of hosts and topologies");

void proto_read_agent(const uint8_t *rest, struct host_agent *agent)
{
	struct proto_agent from;

	memcpy(&from, rest, sizeof(from));
	*agent = (struct host_agent){
		.mgmt_class = from.mgmt_class,
		.class_version = from.class_version,
		.rmpp_version = from.rmpp_version,
		.oui = from.oui,
		.flags = from.flags,
		.method_mask = { from.method_mask[0], from.method_mask[1] },
	};
}

void proto_agent(const struct host_agent *agent, struct proto_agent *to)
{
	*to = (struct proto_agent){
		.mgmt_class = agent->mgmt_class,
		.class_version = agent->class_version,
		.rmpp_version = agent->rmpp_version,
		.oui = agent->oui,
		.flags = agent->flags,
		.method_mask = { agent->method_mask[0], agent->method_mask[1] },
	};
}

void proto_addr(const struct madkit_addr *addr, struct proto_addr *to)
{
	*to = (struct proto_addr){
		.lid = addr->lid,
		.qp = addr->qp,
		.qkey = addr->qkey,
		.pkey_index = addr->pkey_index,
		.sl = addr->sl,
		.path_bits = addr->path_bits,
		.grh = addr->grh,
	};
	if (!addr->grh)
		return;
	memcpy(to->gid, addr->gid, sizeof(to->gid));
	to->gid_index = addr->gid_index;
	to->hop_limit = addr->hop_limit;
	to->traffic_class = addr->traffic_class;
	to->flow_label = addr->flow_label;
}

void proto_read_addr(const struct proto_addr *from, struct madkit_addr *addr)
{
	/* skip the path: it is the longest member, and not used */
	memset(addr, 0, offsetof(struct madkit_addr, path));
	addr->path[0] = 0;
	addr->dr_slid = addr->dr_dlid = 0;
	addr->lid = from->lid;
	addr->qp = from->qp;
	addr->qkey = from->qkey;
	addr->pkey_index = from->pkey_index;
	addr->sl = from->sl;
	addr->path_bits = from->path_bits;
	addr->grh = from->grh;
	if (!addr->grh)
		return;
	memcpy(addr->gid, from->gid, sizeof(addr->gid));
	addr->gid_index = from->gid_index;
	addr->hop_limit = from->hop_limit;
	addr->traffic_class = from->traffic_class;
	addr->flow_label = from->flow_label;
}
