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
#include "agent/namemap.h"

/* A line longer than this is not one of a map. */
enum { LINE_MAX_BYTES = 1024 };

static char *skip_space(char *p)
{
	while (isspace((unsigned char)*p))
		p++;
	return p;
}

/* 1 a pair, 0 nothing in the line, -EINVAL. */
static int parse_line(char *line, uint64_t *guid, const char **name)
{
	char *p = skip_space(line), *end;

	if (!*p || *p == '#')
		return 0;
	end = p + strcspn(p, " \t\"");
	if (*end == '\0' || *end == '"')
		return -EINVAL;
	*end = '\0';
	if (madkit_parse_guid(p, guid, NULL))
		return -EINVAL;
	p = skip_space(end + 1);
	if (*p != '"')
		return -EINVAL;
	*name = ++p;
	end = strchr(p, '"');
	if (!end)
		return -EINVAL;
	*end = '\0';
	p = skip_space(end + 1);
	return *p && *p != '#' ? -EINVAL : 1;
}

int namemap_find(const char *path, const char *name, uint64_t *guid,
		 struct madkit_error *error)
{
	char line[LINE_MAX_BYTES];
	unsigned int number = 0;
	bool found = false;
	int ret = 0;
	FILE *f = fopen(path, "re");

	if (!f)
		return madkit_error_set(error, -EIO, -1,
					"cannot read the node name map %.120s: %s",
					path, strerror(errno));
	while (!ret && fgets(line, sizeof(line), f)) {
		uint64_t candidate;
		const char *its;

		number++;
		if (!strchr(line, '\n') && !feof(f))
			ret = -EINVAL;
		else
			ret = parse_line(line, &candidate, &its);
		if (ret < 0) {
			madkit_error_set(error, ret, -1,
				"%.120s:%u: expected 0xGUID \"name\"", path, number);
			break;
		}
		if (ret && !strcasecmp(its, name)) {
			if (found && *guid != candidate) {
				ret = madkit_error_set(error, -EEXIST, -1,
					"%.120s: several nodes are called '%.64s'",
					path, name);
				break;
			}
			found = true;
			*guid = candidate;
		}
		ret = 0;
	}
	if (!ret && ferror(f))
		ret = madkit_error_set(error, -EIO, -1,
			"cannot read the node name map %.120s: %s",
			path, strerror(errno));
	fclose(f);
	if (ret)
		return ret;
	if (!found)
		return madkit_error_set(error, -ENOENT, -1,
					"%.120s has no node '%.64s'", path, name);
	return 0;
}
