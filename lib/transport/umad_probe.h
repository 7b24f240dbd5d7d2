/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef TRANSPORT_UMAD_PROBE_H
#define TRANSPORT_UMAD_PROBE_H

#include <stdbool.h>
#include <stdint.h>

struct madkit_agent_attr;

/*
 * Registers on fd like umad_register2(), but with one ioctl: libibumad retries after EINVAL, and the kernel
 * may log a line each time. Returns 0 with *id, or a positive errno.
 */
int umad_probe(int fd, const struct madkit_agent_attr *attr, uint32_t *id);

/* Checks if the device supports the ioctl of umad_probe(). If not, some kernels return ENOTTY and some
 * EINVAL. */
bool umad_can_probe(int fd);

/*
 * Gets the registration flags that the kernel behind fd supports. Registers nothing. Returns 0 with *flags;
 * -ENOTTY if the kernel has no flags; -ENOENT if the kernel did not report them.
 */
int umad_supported_flags(int fd, uint32_t *flags);

#endif
