/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Every call of a command that may block goes through here, so that each of them ends:
 *
 *	SIGINT, SIGTERM, SIGHUP	at once: -EINTR
 *	--deadline		at the deadline: -ETIMEDOUT
 *
 * The handlers are installed without SA_RESTART. After the first signal, and from the deadline
 * on, a timer interrupts the process every WAIT_TICK_MS, so that a signal between the check and
 * the call is not lost. The deadline only ends calls that block; one that can complete at once
 * completes. tests/structure.sh checks that src/ has no blocking call outside this file.
 */
#ifndef SRC_WAIT_H
#define SRC_WAIT_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <madkit/port.h>

enum {
	WAIT_TICK_MS = 20,
	/* What has begun when the deadline passes or the first stop signal arrives has this long to be completed: output at
	 * the deadline, a line that is partly written, a call to a server. Until then, another signal is not a wish to be
	 * ended without cleaning up. */
	WAIT_GRACE_MS = 500,
};

/* Installs the handlers of SIGINT, SIGTERM and SIGHUP (unless they are ignored) and of the timer, whose SIGALRM
 * is unblocked. A second signal has its default action, but none within WAIT_GRACE_MS: timeout(1) signals a process,
 * and then its process group. */
void wait_set_up(void);
/* For a command that leaves something behind if it is killed: every other signal that a process may send, and that would
 * end this one, is a stop signal as well. */
void wait_stop_on_all(void);
/* The deadline is ms after wait_set_up(); negative: no deadline. */
void wait_set_deadline(int64_t ms);
/* Stops the timer. The first stop signal from now on has its default action. */
void wait_clean_up(void);
/* In a child that runs another program: SIGALRM is as it was before wait_set_up(). */
void wait_restore(void);

/* The first stop signal, or 0. */
int wait_signal(void);
/* 0; -EINTR after a stop signal; -ETIMEDOUT after the deadline. */
int wait_error(void);
/* The same, but -ETIMEDOUT only WAIT_GRACE_MS after the deadline: for loops that read or
 * write without blocking. */
int wait_over(void);
/* Nanoseconds, by CLOCK_MONOTONIC. */
uint64_t wait_now(void);
/* Nanoseconds since wait_set_up(). */
uint64_t wait_elapsed_ns(void);
/* When wait_set_up() was called, by CLOCK_MONOTONIC. */
uint64_t wait_started_ns(void);

/* For the library's calls to a server: the deadline and WAIT_GRACE_MS, and the signals. */
const struct madkit_limit *wait_limit(void);
/* These calls, of all ports, end at end_ns (-EINTR), unless an earlier end is set. Returns the one that was set, which
 * wait_calls_end_put() puts back. While a port is opened, nothing has begun: it ends at the deadline. */
uint64_t wait_calls_end(uint64_t end_ns);
void wait_calls_end_put(uint64_t end_ns);
/* The deadline, by CLOCK_MONOTONIC. UINT64_MAX: none, or 0 ms, which is no limit for what has to be done once. */
uint64_t wait_deadline_ns(void);

/* These return -errno and retry after a signal that is no stop signal. */
int wait_open(const char *path, int flags, mode_t mode);
ssize_t wait_read(int fd, void *buf, size_t size);
int wait_poll(struct pollfd *fds, nfds_t n, int timeout_ms);

/*
 * Writes all of data. 0, -EINTR, -ETIMEDOUT, -errno. To anything but a regular file it writes whole
 * lines, as many as fit into PIPE_BUF, because a pipe accepts those completely or not at
 * all: if a write is broken off, only a line longer than PIPE_BUF (4096 bytes) can be cut, and
 * only if its reader accepts nothing for WAIT_GRACE_MS.
 */
int wait_write(int fd, const char *data, size_t len);

/*
 * Writes as much of data as possible without blocking, in whole lines where wait_write() does. How much;
 * -errno. fd is not blocking (wait_open_own()) or a regular file.
 */
ssize_t wait_write_now(int fd, const char *data, size_t len);

/* Whether the reader of a pipe or socket is gone: a write would fail (-EPIPE). Never of a file. Does not block. */
bool wait_reader_is_gone(int fd);

/* Waits until input can be read, or ends. 0; -EPIPE: it cannot, and the reader of output is gone; as wait_read(). */
int wait_input(int input, int output);

/* Opens a descriptor again as one that does not block, so that other processes that share it keep
 * theirs. -errno: not possible, as for a socket. */
int wait_open_own(int fd);

/* Waits until a child ends, at most ms. 1 with its *status, 0 not in time or a stop signal
 * came; -errno. */
int wait_child(pid_t child, int *status, int ms);

#endif
