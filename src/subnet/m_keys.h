/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The M_Keys or V_Keys of ports, from a file of lines "GUID KEY" or from a directory with the files guid2mkey and
 * neighbors of opensm, or guid2vskey. */
#ifndef SRC_M_KEYS_H
#define SRC_M_KEYS_H

#include <stdbool.h>
#include <stdint.h>

struct m_keys;

/* A kind of keys. */
struct m_keys_kind {
	const char *option;    /* "--m-key" */
	const char *file;      /* of a directory: "guid2mkey" */
	const char *neighbors; /* of a directory; NULL: not needed */
};
extern const struct m_keys_kind m_keys_of_ports, v_keys_of_ports;

/* Reads the keys. Returns EXIT_DONE, or another exit status after reporting the reason. */
int m_keys_read(const struct m_keys_kind *kind, const char *path, struct m_keys **keys);
void m_keys_free(struct m_keys *keys);

/* Returns the M_Key of a port, by its GUID or by that of its node; 0 if there is none, because a key must not
 * be sent to another port. */
uint64_t m_keys_of(const struct m_keys *keys, uint64_t port_guid, uint64_t node_guid);
/* Checks if there is a neighbors file with entries, so that the ports at the other ends of cables are
 * known. */
bool m_keys_have_neighbors(const struct m_keys *keys);

/* As m_keys_of(), for the port at the other end of the cable, as the subnet manager last saw it. */
uint64_t m_keys_behind(const struct m_keys *keys, uint64_t port_guid, uint64_t node_guid, unsigned int port);

#endif
