/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The functions of the C library through which programs use a umad device and its sysfs, under all the names
 * that glibc 2.36 exports for them. Calls that do not concern the simulation are passed on to the next
 * definition: that of the C library, or of a sanitizer.
 */
/* Fortified headers define some of these functions, and large-file macros rename others. */
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE
#undef _FILE_OFFSET_BITS
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>
#include "sim/preload/next.h"
#include "sim/preload/shim.h"

#define EXPORT __attribute__((visibility("default")))

/* No header declares these functions, or no header does any more. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dirfd, const char *path, int flags);
int __openat64_2(int dirfd, const char *path, int flags);
int __open(const char *path, int flags, ...);
int __open64(const char *path, int flags, ...);
ssize_t __read_chk(int fd, void *buf, size_t count, size_t size);
ssize_t __readlink_chk(const char *path, char *buf, size_t count, size_t size);
ssize_t __readlinkat_chk(int dirfd, const char *path, char *buf, size_t count, size_t size);
char *__realpath_chk(const char *path, char *resolved, size_t size);
int __xstat(int version, const char *path, struct stat *st);
int __xstat64(int version, const char *path, struct stat64 *st);
int __lxstat(int version, const char *path, struct stat *st);
int __lxstat64(int version, const char *path, struct stat64 *st);
int __fxstatat(int version, int dirfd, const char *path, struct stat *st, int flags);
int __fxstatat64(int version, int dirfd, const char *path, struct stat64 *st, int flags);

/* Converts -errno to errno and -1. */
static ssize_t interpose_result(ssize_t ret)
{
	if (ret >= 0)
		return ret;
	errno = (int)-ret;
	return -1;
}

/* ---- open -------------------------------------------------------------------------------- */

/* Checks if the path belongs to the simulation. If so, *fd is the result of open(), with errno. */
__attribute__((noinline)) static bool interpose_opened(int dirfd, const char *path, int flags, int *fd)
{
	struct shim_place place;

	switch (shim_place(dirfd, path, &place)) {
	case SHIM_ELSEWHERE:
		return false;
	case SHIM_SYSFS:
		*fd = (int)interpose_result(shim_sysfs_open(&place, flags));
		return true;
	case SHIM_UMAD:
	case SHIM_ISSM:
		*fd = (int)interpose_result(shim_device_open(&place, flags));
		return true;
	}
	return false;
}

#define MODE(flags, last) \
	({ \
		mode_t mode_ = 0; \
		if (__OPEN_NEEDS_MODE(flags)) { \
			va_list args_; \
			va_start(args_, last); \
			mode_ = va_arg(args_, mode_t); \
			va_end(args_); \
		} \
		mode_; \
	})

#define OPEN(name) \
	EXPORT int name(const char *path, int flags, ...) \
	{ \
		int fd; \
		mode_t mode = MODE(flags, flags); \
		return interpose_opened(AT_FDCWD, path, flags, &fd) ? fd : NEXT(name)(path, flags, mode); \
	}
OPEN(open)
OPEN(open64)
OPEN(__open)
OPEN(__open64)

#define OPENAT(name) \
	EXPORT int name(int dirfd, const char *path, int flags, ...) \
	{ \
		int fd; \
		mode_t mode = MODE(flags, flags); \
		return interpose_opened(dirfd, path, flags, &fd) ? fd : \
								   NEXT(name)(dirfd, path, flags, mode); \
	}
OPENAT(openat)
OPENAT(openat64)

#define OPEN_2(name) \
	EXPORT int name(const char *path, int flags) \
	{ \
		int fd; \
		return interpose_opened(AT_FDCWD, path, flags, &fd) ? fd : NEXT(name)(path, flags); \
	}
OPEN_2(__open_2)
OPEN_2(__open64_2)

#define OPENAT_2(name) \
	EXPORT int name(int dirfd, const char *path, int flags) \
	{ \
		int fd; \
		return interpose_opened(dirfd, path, flags, &fd) ? fd : NEXT(name)(dirfd, path, flags); \
	}
OPENAT_2(__openat_2)
OPENAT_2(__openat64_2)

/* Converts the mode of fopen() to flags of open(). */
static int flags_of(const char *mode)
{
	int flags = strchr(mode, '+') ? O_RDWR : mode[0] == 'r' ? O_RDONLY : O_WRONLY;

	return flags | (strchr(mode, 'e') ? O_CLOEXEC : 0);
}

static FILE *interpose_stream(int fd, const char *mode)
{
	FILE *stream = fd < 0 ? NULL : fdopen(fd, mode);

	if (fd >= 0 && !stream)
		close(fd);
	return stream;
}

#define FOPEN(name) \
	EXPORT FILE *name(const char *path, const char *mode) \
	{ \
		int fd; \
		return interpose_opened(AT_FDCWD, path, flags_of(mode), &fd) ? interpose_stream(fd, mode) : \
									       NEXT(name)(path, mode); \
	}
FOPEN(fopen)
FOPEN(fopen64)

/* ---- a device's descriptor --------------------------------------------------------------- */

EXPORT ssize_t read(int fd, void *buf, size_t count)
{
	struct shim_file file;

	return shim_file(fd, &file) == SHIM_UMAD ? interpose_result(shim_device_read(fd, &file, buf, count)) :
						   NEXT(read)(fd, buf, count);
}

EXPORT ssize_t __read_chk(int fd, void *buf, size_t count, size_t size)
{
	struct shim_file file;

	/* the C library reports a buffer that is too small */
	return count <= size && shim_file(fd, &file) == SHIM_UMAD ?
		       interpose_result(shim_device_read(fd, &file, buf, count)) :
		       NEXT(__read_chk)(fd, buf, count, size);
}

EXPORT ssize_t write(int fd, const void *buf, size_t count)
{
	struct shim_file file;

	switch (shim_file(fd, &file)) {
	case SHIM_UMAD:
		return interpose_result(shim_device_write(&file, buf, count));
	case SHIM_SYSFS:
		return interpose_result(shim_sysfs_write(fd, &file, buf, count));
	default:
		return NEXT(write)(fd, buf, count);
	}
}

EXPORT int ioctl(int fd, unsigned long request, ...)
{
	const unsigned int rdma = 0x1b;
	struct shim_file file;
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	return _IOC_TYPE(request) == rdma && shim_file(fd, &file) == SHIM_UMAD ?
		       (int)interpose_result(shim_device_ioctl(fd, &file, request, arg)) :
		       NEXT(ioctl)(fd, request, arg);
}

/* ---- streams ----------------------------------------------------------------------------- */

/* Checks if a stream writes to a file of sysfs. The C library calls its internal write() on the socket for
 * that, so an error is detected only when the stream is flushed or closed. */
static bool interpose_writes_sysfs(FILE *stream, struct shim_file *file)
{
	int saved = errno, fd = stream && __fwritable(stream) ? fileno(stream) : -1;

	errno = saved;
	return fd >= 0 && shim_file(fd, file) == SHIM_SYSFS;
}

EXPORT int fflush(FILE *stream)
{
	struct shim_file file;
	int ret = NEXT(fflush)(stream);

	if (ret || !interpose_writes_sysfs(stream, &file) || !interpose_result(shim_sysfs_written(&file)))
		return ret;
	/* bash checks only ferror() */
	stream->_flags |= _IO_ERR_SEEN;
	return EOF;
}

EXPORT int fclose(FILE *stream)
{
	struct shim_file file;
	bool failed = interpose_writes_sysfs(stream, &file) && fflush(stream);
	int err = errno, ret = NEXT(fclose)(stream);

	if (!failed)
		return ret;
	errno = err;
	return EOF;
}

/* ---- names ------------------------------------------------------------------------------- */

/* A path to pass to the C library, and the kind of the original path. */
struct real {
	enum shim_kind kind;
	unsigned int number;
	const char *path;
	char *room; /* mapped, PATH_MAX bytes; NULL: none */
};

static void real_done(const struct real *real)
{
	shim_unmap(real->room, PATH_MAX);
}

/* Returns the path to pass, and real_done() releases it; NULL with errno if there is no such file. */
__attribute__((noinline)) static const char *real_path(struct real *real, int dirfd, const char *path)
{
	struct shim_place place;
	int ret = 0;

	real->kind = shim_place(dirfd, path, &place);
	real->number = place.number;
	real->path = path;
	real->room = NULL;
	if (real->kind == SHIM_SYSFS) {
		real->path = real->room = shim_map(PATH_MAX);
		ret = real->room ? shim_sysfs_path(&place, real->room) : -ENOMEM;
	} else if (real->kind != SHIM_ELSEWHERE) {
		/* a substitute: the attributes that differ are corrected afterwards */
		real->path = "/dev/null";
		ret = shim_device_look(&place) < 0 ? -ENOENT : 0;
	}
	if (!ret)
		return real->path;
	real_done(real);
	errno = -ret;
	return NULL;
}

enum { MAJOR = 231, ISSM_MINOR = 64, DEVICE_MODE = S_IFCHR | 0600, FILE_SIZE = 4096 };

static unsigned int interpose_minor(const struct real *real)
{
	return real->number + (real->kind == SHIM_ISSM ? ISSM_MINOR : 0);
}

static bool interpose_is_device(const struct real *real)
{
	return real->kind == SHIM_UMAD || real->kind == SHIM_ISSM;
}

/* Defines the body of a function like stat(). call: the next definition, with real_.path. */
#define STAT(dirfd, name, st, call) \
	struct real real_; \
	if (!real_path(&real_, dirfd, name)) \
		return -1; \
	int ret_ = (call); \
	real_done(&real_); \
	if (!ret_ && interpose_is_device(&real_)) { \
		(st)->st_mode = DEVICE_MODE; \
		(st)->st_rdev = makedev(MAJOR, interpose_minor(&real_)); \
		(st)->st_uid = geteuid(); \
		(st)->st_gid = getegid(); \
	} \
	if (!ret_ && real_.kind == SHIM_SYSFS) { \
		(st)->st_size = S_ISREG((st)->st_mode) ? FILE_SIZE : 0; \
		(st)->st_blocks = 0; \
	} \
	return ret_

#define STATS(suffix, type) \
	EXPORT int stat##suffix(const char *path, type *st) \
	{ \
		STAT(AT_FDCWD, path, st, NEXT(stat##suffix)(real_.path, st)); \
	} \
	EXPORT int lstat##suffix(const char *path, type *st) \
	{ \
		STAT(AT_FDCWD, path, st, NEXT(lstat##suffix)(real_.path, st)); \
	} \
	EXPORT int fstatat##suffix(int dirfd, const char *path, type *st, int flags) \
	{ \
		STAT(dirfd, path, st, NEXT(fstatat##suffix)(dirfd, real_.path, st, flags)); \
	} \
	EXPORT int __xstat##suffix(int version, const char *path, type *st) \
	{ \
		STAT(AT_FDCWD, path, st, NEXT(__xstat##suffix)(version, real_.path, st)); \
	} \
	EXPORT int __lxstat##suffix(int version, const char *path, type *st) \
	{ \
		STAT(AT_FDCWD, path, st, NEXT(__lxstat##suffix)(version, real_.path, st)); \
	} \
	EXPORT int __fxstatat##suffix(int version, int dirfd, const char *path, type *st, int flags) \
	{ \
		STAT(dirfd, path, st, NEXT(__fxstatat##suffix)(version, dirfd, real_.path, st, flags)); \
	}
STATS(, struct stat)
STATS(64, struct stat64)

EXPORT int statx(int dirfd, const char *path, int flags, unsigned int mask, struct statx *st)
{
	struct real real;
	int ret;

	if (!real_path(&real, dirfd, path))
		return -1;
	ret = NEXT(statx)(dirfd, real.path, flags, mask, st);
	real_done(&real);
	if (ret)
		return ret;
	if (interpose_is_device(&real)) {
		st->stx_mode = DEVICE_MODE;
		st->stx_rdev_major = MAJOR;
		st->stx_rdev_minor = interpose_minor(&real);
		st->stx_uid = geteuid();
		st->stx_gid = getegid();
	}
	if (real.kind == SHIM_SYSFS) {
		st->stx_size = S_ISREG(st->stx_mode) ? FILE_SIZE : 0;
		st->stx_blocks = 0;
	}
	return 0;
}

/* Calls the next definition with the path that real_path() returns. */
#define PATH(dirfd, name, failed, call) \
	struct real real_; \
	if (!real_path(&real_, dirfd, name)) \
		return failed; \
	typeof(call) ret_ = (call); \
	real_done(&real_); \
	return ret_

#define ACCESS(name) \
	EXPORT int name(const char *path, int mode) \
	{ \
		PATH(AT_FDCWD, path, -1, NEXT(name)(real_.path, mode)); \
	}
ACCESS(access)
ACCESS(eaccess)
ACCESS(euidaccess)

EXPORT int faccessat(int dirfd, const char *path, int mode, int flags)
{
	PATH(dirfd, path, -1, NEXT(faccessat)(dirfd, real_.path, mode, flags));
}

EXPORT int chdir(const char *path)
{
	PATH(AT_FDCWD, path, -1, NEXT(chdir)(real_.path));
}

EXPORT DIR *opendir(const char *path)
{
	PATH(AT_FDCWD, path, NULL, NEXT(opendir)(real_.path));
}

/* Directories have FIFOs in place of devices. */
static bool interpose_is_in_place(unsigned char type, const char *name)
{
	return type == DT_FIFO && (!strncmp(name, "umad", 4) || !strncmp(name, "issm", 4));
}

#define READDIR(suffix, entry) \
	EXPORT struct entry *readdir##suffix(DIR *dir) \
	{ \
		struct entry *found = NEXT(readdir##suffix)(dir); \
		if (found && interpose_is_in_place(found->d_type, found->d_name)) \
			found->d_type = DT_CHR; \
		return found; \
	}
READDIR(, dirent)
READDIR(64, dirent64)

/* glob() calls internal functions of the C library for directories, unless others are passed. */
static void *interpose_opendir(const char *path)
{
	return opendir(path);
}

static struct dirent *interpose_readdir(void *dir)
{
	return readdir(dir);
}

static struct dirent64 *interpose_readdir64(void *dir)
{
	return readdir64(dir);
}

static void interpose_closedir(void *dir)
{
	closedir(dir);
}

#define GLOB(suffix, type, entries, stats) \
	EXPORT int glob##suffix(const char *pattern, int flags, int (*failed)(const char *path, int error), \
				type *found) \
	{ \
		if (pattern && !(flags & GLOB_ALTDIRFUNC) && shim_is_string(pattern) && \
		    strstr(pattern, "/infiniband")) { \
			found->gl_opendir = interpose_opendir; \
			found->gl_readdir = entries; \
			found->gl_closedir = interpose_closedir; \
			found->gl_stat = stat##stats; \
			found->gl_lstat = lstat##stats; \
			flags |= GLOB_ALTDIRFUNC; \
		} \
		return NEXT(glob##suffix)(pattern, flags, failed, found); \
	}
GLOB(, glob_t, interpose_readdir, )
GLOB(64, glob64_t, interpose_readdir64, 64)

EXPORT ssize_t readlink(const char *path, char *buf, size_t size)
{
	PATH(AT_FDCWD, path, -1, NEXT(readlink)(real_.path, buf, size));
}

EXPORT ssize_t __readlink_chk(const char *path, char *buf, size_t count, size_t size)
{
	PATH(AT_FDCWD, path, -1, NEXT(__readlink_chk)(real_.path, buf, count, size));
}

EXPORT ssize_t readlinkat(int dirfd, const char *path, char *buf, size_t size)
{
	PATH(dirfd, path, -1, NEXT(readlinkat)(dirfd, real_.path, buf, size));
}

EXPORT ssize_t __readlinkat_chk(int dirfd, const char *path, char *buf, size_t count, size_t size)
{
	PATH(dirfd, path, -1, NEXT(__readlinkat_chk)(dirfd, real_.path, buf, count, size));
}

/* ls -l calls them. */
#define GETXATTR(function) \
	EXPORT ssize_t function(const char *path, const char *name, void *value, size_t size) \
	{ \
		PATH(AT_FDCWD, path, -1, NEXT(function)(real_.path, name, value, size)); \
	}
GETXATTR(getxattr)
GETXATTR(lgetxattr)

/* Corrects the types in the result. The filter has seen DT_FIFO. */
#define SCANNED(names, count) \
	for (int i_ = 0; i_ < (count); i_++) \
		if (interpose_is_in_place((*(names))[i_]->d_type, (*(names))[i_]->d_name)) \
	(*(names))[i_]->d_type = DT_CHR

#define SCANDIRAT(function, dirfd, entry, call) \
	{ \
		struct real real_; \
		if (!real_path(&real_, dirfd, path)) \
			return -1; \
		int count_ = (call); \
		real_done(&real_); \
		SCANNED(names, count_); \
		return count_; \
	}

#define SCANDIR(suffix, entry) \
	EXPORT int scandir##suffix(const char *path, struct entry ***names, \
				   int (*filter)(const struct entry *), \
				   int (*compare)(const struct entry **, const struct entry **)) \
		SCANDIRAT(scandir##suffix, AT_FDCWD, entry, \
			  NEXT(scandir##suffix)(real_.path, names, filter, compare)) \
			EXPORT int scandirat##suffix(int dirfd, const char *path, struct entry ***names, \
						     int (*filter)(const struct entry *), \
						     int (*compare)(const struct entry **, \
								    const struct entry **)) \
				SCANDIRAT(scandirat##suffix, dirfd, entry, \
					  NEXT(scandirat##suffix)(dirfd, real_.path, names, filter, \
								  compare))
SCANDIR(, dirent)
SCANDIR(64, dirent64)

/* Resolves a path of the simulation. Such paths contain no symbolic links, so the normalised path is the
 * result. Returns true if the path belongs to the simulation: *answer is the result, or NULL with errno. */
__attribute__((noinline)) static bool interpose_resolve(const char *path, char *room, char **answer)
{
	struct shim_place place;
	struct real real;
	char *name;
	int ret;

	if (shim_place(AT_FDCWD, path, &place) == SHIM_ELSEWHERE)
		return false;
	*answer = NULL;
	if (!real_path(&real, AT_FDCWD, path))
		return true;
	ret = NEXT(access)(real.path, F_OK);
	real_done(&real);
	if (ret)
		return true;
	name = room ? room : malloc(PATH_MAX);
	if (name && place.kind == SHIM_SYSFS)
		snprintf(name, PATH_MAX, "/%s%s", strncmp(place.path, "dev", 3) ? "sys/" : "", place.path);
	else if (name)
		snprintf(name, PATH_MAX, "/dev/infiniband/%s%u", place.kind == SHIM_UMAD ? "umad" : "issm",
			 place.number);
	*answer = name;
	return true;
}

EXPORT char *realpath(const char *path, char *room)
{
	char *answer;

	return interpose_resolve(path, room, &answer) ? answer : NEXT(realpath)(path, room);
}

EXPORT char *__realpath_chk(const char *path, char *room, size_t size)
{
	char *answer;

	return size >= PATH_MAX && interpose_resolve(path, room, &answer) ?
		       answer :
		       NEXT(__realpath_chk)(path, room, size);
}

EXPORT char *canonicalize_file_name(const char *path)
{
	char *answer;

	return interpose_resolve(path, NULL, &answer) ? answer : NEXT(canonicalize_file_name)(path);
}
