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
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "shim/shim.h"

#define SYS	"/sys/class/"
#define DEV	"/dev/infiniband/"

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
	return !*end && v <= TOPOLOGY_NODE_PORTS_MAX;
}

/* Where real directories stand: SOCKET.sysfs/NODE/... */
static const char *below_tree(const char *path)
{
	const char *socket = shim_socket(), *rest;
	char real[PATH_MAX];

	if (!socket || !strstr(path, PROTO_TREE_SUFFIX "/") || !libc_realpath(socket, real))
		return NULL;
	size_t n = strlen(real);

	if (strncmp(path, real, n) ||
	    strncmp(path + n, PROTO_TREE_SUFFIX "/", strlen(PROTO_TREE_SUFFIX "/")))
		return NULL;
	rest = strchr(path + n + strlen(PROTO_TREE_SUFFIX "/"), '/');
	return rest ? rest + 1 : "";
}

/* An absolute path. */
static enum shim_kind place_of(const char *path, struct shim_place *place)
{
	const char *rest = NULL;

	place->number = 0;
	if (!strncmp(path, SYS "infiniband", strlen(SYS "infiniband")))
		rest = path + strlen(SYS);
	else if (!strncmp(path, DEV, strlen(DEV))) {
		path += strlen(DEV);
		if (number_of(path, "umad", &place->number))
			return place->kind = SHIM_UMAD;
		if (number_of(path, "issm", &place->number))
			return place->kind = SHIM_ISSM;
		/* the machine's own */
		rest = "none";
	} else {
		rest = below_tree(path);
	}
	if (!rest)
		return place->kind = SHIM_ELSEWHERE;
	/* what is longer is not there */
	snprintf(place->path, sizeof(place->path), "%s",
		 strlen(rest) < sizeof(place->path) ? rest : "none");
	return place->kind = SHIM_SYSFS;
}

/* The directory that a relative path starts from: worth asking only where it may be ours. */
static bool base_of(int dirfd, char base[PATH_MAX])
{
	char link[32];
	ssize_t n;

	if (!shim_socket())
		return false;
	if (dirfd == AT_FDCWD)
		return getcwd(base, PATH_MAX);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", dirfd);
	n = libc_readlink(link, base, PATH_MAX - 1);
	if (n <= 0)
		return false;
	base[n] = '\0';
	return base[0] == '/';
}

enum shim_kind shim_place(int dirfd, const char *path, struct shim_place *place)
{
	char whole[2 * PATH_MAX], normal[PATH_MAX];
	int saved = errno;

	place->kind = SHIM_ELSEWHERE;
	if (!path)
		return place->kind;
	if (path[0] == '/') {
		if (normalize(path, normal))
			place_of(normal, place);
	} else if (path[0] && strlen(path) < PATH_MAX && base_of(dirfd, whole) &&
		   strstr(whole, PROTO_TREE_SUFFIX "/")) {
		strcat(strcat(whole, "/"), path);
		if (normalize(whole, normal))
			place_of(normal, place);
	}
	errno = saved;
	return place->kind;
}

/* ---- what is there ---------------------------------------------------------------------- */

/* By the socket's name as this process has it: the server's may be relative, to elsewhere. */
int shim_sysfs_path(const struct shim_place *place, char path[PATH_MAX])
{
	char tree[PATH_MAX], socket[PATH_MAX];
	struct shim_answer answer = { .text = tree, .room = sizeof(tree) - 1 };
	const char *node;

	if (shim_call(&(struct shim_call){ .op = PROTO_TREE, .pass = -1 }, &answer))
		return -ENOENT;
	tree[answer.len] = '\0';
	node = strrchr(tree, '/');
	if (!node || !libc_realpath(shim_socket(), socket))
		return -ENOENT;
	return snprintf(path, PATH_MAX, "%s" PROTO_TREE_SUFFIX "%s/%s", socket, node,
			place->path) < PATH_MAX ? 0 : -ENOENT;
}

/* A file of these bytes, to be read from its beginning. */
static int file_of(const char *name, const void *bytes, size_t len, int flags)
{
	int fd = memfd_create(name, flags & O_CLOEXEC ? MFD_CLOEXEC : 0);

	if (fd < 0)
		return -errno;
	if (len && libc_write(fd, bytes, len) == (ssize_t)len && !lseek(fd, 0, SEEK_SET))
		return fd;
	close(fd);
	return len ? -ENOMEM : -EINVAL;
}

static int content(const char *path, struct shim_answer *answer)
{
	return shim_call(&(struct shim_call){ .op = PROTO_SYSFS, .pass = -1, .rest = path,
					      .rest_len = strlen(path) }, answer);
}

int shim_sysfs_open(const struct shim_place *place, int flags)
{
	char text[PROTO_WORDS_MAX], real[PATH_MAX];
	struct shim_answer answer = { .text = text, .room = sizeof(text) };
	const char *name = strrchr(place->path, '/');
	int ret = -ENOENT;

	if (place->path[0] && !(flags & O_DIRECTORY)) {
		ret = content(place->path, &answer);
		/* as without its module */
		if (answer.lost)
			return -ENOENT;
		if (!ret && (flags & O_ACCMODE) != O_RDONLY)
			return -EACCES;
		if (!ret)
			return file_of(name ? name + 1 : place->path, text, answer.len, flags);
	}
	if (ret == -ENOENT)
		ret = shim_sysfs_path(place, real);
	if (ret)
		return ret;
	ret = libc_openat(AT_FDCWD, real, flags | O_DIRECTORY, 0);
	return ret < 0 ? (errno == ENOTDIR && !(flags & O_DIRECTORY) ? -ENOENT : -errno) : ret;
}

int shim_device_port(const struct shim_place *place)
{
	char path[64], text[32];
	struct shim_answer answer = { .text = text, .room = sizeof(text) - 1 };
	int ret;

	snprintf(path, sizeof(path), "infiniband_mad/%s%u/port",
		 place->kind == SHIM_UMAD ? "umad" : "issm", place->number);
	ret = content(path, &answer);
	if (ret)
		return ret;
	text[answer.len] = '\0';
	return (int)strtoul(text, NULL, 10);
}
