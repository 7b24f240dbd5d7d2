/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Directories as those of a node's sysfs, with files that hold nothing: for programs that
 * list them. */
#define _GNU_SOURCE	/* nftw() */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "madsim_server_int.h"
#include "sim/sysfs.h"

enum { PATH_BYTES = 256, DEPTH = 8 };

static int make_dir(const char *path)
{
	return mkdir(path, 0700) && errno != EEXIST ? -errno : 0;
}

static int make_file(const char *path)
{
	int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0400);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

/* What stands below dir of the node's sysfs ("" or with "/" at its end), made below root. */
static int make(struct server *server, uint32_t node, const char *root, const char *dir,
		unsigned int depth)
{
	static const char top[] = "infiniband/\ninfiniband_mad/\n";
	char inner[PATH_BYTES], path[2 * PATH_BYTES];
	struct madkit_buf names;
	int ret = 0;

	madkit_buf_init(&names, 0);
	if (*dir)
		ret = sim_sysfs_read(server->s->fabric, node, dir, strlen(dir), &names);
	else
		madkit_buf_str(&names, top);
	if (!ret)
		ret = names.error;
	for (size_t at = 0; !ret && at < names.len;) {
		const char *name = names.data + at;
		const char *end = memchr(name, '\n', names.len - at);
		size_t len = end ? (size_t)(end - name) : names.len - at;

		at += len + 1;
		if (snprintf(inner, sizeof(inner), "%s%.*s", dir, (int)len, name) >= PATH_BYTES)
			return -ENAMETOOLONG;
		snprintf(path, sizeof(path), "%s/%s", root, inner);
		if (name[len - 1] != '/') {
			ret = make_file(path);
			if (ret == -EACCES)	/* it is there */
				ret = 0;
			continue;
		}
		ret = make_dir(path);
		if (!ret && depth < DEPTH)
			ret = make(server, node, root, inner, depth + 1);
	}
	madkit_buf_free(&names);
	return ret;
}

/* What is not of ours stays, and so do the directories that it is in. */
static int on_entry(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)where;
	if (type == FTW_DP)
		(void)!rmdir(path);
	else if (S_ISREG(st->st_mode) && !st->st_size)
		(void)!unlink(path);
	return 0;
}

/* 0; -EEXIST: something is there. */
static int make_root(const char *path)
{
	if (!mkdir(path, 0700))
		return 0;
	/* as the socket was, it may be of a server that was killed */
	nftw(path, on_entry, 16, FTW_DEPTH | FTW_PHYS);
	return mkdir(path, 0700) ? -errno : 0;
}

int tree_make(struct server *server, uint32_t node, struct madkit_buf *text)
{
	char root[PATH_BYTES];
	int ret;

	if (!server->tree[0]) {
		snprintf(server->tree, sizeof(server->tree), "%s" PROTO_TREE_SUFFIX,
			 server->path);
		ret = make_root(server->tree);
		if (ret) {
			server->tree[0] = '\0';
			return ret;
		}
	}
	snprintf(root, sizeof(root), "%s/%u", server->tree, node);
	if (mkdir(root, 0700))
		ret = errno == EEXIST ? 0 : -errno;
	else
		ret = make(server, node, root, "", 0);
	if (!ret)
		madkit_buf_str(text, root);
	return ret;
}

void tree_remove(struct server *server)
{
	if (server->tree[0])
		nftw(server->tree, on_entry, 16, FTW_DEPTH | FTW_PHYS);
	server->tree[0] = '\0';
}
