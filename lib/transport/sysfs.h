/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The machine's umad ports as sysfs shows them. */
#ifndef TRANSPORT_SYSFS_H
#define TRANSPORT_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/port.h>

/* 0: the ib_umad module is loaded; -ENOENT: it is not; another -errno: not known. */
int sysfs_umad_loaded(void);

/* The ID in /dev/infiniband/umadID of a port that madkit_ports_list() or sysfs_port() returned. */
unsigned int sysfs_umad_id(const struct madkit_port_info *info);

/* Whether a call failed for lack of descriptors or memory. The device may be there nevertheless. */
bool sysfs_exhausted(int ret);
/* Reads info of the port behind /dev/infiniband/umadID. 0 or -errno. */
int sysfs_port(unsigned int id, struct madkit_port_info *info);
/* Reads only which port it is (ca and port) and clears the rest of info. 0 or -errno. */
int sysfs_port_identity(unsigned int id, struct madkit_port_info *info);

/* Reads a number at the start of a text: "4: ACTIVE", "0x1a", "100 Gb/sec". 0 or -EINVAL. */
int sysfs_number(const char *text, uint64_t max, uint64_t *value);
/* Reads n words of four hex digits between colons: a GUID has four, a GID eight. 0 or -EINVAL. */
int sysfs_words(const char *text, unsigned int n, uint64_t *words);

/* As transport_ops.entry, of a port of this machine. */
int sysfs_entry(const struct madkit_port_info *info, const char *table, unsigned int index,
		const struct madkit_limit *limit, char *text, size_t size);

#endif
