/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#define _GNU_SOURCE /* memrchr() */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "util/array_size.h"
#include "wait.h"

#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S  UINT64_C(1000000000)
#define US_PER_S  UINT64_C(1000000)

/* The first real-time signal of Linux; the C library reserves some of them. */
enum { WAIT_REAL_TIME = 32 };

/* Written by the signal handlers. A command, unlike the library, may have global state. */
static volatile sig_atomic_t stop_signal, deadline_passed, cleaning_up;
static uint64_t started_ns, deadline_ns = UINT64_MAX;
static uint64_t calls_end_ns = UINT64_MAX;
/* written only by the handler of the first stop signal, before stop_signal */
static volatile uint64_t stopped_ns;
/* SIGALRM as it was before wait_set_up() */
static struct sigaction inherited_tick;
static bool inherited_tick_blocked;

uint64_t wait_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

/* ---- signals and the timer ----------------------------------------------------------- */

static void wait_tick_set(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGALRM);
}

/* Starts the timer: first after ns, then every WAIT_TICK_MS. Linux uses CLOCK_MONOTONIC for it. */
static void wait_arm(uint64_t ns)
{
	/* round up: after a tick before the deadline, the clock is checked only WAIT_TICK_MS later */
	uint64_t us = ns ? (ns + 999) / 1000 : 1;
	struct itimerval timer = {
		.it_interval.tv_usec = WAIT_TICK_MS * 1000,
		.it_value = { .tv_sec = (time_t)(us / US_PER_S), .tv_usec = (suseconds_t)(us % US_PER_S) },
	};

	setitimer(ITIMER_REAL, &timer, NULL);
}

/* Checks if WAIT_GRACE_MS have passed since then; UINT64_MAX: never. */
static bool wait_grace_over(uint64_t since_ns)
{
	return since_ns != UINT64_MAX && wait_now() >= since_ns + WAIT_GRACE_MS * NS_PER_MS;
}

static void wait_on_tick(int sig)
{
	int saved = errno;

	(void)sig;
	if (wait_now() >= deadline_ns)
		deadline_passed = 1;
	errno = saved;
}

static void wait_on_stop(int sig)
{
	int saved = errno;

	if (stop_signal ? wait_grace_over(stopped_ns) : cleaning_up) {
		/* delivered when this handler has returned */
		signal(sig, SIG_DFL);
		kill(getpid(), sig);
	} else if (!stop_signal) {
		stopped_ns = wait_now();
		stop_signal = sig;
		wait_arm(WAIT_TICK_MS * NS_PER_MS);
	}
	errno = saved;
}

static void wait_stop_on(int sig)
{
	struct sigaction stop = { .sa_handler = wait_on_stop }, old;

	/* keep ignoring the signals that nohup and the background jobs of a shell ignore */
	if (!sigaction(sig, NULL, &old) && old.sa_handler == SIG_IGN)
		return;
	/* no handler interrupts another: stop_signal is set only once */
	sigfillset(&stop.sa_mask);
	sigaction(sig, &stop, NULL);
}

void wait_stop_on_all(void)
{
	static const int others[] = { SIGQUIT, SIGUSR1, SIGUSR2,   SIGVTALRM, SIGPROF,
				      SIGIO,   SIGPWR,  SIGSTKFLT, SIGXCPU };

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		wait_stop_on(others[i]);
	/* sigaction() refuses the signals of the C library */
	for (int sig = WAIT_REAL_TIME; sig < _NSIG; sig++)
		wait_stop_on(sig);
}

void wait_set_up(void)
{
	static const int stops[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction tick = { .sa_handler = wait_on_tick };
	sigset_t ticks, inherited;

	sigfillset(&tick.sa_mask);
	started_ns = wait_now();
	sigaction(SIGALRM, &tick, &inherited_tick);
	/* A parent that blocks the stop signals does so on purpose; but without the timer, nothing would
	 * end. */
	wait_tick_set(&ticks);
	sigprocmask(SIG_UNBLOCK, &ticks, &inherited);
	inherited_tick_blocked = sigismember(&inherited, SIGALRM) == 1;
	for (size_t i = 0; i < ARRAY_SIZE(stops); i++)
		wait_stop_on(stops[i]);
}

void wait_set_deadline(int64_t ms)
{
	uint64_t now = wait_now();

	if (ms < 0) {
		deadline_ns = UINT64_MAX;
		deadline_passed = 0;
		if (!stop_signal)
			setitimer(ITIMER_REAL, &(struct itimerval){ { 0, 0 }, { 0, 0 } }, NULL);
		return;
	}
	deadline_ns = started_ns + (uint64_t)ms * NS_PER_MS;
	if (!stop_signal)
		wait_arm(deadline_ns > now ? deadline_ns - now : 0);
}

void wait_clean_up(void)
{
	cleaning_up = 1;
	signal(SIGALRM, SIG_IGN);
	deadline_ns = UINT64_MAX;
	deadline_passed = 0;
}

void wait_restore(void)
{
	sigset_t ticks;

	sigaction(SIGALRM, &inherited_tick, NULL);
	wait_tick_set(&ticks);
	if (inherited_tick_blocked)
		sigprocmask(SIG_BLOCK, &ticks, NULL);
}

int wait_signal(void)
{
	return stop_signal;
}

int wait_error(void)
{
	return stop_signal ? -EINTR : deadline_passed ? -ETIMEDOUT : 0;
}

int wait_over(void)
{
	return stop_signal ? -EINTR : deadline_passed && wait_grace_over(deadline_ns) ? -ETIMEDOUT : 0;
}

uint64_t wait_elapsed_ns(void)
{
	return wait_now() - started_ns;
}

uint64_t wait_started_ns(void)
{
	return started_ns;
}

uint64_t wait_deadline_ns(void)
{
	return deadline_ns > started_ns ? deadline_ns : UINT64_MAX;
}

uint64_t wait_calls_end(uint64_t end_ns)
{
	uint64_t set = calls_end_ns;

	if (end_ns < set)
		calls_end_ns = end_ns;
	return set;
}

void wait_calls_end_put(uint64_t end_ns)
{
	calls_end_ns = end_ns;
}

static bool wait_is_stopped(void *context)
{
	(void)context;
	return stop_signal || wait_now() >= calls_end_ns;
}

const struct madkit_limit *wait_limit(void)
{
	static struct madkit_limit limit = { .stopped = wait_is_stopped };

	limit.deadline_ns = deadline_ns == UINT64_MAX ? UINT64_MAX : deadline_ns + WAIT_GRACE_MS * NS_PER_MS;
	return &limit;
}

/* ---- calls --------------------------------------------------------------------------- */

int wait_open(const char *path, int flags, mode_t mode)
{
	for (;;) {
		int fd = open(path, flags, mode), ret;

		if (fd >= 0)
			return fd;
		ret = errno == EINTR ? wait_error() : -errno;
		if (ret)
			return ret;
	}
}

int wait_poll(struct pollfd *fds, nfds_t n, int timeout_ms)
{
	int got = poll(fds, n, timeout_ms);

	/* 0 after a signal: the caller knows how much of the time is left */
	return got >= 0 ? got : errno == EINTR ? wait_error() : -errno;
}

ssize_t wait_read(int fd, void *buf, size_t size)
{
	for (;;) {
		ssize_t n = read(fd, buf, size);
		int ret;

		if (n >= 0)
			return n;
		if (errno == EINTR)
			ret = wait_error();
		else if (errno == EAGAIN)
			ret = wait_poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, -1);
		else
			ret = -errno;
		if (ret < 0)
			return ret;
	}
}

/* ---- writing ------------------------------------------------------------------------- */

/* Returns how much to write at once to a file that is not regular. */
static size_t wait_write_unit(const char *data, size_t len)
{
	const char *newline;

	if (len <= PIPE_BUF)
		return len;
	newline = memrchr(data, '\n', PIPE_BUF);
	return newline ? (size_t)(newline - data) + 1 : PIPE_BUF;
}

/* Returns the reason to stop writing, after a signal or the deadline, or 0. */
static int wait_write_over(bool within_line)
{
	return stop_signal && within_line && !wait_grace_over(stopped_ns) ? 0 : wait_over();
}

int wait_write(int fd, const char *data, size_t len)
{
	const char *start = data;
	struct stat st;
	bool regular = !fstat(fd, &st) && S_ISREG(st.st_mode);

	while (len) {
		struct pollfd room = { .fd = fd, .events = POLLOUT };
		bool within_line = data > start && data[-1] != '\n';
		int ret = wait_write_over(within_line);
		ssize_t n;

		/* data that can be written without blocking is still written */
		if (ret && !regular && poll(&room, 1, 0) <= 0)
			return ret;
		n = write(fd, data, regular ? len : wait_write_unit(data, len));
		if (n >= 0) {
			data += n;
			len -= (size_t)n;
			continue;
		}
		if (errno == EAGAIN) {
			/* another program that shares the terminal made it non-blocking */
			poll(&room, 1, -1);
			continue;
		}
		if (errno != EINTR)
			return -errno;
	}
	return 0;
}

ssize_t wait_write_now(int fd, const char *data, size_t len)
{
	struct stat st;
	bool regular = !fstat(fd, &st) && S_ISREG(st.st_mode);
	size_t done = 0;

	while (done < len) {
		struct pollfd room = { .fd = fd, .events = POLLOUT };
		ssize_t n;

		if (!regular && !poll(&room, 1, 0))
			break;
		n = write(fd, data + done, regular ? len - done : wait_write_unit(data + done, len - done));
		if (n < 0 && errno == EAGAIN)
			break;
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n < 0 && wait_error())
			break;
		if (n > 0)
			done += (size_t)n;
	}
	return (ssize_t)done;
}

void wait_send_now(int fd, const char *data, size_t len, const struct sockaddr *to, socklen_t size)
{
	(void)!sendto(fd, data, len, MSG_DONTWAIT | MSG_NOSIGNAL, to, size);
}

bool wait_reader_is_gone(int fd)
{
	struct pollfd output = { .fd = fd };

	return poll(&output, 1, 0) > 0 && output.revents & (POLLERR | POLLHUP);
}

int wait_input(int input, int output)
{
	struct pollfd fds[] = { { .fd = input, .events = POLLIN }, { .fd = output } };
	int ret;

	do {
		ret = wait_poll(fds, ARRAY_SIZE(fds), -1);
		if (ret < 0)
			return ret;
	} while (!ret);
	return fds[0].revents ? 0 : -EPIPE;
}

int wait_open_own(int fd)
{
	char path[32];
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	/* a second descriptor of a regular file would have a separate offset */
	if (S_ISREG(st.st_mode))
		return -EINVAL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return wait_open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0);
}

/* ---- children ------------------------------------------------------------------------ */

int wait_child(pid_t child, int *status, int ms)
{
	uint64_t end = wait_now() + (uint64_t)ms * NS_PER_MS;

	for (;;) {
		pid_t pid = waitpid(child, status, WNOHANG);

		if (pid == child)
			return 1;
		if (pid < 0 && errno != EINTR)
			return -errno;
		if (wait_now() >= end)
			return 0;
		poll(NULL, 0, 2);
	}
}
