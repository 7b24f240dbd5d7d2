/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <config.h>
#include <stddef.h>
#include "sim/transport/transports.h"

static const struct transport_ops *const sim_transports[] = { &transport_sim_unix, &transport_sim, NULL };

const struct transport_library madkit_transport_library = {
	.abi = TRANSPORT_ABI,
	.version = PACKAGE_VERSION,
	.transports = sim_transports,
};
