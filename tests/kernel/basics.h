/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Used by every program of the kernel lane, with either library. */
#ifndef TESTS_KERNEL_BASICS_H
#define TESTS_KERNEL_BASICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "tests/bytes.h"

enum {
	MEGABYTE = 1 << 20,
	PATIENCE = 60000,    /* ms, for what must come */
	SOON = PATIENCE / 2, /* however slow the machine is */
	EARLY = 100,         /* ms: on a busy machine the guest's timer ticks lag behind its clock, and a
				 * timeout that the kernel counts in them ends early */
};

/* Checks a precondition: if it fails, the program ends without a plan. */
void need(bool good, const char *what);

int64_t now_ms(void);
/* Processor time that this process has used. */
int64_t cpu_ms(void);
/* Sends a signal that only interrupts, again and again at this interval, because it may arrive before the
 * call that it is meant to interrupt. 0 stops it. */
void alarm_in_ms(int ms);

/* Another process: runs serve, which says child_ready() once and never returns. It does not outlive this
 * one. Returns once it is ready. */
pid_t child_start(void (*serve)(const char *ca), const char *ca);
void child_ready(void);
void child_stop(pid_t pid);

/* The kernel's log from here on, and how many lines came since the last look at it, which are printed. */
int kernel_log_open(void);
unsigned int kernel_log_lines(int log);

/* Takes a soft-RoCE device away, in another process; device_gone() waits for that. */
pid_t device_delete(const char *ca);
void device_gone(pid_t pid);

#endif
