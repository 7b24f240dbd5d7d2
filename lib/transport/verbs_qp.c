/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sends on a UD queue pair. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/mad.h>
#include "transport/sysfs.h"
#include "transport/verbs_qp.h"
#include "util/bits.h"

enum { PAGE = 4096 };

void *verbs_memory(size_t n)
{
	void *p = NULL;
	int err = posix_memalign(&p, PAGE, n);

	/* posix_memalign() does not set errno */
	if (err) {
		errno = err;
		return NULL;
	}
	return memset(p, 0, n);
}

int verbs_error(void)
{
	return errno ? -errno : -EIO;
}

int verbs_qp_port(struct verbs_qp *v, struct ibv_context *context, const char *ca, unsigned int port,
		  struct madkit_error *error)
{
	struct madkit_port_info *ports;
	struct ibv_port_attr attr;
	size_t count, i = 0;
	int ret = madkit_ports_list(&ports, &count, NULL);

	if (ret)
		return madkit_error_set(error, ret, -1, "cannot list the ports: %s", strerror(-ret));
	while (i < count && (strcmp(ports[i].ca, ca) || ports[i].port != port))
		i++;
	if (i < count) {
		v->info = ports[i];
		v->umad_id = sysfs_umad_id(&ports[i]);
	}
	madkit_ports_free(ports);
	if (i == count)
		return madkit_error_set(error, -ENODEV, -1, "%s/%u has no umad device", ca, port);
	if (verbs_library_query_port(&v->lib, context, port, &attr))
		return madkit_error_set(error, -EIO, -1, "cannot read the state of %s/%u", ca, port);
	snprintf(v->info.device, sizeof(v->info.device), "verbs:%.80s/%u", ca, port);
	v->mtu = (size_t)128 << attr.active_mtu;
	v->own_gid_index = -1;
	return 0;
}

int verbs_qp_ready(struct verbs_qp *v, uint16_t pkey_index, uint32_t qkey)
{
	const size_t bytes = (size_t)VERBS_SENDS * MADKIT_FRAME_BYTES;

	v->info.pkey_index = pkey_index;
	v->info.qp = v->qp->qp_num;
	v->info.qkey = qkey;
	v->memory = verbs_memory(bytes);
	if (!v->memory)
		return verbs_error();
	v->mr = v->lib.ibv_reg_mr(v->qp->pd, v->memory, bytes, 0);
	return v->mr ? 0 : verbs_error();
}

void verbs_qp_free(struct verbs_qp *v)
{
	for (unsigned int i = 0; i < VERBS_HANDLES; i++)
		if (v->handles[i].ah)
			v->lib.ibv_destroy_ah(v->handles[i].ah);
	if (v->mr)
		v->lib.ibv_dereg_mr(v->mr);
	free(v->memory);
}

int verbs_qp_info(const struct verbs_qp *v, struct madkit_port_info *info)
{
	int ret = sysfs_port(v->umad_id, info);

	/* the number of a removed device may be reused */
	if (sysfs_exhausted(ret))
		return ret;
	if (ret || strcmp(info->ca, v->info.ca) || info->port != v->info.port)
		return -ENODEV;
	memcpy(info->device, v->info.device, sizeof(info->device));
	info->qp = v->info.qp;
	info->qkey = v->info.qkey;
	info->pkey_index = v->info.pkey_index;
	return 0;
}

/* ---- sending --------------------------------------------------------------------- */

/* Finds or creates an address handle. Creating one costs a system call and, on Ethernet, the resolution of a
 * GID. */
static int handle_get(struct verbs_qp *v, const struct madkit_addr *to, struct verbs_handle **handle)
{
	struct verbs_handle *oldest = NULL;
	struct ibv_ah_attr attr;
	struct ibv_ah *ah;

	verbs_address_to(v, to, &attr);
	for (unsigned int i = 0; i < VERBS_HANDLES; i++) {
		struct verbs_handle *h = &v->handles[i];

		if (h->ah && !memcmp(&h->attr, &attr, sizeof(attr))) {
			*handle = h;
			return 0;
		}
		if (!h->sends && (!oldest || !h->ah || (oldest->ah && h->used < oldest->used)))
			oldest = h;
	}
	if (!oldest)
		return -EAGAIN;
	errno = 0;
	ah = v->lib.ibv_create_ah(v->qp->pd, &attr);
	if (!ah) {
		/* same code as umad if a GID cannot be resolved */
		if (to->grh && (errno == ETIMEDOUT || errno == ENETUNREACH || errno == EHOSTUNREACH))
			return -EHOSTUNREACH;
		return verbs_error();
	}
	if (oldest->ah)
		v->lib.ibv_destroy_ah(oldest->ah);
	*oldest = (struct verbs_handle){ .ah = ah, .attr = attr };
	*handle = oldest;
	return 0;
}

static int verbs_qp_post(struct verbs_qp *v, unsigned int i, const struct madkit_addr *to, size_t len)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)(v->memory + (size_t)i * MADKIT_FRAME_BYTES),
		.length = (uint32_t)len,
		.lkey = v->mr->lkey,
	};
	struct ibv_send_wr wr = {
		.wr_id = (uintptr_t)&v->sends[i],
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.ud = {
			.ah = v->sends[i].handle->ah,
			.remote_qpn = to->qp,
			.remote_qkey = verbs_address_qkey(v, to),
		},
	}, *bad;
	int err = ibv_post_send(v->qp, &wr, &bad);

	/* the send queue of a caller's queue pair may be shorter than VERBS_SENDS */
	return err == ENOMEM ? -EAGAIN : err > 0 ? -err : err ? -EIO : 0;
}

int verbs_qp_send(struct verbs_qp *v, const struct madkit_addr *to, const uint8_t *mad, size_t len,
		  uint32_t tid_high)
{
	struct verbs_handle *handle;
	unsigned int i = 0;
	uint8_t *frame;
	int ret;

	if (len > MADKIT_FRAME_BYTES || to->lid > 0xffff || to->direct ||
	    to->pkey_index != v->info.pkey_index)
		return -EINVAL;
	if (len > v->mtu)
		return -EMSGSIZE;
	while (i < VERBS_SENDS && v->sends[i].handle)
		i++;
	if (i == VERBS_SENDS)
		return -EAGAIN;
	ret = handle_get(v, to, &handle);
	if (ret)
		return ret;
	frame = v->memory + (size_t)i * MADKIT_FRAME_BYTES;
	memcpy(frame, mad, len);
	if (tid_high)
		put_be32(frame + MADKIT_MAD_TID, tid_high);
	v->sends[i].handle = handle;
	ret = verbs_qp_post(v, i, to, len);
	if (ret) {
		v->sends[i].handle = NULL;
		return ret;
	}
	handle->sends++;
	handle->used = ++v->nposted;
	v->noutstanding++;
	return 0;
}

bool verbs_qp_sent(struct verbs_qp *v, const struct ibv_wc *wc)
{
	uint64_t first = (uintptr_t)v->sends;
	struct verbs_send *send;

	/* the wr_id of a caller's own send may be any number */
	if (wc->wr_id < first || wc->wr_id - first >= sizeof(v->sends) || (wc->wr_id - first) % sizeof(*send))
		return false;
	send = &v->sends[(wc->wr_id - first) / sizeof(*send)];
	if (!send->handle)
		return false;
	send->handle->sends--;
	send->handle = NULL;
	v->noutstanding--;
	return true;
}
