/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A umad device to preload: programs that open /dev/infiniband/umadN and read sysfs see a
 * node of the madsim that MADSIM_SOCKET names; MADSIM_NODE says which (as the call HELLO of
 * sim/serve/proto.h has it). Nothing is a stand-in that need not be: the descriptor of a umad
 * device is a socket on which the server sends, so that poll(), select(), epoll, dup() and
 * fork() work without us, and directories of sysfs are real ones.
 *
 * A program may call what interpose.c replaces from a signal handler, on a stack of a few
 * kilobytes, between fork() and execve(), or with memory that is being reallocated. For a path
 * or a descriptor that is not ours the shim therefore takes no lock, allocates nothing, and uses
 * at most 1 KB of stack. For ours it takes no lock that a handler could find taken, and
 * buffers of a page or more are mapped (shim_map()).
 *
 *   channel.c    connections to the server (sim/serve/client.h) for threads, handlers and children
 *   files.c      which descriptors are ours
 *   device.c     umad and issm devices: read(), write(), ioctl()
 *   sysfs.c      which paths are meant, and what they hold
 *   next.c       the C library's own functions, which next.h has
 *   interpose.c  the functions of the C library in whose places we stand
 *
 * Of these only what interpose.c defines is visible. Functions return -errno here, and set
 * errno there.
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

/* Blocks until the server has answered, a minute at most; a tenth of a second after a call that was not answered. 0, or -errno: its refusal, or that it is
 * lost: the error lost, or the reason if that is 0. Says on standard error, once, that there is no
 * server. Async-signal-safe, and no cancellation point. */
int shim_call(struct sim_call *call, int lost);

/* The server's socket; NULL: MADSIM_SOCKET is not set. */
const char *shim_socket(void);

/* Whether a signal reports a fault of the thread itself. */
static inline bool shim_is_fault(int signal)
{
	return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL ||
	       signal == SIGTRAP || signal == SIGSYS || signal == SIGABRT;
}

/* ---- files.c ------------------------------------------------------------------------- */

enum shim_kind {
	SHIM_ELSEWHERE, /* not ours */
	SHIM_SYSFS,
	SHIM_UMAD,
	SHIM_ISSM,
};

/* What a descriptor of ours is. */
struct shim_file {
	uint64_t token; /* by which the server knows it */
	bool pkey;      /* headers have pkey_index */
};
/* SHIM_UMAD; SHIM_SYSFS: a file that is open for writing; SHIM_ELSEWHERE: fd is not ours. One load if the process has
 * none. Keeps errno. */
enum shim_kind shim_file(int fd, struct shim_file *file);
/* Remembers a descriptor. 0; -ENOMEM, -EBADF. */
int shim_file_add(int fd, enum shim_kind kind, uint64_t token);
/* Headers have pkey_index from now on. 0; -EINVAL: it has had an agent; -EBADF. */
int shim_file_enable_pkey(int fd);
/* It has had an agent. */
void shim_file_used(int fd);

/* ---- sysfs.c ------------------------------------------------------------------------- */

enum { SHIM_PATH_MAX = 256 };

struct shim_place {
	enum shim_kind kind;
	unsigned int number; /* of the device */
	char path
		[SHIM_PATH_MAX]; /* below the host's directory, without a "/" at its ends: "class/infiniband/..." */
};

/* What a path means to the program. Keeps errno. */
enum shim_kind shim_place(int dirfd, const char *path, struct shim_place *place);
/* A descriptor of a file's content as it is now, or of a directory. */
int shim_sysfs_open(const struct shim_place *place, int flags);
/* The real directory or file in its place, in path. 0, -ENOENT. */
int shim_sysfs_path(const struct shim_place *place, char path[PATH_MAX]);
/* As write() to a file of the kernel's sysfs. */
ssize_t shim_sysfs_write(int fd, const struct shim_file *file, const void *bytes, size_t count);
/* Waits until what was written to a file has been done. 0; -errno of the first write() since that failed. */
int shim_sysfs_written(const struct shim_file *file);
/* Sets on a descriptor what open() was asked for. Returns it, or closes it: -errno. */
int shim_with_flags(int fd, int flags);
/* 0; -ENOENT: there is no such device; -errno: why there is no server. */
int shim_device_look(const struct shim_place *place);

/* ---- device.c ------------------------------------------------------------------------ */

int shim_device_open(const struct shim_place *place, int flags);

ssize_t shim_device_read(int fd, const struct shim_file *file, void *buf, size_t count);
ssize_t shim_device_write(const struct shim_file *file, const void *buf, size_t count);
int shim_device_ioctl(int fd, const struct shim_file *file, unsigned long request, void *arg);

/* ---- memory.c ------------------------------------------------------------------------ */

/* As the kernel copies what a program points to, or to there. 0; -EFAULT: nothing is there. */
int shim_copy(void *to, const void *from, size_t len);

/* Whether a string can be read, up to its NUL, as the kernel would find out. errno is lost. */
bool shim_is_string(const char *text);

/* Memory of whole pages, filled with zeros; NULL: there is none. Async-signal-safe, unlike
 * malloc(). shim_unmap() keeps errno; NULL is fine. */
void *shim_map(size_t size);
void shim_unmap(void *memory, size_t size);

#endif
