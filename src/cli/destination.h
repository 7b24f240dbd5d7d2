/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where a request is to go, as the command line, a line of a batch, or both tell it: before a port or the SA are asked. */
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
	const char *name;        /* argv's, or the JSON line's */
	struct madkit_addr addr; /* GRH fields, path, SL, QP, P_Key */
};

/* Whether it names a destination. Otherwise that follows from the class and the port. */
bool destination_given(const struct destination *d);

/* Whether the SA has to be asked for its LID. */
bool destination_is_resolved(const struct destination *d);

/* Takes the address that the line has: all of it, or what it adds. */
void destination_take_json(struct destination *d, const struct madkit_json_message *m);

/* Sets what the message shows of a destination that has not been resolved; addr is what is known of its address, and
 * to is the caller's. */
void destination_show(const struct destination *d, const struct madkit_addr *addr,
		      struct madkit_unresolved *to, struct madkit_message *message);

#endif
