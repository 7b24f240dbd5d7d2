/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls of the preloaded device to a server that does not respond: silent PID, the server's. The minute that
 * a call waits for a response is LIMIT_MS here.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "tests/tap.h"

#define ISSM "/dev/infiniband/issm0"
#define LID  "/sys/class/infiniband/sim0/ports/1/lid"

enum { LIMIT_MS = 3000, MINUTE_S = 60, CALLS = 10, THREADS = 4, CLOSING_MS = 1000 };

/* The preloaded library calls it. */
int setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	struct timeval limit;

	if (level == SOL_SOCKET && (name == SO_RCVTIMEO || name == SO_SNDTIMEO) && len == sizeof(limit)) {
		memcpy(&limit, value, sizeof(limit));
		if (limit.tv_sec == MINUTE_S) {
			limit = (struct timeval){ .tv_sec = LIMIT_MS / 1000 };
			value = &limit;
		}
	}
	return (int)syscall(SYS_setsockopt, fd, level, name, value, len);
}

static long silent_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Opens and closes a file. Returns 0 or errno; *ms is the duration. */
static int silent_open(const char *path, int flags, long *ms)
{
	long began = silent_ms();
	int fd = open(path, flags), err = errno;

	*ms = silent_ms() - began;
	if (fd < 0)
		return err;
	close(fd);
	return 0;
}

static void silent_caught(int signal)
{
	(void)signal;
}

/* A signal arrives in 300 ms. */
static void silent_alarm(int flags)
{
	struct sigaction action = { .sa_handler = silent_caught, .sa_flags = flags };
	const struct itimerval timer = { .it_value = { .tv_usec = 300000 } };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

static void silent_stopped(pid_t server)
{
	long ms, all = 0;
	int err = 0;

	is_int(silent_open(LID, O_RDONLY, &ms), 0, "the server answers");
	kill(server, SIGSTOP);
	silent_alarm(0);
	is_int(silent_open(ISSM, O_RDONLY, &ms), EINTR, "open() of an issm device ends at a signal");
	ok(ms >= 250 && ms < LIMIT_MS, "... at once, after %ld ms", ms);
	silent_alarm(SA_RESTART);
	is_int(silent_open(ISSM, O_RDONLY, &ms), ETIMEDOUT, "... but not if the handler restarts it");
	ok(ms >= LIMIT_MS, "... after %ld ms", ms);
	for (int i = 0; i < CALLS; i++) {
		err = silent_open(LID, O_RDONLY, &ms);
		all += ms;
	}
	is_int(err, ENOENT, "later calls fail");
	ok(all < LIMIT_MS, "... soon: %d of them in %ld ms", CALLS, all);
	kill(server, SIGCONT);
	for (int i = 0; err && i < 100; i++)
		err = silent_open(LID, O_RDONLY, &ms);
	is_int(err, 0, "they succeed when the server answers again");
	kill(server, SIGSTOP);
	silent_open(LID, O_RDONLY, &ms);
	ok(ms >= LIMIT_MS, "... and then wait for it as before, for %ld ms", ms);
	kill(server, SIGCONT);
	for (int i = 0; silent_open(LID, O_RDONLY, &ms) && i < 100; i++)
		;
}

static bool silent_end;

static void *silent_calls(void *context)
{
	long *longest = context, ms;

	while (!__atomic_load_n(&silent_end, __ATOMIC_RELAXED)) {
		silent_open(LID, O_RDONLY, &ms);
		if (ms > *longest)
			*longest = ms;
	}
	return NULL;
}

/* As daemons do. */
static void silent_closing(void)
{
	long began = silent_ms(), longest[THREADS] = { 0 }, ms;
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, silent_calls, &longest[i]);
	while (silent_ms() < began + CLOSING_MS)
		for (int fd = 100; fd < 1024; fd++)
			close(fd);
	__atomic_store_n(&silent_end, true, __ATOMIC_RELAXED);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		ok(longest[i] < LIMIT_MS, "no call waits in vain: %ld ms", longest[i]);
	}
	is_int(silent_open(LID, O_RDONLY, &ms), 0, "... and others succeed");
}

int main(int argc, char **argv)
{
	silent_stopped(argc > 1 ? atoi(argv[1]) : 0);
	silent_closing();
	return tap_done();
}
