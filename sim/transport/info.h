/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a simulated port tells about itself, and is told, between its words and the library's. */
#ifndef SIM_TRANSPORT_INFO_H
#define SIM_TRANSPORT_INFO_H

#include <madkit/agent.h>
#include <madkit/port.h>
#include "sim/host/host.h"
#include "sim/serve/proto.h"

/* device is cut where it is too long. */
void sim_info(const struct proto_info *from, const char *device, struct madkit_port_info *info);

/* The port's GID as sysfs has it: eight words. 0; -ENOENT: text is too short. */
int sim_info_gid(const struct madkit_port_info *info, char *text, size_t size);

/* A registration as the host's kernel takes it. */
struct host_agent sim_agent(const struct madkit_agent_attr *attr);

#endif
