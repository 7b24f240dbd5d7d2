/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A command that runs as a service of systemd: sd_notify(3) without its library, and the journal. */
#ifndef SRC_SERVICE_H
#define SRC_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

/* Sends a state, such as "READY=1", to the service manager. Does nothing without one, and does not wait. */
void service_notify(const char *state);

/* Returns after how many nanoseconds without "WATCHDOG=1" the service manager would end the process; 0: never. */
uint64_t service_watchdog_ns(void);

/* Checks if a descriptor leads to the journal, so that lines may begin with their priority: "<4>". */
bool service_is_journal(int fd);

#endif
