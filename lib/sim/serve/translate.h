/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Conversion between structs of the protocol and of the library. */
#ifndef SIM_SERVE_TRANSLATE_H
#define SIM_SERVE_TRANSLATE_H

#include <stdint.h>
#include <madkit/addr.h>
#include "sim/host/host.h"
#include "sim/serve/proto.h"

void proto_agent(const struct host_agent *agent, struct proto_agent *to);
/* rest follows a call that proto_read_call() has checked. */
void proto_read_agent(const uint8_t *rest, struct host_agent *agent);

void proto_addr(const struct madkit_addr *addr, struct proto_addr *to);
void proto_read_addr(const struct proto_addr *from, struct madkit_addr *addr);

#endif
