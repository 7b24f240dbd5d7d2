/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A UD queue pair by libibverbs alone: a peer that knows nothing of the library. */
#ifndef TESTS_KERNEL_BARE_QP_H
#define TESTS_KERNEL_BARE_QP_H

#include <infiniband/verbs.h>

#include "tests/kernel/basics.h"

enum {
	BARE_BUFFERS = 128,
	BARE_BYTES = 2048, /* of each; a GRH first */
	BARE_GRH = 40,
};

struct bare {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	struct ibv_ah *ah; /* of bare_send() */
	uint8_t *memory;   /* the last buffer is for sending */
};

/* On port 1 of ca, its receives posted. */
struct bare *bare_open(const char *ca, uint32_t qkey);
void bare_close(struct bare *bare);

/* The buffer of a receive. */
uint8_t *bare_buffer(struct bare *bare, const struct ibv_wc *wc);
void bare_post(struct bare *bare, const struct ibv_wc *wc);

/* Sends to the GID, and waits until it has gone. */
void bare_send(struct bare *bare, const uint8_t gid[16], uint32_t qpn, uint32_t qkey, const void *data,
	       size_t length);
/* The next completion of a receive. False: none in ms milliseconds. */
bool bare_receive(struct bare *bare, int ms, struct ibv_wc *wc);

#endif
