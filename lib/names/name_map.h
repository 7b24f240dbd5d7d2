/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef NAMES_NAME_MAP_H
#define NAMES_NAME_MAP_H

#include <stdint.h>
#include <madkit/names.h>

/* As madkit_name_map_read(), with a limit in place of a port. */
int name_map_open(const char *path, const struct madkit_limit *limit, struct madkit_name_map **map,
		  struct madkit_error *error);

/* Looks up the GUID of the node with a name, ignoring case. Returns 0; -ENOENT; or -EEXIST if several nodes have the
 * name. */
int name_map_find(const struct madkit_name_map *map, const char *name, uint64_t *guid,
		  struct madkit_error *error);

#endif
