/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#define _GNU_SOURCE /* O_PATH, mkostemp() */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli.h"
#include "create_file.h"
#include "input.h"
#include "wait.h"

/* Symbolic links that are followed to a file, at most: as many as Linux follows. */
#define CREATE_LINKS 40

static int create_refused(const char *path, const char *why)
{
	return cli_insist("cannot write '%s': %s", path, why);
}

static bool create_is_shared(const struct stat *dir)
{
	return dir->st_mode & S_ISVTX && dir->st_mode & S_IWOTH;
}

/* Checks if the owner of an entry of a shared directory is trusted: this user, or the directory's owner. */
static bool create_is_trusted(const struct stat *dir, const struct stat *st)
{
	return st->st_uid == geteuid() || st->st_uid == dir->st_uid;
}

/* Opens the directory that has the path's last component. Returns a negative number if there is none. */
static int create_directory(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
	int fd = dir ? wait_open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC, 0) : -1;

	free(dir);
	return fd;
}

/* Returns the reason not to trust an entry of a shared directory, or NULL. */
static const char *create_distrust(const struct stat *dir, const struct stat *st)
{
	if (S_ISLNK(st->st_mode) && !create_is_trusted(dir, st))
		return "it is a symbolic link of another user in a shared directory";
	if ((S_ISREG(st->st_mode) || S_ISFIFO(st->st_mode)) && !create_is_trusted(dir, st))
		return "it belongs to another user, in a shared directory";
	if (S_ISREG(st->st_mode) && st->st_nlink > 1)
		return "it has several hard links, in a shared directory";
	return NULL;
}

/* Checks an entry of a shared directory before it is opened, and adds the flags to open it with. The
 * directory is sticky, so only the owner can replace a trusted entry; O_NOFOLLOW and create_opened() catch an
 * entry that is replaced. Returns EXIT_DONE or an exit status. */
static int create_check(const char *path, const struct stat *dir, int dirfd, int *flags)
{
	const char *slash = strrchr(path, '/'), *why;
	struct stat st;

	if (fstatat(dirfd, slash ? slash + 1 : path, &st, AT_SYMLINK_NOFOLLOW)) {
		*flags |= O_NOFOLLOW;
		return EXIT_DONE;
	}
	why = create_distrust(dir, &st);
	if (why)
		return create_refused(path, why);
	if (!S_ISLNK(st.st_mode))
		*flags |= O_NOFOLLOW;
	return EXIT_DONE;
}

/* Checks the file that has been opened. dir: the shared directory; NULL if the directory is not shared or a
 * trusted link was followed. */
static int create_opened(const char *path, const struct stat *dir, bool secret, int fd)
{
	const char *why;
	struct stat st;

	if (fstat(fd, &st))
		return create_refused(path, strerror(errno));
	why = dir ? create_distrust(dir, &st) : NULL;
	if (why)
		return create_refused(path, why);
	if (!S_ISREG(st.st_mode))
		return EXIT_DONE;
	if (secret && st.st_uid != geteuid())
		return create_refused(path, "it belongs to another user, and keys (-K) would be in it");
	if (secret && st.st_mode & 077 && fchmod(fd, st.st_mode & 0700))
		return create_refused(path, strerror(errno));
	return EXIT_DONE;
}

int create_file(const char *path, bool secret, int *fd)
{
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, status = EXIT_DONE;
	int dirfd = create_directory(path);
	struct stat dir;
	bool shared;

	if (dirfd < 0 || fstat(dirfd, &dir)) {
		status = create_refused(path, strerror(errno));
		if (dirfd >= 0)
			close(dirfd);
		return status;
	}
	shared = create_is_shared(&dir);
	if (shared)
		status = create_check(path, &dir, dirfd, &flags);
	close(dirfd);
	if (status)
		return status;
	*fd = wait_open(path, flags, secret ? 0600 : 0666);
	if (*fd < 0)
		return cli_failed(*fd, "cannot write '%s'", path);
	status = create_opened(path, shared && flags & O_NOFOLLOW ? &dir : NULL, secret, *fd);
	if (status) {
		close(*fd);
		*fd = -1;
	}
	return status;
}

int create_empty(const char *path, int fd)
{
	struct stat st, out;

	if (fstat(fd, &st))
		return create_refused(path, strerror(errno));
	if (!S_ISREG(st.st_mode) && !S_ISFIFO(st.st_mode))
		return EXIT_DONE;
	if (S_ISREG(st.st_mode) && input_is_noted(fd))
		return cli_usage_error("'%s' is an input of this command: it cannot also be written", path);
	if (!fstat(STDOUT_FILENO, &out) && st.st_dev == out.st_dev && st.st_ino == out.st_ino)
		return cli_usage_error("'%s' is standard output: use another file", path);
	if (S_ISFIFO(st.st_mode))
		return EXIT_DONE;
	if (ftruncate(fd, 0) || fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_APPEND))
		return create_refused(path, strerror(errno));
	return EXIT_DONE;
}

/* Checks a symbolic link that is followed, or a file that is replaced. */
static int create_check_entry(const char *path)
{
	int dirfd = create_directory(path), flags = 0, status = EXIT_DONE;
	struct stat dir;

	if (dirfd < 0 || fstat(dirfd, &dir))
		status = create_refused(path, strerror(errno));
	else if (create_is_shared(&dir))
		status = create_check(path, &dir, dirfd, &flags);
	if (dirfd >= 0)
		close(dirfd);
	return status;
}

/* Follows symbolic links to the file that they lead to, which need not exist. */
static int create_follow(const char *path, char file[PATH_MAX])
{
	char target[PATH_MAX];

	if (!memccpy(file, path, '\0', PATH_MAX))
		return create_refused(path, strerror(ENAMETOOLONG));
	for (int links = 0; links <= CREATE_LINKS; links++) {
		const int status = create_check_entry(file);
		const ssize_t len = readlink(file, target, sizeof(target));
		const char *slash = strrchr(file, '/');
		size_t dir;

		if (status || len < 0)
			return status;
		dir = slash && target[0] != '/' ? (size_t)(slash + 1 - file) : 0;
		if (dir + (size_t)len >= PATH_MAX)
			return create_refused(path, strerror(ENAMETOOLONG));
		memcpy(file + dir, target, (size_t)len);
		file[dir + (size_t)len] = '\0';
	}
	return create_refused(path, strerror(ELOOP));
}

/* Reports that no file can be created in the directory. */
static int create_not_there(const char *path, bool exists, int error)
{
	const int status = create_refused(path, strerror(error));

	if (exists && (error == EACCES || error == EROFS))
		cli_say("hint: the file is replaced, so its directory must be writable");
	return status;
}

int create_temporary(struct create_temporary *file, const char *path)
{
	const mode_t mask = umask(0);
	struct stat st;
	bool exists;

	umask(mask);
	file->path = path;
	if (create_follow(path, file->target))
		return EXIT_LOCAL;
	exists = !lstat(file->target, &st);
	if (exists && !S_ISREG(st.st_mode))
		return create_refused(path, "it is not a regular file");
	if (strlen(file->target) + sizeof(".XXXXXX") > sizeof(file->name))
		return create_refused(path, strerror(ENAMETOOLONG));
	snprintf(file->name, sizeof(file->name), "%s.XXXXXX", file->target);
	file->fd = mkostemp(file->name, O_CLOEXEC);
	if (file->fd < 0)
		return create_not_there(path, exists, errno);
	/* a reader may have access by the group; only root may give a file away */
	if (exists && fchown(file->fd, st.st_uid, st.st_gid) && errno != EPERM)
		return create_rename(file, -errno);
	if (!fchmod(file->fd, exists ? st.st_mode & 0777 : 0666 & ~mask))
		return EXIT_DONE;
	return create_rename(file, -errno);
}

int create_rename(struct create_temporary *file, int error)
{
	if (close(file->fd) && !error)
		error = -errno;
	if (!error && rename(file->name, file->target))
		error = -errno;
	if (!error)
		return EXIT_DONE;
	unlink(file->name);
	return cli_failed(error, "cannot write '%s'", file->path);
}

int create_replace(const char *path, const struct madkit_buf *buf)
{
	struct create_temporary new;
	const int status = create_temporary(&new, path);

	return status ? status : create_rename(&new, wait_write(new.fd, buf->data, buf->len));
}
