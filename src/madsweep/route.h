/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The ports of --route and --mlid: along a route, or in a multicast tree. */
#ifndef SRC_ROUTE_H
#define SRC_ROUTE_H

#include "port_table.h"
#include "scope.h"

/* The place of a port of the scope on the route or in the tree. */
struct route_place {
	uint8_t path;   /* --both: 1 for the route back */
	uint8_t number; /* number of the hop */
	bool egress, adaptive, adaptive_known;
	bool quiet;    /* not shown in text: it is the other end of the link in the row before */
	uint8_t end;   /* enum madkit_path_end, if the route ends here; else MADKIT_PATH_UNFINISHED */
	uint8_t entry; /* port number in the table */
	uint8_t flags; /* MADKIT_TREE_... */
};

struct routes {
	struct route_place *places; /* for each port of the scope */
	struct madkit_path paths[2];
	struct madkit_passage passages[2];
	struct scope_port ends[2]; /* ends of --route */
	size_t npaths;             /* 0: tree is used */
	struct madkit_tree *tree;
	bool once; /* each port is listed only once */
};

/* A place on one of the routes. */
struct route_view {
	const struct routes *routes;
	const struct route_place *place;
};

/* Checks the options for --route and --mlid against each other. Returns EXIT_DONE or EXIT_USAGE. */
int route_check(const struct madsweep_options *options);
static inline bool route_is_wanted(const struct madsweep_options *options)
{
	return options->route || options->mlid;
}

/* An end of --route: a port and its LID. */
struct route_end {
	struct scope_port at;
	uint16_t lid;
	bool shared; /* another port has the same LID */
};

/* Finds the ends of --route: "A,B". back: the first end is also a destination. Returns EXIT_DONE, or another exit status
 * as route_make() does. */
int route_find_ends(struct exchange *x, const struct madkit_sweep *sweep, const char *route, bool back,
		    struct route_end ends[2]);

/*
 * Follows the route or reads the tree of the options, in a sweep that has ended, and makes the scope of its
 * ports, in the order of the route; once: each port only once. select may be NULL. Returns EXIT_DONE;
 * EXIT_NOTHING as subnet_find() does, or if a node has no LID; or another exit status after a report. If the
 * deadline ended it, nothing is reported, and the sweep is unfinished. The caller frees both in either case.
 */
int route_make(struct exchange *x, struct madkit_sweep *sweep, const struct madkit_expr *select, bool once,
	       struct routes *routes, struct scope *scope);
void route_free(struct routes *routes);
/* Returns the number of different ports on both routes. */
size_t route_count(const struct scope *scope);

/* Checks if the route or the tree is not as it should be at a place. */
bool route_is_broken(const struct route_place *place);

/* Returns a note about a place for the last column, or NULL. buf holds it. */
const char *route_note(const struct routes *routes, const struct route_place *place, char buf[PORT_NOTE_MAX]);
/* Checks if a new path begins at this index of the scope. */
bool route_begins(const struct routes *routes, size_t i);
/* Appends the title of the rows that begin at index i. */
void route_title(const struct routes *routes, const struct scope *scope, size_t i, struct madkit_buf *buf);
/* Writes the members of "hop" of a JSON line. context: a struct route_view. */
void route_write(const void *context, struct madkit_writer *writer);
/* Writes "routes", the member of the summary that describes each route. */
void route_write_summary(const struct routes *routes, const struct madkit_sweep *sweep,
			 struct madkit_writer *writer);
/* Reports each route that does not arrive or could not be followed, and a tree that is incomplete or not a
 * tree. Returns EXIT_DONE, EXIT_NOTHING, or EXIT_TIMEOUT if it is not known; if only a check of packets is
 * missing, this is so with --strict and --assert. */
int route_judge(const struct routes *routes, const struct scope *scope);

#endif
