/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A view of the MADs of the whole host, whichever process or kernel client sends
 * and receives them: their headers, from the kernel's trace events of ib_mad. Of
 * addresses the events tell LID, queue pair and SL, of data nothing.
 *
 * A trace instance of the kernel's (tracefs) serves each of these objects alone, so
 * that other tracing on the host is neither seen nor disturbed. It goes with
 * madkit_trace_close(); a process that is killed leaves it behind, as
 * instances/madkit-PID-N below the tracefs, and rmdir takes it away.
 *
 * libtracefs is opened with the first trace. If it is missing (Debian: libtracefs1),
 * madkit_trace_open() returns -EOPNOTSUPP.
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
	MADKIT_TRACE_SENT, /* handed to the device: each try, and of a long
				 * message each segment */
	MADKIT_TRACE_RECEIVED,
	MADKIT_TRACE_FAILED, /* to be sent, but the device failed */
};

struct madkit_trace_event {
	enum madkit_trace_kind kind;
	struct timespec time;  /* real time */
	char ca[64];           /* "mlx5_0"; empty where the kernel does not say */
	uint32_t device_index; /* of the RDMA device, as "rdma link" numbers them */
	uint8_t port;
	uint32_t qp;               /* this host's */
	struct madkit_addr remote; /* lid, qp, sl: where to, or where from. The kernel
				 * keeps 16 bits of the QP that something came
				 * from, and no GID: on RoCE the LID is 0 */
	uint32_t attempts;         /* of what is sent: which try it is; else 0 */
	uint8_t mad[MADKIT_HEADER_BYTES];
};

/* An event, which lives only for the call. */
typedef void (*madkit_trace_handler)(void *context, const struct madkit_trace_event *event);

/*
 * Begins to watch. 0 with *trace; -EOPNOTSUPP libtracefs is missing; -ENOENT no tracefs
 * is mounted, or the kernel has no such events (ib_core is not loaded); -EACCES or
 * another -errno where no instance can be made; -EPROTO where the events are not as
 * they should be; -ENOMEM. error names the path.
 */
int madkit_trace_open(struct madkit_trace **trace, struct madkit_error *error);

/* Ends it, and takes the instance away. NULL is fine. 0, or -errno where the
 * instance is still there. */
int madkit_trace_close(struct madkit_trace *trace);

/* The descriptor to wait for (POLLIN). */
int madkit_trace_fd(const struct madkit_trace *trace);

/* Calls the handler for each event that is there, in the order of their times. Does
 * not block. How many; -errno where nothing can be read any more. */
int madkit_trace_process(struct madkit_trace *trace, madkit_trace_handler handler, void *context);

/* How many events the kernel dropped since it was opened, because nobody read
 * them in time: at least so many, as it does not always tell the number. */
uint64_t madkit_trace_lost(const struct madkit_trace *trace);

MADKIT_END_DECLS
#endif
