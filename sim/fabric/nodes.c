/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Nodes and ports in their initial state, and the links between them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/addr.h>
#include "sim/fabric/agents.h"
#include "sim/fabric/internal.h"
#include "sim/fabric/counters.h"
#include "sim/fabric/trap.h"
#include "topology/port_info.h"
#include "util/array_size.h"

const char *fabric_drop_name(enum fabric_drop why)
{
	static const char *const names[] = {
		[DROP_MALFORMED] = "malformed",
		[DROP_LINK_DOWN] = "link down",
		[DROP_PORT_STATE] = "port not active",
		[DROP_NO_ROUTE] = "no route",
		[DROP_NOT_MINE] = "LID of another port",
		[DROP_DIRECTED_ROUTE] = "wrong hop",
		[DROP_M_KEY] = "M_Key",
		[DROP_P_KEY] = "P_Key",
		[DROP_HOPS] = "routing loop",
		[DROP_FLOODED] = "flooded",
		[DROP_NO_MEMORY] = "no memory",
		[DROP_UNEXPECTED] = "unexpected",
		[DROP_CORRUPT] = "CRC",
		[DROP_GONE] = "switched off",
		[DROP_VL15] = "VL15 buffer",
		[DROP_GSI] = "GSI buffer",
		[DROP_NO_VL] = "no VL",
		[DROP_MUTE] = "agent mute",
		[DROP_CC_KEY] = "CC_Key",
	};

	return (size_t)why < ARRAY_SIZE(names) ? names[why] : NULL;
}

/* ---- links ------------------------------------------------------------------------- */

enum { MTU_CAP = 5 }; /* 4096 */

static void set_speed(struct port *port, unsigned int speed)
{
	/* With FDR10 or an extended speed, LinkSpeedActive has its highest value. */
	field_put(MADKIT_PORT_INFO_LINK_SPEED_ACTIVE, port->info,
		  speed > TOPOLOGY_QDR ? TOPOLOGY_QDR : speed);
	field_put(MADKIT_PORT_INFO_LINK_SPEED_EXT_ACTIVE, port->info, speed >> 4 & 0xf);
	field_put(MADKIT_PORT_INFO_LINK_SPEED_EXT_ACTIVE2, port->info, speed >> 8);
	port->fdr10_active = speed == TOPOLOGY_FDR10;
}

static unsigned int port_known(const struct port *port)
{
	return PORT_INFO_EXTENDED | PORT_INFO_EXTENDED2 |
	       (port->fdr10_supported ? PORT_INFO_FDR10_SUPPORTED : 0) |
	       (port->fdr10_enabled ? PORT_INFO_FDR10_ENABLED : 0) |
	       (port->fdr10_active ? PORT_INFO_FDR10_ACTIVE : 0);
}

unsigned int port_speed(const struct port *port)
{
	return port_info_speed(port->info, port_known(port));
}

static struct link_rates port_rates(const struct port *port)
{
	struct link_rates rates;

	port_info_rates(port->info, port_known(port), &rates);
	return rates;
}

static bool link_tries(const struct fabric *f, const struct port *port)
{
	uint64_t phys = field_get(MADKIT_PORT_INFO_PHYS_LINK_STATE, port->info);

	return !port->unplugged && !f->nodes[port->node].off && phys != PHYS_DISABLED && phys != PHYS_SLEEP;
}

void port_tell_state(struct fabric *f, const struct port *port, unsigned int was)
{
	unsigned int state = (unsigned int)field_get(MADKIT_PORT_INFO_LINK_STATE, port->info);
	const struct sim_event event = {
		.kind = EVENT_PORT_STATE,
		.node = port->node,
		.port = port->number,
		.state = (uint8_t)state,
		.was = (uint8_t)was,
	};

	if (state != was)
		fabric_report(f, &event);
}

static void change_state(struct fabric *f, struct port *port, unsigned int state, unsigned int phys,
			 const struct port *by)
{
	struct node *node = &f->nodes[port->node];
	unsigned int was = (unsigned int)field_get(MADKIT_PORT_INFO_LINK_STATE, port->info);

	field_put(MADKIT_PORT_INFO_LINK_STATE, port->info, state);
	field_put(MADKIT_PORT_INFO_PHYS_LINK_STATE, port->info, phys);
	port_tell_state(f, port, was);
	if (state == PORT_DOWN && port->counters)
		counters_end_traffic(f, port);
	if (was != state && is_switch(node) && port != by) {
		field_put(MADKIT_SWITCH_INFO_STATE_CHANGE, node->switch_info, 1);
		trap_link_state(f, node_port(f, node, 0));
	}
}

/* Takes a port down. It polls, unless it was set to Sleep or Disabled. */
static void port_go_down(struct fabric *f, struct port *port, const struct port *by)
{
	uint64_t phys = field_get(MADKIT_PORT_INFO_PHYS_LINK_STATE, port->info);

	change_state(f, port, PORT_DOWN,
		     phys == PHYS_DISABLED || phys == PHYS_SLEEP ? (unsigned int)phys : PHYS_POLLING, by);
}

/* Brings a link up if both ends, which are down, allow it. */
static void link_up(struct fabric *f, struct port *port, struct port *peer)
{
	unsigned int width, speed;

	width = (unsigned int)(field_get(MADKIT_PORT_INFO_LINK_WIDTH_ENABLED, port->info) &
			       field_get(MADKIT_PORT_INFO_LINK_WIDTH_ENABLED, peer->info));
	width = topology_best_width(topology_limit_widths(width, port->width));
	speed = topology_best_speed(topology_limit_speeds(
		port_rates(port).speeds_enabled & port_rates(peer).speeds_enabled, port->speed));
	if (!link_tries(f, port) || !link_tries(f, peer) || !width || !speed)
		return;
	for (int i = 0; i < 2; i++, port = peer) {
		field_put(MADKIT_PORT_INFO_LINK_WIDTH_ACTIVE, port->info, width);
		set_speed(port, speed);
		/* The link causes this change, even if a Set of PortInfo allowed it to train (IBA 14.2.5.4,
		 * PortStateChange). */
		change_state(f, port, PORT_INIT, PHYS_LINK_UP, NULL);
	}
}

/* Queues a timer at a port, of the kind what (PACKET_...). Returns NULL if out of memory. */
static struct packet *link_timer(struct fabric *f, const struct port *port, uint8_t what, uint64_t due)
{
	struct packet *p =
		packet_new(f, &(struct fabric_head){ .dlid = 0 }, (const uint8_t[MADKIT_MAD_BYTES]){ 0 });

	if (!p)
		return NULL;
	p->trap = what;
	p->leaves = true;
	p->port = (uint32_t)(port - f->ports);
	packet_queue(f, p, due);
	return p;
}

/* Begins the training of the link. Returns false if it does not train, or if out of memory. */
static bool link_begin_training(struct fabric *f, struct port *port, struct port *peer)
{
	uint64_t due = f->now + f->options.training_ns;

	if (!f->options.training_ns || !link_tries(f, port) || !link_tries(f, peer) ||
	    !link_timer(f, port, PACKET_TRAINING, due))
		return false;
	field_put(MADKIT_PORT_INFO_PHYS_LINK_STATE, port->info, PHYS_TRAINING);
	field_put(MADKIT_PORT_INFO_PHYS_LINK_STATE, peer->info, PHYS_TRAINING);
	port->trained_at = due;
	return true;
}

/* A port counts a link that it cannot recover (IBA, LinkDownedCounter), but not a link that a Set of PortInfo
 * took down. Some devices also count the latter: qib_7322_ib_updown() adds a lost link that the device has
 * not counted. */
static void link_downed(struct port *port, const struct port *by)
{
	if (port != by)
		pma_count(port, PMA_LINK_DOWNED, 1);
}

void link_train(struct fabric *f, struct port *port, const struct port *by)
{
	struct port *peer = port->peer == TOPOLOGY_NONE ? NULL : &f->ports[port->peer];

	if (peer && field_get(MADKIT_PORT_INFO_LINK_STATE, port->info) != PORT_DOWN) {
		link_downed(port, by);
		link_downed(peer, by);
	}
	port_go_down(f, port, by);
	if (!peer)
		return;
	port_go_down(f, peer, by);
	port->trained_at = peer->trained_at = 0;
	if (!link_begin_training(f, port, peer))
		link_up(f, port, peer);
}

void link_trained(struct fabric *f, struct port *port)
{
	if (port->trained_at != f->now)
		return;
	port->trained_at = 0;
	link_up(f, port, &f->ports[port->peer]);
}

/* Returns the port at the end of a cable, or NULL if there is none. */
static struct port *nodes_linked_port(struct fabric *f, uint32_t node, unsigned int number)
{
	struct port *port;

	if (node >= f->nnodes || !number || number > f->nodes[node].nports)
		return NULL;
	port = node_port(f, &f->nodes[node], number);
	return port->peer == TOPOLOGY_NONE ? NULL : port;
}

static void link_plug(struct fabric *f, struct port *port, bool plugged)
{
	if (port->unplugged == !plugged)
		return;
	port->unplugged = f->ports[port->peer].unplugged = !plugged;
	link_train(f, port, NULL);
}

int fabric_cable(struct fabric *f, uint32_t node, unsigned int number, bool plugged)
{
	struct port *port = nodes_linked_port(f, node, number);

	if (!port)
		return -EINVAL;
	port->flaps_at = f->ports[port->peer].flaps_at = 0;
	link_plug(f, port, plugged);
	return 0;
}

int fabric_flap(struct fabric *f, uint32_t node, unsigned int number, uint64_t ns)
{
	struct port *port = nodes_linked_port(f, node, number);

	if (!port)
		return -EINVAL;
	if (!link_timer(f, port, PACKET_FLAP, f->now + ns))
		return -ENOMEM;
	f->ports[port->peer].flaps_at = 0;
	port->flaps_at = f->now + ns;
	port->flap_ns = ns;
	link_plug(f, port, false);
	return 0;
}

bool link_flaps(struct fabric *f, struct port *port)
{
	if (port->flaps_at != f->now)
		return false;
	port->flaps_at = (f->present > f->now ? f->present : f->now) + port->flap_ns;
	link_plug(f, port, port->unplugged);
	return true;
}

int fabric_link_supports(struct fabric *f, uint32_t node, unsigned int number, struct fabric_rate *rate)
{
	const struct port *port = nodes_linked_port(f, node, number), *peer;

	if (!port)
		return -EINVAL;
	peer = &f->ports[port->peer];
	rate->width = (uint8_t)(field_get(MADKIT_PORT_INFO_LINK_WIDTH_SUPPORTED, port->info) &
				field_get(MADKIT_PORT_INFO_LINK_WIDTH_SUPPORTED, peer->info));
	rate->speed = (uint16_t)(port_rates(port).speeds_supported & port_rates(peer).speeds_supported);
	rate->mtu = MTU_CAP;
	return 0;
}

/* Limits one end of a link. Returns true if that changed anything. */
static bool port_degrade(struct port *port, unsigned int width, unsigned int speed, unsigned int mtu)
{
	bool changed = port->width != width || port->speed != speed ||
		       field_get(MADKIT_PORT_INFO_MTU_CAP, port->info) != mtu;

	port->width = (uint8_t)width;
	port->speed = (uint16_t)speed;
	field_put(MADKIT_PORT_INFO_MTU_CAP, port->info, mtu);
	if (field_get(MADKIT_PORT_INFO_NEIGHBOR_MTU, port->info) > mtu)
		field_put(MADKIT_PORT_INFO_NEIGHBOR_MTU, port->info, mtu);
	return changed;
}

int fabric_degrade(struct fabric *f, uint32_t node, unsigned int number, const struct fabric_rate *rate)
{
	struct port *port = nodes_linked_port(f, node, number);
	unsigned int width, speed, mtu;
	struct fabric_rate can;
	bool changed;

	if (fabric_link_supports(f, node, number, &can) || (rate->width & ~can.width) ||
	    (rate->speed & ~can.speed) || rate->mtu > can.mtu)
		return -EINVAL;
	width = rate->width ? rate->width : port->width;
	if (width == topology_best_width(can.width))
		width = 0;
	speed = rate->speed ? rate->speed : port->speed;
	if (speed == topology_best_speed(can.speed))
		speed = 0;
	mtu = rate->mtu ? rate->mtu : (unsigned int)field_get(MADKIT_PORT_INFO_MTU_CAP, port->info);
	changed = port_degrade(port, width, speed, mtu);
	changed |= port_degrade(&f->ports[port->peer], width, speed, mtu);
	/* The rate only changes by training: the link fails and comes up again. */
	if (changed)
		link_train(f, port, NULL);
	return 0;
}

static void port_enable_all(struct port *port)
{
	static const uint64_t fields[][2] = {
		{ MADKIT_PORT_INFO_LINK_WIDTH_ENABLED, MADKIT_PORT_INFO_LINK_WIDTH_SUPPORTED },
		{ MADKIT_PORT_INFO_LINK_SPEED_ENABLED, MADKIT_PORT_INFO_LINK_SPEED_SUPPORTED },
		{ MADKIT_PORT_INFO_LINK_SPEED_EXT_ENABLED, MADKIT_PORT_INFO_LINK_SPEED_EXT_SUPPORTED },
		{ MADKIT_PORT_INFO_LINK_SPEED_EXT_ENABLED2, MADKIT_PORT_INFO_LINK_SPEED_EXT_SUPPORTED2 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		field_put(fields[i][0], port->info, field_get(fields[i][1], port->info));
	port->fdr10_enabled = port->fdr10_supported;
}

/* Returns true if the link of a port has this rate or is down. */
static bool link_has(const struct port *port, unsigned int width, unsigned int speed)
{
	return field_get(MADKIT_PORT_INFO_LINK_STATE, port->info) == PORT_DOWN ||
	       (field_get(MADKIT_PORT_INFO_LINK_WIDTH_ACTIVE, port->info) == width &&
		port_speed(port) == speed);
}

int fabric_restore(struct fabric *f, uint32_t node, unsigned int number)
{
	struct port *port = nodes_linked_port(f, node, number);
	struct fabric_rate can;
	int ret = fabric_link_supports(f, node, number, &can);

	if (ret)
		return ret;
	port_enable_all(port);
	port_enable_all(&f->ports[port->peer]);
	can.width = (uint8_t)topology_best_width(can.width);
	can.speed = (uint16_t)topology_best_speed(can.speed);
	ret = fabric_degrade(f, node, number, &can);
	/* The link was not degraded, but a manager had enabled less. */
	if (!ret && !link_has(port, can.width, can.speed))
		link_train(f, port, NULL);
	return ret;
}

int fabric_power(struct fabric *f, uint32_t number, bool on)
{
	struct node *node;

	if (number >= f->nnodes)
		return -EINVAL;
	node = &f->nodes[number];
	if (node->off == !on)
		return 0;
	node->off = !on;
	for (unsigned int n = 1; n <= node->nports; n++) {
		struct port *port = node_port(f, node, n);

		if (port->peer != TOPOLOGY_NONE)
			link_train(f, port, NULL);
	}
	return 0;
}

int fabric_set_description(struct fabric *f, uint32_t number, const void *text, size_t len)
{
	struct node *node;

	if (number >= f->nnodes)
		return -EINVAL;
	node = &f->nodes[number];
	memset(node->description, 0, sizeof(node->description));
	memcpy(node->description, text, len < sizeof(node->description) ? len : sizeof(node->description));
	for (unsigned int n = 0; n <= node->nports; n++)
		if (node_port(f, node, n)->end)
			trap_description(f, node_port(f, node, n));
	return 0;
}

int fabric_set_sm(struct fabric *f, uint32_t node, unsigned int number, bool is_sm)
{
	struct port *port = fabric_end_port(f, node, number);
	uint64_t mask;

	if (!port)
		return -EINVAL;
	mask = field_get(MADKIT_PORT_INFO_CAP_MASK, port->info);
	if (!is_sm != !(mask & MADKIT_CAP_MASK_IS_SM)) {
		field_put(MADKIT_PORT_INFO_CAP_MASK, port->info, mask ^ MADKIT_CAP_MASK_IS_SM);
		trap_capabilities(f, port);
	}
	return 0;
}

/* ---- initial state -------------------------------------------------------------------- */

/* Initial values of PortInfo, by kind of port. */
static const struct {
	uint64_t field;
	uint64_t value;
} at_any_port[] = {
	{ MADKIT_PORT_INFO_LINK_DOWN_DEF_STATE, PHYS_POLLING },
	{ MADKIT_PORT_INFO_PHYS_LINK_STATE, PHYS_POLLING },
	{ MADKIT_PORT_INFO_LINK_STATE, PORT_DOWN },
	{ MADKIT_PORT_INFO_NEIGHBOR_MTU, MTU_CAP },
	{ MADKIT_PORT_INFO_MTU_CAP, MTU_CAP },
	{ MADKIT_PORT_INFO_VL_CAP, 5 },		/* VL0-14 */
	{ MADKIT_PORT_INFO_OPER_VLS, 5 },
	{ MADKIT_PORT_INFO_VL_HIGH_LIMIT, 4 },
	{ MADKIT_PORT_INFO_VL_ARB_HIGH_CAP, FABRIC_ARBITRATION },
	{ MADKIT_PORT_INFO_VL_ARB_LOW_CAP, FABRIC_ARBITRATION },
	{ MADKIT_PORT_INFO_LOCAL_PHYS_ERR, 8 },
	{ MADKIT_PORT_INFO_OVERRUN_ERR, 8 },
}, at_switches[] = {
	{ MADKIT_PORT_INFO_VL_STALL_COUNT, 7 },
	{ MADKIT_PORT_INFO_HOQ_LIFE, 16 },		/* 268 ms */
}, at_adapters[] = {
	{ MADKIT_PORT_INFO_HOQ_LIFE, 31 },		/* infinite: a CA or router drops no packets */
}, at_end_ports[] = {
	{ MADKIT_PORT_INFO_GID_PREFIX, FABRIC_GID_PREFIX },
	/* IsTrapSupported, IsSLMappingSupported, IsLEDInfoSupported, IsSystemImageGUIDSupported,
	 * IsExtendedSpeedsSupported */
	{ MADKIT_PORT_INFO_CAP_MASK, 1 << 3 | 1 << 6 | 1 << 9 | 1 << 11 | 1 << 14 |
						  MADKIT_CAP_MASK_IS_CLIENT_REGISTRATION_SUPPORTED },
	{ MADKIT_PORT_INFO_GUID_CAP, FABRIC_GUIDS },
	{ MADKIT_PORT_INFO_SUBNET_TIMEOUT, 18 },
	{ MADKIT_PORT_INFO_RESP_TIME_VAL, 16 },
};

static int nodes_make_end_port(struct port *port, const struct topology_port *from)
{
	port->end = calloc(1, sizeof(*port->end));
	if (!port->end)
		return -ENOMEM;
	port->guid = from->guid;
	for (size_t i = 0; i < ARRAY_SIZE(at_end_ports); i++)
		field_put(at_end_ports[i].field, port->info, at_end_ports[i].value);
	field_put(MADKIT_PORT_INFO_LID, port->info, from->lid);
	field_put(MADKIT_PORT_INFO_LMC, port->info, from->lmc);
	element_put(MADKIT_GUID_INFO_GUID, 0, port->end->guids, from->guid);
	element_put(MADKIT_P_KEY_TABLE_P_KEY, 0, port->end->pkeys, MADKIT_PKEY_DEFAULT);
	return 0;
}

static int nodes_make_port(struct fabric *f, struct node *node, const struct topology *t, uint32_t number)
{
	const struct topology_port *from = &t->ports[node->first + number];
	struct port *port = node_port(f, node, number);
	bool end = is_switch(node) ? !number : number;

	port->node = (uint32_t)(node - f->nodes);
	port->number = (uint8_t)number;
	port->peer = from->peer == TOPOLOGY_NONE ? TOPOLOGY_NONE :
						   t->nodes[from->peer].first + from->peer_port;
	for (size_t i = 0; i < ARRAY_SIZE(at_any_port); i++)
		field_put(at_any_port[i].field, port->info, at_any_port[i].value);
	for (size_t i = 0; is_switch(node) && i < ARRAY_SIZE(at_switches); i++)
		field_put(at_switches[i].field, port->info, at_switches[i].value);
	for (size_t i = 0; !is_switch(node) && i < ARRAY_SIZE(at_adapters); i++)
		field_put(at_adapters[i].field, port->info, at_adapters[i].value);
	port->width = from->width;
	port->speed = from->speed;
	field_put(MADKIT_PORT_INFO_LINK_WIDTH_SUPPORTED, port->info, from->widths_supported);
	field_put(MADKIT_PORT_INFO_LINK_WIDTH_ENABLED, port->info, from->widths);
	field_put(MADKIT_PORT_INFO_LINK_WIDTH_ACTIVE, port->info, topology_best_width(from->widths));
	field_put(MADKIT_PORT_INFO_LINK_SPEED_SUPPORTED, port->info, from->speeds_supported & 7);
	field_put(MADKIT_PORT_INFO_LINK_SPEED_ENABLED, port->info, from->speeds & 7);
	field_put(MADKIT_PORT_INFO_LINK_SPEED_EXT_SUPPORTED, port->info, from->speeds_supported >> 4 & 0xf);
	field_put(MADKIT_PORT_INFO_LINK_SPEED_EXT_ENABLED, port->info, from->speeds >> 4 & 0xf);
	field_put(MADKIT_PORT_INFO_LINK_SPEED_EXT_SUPPORTED2, port->info, from->speeds_supported >> 8);
	field_put(MADKIT_PORT_INFO_LINK_SPEED_EXT_ENABLED2, port->info, from->speeds >> 8);
	port->fdr10_supported = t->nodes[port->node].vendor == TOPOLOGY_VENDOR_MELLANOX &&
				(from->speeds_supported & TOPOLOGY_FDR10);
	port->fdr10_enabled = port->fdr10_supported && (from->speeds & TOPOLOGY_FDR10);
	set_speed(port, topology_best_speed(port_rates(port).speeds_enabled));
	if (is_switch(node) && !number)
		change_state(f, port, PORT_ACTIVE, PHYS_LINK_UP, port);
	return end ? nodes_make_end_port(port, from) : 0;
}

/* Sets the bits for links in the CapabilityMask2 of an end port; those of a switch are for all its ports.
 * Without these bits, managers take the widths and speeds for slower ones. */
static void nodes_announce_links(struct fabric *f, const struct node *node, struct port *end)
{
	uint64_t mask = node_has_rsfec(f, node) ? MADKIT_CAP_MASK2_IS_PORT_INFO_EXTENDED_SUPPORTED : 0;
	unsigned int widths = 0, rates = 0;

	for (unsigned int n = end->number; n <= (is_switch(node) ? node->nports : end->number); n++) {
		const struct port *port = node_port(f, node, n);

		widths |= (unsigned int)field_get(MADKIT_PORT_INFO_LINK_WIDTH_SUPPORTED, port->info);
		rates |= port_rates(port).speeds_supported;
	}
	mask |= widths & TOPOLOGY_2X ? MADKIT_CAP_MASK2_IS_LINK_WIDTH2X_SUPPORTED : 0;
	mask |= rates & TOPOLOGY_HDR ? MADKIT_CAP_MASK2_IS_LINK_SPEED_HDR_SUPPORTED : 0;
	mask |= rates & TOPOLOGY_NDR ? MADKIT_CAP_MASK2_IS_LINK_SPEED_NDR_SUPPORTED : 0;
	mask |= rates & TOPOLOGY_XDR ? MADKIT_CAP_MASK2_IS_EXTENDED_SPEEDS2_SUPPORTED |
					       MADKIT_CAP_MASK2_IS_LINK_SPEED_XDR_SUPPORTED :
				       0;
	if (!mask)
		return;
	field_put(MADKIT_PORT_INFO_CAP_MASK, end->info,
		  field_get(MADKIT_PORT_INFO_CAP_MASK, end->info) |
			  MADKIT_CAP_MASK_IS_CAPABILITY_MASK2_SUPPORTED);
	field_put(MADKIT_PORT_INFO_CAPABILITY_MASK2, end->info, mask);
}

static int fabric_make_node(struct fabric *f, const struct topology *t, uint32_t number)
{
	const struct topology_node *from = &t->nodes[number];
	struct node *node = &f->nodes[number];
	const struct {
		uint64_t field;
		uint64_t value;
	} values[] = {
		{ MADKIT_NODE_INFO_BASE_VERS, 1 },
		{ MADKIT_NODE_INFO_CLASS_VERS, 1 },
		{ MADKIT_NODE_INFO_NODE_TYPE, from->type },
		{ MADKIT_NODE_INFO_NUM_PORTS, from->nports },
		{ MADKIT_NODE_INFO_SYSTEM_GUID, from->system_guid },
		{ MADKIT_NODE_INFO_GUID, from->guid },
		{ MADKIT_NODE_INFO_PART_CAP, FABRIC_PKEYS },
		{ MADKIT_NODE_INFO_DEV_ID, from->device },
		{ MADKIT_NODE_INFO_VENDOR_ID, from->vendor },
	};
	int ret = 0;

	node->type = from->type;
	node->nports = from->nports;
	node->first = from->first;
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		field_put(values[i].field, node->info, values[i].value);
	memcpy(node->description, from->description, strlen(from->description));
	if (is_switch(node)) {
		node->positions = (uint8_t)(node->nports / 16 + 1);
		field_put(MADKIT_SWITCH_INFO_LINEAR_FDB_CAP, node->switch_info, FABRIC_LINEAR_CAP);
		field_put(MADKIT_SWITCH_INFO_MCAST_FDB_CAP, node->switch_info, FABRIC_MULTICAST_CAP);
		field_put(MADKIT_SWITCH_INFO_ENHANCED_PORT0, node->switch_info, from->enhanced);
		field_put(MADKIT_SWITCH_INFO_PART_ENFORCE_CAP, node->switch_info, FABRIC_ENFORCED_PKEYS);
		field_put(MADKIT_SWITCH_INFO_INBOUND_PART_ENF, node->switch_info, 1);
		field_put(MADKIT_SWITCH_INFO_OUTBOUND_PART_ENF, node->switch_info, 1);
		field_put(MADKIT_SWITCH_INFO_FILTER_RAW_INBOUND, node->switch_info, 1);
		field_put(MADKIT_SWITCH_INFO_FILTER_RAW_OUTBOUND, node->switch_info, 1);
	}
	for (uint32_t p = 0; !ret && p <= node->nports; p++)
		ret = nodes_make_port(f, node, t, p);
	for (uint32_t p = 0; !ret && p <= node->nports; p++)
		if (node_port(f, node, p)->end)
			nodes_announce_links(f, node, node_port(f, node, p));
	return ret;
}

struct fabric *fabric_new(const struct topology *t, const struct fabric_options *options)
{
	struct fabric *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->nodes = calloc(t->nnodes ? t->nnodes : 1, sizeof(*f->nodes));
	f->ports = calloc(t->nports ? t->nports : 1, sizeof(*f->ports));
	if (!f->nodes || !f->ports)
		goto fail;
	f->nnodes = t->nnodes;
	f->nports = t->nports;
	for (uint32_t i = 0; i < f->nnodes; i++)
		if (fabric_make_node(f, t, i))
			goto fail;
	for (uint32_t i = 0; i < f->nports; i++)
		if (f->ports[i].peer != TOPOLOGY_NONE && f->ports[i].peer >= i)
			link_train(f, &f->ports[i], NULL);
	/* Only now: the initial state causes no events and needs no training. */
	f->options = *options;
	if (options->vl15.buffers)
		f->agents = agents_new(f);
	if (options->vl15.buffers && !f->agents)
		goto fail;
	return f;
fail:
	fabric_free(f);
	return NULL;
}

void fabric_free(struct fabric *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->queue.count; i++)
		free(list_entry(f->queue.links[i], struct packet, link));
	for (struct packet *p = f->spare, *next; p; p = next) {
		next = p->next;
		free(p);
	}
	for (uint32_t i = 0; i < f->nports; i++) {
		if (f->ports[i].end) {
			free(f->ports[i].end->samples);
			free(f->ports[i].end->hardware);
			free(f->ports[i].end->congestion);
		}
		free(f->ports[i].end);
		free(f->ports[i].arbitration);
		free(f->ports[i].pkeys);
		counters_free(&f->ports[i]);
	}
	for (uint32_t i = 0; i < f->nnodes; i++) {
		free(f->nodes[i].sl2vl);
		free(f->nodes[i].linear);
		free(f->nodes[i].multicast);
	}
	heap_free(&f->queue);
	agents_free(f->agents);
	free(f->ports);
	free(f->nodes);
	free(f);
}
