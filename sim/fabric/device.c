/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdio.h>
#include <string.h>
#include "sim/fabric/device.h"
#include "util/array_size.h"

/* By type and speed. The numbers of local ports are those that mlxlink tries; the IDs are in mstflint's dm_dev_id.c. */
static const struct device devices[] = {
	{ "ConnectX-4", { 12, 28, 2302 }, 4115, 0x209, TOPOLOGY_EDR, TOPOLOGY_CA, 1 },
	{ "ConnectX-5", { 16, 35, 4030 }, 4119, 0x20d, TOPOLOGY_EDR, TOPOLOGY_CA, 1 },
	{ "ConnectX-5", { 16, 35, 4030 }, 4121, 0x20d, TOPOLOGY_EDR, TOPOLOGY_CA, 1 },
	{ "ConnectX-6", { 20, 41, 1000 }, 4123, 0x20f, TOPOLOGY_HDR, TOPOLOGY_CA, 1 },
	{ "BlueField-2", { 24, 41, 1000 }, 41686, 0x214, TOPOLOGY_HDR, TOPOLOGY_CA, 1 },
	{ "ConnectX-7", { 28, 41, 1000 }, 4129, 0x218, TOPOLOGY_NDR, TOPOLOGY_CA, 1 },
	{ "BlueField-3", { 32, 41, 1000 }, 41692, 0x21c, TOPOLOGY_NDR, TOPOLOGY_CA, 1 },
	{ "ConnectX-8", { 40, 44, 1036 }, 4131, 0x21e, TOPOLOGY_XDR, TOPOLOGY_CA, 1 },
	{ "Switch-IB", { 11, 2008, 2102 }, 52000, 0x247, TOPOLOGY_EDR, TOPOLOGY_SWITCH, 36 },
	{ "Switch-IB 2", { 15, 2010, 4402 }, 53000, 0x24b, TOPOLOGY_EDR, TOPOLOGY_SWITCH, 36 },
	{ "Quantum", { 27, 2012, 2200 }, 54000, 0x24d, TOPOLOGY_HDR, TOPOLOGY_SWITCH, 82 },
	{ "Quantum-2", { 31, 2014, 2084 }, 54002, 0x257, TOPOLOGY_NDR, TOPOLOGY_SWITCH, 130 },
	{ "Quantum-3", { 35, 2014, 4030 }, 54004, 0x25b, TOPOLOGY_XDR, TOPOLOGY_SWITCH, 148 },
};

static unsigned int device_best_speed(struct fabric *f, const struct node *node)
{
	unsigned int speeds = 0;

	for (unsigned int n = 1; n <= node->nports; n++)
		speeds |= port_rates(node_port(f, node, n)).speeds_supported;
	return topology_best_speed(speeds);
}

const struct device *device_of(struct fabric *f, const struct node *node)
{
	const bool any = !field_get(MADKIT_NODE_INFO_VENDOR_ID, node->info);
	const unsigned int speed = any ? device_best_speed(f, node) : 0;
	const uint64_t id = field_get(MADKIT_NODE_INFO_DEV_ID, node->info);

	if ((!any && !node_is_mellanox(node)) ||
	    !strncmp((const char *)node->description, TOPOLOGY_AGGREGATION, strlen(TOPOLOGY_AGGREGATION)))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(devices); i++)
		if (devices[i].type == node->type && (any ? devices[i].speed >= speed : devices[i].id == id))
			return &devices[i];
	return NULL;
}

bool device_firmware(const struct node *node, struct fabric_firmware *firmware)
{
	*firmware = node->firmware;
	if (firmware->known || !node->device)
		return firmware->known;
	memcpy(firmware->version, node->device->version, sizeof(firmware->version));
	/* like "MT_0000000223", but no board has it */
	snprintf(firmware->psid, sizeof(firmware->psid), "SIM_%010u", node->device->id);
	firmware->known = true;
	return true;
}

uint16_t device_id(const struct node *node)
{
	const uint16_t id = (uint16_t)field_get(MADKIT_NODE_INFO_DEV_ID, node->info);

	return id || !node->device ? id : node->device->id;
}

unsigned int device_locals(const struct node *node)
{
	unsigned int n = node->nports;

	if (!is_switch(node))
		return 1;
	return n <= node->device->locals ? node->device->locals : n + n / 4;
}

unsigned int device_local(const struct node *node, unsigned int number)
{
	unsigned int i = (number - 1) ^ 1;

	if (!is_switch(node))
		return 1;
	/* Neighbours change places, and the unused local ports are spread over the switch. */
	if (i >= node->nports)
		i = number - 1;
	return 1 + i * device_locals(node) / node->nports;
}

unsigned int device_ib_port(const struct node *node, unsigned int local)
{
	unsigned int n = node->nports;

	while (n && device_local(node, n) != local)
		n--;
	return n;
}

unsigned int device_module(const struct node *node, const struct port *port)
{
	return is_switch(node) ? port->number - 1u : 0;
}

struct port *device_module_port(struct fabric *f, const struct node *node, struct port *end,
				unsigned int module)
{
	if (!is_switch(node))
		return module ? NULL : end;
	return module < node->nports ? node_port(f, node, module + 1) : NULL;
}
