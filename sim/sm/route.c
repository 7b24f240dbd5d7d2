/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Linear forwarding tables: the shortest route from each switch to each LID. Of equal routes, the one with
 * the fewest LIDs of adapters and routers so far is used. A LID keeps its previous route while that one
 * has nearly as few: a pulled cable changes little, and a new cable is used.
 *
 * Credit loops: switches are ordered by their distance from a leaf, which is a switch with many end ports.
 * A packet that goes up and then down in one order of all switches, and never up again, cannot be part of
 * a loop. In a fat tree, all shortest routes between leaves are such routes. Between other switches, such
 * as two spines, shorter routes go down and then up; their packets take a detour. In a topology with
 * circles of leaves (a ring, a mesh), each route is the shortest, and there may be loops.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "sim/sm/internal.h"
#include "util/array.h"

enum { NO_PORT = 255, SLACK = 1 };

void sm_map_free(struct sm_map *m)
{
	for (uint32_t i = 0; i < m->nswitches; i++)
		free(m->switches[i].multicast_dirty);
	free(m->switches);
	free(m->switch_of);
	free(m->links);
	free(m->ways);
	subnet_free(&m->s);
	memset(m, 0, sizeof(*m));
}

/* ---- switches and the cables between them ------------------------------------------------ */

/* Returns the switch at the other end of a port's cable, or SUBNET_NONE. */
static uint32_t route_neighbour(const struct sm_map *m, uint32_t port)
{
	uint32_t peer = m->s.ports[port].peer;

	return peer == SUBNET_NONE ? SUBNET_NONE : m->switch_of[m->s.ports[peer].node];
}

static void route_inherit(struct sm_map *m, struct sm_switch *sw, struct sm_map *old)
{
	struct subnet_node *node = &m->s.nodes[sw->node], *was;
	uint32_t number = subnet_find_node(&old->s, node->guid), index;

	if (number == SUBNET_NONE || !old->switch_of || old->s.nodes[number].nports != node->nports)
		return;
	index = old->switch_of[number];
	if (index == SUBNET_NONE)
		return;
	was = &old->s.nodes[number];
	node->linear = was->linear;
	node->nlinear = was->nlinear;
	node->multicast = was->multicast;
	was->linear = was->multicast = NULL;
	was->nlinear = 0;
	memcpy(sw->linear_dirty, old->switches[index].linear_dirty, sizeof(sw->linear_dirty));
	sw->multicast_dirty = old->switches[index].multicast_dirty;
	old->switches[index].multicast_dirty = NULL;
}

static void find_links(struct sm_map *m)
{
	for (uint32_t i = 0; i < m->nswitches; i++) {
		struct sm_switch *sw = &m->switches[i];
		const struct subnet_node *node = &m->s.nodes[sw->node];

		sw->first_link = m->nlinks;
		for (unsigned int p = 1; p <= node->nports; p++) {
			uint32_t to = route_neighbour(m, node->first + p);

			/* a loop-back leads nowhere */
			if (to == SUBNET_NONE || to == i)
				continue;
			m->links[m->nlinks++] = (struct sm_link){
				.from = i,
				.to = to,
				.port = (uint8_t)p,
				.to_port = m->s.ports[m->s.ports[node->first + p].peer].number,
			};
		}
		sw->nlinks = m->nlinks - sw->first_link;
	}
}

int sm_switches(struct sm_map *m, struct sm_map *old)
{
	uint32_t nlinks = 0;

	m->switch_of = malloc(m->s.nnodes * sizeof(*m->switch_of));
	if (!m->switch_of)
		return -ENOMEM;
	m->nswitches = 0;
	for (uint32_t i = 0; i < m->s.nnodes; i++)
		m->switch_of[i] = subnet_is_switch(&m->s.nodes[i]) ? m->nswitches++ : SUBNET_NONE;
	m->switches = calloc(m->nswitches ? m->nswitches : 1, sizeof(*m->switches));
	for (uint32_t i = 0; m->switches && i < m->s.nports; i++)
		nlinks += m->switch_of[m->s.ports[i].node] != SUBNET_NONE &&
			  route_neighbour(m, i) != SUBNET_NONE;
	m->links = malloc((nlinks ? nlinks : 1) * sizeof(*m->links));
	if (!m->switches || !m->links) {
		m->nswitches = 0;
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < m->s.nnodes; i++)
		if (m->switch_of[i] != SUBNET_NONE)
			m->switches[m->switch_of[i]].node = i;
	find_links(m);
	m->circles = old && old->circles;
	for (uint32_t i = 0; old && i < m->nswitches; i++)
		route_inherit(m, &m->switches[i], old);
	return 0;
}

/* ---- table entries ------------------------------------------------------------------------- */

static void set_entry(struct sm_map *m, struct sm_switch *sw, uint32_t lid, uint8_t port)
{
	struct subnet_node *node = &m->s.nodes[sw->node];

	if (node->linear[lid] == port)
		return;
	node->linear[lid] = port;
	sm_set_bit(sw->linear_dirty, lid / SM_LINEAR_BLOCK);
}

/* Makes room for all LIDs in every table, and removes the routes to LIDs that no port has. Returns 0 or
 * -ENOMEM. */
static int sm_route_make_room(struct sm_map *m)
{
	uint32_t want = (m->s.nlids + SM_LINEAR_BLOCK - 1) / SM_LINEAR_BLOCK * SM_LINEAR_BLOCK;
	uint32_t *unused = malloc((m->s.nlids ? m->s.nlids : 1) * sizeof(*unused)), nunused = 0;
	int ret = unused ? 0 : -ENOMEM;

	for (uint32_t lid = 0; unused && lid < m->s.nlids; lid++)
		if (subnet_find_lid(&m->s, lid) == SUBNET_NONE)
			unused[nunused++] = lid;
	for (uint32_t i = 0; !ret && i < m->nswitches; i++) {
		struct sm_switch *sw = &m->switches[i];
		struct subnet_node *node = &m->s.nodes[sw->node];
		uint32_t had = node->nlinear;

		if (array_extend(&node->linear, &node->nlinear, want, 1, NO_PORT)) {
			ret = -ENOMEM;
			break;
		}
		/* new entries are unknown on the switch: write the whole block */
		for (uint32_t lid = had; lid < want; lid += SM_LINEAR_BLOCK)
			sm_set_bit(sw->linear_dirty, lid / SM_LINEAR_BLOCK);
		for (uint32_t u = 0; u < nunused; u++)
			set_entry(m, sw, unused[u], NO_PORT);
		for (uint32_t lid = m->s.nlids; lid < node->nlinear; lid++)
			set_entry(m, sw, lid, NO_PORT);
	}
	free(unused);
	return ret;
}

/* ---- routes ---------------------------------------------------------------------------------- */

/* A LID attached to a switch, and the port that leads to it; 0: the LID of the switch itself. */
struct target {
	uint16_t lid;
	uint8_t port;
	bool again; /* the same port as that of the previous target */
};

/* Where a switch may send packets to a destination. */
enum {
	ROUTE_UP = 1,   /* up, by a shortest route */
	ROUTE_DOWN = 2, /* down, and from then on only down; preferred to up */
};

struct routing {
	struct sm_map *m;
	struct target *targets;
	uint32_t *first;    /* by switch: index of its first target; one more entry is the end */
	uint32_t *rank;     /* by switch: its place in the order, 0 is the top */
	uint32_t *order;    /* switches by rank */
	uint32_t nordered;  /* number of switches in order: those that the top reaches */
	uint32_t full;      /* LIDs of end ports that make a switch a leaf, at least */
	uint16_t *distance; /* by switch: hops to the destination */
	uint8_t *how;       /* by switch: ROUTE_ bits */
	uint32_t *queue;    /* switches in the order in which they were reached */
	uint32_t reached;
	bool circles; /* use any shortest route */
};

uint32_t sm_switch_at(const struct sm_map *m, uint32_t end, uint8_t *port)
{
	uint32_t peer = m->s.ports[end].peer, own = m->switch_of[m->s.ports[end].node];

	*port = 0;
	if (own != SUBNET_NONE || peer == SUBNET_NONE)
		return own;
	*port = m->s.ports[peer].number;
	return m->switch_of[m->s.ports[peer].node];
}

/* Returns the switch to which a LID is attached, and the port there, or SUBNET_NONE. */
static uint32_t sm_route_locate(const struct sm_map *m, uint32_t lid, uint8_t *port)
{
	uint32_t end = subnet_find_lid(&m->s, lid);

	return end == SUBNET_NONE ? SUBNET_NONE : sm_switch_at(m, end, port);
}

/* Sorts the LIDs by switch, in ascending order. */
static void find_targets(struct routing *r)
{
	const struct sm_map *m = r->m;
	uint8_t port = 0;

	memset(r->first, 0, (m->nswitches + 2) * sizeof(*r->first));
	for (uint32_t lid = 1; lid < m->s.nlids; lid++) {
		uint32_t at = sm_route_locate(m, lid, &port);

		if (at != SUBNET_NONE)
			r->first[at + 2]++;
	}
	for (uint32_t i = 2; i < m->nswitches + 2; i++)
		r->first[i] += r->first[i - 1];
	/* first[at + 1] is the next free target of switch at; in the end, it is the first of the next
	 * switch */
	for (uint32_t lid = 1; lid < m->s.nlids; lid++) {
		uint32_t at = sm_route_locate(m, lid, &port);

		if (at != SUBNET_NONE)
			r->targets[r->first[at + 1]++] = (struct target){
				.lid = (uint16_t)lid,
				.port = port,
			};
	}
	for (uint32_t i = 0; i < m->nswitches; i++)
		for (uint32_t t = r->first[i] + 1; t < r->first[i + 1]; t++)
			r->targets[t].again = r->targets[t].port == r->targets[t - 1].port;
}

static uint32_t count_of(const struct routing *r, uint32_t sw)
{
	return r->first[sw + 1] - r->first[sw];
}

/* Returns the number of LIDs of end ports at a switch, without the switch's own LID. */
static uint32_t ends_of(const struct routing *r, uint32_t sw)
{
	const struct sm_map *m = r->m;

	return count_of(r, sw) - (m->ways[m->s.nodes[m->switches[sw].node].first].lid != 0);
}

/* A leaf has at least half as many LIDs as the switch with the most: the manager's and other single
 * adapters may be attached anywhere. */
static bool route_is_leaf(const struct routing *r, uint32_t sw)
{
	return ends_of(r, sw) >= r->full;
}

/*
 * Computes the shortest distances of all switches to a destination, and where each may send packets.
 * Returns the number of switches that can only go down and then up. *between_leaves: one of them is a
 * leaf, and so is the destination.
 */
static uint32_t route_measure(struct routing *r, uint32_t to, bool *between_leaves)
{
	const struct sm_map *m = r->m;
	/* local copies: writes of bytes could change anything else */
	uint16_t *distance = r->distance;
	uint8_t *how = r->how;
	uint32_t *queue = r->queue;
	uint32_t count = 0, bent = 0;

	*between_leaves = false;
	memset(distance, 0xff, m->nswitches * sizeof(*distance));
	memset(how, 0, m->nswitches * sizeof(*how));
	distance[to] = 0;
	how[to] = ROUTE_DOWN;
	queue[count++] = to;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = queue[i];
		const struct sm_switch *sw = &m->switches[at];
		const struct sm_link *link = &m->links[sw->first_link], *end = link + sw->nlinks;
		/* packets come from there, against the direction of the link */
		const uint8_t came[2] = { ROUTE_UP, how[at] & ROUTE_DOWN };
		uint16_t next = (uint16_t)(distance[at] + 1);

		if (!how[at]) {
			bent++;
			*between_leaves |= route_is_leaf(r, at);
		}
		for (; link < end; link++) {
			if (distance[link->to] == UINT16_MAX) {
				distance[link->to] = next;
				queue[count++] = link->to;
			}
			if (distance[link->to] == next)
				how[link->to] |= came[link->up];
		}
	}
	r->reached = count;
	*between_leaves &= route_is_leaf(r, to);
	return bent;
}

/* Computes distances by routes that go up and then down, even if they are longer. A switch that can go
 * down does. */
static void route_measure_up_down(struct routing *r, uint32_t to)
{
	const struct sm_map *m = r->m;
	uint32_t count = 0;

	memset(r->distance, 0xff, m->nswitches * sizeof(*r->distance));
	memset(r->how, 0, m->nswitches * sizeof(*r->how));
	r->distance[to] = 0;
	r->how[to] = ROUTE_DOWN;
	r->queue[count++] = to;
	for (uint32_t i = 0; i < count; i++) {
		const struct sm_switch *sw = &m->switches[r->queue[i]];
		const struct sm_link *link = &m->links[sw->first_link];

		for (uint32_t l = 0; l < sw->nlinks; l++)
			if (link[l].up && r->distance[link[l].to] == UINT16_MAX) {
				r->distance[link[l].to] = (uint16_t)(r->distance[r->queue[i]] + 1);
				r->how[link[l].to] = ROUTE_DOWN;
				r->queue[count++] = link[l].to;
			}
	}
	for (uint32_t i = 0; i < r->nordered; i++) {
		uint32_t at = r->order[i];
		const struct sm_switch *sw = &m->switches[at];
		const struct sm_link *link = &m->links[sw->first_link];

		for (uint32_t l = 0; r->how[at] != ROUTE_DOWN && l < sw->nlinks; l++)
			if (link[l].up && r->distance[link[l].to] + 1 < r->distance[at]) {
				r->distance[at] = (uint16_t)(r->distance[link[l].to] + 1);
				r->how[at] = ROUTE_UP;
			}
	}
}

/* Orders the switches by the distance from the leaf with the most LIDs. */
static void sm_route_order(struct routing *r)
{
	struct sm_map *m = r->m;
	uint32_t top = 0;
	bool between_leaves;

	for (uint32_t i = 0; i < m->nswitches; i++)
		if (ends_of(r, i) > ends_of(r, top))
			top = i;
	if (!m->nswitches)
		return;
	r->full = (ends_of(r, top) + 1) / 2;
	route_measure(r, top, &between_leaves);
	r->nordered = r->reached;
	memcpy(r->order, r->queue, r->nordered * sizeof(*r->order));
	memset(r->rank, 0xff, m->nswitches * sizeof(*r->rank));
	for (uint32_t i = 0; i < r->nordered; i++)
		r->rank[r->order[i]] = i;
	for (uint32_t i = 0; i < m->nlinks; i++)
		m->links[i].up = r->rank[m->links[i].to] < r->rank[m->links[i].from];
}

/* The cables of a switch that lead to a destination. */
struct choice {
	struct sm_link *ways[256];
	unsigned int n;
	unsigned int at;      /* index of the cable that was last found to have the least load */
	uint32_t least;       /* least load, when it was last determined */
	uint8_t by_port[256]; /* indexes into ways, or NO_PORT */
};

static uint32_t route_least_load(const struct choice *c)
{
	uint32_t least = UINT32_MAX;

	for (unsigned int i = 0; i < c->n; i++)
		if (c->ways[i]->load < least)
			least = c->ways[i]->load;
	return least;
}

/* Returns the index of the cable for a LID that used the cable pick until now (NO_PORT: none of them). */
static inline unsigned int sm_route_balance(struct choice *c, unsigned int pick)
{
	if (pick != NO_PORT && c->ways[pick]->load > c->least + SLACK)
		c->least = route_least_load(c);
	if (pick != NO_PORT && c->ways[pick]->load <= c->least + SLACK)
		return pick;
	for (unsigned int tried = 0; c->ways[c->at]->load != c->least;) {
		c->at = (c->at + 1) % c->n;
		if (++tried == c->n)
			c->least = route_least_load(c);
	}
	return c->at;
}

/* Distributes the targets over the cables. */
static void route_spread(struct sm_map *m, struct sm_switch *sw, const struct target *targets,
			 uint32_t ntargets, struct choice *c)
{
	const uint8_t *linear = m->s.nodes[sw->node].linear;
	unsigned int pick = 0;

	memset(c->by_port, NO_PORT, sizeof(c->by_port));
	for (unsigned int i = 0; i < c->n; i++)
		c->by_port[c->ways[i]->port] = (uint8_t)i;
	c->at = 0;
	c->least = route_least_load(c);
	for (uint32_t t = 0; t < ntargets; t++) {
		unsigned int was = c->by_port[linear[targets[t].lid]];

		if (!targets[t].port) {
			/* few packets go to the switch itself: its LID does not count as load */
			if (was == NO_PORT)
				was = targets[t].lid % c->n;
			set_entry(m, sw, targets[t].lid, c->ways[was]->port);
			continue;
		}
		/* LIDs of one end port (LMC) use different cables */
		pick = targets[t].again ? (pick + 1) % c->n : sm_route_balance(c, was);
		c->ways[pick]->load++;
		set_entry(m, sw, targets[t].lid, c->ways[pick]->port);
	}
}

/* Routes all targets to one port; NO_PORT: no route. */
static void route_lead_by(struct sm_map *m, struct sm_switch *sw, const struct target *targets,
			  uint32_t ntargets, uint8_t port)
{
	for (uint32_t t = 0; t < ntargets; t++)
		set_entry(m, sw, targets[t].lid, port);
}

/* Finds the cables by which packets may leave a switch for the destination. */
static void route_choose(const struct routing *r, uint32_t from, struct choice *c)
{
	const struct sm_switch *sw = &r->m->switches[from];
	struct sm_link *link = &r->m->links[sw->first_link], *end = link + sw->nlinks;
	const uint16_t *distance = r->distance;
	const uint8_t *how = r->how;
	bool up = !(how[from] & ROUTE_DOWN), circles = r->circles;

	c->n = 0;
	if (!distance[from] || distance[from] == UINT16_MAX)
		return;
	for (; link < end; link++)
		if (distance[link->to] + 1 == distance[from] &&
		    (circles || (link->up == up && (up || how[link->to] & ROUTE_DOWN))))
			c->ways[c->n++] = link;
}

/* Sets all routes to the LIDs at one switch. */
static void route_to(struct routing *r, uint32_t to)
{
	struct sm_map *m = r->m;
	const struct target *targets = &r->targets[r->first[to]];
	uint32_t ntargets = count_of(r, to), nends = ends_of(r, to);
	struct choice choice;

	for (uint32_t i = 0; i < m->nswitches; i++) {
		struct sm_switch *sw = &m->switches[i];

		route_choose(r, i, &choice);
		if (choice.n > 1) {
			route_spread(m, sw, targets, ntargets, &choice);
		} else if (choice.n) {
			choice.ways[0]->load += nends;
			route_lead_by(m, sw, targets, ntargets, choice.ways[0]->port);
		} else if (i != to) {
			route_lead_by(m, sw, targets, ntargets, NO_PORT);
		} else {
			for (uint32_t t = 0; t < ntargets; t++)
				set_entry(m, sw, targets[t].lid, targets[t].port);
		}
	}
}

/* Checks if a shortest route between leaves goes down and then up. */
static bool route_has_circles(struct routing *r)
{
	bool between_leaves = false;

	for (uint32_t i = 0; i < r->m->nswitches && !between_leaves; i++)
		if (route_is_leaf(r, i))
			route_measure(r, i, &between_leaves);
	return between_leaves;
}

/* Sets all routes. Returns false if there are circles that r->circles does not allow. */
static bool route_all(struct routing *r)
{
	bool between_leaves;

	for (uint32_t i = 0; i < r->m->nlinks; i++)
		r->m->links[i].load = 0;
	for (uint32_t i = 0; i < r->m->nswitches; i++) {
		uint32_t bent = route_measure(r, i, &between_leaves);

		if (between_leaves && !r->circles)
			return false;
		if (bent && !r->circles)
			route_measure_up_down(r, i);
		route_to(r, i);
	}
	return true;
}

int sm_route(struct sm_map *m)
{
	struct routing r = { .m = m };
	size_t n = m->nswitches + 2;
	int ret = sm_route_make_room(m);

	r.targets = malloc((m->s.nlids ? m->s.nlids : 1) * sizeof(*r.targets));
	r.first = malloc(n * sizeof(*r.first));
	r.rank = malloc(n * sizeof(*r.rank));
	r.order = malloc(n * sizeof(*r.order));
	r.distance = malloc(n * sizeof(*r.distance));
	r.how = malloc(n * sizeof(*r.how));
	r.queue = malloc(n * sizeof(*r.queue));
	if (!r.targets || !r.first || !r.rank || !r.order || !r.distance || !r.how || !r.queue)
		ret = -ENOMEM;
	if (!ret) {
		find_targets(&r);
		sm_route_order(&r);
		r.circles = m->circles && route_has_circles(&r);
		if (!route_all(&r)) {
			r.circles = true;
			route_all(&r);
		}
		m->circles = r.circles;
	}
	free(r.targets);
	free(r.first);
	free(r.rank);
	free(r.order);
	free(r.distance);
	free(r.how);
	free(r.queue);
	return ret;
}
