/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * To be preloaded: the n-th call that madkit itself makes of the functions
 * below goes wrong, once. Calls of other libraries are not counted, and are
 * left alone.
 *
 *   TORTURE_NTH   which call, from 1 on; without it nothing happens
 *   TORTURE_HOW   error: out of memory, of descriptors, EIO (the default)
 *                 intr:  read, write, pwrite and poll fail with EINTR
 *                 short: read, write and pwrite do one byte
 *   TORTURE_FROM  set: the n-th allocation and each after it fail; other calls are not counted
 *   TORTURE_READ  each read of madkit's own returns at most so many bytes
 *   TORTURE_PROGRAM  nothing happens in programs of other names
 *   TORTURE_SERVER   the calls count that a server makes besides: bind, epoll_ctl, fork ...
 *   TORTURE_LOG   file that gets the name of the call that went wrong; it
 *                 stays empty where there were fewer calls
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);

#define RANGES_MAX 16

static struct {
	unsigned long nth, calls;
	int server, from;
	size_t read_max; /* 0: no limit */
	enum { HOW_ERROR, HOW_INTR, HOW_SHORT } how;
	int log;
	unsigned int nranges;
	struct {
		uintptr_t begin, end;
	} ranges[RANGES_MAX];
} torture;

static void *torture_next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

/* Addresses of the code of the program and of libmadkit. */
static int add_ranges(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	(void)context;
	if (info->dlpi_name[0] && !strstr(info->dlpi_name, "libmadkit"))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) || torture.nranges == RANGES_MAX)
			continue;
		torture.ranges[torture.nranges].begin = info->dlpi_addr + p->p_vaddr;
		torture.ranges[torture.nranges++].end = info->dlpi_addr + p->p_vaddr + p->p_memsz;
	}
	return 0;
}

__attribute__((constructor)) static void torture_begin(void)
{
	const char *nth = getenv("TORTURE_NTH"), *how = getenv("TORTURE_HOW");
	const char *log = getenv("TORTURE_LOG"), *program = getenv("TORTURE_PROGRAM");
	int (*real_open)(const char *, int, ...) = torture_next("open");
	int fd;

	torture.log = -1;
	if (program && strcmp(program, program_invocation_short_name))
		return;
	fd = log ? real_open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
	/* out of the way of what a program finds at 0 to 2 */
	torture.log = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 200);
	if (fd >= 0)
		close(fd);
	torture.how = !how || !strcmp(how, "error") ? HOW_ERROR : !strcmp(how, "intr") ? HOW_INTR : HOW_SHORT;
	dl_iterate_phdr(add_ranges, NULL);
	torture.nth = nth ? strtoul(nth, NULL, 10) : 0;
	torture.server = getenv("TORTURE_SERVER") != NULL;
	torture.from = getenv("TORTURE_FROM") != NULL;
	torture.read_max = getenv("TORTURE_READ") ? strtoul(getenv("TORTURE_READ"), NULL, 10) : 0;
}

static int is_ours(const void *caller)
{
	uintptr_t at = (uintptr_t)caller;
	int ours = 0;

	for (unsigned int i = 0; i < torture.nranges; i++)
		ours |= at >= torture.ranges[i].begin && at < torture.ranges[i].end;
	return ours;
}

/* Returns true if this is the call to fail. */
static int is_it(const char *name, const void *caller)
{
	const int allocates = strstr(name, "alloc") != NULL;

	if (!torture.nth || !is_ours(caller) || (torture.from && !allocates))
		return 0;
	if (++torture.calls != torture.nth)
		return torture.from && torture.calls > torture.nth;
	if (torture.log >= 0) {
		ssize_t (*real_write)(int, const void *, size_t) = torture_next("write");

		(void)!real_write(torture.log, name, strlen(name));
		(void)!real_write(torture.log, "\n", 1);
	}
	return 1;
}

#define IS_IT(name) is_it(name, __builtin_return_address(0))
#define FAIL(code, value) \
	do { \
		errno = (code); \
		return value; \
	} while (0)

void *malloc(size_t n)
{
	if (torture.how == HOW_ERROR && IS_IT("malloc"))
		FAIL(ENOMEM, NULL);
	return __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	if (torture.how == HOW_ERROR && IS_IT("calloc"))
		FAIL(ENOMEM, NULL);
	return __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	if (torture.how == HOW_ERROR && IS_IT("realloc"))
		FAIL(ENOMEM, NULL);
	return __libc_realloc(p, n);
}

int open(const char *path, int flags, ...)
{
	int (*real)(const char *, int, ...) = torture_next("open");
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = va_arg(args, mode_t);
	va_end(args);
	if (torture.how == HOW_ERROR && IS_IT("open"))
		FAIL(EMFILE, -1);
	return real(path, flags, mode);
}

FILE *fopen(const char *path, const char *mode)
{
	FILE *(*real)(const char *, const char *) = torture_next("fopen");

	if (torture.how == HOW_ERROR && IS_IT("fopen"))
		FAIL(EMFILE, NULL);
	return real(path, mode);
}

DIR *opendir(const char *path)
{
	DIR *(*real)(const char *) = torture_next("opendir");

	if (torture.how == HOW_ERROR && IS_IT("opendir"))
		FAIL(EMFILE, NULL);
	return real(path);
}

ssize_t read(int fd, void *buf, size_t n)
{
	ssize_t (*real)(int, void *, size_t) = torture_next("read");

	if (IS_IT("read")) {
		if (torture.how == HOW_SHORT)
			return real(fd, buf, n ? 1 : 0);
		FAIL(torture.how == HOW_INTR ? EINTR : EIO, -1);
	}
	if (torture.read_max && n > torture.read_max && is_ours(__builtin_return_address(0)))
		n = torture.read_max;
	return real(fd, buf, n);
}

ssize_t write(int fd, const void *buf, size_t n)
{
	ssize_t (*real)(int, const void *, size_t) = torture_next("write");

	if (IS_IT(fd == 2 ? "write 2" : "write")) {
		if (torture.how == HOW_SHORT)
			return real(fd, buf, n ? 1 : 0);
		FAIL(torture.how == HOW_INTR ? EINTR : EIO, -1);
	}
	return real(fd, buf, n);
}

ssize_t pwrite(int fd, const void *buf, size_t n, off_t at)
{
	ssize_t (*real)(int, const void *, size_t, off_t) = torture_next("pwrite");

	if (IS_IT("pwrite")) {
		if (torture.how == HOW_SHORT)
			return real(fd, buf, n ? 1 : 0, at);
		FAIL(torture.how == HOW_INTR ? EINTR : EIO, -1);
	}
	return real(fd, buf, n, at);
}

int poll(struct pollfd *fds, nfds_t n, int ms)
{
	int (*real)(struct pollfd *, nfds_t, int) = torture_next("poll");

	if (torture.how != HOW_SHORT && IS_IT("poll"))
		FAIL(torture.how == HOW_INTR ? EINTR : EIO, -1);
	return real(fds, n, ms);
}

int ioctl(int fd, unsigned long request, ...)
{
	int (*real)(int, unsigned long, ...) = torture_next("ioctl");
	va_list args;
	void *argument;

	va_start(args, request);
	argument = va_arg(args, void *);
	va_end(args);
	if (torture.how == HOW_ERROR && IS_IT("ioctl"))
		FAIL(EIO, -1);
	return real(fd, request, argument);
}

/* ---- calls of a server, except those that remove its files ------------------------- */

#define SERVER(type, name, parameters, arguments, code, value) \
	type name parameters \
	{ \
		type(*real) parameters = torture_next(#name); \
\
		if (torture.server && torture.how == HOW_ERROR && IS_IT(#name)) \
			FAIL(code, value); \
		return real arguments; \
	}

SERVER(int, socket, (int domain, int type, int protocol), (domain, type, protocol), EMFILE, -1)
SERVER(int, bind, (int fd, const struct sockaddr *addr, socklen_t len), (fd, addr, len), ENOSPC, -1)
SERVER(int, listen, (int fd, int backlog), (fd, backlog), EADDRINUSE, -1)
SERVER(int, accept4, (int fd, struct sockaddr *addr, socklen_t *len, int flags), (fd, addr, len, flags),
       EMFILE, -1)
SERVER(int, socketpair, (int domain, int type, int protocol, int ends[2]), (domain, type, protocol, ends),
       EMFILE, -1)
SERVER(int, epoll_create1, (int flags), (flags), EMFILE, -1)
SERVER(int, epoll_ctl, (int fd, int op, int other, struct epoll_event *event), (fd, op, other, event), ENOSPC,
       -1)
SERVER(int, pipe2, (int ends[2], int flags), (ends, flags), EMFILE, -1)
SERVER(pid_t, fork, (void), (), EAGAIN, -1)
SERVER(int, mkdirat, (int fd, const char *path, mode_t mode), (fd, path, mode), ENOSPC, -1)
SERVER(int, symlink, (const char *to, const char *path), (to, path), ENOSPC, -1)
SERVER(char *, mkdtemp, (char *template), (template), ENOSPC, NULL)
SERVER(int, setenv, (const char *name, const char *value, int replace), (name, value, replace), ENOMEM, -1)

/* ---- libibumad's: it answers -errno, and sets errno sometimes ----------------- */

#define UMAD(name, parameters, arguments) \
	int name parameters \
	{ \
		int(*real) parameters = torture_next(#name); \
\
		if (torture.how == HOW_ERROR && IS_IT(#name)) \
			FAIL(EIO, -EIO); \
		return real arguments; \
	}

int umad_open_port(const char *ca, int port);
int umad_send(int fd, int agent, void *umad, int len, int timeout, int retries);
int umad_recv(int fd, void *umad, int *len, int timeout);
int umad_poll(int fd, int timeout);
int umad_get_cas_names(char cas[][20], int max);
int umad_get_ca(const char *name, void *ca);
int umad_get_port(const char *name, int number, void *port);
int umad_register2(int fd, void *attr, unsigned int *agent);
int umad_register(int fd, int class, int version, unsigned char rmpp, void *mask);
int umad_register_oui(int fd, int class, unsigned char rmpp, unsigned char *oui, void *mask);
int umad_unregister(int fd, int agent);

UMAD(umad_open_port, (const char *ca, int port), (ca, port))
UMAD(umad_send, (int fd, int agent, void *umad, int len, int timeout, int retries),
     (fd, agent, umad, len, timeout, retries))
UMAD(umad_recv, (int fd, void *umad, int *len, int timeout), (fd, umad, len, timeout))
UMAD(umad_poll, (int fd, int timeout), (fd, timeout))
UMAD(umad_get_cas_names, (char cas[][20], int max), (cas, max))
UMAD(umad_get_ca, (const char *name, void *ca), (name, ca))
UMAD(umad_get_port, (const char *name, int number, void *port), (name, number, port))
UMAD(umad_register2, (int fd, void *attr, unsigned int *agent), (fd, attr, agent))
UMAD(umad_register, (int fd, int class, int version, unsigned char rmpp, void *mask),
     (fd, class, version, rmpp, mask))
UMAD(umad_register_oui, (int fd, int class, unsigned char rmpp, unsigned char *oui, void *mask),
     (fd, class, rmpp, oui, mask))
UMAD(umad_unregister, (int fd, int agent), (fd, agent))
