/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <madkit/path.h>
#include "madport.h"
#include "subnet/area.h"
#include "util/array_size.h"

void port_place_put(const struct madkit_sweep *sweep, uint32_t node, int port, char place[PORT_PLACE_BYTES])
{
	struct madkit_buf buf;

	madkit_buf_init(&buf, 0);
	madkit_sweep_put_place(sweep, &buf, node, port);
	snprintf(place, PORT_PLACE_BYTES, "%.*s", (int)buf.len, buf.len ? buf.data : "");
	madkit_buf_free(&buf);
}

static const struct madkit_sweep_node *port_place_node(const struct madport *m, struct port_end end)
{
	return madkit_sweep_node(m->whole, end.node);
}

static bool port_place_is_switch(const struct madport *m, uint32_t node)
{
	return madkit_sweep_node(m->whole, node)->type == MADKIT_NODE_TYPE_SWITCH;
}

/* GIDs of this prefix are those of any subnet (IBA 4.1.1). */
#define PORT_PLACE_LINK_LOCAL UINT64_C(0xfe80000000000000)

/* ---- the node ------------------------------------------------------------------------ */

/* Makes a word of the destination: "" if there is none. */
static int port_place_read_destination(struct madport *m, char word[PORT_PLACE_BYTES])
{
	const struct destination *to = &m->options->shared.to;
	uint64_t guid = to->guid, prefix = 0;

	*word = 0;
	if (to->have_lid)
		snprintf(word, PORT_PLACE_BYTES, "%" PRIu32, to->lid);
	for (size_t i = 0; to->have_gid && i < sizeof(to->addr.gid); i++)
		if (i < 8)
			prefix = prefix << 8 | to->addr.gid[i];
		else
			guid = guid << 8 | to->addr.gid[i];
	if (to->have_gid && prefix != m->net.x.info->gid_prefix && prefix != PORT_PLACE_LINK_LOCAL)
		return exchange_fail(&m->net.x, EXIT_NOTHING, 0,
				     "--gid: the prefix 0x%016" PRIx64
				     " is not that of the subnet, 0x%016" PRIx64,
				     prefix, m->net.x.info->gid_prefix);
	if (to->name && strlen(to->name) >= PORT_PLACE_BYTES)
		return exchange_fail(&m->net.x, EXIT_USAGE, 0,
				     "--name '%.40s...' is longer than a name can be", to->name);
	if (to->have_guid || to->have_gid)
		snprintf(word, PORT_PLACE_BYTES, "0x%016" PRIx64, guid);
	if (to->name)
		snprintf(word, PORT_PLACE_BYTES, "%s", to->name);
	return EXIT_DONE;
}

/* Follows a directed route from a node. */
static int port_place_follow(struct madport *m, const struct madkit_addr *route)
{
	for (unsigned int i = 1; i <= route->hops; i++) {
		const struct madkit_sweep_node *n = port_place_node(m, m->at);
		const uint8_t port = route->path[i];

		if (port > n->nports || n->ports[port].peer == MADKIT_SWEEP_NONE)
			return exchange_fail(
				&m->net.x, EXIT_NOTHING, 0,
				"-D: the route ends after %u of %u hops, because port %u leads to no node",
				i - 1, route->hops, port);
		m->at = (struct port_end){ n->ports[port].peer, n->ports[port].peer_port };
	}
	return EXIT_DONE;
}

/* Finds the node, and in place its port. */
static int port_place_find_node(struct madport *m, struct subnet_place *place)
{
	const struct destination *to = &m->options->shared.to;
	const char *option = to->have_lid ? "-L" : to->name ? "--name" : to->have_gid ? "--gid" : "-G";
	char word[PORT_PLACE_BYTES] = "";
	int status;

	*place = (struct subnet_place){ .node = 0, .port = -1, .number = -1 };
	if (m->place) {
		status = subnet_find_place(&m->net.x, m->whole, "PLACE", m->place, place);
	} else {
		status = port_place_read_destination(m, word);
		if (!status && *word)
			status = subnet_find(&m->net.x, m->whole, option, word, place);
	}
	/* a LID or GUID that is not asked for: the name is that of another node, or of none */
	if (!status && to->name && place->port >= 0)
		status = exchange_fail(&m->net.x, EXIT_USAGE, 0,
				       "--name '%.80s' is a LID or GUID: use -L or -G", to->name);
	if (status == EXIT_NOTHING && area_may_miss(m->whole))
		status = EXIT_TIMEOUT;
	if (!status && place->number >= 0 && m->options->have_port)
		status = exchange_fail(&m->net.x, EXIT_USAGE, 0, "-m and PLACE '%.80s' both name a port",
				       m->place);
	m->doubtful = (m->place || to->name) && !place->by_guid && area_may_miss(m->whole);
	m->at = (struct port_end){ place->node, place->port > 0 ? (uint8_t)place->port : 0 };
	return status || !to->have_direct ? status : port_place_follow(m, &to->addr);
}

/* ---- the port ------------------------------------------------------------------------ */

/* Chooses the port of a CA or router if the command line has no number: that of the LID or GUID, that which the directed
 * route enters, that of this host, or the only one with a link. Returns 0 if there are several. */
static uint8_t port_place_only_port(const struct madport *m)
{
	const struct madkit_sweep_node *n = port_place_node(m, m->at);
	uint8_t only = 0;

	if (m->at.port || !m->at.node)
		return m->at.port ? m->at.port : n->number;
	for (unsigned int port = 1; port <= n->nports; port++) {
		if (n->ports[port].peer == MADKIT_SWEEP_NONE)
			continue;
		if (only)
			return 0;
		only = (uint8_t)port;
	}
	return only;
}

static int port_place_find_port(struct madport *m, const struct subnet_place *place)
{
	const struct madkit_sweep_node *n = port_place_node(m, m->at);
	const bool is_switch = n->type == MADKIT_NODE_TYPE_SWITCH;
	char node[PORT_PLACE_BYTES];
	int port = m->options->have_port ? m->options->port : place->number;

	port_place_put(m->whole, m->at.node, -1, node);
	if (port < 0 && !is_switch)
		port = port_place_only_port(m);
	if (port > n->nports)
		return exchange_fail(&m->net.x, EXIT_USAGE, 0, "%s has no port %d: its ports are 1 to %u",
				     node, port, n->nports);
	if (!port && is_switch)
		return exchange_fail(&m->net.x, EXIT_USAGE, 0,
				     "port 0 of %s has no cable: its ports are 1 to %u", node, n->nports);
	if (port <= 0)
		return exchange_fail(&m->net.x, EXIT_USAGE, 0, "%s has %u %s: choose one, such as %s/1", node,
				     n->nports, n->nports == 1 ? "port" : "ports", node);
	m->at.port = (uint8_t)port;
	return EXIT_DONE;
}

/* Finds the end of the link at a switch. */
static int port_place_find_end(struct madport *m)
{
	const struct madkit_sweep_port *p = &port_place_node(m, m->at)->ports[m->at.port];
	const struct madkit_sweep_node *own = madkit_sweep_node(m->whole, 0);

	if (!m->at.node && m->at.port != own->number && !port_place_is_switch(m, 0) &&
	    p->peer == MADKIT_SWEEP_NONE)
		return exchange_fail(&m->net.x, EXIT_USAGE, 0,
				     "port %u is another port of this host: choose it by -P", m->at.port);
	m->act = m->at;
	if (!port_place_is_switch(m, m->at.node) && p->peer != MADKIT_SWEEP_NONE &&
	    port_place_is_switch(m, p->peer))
		m->act = (struct port_end){ p->peer, p->peer_port };
	port_place_put(m->whole, m->at.node, m->at.port, m->at_place);
	port_place_put(m->whole, m->act.node, m->act.port, m->act_place);
	if (!port_place_is_switch(m, m->act.node) && m->act.node)
		return exchange_fail(
			&m->net.x, EXIT_TIMEOUT, 0,
			"%s: no switch is known at the other end of its cable, so that it is out of reach",
			m->at_place);
	return EXIT_DONE;
}

int port_place_find(struct madport *m)
{
	struct exchange *x = &m->net.x;
	struct subnet_place place;
	int status = subnet_begin(&m->net, 0);

	if (!status)
		status = subnet_run(&m->net);
	m->whole = m->net.sweep;
	m->net.sweep = NULL;
	if (status)
		return status;
	if (m->net.counts.missing & MADKIT_SWEEP_UNFINISHED)
		return exchange_fail(x, EXIT_TIMEOUT, -ETIMEDOUT,
				     "the deadline ended the sweep of the subnet");
	if (m->net.counts.missing & MADKIT_SWEEP_NO_START)
		return exchange_fail(x, EXIT_TIMEOUT, -ETIMEDOUT, "%s: the port itself did not respond",
				     x->info->device);
	m->net.whole = m->whole;
	if (madkit_sweep_label(m->whole, NULL))
		return exchange_fail(x, EXIT_LOCAL, -ENOMEM, "out of memory");
	status = port_place_find_node(m, &place);
	if (!status)
		status = port_place_find_port(m, &place);
	return status ? status : port_place_find_end(m);
}

/* ---- links that must stay up ------------------------------------------------------------- */

enum { PORT_PLACE_PATHS = 2 };

/* The routes from this host to another port, and back. */
struct port_place_paths {
	struct madport *m;
	struct madkit_path paths[PORT_PLACE_PATHS];
	size_t n;
};

static bool port_place_is(struct port_end a, uint32_t node, unsigned int port)
{
	return a.node == node && a.port == port;
}

/* Checks if a port is one of the two ends of the link that goes down. */
static bool port_place_is_end(const struct madport *m, uint32_t node, unsigned int port)
{
	const struct madkit_sweep_port *p = &port_place_node(m, m->act)->ports[m->act.port];

	return port && (port_place_is(m->act, node, port) || (p->peer == node && p->peer_port == port));
}

static int port_place_step(void *context, uint64_t until_ns)
{
	struct port_place_paths *p = context;

	return madkit_path_follow(p->m->whole, p->paths, p->n, until_ns);
}

/* Adds the routes between this host and another end port. Returns false if one of them has no LID, or a shared one. */
static bool port_place_add_paths(struct port_place_paths *p, uint32_t node, unsigned int port)
{
	const struct madkit_sweep_node *own = madkit_sweep_node(p->m->whole, 0);
	const uint8_t own_port = port_place_is_switch(p->m, 0) ? 0 : own->number;
	struct madkit_sweep_lids lids, own_lids;

	if (madkit_sweep_lids(p->m->whole, node, port, &lids) != MADKIT_SWEEP_LID_OWN ||
	    madkit_sweep_lids(p->m->whole, 0, own_port, &own_lids) != MADKIT_SWEEP_LID_OWN)
		return false;
	p->paths[p->n++] = (struct madkit_path){ .node = 0, .port = own_port, .lid = lids.base };
	p->paths[p->n++] = (struct madkit_path){ .node = node, .port = (uint8_t)port, .lid = own_lids.base };
	return true;
}

/* Checks if a path uses the link. */
static bool port_place_uses(const struct madport *m, const struct madkit_path *path)
{
	for (unsigned int i = 0; i < path->nhops; i++)
		if (port_place_is_end(m, path->hops[i].node, path->hops[i].ingress) ||
		    port_place_is_end(m, path->hops[i].node, path->hops[i].egress))
			return true;
	return false;
}

/* Checks if the directed route to the switch uses the link. */
static bool port_place_is_on_route(const struct madport *m)
{
	const struct madkit_sweep_node *n = port_place_node(m, m->act);

	for (unsigned int i = 0; n->parent != MADKIT_SWEEP_NONE && i < MADKIT_HOPS_MAX; i++) {
		if (port_place_is_end(m, n->parent, n->parent_port))
			return true;
		n = madkit_sweep_node(m->whole, n->parent);
	}
	return false;
}

/* Checks if a port of another adapter of this machine is an end of the link. */
static bool port_place_is_adapter(const struct madport *m)
{
	const struct madkit_sweep_port *p = &port_place_node(m, m->act)->ports[m->act.port];
	struct madkit_port_info *ports = NULL;
	size_t count = 0;
	bool own = false;

	if (madkit_ports_list(&ports, &count, NULL))
		return false;
	for (size_t i = 0; i < count; i++) {
		own |= ports[i].node_guid == port_place_node(m, m->act)->guid && ports[i].port == m->act.port;
		own |= p->peer != MADKIT_SWEEP_NONE && ports[i].port == p->peer_port &&
		       ports[i].node_guid == madkit_sweep_node(m->whole, p->peer)->guid;
	}
	madkit_ports_free(ports);
	return own;
}

/* Checks if a port of this host is an end of the link. */
static bool port_place_is_own(const struct madport *m)
{
	for (unsigned int port = 1; port <= madkit_sweep_node(m->whole, 0)->nports; port++)
		if (port_place_is_end(m, 0, port))
			return !port_place_is_switch(m, 0) || port == madkit_sweep_node(m->whole, 0)->number;
	return false;
}

/* Returns the number of links of a switch to other switches that are up, without the link that goes down. */
static unsigned int port_place_others(const struct madport *m, uint32_t node)
{
	const struct madkit_sweep_node *n = madkit_sweep_node(m->whole, node);
	unsigned int links = 0;

	for (unsigned int port = 1; port <= n->nports; port++) {
		const struct madkit_sweep_port *p = &n->ports[port];
		uint64_t state = 0;

		madkit_get(p->info, sizeof(p->info), MADKIT_PORT_INFO_LINK_STATE, &state);
		links += p->peer != MADKIT_SWEEP_NONE && p->peer != node &&
			 !port_place_is_end(m, node, port) && port_place_is_switch(m, p->peer) &&
			 state >= MADKIT_PORT_STATE_INITIALIZE;
	}
	return links;
}

/* Checks if the link is, or may be, the last one of a switch to another switch. */
static void port_place_cuts_off(const struct madport *m, char why[PORT_WHY_BYTES])
{
	const struct madkit_sweep_port *p = &port_place_node(m, m->act)->ports[m->act.port];
	const uint32_t nodes[] = { m->act.node, p->peer };
	char node[PORT_PLACE_BYTES];

	if (!port_place_is_switch(m, m->act.node))
		return;
	if (p->peer == MADKIT_SWEEP_NONE)
		snprintf(why, PORT_WHY_BYTES,
			 "the node at its other end did not respond, and may be a switch with no other link");
	if (p->peer == MADKIT_SWEEP_NONE || !port_place_is_switch(m, p->peer))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(nodes) && !*why; i++) {
		if (port_place_others(m, nodes[i]))
			continue;
		port_place_put(m->whole, nodes[i], -1, node);
		snprintf(why, PORT_WHY_BYTES, "it is the last link of %s to another switch", node);
	}
}

/* Checks the routes between this host and a port that it needs: the switch, or the subnet manager. */
static void port_place_check_paths(const struct madport *m, const struct madkit_path *paths, const char *to,
				   char why[PORT_WHY_BYTES])
{
	for (size_t i = 0; i < 2 && !*why; i++)
		if (port_place_uses(m, &paths[i]))
			snprintf(why, PORT_WHY_BYTES, "it is on the route between this host and %s", to);
	for (size_t i = 0; i < 2 && !*why; i++)
		if (paths[i].end != MADKIT_PATH_ARRIVED)
			snprintf(why, PORT_WHY_BYTES, "the route between this host and %s is not known", to);
}

int port_guard(struct madport *m, char why[PORT_WHY_BYTES])
{
	const struct exchange *x = &m->net.x;
	const bool active = x->info->state == MADKIT_PORT_STATE_ACTIVE;
	struct port_place_paths to_switch = { .m = m }, to_manager = { .m = m };
	bool switch_lids, manager_lids;
	uint8_t sm_port = 0;
	uint32_t sm = 0;
	int ret;

	*why = 0;
	manager_lids = x->info->sm_lid &&
		       madkit_path_port(m->whole, (uint16_t)x->info->sm_lid, &sm, &sm_port);
	if (port_place_is_own(m))
		snprintf(why, PORT_WHY_BYTES, "it is a link of this host (%.80s)", x->info->device);
	else if (port_place_is_adapter(m))
		snprintf(why, PORT_WHY_BYTES, "it is a link of another adapter of this host");
	else if (port_place_is_on_route(m))
		snprintf(why, PORT_WHY_BYTES, "it is on the route from this host to the switch");
	else if (manager_lids && port_place_is_end(m, sm, sm_port))
		snprintf(why, PORT_WHY_BYTES, "it is the link of the subnet manager");
	/* without an Active port, no packet but SMPs by directed routes is sent */
	if (*why || !active) {
		if (!*why)
			port_place_cuts_off(m, why);
		return EXIT_DONE;
	}
	if (!manager_lids) {
		snprintf(why, PORT_WHY_BYTES,
			 "the port of the subnet manager (LID %" PRIu32 ") was not found", x->info->sm_lid);
		return EXIT_DONE;
	}
	manager_lids = !sm || port_place_add_paths(&to_manager, sm, sm_port);
	switch_lids = !port_place_is_switch(m, m->act.node) || !m->act.node ||
		      port_place_add_paths(&to_switch, m->act.node, 0);
	if (!manager_lids || !switch_lids) {
		snprintf(why, PORT_WHY_BYTES, "the LID of this host or of %s is missing or shared",
			 manager_lids ? "the switch" : "the subnet manager");
		return EXIT_DONE;
	}
	ret = to_manager.n ? exchange_drive(&m->net.x, port_place_step, NULL, &to_manager) : 1;
	if (ret > 0 && to_switch.n)
		ret = exchange_drive(&m->net.x, port_place_step, NULL, &to_switch);
	if (cli_stopped())
		return cli_stopped_status();
	if (ret <= 0)
		return exchange_fail(&m->net.x, ret ? EXIT_LOCAL : EXIT_TIMEOUT, ret ? ret : -ETIMEDOUT,
				     "the routes of this host were not read: %s",
				     ret ? strerror(-ret) : "deadline");
	if (to_switch.n)
		port_place_check_paths(m, to_switch.paths, "the switch", why);
	if (to_manager.n)
		port_place_check_paths(m, to_manager.paths, "the subnet manager", why);
	if (!*why)
		port_place_cuts_off(m, why);
	return EXIT_DONE;
}
