/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* infiniband-diags' configuration file: KEY=VALUE lines. */
#ifndef SRC_CONFIG_FILE_H
#define SRC_CONFIG_FILE_H

#include "cli.h"

/*
 * Takes CA, Port, timeout, m_key and sa_key from the file where the options
 * do not have them already: the command line wins. Keys of other programs are
 * passed over. 0; -ENOENT there is no such file; -EINVAL a value that cannot
 * be read; -errno otherwise. What is kept lives as long as the program.
 */
int config_file_read(const char *path, struct cli_options *options,
		     struct madkit_error *error);

#endif
