/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Writes a topology in the format of ibnetdiscover. */
#include <inttypes.h>
#include <stdio.h>
#include "topology/topology.h"

static const struct {
	const char *word; /* at the start of the node's line */
	const char *guid; /* name of the line with its GUID */
	char letter;      /* first letter of its name */
} types[] = {
	[TOPOLOGY_CA] = { "Ca", "caguid", 'H' },
	[TOPOLOGY_SWITCH] = { "Switch", "switchguid", 'S' },
	[TOPOLOGY_ROUTER] = { "Rt", "rtguid", 'R' },
};

void topology_name(unsigned int type, uint64_t guid, char name[TOPOLOGY_NAME_MAX + 1])
{
	snprintf(name, TOPOLOGY_NAME_MAX + 1, "%c-%016" PRIx64, types[type].letter, guid);
}

static void write_name(const struct topology_node *node, struct madkit_buf *buf)
{
	char name[TOPOLOGY_NAME_MAX + 1];

	topology_name(node->type, node->guid, name);
	madkit_buf_printf(buf, "\"%s\"", name);
}

/* Writes the GUID of a port that has one: the reader synthesises the others. */
static void write_port_guid(uint64_t guid, struct madkit_buf *buf)
{
	if (guid)
		madkit_buf_printf(buf, "(%" PRIx64 ")", guid);
}

static void write_node(const struct topology *t, const struct topology_node *node, struct madkit_buf *buf)
{
	const struct topology_port *own = &t->ports[node->first];

	madkit_buf_printf(buf, "\nvendid=0x%x\ndevid=0x%x\n", node->vendor, node->device);
	if (node->system_guid)
		madkit_buf_printf(buf, "sysimgguid=0x%" PRIx64 "\n", node->system_guid);
	madkit_buf_printf(buf, "%s=0x%" PRIx64, types[node->type].guid, node->guid);
	if (node->type == TOPOLOGY_SWITCH)
		write_port_guid(own->guid, buf);
	madkit_buf_printf(buf, "\n%s\t%u ", types[node->type].word, node->nports);
	write_name(node, buf);
	madkit_buf_printf(buf, "\t\t# \"%s\"", node->description);
	if (node->type == TOPOLOGY_SWITCH)
		madkit_buf_printf(buf, " %s port 0 lid %u lmc %u", node->enhanced ? "enhanced" : "base",
				  own->lid, own->lmc);
	madkit_buf_char(buf, '\n');
}

static void write_link(const struct topology *t, const struct topology_node *node, unsigned int number,
		       struct madkit_buf *buf)
{
	const struct topology_port *port = &t->ports[node->first + number];
	const struct topology_node *peer = &t->nodes[port->peer];
	/* a switch has its LID at port 0 */
	const struct topology_port *end =
		&t->ports[peer->first + (peer->type == TOPOLOGY_SWITCH ? 0 : port->peer_port)];
	bool is_switch = node->type == TOPOLOGY_SWITCH;

	madkit_buf_printf(buf, "[%u]", number);
	if (!is_switch) {
		write_port_guid(port->guid, buf);
		madkit_buf_char(buf, ' ');
	}
	madkit_buf_char(buf, '\t');
	write_name(peer, buf);
	madkit_buf_printf(buf, "[%u]", port->peer_port);
	if (peer->type != TOPOLOGY_SWITCH) {
		madkit_buf_str(buf, is_switch ? "" : " ");
		write_port_guid(end->guid, buf);
		madkit_buf_char(buf, ' ');
	}
	madkit_buf_str(buf, "\t\t# ");
	if (!is_switch)
		madkit_buf_printf(buf, "lid %u lmc %u ", port->lid, port->lmc);
	madkit_buf_printf(buf, "\"%s\" lid %u %s%s\n", peer->description, end->lid,
			  topology_width_name(topology_width(t, port)),
			  topology_speed_name(topology_speed(t, port)));
}

void topology_write(const struct topology *t, struct madkit_buf *buf)
{
	static const uint8_t order[] = { TOPOLOGY_SWITCH, TOPOLOGY_CA, TOPOLOGY_ROUTER };

	for (size_t o = 0; o < sizeof(order); o++)
		for (uint32_t i = 0; i < t->nnodes; i++) {
			const struct topology_node *node = &t->nodes[i];

			if (node->type != order[o])
				continue;
			write_node(t, node, buf);
			for (unsigned int p = 1; p <= node->nports; p++)
				if (t->ports[node->first + p].peer != TOPOLOGY_NONE)
					write_link(t, node, p, buf);
		}
}
