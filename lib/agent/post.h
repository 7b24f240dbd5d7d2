/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef AGENT_POST_H
#define AGENT_POST_H

#include "agent/agent.h"

/* Posts as madkit_agent_post() does, with a time on the port's clock at which the send ends with
 * -ETIMEDOUT; UINT64_MAX: none. */
int post_until(struct madkit_agent *agent, struct madkit_send *send, uint64_t end_ns);

#endif
