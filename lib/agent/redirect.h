/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A request that follows redirections, one step at a time. */
#ifndef AGENT_REDIRECT_H
#define AGENT_REDIRECT_H

#include <madkit/redirect.h>

struct follow {
	struct madkit_port *port;   /* its caller's */
	struct madkit_agent *first; /* the same */
	struct madkit_agent *agent; /* the one that is asked from */
	struct madkit_send *send;
	uint64_t deadline_ns;
	unsigned int max_hops;
	struct madkit_redirected *redirected;
	uint32_t attempts; /* at all places so far */
	bool kernel_resends;
};

/* Adds the attempts at earlier places to the reply. */
void follow_count(struct follow *f, struct madkit_reply *reply);

/* Whether the reply redirects to somewhere where the request may go; if it may not, *f->redirected says why. */
bool follow_wanted(struct follow *f, const struct madkit_reply *reply);

/* Gets everything ready for the next place: send->to, and f->agent, from which it is to be asked. -errno; if the place
 * is not to be asked, f->redirected says why and it is 0. May block, as madkit_request() does. */
int follow_next(struct follow *f, const struct madkit_reply *reply);

/* Closes what was opened on the way. */
void follow_end(struct follow *f);

#endif
