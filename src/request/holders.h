/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The processes that have a device open, and the kernel modules that are known to register for a class. */
#ifndef SRC_HOLDERS_H
#define SRC_HOLDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <madkit/buf.h>
#include <madkit/port.h>

struct holder {
	pid_t pid;
	char command[64]; /* as in /proc/PID/comm */
};

struct holders {
	struct holder *list;
	size_t n;
	size_t unreadable; /* processes that this user may not inspect */
	bool simulated;    /* no device node of the kernel: holders are not known */
};

/* Reported instead of the holders of such a port. */
#define HOLDERS_SIMULATED "not known on a simulated fabric"

/* Finds the other processes that have the device node path of the port open, as far as this process may see
 * them. Returns 0 or -errno. The caller frees holders in either case. */
int holders_find(const struct madkit_port_info *port, const char *path, struct holders *holders);
void holders_free(struct holders *holders);

/* A part of the kernel that registers for requests of a class. The source is the code of Linux, not the
 * running kernel. */
struct kernel_client {
	uint8_t mgmt_class;
	const char *module;
	uint64_t methods; /* bit = method */
};

/* Returns the client of that class, or NULL. *loaded: its module is loaded on this machine. */
const struct kernel_client *kernel_client_find(uint8_t mgmt_class, bool *loaded);

/* Add members to a JSON object that is open: an array of the processes with that name, and
 * "processes_not_seen". Other holders may be added between the two calls. If the port is simulated,
 * holders_json_open() adds both members as null and returns false; there is nothing to close. */
bool holders_json_open(const struct holders *holders, const char *name, struct madkit_buf *data);
void holders_json_close(const struct holders *holders, struct madkit_buf *data);

/*
 * Describes who may hold a class that is taken at the port: as text that continues a message ("; it may be
 * held by ..."), and as the members "possible_holders" and "processes_not_seen" of a JSON object that is open
 * in data. The members are null on a simulated fabric.
 */
void holders_explain(const struct madkit_port_info *port, uint8_t mgmt_class, char *text, size_t size,
		     struct madkit_buf *data);

#endif
