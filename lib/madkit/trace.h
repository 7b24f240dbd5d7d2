/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_trace - watch the MADs of the whole host
 *
 * A trace shows the header of every MAD that any process or kernel client of the host sends or
 * receives. It reads the kernel's trace events of ib_mad. The events contain the LID, the queue pair
 * and the SL of the peer, but no data beyond the MAD header.
 *
 * Each trace creates a separate trace instance in tracefs, so that it does not interfere with other
 * tracing on the host. madkit_trace_close() removes the instance. If the process is killed, the
 * directory instances/madkit-PID-N in tracefs remains; remove it with rmdir(1).
 *
 * The library loads libtracefs when a trace is opened. If libtracefs is not installed (Debian package
 * libtracefs1), madkit_trace_open() returns -EOPNOTSUPP.
 *
 * A trace has no lock: only one thread may use it at a time.
 */
#ifndef MADKIT_TRACE_H
#define MADKIT_TRACE_H

#include <madkit/decls.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <madkit/addr.h>
#include <madkit/error.h>
#include <madkit/mad.h>

MADKIT_BEGIN_DECLS

struct madkit_trace;

enum madkit_trace_kind {
	/* handed to the device: one event for each try, and for each segment of a long message */
	MADKIT_TRACE_SENT,
	MADKIT_TRACE_RECEIVED,
	MADKIT_TRACE_FAILED, /* the device failed to send it */
};

struct madkit_trace_event {
	enum madkit_trace_kind kind;
	struct timespec time;  /* real time */
	char ca[64];           /* "mlx5_0"; empty if the kernel does not report it */
	uint32_t device_index; /* of the RDMA device, as shown by rdma-link(8) */
	uint8_t port;
	uint32_t qp; /* local queue pair */
	/* lid, qp and sl of the destination or the source. The kernel reports only 16 bits of the
	 * source queue pair, and no GID; on RoCE, the LID is 0. */
	struct madkit_addr remote;
	uint32_t attempts; /* number of the try of a sent MAD; otherwise 0 */
	uint8_t mad[MADKIT_HEADER_BYTES];
};

/*
 * madkit_trace_handler - handle an event
 * @context: the context passed to madkit_trace_process()
 * @event:   the event, which is valid only during the call
 */
typedef void (*madkit_trace_handler)(void *context, const struct madkit_trace_event *event);

/*
 * madkit_trace_open - begin to watch the MADs of the host
 * @trace: receives the trace; close it with madkit_trace_close()
 * @error: receives the reason of a failure and the path concerned, or NULL
 *
 * Return: 0 on success, or:
 * - -EOPNOTSUPP: libtracefs is not installed
 * - -ENOENT: tracefs is not mounted, or the kernel has no such events (ib_core is not loaded)
 * - -EPROTO: the kernel's events have an unexpected format
 * - -ENOMEM: out of memory
 * - -EACCES and others: the trace instance cannot be created
 */
int madkit_trace_open(struct madkit_trace **trace, struct madkit_error *error);

/*
 * madkit_trace_close - stop watching, and remove the trace instance
 * @trace: trace to close, or NULL
 *
 * @trace is freed in every case.
 *
 * Return: 0, or a negated errno value if the instance could not be removed.
 */
int madkit_trace_close(struct madkit_trace *trace);

/*
 * madkit_trace_fd - return the descriptor to wait for
 * @trace: the trace
 *
 * Return: a descriptor to poll for POLLIN. When it is readable, call madkit_trace_process().
 */
int madkit_trace_fd(const struct madkit_trace *trace);

/*
 * madkit_trace_process - call a handler for each pending event
 * @trace:   the trace
 * @handler: function to call
 * @context: passed to @handler
 *
 * The handler is called in the order of the events' times. Does not block.
 *
 * Return: the number of events, or a negated errno value if the trace cannot be read any more.
 */
int madkit_trace_process(struct madkit_trace *trace, madkit_trace_handler handler, void *context);

/*
 * madkit_trace_lost - return how many events were lost
 * @trace: the trace
 *
 * The kernel drops events if they are not read in time. It does not always report how many, so that the
 * real number may be higher.
 *
 * Return: the number of events lost since the trace was opened.
 */
uint64_t madkit_trace_lost(const struct madkit_trace *trace);

/*
 * madkit_trace_stop - stop watching, and count what the kernel knows
 * @trace:  the trace
 * @lost:   receives how many events were lost since the trace was opened, exactly
 * @unread: receives how many events have been recorded, but not read
 *
 * @lost, @unread and the events that handlers were called with are together all events from
 * madkit_trace_open() to this call. madkit_trace_process() reads those that are unread. Does not block.
 *
 * Return: 0, or a negated errno value if the trace cannot be stopped, or its numbers cannot be read.
 */
int madkit_trace_stop(struct madkit_trace *trace, uint64_t *lost, uint64_t *unread);

MADKIT_END_DECLS
#endif
