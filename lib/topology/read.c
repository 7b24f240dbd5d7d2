/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads topology files: first the lines (lines.c), which give nodes and what their ports are linked to; then,
 * when all names are known, the links, which must be the same at both ends. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "topology/text.h"

/* ---- links -------------------------------------------------------------------------- */

/* Return the lower of two widths or speeds; 0: unknown. */
static unsigned int read_lower_width(unsigned int a, unsigned int b)
{
	return !a || (b && topology_lanes(b) < topology_lanes(a)) ? b : a;
}

static unsigned int read_lower_speed(unsigned int a, unsigned int b)
{
	return !a || (b && b < a) ? b : a;
}

/* If only one end has a rate, it is the rate of the link. If the ends have different rates (ibnetdiscover(8)
 * shows such links), it is the lower one. */
static void topology_set_rate(struct topology_port *port, const struct said *own, const struct said *other)
{
	port->width = (uint8_t)read_lower_width(own->width, other->width);
	port->speed = (uint16_t)read_lower_speed(own->speed, other->speed);
}

static int check_rate(struct reader *r, const struct topology_port *port, const struct said *said)
{
	unsigned int width = topology_width(r->t, port), speed = topology_speed(r->t, port);

	if (!width || !speed)
		return read_fail(r, -EINVAL, said->option_at ? said->option_at : said->name,
				 "the two ends of this link have no common %s", width ? "speed" : "width");
	if ((!port->width || width == port->width) && (!port->speed || speed == port->speed))
		return 0;
	return read_fail(r, -EINVAL, said->rate_at ? said->rate_at : said->name,
			 "the rate of this link is %s%s, but its ends enable at most %s%s",
			 topology_width_name(port->width ? port->width : width),
			 topology_speed_name(port->speed ? port->speed : speed), topology_width_name(width),
			 topology_speed_name(speed));
}

/* Links a port to the one that its line names. Both lines must name each other. */
static int link_port(struct reader *r, uint32_t node, unsigned int number)
{
	const struct topology_node *own = &r->t->nodes[node], *peer;
	const struct said *said = &r->said[own->first + number], *other;
	uint32_t found = topology_find(r->t, r->text + said->name, said->name_len);

	if (found == TOPOLOGY_NONE)
		return read_fail(r, -ENOENT, said->name, "expected the name of a node, found '%.*s'",
				 (int)said->name_len, r->text + said->name);
	peer = &r->t->nodes[found];
	if (said->peer_port > peer->nports)
		return read_fail(r, -ERANGE, said->number, "'%s' has %u ports, found %u", peer->name,
				 peer->nports, said->peer_port);
	other = &r->said[peer->first + said->peer_port];
	if (!other->line)
		return read_fail(r, -EINVAL, said->name,
				 "expected a line of '%s'[%u] that leads back "
				 "to '%s'[%u]",
				 peer->name, said->peer_port, own->name, number);
	if (other->peer_port != number || other->name_len != strlen(own->name) ||
	    memcmp(r->text + other->name, own->name, other->name_len))
		return read_fail(r, -EINVAL, said->name,
				 "'%s'[%u] leads to '%.*s'[%u], not back to "
				 "'%s'[%u]",
				 peer->name, said->peer_port, (int)other->name_len, r->text + other->name,
				 other->peer_port, own->name, number);
	topology_link(r->t, node, number, found, said->peer_port);
	topology_set_rate(topology_port(r->t, node, number), said, other);
	return 0;
}

/* Checks what one end says about the other, when everything that each end says about itself is known. */
static int check_link(struct reader *r, uint32_t node, unsigned int number)
{
	struct topology_port *port = topology_port(r->t, node, number);
	const struct said *said = &r->said[r->t->nodes[node].first + number];
	const struct topology_node *peer = &r->t->nodes[port->peer];
	/* a switch has one LID and one GUID for all its ports */
	struct topology_port *end =
		topology_port(r->t, port->peer, peer->type == TOPOLOGY_SWITCH ? 0 : port->peer_port);

	if (said->peer_guid_at) {
		if (!end->guid)
			end->guid = said->peer_guid;
		if (end->guid != said->peer_guid)
			return read_fail(r, -EINVAL, said->peer_guid_at,
					 "the GUID of '%s'[%u] is %" PRIx64 ", found %" PRIx64, peer->name,
					 port->peer_port, end->guid, said->peer_guid);
	}
	if (said->peer_lid_at) {
		if (!end->lid)
			end->lid = said->peer_lid;
		if (end->lid != said->peer_lid)
			return read_fail(r, -EINVAL, said->peer_lid_at, "the LID of '%s'[%u] is %u, found %u",
					 peer->name, port->peer_port, end->lid, said->peer_lid);
	}
	return check_rate(r, port, said);
}

/* ---- GUIDs of ports ------------------------------------------------------------------ */

static int read_port_guid(struct reader *r, uint32_t node, unsigned int number)
{
	uint32_t first = r->t->nodes[node].first;
	const struct said *said = &r->said[first + number];
	int ret = topology_port_guid(r->t, node, number);

	if (ret == -EEXIST)
		return read_fail(r, ret, said->guid_at ? said->guid_at : r->lines[node],
				 "another port has the GUID %" PRIx64 " of '%s'[%u] already",
				 r->t->ports[first + number].guid, r->t->nodes[node].name, number);
	return ret ? read_no_memory(r) : 0;
}

/* If from_file is true, registers the port GUIDs in the file. Otherwise synthesises the missing ones as ibsim does: the
 * node's GUID plus the port number, or the next free GUID in steps that leave room for the other ports. */
static int port_guids(struct reader *r, bool from_file)
{
	for (uint32_t i = 0; i < r->t->nnodes; i++) {
		const struct topology_node *node = &r->t->nodes[i];
		unsigned int from = node->type != TOPOLOGY_SWITCH;
		unsigned int to = from ? node->nports : 0;

		for (unsigned int p = from; p <= to; p++) {
			struct topology_port *port = topology_port(r->t, i, p);
			int ret;

			if ((port->guid != 0) != from_file)
				continue;
			if (!from_file)
				port->guid = node->guid + p;
			for (int tries = 0;
			     !from_file && tries < 16 && topology_has_port_guid(r->t, port->guid); tries++)
				port->guid += 0x100;
			ret = read_port_guid(r, i, p);
			if (ret)
				return ret;
		}
	}
	return 0;
}

/* Calls a function for each port that has a line. */
static int read_each_link(struct reader *r, int (*what)(struct reader *, uint32_t, unsigned int))
{
	for (uint32_t i = 0; i < r->t->nnodes; i++) {
		const struct topology_node *node = &r->t->nodes[i];

		for (unsigned int p = 1; p <= node->nports; p++) {
			int ret = r->said[node->first + p].line ? what(r, i, p) : 0;

			if (ret)
				return ret;
		}
	}
	return 0;
}

static int topology_read_all(struct reader *r)
{
	int ret = read_lines(r);

	if (ret)
		return ret;
	if (!r->t->nnodes)
		return madkit_error_set(r->error, -EINVAL, (int)r->len, "the topology has no nodes");
	ret = read_each_link(r, link_port);
	if (!ret)
		ret = read_rates(r);
	if (!ret)
		ret = read_each_link(r, check_link);
	if (!ret)
		ret = port_guids(r, true);
	return ret ? ret : port_guids(r, false);
}

int topology_read(const char *text, size_t len, struct topology **topology, struct madkit_error *error)
{
	struct reader r = {
		.text = text,
		.t = topology_new(),
		.error = error,
		.node = TOPOLOGY_NONE,
		.ended = "",
		.next = { [TOPOLOGY_CA] = 0x100000,
			  [TOPOLOGY_SWITCH] = 0x200000,
			  [TOPOLOGY_ROUTER] = 0x300000 },
		/* default of ibsim: 4xSDR, which can also run at 1x */
		.widths = TOPOLOGY_1X | TOPOLOGY_4X,
		.speeds = TOPOLOGY_SDR,
	};
	int ret;

	if (len > TOPOLOGY_BYTES_MAX) {
		topology_free(r.t);
		return madkit_error_set(error, -E2BIG, -1, "the topology has %zu bytes: at most %u", len,
					TOPOLOGY_BYTES_MAX);
	}
	r.len = (uint32_t)len;
	ret = r.t ? topology_read_all(&r) : read_no_memory(&r);
	free(r.said);
	free(r.lines);
	if (ret)
		topology_free(r.t);
	else
		*topology = r.t;
	return ret;
}
