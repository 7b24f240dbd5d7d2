/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The processes that have a device open, and the kernel modules that are known to register for a class. */
#ifndef SRC_HOLDERS_H
#define SRC_HOLDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <madkit/error.h>
#include <madkit/port.h>
#include <madkit/writer.h>

struct holder {
	pid_t pid;
	char command[64]; /* as in /proc/PID/comm */
};

struct holders {
	struct holder *list;
	size_t n;
	size_t unreadable;                  /* processes that this user may not inspect */
	bool simulated;                     /* no device node of the kernel: holders are not known */
	const struct kernel_client *client; /* of holders_find_class(); NULL: none is known */
	bool client_loaded;                 /* its module is loaded on this machine */
};

/* Reported instead of the holders of such a port. */
#define HOLDERS_SIMULATED "not known on a simulated fabric"

/* Finds the other processes that have the device node path of the port open, as far as this process may see
 * them. Returns 0 or -errno. The caller frees holders in either case. */
int holders_find(const struct madkit_port_info *port, const char *path, struct holders *holders);
/* As holders_find() for the port's umad device. Finds also the kernel's client of the class. */
int holders_find_class(const struct madkit_port_info *port, uint8_t mgmt_class, struct holders *holders);
void holders_free(struct holders *holders);

/* A part of the kernel that registers for requests of a class. The source is the code of Linux, not the
 * running kernel. */
struct kernel_client {
	uint8_t mgmt_class;
	const char *module;
	uint64_t methods; /* bit = method */
};

/*
 * Writes the members key, an array of the processes, and "processes_not_seen". Both are null on a simulated
 * fabric. client() writes further members of the element for the kernel's client; NULL: none.
 */
void holders_write(const struct holders *holders, const char *key, struct madkit_writer *writer,
		   void (*client)(const void *context, struct madkit_writer *writer), const void *context);

/* Describes who may hold a class that is taken at the port, as text that continues a message: "; it may be
 * held by ...". */
void holders_explain(const struct holders *holders, const struct madkit_port_info *port, char *text,
		     size_t size);

#endif
