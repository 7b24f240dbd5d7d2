// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kernel/bare_qp.h"

static void bare_qp_post_receive(struct bare *bare, uint64_t i)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)(bare->memory + i * BARE_BYTES),
		.length = BARE_BYTES,
		.lkey = bare->mr->lkey,
	};
	struct ibv_recv_wr wr = { .wr_id = i, .sg_list = &sge, .num_sge = 1 }, *bad;

	need(ibv_post_recv(bare->qp, &wr, &bad) == 0, "ibv_post_recv");
}

struct bare *bare_open(const char *ca, uint32_t qkey)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_UD,
		.cap = { .max_send_wr = 64,
			 .max_recv_wr = BARE_BUFFERS,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = qkey };
	struct ibv_device **list = ibv_get_device_list(NULL), **device = list;
	struct bare *bare = calloc(1, sizeof(*bare));
	const size_t bytes = (BARE_BUFFERS + 1) * BARE_BYTES;

	need(list && bare, "ibv_get_device_list");
	while (*device && strcmp(ibv_get_device_name(*device), ca))
		device++;
	need(*device != NULL, "a device of libibverbs");
	bare->context = ibv_open_device(*device);
	need(bare->context != NULL, "ibv_open_device");
	ibv_free_device_list(list);
	bare->pd = ibv_alloc_pd(bare->context);
	bare->cq = ibv_create_cq(bare->context, 2 * BARE_BUFFERS, NULL, NULL, 0);
	need(bare->pd && bare->cq && !posix_memalign((void **)&bare->memory, 4096, bytes), "ibv_create_cq");
	memset(bare->memory, 0, bytes);
	bare->mr = ibv_reg_mr(bare->pd, bare->memory, bytes, IBV_ACCESS_LOCAL_WRITE);
	init.send_cq = init.recv_cq = bare->cq;
	bare->qp = ibv_create_qp(bare->pd, &init);
	need(bare->mr && bare->qp, "ibv_create_qp");
	need(ibv_modify_qp(bare->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY) ==
		     0,
	     "ibv_modify_qp INIT");
	for (uint64_t i = 0; i < BARE_BUFFERS; i++)
		bare_qp_post_receive(bare, i);
	attr.qp_state = IBV_QPS_RTR;
	need(ibv_modify_qp(bare->qp, &attr, IBV_QP_STATE) == 0, "ibv_modify_qp RTR");
	attr.qp_state = IBV_QPS_RTS;
	need(ibv_modify_qp(bare->qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN) == 0, "ibv_modify_qp RTS");
	return bare;
}

void bare_close(struct bare *bare)
{
	if (bare->qp)
		ibv_destroy_qp(bare->qp);
	if (bare->ah)
		ibv_destroy_ah(bare->ah);
	ibv_dereg_mr(bare->mr);
	ibv_destroy_cq(bare->cq);
	need(ibv_dealloc_pd(bare->pd) == 0, "ibv_dealloc_pd: something is left of it");
	ibv_close_device(bare->context);
	free(bare->memory);
	free(bare);
}

uint8_t *bare_buffer(struct bare *bare, const struct ibv_wc *wc)
{
	return bare->memory + wc->wr_id * BARE_BYTES;
}

void bare_post(struct bare *bare, const struct ibv_wc *wc)
{
	bare_qp_post_receive(bare, wc->wr_id);
}

/* The next completion of either kind. */
static bool bare_qp_next(struct bare *bare, int ms, struct ibv_wc *wc)
{
	int64_t until = now_ms() + ms;
	int n;

	while (!(n = ibv_poll_cq(bare->cq, 1, wc)) && now_ms() < until)
		poll(NULL, 0, 1);
	need(n >= 0, "ibv_poll_cq");
	return n;
}

void bare_send(struct bare *bare, const uint8_t gid[16], uint32_t qpn, uint32_t qkey, const void *data,
	       size_t length)
{
	struct ibv_ah_attr address = { .is_global = 1, .port_num = 1, .grh = { .hop_limit = 64 } };
	struct ibv_sge sge = {
		.addr = (uintptr_t)(bare->memory + BARE_BUFFERS * BARE_BYTES),
		.length = (uint32_t)length,
		.lkey = bare->mr->lkey,
	};
	struct ibv_send_wr wr = {
		.wr_id = BARE_BUFFERS, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED, .wr.ud = { .remote_qpn = qpn, .remote_qkey = qkey },
	}, *bad;
	struct ibv_wc wc;

	need(length <= BARE_BYTES, "a shorter message");
	memcpy(address.grh.dgid.raw, gid, 16);
	if (!bare->ah)
		bare->ah = ibv_create_ah(bare->pd, &address);
	need(bare->ah != NULL, "ibv_create_ah");
	wr.wr.ud.ah = bare->ah;
	memcpy(bare->memory + BARE_BUFFERS * BARE_BYTES, data, length);
	need(ibv_post_send(bare->qp, &wr, &bad) == 0, "ibv_post_send");
	need(bare_qp_next(bare, PATIENCE, &wc) && wc.wr_id == BARE_BUFFERS && wc.status == IBV_WC_SUCCESS,
	     "the end of a send");
}

bool bare_receive(struct bare *bare, int ms, struct ibv_wc *wc)
{
	return bare_qp_next(bare, ms, wc);
}
