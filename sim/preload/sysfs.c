/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Paths of sysfs and of devices. Directories are real directories beside the server's socket (PROTO_TREE), so
 * that a program can list them, change to them, and open files relative to them. The content of a file is
 * fetched from the server when it is opened.
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

/* Paths in the directory of the host. */
#define TREE_CLASS   "class/"
#define TREE_DEVICES "dev/infiniband"

enum { NUMBER_MAX = 65535 };

/* ---- names ----------------------------------------------------------------------------- */

/* Makes a path absolute, without "//", "/./" and "/../". Returns false if it is too long. */
static bool sysfs_normalize(const char *path, char out[PATH_MAX])
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

/* Checks if both paths name the same file. realpath() of the C library would need kilobytes of stack. */
static bool sysfs_same_file(const char *one, const char *other)
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

/* Returns the first PROTO_TREE_SUFFIX at the end of a directory's name, or NULL. strstr() may need 400 bytes of
 * stack, depending on where the text lies. */
static const char *sysfs_suffix(const char *path)
{
	while ((path = strchr(path, PROTO_TREE_SUFFIX[0])) &&
	       strncmp(path, PROTO_TREE_SUFFIX "/", strlen(PROTO_TREE_SUFFIX "/")) != 0)
		path++;
	return path;
}

/* Returns the part of a path that follows SOCKET.sysfs/HOST/, where the real directories are; NULL: the path
 * is elsewhere. The socket is recognised by its inode, whatever the spelling of its path. */
static const char *sysfs_below_tree(char *path)
{
	const char *socket = shim_socket(), *rest;
	char *at = path;

	while (socket && (at = (char *)sysfs_suffix(at))) {
		bool found;

		*at = '\0';
		found = sysfs_same_file(path, socket);
		*at = PROTO_TREE_SUFFIX[0];
		at += strlen(PROTO_TREE_SUFFIX "/");
		if (!found)
			continue;
		rest = strchr(at, '/');
		return rest ? rest + 1 : "";
	}
	return NULL;
}

/* Parses the name of a device, without its directory. */
static bool sysfs_is_device(const char *name, struct shim_place *place)
{
	if (number_of(name, "umad", &place->number))
		place->kind = SHIM_UMAD;
	else if (number_of(name, "issm", &place->number))
		place->kind = SHIM_ISSM;
	else
		return false;
	return true;
}

/* Classifies an absolute path. path is restored before the function returns. */
static enum shim_kind shim_sysfs_place(char *path, struct shim_place *place)
{
	static const char nothing[] = "none"; /* a name that never exists, whatever devices the machine has */
	const char *rest = NULL;
	size_t len, dev = strlen(DEV), tree = strlen(TREE_DEVICES);

	place->number = 0;
	if (!strncmp(path, SYS TREE_CLASS "infiniband", strlen(SYS TREE_CLASS "infiniband")))
		rest = path + strlen(SYS);
	else if (!strncmp(path, DEV, dev) && (!path[dev] || path[dev] == '/'))
		rest = path + strlen("/");
	else
		rest = sysfs_below_tree(path);
	if (!rest)
		return place->kind = SHIM_ELSEWHERE;
	if (!strncmp(rest, TREE_DEVICES "/", tree + 1)) {
		if (sysfs_is_device(rest + tree + 1, place))
			return place->kind;
		rest = nothing;
	}
	len = strlen(rest);
	/* no path of the simulation is longer */
	if (len >= sizeof(place->path)) {
		rest = nothing;
		len = strlen(rest);
	}
	memcpy(place->path, rest, len + 1);
	return place->kind = SHIM_SYSFS;
}

/* Writes "/proc/self/fd/N" without snprintf(), which needs more than 1 KB of stack. */
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

/* Gets the directory from which a relative path starts. Returns its length; 0: unknown; size: too long. */
static size_t sysfs_base(int dirfd, char *base, size_t size)
{
	char link[32];
	ssize_t n;

	if (dirfd == AT_FDCWD) {
		/* if the system call fails, glibc's getcwd() uses a buffer of one page */
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

/* Checks if a relative path may lead into the tree. */
__attribute__((noinline)) static bool starts_in_tree(int dirfd)
{
	char base[256];
	size_t len = sysfs_base(dirfd, base, sizeof(base));

	return len == sizeof(base) || (len && sysfs_suffix(base));
}

/* Checks if a path may belong to the simulation. Needs no memory. */
static bool sysfs_may_be_ours(int dirfd, const char *path)
{
	return path[0] == '/' ? strstr(path, "/infiniband") || sysfs_suffix(path) :
				path[0] && starts_in_tree(dirfd);
}

__attribute__((noinline)) static void sysfs_look_closer(int dirfd, const char *path, struct shim_place *place)
{
	struct {
		char whole[2 * PATH_MAX], normal[PATH_MAX];
	} *room = shim_map(sizeof(*room));
	size_t len = 0, n = strlen(path);

	if (!room)
		return;
	if (path[0] != '/')
		len = sysfs_base(dirfd, room->whole, PATH_MAX);
	if (n < PATH_MAX && len < PATH_MAX && (len || path[0] == '/')) {
		room->whole[len] = '/';
		memcpy(room->whole + len + 1, path, n + 1);
		if (sysfs_normalize(room->whole, room->normal))
			shim_sysfs_place(room->normal, place);
	}
	shim_unmap(room, sizeof(*room));
}

enum shim_kind shim_place(int dirfd, const char *path, struct shim_place *place)
{
	int saved = errno;

	place->kind = SHIM_ELSEWHERE;
	place->number = 0;
	/* leave a path that cannot be read to the kernel, which refuses it */
	if (path && shim_is_string(path) && sysfs_may_be_ours(dirfd, path))
		sysfs_look_closer(dirfd, path, place);
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

/* ---- existing entries ---------------------------------------------------------------------- */

/* Builds the path from the name that this process has for the socket: the server's name may be relative to
 * another directory. */
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

/* Returns a descriptor of a file with these bytes, at offset 0, or -errno. */
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

/* Makes a call about a file. The path in the call is relative to class/. */
static int call_file(uint32_t op, const char *path, struct sim_call *c, int lost)
{
	size_t skip = strlen(TREE_CLASS);

	if (strncmp(path, TREE_CLASS, skip) || !path[skip])
		return -ENOENT;
	c->call.op = op;
	c->rest[0] = (struct iovec){ (void *)(path + skip), strlen(path + skip) };
	return shim_call(c, lost);
}

/* Reads a file into text. Returns the length, at most size, or -errno as shim_call(). */
static int sysfs_content(const char *path, char *text, size_t size, int lost)
{
	struct sim_call c = { .text = text, .size = size };
	int ret = call_file(PROTO_SYSFS, path, &c, lost);

	return ret ? ret : (int)c.len;
}

/* Returns a socket, so that the server gets the bytes whichever process or function writes them. */
static int shim_sysfs_open_store(const struct shim_place *place, int flags)
{
	struct sim_call c = { .call = { .arg = (flags & O_ACCMODE) == O_RDWR } };
	/* without a server, as without the kernel module */
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

/* Returns a descriptor of a file's content, or -errno; -ENOENT: there is no such file. */
static int shim_sysfs_open_file(const struct shim_place *place, int flags, char text[PROTO_WORDS_MAX])
{
	const char *name = strrchr(place->path, '/');
	int len;

	if ((flags & O_ACCMODE) != O_RDONLY)
		return shim_sysfs_open_store(place, flags);
	len = sysfs_content(place->path, text, PROTO_WORDS_MAX, -ENOENT);
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
	len = sysfs_content(path, text, sizeof(text), 0);
	return len < 0 ? len : 0;
}
