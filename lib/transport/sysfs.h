/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The umad ports of this machine, as shown in sysfs. */
#ifndef TRANSPORT_SYSFS_H
#define TRANSPORT_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/port.h>

/* Returns 0 if the ib_umad module is loaded; -ENOENT if it is not; another -errno if that is unknown. */
int sysfs_umad_loaded(void);

/* Returns the ID in /dev/infiniband/umadID of a port from madkit_ports_list() or sysfs_port(). */
unsigned int sysfs_umad_id(const struct madkit_port_info *info);

/* Checks if a call failed for lack of descriptors or memory: the device may exist nevertheless. */
bool sysfs_exhausted(int ret);
/* Reads info of the port behind /dev/infiniband/umadID. Returns 0 or -errno. */
int sysfs_port(unsigned int id, struct madkit_port_info *info);
/* Reads only the identity of the port (ca and port) and clears the rest of info. Returns 0 or -errno. */
int sysfs_port_identity(unsigned int id, struct madkit_port_info *info);

/* Reads a number at the start of a text: "4: ACTIVE", "0x1a", "100 Gb/sec". Returns 0 or -EINVAL. */
int sysfs_number(const char *text, uint64_t max, uint64_t *value);
/* Reads n words of four hex digits, separated by colons: a GUID has four, a GID eight. Returns 0 or
 * -EINVAL. */
int sysfs_words(const char *text, unsigned int n, uint64_t *words);

/* Same as transport_ops.entry, for a port of this machine. */
int sysfs_entry(const struct madkit_port_info *info, const char *table, unsigned int index,
		const struct madkit_limit *limit, char *text, size_t size);

#endif
