/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* UD queue pairs as transports: one that is made here (verbs.c), or a caller's
 * (verbs_given.c). Opening either returns -EOPNOTSUPP if libibverbs is missing. */
#ifndef TRANSPORT_VERBS_H
#define TRANSPORT_VERBS_H

#include <stddef.h>
#include <madkit/redirect.h>
#include "transport/transport.h"

int verbs_open(const char *spec, const struct madkit_qp_attr *attr, struct transport **transport,
	       struct madkit_error *error);

/* A transport on a queue pair that stays the caller's. */
int verbs_given_open(struct ibv_qp *qp, struct transport **transport, struct madkit_error *error);
/* For the agent of that number. As madkit_agent_process_wc(). */
int verbs_given_take(struct transport *transport, uint32_t id, const struct ibv_wc *wc, const void *buffer,
		     size_t size);

#endif
