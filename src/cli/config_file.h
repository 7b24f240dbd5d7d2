/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The configuration file of infiniband-diags: KEY=VALUE lines. */
#ifndef SRC_CONFIG_FILE_H
#define SRC_CONFIG_FILE_H

#include "cli.h"

/*
 * Reads CA, Port, timeout, m_key and sa_key from the file, unless the command line set them.
 * Other keys are ignored, as infiniband-diags does: its programs share the file.
 * Lines may end with LF or CRLF, the last one with neither. A line with a NUL byte is an error, and so is a
 * line of 1024 bytes or more, unless it is a comment.
 * Return: 0; -ENOENT: no such file; -EINVAL: an invalid line; else another -errno. Strings that are kept are
 * valid until the program ends.
 */
int config_file_read(const char *path, struct cli_options *options, struct madkit_error *error);

#endif
