/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files that a command is told to write, perhaps as root in a directory where others write too. */
#ifndef SRC_CREATE_FILE_H
#define SRC_CREATE_FILE_H

#include <stdbool.h>

/*
 * create_file - open a file for writing, created if it is missing
 * @path:   the file; a device, a pipe or a socket is opened as it is
 * @secret: keys are to be written: only the owner may read the file
 * @fd:     receives the descriptor, close-on-exec
 *
 * In a sticky directory that others may write to (/tmp), a symbolic link, a regular file with
 * other names (hard links), a regular file or a FIFO is used only if this user or the
 * directory's owner owns it, as with the kernel's fs.protected_* settings at their strictest,
 * whatever they are set to.
 *
 * With @secret, a new file has mode 0600. A regular file that exists must belong to this user,
 * and loses the permissions of the group and of others before it is written to.
 *
 * A file that exists keeps its content until create_empty(): a command that then fails before it has
 * anything to write has lost nothing.
 *
 * Return: EXIT_DONE, or an exit status after a message.
 */
int create_file(const char *path, bool secret, int *fd);

/* Empties the file, and lets every write go to its end. A file that the command reads (input_note()) and that of
 * standard output are refused. EXIT_DONE, or an exit status after a message. */
int create_empty(const char *path, int fd);

#endif
