/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* UD queue pairs as transports: created here (verbs.c), or provided by the caller (verbs_given.c). Opening
 * either returns -EOPNOTSUPP if libibverbs is missing. */
#ifndef TRANSPORT_VERBS_H
#define TRANSPORT_VERBS_H

#include <stddef.h>
#include <madkit/redirect.h>
#include "transport/transport.h"

int verbs_open(const char *spec, const struct madkit_qp_attr *attr, struct transport **transport,
	       struct madkit_error *error);

/* Opens a transport on a queue pair that still belongs to the caller. */
int verbs_given_open(struct ibv_qp *qp, struct transport **transport, struct madkit_error *error);
/* Same as madkit_agent_process_wc(), for the agent with this number. */
int verbs_given_take(struct transport *transport, uint32_t id, const struct ibv_wc *wc, const void *buffer,
		     size_t size);

#endif
