/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The nodes and rows of a plan, and the cabling that they make. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "plan/plan_int.h"
#include "topology/cabling.h"
#include "util/array.h"
#include "util/word.h"

int plan_fail(const struct madkit_plan *p, struct madkit_error *error, int code, const char *format, ...)
{
	char text[200];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return madkit_error_set(error, code, -1, "line %u: %s", (unsigned int)p->line, text);
}

static int plan_no_memory(struct madkit_error *error)
{
	return madkit_error_set(error, -ENOMEM, -1, "no memory for the plan");
}

/* ---- nodes --------------------------------------------------------------------------------- */

uint64_t plan_hash(const char *text)
{
	uint64_t hash = 0;

	for (; *text; text++)
		hash = table_mix(hash, (unsigned char)(*text >= 'A' && *text <= 'Z' ? *text | 0x20 : *text));
	return hash;
}

static uint32_t plan_find(const struct madkit_plan *p, uint64_t guid, const char *name)
{
	const struct table *table = guid ? &p->guids : &p->names;
	const uint64_t hash = guid ? table_mix(0, guid) : plan_hash(name);
	size_t step = 0;
	uint32_t node;

	while (table_next_number(table, hash, &step, &node)) {
		const struct plan_node *n = &p->nodes[node];

		if (guid ? n->guid == guid : !n->guid && !strcasecmp(n->name, name))
			return node;
	}
	return MADKIT_CABLING_NONE;
}

int plan_add_node(struct madkit_plan *p, uint64_t guid, const char *name, uint32_t *node,
		  struct madkit_error *error)
{
	int ret;

	*node = plan_find(p, guid, name);
	if (*node != MADKIT_CABLING_NONE)
		return 0;
	if (strlen(name) > MADKIT_CABLING_NAME_MAX)
		return plan_fail(p, error, -EINVAL, "the name '%.32s...' has more than %d bytes", name,
				 MADKIT_CABLING_NAME_MAX);
	if (p->nnodes == MADKIT_CABLING_NODES_MAX)
		return plan_fail(p, error, -E2BIG, "the plan has more than %d nodes",
				 MADKIT_CABLING_NODES_MAX);
	if (array_room(&p->nodes, &p->nodes_cap, p->nnodes, 1, sizeof(*p->nodes)))
		return plan_no_memory(error);
	p->nodes[p->nnodes] = (struct plan_node){ .guid = guid, .name = strdup(name) };
	if (!p->nodes[p->nnodes].name)
		return plan_no_memory(error);
	ret = guid ? table_add_number(&p->guids, table_mix(0, guid), p->nnodes) :
		     table_add_number(&p->names, plan_hash(name), p->nnodes);
	*node = p->nnodes++;
	return ret ? plan_no_memory(error) : 0;
}

/* ---- rows ---------------------------------------------------------------------------------- */

int plan_add_row(struct madkit_plan *p, const struct plan_row *row, struct madkit_error *error)
{
	if (p->nrows == PLAN_ROWS_MAX)
		return plan_fail(p, error, -E2BIG, "the plan has more than %d ports", PLAN_ROWS_MAX);
	if (array_room(&p->rows, &p->rows_cap, p->nrows, 1, sizeof(*p->rows)))
		return plan_no_memory(error);
	for (size_t i = 0; i < 2; i++) {
		struct plan_node *n;

		if (row->nodes[i] == MADKIT_CABLING_NONE)
			continue;
		n = &p->nodes[row->nodes[i]];
		if (row->ports[i] > n->top)
			n->top = (uint8_t)row->ports[i];
	}
	p->rows[p->nrows] = *row;
	p->rows[p->nrows++].line = p->line;
	return 0;
}

/* ---- cabling ------------------------------------------------------------------------------- */

/* The building of a cabling. */
struct plan_building {
	const struct madkit_plan *p;
	struct madkit_cabling *c;
	uint32_t *said;   /* of each port: the line that described it; 0: none */
	uint32_t *linked; /* ... the line with its link */
	struct madkit_error *error;
};

static uint32_t plan_port(const struct plan_building *b, const struct plan_row *row, size_t end)
{
	return b->c->nodes[row->nodes[end]].first + (uint32_t)row->ports[end];
}

/* Reports that two lines contradict each other about a port. */
static int plan_contradiction(const struct plan_building *b, uint32_t port, uint32_t line, uint32_t other,
			      const char *what)
{
	const struct cabling_port *q = &b->c->ports[port];
	char place[160];

	snprintf(place, sizeof(place), "%.128s/%u", b->p->nodes[q->node].name, cabling_number(b->c, port));
	if (line < other) {
		const uint32_t swap = line;

		line = other;
		other = swap;
	}
	return madkit_error_set(b->error, -EEXIST, -1, "line %u: %s %s line %u", (unsigned int)line, place,
				what, (unsigned int)other);
}

static int plan_build_nodes(struct plan_building *b)
{
	const struct madkit_plan *p = b->p;
	int ret = 0;

	for (uint32_t i = 0; i < p->nnodes && !ret; i++) {
		const struct plan_node *n = &p->nodes[i];
		const struct madkit_cabling_node node = {
			.guid = n->guid,
			.system_guid = n->system_guid,
			.name = n->name,
			.type = n->type,
			.nports = n->top,
			.counted = p->complete && n->type == MADKIT_NODE_TYPE_SWITCH,
		};
		const struct madkit_cabling_port port0 = { .state = MADKIT_CABLING_DOWN, .lid = n->lid };
		uint32_t added;

		ret = madkit_cabling_add_node(b->c, &node, MADKIT_CABLING_DOWN, &added);
		if (!ret && n->lid)
			madkit_cabling_set_port(b->c, (struct madkit_cabling_end){ added, 0 }, &port0);
	}
	if (ret == -E2BIG)
		return madkit_error_set(b->error, ret, -1, "the plan has too many nodes or ports");
	return ret ? plan_no_memory(b->error) : 0;
}

/* Takes the description of a port. */
static int plan_build_port(struct plan_building *b, const struct plan_row *row)
{
	uint32_t port;

	if (row->ports[0] < 0)
		return 0;
	port = plan_port(b, row, 0);
	if (row->half && b->said[port])
		return plan_contradiction(b, port, row->line, b->said[port], "is also in");
	if (!row->half && b->said[port])
		return 0;
	b->said[port] = row->line;
	madkit_cabling_set_port(b->c, (struct madkit_cabling_end){ row->nodes[0], row->ports[0] },
				&row->port);
	return 0;
}

/* Links the ends of a row. */
static int plan_build_link(struct plan_building *b, const struct plan_row *row)
{
	const struct madkit_cabling_end ends[2] = { { row->nodes[0], row->ports[0] },
						    { row->nodes[1], row->ports[1] } };
	uint32_t port;
	int ret;

	if (row->nodes[1] == MADKIT_CABLING_NONE)
		return 0;
	if (row->links) {
		ret = madkit_cabling_add_trunk(b->c, ends[0], ends[1], row->links);
		return ret ? plan_no_memory(b->error) : 0;
	}
	ret = madkit_cabling_add_link(b->c, ends[0], ends[1]);
	if (ret == -EINVAL)
		return madkit_error_set(b->error, ret, -1, "line %u: a port is linked to itself",
					(unsigned int)row->line);
	for (size_t i = 0; i < 2; i++) {
		port = plan_port(b, row, i);
		if (ret && b->linked[port])
			return plan_contradiction(b, port, row->line, b->linked[port],
						  "has another link than in");
		if (!b->linked[port])
			b->linked[port] = row->line;
	}
	return 0;
}

/* Checks that a port that a row describes as being down has no link by another row. */
static int plan_check_port(const struct plan_building *b, const struct plan_row *row)
{
	uint32_t port;

	if (!row->half || row->nodes[1] != MADKIT_CABLING_NONE || row->port.state != MADKIT_CABLING_DOWN)
		return 0;
	port = plan_port(b, row, 0);
	return b->linked[port] ? plan_contradiction(b, port, row->line, b->linked[port],
						    "has a link only in one of its lines: see") :
				 0;
}

int plan_build(struct madkit_plan *p, struct madkit_cabling *c, struct madkit_error *error)
{
	struct plan_building b = { .p = p, .c = c, .error = error };
	int ret = plan_build_nodes(&b);

	if (ret)
		return ret;
	b.said = calloc(c->nports + 1, sizeof(*b.said));
	b.linked = calloc(c->nports + 1, sizeof(*b.linked));
	if (!b.said || !b.linked)
		ret = plan_no_memory(error);
	for (uint32_t i = 0; i < p->nrows && !ret; i++)
		ret = plan_build_port(&b, &p->rows[i]);
	for (uint32_t i = 0; i < p->nrows && !ret; i++)
		ret = plan_build_link(&b, &p->rows[i]);
	for (uint32_t i = 0; i < p->nrows && !ret; i++)
		ret = plan_check_port(&b, &p->rows[i]);
	free(b.said);
	free(b.linked);
	return ret;
}
