/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "sim/transport/info.h"

void sim_info(const struct proto_info *from, const char *device, struct madkit_port_info *info)
{
	memset(info, 0, sizeof(*info));
	memcpy(info->ca, from->ca, sizeof(info->ca));
	memcpy(info->ca_type, from->ca_type, sizeof(info->ca_type));
	memcpy(info->firmware, from->firmware, sizeof(info->firmware));
	snprintf(info->device, sizeof(info->device), "%s", device);
	info->port = from->port;
	info->node_guid = from->node_guid;
	info->port_guid = from->port_guid;
	info->gid_prefix = from->gid_prefix;
	info->lid = from->lid;
	info->lmc = from->lmc;
	info->sm_lid = from->sm_lid;
	info->sm_sl = from->sm_sl;
	info->state = from->state;
	info->phys_state = from->phys_state;
	info->rate = from->rate;
	info->cap_mask = from->cap_mask;
	info->link_layer = MADKIT_LINK_INFINIBAND;
}

int sim_info_gid(const struct madkit_port_info *info, char *text, size_t size)
{
	size_t len = 0;

	for (unsigned int i = 0; i < 8 && len < size; i++) {
		uint64_t half = i < 4 ? info->gid_prefix : info->port_guid;

		len += (size_t)snprintf(text + len, size - len, "%s%04x", i ? ":" : "",
					(unsigned int)(half >> (48 - 16 * (i % 4)) & 0xffff));
	}
	return len < size ? 0 : -ENOENT;
}

struct host_agent sim_agent(const struct madkit_agent_attr *attr)
{
	return (struct host_agent){
		.mgmt_class = attr->mgmt_class,
		.class_version = attr->class_version,
		.rmpp_version = attr->rmpp_version,
		.oui = attr->oui,
		.flags = attr->flags,
		.method_mask = { attr->method_mask[0], attr->method_mask[1] },
	};
}
