/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The InfiniBand devices of a host, as its kernel numbers and names them. CAs whose descriptions begin with one
 * host's name (find_host()) are on that host; any other node is a host of its own.
 *
 * A device has the name that its description gives it, "mlx5_0" in "node17 mlx5_0"; without one it is sim0, sim1 ...
 * umad devices are numbered port by port: first the CAs, in the order of their names and numbers, then the RoCE
 * device, then the planes.
 */
#ifndef SIM_SERVE_DEVICES_H
#define SIM_SERVE_DEVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/error.h>
#include "topology/topology.h"

/* What hosts have beside what the topology says. */
enum {
	DEVICES_ROCE = 1, /* a RoCE device, whose port leads nowhere */
	DEVICES_PLANAR =
		2, /* CAs are planarized, as those for XDR since Linux 6.11: each has QP1 alone, and an SMI
			     * device beside it, with QP0 alone, whose ports are its planes */
	DEVICES_SINGLE = 4, /* each CA is a host of its own, whatever its description says */
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
	char host[64]; /* its name, as a directory can have it: its description's word, or a number */
};

/* Those of the host that has the node. 0; -ENOMEM. devices_free() frees them. */
int devices_of(const struct topology *t, uint32_t node, unsigned int flags, struct devices *devices);
void devices_free(struct devices *devices);

/* 0; -EEXIST: a host has two CAs of one name, which error names; -ENOMEM. */
int devices_check(const struct topology *t, unsigned int flags, struct madkit_error *error);

/* NULL: there is none. */
const struct device *devices_find(const struct devices *devices, const char *name, size_t len);
/* The device that has this umad device, for *port. NULL: none. */
const struct device *devices_umad(const struct devices *devices, unsigned int umad, unsigned int *port);
/* The device that has all of a node's ports. */
const struct device *devices_main(const struct devices *devices, uint32_t node);

/* The port of the topology's node that a port of the device is; 0 <= *port <= PROTO_PORTS_MAX. */
static inline unsigned int device_node_port(const struct device *device, unsigned int port)
{
	return device->kind == DEVICE_SMI ? (port - 1) / DEVICES_PLANES + 1 : port;
}

/* Whether its ports have issm devices: a kernel that knows planes makes them only where there is QP0. */
static inline bool device_has_issm(const struct device *device)
{
	return device->kind != DEVICE_GSI;
}

#endif
