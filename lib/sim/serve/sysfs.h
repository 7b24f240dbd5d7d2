/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a host's kernel tells of its CA and ports, as the files below /sys/class have it
 * (Linux 6.1: drivers/infiniband/core/sysfs.c and user_mad.c). */
#ifndef SIM_SERVE_SYSFS_H
#define SIM_SERVE_SYSFS_H

#include <madkit/buf.h>
#include "sim/fabric/fabric.h"
#include "sim/serve/proto.h"

/* 0; -EINVAL: no such end port. */
int sim_sysfs_info(struct fabric *f, uint32_t node, unsigned int port, struct proto_info *info);

/* Appends what PROTO_SYSFS answers of a path of len bytes. 0; -ENOENT. Look at
 * buf->error afterwards. */
int sim_sysfs_read(struct fabric *f, uint32_t node, const char *path, size_t len, struct madkit_buf *buf);

#endif
