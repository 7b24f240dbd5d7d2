/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Nodes and ports in their initial state. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/addr.h>
#include "sim/fabric/agents.h"
#include "sim/fabric/counters.h"
#include "sim/fabric/device.h"
#include "sim/fabric/internal.h"
#include "sim/fabric/trap.h"
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
		[DROP_V_KEY] = "V_Key",
	};

	return (size_t)why < ARRAY_SIZE(names) ? names[why] : NULL;
}

/* ---- nodes ------------------------------------------------------------------------- */

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
	{ MADKIT_PORT_INFO_NEIGHBOR_MTU, LINK_MTU_CAP },
	{ MADKIT_PORT_INFO_MTU_CAP, LINK_MTU_CAP },
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

uint8_t *fabric_pkeys(struct port *port)
{
	if (port->end)
		return port->end->pkeys;
	if (!port->pkeys) {
		port->pkeys = calloc(1, FABRIC_INFO_BYTES);
		if (port->pkeys)
			element_put(MADKIT_P_KEY_TABLE_P_KEY, 0, port->pkeys, MADKIT_PKEY_DEFAULT);
	}
	return port->pkeys;
}

void fabric_enforce(struct port *port)
{
	port->enforce = (field_get(MADKIT_PORT_INFO_PART_ENFORCE_INB, port->info) ? ENFORCE_INBOUND : 0) |
			(field_get(MADKIT_PORT_INFO_PART_ENFORCE_OUTB, port->info) ? ENFORCE_OUTBOUND : 0);
}

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
	struct link_rates rates;

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
	rates = (struct link_rates){
		.widths_supported = from->widths_supported,
		.widths_enabled = from->widths,
		.speeds_supported = from->speeds_supported,
		.speeds_enabled = from->speeds,
	};
	port_put_rates(f, port, &rates);
	port_set_active(port, topology_best_width(from->widths),
			topology_best_speed(port_rates(port).speeds_enabled));
	if (is_switch(node) && !number)
		port_change_state(f, port, PORT_ACTIVE, PHYS_LINK_UP, port);
	return end ? nodes_make_end_port(port, from) : 0;
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
			port_announce_rates(f, node_port(f, node, p));
	node->device = device_of(f, node);
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
		free(f->ports[i].settings);
		counters_free(&f->ports[i]);
	}
	for (uint32_t i = 0; i < f->nnodes; i++) {
		free(f->nodes[i].sl2vl);
		free(f->nodes[i].misbehaves);
		free(f->nodes[i].linear);
		free(f->nodes[i].multicast);
	}
	heap_free(&f->queue);
	agents_free(f->agents);
	free(f->ports);
	free(f->nodes);
	free(f);
}
