/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef TRANSPORT_UMAD_FLAGS_H
#define TRANSPORT_UMAD_FLAGS_H

#include <stdint.h>

/*
 * The registration flags that the kernel behind fd supports. Registers nothing.
 * 0 with *flags; -ENOTTY a kernel without flags at all; -ENOENT it did not say.
 */
int umad_supported_flags(int fd, uint32_t *flags);

#endif
