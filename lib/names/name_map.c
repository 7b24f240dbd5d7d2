/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Node name maps, in the format of ibutils and infiniband-diags. */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <madkit/addr.h>
#include <madkit/names.h>
#include "agent/agent.h"
#include "names/name_map.h"
#include "transport/limit.h"
#include "util/array.h"

/* Limits of a line and of a file. */
enum { NAME_MAP_LINE_MAX = 1024, NAME_MAP_MAX = 64 << 20 };

static char *name_map_skip_space(char *p)
{
	while (isspace((unsigned char)*p))
		p++;
	return p;
}

/* Returns 1 for a GUID and a name; 0 for an empty line or a comment; or -EINVAL. */
static int name_map_line(char *line, uint64_t *guid, const char **name)
{
	char *p = name_map_skip_space(line), *end;

	if (!*p || *p == '#')
		return 0;
	end = p + strcspn(p, " \t\"");
	if (*end == '\0' || *end == '"')
		return -EINVAL;
	*end = '\0';
	if (madkit_parse_guid(p, guid, NULL))
		return -EINVAL;
	p = name_map_skip_space(end + 1);
	if (*p != '"')
		return -EINVAL;
	*name = ++p;
	end = strchr(p, '"');
	if (!end)
		return -EINVAL;
	*end = '\0';
	p = name_map_skip_space(end + 1);
	return *p && *p != '#' ? -EINVAL : 1;
}

struct name_map_entry {
	uint64_t guid;
	const char *name; /* points into text */
	unsigned int line;
};

struct madkit_name_map {
	char path[121]; /* for messages, cut */
	struct madkit_buf text;
	struct name_map_entry *entries; /* sorted by GUID, then by line */
	uint32_t n, cap;
};

static int name_map_compare(const void *a, const void *b)
{
	const struct name_map_entry *p = a, *q = b;

	if (p->guid != q->guid)
		return p->guid < q->guid ? -1 : 1;
	return p->line < q->line ? -1 : p->line > q->line;
}

static int name_map_parse(struct madkit_name_map *map, struct madkit_error *error)
{
	unsigned int number = 0;
	char *end;

	for (char *line = map->text.data; *line; line = end) {
		size_t len = strcspn(line, "\n");
		struct name_map_entry entry = { .line = ++number };
		int ret = -EINVAL;

		end = line + len + (line[len] == '\n');
		line[len] = '\0';
		if (len < NAME_MAP_LINE_MAX)
			ret = name_map_line(line, &entry.guid, &entry.name);
		if (ret < 0)
			return madkit_error_set(error, ret, -1, "%s:%u: expected 0xGUID \"name\"", map->path,
						number);
		if (!ret)
			continue;
		if (array_room(&map->entries, &map->cap, map->n, 1, sizeof(entry)))
			return madkit_error_set(error, -ENOMEM, -1, "out of memory");
		map->entries[map->n++] = entry;
	}
	if (map->n)
		qsort(map->entries, map->n, sizeof(*map->entries), name_map_compare);
	return 0;
}

static int name_map_read(struct madkit_name_map *map, const struct madkit_limit *limit, const char *path,
			 struct madkit_error *error)
{
	unsigned int number = 1;
	int ret = limit_read_file(limit, path, &map->text);

	if (!ret) {
		madkit_buf_char(&map->text, '\0');
		ret = map->text.error;
	}
	if (ret)
		return madkit_error_set(error,
					ret == -EINTR     ? ret :
					ret == -ETIMEDOUT ? -ETIME :
							    -EIO,
					-1, "cannot read the node name map %s: %s", map->path,
					ret == -ETIMEDOUT ? "nothing was written to it in time" :
							    strerror(-ret));
	if (strlen(map->text.data) + 1 == map->text.len)
		return name_map_parse(map, error);
	for (const char *p = map->text.data; *p; p++)
		number += *p == '\n';
	return madkit_error_set(error, -EINVAL, -1, "%s:%u: a NUL byte: not a text file", map->path, number);
}

int name_map_open(const char *path, const struct madkit_limit *limit, struct madkit_name_map **map,
		  struct madkit_error *error)
{
	struct madkit_name_map *m = calloc(1, sizeof(*m));
	int ret;

	if (!m)
		return madkit_error_set(error, -ENOMEM, -1, "out of memory");
	snprintf(m->path, sizeof(m->path), "%s", path);
	madkit_buf_init(&m->text, NAME_MAP_MAX);
	ret = name_map_read(m, limit, path, error);
	if (ret)
		madkit_name_map_free(m);
	else
		*map = m;
	return ret;
}

int madkit_name_map_read(struct madkit_port *port, const char *path, struct madkit_name_map **map,
			 struct madkit_error *error)
{
	if (!port || !path || !map)
		return madkit_error_set(error, -EINVAL, -1, "the port, the path or the map is NULL");
	return name_map_open(path, &port->limit, map, error);
}

void madkit_name_map_free(struct madkit_name_map *map)
{
	if (!map)
		return;
	madkit_buf_free(&map->text);
	free(map->entries);
	free(map);
}

const char *madkit_name_map_name(const struct madkit_name_map *map, uint64_t guid)
{
	uint32_t low = 0, high = map ? map->n : 0;

	/* find the first entry that is not lower */
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (map->entries[middle].guid < guid)
			low = middle + 1;
		else
			high = middle;
	}
	return map && low < map->n && map->entries[low].guid == guid ? map->entries[low].name : NULL;
}

int name_map_find(const struct madkit_name_map *map, const char *name, uint64_t *guid,
		  struct madkit_error *error)
{
	bool found = false;

	for (uint32_t i = 0; i < map->n; i++) {
		if (strcasecmp(map->entries[i].name, name))
			continue;
		if (found && *guid != map->entries[i].guid)
			return madkit_error_set(error, -EEXIST, -1, "%s: several nodes are called '%.64s'",
						map->path, name);
		found = true;
		*guid = map->entries[i].guid;
	}
	return found ? 0 : madkit_error_set(error, -ENOENT, -1, "%s has no node '%.64s'", map->path, name);
}
