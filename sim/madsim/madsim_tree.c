/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Directories with the layout of a host's sysfs and /dev. Programs with the preloaded library list them;
 * their files are empty. For programs without the library (tree_publish()), the files are rewritten every
 * second. The directories are in SOCKET.sysfs, a directory of mode 0700 that this user owns: no other user
 * can replace anything in it. It is opened once. Everything in it is reached from its descriptor without
 * following symbolic links, so that nothing outside is ever written or removed.
 */
#define _GNU_SOURCE /* O_PATH */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/cli.h"
#include "madsim_server_int.h"
#include "sim/serve/serve.h"
#include "cli/wait.h"

enum { PATH_BYTES = 256, DEPTH = 10, TREE_DIRECTORY = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };
enum { FILE_READ = 0444, FILE_WRITE = 0644, FILE_DEVICE = 0600, DIRECTORY_MODE = 0755 };

#define CLASS      "class/"
#define DEVICES    "dev/infiniband/"
#define UNDER_WAY  ".new" /* in SOCKET.sysfs */
#define REFRESH_NS (1000 * NS_PER_MS)

/* ---- removing ---------------------------------------------------------------------------- */

static void tree_empty(int dir, unsigned int depth);

/* Checks if madsim may have created a file: an empty file, a FIFO in place of a device, or a file with a mode
 * of sysfs. */
static bool tree_is_own(const char *name, const struct stat *st)
{
	mode_t mode = st->st_mode & 0777;

	if (S_ISFIFO(st->st_mode))
		return mode == FILE_DEVICE;
	return S_ISREG(st->st_mode) &&
	       (!st->st_size || mode == FILE_READ || (mode == FILE_WRITE && sim_sysfs_is_writable(name)));
}

/* Removes a file or a directory that madsim may have created. Other entries stay, and so do the directories
 * that contain them. */
static void tree_remove_entry(int dir, const char *name, unsigned int depth)
{
	struct stat st;
	int inner;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) || st.st_uid != geteuid())
		return;
	if (tree_is_own(name, &st))
		unlinkat(dir, name, 0);
	if (!S_ISDIR(st.st_mode) || depth >= DEPTH)
		return;
	inner = openat(dir, name, TREE_DIRECTORY);
	if (inner < 0)
		return;
	tree_empty(inner, depth + 1);
	unlinkat(dir, name, AT_REMOVEDIR);
}

/* Removes the entries of a directory, and closes dir. */
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

/* Opens SOCKET.sysfs if no other user can write to it. Returns the descriptor; -EEXIST; -errno. */
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

/* Creates SOCKET.sysfs, or empties it if a server that was killed has left it. */
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
	unlinkat(server->tree, UNDER_WAY, 0);
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
	if (server->path[0])
		unlinkat(server->tree, UNDER_WAY, 0);
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

/* A walk through the tree of a host. */
struct tree_walk {
	struct server *server;
	const struct devices *devices;
	bool write; /* writes content to existing files; otherwise creates everything */
};

static int tree_make_file(int dir, const char *name)
{
	mode_t mode = sim_sysfs_is_writable(name) ? FILE_WRITE : FILE_READ;
	int fd = openat(dir, name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, mode), ret;

	if (fd < 0)
		return -errno;
	ret = fchmod(fd, mode) ? -errno : 0;
	close(fd);
	return ret;
}

/* Creates a directory and opens it. Returns the descriptor, or -errno. */
static int tree_make_directory(int dir, const char *name)
{
	int fd;

	if (mkdirat(dir, name, DIRECTORY_MODE))
		return -errno;
	fd = openat(dir, name, TREE_DIRECTORY);
	if (fd >= 0)
		fchmod(fd, DIRECTORY_MODE);
	return fd < 0 ? -errno : fd;
}

/* Checks if a file has this content. */
static bool tree_has(int dir, const char *name, const struct madkit_buf *content)
{
	char old[PROTO_STORE_MAX];
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	ssize_t n = fd < 0 ? -1 : wait_read(fd, old, sizeof(old));

	if (fd >= 0)
		close(fd);
	return n >= 0 && (size_t)n == content->len && !memcmp(old, content->data, content->len);
}

/* Replaces a file by rename(), so that readers see either the old or the new content, complete. */
static int tree_write_file(const struct tree_walk *w, int dir, const char *name, const char *path)
{
	struct madkit_buf content;
	int ret, fd;

	madkit_buf_init(&content, 0);
	ret = sim_sysfs_read(w->server->s->fabric, w->devices, path, strlen(path), &content);
	if (!ret && !content.error && content.len <= PROTO_STORE_MAX && !tree_has(dir, name, &content)) {
		fd = openat(w->server->tree, UNDER_WAY, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC | O_NOFOLLOW,
			    0600);
		ret = fd < 0 ? -errno : wait_write(fd, content.data, content.len);
		if (!ret && (fchmod(fd, sim_sysfs_is_writable(name) ? FILE_WRITE : FILE_READ) ||
			     renameat(w->server->tree, UNDER_WAY, dir, name)))
			ret = -errno;
		if (fd >= 0)
			close(fd);
	}
	madkit_buf_free(&content);
	/* files that cannot be read on a kernel stay empty */
	return ret == -EINVAL ? 0 : ret;
}

/* Lists a directory, one name per line: directories end in "/", devices in "|". */
static int tree_list(const struct tree_walk *w, const char *path, struct madkit_buf *names)
{
	static const char all[] = "infiniband_mad/";
	size_t at = names->len;
	int ret;

	if (!strcmp(path, ""))
		return madkit_buf_str(names, CLASS "\ndev/\n"), 0;
	if (!strcmp(path, CLASS))
		return madkit_buf_str(names, "infiniband/\ninfiniband_mad/\n"), 0;
	if (!strcmp(path, "dev/"))
		return madkit_buf_str(names, "infiniband/\n"), 0;
	if (strcmp(path, DEVICES))
		return sim_sysfs_read(w->server->s->fabric, w->devices, path + strlen(CLASS),
				      strlen(path) - strlen(CLASS), names);
	ret = sim_sysfs_read(w->server->s->fabric, w->devices, all, strlen(all), names);
	for (; !ret && !names->error && at < names->len; at++)
		if (names->data[at] == '/')
			names->data[at] = '|';
	return ret;
}

static int tree_walk(const struct tree_walk *w, int dir, const char *path, unsigned int depth);

static int tree_walk_directory(const struct tree_walk *w, int dir, const char *name, const char *inner,
			       unsigned int depth)
{
	int fd, ret;

	if (depth >= DEPTH)
		return -ENAMETOOLONG;
	fd = w->write ? openat(dir, name, TREE_DIRECTORY) : tree_make_directory(dir, name);
	if (fd < 0)
		return w->write ? -errno : fd;
	ret = tree_walk(w, fd, inner, depth + 1);
	close(fd);
	return ret;
}

static int tree_walk_entry(const struct tree_walk *w, int dir, const char *path, const char *entry,
			   size_t len, unsigned int depth)
{
	char name[PATH_BYTES], inner[PATH_BYTES];
	bool in_dev = !strcmp(path, DEVICES);

	if (snprintf(inner, sizeof(inner), "%s%.*s", path, (int)len, entry) >= PATH_BYTES)
		return -ENAMETOOLONG;
	snprintf(name, sizeof(name), "%.*s", (int)len, entry);
	if (name[len - 1] == '/') {
		name[len - 1] = '\0';
		return tree_walk_directory(w, dir, name, inner, depth);
	}
	if (in_dev && name[len - 1] != '|')
		return 0;
	if (in_dev) {
		name[len - 1] = '\0';
		return w->write || !mkfifoat(dir, name, FILE_DEVICE) ? 0 : -errno;
	}
	return w->write ? tree_write_file(w, dir, name, inner + strlen(CLASS)) : tree_make_file(dir, name);
}

/* Creates or writes, in dir, everything below path in the host's tree (path is "" or ends in "/"). */
static int tree_walk(const struct tree_walk *w, int dir, const char *path, unsigned int depth)
{
	struct madkit_buf names;
	int ret;

	madkit_buf_init(&names, 0);
	ret = tree_list(w, path, &names);
	if (!ret)
		ret = names.error;
	for (size_t at = 0; !ret && at < names.len;) {
		const char *name = names.data + at;
		const char *end = memchr(name, '\n', names.len - at);
		size_t len = end ? (size_t)(end - name) : names.len - at;

		at += len + 1;
		if (len)
			ret = tree_walk_entry(w, dir, path, name, len, depth);
	}
	madkit_buf_free(&names);
	return ret;
}

/* Creates the directory of a host. On failure, removes it again. */
static int tree_make_host(struct server *server, const struct devices *devices)
{
	const struct tree_walk walk = { .server = server, .devices = devices };
	int fd, ret;

	fd = tree_make_directory(server->tree, devices->host);
	if (fd == -EEXIST)
		return 0;
	ret = fd < 0 ? fd : tree_walk(&walk, fd, "", 0);
	if (fd >= 0)
		close(fd);
	if (ret)
		tree_remove_entry(server->tree, devices->host, 0);
	return ret;
}

int tree_make(struct server *server, const struct devices *devices, struct madkit_buf *text)
{
	int ret = server->tree_refused ? -EEXIST : 0;

	if (!ret && server->tree < 0)
		ret = tree_make_top(server);
	if (!ret)
		ret = tree_make_host(server, devices);
	if (!ret)
		madkit_buf_printf(text, "%s" PROTO_TREE_SUFFIX "/%s", server->path, devices->host);
	return ret;
}

/* ---- for programs that only read files --------------------------------------------------------- */

static int tree_write(struct server *server, const struct devices *devices)
{
	const struct tree_walk walk = { .server = server, .devices = devices, .write = true };

	return tree_walk_directory(&walk, server->tree, devices->host, "", 0);
}

void tree_refresh(struct server *server)
{
	/* ignore errors, such as a full file system: the next attempt is a second later */
	for (struct published *p = server->published; p; p = p->next)
		tree_write(server, &p->devices);
	server->refresh = server->published ? server->now + REFRESH_NS : 0;
}

static bool tree_is_published(const struct server *server, const struct devices *devices)
{
	for (const struct published *p = server->published; p; p = p->next)
		if (!strcmp(p->devices.host, devices->host))
			return true;
	return false;
}

int tree_publish(struct server *server, uint32_t node, struct madkit_buf *path)
{
	struct published *new = calloc(1, sizeof(*new));
	int ret = new ? devices_of(server->s->topology, node, server->options->hosts, &new->devices) :
			-ENOMEM;

	if (!ret)
		ret = tree_make(server, &new->devices, path);
	if (!ret)
		ret = tree_write(server, &new->devices);
	if (!ret && !server->refresh)
		server->refresh = server->now + REFRESH_NS;
	if (!ret && !tree_is_published(server, &new->devices)) {
		new->next = server->published;
		server->published = new;
		return 0;
	}
	if (new)
		devices_free(&new->devices);
	free(new);
	return ret;
}

void tree_unpublish(struct server *server)
{
	for (struct published *p = server->published, *next; p; p = next) {
		next = p->next;
		devices_free(&p->devices);
		free(p);
	}
	server->published = NULL;
	server->refresh = 0;
}
