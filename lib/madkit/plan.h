/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_plan - read a plan of the cables of a subnet
 *
 * A plan is the output of madsweep -j, a topology file (what ibnetdiscover and madsweep --topology print), or CSV; see
 * madkit-plan(7). The format is recognised by the first line. The caller passes the lines of the file to
 * madkit_plan_line(), and then gets the cabling from madkit_plan_end(), to pass to madkit_compare(3).
 *
 * Memory is bounded by the number of nodes and ports. A topology file may have 256 MiB, a line of another plan 64 KiB.
 *
 * The functions do not block.
 */
#ifndef MADKIT_PLAN_H
#define MADKIT_PLAN_H

#include <madkit/decls.h>
#include <stddef.h>
#include <madkit/compare.h>
#include <madkit/error.h>

MADKIT_BEGIN_DECLS

/* Limits. */
enum {
	MADKIT_PLAN_LINE_MAX = 65536, /* bytes of a line, without its newline */
};

struct madkit_plan;

/*
 * madkit_plan_new - begin to read a plan
 * @plan: receives the reader; free it with madkit_plan_free()
 *
 * Return: 0, or -ENOMEM if out of memory.
 */
int madkit_plan_new(struct madkit_plan **plan);

/*
 * madkit_plan_free - free a reader
 * @plan: reader to free, or NULL
 */
void madkit_plan_free(struct madkit_plan *plan);

/*
 * madkit_plan_rename - say which node or port a name in the plan means
 * @plan:    the reader, before its first line
 * @name:    name of a node in CSV; "*" with @port: any
 * @port:    name of its port, such as "Blade 2_Port 1/3"; NULL: all
 * @to:      name or GUID of the node; NULL: the same node
 * @to_port: number of the port; -1: as the plan has it
 *
 * Return: 0; -EEXIST if the name was given before; or -ENOMEM if out of memory.
 */
int madkit_plan_rename(struct madkit_plan *plan, const char *name, const char *port, const char *to,
		       int to_port);

/*
 * madkit_plan_line - read the next line
 * @plan:  the reader
 * @line:  the line, with or without its newline
 * @len:   its length
 * @error: receives the reason, with the number of the line; or NULL
 *
 * Return: 0; -EINVAL if it is not valid; -ENOTSUP if the format is not recognised; -EEXIST if a port has two links; -E2BIG if it is too long, or the plan too large;
 * or -ENOMEM if out of memory.
 */
int madkit_plan_line(struct madkit_plan *plan, const char *line, size_t len, struct madkit_error *error);

/*
 * madkit_plan_end - return the cabling
 * @plan:    the reader, after the last line
 * @cabling: receives the cabling; free it with madkit_cabling_free()
 * @error:   receives the reason, with the number of the line; or NULL
 *
 * Return: 0; -ENODATA if the plan has no nodes; or the errors of madkit_plan_line().
 */
int madkit_plan_end(struct madkit_plan *plan, struct madkit_cabling **cabling, struct madkit_error *error);

MADKIT_END_DECLS
#endif
