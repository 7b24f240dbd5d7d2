/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The state of reading a plan. rows.c collects nodes and rows, and makes a cabling of them; dump.c, csv.c (with
 * columns.c) and netlist.c read the three formats; plan.c recognises the format.
 */
#ifndef PLAN_PLAN_INT_H
#define PLAN_PLAN_INT_H

#include <madkit/buf.h>
#include <madkit/plan.h>
#include "json/tokens.h"
#include "util/table.h"

enum {
	PLAN_ROWS_MAX = 1 << 22,
	PLAN_RENAMES_MAX = 1 << 20,
	PLAN_COLUMNS_MAX = 64,
	PLAN_PORT_MAX = 254,
	PLAN_LINKS_MAX = 10000, /* of a trunk */
};

/* A node of the plan. */
struct plan_node {
	uint64_t guid, system_guid; /* 0: not known */
	char *name;                 /* never NULL */
	uint8_t type;               /* 0: not known */
	uint8_t top;                /* highest port */
	uint16_t lid;               /* of a switch */
};

/* A row of a plan: a port, and perhaps the port at the other end. */
struct plan_row {
	uint32_t nodes[2]; /* the second one: MADKIT_CABLING_NONE: none */
	int16_t ports[2];  /* MADKIT_CABLING_ANY_PORT: any */
	uint32_t line;
	uint16_t links; /* of a trunk; 0: a link of two ports, or a port */
	bool half;      /* the row describes its first end only; there may be another one for the second */
	struct madkit_cabling_port port; /* the first end */
};

/* A name of a plan, and the node or port that it means. */
struct plan_rename {
	char *name, *port; /* name "*": any; port NULL: the node */
	char *to;          /* NULL: the same node */
	int to_port;       /* -1: the same port */
};

enum plan_format {
	PLAN_UNDECIDED, /* only comments and empty lines until now */
	PLAN_DUMP,
	PLAN_CSV,
	PLAN_NETLIST,
};

/* Columns of CSV. */
enum plan_column {
	PLAN_NODE_A,
	PLAN_PORT_A,
	PLAN_NODE_B,
	PLAN_PORT_B,
	PLAN_STATE,
	PLAN_DOMAIN,
	PLAN_LINKS,
	PLAN_COLUMNS
};

/* A cell of CSV: in struct madkit_plan.cells, terminated by NUL. */
struct plan_cell {
	size_t at, len;
};

struct madkit_plan {
	enum plan_format format;
	uint32_t line;
	bool failed;
	bool complete;    /* the plan has every port of each switch */
	bool summed;      /* of a dump: a summary has been read */
	uint32_t pending; /* ... ports since the last one */
	struct plan_node *nodes;
	struct plan_row *rows;
	struct plan_rename *renames;
	uint32_t nnodes, nodes_cap, nrows, rows_cap, nrenames, renames_cap;
	struct table guids, names, renamed;
	struct madkit_buf text;    /* of a topology file */
	struct json_tokens tokens; /* of a dump */
	struct json_wanted wanted; /* ... its keys that are read */
	char separator;            /* of CSV */
	int columns[PLAN_COLUMNS]; /* number of the cell; -1: there is no such column */
	struct madkit_buf cells;
	struct plan_cell cell[PLAN_COLUMNS_MAX];
	size_t ncells;
	char gap[120]; /* of a line with titles: the column that is missing; "": none */
};

/* ---- rows.c: each returns 0 or -errno with the error set ----------------------------------- */

/* Sets the error "line 12: ...". Returns the code. */
int plan_fail(const struct madkit_plan *p, struct madkit_error *error, int code, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Upper and lower case are the same. */
uint64_t plan_hash(const char *text);

/* Finds a node by its GUID or, if that is 0, by its name; adds it if it is new. */
int plan_add_node(struct madkit_plan *p, uint64_t guid, const char *name, uint32_t *node,
		  struct madkit_error *error);

/* Adds a row; its line is set. */
int plan_add_row(struct madkit_plan *p, const struct plan_row *row, struct madkit_error *error);

/* Makes the cabling. */
int plan_build(struct madkit_plan *p, struct madkit_cabling *c, struct madkit_error *error);

/* ---- columns.c ----------------------------------------------------------------------------- */

/* Returns the text of a cell; "" if the line has no such cell. */
static inline const char *plan_cell_text(const struct madkit_plan *p, int number)
{
	return number >= 0 && (size_t)number < p->ncells ? p->cells.data + p->cell[number].at : "";
}

/* Reads the titles of the columns. Returns false if both nodes and both ports are not among them; both nodes without ports
 * are enough if places is set: they are cells NODE/PORT. */
bool columns_take_header(struct madkit_plan *p, bool places);

/* Notes in p->gap which column the titles of the last try lack, and which of them is not known. */
void columns_note_gap(struct madkit_plan *p);

/* ---- formats ------------------------------------------------------------------------------- */

void dump_begin(struct madkit_plan *p);
int dump_line(struct madkit_plan *p, const char *line, size_t len, struct madkit_error *error);
/* Checks that the last sweep has its summary. */
int dump_finish(const struct madkit_plan *p, struct madkit_error *error);

/* Tries to read a line as the header of CSV, or as the first row of CSV without one. comment: it is behind a #. Returns 1 if it
 * is, else 0, or -ENOMEM. */
int csv_begin(struct madkit_plan *p, const char *line, size_t len, bool comment, bool *header);
int csv_line(struct madkit_plan *p, const char *line, size_t len, struct madkit_error *error);

/* Makes a cabling of the text. */
int netlist_read(struct madkit_plan *p, struct madkit_cabling *c, struct madkit_error *error);

#endif
