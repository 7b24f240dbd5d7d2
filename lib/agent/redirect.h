/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A request that follows redirections, one step at a time. */
#ifndef AGENT_REDIRECT_H
#define AGENT_REDIRECT_H

#include <madkit/dispatch.h>

struct follow {
	struct madkit_job *job;
	struct madkit_port *port;   /* of the job's agent; the agent may be gone */
	struct madkit_agent *agent; /* sends the request next */
	uint32_t attempts;          /* at all targets so far */
	bool kernel_resends;
};

/* Adds the attempts at earlier targets to the job's reply. */
void follow_count(struct follow *f);

/* Checks if the reply redirects and the request may follow. If the limit of redirections was reached,
 * job->redirected has the reason. */
bool follow_wanted(struct follow *f);

/* Prepares the request to the next target: send->to and f->agent. Returns 0 or -errno. If the request cannot
 * be sent there, returns 0, and job->redirected has the reason. May block, like madkit_request(). */
int follow_next(struct follow *f);

/* Closes the port that a redirection opened. */
void follow_end(struct follow *f);

#endif
