/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds the transport of a device specification. */
#ifndef TRANSPORT_TRANSPORTS_H
#define TRANSPORT_TRANSPORTS_H

#include "transport/transport.h"

/*
 * transport_find - look up a transport
 * @spec: a device specification; NULL: any port of this machine
 * @ops:  receives the transport
 *
 * Opens the library that contains the transport, unless libmadkit contains it. The file system may block
 * this.
 *
 * Return: 0; or with error: -EINVAL if spec is not a device specification; -EOPNOTSUPP if there is no such
 * transport, or its library is missing or of another version.
 */
int transport_find(const char *spec, const struct transport_ops **ops, struct madkit_error *error);

#endif
