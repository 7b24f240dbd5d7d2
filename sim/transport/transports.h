/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The transports of libmadkit-sim. */
#ifndef SIM_TRANSPORT_TRANSPORTS_H
#define SIM_TRANSPORT_TRANSPORTS_H

#include "transport/transport.h"

/* "sim:TOPOLOGY": a fabric inside the process; "sim:unix:SOCKET": a fabric that madsim serves. */
extern const struct transport_ops transport_sim, transport_sim_unix;

/* libmadkit looks up this symbol. */
extern const struct transport_library madkit_transport_library;

#endif
