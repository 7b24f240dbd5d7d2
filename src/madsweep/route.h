/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The ports of --route and --mlid: those along a route, and those of a multicast tree. */
#ifndef SRC_ROUTE_H
#define SRC_ROUTE_H

#include "scope.h"

/* Of a port of the scope: where it is on the route or in the tree. */
struct route_place {
	uint8_t path;   /* of --both: 1 for the route back */
	uint8_t number; /* of the hop */
	bool egress, adaptive, adaptive_known;
	bool quiet;    /* text does not show it: it is the other end of the link in the row before */
	uint8_t end;   /* enum madkit_path_end, if the route ends here; else MADKIT_PATH_UNFINISHED */
	uint8_t entry; /* port that the table has */
	uint8_t flags; /* MADKIT_TREE_... */
};

struct routes {
	struct route_place *places; /* of each port of the scope */
	struct madkit_path paths[2];
	struct scope_port ends[2]; /* of --route */
	size_t npaths;             /* 0: a tree */
	struct madkit_tree *tree;
	bool once; /* each port only once */
};

/* Whether the options go together. EXIT_DONE or EXIT_USAGE. */
int route_check(const struct cli_options *options);
static inline bool route_is_wanted(const struct cli_options *options)
{
	return options->route || options->mlid;
}

/*
 * Follows the route or reads the tree of the options, in a sweep that has ended, and makes the scope of its ports, in the
 * order of the route; once: each port only once. select may be NULL. Returns EXIT_DONE; EXIT_NOTHING as
 * scope_find() does, or if a node has no LID; or another exit status after reporting the reason; if the deadline ended it, nothing is reported, and the sweep is unfinished. Free both in
 * either case.
 */
int route_make(struct exchange *x, struct madkit_sweep *sweep, const struct madkit_expr *select, bool once,
	       struct routes *routes, struct scope *scope);
void route_free(struct routes *routes);

/* What the reader should know of a place, or NULL. Returns buf. */
const char *route_note(const struct routes *routes, const struct route_place *place, char buf[96]);
/* Whether the rows of another path begin with this place of the scope. */
bool route_begins(const struct routes *routes, size_t i);
/* Appends a title for the rows that begin there. */
void route_title(const struct routes *routes, const struct scope *scope, size_t i, struct madkit_buf *buf);
/* The object "hop" of a JSON line; NULL: out of memory. */
const char *route_json(const struct routes *routes, const struct route_place *place, struct madkit_buf *buf);
/* Returns EXIT_DONE, or EXIT_NOTHING after reporting that a route does not arrive or that the tree is not a tree. */
int route_judge(const struct routes *routes, const struct scope *scope);

#endif
