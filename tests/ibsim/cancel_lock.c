/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Preloaded into the commands on the simulated fabric, so that they can end while a response is on its way.
 * libumad2sim (0.10 to 0.12) has two races then:
 * - When a program exits, it takes a lock, cancels its receiving thread and joins it. A thread that waits for a lock
 *   cannot be cancelled, so both wait forever if the receiver is about to take the same lock. Here, waiting threads can
 *   be cancelled.
 * - The receiver locks the queue of a descriptor before it looks whether the descriptor is open, so the queue may be
 *   NULL and something. Here, the receiver ends with the program.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
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
