/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Code shared by both kinds of UD queue pairs: sending, and addresses. */
#ifndef TRANSPORT_VERBS_QP_H
#define TRANSPORT_VERBS_QP_H

#include <stdbool.h>
#include <madkit/addr.h>
#include <madkit/port.h>
#include "transport/verbs_library.h"

enum {
	VERBS_GRH_BYTES = 40,
	VERBS_SENDS = 128,  /* outstanding at once */
	VERBS_HANDLES = 32, /* address handles kept */
};

struct verbs_handle {
	struct ibv_ah *ah; /* NULL: free */
	struct ibv_ah_attr attr;
	unsigned int sends; /* outstanding sends that use it */
	uint64_t used;      /* last use, counted in sends */
};

struct verbs_send {
	struct verbs_handle *handle; /* NULL: not outstanding */
};

struct verbs_qp {
	struct verbs_library lib;
	struct ibv_qp *qp;
	struct madkit_port_info info; /* with QP, Q_Key and P_Key index */
	unsigned int umad_id;
	size_t mtu;
	uint8_t *memory; /* send buffers: one frame each */
	struct ibv_mr *mr;
	struct verbs_send sends[VERBS_SENDS];
	unsigned int noutstanding;
	uint64_t nposted;
	struct verbs_handle handles[VERBS_HANDLES];
	uint8_t own_gid[16]; /* last GID that was looked up ... */
	int own_gid_index;   /* ... and its index; -1: none */
};

/* Allocates n zeroed bytes on separate pages, for registration. Returns NULL and sets errno if out of
 * memory. */
void *verbs_memory(size_t n);
/* Returns the -errno of a libibverbs function that failed; -EIO if the function did not set errno. */
int verbs_error(void);

/* Finds the port of the QP, which must have a umad device: sets info, umad_id and mtu. Returns 0; -ENODEV; or
 * another -errno. */
int verbs_qp_port(struct verbs_qp *v, struct ibv_context *context, const char *ca, unsigned int port,
		  struct madkit_error *error);
/* Prepares to send on v->qp, which has this P_Key index and Q_Key. Returns 0 or -errno. */
int verbs_qp_ready(struct verbs_qp *v, uint16_t pkey_index, uint32_t qkey);
/* Frees the resources of verbs_qp_ready() and of sends. The QP may already be destroyed. */
void verbs_qp_free(struct verbs_qp *v);
/* Same as transport_ops.info. */
int verbs_qp_info(const struct verbs_qp *v, struct madkit_port_info *info);

/* Same as transport_ops.send; tid_high replaces the upper half of the transaction ID unless it is 0. */
int verbs_qp_send(struct verbs_qp *v, const struct madkit_addr *to, const uint8_t *mad, size_t len,
		  uint32_t tid_high);
/* Processes the completion of a send. Returns false if it was not sent by verbs_qp_send(). */
bool verbs_qp_sent(struct verbs_qp *v, const struct ibv_wc *wc);

/* ---- verbs_address.c ------------------------------------------------------------- */

void verbs_address_to(const struct verbs_qp *v, const struct madkit_addr *to, struct ibv_ah_attr *attr);
uint32_t verbs_address_qkey(const struct verbs_qp *v, const struct madkit_addr *to);
/* Sets the sender of a MAD that was received into buffer, which begins with 40 bytes for the GRH. */
void verbs_address_from(struct verbs_qp *v, const struct ibv_wc *wc, const uint8_t *buffer,
			struct madkit_addr *from);
/* Sets the length of the MAD in a buffer of this size. Returns 0, or -EINVAL if it is not the length of a
 * MAD. */
int verbs_mad_len(const struct ibv_wc *wc, size_t size, size_t *len);

#endif
