/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_resolve - find the address of a node by its GUID, GID or name
 *
 * The functions query the subnet administrator (SA) for the LID and the path of a node that is known by
 * its port GUID, its GID or its node description. They block like madkit_request(), until the SA has
 * responded or the deadline has passed.
 */
#ifndef MADKIT_RESOLVE_H
#define MADKIT_RESOLVE_H

#include <madkit/decls.h>
#include <stdbool.h>
#include <stdint.h>
#include <madkit/addr.h>
#include <madkit/agent.h>
#include <madkit/error.h>
#include <madkit/port.h>

MADKIT_BEGIN_DECLS

/* The names of nodes, from a file in the format of infiniband-diags. */
struct madkit_name_map;

/* The port and the SA to query, and how. The caller fills in all members. */
struct madkit_resolver {
	struct madkit_port *port;
	uint32_t sm_lid;     /* LID of the SA; 0: the port's SM LID and SL */
	uint8_t sm_sl;       /* SL to the SA */
	uint64_t sm_key;     /* SM_Key in the SA header */
	uint32_t timeout_ms; /* for each try; see struct madkit_send */
	uint32_t retries;
	uint64_t deadline_ns;      /* port clock; UINT64_MAX: none */
	const char *node_name_map; /* file with lines of the form 0xGUID "name", or NULL */
	/* madkit_resolve_lid() uses this map, and does not read node_name_map; NULL: none */
	const struct madkit_name_map *name_map;
};

/*
 * madkit_resolve_guid, madkit_resolve_gid, madkit_resolve_name - find the address of a node
 * @resolver:  the port, and how to query the SA
 * @port_guid: GUID of a port
 * @gid:       GID of a port
 * @name:      node description, or a name from the node name map
 * @addr:      receives the address in lid and sl. For a GID of another subnet, the GRH is also filled
 *             in.
 * @error:     receives the reason of a failure, or NULL
 *
 * The query uses an agent for the SA class that the port already has. If it has none, one is
 * registered, which remains until the port is closed.
 *
 * Return: 0 on success, or:
 * - -ETIMEDOUT: the SA did not respond
 * - -ENOENT: the SA does not know the port
 * - -EPROTO: the SA responded with another status, or with a malformed response
 * - -EEXIST: several nodes have the name
 * - -EHOSTUNREACH: the port has no subnet manager
 * - -EINVAL: a line of the node name map is not valid
 * - -ETIME: the node name map is a pipe, and nothing was written to it within the limit of the port
 * - -EINTR: interrupted by a signal; see madkit_request()
 * - -ENOMEM: out of memory
 * - -EIO: the device failed, the agent could not be registered, or the node name map cannot be read
 */
int madkit_resolve_guid(const struct madkit_resolver *resolver, uint64_t port_guid, struct madkit_addr *addr,
			struct madkit_error *error);
int madkit_resolve_gid(const struct madkit_resolver *resolver, const uint8_t gid[16],
		       struct madkit_addr *addr, struct madkit_error *error);
int madkit_resolve_name(const struct madkit_resolver *resolver, const char *name, struct madkit_addr *addr,
			struct madkit_error *error);

/*
 * madkit_resolve_lid - find the name of the node with a LID
 * @resolver: the port, and how to query the SA
 * @lid:      a LID
 * @describe: use the node description if the node name map does not have the node
 * @name:     receives the name, with at most 64 bytes
 * @error:    receives the reason of a failure, or NULL
 *
 * Queries the SA for the NodeRecord of the LID.
 *
 * Return: 0, or as madkit_resolve_name(); -ENOENT also if the map does not have the node and @describe is false.
 */
int madkit_resolve_lid(const struct madkit_resolver *resolver, uint32_t lid, bool describe, char name[65],
		       struct madkit_error *error);

/* ---- node name maps ----------------------------------------------------------- */

/*
 * madkit_name_map_read - read a node name map
 * @port:  port with the limit for reading a pipe
 * @path:  file with lines of the form 0xGUID "name", empty lines, and comments from # on
 * @map:   receives the map; free it with madkit_name_map_free()
 * @error: receives the reason of a failure, or NULL
 *
 * Return: 0 on success, or:
 * - -EINVAL: a line is not valid
 * - -EIO: the file cannot be read, or has more than 64 MiB
 * - -ETIME: the file is a pipe, and nothing was written to it within the limit of the port
 * - -EINTR: interrupted by a signal
 * - -ENOMEM: out of memory
 */
int madkit_name_map_read(struct madkit_port *port, const char *path, struct madkit_name_map **map,
			 struct madkit_error *error);

/*
 * madkit_name_map_free - free a node name map
 * @map: map to free, or NULL
 */
void madkit_name_map_free(struct madkit_name_map *map);

/*
 * madkit_name_map_name - return the name of a node
 * @map:  the map
 * @guid: GUID of the node
 *
 * Return: the name, valid until the map is freed; NULL if the map does not have the node.
 */
const char *madkit_name_map_name(const struct madkit_name_map *map, uint64_t guid);

MADKIT_END_DECLS
#endif
