/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Preloaded into the commands on the simulated fabric. libumad2sim (0.10 to 0.12) does not retry a call that a signal
 * interrupts: if the deadline passes while a program connects to ibsim, the program exits ("connect failed"). It also
 * has two races if a program exits before a response has arrived:
 * - When a program exits, it takes a lock, cancels its receiving thread and joins it. A thread that waits for a lock
 *   cannot be cancelled, so both wait forever if the receiver is about to take the same lock. Here, waiting threads can
 *   be cancelled.
 * - The receiver locks the queue of a descriptor before it looks whether the descriptor is open, so the queue may be
 *   NULL and something. Here, the receiver ends with the program.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define LOWEST_ADDRESS 4096
#define NS_PER_S       1000000000L
#define TRY_NS         10000000L

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	int ret;

	while ((uintptr_t)mutex < LOWEST_ADDRESS)
		pause();
	ret = pthread_mutex_trylock(mutex);
	while (ret == EBUSY || ret == ETIMEDOUT) {
		struct timespec end;

		pthread_testcancel();
		clock_gettime(CLOCK_REALTIME, &end);
		end.tv_nsec += TRY_NS;
		if (end.tv_nsec >= NS_PER_S) {
			end.tv_nsec -= NS_PER_S;
			end.tv_sec++;
		}
		ret = pthread_mutex_timedlock(mutex, &end);
	}
	return ret;
}

/* No other socket of a command is a datagram socket. ibsim responds to every call, so a retry ends. */
static bool of_ibsim(int fd)
{
	int type;
	socklen_t size = sizeof(type);

	return !getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) && type == SOCK_DGRAM;
}

ssize_t read(int fd, void *buf, size_t size)
{
	ssize_t (*next)(int, void *, size_t) = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
	ssize_t n;

	do {
		n = next(fd, buf, size);
	} while (n < 0 && errno == EINTR && of_ibsim(fd));
	return n;
}

ssize_t write(int fd, const void *buf, size_t size)
{
	ssize_t (*next)(int, const void *, size_t) =
		(ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
	ssize_t n;

	do {
		n = next(fd, buf, size);
	} while (n < 0 && errno == EINTR && of_ibsim(fd));
	return n;
}
