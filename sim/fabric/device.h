/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The model of a device, its firmware, and how it numbers its ports in registers. */
#ifndef SIM_FABRIC_DEVICE_H
#define SIM_FABRIC_DEVICE_H

#include "sim/fabric/internal.h"

enum { DEVICE_REVISION = 0xa0 };

/* A device of Mellanox that has registers. */
struct device {
	const char *name;
	uint32_t version[3];
	uint16_t id;       /* NodeInfo.DeviceID */
	uint16_t hardware; /* the ID in its configuration space */
	uint16_t speed;    /* its fastest, as a topology bit */
	uint8_t type;      /* enum topology_type */
	uint8_t locals;    /* of a switch: number of local ports */
};

/* Returns the device of a node, or NULL if it has no registers. A node without a vendor, as topology generators
 * make them, is the slowest device that has the speeds of its ports. */
const struct device *device_of(struct fabric *f, const struct node *node);
/* Gets the firmware of a node: the one that was set, else the default of the device. Returns false if it has none. */
bool device_firmware(const struct node *node, struct fabric_firmware *firmware);
/* Returns the DeviceID of a node, or that of its device if the node has none. */
uint16_t device_id(const struct node *node);

/* Local ports. A switch numbers its ports in registers in another order than in IB, with gaps; an adapter has local
 * port 1. */
/* Returns the number of the last local port. */
unsigned int device_locals(const struct node *node);
/* Returns the local port of an IB port from 1 on. */
unsigned int device_local(const struct node *node, unsigned int number);
/* Returns the IB port of a local port, or 0 if it has none. */
unsigned int device_ib_port(const struct node *node, unsigned int local);

/* Modules. Those of a switch have the number of the IB port less 1; that of an adapter is 0. */
unsigned int device_module(const struct node *node, const struct port *port);
/* Returns the port of a module, or NULL; end is the end port of arrival. */
struct port *device_module_port(struct fabric *f, const struct node *node, struct port *end,
				unsigned int module);

#endif
