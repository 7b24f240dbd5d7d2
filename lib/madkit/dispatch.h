/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_dispatch - keep many requests outstanding on one port
 *
 * A dispatcher sends many requests in parallel and limits how many are outstanding, so that it
 * overloads neither the fabric nor a node. Requests that get no response do not delay the others.
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

/* ---- using a dispatcher -----------------------------------------------------
 * The program posts jobs as long as the dispatcher has room, waits, and takes the jobs that have ended:
 *
 *	while (there are more requests || madkit_dispatcher_outstanding(d)) {
 *		while (there are more requests && madkit_dispatcher_has_room(d, mgmt_class))
 *			madkit_dispatcher_post(d, job);
 *		madkit_dispatcher_wait(d, UINT64_MAX);
 *		while ((job = madkit_dispatcher_take(d)))
 *			use job->error and job->reply;
 *	}
 *
 * A dispatcher belongs to its port: only one thread at a time may use the port, its agents and its
 * dispatchers (madkit_port(3)).
 */

/* ---- the window -------------------------------------------------------------
 * A request occupies a place in the window until it ends, but at most for 50 ms or four smoothed round
 * trips, whichever is longer. After that it is parked: it remains outstanding and is resent as before,
 * but another request may be posted in its place.
 *
 * Subnet management packets (SMPs) have a separate window, because VL15 has no flow control: a node
 * drops SMPs that do not fit into its buffer. This window starts small. It grows by one in each timeout
 * in which nothing was lost. It is halved when a resend is answered, because a packet was then lost, down
 * to 1: a node need not have room for more. It does not return to a size at which SMPs were lost twice. SMPs that are
 * never answered do not change it. An SMP occupies its place for 4 ms instead of 50 ms.
 *
 * If all tries of an SMP are lost in this way, its node seems to be silent. Before a program reports a
 * silent node, it tries once more, with madkit_dispatcher_last_tries().
 */

struct madkit_dispatcher;

/* The default limits of a dispatcher. */
enum {
	MADKIT_DISPATCH_WINDOW = 128,
	MADKIT_DISPATCH_SMPS = 8,
	MADKIT_DISPATCH_SMPS_MAX = 32,
	MADKIT_DISPATCH_LAST_SMPS = 1,
	MADKIT_DISPATCH_PARKED = 1024,
};

/* The limits of a dispatcher. */
struct madkit_dispatcher_attr {
	/* requests other than SMPs; 0: MADKIT_DISPATCH_WINDOW. If this is 1, no request is parked: each
	 * ends before the next of its window is posted. An SMP and another request may be outstanding
	 * together. */
	uint32_t window;
	uint32_t smps;     /* SMPs at first; 0: MADKIT_DISPATCH_SMPS, but at most smps_max */
	uint32_t smps_max; /* SMPs at most; 0: MADKIT_DISPATCH_SMPS_MAX, but at most window */
	uint32_t parked;   /* requests that may be parked; 0: MADKIT_DISPATCH_PARKED */
};

/* A request and its result. The caller owns it and must not move it while it is outstanding. */
struct madkit_job {
	/* set by the caller: */
	struct madkit_agent *agent; /* any agent of the port; its handlers are not called for the job */
	struct madkit_send *send;   /* filled in as for madkit_agent_post() */
	/* when the job ends with -ETIMEDOUT in reply.status, on the port clock; UINT64_MAX: no deadline */
	uint64_t deadline_ns;
	unsigned int redirects; /* as max_hops of madkit_request_redirected() */
	void *context;          /* for the caller's use */
	/* set when the job ends: */
	int error;                 /* 0: the result is in reply; else as madkit_request() returns */
	struct madkit_reply reply; /* attempts includes all destinations; the caller frees reply.recv */
	struct madkit_redirected redirected;
	uint64_t posted_ns, ended_ns; /* port clock */
	void *internal;               /* used by the dispatcher; the caller sets it to NULL once */
};

/* Numbers of outstanding requests. */
struct madkit_dispatch_counts {
	uint32_t window; /* requests other than SMPs that occupy the window */
	uint32_t smps;   /* SMPs that occupy their window */
	uint32_t parked;
};

/*
 * madkit_dispatcher_new - make a dispatcher
 * @port:       port to use, which must outlive the dispatcher
 * @attr:       limits, or NULL for the defaults
 * @dispatcher: receives the dispatcher; free it with madkit_dispatcher_free()
 *
 * Other agents and sends of the port are not affected. Does not block.
 *
 * Return: 0; -EINVAL if smps is more than smps_max; -ENOMEM if out of memory.
 */
int madkit_dispatcher_new(struct madkit_port *port, const struct madkit_dispatcher_attr *attr,
			  struct madkit_dispatcher **dispatcher);

/*
 * madkit_dispatcher_free - free a dispatcher
 * @dispatcher: dispatcher to free, or NULL
 *
 * Ends outstanding jobs with -ECANCELED (madkit_dispatcher_end()), frees the responses of jobs that
 * were not taken, and unregisters the agents of the dispatcher. The jobs and their sends remain the
 * caller's. Must not be called from a handler.
 */
void madkit_dispatcher_free(struct madkit_dispatcher *dispatcher);

/*
 * madkit_dispatcher_agent - return an agent for jobs
 * @dispatcher: the dispatcher
 * @attr:       registration of the agent; its handlers and its context are ignored
 * @agent:      receives the agent, which belongs to the dispatcher
 * @refusal:    receives the reason if the registration is refused, or NULL
 *
 * If the dispatcher already has an agent with the same registration, it is used again. Does not block.
 *
 * Return: 0, or an error of madkit_agent_register().
 */
int madkit_dispatcher_agent(struct madkit_dispatcher *dispatcher, const struct madkit_agent_attr *attr,
			    struct madkit_agent **agent, struct madkit_refusal *refusal);

/*
 * madkit_dispatcher_has_room - check whether a request can be posted now
 * @dispatcher: the dispatcher
 * @mgmt_class: class of the request
 *
 * Return: true if the window for this class has a free place, and the limit of the rate of the port
 * (madkit_port_set_mad_rate()) lets another MAD pass now.
 */
bool madkit_dispatcher_has_room(const struct madkit_dispatcher *dispatcher, uint8_t mgmt_class);

/*
 * madkit_dispatcher_post - post a request
 * @dispatcher: the dispatcher
 * @job:        the request
 *
 * If it succeeds, the job and its send belong to the dispatcher until madkit_dispatcher_take() returns
 * the job. The request is sent as by madkit_agent_post(). After the deadline of the job, nothing is
 * resent except segments of a message that is acknowledged in part, which the kernel may still resend.
 * If the deadline has already passed, the request is sent, but its response is not awaited. Handlers may
 * call this function.
 *
 * Return: 0 on success, or:
 * - -EAGAIN: the window is full
 * - -ECANCELED: the dispatcher is being freed
 * - -ENOMEM: out of memory
 * - others: an error of madkit_agent_post()
 */
int madkit_dispatcher_post(struct madkit_dispatcher *dispatcher, struct madkit_job *job);

/*
 * madkit_dispatcher_last_tries - limit SMPs to MADKIT_DISPATCH_LAST_SMPS at a time, or end that limit
 * @dispatcher: the dispatcher
 * @last_tries: true: SMPs that are posted from now on are last tries
 *
 * Last tries have a window of their own, which does not change. The limit holds only if no other SMP is
 * outstanding: call this function when all have ended. A last try is best sent once (retries 0).
 */
void madkit_dispatcher_last_tries(struct madkit_dispatcher *dispatcher, bool last_tries);

/*
 * madkit_dispatcher_wait - wait until a job has ended or a place in a window becomes free
 * @dispatcher: the dispatcher
 * @until_ns:   when to stop waiting, on the port clock; UINT64_MAX: never. If it is in the past, the
 *              function does not wait.
 *
 * Drives the port: handlers are called for its other traffic. Follows redirections. All other jobs wait
 * while a redirected request uses a temporary queue pair (madkit_request_redirected()), and while the
 * SA or the redirecting node is queried.
 *
 * A place that was already free when the function was called does not end the wait: post until
 * madkit_dispatcher_has_room() returns false first.
 *
 * Return: 1 if a job has ended or a place in a window has become free; 0 if @until_ns has passed; or:
 * - -EINTR: stopped() of the port's limit has become true since the function was called, or a signal
 *   interrupted the wait and stopped() is true or NULL
 * - -EIO, -ENODEV: the device is gone, and no job is left to take
 * - -EBUSY: called from a handler
 * - others: an error of madkit_port_wait()
 *
 * Other errors of madkit_port_process() end the outstanding jobs, with that error in job->error.
 */
int madkit_dispatcher_wait(struct madkit_dispatcher *dispatcher, uint64_t until_ns);

/*
 * madkit_dispatcher_deadline - return when madkit_dispatcher_wait() has to be called
 * @dispatcher: the dispatcher
 *
 * This is for programs with an event loop. Call madkit_dispatcher_wait() when the descriptor of the
 * port (madkit_port_fd()) is readable, and at the latest at the returned time. With a time that has
 * passed as until_ns, it does not wait.
 *
 * The returned time includes madkit_port_deadline(), which does not include the times of dispatchers.
 * It changes with each call that posts, waits or cancels.
 *
 * Return: time on the port clock in nanoseconds; UINT64_MAX if nothing is due.
 */
uint64_t madkit_dispatcher_deadline(const struct madkit_dispatcher *dispatcher);

/*
 * madkit_dispatcher_take - return the next job that has ended
 * @dispatcher: the dispatcher
 *
 * Jobs are returned in the order in which they ended. Does not block.
 *
 * Return: the job, which again belongs to the caller; NULL if no job has ended.
 */
struct madkit_job *madkit_dispatcher_take(struct madkit_dispatcher *dispatcher);

/*
 * madkit_dispatcher_cancel - end a job early
 * @dispatcher: the dispatcher
 * @job:        the job; if it has already ended, it is not changed
 * @error:      value for job->error, such as -ECANCELED
 *
 * madkit_dispatcher_take() returns the job later. Resends by the kernel continue; see
 * madkit_agent_cancel(). Does not block.
 */
void madkit_dispatcher_cancel(struct madkit_dispatcher *dispatcher, struct madkit_job *job, int error);

/*
 * madkit_dispatcher_end - end all jobs early
 * @dispatcher: the dispatcher
 * @error:      value for job->error of each job, such as -ECANCELED
 *
 * The jobs still have to be taken (madkit_dispatcher_take()). Calls madkit_port_process(), which calls
 * handlers. If this function is called from a handler, the jobs end in the next
 * madkit_dispatcher_wait(). Does not block, with the exceptions of madkit_port_process().
 */
void madkit_dispatcher_end(struct madkit_dispatcher *dispatcher, int error);

/*
 * madkit_dispatcher_outstanding - return the number of jobs
 * @dispatcher: the dispatcher
 *
 * Return: the number of jobs that have been posted and not taken.
 */
size_t madkit_dispatcher_outstanding(const struct madkit_dispatcher *dispatcher);

/*
 * madkit_dispatcher_count - count the requests in the windows and the parked ones
 * @dispatcher: the dispatcher
 * @counts:     receives the numbers
 */
void madkit_dispatcher_count(const struct madkit_dispatcher *dispatcher,
			     struct madkit_dispatch_counts *counts);

MADKIT_END_DECLS
#endif
