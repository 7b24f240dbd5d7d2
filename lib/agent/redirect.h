/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A request that follows redirections, one step at a time. */
#ifndef AGENT_REDIRECT_H
#define AGENT_REDIRECT_H

#include <madkit/dispatch.h>

struct follow {
	struct madkit_job *job;
	struct madkit_port *port;   /* of the job's agent, which may be gone */
	struct madkit_agent *agent; /* from which the request is sent next */
	uint32_t attempts;          /* at all places so far */
	bool kernel_resends;
};

/* Adds the attempts at earlier places to the job's reply. */
void follow_count(struct follow *f);

/* Whether the reply redirects, and the request may follow. If it may not, job->redirected has the reason. */
bool follow_wanted(struct follow *f);

/* Prepares the request to the next place: send->to and f->agent. If it cannot be sent there, job->redirected has the
 * reason, and 0 is returned. -errno. May block, as madkit_request() does. */
int follow_next(struct follow *f);

/* Closes the port that was opened on the way. */
void follow_end(struct follow *f);

#endif
