/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Data that a hostile kernel or network may pass to a port with several agents, in the format of umad's
 * buffers: any address, status, length and bytes, unsolicited and repeated responses, while sends are
 * outstanding and time passes. umad_recv() and umad_send() are defined here; the rest of the transport is the
 * library's, with a clock that the input drives. No access out of bounds; each posted send ends once, the
 * port becomes idle, and only valid MADs are sent.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/umad.h>
#include <madkit/madkit.h>
#include "agent/agent.h"
#include "fuzz/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { AGENTS = 6, SENDS = 12, MS = 1000000, FRAME = 4096 };

/* ---- the world --------------------------------------------------------------------- */

/* A send of ours: how often it was posted, and how often that has ended. */
struct slot {
	struct madkit_send *send;
	uint64_t posts, ends;
};

struct world {
	/* umad.c's state begins with its operations; the descriptor behind them is 0 */
	struct transport base;
	uint8_t descriptor[128];
	struct input in;
	struct madkit_port *port;
	struct madkit_agent *agents[AGENTS];
	uint32_t next_id;
	struct slot slots[SENDS];
	struct madkit_recv *kept[4]; /* MADs that their handlers do not free yet */
	uint64_t now;
	bool closing;
	/* the kernel's queue */
	struct ib_user_mad frame; /* without its MAD */
	uint8_t mad[FRAME];
	size_t len, needed;
	int pending; /* 0: no; or so many times the same */
	int error;   /* its error instead, -errno */
	int refusal; /* of sends, errno */
	unsigned int receives;
	/* the latest MADs that went out */
	uint8_t sent[4][256];
	uint32_t sent_id[4];
	unsigned int nsent;
};

static struct world *w; /* for what libibumad has no context for */

size_t umad_size(void)
{
	return sizeof(struct ib_user_mad);
}

int umad_recv(int fd, void *umad, int *length, int timeout_ms)
{
	size_t room = (size_t)*length, n;

	(void)fd;
	(void)timeout_ms;
	if (++w->receives > 100000)
		fuzz_fail("a port that never rests", NULL);
	if (w->error)
		return w->error;
	if (!w->pending)
		return -EAGAIN;
	n = w->len < room ? w->len : room;
	memcpy(umad, &w->frame, sizeof(w->frame));
	memcpy((uint8_t *)umad + sizeof(w->frame), w->mad, n);
	if (w->len > room) {
		*length = (int)w->needed;
		/* no kernel returns this endlessly */
		w->needed = w->len;
		return -ENOSPC;
	}
	w->pending--;
	*length = (int)w->len;
	return (int)w->frame.agent_id;
}

int umad_send(int fd, int id, void *umad, int length, int timeout_ms, int retries)
{
	const uint8_t *mad = (const uint8_t *)umad + umad_size();
	unsigned int slot = w->nsent % 4;
	volatile uint8_t last;

	(void)fd;
	if (length < 256 || timeout_ms < 0 || retries < 0)
		fuzz_fail("sent what is no MAD", NULL);
	last = mad[length - 1];
	(void)last;
	if (w->refusal) {
		errno = w->refusal;
		return -1;
	}
	memcpy(w->sent[slot], mad, 256);
	if (!madkit_mad_is_response(mad, (size_t)length))
		w->sent[slot][11] = (uint8_t)(id + 1);
	w->sent_id[slot] = (uint32_t)id;
	w->nsent++;
	return 0;
}

static void fuzz_umad_op_close(struct transport *transport)
{
	(void)transport;
}

static int fuzz_umad_op_info(struct transport *transport, struct madkit_port_info *info)
{
	(void)transport;
	memset(info, 0, sizeof(*info));
	info->lid = 3;
	return 0;
}

static int fuzz_umad_op_attach(struct transport *transport, const struct madkit_agent_attr *attr,
			       uint32_t *id, struct madkit_refusal *refusal)
{
	(void)transport;
	(void)attr;
	(void)refusal;
	/* the kernel gives numbers again */
	*id = w->next_id++ % 32;
	return 0;
}

static int fuzz_umad_op_detach(struct transport *transport, uint32_t id)
{
	(void)transport;
	(void)id;
	return 0;
}

static int fuzz_umad_op_wait(struct transport *transport, int timeout_ms)
{
	(void)transport;
	(void)timeout_ms;
	return 0;
}

static int fuzz_umad_op_fd(struct transport *transport)
{
	(void)transport;
	return -1;
}

static uint64_t fuzz_umad_op_now(struct transport *transport)
{
	(void)transport;
	return w->now;
}

static void fuzz_umad_op_realtime(struct transport *transport, struct timespec *ts)
{
	(void)transport;
	*ts = (struct timespec){ .tv_sec = (time_t)(w->now / 1000000000) };
}

static uint32_t fuzz_umad_op_seed(struct transport *transport)
{
	(void)transport;
	return 0xfffffff0;
}

/* ---- agents and their handlers ------------------------------------------------------- */

static void fuzz_umad_post(unsigned int agent, unsigned int slot, uint8_t what);

static struct slot *slot_of(const struct madkit_send *send)
{
	for (int i = 0; i < SENDS; i++)
		if (w->slots[i].send == send)
			return &w->slots[i];
	fuzz_fail("a send that nobody posted", NULL);
	return NULL;
}

/* Other operations of handlers. */
static void meddle(struct madkit_agent *agent, uint8_t what)
{
	if (w->closing)
		return;
	switch (what & 0xf) {
	case 1:
		fuzz_umad_post(what >> 4, what >> 4, what);
		break;
	case 2:
		for (int i = 0; i < AGENTS; i++)
			if (w->agents[i] == agent)
				w->agents[i] = NULL;
		madkit_agent_unregister(agent);
		break;
	case 3:
		if (w->slots[what >> 4 & 7].send)
			madkit_agent_cancel(agent, w->slots[what >> 4 & 7].send);
		break;
	case 4:
		madkit_port_set_receive_limit(w->port, 256 << (what >> 6), 1 << 16);
		break;
	case 5:
		if (madkit_port_process(w->port) != -EBUSY)
			fuzz_fail("a handler in a handler", NULL);
		break;
	case 6:
		madkit_agent_unregister(w->agents[(what >> 4) % AGENTS]);
		w->agents[(what >> 4) % AGENTS] = NULL;
		break;
	}
}

static void fuzz_umad_on_sent(struct madkit_agent *agent, struct madkit_send *send, int status)
{
	struct slot *slot = slot_of(send);

	if (++slot->ends != slot->posts)
		fuzz_fail("a send that ends twice", NULL);
	if (status > 0 || (send->rmpp.state != MADKIT_RMPP_STATE_ACTIVE) != !!send->rmpp.status)
		fuzz_fail("an end that is none", NULL);
	if (send->rmpp.status && !status)
		fuzz_fail("failed, and well", NULL);
	meddle(agent, byte(&w->in));
}

static void fuzz_umad_on_received(struct madkit_agent *agent, struct madkit_recv *recv)
{
	uint8_t what = byte(&w->in);
	uint64_t sum = 0;

	for (size_t i = 0; i < recv->len; i++)
		sum += recv->mad[i];
	if (recv->len < MADKIT_HEADER_BYTES || sum > recv->len * UINT64_C(255))
		fuzz_fail("not a valid message", NULL);
	if (recv->send) {
		const struct slot *slot = slot_of(recv->send);

		if (slot->ends >= slot->posts)
			fuzz_fail("the answer to a send that has ended", NULL);
	}
	madkit_recv_free(w->kept[what & 3]);
	w->kept[what & 3] = recv;
	meddle(agent, (uint8_t)(what >> 2 ^ byte(&w->in)));
}

static void fuzz_umad_watch(void *context, const struct madkit_snooped *snooped)
{
	uint64_t *sum = context;

	*sum += snooped->addr->lid + madkit_agent_id(snooped->agent) + (unsigned int)snooped->status;
	if (snooped->send)
		*sum += snooped->send->len;
	for (size_t i = 0; i < snooped->len; i++)
		*sum += snooped->mad[i];
}

static const uint8_t classes[] = { MADKIT_CLASS_SA,      0x32, MADKIT_CLASS_SA, MADKIT_CLASS_PERF,
				   MADKIT_CLASS_SUBN_DR, 0x32 };

static void fuzz_umad_open_agent(unsigned int i)
{
	struct madkit_agent_attr attr = {
		.mgmt_class = classes[i],
		.oui = 0x1405,
		.send_handler = fuzz_umad_on_sent,
		.recv_handler = fuzz_umad_on_received,
	};

	switch (i) {
	case 0:
		attr.rmpp_version = 1; /* the kernel's */
		break;
	case 1:
	case 2:
		attr.library_rmpp = true;
		break;
	case 5:
		attr.rmpp_version = 1; /* segments as they are */
		attr.flags = MADKIT_AGENT_USER_RMPP;
		break;
	}
	if (!w->agents[i] && madkit_agent_register(w->port, &attr, &w->agents[i], NULL))
		w->agents[i] = NULL;
}

static void fuzz_umad_post(unsigned int agent, unsigned int i, uint8_t what)
{
	struct slot *slot = &w->slots[i %= SENDS];
	static const uint16_t lens[] = { 256, 24, 300, 700, 3000, 256, 2048, 20000 };
	size_t len = lens[what & 7];
	struct madkit_send *send = slot->send;

	agent %= AGENTS;
	if (!w->agents[agent] || slot->posts != slot->ends)
		return;
	madkit_send_free(send);
	slot->send = send = madkit_send_new(len);
	if (!send)
		abort();
	send->mad[0] = len == 2048 ? 0x80 : 1;
	send->mad[1] = classes[agent];
	send->mad[2] = 1;
	send->mad[3] = what & 0x10 ? 0x12 : what & 0x20 ? 0x92 : 0x01;
	send->mad[15] = i;
	send->mad[17] = 0x35;
	if (what & 0x40 && len >= 256) {
		madkit_rmpp_set_version(send->mad, 1);
		madkit_rmpp_set_type(send->mad, 1);
		madkit_rmpp_set_flags(send->mad, 1);
	}
	send->to.lid = 7;
	send->to.qp = agent == 4 ? 0 : 1;
	send->to.direct = agent == 4;
	send->timeout_ms = what & 8 ? 0 : 100;
	send->retries = what >> 6;
	slot->posts++;
	if (madkit_agent_post(w->agents[agent], send))
		slot->posts--;
}

/* ---- what arrives -------------------------------------------------------------------- */

/* One frame: in answer to one of the latest that went out, by hand, or anything. */
static void frame(void)
{
	uint8_t what = byte(&w->in), more = byte(&w->in);
	unsigned int last = w->nsent ? (w->nsent - 1 - (more & 3)) % 4 : 0;

	memset(&w->frame, 0, sizeof(w->frame));
	memset(w->mad, more, sizeof(w->mad));
	w->len = w->needed = 256;
	w->frame.addr.lid = htobe16(7);
	w->frame.addr.qpn = htobe32(1);
	w->frame.agent_id = w->sent_id[last];
	memcpy(w->mad, w->sent[last], 64);
	w->mad[3] ^= 0x80;
	if (what & 1) { /* an RMPP packet */
		madkit_rmpp_set_version(w->mad, 1);
		madkit_rmpp_set_type(w->mad, (more >> 2 & 3) + 1);
		w->mad[26] = (uint8_t)(more >> 4 << 1 | 1);
		w->mad[27] = 0;
		madkit_rmpp_set_segment(w->mad, number(&w->in));
		madkit_rmpp_set_length(w->mad, number(&w->in));
	}
	if (what & 2) /* a request */
		w->mad[3] ^= 0x80;
	if (what & 4)
		w->frame.agent_id = byte(&w->in);
	if (what & 8) { /* as a send of ours that comes back */
		w->mad[3] ^= 0x80;
		w->frame.status = byte(&w->in);
		w->len = w->needed = more & 4 ? 24 : 256;
	}
	if (what & 16) /* bytes here and there */
		for (unsigned int n = byte(&w->in) & 15; n; n--) {
			unsigned int at = byte(&w->in);

			w->mad[at] = byte(&w->in);
		}
	if (what & 32) {
		w->len = number(&w->in) % FRAME;
		w->needed = more & 1 ? w->len : number(&w->in);
	}
	if (what & 64) {
		uint8_t *addr = (uint8_t *)&w->frame.addr;

		for (size_t i = 0; i < sizeof(w->frame.addr); i++)
			addr[i] = byte(&w->in);
		w->frame.status = word(&w->in);
	}
	w->pending = what & 128 ? 1 + more % 8 : 1;
}

/* Until it has nothing more to do now. */
static void rest(void)
{
	int n = 0;

	w->receives = 0;
	do {
		int ret = madkit_port_process(w->port);

		/* too long for the limit, or no longer wanted: it would stay in the queue */
		if (ret == -ENOSPC || ret == -ENODEV || ret == -EIO)
			w->pending = 0;
		if (++n > 10000)
			fuzz_fail("a port that never rests", NULL);
	} while (w->pending || (madkit_port_deadline(w->port) <= w->now));
	for (int i = 0; i < AGENTS; i++) {
		if (w->agents[i] && madkit_agent_outstanding(w->agents[i]) > SENDS)
			fuzz_fail("more outstanding than was posted", NULL);
	}
}

static void fuzz_umad_event(uint8_t op)
{
	uint8_t what = (op & 7) < 5 ? byte(&w->in) : 0;

	switch (op & 7) {
	case 0:
		w->now += (uint64_t)what * what * MS;
		break;
	case 1:
		fuzz_umad_post(op >> 3, op >> 4, what);
		return;
	case 2:
		if (op >> 3 == 31)
			w->error = what & 1 ? -EIO : -ENODEV;
		else
			w->refusal = op >> 3 == 30 ? what : 0;
		break;
	case 3:
		if (w->agents[what % AGENTS] && w->slots[(op >> 3) % SENDS].send)
			madkit_agent_modify(w->agents[what % AGENTS], w->slots[(op >> 3) % SENDS].send,
					    what >> 3);
		break;
	case 4:
		if (op & 8) {
			fuzz_umad_open_agent(what % AGENTS);
		} else {
			madkit_agent_unregister(w->agents[what % AGENTS]);
			w->agents[what % AGENTS] = NULL;
		}
		return;
	default:
		frame();
	}
	rest();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct world world = { .in = { data, size }, .now = 1000 * MS };
	struct transport_ops ops = {
		.name = "fuzz",
		.fixed_qkey = true,
		.close = fuzz_umad_op_close,
		.info = fuzz_umad_op_info,
		.attach = fuzz_umad_op_attach,
		.detach = fuzz_umad_op_detach,
		.send = transport_umad.send,
		.receive = transport_umad.receive,
		.wait = fuzz_umad_op_wait,
		.fd = fuzz_umad_op_fd,
		.now = fuzz_umad_op_now,
		.realtime = fuzz_umad_op_realtime,
		.seed = fuzz_umad_op_seed,
	};
	uint64_t seen = 0;

	w = &world;
	world.base.ops = &ops;
	if (port_create(&world.base, &world.port, NULL))
		abort();
	madkit_port_set_receive_limit(world.port, 256, 1 << 16);
	if (byte(&world.in) & 1)
		madkit_snoop_register(world.port,
				      MADKIT_SNOOP_POSTED_SENDS | MADKIT_SNOOP_SEND_COMPLETIONS |
					      MADKIT_SNOOP_RECVS,
				      fuzz_umad_watch, &seen, NULL);
	for (unsigned int i = 0; i < AGENTS; i++)
		fuzz_umad_open_agent(i);
	while (world.in.left)
		fuzz_umad_event(byte(&world.in));
	/* nothing more comes, and all that is outstanding ends */
	world.pending = 0;
	for (int i = 0; i < 20000 && madkit_port_deadline(world.port) != UINT64_MAX; i++) {
		uint64_t next = madkit_port_deadline(world.port);

		if (next > world.now)
			world.now = next;
		world.receives = 0;
		madkit_port_process(world.port);
	}
	for (int i = 0; i < SENDS; i++)
		if (world.slots[i].posts != world.slots[i].ends)
			fuzz_fail("a send that does not end", NULL);
	world.closing = true;
	madkit_port_close(world.port);
	for (int i = 0; i < SENDS; i++)
		madkit_send_free(world.slots[i].send);
	for (int i = 0; i < 4; i++)
		madkit_recv_free(world.kept[i]);
	return seen == UINT64_MAX;
}
