/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The position of a walk as a dotted name: "data.NodeInfo.Guid", "data.Block[3].VL". */
#ifndef FORMAT_PATH_H
#define FORMAT_PATH_H

#include <stdint.h>
#include <madkit/field.h>

#define PATH_BYTES (MADKIT_PATH_MAX + 8)

struct path {
	const char *prefix; /* "data", "header", "" */
	unsigned int depth;
	struct {
		const struct madkit_field *field;
		unsigned int index;
	} part[MADKIT_DEPTH_MAX];
};

static inline void path_begin(struct path *path, const char *prefix)
{
	path->prefix = prefix;
	path->depth = 0;
}

/* For MADKIT_WALK_STRUCT and MADKIT_WALK_END. */
static inline void path_push(struct path *path, const struct madkit_item *item)
{
	if (path->depth < MADKIT_DEPTH_MAX) {
		path->part[path->depth].field = item->field;
		path->part[path->depth].index = item->index;
	}
	path->depth++;
}

static inline void path_pop(struct path *path)
{
	path->depth--;
}

/* Writes the name of the item; for an array as a whole, without an index. Returns its length. A name that
 * does not fit is truncated. */
size_t path_text(const struct path *path, const struct madkit_item *item, char text[PATH_BYTES]);

#endif
