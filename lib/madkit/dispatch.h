/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Many requests through one port. A dispatcher keeps a bounded number of them outstanding, so that requests
 * that are not answered do not hold up the others: a request occupies a place in the window only for 50 ms or
 * four times the smoothed round trip, whichever is longer. Then it is parked: its response and its resends
 * go on as before, and another request may be posted in its place.
 *
 * Subnet management packets (SMPs) have a window of their own, because VL15 has no flow control: a node drops
 * those that do not fit into its buffer. It starts small, grows by one whenever all of it was answered at the first
 * try, and is halved when a resend was answered, because then a packet was lost. An SMP occupies it for 10 ms
 * instead of 50 ms. Nodes that never answer do not change it.
 *
 *	while (there are requests, or some are outstanding) {
 *		while (there are requests && madkit_dispatcher_has_room(d, mgmt_class))
 *			madkit_dispatcher_post(d, job);
 *		madkit_dispatcher_wait(d, UINT64_MAX);
 *		while ((job = madkit_dispatcher_take(d)))
 *			what became of it is in job->error and job->reply
 *	}
 */
#ifndef MADKIT_DISPATCH_H
#define MADKIT_DISPATCH_H

#include <madkit/decls.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/agent.h>
#include <madkit/port.h>
#include <madkit/redirect.h>

MADKIT_BEGIN_DECLS

struct madkit_dispatcher;

/* The limits of a dispatcher if its caller sets none. */
enum {
	MADKIT_DISPATCH_WINDOW = 128,
	MADKIT_DISPATCH_SMPS = 8,
	MADKIT_DISPATCH_SMPS_MAX = 32,
	MADKIT_DISPATCH_PARKED = 1024,
};

struct madkit_dispatcher_attr {
	uint32_t window;   /* requests that are no SMPs; 0: MADKIT_DISPATCH_WINDOW. With 1, nothing is parked:
			    * each request ends before the next one is posted */
	uint32_t smps;     /* SMPs, at first; 0: MADKIT_DISPATCH_SMPS, or window if that is less */
	uint32_t smps_max; /* at most; 0: MADKIT_DISPATCH_SMPS_MAX, or window if that is less */
	uint32_t parked;   /* requests that may be parked; 0: MADKIT_DISPATCH_PARKED */
};

/* A request and what became of it. It belongs to the caller, and must not move while it is outstanding. */
struct madkit_job {
	/* set by the caller: */
	struct madkit_agent *agent; /* any of the port; its handlers are not called for the job */
	struct madkit_send *send;   /* filled in as for madkit_agent_post() */
	uint64_t deadline_ns;       /* port clock: it ends with -ETIMEDOUT; UINT64_MAX: none */
	unsigned int redirects;     /* as max_hops of madkit_request_redirected() */
	void *context;              /* the caller's */
	/* set when it ends: */
	int error;                 /* as madkit_request() returns; 0: the outcome is in reply */
	struct madkit_reply reply; /* attempts of all destinations; reply.recv is the caller's to free */
	struct madkit_redirected redirected;
	uint64_t posted_ns, ended_ns; /* port clock */
	void *internal;               /* the dispatcher's; NULL before the job is posted for the first time */
};

/* What is outstanding. */
struct madkit_dispatch_counts {
	uint32_t window; /* requests that occupy the window, SMPs not counted */
	uint32_t smps;   /* SMPs that occupy theirs */
	uint32_t parked;
};

/*
 * Makes a dispatcher for a port, which must outlive it. attr: its limits, or NULL. Agents and sends of others on the same
 * port are not affected. Does not block. 0 with *dispatcher; -EINVAL smps is more than smps_max; -ENOMEM.
 */
int madkit_dispatcher_new(struct madkit_port *port, const struct madkit_dispatcher_attr *attr,
			  struct madkit_dispatcher **dispatcher);

/* Ends what is outstanding, as madkit_dispatcher_end() with -ECANCELED does, frees the responses of jobs that were not
 * taken, and unregisters the dispatcher's agents. The sends are their owner's. NULL is allowed. Not from a handler. */
void madkit_dispatcher_free(struct madkit_dispatcher *dispatcher);

/*
 * Finds or registers an agent for requests: one with the same registration is used again. The handlers and the context of
 * attr are ignored. The agent belongs to the dispatcher. Does not block. 0 with *agent; -ENOMEM; or as
 * madkit_agent_register(), and refusal (may be NULL) tells why.
 */
int madkit_dispatcher_agent(struct madkit_dispatcher *dispatcher, const struct madkit_agent_attr *attr,
			    struct madkit_agent **agent, struct madkit_refusal *refusal);

/* Whether a request of this class can be posted now. */
bool madkit_dispatcher_has_room(const struct madkit_dispatcher *dispatcher, uint8_t mgmt_class);

/*
 * Posts a request. From here until madkit_dispatcher_take() returns it, the job and its send are the dispatcher's. It is
 * sent as madkit_agent_post() says, and nothing is resent after its deadline (0 is one that has passed: the request is
 * sent, and its response is not awaited). 0; -EAGAIN the window is full; -ECANCELED the
 * dispatcher is being freed; -ENOMEM; or as madkit_agent_post().
 */
int madkit_dispatcher_post(struct madkit_dispatcher *dispatcher, struct madkit_job *job);

/*
 * Drives the port until something has happened, or until that time (port clock; UINT64_MAX: without limit; a time that has
 * passed: only looks). Returns as soon as a job has ended or the window has room again; other traffic of the port goes to
 * its handlers. Follows redirections. If the new place is not reached from the port (madkit_request_redirected()), or if
 * the SA or the redirecting node has to be asked for more, the others wait for that.
 *
 * 1; 0 at that time; -EINTR a signal came (and stopped() of the port's limit, if there is one, returned true);
 * -EIO, -ENODEV the device is gone, and everything that was outstanding has been taken; -EBUSY from within a
 * handler. Other errors of madkit_port_process() end what is outstanding (job->error).
 */
int madkit_dispatcher_wait(struct madkit_dispatcher *dispatcher, uint64_t until_ns);

/*
 * For programs with a loop of their own: when madkit_dispatcher_wait() is to be called at the latest if the
 * descriptor of the port (madkit_port_fd()) does not become readable earlier; with a time that has passed, it does not
 * block. Port clock; UINT64_MAX: nothing is due. It includes madkit_port_deadline(), which does not include the times of
 * dispatchers. Call it again after each call that posts, waits or cancels.
 */
uint64_t madkit_dispatcher_deadline(const struct madkit_dispatcher *dispatcher);

/* The next job that has ended, in the order in which they ended, or NULL. Does not block. */
struct madkit_job *madkit_dispatcher_take(struct madkit_dispatcher *dispatcher);

/* Ends a job early: madkit_dispatcher_take() returns it with that error (-ECANCELED ...). What the kernel resends goes
 * on (madkit_agent_cancel()). A job that has ended already stays as it is. Does not block. */
void madkit_dispatcher_cancel(struct madkit_dispatcher *dispatcher, struct madkit_job *job, int error);

/* Ends all jobs in this way. */
void madkit_dispatcher_end(struct madkit_dispatcher *dispatcher, int error);

/* How many jobs have been posted and not taken. */
size_t madkit_dispatcher_outstanding(const struct madkit_dispatcher *dispatcher);

/* How many of them occupy the windows, and how many are parked. */
void madkit_dispatcher_count(const struct madkit_dispatcher *dispatcher,
			     struct madkit_dispatch_counts *counts);

MADKIT_END_DECLS
#endif
