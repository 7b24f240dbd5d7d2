/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* infiniband-diags' configuration file: KEY=VALUE lines. */
#ifndef SRC_CONFIG_FILE_H
#define SRC_CONFIG_FILE_H

#include "cli.h"

/*
 * Reads CA, Port, timeout, m_key and sa_key from the file, unless the command line set them.
 * Other keys are ignored, as infiniband-diags does: the file is shared with its programs.
 * Lines may end with LF or CRLF, the last one with neither; a line with a NUL byte and one of
 * 1024 bytes or more, except a comment, are errors.
 * Return: 0; -ENOENT: no such file; -EINVAL: an invalid line; -errno. Values that are kept
 * live as long as the program.
 */
int config_file_read(const char *path, struct cli_options *options, struct madkit_error *error);

#endif
