/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* For targets that read files, or that complain on standard error. */
#ifndef FUZZ_FILE_H
#define FUZZ_FILE_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Absent unless a sanitizer is linked in. */
extern void __sanitizer_set_report_fd(void *fd) __attribute__((weak));

/* Discards messages; reports of a sanitizer still appear, and fuzz_die() does. */
static inline int fuzz_quiet(void)
{
	static int fd = -1;
	int null;

	if (fd >= 0)
		return fd;
	fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (fd < 0 || null < 0)
		abort();
	dup2(null, STDERR_FILENO);
	close(null);
	if (__sanitizer_set_report_fd)
		__sanitizer_set_report_fd((void *)(intptr_t)fd);
	return fd;
}

/* Ends the program with what went wrong, also after fuzz_quiet(). */
__attribute__((noreturn)) static inline void fuzz_die(const char *what)
{
	dprintf(fuzz_quiet(), "%s\n", what);
	abort();
}

/* A file of these bytes, read from its beginning: its descriptor. */
static inline int fuzz_file(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET))
		abort();
	return fd;
}

/* The path that opens it again. */
static inline const char *fuzz_path(int fd, char path[40])
{
	snprintf(path, 40, "/proc/self/fd/%d", fd);
	return path;
}

#endif
