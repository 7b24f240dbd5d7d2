/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The destination of a request as given on the command line, in a line of a batch, or in both, before a port
 * or the SA resolves it. */
#ifndef SRC_DESTINATION_H
#define SRC_DESTINATION_H

#include <stdbool.h>
#include <stdint.h>
#include <madkit/addr.h>
#include <madkit/json_in.h>
#include <madkit/message.h>

struct destination {
	bool have_lid, have_guid, have_gid, have_direct;
	bool have_sl, have_qp, have_grh_field;
	uint32_t lid;
	uint64_t guid;
	const char *name;        /* points into argv or the JSON line */
	struct madkit_addr addr; /* GRH fields, path, SL, QP, P_Key */
};

/* Checks if it names a destination. If not, the class and the port determine the destination. */
bool destination_given(const struct destination *d);

/* Checks if the SA has to be queried for the LID. */
bool destination_is_resolved(const struct destination *d);

/* Applies the address of a JSON line. A LID, route, GID, GUID or name replaces the destination; QP, SL and
 * P_Key index are replaced one by one. */
void destination_take_json(struct destination *d, const struct madkit_json_message *m);

/* Sets how the message shows a destination that has not been resolved. addr: the known part of the address;
 * to: memory of the caller. */
void destination_show(const struct destination *d, const struct madkit_addr *addr,
		      struct madkit_unresolved *to, struct madkit_message *message);

#endif
