/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SRC_KEY_FILE_H
#define SRC_KEY_FILE_H

/* Warns if an open file with keys can be read by users other than this one and root, because of its owner or
 * its mode. Only regular files are checked. path is for the message. */
void key_file_check(int fd, const char *path);

#endif
