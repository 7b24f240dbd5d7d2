/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdbool.h>
#include "util/emit.h"
#include "format/path.h"

static char *put_part(char *p, const char *end, bool dot, const char *name, bool indexed, unsigned int index)
{
	size_t n = strlen(name);

	if ((size_t)(end - p) < n + EMIT_U64_MAX + 4)
		return p;
	if (dot)
		*p++ = '.';
	memcpy(p, name, n);
	p += n;
	if (indexed) {
		*p++ = '[';
		p = emit_u64(p, index);
		*p++ = ']';
	}
	return p;
}

size_t path_text(const struct path *path, const struct madkit_item *item, char text[PATH_BYTES])
{
	const char *end = text + PATH_BYTES;
	char *p = text;
	bool element = item->field->count && item->event != MADKIT_WALK_ARRAY &&
		       item->event != MADKIT_WALK_ARRAY_END;
	bool numbered = item->field->flags & MADKIT_FIELD_NUMBERED;

	if (*path->prefix)
		p = put_part(p, end, false, path->prefix, false, 0);
	for (unsigned int i = 0; i < path->depth && i < MADKIT_DEPTH_MAX; i++)
		p = put_part(p, end, p > text, path->part[i].field->name, path->part[i].field->count,
			     path->part[i].index);
	p = put_part(p, end, p > text, item->field->name, element && !numbered, item->index);
	if (element && numbered && end - p > EMIT_U64_MAX)
		p = emit_u64(p, item->index);
	*p = 0;
	return (size_t)(p - text);
}
