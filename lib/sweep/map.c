/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes a sweep as a topology file. What such a file cannot contain, and what the sweep does not know, is
 * written as comments before the first node: programs that read ibnetdiscover files skip comments there, but
 * some do not skip them between the lines of a node.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/escape.h>
#include "sweep/link.h"
#include "sweep/state.h"
#include "topology/topology.h"
#include "util/array_size.h"
#include "wire/access.h"

struct map {
	const struct madkit_sweep *s;
	uint32_t nnodes;
	struct topology *t;
	uint32_t *ids; /* node number in the topology, by node number in the sweep */
	struct madkit_buf *buf;
	unsigned int lacks; /* MADKIT_SWEEP_TOPOLOGY_... */
};

/* ---- comments ------------------------------------------------------------------------- */

static uint8_t map_type(const struct madkit_sweep_node *n)
{
	return n->type == TOPOLOGY_SWITCH || n->type == TOPOLOGY_ROUTER ? n->type : TOPOLOGY_CA;
}

/* Names and descriptions have at most 64 bytes. */
static size_t map_length(const char *text)
{
	const char *end = memchr(text, 0, TOPOLOGY_DESCRIPTION_MAX);

	return end ? (size_t)(end - text) : TOPOLOGY_DESCRIPTION_MAX;
}

/* Begins a comment: "# S-0000000000200001[3] (leaf1 rack1)". port 0: none. */
static void map_note(struct map *m, unsigned int lack, uint32_t number, unsigned int port)
{
	const struct madkit_sweep_node *n = madkit_sweep_node(m->s, number);
	char name[TOPOLOGY_NAME_MAX + 1];

	m->lacks |= lack;
	topology_name(map_type(n), n->guid, name);
	madkit_buf_printf(m->buf, "# %s", name);
	if (port)
		madkit_buf_printf(m->buf, "[%u]", port);
	madkit_buf_str(m->buf, " (");
	madkit_text_escape(m->buf, (const char *)n->description, map_length((const char *)n->description));
	madkit_buf_str(m->buf, ")");
}

static void map_note_route(struct map *m, uint32_t number)
{
	struct madkit_addr to;

	if (!madkit_sweep_route(m->s, number, &to))
		return;
	madkit_buf_str(m->buf, " at 0");
	for (unsigned int hop = 1; hop <= to.hops; hop++)
		madkit_buf_printf(m->buf, ",%u", to.path[hop]);
}

/* Lists what the whole file lacks. */
static void map_note_sweep(struct map *m)
{
	static const struct {
		uint32_t bit;
		const char *text;
	} reasons[] = {
		{ MADKIT_SWEEP_NO_LINK, "the link of the port is not up" },
		{ MADKIT_SWEEP_NO_START, "the first node did not respond" },
		{ MADKIT_SWEEP_BAD_START,
		  "the first node responded with an error status or a contradictory NodeInfo" },
		{ MADKIT_SWEEP_UNFINISHED, "the sweep was ended before it was complete" },
		{ MADKIT_SWEEP_WITHHELD,
		  "three new nodes in a row did not respond, and no others were queried" },
		{ MADKIT_SWEEP_FULL, "there are more nodes, ports or duplicate GUIDs than a sweep can hold" },
		{ MADKIT_SWEEP_FAR, "some nodes are more than 63 hops away" },
		{ MADKIT_SWEEP_SA_SILENT, "the SA did not respond" },
		{ MADKIT_SWEEP_SA_REFUSED, "the SA refused a request" },
		{ MADKIT_SWEEP_SA_SHORT, "a table of the SA was cut short" },
		{ MADKIT_SWEEP_SA_FALSE, "records of the SA that cannot be true were ignored" },
		{ MADKIT_SWEEP_MISMATCH, "responses were about something else than their requests" },
	};
	struct madkit_sweep_counts counts;

	madkit_sweep_count(m->s, &counts);
	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++) {
		if (!(counts.missing & reasons[i].bit))
			continue;
		m->lacks |= MADKIT_SWEEP_TOPOLOGY_UNKNOWN;
		madkit_buf_printf(m->buf, "# incomplete: %s\n", reasons[i].text);
	}
	if (m->s->attr.hops)
		madkit_buf_printf(
			m->buf,
			"# Max of %u hops discovered\n"
			"# omitted: links of the nodes at this distance to each other and to farther nodes\n",
			m->s->attr.hops);
}

/* Writes the same header as ibnetdiscover. */
static void map_header(struct map *m)
{
	const struct madkit_sweep_node *n = m->nnodes ? madkit_sweep_node(m->s, 0) : NULL;

	if (n)
		madkit_buf_printf(m->buf, "#\n# Initiated from node %016" PRIx64 " port %016" PRIx64 "\n",
				  n->guid, n->ports[map_type(n) == TOPOLOGY_SWITCH ? 0 : n->number].guid);
	map_note_sweep(m);
}

/* ---- nodes ----------------------------------------------------------------------------- */

/* Writes the name of a node on one line. Like ibnetdiscover, replaces each character that is not ASCII by a
 * blank, but only in names that are not safe to print. */
static void map_describe(struct map *m, uint32_t number, char out[TOPOLOGY_DESCRIPTION_MAX + 1])
{
	const struct madkit_sweep_node *n = madkit_sweep_node(m->s, number);
	const char *given = madkit_sweep_name(m->s, n), *text = given ? given : (const char *)n->description;
	size_t len = map_length(text);
	struct madkit_buf escaped;

	memcpy(out, text, len);
	out[len] = 0;
	if (!given && n->described != MADKIT_SWEEP_ANSWERED) {
		map_note(m, MADKIT_SWEEP_TOPOLOGY_UNKNOWN, number, 0);
		madkit_buf_str(m->buf, ": no description\n");
	}
	madkit_buf_init(&escaped, 0);
	madkit_text_escape(&escaped, text, len);
	if (escaped.len != len) {
		map_note(m, MADKIT_SWEEP_TOPOLOGY_CHANGED, number, 0);
		madkit_buf_str(m->buf, ": characters of its description are replaced by blanks\n");
		for (size_t i = 0; i < len; i++)
			if (out[i] < ' ' || out[i] > '~')
				out[i] = ' ';
	}
	if (escaped.error)
		m->buf->error = escaped.error;
	madkit_buf_free(&escaped);
}

/* Checks if the topology has a node with the GUID. */
static bool map_has(const struct map *m, uint64_t guid)
{
	static const uint8_t all[] = { TOPOLOGY_SWITCH, TOPOLOGY_CA, TOPOLOGY_ROUTER };
	char name[TOPOLOGY_NAME_MAX + 1];

	for (size_t i = 0; i < sizeof(all); i++) {
		topology_name(all[i], guid, name);
		if (topology_find(m->t, name, strlen(name)) != TOPOLOGY_NONE)
			return true;
	}
	return false;
}

static bool map_omits(struct map *m, uint32_t number)
{
	const struct madkit_sweep_node *n = madkit_sweep_node(m->s, number);

	if (n->guid && !map_has(m, n->guid))
		return false;
	map_note(m, MADKIT_SWEEP_TOPOLOGY_OMITTED, number, 0);
	map_note_route(m, number);
	madkit_buf_printf(m->buf, " is omitted: %s\n",
			  n->guid ? "another node has the same GUID" : "its GUID is 0");
	return true;
}

static int map_add(struct map *m, uint32_t number)
{
	const struct madkit_sweep_node *n = madkit_sweep_node(m->s, number);
	struct topology_node node = {
		.guid = n->guid,
		.system_guid = n->system_guid,
		.vendor = n->vendor,
		.device = n->device,
		.type = map_type(n),
		.nports = n->nports,
	};

	if (map_omits(m, number))
		return 0;
	if (node.type != n->type) {
		map_note(m, MADKIT_SWEEP_TOPOLOGY_CHANGED, number, 0);
		madkit_buf_printf(m->buf, ": its unknown type %u is shown as Ca\n", n->type);
	}
	if (node.type == TOPOLOGY_SWITCH && n->switched != MADKIT_SWEEP_ANSWERED) {
		map_note(m, MADKIT_SWEEP_TOPOLOGY_UNKNOWN, number, 0);
		madkit_buf_str(m->buf, ": no SwitchInfo, so that its port 0 is shown as base port 0\n");
	}
	node.enhanced = node.type == TOPOLOGY_SWITCH && n->switched == MADKIT_SWEEP_ANSWERED &&
			field_get(MADKIT_SWITCH_INFO_ENHANCED_PORT0, n->switch_info);
	topology_name(node.type, node.guid, node.name);
	map_describe(m, number, node.description);
	return topology_add(m->t, &node, &m->ids[number]);
}

/* ---- ports ----------------------------------------------------------------------------- */

/* Sets the LID of an end port if it identifies the port. */
static void map_lid(struct map *m, uint32_t number, unsigned int p, struct topology_port *port)
{
	const struct madkit_sweep_port *own = &madkit_sweep_node(m->s, number)->ports[p];
	struct madkit_sweep_lids lids;
	uint64_t lid;

	switch (madkit_sweep_lids(m->s, number, p, &lids)) {
	case MADKIT_SWEEP_LID_OWN:
		port->lid = lids.base;
		port->lmc = (uint8_t)field_get(MADKIT_PORT_INFO_LMC, own->info);
		break;
	case MADKIT_SWEEP_LID_SHARED:
		map_note(m,
			 own->shared & MADKIT_SWEEP_SHARED_LID ? MADKIT_SWEEP_TOPOLOGY_OMITTED :
								 MADKIT_SWEEP_TOPOLOGY_CHANGED,
			 number, p);
		madkit_buf_printf(m->buf, ": its LID %u is omitted: another port has it\n", lids.base);
		break;
	case MADKIT_SWEEP_LID_NONE:
		lid = field_get(MADKIT_PORT_INFO_LID, own->info);
		if (!lid)
			break;
		map_note(m, MADKIT_SWEEP_TOPOLOGY_CHANGED, number, p);
		madkit_buf_printf(m->buf, ": its LID %" PRIu64 ", which is not unicast, is omitted\n", lid);
		break;
	default:
		break;
	}
}

/* Sets the LID and the GUID of an end port. */
static int map_end_port(struct map *m, uint32_t number, unsigned int p)
{
	const struct madkit_sweep_node *n = madkit_sweep_node(m->s, number);
	struct topology_port *port = topology_port(m->t, m->ids[number], p);
	int ret;

	map_lid(m, number, p, port);
	if (!p && port->lmc && !m->t->nodes[m->ids[number]].enhanced) {
		map_note(m, MADKIT_SWEEP_TOPOLOGY_CHANGED, number, 0);
		madkit_buf_printf(m->buf, ": LMC %u of its base port 0 is shown as 0\n", port->lmc);
		port->lmc = 0;
	}
	port->guid = n->ports[p].guid;
	ret = port->guid ? topology_port_guid(m->t, m->ids[number], p) : 0;
	if (ret == -EEXIST) {
		map_note(m, MADKIT_SWEEP_TOPOLOGY_OMITTED, number, p);
		madkit_buf_printf(m->buf, ": its port GUID %016" PRIx64 " is omitted: another port has it\n",
				  port->guid);
		port->guid = 0;
		ret = 0;
	}
	return ret;
}

/* If the two ends disagree, the topology shows the lower rate. */
static void map_rate(struct map *m, uint32_t number, unsigned int p)
{
	const struct madkit_sweep_node *n = madkit_sweep_node(m->s, number);
	const struct madkit_sweep_port *own = &n->ports[p];
	struct topology_port *port = topology_port(m->t, m->ids[number], p);
	struct link_rates rates, peer;

	link_rates_get(n, p, &rates);
	link_rates_get(madkit_sweep_node(m->s, own->peer), own->peer_port, &peer);
	/* enable every rate: width and speed limit the link */
	port->width = (uint8_t)rates.width;
	port->speed = (uint16_t)rates.speed;
	port->widths = rates.width || peer.width ? UINT8_MAX : 0;
	port->speeds = rates.speed || peer.speed ? UINT16_MAX : 0;
	if (rates.width && !rates.speed) {
		map_note(m, MADKIT_SWEEP_TOPOLOGY_UNKNOWN, number, p);
		madkit_buf_str(m->buf, ": its speed is not known\n");
	}
	if (!((rates.width && peer.width && rates.width != peer.width) ||
	      (rates.speed && peer.speed && rates.speed != peer.speed)))
		return;
	map_note(m, MADKIT_SWEEP_TOPOLOGY_CHANGED, number, p);
	madkit_buf_printf(m->buf, " runs at %s%s, but the other end at %s%s\n",
			  topology_width_name(rates.width), topology_speed_name(rates.speed),
			  topology_width_name(peer.width), topology_speed_name(peer.speed));
}

/* Notes a port that has a link, if the peer is not known. */
static void map_neighbour(struct map *m, uint32_t number, unsigned int p)
{
	const struct madkit_sweep_port *port = &madkit_sweep_node(m->s, number)->ports[p];

	if (port->far == MADKIT_SWEEP_UNKNOWN &&
	    (port->state != MADKIT_SWEEP_ANSWERED ||
	     field_get(MADKIT_PORT_INFO_LINK_STATE, port->info) < MADKIT_PORT_STATE_INITIALIZE))
		return;
	map_note(m, MADKIT_SWEEP_TOPOLOGY_UNKNOWN, number, p);
	madkit_buf_printf(m->buf, ": %s\n",
			  port->far == MADKIT_SWEEP_SILENT ? "the node behind it did not respond" :
			  port->far == MADKIT_SWEEP_REFUSED ?
							     "the response from behind it was contradictory" :
							     "the node behind it was not queried");
}

static void map_link(struct map *m, uint32_t number, unsigned int p)
{
	const struct madkit_sweep_port *port = &madkit_sweep_node(m->s, number)->ports[p];

	if (port->peer == MADKIT_SWEEP_NONE) {
		map_neighbour(m, number, p);
		return;
	}
	if (m->ids[port->peer] == TOPOLOGY_NONE) {
		map_note(m, MADKIT_SWEEP_TOPOLOGY_OMITTED, number, p);
		madkit_buf_printf(m->buf, ": its link to port %u of an omitted node", port->peer_port);
		map_note_route(m, port->peer);
		madkit_buf_str(m->buf, " is omitted\n");
		return;
	}
	topology_link(m->t, m->ids[number], p, m->ids[port->peer], port->peer_port);
	map_rate(m, number, p);
}

static int map_ports(struct map *m, uint32_t number)
{
	const struct madkit_sweep_node *n = madkit_sweep_node(m->s, number);
	const bool is_switch = map_type(n) == TOPOLOGY_SWITCH;
	unsigned int unknown = 0;
	int ret = is_switch ? map_end_port(m, number, 0) : 0;

	for (unsigned int p = 1; p <= n->nports && !ret; p++) {
		if (!is_switch)
			ret = map_end_port(m, number, p);
		map_link(m, number, p);
	}
	/* only the linked ports of a CA respond */
	for (unsigned int p = !is_switch; p <= n->nports; p++)
		unknown += n->ports[p].state != MADKIT_SWEEP_ANSWERED &&
			   (is_switch || n->ports[p].peer != MADKIT_SWEEP_NONE);
	if (unknown) {
		map_note(m, MADKIT_SWEEP_TOPOLOGY_UNKNOWN, number, 0);
		madkit_buf_printf(m->buf, ": no PortInfo of %u port%s\n", unknown, unknown == 1 ? "" : "s");
	}
	return ret;
}

/* ---- the file -------------------------------------------------------------------------- */

static int map_make(struct map *m)
{
	int ret = 0;

	for (uint32_t i = 0; i < m->nnodes; i++)
		m->ids[i] = TOPOLOGY_NONE;
	map_header(m);
	for (uint32_t i = 0; i < m->nnodes && !ret; i++)
		ret = map_add(m, i);
	for (uint32_t i = 0; i < m->nnodes && !ret; i++)
		if (m->ids[i] != TOPOLOGY_NONE)
			ret = map_ports(m, i);
	if (!ret)
		topology_write(m->t, m->buf);
	return ret ? ret : m->buf->error;
}

int madkit_sweep_topology(const struct madkit_sweep *s, struct madkit_buf *buf)
{
	struct map m = {
		.s = s,
		.nnodes = s->nnodes,
		.t = topology_new(),
		.ids = calloc(s->nnodes + 1u, sizeof(*m.ids)),
		.buf = buf,
	};
	int ret = m.t && m.ids ? map_make(&m) : -ENOMEM;

	topology_free(m.t);
	free(m.ids);
	return ret ? ret : (int)m.lacks;
}
