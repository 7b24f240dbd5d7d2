/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The InfiniBand devices of a host, with their names and the numbers of their umad devices. CAs whose descriptions
 * name the same host (find_host()) are on that host; any other node is a host of its own.
 *
 * The description "node17 mlx5_0" names the device mlx5_0. Devices without a name are sim0, sim1 and so on. umad
 * devices are numbered by port: CAs in the order of their second words, then the RoCE device, then the SMI devices.
 */
#ifndef SIM_SERVE_DEVICES_H
#define SIM_SERVE_DEVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/error.h>
#include "topology/topology.h"

/* Options of all hosts. */
enum {
	/* a RoCE device, whose packets are dropped */
	DEVICES_ROCE = 1,
	/* CAs are planarized, as those for XDR since Linux 6.11: their devices have QP1 only; SMI devices beside
	 * them have QP0 only, and a port for each plane */
	DEVICES_PLANAR = 2,
	/* each CA is a host of its own, whatever its description */
	DEVICES_SINGLE = 4,
};

enum { DEVICES_PLANES = 4 };

enum device_kind { DEVICE_WHOLE, DEVICE_GSI, DEVICE_ROCE, DEVICE_SMI };

struct device {
	char name[64];
	enum device_kind kind;
	uint32_t node;            /* in the topology; of a RoCE device: the CA beside it */
	unsigned int first, last; /* its ports */
	unsigned int umad;        /* the umad device of the first port */
};

struct devices {
	struct device *list;
	unsigned int n;
	char host[64]; /* the name of its directory: the first word of the description, or a number */
};

/* Sets *devices to those of the node's host; devices_free() releases them. 0; -ENOMEM. */
int devices_of(const struct topology *t, uint32_t node, unsigned int flags, struct devices *devices);
void devices_free(struct devices *devices);

/* 0; -EEXIST: a host has two CAs with the same name (error has all names); -ENOMEM. */
int devices_check(const struct topology *t, unsigned int flags, struct madkit_error *error);

/* NULL: the host has no device of this name. */
const struct device *devices_find(const struct devices *devices, const char *name, size_t len);
/* The device and its port that belong to a umad device; NULL: the host has no umad device of this number. */
const struct device *devices_umad(const struct devices *devices, unsigned int umad, unsigned int *port);
/* The device of a node that is not an SMI or RoCE device. */
const struct device *devices_main(const struct devices *devices, uint32_t node);

/* The port of the topology's node that a port of the device stands for. */
static inline unsigned int device_node_port(const struct device *device, unsigned int port)
{
	return device->kind == DEVICE_SMI ? (port - 1) / DEVICES_PLANES + 1 : port;
}

/* Whether its ports have issm devices. Kernels with SMI devices make issm devices only for ports with QP0. */
static inline bool device_has_issm(const struct device *device)
{
	return device->kind != DEVICE_GSI;
}

#endif
