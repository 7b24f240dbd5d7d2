/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What every program of the kernel lane uses, whichever library it asks. */
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

/* What a test cannot go on without: it ends here, without a plan. */
void need(bool good, const char *what);

int64_t now_ms(void);
/* What this process has had of the processor. */
int64_t cpu_ms(void);
/* A signal that does nothing but interrupt, and again after as long: it may come before what it is to
 * interrupt. 0 ends that. */
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
