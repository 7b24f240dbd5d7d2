/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a simulated port tells about itself, in the library's words. */
#ifndef TRANSPORT_SIM_INFO_H
#define TRANSPORT_SIM_INFO_H

#include <madkit/port.h>
#include "sim/proto.h"

/* device is cut where it is too long. */
void sim_info(const struct proto_info *from, const char *device, struct madkit_port_info *info);

#endif
