/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A UD queue pair created for a port, with its receives kept posted. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <madkit/mad.h>
#include "transport/choose.h"
#include "transport/clock.h"
#include "transport/filter.h"
#include "transport/sysfs.h"
#include "transport/verbs.h"
#include "transport/verbs_qp.h"
#include "util/time.h"

enum {
	RECEIVES = 512, /* same as QP1 */
	/* a UD message may be as long as the largest MTU: a longer message than the buffer would put
	 * the queue pair into the error state */
	BUFFER_BYTES = VERBS_GRH_BYTES + 4096,
	STRIDE = 4160,  /* of buffers: whole cache lines */
	DRAIN_MS = 100, /* how long closing waits for the last sends */
};

struct verbs {
	struct transport base;
	struct verbs_qp v;
	struct filter filter;
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *receive_cq, *send_cq;
	uint8_t *memory; /* buffers of receives */
	struct ibv_mr *mr;
	bool armed; /* the channel reports the next completion */
	bool kept;  /* wc is that of a MAD that did not fit into the caller's buffer */
	struct ibv_wc wc;
};

static struct verbs *verbs_of(struct transport *transport)
{
	return (struct verbs *)transport;
}

/* ---- opening --------------------------------------------------------------------- */

static uint8_t *verbs_buffer(const struct verbs *verbs, uint64_t i)
{
	return verbs->memory + i * STRIDE;
}

static int post_receive(struct verbs *verbs, uint64_t i)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)verbs_buffer(verbs, i),
		.length = BUFFER_BYTES,
		.lkey = verbs->mr->lkey,
	};
	struct ibv_recv_wr wr = { .wr_id = i, .sg_list = &sge, .num_sge = 1 }, *bad;

	/* a GRH on IPv4 fills only the second half: clear the rest of an older one */
	memset(verbs_buffer(verbs, i), 0, VERBS_GRH_BYTES);
	return ibv_post_recv(verbs->v.qp, &wr, &bad) ? -EIO : 0;
}

static int verbs_start(struct verbs *verbs, const struct madkit_qp_attr *attr)
{
	const struct verbs_library *lib = &verbs->v.lib;
	struct ibv_qp_attr to = {
		.qp_state = IBV_QPS_INIT,
		.pkey_index = attr->pkey_index,
		.port_num = (uint8_t)verbs->v.info.port,
		.qkey = attr->qkey,
	};
	struct ibv_qp *qp = verbs->v.qp;
	int err = lib->ibv_modify_qp(qp, &to, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY);

	for (uint64_t i = 0; !err && i < RECEIVES; i++)
		err = -post_receive(verbs, i);
	to.qp_state = IBV_QPS_RTR;
	if (!err)
		err = lib->ibv_modify_qp(qp, &to, IBV_QP_STATE);
	to.qp_state = IBV_QPS_RTS;
	if (!err)
		err = lib->ibv_modify_qp(qp, &to, IBV_QP_STATE | IBV_QP_SQ_PSN);
	return err < 0 ? -EIO : -err;
}

static int verbs_create(struct verbs *verbs, const struct madkit_qp_attr *attr)
{
	const struct verbs_library *lib = &verbs->v.lib;
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_UD,
		.cap = { .max_send_wr = VERBS_SENDS,
			 .max_recv_wr = RECEIVES,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};
	int ret;

	errno = 0;
	verbs->pd = lib->ibv_alloc_pd(verbs->context);
	verbs->channel = verbs->pd ? lib->ibv_create_comp_channel(verbs->context) : NULL;
	if (!verbs->channel)
		return verbs_error();
	if (fcntl(verbs->channel->fd, F_SETFL, fcntl(verbs->channel->fd, F_GETFL) | O_NONBLOCK))
		return verbs_error();
	verbs->receive_cq = lib->ibv_create_cq(verbs->context, RECEIVES, NULL, verbs->channel, 0);
	verbs->send_cq = lib->ibv_create_cq(verbs->context, VERBS_SENDS, NULL, NULL, 0);
	verbs->memory = verbs_memory((size_t)RECEIVES * STRIDE);
	if (!verbs->receive_cq || !verbs->send_cq || !verbs->memory)
		return verbs_error();
	verbs->mr =
		lib->ibv_reg_mr(verbs->pd, verbs->memory, (size_t)RECEIVES * STRIDE, IBV_ACCESS_LOCAL_WRITE);
	if (!verbs->mr)
		return verbs_error();
	init.recv_cq = verbs->receive_cq;
	init.send_cq = verbs->send_cq;
	verbs->v.qp = lib->ibv_create_qp(verbs->pd, &init);
	if (!verbs->v.qp)
		return verbs_error();
	ret = verbs_qp_ready(&verbs->v, attr->pkey_index, attr->qkey);
	if (ret)
		return ret;
	/* arm before the first poll */
	if (ibv_req_notify_cq(verbs->receive_cq, 0))
		return -EIO;
	verbs->armed = true;
	return verbs_start(verbs, attr);
}

static int verbs_open_device(struct verbs *verbs, const char *ca, struct madkit_error *error)
{
	int ret = verbs_library_open_device(&verbs->v.lib, ca, &verbs->context);

	if (!ret)
		return 0;
	return madkit_error_set(error, ret == -EACCES || sysfs_exhausted(ret) ? ret : -ENODEV, -1,
				"libibverbs cannot open %s: %s", ca,
				ret == -ENODEV ? "it has no such device" : strerror(-ret));
}

static void verbs_close(struct transport *transport)
{
	struct verbs *verbs = verbs_of(transport);
	const struct verbs_library *lib = &verbs->v.lib;
	uint64_t until = clock_now(transport) + DRAIN_MS * NS_PER_MS;
	struct ibv_wc wc;

	while (verbs->v.noutstanding && clock_now(transport) < until) {
		int n = ibv_poll_cq(verbs->send_cq, 1, &wc);

		if (n < 0)
			break;
		if (!n)
			poll(NULL, 0, 1);
		else
			verbs_qp_sent(&verbs->v, &wc);
	}
	if (verbs->v.qp)
		lib->ibv_destroy_qp(verbs->v.qp);
	verbs_qp_free(&verbs->v);
	if (verbs->mr)
		lib->ibv_dereg_mr(verbs->mr);
	free(verbs->memory);
	if (verbs->send_cq)
		lib->ibv_destroy_cq(verbs->send_cq);
	if (verbs->receive_cq)
		lib->ibv_destroy_cq(verbs->receive_cq);
	if (verbs->channel)
		lib->ibv_destroy_comp_channel(verbs->channel);
	if (verbs->pd)
		lib->ibv_dealloc_pd(verbs->pd);
	if (verbs->context)
		lib->ibv_close_device(verbs->context);
	free(verbs);
}

/* The queue pair and the memory regions belong to the opener. libibverbs frees its memory for them only when
 * it destroys them, so that memory is not freed here. */
static void verbs_abandon(struct transport *transport)
{
	struct verbs *verbs = verbs_of(transport);

	close(verbs->channel->fd);
	close(verbs->context->async_fd);
	close(verbs->context->cmd_fd);
	free(verbs);
}

static int open_port(struct verbs *verbs, const struct madkit_port_info *port,
		     const struct madkit_qp_attr *attr, struct madkit_error *error)
{
	const char *hint = "";
	int ret = verbs_open_device(verbs, port->ca, error);

	if (!ret)
		ret = verbs_qp_port(&verbs->v, verbs->context, port->ca, port->port, error);
	if (ret)
		return ret;
	ret = verbs_create(verbs, attr);
	if (!ret)
		return 0;
	if (ret == -ENOMEM)
		hint = " (see ulimit -l)";
	else if (ret == -EPERM)
		hint = " (a Q_Key with its highest bit set is for privileged processes)";
	return madkit_error_set(error, ret, -1, "cannot create a UD QP on %s/%u: %s%s", port->ca, port->port,
				strerror(-ret), hint);
}

int verbs_open(const char *spec, const struct madkit_qp_attr *attr, struct transport **transport,
	       struct madkit_error *error)
{
	static const struct madkit_qp_attr usual = { .qkey = MADKIT_QKEY_GSI };
	struct madkit_port_info *ports;
	struct port_wish wish;
	struct verbs *verbs;
	size_t count, chosen = 0;
	int ret = port_wish_parse(spec, &wish, error);

	if (ret)
		return ret;
	verbs = calloc(1, sizeof(*verbs));
	ret = verbs ? madkit_ports_list(&ports, &count, NULL) : -ENOMEM;
	if (ret) {
		free(verbs);
		return madkit_error_set(error, ret, -1, "cannot list the ports: %s", strerror(-ret));
	}
	verbs->base.ops = &transport_verbs;
	ret = verbs_library_load(&verbs->v.lib, error);
	if (!ret)
		ret = port_choose(ports, count, &wish, &chosen, error);
	if (!ret)
		ret = open_port(verbs, &ports[chosen], attr ? attr : &usual, error);
	madkit_ports_free(ports);
	if (ret)
		verbs_close(&verbs->base);
	else
		*transport = &verbs->base;
	return ret;
}

static int verbs_transport_open(const char *spec, const struct madkit_limit *limit,
				struct transport **transport, struct madkit_error *error)
{
	(void)limit; /* the kernel responds at once */
	return verbs_open(spec, NULL, transport, error);
}

/* ---- the operations -------------------------------------------------------------- */

static int verbs_transport_info(struct transport *transport, struct madkit_port_info *info)
{
	return verbs_qp_info(&verbs_of(transport)->v, info);
}

static int verbs_transport_attach(struct transport *transport, const struct madkit_agent_attr *attr,
				  uint32_t *id, struct madkit_refusal *refusal)
{
	return filter_add(&verbs_of(transport)->filter, attr, id, refusal);
}

static int verbs_transport_detach(struct transport *transport, uint32_t id)
{
	filter_remove(&verbs_of(transport)->filter, id);
	return 0;
}

/* Polls the completions of sends. */
static int verbs_reap(struct verbs *verbs)
{
	struct ibv_wc wc;
	int n;

	while ((n = ibv_poll_cq(verbs->send_cq, 1, &wc)) > 0) {
		struct ibv_qp_attr again = { .qp_state = IBV_QPS_RTS, .cur_qp_state = IBV_QPS_SQE };

		verbs_qp_sent(&verbs->v, &wc);
		if (wc.status == IBV_WC_WR_FLUSH_ERR)
			return -EIO;
		/* a failed send counts as a lost packet, but the queue pair must be restarted for the other
		 * sends */
		if (wc.status != IBV_WC_SUCCESS)
			verbs->v.lib.ibv_modify_qp(verbs->v.qp, &again, IBV_QP_STATE | IBV_QP_CUR_STATE);
	}
	return n < 0 ? -EIO : 0;
}

static int verbs_transport_send(struct transport *transport, uint32_t id, const struct madkit_addr *to,
				uint8_t *mad, size_t len, uint32_t timeout_ms, uint32_t retries)
{
	struct verbs *verbs = verbs_of(transport);
	int ret = verbs_reap(verbs);

	(void)timeout_ms;
	(void)retries;
	if (ret)
		return ret;
	return verbs_qp_send(&verbs->v, to, mad, len, filter_tid_high(&verbs->filter, id, mad, len));
}

/* Polls the next completion into verbs->wc. Returns 0; -EAGAIN if there is none; -ENODEV; or -EIO. */
static int verbs_next_completion(struct verbs *verbs)
{
	const struct verbs_library *lib = &verbs->v.lib;
	struct ibv_cq *cq;
	void *context;

	for (;;) {
		int n = ibv_poll_cq(verbs->receive_cq, 1, &verbs->wc);

		if (n)
			return n > 0 ? 0 : -EIO;
		errno = 0;
		if (!lib->ibv_get_cq_event(verbs->channel, &cq, &context)) {
			lib->ibv_ack_cq_events(cq, 1);
			verbs->armed = false;
		} else if (errno != EAGAIN && errno != EINTR) {
			/* the kernel's error for a removed device */
			return errno == EIO ? -ENODEV : -EIO;
		}
		if (verbs->armed)
			return -EAGAIN;
		if (ibv_req_notify_cq(verbs->receive_cq, 0))
			return -EIO;
		verbs->armed = true;
	}
}

static int verbs_transport_receive(struct transport *transport, uint32_t *id, struct madkit_addr *from,
				   uint8_t *buf, size_t size, size_t *len, int *status)
{
	struct verbs *verbs = verbs_of(transport);
	const uint8_t *buffer;
	int ret = verbs->kept ? 0 : verbs_next_completion(verbs);

	if (ret)
		return ret;
	verbs->kept = false;
	if (verbs->wc.status != IBV_WC_SUCCESS || verbs->wc.wr_id >= RECEIVES)
		return -EIO;
	buffer = verbs_buffer(verbs, verbs->wc.wr_id);
	*status = 0;
	if (verbs_mad_len(&verbs->wc, BUFFER_BYTES, len)) {
		/* not a MAD: a length beyond any buffer marks it as malformed */
		*len = SIZE_MAX;
	} else if (*len > size) {
		verbs->kept = true;
		return -ENOSPC;
	} else {
		memcpy(buf, buffer + VERBS_GRH_BYTES, *len);
		verbs_address_from(&verbs->v, &verbs->wc, buffer, from);
		if (!filter_find(&verbs->filter, buf, *len, id))
			*id = UINT32_MAX;
	}
	return post_receive(verbs, verbs->wc.wr_id);
}

static int verbs_transport_fd(struct transport *transport)
{
	return verbs_of(transport)->channel->fd;
}

static int verbs_transport_wait(struct transport *transport, int timeout_ms)
{
	struct pollfd pfd = { .fd = verbs_transport_fd(transport), .events = POLLIN };
	int ret;

	if (verbs_of(transport)->kept)
		return 1;
	ret = poll(&pfd, 1, timeout_ms);
	return ret >= 0 ? ret : errno == EINTR ? -EINTR : -EIO;
}

const struct transport_ops transport_verbs = {
	.name = "verbs",
	.open = verbs_transport_open,
	.entry = sysfs_entry,
	.close = verbs_close,
	.abandon = verbs_abandon,
	.info = verbs_transport_info,
	.attach = verbs_transport_attach,
	.detach = verbs_transport_detach,
	.send = verbs_transport_send,
	.receive = verbs_transport_receive,
	.wait = verbs_transport_wait,
	.fd = verbs_transport_fd,
	.now = clock_now,
	.realtime = clock_realtime,
	.seed = clock_seed,
};
