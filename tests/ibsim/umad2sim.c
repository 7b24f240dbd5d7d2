/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Preloaded into the commands on the simulated fabric. libumad2sim (0.10 to 0.12) differs from a device:
 * - It does not retry a call that a signal interrupts: if the deadline passes while a program connects to ibsim, the
 *   program exits ("connect failed").
 * - poll() multiplies the timeout by 1000 in 32 bits, and fails without a reason if it is woken for nothing.
 * - A MAD is for the agent of its class that was registered last, even if another one has registered for Reports.
 * It also has two races if a program exits before a response has arrived:
 * - When a program exits, it takes a lock, cancels its receiving thread and joins it. A thread that waits for a lock
 *   cannot be cancelled, so both wait forever if the receiver is about to take the same lock. Here, waiting threads can
 *   be cancelled.
 * - The receiver locks the queue of a descriptor before it looks whether the descriptor is open, so the queue may be
 *   NULL and something. Here, the receiver ends with the program.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <infiniband/umad.h>
#include <infiniband/umad_types.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define LOWEST_ADDRESS 4096
#define NS_PER_S       1000000000L
#define TRY_NS         10000000L

enum { TIMEOUT_MAX_MS = 1000000 };

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

int umad_poll(int fd, int timeout_ms)
{
	int (*next)(int, int) = (int (*)(int, int))dlsym(RTLD_NEXT, "umad_poll");
	int64_t left_ms = timeout_ms < 0 ? INT64_MAX : timeout_ms;
	int ret, most;

	do {
		most = left_ms < TIMEOUT_MAX_MS ? (int)left_ms : TIMEOUT_MAX_MS;
		errno = 0;
		ret = next(fd, most);
		left_ms -= ret == -ETIMEDOUT && timeout_ms >= 0 ? most : 0;
	} while ((ret == -ETIMEDOUT && left_ms > 0) || (ret == -EIO && !errno));
	return ret;
}

/* Of each class, the agent that has registered for Reports. */
static int listeners[256];

int umad_register2(int fd, struct umad_reg_attr *attr, uint32_t *agent_id)
{
	int (*next)(int, struct umad_reg_attr *, uint32_t *) =
		(int (*)(int, struct umad_reg_attr *, uint32_t *))dlsym(RTLD_NEXT, "umad_register2");
	int ret = next(fd, attr, agent_id);

	if (!ret && attr->method_mask[0] & UINT64_C(1) << UMAD_METHOD_REPORT)
		listeners[attr->mgmt_class] = (int)*agent_id + 1;
	return ret;
}

int umad_recv(int fd, void *umad, int *length, int timeout_ms)
{
	int (*next)(int, void *, int *, int) =
		(int (*)(int, void *, int *, int))dlsym(RTLD_NEXT, "umad_recv");
	int ret = next(fd, umad, length, timeout_ms);
	const struct umad_hdr *mad = umad_get_mad(umad);

	if (ret >= 0 && mad->method == UMAD_METHOD_REPORT && listeners[mad->mgmt_class])
		ret = listeners[mad->mgmt_class] - 1;
	return ret;
}
