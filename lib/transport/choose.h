/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which port a spec means. */
#ifndef TRANSPORT_CHOOSE_H
#define TRANSPORT_CHOOSE_H

#include <stddef.h>
#include <madkit/error.h>
#include <madkit/port.h>

/* What "umad:CA/PORT" or "verbs:CA/PORT" asks for: an empty ca is "any", port -1 too. */
struct port_wish {
	char ca[64];
	int port;
};

/* Reads a spec (NULL: no wish). 0, or -EINVAL with words. */
int port_wish_parse(const char *spec, struct port_wish *wish,
		    struct madkit_error *error);

/*
 * Chooses among the ports, which are in the order of their names. The first
 * ACTIVE InfiniBand port, else the first that is LinkUp; a RoCE port only where
 * its CA was named or there is no other port; a port named in full in any
 * state. 0 with *chosen, or -ENODEV with words.
 */
int port_choose(const struct madkit_port_info *ports, size_t count,
		const struct port_wish *wish, size_t *chosen,
		struct madkit_error *error);

#endif
