/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who has a device open, and who is known to take a class. */
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
	char command[64]; /* as /proc/PID/comm says */
};

struct holders {
	struct holder *list;
	size_t n;
	size_t unreadable; /* processes that we may not look into */
	bool simulated;    /* no device node of the kernel: holders are not known */
};

/* Why there are no holders of such a port. */
#define HOLDERS_SIMULATED "not known on a simulated fabric"

/* The other processes that have the device node path of the port open, as far as this one may
 * see them. 0 or -errno. Free it in either case. */
int holders_find(const struct madkit_port_info *port, const char *path, struct holders *holders);
void holders_free(struct holders *holders);

/* Parts of the kernel that register for requests of a class: what is known of
 * its sources, not what runs here. */
struct kernel_client {
	uint8_t mgmt_class;
	const char *module;
	uint64_t methods; /* bit = method */
};

/* The one of that class, or NULL. *loaded: whether the module is, here. */
const struct kernel_client *kernel_client_find(uint8_t mgmt_class, bool *loaded);

/* Adds members to a JSON object that is open: an array by that name, of the processes, and "processes_not_seen". Other holders
 * may be added between the two calls. False: the port is simulated; both members are null, and closed. */
bool holders_json_open(const struct holders *holders, const char *name, struct madkit_buf *data);
void holders_json_close(const struct holders *holders, struct madkit_buf *data);

/*
 * Who may hold a class that is taken at the port: in words that continue a message
 * ("; it may be held by ..."), and as the members "possible_holders" and
 * "processes_not_seen" of a JSON object that is open in data. They are null on a simulated fabric.
 */
void holders_explain(const struct madkit_port_info *port, uint8_t mgmt_class, char *text, size_t size,
		     struct madkit_buf *data);

#endif
