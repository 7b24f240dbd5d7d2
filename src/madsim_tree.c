/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Directories as those of a node's sysfs, with empty files, for programs that list them. They are
 * below SOCKET.sysfs, a directory of mode 0700 that this user owns: no other user can replace
 * anything in it. It is opened once; everything below is reached from its descriptor without
 * following symbolic links, so that nothing outside is ever written or removed.
 */
#define _GNU_SOURCE /* O_PATH */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli.h"
#include "madsim_server_int.h"
#include "sim/serve/serve.h"

enum { PATH_BYTES = 256, DEPTH = 8, TREE_DIRECTORY = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

/* ---- removing ---------------------------------------------------------------------------- */

static void tree_empty(int dir, unsigned int depth);

/* Removes an entry that is ours: a directory, or an empty file. Others stay, and so do the
 * directories that contain them. */
static void tree_remove_entry(int dir, const char *name, unsigned int depth)
{
	struct stat st;
	int inner;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) || st.st_uid != geteuid())
		return;
	if (S_ISREG(st.st_mode) && !st.st_size)
		unlinkat(dir, name, 0);
	if (!S_ISDIR(st.st_mode) || depth >= DEPTH)
		return;
	inner = openat(dir, name, TREE_DIRECTORY);
	if (inner < 0)
		return;
	tree_empty(inner, depth + 1);
	unlinkat(dir, name, AT_REMOVEDIR);
}

/* Closes dir. */
static void tree_empty(int dir, unsigned int depth)
{
	DIR *list = fdopendir(dir);
	struct dirent *d;

	if (!list) {
		close(dir);
		return;
	}
	while ((d = readdir(list)))
		if (strcmp(d->d_name, ".") && strcmp(d->d_name, ".."))
			tree_remove_entry(dir, d->d_name, depth);
	closedir(list);
}

/* ---- the top ------------------------------------------------------------------------------ */

static void tree_name(const struct server *server, char name[PATH_BYTES])
{
	snprintf(name, PATH_BYTES, "%s" PROTO_TREE_SUFFIX, server->name);
}

/* Opens SOCKET.sysfs if no other user can write to it; -EEXIST, -errno. */
static int tree_open(const struct server *server)
{
	char name[PATH_BYTES];
	struct stat st;
	int fd;

	tree_name(server, name);
	fd = openat(server->dir, name, TREE_DIRECTORY);
	if (fd < 0)
		return errno == ENOTDIR || errno == ELOOP || errno == EACCES ? -EEXIST : -errno;
	if (!fstat(fd, &st) && st.st_uid == geteuid() && !(st.st_mode & 077))
		return fd;
	close(fd);
	return -EEXIST;
}

/* Makes it, or empties what a server that was killed has left. */
static int tree_make_top(struct server *server)
{
	char name[PATH_BYTES];
	int copy;

	tree_name(server, name);
	if (mkdirat(server->dir, name, 0700) && errno != EEXIST)
		return -errno;
	server->tree = tree_open(server);
	if (server->tree == -EEXIST) {
		server->tree_refused = true;
		cli_say("%s" PROTO_TREE_SUFFIX
			" exists and is not a directory of this user alone: programs do not see devices",
			server->path);
	}
	if (server->tree < 0)
		return server->tree;
	copy = openat(server->tree, ".", TREE_DIRECTORY);
	if (copy >= 0)
		tree_empty(copy, 0);
	return 0;
}

void tree_remove(struct server *server)
{
	struct stat st, now;
	char name[PATH_BYTES];
	bool known;

	if (server->tree < 0)
		return;
	known = !fstat(server->tree, &st);
	/* tree_empty() closes it */
	if (server->path[0])
		tree_empty(server->tree, 0);
	else
		close(server->tree);
	server->tree = -1;
	if (!server->path[0])
		return;
	tree_name(server, name);
	if (known && !fstatat(server->dir, name, &now, AT_SYMLINK_NOFOLLOW) && now.st_dev == st.st_dev &&
	    now.st_ino == st.st_ino)
		unlinkat(server->dir, name, AT_REMOVEDIR);
}

void tree_remove_abandoned(struct server *server)
{
	if (server->tree < 0)
		server->tree = tree_open(server);
	tree_remove(server);
}

/* ---- making --------------------------------------------------------------------------------- */

static int tree_make_file(int dir, const char *name)
{
	int fd = openat(dir, name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0400);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

/* Makes a directory and opens it. */
static int tree_make_directory(int dir, const char *name)
{
	int fd;

	if (mkdirat(dir, name, 0700))
		return -errno;
	fd = openat(dir, name, TREE_DIRECTORY);
	return fd < 0 ? -errno : fd;
}

static int tree_fill(struct server *server, uint32_t node, int dir, const char *path, unsigned int depth);

/* An entry of path, whose name ends in "/" if it is a directory. */
static int tree_make_entry(struct server *server, uint32_t node, int dir, const char *path, const char *entry,
			   size_t len, unsigned int depth)
{
	char name[PATH_BYTES], inner[PATH_BYTES];
	int fd, ret;

	if (snprintf(inner, sizeof(inner), "%s%.*s", path, (int)len, entry) >= PATH_BYTES)
		return -ENAMETOOLONG;
	snprintf(name, sizeof(name), "%.*s", (int)len, entry);
	if (name[len - 1] != '/')
		return tree_make_file(dir, name);
	name[len - 1] = '\0';
	if (depth >= DEPTH)
		return -ENAMETOOLONG;
	fd = tree_make_directory(dir, name);
	if (fd < 0)
		return fd;
	ret = tree_fill(server, node, fd, inner, depth + 1);
	close(fd);
	return ret;
}

/* Makes in dir what path of the node's sysfs contains ("" or with "/" at its end). */
static int tree_fill(struct server *server, uint32_t node, int dir, const char *path, unsigned int depth)
{
	static const char top[] = "infiniband/\ninfiniband_mad/\n";
	struct madkit_buf names;
	int ret = 0;

	madkit_buf_init(&names, 0);
	if (*path)
		ret = sim_sysfs_read(server->s->fabric, node, path, strlen(path), &names);
	else
		madkit_buf_str(&names, top);
	if (!ret)
		ret = names.error;
	for (size_t at = 0; !ret && at < names.len;) {
		const char *name = names.data + at;
		const char *end = memchr(name, '\n', names.len - at);
		size_t len = end ? (size_t)(end - name) : names.len - at;

		at += len + 1;
		if (len)
			ret = tree_make_entry(server, node, dir, path, name, len, depth);
	}
	madkit_buf_free(&names);
	return ret;
}

/* A node's directory; none is left half-made. */
static int tree_make_node(struct server *server, uint32_t node)
{
	char name[16];
	int fd, ret;

	snprintf(name, sizeof(name), "%u", node);
	fd = tree_make_directory(server->tree, name);
	if (fd == -EEXIST)
		return 0;
	ret = fd < 0 ? fd : tree_fill(server, node, fd, "", 0);
	if (fd >= 0)
		close(fd);
	if (ret)
		tree_remove_entry(server->tree, name, 0);
	return ret;
}

int tree_make(struct server *server, uint32_t node, struct madkit_buf *text)
{
	int ret = server->tree_refused ? -EEXIST : 0;

	if (!ret && server->tree < 0)
		ret = tree_make_top(server);
	if (!ret)
		ret = tree_make_node(server, node);
	if (!ret)
		madkit_buf_printf(text, "%s" PROTO_TREE_SUFFIX "/%u", server->path, node);
	return ret;
}
