/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#define _GNU_SOURCE /* qsort_r */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/path.h>
#include "scope.h"

/* ---- --from ---------------------------------------------------------------------- */

int scope_read_start(const struct madsweep_options *o, struct scope_start *start)
{
	struct madkit_error error = { .text = "" };

	*start = (struct scope_start){ .word = o->from };
	if (!o->from || (strcmp(o->from, "0") && strncmp(o->from, "0,", 2) &&
			 (!strchr(o->from, ',') || strspn(o->from, "0123456789,") != strlen(o->from))))
		return EXIT_DONE;
	if (madkit_parse_path(o->from, &start->to, &error))
		return cli_usage_error("--from '%s': %s", o->from, error.text);
	start->to.direct = true;
	start->direct = true;
	start->word = NULL;
	return EXIT_DONE;
}

/* ---- distance ---------------------------------------------------------------------- */

/* Returns the first port of a node that has a link, and the number of such ports in *links. */
static uint8_t scope_linked(const struct madkit_sweep_node *n, unsigned int *links)
{
	uint8_t first = n->number;

	*links = 0;
	for (unsigned int port = n->nports; port; port--) {
		if (n->ports[port].peer == MADKIT_SWEEP_NONE)
			continue;
		first = (uint8_t)port;
		++*links;
	}
	return first;
}

/* Returns the port of a CA or router from which --from counts if it is a name: on this host, the port that sends; else
 * the first one with a link. */
static uint8_t scope_start_port(const struct madkit_sweep *s, uint32_t node, const char *word)
{
	const struct madkit_sweep_node *n = madkit_sweep_node(s, node);
	struct subnet_name name = subnet_name(s, n);
	unsigned int links;
	uint8_t port;

	if (n->type == MADKIT_NODE_TYPE_SWITCH)
		return 0;
	port = scope_linked(n, &links);
	/* node 0 is this host, because the sweep begins here if --from is a name */
	port = node ? port : n->number;
	if (links > 1) {
		cli_say("--from '%.40s' begins at port %u of %.*s", word, port,
			name.len < 40 ? (int)name.len : 40, name.text);
		cli_say("hint: to begin at another port, use its LID or GUID");
	}
	return port;
}

/* Finds the port from which --hops counts. Returns EXIT_DONE, or as subnet_find(). */
static int scope_find_start(struct exchange *x, const struct madkit_sweep *sweep,
			    const struct scope_start *start, struct scope_port *at)
{
	const struct madkit_sweep_node *first = madkit_sweep_node(sweep, 0);
	struct subnet_place place;
	int status;

	*at = (struct scope_port){ 0, first->number };
	if (start->word) {
		status = subnet_find(x, sweep, "--from", start->word, &place);
		at->node = place.node;
		if (!status)
			at->port = place.port >= 0 ? (uint8_t)place.port :
						     scope_start_port(sweep, at->node, start->word);
		return status;
	}
	if (!start->behind)
		return EXIT_DONE;
	if (start->behind > first->nports || first->ports[start->behind].peer == MADKIT_SWEEP_NONE)
		return exchange_fail(x, EXIT_NOTHING, 0, "--from '%s': there is no node any more",
				     madsweep_options(x->options)->from);
	*at = (struct scope_port){ first->ports[start->behind].peer, first->ports[start->behind].peer_port };
	return EXIT_DONE;
}

/* ---- the ports ---------------------------------------------------------------------- */

struct scope_order {
	const struct madkit_sweep *sweep;
	bool by_name;
};

static int scope_compare_names(const struct madkit_sweep *s, const struct madkit_sweep_node *m,
			       const struct madkit_sweep_node *n)
{
	const struct subnet_name a = subnet_name(s, m), b = subnet_name(s, n);

	return madkit_name_compare(a.text, a.len, b.text, b.len);
}

static int scope_compare(const void *a, const void *b, void *context)
{
	const struct scope_port *p = a, *q = b;
	const struct scope_order *order = context;
	const struct madkit_sweep_node *m = madkit_sweep_node(order->sweep, p->node);
	const struct madkit_sweep_node *n = madkit_sweep_node(order->sweep, q->node);
	int names = order->by_name && p->node != q->node ? scope_compare_names(order->sweep, m, n) : 0;

	if (names)
		return names;
	if (m->guid != n->guid)
		return m->guid < n->guid ? -1 : 1;
	if (p->node != q->node)
		return p->node < q->node ? -1 : 1;
	return p->port < q->port ? -1 : p->port > q->port;
}

size_t scope_count(const struct scope *scope)
{
	struct madkit_sweep_counts counts;
	size_t n = 0;

	madkit_sweep_count(scope->area.sweep, &counts);
	for (uint32_t i = 0; i < counts.nodes; i++)
		for (unsigned int port = 0;
		     area_has(&scope->area, i) && port <= madkit_sweep_node(scope->area.sweep, i)->nports;
		     port++)
			n += madkit_sweep_has_port(scope->area.sweep, i, port);
	return n;
}

static int scope_fill(struct scope *scope, const struct madkit_expr *select, uint32_t nodes)
{
	scope->read = scope_count(scope);
	scope->ports = calloc(scope->read + 1, sizeof(*scope->ports));
	if (!scope->ports)
		return -ENOMEM;
	for (uint32_t i = 0; i < nodes; i++) {
		const struct madkit_sweep_node *n = madkit_sweep_node(scope->area.sweep, i);

		for (unsigned int port = 0; port <= n->nports && area_has(&scope->area, i); port++) {
			const struct scope_port at = { i, (uint8_t)port };
			struct madkit_sweep_record record;

			if (!madkit_sweep_has_port(scope->area.sweep, i, port))
				continue;
			if (select)
				scope_record(scope, &at, &record);
			if (!select || madkit_expr_eval(select, &record.record) == 1)
				scope->ports[scope->n++] = at;
		}
	}
	return 0;
}

/* ---- --links --------------------------------------------------------------------------- */

/* Compares ports in the order in which scope_fill() lists them. */
static int scope_compare_places(const void *a, const void *b)
{
	const struct scope_port *p = a, *q = b;

	if (p->node != q->node)
		return p->node < q->node ? -1 : 1;
	return p->port - q->port;
}

/* Checks if a link is listed by this end, if both ends are in scope: by that at a switch; of two alike, by that with the
 * lower GUID. */
static bool scope_is_first_end(const struct scope *scope, const struct scope_port *end,
			       const struct scope_port *other)
{
	const struct madkit_sweep_node *n = madkit_sweep_node(scope->area.sweep, end->node);
	const struct madkit_sweep_node *m = madkit_sweep_node(scope->area.sweep, other->node);
	const bool near = n->type == MADKIT_NODE_TYPE_SWITCH, far = m->type == MADKIT_NODE_TYPE_SWITCH;

	if (near != far)
		return near;
	return n->guid != m->guid ? n->guid < m->guid : scope_compare_places(end, other) <= 0;
}

/* Keeps one port of each link. */
static void scope_keep_links(struct scope *scope)
{
	size_t kept = 0;
	struct scope_port *links = calloc(scope->n + 1, sizeof(*links));

	for (size_t i = 0; links && i < scope->n; i++) {
		const struct scope_port *at = &scope->ports[i];
		const struct madkit_sweep_port *p =
			&madkit_sweep_node(scope->area.sweep, at->node)->ports[at->port];
		const struct scope_port peer = { p->peer, p->peer_port };

		/* a cable may lead to a node that does not respond */
		if (p->peer == MADKIT_SWEEP_NONE ?
			    p->far != MADKIT_SWEEP_SILENT && p->far != MADKIT_SWEEP_REFUSED :
			    !scope_is_first_end(scope, at, &peer) &&
				    bsearch(&peer, scope->ports, scope->n, sizeof(peer),
					    scope_compare_places))
			continue;
		links[kept++] = *at;
	}
	if (links)
		free(scope->ports);
	scope->ports = links ? links : scope->ports;
	scope->n = kept;
}

/* ---- --behind -------------------------------------------------------------------------- */

/* The routes from a switch to the ports of a scope: each LID has one. */
struct scope_behind {
	struct madkit_sweep *sweep;
	struct scope_port at;
	struct madkit_path *paths;
	size_t *ports; /* of each path: index in the scope */
	size_t n;
};

int scope_check_behind(const struct madsweep_options *o)
{
	const char *slash = o->behind ? strrchr(o->behind, '/') : NULL;

	if (!o->behind ||
	    (slash && slash > o->behind && slash[1] && strspn(slash + 1, "0123456789") == strlen(slash + 1)))
		return EXIT_DONE;
	return cli_usage_error("--behind '%.80s' is not a port of a switch, such as leaf2/7", o->behind);
}

/* Finds the port of a switch that --behind names. */
static int scope_find_behind(struct exchange *x, const struct madkit_sweep *sweep, const char *word,
			     struct scope_port *at)
{
	const struct madkit_sweep_node *n;
	struct subnet_place place;
	int status = subnet_find_place(x, sweep, "--behind", word, &place);

	if (status)
		return status;
	n = madkit_sweep_node(sweep, place.node);
	if (n->type != MADKIT_NODE_TYPE_SWITCH)
		return cli_usage_error("--behind '%s': only switches forward packets", word);
	if (place.number <= 0 || place.number > n->nports)
		return cli_usage_error("--behind '%s': the ports of this switch are 1 to %u", word,
				       n->nports);
	*at = (struct scope_port){ place.node, (uint8_t)place.number };
	return EXIT_DONE;
}

/* Lists a route to each LID of each host in scope. Returns 0 or -ENOMEM. */
static int scope_add_paths(const struct scope *scope, struct scope_behind *b)
{
	struct madkit_sweep_lids lids;
	size_t room = 0;

	for (size_t i = 0; i < scope->n; i++) {
		madkit_sweep_lids(b->sweep, scope->ports[i].node, scope->ports[i].port, &lids);
		room += lids.base ? lids.last - lids.first + 1u : 0;
	}
	b->paths = calloc(room + 1, sizeof(*b->paths));
	b->ports = calloc(room + 1, sizeof(*b->ports));
	for (size_t i = 0; b->paths && b->ports && i < scope->n; i++) {
		const struct scope_port *at = &scope->ports[i];

		madkit_sweep_lids(b->sweep, at->node, at->port, &lids);
		if (!lids.base || madkit_sweep_node(b->sweep, at->node)->type == MADKIT_NODE_TYPE_SWITCH)
			continue;
		for (unsigned int lid = lids.first; lid <= lids.last; lid++) {
			b->ports[b->n] = i;
			b->paths[b->n++] = (struct madkit_path){ .node = b->at.node, .lid = (uint16_t)lid };
		}
	}
	return b->paths && b->ports ? 0 : -ENOMEM;
}

static int scope_step_behind(void *context, uint64_t until_ns)
{
	struct scope_behind *b = context;

	return madkit_path_follow(b->sweep, b->paths, b->n, until_ns);
}

/* Keeps the ports with a route that leaves the switch by the port. Returns EXIT_DONE, or EXIT_TIMEOUT after a report if the
 * forwarding table of the switch was not read. */
static int scope_keep_behind(struct scope *scope, const struct scope_behind *b)
{
	bool *kept = calloc(scope->n + 1, sizeof(*kept)), adaptive = false;
	struct madkit_sweep_counts counts;
	size_t n = 0, unread = 0;

	if (!kept)
		return cli_no_memory();
	madkit_sweep_count(b->sweep, &counts);
	for (size_t i = 0; i < b->n; i++) {
		const struct madkit_path *path = &b->paths[i];
		const struct madkit_path_hop *hop = &path->hops[0];

		kept[b->ports[i]] |= path->nhops && hop->egress == b->at.port;
		adaptive |= path->nhops && hop->adaptive;
		unread += !path->nhops || path->end == MADKIT_PATH_UNFINISHED ||
			  (path->nhops == 1 &&
			   (path->end == MADKIT_PATH_SILENT || path->end == MADKIT_PATH_REFUSED));
	}
	for (size_t i = 0; i < scope->n; i++)
		if (kept[i])
			scope->ports[n++] = scope->ports[i];
	scope->n = n;
	free(kept);
	if (counts.silent)
		cli_say("--behind: hosts that do not respond are not listed, although packets to them may pass");
	if (adaptive)
		cli_say("--behind: the switch routes adaptively, and may also use other ports than its table has");
	return unread ? exchange_report(
				scope->x, NULL,
				exchange_fail(scope->x, EXIT_TIMEOUT, -ETIMEDOUT,
					      "--behind: the forwarding table of the switch was not read")) :
			EXIT_DONE;
}

static int scope_choose_behind(struct scope *scope, struct madkit_sweep *sweep, const char *place)
{
	struct scope_behind b = { .sweep = sweep };
	int status = scope_find_behind(scope->x, sweep, place, &b.at), ret;

	if (status)
		return status;
	ret = scope_add_paths(scope, &b);
	if (!ret && b.n)
		ret = exchange_drive(scope->x, scope_step_behind, NULL, &b);
	if (cli_stopped())
		status = cli_stopped_status();
	else if (ret < 0)
		status = cli_failed(ret, "cannot follow the routes");
	else
		status = scope_keep_behind(scope, &b);
	free(b.paths);
	free(b.ports);
	return status;
}

int scope_make(struct exchange *x, struct madkit_sweep *sweep, const struct scope_start *start,
	       const struct madkit_expr *select, struct scope *scope)
{
	const struct madsweep_options *o = madsweep_options(x->options);
	struct scope_order order = { sweep, scope->order->by_name };
	struct madkit_sweep_counts counts;
	struct scope_port at;
	int status, ret = 0;

	*scope = (struct scope){ .x = x, .area.sweep = sweep, .order = scope->order };
	madkit_sweep_count(sweep, &counts);
	status = scope_find_start(x, sweep, start, &at);
	if (status)
		return status;
	/* a topology file has all nodes that were found */
	if ((start->word || o->hops) && x->options->mode != MODE_TOPOLOGY) {
		scope->area.near = calloc(counts.nodes, sizeof(*scope->area.near));
		scope->area.limit = o->hops ? o->hops : MADKIT_SWEEP_UNREACHED - 1;
		ret = scope->area.near ? madkit_sweep_distances(sweep, at.node, at.port, scope->area.near) :
					 -ENOMEM;
	}
	if (!ret)
		ret = scope_fill(scope, select, counts.nodes);
	if (ret)
		return cli_no_memory();
	status = o->behind ? scope_choose_behind(scope, sweep, o->behind) : EXIT_DONE;
	if (o->links)
		scope_keep_links(scope);
	qsort_r(scope->ports, scope->n, sizeof(*scope->ports), scope_compare, &order);
	return status;
}

void scope_free(struct scope *scope)
{
	free(scope->ports);
	free(scope->area.near);
	madkit_registers_free(scope->registers);
	scope->registers = NULL;
	scope->ports = NULL;
	scope->area.near = NULL;
	scope->n = 0;
}

void scope_record(const struct scope *scope, const struct scope_port *port,
		  struct madkit_sweep_record *record)
{
	madkit_sweep_record_get(scope->area.sweep, port->node, port->port, record);
	exchange_message(scope->x, MADKIT_MESSAGE_PORT, &record->message);
	record->message.port = &record->record;
}
