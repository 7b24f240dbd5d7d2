/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Paths of sysfs and of devices. Directories are real ones, which the server keeps beside
 * its socket (PROTO_TREE), so that a program may list them, go there and open files from
 * there; a file that is opened has what the server says at that moment.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "sim/preload/next.h"
#include "sim/preload/shim.h"

#define SYS "/sys/"
#define DEV "/dev/infiniband"

/* In the host's directory. */
#define TREE_CLASS   "class/"
#define TREE_DEVICES "dev/infiniband"

enum { NUMBER_MAX = 65535 };

/* ---- names ----------------------------------------------------------------------------- */

/* Without "//", "/./" and "/../"; an absolute path. False: too long. */
static bool normalize(const char *path, char out[PATH_MAX])
{
	size_t len = 0;

	while (*path) {
		size_t n;

		path += strspn(path, "/");
		n = strcspn(path, "/");
		if (n == 2 && path[0] == '.' && path[1] == '.') {
			while (len && out[--len] != '/')
				;
		} else if (n && !(n == 1 && path[0] == '.')) {
			if (len + n + 2 > PATH_MAX)
				return false;
			out[len++] = '/';
			memcpy(out + len, path, n);
			len += n;
		}
		path += n;
	}
	out[len] = '\0';
	return true;
}

/* "umad3" -> 3 */
static bool number_of(const char *name, const char *prefix, unsigned int *number)
{
	size_t n = strlen(prefix);
	char *end;

	if (strncmp(name, prefix, n) || !isdigit((unsigned char)name[n]))
		return false;
	unsigned long v = strtoul(name + n, &end, 10);

	*number = (unsigned int)v;
	return !*end && v <= NUMBER_MAX;
}

/* Whether both paths name one file: the C library's realpath() needs kilobytes of stack. */
static bool same_file(const char *one, const char *other)
{
	struct stat st;
	dev_t dev;
	ino_t ino;

	if (NEXT(fstatat)(AT_FDCWD, one, &st, 0))
		return false;
	dev = st.st_dev;
	ino = st.st_ino;
	return !NEXT(fstatat)(AT_FDCWD, other, &st, 0) && st.st_dev == dev && st.st_ino == ino;
}

/* What follows SOCKET.sysfs/NODE/, where the real directories are; NULL: the path is elsewhere.
 * Whatever the spelling, what precedes the suffix names the socket. */
static const char *below_tree(char *path)
{
	const char *socket = shim_socket(), *rest;
	char *at = path;

	while (socket && (at = strstr(at, PROTO_TREE_SUFFIX "/"))) {
		bool found;

		*at = '\0';
		found = same_file(path, socket);
		*at = PROTO_TREE_SUFFIX[0];
		at += strlen(PROTO_TREE_SUFFIX "/");
		if (!found)
			continue;
		rest = strchr(at, '/');
		return rest ? rest + 1 : "";
	}
	return NULL;
}

/* A device by its path; what follows the directory of devices. */
static bool is_device(const char *name, struct shim_place *place)
{
	if (number_of(name, "umad", &place->number))
		place->kind = SHIM_UMAD;
	else if (number_of(name, "issm", &place->number))
		place->kind = SHIM_ISSM;
	else
		return false;
	return true;
}

/* An absolute path, which is as it was afterwards. */
static enum shim_kind shim_sysfs_place(char *path, struct shim_place *place)
{
	static const char nothing[] = "none"; /* there is none of this name, whatever the machine has */
	const char *rest = NULL;
	size_t len, dev = strlen(DEV), tree = strlen(TREE_DEVICES);

	place->number = 0;
	if (!strncmp(path, SYS TREE_CLASS "infiniband", strlen(SYS TREE_CLASS "infiniband")))
		rest = path + strlen(SYS);
	else if (!strncmp(path, DEV, dev) && (!path[dev] || path[dev] == '/'))
		rest = path + strlen("/");
	else
		rest = below_tree(path);
	if (!rest)
		return place->kind = SHIM_ELSEWHERE;
	if (!strncmp(rest, TREE_DEVICES "/", tree + 1)) {
		if (is_device(rest + tree + 1, place))
			return place->kind;
		rest = nothing;
	}
	len = strlen(rest);
	/* there are no longer paths */
	if (len >= sizeof(place->path)) {
		rest = nothing;
		len = strlen(rest);
	}
	memcpy(place->path, rest, len + 1);
	return place->kind = SHIM_SYSFS;
}

/* "/proc/self/fd/N" without snprintf(), which needs more than a kilobyte of stack. */
static void link_of(int fd, char link[32])
{
	static const char dir[] = "/proc/self/fd/";
	char digits[12];
	size_t n = 0, len = sizeof(dir) - 1;

	memcpy(link, dir, len);
	for (unsigned int rest = (unsigned int)fd; !n || rest; rest /= 10)
		digits[n++] = (char)('0' + rest % 10);
	while (n)
		link[len++] = digits[--n];
	link[len] = '\0';
}

/* The directory that a relative path starts from. Its length; 0: unknown; size: too long. */
static size_t base_of(int dirfd, char *base, size_t size)
{
	char link[32];
	ssize_t n;

	if (dirfd == AT_FDCWD) {
		/* glibc's getcwd() has a buffer of a page for what the system call refuses */
		n = syscall(SYS_getcwd, base, size);
		if (n < 0)
			return errno == ERANGE ? size : 0;
		n--;
	} else if (dirfd < 0) {
		return 0;
	} else {
		link_of(dirfd, link);
		n = NEXT(readlink)(link, base, size);
		if (n < 0)
			return 0;
		if ((size_t)n == size)
			return size;
		base[n] = '\0';
	}
	return base[0] == '/' ? (size_t)n : 0;
}

/* Whether a relative path may lead into the tree. */
__attribute__((noinline)) static bool starts_in_tree(int dirfd)
{
	char base[256];
	size_t len = base_of(dirfd, base, sizeof(base));

	return len == sizeof(base) || (len && strstr(base, PROTO_TREE_SUFFIX "/"));
}

/* Whether a path is worth a closer look. It costs no memory to find out. */
static bool may_be_ours(int dirfd, const char *path)
{
	return path[0] == '/' ? strstr(path, "/infiniband") || strstr(path, PROTO_TREE_SUFFIX "/") :
				path[0] && starts_in_tree(dirfd);
}

__attribute__((noinline)) static void look_closer(int dirfd, const char *path, struct shim_place *place)
{
	struct {
		char whole[2 * PATH_MAX], normal[PATH_MAX];
	} *room = shim_map(sizeof(*room));
	size_t len = 0, n = strlen(path);

	if (!room)
		return;
	if (path[0] != '/')
		len = base_of(dirfd, room->whole, PATH_MAX);
	if (n < PATH_MAX && len < PATH_MAX && (len || path[0] == '/')) {
		room->whole[len] = '/';
		memcpy(room->whole + len + 1, path, n + 1);
		if (normalize(room->whole, room->normal))
			shim_sysfs_place(room->normal, place);
	}
	shim_unmap(room, sizeof(*room));
}

enum shim_kind shim_place(int dirfd, const char *path, struct shim_place *place)
{
	int saved = errno;

	place->kind = SHIM_ELSEWHERE;
	place->number = 0;
	/* the kernel refuses a path that cannot be read */
	if (path && shim_is_string(path) && may_be_ours(dirfd, path))
		look_closer(dirfd, path, place);
	errno = saved;
	return place->kind;
}

int shim_with_flags(int fd, int flags)
{
	if ((flags & O_CLOEXEC || !fcntl(fd, F_SETFD, 0)) &&
	    (!(flags & O_NONBLOCK) || !fcntl(fd, F_SETFL, O_NONBLOCK)))
		return fd;
	int err = errno;

	close(fd);
	return -err;
}

/* ---- what is there ---------------------------------------------------------------------- */

/* By the socket's name as this process has it: the server's may be relative, to elsewhere. */
int shim_sysfs_path(const struct shim_place *place, char path[PATH_MAX])
{
	struct {
		char tree[PATH_MAX], socket[PATH_MAX];
	} *room = shim_map(sizeof(*room));
	struct sim_call c = { .call = { .op = PROTO_TREE }, .size = PATH_MAX - 1 };
	const char *node = NULL;
	int ret = -ENOENT;

	if (!room)
		return -ENOMEM;
	c.text = room->tree;
	if (!shim_call(&c, 0)) {
		room->tree[c.len] = '\0';
		node = strrchr(room->tree, '/');
	}
	if (node && NEXT(realpath)(shim_socket(), room->socket) &&
	    snprintf(path, PATH_MAX, "%s" PROTO_TREE_SUFFIX "%s/%s", room->socket, node, place->path) <
		    PATH_MAX)
		ret = 0;
	shim_unmap(room, sizeof(*room));
	return ret;
}

/* A file of these bytes, to be read from its beginning. */
static int shim_sysfs_make_file(const char *name, const void *bytes, size_t len, int flags)
{
	int fd = memfd_create(name, flags & O_CLOEXEC ? MFD_CLOEXEC : 0);

	if (fd < 0)
		return -errno;
	if (len && pwrite(fd, bytes, len, 0) == (ssize_t)len && !fchmod(fd, 0444))
		return fd;
	close(fd);
	return len ? -ENOMEM : -EINVAL;
}

/* What the call says of a file, which it names as the protocol does. */
static int call_file(uint32_t op, const char *path, struct sim_call *c, int lost)
{
	size_t skip = strlen(TREE_CLASS);

	if (strncmp(path, TREE_CLASS, skip) || !path[skip])
		return -ENOENT;
	c->call.op = op;
	c->rest[0] = (struct iovec){ (void *)(path + skip), strlen(path + skip) };
	return shim_call(c, lost);
}

/* The length of what a file holds, at most size; -errno, as shim_call(). */
static int content(const char *path, char *text, size_t size, int lost)
{
	struct sim_call c = { .text = text, .size = size };
	int ret = call_file(PROTO_SYSFS, path, &c, lost);

	return ret ? ret : (int)c.len;
}

/* A socket, so that whatever writes to it, the server gets it. */
static int shim_sysfs_open_store(const struct shim_place *place, int flags)
{
	struct sim_call c = { .call = { .arg = (flags & O_ACCMODE) == O_RDWR } };
	/* without a server: as without its module */
	int ret = call_file(PROTO_STORE, place->path, &c, -ENOENT);

	if (ret)
		return ret;
	ret = shim_file_add(c.fd, SHIM_SYSFS, c.reply.value);
	if (!ret)
		return shim_with_flags(c.fd, flags);
	close(c.fd);
	return ret;
}

int shim_sysfs_written(const struct shim_file *file)
{
	struct sim_call c = { .call = { .op = PROTO_STORED, .file = file->token } };

	return shim_call(&c, -ENODEV);
}

ssize_t shim_sysfs_write(int fd, const struct shim_file *file, const void *bytes, size_t count)
{
	ssize_t n;
	int ret;

	if (!count)
		return 0;
	n = send(fd, bytes, count < PROTO_STORE_MAX ? count : PROTO_STORE_MAX, MSG_NOSIGNAL);
	if (n < 0)
		return errno == EPIPE || errno == ECONNRESET ? -ENODEV : -errno;
	ret = shim_sysfs_written(file);
	return ret ? ret : n;
}

/* A descriptor of a file's content; -ENOENT: there is no such file. */
static int shim_sysfs_open_file(const struct shim_place *place, int flags, char text[PROTO_WORDS_MAX])
{
	const char *name = strrchr(place->path, '/');
	int len;

	if ((flags & O_ACCMODE) != O_RDONLY)
		return shim_sysfs_open_store(place, flags);
	len = content(place->path, text, PROTO_WORDS_MAX, -ENOENT);
	if (len < 0)
		return len;
	return shim_sysfs_make_file(name ? name + 1 : place->path, text, (size_t)len, flags);
}

static int shim_sysfs_open_directory(const struct shim_place *place, int flags, char real[PATH_MAX])
{
	int ret = shim_sysfs_path(place, real);

	if (ret)
		return ret;
	ret = NEXT(openat)(AT_FDCWD, real, flags | O_DIRECTORY, 0);
	return ret < 0 ? (errno == ENOTDIR && !(flags & O_DIRECTORY) ? -ENOENT : -errno) : ret;
}

int shim_sysfs_open(const struct shim_place *place, int flags)
{
	enum { ROOM = PATH_MAX > PROTO_WORDS_MAX ? PATH_MAX : PROTO_WORDS_MAX };
	char *room = shim_map(ROOM);
	int ret = room ? -ENOENT : -ENOMEM;

	if (room && place->path[0] && !(flags & O_DIRECTORY))
		ret = shim_sysfs_open_file(place, flags, room);
	if (ret == -ENOENT)
		ret = shim_sysfs_open_directory(place, flags, room);
	shim_unmap(room, ROOM);
	return ret;
}

int shim_device_look(const struct shim_place *place)
{
	char path[64], text[32];
	int len;

	snprintf(path, sizeof(path), TREE_CLASS "infiniband_mad/%s%u/port",
		 place->kind == SHIM_UMAD ? "umad" : "issm", place->number);
	len = content(path, text, sizeof(text), 0);
	return len < 0 ? len : 0;
}
