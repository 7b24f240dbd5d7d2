/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which transport a device specification names. */
#ifndef TRANSPORT_TRANSPORTS_H
#define TRANSPORT_TRANSPORTS_H

#include "transport/transport.h"

/*
 * transport_find - look up a transport
 * @spec: a device specification; NULL: any port of this machine
 * @ops:  receives the transport
 *
 * Opens the library that contains the transport, if libmadkit does not. The file system may block it.
 *
 * Return: 0; with error: -EINVAL no specification of a device; -EOPNOTSUPP there is no such transport, or its
 * library is missing or of another version.
 */
int transport_find(const char *spec, const struct transport_ops **ops, struct madkit_error *error);

#endif
