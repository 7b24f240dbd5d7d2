/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef AGENT_NAMEMAP_H
#define AGENT_NAMEMAP_H

#include <stdint.h>
#include <madkit/error.h>
#include <madkit/port.h>
#include <madkit/resolve.h>

/* Same as madkit_name_map_read(), with a limit in place of a port. */
int namemap_open(const char *path, const struct madkit_limit *limit, struct madkit_name_map **map,
		 struct madkit_error *error);

/*
 * Looks up the node GUID of a name in a node name map, ignoring case. The file has lines of 0xGUID "name",
 * empty lines, and comments from '#' on. Returns 0 with *guid; -ENOENT if the name is not found; -EEXIST if
 * several GUIDs have it; -EINVAL for a line that is not valid; -EIO if the file cannot be read; -EINTR or
 * -ETIME if the limit ended the read of a pipe. error has the reason.
 */
int namemap_find(const char *path, const struct madkit_limit *limit, const char *name, uint64_t *guid,
		 struct madkit_error *error);

/*
 * Looks up the name of a GUID. name is cut to 64 bytes. Returns the same values; -ENOENT if the map does not
 * have the GUID.
 */
int namemap_name(const char *path, const struct madkit_limit *limit, uint64_t guid, char name[65],
		 struct madkit_error *error);

#endif
