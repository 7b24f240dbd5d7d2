/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_resolve - find the address of a node by its GUID or GID
 *
 * The functions query the subnet administrator (SA) for the LID and the path of a node that is known by
 * its port GUID or its GID. They block like madkit_request(), until the SA has responded or the deadline
 * has passed. madkit_names(3) finds nodes by their names.
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

/* The port and the SA to query, and how. The caller fills in all members. */
struct madkit_resolver {
	struct madkit_port *port;
	uint32_t sm_lid;     /* LID of the SA; 0: the port's SM LID and SL */
	uint8_t sm_sl;       /* SL to the SA */
	uint64_t sm_key;     /* SM_Key in the SA header */
	uint32_t timeout_ms; /* for each try; see struct madkit_send */
	uint32_t retries;
	uint64_t deadline_ns; /* port clock; UINT64_MAX: none */
};

/*
 * madkit_resolve_guid, madkit_resolve_gid - find the address of a node
 * @resolver:  the port, and how to query the SA
 * @port_guid: GUID of a port
 * @gid:       GID of a port
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
 * - -EHOSTUNREACH: the port has no subnet manager
 * - -EINTR: interrupted by a signal; see madkit_request()
 * - -ENOMEM: out of memory
 * - -EIO: the device failed, or the agent could not be registered
 */
int madkit_resolve_guid(const struct madkit_resolver *resolver, uint64_t port_guid, struct madkit_addr *addr,
			struct madkit_error *error);
int madkit_resolve_gid(const struct madkit_resolver *resolver, const uint8_t gid[16],
		       struct madkit_addr *addr, struct madkit_error *error);

MADKIT_END_DECLS
#endif
