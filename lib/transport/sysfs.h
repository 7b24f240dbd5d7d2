/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The machine's umad ports as sysfs shows them. */
#ifndef TRANSPORT_SYSFS_H
#define TRANSPORT_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/port.h>

/* 0 if the ib_umad module is loaded, -ENOENT if it is not; -errno: not known. */
int sysfs_umad_loaded(void);

/* The ID of the port behind /dev/infiniband/umadID, of one that madkit_ports_list()
 * or sysfs_port() told. */
unsigned int sysfs_umad_id(const struct madkit_port_info *info);

/* Fills info of the port behind /dev/infiniband/umadID. 0 or -errno. */
int sysfs_port(unsigned int id, struct madkit_port_info *info);

#endif
