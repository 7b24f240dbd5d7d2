/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "agent/agent.h"
#include "tests/unit/fake_transport.h"

#define MS UINT64_C(1000000)

static struct fake *fake_of(struct transport *transport)
{
	return (struct fake *)transport;
}

uint64_t fake_tid(const uint8_t *mad)
{
	uint64_t tid = 0;

	for (unsigned int i = 8; i < 16; i++)
		tid = tid << 8 | mad[i];
	return tid;
}

static void *fake_transport_copy(const void *data, size_t len)
{
	void *p = malloc(len ? len : 1);

	if (!p)
		abort();
	memcpy(p, data, len);
	return p;
}

static void *more(void *array, size_t *cap, size_t n, size_t each)
{
	if (n < *cap)
		return array;
	*cap = *cap ? 2 * *cap : 16;
	array = realloc(array, *cap * each);
	if (!array)
		abort();
	return array;
}

static void fake_transport_op_close(struct transport *transport)
{
	struct fake *fake = fake_of(transport);

	for (size_t i = 0; i < fake->nsent; i++)
		free(fake->sent[i].mad);
	for (size_t i = 0; i < fake->narrivals; i++)
		free(fake->arrivals[i].mad);
	free(fake->sent);
	free(fake->arrivals);
	if (fake->closed_flag)
		*fake->closed_flag = true;
	free(fake);
}

static int fake_transport_op_info(struct transport *transport, struct madkit_port_info *info)
{
	*info = fake_of(transport)->info;
	return 0;
}

static int fake_transport_op_attach(struct transport *transport, const struct madkit_agent_attr *attr,
				    uint32_t *id, struct madkit_refusal *refusal)
{
	struct fake *fake = fake_of(transport);

	(void)attr;
	refusal->cause = fake->attach_result ? MADKIT_REFUSAL_OTHER : MADKIT_REFUSAL_NONE;
	if (fake->attach_result)
		return fake->attach_result;
	fake->attached++;
	*id = fake->next_id++;
	return 0;
}

static int fake_transport_op_detach(struct transport *transport, uint32_t id)
{
	(void)id;
	fake_of(transport)->detached++;
	return 0;
}

static int op_send(struct transport *transport, uint32_t id, const struct madkit_addr *to, uint8_t *mad,
		   size_t len, uint32_t timeout_ms, uint32_t retries)
{
	struct fake *fake = fake_of(transport);
	struct fake_sent *sent;

	/* the headroom is the transport's: a sanitizer sees whether it is there */
	memset(mad - TRANSPORT_HEADROOM, 0xee, TRANSPORT_HEADROOM);
	fake_advance(fake, fake->blocks_ms);
	if (fake->send_result)
		return fake->send_result;
	if (fake->refused_tid && (uint32_t)fake_tid(mad) == (uint32_t)fake->refused_tid)
		return -EINVAL;
	fake->sent = more(fake->sent, &fake->sent_cap, fake->nsent, sizeof(*sent));
	sent = &fake->sent[fake->nsent++];
	*sent = (struct fake_sent){
		.id = id,
		.to = *to,
		.mad = fake_transport_copy(mad, len),
		.len = len,
		.timeout_ms = timeout_ms,
		.retries = retries,
		.at = fake->now,
	};
	if (!madkit_mad_is_response(mad, len)) {
		sent->mad[10] = (uint8_t)((FAKE_HI_TID + id) >> 8);
		sent->mad[11] = (uint8_t)(FAKE_HI_TID + id);
	}
	if (fake->peer)
		fake->peer(fake, sent);
	return 0;
}

static int op_receive(struct transport *transport, uint32_t *id, struct madkit_addr *from, uint8_t *buf,
		      size_t size, size_t *len, int *status)
{
	struct fake *fake = fake_of(transport);
	struct fake_arrival *a = fake->arrivals;

	fake->receives++;
	memset(buf - TRANSPORT_HEADROOM, 0xee, TRANSPORT_HEADROOM);
	if (fake->receive_result) {
		*len = 0;
		return fake->receive_result;
	}
	if (!fake->narrivals || a->at > fake->now)
		return -EAGAIN;
	if (a->len > size) {
		*len = a->needed;
		return -ENOSPC;
	}
	memcpy(buf, a->mad, a->len);
	*id = a->id;
	*from = a->from;
	*len = a->claimed;
	*status = a->status;
	free(a->mad);
	memmove(a, a + 1, --fake->narrivals * sizeof(*a));
	return 0;
}

static int fake_transport_op_wait(struct transport *transport, int timeout_ms)
{
	struct fake *fake = fake_of(transport);
	uint64_t until = timeout_ms < 0 ? UINT64_MAX : fake->now + (uint64_t)timeout_ms * MS;

	if (fake->wait_result) {
		fake->now += fake->wait_ms * MS;
		return fake->wait_result;
	}
	if (fake->receive_result)
		return 1;
	if (fake->narrivals && fake->arrivals->at <= until) {
		if (fake->arrivals->at > fake->now)
			fake->now = fake->arrivals->at;
		return 1;
	}
	if (until == UINT64_MAX)
		abort(); /* an infinite wait, without any event */
	fake->now = until;
	return 0;
}

static int fake_transport_op_fd(struct transport *transport)
{
	(void)transport;
	return -1;
}

static uint64_t fake_transport_op_now(struct transport *transport)
{
	return fake_of(transport)->now;
}

static void fake_transport_op_realtime(struct transport *transport, struct timespec *ts)
{
	ts->tv_sec = (time_t)(fake_of(transport)->now / 1000000000);
	ts->tv_nsec = (long)(fake_of(transport)->now % 1000000000);
}

static uint32_t fake_transport_op_seed(struct transport *transport)
{
	(void)transport;
	return 0xfffffff0; /* so that numbering wraps in every test */
}

static const struct transport_ops ops = {
	.name = "fake",
	.fixed_qkey = true,
	.rmpp = true,
	.close = fake_transport_op_close,
	.info = fake_transport_op_info,
	.attach = fake_transport_op_attach,
	.detach = fake_transport_op_detach,
	.send = op_send,
	.receive = op_receive,
	.wait = fake_transport_op_wait,
	.fd = fake_transport_op_fd,
	.now = fake_transport_op_now,
	.realtime = fake_transport_op_realtime,
	.seed = fake_transport_op_seed,
};

struct fake *fake_new(void)
{
	struct fake *fake = calloc(1, sizeof(*fake));

	if (!fake)
		abort();
	fake->base.ops = &ops;
	fake->now = 1000 * MS;
	strcpy(fake->info.device, "fake:");
	fake->info.lid = 3;
	fake->info.sm_lid = 9;
	fake->info.sm_sl = 2;
	fake->info.gid_prefix = UINT64_C(0xfe80000000000000);
	fake->info.port_guid = UINT64_C(0x0002c90300000001);
	return fake;
}

struct madkit_port *fake_port(struct fake *fake)
{
	struct madkit_port *port;

	if (port_create(&fake->base, &port, NULL))
		abort();
	return port;
}

struct madkit_agent *fake_agent(struct madkit_port *port, uint8_t mgmt_class, uint8_t rmpp_version,
				madkit_send_handler sent, madkit_recv_handler received, void *context)
{
	const struct madkit_agent_attr attr = {
		.mgmt_class = mgmt_class,
		.rmpp_version = rmpp_version,
		.method_mask = { mgmt_class ? UINT64_MAX : 0, mgmt_class ? UINT64_MAX : 0 },
		.send_handler = sent,
		.recv_handler = received,
		.context = context,
	};
	struct madkit_agent *agent;

	if (madkit_agent_register(port, &attr, &agent, NULL))
		abort();
	return agent;
}

struct fake_arrival *fake_arrive(struct fake *fake, uint64_t after_ms, uint32_t id,
				 const struct madkit_addr *from, const uint8_t *mad, size_t len, int status)
{
	uint64_t at = fake->now + after_ms * MS;
	size_t i = fake->narrivals;
	struct fake_arrival *a;

	fake->arrivals = more(fake->arrivals, &fake->arrivals_cap, fake->narrivals, sizeof(*a));
	while (i && fake->arrivals[i - 1].at > at)
		i--;
	a = &fake->arrivals[i];
	memmove(a + 1, a, (fake->narrivals++ - i) * sizeof(*a));
	*a = (struct fake_arrival){
		.at = at,
		.id = id,
		.from = *from,
		.mad = fake_transport_copy(mad, len),
		.len = len,
		.claimed = len,
		.needed = len,
		.status = status,
	};
	return a;
}

struct fake_arrival *fake_answer(struct fake *fake, uint64_t after_ms, const struct fake_sent *sent)
{
	struct fake_arrival *a = fake_arrive(fake, after_ms, sent->id, &sent->to, sent->mad, sent->len, 0);

	a->mad[MADKIT_MAD_METHOD] |= MADKIT_METHOD_RESPONSE;
	return a;
}

struct fake_arrival *fake_return(struct fake *fake, uint64_t after_ms, const struct fake_sent *sent,
				 int status)
{
	return fake_arrive(fake, after_ms, sent->id, &sent->to, sent->mad, MADKIT_HEADER_BYTES, status);
}

void fake_advance(struct fake *fake, uint64_t ms)
{
	fake->now += ms * MS;
}

void fake_step(struct madkit_port *port)
{
	madkit_port_wait(port, -1);
	madkit_port_process(port);
}

struct madkit_send *fake_get(uint8_t mgmt_class, uint16_t attribute, uint32_t timeout_ms, uint32_t retries)
{
	const struct madkit_header h = {
		.base_version = MADKIT_BASE_VERSION_IB,
		.mgmt_class = mgmt_class,
		.class_version = madkit_class_version(mgmt_class),
		.method = MADKIT_METHOD_GET,
		.attribute = attribute,
	};
	struct madkit_send *send = madkit_send_new(MADKIT_MAD_BYTES);

	if (!send)
		abort();
	madkit_header_put(send->mad, send->len, &h);
	send->to.lid = 7;
	send->timeout_ms = timeout_ms;
	send->retries = retries;
	return send;
}
