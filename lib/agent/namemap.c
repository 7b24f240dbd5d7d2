/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Node name maps, in the format of ibutils and infiniband-diags. */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <madkit/addr.h>
#include "agent/namemap.h"
#include "transport/limit.h"

/* Limits of a line and of a file. */
enum { LINE_MAX_BYTES = 1024, MAP_MAX_BYTES = 64 << 20 };

static char *namemap_skip_space(char *p)
{
	while (isspace((unsigned char)*p))
		p++;
	return p;
}

/* 1: a GUID and a name; 0: an empty line or a comment; -EINVAL. */
static int parse_line(char *line, uint64_t *guid, const char **name)
{
	char *p = namemap_skip_space(line), *end;

	if (!*p || *p == '#')
		return 0;
	end = p + strcspn(p, " \t\"");
	if (*end == '\0' || *end == '"')
		return -EINVAL;
	*end = '\0';
	if (madkit_parse_guid(p, guid, NULL))
		return -EINVAL;
	p = namemap_skip_space(end + 1);
	if (*p != '"')
		return -EINVAL;
	*name = ++p;
	end = strchr(p, '"');
	if (!end)
		return -EINVAL;
	*end = '\0';
	p = namemap_skip_space(end + 1);
	return *p && *p != '#' ? -EINVAL : 1;
}

/* Searches for the GUID of a name or, if that is NULL, for the name of a GUID. */
static int namemap_search(const char *path, char *text, const char *name, uint64_t *guid, char *found_name,
			  struct madkit_error *error)
{
	unsigned int number = 0;
	bool found = false;
	char *end;

	for (char *line = text; *line; line = end) {
		size_t len = strcspn(line, "\n");
		uint64_t candidate;
		const char *its;
		int ret = -EINVAL;

		end = line + len + (line[len] == '\n');
		line[len] = '\0';
		number++;
		if (len < LINE_MAX_BYTES)
			ret = parse_line(line, &candidate, &its);
		if (ret < 0)
			return madkit_error_set(error, ret, -1, "%.120s:%u: expected 0xGUID \"name\"", path,
						number);
		if (ret && !name && candidate == *guid) {
			snprintf(found_name, 65, "%s", its);
			return 0;
		}
		if (!ret || !name || strcasecmp(its, name))
			continue;
		if (found && *guid != candidate)
			return madkit_error_set(error, -EEXIST, -1,
						"%.120s: several nodes are called '%.64s'", path, name);
		found = true;
		*guid = candidate;
	}
	return found ? 0 :
		       madkit_error_set(error, -ENOENT, -1, "%.120s has no node '%.64s'", path,
					name ? name : "");
}

static int namemap_look_up(const char *path, const struct madkit_limit *limit, const char *name,
			   uint64_t *guid, char *found_name, struct madkit_error *error)
{
	unsigned int number = 1;
	struct madkit_buf buf;
	int ret;

	madkit_buf_init(&buf, MAP_MAX_BYTES);
	ret = limit_read_file(limit, path, &buf);
	if (!ret) {
		madkit_buf_char(&buf, '\0');
		ret = buf.error;
	}
	if (ret) {
		ret = madkit_error_set(error,
				       ret == -EINTR     ? ret :
				       ret == -ETIMEDOUT ? -ETIME :
							   -EIO,
				       -1, "cannot read the node name map %.120s: %s", path,
				       ret == -ETIMEDOUT ? "nothing was written to it in time" :
							   strerror(-ret));
	} else if (strlen(buf.data) + 1 == buf.len) {
		ret = namemap_search(path, buf.data, name, guid, found_name, error);
	} else {
		for (const char *p = buf.data; *p; p++)
			number += *p == '\n';
		ret = madkit_error_set(error, -EINVAL, -1, "%.120s:%u: a NUL byte: not a text file", path,
				       number);
	}
	madkit_buf_free(&buf);
	return ret;
}

int namemap_find(const char *path, const struct madkit_limit *limit, const char *name, uint64_t *guid,
		 struct madkit_error *error)
{
	return namemap_look_up(path, limit, name, guid, NULL, error);
}

int namemap_name(const char *path, const struct madkit_limit *limit, uint64_t guid, char name[65],
		 struct madkit_error *error)
{
	return namemap_look_up(path, limit, NULL, &guid, name, error);
}
