/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's numbers of RDMA devices. */
#ifndef TRANSPORT_DEVICE_INDEX_H
#define TRANSPORT_DEVICE_INDEX_H

#include <stddef.h>
#include <stdint.h>

/* Gets the name of the device with this number, such as "rxe0", from the kernel (netlink). Returns 0; -ENODEV
 * if there is no such device; or -errno. */
int device_index_name(uint32_t index, char *name, size_t size);

#endif
