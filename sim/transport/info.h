/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Conversion of port attributes and registrations between the simulation and the library. */
#ifndef SIM_TRANSPORT_INFO_H
#define SIM_TRANSPORT_INFO_H

#include <madkit/agent.h>
#include <madkit/port.h>
#include "sim/host/host.h"
#include "sim/serve/proto.h"

/* Sets *info. device is truncated if it is too long. */
void sim_info(const struct proto_info *from, const char *device, struct madkit_port_info *info);

/* Writes the port's GID in the format of sysfs: eight words. 0; -ENOENT: text is too short. */
int sim_info_gid(const struct madkit_port_info *info, char *text, size_t size);

/* Converts a registration to that of the host's kernel. */
struct host_agent sim_agent(const struct madkit_agent_attr *attr);

#endif
