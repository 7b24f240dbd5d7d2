/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Writes the links of a sweep as a graph for Graphviz: parallel cables are one edge. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "port_table.h"
#include "sweep_list.h"

enum { GRAPH_FLUSH = 1 << 16 };

/* All cables between two nodes. */
struct graph_edge {
	uint32_t nodes
		[2]; /* the one further from the hosts first; of a silent node MADKIT_SWEEP_NONE, and its port: */
	uint8_t port;
	bool problem, differs; /* of a cable; the cables have different rates */
	uint32_t cables;
	char rate[PORT_LINK_MAX];
};

struct graph {
	struct sweeping *s;
	struct madkit_buf *buf;
	struct graph_edge *edges;
	size_t n;
	uint8_t *levels; /* of each node: how many links are between it and the nearest host */
	bool *drawn;     /* a port of the node is shown */
};

/* ---- nodes ------------------------------------------------------------------------- */

/* Sets the level of each node: hosts are at the bottom of the picture. */
static void graph_rank(struct graph *g)
{
	const struct madkit_sweep *sweep = g->s->net.sweep;
	const uint32_t n = g->s->net.counts.nodes;
	bool changed = true;

	for (uint32_t i = 0; i < n; i++)
		g->levels[i] = madkit_sweep_node(sweep, i)->type == MADKIT_NODE_TYPE_SWITCH ? UINT8_MAX : 0;
	for (uint8_t level = 0; changed && level < UINT8_MAX - 1; level++) {
		changed = false;
		for (uint32_t i = 0; i < n; i++) {
			const struct madkit_sweep_node *node = madkit_sweep_node(sweep, i);

			for (unsigned int p = 0; g->levels[i] == level && p <= node->nports; p++) {
				const uint32_t peer = node->ports[p].peer;

				if (peer == MADKIT_SWEEP_NONE || g->levels[peer] != UINT8_MAX)
					continue;
				g->levels[peer] = (uint8_t)(level + 1);
				changed = true;
			}
		}
	}
}

/* Appends text within quotes: a quote, a backslash and the marks of records get a backslash. */
static void graph_put_text(struct madkit_buf *buf, const char *text, size_t len)
{
	struct madkit_buf safe;

	madkit_buf_init(&safe, 0);
	madkit_text_escape(&safe, text, len);
	for (size_t i = 0; i < safe.len; i++) {
		if (strchr("\"\\", safe.data[i]))
			madkit_buf_char(buf, '\\');
		madkit_buf_char(buf, safe.data[i]);
		if (safe.data[i] == '&')
			madkit_buf_str(buf, "amp;");
	}
	if (safe.error)
		buf->error = safe.error;
	madkit_buf_free(&safe);
}

static void graph_put_node(struct graph *g, uint32_t i)
{
	const struct madkit_sweep_node *n = madkit_sweep_node(g->s->net.sweep, i);
	const char *given = madkit_sweep_name(g->s->net.sweep, n);
	const char *name = given ? given : (const char *)n->description;
	const size_t len = given ? strlen(given) : strnlen(name, sizeof(n->description));

	madkit_buf_printf(g->buf, "  n%" PRIu32 " [label=\"", i);
	graph_put_text(g->buf, name, len);
	madkit_buf_printf(g->buf, "%s0x%016" PRIx64 "\"", len ? "\\n" : "", n->guid);
	if (n->type == MADKIT_NODE_TYPE_SWITCH)
		madkit_buf_str(g->buf, ", shape=box, style=filled, fillcolor=lightgrey");
	if (n->state == MADKIT_SWEEP_SILENT || n->duplicate)
		madkit_buf_str(g->buf, ", color=red, fontcolor=red");
	madkit_buf_str(g->buf, "];\n");
}

/* ---- links -------------------------------------------------------------------------- */

/* Notes the rate and the state of one end of a link. */
struct graph_end {
	char rate[PORT_LINK_MAX];
	uint64_t state, mtu;
};

static void graph_read_end(const struct graph *g, const struct scope_port *at, struct graph_end *end)
{
	struct madkit_sweep_record record;

	*end = (struct graph_end){ .state = 0 };
	scope_record(&g->s->scope, at, &record);
	port_link_text(&record.record, end->rate);
	madkit_record_value(&record.record, "state", &end->state);
	madkit_record_value(&record.record, "mtu", &end->mtu);
}

/* Adds the cable of a port, unless the port at its other end adds it. */
static void graph_add(struct graph *g, const struct scope_port *at)
{
	const struct madkit_sweep_port *p = &madkit_sweep_node(g->s->net.sweep, at->node)->ports[at->port];
	struct graph_edge *e = &g->edges[g->n];
	struct madkit_sweep_link link;
	struct graph_end near, far;

	if (p->far == MADKIT_SWEEP_SILENT || p->far == MADKIT_SWEEP_REFUSED) {
		*e = (struct graph_edge){ { at->node, MADKIT_SWEEP_NONE }, .port = at->port, .cables = 1 };
		g->n++;
		return;
	}
	if (p->peer == MADKIT_SWEEP_NONE || !g->drawn[p->peer] ||
	    (g->drawn[p->peer] && (p->peer < at->node || (p->peer == at->node && p->peer_port < at->port))))
		return;
	*e = (struct graph_edge){ { at->node, p->peer }, .cables = 1 };
	if (g->levels[p->peer] > g->levels[at->node]) {
		e->nodes[0] = p->peer;
		e->nodes[1] = at->node;
	}
	madkit_sweep_link_get(g->s->net.sweep, at->node, at->port, &link);
	graph_read_end(g, at, &near);
	graph_read_end(g, &(struct scope_port){ p->peer, p->peer_port }, &far);
	strcpy(e->rate, near.rate);
	e->differs = strcmp(near.rate, far.rate) != 0;
	e->problem = link.limits || e->differs || near.mtu != far.mtu ||
		     near.state != MADKIT_PORT_STATE_ACTIVE || far.state != MADKIT_PORT_STATE_ACTIVE;
	g->n++;
}

static int graph_compare(const void *a, const void *b)
{
	const struct graph_edge *x = a, *y = b;

	for (int i = 0; i < 2; i++)
		if (x->nodes[i] != y->nodes[i])
			return x->nodes[i] < y->nodes[i] ? -1 : 1;
	return x->port - y->port;
}

/* Joins parallel cables. */
static void graph_join(struct graph *g)
{
	size_t kept = 0;

	qsort(g->edges, g->n, sizeof(*g->edges), graph_compare);
	for (size_t i = 0; i < g->n; i++) {
		struct graph_edge *last = kept ? &g->edges[kept - 1] : NULL;
		const struct graph_edge *e = &g->edges[i];

		if (!last || graph_compare(last, e)) {
			g->edges[kept++] = *e;
			continue;
		}
		last->cables++;
		last->problem |= e->problem;
		last->differs |= strcmp(last->rate, e->rate) != 0;
	}
	g->n = kept;
}

static void graph_put_edge(struct graph *g, const struct graph_edge *e)
{
	if (e->nodes[1] == MADKIT_SWEEP_NONE) {
		madkit_buf_printf(g->buf,
				  "  s%" PRIu32
				  "_%u [label=\"no response\", shape=plaintext, fontcolor=red];\n"
				  "  n%" PRIu32 " -- s%" PRIu32
				  "_%u [taillabel=\"%u\", color=red, style=dashed];\n",
				  e->nodes[0], e->port, e->nodes[0], e->nodes[0], e->port, e->port);
		return;
	}
	madkit_buf_printf(g->buf, "  n%" PRIu32 " -- n%" PRIu32 " [label=\"", e->nodes[0], e->nodes[1]);
	if (e->cables > 1)
		madkit_buf_printf(g->buf, "%" PRIu32 " x ", e->cables);
	madkit_buf_printf(g->buf, "%s\"", e->differs ? "different rates" : e->rate);
	if (e->cables > 1)
		madkit_buf_printf(g->buf, ", penwidth=%" PRIu32, e->cables > 10 ? 10 : e->cables);
	if (e->problem)
		madkit_buf_str(g->buf, ", color=red, fontcolor=red");
	if (g->levels[e->nodes[0]] == g->levels[e->nodes[1]])
		madkit_buf_str(g->buf, ", constraint=false");
	madkit_buf_str(g->buf, "];\n");
}

/* ---- the graph ----------------------------------------------------------------------- */

static int graph_put(struct graph *g)
{
	struct output *out = g->s->net.x.out;

	madkit_buf_str(g->buf, "graph subnet {\n  rankdir=LR;\n  ranksep=1;\n  node [fontsize=10];\n"
			       "  edge [fontsize=8];\n");
	for (uint32_t i = 0; i < g->s->net.counts.nodes; i++)
		if (g->drawn[i])
			graph_put_node(g, i);
	for (size_t i = 0; i < g->n && !out->status && !cli_stopped(); i++) {
		graph_put_edge(g, &g->edges[i]);
		if (g->buf->len >= GRAPH_FLUSH)
			output_flush(out);
	}
	madkit_buf_str(g->buf, "}\n");
	output_flush(out);
	return cli_stopped() ? cli_stopped_status() : EXIT_DONE;
}

int sweeping_draw(struct sweeping *s)
{
	const struct scope *scope = &s->scope;
	struct graph g = { .s = s, .buf = &s->net.x.out->buf };
	int status = EXIT_DONE;

	if (!s->net.counts.nodes)
		return EXIT_DONE;
	g.edges = calloc(scope->n + 1, sizeof(*g.edges));
	g.levels = calloc(s->net.counts.nodes, sizeof(*g.levels));
	g.drawn = calloc(s->net.counts.nodes, sizeof(*g.drawn));
	if (!g.edges || !g.levels || !g.drawn)
		status = cli_no_memory();
	for (size_t i = 0; !status && i < scope->n; i++) {
		struct madkit_sweep_record record;

		scope_record(scope, &scope->ports[i], &record);
		if (output_judge_record(s->net.x.out, &record.record))
			g.drawn[scope->ports[i].node] = true;
	}
	if (!status)
		graph_rank(&g);
	for (size_t i = 0; !status && i < scope->n; i++)
		if (g.drawn[scope->ports[i].node])
			graph_add(&g, &scope->ports[i]);
	if (!status)
		graph_join(&g);
	if (!status)
		status = graph_put(&g);
	free(g.edges);
	free(g.levels);
	free(g.drawn);
	return status;
}
