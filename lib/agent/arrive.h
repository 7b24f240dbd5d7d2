/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* MADs that arrive: to RMPP, to the sends that they answer, to handlers. */
#ifndef AGENT_ARRIVE_H
#define AGENT_ARRIVE_H

#include "agent/agent.h"

/* Takes in what has arrived, most at most, and hands it over. How many; *err
 * is set where the transport failed or a message is too long. */
int arrive_all(struct madkit_port *port, int most, int *err);
/* What is due of responses and requests that arrive in segments. How many. */
int arrive_expire(struct madkit_port *port, uint64_t now);

#endif
