/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The InfiniBand devices of a host, with their names and the numbers of their umad devices. CAs whose
 * descriptions name the same host (find_host()) belong to that host. Any other node is a separate host.
 *
 * The description "node17 mlx5_0" names the device mlx5_0. CAs without a device name are sim0, sim1 and so
 * on. umad devices are numbered by port: first those of the CAs, in the order of the second words of their
 * descriptions, then the RoCE device, then the SMI devices.
 */
#ifndef SIM_SERVE_DEVICES_H
#define SIM_SERVE_DEVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/error.h>
#include "topology/topology.h"

/* options for all hosts */
enum {
	/* adds a RoCE device, whose packets are dropped */
	DEVICES_ROCE = 1,
	/* CAs are planarized, as CAs for XDR are since Linux 6.11: the CA's device has only QP1, and a
	 * separate SMI device has only QP0, with one port for each plane of each port: DEVICES_PLANES, which
	 * lead to the same port of the topology, or those ports of the CA that have one GUID */
	DEVICES_PLANAR = 2,
	/* each CA is a separate host, whatever its description */
	DEVICES_SINGLE = 4,
};

enum { DEVICES_PLANES = 4 };

enum device_kind { DEVICE_WHOLE, DEVICE_GSI, DEVICE_ROCE, DEVICE_SMI };

struct device {
	char name[64];
	enum device_kind kind;
	uint32_t node;            /* number in the topology; of a RoCE device: the CA beside it */
	unsigned int first, last; /* port numbers of the device */
	unsigned int umad;        /* number of the umad device of the first port */
	bool planes;              /* of an SMI device: its ports are those of the CA */
};

struct devices {
	struct device *list;
	unsigned int n;
	char host[64]; /* name of its directory: the first word of the description, or a node's number */
};

/* Sets *devices to the devices of the node's host; devices_free() releases them. 0; -ENOMEM. */
int devices_of(const struct topology *t, uint32_t node, unsigned int flags, struct devices *devices);
void devices_free(struct devices *devices);

/* Checks that no host has two CAs with the same description. 0; -EEXIST: one has (error names both);
 * -ENOMEM. */
int devices_check(const struct topology *t, unsigned int flags, struct madkit_error *error);

/* Returns the device with this name, of len bytes, or NULL. */
const struct device *devices_find(const struct devices *devices, const char *name, size_t len);
/* Returns the device to which a umad device belongs, and sets *port to its port; NULL: the host has no umad
 * device with this number. */
const struct device *devices_umad(const struct devices *devices, unsigned int umad, unsigned int *port);
/* Returns the device of a node that is neither an SMI device nor a RoCE device. */
const struct device *devices_main(const struct devices *devices, uint32_t node);

/* Returns the port of the topology's node that a port of the device represents. */
static inline unsigned int device_node_port(const struct device *device, unsigned int port)
{
	return device->kind == DEVICE_SMI && !device->planes ? (port - 1) / DEVICES_PLANES + 1 : port;
}

/* Checks if the device's ports have issm devices. Kernels with SMI devices do not create them for ports
 * without QP0. */
static inline bool device_has_issm(const struct device *device)
{
	return device->kind != DEVICE_GSI;
}

#endif
