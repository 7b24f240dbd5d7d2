/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Output files of a command, which may run as root in a directory where other users write. */
#ifndef SRC_CREATE_FILE_H
#define SRC_CREATE_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <madkit/buf.h>

/*
 * create_file - open a file for writing, and create it if it is missing
 * @path:   the file; a device or a pipe is opened as it is
 * @secret: keys will be written: only the owner may read the file
 * @fd:     receives the descriptor, close-on-exec
 *
 * In a sticky directory that other users may write to (/tmp), a symbolic link, a regular file or a FIFO is
 * used only if this user or the directory's owner owns it, as with the strictest values of the kernel's
 * fs.protected_* settings, whatever their values are. A regular file with several hard links is refused.
 *
 * With @secret, a new file has mode 0600. A regular file that exists must belong to this user, and loses the
 * permissions of the group and of others before it is written to.
 *
 * A file that exists keeps its content until create_empty(): a command that fails before it has anything to
 * write destroys nothing.
 *
 * Return: EXIT_DONE, or an exit status after a message.
 */
int create_file(const char *path, bool secret, int *fd);

/* Truncates a regular file and sets O_APPEND. Rejects a file that the command reads (input_note()) or that is
 * its standard output. Returns EXIT_DONE, or an exit status after a message. */
int create_empty(const char *path, int fd);

/* A new file that replaces another one when it is complete, so that a reader never sees a part. */
struct create_temporary {
	const char *path; /* of the other one, for messages */
	int fd;
	char target[PATH_MAX]; /* the path behind symbolic links */
	char name[PATH_MAX];
};

/* Creates it in the directory of the other file, with the permissions of that. Symbolic links are followed. What
 * create_file() refuses in shared directories, and a file that is not regular, is not replaced. Returns EXIT_DONE, or
 * EXIT_LOCAL after a message. */
int create_temporary(struct create_temporary *file, const char *path);

/* Closes it, and gives it the name of the other file; error: -errno of a write that failed, which keeps the other file.
 * Returns EXIT_DONE, or an exit status after a message. */
int create_rename(struct create_temporary *file, int error);

/* Does both for a file that fits into memory. */
int create_replace(const char *path, const struct madkit_buf *buf);

#endif
