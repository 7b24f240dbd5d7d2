/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which send a MAD answers. */
#ifndef AGENT_MATCH_H
#define AGENT_MATCH_H

#include "agent/agent.h"

void match_key(const uint8_t *mad, struct send_key *key);
/* Whether who was asked there may answer from here. */
bool match_source(const struct madkit_addr *to, const struct madkit_addr *from);
/* The TID of the agent's outstanding send that a response with header h answers, or NULL. */
struct tid *match_response(const struct madkit_agent *agent, const struct madkit_header *h,
			   const struct madkit_addr *from);
/* The same of any MAD: NULL, if it is no response. */
struct tid *match_mad(const struct madkit_agent *agent, const uint8_t *mad, size_t len,
		      const struct madkit_addr *from);
/* The TID of the try that the device returned undelivered, or NULL. */
struct tid *match_returned(const struct madkit_agent *agent, const struct madkit_header *h);

#endif
