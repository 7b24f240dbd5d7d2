/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A umad device to preload: programs that open /dev/infiniband/umadN and read sysfs see a node of the madsim
 * whose socket is MADSIM_SOCKET. MADSIM_NODE selects the node, as the words of HELLO do (sim/serve/proto.h).
 * Objects are real if possible: the descriptor of a umad device is a socket on which the server sends, so
 * that poll(), select(), epoll, dup() and fork() work unmodified, and directories of sysfs are real
 * directories.
 *
 * A program may call the functions that interpose.c replaces from a signal handler, on a stack of a few
 * kilobytes, between fork() and execve(), or while it reallocates memory. If a path or a descriptor does not
 * belong to the simulation, the library therefore takes no lock, allocates no memory, and uses at most 1 KB
 * of stack. Otherwise it takes no lock that a handler could find taken, and maps buffers of a page or more
 * (shim_map()).
 *
 *   channel.c    connections to the server (sim/serve/client.h) for threads, handlers and children
 *   files.c      the table of descriptors that belong to the simulation
 *   device.c     umad and issm devices: read(), write(), ioctl()
 *   sysfs.c      the paths that belong to the simulation, and their content
 *   memory.c     memory of the program, and mapped memory
 *   next.c       the next definitions of the functions, which next.h lists
 *   interpose.c  the functions of the C library that are replaced
 *
 * Only the functions that interpose.c defines are exported. They set errno; all others return -errno.
 */
#ifndef SHIM_H
#define SHIM_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "sim/serve/client.h"

/* ---- channel.c ----------------------------------------------------------------------- */

/* Calls the server and blocks until the reply: at most 60 s, or 0.1 s after a call without a reply. 0;
 * -errno: the error of the reply. If the server cannot be reached: lost, or the cause if lost is 0; -EFAULT
 * and -EMFILE are returned in any case. Reports on standard error, once, that there is no server.
 * Async-signal-safe, and not a cancellation point. */
int shim_call(struct sim_call *call, int lost);

/* Returns the path of the server's socket; NULL: MADSIM_SOCKET is not set. */
const char *shim_socket(void);

/* Checks if a signal reports a fault of the thread itself. */
static inline bool shim_is_fault(int signal)
{
	return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL ||
	       signal == SIGTRAP || signal == SIGSYS || signal == SIGABRT;
}

/* ---- files.c ------------------------------------------------------------------------- */

enum shim_kind {
	SHIM_ELSEWHERE, /* not part of the simulation */
	SHIM_SYSFS,
	SHIM_UMAD,
	SHIM_ISSM,
};

/* A descriptor that belongs to the simulation. */
struct shim_file {
	uint64_t token; /* identifies it to the server */
	bool pkey;      /* headers have pkey_index */
};
/* SHIM_UMAD; SHIM_SYSFS: a file that is open for writing; SHIM_ELSEWHERE: fd does not belong to the
 * simulation. Costs one load if the process has no such descriptor. Keeps errno. */
enum shim_kind shim_file(int fd, struct shim_file *file);
/* Adds a descriptor to the table. 0; -ENOMEM, -EBADF. */
int shim_file_add(int fd, enum shim_kind kind, uint64_t token);
/* Enables pkey_index in headers. 0; -EINVAL: the file has had an agent; -EBADF. */
int shim_file_enable_pkey(int fd);
/* Notes that the file has had an agent. */
void shim_file_used(int fd);

/* ---- sysfs.c ------------------------------------------------------------------------- */

enum { SHIM_PATH_MAX = 256 };

struct shim_place {
	enum shim_kind kind;
	unsigned int number;      /* of the device */
	char path[SHIM_PATH_MAX]; /* below the host's directory, without "/" at either end */
};

/* Finds the object of the simulation that a path names. Keeps errno. */
enum shim_kind shim_place(int dirfd, const char *path, struct shim_place *place);
/* Returns a descriptor of a file's present content, or of a directory, or -errno. */
int shim_sysfs_open(const struct shim_place *place, int flags);
/* Sets path to the real directory or file. 0; -ENOENT; -ENOMEM. */
int shim_sysfs_path(const struct shim_place *place, char path[PATH_MAX]);
/* Acts as write() to a file of the kernel's sysfs. */
ssize_t shim_sysfs_write(int fd, const struct shim_file *file, const void *bytes, size_t count);
/* Waits until all writes to a file are done. 0; -errno of the first write() that failed since the last
 * call. */
int shim_sysfs_written(const struct shim_file *file);
/* Applies the flags of open() to a descriptor. Returns it; on failure closes it and returns -errno. */
int shim_with_flags(int fd, int flags);
/* Checks if a device exists. 0; -ENOENT: it does not; -errno: the server cannot be reached. */
int shim_device_look(const struct shim_place *place);

/* ---- device.c ------------------------------------------------------------------------ */

int shim_device_open(const struct shim_place *place, int flags);

ssize_t shim_device_read(int fd, const struct shim_file *file, void *buf, size_t count);
ssize_t shim_device_write(const struct shim_file *file, const void *buf, size_t count);
int shim_device_ioctl(int fd, const struct shim_file *file, unsigned long request, void *arg);

/* ---- memory.c ------------------------------------------------------------------------ */

/* Copies from or to memory of the program, as the kernel does. 0; -EFAULT. */
int shim_copy(void *to, const void *from, size_t len);

/* Checks, as the kernel would, if a string can be read up to its NUL. Changes errno. */
bool shim_is_string(const char *text);

/* Returns zeroed memory in whole pages, or NULL. Async-signal-safe, unlike malloc(). shim_unmap() keeps errno
 * and accepts NULL. */
void *shim_map(size_t size);
void shim_unmap(void *memory, size_t size);

#endif
