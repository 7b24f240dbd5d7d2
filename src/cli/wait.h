/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Every call of a command that may block is made through these functions, so that each of them ends:
 *
 *	SIGINT, SIGTERM, SIGHUP	at once: -EINTR
 *	--deadline		at the deadline: -ETIMEDOUT
 *
 * The handlers are installed without SA_RESTART. After the first signal, and from the deadline on, a timer
 * interrupts the process every WAIT_TICK_MS, so that a signal between the check and the call is not lost. The
 * deadline only ends calls that block; a call that can complete at once completes. tests/structure.sh checks
 * that src/ has no blocking call outside this file.
 */
#ifndef SRC_WAIT_H
#define SRC_WAIT_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <madkit/port.h>

enum {
	WAIT_TICK_MS = 20,
	/* An operation that is in progress when the deadline passes or the first stop signal arrives has this
	 * long to complete: output at the deadline, a partly written line, a call to a server. During this
	 * time, another stop signal does not end the process without a clean-up. */
	WAIT_GRACE_MS = 500,
};

/* Installs the handlers of SIGINT, SIGTERM and SIGHUP (unless they are ignored) and of the timer, and
 * unblocks its SIGALRM. A second stop signal has its default action, but not within WAIT_GRACE_MS: timeout(1)
 * signals a process, and then its process group. */
void wait_set_up(void);
/* For a command that leaves something behind if it is killed: makes a stop signal of every other signal that
 * a process may send and that would end this one. */
void wait_stop_on_all(void);
/* Sets the deadline to ms after wait_set_up(); negative: no deadline. */
void wait_set_deadline(int64_t ms);
/* Stops the timer. From now on, the first stop signal has its default action. */
void wait_clean_up(void);
/* Restores SIGALRM as it was before wait_set_up(); for a child that runs another program. */
void wait_restore(void);

/* Returns the first stop signal, or 0. */
int wait_signal(void);
/* Returns 0; -EINTR after a stop signal; -ETIMEDOUT after the deadline. */
int wait_error(void);
/* As wait_error(), but -ETIMEDOUT only WAIT_GRACE_MS after the deadline: for loops that read or write without
 * blocking. */
int wait_over(void);
/* Returns the time by CLOCK_MONOTONIC in nanoseconds. */
uint64_t wait_now(void);
/* Returns the nanoseconds since wait_set_up(). */
uint64_t wait_elapsed_ns(void);
/* Returns the time of wait_set_up(), by CLOCK_MONOTONIC in nanoseconds. */
uint64_t wait_started_ns(void);

/* Returns the limit for the library's calls to a server: the deadline plus WAIT_GRACE_MS, and the stop
 * signals. */
const struct madkit_limit *wait_limit(void);
/* Makes these calls, of all ports, end at end_ns (-EINTR), unless an earlier end is set. Returns the previous
 * end, which wait_calls_end_put() restores. The opening of a port ends at the deadline, without the grace
 * period. */
uint64_t wait_calls_end(uint64_t end_ns);
void wait_calls_end_put(uint64_t end_ns);
/* Returns the deadline, by CLOCK_MONOTONIC. UINT64_MAX: no deadline, or one of 0 ms, which does not limit a
 * step that has to be done once. */
uint64_t wait_deadline_ns(void);

/* These return -errno. After a signal that is not a stop signal they retry, except that wait_poll() returns
 * 0. */
int wait_open(const char *path, int flags, mode_t mode);
ssize_t wait_read(int fd, void *buf, size_t size);
int wait_poll(struct pollfd *fds, nfds_t n, int timeout_ms);

/*
 * Writes all of data. Returns 0, -EINTR, -ETIMEDOUT, or another -errno. To anything but a regular file it
 * writes whole lines, as many as fit into PIPE_BUF, because a pipe accepts those completely or not at all: if
 * a write is broken off, only a line longer than PIPE_BUF (4096 bytes) can be cut, and only if its reader
 * accepts nothing for WAIT_GRACE_MS.
 */
int wait_write(int fd, const char *data, size_t len);

/*
 * Writes as much of data as possible without blocking, in whole lines to anything but a regular file. fd is
 * non-blocking (wait_open_own()) or a regular file. Returns the number of bytes written, or -errno.
 */
ssize_t wait_write_now(int fd, const char *data, size_t len);

/* Sends a datagram, best effort: without blocking. */
void wait_send_now(int fd, const char *data, size_t len, const struct sockaddr *to, socklen_t size);

/* Checks if the reader of a pipe or socket is gone, so that a write would fail (-EPIPE). Always false for a
 * file. Does not block. */
bool wait_reader_is_gone(int fd);

/* Waits until input can be read, or ends. Returns 0; -EPIPE if the reader of output is gone and input cannot
 * be read; or an error as wait_read() does. */
int wait_input(int input, int output);

/* Opens a descriptor again as non-blocking, so that processes that share it keep a blocking one. Returns the
 * new descriptor, or -errno if that is not possible, as for a socket or a regular file. */
int wait_open_own(int fd);

/* Waits at most ms until a child ends. Returns 1 and sets *status; 0 if it has not ended in time; or
 * -errno. */
int wait_child(pid_t child, int *status, int ms);

#endif
