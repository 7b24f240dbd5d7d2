/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From what a person knows of a node (GUID, GID, name) to where its MADs go. */
#ifndef MADKIT_RESOLVE_H
#define MADKIT_RESOLVE_H

#include <madkit/decls.h>
#include <stdint.h>
#include <madkit/addr.h>
#include <madkit/agent.h>
#include <madkit/error.h>
#include <madkit/port.h>

MADKIT_BEGIN_DECLS

struct madkit_resolver {
	struct madkit_port *port;
	uint32_t sm_lid; /* 0: the port's */
	uint8_t sm_sl;
	uint64_t sm_key;     /* goes into the SA header */
	uint32_t timeout_ms; /* as of madkit_send */
	uint32_t retries;
	uint64_t deadline_ns;      /* port clock, UINT64_MAX: none */
	const char *node_name_map; /* file: "0xGUID \"name\"" lines; NULL: none */
};

/*
 * Each asks the subnet administrator (blocks as madkit_request does), through
 * an agent for the SA that the port has already, or one that it keeps from then
 * on. Fills
 * addr->lid and addr->sl, and for a GID on another subnet the GRH.
 * 0; -ETIMEDOUT no answer from the SA; -ENOENT it knows no such port; -EPROTO
 * another SA status or a malformed answer; -EEXIST a name that several nodes
 * have; -EHOSTUNREACH no SM; -EINVAL an unreadable line of the node name map;
 * -ETIME the node name map is a pipe that nothing wrote to within the port's limit; -EINTR as
 * madkit_request(); -ENOMEM; -EIO the device, a registration that was refused,
 * or a map that cannot be read. error says it in words.
 */
int madkit_resolve_guid(const struct madkit_resolver *resolver, uint64_t port_guid, struct madkit_addr *addr,
			struct madkit_error *error);
int madkit_resolve_gid(const struct madkit_resolver *resolver, const uint8_t gid[16],
		       struct madkit_addr *addr, struct madkit_error *error);
int madkit_resolve_name(const struct madkit_resolver *resolver, const char *name, struct madkit_addr *addr,
			struct madkit_error *error);

MADKIT_END_DECLS
#endif
