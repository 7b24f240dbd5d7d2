/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A UD queue pair of the caller, who also polls its completions. Received MADs are queued here until the port
 * receives them. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <madkit/mad.h>
#include "transport/clock.h"
#include "transport/refusal.h"
#include "transport/verbs.h"
#include "transport/verbs_qp.h"

enum { WAITING_MAX = 1000 };

struct arrival {
	struct arrival *next;
	uint32_t id;
	struct madkit_addr from;
	size_t len;
	uint8_t mad[];
};

struct given {
	struct transport base;
	struct verbs_qp v;
	struct arrival *first, **last;
	unsigned int nwaiting;
	int event; /* readable while MADs are queued */
	uint32_t nagents;
};

static const struct transport_ops ops;

static struct given *given_of(struct transport *transport)
{
	return (struct given *)transport;
}

/* Keeps address handles and memory regions, which belong to the opener, as in verbs.c. */
static void given_abandon(struct transport *transport)
{
	struct given *g = given_of(transport);

	while (g->first) {
		struct arrival *a = g->first;

		g->first = a->next;
		free(a);
	}
	if (g->event >= 0)
		close(g->event);
	free(g);
}

static void given_close(struct transport *transport)
{
	verbs_qp_free(&given_of(transport)->v);
	given_abandon(transport);
}

static int verbs_given_query(struct given *g, struct ibv_qp *qp, struct madkit_error *error)
{
	const struct verbs_library *lib = &g->v.lib;
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	int ret = verbs_library_load(&g->v.lib, error);

	if (ret)
		return ret;
	if (lib->ibv_query_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PORT | IBV_QP_QKEY | IBV_QP_PKEY_INDEX, &init))
		return madkit_error_set(error, -EIO, -1, "cannot read the queue pair's state");
	if (qp->qp_type != IBV_QPT_UD || attr.qp_state != IBV_QPS_RTS)
		return madkit_error_set(error, -EINVAL, -1, "no UD queue pair that is ready to send");
	ret = verbs_qp_port(&g->v, qp->context, lib->ibv_get_device_name(qp->context->device), attr.port_num,
			    error);
	if (ret)
		return ret;
	g->v.qp = qp;
	ret = verbs_qp_ready(&g->v, attr.pkey_index, attr.qkey);
	return ret ? madkit_error_set(error, ret, -1, "no memory to send from: %s", strerror(-ret)) : 0;
}

int verbs_given_open(struct ibv_qp *qp, struct transport **transport, struct madkit_error *error)
{
	struct given *g = calloc(1, sizeof(*g));
	int ret;

	if (!g)
		return madkit_error_set(error, -ENOMEM, -1, "out of memory");
	g->base.ops = &ops;
	g->last = &g->first;
	g->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	ret = g->event < 0 ? madkit_error_set(error, -errno, -1, "no event descriptor: %s", strerror(errno)) :
			     verbs_given_query(g, qp, error);
	if (ret)
		given_close(&g->base);
	else
		*transport = &g->base;
	return ret;
}

/* ---- what the caller brings ------------------------------------------------------- */

static int verbs_take_receive(struct given *g, uint32_t id, const struct ibv_wc *wc, const uint8_t *buffer,
			      size_t size)
{
	const uint64_t one = 1;
	struct arrival *a;
	size_t len;

	if (wc->status != IBV_WC_SUCCESS)
		return -EIO;
	if (!buffer || verbs_mad_len(wc, size, &len))
		return -EINVAL;
	if (g->nwaiting == WAITING_MAX)
		return -ENOBUFS;
	a = malloc(sizeof(*a) + len);
	if (!a)
		return -ENOMEM;
	a->next = NULL;
	a->id = id;
	a->len = len;
	memcpy(a->mad, buffer + VERBS_GRH_BYTES, len);
	verbs_address_from(&g->v, wc, buffer, &a->from);
	*g->last = a;
	g->last = &a->next;
	/* the counter of an eventfd has 64 bits, so this does not block */
	if (!g->nwaiting++ && write(g->event, &one, sizeof(one)) < 0)
		return 0;
	return 0;
}

int verbs_given_take(struct transport *transport, uint32_t id, const struct ibv_wc *wc, const void *buffer,
		     size_t size)
{
	struct given *g = given_of(transport);

	if (transport->ops != &ops)
		return -EINVAL;
	/* a failed completion has no valid opcode: the library's sends are recognised by wr_id */
	if (verbs_qp_sent(&g->v, wc))
		return 0;
	if (wc->status == IBV_WC_SUCCESS && !(wc->opcode & IBV_WC_RECV))
		return -ENOENT;
	return verbs_take_receive(g, id, wc, buffer, size);
}

/* ---- the operations --------------------------------------------------------------- */

static int given_info(struct transport *transport, struct madkit_port_info *info)
{
	return verbs_qp_info(&given_of(transport)->v, info);
}

static int given_attach(struct transport *transport, const struct madkit_agent_attr *attr, uint32_t *id,
			struct madkit_refusal *refusal)
{
	struct madkit_agent_attr checked = *attr;

	/* the caller decides which agent gets a MAD, so methods of agents cannot conflict */
	checked.method_mask[0] = checked.method_mask[1] = 0;
	if (!attr->mgmt_class)
		checked.flags = 0;
	if (refusal_from_request(&checked, EINVAL, refusal))
		return refusal->error.code;
	*id = given_of(transport)->nagents++;
	return 0;
}

static int given_detach(struct transport *transport, uint32_t id)
{
	(void)transport;
	(void)id;
	return 0;
}

static int given_send(struct transport *transport, uint32_t id, const struct madkit_addr *to, uint8_t *mad,
		      size_t len, uint32_t timeout_ms, uint32_t retries)
{
	(void)id;
	(void)timeout_ms;
	(void)retries;
	return verbs_qp_send(&given_of(transport)->v, to, mad, len, 0);
}

static int given_receive(struct transport *transport, uint32_t *id, struct madkit_addr *from, uint8_t *buf,
			 size_t size, size_t *len, int *status)
{
	struct given *g = given_of(transport);
	struct arrival *a = g->first;
	uint64_t count;

	if (!a)
		return -EAGAIN;
	*len = a->len;
	if (a->len > size)
		return -ENOSPC;
	*id = a->id;
	*from = a->from;
	*status = 0;
	memcpy(buf, a->mad, a->len);
	g->first = a->next;
	if (!g->first)
		g->last = &g->first;
	free(a);
	if (!--g->nwaiting && read(g->event, &count, sizeof(count)) < 0)
		return 0;
	return 0;
}

static int given_fd(struct transport *transport)
{
	return given_of(transport)->event;
}

static int given_wait(struct transport *transport, int timeout_ms)
{
	struct pollfd pfd = { .fd = given_fd(transport), .events = POLLIN };
	int ret = poll(&pfd, 1, timeout_ms);

	return ret >= 0 ? ret : errno == EINTR ? -EINTR : -EIO;
}

static const struct transport_ops ops = {
	.unfiltered = true,
	.name = "verbs",
	.close = given_close,
	.abandon = given_abandon,
	.info = given_info,
	.attach = given_attach,
	.detach = given_detach,
	.send = given_send,
	.receive = given_receive,
	.wait = given_wait,
	.fd = given_fd,
	.now = clock_now,
	.realtime = clock_realtime,
	.seed = clock_seed,
};
