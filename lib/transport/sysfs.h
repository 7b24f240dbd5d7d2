/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The machine's umad ports as sysfs shows them. */
#ifndef TRANSPORT_SYSFS_H
#define TRANSPORT_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/error.h>
#include <madkit/port.h>

/* Whether the ib_umad module is there. */
bool sysfs_umad_loaded(void);

/* Reads a file of at most size - 1 bytes, cuts it at its first newline. 0 with
 * text ending in NUL, or -errno. */
int sysfs_read(const char *path, char *text, size_t size);

/* Fills info of the port behind /dev/infiniband/umadID. 0 or -errno. */
int sysfs_port(unsigned int id, struct madkit_port_info *info);

/* What "umad:CA/PORT" asks for: an empty ca is "any", port -1 too. */
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
